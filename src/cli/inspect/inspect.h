/* `mipbench inspect`: what the kernels are compiled to, as a table or as JSON. */
#pragma once

#include "base/json.h"
#include "cli/inspect/kernels.h"
#include "cli/table.h"

/* A table for each format and size; with `verbosity` all that the driver tells as well. */
void mb_inspect_text(struct mb_strbuf *out, const struct mb_inspection *inspection,
                     const struct mb_table_style *style, int verbosity);

/* Members of the root. */
void mb_inspect_json(struct mb_json *json, const struct mb_inspection *inspection);

/* Compile and print what the options ask for. MB_ERRC_UNSUPPORTED where what was asked for
 * by name is refused, or all is; MB_ERRC_RUNTIME where a driver failed. */
MB_MUST_CHECK enum mb_status mb_inspect_run(const struct mb_options *options,
                                            struct mb_err *err);
