/* Timing the strategies of one case under one condition:
 *
 *     make the images that the cache asks for, and set every strategy up on each of them
 *     record what is sampled, once
 *     sample all in randomised blocks (blocks.h)
 *     make a row of figures of each column of samples, and fail those that were wrong once */
#include "bench/timing/time_case.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/timing/sample.h"
#include "bench/timing/sizing.h"

#define PILOT_RUNS        3u
#define SAMPLES_IN_FLIGHT 2u
/* Of so many blocks one is verified on a software device, where a hash takes as long as a
 * chain. */
#define CPU_VERIFY_EVERY 16u

/* Of a strategy's samples: so many, and more than this share, whose stamps are invalid. */
#define MIN_DROPPED 3u
#define MAX_DROPPED 0.05

/* Submitted in turn, so that two can be in flight; of a rotation one for each image. */
struct recordings {
    struct mb_recorded_sample *samples; /* owned */
    uint32_t n;
    bool is_hashed;
};

struct subject {
    struct mb_candidate *candidate;
    struct mb_instance *instances; /* one per image; the first is the candidate's own. Owned */
    struct recordings own;         /* hashed, on a GPU */
    struct recordings hashed;      /* the same with hashes, on a software device */
    uint64_t chain_hash;           /* that its chains must have; 0: they are not verified */
    double pilot_ns;               /* about what one chain takes: the least of a few */
    double pilot_host_ns;          /* and how long the host waits for it, at least */
    uint32_t n_taken, n_dropped;   /* samples; of these, those with invalid stamps */
    bool is_given_up;
};

struct timing {
    const struct mb_case_options *options;
    struct mb_test_image *test_image;
    struct mb_candidate *const *candidates;
    size_t n_candidates;
    struct mb_timing *timing;
    struct mb_timer timer;
    struct mb_buffer spots;
    struct mb_chain_hash hash; /* a slot for each pair of stamps; gpu NULL: none */
    bool is_due;               /* software devices: this block is to be verified */
    uint32_t n_pairs_used;
    struct mb_vk_image *copies; /* of the test image, to go round with; owned */
    struct subject *subjects;   /* one per candidate */
    size_t twin; /* subject that has two names: the second is column n_candidates. The fastest
                    by its pilot that is not diagnostic */
    uint32_t n_started; /* samples of strategies: images are gone round over all of them */
    struct mb_recorded_sample *in_slot[MB_N_SLOTS];
};

static bool is_cpu(const struct timing *t)
{
    return mb_gpu_is_cpu(&t->options->calibration->gpu->info);
}

static uint32_t n_parts(const struct timing *t)
{
    return t->timing->mode == MB_MODE_THROUGHPUT ? MB_MAX_PARTS : 1;
}

static enum mb_status make_copies(struct timing *t, struct mb_err *err)
{
    const uint32_t n = t->timing->n_rotated - 1;
    MB_DO(mb_test_image_poison(t->test_image, 0, err)); /* and so the copies */
    t->copies = mb_alloc(n, sizeof *t->copies);
    MB_DO(MB_NEED(t->copies, "timing"));
    return n > 0 ? mb_test_image_copy(t->test_image, t->copies, n, err) : MB_OK;
}

/* A value that is unlikely to be right anywhere. */
static enum mb_status make_spots(struct timing *t, struct mb_err *err)
{
    const struct mb_layout *layout = &t->timing->of->layout;
    const size_t n_bytes = (size_t)layout->n_layers * layout->format->texel_bytes;
    MB_FREED uint8_t *texels = mb_alloc(n_bytes, sizeof *texels);
    MB_DO(MB_NEED(texels, "timing"));
    memset(texels, 0xa5, n_bytes);
    MB_DO(mb_buffer_init(&t->spots, t->options->calibration->gpu, MB_BUFFER_DEVICE, n_bytes,
                         "spots", err));
    return mb_buffer_upload(&t->spots, texels, n_bytes, err);
}

