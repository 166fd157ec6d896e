#!/usr/bin/env python3
"""Draws what mipbench measured, as PNG and SVG, from its results.json alone.

  time-size  time against size, with p05 to p95 and the floor of the device
  levels     what each level takes, with gaps and barriers
  bandwidth  bandwidth against size, with the measured ceilings
  samples    distribution and order of the samples, with the clock
  error      time against error
  winners    the fastest strategy by size and format
  forest     ratios within blocks, with the A/A control's band

Runs of one device, driver and commit are pooled; several devices are drawn over each other, or
beneath. What was not measured is not drawn: a line says why, and what to run."""

import argparse
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

try:
    import command_line
    import pooled
    import results
    from result_node import clean
    from whole_file import OutputError, print_whole, refuse_inputs, write_whole
except ModuleNotFoundError as error:
    sys.exit(f"plot: error: {error.name}.py is missing; keep scripts/ whole")

EXIT_NOT_MADE = 1
DISTRIBUTION_PYTHON = "/usr/bin/python3"
NAMES = ("time-size", "levels", "bandwidth", "samples", "error", "winners", "forest")
KINDS = ("png", "svg")
NEEDS = {"levels": "--per-level"}  # options without which there is never anything to draw
DEFAULT_INPUT = "pattern:noise:4096x4096"

EPILOG = """\
A plot of one condition or size shows the headline: latency before other modes, a cold cache before
a hot one, the largest size. Others: --size, --cache, --mode, --texels, or --all for a picture of
each. Paths of the pictures are printed on stdout.

Exit: 0; 1 a plot named by --only could not be made; 2 wrong command line, or no matplotlib; 3 bad
input; 7 an output could not be written."""


def say(text):
    print(f"plot: {clean(text)}", file=sys.stderr)


