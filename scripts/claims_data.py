"""What scripts/claims.py judges: rows of one device's results, which may be used, which not, and
why."""

import collections
import copy
import json
import os
import pathlib
import tempfile

import pooled
import results
from report_claims import SCHEMA
from result_node import InputError, is_of, parse, read_text

# What mipbench estimates, and its 95 % interval; ci is None where there is too little data for one.
Figure = collections.namedtuple("Figure", "value ci")

# Rows are compared only if all of this is equal, but for what the comparison is about.
Condition = collections.namedtuple(
    "Condition", "input sha256 width height layers shape levels format reduce alpha cache mode "
                 "rects image_usage")


class Row:
    """One result of one file, as far as claims are about it."""

    def __init__(self, source, row):
        self.source, self.row, self.timing = source, row, row.timing
        self.strategy, self.label, self.diagnostic = row.strategy, row.label, row.diagnostic
        self.params, self.steps = row.variant.params, row.variant.steps
        self.samples, self.twin_samples = row.samples, row.twin_samples
        case = row.case
        self.condition = Condition(
            case.input, case.input_sha256, case.width, case.height, case.layers, case.shape,
            case.n_levels, case.format, case.reduce, case.alpha, row.timing.cache,
            row.timing.mode, row.condition.rects, case.image_usage)
        self.unused = self.find_reason()

    def find_reason(self):
        """Why the row is not used, or ''. Diagnostic rows are not verified by their nature."""
        if self.row.status != "ok":
            return f"{self.row.status}: {self.row.reason}"
        if self.source.run.validated:
            return "timed under the validation layer"
        if self.row.verify.status != "pass" and not self.diagnostic:
            return "not verified"
        if not are_times(self.samples):
            return "no time in some sample"
        return ""

    def has_twin(self):
        """Whether each sample has one of the same commands without work."""
        return len(self.twin_samples) == len(self.samples) and are_times(self.twin_samples)

    def margin(self):
        return self.timing.control.margin if self.timing.control else 0

    def n_images(self):
        """How many images the chains of its timing went round."""
        return self.timing.n_images

    def in_batches_of(self, n_chains):
        """A row of throughput mode with time per chain in a batch of so many, by the line through
        each block's batches: a sample is what each of these says; None if it has no such line."""
        batch = self.row.batch
        if not batch.is_whole(len(self.samples)):
            return None
        row = copy.copy(self)
        row.samples = [[slope + (time - slope * n) / n_chains
                        for n, time in zip(batch.lengths, times)]
                       for slope, times in zip(self.samples, batch.times)]
        return row if all(sum(time > 0 for time in sample) > len(sample) / 2
                          for sample in row.samples) else None


def are_times(values):
    return bool(values) and all(value and value > 0 for value in values)


def estimate(wanted, options):
    """A Figure of each that is wanted, as src/cli/ratios.h has it."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as file:
        json.dump({"wanted": wanted}, file)
        file.flush()
        root = pooled.compare(options.mipbench, "--ratios", "--seed", str(options.seed), file.name)
    return [Figure(node.figure("figure"), node.interval("ci"))
            for node in root.children("estimates")]


class Source:
    """One file of results."""

    def __init__(self, path, text, value):
        self.path, self.run = path, results.Run(path, text, value)
        self.device, self.driver, self.type = self.run.device, self.run.driver, self.run.type
        self.commit = self.run.commit
        self.rows = [Row(self, row) for row in self.run.rows]


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


class ResultSet:
    """Files of one device."""

    def __init__(self, names):
        self.sources, runs = [], {}
        for path, in_folder in find_files(names):
            text = read_text(path)
            value = parse(path, text)
            if in_folder and is_of(value, SCHEMA):
                continue  # what claims.py wrote there before
            source = Source(path, text, value)
            run = source.run.identity()
            if run in runs:
                raise InputError(f"{path}: the same run as {runs[run]}; name each run once")
            runs[run] = path
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
