/* What a tuning decides by: which variants go on, which are chosen, and how far
 * that reaches. Pure. */
#pragma once

#include "tune/model.h"

/* Drop those of the active variants that are behind the best of each of their questions by more
 * than `margin` (1.25: a quarter slower), and with a `cap` above 0 those that are not among
 * that many best of any; `pass` is noted. Returns how many are left. */
size_t mb_tune_select(struct mb_tune_variant *variants, size_t n_variants, double margin,
                      size_t cap, uint32_t pass);

/* After a final with wrong ones in it (failed): those may have been the bar that others were
 * dropped for. Select again without them by the last pass. True if somebody has to be measured
 * that was not, and then all who are in the new selection are active. What stays dropped is
 * held against the new bar. */
bool mb_tune_reopen(struct mb_tune_case *c);

/* Ask each question of `timing` in turn, and choose by its ranking. The fastest is that of the
 * least median. What cannot be told from it, and is at most MB_MARGIN behind, is as good: of
 * these, the one with the fewest parameters off their defaults is chosen, then of the fewest
 * dispatches, then of the smallest interquartile range relative to its median. Relations of the
 * timing are made anew, and at the end are those of its own question. Fails only without
 * memory. */
MB_MUST_CHECK enum mb_status mb_tune_choose(struct mb_timing *timing, uint64_t seed,
                                            struct mb_tune_choice choice[MB_N_QUESTIONS],
                                            struct mb_err *err);

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
