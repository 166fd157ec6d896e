/* The golden model where golden_model.py does not look: properties of taps, ranges, NaN. */
#include "check.h"

#include <math.h>

#include "base/alloc.h"
#include "image/reference.h"
#include "image/pattern.h"
#include "image/tolerance.h"
#include "result/result.h"

static const struct mb_filter box = {.policy = MB_POLICY_BOX};

/* What holds at one size: weights add up to 1 and mirror each other, taps stay within the
 * image, and the bounds that tolerances stand on. Returns the most taps. */
static uint32_t check_axis(enum mb_policy policy, uint32_t n)
{
    const uint32_t n_next = n > 1 ? n / 2 : 1;
    const bool is_wide = mb_policy_is_wide(policy);
    const bool is_mirrored = policy != MB_POLICY_FLOOR || n % 2 == 0 || n == 1;
    double worst_sum = 0.0, worst_mirror = 0.0, largest = 0.0;
    uint32_t n_max_taps = 0;
    bool is_inside = true, is_positive = true;
    for (uint32_t x = 0; x < n_next; x++) {
        double weight[MB_MAX_FILTER_KERNEL_TAPS], magnitudes = 0.0, sum = 0.0;
        const struct mb_taps taps = mb_filter_taps(policy, n, x);
        const struct mb_taps mirror = mb_filter_taps(policy, n, n_next - 1 - x);
        const uint32_t n_taps = is_wide ? mb_filter_kernel_weights(policy, n, x, weight) : 0;
        for (uint32_t i = 0; i < n_taps; i++) {
            magnitudes += fabs(weight[i]);
        }
        is_inside = is_inside && taps.n_taps >= 1 && taps.first + taps.n_taps <= n &&
                    (!is_mirrored || (mirror.n_taps == taps.n_taps &&
                                      mirror.first == n - taps.first - taps.n_taps));
        for (uint32_t i = 0; i < taps.n_taps && is_inside; i++) {
            const double other = mirror.weight[taps.n_taps - 1 - i];
            sum += taps.weight[i];
            is_positive = is_positive && taps.weight[i] > 0.0;
            worst_mirror = fmax(worst_mirror, is_mirrored ? fabs(taps.weight[i] - other) : 0.0);
        }
        worst_sum = fmax(worst_sum, fabs(sum - 1.0));
        largest = fmax(largest, magnitudes);
        n_max_taps = taps.n_taps > n_max_taps ? taps.n_taps : n_max_taps;
    }
    CHECK(is_inside && (is_wide || is_positive));
    CHECK_EQ_DBL(worst_sum, 0.0, is_wide ? 2e-15 : 1e-15);
    CHECK_EQ_DBL(worst_mirror, 0.0, 1e-15);
    CHECK(largest * largest < 2.0); /* image/tolerance.h */
    return n_max_taps;
}

static void check_taps(void)
{
    static const uint32_t large[] = {255, 257, 1023, 4095, 4096, 32767};
    uint32_t n_max_taps = 0;
    for (unsigned p = 0; p < MB_N_POLICIES; p++) {
        for (uint32_t n = 1; n <= 150; n++) {
            const uint32_t n_taps = check_axis((enum mb_policy)p, n);
            n_max_taps = n_taps > n_max_taps ? n_taps : n_max_taps;
        }
        for (size_t i = 0; i < MB_COUNTOF(large); i++) {
            check_axis((enum mb_policy)p, large[i]);
        }
    }
    CHECK_EQ_INT(n_max_taps, MB_MAX_TAPS);
}

/* Box: every source texel has the same influence in all, w'/w. */
static void check_influence(void)
{
    static const uint32_t sizes[] = {2, 3, 5, 7, 8, 17, 255, 1023};
    for (size_t i = 0; i < MB_COUNTOF(sizes); i++) {
        const uint32_t n = sizes[i];
        double *influence = mb_alloc(n, sizeof *influence);
        for (uint32_t x = 0; x < n / 2; x++) {
            const struct mb_taps taps = mb_filter_taps(MB_POLICY_BOX, n, x);
            for (uint32_t k = 0; k < taps.n_taps; k++) {
                influence[taps.first + k] += taps.weight[k];
            }
        }
        for (uint32_t s = 0; s < n; s++) {
            CHECK_EQ_DBL(influence[s], (double)(n / 2) / n, 1e-13);
        }
        mb_free(influence);
    }
}

static void check_agreement(void)
{
    CHECK(mb_policies_agree((struct mb_extent){64, 16}, 7));
    CHECK(mb_policies_agree((struct mb_extent){1, 1}, 1));
    CHECK(mb_policies_agree((struct mb_extent){1, 64}, 7));
    CHECK(mb_policies_agree((struct mb_extent){12, 12}, 3)); /* 12, 6, 3: the 3 is not halved */
    CHECK(!mb_policies_agree((struct mb_extent){12, 12}, 4));
    CHECK(!mb_policies_agree((struct mb_extent){64, 5}, 2));
}

static void check_range(void)
{
    struct mb_image image;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_pattern_make(&image, "pattern:noise:9x7", 1, &err), MB_OK);
    const struct mb_plane plane = {{9, 7}, mb_format_find("rgba8"), image.texels};
    double dst[4 * 3 * 4], range[4 * 3 * 4];
    CHECK_EQ_INT(mb_golden_level(&box, &plane, dst, range, &err), MB_OK);
    const uint8_t *code = image.texels;
    for (uint32_t i = 0; i < 4 * 3 * 4; i++) {
        const uint32_t x = i / 4 % 4, y = i / 16, c = i % 4;
        uint8_t low = 255, high = 0;
        for (uint32_t k = 0; k < 9; k++) {
            const uint8_t v = code[((2 * y + k / 3) * 9 + 2 * x + k % 3) * 4 + c];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        CHECK_EQ_DBL(range[i], (high - low) / 255.0, 1e-15);
    }
    mb_image_finish(&image);
}

