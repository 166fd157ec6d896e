/* Asks strategies what they can do, and prints `mipbench list`: as JSON, one object with an
 * array for each list asked for, or that object as ASCII text at most 80 columns wide. No image
 * is created, but its limits are checked: a device may refuse it before any strategy does. */
#include "cli/list/list.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/plan.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "image/format.h"
#include "image/pattern.h"
#include "cli/grid.h"
#include "result/result_json.h"

#define TEXT_COLUMNS 80

/* The operations that a strategy may support in a format, averages first. Operations that are
 * not a reduction use averages. */
static const struct operation {
    const char *name;
    const char *title; /* title of the operation's column */
    enum mb_reduce reduce;
    enum mb_alpha alpha;
    uint32_t n_layers;
    bool is_cube, is_update;
} operations[] = {
    {.name = "avg", .title = "avg", .n_layers = 1},
    {.name = "min", .title = "min", .reduce = MB_REDUCE_MIN, .n_layers = 1},
    {.name = "max", .title = "max", .reduce = MB_REDUCE_MAX, .n_layers = 1},
    {.name = "premultiplied", .title = "alpha", .alpha = MB_ALPHA_PREMULTIPLIED, .n_layers = 1},
    {.name = "array", .title = "array", .n_layers = 3},
    {.name = "cube", .title = "cube", .n_layers = 6, .is_cube = true},
    {.name = "update", .title = "update", .n_layers = 1, .is_update = true},
};

struct question {
    const struct mb_list_device *device;
    const struct mb_strategy *strategy;
    const struct mb_format *format;
    const struct operation *operation;
};

struct answer {
    char as[MB_LABEL_BYTES]; /* the strategy or variant that can do it; "": none can */
    struct mb_err why;       /* why its default parameters cannot; no text: they can */
};

static enum mb_status open_image(struct mb_vk_image *image, const struct question *question,
                                 struct mb_err *why)
{
    const struct mb_gpu *gpu = &question->device->gpu;
    const struct mb_format *format = question->format;
    const struct operation *operation = question->operation;
    const struct mb_extent base = {256, 256};
    const uint32_t n_levels = mb_full_level_count(base);
    struct mb_layout layout;
    mb_layout_init(&layout, format, base, operation->n_layers, n_levels);
    const struct mb_vk_image_options options = {
        .layout = &layout,
        .n_levels = n_levels,
        .is_cube = operation->is_cube,
        .usage = mb_test_image_usage(gpu, format),
        .name = "list",
    };
    return mb_vk_image_init(image, gpu, &options, why);
}

/* Ask the default variant, and if it cannot, each of a sweep until one can. */
static enum mb_status ask(const struct question *question, struct answer *answer,
                          struct mb_err *err)
{
    MB_SCOPED(mb_vk_image) image = {0};
    const struct mb_strategy *const table[] = {question->strategy, NULL};
    const char *const specs[] = {"all", "all:*"};
    struct mb_err ignored;
    *answer = (struct answer){.why = question->device->why_closed};
    if (answer->why.text[0] != '\0' || open_image(&image, question, &answer->why) != MB_OK) {
        return MB_OK;
    }
    const struct operation *operation = question->operation;
    const struct mb_rect part = {64, 64, 64, 64};
    const struct mb_task task = {
        .reduce = operation->reduce,
        .alpha = operation->alpha,
        .is_update = operation->is_update,
        .rect = operation->is_update ? part : mb_rect_whole(image.layout.base),
    };
    for (size_t k = 0; k < MB_COUNTOF(specs) && answer->as[0] == '\0'; k++) {
        struct mb_err *why = k == 0 ? &answer->why : &ignored;
        MB_FREED struct mb_variant *rows = NULL;
        size_t n_rows = 0;
        MB_DO(mb_plan_variants(table, &specs[k], 1, &rows, &n_rows, err));
        for (size_t i = 0; i < n_rows && answer->as[0] == '\0'; i++) {
            if (mb_variant_supports(&rows[i], image.gpu, &image.layout, &task, why) == MB_OK) {
                mb_variant_label(&rows[i], answer->as, sizeof answer->as);
            }
        }
    }
    return MB_OK;
}

/* Open all devices. If --device is given, keep and open only the device that a run would
 * select. */
