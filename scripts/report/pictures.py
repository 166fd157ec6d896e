"""Pictures of chains that mipbench wrote beside results.json: each different level is embedded once,
as a data URI, failures first, then the image of the verdict; what does not fit is named. The
contact sheet and the viewer both show these."""

import base64
import functools
import gzip
import hashlib
import pathlib
import re

from . import hdr, png
from .words import esc, list_names, list_words

KINDS = re.compile(r"(?:atlas|level_(\d\d))(?:_layer_(\d\d))?\.png")
TILE = 96                    # of the contact sheet, the longer edge of level 0 in CSS pixels
LEAST = 14                   # of its smallest levels
MAX_TEXELS = 1 << 24         # of a picture that is taken apart
MAX_FILE_BYTES = 1 << 26     # of one that is read at all
MAX_SHRINKING = 8            # and how much larger than all pictures together may become
MAX_FLOAT_EDGE = 256         # of levels whose floats are embedded
BOX_LABEL = "golden (box)"   # the true average: what others are looked at against
MAX_SHEETS = 24


def level_extent(width, height, level):
    return max(1, width >> level), max(1, height >> level)


@functools.cache
def level_place(width, height, level):
    """(x, y, width, height) of a level in the atlas: the base at left, the others stacked at its
    right."""
    below = sum(level_extent(width, height, above)[1] for above in range(1, level))
    return ((width if level else 0), below, *level_extent(width, height, level))


class Store:
    """Embeds pictures within a budget, each different one once and made small. What is shown is a
    part, [number of the picture, x, y, width, height]."""

    def __init__(self, max_bytes):
        self.max_bytes = self.left = max_bytes
        self.numbers, self.data, self.floats, self.parts_of_files = {}, [], [], {}
        self.missing, self.too_large = [], []

    def read(self, folder, name):
        """The bytes of a PNG by its path from a results.json, or None: noted why."""
        path = pathlib.PurePosixPath(name)
        try:
            if path.is_absolute() or ".." in path.parts:
                raise OSError("out of the folder of the results")
            file = (folder / path).resolve(strict=True)
            if not file.is_relative_to(pathlib.Path(folder).resolve()) or not file.is_file():
                raise OSError("no file in the folder of the results")
            size = file.stat().st_size
            if self.left <= 0 or size > min(MAX_FILE_BYTES, MAX_SHRINKING * self.max_bytes):
                self.too_large.append(name)
                return None
            data = file.read_bytes()
        except (OSError, ValueError):
            self.missing.append(name)
            return None
        if path.suffix == ".png" and png.size_of(data) is None:
            self.missing.append(name)
            return None
        return data

    def load(self, folder, name, size, places):
        """The parts of a picture of `size` texels, one for each of `places`, (x, y, width, height);
        None for those that there is no room for. Empty where there is none, or where another run
        has left one of another size."""
        data = self.read(folder, name)
        if data is None or png.size_of(data) != size:
            return []
        key = hashlib.sha256(data).digest(), tuple(places)
        if key not in self.parts_of_files:
            self.parts_of_files[key] = self.split(name, data, size, places)
        return self.parts_of_files[key]

    def split(self, name, data, size, places):
        """Each place on its own, as chains are often alike in some levels but not in all."""
        rows = png.decode(data) if size[0] * size[1] <= MAX_TEXELS else None
        if rows is None:
            number = self.embed(name, *size, data)
            return [None if number is None else [number, *place] for place in places]
        parts = []
        for place in places:
            number = self.embed_rows(name, png.crop(rows, *place))
            parts.append(None if number is None else [number, 0, 0, *place[2:]])
        return parts

    def embed_rows(self, name, rows):
        width = len(rows[0]) // 4
        digest = hashlib.sha256(b"%d:" % width + b"".join(rows)).digest()
        if digest not in self.numbers:
            self.numbers[digest] = self.embed(name, width, len(rows), png.encode(rows))
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

    def load_floats(self, folder, name, size, places):
        """The numbers of levels of a .hdr, None for those that are too large or find no room."""
        data = self.read(folder, name)
        rows = hdr.decode(data, size) if data is not None else None
        return [self.embed_floats(png.crop(rows, *place)) if max(place[2:]) <= MAX_FLOAT_EDGE else None
                for place in places] if rows else [None] * len(places)

    def embed_floats(self, rows):
        digest = hashlib.sha256(b"f%d:" % len(rows) + b"".join(rows)).digest()
        if digest not in self.numbers:
            text = base64.b64encode(gzip.compress(b"".join(rows), mtime=0)).decode("ascii")
            if len(text) > self.left:
                return None
            self.left -= len(text)
            self.floats.append(text)
            self.numbers[digest] = len(self.floats) - 1
        return self.numbers[digest]

    def element(self):
        """Every embedded picture, for <use> and the viewer; none is shown by this."""
        images = "".join(
            f'<image id="p{number}" width="{width}" height="{height}" '
            f'href="data:image/png;base64,{data}"/>'
            for number, (width, height, data) in enumerate(self.data))
        return f'<svg class="store" aria-hidden="true"><defs>{images}</defs></svg>' if images else ""

    def notes(self):
        notes = []
        if self.missing:
            notes += [f"{len(self.missing)} pictures that the results name are not there, the "
                      f"first: {self.missing[0]}."]
        if self.too_large:
            names = list(dict.fromkeys(self.too_large))
            notes += [f"{len(names)} pictures are not embedded, to keep the page small: they are "
                      f"beside the results, the first {names[0]}; --max-pictures makes room."]
        return notes


