/* What this device was measured to reach: bandwidths, and what a dispatch costs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As in shaders/traffic.glsl. */
enum mb_traffic {
    MB_TRAFFIC_READ,
    MB_TRAFFIC_WRITE,
    MB_TRAFFIC_COPY,
    MB_TRAFFIC_MIX, /* three bytes read for each byte written, as a mip chain does */
    MB_N_TRAFFICS,
};

/* "read", "write", "copy", "mix". */
extern const char *const mb_traffic_names[];

struct mb_bandwidth {
    enum mb_traffic traffic;
    bool is_image;
    uint64_t footprint_bytes; /* read and written in one pass, each byte once */
    uint32_t workgroup_size;  /* of the best kernel, with... */
    uint32_t n_items;         /* ...so many loads or stores in flight per invocation */
    double gbps;              /* 10^9 bytes a second; NaN: not measured, as too large */
    double duration_ns;       /* of one pass: the median of a few; NaN likewise */
};

/* Not measured: every figure NaN. */
struct mb_bandwidth mb_bandwidth_none(enum mb_traffic traffic, bool is_image);

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
    /* Median of a timed region with one empty dispatch of one workgroup; the timestamps' own
     * cost is in it, as it is in every sample. */
    double null_dispatch_ns;
    /* What each further full barrier with such a dispatch behind it adds: the difference of the
     * medians of regions with 17 of them and with one, over 16. */
    double null_barrier_ns;
};
