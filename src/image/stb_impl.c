/* stb_image and stb_image_write, compiled here and nowhere else.
 *
 * Only decoders that read no out-of-bounds memory on crafted input are built (JPEG, GIF, PSD
 * and PIC are not), no file access, no asserts: stb checks hostile values after asserting them.
 */
#include "image/stb_impl.h"

#include <limits.h>

#include "base/alloc.h"

/* stb's allocation macros carry no context, so the cap is the thread's. */
static _Thread_local size_t cap_bytes = INT_MAX;

void mb_stb_set_cap(size_t max_block_bytes)
{
    cap_bytes = max_block_bytes;
}

static void *capped_malloc(size_t n_bytes)
{
    return n_bytes <= cap_bytes ? mb_malloc(n_bytes) : NULL;
}

static void *capped_realloc(void *ptr, size_t n_bytes)
{
    return n_bytes <= cap_bytes ? mb_realloc(ptr, n_bytes) : NULL;
}

#define STBI_ONLY_PNG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_ONLY_HDR
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS        16384
#define STBI_ASSERT(x)             ((void)0)
#define STBI_MALLOC(n_bytes)       capped_malloc(n_bytes)
#define STBI_REALLOC(ptr, n_bytes) capped_realloc(ptr, n_bytes)
#define STBI_FREE(ptr)             mb_free(ptr)
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

#if MB_HAVE_LIBDEFLATE
#include <libdeflate.h>

#define DEFLATE_LEVEL 3

/* stb's own compressor takes eight times as long. The interface is stb's: int sizes. */
static unsigned char *deflate_zlib(unsigned char *data, int n_bytes, int *n_out, int quality)
{
    (void)quality;
    libdeflate_set_memory_allocator(mb_malloc, mb_free);
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    const size_t bound = libdeflate_zlib_compress_bound(compressor, (size_t)n_bytes);
    unsigned char *out = compressor != NULL ? mb_malloc(bound) : NULL;
    if (out != NULL) {
        *n_out = (int)libdeflate_zlib_compress(compressor, data, (size_t)n_bytes, out, bound);
    }
    libdeflate_free_compressor(compressor);
    return out;
}

static unsigned int deflate_crc32(const unsigned char *data, int n_bytes)
{
    return (unsigned int)libdeflate_crc32(0, data, (size_t)n_bytes);
}

#define STBIW_ZLIB_COMPRESS(data, n, n_out, quality) deflate_zlib(data, n, n_out, quality)
#define STBIW_CRC32(data, n)                         deflate_crc32(data, n)
#endif

#define STBI_WRITE_NO_STDIO
#define STBIW_MALLOC(n_bytes)       mb_malloc(n_bytes)
#define STBIW_REALLOC(ptr, n_bytes) mb_realloc(ptr, n_bytes)
#define STBIW_FREE(ptr)             mb_free(ptr)
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#define FILTER_SUB 1

uint8_t *mb_stb_png_encode(const uint8_t *rgba, int width, int height, int *n_bytes)
{
    /* Trying all five filters per row costs more than the compression saves. */
    stbi_write_force_png_filter = FILTER_SUB;
    return stbi_write_png_to_mem(rgba, 0, width, height, 4, n_bytes);
}
