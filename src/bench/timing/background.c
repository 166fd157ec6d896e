/* A compute load on a second queue; shaders/background.comp. */
#include "bench/timing/background.h"

#include "base/os.h"

#define STEPS_PER_GROUP  4096u
#define FIRST_GROUPS     16384u
#define MAX_GROUPS       (UINT32_C(1) << 26)
#define BEGIN_TIMEOUT_NS UINT64_C(5000000000)

extern const struct mb_shader mb_spv_background;

/* As in shaders/background.comp. Halving and adding one converges to 2. */
struct push {
    uint32_t n_steps;
    float factor, summand;
    float never;
};

static enum mb_status record(struct mb_background *b, struct mb_err *err)
{
    const struct push push = {STEPS_PER_GROUP, 0.5f, 1.0f, -1.0f};
    VkCommandBuffer cmd = b->submission.cmd;
    MB_DO(mb_submission_begin(&b->submission, err));
    vkCmdSetEvent(cmd, b->begun, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT);
    mb_pipeline_dispatch_rows(&b->compute, cmd, 0, &push, b->n_groups);
    return MB_OK;
}

enum mb_status mb_background_init(struct mb_background *b, const struct mb_gpu *gpu,
                                  struct mb_err *err)
{
    static const VkEventCreateInfo event = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    enum mb_status status = MB_OK;
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_background,
        .push_constant_bytes = sizeof(struct push),
        .n_copies = 1,
        .name = "background",
    };
    MB_FAIL_IF(!gpu->second_queue, err, MB_ERRC_UNSUPPORTED,
               "the device has no second queue that computes, for other work to be on");
    *b = (struct mb_background){.gpu = gpu, .n_groups = FIRST_GROUPS};
    MB_TRY(mb_buffer_init(&b->target, gpu, MB_BUFFER_DEVICE, sizeof(float), "background", err));
    MB_TRY(mb_pipeline_init(&b->compute, gpu, &options, err));
    mb_pipeline_bind(&b->compute, 0, &(struct mb_descriptor){.buffer = &b->target}, 1);
    MB_TRY(MB_VK_MAKE(vkCreateEvent, gpu->device, &event, &b->begun));
    MB_TRY(mb_submission_init_second(&b->submission, gpu, "background", err));
    MB_TRY(record(b, err));
    return MB_OK;
fail:
    mb_background_finish(b);
    return status;
}

void mb_background_finish(struct mb_background *b)
{
    mb_submission_finish(&b->submission);
    if (b->begun && !b->gpu->state->is_lost) {
        vkDestroyEvent(b->gpu->device, b->begun, NULL);
    }
    mb_pipeline_finish(&b->compute);
    mb_buffer_finish(&b->target);
    *b = (struct mb_background){0};
}

/* Submit the load, and wait until it is at work. */
static enum mb_status start(struct mb_background *b, struct mb_err *err)
{
    const VkDevice device = b->gpu->device;
    VkResult state = VK_EVENT_RESET;
    MB_DO(MB_VK(vkResetEvent(device, b->begun)));
    MB_DO(mb_submission_submit(&b->submission, err));
    const uint64_t start_ns = mb_now_ns();
    while (state == VK_EVENT_RESET && mb_now_ns() - start_ns < BEGIN_TIMEOUT_NS) {
        state = vkGetEventStatus(device, b->begun);
    }
    MB_FAIL_IF(state != VK_EVENT_SET, err, MB_ERRC_RUNTIME,
               "the load on the second queue does not begin");
    return MB_OK;
}

static enum mb_status lengthen(struct mb_background *b, struct mb_err *err)
{
    MB_FAIL_IF(b->n_groups > MAX_GROUPS / 2, err, MB_ERRC_RUNTIME,
               "the load on the second queue ends before what is timed beside it does");
    b->n_groups *= 2;
    return record(b, err);
}

enum mb_status mb_background_run(struct mb_background *b, struct mb_submission *submission,
                                 struct mb_err *err)
{
    bool was_beside = false;
    while (!was_beside) {
        MB_DO(start(b, err));
        MB_DO(mb_submission_run(submission, err));
        was_beside = vkGetFenceStatus(b->gpu->device, b->submission.fence) == VK_NOT_READY;
        MB_DO(mb_submission_wait(&b->submission, err));
        if (!was_beside) {
            MB_DO(lengthen(b, err));
        }
    }
    return MB_OK;
}
