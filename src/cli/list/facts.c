/* Gathers what `mipbench list` shows. Devices are opened only to list strategies or formats,
 * and images are created just as in a run, since a device may refuse one before any strategy is
 * asked. */
#include "cli/list/facts.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/plan.h"
#include "bench/test_image.h"
#include "bench/verify/instance.h"
#include "image/format.h"

#define N_LAYERS_OF_ARRAY 3u

/* What all questions about one device share. */
struct query {
    const struct mb_gpu *gpu; /* NULL: could not be opened */
    const struct mb_err *why_closed;
    const struct mb_strategy *const *table;
    struct mb_capabilities *capabilities;
};

/* Variants of one strategy, the default first. */
struct variants {
    struct mb_variant *rows;
    size_t n_rows;
};

const char *mb_operation_name(enum mb_operation operation)
{
    static const char *const names[MB_N_OPERATIONS] = {
        [MB_OPERATION_AVG] = "avg",       [MB_OPERATION_MIN] = "min",
        [MB_OPERATION_MAX] = "max",       [MB_OPERATION_PREMULTIPLIED] = "premultiplied",
        [MB_OPERATION_ARRAY] = "array",   [MB_OPERATION_CUBE] = "cube",
        [MB_OPERATION_UPDATE] = "update",
    };
    return names[operation];
}

static struct mb_task task_of(enum mb_operation operation, struct mb_extent base)
{
    struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(base)}};
    if (operation == MB_OPERATION_MIN || operation == MB_OPERATION_MAX) {
        task.reduce = operation == MB_OPERATION_MIN ? MB_REDUCE_MIN : MB_REDUCE_MAX;
    } else if (operation == MB_OPERATION_PREMULTIPLIED) {
        task.alpha = MB_ALPHA_PREMULTIPLIED;
    } else if (operation == MB_OPERATION_UPDATE) {
        task.is_update = true;
        task.rects[0] =
            (struct mb_rect){base.width / 4, base.height / 4, base.width / 4, base.height / 4};
    }
    return task;
}

static enum mb_status open_image(struct mb_vk_image *image, const struct mb_gpu *gpu,
                                 const struct mb_format *format, enum mb_operation operation,
                                 struct mb_err *why)
{
    const struct mb_extent base = {256, 256};
    const uint32_t n_levels = mb_full_level_count(base);
    struct mb_layout layout;
    uint32_t n_layers = operation == MB_OPERATION_ARRAY ? N_LAYERS_OF_ARRAY : 1;
    n_layers = operation == MB_OPERATION_CUBE ? 6 : n_layers;
    mb_layout_init(&layout, format, base, n_layers, n_levels);
    const struct mb_vk_image_options options = {
        .layout = &layout,
        .n_levels = n_levels,
        .is_cube = operation == MB_OPERATION_CUBE,
        .usage = mb_test_image_usage(gpu, format),
        .name = "list",
    };
    return mb_vk_image_init(image, gpu, &options, why);
}

/* Find the note with this text, or add it. */
static enum mb_status take_note(struct mb_capabilities *capabilities, const char *variant,
                                const char *reason, size_t *index, struct mb_err *err)
{
    for (size_t i = 0; i < capabilities->n_notes; i++) {
        if (strcmp(capabilities->notes[i].variant, variant) == 0 &&
            strcmp(capabilities->notes[i].reason, reason) == 0) {
            *index = i;
            return MB_OK;
        }
    }
    if (capabilities->n_notes == capabilities->capacity) {
        const size_t capacity = capabilities->capacity == 0 ? 8 : 2 * capabilities->capacity;
        struct mb_capability_note *notes =
            mb_realloc(capabilities->notes, capacity * sizeof *capabilities->notes);
        if (notes == NULL) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "list: out of memory");
        }
        capabilities->notes = notes;
        capabilities->capacity = capacity;
    }
    struct mb_capability_note *note = &capabilities->notes[capabilities->n_notes];
    snprintf(note->variant, sizeof note->variant, "%s", variant);
    snprintf(note->reason, sizeof note->reason, "%s", reason);
    *index = capabilities->n_notes++;
    return MB_OK;
}

/* Ask one strategy about one task on one image: with its default parameters first, then others.
 */
