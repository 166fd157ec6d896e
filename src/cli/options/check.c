/* Checks options against each other and against the verb. */
#include "cli/options/check.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "bench/plan.h"
#include "image/image.h"
#include "strategy.h"

#define MAX_FILES 6
#define MAX_NAMES 32
#define MAX_NOISE_EDGE                                                                         \
    4096u /* larger sizes repeat it, mirrored: no cache or compression notices */

static bool is_given(const struct mb_options *options, size_t row)
{
    return (options->given & UINT64_C(1) << row) != 0;
}

/* Options may come before the verb, or without one: whether each goes with it is known only
 * now. */
static enum mb_status check_verb(const struct mb_options *options, struct mb_err *err)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (is_given(options, i) && !mb_option_goes_with(row, options->verb)) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '%s'", row->name,
                           mb_verb_rows[options->verb].name);
        }
    }
    return MB_OK;
}

static enum mb_status check_list(const struct mb_options *options, struct mb_err *err)
{
    if (options->json != NULL) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--json: 'list' writes to stdout; write 'list --json'");
    }
    return MB_OK;
}

/* The self-test needs a device and nothing else: any option that it would ignore is a mistake.
 */
static enum mb_status check_self_test(const struct mb_options *options, struct mb_err *err)
{
    static const char *const fitting[] = {"self-test", "device", "validate", "l2-bytes",
                                          "seed",      "quiet",  "verbose",  "color"};
    for (size_t i = 0; i < mb_option_count; i++) {
        bool fits = !is_given(options, i);
        for (size_t k = 0; k < MB_COUNTOF(fitting); k++) {
            fits = fits || strcmp(mb_option_rows[i].name, fitting[k]) == 0;
        }
        if (!fits) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '--self-test'",
                           mb_option_rows[i].name);
        }
    }
    if (options->inputs.n > 0) {
        return MB_FAIL(err, MB_ERRC_USAGE, "input '%s' does not go with '--self-test'",
                       options->inputs.items[0]);
    }
    return MB_OK;
}

/* --srgb, --linear and --alpha must suit the reduction and the format `name` (NULL: auto). */
static enum mb_status check_colour(const struct mb_options *options, const char *name,
                                   struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_format *format = name ? mb_format_find(name) : NULL;
    const bool stores_srgb = format != NULL && format->codec == MB_CODEC_SRGB8;
    if (settings->is_srgb && format != NULL && !stores_srgb) {
        enum mb_status status = MB_FAIL(
            err, MB_ERRC_USAGE, "--srgb does not go with format '%s', which is linear", name);
        mb_err_hint(err, "use --format rgba8-srgb, or leave one of the two out");
        return status;
    }
    if (options->is_linear && stores_srgb) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--linear does not go with format '%s'", name);
    }
    if (settings->alpha == MB_ALPHA_PREMULTIPLIED && settings->reduce != MB_REDUCE_AVG) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--alpha premultiplied does not go with --reduce %s: only averages "
                       "have weights",
                       mb_reduce_name(settings->reduce));
    }
    if (settings->alpha == MB_ALPHA_PREMULTIPLIED && format != NULL &&
        !mb_weighs_alpha(MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED, format)) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--alpha premultiplied does not go with format '%s', which has no alpha",
                       name);
    }
    return MB_OK;
}

/* Checks common to `run` and `tune`. */
static enum mb_status check_timed(const struct mb_options *options, struct mb_err *err)
{
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    enum mb_status status;
    for (size_t i = 0; i < options->n_formats; i++) {
        MB_TRY(check_colour(options, options->formats[i], err));
    }
    MB_TRY(mb_plan_variants(mb_strategies, (const char *const *)options->specs.items,
                            options->specs.n, &rows, &n_rows, err));
    mb_free(rows);
    return MB_OK;
fail:
    return status;
}

static enum mb_status check_run(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status;
    if (options->inputs.n == 0) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "no input");
        mb_err_hint(err, "give an image file, a folder, or pattern:noise:1024x1024");
        return status;
    }
    if (options->settings.chains != 0 && !options->settings.verify) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--chain does not go with '--no-verify': only what was verified is "
                       "written");
    }
    if (options->n_formats > 1) {
        status =
            MB_FAIL(err, MB_ERRC_USAGE, "--format: '%s' is one too many", options->formats[1]);
        mb_err_hint(err, "a run has one format; 'mipbench tune' takes several");
        return status;
    }
    return check_timed(options, err);
}

/* What judges one side by the other has no meaning without sides. */
static enum mb_status check_pool(const struct mb_options *options, struct mb_err *err)
{
    static const char *const unfit[] = {"threshold", "fail-on-regression", "markdown"};
    for (size_t i = 0; i < mb_option_count; i++) {
        for (size_t k = 0; is_given(options, i) && k < MB_COUNTOF(unfit); k++) {
            if (strcmp(mb_option_rows[i].name, unfit[k]) == 0) {
                return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '--pool'", unfit[k]);
            }
        }
    }
    if (options->inputs.n == 0) {
        enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "compare: no results");
        mb_err_hint(err, "give results.json of some runs: mipbench compare --pool A.json "
                         "B.json");
        return status;
    }
    return MB_OK;
}

