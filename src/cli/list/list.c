/* Asks strategies what they can do, and prints `mipbench list`: as text, in ASCII and at most
 * 80 columns wide, or as JSON, one object with an array for each thing asked for. Of an image
 * only the limits are asked, as a device may refuse one before any strategy does. */
#include "cli/list/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/figure.h"
#include "base/text.h"
#include "bench/plan.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "image/format.h"
#include "image/pattern.h"
#include "cli/grid.h"
#include "result/result_json.h"

#define TEXT_COLUMNS 80

/* What a strategy may be able to do with a format. Those that are no reduction use averages. */
static const struct operation {
    const char *name;
    const char *title; /* of a column */
    enum mb_reduce reduce;
    enum mb_alpha alpha;
    uint32_t n_layers;
    bool is_cube, is_update;
} operations[MB_N_OPERATIONS] = {
    {.name = "avg", .title = "avg", .n_layers = 1},
    {.name = "min", .title = "min", .reduce = MB_REDUCE_MIN, .n_layers = 1},
    {.name = "max", .title = "max", .reduce = MB_REDUCE_MAX, .n_layers = 1},
    {.name = "premultiplied", .title = "alpha", .alpha = MB_ALPHA_PREMULTIPLIED, .n_layers = 1},
    {.name = "array", .title = "array", .n_layers = 3},
    {.name = "cube", .title = "cube", .n_layers = 6, .is_cube = true},
    {.name = "update", .title = "update", .n_layers = 1, .is_update = true},
};

/* What all questions about one device share. */
struct query {
    const struct mb_strategy *const *table;
    const struct mb_gpu *gpu; /* NULL: could not be opened */
    const struct mb_err *why_closed;
    struct mb_capabilities *capabilities;
};

static struct mb_task task_of(const struct operation *operation, struct mb_extent base)
{
    const struct mb_rect part = {base.width / 4, base.height / 4, base.width / 4,
                                 base.height / 4};
    return (struct mb_task){
        .reduce = operation->reduce,
        .alpha = operation->alpha,
        .is_update = operation->is_update,
        .rect = operation->is_update ? part : mb_rect_whole(base),
    };
}

