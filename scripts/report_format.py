"""Figures and words as the page shows them; everything that comes from a file is escaped here."""

import html
import math

UNITS = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
NOTHING = "–"


def esc(value):
    """Fit for an element's text and for an attribute in quotes."""
    text = str(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
    return html.escape(text, quote=True)


def list_words(words):
    """a, b and c"""
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + "".join(words[-1:])


def ratio_text(value):
    if value is None:
        return NOTHING
    return f"{value:.3f}" if value < 1.1 else f"{value:.2f}"


def time_unit(times):
    """(nanoseconds, name) of the unit that shows the least of the times with digits before the
    point, or the next one where the largest would take six."""
    known = [value for value in times if value is not None and value > 0]
    if not known:
        return UNITS[1]
    chosen = 0
    while chosen + 1 < len(UNITS) and (min(known) >= UNITS[chosen + 1][0]
                                       or max(known) >= 1e5 * UNITS[chosen][0]):
        chosen += 1
    return UNITS[chosen]


def time_text(value, unit):
    """Three to four digits, without the unit."""
    return NOTHING if value is None else digits(value / unit[0])


def digits(value):
    """Three significant digits or more, never an exponent within reason."""
    if value is None or not math.isfinite(value):
        return NOTHING
    size = abs(value)
    if size >= 1e7 or 0 < size < 1e-4:
        return f"{value:.3g}"
    decimals = 0 if size >= 1000 else 1 if size >= 10 else 2 if size >= 1 else 3
    return f"{value:.{decimals}f}"


def error_text(value):
    if value is None:
        return NOTHING
    return f"{0.0 if value < 5e-4 else value:.3g}"


def percent_text(share):
    if share is None:
        return NOTHING
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"


def bytes_text(count):
    if count is None:
        return NOTHING
    for size, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= size:
            return f"{count / size:.3g} {name}"
    return f"{count} B"


def utc_text(utc):
    """20261121T115254Z as people write it."""
    if len(utc) == 16 and utc[8] == "T":
        return f"{utc[:4]}-{utc[4:6]}-{utc[6:8]} {utc[9:11]}:{utc[11:13]}:{utc[13:15]} UTC"
    return utc


def short_paths(paths):
    """Of each, as many of its last parts as tell it from the others."""
    parts = [path.absolute().parts for path in paths]
    short = []
    for mine in parts:
        tails = ((mine[-count:], sum(other[-count:] == mine[-count:] for other in parts))
                 for count in range(1, len(mine) + 1))
        short.append("/".join(next((tail for tail, n in tails if n == 1), mine)))
    return short


def anchor(*words):
    """An id for a link: letters, digits and dashes."""
    text = "-".join(str(word) for word in words)
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in text)
