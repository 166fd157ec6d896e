/* Strategy specs into rows. A spec is "all" or "all:*", or a name followed by ':'-separated
 * settings: "key=value" fixes a parameter, "*" sweeps every parameter that is not fixed. */
#include "bench/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "bench/test_image.h"
#include "strategy/needs.h"

#define MAX_NAMES 256 /* candidates offered to "did you mean" */

/* What one spec says. */
struct selection {
    struct mb_variant row; /* in a sweep, each combination in turn */
    uint32_t fixed;        /* bit i: parameter i was given */
    bool sweep;
};

struct row_list {
    struct mb_variant *rows;
    size_t n_rows;
};

/* Find the index of `word` among the names; if it is none of them, fail with the message
 * `unknown`. */
static enum mb_status find_name(const char *const *names, size_t n_names, const char *word,
                                struct mb_text unknown, size_t *index, struct mb_err *err)
{
    for (*index = 0; *index < n_names; ++*index) {
        if (strcmp(names[*index], word) == 0) {
            return MB_OK;
        }
    }
    MB_FAIL(err, MB_ERRC_USAGE, "%s", unknown.s);
    return mb_err_hint_nearest(err, word, names, n_names, NULL);
}

/* Find a strategy by its name; `word` is not "all". */
static enum mb_status find_strategy(const struct mb_strategy *const *table, const char *word,
                                    const struct mb_strategy **strategy, struct mb_err *err)
{
    const char *names[MAX_NAMES];
    size_t n_names = 0, index;
    for (; table[n_names] != NULL && n_names < MAX_NAMES - 1; n_names++) {
        names[n_names] = table[n_names]->name;
    }
    names[n_names++] = "all";
    MB_DO(find_name(names, n_names, word, mb_text("unknown strategy '%.63s'", word), &index,
                    err));
    *strategy = table[index];
    return MB_OK;
}

/* Fix parameter `key` at `value`; `spec` is the whole spec, for messages. */
static enum mb_status fix_param(struct selection *selection, const char *spec, const char *key,
                                const char *value, struct mb_err *err)
{
    const struct mb_strategy *strategy = selection->row.strategy;
    const size_t n_params = mb_strategy_n_params(strategy);
    const char *names[MB_MAX_PARAMS];
    size_t index, choice, n_values = 0;
    for (size_t i = 0; i < n_params; i++) {
        names[i] = strategy->params[i].name;
    }
    const struct mb_text no_key =
        mb_text("strategy '%s': unknown parameter '%.63s'", strategy->name, key);
    MB_DO(find_name(names, n_params, key, no_key, &index, err));
    MB_FAIL_IF(selection->fixed & (1u << index), err, MB_ERRC_USAGE,
               "strategy '%s': '%s' is given twice", spec, key);
    const char *const *values = strategy->params[index].values;
    while (values[n_values] != NULL) {
        n_values++;
    }
    const struct mb_text no_value = mb_text(
        "strategy '%s': parameter '%s' has no value '%.63s'", strategy->name, key, value);
    MB_DO(find_name(values, n_values, value, no_value, &choice, err));
    selection->fixed |= 1u << index;
    selection->row.params.choice[index] = (uint8_t)choice;
    return MB_OK;
}

/* Parse one ':'-separated setting of a spec; `setting` is cut at its '='. */
static enum mb_status parse_setting(const char *spec, char *setting,
                                    struct selection *selection, struct mb_err *err)
{
    if (strcmp(setting, "*") == 0) {
        selection->sweep = true;
        selection->row.by_name = false;
        return MB_OK;
    }
    char *equals = strchr(setting, '=');
    if (equals == NULL || equals == setting || equals[1] == '\0') {
        const enum mb_status status = MB_FAIL(
            err, MB_ERRC_USAGE, "strategy '%s': expected a setting, got '%s'", spec, setting);
        mb_err_hint(err, "write name:key=value, or name:* for every variant");
        return status;
    }
    *equals = '\0';
    return fix_param(selection, spec, setting, equals + 1, err);
}

/* Cut `text` at its first ':'; returns what follows, or NULL. */
static char *cut(char *text)
{
    char *colon = strchr(text, ':');
    if (colon != NULL) {
        *colon++ = '\0';
    }
    return colon;
}

/* Append a row. If it equals one of the first `n_known` rows, only mark that row as by name if
 * the new one is. */
static enum mb_status add_row(struct row_list *list, size_t n_known,
                              const struct mb_variant *row, struct mb_err *err)
{
    for (size_t i = 0; i < n_known; i++) {
        struct mb_variant *old = &list->rows[i];
        if (old->strategy == row->strategy &&
            memcmp(&old->params, &row->params, sizeof row->params) == 0) {
            old->by_name = old->by_name || row->by_name;
            return MB_OK;
        }
    }
    struct mb_variant *rows = mb_grow(list->rows, list->n_rows, sizeof *rows);
    MB_DO(MB_NEED(rows, "strategies"));
    list->rows = rows;
    list->rows[list->n_rows++] = *row;
    return MB_OK;
}

/* Step to the next combination of the parameters that are not fixed, the last one fastest.
 * False when all have been seen. */
