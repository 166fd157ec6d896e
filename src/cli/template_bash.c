/* Parts of the completion for bash. */
#include "cli/template.h"

#include "strategy.h"

void mb_template_sh_params(struct mb_strbuf *out)
{
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        mb_strbuf_printf(out, "    %s) echo '", mb_strategies[i]->name);
        mb_template_params(out, mb_strategies[i]);
        mb_strbuf_append(out, "' ;;\n");
    }
}

/* Of the verbs in `mask`. */
static void add_options(struct mb_strbuf *out, const char *name, unsigned mask)
{
    mb_strbuf_printf(out, "    %s) echo '", name);
    for (size_t i = 0; i < mb_option_count; i++) {
        if ((mb_option_rows[i].verbs & mask) != 0) {
            mb_template_names(out, &mb_option_rows[i], " ");
            mb_strbuf_append(out, " ");
        }
    }
    mb_strbuf_append(out, "' ;;\n");
}

/* "none" is a line without a verb so far: any may come. */
void mb_template_bash_options(struct mb_strbuf *out)
{
    unsigned any = 0;
    for (size_t i = 0; i < mb_verb_count; i++) {
        add_options(out, mb_verb_rows[i].name, mb_verb_rows[i].mask);
        any |= mb_verb_rows[i].mask;
    }
    add_options(out, "none", any);
}

void mb_template_bash_takes_value(struct mb_strbuf *out)
{
    const char *separator = "";
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_rows[i].argument != NULL) {
            mb_strbuf_append(out, separator);
            mb_template_names(out, &mb_option_rows[i], " | ");
            separator = " | ";
        }
    }
}

static void add_value(struct mb_strbuf *out, const struct mb_option_row *row)
{
    switch (mb_template_value(row)) {
    case MB_VALUE_NONE:
    case MB_VALUE_FREE:
        mb_strbuf_append(out, ":");
        break;
    case MB_VALUE_STRATEGIES:
        mb_strbuf_append(out, "_mipbench_offer_strategies");
        break;
    case MB_VALUE_FILE:
        mb_strbuf_append(out, "_mipbench_offer_files");
        break;
    case MB_VALUE_FOLDER:
        mb_strbuf_append(out, "_mipbench_offer_files -d");
        break;
    case MB_VALUE_LIST:
        mb_strbuf_append(out, "_mipbench_offer_list ");
        mb_template_words(out, row);
        break;
    case MB_VALUE_WORDS:
        mb_strbuf_append(out, "_mipbench_offer_values ");
        mb_template_words(out, row);
        break;
    }
}

void mb_template_bash_values(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_rows[i].argument != NULL) {
            mb_strbuf_append(out, "    ");
            mb_template_names(out, &mb_option_rows[i], " | ");
            mb_strbuf_append(out, ") ");
            add_value(out, &mb_option_rows[i]);
            mb_strbuf_append(out, " ;;\n");
        }
    }
}
