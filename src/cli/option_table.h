/* The one table of options, from which the parser, the help, the man page and the completions
 * of shells are made; private to src/cli. */
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
#define MB_FOR_TUNE    8u
#define MB_FOR_EXPORT  16u

/* What a shell offers for the value of an option. */
enum mb_offer {
    MB_OFFER_BY_ARGUMENT, /* the words of "a|b|c", files for FILE, folders for DIR, else nothing
                           */
    MB_OFFER_STRATEGIES,
    MB_OFFER_FORMATS,
    MB_OFFER_DEVICES,
};

struct mb_option_parse; /* option_parse.h */

struct mb_option_row {
    const char *name;     /* long name, without dashes */
    char short_name;      /* or 0 */
    const char *argument; /* its name in the help, or NULL: a switch */
    unsigned verbs;       /* MB_FOR_... that it applies to */
    enum mb_option_group group;
    const char *help; /* one or two lines, with the default */
    enum mb_offer offer;
    size_t field; /* of apply_text and apply_switch: its offset in struct mb_options */
    /* Take `value` (NULL for a switch, else never empty). */
    enum mb_status (*apply)(struct mb_option_parse *parse, const struct mb_option_row *row,
                            const char *value, struct mb_err *err);
};

extern const struct mb_option_row mb_option_rows[];
extern const size_t mb_option_count;

extern const char *const mb_option_group_titles[MB_GROUP_COUNT];

/* Words that may come first, and with which options. */
struct mb_verb_row {
    enum mb_verb verb;
    const char *name;
    unsigned mask; /* of the options that go with it */
    const char *help;
};

extern const struct mb_verb_row mb_verb_rows[];
extern const size_t mb_verb_count;

/* What may follow "list", in the order of enum mb_list_what, from its second value on. */
extern const char *const mb_list_names[];
extern const size_t mb_list_name_count;

#endif
