/* `mipbench inspect`: compiles kernels and prints the driver's figures of them. */
#include "cli/inspect/inspect.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
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

/* The key of each figure in JSON, and its names in RADV, AMD's own drivers, turnip, ANV and
 * NVIDIA's. If a driver reports several names of one figure, their values are added. */
static const struct {
    const char *key;
    const char *told_as[5]; /* ended by NULL */
} kinds[MB_N_FIGURES] = {
    [MB_FIGURE_SUBGROUP_SIZE] = {.key = "subgroup_size"},
    [MB_FIGURE_REGISTERS] = {"registers",
                             {"VGPRs", "numUsedVgprs", "Registers used", "Register Count"}},
    [MB_FIGURE_SCALAR_REGISTERS] = {"scalar_registers", {"SGPRs", "numUsedSgprs"}},
    [MB_FIGURE_SPILLS] = {"spills", {"Spilled SGPRs", "Spilled VGPRs", "Spill Count"}},
    [MB_FIGURE_SCRATCH_BYTES] = {"scratch_bytes",
                                 {"Scratch size", "scratchMemUsageInBytes",
                                  "Scratch Memory Size", "Local Memory Size"}},
    [MB_FIGURE_SHARED_BYTES] = {"shared_bytes",
                                {"LDS size", "ldsUsageSizeInBytes", "Shared Memory Size",
                                 "Workgroup Memory Size"}},
    [MB_FIGURE_OCCUPANCY] = {"occupancy", {"Subgroups per SIMD", "Max Waves Per Core"}},
    [MB_FIGURE_INSTRUCTIONS] = {"instructions", {"Instructions", "Instruction Count"}},
    [MB_FIGURE_CODE_BYTES] = {"code_bytes", {"Code size", "Binary Size"}},
};

