/* Checks options against each other and against the verb. */
#include "cli/options/check.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "bench/plan.h"
#include "image/image.h"
#include "strategy.h"

#define MAX_NAMES      32
#define MAX_NOISE_EDGE 4096u /* larger sizes repeat it, mirrored: no cache notices */

/* --srgb, --linear and --alpha must suit the reduction and the format `name` (NULL: auto). */
static enum mb_status check_colour(const struct mb_options *options, const char *name,
                                   struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_format *format = name ? mb_format_find(name) : NULL;
    const bool stores_srgb = format != NULL && format->codec == MB_CODEC_SRGB8;
    if (settings->is_srgb && format != NULL && !stores_srgb) {
        MB_FAIL(err, MB_ERRC_USAGE, "--srgb does not go with format '%s', which is linear",
                name);
        return mb_err_hint(err, "use --format rgba8-srgb, or leave one of the two out");
    }
    MB_FAIL_IF(options->is_linear && stores_srgb, err, MB_ERRC_USAGE,
               "--linear does not go with format '%s'", name);
    MB_FAIL_IF(settings->alpha == MB_ALPHA_PREMULTIPLIED && settings->reduce != MB_REDUCE_AVG,
               err, MB_ERRC_USAGE,
               "--alpha premultiplied does not go with --reduce %s: only averages "
               "have weights",
               mb_reduce_names[settings->reduce]);
    MB_FAIL_IF(settings->alpha == MB_ALPHA_PREMULTIPLIED && format != NULL &&
                   !mb_weighs_alpha(MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED, format),
               err, MB_ERRC_USAGE,
               "--alpha premultiplied does not go with format '%s', which has no alpha", name);
    return MB_OK;
}

/* Checks common to `run` and `tune`. */
static enum mb_status check_timed(const struct mb_options *options, struct mb_err *err)
{
    MB_FREED struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    for (size_t i = 0; i < options->n_formats; i++) {
        MB_DO(check_colour(options, options->formats[i], err));
    }
    MB_DO(mb_plan_variants(options->settings.table, (const char *const *)options->specs.items,
                           options->specs.n, &rows, &n_rows, err));
    return MB_OK;
}

/* A copy is of one run. */
static enum mb_status check_copies(const struct mb_options *options, struct mb_err *err)
{
    const char *copy = options->json           ? "json"
                       : options->csv          ? "csv"
                       : options->markdown     ? "markdown"
                       : options->wants_report ? "report"
                                               : NULL;
    if (options->n_runs > 1 && copy != NULL) {
        MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '--runs': each run has its own",
                copy);
        return mb_err_hint(err, "'mipbench compare --pool DIR --json FILE' has all of them");
    }
    return MB_OK;
}

static enum mb_status check_run(const struct mb_options *options, struct mb_err *err)
{
    if (options->inputs.n == 0) {
        MB_FAIL(err, MB_ERRC_USAGE, "no input");
        return mb_err_hint(err, "give an image file, a folder, or pattern:noise:1024x1024");
    }
    MB_FAIL_IF(options->settings.chains != 0 && !options->settings.verify, err, MB_ERRC_USAGE,
               "--chain does not go with '--no-verify': only what was verified is "
               "written");
    MB_DO(check_copies(options, err));
    if (options->n_formats > 1) {
        MB_FAIL(err, MB_ERRC_USAGE, "--format: more than one format, '%s'",
                options->formats[1]);
        return mb_err_hint(err, "a run has one format; 'mipbench tune' takes several");
    }
    return check_timed(options, err);
}

/* And of `inspect`: --json has no value. */
static enum mb_status check_list(const struct mb_options *options, struct mb_err *err)
{
    if (options->json != NULL && strcmp(options->json, "-") != 0) {
        const char *verb = mb_verb_rows[options->verb].name;
        MB_FAIL(err, MB_ERRC_USAGE, "--json: '%s' writes to stdout only, not to '%s'", verb,
                options->json);
        return mb_err_hint(err, "write '%s --json'", verb);
    }
    return MB_OK;
}

static enum mb_status check_inspect(const struct mb_options *options, struct mb_err *err)
{
    if (options->inputs.n > 0) {
        MB_FAIL(err, MB_ERRC_USAGE, "inspect: it takes no input, such as '%s'",
                options->inputs.items[0]);
        return mb_err_hint(err, "sizes and formats are all that matters: --size, --format");
    }
    MB_DO(check_list(options, err));
    return check_timed(options, err);
}

