/* The judge: each planted defect is found and named. Right chains are test_judge.c's part. */
#include "chain_fixture.h"
#include "image/io/write.h"

static void check_bad(const struct fixture *f, uint32_t level, uint32_t x, uint32_t y,
                      uint32_t channel, uint64_t n_bad)
{
    const struct mb_verdict verdict = judge(f);
    CHECK(!verdict.pass);
    CHECK(verdict.first_bad.found);
    CHECK_EQ_INT(verdict.first_bad.level, level);
    CHECK_EQ_INT(verdict.first_bad.x, x);
    CHECK_EQ_INT(verdict.first_bad.y, y);
    CHECK_EQ_INT(verdict.first_bad.channel, channel);
    CHECK_EQ_INT(verdict.level[level].n_bad_texels, n_bad);
    CHECK(level == 0 || verdict.first_bad.error_lsb > verdict.first_bad.bound_lsb);
}

static void check_wrong_texel(void)
{
    const struct mb_tolerance tolerances[] = {{.reread_levels = 0}, {.reread_levels = ~0u}};
    for (size_t i = 0; i < MB_COUNTOF(tolerances); i++) {
        struct fixture f;
        setup(&f, "pattern:gradient:100x75", "rgba8", &tolerances[i]);
        uint8_t *channel = level_of(&f, 2) + (7 * 25 + 11) * 4 + 2;
        const uint8_t right = *channel;
        *channel = (uint8_t)(right ^ 64);
        check_bad(&f, 2, 11, 7, 2, 1);
        const struct mb_verdict verdict = judge(&f);
        CHECK_EQ_DBL(verdict.first_bad.got, right ^ 64, 1e-12);
        CHECK_EQ_DBL(verdict.first_bad.want, right, 0.5001);
        const struct mb_text text = mb_bad_texel_describe(&verdict.first_bad, f.layout.format);
        CHECK(strstr(text.s, "level 2 (11, 7) b: ") == text.s);
        teardown(&f);
    }
}

/* One LSB too much everywhere, and the half LSB of rounding up what should be rounded down. */
static void check_bias(void)
{
    struct fixture f;
    setup(&f, "pattern:flat:32x32", "rgba8", &(struct mb_tolerance){.reread_levels = 0});
    for (size_t i = 0; i < f.layout.level_layer_bytes[3]; i++) {
        level_of(&f, 3)[i]++;
    }
    check_bad(&f, 3, 0, 0, 0, 16);
    teardown(&f);

    setup(&f, "pattern:noise:64x64", "rgba8", &(struct mb_tolerance){.reread_levels = 0});
    const double *golden = f.ideal.level[1];
    for (size_t i = 0; i < f.layout.level_layer_bytes[1]; i++) {
        level_of(&f, 1)[i] = (uint8_t)ceil(golden[i] * 255.0 - 1e-9);
    }
    const struct mb_verdict verdict = judge(&f);
    CHECK(!verdict.pass);
    CHECK_EQ_DBL(verdict.level[1].max_error_lsb, 0.75, 1e-9); /* sums of four: quarters */
    f.tolerance.arithmetic = MB_ARITHMETIC_FILTER;
    CHECK(judge(&f).pass);
    f.tolerance.arithmetic = MB_ARITHMETIC_FP16;
    CHECK(judge(&f).pass);
    f.tolerance.max_error_lsb = 0.6;
    CHECK(!judge(&f).pass);
    teardown(&f);
}

static void check_unwritten_and_swapped(void)
{
    struct fixture f;
    setup(&f, "pattern:noise:65x33", "rgba8", &(struct mb_tolerance){.reread_levels = 1u << 2});
    /* An unwritten texel holds one of two poisons; at least one must be found out. */
    unsigned n_found = 0;
    for (int poison = 0; poison < 2; poison++) {
        memset(level_of(&f, 1) + (15 * 32 + 31) * 4, poison == 0 ? 0x5a : 0xc3, 4);
        n_found += !judge(&f).pass;
    }
    CHECK(n_found >= 1);
    fill_output(&f);
    uint8_t *texels = level_of(&f, 3);
    for (size_t i = 0; i < f.layout.level_layer_bytes[3]; i += 4) {
        const uint8_t red = texels[i];
        texels[i] = texels[i + 2];
        texels[i + 2] = red;
    }
    const struct mb_verdict verdict = judge(&f);
    CHECK(!verdict.pass);
    CHECK_EQ_INT(verdict.first_bad.level, 3);
    CHECK(verdict.level[3].n_bad_texels > 16);
    teardown(&f);
}