static enum mb_status make_hash(struct timing *t, uint32_t n_slots, struct mb_err *err)
{
    const uint32_t n = t->timing->n_rotated;
    MB_FREED const struct mb_vk_image **images = NULL;
    if (!t->options->settings->verify || !mb_chain_hash_supports(&t->test_image->image)) {
        return MB_OK;
    }
    images = mb_alloc(n, sizeof *images);
    MB_DO(MB_NEED(images, "timing"));
    for (uint32_t i = 0; i < n; i++) {
        images[i] = i > 0 ? &t->copies[i - 1] : &t->test_image->image;
    }
    return mb_chain_hash_init(&t->hash, images, n, n_slots, err);
}

static enum mb_status init_instances(struct timing *t, struct subject *subject,
                                     struct mb_err *err)
{
    subject->instances = mb_alloc(t->timing->n_rotated, sizeof *subject->instances);
    MB_DO(MB_NEED(subject->instances, "timing"));
    subject->instances[0] = subject->candidate->instance;
    for (uint32_t i = 1; i < t->timing->n_rotated; i++) {
        MB_DO(mb_instance_init(&subject->instances[i], &t->copies[i - 1],
                               subject->candidate->row, &t->timing->of->task, NULL, err));
    }
    return MB_OK;
}

static struct mb_recorded_sample_options sample_options(const struct timing *t,
                                                        const struct subject *subject,
                                                        const struct recordings *recordings)
{
    const struct mb_timing *timing = t->timing;
    const struct mb_calibration *calibration = t->options->calibration;
    /* An update also reads texels beside its region: these are overwritten, too. */
    const bool is_update = timing->of->task.is_update;
    struct mb_recorded_sample_options options = {
        .gpu = calibration->gpu,
        .timer = &t->timer,
        .n_parts = n_parts(t),
        .n_chains = {1},
        .instances = subject->instances,
        .n_instances = t->timing->n_rotated,
        .is_overlapped = timing->mode == MB_MODE_OVERLAP,
        .evictor = timing->is_evicted ? &calibration->evictor : NULL,
        .warms_code = timing->mode == MB_MODE_LATENCY && !is_cpu(t),
        .hash = recordings->is_hashed && subject->chain_hash ? &t->hash : NULL,
        .spots = is_update ? NULL : &t->spots,
        .name = subject->candidate->result->label,
    };
    if (timing->mode != MB_MODE_LATENCY && !is_cpu(t)) {
        /* A part begins as it goes on: in what its own chains left in the cache. */
        options.n_lead = t->timing->n_rotated;
    }
    if (timing->mode == MB_MODE_THROUGHPUT) {
        const uint32_t n =
            mb_schedule_batch(&calibration->marks, subject->pilot_ns, subject->pilot_host_ns);
        options.n_chains[0] = n;
        options.n_chains[1] = 2 * n;
        options.n_chains[2] = 4 * n;
    } else if (timing->mode == MB_MODE_OVERLAP) {
        options.n_chains[0] = t->timing->n_rotated;
    }
    return options;
}

/* A chain of the subject is not the one that was judged. */
MB_PRINTF(2, 3)
static void note_wrong(const struct subject *subject, const char *which, ...)
{
    struct mb_result *result = subject->candidate->result;
    char text[64];
    if (result->verify == MB_VERIFY_FAIL) {
        return;
    }
    va_list args;
    va_start(args, which);
    vsnprintf(text, sizeof text, which, args);
    va_end(args);
    result->verify = MB_VERIFY_FAIL;
    result->status = MB_RESULT_FAILED;
    result->verdict.pass = false;
    snprintf(result->reason, sizeof result->reason,
             "wrong while timed: %s: the chain differs from the one that was judged", text);
}

/* What its chains have to be: what they leave over poison, as each sample finds it. Of a whole
 * chain that is known; of an update it depends on the texels beside its region. The image is
 * back in level 0, but a source of its own still holds the probe. */
static enum mb_status find_hash(struct timing *t, struct subject *subject, struct mb_err *err)
{
    struct mb_candidate *candidate = subject->candidate;
    const bool is_update = t->timing->of->task.is_update;
    const bool is_hashed = t->hash.gpu && candidate->result->verify == MB_VERIFY_PASS;
    if (is_update || candidate->instance.source.image) {
        MB_DO(mb_test_image_poison(t->test_image, 0, err));
        MB_DO(mb_submission_run(&candidate->instance.submission, err));
    }
    subject->chain_hash = is_hashed ? candidate->hash : 0;
    if (is_update && is_hashed) {
        MB_DO(mb_chain_hash_run(&t->hash, 0, &subject->chain_hash, err));
    }
    return mb_test_image_poison(t->test_image, 0, err);
}

