"""The figures: time against size, ratios of a comparison, levels. Each is drawn for a width in pixels, so
that its text has the same size on a phone and on paper; NoData says why there is nothing to draw."""

import collections

from . import svg
from .looks import Look
from .words import esc, list_names, ratio_text, ratios_text, result_words, size_text, time_text

UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
ROW = 42           # of a name, and its mark below that
LINE = 24          # of a name with its mark beside it
MAX_SERIES = 12    # of time against size: more cannot be told apart
BESIDE = 600       # the width from which on a name stands beside its mark

Figure = collections.namedtuple("Figure", "title element note")


class NoData(Exception):
    """Why a figure cannot be made; `options`: those of mipbench that would give it data."""

    def __init__(self, why, options=""):
        super().__init__(why)
        self.options = options


def unit_of(times):
    """The largest unit in which the least of them is 1 or more."""
    return next((unit for unit in UNITS if min(times) >= unit[0]), UNITS[-1])


def is_power_of_two(size):
    return all(edge & (edge - 1) == 0 for edge in size)


# ---- time against size

def tasks(timings):
    """[[timing]] of those that differ in size alone."""
    groups = {}
    for timing in timings:
        if timing.timed():
            groups.setdefault(timing.key._replace(levels=None), []).append(timing)
    return list(groups.values())


def size_groups(timings):
    """Those of several sizes."""
    return [found for found in tasks(timings) if len({it.case.size for it in found}) > 1]


class Sizes:
    """Every size has its own place on the axis, in order."""

    def __init__(self, sizes, left, right):
        self.sizes, self.left = sizes, left
        self.slot = (right - left) / len(sizes)

    def at(self, size):
        return self.left + self.slot * (self.sizes.index(size) + 0.5)


def time_size(devices, looks, width, height=400):
    """devices: [(name, [timing])]; of several devices the strategy that wins most on each, a colour each."""
    everything = [timing for _, timings in devices for timing in timings]
    rows = [row for timing in everything for row in timing.timed() if not row.diagnostic]
    sizes = sorted({row.case.size for row in rows}, key=lambda size: (size[0] * size[1], size))
    if len(sizes) < 2:
        raise NoData("only one size was timed", "--sweep 256:4096")
    series = series_of(devices, looks)
    unit = unit_of([row.stats.median for row in rows])
    shown = [row for _, _, found in series for row in found]
    floors = {it.case.size: it.floor for it in everything if it.floor and it.floor > 0} \
        if len(devices) == 1 else {}
    values = [value / unit[0] for row in shown for value in
              (row.stats.median, *filter(lambda it: it and it > 0, (row.stats.p05, row.stats.p95)))]
    values += [floor / unit[0] for floor in floors.values()]
    x = Sizes(sizes, 58, width - 6)
    turned = max(map(svg.width_of, map(size_text, sizes))) > x.slot - 6
    bottom = height - (92 if turned else 46)
    y = svg.Axis(min(values), max(values), bottom, 40, log=True)
    parts = [svg.rect(x.at(size) - x.slot / 2, y.at(floor / unit[0]), x.slot, bottom - y.at(floor / unit[0]),
                      "limit", f"memory floor: {time_text(floor)}") for size, floor in floors.items()]
    parts += [svg.y_axis(y, 58, width - 6, f"median, {unit[1]} (log)"), *size_names(x, bottom, turned)]
    for _, look, found in series:
        parts += draw_series(found, look, x, y, unit)
    names = [(look, name) for name, look, _ in reversed(series)]
    entries, more = svg.legend(names + ([(None, "below the memory floor")] if floors else []), width, height)
    words = "; ".join(f"{name}: " + ", ".join(f"{size_text(row.case.size)} {time_text(row.stats.median)}"
                                              for row in found) for name, _, found in series)
    return Figure(f"Time against size: {everything[0].case.words(with_size=False)}, {everything[0].condition}",
                  svg.drawing(width, height + more, parts + entries, f"Time against size. {words}"),
                  size_note(shown, rows, sizes, devices))


def size_note(shown, rows, sizes, devices):
    n_left_out = len({row.label for row in rows}) - len({row.label for row in shown})
    images = {row.case.image_name for row in shown}
    return f"Medians{f' of {images.pop()}' if len(images) == 1 else ''}, with p05 to p95." + (
        " Hollow: not exact." if not all(row.loses_nothing() for row in shown) else "") + (
        " Lines join squares whose side is a power of two." if sum(map(is_power_of_two, sizes)) > 1 else "") + (
        " One strategy for each device: its most frequent winner." if len(devices) > 1 else
        f" Not drawn: {n_left_out} other variants." if n_left_out > 0 else "")


