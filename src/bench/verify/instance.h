/* One strategy set up on an image: its state and its recorded commands. */
#pragma once

#include "bench/plan.h"
#include "vk/buffer.h"
#include "vk/submit.h"

struct mb_instance {
    const struct mb_strategy *strategy;
    const struct mb_vk_image *image; /* level 0 and the levels made of it; borrowed */
    void *state;                     /* owned */
    struct mb_vk_image *source;      /* a copy of level 0, for a variant that has one; owned */
    struct mb_buffer to_depth;       /* between level 0 and a source with depth; owned */
    struct mb_work work;             /* with a complete tolerance */
    struct mb_submission submission; /* of mb_instance_record() */
    double init_ms;                  /* host time that the strategy's init() took */
};

/* Set the strategy up, which mb_variant_supports() must allow. `marks`: for mb_target, or
 * NULL. */
MB_MUST_CHECK enum mb_status mb_instance_init(struct mb_instance *instance,
                                              const struct mb_vk_image *image,
                                              const struct mb_variant *row,
                                              const struct mb_task *task,
                                              struct mb_marks *marks, struct mb_err *err);

/* Record the submission: one untimed chain, drained before and after; level 0 is copied to the
 * source first. */
MB_MUST_CHECK enum mb_status mb_instance_record(struct mb_instance *instance,
                                                struct mb_err *err);

/* Record the strategy's own commands for one chain. */
void mb_instance_chain(const struct mb_instance *instance, VkCommandBuffer cmd);

/* Record a copy of level 0 to the source, if the instance has one. For callers that change
 * level 0 and do not run instance->submission. */
void mb_instance_record_source(const struct mb_instance *instance, VkCommandBuffer cmd);

/* The name of a manifest's kernel, for mb_submission.kernel; NULL for a built-in strategy. */
const char *mb_instance_kernel(const struct mb_instance *instance);

/* The queue must be idle. Accepts zero. */
void mb_instance_finish(struct mb_instance *instance);
