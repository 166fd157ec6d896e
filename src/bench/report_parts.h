/* Parts of results.json that are about measurement; private to src/bench/report*.c. */
#ifndef MB_BENCH_REPORT_PARTS_H
#define MB_BENCH_REPORT_PARTS_H

#include "base/json.h"
#include "bench/result.h"

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
