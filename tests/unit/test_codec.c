/* The codecs by hand: sRGB, 10-bit colour with 2-bit alpha, floats of 11 and 10 bits. That they
 * agree with numpy everywhere is golden_model.py's part. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#include "image/format.h"
#include "image/minifloat.h"
#include "image/srgb.h"

static void check_srgb_curve(void)
{
    CHECK_EQ_DBL(mb_srgb_to_linear(0.0), 0.0, 0.0);
    CHECK_EQ_DBL(mb_srgb_to_linear(1.0), 1.0, 1e-15);
    CHECK_EQ_DBL(mb_srgb_to_linear(10 / 255.0), 10 / 255.0 / 12.92, 1e-17);
    CHECK_EQ_DBL(mb_srgb_to_linear(0.5), 0.21404114048223255, 1e-15);
    CHECK_EQ_DBL(mb_srgb_from_linear(0.5), 0.7353569830524495, 1e-15);
    CHECK_EQ_DBL(mb_srgb_from_linear(0.001), 0.01292, 1e-17);
    /* The two pieces meet, and on the right side of the limit. */
    CHECK_EQ_DBL(mb_srgb_from_linear(0.0031308), 0.0031308 * 12.92, 0.0);
    CHECK_EQ_DBL(mb_srgb_from_linear(nextafter(0.0031308, 1)), 0.0031308 * 12.92, 3e-8);
    CHECK(isnan(mb_srgb_from_linear(NAN)));
}

/* The fast way is the definition, at every scale and at the ends of every segment. */
static void check_srgb_fast(void)
{
    double worst = 0.0;
    for (unsigned i = 0; i < 200000; i++) {
        const double linear = pow(2.0, -12.0 + 12.5 * i / 200000);
        const double rgba[4] = {linear, 1.0 - linear, -linear, linear};
        double fast[4];
        mb_srgb_encode(rgba, 1, fast);
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(fast[c] - mb_srgb_from_linear(rgba[c])));
        }
        worst = fmax(worst, fabs(fast[3] - linear));
    }
    for (unsigned i = 0; i < 9 * 32; i++) {
        const double edge = ldexp(1.0 + i % 32 / 32.0, -1 - (int)(i / 32));
        const double rgba[4] = {edge, nextafter(edge, 0.0), nextafter(edge, 1.0), 0.0};
        double fast[4];
        mb_srgb_encode(rgba, 1, fast);
        for (int c = 0; c < 3; c++) {
            worst = fmax(worst, fabs(fast[c] - mb_srgb_from_linear(rgba[c])));
        }
    }
    CHECK_EQ_DBL(worst, 0.0, 1e-14);
    double rgba[4] = {NAN, INFINITY, -INFINITY, NAN};
    mb_srgb_encode(rgba, 1, rgba);
    CHECK(isnan(rgba[0]) && isinf(rgba[1]) && isinf(rgba[2]) && isnan(rgba[3]));
}

static void check_srgb_codes(void)
{
    const struct mb_format *srgb = mb_format_find("rgba8-srgb");
    CHECK_EQ_INT(srgb->vk_format, VK_FORMAT_R8G8B8A8_SRGB);
    CHECK_EQ_INT(srgb->vk_storage_format, VK_FORMAT_R8G8B8A8_UNORM);
    unsigned n_wrong = 0;
    for (unsigned code = 0; code < 256; code++) {
        const uint8_t texel[4] = {(uint8_t)code, (uint8_t)(255 - code), 7, (uint8_t)code};
        uint8_t back[4];
        double rgba[4], coded[4];
        mb_format_decode(srgb, texel, 1, rgba);
        n_wrong += rgba[0] != mb_srgb_to_linear(code / 255.0) || rgba[3] != code / 255.0;
        mb_format_encode(srgb, rgba, 1, back);
        n_wrong += memcmp(texel, back, 4) != 0;
        mb_format_decode_coded(srgb, texel, 1, coded);
        n_wrong += coded[0] != code / 255.0 || coded[3] != code / 255.0;
        mb_format_to_coded(srgb, rgba, 1, coded);
        n_wrong += fabs(coded[0] * 255.0 - code) > 1e-11;
    }
    CHECK_EQ_INT(n_wrong, 0);
    /* Half of the light is code 188; half of the alpha is code 128. */
    const double half[4] = {0.5, 2.0, NAN, 0.5};
    uint8_t codes[4];
    mb_format_encode(srgb, half, 1, codes);
    CHECK(memcmp(codes, (uint8_t[]){188, 255, 0, 128}, 4) == 0);
}

