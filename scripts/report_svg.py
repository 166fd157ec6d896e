"""Inline SVG without a library: axes, marks and text. Lengths are in units of the drawing, which
is WIDTH wide and scales with the page; colours are classes of report/page.css."""

import collections
import math

import result_style
from report_format import digits, esc

WIDTH = 460
LEFT, RIGHT, TOP, BOTTOM = 60, 26, 12, 48
STAGGER = 15  # more at the bottom, for a second row of labels
TOP_TITLED = 32  # with the title of the upright axis above it
CHARACTER = 8.5   # no wider is one on the mean at the font sizes of report/page.css
PALETTE = tuple(result_style.ON_DARK)

# How a series looks: a class for its colour, and its marker by the name in result_style.py.
Look = collections.namedtuple("Look", "css marker")


class Axis:
    """Maps values to positions from `begin` to `end`, with ticks at round values."""

    def __init__(self, low, high, begin, end, log=False):
        self.log, self.begin, self.end = log, begin, end
        self.low, self.high = (widen_log if log else widen)(low, high)

    def at(self, value):
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.begin + (value - low) / (high - low) * (self.end - self.begin)

    def ticks(self):
        return log_ticks(self.low, self.high) if self.log else linear_ticks(self.low, self.high)


def widen(low, high):
    margin = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    return (low if low == 0 else low - margin), high + margin


def widen_log(low, high):
    room = max(1.06, (high / low) ** 0.05)
    return low / room, high * room


def linear_ticks(low, high, wanted=5):
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low, high):
    """Powers of ten with 2 and 5 between them while that is not too many; where even those are
    too few, round steps, still at their logarithmic places."""
    for factors in ((1, 2, 5), (1, 3), (1,)):
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [factor * 10.0 ** decade for decade in decades for factor in factors
                 if low <= factor * 10.0 ** decade <= high]
        if len(found) <= 7:
            break
    return found if len(found) >= 3 else linear_ticks(low, high, 4)


def text(x, y, content, anchor="start", css=""):
    classes = f' class="{css}"' if css else ""
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{classes}>'
            f"{esc(content)}</text>")


def line(x1, y1, x2, y2, css):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{css}"/>'


def path(moves, css):
    """Many lines as one element."""
    return f'<path d="{"".join(moves)}" class="{css}"/>'


def rect(x, y, width, height, css, title=""):
    inside = f"<title>{esc(title)}</title>" if title else ""
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
            f'height="{max(height, 0):.1f}" class="{css}">{inside}</rect>')


def looks(rows):
    """{label: Look} of all rows of a page: a strategy looks the same in every plot."""
    return {label: Look(f"s{PALETTE.index(colour)}", name)
            for label, (colour, name) in result_style.styles(rows).items()}


def colour_rules():
    """The classes of Look: browsers that do not know light-dark() take the first."""
    plain = "".join(f".s{index} {{ --c: {light}; }}\n" for index, light in enumerate(PALETTE))
    both = "".join(f"  .s{index} {{ --c: light-dark({light}, {result_style.ON_DARK[light]}); }}\n"
                   for index, light in enumerate(PALETTE))
    return f"{plain}@supports (color: light-dark(#000, #fff)) {{\n{both}}}"


def corners(radii, turn=0.0):
    """A closed path with a corner for each radius, evenly around, the first at the top."""
    angles = [math.tau * (index + turn) / len(radii) for index in range(len(radii))]
    places = [(radius * math.sin(angle), -radius * math.cos(angle))
              for radius, angle in zip(radii, angles)]
    return "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in places) + "z"


CIRCLE = "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0z"
PLUS = "M-1.6,-5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z"
CROSS = ("M0,-2.3L2.5,-4.8L4.8,-2.5L2.3,0L4.8,2.5L2.5,4.8L0,2.3L-2.5,4.8L-4.8,2.5L-2.3,0L-4.8,-2.5"
         "L-2.5,-4.8z")
# All enclose something, or hollow could not be seen.
MARKER_PATHS = {
    "o": CIRCLE, "s": corners([5.1] * 4, 0.5), "^": corners([5] * 3), "v": corners([5] * 3, 1.5),
    "<": corners([5] * 3, 0.75), ">": corners([5] * 3, 2.25), "D": corners([5.2] * 4),
    "d": corners([5.6, 3.3] * 2), "p": corners([5] * 5), "h": corners([5] * 6),
    "8": corners([5] * 8, 0.5), "*": corners([6, 2.6] * 5), "P": PLUS, "X": CROSS,
}


