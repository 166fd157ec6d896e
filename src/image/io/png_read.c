/* PNG input. Sections are those of the W3C Recommendation "Portable Network Graphics", second
 * edition. */
#include "image/io/reader.h"

#include <ctype.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "image/io/words.h"
#include "image/pyramid.h"

#define SIGNATURE_BYTES   8u
#define CHUNK_EXTRA_BYTES 12u   /* length, type and checksum */
#define DEFLATE_MAX_RATIO 1032u /* 258 bytes for two bits */
#define MAX_COLOURS       256u

enum colour_type {
    COLOUR_GREY = 0,
    COLOUR_RGB = 2,
    COLOUR_INDEXED = 3,
    COLOUR_GREY_ALPHA = 4,
    COLOUR_RGBA = 6,
};

/* How far the chunks have been read. */
enum stage { STAGE_START, STAGE_HEADER, STAGE_DATA, STAGE_AFTER_DATA, STAGE_END };

struct png {
    struct mb_reader *reader; /* of the chunks; then of what is deflated */
    enum stage stage;
    uint32_t width, height, depth, colour_type, n_channels;
    bool is_interlaced, has_known_methods; /* of compression, filters and interlacing */
    uint8_t palette[MAX_COLOURS][4];
    uint32_t n_colours;
    bool has_key;
    uint32_t key[3];   /* the colour that is transparent, in the lowest `depth` bits */
    uint8_t *deflated; /* all IDAT chunks, one after the other; owned */
    size_t n_deflated;
};

struct chunk {
    char name[4 * 4 + 1]; /* printable */
    const uint8_t *type, *data;
    uint32_t n_bytes;
};

/* Every dx-th texel of every dy-th row, from x and y. */
struct pass {
    uint32_t x, y, dx, dy;
};

static const struct pass whole[] = {{0, 0, 1, 1}};

