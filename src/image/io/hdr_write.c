/* Radiance HDR output (G. Ward, "Real Pixels", Graphics Gems II, 1991; the Radiance file
 * formats): rows of run-length encoded channels, or flat ones where a row is too narrow or too
 * wide for that. */
#include "image/io/hdr_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#define MIN_RLE_WIDTH    8u
#define MAX_RLE_WIDTH    32767u
#define RLE_HEADER_BYTES 4u
#define MIN_RUN          4u /* a shorter repeat is not worth leaving a literal for */
#define MAX_RUN          127u
#define MAX_LITERAL      128u
#define MAX_HEADER_BYTES 128u
#define EXPONENT_BIAS    128

static bool is_rle_width(uint32_t width)
{
    return width >= MIN_RLE_WIDTH && width <= MAX_RLE_WIDTH;
}

/* Within what RGBE can hold; NaN fails the comparison. */
static double clamp_colour(double value)
{
    const double largest = ldexp(255.0, 255 - EXPONENT_BIAS - 8);
    return value > 0.0 ? fmin(value, largest) : 0.0;
}

/* Eight bits a channel, scaled so that the largest fills them. */
static void encode_texel(const double *rgb, uint8_t rgbe[4])
{
    const double red = clamp_colour(rgb[0]);
    const double green = clamp_colour(rgb[1]);
    const double blue = clamp_colour(rgb[2]);
    const double largest = fmax(red, fmax(green, blue));
    int exponent;
    memset(rgbe, 0, 4);
    (void)frexp(largest, &exponent); /* largest = [0.5, 1) * 2^exponent */
    if (floor(ldexp(largest, 8 - exponent) + 0.5) > 255.0) {
        exponent++; /* rounding up needs a ninth bit */
    }
    if (largest == 0.0 || exponent + EXPONENT_BIAS < 1) {
        return;
    }
    rgbe[0] = (uint8_t)(ldexp(red, 8 - exponent) + 0.5);
    rgbe[1] = (uint8_t)(ldexp(green, 8 - exponent) + 0.5);
    rgbe[2] = (uint8_t)(ldexp(blue, 8 - exponent) + 0.5);
    rgbe[3] = (uint8_t)(exponent + EXPONENT_BIAS);
}

/* Bytes equal to the first of `n`, at most MAX_RUN. */
static size_t run_length(const uint8_t *rgbe, size_t n)
{
    size_t length = 1;
    while (length < n && length < MAX_RUN && rgbe[length * 4] == rgbe[0]) {
        length++;
    }
    return length;
}

/* One channel of a row: 128 + n and a byte that repeats n times, or n and n bytes. */
static uint8_t *write_runs(const uint8_t *rgbe, size_t width, uint8_t *out)
{
    size_t x = 0;
    while (x < width) {
        const size_t run = run_length(rgbe + x * 4, width - x);
        if (run >= MIN_RUN) {
            *out++ = (uint8_t)(128 + run);
            *out++ = rgbe[x * 4];
            x += run;
            continue;
        }
        uint8_t *const count = out++;
        size_t n = 0;
        while (n < MAX_LITERAL && x < width && run_length(rgbe + x * 4, width - x) < MIN_RUN) {
            *out++ = rgbe[x * 4];
            x++;
            n++;
        }
        *count = (uint8_t)n;
    }
    return out;
}

static uint8_t *write_row(const uint8_t *rgbe, uint32_t width, uint8_t *out)
{
    if (!is_rle_width(width)) {
        memcpy(out, rgbe, (size_t)width * 4);
        return out + (size_t)width * 4;
    }
    const uint8_t header[RLE_HEADER_BYTES] = {2, 2, (uint8_t)(width >> 8),
                                              (uint8_t)(width & 255)};
    memcpy(out, header, sizeof header);
    out += sizeof header;
    for (size_t c = 0; c < 4; c++) {
        out = write_runs(rgbe + c, width, out);
    }
    return out;
}

/* Most bytes that a row can take: a count for each full literal and the last one. Where a run
 * breaks a literal, it saves what the further count costs. */
static size_t max_row_bytes(uint32_t width)
{
    const size_t n_counts = width / MAX_LITERAL + 1;
    return is_rle_width(width) ? RLE_HEADER_BYTES + 4 * (width + n_counts) : (size_t)width * 4;
}

/* A row of texels as rgbe[width][4], by way of rgba[width][4]. */
static void encode_row(const struct mb_format *format, const uint8_t *texels, uint32_t width,
                       double *rgba, uint8_t *rgbe)
{
    mb_format_decode(format, texels, width, rgba);
    for (size_t x = 0; x < width; x++) {
        double *const texel = rgba + x * 4;
        if (format->n_channels == 1) {
            texel[1] = texel[2] = texel[0];
        }
        encode_texel(texel, rgbe + x * 4);
    }
}

enum mb_status mb_hdr_encode(const struct mb_format *format, struct mb_extent extent,
                             const void *texels, struct mb_bytes *out, struct mb_err *err)
{
    const size_t row_bytes = (size_t)extent.width * format->texel_bytes;
    double *rgba = mb_malloc((size_t)extent.width * 4 * sizeof *rgba);
    uint8_t *rgbe = mb_malloc((size_t)extent.width * 4);
    uint8_t *data = mb_malloc(MAX_HEADER_BYTES + max_row_bytes(extent.width) * extent.height);
    enum mb_status status = MB_OK;
    *out = (struct mb_bytes){0};
    if (rgba == NULL || rgbe == NULL || data == NULL) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "out of memory for an HDR file of %ux%u texels",
                         extent.width, extent.height);
        mb_free(data);
        goto done;
    }
    const int header_bytes = snprintf((char *)data, MAX_HEADER_BYTES,
                                      "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y %u +X %u\n",
                                      extent.height, extent.width);
    uint8_t *end = data + header_bytes;
    for (size_t y = 0; y < extent.height; y++) {
        encode_row(format, (const uint8_t *)texels + y * row_bytes, extent.width, rgba, rgbe);
        end = write_row(rgbe, extent.width, end);
    }
    *out = (struct mb_bytes){.data = data, .n_bytes = (size_t)(end - data)};
done:
    mb_free(rgbe);
    mb_free(rgba);
    return status;
}

enum mb_status mb_hdr_write(const char *path, const struct mb_format *format,
                            struct mb_extent extent, const void *texels, struct mb_err *err)
{
    struct mb_bytes hdr;
    enum mb_status status = mb_hdr_encode(format, extent, texels, &hdr, err);
    if (status == MB_OK) {
        status = mb_file_write_atomic(path, hdr.data, hdr.n_bytes, err);
    }
    mb_bytes_finish(&hdr);
    return status;
}
