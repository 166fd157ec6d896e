#!/usr/bin/env python3
"""Judges what is published of single-pass downsampling by a set that scripts/claims.sh measured.

Every claim is a line: whether it holds on this device, its source, and what was measured."""

import argparse
import collections
import itertools
import json
import pathlib
import sys
import tempfile

try:
    import command_line
    import pooled
    import results
    from result_node import InputError
    from whole_file import OutputError, print_whole, refuse_inputs, write_whole
except ModuleNotFoundError as error:
    sys.exit(f"claims: error: {error.name}.py is missing; keep scripts/ whole")

EPILOG = """\
A ratio is of the time that the claim says is shorter over the other, as `mipbench compare
--ratios` estimates it, with a 95 % interval. It holds if the interval lies below 1 by more than
the margin (1 %, or the A/A control's own; 1 % more between fewer than 5 runs), does not if it lies
wholly above that, and is else open. A share is "about" a value within a factor of 1.5 of it.
Rows that failed or were not verified are not used.

Exit: 0; 2 wrong command line; 3 bad input; 7 an output could not be written."""

MARGIN, RUN_MARGIN, ENOUGH_RUNS, ABOUT, FEW_TEXELS = 0.01, 0.01, 5, 1.5, 1024
SPD1, SPD2, METAL, COURSE = "AMD SPD 1.0", "AMD SPD 2.0", "Metal port", "DirectX compute course"
INPUT = "pattern:noise:4096x4096"
BOTH = "-s compute -s spd"
WHOLE = f"{BOTH} -s blit -s spd:parts=no-tail --per-level"
MODES = f"{BOTH} --mode all"
SIGNS = {"holds": "✓", "does not": "✗", "open": "~", "not measured": "–"}

# What is asked of `compare --ratios`, in words, and the rows behind it.
Asked = collections.namedtuple("Asked", "wanted words rows is_apart note")
Figure = collections.namedtuple("Figure", "value ci")
Line = collections.namedtuple("Line", "claim verdict seen figure words")


class Set:
    """The runs of a folder, by the name of their claim: order.json, whole-1.json, ..."""

    def __init__(self, folder):
        paths = sorted(pathlib.Path(folder).glob("*.json"))
        if not paths:
            raise InputError(f"{folder}: no .json file in this folder; scripts/claims.sh measures a set")
        self.runs = {path.stem: run for path, run in zip(paths, results.load(paths))}
        first = next(iter(self.runs.values()))
        for run in self.runs.values():
            if (run.device, run.driver) != (first.device, first.driver):
                raise InputError(f"{run.path}: measured on {run.device}, but {first.path} on "
                                 f"{first.device}: one set is of one device")
        self.first = first

    def rows(self, name, label, mode="latency"):
        """Of each run of a claim the row of a label, cold where that was measured."""
        found = [row for stem, run in self.runs.items()
                 if stem.rpartition("-")[0] == name and stem.rpartition("-")[2].isdecimal() or stem == name
                 for row in run.rows if row.label == label and row.timing.mode == mode and is_usable(row)]
        cold = [row for row in found if row.timing.cache == "cold"]
        return cold or found


def is_usable(row):
    """Right, or a diagnostic that is not verified by its nature, and timed."""
    return (row.status == "ok" and not row.run.validated and bool(row.samples)
            and (row.verify.status == "pass" or row.diagnostic)
            and all(value and value > 0 for value in row.samples))


def pairs(rows, others):
    """Of the same timing, whose samples are of the same blocks."""
    return [(a, b) for a, b in itertools.product(rows, others) if a.timing is b.timing]


def factor(runs, power=1):
    return {"runs": [{"times": times, **({"over": over} if over else {})} for times, over in runs],
            "power": power}


def within(found, power=1):
    return factor([(a.samples, b.samples) for a, b in found], power)


