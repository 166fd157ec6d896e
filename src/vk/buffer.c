/* Buffers with their memory. */
#include "vk/buffer.h"

#include <string.h>

#include "vk/barrier.h"
#include "vk/memory.h"
#include "vk/submit.h"

/* Copy the first `n_bytes` of `from` to a buffer, or if `from` is NULL, fill it with zeros. */
static enum mb_status fill(const struct mb_buffer *buffer, const struct mb_buffer *from,
                           VkDeviceSize n_bytes, struct mb_err *err)
{
    static const struct mb_access any = {
        .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
        .access = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };
    MB_SCOPED(mb_submission) submission = {0};
    const VkBufferCopy region = {.size = n_bytes};
    MB_DO(mb_submission_init(&submission, buffer->gpu, "fill buffer", err));
    if (from) {
        vkCmdCopyBuffer(submission.cmd, from->buffer, buffer->buffer, 1, &region);
    } else {
        vkCmdFillBuffer(submission.cmd, buffer->buffer, 0, VK_WHOLE_SIZE, 0);
    }
    mb_barrier_memory(submission.cmd, &mb_access_transfer_write, &any);
    return mb_submission_run(&submission, err);
}

enum mb_status mb_buffer_init(struct mb_buffer *buffer, struct mb_gpu const *gpu,
                              enum mb_buffer_kind kind, VkDeviceSize size_bytes,
                              const char *name, struct mb_err *err)
{
    static const struct mb_memory_options options[] = {
        [MB_BUFFER_DEVICE] = {.required = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT},
        [MB_BUFFER_ADDRESSED] = {.required = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                                 .has_address = true},
        [MB_BUFFER_UPLOAD] = {.required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT},
        [MB_BUFFER_READBACK] = {.required = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                                .preferred = VK_MEMORY_PROPERTY_HOST_CACHED_BIT},
    };
    *buffer = (struct mb_buffer){.gpu = gpu, .size_bytes = (size_bytes + 3) & ~UINT64_C(3)};
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = buffer->size_bytes,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    struct mb_memory_options memory = options[kind];
    memory.what = name;
    if (memory.has_address) {
        info.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    }
    if (gpu->state->only_compiles) {
        return MB_OK;
    }
    MB_DO(MB_VK_MAKE(vkCreateBuffer, gpu->device, &info, &buffer->buffer));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->buffer, name);
    VkMemoryRequirements requirements;
    vkGetBufferMemoryRequirements(gpu->device, buffer->buffer, &requirements);
    MB_DO(mb_memory_allocate(gpu, &requirements, &memory, &buffer->memory, err));
    MB_DO(MB_VK(vkBindBufferMemory(gpu->device, buffer->buffer, buffer->memory, 0)));
    if (memory.required & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) {
        MB_DO(fill(buffer, NULL, 0, err));
    } else {
        void *mapped;
        MB_DO(MB_VK(vkMapMemory(gpu->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &mapped)));
        buffer->mapped = mapped;
    }
    return MB_OK;
}

enum mb_status mb_buffer_upload(const struct mb_buffer *buffer, const void *data,
                                size_t n_bytes, struct mb_err *err)
{
    MB_SCOPED(mb_buffer) staging = {0};
    if (buffer->gpu->state->only_compiles) {
        return MB_OK;
    }
    MB_DO(mb_buffer_init(&staging, buffer->gpu, MB_BUFFER_UPLOAD, n_bytes, "staging", err));
    memcpy(staging.mapped, data, n_bytes);
    return fill(buffer, &staging, n_bytes, err);
}

VkDeviceAddress mb_buffer_address(const struct mb_buffer *buffer)
{
    const VkBufferDeviceAddressInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = buffer->buffer,
    };
    return vkGetBufferDeviceAddress(buffer->gpu->device, &info);
}

void mb_buffer_finish(struct mb_buffer *buffer)
{
    if (!buffer->gpu || buffer->gpu->state->is_lost) {
        return;
    }
    if (buffer->mapped) {
        vkUnmapMemory(buffer->gpu->device, buffer->memory);
    }
    vkDestroyBuffer(buffer->gpu->device, buffer->buffer, NULL);
    vkFreeMemory(buffer->gpu->device, buffer->memory, NULL);
    *buffer = (struct mb_buffer){0};
}
