"""Who wins where: the fastest verified strategy by size and texel format."""

import collections
import re

from matplotlib.patches import Rectangle

import plot_data
import plot_frame
import result_rank
from plot_data import NoData
from plot_frame import GREY
from result_units import time_unit

CELL_INCHES, MARGIN_INCHES, LEAST_WIDTH_INCHES = (1.35, 0.78), (1.5, 0.9), 7.0
CELL_COLUMNS = 18
OPTIONS = "--sweep 256:4096"

# How many others are not told apart from it.
# `policy`: whose image it makes, where that is not the true average.
Winner = collections.namedtuple("Winner", "label median_ns n n_near policy")


def is_near(rows, winners):
    """Whether any run holds the two for one, or has not held them against each other."""
    winner_of = {row.cell: row for row in winners}
    pairs = [(row, winner_of[row.cell]) for row in rows if row.cell in winner_of]
    return not pairs or not all(is_told_apart(*pair) for pair in pairs)


def is_told_apart(row, winner):
    """By the verdict of the run, or where it has ranked against another, by the samples."""
    if row.relative.to == winner.label:
        return result_rank.is_slower(row.relative)
    ratio = plot_data.paired_ratio(row, winner)
    return ratio is not None and result_rank.clears(ratio.low, row.cell)


def judge(rows, kind):
    """A Winner, or why there is none: 'unsupported', 'none verified', 'not measured'."""
    ranked = collections.defaultdict(list)
    for row in rows:
        if row.is_rankable() and row.kind == kind:
            ranked[row.label].append(row)
    if not ranked:
        skipped = all(row.status == "skipped" for row in rows)
        return ("unsupported" if skipped else "none verified") if rows else "not measured"
    points = {label: plot_data.point(found) for label, found in ranked.items()}
    label = min(points, key=lambda it: (points[it].median, it))
    n_near = sum(is_near(found, ranked[label]) for other, found in ranked.items() if other != label)
    policy = next((row.verify.policy for row in ranked[label] if row.leaves_box()), "")
    return Winner(label, points[label].median, points[label].n, n_near, policy)


def rows_like(group, like):
    return [row for row in group.rows if row.condition._replace(format="") == like]


def judge_all(group, like, sizes, formats):
    """{(x, y): Winner or why not} of one set."""
    rows = rows_like(group, like)
    kind, _ = result_rank.main_kind(rows)
    return {(x, y): judge([row for row in rows if (row.format, row.size) == (texels, size)], kind)
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
    policy = f"\n({verdict.policy})" if verdict.policy else ""
    axes.text(x, y, f"{name}{policy}\n{time} {unit}{near}", ha="center", va="center", fontsize=7.5,
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
    """The sizes and formats of the map; refuses a map of one cell, or without a winner."""
    rows = [row for group in data.sets for row in rows_like(group, like)]
    sizes = sorted({row.size for row in rows}, key=lambda it: (it[0] * it[1], it))
    formats = list(dict.fromkeys(row.format for row in rows))
    if not any(row.is_rankable() for row in rows):
        raise NoData("no row is both timed and verified", OPTIONS)
    if len(sizes) * len(formats) < 2:
        raise NoData("only one size of one format was timed", OPTIONS)
    return sizes, formats


def policy_note(verdicts):
    found = sorted({it.policy for cells in verdicts for it in cells.values()
                    if isinstance(it, Winner) and it.policy})
    return f" · ({', '.join(found)}): by that policy, where edges are odd not the true average" \
        if found else ""


def winners(data, condition):
    """(6) The fastest verified strategy by size and format, hatched where none can."""
    like = condition._replace(format="")
    sizes, formats = extent(data, like)
    verdicts = [judge_all(group, like, sizes, formats) for group in data.sets]
    counts = [it.n for found in verdicts for it in found.values() if isinstance(it, Winner)]
    footer = [group.footer(rows_like(group, like)) for group in data.sets]
    footer.append(f"{plot_data.count_text(counts)} samples of a winner · fastest by median of "
                  "what was verified and is of one kind of kernel · '≈ N more': N others are not "
                  "told apart from it" + policy_note(verdicts) + data.note())
    inches = (max(CELL_INCHES[0] * len(sizes) + MARGIN_INCHES[0], LEAST_WIDTH_INCHES),
              (CELL_INCHES[1] * len(formats) + MARGIN_INCHES[1]) * len(data.sets))
    frame = plot_frame.Frame("Fastest strategy by size and format",
                             plot_data.describe(condition, but=("format",)), footer, inches)
    for (axes,), group, found in zip(frame.grid(len(data.sets), 1), data.sets, verdicts):
        draw_map(axes, found, sizes, formats, data.styles)
        axes.set_title(group.label if len(data.sets) > 1 else "")
    return frame
