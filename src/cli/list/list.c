/* Prints `mipbench list`: as text, in ASCII and at most 80 columns wide, or as JSON, one object
 * with an array for each thing asked for. */
#include "cli/list/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "image/format.h"
#include "image/pattern.h"

#define TEXT_COLUMNS     80
#define FORMAT_COLUMN    14
#define OPERATION_COLUMN 8

/* "139.8 GiB" */
static void add_bytes(struct mb_strbuf *out, uint64_t n_bytes)
{
    const char *unit;
    const double value = mb_scale_bytes(n_bytes, &unit);
    mb_strbuf_printf(out, "%.*f %s", value < 10 && n_bytes >= 1024 ? 1 : 0, value, unit);
}

static void add_heaps(struct mb_strbuf *out, const struct mb_gpu_info *device)
{
    mb_strbuf_append(out, "     memory      ");
    for (uint32_t i = 0; i < device->n_heaps; i++) {
        mb_strbuf_append(out, i > 0 ? ", " : "");
        add_bytes(out, device->heap[i].size_bytes);
        mb_strbuf_append(out, device->heap[i].device_local ? " device-local" : " host");
    }
    mb_strbuf_append(out, "\n");
}

static void add_subgroups(struct mb_strbuf *out, const struct mb_gpu_info *device)
{
    char names[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < mb_subgroup_operation_count; i++) {
        if (device->subgroup_operations & mb_subgroup_operations[i].bit) {
            used += (size_t)snprintf(names + used, sizeof names - used, " %s",
                                     mb_subgroup_operations[i].name);
        }
    }
    mb_strbuf_printf(out, "     subgroups   %" PRIu32 " (%" PRIu32 " to %" PRIu32 ");",
                     device->subgroup_size, device->min_subgroup_size,
                     device->max_subgroup_size);
    mb_strbuf_append(out, "\n                 ");
    mb_strbuf_wrap(out, used > 0 ? names + 1 : "no operations in compute shaders", 17,
                   TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

static void add_device(struct mb_strbuf *out, const struct mb_gpu_info *device)
{
    mb_strbuf_printf(out, "  %" PRIu32 "  %s (%s)\n", device->index, device->name,
                     mb_gpu_type_name(device->type));
    mb_strbuf_printf(out, "     uuid        %s\n", device->uuid);
    mb_strbuf_printf(
        out, "     driver      %s %s, Vulkan %u.%u.%u\n", device->driver_name,
        device->driver_info[0] != '\0' ? device->driver_info : device->driver_version,
        VK_API_VERSION_MAJOR(device->api_version), VK_API_VERSION_MINOR(device->api_version),
        VK_API_VERSION_PATCH(device->api_version));
    add_heaps(out, device);
    mb_strbuf_printf(out,
                     "     images      up to %" PRIu32 "x%" PRIu32 ", %" PRIu32
                     " layers, %" PRIu32 " storage images a stage\n",
                     device->max_image_dimension_2d, device->max_image_dimension_2d,
                     device->max_image_array_layers, device->max_storage_images);
    mb_strbuf_printf(out, "     workgroups  %" PRIu32 " invocations, ",
                     device->max_workgroup_invocations);
    add_bytes(out, device->max_shared_memory_bytes);
    mb_strbuf_append(out, " shared memory\n");
    add_subgroups(out, device);
    if (device->timestamp_valid_bits == 0) {
        mb_strbuf_append(out, "     timestamps  none: this device cannot be benchmarked\n");
    } else {
        mb_strbuf_printf(out, "     timestamps  %" PRIu32 " bits, unit %g ns\n",
                         device->timestamp_valid_bits, device->timestamp_period_ns);
    }
}

static void add_devices(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    mb_strbuf_append(out, "Devices\n");
    for (size_t i = 0; i < facts->n_devices; i++) {
        add_device(out, &facts->devices[i]);
    }
    if (facts->n_devices == 0) {
        mb_strbuf_printf(out, "  none: %s\n", facts->no_device.text);
    }
}

/* "key=default|other (default)", with its help below. */
static void add_param(struct mb_strbuf *out, const struct mb_strategy *strategy,
                      const struct mb_param *param)
{
    char left[128];
    size_t used = (size_t)snprintf(left, sizeof left, "%s=", param->name);
    for (size_t i = 0; param->values[i] != NULL && used < sizeof left; i++) {
        used += (size_t)snprintf(left + used, sizeof left - used, "%s%s", i > 0 ? "|" : "",
                                 param->values[i]);
    }
    mb_strbuf_printf(out, "      %s (%s)\n          ", left, param->values[0]);
    mb_strbuf_wrap(out, param->help, 10, TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
    if (param->is_diagnostic) {
        mb_strbuf_printf(out, "          diagnostic: not verified, not ranked, not in %s:*\n",
                         strategy->name);
    }
}

static void add_availability(struct mb_strbuf *out, const struct mb_list_facts *facts,
                             size_t strategy_index)
{
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_availability *availability =
            &facts->availability[i * facts->n_strategies + strategy_index];
        mb_strbuf_printf(out, "    device %" PRIu32 ": ", facts->devices[i].index);
        mb_strbuf_wrap(out, availability->is_available ? "available" : availability->reason, 14,
                       TEXT_COLUMNS);
        mb_strbuf_append(out, "\n");
    }
}

static void add_strategies(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    mb_strbuf_append(out,
                     "Strategies (a parameter's default is in parentheses; NAME:* runs every\n"
                     "variant but the diagnostic ones)\n");
    for (size_t i = 0; i < facts->n_strategies; i++) {
        const struct mb_strategy *strategy = facts->strategies[i];
        mb_strbuf_printf(out, "  %s\n    ", strategy->name);
        mb_strbuf_wrap(out, strategy->title, 4, TEXT_COLUMNS);
        mb_strbuf_append(out, "\n    source: ");
        mb_strbuf_wrap(out, strategy->source, 12, TEXT_COLUMNS);
        mb_strbuf_append(out, "\n");
        const struct mb_param *param = strategy->params;
        for (; param != NULL && param->name != NULL; param++) {
            add_param(out, strategy, param);
        }
        add_availability(out, facts, i);
    }
    if (facts->n_devices == 0) {
        mb_strbuf_printf(out, "  No device, so availability is unknown: %s\n",
                         facts->no_device.text);
    }
}

/* "  name      title", the titles in one column. */
static void add_named(struct mb_strbuf *out, const char *name, const char *title)
{
    const size_t n_columns = mb_utf8_columns(name);
    mb_strbuf_printf(out, "  %s", name);
    mb_strbuf_spaces(out, n_columns < 12 ? 12 - n_columns : 1);
    mb_strbuf_wrap(out, title, 14, TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

/* Column titles of the matrix. */
static const char *const titles[MB_N_OPERATIONS] = {
    [MB_OPERATION_AVG] = "avg",       [MB_OPERATION_MIN] = "min",
    [MB_OPERATION_MAX] = "max",       [MB_OPERATION_PREMULTIPLIED] = "alpha",
    [MB_OPERATION_ARRAY] = "array",   [MB_OPERATION_CUBE] = "cube",
    [MB_OPERATION_UPDATE] = "update",
};

/* Text padded to its column, unless it is the last one. */
static void add_cell(struct mb_strbuf *out, const char *text, size_t n_columns, bool is_last)
{
    const size_t n = mb_utf8_columns(text);
    mb_strbuf_append(out, text);
    mb_strbuf_spaces(out, is_last || n >= n_columns ? 0 : n_columns - n);
}

static void add_answer(struct mb_strbuf *out, const struct mb_capability *capability,
                       bool is_last)
{
    char text[32] = "yes";
    if (capability->kind == MB_CAPABILITY_NONE) {
        snprintf(text, sizeof text, "[%zu]", capability->note + 1);
    } else if (capability->kind == MB_CAPABILITY_VARIANT) {
        snprintf(text, sizeof text, "yes[%zu]", capability->note + 1);
    } else if (capability->kind == MB_CAPABILITY_MEANINGLESS) {
        snprintf(text, sizeof text, "-");
    }
    add_cell(out, text, OPERATION_COLUMN, is_last);
}

static void add_strategy_matrix(struct mb_strbuf *out, const struct mb_list_facts *facts,
                                const struct mb_capabilities *capabilities, size_t strategy)
{
    mb_strbuf_append(out, "  ");
    add_cell(out, facts->strategies[strategy]->name, FORMAT_COLUMN, false);
    for (int operation = 0; operation < MB_N_OPERATIONS; operation++) {
        add_cell(out, titles[operation], OPERATION_COLUMN, operation + 1 == MB_N_OPERATIONS);
    }
    mb_strbuf_append(out, "\n");
    for (size_t i = 0; i < mb_format_count; i++) {
        mb_strbuf_append(out, "    ");
        add_cell(out, mb_formats[i].name, FORMAT_COLUMN - 2, false);
        for (int operation = 0; operation < MB_N_OPERATIONS; operation++) {
            add_answer(
                out,
                mb_capabilities_get(capabilities, strategy, i, (enum mb_operation)operation),
                operation + 1 == MB_N_OPERATIONS);
        }
        mb_strbuf_append(out, "\n");
    }
}

/* "[3] only as compute:load=texel; by default: REASON" */
static void add_note(struct mb_strbuf *out, const struct mb_capability_note *note, size_t index)
{
    char left[32];
    char text[sizeof *note + 64];
    snprintf(left, sizeof left, "  [%zu] ", index + 1);
    if (note->variant[0] != '\0') {
        snprintf(text, sizeof text, "only as %s; by default: %s", note->variant, note->reason);
    } else {
        snprintf(text, sizeof text, "no: %s", note->reason);
    }
    mb_strbuf_append(out, left);
    mb_strbuf_wrap(out, text, strlen(left), TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

static void add_matrix(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_capabilities *capabilities = &facts->capabilities[i];
        mb_strbuf_printf(out, "\nDevice %" PRIu32 ": %s\n", facts->devices[i].index,
                         facts->devices[i].name);
        for (size_t k = 0; k < facts->n_strategies; k++) {
            add_strategy_matrix(out, facts, capabilities, k);
        }
        for (size_t k = 0; k < capabilities->n_notes; k++) {
            add_note(out, &capabilities->notes[k], k);
        }
    }
    if (facts->n_devices == 0) {
        mb_strbuf_printf(out, "  No device, so support is unknown: %s\n",
                         facts->no_device.text);
    } else {
        mb_strbuf_append(
            out, "\navg, min and max are reductions (-r); alpha is --alpha premultiplied, - "
                 "without\n"
                 "an alpha channel; array is --layers, update is --rect. Tested with 256x256\n"
                 "images: a strategy may still refuse a particular size.\n");
    }
}

static void add_formats(struct mb_strbuf *out, bool is_alone)
{
    mb_strbuf_append(out, is_alone
                              ? "Formats\n"
                              : "Formats ('list formats' shows what each strategy supports)\n");
    for (size_t i = 0; i < mb_format_count; i++) {
        add_named(out, mb_formats[i].name, mb_formats[i].title);
    }
}

static void add_patterns(struct mb_strbuf *out)
{
    mb_strbuf_append(out, "Patterns (pattern:NAME:WxH)\n");
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        add_named(out, mb_patterns[i].name, mb_patterns[i].title);
    }
}

void mb_list_text(struct mb_strbuf *out, const struct mb_list_facts *facts,
                  enum mb_list_what what)
{
    const bool all = what == MB_LIST_ALL;
    const char *gap = all ? "\n" : "";
    if (all || what == MB_LIST_DEVICES) {
        add_devices(out, facts);
    }
    if (all || what == MB_LIST_STRATEGIES) {
        mb_strbuf_append(out, gap);
        add_strategies(out, facts);
    }
    if (all || what == MB_LIST_FORMATS) {
        mb_strbuf_append(out, gap);
        add_formats(out, !all);
        if (!all) {
            add_matrix(out, facts);
        }
    }
    if (all || what == MB_LIST_PATTERNS) {
        mb_strbuf_append(out, gap);
        add_patterns(out);
    }
}

static void add_json_driver(struct mb_json *json, struct cJSON *parent,
                            const struct mb_gpu_info *device)
{
    struct cJSON *driver = mb_json_object(json, parent, "driver");
    mb_json_string(json, driver, "name", device->driver_name);
    mb_json_string(json, driver, "info", device->driver_info);
    mb_json_string(json, driver, "version", device->driver_version);
}

static void add_json_heaps(struct mb_json *json, struct cJSON *parent,
                           const struct mb_gpu_info *device)
{
    struct cJSON *heaps = mb_json_array(json, parent, "heaps");
    for (uint32_t i = 0; i < device->n_heaps; i++) {
        struct cJSON *heap = mb_json_object(json, heaps, NULL);
        mb_json_u64(json, heap, "size_bytes", device->heap[i].size_bytes);
        mb_json_bool(json, heap, "device_local", device->heap[i].device_local);
    }
}

static void add_json_subgroups(struct mb_json *json, struct cJSON *parent,
                               const struct mb_gpu_info *device)
{
    struct cJSON *subgroups = mb_json_object(json, parent, "subgroups");
    mb_json_u64(json, subgroups, "size", device->subgroup_size);
    mb_json_u64(json, subgroups, "min_size", device->min_subgroup_size);
    mb_json_u64(json, subgroups, "max_size", device->max_subgroup_size);
    mb_json_bool(json, subgroups, "full_subgroups", device->has_full_subgroups);
    struct cJSON *operations = mb_json_array(json, subgroups, "operations");
    for (size_t i = 0; i < mb_subgroup_operation_count; i++) {
        if (device->subgroup_operations & mb_subgroup_operations[i].bit) {
            mb_json_string(json, operations, NULL, mb_subgroup_operations[i].name);
        }
    }
}

static void add_json_limits(struct mb_json *json, struct cJSON *parent,
                            const struct mb_gpu_info *device)
{
    struct cJSON *limits = mb_json_object(json, parent, "limits");
    mb_json_u64(json, limits, "max_image_dimension_2d", device->max_image_dimension_2d);
    mb_json_u64(json, limits, "max_image_array_layers", device->max_image_array_layers);
    mb_json_u64(json, limits, "max_storage_images", device->max_storage_images);
    mb_json_u64(json, limits, "max_workgroup_invocations", device->max_workgroup_invocations);
    mb_json_u64(json, limits, "max_shared_memory_bytes", device->max_shared_memory_bytes);
    mb_json_u64(json, limits, "sub_texel_precision_bits", device->sub_texel_precision_bits);
    mb_json_bool(json, limits, "storage_write_without_format",
                 device->features.core.features.shaderStorageImageWriteWithoutFormat);
    mb_json_bool(json, limits, "memory_model_device_scope",
                 mb_features_has(&device->features, "vulkanMemoryModel") &&
                     mb_features_has(&device->features, "vulkanMemoryModelDeviceScope"));
}

static void add_json_device(struct mb_json *json, struct cJSON *devices,
                            const struct mb_gpu_info *device)
{
    struct cJSON *object = mb_json_object(json, devices, NULL);
    char api[32];
    snprintf(api, sizeof api, "%u.%u.%u", VK_API_VERSION_MAJOR(device->api_version),
             VK_API_VERSION_MINOR(device->api_version),
             VK_API_VERSION_PATCH(device->api_version));
    mb_json_u64(json, object, "index", device->index);
    mb_json_string(json, object, "name", device->name);
    mb_json_string(json, object, "type", mb_gpu_type_name(device->type));
    mb_json_u64(json, object, "vendor_id", device->vendor_id);
    mb_json_u64(json, object, "device_id", device->device_id);
    mb_json_string(json, object, "uuid", device->uuid);
    add_json_driver(json, object, device);
    mb_json_string(json, object, "api", api);
    mb_json_u64(json, object, "queue_family", device->queue_family);
    mb_json_u64(json, object, "timestamp_valid_bits", device->timestamp_valid_bits);
    mb_json_number(json, object, "timestamp_period_ns", device->timestamp_period_ns);
    add_json_heaps(json, object, device);
    add_json_subgroups(json, object, device);
    add_json_limits(json, object, device);
}

static void add_json_devices(struct mb_json *json, const struct mb_list_facts *facts)
{
    struct cJSON *devices = mb_json_array(json, json->root, "devices");
    for (size_t i = 0; i < facts->n_devices; i++) {
        add_json_device(json, devices, &facts->devices[i]);
    }
}

static void add_json_params(struct mb_json *json, struct cJSON *parent,
                            const struct mb_strategy *strategy)
{
    struct cJSON *params = mb_json_array(json, parent, "params");
    const struct mb_param *param = strategy->params;
    for (; param != NULL && param->name != NULL; param++) {
        struct cJSON *object = mb_json_object(json, params, NULL);
        mb_json_string(json, object, "name", param->name);
        mb_json_string(json, object, "default", param->values[0]);
        mb_json_bool(json, object, "diagnostic", param->is_diagnostic);
        mb_json_string(json, object, "help", param->help);
        struct cJSON *values = mb_json_array(json, object, "values");
        for (size_t i = 0; param->values[i] != NULL; i++) {
            mb_json_string(json, values, NULL, param->values[i]);
        }
    }
}

static void add_json_availability(struct mb_json *json, struct cJSON *parent,
                                  const struct mb_list_facts *facts, size_t strategy_index)
{
    struct cJSON *devices = mb_json_array(json, parent, "devices");
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_availability *availability =
            &facts->availability[i * facts->n_strategies + strategy_index];
        struct cJSON *object = mb_json_object(json, devices, NULL);
        mb_json_u64(json, object, "index", facts->devices[i].index);
        mb_json_string(json, object, "name", facts->devices[i].name);
        mb_json_bool(json, object, "available", availability->is_available);
        mb_json_string(json, object, "reason",
                       availability->is_available ? NULL : availability->reason);
    }
}

static void add_json_strategies(struct mb_json *json, const struct mb_list_facts *facts)
{
    struct cJSON *strategies = mb_json_array(json, json->root, "strategies");
    for (size_t i = 0; i < facts->n_strategies; i++) {
        const struct mb_strategy *strategy = facts->strategies[i];
        struct cJSON *object = mb_json_object(json, strategies, NULL);
        mb_json_string(json, object, "name", strategy->name);
        mb_json_string(json, object, "title", strategy->title);
        mb_json_string(json, object, "source", strategy->source);
        add_json_params(json, object, strategy);
        add_json_availability(json, object, facts, i);
    }
}

static void add_json_patterns(struct mb_json *json)
{
    struct cJSON *patterns = mb_json_array(json, json->root, "patterns");
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        struct cJSON *object = mb_json_object(json, patterns, NULL);
        mb_json_string(json, object, "name", mb_patterns[i].name);
        mb_json_string(json, object, "title", mb_patterns[i].title);
    }
}

/* Under `name`; `strategy` is what it is by default. */
static void add_json_answer(struct mb_json *json, struct cJSON *parent, const char *name,
                            const struct mb_capability *capability,
                            const struct mb_capability_note *notes, const char *strategy)
{
    if (capability->kind == MB_CAPABILITY_MEANINGLESS) {
        mb_json_null(json, parent, name);
        return;
    }
    const bool has_note = capability->kind != MB_CAPABILITY_DEFAULT;
    const struct mb_capability_note *note = has_note ? &notes[capability->note] : NULL;
    const bool is_able = capability->kind != MB_CAPABILITY_NONE;
    const char *as = has_note ? note->variant : strategy;
    struct cJSON *node = mb_json_object(json, parent, name);
    mb_json_bool(json, node, "able", is_able);
    mb_json_string(json, node, "as", is_able ? as : NULL);
    mb_json_string(json, node, "reason", has_note ? note->reason : NULL);
}

/* What one device can do with a format: an object per strategy. */
static void add_json_device_answers(struct mb_json *json, struct cJSON *devices,
                                    const struct mb_list_facts *facts, size_t device,
                                    size_t format)
{
    struct cJSON *object = mb_json_object(json, devices, NULL);
    mb_json_u64(json, object, "index", facts->devices[device].index);
    mb_json_string(json, object, "name", facts->devices[device].name);
    struct cJSON *strategies = mb_json_object(json, object, "strategies");
    const struct mb_capabilities *capabilities = &facts->capabilities[device];
    for (size_t i = 0; i < facts->n_strategies; i++) {
        const char *strategy = facts->strategies[i]->name;
        struct cJSON *answers = mb_json_object(json, strategies, strategy);
        for (enum mb_operation k = 0; k < MB_N_OPERATIONS; k++) {
            add_json_answer(json, answers, mb_operation_name(k),
                            mb_capabilities_get(capabilities, i, format, k),
                            capabilities->notes, strategy);
        }
    }
}

static void add_json_formats(struct mb_json *json, const struct mb_list_facts *facts)
{
    struct cJSON *formats = mb_json_array(json, json->root, "formats");
    for (size_t i = 0; i < mb_format_count; i++) {
        struct cJSON *object = mb_json_object(json, formats, NULL);
        mb_json_string(json, object, "name", mb_formats[i].name);
        mb_json_string(json, object, "title", mb_formats[i].title);
        mb_json_u64(json, object, "texel_bytes", mb_formats[i].texel_bytes);
        mb_json_u64(json, object, "n_channels", mb_formats[i].n_channels);
        struct cJSON *devices = mb_json_array(json, object, "devices");
        for (size_t k = 0; k < facts->n_devices; k++) {
            add_json_device_answers(json, devices, facts, k, i);
        }
    }
}

void mb_list_json(struct mb_json *json, const struct mb_list_facts *facts,
                  enum mb_list_what what)
{
    const bool all = what == MB_LIST_ALL;
    if (facts->n_devices == 0 && what != MB_LIST_DEVICES && what != MB_LIST_PATTERNS) {
        mb_json_string(json, json->root, "no_device", facts->no_device.text);
    }
    if (all || what == MB_LIST_DEVICES) {
        add_json_devices(json, facts);
    }
    if (all || what == MB_LIST_STRATEGIES) {
        add_json_strategies(json, facts);
    }
    if (all || what == MB_LIST_FORMATS) {
        add_json_formats(json, facts);
    }
    if (all || what == MB_LIST_PATTERNS) {
        add_json_patterns(json);
    }
}

static enum mb_status write_json(const struct mb_list_facts *facts, enum mb_list_what what,
                                 struct mb_err *err)
{
    struct mb_json json;
    char *text = NULL;
    enum mb_status status;
    mb_json_init(&json);
    mb_list_json(&json, facts, what);
    MB_TRY(mb_json_print(&json, &text, err));
    MB_TRY(mb_stdout_write(text, strlen(text), err));
fail:
    mb_free(text);
    mb_json_finish(&json);
    return status;
}

static enum mb_status write_text(const struct mb_list_facts *facts, enum mb_list_what what,
                                 struct mb_err *err)
{
    struct mb_strbuf out = {0};
    enum mb_status status;
    mb_list_text(&out, facts, what);
    MB_TRY(mb_strbuf_check(&out, err));
    MB_TRY(mb_stdout_write(mb_strbuf_text(&out), out.n_bytes, err));
fail:
    mb_strbuf_finish(&out);
    return status;
}

enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err)
{
    struct mb_list_facts facts = {0};
    enum mb_status status;
    MB_TRY(mb_list_facts_gather(&facts, options->list_what, options->settings.device, err));
    MB_TRY(options->json != NULL ? write_json(&facts, options->list_what, err)
                                 : write_text(&facts, options->list_what, err));
fail:
    mb_list_facts_finish(&facts);
    return status;
}
