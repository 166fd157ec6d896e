/* stb_image, stb_image_write and stb_easy_font, compiled here and nowhere else.
 *
 * Only decoders that read no out-of-bounds memory on crafted input are built (JPEG, GIF, PSD
 * and PIC are not), no file access, no asserts: stb checks hostile values after asserting them.
 */
#include "image/io/stb_impl.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"

/* stb's allocation macros carry no context, so the cap is the thread's. */
static _Thread_local size_t cap_bytes = INT_MAX;
static _Thread_local bool is_cap_hit;

void mb_stb_set_cap(size_t max_block_bytes)
{
    cap_bytes = max_block_bytes;
    is_cap_hit = false;
}

bool mb_stb_is_cap_hit(void)
{
    return is_cap_hit;
}

static bool is_within_cap(size_t n_bytes)
{
    is_cap_hit = is_cap_hit || n_bytes > cap_bytes;
    return n_bytes <= cap_bytes;
}

static void *capped_malloc(size_t n_bytes)
{
    return is_within_cap(n_bytes) ? mb_malloc(n_bytes) : NULL;
}

static void *capped_realloc(void *ptr, size_t n_bytes)
{
    return is_within_cap(n_bytes) ? mb_realloc(ptr, n_bytes) : NULL;
}

#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_MAX_DIMENSIONS        16384
#define STBI_ASSERT(x)             ((void)0)
#define STBI_MALLOC(n_bytes)       capped_malloc(n_bytes)
#define STBI_REALLOC(ptr, n_bytes) capped_realloc(ptr, n_bytes)
#define STBI_FREE(ptr)             mb_free(ptr)
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>

/* What deflate gave stb, which leaks it if the next allocation fails. */
static _Thread_local unsigned char *deflated;

#include <libdeflate.h>

#define DEFLATE_LEVEL 1 /* 3 makes a zone plate 3 % smaller in three times the time */

/* stb's own compressor takes eight times as long, and cannot bear to run out of memory. */
static unsigned char *deflate_zlib(const unsigned char *data, int n_bytes, int *n_out)
{
    libdeflate_set_memory_allocator(mb_malloc, mb_free);
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(DEFLATE_LEVEL);
    const size_t bound = libdeflate_zlib_compress_bound(compressor, (size_t)n_bytes);
    deflated = compressor != NULL ? mb_malloc(bound) : NULL;
    if (deflated != NULL) {
        *n_out =
            (int)libdeflate_zlib_compress(compressor, data, (size_t)n_bytes, deflated, bound);
    }
    libdeflate_free_compressor(compressor);
    return deflated;
}

static unsigned int deflate_crc32(const unsigned char *data, int n_bytes)
{
    return (unsigned int)libdeflate_crc32(0, data, (size_t)n_bytes);
}

#define STBIW_CRC32(data, n) deflate_crc32(data, n)

#define STBIW_ZLIB_COMPRESS(data, n, n_out, quality) deflate_zlib(data, n, n_out)
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
    deflated = NULL;
    uint8_t *png = stbi_write_png_to_mem(rgba, 0, width, height, 4, n_bytes);
    if (png == NULL) {
        mb_free(deflated);
    }
    return png;
}

#include <stb/stb_easy_font.h>

/* As stb_easy_font writes it; a quad is a rectangle, its first corner the least, the third the
 * largest. */
struct vertex {
    float x, y, z;
    uint8_t rgba[4];
};

size_t mb_stb_glyph(char character, struct mb_stb_stroke strokes[MB_STB_MAX_STROKES],
                    uint32_t *advance)
{
    struct vertex quads[MB_STB_MAX_STROKES][4];
    char text[] = {character, '\0'};
    const int n = stb_easy_font_print(0, 0, text, NULL, quads, (int)sizeof quads);
    for (int i = 0; i < n; i++) {
        const struct vertex *least = &quads[i][0], *most = &quads[i][2];
        strokes[i] = (struct mb_stb_stroke){
            .x = (uint32_t)least->x,
            .y = (uint32_t)least->y,
            .width = (uint32_t)(most->x - least->x),
            .height = (uint32_t)(most->y - least->y),
        };
    }
    *advance = (uint32_t)stb_easy_font_width(text);
    return (size_t)n;
}
