/* The results of a run as plain data, which the table, JSON, CSV and Markdown show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/stats.h"
#include "base/strlist.h"
#include "image/compare.h"
#include "image/image.h"
#include "result/condition.h"
#include "result/question.h"
#include "result/samples.h"
#include "result/variant.h"
#include "vk/pipeline_facts.h"
#include "vk/timer.h"

enum mb_result_status {
    MB_RESULT_OK,
    MB_RESULT_SKIPPED, /* unsupported here: `reason` says why */
    MB_RESULT_FAILED,  /* wrong texels or a runtime failure: `reason` says which */
};

enum mb_verify_status {
    MB_VERIFY_PASS,
    MB_VERIFY_FAIL,
    MB_VERIFY_SKIPPED,
};

#define MB_ENOUGH_SAMPLES 20u /* a row with fewer gets a warning */

struct mb_warning {
    const char *code; /* static: "overhead_bound", "few_samples", "software_device", ... */
    char message[200];
};

#define MB_MAX_WARNINGS 8

struct mb_warnings {
    struct mb_warning warning[MB_MAX_WARNINGS];
    size_t n;
};

/* How a row's times compare with the fastest row's, block by block. */
struct mb_relation {
    double ratio; /* exp of the median of log ratios; 1 for the fastest itself; NaN: unknown */
    double ci[2];
    double p; /* once judged, adjusted over the timing (Holm); NaN: not tested */
    enum mb_outcome outcome;
};
extern const struct mb_relation mb_no_relation; /* ratio NaN, inconclusive */
extern const struct mb_relation mb_to_itself;   /* of the fastest row: ratio 1, the same */

/* The time of each step of a chain of several dispatches, between timestamps. The cache is
 * always hot: the same image again. */
struct mb_split {
    uint32_t n_steps; /* 0: not requested, or steps cannot be timed apart */
    struct {
        uint32_t first_level, n_levels;
        double median_ns; /* of the dispatches */
        double gap_ns;    /* since the previous step, or the beginning: barriers */
    } step[MB_MAX_LEVELS];
};

/* The part of a case's variant that is the same under every condition. */
struct mb_result {
    const struct mb_strategy *strategy;
    struct mb_params params;
    /* "compute:npot=floor": the strategy and its non-default parameters */
    char label[MB_LABEL_BYTES];
    char slug[MB_LABEL_BYTES]; /* "compute_npot-floor": folder name, and id in the JSON */

    bool by_name;       /* as in mb_variant */
    bool is_diagnostic; /* leaves work out: is timed, but neither verified nor ranked */
    enum mb_result_status status;
    char reason[512]; /* "" if the status is OK */

    bool has_work; /* the strategy ran and stated its work */
    struct mb_work work;
    enum mb_verify_status verify;
    struct mb_verdict verdict;
    struct mb_split split;
    struct mb_pipeline_facts *facts; /* NULL if the driver reports none; owned */
    double setup_ms; /* host time to make pipelines and descriptors; NaN if that failed */

    struct mb_warnings warnings;
    struct mb_strlist images;     /* paths relative to the output folder */
    struct mb_strlist chains;     /* paths of texture files with the whole chain */
    struct mb_recorded *recorded; /* if read from a file: holds `strategy`; owned */
};

/* The figures of a variant under one condition. */
struct mb_row {
    struct mb_result *result;       /* one of the case's results; borrowed */
    const struct mb_timing *timing; /* the timing that has this row; borrowed */
    char skipped[512];              /* why this condition alone was skipped, or "" */
    struct mb_stats stats;          /* stats.n is 0 if not timed */
    size_t n_runs;                  /* number of runs with figures if pooled, else 0 */
    uint32_t n_dropped;             /* samples with invalid timestamps, which were repeated */
    size_t column; /* the row's column in the timing's samples; SIZE_MAX: none */
    uint32_t n_chains[MB_MAX_PARTS]; /* number of chains in each part of a sample */
    double fixed_ns;             /* throughput: time that does not grow with chains; else NaN */
    uint32_t n_verified;         /* timed chains with the same hash as the verified chain */
    struct mb_relation relation; /* to the fastest of the timing */
    struct mb_warnings warnings;
};

/* The variants of a case under one condition, sampled together. */
struct mb_timing {
    const struct mb_case *of; /* borrowed */
    enum mb_cache cache;
    enum mb_mode mode;
    uint32_t n_rotated;        /* images used in turn */
    bool is_evicted;           /* too few images: memory is swept before each sample */
    struct mb_samples samples; /* raw, of all blocks and candidates; owned */
    size_t twin_of;            /* the row that was sampled twice; SIZE_MAX: none */
    size_t twin_column;
    struct mb_relation twin; /* relation of that row to itself: the noise of the instrument */
    double floor_ns; /* time of the memory traffic or of an empty dispatch; NaN: unknown */
    bool is_dispatch_bound; /* the floor is a dispatch, not memory */
    struct mb_row *rows;    /* one for each result of the case, in the same order; owned */
    /* The fastest verified row that answers `question`, or SIZE_MAX. Every row that is like it
     * (mb_rows_are_alike) is related to it. */
    size_t fastest;
    enum mb_question question; /* the first that a verified, timed row answers */
};

/* One input at one size in one format, with its task. It must not move: its timings and their
 * rows point into it. */
