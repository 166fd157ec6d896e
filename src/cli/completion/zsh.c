/* The parts of zsh completion. */
#include "cli/completion/template.h"

#include <string.h>

/* Escaped for single quotes and for _arguments. */
static void add_text(struct mb_strbuf *out, const char *text)
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
static void add_value(struct mb_strbuf *out, const struct mb_option_row *row)
{
    static const char *const actions[MB_N_VALUES] = {
        [MB_VALUE_FREE] = "",       [MB_VALUE_STRATEGIES] = "_mipbench_strategies",
        [MB_VALUE_WORDS] = "(@)",   [MB_VALUE_LIST] = "_mipbench_list @",
        [MB_VALUE_FILE] = "_files", [MB_VALUE_FOLDER] = "_files -/",
    };
    struct mb_strbuf argument = {0};
    mb_strbuf_append(out, ":");
    mb_option_add_argument(&argument, row);
    add_text(out, mb_strbuf_text(&argument));
    mb_strbuf_finish(&argument);
    mb_strbuf_append(out, ":");
    mb_template_value(out, row, actions);
}

/* '(-r --reduce)'{-r+,--reduce=}'[help]:ARGUMENT:action'; a repeatable option does not exclude
 * itself. */
static void add_option(struct mb_strbuf *out, const struct mb_option_row *row,
                       enum mb_verb verb)
{
    const bool takes_value = mb_option_takes_value(row, verb);
    mb_strbuf_append(out, "        '");
    if (row->is_repeatable) {
        mb_strbuf_append(out, "*");
    } else if (row->short_name != 0) {
        mb_strbuf_append(out, "(");
        mb_template_names(out, row, " ");
        mb_strbuf_append(out, ")");
    }
    if (row->short_name != 0) {
        mb_strbuf_printf(out, "'{-%c%s,--%s%s}'[", row->short_name, takes_value ? "+" : "",
                         row->name, takes_value ? "=" : "");
    } else {
        mb_strbuf_printf(out, "--%s%s[", row->name, takes_value ? "=" : "");
    }
    add_text(out, mb_option_help(row, verb));
    mb_strbuf_append(out, "]");
    if (takes_value) {
        add_value(out, row);
    }
    mb_strbuf_append(out, "'\n");
}

static void add_options(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "    local -a options_%s=(\n", mb_verb_rows[i].name);
        for (size_t k = 0; k < mb_option_count; k++) {
            if (mb_option_goes_with(&mb_option_rows[k], (enum mb_verb)i)) {
                add_option(out, &mb_option_rows[k], (enum mb_verb)i);
            }
        }
        mb_strbuf_append(out, "    )\n");
    }
}

static void add_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "        '%s:", mb_verb_rows[i].name);
        add_text(out, mb_verb_rows[i].summary);
        mb_strbuf_append(out, "'\n");
    }
}

const struct mb_template_part mb_zsh_parts[] = {
    {"ZSH_OPTIONS", add_options},
    {"ZSH_VERBS", add_verbs},
    {0},
};
