/* The results of a tuning as text. Pure. */
#pragma once

#include "tune/choose.h"

/* tune.json (results/tune.schema.json). Newly allocated text (mb_free), ending in a newline;
 * fails only without memory. */
MB_MUST_CHECK enum mb_status mb_tune_json(const struct mb_run *run, const struct mb_tune *tune,
                                          char **text, struct mb_err *err);

/* mipbench_tuned.h, likewise: stands alone in C11 and C++11, with a table of the classes and a
 * function that looks up a format, reduction, question and size. */
MB_MUST_CHECK enum mb_status mb_tune_header(const struct mb_run *run,
                                            const struct mb_tune *tune, char **text,
                                            struct mb_err *err);
