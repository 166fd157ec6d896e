"""Several runs as `mipbench compare --pool` takes them together: medians, intervals, ratios and
sentences of the runs of one device and build. Nothing is computed here."""

import collections
import os
import pathlib
import shutil
import subprocess

import results
from result_node import InputError, Node, clean, parse

HERE = pathlib.Path(__file__).resolve().parent
BESIDE = (HERE.parent / "build/mipbench", HERE.parent.parent / "bin/mipbench")  # as built, installed

# Runs of one device, driver and build, and what was measured in them; no timings of a single run,
# whose own are as good.
Pool = collections.namedtuple("Pool", "runs timings")


def add_option(parser):
    parser.add_argument("--mipbench", metavar="PROGRAM",
                        help="what computes statistics of several runs (default: $MIPBENCH, "
                             "else the mipbench beside this script, else that on PATH)")


def find_program(named):
    named = named or os.environ.get("MIPBENCH")
    found = [path for path in BESIDE if os.access(path, os.X_OK)]
    program = shutil.which(named or (found[0] if found else "mipbench"))
    if program is None:
        raise InputError(f"{named or 'mipbench'}: no such program; it computes what is said "
                         "of several runs: name it with --mipbench")
    return program


class Row:
    """A variant in all runs that have it."""

    def __init__(self, node):
        self.label, self.variant, self.answer = node.text("label"), node.text("variant"), \
            node.optional_text("answer")
        self.status, self.verified = node.text("status"), node.text("verify") == "pass"
        self.runs, self.stats = node.count("runs"), Stats(node)
        self.relative = results.Relation(node.child("relative"))


class Stats:
    """Of all runs of a row."""

    def __init__(self, node):
        self.n, self.ci = node.count("samples"), node.interval("median_ci_ns")
        self.median, self.p05, self.p95 = map(node.figure, ("median_ns", "p05_ns", "p95_ns"))


class Timing:
    """A case under one condition; `members`: it in each run that has it."""

    def __init__(self, node, runs):
        places = node.figures("timings")
        self.members = [run.timings[int(place)] for run, place in zip(runs, places)
                        if place is not None]
        self.rows = [Row(row) for row in node.children("rows")]
        self.sentence = node.text("sentence", "")
        labels = {row.variant: row.label for row in self.rows}
        fastest = labels.get(node.optional_text("fastest"))
        self.rankings = [results.Ranking(node.optional_text("question"), fastest,
                                         [labels[name] for name in node.texts("tied")], [],
                                         self.sentence)] if fastest else []
        self.title, self.case = self.members[0].title, self.members[0].case
        by_label = {row.label: row for row in self.rows}
        for timing in self.members:
            timing.pooled = self
            for row in timing.rows:
                row.pooled = by_label.get(row.label)

    def sentences(self):
        return [self.sentence] if self.sentence else []

    def verdict(self):
        return self.rankings[0] if self.rankings else None


def compare(named, *arguments):
    """What mipbench says of files, as a Node; `named`: the program, or None."""
    program = find_program(named)
    try:
        done = subprocess.run([program, "compare", "--json", "-", *arguments], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL)
    except OSError as error:
        raise InputError(f"{program}: {error.strerror}; name mipbench with --mipbench") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(said[-1] if said else f"{program}: exit code {done.returncode}")
    text = done.stdout.decode("utf-8", "replace")
    return Node(parse(program, text), program)


def load(runs, named):
    """The pools of the runs, each of which has what it is part of as `pooled` of its timings and
    rows then; `named`: the program, or None."""
    if len(runs) < 2:
        return [Pool(runs, [])]
    by_path = {clean(os.fsencode(run.path).decode("utf-8", "replace")): run for run in runs}
    root = compare(named, "--pool", "--", *(str(run.path) for run in runs))
    pools = []
    for node in root.children("pools"):
        members = [by_path[run.text("path")] for run in node.children("runs")]
        timings = [Timing(timing, members) for timing in node.children("timings")] \
            if len(members) > 1 else []
        pools.append(Pool(members, timings))
    return pools
