/* The contact sheet: where its tiles are, how texels are enlarged and reduced, and its labels.
 */
#include "check.h"

#include "base/alloc.h"
#include "image/io/sheet.h"

#define GAP    12u
#define TOP    (MB_TEXT_HEIGHT + 2 * GAP + 3 * MB_TEXT_HEIGHT + GAP) /* of the first row */
#define FRAME  176 /* of the line around each level */
#define GOLDEN "golden (box)"

static const uint8_t *texel(const struct mb_canvas *canvas, uint32_t x, uint32_t y)
{
    return canvas->rgba + 4 * ((size_t)y * canvas->extent.width + x);
}

static uint32_t tiles_left(void)
{
    return mb_text_width(GOLDEN) + 2 * GAP;
}

static bool has_ink(const struct mb_canvas *canvas, struct mb_rect rect)
{
    for (uint32_t y = rect.y; y < rect.y + rect.height; y++) {
        for (uint32_t x = rect.x; x < rect.x + rect.width; x++) {
            if (texel(canvas, x, y)[0] < 128) {
                return true;
            }
        }
    }
    return false;
}

/* A sheet of two rows of the same chain. */
static struct mb_canvas draw(const struct mb_layout *layout, const uint8_t *block,
                             const char *title)
{
    struct mb_sheet sheet;
    struct mb_canvas canvas;
    struct mb_err err = {0};
    mb_sheet_init(&sheet, layout);
    CHECK_EQ_INT(mb_sheet_add(&sheet, GOLDEN, block, &err), MB_OK);
    CHECK_EQ_INT(mb_sheet_add(&sheet, "spd", block, &err), MB_OK);
    CHECK_EQ_INT(mb_sheet_draw(&sheet, title, "footer", &canvas, &err), MB_OK);
    mb_sheet_finish(&sheet);
    return canvas;
}

/* Texels of 2x2 are squares of 64, of level 1 one of 128; the two rows are the same. */
static void check_enlarged(void)
{
    struct mb_layout layout;
    uint8_t block[64] = {10, 20, 30, 40};
    mb_layout_init(&layout, mb_format_find("r8"), (struct mb_extent){2, 2}, 1, 2);
    block[layout.level_offset_bytes[1]] = 99;
    struct mb_canvas canvas = draw(&layout, block, "title");
    const uint32_t left = tiles_left();
    CHECK_EQ_INT(canvas.extent.width, left + 2 * (128 + GAP));
    CHECK_EQ_INT(canvas.extent.height, TOP + 2 * (128 + GAP) + MB_TEXT_HEIGHT + GAP);
    for (uint32_t row = 0; row < 2; row++) {
        const uint32_t y = TOP + row * (128 + GAP);
        CHECK_EQ_INT(texel(&canvas, left, y)[0], 10);
        CHECK_EQ_INT(texel(&canvas, left + 63, y + 63)[0], 10);
        CHECK_EQ_INT(texel(&canvas, left + 64, y + 63)[1], 20);
        CHECK_EQ_INT(texel(&canvas, left + 63, y + 64)[2], 30);
        CHECK_EQ_INT(texel(&canvas, left + 127, y + 127)[0], 40);
        CHECK_EQ_INT(texel(&canvas, left + 128, y)[0], FRAME);
        CHECK_EQ_INT(texel(&canvas, left - 1, y + 127)[0], FRAME);
        CHECK_EQ_INT(texel(&canvas, left + 64, y - 1)[0], FRAME);
        CHECK_EQ_INT(texel(&canvas, left + 64, y + 128)[0], FRAME);
        CHECK_EQ_INT(texel(&canvas, left + 129, y)[0], 255);
        CHECK_EQ_INT(texel(&canvas, left + 128 + GAP, y)[0], 99);
        CHECK_EQ_INT(texel(&canvas, left + 128 + GAP + 127, y + 127)[0], 99);
    }
    mb_canvas_finish(&canvas);
}

/* 512x128 becomes 128x32: means of 4x4. Level 1 is halved, and level 9 is in the middle. */
static void check_reduced(void)
{
    enum { WIDTH = 512, HEIGHT = 128 };
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find("r8"), (struct mb_extent){WIDTH, HEIGHT}, 1, 10);
    uint8_t *block = mb_alloc(layout.total_bytes, 1);
    CHECK(block != NULL);
    for (uint32_t i = 0; block && i < WIDTH * HEIGHT; i++) {
        block[i] = i % 4 == 0 ? 200 : 0; /* a mean of 50 */
    }
    struct mb_canvas canvas = draw(&layout, block, "title");
    CHECK_EQ_INT(texel(&canvas, tiles_left(), TOP)[0], 50);
    CHECK_EQ_INT(texel(&canvas, tiles_left() + 127, TOP + 31)[0], 50);
    CHECK_EQ_INT(texel(&canvas, tiles_left() + 127, TOP + 32)[0], FRAME);
    CHECK_EQ_INT(texel(&canvas, tiles_left() + 127, TOP + 33)[0], 255);
    CHECK_EQ_INT(texel(&canvas, tiles_left() + 9 * (128 + GAP), TOP)[0], 255);
    CHECK_EQ_INT(texel(&canvas, tiles_left() + 9 * (128 + GAP) + 64, TOP)[0], 0);
    mb_free(block);
    mb_canvas_finish(&canvas);
}

