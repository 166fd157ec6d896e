/* Figures for people, in every table, sentence and message; machines get mb_number_text(). A
 * value that is not finite is "-". */
#pragma once

#include <stdint.h>

#include "base/text.h"

/* "640 ns", "41.6 us", "1.23 ms", "2.50 s": in the largest unit that gives 1 or more. */
struct mb_text mb_time_text(double time_ns);

/* The same, in the unit and with the decimals that suit `like_ns`, such as the shortest time of
 * a column; but if `time_ns` would take six digits there, in the unit that suits `time_ns`. */
struct mb_text mb_time_text_like(double time_ns, double like_ns);

/* "41.5 - 41.7": the interval of an estimate that mb_time_text_like() prints; "< timer step" if
 * both ends are the same. */
struct mb_text mb_time_range_text(const double range_ns[2], double time_ns, double like_ns);

/* "41.6 GB/s", "4.30 TB/s": bytes per nanosecond with three digits. */
struct mb_text mb_rate_text(double gbps);

/* "1.44": two decimals, as a difference below 1 % (MB_MARGIN) is a tie. */
struct mb_text mb_ratio_text(double ratio);

/* "1.17 - 3.30", rounded outwards. */
struct mb_text mb_ratio_range_text(const double range[2]);

/* "72 %" for 0.72; below 10 with two digits: "5.9 %", "0.25 %". */
struct mb_text mb_percent_text(double share);

/* "32 KiB", "1.5 MiB", "140 GiB": in the largest unit that gives 1 or more. */
struct mb_text mb_bytes_text(uint64_t n_bytes);

/* "25,316" */
struct mb_text mb_count_text(uint64_t n);

/* Three digits without trailing zeros, and all digits from a thousand to a million: "0.984",
 * "37.2", "2750", "4.46 million". Below 0.0005 it is "0". */
struct mb_text mb_digits_text(double value);
