/* Walks a command line for the words and options that its verb takes, then checks that the
 * options go together. */
#include "cli/options/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/options/folder.h"
#include "image/image.h"
#include "strategy.h"

#define MAX_OPTIONS    64
#define MAX_NAMES      32
#define MAX_NOISE_EDGE 4096u /* larger images mirror the noise, which no cache notices */

struct walk {
    int argc;
    char *const *argv;
    enum mb_verb verb;  /* argv[1], or "run" if argv[1] is no verb */
    int n_done;         /* words done after argv[0] */
    const char *bundle; /* what is left of "-qvv", or NULL */
    bool is_at_rest;    /* after "--": all that follows is words */
};

/* An option, or if `row` is NULL a word, or if `value` is NULL too the end of the line. */
struct item {
    const struct mb_option_row *row;
    const char *value; /* the word, or the option's value; NULL: it has none */
};

static bool has_verb(int argc, char *const *argv)
{
    return argc > 1 && mb_verb_find(argv[1]) != MB_N_VERBS;
}

static struct walk begin(int argc, char *const *argv)
{
    const bool is_given = has_verb(argc, argv);
    return (struct walk){
        .argc = argc,
        .argv = argv,
        .verb = is_given ? mb_verb_find(argv[1]) : MB_VERB_RUN,
        .n_done = is_given ? 1 : 0,
    };
}

static enum mb_status fail_unknown(const char *option, enum mb_verb verb, struct mb_err *err)
{
    const char *names[MAX_OPTIONS];
    size_t n_names = 0;
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_goes_with(&mb_option_rows[i], verb)) {
            names[n_names++] = mb_option_rows[i].name;
        }
    }
    const char *near = option[1] == '-' ? mb_nearest_name(option + 2, names, n_names) : NULL;
    MB_FAIL(err, MB_ERRC_USAGE, "unknown option '%s'", option);
    return near != NULL
               ? mb_err_hint(err, "did you mean '--%s'?", near)
               : mb_err_hint(err, "'mipbench %s --help' lists them", mb_verb_rows[verb].name);
}

/* Find the option called `option` ("--size" or "-s"), preferably a row that goes with the
 * verb. */
static enum mb_status find_option(const char *option, enum mb_verb verb,
                                  const struct mb_option_row **found, struct mb_err *err)
{
    *found = NULL;
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        const bool is_it = option[1] == '-' ? strcmp(row->name, option + 2) == 0
                                            : row->short_name == option[1];
        if (is_it && (*found == NULL || mb_option_goes_with(row, verb))) {
            *found = row;
        }
    }
    return *found ? MB_OK : fail_unknown(option, verb, err);
}

/* Take the value of the item's option: `value`, or the next word if `value` is NULL. */
static enum mb_status take_value(struct walk *walk, const char *value, struct item *item,
                                 struct mb_err *err)
{
    if (value == NULL && walk->n_done + 1 == walk->argc) {
        MB_SCOPED(mb_strbuf) argument = {0};
        mb_option_add_argument(&argument, item->row);
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s needs a value: %s", item->row->name,
                       mb_strbuf_text(&argument));
    }
    item->value = value != NULL ? value : walk->argv[++walk->n_done];
    return MB_OK;
}

/* Take "--name", "--name=value" or "--name value". */
static enum mb_status take_long(struct walk *walk, const char *word, struct item *item,
                                struct mb_err *err)
{
    const char *equals = strchr(word, '=');
    const struct mb_text option = mb_text("%.*s", (int)strcspn(word, "="), word);
    MB_DO(find_option(option.s, walk->verb, &item->row, err));
    if (mb_option_takes_value(item->row)) {
        return take_value(walk, equals != NULL ? equals + 1 : NULL, item, err);
    }
    MB_FAIL_IF(equals != NULL, err, MB_ERRC_USAGE, "--%s takes no value", item->row->name);
    return MB_OK;
}

/* Take the next option of "-qvv", "-n20" or "-n 20". */
static enum mb_status take_short(struct walk *walk, struct item *item, struct mb_err *err)
{
    const char option[] = {'-', *walk->bundle++, '\0'};
    const char *rest = *walk->bundle != '\0' ? walk->bundle : NULL;
    MB_DO(find_option(option, walk->verb, &item->row, err));
    const bool takes_value = mb_option_takes_value(item->row);
    walk->bundle = takes_value ? NULL : rest;
    return takes_value ? take_value(walk, rest, item, err) : MB_OK;
}

