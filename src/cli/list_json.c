/* `mipbench list --json`: one object with an array for each thing asked for. */
#include "cli/list_facts.h"

#include <stdio.h>

#include "image/pattern.h"

static void add_driver(struct mb_json *json, struct cJSON *parent,
                       const struct mb_gpu_info *device)
{
    struct cJSON *driver = mb_json_object(json, parent, "driver");
    mb_json_string(json, driver, "name", device->driver_name);
    mb_json_string(json, driver, "info", device->driver_info);
    mb_json_string(json, driver, "version", device->driver_version);
}

static void add_heaps(struct mb_json *json, struct cJSON *parent,
                      const struct mb_gpu_info *device)
{
    struct cJSON *heaps = mb_json_array(json, parent, "heaps");
    for (uint32_t i = 0; i < device->n_heaps; i++) {
        struct cJSON *heap = mb_json_object(json, heaps, NULL);
        mb_json_u64(json, heap, "size_bytes", device->heap[i].size_bytes);
        mb_json_bool(json, heap, "device_local", device->heap[i].device_local);
    }
}

static void add_subgroups(struct mb_json *json, struct cJSON *parent,
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

static void add_limits(struct mb_json *json, struct cJSON *parent,
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
                 device->has_storage_write_without_format);
    mb_json_bool(json, limits, "memory_model_device_scope",
                 device->has_memory_model_device_scope);
}

static void add_device(struct mb_json *json, struct cJSON *devices,
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
    add_driver(json, object, device);
    mb_json_string(json, object, "api", api);
    mb_json_u64(json, object, "queue_family", device->queue_family);
    mb_json_u64(json, object, "timestamp_valid_bits", device->timestamp_valid_bits);
    mb_json_number(json, object, "timestamp_period_ns", device->timestamp_period_ns);
    add_heaps(json, object, device);
    add_subgroups(json, object, device);
    add_limits(json, object, device);
}

static void add_devices(struct mb_json *json, const struct mb_list_facts *facts)
{
    struct cJSON *devices = mb_json_array(json, json->root, "devices");
    for (size_t i = 0; i < facts->n_devices; i++) {
        add_device(json, devices, &facts->devices[i]);
    }
}

static void add_params(struct mb_json *json, struct cJSON *parent,
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

static void add_availability(struct mb_json *json, struct cJSON *parent,
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

static void add_strategies(struct mb_json *json, const struct mb_list_facts *facts)
{
    struct cJSON *strategies = mb_json_array(json, json->root, "strategies");
    for (size_t i = 0; i < facts->n_strategies; i++) {
        const struct mb_strategy *strategy = facts->strategies[i];
        struct cJSON *object = mb_json_object(json, strategies, NULL);
        mb_json_string(json, object, "name", strategy->name);
        mb_json_string(json, object, "title", strategy->title);
        mb_json_string(json, object, "source", strategy->source);
        add_params(json, object, strategy);
        add_availability(json, object, facts, i);
    }
}

static void add_patterns(struct mb_json *json)
{
    struct cJSON *patterns = mb_json_array(json, json->root, "patterns");
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        struct cJSON *object = mb_json_object(json, patterns, NULL);
        mb_json_string(json, object, "name", mb_patterns[i].name);
        mb_json_string(json, object, "title", mb_patterns[i].title);
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
        add_devices(json, facts);
    }
    if (all || what == MB_LIST_STRATEGIES) {
        add_strategies(json, facts);
    }
    if (all || what == MB_LIST_FORMATS) {
        mb_list_formats_json(json, facts);
    }
    if (all || what == MB_LIST_PATTERNS) {
        add_patterns(json);
    }
}
