/* What is granted to numbers that are not ordinary, and what is not. */
#include <math.h>

#include "chain_fixture.h"
#include "image/tolerance.h"

static void check_due(void)
{
    static const struct {
        const char *format;
        double value;
        bool is_due;
    } cases[] = {

        {"r16f", 0.0, false},      {"r16f", -0.0, false},        {"r16f", 0.5, false},
        {"r16f", 65504.0, false},  {"r16f", -0.5, true},         {"r16f", 6e-5, true},
        {"r16f", 6.2e-5, false},   {"rg16f", INFINITY, true},    {"rgba16f", NAN, true},
        {"r32f", 1e-37, false},    {"r32f", 1e-38, true},        {"r32f", -1e-37, true},
        {"r32f", -0.0, false},     {"rgba32f", INFINITY, true},  {"rgba32f", NAN, true},
        {"rgba32f", 3e38, true},   {"rg11b10f", -1.0, false},    {"rg11b10f", 6e-5, true},
        {"rg11b10f", 1.0, false},  {"rg11b10f", INFINITY, true}, {"rg11b10f", NAN, true},
        {"rg32f", INFINITY, true}, {"rg32f", 1e-38, true},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct mb_format *format = mb_format_find(cases[i].format);
        for (uint32_t channel = 0; channel < format->n_channels; channel++) {
            double rgba[8] = {0};
            uint32_t texels[8] = {0};
            rgba[4 + channel] = cases[i].value;
            mb_format_encode(format, rgba, 2, texels);
            mb_format_decode(format, texels, 2, rgba);
            CHECK_EQ_INT(mb_doubt_is_due(format, rgba, 8), cases[i].is_due);
            CHECK(!mb_doubt_is_due(format, rgba, 4));
        }
    }
}

/* The pattern in every float format: what rounds the golden chain passes. */
static void check_right_chains(void)
{
    static const struct mb_filter kinds[] = {
        {.reduce = MB_REDUCE_AVG},
        {.reduce = MB_REDUCE_MIN},
        {.reduce = MB_REDUCE_MAX},
        {.reduce = MB_REDUCE_AVG, .alpha = MB_ALPHA_PREMULTIPLIED},
    };
    const size_t n_kinds = MB_COUNTOF(kinds);
    for (size_t i = 0; i < mb_format_count * n_kinds * 3 * 2; i++) {
        const struct mb_format *format = &mb_formats[i % mb_format_count];
        struct mb_tolerance tolerance = {.filter = kinds[i / mb_format_count % n_kinds]};
        struct fixture f;
        tolerance.filter.policy = (enum mb_policy)(i / mb_format_count / n_kinds % 3);
        tolerance.reread_levels = i < mb_format_count * n_kinds * 3 ? 0 : ~0u;
        if (mb_format_is_unorm(format)) {
            continue;
        }
        setup(&f, "pattern:signed:67x52", format->name, &tolerance);
        const struct mb_verdict verdict = judge(&f);
        CHECK(verdict.pass);
        CHECK(verdict.max_error_lsb <= 0.5 + 1e-9);
        teardown(&f);
    }
}

#define FILTER   MB_ARITHMETIC_FILTER
#define BIG      5e37
#define LONE     1e-20 /* lost beside a 1 */
#define DENORMAL 1e-40
#define INF      ((double)INFINITY)
#define NOT      ((double)NAN)

