/* Fills the templates of the man page and of the shell completions at build time, from the
 * tables of options, strategies, formats and patterns. */
#ifndef MB_CLI_COMPLETION_TEMPLATE_H
#define MB_CLI_COMPLETION_TEMPLATE_H

#include "base/strbuf.h"
#include "cli/options/options.h"

/* What replaces @NAME@ in a template. Lists of these end with a NULL name. */
struct mb_template_part {
    const char *name;
    void (*add)(struct mb_strbuf *out);
};

extern const struct mb_template_part mb_bash_parts[]; /* and what all shells use */
extern const struct mb_template_part mb_zsh_parts[];
extern const struct mb_template_part mb_fish_parts[];
extern const struct mb_template_part mb_man_parts[]; /* scdoc source */

/* What can be offered as the value of an option. */
enum mb_value {
    MB_VALUE_FREE, /* nothing */
    MB_VALUE_STRATEGIES,
    MB_VALUE_WORDS,
    MB_VALUE_LIST, /* words joined by commas */
    MB_VALUE_FILE,
    MB_VALUE_FOLDER,
    MB_N_VALUES,
};

/* Append the action by which a shell offers values for an option. '@' in an action is
 * replaced by the words of MB_VALUE_WORDS and MB_VALUE_LIST, separated by blanks. */
void mb_template_value(struct mb_strbuf *out, const struct mb_option_row *row,
                       const char *const actions[MB_N_VALUES]);

/* For each strategy append `begin` with its name in place of "%s", the "key=value" pairs of
 * its parameters separated by blanks, and `end`. */
void mb_template_params(struct mb_strbuf *out, const char *begin, const char *end);

/* Append "-s", `separator` and "--strategy". */
void mb_template_names(struct mb_strbuf *out, const struct mb_option_row *row,
                       const char *separator);

/* Append `text` with `escape` before each of the characters in `special`. */
void mb_template_escaped(struct mb_strbuf *out, const char *text, const char *special,
                         const char *escape);

#endif