static void check_changed_base(void)
{
    struct fixture f;
    setup(&f, "pattern:noise:9x9", "rgba8", &(struct mb_tolerance){.reread_levels = 0});
    level_of(&f, 0)[(4 * 9 + 3) * 4 + 1] ^= 1;
    check_bad(&f, 0, 3, 4, 1, 1);
    const struct mb_verdict verdict = judge(&f);
    CHECK_EQ_DBL(verdict.level[0].max_error_lsb, 1.0, 1e-9);
    CHECK_EQ_STR(strchr(mb_failure_describe(&verdict, f.layout.format).s, ';'),
                 "; 1 texel wrong, worst 1 LSB, allowed 0");
    teardown(&f);

    setup(&f, "pattern:checker:4x4", "rgba32f", &(struct mb_tolerance){.reread_levels = 0});
    level_of(&f, 0)[3] = 0x80; /* 0 to -0: equal in value, not in bits */
    check_bad(&f, 0, 0, 0, 0, 1);
    teardown(&f);
}

static void check_nan(void)
{
    static const char *const formats[] = {"rgba16f", "rgba32f"};
    for (size_t i = 0; i < MB_COUNTOF(formats); i++) {
        struct fixture f;
        setup(&f, "pattern:noise:16x16", formats[i],
              &(struct mb_tolerance){.reread_levels = 0});
        const double nans[4] = {NAN, NAN, NAN, NAN};
        mb_format_encode(f.layout.format, nans, 1,
                         level_of(&f, 1) + 9 * f.layout.format->texel_bytes);
        check_bad(&f, 1, 1, 1, 0, 1);
        CHECK(isinf(judge(&f).max_error_lsb));

        /* What the source itself holds is no fault of the output. */
        mb_format_encode(f.layout.format, nans, 1, f.source);
        use_source(&f);
        CHECK(judge(&f).pass);
        teardown(&f);
    }
}

/* Re-reading: a wrong level that is re-read does not spoil the ones below it; the drift does
 * see it. Not re-read, every level stands for itself. */
static void check_restart(void)
{
    struct fixture f;
    setup(&f, "pattern:noise:64x64", "rgba8", &(struct mb_tolerance){.reread_levels = ~0u});
    memset(level_of(&f, 2), 0, f.layout.level_layer_bytes[2]);
    for (uint32_t level = 3; level < f.layout.n_levels; level++) {
        memset(level_of(&f, level), 0, f.layout.level_layer_bytes[level]);
    }
    const struct mb_verdict verdict = judge(&f);
    CHECK(!verdict.pass);
    CHECK_EQ_INT(verdict.first_bad.level, 2);
    CHECK_EQ_DBL(verdict.level[3].max_error_lsb, 0.0, 1e-12);
    CHECK(verdict.level[3].drift_lsb > 64);
    CHECK_EQ_INT(verdict.level[3].n_bad_texels, 0);
    f.tolerance.reread_levels = 0;
    CHECK(judge(&f).level[3].n_bad_texels == 64);
    teardown(&f);
}

/* Sums start anew where a level is re-read: 6 ulp are too much there, and not where three
 * levels were carried. */
static void check_carried(void)
{
    for (int is_reread = 0; is_reread < 2; is_reread++) {
        struct fixture f;
        uint32_t bits;
        setup(&f, "pattern:noise:16x16", "r32f",
              &(struct mb_tolerance){.reread_levels = is_reread ? ~0u : 0});
        uint8_t *texel = level_of(&f, 3) + 4;
        memcpy(&bits, texel, sizeof bits);
        bits += 6;
        memcpy(texel, &bits, sizeof bits);
        CHECK_EQ_INT(judge(&f).level[3].n_bad_texels, is_reread);
        teardown(&f);
    }
}

