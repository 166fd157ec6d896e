"""Pictures of chains that mipbench wrote beside results.json: each different level is embedded once,
failures first, then photos; pictures that do not fit are named. The viewer shows the levels."""

import base64
import functools
import gzip
import hashlib
import pathlib
import re

from . import hdr, png
from .words import esc

KINDS = re.compile(r"(?:atlas|level_(\d\d))(?:_layer_(\d\d))?\.png")
MAX_TEXELS = 1 << 24         # of a picture that is taken apart
MAX_FILE_BYTES = 1 << 26     # of one that is read at all
MAX_SHRINKING = 8            # and how much larger than all pictures together may become
MAX_FLOAT_EDGE = 256         # of levels whose floats are embedded
FIRST_EDGE = 256             # of the level on which the viewer opens, at most
EXACT_LABEL = "reference"    # the true average: what others are looked at against


def rows_of(name, data, size):
    """Those of a picture of `size` texels, four bytes a texel; None where it is another, or damaged."""
    if name.endswith(".hdr"):
        return hdr.decode(data, size)
    return png.decode(data) if png.size_of(data) == size and size[0] * size[1] <= MAX_TEXELS else None


def level_extent(width, height, level):
    return max(1, width >> level), max(1, height >> level)


@functools.cache
def level_place(width, height, level):
    """(x, y, width, height) of a level in the atlas: the base at left, the others stacked at its
    right."""
    below = sum(level_extent(width, height, above)[1] for above in range(1, level))
    return ((width if level else 0), below, *level_extent(width, height, level))


class Store:
    """Levels of pictures within a budget, each different one once: base64 of gzip of rows of RGBA, each
    texel less the one at its left. A level is known by its number."""

    def __init__(self, max_bytes):
        self.max_bytes = self.left = max_bytes
        self.levels, self.numbers, self.of_files = [], {}, {}
        self.missing, self.too_large = [], []

    def read(self, folder, name):
        """The bytes of a picture by its path from a results.json, or None: noted why."""
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
            return file.read_bytes()
        except (OSError, ValueError):
            self.missing.append(name)
            return None

    def load(self, folder, name, size, places):
        """The numbers of the levels at `places`, (x, y, width, height), of a picture of `size` texels; None
        for those that are too large. Empty where there is no such picture, or one that another run has
        left."""
        data = self.read(folder, name)
        if data is None:
            return []
        key = hashlib.sha256(data).digest(), tuple(places)
        if key not in self.of_files:
            rows = rows_of(name, data, size)
            self.missing += [] if rows else [name]
            self.of_files[key] = [self.embed(name, png.crop(rows, *place)) for place in places] if rows else []
        return self.of_files[key]

    def embed(self, name, rows):
        is_float, width = name.endswith(".hdr"), len(rows[0]) // 4
        if is_float and max(width, len(rows)) > MAX_FLOAT_EDGE:
            return None
        digest = hashlib.sha256(b"%d:%d:" % (is_float, width) + b"".join(rows)).digest()
        if digest not in self.numbers:
            packed = gzip.compress(png.less_left(rows), mtime=0)
            self.numbers[digest] = self.keep(name, base64.b64encode(packed).decode("ascii"))
        return self.numbers[digest]

    def keep(self, name, text):
        if not self.take(name, text):
            return None
        self.levels.append(text)
        return len(self.levels) - 1

    def take(self, name, text):
        """Whether there is room for a text, which it then has no more."""
        if len(text) > self.left:
            self.too_large.append(name)
            return False
        self.left -= len(text)
        return True

    def notes(self):
        notes = []
        if self.missing:
            notes += [f"{len(self.missing)} pictures that the results name are not there or "
                      f"not as the run wrote them, the first: {self.missing[0]}."]
        if self.too_large:
            names = list(dict.fromkeys(self.too_large))
            notes += [f"{len(names)} pictures are not embedded, to keep the page small: they are "
                      f"beside the results, the first {names[0]}; --max-pictures makes room."]
        return notes


class Chain:
    """What there is of one variant's chain, or of a reference: numbers by layer and level."""

    def __init__(self, label, is_reference, variant):
        self.label, self.is_reference, self.levels, self.floats = label, is_reference, {}, {}
        self.policy, self.is_wrong = variant.policy or "", variant.verify.status == "fail"
        self.errors = variant.verify.errors

    def layers(self):
        return sorted({layer for layer, _ in self.levels})


class Group:
    """Chains of one case: references first, as all others are held against them. `rows`: the fastest
    strategy that loses something, and the fastest of all."""

    def __init__(self, case, rows, owner):
        self.case, self.owner = case, owner
        self.labels = [row.label for row in rows]
        wrong = any(variant.verify.status == "fail" for variant in case.variants)
        # What is wrong, then photos, then what differs most from the exact chain.
        self.order = (not wrong, case.input.startswith("pattern:"), case.unit != "LSB",
                      -max((row.verify.box or 0 for row in rows if row.variant.loss), default=0))
        self.n_levels, self.chains = case.n_levels, {}

    def heading(self):
        return f"{self.case.image_name}, {self.case.words()}" + (f", {self.owner}" if self.owner else "")

    def shown(self):
        return sorted((chain for chain in self.chains.values() if chain.layers()),
                      key=lambda chain: (not chain.is_reference, chain.label != EXACT_LABEL))

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
        found = store.load(case.run.path.parent, name, whole, places)
        if all(it is None for it in found):
            return
        folder = path.parent.name
        reference = reference_label(folder[len("golden-"):]) if folder.startswith("golden-") else None
        chain = self.chains.setdefault(str(path.parent), Chain(reference or variant.label,
                                                               reference is not None, variant))
        layer, twin = int(match[2] or 0), name[:-len("png")] + "hdr"
        chain.levels.update({(layer, level): it for level, it in zip(numbers, found) if it is not None})
        if twin in variant.images:
            found = store.load(case.run.path.parent, twin, whole, places)
            chain.floats.update({(layer, level): it for level, it in zip(numbers, found)})


