"""Who wins where: for each size and task the fastest exact one, and what is faster and loses
something. As a table for the page, and as a picture."""

import collections

from . import svg
from .words import NOTHING, esc, range_text, ratio_text, size_text, time_text

MOST_COLUMNS = 8  # of a table side by side

# What a cell says: who, its time, how long the next one takes, and whose colour it has.
Entry = collections.namedtuple("Entry", "name time ratio label")


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
    if timing.lead == "tied" and tied:
        others = tied[0] if len(tied) == 1 else f"{len(tied)} others"
        return Entry(f"{row.label} ≈ {others}", time_text(row.stats.median), "tied", "")
    ratio = {"clear": f"{ratio_text(timing.next_ratio)}×" if timing.next_ratio else "",
             "too few": "too few samples"}.get(timing.lead, "")
    return Entry(row.label, time_text(row.stats.median), ratio, row.label)


def of_many(timings, clear):
    """Several images of one size: who wins most of them."""
    if not clear:
        few = all(it.lead == "too few" for it in timings)
        return Entry(f"no winner in {len(timings)}", "", "too few samples" if few else "tied", "")
    label, n = collections.Counter(it.rankings[0].fastest for it in clear).most_common(1)[0]
    won = [it for it in clear if it.rankings[0].fastest == label]
    ratios = [it.next_ratio for it in won if it.next_ratio]
    share = f"all {n}" if n == len(timings) else f"{n} of {len(timings)}"
    return Entry(f"{label}, {share}",
                 range_text([it.fastest().stats.median for it in won], time_text),
                 f"{range_text(ratios, ratio_text)}×" if ratios else "", label)


def other(timings):
    """The Entry of what is faster and loses something; None where nothing is."""
    found = []
    for timing in timings:
        ranking = timing.ranking("any")
        row = timing.row_of(ranking.fastest) if ranking and ranking.sentence else None
        found += [(timing, row)] if row else []
    if not found:
        return None
    label, n = collections.Counter(row.label for _, row in found).most_common(1)[0]
    rows = [row for _, row in found if row.label == label]
    ratios = [row.relative.ratio for row in rows if row.relative.ratio]
    share = "" if len(timings) == 1 else f", {n} of {len(timings)}"
    return Entry(label + share, range_text([row.stats.median for row in rows], time_text),
                 f"{range_text(ratios, ratio_text)}×" if ratios else "", label)


def why_not(timings):
    """Of a cell without an exact winner."""
    if not timings:
        return "not measured"
    rows = [row for timing in timings for row in timing.rows if not row.diagnostic]
    if rows and all(row.status == "skipped" for row in rows):
        return "unsupported"
    return "failed" if any(row.status == "failed" for row in rows) else "no winner"


def outer_text(value):
    return value if isinstance(value, str) else size_text(value)


def table(matrix, looks, link):
    """`link`: the address of the details of a timing. Several tables where there are many columns
    in both directions."""
    inner = matrix.inner()
    return "".join(part(matrix, inner[at:at + MOST_COLUMNS], looks, link)
                   for at in range(0, len(inner), MOST_COLUMNS))


def part(matrix, inner, looks, link):
    heads = "".join(f'<th scope="col" role="columnheader">'
                    f"{esc(outer_text(value)).replace('×', '×<wbr>')}</th>"
                    for value in inner)
    bodies = "".join(body(matrix, outer, inner, looks, link) for outer in matrix.outer())
    return (f'<table class="matrix" style="max-width:{11 + 11 * len(inner)}rem" role="table" '
            f'aria-label="who wins, by size and format"><thead role="rowgroup"><tr role="row"><td></td><td></td>{heads}</tr></thead>'
            f"{bodies}</table>")