/* It fails, if it has not already, and nothing of it is timed from here on. */
MB_PRINTF(2, 3)
static void give_up(struct subject *subject, const char *format, ...)
{
    struct mb_result *result = subject->candidate->result;
    va_list args;
    va_start(args, format);
    if (result->status != MB_RESULT_FAILED) {
        vsnprintf(result->reason, sizeof result->reason, format, args);
    }
    va_end(args);
    result->status = MB_RESULT_FAILED;
    subject->is_given_up = true;
}

/* A device that resolves a pair with nothing in it resolves any sample. */
static bool is_standing(const struct timing *t, const double *part_ns, uint32_t n)
{
    bool is_zero = false;
    for (uint32_t i = 0; i < n; i++) {
        is_zero = is_zero || part_ns[i] <= 0.0;
    }
    return is_zero && t->options->calibration->marks.resolves_pairs;
}

/* Collect a sample. MB_UNSUPPORTED if its stamps are invalid; a strategy to which that happens
 * again and again fails, and is given up. */
static enum mb_status collect(struct timing *t, struct subject *subject,
                              struct mb_recorded_sample *sample, double *part_ns,
                              struct mb_err *err)
{
    enum mb_status status = mb_recorded_sample_collect(sample, &t->timer, part_ns, err);
    if (status == MB_OK && is_standing(t, part_ns, sample->n_parts)) {
        status = MB_FAIL(err, MB_ERRC_UNSUPPORTED, "timer: both timestamps are the same");
    }
    subject->n_taken++;
    subject->n_dropped += status == MB_UNSUPPORTED;
    if (status == MB_UNSUPPORTED && subject->n_dropped >= MIN_DROPPED &&
        subject->n_dropped > MAX_DROPPED * subject->n_taken) {
        give_up(subject, "%.400s (%u of %u samples)", err->text, subject->n_dropped,
                subject->n_taken);
    }
    return status;
}

/* About what a chain takes: the least of a few runs, of which the first warms up. */
static enum mb_status pilot(struct timing *t, struct subject *subject, struct mb_err *err)
{
    MB_SCOPED(mb_recorded_sample) recorded = {0};
    const struct recordings hashed = {.is_hashed = true};
    struct mb_recorded_sample_options options = sample_options(t, subject, &hashed);
    double chain_ns;
    options.n_parts = options.n_chains[0] = 1;
    options.n_lead = 0;
    options.evictor = NULL;
    MB_DO(mb_recorded_sample_init(&recorded, &options, err));
    subject->pilot_ns = subject->pilot_host_ns = INFINITY;
    for (uint32_t i = 0; i < PILOT_RUNS && !subject->is_given_up;) {
        MB_DO(mb_submission_submit(&recorded.submission, err));
        const enum mb_status status = collect(t, subject, &recorded, &chain_ns, err);
        MB_DO(status == MB_UNSUPPORTED ? MB_OK : status);
        if (status == MB_OK) {
            const double waited_ns = (double)recorded.submission.waited_ns;
            subject->pilot_ns = fmin(subject->pilot_ns, chain_ns);
            subject->pilot_host_ns = fmin(subject->pilot_host_ns, waited_ns);
            if (options.hash && !mb_recorded_sample_is_right(&recorded, subject->chain_hash)) {
                note_wrong(subject, "before the samples");
            }
            i++;
        }
    }
    return MB_OK;
}

static enum mb_status record(struct timing *t, const struct subject *subject,
                             struct recordings *recordings, struct mb_err *err)
{
    struct mb_recorded_sample_options options = sample_options(t, subject, recordings);
    recordings->samples = mb_alloc(recordings->n, sizeof *recordings->samples);
    MB_DO(MB_NEED(recordings->samples, "timing"));
    for (uint32_t i = 0; i < recordings->n; i++) {
        options.first_instance = i;
        options.first_pair = t->n_pairs_used;
        t->n_pairs_used += options.n_parts;
        MB_DO(mb_recorded_sample_init(&recordings->samples[i], &options, err));
    }
    return MB_OK;
}

