/* GPU timestamps: a pool of query pairs, ticks to nanoseconds, and the ruler's own marks. */
#ifndef MB_VK_TIMER_H
#define MB_VK_TIMER_H

#include "vk/gpu.h"

struct mb_timer {
    const struct mb_gpu *gpu;
    VkQueryPool pool;
    uint32_t n_pairs;
};

/* `n_pairs` pairs of timestamp queries. UNSUPPORTED if the queue family has no timestamps
 * (timestampValidBits 0) or the period is not a positive number. */
MB_MUST_CHECK enum mb_status mb_timer_init(struct mb_timer *timer, const struct mb_gpu *gpu,
                                           uint32_t n_pairs, struct mb_err *err);
void mb_timer_finish(struct mb_timer *timer);

/* Open the region of pair `pair`: reset its queries, drain the device, stamp, and a full
 * barrier after the stamp, whose second scope is otherwise only itself. */
void mb_timer_begin(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t pair);
/* Close it: drain by a stamp at ALL_COMMANDS, then a full barrier. */
void mb_timer_end(const struct mb_timer *timer, VkCommandBuffer cmd, uint32_t pair);

/* The pair's duration once its submission is done. MB_ERRC_RUNTIME if the queries are not
 * available, or if the region is longer than half the counter's wrap: time running backwards is
 * reported, never returned as a number. */
MB_MUST_CHECK enum mb_status mb_timer_read_ns(const struct mb_timer *timer, uint32_t pair,
                                              double *duration_ns, struct mb_err *err);

/* (end - begin) modulo 2^valid_bits, 1 <= valid_bits <= 64. Pure. */
uint64_t mb_ticks_between(uint64_t begin, uint64_t end, uint32_t valid_bits);

/* The ruler's marks. */
struct mb_timer_marks {
    double granularity_ns;     /* least non-zero difference of neighbouring stamps */
    double granularity_gcd_ns; /* greatest common divisor of the differences */
    double empty_pair_ns;      /* median duration of a region with nothing in it */
};

/* Least non-zero difference and greatest common divisor of the differences of `n` stamps, in
 * ticks; both 0 if all stamps are equal. Pure. */
void mb_ticks_granularity(const uint64_t *stamps, size_t n, uint32_t valid_bits,
                          uint64_t *least, uint64_t *gcd);

/* Measure them: 4096 stamps, 64 empty pairs. */
MB_MUST_CHECK enum mb_status mb_timer_measure_marks(const struct mb_gpu *gpu,
                                                    struct mb_timer_marks *marks,
                                                    struct mb_err *err);

#endif
