/* Writes parts of results.json to a node, or reads them from it (result/field.h). Files are
 * untrusted: the reader notes why a file cannot be used. */
#pragma once

#include "result/field.h"
#include "result/ranking.h"
#include "result/result.h"

#define MB_MAX_VARIANTS 4096 /* most variants of a case in a file, searched one by one */

/* When reading, `c` starts zeroed. */
void mb_case_fields(struct mb_node node, struct mb_run *run, struct mb_case *c);

/* c->timings. When reading, this also chooses the fastest row of each timing. */
void mb_timing_list(struct mb_node node, struct mb_run *run, struct mb_case *c);

void mb_warning_list(struct mb_node node, struct mb_warnings *warnings);

/* "params": every parameter, even at its default: a later version may have other defaults. */
void mb_report_params(struct mb_json *json, struct cJSON *parent,
                      const struct mb_strategy *strategy, const struct mb_params *params);

/* "rect": the updated rectangle of level 0; null if the task makes the whole chain. */
void mb_rect_field(struct mb_node parent, struct mb_task *task);

/* "pipelines": one for each executable, with the driver's names; `facts` may be NULL. */
void mb_facts_list(struct mb_node parent, struct mb_pipeline_facts *facts);

/* "rankings": one for the timing's question, and if that is `exact`, another for `any`. */
void mb_report_rankings(struct mb_json *json, struct cJSON *parent,
                        const struct mb_ranking *ranking);

/* "relative"; null if the ratio is unknown. */
void mb_relation_field(struct mb_node parent, struct mb_relation *relation);

/* Writes null if there are no samples. */
void mb_stats_fields(struct mb_node parent, const char *key, struct mb_stats *stats);
