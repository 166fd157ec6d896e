/* One strategy set up on an image: its state and its recorded commands. */
#pragma once

#include "bench/plan.h"
#include "vk/buffer.h"
#include "vk/submit.h"

struct mb_instance {
    const struct mb_strategy *strategy;
    const struct mb_vk_image *image; /* that it works on; borrowed */
    void *state;                     /* owned */
    struct mb_vk_image *source;      /* a copy of level 0, for a variant that has one; owned */
    struct mb_buffer to_depth;       /* through which it gets there, of a depth image; owned */
    struct mb_work work;             /* with a complete tolerance */
    struct mb_submission submission; /* of mb_instance_record() */
    double init_ms;                  /* host time that the strategy's init() took */
};

/* MB_OK, or MB_UNSUPPORTED with a sentence: what the queue and the image can do, and then the
 * strategy's own answer. */
MB_MUST_CHECK enum mb_status mb_instance_supports(const struct mb_vk_image *image,
                                                  const struct mb_variant *row,
                                                  const struct mb_task *task,
                                                  struct mb_err *why);

/* Set up; only if mb_instance_supports() says so. `marks`: for mb_target, or NULL. After a
 * failure nothing is left. */
MB_MUST_CHECK enum mb_status mb_instance_init(struct mb_instance *instance,
                                              const struct mb_vk_image *image,
                                              const struct mb_variant *row,
                                              const struct mb_task *task,
                                              struct mb_marks *marks, struct mb_err *err);

/* Make the submission: one chain, drained before and after, not timed; level 0 is copied to the
 * source before. */
MB_MUST_CHECK enum mb_status mb_instance_record(struct mb_instance *instance,
                                                struct mb_err *err);

/* The strategy's own commands of one chain. */
void mb_instance_chain(const struct mb_instance *instance, VkCommandBuffer cmd);

/* Bring the source up to date with level 0 of the image as it is then; nothing for an instance
 * without one. For callers that change level 0 and do not run instance->submission. */
void mb_instance_record_source(const struct mb_instance *instance, VkCommandBuffer cmd);

/* The name of a manifest's kernel, for mb_submission.kernel; NULL for what is built in. */
const char *mb_instance_kernel(const struct mb_instance *instance);

/* The queue must be idle. Accepts zero. */
void mb_instance_finish(struct mb_instance *instance);

/* What the commands move at least: level 0, or the rectangle of an update, once, and
 * everything below that they reach once. */
uint64_t mb_task_compulsory_bytes(const struct mb_task *task, const struct mb_layout *layout);
