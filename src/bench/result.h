/* The results of a run as plain data: what the table, the JSON, the CSV and the Markdown show.
 */
#ifndef MB_BENCH_RESULT_H
#define MB_BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stats.h"
#include "bench/settings.h"
#include "image/compare.h"
#include "strategy.h"

enum mb_result_status {
    MB_RESULT_OK,
    MB_RESULT_SKIPPED, /* unsupported here: `reason` says why */
    MB_RESULT_FAILED,  /* verification or a runtime failure: `reason` says which */
};

enum mb_verify_status {
    MB_VERIFY_PASS,
    MB_VERIFY_FAIL,
    MB_VERIFY_SKIPPED,
};

struct mb_warning {
    const char *code; /* static: "overhead_bound", "few_samples", "software_device", ... */
    char message[200];
};

#define MB_MAX_WARNINGS 8

struct mb_result {
    const struct mb_strategy *strategy;
    struct mb_params params;
    char label[96]; /* "compute:npot=floor": the strategy and its non-default parameters */
    char slug[96];  /* "compute_npot-floor": a folder name */

    enum mb_result_status status;
    char reason[512]; /* "" where status is OK */

    double *samples_ns; /* in the order taken; owned */
    size_t n_samples;
    struct mb_stats stats;
    double
        relative_ratio; /* median over the fastest verified median of the cell; NaN if none */

    bool has_work; /* the strategy ran and stated its work */
    struct mb_work work;
    enum mb_verify_status verify;
    struct mb_verdict verdict;

    struct mb_warning warning[MB_MAX_WARNINGS];
    size_t n_warnings;
    char **images; /* paths relative to the output folder; owned, each owned */
    size_t n_images;
};

/* One input at one size in one format: what strategies are compared within. */
struct mb_cell {
    char input[256]; /* as given, sanitised */
    char input_name[64];
    char input_sha256[65];
    struct mb_layout layout; /* with the levels to make */
    uint32_t n_image_levels; /* that the image has: a full chain */
    bool is_cube;
    struct mb_task task;
    uint64_t compulsory_bytes; /* of the task */
    struct mb_result *results; /* owned; in the order of the table of strategies */
    size_t n_results;
    size_t fastest; /* index of the fastest verified result, or SIZE_MAX */
};

struct mb_timer_info {
    const char *source; /* "timestamp_query" */
    double period_ns;
    uint32_t valid_bits;
    double granularity_ns; /* least non-zero difference of many stamps */
    double granularity_gcd_ns;
    double empty_pair_ns; /* median of a pair with nothing between; never subtracted */
};

struct mb_host_info {
    char os[128];     /* PRETTY_NAME of os-release */
    char kernel[128]; /* uname -sr */
    char cpu[128];
    uint32_t n_cores;
};

struct mb_run {
    char id[64];  /* "<utc>-<device slug>" */
    char utc[24]; /* "20261121T023000Z" */
    int argc;
    const char *const *argv; /* borrowed */
    const struct mb_settings *settings;
    struct mb_host_info host;
    struct mb_gpu_info device;
    struct mb_timer_info timer;
    bool complete;
    const char *exit_reason; /* static: "done", "interrupted", "error" */
    struct mb_cell *cells;   /* owned */
    size_t n_cells;
};

/* Name of a status as in the JSON: "ok", "skipped", "failed"; "pass", "fail", "skipped". */
const char *mb_result_status_name(enum mb_result_status status);
const char *mb_verify_status_name(enum mb_verify_status status);

/* Add a warning (dropped above MB_MAX_WARNINGS). */
MB_PRINTF(3, 4)
void mb_result_warn(struct mb_result *result, const char *code, const char *fmt, ...);

/* Free everything owned; accept zero. */
void mb_result_finish(struct mb_result *result);
void mb_cell_finish(struct mb_cell *cell);
void mb_run_finish(struct mb_run *run);

#endif
