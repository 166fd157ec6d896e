/* Timing the strategies of one cell: setting up what is sampled, and reading it out. */
#include "bench/timing.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "bench/batch.h"
#include "bench/rotation.h"
#include "bench/schedule.h"
#include "bench/take.h"
#include "vk/pipeline.h"

#define PILOT_RUNS      3u
#define TAKES_IN_FLIGHT 2u

extern const struct mb_shader mb_spv_null;

/* What is sampled in each block: a strategy, or its null twin. */
struct subject {
    const struct mb_candidate *candidate;
    struct mb_trial *trials; /* one per image; the first is the candidate's own. Owned */
    struct mb_take *takes;   /* owned */
    uint32_t n_takes;
    bool is_null;
    struct mb_compute kernel; /* of a null twin: empty, of the strategy's workgroup size */
    double pilot_ns;          /* about what one chain takes */
    uint32_t n_started;       /* samples of a null twin */
};

struct timing {
    const struct mb_timing_options *options;
    struct mb_cell *cell;
    struct mb_timer timer;
    struct mb_rotation rotation;
    struct subject *subjects; /* ready strategies, then their null twins */
    size_t n_subjects;
    size_t twin; /* subject that has two names: the second is candidate n_ready. The fastest by
                    its pilot that is not diagnostic */
    uint32_t n_parts;
    uint32_t n_started; /* samples of strategies: images are gone round over all of them */
    struct mb_take *in_slot[MB_N_SLOTS];
};

