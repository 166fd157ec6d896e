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
#include "result/label.h"
#include "result/result_json.h"
#include "cli/options/options.h"
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

static void check_row(const struct mb_row *row)
{
    const struct mb_case *c = row->timing->of;
    const char *const texts[] = {row->result->label,
                                 row->result->slug,
                                 c->input_name,
                                 c->input,
                                 c->input_sha256,
                                 mb_row_reason(row),
                                 row->result->strategy->name};
    for (size_t i = 0; i < MB_COUNTOF(texts); i++) {
        check_text(texts[i]);
    }
    expect(isnan(row->timing->twin.ratio) || row->timing->twin.ratio > 0,
           "an A/A ratio below zero");
}

static void check_file(const struct mb_run *run)
{
    const char *const texts[] = {run->id, run->device.name, run->device.driver_info,
                                 run->tool.git_sha};
    struct mb_rows rows = {.run = run};
    struct mb_strbuf written = {0};
    for (size_t i = 0; i < MB_COUNTOF(texts); i++) {
        check_text(texts[i]);
    }
    expect(!(run->timer.granularity_gcd_ns < 0), "a granule below zero");
    for (const struct mb_row *row; (row = mb_rows_next(&rows)) != NULL;) {
        check_row(row);
    }
    mb_run_json(run, &written);
    expect(!written.failed, "what was read cannot be written");
    mb_strbuf_finish(&written);
}

static void compare(const struct mb_run *base, const struct mb_run *file)
{
    const struct mb_compare_options options = {.threshold = 0.01, .seed = 1, .n_resamples = 20};
    struct mb_comparison comparison;
    struct mb_err err = {0};
    const struct mb_run_group sides[2] = {{.files = base, .n_files = 1},
                                          {.files = file, .n_files = 1}};
    expect(mb_compare_runs(sides, &options, &comparison, &err) == MB_OK, "a comparison failed");
    for (size_t i = 0; i < comparison.n_tests; i++) {
        const struct mb_compared *row = &comparison.tests[i];
        expect(!isinf(row->ratio.figure) && !(row->ratio.figure < 0), "a ratio that cannot be");
        expect(!(row->ratio.p < 0) && !(row->p_adjusted > 1), "a probability that cannot be");
    }
    mb_comparison_finish(&comparison);
}

static void pool(const struct mb_run *first, const struct mb_run *file)
{
    const struct mb_bootstrap how = {.n_resamples = 20, .seed = 1};
    const struct mb_run files[2] = {*first, *file};
    struct mb_pools pools;
    struct mb_err err = {0};
    expect(mb_pool_runs(&(struct mb_run_group){files, 2}, &how, &pools, &err) == MB_OK,
           "pooling failed");
    for (size_t i = 0; i < pools.n_pools; i++) {
        for (size_t k = 0; k < pools.pools[i].run.n_cases; k++) {
            const struct mb_case *c = pools.pools[i].run.cases[k];
            expect(c->n_results > 0, "a timing without rows");
            expect(c->timings[0].rows[0].stats.median_ns > 0, "a median that is not a time");
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
    static struct mb_run first; /* that could be read */
    const char *path = path_of(data, n_bytes);
    struct mb_run file;
    struct mb_err err = {0};
    if (first.path == NULL && mb_run_read(path, &first, &err) != MB_OK) {
        err = (struct mb_err){0};
    }
    const uint64_t n_live = mb_alloc_live_count();
    if (mb_run_read(path, &file, &err) == MB_OK) {
        check_file(&file);
        compare(&first, &file);
        pool(&first, &file);
    } else {
        check_line(&err, MB_ERRC_INPUT);
        expect(file.path == NULL && file.n_cases == 0, "a failure with results");
    }
    replay(path);
    mb_run_finish(&file);
    expect(mb_alloc_live_count() == n_live, "memory was not given back");
    return 0;
}
