/* Null dispatches, alone and in a row with barriers between them. */
#include "bench/roofline/null_dispatch.h"

#include "base/stats.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"
#include "vk/submit.h"
#include "vk/timer.h"

#define N_TIMES 32u
#define N_LINKS 16u

extern const struct mb_shader mb_spv_null;

/* Median time of one null dispatch and `n_links` times a full barrier and another. */
static enum mb_status time_row(const struct mb_pipeline *compute, const struct mb_timer *timer,
                               struct mb_submission *submission, uint32_t n_links,
                               double *median_ns, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_dispatch dispatch = {.n_groups = {1, 1, 1}};
    double times_ns[N_TIMES];
    MB_TRY(mb_submission_begin(submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    for (uint32_t i = 0; i < N_TIMES; i++) {
        mb_timer_begin(timer, submission->cmd, i);
        mb_pipeline_dispatch(compute, submission->cmd, &dispatch);
        for (uint32_t link = 0; link < n_links; link++) {
            mb_barrier_full(submission->cmd);
            mb_pipeline_dispatch(compute, submission->cmd, &dispatch);
        }
        mb_timer_end(timer, submission->cmd, i);
    }
    MB_TRY(mb_submission_end(submission, err));
    MB_TRY(mb_submission_run(submission, err));
    for (uint32_t i = 0; i < N_TIMES; i++) {
        MB_TRY(mb_timer_read_ns(timer, i, &times_ns[i], err));
    }
    *median_ns = mb_median(times_ns, N_TIMES);
fail:
    return status;
}

enum mb_status mb_null_dispatch_measure(const struct mb_gpu *gpu, double *dispatch_ns,
                                        double *barrier_ns, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_pipeline compute = {0};
    struct mb_timer timer = {0};
    struct mb_submission submission = {0};
    double row_ns;
    const struct mb_constant workgroup_size = {"gl_WorkGroupSize.x", 64};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_null,
        .constants = &workgroup_size,
        .n_constants = 1,
        .name = "null",
    };
    MB_TRY(mb_timer_init(&timer, gpu, N_TIMES, err));
    MB_TRY(mb_pipeline_init(&compute, gpu, &options, err));
    MB_TRY(mb_submission_init(&submission, gpu, "null", err));
    MB_TRY(time_row(&compute, &timer, &submission, 0, dispatch_ns, err)); /* warm */
    MB_TRY(time_row(&compute, &timer, &submission, 0, dispatch_ns, err));
    MB_TRY(time_row(&compute, &timer, &submission, N_LINKS, &row_ns, err));
    *barrier_ns = (row_ns - *dispatch_ns) / N_LINKS;
fail:
    mb_submission_finish(&submission);
    mb_pipeline_finish(&compute);
    mb_timer_finish(&timer);
    return status;
}
