/* The judge in every format, reduction and alpha mode: bounds, and errors measured on the scale
 * that the format stores. */
#include "chain_fixture.h"

#include "image/io/write.h"
#include "image/srgb.h"

static const struct mb_tolerance exact = {.max_error_lsb = 0.5};

static void check_right_chain(const char *spec, const char *format,
                              const struct mb_tolerance *tolerance)
{
    struct fixture f;
    setup(&f, spec, format, tolerance);
    const struct mb_verdict verdict = judge(&f);
    CHECK(verdict.pass && !verdict.first_bad.found);
    CHECK(verdict.max_error_lsb <=
          (tolerance->filter.reduce == MB_REDUCE_AVG ? 0.5 + 1e-9 : 1e-9));
    CHECK_EQ_INT(verdict.n_levels, f.layout.n_levels);
    CHECK_EQ_INT(verdict.level[f.layout.n_levels - 1].extent.width, 1);
    CHECK(isinf(verdict.level[0].psnr_db));
    teardown(&f);
}

/* Rounded golden chains pass by the tightest bound there is, whatever the filter and the levels
 * that are re-read. The last are large enough for several threads. */
static void check_right_chains(void)
{
    static const char *const specs[] = {"pattern:noise:37x23",  "pattern:impulse:5x64",
                                        "pattern:noise:64x64",  "pattern:noise:1x1",
                                        "pattern:noise:1x300",  "pattern:noise:127x129",
                                        "pattern:checker:33x17"};
    static const uint32_t rereads[] = {0, ~0u, 1u << 3, 1u << 1 | 1u << 4};
    const size_t n_filters = 3 * 3 * 2, n_kinds = mb_format_count * n_filters;
    for (size_t i = 0; i < n_kinds * MB_COUNTOF(specs) * MB_COUNTOF(rereads); i++) {
        const size_t f = i / mb_format_count % n_filters, k = i / n_kinds;
        const struct mb_tolerance tolerance = {
            .filter = {(enum mb_policy)(f % 3), (enum mb_reduce)(f / 3 % 3),
                       (enum mb_alpha)(f / 9)},
            .reread_levels = rereads[k % MB_COUNTOF(rereads)],
            .max_error_lsb = 0.5,
        };
        check_right_chain(specs[k / MB_COUNTOF(rereads)], mb_formats[i % mb_format_count].name,
                          &tolerance);
    }
    check_right_chain("pattern:noise:600x523", "rgba8",
                      &(struct mb_tolerance){.reread_levels = ~0u, .max_error_lsb = 0.5});
    check_right_chain("pattern:noise:600x523", "rgba16f", &(struct mb_tolerance){0});
}

/* Change texel (x, y) of a level to the neighbouring code of one channel. */
static void step_channel(struct fixture *f, uint32_t level, size_t texel, uint32_t channel,
                         int n_steps)
{
    const struct mb_format *format = f->layout.format;
    uint8_t *stored = level_of(f, level) + texel * format->texel_bytes;
    double rgba[4];
    mb_format_decode_coded(format, stored, 1, rgba);
    rgba[channel] += n_steps * mb_format_lsb(format, channel, rgba[channel]);
    if (format->codec == MB_CODEC_SRGB8 && channel < 3) {
        rgba[channel] = mb_srgb_to_linear(rgba[channel]);
    }
    for (uint32_t c = 0; c < 3 && format->codec == MB_CODEC_SRGB8; c++) {
        rgba[c] = c == channel ? rgba[c] : mb_srgb_to_linear(rgba[c]);
    }
    mb_format_encode(format, rgba, 1, stored);
}

/* Two steps of any channel of any format are found and named; one step where the answer is
 * exact; six of a 32-bit float, which may be 4 ulp off. */
static void check_steps(void)
{
    for (size_t i = 0; i < mb_format_count * 3; i++) {
        const struct mb_format *format = &mb_formats[i % mb_format_count];
        const enum mb_reduce reduce = (enum mb_reduce)(i / mb_format_count);
        const struct mb_tolerance tolerance = {.filter.reduce = reduce};
        const bool is_wide = format->codec == MB_CODEC_SFLOAT32;
        const int n_steps = reduce != MB_REDUCE_AVG ? 1 : is_wide ? 6 : 2;
        for (uint32_t channel = 0; channel < format->n_channels; channel++) {
            struct fixture f;
            setup(&f, "pattern:gradient:9x9", format->name, &tolerance);
            const double grey[4] = {0.3, 0.3, 0.3, 0.3};
            for (size_t t = 0; t < 9 * 9; t++) {
                mb_format_encode(format, grey, 1, f.source + t * format->texel_bytes);
            }
            use_source(&f);
            CHECK(judge(&f).pass);
            step_channel(&f, 1, 6, channel, n_steps);
            const struct mb_verdict verdict = judge(&f);
            CHECK(!verdict.pass);
            CHECK_EQ_INT(verdict.level[1].n_bad_texels, 1);
            CHECK_EQ_INT(verdict.first_bad.channel, channel);
            CHECK_EQ_INT(verdict.first_bad.x, 2);
            CHECK_EQ_INT(verdict.first_bad.y, 1);
            CHECK_EQ_DBL(verdict.max_error_lsb, n_steps, 1e-6);
            teardown(&f);
        }
    }
}

