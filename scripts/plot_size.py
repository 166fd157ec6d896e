"""Plots over sizes: time against size, and bandwidth against size."""

import collections

import numpy as np
from matplotlib.ticker import NullLocator

import plot_data
import plot_frame
from plot_data import NoData
from plot_frame import GREY, MARKER_POINTS, SET_LINES, SET_MARKER_SCALES
from result_units import is_power_of_two, time_unit

PANEL_INCHES, SIDE_INCHES, LEGEND_INCHES, HEIGHT_INCHES = 5.6, 2.4, 2.6, 4.6
LEAST_GAP = 0.055  # between two labels of the axis, as a share of it
SWEEP = "--sweep 256:4096"


def split_sizes(series):
    """[(title, sizes)]: lines are drawn through sizes of one kind only, as odd ones take other
    paths through a kernel; 4095x4095 is as large as 4096x4096, but no point of its curve."""
    sizes = sorted({(it.texels, it.size) for points in series.values() for it in points})
    kinds = [("powers of two", [it for it in sizes if is_power_of_two(it[1])]),
             ("other sizes", [it for it in sizes if not is_power_of_two(it[1])])]
    return [(title, found) for title, found in kinds if found]


def size_axis(axes, sizes):
    """Each size is a tick, but for those whose label would cover another."""
    low, high = sizes[0][0] / 1.6, sizes[-1][0] * 1.6
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks, labels, last = [], [], -1.0
    for texels, size in reversed(sizes):
        at = np.log(texels / low) / np.log(high / low)
        if not ticks or last - at >= LEAST_GAP * (1 if len(sizes) > 4 else 2):
            ticks.append(texels)
            labels.append(plot_data.size_text(size))
            last = at
    axes.set_xticks(ticks, labels, rotation=35, ha="right", rotation_mode="anchor")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("size of level 0, texels (log scale)")


def collect(data, condition):
    """{(label, index of the set): [Point]}; refuses what is no curve."""
    series = {(label, index): points for index, group in enumerate(data.sets)
              for label, points in data.points(group, condition).items()}
    sizes = {it.size for points in series.values() for it in points}
    if not sizes:
        raise NoData("no row has a time", SWEEP)
    if len(sizes) < 2:
        raise NoData(f"only one size was timed ({plot_data.size_text(next(iter(sizes)))})", SWEEP)
    return series