static enum mb_status next_item(struct walk *walk, struct item *item, struct mb_err *err)
{
    *item = (struct item){0};
    if (walk->bundle != NULL) {
        return take_short(walk, item, err);
    }
    if (!walk->is_at_rest && walk->n_done + 1 < walk->argc &&
        strcmp(walk->argv[walk->n_done + 1], "--") == 0) {
        walk->is_at_rest = true;
        walk->n_done++;
    }
    if (walk->n_done + 1 >= walk->argc) {
        return MB_OK;
    }
    const char *word = walk->argv[++walk->n_done];
    if (!walk->is_at_rest && word[0] == '-' && word[1] == '-') {
        return take_long(walk, word, item, err);
    }
    if (!walk->is_at_rest && word[0] == '-' && word[1] != '\0') {
        walk->bundle = word + 1;
        return take_short(walk, item, err);
    }
    item->value = word;
    return MB_OK;
}

/* Hint at the command that a misspelt word may mean; `otherwise` as in
 * mb_err_hint_nearest(). */
static enum mb_status hint_verb(struct mb_err *err, const char *word, const char *otherwise)
{
    const char *names[MB_N_VERBS];
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        names[i] = mb_verb_rows[i].name;
    }
    return mb_err_hint_nearest(err, word, names, MB_N_VERBS, otherwise);
}

static enum mb_status fail_few(const struct mb_verb_row *verb, struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_USAGE, "%s: expected %s", verb->name, verb->words.expected);
}

/* Store what the words in options->inputs mean: a list, a kernel command, a help topic. */
static enum mb_status take_words(struct mb_options *options, struct mb_err *err)
{
    const struct mb_verb_row *verb = &mb_verb_rows[options->verb];
    char *const *words = options->inputs.items;
    const size_t n = options->inputs.n;
    unsigned value = 0;
    if (n > verb->words.max) {
        MB_FAIL(err, MB_ERRC_USAGE, "%s: unexpected word '%s'", verb->name,
                words[verb->words.max]);
        return mb_err_hint(err, "expected %s", verb->words.expected);
    }
    if (n < verb->words.min && options->replay_path == NULL) {
        return fail_few(verb, err);
    }
    if (options->verb == MB_VERB_LIST && n > 0) {
        MB_DO(mb_choice_find(mb_list_choices, "list", words[0], &value, err));
        options->list_what = (enum mb_list_what)value;
    } else if (options->verb == MB_VERB_KERNEL) {
        MB_DO(mb_choice_find(mb_kernel_choices, "kernel", words[0], &value, err));
        options->kernel_what = (enum mb_kernel_what)value;
        return value == MB_KERNEL_NEW ? MB_OK
                                      : mb_strlist_add(&options->kernels, err, "%s", words[1]);
    } else if (options->verb == MB_VERB_HELP && n > 0) {
        options->help_verb = mb_verb_find(words[0]);
        if (options->help_verb == MB_N_VERBS) {
            MB_FAIL(err, MB_ERRC_USAGE, "help: unknown command '%s'", words[0]);
            return hint_verb(err, words[0], NULL);
        }
    }
    return MB_OK;
}

static void set_defaults(struct mb_options *options, int argc, char *const *argv)
{
    *options = (struct mb_options){
        .verb = MB_VERB_RUN,
        .help_verb = MB_VERB_HELP,
        .argc = argc,
        .argv = argv,
        .settings = {.n_warmup = UINT32_MAX,
                     .seed = 1,
                     .verify = true,
                     .roofline = true,
                     .pipeline_facts = true,
                     .max_noise = 0.003,
                     .n_formats = 1,
                     .images = MB_IMAGES_ATLAS},
        .format_reduces = {MB_ALL_REDUCES},
        .threshold = 0.01,
        .kernel_timeout_s = 30.0,
        .plain = true,
        .alpha = true,
        .updates = true,
        .max_pictures_mb = 4,
    };
}

static enum mb_status take_word(struct mb_options *options, const struct walk *walk,
                                const char *word, struct mb_err *err)
{
    MB_FAIL_IF(word[0] == '\0', err, MB_ERRC_USAGE, "%s: a name is empty",
               mb_verb_rows[walk->verb].name);
    MB_FAIL_IF(options->inputs.n == 0 && !walk->is_at_rest &&
                   !has_verb(walk->argc, walk->argv) && mb_verb_find(word) != MB_N_VERBS,
               err, MB_ERRC_USAGE, "'%s' must come before options", word);
    return mb_strlist_add(&options->inputs, err, "%s", word);
}

static enum mb_status check_given(const struct mb_options *options, struct mb_err *err)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        MB_FAIL_IF((options->given >> i & 1) != 0 &&
                       !mb_option_goes_with(&mb_option_rows[i], options->verb),
                   err, MB_ERRC_USAGE, "--%s does not go with '%s'", mb_option_rows[i].name,
                   mb_verb_rows[options->verb].name);
    }
    return MB_OK;
}

