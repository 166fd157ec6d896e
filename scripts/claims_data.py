"""Reads results of mipbench for scripts/claims.py: which rows may be used, which not, and why."""

import collections
import copy
import json
import math
import os
import pathlib

import claims_stats
import result_schema

OUR_SCHEMA = "mipbench-claims"  # of the JSON that claims.py writes
MAJOR, MIN_MINOR = 1, 2         # cells, null twins and steps came with 1.2


class InputError(Exception):
    """What is wrong with an input, with its name."""


# Rows are compared only if all of this is equal, but for what the comparison is about.
Condition = collections.namedtuple(
    "Condition", "input sha256 width height layers shape levels format reduce filter alpha cache "
                 "mode rect image_usage")


class Row:
    """One result of one file."""

    def __init__(self, source, result, where):
        self.source, self.where = source, where
        self.id = self.get(result, "id", str)
        self.strategy = self.get(result, "strategy", str)
        self.params = self.get(result, "params", dict)
        self.cell = self.get(result, "cell", str)
        self.samples = self.get(result, "samples_ns", list)
        self.stats = self.get(result, "stats", dict)
        self.null_twin = self.get(result, "null_twin", dict)
        self.steps = self.get(result, "steps", list)
        self.steps_cache = result.get("steps_cache")
        self.batch = result.get("batch") if isinstance(result.get("batch"), dict) else {}
        self.diagnostic = self.get(result, "diagnostic", bool)
        self.check_figures()
        self.condition = self.read_condition(result)
        self.unused = self.find_reason(result)

    def get(self, node, key, kind):
        """A member that must be there."""
        value = node.get(key) if isinstance(node, dict) else None
        if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
            raise InputError(f"{self.source.path}: {self.where}.{key}: missing or of a wrong type")
        return value

    def check_figures(self):
        """What is computed with is a number or null: it is not known."""
        for name, stats in (("stats", self.stats), ("null_twin", self.null_twin)):
            interval = stats.get("median_ci_ns") or [None, None]
            if (not isinstance(interval, list) or len(interval) != 2
                    or not all(map(is_figure, [stats.get("median_ns"), *interval]))):
                raise InputError(f"{self.source.path}: {self.where}.{name}: a wrong type")
        for step in self.steps:
            if not is_figure(self.get({"step": step}, "step", dict).get("median_ns")):
                raise InputError(f"{self.source.path}: {self.where}.steps: a wrong type")
            self.get(step, "first_level", int)

    def read_condition(self, result):
        rect = result.get("rect")
        if rect is not None:
            rect = tuple(self.get(rect, key, int) for key in ("x", "y", "width", "height"))
        text = {key: self.get(result, key, str) for key in
                ("input", "shape", "format", "reduce", "filter", "alpha", "cache", "mode")}
        count = {key: self.get(result, key, int) for key in
                 ("width", "height", "layers", "levels")}
        return Condition(**text, **count, sha256=self.get(result, "input_sha256", str), rect=rect,
                         image_usage=self.source.image_usage)

    def find_reason(self, result):
        """Why the row is not used, or ''. Diagnostic rows are not verified by their nature."""
        if self.get(result, "status", str) != "ok":
            return f"{result['status']}: {self.get(result, 'reason', str)}"
        if self.source.validated:
            return "timed under the validation layer"
        verified = self.get(self.get(result, "verify", dict), "status", str)
        if verified != "pass" and not self.diagnostic:
            return "not verified"
        if not self.samples or not all(is_time(value) for value in self.samples):
            return "no time in some sample"
        return ""

    def label(self, *always):
        """As on the command line: parameters at their defaults are left out, as in the id."""
        parts = self.id.split("/")[1].split("_") if "/" in self.id else []
        return self.strategy + "".join(
            f":{key}={value}" for key, value in self.params.items()
            if key in always or f"{key}-{value}" in parts)

    def logs(self):
        return [math.log(value) for value in self.samples]

    def margin(self):
        return self.source.margins.get(self.cell, 0.0)

    def n_images(self):
        """How many images the chains of its cell went round."""
        return self.source.n_images.get(self.cell, 1)

    def in_batches_of(self, n_chains):
        """A row of throughput mode with time per chain in a batch of so many, by the line through
        each block's three batches; None if it has no such line."""
        lengths, blocks = self.batch.get("chains"), self.batch.get("parts_ns")
        if not is_batch(lengths, blocks, len(self.samples)):
            return None
        row = copy.copy(self)
        row.samples = []
        for slope, times in zip(self.samples, blocks):
            fixed = claims_stats.median([t - slope * n for n, t in zip(lengths, times)])
            row.samples.append(slope + fixed / n_chains)
        return row if all(map(is_time, row.samples)) else None


