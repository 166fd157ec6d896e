"""The figures: time against size, ratios, samples, levels. Each is drawn for a width in pixels, so
that its text has the same size on a phone and on paper; NoData says why there is nothing to draw."""

import collections

from . import svg
from .words import digits, esc, list_names, ratio_text, size_text, time_text

UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
ROW = 42           # of a variant: its label, and its mark below that
MAX_SERIES = 12    # of time against size: more cannot be told apart
TELLING = ("bimodal", "clock_shifted", "clock_unstable")  # warnings that a look at samples explains

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

def size_groups(timings):
    """[[timing]] of those that differ in size alone, where there are several sizes."""
    groups = {}
    for timing in timings:
        if timing.timed():
            groups.setdefault(timing.key._replace(levels=None), []).append(timing)
    return [found for found in groups.values() if len({it.case.size for it in found}) > 1]


class Sizes:
    """Every size has its own place on the axis, in order; series stand side by side in it."""

    def __init__(self, sizes, left, right):
        self.sizes, self.left = sizes, left
        self.slot = (right - left) / len(sizes)

    def at(self, size, lane=0.5):
        return self.left + self.slot * (self.sizes.index(size) + 0.5 + 0.6 * (lane - 0.5))


def time_size(devices, looks, width, height=380):
    """devices: [(name, [timing])]; of several the series that win somewhere, told apart by dashes."""
    everything = [timing for _, timings in devices for timing in timings]
    rows = [row for timing in everything for row in timing.timed() if not row.diagnostic]
    sizes = sorted({row.case.size for row in rows}, key=lambda size: (size[0] * size[1], size))
    if len(sizes) < 2:
        raise NoData("only one size was timed", "--sweep 256:4096")
    series = series_of(devices)
    unit = unit_of([row.stats.median for row in rows])
    shown = [row for found in series.values() for row in found]
    floors = {it.case.size: it.floor for it in everything if it.floor and it.floor > 0} \
        if len(devices) == 1 else {}
    values = [value / unit[0] for row in shown for value in
              (row.stats.median, *filter(lambda it: it and it > 0, (row.stats.p05, row.stats.p95)))]
    values += [floor / unit[0] for floor in floors.values()]
    x = Sizes(sizes, 58, width - 6)
    turned = max(map(svg.width_of, map(size_text, sizes))) > x.slot - 6
    bottom = height - (92 if turned else 46)
    y = svg.Axis(min(values), max(values), bottom, 40, log=True)
    parts = [svg.rect(x.at(size) - x.slot / 2, y.at(floor / unit[0]), x.slot,
                      bottom - y.at(floor / unit[0]), "limit", f"limit: {time_text(floor)}")
             for size, floor in floors.items()]
    parts += [svg.y_axis(y, 58, width - 6, f"median, {unit[1]} (log)"), *size_names(x, bottom, turned)]
    for index, (key, found) in enumerate(series.items()):
        parts += draw_series(found, key, looks, x, y, unit, (index + 0.5) / len(series))
    names = [(looks[label], label + (f", {name}" if len(devices) > 1 else ""),
              f"d{min(index, 3)}" if len(devices) > 1 else "")
             for name, label, index in sorted(series, key=lambda key: key[2])]
    entries, more = svg.legend(
        names + ([(None, "below the limit of the device", "")] if floors else []), width, height)
    words = "; ".join(f"{label}{f' on {name}' if len(devices) > 1 else ''}: " + ", ".join(
        f"{size_text(row.case.size)} {time_text(row.stats.median)}" for row in found)
        for (name, label, _), found in series.items())
    left_out = len({row.label for row in rows}) - len({label for _, label, _ in series})
    n_round = sum(map(is_power_of_two, sizes))
    note = "Marks: medians, with p05 to p95." + (
        " Lines join the powers of two." if n_round > 1 else "") + (
        f" Not drawn: {left_out} slower variants." if left_out > 0 else "")
    return Figure(f"Time against size: {everything[0].case.words(with_size=False)}, "
                  f"{everything[0].condition}",
                  svg.drawing(width, height + more, parts + entries, f"Time against size. {words}"),
                  note)


def series_of(devices):
    """{(device, label, index of device): [row] from the smallest image on}, the slowest first."""
    series = {}
    for index, (name, timings) in enumerate(devices):
        winners = {ranking.fastest for it in timings for ranking in it.rankings}
        for timing in sorted(timings, key=lambda it: it.case.texels):
            for row in timing.timed():
                if not row.diagnostic and (len(devices) == 1 or row.label in winners):
                    series.setdefault((name, row.label, index), []).append(row)
    # By the last size: as the lines end.
    last = sorted(series.items(), key=lambda pair: pair[1][-1].stats.median)
    return dict(reversed(last[:MAX_SERIES]))


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


def draw_series(rows, key, looks, x, y, unit, lane):
    look, dash = looks[key[1]], f" d{min(key[2], 3)}"
    places = [(x.at(row.case.size, lane), y.at(row.stats.median / unit[0])) for row in rows]
    joined = [place for row, place in zip(rows, places) if is_power_of_two(row.case.size)]
    parts = [svg.polyline(joined, f"line k{look.colour}{dash}")] if len(joined) > 1 else []
    for row, (at, middle) in zip(rows, places):
        low, high = row.stats.p05, row.stats.p95
        if low and high and 0 < low < high:
            parts += [svg.line(at, y.at(low / unit[0]), at, y.at(high / unit[0]),
                               f"thin k{look.colour}")]
        title = f"{row.label}, {size_text(row.case.size)}: {time_text(row.stats.median)}"
        parts += [svg.marker(at, middle, look, title, not row.is_right())]
    return parts


