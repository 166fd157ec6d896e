/* Prints `mipbench list`: as text, in ASCII and at most 80 columns wide, or as JSON, one object
 * with an array for each thing asked for. */
#include "cli/list/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/figure.h"
#include "base/text.h"
#include "image/format.h"
#include "image/pattern.h"
#include "cli/grid.h"
#include "result/result_json.h"

#define TEXT_COLUMNS 80

/* Columns without titles; a row may end in a sentence. */
static const struct mb_grid_column plain[1 + MB_N_OPERATIONS];

static struct mb_grid make_grid(void)
{
    return (struct mb_grid){.columns = plain, .n_columns = MB_COUNTOF(plain)};
}

static void add_grid(struct mb_strbuf *out, struct mb_grid *grid)
{
    mb_grid_text(out, grid, TEXT_COLUMNS);
    mb_grid_finish(grid);
}

/* "name  title" */
static void add_named(struct mb_grid *grid, const char *name, const char *title)
{
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%s", name);
    mb_grid_cell(grid, "%s", title);
}

/* A line behind `indent` spaces and `lead`, broken where it is too wide. */
static void add_line(struct mb_strbuf *out, size_t indent, const char *lead, const char *text)
{
    mb_strbuf_printf(out, "%*s", (int)indent, "");
    mb_strbuf_append(out, lead);
    mb_strbuf_wrap(out, text, indent + strlen(lead), TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

static void add_memory(struct mb_strbuf *text, const struct mb_gpu_info *device)
{
    for (uint32_t i = 0; i < device->memory.memoryHeapCount; i++) {
        const VkMemoryHeap *heap = &device->memory.memoryHeaps[i];
        mb_strbuf_printf(text, "%s%s %s", i > 0 ? ", " : "", mb_bytes_text(heap->size).s,
                         heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT ? "device-local"
                                                                       : "host");
    }
}

static void add_subgroups(struct mb_strbuf *text, const struct mb_gpu_info *device)
{
    mb_strbuf_printf(text, "%u (%u to %u);", device->subgroup_size, device->min_subgroup_size,
                     device->max_subgroup_size);
    for (size_t i = 0; i < mb_subgroup_operation_count; i++) {
        if (device->subgroup_operations & mb_subgroup_operations[i].bit) {
            mb_strbuf_printf(text, " %s", mb_subgroup_operations[i].name);
        }
    }
    if (device->subgroup_operations == 0) {
        mb_strbuf_append(text, " no operations in compute shaders");
    }
}

static void add_device(struct mb_grid *grid, const struct mb_gpu_info *device)
{
    const VkPhysicalDeviceLimits *most = &device->limits;
    const uint32_t version = device->api_version, edge = most->maxImageDimension2D;
    const bool executes = mb_gpu_executes(device);
    MB_SCOPED(mb_strbuf) memory = {0}, subgroups = {0};
    if (device->unusable[0] != '\0') {
        add_named(grid, "   cannot be used", device->unusable);
        return;
    }
    add_memory(&memory, device);
    add_subgroups(&subgroups, device);
    grid->text.failed = grid->text.failed || memory.failed || subgroups.failed;
    add_named(grid, "   uuid", device->uuid);
    add_named(
        grid, "   driver",
        mb_text("%s %s, Vulkan %u.%u.%u", device->driver_name,
                device->driver_info[0] != '\0' ? device->driver_info : device->driver_version,
                VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                VK_API_VERSION_PATCH(version))
            .s);
    add_named(grid, "   memory",
              executes
                  ? mb_strbuf_text(&memory)
                  : "none: it executes nothing; 'mipbench inspect' shows what it compiles");
    add_named(grid, "   images",
              mb_text("up to %ux%u, %u layers, %u storage images a stage", edge, edge,
                      most->maxImageArrayLayers, most->maxPerStageDescriptorStorageImages)
                  .s);
    add_named(grid, "   workgroups",
              mb_text("%u invocations, %s shared memory", most->maxComputeWorkGroupInvocations,
                      mb_bytes_text(most->maxComputeSharedMemorySize).s)
                  .s);
    add_named(grid, "   subgroups", mb_strbuf_text(&subgroups));
    add_named(grid, "   timestamps",
              executes && device->timestamp_valid_bits > 0
                  ? mb_text("%u bits, unit %g ns", device->timestamp_valid_bits,
                            device->timestamp_period_ns)
                        .s
                  : "none: this device cannot be benchmarked");
}

static void add_devices(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    mb_strbuf_append(out, "Devices\n");
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_gpu_info *device = &facts->devices[i];
        struct mb_grid grid = make_grid();
        mb_strbuf_printf(out, "  %u  %s (%s)\n", device->index, device->name,
                         mb_gpu_type_name(device->type));
        add_device(&grid, device);
        add_grid(out, &grid);
    }
    if (facts->n_devices == 0) {
        add_line(out, 2, "none: ", facts->no_device.text);
    }
}

/* "key=default|other (default)", with its help below. */
static void add_param(struct mb_strbuf *out, const struct mb_strategy *strategy,
                      const struct mb_param *param)
{
    mb_strbuf_printf(out, "      %s=", param->name);
    for (size_t i = 0; param->values[i] != NULL; i++) {
        mb_strbuf_printf(out, "%s%s", i > 0 ? "|" : "", param->values[i]);
    }
    mb_strbuf_printf(out, " (%s)\n", param->values[0]);
    add_line(out, 10, "", param->help);
    if (param->is_diagnostic) {
        mb_strbuf_printf(out, "          diagnostic: not verified, not ranked, not in %s:*\n",
                         strategy->name);
    }
}

/* Whether the default parameters make averages of the first format: what all should. */
static const struct mb_capability_note *find_obstacle(const struct mb_list_facts *facts,
                                                      size_t device, size_t strategy)
{
    const struct mb_capabilities *capabilities = &facts->capabilities[device];
    const struct mb_capability *usual = mb_capabilities_get(capabilities, strategy, 0, 0);
    return usual->kind == MB_CAPABILITY_DEFAULT ? NULL : &capabilities->notes[usual->note];
}

/* One strategy with its source and parameters. */
static void add_strategy(struct mb_strbuf *out, const struct mb_strategy *strategy)
{
    mb_strbuf_printf(out, "  %s\n", strategy->name);
    add_line(out, 4, "", strategy->title);
    add_line(out, 4, "source: ", strategy->source);
    for (const struct mb_param *p = strategy->params; p != NULL && p->name != NULL; p++) {
        add_param(out, strategy, p);
    }
}

static void add_strategies(struct mb_strbuf *out, const struct mb_list_facts *facts,
                           bool is_verbose)
{
    struct mb_grid grid = make_grid();
    mb_strbuf_append(out, is_verbose
                              ? "Strategies (a parameter's default is in parentheses; NAME:* "
                                "runs every\nvariant but the diagnostic ones)\n"
                              : "Strategies ('list strategies -v' shows their parameters)\n");
    for (size_t i = 0; facts->table[i] != NULL; i++) {
        if (is_verbose) {
            add_strategy(out, facts->table[i]);
        } else {
            add_named(&grid, facts->table[i]->name, facts->table[i]->title);
        }
    }
    add_grid(out, &grid);
    for (size_t i = 0; i < facts->n_devices; i++) {
        for (size_t k = 0; facts->table[k] != NULL; k++) {
            const struct mb_capability_note *obstacle = find_obstacle(facts, i, k);
            if (obstacle != NULL) {
                const struct mb_text lead = mb_text(
                    "not on device %u: %s: ", facts->devices[i].index, facts->table[k]->name);
                add_line(out, 2, lead.s, obstacle->reason);
            }
        }
    }
    if (facts->n_devices == 0) {
        add_line(out, 2, "No device, so availability is unknown: ", facts->no_device.text);
    }
}

static void add_answer(struct mb_grid *grid, const struct mb_capability *capability)
{
    switch (capability->kind) {
    case MB_CAPABILITY_NONE:
        mb_grid_cell(grid, "[%zu]", capability->note + 1);
        break;
    case MB_CAPABILITY_DEFAULT:
        mb_grid_cell(grid, "yes");
        break;
    case MB_CAPABILITY_VARIANT:
        mb_grid_cell(grid, "yes[%zu]", capability->note + 1);
        break;
    case MB_CAPABILITY_MEANINGLESS:
        mb_grid_cell(grid, "-");
        break;
    }
}

/* A strategy's name and the titles of operations, and below them a row for each format. */
static void add_strategy_matrix(struct mb_grid *grid, const struct mb_list_facts *facts,
                                size_t device, size_t strategy)
{
    const struct mb_capabilities *capabilities = &facts->capabilities[device];
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%s", facts->table[strategy]->name);
    for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
        mb_grid_cell(grid, "%s", mb_operations[k].title);
    }
    for (size_t i = 0; i < mb_format_count; i++) {
        mb_grid_row(grid, false, "");
        mb_grid_cell(grid, "  %s", mb_formats[i].name);
        for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
            add_answer(grid, mb_capabilities_get(capabilities, strategy, i, k));
        }
    }
}

