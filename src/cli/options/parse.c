/* Walks a command line: verbs, words and options, in order. */
#include "cli/options/parse.h"

#include <string.h>

#include "cli/options/check.h"
#include "cli/options/folder.h"
#include "cli/options/replay.h"
#include "cli/options/scan.h"
#include "cli/options/value.h"

static enum mb_status fail_misfit(const struct mb_option_row *row, enum mb_verb verb,
                                  struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '%s'", row->name,
                   mb_verb_rows[verb].name);
}

static enum mb_status take_option(struct mb_options *options, const struct mb_scan_item *item,
                                  struct mb_err *err)
{
    const struct mb_option_row *row = item->row;
    /* Before the verb any option is accepted; settle_verb comes back to it. */
    if (options->verb_is_given && !mb_option_goes_with(row, options->verb)) {
        return fail_misfit(row, options->verb, err);
    }
    options->given |= mb_option_bit(row);
    return mb_option_take(options, row, item->value, err);
}

/* The options that make a verb another one are all read: do the others go with it? */
static enum mb_status settle_verb(struct mb_options *options, struct mb_err *err)
{
    if (options->verb == MB_VERB_RUN && options->self_test) {
        options->verb = MB_VERB_SELF_TEST;
    } else if (options->verb == MB_VERB_COMPARE && options->pool) {
        options->verb = MB_VERB_POOL;
    }
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if ((options->given & mb_option_bit(row)) != 0 &&
            !mb_option_goes_with(row, options->verb)) {
            return fail_misfit(row, options->verb, err);
        }
    }
    return MB_OK;
}

static enum mb_status add_list_what(struct mb_options *options, const char *word,
                                    struct mb_err *err)
{
    const char *names[8];
    size_t n_names = 0;
    MB_FAIL_IF(options->list_what != MB_LIST_ALL, err, MB_ERRC_USAGE,
               "list: one thing at a time, not '%s' as well", word);
    for (const struct mb_choice *choice = mb_list_choices; choice->name != NULL; choice++) {
        if (strcmp(word, choice->name) == 0) {
            options->list_what = (enum mb_list_what)choice->value;
            return MB_OK;
        }
        names[n_names++] = choice->name;
    }
    MB_FAIL(err, MB_ERRC_USAGE, "list: there is no '%s'", word);
    return mb_err_hint_nearest(err, word, names, n_names, NULL);
}

static enum mb_status add_help_verb(struct mb_options *options, const char *word,
                                    struct mb_err *err)
{
    const char *names[MB_N_VERBS];
    MB_FAIL_IF(options->help_verb != MB_VERB_HELP, err, MB_ERRC_USAGE,
               "help: one command at a time, not '%s' as well", word);
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        names[i] = mb_verb_rows[i].name;
        if (strcmp(word, names[i]) == 0) {
            options->help_verb = (enum mb_verb)i;
            return MB_OK;
        }
    }
    MB_FAIL(err, MB_ERRC_USAGE, "help: there is no command '%s'", word);
    return mb_err_hint_nearest(err, word, names, MB_N_VERBS, "'mipbench help' lists them");
}

/* "A.json,B.json": one side of a comparison. */
static enum mb_status add_side(struct mb_options *options, const char *word, struct mb_err *err)
{
    const size_t n_before = options->inputs.n;
    /* Whether there are sides is known only once all options are read. */
    if (n_before > options->n_base_files && options->third_side == NULL) {
        options->third_side = word;
    }
    MB_DO(mb_strlist_split(&options->inputs, word, err));
    for (size_t i = n_before; i < options->inputs.n; i++) {
        MB_FAIL_IF(options->inputs.items[i][0] == '\0', err, MB_ERRC_USAGE,
                   "compare: '%s' has an empty name", word);
    }
    options->n_base_files = n_before == 0 ? options->inputs.n : options->n_base_files;
    return MB_OK;
}