bool mb_options_is_of_manifest(const char *what)
{
    return strcmp(what, "check") == 0 || strcmp(what, "compile") == 0;
}

enum mb_status mb_options_check_kernel(const struct mb_options *options, struct mb_err *err)
{
    static const char *const words[] = {"check", "compile", "new"};
    const struct mb_strlist *inputs = &options->inputs;
    const char *what = inputs->n > 0 ? inputs->items[0] : "";
    bool is_known = false;
    for (size_t i = 0; i < MB_COUNTOF(words); i++) {
        is_known = is_known || strcmp(what, words[i]) == 0;
    }
    if (!is_known) {
        MB_FAIL(err, MB_ERRC_USAGE,
                inputs->n > 0 ? "kernel: unknown subcommand '%s'"
                              : "kernel: missing subcommand%s",
                what);
        return mb_err_hint_nearest(err, what, words, MB_COUNTOF(words), NULL);
    }
    if (inputs->n == 1) {
        MB_FAIL(err, MB_ERRC_USAGE, "kernel %s: the name is missing", what);
        return mb_options_is_of_manifest(what)
                   ? mb_err_hint(err, "give a manifest: kernel %s my.json", what)
                   : mb_err_hint(err, "give one: kernel new my-kernel");
    }
    MB_FAIL_IF(inputs->n > 2, err, MB_ERRC_USAGE, "kernel %s: '%s' is one word too many", what,
               inputs->items[inputs->n - 1]);
    return MB_OK;
}

static enum mb_status check_self_test(const struct mb_options *options, struct mb_err *err)
{
    return options->inputs.n == 0
               ? MB_OK
               : MB_FAIL(err, MB_ERRC_USAGE, "input '%s' does not go with '--self-test'",
                         options->inputs.items[0]);
}

static enum mb_status check_pool(const struct mb_options *options, struct mb_err *err)
{
    if (options->inputs.n == 0) {
        MB_FAIL(err, MB_ERRC_USAGE, "compare: missing runs");
        return mb_err_hint(err,
                           "name their results.json or folders: mipbench compare --pool A B");
    }
    return MB_OK;
}

static enum mb_status check_compare(const struct mb_options *options, struct mb_err *err)
{
    if (options->third_side != NULL) {
        MB_FAIL(err, MB_ERRC_USAGE, "compare: expected two sides, got a third: '%s'",
                options->third_side);
        return mb_err_hint(err, "runs of one side are joined by commas: A.json,B.json; --pool "
                                "takes any number");
    }
    if (options->inputs.n == options->n_base_files) {
        MB_FAIL(err, MB_ERRC_USAGE, "compare: %s",
                options->inputs.n == 0 ? "missing BASE and NEW" : "missing NEW");
        return mb_err_hint(
            err, "name a results.json or its folder for each: mipbench compare BASE NEW");
    }
    return MB_OK;
}

static enum mb_status check_report(const struct mb_options *options, struct mb_err *err)
{
    if (options->inputs.n == 0) {
        MB_FAIL(err, MB_ERRC_USAGE, "report: no results");
        return mb_err_hint(err,
                           "name the folder of a run, or its results.json: mipbench report "
                           "results/*");
    }
    for (size_t i = 0; i < options->inputs.n; i++) {
        const char *input = options->inputs.items[i];
        if (mb_image_has_suffix(input)) {
            MB_FAIL(err, MB_ERRC_USAGE, "report: %s: expected results, got an image", input);
            return mb_err_hint(err, "measure it, with a page: mipbench %.80s --report", input);
        }
    }
    return MB_OK;
}

static bool is_one_bit(unsigned mask)
{
    return (mask & (mask - 1)) == 0;
}

/* One condition, and one input or some sizes. */
static enum mb_status check_tune(const struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    if (!is_one_bit(settings->caches) || !is_one_bit(settings->modes)) {
        MB_FAIL(err, MB_ERRC_USAGE, "--%s: 'tune' decides under one condition",
                is_one_bit(settings->caches) ? "mode" : "cache");
        return mb_err_hint(err, "run it once for each");
    }
    MB_FAIL_IF(options->inputs.n > 1, err, MB_ERRC_USAGE, "tune: one input, not '%s' as well",
               options->inputs.items[1]);
    if (options->inputs.n == 0 && settings->n_sizes == 0) {
        MB_FAIL(err, MB_ERRC_USAGE, "tune: no sizes");
        return mb_err_hint(err,
                           "give --size 1920x1080,4096x4096, --sweep 256:4096 or an input");
    }
    return MB_OK;
}

