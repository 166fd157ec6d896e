/* What a timing computes without the device: beforehand the number of images, the length of
 * batches and of the sampling; afterwards the time of a chain from its samples. All pure. */
#pragma once

#include "bench/timing/blocks.h"
#include "bench/settings.h"
#include "result/result.h"
#include "vk/timer.h"

/* The largest number of images in a rotation: with more, making views and descriptors takes
 * longer than the run. */
#define MB_MAX_ROTATION 64u
/* A cache counts as cold after other accesses to this many times its size. */
#define MB_COLD_FACTOR 4u

/* Fill in n_rotated and is_evicted of a timing by its mode, its cache and the bytes of its
 * case. UNSUPPORTED if a cold cache takes more than MB_MAX_ROTATION images in a mode that needs
 * them all at once. */
MB_MUST_CHECK enum mb_status mb_schedule_images(struct mb_timing *timing, uint64_t llc_bytes,
                                                struct mb_err *why);

/* How many chains of `chain_ns` make a batch: as many as take 200 granules, 20 empty pairs or
 * 200 us, whichever is longest, but at most 50 ms for the host, which waits `host_ns` for a
 * chain: a device's clock may stand still. */
uint32_t mb_schedule_batch(const struct mb_timer_marks *marks, double chain_ns, double host_ns);

/* The options of the sampling loop by the settings; the caller fills in candidates, parts and
 * granularity. `is_cpu`: a software device takes milliseconds where a GPU takes microseconds,
 * and has no clock to warm up, so fewer blocks keep a first run short. */
struct mb_measure_options mb_schedule_blocks(const struct mb_settings *settings, bool is_cpu);

/* The time of one chain, from a sample: the time of a single part divided by its chains, or the
 * slope over batches of different lengths. */
double mb_schedule_chain_ns(const uint32_t *n_chains, const double *part_ns, uint32_t n_parts);

/* Fill in row->fixed_ns, the part of a batch's time that does not grow with its chains, from
 * the medians of the parts over kept blocks; if the medians are not on a line: NaN, with a
 * warning. row->column and n_chains are given; `scratch` has room for n_kept. */
void mb_schedule_keep_fixed(const struct mb_samples *samples, struct mb_row *row,
                            double *scratch);

/* If the interval of a time reaches zero, mark the row as skipped, "below resolution", and
 * clear its statistics. The raw parts stay in the timing. */
void mb_schedule_drop_unresolved(struct mb_row *row);
