"""Who wins where: the fastest strategy by size and texel format, as the runs decided."""

import collections
import re

from matplotlib.patches import Rectangle

import plot_data
import plot_frame
from plot_data import NoData, together
from plot_frame import GREY
from result_units import time_unit

CELL_INCHES, MARGIN_INCHES, LEAST_WIDTH_INCHES = (1.35, 0.78), (1.5, 0.9), 7.0
CELL_COLUMNS = 18
OPTIONS = "--sweep 256:4096"

# `n_near`: how many others are not told apart from it; `note`: what it loses, or ''.
Winner = collections.namedtuple("Winner", "label median_ns n n_near note")


def judge(timings):
    """A Winner, or why there is none: 'unsupported', 'none verified', 'not measured'."""
    rows = [row for timing in timings for row in timing.rows if not row.diagnostic]
    ranking = next((together(timing).verdict() for timing in timings
                    if together(timing).rankings), None)
    winning = [row for row in rows if ranking and row.label == ranking.fastest
               and row.is_comparable()]
    if not winning:
        skipped = all(row.status == "skipped" for row in rows)
        return ("unsupported" if skipped else "none verified") if rows else "not measured"
    point = plot_data.point(winning)
    return Winner(ranking.fastest, point.median, point.n, len(ranking.tied), note_of(point))


def note_of(point):
    loss = point.rows[0].variant.loss
    return loss if point.verified else ", ".join(filter(None, (loss, "not verified")))


def timings_like(group, like):
    return [timing for timing in group.timings
            if timing.condition._replace(format="") == like and not timing.case.run.validated]


def judge_all(group, like, sizes, formats):
    """{(x, y): Winner or why not} of one set."""
    found = timings_like(group, like)
    return {(x, y): judge([timing for timing in found
                           if (timing.case.format, timing.case.size) == (texels, size)])
            for y, texels in enumerate(formats) for x, size in enumerate(sizes)}


def break_label(label):
    """Lines that fit into a cell, broken before parameters."""
    lines = [""]
    for part in re.split("(?=:)", label):
        if lines[-1] and len(lines[-1]) + len(part) > CELL_COLUMNS:
            lines.append("")
        lines[-1] += part
    return lines


def rectangle(x, y, **options):
    return Rectangle((x - 0.5, y - 0.5), 1, 1, edgecolor=GREY, linewidth=0.5, **options)


def draw_verdict(axes, x, y, verdict, styles):
    if not isinstance(verdict, Winner):
        hatch = "////" if verdict == "unsupported" else None
        axes.add_patch(rectangle(x, y, facecolor="white", hatch=hatch))
        axes.text(x, y, verdict, ha="center", va="center", fontsize=7.5, color=GREY,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})
        return
    colour, marker = styles[verdict.label]
    axes.add_patch(rectangle(x, y, facecolor=colour, alpha=0.25))
    axes.plot([x - 0.42], [y - 0.33], marker=marker, color=colour, markersize=5.5)
    name = "\n".join(break_label(verdict.label))
    unit_ns, unit = time_unit([verdict.median_ns])
    time = plot_data.figure(verdict.median_ns / unit_ns)
    near = f", ≈ {verdict.n_near} more" if verdict.n_near else ""
    note = f"\n({verdict.note})" if verdict.note else ""
    axes.text(x, y, f"{name}{note}\n{time} {unit}{near}", ha="center", va="center", fontsize=7.5,
              linespacing=1.25)


def draw_map(axes, verdicts, sizes, formats, styles):
    for (x, y), verdict in verdicts.items():
        draw_verdict(axes, x, y, verdict, styles)
    axes.set_xlim(-0.5, len(sizes) - 0.5)
    axes.set_ylim(len(formats) - 0.5, -0.5)
    axes.set_xticks(range(len(sizes)), [plot_data.size_text(size) for size in sizes])
    axes.set_yticks(range(len(formats)), formats)
    axes.set_xlabel("size of level 0, texels")
    axes.set_ylabel("texel format")
    axes.grid(False)


def extent(data, like):
    """The sizes and formats of the map; refuses a map of one cell."""
    timings = [timing for group in data.sets for timing in timings_like(group, like)]
    sizes = sorted({timing.case.size for timing in timings}, key=lambda it: (it[0] * it[1], it))
    formats = list(dict.fromkeys(timing.case.format for timing in timings))
    if len(sizes) * len(formats) < 2:
        raise NoData("only one size of one format was timed", OPTIONS)
    return sizes, formats


def winners(data, condition):
    """(6) The fastest strategy by size and format, hatched where none can; of all that was
    measured, whatever --strategy leaves out."""
    like = condition._replace(format="")
    sizes, formats = extent(data, like)
    verdicts = [judge_all(group, like, sizes, formats) for group in data.sets]
    counts = [it.n for found in verdicts for it in found.values() if isinstance(it, Winner)]
    if not counts:
        raise NoData("no row is both timed and right", OPTIONS)
    footer = [group.footer([row for timing in timings_like(group, like) for row in timing.rows])
              for group in data.sets]
    footer.append(f"{plot_data.count_text(counts)} samples of a winner · the fastest exact one; "
                  "where none is exact, in brackets what the fastest loses · '≈ N more': N others "
                  "are not told apart from it")
    inches = (max(CELL_INCHES[0] * len(sizes) + MARGIN_INCHES[0], LEAST_WIDTH_INCHES),
              (CELL_INCHES[1] * len(formats) + MARGIN_INCHES[1]) * len(data.sets))
    frame = plot_frame.Frame("Fastest strategy by size and format",
                             plot_data.describe(condition, but=("format",)), footer, inches)
    for (axes,), group, found in zip(frame.grid(len(data.sets), 1), data.sets, verdicts):
        draw_map(axes, found, sizes, formats, data.styles)
        axes.set_title(group.label if len(data.sets) > 1 else "")
    return frame
