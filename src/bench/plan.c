/* Strategy specs into rows. A spec is "all", or a name followed by ':'-separated settings:
 * "key=value" fixes a parameter, "*" sweeps every parameter that is not fixed. */
#include "bench/plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "strategy/needs.h"

#define MAX_NAMES 256 /* candidates offered to "did you mean" */

/* A piece of a spec: not terminated. */
struct slice {
    const char *text;
    size_t n_bytes;
};

/* What one spec says. */
struct selection {
    const struct mb_strategy *strategy;
    struct mb_params params;
    uint32_t fixed; /* bit i: parameter i was given */
    bool sweep;
};

struct row_list {
    struct mb_variant *rows;
    size_t n_rows, capacity;
};

static bool slice_equals(struct slice slice, const char *text)
{
    return strlen(text) == slice.n_bytes && memcmp(text, slice.text, slice.n_bytes) == 0;
}

/* "LEAD 'slice'" with the nearest of `names`, or all of them, as the hint. */
static enum mb_status fail_unknown(struct mb_err *err, const char *lead, struct slice slice,
                                   const char *const *names, size_t n_names)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(slice.n_bytes < 63 ? slice.n_bytes : 63),
             slice.text);
    MB_FAIL(err, MB_ERRC_USAGE, "%s '%s'", lead, word);
    return mb_err_hint_nearest(err, word, names, n_names, NULL);
}

static enum mb_status find_strategy(const struct mb_strategy *const *table, struct slice name,
                                    const struct mb_strategy **strategy, struct mb_err *err)
{
    const char *names[MAX_NAMES];
    size_t n_names = 0;
    for (size_t i = 0; table[i] != NULL; i++) {
        if (slice_equals(name, table[i]->name)) {
            *strategy = table[i];
            return MB_OK;
        }
        if (n_names < MAX_NAMES - 1) {
            names[n_names++] = table[i]->name;
        }
    }
    names[n_names++] = "all";
    return fail_unknown(err, "unknown strategy", name, names, n_names);
}

static enum mb_status find_param(const struct mb_strategy *strategy, struct slice key,
                                 size_t *index, struct mb_err *err)
{
    const char *names[MB_MAX_PARAMS];
    const size_t n_params = mb_strategy_n_params(strategy);
    for (size_t i = 0; i < n_params; i++) {
        names[i] = strategy->params[i].name;
        if (slice_equals(key, names[i])) {
            *index = i;
            return MB_OK;
        }
    }
    char lead[96];
    snprintf(lead, sizeof lead, "strategy '%s': unknown parameter", strategy->name);
    return fail_unknown(err, lead, key, names, n_params);
}

static enum mb_status find_value(const struct mb_strategy *strategy, size_t index,
                                 struct slice value, uint8_t *choice, struct mb_err *err)
{
    const struct mb_param *param = &strategy->params[index];
    size_t n_values = 0;
    for (; param->values[n_values] != NULL && n_values < UINT8_MAX; n_values++) {
        if (slice_equals(value, param->values[n_values])) {
            *choice = (uint8_t)n_values;
            return MB_OK;
        }
    }
    char lead[128];
    snprintf(lead, sizeof lead, "strategy '%s': parameter '%s' has no value", strategy->name,
             param->name);
    return fail_unknown(err, lead, value, param->values, n_values);
}

/* One ':'-separated setting of a spec. */
static enum mb_status parse_setting(const char *spec, struct slice setting,
                                    struct selection *selection, struct mb_err *err)
{
    if (slice_equals(setting, "*")) {
        selection->sweep = true;
        return MB_OK;
    }
    const char *equals = memchr(setting.text, '=', setting.n_bytes);
    if (equals == NULL || equals == setting.text ||
        equals + 1 == setting.text + setting.n_bytes) {
        enum mb_status bad = MB_FAIL(err, MB_ERRC_USAGE, "strategy '%s': '%.*s' is no setting",
                                     spec, (int)setting.n_bytes, setting.text);
        mb_err_hint(err, "write name:key=value, or name:* for every variant");
        return bad;
    }
    const size_t key_bytes = (size_t)(equals - setting.text);
    const struct slice key = {setting.text, key_bytes};
    const struct slice value = {equals + 1, setting.n_bytes - key_bytes - 1};
    size_t index = 0;
    enum mb_status status;
    MB_TRY(find_param(selection->strategy, key, &index, err));
    if (selection->fixed & (1u << index)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "strategy '%s': '%.*s' is given twice", spec,
                       (int)key.n_bytes, key.text);
    }
    selection->fixed |= 1u << index;
    MB_TRY(
        find_value(selection->strategy, index, value, &selection->params.choice[index], err));
    return MB_OK;
