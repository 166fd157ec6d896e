/* PNG output, and the pictures that are written: single levels and the atlas of a chain. */
#include "image/io/png.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "image/io/stb_impl.h"

#define CHUNK_TEXELS 256u

enum mb_status mb_png_encode(const uint8_t *rgba, uint32_t width, uint32_t height,
                             struct mb_bytes *out, struct mb_err *err)
{
    *out = (struct mb_bytes){0};
    /* stb counts in int: filtered rows (a byte more each), and what deflate makes of them,
     * which at worst is 5 bytes in 5000 longer, plus headers. */
    const uint64_t filtered_bytes = ((uint64_t)width * 4 + 1) * height;
    if (filtered_bytes + filtered_bytes / 1000 + 65536 > INT_MAX) {
        return MB_FAIL(err, MB_ERRC_OUTPUT, "a PNG of %ux%u texels is too large to be encoded",
                       width, height);
    }
    int n_bytes = 0;
    uint8_t *data = mb_stb_png_encode(rgba, (int)width, (int)height, &n_bytes);
    if (data == NULL || n_bytes <= 0) {
        mb_free(data);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "out of memory for a PNG of %ux%u texels", width,
                       height);
    }
    *out = (struct mb_bytes){.data = data, .n_bytes = (size_t)n_bytes};
    return MB_OK;
}

enum mb_status mb_png_write(const char *path, const uint8_t *rgba, uint32_t width,
                            uint32_t height, struct mb_err *err)
{
    struct mb_bytes png;
    enum mb_status status = mb_png_encode(rgba, width, height, &png, err);
    if (status == MB_OK) {
        status = mb_file_write_atomic(path, png.data, png.n_bytes, err);
    }
    mb_bytes_finish(&png);
    return status;
}

/* What one channel holds is shown as grey. */
static void spread_grey(double *rgba, size_t n)
{
    for (size_t i = 0; i < n * 4; i += 4) {
        rgba[i + 1] = rgba[i + 2] = rgba[i];
    }
}

/* Convert `n` texels of any format to rgba8 codes. */
static void texels_to_rgba8(const struct mb_format *format, const uint8_t *texels, size_t n,
                            uint8_t *rgba)
{
    static const struct mb_format rgba8 = {
        .name = "rgba8", .texel_bytes = 4, .n_channels = 4, .codec = MB_CODEC_UNORM8};
    if (format->n_channels == 4 && mb_format_max_code(format, 0) == 255.0) {
        memcpy(rgba, texels, n * 4);
        return;
    }
    for (size_t i = 0; i < n; i += CHUNK_TEXELS) {
        double chunk[CHUNK_TEXELS * 4];
        const size_t n_chunk = n - i < CHUNK_TEXELS ? n - i : CHUNK_TEXELS;
        mb_format_decode_coded(format, texels + i * format->texel_bytes, n_chunk, chunk);
        if (format->n_channels == 1) {
            spread_grey(chunk, n_chunk);
        }
        mb_format_encode(&rgba8, chunk, n_chunk, rgba + i * 4);
    }
}

void mb_level_to_rgba8(const struct mb_layout *layout, const void *block, uint32_t level,
                       uint32_t layer, uint8_t *rgba)
{
    const struct mb_extent extent = mb_level_extent(layout->base, level);
    texels_to_rgba8(layout->format, mb_layout_level(layout, block, level, layer),
                    (size_t)extent.width * extent.height, rgba);
}

struct mb_extent mb_atlas_extent(struct mb_extent base, uint32_t n_levels)
{
    struct mb_extent atlas = base;
    uint32_t stacked_height = 0;
    for (uint32_t level = 1; level < n_levels; level++) {
        stacked_height += mb_level_extent(base, level).height;
    }
    if (n_levels > 1) {
        atlas.width += mb_level_extent(base, 1).width;
    }
    if (stacked_height > atlas.height) {
        atlas.height = stacked_height;
    }
    return atlas;
}

/* Where the atlas has the first texel of a level's row, as an offset in texels. */
static size_t atlas_offset(const struct mb_layout *layout, uint32_t level, uint32_t row)
{
    const struct mb_extent atlas = mb_atlas_extent(layout->base, layout->n_levels);
    size_t y = row;
    for (uint32_t above = 1; above < level; above++) {
        y += mb_level_extent(layout->base, above).height;
    }
    return y * atlas.width + (level > 0 ? layout->base.width : 0);
}

/* One row of texels of a level. */
static const uint8_t *row_of(const struct mb_layout *layout, const void *block, uint32_t level,
                             uint32_t layer, uint32_t row)
{
    const uint8_t *texels = mb_layout_level(layout, block, level, layer);
    const size_t width = mb_level_extent(layout->base, level).width;
    return texels + row * width * layout->format->texel_bytes;
}

enum mb_status mb_atlas_draw(const struct mb_layout *layout, const void *block, uint32_t layer,
                             uint8_t **rgba, struct mb_extent *extent, struct mb_err *err)
{
    *extent = mb_atlas_extent(layout->base, layout->n_levels);
    *rgba = mb_alloc((size_t)extent->width * extent->height, 4);
    if (*rgba == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "out of memory for an atlas of %ux%u texels",
                       extent->width, extent->height);
    }
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const struct mb_extent source = mb_level_extent(layout->base, level);
        for (uint32_t row = 0; row < source.height; row++) {
            texels_to_rgba8(layout->format, row_of(layout, block, level, layer, row),
                            source.width, *rgba + 4 * atlas_offset(layout, level, row));
        }
    }
    return MB_OK;
}

void mb_atlas_copy(const struct mb_layout *layout, const void *block, uint32_t layer,
                   void *texels)
{
    const size_t texel_bytes = layout->format->texel_bytes;
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        const struct mb_extent source = mb_level_extent(layout->base, level);
        for (uint32_t row = 0; row < source.height; row++) {
            memcpy((uint8_t *)texels + texel_bytes * atlas_offset(layout, level, row),
                   row_of(layout, block, level, layer, row), source.width * texel_bytes);
        }
    }
}
