/* The results of a run as CSV. Pure: no files. */
#pragma once

#include "result/result.h"

/* One line per row: header, then values quoted by RFC 4180. Newly allocated (mb_free), valid
 * UTF-8, ending in a newline; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_report_csv(const struct mb_run *run, char **text,
                                           struct mb_err *err);
