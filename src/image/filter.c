/* Filters: their names, and their taps along one axis. */
#include "image/filter.h"

#include <assert.h>

#include "image/filter_kernel.h"

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

bool mb_weighs_alpha(enum mb_reduce reduce, enum mb_alpha alpha, const struct mb_format *format)
{
    return reduce == MB_REDUCE_AVG && alpha == MB_ALPHA_PREMULTIPLIED &&
           format->n_channels == 4;
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

static uint32_t clamped(int64_t at, uint32_t n_source)
{
    return at < 0 ? 0 : at >= n_source ? n_source - 1 : (uint32_t)at;
}

static struct mb_taps kernel_taps(enum mb_policy policy, uint32_t n_source, uint32_t x)
{
    double weight[MB_MAX_FILTER_KERNEL_TAPS];
    int32_t first;
    const uint32_t n = mb_filter_kernel_span(policy, n_source, x, &first);
    mb_filter_kernel_weights(policy, n_source, x, weight);
    struct mb_taps taps = {.first = clamped(first, n_source)};
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t tap = clamped((int64_t)first + i, n_source) - taps.first;
        assert(tap < MB_MAX_TAPS);
        taps.weight[tap] += weight[i];
        taps.n_taps = tap + 1;
    }
    return taps;
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
        return (struct mb_taps){.first = 2 * x, .n_taps = 2, .weight = {0.5, 0.5}};
    default:
        return kernel_taps(policy, n_source, x);
    }
}

/* Where the taps lie, without their weights, which cost more. */
static void tap_range(enum mb_policy policy, uint32_t n_source, uint32_t x, uint32_t *first,
                      uint32_t *end)
{
    if (mb_policy_is_wide(policy)) {
        int32_t begin;
        const uint32_t n = mb_filter_kernel_span(policy, n_source, x, &begin);
        *first = clamped(begin, n_source);
        *end = clamped((int64_t)begin + n - 1, n_source) + 1;
        return;
    }
    const struct mb_taps taps = mb_filter_taps(policy, n_source, x);
    *first = taps.first;
    *end = taps.first + taps.n_taps;
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

/* The texels of the next level along one axis with a tap in [first, first + n) of the source.
 * Taps move on with x, so that it is a range; its ends lie within a texel, and the radius of a
 * wide kernel, of half of theirs. */
static void axis_cone(enum mb_policy policy, uint32_t n_source, uint32_t first, uint32_t n,
                      uint32_t *cone_first, uint32_t *n_cone)
{
    const uint32_t n_next = next_size(n_source), end = first + n;
    const uint32_t slack = 2 + mb_filter_kernel_radius(policy);
    uint32_t x = first / 2 > slack ? first / 2 - slack : 0;
    *cone_first = 0;
    *n_cone = 0;
    for (; n > 0 && x < n_next; x++) {
        uint32_t tap_first, tap_end;
        tap_range(policy, n_source, x, &tap_first, &tap_end);
        if (tap_first >= end) {
            break;
        }
        if (tap_end <= first) {
            continue;
        }
        *cone_first = *n_cone == 0 ? x : *cone_first;
        ++*n_cone;
    }
}

struct mb_rect mb_filter_affected(enum mb_policy policy, struct mb_extent source,
                                  struct mb_rect rect)
{
    struct mb_rect affected;
    axis_cone(policy, source.width, rect.x, rect.width, &affected.x, &affected.width);
    axis_cone(policy, source.height, rect.y, rect.height, &affected.y, &affected.height);
    return mb_rect_is_empty(affected) ? (struct mb_rect){0} : affected;
}

void mb_filter_affected_levels(enum mb_policy policy, const struct mb_layout *layout,
                               struct mb_rect rect, struct mb_rect affected[MB_MAX_LEVELS])
{
    affected[0] = rect;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        affected[level] = mb_filter_affected(policy, mb_level_extent(layout->base, level - 1),
                                             affected[level - 1]);
    }
}

uint32_t mb_filter_n_reached(const struct mb_layout *layout,
                             const struct mb_rect affected[MB_MAX_LEVELS])
{
    uint32_t n = 0;
    while (n < layout->n_levels && !mb_rect_is_empty(affected[n])) {
        n++;
    }
    return n;
}

void mb_filter_affected_of(enum mb_policy policy, const struct mb_layout *layout,
                           const struct mb_rect *rects, size_t n_rects,
                           struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS])
{
    for (size_t i = 0; i < n_rects; i++) {
        struct mb_rect of_one[MB_MAX_LEVELS];
        mb_filter_affected_levels(policy, layout, rects[i], of_one);
        for (uint32_t level = 0; level < layout->n_levels; level++) {
            affected[level][i] = of_one[level];
        }
    }
}

uint64_t mb_filter_affected_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                  const struct mb_rect *rects, size_t n_rects)
{
    struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS];
    uint64_t n_texels = 0;
    mb_filter_affected_of(policy, layout, rects, n_rects, affected);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        n_texels += mb_rects_count_texels(affected[level], n_rects);
    }
    return n_texels * layout->n_layers * layout->format->texel_bytes;
}

uint64_t mb_filter_per_level_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                   struct mb_rect rect)
{
    struct mb_rect affected[MB_MAX_LEVELS];
    uint64_t n_texels = 0;
    mb_filter_affected_levels(policy, layout, rect, affected);
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        const struct mb_extent source = mb_level_extent(layout->base, level);
        const struct mb_extent target = mb_level_extent(layout->base, level + 1);
        const struct mb_rect part = affected[level + 1];
        const bool is_whole = part.width == target.width && part.height == target.height;
        const uint64_t n_written = (uint64_t)part.width * part.height;
        n_texels += n_written + (is_whole ? (uint64_t)source.width * source.height
                                          : n_written * (source.width > 1 ? 2 : 1) *
                                                (source.height > 1 ? 2 : 1));
    }
    return n_texels * layout->n_layers * layout->format->texel_bytes;
}
