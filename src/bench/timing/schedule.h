/* What a timing does before it touches the device: how many images it goes round, how long its
 * batches are, how long it samples. All pure. */
#ifndef MB_BENCH_TIMING_SCHEDULE_H
#define MB_BENCH_TIMING_SCHEDULE_H

#include "bench/timing/measure.h"
#include "bench/settings.h"
#include "result/result.h"
#include "vk/timer.h"

/* Fill n_rotated and is_evicted of a timing by its mode, its cache and the bytes of its case.
 * UNSUPPORTED where its condition cannot be had: a cold cache of more images than is sensible,
 * in a mode that needs them at once. */
MB_MUST_CHECK enum mb_status mb_schedule_images(struct mb_timing *timing, uint64_t llc_bytes,
                                                struct mb_err *why);

/* How many chains make a batch that is worth timing by slope: 200 granules, 20 empty pairs or
 * 200 us, whichever is longest, over the time of one chain. */
uint32_t mb_schedule_batch(const struct mb_timer_marks *marks, double chain_ns);

/* Blocks, warm-up and times as the settings want them; the candidates, their parts and the
 * granularity are the caller's. `is_cpu`: a software device, which takes milliseconds for what
 * a GPU does in microseconds and has no clocks to warm up: fewer blocks keep a first run short.
 */
struct mb_measure_options mb_schedule_blocks(const struct mb_settings *settings, bool is_cpu);

#endif
