/* Which strategy can do what on a device. Images are made for the asking, as a run would make
 * them, since a device may refuse one before any strategy is asked. */
#include "cli/abilities.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/trial.h"

#define N_LAYERS_OF_ARRAY 3u

/* What all answers on one device share. */
struct asker {
    const struct mb_gpu *gpu; /* NULL: could not be opened */
    const struct mb_err *why_closed;
    const struct mb_strategy *const *table;
    struct mb_abilities *abilities;
};

/* Variants of one strategy, the default first. */
struct variants {
    struct mb_row *rows;
    size_t n_rows;
};

const char *mb_deed_name(enum mb_deed deed)
{
    static const char *const names[MB_N_DEEDS] = {
        [MB_DEED_AVG] = "avg",       [MB_DEED_MIN] = "min",
        [MB_DEED_MAX] = "max",       [MB_DEED_PREMULTIPLIED] = "premultiplied",
        [MB_DEED_ARRAY] = "array",   [MB_DEED_CUBE] = "cube",
        [MB_DEED_UPDATE] = "update",
    };
    return names[deed];
}

static struct mb_task task_of(enum mb_deed deed, struct mb_extent base)
{
    struct mb_task task = {.n_rects = 1, .rects = {mb_rect_whole(base)}};
    if (deed == MB_DEED_MIN || deed == MB_DEED_MAX) {
        task.reduce = deed == MB_DEED_MIN ? MB_REDUCE_MIN : MB_REDUCE_MAX;
    } else if (deed == MB_DEED_PREMULTIPLIED) {
        task.alpha = MB_ALPHA_PREMULTIPLIED;
    } else if (deed == MB_DEED_UPDATE) {
        task.is_update = true;
        task.rects[0] =
            (struct mb_rect){base.width / 4, base.height / 4, base.width / 4, base.height / 4};
    }
    return task;
}

static enum mb_status open_image(struct mb_vk_image *image, const struct mb_gpu *gpu,
                                 const struct mb_format *format, enum mb_deed deed,
                                 struct mb_err *why)
{
    const struct mb_extent base = {256, 256};
    const uint32_t n_levels = mb_full_level_count(base);
    struct mb_layout layout;
    uint32_t n_layers = deed == MB_DEED_ARRAY ? N_LAYERS_OF_ARRAY : 1;
    n_layers = deed == MB_DEED_CUBE ? 6 : n_layers;
    mb_layout_init(&layout, format, base, n_layers, n_levels);
    const struct mb_vk_image_options options = {
        .layout = &layout,
        .n_levels = n_levels,
        .is_cube = deed == MB_DEED_CUBE,
        .usage = mb_rig_usage(gpu, format),
        .name = "asked about",
    };
    return mb_vk_image_init(image, gpu, &options, why);
}

/* The number of a note with these words, new or old. */
static enum mb_status take_note(struct mb_abilities *abilities, const char *variant,
                                const char *reason, size_t *index, struct mb_err *err)
{
    for (size_t i = 0; i < abilities->n_notes; i++) {
        if (strcmp(abilities->notes[i].variant, variant) == 0 &&
            strcmp(abilities->notes[i].reason, reason) == 0) {
            *index = i;
            return MB_OK;
        }
    }
    if (abilities->n_notes == abilities->capacity) {
        const size_t capacity = abilities->capacity == 0 ? 8 : 2 * abilities->capacity;
        struct mb_ability_note *notes =
            mb_realloc(abilities->notes, capacity * sizeof *abilities->notes);
        if (notes == NULL) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "list: out of memory");
        }
        abilities->notes = notes;
        abilities->capacity = capacity;
    }
    struct mb_ability_note *note = &abilities->notes[abilities->n_notes];
    snprintf(note->variant, sizeof note->variant, "%s", variant);
    snprintf(note->reason, sizeof note->reason, "%s", reason);
    *index = abilities->n_notes++;
    return MB_OK;
}

