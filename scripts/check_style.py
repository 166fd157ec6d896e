#!/usr/bin/env python3
"""Checks the limits of the house style that a formatter cannot see.

    functions  at most 60 lines, signature included, in C and GLSL
    parameters at most 6 of a function, in C
    files      at most 800 lines, in C, GLSL, Python and shell
    nesting    at most 3 control statements deep, in C
    words      no note about unfinished work

A comment with "long: REASON" right before a function, or within the first 20 lines of a file, permits a longer one.
Sizes do not apply to tests/.

usage: scripts/check_style.py [ROOT]       exit 1 and a line for each violation
"""

import pathlib
import re
import sys

MAX_FUNCTION_LINES = 60
MAX_FILE_LINES = 800
MAX_PARAMETERS = 6
MAX_NESTING = 3
INDENT_COLUMNS = 4

C_SUFFIXES = {".c", ".h"}
GLSL_SUFFIXES = {".comp", ".vert", ".frag", ".glsl"}
SIZED_SUFFIXES = C_SUFFIXES | GLSL_SUFFIXES | {".py", ".sh"}
TEXT_SUFFIXES = SIZED_SUFFIXES | {".build", ".md", ".json", ".txt", ".in", ".scd", ".supp"}
FOLDERS = ("src", "strategies", "shaders", "kernels", "scripts", "tests", "doc", ".ci")

# Split so that this file does not match itself.
UNDONE = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
EXCUSE = re.compile(r"\blong:\s*[A-Za-z0-9]")
CONTROL = re.compile(r"^( *)(?:\} else )?(if \(|for \(|while \(|switch \(|do \{)")


def find_files(root):
    for path in sorted(root.glob("*")):
        if path.is_file():
            yield path
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def find_functions(lines):
    """(first, last) line index of each function: a brace that opens in column 0, or at the end
    of an unindented line that closes a parameter list, up to the next one in column 0."""
    open_brace = None
    for index, line in enumerate(lines):
        if line.rstrip() == "}" and open_brace is not None:
            yield signature_begin(lines, open_brace), index
            open_brace = None
        elif re.match(r"\{\s*$", line) or re.match(r"[A-Za-z_].*\)\s*\{\s*$", line):
            open_brace = index


def signature_begin(lines, open_brace):
    """Walk up from the brace over the lines of the signature."""
    begin = open_brace
    while begin > 0 and re.match(r"[A-Za-z_ ].*[^;}/]\s*$", lines[begin - 1]):
        begin -= 1
    return begin


def comment_before(lines, begin):
    """The comment that ends on the line before `begin`, or ''."""
    end = begin
    if end == 0 or not re.search(r"\*/\s*$|^\s*//", lines[end - 1]):
        return ""
    first = end - 1
    while first > 0 and lines[first - 1].strip() and "/*" not in lines[first]:
        first -= 1
    return "\n".join(lines[first:end])


def check_functions(lines):
    for first, last in find_functions(lines):
        n_lines = last - first + 1
        if n_lines > MAX_FUNCTION_LINES and not EXCUSE.search(comment_before(lines, first)):
            yield first + 1, f"function of {n_lines} lines, more than {MAX_FUNCTION_LINES}"


def count_parameters(signature):
    """The number of parameters; commas within a parameter's own brackets do not count."""
    n_parameters, depth = 1, 0
    for character in signature[signature.index("("):]:
        depth += (character in "([") - (character in ")]")
        n_parameters += character == "," and depth == 1
        if depth == 0:
            break
    return n_parameters


def check_parameters(lines):
    code = without_comments(lines)
    for first, last in find_functions(lines):
        signature = re.match(r"[^({]*?(\w+)\([^{]*", "\n".join(code[first:last]))
        if not signature:
            continue
        n_parameters = count_parameters(signature.group(0))
        if n_parameters > MAX_PARAMETERS and not EXCUSE.search(comment_before(lines, first)):
            yield first + 1, (f"function of {n_parameters} parameters, more than "
                              f"{MAX_PARAMETERS}")


def without_comments(lines):
    """The lines with block comments blanked; column 0 of what remains is kept."""
    blank = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group(0)),
                   "\n".join(lines), flags=re.DOTALL)
    return blank.split("\n")


def check_nesting(lines):
    """clang-format's indentation tells the depth; continuation lines begin with no keyword."""
    for number, line in enumerate(without_comments(lines), 1):
        match = CONTROL.match(line)
        if match and len(match.group(1)) > MAX_NESTING * INDENT_COLUMNS:
            yield number, f"'{match.group(2)[:-2]}' nested more than {MAX_NESTING} deep"


def check_words(lines):
    for number, line in enumerate(lines, 1):
        match = UNDONE.search(line)
        if match:
            yield number, f"'{match.group(0)}' left behind"


def check_sizes(path, lines):
    if len(lines) > MAX_FILE_LINES and not EXCUSE.search("\n".join(lines[:20])):
        yield 1, f"file of {len(lines)} lines, more than {MAX_FILE_LINES}"
    if path.suffix in C_SUFFIXES | GLSL_SUFFIXES:
        yield from check_functions(lines)
    if path.suffix in C_SUFFIXES:
        yield from check_parameters(lines)
        yield from check_nesting(lines)


def check_file(path, root):
    relative = path.relative_to(root)
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    problems = list(check_words(lines))
    if relative.parts[0] != "tests" and path.suffix in SIZED_SUFFIXES:
        problems += check_sizes(path, lines)
    return [f"{relative}:{number}: {problem}" for number, problem in problems]


def is_text(path):
    return path.suffix in TEXT_SUFFIXES or path.parent.name == ".ci"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    if not (root / "src").is_dir():
        sys.exit(f"{root}: no src/ here")
    problems = []
    for path in find_files(root):
        if is_text(path):
            problems += check_file(path, root)
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