static enum mb_status open_devices(struct mb_list_facts *facts, const char *selector,
                                   struct mb_err *err)
{
    facts->n_devices = selector ? 1 : facts->n_devices;
    facts->open = mb_alloc(facts->n_devices, sizeof *facts->open);
    MB_DO(MB_NEED(facts->open, "list"));
    for (size_t i = 0; i < facts->n_devices; i++) {
        struct mb_list_device *device = &facts->open[i];
        const struct mb_text index = mb_text("%u", facts->devices[i].index);
        const struct mb_gpu_options options = {.selector = selector ? selector : index.s,
                                               .only_compiles = true};
        if (mb_gpu_init(&device->gpu, &options, &device->why_closed) == MB_OK) {
            facts->devices[i] = device->gpu.info;
            device->why_closed = (struct mb_err){0};
        } else if (selector) {
            *err = device->why_closed;
            return MB_FAILED;
        }
    }
    return MB_OK;
}

/* Gather the facts that `what` needs, of all devices or of the device that the settings
 * name. */
static enum mb_status gather(struct mb_list_facts *facts, enum mb_list_what what,
                             const struct mb_settings *settings, struct mb_err *err)
{
    const char *selector = settings->device;
    facts->table = settings->table;
    if (what == MB_LIST_PATTERNS) {
        return MB_OK;
    }
    if (mb_gpu_enumerate(facts->devices, &facts->n_devices, &facts->no_device) != MB_OK) {
        facts->n_devices = 0;
        if (what == MB_LIST_DEVICES || selector != NULL ||
            facts->no_device.code != MB_ERRC_DEVICE) {
            *err = facts->no_device;
            return MB_FAILED;
        }
        return MB_OK;
    }
    return selector || what != MB_LIST_DEVICES ? open_devices(facts, selector, err) : MB_OK;
}

static void mb_list_facts_finish(struct mb_list_facts *facts)
{
    for (size_t i = 0; facts->open != NULL && i < facts->n_devices; i++) {
        mb_gpu_finish(&facts->open[i].gpu);
    }
    mb_free(facts->open);
}

static void add_json_subgroups(struct mb_json *json, struct cJSON *parent,
                               const struct mb_gpu_info *device)
{
    struct cJSON *subgroups = mb_json_object(json, parent, "subgroups");
    mb_json_u64(json, subgroups, "size", device->subgroup_size);
    mb_json_u64(json, subgroups, "min_size", device->min_subgroup_size);
    mb_json_u64(json, subgroups, "max_size", device->max_subgroup_size);
    mb_json_bool(json, subgroups, "full_subgroups", device->has_full_subgroups);
    mb_field_words(mb_node_write(json, subgroups), "operations", mb_subgroup_operation_names,
                   MB_N_SUBGROUP_OPERATIONS, device->subgroup_operations);
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
    if (device->unusable[0] != '\0') { /* the device was not queried further */
        mb_json_string(json, object, "name", device->name);
        mb_json_string(json, object, "type", mb_gpu_type_name(device->type));
        mb_json_string(json, object, "unusable", device->unusable);
        return;
    }
    struct mb_gpu_info own = *device;
    mb_device_fields(mb_node_write(json, object), &own);
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

/* Add an object with the index and name of a device to a list. */
static struct cJSON *add_json_one_of(struct mb_json *json, struct cJSON *devices,
                                     const struct mb_gpu_info *device)
{
    struct cJSON *object = mb_json_object(json, devices, NULL);
    mb_json_u64(json, object, "index", device->index);
    mb_json_string(json, object, "name", device->name);
    return object;
}

/* Add, for each device, whether a strategy can make averages in the first format. */
static enum mb_status add_json_availability(struct mb_json *json, struct cJSON *parent,
                                            const struct mb_list_facts *facts,
                                            const struct mb_strategy *strategy,
                                            struct mb_err *err)
{
    struct cJSON *devices = mb_json_array(json, parent, "devices");
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct question question = {&facts->open[i], strategy, &mb_formats[0],
                                          &operations[0]};
        struct answer answer;
        MB_DO(ask(&question, &answer, err));
        const bool is_able = answer.why.text[0] == '\0';
        struct cJSON *object = add_json_one_of(json, devices, &facts->devices[i]);
        mb_json_bool(json, object, "available", is_able);
        mb_json_string(json, object, "reason", is_able ? NULL : answer.why.text);
    }
    return MB_OK;
}

