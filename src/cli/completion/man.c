/* The parts of the man page, as scdoc source. */
#include "cli/completion/template.h"

#include "cli/options/help.h"
#include "strategy.h"

#define SPECIAL "*_\\#" /* characters that scdoc would interpret */

static void add_text(struct mb_strbuf *out, const char *text)
{
    mb_template_escaped(out, text, SPECIAL, "\\");
}

/* "*-s*, *--strategy* _SPEC_", then its help, and that of verbs with a help of their own. */
static void add_option(struct mb_strbuf *out, const struct mb_option_row *row)
{
    if (row->short_name != 0) {
        mb_strbuf_printf(out, "*-%c*, ", row->short_name);
    }
    mb_strbuf_printf(out, "*--%s*", row->name);
    if (mb_option_takes_value(row, MB_VERB_RUN)) {
        struct mb_strbuf argument = {0};
        mb_option_add_argument(&argument, row);
        mb_strbuf_append(out, " _");
        add_text(out, mb_strbuf_text(&argument));
        mb_strbuf_append(out, "_");
        mb_strbuf_finish(&argument);
    }
    mb_strbuf_append(out, "\n\t");
    add_text(out, row->help);
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        if (row->help_for[i] != NULL) {
            mb_strbuf_printf(out, "++\n*%s*: ", mb_verb_rows[i].name);
            add_text(out, row->help_for[i]);
        }
    }
    mb_strbuf_append(out, "\n\n");
}

static void add_synopsis(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_append(out, i > 0 ? "++\n*mipbench* " : "*mipbench* ");
        add_text(out, mb_verb_rows[i].usage);
    }
    mb_strbuf_append(out, "\n");
}

static void add_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "*mipbench %s*\n\t", mb_verb_rows[i].name);
        for (const char *at = mb_verb_rows[i].about; *at != '\0'; at++) {
            const char letter[] = {*at, '\0'};
            add_text(out, *at == '\n' ? "\n\n\t" : letter);
        }
        mb_strbuf_append(out, "\n\n");
    }
}

static void add_options(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (i == 0 || mb_option_rows[i].group != mb_option_rows[i - 1].group) {
            mb_strbuf_printf(out, "## %s\n\n", mb_option_group_titles[mb_option_rows[i].group]);
        }
        add_option(out, &mb_option_rows[i]);
    }
}

static void add_examples(struct mb_strbuf *out)
{
    for (size_t i = 0; i < MB_N_VERBS; i++) {
        mb_strbuf_printf(out, "```\n%s```\n\n", mb_verb_rows[i].examples);
    }
}

static void add_items(struct mb_strbuf *out, const struct mb_help_item *items)
{
    for (; items->name != NULL; items++) {
        mb_strbuf_append(out, "*");
        add_text(out, items->name);
        mb_strbuf_append(out, "*\n\t");
        add_text(out, items->text);
        mb_strbuf_append(out, "\n\n");
    }
}

static void add_exit_codes(struct mb_strbuf *out)
{
    add_items(out, mb_help_exit_codes);
}

static void add_environment(struct mb_strbuf *out)
{
    add_items(out, mb_help_environment);
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

static void add_strategies(struct mb_strbuf *out)
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

const struct mb_template_part mb_man_parts[] = {
    {"MAN_SYNOPSIS", add_synopsis},     {"MAN_VERBS", add_verbs},
    {"MAN_OPTIONS", add_options},       {"MAN_EXAMPLES", add_examples},
    {"MAN_EXIT_CODES", add_exit_codes}, {"MAN_ENVIRONMENT", add_environment},
    {"MAN_STRATEGIES", add_strategies}, {0},
};
