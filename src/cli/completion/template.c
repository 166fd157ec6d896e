/* Helpers for the parts of templates. */
#include "cli/completion/template.h"

#include <string.h>

#include "image/format.h"
#include "strategy.h"

static enum mb_value value_of(const struct mb_option_row *row)
{
    static const enum mb_value values[MB_N_OPTION_KINDS] = {
        [MB_OPTION_SPECS] = MB_VALUE_STRATEGIES, [MB_OPTION_FORMATS] = MB_VALUE_LIST,
        [MB_OPTION_SET] = MB_VALUE_LIST,         [MB_OPTION_DEVICE] = MB_VALUE_WORDS,
        [MB_OPTION_CHOICE] = MB_VALUE_WORDS,     [MB_OPTION_FILE] = MB_VALUE_FILE,
        [MB_OPTION_FOLDER] = MB_VALUE_FOLDER,
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

void mb_template_value(struct mb_strbuf *out, const struct mb_option_row *row,
                       const char *const actions[MB_N_VALUES])
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

void mb_template_params(struct mb_strbuf *out, const char *begin, const char *end)
{
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        const size_t n_before = strcspn(begin, "%");
        mb_strbuf_append_n(out, begin, n_before);
        mb_strbuf_printf(out, "%s%s", mb_strategies[i]->name, begin + n_before + 2);
        add_params(out, mb_strategies[i]);
        mb_strbuf_append(out, end);
    }
}

void mb_template_names(struct mb_strbuf *out, const struct mb_option_row *row,
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