class Chain:
    """What there is of one variant's (or the golden) chain: parts by layer and level."""

    def __init__(self, label, is_golden, variant):
        self.label, self.is_golden, self.levels, self.floats = label, is_golden, {}, {}
        self.policy, self.is_wrong = variant.policy or "", variant.verify.status == "fail"
        self.errors = variant.verify.errors

    def layers(self):
        return sorted({layer for layer, _ in self.levels})

    def key(self):
        """Equal for chains that are the same, bit for bit."""
        return tuple(sorted((place, tuple(part)) for place, part in self.levels.items()))


class Group:
    """Chains of one case: golden models first, as all others are held against them."""

    def __init__(self, case, winner, owner):
        self.case, self.winner, self.owner = case, winner, owner
        self.n_levels, self.chains = case.n_levels, {}

    def heading(self):
        return f"{self.case.image.name}, {self.case.words()}" + (f", {self.owner}" if self.owner else "")

    def shown(self):
        return sorted((chain for chain in self.chains.values() if chain.layers()),
                      key=lambda chain: (not chain.is_golden, chain.label != BOX_LABEL))

    def add(self, store, variant, name):
        path = pathlib.PurePosixPath(name)
        match = KINDS.fullmatch(path.name)
        if not match:
            return
        case, size = self.case, self.case.size
        numbers = range(case.n_levels) if match[1] is None else [int(match[1])]
        places = [level_place(*size, level) for level in numbers] if match[1] is None else \
            [(0, 0, *level_extent(*size, numbers[0]))]
        whole = tuple(max(place[axis] + place[axis + 2] for place in places) for axis in (0, 1))
        parts = store.load(case.run.path.parent, name, whole, places)
        if not any(parts):
            return
        folder = path.parent.name
        golden = f"golden ({folder[len('golden-'):]})" if folder.startswith("golden-") else None
        chain = self.chains.setdefault(str(path.parent), Chain(golden or variant.label,
                                                               golden is not None, variant))
        layer, twin = int(match[2] or 0), name[:-len("png")] + "hdr"
        chain.levels.update({(layer, level): part for level, part in zip(numbers, parts) if part})
        if twin in variant.images:
            found = store.load_floats(case.run.path.parent, twin, whole, places)
            chain.floats.update({(layer, level): it for level, it in zip(numbers, found)})


def names_of(variant):
    """The PNG files that are shown; levels only where there is no atlas that holds them."""
    names = [pathlib.PurePosixPath(name).name for name in variant.images]
    has_atlas = any(name.startswith("atlas") for name in names)
    return [whole for whole, name in zip(variant.images, names)
            if not (has_atlas and name.startswith("level_"))]


