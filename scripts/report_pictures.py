"""Pictures of chains that mipbench wrote beside results.json: each different level is embedded once,
as a data URI. The contact sheet, the viewer and the heat maps all show these."""

import base64
import hashlib
import json
import pathlib
import re

import report_png
from report_format import esc, list_words

SHEET = re.compile(r"sheet(_layer_\d\d)?\.png")
KINDS = re.compile(r"(atlas|level_(\d\d)|error_(\d\d))(?:_layer_(\d\d))?\.png")
TILE = 104          # of the contact sheet, the longer edge in CSS pixels
HEAT_TILE = 160
MAX_TEXELS = 1 << 24         # of a picture that is taken apart
MAX_FILE_BYTES = 1 << 26     # of one that is read at all
MAX_SHRINKING = 8            # and how much larger than all pictures together may become
BOX_LABEL = "golden (box)"  # the true average: what others are looked at against
HOW = ("mipbench writes them beside results.json with --images atlas (its default); --images all "
       "adds every level and where it errs")


def level_extent(width, height, level):
    return max(1, width >> level), max(1, height >> level)


def level_place(width, height, level):
    """(x, y, width, height) of a level in the atlas: the base at left, the others stacked at its
    right."""
    below = sum(level_extent(width, height, above)[1] for above in range(1, level))
    return ((width if level else 0), below, *level_extent(width, height, level))


class Picture:
    """A PNG that was read: its size in texels, and its rows of RGBA, None where report_png.py
    cannot take it apart."""

    def __init__(self, name, data):
        self.name, self.data = name, data
        self.width, self.height = report_png.size_of(data)
        is_small = self.width * self.height <= MAX_TEXELS
        self.rows = report_png.decode(data) if is_small else None


class Store:
    """Embeds pictures within a budget, each different one once and made small. What is shown is a
    part, [number of the picture, x, y, width, height]."""

    def __init__(self, max_bytes):
        self.max_bytes = self.left = max_bytes
        self.numbers, self.data = {}, []  # by digest; (width, height, base64)
        self.parts_of_files, self.black = {}, set()  # numbers of those without a bright texel
        self.missing, self.too_large = [], []

    def read(self, folder, name):
        """The bytes of a PNG by its path from a results.json, or None: noted why."""
        path = pathlib.PurePosixPath(name)
        try:
            if path.is_absolute() or ".." in path.parts:
                raise OSError("out of the folder of the results")
            if (folder / path).stat().st_size > min(MAX_FILE_BYTES, MAX_SHRINKING * self.max_bytes):
                self.too_large.append(name)
                return None
            data = (folder / path).read_bytes()
        except (OSError, ValueError):
            self.missing.append(name)
            return None
        if report_png.size_of(data) is None:
            self.missing.append(name)
            return None
        return data

    def load(self, folder, name, size, places):
        """The parts of a picture of `size` texels, one for each of `places`, (x, y, width, height);
        None for those that there is no room for. Empty where there is none, or where another run
        has left one of another size."""
        data = self.read(folder, name)
        if data is None or report_png.size_of(data) != size:
            return []
        key = hashlib.sha256(data).digest(), tuple(places)
        if key not in self.parts_of_files:
            self.parts_of_files[key] = self.split(Picture(name, data), places)
        return self.parts_of_files[key]

    def split(self, picture, places):
        """Each place on its own, as chains are often alike in some levels but not in all."""
        if picture.rows is None:
            number = self.embed(picture.name, picture.width, picture.height, picture.data)
            return [None if number is None else [number, *place] for place in places]
        parts = []
        for place in places:
            number = self.embed_rows(picture.name, report_png.crop(picture.rows, *place))
            parts.append(None if number is None else [number, 0, 0, *place[2:]])
        return parts

    def embed_rows(self, name, rows):
        width = len(rows[0]) // 4
        digest = hashlib.sha256(b"%d:" % width + b"".join(rows)).digest()
        if digest not in self.numbers:
            self.numbers[digest] = self.embed(name, width, len(rows), report_png.encode(rows))
            if not any(any(row[channel::4]) for row in rows for channel in range(3)):
                self.black.add(self.numbers[digest])
        return self.numbers[digest]

    def embed(self, name, width, height, data):
        """The number of the picture, or None: there is no room for it."""
        n_bytes = (len(data) + 2) // 3 * 4
        if n_bytes > self.left:
            self.too_large.append(name)
            return None
        self.left -= n_bytes
        self.data.append((width, height, base64.b64encode(data).decode("ascii")))
        return len(self.data) - 1

    def definitions(self):
        """Every embedded picture, for <use>; none is shown by this."""
        images = "".join(
            f'<image id="p{number}" width="{width}" height="{height}" '
            f'href="data:image/png;base64,{data}"/>'
            for number, (width, height, data) in enumerate(self.data))
        return images + HEAT_FILTER if images else ""

    def notes(self):
        notes = []
        if self.missing:
            notes += [f"{len(self.missing)} pictures that the results name are not there, the "
                      f"first: {self.missing[0]}. {HOW}."]
        if self.too_large:
            names = list(dict.fromkeys(self.too_large))
            notes += [f"{len(names)} pictures, or levels of them, were left out to keep the page "
                      f"small, the first: {names[0]}; --max-pictures makes room."]
        return notes


