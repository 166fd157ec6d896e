/* Parts of the completion for zsh. */
#include "cli/template.h"

#include <string.h>

/* Within single quotes, and within what _arguments reads. */
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
    const enum mb_value value = mb_template_value(row);
    if (value == MB_VALUE_NONE) {
        return;
    }
    mb_strbuf_append(out, ":");
    add_text(out, row->argument);
    mb_strbuf_append(out, ":");
    if (value == MB_VALUE_STRATEGIES) {
        mb_strbuf_append(out, "_mipbench_strategies");
    } else if (value == MB_VALUE_FILE) {
        mb_strbuf_append(out, "_files");
    } else if (value == MB_VALUE_FOLDER) {
        mb_strbuf_append(out, "_files -/");
    } else if (value == MB_VALUE_WORDS || value == MB_VALUE_LIST) {
        mb_strbuf_append(out, value == MB_VALUE_LIST ? "_mipbench_list " : "(");
        mb_template_words(out, row);
        mb_strbuf_append(out, value == MB_VALUE_LIST ? "" : ")");
    }
}

/* '(-r --reduce)'{-r+,--reduce=}'[help]:ARGUMENT:action'; what is repeatable is not excluded by
 * itself. */
static void add_option(struct mb_strbuf *out, const struct mb_option_row *row)
{
    const char *equals = row->argument != NULL ? "=" : "";
    const bool is_repeatable = strstr(row->help, "repeatable") != NULL;
    mb_strbuf_append(out, "        '");
    if (is_repeatable) {
        mb_strbuf_append(out, "*");
    } else if (row->short_name != 0) {
        mb_strbuf_append(out, "(");
        mb_template_names(out, row, " ");
        mb_strbuf_append(out, ")");
    }
    if (row->short_name != 0) {
        mb_strbuf_printf(out, "'{-%c%s,--%s%s}'[", row->short_name,
                         row->argument != NULL ? "+" : "", row->name, equals);
    } else {
        mb_strbuf_printf(out, "--%s%s[", row->name, equals);
    }
    add_text(out, row->help);
    mb_strbuf_append(out, "]");
    add_value(out, row);
    mb_strbuf_append(out, "'\n");
}

void mb_template_zsh_options(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_verb_count; i++) {
        mb_strbuf_printf(out, "    local -a options_%s=(\n", mb_verb_rows[i].name);
        for (size_t k = 0; k < mb_option_count; k++) {
            if ((mb_option_rows[k].verbs & mb_verb_rows[i].mask) != 0) {
                add_option(out, &mb_option_rows[k]);
            }
        }
        mb_strbuf_append(out, "    )\n");
    }
}

void mb_template_zsh_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_verb_count; i++) {
        mb_strbuf_printf(out, "        '%s:", mb_verb_rows[i].name);
        add_text(out, mb_verb_rows[i].help);
        mb_strbuf_append(out, "'\n");
    }
}
