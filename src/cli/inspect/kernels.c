/* Compiles what `mipbench inspect` shows. */
#include "cli/inspect/kernels.h"

#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/alloc.h"
#include "bench/plan.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "cli/inspect/null_device.h"
#include "cli/session.h"

#define USUAL_FORMAT "rgba8"
static const struct mb_extent usual_size = {4096, 4096};

const char *const mb_figure_names[MB_N_FIGURES] = {
    [MB_FIGURE_REGISTERS] = "registers",
    [MB_FIGURE_SCALAR_REGISTERS] = "scalar_registers",
    [MB_FIGURE_SPILLS] = "spills",
    [MB_FIGURE_SCRATCH_BYTES] = "scratch_bytes",
    [MB_FIGURE_SHARED_BYTES] = "shared_bytes",
    [MB_FIGURE_OCCUPANCY] = "occupancy",
    [MB_FIGURE_INSTRUCTIONS] = "instructions",
    [MB_FIGURE_CODE_BYTES] = "code_bytes",
};

/* The names of RADV, AMD's own drivers, turnip, ANV and NVIDIA's; several of one figure are
 * added up. */
static const struct {
    const char *name;
    enum mb_figure figure;
} known[] = {
    {"VGPRs", MB_FIGURE_REGISTERS},
    {"numUsedVgprs", MB_FIGURE_REGISTERS},
    {"Registers used", MB_FIGURE_REGISTERS},
    {"Register Count", MB_FIGURE_REGISTERS},
    {"SGPRs", MB_FIGURE_SCALAR_REGISTERS},
    {"numUsedSgprs", MB_FIGURE_SCALAR_REGISTERS},
    {"Spilled SGPRs", MB_FIGURE_SPILLS},
    {"Spilled VGPRs", MB_FIGURE_SPILLS},
    {"Spill Count", MB_FIGURE_SPILLS},
    {"Scratch size", MB_FIGURE_SCRATCH_BYTES},
    {"scratchMemUsageInBytes", MB_FIGURE_SCRATCH_BYTES},
    {"Scratch Memory Size", MB_FIGURE_SCRATCH_BYTES},
    {"Local Memory Size", MB_FIGURE_SCRATCH_BYTES},
    {"LDS size", MB_FIGURE_SHARED_BYTES},
    {"ldsUsageSizeInBytes", MB_FIGURE_SHARED_BYTES},
    {"Shared Memory Size", MB_FIGURE_SHARED_BYTES},
    {"Workgroup Memory Size", MB_FIGURE_SHARED_BYTES},
    {"Subgroups per SIMD", MB_FIGURE_OCCUPANCY},
    {"Max Waves Per Core", MB_FIGURE_OCCUPANCY},
    {"Instructions", MB_FIGURE_INSTRUCTIONS},
    {"Instruction Count", MB_FIGURE_INSTRUCTIONS},
    {"Code size", MB_FIGURE_CODE_BYTES},
    {"Binary Size", MB_FIGURE_CODE_BYTES},
};

static void add_figure(const struct mb_pipeline_fact *fact, double figures[MB_N_FIGURES])
{
    for (size_t i = 0; i < MB_COUNTOF(known); i++) {
        if (strcasecmp(known[i].name, fact->name) == 0) {
            double *figure = &figures[known[i].figure];
            /* NVIDIA's driver adds 2^36 to its "Local Memory Size". */
            const double value = known[i].figure == MB_FIGURE_SCRATCH_BYTES
                                     ? fmod(fact->value, 4294967296.0)
                                     : fact->value;
            *figure = isnan(*figure) ? value : *figure + value;
        }
    }
}

void mb_figures(const struct mb_pipeline_facts *facts, size_t executable,
                double figures[MB_N_FIGURES])
{
    for (size_t i = 0; i < MB_N_FIGURES; i++) {
        figures[i] = (double)NAN;
    }
    for (size_t i = 0; i < facts->n_facts; i++) {
        if (facts->facts[i].executable == executable) {
            add_figure(&facts->facts[i], figures);
        }
    }
}

