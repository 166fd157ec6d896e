/* The conditions under which chains are timed. */
#pragma once

#include <stdbool.h>

/* Conditions of a timing; sets of them are masks of 1 << value. */
enum mb_cache {
    MB_CACHE_HOT,  /* the same image again */
    MB_CACHE_COLD, /* nothing of the image is in the last-level cache */
    MB_N_CACHES,
};
enum mb_mode {
    MB_MODE_LATENCY,    /* one chain, drained before and after */
    MB_MODE_THROUGHPUT, /* the slope of time over the number of chains */
    MB_MODE_OVERLAP,    /* chains of several images, with no barrier between them */
    MB_N_MODES,
};

struct mb_condition {
    enum mb_cache cache;
    enum mb_mode mode;
};
#define MB_MAX_CONDITIONS (MB_N_CACHES * MB_N_MODES)

/* The usage flags of images: a driver may lay out an image differently if shaders store to
 * it. */
enum mb_image_usage {
    MB_IMAGE_USAGE_ALL,    /* all that the device supports for the format */
    MB_IMAGE_USAGE_NEEDED, /* what the chosen strategies and the harness need */
    MB_N_IMAGE_USAGES,
};

extern const char *const mb_cache_names[];       /* "hot", "cold" */
extern const char *const mb_mode_names[];        /* "latency", "throughput", "overlap" */
extern const char *const mb_image_usage_names[]; /* "all", "needed" */