def reference_label(policy):
    return EXACT_LABEL if policy == "box" else f"reference for {policy}"


def names_of(variant):
    """The PNG files that are shown; levels only where there is no atlas that holds them."""
    names = [pathlib.PurePosixPath(name).name for name in variant.images]
    has_atlas = any(name.startswith("atlas") for name in names)
    return [whole for whole, name in zip(variant.images, names)
            if not (has_atlas and name.startswith("level_"))]


def collect(pools, store):
    """[Group] of all pictures that there is room for: what is wrong first, then photos, then patterns."""
    groups = []
    for pool in pools:
        seen = set()
        for timing in pool.timings:
            for member in timing.members:
                if id(member.case) not in seen:
                    seen.add(id(member.case))
                    owner = pool.name() if len(pools) > 1 else ""
                    groups += [Group(member.case, looked_at(timing), owner)]
    groups.sort(key=lambda group: group.order)
    for group in groups:
        for variant in group.case.variants:
            for name in names_of(variant):
                group.add(store, variant, name)
    return [group for group in groups if group.shown()]


def looked_at(timing):
    inexact = next((row for row in timing.timed() if row.variant.loss and not row.diagnostic), None)
    return [row for row in (inexact, timing.fastest()) if row is not None]


def files_of(runs):
    """Each picture that results name, whether there is room for it or not."""
    return list(dict.fromkeys(run.path.parent / name for run in runs for case in run.cases
                              for variant in case.variants for name in variant.images))


def worst_level(chain):
    known = [(error, -level) for level, error in enumerate(chain.errors) if error]
    return -max(known)[1] if known else 0


def first_level(case):
    """The largest that is seen as a whole, and is not the image itself."""
    return next((level for level in range(1, case.n_levels)
                 if max(level_extent(*case.size, level)) <= FIRST_EDGE), 0)


def view_of(group):
    """What page.js shows: chains by layer and level, and where it opens."""
    chains = group.shown()
    by_label = {chain.label: chain for chain in reversed(chains) if not chain.is_reference}
    wrong = next((chain for chain in chains if chain.is_wrong and not chain.is_reference), None)
    b = wrong or next((by_label[label] for label in group.labels if label in by_label), chains[-1])
    wanted = [reference_label(b.policy), EXACT_LABEL] if wrong else [EXACT_LABEL, reference_label(b.policy)]
    a = next((chain for label in wanted for chain in chains if chain.label == label), chains[0])
    return {"title": group.heading(), "width": group.case.width, "height": group.case.height,
            "levels": group.n_levels, "a": chains.index(a), "b": chains.index(b),
            "level": worst_level(b) if wrong else first_level(group.case),
            "preview": group.case.format != "rgba8",
            "chains": [{"label": chain.label + (" ✗" if chain.is_wrong and not chain.is_reference else ""),
                        "layers": {layer: [chain.levels.get((layer, level))
                                           for level in range(group.n_levels)]
                                   for layer in chain.layers()},
                        "floats": {layer: [chain.floats.get((layer, level))
                                           for level in range(group.n_levels)]
                                   for layer in chain.layers()} if chain.floats else {}}
                       for chain in chains]}


def sheets(pools, store):
    """The contact sheets that mipbench wrote (--images sheet), as they are."""
    out, seen = "", set()
    for run, case, name in ((run, case, name) for pool in pools for run in pool.runs for case in run.cases
                            for variant in case.variants for name in variant.images):
        path = run.path.parent / name
        if path.name.startswith("sheet") and path not in seen:
            seen.add(path)
            data = store.read(run.path.parent, name)
            text = base64.b64encode(data).decode("ascii") if data and png.size_of(data) else ""
            if text and store.take(name, text):
                words = f"All chains of {case.image_name}, {case.words()}"
                out += (f'<figure class="card"><figcaption>{esc(words)}</figcaption><img class="sheet" '
                        f'alt="{esc(words)}" src="data:image/png;base64,{text}"></figure>')
    return out


VIEWER = (pathlib.Path(__file__).resolve().parent / "viewer.html")


def section(pools, store):
    """(HTML of the viewer and the sheets, what the viewer shows)."""
    groups = collect(pools, store)
    shown = sheets(pools, store)
    notes = "".join(f'<p class="foot">{esc(note)}</p>' for note in store.notes())
    return (VIEWER.read_text(encoding="utf-8") if groups else "") + shown + notes, {
        "groups": list(map(view_of, groups)), "levels": store.levels}