fail:
    return status;
}

/* Everything after the name: ":key=value:*". */
static enum mb_status parse_settings(const char *spec, const char *rest,
                                     struct selection *selection, struct mb_err *err)
{
    enum mb_status status;
    while (*rest == ':') {
        const struct slice setting = {rest + 1, strcspn(rest + 1, ":")};
        MB_TRY(parse_setting(spec, setting, selection, err));
        rest = setting.text + setting.n_bytes;
    }
    return MB_OK;
fail:
    return status;
}

/* Append a row unless it is among the first `n_known` already; asked for by name wins. */
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
    if (list->n_rows == list->capacity) {
        const size_t capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
        struct mb_variant *rows = mb_realloc(list->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            return MB_FAIL(err, MB_ERRC_RUNTIME, "strategies: out of memory");
        }
        list->rows = rows;
        list->capacity = capacity;
    }
    list->rows[list->n_rows++] = *row;
    return MB_OK;
}

/* Step to the next combination of the parameters that are not fixed, the last one fastest.
 * False when all have been seen. */
static bool next_combination(struct selection *selection)
{
    for (size_t i = mb_strategy_n_params(selection->strategy); i-- > 0;) {
        if ((selection->fixed & (1u << i)) || selection->strategy->params[i].is_diagnostic) {
            continue;
        }
        uint8_t *choice = &selection->params.choice[i];
        (*choice)++;
        if (selection->strategy->params[i].values[*choice] != NULL) {
            return true;
        }
        *choice = 0;
    }
    return false;
}

/* Whether a sweep leaves out what is selected now. */
static bool is_left_out(const struct selection *selection)
{
    const struct mb_strategy *strategy = selection->strategy;
    return selection->sweep && strategy->is_contradictory &&
           strategy->is_contradictory(&selection->params);
}

/* A selection's own rows all differ, so that each is held against those before them only: a
 * sweep may have thousands. If its fixed values contradict each other, the first row is there
 * to say so. */
static enum mb_status add_selection(struct row_list *list, struct selection *selection,
                                    struct mb_err *err)
{
    enum mb_status status;
    const size_t n_known = list->n_rows;
    const struct mb_variant first = {
        .strategy = selection->strategy,
        .params = selection->params,
        .by_name = !selection->sweep,
    };
    bool is_empty = true;
    do {
        struct mb_variant row = first;
        row.params = selection->params;
        if (!is_left_out(selection)) {
            MB_TRY(add_row(list, n_known, &row, err));
            is_empty = false;
        }
    } while (selection->sweep && next_combination(selection));
    if (is_empty) {
        MB_TRY(add_row(list, n_known, &first, err));
    }
    return MB_OK;
fail:
    return status;
}

static enum mb_status add_all(struct row_list *list, const struct mb_strategy *const *table,
                              struct mb_err *err)
{
    enum mb_status status;
    for (size_t i = 0; table[i] != NULL; i++) {
        const struct mb_variant row = {.strategy = table[i]};
        MB_TRY(add_row(list, list->n_rows, &row, err));
    }
    return MB_OK;
fail:
    return status;
}

static enum mb_status add_spec(struct row_list *list, const struct mb_strategy *const *table,
                               const char *spec, struct mb_err *err)
{
    const struct slice name = {spec, strcspn(spec, ":")};
    if (strcmp(spec, "all") == 0) {
        return add_all(list, table, err);
    }
    if (name.n_bytes == 0) {
        return MB_FAIL(err, MB_ERRC_USAGE, "strategy '%s': the name is missing", spec);
    }
    if (slice_equals(name, "all")) {
        return MB_FAIL(err, MB_ERRC_USAGE, "strategy '%s': 'all' takes no parameters", spec);
    }
    struct selection selection = {0};
    enum mb_status status;
    MB_TRY(find_strategy(table, name, &selection.strategy, err));
    MB_TRY(parse_settings(spec, spec + name.n_bytes, &selection, err));
    return add_selection(list, &selection, err);
fail:
    return status;
}

