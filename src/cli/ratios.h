/* `mipbench compare --ratios`: ratios of any times and their products, for scripts/claims.py.
 *
 * The file asks with {"wanted": [ASKED, ...]}, where ASKED is one of
 *   {"factors": [{"runs": [{"times": [TIME, ...], "over": [TIME, ...]}, ...], "power": 1},
 * ...]}
 *   {"mean": [number, ...]}
 * Times are in the order they were taken. "over": what they are divided by one by one, as in
 * blocks; may be left out. "power": 1, the default, or -1. TIME is a number, or an array of up
 * to MB_MAX_PARTS whose median it is. "mean" is of figures that runs give once each.
 *
 * The answer is {"estimates": [{"figure": number, "ci": [low, high]}, ...]}, in the order
 * asked. Both ends of `ci` are null where a run has fewer than MB_FEW_SAMPLES, or a mean one
 * number. */
#ifndef MB_CLI_RATIOS_H
#define MB_CLI_RATIOS_H

#include "cli/options/options.h"

/* Read the file that the options name, and write the answer where --json says, or on stdout. */
MB_MUST_CHECK enum mb_status mb_ratios_show(const struct mb_options *options,
                                            struct mb_err *err);

#endif