# By the channel that is most off, through a scale that grows evenly brighter.
HEAT_STOPS = ((0, 0, 4), (40, 11, 84), (101, 21, 110), (159, 42, 99), (212, 72, 66),
              (245, 125, 21), (250, 193, 39), (252, 255, 164))


def heat_filter():
    tables = ["".join(f"{stop[channel] / 255:.3f} " for stop in HEAT_STOPS).strip()
              for channel in range(3)]
    transfer = "".join(f'<feFunc{name} type="table" tableValues="{table}"/>'
                       for name, table in zip("RGB", tables))
    single = "".join(
        f'<feColorMatrix in="SourceGraphic" type="matrix" result="{name}" '
        f'values="{f"{row} " * 3}0 0 0 1 0"/>'
        for name, row in zip("rgb", ("1 0 0 0 0", "0 1 0 0 0", "0 0 1 0 0")))
    largest = ('<feBlend in="r" in2="g" mode="lighten" result="rg"/>'
               '<feBlend in="rg" in2="b" mode="lighten"/>')
    return ('<filter id="heat" color-interpolation-filters="sRGB" x="0" y="0" width="1" '
            f'height="1">{single}{largest}<feComponentTransfer>{transfer}</feComponentTransfer>'
            "</filter>")


HEAT_FILTER = heat_filter()


class Chain:
    """What there is of one strategy's (or the golden) chain: parts by layer and level."""

    def __init__(self, label, is_golden, policy=""):
        self.label, self.is_golden, self.policy = label, is_golden, policy
        self.levels, self.errors, self.n_right = {}, {}, 0  # maps of errors that are all 0

    def layers(self):
        return sorted({layer for layer, _ in self.levels})

    def key(self, group):
        """Equal for chains that are the same, bit for bit."""
        return tuple(tuple(self.levels.get((layer, level), ())) for layer in self.layers()
                     for level in range(group.n_levels))


class Group:
    """Chains of one case: strategies and golden models. `owner`: what its result set is called."""

    def __init__(self, owner, case):
        self.owner, self.title, self.input = owner, case.words(), case.image.name
        self.width, self.height, self.n_levels = case.width, case.height, case.n_levels
        self.chains = {}

    def heading(self, n_sets=1):
        return f"{self.input}, {self.title}" + (f" ({self.owner})" if n_sets > 1 else "")

    def chain(self, folder, variant):
        """Of the folder that its files are in."""
        golden = golden_label(folder)
        return self.chains.setdefault(folder, Chain(golden or variant.label, golden is not None,
                                                    variant.policy or ""))

    def shown(self):
        return [chain for chain in self.chains.values() if chain.layers()]


def golden_label(folder):
    name = pathlib.PurePosixPath(folder).name
    return f"golden ({name[len('golden-'):]})" if name.startswith("golden-") else None


def each_variant(sets):
    """(case, variant) of all."""
    return [(case, variant) for item in sets for case in item.cases for variant in case.variants]


def collect(sets, set_names, store):
    """[Group] of all pictures that can be shown, headings in the order of the results."""
    groups, owners = {}, dict(zip(sets, set_names))
    for case, variant in each_variant(sets):
        for name in names_of(variant):
            add_image(groups, store, owners[case.run], case, variant, name)
    for group in groups.values():  # golden models first: all others are held against them
        group.chains = dict(sorted(group.chains.items(),
                                   key=lambda pair: (not pair[1].is_golden,
                                                     pair[1].label != BOX_LABEL)))
    return list(groups.values())


def files_of(sets):
    """Each picture that results name, whether there is room for it or not."""
    return list(dict.fromkeys(case.run.path.parent / name for case, variant in each_variant(sets)
                              for name in variant.images))


def names_of(variant):
    """The PNG files that are shown; levels only where there is no atlas that holds them."""
    has_atlas = any((match := KINDS.fullmatch(pathlib.PurePosixPath(name).name))
                    and match[1] == "atlas" for name in variant.images)
    return [name for name in variant.images
            if not (has_atlas and pathlib.PurePosixPath(name).name.startswith("level_"))]


def add_image(groups, store, owner, case, variant, name):
    path = pathlib.PurePosixPath(name)
    match = KINDS.fullmatch(path.name)
    if not match:
        return
    if match[1] == "atlas":
        numbers = range(case.n_levels)
        places = [level_place(case.width, case.height, level) for level in numbers]
    else:
        numbers = [int(match[2] or match[3])]
        places = [(0, 0, *level_extent(case.width, case.height, numbers[0]))]
    size = tuple(max(place[axis] + place[axis + 2] for place in places) for axis in (0, 1))
    parts = store.load(case.run.path.parent, name, size, places)
    if not any(parts):
        return
    group = groups.setdefault((case.run.path, str(path.parent.parent)), Group(owner, case))
    chain, layer = group.chain(str(path.parent), variant), int(match[4] or 0)
    if match[3] and parts[0][0] in store.black:
        chain.n_right += 1
        return
    shown = chain.errors if match[3] else chain.levels
    shown.update({(layer, level): part for level, part in zip(numbers, parts) if part})


