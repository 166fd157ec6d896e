"""Units, and which sizes are round, for the page and the plots alike. Standard library
only."""

UNITS = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
ROUNDING = {"LSB": 0.5, "ulp": 0.0}  # the largest error of what is only rounded


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


def last_place(texel_format):
    """What errors are counted in: of floats, units in the last place."""
    return "ulp" if texel_format.endswith("f") else "LSB"


def is_power_of_two(size):
    """Whether no level but the last ones is odd: other sizes take other paths through kernels."""
    return all(edge & (edge - 1) == 0 for edge in size)
