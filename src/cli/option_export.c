/* What holds of the command line of an export. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/option_parse.h"
#include "strategy.h"

#define MAX_NAMES 32

/* Strategies that can be exported, or all. */
static size_t list_names(const char *names[MAX_NAMES], bool only_for_export)
{
    size_t n = 0;
    for (size_t i = 0; mb_strategies[i] != NULL && n < MAX_NAMES; i++) {
        if (mb_strategies[i]->takeaway != NULL || !only_for_export) {
            names[n++] = mb_strategies[i]->name;
        }
    }
    return n;
}

/* One line of those that can be exported, as the hint. */
static void hint_names(struct mb_err *err)
{
    const char *names[MAX_NAMES];
    char text[128] = "";
    const size_t n = list_names(names, true);
    for (size_t i = 0; i < n; i++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    mb_err_hint(err, n > 0 ? "there is: %s" : "there is none", text);
}

static enum mb_status check_strategy(const char *word, struct mb_err *err)
{
    const char *names[MAX_NAMES];
    enum mb_status status;
    const size_t n = list_names(names, false);
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        if (strcmp(mb_strategies[i]->name, word) != 0) {
            continue;
        }
        if (mb_strategies[i]->takeaway != NULL) {
            return MB_OK;
        }
        status = MB_FAIL(err, MB_ERRC_USAGE, "export: '%s' is not for export", word);
        hint_names(err);
        return status;
    }
    status = MB_FAIL(err, MB_ERRC_USAGE, "export: there is no strategy '%s'", word);
    const char *near = mb_nearest_name(word, names, n);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '%s'?", near);
    } else {
        hint_names(err);
    }
    return status;
}

enum mb_status mb_option_check_export(const struct mb_option_parse *parse, struct mb_err *err)
{
    enum mb_status status;
    const struct mb_options *options = parse->options;
    const struct mb_settings *settings = &options->settings;
    if (settings->n_inputs == 0) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "export: no strategy");
        hint_names(err);
        return status;
    }
    if (settings->n_inputs > 1) {
        return MB_FAIL(err, MB_ERRC_USAGE, "export: one strategy, not '%s' as well",
                       settings->inputs[1]);
    }
    MB_TRY(check_strategy(settings->inputs[0], err));
    for (size_t i = 0; i < options->n_formats && options->n_formats > 1; i++) {
        if (options->formats[i] == NULL) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--format: 'auto' is every format in an export");
        }
    }
    if (options->out_dir == NULL) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "export: no folder");
        mb_err_hint(err, "give one: -o DIR");
        return status;
    }
    return MB_OK;
fail:
    return status;
}
