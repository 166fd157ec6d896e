/* BMP with a palette. Read here because stb 2.27 takes colours beyond the palette from
 * uninitialised memory. */
#include "image/io/bmp.h"

#include <string.h>

#include "base/alloc.h"
#include "image/io/little_endian.h"

#define FILE_HEADER_BYTES 14u
#define CORE_HEADER_BYTES 12u
#define INFO_HEADER_BYTES 40u

struct bmp {
    int64_t width, height; /* of the header; a negative height is of rows from the top */
    uint32_t bits, compression;
    size_t n_colours, colour_bytes;
    const uint8_t *palette; /* bgr, or bgrx */
    size_t rows_at, row_bytes;
};

bool mb_bmp_has_palette(const struct mb_bytes *file)
{
    const bool is_core = mb_get_u32(file->data + FILE_HEADER_BYTES) == CORE_HEADER_BYTES;
    return mb_get_u16(file->data + (is_core ? 24 : 28)) <= 8;
}

/* False if the file is too short for the header and palette that it says it has. */
static bool read_header(struct bmp *bmp, const struct mb_bytes *file)
{
    const uint8_t *info = file->data + FILE_HEADER_BYTES;
    const size_t n_info = mb_get_u32(info);
    const bool is_core = n_info == CORE_HEADER_BYTES;
    if ((!is_core && n_info < INFO_HEADER_BYTES) ||
        n_info + FILE_HEADER_BYTES > file->n_bytes) {
        return false;
    }
    *bmp = (struct bmp){
        .width = is_core ? (int64_t)mb_get_u16(info + 4) : (int32_t)mb_get_u32(info + 4),
        .height = is_core ? (int64_t)mb_get_u16(info + 6) : (int32_t)mb_get_u32(info + 8),
        .bits = mb_get_u16(info + (is_core ? 10 : 14)),
        .compression = is_core ? 0 : mb_get_u32(info + 16),
        .n_colours = is_core ? 0 : mb_get_u32(info + 32),
        .colour_bytes = is_core ? 3 : 4,
        .palette = info + n_info,
        .rows_at = mb_get_u32(file->data + 10),
    };
    if (bmp->bits != 1 && bmp->bits != 4 && bmp->bits != 8) {
        return false;
    }
    const size_t palette_at = FILE_HEADER_BYTES + n_info, max_colours = (size_t)1 << bmp->bits;
    if (bmp->rows_at < palette_at || bmp->rows_at > file->n_bytes) {
        return false;
    }
    if (bmp->n_colours == 0 || bmp->n_colours > max_colours) {
        bmp->n_colours = max_colours;
    }
    /* The rows begin where the palette ends: a header may claim 256 colours and store fewer. */
    const size_t n_held = (bmp->rows_at - palette_at) / bmp->colour_bytes;
    bmp->n_colours = n_held < bmp->n_colours ? n_held : bmp->n_colours;
    return true;
}

/* One row of indices as rgba[width][4]. False on an index beyond the palette. */
static bool expand_row(const struct bmp *bmp, const uint8_t *row, uint32_t width, uint8_t *rgba)
{
    for (size_t x = 0; x < width; x++) {
        const size_t bit = x * bmp->bits;
        const uint32_t index =
            row[bit / 8] >> (8 - bmp->bits - bit % 8) & ((1u << bmp->bits) - 1);
        if (index >= bmp->n_colours) {
            return false;
        }
        const uint8_t *bgr = bmp->palette + index * bmp->colour_bytes;
        memcpy(rgba + x * 4, (uint8_t[]){bgr[2], bgr[1], bgr[0], 255}, 4);
    }
    return true;
}

static bool expand(const struct bmp *bmp, const struct mb_bytes *file, struct mb_image *image)
{
    for (uint32_t y = 0; y < image->height; y++) {
        const uint32_t row = bmp->height < 0 ? y : image->height - 1 - y;
        uint8_t *rgba = (uint8_t *)image->texels + (size_t)y * image->width * 4;
        if (!expand_row(bmp, file->data + bmp->rows_at + row * bmp->row_bytes, image->width,
                        rgba)) {
            return false;
        }
    }
    return true;
}

enum mb_status mb_bmp_decode(struct mb_image *image, const char *path,
                             const struct mb_bytes *file, struct mb_err *err)
{
    enum mb_status status;
    struct bmp bmp;
    if (!read_header(&bmp, file)) {
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: bad BMP: its header is damaged or of a kind not read", path);
    }
    if (bmp.compression != 0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: a compressed BMP is not read", path);
    }
    MB_TRY(
        mb_image_check_extent(path, bmp.width, bmp.height < 0 ? -bmp.height : bmp.height, err));
    image->width = (uint32_t)bmp.width;
    image->height = (uint32_t)(bmp.height < 0 ? -bmp.height : bmp.height);
    bmp.row_bytes = ((size_t)image->width * bmp.bits + 31) / 32 * 4;
    /* The padding of the last row may be missing. */
    const size_t n_needed =
        bmp.row_bytes * (image->height - 1) + ((size_t)image->width * bmp.bits + 7) / 8;
    if (file->n_bytes - bmp.rows_at < n_needed) {
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: truncated: %zu bytes cannot hold the %ux%u texels of its header",
                       path, file->n_bytes, image->width, image->height);
    }
    image->texels = mb_malloc((size_t)image->width * image->height * 4);
    if (image->texels == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %ux%u texels", path,
                       image->width, image->height);
    }
    if (!expand(&bmp, file, image)) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad BMP: a texel's index is beyond its palette",
                       path);
    }
    return MB_OK;
fail:
    return status;
}
