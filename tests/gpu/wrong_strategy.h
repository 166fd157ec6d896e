/* A strategy that is wrong on purpose, in ways that the judge must find; never registered.
 */
#pragma once

#include "strategy.h"

/* Values of the parameter `defect`, in its order; wrong.comp repeats the numbers. */
enum defect {
    DEFECT_NONE,         /* the control */
    DEFECT_DROP_ROW,     /* claims box, looks at two texels of the three of odd sizes */
    DEFECT_SWAP,         /* red and blue swapped at level 2 */
    DEFECT_UNWRITTEN,    /* texel (3, 2) of level 1 is not written */
    DEFECT_BIAS,         /* one code too bright */
    DEFECT_HALF_BIAS,    /* half a code too bright */
    DEFECT_LEVEL0,       /* writes into level 0 */
    DEFECT_SKIP_LEVEL,   /* level 2 is never written */
    DEFECT_TRUNCATE,     /* rounds down, and claims what kernels that load by the filter do */
    DEFECT_SRGB_CODES,   /* averages the codes of an sRGB format */
    DEFECT_SWAP_RG,      /* red and green swapped at level 2 */
    DEFECT_LAYER,        /* layer 2 is made of layer 1 */
    DEFECT_RECT_OUTSIDE, /* an update writes one texel beyond its affected region, and rightly
                          */
    DEFECT_RECT_MISS,  /* an update leaves out the last texel of its affected region, at level 1
                        */
    DEFECT_LEVEL_N,    /* writes the level after the last one asked for */
    DEFECT_ALPHA,      /* does not weigh colour by alpha */
    DEFECT_MAX_ROUNDS, /* the maximum goes through a half, or is off by a code */
    N_DEFECTS
};

extern const struct mb_strategy mb_strategy_wrong;
