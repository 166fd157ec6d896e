/* The command line into options: words, verbs, and what holds between options. getopt_long does
 * the splitting; a leading '-' in its option string keeps argv in order. */
#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "bench/plan.h"
#include "cli/option_parse.h"

#define MAX_OPTIONS 64
#define LONG_BASE   256 /* getopt's value of a long option is LONG_BASE plus its row */
#define WORD        1   /* getopt's value of a word that is no option */

/* getopt's own tables, made from ours. */
struct getopt_tables {
    struct option longs[MAX_OPTIONS];
    char shorts[2 + 2 * MAX_OPTIONS + 1];
};

static const char *const verbs[] = {"run", "list"};

static void make_tables(struct getopt_tables *tables)
{
    char *shorts = tables->shorts;
    *shorts++ = '-'; /* words are reported in order */
    *shorts++ = ':'; /* a missing value is told from an unknown option */
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        tables->longs[i] = (struct option){
            .name = row->name,
            .has_arg = row->argument != NULL ? required_argument : no_argument,
            .val = LONG_BASE + (int)i,
        };
        if (row->short_name != 0) {
            *shorts++ = row->short_name;
            if (row->argument != NULL) {
                *shorts++ = ':';
            }
        }
    }
}

/* `mipbench list --json` takes no file. */
static void make_json_a_switch(struct getopt_tables *tables)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (strcmp(mb_option_rows[i].name, "json") == 0) {
            tables->longs[i].has_arg = optional_argument;
        }
    }
}

static const struct mb_option_row *find_row(int value)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (value == LONG_BASE + (int)i ||
            (value != 0 && value == mb_option_rows[i].short_name)) {
            return &mb_option_rows[i];
        }
    }
    return NULL;
}

/* "option '--s' may be --size, --sweep or --seed": more than one name begins with `name`. */
static enum mb_status fail_ambiguous(const char *name, const char *const *names, size_t n_names,
                                     struct mb_err *err)
{
    char list[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < n_names && used < sizeof list; i++) {
        const char *separator = i == 0 ? "" : i + 1 == n_names ? " or " : ", ";
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s--%s", separator, names[i]);
    }
    return MB_FAIL(err, MB_ERRC_USAGE, "option '--%s' may be %s", name, list);
}

/* An unknown or ambiguous long option, as written: "--smaples=3". */
static enum mb_status fail_unknown_long(const char *written, struct mb_err *err)
{
    char name[64];
    const char *names[MAX_OPTIONS];
    const char *matches[MAX_OPTIONS];
    size_t n_matches = 0;
    const char *bare = written + strspn(written, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(bare, "="), bare);
    for (size_t i = 0; i < mb_option_count; i++) {
        names[i] = mb_option_rows[i].name;
        if (strncmp(names[i], name, strlen(name)) == 0) {
            matches[n_matches++] = names[i];
        }
    }
    if (n_matches > 1) {
        return fail_ambiguous(name, matches, n_matches, err);
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "unknown option '--%s'", name);
    const char *near = mb_nearest_name(name, names, mb_option_count);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '--%s'?", near);
    } else {
        mb_err_hint(err, "'mipbench --help' lists them");
    }
    return status;
}

static enum mb_status fail_unknown(char *const *argv, struct mb_err *err)
{
    const struct mb_option_row *row = find_row(optopt);
    if (row != NULL && optopt >= LONG_BASE) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s takes no value", row->name);
    }
    if (optopt == 0) {
        return fail_unknown_long(argv[optind - 1], err);
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "unknown option '-%c'", optopt);
    mb_err_hint(err, "'mipbench --help' lists them");
    return status;
}

