/* Conditions: their names. */
#include "result/condition.h"

const char *mb_cache_name(enum mb_cache cache)
{
    return cache == MB_CACHE_COLD ? "cold" : "hot";
}

const char *const mb_mode_names[MB_N_MODES] = {
    [MB_MODE_LATENCY] = "latency",
    [MB_MODE_THROUGHPUT] = "throughput",
    [MB_MODE_OVERLAP] = "overlap",
};

const char *mb_image_usage_name(enum mb_image_usage usage)
{
    return usage == MB_IMAGE_USAGE_NEEDED ? "needed" : "all";
}
