/* Flat stays flat in every format, bit for bit; and how far a change reaches. That filters,
 * reductions and alpha modes are right is golden_model.py's part. */
#include "check.h"

#include "base/alloc.h"
#include "image/reference.h"

static void check_names(void)
{
    static const char *const policies[] = {"box",     "floor",    "blit",      "kaiser",
                                           "lanczos", "gaussian", "gaussian16"};
    CHECK_EQ_STR(mb_reduce_names[MB_REDUCE_AVG], "avg");
    CHECK_EQ_STR(mb_reduce_names[MB_REDUCE_MIN], "min");
    CHECK_EQ_STR(mb_reduce_names[MB_REDUCE_MAX], "max");
    CHECK_EQ_STR(mb_alpha_names[MB_ALPHA_STRAIGHT], "straight");
    CHECK_EQ_STR(mb_alpha_names[MB_ALPHA_PREMULTIPLIED], "premultiplied");
    CHECK_EQ_INT(MB_COUNTOF(policies), MB_N_POLICIES);
    for (unsigned p = 0; p < MB_N_POLICIES; p++) {
        CHECK_EQ_STR(mb_policy_names[p], policies[p]);
        CHECK_EQ_INT(mb_policy_is_wide((enum mb_policy)p), p > MB_POLICY_BLIT);
        CHECK_EQ_INT(mb_filter_kernel_radius((enum mb_policy)p) > 0, p > MB_POLICY_BLIT);
    }
}

static bool stays_flat(const struct mb_format *format, const struct mb_filter *filter,
                       const uint8_t *texel)
{
    const struct mb_extent base = {37, 23};
    struct mb_ideal ideal;
    struct mb_err err = {0};
    uint8_t *texels = mb_malloc(37 * 23 * 16);
    uint8_t *encoded = mb_malloc(37 * 23 * 16);
    bool is_flat = true;
    for (size_t i = 0; i < (size_t)base.width * base.height; i++) {
        memcpy(texels + i * format->texel_bytes, texel, format->texel_bytes);
    }
    const struct mb_plane plane = {base, format, texels};
    must(mb_ideal_init(&ideal, filter, &plane, mb_full_level_count(base), &err), &err);
    for (uint32_t level = 1; level < ideal.n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(base, level);
        const size_t n = (size_t)extent.width * extent.height;
        mb_format_encode(format, ideal.level[level], n, encoded);
        is_flat = is_flat && memcmp(encoded, texels, n * format->texel_bytes) == 0;
    }
    mb_ideal_finish(&ideal);
    mb_free(encoded);
    mb_free(texels);
    return is_flat;
}

/* Bit for bit, in every format, by every filter. */
static void check_flat(void)
{
    static const double colours[][4] = {
        {0.73, 0.39, 0.12, 0.8},
        {1.0, 0.0, 1.0, 0.3},
        {0x1p-24, 0x1p-20, 0x1p-19, 1.0}, /* subnormal in the small floats */
        {0.5, 0.25, 0.125, 0.0},
    };
    const size_t n_filters = 3 * 3 * 2;
    for (size_t i = 0; i < mb_format_count * n_filters * MB_COUNTOF(colours); i++) {
        const struct mb_format *format = &mb_formats[i % mb_format_count];
        const size_t f = i / mb_format_count % n_filters;
        const struct mb_filter filter = {.policy = (enum mb_policy)(f % 3),
                                         .reduce = (enum mb_reduce)(f / 3 % 3),
                                         .alpha = (enum mb_alpha)(f / 9)};
        uint32_t texel[4];
        mb_format_encode(format, colours[i / mb_format_count / n_filters], 1, texel);
        CHECK(stays_flat(format, &filter, (const uint8_t *)texel));
    }
}

static bool has_tap(enum mb_policy policy, uint32_t n_source, uint32_t x, uint32_t first,
                    uint32_t n)
{
    const struct mb_taps taps = mb_filter_taps(policy, n_source, x);
    return taps.first < first + n && first < taps.first + taps.n_taps;
}

/* The affected region of every part of every small axis, texel by texel: a column and a row. */
static void check_cone(enum mb_policy policy, uint32_t n_source, uint32_t first, uint32_t n)
{
    const uint32_t n_next = n_source > 1 ? n_source / 2 : 1;
    const struct mb_rect across = mb_filter_affected(policy, (struct mb_extent){n_source, 1},
                                                     (struct mb_rect){first, 0, n, 1});
    const struct mb_rect down = mb_filter_affected(policy, (struct mb_extent){1, n_source},
                                                   (struct mb_rect){0, first, 1, n});
    uint32_t n_reached = 0;
    for (uint32_t x = 0; x < n_next; x++) {
        const bool is_reached = has_tap(policy, n_source, x, first, n);
        CHECK_EQ_INT(mb_rect_contains(across, x, 0), is_reached);
        CHECK_EQ_INT(mb_rect_contains(down, 0, x), is_reached);
        n_reached += is_reached;
    }
    CHECK_EQ_INT(across.width, n_reached);
    CHECK_EQ_INT(down.height, n_reached);
    CHECK_EQ_INT(mb_rect_is_empty(across), n_reached == 0);
}

