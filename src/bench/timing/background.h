/* A compute load on a second queue, for strategies to be timed beside. */
#pragma once

#include "vk/buffer.h"
#include "vk/pipeline.h"
#include "vk/submit.h"

struct mb_background {
    const struct mb_gpu *gpu;
    struct mb_pipeline compute;
    struct mb_buffer target;
    struct mb_submission submission; /* to the second queue */
    VkEvent begun;                   /* set as the load begins */
    uint32_t n_groups;               /* how long it is */
};

/* UNSUPPORTED, with a sentence, if the device was opened without a second queue. */
MB_MUST_CHECK enum mb_status mb_background_init(struct mb_background *background,
                                                const struct mb_gpu *gpu, struct mb_err *err);
void mb_background_finish(struct mb_background *background);

/* Run `submission`, which must not be pending, with the load at work from before its submission
 * until after its end; a load that ends too early is made longer and both are run again.
 * Returns when both are done. A device on which that cannot be had is MB_ERRC_RUNTIME. */
MB_MUST_CHECK enum mb_status mb_background_run(struct mb_background *background,
                                               struct mb_submission *submission,
                                               struct mb_err *err);