/* One strategy, one task, one image: the default parameters, and else any others. */
static enum mb_status ask(const struct asker *asker, const struct mb_rig *rig,
                          const struct mb_task *task, const struct variants *variants,
                          struct mb_ability *ability, struct mb_err *err)
{
    struct mb_err why = {0};
    char label[MB_LABEL_BYTES] = "";
    for (size_t i = 0; i < variants->n_rows; i++) {
        struct mb_err other = {0};
        const struct mb_trial_options options = {
            .rig = rig,
            .row = &variants->rows[i],
            .task = task,
        };
        const bool can = mb_trial_supports(&options, i == 0 ? &why : &other) == MB_OK;
        if (can && i == 0) {
            ability->kind = MB_ABILITY_DEFAULT;
            return MB_OK;
        }
        if (can) {
            mb_row_label(&variants->rows[i], label, sizeof label);
            ability->kind = MB_ABILITY_VARIANT;
            break;
        }
    }
    return take_note(asker->abilities, label, why.text, &ability->note, err);
}

/* All deeds of one strategy with one format. */
static enum mb_status ask_format(const struct asker *asker, const struct variants *variants,
                                 const struct mb_format *format, struct mb_ability *abilities,
                                 struct mb_err *err)
{
    for (int i = 0; i < MB_N_DEEDS; i++) {
        const enum mb_deed deed = (enum mb_deed)i;
        enum mb_status status = MB_OK;
        struct mb_rig rig = {.gpu = asker->gpu};
        struct mb_err why = {0};
        if (deed == MB_DEED_PREMULTIPLIED &&
            !mb_weighs_alpha(MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED, format)) {
            abilities[i].kind = MB_ABILITY_MEANINGLESS;
            continue;
        }
        if (asker->gpu == NULL) {
            status = take_note(asker->abilities, "", asker->why_closed->text,
                               &abilities[i].note, err);
        } else if (open_image(&rig.image, asker->gpu, format, deed, &why) != MB_OK) {
            status = take_note(asker->abilities, "", why.text, &abilities[i].note, err);
        } else {
            const struct mb_task task = task_of(deed, rig.image.layout.base);
            status = ask(asker, &rig, &task, variants, &abilities[i], err);
            mb_vk_image_finish(&rig.image);
        }
        if (status != MB_OK) {
            return status;
        }
    }
    return MB_OK;
}

static enum mb_status ask_strategy(const struct asker *asker, size_t index, struct mb_err *err)
{
    enum mb_status status;
    struct variants variants = {0};
    char spec[64];
    snprintf(spec, sizeof spec, "%s:*", asker->table[index]->name);
    const char *const specs[] = {spec};
    MB_TRY(mb_plan_rows(asker->table, specs, 1, &variants.rows, &variants.n_rows, err));
    for (size_t i = 0; i < mb_format_count; i++) {
        struct mb_ability *abilities =
            asker->abilities->of + (index * mb_format_count + i) * MB_N_DEEDS;
        MB_TRY(ask_format(asker, &variants, &mb_formats[i], abilities, err));
    }
fail:
    mb_free(variants.rows);
    return status;
}

enum mb_status mb_abilities_ask(struct mb_abilities *abilities,
                                const struct mb_strategy *const *table,
                                const struct mb_gpu *gpu, const struct mb_err *why,
                                struct mb_err *err)
{
    const struct asker asker = {
        .gpu = gpu,
        .why_closed = why,
        .table = table,
        .abilities = abilities,
    };
    enum mb_status status = MB_OK;
    size_t n_strategies = 0;
    while (table[n_strategies] != NULL) {
        n_strategies++;
    }
    *abilities = (struct mb_abilities){0};
    abilities->of =
        mb_alloc(n_strategies * mb_format_count * MB_N_DEEDS, sizeof *abilities->of);
    if (abilities->of == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "list: out of memory");
    }
    for (size_t i = 0; i < n_strategies; i++) {
        MB_TRY(ask_strategy(&asker, i, err));
    }
    return MB_OK;
fail:
    mb_abilities_finish(abilities);
    return status;
}

void mb_abilities_finish(struct mb_abilities *abilities)
{
    mb_free(abilities->of);
    mb_free(abilities->notes);
    *abilities = (struct mb_abilities){0};
}

const struct mb_ability *mb_abilities_get(const struct mb_abilities *abilities,
                                          size_t strategy_index, size_t format_index,
                                          enum mb_deed deed)
{
    return &abilities->of[(strategy_index * mb_format_count + format_index) * MB_N_DEEDS +
                          (size_t)deed];
}