/* Parse a line up to its end, or to --help or --version. */
static enum mb_status parse_line(struct mb_options *options, struct mb_err *err)
{
    struct walk walk = begin(options->argc, options->argv);
    struct item item;
    options->verb = walk.verb;
    MB_DO(next_item(&walk, &item, err));
    while (item.row || item.value) {
        if (!item.row) {
            MB_DO(take_word(options, &walk, item.value, err));
        } else if (item.row->turns == 0) {
            MB_DO(mb_option_take(options, item.row, item.value, err));
        } else {
            options->verb = item.row->turns;
        }
        if (item.row && (item.row->turns == MB_VERB_HELP || options->verb == MB_VERB_VERSION)) {
            options->help_verb = has_verb(walk.argc, walk.argv) ? walk.verb : MB_VERB_HELP;
            return MB_OK;
        }
        MB_DO(next_item(&walk, &item, err));
    }
    MB_DO(check_given(options, err));
    return take_words(options, err);
}

static bool is_one_of(const char *name, const char *one, const char *other)
{
    return strcmp(name, one) == 0 || strcmp(name, other) == 0;
}

/* Whether an option of a recorded line is left out: if it is given again, is about output, is
 * --replay (so that new results do not depend on old ones), or is --seed, which join() adds. */
static bool is_dropped(const struct mb_option_row *row, const struct mb_options *given)
{
    const bool is_size = is_one_of(row->name, "size", "sweep");
    const bool is_new =
        is_size ? mb_option_is_given(given, "size") || mb_option_is_given(given, "sweep")
                : mb_option_is_given(given, row->name);
    return is_one_of(row->group, MB_GROUP_OUTPUT, MB_GROUP_GENERAL) || row->turns ||
           is_one_of(row->name, "replay", "seed") ||
           (is_new && !is_one_of(row->name, "kernel", "kernel-include"));
}

/* Append the words of a run's command line if `are_words`, else its options as "--name=value".
 * If `given` is NULL, leave out --replay; else the line is a recorded one, and is_dropped()
 * tells which options to leave out. */
static enum mb_status add_items(struct mb_strlist *args, int argc, char *const *argv,
                                bool are_words, const struct mb_options *given,
                                struct mb_err *err)
{
    struct walk walk = begin(argc, argv);
    struct item item;
    MB_FAIL_IF(walk.verb != MB_VERB_RUN, err, MB_ERRC_USAGE, "--replay repeats a run, not '%s'",
               argv[1]);
    MB_DO(next_item(&walk, &item, err));
    while (item.row || item.value) {
        if (!item.row && are_words) {
            MB_DO(mb_strlist_add(args, err, "%s", item.value));
        } else if (item.row && !are_words &&
                   !(given ? is_dropped(item.row, given) : !strcmp(item.row->name, "replay"))) {
            MB_DO(mb_strlist_add(args, err, "--%s%s%s", item.row->name, item.value ? "=" : "",
                                 item.value ? item.value : ""));
        }
        MB_DO(next_item(&walk, &item, err));
    }
    return MB_OK;
}

/* Fill `args` with the recorded command line, overridden by the one that was parsed. */
static enum mb_status join(const struct mb_options *options, const struct mb_run *recorded,
                           struct mb_strlist *args, struct mb_err *err)
{
    const int n_old = (int)recorded->command.n;
    char *const *old = recorded->command.items;
    struct mb_err why = {0};
    MB_FAIL_IF(n_old == 0, err, MB_ERRC_INPUT, "%s: it does not say how it was run",
               recorded->path);
    MB_DO(mb_strlist_add(args, err, "%s", options->argv[0]));
    MB_DO(mb_strlist_add(args, err, "run"));
    MB_DO(mb_strlist_add(args, err, "--seed=%" PRIu64, recorded->seed));
    const enum mb_status status = add_items(args, n_old, old, false, options, &why);
    MB_FAIL_IF(status != MB_OK, err, why.code == MB_ERRC_USAGE ? MB_ERRC_INPUT : why.code,
               "%s: its command line: %s", recorded->path, why.text);
    MB_DO(add_items(args, options->argc, options->argv, false, NULL, err));
    MB_DO(mb_strlist_add(args, err, "--"));
    return options->inputs.n > 0
               ? add_items(args, options->argc, options->argv, true, NULL, err)
               : add_items(args, n_old, old, true, NULL, err);
}

