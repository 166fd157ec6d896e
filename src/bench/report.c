/* results.json: the whole run as one documented tree (results/schema.json). A figure that is
 * not known is null, never made up. */
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/version.h"
#include "bench/describe.h"
#include "bench/plan.h"
#include "bench/report_parts.h"
#include "vk/shader.h"

#define SCHEMA_VERSION "1.5.0"

static void add_schema(struct mb_json *json)
{
    struct cJSON *schema = mb_json_object(json, json->root, "schema");
    mb_json_string(json, schema, "name", "mipbench");
    mb_json_string(json, schema, "version", SCHEMA_VERSION);
}

/* Layers that were asked for: they stand between the program and the driver. */
static void add_layers(struct mb_json *json, struct cJSON *parent, bool validate)
{
    static const char *const variables[] = {"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"};
    struct cJSON *list = mb_json_array(json, parent, "layers");
    if (validate) {
        mb_json_string(json, list, NULL, "VK_LAYER_KHRONOS_validation");
    }
    for (size_t i = 0; i < MB_COUNTOF(variables); i++) {
        const char *value = getenv(variables[i]);
        if (value && value[0] != '\0') {
            mb_json_string(json, list, NULL, value);
        }
    }
}

void mb_report_run(struct mb_json *json, const struct mb_run *run)
{
    struct cJSON *node = mb_json_object(json, json->root, "run");
    mb_json_string(json, node, "id", run->id);
    mb_json_string(json, node, "utc", run->utc);
    struct cJSON *argv = mb_json_array(json, node, "argv");
    for (int i = 0; i < run->argc; i++) {
        mb_json_string(json, argv, NULL, run->argv[i]);
    }
    mb_json_string(json, node, "folder", run->folder[0] != '\0' ? run->folder : NULL);
    mb_json_u64(json, node, "seed", run->settings->seed);
    mb_json_bool(json, node, "verify", run->settings->verify);
    mb_json_bool(json, node, "validate", run->settings->validate);
    add_layers(json, node, run->settings->validate);
    mb_json_bool(json, node, "complete", run->complete);
    mb_json_string(json, node, "exit_reason", run->exit_reason);
    struct cJSON *tool = mb_json_object(json, node, "tool");
    mb_json_string(json, tool, "version", MB_VERSION);
    mb_json_string(json, tool, "git_sha", MB_GIT_SHA);
    mb_json_string(json, tool, "build_type", MB_BUILD_TYPE);
    mb_json_string(json, tool, "compiler", MB_COMPILER);
}

void mb_report_host(struct mb_json *json, const struct mb_host_info *host)
{
    struct cJSON *node = mb_json_object(json, json->root, "host");
    mb_json_string(json, node, "os", host->os);
    mb_json_string(json, node, "kernel", host->kernel);
    mb_json_string(json, node, "cpu", host->cpu);
    mb_json_u64(json, node, "cores", host->n_cores);
}

void mb_report_device(struct mb_json *json, const struct mb_gpu_info *device)
{
    struct cJSON *node = mb_json_object(json, json->root, "device");
    mb_json_string(json, node, "name", device->name);
    mb_json_string(json, node, "type", mb_gpu_type_name(device->type));
    mb_json_u64(json, node, "vendor_id", device->vendor_id);
    mb_json_u64(json, node, "device_id", device->device_id);
    mb_json_string(json, node, "uuid", device->uuid);
    struct cJSON *driver = mb_json_object(json, node, "driver");
    mb_json_string(json, driver, "name", device->driver_name);
    mb_json_string(json, driver, "info", device->driver_info);
    mb_json_string(json, driver, "version", device->driver_version);
    char api[48];
    snprintf(api, sizeof api, "%u.%u.%u", VK_API_VERSION_MAJOR(device->api_version),
             VK_API_VERSION_MINOR(device->api_version),
             VK_API_VERSION_PATCH(device->api_version));
    mb_json_string(json, node, "api", api);
    mb_json_u64(json, node, "subgroup_size", device->subgroup_size);
    mb_json_u64(json, node, "queue_family", device->queue_family);
    struct cJSON *heaps = mb_json_array(json, node, "heaps");
    for (uint32_t i = 0; i < device->n_heaps; i++) {
        struct cJSON *heap = mb_json_object(json, heaps, NULL);
        mb_json_u64(json, heap, "size_bytes", device->heap[i].size_bytes);
        mb_json_bool(json, heap, "device_local", device->heap[i].device_local);
    }
}

void mb_report_timer(struct mb_json *json, const struct mb_timer_info *timer)
{
    struct cJSON *node = mb_json_object(json, json->root, "timer");
    mb_json_string(json, node, "source", timer->source);
    mb_json_number(json, node, "period_ns", timer->period_ns);
    mb_json_u64(json, node, "valid_bits", timer->valid_bits);
    mb_json_number(json, node, "granularity_ns", timer->granularity_ns);
    mb_json_number(json, node, "granularity_gcd_ns", timer->granularity_gcd_ns);
    mb_json_number(json, node, "empty_pair_ns", timer->empty_pair_ns);
    mb_json_number(json, node, "probe_ns", timer->probe_ns);
}

