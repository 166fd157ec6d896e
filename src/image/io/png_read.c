/* PNG input by stb_image, which ignores checksums, wrong lengths and gaps, and looks up indices
 * beyond the palette. So we check the chunks first, then hand stb_image a copy of the file in
 * which indices are greys. Section numbers refer to the W3C Recommendation "Portable Network
 * Graphics", second edition. */
#include "image/io/reader.h"

#include <libdeflate.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

#define SIGNATURE_BYTES   8u
#define CHUNK_EXTRA_BYTES 12u   /* length, type and checksum */
#define DEFLATE_MAX_RATIO 1032u /* 258 bytes for two bits */
#define MAX_COLOURS       256u

#define COLOUR_GREY    0u
#define COLOUR_INDEXED 3u

/* How far the chunks have been read. */
enum stage { STAGE_START, STAGE_HEADER, STAGE_DATA, STAGE_AFTER_DATA, STAGE_END };

struct png {
    struct mb_reader *reader;
    enum stage stage;
    uint32_t width, height, depth, colour_type, n_channels;
    bool is_interlaced;
    uint8_t palette[MAX_COLOURS][4];
    uint32_t n_colours;
    uint8_t *file; /* a copy for stb_image, which checks no checksum */
    uint8_t *data; /* the data of all IDAT chunks, behind the copy */
    size_t n_data_bytes;
};

struct chunk {
    uint8_t *type, *data; /* in the copy */
    uint32_t n_bytes;     /* of its data */
};

/* Rename a chunk so that stb_image ignores it: a lower-case first letter permits that. */
static void hide(const struct chunk *chunk)
{
    chunk->type[0] = 'x';
}

/* The chunks that matter. A take_...() returns what is wrong with its chunk, or NULL. */
static const char *take_header(struct png *png, const struct chunk *chunk)
{
    static const uint8_t n_channels[] = {1, 0, 3, 1, 2, 0, 4}; /* by colour type */
    png->width = mb_get_be32(chunk->data);
    png->height = mb_get_be32(chunk->data + 4);
    png->depth = chunk->data[8];
    png->colour_type = chunk->data[9];
    png->n_channels =
        png->colour_type < MB_COUNTOF(n_channels) ? n_channels[png->colour_type] : 0;
    png->is_interlaced = chunk->data[12] == 1;
    if (png->colour_type == COLOUR_INDEXED) {
        chunk->data[9] = COLOUR_GREY;
    }
    /* stb_image refuses depths other than 1, 2, 4, 8 and 16. */
    const bool is_deep = png->depth > (png->colour_type == COLOUR_INDEXED ? 8u : 16u);
    const bool is_thin = png->depth < 8 && png->n_channels > 1;
    return png->n_channels == 0 || is_deep || is_thin ? "is damaged or of a kind not read"
                                                      : NULL;
}

static const char *take_palette(struct png *png, const struct chunk *chunk)
{
    if (chunk->n_bytes % 3 != 0 || png->n_colours != 0) {
        return png->n_colours != 0 ? "is duplicated" : "has a wrong length";
    }
    png->n_colours = chunk->n_bytes / 3;
    for (uint32_t i = 0; i < png->n_colours; i++) {
        memcpy(png->palette[i], chunk->data + i * 3, 3);
        png->palette[i][3] = 255;
    }
    hide(chunk);
    return NULL;
}

static const char *take_transparency(struct png *png, const struct chunk *chunk)
{
    const bool is_indexed = png->colour_type == COLOUR_INDEXED;
    if (png->n_channels % 2 == 0 || (is_indexed ? chunk->n_bytes > png->n_colours
                                                : chunk->n_bytes != png->n_channels * 2)) {
        return "does not fit the colour type";
    }
    for (uint32_t i = 0; is_indexed && i < chunk->n_bytes; i++) {
        png->palette[i][3] = chunk->data[i];
    }
    if (is_indexed) {
        hide(chunk);
    } else if (png->depth < 8) { /* of a key's 16 bits only `depth` count */
        chunk->data[1] &= (uint8_t)((1u << png->depth) - 1);
    }
    return NULL;
}

static const char *take_data(struct png *png, const struct chunk *chunk)
{
    if (chunk->n_bytes == 0) { /* stb_image would add 0 to a null pointer */
        hide(chunk);
        return NULL;
    }
    memcpy(png->data + png->n_data_bytes, chunk->data, chunk->n_bytes);
    png->n_data_bytes += chunk->n_bytes;
    return NULL;
}

