/* Timing the strategies of one case under one condition:
 *
 *     make the images that the cache takes, and set every strategy up on each of them
 *     record the samples, once
 *     sample all strategies in randomised blocks (blocks.h)
 *     summarise the samples of each strategy in a row; fail strategies with a wrong sample
 *
 * How a sample gets from its stamps to a number in the file:
 *
 *     record_part              sample.c     stamp, chains, stamp, hashes: recorded once
 *     start_sample             here         submits the recording whose turn it is
 *     mb_timer_read            vk/timer.c   one query for both stamps; ticks to nanoseconds
 *     collect_sample           here         the time of one chain, and whether it was right
 *     collect_slot             blocks.c     mb_samples.sample[block][candidate]
 *     keep_row                 here         mb_row.stats, of the candidate's samples
 *     column_fields            result/timing_json.c */
#include "bench/timing/time_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/timing/recorded_sample.h"
#include "bench/timing/sizing.h"

#define PILOT_RUNS 3u

/* A strategy fails if MIN_DROPPED samples, and more than this share, have invalid stamps. */
#define MIN_DROPPED 3u
#define MAX_DROPPED 0.05

struct timing {
    const struct mb_case_options *options;
    struct mb_test_image *test_image;
    struct mb_candidate *candidates;
    size_t n_candidates;
    struct mb_timing *timing;
    struct mb_timer timer;
    struct mb_buffer spots;
    struct mb_chain_hash hash; /* a slot for each pair of stamps; gpu NULL: none */
    struct mb_vk_image copies[MB_MAX_ROTATION - 1]; /* of the test image; owned */
    uint32_t n_copies;
    /* Recordings of each candidate, submitted in turn: two, so that both can be in flight, or
     * one for each image of a rotation. */
    uint32_t n_recorded;
    uint32_t n_pairs_used;
    size_t twin; /* the candidate that is sampled under a second name, as column n_candidates:
                    of those not diagnostic, the fastest in the pilot */
    uint32_t n_started; /* samples so far: images rotate over all of them */
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
    t->n_copies = t->timing->n_rotated - 1;
    MB_DO(mb_test_image_poison(t->test_image, 0, err)); /* copies inherit the poison */
    return t->n_copies > 0 ? mb_test_image_copy(t->test_image, t->copies, t->n_copies, err)
                           : MB_OK;
}

/* Make the texels that overwrite the spots; their value is unlikely to be right anywhere. */
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

/* Describe a sample of a candidate, except first_instance and first_pair. */
static struct mb_recorded_sample describe_sample(const struct timing *t,
                                                 const struct mb_candidate *candidate)
{
    const struct mb_timing *timing = t->timing;
    const struct mb_calibration *calibration = t->options->calibration;
    /* An update also reads texels beside its region: all texels are overwritten. */
    const bool is_update = timing->of->task.is_update;
    struct mb_recorded_sample sample = {
        .timer = &t->timer,
        .n_parts = n_parts(t),
        .n_chains = {1},
        .instances = candidate->instances,
        .n_instances = candidate->n_instances,
        .is_overlapped = timing->mode == MB_MODE_OVERLAP,
        .evictor = timing->is_evicted ? &calibration->evictor : NULL,
        .warms_code = timing->mode == MB_MODE_LATENCY && !is_cpu(t),
        .hash = candidate->timed_hash ? &t->hash : NULL,
        .spots = is_update ? NULL : &t->spots,
        .name = candidate->result->label,
    };
    if (timing->mode != MB_MODE_LATENCY && !is_cpu(t)) {
        /* The first timed chain must find in the cache what later chains find. */
        sample.n_lead = timing->n_rotated;
    }
    if (timing->mode == MB_MODE_THROUGHPUT) {
        const uint32_t n = mb_schedule_batch(&calibration->marks, candidate->pilot_ns,
                                             candidate->pilot_host_ns);
        sample.n_chains[0] = n;
        sample.n_chains[1] = 2 * n;
        sample.n_chains[2] = 4 * n;
    } else if (timing->mode == MB_MODE_OVERLAP) {
        sample.n_chains[0] = timing->n_rotated;
    }
    return sample;
}