struct mb_case {
    char input[256];     /* as given, sanitised */
    char input_name[64]; /* the first part of mb_case_folder() */
    char input_sha256[65];
    enum mb_depth input_depth;
    uint64_t n_clamped_texels; /* input texels out of the format's range */
    struct mb_layout layout;   /* with the levels to make */
    uint32_t n_image_levels;   /* levels of the image, which has a full chain */
    bool is_cube;
    struct mb_task task;
    enum mb_image_usage image_usage;
    VkImageUsageFlags used_for; /* usage flags of the image; 0 if the image could not be made */
    bool has_raw_views;
    double image_ms;           /* host time to make the image and its views */
    uint64_t compulsory_bytes; /* bytes that the task must read and write */
    struct mb_result *results; /* owned; in the order of the table of strategies */
    size_t n_results;
    struct mb_timing timings[MB_MAX_CONDITIONS];
    size_t n_timings;
};

/* Measured limits of the device, and where each figure is shown. */
struct mb_roofline {
    /* The highest rate at three bytes read for each byte written, on buffers or images of
     * 8 x llc_bytes or more, or as much as memory and limits allow. Shown under the table, on
     * the page, and through mb_timing.floor_ns in "of peak". NaN: not measured. */
    double ceiling_gbps;
    /* Median of a timed region with one empty dispatch; it includes the cost of the timestamps,
     * as every sample does. Shown as the floor of small images. */
    double null_dispatch_ns;
    /* Time added by each further full barrier with an empty dispatch after it. Only in
     * results.json: doc/method.md estimates the cost of synchronisation from it. */
    double null_barrier_ns;
    uint64_t llc_bytes;     /* size of the last-level cache; on the page */
    const char *llc_source; /* "given", "measured" or "assumed"; on the page; NULL: no timer */
};

extern const struct mb_roofline mb_no_roofline; /* nothing was measured */

/* The program that made a results file. */
struct mb_tool {
    const char *version, *git_sha, *build_type, *compiler; /* borrowed, or in mb_run.texts */
};

struct mb_run {
    char id[96];  /* "<utc>-<device slug>" */
    char utc[24]; /* "20261121T023000Z" */
    int argc;
    const char *const *argv; /* borrowed */
    char folder[1024];       /* working directory; "" if unknown or longer */
    const struct mb_strategy *const
        *table;                         /* all strategies, ended by NULL; borrowed, or NULL */
    const struct mb_settings *settings; /* borrowed */
    uint64_t seed;
    bool verify;     /* chains were checked */
    bool validate;   /* run under the validation layer: times mean nothing */
    size_t n_pooled; /* number of runs pooled here; 0: a single run */
    struct mb_host_info host;
    struct mb_gpu_info device;
    struct mb_timer_marks timer;
    double probe_ns; /* time of the clock probe when warm; NaN: no probe */
    struct mb_roofline roofline;
    bool complete;
    const char *exit_reason; /* static: "done", "interrupted", "error" */
    struct mb_case **cases;  /* owned, as is each case */
    size_t n_cases;
    struct mb_tool tool; /* zero: this program */
    /* Set only if the run was read from a file (mb_run_read); owned. */
    char *path;
    char sha256[65];           /* of the file */
    struct mb_strlist command; /* argv */
    struct mb_strlist kernels; /* "NAME SHA256" of each manifest and its modules */
    struct mb_strlist texts;   /* texts that other members point to */
};

/* The floor divided by the median: 1 is as fast as the floor. NaN if either is unknown. */
double mb_row_of_floor(const struct mb_row *row);

/* Status and reason of the variant, or of this condition if only this one was skipped. */
enum mb_result_status mb_row_status(const struct mb_row *row);
const char *mb_row_reason(const struct mb_row *row);

/* The reason without "wrong: ", for a text that says so itself. */
const char *mb_row_fault(const struct mb_row *row);

/* Whether a row ran to its end, right or wrong. */
bool mb_row_has_run(const struct mb_row *row);

/* The median of a row that was timed, even if its result is wrong; else infinite. */
double mb_row_time_ns(const struct mb_row *row);

/* Warning `i` of a row: its variant's warnings come first; NULL after the last. */
const struct mb_warning *mb_row_warning(const struct mb_row *row, size_t i);

/* True if two rows use the same wide kernel or none: their images differ only at odd sizes and
 * in precision. */
bool mb_rows_are_alike(const struct mb_row *a, const struct mb_row *b);

/* Iterates over the rows of a run, case by case and timing by timing: start with {.run = run}.
 * mb_rows_next() returns NULL after the last. */
struct mb_rows {
    const struct mb_run *run;
    size_t at_case, at_timing, at_row;
};
const struct mb_row *mb_rows_next(struct mb_rows *rows);

/* The questions that a result answers: none if the strategy never stated its work or leaves
 * work out. A wrong result answers no question, but keeps the word that the strategy claims. */
struct mb_answer mb_result_answer(const struct mb_case *c, const struct mb_result *result);

struct mb_answer mb_row_answer(const struct mb_row *row);
bool mb_row_answers(const struct mb_row *row, enum mb_question question);

/* Name of a status as in the JSON: "ok", "skipped", "failed"; "pass", "fail", "skipped". */
extern const char *const mb_result_status_names[];
extern const char *const mb_verify_status_names[];

/* Add a warning (dropped above MB_MAX_WARNINGS). */
MB_PRINTF(3, 4)
void mb_warn(struct mb_warnings *warnings, const char *code, const char *fmt, ...);

bool mb_is_warned(const struct mb_warnings *warnings, const char *code);

/* Append a timing with an empty row for each result. NULL without memory. */
struct mb_timing *mb_case_add_timing(struct mb_case *c, enum mb_cache cache, enum mb_mode mode);

/* Append a zeroed case (NULL without memory); drop the last case. */
struct mb_case *mb_run_add_case(struct mb_run *run);
void mb_run_drop_case(struct mb_run *run);

/* Free everything owned; accept zero. */
void mb_timing_finish(struct mb_timing *timing);
void mb_case_finish(struct mb_case *c);
void mb_run_finish(struct mb_run *run);
