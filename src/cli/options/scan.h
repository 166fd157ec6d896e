/* Splits argv into a verb, options and words, one at a time and in order. */
#pragma once

#include "cli/options/options.h"

/* Zero, but for `argc` and `argv`, is a scan at its beginning. */
struct mb_scan {
    int argc;
    char *const *argv;
    int n_done;         /* words behind argv[0] */
    const char *bundle; /* what is left of "-qvv", or NULL */
    bool is_at_rest;    /* after "--" */
    bool has_words;     /* a verb or an input: no further word is a verb */
    enum mb_verb verb;  /* in effect; "run" without one */
};

enum mb_scan_kind {
    MB_SCAN_END,
    MB_SCAN_VERB,
    MB_SCAN_OPTION,
    MB_SCAN_WORD,
};

struct mb_scan_item {
    enum mb_scan_kind kind;
    const struct mb_option_row *row; /* of an option */
    const char *value;               /* of an option, NULL without one; or the word */
};

/* Get the next item. Long options may be abbreviated while they stay unique. Unknown options
 * and missing values are MB_ERRC_USAGE. */
MB_MUST_CHECK enum mb_status mb_scan_next(struct mb_scan *scan, struct mb_scan_item *item,
                                          struct mb_err *err);