/* 2x2 texels, what became of them, and whether that is right. */
static const struct quad {
    const char *format;
    enum mb_reduce reduce;
    enum mb_arithmetic arithmetic;
    double texel[4], got;
    bool is_right;
} quads[] = {
    /* A mean of both signs keeps what its terms lose; one of positive numbers does not. */
    {"r32f", MB_REDUCE_AVG, 0, {BIG, -BIG, 1.0, 0.0}, 0.25, true},
    {"r32f", MB_REDUCE_AVG, 0, {BIG, -BIG, 1.0, 0.0}, 0.0, true},
    {"r32f", MB_REDUCE_AVG, 0, {BIG, -BIG, 1.0, 0.0}, 1e33, false},
    {"r32f", MB_REDUCE_AVG, 0, {1.0, -1.0, LONE, 0.0}, 0.0, true},
    {"r32f", MB_REDUCE_AVG, 0, {1.0, -1.0, LONE, 0.0}, 1e-5, false},
    {"r32f", MB_REDUCE_AVG, 0, {1.0, 1.0, 1.0, 1.0}, 1.0 + 0x1p-20, false},
    {"r16f", MB_REDUCE_AVG, 0, {60000.0, -60000.0, 1e-3, 0.0}, 1e-3, true},
    {"r16f", MB_REDUCE_AVG, 0, {60000.0, -60000.0, 1e-3, 0.0}, 1.0, false},
    {"r16f", MB_REDUCE_AVG, 0, {-1.0, -1.0, -1.0, -1.0}, 1.0, false},
    /* Denormals may be zero, and nothing else may. */
    {"r32f", MB_REDUCE_AVG, 0, {DENORMAL, DENORMAL, DENORMAL, DENORMAL}, DENORMAL, true},
    {"r32f", MB_REDUCE_AVG, 0, {DENORMAL, DENORMAL, DENORMAL, DENORMAL}, 0.0, true},
    {"r32f", MB_REDUCE_AVG, 0, {DENORMAL, DENORMAL, DENORMAL, DENORMAL}, 1e-36, false},
    {"r32f", MB_REDUCE_AVG, 0, {-1e-30, -1e-30, -1e-30, -1e-30}, 0.0, false},
    {"r32f", MB_REDUCE_MIN, 0, {DENORMAL, 1.0, 1.0, 1.0}, 0.0, true},
    {"r32f", MB_REDUCE_MIN, 0, {DENORMAL, 1.0, 1.0, 1.0}, 1e-36, false},
    {"r32f", MB_REDUCE_MIN, 0, {-1.0, -2.0, 1.0, 2.0}, -2.0, true},
    {"r32f", MB_REDUCE_MIN, 0, {-1.0, -2.0, 1.0, 2.0}, -1.0, false},
    {"r32f", MB_REDUCE_MAX, 0, {-1.0, -2.0, -3.0, -4.0}, -2.0, false},
    {"r32f", MB_REDUCE_MAX, 0, {-0.0, -0.0, -0.0, 0.0}, -0.0, true},
    {"r16f", MB_REDUCE_AVG, 0, {1e-6, 1e-6, 1e-6, 1e-6}, 0.0, true},
    {"r16f", MB_REDUCE_AVG, 0, {1e-6, 1e-6, 1e-6, 1e-6}, 1e-3, false},
    {"r16f", MB_REDUCE_AVG, 0, {-1e-3, -1e-3, -1e-3, -1e-3}, 0.0, false},
    {"r16f", MB_REDUCE_MAX, 0, {-1e-6, -1e-6, -1.0, -1.0}, 0.0, true},
    {"r16f", MB_REDUCE_MAX, 0, {-1e-3, -1e-3, -1.0, -1.0}, 0.0, false},
    /* Means keep infinities and NaN; a filter may make the one into the other. */
    {"r32f", MB_REDUCE_AVG, 0, {INF, 1.0, 2.0, 3.0}, INF, true},
    {"r32f", MB_REDUCE_AVG, 0, {INF, 1.0, 2.0, 3.0}, NOT, false},
    {"r32f", MB_REDUCE_AVG, FILTER, {INF, 1.0, 2.0, 3.0}, NOT, true},
    {"r32f", MB_REDUCE_AVG, 0, {INF, 1.0, 2.0, 3.0}, 1.0, false},
    {"r32f", MB_REDUCE_AVG, 0, {INF, -INF, 2.0, 3.0}, NOT, true},
    {"r32f", MB_REDUCE_AVG, 0, {INF, -INF, 2.0, 3.0}, INF, false},
    {"r16f", MB_REDUCE_AVG, 0, {NOT, 1.0, 2.0, 3.0}, NOT, true},
    {"r16f", MB_REDUCE_AVG, 0, {NOT, 1.0, 2.0, 3.0}, 2.0, false},
    {"r16f", MB_REDUCE_MIN, 0, {-INF, 1.0, 2.0, 3.0}, -INF, true},
    {"r16f", MB_REDUCE_MIN, 0, {-INF, 1.0, 2.0, 3.0}, 1.0, false},
    /* Beside NaN an extreme may be any operand. */
    {"r32f", MB_REDUCE_MAX, 0, {NOT, 1.0, 2.0, 3.0}, 3.0, true},
    {"r32f", MB_REDUCE_MAX, 0, {NOT, 1.0, 2.0, 3.0}, NOT, true},
    {"r32f", MB_REDUCE_MAX, 0, {NOT, 1.0, 2.0, 3.0}, 1.0, true},
    {"r32f", MB_REDUCE_MAX, 0, {NOT, -1.0, -2.0, -3.0}, 0.0, false},
    {"r32f", MB_REDUCE_MAX, 0, {NOT, -1.0, -2.0, -3.0}, INF, false},
    {"r32f", MB_REDUCE_MAX, 0, {NOT, -DENORMAL, -2.0, -3.0}, 0.0, true},
    {"r16f", MB_REDUCE_MIN, 0, {NOT, 1.0, 2.0, 3.0}, 0.0, false},
    {"r16f", MB_REDUCE_MIN, 0, {NOT, NOT, NOT, NOT}, NOT, true},
    {"r32f", MB_REDUCE_MAX, 0, {-1.0, 1.0, 2.0, 3.0}, NOT, false},
    /* Sums may overflow where the numbers are that large. */
    {"r32f", MB_REDUCE_AVG, 0, {-3e38, -3e38, -3e38, -3e38}, -INF, true},
    {"r32f", MB_REDUCE_AVG, 0, {-3e38, -3e38, -3e38, -3e38}, -3e38, true},
    {"r32f", MB_REDUCE_AVG, 0, {-1e36, -1e36, -1e36, -1e36}, -INF, false},
};

