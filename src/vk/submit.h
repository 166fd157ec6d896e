/* Command buffers and their submission; waiting has a time limit. */
#pragma once

#include "vk/gpu.h"

/* A device that does not answer for this long is assumed to hang. */
#define MB_SUBMIT_TIMEOUT_NS UINT64_C(60000000000)

/* A command buffer with a fence. */
struct mb_submission {
    const struct mb_gpu *gpu;
    VkCommandBuffer cmd;
    VkFence fence;
    const char *kernel; /* the manifest's kernel to blame for a crash, or NULL; borrowed */
    bool is_recording;
    bool is_pending;
    uint64_t submitted_ns; /* host's time of the last submit */
    uint64_t waited_ns;    /* from then until the host knew that the work was complete */
};

/* Begins a recording. */
MB_MUST_CHECK enum mb_status mb_submission_init(struct mb_submission *submission,
                                                const struct mb_gpu *gpu, const char *name,
                                                struct mb_err *err);
/* Waits for pending work first, unless the device is lost. */
void mb_submission_finish(struct mb_submission *submission);

/* Unless already recording: wait for pending work, then begin a new recording. */
MB_MUST_CHECK enum mb_status mb_submission_begin(struct mb_submission *submission,
                                                 struct mb_err *err);
/* End the recording. Optional: the first submit does so, too. */
MB_MUST_CHECK enum mb_status mb_submission_end(struct mb_submission *submission,
                                               struct mb_err *err);

/* Submit; the submission must not be pending. */
MB_MUST_CHECK enum mb_status mb_submission_submit(struct mb_submission *submission,
                                                  struct mb_err *err);
/* Wait for completion, if the submission is pending. After a time-out or the loss of the
 * device, marks the device as lost and fails with MB_ERRC_RUNTIME, naming the kernel. */
MB_MUST_CHECK enum mb_status mb_submission_wait(struct mb_submission *submission,
                                                struct mb_err *err);
/* Submit and wait. */
MB_MUST_CHECK enum mb_status mb_submission_run(struct mb_submission *submission,
                                               struct mb_err *err);