enum mb_status mb_plan_variants(const struct mb_strategy *const *table,
                                const char *const *specs, size_t n_specs,
                                struct mb_variant **rows, size_t *n_rows, struct mb_err *err)
{
    struct row_list list = {0};
    enum mb_status status;
    *rows = NULL;
    *n_rows = 0;
    if (n_specs == 0) {
        MB_TRY(add_all(&list, table, err));
    }
    for (size_t i = 0; i < n_specs; i++) {
        MB_TRY(add_spec(&list, table, specs[i], err));
    }
    *rows = list.rows;
    *n_rows = list.n_rows;
    return MB_OK;
fail:
    mb_free(list.rows);
    return status;
}

static bool is_plain_name(const char *name)
{
    return name != NULL && name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

/* The longest label of all choices: every row's must fit, or two of them would be alike. */
static size_t longest_label(const struct mb_strategy *strategy)
{
    size_t n_bytes = strlen(strategy->name);
    for (size_t i = 0; i < mb_strategy_n_params(strategy); i++) {
        const struct mb_param *param = &strategy->params[i];
        size_t longest = 0;
        for (size_t k = 1; param->values[k] != NULL; k++) {
            const size_t value_bytes = strlen(param->values[k]);
            longest = value_bytes > longest ? value_bytes : longest;
        }
        n_bytes += 2 + strlen(param->name) + longest;
    }
    return n_bytes;
}

static void check_params(const struct mb_param *params)
{
    size_t n_params = 0;
    for (; params != NULL && params[n_params].name != NULL; n_params++) {
        const struct mb_param *param = &params[n_params];
        assert(is_plain_name(param->name) && param->help != NULL);
        assert(param->values != NULL && param->values[0] != NULL);
        for (size_t i = 0; param->values[i] != NULL; i++) {
            assert(i < UINT8_MAX && is_plain_name(param->values[i]));
        }
    }
    assert(n_params <= MB_MAX_PARAMS);
}

void mb_strategies_check(const struct mb_strategy *const *table)
{
    for (size_t i = 0; table[i] != NULL; i++) {
        const struct mb_strategy *strategy = table[i];
        assert(is_plain_name(strategy->name) && strcmp(strategy->name, "all") != 0);
        assert(strategy->title != NULL && strategy->source != NULL);
        assert(strategy->queue_flags != 0 && strategy->image_usage != 0);
        assert(strategy->state_bytes > 0);
        assert(strategy->init != NULL && strategy->record != NULL);
        assert(strategy->describe != NULL && strategy->finish != NULL);
        for (size_t j = 0; strategy->features && strategy->features[j] != NULL; j++) {
            assert(mb_features_is_known(strategy->features[j]));
        }
        check_params(strategy->params);
        assert(longest_label(strategy) < MB_LABEL_BYTES);
        for (size_t j = 0; j < i; j++) {
            assert(strcmp(strategy->name, table[j]->name) != 0);
        }
    }
}

enum mb_status mb_variant_supports(const struct mb_variant *row, const struct mb_gpu *gpu,
                                   const struct mb_layout *layout, const struct mb_task *task,
                                   struct mb_err *why)
{
    enum mb_status status = MB_OK;
    const struct mb_strategy *strategy = row->strategy;
    if (task->n_rects > 1 && !strategy->takes_rects) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "it updates a single --rect, not %u at once",
                       task->n_rects);
    }
    MB_TRY(mb_features_require(&gpu->info.features, strategy->features, why));
    if (strategy->supports) {
        MB_TRY(strategy->supports(gpu, layout, task, &row->params, why));
    }
    if (strategy->needs) {
        const struct mb_needs needs = strategy->needs(&row->params);
        MB_TRY(mb_needs_met(&needs, gpu, layout, task, why));
    }
fail:
    return status;
}
