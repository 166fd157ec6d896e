#!/usr/bin/env python3
"""usage: check_readers.py ROOT

The scripts that read results decide nothing that mipbench has decided: no statistic, no label and
no verdict is made in Python, of one file or of several."""

import ast
import pathlib
import re
import sys

# What a name of mipbench's own figures has in it.
STATISTICS_OWN = re.compile(r"(median|quantile|percentile|mean|stdev|bootstrap|resampl|student|lag1"
                            r"|block_length|expanded_tail|wilcoxon|holm)", re.I)
# In a text that is shown: of who is fastest mipbench's own sentences are.
VERDICT = re.compile(r"\bis (the )?fastest\b|than the noise|x faster than|No ranking")
STATISTICS = re.compile(r"(median|quantile|percentile|mean|std|var|average|erfc?|l?gamma)s?$")


def docstrings(tree):
    return {id(node.body[0].value) for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body
            and isinstance(node.body[0], ast.Expr)}


def imported(node):
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names}
    return {node.module} if isinstance(node, ast.ImportFrom) else set()


def problems_of(tree):
    """(line, what is wrong)"""
    silent = docstrings(tree)
    for node in ast.walk(tree):
        for module in imported(node) & {"statistics", "random"}:
            yield node.lineno, f"imports {module}"
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) \
                and STATISTICS_OWN.search(node.name):
            yield node.lineno, f"{node.name} is mipbench's to compute"
        if isinstance(node, ast.Constant) and isinstance(node.value, str) \
                and id(node) not in silent and VERDICT.search(node.value):
            yield node.lineno, f"a verdict of its own: '{node.value}'"
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        yield from statistics_in(function)


def statistics_in(function):
    """Calls of a library's, and of what tails are made of."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
                and STATISTICS.match(node.func.attr) and isinstance(node.func.value, ast.Name) \
                and node.func.value.id in ("np", "numpy", "statistics", "math"):
            yield node.lineno, f"{node.func.value.id}.{node.func.attr}() in {function.name}()"


def main():
    folder = pathlib.Path(sys.argv[1]) / "scripts"
    files = sorted(folder.rglob("*.py"))
    problems = []
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        problems += [f"{path.name}:{line}: {what}"
                     for line, what in sorted(set(problems_of(tree)))]
    print("\n".join(problems) or f"{len(files)} files, none of which decides")
    sys.exit(1 if problems or not files else 0)


if __name__ == "__main__":
    main()