# ---- rows of one timing

def forest(timing, looks, width):
    """Ratios to the fastest with intervals, and the band of the A/A control."""
    reference = timing.rankings[0].fastest if timing.rankings else "the fastest"
    rows = [row for row in timing.timed() if row.label != reference and row.relative.is_drawable()]
    entries = [(row.label, looks[row.label], row.relative, not row.is_right()) for row in rows]
    if not entries:
        raise NoData("no two strategies have ratios with intervals here", "-s all -n 20")
    margin = timing.control.margin if timing.control else 0
    element = draw_forest(entries, width, f"time over that of {reference} (log)", margin)
    note = "Medians of the ratios within blocks, 95 % intervals." + (
        " Band: no difference, by the A/A control." if margin else "")
    return Figure(f"Ratios to the fastest: {timing.title}", element, note)


def changes(found, looks, width, title):
    """What compare says of two builds or devices: the second over the first."""
    entries = [(f"{it.label}, {it.where()}", looks[it.label], it, it.verdict not in ("FASTER", "SLOWER"))
               for it in found if it.ratio and it.ci and it.ci[0] > 0]
    if not entries:
        raise NoData("nothing was measured in both")
    return Figure(title, draw_forest(entries, width, "new time over old time (log)", 0),
                  "Filled: faster or slower beyond the noise. Hollow: not told apart.")


def draw_forest(entries, width, title, margin):
    """entries: [(label, Look, what has ratio and ci, hollow)]."""
    ends = [1, *(value for _, _, it, _ in entries for value in (it.ratio, *it.ci))]
    ends += [1 / (1 + margin), 1 + margin]
    bottom = 6 + ROW * len(entries)
    axis = svg.Axis(min(ends), max(ends), 10, width - 10, log=True)
    left, right = axis.at(1 / (1 + margin)), axis.at(1 + margin)
    parts = [svg.rect(left, 6 + ROW * index + 20, right - left, ROW - 20, "band")
             for index in range(len(entries) if margin else 0)]
    rules = []
    for index, (label, look, it, hollow) in enumerate(entries):
        y = 6 + ROW * index
        low, high = axis.at(it.ci[0]), axis.at(it.ci[1])
        shown = f"{ratio_text(it.ratio)}×"
        name = svg.fitted(label, width - svg.width_of(shown) - 36)
        # Nothing is drawn behind the text: the vertical rules stop at it.
        rules += [f"M{axis.at(1):.1f},{y + 22:.1f}V{y + ROW - 2:.1f}"]
        parts += [svg.text(4, y + 15, name), svg.text(width - 4, y + 15, shown, "end"),
                  svg.line(low, y + 29, high, y + 29, f"line k{look.colour}"),
                  svg.marker(axis.at(it.ratio), y + 29, look,
                             f"{label}: {shown}, {ratio_text(it.ci[0])} to {ratio_text(it.ci[1])}",
                             hollow)]
    label = f"{title}. " + "; ".join(f"{name} {ratio_text(it.ratio)}" for name, _, it, _ in entries)
    return svg.drawing(width, bottom + 46, [svg.path(rules, "edge"),
                                            svg.x_axis(axis, bottom, bottom - 4, title), *parts], label)


def tells_something(row):
    return any(code in TELLING for code, _ in row.warnings)


def samples(timing, looks, width, rows=None):
    """Each sample in the order in which it was taken."""
    rows = [row for row in (timing.timed() if rows is None else rows)
            if len(row.members) == 1 and len(row.members[0].samples) > 2]
    if not rows:
        raise NoData("there are no samples of a single run", "-n 20")
    parts, height, top = [], 92, 0
    for row in rows:
        values = [value for value in row.members[0].samples if value]
        unit, look = unit_of(values), looks[row.label]
        y = svg.Axis(min(values) / unit[0], max(values) / unit[0], top + height - 16, top + 34)
        step = (width - 76) / max(1, len(values) - 1)
        parts += [svg.text(4, top + 16, svg.fitted(f"{row.label}, {unit[1]}", width - 8))]
        parts += [svg.text(56, y.at(value / unit[0]) + 5, digits(value / unit[0]), "end", "soft")
                  for value in (min(values), max(values))]
        parts += [svg.rect(60 + index * step, y.at(value / unit[0]) - 2.5, 5, 5, f"f{look.colour}")
                  for index, value in enumerate(values)]
        top += height
    parts += [svg.text(width / 2 + 20, top + 14, "samples in order of time", "middle", "soft")]
    return Figure(f"Samples: {timing.title}",
                  svg.drawing(width, top + 24, parts, "Samples in order of time of "
                              + list_names([row.label for row in rows])),
                  "Each sample, none dropped.")


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

NARROW, WIDE = 326, 700


def card(figure):
    return (f'<figure class="card"><figcaption>{esc(figure.title)}</figcaption>{figure.element}'
            f'<p class="foot">{esc(figure.note)}</p></figure>')


def both(make):
    """A figure that is drawn twice, for narrow screens and for others."""
    narrow, wide = make(NARROW), make(WIDE)
    return card(wide._replace(element=f'<div class="narrow">{narrow.element}</div>'
                                      f'<div class="wide">{wide.element}</div>'))


def cards(*makers):
    """Those that have data."""
    found = []
    for make in makers:
        try:
            found += [card(make())]
        except NoData:
            pass
    return f'<div class="cards">{"".join(found)}</div>' if found else ""
