/* Result files of synthetic samples. */
#pragma once

#include "base/alloc.h"
#include "base/rng.h"
#include "compare/runs.h"
#include "check.h"

#define N_SAMPLES 80

/* A file with `n` results "s0", "s1", ... of about 1000 ns. */
static inline struct mb_result_file make_file(const char *path, size_t n)
{
    struct mb_result_file file = {.path = mb_strdup(path), .complete = true, .n_results = n};
    snprintf(file.device, sizeof file.device, "GPU");
    snprintf(file.driver, sizeof file.driver, "1");
    file.results = mb_alloc(n, sizeof *file.results);
    for (size_t i = 0; i < n; i++) {
        struct mb_file_result *result = &file.results[i];
        char key[32];
        snprintf(key, sizeof key, "s%zu rgba8", i);
        result->key = mb_strdup(key);
        *strchr(key, ' ') = '\0';
        result->key_sans_fmt = mb_strdup(key);
        result->key_sans_condition = mb_strdup(key);
        snprintf(result->condition, sizeof result->condition, "hot latency");
        snprintf(result->label, sizeof result->label, "%s", key);
        snprintf(result->format, sizeof result->format, "rgba8");
        snprintf(result->input, sizeof result->input, "a.png");
        result->aa_ratio = NAN;
        result->samples_ns = mb_alloc(N_SAMPLES, sizeof *result->samples_ns);
        result->n_samples = N_SAMPLES;
    }
    return file;
}

/* Samples uniform in `mean_ns` * (1 +- noise). */
static inline void fill(struct mb_file_result *result, double mean_ns, double noise,
                        uint64_t seed)
{
    struct mb_rng rng;
    mb_rng_init(&rng, seed);
    for (size_t i = 0; i < result->n_samples; i++) {
        const double unit = 2 * mb_rng_unit(&rng) - 1;
        result->samples_ns[i] = mean_ns * (1 + noise * unit);
    }
}
