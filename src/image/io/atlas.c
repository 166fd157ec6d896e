/* Pictures of a chain: the atlas of its levels, and a level's errors. */
#include "image/io/write.h"

#include <math.h>

#include "base/alloc.h"

struct mb_extent mb_atlas_extent(struct mb_extent base, uint32_t n_levels)
{
    struct mb_extent atlas = base;
    uint32_t stacked_height = 0;
    for (uint32_t level = 1; level < n_levels; level++) {
        stacked_height += mb_level_extent(base, level).height;
    }
    atlas.width += n_levels > 1 ? mb_level_extent(base, 1).width : 0;
    atlas.height = stacked_height > base.height ? stacked_height : base.height;
    return atlas;
}

enum mb_status mb_atlas_draw(const struct mb_layout *layout, const void *block, uint32_t layer,
                             bool as_rgba8, void **texels, struct mb_err *err)
{
    const struct mb_extent extent = mb_atlas_extent(layout->base, layout->n_levels);
    const struct mb_format *const format = layout->format;
    const struct mb_format *const to = as_rgba8 ? mb_format_find("rgba8") : format;
    *texels = mb_alloc((size_t)extent.width * extent.height, to->texel_bytes);
    MB_DO(MB_NEED(*texels, "atlas"));
    size_t first = 0; /* the level's first texel in the atlas */
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const struct mb_extent source = mb_level_extent(layout->base, level);
        const uint8_t *row = mb_layout_level(layout, block, level, layer);
        uint8_t *out = (uint8_t *)*texels + first * to->texel_bytes;
        first += level == 0 ? source.width : (size_t)source.height * extent.width;
        for (uint32_t y = 0; y < source.height; y++) {
            mb_format_convert(format, row, source.width, to, out);
            row += source.width * format->texel_bytes;
            out += extent.width * to->texel_bytes;
        }
    }
    return MB_OK;
}

/* The shade of an error: 32 for each LSB of 8 bits; NaN counts as the largest error. */
static uint8_t shade_of_error(double got, double wanted)
{
    const double scaled = got == wanted ? 0.0 : fabs(got - wanted) * 255.0 * 32.0;
    return scaled < 255.0 ? (uint8_t)(scaled + 0.5) : 255;
}

void mb_error_picture(const struct mb_format *format, const void *output, const double *want,
                      struct mb_extent extent, uint8_t *rgba)
{
    const size_t n_texels = (size_t)extent.width * extent.height;
    const uint8_t *texels = output;
    for (size_t i = 0; i < n_texels; i++) {
        double got[4], held[4], wanted[4];
        mb_format_decode_coded(format, texels + i * format->texel_bytes, 1, got);
        mb_format_hold(format, got, 1, got);
        mb_format_hold(format, want + i * 4, 1, held);
        mb_format_to_coded(format, held, 1, wanted);
        uint8_t *shown = rgba + i * 4;
        for (size_t c = 0; c < 4; c++) {
            shown[c] = shade_of_error(got[c], wanted[c]);
        }
        for (size_t c = 0; c < 3; c++) {
            shown[c] = shown[c] > shown[3] ? shown[c] : shown[3];
        }
        shown[3] = 255;
    }
}
