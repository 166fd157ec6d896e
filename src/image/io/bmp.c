/* BMP input by stb_image, which reads missing bytes as zeros and knows few headers. So we parse
 * and check the header, then hand stb_image an equivalent file with a V4 header. */
#include "image/io/reader.h"

#include <string.h>

#include "base/alloc.h"

#define FILE_HEADER_BYTES  14u
#define CORE_HEADER_BYTES  12u
#define INFO_HEADER_BYTES  40u
#define ALPHA_HEADER_BYTES 56u /* headers of this size or more have a mask for alpha */
#define V4_HEADER_BYTES    108u
#define MASK_BYTES         4u /* masks are behind an info header or in a longer header */
#define PALETTE_BYTES      1024u

#define BI_RGB            0u
#define BI_BITFIELDS      3u
#define BI_ALPHABITFIELDS 6u

struct bmp {
    int64_t width, height; /* from the header; if height < 0, rows are from the top */
    uint32_t bits, compression;
    uint32_t n_masks; /* masks of r, g, b, a; only for 16 and 32 bits */
    const uint8_t *masks, *palette;
    size_t n_colours, colour_bytes; /* bgr or bgrx; none for 16 bits and more */
    size_t row_bytes;               /* with the padding */
};

/* True if each mask has one to eight adjacent bits; alpha may have none. */
static bool has_sane_masks(const struct bmp *bmp)
{
    for (uint32_t c = 0; c < bmp->n_masks; c++) {
        const uint32_t mask = mb_get_le32(bmp->masks + c * MASK_BYTES);
        const uint32_t ones = mask != 0 ? mask / (mask & (~mask + 1)) : 0;
        if (ones > 255 || (ones & (ones + 1)) != 0 || (ones == 0 && c < 3)) {
            return false;
        }
    }
    return true;
}

/* Find the palette between the header's end and the rows. A header may claim 256 colours and
 * store fewer. */
static void find_palette(struct bmp *bmp, const uint8_t *begin, const uint8_t *rows)
{
    const size_t n_most = (size_t)1 << bmp->bits;
    const size_t n_held = (size_t)(rows - begin) / bmp->colour_bytes;
    if (bmp->n_colours == 0 || bmp->n_colours > n_most) {
        bmp->n_colours = n_most;
    }
    bmp->n_colours = n_held < bmp->n_colours ? n_held : bmp->n_colours;
    bmp->palette = begin;
}

/* Read everything before the rows, and go to the rows. False if damaged or unsupported. */
static bool read_header(struct mb_reader *reader, struct bmp *bmp)
{
    const uint8_t *const file = reader->begin, *const info = file + FILE_HEADER_BYTES;
    const size_t n_bytes = mb_reader_left(reader);
    if (n_bytes < FILE_HEADER_BYTES + CORE_HEADER_BYTES) {
        return false;
    }
    const size_t n_info = mb_get_le32(info), rows_at = mb_get_le32(file + 10);
    const bool is_core = n_info == CORE_HEADER_BYTES;
    if ((!is_core && n_info < INFO_HEADER_BYTES) || n_info > n_bytes - FILE_HEADER_BYTES) {
        return false;
    }
    *bmp = (struct bmp){
        .width = is_core ? (int64_t)mb_get_le16(info + 4) : (int32_t)mb_get_le32(info + 4),
        .height = is_core ? (int64_t)mb_get_le16(info + 6) : (int32_t)mb_get_le32(info + 8),
        .bits = mb_get_le16(info + (is_core ? 10 : 14)),
        .compression = is_core ? BI_RGB : mb_get_le32(info + 16),
        .masks = info + INFO_HEADER_BYTES,
        .n_colours = is_core ? 0 : mb_get_le32(info + 32),
        .colour_bytes = is_core ? 3 : 4,
    };
    const bool is_direct = bmp->bits == 16 || bmp->bits == 32;
    if (is_direct && bmp->compression == BI_BITFIELDS) {
        bmp->n_masks = n_info >= ALPHA_HEADER_BYTES ? 4 : 3;
    } else if (is_direct && bmp->compression == BI_ALPHABITFIELDS) {
        bmp->n_masks = 4;
    }
    const bool is_behind = n_info < INFO_HEADER_BYTES + bmp->n_masks * MASK_BYTES;
    const size_t head_bytes =
        FILE_HEADER_BYTES + n_info + (is_behind ? bmp->n_masks * MASK_BYTES : 0);
    if (mb_get_le16(info + (is_core ? 8 : 12)) != 1 || rows_at < head_bytes ||
        rows_at > n_bytes) {
        return false;
    }
    reader->at = file + rows_at;
    if (bmp->bits == 1 || bmp->bits == 4 || bmp->bits == 8) {
        find_palette(bmp, file + head_bytes, reader->at);
        return true;
    }
    return bmp->bits == 24 || (is_direct && has_sane_masks(bmp));
}

