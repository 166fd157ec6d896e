/* Parts of the completion for fish. */
#include "cli/template.h"

#include "strategy.h"

static void add_description(struct mb_strbuf *out, const char *text)
{
    mb_strbuf_append(out, " -d '");
    mb_template_escaped(out, text, "'\\", "\\");
    mb_strbuf_append(out, "'\n");
}

void mb_template_fish_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_verb_count; i++) {
        mb_strbuf_printf(out, "complete -c mipbench -n '__mipbench_verb_is none' -a %s",
                         mb_verb_rows[i].name);
        add_description(out, mb_verb_rows[i].help);
    }
}

/* The verbs that an option goes with; without a verb any may come. */
static void add_condition(struct mb_strbuf *out, const struct mb_option_row *row)
{
    mb_strbuf_append(out, "complete -c mipbench -n '__mipbench_verb_is none");
    for (size_t i = 0; i < mb_verb_count; i++) {
        if ((row->verbs & mb_verb_rows[i].mask) != 0) {
            mb_strbuf_printf(out, " %s", mb_verb_rows[i].name);
        }
    }
    mb_strbuf_append(out, "'");
}

/* -x: a value, which is no file; -r -F: a value, which is one. */
static void add_value(struct mb_strbuf *out, const struct mb_option_row *row)
{
    switch (mb_template_value(row)) {
    case MB_VALUE_NONE:
        break;
    case MB_VALUE_FREE:
        mb_strbuf_append(out, " -x");
        break;
    case MB_VALUE_STRATEGIES:
        mb_strbuf_append(out, " -x -a '(__mipbench_strategies)'");
        break;
    case MB_VALUE_FILE:
        mb_strbuf_append(out, " -r -F");
        break;
    case MB_VALUE_FOLDER:
        mb_strbuf_append(out, " -x -a '(__fish_complete_directories)'");
        break;
    case MB_VALUE_LIST:
        mb_strbuf_append(out, " -x -a '(__mipbench_list ");
        mb_template_words(out, row);
        mb_strbuf_append(out, ")'");
        break;
    case MB_VALUE_WORDS:
        mb_strbuf_append(out, " -x -a '");
        mb_template_words(out, row);
        mb_strbuf_append(out, "'");
        break;
    }
}

void mb_template_fish_options(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        add_condition(out, row);
        if (row->short_name != 0) {
            mb_strbuf_printf(out, " -s %c", row->short_name);
        }
        mb_strbuf_printf(out, " -l %s", row->name);
        add_value(out, row);
        add_description(out, row->help);
    }
}

void mb_template_fish_params(struct mb_strbuf *out)
{
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        mb_strbuf_printf(out, "        case %s\n            string split ' ' '",
                         mb_strategies[i]->name);
        mb_template_params(out, mb_strategies[i]);
        mb_strbuf_append(out, "'\n");
    }
}

void mb_template_fish_takes_value(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_rows[i].argument != NULL) {
            mb_strbuf_append(out, " ");
            mb_template_names(out, &mb_option_rows[i], " ");
        }
    }
}