/* "[3] only as compute:load=texel; by default: REASON" */
static void add_note(struct mb_strbuf *out, const struct mb_capability_note *note, size_t index)
{
    const bool is_able = note->variant[0] != '\0';
    MB_SCOPED(mb_strbuf) text = {0};
    mb_strbuf_printf(&text, "%s%s%s%s", is_able ? "only as " : "no: ", note->variant,
                     is_able ? "; by default: " : "", note->reason);
    add_line(out, 2, mb_text("[%zu] ", index + 1).s, mb_strbuf_text(&text));
}

static void add_matrix(struct mb_strbuf *out, const struct mb_list_facts *facts)
{
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_capabilities *capabilities = &facts->capabilities[i];
        struct mb_grid grid = make_grid();
        mb_strbuf_printf(out, "\nDevice %u: %s\n", facts->devices[i].index,
                         facts->devices[i].name);
        for (size_t k = 0; facts->table[k] != NULL; k++) {
            add_strategy_matrix(&grid, facts, i, k);
        }
        add_grid(out, &grid);
        for (size_t k = 0; k < capabilities->n_notes; k++) {
            add_note(out, &capabilities->notes[k], k);
        }
    }
    if (facts->n_devices == 0) {
        add_line(out, 2, "No device, so support is unknown: ", facts->no_device.text);
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
    struct mb_grid grid = make_grid();
    mb_strbuf_append(out, is_alone
                              ? "Formats\n"
                              : "Formats ('list formats' shows what each strategy supports)\n");
    for (size_t i = 0; i < mb_format_count; i++) {
        add_named(&grid, mb_formats[i].name, mb_formats[i].title);
    }
    add_grid(out, &grid);
}

