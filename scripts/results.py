"""Reads results of mipbench for the scripts that show them: files, rows, labels, colours, markers.

What a file must hold is checked once, here, so that those who draw need not. Times are in ns,
bandwidths in GB/s (10^9 bytes), sizes in texels. Standard library only."""

import collections
import itertools
import json
import pathlib
import re

import result_schema

MAJOR, MIN_MINOR = 1, 2  # cells, the roofline and per-level steps came with 1.2
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

# Wide kernels make another image, so their rows are ranked only among their own kind.
WIDE_POLICIES = {"kaiser", "lanczos", "gaussian", "gaussian16"}


class InputError(Exception):
    """What is wrong with an input, with its name, and what to do: one line."""


# What must be equal for times to be comparable, but for the size.
Condition = collections.namedtuple(
    "Condition", "format reduce filter alpha shape layers levels rect cache mode")


def is_text(value):
    return isinstance(value, str)


def is_flag(value):
    return isinstance(value, bool)


def is_number(value):
    return type(value) in (int, float) and abs(value) < 1e300


def is_figure(value):
    """A number, or null where it is not known."""
    return value is None or is_number(value)


def is_size(value):
    return type(value) is int and 1 <= value < 2 ** 32


def is_count(value):
    """Above 2^53 the schema has a decimal string."""
    if isinstance(value, str):
        return value.isascii() and value.isdecimal() and len(value) <= 20
    return type(value) is int and 0 <= value < 2 ** 64


class Maybe:
    """What may be null or missing."""

    def __init__(self, spec):
        self.spec = spec


STATS = {"n": is_count, **{f"{name}_ns": is_figure for name in ("median", "p05", "p95")}}
BANDWIDTH = {"traffic": is_text, "on": is_text, "footprint_bytes": is_count, "gbps": is_number}
RESULT = {
    "id": is_text, "cell": is_text, "strategy": is_text, "params": {}, "input": is_text,
    "width": is_size, "height": is_size, "layers": is_size, "levels": is_size, "format": is_text,
    "reduce": is_text, "filter": is_text, "alpha": is_text, "shape": is_text, "cache": is_text,
    "rect": Maybe({key: is_count for key in ("x", "y", "width", "height")}),
    "mode": is_text, "status": is_text, "reason": is_text, "samples_ns": [is_figure],
    "stats": STATS, "bytes": {"compulsory": is_count}, "null_twin": Maybe(STATS),
    "steps": [{"first_level": is_size, "levels": is_size, "median_ns": is_figure,
               "gap_ns": is_figure}],
    "steps_cache": Maybe(is_text), "work": Maybe({"dispatches": is_count}),
    "diagnostic": is_flag,
    "relative": {"ratio": is_figure, "ci": Maybe([is_figure]), "verdict": Maybe(is_text),
                 "to": Maybe(is_text)},
    "verify": {"status": is_text, "policy": Maybe(is_text), "max_error_lsb": is_figure,
               "box_lsb": is_figure, "first_bad": Maybe({"error_lsb": is_figure})},
}
CELL = {
    "id": is_text, "floor_ns": is_figure, "bound_by": Maybe(is_text), "warm_probe_ns": is_figure,
    "aa_control": Maybe({"of": is_text, "ratio": is_figure, "ci": [is_figure],
                         "margin": is_number}),
    "blocks": {"probe_before_ns": [is_figure], "flagged": [is_count], "repeated": [is_count]},
    "bandwidth": [BANDWIDTH],
}
FILE = {
    "run": {"id": is_text, "argv": [is_text], "validate": is_flag, "complete": is_flag,
            "tool": {"version": is_text, "git_sha": is_text}},
    "device": {"name": is_text, "type": is_text, "api": is_text,
               "driver": {"name": is_text, "info": is_text, "version": is_text}},
    "roofline": Maybe({"ceiling_gbps": is_figure, "large": [BANDWIDTH]}),
    "results": [RESULT], "cells": [CELL],
}


