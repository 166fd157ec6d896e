/* Loading images from files: which kind of file it is, told by its first bytes, and what its
 * reader needs of the image. */
#include "image/io/reader.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/text.h"
#include "image/pattern.h"

/* Formats by their magic. */
static const struct format {
    const char *name, *magic;
    size_t n_magic;
    enum mb_status (*decode)(struct mb_reader *reader, struct mb_err *err);
} formats[] = {
    {"PNG", "\x89PNG\r\n\x1a\n", 8, mb_png_decode},
    {"Radiance HDR", "#?RADIANCE\n", 11, mb_hdr_decode},
    {"Radiance HDR", "#?RGBE\n", 7, mb_hdr_decode},
    {"PNM", "P5", 2, mb_pnm_decode},
    {"PNM", "P6", 2, mb_pnm_decode},
    {"PFM", "PF", 2, mb_pfm_decode},
    {"PFM", "Pf", 2, mb_pfm_decode},
    {"BMP", "BM", 2, mb_bmp_decode},
#if MB_HAS_JPEG
    {"JPEG", "\xff\xd8\xff", 3, mb_jpeg_decode},
#endif
    {"KTX2", "\xabKTX 20\xbb\r\n\x1a\n", 12, mb_ktx2_decode},
    {"DDS", "DDS ", 4, mb_dds_decode},
};

/* It has no magic. */
static const struct format tga = {.name = "TGA", .decode = mb_tga_decode};

size_t mb_reader_left(const struct mb_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

enum mb_status mb_reader_bad(const struct mb_reader *reader, const char *reason,
                             struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad %s: %s", reader->path, reader->format, reason);
}

enum mb_status mb_reader_size(struct mb_reader *reader, int64_t width, int64_t height,
                              enum mb_depth depth, uint64_t min_bytes, struct mb_err *err)
{
    struct mb_image *image = reader->image;
    MB_FAIL_IF(width < 1 || height < 1, err, MB_ERRC_INPUT,
               "%s: no texels (its header says %lldx%lld)", reader->path, (long long)width,
               (long long)height);
    MB_FAIL_IF(width > MB_IMAGE_MAX_FILE_DIMENSION || height > MB_IMAGE_MAX_FILE_DIMENSION, err,
               MB_ERRC_INPUT, "%s: too large: %lldx%lld, at most %d on a side", reader->path,
               (long long)width, (long long)height, MB_IMAGE_MAX_FILE_DIMENSION);
    MB_FAIL_IF(mb_reader_left(reader) < min_bytes, err, MB_ERRC_INPUT,
               "%s: truncated: %zu bytes cannot hold the %ux%u texels of its header",
               reader->path, mb_reader_left(reader), (unsigned)width, (unsigned)height);
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    image->depth = depth;
    return MB_OK;
}

enum mb_status mb_reader_start(struct mb_reader *reader, int64_t width, int64_t height,
                               enum mb_depth depth, uint64_t min_bytes, struct mb_err *err)
{
    struct mb_image *image = reader->image;
    MB_DO(mb_reader_size(reader, width, height, depth, min_bytes, err));
    image->texels = mb_malloc((size_t)(width * height) * mb_depth_texel_bytes(depth));
    return MB_NEED(image->texels, reader->path);
}

/* NULL if it cannot be read. */
static const struct format *find_format(const struct mb_reader *reader)
{
    for (size_t i = 0; i < MB_COUNTOF(formats); i++) {
        const struct format *f = &formats[i];
        if (mb_reader_left(reader) >= f->n_magic &&
            memcmp(reader->begin, f->magic, f->n_magic) == 0) {
            return f;
        }
    }
    return mb_tga_is_likely(reader) ? &tga : NULL;
}

MB_MUST_CHECK static enum mb_status decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err)
{
    struct mb_reader reader = {
        .path = path,
        .begin = file->data,
        .end = file->data + file->n_bytes,
        .at = file->data,
        .image = image,
    };
    const struct format *format = find_format(&reader);
    if (format == NULL) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: not an image that can be read", path);
        return mb_err_hint(err, MB_IMAGE_KINDS " are: 'convert %.80s out.png' makes one", path);
    }
    reader.format = format->name;
    return format->decode(&reader, err);
}

/* The file's name without folder and extension, as a slug. */
static void stem_slug(const char *path, char *out, size_t out_bytes)
{
    const char *slash = strrchr(path, '/');
    char stem[256];
    snprintf(stem, sizeof stem, "%s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(stem, '.');
    if (dot != NULL && dot != stem) {
        *dot = '\0';
    }
    mb_slug(stem, out, out_bytes);
}

enum mb_status mb_image_decode(struct mb_image *image, const char *path,
                               const struct mb_bytes *file, struct mb_err *err)
{
    *image = (struct mb_image){0};
    const enum mb_status status = decode(image, path, file, err);
    if (status != MB_OK) {
        mb_image_finish(image);
        return status;
    }
    stem_slug(path, image->name, sizeof image->name);
    mb_sha256_hex(file->data, file->n_bytes, image->sha256);
    return MB_OK;
}

enum mb_status mb_image_open(struct mb_image *image, const char *spec, uint64_t seed,
                             struct mb_err *err)
{
    MB_SCOPED(mb_bytes) file = {0};
    if (mb_pattern_is_spec(spec)) {
        return mb_pattern_make(image, spec, seed, err);
    }
    *image = (struct mb_image){0};
    MB_DO(mb_file_read(spec, MB_IMAGE_MAX_FILE_BYTES, &file, err));
    return mb_image_decode(image, spec, &file, err);
}

bool mb_image_has_suffix(const char *path)
{
    static const char suffixes[] = MB_IMAGE_SUFFIXES;
    const char *dot = strrchr(path, '.');
    const size_t n_bytes = dot != NULL ? strlen(dot) : 0;
    bool has_one = false;
    for (const char *s = suffixes; n_bytes > 0 && s != NULL && !has_one;
         s = strchr(s + 1, '.')) {
        has_one = strcspn(s, ", ") == n_bytes && strncasecmp(s, dot, n_bytes) == 0;
    }
    return has_one;
}
