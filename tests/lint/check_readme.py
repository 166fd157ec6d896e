#!/usr/bin/env python3
"""usage: check_readme.py ROOT MIPBENCH

What README.md and the pages of doc/ tell the reader exists: every link, every path of the
repository, every option of mipbench (in --help) and of our scripts (in their --help), and every
strategy in a command line (in `mipbench list strategies`, or of a manifest that a line names). Every page can be reached from README.md, which has at
most 170 lines. The packages of doc/install.md are those of scripts/setup.sh."""

import pathlib
import re
import subprocess
import sys

PATHS = re.compile(r"\b(?:scripts|src|strategies|shaders|tests|results|\.ci)/[\w./-]*\w")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-z])(?![\w-])")
FIGURES = re.compile("<!-- figures: .* -->")  # check_figures.py reads these files
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([\w-]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MAX_LINES = 170
SETUP_OPTIONS = ("--yes", "--tests", "--windows", "--aarch64")
PACKAGES = re.compile(r"(\w+_packages|(?:fedora|arch|msys2)_names)=[(\"]([^)\"]*)[)\"]")
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
        if option not in mipbench_help and option not in SETUP_OPTIONS:
            yield f"{option}: not in mipbench --help"


def check_strategies(text, known):
    for specs in STRATEGY.findall(text):
        for spec in specs.split(","):
            name = spec.split(":")[0]
            if name not in known and name != "all" and "NAME" not in name:
                yield f"{name}: not in mipbench list strategies"


def anchors(page):
    """As GitHub makes them of headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in HEADING.findall(text)}


def check_links(page, text, linked):
    """Adds the pages that it leads to to `linked`."""
    for name, anchor in LINK.findall(text):
        if not name.startswith("http"):
            target = (page.parent / name).resolve() if name else page
            linked |= {target} - {page}
            if not target.exists():
                yield f"{name}: does not exist"
            elif anchor and anchor not in anchors(target):
                yield f"{name}#{anchor}: no such heading"


def check_packages(root):
    shown = (root / "doc/install.md").read_text(encoding="utf-8")
    lists = dict(PACKAGES.findall((root / "scripts/setup.sh").read_text(encoding="utf-8")))
    command = re.search(r"apt-get install --no-install-recommends ((?:[^\n]*\\\n)*[^\n]*)", shown)[1]
    tables = dict(re.findall(r"^\| (Fedora|Arch|MSYS2) \| `([^`]*)` \|$", shown, re.MULTILINE))
    for name, text in (("build_packages", command.replace("\\\n", " ")),
                       ("fedora_names", tables["Fedora"]), ("arch_names", tables["Arch"]),
                       ("msys2_names", re.search("{(.*)}", tables["MSYS2"])[1].replace(",", " "))):
        for package in sorted(set(text.split()) ^ set(lists[name].split())):
            yield f"{package}: only in one of install.md and {name} of scripts/setup.sh"


class Known:
    """Options and strategies that there are."""

    def __init__(self, root, mipbench):
        verbs = ("run", "list", "compare", "report", "tune", "export", "inspect", "kernel", "help")
        self.root = root
        self.options = set().union(*(help_of([mipbench, verb]) for verb in verbs))
        listing = subprocess.run([mipbench, "list", "strategies"], check=True,
                                 capture_output=True, text=True).stdout
        self.strategies = set(re.findall(r"[\w-]+", listing))

    def check(self, text):
        code = code_of(text)
        yield from check_paths(text, self.root)
        for line in code:
            yield from check_options(line, lambda script: help_of([str(self.root / script)]),
                                     self.options)
        kernels = set(re.findall(r"--kernel ([\w-]+)\.json", "\n".join(code)))
        yield from check_strategies("\n".join(code), self.strategies | kernels)


def main():
    root, mipbench = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    if not pathlib.Path(mipbench).is_file():
        sys.exit(f"{mipbench}: not there")
    readme = root / "README.md"
    known, problems, linked = Known(root, mipbench), list(check_packages(root)), {readme}
    pages = [readme, *sorted((root / "doc").glob("*.md"))]
    for page in pages:
        text = FIGURES.sub("", page.read_text(encoding="utf-8"))
        found = list(check_links(page, text, linked))
        found += known.check(text)
        problems += [f"{page.name}: {problem}" for problem in found]
    problems += [f"{page.name}: no page links to it" for page in set(pages) - linked]
    n_lines = len(readme.read_text(encoding="utf-8").splitlines())
    if n_lines > MAX_LINES:
        problems.append(f"README.md: {n_lines} lines, not at most {MAX_LINES}")
    print("\n".join(problems) or f"{len(pages)} pages, all true")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