static void add_patterns(struct mb_strbuf *out)
{
    struct mb_grid grid = make_grid();
    mb_strbuf_append(out, "Patterns (pattern:NAME:WxH)\n");
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        add_named(&grid, mb_patterns[i].name, mb_patterns[i].title);
    }
    add_grid(out, &grid);
}

void mb_list_text(struct mb_strbuf *out, const struct mb_list_facts *facts,
                  enum mb_list_what what, bool is_verbose)
{
    const bool all = what == MB_LIST_ALL;
    const char *gap = all ? "\n" : "";
    if (all || what == MB_LIST_DEVICES) {
        add_devices(out, facts);
    }
    if (all || what == MB_LIST_STRATEGIES) {
        mb_strbuf_append(out, gap);
        add_strategies(out, facts, is_verbose);
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
    const VkPhysicalDeviceLimits *most = &device->limits;
    struct cJSON *limits = mb_json_object(json, parent, "limits");
    mb_json_u64(json, limits, "max_image_dimension_2d", most->maxImageDimension2D);
    mb_json_u64(json, limits, "max_image_array_layers", most->maxImageArrayLayers);
    mb_json_u64(json, limits, "max_storage_images", most->maxPerStageDescriptorStorageImages);
    mb_json_u64(json, limits, "max_workgroup_invocations",
                most->maxComputeWorkGroupInvocations);
    mb_json_u64(json, limits, "max_shared_memory_bytes", most->maxComputeSharedMemorySize);
    mb_json_u64(json, limits, "sub_texel_precision_bits", most->subTexelPrecisionBits);
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
    mb_json_u64(json, object, "index", device->index);
    if (device->unusable[0] != '\0') { /* nothing more was asked of it */
        mb_json_string(json, object, "name", device->name);
        mb_json_string(json, object, "type", mb_gpu_type_name(device->type));
        mb_json_string(json, object, "unusable", device->unusable);
        return;
    }
    mb_report_device(json, object, device);
    mb_json_null(json, object, "unusable");
    mb_json_bool(json, object, "executes", mb_gpu_executes(device));
    mb_json_u64(json, object, "timestamp_valid_bits", device->timestamp_valid_bits);
    mb_json_number(json, object, "timestamp_period_ns", device->timestamp_period_ns);
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
                                  const struct mb_list_facts *facts, size_t strategy)
{
    struct cJSON *devices = mb_json_array(json, parent, "devices");
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_capability_note *obstacle = find_obstacle(facts, i, strategy);
        struct cJSON *object = mb_json_object(json, devices, NULL);
        mb_json_u64(json, object, "index", facts->devices[i].index);
        mb_json_string(json, object, "name", facts->devices[i].name);
        mb_json_bool(json, object, "available", obstacle == NULL);
        mb_json_string(json, object, "reason", obstacle != NULL ? obstacle->reason : NULL);
    }
}