static enum mb_status check_compare(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status;
    if (options->pool) {
        return check_pool(options, err);
    }
    if (options->third_side != NULL) {
        status =
            MB_FAIL(err, MB_ERRC_USAGE, "compare: '%s' is one too many", options->third_side);
        mb_err_hint(err, "runs of one side are joined by commas: A.json,B.json; --pool takes "
                         "any number");
        return status;
    }
    if (options->inputs.n > options->n_base_files) {
        return MB_OK;
    }
    status = MB_FAIL(err, MB_ERRC_USAGE, "compare: %s",
                     options->inputs.n == 0 ? "no results" : "nothing to compare with");
    mb_err_hint(err, "give two results.json: mipbench compare BASE.json NEW.json");
    return status;
}

static bool is_one_bit(unsigned mask)
{
    return (mask & (mask - 1)) == 0;
}

/* `tune` takes one condition, and one input or some sizes. */
static enum mb_status check_tune(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_settings *settings = &options->settings;
    if (!is_one_bit(settings->caches) || !is_one_bit(settings->modes)) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "--%s: 'tune' decides under one condition",
                         is_one_bit(settings->caches) ? "mode" : "cache");
        mb_err_hint(err, "run it once for each");
    } else if (options->inputs.n > 1) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "tune: one input, not '%s' as well",
                         options->inputs.items[1]);
    } else if (options->inputs.n == 0 && settings->n_sizes == 0) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "tune: no sizes");
        mb_err_hint(err, "give --size 1920x1080,4096x4096, --sweep 256:4096 or an input");
    }
    return status;
}

/* Without an input: noise, as wide and as high as the largest of the sizes. */
static enum mb_status imply_input(struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    struct mb_extent most = {1, 1};
    char text[48];
    for (size_t i = 0; i < settings->n_sizes; i++) {
        const struct mb_extent size = settings->size[i];
        most.width = size.width > most.width ? size.width : most.width;
        most.height = size.height > most.height ? size.height : most.height;
    }
    snprintf(text, sizeof text, "pattern:noise:%ux%u",
             most.width < MAX_NOISE_EDGE ? most.width : MAX_NOISE_EDGE,
             most.height < MAX_NOISE_EDGE ? most.height : MAX_NOISE_EDGE);
    return mb_strlist_add(&options->inputs, text, strlen(text), err);
}

/* "NAME:KEY=VALUE" becomes "NAME:KEY=VALUE:*". */
static enum mb_status add_wide(struct mb_strlist *specs, const char *spec, struct mb_err *err)
{
    struct mb_strbuf text = {0};
    enum mb_status status;
    mb_strbuf_printf(&text, "%s:*", spec);
    MB_TRY(mb_strbuf_check(&text, err));
    MB_TRY(mb_strlist_add(specs, mb_strbuf_text(&text), text.n_bytes, err));
fail:
    mb_strbuf_finish(&text);
    return status;
}

/* Make each spec one of every variant; "all", and no spec at all, mean every strategy. */
static enum mb_status widen_specs(struct mb_options *options, struct mb_err *err)
{
    struct mb_strlist wide = {0};
    const struct mb_strlist *specs = &options->specs;
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < specs->n || (i == 0 && specs->n == 0); i++) {
        const bool is_all = specs->n == 0 || strcmp(specs->items[i], "all") == 0;
        if (!is_all) {
            MB_TRY(add_wide(&wide, specs->items[i], err));
        }
        for (size_t k = 0; is_all && mb_strategies[k] != NULL; k++) {
            MB_TRY(add_wide(&wide, mb_strategies[k]->name, err));
        }
    }
    mb_strlist_finish(&options->specs);
    options->specs = wide;
    return MB_OK;
fail:
    mb_strlist_finish(&wide);
    return status;
}

static enum mb_status complete_tune(struct mb_options *options, struct mb_err *err)
{
    enum mb_status status;
    MB_TRY(check_tune(options, err));
    if (options->inputs.n == 0) {
        MB_TRY(imply_input(options, err));
    }
    MB_TRY(widen_specs(options, err));
    MB_TRY(check_timed(options, err));
fail:
    return status;
}

/* The names of all strategies, or of those that can be exported. */
static size_t list_names(const char *names[MAX_NAMES], bool only_for_export)
{
    size_t n = 0;
    for (size_t i = 0; mb_strategies[i] != NULL && n < MAX_NAMES; i++) {
        if (mb_strategies[i]->export != NULL || !only_for_export) {
            names[n++] = mb_strategies[i]->name;
        }
    }
    return n;
}

/* The hint names what can be exported. */
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