def body(matrix, outer, inner, looks, link):
    """A row for what is exact, and one for any where something else is faster."""
    groups = [matrix.timings(outer, value) for value in inner]
    rows = [("exact", [exact(found) for found in groups])]
    others = [other(found) for found in groups]
    if any(others):
        rows += [("any", others)]
    out = ""
    for index, (kind, entries) in enumerate(rows):
        head = "" if index else (f'<th scope="rowgroup" role="rowheader" rowspan="{len(rows)}">'
                                 f"{esc(outer_text(outer))}</th>")
        cells = "".join(cell(kind, entry, found, looks, link, outer_text(value))
                        for entry, found, value in zip(entries, groups, inner))
        out += (f'<tr role="row" class="{kind}">{head}<th scope="row" role="rowheader">{kind}</th>'
                f"{cells}</tr>")
    return f'<tbody role="rowgroup">{out}</tbody>'


def cell(kind, entry, timings, looks, link, column):
    where = f'role="cell" data-at="{esc(column)}"'
    if entry is None:
        said = ("none faster" if exact(timings) else NOTHING) if kind == "any" else why_not(timings)
        return f'<td {where} class="no">{said}</td>'
    colour = f' style="--c:var(--s{looks[entry.label].colour})"' if entry.label in looks else ""
    # A name goes to the next line before it is broken at its hyphen.
    name = " ".join(f"<span>{esc(word)}</span>" for word in entry.name.split(" "))
    words = (f"<b>{name}</b> <span>{esc(entry.time)}</span> "
             f"<i>{esc(entry.ratio)}</i>")
    return (f'<td {where} class="won"{colour}><a data-at="{esc(column)}" '
            f'href="#{link(timings[0])}">{words}</a></td>')


CELL, HEAD, LINE = 154, 150, 21

HOW = ("In a cell: the fastest exact one, its median time, and the next one's as a multiple of that. "
       "Beneath it what is faster but not exact, and its time as a fraction of the exact one's.")


def picture(matrix, looks):
    """The same, as SVG; of all columns."""
    inner, outer = matrix.inner(), matrix.outer()
    head = max([HEAD, *(svg.width_of(outer_text(value)) + 20 for value in outer)])
    cell_width = max([CELL, *(svg.width_of(outer_text(value)) + 12 for value in inner)])
    width = head + cell_width * len(inner) + 8
    parts = [svg.text(head + cell_width * (index + 0.5), 16, outer_text(value), "middle", "soft")
              for index, value in enumerate(inner)]
    y = 26
    for value in outer:
        groups = [matrix.timings(value, at) for at in inner]
        has_other = any(map(other, groups))
        height = LINE * (3 if has_other else 2) + 8
        parts += [svg.text(6, y + 18, outer_text(value), css="b")]
        parts += [svg.text(6, y + 18 + 2 * LINE, "faster, not exact", css="soft")] if has_other else []
        for index, found in enumerate(groups):
            parts += picture_cell(head + cell_width * index, y, cell_width - 4, found, looks)
        y += height + 4
    said = "; ".join(f"{outer_text(a)} {outer_text(b)}: "
                     f"{entry.name if (entry := exact(matrix.timings(a, b))) else NOTHING}"
                     for a in outer for b in inner)
    return svg.drawing(width, y, parts, said)


def picture_cell(x, y, width, timings, looks):
    entry, cheaper = exact(timings), other(timings)
    parts = []
    if entry is None:
        parts += [svg.rect(x, y, width, 2 * LINE + 6, "none"),
                  svg.text(x + width / 2, y + 27, why_not(timings), "middle", "soft")]
    else:
        tint = f"t{looks[entry.label].colour}" if entry.label in looks else "none"
        is_tied = entry.ratio == "tied"
        parts += [svg.rect(x, y, width, 2 * LINE + 6, tint),
                  svg.text(x + 7, y + 18, svg.fitted("tied" if is_tied else entry.name, width - 12), css="b"),
                  svg.text(x + 7, y + 18 + LINE,
                           svg.fitted(entry.time if is_tied else f"{entry.time}  {entry.ratio}", width - 12))]
    if cheaper is not None:
        parts += [svg.text(x + 7, y + 20 + 2 * LINE,
                           svg.fitted(f"{cheaper.name} {cheaper.ratio}", width - 10), css="soft")]
    return parts
