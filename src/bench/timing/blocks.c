/* The sampling loop. */
#include "bench/timing/blocks.h"

#include <math.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/rng.h"
#include "stats/stats.h"

/* A sample that was started and not yet collected. */
struct in_flight {
    bool is_used;
    size_t candidate;
    uint32_t position;
    struct mb_sample *sample; /* where it goes; NULL: dropped, as in the warm-up */
};

struct loop {
    const struct mb_sampler *sampler;
    const struct mb_measure_options *options;
    struct mb_samples *samples;
    struct mb_rng rng;
    uint32_t *order;   /* of the candidates in this block */
    double *column;    /* scratch [capacity]: one candidate's durations */
    uint32_t capacity; /* in blocks */
    struct in_flight slot[MB_N_SLOTS];
    uint32_t next_slot;
    double probe_ns;      /* the last one */
    double base_probe_ns; /* blocks are flagged by their distance from this */
    uint32_t n_shifted;   /* flagged blocks in a row whose two probes agree */
    uint64_t loaded_ns;   /* time spent on load so far */
    uint32_t next_look;   /* number of blocks at which the medians are checked next */
};

static uint64_t now_ns(const struct loop *loop)
{
    return loop->sampler->now_ns ? loop->sampler->now_ns(loop->sampler->user) : mb_now_ns();
}

static bool is_to_stop(const struct loop *loop, uint32_t n_blocks)
{
    return loop->sampler->after_block &&
           loop->sampler->after_block(loop->sampler->user, n_blocks);
}

static enum mb_status collect_slot(struct loop *loop, uint32_t slot, struct mb_err *err)
{
    const struct mb_sampler *sampler = loop->sampler;
    struct in_flight *started = &loop->slot[slot];
    struct mb_sample sample = {.n_verified = 0};
    if (!started->is_used) {
        return MB_OK;
    }
    started->is_used = false;
    MB_DO(sampler->collect(sampler->user, started->candidate, slot, &sample, err));
    if (started->sample) {
        sample.position = started->position;
        *started->sample = sample;
    }
    return MB_OK;
}

/* Collect everything in flight, oldest first. */
static enum mb_status drain(struct loop *loop, struct mb_err *err)
{
    for (uint32_t i = 0; i < MB_N_SLOTS; i++) {
        MB_DO(collect_slot(loop, (loop->next_slot + i) % MB_N_SLOTS, err));
    }
    return MB_OK;
}

/* Run every candidate once. Samples go to the next block; those of the warm-up are dropped. */
static enum mb_status run_block(struct loop *loop, bool is_warm_up, struct mb_err *err)
{
    const size_t n = loop->options->n_candidates;
    struct mb_sample *block = &loop->samples->sample[loop->samples->n_blocks * n];
    mb_rng_shuffle(&loop->rng, loop->order, n);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t candidate = loop->order[i], slot = loop->next_slot;
        MB_DO(collect_slot(loop, slot, err));
        MB_DO(loop->sampler->start(loop->sampler->user, candidate, slot, err));
        loop->slot[slot] =
            (struct in_flight){true, candidate, i, is_warm_up ? NULL : &block[candidate]};
        loop->next_slot = (slot + 1) % MB_N_SLOTS;
    }
    return MB_OK;
}

/* Run the probe alone on the device. */
static enum mb_status probe(struct loop *loop, struct mb_err *err)
{
    loop->probe_ns = (double)NAN;
    if (loop->sampler->clock) {
        MB_DO(drain(loop, err));
        MB_DO(loop->sampler->probe(loop->sampler->clock, &loop->probe_ns, err));
    }
    return MB_OK;
}

static bool has_moved(double a_ns, double b_ns)
{
    return fabs(a_ns / b_ns - 1.0) > MB_MAX_DRIFT; /* false for NaN: without a probe */
}

/* Load the device until its clock is as fast as the fastest seen. If MB_MAX_LOAD_NS of load in
 * all do not suffice, take the present clock for the fastest from then on. */
static enum mb_status raise_clock(struct loop *loop, struct mb_err *err)
{
    double *fastest_ns = loop->options->fastest_probe_ns;
    if (!fastest_ns || isnan(loop->probe_ns)) {
        return MB_OK;
    }
    const uint64_t start_ns = now_ns(loop);
    *fastest_ns = fmin(*fastest_ns, loop->probe_ns); /* fmin() ignores NaN */
    while (has_moved(loop->probe_ns, *fastest_ns)) {
        if (loop->loaded_ns + now_ns(loop) - start_ns >= MB_MAX_LOAD_NS) {
            *fastest_ns = loop->probe_ns;
            break;
        }
        MB_DO(loop->sampler->load(loop->sampler->clock, err));
        MB_DO(probe(loop, err));
        *fastest_ns = fmin(*fastest_ns, loop->probe_ns);
    }
    loop->loaded_ns += now_ns(loop) - start_ns;
    return MB_OK;
}