/* What hides under transparent texels is not seen, and squares of 8 are. */
static void check_transparent(void)
{
    struct mb_layout layout;
    const uint8_t block[16] = {255, 0, 0, 0};
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){1, 1}, 1, 1);
    struct mb_canvas canvas = draw(&layout, block, "title");
    const uint8_t *light = texel(&canvas, tiles_left(), TOP);
    const uint8_t *dark = texel(&canvas, tiles_left() + 8, TOP);
    CHECK(light[0] == light[1] && dark[0] == dark[1] && light[0] > dark[0]);
    CHECK_EQ_INT(light[3], 255);
    mb_canvas_finish(&canvas);
}

/* The label of the first row is wider than that of the other. */
static void check_labels(void)
{
    struct mb_layout layout;
    const uint8_t block[16] = {7};
    mb_layout_init(&layout, mb_format_find("r8"), (struct mb_extent){1, 1}, 1, 1);
    struct mb_canvas canvas = draw(&layout, block, "title");
    const uint32_t behind = GAP + mb_text_width("spd"), width = tiles_left() - behind;
    CHECK(has_ink(&canvas, (struct mb_rect){behind, TOP, width, MB_TEXT_HEIGHT}));
    CHECK(!has_ink(&canvas, (struct mb_rect){behind, TOP + 128 + GAP, width, MB_TEXT_HEIGHT}));
    CHECK(has_ink(&canvas, (struct mb_rect){GAP, TOP + 128 + GAP, 40, MB_TEXT_HEIGHT}));
    CHECK(has_ink(&canvas, (struct mb_rect){GAP, GAP, 40, MB_TEXT_HEIGHT}));
    CHECK(has_ink(&canvas, (struct mb_rect){tiles_left(), TOP - GAP - 3 * MB_TEXT_HEIGHT, 40,
                                            MB_TEXT_HEIGHT}));
    CHECK(has_ink(&canvas, (struct mb_rect){GAP, canvas.extent.height - GAP - MB_TEXT_HEIGHT,
                                            40, MB_TEXT_HEIGHT}));
    mb_canvas_finish(&canvas);
}

/* Every printable character but the space leaves ink within its line; others are '?'. */
static void check_text(void)
{
    struct mb_layout layout;
    const uint8_t block[16] = {7};
    mb_layout_init(&layout, mb_format_find("r8"), (struct mb_extent){1, 1}, 1, 1);
    for (char c = '!'; c <= '~'; c++) {
        const char title[] = {c, '\0'};
        const uint32_t width = mb_text_width(title);
        struct mb_canvas canvas = draw(&layout, block, title);
        CHECK(has_ink(&canvas, (struct mb_rect){GAP, GAP, width, 22}));
        CHECK(!has_ink(&canvas, (struct mb_rect){GAP, GAP + 22, 24, 2}));
        CHECK(!has_ink(&canvas, (struct mb_rect){GAP + width, GAP, 24, 24}));
        mb_canvas_finish(&canvas);
    }
    CHECK_EQ_INT(mb_text_width("\xc3"), mb_text_width("?"));
    CHECK_EQ_INT(mb_text_width("\n"), mb_text_width("?"));
}

static enum mb_status draw_sheet(void *layout, struct mb_err *err)
{
    const uint8_t block[16] = {7};
    struct mb_sheet sheet;
    struct mb_canvas canvas = {0};
    mb_sheet_init(&sheet, layout);
    enum mb_status status = mb_sheet_add(&sheet, "spd", block, err);
    if (status == MB_OK) {
        status = mb_sheet_draw(&sheet, "t", "f", &canvas, err);
    }
    mb_sheet_finish(&sheet);
    mb_canvas_finish(&canvas);
    return status;
}

static void check_no_memory(void)
{
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find("r8"), (struct mb_extent){1, 1}, 1, 1);
    CHECK(check_each_allocation(draw_sheet, &layout) >= 4);
}

int main(void)
{
    return CHECK_TESTS(check_enlarged, check_reduced, check_transparent, check_labels,
                       check_text, check_no_memory);
}
