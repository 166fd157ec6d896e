/* The time of each level of a chain that is made level by level. */
#include "bench/timing/time_case.h"

#include "stats/stats.h"
#include "bench/verify/instance.h"
#include "strategy/marks.h"
#include "vk/barrier.h"

#define N_RUNS 20u

/* A chain with its marks; query 0 is stamped before it. */
struct marked {
    struct mb_timer timer;
    struct mb_marks marks;
    struct mb_instance instance;
    struct mb_submission submission;
    double interval_ns[2 * MB_MAX_MARKS][N_RUNS]; /* a gap before each mark, and the mark */
};

static void marked_finish(struct marked *m)
{
    mb_submission_finish(&m->submission);
    mb_instance_finish(&m->instance);
    mb_timer_finish(&m->timer);
}

static enum mb_status record(struct marked *m, struct mb_err *err)
{
    VkCommandBuffer cmd;
    MB_DO(mb_submission_init(&m->submission, m->timer.gpu, "split", err));
    m->submission.kernel = mb_instance_kernel(&m->instance);
    cmd = m->submission.cmd;
    mb_timer_reset(&m->timer, cmd, 1, MB_MAX_MARKS);
    mb_timer_begin(&m->timer, cmd, 0);
    mb_instance_chain(&m->instance, cmd);
    mb_barrier_full(cmd);
    return MB_OK;
}

/* Run it until N_RUNS runs have valid stamps, or as many have invalid ones. */
static enum mb_status run(struct marked *m, uint32_t *n_taken, struct mb_err *err)
{
    uint32_t n_dropped = 0;
    *n_taken = 0;
    while (*n_taken < N_RUNS && n_dropped < N_RUNS) {
        double interval_ns[2 * MB_MAX_MARKS];
        MB_DO(mb_submission_run(&m->submission, err));
        const enum mb_status own =
            mb_timer_read(&m->timer, &m->submission,
                          (struct mb_intervals){0, 1, 2 * m->marks.n}, interval_ns, err);
        MB_DO(own == MB_UNSUPPORTED ? MB_OK : own);
        for (uint32_t i = 0; own == MB_OK && i < 2 * m->marks.n; i++) {
            m->interval_ns[i][*n_taken] = interval_ns[i];
        }
        *n_taken += own == MB_OK;
        n_dropped += own != MB_OK;
    }
    return MB_OK;
}

/* Add up the medians of marks on the same levels. */
static void summarise(struct marked *m, struct mb_split *split)
{
    for (uint32_t mark = 0; mark < m->marks.n; mark++) {
        const uint32_t first_level = m->marks.step[mark].first_level;
        uint32_t i = 0;
        while (i < split->n_steps && split->step[i].first_level != first_level) {
            i++;
        }
        split->n_steps += i == split->n_steps;
        split->step[i].first_level = first_level;
        split->step[i].n_levels = m->marks.step[mark].n_levels;
        split->step[i].gap_ns += mb_median(m->interval_ns[2 * mark], N_RUNS);
        split->step[i].median_ns += mb_median(m->interval_ns[2 * mark + 1], N_RUNS);
    }
    if (split->n_steps < 2) {
        *split = (struct mb_split){0};
    }
}

enum mb_status mb_split_measure(const struct mb_vk_image *image, const struct mb_variant *row,
                                const struct mb_task *task, struct mb_split *split,
                                struct mb_err *err)
{
    MB_SCOPED(marked) m = {.marks.timer = &m.timer};
    uint32_t n_taken;
    *split = (struct mb_split){0};
    MB_DO(mb_timer_init(&m.timer, image->gpu, 1 + MB_MAX_MARKS, err));
    MB_DO(mb_instance_init(&m.instance, image, row, task, &m.marks, err));
    MB_DO(record(&m, err));
    if (m.marks.n < 2) {
        return MB_OK;
    }
    MB_DO(run(&m, &n_taken, err));
    if (n_taken == N_RUNS) {
        summarise(&m, split);
    }
    return MB_OK;
}