static enum mb_status ask(const struct query *query, const struct mb_vk_image *image,
                          const struct mb_task *task, const struct variants *variants,
                          struct mb_capability *capability, struct mb_err *err)
{
    struct mb_err why = {0};
    char label[MB_LABEL_BYTES] = "";
    for (size_t i = 0; i < variants->n_rows; i++) {
        struct mb_err other = {0};
        const bool can = mb_instance_supports(image, &variants->rows[i], task,
                                              i == 0 ? &why : &other) == MB_OK;
        if (can && i == 0) {
            capability->kind = MB_CAPABILITY_DEFAULT;
            return MB_OK;
        }
        if (can) {
            mb_variant_label(&variants->rows[i], label, sizeof label);
            capability->kind = MB_CAPABILITY_VARIANT;
            break;
        }
    }
    return take_note(query->capabilities, label, why.text, &capability->note, err);
}

/* Ask one strategy about every operation on one format. */
static enum mb_status ask_format(const struct query *query, const struct variants *variants,
                                 const struct mb_format *format,
                                 struct mb_capability *capabilities, struct mb_err *err)
{
    for (int i = 0; i < MB_N_OPERATIONS; i++) {
        const enum mb_operation operation = (enum mb_operation)i;
        enum mb_status status = MB_OK;
        struct mb_vk_image image = {0};
        struct mb_err why = {0};
        if (operation == MB_OPERATION_PREMULTIPLIED &&
            !mb_weighs_alpha(MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED, format)) {
            capabilities[i].kind = MB_CAPABILITY_MEANINGLESS;
            continue;
        }
        if (query->gpu == NULL) {
            status = take_note(query->capabilities, "", query->why_closed->text,
                               &capabilities[i].note, err);
        } else if (open_image(&image, query->gpu, format, operation, &why) != MB_OK) {
            status = take_note(query->capabilities, "", why.text, &capabilities[i].note, err);
        } else {
            const struct mb_task task = task_of(operation, image.layout.base);
            status = ask(query, &image, &task, variants, &capabilities[i], err);
            mb_vk_image_finish(&image);
        }
        if (status != MB_OK) {
            return status;
        }
    }
    return MB_OK;
}

static enum mb_status ask_strategy(const struct query *query, size_t index, struct mb_err *err)
{
    enum mb_status status;
    struct variants variants = {0};
    char spec[64];
    snprintf(spec, sizeof spec, "%s:*", query->table[index]->name);
    const char *const specs[] = {spec};
    MB_TRY(mb_plan_variants(query->table, specs, 1, &variants.rows, &variants.n_rows, err));
    for (size_t i = 0; i < mb_format_count; i++) {
        struct mb_capability *capabilities =
            query->capabilities->of + (index * mb_format_count + i) * MB_N_OPERATIONS;
        MB_TRY(ask_format(query, &variants, &mb_formats[i], capabilities, err));
    }
fail:
    mb_free(variants.rows);
    return status;
}

enum mb_status mb_capabilities_ask(struct mb_capabilities *capabilities,
                                   const struct mb_strategy *const *table,
                                   const struct mb_gpu *gpu, const struct mb_err *why,
                                   struct mb_err *err)
{
    const struct query query = {
        .gpu = gpu,
        .why_closed = why,
        .table = table,
        .capabilities = capabilities,
    };
    enum mb_status status = MB_OK;
    size_t n_strategies = 0;
    while (table[n_strategies] != NULL) {
        n_strategies++;
    }
    *capabilities = (struct mb_capabilities){0};
    capabilities->of =
        mb_alloc(n_strategies * mb_format_count * MB_N_OPERATIONS, sizeof *capabilities->of);
    if (capabilities->of == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "list: out of memory");
    }
    for (size_t i = 0; i < n_strategies; i++) {
        MB_TRY(ask_strategy(&query, i, err));
    }
    return MB_OK;
fail:
    mb_capabilities_finish(capabilities);
    return status;
}

void mb_capabilities_finish(struct mb_capabilities *capabilities)
{
    mb_free(capabilities->of);
    mb_free(capabilities->notes);
    *capabilities = (struct mb_capabilities){0};
}