/* Section 8.2. */
static const struct pass adam7[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                    {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

static const struct {
    uint8_t n_channels, depths; /* bits of the depths that are allowed (table 11.1) */
} types[] = {[COLOUR_GREY] = {1, 1 | 2 | 4 | 8 | 16},
             [COLOUR_RGB] = {3, 8 | 16},
             [COLOUR_INDEXED] = {1, 1 | 2 | 4 | 8},
             [COLOUR_GREY_ALPHA] = {2, 8 | 16},
             [COLOUR_RGBA] = {4, 8 | 16}};

/* The chunks that matter. Each function returns what is wrong with one, or NULL. */
static const char *take_header(struct png *png, const struct chunk *chunk)
{
    const uint8_t *data = chunk->data;
    if (chunk->n_bytes != 13) {
        return "has a wrong length";
    }
    png->width = mb_get_be32(data);
    png->height = mb_get_be32(data + 4);
    png->depth = data[8];
    png->colour_type = data[9];
    png->is_interlaced = data[12] == 1;
    png->has_known_methods = data[10] == 0 && data[11] == 0 && data[12] <= 1;
    if (png->colour_type < MB_COUNTOF(types)) {
        png->n_channels = types[png->colour_type].n_channels;
    }
    return NULL;
}

static const char *take_palette(struct png *png, const struct chunk *chunk)
{
    if (chunk->n_bytes % 3 != 0 || chunk->n_bytes == 0 || chunk->n_bytes / 3 > MAX_COLOURS) {
        return "has a wrong length";
    }
    if (png->n_colours != 0) {
        return "is there twice";
    }
    png->n_colours = chunk->n_bytes / 3;
    for (uint32_t i = 0; i < png->n_colours; i++) {
        memcpy(png->palette[i], chunk->data + i * 3, 3);
        png->palette[i][3] = 255;
    }
    return NULL;
}

static const char *take_transparency(struct png *png, const struct chunk *chunk)
{
    if (png->colour_type == COLOUR_INDEXED && chunk->n_bytes <= png->n_colours) {
        for (uint32_t i = 0; i < chunk->n_bytes; i++) {
            png->palette[i][3] = chunk->data[i];
        }
        return NULL;
    }
    const bool may_have_key = png->colour_type == COLOUR_GREY || png->colour_type == COLOUR_RGB;
    if (!may_have_key || chunk->n_bytes != png->n_channels * 2) {
        return "does not fit the colour type";
    }
    png->has_key = true;
    for (uint32_t c = 0; c < png->n_channels; c++) {
        png->key[c] = mb_get_be16(chunk->data + c * 2);
    }
    return NULL;
}

static const char *take_data(struct png *png, const struct chunk *chunk)
{
    memcpy(png->deflated + png->n_deflated, chunk->data, chunk->n_bytes);
    png->n_deflated += chunk->n_bytes;
    return NULL;
}

static const char *take_end(struct png *png, const struct chunk *chunk)
{
    (void)png;
    return chunk->n_bytes == 0 ? NULL : "has a wrong length";
}

/* Where the chunks may be (section 5.6). */
static const struct handler {
    char type[5];
    unsigned allowed_stages;
    enum stage next;
    const char *(*take)(struct png *png, const struct chunk *chunk);
} handlers[] = {
    {"IHDR", 1u << STAGE_START, STAGE_HEADER, take_header},
    {"PLTE", 1u << STAGE_HEADER, STAGE_HEADER, take_palette},
    {"tRNS", 1u << STAGE_HEADER, STAGE_HEADER, take_transparency},
    {"IDAT", 1u << STAGE_HEADER | 1u << STAGE_DATA, STAGE_DATA, take_data},
    {"IEND", 1u << STAGE_DATA | 1u << STAGE_AFTER_DATA, STAGE_END, take_end},
};

/* What is not a letter is shown by its number. */
static void name_chunk(struct chunk *chunk)
{
    char *out = chunk->name;
    for (int i = 0; i < 4; i++) {
        const uint8_t byte = chunk->type[i];
        const bool is_letter = byte < 128 && isalpha(byte);
        out += snprintf(out, 5, is_letter ? "%c" : "\\x%02x", byte);
    }
}

/* The next chunk, whole and with the right checksum. */
static const char *read_chunk(struct png *png, struct chunk *chunk)
{
    struct mb_reader *reader = png->reader;
    chunk->n_bytes = mb_get_be32(reader->at);
    chunk->type = reader->at + 4;
    chunk->data = reader->at + 8;
    name_chunk(chunk);
    if (chunk->n_bytes > mb_reader_left(reader) - CHUNK_EXTRA_BYTES) {
        return "is truncated";
    }
    const uint32_t crc = libdeflate_crc32(0, chunk->type, (size_t)chunk->n_bytes + 4);
    if (crc != mb_get_be32(chunk->data + chunk->n_bytes)) {
        return "is damaged: its checksum is wrong";
    }
    reader->at += CHUNK_EXTRA_BYTES + (size_t)chunk->n_bytes;
    return NULL;
}

static const char *take_chunk(struct png *png, const struct chunk *chunk)
{
    for (size_t i = 0; i < MB_COUNTOF(handlers); i++) {
        const struct handler *handler = &handlers[i];
        if (memcmp(handler->type, chunk->type, 4) == 0) {
            const bool is_allowed = (handler->allowed_stages & 1u << png->stage) != 0;
            png->stage = handler->next;
            return is_allowed ? handler->take(png, chunk) : "is in the wrong place";
        }
    }
    /* A capital first letter: no decoder may pass over it (section 5.4). */
    if ((chunk->type[0] & 0x20) == 0) {
        return "is not known";
    }
    if (png->stage == STAGE_START) {
        return "is in the wrong place";
    }
    png->stage = png->stage == STAGE_DATA ? STAGE_AFTER_DATA : png->stage;
    return NULL;
}

MB_MUST_CHECK static enum mb_status read_chunks(struct png *png, struct mb_err *err)
{
    struct mb_reader *reader = png->reader;
    while (png->stage != STAGE_END) {
        struct chunk chunk;
        if (mb_reader_left(reader) < CHUNK_EXTRA_BYTES) {
            return mb_reader_bad(reader, "truncated", err);
        }
        const char *reason = read_chunk(png, &chunk);
        reason = reason != NULL ? reason : take_chunk(png, &chunk);
        MB_FAIL_IF(reason != NULL, err, MB_ERRC_INPUT, "%s: bad PNG: chunk %s %s", reader->path,
                   chunk.name, reason);
    }
    const bool is_power = png->depth != 0 && (png->depth & (png->depth - 1)) == 0;
    if (png->colour_type >= MB_COUNTOF(types) || !is_power || !png->has_known_methods ||
        (types[png->colour_type].depths & png->depth) == 0) {
        return mb_reader_bad_header(reader, err);
    }
    if (png->colour_type == COLOUR_INDEXED && png->n_colours == 0) {
        return mb_reader_bad(reader, "it has no palette", err);
    }
    return MB_OK;
}

/* Texels of an axis of `n` that a pass has: every `step`-th from `begin`. */
static uint32_t count_steps(uint32_t n, uint32_t begin, uint32_t step)
{
    return n > begin ? (n - begin + step - 1) / step : 0;
}

static struct mb_extent pass_extent(const struct png *png, const struct pass *pass)
{
    return (struct mb_extent){count_steps(png->width, pass->x, pass->dx),
                              count_steps(png->height, pass->y, pass->dy)};
}

/* Bytes of a row of a pass, without the filter's type. */
static size_t row_bytes(const struct png *png, uint32_t width)
{
    return ((size_t)width * png->n_channels * png->depth + 7) / 8;
}

/* Bytes of all rows of a pass, their filters' types included; without texels it has none. */
static size_t pass_bytes(const struct png *png, const struct pass *pass)
{
    const struct mb_extent extent = pass_extent(png, pass);
    return extent.width > 0 ? (row_bytes(png, extent.width) + 1) * extent.height : 0;
}

static uint8_t paeth(uint8_t left, uint8_t up, uint8_t up_left)
{
    const int to_left = abs(up - up_left), to_up = abs(left - up_left);
    const int to_up_left = abs(left + up - 2 * up_left);
    if (to_left <= to_up && to_left <= to_up_left) {
        return left;
    }
    return to_up <= to_up_left ? up : up_left;
}

/* Undo a row's filter in place (section 9.2). `up` is the row above, or zeros; `step` the bytes
 * of a texel, at least 1. False if there is no such filter. */
static bool unfilter(uint8_t type, uint8_t *row, const uint8_t *up, size_t n, size_t step)
{
    if (type > 4) {
        return false;
    }
    for (size_t i = 0; i < n && type != 0; i++) {
        const uint8_t left = i >= step ? row[i - step] : 0;
        const uint8_t up_left = i >= step ? up[i - step] : 0;
        const uint8_t predicted[] = {0, left, up[i], (uint8_t)((left + up[i]) / 2),
                                     type == 4 ? paeth(left, up[i], up_left) : 0};
        row[i] = (uint8_t)(row[i] + predicted[type]);
    }
    return true;
}

static uint32_t read_value(const uint8_t *row, size_t i, uint32_t depth)
{
    if (depth == 8) {
        return row[i];
    }
    if (depth == 16) {
        return mb_get_be16(row + i * 2);
    }
    const size_t bit = i * depth;
    return row[bit / 8] >> (8 - depth - bit % 8) & ((1u << depth) - 1);
}

/* Texel `x` of a row in values of the image's depth. False on an index beyond the palette. */
static bool expand_texel(const struct png *png, const uint8_t *row, size_t x, uint32_t rgba[4])
{
    const uint32_t n = png->n_channels;
    const bool has_alpha = n % 2 == 0;
    const uint32_t max_value = (1u << png->depth) - 1;
    const uint32_t scale = png->depth < 8 ? 255 / max_value : 1;
    uint32_t values[4] = {0};
    bool is_key = png->has_key;
    for (uint32_t c = 0; c < n; c++) {
        values[c] = read_value(row, x * n + c, png->depth);
        is_key = is_key && values[c] == (png->key[c] & max_value);
    }
    if (png->colour_type == COLOUR_INDEXED) {
        for (uint32_t c = 0; c < 4 && values[0] < png->n_colours; c++) {
            rgba[c] = png->palette[values[0]][c];
        }
        return values[0] < png->n_colours;
    }
    for (uint32_t c = 0; c < 3; c++) {
        rgba[c] = values[n < 3 ? 0 : c] * scale;
    }
    rgba[3] = (has_alpha ? values[n - 1] : is_key ? 0 : max_value) * scale;
    return true;
}

/* Texels of a row of a pass into the image. */
static bool expand_row(const struct png *png, const struct pass *pass, const uint8_t *row,
                       uint32_t y, struct mb_image *image)
{
    const size_t begin = (size_t)(pass->y + y * pass->dy) * png->width + pass->x;
    const uint32_t width = pass_extent(png, pass).width;
    for (size_t x = 0; x < width; x++) {
        const size_t at = (begin + x * pass->dx) * 4;
        uint32_t rgba[4];
        if (!expand_texel(png, row, x, rgba)) {
            return false;
        }
        for (size_t c = 0; c < 4; c++) {
            if (image->depth == MB_DEPTH_U16) {
                ((uint16_t *)image->texels)[at + c] = (uint16_t)rgba[c];
            } else {
                ((uint8_t *)image->texels)[at + c] = (uint8_t)rgba[c];
            }
        }
    }
    return true;
}

MB_MUST_CHECK static enum mb_status expand_pass(const struct png *png, const struct pass *pass,
                                                uint8_t *filtered, struct mb_image *image,
                                                struct mb_err *err)
{
    static const uint8_t zeros[MB_IMAGE_MAX_FILE_DIMENSION * 4 * 16 / 8];
    const struct mb_extent extent = pass_extent(png, pass);
    const size_t n_row_bytes = row_bytes(png, extent.width);
    const size_t texel_bits = (size_t)png->n_channels * png->depth;
    const uint8_t *up = zeros;
    for (uint32_t y = 0; y < extent.height && extent.width > 0; y++) {
        uint8_t *row = filtered + y * (n_row_bytes + 1) + 1;
        if (!unfilter(row[-1], row, up, n_row_bytes, (texel_bits + 7) / 8)) {
            return mb_reader_bad(png->reader, "its data is damaged: there is no such filter",
                                 err);
        }
        if (!expand_row(png, pass, row, y, image)) {
            return mb_reader_bad(png->reader, "a texel's index is beyond its palette", err);
        }
        up = row;
    }
    return MB_OK;
}

/* Inflate all rows into `filtered`, which they must fill. */
MB_MUST_CHECK static enum mb_status inflate(const struct png *png, uint8_t *filtered,
                                            size_t n_filtered, struct mb_err *err)
{
    libdeflate_set_memory_allocator(mb_malloc, mb_free);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    MB_FAIL_IF(decompressor == NULL, err, MB_ERRC_RUNTIME, "%s: out of memory to inflate it",
               png->reader->path);
    size_t n_inflated = 0;
    const enum libdeflate_result result = libdeflate_zlib_decompress(
        decompressor, png->deflated, png->n_deflated, filtered, n_filtered, &n_inflated);
    libdeflate_free_decompressor(decompressor);
    MB_FAIL_IF(result == LIBDEFLATE_INSUFFICIENT_SPACE, err, MB_ERRC_INPUT,
               "%s: bad PNG: holds more than its %ux%u texels", png->reader->path, png->width,
               png->height);
    if (result != LIBDEFLATE_SUCCESS) {
        return mb_reader_bad(png->reader, "the data in its IDAT chunks is damaged", err);
    }
    return n_inflated == n_filtered
               ? MB_OK
               : mb_reader_bad(png->reader, "truncated: not enough texels in it", err);
}

MB_MUST_CHECK static enum mb_status decode_rows(struct png *png, struct mb_err *err)
{
    struct mb_reader *reader = png->reader;
    const struct pass *passes = png->is_interlaced ? adam7 : whole;
    const size_t n_passes = png->is_interlaced ? MB_COUNTOF(adam7) : MB_COUNTOF(whole);
    size_t n_filtered = 0;
    MB_FREED uint8_t *filtered = NULL;
    for (size_t i = 0; i < n_passes; i++) {
        n_filtered += pass_bytes(png, &passes[i]);
    }
    reader->at = png->deflated;
    reader->end = png->deflated + png->n_deflated;
    MB_DO(mb_reader_start(reader, png->width, png->height,
                          png->depth == 16 ? MB_DEPTH_U16 : MB_DEPTH_U8,
                          n_filtered / DEFLATE_MAX_RATIO, err));
    filtered = mb_malloc(n_filtered);
    MB_FAIL_IF(filtered == NULL, err, MB_ERRC_RUNTIME, "%s: out of memory to inflate it",
               reader->path);
    MB_DO(inflate(png, filtered, n_filtered, err));
    uint8_t *at = filtered;
    for (size_t i = 0; i < n_passes; i++) {
        MB_DO(expand_pass(png, &passes[i], at, reader->image, err));
        at += pass_bytes(png, &passes[i]);
    }
    return MB_OK;
}

enum mb_status mb_png_decode(struct mb_reader *reader, struct mb_err *err)
{
    struct png png = {.reader = reader, .deflated = mb_malloc(mb_reader_left(reader))};
    MB_FAIL_IF(png.deflated == NULL, err, MB_ERRC_RUNTIME, "%s: out of memory to read it",
               reader->path);
    reader->at += SIGNATURE_BYTES;
    enum mb_status status = read_chunks(&png, err);
    if (status == MB_OK) {
        status = decode_rows(&png, err);
    }
    mb_free(png.deflated);
    return status;
}
