/* Images in host memory: fitted to a size, and encoded as texels of a format and a layer. */
#include "check.h"

#include "base/alloc.h"
#include "image/image.h"

/* 3x2 to 8x5: columns a b c c b a a b, rows 0 1 1 0 0. */
static void check_resize(void)
{
    uint32_t texels[6] = {0xa0, 0xb0, 0xc0, 0xa1, 0xb1, 0xc1};
    const struct mb_image in = {
        .width = 3, .height = 2, .depth = MB_DEPTH_U8, .texels = texels, .name = "in"};
    const uint32_t columns[8] = {0xa0, 0xb0, 0xc0, 0xc0, 0xb0, 0xa0, 0xa0, 0xb0};
    const uint32_t rows[5] = {0, 1, 1, 0, 0};
    struct mb_image out;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_image_resize(&out, &in, 8, 5, &err), MB_OK);
    CHECK_EQ_STR(out.name, "in");
    for (uint32_t i = 0; i < 40; i++) {
        CHECK_EQ_INT(((const uint32_t *)out.texels)[i], columns[i % 8] + rows[i / 8]);
    }
    mb_image_finish(&out);
    CHECK_EQ_INT(mb_image_resize(&out, &in, 2, 1, &err), MB_OK);
    CHECK_EQ_INT(out.width, 2);
    CHECK(memcmp(out.texels, texels, 8) == 0);
    mb_image_finish(&out);

    mb_alloc_fail_nth(1, false);
    CHECK_EQ_INT(mb_image_resize(&out, &in, 2, 1, &err), MB_FAILED);
    mb_alloc_fail_nth(0, false);
    CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
}

static void check_encode(void)
{
    uint16_t u16[4] = {0, 65535, 32768, 257};
    float f32[4] = {-1.0f, 0.5f, 3.0f, 1.0f}, as_f32[4];
    uint8_t u8[4] = {0, 51, 102, 255}, as_u8[4];
    struct mb_image image = {.width = 1, .height = 1, .depth = MB_DEPTH_U16, .texels = u16};
    mb_image_encode(&image, mb_format_find("rgba32f"), 0, as_f32);
    CHECK_EQ_DBL((double)as_f32[1], 1.0, 0.0);
    CHECK_EQ_DBL((double)as_f32[3], 257.0 / 65535.0, 1e-9);
    mb_image_encode(&image, mb_format_find("rgba8"), 0, as_u8);
    CHECK(memcmp(as_u8, (uint8_t[]){0, 255, 128, 1}, 4) == 0);

    image.depth = MB_DEPTH_F32;
    image.texels = f32;
    mb_image_encode(&image, mb_format_find("rgba8"), 0, as_u8);
    CHECK(memcmp(as_u8, (uint8_t[]){0, 128, 255, 255}, 4) == 0);

    image.depth = MB_DEPTH_U8;
    image.texels = u8;
    mb_image_encode(&image, mb_format_find("rgba8"), 0, as_u8);
    CHECK(memcmp(as_u8, u8, 4) == 0);
    mb_image_encode(&image, mb_format_find("rgba32f"), 0, as_f32);
    CHECK_EQ_DBL((double)as_f32[1], 0.2, 1e-7);
}

/* Integers are codes, floats are light; formats of fewer channels take the first ones. */
static void check_encode_formats(void)
{
    uint8_t u8[4] = {188, 51, 255, 128}, codes[4];
    uint16_t u16[4] = {188 * 257, 51 * 257, 65535, 128 * 257};
    float f32[4] = {0.5f, 1.0f, -1.0f, 0.5f};
    uint32_t word;
    uint16_t halves[2];
    struct mb_image image = {.width = 1, .height = 1, .depth = MB_DEPTH_U8, .texels = u8};
    mb_image_encode(&image, mb_format_find("rgba8-srgb"), 0, codes);
    CHECK(memcmp(codes, u8, 4) == 0);
    mb_image_encode(&image, mb_format_find("rg8"), 0, codes);
    CHECK(codes[0] == 188 && codes[1] == 51);
    mb_image_encode(&image, mb_format_find("rgb10a2"), 0, &word);
    CHECK_EQ_INT(word, 754u | 205u << 10 | 1023u << 20 | 2u << 30); /* 188 * 1023 / 255 */
    CHECK_EQ_STR(mb_image_natural_format(&image, false)->name, "rgba8");
    CHECK_EQ_STR(mb_image_natural_format(&image, true)->name, "rgba8-srgb");

    image.depth = MB_DEPTH_U16;
    image.texels = u16;
    mb_image_encode(&image, mb_format_find("rgba8-srgb"), 0, codes);
    CHECK(memcmp(codes, u8, 4) == 0);
    CHECK_EQ_STR(mb_image_natural_format(&image, true)->name, "rgba32f");

    image.depth = MB_DEPTH_F32;
    image.texels = f32;
    mb_image_encode(&image, mb_format_find("rgba8-srgb"), 0, codes);
    CHECK(memcmp(codes, (uint8_t[]){188, 255, 0, 128}, 4) == 0);
    mb_image_encode(&image, mb_format_find("rg11b10f"), 0, &word);
    CHECK_EQ_INT(word, 14u << 6 | 15u << 17);
    mb_image_encode(&image, mb_format_find("rg16f"), 0, halves);
    CHECK(halves[0] == 0x3800 && halves[1] == 0x3c00);
}