static void add_json_strategies(struct mb_json *json, const struct mb_list_facts *facts)
{
    struct cJSON *strategies = mb_json_array(json, json->root, "strategies");
    for (size_t i = 0; facts->table[i] != NULL; i++) {
        struct cJSON *object = mb_json_object(json, strategies, NULL);
        mb_json_string(json, object, "name", facts->table[i]->name);
        mb_json_string(json, object, "title", facts->table[i]->title);
        mb_json_string(json, object, "source", facts->table[i]->source);
        add_json_params(json, object, facts->table[i]);
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
    const bool is_able = capability->kind != MB_CAPABILITY_NONE;
    const bool has_note = !is_able || capability->kind == MB_CAPABILITY_VARIANT;
    const char *as = has_note ? notes[capability->note].variant : strategy;
    struct cJSON *node =
        mb_json_object_if(json, parent, name, capability->kind != MB_CAPABILITY_MEANINGLESS);
    mb_json_bool(json, node, "able", is_able);
    mb_json_string(json, node, "as", is_able ? as : NULL);
    mb_json_string(json, node, "reason", has_note ? notes[capability->note].reason : NULL);
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
    for (size_t i = 0; facts->table[i] != NULL; i++) {
        const char *strategy = facts->table[i]->name;
        struct cJSON *answers = mb_json_object(json, strategies, strategy);
        for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
            add_json_answer(json, answers, mb_operations[k].name,
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

enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err)
{
    const enum mb_list_what what = options->list_what;
    MB_SCOPED(mb_list_facts) facts = {0};
    MB_SCOPED(mb_json) json = {0};
    MB_SCOPED(mb_strbuf) text = {0};
    MB_FREED char *json_text = NULL;
    MB_DO(mb_list_facts_gather(&facts, what, &options->settings, err));
    if (options->json != NULL) {
        mb_json_init(&json);
        mb_list_json(&json, &facts, what);
        MB_DO(mb_json_print(&json, &json_text, err));
        MB_DO(mb_stdout_write(json_text, strlen(json_text), err));
    } else {
        mb_list_text(&text, &facts, what, options->verbosity > 0);
        MB_DO(mb_strbuf_print(&text, err));
    }
    return MB_OK;
}
