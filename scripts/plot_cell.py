"""Plots of one size under one condition: levels, samples and errors. Sets are beneath each other,
each against its own axis."""

import math

import matplotlib.cm
import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

import plot_data
import plot_frame
from plot_data import NoData
from plot_frame import GREY, MARKER_POINTS
from result_units import ROUNDING, last_place, time_unit

WIDTH_INCHES, BAR_INCHES, HEAD_INCHES = 9.6, 0.42, 1.3
LEGEND_COLUMNS = 24  # longer names are beneath each other
NAMED_LEVELS = 6  # in a legend
LARGEST_LINEAR = 20  # of errors: above, small ones could not be told from none
NEAR_TIME, NEAR_ERROR = 0.035, 0.05  # as shares of an axis: markers would cover each other
STEP_POINTS, MOST_STEPS = 4.0, 3
TRUTH = {"avg": "the true area average", "min": "the true minimum", "max": "the true maximum"}
LANE_QUANTILE, LEAST_LANE, SHOWN_SHARE = 0.98, 0.01, 0.99


def members(data, condition, size):
    """[(set, {label: Point})] of the sets that have a time here."""
    found = [(group, data.points(group, condition, size)) for group in data.sets]
    return [(group, {label: it[0] for label, it in points.items()})
            for group, points in found if points]


def by_time(points):
    """Labels, fastest first."""
    return sorted(points, key=lambda label: (points[label].median, label))


def make_frame(title, condition, size, sets, notes, inches):
    """sets: [(set, {label: Point})]."""
    counts = plot_data.count_text([it.n for _, points in sets for it in points.values()])
    return make_frame_of(title, condition, size, [group for group, _ in sets],
                         f"{counts} samples a strategy · {notes}", inches)


def make_frame_of(title, condition, size, groups, notes, inches):
    footer = [group.footer(group.rows_at(condition, size)) for group in groups] + [notes]
    subtitle = f"{plot_data.size_text(size)}, {plot_data.describe(condition)}"
    return plot_frame.Frame(title, subtitle, footer, inches)


def heights(sets, extra=0):
    """Inches of each set's axes: a bar for each strategy."""
    return [BAR_INCHES * (len(points) + extra) + HEAD_INCHES for _, points in sets]


def steps_of(point):
    """The steps of the first run that has them."""
    return next((row.variant.steps for row in point.rows if row.variant.steps), [])


def draw_steps(axes, y, steps, unit_ns, n_levels):
    """Gap and dispatch in turn; a dispatch takes the colour of its first level."""
    left = 0.0
    for step in steps:
        gap, width = ((step[key] or 0.0) / unit_ns for key in ("gap", "time"))
        axes.barh(y, gap, left=left, height=0.62, facecolor="white", edgecolor=GREY,
                  hatch="//////", linewidth=0.3)
        colour = matplotlib.cm.cividis((step["first"] - 1) / max(n_levels - 1, 1))
        axes.barh(y, width, left=left + gap, height=0.62, color=colour, edgecolor="white",
                  linewidth=0.4)
        left += gap + width
    return left


def name_of(label, point):
    return label if point.verified else f"{label} (not verified)"


def draw_bar(axes, y, point, style, unit_ns, n_levels):
    """One strategy; where the bar ends, and what is to be said of it."""
    steps = steps_of(point)
    whole = point.median / unit_ns
    end = draw_steps(axes, y, steps, unit_ns, n_levels) if steps else whole
    if not steps:
        axes.barh(y, whole, height=0.62, facecolor=style[0], alpha=0.35, edgecolor=style[0])
    axes.plot([whole] * 2, [y - 0.42, y + 0.42], color="black", linewidth=1.6)
    if twin := point.rows[0].null_twin:
        axes.plot([twin / unit_ns], [y], marker="d", color="white", markersize=6,
                  markeredgecolor="black")
    if steps:
        return max(end, whole), ""
    single = max(row.variant.dispatches or 0 for row in point.rows) <= 1
    return whole, "not separable" if single else "levels not timed"


