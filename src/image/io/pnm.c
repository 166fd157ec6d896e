/* Binary PGM and PPM (netpbm's pgm(5) and ppm(5)). Read here because stb neither swaps the
 * bytes of 16-bit values nor scales by the maximal value. */
#include "image/io/pnm.h"

#include "base/alloc.h"

struct cursor {
    const uint8_t *at, *end;
};

struct header {
    uint32_t n_channels, width, height, max_value;
};

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void skip_space_and_comments(struct cursor *cursor)
{
    bool is_comment = false;
    while (cursor->at < cursor->end &&
           (is_comment || is_space(*cursor->at) || *cursor->at == '#')) {
        is_comment = (is_comment || *cursor->at == '#') && *cursor->at != '\n';
        cursor->at++;
    }
}

/* A decimal number; false if there is none. Stops growing far above any limit. */
static bool read_number(struct cursor *cursor, uint32_t *out)
{
    skip_space_and_comments(cursor);
    const uint8_t *const begin = cursor->at;
    uint32_t value = 0;
    while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9') {
        const uint32_t digit = *cursor->at - (uint32_t)'0';
        value = value > 100000000u ? value : value * 10 + digit;
        cursor->at++;
    }
    *out = value;
    return cursor->at > begin;
}

/* Leaves the cursor at the first texel. */
static bool read_header(struct cursor *cursor, struct header *header)
{
    header->n_channels = cursor->at[1] == '6' ? 3 : 1;
    cursor->at += 2;
    if (!read_number(cursor, &header->width) || !read_number(cursor, &header->height) ||
        !read_number(cursor, &header->max_value)) {
        return false;
    }
    if (cursor->at == cursor->end || !is_space(*cursor->at)) {
        return false;
    }
    cursor->at++;
    return header->max_value >= 1 && header->max_value <= 65535;
}

static uint32_t read_value(const uint8_t *at, size_t i, bool is_wide)
{
    return is_wide ? (uint32_t)at[i * 2] << 8 | at[i * 2 + 1] : at[i];
}

/* Scale a stored value to the full range; values above the maximum are held at it. */
static uint32_t scale(uint32_t value, uint32_t max_value, uint32_t full)
{
    value = value < max_value ? value : max_value;
    return (uint32_t)(((uint64_t)value * full + max_value / 2) / max_value);
}

static void decode_texels(const struct header *header, const uint8_t *at, size_t n_texels,
                          void *texels)
{
    const bool is_wide = header->max_value > 255;
    const uint32_t full = is_wide ? 65535 : 255;
    uint8_t *narrow = texels;
    uint16_t *wide = texels;
    for (size_t i = 0; i < n_texels * 4; i++) {
        const size_t texel = i / 4, channel = i % 4;
        const size_t source =
            texel * header->n_channels + (header->n_channels == 3 ? channel : 0);
        uint32_t value = full;
        if (channel < 3) {
            value = scale(read_value(at, source, is_wide), header->max_value, full);
        }
        if (is_wide) {
            wide[i] = (uint16_t)value;
        } else {
            narrow[i] = (uint8_t)value;
        }
    }
}

enum mb_status mb_pnm_decode(struct mb_image *image, const char *path,
                             const struct mb_bytes *file, struct mb_err *err)
{
    struct cursor cursor = {.at = file->data, .end = file->data + file->n_bytes};
    struct header header;
    if (!read_header(&cursor, &header)) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad PNM: its header is damaged", path);
    }
    enum mb_status status = mb_image_check_extent(path, header.width, header.height, err);
    if (status != MB_OK) {
        return status;
    }
    const size_t value_bytes = header.max_value > 255 ? 2 : 1;
    const size_t n_texels = (size_t)header.width * header.height;
    if ((size_t)(cursor.end - cursor.at) < n_texels * header.n_channels * value_bytes) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: truncated: too short for %ux%u texels", path,
                       header.width, header.height);
    }
    image->texels = mb_malloc(n_texels * 4 * value_bytes);
    if (image->texels == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %ux%u texels", path,
                       header.width, header.height);
    }
    image->width = header.width;
    image->height = header.height;
    image->depth = value_bytes == 2 ? MB_DEPTH_U16 : MB_DEPTH_U8;
    decode_texels(&header, cursor.at, n_texels, image->texels);
    return MB_OK;
}