/* Fail the candidate: the chains of sample `which` differ from the verified one. */
static void note_wrong(struct mb_candidate *candidate, const char *which)
{
    mb_candidate_fail(candidate, true,
                      "wrong while timed: %s: the chain differs from the verified one", which);
}

/* Find the hash that timed chains, which run over poison, must have. For a whole chain it is
 * the hash of the verified chain. The hash of an update also depends on texels beside its
 * region, so run the update once. Also run a strategy with its own source once: the source
 * still holds the probe. */
static enum mb_status find_hash(struct timing *t, struct mb_candidate *candidate,
                                struct mb_err *err)
{
    const bool is_update = t->timing->of->task.is_update;
    const bool is_hashed = t->hash.gpu && candidate->result->verify == MB_VERIFY_PASS;
    if (is_update || candidate->instances[0].source) {
        MB_DO(mb_test_image_poison(t->test_image, 0, err));
        MB_DO(mb_submission_run(&candidate->instances[0].submission, err));
    }
    candidate->timed_hash = is_hashed ? candidate->hash : 0;
    if (is_update && is_hashed) {
        MB_DO(mb_chain_hash_run(&t->hash, 0, &candidate->timed_hash, err));
    }
    return mb_test_image_poison(t->test_image, 0, err);
}

/* Whether the clock stood still: a device that resolves an empty pair resolves any sample. */
static bool is_standing(const struct timing *t, const double *part_ns, uint32_t n)
{
    bool is_zero = false;
    for (uint32_t i = 0; i < n; i++) {
        is_zero = is_zero || part_ns[i] <= 0.0;
    }
    return is_zero && t->options->calibration->marks.resolves_pairs;
}

/* Wait for a sample and read its parts. MB_UNSUPPORTED if its stamps are invalid; a strategy
 * with too many such samples fails and is not timed any further. */
static enum mb_status collect(struct timing *t, struct mb_candidate *candidate,
                              struct mb_recorded_sample *recorded, double *part_ns,
                              struct mb_err *err)
{
    MB_DO(mb_submission_wait(&recorded->submission, err));
    const struct mb_intervals pairs = {2 * recorded->first_pair, 2, recorded->n_parts};
    enum mb_status status =
        mb_timer_read(&t->timer, &recorded->submission, pairs, part_ns, err);
    if (status == MB_OK && is_standing(t, part_ns, recorded->n_parts)) {
        status = MB_FAIL(err, MB_ERRC_UNSUPPORTED, "timer: both timestamps are the same");
    }
    candidate->n_taken++;
    candidate->n_dropped += status == MB_UNSUPPORTED;
    if (status == MB_UNSUPPORTED && candidate->n_dropped >= MIN_DROPPED &&
        candidate->n_dropped > MAX_DROPPED * candidate->n_taken) {
        mb_candidate_fail(candidate, false, "%.400s (%u of %u samples)", err->text,
                          candidate->n_dropped, candidate->n_taken);
        candidate->is_given_up = true;
    }
    return status;
}

