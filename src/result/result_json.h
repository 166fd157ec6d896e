/* The results of a run as JSON (results/schema.json), and parts that tune.json and the output
 * of `list` and `inspect` share with it. Opens no files. */
#pragma once

#include "result/field.h"
#include "result/result.h"

/* Newly allocated (mb_free), valid UTF-8, ending in a newline; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_report_json(const struct mb_run *run, char **text,
                                            struct mb_err *err);

/* "run", "host", "device", "timer": members of the root. */
void mb_report_head(struct mb_json *json, const struct mb_run *run);

/* Facts about a device, as members of `node`. */
void mb_report_device(struct mb_json *json, struct cJSON *node,
                      const struct mb_gpu_info *device);

/* All but the schema, written or read (result/case_json.h). The command line, layers, manifests
 * and shaders are only written. */
void mb_run_fields(struct mb_node root, struct mb_run *run);
