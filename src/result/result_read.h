/* Reading the results.json of some earlier run into what it was written from. */
#pragma once

#include "result/result.h"

#define MB_RESULT_FILE_MAX_BYTES (512u * 1024u * 1024u)

/* That the name of a manifest or module has at most, in mb_run.kernels. */
#define MB_MODULE_NAME_BYTES 200

/* Read a file. Texts are valid UTF-8 without control characters, cut to their arrays; figures
 * that cannot be are NaN; settings and table are NULL. One that cannot be read, is not JSON, is
 * not ours, or is of another major version of the schema is MB_ERRC_INPUT, with the path and
 * what is wrong. */
MB_MUST_CHECK enum mb_status mb_run_read(const char *path, struct mb_run *run,
                                         struct mb_err *err);

/* Read runs[n], in the order of `paths`; owned by the caller (mb_runs_finish). After a failure,
 * that of the first file that cannot be read, there are none. */
MB_MUST_CHECK enum mb_status mb_runs_read(const char *const *paths, size_t n,
                                          struct mb_run **runs, struct mb_err *err);
/* Accepts NULL. */
void mb_runs_finish(struct mb_run *runs, size_t n);

/* The same of one from text in memory; `path` is for messages. */
MB_MUST_CHECK enum mb_status mb_run_parse(const char *path, const char *text,
                                          struct mb_run *run, struct mb_err *err);
