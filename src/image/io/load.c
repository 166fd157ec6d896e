/* Loading images from files that are not to be trusted. */
#include "image/image.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "image/io/bmp.h"
#include "image/io/container.h"
#include "image/io/hdr.h"
#include "image/pattern.h"
#include "image/io/png_read.h"
#include "image/io/pfm.h"
#include "image/io/pnm.h"
#include "image/io/stb_impl.h"

#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#include <stb/stb_image.h>

/* A file in memory as stb's callbacks see it. stb reads zeros past the end of a memory block
 * and calls that success; through callbacks the attempt is noticed. */
struct source {
    const struct mb_bytes *file;
    size_t at;
    bool is_overrun;
};

static int source_read(void *user, char *data, int n_wanted)
{
    struct source *source = user;
    const size_t n_left = source->file->n_bytes - source->at;
    const size_t n = (size_t)n_wanted < n_left ? (size_t)n_wanted : n_left;
    memcpy(data, source->file->data + source->at, n);
    source->at += n;
    /* A read that gets something may merely be filling a buffer. */
    source->is_overrun = source->is_overrun || (n == 0 && n_wanted > 0);
    return (int)n;
}

static void source_skip(void *user, int n)
{
    struct source *source = user;
    const size_t n_left = source->file->n_bytes - source->at;
    if (n < 0) {
        source->at -= (size_t) - (int64_t)n < source->at ? (size_t) - (int64_t)n : source->at;
    } else {
        source->at += (size_t)n < n_left ? (size_t)n : n_left;
    }
}

static int source_eof(void *user)
{
    const struct source *source = user;
    return source->at == source->file->n_bytes;
}

static const stbi_io_callbacks source_callbacks = {source_read, source_skip, source_eof};

/* What an error text of stb means to a person. */
static const char *stb_reason(void)
{
    static const struct {
        const char *stb, *meaning;
    } reasons[] = {
        {"outofdata", "truncated"},
    };
    const char *reason = stbi_failure_reason();
    if (reason == NULL) {
        return "damaged";
    }
    for (size_t i = 0; i < MB_COUNTOF(reasons); i++) {
        if (strcmp(reasons[i].stb, reason) == 0) {
            return reasons[i].meaning;
        }
    }
    return reason;
}

/* Look at the header only: extent, and whether the file can hold what it claims. */
MB_MUST_CHECK static enum mb_status read_stb_header(struct mb_image *image, const char *path,
                                                    const struct mb_container *container,
                                                    const struct mb_bytes *file,
                                                    struct mb_err *err)
{
    enum mb_status status;
    struct source source = {.file = file};
    int width = 0, height = 0, n_channels = 0;
    /* No reason is asked for: stb tries every format and keeps the last one's. */
    if (stbi_info_from_callbacks(&source_callbacks, &source, &width, &height, &n_channels) ==
        0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad %s: %s", path, container->name,
                       source.is_overrun ? "truncated"
                                         : "its header is damaged or of a kind not read");
    }
    /* A BMP whose rows begin at the top has a negative height. */
    height = container->kind == MB_CONTAINER_BMP && height < 0 ? -height : height;
    MB_TRY(mb_image_check_extent(path, width, height, err));
    if ((uint64_t)width * (uint64_t)height > container->max_texels) {
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: truncated: %zu bytes cannot hold the %dx%d texels of its header",
                       path, file->n_bytes, width, height);
    }
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    return MB_OK;
fail:
    return status;
}

