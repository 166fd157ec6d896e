/* Truevision TGA input ("TGA File Format Specification", version 2.0) by stb_image, which reads
 * missing bytes as zeros and indices outside the colour map as colour 0: we refuse both. We
 * hand stb_image a colour map that begins at index 0, or no map if texels are not mapped, and
 * mirror rows that are stored from the right. */
#include "image/io/reader.h"

#include <string.h>

#include "base/alloc.h"

#define HEADER_BYTES   18u
#define MAX_RUN_TEXELS 64u /* per byte: 128 texels in a packet of two bytes */

/* Image types, and the bit that is added for runs. */
#define TYPE_MAPPED 1u
#define TYPE_COLOUR 2u
#define TYPE_GREY   3u
#define TYPE_RUNS   8u

/* Bits of the descriptor, beside the number of alpha bits. */
#define FROM_THE_RIGHT 0x10u
#define ALPHA_BITS     0x0fu
#define RESERVED       0xc0u

struct tga {
    bool is_mapped, has_runs;
    const uint8_t *map; /* n_colours colours, the first of index `first` */
    uint32_t first, n_colours, colour_bytes, texel_bytes;
};

static bool is_colour(uint32_t bits)
{
    return bits == 15 || bits == 16 || bits == 24 || bits == 32;
}

/* Whether the colour map and the bits of a texel fit the image type. */
static bool has_sane_colours(const uint8_t *head)
{
    const uint32_t type = head[2] & ~TYPE_RUNS, bits = head[16], map_bits = head[7];
    const uint32_t map_first = mb_get_le16(head + 3), n_colours = mb_get_le16(head + 5);
    const bool has_map = head[1] == 1 && n_colours > 0 && is_colour(map_bits);
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

/* Read everything before the texels and go to them; to the end if the file is too short. */
static struct tga read_header(struct mb_reader *reader)
{
    const uint8_t *head = reader->begin;
    const size_t map_at = HEADER_BYTES + (size_t)head[0], n_bytes = mb_reader_left(reader);
    struct tga tga = {
        .is_mapped = (head[2] & ~TYPE_RUNS) == TYPE_MAPPED,
        .has_runs = (head[2] & TYPE_RUNS) != 0,
        .first = mb_get_le16(head + 3),
        .n_colours = mb_get_le16(head + 5),
        .colour_bytes = (head[7] + 7u) / 8,
        .texel_bytes = (head[16] + 7u) / 8,
    };
    const size_t head_bytes = map_at + tga.n_colours * tga.colour_bytes;
    const bool is_whole = head_bytes <= n_bytes;
    tga.map = is_whole ? head + map_at : NULL; /* then no texels are left that could use it */
    reader->at += is_whole ? head_bytes : n_bytes;
    return tga;
}

static bool has_colour(const struct tga *tga, const uint8_t *texel)
{
    const uint32_t index = tga->texel_bytes == 1 ? texel[0] : mb_get_le16(texel);
    return index >= tga->first && index - tga->first < tga->n_colours;
}

/* What is wrong with the texels, or NULL. Without runs, all texels count as one packet. */
static const char *check_texels(const struct mb_reader *reader, const struct tga *tga)
{
    const uint8_t *at = reader->at;
    size_t n_left = (size_t)reader->image->width * reader->image->height;
    while (n_left > 0) {
        size_t n = n_left, n_stored = n_left;
        if (tga->has_runs) {
            if (at == reader->end) {
                return "truncated";
            }
            n = (*at & 0x7fu) + 1u < n_left ? (*at & 0x7fu) + 1u : n_left;
            n_stored = (*at++ & 0x80u) != 0 ? 1 : n;
        }
        if ((size_t)(reader->end - at) < n_stored * tga->texel_bytes) {
            return "truncated";
        }
        for (size_t i = 0; i < n_stored; i++, at += tga->texel_bytes) {
            if (tga->is_mapped && !has_colour(tga, at)) {
                return "an index beyond its colour map";
            }
        }
        n_left -= n;
    }
    return NULL;
}

/* Write the image for stb_image: without an identifier, and with black colours before the map's
 * first colour. `*out` is owned by the caller. */
MB_MUST_CHECK static enum mb_status rewrite(const struct mb_reader *reader,
                                            const struct tga *tga, struct mb_bytes *out,
                                            struct mb_err *err)
{
    const uint32_t n_black = tga->is_mapped ? tga->first : 0;
    const uint32_t n_colours = tga->is_mapped ? n_black + tga->n_colours : 0;
    const uint8_t *body = tga->is_mapped ? tga->map : reader->at;
    const size_t body_at = HEADER_BYTES + n_black * tga->colour_bytes;
    const size_t n_body = (size_t)(reader->end - body);
    MB_FAIL_IF(n_colours > UINT16_MAX, err, MB_ERRC_INPUT,
               "%s: bad TGA: its colour map has %u colours", reader->path, n_colours);
    *out = (struct mb_bytes){mb_alloc(body_at + n_body, 1), body_at + n_body};
    MB_DO(MB_NEED(out->data, reader->path));
    memcpy(out->data, reader->begin, HEADER_BYTES);
    memset(out->data, 0, 2);     /* identifier length, and whether there is a map */
    memset(out->data + 3, 0, 4); /* the map's first index and its length */
    out->data[1] = tga->is_mapped;
    out->data[5] = (uint8_t)n_colours;
    out->data[6] = (uint8_t)(n_colours >> 8);
    memcpy(out->data + body_at, body, n_body);
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
    MB_SCOPED(mb_bytes) file = {0};
    MB_DO(mb_reader_size(reader, width, height, MB_DEPTH_U8, min_bytes, err));
    const char *reason = check_texels(reader, &tga);
    if (reason != NULL) {
        return mb_reader_bad(reader, reason, err);
    }
    MB_DO(rewrite(reader, &tga, &file, err));
    MB_DO(mb_reader_decode(reader, file.data, file.n_bytes, err));
    /* stb_image handles rows from the bottom, but not texels from the right. */
    const bool is_mirrored = (head[17] & FROM_THE_RIGHT) != 0;
    return is_mirrored ? mb_reader_turn(reader, MB_ORIENTATION_MIRRORED, err) : MB_OK;
}
