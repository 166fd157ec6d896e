/* Verification of one case's outputs: the golden chains, made once, and the verdict. */
#pragma once

#include "image/compare.h"

#define MB_N_FILTERS (MB_N_POLICIES * MB_N_REDUCES * MB_N_ALPHAS)

struct mb_reference {
    struct mb_layout layout;
    const void *source; /* level 0 of every layer; borrowed */
    /* Unrounded chains [filter][layer], made when first asked for; policies that agree at this
     * size share the box chain. Owned. */
    struct mb_ideal *ideal[MB_N_FILTERS];
};

/* `source` must outlive the reference. Never fails: chains come later. */
void mb_reference_init(struct mb_reference *reference, const struct mb_layout *layout,
                       const void *source);
void mb_reference_finish(struct mb_reference *reference);

/* The policy whose chain stands for a filter's: where policies agree at this size, box. */
enum mb_policy mb_reference_policy(const struct mb_reference *reference,
                                   const struct mb_filter *filter);

/* The unrounded chain of a filter for one layer. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_reference_ideal(struct mb_reference *reference,
                                                const struct mb_filter *filter, uint32_t layer,
                                                const struct mb_ideal **ideal,
                                                struct mb_err *err);

/* The golden chain as the format holds it: level 0 of the first `n_layers` layers as it is, the
 * others rounded once, from the chain that is never rounded on the way down. `texels` is a
 * packed block of the layout. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_reference_encode(struct mb_reference *reference,
                                                 const struct mb_filter *filter,
                                                 uint32_t n_layers, uint8_t *texels,
                                                 struct mb_err *err);

/* Judge every texel of every level and layer of `output`, a packed block of the layout. Fails
 * only without memory; a wrong output is a verdict. */
MB_MUST_CHECK enum mb_status mb_verify(struct mb_reference *reference, const void *output,
                                       const struct mb_tolerance *tolerance,
                                       struct mb_verdict *verdict, struct mb_err *err);
