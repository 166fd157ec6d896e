/* The command line into options: words, verbs, and what holds between options. */
#include "cli/options.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "bench/plan.h"
#include "cli/option_parse.h"
#include "cli/option_replay.h"
#include "cli/option_scan.h"

const struct mb_verb_row mb_verb_rows[] = {
    {MB_VERB_RUN, "run", MB_FOR_RUN, "benchmark and verify"},
    {MB_VERB_LIST, "list", MB_FOR_LIST,
     "what there is: devices, strategies, formats, patterns"},
    {MB_VERB_COMPARE, "compare", MB_FOR_COMPARE, "say what differs between runs"},
    {MB_VERB_TUNE, "tune", MB_FOR_TUNE, "find the fastest variant for each size and format"},
    {MB_VERB_EXPORT, "export", MB_FOR_EXPORT, "write a strategy for use in an engine"},
};
const size_t mb_verb_count = MB_COUNTOF(mb_verb_rows);

const char *const mb_list_names[] = {"devices", "strategies", "formats", "patterns"};
const size_t mb_list_name_count = MB_COUNTOF(mb_list_names);

/* Index of the verb in effect; without one it is "run". */
static size_t verb_index(const struct mb_option_parse *parse)
{
    size_t i = MB_COUNTOF(mb_verb_rows) - 1;
    while (i > 0 && mb_verb_rows[i].verb != parse->options->verb) {
        i--;
    }
    return i;
}

static enum mb_status apply_option(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    const size_t verb = verb_index(parse);
    /* Before the verb is known any option may come; check_verb looks again. */
    if (parse->options->verb_is_given && (row->verbs & mb_verb_rows[verb].mask) == 0) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '%s'", row->name,
                       mb_verb_rows[verb].name);
    }
    if (value != NULL && value[0] == '\0') {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s: the value is empty", row->name);
    }
    parse->given |= UINT64_C(1) << (row - mb_option_rows);
    return row->apply(parse, row, value, err);
}

static enum mb_status add_list_what(struct mb_option_parse *parse, const char *word,
                                    struct mb_err *err)
{
    if (parse->has_list_what) {
        return MB_FAIL(err, MB_ERRC_USAGE, "list: one thing at a time, not '%s' as well", word);
    }
    for (size_t i = 0; i < mb_list_name_count; i++) {
        if (strcmp(word, mb_list_names[i]) == 0) {
            parse->options->list_what = (enum mb_list_what)(MB_LIST_ALL + 1 + i);
            parse->has_list_what = true;
            return MB_OK;
        }
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "list: there is no '%s'", word);
    const char *near = mb_nearest_name(word, mb_list_names, mb_list_name_count);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '%s'?", near);
    } else {
        mb_err_hint(err, "there is: devices, strategies, formats, patterns");
    }
    return status;
}

static enum mb_status add_input(struct mb_option_parse *parse, const char *word,
                                struct mb_err *err)
{
    if (word[0] == '\0') {
        return MB_FAIL(err, MB_ERRC_USAGE, "input: the name is empty");
    }
    parse->inputs[parse->n_inputs++] = word;
    return MB_OK;
}

/* "A.json,B.json": one side of a comparison. */
static enum mb_status add_side(struct mb_option_parse *parse, const char *word,
                               struct mb_err *err)
{
    const size_t n_sides = parse->n_sides++;
    if (n_sides == 2) {
        enum mb_status status =
            MB_FAIL(err, MB_ERRC_USAGE, "compare: '%s' is one too many", word);
        mb_err_hint(err, "runs of one side are joined by commas: A.json,B.json");
        return status;
    }
    for (const char *item = word;;) {
        const size_t n_bytes = strcspn(item, ",");
        if (n_bytes == 0) {
            return MB_FAIL(err, MB_ERRC_USAGE, "compare: '%s' has an empty name", word);
        }
        parse->inputs[parse->n_inputs++] = mb_option_keep(parse, item, n_bytes);
        parse->options->n_base_files += n_sides == 0;
        if (item[n_bytes] == '\0') {
            return MB_OK;
        }
        item += n_bytes + 1;
    }
}

/* Called for the first word only. True if it is a verb. */
static bool take_verb(struct mb_option_parse *parse, const char *word)
{
    for (size_t i = 0; i < MB_COUNTOF(mb_verb_rows); i++) {
        if (strcmp(word, mb_verb_rows[i].name) == 0) {
            parse->options->verb = mb_verb_rows[i].verb;
            parse->options->verb_is_given = true;
            return true;
        }
    }
    return false;
}

static enum mb_status add_word(struct mb_option_parse *parse, struct mb_option_scan *scan,
                               const struct mb_option_item *item, struct mb_err *err)
{
    const struct mb_options *options = parse->options;
    if (parse->n_inputs == 0 && !options->verb_is_given && item->kind == MB_ITEM_WORD &&
        take_verb(parse, item->value)) {
        if (options->verb == MB_VERB_LIST) {
            mb_option_scan_json_switch(scan);
        }
        return MB_OK;
    }
    if (options->verb == MB_VERB_LIST) {
        return add_list_what(parse, item->value, err);
    }
    if (options->verb == MB_VERB_COMPARE) {
        return add_side(parse, item->value, err);
    }
    return add_input(parse, item->value, err);
}

