"""Runs as `mipbench compare --pool` takes them together: titles, sentences, medians, intervals and
ratios of the runs of one device and build. Nothing is computed here."""

import collections
import os
import pathlib
import re
import shutil
import subprocess

import results
from result_node import InputError, Node, clean, parse

HERE = pathlib.Path(__file__).resolve().parent
CASE = re.compile(r".*_(\d+x\d+)_([a-z0-9-]+)_(?:avg|(min|max))(?: (.*))?")
BESIDE = (HERE.parent / "build/mipbench", HERE.parent.parent / "bin/mipbench")  # as built, installed


def add_option(parser):
    parser.add_argument("--mipbench", metavar="PROGRAM",
                        help="what judges the runs (default: $MIPBENCH, else the mipbench beside "
                             "this script, else that on PATH)")


def find_program(named):
    named = named or os.environ.get("MIPBENCH")
    found = [path for path in BESIDE if os.access(path, os.X_OK)]
    program = shutil.which(named or (found[0] if found else "mipbench"))
    if program is None:
        raise InputError(f"{named or 'mipbench'}: no such program; it judges the runs: name it "
                         "with --mipbench")
    return program


# Who answers a question, by labels; `fastest` is also the first of `order`.
Ranking = collections.namedtuple("Ranking", "question fastest tied order sentence")


class Relation:
    """To the fastest of the first ranking; all None where there is nothing to relate to."""

    def __init__(self, node):
        self.ratio, self.ci = node.figure("ratio"), node.interval("ci")


class Row:
    """A variant in all runs that have it: `members`. `node`: what the pool says of it, or None; what is
    wrong has the time of a single run, and no rank."""

    def __init__(self, members, node):
        first = members[0]
        self.members, self.case, self.variant = members, first.case, first.variant
        self.label, self.strategy = first.variant.label, first.variant.strategy
        self.diagnostic = first.variant.diagnostic
        nothing = Node({}, "")
        self.stats = results.Stats(node or nothing) if node or len(members) > 1 else first.stats
        self.relative = Relation((node or nothing).child("relative"))
        self.of_limit = first.of_limit if len(members) == 1 else None
        self.warnings = list(dict.fromkeys(it for row in members for it in row.warnings))
        worst = max(members, key=lambda row: (row.variant.verify.status == "fail", row.status == "failed"))
        self.status, self.reason, self.verify = worst.status, worst.reason, worst.variant.verify

    def is_timed(self):
        return self.stats.median is not None and self.stats.median > 0 and self.stats.n > 0

    def is_right(self):
        return self.status == "ok" and self.verify.status == "pass"

    def loses_nothing(self):
        return self.is_right() and self.variant.answer in results.EXACT


class Timing:
    """A case under one condition; `members`: it in each run that has it."""

    def __init__(self, members, node):
        self.members, first = members, members[0]
        self.case, self.title, self.key = first.case, first.title, first.condition
        self.cache, self.mode = first.cache, first.mode
        self.has_control, self.floor = first.has_control, first.floor
        self.condition = node.text("condition", f"{first.cache} {first.mode}")
        by_label = {}
        for timing in members:
            for row in timing.rows:
                by_label.setdefault(row.variant.label, []).append(row)
        found = {row.text("label"): row for row in node.children("rows")}
        self.rows = [Row(rows, found.get(label)) for label, rows in by_label.items()]
        self.lead, self.next_ratio = node.text("lead", "none"), node.figure("next_ratio")
        labels = {row.variant.id: row.label for row in self.rows}
        self.rankings = [read_ranking(ranking, labels) for ranking in node.children("rankings")]
        self.sentences = list(dict.fromkeys(it.sentence for it in self.rankings if it.sentence))

    def row_of(self, label):
        return next((row for row in self.rows if row.label == label), None)

    def ranking(self, question):
        return next((it for it in self.rankings if it.question == question), None)

    def fastest(self):
        """The row that others are compared with, or None."""
        return self.row_of(self.rankings[0].fastest) if self.rankings else None

    def timed(self):
        """Rows with a time, the fastest first."""
        return sorted((row for row in self.rows if row.is_timed()),
                      key=lambda row: row.stats.median)


def read_ranking(node, labels):
    tied, order = ([labels.get(name, name) for name in node.texts(key)] for key in ("tied", "order"))
    fastest = node.text("fastest")
    return Ranking(node.text("question"), labels.get(fastest, fastest), tied, order,
                   node.optional_text("sentence"))


class Pool:
    """Runs of one device, driver and build; `conditions`: the sentences on each."""

    def __init__(self, node, by_path):
        self.runs = [by_path[run.text("path")] for run in node.children("runs")]
        self.title, self.commit = node.text("title"), node.text("git_sha", "")
        self.conditions = {it.text("condition"): it.texts("sentences")
                           for it in node.children("conditions")}
        self.timings, judged = [], set()
        for timing in node.children("timings"):
            members = [run.timings[int(place)] for run, place in
                       zip(self.runs, timing.figures("timings")) if place is not None]
            judged |= set(map(id, members))
            self.timings.append(Timing(members, timing))
        self.timings += [Timing([timing], Node({}, node.path)) for run in self.runs for timing in run.timings
                         if id(timing) not in judged and timing.rows]

    def name(self):
        return self.runs[0].name()


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
        said = done.stderr.decode("utf-8", "replace").splitlines()
        raise InputError(next((line.removeprefix("mipbench: error: ") for line in said
                               if "error: " in line), f"{program}: exit code {done.returncode}"))
    text = done.stdout.decode("utf-8", "replace")
    return Node(parse(program, text), program)


def load(runs, named):
    """(title, [Pool]) of the runs."""
    by_path = {clean(os.fsencode(run.path).decode("utf-8", "replace")): run for run in runs}
    root = compare(named, "--pool", "--", *(str(run.path) for run in runs))
    return root.text("title"), [Pool(node, by_path) for node in root.children("pools")]


class Gap:
    """A test of `compare` without a ratio, and why it has none."""

    def __init__(self, node):
        self.label, self.case, self.reason = node.text("strategy"), node.text("case"), node.text("reason", "")
        self.is_worse = node.flag("regression")

    def where(self):
        """'1024x1024 rgba8 cold' of noise_1024x1024_rgba8_avg cold."""
        match = CASE.fullmatch(self.case)
        return " ".join(filter(None, match.groups())) if match else self.case


class Change(Gap):
    """One with a ratio: the second side's time over the first's."""

    def __init__(self, node):
        super().__init__(node)
        self.verdict = node.text("verdict")
        self.ratio, self.ci = node.figure("ratio"), node.interval("ci")
        self.base, self.new = node.figure("base_ns"), node.figure("new_ns")
        self.margin, self.is_single_run = node.amount("margin") or 0.0, node.flag("single_run")


class Comparison:
    """What `compare` says of two pools: its first lines, its warnings, and each test."""

    def __init__(self, named, base, new):
        sides = [",".join(str(run.path) for run in pool.runs) for pool in (base, new)]
        root = compare(named, "--", *sides)
        self.warnings = root.texts("warnings")
        self.changes = list(map(Change, root.children("comparisons")))
        self.gaps = [Gap(node) for node in root.children("not_compared")]
        self.headline = root.texts("headline")