def draw_levels(axes, data, points, unit, unit_ns):
    order = by_time(points)
    n_levels = max(it.rows[0].case.n_levels - 1 for it in points.values())
    right = 0.0
    for y, label in enumerate(order):
        end, note = draw_bar(axes, y, points[label], data.styles[label], unit_ns, n_levels)
        axes.text(end, y, f"  {note}", va="center", fontsize=8, color=GREY)
        right = max(right, 1.17 * end if note else 1.03 * end)
    axes.set_yticks(range(len(order)), [name_of(label, points[label]) for label in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.set_xlim(0, right)
    axes.set_xlabel(f"GPU time, {unit}")
    axes.grid(False, axis="y")
    return n_levels


def level_handles(n_levels):
    """Of many levels those at both ends and in the middle."""
    shown = range(1, n_levels + 1) if n_levels <= NAMED_LEVELS else \
        (1, 2, 3, 4, (n_levels + 4) // 2, n_levels)
    handles = [plot_frame.handle(f"level {level}",
                                 matplotlib.cm.cividis((level - 1) / max(n_levels - 1, 1)), "s",
                                 "none") for level in shown]
    handles += [plot_frame.handle("gap: barrier and stamps", GREY, "s", "none",
                                  markerfacecolor="white"),
                plot_frame.handle("whole chain, median", "black", "|", "none",
                                  markeredgewidth=1.6),
                plot_frame.handle("null twin: no work", "black", "d", "none",
                                  markerfacecolor="white")]
    return handles


def levels(data, condition, size):
    """(2) What each level takes, gaps and barriers between; a single pass is one bar."""
    sets = [(group, points) for group, points in members(data, condition, size)
            if condition.mode == "latency" and any(map(steps_of, points.values()))]
    if not sets:
        raise NoData("no level was timed alone, as it is in latency mode",
                     "--per-level --cache hot")
    notes = "each dispatch was stamped alone, so a sum may differ from the whole chain's median"
    if condition.cache != "hot":
        notes += f" · levels were timed with a hot cache, whole chains with a {condition.cache} one"
    frame = make_frame("Time by level", condition, size, sets, notes + data.note(),
                       (WIDTH_INCHES, sum(heights(sets))))
    unit_ns, unit = time_unit([it.median for _, points in sets for it in points.values()])
    for (axes,), (group, points) in zip(
            frame.grid(len(sets), 1, gridspec_kw={"height_ratios": heights(sets)}), sets):
        n_levels = draw_levels(axes, data, points, unit, unit_ns)
        axes.set_title(group.label if len(sets) > 1 else "")
        plot_frame.legend_beside(axes, level_handles(n_levels),
                                 title="dispatches, by their first level"
                                 + ("" if n_levels <= NAMED_LEVELS else "; some named"))
    return frame


def draw_ecdf(axes, data, points, unit, unit_ns):
    """Each strategy against its own median, which the legend has: shapes are what is compared."""
    every, handles = [], []
    for label in by_time(points):
        median = points[label].median
        shares = np.sort([100 * (value / median - 1) for row in points[label].rows
                          for value in row.samples if value is not None])
        colour, marker = data.styles[label]
        axes.step(shares, np.arange(1, shares.size + 1) / shares.size, where="post",
                  color=colour, linewidth=1.1, marker=marker, markersize=4.5,
                  markevery=(0.1, 0.2), gid=f"ecdf {label}")
        time = plot_data.figure(median / unit_ns)
        handles.append(plot_frame.handle(f"{name_of(label, points[label])}  {time} {unit}", colour,
                                         marker))
        every.append(shares)
    low, high = np.quantile(np.concatenate(every), [(1 - SHOWN_SHARE) / 2, (1 + SHOWN_SHARE) / 2])
    margin = 0.05 * (high - low) + 0.1
    axes.set_xlim(low - margin, high + margin)
    axes.set_ylim(0, 1.01)
    axes.set_xlabel("GPU time above the strategy's median, %")
    axes.set_ylabel("share of samples")
    return handles


def rows_of(points):
    return [row for it in points.values() for row in it.rows]


def timings_of(points):
    """The timings behind the points, in the order of the runs."""
    return list(dict.fromkeys(row.timing for row in rows_of(points)))


def kept_blocks(timing):
    """Indices of the blocks that count, among all of the timing."""
    repeated = set(timing.repeated)
    return [i for i in range(len(timing.probes)) if i not in repeated]


def lay_out(points):
    """{timing: index of its first block}, one after the other, and how many in all."""
    begins, at = {}, 0
    for timing in timings_of(points):
        begins[timing] = at
        at += max(len(row.samples) for row in rows_of(points) if row.timing is timing)
    return begins, at


def deviations(row):
    """(block, deviation from the row's own median as a share) of each sample."""
    median = row.stats.median
    return [(i, value / median - 1) for i, value in enumerate(row.samples)
            if value is not None]


def draw_lanes(axes, data, points, begins):
    """Samples in the order taken, a lane for each strategy."""
    order = by_time(points)
    every = [abs(share) for row in rows_of(points) for _, share in deviations(row)]
    lane = max(float(np.quantile(every, LANE_QUANTILE)), LEAST_LANE)
    for y, label in enumerate(order):
        colour, _ = data.styles[label]
        axes.axhline(y, color=plot_frame.FAINT, linewidth=0.7)
        for row in points[label].rows:
            found = deviations(row)
            axes.plot([begins[row.timing] + i for i, _ in found],
                      [y - 0.5 * max(-1, min(1, share / lane)) for _, share in found],
                      linestyle="none", marker="o", markersize=1.8, markeredgewidth=0,
                      color=colour, rasterized=True)
    axes.set_yticks(range(len(order)), [name_of(label, points[label]) for label in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.grid(False)
    axes.set_title(f"samples in the order taken; a lane is "
                   f"±{plot_data.figure(100 * lane)} % of the median")


def draw_clock(axes, points, begins):
    """The probe's speed, 100 % when warm; crosses are blocks in which it moved."""
    drawn = False
    for timing in timings_of(points):
        probe, warm, flagged = timing.probes, timing.warm_probe, set(timing.flagged)
        track = [(begins[timing] + i, 100 * warm / probe[block], block in flagged)
                 for i, block in enumerate(kept_blocks(timing)) if warm and probe[block]]
        if track:
            drawn = True
            axes.plot([x for x, _, _ in track], [y for _, y, _ in track], color="black",
                      linewidth=0.8, gid="clock")
            axes.plot([x for x, _, bad in track if bad], [y for _, y, bad in track if bad],
                      linestyle="none", marker="x", color="#D55E00", gid="flagged")
    if not drawn:
        axes.text(0.5, 0.5, "no clock probe on this device", ha="center", va="center",
                  transform=axes.transAxes, color=GREY, fontsize=8)
        axes.set_yticks([])
    axes.margins(y=0.3)
    axes.ticklabel_format(axis="y", useOffset=False)
    axes.set_xlabel("block, in the order taken" + ("; runs one after the other"
                                                   if len(begins) > 1 else ""))
    axes.set_ylabel("clock, %\nof warm")


def draw_order(lanes, clock, data, points):
    """Both over the blocks; a dotted line where a run begins."""
    begins, n_blocks = lay_out(points)
    draw_lanes(lanes, data, points, begins)
    draw_clock(clock, points, begins)
    for axes in (lanes, clock):
        axes.set_xlim(-0.02 * n_blocks - 0.4, 1.02 * n_blocks - 0.6)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        for begin in list(begins.values())[1:]:
            axes.axvline(begin - 0.5, color=GREY, linewidth=0.8, linestyle=":")
    lanes.set_xticklabels([])


def samples(data, condition, size):
    """(4) Distribution and order of all samples, with the clock beneath."""
    sets = [(group, points) for group, points in members(data, condition, size)
            if any(map(deviations, rows_of(points)))]
    if not sets:
        raise NoData("no row has samples", "")
    # Beneath the distribution is its legend, which must fit beside the clock.
    longest = max(len(name_of(label, it)) for _, points in sets for label, it in points.items())
    n_columns = 2 if longest <= LEGEND_COLUMNS else 1
    clock_inches = max(1.1, 0.21 * max(len(points) for _, points in sets) / n_columns)
    notes = "no sample is dropped; those beyond a lane are at its edge · clock: a fixed chain of " \
            "multiply-adds before each block · cross: a block in which it moved by more than 2 %"
    frame = make_frame("Samples", condition, size, sets, notes + data.note(),
                       (13.5, sum(heights(sets)) + 1.2 * clock_inches * len(sets)))
    unit_ns, unit = time_unit([it.median for _, points in sets for it in points.values()])
    ratios = [inches for height in heights(sets) for inches in (height, clock_inches)]
    rows = frame.grid(2 * len(sets), 2, gridspec_kw={"height_ratios": ratios,
                                                     "width_ratios": (1, 1.35)})
    for index, (group, points) in enumerate(sets):
        (ecdf, lanes), (below, clock) = rows[2 * index], rows[2 * index + 1]
        handles = draw_ecdf(ecdf, data, points, unit, unit_ns)
        below.set_axis_off()
        below.legend(handles=handles, loc="upper left", ncol=n_columns, fontsize=8,
                     borderaxespad=0).set_in_layout(False)
        ecdf.set_title(f"{group.label}\n" * (len(sets) > 1)
                       + "cumulative distribution; the axis holds 99 % of all samples")
        draw_order(lanes, clock, data, points)
    return frame


def count_covering(points, error_of, largest):
    """{label: how many are drawn after it at about the same place}."""
    places = {label: (math.log(points[label].median), error_of(points[label]) or 0.0)
              for label in by_time(points)}
    order = list(places)
    reach = NEAR_TIME * (places[order[-1]][0] - places[order[0]][0])
    return {label: sum(places[later][0] - places[label][0] <= reach
                       and abs(places[label][1] - places[later][1]) < NEAR_ERROR * largest
                       for later in order[index + 1:]) for index, label in enumerate(order)}


def draw_errors(axes, data, points, unit_ns, error_of, title):
    """Markers at (time, error); without an error they are on the axis. What others are drawn over
    is larger, so that it is seen."""
    known = [error_of(it) for it in points.values() if error_of(it) is not None]
    largest = max(known, default=0.0)
    n_over = count_covering(points, error_of, largest or 1.0)
    for label in by_time(points):
        it, error = points[label], error_of(points[label])
        colour, marker = data.styles[label]
        axes.plot([it.median / unit_ns], [error or 0.0], linestyle="none", marker=marker,
                  color=colour, clip_on=False, zorder=3,
                  markersize=MARKER_POINTS + 1 + STEP_POINTS * min(n_over[label], MOST_STEPS),
                  markerfacecolor=colour if it.verified and error is not None else "white",
                  markeredgecolor="white" if it.verified and error is not None else colour,
                  markeredgewidth=0.4 if it.verified and error is not None else 1.4,
                  gid=f"error {label}")
    times = [it.median / unit_ns for it in points.values()]
    plot_frame.log_axis(axes.xaxis, min(times) / 1.1, max(times) * 1.1)
    axes.set_xlim(min(times) / 1.25, max(times) * 1.25)
    if largest > LARGEST_LINEAR:
        axes.set_yscale("symlog", linthresh=1.0, linscale=0.6)
        axes.yaxis.set_major_formatter(FuncFormatter(plot_frame.plain))
    axes.set_ylim(0, 1.15 * largest if largest else 1.0)
    axes.set_title(title + ("; linear to 1, above that logarithmic" if largest > LARGEST_LINEAR
                            else ""))


def worst(figure_of):
    """A function of a point: the largest figure of its rows, or None."""
    def pick(point):
        figures = [figure_of(row.verify) for row in point.rows]
        return max((figure for figure in figures if figure is not None), default=None)
    return pick


def error_legend(data, sets, rounded):
    labels = {label: it for _, points in sets for label, it in points.items()}
    handles = [plot_frame.handle(label, *data.styles[label], "none") for label in by_time(labels)]
    verified = all(it.verified for _, points in sets for it in points.values())
    handles += [] if verified else [plot_frame.hollow_handle()]
    return handles + ([plot_frame.handle("rounding alone", GREY, None, ":")] if rounded else [])


def error(data, condition, size):
    """(5) Time against error: from the strategy's own golden chain, and from the true average."""
    sets = members(data, condition, size)
    step, box = worst(lambda verify: verify.worst_step()), worst(lambda verify: verify.box)
    unit_of_error = last_place(condition.format)
    rounded = ROUNDING[unit_of_error] > 0
    if not any(step(it) is not None for _, points in sets for it in points.values()):
        raise NoData("no row was verified (--no-verify)", "")
    truth = TRUTH.get(condition.reduce, "the true chain")  # of a later version
    notes = "errors in units of the last place of the format · left: from the chain that the " \
            f"strategy claims to make, level by level · right: from {truth}, " \
            "never rounded: other policies on odd sizes and wide kernels make other images"
    notes += "" if all(pick(it) is not None for _, points in sets for it in points.values()
                       for pick in (step, box)) else " · hollow, on the axis: error not known"
    frame = make_frame("Time against error", condition, size, sets, notes + data.note(),
                       (11.5, 4.0 * len(sets)))
    unit_ns, unit = time_unit([it.median for _, points in sets for it in points.values()])
    for row, (group, points) in zip(frame.grid(len(sets), 2), sets):
        name = f", {group.label}" if len(sets) > 1 else ""
        draw_errors(row[0], data, points, unit_ns, step, f"correctness{name}")
        draw_errors(row[1], data, points, unit_ns, box, "quality")
        if rounded:
            row[0].axhline(ROUNDING[unit_of_error], color=GREY, linestyle=":", linewidth=1)
        row[0].set_ylabel(f"largest step error, {unit_of_error}")
        row[1].set_ylabel(f"largest distance from {truth}, {unit_of_error}")
        for axes in row:
            axes.set_xlabel(f"GPU time of a whole chain, {unit} (log scale)")
    plot_frame.legend_beside(frame.figure.axes[1], error_legend(data, sets, rounded))
    return frame
