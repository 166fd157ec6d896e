/* Gathers what `mipbench list` shows. Of an image only the limits are asked, as a device may
 * refuse one before any strategy does. */
#include "cli/list/facts.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "bench/plan.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "image/format.h"

/* What all questions about one device share. */
struct query {
    const struct mb_strategy *const *table;
    const struct mb_gpu *gpu; /* NULL: could not be opened */
    const struct mb_err *why_closed;
    struct mb_capabilities *capabilities;
};

const struct mb_operation mb_operations[MB_N_OPERATIONS] = {
    {.name = "avg", .title = "avg", .n_layers = 1},
    {.name = "min", .title = "min", .reduce = MB_REDUCE_MIN, .n_layers = 1},
    {.name = "max", .title = "max", .reduce = MB_REDUCE_MAX, .n_layers = 1},
    {.name = "premultiplied", .title = "alpha", .alpha = MB_ALPHA_PREMULTIPLIED, .n_layers = 1},
    {.name = "array", .title = "array", .n_layers = 3},
    {.name = "cube", .title = "cube", .n_layers = 6, .is_cube = true},
    {.name = "update", .title = "update", .n_layers = 1, .is_update = true},
};

static struct mb_task task_of(const struct mb_operation *operation, struct mb_extent base)
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
                                 const struct mb_operation *operation, struct mb_err *why)
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

/* Find the note with this text, or add it. */
static enum mb_status take_note(struct mb_capabilities *capabilities, const char *variant,
                                const char *reason, size_t *index, struct mb_err *err)
{
    for (*index = 0; *index < capabilities->n_notes; (*index)++) {
        if (strcmp(capabilities->notes[*index].variant, variant) == 0 &&
            strcmp(capabilities->notes[*index].reason, reason) == 0) {
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
                          struct mb_capability *capability, struct mb_err *err)
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
                capability->kind = i == 0 ? MB_CAPABILITY_DEFAULT : MB_CAPABILITY_VARIANT;
                return i == 0 ? MB_OK
                              : take_note(query->capabilities, label, why[0].text,
                                          &capability->note, err);
            }
        }
    }
    return take_note(query->capabilities, "", why[0].text, &capability->note, err);
}

static enum mb_status ask_operation(const struct query *query,
                                    const struct mb_strategy *strategy,
                                    const struct mb_format *format,
                                    const struct mb_operation *operation,
                                    struct mb_capability *capability, struct mb_err *err)
{
    MB_SCOPED(mb_vk_image) image = {0};
    struct mb_err why = *query->why_closed;
    if (operation->alpha == MB_ALPHA_PREMULTIPLIED &&
        !mb_weighs_alpha(MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED, format)) {
        capability->kind = MB_CAPABILITY_MEANINGLESS;
        return MB_OK;
    }
    if (query->gpu == NULL ||
        open_image(&image, query->gpu, format, operation, &why) != MB_OK) {
        return take_note(query->capabilities, "", why.text, &capability->note, err);
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
    struct mb_capability *capability = capabilities->of;
    for (size_t i = 0; i < n_strategies; i++) {
        for (size_t format = 0; format < mb_format_count; format++) {
            for (size_t k = 0; k < MB_N_OPERATIONS; k++) {
                MB_DO(ask_operation(&query, table[i], &mb_formats[format], &mb_operations[k],
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

const struct mb_capability *mb_capabilities_get(const struct mb_capabilities *capabilities,
                                                size_t strategy, size_t format,
                                                size_t operation)
{
    return &capabilities
                ->of[(strategy * mb_format_count + format) * MB_N_OPERATIONS + operation];
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

enum mb_status mb_list_facts_gather(struct mb_list_facts *facts, enum mb_list_what what,
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

void mb_list_facts_finish(struct mb_list_facts *facts)
{
    for (size_t i = 0; facts->capabilities != NULL && i < facts->n_devices; i++) {
        mb_capabilities_finish(&facts->capabilities[i]);
    }
    mb_free(facts->capabilities);
    mb_free(facts->devices);
}
