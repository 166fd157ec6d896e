/* A whole run: inputs x sizes, each a cell. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/host.h"
#include "bench/relate.h"
#include "bench/trial.h"
#include "bench/warn.h"

#define KEEP_BYTES (UINT64_C(1) << 30)

static uint64_t image_bytes(const struct mb_image *image)
{
    return (uint64_t)mb_depth_texel_bytes(image->depth) * image->width * image->height;
}

/* The rectangle of an update lies within level 0. */
static enum mb_status check_rect(const struct mb_settings *settings, struct mb_extent base,
                                 const char *input, struct mb_err *err)
{
    const struct mb_rect rect = settings->rect;
    if (settings->has_rect && (rect.x >= base.width || rect.width > base.width - rect.x ||
                               rect.y >= base.height || rect.height > base.height - rect.y)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--rect %u,%u,%u,%u does not lie within %ux%u of %s",
                       rect.x, rect.y, rect.width, rect.height, base.width, base.height, input);
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

/* At all the sizes that the image will have. */
static enum mb_status check_shapes(const struct mb_settings *settings,
                                   const struct mb_image *image, const char *input,
                                   struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_extent own = {image->width, image->height};
    for (size_t i = 0; i < settings->n_sizes; i++) {
        MB_TRY(check_rect(settings, settings->size[i], input, err));
        MB_TRY(check_cube(settings, settings->size[i], input, err));
    }
    if (settings->n_sizes == 0) {
        MB_TRY(check_rect(settings, own, input, err));
        MB_TRY(check_cube(settings, own, input, err));
    }
fail:
    return status;
}

enum mb_status mb_inputs_open(const struct mb_settings *settings, struct mb_inputs *inputs,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    uint64_t kept_bytes = 0;
    *inputs = (struct mb_inputs){.n_inputs = settings->n_inputs};
    inputs->images = mb_alloc(settings->n_inputs, sizeof *inputs->images);
    if (!inputs->images) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "inputs: out of memory");
    }
    for (size_t i = 0; i < settings->n_inputs; i++) {
        struct mb_image *image = &inputs->images[i];
        MB_TRY(mb_image_open(image, settings->inputs[i], settings->seed, err));
        MB_TRY(check_shapes(settings, image, settings->inputs[i], err));
        kept_bytes += image_bytes(image);
        if (kept_bytes > KEEP_BYTES && i > 0) {
            kept_bytes -= image_bytes(image);
            mb_free(image->texels); /* its digest stays */
            image->texels = NULL;
        }
    }
    return MB_OK;
fail:
    mb_inputs_finish(inputs);
    return status;
}

void mb_inputs_finish(struct mb_inputs *inputs)
{
    for (size_t i = 0; inputs->images && i < inputs->n_inputs; i++) {
        mb_image_finish(&inputs->images[i]);
    }
    mb_free(inputs->images);
    *inputs = (struct mb_inputs){0};
}

size_t mb_bench_n_images(const struct mb_settings *settings)
{
    return settings->n_inputs * (settings->n_sizes > 0 ? settings->n_sizes : 1);
}

void mb_run_init(struct mb_run *run, const struct mb_gpu *gpu,
                 const struct mb_settings *settings, int argc, const char *const *argv)
{
    char device[40];
    *run = (struct mb_run){
        .argc = argc,
        .argv = argv,
        .settings = settings,
        .device = gpu->info,
        .exit_reason = "error",
        .timer =
            {
                .source = "timestamp_query",
                .period_ns = gpu->info.timestamp_period_ns,
                .valid_bits = gpu->info.timestamp_valid_bits,
                .granularity_ns = (double)NAN,
                .granularity_gcd_ns = (double)NAN,
                .empty_pair_ns = (double)NAN,
                .probe_ns = (double)NAN,
            },
        .roofline.ceiling_gbps = (double)NAN,
    };
    if (!getcwd(run->folder, sizeof run->folder)) {
        run->folder[0] = '\0';
    }
    mb_host_read(&run->host);
    mb_utc_now(run->utc);
    mb_slug(gpu->info.name, device, sizeof device);
    snprintf(run->id, sizeof run->id, "%s-%s", run->utc, device);
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
        .is_update = settings->has_rect,
        .rect = settings->has_rect ? settings->rect : mb_rect_whole(base),
    };
    cell->compulsory_bytes = mb_task_compulsory_bytes(&cell->task, &cell->layout);
    return check_rect(settings, base, cell->input, err);
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

/* Names of inputs become folders and result ids: a second file of the same stem gets a number.
 */
static void make_name_unique(const struct mb_run *run, struct mb_cell *cell)
{
    unsigned n_same = 1;
    size_t n = strlen(cell->input_name);
    for (size_t i = 0; i < run->n_cells; i++) {
        const struct mb_cell *other = &run->cells[i];
        n_same += strncmp(other->input_name, cell->input_name, n) == 0 &&
                  (other->input_name[n] == '\0' || other->input_name[n] == '~') &&
                  other->layout.format == cell->layout.format &&
                  other->cache == run->cells[0].cache && other->mode == run->cells[0].mode &&
                  other->layout.base.width == cell->layout.base.width &&
                  other->layout.base.height == cell->layout.base.height;
    }
    if (n_same > 1) {
        n = n < sizeof cell->input_name - 8 ? n : sizeof cell->input_name - 8;
        snprintf(cell->input_name + n, sizeof cell->input_name - n, "~%u", n_same);
    }
}

