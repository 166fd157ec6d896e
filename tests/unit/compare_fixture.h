/* Runs of synthetic samples, as if they had been read from files. */
#pragma once

#include "base/alloc.h"
#include "base/rng.h"
#include "compare/runs.h"
#include "check.h"

#define N_SAMPLES 80

/* Of results number 0, 1, ...; from 10 on again, at another size. */
static const struct mb_strategy fixture_strategies[10] = {
    {.name = "s0"}, {.name = "s1"}, {.name = "s2"}, {.name = "s3"}, {.name = "s4"},
    {.name = "s5"}, {.name = "s6"}, {.name = "s7"}, {.name = "s8"}, {.name = "s9"}};

/* Another case of `n` results, the first of which is number `first`, in one timing. */
static inline struct mb_case *add_results(struct mb_run *run, size_t first, size_t n)
{
    struct mb_case *c = mb_run_add_case(run);
    snprintf(c->input_name, sizeof c->input_name, "a");
    snprintf(c->input, sizeof c->input, "a.png");
    c->layout = (struct mb_layout){.format = mb_format_find("rgba8"),
                                   .base = {(uint32_t)(1 + first / 10), 1},
                                   .n_levels = 1,
                                   .n_layers = 1};
    c->results = mb_alloc(n, sizeof *c->results);
    c->n_results = n;
    struct mb_timing *timing = mb_case_add_timing(c, MB_CACHE_HOT, MB_MODE_LATENCY);
    struct mb_samples *samples = &timing->samples;
    *samples = (struct mb_samples){
        .n_candidates = n,
        .n_blocks = N_SAMPLES,
        .n_kept = N_SAMPLES,
        .block = mb_alloc(N_SAMPLES, sizeof *samples->block),
        .sample = mb_alloc(N_SAMPLES * n, sizeof *samples->sample),
    };
    timing->twin.ratio = (double)NAN;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        samples->block[i].is_kept = true;
    }
    for (size_t i = 0; i < n; i++) {
        c->results[i].strategy = &fixture_strategies[(first + i) % 10];
        snprintf(c->results[i].label, MB_LABEL_BYTES, "s%zu", first + i);
        timing->rows[i].column = i;
    }
    return c;
}

static inline struct mb_run make_run(const char *path)
{
    struct mb_run run = {.path = mb_strdup(path), .complete = true};
    snprintf(run.sha256, sizeof run.sha256, "%s", path);
    snprintf(run.device.name, sizeof run.device.name, "GPU");
    snprintf(run.device.driver_version, sizeof run.device.driver_version, "1");
    run.timer.granularity_gcd_ns = (double)NAN;
    return run;
}

/* A run with `n` cases of a result each, "s0", "s1", ..., of about 1000 ns. */
static inline struct mb_run make_file(const char *path, size_t n)
{
    struct mb_run run = make_run(path);
    for (size_t i = 0; i < n; i++) {
        add_results(&run, i, 1);
    }
    return run;
}

/* Row `i` of a run of several cases with one row each, or of one with several. */
static inline struct mb_row *row_at(const struct mb_run *run, size_t i)
{
    return run->n_cases > 1 ? run->cases[i]->timings[0].rows
                            : &run->cases[0]->timings[0].rows[i];
}

static inline struct mb_timing *timing_at(const struct mb_run *run, size_t i)
{
    return &run->cases[run->n_cases > 1 ? i : 0]->timings[0];
}

/* The first `n` of its samples are all. */
static inline void keep_samples(const struct mb_run *run, size_t i, uint32_t n)
{
    timing_at(run, i)->samples.n_blocks = timing_at(run, i)->samples.n_kept = n;
}

static inline double *sample_at(const struct mb_run *run, size_t i, size_t k)
{
    const struct mb_samples *samples = &timing_at(run, i)->samples;
    return &samples->sample[k * samples->n_candidates + row_at(run, i)->column].duration_ns;
}

/* Samples uniform in `mean_ns` * (1 +- noise). */
static inline void fill(const struct mb_run *run, size_t at, double mean_ns, double noise,
                        uint64_t seed)
{
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    for (size_t i = 0; i < timing_at(run, at)->samples.n_blocks; i++) {
        const double unit = 2 * check_random_unit(&rng) - 1;
        *sample_at(run, at, i) = mean_ns * (1 + noise * unit);
    }
}

/* What it answers: all that is exact, or only that it makes nearly the same. */
static inline void set_exact(struct mb_row *row, bool is_exact)
{
    row->result->has_work = true;
    row->result->work.tolerance.arithmetic = is_exact ? MB_ARITHMETIC_FP32 : MB_ARITHMETIC_FP16;
}
