"""The plots of the page, each a figure of inline SVG: time against size, time of each strategy,
ratios, time by level, error by level. A plot that has no data is a sentence: what to run."""

import math

import report_svg as svg
from report_format import (NOTHING, error_text, esc, list_names, ratio_text, ratio_texts,
                           time_text)
from result_units import is_power_of_two, time_unit

MAX_SIDE_BY_SIDE = 3  # names of sizes in one row
LANES = 0.76  # of the room of a name of an axis, what marks beside each other take
ROW_HEIGHT = 34  # of a strategy: its label, and its mark below that


def foot(item, n_samples):
    low, high = (min(n_samples), max(n_samples)) if n_samples else (0, 0)
    count = f"n = {low}" if low == high else f"n = {low} to {high}"
    return f"{item.name()} · {item.driver} · {count} samples each"


def missing(caption, sentence):
    return (f'<figure class="card missing"><figcaption>{esc(caption)}</figcaption>'
            f"<p>{esc(sentence)}</p></figure>")


def timed(timing):
    """Rows with a time, the fastest first; what was found wrong is among them."""
    return sorted((row for row in timing.rows if row.is_timed()), key=lambda row: row.stats.median)


def is_wide(times):
    """Whether a linear axis would squeeze the small ones."""
    return max(times) > 12 * min(times)


def row_label(y, row, figure):
    note = " (wrong texels)" if row.verify.status == "fail" else ""
    note = note or (" (leaves work out)" if row.diagnostic else "")
    return svg.text(6, y + 11, f"{row.label}: {figure}{note}", css="label")


def is_hollow(row):
    return row.verify.status != "pass"


def time_of_strategies(item, timing, looks):
    """A row for each: median, its 95 % interval, and the span of p05 to p95."""
    caption = f"Time of one chain: {timing.title}"
    rows = timed(timing)
    if not rows:
        return missing(caption, "No strategy was timed here; the table says why.")
    unit = time_unit([row.stats.median for row in rows])
    ends = [value for row in rows for value in (row.stats.p05, row.stats.median, row.stats.p95)
            if value is not None and value > 0]
    ends += [timing.floor] if timing.floor else []
    log = is_wide(ends)
    bottom = svg.TOP + ROW_HEIGHT * len(rows) + 4
    axis = svg.Axis(min(ends) / unit[0] if log else 0, max(ends) / unit[0], 8,
                    svg.WIDTH - svg.RIGHT, log)
    parts = [svg.x_axis(axis, bottom, svg.TOP,
                        f"time of one chain, {unit[1]}{' (log scale)' if log else ''}")]
    if timing.floor:
        x = axis.at(timing.floor / unit[0])
        parts += [svg.line(x, svg.TOP, x, bottom, "floor")]
    parts += [time_row(row, looks[row.label], axis, unit, svg.TOP + index * ROW_HEIGHT)
              for index, row in enumerate(rows)]
    label = (f"{caption}. " + "; ".join(f"{row.label} {time_text(row.stats.median, unit)} "
                                        f"{unit[1]}" for row in rows))
    limit = " Dashed: the limit of the device." if timing.floor else ""
    thick = "Thick: its 95 % interval." if any(row.stats.ci for row in rows) else \
        "Too few samples for a 95 % interval."
    return svg.figure(svg.drawing(bottom + svg.BOTTOM, parts, label), caption,
                      f"Mark: median. {thick} Thin: p05 to p95. Hollow: not "
                      f"verified.{limit} {foot(item, [row.stats.n for row in rows])}")


def time_row(row, look, axis, unit, y):
    middle = y + 23
    stats = row.stats
    spans = [("thin", (stats.p05, stats.p95)), (f"thick {look.css}", stats.ci or (None, None))]
    parts = [row_label(y, row, f"{time_text(stats.median, unit)} {unit[1]}")]
    for css, (low, high) in spans:
        if low is not None and high is not None and 0 < low <= high:
            parts += [svg.line(axis.at(low / unit[0]), middle, axis.at(high / unit[0]), middle,
                               css)]
    title = f"{row.label}: {time_text(stats.median, unit)} {unit[1]}, {stats.n} samples"
    parts += [svg.marker(axis.at(stats.median / unit[0]), middle, look, title,
                         is_hollow(row))]
    return "".join(parts)


