/* Conditions: their names. */
#include "result/condition.h"

const char *const mb_cache_names[MB_N_CACHES] = {
    [MB_CACHE_HOT] = "hot",
    [MB_CACHE_COLD] = "cold",
};

const char *const mb_mode_names[MB_N_MODES] = {
    [MB_MODE_LATENCY] = "latency",
    [MB_MODE_THROUGHPUT] = "throughput",
    [MB_MODE_OVERLAP] = "overlap",
};

const char *const mb_image_usage_names[MB_N_IMAGE_USAGES] = {
    [MB_IMAGE_USAGE_ALL] = "all",
    [MB_IMAGE_USAGE_NEEDED] = "needed",
};
