"""What may be ranked against what, and what counts as told apart, for the page and the plots alike.
Standard library only."""

import collections

LEAST_MARGIN = 0.01  # no smaller difference is told apart, however still the ruler is


def main_kind(rows):
    """The kind that most rows are of, and how many: the others make other images."""
    kinds = collections.Counter(row.kind for row in rows if row.is_rankable())
    return kinds.most_common(1)[0] if kinds else ("average", 0)


def is_slower(relation):
    """Told apart: by the verdict of the run, and by the interval."""
    return (relation.verdict == "SLOWER" and relation.p is not None and relation.ci is not None
            and relation.ci[0] > 1)


def margin(cell):
    """What a difference must clear, as a factor of 1 + margin to both sides: 1 %, or what the A/A
    control differs from itself by, which older files have as |ratio - 1|."""
    ratio = cell.control.ratio
    off = max(ratio, 1 / ratio) - 1 if ratio is not None and ratio > 0 else 0.0
    return max(cell.control.margin, off, LEAST_MARGIN)


def clears(low, cell):
    """Whether a ratio is above 1 for certain, by the lower end of its interval or None."""
    return low is not None and low > 1 + margin(cell)
