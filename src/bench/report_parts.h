/* Parts of results.json; private to src/bench, where other files of results are made. */
#ifndef MB_BENCH_REPORT_PARTS_H
#define MB_BENCH_REPORT_PARTS_H

#include "base/json.h"
#include "bench/result.h"

/* "run", "host", "device", "timer": members of the root. */
void mb_report_run(struct mb_json *json, const struct mb_run *run);
void mb_report_host(struct mb_json *json, const struct mb_host_info *host);
void mb_report_device(struct mb_json *json, const struct mb_gpu_info *device);
void mb_report_timer(struct mb_json *json, const struct mb_timer_info *timer);

/* "params": all of them, defaults included: a default may change with a version. */
void mb_report_params(struct mb_json *json, struct cJSON *parent,
                      const struct mb_strategy *strategy, const struct mb_params *params);

/* "rects": of level 0, and "rect": the least that holds them all; both null where the whole
 * chain is made. */
void mb_report_rects(struct mb_json *json, struct cJSON *parent, const struct mb_task *task);

/* "roofline": the last-level cache, bandwidths, dispatches. */
void mb_report_roofline(struct mb_json *json, const struct mb_roofline *roofline);

/* "cells": condition, blocks with their probes, the A/A twin, bandwidths at the footprint. */
void mb_report_cells(struct mb_json *json, const struct mb_run *run);

/* "comparisons": each verified result with the fastest of its cell. */
void mb_report_comparisons(struct mb_json *json, const struct mb_run *run);

/* Of one result: where its samples stand in their blocks, what was repeated, parts of batches,
 * the null twin, the split by level, the fraction of the limit, the relation. */
void mb_report_timing(struct mb_json *json, struct cJSON *node, const struct mb_cell *cell,
                      const struct mb_result *result);

void mb_report_stats(struct mb_json *json, struct cJSON *parent, const char *key,
                     const struct mb_stats *stats);

/* "photo_64x64_rgba8_avg/cold-latency", and with a result's slug between: ids in the JSON. */
void mb_report_cell_id(const struct mb_cell *cell, char *out, size_t out_bytes);
void mb_report_result_id(const struct mb_cell *cell, const struct mb_result *result, char *out,
                         size_t out_bytes);

#endif
