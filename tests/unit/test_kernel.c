/* Wide kernels: their weights against published forms, and what all of them have in common. */
#include "check.h"

#include "base/alloc.h"
#include "result/result.h"
#include "image/tolerance.h"
#include "image/golden.h"
#include "image/filter.h"

static const enum mb_policy wide[] = {MB_POLICY_KAISER, MB_POLICY_LANCZOS, MB_POLICY_GAUSSIAN,
                                      MB_POLICY_GAUSSIAN16};

static uint32_t next_size(uint32_t n)
{
    return n > 1 ? n / 2 : 1;
}

static void check_names(void)
{
    CHECK_EQ_STR(mb_policy_names[MB_POLICY_BLIT], "blit");
    CHECK_EQ_STR(mb_policy_names[MB_POLICY_KAISER], "kaiser");
    CHECK_EQ_STR(mb_policy_names[MB_POLICY_LANCZOS], "lanczos");
    CHECK_EQ_STR(mb_policy_names[MB_POLICY_GAUSSIAN], "gaussian");
    CHECK_EQ_STR(mb_policy_names[MB_POLICY_GAUSSIAN16], "gaussian16");
    for (uint32_t p = 0; p < MB_N_POLICIES; p++) {
        CHECK_EQ_INT(mb_policy_is_wide((enum mb_policy)p), p > MB_POLICY_BLIT);
        CHECK_EQ_INT(mb_filter_kernel_radius((enum mb_policy)p) > 0, p > MB_POLICY_BLIT);
    }
}

/* Halving: the right half of the weights, from numpy's sinc and i0; the left half mirrors it.
 */
static void check_published(void)
{
    static const struct {
        enum mb_policy policy;
        uint32_t n;
        double right[16];
    } cases[] = {
        {MB_POLICY_KAISER,
         6,
         {0.44307704858284624, 0.13399172584292632, -0.06568917845756825, -0.03391876083376884,
          0.01623235648631995, 0.00630680837924459}},
        {MB_POLICY_LANCZOS,
         6,
         {0.4463853870426637, 0.13550528412853946, -0.06663731776798075, -0.03399863151427591,
          0.01505614268094883, 0.00368913543010467}},
        {MB_POLICY_GAUSSIAN,
         4,
         {0.35207665967624047, 0.12952176481120342, 0.01752886472603015, 0.0008727107865259}},
        {MB_POLICY_GAUSSIAN16,
         16,
         {9.8965420970662452e-02, 9.2969409226675001e-02, 8.2045215677660391e-02,
          6.8017872804171556e-02, 5.2972372602740014e-02, 3.8755415698549497e-02,
          2.6636181704700404e-02, 1.7197611467305394e-02, 1.0430878628746290e-02,
          5.9433354895124775e-03, 3.1812382442840607e-03, 1.5996270462748602e-03,
          7.5561031352014722e-04, 3.3530004409408674e-04, 1.3977385357935395e-04,
          5.4736227523974039e-05}},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        double weight[MB_MAX_FILTER_KERNEL_TAPS];
        int32_t first;
        const uint32_t n = cases[i].n;
        CHECK_EQ_INT(mb_filter_kernel_span(cases[i].policy, 100, 10, &first), 2 * n);
        CHECK_EQ_INT(first, 21 - (int32_t)n); /* the centre lies between texels 20 and 21 */
        CHECK_EQ_INT(mb_filter_kernel_weights(cases[i].policy, 100, 10, weight), 2 * n);
        for (uint32_t k = 0; k < n; k++) {
            CHECK_EQ_DBL(weight[n + k], cases[i].right[k], 1e-15);
            CHECK_EQ_DBL(weight[n - 1 - k], weight[n + k], 0.0);
        }
    }
}

/* Three to one: the kernel is sampled at 1/3, 2/3, 1 and so on, and has its zeros at 1 and 2.
 */
static void check_zeros(void)
{
    for (size_t i = 0; i < 2; i++) {
        double weight[MB_MAX_FILTER_KERNEL_TAPS];
        int32_t first;
        CHECK_EQ_INT(mb_filter_kernel_span(wide[i], 3, 0, &first), 17);
        CHECK_EQ_INT(first, -7);
        mb_filter_kernel_weights(wide[i], 3, 0, weight);
        CHECK(weight[8] > 0.3);
        for (uint32_t k = 0; k < 17; k++) {
            CHECK_EQ_INT(weight[k] == 0.0, k == 2 || k == 5 || k == 11 || k == 14);
        }
    }
}

/* What holds at one size: weights add up to 1 and mirror each other, taps stay within the
 * image, and the bounds that tolerances stand on. Returns the most taps. */