def ratios(item, timing, looks):
    """Paired ratios to the fastest with intervals, and the band of the A/A control."""
    caption = f"Ratio to the fastest: {timing.title}"
    reference = timing.verdict().fastest if timing.rankings else "the fastest"
    rows = [row for row in timed(timing)
            if row.label != reference and row.relative.is_drawable()]
    if not rows:
        return missing(caption, "No paired ratios with intervals here: they need two strategies "
                       "and at least six samples each (-n 20 or more).")
    band = band_of(timing)
    ends = [1, *band, *(value for row in rows for value in (row.relative.ratio, *row.relative.ci))]
    bottom = svg.TOP + ROW_HEIGHT * len(rows) + 4
    axis = svg.Axis(min(ends), max(ends), 8, svg.WIDTH - svg.RIGHT, log=True)
    places = [axis.at(end) for end in band]
    parts = [svg.rect(places[0], svg.TOP, places[1] - places[0], bottom - svg.TOP, "band")] \
        if band else []
    parts += [svg.x_axis(axis, bottom, svg.TOP, f"time over that of {reference} (log scale)",
                         sorted({1, *axis.ticks()})),
              svg.line(axis.at(1), svg.TOP, axis.at(1), bottom, "one")]
    for index, row in enumerate(rows):
        parts += [ratio_row(row, looks[row.label], axis, svg.TOP + index * ROW_HEIGHT)]
    label = f"{caption}. " + "; ".join(f"{row.label} {ratio_text(row.relative.ratio)}"
                                       for row in rows)
    wrong = [row.label for row in timed(timing) if row.verify.status == "fail"]
    left_out = f" Wrong texels, so no ratio: {list_names(wrong)}." if wrong else ""
    note = f" Band: no difference, by the A/A control ({timing.control.label})." if band else ""
    return svg.figure(svg.drawing(bottom + svg.BOTTOM, parts, label), caption,
                      f"Median of the ratios within blocks, 95 % interval.{note}{left_out} "
                      f"{foot(item, [row.stats.n for row in rows])}")


def band_of(timing):
    """Ratios that are no difference, or ()."""
    margin = timing.control.margin if timing.control else 0
    return (1 / (1 + margin), 1 + margin) if margin else ()


def ratio_row(row, look, axis, y):
    middle, relation = y + 23, row.relative
    low, high = axis.at(relation.ci[0]), axis.at(relation.ci[1])
    ratio, low_text, high_text = ratio_texts(relation.ratio, *relation.ci)
    title = f"{row.label}: {ratio}, 95 % interval {low_text} to {high_text}, {relation.verdict}"
    return "".join([
        row_label(y, row, ratio_text(relation.ratio)),
        svg.line(low, middle, high, middle, f"thick {look.css}"),
        svg.line(low, middle - 4, low, middle + 4, f"cap {look.css}"),
        svg.line(high, middle - 4, high, middle + 4, f"cap {look.css}"),
        svg.marker(axis.at(relation.ratio), middle, look, title, is_hollow(row))])


def levels_of_step(step):
    last = step["first"] + step["n"] - 1
    return f"level {step['first']}" if last == step["first"] else f"levels {step['first']}–{last}"