static enum mb_status add_json_strategies(struct mb_json *json,
                                          const struct mb_list_facts *facts, struct mb_err *err)
{
    struct cJSON *strategies = mb_json_array(json, json->root, "strategies");
    for (size_t i = 0; facts->table[i] != NULL; i++) {
        struct cJSON *object = mb_json_object(json, strategies, NULL);
        mb_json_string(json, object, "name", facts->table[i]->name);
        mb_json_string(json, object, "title", facts->table[i]->title);
        mb_json_string(json, object, "source", facts->table[i]->source);
        add_json_params(json, object, facts->table[i]);
        MB_DO(add_json_availability(json, object, facts, facts->table[i], err));
    }
    return MB_OK;
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

/* Add an answer; null if the operation weighs by alpha and the format has no alpha. */
static enum mb_status add_json_answer(struct mb_json *json, struct cJSON *parent,
                                      const struct question *question, struct mb_err *err)
{
    const struct operation *operation = question->operation;
    const bool is_meant =
        operation->alpha == MB_ALPHA_STRAIGHT ||
        mb_weighs_alpha(operation->reduce, operation->alpha, question->format);
    struct cJSON *node = mb_json_object_if(json, parent, operation->name, is_meant);
    struct answer answer;
    if (is_meant) {
        MB_DO(ask(question, &answer, err));
        const bool is_able = answer.as[0] != '\0', is_default = answer.why.text[0] == '\0';
        mb_json_bool(json, node, "able", is_able);
        mb_json_string(json, node, "as", is_able ? answer.as : NULL);
        mb_json_string(json, node, "reason", is_default ? NULL : answer.why.text);
    }
    return MB_OK;
}

/* Add what one device can do with a format: an object per strategy. */
static enum mb_status add_json_device_answers(struct mb_json *json, struct cJSON *devices,
                                              const struct mb_list_facts *facts, size_t device,
                                              const struct mb_format *format,
                                              struct mb_err *err)
{
    struct cJSON *object = add_json_one_of(json, devices, &facts->devices[device]);
    struct cJSON *strategies = mb_json_object(json, object, "strategies");
    for (size_t i = 0; facts->table[i] != NULL; i++) {
        struct cJSON *answers = mb_json_object(json, strategies, facts->table[i]->name);
        for (size_t k = 0; k < MB_COUNTOF(operations); k++) {
            const struct question question = {&facts->open[device], facts->table[i], format,
                                              &operations[k]};
            MB_DO(add_json_answer(json, answers, &question, err));
        }
    }
    return MB_OK;
}

static enum mb_status add_json_formats(struct mb_json *json, const struct mb_list_facts *facts,
                                       struct mb_err *err)
{
    struct cJSON *formats = mb_json_array(json, json->root, "formats");
    for (size_t i = 0; i < mb_format_count; i++) {
        const struct mb_format *format = &mb_formats[i];
        struct cJSON *object = mb_json_object(json, formats, NULL);
        mb_json_string(json, object, "name", format->name);
        mb_json_string(json, object, "title", format->title);
        mb_json_u64(json, object, "texel_bytes", format->texel_bytes);
        mb_json_u64(json, object, "n_channels", format->n_channels);
        struct cJSON *devices = mb_json_array(json, object, "devices");
        for (size_t k = 0; k < facts->n_devices; k++) {
            MB_DO(add_json_device_answers(json, devices, facts, k, format, err));
        }
    }
    return MB_OK;
}

enum mb_status mb_list_json(struct mb_json *json, const struct mb_list_facts *facts,
                            enum mb_list_what what, struct mb_err *err)
{
    const bool all = what == MB_LIST_ALL;
    if (facts->n_devices == 0 && what != MB_LIST_DEVICES && what != MB_LIST_PATTERNS) {
        mb_json_string(json, json->root, "no_device", facts->no_device.text);
    }
    if (all || what == MB_LIST_DEVICES) {
        add_json_devices(json, facts);
    }
    if (all || what == MB_LIST_STRATEGIES) {
        MB_DO(add_json_strategies(json, facts, err));
    }
    if (all || what == MB_LIST_FORMATS) {
        MB_DO(add_json_formats(json, facts, err));
    }
    if (all || what == MB_LIST_PATTERNS) {
        add_json_patterns(json);
    }
    return MB_OK;
}

/* Columns without titles; a row may end in a sentence. */
static const struct mb_grid_column plain[1 + MB_COUNTOF(operations)];

static struct mb_grid make_grid(void)
{
    return (struct mb_grid){.columns = plain, .n_columns = MB_COUNTOF(plain)};
}

static void add_grid(struct mb_strbuf *out, struct mb_grid *grid)
{
    mb_grid_show(out, grid, &(const struct mb_table_style){.columns = TEXT_COLUMNS});
    mb_grid_finish(grid);
}

/* "name  title" */
static void add_named(struct mb_grid *grid, const char *name, const char *title)
{
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%s", name);
    mb_grid_cell(grid, "%s", title);
}

/* Add a grid of the names and titles in an array. */
static void add_names(struct mb_strbuf *out, const struct mb_json *json, const char *key)
{
    struct mb_grid grid = make_grid();
    for (const cJSON *node = mb_json_elements(json->root, key); node; node = node->next) {
        add_named(&grid, mb_json_read_string(node, "name"), mb_json_read_string(node, "title"));
    }
    add_grid(out, &grid);
}

/* Add `text` after `indent` spaces and `lead`, wrapped if it is too wide. */
static void add_line(struct mb_strbuf *out, size_t indent, const char *lead, const char *text)
{
    mb_strbuf_printf(out, "%*s", (int)indent, "");
    mb_strbuf_append(out, lead);
    mb_strbuf_wrap(out, text, indent + strlen(lead), TEXT_COLUMNS);
    mb_strbuf_append(out, "\n");
}

/* "2 GiB device-local, 16 GiB host" */
static void add_heaps(struct mb_strbuf *out, const cJSON *device)
{
    const char *separator = "";
    for (const cJSON *heap = mb_json_elements(device, "heaps"); heap; heap = heap->next) {
        mb_strbuf_printf(
            out, "%s%s %s", separator, mb_bytes_text(mb_json_read_u64(heap, "size_bytes", 0)).s,
            mb_json_read_bool(heap, "device_local", false) ? "device-local" : "host");
        separator = ", ";
    }
}

/* "32 (8 to 32); basic vote" */
static void add_subgroups(struct mb_strbuf *out, const cJSON *device)
{
    const cJSON *subgroups = mb_json_get(device, "subgroups");
    const cJSON *operation = mb_json_elements(subgroups, "operations");
    mb_strbuf_printf(out, "%.0f (%.0f to %.0f);%s", mb_json_read_number(subgroups, "size"),
                     mb_json_read_number(subgroups, "min_size"),
                     mb_json_read_number(subgroups, "max_size"),
                     operation ? "" : " no operations in compute shaders");
    for (; operation; operation = operation->next) {
        mb_strbuf_printf(out, " %s", operation->valuestring);
    }
}

static void add_device_facts(struct mb_grid *grid, const cJSON *device)
{
    const cJSON *most = mb_json_get(device, "limits");
    const double edge = mb_json_read_number(most, "max_image_dimension_2d");
    const double n_bits = mb_json_read_number(device, "timestamp_valid_bits");
    const bool executes = mb_json_read_bool(device, "executes", false);
    MB_SCOPED(mb_strbuf) heaps = {0}, subgroups = {0};
    add_heaps(&heaps, device);
    add_subgroups(&subgroups, device);
    grid->text.failed = grid->text.failed || heaps.failed || subgroups.failed;
    add_named(grid, "   uuid", mb_json_read_string(device, "uuid"));
    add_named(
        grid, "   driver",
        mb_text("%s, Vulkan %s", mb_device_driver(device).s, mb_json_read_string(device, "api"))
            .s);
    add_named(grid, "   memory",
              executes
                  ? mb_strbuf_text(&heaps)
                  : "none: it executes nothing; 'mipbench inspect' shows what it compiles");
    add_named(grid, "   images",
              mb_text("up to %.0fx%.0f, %.0f layers, %.0f storage images a stage", edge, edge,
                      mb_json_read_number(most, "max_image_array_layers"),
                      mb_json_read_number(most, "max_storage_images"))
                  .s);
    add_named(grid, "   workgroups",
              mb_text("%.0f invocations, %s shared memory",
                      mb_json_read_number(most, "max_workgroup_invocations"),
                      mb_bytes_text(mb_json_read_u64(most, "max_shared_memory_bytes", 0)).s)
                  .s);
    add_named(grid, "   subgroups", mb_strbuf_text(&subgroups));
    add_named(grid, "   timestamps",
              executes && n_bits > 0
                  ? mb_text("%.0f bits, unit %g ns", n_bits,
                            mb_json_read_number(device, "timestamp_period_ns"))
                        .s
                  : "none: this device cannot be benchmarked");
}

static void add_device(struct mb_strbuf *out, const cJSON *device)
{
    const char *unusable = mb_json_read_string(device, "unusable");
    struct mb_grid grid = make_grid();
    mb_strbuf_printf(out, "  %.0f  %s (%s)\n", mb_json_read_number(device, "index"),
                     mb_json_read_string(device, "name"), mb_json_read_string(device, "type"));
    if (unusable) {
        add_named(&grid, "   cannot be used", unusable);
    } else {
        add_device_facts(&grid, device);
    }
    add_grid(out, &grid);
}

static void add_devices(struct mb_strbuf *out, const struct mb_json *json)
{
    const cJSON *device = mb_json_elements(json->root, "devices");
    mb_strbuf_append(out, "Devices\n");
    if (!device) {
        add_line(out, 2, "none: ", mb_json_read_string(json->root, "no_device"));
    }
    for (; device; device = device->next) {
        add_device(out, device);
    }
}

/* "key=default|other (default)", with its help below. */
static void add_param(struct mb_strbuf *out, const char *strategy, const cJSON *param)
{
    const char *separator = "=";
    mb_strbuf_printf(out, "      %s", mb_json_read_string(param, "name"));
    for (const cJSON *value = mb_json_elements(param, "values"); value; value = value->next) {
        mb_strbuf_printf(out, "%s%s", separator, value->valuestring);
        separator = "|";
    }
    mb_strbuf_printf(out, " (%s)\n", mb_json_read_string(param, "default"));
    add_line(out, 10, "", mb_json_read_string(param, "help"));
    if (mb_json_read_bool(param, "diagnostic", false)) {
        mb_strbuf_printf(out, "          diagnostic: not verified, not ranked, not in %s:*\n",
                         strategy);
    }
}

/* Add one strategy with its source and parameters. */
static void add_strategy(struct mb_strbuf *out, const cJSON *strategy)
{
    const char *name = mb_json_read_string(strategy, "name");
    mb_strbuf_printf(out, "  %s\n", name);
    add_line(out, 4, "", mb_json_read_string(strategy, "title"));
    add_line(out, 4, "source: ", mb_json_read_string(strategy, "source"));
    for (const cJSON *p = mb_json_elements(strategy, "params"); p; p = p->next) {
        add_param(out, name, p);
    }
}

/* Add what keeps a strategy from running on a device. */
static void add_obstacles(struct mb_strbuf *out, const cJSON *strategy)
{
    const cJSON *device = mb_json_elements(strategy, "devices");
    for (; device; device = device->next) {
        const char *reason = mb_json_read_string(device, "reason");
        if (reason) {
            const struct mb_text lead =
                mb_text("not on device %.0f: %s: ", mb_json_read_number(device, "index"),
                        mb_json_read_string(strategy, "name"));
            add_line(out, 2, lead.s, reason);
        }
    }
}

static void add_strategies(struct mb_strbuf *out, const struct mb_json *json, bool is_alone)
{
    const char *no_device = mb_json_read_string(json->root, "no_device");
    const cJSON *first = mb_json_elements(json->root, "strategies");
    mb_strbuf_append(out, is_alone
                              ? "Strategies (a parameter's default is in parentheses; NAME:* "
                                "runs every\nvariant but the diagnostic ones)\n"
                              : "Strategies ('list strategies' shows their parameters)\n");
    for (const cJSON *strategy = first; is_alone && strategy; strategy = strategy->next) {
        add_strategy(out, strategy);
    }
    if (!is_alone) {
        add_names(out, json, "strategies");
    }
    for (const cJSON *strategy = first; strategy; strategy = strategy->next) {
        add_obstacles(out, strategy);
    }
    if (no_device) {
        add_line(out, 2, "No device, so availability is unknown: ", no_device);
    }
}

/* Add "yes", or the number of the reason in `notes`; a reason not yet in `notes` is added. */
static void add_answer(struct mb_grid *grid, struct mb_strlist *notes, const cJSON *answer)
{
    const char *as = mb_json_read_string(answer, "as");
    const char *reason = mb_json_read_string(answer, "reason");
    MB_SCOPED(mb_strbuf) note = {0};
    struct mb_err err;
    size_t i = 0;
    if (!reason) {
        mb_grid_cell(grid, "%s", cJSON_IsNull(answer) ? "-" : "yes");
        return;
    }
    mb_strbuf_printf(&note, "%s%s%s%s", as ? "only as " : "no: ", as ? as : "",
                     as ? "; by default: " : "", reason);
    while (i < notes->n && strcmp(notes->items[i], mb_strbuf_text(&note)) != 0) {
        i++;
    }
    if (i == notes->n && mb_strlist_add(notes, &err, "%s", mb_strbuf_text(&note)) != MB_OK) {
        grid->text.failed = true;
    }
    mb_grid_cell(grid, "%s[%zu]", as ? "yes" : "", i + 1);
}

/* Add a strategy's name with the titles of operations, and below them a row for each format. */
static void add_strategy_matrix(struct mb_grid *grid, struct mb_strlist *notes,
                                const struct mb_json *json, int device, const char *strategy)
{
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%s", strategy);
    for (size_t k = 0; k < MB_COUNTOF(operations); k++) {
        mb_grid_cell(grid, "%s", operations[k].title);
    }
    const cJSON *format = mb_json_elements(json->root, "formats");
    for (; format; format = format->next) {
        const cJSON *on = cJSON_GetArrayItem(mb_json_get(format, "devices"), device);
        const cJSON *answer = mb_json_members(mb_json_get(on, "strategies"), strategy);
        mb_grid_row(grid, false, "");
        mb_grid_cell(grid, "  %s", mb_json_read_string(format, "name"));
        for (; answer; answer = answer->next) {
            add_answer(grid, notes, answer);
        }
    }
}

static void add_matrix(struct mb_strbuf *out, const struct mb_json *json)
{
    const cJSON *first = mb_json_elements(json->root, "formats");
    const cJSON *device = mb_json_elements(first, "devices");
    const char *no_device = mb_json_read_string(json->root, "no_device");
    if (no_device) {
        add_line(out, 2, "No device, so support is unknown: ", no_device);
        return;
    }
    for (int i = 0; device; i++, device = device->next) {
        MB_SCOPED(mb_strlist) notes = {0};
        struct mb_grid grid = make_grid();
        mb_strbuf_printf(out, "\nDevice %.0f: %s\n", mb_json_read_number(device, "index"),
                         mb_json_read_string(device, "name"));
        const cJSON *strategy = mb_json_members(device, "strategies");
        for (; strategy; strategy = strategy->next) {
            add_strategy_matrix(&grid, &notes, json, i, strategy->string);
        }
        add_grid(out, &grid);
        for (size_t k = 0; k < notes.n; k++) {
            add_line(out, 2, mb_text("[%zu] ", k + 1).s, notes.items[k]);
        }
    }
    mb_strbuf_append(
        out, "\navg, min and max are reductions (-r); alpha is --alpha premultiplied, - "
             "without\n"
             "an alpha channel; array is --layers, update is --rect. Tested with 256x256\n"
             "images: a strategy may still refuse a particular size.\n");
}

void mb_list_text(struct mb_strbuf *out, const struct mb_json *json, enum mb_list_what what)
{
    const bool all = what == MB_LIST_ALL;
    const char *gap = all ? "\n" : "";
    if (all || what == MB_LIST_DEVICES) {
        add_devices(out, json);
    }
    if (all || what == MB_LIST_STRATEGIES) {
        mb_strbuf_append(out, gap);
        add_strategies(out, json, !all);
    }
    if (all || what == MB_LIST_FORMATS) {
        mb_strbuf_printf(out, "%sFormats%s\n", gap,
                         all ? " ('list formats' shows what each strategy supports)" : "");
        add_names(out, json, "formats");
    }
    if (what == MB_LIST_FORMATS) {
        add_matrix(out, json);
    }
    if (all || what == MB_LIST_PATTERNS) {
        mb_strbuf_printf(out, "%sPatterns (pattern:NAME:WxH)\n", gap);
        add_names(out, json, "patterns");
    }
}

enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err)
{
    const enum mb_list_what what = options->list_what;
    MB_SCOPED(mb_list_facts) facts = {0};
    MB_SCOPED(mb_json) json = {0};
    MB_SCOPED(mb_strbuf) text = {0};
    MB_DO(gather(&facts, what, &options->settings, err));
    mb_json_init(&json);
    MB_DO(mb_list_json(&json, &facts, what, err));
    if (options->json != NULL) {
        mb_json_print(&json, &text);
    } else {
        mb_list_text(&text, &json, what);
        text.failed = text.failed || json.failed;
    }
    return mb_strbuf_print(&text, err);
}