static void add_shaders(struct mb_json *json)
{
    struct cJSON *node = mb_json_object(json, json->root, "shaders");
    for (size_t i = 0; mb_shaders[i] != NULL; i++) {
        mb_json_string(json, node, mb_shaders[i]->name, mb_shaders[i]->sha256);
    }
}

void mb_report_params(struct mb_json *json, struct cJSON *parent,
                      const struct mb_strategy *strategy, const struct mb_params *params)
{
    struct cJSON *node = mb_json_object(json, parent, "params");
    for (size_t i = 0; i < mb_strategy_n_params(strategy); i++) {
        mb_json_string(json, node, strategy->params[i].name, mb_row_value(strategy, params, i));
    }
}

static void add_work(struct mb_json *json, struct cJSON *parent, const struct mb_result *result,
                     uint64_t compulsory_bytes)
{
    struct cJSON *bytes = mb_json_object(json, parent, "bytes");
    mb_json_u64(json, bytes, "compulsory", compulsory_bytes);
    if (!result->has_work) {
        mb_json_null(json, bytes, "algorithmic");
        mb_json_null(json, parent, "work");
        return;
    }
    mb_json_u64(json, bytes, "algorithmic", result->work.algorithmic_bytes);
    struct cJSON *work = mb_json_object(json, parent, "work");
    mb_json_u64(json, work, "dispatches", result->work.n_dispatches);
    mb_json_u64(json, work, "barriers", result->work.n_barriers);
    struct cJSON *workgroup = mb_json_array(json, work, "workgroup_size");
    for (size_t i = 0; i < 3; i++) {
        mb_json_u64(json, workgroup, NULL, result->work.workgroup_size[i]);
    }
    mb_json_u64(json, work, "subgroup_size", result->work.subgroup_size);
}

static void add_first_bad(struct mb_json *json, struct cJSON *parent,
                          const struct mb_bad_texel *bad)
{
    if (!bad->found) {
        mb_json_null(json, parent, "first_bad");
        return;
    }
    struct cJSON *node = mb_json_object(json, parent, "first_bad");
    mb_json_u64(json, node, "level", bad->level);
    mb_json_u64(json, node, "layer", bad->layer);
    mb_json_u64(json, node, "x", bad->x);
    mb_json_u64(json, node, "y", bad->y);
    mb_json_u64(json, node, "channel", bad->channel);
    mb_json_number(json, node, "want", bad->want);
    mb_json_number(json, node, "got", bad->got);
    mb_json_number(json, node, "error_lsb", bad->error_lsb);
    mb_json_number(json, node, "bound_lsb", bad->bound_lsb);
}

static void add_level(struct mb_json *json, struct cJSON *levels, uint32_t level,
                      const struct mb_level_verdict *verdict)
{
    struct cJSON *node = mb_json_object(json, levels, NULL);
    mb_json_u64(json, node, "level", level);
    mb_json_u64(json, node, "width", verdict->extent.width);
    mb_json_u64(json, node, "height", verdict->extent.height);
    mb_json_number(json, node, "max_error_lsb", verdict->max_error_lsb);
    mb_json_number(json, node, "drift_lsb", verdict->drift_lsb);
    mb_json_number(json, node, "box_lsb", verdict->box_lsb);
    mb_json_number(json, node, "psnr_db", verdict->psnr_db);
    mb_json_u64(json, node, "bad_texels", verdict->n_bad_texels);
}

static void add_verify(struct mb_json *json, struct cJSON *parent,
                       const struct mb_result *result)
{
    const struct mb_verdict *verdict = &result->verdict;
    const bool is_judged = result->verify != MB_VERIFY_SKIPPED && verdict->n_levels > 0;
    struct cJSON *node = mb_json_object(json, parent, "verify");
    mb_json_string(json, node, "status", mb_verify_status_name(result->verify));
    mb_json_string(json, node, "policy",
                   result->has_work ? mb_policy_name(result->work.claim.filter.policy) : NULL);
    mb_json_number(json, node, "max_error_lsb", is_judged ? verdict->max_error_lsb : NAN);
    mb_json_number(json, node, "drift_lsb", is_judged ? verdict->drift_lsb : NAN);
    mb_json_number(json, node, "box_lsb", is_judged ? verdict->box_lsb : NAN);
    add_first_bad(json, node, &verdict->first_bad);
    struct cJSON *levels = mb_json_array(json, node, "levels");
    for (uint32_t i = 0; is_judged && i < verdict->n_levels; i++) {
        add_level(json, levels, i, &verdict->level[i]);
    }
}

static void add_paths(struct mb_json *json, struct cJSON *parent, const char *key,
                      char *const *paths, size_t n)
{
    struct cJSON *list = mb_json_array(json, parent, key);
    for (size_t i = 0; i < n; i++) {
        mb_json_string(json, list, NULL, paths[i]);
    }
}