static void check_quality_figures(void)
{
    struct fixture f;
    setup(&f, "pattern:noise:65x65", "rgba8",
          &(struct mb_tolerance){.filter.policy = MB_POLICY_FLOOR, .reread_levels = ~0u});
    const struct mb_verdict verdict = judge(&f);
    CHECK(verdict.pass);
    CHECK(verdict.drift_lsb > 0.5 && verdict.drift_lsb < 2.0);
    CHECK(verdict.box_lsb > 2.0);
    CHECK(verdict.level[1].psnr_db > 55.0 && verdict.level[1].psnr_db < 62.0);
    teardown(&f);
}

/* Of floats, distances are on the scale of what a level is made of: a texel of 0, or one whose
 * terms cancel, has an ulp that says nothing. The whole scale is 2^24 ulp at most. */
static void check_float_scale(void)
{
    struct fixture f;
    setup(
        &f, "pattern:noise:65x33", "r32f",
        &(struct mb_tolerance){.filter = {.policy = MB_POLICY_FLOOR, .reduce = MB_REDUCE_MIN}});
    /* One that is seen, and one in the last row and column, which are dropped. */
    memset(f.source, 0, 4);
    memset(f.source + (33 * 65 - 1) * sizeof(float), 0, 4);
    use_source(&f);
    struct mb_verdict verdict = judge(&f);
    CHECK(verdict.pass);
    CHECK_EQ_DBL(verdict.drift_lsb, 0.0, 0.0);
    CHECK(verdict.box_lsb > 1e3 && verdict.box_lsb <= 0x1p24);
    teardown(&f);

    /* 1 and -1 - 2^-23 leave -2^-24: stored as 0 it is off by half an ulp of 1. */
    setup(&f, "pattern:noise:2x1", "r32f", &(struct mb_tolerance){.max_error_lsb = 0.5});
    memcpy(f.source, (const float[2]){1.0f, -1.0f - 0x1p-23f}, 8);
    use_source(&f);
    memset(level_of(&f, 1), 0, 4);
    verdict = judge(&f);
    CHECK_EQ_DBL(verdict.level[1].drift_lsb, 0.5, 1e-12);
    CHECK_EQ_DBL(verdict.box_lsb, 0.5, 1e-12);

    /* Nothing finite can be said of NaN. */
    memcpy(level_of(&f, 1), (const float[1]){NAN}, 4);
    CHECK(isinf(judge(&f).level[1].drift_lsb));
    teardown(&f);
}

