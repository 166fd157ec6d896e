/* Filters: their names, and their taps along one axis. */
#include "image/filter.h"

#include <assert.h>

const char *mb_policy_name(enum mb_policy policy)
{
    switch (policy) {
    case MB_POLICY_BOX:
        return "box";
    case MB_POLICY_FLOOR:
        return "floor";
    case MB_POLICY_BLIT:
        break;
    }
    return "blit";
}

const char *mb_reduce_name(enum mb_reduce reduce)
{
    static const char *const names[] = {
        [MB_REDUCE_AVG] = "avg", [MB_REDUCE_MIN] = "min", [MB_REDUCE_MAX] = "max"};
    return names[reduce];
}

const char *mb_alpha_name(enum mb_alpha alpha)
{
    return alpha == MB_ALPHA_PREMULTIPLIED ? "premultiplied" : "straight";
}

static uint32_t next_size(uint32_t n_source)
{
    return n_source > 1 ? n_source / 2 : 1;
}

static struct mb_taps box_taps(uint32_t n_source, uint32_t x)
{
    if (n_source % 2 == 0) {
        return (struct mb_taps){.first = 2 * x, .n_taps = 2, .weight = {0.5, 0.5}};
    }
    const uint32_t n_next = n_source / 2;
    const double n = (double)n_source;
    return (struct mb_taps){
        .first = 2 * x,
        .n_taps = 3,
        .weight = {(double)(n_next - x) / n, (double)n_next / n, (double)(x + 1) / n},
    };
}

/* The sample position (x + 1/2) * n / n' - 1/2 as the exact fraction over 2n'. A tap of weight
 * 0 is left out: the filter may not let an infinity in it through. */
static struct mb_taps blit_taps(uint32_t n_source, uint32_t x)
{
    const uint64_t denominator = 2 * (uint64_t)next_size(n_source);
    const uint64_t numerator = (2 * (uint64_t)x + 1) * n_source - denominator / 2;
    const uint32_t first = (uint32_t)(numerator / denominator);
    const uint64_t rest = numerator % denominator;
    if (rest == 0 || first + 1 >= n_source) {
        return (struct mb_taps){.first = first, .n_taps = 1, .weight = {1.0}};
    }
    const double fraction = (double)rest / (double)denominator;
    return (struct mb_taps){.first = first, .n_taps = 2, .weight = {1.0 - fraction, fraction}};
}

struct mb_taps mb_filter_taps(enum mb_policy policy, uint32_t n_source, uint32_t x)
{
    assert(x < next_size(n_source));
    if (n_source == 1) {
        return (struct mb_taps){.first = 0, .n_taps = 1, .weight = {1.0}};
    }
    switch (policy) {
    case MB_POLICY_BOX:
        return box_taps(n_source, x);
    case MB_POLICY_BLIT:
        return blit_taps(n_source, x);
    case MB_POLICY_FLOOR:
        break;
    }
    return (struct mb_taps){.first = 2 * x, .n_taps = 2, .weight = {0.5, 0.5}};
}

static bool is_odd_above_one(uint32_t size)
{
    return size % 2 != 0 && size > 1;
}

bool mb_policies_agree(struct mb_extent base, uint32_t n_levels)
{
    for (uint32_t level = 0; level + 1 < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(base, level);
        if (is_odd_above_one(extent.width) || is_odd_above_one(extent.height)) {
            return false;
        }
    }
    return true;
}
