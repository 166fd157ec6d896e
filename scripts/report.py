#!/usr/bin/env python3
"""Makes one page of HTML from results of mipbench: who wins where, every case, pictures of the
chains. The page needs no network and no other file; pictures are taken from beside results.json."""

import argparse
import pathlib
import sys

try:
    import command_line
    import pooled
    import results
    from report import kernels, page, pictures
    from whole_file import OutputError, print_whole, refuse_inputs, write_whole
except ModuleNotFoundError as error:
    sys.exit(f"report: error: {error.name}.py is missing; keep scripts/ whole")

DEFAULT_PICTURES_MB = 4

EPILOG = """\
Several results, of several devices say, become one page; runs of one device
and build are taken together, by mipbench compare. An inspect.json beside
them is shown, too: what 'mipbench inspect --json' printed.

Exit: 0; 2 wrong command line; 3 bad input; 7 the page could not be written."""


def parse_megabytes(text):
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 2048:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number from 0 to 2048")
    return int(value * 1e6)


def parse_options(arguments):
    parser = command_line.Parser("report", __doc__, EPILOG)
    parser.add_argument("inputs", nargs="+", metavar="RESULTS.json",
                        help="what mipbench wrote, or the folder of it")
    parser.add_argument("-o", "--out", metavar="FILE",
                        help="the page (default: report.html beside the first results)")
    parser.add_argument("--max-pictures", type=parse_megabytes, metavar="MB",
                        default=DEFAULT_PICTURES_MB * 1000 * 1000,
                        help="embed pictures up to this size in all; 0 leaves them out "
                             f"(default: {DEFAULT_PICTURES_MB})")
    pooled.add_option(parser)
    return parser.parse_args(arguments)


def start(arguments):
    options = parse_options(arguments)
    sets = results.load(options.inputs)
    compiled = kernels.load(sets)
    out = pathlib.Path(options.out) if options.out else sets[0].path.parent / "report.html"
    refuse_inputs([out], [*(item.path for item in sets), *(found[0] for found in compiled),
                          *pictures.files_of(sets), *page.TEMPLATES.iterdir()])
    title, pools = pooled.load(sets, options.mipbench)
    text = page.make(title, pools, compiled, options)
    try:
        write_whole(out, text)
    except OSError as error:
        raise OutputError(f"{out}: {error.strerror}; name a file that can be written with -o"
                          ) from error
    print_whole(f"Report: {out}\n")
    return 0


def main(arguments):
    return command_line.run("report", start, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
