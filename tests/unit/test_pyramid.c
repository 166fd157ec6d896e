/* Level sizes, level counts and the packed layout. */
#include "check.h"

#include "base/rng.h"
#include "image/pyramid.h"

static void check_extents(void)
{
    const struct mb_extent base = {5, 3};
    CHECK_EQ_INT(mb_level_extent(base, 0).width, 5);
    CHECK_EQ_INT(mb_level_extent(base, 1).width, 2);
    CHECK_EQ_INT(mb_level_extent(base, 1).height, 1);
    CHECK_EQ_INT(mb_level_extent(base, 2).width, 1);
    CHECK_EQ_INT(mb_level_extent(base, 2).height, 1);
    CHECK_EQ_INT(mb_level_extent(base, 40).width, 1);

    CHECK_EQ_INT(mb_full_level_count((struct mb_extent){1, 1}), 1);
    CHECK_EQ_INT(mb_full_level_count((struct mb_extent){2, 1}), 2);
    CHECK_EQ_INT(mb_full_level_count((struct mb_extent){5, 3}), 3);
    CHECK_EQ_INT(mb_full_level_count((struct mb_extent){1, 300}), 9);
    CHECK_EQ_INT(mb_full_level_count((struct mb_extent){4095, 4096}), 13);
    CHECK_EQ_INT(mb_full_level_count((struct mb_extent){32768, 32768}), MB_MAX_LEVELS);
}

/* 5x3, 2x1, 1x1 of rgba8 in two layers: 2 x 60 bytes, 2 x 8 at 128 (120 rounded up), 2 x 4 at
 * 144, all in 160 (152 rounded up). */
static void check_layout(void)
{
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){5, 3}, 2, 3);
    CHECK_EQ_INT(layout.level_offset_bytes[0], 0);
    CHECK_EQ_INT(layout.level_offset_bytes[1], 128);
    CHECK_EQ_INT(layout.level_offset_bytes[2], 144);
    CHECK_EQ_INT(layout.level_layer_bytes[0], 60);
    CHECK_EQ_INT(layout.level_layer_bytes[1], 8);
    CHECK_EQ_INT(layout.level_layer_bytes[2], 4);
    CHECK_EQ_INT(layout.total_bytes, 160);
    CHECK_EQ_INT(mb_layout_compulsory_bytes(&layout), 144);

    const char block[160] = {0};
    CHECK((const char *)mb_layout_level(&layout, block, 1, 1) == block + 136);
    CHECK((const char *)mb_layout_level(&layout, block, 0, 1) == block + 60);
}

static void check_large_layout(void)
{
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find("rgba32f"), (struct mb_extent){32768, 32768}, 1, 16);
    CHECK(layout.level_offset_bytes[1] == 1ull << 34);
    CHECK(layout.level_offset_bytes[2] == (1ull << 34) + (1ull << 32));
}

static void check_same_rect(struct mb_rect got, struct mb_rect want)
{
    CHECK_EQ_INT(got.x, want.x);
    CHECK_EQ_INT(got.y, want.y);
    CHECK_EQ_INT(got.width, want.width);
    CHECK_EQ_INT(got.height, want.height);
}

/* What SPD's set-up makes of a changed rectangle: its examples are of 512x512 in tiles of 64.
 */
static void check_tiles(void)
{
    const struct mb_rect change = {.x = 70, .y = 10, .width = 170, .height = 230};
    struct mb_rect tiles = mb_rect_tiles(change, 64);
    check_same_rect(tiles, (struct mb_rect){.x = 1, .y = 0, .width = 3, .height = 4});
    CHECK_EQ_INT(tiles.width * tiles.height, 12);
    tiles = mb_rect_tiles(mb_rect_whole((struct mb_extent){512, 512}), 64);
    CHECK_EQ_INT(tiles.width * tiles.height, 64);
    int32_t corners[4];
    mb_rect_corners(change, corners);
    CHECK(corners[0] == 70 && corners[1] == 10 && corners[2] == 239 && corners[3] == 239);
    /* One texel; on both sides of an edge; up to an edge and one beyond. */
    check_same_rect(mb_rect_tiles((struct mb_rect){511, 64, 1, 1}, 64),
                    (struct mb_rect){7, 1, 1, 1});
    check_same_rect(mb_rect_tiles((struct mb_rect){63, 63, 2, 2}, 64),
                    (struct mb_rect){0, 0, 2, 2});
    check_same_rect(mb_rect_tiles((struct mb_rect){64, 0, 64, 65}, 64),
                    (struct mb_rect){1, 0, 1, 2});
}

int main(void)
{
    return CHECK_TESTS(check_tiles, check_extents, check_layout, check_large_layout);
}