def draw_series(axes, data, series, sizes, figure_of):
    """A line with markers for each; figure_of(point) gives low, middle, high."""
    wanted = {size for _, size in sizes}
    for (label, index), points in series.items():
        inside = [it for it in points if it.size in wanted]
        if not inside:
            continue
        colour, marker = data.styles[label]
        texels = [it.texels for it in inside]
        low, middle, high = zip(*(figure_of(it) for it in inside))
        axes.fill_between(texels, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.vlines(texels, low, high, color=colour, alpha=0.4, linewidth=2.5)
        axes.plot(texels, middle, color=colour, linestyle=SET_LINES[index % len(SET_LINES)],
                  linewidth=1.3, gid=f"series {label}")
        for fill, verified in ((colour, True), ("white", False)):
            at = [i for i, it in enumerate(inside) if it.verified == verified]
            axes.plot([texels[i] for i in at], [middle[i] for i in at], linestyle="none",
                      marker=marker, color=colour, markerfacecolor=fill, markersize=MARKER_POINTS
                      * SET_MARKER_SCALES[index % len(SET_MARKER_SCALES)])


def legend_of(data, series, slowest_first, more):
    """Strategies by their pace at the largest size, as the lines lie; then sets, then `more`."""
    pace = {}
    for (label, _), points in series.items():
        pace[label] = max(pace.get(label, 0.0), points[-1].median / points[-1].texels)
    handles = [plot_frame.handle(label, *data.styles[label])
               for label in sorted(pace, key=pace.get, reverse=slowest_first)]
    if len(data.sets) > 1:
        handles += [plot_frame.handle(group.label, GREY, "o", SET_LINES[index % len(SET_LINES)])
                    for index, group in enumerate(data.sets)]
    if not all(it.verified for points in series.values() for it in points):
        handles.append(plot_frame.hollow_handle())
    return handles + more


def size_frame(title, data, condition, series, notes):
    """(frame, [(axes, sizes)]): a panel for powers of two, a narrower one for other sizes."""
    kinds = split_sizes(series)
    widths = [PANEL_INCHES if index == 0 or len(sizes) > 4 else SIDE_INCHES
              for index, (_, sizes) in enumerate(kinds)]
    points = [it for found in series.values() for it in found]
    footer = [group.footer(group.rows_at(condition)) for group in data.sets]
    footer.append(f"{plot_data.count_text([it.n for it in points])} samples a point · " + notes
                  + data.note())
    frame = plot_frame.Frame(title, plot_data.describe(condition), footer,
                             (sum(widths) + LEGEND_INCHES + 0.6, HEIGHT_INCHES))
    row, = frame.grid(1, len(kinds), sharey=True, gridspec_kw={"width_ratios": widths})
    for axes, (name, sizes) in zip(row, kinds):
        size_axis(axes, sizes)
        axes.set_title(name if len(kinds) > 1 else "")
    return frame, [(axes, sizes) for axes, (_, sizes) in zip(row, kinds)]


def floors(group, condition):
    """{texels: ns}: the least time that the device could take."""
    found = {}
    for row in group.rows_at(condition):
        if row.is_comparable() and row.timing.floor:
            found.setdefault((row.texels, row.size), []).append(row.timing.floor)
    return {key: min(values) for key, values in sorted(found.items())}


def time_size(data, condition):
    """(1) Median time against size, the band from p05 to p95, and the floor of the device."""
    series = collect(data, condition)
    values = [value for points in series.values() for it in points
              for value in plot_data.band(it)]
    unit_ns, unit = time_unit(values)
    floor = [floors(group, condition) for group in data.sets]
    notes = "line: median; band and bars: p05 to p95"
    notes += " · dashed: compulsory bytes at the measured 3:1 bandwidth, or an empty dispatch " \
             "where that takes longer" if any(floor) else " · no floor: the roofline was not " \
                                                          "measured"
    frame, panels = size_frame("Time against size", data, condition, series, notes)
    values += [value for found in floor for value in found.values()]
    for axes, sizes in panels:
        draw_series(axes, data, series, sizes,
                    lambda it: tuple(value / unit_ns for value in plot_data.band(it)))
        for index, found in enumerate(floor):
            at = [key for key in found if key in sizes]
            axes.plot([texels for texels, _ in at], [found[key] / unit_ns for key in at],
                      color=GREY, linestyle="--", linewidth=1.2 + 0.5 * index, gid="floor",
                      marker="_" if len(at) == 1 else None, markersize=16)
        plot_frame.log_axis(axes.yaxis, min(values) / unit_ns, max(values) / unit_ns)
    panels[0][0].set_ylabel(f"GPU time of a whole chain, {unit} (log scale)")
    more = [plot_frame.handle("limit of the device", GREY, None, "--")] if any(floor) else []
    plot_frame.legend_beside(panels[-1][0], legend_of(data, series, True, more))
    return frame


def gbps(row_point):
    """Compulsory bytes over the time: p95, median, p05 of the time give low to high."""
    n_bytes = row_point.rows[0].case.bytes
    return tuple(n_bytes / value for value in reversed(plot_data.band(row_point)))


def ceilings(group):
    """{traffic: GB/s}: the best on buffers or images, far beyond the caches."""
    found = collections.defaultdict(float)
    for run in group.runs:
        for line in run.ceilings:
            found[line.traffic] = max(found[line.traffic], line.gbps)
    return dict(found)


def footprint_mix(group, condition):
    """{(texels, size): GB/s} of the 3:1 mix at the image's own footprint, caches helping."""
    found = {}
    for row in group.rows_at(condition):
        for line in row.case.bandwidths if row.is_comparable() else []:
            if line.traffic == "mix":
                key = row.texels, row.size
                found[key] = max(found.get(key, 0.0), line.gbps)
    return dict(sorted(found.items()))


CEILING_LINES = {"mix": ("3:1 mix", "--", 1.6), "read": ("read", (0, (1, 1)), 1.0),
                 "write": ("write", "-.", 1.0), "copy": ("copy", (0, (5, 1, 1, 1, 1, 1)), 1.0)}


def draw_ceilings(panels, data):
    """Handles for the legend; of several devices only the mix, or nothing could be told apart."""
    handles = []
    kinds = CEILING_LINES if len(data.sets) == 1 else {"mix": CEILING_LINES["mix"]}
    for index, group in enumerate(data.sets):
        measured = ceilings(group)
        for traffic in (kind for kind in kinds if kind in measured):
            name, line, width = kinds[traffic]
            width += 0.5 * index
            for axes, _ in panels:
                axes.axhline(measured[traffic], color=GREY, linestyle=line, linewidth=width,
                             gid="ceiling")
            whose = f" {group.label}" if len(data.sets) > 1 else ""
            handles.append(plot_frame.handle(f"{name}{whose}: {measured[traffic]:.4g} GB/s", GREY,
                                             None, line, linewidth=width))
    return handles


def bandwidth(data, condition):
    """(3) Compulsory bytes over time, against what the memory was measured to do."""
    series = {key: [it for it in points if it.rows[0].case.bytes]
              for key, points in collect(data, condition).items()}
    series = {key: points for key, points in series.items() if points}
    if not series or not any(ceilings(group) for group in data.sets):
        raise NoData("no ceiling was measured (--no-roofline)", SWEEP)
    notes = "compulsory bytes (level 0 read once, all others written once) over the median time; " \
            "bars: p05 to p95 of the time · grey: measured ceilings far beyond the caches"
    frame, panels = size_frame("Bandwidth against size", data, condition, series, notes)
    values = [value for points in series.values() for it in points for value in gbps(it)]
    values += [value for group in data.sets for value in ceilings(group).values()]
    handles = draw_ceilings(panels, data)
    for group in data.sets:
        mix = footprint_mix(group, condition)
        values += mix.values()
        for axes, sizes in panels:
            at = [key for key in mix if key in sizes]
            axes.plot([texels for texels, _ in at], [mix[key] for key in at], color="#999999",
                      linestyle="none", marker="x", markersize=6, gid="footprint")
    handles.append(plot_frame.handle("3:1 mix at that footprint", "#999999", "x", "none"))
    for axes, sizes in panels:
        draw_series(axes, data, series, sizes, gbps)
        plot_frame.log_axis(axes.yaxis, min(values), max(values))
    panels[0][0].set_ylabel("compulsory bandwidth, GB/s (log scale)")
    plot_frame.legend_beside(panels[-1][0], legend_of(data, series, False, handles))
    return frame