static enum mb_status open_image(struct mb_vk_image *image, const struct mb_gpu *gpu,
                                 const struct mb_format *format,
                                 const struct operation *operation, struct mb_err *why)
{
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

/* Find the number of the note with this text, or add it. */
static enum mb_status take_note(struct mb_capabilities *capabilities, const char *variant,
                                const char *reason, size_t *number, struct mb_err *err)
{
    for (*number = 1; *number <= capabilities->n_notes; (*number)++) {
        const struct mb_capability_note *note = &capabilities->notes[*number - 1];
        if (strcmp(note->variant, variant) == 0 && strcmp(note->reason, reason) == 0) {
            return MB_OK;
        }
    }
    struct mb_capability_note *notes =
        mb_grow(capabilities->notes, capabilities->n_notes, sizeof *notes);
    MB_DO(MB_NEED(notes, "list"));
    capabilities->notes = notes;
    struct mb_capability_note *note = &capabilities->notes[capabilities->n_notes++];
    snprintf(note->variant, sizeof note->variant, "%s", variant);
    snprintf(note->reason, sizeof note->reason, "%s", reason);
    return MB_OK;
}

/* Ask one strategy about one task on one image: with its default parameters, then with others.
 */
static enum mb_status ask(const struct query *query, const struct mb_vk_image *image,
                          const struct mb_task *task, const struct mb_strategy *strategy,
                          size_t *capability, struct mb_err *err)
{
    const struct mb_text all = mb_text("%s:*", strategy->name);
    const char *const specs[] = {strategy->name, all.s};
    struct mb_err why[2] = {{0}};
    for (size_t i = 0; i < MB_COUNTOF(specs); i++) {
        MB_FREED struct mb_variant *rows = NULL;
        size_t n_rows = 0;
        MB_DO(mb_plan_variants(query->table, &specs[i], 1, &rows, &n_rows, err));
        for (size_t k = 0; k < n_rows; k++) {
            if (mb_instance_supports(image, &rows[k], task, &why[i]) == MB_OK) {
                char label[MB_LABEL_BYTES];
                mb_variant_label(&rows[k], label, sizeof label);
                return i == 0 ? MB_OK
                              : take_note(query->capabilities, label, why[0].text, capability,
                                          err);
            }
        }
    }
    return take_note(query->capabilities, "", why[0].text, capability, err);
}

static enum mb_status ask_operation(const struct query *query,
                                    const struct mb_strategy *strategy,
                                    const struct mb_format *format,
                                    const struct operation *operation, size_t *capability,
                                    struct mb_err *err)
{
    MB_SCOPED(mb_vk_image) image = {0};
    struct mb_err why = *query->why_closed;
    if (operation->alpha == MB_ALPHA_PREMULTIPLIED &&
        !mb_weighs_alpha(MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED, format)) {
        *capability = MB_MEANINGLESS;
        return MB_OK;
    }
    if (query->gpu == NULL ||
        open_image(&image, query->gpu, format, operation, &why) != MB_OK) {
        return take_note(query->capabilities, "", why.text, capability, err);
    }
    const struct mb_task task = task_of(operation, image.layout.base);
    return ask(query, &image, &task, strategy, capability, err);
}

enum mb_status mb_capabilities_ask(struct mb_capabilities *capabilities,
                                   const struct mb_strategy *const *table,
                                   const struct mb_gpu *gpu, const struct mb_err *why,
                                   struct mb_err *err)
{
    const struct query query = {table, gpu, why, capabilities};
    const size_t n_each = mb_format_count * MB_N_OPERATIONS;
    size_t n_strategies = 0;
    while (table[n_strategies] != NULL) {
        n_strategies++;
    }
    *capabilities = (struct mb_capabilities){
        .of = mb_alloc(n_strategies * n_each, sizeof *capabilities->of),
    };
    MB_DO(MB_NEED(capabilities->of, "list"));
    size_t *capability = capabilities->of;
    for (size_t i = 0; i < n_strategies; i++) {
        for (size_t format = 0; format < mb_format_count; format++) {
            for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
                MB_DO(ask_operation(&query, table[i], &mb_formats[format], &operations[k],
                                    capability++, err));
            }
        }
    }
    return MB_OK;
}

void mb_capabilities_finish(struct mb_capabilities *capabilities)
{
    mb_free(capabilities->of);
    mb_free(capabilities->notes);
    *capabilities = (struct mb_capabilities){0};
}

static size_t capability_of(const struct mb_list_facts *facts, size_t device, size_t strategy,
                            size_t format, size_t operation)
{
    const size_t row = strategy * mb_format_count + format;
    return facts->capabilities[device].of[row * MB_N_OPERATIONS + operation];
}

/* Why default parameters cannot do it; NULL if they can, or if it is meaningless. Averages of
 * the first format are what all should do. */
static const struct mb_capability_note *note_of(const struct mb_list_facts *facts,
                                                size_t device, size_t strategy, size_t format,
                                                size_t operation)
{
    const size_t number = capability_of(facts, device, strategy, format, operation);
    return number == MB_CAPABLE || number == MB_MEANINGLESS
               ? NULL
               : &facts->capabilities[device].notes[number - 1];
}

static enum mb_status ask_devices(struct mb_list_facts *facts, struct mb_err *err)
{
    facts->capabilities = mb_alloc(facts->n_devices, sizeof *facts->capabilities);
    MB_DO(MB_NEED(facts->capabilities, "list"));
    for (size_t i = 0; i < facts->n_devices; i++) {
        MB_SCOPED(mb_gpu) gpu = {0};
        struct mb_err why = {0};
        const struct mb_text selector = mb_text("%u", facts->devices[i].index);
        const struct mb_gpu_options options = {.selector = selector.s, .only_compiles = true};
        const bool is_open = mb_gpu_init(&gpu, &options, &why) == MB_OK;
        MB_DO(mb_capabilities_ask(&facts->capabilities[i], facts->table, is_open ? &gpu : NULL,
                                  &why, err));
    }
    return MB_OK;
}

/* Keep only the device that --device selects, by the rule of a run. */
static enum mb_status select_device(struct mb_list_facts *facts, const char *selector,
                                    struct mb_err *err)
{
    MB_SCOPED(mb_gpu) gpu = {0};
    const struct mb_gpu_options options = {.selector = selector, .only_compiles = true};
    MB_DO(mb_gpu_init(&gpu, &options, err));
    facts->devices[0] = gpu.info;
    facts->n_devices = 1;
    return MB_OK;
}

