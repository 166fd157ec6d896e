/* What a timing works out without the device: beforehand, how many images it goes round, how
 * long its batches are and how long it samples; afterwards, what a sample and the batches say.
 * All pure. */
#pragma once

#include "bench/timing/blocks.h"
#include "bench/settings.h"
#include "result/result.h"
#include "vk/timer.h"

/* Images: views and descriptors of more take longer than the run. */
#define MB_MAX_ROTATION 64u
/* Footprints of last-level caches that make a cache cold. */
#define MB_COLD_FACTOR 4u
#define MB_MAX_BEND    0.05 /* between slopes of pairs of batches, before they are no line */

/* Images that a cold cache takes where a chain touches `footprint_bytes` of each (an update
 * only its affected region): least n >= 2 with n footprints >= MB_COLD_FACTOR x llc_bytes; it
 * may be above MB_MAX_ROTATION. */
uint64_t mb_schedule_cold_images(uint64_t footprint_bytes, uint64_t llc_bytes);

/* Fill n_rotated and is_evicted of a timing by its mode, its cache and the bytes of its case.
 * UNSUPPORTED where its condition cannot be had: a cold cache of more images than is sensible,
 * in a mode that needs them at once. */
MB_MUST_CHECK enum mb_status mb_schedule_images(struct mb_timing *timing, uint64_t llc_bytes,
                                                struct mb_err *why);

/* How many chains make a batch that is worth timing by slope: 200 granules, 20 empty pairs or
 * 200 us, whichever is longest, over the time of one chain; but no more than take 50 ms by
 * `host_ns`, for which the host waited for one: a device's clock may stand still. */
uint32_t mb_schedule_batch(const struct mb_timer_marks *marks, double chain_ns, double host_ns);

/* Blocks, warm-up and times as the settings want them; the candidates, their parts and the
 * granularity are the caller's. `is_cpu`: a software device, which takes milliseconds for what
 * a GPU does in microseconds and has no clocks to warm up: fewer blocks keep a first run short.
 */
struct mb_measure_options mb_schedule_blocks(const struct mb_settings *settings, bool is_cpu);

/* What a sample says of one chain: of one part its share; of batches of different lengths the
 * slope of their times. */
double mb_schedule_chain_ns(const uint32_t *n_chains, const double *part_ns, uint32_t n_parts);

/* True if the slopes between the pairs of `n` >= 2 points agree to MB_MAX_BEND of their median.
 */
bool mb_schedule_is_line(const double *n_chains, const double *part_ns, size_t n);

/* Fill row->fixed_ns, the time that no chain adds, from the medians of the parts over the
 * blocks that count; NaN, with a warning, where those are no line: then it is none. The
 * result's column and n_chains are the caller's; `scratch` has room for n_kept. */
void mb_schedule_keep_fixed(const struct mb_samples *samples, struct mb_row *row,
                            double *scratch);

/* A time whose interval reaches zero is not a time: mark the row as skipped, "below
 * resolution", and clear its statistics. The raw parts stay in the timing. */
void mb_schedule_drop_unresolved(struct mb_row *row);
