"""Bars of the kernels of manifests beside built-in strategies, a panel for each of two sizes: solid
where the result is exact, hatched where it is not, the device's floor as a line."""

from . import svg
from .figures import Figure, NoData
from .words import list_words, size_text, time_text

SIZES = ((1920, 1080), (4096, 4096))  # where they were measured, else the largest
ROW, BAR, STRIPE = 26, 16, 7
OURS, OTHERS = 0, 10  # colours of looks.PALETTE
LOSSES = {"floor": "edge rows dropped", "blit": "two taps where three are needed", "fp16": "half floats"}
BOLD = 1.1    # as wide as other text


def panels(timings):
    """One timing for each size that is drawn, all under one condition."""
    by_size = {timing.case.size: timing for timing in timings if timing.timed()}
    if not by_size:
        raise NoData("nothing was timed")
    largest = max(by_size, key=lambda size: size[0] * size[1])
    return [by_size[size] for size in SIZES if size in by_size] or [by_size[largest]]


def chosen(timing, kernels):
    """{name: row}: of each kernel its fastest exact variant, else its fastest; each strategy of ours."""
    found = {}
    rows = [row for row in timing.timed() if not row.diagnostic]
    for row in sorted(rows, key=lambda row: not row.loses_nothing()):
        found.setdefault(row.strategy if row.strategy in kernels else row.label, row)
    return found


def loss_of(row):
    if row.status == "failed" or row.verify.status == "fail":
        return "wrong texels"
    return LOSSES.get(row.variant.answer, row.variant.answer or "not judged")


def by_time(name, found):
    """Its mean factor to the fastest of each panel; what is in fewer panels comes later."""
    factors = [rows[name].stats.median / min(row.stats.median for row in rows.values())
               for rows in found if name in rows]
    return -len(factors), sum(factors) / len(factors)


def hatched(x, y, width, css, title):
    """A bar of an outline and of lines from its lower edge to its upper one."""
    moves = []
    for begin in range(-BAR, int(width), STRIPE):
        low, high = max(begin, 0), min(begin + BAR, width)
        if low < high:
            foot = y + BAR + begin  # where the line would meet the bar's left edge
            moves.append(f"M{x + low:.1f},{foot - low:.1f}L{x + high:.1f},{foot - high:.1f}")
    return svg.rect(x, y, width, BAR, f"t{css}", title) + svg.path(moves, f"k{css} thin")


def panel(timing, rows, names, kernels, left, right):
    """The bars of one size; `right`: where its longest time ends."""
    bottom = 24 + ROW * len(names)
    room = right - left - svg.width_of("000.0 us") - 6
    longest = max(row.stats.median for row in rows.values())
    parts = [svg.text(left, 14, size_text(timing.case.size), css="b")]
    for index, name in enumerate(names):
        y, row = 24 + ROW * index, rows.get(name)
        if row is None:
            parts += [svg.text(left, y + 13, "–", css="soft")]
            continue
        width, time = room * row.stats.median / longest, time_text(row.stats.median)
        title = f"{row.label}: {time}" + ("" if row.loses_nothing() else f", {loss_of(row)}")
        css = OTHERS if name in kernels else OURS
        parts += [svg.rect(left, y, width, BAR, f"f{css}", title) if row.loses_nothing()
                  else hatched(left, y, width, css, title),
                  svg.text(left + width + 6, y + 13, time)]
    if timing.floor and timing.floor < longest:
        x = left + room * timing.floor / longest
        parts += [svg.line(x, 20, x, bottom, "edge"),
                  svg.text(max(left, x - 60), bottom + 16, f"floor {time_text(timing.floor)}", css="soft")]
    return parts


def losses(found, names):
    """'At 1920×1080, edge rows dropped: a and b.'"""
    for timing, rows in found:
        reasons = {}
        for name in names:
            if name in rows and not rows[name].loses_nothing():
                reasons.setdefault(loss_of(rows[name]), []).append(name)
        for reason, who in reasons.items():
            yield f" At {size_text(timing.case.size)}, {reason}: {list_words(who)}."


def published(timings, kernels, width):
    """`timings`: those of one condition; `kernels`: the strategies that are kernels of manifests."""
    drawn = [(timing, chosen(timing, kernels)) for timing in panels(timings)]
    names = sorted({name for _, rows in drawn for name in rows},
                   key=lambda name: by_time(name, [rows for _, rows in drawn]))
    if not any(name in kernels for name in names):
        raise NoData("no kernel of a manifest was timed", "--kernel FILE.json")
    first = BOLD * max(map(svg.width_of, names)) + 8
    step = (width - first) / len(drawn)
    parts = [svg.text(4, 24 + ROW * index + 13, name, css="" if name in kernels else "b")
             for index, name in enumerate(names)]
    for index, (timing, rows) in enumerate(drawn):
        left = first + step * index
        parts += panel(timing, rows, names, kernels, left, left + step)
    case = drawn[0][0].case
    words = "; ".join(f"{size_text(timing.case.size)}: " + ", ".join(
        f"{name} {time_text(rows[name].stats.median)}" for name in names if name in rows)
        for timing, rows in drawn)
    return Figure(f"{case.run.name()}: {case.words(with_size=False)}, {drawn[0][0].condition}",
                  svg.drawing(width, 24 + ROW * len(names) + 22, parts, f"Published kernels. {words}"),
                  "Medians; bold and blue: ours. Of each published kernel its fastest exact variant, else "
                  "its fastest. Hatched: not exact. Dashed: the floor, the time that the memory traffic "
                  "or an empty dispatch takes." + "".join(losses(drawn, names)))
