/* Image files told by their first bytes. TGA has no magic, so it comes last and its whole
 * header must make sense. */
#include "image/io/container.h"

#include <string.h>

#include "image/io/little_endian.h"

#define TGA_RLE_MAX_TEXELS   64u /* 128 texels in a packet of two bytes, per byte */
#define TGA_HEADER_BYTES     18u
#define BMP_CORE_HEADER_SIZE 12u

static bool starts_with(const uint8_t *data, size_t n_bytes, const char *magic, size_t n_magic)
{
    return n_bytes >= n_magic && memcmp(data, magic, n_magic) == 0;
}

/* stb takes the absolute value of a height, which INT_MIN has not. */
static bool check_bmp(struct mb_container *container, const uint8_t *data, size_t n_bytes)
{
    if (n_bytes < 30) {
        return false;
    }
    const bool is_core = mb_get_u32(data + 14) == BMP_CORE_HEADER_SIZE;
    const uint32_t bits = mb_get_u16(data + (is_core ? 24 : 28));
    if (bits == 0 || bits > 32 || (!is_core && mb_get_u32(data + 22) == 0x80000000u)) {
        return false;
    }
    container->max_texels = (uint64_t)n_bytes * 8 / bits;
    return true;
}

static bool check_tga_colours(const uint8_t *data)
{
    const uint32_t type = data[2] & 7u, bits = data[16], map_bits = data[7];
    if (data[1] == 1) {
        /* stb passes over colours before the first of the map and then counts from 0. */
        return type == 1 && (bits == 8 || bits == 16) && mb_get_u16(data + 3) == 0 &&
               mb_get_u16(data + 5) > 0 &&
               (map_bits == 15 || map_bits == 16 || map_bits == 24 || map_bits == 32);
    }
    const bool has_no_map = data[1] == 0 && mb_get_u16(data + 3) == 0 &&
                            mb_get_u16(data + 5) == 0 &&
                            (map_bits == 0 || map_bits == 24 || map_bits == 32);
    const bool is_true_colour =
        type == 2 && (bits == 15 || bits == 16 || bits == 24 || bits == 32);
    const bool is_grey = type == 3 && (bits == 8 || bits == 16);
    return has_no_map && (is_true_colour || is_grey);
}

/* Bytes before the texels: header, name and colour map. */
static size_t tga_head_bytes(const uint8_t *data)
{
    const size_t n_colours = data[1] == 1 ? mb_get_u16(data + 5) : 0;
    return TGA_HEADER_BYTES + data[0] + n_colours * ((data[7] + 7u) / 8);
}

static bool check_tga(struct mb_container *container, const uint8_t *data, size_t n_bytes)
{
    if (n_bytes <= TGA_HEADER_BYTES) {
        return false;
    }
    const bool is_known_type = (data[2] & ~(8u | 3u)) == 0;
    const bool has_extent = mb_get_u16(data + 12) > 0 && mb_get_u16(data + 14) > 0;
    const uint32_t alpha_bits = data[17] & 15u;
    const bool has_sane_descriptor = (data[17] & 0xc0u) == 0 && alpha_bits <= 8 &&
                                     (data[16] == 16 || data[16] == 32 || alpha_bits == 0);
    if (!is_known_type || !has_extent || !has_sane_descriptor || !check_tga_colours(data)) {
        return false;
    }
    const size_t head_bytes = tga_head_bytes(data), texel_bytes = (data[16] + 7u) / 8;
    const uint64_t n_stored = n_bytes > head_bytes ? n_bytes - head_bytes : 0;
    container->max_texels =
        (data[2] & 8u) != 0 ? n_stored * TGA_RLE_MAX_TEXELS : n_stored / texel_bytes;
    return true;
}

bool mb_tga_has_colours(const uint8_t *data, size_t n_bytes, size_t n_texels)
{
    const bool has_map = data[1] == 1, has_runs = (data[2] & 8u) != 0;
    const size_t index_bytes = data[16] / 8, n_colours = mb_get_u16(data + 5);
    size_t at = tga_head_bytes(data), n_left = has_runs ? 0 : n_texels;
    bool is_run = false, is_good = true;
    for (size_t i = 0; has_map && is_good && i < n_texels && at < n_bytes; i++) {
        if (n_left == 0) {
            is_run = (data[at] & 0x80u) != 0;
            n_left = (data[at++] & 0x7fu) + 1u;
        }
        if (at + index_bytes > n_bytes) {
            return true; /* truncated, which the decoder says */
        }
        is_good = (index_bytes == 1 ? data[at] : mb_get_u16(data + at)) < n_colours;
        n_left--;
        at += is_run && n_left > 0 ? 0 : index_bytes;
    }
    return is_good;
}

