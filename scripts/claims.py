#!/usr/bin/env python3
"""Judges what is published of single-pass downsampling by one set of mipbench's results.

Every claim is a line: its source, what was measured on which device with its 95 % interval, and
the verdict that follows: holds, does not, within noise, or not measured and what to run."""

import argparse
import itertools
import json
import pathlib
import sys

try:
    import claims_data
    import claims_list
    import command_line
    import pooled
    from whole_file import OutputError, print_whole, refuse_inputs, write_whole
except ModuleNotFoundError as error:
    sys.exit(f"claims: error: {error.name}.py is missing; keep scripts/ whole")

VERSION = "1.1.0"
NOT_MEASURED = "not measured"
DEFAULT_FEW = 1024
OUTPUTS = ("claims.md", "claims.json")
INPUT = "pattern:noise:4096x4096"

EPILOG = """\
A ratio is of the time that the claim says is shorter over the other: rows of one table by the
median of their ratios within blocks, others by their medians; 95 % interval by bootstrap. It holds
if the interval lies below 1 by more than the margin (1 %, or the A/A control's own), does not if
it lies wholly above that, and is else within noise. A share is "about" a value if its interval is
within a factor of 1.5 of it. Rows that failed or were not verified are not used, and listed.

Exit: 0; 2 wrong command line; 3 bad input; 7 an output could not be written."""


def parse_number(text):
    if not text.isascii() or not text.isdecimal() or int(text) >= 2 ** 64:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    return int(text)


def parse_options(arguments):
    parser = command_line.Parser("claims", __doc__, EPILOG)
    parser.add_argument("inputs", nargs="*", metavar="FOLDER|FILE",
                        help="result files of one device, or folders of them")
    parser.add_argument("-o", "--out", metavar="DIR",
                        help="write DIR/claims.md and DIR/claims.json (default: Markdown on "
                             "stdout)")
    parser.add_argument("--size", type=command_line.parse_size, metavar="WxH",
                        help="judge at this size (default: the largest measured)")
    parser.add_argument("--cache", choices=("hot", "cold"),
                        help="judge in this state of the cache (default: cold, if measured)")
    parser.add_argument("--all", action="store_true",
                        help="a line for each size and state of the cache")
    parser.add_argument("--few", type=parse_number, default=DEFAULT_FEW, metavar="N",
                        help="a level of at most N texels has few threads at work (default: "
                             "%(default)s: what a single pass leaves to its last workgroup)")
    parser.add_argument("--seed", type=parse_number, default=1, metavar="N",
                        help="for resampling (default: %(default)s)")
    parser.add_argument("--commands", action="store_true",
                        help="print what scripts/claims.sh runs: name, 'repeated' or 'once', "
                             "options of mipbench")
    pooled.add_option(parser)
    options = parser.parse_args(arguments)
    if not options.commands and not options.inputs:
        parser.error("no result file and no folder given")
    return options


def commands():
    """(name, repeated, options) of each run; claims that share a command line share a run."""
    found = {tuple(claims_list.WHOLE): ("whole", True)}
    for claim in claims_list.CLAIMS:
        found.setdefault(tuple(claim.command), (claim.name, claim.repeated))
    return [(name, repeated, command) for command, (name, repeated) in found.items()]


def preference(condition):
    """The condition that figures are published for comes first."""
    return (condition.format != "rgba8", condition.reduce != "avg", condition.cache != "cold",
            -condition.width * condition.height, condition.width, str(condition))


def wanted_conditions(claim, rows, options):
    found = sorted(
        ((condition, selected) for condition, selected in claim.conditions(rows)
         if options.size in (None, (condition.width, condition.height))
         and options.cache in (None, condition.cache)),
        key=lambda pair: preference(pair[0]))
    return found if options.all else found[:1]


def words_to_run(claim):
    """What to run; both sides of what is measured in two runs."""
    def line(words, name):
        return " ".join(["mipbench", INPUT, *words, "--json", f"{name}.json"])

    lines = [line(claim.command, claim.name)]
    lines += [line(claims_list.WHOLE, "whole")] if claim.against_whole else []
    return " && ".join(lines)


def describe(condition):
    """In words, what is not at its default."""
    parts = [f"{condition.width}x{condition.height}"]
    parts += [f"{condition.layers} layers"] if condition.layers > 1 else []
    parts += [condition.format, condition.reduce, condition.cache]
    return " ".join(parts)


def line_base(claim, device):
    return {"id": claim.name, "claim": claim.text, "source": claim.source, "device": device,
            "kind": claim.kind, "claimed": claim.claimed()}


def not_measured(claim, result_set, device):
    """With the reasons why rows that the claim asks for are of no use."""
    reasons = sorted({f"{row.label}: {row.unused}" for row in result_set.unused
                      if claim.is_about(row)})
    return {**line_base(claim, device), "condition": None, "measured": None, "value": None,
            "ci": None, "margin": None, "verdict": NOT_MEASURED, "seen": "",
            "run": words_to_run(claim), "files": [], "runs": 0, "samples": 0, "notes": reasons}