/* Whether the last MB_N_WINDOWS probes agree within MB_STEADY. */
static bool is_steady(const double *window_ns, uint32_t n_windows)
{
    double least = INFINITY, most = 0.0;
    if (n_windows < MB_N_WINDOWS) {
        return false;
    }
    for (uint32_t i = 0; i < MB_N_WINDOWS; i++) {
        least = fmin(least, window_ns[i]);
        most = fmax(most, window_ns[i]);
    }
    return most <= least * (1.0 + MB_STEADY);
}

/* Warm up by real load: whole blocks, with a probe every MB_WINDOW_NS, until the clock is
 * steady or max_warmup_ns have passed. Without a probe, run min_warmup_blocks. */
static enum mb_status warm_up(struct loop *loop, bool *is_stopped, struct mb_err *err)
{
    const struct mb_measure_options *options = loop->options;
    double window_ns[MB_N_WINDOWS];
    uint32_t n_windows = 0;
    uint64_t start_ns = now_ns(loop);
    uint64_t window_start_ns = start_ns;
    bool is_ready = !loop->sampler->clock;
    for (uint32_t block = 0; !*is_stopped; block++) {
        const uint64_t elapsed_ns = now_ns(loop) - start_ns;
        if (block >= options->min_warmup_blocks &&
            (is_ready || elapsed_ns >= options->max_warmup_ns)) {
            break;
        }
        MB_DO(run_block(loop, true, err));
        *is_stopped = is_to_stop(loop, 0);
        if (loop->sampler->clock && now_ns(loop) - window_start_ns >= MB_WINDOW_NS) {
            MB_DO(probe(loop, err));
            MB_DO(raise_clock(loop, err));
            window_ns[n_windows++ % MB_N_WINDOWS] = loop->probe_ns;
            is_ready = is_steady(window_ns, n_windows);
            window_start_ns = now_ns(loop);
        }
    }
    loop->samples->is_steady = is_ready;
    return MB_OK;
}

/* Whether the 95 % interval of each median is within max_noise on both sides, or within half a
 * granule. */
static enum mb_status is_known(struct loop *loop, bool *known, struct mb_err *err)
{
    const struct mb_measure_options *options = loop->options;
    MB_DO(drain(loop, err));
    *known = true;
    for (size_t i = 0; i < options->n_candidates && *known; i++) {
        struct mb_stats stats;
        mb_samples_column(loop->samples, i, loop->column);
        if (isnan(loop->column[loop->samples->n_kept - 1])) {
            continue; /* the candidate was given up */
        }
        MB_DO(mb_stats_compute(loop->column, loop->samples->n_kept, &stats, err));
        double half_ns = fmax(stats.median_ns - stats.median_ci_ns[0],
                              stats.median_ci_ns[1] - stats.median_ns);
        *known = half_ns <=
                 fmax(options->max_noise * stats.median_ns, 0.5 * options->granularity_ns);
    }
    return MB_OK;
}

/* Accept a clock that moved and stayed at its new speed: otherwise every further block would be
 * flagged. */
static void follow_clock(struct loop *loop, const struct mb_block *block)
{
    const bool is_shifted =
        block->is_flagged && !has_moved(block->probe_ns[1], block->probe_ns[0]);
    loop->n_shifted = is_shifted ? loop->n_shifted + 1 : 0;
    if (loop->n_shifted == MB_REBASE_AFTER) {
        loop->n_shifted = 0;
        loop->base_probe_ns = block->probe_ns[1];
        loop->samples->n_rebased++;
    }
}

/* Whether the time is up: timeout_ns applies after any block, budget_ns after min_blocks;
 * flagged blocks count, too. */
static bool is_over(const struct mb_measure_options *options, uint64_t elapsed_ns,
                    uint32_t n_blocks)
{
    return options->timeout_ns > 0
               ? elapsed_ns >= options->timeout_ns
               : n_blocks >= options->min_blocks && elapsed_ns >= options->budget_ns;
}

/* Sample one block between two probes. A flagged block counts only if there is no room to
 * repeat it. */