/* At which stages each chunk may come (section 5.6), and its length. */
static const struct handler {
    char type[5];
    unsigned allowed_stages;
    enum stage next;
    uint32_t min_bytes, max_bytes;
    const char *(*take)(struct png *png, const struct chunk *chunk);
} handlers[] = {
    {"IHDR", 1u << STAGE_START, STAGE_HEADER, 13, 13, take_header},
    {"PLTE", 1u << STAGE_HEADER, STAGE_HEADER, 3, MAX_COLOURS * 3, take_palette},
    {"tRNS", 1u << STAGE_HEADER, STAGE_HEADER, 0, MAX_COLOURS, take_transparency},
    {"IDAT", 1u << STAGE_HEADER | 1u << STAGE_DATA, STAGE_DATA, 0, INT32_MAX, take_data},
    {"IEND", 1u << STAGE_DATA | 1u << STAGE_AFTER_DATA, STAGE_END, 0, 0, NULL},
};

/* Ancillary chunks that change no texels. Any other name may be a damaged tRNS. */
static bool is_harmless(const uint8_t *type)
{
    static const char types[][5] = {"bKGD", "cHRM", "eXIf", "gAMA", "hIST", "iCCP", "iTXt",
                                    "pHYs", "sBIT", "sPLT", "sRGB", "tEXt", "tIME", "zTXt"};
    size_t i = 0;
    while (i < MB_COUNTOF(types) && memcmp(types[i], type, 4) != 0) {
        i++;
    }
    return i < MB_COUNTOF(types);
}

/* Returns what is wrong with the next chunk, or NULL. */
static const char *take_chunk(struct png *png, const struct chunk *chunk)
{
    const struct handler *handler = handlers, *const end = handlers + MB_COUNTOF(handlers);
    while (handler < end && memcmp(handler->type, chunk->type, 4) != 0) {
        handler++;
    }
    /* If its first letter is upper-case, no decoder may ignore the chunk (section 5.4). */
    const bool is_critical = (chunk->type[0] & 0x20) == 0;
    const uint32_t crc = libdeflate_crc32(0, chunk->type, (size_t)chunk->n_bytes + 4);
    const bool is_damaged = crc != mb_get_be32(chunk->data + chunk->n_bytes);
    if (is_damaged && !is_harmless(chunk->type)) {
        return "is damaged: its checksum is wrong";
    }
    if (handler == end && is_critical) {
        return "is not known";
    }
    if (handler == end) {
        const bool is_first = png->stage == STAGE_START;
        if (is_damaged && !is_first) {
            mb_log(MB_LOG_WARN, "%s: chunk %.4s is damaged; no texel depends on it",
                   png->reader->path, (const char *)chunk->type);
        }
        png->stage = png->stage == STAGE_DATA ? STAGE_AFTER_DATA : png->stage;
        return is_first ? "is in the wrong place" : NULL;
    }
    if ((handler->allowed_stages & 1u << png->stage) == 0) {
        return "is in the wrong place";
    }
    png->stage = handler->next;
    const bool has_length =
        chunk->n_bytes >= handler->min_bytes && chunk->n_bytes <= handler->max_bytes;
    if (!has_length) {
        return "has a wrong length";
    }
    return handler->take != NULL ? handler->take(png, chunk) : NULL;
}

MB_MUST_CHECK static enum mb_status read_chunks(struct png *png, struct mb_err *err)
{
    struct mb_reader *reader = png->reader;
    while (png->stage != STAGE_END) {
        if (mb_reader_left(reader) < CHUNK_EXTRA_BYTES) {
            return mb_reader_bad(reader, "truncated", err);
        }
        uint8_t *begin = png->file + (reader->at - reader->begin);
        const struct chunk chunk = {begin + 4, begin + 8, mb_get_be32(begin)};
        const bool is_whole = chunk.n_bytes <= mb_reader_left(reader) - CHUNK_EXTRA_BYTES;
        const char *reason = is_whole ? take_chunk(png, &chunk) : "is truncated";
        MB_FAIL_IF(reason != NULL, err, MB_ERRC_INPUT, "%s: bad PNG: chunk %.4s %s",
                   reader->path, (const char *)reader->at + 4, reason);
        reader->at += CHUNK_EXTRA_BYTES + (size_t)chunk.n_bytes;
    }
    if (png->colour_type == COLOUR_INDEXED && png->n_colours == 0) {
        return mb_reader_bad(reader, "it has no palette", err);
    }
    return MB_OK;
}