static void check_bounds(void)
{
    const struct mb_tolerance fp32 = {.arithmetic = MB_ARITHMETIC_FP32};
    const struct mb_tolerance weighted = {.filter.alpha = MB_ALPHA_PREMULTIPLIED};
    const struct mb_tolerance plain = {.max_error_lsb = 0.7};
    const struct mb_tolerance filter = {.arithmetic = MB_ARITHMETIC_FILTER,
                                        .sub_texel_precision_bits = 8};
    struct mb_tolerance blit = filter, corner = filter;
    blit.filter.policy = corner.filter.policy = MB_POLICY_BLIT;
    corner.arithmetic = MB_ARITHMETIC_CORNER;
    const struct {
        const struct mb_tolerance *tolerance;
        const char *format;
        uint32_t n_carried, channel;
        double weight_error, want, range, bound_lsb;
    } cases[] = {
        {&fp32, "rgba8", 3, 0, 0, 0.5, 0, 0.51},
        {&fp32, "rgba16f", 3, 0, 0, 0.5, 0, 1.0 + 12 * 0x1p-13},
        {&fp32, "rgba32f", 3, 0, 0, 0.5, 0, 12.0},
        {&weighted, "rgba32f", 3, 2, 0, 0.5, 0, 24.0},
        {&weighted, "rgba32f", 3, 3, 0, 0.5, 0, 12.0},
        {&weighted, "rgba16f", 3, 0, 0, 0.5, 0, 1.0 + 24 * 0x1p-13},
        /* A plain number holds whatever the arithmetic. */
        {&plain, "rgba8", 1, 0, 0, 0.5, 0, 0.7},
        {&plain, "rgba32f", 3, 0, 0, 0.5, 0, 0.7},
        {&filter, "rgba8", 1, 0, 0, 0.5, 1, 1.0},
        /* 8 bits of weight move a full range of 255 codes by 255/256 of a code per odd axis. */
        {&blit, "rgba8", 1, 0, 1 / 256.0, 0.5, 1, 1.0 + 255.0 / 256},
        /* 2^-7 of a range of 1 is 2^-7 / 2^-10 = 8 ulp of half at 1.0 */
        {&blit, "rgba16f", 1, 0, 1 / 128.0, 1.0, 1, 9.0 + 4 * 0x1p-13},
        {&blit, "rgba16f", 1, 0, 1 / 128.0, 1.0, HUGE_VAL, 1.0 + 4 * 0x1p-13},
        /* A corner is exact but for its coordinate, and dark texels have no room to be off. */
        {&corner, "rgba8", 1, 0, 1 / 256.0, 0.5, 1, 0.51 + 255.0 / 256},
        {&corner, "rgba8", 1, 0, 1 / 256.0, 0.0, 1, 0.51},
        {&corner, "rgba16f", 2, 0, 1 / 1024.0, 1.0, 0.5, 5.0 + 8 * 0x1p-13},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct mb_step step = {cases[i].tolerance, mb_format_find(cases[i].format),
                                     cases[i].n_carried, cases[i].weight_error};
        CHECK_EQ_DBL(
            mb_tolerance_bound_lsb(&step, cases[i].channel, cases[i].want, cases[i].range),
            cases[i].bound_lsb, 1e-12);
    }
}

static void check_weight_errors(void)
{
    const struct mb_format *rgba8 = mb_format_find("rgba8");
    const struct mb_format *r32f = mb_format_find("r32f");
    struct mb_tolerance tolerance = {.filter.policy = MB_POLICY_BLIT,
                                     .arithmetic = MB_ARITHMETIC_FILTER,
                                     .sub_texel_precision_bits = 8};
    const double step = 1 / 256.0, ulp = ldexp(1.0, -24);
    const struct {
        struct mb_extent source;
        double by_blit, by_floor;
    } cases[] = {
        {{4, 8}, 0.0, 0.0},
        {{1, 6}, 6 * ulp, 6 * ulp},
        {{1, 7}, 1.5 * step + 7 * ulp, 7 * ulp},
        {{4, 7}, 2.5 * step + 7 * ulp, 7 * ulp},
        {{5, 7}, 3 * step + 12 * ulp, 12 * ulp},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tolerance.arithmetic = MB_ARITHMETIC_FILTER;
        tolerance.filter.policy = MB_POLICY_BLIT;
        CHECK_EQ_DBL(mb_tolerance_weight_error(&tolerance, rgba8, cases[i].source),
                     cases[i].by_blit, 1e-18);
        tolerance.filter.policy = MB_POLICY_FLOOR;
        CHECK_EQ_DBL(mb_tolerance_weight_error(&tolerance, rgba8, cases[i].source),
                     cases[i].by_floor, 1e-18);
        tolerance.arithmetic = MB_ARITHMETIC_CORNER;
        CHECK_EQ_DBL(mb_tolerance_weight_error(&tolerance, rgba8, cases[i].source),
                     cases[i].by_floor, 1e-18);
        CHECK_EQ_DBL(mb_tolerance_weight_error(&tolerance, r32f, cases[i].source),
                     2 * cases[i].by_floor, 1e-18);
        tolerance.arithmetic = MB_ARITHMETIC_FP32;
        CHECK_EQ_DBL(mb_tolerance_weight_error(&tolerance, rgba8, cases[i].source), 0.0, 0.0);
    }
}

