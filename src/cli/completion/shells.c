/* The parts of the completions for bash, zsh and fish. A shell differs in how it quotes, and in
 * what makes it offer the values of an option. */
#include "cli/completion/template.h"

#include <string.h>

#include "image/format.h"
#include "image/pattern.h"
#include "strategy.h"

/* What can be offered as the value of an option. */
enum value {
    VALUE_FREE, /* nothing */
    VALUE_STRATEGIES,
    VALUE_WORDS,
    VALUE_LIST, /* words joined by commas */
    VALUE_FILE,
    VALUE_FOLDER,
    N_VALUES,
};

static enum value value_of(const struct mb_option_row *row)
{
    static const enum value values[MB_N_OPTION_KINDS] = {
        [MB_OPTION_SPECS] = VALUE_STRATEGIES, [MB_OPTION_FORMATS] = VALUE_LIST,
        [MB_OPTION_SET] = VALUE_LIST,         [MB_OPTION_DEVICE] = VALUE_WORDS,
        [MB_OPTION_CHOICE] = VALUE_WORDS,     [MB_OPTION_FILE] = VALUE_FILE,
        [MB_OPTION_FOLDER] = VALUE_FOLDER,
    };
    return values[row->kind];
}

static void add_words(struct mb_strbuf *out, const struct mb_option_row *row)
{
    if (row->kind == MB_OPTION_DEVICE) {
        mb_strbuf_append(out, "cpu"); /* the others differ from machine to machine */
    } else if (row->kind == MB_OPTION_FORMATS) {
        mb_strbuf_append(out, "auto");
        for (size_t i = 0; i < mb_format_count; i++) {
            mb_strbuf_printf(out, " %s", mb_formats[i].name);
        }
    }
    for (const struct mb_choice *choice = row->choices; choice && choice->name; choice++) {
        mb_strbuf_printf(out, "%s%s", choice == row->choices ? "" : " ", choice->name);
    }
}

/* The action by which a shell offers values for an option; '@' in it stands for the words. */
static void add_action(struct mb_strbuf *out, const struct mb_option_row *row,
                       const char *const actions[N_VALUES])
{
    for (const char *at = actions[value_of(row)]; *at != '\0'; at++) {
        if (*at == '@') {
            add_words(out, row);
        } else {
            mb_strbuf_append_n(out, at, 1);
        }
    }
}

static void add_params(struct mb_strbuf *out, const struct mb_strategy *strategy)
{
    const char *separator = "";
    for (const struct mb_param *p = strategy->params; p != NULL && p->name != NULL; p++) {
        for (size_t i = 0; p->values[i] != NULL; i++) {
            mb_strbuf_printf(out, "%s%s=%s", separator, p->name, p->values[i]);
            separator = " ";
        }
    }
}

/* For each strategy `begin` with its name in place of "%s", "key=value" of all its parameters,
 * and `end`. */
static void add_strategies(struct mb_strbuf *out, const char *begin, const char *end)
{
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        const size_t n_before = strcspn(begin, "%");
        mb_strbuf_append_n(out, begin, n_before);
        mb_strbuf_printf(out, "%s%s", mb_strategies[i]->name, begin + n_before + 2);
        add_params(out, mb_strategies[i]);
        mb_strbuf_append(out, end);
    }
}

/* "-s", `separator` and "--strategy". */
static void add_names(struct mb_strbuf *out, const struct mb_option_row *row,
                      const char *separator)
{
    if (row->short_name != 0) {
        mb_strbuf_printf(out, "-%c%s", row->short_name, separator);
    }
    mb_strbuf_printf(out, "--%s", row->name);
}

void mb_template_escaped(struct mb_strbuf *out, const char *text, const char *special,
                         const char *escape)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL) {
            mb_strbuf_append(out, escape);
        }
        mb_strbuf_append_n(out, text, 1);
    }
}

static void add_strategy_names(struct mb_strbuf *out)
{
    mb_strbuf_append(out, "all");
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        mb_strbuf_printf(out, " %s", mb_strategies[i]->name);
    }
}

static void add_export_names(struct mb_strbuf *out)
{
    const char *separator = "";
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        if (mb_strategies[i]->export != NULL) {
            mb_strbuf_printf(out, "%s%s", separator, mb_strategies[i]->name);
            separator = " ";
        }
    }
}

