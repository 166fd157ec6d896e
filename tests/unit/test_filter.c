/* Reductions, alpha modes and formats in the golden model, by hand and by what must never
 * change: flat stays flat, box keeps the sum; and how far a change reaches. */
#include "check.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "image/golden.h"
#include "image/image.h"
#include "image/pattern.h"

static void must(enum mb_status status, const struct mb_err *err)
{
    if (status != MB_OK) {
        fprintf(stderr, "failed: %s\n", err->text);
        exit(1);
    }
}

static void check_names(void)
{
    CHECK_EQ_STR(mb_reduce_names[MB_REDUCE_AVG], "avg");
    CHECK_EQ_STR(mb_reduce_names[MB_REDUCE_MIN], "min");
    CHECK_EQ_STR(mb_reduce_names[MB_REDUCE_MAX], "max");
    CHECK_EQ_STR(mb_alpha_name(MB_ALPHA_STRAIGHT), "straight");
    CHECK_EQ_STR(mb_alpha_name(MB_ALPHA_PREMULTIPLIED), "premultiplied");
    CHECK_EQ_STR(mb_policy_names[MB_POLICY_BOX], "box");
}

static void next(struct mb_filter filter, const struct mb_plane *plane, double *out)
{
    struct mb_err err = {0};
    must(mb_golden_level(&filter, plane, out, NULL, &err), &err);
}

/* A 5x1 row: box looks at 0 1 2 and 2 3 4, floor at 0 1 and 2 3, blit at 0.75 and 3.25. */
static void check_extremes(void)
{
    double row[5 * 4], out[2 * 4];
    static const double values[5] = {4, 3, -9, 5, 8};
    static const struct {
        struct mb_filter filter;
        double want[2];
    } cases[] = {
        {{MB_POLICY_BOX, MB_REDUCE_MIN, MB_ALPHA_STRAIGHT}, {-9, -9}},
        {{MB_POLICY_BOX, MB_REDUCE_MAX, MB_ALPHA_STRAIGHT}, {4, 8}},
        {{MB_POLICY_FLOOR, MB_REDUCE_MIN, MB_ALPHA_STRAIGHT}, {3, -9}},
        {{MB_POLICY_FLOOR, MB_REDUCE_MAX, MB_ALPHA_PREMULTIPLIED}, {4, 5}},
        {{MB_POLICY_BLIT, MB_REDUCE_MAX, MB_ALPHA_STRAIGHT}, {4, 8}},
    };
    for (size_t i = 0; i < 5 * 4; i++) {
        row[i] = values[i / 4];
    }
    for (int is_column = 0; is_column < 2; is_column++) {
        const struct mb_plane plane = {{is_column ? 1 : 5, is_column ? 5 : 1}, NULL, row};
        for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
            next(cases[i].filter, &plane, out);
            CHECK_EQ_DBL(out[0], cases[i].want[0], 0.0);
            CHECK_EQ_DBL(out[7], cases[i].want[1], 0.0);
        }
    }
}

/* The extreme of a conservative pyramid is that of all texels, at every size. */
static void check_conservative(void)
{
    const struct mb_format *format = mb_format_find("rgba8");
    for (uint32_t size = 0; size < 17 * 17; size++) {
        struct mb_image image;
        struct mb_ideal ideal;
        struct mb_err err = {0};
        char spec[64];
        const struct mb_extent base = {size % 17 + 1, size / 17 + 1};
        const uint32_t n_levels = mb_full_level_count(base);
        snprintf(spec, sizeof spec, "pattern:noise:%ux%u", base.width, base.height);
        must(mb_pattern_make(&image, spec, size, &err), &err);
        const struct mb_plane plane = {base, format, image.texels};
        const struct mb_filter filter = {.reduce = MB_REDUCE_MAX};
        must(mb_ideal_init(&ideal, &filter, &plane, n_levels, &err), &err);
        const uint8_t *codes = image.texels;
        uint8_t largest = 0;
        for (size_t i = 0; i < (size_t)base.width * base.height; i++) {
            largest = codes[i * 4] > largest ? codes[i * 4] : largest;
        }
        if (n_levels > 1) {
            CHECK_EQ_DBL(ideal.level[n_levels - 1][0], largest / 255.0, 0.0);
        }
        mb_ideal_finish(&ideal);
        mb_image_finish(&image);
    }
}

