/* The sampling loop on a device that is not there: a counter that wraps, a clock that drifts,
 * work that takes what the test says. Everything above the Vulkan calls runs as it does on a
 * GPU: ticks become durations by the functions that the timer uses. */
#include "bench/timing/blocks.h"

#include <math.h>

#include "base/rng.h"
#include "stats/stats.h"
#include "check.h"
#include "vk/timer.h"

#define N_CANDIDATES 3
#define MAX_STARTS   4096

struct device {
    uint32_t valid_bits;
    double period_ns;
    double now_ns;  /* the device's own time */
    double host_ns; /* the host's */
    double clock;   /* 1: full speed */
    struct mb_rng rng;
    double noise;    /* relative, of each sample */
    bool is_bimodal; /* candidate 1 takes half as much again every other time */
    bool is_backwards;
    uint64_t begin[MB_N_SLOTS], end[MB_N_SLOTS];
    uint32_t n_probes, n_loads, n_loads_needed;
    /* Candidates in the order of their starts, and how long they worked. */
    size_t started[MAX_STARTS];
    double worked_ns[MAX_STARTS];
    size_t n_started, n_collected, n_in_flight, most_in_flight;
    bool slot_is_used[MB_N_SLOTS];
    size_t slot_candidate[MB_N_SLOTS];
    bool was_wrong; /* a slot reused before it was collected, or collected for another */
    size_t fail_start_at, fail_collect_at; /* 1-based; 0: never */
    uint32_t stop_after_blocks;            /* 0: never */
    /* Clock as a function of the probes taken so far. */
    double (*clock_at)(uint32_t n_probes);
    uint32_t n_blocks; /* the last that after_block told */
};

static uint64_t stamp(const struct device *d)
{
    uint64_t ticks = (uint64_t)(d->now_ns / d->period_ns);
    return d->valid_bits >= 64 ? ticks : ticks & ((UINT64_C(1) << d->valid_bits) - 1);
}

static double work_ns(struct device *d, size_t candidate)
{
    double duration_ns = 10e3 * (double)(candidate + 1);
    if (d->is_bimodal && candidate == 1 && mb_rng_below(&d->rng, 2) == 1) {
        duration_ns *= 1.5;
    }
    return duration_ns * (1.0 + d->noise * (check_random_unit(&d->rng) - 0.5)) / d->clock;
}

static struct mb_samples samples; /* of the last measure() */

static enum mb_status start(void *user, size_t candidate, uint32_t slot, struct mb_err *err)
{
    struct device *d = user;
    if (d->n_started + 1 == d->fail_start_at) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "start failed");
    }
    d->was_wrong |= slot >= MB_N_SLOTS || d->slot_is_used[slot];
    d->slot_is_used[slot] = true;
    d->slot_candidate[slot] = candidate;
    d->started[d->n_started % MAX_STARTS] = candidate;
    d->n_in_flight++;
    if (d->n_in_flight > d->most_in_flight) {
        d->most_in_flight = d->n_in_flight;
    }
    const double duration_ns = work_ns(d, candidate);
    d->worked_ns[d->n_started % MAX_STARTS] = duration_ns;
    d->begin[slot] = stamp(d);
    d->now_ns += duration_ns;
    d->end[slot] = stamp(d);
    if (d->is_backwards && d->n_started == 30) {
        uint64_t first = d->begin[slot];
        d->begin[slot] = d->end[slot];
        d->end[slot] = first;
    }
    d->now_ns += 5e3;
    d->host_ns += 20e3;
    d->n_started++;
    return MB_OK;
}

