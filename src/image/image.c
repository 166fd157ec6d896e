/* Images in host memory: fitting them to size and format. */
#include "image/image.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

#define ENCODE_CHUNK 256u /* texels */

/* The texel format of each depth. */
static const struct mb_format depth_formats[] = {
    [MB_DEPTH_U8] = {.codec = MB_CODEC_UNORM8, .n_channels = 4, .texel_bytes = 4},
    [MB_DEPTH_U16] = {.codec = MB_CODEC_UNORM16, .n_channels = 4, .texel_bytes = 8},
    [MB_DEPTH_F32] = {.codec = MB_CODEC_SFLOAT32, .n_channels = 4, .texel_bytes = 16},
};

size_t mb_depth_texel_bytes(enum mb_depth depth)
{
    return depth_formats[depth].texel_bytes;
}

/* The source texel of texel `x` of a mirror-tiled axis: for n = 3, 0 1 2 2 1 0 0 1 2 ... */
static size_t mirror(uint32_t x, uint32_t n)
{
    const uint64_t place = x % (2 * (uint64_t)n);
    return (size_t)(place < n ? place : 2 * (uint64_t)n - 1 - place);
}

enum mb_status mb_image_resize(struct mb_image *out, const struct mb_image *in, uint32_t width,
                               uint32_t height, struct mb_err *err)
{
    const size_t texel_bytes = mb_depth_texel_bytes(in->depth);
    uint8_t *const texels = mb_malloc((size_t)width * height * texel_bytes);
    *out = (struct mb_image){0};
    MB_DO(MB_NEED(texels, in->name));
    *out = *in;
    out->texels = texels;
    out->width = width;
    out->height = height;
    uint8_t *end = texels;
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *row =
            (const uint8_t *)in->texels + mirror(y, in->height) * in->width * texel_bytes;
        for (uint32_t x = 0; x < width; x++, end += texel_bytes) {
            memcpy(end, row + mirror(x, in->width) * texel_bytes, texel_bytes);
        }
    }
    return MB_OK;
}

/* Clamp finite values of a texel to the range of the format: the sun of an HDR image, above the
 * largest small float, would otherwise spread as infinity to every level. Infinities and NaN
 * stay. Returns true if a value has changed. */
static bool saturate(const struct mb_format *format, double rgba[4])
{
    bool is_changed = false;
    for (uint32_t c = 0; c < format->n_channels; c++) {
        const struct mb_channel *stored = mb_format_channel(format, c);
        const double held = fmin(fmax(rgba[c], stored->least), stored->largest);
        if (isfinite(rgba[c]) && held != rgba[c]) {
            rgba[c] = held;
            is_changed = true;
        }
    }
    return is_changed;
}

struct encode_job {
    const struct mb_image *image;
    struct mb_format format;
    uint32_t layer;
    uint8_t *texels;
};

/* Decode `n` texels of the layer from column `x` of row `y`: codes, or linear floats. */
static void layer_texels(const struct encode_job *job, uint32_t x, uint32_t y, size_t n,
                         double *rgba)
{
    const struct mb_image *image = job->image;
    const bool is_flipped = (job->layer & 1) != 0;
    const uint32_t row = (job->layer & 2) != 0 ? image->height - 1 - y : y;
    const size_t column = is_flipped ? image->width - x - n : x;
    const struct mb_format *held = &depth_formats[image->depth];
    const size_t first = (size_t)row * image->width + column;
    mb_format_decode(held, (const uint8_t *)image->texels + first * held->texel_bytes, n, rgba);
    for (size_t i = 0; is_flipped && i < n / 2; i++) {
        for (size_t c = 0; c < 4; c++) {
            const double left = rgba[i * 4 + c];
            rgba[i * 4 + c] = rgba[(n - 1 - i) * 4 + c];
            rgba[(n - 1 - i) * 4 + c] = left;
        }
    }
    for (size_t i = 0; job->layer > 0 && i < n * 4; i++) {
        rgba[i] *= 8.0 / (8.0 + job->layer);
    }
}

static void encode_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    (void)worker;
    const struct encode_job *job = ctx;
    const uint32_t width = job->image->width;
    uint8_t *texels = job->texels + (size_t)row_begin * width * job->format.texel_bytes;
    const uint32_t n_chunks = (width - 1) / ENCODE_CHUNK + 1; /* of a row */
    for (uint32_t i = row_begin * n_chunks; i < row_end * n_chunks; i++) {
        double rgba[ENCODE_CHUNK * 4];
        const uint32_t x = i % n_chunks * ENCODE_CHUNK, y = i / n_chunks;
        const size_t n = width - x < ENCODE_CHUNK ? width - x : ENCODE_CHUNK;
        layer_texels(job, x, y, n, rgba);
        for (size_t k = 0; job->image->depth == MB_DEPTH_F32 && k < n; k++) {
            saturate(&job->format, rgba + k * 4);
        }
        mb_format_encode(&job->format, rgba, n, texels);
        texels += n * job->format.texel_bytes;
    }
}

void mb_image_encode(const struct mb_image *image, const struct mb_format *format,
                     uint32_t layer, void *texels)
{
    const bool is_rgba8 =
        (format->codec == MB_CODEC_UNORM8 || format->codec == MB_CODEC_SRGB8) &&
        format->n_channels == 4;
    if (image->depth == MB_DEPTH_U8 && is_rgba8 && layer == 0) {
        memcpy(texels, image->texels, (size_t)image->width * image->height * 4);
        return;
    }
    struct encode_job job = {
        .image = image, .format = *format, .layer = layer, .texels = texels};
    if (format->codec == MB_CODEC_SRGB8 && image->depth != MB_DEPTH_F32) {
        job.format.codec = MB_CODEC_UNORM8; /* the texels are codes already */
    }
    mb_parallel_rows(image->height, image->width, encode_rows, &job);
}

void *mb_image_encode_layers(const struct mb_image *image, const struct mb_layout *layout)
{
    uint8_t *texels = mb_malloc(layout->level_layer_bytes[0] * layout->n_layers);
    for (uint32_t layer = 0; texels && layer < layout->n_layers; layer++) {
        mb_image_encode(image, layout->format, layer,
                        texels + layer * layout->level_layer_bytes[0]);
    }
    return texels;
}

uint64_t mb_image_count_clamped(const struct mb_image *image, const struct mb_format *format)
{
    const size_t n_texels = (size_t)image->width * image->height;
    const float *texel = image->texels;
    uint64_t n_clamped = 0;
    for (size_t i = 0; image->depth == MB_DEPTH_F32 && i < n_texels; i++, texel += 4) {
        double rgba[4];
        mb_format_decode(&depth_formats[MB_DEPTH_F32], texel, 1, rgba);
        n_clamped += saturate(format, rgba);
    }
    return n_clamped;
}

const struct mb_format *mb_image_natural_format(const struct mb_image *image, bool is_srgb)
{
    const struct mb_format *half = mb_format_find("rgba16f");
    const bool is_rgba8 = image->format == NULL || image->format == mb_format_find("rgba8");
    if (!is_rgba8) {
        return image->format;
    }
    if (image->depth == MB_DEPTH_U8) {
        return mb_format_find(is_srgb ? "rgba8-srgb" : "rgba8");
    }
    const bool is_held = image->depth == MB_DEPTH_F32 &&
                         (image->texels == NULL || mb_image_count_clamped(image, half) == 0);
    return is_held ? half : mb_format_find("rgba32f");
}

void mb_image_finish(struct mb_image *image)
{
    mb_free(image->texels);
    *image = (struct mb_image){0};
}
