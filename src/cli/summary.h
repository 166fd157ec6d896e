/* What closes a run of many images: who won where, by how much, and what failed. */
#pragma once

#include "base/strbuf.h"
#include "result/result.h"

enum mb_summary_form {
    MB_SUMMARY_PLAIN,
    MB_SUMMARY_COLORED, /* ANSI colours */
    MB_SUMMARY_MARKDOWN,
};

/* Append the summary of a run of two images or more; of one nothing. A table for each format
 * and condition with a row for each size: the strategy that is fastest in most of the images,
 * in how many, the range of the ratios of the next one there, and what holds in the other
 * images. Then the failed strategies with their images. `n_columns` of the terminal; 0: there
 * is none.
 */
void mb_summary_add(struct mb_strbuf *out, const struct mb_run *run, enum mb_summary_form form,
                    size_t n_columns);