static void add_figure(const struct mb_pipeline_fact *fact, double figures[MB_N_FIGURES])
{
    for (size_t i = 0; i < MB_N_FIGURES; i++) {
        for (const char *const *name = kinds[i].told_as; *name; name++) {
            if (strcasecmp(*name, fact->name) == 0) {
                /* NVIDIA's driver adds 2^36 to "Local Memory Size": keep the low 32 bits. */
                const double value = i == MB_FIGURE_SCRATCH_BYTES
                                         ? fmod(fact->value, 4294967296.0)
                                         : fact->value;
                figures[i] = isnan(figures[i]) ? value : figures[i] + value;
            }
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

/* One variant at one size in one format. */
struct kernels {
    struct mb_layout layout;
    struct mb_variant row;          /* "auto" is resolved if it is supported */
    struct mb_pipeline_facts facts; /* owned */
};

/* The worst outcome of all variants, and the first error with that outcome. A failure is worse
 * than the refusal of a variant asked for by name, which is worse than any other refusal. */
struct verdict {
    enum { ALL_MADE, REFUSED, REFUSED_BY_NAME, BROKEN } worst;
    struct mb_err why;
    bool made_any;
};

/* Compile the kernels for an image like that of a run; no image is created. */
static enum mb_status compile(const struct mb_gpu *gpu, enum mb_reduce reduce,
                              struct kernels *kernels, struct mb_err *why)
{
    MB_SCOPED(mb_vk_image) image = {0};
    MB_SCOPED(mb_instance) instance = {0};
    const struct mb_layout *layout = &kernels->layout;
    const struct mb_task task = {.reduce = reduce, .rect = mb_rect_whole(layout->base)};
    const struct mb_variant *row = &kernels->row;
    const struct mb_vk_image_options options = {
        .layout = layout,
        .n_levels = layout->n_levels,
        .usage = mb_test_image_usage(gpu, layout->format),
        .is_raw = true,
        .name = "inspect",
    };
    MB_DO(mb_vk_image_init(&image, gpu, &options, why));
    MB_DO(mb_variant_supports(row, gpu, layout, &task, why));
    if (row->strategy->resolve) {
        row->strategy->resolve(gpu, layout, &task, &kernels->row.params);
    }
    gpu->state->facts = &kernels->facts;
    const enum mb_status status = mb_instance_init(&instance, &image, row, &task, NULL, why);
    gpu->state->facts = NULL;
    return status;
}

static void judge(struct verdict *verdict, enum mb_status status, bool by_name,
                  const char *label, const struct mb_err *why)
{
    const unsigned rank = status == MB_OK            ? ALL_MADE
                          : status != MB_UNSUPPORTED ? BROKEN
                          : by_name                  ? REFUSED_BY_NAME
                                                     : REFUSED;
    verdict->made_any |= status == MB_OK;
    if (rank > verdict->worst) {
        verdict->worst = rank;
        MB_FAIL(&verdict->why, rank == BROKEN ? MB_ERRC_RUNTIME : MB_ERRC_UNSUPPORTED, "%s: %s",
                label, why->text);
    }
}

static void add_figures(struct mb_json *json, struct cJSON *parent,
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
            mb_json_number(json, node, kinds[k].key, figures[k]);
        }
    }
}

/* Compile one variant and add its outcome. If the variant is refused or cannot be compiled,
 * others are still inspected. */
static void inspect(struct mb_json *json, struct cJSON *list, const struct mb_gpu *gpu,
                    enum mb_reduce reduce, struct kernels *kernels, struct verdict *verdict)
{
    struct mb_err why = {0};
    char label[MB_LABEL_BYTES]; /* as requested */
    mb_variant_label(&kernels->row, label, sizeof label);
    const enum mb_status status = compile(gpu, reduce, kernels, &why);
    const enum mb_result_status result = status == MB_OK            ? MB_RESULT_OK
                                         : status == MB_UNSUPPORTED ? MB_RESULT_SKIPPED
                                                                    : MB_RESULT_FAILED;
    struct cJSON *node = mb_json_object(json, list, NULL);
    judge(verdict, status, kernels->row.by_name, label, &why);
    mb_json_string(json, node, "format", kernels->layout.format->name);
    mb_json_u64(json, node, "width", kernels->layout.base.width);
    mb_json_u64(json, node, "height", kernels->layout.base.height);
    mb_json_string(json, node, "label", label);
    mb_json_string(json, node, "strategy", kernels->row.strategy->name);
    mb_report_params(json, node, kernels->row.strategy, &kernels->row.params);
    mb_json_string(json, node, "status", mb_result_status_names[result]);
    mb_json_string(json, node, "reason", status == MB_OK ? NULL : why.text);
    add_figures(json, node, &kernels->facts);
    mb_facts_list(mb_node_write(json, node), &kernels->facts);
}

/* Inspect all variants, by format, then size, then variant. */
static void inspect_all(struct mb_json *json, const struct mb_gpu *gpu,
                        const struct mb_settings *settings, const struct mb_variant *rows,
                        size_t n_rows, struct verdict *verdict)
{
    const size_t n_sizes = settings->n_sizes > 0 ? settings->n_sizes : 1;
    const size_t n_kernels = mb_settings_n_images(settings) * n_rows;
    struct cJSON *list = mb_json_array(json, json->root, "variants");
    for (size_t i = 0; i < n_kernels; i++) {
        const size_t size = i / n_rows % n_sizes;
        const char *format = settings->formats[i / n_rows / n_sizes];
        const struct mb_extent base = settings->n_sizes > 0 ? settings->size[size] : usual_size;
        struct kernels kernels = {.row = rows[i % n_rows]};
        mb_layout_init(&kernels.layout, mb_format_find(format ? format : USUAL_FORMAT), base, 1,
                       mb_full_level_count(base));
        inspect(json, list, gpu, settings->reduce, &kernels, verdict);
        mb_pipeline_facts_finish(&kernels.facts);
    }
}

#define PREFIX             "amd:"
#define MAX_MANIFEST_BYTES ((size_t)1 << 16)
#define MAX_DRIVER_BYTES   ((size_t)1 << 28)

/* Where distributions put RADV's manifest for the Vulkan loader. */
static const char *const manifests[] = {
    "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
    "/usr/share/vulkan/icd.d/radeon_icd.aarch64.json",
    "/usr/share/vulkan/icd.d/radeon_icd.json",
    "/usr/local/share/vulkan/icd.d/radeon_icd.x86_64.json",
    "/etc/vulkan/icd.d/radeon_icd.x86_64.json",
};

/* Where to find the driver if its manifest names no folder, as in Debian 13. */
static const char *const library_folders[] = {
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
};

/* Mesa before 23.1 knows these chips only by their old names. */
static const struct {
    const char *name, *old;
} renamed[] = {
    {"NAVI31", "GFX1100"},
    {"NAVI32", "GFX1101"},
    {"NAVI33", "GFX1102"},
};

/* Whether the driver contains the chip's name as a whole string: a driver aborts if asked for
 * an unknown chip. */
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

/* Find the driver's file by its manifest; `path` is "" if there is none. */
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

/* Replace `chip` by the driver's name for the chip; MB_ERRC_DEVICE if the driver does not know
 * it. */
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

/* Make the Vulkan loader, not yet loaded, find only RADV's null device, which compiles but does
 * not run. `spec` is "amd:CHIP", for example amd:vega10. MB_ERRC_DEVICE if the driver is not
 * installed or does not know the chip. */
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

/* Compile everything that the options ask for; a variant that its strategy refuses is not a
 * failure. */
static enum mb_status make(struct mb_json *json, const struct mb_options *options,
                           struct verdict *verdict, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_gpu_options gpu_options = {
        .selector = settings->device,
        .only_compiles = true,
    };
    MB_SCOPED(mb_gpu) gpu = {0};
    MB_FREED struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    MB_DO(mb_plan_variants(settings->table, settings->specs, settings->n_specs, &rows, &n_rows,
                           err));
    if (options->null_device) {
        MB_DO(set_up_null(options->null_device, err));
    }
    MB_DO(mb_gpu_init(&gpu, &gpu_options, err));
    mb_json_schema(json, "mipbench-inspection", "1.0.0");
    struct cJSON *device = mb_json_object(json, json->root, "device");
    mb_device_fields(mb_node_write(json, device), &gpu.info);
    mb_json_bool(json, device, "executes", mb_gpu_executes(&gpu.info));
    mb_json_string(json, json->root, "reduce", mb_reduce_names[settings->reduce]);
    inspect_all(json, &gpu, settings, rows, n_rows, verdict);
    return MB_OK;
}

/* The figures of a kernel, after the strategy's label and the kernel's name. */
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

static void add_kernel(struct mb_grid *grid, const char *label, const cJSON *kernel,
                       bool has_color)
{
    const double spills = mb_json_read_number(kernel, kinds[MB_FIGURE_SPILLS].key);
    mb_grid_row(grid, false, has_color && spills > 0 ? MB_PAINT_WARN : "");
    mb_grid_cell(grid, "%s", label);
    mb_grid_cell(grid, "%s", mb_json_read_string(kernel, "kernel"));
    for (size_t i = 0; i < MB_N_FIGURES; i++) {
        const double figure = mb_json_read_number(kernel, kinds[i].key);
        mb_grid_cell(grid, "%s", isnan(figure) ? "" : mb_text("%.0f", figure).s);
    }
}

static void add_variant(struct mb_grid *grid, const cJSON *variant, bool has_color)
{
    const cJSON *kernel = mb_json_elements(variant, "kernels");
    const char *label = mb_json_read_string(variant, "label");
    const char *status = mb_json_read_string(variant, "status");
    const char *reason = mb_json_read_string(variant, "reason");
    if (reason || !kernel) {
        const bool is_bad = strcmp(status, mb_result_status_names[MB_RESULT_FAILED]) == 0;
        mb_grid_row(grid, false, has_color && is_bad ? MB_PAINT_BAD : "");
        mb_grid_cell(grid, "%s", label);
        mb_grid_cell(grid, "%s: %s", status, reason ? reason : "it has no kernels");
        return;
    }
    for (; kernel; kernel = kernel->next) {
        add_kernel(grid, label, kernel, has_color);
    }
}

/* "4096x4096 rgba8" */
static struct mb_text image_of(const cJSON *variant)
{
    return mb_text("%.0fx%.0f %s", mb_json_read_number(variant, "width"),
                   mb_json_read_number(variant, "height"),
                   mb_json_read_string(variant, "format"));
}

/* Add the table of all variants for the image of `first`. Returns the first variant for the
 * next image, or NULL. */
static const cJSON *add_table(struct mb_strbuf *out, const cJSON *first, const char *reduce,
                              const struct mb_table_style *style)
{
    const struct mb_text image = image_of(first);
    const cJSON *variant = first;
    MB_SCOPED(mb_grid) grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    for (; variant && strcmp(image_of(variant).s, image.s) == 0; variant = variant->next) {
        add_variant(&grid, variant, style->color);
    }
    mb_strbuf_printf(out, "\n%s, %s\n\n", image.s, reduce);
    mb_grid_show(out, &grid, style);
    return variant;
}

void mb_inspect_text(struct mb_strbuf *out, const struct mb_json *json,
                     const struct mb_table_style *style)
{
    const cJSON *device = mb_json_get(json->root, "device");
    const cJSON *variant = mb_json_elements(json->root, "variants");
    mb_strbuf_printf(out, "%s, %s, subgroups of %.0f\n", mb_json_read_string(device, "name"),
                     mb_device_driver(device).s, mb_json_read_number(device, "subgroup_size"));
    while (variant) {
        variant = add_table(out, variant, mb_json_read_string(json->root, "reduce"), style);
    }
    mb_strbuf_append(out, "\n");
    mb_strbuf_wrap(
        out,
        "Registers are of an invocation, scalar ones of a subgroup; scratch, shared "
        "and code are bytes; occupancy is in subgroups of a unit. What is missing the "
        "driver does not tell (pipelineExecutableInfo); --json has all that it tells.",
        0, style->columns);
    mb_strbuf_append(out, "\n");
}

static enum mb_status print(const struct mb_json *json, const struct mb_options *options,
                            struct mb_err *err)
{
    const struct mb_table_style style = mb_output_style(options);
    MB_SCOPED(mb_strbuf) text = {0};
    if (options->json == NULL && !json->failed) {
        mb_inspect_text(&text, json, &style);
    } else {
        mb_json_print(json, &text);
    }
    return mb_strbuf_print(&text, err);
}

enum mb_status mb_inspect_run(const struct mb_options *options, struct mb_err *err)
{
    MB_SCOPED(mb_json) json;
    struct verdict verdict = {.worst = ALL_MADE};
    mb_session_end_at_once(true); /* some drivers take half a minute for one kernel */
    mb_json_init(&json);
    MB_DO(make(&json, options, &verdict, err));
    MB_DO(print(&json, options, err));
    if (verdict.worst > (verdict.made_any ? REFUSED : ALL_MADE)) {
        *err = verdict.why;
        return MB_FAILED;
    }
    return MB_OK;
}