def is_time(value):
    return isinstance(value, (int, float)) and 0 < value < math.inf


def is_batch(lengths, blocks, n_blocks):
    return (isinstance(lengths, list) and isinstance(blocks, list) and len(blocks) == n_blocks
            and all(isinstance(times, list) and len(times) == len(lengths)
                    and all(map(is_time, times)) for times in blocks)
            and len(lengths) > 0 and all(map(is_time, lengths)))


def is_figure(value):
    return value is None or isinstance(value, (int, float)) and not isinstance(value, bool)


class Source:
    """One file of results."""

    def __init__(self, path, root):
        self.path = path
        check_schema(path, root)
        try:
            run, device = root["run"], root["device"]
            self.run_id, self.commit = str(run["id"]), str(run["tool"]["git_sha"])
            self.validated = bool(run["validate"])
            self.image_usage = find_option(run["argv"], "--image-usage", "all")
            self.device, self.type = str(device["name"]), str(device["type"])
            self.driver = f"{device['driver']['name']} {device['driver']['info']}".strip()
            self.margins = {cell["id"]: read_margin(cell) for cell in root["cells"]}
            self.n_images = {cell["id"]: int(cell.get("images", 1)) for cell in root["cells"]}
            results = list(root["results"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise InputError(f"{path}: not a complete result of mipbench ({error})") from error
        self.rows = [Row(self, result, f"results[{index}]")
                     for index, result in enumerate(results)]


def check_schema(path, root):
    found = result_schema.version_of(root)
    if found is None:
        raise InputError(f"{path}: not a result of mipbench")
    version, numbers = found
    if numbers is None:
        raise InputError(f"{path}: schema version '{version}' is not a version")
    if numbers[0] != MAJOR or numbers[1] < MIN_MINOR:
        raise InputError(f"{path}: schema version {version}; {MAJOR}.{MIN_MINOR} or later, below "
                         f"{MAJOR + 1}.0, is needed: measure again")


def find_option(argv, name, default):
    """The value of an option in a command line, the last one if there are several."""
    value = default
    for index, word in enumerate(argv):
        if word == name and index + 1 < len(argv):
            value = argv[index + 1]
        elif word.startswith(name + "="):
            value = word[len(name) + 1:]
    return value


def read_margin(cell):
    control = cell["aa_control"]
    return float(control["margin"]) if control else 0.0


def read_json(path):
    try:
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error})") from error


def find_files(names):
    """Files as given; of a folder, every .json in it, in the order of their names."""
    for name in names:
        path = pathlib.Path(name)
        if not path.is_dir():
            yield str(path), False
            continue
        inside = sorted(path.glob("*.json"))
        if not inside:
            raise InputError(f"{name}: no .json file in this folder")
        yield from ((str(file), True) for file in inside)


def is_ours(root):
    schema = root.get("schema") if isinstance(root, dict) else None
    return isinstance(schema, dict) and schema.get("name") == OUR_SCHEMA


class ResultSet:
    """Files of one device."""

    def __init__(self, names):
        self.sources, runs = [], {}
        for path, in_folder in find_files(names):
            root = read_json(path)
            if in_folder and is_ours(root):
                continue  # what this script wrote there before
            source = Source(path, root)
            if source.run_id in runs:
                raise InputError(f"{path}: the same run as {runs[source.run_id]}")
            runs[source.run_id] = path
            self.sources.append(source)
        if not self.sources:
            raise InputError(f"{', '.join(names)}: no results of mipbench")
        self.check_device()
        rows = [row for source in self.sources for row in source.rows]
        self.rows = [row for row in rows if not row.unused]
        self.unused = [row for row in rows if row.unused]

    def check_device(self):
        first = self.sources[0]
        for source in self.sources[1:]:
            if (source.device, source.driver) != (first.device, first.driver):
                raise InputError(
                    f"{source.path}: measured on {source.device} ({source.driver}), but "
                    f"{first.path} on {first.device} ({first.driver}): one set is of one device")

    def is_software(self):
        return self.sources[0].type == "cpu"

    def commits(self):
        return sorted({source.commit for source in self.sources})


def display_name(path):
    return os.path.basename(path)
