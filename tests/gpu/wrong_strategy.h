/* A strategy that is wrong on purpose, in ways that the verifier must find; never registered.
 */
#ifndef MB_TESTS_WRONG_STRATEGY_H
#define MB_TESTS_WRONG_STRATEGY_H

#include "strategy.h"

/* Values of the parameter `defect`, in its order. */
enum defect {
    DEFECT_NONE,       /* the control */
    DEFECT_DROP_ROW,   /* claims box, drops the last row and column of odd sizes */
    DEFECT_SWAP,       /* red and blue swapped at level 2 */
    DEFECT_UNWRITTEN,  /* texel (3, 2) of level 1 is not written */
    DEFECT_BIAS,       /* one code too bright */
    DEFECT_HALF_BIAS,  /* half a code too bright */
    DEFECT_LEVEL0,     /* writes into level 0 */
    DEFECT_SKIP_LEVEL, /* level 2 is never written */
    DEFECT_TRUNCATE,   /* rounds down, and claims what kernels that load by the filter do */
    N_DEFECTS
};

extern const struct mb_strategy mb_strategy_wrong;

#endif
