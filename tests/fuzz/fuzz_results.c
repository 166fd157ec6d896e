/* Fuzz target of the readers of results.json: reading the file, comparing it, and taking it for
 * the command line of a replay. Whatever the bytes, each ends in sound values or in one line.
 *
 * Bytes alone seldom get past the parser, so that it brings a mutator that knows JSON. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "compare/pool.h"
#include "compare/runs.h"
#include "cli/options/parse.h"
#include "fuzz.h"

static void expect(bool is_met, const char *what)
{
    if (!is_met) {
        fprintf(stderr, "fuzz_results: %s\n", what);
        abort();
    }
}

/* A path that reads as these bytes. */
static const char *path_of(const uint8_t *data, size_t n_bytes)
{
    static char path[40];
    static int fd = -1;
    if (fd < 0) {
        fd = memfd_create("results.json", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    expect(ftruncate(fd, 0) == 0 && pwrite(fd, data, n_bytes, 0) == (ssize_t)n_bytes,
           "no file in memory");
    return path;
}

static void check_line(const struct mb_err *err, enum mb_errc code)
{
    expect(err->code == code, "a failure that is not of the input");
    expect(err->text[0] != '\0' && strpbrk(err->text, "\n\r\033") == NULL,
           "a failure without its one line");
}

/* What is shown is whole characters, and none that a terminal obeys. */
static void check_text(const char *text)
{
    char clean[1024];
    mb_utf8_sanitize(text, clean, sizeof clean);
    expect(strcmp(text, clean) == 0, "a text that is not clean");
}

static void check_result(const struct mb_file_result *result)
{
    const char *const texts[] = {result->condition, result->label,        result->place,
                                 result->input,     result->input_sha256, result->format,
                                 result->reason,    result->variant,      result->case_id,
                                 result->cache,     result->mode};
    for (size_t i = 0; i < MB_COUNTOF(texts); i++) {
        check_text(texts[i]);
    }
    expect(result->key != NULL && result->key_sans_fmt != NULL && result->key_sans_condition &&
               result->timing_key != NULL,
           "a result without a key");
    for (size_t i = 0; i < result->n_samples; i++) {
        expect(result->samples_ns[i] >= MB_SAMPLE_MIN_NS &&
                   result->samples_ns[i] <= MB_SAMPLE_MAX_NS,
               "a sample that is not a time");
    }
    expect(isnan(result->aa_ratio) || result->aa_ratio > 0, "an A/A ratio below zero");
}

static void check_file(const struct mb_result_file *file)
{
    const char *const texts[] = {file->schema_version, file->run_id, file->device, file->driver,
                                 file->git_sha};
    for (size_t i = 0; i < MB_COUNTOF(texts); i++) {
        check_text(texts[i]);
    }
    expect(isnan(file->granule_ns) || file->granule_ns >= 0, "a granule below zero");
    for (size_t i = 0; i < file->n_results; i++) {
        check_result(&file->results[i]);
    }
}

static void compare(const struct mb_result_file *base, const struct mb_result_file *file)
{
    const struct mb_compare_options options = {.threshold = 0.01, .seed = 1, .n_resamples = 20};
    struct mb_comparison comparison;
    struct mb_err err = {0};
    const struct mb_run_group sides[2] = {{.files = base, .n_files = 1},
                                          {.files = file, .n_files = 1}};
    expect(mb_compare_runs(sides, &options, &comparison, &err) == MB_OK, "a comparison failed");
    for (size_t i = 0; i < comparison.n_rows; i++) {
        const struct mb_compare_row *row = &comparison.rows[i];
        expect(!isinf(row->ratio.figure) && !(row->ratio.figure < 0), "a ratio that cannot be");
        expect(!(row->ratio.p < 0) && !(row->p_adjusted > 1), "a probability that cannot be");
    }
    mb_comparison_finish(&comparison);
}

static void pool(const struct mb_result_file *first, const struct mb_result_file *file)
{
    const struct mb_bootstrap how = {.n_resamples = 20, .seed = 1};
    const struct mb_result_file files[2] = {*first, *file};
    struct mb_pools pools;
    struct mb_err err = {0};
    expect(mb_pool_runs(&(struct mb_run_group){files, 2}, &how, &pools, &err) == MB_OK,
           "pooling failed");
    for (size_t i = 0; i < pools.n_pools; i++) {
        for (size_t k = 0; k < pools.pools[i].n_timings; k++) {
            const struct mb_pool_timing *timing = &pools.pools[i].timings[k];
            expect(timing->c.n_results > 0, "a timing without rows");
            expect(timing->c.timings[0].rows[0].stats.median_ns > 0,
                   "a median that is not a time");
        }
    }
    mb_pools_finish(&pools);
}

static void replay(const char *path)
{
    char *argv[] = {(char *)"mipbench", (char *)"--replay", (char *)path, NULL};
    struct mb_options options;
    struct mb_err err = {0};
    if (mb_options_parse(&options, 3, argv, &err) != MB_OK) {
        check_line(&err, err.code == MB_ERRC_USAGE ? MB_ERRC_USAGE : MB_ERRC_INPUT);
    }
    mb_options_finish(&options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    static struct mb_result_file first; /* that could be read */
    const char *path = path_of(data, n_bytes);
    struct mb_result_file file;
    struct mb_err err = {0};
    if (first.path == NULL && mb_result_file_read(path, &first, &err) != MB_OK) {
        err = (struct mb_err){0};
    }
    const uint64_t n_live = mb_alloc_live_count();
    if (mb_result_file_read(path, &file, &err) == MB_OK) {
        check_file(&file);
        compare(&first, &file);
        pool(&first, &file);
    } else {
        check_line(&err, MB_ERRC_INPUT);
        expect(file.path == NULL && file.n_results == 0, "a failure with results");
    }
    replay(path);
    mb_result_file_finish(&file);
    expect(mb_alloc_live_count() == n_live, "memory was not given back");
    return 0;
}