def time_by_level(item, case):
    """Stacked bars of the steps and of the gaps before them."""
    caption = f"Time by level: {case.words()}"
    variants = [variant for variant in case.variants
                if any(step["time"] is not None for step in variant.steps)]
    if not variants:
        return missing(caption, "No split by level here; --per-level measures it for strategies "
                       "of several dispatches. What makes the whole chain in one dispatch cannot "
                       "be split.")
    single = [variant.label for variant in case.variants
              if variant.dispatches == 1 and not variant.diagnostic]
    totals = list(map(total_of_steps, variants))
    unit = time_unit(totals)
    bottom = svg.TOP + ROW_HEIGHT * len(variants) + 4
    axis = svg.Axis(0, max(totals) / unit[0], 8, svg.WIDTH - svg.RIGHT)
    parts = [svg.x_axis(axis, bottom, svg.TOP, f"time, caches hot, {unit[1]}")]
    parts += [step_row(variant, axis, unit, svg.TOP + index * ROW_HEIGHT)
              for index, variant in enumerate(variants)]
    label = f"{caption}. " + "; ".join(
        f"{variant.label}: " + ", ".join(f"{levels_of_step(step)} {time_text(step['time'], unit)}"
                                         for step in variant.steps) for variant in variants)
    note = f" Not separable, one dispatch: {list_names(single)}." if single else ""
    return svg.figure(svg.drawing(bottom + svg.BOTTOM, parts, label), caption,
                      "Each dispatch alone, from level 1 on at the left, in two shades by turns; "
                      f"hatched: the gap before it.{note} {item.name()} · {item.driver}")


def total_of_steps(variant):
    return sum((step["time"] or 0) + (step["gap"] or 0) for step in variant.steps)


def step_row(variant, axis, unit, y):
    total = time_text(total_of_steps(variant), unit)
    parts, at = [row_label(y, variant, f"{total} {unit[1]}")], 0.0
    for index, step in enumerate(variant.steps):
        for kind, value in (("gap", step["gap"] or 0), ("time", step["time"] or 0)):
            left, right = axis.at(at / unit[0]), axis.at((at + value) / unit[0])
            css = "gap" if kind == "gap" else f"step{index % 2}"
            title = f"{variant.label}, {levels_of_step(step)}: {time_text(value, unit)} {unit[1]}"
            parts += [svg.rect(left, y + 16, right - left, 14, css,
                               title + (" (gap)" if kind == "gap" else ""))]
            at += value
    return "".join(parts)


def size_groups(item):
    """Timings that differ in size alone: [(title, [timing])], where there are several sizes."""
    groups = {}
    for timing in item.timings:
        groups.setdefault(timing.condition._replace(levels=None), []).append(timing)
    for timings in groups.values():
        if len({timing.case.size for timing in timings}) > 1:
            first = timings[0]
            yield (f"{first.case.words(with_size=False)}, {first.cache}, {first.mode}, "
                   f"{first.case.image.name}", timings)


def split_sizes(timings):
    """[(title, timings)]: lines are drawn through powers of two alone, as other sizes take other
    paths through a kernel; 4095x4095 is as large as 4096x4096, but no point of its curve."""
    kinds = [[timing for timing in timings if is_power_of_two(timing.case.size) == wanted]
             for wanted in (True, False)]
    names = (", powers of two", ", other sizes") if all(kinds) else ("", "")
    return [(name, found) for name, found in zip(names, kinds) if found]


def time_against_size(item, looks):
    """A figure for each group of sizes, or why there is none."""
    figures = [size_figure(item, title + kind, found, looks) for title, timings in size_groups(item)
               for kind, found in split_sizes(timings)]
    if figures:
        return figures
    sizes = {case.size for case in item.cases}
    why = "Only one size was measured" if len(sizes) == 1 else \
        "No image was measured at two sizes under one condition"
    return [missing("Time against size", f"{why}; --sweep 256:4096 or --size with several makes "
                    "this plot.")]


def size_series(timings):
    """{label: [row] from the smallest image to the largest}, labels in order of the last figures,
    the slowest first, as the lines end."""
    series = {}
    for timing in sorted(timings, key=lambda timing: timing.case.texels):
        for row in timing.rows:
            if row.is_timed() and not row.diagnostic:
                series.setdefault(row.label, []).append(row)
    return dict(sorted(series.items(), key=lambda pair: -pair[1][-1].stats.median))