static void add_list_names(struct mb_strbuf *out)
{
    for (const struct mb_choice *choice = mb_list_choices; choice->name != NULL; choice++) {
        mb_strbuf_printf(out, "%s%s", choice == mb_list_choices ? "" : " ", choice->name);
    }
}

static void add_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "%s%s", i > 0 ? " " : "", mb_verb_rows[i].name);
    }
}

static void add_patterns(struct mb_strbuf *out)
{
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        mb_strbuf_printf(out, "%spattern:%s:1024x1024", i > 0 ? " " : "", mb_patterns[i].name);
    }
}

static void add_sh_params(struct mb_strbuf *out)
{
    add_strategies(out, "    %s) echo '", "' ;;\n");
}

/* The options of the verbs in `mask`. */
static void add_options_of(struct mb_strbuf *out, const char *name, unsigned mask)
{
    mb_strbuf_printf(out, "    %s) echo '", name);
    for (size_t i = 0; i < mb_option_count; i++) {
        if ((mb_option_rows[i].verbs & mask) != 0) {
            add_names(out, &mb_option_rows[i], " ");
            mb_strbuf_append(out, " ");
        }
    }
    mb_strbuf_append(out, "' ;;\n");
}

/* "none": there is no verb yet, and any may follow. */
static void add_bash_options(struct mb_strbuf *out)
{
    for (unsigned i = 0; i < MB_N_VERBS; i++) {
        add_options_of(out, mb_verb_rows[i].name, 1u << i);
    }
    add_options_of(out, "none", ~0u);
}

/* The names of every option that takes a value. */
static void add_takers(struct mb_strbuf *out, const char *separator)
{
    const char *before = "";
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_takes_value(&mb_option_rows[i], MB_VERB_RUN)) {
            mb_strbuf_append(out, before);
            add_names(out, &mb_option_rows[i], separator);
            before = separator;
        }
    }
}

static void add_bash_takes_value(struct mb_strbuf *out)
{
    add_takers(out, " | ");
}

static void add_bash_values(struct mb_strbuf *out)
{
    static const char *const actions[N_VALUES] = {
        [VALUE_FREE] = ":",
        [VALUE_STRATEGIES] = "_mipbench_offer_strategies",
        [VALUE_WORDS] = "_mipbench_offer_values @",
        [VALUE_LIST] = "_mipbench_offer_list @",
        [VALUE_FILE] = "_mipbench_offer_files",
        [VALUE_FOLDER] = "_mipbench_offer_files -d",
    };
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_takes_value(&mb_option_rows[i], MB_VERB_RUN)) {
            mb_strbuf_append(out, "    ");
            add_names(out, &mb_option_rows[i], " | ");
            mb_strbuf_append(out, ") ");
            add_action(out, &mb_option_rows[i], actions);
            mb_strbuf_append(out, " ;;\n");
        }
    }
}

/* Escaped for single quotes and for _arguments. */
static void add_zsh_text(struct mb_strbuf *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            mb_strbuf_append(out, "'\\'");
        } else if (strchr("[]:\\", *text) != NULL) {
            mb_strbuf_append(out, "\\");
        }
        mb_strbuf_append_n(out, text, 1);
    }
}

/* ":ARGUMENT:action" */
static void add_zsh_value(struct mb_strbuf *out, const struct mb_option_row *row)
{
    static const char *const actions[N_VALUES] = {
        [VALUE_FREE] = "",       [VALUE_STRATEGIES] = "_mipbench_strategies",
        [VALUE_WORDS] = "(@)",   [VALUE_LIST] = "_mipbench_list @",
        [VALUE_FILE] = "_files", [VALUE_FOLDER] = "_files -/",
    };
    MB_SCOPED(mb_strbuf) argument = {0};
    mb_strbuf_append(out, ":");
    mb_option_add_argument(&argument, row);
    add_zsh_text(out, mb_strbuf_text(&argument));
    mb_strbuf_append(out, ":");
    add_action(out, row, actions);
}

/* '(-r --reduce)'{-r+,--reduce=}'[help]:ARGUMENT:action'; a repeatable option does not exclude
 * itself. */