static enum mb_status collect(void *user, size_t candidate, uint32_t slot,
                              struct mb_sample *sample, struct mb_err *err)
{
    struct device *d = user;
    d->was_wrong |= !d->slot_is_used[slot] || d->slot_candidate[slot] != candidate;
    d->slot_is_used[slot] = false;
    d->n_in_flight--;
    if (++d->n_collected == d->fail_collect_at) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "collect failed");
    }
    enum mb_status status = mb_ticks_to_ns(d->begin[slot], d->end[slot], d->valid_bits,
                                           d->period_ns, &sample->duration_ns, err);
    sample->part_ns[0] = sample->duration_ns;
    sample->part_ns[1] = 2.0 * sample->duration_ns;
    sample->n_verified = (int32_t)candidate + 1;
    return status;
}

/* The device is its own clock. */
static struct device *device_of(struct mb_probe *clock)
{
    return (struct device *)(void *)clock;
}

static enum mb_status probe(struct mb_probe *clock, double *duration_ns, struct mb_err *err)
{
    struct device *d = device_of(clock);
    d->clock = d->clock_at ? d->clock_at(d->n_probes) : 1.0;
    d->n_probes++;
    d->host_ns += 120e3;
    *duration_ns = 100e3 / d->clock;
    return MB_OK;
}

/* 0.5 of full speed at first, then rising for ten windows. */
static double rising(uint32_t n_probes)
{
    return n_probes < 10 ? 0.5 + 0.05 * n_probes : 1.0;
}

static enum mb_status load(struct mb_probe *clock, struct mb_err *err)
{
    struct device *d = device_of(clock);
    d->host_ns += 20e6;
    d->n_loads++;
    if (d->n_loads >= d->n_loads_needed) {
        d->clock_at = rising;
        d->n_probes = 10;
    }
    return MB_OK;
}

static uint64_t now_ns(void *user)
{
    return (uint64_t)((struct device *)user)->host_ns;
}

static bool after_block(void *user, uint32_t n_blocks)
{
    struct device *d = user;
    d->n_blocks = n_blocks;
    return d->stop_after_blocks > 0 && n_blocks >= d->stop_after_blocks;
}

static struct device make_device(uint32_t valid_bits)
{
    struct device d = {.valid_bits = valid_bits, .period_ns = 32.0, .clock = 1.0};
    mb_rng_init(&d.rng, 5);
    return d;
}

static struct mb_sampler sampler_of(struct device *d)
{
    return (struct mb_sampler){
        .user = d,
        .start = start,
        .collect = collect,
        .now_ns = now_ns,
        .clock = d->clock_at ? (struct mb_probe *)(void *)d : NULL,
        .probe = probe,
        .load = load,
        .after_block = after_block,
    };
}

static struct mb_measure_options plain_options(void)
{
    return (struct mb_measure_options){
        .n_candidates = N_CANDIDATES,
        .seed = 3,
        .max_warmup_ns = UINT64_C(5000000000),
        .min_blocks = 20,
        .max_blocks = 160,
        .budget_ns = UINT64_MAX,
        .granularity_ns = 32.0,
    };
}

/* Sample, and hold what came of it in place of what was before. */
static void measure(struct device *d, const struct mb_measure_options *options)
{
    const struct mb_sampler sampler = sampler_of(d);
    mb_samples_finish(&samples);
    CHECK_EQ_INT(mb_measure(&sampler, options, &samples, NULL), MB_OK);
}

/* A counter of 36 bits that wraps between and within samples gives the durations that one of
 * 64 bits does. */
static void test_wrap(void)
{
    struct device narrow = make_device(36), wide = make_device(64);
    struct mb_measure_options options = plain_options();
    struct mb_samples a, b;
    narrow.now_ns = wide.now_ns = (double)(UINT64_C(1) << 36) * 32.0 - 400e3;
    const struct mb_sampler of_narrow = sampler_of(&narrow);
    const struct mb_sampler of_wide = sampler_of(&wide);
    CHECK_EQ_INT(mb_measure(&of_narrow, &options, &a, NULL), MB_OK);
    CHECK_EQ_INT(mb_measure(&of_wide, &options, &b, NULL), MB_OK);
    CHECK(narrow.now_ns > (double)(UINT64_C(1) << 36) * 32.0); /* it did wrap */
    CHECK_EQ_INT(a.n_kept, 160);
    for (size_t i = 0; i < 160 * N_CANDIDATES; i++) {
        CHECK_EQ_DBL(a.sample[i].duration_ns, b.sample[i].duration_ns, 1e-9);
        CHECK_EQ_DBL(a.sample[i].duration_ns, 10e3 * (double)(i % N_CANDIDATES + 1), 33.0);
    }
    mb_samples_finish(&a);
    mb_samples_finish(&b);
}

