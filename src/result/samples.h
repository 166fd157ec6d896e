/* The raw samples of a condition: whole blocks, each with one duration per column. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MB_MAX_PARTS 3u   /* parts of a sample: one per batch length */
#define MB_MAX_DRIFT 0.02 /* a block is flagged if its probe is off by a larger fraction */

struct mb_block {
    uint64_t start_ns;  /* since sampling began */
    double probe_ns[2]; /* before and after the block; NaN: no probe */
    bool is_flagged;    /* the clock moved */
    bool is_kept;       /* counts: not flagged, or could not be repeated */
};

enum mb_stop {
    MB_STOP_NOISE,       /* the medians are known well enough */
    MB_STOP_BLOCKS,      /* max_blocks were sampled */
    MB_STOP_BUDGET,      /* budget_ns or timeout_ns ran out */
    MB_STOP_INTERRUPTED, /* after_block() asked to stop */
};

struct mb_sample {
    double duration_ns;           /* NaN: the candidate was given up and has no later samples */
    double part_ns[MB_MAX_PARTS]; /* the duration is computed from the first n_parts of these */
    uint32_t position;            /* of the candidate in its block */
    int32_t n_verified;           /* verified chains of the sample; -1: one is wrong */
};

struct mb_samples {
    size_t n_candidates;
    uint32_t n_parts;
    uint32_t n_blocks, n_kept;
    struct mb_block *block;   /* [n_blocks]; owned */
    struct mb_sample *sample; /* [block][candidate]; owned */
    uint32_t n_rebased;       /* how often the clock moved and stayed: later blocks are flagged
                                 against the new clock */
    double warm_probe_ns;     /* after the warm-up; NaN without a probe */
    bool is_steady;           /* the probe was steady before sampling began */
    enum mb_stop stop;
};

/* Free and zero. */
void mb_samples_finish(struct mb_samples *samples);

/* The kept durations of one candidate in time order: `out` holds n_kept. */
void mb_samples_column(const struct mb_samples *samples, size_t candidate, double *out);

extern const char *const mb_stop_names[]; /* "noise", "blocks", "budget", "interrupted" */
