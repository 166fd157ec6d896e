/* Portable float maps (P. Debevec's format; netpbm's pfm(5)): "PF" or "Pf", width, height and a
 * scale in words, one white-space byte, then rows of 32-bit floats from the bottom up. */
#include "image/io/pfm.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_WORD_BYTES 32u
#define MAX_SCALE      1e30

struct cursor {
    const uint8_t *at, *end;
};

struct header {
    uint32_t n_channels;
    int64_t width, height;
    bool is_big_endian; /* a positive scale says so; its magnitude is a unit, which nothing here
                           asks for */
};

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* The next word and the one white-space byte after it; more may come before. */
static bool read_word(struct cursor *cursor, char word[MAX_WORD_BYTES])
{
    size_t n = 0;
    while (cursor->at < cursor->end && is_space(*cursor->at)) {
        cursor->at++;
    }
    while (cursor->at < cursor->end && !is_space(*cursor->at) && n < MAX_WORD_BYTES - 1) {
        word[n++] = (char)*cursor->at++;
    }
    word[n] = '\0';
    if (n == 0 || cursor->at == cursor->end || !is_space(*cursor->at)) {
        return false;
    }
    cursor->at++;
    return true;
}

/* Leaves the cursor at the first texel. A scale of 0 has no sign, and so no byte order. */
static bool read_header(struct cursor *cursor, struct header *header)
{
    char magic[MAX_WORD_BYTES], width[MAX_WORD_BYTES], height[MAX_WORD_BYTES],
        scale[MAX_WORD_BYTES];
    double value;
    if (!read_word(cursor, magic) || strlen(magic) != 2 || !read_word(cursor, width) ||
        !read_word(cursor, height) || !read_word(cursor, scale) ||
        !mb_parse_int(width, INT32_MIN, INT32_MAX, &header->width) ||
        !mb_parse_int(height, INT32_MIN, INT32_MAX, &header->height) ||
        !mb_parse_double(scale, -MAX_SCALE, MAX_SCALE, &value) || value == 0.0) {
        return false;
    }
    header->n_channels = magic[1] == 'F' ? 3 : 1;
    header->is_big_endian = value > 0.0;
    return true;
}

static float read_float(const uint8_t *at, bool is_big_endian)
{
    uint32_t bits = 0;
    float value;
    for (int i = 0; i < 4; i++) {
        bits = bits << 8 | at[is_big_endian ? i : 3 - i];
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void decode_row(const struct header *header, const uint8_t *at, float *rgba)
{
    const uint32_t n = header->n_channels;
    for (size_t x = 0; x < (size_t)header->width; x++) {
        for (size_t c = 0; c < 3; c++) {
            const size_t value = x * n + (n == 3 ? c : 0);
            rgba[x * 4 + c] = read_float(at + value * 4, header->is_big_endian);
        }
        rgba[x * 4 + 3] = 1.0f;
    }
}

enum mb_status mb_pfm_decode(struct mb_image *image, const char *path,
                             const struct mb_bytes *file, struct mb_err *err)
{
    struct cursor cursor = {.at = file->data, .end = file->data + file->n_bytes};
    struct header header;
    if (!read_header(&cursor, &header)) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad PFM: its header is damaged", path);
    }
    const enum mb_status status = mb_image_check_extent(path, header.width, header.height, err);
    if (status != MB_OK) {
        return status;
    }
    const size_t width = (size_t)header.width, height = (size_t)header.height;
    const size_t row_bytes = width * header.n_channels * sizeof(float);
    const size_t n_bytes = (size_t)(cursor.end - cursor.at);
    if (n_bytes != row_bytes * height) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: %s: %zu bytes of texels, %zux%zu take %zu",
                       path, n_bytes < row_bytes * height ? "truncated" : "bad PFM", n_bytes,
                       width, height, row_bytes * height);
    }
    float *const rgba = mb_malloc(width * height * 4 * sizeof *rgba);
    if (rgba == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %zux%zu texels", path,
                       width, height);
    }
    for (size_t y = 0; y < height; y++) {
        decode_row(&header, cursor.at + (height - 1 - y) * row_bytes, rgba + y * width * 4);
    }
    image->texels = rgba;
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    image->depth = MB_DEPTH_F32;
    return MB_OK;
}
