/* The host's monotonic clock. */
#ifndef MB_BASE_CLOCK_H
#define MB_BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds since an arbitrary point, never going back (CLOCK_MONOTONIC). */
uint64_t mb_now_ns(void);

#endif
