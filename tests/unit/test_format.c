/* Formats: the table, decoding and encoding, one least significant bit, and half floats. That
 * all 65536 halves agree with numpy is golden_model.py's part. */
#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#include "image/format.h"
#include "image/minifloat.h"

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
}

static void check_unorm(void)
{
    const struct mb_format *rgba8 = mb_format_find("rgba8");
    uint8_t codes[256], back[256];
    double values[256];
    for (unsigned i = 0; i < 256; i++) {
        codes[i] = (uint8_t)i;
    }
    mb_format_decode(rgba8, codes, 64, values);
    CHECK_EQ_DBL(values[0], 0.0, 0.0);
    CHECK_EQ_DBL(values[255], 1.0, 0.0);
    CHECK_EQ_DBL(values[51], 0.2, 1e-16);
    mb_format_encode(rgba8, values, 64, back);
    CHECK(memcmp(codes, back, sizeof codes) == 0);

    const double edges[8] = {-1.0,     2.0,  NAN, 127.5 / 255.0, 127.4999 / 255.0,
                             INFINITY, -0.0, 1.0};
    const uint8_t wanted[8] = {0, 255, 0, 128, 127, 255, 0, 255};
    mb_format_encode(rgba8, edges, 2, back);
    CHECK(memcmp(back, wanted, sizeof wanted) == 0);
}

static void check_floats(void)
{
    const double rgba[4] = {0.1, -2.5, 1e30, 65519.999};
    float single[4];
    uint16_t half[4];
    double back[4];
    mb_format_encode(mb_format_find("rgba32f"), rgba, 1, single);
    for (int c = 0; c < 4; c++) {
        CHECK_EQ_DBL((double)single[c], (double)(float)rgba[c], 0.0);
    }
    mb_format_encode(mb_format_find("rgba16f"), rgba, 1, half);
    CHECK_EQ_INT(half[0], 0x2e66);
    CHECK_EQ_INT(half[1], 0xc100);
    CHECK_EQ_INT(half[2], 0x7c00);
    CHECK_EQ_INT(half[3], 0x7bff);
    mb_format_decode(mb_format_find("rgba16f"), half, 1, back);
    CHECK_EQ_DBL(back[1], -2.5, 0.0);
    CHECK_EQ_DBL(back[3], 65504.0, 0.0);
}

/* Formats with fewer channels: missing ones read as 0, alpha as 1. */
static void check_fewer_channels(void)
{
    const struct mb_format rg8 = {
        .name = "rg8", .texel_bytes = 2, .n_channels = 2, .codec = MB_CODEC_UNORM8};
    const uint8_t texels[6] = {0, 255, 51, 102, 255, 0};
    uint8_t back[6] = {0};
    double rgba[12];
    mb_format_decode(&rg8, texels, 3, rgba);
    const double wanted[12] = {0, 1, 0, 1, 0.2, 0.4, 0, 1, 1, 0, 0, 1};
    for (int i = 0; i < 12; i++) {
        CHECK_EQ_DBL(rgba[i], wanted[i], 1e-16);
    }
    mb_format_encode(&rg8, rgba, 3, back);
    CHECK(memcmp(texels, back, sizeof back) == 0);
}

static void check_lsb(void)
{
    const struct mb_format *rgba8 = mb_format_find("rgba8");
    const struct mb_format *rgba16f = mb_format_find("rgba16f");
    const struct mb_format *rgba32f = mb_format_find("rgba32f");
    CHECK_EQ_DBL(mb_format_lsb(rgba8, 0, 0.3), 1.0 / 255.0, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba16f, 0, 1.0), 0x1p-10, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba16f, 0, -1.999), 0x1p-10, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba16f, 0, 2.0), 0x1p-9, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba16f, 0, 0.0), 0x1p-24, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba16f, 0, 0x1p-14), 0x1p-24, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba32f, 0, 1.0), 0x1p-23, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba32f, 0, 0.0), 0x1p-149, 0.0);
    CHECK_EQ_DBL(mb_format_lsb(rgba32f, 0, 3.4e38), 0x1p104, 0.0);
}

/* Every half goes to double and back; a tie between neighbours goes to the even one, and what
 * is a hair off the tie to the nearer. */
static void check_halves(void)
{
    unsigned n_wrong = 0;
    for (unsigned h = 0; h < 0x10000; h++) {
        const double value = mb_half_to_double((uint16_t)h);
        const bool is_nan = (h & 0x7c00) == 0x7c00 && (h & 0x3ff) != 0;
        const uint16_t back = mb_half_from_double(value);
        n_wrong += is_nan ? !isnan(value) || !isnan(mb_half_to_double(back)) : back != h;
    }
    CHECK_EQ_INT(n_wrong, 0);
    for (unsigned h = 0; h < 0x7bff; h++) {
        const double low = mb_half_to_double((uint16_t)h);
        const double high = mb_half_to_double((uint16_t)(h + 1));
        const double tie = (low + high) / 2;
        const unsigned even = h % 2 == 0 ? h : h + 1;
        n_wrong += mb_half_from_double(tie) != even;
        n_wrong += mb_half_from_double(-tie) != (even | 0x8000);
        n_wrong += mb_half_from_double(nextafter(tie, 0.0)) != h;
        n_wrong += mb_half_from_double(nextafter(tie, INFINITY)) != h + 1;
    }
    CHECK_EQ_INT(n_wrong, 0);
    CHECK_EQ_INT(mb_half_from_double(65520.0), 0x7c00);
    CHECK_EQ_INT(mb_half_from_double(nextafter(65520.0, 0.0)), 0x7bff);
    CHECK_EQ_INT(mb_half_from_double(-INFINITY), 0xfc00);
    CHECK_EQ_INT(mb_half_from_double(5e-324), 0);
    CHECK_EQ_INT(mb_half_from_double(-0.0), 0x8000);
}

int main(void)
{
    return CHECK_TESTS(check_table, check_unorm, check_floats, check_fewer_channels, check_lsb,
                       check_halves);
}
