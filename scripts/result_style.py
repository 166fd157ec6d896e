"""How strategies look in every picture: their colours and markers. Standard library only."""

import itertools

# Okabe and Ito's colours without the yellow, which is too faint on white; then Tol's muted ones
# for strategies from outside. No colour is ever the only sign: markers differ, too. Markers are by
# matplotlib's names.
COLOURS = {"blit": "#000000", "raster": "#56B4E9", "compute": "#E69F00", "subgroup": "#009E73",
           "spd": "#0072B2", "spd-metal": "#D55E00", "spd-tree": "#332288",
           "separable": "#CC79A7"}
MORE_COLOURS = ("#882255", "#999933", "#777777", "#AA4499", "#117733")
# On a dark ground.
ON_DARK = {"#000000": "#f0f2f5", "#56B4E9": "#8fd8ff", "#E69F00": "#f0b429", "#009E73": "#2fd0a5",
           "#0072B2": "#5b95ff", "#D55E00": "#ff7a33", "#332288": "#b9a5ff", "#CC79A7": "#e79ac5",
           "#882255": "#e0659f", "#999933": "#cfcf5a", "#777777": "#a3a8ae", "#AA4499": "#e08ad6",
           "#117733": "#5cc47c"}
MARKERS = {"blit": "o", "raster": "s", "compute": "^", "subgroup": "D", "spd": "v",
           "spd-metal": "P", "spd-tree": "*", "separable": "X"}
MORE_MARKERS = ("<", ">", "p", "h", "d", "8")


def styles(rows):
    """{label: (colour, marker)}, colours by strategy and markers by label, in a fixed order.

    The default variant of a built-in strategy always looks the same. Others take the markers that
    are left; once these are used up, those of other strategies: no two variants of one strategy
    look alike up to the 14th."""
    labels = {strategy: set() for strategy in COLOURS}
    for row in rows:
        labels.setdefault(row.strategy, set()).add(row.label)
    unknown = sorted(set(labels) - set(COLOURS))
    more = dict(zip(unknown, itertools.cycle(MORE_COLOURS)))
    out, taken = {}, 0
    for strategy in [*COLOURS, *unknown]:
        colour = COLOURS.get(strategy) or more[strategy]
        own = MARKERS.get(strategy)
        free = [*MORE_MARKERS, *(marker for marker in MARKERS.values() if marker != own)]
        for label in sorted(labels[strategy] | {strategy}):
            if label == strategy and own:
                out[label] = (colour, own)
                continue
            out[label] = (colour, free[taken % len(free)])
            taken += 1
    return out