def apart(rows, others):
    return {"factors": [factor([(row.samples, None) for row in rows]),
                        factor([(row.samples, None) for row in others], -1)]}


def batches(row, n_chains):
    """Of a row of throughput mode the time per chain in a batch of so many."""
    return [[slope + (time - slope * n) / n_chains for n, time in zip(row.batch.lengths, times)]
            for slope, times in zip(row.samples, row.batch.times)]


# ---- how each kind is measured: an Asked of a Set, or None where rows are missing

def variants(name, faster, other):
    def ask(runs):
        found = pairs(runs.rows(name, faster), runs.rows(name, other))
        return found and Asked([{"factors": [within(found)]}], f"{faster} / {other}",
                               list(itertools.chain(*found)), False, "")
    return ask


def against_whole(name, label, words):
    """Of one run against the same strategy's whole chains in another."""
    def ask(runs):
        sides = runs.rows(name, label), runs.rows("whole", label)
        return all(sides) and Asked([apart(*sides)], words, sides[0] + sides[1], True, "")
    return ask


def few_per_level(runs):
    rows = [row for row in runs.rows("whole", "compute")
            if row.variant.steps and all(step["time"] for step in row.variant.steps)]

    def share(row):
        small = sum(step["time"] for step in row.variant.steps if FEW_TEXELS >=
                    max(1, row.case.width >> step["first"]) * max(1, row.case.height >> step["first"]))
        return small / sum(step["time"] for step in row.variant.steps)
    return rows and Asked([{"mean": list(map(share, rows))}], "compute: levels of at most 1024 texels",
                          rows, False, "stamps add to each dispatch, so rather less in truth")


def few_single_pass(runs):
    found = pairs(runs.rows("whole", "spd:parts=no-tail"), runs.rows("whole", "spd"))
    return found and Asked([{"factors": [within(found)]}], "1 - spd:parts=no-tail / spd",
                           list(itertools.chain(*found)), False, "")


def barriers(runs):
    sides = [[row for row in runs.rows("whole", label) if len(row.twin_samples) == len(row.samples)]
             for label in ("spd", "compute")]

    def twins(rows, power=1):
        return factor([(row.twin_samples, row.samples) for row in rows], power)
    return all(sides) and Asked(
        [{"factors": [twins(sides[0]), twins(sides[1], -1)]}],
        "share of null twins in the time: spd / compute", sides[0] + sides[1], False,
        "of dispatches and barriers alone")


def overlap(runs):
    rows, under = runs.rows("overlap", "spd", "throughput"), runs.rows("overlap", "spd", "overlap")
    n = under[0].timing.n_images if under else 1
    base = [(batches(row, n), None) for row in rows if row.batch.is_whole(len(row.samples))]
    return under and base and Asked(
        [{"factors": [factor([(row.samples, None) for row in under]), factor(base, -1)]}],
        f"spd: {n} chains with no barrier between / with one", under + rows, False, "")


def company(name, mode, alone):
    """Whether spd gains more than compute, or loses less, in company than alone."""
    def ask(runs):
        under = pairs(*(runs.rows(name, label, mode) for label in ("spd", "compute")))
        base = pairs(*(runs.rows(name, label, alone) for label in ("spd", "compute")))
        if not (under and base):
            return None
        n = under[0][0].timing.n_images
        divisor = factor([(batches(a, n), batches(b, n)) for a, b in base], -1) \
            if alone == "throughput" else within(base, -1)
        return Asked([{"factors": [within(under), divisor]}],
                     f"(spd / compute: {mode}) / (the same: {alone})",
                     list(itertools.chain(*under, *base)), False, "")
    return ask


class Claim:
    def __init__(self, name, text, source, command, ask, about=None):
        self.name, self.text, self.source, self.command = name, text, source, command
        self.ask, self.about = ask, about