static void check_alpha(void)
{
    /* Opaque 0.5, clear with a hidden 1.0 below it; a quarter of alpha at 0.1. */
    const double pair[8] = {0.5, 0.25, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0};
    const double weighed[8] = {0.5, 0.25, 0.0, 0.75, 0.1, 0.25, 1.0, 0.25};
    const double clear[8] = {0.5, 0.25, 0.0, 0.0, 1.0, 0.5, 1.0, 0.0};
    const struct mb_filter premultiplied = {.alpha = MB_ALPHA_PREMULTIPLIED};
    struct mb_plane plane = {{2, 1}, NULL, pair};
    double out[4];
    next((struct mb_filter){0}, &plane, out);
    CHECK_EQ_DBL(out[0], 0.75, 0.0);
    next(premultiplied, &plane, out);
    CHECK_EQ_DBL(out[0], 0.5, 0.0);
    CHECK_EQ_DBL(out[1], 0.25, 0.0);
    CHECK_EQ_DBL(out[2], 0.0, 0.0);
    CHECK_EQ_DBL(out[3], 0.5, 0.0);
    plane.texels = weighed;
    next(premultiplied, &plane, out);
    CHECK_EQ_DBL(out[0], 0.4, 1e-15); /* 3/4 of 0.5 and 1/4 of 0.1 */
    CHECK_EQ_DBL(out[1], 0.25, 1e-15);
    CHECK_EQ_DBL(out[2], 0.25, 1e-15);
    plane.texels = clear;
    next(premultiplied, &plane, out);
    CHECK_EQ_DBL(out[0], 0.75, 0.0);
    CHECK_EQ_DBL(out[3], 0.0, 0.0);

    /* No alpha, no weights. */
    const uint8_t grey[2] = {0, 255};
    const struct mb_plane r8 = {{2, 1}, mb_format_find("r8"), grey};
    next(premultiplied, &r8, out);
    CHECK_EQ_DBL(out[0], 0.5, 0.0);
    CHECK_EQ_DBL(out[3], 1.0, 0.0);
}

/* A checker of 0 and 255 is code 188 in sRGB and 128 in UNORM, after one level and after all.
 */