/* Extremes of 3x3 texels leave NaN out wherever it stands, and see every other one. */
static void check_extremes(void)
{
    static const enum mb_reduce reduces[] = {MB_REDUCE_MIN, MB_REDUCE_MAX};
    struct mb_err err = {0};
    for (uint32_t i = 0; i < 2 * 9 * 9; i++) {
        const uint32_t nan_at = i / 2 % 9, extreme_at = i / 18;
        const double sign = i % 2 == 0 ? -1.0 : 1.0;
        const struct mb_filter filter = {.reduce = reduces[i % 2]};
        double rgba[9 * 4], next[4];
        for (uint32_t k = 0; k < 9 * 4; k++) {
            const uint32_t texel = k / 4;
            rgba[k] = texel == nan_at       ? (double)NAN
                      : texel == extreme_at ? sign * 100.0
                                            : sign * texel;
        }
        const struct mb_plane plane = {.extent = {3, 3}, .texels = rgba};
        CHECK_EQ_INT(mb_golden_level(&filter, &plane, next, NULL, &err), MB_OK);
        CHECK_EQ_DBL(next[2],
                     extreme_at != nan_at ? sign * 100.0 : sign * (nan_at == 8 ? 7 : 8), 0.0);
    }
}

/* Overshoot is stored as the nearest that the format has. */
static void check_held(void)
{
    const double rgba[4] = {-0.25, 1.5, 0.5, 70000.0};
    double held[4];
    mb_format_hold(mb_format_find("rgba8-srgb"), rgba, 1, held);
    CHECK(held[0] == 0.0 && held[1] == 1.0 && held[2] == 0.5 && held[3] == 1.0);
    mb_format_hold(mb_format_find("rg11b10f"), rgba, 1, held);
    CHECK(held[0] == 0.0 && held[1] == 1.5 && held[2] == 0.5 && held[3] == 65024.0);
    mb_format_hold(mb_format_find("rgba16f"), rgba, 1, held);
    CHECK(held[0] == -0.25 && held[1] == 1.5 && held[2] == 0.5 && held[3] == 65504.0);
    mb_format_hold(mb_format_find("rgba32f"), rgba, 1, held);
    CHECK(memcmp(held, rgba, sizeof rgba) == 0);
}

static double bound(enum mb_policy policy, const char *format, double want, double range)
{
    const struct mb_tolerance tolerance = {.filter.policy = policy};
    const struct mb_format *f = mb_format_find(format);
    const struct mb_extent source = {64, 64};
    return mb_tolerance_bound_lsb(
        &(struct mb_step){&tolerance, f, 1, mb_tolerance_weight_error(&tolerance, f, source)},
        0, want, range);
}

/* Sums of terms that cancel are allowed a part of their spread, and codes nothing more. */
static void check_bounds(void)
{
    CHECK_EQ_DBL(bound(MB_POLICY_KAISER, "rgba8", 0.5, 1.0), 0.51, 1e-15);
    CHECK_EQ_DBL(bound(MB_POLICY_KAISER, "rgba32f", 0.5, 0.0), 4.0, 0.0);
    CHECK_EQ_DBL(bound(MB_POLICY_KAISER, "rgba32f", 1.0, 1.0), 4.0 + 2.0, 1e-12);
    CHECK_EQ_DBL(bound(MB_POLICY_KAISER, "rgba32f", 0x1p-10, 1.0), 4.0 + 2048.0, 1e-9);
    CHECK_EQ_DBL(bound(MB_POLICY_BOX, "rgba32f", 0x1p-10, 1.0), 4.0, 0.0);
    CHECK_EQ_DBL(bound(MB_POLICY_KAISER, "rgba16f", 1.0, 1.0), 1.0 + 0x1p-11 + 4 * 26 / 16384.0,
                 1e-12);
}

/* A wide kernel is ranked among its own kind. */
static void check_kinds(void)
{
    for (uint32_t i = 0; i < MB_N_POLICIES * MB_N_POLICIES; i++) {
        const uint32_t p = i % MB_N_POLICIES, q = i / MB_N_POLICIES;
        struct mb_result a = {.work.tolerance.filter.policy = (enum mb_policy)p};
        struct mb_result b = {.work.tolerance.filter.policy = (enum mb_policy)q};
        const bool are_narrow = p <= MB_POLICY_BLIT && q <= MB_POLICY_BLIT;
        const struct mb_row row_a = {.result = &a}, row_b = {.result = &b};
        CHECK_EQ_INT(mb_rows_are_alike(&row_a, &row_b), are_narrow || p == q);
    }
}

static enum mb_status try_ideal(void *plane, struct mb_err *err)
{
    struct mb_ideal ideal = {0};
    const enum mb_status status = mb_ideal_init(&ideal, &box, plane, 4, err);
    if (status == MB_OK) {
        mb_ideal_finish(&ideal);
    }
    return status;
}

static void check_no_memory(void)
{
    struct mb_image image;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_pattern_make(&image, "pattern:noise:9x7", 1, &err), MB_OK);
    struct mb_plane plane = {{9, 7}, mb_format_find("rgba8"), image.texels};
    CHECK(check_each_allocation(try_ideal, &plane) >= 3);
    mb_image_finish(&image);
}

int main(void)
{
    return CHECK_TESTS(check_taps, check_influence, check_agreement, check_range,
                       check_extremes, check_held, check_bounds, check_kinds, check_no_memory);
}