/* Layer 0 is the image; odd layers are mirrored along x, bit 1 mirrors along y, and each is
 * darker than the one before. 5x3 texels of 8 * (1 + x + 5 * y), distinct. */
static void check_layers(void)
{
    uint8_t texels[5 * 3 * 4], layer_texels[5 * 3 * 4];
    const struct mb_image image = {
        .width = 5, .height = 3, .depth = MB_DEPTH_U8, .texels = texels};
    for (size_t i = 0; i < sizeof texels; i++) {
        texels[i] = (uint8_t)(8 * (1 + i / 4) + i % 4);
    }
    for (uint32_t layer = 0; layer < 9; layer++) {
        mb_image_encode(&image, mb_format_find("rgba8"), layer, layer_texels);
        for (uint32_t i = 0; i < 15 * 4; i++) {
            const uint32_t x = i / 4 % 5, y = i / 20;
            const uint32_t from_x = (layer & 1) != 0 ? 4 - x : x;
            const uint32_t from_y = (layer & 2) != 0 ? 2 - y : y;
            const double code = texels[(from_y * 5 + from_x) * 4 + i % 4] * 8.0 / (8.0 + layer);
            CHECK_EQ_DBL((double)layer_texels[i], code, 0.5 + 1e-9);
        }
    }
}

/* Every layer differs from every other, in every format, whatever kernels mix up. */
static void check_layers_differ(void)
{
    static uint8_t texels[37 * 4], block[6][37 * 16];
    const struct mb_image image = {
        .width = 37, .height = 1, .depth = MB_DEPTH_U8, .texels = texels};
    for (size_t i = 0; i < sizeof texels; i++) {
        texels[i] = (uint8_t)(37 * i % 251);
    }
    for (size_t f = 0; f < mb_format_count; f++) {
        const size_t n_bytes = 37u * mb_formats[f].texel_bytes;
        for (uint32_t layer = 0; layer < 6; layer++) {
            mb_image_encode(&image, &mb_formats[f], layer, block[layer]);
            for (uint32_t other = 0; other < layer; other++) {
                CHECK(memcmp(block[layer], block[other], n_bytes) != 0);
            }
        }
    }
}

/* Rows longer than what is converted at a time: mirrored as a whole. Codes of sRGB are scaled
 * as codes. */
static void check_long_rows(void)
{
    enum { WIDTH = 1000 };
    static float texels[WIDTH * 4], mirrored[WIDTH * 4];
    static uint8_t codes[WIDTH * 4], scaled[WIDTH * 4];
    struct mb_image image = {
        .width = WIDTH, .height = 1, .depth = MB_DEPTH_F32, .texels = texels};
    for (uint32_t i = 0; i < WIDTH * 4; i++) {
        texels[i] = (float)i;
        codes[i] = (uint8_t)i;
    }
    mb_image_encode(&image, mb_format_find("rgba32f"), 1, mirrored);
    for (uint32_t i = 0; i < WIDTH * 4; i++) {
        const double want = (double)texels[(WIDTH - 1 - i / 4) * 4 + i % 4] * 8.0 / 9.0;
        CHECK_EQ_DBL((double)mirrored[i], want, want * 1e-7);
    }
    image.depth = MB_DEPTH_U8;
    image.texels = codes;
    mb_image_encode(&image, mb_format_find("rgba8-srgb"), 8, scaled);
    for (uint32_t i = 0; i < WIDTH * 4; i++) {
        CHECK_EQ_DBL((double)scaled[i], codes[i] / 2.0, 0.5 + 1e-9);
    }
}

int main(void)
{
    return CHECK_TESTS(check_resize, check_encode, check_encode_formats, check_layers,
                       check_layers_differ, check_long_rows);
}
