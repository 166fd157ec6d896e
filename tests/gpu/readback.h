/* What a device left in a buffer, on the host, and the noise of shaders/noise.glsl to compare
 * it with. Failures count as checks of the test. */
#pragma once

#include "../unit/check.h"
#include "vk/buffer.h"
#include "vk/submit.h"

/* As in shaders/noise.glsl. */
static inline uint32_t noise_word(uint32_t i)
{
    const uint32_t state = i * 747796405u + 2891336453u;
    const uint32_t word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

static inline uint32_t noise_channel(uint32_t i, uint32_t channel)
{
    static const uint32_t factor[4] = {1u, 0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du};
    return noise_word(i) * factor[channel];
}

/* What a run left in a buffer or image, on the host. */
struct readback {
    struct mb_buffer buffer;
    struct mb_submission submission;
};

static inline bool readback_init(struct readback *r, const struct mb_gpu *gpu, uint64_t n_bytes)
{
    struct mb_err err = {0};
    *r = (struct readback){0};
    CHECK_EQ_INT(
        mb_buffer_init(&r->buffer, gpu, MB_BUFFER_READBACK, n_bytes, "read-back", &err), MB_OK);
    CHECK_EQ_INT(mb_submission_init(&r->submission, gpu, "read-back", &err), MB_OK);
    return r->buffer.mapped && r->submission.fence;
}

static inline void readback_finish(struct readback *r)
{
    mb_submission_finish(&r->submission);
    mb_buffer_finish(&r->buffer);
}

static inline void readback_begin(struct readback *r)
{
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_submission_begin(&r->submission, &err), MB_OK);
}

/* End what was begun and run it; the host may read the buffer then. */
static inline void readback_run(struct readback *r)
{
    struct mb_err err = {0};
    const VkMemoryBarrier to_host = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vkCmdPipelineBarrier(r->submission.cmd, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &to_host, 0, NULL, 0, NULL);
    CHECK_EQ_INT(mb_submission_run(&r->submission, &err), MB_OK);
}

static inline void readback_copy(struct readback *r, VkBuffer from)
{
    const VkBufferCopy region = {.size = r->buffer.size_bytes};
    vkCmdCopyBuffer(r->submission.cmd, from, r->buffer.buffer, 1, &region);
}