static enum mb_status check_exportable(const char *word, struct mb_err *err)
{
    const char *names[MAX_NAMES];
    enum mb_status status;
    const size_t n = list_names(names, false);
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        if (strcmp(mb_strategies[i]->name, word) != 0) {
            continue;
        }
        if (mb_strategies[i]->export != NULL) {
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

static enum mb_status check_export(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status;
    if (options->inputs.n == 0) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "export: no strategy");
        hint_names(err);
        return status;
    }
    if (options->inputs.n > 1) {
        return MB_FAIL(err, MB_ERRC_USAGE, "export: one strategy, not '%s' as well",
                       options->inputs.items[1]);
    }
    MB_TRY(check_exportable(options->inputs.items[0], err));
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

/* The files that will be written, each with the option that asks for it. */
struct files {
    const char *label[MAX_FILES]; /* "--csv", or in the output folder "results.json of --out" */
    struct mb_strlist paths;
};

static enum mb_status add_file(struct files *files, const char *label, const char *path,
                               struct mb_err *err)
{
    if (path == NULL) {
        return MB_OK;
    }
    files->label[files->paths.n] = label;
    return mb_strlist_add(&files->paths, path, strlen(path), err);
}

/* Add a file of the output folder, if one is given; the label begins with the file's name. */
static enum mb_status add_in_folder(struct files *files, const char *dir, const char *label,
                                    struct mb_err *err)
{
    struct mb_strbuf path = {0};
    enum mb_status status = MB_OK;
    if (dir == NULL) {
        return MB_OK; /* a default folder is always new */
    }
    mb_strbuf_printf(&path, "%s/%.*s", dir, (int)strcspn(label, " "), label);
    MB_TRY(mb_strbuf_check(&path, err));
    MB_TRY(add_file(files, label, mb_strbuf_text(&path), err));
fail:
    mb_strbuf_finish(&path);
    return status;
}

static enum mb_status gather(const struct mb_options *options, struct files *files,
                             struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const char *dir = options->out_dir;
    MB_TRY(add_file(files, "--json", options->json, err));
    MB_TRY(add_file(files, "--csv", options->csv, err));
    MB_TRY(add_file(files, "--markdown", options->markdown, err));
    MB_TRY(add_in_folder(files, dir, "results.json of --out", err));
    if (options->wants_report) {
        MB_TRY(add_in_folder(files, dir, "report.html of --out", err));
    }
    if (options->verb == MB_VERB_TUNE) {
        MB_TRY(add_in_folder(files, dir, "tune.json of --out", err));
        MB_TRY(add_in_folder(files, dir, "mipbench_tuned.h of --out", err));
    }
fail:
    return status;
}

/* Fail if `path` is the same file as one of the first `n`, or if both are "-". */
static enum mb_status check_other(const struct files *files, size_t n, const char *label,
                                  const char *path, struct mb_err *err)
{
    const bool is_stdout = strcmp(path, "-") == 0;
    for (size_t i = 0; i < n; i++) {
        const char *other = files->paths.items[i];
        if (is_stdout && strcmp(other, "-") == 0) {
            return MB_FAIL(err, MB_ERRC_USAGE, "%s and %s both go to '-'", files->label[i],
                           label);
        }
        if (!is_stdout && strcmp(other, "-") != 0 && mb_file_is_same(other, path)) {
            return MB_FAIL(err, MB_ERRC_USAGE, "%s and %s name the same file, '%s'",
                           files->label[i], label, path);
        }
    }
    return MB_OK;
}

/* An input must not be overwritten. */
static enum mb_status check_input(const struct files *files, const char *label,
                                  const char *path, struct mb_err *err)
{
    const bool is_file = path != NULL && strcmp(path, "-") != 0;
    return is_file ? check_other(files, files->paths.n, label, path, err) : MB_OK;
}

static enum mb_status check_outputs(const struct mb_options *options, struct mb_err *err)
{
    struct files files = {.paths = {0}};
    enum mb_status status;
    MB_TRY(gather(options, &files, err));
    for (size_t i = 0; i < files.paths.n; i++) {
        MB_TRY(check_other(&files, i, files.label[i], files.paths.items[i], err));
    }
    MB_TRY(check_input(&files, "--replay", options->replay.recorded.path, err));
    for (size_t i = 0; i < options->inputs.n; i++) {
        MB_TRY(check_input(&files, "an input", options->inputs.items[i], err));
    }
fail:
    mb_strlist_finish(&files.paths);
    return status;
}

enum mb_status mb_options_check(struct mb_options *options, struct mb_err *err)
{
    enum mb_status status = check_verb(options, err);
    if (status != MB_OK) {
        return status;
    }
    if (options->verb == MB_VERB_RUN) {
        status = options->self_test ? check_self_test(options, err) : check_run(options, err);
    } else if (options->verb == MB_VERB_COMPARE) {
        status = check_compare(options, err);
    } else if (options->verb == MB_VERB_TUNE) {
        status = complete_tune(options, err);
    } else {
        /* They read no files, and cannot write one twice. */
        return options->verb == MB_VERB_LIST ? check_list(options, err)
                                             : check_export(options, err);
    }
    return status == MB_OK ? check_outputs(options, err) : status;
}