/* Held to a strict tolerance: neither NaN beside numbers nor large ones are an excuse. */
static const struct quad strict_quads[] = {
    {"r32f", MB_REDUCE_MAX, 0, {NOT, 1.0, 2.0, 3.0}, 3.0, true},
    {"r32f", MB_REDUCE_MAX, 0, {NOT, 1.0, 2.0, 3.0}, NOT, false},
    {"r32f", MB_REDUCE_MAX, 0, {NOT, 1.0, 2.0, 3.0}, 2.0, false},
    {"r16f", MB_REDUCE_MIN, 0, {1.0, NOT, NOT, NOT}, 1.0, true},
    {"r16f", MB_REDUCE_MIN, 0, {NOT, NOT, NOT, NOT}, NOT, true},
    {"r16f", MB_REDUCE_MIN, 0, {NOT, NOT, NOT, NOT}, 1.0, false},
    {"r32f", MB_REDUCE_AVG, 0, {-3e38, -3e38, -3e38, -3e38}, -INF, false},
    {"r32f", MB_REDUCE_AVG, 0, {-3e38, -3e38, -3e38, -3e38}, -3e38, true},
    {"r32f", MB_REDUCE_AVG, 0, {INF, 1.0, 2.0, 3.0}, INF, true},
    {"r32f", MB_REDUCE_AVG, 0, {DENORMAL, DENORMAL, DENORMAL, DENORMAL}, 0.0, true},
};

static void check_quads_of(const struct quad *quad, size_t n, bool is_strict)
{
    for (; n > 0; n--, quad++) {
        double rgba[16] = {0}, got[4] = {0};
        struct fixture f;
        const struct mb_tolerance tolerance = {.filter.reduce = quad->reduce,
                                               .arithmetic = quad->arithmetic,
                                               .is_strict = is_strict,
                                               .sub_texel_precision_bits = 8};
        setup(&f, "pattern:flat:2x2", quad->format, &tolerance);
        for (size_t texel = 0; texel < 4; texel++) {
            rgba[texel * 4] = quad->texel[texel];
        }
        got[0] = quad->got;
        mb_format_encode(f.layout.format, rgba, 4, f.source);
        use_source(&f);
        mb_format_encode(f.layout.format, got, 1, level_of(&f, 1));
        const bool is_right = judge(&f).pass;
        CHECK_EQ_INT(is_right, quad->is_right);
        if (is_right != quad->is_right) {
            fprintf(stderr, "of %g %g %g %g: %g\n", quad->texel[0], quad->texel[1],
                    quad->texel[2], quad->texel[3], quad->got);
        }
        teardown(&f);
    }
}

