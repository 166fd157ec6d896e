/* Splits argv by the table of options. Unlike getopt it knows the verb (with `list`, --json
 * takes no value) and keeps no global state. */
#include "cli/options/scan.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MAX_OPTIONS 64

/* Nothing, or all, is named like `option`. */
static enum mb_status fail_unknown(const char *option, enum mb_verb verb, struct mb_err *err)
{
    const char *names[MAX_OPTIONS];
    for (size_t i = 0; i < mb_option_count; i++) {
        names[i] = mb_option_rows[i].name;
    }
    const char *near =
        option[1] == '-' ? mb_nearest_name(option + 2, names, mb_option_count) : NULL;
    MB_FAIL(err, MB_ERRC_USAGE, "unknown option '%s'", option);
    return near != NULL
               ? mb_err_hint(err, "did you mean '--%s'?", near)
               : mb_err_hint(err, "'mipbench %s --help' lists them", mb_verb_rows[verb].name);
}

/* "option '--s' may be --size, --sweep or --seed": `n_names` names begin with `name`. */
static enum mb_status fail_ambiguous(const char *name, size_t n_names, struct mb_err *err)
{
    char list[200] = "";
    size_t used = 0, n_listed = 0;
    for (size_t i = 0; i < mb_option_count && used < sizeof list; i++) {
        if (strncmp(mb_option_rows[i].name, name, strlen(name)) == 0) {
            n_listed++;
            const char *separator = n_listed == 1 ? "" : n_listed == n_names ? " or " : ", ";
            used += (size_t)snprintf(list + used, sizeof list - used, "%s--%s", separator,
                                     mb_option_rows[i].name);
        }
    }
    return MB_FAIL(err, MB_ERRC_USAGE, "option '--%s' may be %s", name, list);
}

/* The row with that name ("--size"), or the only one whose name begins with it. */
static enum mb_status find_long(const char *option, enum mb_verb verb,
                                const struct mb_option_row **found, struct mb_err *err)
{
    const char *name = option + 2;
    size_t n_found = 0;
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (strcmp(row->name, name) == 0) {
            *found = row;
            return MB_OK;
        }
        if (name[0] != '\0' && strncmp(row->name, name, strlen(name)) == 0) {
            *found = row;
            n_found++;
        }
    }
    return n_found == 1  ? MB_OK
           : n_found > 1 ? fail_ambiguous(name, n_found, err)
                         : fail_unknown(option, verb, err);
}

/* The value of the item's option: `value`, or if that is NULL the next word. */
static enum mb_status take_value(struct mb_scan *scan, const char *value,
                                 struct mb_scan_item *item, struct mb_err *err)
{
    if (value == NULL && scan->n_done + 1 == scan->argc) {
        struct mb_strbuf argument = {0};
        mb_option_add_argument(&argument, item->row);
        MB_FAIL(err, MB_ERRC_USAGE, "--%s needs a value: %s", item->row->name,
                mb_strbuf_text(&argument));
        mb_strbuf_finish(&argument);
        return MB_FAILED;
    }
    item->value = value != NULL ? value : scan->argv[++scan->n_done];
    return MB_OK;
}

/* "--name", "--name=value" or "--name value". */
static enum mb_status take_long(struct mb_scan *scan, const char *word,
                                struct mb_scan_item *item, struct mb_err *err)
{
    char option[64];
    const char *equals = strchr(word, '=');
    snprintf(option, sizeof option, "%.*s", (int)strcspn(word, "="), word);
    MB_DO(find_long(option, scan->verb, &item->row, err));
    item->value = equals != NULL ? equals + 1 : NULL;
    if (mb_option_takes_value(item->row, scan->verb)) {
        return take_value(scan, item->value, item, err);
    }
    MB_FAIL_IF(equals != NULL && item->row->bare_verbs == 0, err, MB_ERRC_USAGE,
               "--%s takes no value", item->row->name);
    return MB_OK;
}

/* The next of "-qvv", "-n20" or "-n 20". */
static enum mb_status take_short(struct mb_scan *scan, struct mb_scan_item *item,
                                 struct mb_err *err)
{
    const char option[] = {'-', *scan->bundle++, '\0'};
    const char *rest = *scan->bundle != '\0' ? scan->bundle : NULL;
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_rows[i].short_name == option[1]) {
            item->row = &mb_option_rows[i];
        }
    }
    if (item->row == NULL) {
        return fail_unknown(option, scan->verb, err);
    }
    const bool takes_value = mb_option_takes_value(item->row, scan->verb);
    scan->bundle = takes_value ? NULL : rest;
    return takes_value ? take_value(scan, rest, item, err) : MB_OK;
}

enum mb_status mb_scan_next(struct mb_scan *scan, struct mb_scan_item *item, struct mb_err *err)
{
    *item = (struct mb_scan_item){.kind = MB_SCAN_OPTION};
    if (scan->bundle != NULL) {
        return take_short(scan, item, err);
    }
    if (!scan->is_at_rest && scan->n_done + 1 < scan->argc &&
        strcmp(scan->argv[scan->n_done + 1], "--") == 0) {
        scan->is_at_rest = true;
        scan->n_done++;
    }
    if (scan->n_done + 1 >= scan->argc) {
        item->kind = MB_SCAN_END;
        return MB_OK;
    }
    const char *word = scan->argv[++scan->n_done];
    if (!scan->is_at_rest && word[0] == '-' && word[1] == '-') {
        return take_long(scan, word, item, err);
    }
    if (!scan->is_at_rest && word[0] == '-' && word[1] != '\0') {
        scan->bundle = word + 1;
        return take_short(scan, item, err);
    }
    const enum mb_verb verb = mb_verb_find(word);
    const bool is_verb = !scan->has_words && !scan->is_at_rest && verb != MB_N_VERBS;
    scan->verb = is_verb ? verb : scan->verb;
    scan->has_words = true;
    item->kind = is_verb ? MB_SCAN_VERB : MB_SCAN_WORD;
    item->value = word;
    return MB_OK;
}
