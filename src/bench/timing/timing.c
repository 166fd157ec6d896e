/* Timing the strategies of one case under one condition: setting up what is sampled, and
 * reading it out. */
#include "bench/timing/timing.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "bench/timing/batch.h"
#include "bench/timing/rotation.h"
#include "bench/timing/schedule.h"
#include "bench/timing/recorded_sample.h"
#include "vk/pipeline.h"

#define PILOT_RUNS      3u
#define TAKES_IN_FLIGHT 2u

extern const struct mb_shader mb_spv_null;

/* What is sampled in each block: a strategy, or its null twin. */
struct subject {
    const struct mb_candidate *candidate;
    struct mb_instance *instances; /* one per image; the first is the candidate's own. Owned */
    struct mb_recorded_sample *recorded; /* owned */
    uint32_t n_recorded;
    bool is_null;
    struct mb_pipeline kernel; /* of a null twin: empty, of the strategy's workgroup size */
    double pilot_ns;           /* about what one chain takes */
    uint32_t n_started;        /* samples of a null twin */
};

struct timing {
    const struct mb_timing_options *options;
    struct mb_timing *timing;
    struct mb_timer timer;
    struct mb_rotation rotation;
    struct subject *subjects; /* ready strategies, then their null twins */
    size_t n_subjects;
    size_t twin; /* subject that has two names: the second is candidate n_ready. The fastest by
                    its pilot that is not diagnostic */
    uint32_t n_parts;
    uint32_t n_started; /* samples of strategies: images are gone round over all of them */
    struct mb_recorded_sample *in_slot[MB_N_SLOTS];
};

static bool is_cpu(const struct timing *t)
{
    return t->options->calibration->gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

static enum mb_status init_trials(struct timing *t, struct subject *subject, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    subject->instances = mb_alloc(t->rotation.n_images, sizeof *subject->instances);
    if (!subject->instances) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    subject->instances[0] = subject->candidate->instance;
    for (uint32_t i = 1; i < t->rotation.n_images; i++) {
        const struct mb_instance_options options = {
            .test_image = t->options->test_image,
            .row = subject->candidate->row,
            .task = &t->timing->of->task,
            .image = mb_rotation_image(&t->rotation, i),
            .name = subject->candidate->result->label,
        };
        MB_TRY(mb_instance_init(&subject->instances[i], &options, err));
    }
fail:
    return status;
}

static enum mb_status init_null(struct timing *t, struct subject *subject, struct mb_err *err)
{
    const uint32_t *size = subject->candidate->instance.work.workgroup_size;
    const struct mb_constant sizes[] = {
        {"gl_WorkGroupSize.x", size[0] + !size[0]},
        {"gl_WorkGroupSize.y", size[1] + !size[1]},
        {"gl_WorkGroupSize.z", size[2] + !size[2]},
    };
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_null,
        .constants = sizes,
        .n_constants = MB_COUNTOF(sizes),
        .n_copies = 1,
        .name = "null twin",
    };
    return mb_pipeline_init(&subject->kernel, t->options->calibration->gpu, &options, err);
}

static struct mb_recorded_sample_options
take_options(const struct timing *t, const struct subject *subject, uint32_t index)
{
    const struct mb_timing *timing = t->timing;
    struct mb_recorded_sample_options options = {
        .gpu = t->options->calibration->gpu,
        .timer = &t->timer,
        .n_parts = t->n_parts,
        .n_chains = {1},
        .instances = subject->instances,
        .n_instances = subject->is_null ? 1 : t->rotation.n_images,
        .first_trial = index,
        .is_overlapped = timing->mode == MB_MODE_OVERLAP,
        .evictor =
            timing->is_evicted && !subject->is_null ? &t->options->calibration->evictor : NULL,
        .warms_code = mb_mode_is_one_chain(timing->mode) && !is_cpu(t),
        .null_pipeline = subject->kernel.objects.pipeline,
        .name = subject->candidate->result->label,
    };
    if (timing->mode == MB_MODE_THROUGHPUT) {
        uint32_t n = mb_schedule_batch(&t->options->calibration->marks, subject->pilot_ns);
        options.n_chains[0] = n;
        options.n_chains[1] = 2 * n;
        options.n_chains[2] = 4 * n;
        /* Batches of a cold cache begin as they go on: in what other images left there. */
        options.n_lead = timing->cache == MB_CACHE_COLD ? t->rotation.n_images : 0;
    } else if (timing->mode == MB_MODE_OVERLAP) {
        options.n_chains[0] = t->rotation.n_images;
    }
    return options;
}