static void add_zsh_option(struct mb_strbuf *out, const struct mb_option_row *row,
                           enum mb_verb verb)
{
    const bool takes_value = mb_option_takes_value(row, verb);
    mb_strbuf_append(out, "        '");
    if (row->is_repeatable) {
        mb_strbuf_append(out, "*");
    } else if (row->short_name != 0) {
        mb_strbuf_append(out, "(");
        add_names(out, row, " ");
        mb_strbuf_append(out, ")");
    }
    if (row->short_name != 0) {
        mb_strbuf_printf(out, "'{-%c%s,--%s%s}'[", row->short_name, takes_value ? "+" : "",
                         row->name, takes_value ? "=" : "");
    } else {
        mb_strbuf_printf(out, "--%s%s[", row->name, takes_value ? "=" : "");
    }
    add_zsh_text(out, mb_option_help(row, verb));
    mb_strbuf_append(out, "]");
    if (takes_value) {
        add_zsh_value(out, row);
    }
    mb_strbuf_append(out, "'\n");
}

static void add_zsh_options(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "    local -a options_%s=(\n", mb_verb_rows[i].name);
        for (size_t k = 0; k < mb_option_count; k++) {
            if (mb_option_goes_with(&mb_option_rows[k], (enum mb_verb)i)) {
                add_zsh_option(out, &mb_option_rows[k], (enum mb_verb)i);
            }
        }
        mb_strbuf_append(out, "    )\n");
    }
}

static void add_zsh_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "        '%s:", mb_verb_rows[i].name);
        add_zsh_text(out, mb_verb_rows[i].summary);
        mb_strbuf_append(out, "'\n");
    }
}

static void add_fish_description(struct mb_strbuf *out, const char *text)
{
    mb_strbuf_append(out, " -d '");
    mb_template_escaped(out, text, "'\\", "\\");
    mb_strbuf_append(out, "'\n");
}

static void add_fish_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "complete -c mipbench -n '__mipbench_verb_is none' -a %s",
                         mb_verb_rows[i].name);
        add_fish_description(out, mb_verb_rows[i].summary);
    }
}

/* The verbs that take an option; before there is a verb, any may follow. */
static void add_fish_condition(struct mb_strbuf *out, const struct mb_option_row *row)
{
    mb_strbuf_append(out, "complete -c mipbench -n '__mipbench_verb_is none");
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        if (mb_option_goes_with(row, (enum mb_verb)i)) {
            mb_strbuf_printf(out, " %s", mb_verb_rows[i].name);
        }
    }
    mb_strbuf_append(out, "'");
}

static void add_fish_options(struct mb_strbuf *out)
{
    /* -x: the value is no file; -r -F: it is one. */
    static const char *const actions[N_VALUES] = {
        [VALUE_FREE] = " -x",         [VALUE_STRATEGIES] = " -x -a '(__mipbench_strategies)'",
        [VALUE_WORDS] = " -x -a '@'", [VALUE_LIST] = " -x -a '(__mipbench_list @)'",
        [VALUE_FILE] = " -r -F",      [VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
    };
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        add_fish_condition(out, row);
        if (row->short_name != 0) {
            mb_strbuf_printf(out, " -s %c", row->short_name);
        }
        mb_strbuf_printf(out, " -l %s", row->name);
        if (mb_option_takes_value(row, MB_VERB_RUN)) {
            add_action(out, row, actions);
        }
        add_fish_description(out, row->help);
    }
}

static void add_fish_params(struct mb_strbuf *out)
{
    add_strategies(out, "        case %s\n            string split ' ' '", "'\n");
}

static void add_fish_takes_value(struct mb_strbuf *out)
{
    add_takers(out, " ");
}

const struct mb_template_part mb_shell_parts[] = {
    {"VERBS", add_verbs},
    {"LIST_NAMES", add_list_names},
    {"STRATEGY_NAMES", add_strategy_names},
    {"EXPORT_NAMES", add_export_names},
    {"PATTERNS", add_patterns},
    {"SH_PARAMS", add_sh_params},
    {"BASH_OPTIONS", add_bash_options},
    {"BASH_TAKES_VALUE", add_bash_takes_value},
    {"BASH_VALUES", add_bash_values},
    {"ZSH_OPTIONS", add_zsh_options},
    {"ZSH_VERBS", add_zsh_verbs},
    {"FISH_VERBS", add_fish_verbs},
    {"FISH_OPTIONS", add_fish_options},
    {"FISH_PARAMS", add_fish_params},
    {"FISH_TAKES_VALUE", add_fish_takes_value},
    {0},
};