static void check_rgb10a2(void)
{
    const struct mb_format *format = mb_format_find("rgb10a2");
    const uint32_t words[4] = {1023u, 1023u << 10, 1023u << 20, 3u << 30};
    double rgba[16];
    mb_format_decode(format, words, 4, rgba);
    for (int i = 0; i < 16; i++) {
        CHECK_EQ_DBL(rgba[i], i % 5 == 0 ? 1.0 : 0.0, 0.0);
    }
    const uint32_t mixed = 1u | 512u << 10 | 1022u << 20 | 2u << 30;
    uint32_t back;
    mb_format_decode(format, &mixed, 1, rgba);
    CHECK_EQ_DBL(rgba[0], 1 / 1023.0, 0.0);
    CHECK_EQ_DBL(rgba[1], 512 / 1023.0, 0.0);
    CHECK_EQ_DBL(rgba[2], 1022 / 1023.0, 0.0);
    CHECK_EQ_DBL(rgba[3], 2 / 3.0, 0.0);
    mb_format_encode(format, rgba, 1, &back);
    CHECK_EQ_INT(back, mixed);

    const double edges[4] = {-1.0, 0.4999 / 1023, 0.5 / 1023, 0.5};
    mb_format_encode(format, edges, 1, &back);
    CHECK_EQ_INT(back, 1u << 20 | 2u << 30);
    const double beyond[4] = {7.0, INFINITY, NAN, 0.4999 / 3};
    mb_format_encode(format, beyond, 1, &back);
    CHECK_EQ_INT(back, 1023u | 1023u << 10);
    CHECK_EQ_DBL(mb_format_lsb(format, 0, 0.3), 1 / 1023.0, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(format, 3, 0.3), 1 / 3.0, 0.0);
    CHECK_EQ_DBL(mb_format_max_code(format, 2), 1023.0, 0.0);
    CHECK_EQ_DBL(mb_format_max_code(format, 3), 3.0, 0.0);
}

static void check_ufloat_edges(void)
{
    static const struct {
        double value;
        unsigned bits11, bits10;
    } edges[] = {
        {0.0, 0, 0},
        {-0.0, 0, 0},
        {-1.0, 0, 0},
        {-INFINITY, 0, 0},
        {1.0, 15u << 6, 15u << 5},
        {1.5, 15u << 6 | 32, 15u << 5 | 16},
        {65024.0, 0x7bf, 31u << 5}, /* largest of 11 bits: 2^15 * (2 - 2^-6) */
        {64512.0, 0x7be, 0x3df},    /* largest of 10 bits: 2^15 * (2 - 2^-5) */
        {65535.0, 31u << 6, 31u << 5},
        {INFINITY, 31u << 6, 31u << 5},
        {0x1p-14, 1u << 6, 1u << 5}, /* least normal ones */
        {0x1p-15, 32, 16},           /* subnormal */
        {0x1p-19, 2, 1},
        {0x1p-20, 1, 0},   /* 10 bits: half of the least one, a tie, to even */
        {0x1.8p-20, 2, 1}, /* 11 bits: a tie, to even */
        {0x1p-21, 0, 0},
        {0x1.01p-21, 1, 0},
        {1.0 + 0x1p-7, 15u << 6, 15u << 5}, /* a tie goes to the even one */
        {1.0 + 0x3p-7, 15u << 6 | 2, 15u << 5 | 1},
        {2.0 - 0x1p-8, 16u << 6, 16u << 5},    /* carries into the exponent */
        {0x1p-14 - 0x1p-21, 1u << 6, 1u << 5}, /* from subnormal to normal */
    };
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        CHECK_EQ_INT(mb_ufloat_from_double(edges[i].value, 6), edges[i].bits11);
        CHECK_EQ_INT(mb_ufloat_from_double(edges[i].value, 5), edges[i].bits10);
    }
    CHECK(isnan(mb_ufloat_to_double(mb_ufloat_from_double(NAN, 6), 6)));
    CHECK(isnan(mb_ufloat_to_double(mb_ufloat_from_double(-NAN, 5), 5)));
    CHECK(isinf(mb_ufloat_to_double(31u << 6, 6)));
    CHECK_EQ_DBL(mb_ufloat_to_double(1, 6), 0x1p-20, 0.0);
    CHECK_EQ_DBL(mb_ufloat_to_double(1, 5), 0x1p-19, 0.0);
    CHECK_EQ_DBL(mb_ufloat_to_double(0x7bf, 6), 65024.0, 0.0);
    CHECK_EQ_DBL(mb_ufloat_to_double(0x3df, 5), 64512.0, 0.0);
}

