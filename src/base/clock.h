/* The host's monotonic clock. */
#pragma once

#include <stdint.h>

/* Nanoseconds since an arbitrary point, never going back (CLOCK_MONOTONIC). */
uint64_t mb_now_ns(void);