static bool has_colours(const struct bmp *bmp, const struct mb_reader *reader)
{
    for (size_t y = 0; y < reader->image->height; y++) {
        const uint8_t *row = reader->at + y * bmp->row_bytes;
        for (size_t x = 0; x < reader->image->width; x++) {
            const size_t bit = x * bmp->bits;
            const uint32_t above = row[bit / 8] >> (8 - bmp->bits - bit % 8);
            if ((above & ((1u << bmp->bits) - 1)) >= bmp->n_colours) {
                return false;
            }
        }
    }
    return true;
}

/* Write the same image with a BITMAPV4HEADER, a palette of 256 colours and the full padding of
 * the last row. `*out` is owned by the caller. */
MB_MUST_CHECK static enum mb_status rewrite(const struct mb_reader *reader,
                                            const struct bmp *bmp, struct mb_bytes *out,
                                            struct mb_err *err)
{
    const size_t n_rows_bytes = bmp->row_bytes * reader->image->height;
    const size_t n_left = mb_reader_left(reader);
    const size_t rows_at =
        FILE_HEADER_BYTES + V4_HEADER_BYTES + (bmp->bits < 16 ? PALETTE_BYTES : 0);
    *out = (struct mb_bytes){mb_alloc(rows_at + n_rows_bytes, 1), rows_at + n_rows_bytes};
    MB_DO(MB_NEED(out->data, reader->path));
    uint8_t *const info = out->data + FILE_HEADER_BYTES;
    memcpy(out->data, "BM", 2);
    mb_put_le32(out->data + 10, (uint32_t)rows_at);
    mb_put_le32(info, V4_HEADER_BYTES);
    mb_put_le32(info + 4, (uint32_t)bmp->width);
    mb_put_le32(info + 8, (uint32_t)bmp->height);
    mb_put_le32(info + 12, 1 | bmp->bits << 16);
    mb_put_le32(info + 16, bmp->n_masks > 0 ? BI_BITFIELDS : BI_RGB);
    memcpy(info + INFO_HEADER_BYTES, bmp->masks, bmp->n_masks * MASK_BYTES);
    for (size_t i = 0; bmp->bits < 16 && i < bmp->n_colours; i++) {
        memcpy(info + V4_HEADER_BYTES + i * 4, bmp->palette + i * bmp->colour_bytes, 3);
    }
    memcpy(out->data + rows_at, reader->at, n_left < n_rows_bytes ? n_left : n_rows_bytes);
    return MB_OK;
}

enum mb_status mb_bmp_decode(struct mb_reader *reader, struct mb_err *err)
{
    struct bmp bmp;
    MB_SCOPED(mb_bytes) file = {0};
    if (!read_header(reader, &bmp)) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    MB_FAIL_IF(bmp.compression != BI_RGB && bmp.n_masks == 0, err, MB_ERRC_INPUT,
               "%s: a compressed BMP is not read", reader->path);
    const int64_t n_rows = bmp.height < 0 ? -bmp.height : bmp.height;
    const uint64_t row_bits = (uint64_t)bmp.width * bmp.bits;
    bmp.row_bytes = (size_t)((row_bits + 31) / 32 * 4);
    /* The padding of the last row may be missing. */
    MB_DO(mb_reader_size(reader, bmp.width, n_rows, MB_DEPTH_U8,
                         bmp.row_bytes * ((uint64_t)n_rows - 1) + (row_bits + 7) / 8, err));
    if (bmp.bits < 16 && !has_colours(&bmp, reader)) {
        return mb_reader_bad(reader, "a texel's index is beyond its palette", err);
    }
    MB_DO(rewrite(reader, &bmp, &file, err));
    return mb_reader_decode(reader, file.data, file.n_bytes, err);
}