enum mb_status mb_replay_options(const struct mb_run *recorded, struct mb_strlist *args,
                                 struct mb_err *err)
{
    const struct mb_options none = {0};
    struct mb_err why = {0};
    const enum mb_status status =
        add_items(args, (int)recorded->command.n, recorded->command.items, false, &none, &why);
    if (status != MB_OK && why.code != MB_ERRC_USAGE) {
        *err = why;
        return status;
    }
    return MB_OK;
}

/* Parse the recorded command line, overridden by this one. */
static enum mb_status parse_replay(struct mb_options *options, struct mb_err *err)
{
    MB_SCOPED(mb_run) recorded = {0};
    struct mb_strlist args = {0};
    const char *path = options->replay_path;
    enum mb_status status = mb_run_read(path, &recorded, err);
    status = status == MB_OK ? join(options, &recorded, &args, err) : status;
    if (status == MB_OK) {
        mb_options_finish(options);
        set_defaults(options, (int)args.n, args.items);
        status = parse_line(options, err);
        options->replay_path = path;
    }
    options->replay_args = args;
    return status;
}

/* Check that --srgb and --alpha suit the reduction and each format. */
static enum mb_status check_colours(const struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    for (size_t i = 0; i < settings->n_formats; i++) {
        const char *name = settings->formats[i]; /* NULL: auto */
        const struct mb_format *format = mb_format_find(name ? name : "rgba8");
        MB_FAIL_IF(name && settings->is_srgb && format->codec != MB_CODEC_SRGB8, err,
                   MB_ERRC_USAGE, "--srgb does not go with format '%s'", name);
        MB_FAIL_IF(settings->alpha == MB_ALPHA_PREMULTIPLIED &&
                       !mb_weighs_alpha(settings->reduce, settings->alpha, format),
                   err, MB_ERRC_USAGE,
                   "--alpha premultiplied: expected averages of a format with alpha, got "
                   "'--reduce %s' of '%s'",
                   mb_reduce_names[settings->reduce], format->name);
    }
    return MB_OK;
}

static enum mb_status check_run(const struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    MB_FAIL_IF(settings->chains != 0 && !settings->verify, err, MB_ERRC_USAGE,
               "--chain does not go with '--no-verify': only what was verified is written");
    if (options->n_runs > 1 &&
        (options->json || options->csv || options->markdown || options->wants_report)) {
        MB_FAIL(err, MB_ERRC_USAGE,
                "--json, --csv, --markdown and --report do not go with '--runs'");
        return mb_err_hint(err, "'mipbench compare --pool DIR --json FILE' has all runs, and "
                                "'mipbench report DIR' makes their page");
    }
    return check_colours(options, err);
}

/* Add noise as the input, as wide and as high as the largest of the sizes. */
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

/* Widen each spec to every variant. If there are no specs, take every variant of all
 * strategies. */
static enum mb_status widen_specs(struct mb_options *options, struct mb_err *err)
{
    struct mb_strlist narrow = options->specs;
    enum mb_status status = MB_OK;
    options->specs = (struct mb_strlist){0};
    for (size_t i = 0; i < narrow.n && status == MB_OK; i++) {
        status = mb_strlist_add(&options->specs, err, "%s:*", narrow.items[i]);
    }
    status = narrow.n == 0 ? mb_strlist_add(&options->specs, err, "all:*") : status;
    mb_strlist_finish(&narrow);
    return status;
}

/* Check that there is one condition, and an input or sizes; then complete the inputs and
 * specs. */
static enum mb_status complete_tune(struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    if (!mb_is_power_of_two(settings->caches) || !mb_is_power_of_two(settings->modes)) {
        MB_FAIL(err, MB_ERRC_USAGE, "--%s: 'tune' decides under one condition",
                mb_is_power_of_two(settings->caches) ? "mode" : "cache");
        return mb_err_hint(err, "run it once for each");
    }
    MB_FAIL_IF(options->inputs.n > 1, err, MB_ERRC_USAGE,
               "tune: expected one image, got '%s' as well", options->inputs.items[1]);
    if (options->inputs.n == 0 && settings->n_sizes == 0) {
        return fail_few(&mb_verb_rows[MB_VERB_TUNE], err);
    }
    MB_DO(check_colours(options, err));
    MB_DO(options->inputs.n == 0 ? imply_input(options, err) : MB_OK);
    return widen_specs(options, err);
}

