/* Results that cannot be compared, and why. */
#ifndef MB_COMPARE_GAP_H
#define MB_COMPARE_GAP_H

#include "compare/comparison.h"
#include "compare/group.h"

/* Add a gap whose reason is `who`, `what`, and after a colon `why` unless it is empty. */
void mb_gap_add(struct mb_comparison *out, const struct mb_file_result *result,
                bool is_regression, const char *who, const char *what, const char *why);

/* A result that is there and has no figures: skipped, or without good samples. */
void mb_gap_add_useless(struct mb_comparison *out, const struct mb_file_result *result,
                        const char *who, bool is_regression);

/* A result that one side lacks, with what comes nearest to it there: the same fewer times, in
 * another format, or under another condition. It is a regression if it `was_right` in the base
 * and is not there at all. */
void mb_gap_add_missing(struct mb_comparison *out, const struct mb_file_result *result,
                        const struct mb_run_group *own, const struct mb_run_group *other,
                        bool is_in_base, bool was_right);

#endif
