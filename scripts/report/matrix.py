"""Who is fastest where: for each size and task the fastest strategy that loses nothing, coloured by how
far ahead it is, and in the same cell what is faster and loses something."""

import collections
import math

from .words import esc, range_text, ratio_text, result_words, size_text, time_text

MOST_COLUMNS = 8  # of a table side by side
MOST_FACTOR = 3.0  # from which on the colour is at its darkest
DARKEST = 62       # per cent of the scale's colour in it
STEPS = (1.05, 1.25, 1.5, 2.0, MOST_FACTOR)  # shown in the legend

# What a cell says: who, its time, the factor to the runner-up in words and as a number, if there is one.
Entry = collections.namedtuple("Entry", "name time ratio factor")


def task_order(task):
    """What most textures are comes first, the same format under another reduction after it."""
    first, _, rest = task.partition(",")
    return not first.startswith("rgba8"), first, rest


class Matrix:
    """The timings of one condition, by task and size."""

    def __init__(self, timings):
        self.cells = {}
        for timing in timings:
            key = timing.case.words(with_size=False), timing.case.size
            self.cells.setdefault(key, []).append(timing)
        self.tasks = sorted({task for task, _ in self.cells}, key=task_order)
        self.sizes = sorted({size for _, size in self.cells},
                            key=lambda size: (size[0] * size[1], size))
        self.is_tall = len(self.sizes) > MOST_COLUMNS and len(self.tasks) < len(self.sizes)
        names = collections.Counter(entry.name for entry in map(exact, self.cells.values())
                                    if entry and entry.factor)
        self.usual = names.most_common(1)[0][0] if names else ""

    def outer(self):
        return self.sizes if self.is_tall else self.tasks

    def inner(self):
        return self.tasks if self.is_tall else self.sizes

    def timings(self, outer, inner):
        return self.cells.get((inner, outer) if self.is_tall else (outer, inner), [])


def exact(timings):
    """The Entry of the fastest that loses nothing; None where there is none."""
    ranked = [it for it in timings if it.rankings and it.rankings[0].question != "any"]
    if not ranked:
        return None
    if len(timings) > 1:
        return of_many(timings, [it for it in ranked if it.lead == "clear"])
    timing, = ranked
    row, tied = timing.fastest(), timing.rankings[0].tied
    time = time_text(row.stats.median)
    if timing.lead == "tied" and tied:
        others = tied[0] if len(tied) == 1 else f"{len(tied)} others"
        return Entry(f"{row.label} ≈ {others}", time, "tie", None)
    if timing.lead == "clear" and timing.next_ratio:
        return Entry(row.label, time, f"{ratio_text(timing.next_ratio)}x", timing.next_ratio)
    return Entry(row.label, time, "few samples" if timing.lead == "too few" else "", None)


def of_many(timings, clear):
    """Several images of one size: who wins most of them."""
    if not clear:
        few = all(it.lead == "too few" for it in timings)
        return Entry(f"no winner in {len(timings)}", "", "few samples" if few else "tie", None)
    label, n = collections.Counter(it.rankings[0].fastest for it in clear).most_common(1)[0]
    won = [it for it in clear if it.rankings[0].fastest == label]
    ratios = [it.next_ratio for it in won if it.next_ratio]
    share = "" if n == len(timings) else f", {n} of {len(timings)}"
    return Entry(label + share, range_text([it.fastest().stats.median for it in won], time_text),
                 f"{range_text(ratios, ratio_text)}x" if ratios else "", min(ratios, default=None))


def other(timings):
    """'spd 0.82x, drops edges': what is faster and loses something; '' where nothing is."""
    found = []
    for timing in timings:
        ranking = timing.ranking("any")
        row = timing.row_of(ranking.fastest) if ranking and ranking.sentence else None
        found += [row] if row else []
    if not found:
        return ""
    label, n = collections.Counter(row.label for row in found).most_common(1)[0]
    rows = [row for row in found if row.label == label]
    ratios = [row.relative.ratio for row in rows if row.relative.ratio]
    share = "" if n == len(timings) else f" in {n} of {len(timings)}"
    factor = f" {range_text(ratios, ratio_text)}x" if ratios else ""
    return f"{label}{factor}{share}, {result_words(rows[0])}"


def why_not(timings):
    """Of a cell without an exact winner."""
    rows = [row for timing in timings for row in timing.rows if not row.diagnostic]
    if rows and all(row.status == "skipped" for row in rows):
        return "unsupported"
    return "failed" if any(row.status == "failed" for row in rows) else "no winner"


def outer_text(value):
    return value if isinstance(value, str) else size_text(value)


def heat(factor):
    """How much of the scale's colour is in a cell."""
    share = min(1.0, max(0.0, math.log(factor) / math.log(MOST_FACTOR)))
    return f"--h:{6 + (DARKEST - 6) * share:.0f}%"


def legend(matrix):
    steps = "".join(f'<span class="step" style="{heat(step)}">{step:g}x'
                    f'{" and more" if step == MOST_FACTOR else ""}</span>' for step in STEPS)
    return (f'<p class="scale"><span>A cell without a name: {esc(matrix.usual)}. The runner-up is slower by:'
            f"</span> {steps}</p>") if matrix.usual else ""


def table(matrix, link):
    """`link`: the address of the details of a timing. Several tables where there are many columns in
    both directions."""
    inner = matrix.inner()
    return legend(matrix) + "".join(part(matrix, inner[at:at + MOST_COLUMNS], link)
                                    for at in range(0, len(inner), MOST_COLUMNS))


def part(matrix, inner, link):
    heads = "".join(f'<th scope="col" role="columnheader">{esc(outer_text(value))}</th>' for value in inner)
    rows = "".join(
        f'<tr role="row"><th scope="row" role="rowheader">{esc(outer_text(outer))}</th>'
        + "".join(cell(matrix, outer, value, link) for value in inner) + "</tr>"
        for outer in matrix.outer() if any(matrix.timings(outer, value) for value in inner))
    return (f'<table class="matrix" style="max-width:{9 + 12 * len(inner)}rem" role="table" '
            'aria-label="fastest strategies by size and format"><thead role="rowgroup"><tr role="row">'
            f'<td></td>{heads}</tr></thead><tbody role="rowgroup">{rows}</tbody></table>')


def cell(matrix, outer, inner, link):
    timings, column = matrix.timings(outer, inner), esc(outer_text(inner))
    if not timings:
        return '<td role="cell"></td>'
    entry, faster = exact(timings), other(timings)
    small = f"<small>{esc(faster).replace(':', ':<wbr>')}</small>" if faster else ""
    if entry is None:
        return f'<td role="cell" class="no"><a data-at="{column}" href="#{link(timings[0])}">' \
               f"{why_not(timings)}{small}</a></td>"
    name = f"<em>{esc(entry.name)}</em>" if entry.name != matrix.usual else ""
    look = f'class="won" style="{heat(entry.factor)}"' if entry.factor else 'class="won open"'
    return (f'<td role="cell" {look}><a data-at="{column}" href="#{link(timings[0])}">{name}'
            f"<b>{esc(entry.time)}</b> <i>{esc(entry.ratio)}</i>{small}</a></td>")
