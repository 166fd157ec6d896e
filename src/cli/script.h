/* Makes the page of a report by running report.py, a script beside the program. */
#pragma once

#include "base/strlist.h"
#include "cli/options/options.h"

/* Check that python3 is on PATH and the script exists: in $MIPBENCH_DATA if that is set, else
 * beside an installed program, in the source tree, or where it would be installed.
 * MB_ERRC_OUTPUT if not. */
MB_MUST_CHECK enum mb_status mb_page_check(struct mb_err *err);

/* Make the page `page` from the results in `inputs`; no shell is involved. MB_ERRC_OUTPUT if
 * the script cannot be run, or if it fails, having said why on stderr. MB_ERRC_INPUT if the
 * script refuses an input. */
MB_MUST_CHECK enum mb_status mb_page_make(const char *page, const struct mb_strlist *inputs,
                                          uint32_t max_pictures_mb, struct mb_err *err);

/* `mipbench report`: make the page of options->inputs. */
MB_MUST_CHECK enum mb_status mb_report_run(const struct mb_options *options,
                                           struct mb_err *err);