/* Estimate the time of a chain: the shortest of a few runs, the first of which warms up. */
static enum mb_status pilot(struct timing *t, struct mb_candidate *candidate,
                            struct mb_err *err)
{
    MB_SCOPED(mb_recorded_sample) recorded = describe_sample(t, candidate);
    double chain_ns;
    recorded.n_parts = recorded.n_chains[0] = 1;
    recorded.n_lead = 0;
    recorded.evictor = NULL;
    MB_DO(mb_recorded_sample_init(&recorded, err));
    candidate->pilot_ns = candidate->pilot_host_ns = INFINITY;
    for (uint32_t i = 0; i < PILOT_RUNS && !candidate->is_given_up;) {
        MB_DO(mb_submission_submit(&recorded.submission, err));
        const enum mb_status status = collect(t, candidate, &recorded, &chain_ns, err);
        MB_DO(status == MB_UNSUPPORTED ? MB_OK : status);
        if (status == MB_OK) {
            const double waited_ns = (double)recorded.submission.waited_ns;
            candidate->pilot_ns = fmin(candidate->pilot_ns, chain_ns);
            candidate->pilot_host_ns = fmin(candidate->pilot_host_ns, waited_ns);
            if (mb_recorded_sample_verify(&recorded, candidate->timed_hash) < 0) {
                note_wrong(candidate, "before the samples");
            }
            i++;
        }
    }
    return MB_OK;
}

static enum mb_status record(struct timing *t, struct mb_candidate *candidate,
                             struct mb_err *err)
{
    candidate->recorded = mb_alloc(t->n_recorded, sizeof *candidate->recorded);
    MB_DO(MB_NEED(candidate->recorded, "timing"));
    for (uint32_t i = 0; i < t->n_recorded; i++) {
        struct mb_recorded_sample *recorded = &candidate->recorded[i];
        *recorded = describe_sample(t, candidate);
        recorded->first_instance = i;
        recorded->first_pair = t->n_pairs_used;
        t->n_pairs_used += recorded->n_parts;
        MB_DO(mb_recorded_sample_init(recorded, err));
    }
    return MB_OK;
}

/* Set the variant up on the copies of the test image as well. */
static enum mb_status rotate(const struct timing *t, struct mb_candidate *candidate,
                             struct mb_err *err)
{
    const uint32_t n = t->n_copies;
    struct mb_instance *instances =
        mb_realloc(candidate->instances, (1 + n) * sizeof *instances);
    MB_DO(MB_NEED(instances, "timing"));
    candidate->instances = instances;
    for (uint32_t i = 0; i < n; i++) {
        MB_DO(mb_instance_init(&instances[candidate->n_instances++], &t->copies[i],
                               candidate->row, &t->timing->of->task, NULL, err));
    }
    return MB_OK;
}

static enum mb_status prepare_candidate(struct timing *t, size_t index, struct mb_err *err)
{
    struct mb_candidate *candidate = &t->candidates[index];
    const struct mb_candidate *twin = &t->candidates[t->twin];
    MB_DO(rotate(t, candidate, err));
    MB_DO(find_hash(t, candidate, err));
    MB_DO(pilot(t, candidate, err));
    if (candidate->is_given_up) {
        return MB_OK;
    }
    if (!candidate->result->is_diagnostic &&
        (twin->is_given_up || twin->result->is_diagnostic ||
         candidate->pilot_ns < twin->pilot_ns)) {
        t->twin = index;
    }
    return record(t, candidate, err);
}

static enum mb_status prepare(struct timing *t, struct mb_err *err)
{
    const struct mb_timing *timing = t->timing;
    const struct mb_vk_image *image = &t->test_image->image;
    const bool is_rotated = timing->mode == MB_MODE_LATENCY && timing->n_rotated > MB_N_SLOTS;
    t->n_recorded = is_rotated ? timing->n_rotated : MB_N_SLOTS;
    const uint32_t n_pairs = (uint32_t)t->n_candidates * t->n_recorded * n_parts(t);
    MB_DO(mb_timer_init(&t->timer, t->options->calibration->gpu, n_pairs, err));
    if (t->options->settings->verify && mb_chain_hash_supports(image)) {
        MB_DO(mb_chain_hash_init(&t->hash, image, t->copies, t->n_copies, n_pairs, err));
    }
    for (size_t i = 0; i < t->n_candidates; i++) {
        MB_DO(prepare_candidate(t, i, err));
    }
    return MB_OK;
}