/* Every finite number goes to double and back, and so do the ties between neighbours. */
static void check_ufloats_of(unsigned mantissa_bits)
{
    unsigned n_wrong = 0;
    const unsigned n_finite = 31u << mantissa_bits;
    for (unsigned bits = 0; bits < n_finite; bits++) {
        const double low = mb_ufloat_to_double((uint16_t)bits, mantissa_bits);
        n_wrong += mb_ufloat_from_double(low, mantissa_bits) != bits;
        if (bits + 1 == n_finite) {
            break;
        }
        const double tie = (low + mb_ufloat_to_double((uint16_t)(bits + 1), mantissa_bits)) / 2;
        n_wrong += mb_ufloat_from_double(tie, mantissa_bits) != bits + bits % 2;
        n_wrong += mb_ufloat_from_double(nextafter(tie, 0.0), mantissa_bits) != bits;
        n_wrong += mb_ufloat_from_double(nextafter(tie, 1e9), mantissa_bits) != bits + 1;
    }
    CHECK_EQ_INT(n_wrong, 0);
}

static void check_all_ufloats(void)
{
    check_ufloats_of(6);
    check_ufloats_of(5);
}

static void check_rg11b10f(void)
{
    const struct mb_format *format = mb_format_find("rg11b10f");
    const double rgba[4] = {1.0, 65024.0, 0x1p-19, 0.25};
    const uint32_t wanted = 15u << 6 | 0x7bfu << 11 | 1u << 22;
    uint32_t word;
    double back[4];
    mb_format_encode(format, rgba, 1, &word);
    CHECK_EQ_INT(word, wanted);
    mb_format_decode(format, &word, 1, back);
    CHECK_EQ_DBL(back[0], 1.0, 0.0);
    CHECK_EQ_DBL(back[1], 65024.0, 0.0);
    CHECK_EQ_DBL(back[2], 0x1p-19, 0.0);
    CHECK_EQ_DBL(back[3], 1.0, 0.0); /* no alpha */
    const double negative[4] = {-3.0, -INFINITY, -0x1p-30, 1.0};
    mb_format_encode(format, negative, 1, &word);
    CHECK_EQ_INT(word, 0);
    CHECK_EQ_DBL(mb_format_lsb(format, 0, 1.0), 0x1p-6, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(format, 1, 3.9), 0x1p-5, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(format, 2, 1.0), 0x1p-5, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(format, 0, 0.0), 0x1p-20, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(format, 2, 0x1p-15), 0x1p-19, 0.0);
}

/* Texels of every format go to doubles and back bit for bit, missing channels as 0 and alpha 1;
 * several texels at once are the same as one by one. */
static void check_round_trips(void)
{
    static const double rgba[3 * 4] = {0.0, 1.0, 0.25, 0.75, 0.9, 0.1,
                                       0.5, 0.0, 1.0,  0.3,  0.0, 1.0};
    for (size_t i = 0; i < mb_format_count; i++) {
        const struct mb_format *format = &mb_formats[i];
        uint32_t texels[3 * 4], back[3 * 4], single[4];
        double decoded[3 * 4];
        mb_format_encode(format, rgba, 3, texels);
        mb_format_decode(format, texels, 3, decoded);
        mb_format_encode(format, decoded, 3, back);
        CHECK(memcmp(texels, back, 3u * format->texel_bytes) == 0);
        mb_format_encode(format, rgba + 4, 1, single);
        CHECK(memcmp((uint8_t *)texels + format->texel_bytes, single, format->texel_bytes) ==
              0);
        for (size_t k = 0; k < 3 * 4; k++) {
            const bool is_missing = k % 4 >= format->n_channels;
            const double want = !is_missing ? rgba[k] : k % 4 == 3 ? 1.0 : 0.0;
            const double step = is_missing ? 0.0 : mb_format_lsb(format, k % 4, want);
            CHECK_EQ_DBL(decoded[k], want, step);
        }
    }
}

int main(void)
{
    return CHECK_TESTS(check_srgb_curve, check_srgb_fast, check_srgb_codes, check_rgb10a2,
                       check_ufloat_edges, check_all_ufloats, check_rg11b10f,
                       check_round_trips);
}
