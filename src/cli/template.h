/* What fills the templates of the man page and of completions for shells, from the table of
 * options, the strategies, formats and patterns, while the program is built; private to
 * src/cli. Each function appends text to `out`. */
#ifndef MB_CLI_TEMPLATE_H
#define MB_CLI_TEMPLATE_H

#include "base/strbuf.h"
#include "cli/option_table.h"

/* Words with blanks between: verbs; what may follow "list"; what a strategy spec may begin
 * with; what can be exported; an input for each pattern. */
void mb_template_verbs(struct mb_strbuf *out);
void mb_template_list_names(struct mb_strbuf *out);
void mb_template_strategy_names(struct mb_strbuf *out);
void mb_template_export_names(struct mb_strbuf *out);
void mb_template_patterns(struct mb_strbuf *out);

/* For bash and zsh, cases of what is printed for a strategy: its parameters. For bash, of what
 * is printed for a verb: its options; a pattern of options that take a value; and cases of what
 * is offered for the value of each. */
void mb_template_sh_params(struct mb_strbuf *out);
void mb_template_bash_options(struct mb_strbuf *out);
void mb_template_bash_takes_value(struct mb_strbuf *out);
void mb_template_bash_values(struct mb_strbuf *out);

/* For zsh: arrays of what _arguments takes, one for each verb, and descriptions of verbs. */
void mb_template_zsh_options(struct mb_strbuf *out);
void mb_template_zsh_verbs(struct mb_strbuf *out);

/* For fish: a line for each verb and option, cases of parameters, and a pattern as for bash. */
void mb_template_fish_verbs(struct mb_strbuf *out);
void mb_template_fish_options(struct mb_strbuf *out);
void mb_template_fish_params(struct mb_strbuf *out);
void mb_template_fish_takes_value(struct mb_strbuf *out);

/* For the man page, in scdoc's language: options by group; strategies. */
void mb_template_man_options(struct mb_strbuf *out);
void mb_template_man_strategies(struct mb_strbuf *out);

/* What the value of an option is. */
enum mb_value {
    MB_VALUE_NONE, /* a switch */
    MB_VALUE_STRATEGIES,
    MB_VALUE_WORDS, /* mb_template_words */
    MB_VALUE_LIST,  /* the same, joined by commas */
    MB_VALUE_FILE,
    MB_VALUE_FOLDER,
    MB_VALUE_FREE, /* nothing to offer */
};

enum mb_value mb_template_value(const struct mb_option_row *row);

/* The words of MB_VALUE_WORDS and MB_VALUE_LIST; blanks between. */
void mb_template_words(struct mb_strbuf *out, const struct mb_option_row *row);

/* "key=value" of every parameter of a strategy; blanks between. */
void mb_template_params(struct mb_strbuf *out, const struct mb_strategy *strategy);

/* "-s", `separator`, "--strategy". */
void mb_template_names(struct mb_strbuf *out, const struct mb_option_row *row,
                       const char *separator);

/* `text` with each of the characters in `special` after `escape`. */
void mb_template_escaped(struct mb_strbuf *out, const char *text, const char *special,
                         const char *escape);

#endif
