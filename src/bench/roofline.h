/* The roofline: how fast this device moves bytes, measured in the same run as what is held to
 * it. */
#ifndef MB_BENCH_ROOFLINE_H
#define MB_BENCH_ROOFLINE_H

#include "bench/traffic.h"

#define MB_ROOFLINE_MAX_SWEEP 24

struct mb_roofline {
    uint64_t llc_bytes;     /* last-level cache */
    const char *llc_source; /* "given", "measured" (the knee of the sweep) or "assumed" */
    struct mb_bandwidth sweep[MB_ROOFLINE_MAX_SWEEP]; /* reads of a buffer, footprint rising */
    size_t n_sweep;
    /* [buffer, image]: the best workgroup size at a footprint of at least 8 x llc_bytes, less
     * where memory or limits do not allow it; on CPU devices what they pass over in a few
     * milliseconds. */
    struct mb_bandwidth best[2][MB_N_TRAFFICS];
    double ceiling_gbps; /* the better of the mixed ones: what a strategy is held to; or NaN */
    /* Median of a timed region with one empty dispatch of one workgroup; the stamps' own cost
     * is in it, as it is in every sample. */
    double null_dispatch_ns;
    /* What each further full barrier with such a dispatch behind it adds: the difference of the
     * medians of regions with 17 of them and with one, over 16. */
    double null_barrier_ns;
};

struct mb_roofline_options {
    const struct mb_gpu *gpu;
    uint64_t l2_bytes;                  /* the last-level cache, if known; 0: find the knee */
    bool is_quick;                      /* one workgroup size, a coarse sweep */
    bool is_cache_only;                 /* llc_bytes is all that is wanted */
    bool (*is_interrupted)(void *user); /* NULL: never; asked between timings */
    void *user;
};

/* Measure it all, on a device that is warm (or warm enough: this begins with 60 ms of reads).
 * After an interruption what was not reached is NaN and the status MB_OK. UNSUPPORTED without
 * timestamps. */
MB_MUST_CHECK enum mb_status mb_roofline_measure(const struct mb_roofline_options *options,
                                                 struct mb_roofline *out, struct mb_err *err);

/* The same on images at a cell's own format, extent and layers, pass after pass, so from the
 * cache where they fit. Mixed traffic then has the footprint of a chain: level 0 and a third.
 * NaN what is too large or what the device cannot store to. */
MB_MUST_CHECK enum mb_status mb_roofline_match(const struct mb_gpu *gpu,
                                               const struct mb_layout *layout,
                                               struct mb_bandwidth out[MB_N_TRAFFICS],
                                               struct mb_err *err);

/* The largest footprint that still comes from the last-level cache: where bandwidth, having
 * left a plateau, is halfway down to that of memory, which the last three points must show.
 * Footprints ascend. 0 if there is no such knee. Pure. */
uint64_t mb_cache_knee(const uint64_t *footprint_bytes, const double *gbps, size_t n);

#endif