def errors_of(group):
    return [(chain, place, part) for chain in group.chains.values()
            for place, part in sorted(chain.errors.items())]


def fit(size, longest):
    """(width, height) in CSS pixels of what has so many texels."""
    scale = longest / max(size)
    return tuple(max(1.0, scale * edge) for edge in size)


def part_svg(part, css, label, box):
    """A part of an embedded picture, nearest texel, as large as the box lets it be."""
    number, x, y, width, height = part
    scale = min(box[0] / width, box[1] / height)
    return (f'<svg viewBox="{x} {y} {width} {height}" width="{max(1, width * scale):.0f}" '
            f'height="{max(1, height * scale):.0f}" class="{css}" role="img" '
            f'preserveAspectRatio="none" aria-label="{esc(label)}"><use href="#p{number}"/></svg>')


def same_chains(group):
    """[[chain]]: those that are the same bit for bit are together."""
    found = {}
    for chain in group.shown():
        found.setdefault(chain.key(group), []).append(chain)
    return list(found.values())


def sheet(group):
    """The contact sheet: a row for each different chain, a column for each level."""
    heads = "".join(
        "<th scope=\"col\">level {}<br><small>{}×{}</small></th>".format(
            level, *level_extent(group.width, group.height, level))
        for level in range(group.n_levels))
    rows = "".join(sheet_row(group, chains) for chains in same_chains(group))
    return ('<div class="scroll" tabindex="0" role="region" aria-label="contact sheet">'
            f'<table class="sheet"><thead><tr><th scope="col">chain</th>{heads}</tr></thead>'
            f"<tbody>{rows}</tbody></table></div>")


def sheet_row(group, chains):
    name = list_words([chain.label for chain in chains])
    note = "<small>the same texels</small>" if len(chains) > 1 else ""
    tiles, box = [], fit((group.width, group.height), TILE)
    for level in range(group.n_levels):
        part = chains[0].levels.get((chains[0].layers()[0], level))
        words = f"level {level} of {name}"
        tiles += [f"<td>{part_svg(part, 'tile', words, box)}</td>" if part else "<td>–</td>"]
    return f'<tr><th scope="row">{esc(name)}{note}</th>{"".join(tiles)}</tr>'


def sheets_of_files(sets, store):
    """The contact sheets that mipbench drew, each as it is."""
    names = dict.fromkeys((case.run.path.parent, name) for case, variant in each_variant(sets)
                          for name in variant.images
                          if SHEET.fullmatch(pathlib.PurePosixPath(name).name))
    return "".join(sheet_of_file(store, *name) for name in names)


def sheet_of_file(store, folder, name):
    data = store.read(folder, name)
    if data is None:
        return ""
    width, height = report_png.size_of(data)
    number = store.embed(name, width, height, data)
    if number is None:
        return ""
    drawing = part_svg([number, 0, 0, width, height], "whole", f"contact sheet {name}",
                       (width, height))
    return (f'<div class="scroll" tabindex="0" role="region" aria-label="contact sheet">{drawing}'
            "</div>")


def heat_maps(group):
    """Where a chain errs, in colour, with the scale of it."""
    tiles = []
    for chain, (layer, level), part in errors_of(group):
        words = f"{chain.label}, level {level}" + (f", layer {layer}" if layer else "")
        _, _, _, width, height = part
        box = fit((width, height), HEAT_TILE)
        tiles += [f'<figure class="heat">{part_svg(part, "heated", "errors of " + words, box)}'
                  f"<figcaption>{esc(words)} <small>{width}×{height}</small>"
                  "</figcaption></figure>"]
    return f'<div class="heats">{"".join(tiles)}</div>' if tiles else ""


def heat_scale():
    stops = ", ".join("rgb({},{},{})".format(*stop) for stop in HEAT_STOPS)
    marks = "".join(f"<span>{value}</span>" for value in (0, 2, 4, 6, "8 or more"))
    return (f'<div class="scale"><div class="ramp" style="background:linear-gradient(90deg,{stops})"'
            f' role="img" aria-label="scale of the heat maps from 0, dark, to 8, bright"></div>'
            f'<div class="marks">{marks}</div>'
            "<small>the channel that is most off, alpha among them, in LSB of 8 bits (1/255)"
            "</small></div>")


def viewer_data(groups):
    """What report/page.js shows: by image its chains, by layer and level the parts."""
    found = []
    for group in groups:
        chains = [{"label": chain.label, "golden": chain.is_golden,
                   "heldTo": f"golden ({chain.policy})",
                   "layers": {layer: [chain.levels.get((layer, level))
                                      for level in range(group.n_levels)]
                              for layer in chain.layers()}} for chain in group.shown()]
        if chains:
            found += [{"title": group.heading(), "owner": group.owner,
                       "width": group.width, "height": group.height, "levels": group.n_levels,
                       "chains": chains}]
    return json.dumps(found)
