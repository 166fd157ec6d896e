"""Reads results.json for scripts/report.py: checked, with every figure a number or None, so that
what draws the page meets no surprise. Times in nanoseconds, errors in units of the last place."""

import json
import pathlib

import result_schema

MAJOR = 1
POLICIES_OF_BOXES = ("box", "floor", "blit")
MAX_FILE_BYTES = 1 << 28
LARGEST, LEAST = 1e18, 1e-9  # no figure of a run is larger; what is smaller is taken for 0


class InputError(Exception):
    """What is wrong with an input, with its name, and what to do about it."""


def is_number(value):
    """One that a run can have, so that all that is computed of it stays finite."""
    return (isinstance(value, (int, float)) and not isinstance(value, bool)
            and abs(value) <= LARGEST)


def tamed(value):
    return value if abs(value) >= LEAST else 0


class Node:
    """A JSON object with its place; members are taken out by type."""

    def __init__(self, value, place):
        if not isinstance(value, dict):
            raise InputError(f"{place}: not an object; is this a results.json of mipbench?")
        self.value, self.place = value, place

    def wrong(self, key, what):
        return InputError(f"{self.place}.{key}: {what}; is this a results.json of mipbench?")

    def text(self, key, default=None):
        """A string; without a default it must be there."""
        value = self.value.get(key, default)
        if value is None and default is None:
            raise self.wrong(key, "missing")
        if not isinstance(value, str):
            raise self.wrong(key, "not a text")
        return value

    def figure(self, key):
        """A number, or None where it is null, missing or beyond reason."""
        value = self.value.get(key)
        if isinstance(value, str) and value.isdecimal() and len(value) <= 20:
            return int(value)  # a count above 2^53
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise self.wrong(key, "not a number")
        return tamed(value) if is_number(value) else None

    def count(self, key, default=0):
        value = self.figure(key)
        return default if value is None else int(value)

    def flag(self, key, default=False):
        value = self.value.get(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, "neither true nor false")
        return value

    def interval(self, key):
        """(low, high), or None where one of them is not known."""
        value = self.value.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) != 2:
            raise self.wrong(key, "not an interval")
        known = all(map(is_number, value)) and value[0] <= value[1]
        return tuple(map(tamed, value)) if known else None

    def child(self, key):
        """An object; an empty one where it is null or missing."""
        value = self.value.get(key)
        return Node({} if value is None else value, f"{self.place}.{key}")

    def items(self, key):
        value = self.value.get(key)
        if value is not None and not isinstance(value, list):
            raise self.wrong(key, "not a list")
        return value or []

    def children(self, key):
        return [Node(item, f"{self.place}.{key}[{index}]")
                for index, item in enumerate(self.items(key))]

    def texts(self, key):
        items = self.items(key)
        if not all(isinstance(item, str) for item in items):
            raise self.wrong(key, "not a list of texts")
        return items


class Stats:
    """Of one row's samples."""

    def __init__(self, node):
        self.n = node.count("n")
        self.median, self.p05, self.p95 = map(node.figure, ("median_ns", "p05_ns", "p95_ns"))
        self.level = node.figure("median_ci_level") or 0.0
        self.ci = node.interval("median_ci_ns") if self.level >= 0.95 else None


class Verify:
    """What the comparison with the golden model found."""

    def __init__(self, node):
        self.status = node.text("status", "skipped")
        self.policy = node.value.get("policy") and node.text("policy")
        self.step, self.drift, self.box = map(
            node.figure, ("max_error_lsb", "drift_lsb", "box_lsb"))
        self.bad = read_bad_texel(node) if node.value.get("first_bad") else None
        self.levels = [{"level": level.count("level"), "width": level.count("width"),
                        "height": level.count("height"), "step": level.figure("max_error_lsb"),
                        "drift": level.figure("drift_lsb"), "bad": level.count("bad_texels")}
                       for level in node.children("levels")]

    def n_bad(self):
        return sum(level["bad"] for level in self.levels)


def read_bad_texel(node):
    bad = node.child("first_bad")
    found = {key: bad.count(key) for key in ("level", "layer", "x", "y", "channel")}
    return {**found, **{key: bad.figure(key) for key in ("want", "got", "error_lsb", "bound_lsb")}}


class Relation:
    """To the fastest of those that make the same image."""

    def __init__(self, node):
        self.ratio, self.p = node.figure("ratio"), node.figure("p_adjusted")
        self.ci = node.interval("ci")
        self.verdict = node.value.get("verdict")

    def is_drawable(self):
        return (self.ratio is not None and self.ratio > 0 and self.ci is not None
                and self.ci[0] > 0)