static enum mb_status prepare_subject(struct timing *t, struct subject *subject,
                                      struct mb_err *err)
{
    const struct subject *twin = &t->subjects[t->twin];
    MB_DO(init_instances(t, subject, err));
    MB_DO(find_hash(t, subject, err));
    MB_DO(pilot(t, subject, err));
    if (subject->is_given_up) {
        return MB_OK;
    }
    if (!subject->candidate->result->is_diagnostic &&
        (twin->is_given_up || twin->candidate->result->is_diagnostic ||
         subject->pilot_ns < twin->pilot_ns)) {
        t->twin = (size_t)(subject - t->subjects);
    }
    MB_DO(record(t, subject, &subject->own, err));
    if (subject->chain_hash && subject->hashed.n > 0) {
        MB_DO(record(t, subject, &subject->hashed, err));
    }
    return MB_OK;
}

static enum mb_status prepare(struct timing *t, struct mb_err *err)
{
    const struct mb_timing *timing = t->timing;
    const size_t n = t->n_candidates;
    const bool is_rotated =
        timing->mode == MB_MODE_LATENCY && timing->n_rotated > SAMPLES_IN_FLIGHT;
    const struct subject blank = {
        .own = {.n = is_rotated ? timing->n_rotated : SAMPLES_IN_FLIGHT,
                .is_hashed = !is_cpu(t)},
        .hashed = {.n = is_cpu(t) ? SAMPLES_IN_FLIGHT : 0, .is_hashed = true},
    };
    const uint32_t n_pairs = (uint32_t)n * (blank.own.n + blank.hashed.n) * n_parts(t);
    t->subjects = mb_alloc(n, sizeof *t->subjects);
    MB_DO(MB_NEED(t->subjects, "timing"));
    MB_DO(mb_timer_init(&t->timer, t->options->calibration->gpu, n_pairs, err));
    MB_DO(make_hash(t, n_pairs, err));
    for (size_t i = 0; i < n; i++) {
        t->subjects[i] = blank;
        t->subjects[i].candidate = t->candidates[i];
        MB_DO(prepare_subject(t, &t->subjects[i], err));
    }
    return MB_OK;
}

static void free_recordings(struct recordings *recordings)
{
    for (uint32_t i = 0; recordings->samples && i < recordings->n; i++) {
        mb_recorded_sample_finish(&recordings->samples[i]);
    }
    mb_free(recordings->samples);
}

static void timing_finish(struct timing *t)
{
    for (size_t i = 0; t->subjects && i < t->n_candidates; i++) {
        struct subject *subject = &t->subjects[i];
        free_recordings(&subject->own);
        free_recordings(&subject->hashed);
        for (uint32_t k = 1; subject->instances && k < t->timing->n_rotated; k++) {
            mb_instance_finish(&subject->instances[k]);
        }
        mb_free(subject->instances);
    }
    mb_free(t->subjects);
    mb_timer_finish(&t->timer);
    mb_chain_hash_finish(&t->hash);
    mb_buffer_finish(&t->spots);
    for (uint32_t i = 0; t->copies && i + 1 < t->timing->n_rotated; i++) {
        mb_vk_image_finish(&t->copies[i]);
    }
    mb_free(t->copies);
}

/* Columns of samples: strategies, and the second name of the twin. */
static struct subject *subject_of(const struct timing *t, size_t column)
{
    return &t->subjects[column == t->n_candidates ? t->twin : column];
}

static enum mb_status start_sample(void *user, size_t column, uint32_t slot, struct mb_err *err)
{
    struct timing *t = user;
    struct subject *subject = subject_of(t, column);
    t->in_slot[slot] = NULL;
    if (subject->is_given_up) {
        return MB_OK;
    }
    const struct recordings *recordings =
        t->is_due && subject->hashed.samples != NULL ? &subject->hashed : &subject->own;
    struct mb_recorded_sample *sample = &recordings->samples[t->n_started++ % recordings->n];
    t->in_slot[slot] = sample;
    return mb_submission_submit(&sample->submission, err);
}