def by_time(series):
    """The names of {name: [row]}, the fastest first: by their mean factor to the fastest of each size.
    Those of fewer sizes come later."""
    best = {}
    for row in (row for rows in series.values() for row in rows):
        best[row.case.size] = min(best.get(row.case.size, row.stats.median), row.stats.median)

    def key(name):
        factors = [row.stats.median / best[row.case.size] for row in series[name]]
        return -len(factors), sum(factors) / len(factors)
    return sorted(series, key=key)


def usual_winner(timings):
    winners = collections.Counter(it.rankings[0].fastest for it in timings if it.rankings)
    return winners.most_common(1)[0][0] if winners else None


def series_of(devices, looks):
    """[(name, Look, [row] from the smallest image on)], the slowest first. Of more than can be told
    apart the variant of each strategy that is exact at the most sizes, of several the fastest."""
    series, look_of = {}, {}
    for index, (name, timings) in enumerate(devices):
        winner = usual_winner(timings)
        for timing in sorted(timings, key=lambda it: it.case.texels):
            for row in timing.timed():
                if len(devices) == 1 and not row.diagnostic:
                    series.setdefault(row.label, []).append(row)
                    look_of[row.label] = looks[row.label]
                elif row.label == winner:
                    series.setdefault(f"{name}: {winner}", []).append(row)
                    look_of[f"{name}: {winner}"] = Look(index, index)
    names = by_time(series)
    if len(names) > MAX_SERIES:
        first = {}
        for name in sorted(names, key=lambda it: -sum(row.loses_nothing() for row in series[it])):
            first.setdefault(series[name][0].strategy, name)
        names = [name for name in names if name in first.values()][:MAX_SERIES]
    return [(name, look_of[name], series[name]) for name in reversed(names)]


def size_names(x, y, turned):
    last = -1e9
    for size in x.sizes:
        at = x.at(size)
        if at - last < 17:
            continue
        last = at
        yield svg.line(at, y, at, y + 5, "axis")
        yield svg.text(at + 5, y + 20, size_text(size), "end", turn=-45) if turned else \
            svg.text(at, y + 20, size_text(size), "middle")


def draw_series(rows, look, x, y, unit):
    places = [(x.at(row.case.size), y.at(row.stats.median / unit[0])) for row in rows]
    joined = [place for row, place in zip(rows, places) if is_power_of_two(row.case.size)]
    parts = [svg.polyline(joined, f"line k{look.colour}")] if len(joined) > 1 else []
    for row, (at, middle) in zip(rows, places):
        low, high = row.stats.p05, row.stats.p95
        if low and high and 0 < low < high:
            parts += [svg.line(at, y.at(low / unit[0]), at, y.at(high / unit[0]), f"thin k{look.colour}")]
        title = f"{row.label}, {size_text(row.case.size)}: {time_text(row.stats.median)}" + (
            "" if row.loses_nothing() else f", {result_words(row)}")
        parts += [svg.marker(at, middle, look, title, not row.loses_nothing())]
    return parts


# ---- a comparison

VERDICTS = {"SLOWER": "bad", "FASTER": "good"}  # classes; others are grey