def spd(name, text, source, faster, other, fixed="", more="", labels=None):
    """One value of a parameter of spd against another; `labels` as the tables have them."""
    words = [f"spd{fixed}:{value}" for value in (faster, other)]
    return Claim(name, text, source, f"-s {words[0]} -s {words[1]}{more}", variants(name, *(labels or words)))


CLAIMS = (
    Claim("few-per-level", "one dispatch per level: few threads are at work for about 1/6 of the time",
          SPD1, WHOLE, few_per_level, 1 / 6),
    Claim("few-single-pass", "a single pass: few threads are at work for about 2 % of the time", SPD1,
          WHOLE, few_single_pass, 0.02),
    Claim("barriers", "without barriers between levels a smaller share of time goes to "
          "synchronisation", f"{SPD1}; {METAL}", WHOLE, barriers),
    spd("order", "threads in morton order are faster than in linear order", SPD1, "order=morton",
        "order=linear", ":wave=off", labels=("spd:wave=off", "spd:wave=off:order=linear")),
    spd("load", "one load through the sampler is faster than four texels", SPD1, "load=sampler",
        "load=texel"),
    spd("wave", "wave operations are faster than shared memory", f"{SPD1}; {METAL}", "wave=quad",
        "wave=off"),
    spd("fp16", "packed half floats are faster than floats", SPD1, "fp16=on", "fp16=off",
        labels=("spd:fp16=on", "spd")),
    spd("lds-split", "shared memory with an array per channel is faster than vectors",
        f"{SPD1}; {COURSE}", "lds=split", "lds=vec4", ":wave=off",
        labels=("spd:wave=off:lds=split", "spd:wave=off")),
    spd("lds-packed", "shared memory with packed texels is faster than vectors", SPD1, "lds=packed",
        "lds=vec4", ":wave=off", labels=("spd:wave=off:lds=packed", "spd:wave=off")),
    spd("counter", "a counter that the shader re-arms is faster than one that the host zeroes", SPD2,
        "counter=self", "counter=host", labels=("spd", "spd:counter=host")),
    spd("slices", "all slices in one dispatch are faster than a dispatch each", SPD2, "slices=one",
        "slices=each", more=" --layers 6", labels=("spd", "spd:slices=each")),
    Claim("rect", "a sub-rectangle is faster than the whole", SPD2, "-s spd --rect 64,64,128,128",
          against_whole("rect", "spd", "spd: update of 128x128 / whole")),
    Claim("overlap", "a single pass overlaps with other images' on its queue", SPD1, MODES, overlap),
    Claim("overlap-compute", "a single pass gains more by such overlap than one dispatch per level "
          "does", SPD1, MODES, company("overlap", "overlap", "throughput")),
    Claim("storage-usage", "blits are faster on an image without STORAGE usage", "general advice",
          "-s blit --image-usage needed", against_whole("storage-usage", "blit",
                                                        "blit: usage needed / all")))
REPEATED = ("whole", "rect", "storage-usage")  # what is compared across runs, or has one value a run


def commands():
    """(name, repeated, options) of each run; claims that share a command line share a run."""
    found = {WHOLE: "whole"}
    for claim in CLAIMS:
        found.setdefault(claim.command, claim.name)
    return [(name, name in REPEATED, command) for command, name in found.items()]


def estimate(asked, mipbench):
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".json") as file:
        json.dump({"wanted": asked.wanted}, file)
        file.flush()
        root = pooled.compare(mipbench, "--ratios", "--seed", "1", file.name)
    node, = root.children("estimates")
    return Figure(node.figure("figure"), node.interval("ci"))