static void check_cones_of_axes(void)
{
    for (uint32_t i = 0; i < MB_N_POLICIES * 18 * 18 * 18; i++) {
        const uint32_t n_source = i / MB_N_POLICIES % 18 + 1;
        const uint32_t first = i / MB_N_POLICIES / 18 % 18, n = i / MB_N_POLICIES / 18 / 18 + 1;
        if (first + n <= n_source) {
            check_cone((enum mb_policy)(i % MB_N_POLICIES), n_source, first, n);
        }
    }
    const struct mb_rect none = mb_filter_affected(MB_POLICY_BOX, (struct mb_extent){8, 8},
                                                   (struct mb_rect){3, 3, 0, 2});
    CHECK(mb_rect_is_empty(none));
}

static void check_rect(struct mb_rect got, uint32_t x, uint32_t y, uint32_t width,
                       uint32_t height)
{
    CHECK_EQ_INT(got.x, x);
    CHECK_EQ_INT(got.y, y);
    CHECK_EQ_INT(got.width, width);
    CHECK_EQ_INT(got.height, height);
}

/* 13x6, 6x3, 3x1, 1x1 by hand. Texel (12, 5) is beyond what floor looks at; under box it lies
 * under the last texel of each level. */
static void check_cones(void)
{
    struct mb_layout layout;
    struct mb_rect affected[MB_MAX_LEVELS];
    mb_layout_init(&layout, mb_format_find("rg8"), (struct mb_extent){13, 6}, 3, 4);

    mb_filter_affected_levels(MB_POLICY_BOX, &layout, (struct mb_rect){12, 5, 1, 1}, affected);
    check_rect(affected[0], 12, 5, 1, 1);
    check_rect(affected[1], 5, 2, 1, 1);
    check_rect(affected[2], 2, 0, 1, 1);
    check_rect(affected[3], 0, 0, 1, 1);
    CHECK_EQ_INT(mb_filter_n_reached(&layout, affected), 4);
    mb_filter_affected_levels(MB_POLICY_BOX, &layout, (struct mb_rect){4, 0, 3, 2}, affected);
    check_rect(affected[1], 1, 0, 3, 1); /* texel 4 is the third tap of 1, and the first of 2 */
    check_rect(affected[2], 0, 0, 2, 1);
    check_rect(affected[3], 0, 0, 1, 1);

    mb_filter_affected_levels(MB_POLICY_FLOOR, &layout, (struct mb_rect){12, 5, 1, 1},
                              affected);
    CHECK(mb_rect_is_empty(affected[1]));
    CHECK(mb_rect_is_empty(affected[3]));
    CHECK_EQ_INT(mb_filter_n_reached(&layout, affected), 1);
    /* Row 4 is in level 1, whose last row floor drops, too; below, the axis is one texel. */
    mb_filter_affected_levels(MB_POLICY_FLOOR, &layout, (struct mb_rect){0, 4, 2, 1}, affected);
    check_rect(affected[1], 0, 2, 1, 1);
    CHECK(mb_rect_is_empty(affected[2]));
    CHECK(mb_rect_is_empty(affected[3]));
    CHECK_EQ_INT(mb_filter_n_reached(&layout, affected), 2);

    /* 3 to 1 is a single tap in the middle. */
    mb_filter_affected_levels(MB_POLICY_BLIT, &layout, (struct mb_rect){0, 2, 13, 2}, affected);
    check_rect(affected[1], 0, 1, 6, 1);
    check_rect(affected[2], 0, 0, 3, 1);
    check_rect(affected[3], 0, 0, 1, 1);
}

static void check_bytes(void)
{
    struct mb_layout layout;
    const struct mb_rect whole = {0, 0, 13, 6}, part = {4, 0, 3, 2};
    mb_layout_init(&layout, mb_format_find("rg8"), (struct mb_extent){13, 6}, 3, 4);
    const uint64_t unit = 3 * 2; /* layers, bytes of a texel */
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_BOX, &layout, whole),
                 mb_layout_compulsory_bytes(&layout));
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_BOX, &layout, whole),
                 (78 + 18 + 3 + 1) * unit);
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_BOX, &layout, part),
                 (6 + 3 + 2 + 1) * unit);
    CHECK_EQ_INT(mb_filter_per_level_bytes(MB_POLICY_BOX, &layout, whole),
                 (78 + 18 + 18 + 3 + 3 + 1) * unit);
    /* Four texels read for each that is written, all of 3x1 for the last. */
    CHECK_EQ_INT(mb_filter_per_level_bytes(MB_POLICY_BOX, &layout, part),
                 (3 * 4 + 3 + 2 * 4 + 2 + 3 + 1) * unit);
    /* A change that reaches nothing is read, and that is all. */
    const struct mb_rect dropped = {12, 0, 1, 6};
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_FLOOR, &layout, dropped), 6 * unit);
    CHECK_EQ_INT(mb_filter_per_level_bytes(MB_POLICY_FLOOR, &layout, dropped), 0);
}

int main(void)
{
    return CHECK_TESTS(check_names, check_flat, check_cones_of_axes, check_cones, check_bytes);
}