/* As a run makes it, less what takes memory. */
static enum mb_status make_image(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                 struct mb_vk_image *image, struct mb_err *why)
{
    const struct mb_vk_image_options options = {
        .layout = layout,
        .n_levels = layout->n_levels,
        .usage = mb_test_image_usage(gpu, layout->format),
        .is_raw = true,
        .name = "inspect",
    };
    return mb_vk_image_init(image, gpu, &options, why);
}

static enum mb_status compile(const struct mb_gpu *gpu, enum mb_reduce reduce,
                              struct mb_kernels *kernels, struct mb_err *why)
{
    MB_SCOPED(mb_vk_image) image = {0};
    MB_SCOPED(mb_instance) instance = {0};
    struct mb_layout layout;
    const struct mb_task task = {.reduce = reduce, .rect = mb_rect_whole(kernels->size)};
    const struct mb_variant *row = &kernels->row;
    mb_layout_init(&layout, kernels->format, kernels->size, 1,
                   mb_full_level_count(kernels->size));
    MB_DO(make_image(gpu, &layout, &image, why));
    MB_DO(mb_instance_supports(&image, row, &task, why));
    if (row->strategy->resolve) {
        row->strategy->resolve(gpu, &layout, &task, &kernels->row.params);
    }
    gpu->state->facts = &kernels->facts;
    const enum mb_status status = mb_instance_init(&instance, &image, row, &task, NULL, why);
    gpu->state->facts = NULL;
    return status;
}

/* One variant that the device refuses, or cannot compile, does not take the others with it. */
static void inspect(const struct mb_gpu *gpu, enum mb_reduce reduce, struct mb_kernels *kernels)
{
    struct mb_err why = {0};
    mb_variant_label(&kernels->row, kernels->label, sizeof kernels->label);
    const enum mb_status status = compile(gpu, reduce, kernels, &why);
    kernels->status = status == MB_OK            ? MB_RESULT_OK
                      : status == MB_UNSUPPORTED ? MB_RESULT_SKIPPED
                                                 : MB_RESULT_FAILED;
    snprintf(kernels->reason, sizeof kernels->reason, "%s", why.text);
}

static enum mb_status compile_all(struct mb_inspection *inspection, const struct mb_gpu *gpu,
                                  const struct mb_options *options,
                                  const struct mb_variant *rows, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const size_t n_sizes = mb_settings_n_sizes(settings);
    const size_t n_kernels = options->n_formats * n_sizes * inspection->n_rows;
    inspection->kernels = mb_alloc(n_kernels, sizeof *inspection->kernels);
    MB_DO(MB_NEED(inspection->kernels, "inspect"));
    for (size_t i = 0; i < n_kernels && mb_session_signal() == 0; i++) {
        struct mb_kernels *kernels = &inspection->kernels[inspection->n_kernels++];
        const size_t size = i / inspection->n_rows % n_sizes;
        const char *format = options->formats[i / inspection->n_rows / n_sizes];
        kernels->row = rows[i % inspection->n_rows];
        kernels->size = settings->n_sizes > 0 ? settings->size[size] : usual_size;
        kernels->format = mb_format_find(format ? format : USUAL_FORMAT);
        inspect(gpu, settings->reduce, kernels);
    }
    return MB_OK;
}

enum mb_status mb_inspection_make(struct mb_inspection *inspection,
                                  const struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_gpu_options gpu_options = {
        .selector = settings->device,
        .only_compiles = true,
    };
    MB_SCOPED(mb_gpu) gpu = {0};
    MB_FREED struct mb_variant *rows = NULL;
    *inspection = (struct mb_inspection){.reduce = settings->reduce};
    MB_DO(mb_plan_variants(settings->table, settings->specs, settings->n_specs, &rows,
                           &inspection->n_rows, err));
    if (options->null_device) {
        MB_DO(mb_null_device_set_up(options->null_device, err));
    }
    MB_DO(mb_gpu_init(&gpu, &gpu_options, err));
    inspection->device = gpu.info;
    return compile_all(inspection, &gpu, options, rows, err);
}

void mb_inspection_finish(struct mb_inspection *inspection)
{
    for (size_t i = 0; i < inspection->n_kernels; i++) {
        mb_pipeline_facts_finish(&inspection->kernels[i].facts);
    }
    mb_free(inspection->kernels);
    *inspection = (struct mb_inspection){.n_kernels = 0};
}