/* About what a chain takes: the least of a few runs, of which the first warms up. */
static enum mb_status pilot(struct timing *t, struct subject *subject, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_recorded_sample recorded = {0};
    struct mb_recorded_sample_options options = take_options(t, subject, 0);
    double chain_ns;
    options.n_parts = options.n_chains[0] = 1;
    options.n_lead = 0;
    options.evictor = NULL;
    MB_TRY(mb_recorded_sample_init(&recorded, &options, err));
    subject->pilot_ns = INFINITY;
    for (uint32_t i = 0; i < PILOT_RUNS; i++) {
        MB_TRY(mb_submission_submit(&recorded.submission, err));
        MB_TRY(mb_recorded_sample_collect(&recorded, &t->timer, &chain_ns, err));
        subject->pilot_ns = fmin(subject->pilot_ns, chain_ns);
    }
fail:
    mb_recorded_sample_finish(&recorded);
    return status;
}

/* Takes alternate, so that two of one subject can be in flight; a rotation has one per image.
 */
static enum mb_status init_takes(struct timing *t, struct subject *subject,
                                 uint32_t *first_pair, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    subject->recorded = mb_alloc(subject->n_recorded, sizeof *subject->recorded);
    if (!subject->recorded) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    for (uint32_t i = 0; i < subject->n_recorded; i++) {
        struct mb_recorded_sample_options options = take_options(t, subject, i);
        options.first_pair = *first_pair;
        *first_pair += t->n_parts;
        MB_TRY(mb_recorded_sample_init(&subject->recorded[i], &options, err));
    }
fail:
    return status;
}

/* Strategies first, then, in latency mode, a null twin of each. */
static enum mb_status list_subjects(struct timing *t, struct mb_err *err)
{
    const struct mb_timing_options *options = t->options;
    bool has_nulls = t->timing->mode == MB_MODE_LATENCY;
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
        subject->n_recorded = TAKES_IN_FLIGHT;
        if (!subject->is_null && mb_mode_is_one_chain(t->timing->mode) &&
            t->timing->n_rotated > TAKES_IN_FLIGHT) {
            subject->n_recorded = t->timing->n_rotated;
        }
    }
    return MB_OK;
}