/* Options that came before the verb, and those of other verbs where none was written. */
static enum mb_status check_verb(const struct mb_option_parse *parse, struct mb_err *err)
{
    const size_t verb = verb_index(parse);
    for (size_t i = 0; i < mb_option_count; i++) {
        const bool is_given = (parse->given & (UINT64_C(1) << i)) != 0;
        if (is_given && (mb_option_rows[i].verbs & mb_verb_rows[verb].mask) == 0) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '%s'",
                           mb_option_rows[i].name, mb_verb_rows[verb].name);
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

/* The self-test looks at the device alone: what asks for anything else is a mistake. */
static enum mb_status check_self_test(const struct mb_option_parse *parse, struct mb_err *err)
{
    static const char *const fitting[] = {"self-test", "device", "validate", "l2-bytes",
                                          "seed",      "quiet",  "verbose",  "color"};
    for (size_t i = 0; i < mb_option_count; i++) {
        bool fits = (parse->given & (UINT64_C(1) << i)) == 0;
        for (size_t k = 0; k < MB_COUNTOF(fitting); k++) {
            fits = fits || strcmp(mb_option_rows[i].name, fitting[k]) == 0;
        }
        if (!fits) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '--self-test'",
                           mb_option_rows[i].name);
        }
    }
    if (parse->n_inputs > 0) {
        return MB_FAIL(err, MB_ERRC_USAGE, "input '%s' does not go with '--self-test'",
                       parse->inputs[0]);
    }
    return MB_OK;
}

/* What holds for everything that is timed. */
static enum mb_status check_timed(const struct mb_options *options, struct mb_err *err)
{
    struct mb_row *rows = NULL;
    size_t n_rows = 0;
    enum mb_status status;
    for (size_t i = 0; i < options->n_formats; i++) {
        MB_TRY(mb_option_check_colour(options, options->formats[i], err));
    }
    MB_TRY(mb_plan_rows(mb_strategies, options->settings.specs, options->settings.n_specs,
                        &rows, &n_rows, err));
    mb_free(rows);
    return MB_OK;
fail:
    return status;
}

static enum mb_status check_run(const struct mb_option_parse *parse, struct mb_err *err)
{
    const struct mb_options *options = parse->options;
    enum mb_status status;
    if (options->self_test) {
        return check_self_test(parse, err);
    }
    if (options->settings.n_inputs == 0) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "no input");
        mb_err_hint(err, "give an image file, or pattern:noise:1024x1024");
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

static enum mb_status check_compare(const struct mb_option_parse *parse, struct mb_err *err)
{
    enum mb_status status;
    if (parse->n_sides < 2) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "compare: %s",
                         parse->n_sides == 0 ? "no results" : "nothing to compare with");
        mb_err_hint(err, "give two results.json: mipbench compare BASE.json NEW.json");
        return status;
    }
    return MB_OK;
}

/* Options and words in order, until the end or --help or --version. */
static enum mb_status parse_all(struct mb_option_parse *parse, int argc, char *const *argv,
                                struct mb_err *err)
{
    struct mb_option_scan scan;
    struct mb_option_item item;
    enum mb_status status;
    mb_option_scan_init(&scan, argc, argv);
    for (;;) {
        MB_TRY(mb_option_scan_next(&scan, &item, err));
        if (item.kind == MB_ITEM_END) {
            return MB_OK;
        }
        if (item.kind == MB_ITEM_OPTION) {
            MB_TRY(apply_option(parse, item.row, item.value, err));
        } else {
            MB_TRY(add_word(parse, &scan, &item, err));
        }
        if (parse->options->verb == MB_VERB_HELP || parse->options->verb == MB_VERB_VERSION) {
            return MB_OK;
        }
    }
fail:
    return status;
}

/* Room for the most that argv can hold. */
static enum mb_status allocate(struct mb_option_parse *parse, int argc, char *const *argv,
                               struct mb_err *err)
{
    size_t n_items = 1;
    size_t n_bytes = 1;
    for (int i = 0; i < argc; i++) {
        n_items++;
        n_bytes += strlen(argv[i]) + 1;
        for (const char *comma = strchr(argv[i], ','); comma != NULL;
             comma = strchr(comma + 1, ',')) {
            n_items++;
        }
    }
    parse->specs = mb_alloc(n_items, sizeof *parse->specs);
    parse->inputs = mb_alloc(n_items, sizeof *parse->inputs);
    parse->text = mb_alloc(n_bytes, 1);
    parse->options->owned[0] = parse->specs;
    parse->options->owned[1] = parse->inputs;
    parse->options->owned[2] = parse->text;
    if (parse->specs == NULL || parse->inputs == NULL || parse->text == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "command line: out of memory");
    }
    return MB_OK;
}

