/* Loading images from files that are not to be trusted, and fitting them to size and format. */
#include "image/image.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"
#include "image/container.h"
#include "image/hdr.h"
#include "image/pattern.h"
#include "image/pnm.h"
#include "image/stb_impl.h"

#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#include <stb/stb_image.h>

#define MAX_FILE_DIMENSION 16384 /* as STBI_MAX_DIMENSIONS: stb counts bytes in int */
#define ENCODE_CHUNK       256u  /* texels */

/* Bytes per texel of four channels. */
static size_t depth_texel_bytes(enum mb_depth depth)
{
    static const size_t n_bytes[] = {
        [MB_DEPTH_U8] = 4, [MB_DEPTH_U16] = 8, [MB_DEPTH_F32] = 16};
    return n_bytes[depth];
}

enum mb_status mb_image_check_extent(const char *path, int64_t width, int64_t height,
                                     struct mb_err *err)
{
    if (width < 1 || height < 1) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: no texels (its header says %lldx%lld)", path,
                       (long long)width, (long long)height);
    }
    if (width > MAX_FILE_DIMENSION || height > MAX_FILE_DIMENSION) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: too large: %lldx%lld, at most %d on a side",
                       path, (long long)width, (long long)height, MAX_FILE_DIMENSION);
    }
    return MB_OK;
}

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
        {"unexpected end", "truncated"},
        {"no IDAT", "no image data in it"},
        {"not enough pixels", "truncated: not enough texels in it"},
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

/* Look at the header only: extent, depth, and whether the file can hold what it claims. */
MB_MUST_CHECK static enum mb_status read_stb_header(struct mb_image *image, const char *path,
                                                    const struct mb_container *container,
                                                    const struct mb_bytes *file,
                                                    struct mb_err *err)
{
    enum mb_status status;
    struct source source = {.file = file};
    int width = 0, height = 0, n_channels = 0;
    if (container->has_extent) {
        MB_TRY(mb_image_check_extent(path, container->width, container->height, err));
    }
    /* No reason is asked for: stb tries every format and keeps the last one's. */
    if (stbi_info_from_callbacks(&source_callbacks, &source, &width, &height, &n_channels) ==
        0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: bad %s: %s", path, container->name,
                       source.is_overrun ? "truncated"
                                         : "its header is damaged or of a kind not read");
    }
    MB_TRY(mb_image_check_extent(path, width, height, err));
    if ((uint64_t)width * (uint64_t)height > container->max_texels) {
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: truncated: %zu bytes cannot hold the %dx%d texels of its header",
                       path, file->n_bytes, width, height);
    }
    image->width = (uint32_t)width;
    image->height = (uint32_t)height;
    source = (struct source){.file = file};
    if (stbi_is_16_bit_from_callbacks(&source_callbacks, &source) != 0) {
        image->depth = MB_DEPTH_U16;
    }
    return MB_OK;
fail:
    return status;
}

static void *decode_stb(enum mb_depth depth, struct source *source, int *width, int *height)
{
    int n_channels = 0;
    if (depth == MB_DEPTH_U16) {
        return stbi_load_16_from_callbacks(&source_callbacks, source, width, height,
                                           &n_channels, 4);
    }
    return stbi_load_from_callbacks(&source_callbacks, source, width, height, &n_channels, 4);
}

MB_MUST_CHECK static enum mb_status decode_with_stb(struct mb_image *image, const char *path,
                                                    const struct mb_container *container,
                                                    const struct mb_bytes *file,
                                                    struct mb_err *err)
{
    enum mb_status status;
    MB_TRY(read_stb_header(image, path, container, file, err));

    /* Twice the texels or the file, since stb grows its buffers by doubling, and small tables.
     * The largest block of an honest file is well within. */
    const size_t n_texel_bytes =
        (size_t)image->width * image->height * depth_texel_bytes(image->depth);
    mb_stb_set_cap(2 * (n_texel_bytes + image->height + file->n_bytes) + (1u << 20));

    struct source source = {.file = file};
    int width = 0, height = 0;
    image->texels = decode_stb(image->depth, &source, &width, &height);
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

enum mb_status mb_image_load(struct mb_image *image, const char *path, struct mb_err *err)
{
    enum mb_status status;
    struct mb_bytes file = {0};
    struct mb_container container;
    *image = (struct mb_image){0};

