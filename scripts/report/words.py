"""Figures and words as the page and the pictures show them; everything that comes from a file is
escaped here."""

import html
import math

UNITS = ((1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s"))

NOTHING = "–"
MAX_NAMED = 3  # of a list of rows, as on the terminal: hundreds of variants may be meant


def esc(value):
    """Fit for an element's text and for an attribute in quotes."""
    text = str(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
    return html.escape(text, quote=True)


def list_words(words):
    """a, b and c"""
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + "".join(words[-1:])


def list_names(names):
    """a, b, c and 285 more"""
    n_more = len(names) - MAX_NAMED
    return list_words([*names[:MAX_NAMED], f"{n_more} more"] if n_more > 0 else names)


def ratio_text(value):
    """As mb_ratio_text() in src/base/figure.c."""
    return NOTHING if value is None else f"{value:.2f}"


def between(low, high):
    """'23.1 – 23.9 us' of two texts; one unit stands for both."""
    return f"{low.split()[0]} – {high}" if low.split()[1:] == high.split()[1:] else f"{low} – {high}"


def range_text(values, show):
    """'1.12 – 1.44', or one of them where they look the same."""
    low, high = show(min(values)), show(max(values))
    return low if low == high else between(low, high)


def ratios_text(ends):
    """'1.17 – 3.30', rounded outwards, as mb_ratio_range_text() in src/base/figure.c."""
    rounding = 1e-6
    low, high = math.floor(ends[0] * 100 + rounding) / 100, math.ceil(ends[1] * 100 - rounding) / 100
    return f"{low:.2f} – {high:.2f}"


def time_text(value):
    """As mb_time_text() in src/base/figure.c."""
    if value is None:
        return NOTHING
    size, name = next(unit for unit in (*reversed(UNITS[1:]), UNITS[0])
                      if value >= unit[0] or unit[0] == 1.0)
    decimals = 0 if name == "ns" else 2 if value < 10 * size else 1
    return f"{value / size:.{decimals}f} {name}"


def times_text(ends):
    """'23.1 – 23.9 us'"""
    return between(*map(time_text, ends))


def size_text(size):
    return "{}x{}".format(*size)


def digits(value):
    """Three significant digits or more, never an exponent within reason."""
    if value is None or not math.isfinite(value):
        return NOTHING
    size = abs(value)
    if size >= 1e7 or 0 < size < 1e-4:
        return f"{value:.3g}"
    if size >= 10 or size == 0:
        decimals = 1 if 0 < size < 1000 else 0
    else:
        decimals = 2 - math.floor(math.log10(size))
    return f"{value:.{decimals}f}"


def error_text(value):
    if value is None:
        return NOTHING
    for size, name in ((1e9, "billion"), (1e6, "million")):
        if value >= 0.9995 * size:
            return f"{value / size:.3g} {name}"
    return f"{0.0 if value < 5e-4 else value:.3g}" if value < 999.5 else f"{value:.0f}"


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


LOSSES = {"floor": "drops edges", "blit": "two taps", "fp16": "half floats"}


def result_words(row):
    """'exact', what keeps it from that, or that it is wrong."""
    if row.status == "failed" or row.verify.status == "fail":
        return "wrong texels" if row.verify.status == "fail" else "failed"
    answer = row.variant.answer
    return LOSSES.get(answer, answer) or "not judged"


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
