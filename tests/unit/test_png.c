/* PNG output: what is written is read back the same; pictures of levels and the atlas. */
#include "check.h"

#include "base/alloc.h"
#include "image/image.h"
#include "image/pattern.h"
#include "image/io/write.h"

static void check_round_trip(const char *spec)
{
    struct mb_image image, back;
    struct mb_bytes png;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_pattern_make(&image, spec, 1, &err), MB_OK);
    CHECK_EQ_INT(mb_png_encode(image.texels, image.width, image.height, &png, &err), MB_OK);
    const enum mb_status status = mb_image_decode(&back, "a/round trip.png", &png, &err);
    CHECK_EQ_INT(status, MB_OK);
    if (status == MB_OK) {
        CHECK_EQ_INT(back.width, image.width);
        CHECK_EQ_INT(back.height, image.height);
        CHECK_EQ_INT(back.depth, MB_DEPTH_U8);
        CHECK_EQ_STR(back.name, "round-trip");
        CHECK(memcmp(back.texels, image.texels, (size_t)image.width * image.height * 4) == 0);
        mb_image_finish(&back);
    }
    mb_bytes_finish(&png);
    mb_image_finish(&image);
}

static void check_round_trips(void)
{
    check_round_trip("pattern:noise:64x48");
    check_round_trip("pattern:gradient:257x3");
    check_round_trip("pattern:flat:1x1");
    check_round_trip("pattern:zoneplate:1x1000");
}

/* Refused by size alone: the texels are not looked at. */
static void check_too_large(void)
{
    const uint8_t texel[4] = {0};
    struct mb_bytes out;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_png_encode(texel, 32768, 16384, &out, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    CHECK_EQ_INT(mb_png_encode(texel, 0x40000000, 4, &out, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_OUTPUT);
    CHECK(out.data == NULL);
}

static enum mb_status encode_black(void *user, struct mb_err *err)
{
    const uint8_t texels[4 * 4 * 4] = {0};
    struct mb_bytes out;
    const enum mb_status status = mb_png_encode(texels, 4, 4, &out, err);
    mb_bytes_finish(&out);
    return status;
}

static void check_no_memory(void)
{
    CHECK(check_each_allocation(encode_black, NULL) >= 3);
}

static void check_atlas_extents(void)
{
    const struct {
        struct mb_extent base;
        uint32_t n_levels;
        struct mb_extent want;
    } cases[] = {
        {{256, 256}, 9, {384, 256}}, {{256, 256}, 1, {256, 256}}, {{1, 1}, 1, {1, 1}},
        {{8, 1}, 4, {12, 3}},        {{1, 8}, 4, {2, 8}},         {{5, 3}, 3, {7, 3}},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct mb_extent got = mb_atlas_extent(cases[i].base, cases[i].n_levels);
        CHECK_EQ_INT(got.width, cases[i].want.width);
        CHECK_EQ_INT(got.height, cases[i].want.height);
    }
}

/* 5x3, 2x1 and 1x1, numbered by level and place:
 *   0 0 0 0 0 1 1
 *   0 0 0 0 0 2 .
 *   0 0 0 0 0 . .      . is transparent */
static void check_atlas(void)
{
    struct mb_layout layout;
    struct mb_err err = {0};
    void *texels = NULL;
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){5, 3}, 1, 3);
    uint8_t *block = mb_alloc(layout.total_bytes, 1);
    for (uint32_t level = 0; level < 3; level++) {
        memset(block + layout.level_offset_bytes[level], (int)(10 + level),
               layout.level_layer_bytes[level]);
    }
    CHECK_EQ_INT(mb_atlas_draw(&layout, block, 0, true, &texels, &err), MB_OK);
    const uint8_t *atlas = texels;
    const uint8_t want[21] = {10, 10, 10, 10, 10, 11, 11, 10, 10, 10, 10,
                              10, 12, 0,  10, 10, 10, 10, 10, 0,  0};
    for (size_t i = 0; atlas != NULL && i < 21; i++) {
        for (size_t c = 0; c < 4; c++) {
            CHECK_EQ_INT(atlas[i * 4 + c], want[i]);
        }
    }
    mb_free(texels);
    mb_alloc_fail_nth(1, false);
    CHECK_EQ_INT(mb_atlas_draw(&layout, block, 0, true, &texels, &err), MB_FAILED);
    mb_alloc_fail_nth(0, false);
    CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    mb_free(block);
}

/* The second layer, and the chain's own texels at the same places. */
static void check_layer_atlas(void)
{
    struct mb_layout layout;
    struct mb_err err = {0};
    void *shown = NULL, *stored = NULL;
    mb_layout_init(&layout, mb_format_find("rg8"), (struct mb_extent){2, 2}, 2, 2);
    uint8_t *block = mb_alloc(layout.total_bytes, 1);
    for (size_t i = 0; i < layout.total_bytes; i++) {
        block[i] = (uint8_t)i;
    }
    const uint8_t *level_1 = block + layout.level_offset_bytes[1] + layout.level_layer_bytes[1];
    CHECK_EQ_INT(mb_atlas_draw(&layout, block, 1, true, &shown, &err), MB_OK);
    CHECK_EQ_INT(mb_atlas_draw(&layout, block, 1, false, &stored, &err), MB_OK);
    const uint8_t *atlas = shown, *texels = stored;
    const uint8_t *wanted[] = {block + 8, block + 10, level_1, block + 12, block + 14, NULL};
    for (size_t i = 0; atlas != NULL && texels != NULL && i < MB_COUNTOF(wanted); i++) {
        const uint8_t *bytes = texels + 2 * i;
        CHECK_EQ_INT(bytes[0], wanted[i] != NULL ? wanted[i][0] : 0);
        CHECK_EQ_INT(bytes[1], wanted[i] != NULL ? wanted[i][1] : 0);
        CHECK_EQ_INT(atlas[4 * i], bytes[0]);
        CHECK_EQ_INT(atlas[4 * i + 1], bytes[1]);
        CHECK_EQ_INT(atlas[4 * i + 3], wanted[i] != NULL ? 255 : 0);
    }
    mb_free(shown);
    mb_free(stored);
    mb_free(block);
}

static void check_level_picture(void)
{
    const float block[8] = {0.0f, 1.0f, 0.5f, 2.0f, -1.0f, NAN, 0.2f, INFINITY};
    const uint8_t want[8] = {0, 255, 128, 255, 0, 0, 51, 255};
    uint8_t rgba[8];
    mb_format_convert(mb_format_find("rgba32f"), block, 2, mb_format_find("rgba8"), rgba);
    CHECK(memcmp(rgba, want, sizeof want) == 0);
}

int main(void)
{
    return CHECK_TESTS(check_round_trips, check_too_large, check_no_memory, check_atlas_extents,
                       check_atlas, check_layer_atlas, check_level_picture);
}