class Row:
    """One result."""

    def __init__(self, node):
        self.id, self.strategy = node.text("id"), node.text("strategy")
        self.input, self.format = node.text("input"), node.text("format")
        self.width, self.height = node.count("width"), node.count("height")
        self.layers, self.n_levels = node.count("layers", 1), node.count("levels", 1)
        if min(self.width, self.height, self.layers, self.n_levels) < 1:
            raise node.wrong("width", "no size of an image")
        self.reduce, self.alpha = node.text("reduce"), node.text("alpha", "straight")
        self.filter, self.shape = node.text("filter", "box"), node.text("shape", "2d")
        self.cache, self.mode = node.text("cache"), node.text("mode")
        self.status, self.reason = node.text("status"), node.text("reason", "")
        self.diagnostic = node.flag("diagnostic")
        self.rect = read_rect(node) if node.value.get("rect") else None
        self.params = {str(key): str(value) for key, value in node.child("params").value.items()}
        self.stats, self.null_twin = Stats(node.child("stats")), Stats(node.child("null_twin"))
        self.verify = Verify(node.child("verify"))
        self.bytes = node.child("bytes").figure("compulsory")
        self.of_limit = node.child("sol").figure("fraction")
        self.setup_ms = node.figure("setup_ms")
        self.warnings = [(warning.text("code", ""), warning.text("message", ""))
                         for warning in node.children("warnings")]
        self.steps = [{"first": step.count("first_level"), "n": step.count("levels", 1),
                       "time": step.figure("median_ns"), "gap": step.figure("gap_ns")}
                      for step in node.children("steps")]
        self.images = node.texts("images")
        self.dispatches = node.child("work").figure("dispatches")
        self.input_name = self.input
        self.cell_id = node.text("cell", "") or self.make_cell_id()
        self.label = self.make_label()

    def make_label(self):
        """As on the command line: parameters at their defaults are left out, as in the id."""
        parts = self.id.split("/")[1].split("_") if "/" in self.id else []
        return self.strategy + "".join(f":{key}={value}" for key, value in self.params.items()
                                       if f"{key}-{value}" in parts)

    def make_cell_id(self):
        """Before schema 1.2 there were no cells: rows of one condition are one."""
        return f"{self.id.split('/')[0]}/{self.cache}-{self.mode}"

    def is_timed(self):
        return self.stats.n > 0 and self.stats.median is not None and self.stats.median > 0

    def is_rankable(self):
        return (self.status == "ok" and self.verify.status != "fail" and self.is_timed()
                and not self.diagnostic)

    def gbps(self):
        return self.bytes / self.stats.median if self.is_timed() and self.bytes else None

    def unit(self):
        """What errors are counted in: of floats, units in the last place."""
        return "ulp" if self.format.endswith("f") else "LSB"

    def is_exact(self):
        bound = 0.0 if self.unit() == "ulp" else 0.5 + 1e-4
        return self.verify.step is not None and self.verify.step <= bound

    def condition(self):
        """In words, all that the rows of a cell share but cache and mode."""
        parts = [f"{self.width}×{self.height} {self.format}"]
        parts += [self.reduce] if self.reduce != "avg" else []
        parts += [f"alpha {self.alpha}"] if self.alpha != "straight" else []
        if self.shape == "cube":
            parts += ["cube" if self.layers <= 6 else f"{self.layers // 6} cubes"]
        elif self.layers > 1:
            parts += [f"{self.layers} layers"]
        if self.rect:
            parts += ["update of {width}×{height} at {x},{y}".format(**self.rect)]
        return ", ".join(parts)


def read_rect(node):
    rect = node.child("rect")
    return {key: rect.count(key) for key in ("x", "y", "width", "height")}


class Cell:
    """Rows that were sampled together."""

    def __init__(self, rows, node=None):
        first = rows[0]
        node = node or Node({}, "cells")
        control = node.child("aa_control")
        self.id, self.rows = first.cell_id, rows
        self.cache, self.mode, self.input_name = first.cache, first.mode, first.input_name
        self.title = f"{first.condition()}, {first.cache}, {first.mode}"
        self.floor, self.bound_by = node.figure("floor_ns"), node.value.get("bound_by")
        self.floor = self.floor if self.floor and self.floor > 0 else None
        self.stopped_by = node.value.get("stopped_by")
        self.steady = node.value.get("clock_steady")
        self.control = {"of": control.text("of", ""), "ratio": control.figure("ratio"),
                        "ci": control.interval("ci"), "margin": control.figure("margin")}
        blocks = node.child("blocks")
        self.n_blocks, self.n_flagged = len(blocks.items("start_ns")), len(blocks.items("flagged"))
        self.comparisons = []

    def rankable(self):
        return [row for row in self.rows if row.is_rankable()]


