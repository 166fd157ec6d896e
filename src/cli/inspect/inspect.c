/* Compiles what `mipbench inspect` shows, and prints it. */
#include "cli/inspect/inspect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "bench/plan.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "cli/grid.h"
#include "cli/inspect/null_device.h"
#include "cli/output.h"
#include "cli/session.h"
#include "result/case_json.h"
#include "result/result_json.h"

#define USUAL_FORMAT "rgba8"
static const struct mb_extent usual_size = {4096, 4096};

/* For JSON. */
static const char *const figure_names[MB_N_FIGURES] = {
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

/* The image is as a run makes it, less what takes memory. */
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
    const struct mb_vk_image_options options = {
        .layout = &layout,
        .n_levels = layout.n_levels,
        .usage = mb_test_image_usage(gpu, layout.format),
        .is_raw = true,
        .name = "inspect",
    };
    MB_DO(mb_vk_image_init(&image, gpu, &options, why));
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

/* Compile all that the options ask for; what a strategy refuses is no failure. An interrupted
 * inspection has fewer kernels. */
static enum mb_status make(struct mb_inspection *inspection, const struct mb_options *options,
                           struct mb_err *err)
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

static void mb_inspection_finish(struct mb_inspection *inspection)
{
    for (size_t i = 0; i < inspection->n_kernels; i++) {
        mb_pipeline_facts_finish(&inspection->kernels[i].facts);
    }
    mb_free(inspection->kernels);
    *inspection = (struct mb_inspection){.n_kernels = 0};
}

/* The figures of a row, behind its label, its kernel and the subgroup size. */
static const struct mb_grid_column columns[] = {
    {.title = "Strategy"},
    {.title = "Kernel", .drop = 4},
    {.title = "Subgroup", .is_right = true},
    {.title = "Registers", .is_right = true},
    {.title = "Scalar", .is_right = true, .drop = 2},
    {.title = "Spills", .is_right = true},
    {.title = "Scratch", .is_right = true},
    {.title = "Shared", .is_right = true},
    {.title = "Occupancy", .is_right = true},
    {.title = "Instructions", .is_right = true, .drop = 3},
    {.title = "Code", .is_right = true, .drop = 1},
};

static void add_executable(struct mb_grid *grid, const struct mb_kernels *kernels, size_t index,
                           bool has_color)
{
    const struct mb_pipeline_facts *facts = &kernels->facts;
    double figures[MB_N_FIGURES];
    char kernel[128];
    mb_figures(facts, index, figures);
    mb_executable_label(facts, index, kernel, sizeof kernel);
    mb_grid_row(grid, false, has_color && figures[MB_FIGURE_SPILLS] > 0 ? MB_PAINT_WARN : "");
    mb_grid_cell(grid, "%s", kernels->label);
    mb_grid_cell(grid, "%s", kernel);
    if (facts->executables[index].subgroup_size > 0) {
        mb_grid_cell(grid, "%u", facts->executables[index].subgroup_size);
    } else {
        mb_grid_cell(grid, "%s", "");
    }
    for (size_t i = 0; i < MB_N_FIGURES; i++) {
        if (isnan(figures[i])) {
            mb_grid_cell(grid, "%s", "");
        } else {
            mb_grid_cell(grid, "%.0f", figures[i]);
        }
    }
}

static void add_kernels(struct mb_grid *grid, const struct mb_kernels *kernels, bool has_color)
{
    if (kernels->status != MB_RESULT_OK || kernels->facts.n_executables == 0) {
        mb_grid_row(grid, false,
                    has_color && kernels->status == MB_RESULT_FAILED ? MB_PAINT_BAD : "");
        mb_grid_cell(grid, "%s", kernels->label);
        mb_grid_cell(grid, "%s%s%s", mb_result_status_names[kernels->status],
                     kernels->status == MB_RESULT_OK ? "" : ": ",
                     kernels->status == MB_RESULT_OK ? ": it has no kernels" : kernels->reason);
        return;
    }
    for (size_t i = 0; i < kernels->facts.n_executables; i++) {
        add_executable(grid, kernels, i, has_color);
    }
}

/* "  spd-tree: spd-tree/spd_tree.comp: VGPRs 40, ..." */
static void add_facts(struct mb_strbuf *out, const struct mb_kernels *kernels, size_t n_columns)
{
    const struct mb_pipeline_facts *facts = &kernels->facts;
    for (size_t i = 0, k = 0; i < facts->n_executables; i++) {
        MB_SCOPED(mb_strbuf) text = {0};
        char kernel[128];
        const char *separator = ":";
        mb_executable_label(facts, i, kernel, sizeof kernel);
        mb_strbuf_printf(&text, "%s: %s", kernels->label, kernel);
        for (; k < facts->n_facts && facts->facts[k].executable == i; k++) {
            mb_strbuf_printf(&text, "%s %s %.0f", separator, facts->facts[k].name,
                             facts->facts[k].value);
            separator = ",";
        }
        mb_strbuf_append(out, "  ");
        mb_strbuf_wrap(out, mb_strbuf_text(&text), 4, n_columns);
        mb_strbuf_append(out, "\n");
    }
}

/* Of one format and size: what begins at `kernels`. */
static void add_table(struct mb_strbuf *out, const struct mb_inspection *inspection,
                      const struct mb_kernels *kernels, size_t n,
                      const struct mb_table_style *style, int verbosity)
{
    MB_SCOPED(mb_grid) grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    mb_strbuf_printf(out, "\n%ux%u %s, %s\n\n", kernels->size.width, kernels->size.height,
                     kernels->format->name, mb_reduce_names[inspection->reduce]);
    for (size_t i = 0; i < n; i++) {
        add_kernels(&grid, &kernels[i], style->color);
    }
    mb_grid_text(out, &grid, style->columns);
    for (size_t i = 0; i < n && verbosity > 0; i++) {
        add_facts(out, &kernels[i], style->columns);
    }
}

static bool tells_anything(const struct mb_inspection *inspection)
{
    for (size_t i = 0; i < inspection->n_kernels; i++) {
        if (inspection->kernels[i].facts.n_facts > 0) {
            return true;
        }
    }
    return false;
}

void mb_inspect_text(struct mb_strbuf *out, const struct mb_inspection *inspection,
                     const struct mb_table_style *style, int verbosity)
{
    const struct mb_gpu_info *device = &inspection->device;
    MB_SCOPED(mb_strbuf) note = {0};
    mb_strbuf_printf(out, "%s, %s %s, subgroups of %u\n", device->name, device->driver_name,
                     device->driver_info[0] ? device->driver_info : device->driver_version,
                     device->subgroup_size);
    for (size_t i = 0; i < inspection->n_kernels; i += inspection->n_rows) {
        const size_t n_left = inspection->n_kernels - i;
        add_table(out, inspection, &inspection->kernels[i],
                  n_left < inspection->n_rows ? n_left : inspection->n_rows, style, verbosity);
    }
    if (tells_anything(inspection)) {
        mb_strbuf_append(
            &note, "Registers are of an invocation, scalar ones of a subgroup; scratch, "
                   "shared and code are bytes; occupancy is in subgroups of a unit. An "
                   "empty field: the driver does not say; -v shows all that it does say.");
    } else {
        mb_strbuf_append(&note, "The driver tells nothing of what it compiles "
                                "(pipelineExecutableInfo).");
    }
    mb_strbuf_append(out, "\n");
    mb_strbuf_wrap(out, mb_strbuf_text(&note), 0, style->columns);
    mb_strbuf_append(out, "\n");
}

static void add_json_figures(struct mb_json *json, struct cJSON *parent,
                             const struct mb_pipeline_facts *facts)
{
    struct cJSON *list = mb_json_array(json, parent, "kernels");
    for (size_t i = 0; i < facts->n_executables; i++) {
        struct cJSON *node = mb_json_object(json, list, NULL);
        double figures[MB_N_FIGURES];
        char kernel[128];
        mb_figures(facts, i, figures);
        mb_executable_label(facts, i, kernel, sizeof kernel);
        mb_json_string(json, node, "kernel", kernel);
        mb_json_number(json, node, "subgroup_size",
                       facts->executables[i].subgroup_size > 0
                           ? facts->executables[i].subgroup_size
                           : (double)NAN);
        for (size_t k = 0; k < MB_N_FIGURES; k++) {
            mb_json_number(json, node, figure_names[k], figures[k]);
        }
    }
}

void mb_inspect_json(struct mb_json *json, const struct mb_inspection *inspection)
{
    struct cJSON *device = mb_json_object(json, json->root, "device");
    mb_report_device(json, device, &inspection->device);
    mb_json_bool(json, device, "executes", mb_gpu_executes(&inspection->device));
    mb_json_string(json, json->root, "reduce", mb_reduce_names[inspection->reduce]);
    struct cJSON *list = mb_json_array(json, json->root, "variants");
    for (size_t i = 0; i < inspection->n_kernels; i++) {
        struct mb_kernels *kernels = &inspection->kernels[i];
        const bool is_made = kernels->status == MB_RESULT_OK;
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "format", kernels->format->name);
        mb_json_u64(json, node, "width", kernels->size.width);
        mb_json_u64(json, node, "height", kernels->size.height);
        mb_json_string(json, node, "label", kernels->label);
        mb_json_string(json, node, "strategy", kernels->row.strategy->name);
        mb_report_params(json, node, kernels->row.strategy, &kernels->row.params);
        mb_json_string(json, node, "status", mb_result_status_names[kernels->status]);
        mb_json_string(json, node, "reason", is_made ? NULL : kernels->reason);
        add_json_figures(json, node, &kernels->facts);
        mb_facts_list(mb_node_write(json, node), &kernels->facts);
    }
}

