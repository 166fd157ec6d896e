#!/usr/bin/env python3
"""usage: check_figures.py ROOT

The tables of README.md and doc/*.md below a line

    <!-- figures: FILE [FORMAT] -->

hold what the results in FILE do, of those in FORMAT: medians in microseconds, cold, with a size for
each column and a variant for each row. A word of FILE in capitals is the row's column of that name;
an empty cell has the value above it. "best other" is the fastest exact one but spd-tree, brackets
mean that a row is not exact, "wrong" that it failed verification, "-" that it was skipped.
"N of these M cells" below a table counts those in which spd-tree is named the fastest."""

import functools
import json
import pathlib
import re
import sys

TABLE = re.compile(r"<!-- figures: (\S+)(?: (\S+))? -->\n((?:\|[^\n]*\n)+)(.*?)(?=\n## |<!-- figures|\Z)", re.DOTALL)
SIZE = re.compile(r"\d+x\d+$")
COUNT = re.compile(r"(\d+) of these (\d+) cells")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows(table):
    """Each row as a dictionary by column."""
    head, _, *lines = table.splitlines()
    above = {}
    for line in lines:
        row = dict(zip(cells(head), cells(line)))
        above = {name: value or above.get(name, "") for name, value in row.items()}
        yield above


@functools.cache
def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


class Cell:
    """What a file says of one size, in one format if it has several."""

    def __init__(self, path, size, texels=""):
        case, = [c for c in load(path)["cases"] if f"{c['width']}x{c['height']}" == size
                 and texels in ("", c["format"])]
        timing, = [t for t in case["timings"] if (t["cache"], t["mode"]) == ("cold", "latency")]
        labels = {variant["id"]: variant["label"] for variant in case["variants"]}
        self.status = {variant["label"]: variant["status"] for variant in case["variants"]}
        self.medians = {labels[row["variant"]]: row["stats"]["median_ns"] / 1000
                        for row in timing["rows"] if row["stats"]}
        ranking, = [r for r in timing["rankings"] if r["question"] == "exact"]
        self.exact = [labels[variant] for variant in ranking["order"]]
        self.winners = [labels[variant] for variant in [ranking["fastest"], *ranking["tied"]]]

    def text(self, strategy):
        if strategy == "best other":
            return f"{min(self.medians[name] for name in self.exact if name != 'spd-tree'):.1f}"
        if self.status[strategy] != "ok":
            return {"failed": "wrong", "skipped": "-"}[self.status[strategy]]
        figure = f"{self.medians[strategy]:.1f}"
        return figure if strategy in self.exact else f"({figure})"


def check_table(root, name, pattern, texels, table, below):
    """Problems, and how many figures there are."""
    problems, n_figures, winners = [], 0, []
    for row in rows(table):
        path = root / re.sub(r"\b[A-Z]{2,}\b", lambda m, row=row: row[m.group().lower()], pattern)
        for size in filter(SIZE.match, row):
            cell = Cell(path, size, texels)
            want = cell.text(row["strategy"].strip("`"))
            n_figures += 1
            winners += [cell.winners] if row["strategy"] == "`spd-tree`" else []
            if row[size] != want:
                problems.append(f"{name}: {path.name}: {row['strategy']} at {size}: "
                                f"{row[size]}, not {want}")
    for count in COUNT.findall(below):
        want = str(winners.count(["spd-tree"])), str(len(winners))
        if count != want:
            problems.append(f"{name}: {' of '.join(count)} cells, not {' of '.join(want)}")
    return problems, n_figures


def main():
    root = pathlib.Path(sys.argv[1])
    problems, n_figures = [], 0
    for page in [root / "README.md", *sorted((root / "doc").glob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        tables = TABLE.findall(text)
        if len(tables) != text.count("<!-- figures:"):
            problems.append(f"{page.name}: a figures comment without a table below it")
        for table in tables:
            found, n = check_table(root, page.name, *table)
            problems += found
            n_figures += n
    if n_figures < 100:
        problems.append(f"only {n_figures} figures were found")
    print("\n".join(problems) or f"{n_figures} figures, all as in results/reference")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
