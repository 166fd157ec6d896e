/* Facts of the host, for the record. */
#ifndef MB_BENCH_HOST_H
#define MB_BENCH_HOST_H

#include "result/result.h"

/* Fill from os-release, uname, /proc/cpuinfo and sysconf; what cannot be read is "unknown" (the
 * number of cores: 0). */
void mb_host_read(struct mb_host_info *host);

/* Now, in UTC: "20261121T023000Z". */
void mb_utc_now(char out[24]);

#endif