class ResultSet:
    """One results.json."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        root = Node(parse(path, text), str(path))
        self.version = check_schema(path, root)
        for key, kind in (("run", dict), ("device", dict), ("results", list)):
            if not isinstance(root.value.get(key), kind):
                raise root.wrong(key, "missing or of a wrong type")
        run, device = root.child("run"), root.child("device")
        self.read_run(run)
        self.device, self.type = device.text("name"), device.text("type", "other")
        driver = device.child("driver")
        self.driver = " ".join(filter(None, (driver.text("name", ""), driver.text("info", "")
                                             or driver.text("version", ""))))
        self.api, self.subgroup = device.text("api", ""), device.count("subgroup_size")
        self.host, self.timer = root.child("host"), root.child("timer")
        self.roofline = root.child("roofline")
        self.rows = [Row(node) for node in root.children("results")]
        self.name_inputs()
        self.cells = self.read_cells(root)

    def name_inputs(self):
        """Files by their names alone, where that tells them apart."""
        shortened = {row.input: pathlib.PurePath(row.input).name for row in self.rows
                     if not row.input.startswith("pattern:")}
        names = list(shortened.values())
        for row in self.rows:
            name = shortened.get(row.input, row.input)
            row.input_name = row.input if names.count(name) > 1 else name

    def read_run(self, run):
        self.id, self.utc = run.text("id"), run.text("utc", "")
        self.argv, self.folder = run.texts("argv"), run.value.get("folder")
        self.seed = run.figure("seed")
        self.complete = run.flag("complete", True)
        self.exit_reason = run.text("exit_reason", "done")
        self.verified, self.validated = run.flag("verify", True), run.flag("validate")
        tool = run.child("tool")
        self.tool = {key: tool.text(key, "") for key in
                     ("version", "git_sha", "build_type", "compiler")}

    def read_cells(self, root):
        nodes = {node.text("id"): node for node in root.children("cells")}
        groups = {}
        for row in self.rows:
            groups.setdefault(row.cell_id, []).append(row)
        cells = [Cell(rows, nodes.get(cell_id)) for cell_id, rows in groups.items()]
        cell_of = {row.id: cell for cell in cells for row in cell.rows}
        for node in root.children("comparisons"):
            cell = cell_of.get(node.text("a"))
            if cell is not None:
                cell.comparisons.append((node.text("a"), node.text("b"), Relation(node)))
        return cells

    def is_software(self):
        return self.type == "cpu"

    def name(self):
        return self.device + (" (software)" if self.is_software() else "")


def parse(path, text):
    def refuse(word):
        raise ValueError(f"{word} is not a number of JSON")
    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error}); measure again, or name another file"
                         ) from error


def check_schema(path, root):
    found = result_schema.version_of(root.value)
    if found is None:
        raise InputError(f"{path}: not a result of mipbench; give the results.json of a run")
    version, numbers = found
    if numbers is None:
        raise InputError(f"{path}: schema version '{version}' is not a version; measure again")
    if numbers[0] != MAJOR:
        raise InputError(f"{path}: schema version {version}, but this report.py reads {MAJOR}.x; "
                         "use the report.py of the mipbench that wrote the file")
    return version


def load(name):
    path = pathlib.Path(name)
    try:
        if path.is_dir():
            path = path / "results.json"
        if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path}: larger than {MAX_FILE_BYTES >> 20} MiB; "
                             "is this a results.json of mipbench?")
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; give the results.json of a run") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8; give the results.json of a run") from error
    return ResultSet(path, text)


def load_claims(sets):
    """(file, claims) of each claims.json beside a result; one that cannot be read is an error."""
    found = []
    for folder in dict.fromkeys(item.path.parent for item in sets):
        path = folder / "claims.json"
        if not path.is_file():
            continue
        root = Node(parse(path, path.read_text(encoding="utf-8", errors="replace")), str(path))
        if root.child("schema").value.get("name") != "mipbench-claims":
            raise InputError(f"{path}: not written by scripts/claims.py; make it anew, or move it "
                             "away")
        found.append((path, [read_claim(node) for node in root.children("claims")]))
    return found


def read_claim(node):
    texts = {key: str(node.value.get(key) or "") for key in
             ("claim", "source", "measured", "at", "device", "verdict", "seen", "run", "kind")}
    return {**texts, "value": node.figure("value"), "ci": node.interval("ci")}