/* Averaged codes are wrong light: 128 where 188 belongs, and the error is in codes. */
static void check_averaged_codes(void)
{
    struct fixture f;
    setup(&f, "pattern:checker:8x8", "rgba8-srgb", &exact);
    CHECK_EQ_INT(level_of(&f, 1)[0], 188);
    level_of(&f, 1)[0] = 128;
    const struct mb_verdict verdict = judge(&f);
    CHECK(!verdict.pass);
    CHECK_EQ_DBL(verdict.first_bad.got, 128, 1e-9);
    CHECK_EQ_DBL(verdict.first_bad.want, 187.51603, 1e-5);
    CHECK_EQ_DBL(verdict.first_bad.error_lsb, 59.51603, 1e-5);
    CHECK_EQ_DBL(verdict.max_error_lsb, 59.51603, 1e-5);
    CHECK_EQ_DBL(verdict.drift_lsb, 59.51603, 1e-5);
    CHECK_EQ_DBL(verdict.box_lsb, 59.51603, 1e-5);

    uint8_t picture[4 * 4 * 4];
    mb_error_picture(f.layout.format, level_of(&f, 1), f.ideal.level[1],
                     (struct mb_extent){4, 4}, picture);
    CHECK_EQ_INT(picture[0], 255);
    CHECK_EQ_INT(picture[1], 15); /* 0.48 of a code, times 32 */
    teardown(&f);
}

/* A changed base of a packed format: the channel is found by value, not by byte. */
static void check_packed_base(void)
{
    static const struct {
        const char *format;
        uint32_t flip[4];
        uint32_t n_channels;
    } cases[] = {
        {"rgb10a2", {1u << 9, 1u << 10, 1u << 29, 1u << 31}, 4},
        {"rg11b10f", {1u << 7, 1u << 12, 1u << 28, 0}, 3},
        {"rgba8-srgb", {1u << 3, 1u << 11, 1u << 20, 1u << 30}, 4},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        for (uint32_t channel = 0; channel < cases[i].n_channels; channel++) {
            struct fixture f;
            setup(&f, "pattern:noise:5x5", cases[i].format, &(struct mb_tolerance){0});
            ((uint32_t *)(void *)f.output)[7] ^= cases[i].flip[channel];
            const struct mb_verdict verdict = judge(&f);
            CHECK(!verdict.pass);
            CHECK_EQ_INT(verdict.first_bad.level, 0);
            CHECK_EQ_INT(verdict.first_bad.x, 2);
            CHECK_EQ_INT(verdict.first_bad.y, 1);
            CHECK_EQ_INT(verdict.first_bad.channel, channel);
            teardown(&f);
        }
    }
}

static void check_bounds(void)
{
    const double half = 1.0 + 12 * 0x1p-13, small = 1.0 + 12 * 0x1p-17;
    const struct {
        const char *format;
        double fp32, fp16, filter; /* three levels carried, taps all alike */
    } cases[] = {
        {"rgba8", 0.51, 1.01, 1.0},
        {"r8", 0.51, 1.01, 1.0},
        {"rg8", 0.51, 1.01, 1.0},
        {"rgba8-srgb", 0.51, 1.01, 1.0},
        {"rgb10a2", 0.51, 1.01, 1.0},
        {"r16f", half, 13.0, half},
        {"rg16f", half, 13.0, half},
        {"rgba16f", half, 13.0, half},
        {"r32f", 12.0, 12 * 0x1p13, 12.0},
        {"rg32f", 12.0, 12 * 0x1p13, 12.0},
        {"rgba32f", 12.0, 12 * 0x1p13, 12.0},
        {"rg11b10f", small, 1.75, small},
    };
    CHECK_EQ_INT(MB_COUNTOF(cases), mb_format_count);
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct mb_format *format = mb_format_find(cases[i].format);
        const double want[] = {cases[i].fp32, cases[i].fp16, cases[i].filter,
                               mb_format_is_unorm(format) ? cases[i].filter + 0.51
                                                          : cases[i].fp16};
        static const enum mb_arithmetic kinds[] = {MB_ARITHMETIC_FP32, MB_ARITHMETIC_FP16,
                                                   MB_ARITHMETIC_FILTER,
                                                   MB_ARITHMETIC_FILTER_FP16};
        for (uint32_t k = 0; k < 4 * 4; k++) {
            struct mb_tolerance tolerance = {.arithmetic = kinds[k / 4],
                                             .sub_texel_precision_bits = 8};
            const bool is_decoded = format->codec == MB_CODEC_SRGB8 && k / 4 >= 2 && k % 4 < 3;
            const bool is_blue = format->codec == MB_CODEC_UFLOAT11_10 && k % 4 == 2;
            const bool is_half =
                kinds[k / 4] == MB_ARITHMETIC_FP16 || kinds[k / 4] == MB_ARITHMETIC_FILTER_FP16;
            CHECK_EQ_DBL(mb_tolerance_bound_lsb(&(struct mb_step){&tolerance, format, 3, 0},
                                                k % 4, 0.5, 0),
                         want[k / 4] + (is_decoded ? 1.1 : 0.0) -
                             (is_blue ? ldexp(6.0, is_half ? -4 : -17) : 0.0),
                         1e-15);
            tolerance.filter.reduce = MB_REDUCE_MAX;
            CHECK_EQ_DBL(mb_tolerance_bound_lsb(&(struct mb_step){&tolerance, format, 3, 2},
                                                k % 4, 0.5, 1),
                         0.0, 0.0);
            CHECK(!mb_tolerance_needs_range(&(struct mb_step){&tolerance, format, 3, 2}));
        }
    }
}

