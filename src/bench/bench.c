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
#include "bench/image_cells.h"
#include "bench/relate.h"
#include "bench/warn.h"

#define KEEP_BYTES (UINT64_C(1) << 30)

static uint64_t image_bytes(const struct mb_image *image)
{
    return (uint64_t)mb_depth_texel_bytes(image->depth) * image->width * image->height;
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
        MB_TRY(mb_image_check_shapes(settings, image, settings->inputs[i], err));
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

static bool has_samples(const struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        if (cell->results[i].n_samples > 0) {
            return true;
        }
    }
    return false;
}

/* One the run keeps: all samples are there, or it was cut short with some of them. */
static enum mb_status keep_cell(const struct mb_bench_options *options, struct mb_run *run,
                                struct mb_cell *cell, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    mb_warn_cell(run, cell);
    if (cell != &run->cells[run->n_cells]) {
        mb_cell_finish(&run->cells[run->n_cells]); /* a condition without samples */
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
    MB_TRY(mb_image_make_cell(image, options->settings, input, size, cells, &source, err));
    make_name_unique(run, cells);
    n_cells = mb_image_spread_cell(options->gpu, options->settings, cells);
    MB_TRY(mb_image_match_roofline(ruler, cells, n_cells, err));
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

void mb_run_note_ruler(struct mb_run *run, const struct mb_ruler *ruler)
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
    mb_run_note_ruler(run, &ruler);
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
