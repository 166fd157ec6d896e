/* The golden model against cases computed by hand. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "image/golden.h"
#include "image/pattern.h"

static const struct mb_filter box = {.policy = MB_POLICY_BOX};

/* The next level of a one-channel row (all four channels alike) of `n` values. */
static void next_row(enum mb_policy policy, const double *row, uint32_t n, bool is_column,
                     double *out)
{
    double rgba[16 * 4], next[16 * 4];
    struct mb_err err = {0};
    for (uint32_t i = 0; i < n * 4; i++) {
        rgba[i] = row[i / 4];
    }
    const struct mb_plane plane = {.extent = {is_column ? 1 : n, is_column ? n : 1},
                                   .texels = rgba};
    const uint32_t n_next = n > 1 ? n / 2 : 1;
    const enum mb_status status =
        mb_golden_level(&(struct mb_filter){.policy = policy}, &plane, next, NULL, &err);
    CHECK_EQ_INT(status, MB_OK);
    for (uint32_t i = 0; i < n_next; i++) {
        out[i] = next[i * 4];
        CHECK_EQ_DBL(next[i * 4 + 3], out[i], 0.0);
    }
}

static void check_row(enum mb_policy policy, const double *row, uint32_t n, const double *want)
{
    for (int is_column = 0; is_column < 2; is_column++) {
        double got[16];
        next_row(policy, row, n, is_column, got);
        for (uint32_t i = 0; i < (n > 1 ? n / 2 : 1); i++) {
            CHECK_EQ_DBL(got[i], want[i], 1e-14);
        }
    }
}

static void check_axes_by_hand(void)
{
    const double five[5] = {1, 10, 100, 1000, 10000};
    /* box, 5 to 2: weights 2/5 2/5 1/5 and 1/5 2/5 2/5 */
    check_row(MB_POLICY_BOX, five, 5, (double[]){0.4 + 4 + 20, 20 + 400 + 4000});
    check_row(MB_POLICY_FLOOR, five, 5, (double[]){5.5, 550});
    /* blit, 5 to 2: 0.5 * 2.5 - 0.5 = 0.75 and 1.5 * 2.5 - 0.5 = 3.25 */
    check_row(MB_POLICY_BLIT, five, 5, (double[]){0.25 + 7.5, 750 + 2500});

    const double three[3] = {1, 10, 100};
    check_row(MB_POLICY_BOX, three, 3, (double[]){37});
    check_row(MB_POLICY_FLOOR, three, 3, (double[]){5.5});
    check_row(MB_POLICY_BLIT, three, 3, (double[]){10}); /* 0.5 * 3 - 0.5 = 1 */

    /* 7 to 3: box 3/7 3/7 1/7, 2/7 3/7 2/7, 1/7 3/7 3/7; blit at 2/3, 3, 16/3 */
    const double seven[7] = {7, 14, 0, 70, 7, 0, 21};
    check_row(MB_POLICY_BOX, seven, 7, (double[]){9, 32, 10});
    check_row(MB_POLICY_BLIT, seven, 7,
              (double[]){7.0 / 3 + 28.0 / 3, 70, 0 * 2.0 / 3 + 21.0 / 3});
    check_row(MB_POLICY_FLOOR, seven, 7, (double[]){10.5, 35, 3.5});

    for (int p = MB_POLICY_BOX; p <= MB_POLICY_BLIT; p++) {
        check_row((enum mb_policy)p, five, 1, (double[]){1});
        check_row((enum mb_policy)p, five, 2, (double[]){5.5});
        check_row((enum mb_policy)p, five, 4, (double[]){5.5, 550});
    }
}

