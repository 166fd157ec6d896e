/* Splits argv into options and words, one at a time and in order. */
#ifndef MB_CLI_OPTIONS_SCAN_H
#define MB_CLI_OPTIONS_SCAN_H

#include "cli/options/options.h"

struct mb_scan {
    int argc;
    char *const *argv;
    int next;           /* index of the next word */
    const char *bundle; /* what is left of "-qvv", or NULL */
    bool is_at_rest;    /* after "--" */
};

enum mb_scan_kind {
    MB_SCAN_END,
    MB_SCAN_OPTION,
    MB_SCAN_WORD,  /* a verb or an input */
    MB_SCAN_INPUT, /* a word after "--": never a verb */
};

struct mb_scan_item {
    enum mb_scan_kind kind;
    const struct mb_option_row *row; /* of an option */
    const char *value;               /* of an option, NULL without one; or the word */
};

void mb_scan_init(struct mb_scan *scan, int argc, char *const *argv);

/* Get the next item; `verb` is the one in effect. Long options may be abbreviated while they
 * stay unique. Unknown options and missing values are MB_ERRC_USAGE. */
MB_MUST_CHECK enum mb_status mb_scan_next(struct mb_scan *scan, enum mb_verb verb,
                                          struct mb_scan_item *item, struct mb_err *err);

#endif
