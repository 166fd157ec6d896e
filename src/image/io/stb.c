/* stb_image and stb_image_write, compiled only here. They allocate zeroed memory from
 * base/alloc.h, so that bytes which a decoder leaves unwritten are the same each time. */
#include "image/io/write.h"

#include <libdeflate.h>
#include <string.h>

#include "base/alloc.h"
#include "image/io/reader.h"

#define DEFLATE_LEVEL 1 /* 3 makes a zone plate 3 % smaller in three times the time */
#define FILTER_SUB    1 /* trying all five filters on each row costs more than it saves */

/* More than the largest image needs, and far less than a size that wrapped around. */
#define MAX_BYTES UINT32_MAX

static void *allocate(size_t n_bytes)
{
    return n_bytes <= MAX_BYTES ? mb_alloc(n_bytes, 1) : NULL;
}

static void *reallocate(void *memory, size_t n_old, size_t n_bytes)
{
    uint8_t *moved = n_bytes <= MAX_BYTES ? mb_realloc(memory, n_bytes) : NULL;
    if (moved != NULL && n_bytes > n_old) {
        memset(moved + n_old, 0, n_bytes - n_old);
    }
    return moved;
}

/* The last result of `deflate`, until it is freed. If stb_image_write has no memory for the
 * file, it leaks the result, and mb_png_encode frees it. */
static _Thread_local void *deflated;

static void release(void *memory)
{
    deflated = memory == deflated ? NULL : deflated;
    mb_free(memory);
}

static uint8_t *deflate(const uint8_t *data, int n_bytes, int *n_deflated, int level)
{
    libdeflate_set_memory_allocator(mb_malloc, mb_free);
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    const size_t bound = libdeflate_zlib_compress_bound(compressor, (size_t)n_bytes);
    deflated = compressor != NULL ? allocate(bound) : NULL;
    if (deflated != NULL) {
        *n_deflated =
            (int)libdeflate_zlib_compress(compressor, data, (size_t)n_bytes, deflated, bound);
    }
    libdeflate_free_compressor(compressor);
    return deflated;
}

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS               MB_IMAGE_MAX_FILE_DIMENSION
#define STBI_MALLOC(n)                    allocate(n)
#define STBI_REALLOC_SIZED(memory, n, to) reallocate(memory, n, to)
#define STBI_FREE(memory)                 mb_free(memory)
#include <stb/stb_image.h>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_MALLOC(n)                            allocate(n)
#define STBIW_REALLOC_SIZED(memory, n, to)         reallocate(memory, n, to)
#define STBIW_FREE(memory)                         release(memory)
#define STBIW_ZLIB_COMPRESS(data, n, n_out, level) deflate(data, n, n_out, level)
#define STBIW_CRC32(data, n)                       libdeflate_crc32(0, data, n)
#include <stb/stb_image_write.h>

enum mb_status mb_reader_decode(struct mb_reader *reader, const uint8_t *file, size_t n_bytes,
                                struct mb_err *err)
{
    struct mb_image *image = reader->image;
    int width = 0, height = 0, n_channels = 0;
    if (image->depth == MB_DEPTH_U16) {
        image->texels =
            stbi_load_16_from_memory(file, (int)n_bytes, &width, &height, &n_channels, 4);
    } else {
        image->texels =
            stbi_load_from_memory(file, (int)n_bytes, &width, &height, &n_channels, 4);
    }
    const char *reason = image->texels == NULL ? stbi_failure_reason() : "";
    return image->texels != NULL || strcmp(reason, "outofmem") == 0
               ? MB_NEED(image->texels, reader->path)
               : mb_reader_bad(reader, reason, err);
}

enum mb_status mb_png_encode(const uint8_t *rgba, uint32_t width, uint32_t height,
                             struct mb_bytes *out, struct mb_err *err)
{
    int n = 0;
    *out = (struct mb_bytes){0};
    /* stb_image_write counts in ints; deflate adds at most 5 bytes in 5000. */
    const uint64_t filtered_bytes = ((uint64_t)width * 4 + 1) * height;
    MB_FAIL_IF(filtered_bytes + filtered_bytes / 1000 + 65536 > INT32_MAX, err, MB_ERRC_OUTPUT,
               "a PNG of %ux%u texels is too large to be encoded", width, height);
    stbi_write_force_png_filter = FILTER_SUB;
    stbi_write_png_compression_level = DEFLATE_LEVEL;
    out->data = stbi_write_png_to_mem(rgba, 0, (int)width, (int)height, 4, &n);
    out->n_bytes = (size_t)n;
    release(deflated);
    return MB_NEED(out->data, "PNG");
}
