/* The text of results.json (results/schema.json), made from a run and read back into one, and
 * the members that tune.json, `list` and `inspect` share. cli/output.c writes the file. */
#pragma once

#include "result/field.h"
#include "result/result.h"

/* Append results.json: valid UTF-8 that ends in a newline. */
void mb_run_json(const struct mb_run *run, struct mb_strbuf *out);

/* Likewise as CSV: a header, and a line per row with values quoted by RFC 4180. */
void mb_report_csv(const struct mb_run *run, struct mb_strbuf *out);

/* "run", "host", "device", "timer": members of the root. */
void mb_head_fields(struct mb_node root, struct mb_run *run);

/* Facts about a device, as members of `node`. */
void mb_device_fields(struct mb_node node, struct mb_gpu_info *device);

/* "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)", from a node with the members of mb_device_fields(). */
struct mb_text mb_device_driver(const struct cJSON *device);

#define MB_RESULT_FILE_MAX_BYTES (512u * 1024u * 1024u)

/* Longest name of a manifest or module in mb_run.kernels. */
#define MB_MODULE_NAME_BYTES 200

/* Read a file. Texts are valid UTF-8 without control characters, cut to their arrays;
 * impossible figures are NaN; settings and table are NULL. A file that cannot be opened, is not
 * JSON, is not from mipbench, or has another major version of the schema is MB_ERRC_INPUT, with
 * the path and the reason. */
MB_MUST_CHECK enum mb_status mb_run_read(const char *path, struct mb_run *run,
                                         struct mb_err *err);

/* Read runs[n], in the order of `paths`; owned by the caller (mb_runs_finish). Stops at the
 * first file that cannot be read, and then returns no runs. */
MB_MUST_CHECK enum mb_status mb_runs_read(const char *const *paths, size_t n,
                                          struct mb_run **runs, struct mb_err *err);
/* Accepts NULL. */
void mb_runs_finish(struct mb_run *runs, size_t n);

/* mb_run_read() of a text in memory; `path` is for messages. */
MB_MUST_CHECK enum mb_status mb_run_parse(const char *path, const char *text,
                                          struct mb_run *run, struct mb_err *err);