class SizeAxis:
    """Where sizes lie: powers of two by their edge, others side by side, each by its name."""

    def __init__(self, rows):
        self.sizes = sorted({row.size for row in rows}, key=lambda size: (size[0] * size[1], size))
        self.is_round = all(map(is_power_of_two, self.sizes))
        ends = [math.sqrt(size[0] * size[1]) for size in (self.sizes[0], self.sizes[-1])] \
            if self.is_round else [-0.5, len(self.sizes) - 0.5]
        self.axis = svg.Axis(*ends, svg.LEFT, svg.WIDTH - svg.RIGHT, self.is_round)
        self.is_staggered = not self.is_round and len(self.sizes) > MAX_SIDE_BY_SIDE

    def at(self, size, lane=0.5):
        """`lane`: from 0 to 1, within the room of a name."""
        return self.axis.at(math.sqrt(size[0] * size[1]) if self.is_round
                            else self.sizes.index(size) + LANES * (lane - 0.5))

    def draw(self, y):
        if not self.is_round:
            labels = [f"{width}×{height}" for width, height in self.sizes]
            return svg.x_axis(self.axis, y.begin, y.end, "size of level 0, texels",
                              range(len(labels)), labels, self.is_staggered)
        ticks = sorted({2 ** power for power in range(0, 16)
                        if self.axis.low <= 2 ** power <= self.axis.high}
                       or {math.sqrt(width * height) for width, height in self.sizes})
        return svg.x_axis(self.axis, y.begin, y.end,
                          "edge of level 0, √(width × height), texels (log scale)", ticks,
                          [svg.tick_text(tick) for tick in ticks])


def draw_floors(floors, x, y):
    """floors: {size: figure}; one line, or a dash at each size."""
    places = [(x.at(size), y.at(floor)) for size, floor in sorted(floors.items(),
                                                                  key=lambda pair: x.at(pair[0]))]
    if x.is_round and len(places) > 1:
        return [svg.polyline(places, "floor")]
    return [svg.line(at - 24, height, at + 24, height, "floor") for at, height in places]


def size_figure(item, title, timings, looks):
    caption = f"Time against size: {title}"
    series = size_series(timings)
    rows = [row for points in series.values() for row in points]
    if not rows:
        return missing(caption, "No strategy was timed here; the tables say why.")
    unit, height, x = time_unit([row.stats.median for row in rows]), 350, SizeAxis(rows)
    floors = {timing.case.size: timing.floor / unit[0] for timing in timings
              if timing.floor and timing.case.size in x.sizes}
    shown = [row.stats.median for row in rows] if x.is_round else \
        [value for row in rows for value in (row.stats.median, row.stats.p05, row.stats.p95)]
    times = [value / unit[0] for value in shown if value and value > 0] + list(floors.values())
    y = svg.Axis(min(times), max(times), height - svg.BOTTOM, svg.TOP_TITLED, True)
    parts = [x.draw(y), svg.y_axis(y, svg.LEFT, svg.WIDTH - svg.RIGHT,
                                   f"median of one chain, {unit[1]} (log scale)"),
             *draw_floors(floors, x, y)]
    for index, (label, points) in enumerate(series.items()):
        parts += [size_line(looks[label], points, x, y, unit,
                            (index + 0.5) / len(series))]
    label = f"{caption}. " + "; ".join(size_words(name, points, unit)
                                       for name, points in series.items())
    note = "Dashed: the limit of the device. " if floors else ""
    how = "Line: median; band: p05 to p95." if x.is_round else "Mark: median. Bar: p05 to p95."
    return svg.figure(svg.drawing(height + x.is_staggered * svg.STAGGER, parts, label),
                      caption, f"{how} Hollow: not verified. {note}"
                      f"{foot(item, [row.stats.n for row in rows])}",
                      svg.legend([(looks[name], name) for name in series]))


