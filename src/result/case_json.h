/* The parts of results.json: written to a node, or read from it (result/field.h). What is read
 * is untrusted: the reader notes why it cannot be used. */
#pragma once

#include "result/field.h"
#include "result/ranking.h"
#include "result/result.h"

#define MB_MAX_VARIANTS 4096 /* of a case in a file: searched one by one */

/* `c` is zero where it is read. */
void mb_case_fields(struct mb_node node, struct mb_run *run, struct mb_case *c);

/* c->timings, which point into the case, and whose fastest rows are chosen when read. */
void mb_timing_list(struct mb_node node, struct mb_run *run, struct mb_case *c);

void mb_warning_list(struct mb_node node, struct mb_warnings *warnings);

void mb_bandwidth_fields(struct mb_node node, struct mb_bandwidth *bandwidth);

/* of[n]: by traffic, those of buffers before those of images. */
void mb_bandwidth_list(struct mb_node parent, const char *key, struct mb_bandwidth *of,
                       size_t n);

/* "params": all of them, defaults included: a default may change with a version. */
void mb_report_params(struct mb_json *json, struct cJSON *parent,
                      const struct mb_strategy *strategy, const struct mb_params *params);

/* "rect": of level 0; null where the whole chain is made. */
void mb_report_rect(struct mb_json *json, struct cJSON *parent, const struct mb_task *task);

/* "pipelines": by executable, under the driver's names; NULL: none. */
void mb_report_facts(struct mb_json *json, struct cJSON *parent,
                     const struct mb_pipeline_facts *facts);

/* "rankings": of the first question that any row answers, and next to exact rows of `any`. */
void mb_report_rankings(struct mb_json *json, struct cJSON *parent,
                        const struct mb_ranking *ranking);

/* "relative"; null without a ratio. */
void mb_report_relation(struct mb_json *json, struct cJSON *parent,
                        const struct mb_relation *relation);

/* null without samples. */
void mb_report_stats(struct mb_json *json, struct cJSON *parent, const char *key,
                     const struct mb_stats *stats);
