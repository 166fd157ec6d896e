/* Bandwidths as plain data. */
#include "result/roofline.h"

#include <math.h>

const char *const mb_traffic_names[MB_N_TRAFFICS] = {
    [MB_TRAFFIC_READ] = "read",
    [MB_TRAFFIC_WRITE] = "write",
    [MB_TRAFFIC_COPY] = "copy",
    [MB_TRAFFIC_MIX] = "mix",
};

struct mb_bandwidth mb_bandwidth_none(enum mb_traffic traffic, bool is_image)
{
    return (struct mb_bandwidth){
        .traffic = traffic,
        .is_image = is_image,
        .gbps = (double)NAN,
        .duration_ns = (double)NAN,
    };
}
