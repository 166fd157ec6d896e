/* Where the time of a chain of several dispatches goes. */
#include "bench/timing/split.h"

#include "base/alloc.h"
#include "bench/timing/intercept.h"
#include "vk/submit.h"

#define N_RUNS 20u

bool mb_split_levels(const struct mb_work *work, uint32_t n_levels, uint32_t n_steps,
                     uint32_t step, uint32_t *first_level, uint32_t *n_step_levels)
{
    const uint32_t n_made = n_levels - 1;
    if (work->step_levels[0] == 0) {
        /* One level each, or several commands for each. */
        *first_level = n_made > 0 ? 1 + step / (n_steps / n_made + !(n_steps / n_made)) : 1;
        *n_step_levels = 1;
        return n_made > 0 && n_steps % n_made == 0;
    }
    *first_level = 1;
    for (uint32_t i = 0; i < step && i < MB_MAX_LEVELS; i++) {
        *first_level += work->step_levels[i];
    }
    *n_step_levels = step < MB_MAX_LEVELS ? work->step_levels[step] : 0;
    return *n_step_levels > 0;
}

/* What is being measured: from each stamp to the next, by run. */
struct stamps {
    struct mb_timer timer;
    struct mb_submission submission;
    uint32_t n_steps;
    double *interval_ns; /* [2 * step][run], the gap before a step, and [2 * step + 1]; owned */
};

/* Pair 0 is the whole, pair 1 + i is step i. */
static void record(struct stamps *s, const struct mb_instance *instance)
{
    VkCommandBuffer cmd = s->submission.cmd;
    mb_timer_reset(&s->timer, cmd, 1, MB_MAX_STEPS);
    mb_timer_begin(&s->timer, cmd, 0);
    s->n_steps = mb_hook_record_stamped(instance->strategy, instance->state, &s->timer, 1,
                                        MB_MAX_STEPS, cmd);
    mb_timer_end(&s->timer, cmd, 0);
}

/* Steps that make the same levels are one part: their medians add up. */
static void summarise(struct stamps *s, const struct mb_work *work, uint32_t n_levels,
                      struct mb_split *split)
{
    for (uint32_t step = 0; step < s->n_steps; step++) {
        uint32_t first_level, n_step_levels;
        double *gap_ns = s->interval_ns + 2 * step * N_RUNS;
        if (!mb_split_levels(work, n_levels, s->n_steps, step, &first_level, &n_step_levels)) {
            split->n_steps = 0;
            return;
        }
        bool is_new =
            split->n_steps == 0 || split->step[split->n_steps - 1].first_level != first_level;
        if (is_new && split->n_steps == MB_MAX_LEVELS) {
            return;
        }
        split->n_steps += is_new;
        uint32_t i = split->n_steps - 1;
        split->step[i].first_level = first_level;
        split->step[i].n_levels = n_step_levels;
        split->step[i].gap_ns += mb_median(gap_ns, N_RUNS);
        split->step[i].median_ns += mb_median(gap_ns + N_RUNS, N_RUNS);
    }
}

/* Run it, and note how long everything took. MB_UNSUPPORTED if a stamp is invalid. */
static enum mb_status take_run(struct stamps *s, uint32_t run, struct mb_err *err)
{
    double whole_ns;
    MB_DO(mb_submission_run(&s->submission, err));
    MB_DO(mb_timer_read_held(&s->timer, &s->submission, 0, 1, &whole_ns, err));
    for (uint32_t i = 0; i < 2 * s->n_steps; i++) {
        /* The first gap begins where the whole does. */
        MB_DO(mb_timer_between_ns(&s->timer, i == 0 ? 0 : i + 1, i + 2,
                                  &s->interval_ns[i * N_RUNS + run], err));
    }
    return MB_OK;
}

enum mb_status mb_split_measure(const struct mb_instance *instance, uint32_t n_levels,
                                struct mb_split *split, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu *gpu = instance->image->gpu;
    struct stamps s = {.n_steps = 0};
    *split = (struct mb_split){0};
    s.interval_ns = mb_alloc((size_t)2 * MB_MAX_STEPS * N_RUNS, sizeof *s.interval_ns);
    MB_TRY(MB_NEED(s.interval_ns, "split"));
    MB_TRY(mb_timer_init(&s.timer, gpu, 1 + MB_MAX_STEPS, err));
    MB_TRY(mb_submission_init(&s.submission, gpu, "split", err));
    s.submission.kernel = mb_instance_kernel(instance);
    record(&s, instance);
    if (s.n_steps < 2 || s.n_steps > MB_MAX_STEPS) {
        goto fail; /* not separable, or not worth it */
    }
    uint32_t n_taken = 0, n_dropped = 0;
    while (n_taken < N_RUNS && n_dropped < N_RUNS) {
        const enum mb_status own = take_run(&s, n_taken, err);
        MB_TRY(own == MB_UNSUPPORTED ? MB_OK : own);
        n_taken += own == MB_OK;
        n_dropped += own != MB_OK;
    }
    if (n_taken == N_RUNS) {
        summarise(&s, &instance->work, n_levels, split);
    }
fail:
    mb_submission_finish(&s.submission);
    mb_timer_finish(&s.timer);
    mb_free(s.interval_ns);
    return status;
}
