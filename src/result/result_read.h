/* Reads results.json into the struct that it was written from. */
#pragma once

#include "result/result.h"

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

/* The same for one file in memory; `path` is for messages. */
MB_MUST_CHECK enum mb_status mb_run_parse(const char *path, const char *text,
                                          struct mb_run *run, struct mb_err *err);
