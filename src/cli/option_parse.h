/* The parser's state and its helpers for lists of values; private to src/cli. */
#ifndef MB_CLI_OPTION_PARSE_H
#define MB_CLI_OPTION_PARSE_H

#include "cli/option_table.h"

struct mb_option_parse {
    struct mb_options *options;
    const char **specs; /* room for every spec that argv can hold */
    size_t n_specs;
    const char **inputs; /* room for every word */
    size_t n_inputs;
    char *text; /* where the next split text goes; room for all of argv */
    bool has_list_what;
    uint64_t given; /* bit i: row i of the table was given */
};

/* Call `add` for each item of the comma-separated `value`; an empty item is an error. The items
 * live as long as the options. */
MB_MUST_CHECK enum mb_status mb_option_parse_each(
    const struct mb_option_row *row, const char *value, struct mb_option_parse *parse,
    enum mb_status (*add)(struct mb_option_parse *parse, const struct mb_option_row *row,
                          const char *item, struct mb_err *err),
    struct mb_err *err);

/* Keep one strategy spec. */
MB_MUST_CHECK enum mb_status mb_option_add_spec(struct mb_option_parse *parse,
                                                const struct mb_option_row *row,
                                                const char *item, struct mb_err *err);

#endif