/* Without an input: noise, as wide and as high as the largest of the sizes. */
static enum mb_status imply_input(struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    struct mb_extent most = {1, 1};
    for (size_t i = 0; i < settings->n_sizes; i++) {
        const struct mb_extent size = settings->size[i];
        most.width = size.width > most.width ? size.width : most.width;
        most.height = size.height > most.height ? size.height : most.height;
    }
    return mb_strlist_add(&options->inputs, err, "pattern:noise:%ux%u",
                          most.width < MAX_NOISE_EDGE ? most.width : MAX_NOISE_EDGE,
                          most.height < MAX_NOISE_EDGE ? most.height : MAX_NOISE_EDGE);
}

/* Make each spec one of every variant; "all", and no spec at all, mean every strategy. */
static enum mb_status widen_specs(struct mb_options *options, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) wide = {0};
    const struct mb_strlist *specs = &options->specs;
    for (size_t i = 0; i < specs->n || (i == 0 && specs->n == 0); i++) {
        const bool is_all = specs->n == 0 || strcmp(specs->items[i], "all") == 0;
        if (!is_all) {
            MB_DO(mb_strlist_add(&wide, err, "%s:*", specs->items[i]));
        }
        for (size_t k = 0; is_all && options->settings.table[k] != NULL; k++) {
            MB_DO(mb_strlist_add(&wide, err, "%s:*", options->settings.table[k]->name));
        }
    }
    mb_strlist_finish(&options->specs);
    options->specs = wide;
    wide = (struct mb_strlist){0};
    return MB_OK;
}

static enum mb_status complete_tune(struct mb_options *options, struct mb_err *err)
{
    MB_DO(check_tune(options, err));
    MB_DO(options->inputs.n == 0 ? imply_input(options, err) : MB_OK);
    MB_DO(widen_specs(options, err));
    return check_timed(options, err);
}

/* What an export without a right name is told; `is_known`: the strategy is not for export. */
static enum mb_status fail_export(const char *word, bool is_known, struct mb_err *err)
{
    const char *names[MAX_NAMES];
    size_t n_names = 0;
    if (word == NULL) {
        MB_FAIL(err, MB_ERRC_USAGE, "export: no strategy");
    } else if (is_known) {
        MB_FAIL(err, MB_ERRC_USAGE, "export: '%s' is not for export", word);
    } else {
        MB_FAIL(err, MB_ERRC_USAGE, "export: there is no strategy '%s'", word);
    }
    for (size_t i = 0; mb_strategies[i] != NULL && n_names < MAX_NAMES; i++) {
        if (mb_strategies[i]->export != NULL) {
            names[n_names++] = mb_strategies[i]->name;
        }
    }
    return mb_err_hint_nearest(err, word == NULL || is_known ? "" : word, names, n_names, NULL);
}

static enum mb_status check_export(const struct mb_options *options, struct mb_err *err)
{
    const char *word = options->inputs.n > 0 ? options->inputs.items[0] : NULL;
    const struct mb_strategy *const *strategy = mb_strategies;
    MB_FAIL_IF(options->inputs.n > 1, err, MB_ERRC_USAGE,
               "export: one strategy, not '%s' as well", options->inputs.items[1]);
    while (*strategy != NULL && (word == NULL || strcmp((*strategy)->name, word) != 0)) {
        strategy++;
    }
    if (*strategy == NULL || (*strategy)->export == NULL) {
        return fail_export(word, *strategy != NULL, err);
    }
    for (size_t i = 0; i < options->n_formats && options->n_formats > 1; i++) {
        MB_FAIL_IF(options->formats[i] == NULL, err, MB_ERRC_USAGE,
                   "--format: 'auto' is every format in an export");
    }
    if (options->out_dir == NULL) {
        MB_FAIL(err, MB_ERRC_USAGE, "export: no folder");
        return mb_err_hint(err, "give one: -o DIR");
    }
    return MB_OK;
}