def measured_line(claim, measured, device):
    files = sorted({claims_data.display_name(row.source.path) for row in measured.rows})
    condition = {key: value for key, value in measured.condition._asdict().items()
                 if key not in ("mode", "rects")}
    verdict = claim.judge(measured)
    return {**line_base(claim, device), "condition": condition, "at": describe(measured.condition),
            "measured": measured.text, "value": measured.figure.value,
            "ci": list(measured.figure.ci) if measured.figure.ci else None,
            "margin": measured.margin, "verdict": verdict,
            "seen": claim.seen(measured) if verdict == claims_list.DOES_NOT else "", "run": None,
            "files": files, "runs": len(files),
            "samples": sum(len(row.samples) for row in measured.rows), "notes": measured.notes}


def judge_all(result_set, options):
    first = result_set.sources[0]
    device = first.device + (" (software)" if result_set.is_software() else "")
    lines = []
    for claim in claims_list.CLAIMS:
        found = [claim.measure(condition, selected, options) for condition, selected
                 in wanted_conditions(claim, result_set.rows, options)]
        lines += [measured_line(claim, measured, device) for measured in found]
        lines += [] if found else [not_measured(claim, result_set, device)]
    return lines


def format_value(line, value):
    return f"{100 * value:.1f} %" if line["kind"] == "share" else f"{value:.3f}"


def cell(text):
    """Fit for a table of Markdown."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def markdown_row(line):
    if line["verdict"] == NOT_MEASURED:
        verdict = f"not measured: run `{line['run']}`"
        return [line["claim"], line["source"], "; ".join(line["notes"]), line["device"], "",
                verdict]
    notes = "".join(f"; {note}" for note in line["notes"])
    measured = f"**{format_value(line, line['value'])}** {line['measured']}, {line['at']}{notes}"
    ci = line["ci"]
    interval = f"{format_value(line, ci[0])} to {format_value(line, ci[1])}" if ci else "none"
    verdict = ": ".join(filter(None, (line["verdict"], line["seen"])))
    return [line["claim"], line["source"], measured, line["device"], interval, verdict]


def unused_lines(result_set):
    """Rows that were not used, those with the same reason together."""
    rows = sorted(result_set.unused, key=lambda row: (row.label, row.unused))
    for (label, reason), same in itertools.groupby(rows, lambda row: (row.label, row.unused)):
        yield {"strategy": label, "reason": reason, "rows": len(list(same))}


def markdown(report):
    """The report as a page."""
    device = report["device"]
    out = [f"# Claims, measured on {device['name']}", "",
           f"Driver: {device['driver']}. Commit: {', '.join(report['commits'])}. "
           f"{len(report['files'])} files.", ""]
    if device["software"]:
        out += ["**A software device: nothing here says anything about a GPU.**", ""]
    if len(report["commits"]) > 1:
        out += ["The files are of different builds.", ""]
    out += ["| claim | source | measured | device | 95 % interval | verdict |",
            "|---|---|---|---|---|---|"]
    out += ["| " + " | ".join(cell(text) for text in markdown_row(line)) + " |"
            for line in report["claims"]]
    out += ["", "A ratio is of the time that is said to be shorter over the other; below 1 the "
            "claim is borne out. A share is claimed to be about a value; a factor of 1.5 to both "
            "sides is taken for that. `scripts/claims.py --help` says how verdicts come about."]
    if report["unused"]:
        out += ["", "Not used:", ""]
        out += [f"- {cell(row['strategy'])}, {row['rows']} rows: {cell(row['reason'])}"
                for row in report["unused"]]
    return "\n".join(out) + "\n"


def make_report(result_set, options):
    first = result_set.sources[0]
    return {
        "schema": {"name": claims_data.SCHEMA, "version": VERSION},
        "device": {"name": first.device, "type": first.type, "driver": first.driver,
                   "software": result_set.is_software()},
        "commits": result_set.commits(),
        "files": [claims_data.display_name(source.path) for source in result_set.sources],
        "few_texels": options.few,
        "seed": options.seed,
        "claims": judge_all(result_set, options),
        "unused": list(unused_lines(result_set)),
    }


def outputs(options):
    """The files that are written: Markdown, JSON; none where the page goes to stdout."""
    folder = options.out
    return [pathlib.Path(folder) / name for name in OUTPUTS] if folder is not None else []


def write_report(report, files):
    page = markdown(report)
    if not files:
        print_whole(page)
        return
    files[0].parent.mkdir(parents=True, exist_ok=True)
    for path, text in zip(files, (page, json.dumps(report, indent=2, allow_nan=False) + "\n")):
        write_whole(path, text)


def start(arguments):
    options = parse_options(arguments)
    if options.commands:
        print_whole("".join(f"{name}\t{'repeated' if repeated else 'once'}\t{' '.join(command)}\n"
                            for name, repeated, command in commands()))
        return 0
    result_set = claims_data.ResultSet(options.inputs)
    refuse_inputs(outputs(options), [source.path for source in result_set.sources])
    report = make_report(result_set, options)
    try:
        write_report(report, outputs(options))
    except OSError as error:
        raise OutputError(f"{options.out}: {error.strerror}") from error
    return 0


def main(arguments):
    return command_line.run("claims", start, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