/* Time running backwards is an error with a sentence, never a number. */
static void test_backwards(void)
{
    struct device d = make_device(36);
    struct mb_measure_options options = plain_options();
    struct mb_samples none;
    struct mb_err err = {0};
    const struct mb_sampler sampler = sampler_of(&d);
    d.is_backwards = true;
    CHECK_EQ_INT(mb_measure(&sampler, &options, &none, &err), MB_UNSUPPORTED);
    CHECK(strstr(err.text, "before the first") != NULL);
    mb_samples_finish(&none);
}

static void test_no_timestamps(void)
{
    struct mb_err why = {0};
    static struct mb_gpu_info info = {.name = "GPU", .timestamp_period_ns = 1.0};
    CHECK_EQ_INT(mb_timer_check(&info, &why), MB_UNSUPPORTED);
    CHECK(strstr(why.text, "timestampValidBits 0") != NULL);
    info.timestamp_valid_bits = 36;
    CHECK_EQ_INT(mb_timer_check(&info, &why), MB_OK);
    info.timestamp_period_ns = 0.0;
    CHECK_EQ_INT(mb_timer_check(&info, &why), MB_UNSUPPORTED);
    info.timestamp_period_ns = (double)NAN;
    CHECK_EQ_INT(mb_timer_check(&info, &why), MB_UNSUPPORTED);
}

/* Sampling begins when the clock has come up, not before. */
static void test_warm_up(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    d.clock_at = rising;
    options.max_blocks = options.min_blocks;
    measure(&d, &options);
    CHECK(samples.is_steady);
    CHECK_EQ_DBL(samples.warm_probe_ns, 100e3, 1e-6);
    CHECK_EQ_INT(samples.n_blocks, 20);
    for (uint32_t i = 0; i < samples.n_blocks; i++) {
        CHECK(!samples.block[i].is_flagged);
        CHECK_EQ_DBL(samples.block[i].probe_ns[0], 100e3, 1e-6);
    }
}

/* A device that takes the host's pauses for idleness. */
static double idle(uint32_t n_probes)
{
    return 0.5;
}

static void measure_idle(struct device *d, double *fastest_ns)
{
    struct mb_measure_options options = plain_options();
    options.max_blocks = options.min_blocks;
    options.fastest_probe_ns = fastest_ns;
    d->clock_at = idle;
    measure(d, &options);
}

/* A clock that stays at half of what is known is steady, and yet not what is to be measured:
 * load brings it back before sampling begins. One that does not come back is the clock; three
 * seconds of load say so, once. */
static void test_idle_clock(void)
{
    struct device d = make_device(64);
    double fastest_ns = 100e3;
    d.n_loads_needed = 12;
    measure_idle(&d, &fastest_ns);
    CHECK_EQ_INT(d.n_loads, 12);
    CHECK_EQ_DBL(samples.warm_probe_ns, 100e3, 1e-6);
    CHECK_EQ_DBL(fastest_ns, 100e3, 1e-6);
    for (uint32_t i = 0; i < samples.n_blocks; i++) {
        CHECK(!samples.block[i].is_flagged);
    }

    d = make_device(64);
    d.n_loads_needed = UINT32_MAX;
    measure_idle(&d, &fastest_ns);
    CHECK(d.n_loads > 140 && d.n_loads <= 150);
    CHECK_EQ_DBL(fastest_ns, 200e3, 1e-6);
    CHECK_EQ_INT(samples.n_kept, 20);
    CHECK(!samples.block[0].is_flagged);
    d.n_loads = 0;
    measure_idle(&d, &fastest_ns);
    CHECK_EQ_INT(d.n_loads, 0);

    fastest_ns = (double)NAN; /* nothing is known: it is what it is */
    measure_idle(&d, &fastest_ns);
    CHECK_EQ_INT(d.n_loads, 0);
    CHECK_EQ_DBL(fastest_ns, 200e3, 1e-6);
}

