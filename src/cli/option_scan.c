/* Options and words out of argv. getopt_long does the splitting; a leading '-' in its option
 * string keeps argv in order. */
#include "cli/option_scan.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

#define LONG_BASE 256 /* getopt's value of a long option is LONG_BASE plus its row */
#define WORD      1   /* getopt's value of a word that is no option */

static void make_tables(struct mb_option_scan *tables)
{
    char *shorts = tables->shorts;
    *shorts++ = '-'; /* words are reported in order */
    *shorts++ = ':'; /* a missing value is told from an unknown option */
    for (size_t i = 0; i < mb_option_count; i++) {
        const struct mb_option_row *row = &mb_option_rows[i];
        tables->longs[i] = (struct option){
            .name = row->name,
            .has_arg = row->argument != NULL ? required_argument : no_argument,
            .val = LONG_BASE + (int)i,
        };
        if (row->short_name != 0) {
            *shorts++ = row->short_name;
            if (row->argument != NULL) {
                *shorts++ = ':';
            }
        }
    }
}

void mb_option_scan_json_switch(struct mb_option_scan *scan)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (strcmp(mb_option_rows[i].name, "json") == 0) {
            scan->longs[i].has_arg = optional_argument;
        }
    }
}

static const struct mb_option_row *find_row(int value)
{
    for (size_t i = 0; i < mb_option_count; i++) {
        if (value == LONG_BASE + (int)i ||
            (value != 0 && value == mb_option_rows[i].short_name)) {
            return &mb_option_rows[i];
        }
    }
    return NULL;
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

/* An unknown or ambiguous long option, as written: "--smaples=3". */
static enum mb_status fail_unknown_long(const char *written, struct mb_err *err)
{
    char name[64];
    const char *names[MB_MAX_OPTIONS];
    const char *matches[MB_MAX_OPTIONS];
    size_t n_matches = 0;
    const char *bare = written + strspn(written, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(bare, "="), bare);
    for (size_t i = 0; i < mb_option_count; i++) {
        names[i] = mb_option_rows[i].name;
        if (strncmp(names[i], name, strlen(name)) == 0) {
            matches[n_matches++] = names[i];
        }
    }
    if (n_matches > 1) {
        return fail_ambiguous(name, matches, n_matches, err);
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "unknown option '--%s'", name);
    const char *near = mb_nearest_name(name, names, mb_option_count);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '--%s'?", near);
    } else {
        mb_err_hint(err, "'mipbench --help' lists them");
    }
    return status;
}

static enum mb_status fail_unknown(char *const *argv, struct mb_err *err)
{
    const struct mb_option_row *row = find_row(optopt);
    if (row != NULL && optopt >= LONG_BASE) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s takes no value", row->name);
    }
    if (optopt == 0) {
        return fail_unknown_long(argv[optind - 1], err);
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "unknown option '-%c'", optopt);
    mb_err_hint(err, "'mipbench --help' lists them");
    return status;
}

void mb_option_scan_init(struct mb_option_scan *scan, int argc, char *const *argv)
{
    *scan = (struct mb_option_scan){.argc = argc, .argv = argv};
    make_tables(scan);
    optind = 0; /* glibc and musl: start over */
    opterr = 0;
}

/* The words after "--". */
static void take_rest(const struct mb_option_scan *scan, struct mb_option_item *item)
{
    if (optind < scan->argc) {
        item->kind = MB_ITEM_INPUT;
        item->value = scan->argv[optind++];
    }
}

enum mb_status mb_option_scan_next(struct mb_option_scan *scan, struct mb_option_item *item,
                                   struct mb_err *err)
{
    *item = (struct mb_option_item){.kind = MB_ITEM_END};
    const int value =
        scan->is_at_rest ? -1
                         : getopt_long(scan->argc, scan->argv, scan->shorts, scan->longs, NULL);
    if (value == -1) {
        scan->is_at_rest = true;
        take_rest(scan, item);
        return MB_OK;
    }
    if (value == WORD) {
        *item = (struct mb_option_item){.kind = MB_ITEM_WORD, .value = optarg};
        return MB_OK;
    }
    const struct mb_option_row *row = find_row(value == ':' ? optopt : value);
    if (value == ':') {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s needs a value: %s", row->name, row->argument);
    }
    if (row == NULL) {
        return fail_unknown(scan->argv, err);
    }
    *item = (struct mb_option_item){.kind = MB_ITEM_OPTION, .row = row, .value = optarg};
    return MB_OK;
}
