/* argv split into options and words, one by one; private to src/cli. */
#ifndef MB_CLI_OPTION_SCAN_H
#define MB_CLI_OPTION_SCAN_H

#include <getopt.h>

#include "cli/option_table.h"

#define MB_MAX_OPTIONS 64

/* getopt keeps its place in globals: one scan at a time. */
struct mb_option_scan {
    int argc;
    char *const *argv;
    bool is_at_rest; /* after "--" */
    struct option longs[MB_MAX_OPTIONS];
    char shorts[2 + 2 * MB_MAX_OPTIONS + 1];
};

enum mb_option_item_kind {
    MB_ITEM_END,
    MB_ITEM_OPTION,
    MB_ITEM_WORD,  /* a verb or an input */
    MB_ITEM_INPUT, /* a word after "--": never a verb */
};

struct mb_option_item {
    enum mb_option_item_kind kind;
    const struct mb_option_row *row; /* of an option */
    const char *value;               /* of an option, NULL without one; or the word */
};

void mb_option_scan_init(struct mb_option_scan *scan, int argc, char *const *argv);

/* The next of them. Unknown options and missing values are MB_ERRC_USAGE. */
MB_MUST_CHECK enum mb_status mb_option_scan_next(struct mb_option_scan *scan,
                                                 struct mb_option_item *item,
                                                 struct mb_err *err);

/* From here on --json takes no file, as `mipbench list --json` does. */
void mb_option_scan_json_switch(struct mb_option_scan *scan);

#endif
