/* The results of a run as JSON (results/schema.json), and the parts of it that other files of
 * results have, too. Pure: no files. */
#pragma once

#include "base/json.h"
#include "result/result.h"

/* Newly allocated (mb_free), valid UTF-8, ending in a newline; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_report_json(const struct mb_run *run, char **text,
                                            struct mb_err *err);

/* "run", "host", "device", "timer": members of the root. */
void mb_report_head(struct mb_json *json, const struct mb_run *run);

/* What is known of any device, as members of `node`. */
void mb_report_device(struct mb_json *json, struct cJSON *node,
                      const struct mb_gpu_info *device);

/* "params": all of them, defaults included: a default may change with a version. */
void mb_report_params(struct mb_json *json, struct cJSON *parent,
                      const struct mb_strategy *strategy, const struct mb_params *params);

/* "rect": of level 0; null where the whole chain is made. */
void mb_report_rect(struct mb_json *json, struct cJSON *parent, const struct mb_task *task);

/* "pipelines": by executable, under the driver's names; NULL: none. */
void mb_report_facts(struct mb_json *json, struct cJSON *parent,
                     const struct mb_pipeline_facts *facts);

/* "rankings": of the first question that any row answers, and next to exact rows of `any`. */
void mb_report_rankings(struct mb_json *json, struct cJSON *parent, const struct mb_run *run,
                        const struct mb_timing *timing);

/* null without samples. */
void mb_report_stats(struct mb_json *json, struct cJSON *parent, const char *key,
                     const struct mb_stats *stats);
