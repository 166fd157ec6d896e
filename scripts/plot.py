#!/usr/bin/env python3
"""Draws what mipbench measured as SVG and PNG, from its results.json alone: the figures of the page,
each as a file.

  time-size  time against size, with p05 to p95 and the memory floor of the device
  levels     what each level takes, with the gaps before it
  published  kernels of manifests beside built-in strategies, where a run has such kernels

Runs of one device, driver and commit are taken together. What was not measured is not drawn: a line
says why, and what to run."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

try:
    import command_line
    import pooled
    import results
    from report import bars, figures, looks, svg
    from report.page import conditions
    from result_node import clean
    from whole_file import OutputError, print_whole, refuse_inputs, write_whole
except ModuleNotFoundError as error:
    sys.exit(f"plot: error: {error.name}.py is missing; keep scripts/ whole")

EXIT_NOT_MADE = 1
NAMES = ("time-size", "levels", "published")
KINDS = ("svg", "png")
WIDTH, SCALE = 760, 2  # in pixels; how many of a PNG are one of them

EPILOG = """\
Without --all a plot shows the headline: latency before other modes, a cold cache before a hot one,
rgba8 before other formats, the largest size. PNG needs rsvg-convert (Debian: librsvg2-bin). Paths are printed on stdout.

Exit: 0; 1 a plot named by --only could not be made; 2 wrong command line; 3 bad input; 7 an output
could not be written."""


def say(text):
    print(f"plot: {clean(text)}", file=sys.stderr)


def list_of(known):
    """A parser of names with commas between, each one of `known`."""
    def parse(text):
        names = list(dict.fromkeys(text.split(",")))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"unknown '{name}'; known: {', '.join(known)}")
        return names
    return parse


def parse_options(arguments):
    parser = command_line.Parser("plot", __doc__, EPILOG)
    add = parser.add_argument
    add("inputs", nargs="+", metavar="RESULTS.json", help="files that mipbench wrote")
    add("-o", "--out", default="plots", metavar="DIR",
        help="folder for the pictures, made if need be (default: %(default)s)")
    add("--only", type=list_of(NAMES), metavar="NAME[,NAME]", help="these plots (default: all)")
    add("--format", type=list_of(KINDS), metavar="svg,png", dest="kinds",
        help="kinds of file (default: svg, and png where it can be made)")
    add("--all", action="store_true", help="a picture of each condition, format and size")
    pooled.add_option(parser)
    return parser.parse_args(arguments)


def rsvg(text):
    done = subprocess.run(["rsvg-convert", f"--zoom={SCALE}"], input=text.encode("utf-8"), check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise OutputError(f"rsvg-convert: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout


def largest_first(timings):
    """Those whose times say something: not under the validation layer."""
    return sorted((it for it in timings if not it.case.run.validated), key=lambda it: (
        it.case.format != "rgba8", it.case.reduce != "avg", -it.case.texels))


def scopes(name, pools):
    """(what a plot is of, in words, a function that makes it), the best first."""
    many = len(pools) > 1
    for pool in pools:
        owner = f"{pool.name()} {pool.commit}" if many else ""
        for found in conditions(pool).values():
            timings = largest_first(found)
            if name == "time-size" and not many:
                for group in figures.size_groups(timings):
                    yield group[0].title, lambda looks_of, t=group: figures.time_size(
                        [("", t)], looks_of, WIDTH)
            elif name == "published":
                kernels = {it for run in pool.runs for it in run.kernels}
                for group in figures.tasks(timings):
                    words = f"{group[0].case.words(with_size=False)}, {group[0].condition}"
                    yield words, lambda looks_of, g=group, k=kernels: bars.published(g, k, WIDTH)
            elif name == "levels":
                for timing in timings:
                    yield f"{owner} {timing.title}", lambda looks_of, t=timing: figures.levels(
                        t.case, looks_of, WIDTH)
    if name == "time-size" and many:
        devices = [(f"{pool.name()} {pool.commit}", largest_first(
            next(iter(conditions(pool).values()), []))) for pool in pools]
        yield "devices", lambda looks_of: figures.time_size(
            [(owner, group) for owner, found in devices
             for group in figures.size_groups(found)[:1]], looks_of, WIDTH)


OPTIONS = {"time-size": "--sweep 256:4096", "levels": "--per-level",
           "published": "--kernel FILE.json"}


def slug(words):
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def make_plot(name, pools, looks_of, options, kinds):
    """Draw the first that can be drawn, or each with --all. Whether any could."""
    why, stems = figures.NoData("nothing was timed", OPTIONS[name]), set()
    for index, (words, draw) in enumerate(scopes(name, pools)):
        try:
            figure = draw(looks_of)
        except figures.NoData as error:
            why = error if index == 0 else why
            continue
        stem = base = f"{name}_{slug(words)}" if options.all else name
        while stem in stems:  # images of several runs may have the same name
            stem = f"{base}-{len(stems)}"
        stems.add(stem)
        write(svg.standalone(figure), pathlib.Path(options.out) / stem, kinds)
        if not options.all:
            break
    if not stems:
        say(f"{name} not made: {why}; run: mipbench IMAGE {why.options or OPTIONS[name]}")
    return bool(stems)


def write(text, stem, kinds):
    for kind, make in kinds.items():
        path = stem.with_name(f"{stem.name}.{kind}")
        write_whole(path, make(text))
        print_whole(f"{path}\n")


def kinds_of(options):
    """{kind: what makes it}; without --format PNG is left out where nothing can make it."""
    make = rsvg if shutil.which("rsvg-convert") else None
    if make is None and (options.kinds is None or "png" in options.kinds):
        how = "PNG needs rsvg-convert (Debian: apt-get install librsvg2-bin)"
        if options.kinds is not None:
            command_line.complain("plot", f"{how}; or --format svg")
            sys.exit(command_line.EXIT_USAGE)
        say(f"note: SVG only; {how}")
    found = {"svg": lambda text: text, **({"png": make} if make else {})}
    return {kind: found[kind] for kind in options.kinds or KINDS if kind in found}


def would_replace(options, kinds):
    """Files of the names that pictures get; with --all these are known only once they are drawn."""
    more = "_*" if options.all else ""
    return [path for name in options.only or NAMES for kind in kinds
            for path in pathlib.Path(options.out).glob(f"{name}{more}.{kind}")]


def start(arguments):
    options = parse_options(arguments)
    kinds = kinds_of(options)
    runs = results.load(options.inputs)
    refuse_inputs(would_replace(options, kinds), [run.path for run in runs])
    _, pools = pooled.load(runs, options.mipbench)
    names = options.only or [name for name in NAMES
                             if name != "published" or any(run.kernels for run in runs)]
    looks_of = looks.of(dict.fromkeys(row.variant.label for run in runs for row in run.rows))
    try:
        pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
        made = [make_plot(name, pools, looks_of, options, kinds) for name in names]
    except OSError as error:
        raise OutputError(f"{error.filename or options.out}: {error.strerror}; choose another "
                          "-o DIR") from error
    for run in runs:
        if not run.complete:
            say(f"note: {run.path}: the run was interrupted; what it has is drawn")
    return 0 if all(made) or not options.only else EXIT_NOT_MADE


def main(arguments):
    return command_line.run("plot", start, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