static void check_taps(void)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 9, 31, 33, 255, 257, 4095, 32767};
    for (size_t i = 0; i < MB_COUNTOF(sizes); i++) {
        const uint32_t n = sizes[i], n_next = n > 1 ? n / 2 : 1;
        for (int p = MB_POLICY_BOX; p <= MB_POLICY_BLIT; p++) {
            double worst_sum = 0.0;
            bool is_inside = true;
            for (uint32_t x = 0; x < n_next; x++) {
                const struct mb_taps taps = mb_filter_taps((enum mb_policy)p, n, x);
                double sum = 0.0;
                is_inside = is_inside && taps.n_taps >= 1 && taps.first + taps.n_taps <= n;
                for (uint32_t k = 0; k < taps.n_taps; k++) {
                    sum += taps.weight[k];
                    is_inside = is_inside && taps.weight[k] > 0.0;
                }
                worst_sum = fmax(worst_sum, fabs(sum - 1.0));
            }
            CHECK_EQ_DBL(worst_sum, 0.0, 1e-15);
            CHECK(is_inside);
        }
    }
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

static struct mb_ideal make_ideal(const char *spec, enum mb_policy policy,
                                  struct mb_image *image)
{
    struct mb_ideal ideal;
    struct mb_err err = {0};
    if (mb_pattern_make(image, spec, 3, &err) != MB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    const struct mb_extent base = {image->width, image->height};
    const struct mb_plane plane = {base, mb_format_find("rgba8"), image->texels};
    if (mb_ideal_init(&ideal, &(struct mb_filter){.policy = policy}, &plane,
                      mb_full_level_count(base), &err) != MB_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return ideal;
}

/* An impulse weighs in by the product of the axes' tap weights. */
static void check_impulse(void)
{
    double source[5 * 3 * 4] = {0}, next[2 * 4];
    struct mb_err err = {0};
    source[(1 * 5 + 2) * 4 + 1] = 1.0; /* texel (2, 1), green */
    const struct mb_plane plane = {.extent = {5, 3}, .texels = source};
    CHECK_EQ_INT(mb_golden_level(&box, &plane, next, NULL, &err), MB_OK);
    CHECK_EQ_DBL(next[1], 1.0 / 15.0, 1e-16); /* 1/5 along x, 1/3 along y */
    CHECK_EQ_DBL(next[5], 1.0 / 15.0, 1e-16);
    CHECK_EQ_DBL(next[0] + next[2] + next[4] + next[6], 0.0, 0.0);
}

static void check_agreement(void)
{
    CHECK(mb_policies_agree((struct mb_extent){64, 16}, 7));
    CHECK(mb_policies_agree((struct mb_extent){1, 1}, 1));
    CHECK(mb_policies_agree((struct mb_extent){1, 64}, 7));
    CHECK(mb_policies_agree((struct mb_extent){12, 12}, 3)); /* 12, 6, 3: the 3 is not halved */
    CHECK(!mb_policies_agree((struct mb_extent){12, 12}, 4));
    CHECK(!mb_policies_agree((struct mb_extent){64, 5}, 2));

    struct mb_image image;
    struct mb_ideal of_box = make_ideal("pattern:noise:64x16", MB_POLICY_BOX, &image);
    for (int p = MB_POLICY_FLOOR; p <= MB_POLICY_BLIT; p++) {
        struct mb_image again;
        struct mb_ideal other = make_ideal("pattern:noise:64x16", (enum mb_policy)p, &again);
        for (uint32_t level = 1; level < of_box.n_levels; level++) {
            const struct mb_extent extent = mb_level_extent(of_box.base, level);
            for (size_t i = 0; i < (size_t)extent.width * extent.height * 4; i++) {
                CHECK_EQ_DBL(other.level[level][i], of_box.level[level][i], 1e-15);
            }
        }
        mb_ideal_finish(&other);
        mb_image_finish(&again);
    }
    mb_ideal_finish(&of_box);
    mb_image_finish(&image);
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
    return CHECK_TESTS(check_axes_by_hand, check_taps, check_influence, check_impulse,
                       check_agreement, check_range, check_extremes, check_no_memory);
}
