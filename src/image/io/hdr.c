/* Radiance HDR (G. Ward, "Real Pixels", Graphics Gems II, 1991; the Radiance file formats).
 * Read here because stb 2.27 loops for ever on a run of length 0, which is what it sees past
 * the end of a truncated file. */
#include "image/io/hdr.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#define MAX_LINE_BYTES   256u
#define MIN_RLE_WIDTH    8u
#define MAX_RLE_WIDTH    32767u
#define RLE_HEADER_BYTES 4u
#define MAX_RUN          127u

struct cursor {
    const uint8_t *at, *end;
};

static size_t bytes_left(const struct cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

/* The next line without its end; false at the end of the file or if it is far too long. */
static bool read_line(struct cursor *cursor, char line[MAX_LINE_BYTES])
{
    const uint8_t *newline = memchr(cursor->at, '\n', bytes_left(cursor));
    if (newline == NULL || newline - cursor->at >= (ptrdiff_t)MAX_LINE_BYTES) {
        return false;
    }
    const size_t n = (size_t)(newline - cursor->at);
    memcpy(line, cursor->at, n);
    line[n] = '\0';
    cursor->at = newline + 1;
    return true;
}

/* Lines up to an empty one; the format must be among them. */
static bool read_variables(struct cursor *cursor)
{
    char line[MAX_LINE_BYTES];
    bool is_rgbe = false;
    while (read_line(cursor, line)) {
        if (line[0] == '\0') {
            return is_rgbe;
        }
        is_rgbe = is_rgbe || strcmp(line, "FORMAT=32-bit_rle_rgbe") == 0;
    }
    return false;
}

/* "-Y <height> +X <width>": rows from the top, texels from the left; no other order is read. */
static bool read_resolution(struct cursor *cursor, int64_t *width, int64_t *height)
{
    char line[MAX_LINE_BYTES];
    if (!read_line(cursor, line) || strncmp(line, "-Y ", 3) != 0) {
        return false;
    }
    char *x = strstr(line, " +X ");
    if (x == NULL) {
        return false;
    }
    *x = '\0';
    return mb_parse_int(line + 3, INT32_MIN, INT32_MAX, height) &&
           mb_parse_int(x + 4, INT32_MIN, INT32_MAX, width);
}

/* One channel of a row in runs: n > 128 repeats a byte n - 128 times, 1 to 128 copies n bytes.
 * False on a run of length 0, one beyond the row, or at the end of the file. */
static bool read_runs(struct cursor *cursor, uint8_t *rgbe, uint32_t width)
{
    uint32_t x = 0;
    while (x < width) {
        if (bytes_left(cursor) < 2) {
            return false;
        }
        const uint32_t code = *cursor->at++;
        const bool is_repeat = code > 128;
        const uint32_t n = is_repeat ? code - 128 : code;
        if (n == 0 || n > width - x || (!is_repeat && n > bytes_left(cursor))) {
            return false;
        }
        for (uint32_t i = 0; i < n; i++) {
            rgbe[(x + i) * 4] = cursor->at[is_repeat ? 0 : i];
        }
        cursor->at += is_repeat ? 1 : n;
        x += n;
    }
    return true;
}

static bool is_rle_row(const struct cursor *cursor, uint32_t width)
{
    const uint8_t *p = cursor->at;
    return width >= MIN_RLE_WIDTH && width <= MAX_RLE_WIDTH &&
           bytes_left(cursor) >= RLE_HEADER_BYTES && p[0] == 2 && p[1] == 2 && p[2] < 128;
}

static bool read_row(struct cursor *cursor, uint8_t *rgbe, uint32_t width)
{
    if (!is_rle_row(cursor, width)) {
        const size_t n_bytes = (size_t)width * 4;
        if (bytes_left(cursor) < n_bytes) {
            return false;
        }
        memcpy(rgbe, cursor->at, n_bytes);
        cursor->at += n_bytes;
        return true;
    }
    if (((uint32_t)cursor->at[2] << 8 | cursor->at[3]) != width) {
        return false;
    }
    cursor->at += RLE_HEADER_BYTES;
    for (uint32_t c = 0; c < 4; c++) {
        if (!read_runs(cursor, rgbe + c, width)) {
            return false;
        }
    }
    return true;
}

static void expand_row(const uint8_t *rgbe, uint32_t width, float *rgba)
{
    for (size_t x = 0; x < width; x++) {
        const uint8_t *texel = rgbe + x * 4;
        const float scale = texel[3] != 0 ? ldexpf(1.0f, texel[3] - (128 + 8)) : 0.0f;
        for (size_t c = 0; c < 3; c++) {
            rgba[x * 4 + c] = (float)texel[c] * scale;
        }
        rgba[x * 4 + 3] = 1.0f;
    }
}

/* Decode all rows, each by way of `rgbe[width][4]`. */
static bool read_rows(struct cursor *cursor, uint32_t width, uint32_t height, uint8_t *rgbe,
                      float *rgba)
{
    for (uint32_t y = 0; y < height; y++) {
        if (!read_row(cursor, rgbe, width)) {
            return false;
        }
        expand_row(rgbe, width, rgba + (size_t)y * width * 4);
    }
    return true;
}

/* Least bytes that `height` rows can take: a header that claims more lies. */
static uint64_t min_bytes(uint64_t width, uint64_t height)
{
    const uint64_t n_runs = (width + MAX_RUN - 1) / MAX_RUN;
    const uint64_t rle_bytes = RLE_HEADER_BYTES + 4 * 2 * n_runs;
    const bool can_be_rle = width >= MIN_RLE_WIDTH && width <= MAX_RLE_WIDTH;
    return height * (can_be_rle && rle_bytes < width * 4 ? rle_bytes : width * 4);
}

enum mb_status mb_hdr_decode(struct mb_image *image, const char *path,
                             const struct mb_bytes *file, struct mb_err *err)
{
    struct cursor cursor = {.at = file->data, .end = file->data + file->n_bytes};
    int64_t width = 0, height = 0;
    if (!read_variables(&cursor) || !read_resolution(&cursor, &width, &height)) {
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: bad Radiance HDR: its header is damaged or of a kind not read",
                       path);
    }
    const enum mb_status status = mb_image_check_extent(path, width, height, err);
    if (status != MB_OK) {
        return status;
    }
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    image->depth = MB_DEPTH_F32;
    if (bytes_left(&cursor) < min_bytes(image->width, image->height)) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: truncated: too short for %ux%u texels", path,
                       image->width, image->height);
    }
    uint8_t *rgbe = mb_malloc((size_t)image->width * 4);
    image->texels = mb_malloc((size_t)image->width * image->height * 4 * sizeof(float));
    const bool has_memory = rgbe != NULL && image->texels != NULL;
    const bool is_read =
        has_memory && read_rows(&cursor, image->width, image->height, rgbe, image->texels);
    mb_free(rgbe);
    if (!has_memory) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %ux%u texels", path,
                       image->width, image->height);
    }
    if (!is_read) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad Radiance HDR: truncated or damaged", path);
    }
    return MB_OK;
}