def judge(claim, asked, figure):
    """(verdict, what was seen instead)"""
    if figure.ci is None:
        return "open", "too little for an interval"
    low, high = figure.ci
    if claim.about is not None:
        least, most = claim.about / ABOUT, claim.about * ABOUT
        if least <= low and high <= most:
            return "holds", ""
        return ("does not", "more" if low > most else "less") if high < least or low > most else ("open", "")
    margin = max([MARGIN, *(row.timing.control.margin for row in asked.rows if row.timing.control)])
    n_runs = len({id(row.run) for row in asked.rows})
    margin += RUN_MARGIN if asked.is_apart and n_runs < 2 * ENOUGH_RUNS else 0
    if high < 1 / (1 + margin):
        return "holds", ""
    if low < 1 / (1 + margin):
        return "open", f"a margin of {100 * margin:.2g} % is within the interval"
    other = f"the other way, by {100 * (figure.value - 1):.1f} %"
    return "does not", other if low > 1 + margin else f"the same to {100 * margin:.2g} %" \
        if high < 1 + margin else f"no gain of {100 * margin:.2g} %"


def judge_all(runs, mipbench):
    for claim in CLAIMS:
        asked = claim.ask(runs)
        if not asked:
            yield Line(claim, "not measured", f"run `mipbench {INPUT} {claim.command}`", None, "")
            continue
        figure = estimate(asked, mipbench)
        if claim.name == "few-single-pass":
            figure = Figure(1 - figure.value, figure.ci and (1 - figure.ci[1], 1 - figure.ci[0]))
        first = asked.rows[0]
        at = f"{first.case.words()}, {first.timing.cache}".replace("×", "x")
        yield Line(claim, *judge(claim, asked, figure), figure,
                   "; ".join(filter(None, (f"{asked.words}, {at}", asked.note))))


def markdown(runs, lines):
    first = runs.first
    out = ["# What is published, and what was measured", "",
           f"Fifteen claims about single-pass downsampling, on {first.name()}, driver {first.driver}, "
           f"mipbench {first.commit}. Made by `scripts/claims.sh`, which measures the set and writes "
           "this page.", ""]
    out += ["**A software device: nothing here says anything about a GPU.**", ""] * first.is_software()
    out += ["| | claim | source | measured | ratio or share (95 %) |", "|---|---|---|---|---|"]
    for line in lines:
        seen = f": {line.seen}" if line.seen else ""
        out += [f"| {SIGNS[line.verdict]} | {line.claim.text} | {line.claim.source} | "
                f"{line.verdict}{seen}{'; ' if line.words else ''}{line.words} | {figure_text(line)} |"]
    return "\n".join([*out, "", "✓ holds, ✗ does not, ~ open, – not measured. A ratio is of the time "
                      "that is said to be shorter over the other: below 1 the claim is borne out. A "
                      "share counts as about a value within a factor of 1.5. `scripts/claims.py "
                      "--help` says more.", ""])


def figure_text(line):
    if line.figure is None:
        return ""
    def show(value):
        return f"{100 * value:.1f} %" if line.claim.about is not None else f"{value:.3f}"
    ci = line.figure.ci
    return show(line.figure.value) + (f" ({show(ci[0])} to {show(ci[1])})" if ci else "")


def start(arguments):
    parser = command_line.Parser("claims", __doc__, EPILOG)
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="a set of scripts/claims.sh")
    parser.add_argument("-o", "--out", metavar="FILE", help="the page, Markdown (default: stdout)")
    parser.add_argument("--commands", action="store_true", help=argparse.SUPPRESS)
    pooled.add_option(parser)
    options = parser.parse_args(arguments)
    if options.commands:
        print_whole("".join(f"{name}\t{'repeated' if repeated else 'once'}\t{command}\n"
                            for name, repeated, command in commands()))
        return 0
    if options.folder is None:
        parser.error("no folder given")
    runs = Set(options.folder)
    out = pathlib.Path(options.out) if options.out else None
    refuse_inputs([out] if out else [], [run.path for run in runs.runs.values()])
    page = markdown(runs, list(judge_all(runs, options.mipbench)))
    try:
        print_whole(page) if out is None else write_whole(out, page)
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror}") from error
    return 0


def main(arguments):
    return command_line.run("claims", start, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
