"""Bars of the kernels of manifests beside built-in strategies, a panel for each of two sizes: solid
where the result is exact, hatched where it is not, the memory floor of the device as a line."""

import collections

from . import svg
from .figures import BESIDE, Figure, NoData, by_time
from .words import list_words, result_words, size_text, time_text

SIZES = ((1920, 1080), (4096, 4096))  # where they were measured, else the largest
ROW, BAR, STRIPE, HEAD, FOOT = 26, 16, 7, 24, 22
OURS, OTHERS = 0, 10  # colours of looks.PALETTE
BOLD = 1.1    # as wide as other text


def panels(timings):
    """One timing for each size that is drawn, all under one condition."""
    by_size = {timing.case.size: timing for timing in timings if timing.timed()}
    if not by_size:
        raise NoData("nothing was timed")
    largest = max(by_size, key=lambda size: size[0] * size[1])
    return [by_size[size] for size in SIZES if size in by_size] or [by_size[largest]]


def chosen(timing, kernels):
    """{name: row}: each strategy's fastest exact variant, or else its fastest. One of ours with a single variant has that
    one's name."""
    found = {}
    rows = [row for row in timing.timed() if not row.diagnostic]
    n_variants = collections.Counter(row.strategy for row in rows)
    for row in sorted(rows, key=lambda row: not row.loses_nothing()):
        is_label = row.strategy not in kernels and n_variants[row.strategy] == 1
        found.setdefault(row.label if is_label else row.strategy, row)
    return found


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
    bottom = HEAD + ROW * len(names)
    room = right - left - svg.width_of("000.0 us") - 6
    longest = max(row.stats.median for row in rows.values())
    has_floor = timing.floor and timing.floor < longest
    floor_x = left + room * timing.floor / longest if has_floor else left
    parts = [svg.text(left, 14, size_text(timing.case.size), css="b")]
    for index, name in enumerate(names):
        y, row = HEAD + ROW * index, rows.get(name)
        if row is None:
            parts += [svg.text(floor_x + (6 if has_floor else 0), y + 13, "not run", css="soft")]
            continue
        width, time = room * row.stats.median / longest, time_text(row.stats.median)
        title = f"{row.label}: {time}, {result_words(row)}"
        css = OTHERS if name in kernels else OURS
        parts += [svg.rect(left, y, width, BAR, f"f{css}", title) if row.loses_nothing()
                  else hatched(left, y, width, css, title),
                  svg.text(left + width + 6, y + 13, time)]
    if has_floor:
        parts += [svg.line(floor_x, 20, floor_x, bottom, "edge"),
                  svg.text(left, bottom + 16, f"memory floor {time_text(timing.floor)}", css="soft")]
    return parts


def losses(found, names):
    """'Hatched at 1920x1080: a and b (drops edges).'"""
    for timing, rows in found:
        reasons = {}
        for name in names:
            if name in rows and not rows[name].loses_nothing():
                reasons.setdefault(result_words(rows[name]), []).append(name)
        said = "; ".join(f"{list_words(who)} ({reason})" for reason, who in reasons.items())
        if said:
            yield f" Hatched at {size_text(timing.case.size)}: {said}."


def published(timings, kernels, width):
    """`timings`: those of one condition and task; `kernels`: the strategies that are kernels of
    manifests. The panels stand beside one another, on a narrow screen one below the other."""
    drawn = [(timing, chosen(timing, kernels)) for timing in panels(timings)]
    by_name = {}
    for name, row in (item for _, rows in drawn for item in rows.items()):
        by_name.setdefault(name, []).append(row)
    names = by_time(by_name)
    if not any(name in kernels for name in names):
        raise NoData("no kernel of a manifest was timed", "--kernel FILE.json")
    is_beside = width >= BESIDE
    first = BOLD * max(map(svg.width_of, names)) + 8
    step = (width - first) / (len(drawn) if is_beside else 1)
    height = HEAD + ROW * len(names) + FOOT
    labels = [svg.text(4, HEAD + ROW * index + 13, name, css="" if name in kernels else "b")
              for index, name in enumerate(names)]
    parts = []
    for index, (timing, rows) in enumerate(drawn):
        left, top = (first + step * index, 0) if is_beside else (first, height * index)
        own = labels if index == 0 or not is_beside else []
        parts += [svg.moved(top, own + panel(timing, rows, names, kernels, left, left + step))]
    case = drawn[0][0].case
    words = "; ".join(f"{size_text(timing.case.size)}: " + ", ".join(
        f"{name} {time_text(rows[name].stats.median)}" for name in names if name in rows)
        for timing, rows in drawn)
    return Figure(f"Kernels side by side on {case.run.name()}: {case.words(with_size=False)}, "
                  f"{drawn[0][0].condition}",
                  svg.drawing(width, height * (1 if is_beside else len(drawn)), parts,
                              f"Kernels side by side. {words}"),
                  "Medians, shorter is better, each size on its own scale. Grey: kernels from manifests. Blue: "
                  "built into mipbench. A bar has the fastest exact variant, or if none is exact the fastest. "
                  "Hatched: not exact, or not judged, as its manifest states no filter. Dashed: the memory floor, "
                  "what the traffic alone takes, or an empty dispatch if that is longer."
                  + "".join(losses(drawn, names)))
