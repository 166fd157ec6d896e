/* Splits argv by the table of options. Unlike getopt it knows the verb (with `list`, --json
 * takes no value) and keeps no global state. */
#include "cli/options/scan.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define MAX_OPTIONS 64

void mb_scan_init(struct mb_scan *scan, int argc, char *const *argv)
{
    *scan = (struct mb_scan){.argc = argc, .argv = argv, .next = 1};
}

static void hint_help(enum mb_verb verb, struct mb_err *err)
{
    mb_err_hint(err, "'mipbench %s --help' lists them", mb_verb_rows[verb].name);
}

/* "option '--s' may be --size, --sweep or --seed": more than one name begins with `name`. */
static enum mb_status fail_ambiguous(const char *name, const char *const *names, size_t n_names,
                                     struct mb_err *err)
{
    char list[200] = "";
    size_t used = 0;
    for (size_t i = 0; i < n_names && used < sizeof list; i++) {
        const char *separator = i == 0 ? "" : i + 1 == n_names ? " or " : ", ";
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s--%s", separator, names[i]);
    }
    return MB_FAIL(err, MB_ERRC_USAGE, "option '--%s' may be %s", name, list);
}

static enum mb_status fail_unknown(const char *name, enum mb_verb verb, struct mb_err *err)
{
    const char *names[MAX_OPTIONS];
    for (size_t i = 0; i < mb_option_count; i++) {
        names[i] = mb_option_rows[i].name;
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "unknown option '--%s'", name);
    const char *near = mb_nearest_name(name, names, mb_option_count);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '--%s'?", near);
    } else {
        hint_help(verb, err);
    }
    return status;
}

/* The row with that name, or the only one whose name begins with it. */
static enum mb_status find_long(const char *name, enum mb_verb verb,
                                const struct mb_option_row **found, struct mb_err *err)
{
    const char *names[MAX_OPTIONS];
    size_t n_names = 0;
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        if (strcmp(row->name, name) == 0) {
            *found = row;
            return MB_OK;
        }
        if (name[0] != '\0' && strncmp(row->name, name, strlen(name)) == 0) {
            *found = row;
            names[n_names++] = row->name;
        }
    }
    if (n_names > 1) {
        return fail_ambiguous(name, names, n_names, err);
    }
    return n_names == 1 ? MB_OK : fail_unknown(name, verb, err);
}

/* The value of an option: `value`, or if that is NULL the next word. */
static enum mb_status take_value(struct mb_scan *scan, const struct mb_option_row *row,
                                 const char *value, struct mb_scan_item *item,
                                 struct mb_err *err)
{
    if (value == NULL && scan->next == scan->argc) {
        struct mb_strbuf argument = {0};
        mb_option_add_argument(&argument, row);
        const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "--%s needs a value: %s",
                                              row->name, mb_strbuf_text(&argument));
        mb_strbuf_finish(&argument);
        return status;
    }
    item->value = value != NULL ? value : scan->argv[scan->next++];
    return MB_OK;
}

/* "--name", "--name=value" or "--name value". */
static enum mb_status take_long(struct mb_scan *scan, const char *word, enum mb_verb verb,
                                struct mb_scan_item *item, struct mb_err *err)
{
    char name[64];
    const char *equals = strchr(word, '=');
    enum mb_status status;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    MB_TRY(find_long(name, verb, &item->row, err));
    item->kind = MB_SCAN_OPTION;
    if (mb_option_takes_value(item->row, verb)) {
        return take_value(scan, item->row, equals != NULL ? equals + 1 : NULL, item, err);
    }
    if (equals != NULL && item->row->kind != MB_OPTION_JSON) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s takes no value", item->row->name);
    }
    item->value = equals != NULL ? equals + 1 : NULL;
fail:
    return status;
}

/* The next of "-qvv", "-n20" or "-n 20". */
static enum mb_status take_short(struct mb_scan *scan, enum mb_verb verb,
                                 struct mb_scan_item *item, struct mb_err *err)
{
    const char letter = *scan->bundle++;
    const char *rest = *scan->bundle != '\0' ? scan->bundle : NULL;
    for (size_t i = 0; i < mb_option_count; i++) {
        if (mb_option_rows[i].short_name == letter) {
            item->row = &mb_option_rows[i];
        }
    }
    if (item->row == NULL) {
        const enum mb_status status =
            MB_FAIL(err, MB_ERRC_USAGE, "unknown option '-%c'", letter);
        hint_help(verb, err);
        return status;
    }
    item->kind = MB_SCAN_OPTION;
    scan->bundle = rest;
    if (!mb_option_takes_value(item->row, verb)) {
        return MB_OK;
    }
    scan->bundle = NULL;
    return take_value(scan, item->row, rest, item, err);
}

enum mb_status mb_scan_next(struct mb_scan *scan, enum mb_verb verb, struct mb_scan_item *item,
                            struct mb_err *err)
{
    *item = (struct mb_scan_item){.kind = MB_SCAN_END};
    if (scan->bundle != NULL) {
        return take_short(scan, verb, item, err);
    }
    if (scan->next < scan->argc && !scan->is_at_rest &&
        strcmp(scan->argv[scan->next], "--") == 0) {
        scan->is_at_rest = true;
        scan->next++;
    }
    if (scan->next >= scan->argc) {
        return MB_OK;
    }
    const char *word = scan->argv[scan->next++];
    if (scan->is_at_rest || word[0] != '-' || word[1] == '\0') {
        item->kind = scan->is_at_rest ? MB_SCAN_INPUT : MB_SCAN_WORD;
        item->value = word;
        return MB_OK;
    }
    if (word[1] == '-') {
        return take_long(scan, word + 2, verb, item, err);
    }
    scan->bundle = word + 1;
    return take_short(scan, verb, item, err);
}
