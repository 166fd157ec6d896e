/* Runs taken together: those of files (`compare --pool`), and those that it makes (`--runs`).
 */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "compare/match.h"
#include "cli/options/options.h"

/* Pool the files, print their tables, and write the JSON that the options name. */
MB_MUST_CHECK enum mb_status mb_pool_show(const struct mb_options *options,
                                          const struct mb_run_group *files, struct mb_err *err);

/* As JSON: a run in a list, and an array of the lines of a text, each ended by a newline; the
 * text is finished. */
void mb_pool_json_run(struct mb_json *json, struct cJSON *list, const struct mb_run *run);
void mb_pool_json_lines(struct mb_json *json, struct cJSON *node, const char *key,
                        struct mb_strbuf *lines);

/* One run: as MB_VERB_RUN without --runs, but for `options->set`, of which it sets is_complete.
 */
typedef enum mb_status mb_run_once(const struct mb_options *options, struct mb_err *err);

/* Make options->n_runs of them, each with a device and images of its own, in DIR/run-1 to
 * DIR/run-N, and show their figures pooled. Only the first writes pictures and texture files. A
 * run that did not get to its end is the last one. What is wrong with a run is logged at its
 * end, as others follow; if anything was, it fails with the code of the first such run. */
MB_MUST_CHECK enum mb_status mb_pool_make(const struct mb_options *options, mb_run_once *run,
                                          struct mb_err *err);