/* A file that is written or read. */
struct file {
    const char *label; /* the option that names it, or "results.json of --out" */
    const char *dir;   /* NULL: `name` is its path */
    const char *name;  /* NULL: there is none */
};

static bool is_stdout(const struct file *file)
{
    return file->dir == NULL && strcmp(file->name, "-") == 0;
}

static void get_path(const struct file *file, char path[MB_PATH_BYTES])
{
    snprintf(path, MB_PATH_BYTES, "%s%s%s", file->dir != NULL ? file->dir : "",
             file->dir != NULL ? "/" : "", file->name);
}

/* Fail if two files are the same one, or both "-". */
static enum mb_status check_pair(const struct file *one, const struct file *other,
                                 struct mb_err *err)
{
    char path[MB_PATH_BYTES], other_path[MB_PATH_BYTES];
    if (one->name == NULL || other->name == NULL || is_stdout(one) != is_stdout(other)) {
        return MB_OK;
    }
    MB_FAIL_IF(is_stdout(one), err, MB_ERRC_USAGE, "%s and %s both go to '-'", one->label,
               other->label);
    get_path(one, path);
    get_path(other, other_path);
    return mb_os_is_same_file(path, other_path)
               ? MB_FAIL(err, MB_ERRC_USAGE, "%s and %s name the same file, '%s'", one->label,
                         other->label, other_path)
               : MB_OK;
}

/* No output is written twice, or over an input. In a default folder all is new. */
static enum mb_status check_files(const struct mb_options *options, struct mb_err *err)
{
    const char *dir = options->out_dir;
    const bool is_tune = options->verb == MB_VERB_TUNE;
    const struct file outputs[] = {
        {"--json", NULL, options->json},
        {"--csv", NULL, options->csv},
        {"--markdown", NULL, options->markdown},
        {"results.json of --out", dir, dir ? "results.json" : NULL},
        {"report.html of --out", dir, dir && options->wants_report ? "report.html" : NULL},
        {"tune.json of --out", dir, dir && is_tune ? "tune.json" : NULL},
        {"mipbench_tuned.h of --out", dir, dir && is_tune ? "mipbench_tuned.h" : NULL},
    };
    const struct file replay = {"--replay", NULL, options->replay_path};
    for (size_t i = 0; i < MB_COUNTOF(outputs); i++) {
        for (size_t k = 0; k < i; k++) {
            MB_DO(check_pair(&outputs[k], &outputs[i], err));
        }
        MB_DO(check_pair(&outputs[i], &replay, err));
        for (size_t k = 0; k < options->inputs.n; k++) {
            const struct file input = {"an input", NULL, options->inputs.items[k]};
            MB_DO(is_stdout(&input) ? MB_OK : check_pair(&outputs[i], &input, err));
        }
    }
    return MB_OK;
}

/* "-f NAME:REDUCTION" is for exports only. */
static enum mb_status check_format_reduces(const struct mb_options *options, struct mb_err *err)
{
    unsigned reduces = 0;
    for (size_t i = 0; i < options->n_formats; i++) {
        reduces |= options->format_reduces[i];
    }
    if (reduces != 0 && options->verb != MB_VERB_EXPORT) {
        MB_FAIL(err, MB_ERRC_USAGE, "--format: a reduction with a format is for 'export'");
        return mb_err_hint(err, "write '--reduce max'");
    }
    return MB_OK;
}

enum mb_status mb_options_check(struct mb_options *options, struct mb_err *err)
{
    MB_DO(check_format_reduces(options, err));
    switch (options->verb) {
    case MB_VERB_RUN:
        MB_DO(check_run(options, err));
        break;
    case MB_VERB_COMPARE:
        MB_DO(check_compare(options, err));
        break;
    case MB_VERB_POOL:
        MB_DO(check_pool(options, err));
        break;
    case MB_VERB_REPORT:
        return check_report(options, err);
    case MB_VERB_TUNE:
        MB_DO(complete_tune(options, err));
        break;
    case MB_VERB_SELF_TEST:
        return check_self_test(options, err);
    case MB_VERB_LIST:
        return check_list(options, err);
    case MB_VERB_INSPECT:
        return check_inspect(options, err);
    case MB_VERB_KERNEL:
        return MB_OK; /* before, by mb_options_check_kernel */
    default:
        return check_export(options, err);
    }
    return check_files(options, err);
}