/* A filter with weights a little off passes on floats only where the texels differ. */
static void check_filter_range(void)
{
    struct fixture f;
    setup(&f, "pattern:noise:33x33", "rgba32f",
          &(struct mb_tolerance){.filter.policy = MB_POLICY_BLIT,
                                 .arithmetic = MB_ARITHMETIC_FILTER,
                                 .sub_texel_precision_bits = 8});
    CHECK(judge(&f).pass);
    float *texels = (float *)(void *)level_of(&f, 1);
    for (size_t i = 0; i < 16 * 16 * 4; i++) {
        texels[i] += 1e-4f;
    }
    CHECK(judge(&f).pass);
    f.tolerance.arithmetic = MB_ARITHMETIC_FP32;
    CHECK(!judge(&f).pass);
    teardown(&f);
}

static void check_layers(void)
{
    struct fixture f;
    struct mb_err err = {0};
    struct mb_verdict verdict = {0};
    setup(&f, "pattern:noise:16x16", "rgba8", &(struct mb_tolerance){.reread_levels = ~0u});
    struct mb_layout layout;
    mb_layout_init(&layout, f.layout.format, f.layout.base, 2, f.layout.n_levels);
    uint8_t *block = mb_alloc(layout.total_bytes, 1);
    for (uint32_t i = 0; i < layout.n_levels * 2; i++) {
        const size_t n_bytes = layout.level_layer_bytes[i / 2];
        memcpy(block + layout.level_offset_bytes[i / 2] + n_bytes * (i % 2),
               level_of(&f, i / 2), n_bytes);
    }
    uint8_t *bad = block + layout.level_offset_bytes[2] + layout.level_layer_bytes[2];
    bad[3] ^= 128;
    double first_psnr_db[3] = {0.0};
    struct mb_judged_chain chain = chain_of(&f);
    chain.layout = &layout;
    chain.output = block;
    for (uint32_t layer = 0; layer < 2; layer++) {
        for (uint32_t level = 1; level < 3; level++) {
            first_psnr_db[level] = verdict.level[level].psnr_db;
        }
        chain.layer = layer;
        must(mb_compare_chain(&chain, &verdict, &err), &err);
        CHECK_EQ_INT(verdict.pass, layer == 0);
    }
    CHECK_EQ_INT(verdict.first_bad.level, 2);
    CHECK_EQ_INT(verdict.first_bad.layer, 1);
    CHECK_EQ_INT(verdict.first_bad.channel, 3);
    CHECK(verdict.level[1].psnr_db > 50 && verdict.level[1].psnr_db < 65);
    CHECK_EQ_DBL(verdict.level[1].psnr_db, first_psnr_db[1], 1e-9); /* there both are alike */
    CHECK(verdict.level[2].psnr_db < first_psnr_db[2] - 5.0);
    mb_free(block);
    teardown(&f);
}

static void check_error_picture(void)
{
    const uint8_t output[16] = {100, 101, 104, 7, 0, 255, 0, 0, 9, 9, 9, 254, 9, 10, 12, 98};
    double want[16];
    uint8_t rgba[16];
    const uint8_t right[16] = {100, 100, 100, 7, 0, 0, 0, 0, 9, 9, 9, 255, 9, 9, 9, 100};
    const uint8_t wanted[16] = {0,  32, 128, 255, 0,  255, 0,  255,
                                32, 32, 32,  255, 64, 64,  96, 255};
    mb_format_decode(mb_format_find("rgba8"), right, 4, want);
    mb_error_picture(mb_format_find("rgba8"), output, want, (struct mb_extent){4, 1}, rgba);
    CHECK(memcmp(rgba, wanted, sizeof wanted) == 0);
}

static const struct mb_rect no_rect = {0};

