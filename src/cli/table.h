/* Results as a person reads them at a terminal. Pure: text into a string buffer. */
#ifndef MB_CLI_TABLE_H
#define MB_CLI_TABLE_H

#include "base/strbuf.h"
#include "bench/result.h"

struct mb_table_style {
    bool color;   /* ANSI colours, never the only sign */
    bool unicode; /* the locale is UTF-8; else plain ASCII */
};

/* "mipbench VERSION · DEVICE · driver X · Vulkan 1.4", and what holds for the whole run: a
 * software device, the validation layer, no timestamps. */
void mb_table_header(struct mb_strbuf *out, const struct mb_run *run, const char *version,
                     const struct mb_table_style *style);

/* One cell: a line on the input, the table, and mb_ranking_describe() on which strategy is
 * fastest. Columns of times are left out where nothing was timed, and there is one on the
 * distance to the box chain where a strategy's own policy differs from it at this size. */
void mb_table_cell(struct mb_strbuf *out, const struct mb_run *run, const struct mb_cell *cell,
                   const struct mb_table_style *style);

#endif