/* Undo rotate() and free what else the condition made. */
static void end_timing(const struct timing *t, struct mb_candidate *candidate)
{
    for (uint32_t i = 0; candidate->recorded && i < t->n_recorded; i++) {
        mb_recorded_sample_finish(&candidate->recorded[i]);
    }
    mb_free(candidate->recorded);
    candidate->recorded = NULL;
    candidate->n_taken = candidate->n_dropped = 0;
    candidate->is_given_up = false;
    while (candidate->n_instances > 1) {
        mb_instance_finish(&candidate->instances[--candidate->n_instances]);
    }
}

static void timing_finish(struct timing *t)
{
    for (size_t i = 0; i < t->n_candidates; i++) {
        end_timing(t, &t->candidates[i]);
    }
    mb_timer_finish(&t->timer);
    mb_chain_hash_finish(&t->hash);
    mb_buffer_finish(&t->spots);
    for (uint32_t i = 0; i < t->n_copies; i++) {
        mb_vk_image_finish(&t->copies[i]);
    }
}

/* Samples have a column for each candidate, and one for the second name of the twin. */
static struct mb_candidate *candidate_of(const struct timing *t, size_t column)
{
    return &t->candidates[column == t->n_candidates ? t->twin : column];
}

static enum mb_status start_sample(void *user, size_t column, uint32_t slot, struct mb_err *err)
{
    struct timing *t = user;
    const struct mb_candidate *candidate = candidate_of(t, column);
    t->in_slot[slot] = NULL;
    if (candidate->is_given_up) {
        return MB_OK;
    }
    t->in_slot[slot] = &candidate->recorded[t->n_started++ % t->n_recorded];
    return mb_submission_submit(&t->in_slot[slot]->submission, err);
}

/* Collect a sample. If its stamps are invalid, take the sample again on the next image of a
 * rotation, since this image is in the cache now. A strategy that was given up has NaN for all
 * its times. */
static enum mb_status collect_sample(void *user, size_t column, uint32_t slot,
                                     struct mb_sample *sample, struct mb_err *err)
{
    struct timing *t = user;
    struct mb_candidate *candidate = candidate_of(t, column);
    while (!candidate->is_given_up) {
        struct mb_recorded_sample *recorded = t->in_slot[slot];
        const enum mb_status status = collect(t, candidate, recorded, sample->part_ns, err);
        MB_DO(status == MB_UNSUPPORTED ? MB_OK : status);
        sample->n_verified = mb_recorded_sample_verify(recorded, candidate->timed_hash);
        if (status == MB_OK) {
            sample->duration_ns =
                mb_schedule_chain_ns(recorded->n_chains, sample->part_ns, n_parts(t));
            return MB_OK;
        }
        if (sample->n_verified < 0) {
            note_wrong(candidate, "a sample that was dropped");
        }
        MB_DO(start_sample(t, column, slot, err));
    }
    *sample = (struct mb_sample){(double)NAN, {(double)NAN, (double)NAN, (double)NAN}, 0, 0};
    return t->in_slot[slot] ? mb_submission_wait(&t->in_slot[slot]->submission, err) : MB_OK;
}

static bool after_block(void *user, uint32_t n_blocks)
{
    const struct timing *t = user;
    const struct mb_hooks *hooks = t->options->hooks;
    hooks->on_block(hooks->user, t->n_candidates, n_blocks,
                    mb_schedule_blocks(t->options->settings, is_cpu(t)).max_blocks);
    return hooks->is_interrupted(hooks->user);
}

static enum mb_status sample_all(struct timing *t, struct mb_err *err)
{
    struct mb_calibration *calibration = t->options->calibration;
    const struct mb_sampler sampler = {
        .user = t,
        .start = start_sample,
        .collect = collect_sample,
        .clock = calibration->has_probe ? &calibration->probe : NULL,
        .probe = mb_probe_run,
        .load = mb_probe_load,
        .after_block = after_block,
    };
    struct mb_measure_options options = mb_schedule_blocks(t->options->settings, is_cpu(t));
    options.n_candidates = t->n_candidates + 1;
    options.fastest_probe_ns = &calibration->probe_ns;
    options.n_parts = n_parts(t) > 1 ? n_parts(t) : 0;
    options.granularity_ns = calibration->marks.granularity_gcd_ns;
    return mb_measure(&sampler, &options, &t->timing->samples, err);
}