static enum mb_status take_word(struct mb_options *options, const char *word,
                                struct mb_err *err)
{
    switch (options->verb) {
    case MB_VERB_LIST:
        return add_list_what(options, word, err);
    case MB_VERB_HELP:
        return add_help_verb(options, word, err);
    case MB_VERB_COMPARE:
        return add_side(options, word, err);
    default:
        return word[0] != '\0' ? mb_strlist_add(&options->inputs, err, "%s", word)
                               : MB_FAIL(err, MB_ERRC_USAGE, "input: the name is empty");
    }
}

/* Parse the words, without the checks between options. */
static enum mb_status parse_line(struct mb_options *options, int argc, char *const *argv,
                                 struct mb_err *err)
{
    struct mb_scan scan = {.argc = argc, .argv = argv};
    struct mb_scan_item item;
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
                     .max_noise = 0.003},
        .threshold = 0.01,
        .kernel_timeout_s = 30.0,
        .plain = true,
        .alpha = true,
        .updates = true,
        .n_formats = 1,
        .max_pictures_mb = 4,
    };
    for (;;) {
        MB_DO(mb_scan_next(&scan, &item, err));
        if (item.kind == MB_SCAN_END) {
            return settle_verb(options, err);
        }
        if (item.kind == MB_SCAN_VERB) {
            options->verb = scan.verb;
            options->verb_is_given = true;
        } else if (item.kind == MB_SCAN_WORD) {
            MB_DO(take_word(options, item.value, err));
        } else {
            MB_DO(take_option(options, &item, err));
            if (item.row->kind == MB_OPTION_HELP || item.row->kind == MB_OPTION_VERSION) {
                return MB_OK;
            }
        }
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
    status = status == MB_OK ? mb_replay_join(options, &recorded, &args, err) : status;
    if (status == MB_OK) {
        mb_options_finish(options);
        status = parse_line(options, (int)args.n, args.items, err);
        options->replay_path = path;
    }
    options->replay_args = args;
    return status;
}

static enum mb_status complete(struct mb_options *options, struct mb_err *err)
{
    if (options->replay_path != NULL) {
        MB_DO(parse_replay(options, err));
    }
    const bool has_images = options->verb == MB_VERB_RUN || options->verb == MB_VERB_TUNE;
    if (has_images) {
        MB_DO(mb_lists_expand(&options->inputs, err));
        MB_DO(mb_folders_expand(&options->inputs, err));
    } else if (options->verb == MB_VERB_COMPARE || options->verb == MB_VERB_POOL ||
               options->verb == MB_VERB_REPORT) {
        MB_DO(mb_folders_to_results(&options->inputs, &options->n_base_files, err));
    }
    MB_DO(options->verb == MB_VERB_KERNEL ? mb_options_check_kernel(options, err) : MB_OK);
    if (options->verb == MB_VERB_KERNEL &&
        mb_options_is_of_manifest(options->inputs.items[0])) {
        MB_DO(mb_strlist_add(&options->kernels, err, "%s", options->inputs.items[1]));
    }
    MB_DO(mb_kernel_table_init(&options->table, mb_strategies, &options->kernels,
                               &options->kernel_includes, err));
    options->settings.table = options->table.strategies;
    MB_DO(mb_options_check(options, err));
    options->settings.inputs = (const char *const *)options->inputs.items;
    options->settings.n_inputs = options->inputs.n;
    options->settings.specs = (const char *const *)options->specs.items;
    options->settings.n_specs = options->specs.n;
    return MB_OK;
}

enum mb_status mb_options_parse(struct mb_options *options, int argc, char *const *argv,
                                struct mb_err *err)
{
    if (argc <= 1) {
        *options = (struct mb_options){.verb = MB_VERB_NOTHING};
        return MB_OK;
    }
    MB_DO(parse_line(options, argc, argv, err));
    if (options->verb != MB_VERB_HELP && options->verb != MB_VERB_VERSION) {
        MB_DO(complete(options, err));
    }
    return MB_OK;
}