MB_MUST_CHECK static enum mb_status decode_with_stb(struct mb_image *image, const char *path,
                                                    const struct mb_container *container,
                                                    const struct mb_bytes *file,
                                                    struct mb_err *err)
{
    enum mb_status status;
    MB_TRY(read_stb_header(image, path, container, file, err));
    if (container->kind == MB_CONTAINER_TGA &&
        !mb_tga_has_colours(file->data, file->n_bytes, (size_t)image->width * image->height)) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad TGA: an index beyond its colour map", path);
    }

    /* Twice the texels or the file, since stb grows its buffers by doubling, and small tables.
     * The largest block of an honest file is well within. */
    const size_t n_texel_bytes =
        (size_t)image->width * image->height * mb_depth_texel_bytes(image->depth);
    mb_stb_set_cap(2 * (n_texel_bytes + image->height + file->n_bytes) + (1u << 20));

    struct source source = {.file = file};
    int width = 0, height = 0, n_channels = 0;
    image->texels =
        stbi_load_from_callbacks(&source_callbacks, &source, &width, &height, &n_channels, 4);
    if (image->texels == NULL && mb_stb_is_cap_hit()) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad %s: holds far more than its %ux%u texels",
                       path, container->name, image->width, image->height);
    }
    if (image->texels == NULL && strcmp(stbi_failure_reason(), "outofmem") == 0) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %ux%u texels", path,
                       image->width, image->height);
    }
    if (image->texels == NULL || source.is_overrun) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad %s: %s", path, container->name,
                       source.is_overrun ? "truncated" : stb_reason());
    }
    if (width != (int)image->width || height != (int)image->height) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad %s: its headers disagree on the size", path,
                       container->name);
    }
    return MB_OK;
fail:
    return status;
}

/* stb reads rows of a TGA from either end, but texels always from the left (the descriptor's
 * bit 4 says from the right). */
static void mirror_rows(struct mb_image *image)
{
    const size_t width = image->width;
    for (size_t y = 0; y < image->height; y++) {
        uint32_t *row = (uint32_t *)image->texels + y * width;
        for (size_t x = 0; x < width / 2; x++) {
            const uint32_t left = row[x];
            row[x] = row[width - 1 - x];
            row[width - 1 - x] = left;
        }
    }
}

MB_MUST_CHECK static enum mb_status decode(struct mb_image *image, const char *path,
                                           const struct mb_bytes *file, struct mb_err *err)
{
    enum mb_status status;
    struct mb_container container;
    MB_TRY(mb_container_detect(&container, path, file->data, file->n_bytes, err));
    if (container.kind == MB_CONTAINER_PNG) {
        return mb_png_decode(image, path, file, err);
    }
    if (container.kind == MB_CONTAINER_PNM) {
        return mb_pnm_decode(image, path, file, err);
    }
    if (container.kind == MB_CONTAINER_PFM) {
        return mb_pfm_decode(image, path, file, err);
    }
    if (container.kind == MB_CONTAINER_HDR) {
        return mb_hdr_decode(image, path, file, err);
    }
    if (container.kind == MB_CONTAINER_BMP && mb_bmp_has_palette(file)) {
        return mb_bmp_decode(image, path, file, err);
    }
    MB_TRY(decode_with_stb(image, path, &container, file, err));
    if (container.kind == MB_CONTAINER_TGA && (file->data[17] & 0x10u) != 0) {
        mirror_rows(image);
    }
    return MB_OK;
fail:
    return status;
}

/* The file's name without folder and extension, as a slug. */
static void stem_slug(const char *path, char *out, size_t out_bytes)
{
    const char *slash = strrchr(path, '/');
    char stem[256];
    const char *name = slash != NULL ? slash + 1 : path;
    size_t n = strlen(name);
    n = n < sizeof stem - 1 ? n : sizeof stem - 1;
    memcpy(stem, name, n);
    stem[n] = '\0';
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

enum mb_status mb_image_load(struct mb_image *image, const char *path, struct mb_err *err)
{
    struct mb_bytes file = {0};
    *image = (struct mb_image){0};
    enum mb_status status = mb_file_read(path, MB_IMAGE_MAX_FILE_BYTES, &file, err);
    if (status == MB_OK) {
        status = mb_image_decode(image, path, &file, err);
    }
    mb_bytes_finish(&file);
    return status;
}

bool mb_image_has_suffix(const char *path)
{
    static const char *const suffixes[] = {".png", ".bmp", ".tga", ".ppm",
                                           ".pgm", ".pnm", ".pfm", ".hdr"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < MB_COUNTOF(suffixes); i++) {
        if (strcasecmp(dot, suffixes[i]) == 0) {
            return true;
        }
    }
    return false;
}

enum mb_status mb_image_open(struct mb_image *image, const char *spec, uint64_t seed,
                             struct mb_err *err)
{
    return mb_pattern_is_spec(spec) ? mb_pattern_make(image, spec, seed, err)
                                    : mb_image_load(image, spec, err);
}