static void add_notes(struct mb_json *json, struct cJSON *parent,
                      const struct mb_result *result)
{
    struct cJSON *warnings = mb_json_array(json, parent, "warnings");
    for (size_t i = 0; i < result->n_warnings; i++) {
        struct cJSON *warning = mb_json_object(json, warnings, NULL);
        mb_json_string(json, warning, "code", result->warning[i].code);
        mb_json_string(json, warning, "message", result->warning[i].message);
    }
    add_paths(json, parent, "images", result->images, result->n_images);
    add_paths(json, parent, "chains", result->chains, result->n_chain_files);
}

static void add_rect(struct mb_json *json, struct cJSON *parent, const char *key,
                     struct mb_rect rect)
{
    struct cJSON *node = mb_json_object(json, parent, key);
    mb_json_u64(json, node, "x", rect.x);
    mb_json_u64(json, node, "y", rect.y);
    mb_json_u64(json, node, "width", rect.width);
    mb_json_u64(json, node, "height", rect.height);
}

void mb_report_rects(struct mb_json *json, struct cJSON *parent, const struct mb_task *task)
{
    if (!task->is_update) {
        mb_json_null(json, parent, "rect");
        mb_json_null(json, parent, "rects");
        return;
    }
    add_rect(json, parent, "rect", mb_rects_enclosing(task->rects, task->n_rects));
    struct cJSON *list = mb_json_array(json, parent, "rects");
    for (uint32_t i = 0; i < task->n_rects; i++) {
        add_rect(json, list, NULL, task->rects[i]);
    }
}

/* What was asked: everything that tells one result from another. */
static void add_case(struct mb_json *json, struct cJSON *node, const struct mb_cell *cell,
                     const struct mb_result *result)
{
    const struct mb_layout *layout = &cell->layout;
    char id[512];
    mb_report_result_id(cell, result, id, sizeof id);
    mb_json_string(json, node, "id", id);
    mb_report_cell_id(cell, id, sizeof id);
    mb_json_string(json, node, "cell", id);
    mb_json_string(json, node, "strategy", result->strategy->name);
    mb_report_params(json, node, result->strategy, &result->params);
    mb_json_string(json, node, "input", cell->input);
    mb_json_string(json, node, "input_sha256", cell->input_sha256);
    mb_json_u64(json, node, "width", layout->base.width);
    mb_json_u64(json, node, "height", layout->base.height);
    mb_json_u64(json, node, "layers", layout->n_layers);
    mb_json_u64(json, node, "levels", layout->n_levels);
    mb_json_string(json, node, "format", layout->format->name);
    mb_json_string(json, node, "reduce", mb_reduce_name(cell->task.reduce));
    mb_json_string(json, node, "filter", mb_result_filter_name(result));
    mb_json_string(json, node, "alpha", mb_alpha_name(cell->task.alpha));
    mb_json_string(json, node, "shape", mb_cell_shape(cell));
    mb_report_rects(json, node, &cell->task);
    mb_json_string(json, node, "cache", mb_cache_name(cell->cache));
    mb_json_string(json, node, "mode", mb_mode_name(cell->mode));
    mb_json_string(json, node, "image_usage", mb_image_usage_name(cell->image_usage));
}

static void add_result(struct mb_json *json, struct cJSON *results, const struct mb_cell *cell,
                       const struct mb_result *result)
{
    struct cJSON *node = mb_json_object(json, results, NULL);
    add_case(json, node, cell, result);
    mb_json_string(json, node, "status", mb_result_status_name(result->status));
    mb_json_string(json, node, "reason", result->reason);
    mb_json_bool(json, node, "diagnostic", result->is_diagnostic);
    mb_json_numbers(json, node, "samples_ns", result->samples_ns, result->n_samples);
    mb_report_stats(json, node, "stats", &result->stats);
    add_work(json, node, result, cell->compulsory_bytes);
    mb_report_timing(json, node, cell, result);
    add_verify(json, node, result);
    add_notes(json, node, result);
}

enum mb_status mb_report_json(const struct mb_run *run, char **text, struct mb_err *err)
{
    struct mb_json json;
    mb_json_init(&json);
    add_schema(&json);
    mb_report_run(&json, run);
    mb_report_host(&json, &run->host);
    mb_report_device(&json, &run->device);
    mb_report_timer(&json, &run->timer);
    add_shaders(&json);
    mb_report_roofline(&json, &run->roofline);
    mb_report_cells(&json, run);
    struct cJSON *results = mb_json_array(&json, json.root, "results");
    for (size_t i = 0; i < run->n_cells; i++) {
        for (size_t k = 0; k < run->cells[i].n_results; k++) {
            add_result(&json, results, &run->cells[i], &run->cells[i].results[k]);
        }
    }
    mb_report_comparisons(&json, run);
    const enum mb_status status = mb_json_print(&json, text, err);
    mb_json_finish(&json);
    return status;
}
