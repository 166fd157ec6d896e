/* What a manifest comes to for one image: pipelines, buffers, dispatches with all that they
 * bind, and the barriers between them. Pure: nothing here needs a device. */
#pragma once

#include "kernel/commands.h"

/* Plan one image. `addresses` are those of the buffers, which are known once the buffers are
 * made by a first plan without (NULL: 0). MB_ERRC_INPUT where the manifest is wrong, or not for
 * this image. Finish in any case. */
MB_MUST_CHECK enum mb_status mb_kernel_plan_init(struct mb_kernel_plan *plan,
                                                 const struct mb_pick *pick,
                                                 const struct mb_layout *layout,
                                                 const uint64_t *addresses, struct mb_err *err);
void mb_kernel_plan_finish(struct mb_kernel_plan *plan);

/* The names of an image's chain, for expressions. */
struct mb_chain_scope {
    struct mb_scope scope;
    struct mb_named_value names[MB_MAX_NAMED];
};
void mb_chain_scope_init(struct mb_chain_scope *chain, const struct mb_pick *pick,
                         const struct mb_layout *layout);

/* "combined image sampler" */
const char *mb_descriptor_type_name(VkDescriptorType type);
