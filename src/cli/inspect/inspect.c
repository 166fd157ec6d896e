/* Compiles what `mipbench inspect` shows, and prints it. */
#include "cli/inspect/inspect.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/log.h"
#include "base/os.h"
#include "base/text.h"
#include "bench/plan.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "cli/grid.h"
#include "cli/output.h"
#include "cli/session.h"
#include "result/case_json.h"
#include "result/result_json.h"

#define USUAL_FORMAT "rgba8"
static const struct mb_extent usual_size = {4096, 4096};

/* For JSON. */
static const char *const figure_names[MB_N_FIGURES] = {
    [MB_FIGURE_SUBGROUP_SIZE] = "subgroup_size",
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
    if (facts->executables[executable].subgroup_size > 0) {
        figures[MB_FIGURE_SUBGROUP_SIZE] = facts->executables[executable].subgroup_size;
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
    const size_t n_sizes = settings->n_sizes > 0 ? settings->n_sizes : 1;
    const size_t n_kernels = mb_settings_n_images(settings) * inspection->n_rows;
    inspection->kernels = mb_alloc(n_kernels, sizeof *inspection->kernels);
    MB_DO(MB_NEED(inspection->kernels, "inspect"));
    for (size_t i = 0; i < n_kernels && mb_session_signal() == 0; i++) {
        struct mb_kernels *kernels = &inspection->kernels[inspection->n_kernels++];
        const size_t size = i / inspection->n_rows % n_sizes;
        const char *format = options->settings.formats[i / inspection->n_rows / n_sizes];
        kernels->row = rows[i % inspection->n_rows];
        kernels->size = settings->n_sizes > 0 ? settings->size[size] : usual_size;
        kernels->format = mb_format_find(format ? format : USUAL_FORMAT);
        inspect(gpu, settings->reduce, kernels);
    }
    return MB_OK;
}

#define PREFIX             "amd:"
#define MAX_MANIFEST_BYTES ((size_t)1 << 16)
#define MAX_DRIVER_BYTES   ((size_t)1 << 28)

/* Where distributions put what tells the loader of RADV. */
static const char *const manifests[] = {
    "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/radeon_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/radeon_icd.json",
    "/usr/local/share/vulkan/icd.d/radeon_icd.x86_64.json",
    "/etc/vulkan/icd.d/radeon_icd.x86_64.json",
};

/* And where drivers are whose manifests name no folder, as Debian 13's do not. */
static const char *const library_folders[] = {
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
};

/* Mesa before 23.1 had no other names for these. */
static const struct {
    const char *name, *old;
} renamed[] = {
    {"NAVI31", "GFX1100"},
    {"NAVI32", "GFX1101"},
    {"NAVI33", "GFX1102"},
};

/* Whether the driver holds the name, as a string of its own: asked for another one it aborts.
 */
static bool is_known(const uint8_t *driver, size_t n_bytes, const char *chip)
{
    const size_t n = strlen(chip) + 1;
    for (size_t i = 1; i + n <= n_bytes; i++) {
        if (driver[i - 1] == 0 && memcmp(&driver[i], chip, n) == 0) {
            return true;
        }
    }
    return false;
}

/* The file of the driver, of its manifest; "" where it is not found. */
static void find_driver(const struct mb_json *manifest, char path[MB_PATH_BYTES])
{
    const char *name = mb_json_read_string(mb_json_get(manifest->root, "ICD"), "library_path");
    snprintf(path, MB_PATH_BYTES, "%s", name ? name : "");
    for (size_t i = 0; name && !strchr(name, '/') && i < MB_COUNTOF(library_folders); i++) {
        snprintf(path, MB_PATH_BYTES, "%s/%s", library_folders[i], name);
        if (mb_os_kind(path) == MB_KIND_FILE) {
            return;
        }
    }
    if (path[0] != '/' || mb_os_kind(path) != MB_KIND_FILE) {
        path[0] = '\0';
    }
}

/* The name by which the driver knows the chip, in `chip`; MB_ERRC_DEVICE: by none. */
static enum mb_status name_chip(const char *driver_path, char *chip, size_t chip_bytes,
                                struct mb_err *err)
{
    MB_SCOPED(mb_bytes) driver = {0};
    MB_DO(mb_file_read(driver_path, MAX_DRIVER_BYTES, &driver, err));
    for (size_t i = 0; i < MB_COUNTOF(renamed) && !is_known(driver.data, driver.n_bytes, chip);
         i++) {
        if (strcmp(chip, renamed[i].name) == 0) {
            snprintf(chip, chip_bytes, "%s", renamed[i].old);
        }
    }
    MB_FAIL_IF(!is_known(driver.data, driver.n_bytes, chip), err, MB_ERRC_DEVICE,
               "--null: %s knows no chip '%s'", driver_path, chip);
    return MB_OK;
}

static enum mb_status set_up(const char *path, const char *name, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) text = {0};
    MB_SCOPED(mb_json) manifest = {0};
    char chip[32] = "", driver[MB_PATH_BYTES];
    MB_DO(mb_file_read(path, MAX_MANIFEST_BYTES, &text, err));
    MB_DO(mb_json_parse(&manifest, (const char *)text.data, err));
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof chip; i++) {
        chip[i] = (char)toupper((unsigned char)name[i]);
    }
    find_driver(&manifest, driver);
    if (driver[0] != '\0') {
        MB_DO(name_chip(driver, chip, sizeof chip, err));
    }
    mb_os_set("RADV_FORCE_FAMILY", chip);
    mb_os_set("VK_DRIVER_FILES", path);
    mb_os_set("VK_ICD_FILENAMES", path);
    return MB_OK;
}

