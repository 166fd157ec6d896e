/* The script that makes the page of a report: report.py, found beside the program. */
#pragma once

#include "base/os.h"
#include "base/strlist.h"
#include "cli/options/options.h"

struct mb_script {
    const char *option; /* that asks for it: "--report", "report" */
    char python[MB_PATH_BYTES];
    char path[MB_PATH_BYTES];
};

/* Find python3, on PATH, and the script: in $MIPBENCH_DATA where that is set, else beside an
 * installed program, in the source tree, or where it would be installed. What is not there is
 * MB_ERRC_OUTPUT. */
MB_MUST_CHECK enum mb_status mb_script_find(struct mb_script *script, const char *option,
                                            struct mb_err *err);

/* Run the script with these arguments; no shell is involved. `*code` is its exit code: above 0,
 * the script has said on stderr why. One that cannot be run, or is killed, is MB_ERRC_OUTPUT.
 */
MB_MUST_CHECK enum mb_status mb_script_run(const struct mb_script *script,
                                           const struct mb_strlist *args, int *code,
                                           struct mb_err *err);

/* `mipbench report`: the page of options->inputs. `*verdict` is the exit code of the script,
 * which has said what is wrong. */
MB_MUST_CHECK enum mb_status mb_report_run(const struct mb_options *options,
                                           enum mb_errc *verdict, struct mb_err *err);
