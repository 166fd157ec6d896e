/* Truevision TGA input ("TGA File Format Specification", version 2.0). */
#include "image/io/reader.h"

#include <string.h>

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
    bool is_mapped, is_grey, has_runs;
    const uint8_t *map; /* of n_colours, from index `first` */
    uint32_t first, n_colours, colour_bytes, texel_bytes;
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
    const bool has_map = head[1] == 1 && n_colours > 0 && is_colour(map_bits) &&
                         map_first + n_colours <= UINT16_MAX;
    const bool has_no_map = head[1] == 0 && map_first == 0 && n_colours == 0 &&
                            (map_bits == 0 || map_bits == 24 || map_bits == 32);
    if (type == TYPE_MAPPED) {
        return has_map && (bits == 8 || bits == 16);
    }
    return (has_map || has_no_map) && ((type == TYPE_COLOUR && is_colour(bits)) ||
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
           (head[16] % 16 == 0 || head[2] % TYPE_RUNS == TYPE_GREY || alpha_bits == 0) &&
           has_sane_colours(head);
}

/* Read all before the texels, and go there, or to the end of a file that is too short. */
static struct tga read_header(struct mb_reader *reader)
{
    const uint8_t *head = reader->begin;
    const size_t map_at = HEADER_BYTES + (size_t)head[0], n_bytes = mb_reader_left(reader);
    struct tga tga = {
        .is_mapped = (head[2] & ~TYPE_RUNS) == TYPE_MAPPED,
        .is_grey = (head[2] & ~TYPE_RUNS) == TYPE_GREY,
        .has_runs = (head[2] & TYPE_RUNS) != 0,
        .first = mb_get_le16(head + 3),
        .n_colours = mb_get_le16(head + 5),
        .colour_bytes = (head[7] + 7u) / 8,
        .texel_bytes = (head[16] + 7u) / 8,
    };
    const size_t head_bytes = map_at + tga.n_colours * tga.colour_bytes;
    const bool is_whole = head_bytes <= n_bytes;
    tga.map = is_whole ? head + map_at : NULL; /* no texels are left, either */
    reader->at += is_whole ? head_bytes : n_bytes;
    return tga;
}

/* Grey, grey and alpha, five bits a channel, bgr or bgra; the bit above the fives means nothing
 * that writers agree on. */
static void read_colour(const uint8_t *stored, uint32_t n_bytes, bool is_grey, uint8_t rgba[4])
{
    rgba[3] = n_bytes == 4 ? stored[3] : 255;
    if (is_grey) {
        memset(rgba, stored[0], 3);
        rgba[3] = n_bytes == 2 ? stored[1] : 255;
    } else if (n_bytes == 2) {
        for (int c = 0; c < 3; c++) {
            rgba[c] = (uint8_t)((mb_get_le16(stored) >> (10 - 5 * c) & 31) * 255 / 31);
        }
    } else {
        rgba[0] = stored[2];
        rgba[1] = stored[1];
        rgba[2] = stored[0];
    }
}

/* A texel as it is stored; false if its index is outside the colour map. */
static bool read_texel(const struct tga *tga, const uint8_t *stored, uint8_t rgba[4])
{
    if (!tga->is_mapped) {
        read_colour(stored, tga->texel_bytes, tga->is_grey, rgba);
        return true;
    }
    const uint32_t at = tga->texel_bytes == 1 ? stored[0] : mb_get_le16(stored);
    const bool is_there = at >= tga->first && at - tga->first < tga->n_colours;
    if (is_there) {
        read_colour(tga->map + (at - tga->first) * tga->colour_bytes, tga->colour_bytes, false,
                    rgba);
    }
    return is_there;
}

/* Where texel `i` of the file belongs. */
static uint8_t *place(const struct mb_image *image, uint8_t descriptor, size_t i)
{
    size_t x = i % image->width, y = i / image->width;
    x = (descriptor & FROM_THE_RIGHT) != 0 ? image->width - 1 - x : x;
    y = (descriptor & FROM_THE_TOP) != 0 ? y : image->height - 1 - y;
    return (uint8_t *)image->texels + (y * image->width + x) * 4;
}

/* What is wrong with the texels, or NULL. Without runs they are one packet. */
static const char *decode_texels(const struct mb_reader *reader, const struct tga *tga)
{
    const uint8_t *at = reader->at;
    const size_t n_texels = (size_t)reader->image->width * reader->image->height;
    size_t i = 0, end = n_texels;
    while (i < n_texels) {
        bool is_run = false;
        if (tga->has_runs) {
            if (at == reader->end) {
                return "truncated";
            }
            is_run = (*at & 0x80u) != 0;
            end = i + (*at++ & 0x7fu) + 1;
            end = end < n_texels ? end : n_texels;
        }
        if ((size_t)(reader->end - at) < (is_run ? 1 : end - i) * tga->texel_bytes) {
            return "truncated";
        }
        for (; i < end; i++) {
            if (!read_texel(tga, at, place(reader->image, reader->begin[17], i))) {
                return "an index beyond its colour map";
            }
            at += is_run && i + 1 < end ? 0 : tga->texel_bytes;
        }
    }
    return NULL;
}

enum mb_status mb_tga_decode(struct mb_reader *reader, struct mb_err *err)
{
    const uint8_t *head = reader->begin;
    const uint32_t width = mb_get_le16(head + 12), height = mb_get_le16(head + 14);
    const struct tga tga = read_header(reader);
    const uint64_t n_texels = (uint64_t)width * height;
    const uint64_t min_bytes = tga.has_runs ? (n_texels + MAX_RUN_TEXELS - 1) / MAX_RUN_TEXELS
                                            : n_texels * tga.texel_bytes;
    MB_DO(mb_reader_start(reader, width, height, MB_DEPTH_U8, min_bytes, err));
    const char *reason = decode_texels(reader, &tga);
    return reason == NULL ? MB_OK : mb_reader_bad(reader, reason, err);
}