static struct mb_row *row_of(const struct timing *t, size_t candidate)
{
    return &t->timing->rows[t->candidates[candidate].result - t->timing->of->results];
}

/* Count the verified chains of a column; chains of a wrong sample do not count. */
static uint32_t count_verified(const struct timing *t, size_t column)
{
    const struct mb_samples *samples = &t->timing->samples;
    char which[64];
    uint32_t n = 0;
    for (uint32_t block = 0; block < samples->n_blocks; block++) {
        const int32_t n_verified =
            samples->sample[block * samples->n_candidates + column].n_verified;
        if (n_verified < 0) {
            snprintf(which, sizeof which, "sample %u of %u", block + 1, samples->n_blocks);
            note_wrong(candidate_of(t, column), which);
        }
        n += n_verified > 0 ? (uint32_t)n_verified : 0;
    }
    return n;
}

static enum mb_status keep_row(struct timing *t, size_t index, double *scratch,
                               struct mb_err *err)
{
    const struct mb_samples *samples = &t->timing->samples;
    const struct mb_candidate *candidate = &t->candidates[index];
    struct mb_row *row = row_of(t, index);
    row->n_dropped = candidate->n_dropped;
    if (candidate->is_given_up) {
        return MB_OK;
    }
    if (row->n_dropped > 0) {
        mb_warn(&row->warnings, "samples_dropped",
                "%u sample%s taken again after invalid timestamps", row->n_dropped,
                row->n_dropped == 1 ? "" : "s");
    }
    row->column = index;
    row->n_verified = count_verified(t, index);
    memcpy(row->n_chains, candidate->recorded[0].n_chains, sizeof row->n_chains);
    mb_samples_column(samples, index, scratch);
    MB_DO(mb_stats_compute(scratch, samples->n_kept, &row->stats, err));
    mb_schedule_drop_unresolved(row);
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
    if (!t->candidates[t->twin].is_given_up) {
        t->timing->twin_of = (size_t)(row_of(t, t->twin) - t->timing->rows);
    }
    t->timing->twin_column = t->n_candidates;
    count_verified(t, t->n_candidates);
    return MB_OK;
}

/* Find the number of images and make the evictor, as the condition asks. */
static enum mb_status arrange(struct timing *t, struct mb_err *err)
{
    struct mb_calibration *calibration = t->options->calibration;
    const struct mb_gpu *gpu = calibration->gpu;
    const uint64_t llc_bytes = calibration->roofline.llc_bytes;
    MB_DO(mb_schedule_images(t->timing, llc_bytes, err));
    if (t->timing->is_evicted && !calibration->evictor.gpu) {
        MB_DO(
            mb_field_init_evictor(&calibration->evictor, gpu, MB_COLD_FACTOR * llc_bytes, err));
    }
    return MB_OK;
}

enum mb_status mb_timing_run(const struct mb_case_options *options,
                             struct mb_test_image *test_image, struct mb_candidate *candidates,
                             size_t n_candidates, struct mb_timing *timing, struct mb_err *err)
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
            struct mb_row *row = row_of(&t, i);
            snprintf(row->skipped, sizeof row->skipped, "%s", err->text);
        }
        return MB_OK;
    }
    MB_DO(status);
    MB_DO(make_spots(&t, err));
    MB_DO(make_copies(&t, err));
    MB_DO(prepare(&t, err));
    MB_DO(t.candidates[t.twin].is_given_up ? MB_OK : sample_all(&t, err));
    return keep_rows(&t, err);
}
