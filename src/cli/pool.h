/* Shows runs pooled: the runs in given files (`compare --pool`) or the runs of a set
 * (`--runs`). */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "compare/match.h"
#include "cli/options/options.h"

/* Pool the files, print their tables, and write the JSON that the options name. */
MB_MUST_CHECK enum mb_status mb_pool_show(const struct mb_options *options,
                                          const struct mb_run_group *files, struct mb_err *err);

/* Add a run to a JSON list; add the lines of a text, each ended by a newline, as a JSON array,
 * and finish the text. */
void mb_pool_json_run(struct mb_json *json, struct cJSON *list, const struct mb_run *run);
void mb_pool_json_lines(struct mb_json *json, struct cJSON *node, const char *key,
                        struct mb_strbuf *lines);