/* Quantised weights move linear light: what that is in codes depends on the curve. */
static void check_filter_bounds(void)
{
    const struct mb_tolerance tolerance = {.filter.policy = MB_POLICY_BLIT,
                                           .arithmetic = MB_ARITHMETIC_FILTER,
                                           .sub_texel_precision_bits = 8};
    const double half = mb_srgb_from_linear(0.5);
    const struct {
        const char *format;
        uint32_t channel;
        double weight_error, want, range, bound_lsb;
    } cases[] = {
        {"rgba8-srgb", 3, 1 / 256.0, 0.5, 1, 1 + 255 / 256.0},
        {"rgb10a2", 0, 1 / 256.0, 0.5, 1, 1 + 1023 / 256.0},
        {"rgb10a2", 3, 1 / 128.0, 0.5, 1, 1 + 6 / 256.0},
        /* At 0 only the way up is left, along the straight piece; at 1/2 the way down is
         * longer. */
        {"rgba8-srgb", 0, 1 / 256.0, 0.0, 0.5, 2.1 + 255 * 12.92 / 512},
        {"rgba8-srgb", 0, 1 / 256.0, 0.5, 1,
         2.1 + 255 * (half - mb_srgb_from_linear(0.5 - 1 / 256.0))},
        /* 2^-7 of a range of 1 over an ulp of 2^-5 */
        {"rg11b10f", 2, 1 / 128.0, 1.0, 1, 1 + 0.25 + 4 * 0x1p-18},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct mb_step step = {&tolerance, mb_format_find(cases[i].format), 1,
                                     cases[i].weight_error};
        CHECK_EQ_DBL(
            mb_tolerance_bound_lsb(&step, cases[i].channel, cases[i].want, cases[i].range),
            cases[i].bound_lsb, 1e-9);
    }
}

/* One wrong value of 16 in one channel: the other channels that a format lacks do not thin the
 * noise out, and their alpha of 1 is no peak. */
static void check_psnr(void)
{
    static const struct {
        const char *format;
        double want, psnr_db;
    } cases[] = {{"r8", 128 / 255.0, 20.0}, {"r32f", 0.5, 13.979400086720377}}; /* 100, 25 */
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct fixture f;
        double texel[4] = {cases[i].want};
        setup(&f, "pattern:flat:4x4", cases[i].format, &(struct mb_tolerance){0});
        for (size_t k = 0; k < 16; k++) {
            mb_format_encode(f.layout.format, texel, 1,
                             f.source + k * f.layout.format->texel_bytes);
        }
        use_source(&f);
        CHECK(isinf(judge(&f).level[0].psnr_db));
        texel[0] += 0.4;
        mb_format_encode(f.layout.format, texel, 1, level_of(&f, 0));
        const struct mb_verdict verdict = judge(&f);
        CHECK_EQ_DBL(verdict.level[0].psnr_db, cases[i].psnr_db, 1e-6);
        if (i == 0) {
            CHECK_EQ_DBL(verdict.level[0].max_error_lsb, 102.0, 1e-9);
        }
        teardown(&f);
    }
}

/* The least plain number that nothing can break. */
static void check_void(void)
{
    static const struct {
        const char *format;
        double bound;
    } cases[] = {{"rgba8", 255.0},    {"rgba8-srgb", 255.0}, {"rgb10a2", 1023.0},
                 {"rgba16f", 2047.0}, {"r32f", 0x1p24 - 1},  {"rg11b10f", 127.0}};
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct mb_format *format = mb_format_find(cases[i].format);
        struct mb_tolerance tolerance = {.max_error_lsb = cases[i].bound};
        CHECK(mb_tolerance_is_void(&tolerance, format));
        tolerance.max_error_lsb *= 0.999;
        CHECK(!mb_tolerance_is_void(&tolerance, format));
        tolerance.max_error_lsb = 0.0;
        CHECK(!mb_tolerance_is_void(&tolerance, format));
    }
}

int main(void)
{
    return CHECK_TESTS(check_right_chains, check_steps, check_averaged_codes, check_packed_base,
                       check_void, check_bounds, check_filter_bounds, check_psnr);
}
