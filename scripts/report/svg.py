"""SVG without a library: axes, marks and text, in CSS pixels and never scaled, so that text is read
at the size that it has here. Colours are classes: the page's style sheet has them for light and dark,
standalone() puts those for light into a file of its own."""

import math
import re
import textwrap

from .looks import MARKERS, PALETTE
from .words import digits, esc

TEXT = 14       # pixels: the size of all text
CHARACTER = 8.9  # no wider is one of them on the mean
STYLE = """text { font: 14px system-ui, "DejaVu Sans", sans-serif; fill: var(--text); }
.b { font-weight: 600; }
.soft { fill: var(--soft); }
.rule { stroke: var(--rule); fill: none; }
.axis { stroke: var(--soft); fill: none; }
.limit { fill: var(--limit); stroke: none; }
.edge { stroke: var(--soft); fill: none; stroke-dasharray: 5 4; stroke-width: 1.5; }
.band { fill: var(--band); stroke: none; }
.hollow { fill: var(--card) !important; stroke-width: 1.6; }
.ground { fill: var(--card); }
.none { fill: var(--band); stroke: var(--rule); }
.line { stroke-width: 2; }
.thin { stroke-width: 1.4; }
.v-bad { fill: var(--bad); stroke: var(--bad); } .v-good { fill: var(--good); stroke: var(--good); }
.v-same { fill: var(--soft); stroke: var(--soft); }
"""
LIGHT = {"text": "#1b1f24", "soft": "#4f5863", "rule": "#d5dae0", "card": "#ffffff",
         "limit": "#e4e7eb", "band": "#e9ecf0", "bad": "#a8201a", "good": "#00694a"}


def colour_rules(colour):
    """f0 fills, k0 draws lines and t0 tints in the first colour of the palette."""
    return "".join(f".f{i} {{ fill: {colour(i)}; }} .k{i} {{ stroke: {colour(i)}; fill: none; }} "
                   f".t{i} {{ fill: {colour(i)}; fill-opacity: .22; stroke: {colour(i)}; }}\n"
                   for i in range(len(PALETTE)))


def page_style():
    return STYLE + colour_rules(lambda index: f"var(--s{index})")


class Axis:
    """Maps values to positions from `begin` to `end`, with ticks at round values."""

    def __init__(self, low, high, begin, end, log=False):
        self.log, self.begin, self.end = log, begin, end
        margin = 0 if log else 0.04 * (high - low) or 0.05 * abs(high) or 1.0
        room = max(1.04, (high / low) ** 0.04) if log else 1
        self.low, self.high = (low / room, high * room) if log else \
            (low if low == 0 else low - margin, high + margin)

    def at(self, value):
        low, high = self.low, self.high
        if self.log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.begin + (value - low) / (high - low) * (self.end - self.begin)

    def ticks(self, wanted=5):
        return log_ticks(self.low, self.high, wanted) if self.log \
            else linear_ticks(self.low, self.high, wanted)


def linear_ticks(low, high, wanted):
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9)
    return [index * step for index in range(first, math.floor(high / step + 1e-9) + 1)]


def log_ticks(low, high, wanted):
    """Powers of ten with 2 and 5 between them while that is not too many; where even those are
    too few, round steps, still at their logarithmic places."""
    for factors in ((1, 2, 5), (1, 3), (1,)):
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [factor * 10.0 ** decade for decade in decades for factor in factors
                 if low <= factor * 10.0 ** decade <= high]
        if len(found) <= wanted + 2:
            break
    return found if len(found) >= 3 else linear_ticks(low, high, min(wanted, 4))


def tick_text(value):
    shown = digits(value)
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def text(x, y, content, anchor="start", css="", turn=0):
    more = f' text-anchor="{anchor}"' if anchor != "start" else ""
    more += f' class="{css}"' if css else ""
    more += f' transform="rotate({turn} {x:.0f} {y:.0f})"' if turn else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{more}>{esc(content)}</text>'


def width_of(content):
    return CHARACTER * len(content)