/* Level 0 as it is uploaded: the image at the asked size, in the cell's format. */
static enum mb_status make_source(struct mb_cell *cell, const struct mb_settings *settings,
                                  size_t input, size_t size, const struct mb_image *image,
                                  void **source, struct mb_err *err)
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

static bool has_samples(const struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        if (cell->results[i].n_samples > 0) {
            return true;
        }
    }
    return false;
}

/* The conditions of `settings`, as cells that are otherwise like the first. */
static size_t fill_conditions(const struct mb_bench_options *options, struct mb_cell *cells)
{
    const struct mb_settings *settings = options->settings;
    bool is_cpu = options->gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
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

/* One the run keeps: all samples are there, or it was cut short with some of them. */
static enum mb_status keep_cell(const struct mb_bench_options *options, struct mb_run *run,
                                struct mb_cell *cell, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    mb_warn_cell(run, cell);
    if (cell != &run->cells[run->n_cells]) {
        run->cells[run->n_cells] = *cell;
        *cell = (struct mb_cell){.results = NULL};
    }
    run->n_cells++;
    MB_TRY(mb_relate_judge(&run->cells[run->n_cells - 1], err));
    MB_TRY(
        options->on_cell_done(options->hooks->user, run, &run->cells[run->n_cells - 1], err));
fail:
    return status;
}

static enum mb_status match_roofline(const struct mb_ruler *ruler, struct mb_cell *cells,
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

/* One image under all conditions. */
static enum mb_status run_image(const struct mb_bench_options *options, struct mb_ruler *ruler,
                                struct mb_run *run, size_t input, size_t size,
                                const struct mb_image *image, bool *is_complete,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    void *source = NULL;
    struct mb_cell *cells = &run->cells[run->n_cells];
    size_t n_cells = 1;
    const struct mb_cell_options cell_options = {
        .gpu = options->gpu,
        .settings = options->settings,
        .hooks = options->hooks,
        .rows = options->rows,
        .n_rows = options->n_rows,
        .ruler = ruler,
    };
    MB_TRY(make_source(cells, options->settings, input, size, image, &source, err));
    make_name_unique(run, cells);
    n_cells = fill_conditions(options, cells);
    MB_TRY(match_roofline(ruler, cells, n_cells, err));
    MB_TRY(mb_cell_run(&cell_options, source, cells, n_cells, is_complete, err));
    for (size_t i = 0; i < n_cells; i++) {
        if (*is_complete || has_samples(&cells[i])) {
            MB_TRY(keep_cell(options, run, &cells[i], err));
        }
    }
fail:
    mb_free(source);
    for (size_t i = 0; i < n_cells; i++) {
        if (&cells[i] >= &run->cells[run->n_cells]) {
            mb_cell_finish(&cells[i]);
        }
    }
    return status;
}

static enum mb_status run_input(const struct mb_bench_options *options, struct mb_ruler *ruler,
                                struct mb_inputs *inputs, struct mb_run *run, size_t input,
                                bool *is_complete, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_settings *settings = options->settings;
    struct mb_image *image = &inputs->images[input];
    size_t n_sizes = settings->n_sizes > 0 ? settings->n_sizes : 1;
    if (!image->texels) {
        MB_TRY(mb_image_open(image, settings->inputs[input], settings->seed, err));
    }
    for (size_t size = 0; size < n_sizes && *is_complete; size++) {
        options->on_cell_begin(options->hooks->user, input * n_sizes + size);
        MB_TRY(run_image(options, ruler, run, input, size, image, is_complete, err));
    }
fail:
    mb_image_finish(image);
    return status;
}

static void note_ruler(struct mb_run *run, const struct mb_ruler *ruler)
{
    run->timer.empty_pair_ns = ruler->marks.empty_pair_ns;
    if (ruler->marks.granularity_ns > 0.0) {
        run->timer.granularity_ns = ruler->marks.granularity_ns;
        run->timer.granularity_gcd_ns = ruler->marks.granularity_gcd_ns;
    }
    run->timer.probe_ns = ruler->probe_ns;
    run->roofline = ruler->roofline;
}

enum mb_status mb_bench_run(const struct mb_bench_options *options, struct mb_inputs *inputs,
                            struct mb_run *run, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    bool is_complete = true;
    struct mb_ruler ruler = {0};
    const struct mb_hooks *hooks = options->hooks;
    const struct mb_ruler_stop stop = {hooks->is_interrupted, hooks->user};
    run->cells = mb_alloc(mb_bench_n_images(options->settings) * MB_N_CACHES * MB_N_MODES,
                          sizeof *run->cells);
    if (!run->cells) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "results: out of memory");
    }
    hooks->on_step(hooks->user, "device", "measuring its limits");
    MB_TRY(mb_ruler_init(&ruler, options->gpu, options->settings, &stop, err));
    note_ruler(run, &ruler);
    is_complete = !hooks->is_interrupted(hooks->user);
    for (size_t input = 0; input < inputs->n_inputs && is_complete; input++) {
        MB_TRY(run_input(options, &ruler, inputs, run, input, &is_complete, err));
    }
    run->complete = is_complete;
    run->exit_reason = is_complete ? "done" : "interrupted";
fail:
    mb_ruler_finish(&ruler);
    return status;
}
