"""What all pictures of scripts/plot.py have in common: title, footer, legend, axes, units."""

import io
import re
import textwrap
import warnings

import matplotlib
import matplotlib.lines
import matplotlib.pyplot as plt
import matplotlib.ticker

GREY, FAINT = "#555555", "#DDDDDD"
SET_LINES = ("-", ":", "-.", (0, (3, 1, 1, 1, 1, 1)), (0, (1, 3)))
SET_MARKER_SCALES = (1.0, 0.7, 1.35, 0.5, 1.7)
MARKER_POINTS = 6.5
# Ticks of a logarithmic axis whose ends are less than this apart, per power of ten.
LOG_TICKS = ((10, (1, 1.5, 2, 3, 5, 7)), (500, (1, 2, 5)), (float("inf"), (1,)))
DPI = 110
TITLE_INCHES, FOOTER_LINE_INCHES, FOOTER_COLUMNS_PER_INCH = 0.62, 0.165, 15.2

STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "mipbench", "font.family": "DejaVu Sans",
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
    "grid.color": FAINT, "grid.linewidth": 0.6, "axes.axisbelow": True, "legend.frameon": False,
    "axes.titlesize": 9.5, "axes.titlelocation": "left", "hatch.linewidth": 0.6,
    "text.parse_math": False,
}
matplotlib.use("Agg")  # there may be no display
matplotlib.rcdefaults()  # whatever the user's own style is
matplotlib.rcParams.update(STYLE)
warnings.filterwarnings("ignore", message="Glyph")  # a device's name may be in any script


def wrap(text, columns):
    """`text` in lines of at most `columns`, broken at ' · ' first, then at blanks."""
    lines = [""]
    for part in text.split(" · "):
        joined = f"{lines[-1]} · {part}" if lines[-1] else part
        if len(joined) <= columns:
            lines[-1] = joined
            continue
        lines += textwrap.wrap(part, columns)
    return [line for line in lines if line]


def with_plain_ids(svg):
    """SVG source whose made-up ids are numbered as they appear.

    matplotlib makes the id of a clip rectangle from unrounded coordinates, whose last bits
    depend on where numpy's arrays happen to lie in memory.
    """
    made = dict.fromkeys(re.findall(r'(?<=\bid=")[mph][0-9a-f]{10}(?=")', svg))
    names = {name: f"{name[0]}-{i}" for i, name in enumerate(made)}
    return re.sub(r'(?<=[#"])[mph][0-9a-f]{10}\b',
                  lambda match: names.get(match[0], match[0]), svg)


class Frame:
    """A figure of n_rows x n_columns of axes; inches without title and footer."""

    def __init__(self, title, subtitle, footer, inches):
        """footer: a list of texts, one per set, then what is to be said of the picture."""
        width, height = inches
        lines = [line for text in footer
                 for line in wrap(text, int(width * FOOTER_COLUMNS_PER_INCH))]
        bottom = FOOTER_LINE_INCHES * (len(lines) + 0.8)
        total = height + TITLE_INCHES + bottom
        self.figure = plt.figure(figsize=(width, total), layout="constrained", dpi=DPI)
        self.laid_out = False
        self.figure.get_layout_engine().set(
            rect=(0.01, bottom / total, 0.97, 1 - (bottom + TITLE_INCHES) / total), w_pad=0.06,
            h_pad=0.06)
        left = 0.12 / width
        self.figure.text(left, 1 - 0.10 / total, title, va="top", fontsize=13, weight="bold")
        self.figure.text(left, 1 - 0.36 / total, subtitle, va="top", fontsize=9.5, color=GREY)
        self.figure.text(left, 0.08 / total, "\n".join(lines), va="bottom", fontsize=7.5,
                         color=GREY, linespacing=1.35)

    def grid(self, n_rows, n_columns, **options):
        """Axes as a list of rows."""
        return self.figure.subplots(n_rows, n_columns, squeeze=False, **options)

    def save(self, kind):
        """The picture's bytes; the same input gives the same bytes."""
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        if not self.laid_out:
            # Once, by hand: all kinds of file are laid out alike, and none twice.
            self.figure.get_layout_engine().execute(self.figure)
            self.figure.set_layout_engine(None)
            self.laid_out = True
        buffer = io.BytesIO()
        self.figure.savefig(buffer, format=kind, dpi=DPI, metadata=metadata)
        if kind == "svg":
            return with_plain_ids(buffer.getvalue().decode("utf-8")).encode("utf-8")
        return buffer.getvalue()

    def close(self):
        plt.close(self.figure)


def plain(value, _=None):
    return f"{value:.10g}"


def log_axis(axis, low, high):
    """Ticks at 1, 2, 5 and their powers of ten; where those are few, at round numbers."""
    axes = axis.axes
    (axes.set_xscale if axis.axis_name == "x" else axes.set_yscale)("log")
    ratio = high / low
    if ratio < 4:
        axis.set_major_locator(matplotlib.ticker.MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    else:
        subs = next(subs for below, subs in LOG_TICKS if ratio < below)
        axis.set_major_locator(matplotlib.ticker.LogLocator(subs=subs, numticks=20))
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(plain))
    axis.set_minor_formatter(matplotlib.ticker.NullFormatter())
    if ratio < 4:
        axis.set_minor_locator(matplotlib.ticker.NullLocator())


def handle(label, colour, marker, line="-", **options):
    """An entry of a legend."""
    return matplotlib.lines.Line2D([], [], color=colour, marker=marker, linestyle=line,
                                   markersize=MARKER_POINTS, label=label, **options)


def legend_beside(axes, handles, **options):
    """Right of the axes, where it covers nothing."""
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=8.5,
                borderaxespad=0, handlelength=2.6, **options)


def hollow_handle():
    return handle("hollow: not verified", GREY, "o", "none", markerfacecolor="white")