/* Never the same for five windows. */
static double restless(uint32_t n_probes)
{
    return n_probes % 3 == 0 ? 0.99 : 1.0;
}

/* The warm-up ends after max_warmup_ns all the same, and says that it found no rest. */
static void test_restless(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    d.clock_at = restless;
    options.max_blocks = options.min_blocks;
    measure(&d, &options);
    CHECK(!samples.is_steady);
    CHECK(d.host_ns > 5e9 && d.host_ns < 5.2e9);
    CHECK_EQ_INT(samples.n_blocks, 20); /* 1 % is below what flags a block */
}

/* Throttled for a while: probes 40 to 42 are 10 % slower. */
static double throttled(uint32_t n_probes)
{
    return n_probes >= 40 && n_probes < 43 ? 0.9 : 1.0;
}

/* Blocks beside or within the slow spell are flagged and repeated; the medians do not show it,
 * and the raw samples are all there. */
static void test_throttle(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    double column[160];
    uint32_t n_flagged = 0;
    d.clock_at = throttled;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_kept, 160);
    for (uint32_t i = 0; i < samples.n_blocks; i++) {
        n_flagged += samples.block[i].is_flagged;
        CHECK(samples.block[i].is_flagged == !samples.block[i].is_kept);
    }
    /* Three blocks end in the spell; the one after begins in it. */
    CHECK_EQ_INT(n_flagged, 4);
    CHECK_EQ_INT(samples.n_blocks, 160 + 4);
    CHECK_EQ_INT(samples.n_rebased, 0);
    mb_samples_column(&samples, 0, column);
    for (size_t i = 0; i < 160; i++) {
        CHECK_EQ_DBL(column[i], 10e3, 33.0);
    }
}

/* Slow for ever after probe 40. */
static double failing(uint32_t n_probes)
{
    return n_probes >= 40 ? 0.9 : 1.0;
}

/* A clock that never comes back is the clock, once that is sure: one block ends in another
 * than it began, three more do not come back, and the rest counts as ever. */
static void test_lasting_throttle(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    d.clock_at = failing;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_kept, 160);
    CHECK_EQ_INT(samples.n_blocks, 160 + 1 + MB_REBASE_AFTER);
    CHECK_EQ_INT(samples.n_rebased, 1);
    for (uint32_t i = 0; i < samples.n_blocks; i++) {
        CHECK(samples.block[i].is_flagged == !samples.block[i].is_kept);
    }
    CHECK(!samples.block[samples.n_blocks - 1].is_flagged);
    CHECK_EQ_DBL(samples.warm_probe_ns, 100e3, 1e-6);
}

/* Another clock at each probe, once sampling has begun. */
static double erratic(uint32_t n_probes)
{
    return n_probes >= 30 && n_probes % 2 == 0 ? 0.9 : 1.0;
}

/* Where it never rests there is nothing to follow: the room for repeats is used up, and what is
 * left counts, flagged. */
static void test_erratic(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    d.clock_at = erratic;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_kept, 160);
    CHECK_EQ_INT(samples.n_blocks, 160 + 160 / 4 + 5);
    CHECK_EQ_INT(samples.n_rebased, 0);
    CHECK(samples.block[samples.n_blocks - 1].is_flagged);
    CHECK(samples.block[samples.n_blocks - 1].is_kept);
}

/* Flagged blocks do not outlast the time: of those there are, the last ones count. A block
 * takes 60 us of samples and 120 us of probe on the host. */
