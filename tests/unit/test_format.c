/* Formats: the table, one least significant bit, the curve of sRGB, and what is no number. That
 * every codec agrees with numpy both ways, ties among them, is golden_model.py's part. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#include "image/format.h"
#include "image/srgb.h"

static void check_table(void)
{
    CHECK(mb_format_count >= 3);
    for (size_t i = 0; i < mb_format_count; i++) {
        const struct mb_format *format = &mb_formats[i];
        CHECK(mb_format_find(format->name) == format);
        CHECK(format->vk_format != VK_FORMAT_UNDEFINED);
        CHECK(format->vk_storage_format != VK_FORMAT_UNDEFINED);
        CHECK(format->title[0] != '\0');
    }
    CHECK(mb_format_find("rgba9") == NULL);
    CHECK(mb_format_find("") == NULL);
    const struct mb_format *srgb = mb_format_find("rgba8-srgb");
    CHECK_EQ_INT(srgb->vk_format, VK_FORMAT_R8G8B8A8_SRGB);
    CHECK_EQ_INT(srgb->vk_storage_format, VK_FORMAT_R8G8B8A8_UNORM);
    CHECK_EQ_DBL(mb_format_max_code(mb_format_find("rgb10a2"), 2), 1023.0, 0.0);
    CHECK_EQ_DBL(mb_format_max_code(mb_format_find("rgb10a2"), 3), 3.0, 0.0);
}

static void check_lsb(void)
{
    static const struct {
        const char *format;
        uint32_t channel;
        double value, want;
    } cases[] = {
        {"rgba8", 0, 0.3, 1.0 / 255.0},  {"rgb10a2", 0, 0.3, 1 / 1023.0},
        {"rgb10a2", 3, 0.3, 1 / 3.0},    {"rgba16f", 0, 1.0, 0x1p-10},
        {"rgba16f", 0, -1.999, 0x1p-10}, {"rgba16f", 0, 2.0, 0x1p-9},
        {"rgba16f", 0, 0.0, 0x1p-24},    {"rgba16f", 0, 0x1p-14, 0x1p-24},
        {"rgba32f", 0, 1.0, 0x1p-23},    {"rgba32f", 0, 0.0, 0x1p-149},
        {"rgba32f", 0, 3.4e38, 0x1p104}, {"rg11b10f", 0, 1.0, 0x1p-6},
        {"rg11b10f", 1, 3.9, 0x1p-5},    {"rg11b10f", 2, 1.0, 0x1p-5},
        {"rg11b10f", 0, 0.0, 0x1p-20},   {"rg11b10f", 2, 0x1p-15, 0x1p-19},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct mb_format *format = mb_format_find(cases[i].format);
        CHECK_EQ_DBL(mb_format_lsb(format, cases[i].channel, cases[i].value), cases[i].want,
                     0.0);
    }
}

/* Codes of 0, floats that are no numbers either, and infinities. */
static void check_nan(void)
{
    const double nan[4] = {NAN, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < mb_format_count; i++) {
        const struct mb_format *format = &mb_formats[i];
        uint32_t texel[4];
        double back[4];
        mb_format_encode(format, nan, 1, texel);
        mb_format_decode(format, texel, 1, back);
        for (uint32_t c = 0; c < format->n_channels; c++) {
            const bool is_unorm = mb_format_is_unorm(format);
            const double least = mb_format_channel(format, c)->least < 0.0 ? -INFINITY : 0.0;
            const double most = is_unorm ? 1.0 : INFINITY;
            const double want =
                is_unorm && isnan(nan[c]) ? 0.0 : fmin(fmax(nan[c], least), most);
            CHECK(isnan(nan[c]) && !is_unorm ? isnan(back[c]) : back[c] == want);
        }
    }
}

static void check_srgb_curve(void)
{
    CHECK_EQ_DBL(mb_srgb_to_linear(0.0), 0.0, 0.0);
    CHECK_EQ_DBL(mb_srgb_to_linear(1.0), 1.0, 1e-15);
    CHECK_EQ_DBL(mb_srgb_to_linear(0.5), 0.21404114048223255, 1e-15);
    CHECK_EQ_DBL(mb_srgb_from_linear(0.5), 0.7353569830524495, 1e-15);
    CHECK_EQ_DBL(mb_srgb_from_linear(0.001), 0.01292, 1e-17);
    /* The two pieces meet, and on the right side of the limit. */
    CHECK_EQ_DBL(mb_srgb_from_linear(0.0031308), 0.0031308 * 12.92, 0.0);
    CHECK_EQ_DBL(mb_srgb_from_linear(nextafter(0.0031308, 1)), 0.0031308 * 12.92, 3e-8);
    CHECK(isnan(mb_srgb_from_linear(NAN)));
}

static double worst_of_fast(const double rgba[4])
{
    double fast[4];
    mb_srgb_encode(rgba, 1, fast);
    double worst = fabs(fast[3] - rgba[3]);
    for (int c = 0; c < 3; c++) {
        worst = fmax(worst, fabs(fast[c] - mb_srgb_from_linear(rgba[c])));
    }
    return worst;
}

/* The fast way is the definition, at every scale and at the ends of every segment. */
static void check_srgb_fast(void)
{
    double worst = 0.0;
    for (unsigned i = 0; i < 200000; i++) {
        const double linear = pow(2.0, -12.0 + 12.5 * i / 200000);
        const double rgba[4] = {linear, 1.0 - linear, -linear, linear};
        worst = fmax(worst, worst_of_fast(rgba));
    }
    for (unsigned i = 0; i < 9 * 32; i++) {
        const double edge = ldexp(1.0 + i % 32 / 32.0, -1 - (int)(i / 32));
        const double rgba[4] = {edge, nextafter(edge, 0.0), nextafter(edge, 1.0), 0.0};
        worst = fmax(worst, worst_of_fast(rgba));
    }
    CHECK_EQ_DBL(worst, 0.0, 1e-14);
    double rgba[4] = {NAN, INFINITY, -INFINITY, NAN};
    mb_srgb_encode(rgba, 1, rgba);
    CHECK(isnan(rgba[0]) && isinf(rgba[1]) && isinf(rgba[2]) && isnan(rgba[3]));
}

/* The scale on which errors are measured. */
static void check_coded(void)
{
    const struct mb_format *srgb = mb_format_find("rgba8-srgb");
    unsigned n_wrong = 0;
    for (unsigned code = 0; code < 256; code++) {
        const uint8_t texel[4] = {(uint8_t)code, (uint8_t)(255 - code), 7, (uint8_t)code};
        double rgba[4], coded[4];
        mb_format_decode_coded(srgb, texel, 1, coded);
        n_wrong += coded[0] != code / 255.0 || coded[3] != code / 255.0;
        mb_format_decode(srgb, texel, 1, rgba);
        mb_format_to_coded(srgb, rgba, 1, coded);
        n_wrong += fabs(coded[0] * 255.0 - code) > 1e-11 || rgba[3] != coded[3];
    }
    CHECK_EQ_INT(n_wrong, 0);
}

int main(void)
{
    return CHECK_TESTS(check_table, check_lsb, check_nan, check_srgb_curve, check_srgb_fast,
                       check_coded);
}
