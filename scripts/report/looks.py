"""How variants look in every picture: a colour and a marker each. Standard library only."""

# Okabe and Ito's colours without the yellow, which is too faint on white, then Tol's muted ones; on
# a dark ground those beside them. No colour is ever the only sign: names or markers stand beside it.
PALETTE = (
    ("#0072B2", "#5b9dff"), ("#E69F00", "#f0b429"), ("#009E73", "#2fd0a5"), ("#D55E00", "#ff7a33"),
    ("#56B4E9", "#8fd8ff"), ("#CC79A7", "#e79ac5"), ("#332288", "#b9a5ff"), ("#000000", "#f0f2f5"),
    ("#882255", "#e0659f"), ("#999933", "#cfcf5a"), ("#777777", "#a3a8ae"), ("#AA4499", "#e08ad6"),
    ("#117733", "#5cc47c"))
DEFAULTS = {"spd": 0, "compute": 1, "subgroup": 2, "spd-metal": 3, "raster": 4, "separable": 5,
            "spd-tree": 6, "blit": 7}  # of built-in strategies the variant without parameters


class Look:
    """`colour`: an index of PALETTE; `marker`: one of MARKERS."""

    def __init__(self, colour, marker):
        self.colour, self.marker = colour, marker


def of(labels):
    """{label: Look}. The default of a built-in strategy always looks the same; others take the
    colours that are left, then all of them again with another marker: those of few parameters first."""
    out = {label: Look(DEFAULTS[label], DEFAULTS[label] % len(MARKERS))
           for label in labels if label in DEFAULTS}
    used = {look.colour for look in out.values()}
    free = [index for index in range(len(PALETTE)) if index not in used]
    for count, label in enumerate(sorted(
            (label for label in labels if label not in out), key=lambda it: (it.count(":"), it))):
        colour = free[count] if count < len(free) else (count - len(free)) % len(PALETTE)
        shift = 0 if count < len(free) else 1 + (count - len(free)) // len(PALETTE)
        out[label] = Look(colour, (colour + 3 * shift) % len(MARKERS))
    return out


# Paths around 0,0; all enclose something, or hollow ones could not be seen.
MARKERS = (
    "M-4.2,0a4.2,4.2 0 1,0 8.4,0a4.2,4.2 0 1,0 -8.4,0z",                                # circle
    "M0,-5.2L4.9,3.9L-4.9,3.9z",                                                        # up
    "M-4,-4H4V4H-4z",                                                                   # square
    "M0,-5.6L5.6,0L0,5.6L-5.6,0z",                                                      # diamond
    "M0,5.2L4.9,-3.9L-4.9,-3.9z",                                                       # down
    "M-1.7,-5h3.4v3.3h3.3v3.4h-3.3v3.3h-3.4v-3.3h-3.3v-3.4h3.3z",                       # plus
    "M0,-6.2L1.6,-2L6,-2L2.5,.8L3.8,5.2L0,2.6L-3.8,5.2L-2.5,.8L-6,-2L-1.6,-2z",         # star
    "M0,-2.3L2.6,-4.9L4.9,-2.6L2.3,0L4.9,2.6L2.6,4.9L0,2.3L-2.6,4.9L-4.9,2.6L-2.3,0"
    "L-4.9,-2.6L-2.6,-4.9z")                                                            # cross
