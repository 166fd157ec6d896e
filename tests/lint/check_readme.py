#!/usr/bin/env python3
"""usage: check_readme.py ROOT MIPBENCH

What README.md tells the reader to type exists: every path of the repository that it names, every
option of mipbench (in --help), of our scripts (in their --help), and every strategy in a command
line (in `mipbench list strategies`)."""

import pathlib
import re
import subprocess
import sys

PATHS = re.compile(r"\b(?:scripts|src|strategies|shaders|tests|results|\.ci)/[\w./-]*\w")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z])(?![\w-])")
STRATEGY = re.compile(r"(?:-s|--strategy)[ =]['\"]?([\w:=,*-]+)")


def code_of(text):
    """Command lines of fenced blocks, continuation lines joined, then inline code spans."""
    lines = []
    for block in re.findall(r"^```\w*\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL):
        lines += re.sub(r"\\\n\s*", " ", block).splitlines()
    without_blocks = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return lines + [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", without_blocks)]


def help_of(command):
    result = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True,
                            stdin=subprocess.DEVNULL)
    return set(OPTION.findall(result.stdout))


def check_paths(text, root):
    for name in sorted(set(PATHS.findall(text))):
        # NAME stands for the reader's own.
        if "NAME" not in name and not (root / name).exists():
            yield f"{name}: does not exist"


def check_options(line, script_help, mipbench_help):
    """`line` without its comment is one command, or a span that is an option."""
    words = line.split(" #")[0].strip()
    script = re.search(r"scripts/[\w-]+\.(?:sh|py)", words)
    ours, _, passed_on = words.partition(" -- ")
    if script:
        for option in OPTION.findall(ours):
            if option not in script_help(script.group(0)):
                yield f"{option}: not an option of {script.group(0)}"
    elif re.match(r"(\S*/)?mipbench\b|-", words):
        passed_on = words
    for option in OPTION.findall(passed_on):
        if option not in mipbench_help and option not in ("--yes", "--tests"):
            yield f"{option}: not in mipbench --help"


def check_strategies(text, known):
    for specs in STRATEGY.findall(text):
        for spec in specs.split(","):
            name = spec.split(":")[0]
            if name not in known and name != "all" and "NAME" not in name:
                yield f"{name}: not in mipbench list strategies"


def main():
    root, mipbench = pathlib.Path(sys.argv[1]), sys.argv[2]
    if not pathlib.Path(mipbench).is_file():
        sys.exit(f"{mipbench}: not there")
    text = (root / "README.md").read_text(encoding="utf-8")
    verbs = ("run", "list", "compare", "tune", "export", "inspect", "help")
    mipbench_help = set().union(*(help_of([mipbench, verb]) for verb in verbs))
    listing = subprocess.run([mipbench, "list", "strategies"], check=True,
                             capture_output=True, text=True).stdout
    known = set(re.findall(r"[\w-]+", listing))
    code = code_of(text)
    problems = list(check_paths(text, root))
    for line in code:
        problems += check_options(line, lambda script: help_of([str(root / script)]),
                                  mipbench_help)
    problems += check_strategies("\n".join(code), known)
    if not code:
        problems.append("README.md: no command in it")
    print("\n".join(problems) or f"{len(code)} command lines and code spans, all true")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