def collect(pools, store):
    """[Group] of all pictures that there is room for: what is wrong first, then the verdict's."""
    groups = []
    for index, pool in enumerate(pools):
        seen = set()
        for timing in pool.timings:
            for member in timing.members:
                if id(member.case) not in seen:
                    seen.add(id(member.case))
                    fastest = timing.fastest()
                    owner = pool.name() if len(pools) > 1 else ""
                    groups += [(index, Group(member.case, fastest.label if fastest else "", owner))]
    groups.sort(key=lambda pair: not any(it.verify.status == "fail"
                                         for it in pair[1].case.variants))
    for _, group in groups:
        for variant in group.case.variants:
            for name in names_of(variant):
                group.add(store, variant, name)
    return [group for _, group in groups if group.shown()]


def files_of(runs):
    """Each picture that results name, whether there is room for it or not."""
    return list(dict.fromkeys(run.path.parent / name for run in runs for case in run.cases
                              for variant in case.variants for name in variant.images))


def part_svg(part, label, box):
    """A part of an embedded picture, nearest texel, as large as the box lets it be."""
    number, x, y, width, height = part
    scale = min(box[0] / width, box[1] / height)
    return (f'<svg viewBox="{x} {y} {width} {height}" width="{max(4, width * scale):.0f}" '
            f'height="{max(4, height * scale):.0f}" role="img" preserveAspectRatio="none" '
            f'aria-label="{esc(label)}"><use href="#p{number}"/></svg>')


def sheet(group):
    """The contact sheet: a row for each different chain, all levels, broken where it must."""
    same, out = {}, ""
    for chain in group.shown():
        same.setdefault(chain.key(), []).append(chain)
    scale = TILE / max(group.case.size)
    for chains in same.values():
        names = list_words([chain.label for chain in chains])
        note = " (the same texels)" if len(chains) > 1 else ""
        layer, tiles = chains[0].layers()[0], ""
        for level in range(group.n_levels):
            part = chains[0].levels.get((layer, level))
            edge = max(LEAST, scale * max(level_extent(*group.case.size, level)))
            tiles += part_svg(part, f"level {level} of {names}", (edge, edge)) if part else ""
        out += f'<p class="foot"><b>{esc(names)}</b>{note}</p><div class="sheet">{tiles}</div>'
    return out


def worst_level(chain):
    known = [(error, -level) for level, error in enumerate(chain.errors) if error]
    return -max(known)[1] if known else 0


def view_of(group):
    """What page.js shows: chains by layer and level, and where it opens."""
    chains = group.shown()
    wrong = next((chain for chain in chains if chain.is_wrong and not chain.is_golden), None)
    won = next((chain for chain in chains if chain.label == group.winner), None)
    b = wrong or won or chains[-1]
    a = next((chain for chain in chains if chain.label == f"golden ({b.policy})"), chains[0])
    return {"title": group.heading(), "width": group.case.width, "height": group.case.height,
            "levels": group.n_levels, "a": chains.index(a), "b": chains.index(b),
            "level": worst_level(b), "preview": group.case.format != "rgba8",
            "chains": [{"label": chain.label + (" ✗" if chain.is_wrong else ""),
                        "layers": {layer: [chain.levels.get((layer, level))
                                           for level in range(group.n_levels)]
                                   for layer in chain.layers()},
                        "floats": {layer: [chain.floats.get((layer, level))
                                           for level in range(group.n_levels)]
                                   for layer in chain.layers()} if chain.floats else {}}
                       for chain in chains]}


VIEWER = (pathlib.Path(__file__).resolve().parent / "viewer.html")


def section(pools, store, details):
    """(HTML of the viewer and the sheets, what the viewer shows)."""
    groups = collect(pools, store)
    notes = "".join(f'<p class="foot">{esc(note)}</p>' for note in store.notes())
    if not groups:
        return notes, {"groups": [], "floats": []}
    sheets = "".join(details.drawer(f"sheet{index}", f"<b>Contact sheet</b> · {esc(group.heading())}",
                                    lambda group=group: sheet(group))
                     for index, group in enumerate(groups[:MAX_SHEETS]))
    more = groups[MAX_SHEETS:]
    left = f'<p class="foot">In the viewer, too: {esc(list_names([it.heading() for it in more]))}.</p>' \
        if more else ""
    return VIEWER.read_text(encoding="utf-8") + notes + sheets + left, {
        "groups": list(map(view_of, groups)), "floats": store.floats}