static bool next_combination(struct selection *selection)
{
    const struct mb_strategy *strategy = selection->row.strategy;
    for (size_t i = mb_strategy_n_params(strategy); i-- > 0;) {
        if ((selection->fixed & (1u << i)) || strategy->params[i].is_diagnostic) {
            continue;
        }
        uint8_t *choice = &selection->row.params.choice[i];
        (*choice)++;
        if (strategy->params[i].values[*choice] != NULL) {
            return true;
        }
        *choice = 0;
    }
    return false;
}

/* Whether a value that a sweep tries only by itself is combined with another such value. */
static bool is_accompanied(const struct selection *selection)
{
    const struct mb_strategy *strategy = selection->row.strategy;
    const size_t n_params = mb_strategy_n_params(strategy);
    size_t n = 0;
    bool has_alone = false;
    for (size_t i = 0; i < n_params; i++) {
        if (!(selection->fixed & (1u << i)) && selection->row.params.choice[i] != 0) {
            has_alone |= strategy->params[i].is_alone;
            n++;
        }
    }
    return has_alone && n > 1;
}

/* Why the values of a variant contradict each other, or NULL. */
static const char *contradiction_of(const struct mb_variant *row)
{
    return row->strategy->contradiction ? row->strategy->contradiction(&row->params) : NULL;
}

/* Add the rows of one strategy. A sweep may have thousands, which all differ, so each is
 * compared only with rows of earlier specs. If the fixed values contradict each other, the
 * first row is added to report that. */
static enum mb_status add_selection(struct row_list *list, struct selection *selection,
                                    struct mb_err *err)
{
    const size_t n_known = list->n_rows;
    if (!selection->sweep) {
        return add_row(list, n_known, &selection->row, err);
    }
    bool is_empty = true;
    do {
        if (!is_accompanied(selection) && !contradiction_of(&selection->row)) {
            MB_DO(add_row(list, n_known, &selection->row, err));
            is_empty = false;
        }
    } while (next_combination(selection));
    return is_empty ? add_row(list, n_known, &selection->row, err) : MB_OK;
}

static struct selection select_strategy(const struct mb_strategy *strategy, bool sweep,
                                        bool by_name)
{
    return (struct selection){
        .row = {.strategy = strategy, .params.self = strategy->self, .by_name = by_name},
        .sweep = sweep,
    };
}

static enum mb_status add_spec(struct row_list *list, const struct mb_strategy *const *table,
                               const char *spec, struct mb_err *err)
{
    MB_FREED char *words = mb_strdup(spec);
    MB_DO(MB_NEED(words, "strategies"));
    char *rest = cut(words);
    MB_FAIL_IF(words[0] == '\0', err, MB_ERRC_USAGE, "strategy '%s': the name is missing",
               spec);
    if (strcmp(words, "all") == 0) {
        MB_FAIL_IF(rest && strcmp(rest, "*") != 0, err, MB_ERRC_USAGE,
                   "strategy '%s': 'all' takes no parameters", spec);
        for (size_t i = 0; table[i] != NULL; i++) {
            struct selection each = select_strategy(table[i], rest != NULL, false);
            MB_DO(add_selection(list, &each, err));
        }
        return MB_OK;
    }
    const struct mb_strategy *strategy;
    MB_DO(find_strategy(table, words, &strategy, err));
    struct selection selection = select_strategy(strategy, false, true);
    while (rest != NULL) {
        char *setting = rest;
        rest = cut(setting);
        MB_DO(parse_setting(spec, setting, &selection, err));
    }
    return add_selection(list, &selection, err);
}

enum mb_status mb_plan_variants(const struct mb_strategy *const *table,
                                const char *const *specs, size_t n_specs,
                                struct mb_variant **rows, size_t *n_rows, struct mb_err *err)
{
    struct row_list list = {0};
    enum mb_status status = n_specs == 0 ? add_spec(&list, table, "all", err) : MB_OK;
    for (size_t i = 0; i < n_specs && status == MB_OK; i++) {
        status = add_spec(&list, table, specs[i], err);
    }
    *rows = list.rows;
    *n_rows = list.n_rows;
    return status;
}

enum mb_status mb_variant_supports(const struct mb_variant *row, const struct mb_gpu *gpu,
                                   const struct mb_layout *layout, const struct mb_task *task,
                                   struct mb_err *why)
{
    const struct mb_strategy *strategy = row->strategy;
    const char *contradiction = contradiction_of(row);
    MB_FAIL_IF((gpu->info.queue_flags & strategy->queue_flags) != strategy->queue_flags, why,
               MB_ERRC_UNSUPPORTED, "needs graphics commands, which the device's queue lacks");
    MB_FAIL_IF(strategy->image_usage & ~mb_test_image_usage(gpu, layout->format), why,
               MB_ERRC_UNSUPPORTED, "needs an image usage that the device lacks for format %s",
               layout->format->name);
    MB_DO(mb_features_require(&gpu->info.features, strategy->features, why));
    MB_FAIL_IF(contradiction, why, MB_ERRC_UNSUPPORTED, "%s", contradiction);
    if (strategy->supports) {
        MB_DO(strategy->supports(gpu, layout, task, &row->params, why));
    }
    if (strategy->needs) {
        const struct mb_needs needs = strategy->needs(&row->params);
        MB_DO(mb_needs_met(&needs, gpu, layout, task, why));
    }
    return MB_OK;
}
