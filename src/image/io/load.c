/* Loading images from files: a file's first bytes tell its kind, which selects the reader. */
#include "image/io/reader.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/text.h"
#include "image/pattern.h"

#if MB_HAS_JPEG
#define JPEG_DECODE mb_jpeg_decode
#else
#define JPEG_DECODE NULL
#endif

/* Formats by their magic. Formats without a reader are recognised only so that the message can
 * say what to do. */
static const struct format {
    const char *name, *magic;
    size_t n_magic, offset_bytes;
    enum mb_status (*decode)(struct mb_reader *reader, struct mb_err *err);
} formats[] = {
    {"PNG", "\x89PNG\r\n\x1a\n", 8, 0, mb_png_decode},
    {"Radiance HDR", "#?RADIANCE\n", 11, 0, mb_hdr_decode},
    {"Radiance HDR", "#?RGBE\n", 7, 0, mb_hdr_decode},
    {"PNM", "P5", 2, 0, mb_pnm_decode},
    {"PNM", "P6", 2, 0, mb_pnm_decode},
    {"PFM", "PF", 2, 0, mb_pfm_decode},
    {"PFM", "Pf", 2, 0, mb_pfm_decode},
    {"BMP", "BM", 2, 0, mb_bmp_decode},
    {"JPEG", "\xff\xd8\xff", 3, 0, JPEG_DECODE},
    {"KTX2", "\xabKTX 20\xbb\r\n\x1a\n", 12, 0, mb_ktx2_decode},
    {"DDS", "DDS ", 4, 0, mb_dds_decode},
    {"GIF", "GIF8", 4, 0, NULL},
    {"PSD", "8BPS", 4, 0, NULL},
    {"WebP", "WEBP", 4, 8, NULL},
    {"TIFF", "II*\0", 4, 0, NULL},
    {"TIFF", "MM\0*", 4, 0, NULL},
    {"OpenEXR", "\x76\x2f\x31\x01", 4, 0, NULL},
    {"KTX", "\xabKTX ", 5, 0, NULL},
    {"AVIF or HEIF", "ftyp", 4, 4, NULL},
    {"JPEG XL", "\xff\x0a", 2, 0, NULL},
    {"JPEG XL", "JXL \r\n\x87\n", 8, 4, NULL},
    {"JPEG 2000", "jP  \r\n\x87\n", 8, 4, NULL},
    {"JPEG 2000", "\xff\x4f\xff\x51", 4, 0, NULL},
    {"QOI", "qoif", 4, 0, NULL},
    {"SVG", "<svg", 4, 0, NULL},
    {"ICO", "\0\0\1\0", 4, 0, NULL},
    {"Basis", "sB", 2, 0, NULL},
    {"PAM", "P7", 2, 0, NULL},
    {"PNM in text or bitmap form", "P1", 2, 0, NULL},
    {"PNM in text or bitmap form", "P2", 2, 0, NULL},
    {"PNM in text or bitmap form", "P3", 2, 0, NULL},
    {"PNM in text or bitmap form", "P4", 2, 0, NULL},
};

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

enum mb_status mb_reader_turn(struct mb_reader *reader, uint32_t orientation,
                              struct mb_err *err)
{
    struct mb_image *image = reader->image;
    const struct mb_image stored = *image;
    const bool is_turned = orientation >= 5; /* rows become columns */
    const bool from_right =
        orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
    const bool from_bottom =
        orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
    const size_t width = is_turned ? stored.height : stored.width;
    const size_t height = is_turned ? stored.width : stored.height;
    if (orientation == 1) {
        return MB_OK;
    }
    uint8_t *out = mb_malloc(width * height * 4);
    MB_DO(MB_NEED(out, reader->path));
    *image = (struct mb_image){(uint32_t)width, (uint32_t)height, MB_DEPTH_U8, .texels = out};
    for (size_t row = 0; row < height; row++) {
        for (size_t column = 0; column < width; column++, out += 4) {
            const size_t x = from_right ? width - 1 - column : column;
            const size_t y = from_bottom ? height - 1 - row : row;
            const size_t at = is_turned ? x * height + y : y * width + x;
            memcpy(out, (const uint8_t *)stored.texels + at * 4, 4);
        }
    }
    mb_free(stored.texels);
    return MB_OK;
}

static const struct format *find_format(const struct mb_bytes *file)
{
    for (size_t i = 0; i < MB_COUNTOF(formats); i++) {
        const struct format *f = &formats[i];
        if (file->n_bytes >= f->offset_bytes + f->n_magic &&
            memcmp(file->data + f->offset_bytes, f->magic, f->n_magic) == 0) {
            return f;
        }
    }
    return NULL;
}

MB_MUST_CHECK static enum mb_status decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err)
{
    static const struct format tga = {.name = "TGA", .decode = mb_tga_decode};
    struct mb_reader reader = {
        .path = path,
        .begin = file->data,
        .end = file->data + file->n_bytes,
        .at = file->data,
        .image = image,
    };
    const struct format *format = find_format(file);
    if (format == NULL && mb_tga_is_likely(&reader)) {
        format = &tga;
    }
    if (format != NULL && format->decode != NULL) {
        reader.format = format->name;
        return format->decode(&reader, err);
    }
    if (format != NULL) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: %s is not read", path, format->name);
        return mb_err_hint(err, "convert it: convert '%s' out.%s", path,
                           strcmp(format->name, "OpenEXR") == 0 ? "hdr" : "png");
    }
    MB_FAIL(err, MB_ERRC_INPUT, "%s: not an image that can be read", path);
    return mb_err_hint(err, MB_IMAGE_KINDS " are");
}

/* The file's name without folder and extension. */
static struct mb_text stem_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    const bool has_suffix = dot != NULL && dot != name;
    return mb_text("%.*s", (int)(has_suffix ? (size_t)(dot - name) : strlen(name)), name);
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
    mb_slug(stem_of(path).s, image->name, sizeof image->name);
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