def check(node, spec, where):
    """Raise ValueError with the place of the first member that is not as `spec` says.

    Members that may be missing are null from here on."""
    if isinstance(spec, Maybe):
        if node is not None:
            check(node, spec.spec, where)
    elif isinstance(spec, list):
        if not isinstance(node, list):
            raise ValueError(f"{where}: missing or of a wrong type")
        for index, item in enumerate(node):
            check(item, spec[0], f"{where}[{index}]")
    elif isinstance(spec, dict):
        if not isinstance(node, dict):
            raise ValueError(f"{where}: missing or of a wrong type")
        for key, inner in spec.items():
            check(node.setdefault(key), inner, f"{where}.{key}".lstrip("."))
    elif not spec(node):
        raise ValueError(f"{where}: missing or of a wrong type")


def check_schema(root, path):
    """Refuse what is no result of mipbench, is too old, or is of a later major version."""
    found = result_schema.version_of(root)
    if found is None:
        raise InputError(f"{path}: not a result of mipbench; give a results.json that it wrote")
    version, numbers = found
    if numbers is None:
        raise InputError(f"{path}: schema version {version!r} is not a version")
    major, minor = numbers
    if (major, minor) < (MAJOR, MIN_MINOR):
        raise InputError(f"{path}: schema version {version} is too old, {MAJOR}.{MIN_MINOR} is "
                         "needed; measure again with this mipbench")
    if major > MAJOR:
        raise InputError(f"{path}: schema version {version} is of a later mipbench, this reads "
                         f"{MAJOR}.x; use the scripts that came with it")


def clean(value):
    """Text without what a terminal or XML cannot take."""
    return UNPRINTABLE.sub("?", value) if isinstance(value, str) else value


def clean_object(pairs):
    return {key: clean(value) for key, value in pairs}


def not_json(text):
    raise ValueError(f"{text} is no number")


def read_json(path):
    """The root of a JSON file."""
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"),
                          parse_constant=not_json, object_pairs_hook=clean_object)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name a results.json") from error
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: not JSON ({reason}); give a results.json") from error


class Row:
    """One result of a run; what the file holds of it is `data`."""

    def __init__(self, run, data):
        self.run, self.data = run, data
        self.strategy, self.label = data["strategy"], label_of(data)
        self.width, self.height, self.layers = data["width"], data["height"], data["layers"]
        self.samples_ns, self.stats, self.steps = data["samples_ns"], data["stats"], data["steps"]
        self.status, self.reason = data["status"], data["reason"]
        self.diagnostic, self.format = data["diagnostic"], data["format"]
        self.cell = run.cells.get(data["cell"])
        self.condition = condition_of(data)

    @property
    def size(self):
        return (self.width, self.height)

    @property
    def texels(self):
        """Of level 0, all layers."""
        return self.width * self.height * self.layers

    @property
    def n_dispatches(self):
        """0 where the strategy never said."""
        return int((self.data["work"] or {"dispatches": 0})["dispatches"])

    @property
    def compulsory_bytes(self):
        return int(self.data["bytes"]["compulsory"])

    @property
    def timed(self):
        """A median that may be compared: under the validation layer none may."""
        median_ns = self.stats["median_ns"]
        return not self.run.validated and median_ns is not None and median_ns > 0

    @property
    def verified(self):
        return self.status == "ok" and self.data["verify"]["status"] == "pass"

    @property
    def kind(self):
        """Rows are ranked among those of the same kind."""
        policy = self.data["verify"]["policy"]
        return policy if policy in WIDE_POLICIES else "average"

    @property
    def ranked(self):
        return self.timed and self.verified and not self.diagnostic

    @property
    def error_lsb(self):
        """The largest step error, or that of the first bad texel; None: not known."""
        verify = self.data["verify"]
        if verify["max_error_lsb"] is None and verify["first_bad"]:
            return verify["first_bad"]["error_lsb"]
        return verify["max_error_lsb"]

    @property
    def box_lsb(self):
        """The largest distance from the true area average; None: not known."""
        return self.data["verify"]["box_lsb"]


