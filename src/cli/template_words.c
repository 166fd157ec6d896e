/* What templates of all kinds have in common: words, and values of options. */
#include "cli/template.h"

#include <ctype.h>
#include <string.h>

#include "image/format.h"
#include "image/pattern.h"
#include "strategy.h"

#define LIST_SUFFIX "[,...]" /* "a|b[,...]": more of them, joined by commas */

/* Length of the words in "a|b" and "a|b[,...]", or 0 if `argument` is none of these. */
static size_t words_length(const char *argument)
{
    size_t n_bytes = 0;
    bool has_bar = false;
    for (; islower((unsigned char)argument[n_bytes]) ||
           isdigit((unsigned char)argument[n_bytes]) || argument[n_bytes] == '|' ||
           argument[n_bytes] == '-';
         n_bytes++) {
        has_bar = has_bar || argument[n_bytes] == '|';
    }
    const bool ends = argument[n_bytes] == '\0' || strcmp(argument + n_bytes, LIST_SUFFIX) == 0;
    return has_bar && ends ? n_bytes : 0;
}

enum mb_value mb_template_value(const struct mb_option_row *row)
{
    const char *argument = row->argument;
    if (argument == NULL) {
        return MB_VALUE_NONE;
    }
    if (row->offer == MB_OFFER_STRATEGIES) {
        return MB_VALUE_STRATEGIES;
    }
    if (row->offer == MB_OFFER_FORMATS || row->offer == MB_OFFER_DEVICES) {
        return row->offer == MB_OFFER_FORMATS ? MB_VALUE_LIST : MB_VALUE_WORDS;
    }
    if (words_length(argument) > 0) {
        return argument[words_length(argument)] == '\0' ? MB_VALUE_WORDS : MB_VALUE_LIST;
    }
    if (strncmp(argument, "FILE", 4) == 0) {
        return MB_VALUE_FILE;
    }
    return strncmp(argument, "DIR", 3) == 0 ? MB_VALUE_FOLDER : MB_VALUE_FREE;
}

void mb_template_words(struct mb_strbuf *out, const struct mb_option_row *row)
{
    if (row->offer == MB_OFFER_DEVICES) {
        mb_strbuf_append(out, "cpu"); /* others are known only where it runs */
        return;
    }
    if (row->offer == MB_OFFER_FORMATS) {
        mb_strbuf_append(out, "auto");
        for (size_t i = 0; i < mb_format_count; i++) {
            mb_strbuf_printf(out, " %s", mb_formats[i].name);
        }
        return;
    }
    const size_t n_bytes = words_length(row->argument);
    for (size_t i = 0; i < n_bytes; i++) {
        mb_strbuf_append_n(out, row->argument[i] == '|' ? " " : row->argument + i, 1);
    }
}

void mb_template_strategy_names(struct mb_strbuf *out)
{
    mb_strbuf_append(out, "all");
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        mb_strbuf_printf(out, " %s", mb_strategies[i]->name);
    }
}

void mb_template_export_names(struct mb_strbuf *out)
{
    const char *separator = "";
    for (size_t i = 0; mb_strategies[i] != NULL; i++) {
        if (mb_strategies[i]->takeaway != NULL) {
            mb_strbuf_printf(out, "%s%s", separator, mb_strategies[i]->name);
            separator = " ";
        }
    }
}

void mb_template_list_names(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_list_name_count; i++) {
        mb_strbuf_printf(out, "%s%s", i > 0 ? " " : "", mb_list_names[i]);
    }
}

void mb_template_params(struct mb_strbuf *out, const struct mb_strategy *strategy)
{
    const char *separator = "";
    for (const struct mb_param *p = strategy->params; p != NULL && p->name != NULL; p++) {
        for (size_t i = 0; p->values[i] != NULL; i++) {
            mb_strbuf_printf(out, "%s%s=%s", separator, p->name, p->values[i]);
            separator = " ";
        }
    }
}

void mb_template_verbs(struct mb_strbuf *out)
{
    for (size_t i = 0; i < mb_verb_count; i++) {
        mb_strbuf_printf(out, "%s%s", i > 0 ? " " : "", mb_verb_rows[i].name);
    }
}

void mb_template_patterns(struct mb_strbuf *out)
{
    for (size_t i = 0; mb_patterns[i].name != NULL; i++) {
        mb_strbuf_printf(out, "%spattern:%s:1024x1024", i > 0 ? " " : "", mb_patterns[i].name);
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