def changes(found, n_tests, width, title):
    """The second side's time over the first's: a row a test, with the band within which nothing is said.
    `n_tests`: how many there are, drawn or not."""
    entries = [it for it in found if it.ratio and it.ratio > 0 and it.ci and it.ci[0] > 0]
    if not entries:
        raise NoData("nothing was measured in both")
    is_beside = width >= BESIDE
    left, row = (0.42 * width, LINE) if is_beside else (10, ROW)
    ends = [1, *(value for it in entries for value in (it.ratio, *it.ci, 1 + it.margin, 1 / (1 + it.margin)))]
    bottom = 6 + row * len(entries)
    axis = svg.Axis(min(ends), max(ends), left, width - 78, log=True)
    parts = []
    for index, it in enumerate(entries):
        top = 6 + row * index
        y, css = top + (12 if is_beside else 29), VERDICTS.get(it.verdict, "same")
        shown, low, high = f"{ratio_text(it.ratio)}x", axis.at(it.ci[0]), axis.at(it.ci[1])
        room = (left if is_beside else width) - 12
        band = axis.at(1 / (1 + it.margin)), axis.at(1 + it.margin)
        parts += [svg.rect(band[0], y - 10, band[1] - band[0], 20, "band"),
                  svg.text(4, top + 17, svg.fitted(f"{it.label}, {it.where()}", room)),
                  svg.text(width - 4, y + 5, shown, "end"), svg.line(low, y, high, y, f"line v-{css}"),
                  svg.mark(axis.at(it.ratio), y, f"v-{css}" + ("" if it.verdict in VERDICTS else " hollow"),
                           f"{it.label}: {shown}, {ratios_text(it.ci)}, {it.verdict}")]
    words = "; ".join(f"{it.label}, {it.where()}: {ratio_text(it.ratio)}" for it in entries)
    return Figure(title, svg.drawing(width, bottom + 46, [svg.x_axis(axis, bottom, bottom - 4, "new time over "
                                     "old time (log)"), *parts], f"New time over old time. {words}"),
                  "95 % intervals. Filled: slower or faster beyond the noise. Band: what a difference must clear" + (
                      ", here with fewer than five runs a side." if any(it.is_single_run for it in entries) else ".") + (
                      f" Not drawn: {n_tests - len(entries)} of {n_tests} tests." if n_tests > len(entries) else ""))


# ---- levels

def levels_of(step):
    last = step["first"] + step["n"] - 1
    return f"level {step['first']}" if last == step["first"] else f"levels {step['first']}–{last}"


def levels(case, looks, width):
    """Stacked bars of the steps and of the gaps before them."""
    variants = [it for it in case.variants if any(step["time"] for step in it.steps)]
    if not variants:
        raise NoData("nothing was split by level", "--per-level")
    totals = [sum((step["time"] or 0) + (step["gap"] or 0) for step in it.steps) for it in variants]
    unit = unit_of([total for total in totals if total > 0] or [1])
    bottom = 6 + ROW * len(variants)
    axis = svg.Axis(0, max(totals) / unit[0], 10, width - 10)
    parts = []
    for index, (variant, total) in enumerate(zip(variants, totals)):
        y, at = 6 + ROW * index, 0.0
        parts += [svg.text(4, y + 15, svg.fitted(variant.label, width - 110)),
                  svg.text(width - 4, y + 15, time_text(total), "end")]
        for count, step in enumerate(variant.steps):
            for css, value in (("none", step["gap"] or 0),
                               (f"{'ft'[count % 2]}{looks[variant.label].colour}", step["time"] or 0)):
                left, right = axis.at(at / unit[0]), axis.at((at + value) / unit[0])
                parts += [svg.rect(left, y + 21, right - left, 14, css, f"{levels_of(step)}: "
                                   f"{time_text(value)}{' (gap)' if css == 'none' else ''}")]
                at += value
    words = "; ".join(f"{it.label}: " + ", ".join(f"{levels_of(step)} {time_text(step['time'])}"
                                                  for step in it.steps) for it in variants)
    single = [it.label for it in case.variants if it.dispatches == 1 and not it.diagnostic]
    note = f" One dispatch, so not split: {list_names(single)}." if single else ""
    return Figure(f"Time by level: {case.words()}",
                  svg.drawing(width, bottom + 46, [svg.x_axis(axis, bottom, bottom - 4,
                                                              f"time, caches hot, {unit[1]}"), *parts],
                              f"Time by level. {words}"),
                  f"Level 1 first, in two shades by turns; grey: the gap before it.{note}")


# ---- on the page

WIDTHS = {"narrow": 326, "middle": 700, "wide": 1126}  # classes; of a phone, a tablet, a desk


def card(figure):
    return (f'<figure class="card"><figcaption>{esc(figure.title)}</figcaption>{figure.element}'
            f'<p class="foot">{esc(figure.note)}</p></figure>')


def at_all_widths(make):
    """A figure that is drawn for each width of screens; '' where there is nothing to draw."""
    try:
        drawn = {css: make(width) for css, width in WIDTHS.items()}
    except NoData:
        return ""
    return card(drawn["wide"]._replace(element="".join(
        f'<div class="{css}">{figure.element}</div>' for css, figure in drawn.items())))


def cards(makers):
    """Small ones, those that have data."""
    found = []
    for make in makers:
        try:
            found += [card(make(WIDTHS["narrow"]))]
        except NoData:
            pass
    return f'<div class="cards">{"".join(found)}</div>' if found else ""
