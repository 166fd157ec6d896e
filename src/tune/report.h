/* A tuning as text for machines: tune.json (results/tune.schema.json). Pure. */
#ifndef MB_TUNE_REPORT_H
#define MB_TUNE_REPORT_H

#include "tune/model.h"

/* Newly allocated text (mb_free), ending in a newline; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_tune_json(const struct mb_run *run, const struct mb_tune *tune,
                                          char **text, struct mb_err *err);

/* The rules, in words, for the file and its readers. */
extern const char mb_tune_drop_rule[];
extern const char mb_tune_choice_rule[];
extern const char mb_tune_reach_rule[];

#endif