/* Have the Vulkan loader, before it is loaded, find one device only, which drivers compile for:
 * RADV's null device. `spec` is "amd:CHIP", by the chip's name, vega10 or navi31.
 * MB_ERRC_DEVICE where the driver is not installed, or does not know the chip. */
static enum mb_status set_up_null(const char *spec, struct mb_err *err)
{
    MB_FAIL_IF(strncmp(spec, PREFIX, strlen(PREFIX)) != 0 || spec[strlen(PREFIX)] == '\0', err,
               MB_ERRC_USAGE, "--null: unknown chip '%s'; write " PREFIX "vega10", spec);
    for (size_t i = 0; i < MB_COUNTOF(manifests); i++) {
        if (mb_os_kind(manifests[i]) == MB_KIND_FILE) {
            return set_up(manifests[i], spec + strlen(PREFIX), err);
        }
    }
    const enum mb_status status = MB_FAIL(
        err, MB_ERRC_DEVICE, "--null: RADV is not installed: cannot find %s", manifests[0]);
    mb_err_hint(err, "on Debian and Ubuntu: apt install mesa-vulkan-drivers");
    return status;
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
        MB_DO(set_up_null(options->null_device, err));
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

/* The figures of a row, behind its label and its kernel. */
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
    for (size_t i = 0; i < MB_N_FIGURES; i++) {
        const struct mb_text number = mb_text("%.0f", figures[i]);
        mb_grid_cell(grid, "%s", isnan(figures[i]) ? "" : number.s);
    }
}

static void add_kernels(struct mb_grid *grid, const struct mb_kernels *kernels, bool has_color)
{
    if (kernels->status != MB_RESULT_OK || kernels->facts.n_executables == 0) {
        mb_grid_row(grid, false,
                    has_color && kernels->status == MB_RESULT_FAILED ? MB_PAINT_BAD : "");
        mb_grid_cell(grid, "%s", kernels->label);
        mb_grid_cell(grid, "%s: %s", mb_result_status_names[kernels->status],
                     kernels->status == MB_RESULT_OK ? "it has no kernels" : kernels->reason);
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
    const char *note =
        tells_anything(inspection)
            ? "Registers are of an invocation, scalar ones of a subgroup; scratch, shared and "
              "code are bytes; occupancy is in subgroups of a unit. An empty field: the driver "
              "does not say; -v shows all that it does say."
            : "The driver tells nothing of what it compiles (pipelineExecutableInfo).";
    mb_strbuf_printf(out, "%s, %s %s, subgroups of %u\n", device->name, device->driver_name,
                     device->driver_info[0] ? device->driver_info : device->driver_version,
                     device->subgroup_size);
    for (size_t i = 0; i < inspection->n_kernels; i += inspection->n_rows) {
        const size_t n_left = inspection->n_kernels - i;
        add_table(out, inspection, &inspection->kernels[i],
                  n_left < inspection->n_rows ? n_left : inspection->n_rows, style, verbosity);
    }
    mb_strbuf_append(out, "\n");
    mb_strbuf_wrap(out, note, 0, style->columns);
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
        for (size_t k = 0; k < MB_N_FIGURES; k++) {
            mb_json_number(json, node, figure_names[k], figures[k]);
        }
    }
}

static void add_json(struct mb_json *json, const struct mb_inspection *inspection)
{
    struct cJSON *device = mb_json_object(json, json->root, "device");
    struct mb_gpu_info own = inspection->device;
    mb_device_fields(mb_node_write(json, device), &own);
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
    add_json(&json, inspection);
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