/* Bit for bit, outside the ignored rectangle, the first in order of rows. */
static void check_find_difference(void)
{
    const struct mb_extent extent = {5, 4};
    const struct mb_format *rg8 = mb_format_find("rg8"), *r32f = mb_format_find("r32f");
    uint8_t want[5 * 4 * 2] = {0}, got[5 * 4 * 2] = {0};
    struct mb_bad_texel bad = {.level = 7, .layer = 2};
    mb_find_difference(&(struct mb_plane){extent, rg8, want}, got, no_rect, 0.0, &bad);
    CHECK(!bad.found);
    CHECK_EQ_INT(bad.level, 7); /* left alone */

    want[(1 * 5 + 4) * 2 + 1] = 3;
    got[(2 * 5 + 1) * 2] = 200;
    mb_find_difference(&(struct mb_plane){extent, rg8, want}, got, no_rect, 0.0, &bad);
    CHECK(bad.found);
    CHECK_EQ_INT(bad.x, 4);
    CHECK_EQ_INT(bad.y, 1);
    CHECK_EQ_INT(bad.channel, 1);
    CHECK_EQ_DBL(bad.want, 3, 1e-12);
    CHECK_EQ_DBL(bad.got, 0, 0.0);
    struct mb_bad_texel far = {0};
    mb_find_difference(&(struct mb_plane){extent, rg8, want}, got, no_rect, 3.0, &far);
    CHECK(far.found);
    CHECK_EQ_INT(far.y, 2);
    CHECK_EQ_DBL(bad.error_lsb, 3, 1e-9);

    mb_find_difference(&(struct mb_plane){extent, rg8, want}, got, (struct mb_rect){3, 0, 2, 2},
                       0.0, &bad);
    CHECK_EQ_INT(bad.x, 1);
    CHECK_EQ_INT(bad.y, 2);
    CHECK_EQ_INT(bad.channel, 0);
    CHECK_EQ_DBL(bad.got, 200, 1e-12);
    bad.found = false;
    mb_find_difference(&(struct mb_plane){extent, rg8, want}, got, (struct mb_rect){1, 1, 4, 2},
                       0.0, &bad);
    CHECK(!bad.found);
    /* -0 is not 0, and one NaN is not another. */
    const uint32_t zeros[2] = {0, 0x7fc00000u}, minus[2] = {0x80000000u, 0x7fc00000u};
    const uint32_t nan[2] = {0, 0x7fc00001u};
    mb_find_difference(&(struct mb_plane){{2, 1}, r32f, zeros}, minus, no_rect, 0.0, &bad);
    CHECK(bad.found && bad.x == 0);
    bad.found = false;
    mb_find_difference(&(struct mb_plane){{2, 1}, r32f, zeros}, nan, no_rect, 0.0, &bad);
    CHECK(bad.found && bad.x == 1);
    const uint32_t signalling[2] = {0, 0x7f800001u}, quiet[2] = {0, 0x7fc00001u};
    bad.found = false;
    mb_find_difference(&(struct mb_plane){{2, 1}, r32f, signalling}, quiet, no_rect, 0.0, &bad);
    CHECK(bad.found && bad.x == 1); /* as doubles they are alike */
}

/* NaNs that decode alike, in every channel of every format of floats. */
static void check_channel_of_nan(void)
{
    for (size_t i = 0; i < mb_format_count; i++) {
        const struct mb_format *format = &mb_formats[i];
        const double nans[4] = {NAN, NAN, NAN, NAN};
        _Alignas(16) uint8_t want[16] = {0}, got[16];
        uint32_t first_bit = 0;
        mb_format_encode(format, nans, 1, want);
        for (uint32_t c = 0; c < format->n_channels && !mb_format_is_unorm(format); c++) {
            struct mb_bad_texel bad = {.found = false};
            memcpy(got, want, sizeof got);
            got[first_bit / 8] ^= (uint8_t)(1u << first_bit % 8);
            mb_find_difference(&(struct mb_plane){{1, 1}, format, want}, got, no_rect, 0.0,
                               &bad);
            CHECK(bad.found);
            CHECK_EQ_INT(bad.channel, c);
            first_bit += mb_format_channel(format, c)->n_bits;
        }
    }
}

static void check_no_memory(void)
{
    struct fixture f;
    setup(&f, "pattern:noise:16x16", "rgba8", &(struct mb_tolerance){.reread_levels = ~0u});
    struct mb_judged_chain chain = chain_of(&f);
    CHECK(check_each_allocation(compare_chain, &chain) >= 3);
    teardown(&f);
}

int main(void)
{
    return CHECK_TESTS(
        check_wrong_texel, check_bias, check_unwritten_and_swapped, check_changed_base,
        check_nan, check_restart, check_carried, check_quality_figures, check_float_scale,
        check_bounds, check_weight_errors, check_filter_range, check_layers,
        check_error_picture, check_find_difference, check_channel_of_nan, check_no_memory);
}
