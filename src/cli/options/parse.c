/* Walks a command line: verbs, words and options, in order. */
#include "cli/options/parse.h"

#include <string.h>

#include "base/text.h"
#include "cli/options/check.h"
#include "cli/options/folder.h"
#include "cli/options/replay.h"
#include "cli/options/scan.h"
#include "cli/options/value.h"

static enum mb_status take_option(struct mb_options *options, const struct mb_scan_item *item,
                                  struct mb_err *err)
{
    const struct mb_option_row *row = item->row;
    /* Before the verb any option is accepted; mb_options_check comes back to it. */
    if (options->verb_is_given && !mb_option_goes_with(row, options->verb)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '%s'", row->name,
                       mb_verb_rows[options->verb].name);
    }
    options->given |= UINT64_C(1) << (row - mb_option_rows);
    return mb_option_take(options, row, item->value, err);
}

static enum mb_status add_list_what(struct mb_options *options, const char *word,
                                    struct mb_err *err)
{
    const char *names[8];
    size_t n_names = 0;
    if (options->list_what != MB_LIST_ALL) {
        return MB_FAIL(err, MB_ERRC_USAGE, "list: one thing at a time, not '%s' as well", word);
    }
    for (const struct mb_choice *choice = mb_list_choices; choice->name != NULL; choice++) {
        if (strcmp(word, choice->name) == 0) {
            options->list_what = (enum mb_list_what)choice->value;
            return MB_OK;
        }
        names[n_names++] = choice->name;
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "list: there is no '%s'", word);
    const char *near = mb_nearest_name(word, names, n_names);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '%s'?", near);
    } else {
        mb_err_hint(err, "there is: devices, strategies, formats, patterns");
    }
    return status;
}

static enum mb_status add_help_verb(struct mb_options *options, const char *word,
                                    struct mb_err *err)
{
    const enum mb_verb verb = mb_verb_find(word);
    if (options->help_verb != MB_VERB_HELP) {
        return MB_FAIL(err, MB_ERRC_USAGE, "help: one command at a time, not '%s' as well",
                       word);
    }
    if (verb != MB_N_VERBS) {
        options->help_verb = verb;
        return MB_OK;
    }
    const enum mb_status status =
        MB_FAIL(err, MB_ERRC_USAGE, "help: there is no command '%s'", word);
    const char *near = mb_verb_nearest(word);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '%s'?", near);
    } else {
        mb_err_hint(err, "'mipbench help' lists them");
    }
    return status;
}

/* "A.json,B.json": one side of a comparison. */
static enum mb_status add_side(struct mb_options *options, const char *word, struct mb_err *err)
{
    const bool is_base = options->inputs.n == 0;
    enum mb_status status;
    /* Whether there are sides is known only once all options are read. */
    if (options->inputs.n > options->n_base_files && options->third_side == NULL) {
        options->third_side = word;
    }
    for (const char *item = word;;) {
        const size_t n_bytes = strcspn(item, ",");
        if (n_bytes == 0) {
            return MB_FAIL(err, MB_ERRC_USAGE, "compare: '%s' has an empty name", word);
        }
        MB_TRY(mb_strlist_add(&options->inputs, item, n_bytes, err));
        options->n_base_files += is_base;
        if (item[n_bytes] == '\0') {
            return MB_OK;
        }
        item += n_bytes + 1;
    }
fail:
    return status;
}

static enum mb_status take_word(struct mb_options *options, const struct mb_scan_item *item,
                                struct mb_err *err)
{
    const char *word = item->value;
    const bool may_be_verb = options->inputs.n == 0 && !options->verb_is_given;
    if (may_be_verb && item->kind == MB_SCAN_WORD && mb_verb_find(word) != MB_N_VERBS) {
        options->verb = mb_verb_find(word);
        options->verb_is_given = true;
        return MB_OK;
    }
    if (options->verb == MB_VERB_LIST) {
        return add_list_what(options, word, err);
    }
    if (options->verb == MB_VERB_HELP) {
        return add_help_verb(options, word, err);
    }
    if (options->verb == MB_VERB_COMPARE) {
        return add_side(options, word, err);
    }
    if (word[0] == '\0') {
        return MB_FAIL(err, MB_ERRC_USAGE, "input: the name is empty");
    }
    return mb_strlist_add(&options->inputs, word, strlen(word), err);
}

/* Parse the words, without the checks between options. */
static enum mb_status parse_line(struct mb_options *options, int argc, char *const *argv,
                                 struct mb_err *err)
{
    struct mb_scan scan;
    struct mb_scan_item item;
    enum mb_status status;
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
        .n_formats = 1,
    };
    mb_scan_init(&scan, argc, argv);
    for (;;) {
        MB_TRY(mb_scan_next(&scan, options->verb, &item, err));
        if (item.kind == MB_SCAN_END) {
            return MB_OK;
        }
        const bool is_option = item.kind == MB_SCAN_OPTION;
        MB_TRY(is_option ? take_option(options, &item, err) : take_word(options, &item, err));
        if (is_option &&
            (item.row->kind == MB_OPTION_HELP || item.row->kind == MB_OPTION_VERSION)) {
            return MB_OK;
        }
    }
fail:
    return status;
}

/* Parse the recorded command line, overridden by this one. */
static enum mb_status parse_replay(struct mb_options *options, struct mb_err *err)
{
    struct mb_replay replay = {0};
    enum mb_status status;
    MB_TRY(mb_replay_open(&replay, options->replay_path, options->argc, options->argv, err));
    mb_options_finish(options);
    status = parse_line(options, (int)replay.args.n, replay.args.items, err);
    options->replay = replay;
fail:
    return status;
}

static enum mb_status complete(struct mb_options *options, struct mb_err *err)
{
    enum mb_status status;
    if (options->verb == MB_VERB_RUN && options->replay_path != NULL && !options->self_test) {
        MB_TRY(parse_replay(options, err));
    }
    if ((options->verb == MB_VERB_RUN && !options->self_test) ||
        options->verb == MB_VERB_TUNE) {
        MB_TRY(mb_folders_expand(&options->inputs, err));
    }
    MB_TRY(mb_options_check(options, err));
    options->settings.inputs = (const char *const *)options->inputs.items;
    options->settings.n_inputs = options->inputs.n;
    options->settings.specs = (const char *const *)options->specs.items;
    options->settings.n_specs = options->specs.n;
fail:
    return status;
}

enum mb_status mb_options_parse(struct mb_options *options, int argc, char *const *argv,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    if (argc <= 1) {
        *options = (struct mb_options){.verb = MB_VERB_NOTHING};
        return MB_OK;
    }
    MB_TRY(parse_line(options, argc, argv, err));
    if (options->verb < MB_VERB_HELP) {
        MB_TRY(complete(options, err));
    }
    return MB_OK;
fail:
    mb_options_finish(options);
    return status;
}
