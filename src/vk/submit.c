/* Command buffers and their submission. */
#include "vk/submit.h"

#include <stdio.h>

#include "base/log.h"
#include "base/os.h"

enum mb_status mb_submission_init(struct mb_submission *submission, const struct mb_gpu *gpu,
                                  const char *name, struct mb_err *err)
{
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = gpu->command_pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    *submission = (struct mb_submission){.gpu = gpu};
    MB_DO(MB_VK(vkAllocateCommandBuffers(gpu->device, &info, &submission->cmd)));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_COMMAND_BUFFER, (uint64_t)(uintptr_t)submission->cmd, name);
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    MB_DO(MB_VK_MAKE(vkCreateFence, gpu->device, &fence, &submission->fence));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_FENCE, (uint64_t)submission->fence, name);
    MB_DO(mb_submission_begin(submission, err));
    return MB_OK;
}

void mb_submission_finish(struct mb_submission *submission)
{
    const struct mb_gpu *gpu = submission->gpu;
    if (!gpu) {
        return;
    }
    struct mb_err ignored;
    if (!gpu->state->is_lost && mb_submission_wait(submission, &ignored) == MB_OK) {
        vkDestroyFence(gpu->device, submission->fence, NULL);
        if (submission->cmd) {
            vkFreeCommandBuffers(gpu->device, gpu->command_pool, 1, &submission->cmd);
        }
    }
    *submission = (struct mb_submission){0};
}

enum mb_status mb_submission_begin(struct mb_submission *submission, struct mb_err *err)
{
    static const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    if (submission->is_recording) {
        return MB_OK;
    }
    MB_DO(mb_submission_wait(submission, err));
    MB_DO(MB_VK(vkBeginCommandBuffer(submission->cmd, &info)));
    submission->is_recording = true;
    return MB_OK;
}

enum mb_status mb_submission_end(struct mb_submission *submission, struct mb_err *err)
{
    if (submission->is_recording) {
        submission->is_recording = false;
        MB_DO(MB_VK(vkEndCommandBuffer(submission->cmd)));
    }
    return MB_OK;
}

/* Name the suspect for a crash; if several submissions are in flight, it may be any of them. */
static void blame_begin(const struct mb_submission *submission)
{
    struct mb_gpu_state *state = submission->gpu->state;
    state->n_in_flight++;
    if (submission->kernel) {
        state->n_kernels_in_flight++;
        state->suspect = submission->kernel;
    }
    if (state->n_kernels_in_flight > 0) {
        mb_log_suspect(state->suspect, state->n_in_flight == 1
                                           ? "the driver ran it"
                                           : "the driver ran it or other work");
    }
}

static void blame_end(const struct mb_submission *submission)
{
    struct mb_gpu_state *state = submission->gpu->state;
    state->n_in_flight--;
    if (submission->kernel && --state->n_kernels_in_flight == 0) {
        mb_log_suspect(NULL, NULL);
    }
}

enum mb_status mb_submission_submit(struct mb_submission *submission, struct mb_err *err)
{
    const struct mb_gpu *gpu = submission->gpu;
    MB_DO(mb_submission_end(submission, err));
    MB_DO(MB_VK(vkResetFences(gpu->device, 1, &submission->fence)));
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &submission->cmd,
    };
    blame_begin(submission);
    submission->submitted_ns = mb_now_ns();
    VkResult result = vkQueueSubmit(gpu->queue, 1, &info, submission->fence);
    if (result < 0) {
        blame_end(submission);
        gpu->state->is_lost = gpu->state->is_lost || result == VK_ERROR_DEVICE_LOST;
        return mb_err_vk(err, result, "vkQueueSubmit", __FILE__, __LINE__);
    }
    submission->is_pending = true;
    return MB_OK;
}

/* Mark the device as lost, whatever failed: the work may still be in flight. */
static enum mb_status fail_wait(const struct mb_submission *submission, VkResult result,
                                uint64_t timeout_ns, struct mb_err *err)
{
    const char *kernel = submission->kernel;
    submission->gpu->state->is_lost = true;
    if (result == VK_TIMEOUT) {
        MB_FAIL(err, MB_ERRC_RUNTIME,
                "%s: no answer for %g s; the device hangs, or the work is too large",
                kernel ? kernel : "device", (double)timeout_ns * 1e-9);
        return kernel ? mb_err_hint(err, "if it is only slow, give it more: --kernel-timeout")
                      : MB_FAILED;
    }
    const enum mb_status status = mb_err_vk(err, result, "vkWaitForFences", __FILE__, __LINE__);
    if (kernel) {
        const struct mb_err why = *err;
        snprintf(err->text, sizeof err->text, "%.80s: %.400s", kernel, why.text);
    }
    return status;
}

enum mb_status mb_submission_wait(struct mb_submission *submission, struct mb_err *err)
{
    const struct mb_gpu *gpu = submission->gpu;
    if (!submission->is_pending) {
        return MB_OK;
    }
    const uint64_t timeout_ns = submission->kernel && gpu->state->kernel_timeout_ns > 0
                                    ? gpu->state->kernel_timeout_ns
                                    : MB_SUBMIT_TIMEOUT_NS;
    VkResult result = vkWaitForFences(gpu->device, 1, &submission->fence, VK_TRUE, timeout_ns);
    if (result != VK_SUCCESS) {
        return fail_wait(submission, result, timeout_ns, err);
    }
    blame_end(submission);
    submission->is_pending = false;
    submission->waited_ns = mb_now_ns() - submission->submitted_ns;
    return MB_OK;
}

enum mb_status mb_submission_run(struct mb_submission *submission, struct mb_err *err)
{
    MB_DO(mb_submission_submit(submission, err));
    return mb_submission_wait(submission, err);
}