static enum mb_status apply_option(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    const bool is_list = parse->options->verb == MB_VERB_LIST;
    if ((row->verbs & (is_list ? MB_FOR_LIST : MB_FOR_RUN)) == 0) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with '%s'", row->name,
                       is_list ? "list" : "run");
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
    static const char *const names[] = {"devices", "strategies", "formats", "patterns"};
    static const enum mb_list_what values[] = {MB_LIST_DEVICES, MB_LIST_STRATEGIES,
                                               MB_LIST_FORMATS, MB_LIST_PATTERNS};
    if (parse->has_list_what) {
        return MB_FAIL(err, MB_ERRC_USAGE, "list: one thing at a time, not '%s' as well", word);
    }
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        if (strcmp(word, names[i]) == 0) {
            parse->options->list_what = values[i];
            parse->has_list_what = true;
            return MB_OK;
        }
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "list: there is no '%s'", word);
    const char *near = mb_nearest_name(word, names, MB_COUNTOF(names));
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

/* Called for the first word only. True if it is a verb. */
static bool take_verb(struct mb_option_parse *parse, const char *word)
{
    for (size_t i = 0; i < MB_COUNTOF(verbs); i++) {
        if (strcmp(word, verbs[i]) == 0) {
            parse->options->verb = i == 0 ? MB_VERB_RUN : MB_VERB_LIST;
            parse->options->verb_is_given = true;
            return true;
        }
    }
    return false;
}

static enum mb_status add_word(struct mb_option_parse *parse, struct getopt_tables *tables,
                               const char *word, struct mb_err *err)
{
    if (parse->n_inputs == 0 && !parse->options->verb_is_given && take_verb(parse, word)) {
        if (parse->options->verb == MB_VERB_LIST) {
            make_json_a_switch(tables);
        }
        return MB_OK;
    }
    if (parse->options->verb == MB_VERB_LIST) {
        return add_list_what(parse, word, err);
    }
    return add_input(parse, word, err);
}

/* Options of "run" that came before the word "list". */
static enum mb_status check_list(const struct mb_option_parse *parse, struct mb_err *err)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        const bool is_given = (parse->given & (UINT64_C(1) << i)) != 0;
        if (is_given && (mb_option_rows[i].verbs & MB_FOR_LIST) == 0) {
            return MB_FAIL(err, MB_ERRC_USAGE, "--%s does not go with 'list'",
                           mb_option_rows[i].name);
        }
    }
    if (parse->options->json != NULL) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--json: 'list' writes to stdout; write 'list --json'");
    }
    return MB_OK;
}

/* Two of --json, --csv and --markdown must not write to the same place. */
static enum mb_status check_outputs(const struct mb_options *options, struct mb_err *err)
{
    const struct {
        const char *name, *path;
    } outputs[] = {
        {"json", options->json},
        {"csv", options->csv},
        {"markdown", options->markdown},
    };
    for (size_t i = 0; i < MB_COUNTOF(outputs); i++) {
        for (size_t j = 0; j < i; j++) {
            if (outputs[i].path != NULL && outputs[j].path != NULL &&
                strcmp(outputs[i].path, outputs[j].path) == 0) {
                return MB_FAIL(err, MB_ERRC_USAGE, "--%s and --%s both go to '%s'",
                               outputs[j].name, outputs[i].name, outputs[i].path);
            }
        }
    }
    return MB_OK;
}

/* What --srgb, --linear and --alpha say must go with the format and the reduction. */
static enum mb_status check_colour(const struct mb_options *options, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_format *format = settings->format ? mb_format_find(settings->format) : NULL;
    const bool stores_srgb = format != NULL && format->codec == MB_CODEC_SRGB8;
    if (settings->is_srgb && format != NULL && !stores_srgb) {
        enum mb_status status =
            MB_FAIL(err, MB_ERRC_USAGE, "--srgb does not go with format '%s', which is linear",
                    settings->format);
        mb_err_hint(err, "use --format rgba8-srgb, or leave one of the two out");
        return status;
    }
    if (options->is_linear && stores_srgb) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--linear does not go with format '%s'",
                       settings->format);
    }
    if (settings->alpha == MB_ALPHA_PREMULTIPLIED && settings->reduce != MB_REDUCE_AVG) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--alpha premultiplied does not go with --reduce %s: only averages "
                       "have weights",
                       mb_reduce_name(settings->reduce));
    }
    return MB_OK;
}

