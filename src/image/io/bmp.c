/* BMP input: a file header, an info header of one of several lengths, bit masks or a palette,
 * and rows of whole 32-bit words. */
#include "image/io/reader.h"

#include <string.h>

#include "image/io/words.h"

#define FILE_HEADER_BYTES  14u
#define CORE_HEADER_BYTES  12u
#define INFO_HEADER_BYTES  40u
#define MASKS_BYTES        12u /* behind an info header, or there within a longer one */
#define ALPHA_HEADER_BYTES 56u /* and more: there is a mask for alpha */

#define BI_RGB       0u
#define BI_BITFIELDS 3u

struct bmp {
    int64_t width, height; /* of the header; a negative height is of rows from the top */
    uint32_t bits, compression;
    struct channel {
        uint32_t shift, n_bits;
    } channels[4];          /* r, g, b and a of 16 and 32 bits */
    const uint8_t *palette; /* bgr, or bgrx */
    size_t n_colours, colour_bytes;
};

/* Where the channels of texels of 16 and 32 bits lie. False unless each has one to eight bits
 * side by side; alpha may be missing. */
static bool read_masks(struct bmp *bmp, const uint8_t *info, size_t n_info)
{
    static const uint32_t masks_16[4] = {0x7c00, 0x3e0, 0x1f, 0};
    static const uint32_t masks_32[4] = {0xff0000, 0xff00, 0xff, 0xff000000};
    for (uint32_t c = 0; c < 4; c++) {
        struct channel *channel = &bmp->channels[c];
        uint32_t mask = bmp->bits == 16 ? masks_16[c] : masks_32[c];
        if (bmp->compression == BI_BITFIELDS) {
            const bool is_there = c < 3 || n_info >= ALPHA_HEADER_BYTES;
            mask = is_there ? mb_get_le32(info + INFO_HEADER_BYTES + c * 4) : 0;
        }
        while (mask != 0 && (mask & 1) == 0) {
            mask >>= 1;
            channel->shift++;
        }
        while ((mask >> channel->n_bits & 1) != 0 && channel->n_bits < 8) {
            channel->n_bits++;
        }
        if (mask >> channel->n_bits != 0 || (mask == 0 && c < 3)) {
            return false;
        }
    }
    return true;
}

/* The palette between the header's end and the rows. A header may claim 256 colours and store
 * fewer. */
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

/* Read all before the rows, and go there. False if it is damaged or of a kind not read. */
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
        .n_colours = is_core ? 0 : mb_get_le32(info + 32),
        .colour_bytes = is_core ? 3 : 4,
    };
    const bool has_masks = bmp->bits == 16 || bmp->bits == 32;
    const bool is_indexed = bmp->bits == 1 || bmp->bits == 4 || bmp->bits == 8;
    size_t head_bytes = FILE_HEADER_BYTES + n_info;
    if (bmp->compression == BI_BITFIELDS && n_info < INFO_HEADER_BYTES + MASKS_BYTES) {
        head_bytes += MASKS_BYTES;
    }
    if (mb_get_le16(info + (is_core ? 8 : 12)) != 1 || rows_at < head_bytes ||
        rows_at > n_bytes || (!has_masks && !is_indexed && bmp->bits != 24)) {
        return false;
    }
    if (is_indexed) {
        find_palette(bmp, file + head_bytes, file + rows_at);
    }
    reader->at = file + rows_at;
    return !has_masks || read_masks(bmp, info, n_info);
}

/* A channel of a texel as eight bits: its own are repeated down to the lowest, so that all ones
 * are 255. */
static uint8_t channel_value(uint32_t texel, const struct channel *channel)
{
    uint32_t n_bits = channel->n_bits;
    uint32_t value = (texel >> channel->shift & ((1u << n_bits) - 1)) << (8 - n_bits);
    for (; n_bits < 8; n_bits *= 2) {
        value |= value >> n_bits;
    }
    return (uint8_t)value;
}

/* Texel `x` of a row as rgba. False on an index beyond the palette. */
static bool expand_texel(const struct bmp *bmp, const uint8_t *row, size_t x, uint8_t rgba[4])
{
    const size_t bit = x * bmp->bits;
    const uint8_t *bgr = row + bit / 8;
    if (bmp->bits == 16 || bmp->bits == 32) {
        const uint32_t texel = bmp->bits == 16 ? mb_get_le16(bgr) : mb_get_le32(bgr);
        for (uint32_t c = 0; c < 4; c++) {
            const struct channel *channel = &bmp->channels[c];
            rgba[c] = channel->n_bits > 0 ? channel_value(texel, channel) : 255;
        }
        return true;
    }
    if (bmp->bits < 16) {
        const uint32_t index = *bgr >> (8 - bmp->bits - bit % 8) & ((1u << bmp->bits) - 1);
        if (index >= bmp->n_colours) {
            return false;
        }
        bgr = bmp->palette + index * bmp->colour_bytes;
    }
    memcpy(rgba, (uint8_t[]){bgr[2], bgr[1], bgr[0], 255}, 4);
    return true;
}

/* Writers that know nothing of alpha leave 0 there: no image is transparent all over. */
static void drop_empty_alpha(struct mb_image *image)
{
    uint8_t *const rgba = image->texels;
    const size_t n_values = (size_t)image->width * image->height * 4;
    for (size_t i = 3; i < n_values; i += 4) {
        if (rgba[i] != 0) {
            return;
        }
    }
    for (size_t i = 3; i < n_values; i += 4) {
        rgba[i] = 255;
    }
}

enum mb_status mb_bmp_decode(struct mb_reader *reader, struct mb_err *err)
{
    struct mb_image *image = reader->image;
    struct bmp bmp;
    if (!read_header(reader, &bmp)) {
        return mb_reader_bad_header(reader, err);
    }
    MB_FAIL_IF(bmp.compression != BI_RGB &&
                   (bmp.compression != BI_BITFIELDS || bmp.channels[0].n_bits == 0),
               err, MB_ERRC_INPUT, "%s: a compressed BMP is not read", reader->path);
    const int64_t n_rows = bmp.height < 0 ? -bmp.height : bmp.height;
    const uint64_t row_bits = (uint64_t)bmp.width * bmp.bits;
    const size_t row_bytes = (size_t)((row_bits + 31) / 32 * 4);
    /* The padding of the last row may be missing. */
    MB_DO(mb_reader_start(reader, bmp.width, n_rows, MB_DEPTH_U8,
                          row_bytes * ((uint64_t)n_rows - 1) + (row_bits + 7) / 8, err));
    for (uint32_t y = 0; y < image->height; y++) {
        const size_t stored = bmp.height < 0 ? y : image->height - 1 - y;
        uint8_t *rgba = (uint8_t *)image->texels + (size_t)y * image->width * 4;
        for (size_t x = 0; x < image->width; x++) {
            if (!expand_texel(&bmp, reader->at + stored * row_bytes, x, rgba + x * 4)) {
                return mb_reader_bad(reader, "a texel's index is beyond its palette", err);
            }
        }
    }
    if (bmp.bits == 32 && bmp.compression == BI_RGB) {
        drop_empty_alpha(image);
    }
    return MB_OK;
}