const struct mb_capability *mb_capabilities_get(const struct mb_capabilities *capabilities,
                                                size_t strategy_index, size_t format_index,
                                                enum mb_operation operation)
{
    return &capabilities
                ->of[(strategy_index * mb_format_count + format_index) * MB_N_OPERATIONS +
                     (size_t)operation];
}

/* Ask every strategy about a full chain of a square power of two, a size that none should
 * refuse. With `gpu` NULL the device could not be opened, for the reason `why`. */
static void ask_strategies(const struct mb_list_facts *facts, const struct mb_gpu *gpu,
                           const struct mb_err *why, struct mb_availability *availability)
{
    struct mb_layout layout;
    const struct mb_extent base = {1024, 1024};
    const struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(base)}};
    mb_layout_init(&layout, mb_format_find("rgba8"), base, 1, mb_full_level_count(base));
    for (size_t i = 0; i < facts->n_strategies; i++) {
        const struct mb_variant defaults = {.strategy = facts->strategies[i]};
        struct mb_err reason = *why;
        availability[i].is_available =
            gpu != NULL &&
            mb_variant_supports(&defaults, gpu, &layout, &task, &reason) == MB_OK;
        if (!availability[i].is_available) {
            snprintf(availability[i].reason, sizeof availability[i].reason, "%s", reason.text);
        }
    }
}

static enum mb_status ask_device(const struct mb_list_facts *facts, size_t index,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    char selector[16];
    struct mb_gpu gpu = {0};
    struct mb_err why = {0};
    snprintf(selector, sizeof selector, "%u", facts->devices[index].index);
    const struct mb_gpu_options gpu_options = {.selector = selector};
    const struct mb_gpu *opened = mb_gpu_init(&gpu, &gpu_options, &why) == MB_OK ? &gpu : NULL;
    if (facts->availability != NULL) {
        ask_strategies(facts, opened, &why, facts->availability + index * facts->n_strategies);
    }
    if (facts->capabilities != NULL) {
        status = mb_capabilities_ask(&facts->capabilities[index], facts->strategies, opened,
                                     &why, err);
    }
    mb_gpu_finish(&gpu);
    return status;
}

static enum mb_status ask_devices(struct mb_list_facts *facts, enum mb_list_what what,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    if (what != MB_LIST_FORMATS) {
        facts->availability =
            mb_alloc(facts->n_devices * facts->n_strategies, sizeof *facts->availability);
    }
    if (what != MB_LIST_STRATEGIES) {
        facts->capabilities = mb_alloc(facts->n_devices, sizeof *facts->capabilities);
    }
    if ((what != MB_LIST_FORMATS && facts->availability == NULL) ||
        (what != MB_LIST_STRATEGIES && facts->capabilities == NULL)) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "list: out of memory");
    }
    for (size_t i = 0; i < facts->n_devices; i++) {
        MB_TRY(ask_device(facts, i, err));
    }
fail:
    return status;
}

/* Keep only the device that --device selects, by the rule of a run. */
static enum mb_status select_device(struct mb_list_facts *facts, const char *selector,
                                    struct mb_err *err)
{
    struct mb_gpu gpu = {0};
    const struct mb_gpu_options options = {.selector = selector};
    enum mb_status status = mb_gpu_init(&gpu, &options, err);
    if (status == MB_OK) {
        facts->devices[0] = gpu.info;
        facts->n_devices = 1;
        mb_gpu_finish(&gpu);
    }
    return status;
}

enum mb_status mb_list_facts_gather(struct mb_list_facts *facts, enum mb_list_what what,
                                    const char *selector, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    facts->strategies = mb_strategies;
    while (facts->strategies[facts->n_strategies] != NULL) {
        facts->n_strategies++;
    }
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
        MB_TRY(select_device(facts, selector, err));
    }
    if (what != MB_LIST_DEVICES) {
        MB_TRY(ask_devices(facts, what, err));
    }
fail:
    return status;
}

void mb_list_facts_finish(struct mb_list_facts *facts)
{
    for (size_t i = 0; facts->capabilities != NULL && i < facts->n_devices; i++) {
        mb_capabilities_finish(&facts->capabilities[i]);
    }
    mb_free(facts->capabilities);
    mb_free(facts->availability);
    mb_free(facts->devices);
}