static void check_checker(void)
{
    static const struct {
        const char *format;
        uint8_t want;
    } cases[] = {{"rgba8-srgb", 188}, {"rgba8", 128}};
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_image image;
        struct mb_ideal ideal;
        struct mb_err err = {0};
        const struct mb_format *format = mb_format_find(cases[i].format);
        must(mb_pattern_make(&image, "pattern:checker:8x8", 0, &err), &err);
        const struct mb_plane plane = {{8, 8}, format, image.texels};
        must(mb_ideal_init(&ideal, &(struct mb_filter){0}, &plane, 4, &err), &err);
        for (uint32_t level = 1; level < 4; level++) {
            uint8_t codes[4 * 4 * 4];
            const size_t n = (size_t)16 >> (2 * (level - 1));
            mb_format_encode(format, ideal.level[level], n, codes);
            for (size_t k = 0; k < n * 4; k++) {
                CHECK_EQ_INT(codes[k], k % 4 == 3 ? 255 : cases[i].want);
            }
        }
        mb_ideal_finish(&ideal);
        mb_image_finish(&image);
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

/* Sum of a level's channel times the area of its texels; colour times alpha if premultiplied.
 */
static double weight(const double *rgba, struct mb_extent extent, size_t channel,
                     enum mb_alpha alpha)
{
    double sum = 0.0;
    for (size_t i = 0; i < (size_t)extent.width * extent.height * 4; i += 4) {
        const bool is_weighed = alpha == MB_ALPHA_PREMULTIPLIED && channel < 3;
        sum += rgba[i + channel] * (is_weighed ? rgba[i + 3] : 1.0);
    }
    return sum / ((double)extent.width * extent.height);
}

static void check_conservation(void)
{
    static const char *const specs[] = {"pattern:noise:17x31", "pattern:impulse:33x65",
                                        "pattern:noise:1x301"};
    for (size_t i = 0; i < mb_format_count * MB_COUNTOF(specs) * 2; i++) {
        const struct mb_format *format = &mb_formats[i % mb_format_count];
        const struct mb_filter filter = {
            .alpha = (enum mb_alpha)(i / mb_format_count / MB_COUNTOF(specs))};
        struct mb_image image;
        struct mb_ideal ideal;
        struct mb_err err = {0};
        must(mb_pattern_make(&image, specs[i / mb_format_count % MB_COUNTOF(specs)], 3, &err),
             &err);
        const struct mb_extent base = {image.width, image.height};
        const size_t n = (size_t)base.width * base.height;
        void *texels = mb_malloc(n * format->texel_bytes);
        double *rgba = mb_malloc(n * 4 * sizeof *rgba);
        mb_image_encode(&image, format, 0, texels);
        mb_format_decode(format, texels, n, rgba);
        const struct mb_plane plane = {base, format, texels};
        must(mb_ideal_init(&ideal, &filter, &plane, mb_full_level_count(base), &err), &err);
        for (uint32_t level = 1; level < ideal.n_levels; level++) {
            for (size_t c = 0; c < 4; c++) {
                CHECK_EQ_DBL(
                    weight(ideal.level[level], mb_level_extent(base, level), c, filter.alpha),
                    weight(rgba, base, c, filter.alpha), 1e-12);
            }
        }
        mb_ideal_finish(&ideal);
        mb_free(rgba);
        mb_free(texels);
        mb_image_finish(&image);
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
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_BOX, &layout, &whole, 1),
                 mb_layout_compulsory_bytes(&layout));
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_BOX, &layout, &whole, 1),
                 (78 + 18 + 3 + 1) * unit);
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_BOX, &layout, &part, 1),
                 (6 + 3 + 2 + 1) * unit);
    CHECK_EQ_INT(mb_filter_per_level_bytes(MB_POLICY_BOX, &layout, whole),
                 (78 + 18 + 18 + 3 + 3 + 1) * unit);
    /* Four texels read for each that is written, all of 3x1 for the last. */
    CHECK_EQ_INT(mb_filter_per_level_bytes(MB_POLICY_BOX, &layout, part),
                 (3 * 4 + 3 + 2 * 4 + 2 + 3 + 1) * unit);
    /* Two that share texels (5, 0) and (6, 0) of level 0, (2, 0) and (3, 0) of 1, (1, 0) of 2.
     */
    const struct mb_rect several[] = {{4, 0, 3, 2}, {5, 0, 8, 1}};
    struct mb_rect affected[MB_MAX_LEVELS][MB_MAX_RECTS];
    mb_filter_affected_of(MB_POLICY_BOX, &layout, several, 2, affected);
    check_rect(affected[1][0], 1, 0, 3, 1);
    check_rect(affected[1][1], 2, 0, 4, 1);
    check_rect(affected[2][1], 1, 0, 2, 1);
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_BOX, &layout, several, 2),
                 (12 + 5 + 3 + 1) * unit);
    /* A change that reaches nothing is read, and that is all. */
    const struct mb_rect dropped = {12, 0, 1, 6};
    CHECK_EQ_INT(mb_filter_affected_bytes(MB_POLICY_FLOOR, &layout, &dropped, 1), 6 * unit);
    CHECK_EQ_INT(mb_filter_per_level_bytes(MB_POLICY_FLOOR, &layout, dropped), 0);
}

int main(void)
{
    return CHECK_TESTS(check_names, check_extremes, check_conservative, check_alpha,
                       check_checker, check_flat, check_conservation, check_cones_of_axes,
                       check_cones, check_bytes);
}