/* Once more, on the next image where images are gone round: this one is in the cache now. */
static enum mb_status start_again(struct timing *t, size_t column, uint32_t slot,
                                  struct mb_err *err)
{
    const struct recordings *own = &subject_of(t, column)->own;
    if (own->n > SAMPLES_IN_FLIGHT) {
        t->in_slot[slot] = &own->samples[t->n_started++ % own->n];
    }
    return mb_submission_submit(&t->in_slot[slot]->submission, err);
}

/* Nothing of a strategy that was given up is a time. */
static enum mb_status give_nothing(const struct timing *t, uint32_t slot, double *duration_ns,
                                   double *part_ns, struct mb_err *err)
{
    for (uint32_t i = 0; i < n_parts(t); i++) {
        part_ns[i] = (double)NAN;
    }
    *duration_ns = (double)NAN;
    return t->in_slot[slot] ? mb_submission_wait(&t->in_slot[slot]->submission, err) : MB_OK;
}

static enum mb_status collect_sample(void *user, size_t column, uint32_t slot,
                                     double *duration_ns, double *part_ns, struct mb_err *err)
{
    struct timing *t = user;
    struct subject *subject = subject_of(t, column);
    while (!subject->is_given_up) {
        const enum mb_status status = collect(t, subject, t->in_slot[slot], part_ns, err);
        if (status != MB_UNSUPPORTED) {
            MB_DO(status);
            *duration_ns =
                mb_schedule_chain_ns(t->in_slot[slot]->n_chains, part_ns, n_parts(t));
            return MB_OK;
        }
        if (t->in_slot[slot]->hash &&
            !mb_recorded_sample_is_right(t->in_slot[slot], subject->chain_hash)) {
            note_wrong(subject, "a sample that was dropped");
        }
        MB_DO(subject->is_given_up ? MB_OK : start_again(t, column, slot, err));
    }
    return give_nothing(t, slot, duration_ns, part_ns, err);
}

static int32_t verify_sample(void *user, size_t column, uint32_t slot)
{
    const struct timing *t = user;
    const struct mb_recorded_sample *sample = t->in_slot[slot];
    if (!sample || !sample->hash) {
        return 0;
    }
    const struct subject *subject = subject_of(t, column);
    return mb_recorded_sample_is_right(sample, subject->chain_hash) ? (int32_t)sample->n_hashed
                                                                    : -1;
}

static void before_block(void *user, bool is_due)
{
    ((struct timing *)user)->is_due = is_due;
}

static enum mb_status run_probe(void *user, double *duration_ns, struct mb_err *err)
{
    struct timing *t = user;
    return mb_probe_run(&t->options->calibration->probe, duration_ns, err);
}

static enum mb_status run_load(void *user, struct mb_err *err)
{
    struct timing *t = user;
    return mb_probe_load(&t->options->calibration->probe, err);
}

static bool after_block(void *user, uint32_t n_blocks)
{
    const struct timing *t = user;
    const struct mb_hooks *hooks = t->options->hooks;
    hooks->on_block(hooks->user, t->n_candidates, n_blocks,
                    mb_schedule_blocks(t->options->settings, is_cpu(t)).max_blocks);
    return hooks->is_interrupted(hooks->user);
}

static enum mb_status sample(struct timing *t, struct mb_err *err)
{
    const size_t n = t->n_candidates;
    const struct mb_sampler sampler = {
        .user = t,
        .start = start_sample,
        .collect = collect_sample,
        .verify = verify_sample,
        .before_block = before_block,
        .probe = t->options->calibration->has_probe ? run_probe : NULL,
        .load = run_load,
        .after_block = after_block,
    };
    struct mb_measure_options options = mb_schedule_blocks(t->options->settings, is_cpu(t));
    options.n_candidates = n + 1;
    options.verify_every = CPU_VERIFY_EVERY;
    options.fastest_probe_ns = &t->options->calibration->probe_ns;
    options.n_parts = n_parts(t) > 1 ? n_parts(t) : 0;
    options.granularity_ns = t->options->calibration->marks.granularity_gcd_ns;
    return mb_measure(&sampler, &options, &t->timing->samples, err);
}

static size_t row_of(const struct timing *t, size_t subject)
{
    return (size_t)(t->candidates[subject]->result - t->timing->of->results);
}

static enum mb_status column_stats(const struct mb_samples *samples, size_t column,
                                   double *values, struct mb_stats *stats, struct mb_err *err)
{
    mb_samples_column(samples, column, values);
    return mb_stats_compute(values, samples->n_kept, stats, err);
}

