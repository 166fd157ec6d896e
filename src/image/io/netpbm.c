/* Binary PGM and PPM (netpbm's pgm(5) and ppm(5)) and portable float maps (P. Debevec's format;
 * pfm(5)). All begin with words: a magic, the width, the height, and the largest value or, for
 * floats, a scale; then one white-space byte and the texels. */
#include "image/io/reader.h"

#include <string.h>

#include "base/text.h"

#define MAX_WORD_BYTES 32u
#define MAX_SCALE      1e30

static bool is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void skip_space_and_comments(struct mb_reader *reader)
{
    bool is_comment = false;
    for (; reader->at < reader->end; reader->at++) {
        const uint8_t byte = *reader->at;
        is_comment = (is_comment || byte == '#') && byte != '\n';
        if (!is_comment && !is_space(byte)) {
            return;
        }
    }
}

/* Read the next word, up to white space or a comment; false if there is no word, or nothing
 * after it. */
static bool read_word(struct mb_reader *reader, char word[MAX_WORD_BYTES])
{
    size_t n = 0;
    skip_space_and_comments(reader);
    while (reader->at < reader->end && !is_space(*reader->at) && *reader->at != '#' &&
           n < MAX_WORD_BYTES - 1) {
        word[n++] = (char)*reader->at++;
    }
    word[n] = '\0';
    return n > 0 && reader->at < reader->end && (is_space(*reader->at) || *reader->at == '#');
}

/* Read the magic and the three words behind it, the last as text; go to the first texel. */
static bool read_header(struct mb_reader *reader, int64_t *width, int64_t *height,
                        char last[MAX_WORD_BYTES])
{
    char magic[MAX_WORD_BYTES], columns[MAX_WORD_BYTES], rows[MAX_WORD_BYTES];
    if (!read_word(reader, magic) || strlen(magic) != 2 || !read_word(reader, columns) ||
        !read_word(reader, rows) || !read_word(reader, last) || !is_space(*reader->at)) {
        return false;
    }
    reader->at++;
    return mb_parse_int(columns, INT64_MIN, INT64_MAX, width) &&
           mb_parse_int(rows, INT64_MIN, INT64_MAX, height);
}

/* The index of a channel's value in texels of `n_channels`; grey serves all channels. */
static size_t value_at(size_t texel, size_t channel, size_t n_channels)
{
    return texel * n_channels + (n_channels == 3 ? channel : 0);
}

/* Scale the values to the full range; values above the maximum are clamped to it. */
static void decode_integers(const struct mb_reader *reader, size_t n_channels,
                            uint32_t max_value)
{
    const struct mb_image *image = reader->image;
    const uint32_t full = image->depth == MB_DEPTH_U16 ? 65535 : 255;
    uint8_t *const narrow = image->texels;
    uint16_t *const wide = image->texels;
    for (size_t i = 0; i < (size_t)image->width * image->height * 4; i++) {
        const size_t at = value_at(i / 4, i % 4, n_channels);
        uint32_t value = max_value;
        if (i % 4 < 3) {
            value = full > 255 ? mb_get_be16(reader->at + at * 2) : reader->at[at];
            value = value < max_value ? value : max_value;
        }
        value = (uint32_t)(((uint64_t)value * full + max_value / 2) / max_value);
        if (full > 255) {
            wide[i] = (uint16_t)value;
        } else {
            narrow[i] = (uint8_t)value;
        }
    }
}

enum mb_status mb_pnm_decode(struct mb_reader *reader, struct mb_err *err)
{
    const size_t n_channels = reader->begin[1] == '6' ? 3 : 1;
    char last[MAX_WORD_BYTES];
    int64_t width, height, max_value;
    if (!read_header(reader, &width, &height, last) || width < 0 || height < 0 ||
        !mb_parse_int(last, 1, 65535, &max_value)) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    const enum mb_depth depth = max_value > 255 ? MB_DEPTH_U16 : MB_DEPTH_U8;
    const uint64_t texel_bytes = n_channels * (max_value > 255 ? 2 : 1);
    MB_DO(mb_reader_start(reader, width, height, depth,
                          (uint64_t)width * (uint64_t)height * texel_bytes, err));
    decode_integers(reader, n_channels, (uint32_t)max_value);
    return MB_OK;
}

/* Decode floats, whose rows are stored from the bottom up. */
static void decode_floats(const struct mb_reader *reader, size_t n_channels, bool is_big_endian)
{
    const struct mb_image *image = reader->image;
    const size_t width = image->width;
    for (size_t y = 0; y < image->height; y++) {
        float *rgba = (float *)image->texels + y * width * 4;
        const uint8_t *row = reader->at + (image->height - 1 - y) * width * n_channels * 4;
        for (size_t i = 0; i < width * 4; i++) {
            const uint8_t *stored = row + value_at(i / 4, i % 4, n_channels) * 4;
            if (i % 4 == 3) {
                rgba[i] = 1.0f;
                continue;
            }
            const uint32_t bits = is_big_endian ? mb_get_be32(stored) : mb_get_le32(stored);
            memcpy(&rgba[i], &bits, sizeof bits);
        }
    }
}

/* Floats are big-endian if the scale is positive, little-endian if it is negative; 0 is an
 * error. The magnitude of the scale is a unit of light, which we ignore. */
enum mb_status mb_pfm_decode(struct mb_reader *reader, struct mb_err *err)
{
    const size_t n_channels = reader->begin[1] == 'F' ? 3 : 1;
    char last[MAX_WORD_BYTES];
    int64_t width, height;
    double scale;
    if (!read_header(reader, &width, &height, last) ||
        !mb_parse_double(last, -MAX_SCALE, MAX_SCALE, &scale) || scale == 0.0) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    const uint64_t n_bytes = (uint64_t)width * (uint64_t)height * n_channels * sizeof(float);
    MB_DO(mb_reader_start(reader, width, height, MB_DEPTH_F32, n_bytes, err));
    MB_FAIL_IF(mb_reader_left(reader) > n_bytes, err, MB_ERRC_INPUT,
               "%s: bad PFM: %zu bytes of texels, %ux%u take %zu", reader->path,
               mb_reader_left(reader), reader->image->width, reader->image->height,
               (size_t)n_bytes);
    decode_floats(reader, n_channels, scale > 0.0);
    return MB_OK;
}
