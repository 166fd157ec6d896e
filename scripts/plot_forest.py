"""Ratios within blocks to the fastest strategy, with intervals, and the A/A control's band."""

import collections
import math

import plot_cell
import plot_data
import plot_frame
from plot_data import NoData, together
from plot_frame import GREY, MARKER_POINTS

BAND_COLOUR = "#CCCCCC"
WIDTH_INCHES = 11.5
ZOOM_FROM = 1.5  # with a ratio above this, a second panel shows those near 1
NEAR, LEAST_REACH = 1.2, 0.05


def related_rows(group, condition, size):
    """{label: [Row]}: those that are held against the fastest."""
    found = collections.defaultdict(list)
    for row in group.rows_at(condition, size):
        if row.is_comparable() and row.status == "ok" \
                and (together(row).relative.ratio or 0) > 0:
            found[row.label].append(row)
    return dict(found)


def reference_of(rows):
    """What the ratios are to, in words."""
    return next((together(timing).verdict().fastest for timing in timings_of(rows)
                 if together(timing).rankings), "the fastest")


def timings_of(rows):
    return list(dict.fromkeys(row.timing for found in rows.values() for row in found))


def controls(rows):
    """The A/A controls of the timings behind the rows."""
    return [timing.control for timing in timings_of(rows) if timing.control]


def draw_ratio_row(axes, y, ratios, colour, marker):
    """A marker and an interval; for each run's control one, one above the other."""
    for index, it in enumerate(ratios):
        at = y + (index - (len(ratios) - 1) / 2) * min(0.22, 0.7 / len(ratios))
        if it.ci and it.ci[0] > 0:
            axes.plot(it.ci, [at, at], color=colour, linewidth=1.4,
                      solid_capstyle="butt", marker="|", markersize=5)
        axes.plot([it.ratio], [at], marker=marker, color=colour, linestyle="none",
                  markersize=MARKER_POINTS if len(ratios) == 1 else 4.5)


def shown(ratios):
    """The figure of a row: its ratio; of several controls the one that is farthest from 1."""
    return max((it.ratio for it in ratios), key=lambda ratio: abs(math.log(ratio)))


def draw_forest(axes, entries, margin):
    """entries: [(name, colour, marker, [what has ratio and ci])], from top to bottom."""
    if margin:
        axes.axvspan(1 / (1 + margin), 1 + margin, color=BAND_COLOUR, linewidth=0, zorder=0,
                     gid="aa-band")
    axes.axvline(1, color=GREY, linewidth=0.9)
    for y, (_, colour, marker, ratios) in enumerate(entries):
        draw_ratio_row(axes, y, ratios, colour, marker)
    axes.set_yticks(range(len(entries)), [name for name, _, _, _ in entries])
    axes.set_ylim(len(entries) - 0.4, -0.6)
    axes.grid(False, axis="y")


def set_range(axes, low, high):
    margin = (high / low) ** 0.03
    plot_frame.log_axis(axes.xaxis, low, high)
    axes.set_xlim(low / margin, high * margin)


def draw_zoom(axes, entries, margin):
    """Limits that hold the band and what is near it; what is beyond is an arrow at the edge."""
    reach = max(LEAST_REACH, 3 * margin)
    values = [value for _, _, _, ratios in entries
              if 1 / NEAR < (value := shown(ratios)) < NEAR] + [1]
    set_range(axes, min(1 / (1 + reach), min(values) ** 1.15),
              max(1 + reach, max(values) ** 1.15))
    low, high = axes.get_xlim()
    for y, (_, colour, _, ratios) in enumerate(entries):
        value = shown(ratios)
        if not low <= value <= high:
            axes.plot([0.985 if value > high else 0.015], [y], marker=">" if value > high else "<",
                      color=colour, linestyle="none", markersize=6, markerfacecolor="white",
                      transform=axes.get_yaxis_transform())
    axes.set_xlabel("near 1; arrows: beyond")


def entries_of(data, rows):
    """By ratio; the control last."""
    entries = [(label, *data.styles[label], [together(rows[label][0]).relative])
               for label in rows]
    entries.sort(key=lambda entry: (shown(entry[3]), entry[0]))
    control = [it for it in controls(rows) if it.ratio and it.ratio > 0]
    return entries + ([("A/A control", GREY, "d", control)] if control else [])


def draw_set(row, data, rows):
    """The axes of one set: all ratios, then those near 1 if they need room."""
    entries = entries_of(data, rows)
    margin = max((it.margin for it in controls(rows)), default=0)
    values = [value for _, _, _, ratios in entries for it in ratios
              for value in (it.ratio, *(it.ci or ())) if value > 0]
    low, high = min(values + [0.97]), max(values + [1.03])
    for axes in row:
        draw_forest(axes, entries, margin)
    set_range(row[0], low, high)
    row[0].set_xlabel(f"time over that of {reference_of(rows)}, within blocks (log scale)")
    if high > ZOOM_FROM:
        draw_zoom(row[1], entries, margin)
        row[1].set_yticklabels([])
    else:
        row[1].set_visible(False)
    last = row[1] if high > ZOOM_FROM else row[0]
    for y, (_, _, _, ratios) in enumerate(entries):
        last.text(1.02, y, f"{shown(ratios):#.4g}", va="center", fontsize=8.5,
                  transform=last.get_yaxis_transform())


def interval_words(data, sets):
    """What is drawn of intervals: there are none below six samples."""
    ratios = [it for _, rows in sets for _, _, _, found in entries_of(data, rows)
              for it in found if it.ratio != 1]
    n_known = sum(it.ci is not None for it in ratios)
    if n_known == 0:
        return ", too few samples for an interval"
    return " and its 95 % interval" + ("" if n_known == len(ratios) else ", where there is one")


def wrong_words(sets, condition, size):
    """What was timed, but is not held against the others."""
    labels = dict.fromkeys(row.label for group, _ in sets for row in group.rows_at(condition, size)
                           if row.is_comparable() and row.verify.status == "fail")
    return f" · wrong texels, so no ratio: {', '.join(labels)}" if labels else ""


def forest(data, condition, size):
    """(7) Ratios within blocks to the fastest, with intervals and the A/A control's band."""
    sets = [(group, rows) for group in data.sets
            if len(rows := related_rows(group, condition, size)) > 1]
    if not sets:
        raise NoData("no size has two strategies that were held against each other", "-s all")
    points = [(group, {label: plot_data.point(found) for label, found in rows.items()})
              for group, rows in sets]
    counts = plot_data.count_text([it.n for _, found in points for it in found.values()])
    band = "grey band: what the A/A control says is no difference" \
        if any(controls(rows) for _, rows in sets) else "no A/A control was measured"
    notes = f"{counts} samples a strategy · median of the ratios within blocks" \
            f"{interval_words(data, sets)} · {band}{wrong_words(sets, condition, size)}"
    heights = plot_cell.heights(points, 1)
    frame = plot_cell.make_frame_of("Paired ratios", condition, size, [group for group, _ in sets],
                                    notes + data.note(), (WIDTH_INCHES, sum(heights)))
    grid = frame.grid(len(sets), 2, gridspec_kw={"height_ratios": heights,
                                                 "width_ratios": (1.5, 1)})
    for row, (group, rows) in zip(grid, sets):
        draw_set(row, data, rows)
        row[0].set_title(group.label if len(sets) > 1 else "")
    return frame