static enum mb_status check_run(struct mb_options *options, struct mb_err *err)
{
    struct mb_row *rows = NULL;
    size_t n_rows = 0;
    enum mb_status status;
    if (options->settings.n_inputs == 0) {
        status = MB_FAIL(err, MB_ERRC_USAGE, "no input");
        mb_err_hint(err, "give an image file, or pattern:noise:1024x1024");
        return status;
    }
    MB_TRY(check_outputs(options, err));
    MB_TRY(check_colour(options, err));
    MB_TRY(mb_plan_rows(mb_strategies, options->settings.specs, options->settings.n_specs,
                        &rows, &n_rows, err));
    mb_free(rows);
    return MB_OK;
fail:
    return status;
}

/* Options and words in order, until the end or --help or --version. */
static enum mb_status parse_all(struct mb_option_parse *parse, int argc, char *const *argv,
                                struct mb_err *err)
{
    struct getopt_tables tables = {0};
    enum mb_status status;
    make_tables(&tables);
    optind = 0; /* glibc and musl: start over */
    opterr = 0;
    for (;;) {
        const int value = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
        const struct mb_option_row *row = find_row(value);
        if (value == -1) {
            break;
        }
        if (value == WORD) {
            MB_TRY(add_word(parse, &tables, optarg, err));
        } else if (value == ':') {
            row = find_row(optopt);
            return MB_FAIL(err, MB_ERRC_USAGE, "--%s needs a value: %s", row->name,
                           row->argument);
        } else if (row == NULL) {
            return fail_unknown(argv, err);
        } else {
            MB_TRY(apply_option(parse, row, optarg, err));
        }
        if (parse->options->verb == MB_VERB_HELP || parse->options->verb == MB_VERB_VERSION) {
            return MB_OK;
        }
    }
    for (int i = optind; i < argc; i++) { /* after "--" */
        MB_TRY(parse->options->verb == MB_VERB_LIST ? add_list_what(parse, argv[i], err)
                                                    : add_input(parse, argv[i], err));
    }
    return MB_OK;
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
    parse->inputs = mb_alloc((size_t)argc + 1, sizeof *parse->inputs);
    parse->text = mb_alloc(n_bytes, 1);
    parse->options->owned[0] = parse->specs;
    parse->options->owned[1] = parse->inputs;
    parse->options->owned[2] = parse->text;
    if (parse->specs == NULL || parse->inputs == NULL || parse->text == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "command line: out of memory");
    }
    return MB_OK;
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
        char *copy = parse->text;
        memcpy(copy, item, n_bytes);
        copy[n_bytes] = '\0';
        parse->text += n_bytes + 1;
        MB_TRY(add(parse, row, copy, err));
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

enum mb_status mb_options_parse(struct mb_options *options, int argc, char *const *argv,
                                struct mb_err *err)
{
    enum mb_status status;
    *options = (struct mb_options){
        .verb = argc <= 1 ? MB_VERB_NOTHING : MB_VERB_RUN,
        .settings = {.n_warmup = UINT32_MAX, .seed = 1, .verify = true},
    };
    if (argc <= 1) {
        return MB_OK;
    }
    struct mb_option_parse parse = {.options = options};
    MB_TRY(allocate(&parse, argc, argv, err));
    MB_TRY(parse_all(&parse, argc, argv, err));
    options->settings.specs = parse.specs;
    options->settings.n_specs = parse.n_specs;
    options->settings.inputs = parse.inputs;
    options->settings.n_inputs = parse.n_inputs;
    if (options->verb == MB_VERB_LIST) {
        MB_TRY(check_list(&parse, err));
    } else if (options->verb == MB_VERB_RUN) {
        MB_TRY(check_run(options, err));
    }
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
    *options = (struct mb_options){0};
}

const char *mb_options_nearest_verb(const struct mb_options *options, const char *input)
{
    const struct mb_settings *settings = &options->settings;
    if (options->verb != MB_VERB_RUN || options->verb_is_given || settings->n_inputs == 0 ||
        settings->inputs[0] != input) {
        return NULL;
    }
    return mb_nearest_name(input, verbs, MB_COUNTOF(verbs));
}
