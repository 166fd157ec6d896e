/* --report: scripts/report.py, found beside the program and run on what a run left. */
#pragma once

#include <limits.h>

#include "base/err.h"

struct mb_page_tools {
    char python[PATH_MAX];
    char script[PATH_MAX];
};

/* Find python3, on PATH or as /usr/bin/python3, and report.py: in $MIPBENCH_DATA where that is
 * set, else beside an installed program, in the source tree, or where it would be installed.
 * What is not there is MB_ERRC_OUTPUT. */
MB_MUST_CHECK enum mb_status mb_page_find(struct mb_page_tools *tools, struct mb_err *err);

/* Make DIR/report.html of DIR/results.json; no shell is involved. What report.py says of an
 * error is on stderr then, and the status is MB_ERRC_OUTPUT. */
MB_MUST_CHECK enum mb_status mb_page_make(const struct mb_page_tools *tools, const char *dir,
                                          struct mb_err *err);