static void test_erratic_timeout(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    d.clock_at = erratic;
    options.min_warmup_blocks = 1;
    options.max_warmup_ns = 0;
    d.n_probes = 100;
    options.timeout_ns = UINT64_C(12) * 180000;
    measure(&d, &options);
    CHECK_EQ_INT(samples.stop, MB_STOP_BUDGET);
    CHECK_EQ_INT(samples.n_blocks, 12);
    CHECK_EQ_INT(samples.n_kept, 12);

    options.timeout_ns = 0;
    options.min_blocks = 5;
    options.budget_ns = UINT64_C(12) * 180000;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_blocks, 12);
    CHECK_EQ_INT(samples.n_kept, 5);
    CHECK(samples.block[11].is_kept && !samples.block[6].is_kept);
}

/* Quiet samples stop at the first look; noisy ones at a later one, or not at all. */
static void test_noise(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    options.max_noise = 0.005;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_kept, MB_FIRST_LOOK);
    CHECK_EQ_INT(samples.stop, MB_STOP_NOISE);

    d.noise = 0.05;
    measure(&d, &options);
    CHECK(samples.n_kept == 40 || samples.n_kept == 80 || samples.n_kept == 160);
    CHECK_EQ_INT(samples.stop, samples.n_kept == 160 ? MB_STOP_BLOCKS : MB_STOP_NOISE);

    d.noise = 1.0;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_kept, 160);
    CHECK_EQ_INT(samples.stop, MB_STOP_BLOCKS);
}

static void test_bimodal(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    struct mb_stats stats[N_CANDIDATES];
    double column[160];
    d.is_bimodal = true;
    d.noise = 0.02;
    measure(&d, &options);
    for (size_t i = 0; i < N_CANDIDATES; i++) {
        mb_samples_column(&samples, i, column);
        CHECK_EQ_INT(mb_stats_compute(column, 160, &stats[i], NULL), MB_OK);
    }
    CHECK(!stats[0].is_bimodal);
    CHECK(stats[1].is_bimodal);
    CHECK(!stats[2].is_bimodal);
}

static void test_times(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    options.timeout_ns = 600000; /* ten blocks of three samples of 20 us on the host */
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_kept, 10);
    CHECK_EQ_INT(samples.stop, MB_STOP_BUDGET);

    options = plain_options();
    options.min_blocks = 3; /* before these the budget does not end it */
    options.budget_ns = UINT64_C(10) * N_CANDIDATES * 20000;
    measure(&d, &options);
    CHECK(samples.n_blocks >= 10 && samples.n_blocks <= 11);
    options.budget_ns = 0;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_blocks, 3);
}

/* Parts and places of samples lie where they belong. */
static void test_parts(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    options.n_parts = 2;
    options.max_blocks = 20;
    measure(&d, &options);
    for (size_t block = 0; block < 20; block++) {
        unsigned seen = 0;
        for (size_t i = 0; i < N_CANDIDATES; i++) {
            const size_t cell = block * N_CANDIDATES + i;
            const struct mb_sample *sample = &samples.sample[cell];
            CHECK_EQ_DBL(sample->part_ns[0], sample->duration_ns, 1e-9);
            CHECK_EQ_DBL(sample->part_ns[1], 2.0 * sample->duration_ns, 1e-9);
            seen |= 1u << sample->position;
        }
        CHECK_EQ_INT(seen, (1u << N_CANDIDATES) - 1);
    }
}

/* Samples lie where their candidates are, from the `first` start on. */
static void check_places(const struct device *d, size_t first)
{
    CHECK_EQ_INT(d->n_started, first + samples.n_blocks * samples.n_candidates);
    for (size_t i = 0; i < samples.n_blocks * samples.n_candidates; i++) {
        const size_t block = i / samples.n_candidates * samples.n_candidates;
        CHECK_EQ_DBL(samples.sample[block + d->started[first + i]].duration_ns,
                     d->worked_ns[first + i], 33.0);
    }
}

