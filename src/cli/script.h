/* Scripts of scripts/, found beside the program: what --report is made by. */
#pragma once

#include "base/os.h"

struct mb_script {
    const char *option, *name; /* "--report", "report.py" */
    char python[MB_PATH_BYTES];
    char path[MB_PATH_BYTES];
};

/* Find python3, on PATH, and the script: in $MIPBENCH_DATA where that is set, else beside an
 * installed program, in the source tree, or where it would be installed. What is not there is
 * MB_ERRC_OUTPUT. */
MB_MUST_CHECK enum mb_status mb_script_find(struct mb_script *script, const char *option,
                                            const char *name, struct mb_err *err);

/* Run `NAME FIRST -- SECOND`; no shell is involved. What the script says of an error is on
 * stderr then, and the status is MB_ERRC_OUTPUT. */
MB_MUST_CHECK enum mb_status mb_script_run(const struct mb_script *script, const char *first,
                                           const char *second, struct mb_err *err);
