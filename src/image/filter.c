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

/* The texels of the next level along one axis with a tap in [first, first + n) of the source.
 * Taps move on with x, so that it is a range; its ends lie within a texel of half of theirs. */
static void axis_cone(enum mb_policy policy, uint32_t n_source, uint32_t first, uint32_t n,
                      uint32_t *cone_first, uint32_t *n_cone)
{
    const uint32_t n_next = next_size(n_source), end = first + n;
    uint32_t x = first / 2 > 2 ? first / 2 - 2 : 0;
    *cone_first = 0;
    *n_cone = 0;
    for (; n > 0 && x < n_next; x++) {
        const struct mb_taps taps = mb_filter_taps(policy, n_source, x);
        if (taps.first >= end) {
            break;
        }
        if (taps.first + taps.n_taps <= first) {
            continue;
        }
        *cone_first = *n_cone == 0 ? x : *cone_first;
        ++*n_cone;
    }
}

struct mb_rect mb_filter_cone(enum mb_policy policy, struct mb_extent source,
                              struct mb_rect rect)
{
    struct mb_rect cone;
    axis_cone(policy, source.width, rect.x, rect.width, &cone.x, &cone.width);
    axis_cone(policy, source.height, rect.y, rect.height, &cone.y, &cone.height);
    return mb_rect_is_empty(cone) ? (struct mb_rect){0} : cone;
}

void mb_filter_cones(enum mb_policy policy, const struct mb_layout *layout, struct mb_rect rect,
                     struct mb_rect cone[MB_MAX_LEVELS])
{
    cone[0] = rect;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        cone[level] =
            mb_filter_cone(policy, mb_level_extent(layout->base, level - 1), cone[level - 1]);
    }
}

uint32_t mb_filter_n_reached(const struct mb_layout *layout,
                             const struct mb_rect cone[MB_MAX_LEVELS])
{
    uint32_t n = 0;
    while (n < layout->n_levels && !mb_rect_is_empty(cone[n])) {
        n++;
    }
    return n;
}

uint64_t mb_filter_cone_bytes(enum mb_policy policy, const struct mb_layout *layout,
                              struct mb_rect rect)
{
    struct mb_rect cone[MB_MAX_LEVELS];
    uint64_t n_texels = 0;
    mb_filter_cones(policy, layout, rect, cone);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        n_texels += (uint64_t)cone[level].width * cone[level].height;
    }
    return n_texels * layout->n_layers * layout->format->texel_bytes;
}

uint64_t mb_filter_per_level_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                   struct mb_rect rect)
{
    struct mb_rect cone[MB_MAX_LEVELS];
    uint64_t n_texels = 0;
    mb_filter_cones(policy, layout, rect, cone);
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        const struct mb_extent source = mb_level_extent(layout->base, level);
        const struct mb_extent target = mb_level_extent(layout->base, level + 1);
        const struct mb_rect part = cone[level + 1];
        const bool is_whole = part.width == target.width && part.height == target.height;
        const uint64_t n_written = (uint64_t)part.width * part.height;
        n_texels += n_written + (is_whole ? (uint64_t)source.width * source.height
                                          : n_written * (source.width > 1 ? 2 : 1) *
                                                (source.height > 1 ? 2 : 1));
    }
    return n_texels * layout->n_layers * layout->format->texel_bytes;
}