const char *mb_option_keep(struct mb_option_parse *parse, const char *text, size_t n_bytes)
{
    char *copy = parse->text;
    memcpy(copy, text, n_bytes);
    copy[n_bytes] = '\0';
    parse->text += n_bytes + 1;
    return copy;
}

enum mb_status mb_option_parse_each(const struct mb_option_row *row, const char *value,
                                    struct mb_option_parse *parse,
                                    enum mb_status (*add)(struct mb_option_parse *parse,
                                                          const struct mb_option_row *row,
                                                          const char *item, struct mb_err *err),
                                    struct mb_err *err)
{
    enum mb_status status;
    for (const char *item = value;;) {
        const size_t n_bytes = strcspn(item, ",");
        if (n_bytes == 0) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' has an empty item", row->name,
                           value);
        }
        MB_TRY(add(parse, row, mb_option_keep(parse, item, n_bytes), err));
        if (item[n_bytes] == '\0') {
            return MB_OK;
        }
        item += n_bytes + 1;
    }
fail:
    return status;
}

enum mb_status mb_option_add_spec(struct mb_option_parse *parse,
                                  const struct mb_option_row *row, const char *item,
                                  struct mb_err *err)
{
    parse->specs[parse->n_specs++] = item;
    return MB_OK;
}

/* Everything but what holds between options. */
static enum mb_status parse_line(struct mb_option_parse *parse, int argc, char *const *argv,
                                 struct mb_err *err)
{
    struct mb_options *options = parse->options;
    enum mb_status status;
    *options = (struct mb_options){
        .verb = MB_VERB_RUN,
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
    MB_TRY(allocate(parse, argc, argv, err));
    MB_TRY(parse_all(parse, argc, argv, err));
    options->settings.specs = parse->specs;
    options->settings.n_specs = parse->n_specs;
    options->settings.inputs = parse->inputs;
    options->settings.n_inputs = parse->n_inputs;
    return MB_OK;
fail:
    mb_options_finish(options);
    return status;
}

/* Read the recorded run, and parse its command line with this one on top. */
static enum mb_status parse_replay(struct mb_option_parse *parse, struct mb_err *err)
{
    struct mb_options *options = parse->options;
    struct mb_replay replay = {0};
    enum mb_status status;
    MB_TRY(mb_replay_open(&replay, options->replay_path, options->argc, options->argv, err));
    mb_options_finish(options);
    *parse = (struct mb_option_parse){.options = options};
    MB_TRY(parse_line(parse, replay.argc, replay.argv, err));
    options->replay = replay;
    return MB_OK;
fail:
    mb_replay_finish(&replay);
    return status;
}

static enum mb_status check_options(struct mb_option_parse *parse, struct mb_err *err)
{
    struct mb_options *options = parse->options;
    enum mb_status status = MB_OK;
    if (options->verb == MB_VERB_HELP || options->verb == MB_VERB_VERSION) {
        return MB_OK;
    }
    MB_TRY(check_verb(parse, err));
    if (options->verb == MB_VERB_RUN && options->replay_path != NULL && !options->self_test) {
        MB_TRY(parse_replay(parse, err));
    }
    if (options->verb == MB_VERB_LIST) {
        MB_TRY(check_list(options, err));
    } else if (options->verb == MB_VERB_COMPARE) {
        MB_TRY(check_compare(parse, err));
    } else if (options->verb == MB_VERB_TUNE) {
        MB_TRY(mb_option_complete_tune(parse, err));
        MB_TRY(check_timed(options, err));
    } else if (options->verb == MB_VERB_EXPORT) {
        MB_TRY(mb_option_check_export(parse, err));
    } else {
        MB_TRY(check_run(parse, err));
    }
    MB_TRY(mb_option_check_outputs(options, err));
fail:
    return status;
}

enum mb_status mb_options_parse(struct mb_options *options, int argc, char *const *argv,
                                struct mb_err *err)
{
    enum mb_status status;
    struct mb_option_parse parse = {.options = options};
    if (argc <= 1) {
        *options = (struct mb_options){.verb = MB_VERB_NOTHING};
        return MB_OK;
    }
    MB_TRY(parse_line(&parse, argc, argv, err));
    MB_TRY(check_options(&parse, err));
    return MB_OK;
fail:
    mb_options_finish(options);
    return status;
}

void mb_options_finish(struct mb_options *options)
{
    for (size_t i = 0; i < MB_COUNTOF(options->owned); i++) {
        mb_free(options->owned[i]);
    }
    mb_replay_finish(&options->replay);
    *options = (struct mb_options){0};
}

const char *mb_options_nearest_verb(const struct mb_options *options, const char *input)
{
    const struct mb_settings *settings = &options->settings;
    if (options->verb != MB_VERB_RUN || options->verb_is_given || settings->n_inputs == 0 ||
        settings->inputs[0] != input) {
        return NULL;
    }
    const char *names[MB_COUNTOF(mb_verb_rows)];
    for (size_t i = 0; i < MB_COUNTOF(mb_verb_rows); i++) {
        names[i] = mb_verb_rows[i].name;
    }
    return mb_nearest_name(input, names, MB_COUNTOF(mb_verb_rows));
}