/* Count the chains of a column that were verified; those of a wrong sample are not. */
static uint32_t count_verified(const struct timing *t, const struct subject *subject,
                               size_t column)
{
    const struct mb_samples *samples = &t->timing->samples;
    uint32_t n = 0;
    for (uint32_t block = 0; block < samples->n_blocks; block++) {
        const int32_t n_verified = samples->n_verified[block * samples->n_candidates + column];
        if (n_verified < 0) {
            note_wrong(subject, "sample %u of %u", block + 1, samples->n_blocks);
        }
        n += n_verified > 0 ? (uint32_t)n_verified : 0;
    }
    return n;
}

static enum mb_status keep_row(struct timing *t, size_t column, double *scratch,
                               struct mb_err *err)
{
    const struct mb_samples *samples = &t->timing->samples;
    struct mb_row *row = &t->timing->rows[row_of(t, column)];
    row->n_dropped = t->subjects[column].n_dropped;
    if (t->subjects[column].is_given_up) {
        return MB_OK;
    }
    if (row->n_dropped > 0) {
        mb_warn(&row->warnings, "samples_dropped",
                "%u sample%s were taken again: the device gave invalid timestamps",
                row->n_dropped, row->n_dropped == 1 ? "" : "s");
    }
    row->column = column;
    row->n_verified = count_verified(t, &t->subjects[column], column);
    memcpy(row->n_chains, t->subjects[column].own.samples[0].n_chains, sizeof row->n_chains);
    MB_DO(column_stats(samples, column, scratch, &row->stats, err));
    MB_DO(mb_schedule_drop_unresolved(row, err));
    if (t->timing->mode == MB_MODE_THROUGHPUT && row->stats.n > 0) {
        mb_schedule_keep_fixed(samples, row, scratch);
    }
    return MB_OK;
}

static enum mb_status keep_rows(struct timing *t, struct mb_err *err)
{
    MB_FREED double *scratch = mb_alloc(t->timing->samples.n_kept + 1, sizeof *scratch);
    MB_DO(MB_NEED(scratch, "samples"));
    for (size_t i = 0; i < t->n_candidates; i++) {
        MB_DO(keep_row(t, i, scratch, err));
    }
    if (!t->subjects[t->twin].is_given_up) {
        t->timing->twin_of = row_of(t, t->twin);
    }
    t->timing->twin_column = t->n_candidates;
    count_verified(t, &t->subjects[t->twin], t->n_candidates);
    return MB_OK;
}

/* What the condition takes. */
static enum mb_status arrange(struct timing *t, struct mb_err *err)
{
    struct mb_calibration *calibration = t->options->calibration;
    const struct mb_gpu *gpu = calibration->gpu;
    const uint64_t llc_bytes = calibration->roofline.llc_bytes;
    MB_DO(mb_schedule_images(t->timing, llc_bytes, err));
    if (t->timing->is_evicted && !calibration->evictor.gpu) {
        MB_DO(mb_evictor_init(&calibration->evictor, gpu, MB_COLD_FACTOR * llc_bytes, err));
    }
    return MB_OK;
}

enum mb_status mb_timing_run(const struct mb_case_options *options,
                             struct mb_test_image *test_image,
                             struct mb_candidate *const *candidates, size_t n_candidates,
                             struct mb_timing *timing, struct mb_err *err)
{
    MB_SCOPED(timing)
    t = {
        .options = options,
        .test_image = test_image,
        .candidates = candidates,
        .n_candidates = n_candidates,
        .timing = timing,
    };
    const enum mb_status status = arrange(&t, err);
    if (status == MB_UNSUPPORTED) {
        for (size_t i = 0; i < n_candidates; i++) {
            struct mb_row *row = &timing->rows[row_of(&t, i)];
            snprintf(row->skipped, sizeof row->skipped, "%s", err->text);
        }
        return MB_OK;
    }
    MB_DO(status);
    MB_DO(make_spots(&t, err));
    MB_DO(make_copies(&t, err));
    MB_DO(prepare(&t, err));
    MB_DO(t.subjects[t.twin].is_given_up ? MB_OK : sample(&t, err));
    return keep_rows(&t, err);
}