/* Find the strategy to export, and check its options. */
static enum mb_status complete_export(struct mb_options *options, struct mb_err *err)
{
    const char *word = options->inputs.items[0], *names[MAX_NAMES];
    size_t n_names = 0;
    for (size_t i = 0; mb_strategies[i] != NULL && n_names < MAX_NAMES; i++) {
        if (mb_strategies[i]->export != NULL) {
            names[n_names++] = mb_strategies[i]->name;
            if (strcmp(mb_strategies[i]->name, word) == 0) {
                options->exported = mb_strategies[i];
            }
        }
    }
    if (options->exported == NULL) {
        MB_FAIL(err, MB_ERRC_USAGE, "export: '%s' cannot be exported", word);
        return mb_err_hint_nearest(err, word, names, n_names, NULL);
    }
    MB_FAIL_IF(options->out_dir == NULL, err, MB_ERRC_USAGE,
               "export: expected a folder to write into: -o DIR");
    return MB_OK;
}

/* Check that no output is written twice or over an input. A default output folder is new and
 * needs no check. */
static enum mb_status check_files(const struct mb_options *options, struct mb_err *err)
{
    const char *const copies[] = {options->json, options->csv, options->markdown};
    MB_SCOPED(mb_strlist) files = {0}; /* files that are read, then files that are written */
    for (size_t i = 0; i < options->inputs.n; i++) {
        MB_DO(mb_strlist_add(&files, err, "%s", options->inputs.items[i]));
    }
    if (options->replay_path) {
        MB_DO(mb_strlist_add(&files, err, "%s", options->replay_path));
    }
    const size_t n_read = files.n;
    for (size_t i = 0; i < MB_COUNTOF(copies); i++) {
        MB_DO(copies[i] ? mb_strlist_add(&files, err, "%s", copies[i]) : MB_OK);
    }
    for (size_t i = 0; options->out_dir && i < MB_N_FOLDER_FILES; i++) {
        MB_DO(mb_strlist_add(&files, err, "%s/%s", options->out_dir, mb_folder_files[i]));
    }
    for (size_t i = n_read; i < files.n; i++) {
        for (size_t k = 0; k < i; k++) {
            MB_FAIL_IF(mb_os_is_same_file(files.items[k], files.items[i]), err, MB_ERRC_USAGE,
                       "%s, '%s'",
                       k < n_read ? "an output and an input are the same file"
                                  : "two outputs go to the same file",
                       files.items[k < n_read ? k : i]);
        }
    }
    return MB_OK;
}

/* Check the options together, and replace the inputs by what they stand for. */
static enum mb_status complete(struct mb_options *options, struct mb_err *err)
{
    if (options->replay_path != NULL) {
        MB_DO(parse_replay(options, err));
    }
    switch (options->verb) {
    case MB_VERB_RUN:
    case MB_VERB_TUNE:
        MB_DO(mb_images_expand(&options->inputs, err));
        MB_DO(options->verb == MB_VERB_RUN ? check_run(options, err)
                                           : complete_tune(options, err));
        break;
    case MB_VERB_COMPARE:
        MB_DO(mb_sides_to_results(&options->inputs, &options->n_base_files, err));
        break;
    case MB_VERB_POOL:
    case MB_VERB_REPORT:
        MB_DO(mb_folders_to_results(&options->inputs, err));
        break;
    case MB_VERB_EXPORT:
        MB_DO(complete_export(options, err));
        break;
    default:
        break;
    }
    /* The page of a report may go beside its results. */
    MB_DO(options->verb == MB_VERB_REPORT ? MB_OK : check_files(options, err));
    MB_DO(mb_kernel_table_init(&options->table, mb_strategies, &options->kernels,
                               &options->kernel_includes, err));
    options->settings.table = options->table.strategies;
    options->settings.inputs = (const char *const *)options->inputs.items;
    options->settings.n_inputs = options->inputs.n;
    options->settings.specs = (const char *const *)options->specs.items;
    options->settings.n_specs = options->specs.n;
    return MB_OK;
}

enum mb_status mb_options_parse(struct mb_options *options, int argc, char *const *argv,
                                struct mb_err *err)
{
    set_defaults(options, argc, argv);
    MB_DO(parse_line(options, err));
    const bool is_told = options->verb == MB_VERB_HELP || options->verb == MB_VERB_VERSION;
    return is_told ? MB_OK : complete(options, err);
}

void mb_options_hint_input(const struct mb_options *options, struct mb_err *err)
{
    for (size_t i = 0; i < options->inputs.n; i++) {
        const char *input = options->inputs.items[i], *suffix = strrchr(input, '.');
        if (strncmp(err->text, input, strlen(input)) != 0) {
            continue;
        }
        if (suffix && strcmp(suffix, ".json") == 0) {
            mb_err_hint(err, "if these are results: mipbench report %.80s", input);
        } else if (i == 0 && !has_verb(options->argc, options->argv) && err->hint[0] == '\0') {
            hint_verb(err, input, "");
        }
    }
}
