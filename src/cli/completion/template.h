/* Fills the templates of the man page and of the shell completions at build time, from the
 * tables of options, strategies, formats and patterns. */
#pragma once

#include "base/strbuf.h"
#include "cli/options/options.h"

/* What replaces @NAME@ in a template. Lists of these end with a NULL name. */
struct mb_template_part {
    const char *name;
    void (*add)(struct mb_strbuf *out);
};

extern const struct mb_template_part mb_shell_parts[];
extern const struct mb_template_part mb_man_parts[]; /* scdoc source */

/* Append `text` with `escape` before each of the characters in `special`. */
void mb_template_escaped(struct mb_strbuf *out, const char *text, const char *special,
                         const char *escape);
