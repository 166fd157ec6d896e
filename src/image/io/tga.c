/* Truevision TGA input ("TGA File Format Specification", version 2.0). */
#include "image/io/reader.h"

#include <string.h>

#include "image/io/words.h"

#define HEADER_BYTES   18u
#define MAX_RUN_TEXELS 64u /* a byte: 128 texels in a packet of two */

/* The image type, less the bit for runs. */
#define TYPE_MAPPED 1u
#define TYPE_COLOUR 2u
#define TYPE_GREY   3u
#define TYPE_RUNS   8u

/* Bits of the descriptor, beside the number of alpha bits. */
#define FROM_THE_RIGHT 0x10u
#define FROM_THE_TOP   0x20u
#define ALPHA_BITS     0x0fu
#define RESERVED       0xc0u

struct tga {
    uint32_t type, bits, descriptor;
    bool has_runs;
    const uint8_t *map; /* of n_colours */
    uint32_t n_colours, map_bits;
    size_t texel_bytes;
};

static bool is_colour(uint32_t bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

/* Whether the colour map and the bits of a texel are what the type has. */
static bool has_sane_colours(const uint8_t *head)
{
    const uint32_t type = head[2] & ~TYPE_RUNS, bits = head[16], map_bits = head[7];
    const uint32_t map_first = mb_get_le16(head + 3), n_colours = mb_get_le16(head + 5);
    if (head[1] == 1) {
        return type == TYPE_MAPPED && (bits == 8 || bits == 16) && map_first == 0 &&
               n_colours > 0 && is_colour(map_bits);
    }
    const bool has_no_map = head[1] == 0 && map_first == 0 && n_colours == 0 &&
                            (map_bits == 0 || map_bits == 24 || map_bits == 32);
    return has_no_map && ((type == TYPE_COLOUR && is_colour(bits)) ||
                          (type == TYPE_GREY && (bits == 8 || bits == 16)));
}

bool mb_tga_is_likely(const struct mb_reader *reader)
{
    const uint8_t *head = reader->begin;
    if (mb_reader_left(reader) <= HEADER_BYTES) {
        return false;
    }
    const bool has_extent = mb_get_le16(head + 12) > 0 && mb_get_le16(head + 14) > 0;
    const uint32_t alpha_bits = head[17] & ALPHA_BITS;
    return has_extent && (head[17] & RESERVED) == 0 && alpha_bits <= 8 &&
           (head[16] == 16 || head[16] == 32 || alpha_bits == 0) && has_sane_colours(head);
}

/* Read all before the texels, and go there, or to the end of a file that is too short. */
static struct tga read_header(struct mb_reader *reader)
{
    const uint8_t *head = reader->begin;
    const size_t map_at = HEADER_BYTES + (size_t)head[0], n_bytes = mb_reader_left(reader);
    struct tga tga = {
        .type = head[2] & ~TYPE_RUNS,
        .bits = head[16],
        .descriptor = head[17],
        .has_runs = (head[2] & TYPE_RUNS) != 0,
        .n_colours = mb_get_le16(head + 5),
        .map_bits = head[7],
        .texel_bytes = (head[16] + 7u) / 8,
    };
    const size_t head_bytes = map_at + tga.n_colours * ((tga.map_bits + 7u) / 8);
    const bool is_whole = head_bytes <= n_bytes;
    tga.map = is_whole ? head + map_at : NULL; /* no texels are left, either */
    reader->at += is_whole ? head_bytes : n_bytes;
    return tga;
}

/* A stored colour as rgba. The highest of 16 bits is no alpha: many writers leave it 0. */
static void expand_colour(const uint8_t *stored, uint32_t bits, uint8_t rgba[4])
{
    if (bits >= 24) {
        const uint8_t alpha = bits == 32 ? stored[3] : 255;
        memcpy(rgba, (uint8_t[]){stored[2], stored[1], stored[0], alpha}, 4);
        return;
    }
    const uint32_t texel = mb_get_le16(stored);
    for (uint32_t c = 0; c < 3; c++) {
        rgba[c] = (uint8_t)((texel >> (10 - 5 * c) & 31) * 255 / 31);
    }
    rgba[3] = 255;
}

/* False on an index beyond the colour map. */
static bool expand_texel(const struct tga *tga, const uint8_t *stored, uint8_t rgba[4])
{
    if (tga->type == TYPE_COLOUR) {
        expand_colour(stored, tga->bits, rgba);
    } else if (tga->type == TYPE_GREY) {
        const uint8_t grey = stored[0], alpha = tga->bits == 16 ? stored[1] : 255;
        memcpy(rgba, (uint8_t[]){grey, grey, grey, alpha}, 4);
    } else {
        const uint32_t index = tga->bits == 8 ? stored[0] : mb_get_le16(stored);
        if (index >= tga->n_colours) {
            return false;
        }
        expand_colour(tga->map + index * ((tga->map_bits + 7u) / 8), tga->map_bits, rgba);
    }
    return true;
}

/* Where texel `i` of the file belongs. */
static uint8_t *place(const struct tga *tga, const struct mb_image *image, size_t i)
{
    const size_t x = i % image->width, y = i / image->width;
    const size_t column = (tga->descriptor & FROM_THE_RIGHT) != 0 ? image->width - 1 - x : x;
    const size_t row = (tga->descriptor & FROM_THE_TOP) != 0 ? y : image->height - 1 - y;
    return (uint8_t *)image->texels + (row * image->width + column) * 4;
}

MB_MUST_CHECK static enum mb_status read_texels(struct mb_reader *reader, const struct tga *tga,
                                                struct mb_err *err)
{
    const struct mb_image *image = reader->image;
    const size_t n_texels = (size_t)image->width * image->height;
    size_t n_left = tga->has_runs ? 0 : n_texels; /* of the packet */
    bool is_run = false;
    for (size_t i = 0; i < n_texels; i++, n_left--) {
        if (n_left == 0 && mb_reader_left(reader) > 0) {
            is_run = (*reader->at & 0x80u) != 0;
            n_left = (*reader->at++ & 0x7fu) + 1u;
        }
        if (mb_reader_left(reader) < tga->texel_bytes) {
            return mb_reader_bad(reader, "truncated", err);
        }
        if (!expand_texel(tga, reader->at, place(tga, image, i))) {
            return mb_reader_bad(reader, "an index beyond its colour map", err);
        }
        reader->at += is_run && n_left > 1 ? 0 : tga->texel_bytes;
    }
    return MB_OK;
}

enum mb_status mb_tga_decode(struct mb_reader *reader, struct mb_err *err)
{
    const uint8_t *head = reader->begin;
    const uint32_t width = mb_get_le16(head + 12), height = mb_get_le16(head + 14);
    const struct tga tga = read_header(reader);
    const uint64_t n_texels = (uint64_t)width * height;
    const uint64_t min_bytes = tga.has_runs ? (n_texels + MAX_RUN_TEXELS - 1) / MAX_RUN_TEXELS
                                            : n_texels * tga.texel_bytes;
    const enum mb_status status =
        mb_reader_start(reader, width, height, MB_DEPTH_U8, min_bytes, err);
    return status == MB_OK ? read_texels(reader, &tga, err) : status;
}