def fitted(content, room):
    """Without its middle where it is too wide."""
    most = int(room / CHARACTER)
    if len(content) <= most:
        return content
    return content[:most // 2] + "…" + content[len(content) - (most - most // 2 - 1):]


def line(x1, y1, x2, y2, css):
    return f'<path d="M{x1:.1f},{y1:.1f}L{x2:.1f},{y2:.1f}" class="{css}"/>'


def path(moves, css):
    """Many lines as one element."""
    return f'<path d="{"".join(moves)}" class="{css}"/>' if moves else ""


def rect(x, y, width, height, css, title=""):
    inside = f"<title>{esc(title)}</title>" if title else ""
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" '
            f'height="{max(height, 0):.1f}" class="{css}">{inside}</rect>')


def marker(x, y, look, title="", hollow=False):
    inside = f"<title>{esc(title)}</title>" if title else ""
    css = f"k{look.colour} hollow" if hollow else f"f{look.colour}"
    return (f'<path d="{MARKERS[look.marker]}" transform="translate({x:.1f} {y:.1f})" '
            f'class="{css}">{inside}</path>')


def mark(x, y, css, title):
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" class="{css}"><title>{esc(title)}</title></circle>'


def polyline(points, css):
    return path([("L" if index else "M") + f"{x:.1f},{y:.1f}"
                 for index, (x, y) in enumerate(points)], css)


MARGIN = 8  # of a drawing, to the right of its axes


def x_axis(axis, y, top, title, show=tick_text):
    """With grid lines up to `top`; labels that would touch the one before are left out."""
    rules, names, free = [], [], -math.inf
    for value in axis.ticks(max(2, int((axis.end - axis.begin) / 70))):
        at, half = axis.at(value), width_of(show(value)) / 2
        rules += [f"M{at:.1f},{top:.1f}V{y:.1f}"]
        if at - half >= free and at + half <= axis.end + MARGIN:
            names += [text(at, y + 18, show(value), "middle")]
            free = at + half + 8
    names += [text((axis.begin + axis.end) / 2, y + 38, title, "middle", "soft")]
    return path(rules, "rule") + line(axis.begin, y, axis.end, y, "axis") + "".join(names)


def y_axis(axis, x, right, title):
    """With grid lines to `right`; the title stands above, where it is read without turning."""
    rules, names = [], []
    for value in axis.ticks():
        at = axis.at(value)
        rules += [f"M{x:.1f},{at:.1f}H{right:.1f}"]
        names += [text(x - 7, at + 5, tick_text(value), "end")]
    return path(rules, "rule") + line(x, axis.begin, x, axis.end, "axis") \
        + "".join(names) + text(2, axis.end - 14, title, css="soft")


def legend(entries, width, y):
    """([parts], height) of (Look, label) that flow into rows; a Look of None is the memory floor's."""
    parts, x, row = [], 4, 0
    for look, label in entries:
        shown = fitted(label, width - 30)
        room = 20 + width_of(shown) + 14
        if x > 4 and x + room > width:
            x, row = 4, row + 1
        at = y + 22 * row + 14
        parts += [marker(x + 7, at - 5, look) if look else rect(x, at - 11, 14, 12, "limit"),
                  text(x + 20, at, shown)]
        x += room
    return parts, 22 * (row + 1) + 4 if entries else 0


def moved(down, parts):
    return f'<g transform="translate(0 {down})">{"".join(parts)}</g>' if down else "".join(parts)


def drawing(width, height, parts, label):
    """The SVG element; `label` says in words what is to be seen."""
    return (f'<svg class="plot" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{esc(label)}">'
            f'{"".join(parts)}</svg>')


def standalone(figure):
    """A Figure as a file of its own, in the colours of a light page, with its title and note."""
    style = STYLE + colour_rules(lambda index: PALETTE[index][0])
    for name, value in LIGHT.items():
        style = style.replace(f"var(--{name})", value)
    size = re.match(r'<svg class="plot" width="(\d+)" height="(\d+)"', figure.element)
    width, height = int(size[1]), int(size[2])
    lines = textwrap.wrap(figure.note, int((width - 12) / CHARACTER), break_on_hyphens=False)
    foot = "".join(text(6, height + 50 + 19 * index, content, css="soft")
                   for index, content in enumerate(lines))
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" '
            f'width="{width}" height="{height + 44 + 19 * len(lines)}" role="img" '
            f'aria-label="{esc(figure.title)}"><style>{style}</style>'
            f'<rect width="100%" height="100%" class="ground"/>{text(6, 22, figure.title, css="b")}'
            f'<g transform="translate(0 30)">{figure.element}</g>{foot}</svg>\n')