static bool is_cpu(const struct timing *t)
{
    return t->options->ruler->gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static enum mb_status init_trials(struct timing *t, struct subject *subject, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    subject->trials = mb_alloc(t->rotation.n_images, sizeof *subject->trials);
    if (!subject->trials) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    subject->trials[0] = subject->candidate->trial;
    for (uint32_t i = 1; i < t->rotation.n_images; i++) {
        const struct mb_trial_options options = {
            .rig = t->options->rig,
            .row = subject->candidate->row,
            .task = &t->cell->task,
            .image = mb_rotation_image(&t->rotation, i),
            .name = subject->candidate->result->label,
        };
        MB_TRY(mb_trial_init(&subject->trials[i], &options, err));
    }
fail:
    return status;
}

static enum mb_status init_null(struct timing *t, struct subject *subject, struct mb_err *err)
{
    const uint32_t *size = subject->candidate->trial.work.workgroup_size;
    const uint32_t spec_constants[3] = {size[0] + !size[0], size[1] + !size[1],
                                        size[2] + !size[2]};
    const struct mb_compute_options options = {
        .shader = &mb_spv_null,
        .spec_constants = spec_constants,
        .n_spec_constants = 3,
        .n_sets = 1,
        .name = "null twin",
    };
    return mb_compute_init(&subject->kernel, t->options->ruler->gpu, &options, err);
}

static struct mb_take_options take_options(const struct timing *t,
                                           const struct subject *subject, uint32_t index)
{
    const struct mb_cell *cell = t->cell;
    struct mb_take_options options = {
        .gpu = t->options->ruler->gpu,
        .timer = &t->timer,
        .n_parts = t->n_parts,
        .n_chains = {1},
        .trials = subject->trials,
        .n_trials = subject->is_null ? 1 : t->rotation.n_images,
        .first_trial = index,
        .is_overlapped = cell->mode == MB_MODE_OVERLAP,
        .evictor = cell->is_evicted && !subject->is_null ? &t->options->ruler->evictor : NULL,
        .warms_code = mb_mode_is_one_chain(cell->mode) && !is_cpu(t),
        .null_pipeline = subject->kernel.pipeline,
        .name = subject->candidate->result->label,
    };
    if (cell->mode == MB_MODE_THROUGHPUT) {
        uint32_t n = mb_schedule_batch(&t->options->ruler->marks, subject->pilot_ns);
        options.n_chains[0] = n;
        options.n_chains[1] = 2 * n;
        options.n_chains[2] = 4 * n;
        /* Batches of a cold cache begin as they go on: in what other images left there. */
        options.n_lead = cell->cache == MB_CACHE_COLD ? t->rotation.n_images : 0;
    } else if (cell->mode == MB_MODE_OVERLAP) {
        options.n_chains[0] = t->rotation.n_images;
    }
    return options;
}

/* About what a chain takes: the least of a few runs, of which the first warms up. */
static enum mb_status pilot(struct timing *t, struct subject *subject, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_take take = {0};
    struct mb_take_options options = take_options(t, subject, 0);
    double chain_ns;
    options.n_parts = options.n_chains[0] = 1;
    options.n_lead = 0;
    options.evictor = NULL;
    MB_TRY(mb_take_init(&take, &options, err));
    subject->pilot_ns = INFINITY;
    for (uint32_t i = 0; i < PILOT_RUNS; i++) {
        MB_TRY(mb_submission_submit(&take.submission, err));
        MB_TRY(mb_take_collect(&take, &t->timer, &chain_ns, err));
        subject->pilot_ns = fmin(subject->pilot_ns, chain_ns);
    }
fail:
    mb_take_finish(&take);
    return status;
}

/* Takes alternate, so that two of one subject can be in flight; a rotation has one per image.
 */
static enum mb_status init_takes(struct timing *t, struct subject *subject,
                                 uint32_t *first_pair, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    subject->takes = mb_alloc(subject->n_takes, sizeof *subject->takes);
    if (!subject->takes) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    for (uint32_t i = 0; i < subject->n_takes; i++) {
        struct mb_take_options options = take_options(t, subject, i);
        options.first_pair = *first_pair;
        *first_pair += t->n_parts;
        MB_TRY(mb_take_init(&subject->takes[i], &options, err));
    }
fail:
    return status;
}

/* Strategies first, then, in latency mode, a null twin of each. */
static enum mb_status list_subjects(struct timing *t, struct mb_err *err)
{
    const struct mb_timing_options *options = t->options;
    bool has_nulls = t->cell->mode == MB_MODE_LATENCY;
    bool has_twin = false;
    t->n_subjects = options->n_ready * (has_nulls ? 2 : 1);
    t->subjects = mb_alloc(t->n_subjects, sizeof *t->subjects);
    if (!t->subjects) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    for (size_t i = 0; i < t->n_subjects; i++) {
        struct subject *subject = &t->subjects[i];
        subject->candidate = &options->candidates[options->ready[i % options->n_ready]];
        subject->is_null = i >= options->n_ready;
        if (!has_twin && !subject->candidate->result->is_diagnostic) {
            t->twin = i;
            has_twin = true;
        }
        subject->n_takes = TAKES_IN_FLIGHT;
        if (!subject->is_null && mb_mode_is_one_chain(t->cell->mode) &&
            t->cell->n_rotated > TAKES_IN_FLIGHT) {
            subject->n_takes = t->cell->n_rotated;
        }
    }
    return MB_OK;
}

static enum mb_status prepare_subject(struct timing *t, struct subject *subject,
                                      struct mb_err *err)
{
    enum mb_status status = MB_OK;
    if (subject->is_null) {
        /* The trials of its strategy, borrowed. */
        size_t index = (size_t)(subject - t->subjects) - t->options->n_ready;
        subject->trials = t->subjects[index].trials;
        return init_null(t, subject, err);
    }
    MB_TRY(init_trials(t, subject, err));
    MB_TRY(pilot(t, subject, err));
    if (subject->pilot_ns < t->subjects[t->twin].pilot_ns &&
        !subject->candidate->result->is_diagnostic) {
        t->twin = (size_t)(subject - t->subjects);
    }
fail:
    return status;
}

static enum mb_status prepare(struct timing *t, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_ruler *ruler = t->options->ruler;
    uint32_t n_pairs = 0;
    uint32_t first_pair = 0;
    t->n_parts = t->cell->mode == MB_MODE_THROUGHPUT ? 3 : 1;
    MB_TRY(list_subjects(t, err));
    for (size_t i = 0; i < t->n_subjects; i++) {
        n_pairs += t->subjects[i].n_takes * t->n_parts;
    }
    MB_TRY(mb_timer_init(&t->timer, ruler->gpu, n_pairs, err));
    for (size_t i = 0; i < t->n_subjects; i++) {
        MB_TRY(prepare_subject(t, &t->subjects[i], err));
        MB_TRY(init_takes(t, &t->subjects[i], &first_pair, err));
    }
fail:
    return status;
}

static void release_subject(struct timing *t, struct subject *subject)
{
    for (uint32_t i = 0; subject->takes && i < subject->n_takes; i++) {
        mb_take_finish(&subject->takes[i]);
    }
    mb_free(subject->takes);
    if (subject->is_null) {
        mb_compute_finish(&subject->kernel);
        return;
    }
    for (uint32_t i = 1; subject->trials && i < t->rotation.n_images; i++) {
        mb_trial_finish(&subject->trials[i]);
    }
    mb_free(subject->trials);
}

static void release(struct timing *t)
{
    for (size_t i = t->n_subjects; t->subjects && i-- > 0;) {
        release_subject(t, &t->subjects[i]);
    }
    mb_free(t->subjects);
    mb_timer_finish(&t->timer);
    mb_rotation_finish(&t->rotation);
}

/* Columns: ready strategies, the second name of the twin, null twins. */
static struct subject *subject_of(const struct timing *t, size_t column)
{
    size_t n_ready = t->options->n_ready;
    return &t->subjects[column < n_ready ? column : column == n_ready ? t->twin : column - 1];
}

static enum mb_status start_sample(void *user, size_t column, uint32_t slot, struct mb_err *err)
{
    struct timing *t = user;
    struct subject *subject = subject_of(t, column);
    uint32_t *n_started = subject->is_null ? &subject->n_started : &t->n_started;
    struct mb_take *take = &subject->takes[*n_started % subject->n_takes];
    ++*n_started;
    t->in_slot[slot] = take;
    if (t->cell->mode == MB_MODE_BESIDE) {
        return mb_background_run(&t->options->ruler->background, &take->submission, err);
    }
    return mb_submission_submit(&take->submission, err);
}

/* What a sample says of one chain. */
static double per_chain_ns(const struct timing *t, const struct mb_take *take,
                           const double *part_ns)
{
    double n_chains[MB_MAX_PARTS], intercept_ns;
    for (uint32_t i = 0; i < take->n_parts; i++) {
        n_chains[i] = take->n_chains[i];
    }
    if (t->cell->mode == MB_MODE_THROUGHPUT) {
        return mb_theil_sen(n_chains, part_ns, take->n_parts, &intercept_ns);
    }
    return part_ns[0] / n_chains[0];
}

static enum mb_status collect_sample(void *user, size_t column, uint32_t slot,
                                     double *duration_ns, double *part_ns, struct mb_err *err)
{
    struct timing *t = user;
    enum mb_status status = MB_OK;
    (void)column;
    MB_TRY(mb_take_collect(t->in_slot[slot], &t->timer, part_ns, err));
    *duration_ns = per_chain_ns(t, t->in_slot[slot], part_ns);
fail:
    return status;
}

static enum mb_status run_probe(void *user, double *duration_ns, struct mb_err *err)
{
    struct timing *t = user;
    return mb_probe_run(&t->options->ruler->probe, duration_ns, err);
}

static uint64_t monotonic_ns(void *user)
{
    (void)user;
    return mb_now_ns();
}

static bool after_block(void *user, uint32_t n_blocks)
{
    const struct timing *t = user;
    const struct mb_hooks *hooks = t->options->hooks;
    hooks->on_block(hooks->user, t->options->n_ready, n_blocks,
                    mb_schedule_blocks(t->options->settings, is_cpu(t)).max_blocks);
    return hooks->is_interrupted(hooks->user);
}

static struct mb_measure_options measure_options(const struct timing *t)
{
    struct mb_measure_options options = mb_schedule_blocks(t->options->settings, is_cpu(t));
    options.n_candidates = t->n_subjects + 1;
    options.n_judged = t->options->n_ready + 1;
    options.n_parts = t->n_parts > 1 ? t->n_parts : 0;
    options.granularity_ns = t->options->ruler->marks.granularity_gcd_ns;
    return options;
}

static enum mb_status column_stats(const struct mb_samples *samples, size_t column,
                                   double *values, struct mb_stats *stats, struct mb_err *err)
{
    mb_samples_column(samples, column, values);
    return mb_stats_compute(values, samples->n_kept, stats, err);
}

static enum mb_status keep_result(struct timing *t, size_t column, double *scratch,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_samples *samples = &t->cell->samples;
    size_t n_ready = t->options->n_ready;
    struct mb_result *result = &t->cell->results[t->options->ready[column]];
    result->samples_ns = mb_alloc(samples->n_kept + 1, sizeof *result->samples_ns);
    if (!result->samples_ns) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "samples: out of memory");
    }
    result->column = column;
    result->n_samples = samples->n_kept;
    for (uint32_t i = 0; i < t->n_parts; i++) {
        result->n_chains[i] = t->subjects[column].takes[0].n_chains[i];
    }
    MB_TRY(column_stats(samples, column, result->samples_ns, &result->stats, err));
    if (t->cell->mode == MB_MODE_LATENCY) {
        MB_TRY(column_stats(samples, n_ready + 1 + column, scratch, &result->null_twin, err));
    }
    MB_TRY(mb_batch_drop_unresolved(result, err));
    if (t->cell->mode == MB_MODE_THROUGHPUT && result->n_samples > 0) {
        MB_TRY(mb_batch_keep_fixed(samples, result, err));
    }