def parse_count(text):
    if not re.fullmatch(r"[1-9][0-9]{0,3}", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 1 to 9999")
    return int(text)


def list_of(known):
    """A parser of names with commas between; each must be one of `known`, if given."""
    def parse(text):
        names = list(dict.fromkeys(text.split(",")))
        for name in names:
            if not name or (known and name not in known):
                choices = f"; known: {', '.join(known)}" if known else ""
                raise argparse.ArgumentTypeError(f"'{name}' is no name{choices}")
        return names
    return parse


def parse_options(arguments):
    parser = command_line.Parser("plot", __doc__, EPILOG)
    add = parser.add_argument
    add("inputs", nargs="+", metavar="RESULTS.json", help="files that mipbench wrote")
    add("-o", "--out", default="plots", metavar="DIR",
        help="folder for the pictures, made if need be (default: %(default)s)")
    add("--only", type=list_of(NAMES), metavar="NAME[,NAME]", help="these plots (default: all)")
    add("--format", type=list_of(KINDS), default=list(KINDS), metavar="png,svg", dest="kinds",
        help="kinds of file (default: png,svg)")
    add("-s", "--strategy", type=list_of(None), metavar="NAME[,NAME]",
        help="these strategies, or variants as the table calls them (default: all)")
    add("--max-strategies", type=parse_count, default=16, metavar="N",
        help="draw the fastest variant of each strategy, the defaults, then the fastest, up to N "
             "(default: %(default)s)")
    add("--size", type=command_line.parse_size, metavar="WxH",
        help="rows of this size (default: all)")
    add("--texels", metavar="FORMAT", help="rows of this texel format (default: all)")
    add("--cache", choices=("hot", "cold"), help="rows of this cache (default: all)")
    add("--mode", choices=results.MODES,
        help="rows of this mode (default: all)")
    add("--all", action="store_true", help="a picture of each condition and size, not of the "
                                           "headline only")
    pooled.add_option(parser)
    return parser.parse_args(arguments)


def has_libraries(python):
    return subprocess.run([python, "-c", "import matplotlib, numpy"], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL).returncode == 0


def need_libraries(arguments):
    """Return if they can be imported; else go on with the distribution's Python, or end."""
    try:
        import matplotlib  # noqa: F401
        import numpy  # noqa: F401
        return
    except ImportError as error:
        missing = error.name or "matplotlib"
    here = os.path.realpath(sys.executable)
    there = shutil.which(DISTRIBUTION_PYTHON)
    if there and os.path.realpath(there) != here and has_libraries(there):
        os.execv(there, [there, os.path.abspath(__file__), *arguments])
    command_line.complain("plot", f"{sys.executable} has no {missing}; install python3-matplotlib "
                          "and python3-numpy (Debian: apt-get install --no-install-recommends "
                          "python3-matplotlib python3-numpy)")
    sys.exit(command_line.EXIT_USAGE)


def plots():
    """{name: (function, its scope)}; imported late, as they need the libraries."""
    import plot_cell
    import plot_forest
    import plot_map
    import plot_size
    return {"time-size": (plot_size.time_size, "condition"),
            "levels": (plot_cell.levels, "hot cell"),
            "bandwidth": (plot_size.bandwidth, "condition"),
            "samples": (plot_cell.samples, "cell"),
            "error": (plot_cell.error, "cell"),
            "winners": (plot_map.winners, "all formats"),
            "forest": (plot_forest.forest, "cell")}


def scopes(data, scope):
    """What a plot may show, as arguments of its function, best first."""
    conditions = data.conditions(("hot", "cold") if scope == "hot cell" else ("cold", "hot"))
    if scope == "condition":
        return [(condition,) for condition in conditions]
    if scope == "all formats":
        found = {}
        for condition in conditions:
            found.setdefault(condition._replace(format=""), (condition,))
        return list(found.values())
    return [(condition, size) for condition in conditions for size in data.sizes(condition)]


def slug(arguments, scope, data):
    """For the name of a file of many."""
    import plot_data
    but = [*(["format"] if scope == "all formats" else []),
           *(["input"] if data.n_inputs == 1 else [])]
    words = [plot_data.describe(arguments[0], but)]
    words += [plot_data.size_text(size) for size in arguments[1:]]
    return re.sub(r"[^a-z0-9]+", "-", " ".join(words).lower())


def unused(stem, taken):
    """Images of several runs may have the same name."""
    stems = itertools.chain([stem], (f"{stem}-{count}" for count in itertools.count(2)))
    return next(it for it in stems if it not in taken)


def write_frame(frame, stem, options):
    for kind in options.kinds:
        path = pathlib.Path(options.out) / f"{stem}.{kind}"
        write_whole(path, frame.save(kind))
        print_whole(f"{path}\n")
    frame.close()


def command(data, addition):
    """What to run to get the data of a plot, on the first input of the results and as that was."""
    words = ["mipbench", shlex.quote(data.first.input if data.first else DEFAULT_INPUT),
             *(like(data.first) if data.first else []), addition]
    return " ".join(filter(None, words))


def like(case):
    """The options of mipbench that differ from their defaults."""
    given = (("-f", case.format, "rgba8"), ("-r", case.reduce, "avg"),
             ("--alpha", case.alpha, "straight"))
    return [f"{option} {shlex.quote(value)}" for option, value, default in given
            if value != default]


def make_plot(name, data, options):
    """Draw the first scope that can be drawn, or each with --all. Whether any could."""
    import plot_data
    function, scope = plots()[name]
    why, stems = plot_data.NoData(no_rows(data), NEEDS.get(name, "")), set()
    for index, arguments in enumerate(scopes(data, scope)):
        try:
            frame = function(data, *arguments)
        except plot_data.NoData as error:
            why = error if index == 0 else why
            continue
        stem = unused(f"{name}_{slug(arguments, scope, data)}" if options.all else name, stems)
        stems.add(stem)
        write_frame(frame, stem, options)
        if not options.all:
            break
    if not stems:
        say(f"{name} not made: {why}; run: {command(data, why.options)}")
    return bool(stems)


def no_rows(data):
    """Why there is nothing to draw at all."""
    if not any(run.rows for group in data.sets for run in group.runs):
        return "the results are empty"
    if data.n_rows == 0:
        return "no row is as --strategy, --size, --texels, --cache and --mode say"
    if all(run.validated for group in data.sets for run in group.runs):
        return "times under the validation layer are not comparable"
    return "no row has a time"


def say_what_is_left_out(data, options):
    import plot_data
    conditions = data.conditions()
    if len(conditions) > 1 and not options.all:
        say(f"note: {len(conditions)} conditions were measured; a plot shows one; --all, --cache, "
            "--mode and --texels show others")
    if data.left_out:
        count = plot_data.plural(len(data.left_out), "slower variant")
        say(f"note: not drawn: {count}; --max-strategies N or --strategy draws more")
    for group in data.sets:
        for run in group.runs:
            if not run.complete:
                has = "what it has is drawn" if any(row.is_comparable() for row in run.rows) else \
                    "it has nothing to draw"
                say(f"note: {run.path}: the run was interrupted; {has}")


def would_replace(options):
    """Files of the names that pictures get; with --all these are known only once they are drawn,
    so every file that could be one is taken for one."""
    more = "_*" if options.all else ""
    return [path for name in options.only or NAMES for kind in options.kinds
            for path in pathlib.Path(options.out).glob(f"{name}{more}.{kind}")]


def draw(options):
    import plot_data
    runs = results.load(options.inputs)
    refuse_inputs(would_replace(options), [run.path for run in runs])
    data = plot_data.Data(pooled.load(runs, options.mipbench), options)
    try:
        pathlib.Path(options.out).mkdir(parents=True, exist_ok=True)
        made = [make_plot(name, data, options) for name in options.only or NAMES]
    except OSError as error:
        raise OutputError(f"{error.filename or options.out}: {error.strerror}; choose another "
                          "-o DIR") from error
    say_what_is_left_out(data, options)
    return 0 if all(made) or not options.only else EXIT_NOT_MADE


def start(arguments):
    options = parse_options(arguments)
    need_libraries(arguments)
    return draw(options)


def main(arguments):
    return command_line.run("plot", start, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
