/* An image of a run as cells: level 0 at the asked size and in the asked format, and one cell
 * per condition. */
#include "bench/image_cells.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "bench/trial.h"

/* The rectangles of an update lie within level 0. */
static enum mb_status check_rects(const struct mb_settings *settings, struct mb_extent base,
                                  const char *input, struct mb_err *err)
{
    for (uint32_t i = 0; i < settings->n_rects; i++) {
        const struct mb_rect rect = settings->rects[i];
        if (rect.x >= base.width || rect.width > base.width - rect.x || rect.y >= base.height ||
            rect.height > base.height - rect.y) {
            return MB_FAIL(err, MB_ERRC_USAGE,
                           "--rect %u,%u,%u,%u does not lie within %ux%u of %s", rect.x, rect.y,
                           rect.width, rect.height, base.width, base.height, input);
        }
    }
    return MB_OK;
}

/* The faces of a cube are square. */
static enum mb_status check_cube(const struct mb_settings *settings, struct mb_extent base,
                                 const char *input, struct mb_err *err)
{
    if (settings->is_cube && base.width != base.height) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--cube: faces are square, and %s is %ux%u", input,
                       base.width, base.height);
    }
    return MB_OK;
}

enum mb_status mb_image_check_shapes(const struct mb_settings *settings,
                                     const struct mb_image *image, const char *input,
                                     struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_extent own = {image->width, image->height};
    for (size_t i = 0; i < settings->n_sizes; i++) {
        MB_TRY(check_rects(settings, settings->size[i], input, err));
        MB_TRY(check_cube(settings, settings->size[i], input, err));
    }
    if (settings->n_sizes == 0) {
        MB_TRY(check_rects(settings, own, input, err));
        MB_TRY(check_cube(settings, own, input, err));
    }
fail:
    return status;
}

static const struct mb_format *cell_format(const struct mb_settings *settings,
                                           const struct mb_image *image)
{
    const struct mb_format *named = settings->format ? mb_format_find(settings->format) : NULL;
    return named ? named : mb_image_natural_format(image, settings->is_srgb);
}

/* What is to be done with this image. */
static enum mb_status fill_task(struct mb_cell *cell, const struct mb_settings *settings,
                                struct mb_err *err)
{
    const struct mb_extent base = cell->layout.base;
    cell->task = (struct mb_task){
        .reduce = settings->reduce,
        .alpha = settings->alpha,
        .is_update = settings->n_rects > 0,
        .n_rects = 1,
        .rects = {mb_rect_whole(base)},
    };
    if (cell->task.is_update) {
        cell->task.n_rects = settings->n_rects;
        memcpy(cell->task.rects, settings->rects, sizeof cell->task.rects);
    }
    cell->compulsory_bytes = mb_task_compulsory_bytes(&cell->task, &cell->layout);
    return check_rects(settings, base, cell->input, err);
}

static uint32_t layer_count(const struct mb_settings *settings)
{
    return (settings->n_layers > 0 ? settings->n_layers : 1) * (settings->is_cube ? 6 : 1);
}

static void fill_cell(struct mb_cell *cell, const struct mb_settings *settings, size_t input,
                      const struct mb_image *image)
{
    struct mb_extent base = {image->width, image->height};
    uint32_t n_full = mb_full_level_count(base);
    uint32_t n_levels =
        settings->n_levels > 0 && settings->n_levels < n_full ? settings->n_levels : n_full;
    mb_utf8_sanitize(settings->inputs[input], cell->input, sizeof cell->input);
    snprintf(cell->input_name, sizeof cell->input_name, "%s", image->name);
    snprintf(cell->input_sha256, sizeof cell->input_sha256, "%s", image->sha256);
    mb_layout_init(&cell->layout, cell_format(settings, image), base, layer_count(settings),
                   n_levels);
    cell->n_image_levels = n_full;
    cell->is_cube = settings->is_cube;
    cell->image_usage = settings->image_usage;
    cell->fastest = SIZE_MAX;
}

enum mb_status mb_image_make_cell(const struct mb_image *image,
                                  const struct mb_settings *settings, size_t input, size_t size,
                                  struct mb_cell *cell, void **source, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_image resized = {0};
    const struct mb_image *used = image;
    if (settings->n_sizes > 0) {
        MB_TRY(mb_image_resize(&resized, image, settings->size[size].width,
                               settings->size[size].height, err));
        used = &resized;
    }
    fill_cell(cell, settings, input, used);
    MB_TRY(fill_task(cell, settings, err));
    *source = mb_malloc(cell->layout.level_layer_bytes[0] * cell->layout.n_layers);
    if (!*source) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", cell->input);
        goto fail;
    }
    cell->input_depth = used->depth;
    cell->n_clamped_texels = mb_image_count_clamped(used, cell->layout.format);
    for (uint32_t layer = 0; layer < cell->layout.n_layers; layer++) {
        mb_image_encode(used, cell->layout.format, layer,
                        (uint8_t *)*source + layer * cell->layout.level_layer_bytes[0]);
    }
fail:
    mb_image_finish(&resized);
    return status;
}

size_t mb_image_spread_cell(const struct mb_gpu *gpu, const struct mb_settings *settings,
                            struct mb_cell *cells)
{
    bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    /* A software device has the host's caches, which nothing here could keep cold. */
    unsigned caches = is_cpu                 ? 1u << MB_CACHE_HOT
                      : settings->caches > 0 ? settings->caches
                                             : 1u << MB_CACHE_COLD;
    unsigned modes = settings->modes > 0 ? settings->modes : 1u << MB_MODE_LATENCY;
    size_t n = 0;
    for (unsigned i = 0; i < MB_N_CACHES * MB_N_MODES; i++) {
        enum mb_cache cache = (enum mb_cache)(i / MB_N_MODES);
        enum mb_mode mode = (enum mb_mode)(i % MB_N_MODES);
        if ((caches & (1u << cache)) && (modes & (1u << mode))) {
            cells[n] = cells[0];
            cells[n].cache = cache;
            cells[n].mode = mode;
            n++;
        }
    }
    return n;
}

enum mb_status mb_image_match_roofline(const struct mb_ruler *ruler, struct mb_cell *cells,
                                       size_t n_cells, struct mb_err *err)
{
    if (!ruler->has_timer || isnan(ruler->roofline.ceiling_gbps)) {
        for (size_t i = 0; i < n_cells * MB_N_TRAFFICS; i++) {
            cells[i / MB_N_TRAFFICS].match[i % MB_N_TRAFFICS].gbps = (double)NAN;
        }
        return MB_OK;
    }
    enum mb_status status =
        mb_roofline_match(ruler->gpu, &cells[0].layout, cells[0].match, err);
    for (size_t i = 1; i < n_cells; i++) {
        memcpy(cells[i].match, cells[0].match, sizeof cells[i].match);
    }
    return status;
}
