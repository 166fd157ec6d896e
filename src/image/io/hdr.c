/* Radiance HDR (G. Ward, "Real Pixels", Graphics Gems II, 1991; the Radiance file formats). A
 * row has its channels one by one, run-length encoded. A row that is too narrow or too wide for
 * this code, or that an old program wrote, has texels with repeats. We write plain texels. */
#include "image/io/write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "image/io/reader.h"

#define MAX_LINE_BYTES   256u
#define MAX_HEADER_BYTES 128u /* of the header that we write */
#define RLE_HEADER_BYTES 4u
#define EXPONENT_BIAS    128

/* The next line without its end; false at the end of the file or if it is far too long. */
static bool read_line(struct mb_reader *reader, char line[MAX_LINE_BYTES])
{
    const uint8_t *newline = memchr(reader->at, '\n', mb_reader_left(reader));
    if (newline == NULL || newline - reader->at >= (ptrdiff_t)MAX_LINE_BYTES) {
        return false;
    }
    const size_t n = (size_t)(newline - reader->at);
    memcpy(line, reader->at, n);
    line[n] = '\0';
    reader->at = newline + 1;
    return true;
}

/* Read lines up to an empty one; true if one of them is the RGBE format. */
static bool read_variables(struct mb_reader *reader)
{
    char line[MAX_LINE_BYTES];
    bool is_rgbe = false;
    while (read_line(reader, line)) {
        if (line[0] == '\0') {
            return is_rgbe;
        }
        is_rgbe = is_rgbe || strcmp(line, "FORMAT=32-bit_rle_rgbe") == 0;
    }
    return false;
}

/* Read "-Y <height> +X <width>", which Radiance pads with blanks: rows from the top, texels
 * from the left. Files in other orders are refused. */
static bool read_resolution(struct mb_reader *reader, int64_t *width, int64_t *height)
{
    char line[MAX_LINE_BYTES];
    if (!read_line(reader, line) || strncmp(line, "-Y ", 3) != 0) {
        return false;
    }
    char *x = strstr(line, " +X ");
    if (x == NULL) {
        return false;
    }
    *x = '\0';
    const char *rows = line + 3 + strspn(line + 3, " "), *columns = x + 4 + strspn(x + 4, " ");
    return mb_parse_int(rows, INT32_MIN, INT32_MAX, height) &&
           mb_parse_int(columns, INT32_MIN, INT32_MAX, width);
}

/* Read one channel of a row in runs: a run's first byte n repeats the next byte n - 128 times
 * if n > 128, else n bytes follow. False if n is 0, a run exceeds the row, or the file ends. */
static bool read_runs(struct mb_reader *reader, uint8_t *rgbe, uint32_t width)
{
    uint32_t x = 0;
    while (x < width) {
        if (mb_reader_left(reader) < 2) {
            return false;
        }
        const uint32_t code = *reader->at++;
        const bool is_repeat = code > 128;
        const uint32_t n = is_repeat ? code - 128 : code;
        if (n == 0 || n > width - x || (!is_repeat && n > mb_reader_left(reader))) {
            return false;
        }
        for (uint32_t i = 0; i < n; i++) {
            rgbe[(x + i) * 4] = reader->at[is_repeat ? 0 : i];
        }
        reader->at += is_repeat ? 1 : n;
        x += n;
    }
    return true;
}

static bool is_rle_row(const struct mb_reader *reader, uint32_t width)
{
    const uint8_t *p = reader->at;
    return width >= 8 && width <= 32767 && mb_reader_left(reader) >= RLE_HEADER_BYTES &&
           p[0] == 2 && p[1] == 2 && p[2] < 128;
}

/* Read texels, and repeats of the last texel: bytes 1, 1, 1 and a count. The counts of
 * successive repeats are the digits of one number to base 256, the lowest first. */
static bool read_texels(struct mb_reader *reader, uint8_t *rgbe, uint32_t width)
{
    uint32_t x = 0, n_digits = 0;
    while (x < width) {
        if (mb_reader_left(reader) < 4) {
            return false;
        }
        const uint8_t *texel = reader->at;
        reader->at += 4;
        if (memcmp(texel, "\1\1\1", 3) != 0) {
            memcpy(rgbe + (size_t)x++ * 4, texel, 4);
            n_digits = 0;
            continue;
        }
        const uint32_t n = n_digits < 2 ? (uint32_t)texel[3] << (8 * n_digits) : width;
        if (x == 0 || n > width - x) {
            return false;
        }
        for (const uint32_t end = x + n; x < end; x++) {
            memcpy(rgbe + (size_t)x * 4, rgbe + (size_t)(x - 1) * 4, 4);
        }
        n_digits++;
    }
    return true;
}