static enum mb_status prepare_subject(struct timing *t, struct subject *subject,
                                      struct mb_err *err)
{
    enum mb_status status = MB_OK;
    if (subject->is_null) {
        /* The instances of its strategy, borrowed. */
        size_t index = (size_t)(subject - t->subjects) - t->options->n_ready;
        subject->instances = t->subjects[index].instances;
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
    struct mb_calibration *calibration = t->options->calibration;
    uint32_t n_pairs = 0;
    uint32_t first_pair = 0;
    t->n_parts = t->timing->mode == MB_MODE_THROUGHPUT ? 3 : 1;
    MB_TRY(list_subjects(t, err));
    for (size_t i = 0; i < t->n_subjects; i++) {
        n_pairs += t->subjects[i].n_recorded * t->n_parts;
    }
    MB_TRY(mb_timer_init(&t->timer, calibration->gpu, n_pairs, err));
    for (size_t i = 0; i < t->n_subjects; i++) {
        MB_TRY(prepare_subject(t, &t->subjects[i], err));
        MB_TRY(init_takes(t, &t->subjects[i], &first_pair, err));
    }
fail:
    return status;
}

static void release_subject(struct timing *t, struct subject *subject)
{
    for (uint32_t i = 0; subject->recorded && i < subject->n_recorded; i++) {
        mb_recorded_sample_finish(&subject->recorded[i]);
    }
    mb_free(subject->recorded);
    if (subject->is_null) {
        mb_pipeline_finish(&subject->kernel);
        return;
    }
    for (uint32_t i = 1; subject->instances && i < t->rotation.n_images; i++) {
        mb_instance_finish(&subject->instances[i]);
    }
    mb_free(subject->instances);
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
    struct mb_recorded_sample *recorded = &subject->recorded[*n_started % subject->n_recorded];
    ++*n_started;
    t->in_slot[slot] = recorded;
    if (t->timing->mode == MB_MODE_BESIDE) {
        return mb_background_run(&t->options->calibration->background, &recorded->submission,
                                 err);
    }
    return mb_submission_submit(&recorded->submission, err);
}

/* What a sample says of one chain. */
static double per_chain_ns(const struct timing *t, const struct mb_recorded_sample *recorded,
                           const double *part_ns)
{
    double n_chains[MB_MAX_PARTS], intercept_ns;
    for (uint32_t i = 0; i < recorded->n_parts; i++) {
        n_chains[i] = recorded->n_chains[i];
    }
    if (t->timing->mode == MB_MODE_THROUGHPUT) {
        return mb_theil_sen(n_chains, part_ns, recorded->n_parts, &intercept_ns);
    }
    return part_ns[0] / n_chains[0];
}

static enum mb_status collect_sample(void *user, size_t column, uint32_t slot,
                                     double *duration_ns, double *part_ns, struct mb_err *err)
{
    struct timing *t = user;
    enum mb_status status = MB_OK;
    (void)column;
    MB_TRY(mb_recorded_sample_collect(t->in_slot[slot], &t->timer, part_ns, err));
    *duration_ns = per_chain_ns(t, t->in_slot[slot], part_ns);
fail:
    return status;
}

static enum mb_status run_probe(void *user, double *duration_ns, struct mb_err *err)
{
    struct timing *t = user;
    return mb_probe_run(&t->options->calibration->probe, duration_ns, err);
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
    options.granularity_ns = t->options->calibration->marks.granularity_gcd_ns;
    return options;
}

static enum mb_status column_stats(const struct mb_samples *samples, size_t column,
                                   double *values, struct mb_stats *stats, struct mb_err *err)
{
    mb_samples_column(samples, column, values);
    return mb_stats_compute(values, samples->n_kept, stats, err);
}

static enum mb_status keep_row(struct timing *t, size_t column, double *scratch,
                               struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_samples *samples = &t->timing->samples;
    struct mb_row *row = &t->timing->rows[t->options->ready[column]];
    row->column = column;
    for (uint32_t i = 0; i < t->n_parts; i++) {
        row->n_chains[i] = t->subjects[column].recorded[0].n_chains[i];
    }
    MB_TRY(column_stats(samples, column, scratch, &row->stats, err));
    if (t->timing->mode == MB_MODE_LATENCY) {
        MB_TRY(column_stats(samples, t->options->n_ready + 1 + column, scratch, &row->null_twin,
                            err));
    }
    MB_TRY(mb_batch_drop_unresolved(row, err));
    if (t->timing->mode == MB_MODE_THROUGHPUT && row->stats.n > 0) {
        MB_TRY(mb_batch_keep_fixed(samples, row, err));
    }
fail:
    return status;
}

static enum mb_status keep_rows(struct timing *t, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    double *scratch = mb_alloc(t->timing->samples.n_kept + 1, sizeof *scratch);
    if (!scratch) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "samples: out of memory");
    }
    for (size_t i = 0; i < t->options->n_ready; i++) {
        MB_TRY(keep_row(t, i, scratch, err));
    }
    t->timing->twin_of = t->options->ready[t->twin];
    t->timing->twin_column = t->options->n_ready;
fail:
    mb_free(scratch);
    return status;
}

/* How the condition is to be had. */
static enum mb_status plan(struct timing *t, struct mb_err *why)
{
    enum mb_status status = MB_OK;
    struct mb_calibration *calibration = t->options->calibration;
    struct mb_err *err = why;
    MB_TRY(mb_schedule_images(t->timing, calibration->roofline.llc_bytes, err));
    if (t->timing->is_evicted) {
        MB_TRY(mb_calibration_need_evictor(calibration, err));
    }
    if (t->timing->mode == MB_MODE_BESIDE) {
        MB_TRY(mb_calibration_need_background(calibration, err));
    }
fail:
    return status;
}

static void skip_all(struct timing *t, const struct mb_err *why)
{
    for (size_t i = 0; i < t->options->n_ready; i++) {
        struct mb_row *row = &t->timing->rows[t->options->ready[i]];
        snprintf(row->skipped, sizeof row->skipped, "%s", why->text);
    }
}

enum mb_status mb_timing_run(const struct mb_timing_options *options, struct mb_timing *timing,
                             struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct timing t = {.options = options, .timing = timing};
    struct mb_err why = {0};
    const struct mb_sampler sampler = {
        .user = &t,
        .start = start_sample,
        .collect = collect_sample,
        .now_ns = monotonic_ns,
        .probe = options->calibration->has_probe ? run_probe : NULL,
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
    MB_TRY(mb_rotation_init(&t.rotation, options->test_image, timing->n_rotated, err));
    MB_TRY(prepare(&t, err));
    const struct mb_measure_options measure = measure_options(&t);
    MB_TRY(mb_measure(&sampler, &measure, &timing->samples, err));
    MB_TRY(keep_rows(&t, err));
fail:
    release(&t);
    return status;
}
