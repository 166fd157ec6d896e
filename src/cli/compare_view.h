/* A comparison as text, for a person and for machines; private to src/cli. Pure. */
#ifndef MB_CLI_COMPARE_VIEW_H
#define MB_CLI_COMPARE_VIEW_H

#include "base/strbuf.h"
#include "compare/runs.h"
#include "cli/table.h"

struct mb_compare_view {
    struct mb_run_group base, new_runs;
    const struct mb_compare_options *options;
    const struct mb_comparison *comparison;
};

enum mb_compare_detail {
    MB_COMPARE_BRIEF,   /* the table, what became worse, and the sum */
    MB_COMPARE_NORMAL,  /* with warnings and what could not be compared */
    MB_COMPARE_VERBOSE, /* with margins, probabilities and runs of each row */
};

/* The terminal's table. */
void mb_compare_text(struct mb_strbuf *out, const struct mb_compare_view *view,
                     enum mb_compare_detail detail, const struct mb_table_style *style);

/* GitHub Markdown with all of it. */
void mb_compare_markdown(struct mb_strbuf *out, const struct mb_compare_view *view);

/* `*text` is owned by the caller (mb_free). Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_compare_json(const struct mb_compare_view *view, char **text,
                                             struct mb_err *err);

#endif