static bool read_row(struct mb_reader *reader, uint8_t *rgbe, uint32_t width)
{
    if (!is_rle_row(reader, width)) {
        return read_texels(reader, rgbe, width);
    }
    if (mb_get_be16(reader->at + 2) != width) {
        return false;
    }
    reader->at += RLE_HEADER_BYTES;
    for (uint32_t c = 0; c < 4; c++) {
        if (!read_runs(reader, rgbe + c, width)) {
            return false;
        }
    }
    return true;
}

/* Read rows of rgbe into the last quarter of their floats, and expand them from the left:
 * writing never overtakes reading. */
static bool read_rows(struct mb_reader *reader)
{
    const size_t width = reader->image->width;
    float *rgba = reader->image->texels;
    for (uint32_t y = 0; y < reader->image->height; y++, rgba += width * 4) {
        uint8_t *const rgbe = (uint8_t *)(rgba + width * 3);
        if (!read_row(reader, rgbe, (uint32_t)width)) {
            return false;
        }
        for (size_t x = 0; x < width; x++) {
            uint8_t texel[4];
            memcpy(texel, rgbe + x * 4, sizeof texel);
            const float scale =
                texel[3] != 0 ? ldexpf(1.0f, texel[3] - (EXPONENT_BIAS + 8)) : 0.0f;
            for (size_t c = 0; c < 3; c++) {
                rgba[x * 4 + c] = (float)texel[c] * scale;
            }
            rgba[x * 4 + 3] = 1.0f;
        }
    }
    return true;
}

enum mb_status mb_hdr_decode(struct mb_reader *reader, struct mb_err *err)
{
    int64_t width = 0, height = 0;
    if (!read_variables(reader) || !read_resolution(reader, &width, &height)) {
        return mb_reader_bad(reader, MB_BAD_HEADER, err);
    }
    /* The shortest row is a texel and a repeat of it. */
    MB_DO(mb_reader_start(reader, width, height, MB_DEPTH_F32,
                          (uint64_t)height * (width > 1 ? 8 : 4), err));
    if (!read_rows(reader)) {
        return mb_reader_bad(reader, "truncated or damaged", err);
    }
    return MB_OK;
}

/* Encode 8 bits a channel, scaled so that the largest channel becomes 128 or more. So no texel
 * looks like the mark of a run (2, 2, below 128) or of a repeat (1, 1, 1). */
static void encode_texel(const double *rgb, uint8_t rgbe[4])
{
    const double most = ldexp(255.0, 255 - EXPONENT_BIAS - 8);
    double held[3], largest = 0.0;
    int exponent;
    memset(rgbe, 0, 4);
    for (size_t c = 0; c < 3; c++) {
        held[c] = rgb[c] > 0.0 ? fmin(rgb[c], most) : 0.0; /* NaN is not above 0 */
        largest = fmax(largest, held[c]);
    }
    (void)frexp(largest, &exponent); /* largest = [0.5, 1) * 2^exponent */
    if (floor(ldexp(largest, 8 - exponent) + 0.5) > 255.0) {
        exponent++; /* rounding up needs a ninth bit */
    }
    if (largest == 0.0 || exponent + EXPONENT_BIAS < 1) {
        return;
    }
    for (size_t c = 0; c < 3; c++) {
        rgbe[c] = (uint8_t)(ldexp(held[c], 8 - exponent) + 0.5);
    }
    rgbe[3] = (uint8_t)(exponent + EXPONENT_BIAS);
}

enum mb_status mb_hdr_encode(const struct mb_format *format, struct mb_extent extent,
                             const void *texels, struct mb_bytes *out, struct mb_err *err)
{
    const size_t n_texels = (size_t)extent.width * extent.height;
    const uint8_t *stored = texels;
    *out = (struct mb_bytes){.data = mb_malloc(MAX_HEADER_BYTES + n_texels * 4)};
    MB_DO(MB_NEED(out->data, "Radiance file"));
    out->n_bytes = (size_t)snprintf((char *)out->data, MAX_HEADER_BYTES,
                                    "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %u +X %u\n",
                                    extent.height, extent.width);
    for (size_t i = 0; i < n_texels; i++, stored += format->texel_bytes) {
        double texel[4];
        mb_format_decode(format, stored, 1, texel);
        if (format->n_channels == 1) {
            texel[1] = texel[2] = texel[0];
        }
        encode_texel(texel, out->data + out->n_bytes);
        out->n_bytes += 4;
    }
    return MB_OK;
}
