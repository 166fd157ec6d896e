/* The parts of fish completion. */
#include "cli/completion/template.h"

static void add_description(struct mb_strbuf *out, const char *text)
{
    mb_strbuf_append(out, " -d '");
    mb_template_escaped(out, text, "'\\", "\\");
    mb_strbuf_append(out, "'\n");
}

static void add_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "complete -c mipbench -n '__mipbench_verb_is none' -a %s",
                         mb_verb_rows[i].name);
        add_description(out, mb_verb_rows[i].summary);
    }
}

/* The verbs that take an option; before there is a verb, any may follow. */
static void add_condition(struct mb_strbuf *out, const struct mb_option_row *row)
{
    mb_strbuf_append(out, "complete -c mipbench -n '__mipbench_verb_is none");
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        if (mb_option_goes_with(row, (enum mb_verb)i)) {
            mb_strbuf_printf(out, " %s", mb_verb_rows[i].name);
        }
    }
    mb_strbuf_append(out, "'");
}

static void add_options(struct mb_strbuf *out)
{
    /* -x: the value is no file; -r -F: it is one. */
    static const char *const actions[MB_N_VALUES] = {
        [MB_VALUE_FREE] = " -x",
        [MB_VALUE_STRATEGIES] = " -x -a '(__mipbench_strategies)'",
        [MB_VALUE_WORDS] = " -x -a '@'",
        [MB_VALUE_LIST] = " -x -a '(__mipbench_list @)'",
        [MB_VALUE_FILE] = " -r -F",
        [MB_VALUE_FOLDER] = " -x -a '(__fish_complete_directories)'",
    };
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        add_condition(out, row);
        if (row->short_name != 0) {
            mb_strbuf_printf(out, " -s %c", row->short_name);
        }
        mb_strbuf_printf(out, " -l %s", row->name);
        if (mb_option_takes_value(row, MB_VERB_RUN)) {
            mb_template_value(out, row, actions);
        }
        add_description(out, row->help);
    }
}

static void add_params(struct mb_strbuf *out)
{
    mb_template_params(out, "        case %s\n            string split ' ' '", "'\n");
}

static void add_takes_value(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_takes_value(&mb_option_rows[i], MB_VERB_RUN)) {
            mb_strbuf_append(out, " ");
            mb_template_names(out, &mb_option_rows[i], " ");
        }
    }
}

const struct mb_template_part mb_fish_parts[] = {
    {"FISH_VERBS", add_verbs},
    {"FISH_OPTIONS", add_options},
    {"FISH_PARAMS", add_params},
    {"FISH_TAKES_VALUE", add_takes_value},
    {0},
};
