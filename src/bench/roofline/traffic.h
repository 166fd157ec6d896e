/* Plain traffic on a buffer or an image, and its speed: the memory floor is measured with it,
 * and reads evict everything else from the last-level cache. */
#pragma once

#include "vk/buffer.h"
#include "vk/image.h"
#include "vk/pipeline.h"
#include "vk/submit.h"
#include "vk/timer.h"

/* As in shaders/traffic.glsl. */
enum mb_traffic {
    MB_TRAFFIC_READ, /* of buffers only */
    MB_TRAFFIC_FILL, /* writes noise to the source */
    MB_TRAFFIC_MIX,  /* three bytes read for each byte written, as a mip chain does */
};

#define MB_TRAFFIC_MAX_ITEMS 8u

/* Sizes of buffers are multiples of this: four streams of the largest workgroup's items. */
#define MB_TRAFFIC_UNIT_BYTES (UINT64_C(4) * 1024 * MB_TRAFFIC_MAX_ITEMS * 16)

enum mb_field_side {
    MB_SOURCE, /* noise; images in SHADER_READ_ONLY_OPTIMAL */
    MB_TARGET, /* images in GENERAL */
};

/* Two buffers, or two images of one level, and a kernel that makes traffic from one to the
 * other. On buffers it writes:
 *
 *   fill   source[i] = noise
 *   mix    target[i] = source[i] ^ source[i + n] ^ source[i + 2n]
 *
 * in vectors of 16 bytes, n of which a pass writes. On images mixed traffic writes target(x, y)
 * = max(a, min(b, c)) of rows 3y, 3y + 1 and 3y + 2. Reading stores nothing, unless
 * `stores_sums`: then target[workgroup_size * group + lane] is the xor of an
 * invocation's items. */
struct mb_field {
    const struct mb_gpu *gpu;
    bool is_image;
    struct mb_buffer buffer[2];
    struct mb_vk_image image[2];
    VkSampler sampler;
    struct mb_timer timer;
    struct mb_submission submission;

    /* The kernel; mb_field_choose(). */
    enum mb_traffic traffic;
    uint32_t workgroup_size;
    uint32_t n_items;
    uint64_t pass_bytes; /* what one pass reads plus what it writes; on buffers the size of the
                            source, or less: a multiple of MB_TRAFFIC_UNIT_BYTES */
    bool stores_sums;    /* for tests */
    struct mb_pipeline compute;
};

/* Make two buffers, whose sizes are multiples of MB_TRAFFIC_UNIT_BYTES within
 * gpu->info.limits.maxStorageBufferRange; mixed traffic needs a target of at least a quarter of
 * the source. */
MB_MUST_CHECK enum mb_status mb_field_init_buffers(struct mb_field *field,
                                                   const struct mb_gpu *gpu,
                                                   uint64_t source_bytes, uint64_t target_bytes,
                                                   struct mb_err *err);

/* Make two images of `layout`, which has one level in rgba8: every device can store to it.
 * UNSUPPORTED if the device cannot make them. */
MB_MUST_CHECK enum mb_status mb_field_init_images(struct mb_field *field,
                                                  const struct mb_gpu *gpu,
                                                  const struct mb_layout *layout,
                                                  struct mb_err *err);

/* Make a buffer of `n_bytes`, a few times the cache, rounded up to whole units: one pass of
 * reads evicts everything else from the last-level cache and leaves no dirty lines.
 * UNSUPPORTED, with nothing left, if the device cannot bind that much at once, has no memory
 * for it, or lacks workgroups of 256. */
MB_MUST_CHECK enum mb_status mb_field_init_evictor(struct mb_field *field,
                                                   const struct mb_gpu *gpu, uint64_t n_bytes,
                                                   struct mb_err *err);
void mb_field_finish(struct mb_field *field);

/* Replace the kernel: workgroups of 64, 128, 256, 512 or 1024, as the device allows, and 1 to
 * MB_TRAFFIC_MAX_ITEMS items in flight per invocation; mixed traffic makes three loads per
 * item. */
MB_MUST_CHECK enum mb_status mb_field_choose(struct mb_field *field, enum mb_traffic traffic,
                                             uint32_t workgroup_size, uint32_t n_items,
                                             struct mb_err *err);

/* Record one dispatch that passes over pass_bytes `n_passes` times; the device's limits on a
 * dispatch bound `n_passes`. */
void mb_field_record(const struct mb_field *field, VkCommandBuffer cmd, uint32_t n_passes);

/* Time the kernel: `*gbps`, in 10^9 bytes a second, comes from the median of a few dispatches,
 * after untimed ones; each makes as many passes as take `min_ns`. `*gbps` is NaN if the clock
 * stood still or an image is too small. */
MB_MUST_CHECK enum mb_status mb_field_time(struct mb_field *field, double min_ns, double *gbps,
                                           struct mb_err *err);