fail:
    return status;
}

static enum mb_status keep_results(struct timing *t, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    double *scratch = mb_alloc(t->cell->samples.n_kept + 1, sizeof *scratch);
    if (!scratch) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "samples: out of memory");
    }
    for (size_t i = 0; i < t->options->n_ready; i++) {
        MB_TRY(keep_result(t, i, scratch, err));
    }
    t->cell->twin_of = t->options->ready[t->twin];
    t->cell->twin_column = t->options->n_ready;
fail:
    mb_free(scratch);
    return status;
}

/* How the condition is to be had. */
static enum mb_status plan(struct timing *t, struct mb_err *why)
{
    enum mb_status status = MB_OK;
    struct mb_ruler *ruler = t->options->ruler;
    struct mb_err *err = why;
    MB_TRY(mb_schedule_images(t->cell, ruler->roofline.llc_bytes, err));
    if (t->cell->is_evicted) {
        MB_TRY(mb_ruler_need_evictor(ruler, err));
    }
    if (t->cell->mode == MB_MODE_BESIDE) {
        MB_TRY(mb_ruler_need_background(ruler, err));
    }
fail:
    return status;
}

static void skip_all(struct timing *t, const struct mb_err *why)
{
    for (size_t i = 0; i < t->options->n_ready; i++) {
        struct mb_result *result = &t->cell->results[t->options->ready[i]];
        result->status = MB_RESULT_SKIPPED;
        snprintf(result->reason, sizeof result->reason, "%s", why->text);
    }
}

enum mb_status mb_timing_run(const struct mb_timing_options *options, struct mb_cell *cell,
                             struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct timing t = {.options = options, .cell = cell};
    struct mb_err why = {0};
    const struct mb_sampler sampler = {
        .user = &t,
        .start = start_sample,
        .collect = collect_sample,
        .now_ns = monotonic_ns,
        .probe = options->ruler->has_probe ? run_probe : NULL,
        .after_block = after_block,
    };
    status = plan(&t, &why);
    if (status == MB_UNSUPPORTED) {
        skip_all(&t, &why);
        return MB_OK;
    }
    if (status != MB_OK) {
        *err = why;
        return status;
    }
    MB_TRY(mb_rotation_init(&t.rotation, options->rig, cell->n_rotated, err));
    MB_TRY(prepare(&t, err));
    const struct mb_measure_options measure = measure_options(&t);
    MB_TRY(mb_measure(&sampler, &measure, &cell->samples, err));
    MB_TRY(keep_results(&t, err));
fail:
    release(&t);
    return status;
}
