/* What the command line of a tuning is short for. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/option_parse.h"
#include "strategy.h"

#define NOISE_BYTES    48
#define MAX_NOISE_EDGE 4096u /* mirror-tiled beyond: no cache or compression sees that */
#define SWEEP          ":*"
#define OWNED_SPECS    3 /* places in options->owned */
#define OWNED_INPUT    4

static bool is_one_bit(unsigned mask)
{
    return (mask & (mask - 1)) == 0;
}

/* A decision holds under one condition. */
static enum mb_status check_condition(const struct mb_settings *settings, struct mb_err *err)
{
    if (!is_one_bit(settings->caches) || !is_one_bit(settings->modes)) {
        const enum mb_status status =
            MB_FAIL(err, MB_ERRC_USAGE, "--%s: 'tune' decides under one condition",
                    is_one_bit(settings->caches) ? "mode" : "cache");
        mb_err_hint(err, "run it once for each");
        return status;
    }
    return MB_OK;
}

static enum mb_status check_input(const struct mb_settings *settings, struct mb_err *err)
{
    if (settings->n_inputs > 1) {
        return MB_FAIL(err, MB_ERRC_USAGE, "tune: one input, not '%s' as well",
                       settings->inputs[1]);
    }
    if (settings->n_inputs == 0 && settings->n_sizes == 0) {
        const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "tune: no sizes");
        mb_err_hint(err, "give --size 1920x1080,4096x4096, --sweep 256:4096 or an input");
        return status;
    }
    return MB_OK;
}

/* The strings of owned[] live right behind the array of pointers to them. */
static const char **alloc_texts(struct mb_options *options, size_t owned, size_t n,
                                size_t n_bytes, char **text, struct mb_err *err)
{
    const char **list = mb_alloc(1, n * sizeof *list + n_bytes);
    options->owned[owned] = list;
    if (list == NULL) {
        (void)MB_FAIL(err, MB_ERRC_RUNTIME, "command line: out of memory");
        return NULL;
    }
    *text = (char *)(list + n);
    return list;
}

/* Noise of the largest width and height that is asked for. */
static enum mb_status imply_input(struct mb_options *options, struct mb_err *err)
{
    struct mb_settings *settings = &options->settings;
    struct mb_extent most = {1, 1};
    char *text = NULL;
    const char **list = alloc_texts(options, OWNED_INPUT, 1, NOISE_BYTES, &text, err);
    if (list == NULL) {
        return MB_FAILED;
    }
    for (size_t i = 0; i < settings->n_sizes; i++) {
        const struct mb_extent size = settings->size[i];
        most.width = size.width > most.width ? size.width : most.width;
        most.height = size.height > most.height ? size.height : most.height;
    }
    snprintf(text, NOISE_BYTES, "pattern:noise:%ux%u",
             most.width < MAX_NOISE_EDGE ? most.width : MAX_NOISE_EDGE,
             most.height < MAX_NOISE_EDGE ? most.height : MAX_NOISE_EDGE);
    list[0] = text;
    settings->inputs = list;
    settings->n_inputs = 1;
    return MB_OK;
}

/* "NAME:KEY=VALUE" becomes "NAME:KEY=VALUE:*". */
static char *add_spec(const char **list, size_t *n, char *text, const char *spec)
{
    list[(*n)++] = text;
    return text + sprintf(text, "%s" SWEEP, spec) + 1;
}

static enum mb_status widen_specs(struct mb_options *options, struct mb_err *err)
{
    static const char *const all[] = {"all"};
    struct mb_settings *settings = &options->settings;
    const char *const *specs = settings->n_specs > 0 ? settings->specs : all;
    const size_t n_specs = settings->n_specs > 0 ? settings->n_specs : 1;
    size_t n_strategies = 0, n_bytes = 0, n = 0;
    for (; mb_strategies[n_strategies] != NULL; n_strategies++) {
        n_bytes += strlen(mb_strategies[n_strategies]->name) + sizeof SWEEP;
    }
    n_bytes *= n_specs; /* each may be "all" */
    for (size_t i = 0; i < n_specs; i++) {
        n_bytes += strlen(specs[i]) + sizeof SWEEP;
    }
    char *text = NULL;
    const char **list =
        alloc_texts(options, OWNED_SPECS, n_specs * (n_strategies + 1), n_bytes, &text, err);
    if (list == NULL) {
        return MB_FAILED;
    }
    for (size_t i = 0; i < n_specs; i++) {
        if (strcmp(specs[i], "all") != 0) {
            text = add_spec(list, &n, text, specs[i]);
            continue;
        }
        for (size_t k = 0; k < n_strategies; k++) {
            text = add_spec(list, &n, text, mb_strategies[k]->name);
        }
    }
    settings->specs = list;
    settings->n_specs = n;
    return MB_OK;
}

enum mb_status mb_option_complete_tune(struct mb_option_parse *parse, struct mb_err *err)
{
    struct mb_options *options = parse->options;
    enum mb_status status;
    MB_TRY(check_condition(&options->settings, err));
    MB_TRY(check_input(&options->settings, err));
    if (options->settings.n_inputs == 0) {
        MB_TRY(imply_input(options, err));
    }
    MB_TRY(widen_specs(options, err));
fail:
    return status;
}