def size_text(row):
    return "{}×{}".format(*row.size)


def size_words(name, points, unit):
    figures = ", ".join(f"{size_text(row)} {time_text(row.stats.median, unit)} {unit[1]}"
                        for row in points)
    return f"{name}: {figures}"


def has_span(stats):
    """In throughput mode noise may make what was fastest negative."""
    return stats.p05 is not None and stats.p95 is not None and stats.p95 > max(stats.p05, 0)


def size_line(look, rows, x, y, unit, lane):
    spans = [(x.at(row.size, lane), y.at(max(row.stats.p05 / unit[0], y.low)),
              y.at(min(row.stats.p95 / unit[0], y.high))) for row in rows if has_span(row.stats)]
    places = [(x.at(row.size, lane), y.at(row.stats.median / unit[0])) for row in rows]
    parts = []
    if not x.is_round:
        parts += [svg.line(at, low, at, high, f"cap {look.css}") for at, low, high in spans]
    elif len(spans) > 1:
        parts += [svg.polygon([(at, low) for at, low, _ in spans]
                              + [(at, high) for at, _, high in reversed(spans)],
                              f"area {look.css}")]
    if x.is_round and len(places) > 1:
        parts += [svg.polyline(places, f"curve {look.css}")]
    for row, place in zip(rows, places):
        title = f"{row.label}, {size_text(row)}: {time_text(row.stats.median, unit)} {unit[1]}"
        parts += [svg.marker(*place, look, title, is_hollow(row))]
    return "".join(parts)


def error_by_level(item, case, looks):
    """Distance of each level to the chain that is never rounded; equal curves share a line."""
    caption = f"Error by level: {case.words()}"
    curves = {}
    for variant in case.variants:
        points = tuple((level, drift) for level, drift in enumerate(variant.verify.drifts)
                       if drift is not None and level > 0)
        if points:
            curves.setdefault(points, []).append(variant)
    if not curves:
        return missing(caption, "Nothing was verified here: leave --no-verify out.")
    height, unit = 290, case.unit
    levels = [level for points in curves for level, _ in points]
    x = svg.Axis(min(levels), max(levels), svg.LEFT, svg.WIDTH - svg.RIGHT)
    y = svg.Axis(0, max(max(drift for points in curves for _, drift in points), 1e-3),
                 height - svg.BOTTOM, svg.TOP_TITLED)
    parts = [svg.x_axis(x, y.begin, y.end, "level", sorted(set(levels)),
                        [str(level) for level in sorted(set(levels))]),
             svg.y_axis(y, svg.LEFT, svg.WIDTH - svg.RIGHT, f"largest distance, {unit}")]
    for points, variants in curves.items():
        parts += [error_curve(looks[variants[0].label], points, variants, x, y, unit)]
    names = [(looks[variants[0].label], list_names([variant.label for variant in variants]))
             for variants in curves.values()]
    label = f"{caption}. " + "; ".join(
        f"{name}: {error_text(points[-1][1]) if points else NOTHING} {unit} in the last level"
        for (_, name), points in zip(names, curves))
    return svg.figure(svg.drawing(height, parts, label), caption,
                      "Largest distance of a texel to its policy's chain that is never rounded on "
                      f"the way down, in {unit}. Hollow: wrong texels. "
                      f"{item.name()} · {item.driver}"
                      + (" · every texel of every level" if item.verified else ""),
                      svg.legend(names))


def error_curve(look, points, variants, x, y, unit):
    places = [(x.at(level), y.at(drift)) for level, drift in points]
    failed = any(variant.verify.status == "fail" for variant in variants)
    name = list_names([variant.label for variant in variants])
    marks = [svg.marker(*place, look, f"{name}, level {level}: {error_text(drift)} {unit}", failed)
             for place, (level, drift) in zip(places, points)]
    return svg.polyline(places, f"curve {look.css}") + "".join(marks)
