/* The rows of a results.json of some earlier run, as plain data. */
#pragma once

#include "base/strlist.h"
#include "result/result.h"

#define MB_RESULT_FILE_MAX_BYTES (512u * 1024u * 1024u)

/* What a sample may be, in ns: a timer's smallest share of a batch, and hours. */
#define MB_SAMPLE_MIN_NS 1e-3
#define MB_SAMPLE_MAX_NS 1e13

/* Texts for display are valid UTF-8 without control characters, cut to their arrays. */
struct mb_file_result {
    char *key;                /* what was measured: equal keys may be compared; owned */
    char *key_sans_fmt;       /* the same without the format; owned */
    char *key_sans_condition; /* without cache, mode, alpha and shape, parameters as in the
                                 label; owned */
    char *timing_key; /* the same image, task and condition, whatever the variant; owned */
    size_t timing;    /* index in the file: samples of one are of the same blocks, in order */
    char variant[MB_LABEL_BYTES];     /* its id */
    uint32_t width, height, n_levels; /* of the image; 0: not known */
    double box_lsb; /* largest distance to the exact average; NaN: not known */
    char case_id[160];
    char cache[16], mode[16]; /* "cold", "latency" */
    enum mb_reduce reduce;
    unsigned answers; /* questions, as a mask of 1 << question */
    char answer[32];  /* the same in a word: "exact", "floor" */
    bool is_diagnostic;
    char condition[48];         /* "cold latency", "cold latency, needed usage" */
    char label[MB_LABEL_BYTES]; /* "compute:npot=floor" */
    char place[160]; /* "noise_64x64_rgba8_avg cold": the id of its case, and what is not hot
                        latency */
    char input[256]; /* as given */
    char input_sha256[65];
    char format[32];
    enum mb_result_status status;
    enum mb_verify_status verify;
    char reason[256];
    double *samples_ns; /* owned; in time order */
    size_t n_samples;
    size_t n_bad_samples;        /* none of them is a time, and none in samples_ns */
    struct mb_relation relation; /* as the run had it; ratio NaN: none */
    double aa_ratio;             /* of the A/A twin of its timing; NaN if there is none */
};

struct mb_result_file {
    char *path; /* owned */
    char schema_version[24];
    char run_id[96], device[256], driver[132], git_sha[64];
    char driver_shown[64]; /* what people know it by: its info, else its version */
    uint64_t seed;
    double granule_ns; /* of the timer; NaN: not known */
    bool complete;
    bool is_software;
    bool validate;          /* with validation layers on: times mean little */
    struct mb_strlist argv; /* of the run, "mipbench" first */
    /* "NAME SHA256" of each manifest and its modules, whose names are cut to so many bytes. */
#define MB_MODULE_NAME_BYTES 200
    struct mb_strlist kernels;
    struct mb_file_result *results; /* owned; in the order of the file */
    size_t n_results;
};

/* Read a file. One that cannot be read, is not JSON, is not ours, or is of another major
 * version of the schema is MB_ERRC_INPUT, with the path and what is wrong. */
MB_MUST_CHECK enum mb_status mb_result_file_read(const char *path, struct mb_result_file *file,
                                                 struct mb_err *err);

/* Read files[n], in the order of `paths`; owned by the caller (mb_result_files_finish). After a
 * failure, that of the first file that cannot be read, there are none. */
MB_MUST_CHECK enum mb_status mb_result_files_read(const char *const *paths, size_t n,
                                                  struct mb_result_file **files,
                                                  struct mb_err *err);
/* Accepts NULL. */
void mb_result_files_finish(struct mb_result_file *files, size_t n);

/* The same of one from text in memory; `path` is for messages. */
MB_MUST_CHECK enum mb_status mb_result_file_parse(const char *path, const char *text,
                                                  struct mb_result_file *file,
                                                  struct mb_err *err);

/* Free and zero. */
void mb_result_file_finish(struct mb_result_file *file);