/* Each block holds each candidate once, in an order of its own that the seed decides. */
static void test_blocks(void)
{
    enum { N = 5 };
    struct device d = make_device(64), again = d, other = d;
    struct mb_measure_options options = plain_options();
    options.n_candidates = N;
    options.max_blocks = options.min_blocks;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_blocks, 20);
    CHECK_EQ_INT(samples.n_candidates, N);
    CHECK_EQ_INT(d.n_collected, d.n_started);
    CHECK_EQ_INT(d.most_in_flight, MB_N_SLOTS);
    CHECK(!d.was_wrong);
    check_places(&d, 0);
    unsigned n_same_order = 0;
    for (size_t block = 0; block < 20; block++) {
        unsigned seen = 0;
        for (size_t i = 0; i < N; i++) {
            seen |= 1u << d.started[block * N + i];
        }
        CHECK_EQ_INT(seen, (1u << N) - 1);
        n_same_order +=
            block > 0 && memcmp(&d.started[block * N], d.started, N * sizeof d.started[0]) == 0;
    }
    CHECK(n_same_order < 5);
    measure(&again, &options);
    options.seed++;
    measure(&other, &options);
    CHECK(memcmp(d.started, again.started, sizeof d.started) == 0);
    CHECK(memcmp(d.started, other.started, sizeof d.started) != 0);
}

/* Warm-up runs at least so many blocks, and is not kept. */
static void test_long_warm_up(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    d.noise = 0.5;
    options.max_blocks = options.min_blocks;
    options.min_warmup_blocks = 4;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_blocks, 20);
    check_places(&d, (size_t)4 * N_CANDIDATES);
}

/* The user's stop keeps whole blocks, with every sample in flight brought in. */
static void test_stop(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    d.stop_after_blocks = 6;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_blocks, 6);
    CHECK_EQ_INT(d.n_in_flight, 0);
    check_places(&d, 0);
}

/* What a sample says of its chains is kept with its time. */
static void test_verified(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    measure(&d, &options);
    for (uint32_t i = 0; i < samples.n_blocks * N_CANDIDATES; i++) {
        CHECK_EQ_INT(samples.sample[i].n_verified, i % N_CANDIDATES + 1);
    }
    CHECK(!d.was_wrong);
}

/* A failure of either call comes back with its text. */
static void test_failures(void)
{
    struct mb_measure_options options = plain_options();
    options.max_blocks = options.min_blocks;
    for (size_t i = 0; i < (size_t)2 * 20 * N_CANDIDATES; i++) {
        struct device d = make_device(64);
        struct mb_samples none;
        struct mb_err err = {0};
        *(i % 2 == 0 ? &d.fail_start_at : &d.fail_collect_at) = 1 + i / 2;
        const struct mb_sampler sampler = sampler_of(&d);
        CHECK_EQ_INT(mb_measure(&sampler, &options, &none, &err), MB_FAILED);
        CHECK_EQ_STR(err.text, i % 2 == 0 ? "start failed" : "collect failed");
        mb_samples_finish(&none);
    }
}

/* One candidate alone still has two samples in flight. */
static void test_single(void)
{
    struct device d = make_device(64);
    struct mb_measure_options options = plain_options();
    options.n_candidates = 1;
    options.max_blocks = options.min_blocks;
    measure(&d, &options);
    CHECK_EQ_INT(samples.n_blocks, 20);
    CHECK_EQ_INT(d.most_in_flight, MB_N_SLOTS);
    CHECK(!d.was_wrong);
}

static void forget_samples(void)
{
    mb_samples_finish(&samples);
}

int main(void)
{
    return CHECK_TESTS(test_wrap, test_backwards, test_no_timestamps, test_warm_up,
                       test_idle_clock, test_restless, test_throttle, test_lasting_throttle,
                       test_erratic, test_erratic_timeout, test_noise, test_bimodal, test_times,
                       test_parts, test_blocks, test_long_warm_up, test_stop, test_verified,
                       test_failures, test_single, forget_samples);
}