/* Count the bytes of all rows, filter types included. An interlaced image is stored as seven
 * images, each of every dx-th texel of every dy-th row (section 8.2); some may be empty. */
static uint64_t count_filtered(const struct png *png)
{
    static const struct {
        uint8_t x, y, dx, dy;
    } passes[] = {{0, 0, 1, 1}, {0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8},
                  {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
    const size_t begin = png->is_interlaced ? 1 : 0;
    const size_t end = png->is_interlaced ? MB_COUNTOF(passes) : 1;
    uint64_t n = 0;
    for (size_t i = begin; i < end; i++) {
        const uint64_t width = (png->width + passes[i].dx - 1u - passes[i].x) / passes[i].dx;
        const uint64_t height = (png->height + passes[i].dy - 1u - passes[i].y) / passes[i].dy;
        const uint64_t row_bytes = (width * png->n_channels * png->depth + 7) / 8;
        n += width > 0 ? (row_bytes + 1) * height : 0;
    }
    return n;
}

/* Check that the data inflates to exactly the bytes of all rows. */
MB_MUST_CHECK static enum mb_status check_data(const struct png *png, size_t n_filtered,
                                               struct mb_err *err)
{
    static const char *const reasons[] = {
        [LIBDEFLATE_BAD_DATA] = "the data in its IDAT chunks is damaged",
        [LIBDEFLATE_SHORT_OUTPUT] = "truncated: not enough texels in it",
        [LIBDEFLATE_INSUFFICIENT_SPACE] = "holds more than its texels"};
    libdeflate_set_memory_allocator(mb_malloc, mb_free);
    MB_FREED uint8_t *filtered = mb_malloc(n_filtered);
    struct libdeflate_decompressor *decompressor =
        filtered != NULL ? libdeflate_alloc_decompressor() : NULL;
    MB_DO(MB_NEED(decompressor, png->reader->path));
    const enum libdeflate_result result = libdeflate_zlib_decompress(
        decompressor, png->data, png->n_data_bytes, filtered, n_filtered, NULL);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS ? MB_OK
                                        : mb_reader_bad(png->reader, reasons[result], err);
}

/* Replace indices, which stb_image has read as greys scaled to 8 bits, by their colours. */
MB_MUST_CHECK static enum mb_status look_up(const struct png *png, struct mb_err *err)
{
    const uint32_t step = 255 / ((1u << png->depth) - 1);
    uint8_t *rgba = png->reader->image->texels;
    for (size_t i = 0; i < (size_t)png->width * png->height; i++, rgba += 4) {
        const uint32_t index = rgba[0] / step;
        if (index >= png->n_colours) {
            return mb_reader_bad(png->reader, "a texel's index is beyond its palette", err);
        }
        memcpy(rgba, png->palette[index], 4);
    }
    return MB_OK;
}

enum mb_status mb_png_decode(struct mb_reader *reader, struct mb_err *err)
{
    const size_t n_file_bytes = mb_reader_left(reader);
    MB_FREED uint8_t *file = mb_alloc(2, n_file_bytes);
    MB_DO(MB_NEED(file, reader->path));
    memcpy(file, reader->begin, n_file_bytes);
    struct png png = {.reader = reader, .file = file, .data = file + n_file_bytes};
    reader->at += SIGNATURE_BYTES;
    MB_DO(read_chunks(&png, err));
    const uint64_t n_filtered = count_filtered(&png);
    const enum mb_depth depth = png.depth == 16 ? MB_DEPTH_U16 : MB_DEPTH_U8;
    reader->at = png.data;
    reader->end = reader->at + png.n_data_bytes;
    MB_DO(mb_reader_size(reader, png.width, png.height, depth, n_filtered / DEFLATE_MAX_RATIO,
                         err));
    const uint64_t n_bytes = (uint64_t)png.width * png.height * mb_depth_texel_bytes(depth);
    /* stb_image counts in ints. */
    MB_FAIL_IF(n_bytes > INT32_MAX || n_filtered > INT32_MAX, err, MB_ERRC_INPUT,
               "%s: too large: its %ux%u texels take 2 GiB", reader->path, png.width,
               png.height);
    MB_DO(check_data(&png, (size_t)n_filtered, err));
    MB_DO(mb_reader_decode(reader, png.file, n_file_bytes, err));
    return png.colour_type == COLOUR_INDEXED ? look_up(&png, err) : MB_OK;
}
