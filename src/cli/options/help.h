/* Help for a terminal, made from the tables of options and verbs. */
#pragma once

#include "cli/options/options.h"

/* Append the help on one verb: its usage, what it does, all its options, and examples. For
 * MB_VERB_HELP, append the overview: verbs, common options, exit codes, environment. No line
 * is wider than 80 columns. */
void mb_help_add(struct mb_strbuf *out, enum mb_verb verb);

/* Append the usage lines that are shown when there are no arguments. */
void mb_help_add_short(struct mb_strbuf *out);