    MB_TRY(mb_file_read(path, MB_IMAGE_MAX_FILE_BYTES, &file, err));
    MB_TRY(mb_container_detect(&container, path, file.data, file.n_bytes, err));
    if (container.kind == MB_CONTAINER_PNM) {
        MB_TRY(mb_pnm_decode(image, path, &file, err));
    } else if (container.kind == MB_CONTAINER_HDR) {
        MB_TRY(mb_hdr_decode(image, path, &file, err));
    } else {
        MB_TRY(decode_with_stb(image, path, &container, &file, err));
    }
    stem_slug(path, image->name, sizeof image->name);
    mb_sha256_hex(file.data, file.n_bytes, image->sha256);
    mb_bytes_finish(&file);
    return MB_OK;
fail:
    mb_bytes_finish(&file);
    mb_image_finish(image);
    return status;
}

enum mb_status mb_image_open(struct mb_image *image, const char *spec, uint64_t seed,
                             struct mb_err *err)
{
    return mb_pattern_is_spec(spec) ? mb_pattern_make(image, spec, seed, err)
                                    : mb_image_load(image, spec, err);
}

/* Where texel `x` of a mirror-tiled axis comes from: 0 1 2 2 1 0 0 1 2 ... for n = 3. */
static size_t mirror(uint32_t x, uint32_t n)
{
    const uint64_t place = x % (2 * (uint64_t)n);
    return (size_t)(place < n ? place : 2 * (uint64_t)n - 1 - place);
}

static void resize_row(uint8_t *out, const uint8_t *in, uint32_t n_out, uint32_t n_in,
                       size_t texel_bytes)
{
    const uint32_t n_same = n_out < n_in ? n_out : n_in;
    memcpy(out, in, n_same * texel_bytes);
    for (uint32_t x = n_same; x < n_out; x++) {
        memcpy(out + x * texel_bytes, in + mirror(x, n_in) * texel_bytes, texel_bytes);
    }
}

enum mb_status mb_image_resize(struct mb_image *out, const struct mb_image *in, uint32_t width,
                               uint32_t height, struct mb_err *err)
{
    const size_t texel_bytes = depth_texel_bytes(in->depth);
    const size_t n_bytes = (size_t)width * height * texel_bytes;
    uint8_t *const texels = mb_malloc(n_bytes);
    if (texels == NULL) {
        *out = (struct mb_image){0};
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory for %zu bytes", in->name,
                       n_bytes);
    }
    *out = *in;
    out->texels = texels;
    out->width = width;
    out->height = height;
    const uint8_t *const source = in->texels;
    for (uint32_t y = 0; y < height; y++) {
        resize_row(texels + (size_t)y * width * texel_bytes,
                   source + mirror(y, in->height) * in->width * texel_bytes, width, in->width,
                   texel_bytes);
    }
    return MB_OK;
}

/* `n` values from the `first` of the image as doubles. */
static void values_to_doubles(const struct mb_image *image, size_t first, size_t n, double *out)
{
    const uint8_t *const u8 = image->texels;
    const uint16_t *const u16 = image->texels;
    const float *const f32 = image->texels;
    for (size_t i = 0; i < n; i++) {
        switch (image->depth) {
        case MB_DEPTH_U8:
            out[i] = u8[first + i] / 255.0;
            break;
        case MB_DEPTH_U16:
            out[i] = u16[first + i] / 65535.0;
            break;
        case MB_DEPTH_F32:
            out[i] = (double)f32[first + i];
            break;
        }
    }
}

struct encode_job {
    const struct mb_image *image;
    const struct mb_format *format;
    uint8_t *texels;
};

static void encode_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    (void)worker;
    const struct encode_job *job = ctx;
    const size_t end = (size_t)row_end * job->image->width;
    for (size_t i = (size_t)row_begin * job->image->width; i < end; i += ENCODE_CHUNK) {
        double rgba[ENCODE_CHUNK * 4];
        const size_t n = end - i < ENCODE_CHUNK ? end - i : ENCODE_CHUNK;
        values_to_doubles(job->image, i * 4, n * 4, rgba);
        mb_format_encode(job->format, rgba, n, job->texels + i * job->format->texel_bytes);
    }
}

void mb_image_encode(const struct mb_image *image, const struct mb_format *format, void *texels)
{
    if (image->depth == MB_DEPTH_U8 && format->codec == MB_CODEC_UNORM8 &&
        format->n_channels == 4) {
        memcpy(texels, image->texels, (size_t)image->width * image->height * 4);
        return;
    }
    struct encode_job job = {.image = image, .format = format, .texels = texels};
    mb_parallel_rows(image->height, mb_rows_per_thread(image->width), encode_rows, &job);
}

const struct mb_format *mb_image_natural_format(const struct mb_image *image)
{
    static const char *const names[] = {
        [MB_DEPTH_U8] = "rgba8", [MB_DEPTH_U16] = "rgba32f", [MB_DEPTH_F32] = "rgba16f"};
    return mb_format_find(names[image->depth]);
}

void mb_image_finish(struct mb_image *image)
{
    mb_free(image->texels);
    *image = (struct mb_image){0};
}
