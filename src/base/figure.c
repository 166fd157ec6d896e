/* Figures for people: a unit, and as many digits as mean something. */
#include "base/figure.h"

#include <inttypes.h>
#include <math.h>

#include "base/err.h"

struct unit {
    double of;
    const char *name;
};

/* The largest unit in which `value` is 1 or more, else the smallest. `units` begin with the
 * largest. */
static struct unit choose_unit(const struct unit *units, size_t n, double value)
{
    size_t i = 0;
    while (i + 1 < n && value < units[i].of) {
        i++;
    }
    return units[i];
}

/* The unit that suits `like_ns`, or if the time would take six digits in it, the unit that
 * suits the time. Nanoseconds have no decimals, as timers do not resolve less than one. */
static struct unit time_unit(double time_ns, double like_ns, int *n_decimals)
{
    static const struct unit units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    struct unit unit = choose_unit(units, MB_COUNTOF(units), like_ns);
    if (time_ns >= 1e5 * unit.of) {
        like_ns = time_ns;
        unit = choose_unit(units, MB_COUNTOF(units), like_ns);
    }
    *n_decimals = unit.of <= 1.0 ? 0 : like_ns < 10.0 * unit.of ? 2 : 1;
    return unit;
}

struct mb_text mb_time_text_like(double time_ns, double like_ns)
{
    int n;
    const struct unit unit = time_unit(time_ns, like_ns, &n);
    return isfinite(time_ns) ? mb_text("%.*f %s", n, time_ns / unit.of, unit.name)
                             : mb_text("-");
}

struct mb_text mb_time_text(double time_ns)
{
    return mb_time_text_like(time_ns, time_ns);
}

struct mb_text mb_time_range_text(const double range_ns[2], double time_ns, double like_ns)
{
    int n;
    const struct unit unit = time_unit(time_ns, like_ns, &n);
    if (!isfinite(range_ns[0]) || !isfinite(range_ns[1])) {
        return mb_text("-");
    }
    /* With equal ends, in ticks, the spread is too small to measure, not zero. */
    if (range_ns[1] - range_ns[0] <= 1e-9 * range_ns[1]) {
        return mb_text("< timer step");
    }
    return mb_text("%.*f - %.*f", n, range_ns[0] / unit.of, n, range_ns[1] / unit.of);
}

struct mb_text mb_rate_text(double gbps)
{
    static const struct unit units[] = {{1e3, "TB/s"}, {1, "GB/s"}};
    const struct unit unit = choose_unit(units, MB_COUNTOF(units), gbps);
    const double value = gbps / unit.of;
    return mb_text("%.*f %s", value < 10.0 ? 2 : value < 100.0 ? 1 : 0, value, unit.name);
}

struct mb_text mb_ratio_text(double ratio)
{
    return isfinite(ratio) ? mb_text("%.2f", ratio) : mb_text("-");
}

struct mb_text mb_ratio_range_text(const double range[2])
{
    const double scale = 1e2, rounding = 1e-6;
    return !isfinite(range[0]) || !isfinite(range[1])
               ? mb_text("-")
               : mb_text("%.2f - %.2f", floor(range[0] * scale + rounding) / scale,
                         ceil(range[1] * scale - rounding) / scale);
}

struct mb_text mb_percent_text(double share)
{
    const double percent = share < 5e-6 ? 0.0 : 100.0 * share;
    if (!isfinite(percent)) {
        return mb_text("-");
    }
    return mb_text(percent < 9.95 ? "%.2g %%" : "%.0f %%", percent);
}

struct mb_text mb_bytes_text(uint64_t n_bytes)
{
    static const struct unit units[] = {
        {0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1, "B"}};
    const struct unit unit = choose_unit(units, MB_COUNTOF(units), (double)n_bytes);
    const double value = (double)n_bytes / unit.of;
    return mb_text("%s %s", mb_digits_text(value).s, unit.name);
}

struct mb_text mb_count_text(uint64_t n)
{
    return n < 1000 ? mb_text("%" PRIu64, n)
                    : mb_text("%s,%03" PRIu64, mb_count_text(n / 1000).s, n % 1000);
}

struct mb_text mb_digits_text(double value)
{
    if (!isfinite(value)) {
        return mb_text("-");
    }
    if (value < 5e-4) {
        value = 0.0; /* only a rounding error is this small */
    }
    if (value >= 999.5e3) {
        return value < 999.5e6 ? mb_text("%.3g million", value / 1e6)
                               : mb_text("%.3g billion", value / 1e9);
    }
    /* %.3g would print larger values with an exponent. */
    return mb_text(value >= 999.5 ? "%.0f" : "%.3g", value);
}
