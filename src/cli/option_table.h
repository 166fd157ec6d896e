/* The one table of options, shared by the parser and the help; private to src/cli. */
#ifndef MB_CLI_OPTION_TABLE_H
#define MB_CLI_OPTION_TABLE_H

#include "cli/options.h"

enum mb_option_group {
    MB_GROUP_WHAT,
    MB_GROUP_IMAGE,
    MB_GROUP_MEASURE,
    MB_GROUP_OUTPUT,
    MB_GROUP_GENERAL,
    MB_GROUP_COUNT,
};

#define MB_FOR_RUN     1u
#define MB_FOR_LIST    2u
#define MB_FOR_COMPARE 4u

struct mb_option_parse; /* option_parse.h */

struct mb_option_row {
    const char *name;     /* long name, without dashes */
    char short_name;      /* or 0 */
    const char *argument; /* its name in the help, or NULL: a switch */
    unsigned verbs;       /* MB_FOR_... that it applies to */
    enum mb_option_group group;
    const char *help; /* one or two lines, with the default */
    size_t field;     /* of apply_text and apply_switch: its offset in struct mb_options */
    /* Take `value` (NULL for a switch, else never empty). */
    enum mb_status (*apply)(struct mb_option_parse *parse, const struct mb_option_row *row,
                            const char *value, struct mb_err *err);
};

extern const struct mb_option_row mb_option_rows[];
extern const size_t mb_option_count;

#endif