static enum mb_status sample_block(struct loop *loop, uint64_t start_ns, struct mb_err *err)
{
    struct mb_samples *samples = loop->samples;
    struct mb_block *block = &samples->block[samples->n_blocks];
    uint32_t n_spare = loop->capacity - loop->options->max_blocks;
    *block = (struct mb_block){
        .start_ns = now_ns(loop) - start_ns,
        .probe_ns[0] = loop->probe_ns,
    };
    MB_DO(run_block(loop, false, err));
    MB_DO(probe(loop, err));
    block->probe_ns[1] = loop->probe_ns;
    block->is_flagged = has_moved(block->probe_ns[1], block->probe_ns[0]) ||
                        has_moved(block->probe_ns[1], loop->base_probe_ns);
    block->is_kept = !block->is_flagged || samples->n_blocks - samples->n_kept >= n_spare;
    samples->n_kept += block->is_kept;
    samples->n_blocks++;
    follow_clock(loop, block);
    return block->is_flagged ? raise_clock(loop, err) : MB_OK;
}

/* Keep flagged blocks, the last ones first, until min_blocks are kept: no time is left to
 * repeat them. */
static void keep_flagged(struct mb_samples *samples, uint32_t min_blocks)
{
    for (uint32_t i = samples->n_blocks; i-- > 0 && samples->n_kept < min_blocks;) {
        samples->n_kept += !samples->block[i].is_kept;
        samples->block[i].is_kept = true;
    }
}

/* A block counts as whole while its last samples are in flight: drain() collects them. */
static enum mb_status sample_blocks(struct loop *loop, struct mb_err *err)
{
    const struct mb_measure_options *options = loop->options;
    struct mb_samples *samples = loop->samples;
    const uint64_t start_ns = now_ns(loop), loaded_ns = loop->loaded_ns;
    samples->stop = MB_STOP_BLOCKS;
    loop->next_look = MB_FIRST_LOOK;
    while (samples->n_kept < options->max_blocks) {
        MB_DO(sample_block(loop, start_ns, err));
        /* Time spent on load does not count: it brings no samples. */
        const uint64_t elapsed_ns = now_ns(loop) - start_ns - (loop->loaded_ns - loaded_ns);
        if (is_to_stop(loop, samples->n_kept)) {
            samples->stop = MB_STOP_INTERRUPTED;
            break;
        }
        if (is_over(options, elapsed_ns, samples->n_blocks)) {
            keep_flagged(samples, options->min_blocks);
            samples->stop = MB_STOP_BUDGET;
            break;
        }
        if (options->max_noise <= 0.0 || samples->n_kept < loop->next_look) {
            continue;
        }
        bool known;
        MB_DO(is_known(loop, &known, err));
        loop->next_look *= 2;
        if (known && samples->n_kept >= options->min_blocks) {
            samples->stop = MB_STOP_NOISE;
            break;
        }
    }
    return MB_OK;
}

/* Leave room for a quarter more blocks, to repeat flagged ones. */
static enum mb_status allocate(struct loop *loop, struct mb_err *err)
{
    const struct mb_measure_options *options = loop->options;
    struct mb_samples *samples = loop->samples;
    const size_t n = options->n_candidates;
    loop->capacity =
        options->max_blocks + (loop->sampler->clock ? options->max_blocks / 4 + 5 : 0);
    loop->order = mb_alloc(n, sizeof *loop->order);
    loop->column = mb_alloc(loop->capacity, sizeof *loop->column);
    samples->block = mb_alloc(loop->capacity, sizeof *samples->block);
    samples->sample = mb_alloc(loop->capacity * n, sizeof *samples->sample);
    MB_DO(MB_NEED(loop->order && loop->column && samples->block && samples->sample, "samples"));
    for (uint32_t i = 0; i < n; i++) {
        loop->order[i] = i;
    }
    return MB_OK;
}

static void loop_finish(struct loop *loop)
{
    mb_free(loop->order);
    mb_free(loop->column);
}

enum mb_status mb_measure(const struct mb_sampler *sampler,
                          const struct mb_measure_options *options, struct mb_samples *samples,
                          struct mb_err *err)
{
    bool is_stopped = false;
    MB_SCOPED(loop)
    loop = {
        .sampler = sampler,
        .options = options,
        .samples = samples,
        .probe_ns = (double)NAN,
    };
    *samples = (struct mb_samples){
        .n_candidates = options->n_candidates,
        .n_parts = options->n_parts,
        .warm_probe_ns = (double)NAN,
        .stop = MB_STOP_INTERRUPTED,
    };
    mb_rng_init(&loop.rng, options->seed);
    MB_DO(allocate(&loop, err));
    MB_DO(warm_up(&loop, &is_stopped, err));
    if (!is_stopped) {
        MB_DO(probe(&loop, err));
        samples->warm_probe_ns = loop.base_probe_ns = loop.probe_ns;
        MB_DO(sample_blocks(&loop, err));
    }
    return drain(&loop, err);
}