static void check_quads(void)
{
    check_quads_of(quads, MB_COUNTOF(quads), false);
    check_quads_of(strict_quads, MB_COUNTOF(strict_quads), true);
}

/* Colour weighted by alpha: doubts are weighted likewise, alpha is in none. */
static void check_weighed(void)
{
    struct fixture f;
    const struct mb_tolerance tolerance = {.filter.alpha = MB_ALPHA_PREMULTIPLIED};
    const double right[4] = {-4.0, 0.0, 0.0, 0.5};
    const double off[4] = {-4.0 + 1e-5, 0.0, 0.0, 0.5}, far[4] = {-4.0 + 1e-2, 0.0, 0.0, 0.5};
    const double clear[4] = {-4.0, 0.0, 0.0, 0.5 + 1e-5};
    const double rgba[16] = {96.0, 0, 0, 1.0, -104.0, 0, 0, 1.0, /* alike beside them */
                             1e30, 0, 0, 0.0, 0.0,    0, 0, 0.0};
    setup(&f, "pattern:flat:2x2", "rgba32f", &tolerance);
    mb_format_encode(f.layout.format, rgba, 4, f.source);
    use_source(&f);
    mb_format_encode(f.layout.format, right, 1, level_of(&f, 1));
    CHECK(judge(&f).pass);
    mb_format_encode(f.layout.format, off, 1, level_of(&f, 1));
    CHECK(judge(&f).pass);
    mb_format_encode(f.layout.format, far, 1, level_of(&f, 1));
    CHECK(!judge(&f).pass);
    mb_format_encode(f.layout.format, clear, 1, level_of(&f, 1));
    CHECK(!judge(&f).pass);
    teardown(&f);
}

/* A level that nothing was stored of, 2x1025, overflows where it is summed up by weights that
 * add up to 1025, as large as its values are. */
static void check_carried(void)
{
    static const struct {
        double value;
        bool may_overflow;
    } cases[] = {{9e35, true}, {-9e35, true}, {1e34, false}, {-1e34, false}};
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct fixture f;
        setup(&f, "pattern:flat:4x2050", "r32f", &(struct mb_tolerance){0});
        float *source = (float *)f.source;
        for (size_t texel = 0; texel < 4 * 2050; texel++) {
            source[texel] = (float)cases[i].value;
        }
        use_source(&f);
        CHECK(judge(&f).pass);
        float *at = (float *)level_of(&f, 2);
        *at = copysignf(INFINITY, *at);
        CHECK_EQ_INT(judge(&f).pass, cases[i].may_overflow);
        teardown(&f);
    }
}

/* One negative texel is no licence for those that it does not reach. */
static void check_elsewhere(void)
{
    double error_lsb[2];
    for (int has_negative = 0; has_negative < 2; has_negative++) {
        struct fixture f;
        setup(&f, "pattern:noise:67x45", "r32f", &(struct mb_tolerance){.reread_levels = ~0u});
        float *source = (float *)f.source;
        source[67 * 45 - 1] = has_negative ? -0.001f : 0.001f;
        use_source(&f);
        float *at = (float *)level_of(&f, 1);
        *at *= 1.0f + 0x1p-20f;
        error_lsb[has_negative] = judge(&f).max_error_lsb;
        CHECK(!judge(&f).pass);
        teardown(&f);
    }
    CHECK(error_lsb[0] > 7.0);
    CHECK_EQ_DBL(error_lsb[0], error_lsb[1], 1e-6);
}

static void check_no_memory(void)
{
    struct fixture f;
    setup(&f, "pattern:signed:9x9", "rgba32f",
          &(struct mb_tolerance){.arithmetic = FILTER, .filter.policy = MB_POLICY_BLIT});
    struct mb_judged_chain chain = chain_of(&f);
    CHECK(check_each_allocation(compare_chain, &chain) > 0);
    teardown(&f);
}

int main(void)
{
    return CHECK_TESTS(check_due, check_right_chains, check_quads, check_weighed, check_carried,
                       check_elsewhere, check_no_memory);
}