MARKER_IDS = {name: f"m{index}" for index, name in enumerate(MARKER_PATHS)}


def marker_definitions():
    """Each once a page, for marker()."""
    return "".join(f'<path id="{MARKER_IDS[name]}" d="{path}"/>'
                   for name, path in MARKER_PATHS.items())


def marker(x, y, look, title="", hollow=False):
    inside = f"<title>{esc(title)}</title>" if title else ""
    css = f"mark {look.css}" + (" hollow" if hollow else "")
    return (f'<use href="#{MARKER_IDS[look.marker]}" x="{x:.1f}" y="{y:.1f}" class="{css}">'
            f"{inside}</use>")


def polyline(points, css):
    return f'<polyline class="{css}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def polygon(points, css):
    return f'<polygon class="{css}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'


def label_width(label):
    return len(label) * CHARACTER


def thin_ticks(axis, values, labels, room):
    """Labels that keep `room(label)` of space from the one before; ticks stay."""
    free = -math.inf
    for value, label in sorted(zip(values, labels), key=lambda pair: axis.at(pair[0])):
        position, half = axis.at(value), room(label) / 2
        shown = position - half >= free
        free = position + half + 4 if shown else free
        yield position, label if shown else ""


def stagger(axis, values, labels, room):
    """Position, label and row of each: in two rows by turns, as long names do not fit into one."""
    rows = [list(thin_ticks(axis, values[row::2], labels[row::2], room)) for row in (0, 1)]
    return [(position, label, row) for row, found in enumerate(rows) for position, label in found]


def x_axis(axis, y, top, title, ticks=None, labels=None, is_staggered=False):
    """With grid lines up to `top`."""
    ticks = axis.ticks() if ticks is None else ticks
    labels = [tick_text(value) for value in ticks] if labels is None else labels
    rules, marks, names = [], [f"M{axis.begin:.1f},{y:.1f}H{axis.end:.1f}"], []
    shown = stagger(axis, ticks, labels, label_width) if is_staggered else \
        [(*pair, 0) for pair in thin_ticks(axis, ticks, labels, label_width)]
    for position, label, row in shown:
        low = y + row * STAGGER
        rules += [f"M{position:.1f},{top:.1f}V{y:.1f}"]
        marks += [f"M{position:.1f},{y:.1f}V{low + 4:.1f}"]
        middle = min(position, WIDTH - label_width(label) / 2 - 2)  # never cut off
        names += [text(middle, low + 17, label, "middle")] if label else []
    below = y + 36 + (STAGGER if is_staggered else 0)
    names += [text((axis.begin + axis.end) / 2, below, title, "middle", "title")]
    return path(rules, "rule") + path(marks, "axis") + "".join(names)


def y_axis(axis, x, right, title):
    """With grid lines to `right`; the title stands above, where it is read without turning."""
    rules, ticks, names = [], [f"M{x:.1f},{axis.begin:.1f}V{axis.end:.1f}"], []
    for value in axis.ticks():
        position = axis.at(value)
        rules += [f"M{x:.1f},{position:.1f}H{right:.1f}"]
        ticks += [f"M{x - 4:.1f},{position:.1f}H{x:.1f}"]
        names += [text(x - 7, position + 4.5, tick_text(value), "end")]
    names += [text(6, axis.end - 14, title, css="title")]
    return path(rules, "rule") + path(ticks, "axis") + "".join(names)


def tick_text(value):
    shown = digits(value)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def drawing(height, parts, label):
    """The SVG element; `label` says in words what is to be seen."""
    return (f'<svg class="plot" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
            f'aria-label="{esc(label)}">{"".join(parts)}</svg>')


def store(definitions):
    """What is drawn elsewhere, by <use>; nothing is shown by this."""
    return ('<svg width="0" height="0" class="store" aria-hidden="true"><defs>'
            f"{definitions}</defs></svg>")


def figure(svg, caption, footer, legend=""):
    return (f'<figure class="card"><figcaption>{esc(caption)}</figcaption>{svg}{legend}'
            f'<p class="foot">{esc(footer)}</p></figure>')


def legend(entries):
    """entries: [(Look, label)]."""
    items = "".join(
        f'<li><svg viewBox="-7 -7 14 14" class="key" aria-hidden="true">{marker(0, 0, look)}'
        f"</svg>{esc(label)}</li>" for look, label in entries)
    return f'<ul class="legend">{items}</ul>'
