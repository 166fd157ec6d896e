/* The time of each level of a chain that is made level by level. */
#include "bench/timing/time_case.h"

#include "stats/stats.h"
#include "bench/verify/instance.h"
#include "strategy/marks.h"
#include "vk/barrier.h"

#define N_RUNS 20u

/* The intervals of a chain: for each mark, first the gap before it, then the interval of the
 * mark itself. Query 0 is stamped before the chain. */
struct intervals {
    double ns[2 * MB_MAX_MARKS][N_RUNS];
};

/* Run the chain until N_RUNS runs have valid stamps, or twice as many runs are done. */
static enum mb_status run(const struct mb_marks *marks, struct mb_submission *submission,
                          struct intervals *intervals, uint32_t *n_taken, struct mb_err *err)
{
    const struct mb_intervals queries = {0, 1, 2 * marks->n};
    *n_taken = 0;
    for (uint32_t i = 0; i < 2 * N_RUNS && *n_taken < N_RUNS; i++) {
        double interval_ns[2 * MB_MAX_MARKS];
        MB_DO(mb_submission_run(submission, err));
        const enum mb_status own =
            mb_timer_read(marks->timer, submission, queries, interval_ns, err);
        MB_DO(own == MB_UNSUPPORTED ? MB_OK : own);
        for (uint32_t k = 0; own == MB_OK && k < queries.n; k++) {
            intervals->ns[k][*n_taken] = interval_ns[k];
        }
        *n_taken += own == MB_OK;
    }
    return MB_OK;
}

/* Add up the medians of those marks that are on the same levels. */
static void summarise(const struct mb_marks *marks, struct intervals *intervals,
                      struct mb_split *split)
{
    for (uint32_t mark = 0; mark < marks->n; mark++) {
        const uint32_t first_level = marks->step[mark].first_level;
        uint32_t i = 0;
        while (i < split->n_steps && split->step[i].first_level != first_level) {
            i++;
        }
        split->n_steps += i == split->n_steps;
        split->step[i].first_level = first_level;
        split->step[i].n_levels = marks->step[mark].n_levels;
        split->step[i].gap_ns += mb_median(intervals->ns[2 * mark], N_RUNS);
        split->step[i].median_ns += mb_median(intervals->ns[2 * mark + 1], N_RUNS);
    }
    if (split->n_steps < 2) {
        *split = (struct mb_split){0};
    }
}

enum mb_status mb_split_measure(const struct mb_vk_image *image, const struct mb_variant *row,
                                const struct mb_task *task, struct mb_split *split,
                                struct mb_err *err)
{
    MB_SCOPED(mb_timer) timer = {0};
    MB_SCOPED(mb_instance) instance = {0};
    MB_SCOPED(mb_submission) submission = {0};
    struct mb_marks marks = {.timer = &timer};
    struct intervals intervals;
    uint32_t n_taken;
    *split = (struct mb_split){0};
    MB_DO(mb_timer_init(&timer, image->gpu, 1 + MB_MAX_MARKS, err));
    MB_DO(mb_instance_init(&instance, image, row, task, &marks, err));
    MB_DO(mb_submission_init(&submission, image->gpu, "split", err));
    submission.kernel = mb_instance_kernel(&instance);
    mb_timer_reset(&timer, submission.cmd, 1, MB_MAX_MARKS);
    mb_timer_begin(&timer, submission.cmd, 0);
    mb_instance_chain(&instance, submission.cmd);
    mb_barrier_full(submission.cmd);
    if (marks.n < 2) {
        return MB_OK;
    }
    MB_DO(run(&marks, &submission, &intervals, &n_taken, err));
    if (n_taken == N_RUNS) {
        summarise(&marks, &intervals, split);
    }
    return MB_OK;
}
