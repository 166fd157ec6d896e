/* How far the decisions of a tuning reach, and where the winner changes. Pure. */
#ifndef MB_TUNE_CLASS_H
#define MB_TUNE_CLASS_H

#include "tune/model.h"

/* Where a ratio of times is 1, by a straight line through its logarithm over that of the
 * texels; NaN where it does not change sides between `below` and `above`. */
double mb_tune_cross(double below_texels, double below_ratio, double above_texels,
                     double above_ratio);

/* Fill the classes of `tune`, and how far what was chosen in its cases reaches, replacing what
 * was there. A class reaches down to
 * what the next smaller one covers, the smallest to 1x1; up to the crossover to the next one,
 * or halfway to it (geometrically), or to its own size where its winner cannot run above; the
 * largest no further than its own size. */
MB_MUST_CHECK enum mb_status mb_tune_classify(struct mb_tune *tune, struct mb_err *err);

#endif