/* Those with a reader of their own, which checks the header better than can be done here. */
static bool check_nothing(struct mb_container *container, const uint8_t *data, size_t n_bytes)
{
    (void)data;
    (void)n_bytes;
    container->max_texels = UINT64_MAX;
    return true;
}

/* Formats that are read. */
static const struct reader {
    enum mb_container_kind kind;
    const char *name, *magic;
    size_t n_magic;
    bool (*check)(struct mb_container *container, const uint8_t *data, size_t n_bytes);
} readers[] = {
    {MB_CONTAINER_PNG, "PNG", "\x89PNG\r\n\x1a\n", 8, check_nothing},
    {MB_CONTAINER_HDR, "Radiance HDR", "#?RADIANCE\n", 11, check_nothing},
    {MB_CONTAINER_HDR, "Radiance HDR", "#?RGBE\n", 7, check_nothing},
    {MB_CONTAINER_PNM, "PNM", "P5", 2, check_nothing},
    {MB_CONTAINER_PNM, "PNM", "P6", 2, check_nothing},
    {MB_CONTAINER_PFM, "PFM", "PF", 2, check_nothing},
    {MB_CONTAINER_PFM, "PFM", "Pf", 2, check_nothing},
    {MB_CONTAINER_BMP, "BMP", "BM", 2, check_bmp},
};

/* Formats that are only recognised, so that the message can say what to do. */
static const struct stranger {
    const char *name, *magic;
    size_t n_magic, offset_bytes;
} strangers[] = {
    {"JPEG", "\xff\xd8\xff", 3, 0},
    {"GIF", "GIF87a", 6, 0},
    {"GIF", "GIF89a", 6, 0},
    {"PSD", "8BPS", 4, 0},
    {"WebP", "WEBP", 4, 8},
    {"TIFF", "II*\0", 4, 0},
    {"TIFF", "MM\0*", 4, 0},
    {"OpenEXR", "\x76\x2f\x31\x01", 4, 0},
    {"DDS", "DDS ", 4, 0},
    {"KTX", "\xabKTX ", 5, 0},
    {"AVIF or HEIF", "ftyp", 4, 4},
    {"JPEG XL", "\xff\x0a", 2, 0},
    {"PNM in text or bitmap form", "P1", 2, 0},
    {"PNM in text or bitmap form", "P2", 2, 0},
    {"PNM in text or bitmap form", "P3", 2, 0},
    {"PNM in text or bitmap form", "P4", 2, 0},
};

static const struct stranger *find_stranger(const uint8_t *data, size_t n_bytes)
{
    for (size_t i = 0; i < MB_COUNTOF(strangers); i++) {
        const struct stranger *s = &strangers[i];
        if (n_bytes > s->offset_bytes &&
            starts_with(data + s->offset_bytes, n_bytes - s->offset_bytes, s->magic,
                        s->n_magic)) {
            return s;
        }
    }
    return NULL;
}

static const struct reader *find_reader(const uint8_t *data, size_t n_bytes)
{
    for (size_t i = 0; i < MB_COUNTOF(readers); i++) {
        if (starts_with(data, n_bytes, readers[i].magic, readers[i].n_magic)) {
            return &readers[i];
        }
    }
    return NULL;
}

enum mb_status mb_container_detect(struct mb_container *container, const char *path,
                                   const uint8_t *data, size_t n_bytes, struct mb_err *err)
{
    const struct reader *reader = find_reader(data, n_bytes);
    if (reader != NULL) {
        *container = (struct mb_container){.kind = reader->kind, .name = reader->name};
        if (reader->check(container, data, n_bytes)) {
            return MB_OK;
        }
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: bad %s: its header is damaged or of a kind not read", path,
                       reader->name);
    }
    enum mb_status status;
    const struct stranger *stranger = find_stranger(data, n_bytes);
    if (stranger != NULL) {
        status = MB_FAIL(err, MB_ERRC_INPUT, "%s: %s is not read", path, stranger->name);
        mb_err_hint(err, "convert it: 'convert %.80s out.png'", path);
        return status;
    }
    *container = (struct mb_container){.kind = MB_CONTAINER_TGA, .name = "TGA"};
    if (check_tga(container, data, n_bytes)) {
        return MB_OK;
    }
    status = MB_FAIL(err, MB_ERRC_INPUT, "%s: not an image that can be read", path);
    mb_err_hint(err, "PNG, BMP, TGA, PNM (P5, P6), PFM and Radiance HDR are");
    return status;
}
