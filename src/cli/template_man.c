/* Parts of the man page, in scdoc's language. */
#include "cli/template.h"

#include "strategy.h"

#define SPECIAL "*_\\#" /* to scdoc */

static void add_text(struct mb_strbuf *out, const char *text)
{
    mb_template_escaped(out, text, SPECIAL, "\\");
}

/* "*-s*, *--strategy* _SPEC_", and below it the help. */
static void add_option(struct mb_strbuf *out, const struct mb_option_row *row)
{
    if (row->short_name != 0) {
        mb_strbuf_printf(out, "*-%c*, ", row->short_name);
    }
    mb_strbuf_printf(out, "*--%s*", row->name);
    if (row->argument != NULL) {
        mb_strbuf_append(out, " _");
        add_text(out, row->argument);
        mb_strbuf_append(out, "_");
    }
    mb_strbuf_append(out, "\n\t");
    add_text(out, row->help);
    mb_strbuf_append(out, "\n\n");
}

void mb_template_man_options(struct mb_strbuf *out)
{
    for (int group = 0; group < MB_GROUP_COUNT; group++) {
        mb_strbuf_printf(out, "## %s\n\n", mb_option_group_titles[group]);
        for (size_t i = 0; i < mb_option_count; i++) {
            if ((int)mb_option_rows[i].group == group) {
                add_option(out, &mb_option_rows[i]);
            }
        }
    }
}

static void add_param(struct mb_strbuf *out, const struct mb_param *param)
{
    mb_strbuf_printf(out, "\t*%s*=", param->name);
    for (size_t i = 0; param->values[i] != NULL; i++) {
        mb_strbuf_append(out, i > 0 ? "|" : "");
        add_text(out, param->values[i]);
    }
    mb_strbuf_append(out, "\n\t\t");
    add_text(out, param->help);
    mb_strbuf_append(out, "\n\n");
}

void mb_template_man_strategies(struct mb_strbuf *out)
{
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        mb_strbuf_printf(out, "*%s*\n\t", mb_strategies[i]->name);
        add_text(out, mb_strategies[i]->title);
        mb_strbuf_append(out, "\n\n");
        for (const struct mb_param *p = mb_strategies[i]->params; p && p->name; p++) {
            add_param(out, p);
        }
    }
}