static enum mb_status print(const struct mb_inspection *inspection,
                            const struct mb_options *options, struct mb_err *err)
{
    const struct mb_table_style style = mb_output_style(options);
    MB_SCOPED(mb_strbuf) text = {0};
    MB_SCOPED(mb_json) json = {0};
    MB_FREED char *json_text = NULL;
    if (options->json == NULL) {
        mb_inspect_text(&text, inspection, &style, options->verbosity);
        return mb_strbuf_print(&text, err);
    }
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-inspection", "1.0.0");
    mb_inspect_json(&json, inspection);
    MB_DO(mb_json_print(&json, &json_text, err));
    return mb_stdout_write(json_text, strlen(json_text), err);
}

/* What failed goes first, then what was asked for by name and is refused. */
static enum mb_status judge(const struct mb_inspection *inspection, struct mb_err *err)
{
    const struct mb_kernels *lacking = NULL;
    size_t n_made = 0;
    for (size_t i = 0; i < inspection->n_kernels; i++) {
        const struct mb_kernels *kernels = &inspection->kernels[i];
        MB_FAIL_IF(kernels->status == MB_RESULT_FAILED, err, MB_ERRC_RUNTIME, "%s: %s",
                   kernels->label, kernels->reason);
        n_made += kernels->status == MB_RESULT_OK;
        lacking = lacking == NULL && kernels->status != MB_RESULT_OK && kernels->row.by_name
                      ? kernels
                      : lacking;
    }
    if (inspection->n_kernels > 0 && n_made == 0 && lacking == NULL) {
        lacking = &inspection->kernels[0];
    }
    return lacking
               ? MB_FAIL(err, MB_ERRC_UNSUPPORTED, "%s: %s", lacking->label, lacking->reason)
               : MB_OK;
}

enum mb_status mb_inspect_run(const struct mb_options *options, struct mb_err *err)
{
    MB_SCOPED(mb_inspection) inspection = {0};
    MB_DO(make(&inspection, options, err));
    MB_DO(print(&inspection, options, err));
    if (mb_session_signal() != 0) {
        mb_log(MB_LOG_WARN, "interrupted: what is above is what was compiled");
        return MB_OK;
    }
    return judge(&inspection, err);
}
