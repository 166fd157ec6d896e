/* The reference chains of one case (image/reference.h), each made once and kept, and comparison
 * of outputs with them. */
#pragma once

#include "image/compare.h"

#define MB_N_FILTERS (MB_N_POLICIES * MB_N_REDUCES * MB_N_ALPHAS)

struct mb_reference {
    struct mb_layout layout;
    const void *source; /* level 0 of every layer; borrowed */
    /* Unrounded chains [filter][layer], made when first needed; policies that agree at this
     * size share the chain of box. Owned. */
    struct mb_ideal *ideal[MB_N_FILTERS];
};

/* `source` must outlive the reference. Never fails: chains come later. */
void mb_reference_init(struct mb_reference *reference, const struct mb_layout *layout,
                       const void *source);
void mb_reference_finish(struct mb_reference *reference);

/* The policy whose chain serves for a filter: box if the policies agree at this size. */
enum mb_policy mb_reference_policy(const struct mb_reference *reference,
                                   const struct mb_filter *filter);

/* Get the unrounded chain of a filter for one layer; owned by the reference. Fails only without
 * memory. */
MB_MUST_CHECK enum mb_status mb_reference_ideal(struct mb_reference *reference,
                                                const struct mb_filter *filter, uint32_t layer,
                                                const struct mb_ideal **ideal,
                                                struct mb_err *err);

/* Encode the reference chain of the first `n_layers` layers in the format: level 0 as it is,
 * each other level rounded once from the unrounded chain. `texels` is a packed block of the
 * layout. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_reference_encode(struct mb_reference *reference,
                                                 const struct mb_filter *filter,
                                                 uint32_t n_layers, uint8_t *texels,
                                                 struct mb_err *err);

/* Compare every texel of every level and layer of `output`, a packed block of the layout, with
 * the reference. A wrong output is a verdict; fails only without memory. */
MB_MUST_CHECK enum mb_status mb_verify(struct mb_reference *reference, const void *output,
                                       const struct mb_tolerance *tolerance,
                                       struct mb_verdict *verdict, struct mb_err *err);