/* Gather what `what` needs, of all devices or of the one that the settings name. */
static enum mb_status gather(struct mb_list_facts *facts, enum mb_list_what what,
                             const struct mb_settings *settings, struct mb_err *err)
{
    const char *selector = settings->device;
    facts->table = settings->table;
    if (what == MB_LIST_PATTERNS) {
        return MB_OK;
    }
    if (mb_gpu_enumerate(&facts->devices, &facts->n_devices, &facts->no_device) != MB_OK) {
        facts->n_devices = 0;
        if (what == MB_LIST_DEVICES || selector != NULL ||
            facts->no_device.code != MB_ERRC_DEVICE) {
            *err = facts->no_device;
            return MB_FAILED;
        }
        return MB_OK;
    }
    if (selector != NULL) {
        MB_DO(select_device(facts, selector, err));
    }
    if (what != MB_LIST_DEVICES) {
        MB_DO(ask_devices(facts, err));
    }
    return MB_OK;
}

static void mb_list_facts_finish(struct mb_list_facts *facts)
{
    for (size_t i = 0; facts->capabilities != NULL && i < facts->n_devices; i++) {
        mb_capabilities_finish(&facts->capabilities[i]);
    }
    mb_free(facts->capabilities);
    mb_free(facts->devices);
}

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
            const struct mb_capability_note *obstacle = note_of(facts, i, k, 0, 0);
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

static void add_answer(struct mb_grid *grid, size_t capability,
                       const struct mb_capability_note *note)
{
    if (note != NULL) {
        mb_grid_cell(grid, "%s[%zu]", note->variant[0] != '\0' ? "yes" : "", capability);
    } else {
        mb_grid_cell(grid, "%s", capability == MB_MEANINGLESS ? "-" : "yes");
    }
}

/* A strategy's name and the titles of operations, and below them a row for each format. */
static void add_strategy_matrix(struct mb_grid *grid, const struct mb_list_facts *facts,
                                size_t device, size_t strategy)
{
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%s", facts->table[strategy]->name);
    for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
        mb_grid_cell(grid, "%s", operations[k].title);
    }
    for (size_t i = 0; i < mb_format_count; i++) {
        mb_grid_row(grid, false, "");
        mb_grid_cell(grid, "  %s", mb_formats[i].name);
        for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
            add_answer(grid, capability_of(facts, device, strategy, i, k),
                       note_of(facts, device, strategy, i, k));
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
    struct cJSON *names = mb_json_array(json, subgroups, "operations");
    for (size_t i = 0; i < mb_subgroup_operation_count; i++) {
        if (device->subgroup_operations & mb_subgroup_operations[i].bit) {
            mb_json_string(json, names, NULL, mb_subgroup_operations[i].name);
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

static void add_json_availability(struct mb_json *json, struct cJSON *parent,
                                  const struct mb_list_facts *facts, size_t strategy)
{
    struct cJSON *devices = mb_json_array(json, parent, "devices");
    for (size_t i = 0; i < facts->n_devices; i++) {
        const struct mb_capability_note *obstacle = note_of(facts, i, strategy, 0, 0);
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
                            size_t capability, const struct mb_capability_note *note,
                            const char *strategy)
{
    const bool is_able = note == NULL || note->variant[0] != '\0';
    const char *as = note != NULL ? note->variant : strategy;
    struct cJSON *node = mb_json_object_if(json, parent, name, capability != MB_MEANINGLESS);
    mb_json_bool(json, node, "able", is_able);
    mb_json_string(json, node, "as", is_able ? as : NULL);
    mb_json_string(json, node, "reason", note != NULL ? note->reason : NULL);
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
    for (size_t i = 0; facts->table[i] != NULL; i++) {
        const char *strategy = facts->table[i]->name;
        struct cJSON *answers = mb_json_object(json, strategies, strategy);
        for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
            add_json_answer(json, answers, operations[k].name,
                            capability_of(facts, device, i, format, k),
                            note_of(facts, device, i, format, k), strategy);
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
    MB_DO(gather(&facts, what, &options->settings, err));
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
