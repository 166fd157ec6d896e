/* Timing the strategies of one cell: setting up what is sampled, and reading it out. */
#include "bench/timing.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "bench/rotation.h"
#include "bench/take.h"
#include "vk/pipeline.h"

#define MAX_BATCH       1024u
#define OVERLAPPED      4u /* images of the overlap mode, if a cold cache does not take more */
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
    size_t twin; /* subject that has two names: the second is candidate n_ready */
    uint32_t n_parts;
    uint32_t n_started; /* samples of strategies: images are gone round over all of them */
    struct mb_take *in_slot[MB_N_SLOTS];
};

static bool is_cpu(const struct timing *t)
{
    return t->options->ruler->gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

uint32_t mb_timing_batch(const struct mb_timer_marks *marks, double chain_ns)
{
    double least_ns = fmax(200.0 * marks->granularity_ns, 20.0 * marks->empty_pair_ns);
    double n = ceil(fmax(least_ns, 200e3) / fmax(chain_ns, 1.0));
    return n < 1.0 ? 1 : n > MAX_BATCH ? MAX_BATCH : (uint32_t)n;
}

/* How many images, and whether they are enough. */
static enum mb_status plan_images(struct timing *t, uint32_t *n_images, struct mb_err *why)
{
    struct mb_cell *cell = t->cell;
    uint64_t llc_bytes = t->options->ruler->roofline.llc_bytes;
    uint64_t n = cell->mode == MB_MODE_OVERLAP ? OVERLAPPED : 1;
    if (cell->cache == MB_CACHE_COLD) {
        uint64_t n_cold = mb_rotation_cold_images(&cell->layout, llc_bytes);
        if (n_cold > MB_MAX_ROTATION && cell->mode != MB_MODE_LATENCY) {
            return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                           "a cold cache in this mode takes %llu images of this size; with "
                           "--mode latency the cache is swept instead",
                           (unsigned long long)n_cold);
        }
        cell->is_evicted = n_cold > MB_MAX_ROTATION;
        n_cold = cell->is_evicted ? 2 : n_cold;
        n = n_cold > n ? n_cold : n;
    }
    cell->n_rotated = *n_images = (uint32_t)n;
    return MB_OK;
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
        .warms_code = cell->mode == MB_MODE_LATENCY && !is_cpu(t),
        .null_pipeline = subject->kernel.pipeline,
        .name = subject->candidate->result->label,
    };
    if (cell->mode == MB_MODE_THROUGHPUT) {
        uint32_t n = mb_timing_batch(&t->options->ruler->marks, subject->pilot_ns);
        options.n_chains[0] = n;
        options.n_chains[1] = 2 * n;
        options.n_chains[2] = 4 * n;
        options.first_trial = index * 7 * n;
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
    t->n_subjects = options->n_ready * (has_nulls ? 2 : 1);
    t->subjects = mb_alloc(t->n_subjects, sizeof *t->subjects);
    if (!t->subjects) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    for (size_t i = 0; i < t->n_subjects; i++) {
        struct subject *subject = &t->subjects[i];
        subject->candidate = &options->candidates[options->ready[i % options->n_ready]];
        subject->is_null = i >= options->n_ready;
        subject->n_takes = TAKES_IN_FLIGHT;
        if (!subject->is_null && t->cell->mode == MB_MODE_LATENCY &&
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
    if (t->cell->is_evicted) {
        MB_TRY(mb_ruler_need_evictor(ruler, err));
    }
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

static uint32_t max_blocks(const struct timing *t)
{
    uint32_t n_samples = t->options->settings->n_samples;
    return n_samples > 0 ? n_samples : is_cpu(t) ? 40 : 1280;
}

static bool after_block(void *user, uint32_t n_blocks)
{
    const struct timing *t = user;
    const struct mb_hooks *hooks = t->options->hooks;
    hooks->on_block(hooks->user, t->options->n_ready, n_blocks, max_blocks(t));
    return hooks->is_interrupted(hooks->user);
}

/* A software device takes milliseconds for what a GPU does in microseconds, and has no clocks
 * to warm up: fewer blocks keep a first run short. */
static struct mb_measure_options measure_options(const struct timing *t)
{
    const struct mb_settings *settings = t->options->settings;
    struct mb_measure_options options = {
        .n_candidates = t->n_subjects + 1,
        .n_judged = t->options->n_ready + 1,
        .n_parts = t->n_parts > 1 ? t->n_parts : 0,
        .seed = settings->seed,
        .min_warmup_blocks = is_cpu(t) ? 1 : 3,
        .max_warmup_ns = UINT64_C(5000000000),
        .min_blocks = is_cpu(t) ? 10 : 20,
        .max_blocks = max_blocks(t),
        .min_time_ns = (uint64_t)(settings->min_time_s * 1e9),
        .budget_ns = UINT64_C(2000000000),
        .timeout_ns = (uint64_t)(settings->timeout_s * 1e9),
        .max_noise = settings->max_noise,
        .granularity_ns = t->options->ruler->marks.granularity_gcd_ns,
    };
    if (options.min_time_ns > options.budget_ns) {
        options.budget_ns = options.min_time_ns;
    }
    if (settings->n_warmup != UINT32_MAX) {
        options.min_warmup_blocks = settings->n_warmup;
        options.max_warmup_ns = 0;
    }
    if (settings->n_samples > 0) {
        options.min_blocks = settings->n_samples;
        options.max_noise = 0.0;
    }
    return options;
}

/* Median of the intercepts: what a batch costs however long it is. */
static enum mb_status keep_fixed(const struct timing *t, size_t column,
                                 struct mb_result *result, struct mb_err *err)
{
    const struct mb_samples *samples = &t->cell->samples;
    double n_chains[MB_MAX_PARTS];
    uint32_t n = 0;
    double *fixed_ns = mb_alloc(samples->n_kept + 1, sizeof *fixed_ns);
    if (!fixed_ns) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "timing: out of memory");
    }
    for (uint32_t i = 0; i < t->n_parts; i++) {
        n_chains[i] = result->n_chains[i];
    }
    for (uint32_t block = 0; block < samples->n_blocks; block++) {
        if (samples->block[block].is_kept) {
            const double *part_ns =
                samples->part_ns + (block * samples->n_candidates + column) * t->n_parts;
            mb_theil_sen(n_chains, part_ns, t->n_parts, &fixed_ns[n++]);
        }
    }
    result->fixed_ns = n > 0 ? mb_median(fixed_ns, n) : (double)NAN;
    mb_free(fixed_ns);
    return MB_OK;
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
    } else if (t->cell->mode == MB_MODE_THROUGHPUT) {
        MB_TRY(keep_fixed(t, column, result, err));
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
    t->cell->twin_of = t->options->ready[t->twin];
    t->cell->twin_column = t->options->n_ready;
    for (size_t i = 0; i < t->options->n_ready; i++) {
        MB_TRY(keep_result(t, i, scratch, err));
    }
fail:
    mb_free(scratch);
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
    uint32_t n_images = 1;
    struct mb_err why = {0};
    const struct mb_sampler sampler = {
        .user = &t,
        .start = start_sample,
        .collect = collect_sample,
        .now_ns = monotonic_ns,
        .probe = options->ruler->has_probe ? run_probe : NULL,
        .after_block = after_block,
    };
    if (plan_images(&t, &n_images, &why) != MB_OK) {
        skip_all(&t, &why);
        return MB_OK;
    }
    MB_TRY(mb_rotation_init(&t.rotation, options->rig, n_images, err));
    MB_TRY(prepare(&t, err));
    const struct mb_measure_options measure = measure_options(&t);
    MB_TRY(mb_measure(&sampler, &measure, &cell->samples, err));
    MB_TRY(keep_results(&t, err));
fail:
    release(&t);
    return status;
}
