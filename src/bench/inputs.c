/* From inputs to cases: level 0 at the size and in the format asked for, and the conditions to
 * time it under. */
#include "bench/inputs.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"

/* If an input would bring the kept texels above this size, it is decoded again in its turn. */
#define KEEP_BYTES (UINT64_C(1) << 30)

/* The size of image `index`: sizes given by --size are taken in turn; without --size, the
 * input's own. */
static struct mb_extent extent_of(const struct mb_settings *settings,
                                  const struct mb_image *image, size_t index)
{
    return settings->n_sizes > 0 ? settings->size[index % settings->n_sizes]
                                 : (struct mb_extent){image->width, image->height};
}

static enum mb_status check_shape(const struct mb_settings *settings, struct mb_extent base,
                                  const char *input, struct mb_err *err)
{
    const struct mb_rect rect = settings->rect;
    MB_FAIL_IF(!mb_rect_is_empty(rect) &&
                   (rect.x >= base.width || rect.width > base.width - rect.x ||
                    rect.y >= base.height || rect.height > base.height - rect.y),
               err, MB_ERRC_USAGE, "--rect %u,%u,%u,%u exceeds the %ux%u texels of %s", rect.x,
               rect.y, rect.width, rect.height, base.width, base.height, input);
    MB_FAIL_IF(settings->is_cube && base.width != base.height, err, MB_ERRC_USAGE,
               "--cube: faces must be square, %s is %ux%u", input, base.width, base.height);
    return MB_OK;
}

static uint64_t image_bytes(const struct mb_image *image)
{
    return (uint64_t)mb_depth_texel_bytes(image->depth) * image->width * image->height;
}

/* Decode an input and check the shapes asked of it. */
static enum mb_status open_input(const struct mb_settings *settings, size_t index,
                                 struct mb_image *image, struct mb_err *err)
{
    const char *input = settings->inputs[index];
    MB_DO(mb_image_open(image, input, settings->seed, err));
    for (size_t i = 0; i < mb_settings_n_images(settings); i++) {
        MB_DO(check_shape(settings, extent_of(settings, image, i), input, err));
    }
    return MB_OK;
}

enum mb_status mb_inputs_open(const struct mb_settings *settings, struct mb_inputs *inputs,
                              struct mb_err *err)
{
    uint64_t kept_bytes = 0;
    *inputs = (struct mb_inputs){.n_inputs = settings->n_inputs};
    inputs->images = mb_alloc(settings->n_inputs, sizeof *inputs->images);
    MB_DO(MB_NEED(inputs->images, "inputs"));
    for (size_t i = 0; i < settings->n_inputs; i++) {
        struct mb_image *image = &inputs->images[i];
        MB_DO(open_input(settings, i, image, err));
        kept_bytes += image_bytes(image);
        if (kept_bytes > KEEP_BYTES && i > 0) {
            kept_bytes -= image_bytes(image);
            mb_free(image->texels); /* its digest stays */
            image->texels = NULL;
        }
    }
    return MB_OK;
}

void mb_inputs_finish(struct mb_inputs *inputs)
{
    for (size_t i = 0; inputs->images && i < inputs->n_inputs; i++) {
        mb_image_finish(&inputs->images[i]);
    }
    mb_free(inputs->images);
    *inputs = (struct mb_inputs){0};
}

enum mb_status mb_inputs_load(const struct mb_settings *settings, struct mb_inputs *inputs,
                              size_t index, struct mb_err *err)
{
    struct mb_image *image = &inputs->images[index];
    return image->texels ? MB_OK : open_input(settings, index, image, err);
}

/* The format of image `index`: the first one at all sizes, then the next one at all sizes. */
static const struct mb_format *format_of(const struct mb_settings *settings,
                                         const struct mb_image *image, size_t index)
{
    const size_t n_sizes = settings->n_sizes > 0 ? settings->n_sizes : 1;
    const char *name = settings->formats[index % mb_settings_n_images(settings) / n_sizes];
    return name ? mb_format_find(name) : mb_image_natural_format(image, settings->is_srgb);
}

void mb_image_describe_case(const struct mb_image *image, const struct mb_settings *settings,
                            size_t index, struct mb_case *c)
{
    const struct mb_extent base = extent_of(settings, image, index);
    const uint32_t n_full = mb_full_level_count(base);
    const uint32_t n_levels =
        settings->n_levels > 0 && settings->n_levels < n_full ? settings->n_levels : n_full;
    const uint32_t n_layers =
        (settings->n_layers > 0 ? settings->n_layers : 1) * (settings->is_cube ? 6 : 1);
    const bool is_update = !mb_rect_is_empty(settings->rect);
    mb_utf8_sanitize(settings->inputs[index / mb_settings_n_images(settings)], c->input,
                     sizeof c->input);
    snprintf(c->input_name, sizeof c->input_name, "%s", image->name);
    snprintf(c->input_sha256, sizeof c->input_sha256, "%s", image->sha256);
    mb_layout_init(&c->layout, format_of(settings, image, index), base, n_layers, n_levels);
    c->n_image_levels = n_full;
    c->is_cube = settings->is_cube;
    c->image_usage = settings->image_usage;
    c->task = (struct mb_task){
        .reduce = settings->reduce,
        .alpha = settings->alpha,
        .is_update = is_update,
        .rect = is_update ? settings->rect : mb_rect_whole(base),
    };
    /* The rectangle is read once, and the texels that depend on it are written once. */
    c->compulsory_bytes = mb_filter_affected_bytes(MB_POLICY_BOX, &c->layout, c->task.rect);
}

enum mb_status mb_image_make_case(const struct mb_image *image,
                                  const struct mb_settings *settings, size_t index,
                                  struct mb_case *c, void **source, struct mb_err *err)
{
    MB_SCOPED(mb_image) resized = {0};
    const struct mb_image *used = image;
    if (settings->n_sizes > 0) {
        const struct mb_extent size = extent_of(settings, image, index);
        MB_DO(mb_image_resize(&resized, image, size.width, size.height, err));
        used = &resized;
    }
    mb_image_describe_case(image, settings, index, c);
    *source = mb_image_encode_layers(used, &c->layout);
    MB_DO(MB_NEED(*source, c->input));
    c->input_depth = used->depth;
    c->n_clamped_texels = mb_image_count_clamped(used, c->layout.format);
    return MB_OK;
}

size_t mb_conditions(const struct mb_gpu *gpu, const struct mb_settings *settings,
                     struct mb_condition out[MB_MAX_CONDITIONS])
{
    bool is_cpu = mb_gpu_is_cpu(&gpu->info);
    /* A software device uses the host's caches, which cannot be kept cold. */
    unsigned caches = is_cpu                 ? 1u << MB_CACHE_HOT
                      : settings->caches > 0 ? settings->caches
                                             : 1u << MB_CACHE_COLD;
    unsigned modes = settings->modes > 0 ? settings->modes : 1u << MB_MODE_LATENCY;
    size_t n = 0;
    for (unsigned i = 0; i < MB_MAX_CONDITIONS; i++) {
        enum mb_cache cache = (enum mb_cache)(i / MB_N_MODES);
        enum mb_mode mode = (enum mb_mode)(i % MB_N_MODES);
        if ((caches & (1u << cache)) && (modes & (1u << mode))) {
            out[n++] = (struct mb_condition){cache, mode};
        }
    }
    return n;
}