static uint32_t check_axis(enum mb_policy policy, uint32_t n)
{
    const uint32_t n_next = next_size(n);
    double worst_sum = 0.0, worst_mirror = 0.0, largest = 0.0;
    uint32_t n_max_taps = 0;
    bool is_inside = true;
    for (uint32_t x = 0; x < n_next; x++) {
        double weight[MB_MAX_FILTER_KERNEL_TAPS], magnitudes = 0.0, sum = 0.0;
        const struct mb_taps taps = mb_filter_taps(policy, n, x);
        const struct mb_taps mirror = mb_filter_taps(policy, n, n_next - 1 - x);
        const uint32_t n_taps = mb_filter_kernel_weights(policy, n, x, weight);
        for (uint32_t i = 0; i < n_taps; i++) {
            magnitudes += fabs(weight[i]);
        }
        is_inside = is_inside && taps.n_taps >= 1 && taps.first + taps.n_taps <= n &&
                    mirror.n_taps == taps.n_taps &&
                    mirror.first == n - taps.first - taps.n_taps;
        for (uint32_t i = 0; i < taps.n_taps && is_inside; i++) {
            const double other = mirror.weight[taps.n_taps - 1 - i];
            sum += taps.weight[i];
            worst_mirror = fmax(worst_mirror, fabs(taps.weight[i] - other));
        }
        worst_sum = fmax(worst_sum, fabs(sum - 1.0));
        largest = fmax(largest, magnitudes);
        n_max_taps = taps.n_taps > n_max_taps ? taps.n_taps : n_max_taps;
    }
    CHECK(is_inside);
    CHECK_EQ_DBL(worst_sum, 0.0, 2e-15);
    CHECK_EQ_DBL(worst_mirror, 0.0, 1e-15);
    CHECK(largest * largest < 2.0); /* image/tolerance.h */
    return n_max_taps;
}

static void check_axes(void)
{
    uint32_t n_max_taps = 0;
    for (size_t i = 0; i < MB_COUNTOF(wide); i++) {
        for (uint32_t n = 1; n <= 150; n++) {
            const uint32_t n_taps = check_axis(wide[i], n);
            n_max_taps = n_taps > n_max_taps ? n_taps : n_max_taps;
        }
        check_axis(wide[i], 1023);
        check_axis(wide[i], 4096);
    }
    CHECK_EQ_INT(n_max_taps, MB_MAX_TAPS);
}

/* An impulse leaves the product of the axes' weights in every texel that it reaches, and
 * nothing in others; the texel in a corner is also what lies beyond it. */
static void check_impulse(enum mb_policy policy, uint32_t at_x, uint32_t at_y)
{
    enum { WIDTH = 37, HEIGHT = 24, NEXT_WIDTH = 18, NEXT_HEIGHT = 12 };
    double *source = mb_alloc((size_t)WIDTH * HEIGHT * 4, sizeof *source);
    double *next = mb_alloc((size_t)NEXT_WIDTH * NEXT_HEIGHT * 4, sizeof *next);
    struct mb_err err = {0};
    source[(at_y * WIDTH + at_x) * 4 + 2] = 1.0;
    const struct mb_plane plane = {.extent = {WIDTH, HEIGHT}, .texels = source};
    CHECK_EQ_INT(
        mb_golden_level(&(struct mb_filter){.policy = policy}, &plane, next, NULL, &err),
        MB_OK);
    for (uint32_t i = 0; i < NEXT_WIDTH * NEXT_HEIGHT; i++) {
        const struct mb_taps x = mb_filter_taps(policy, WIDTH, i % NEXT_WIDTH);
        const struct mb_taps y = mb_filter_taps(policy, HEIGHT, i / NEXT_WIDTH);
        const bool is_under = at_x >= x.first && at_x < x.first + x.n_taps && at_y >= y.first &&
                              at_y < y.first + y.n_taps;
        const double want =
            is_under ? x.weight[at_x - x.first] * y.weight[at_y - y.first] : 0.0;
        CHECK_EQ_DBL(next[i * 4 + 2], want, 1e-16);
    }
    mb_free(next);
    mb_free(source);
}

static void check_impulses(void)
{
    for (size_t i = 0; i < MB_COUNTOF(wide); i++) {
        check_impulse(wide[i], 18, 11);
        check_impulse(wide[i], 0, 0);
        check_impulse(wide[i], 36, 22);
    }
}

/* At an edge the edge texel has the weights of all beyond it. */
static void check_edges(void)
{
    double weight[MB_MAX_FILTER_KERNEL_TAPS];
    const struct mb_taps taps = mb_filter_taps(MB_POLICY_KAISER, 64, 0);
    mb_filter_kernel_weights(MB_POLICY_KAISER, 64, 0, weight);
    CHECK_EQ_INT(taps.first, 0);
    CHECK_EQ_INT(taps.n_taps, 7);
    CHECK_EQ_DBL(taps.weight[0],
                 weight[0] + weight[1] + weight[2] + weight[3] + weight[4] + weight[5], 1e-16);
    CHECK_EQ_DBL(taps.weight[1], weight[6], 0.0);
    CHECK_EQ_DBL(taps.weight[6], weight[11], 0.0);
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
    CHECK_EQ_DBL(bound(MB_POLICY_KAISER, "rgba16f", 1.0, 1.0), 1.0 + 4 * 26 / 16384.0, 1e-12);
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

int main(void)
{
    return CHECK_TESTS(check_names, check_published, check_zeros, check_axes, check_impulses,
                       check_edges, check_held, check_bounds, check_kinds);
}