class Run:
    """One file."""

    def __init__(self, path, root):
        check_schema(root, path)
        try:
            check(root, FILE, "")
            if not all(is_text(value) for result in root["results"]
                       for value in result["params"].values()):
                raise ValueError("results: a parameter that is no text")
        except ValueError as error:
            raise InputError(f"{path}: not a whole result of mipbench ({error}); measure "
                             "again") from error
        run, device, driver = root["run"], root["device"], root["device"]["driver"]
        self.path, self.root, self.id = str(path), root, run["id"]
        self.version, self.commit = run["tool"]["version"], run["tool"]["git_sha"]
        self.validated, self.complete = run["validate"], run["complete"]
        self.device, self.software = device["name"], device["type"] == "cpu"
        self.driver = driver["info"] or driver["version"]
        self.api = ".".join(device["api"].split(".")[:2])
        self.roofline = root["roofline"]
        self.cells = {cell["id"]: cell for cell in root["cells"]}
        self.rows = [Row(self, result) for result in root["results"]]


def label_of(result):
    """As on the command line; parameters at their defaults are left out, as in the id."""
    parts = result["id"].split("/")[1].split("_") if "/" in result["id"] else []
    return result["strategy"] + "".join(f":{key}={value}" for key, value
                                        in result["params"].items() if f"{key}-{value}" in parts)


def condition_of(result):
    full = max(result["width"], result["height"]).bit_length()
    rect = result["rect"]
    return Condition(
        **{key: result[key] for key in ("format", "reduce", "filter", "alpha", "shape", "layers",
                                        "cache", "mode")},
        levels="all" if result["levels"] == full else result["levels"],
        rect=tuple(rect[key] for key in ("x", "y", "width", "height")) if rect else None)


def load(paths):
    """The runs of `paths`, in their order; the same run twice is refused."""
    runs, seen = [], {}
    for path in paths:
        run = Run(path, read_json(path))
        if run.id in seen:
            raise InputError(f"{path}: the same run as {seen[run.id]}; name each run once")
        seen[run.id] = path
        runs.append(run)
    return runs


# Okabe and Ito's colours without the yellow, which is too faint on white; then Tol's muted ones
# for strategies from outside. No colour is ever the only sign: markers differ, too. Markers are by
# matplotlib's names.
COLOURS = {"blit": "#000000", "raster": "#56B4E9", "compute": "#E69F00", "subgroup": "#009E73",
           "spd": "#0072B2", "spd-metal": "#D55E00", "spd-tree": "#332288",
           "separable": "#CC79A7"}
MORE_COLOURS = ("#882255", "#999933", "#777777", "#AA4499", "#117733")
MARKERS = {"blit": "o", "raster": "s", "compute": "^", "subgroup": "D", "spd": "v",
           "spd-metal": "P", "spd-tree": "*", "separable": "X"}
MORE_MARKERS = ("<", ">", "p", "h", "d", "8")


def styles(rows):
    """{label: (colour, marker)}, colours by strategy and markers by label, in a fixed order.

    The default variant of a built-in strategy always looks the same. Others take the markers that
    are left; once these are used up, those of other strategies: no two variants of one strategy
    look alike up to the 14th."""
    labels = {strategy: set() for strategy in COLOURS}
    for row in rows:
        labels.setdefault(row.strategy, set()).add(row.label)
    unknown = sorted(set(labels) - set(COLOURS))
    more = dict(zip(unknown, itertools.cycle(MORE_COLOURS)))
    out, taken = {}, 0
    for strategy in [*COLOURS, *unknown]:
        colour = COLOURS.get(strategy) or more[strategy]
        own = MARKERS.get(strategy)
        free = [*MORE_MARKERS, *(marker for marker in MARKERS.values() if marker != own)]
        for label in sorted(labels[strategy] | {strategy}):
            if label == strategy and own:
                out[label] = (colour, own)
                continue
            out[label] = (colour, free[taken % len(free)])
            taken += 1
    return out
