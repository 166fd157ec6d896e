/* Device memory: type choice and the size check before the allocation. */
#include "vk/memory.h"

#include "base/figure.h"

/* Index of a memory type within `type_bits` with all of `flags`, or UINT32_MAX. */
static uint32_t find_type(const struct mb_gpu *gpu, uint32_t type_bits,
                          VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < gpu->info.memory.memoryTypeCount; i++) {
        if ((type_bits >> i & 1u) &&
            (gpu->info.memory.memoryTypes[i].propertyFlags & flags) == flags) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* Refuse more bytes than the heap has or than the device allocates at once. */
static enum mb_status check_size(const struct mb_gpu *gpu, VkDeviceSize n_bytes, uint32_t heap,
                                 const char *what, struct mb_err *err)
{
    const VkDeviceSize heap_bytes = gpu->info.memory.memoryHeaps[heap].size;
    const struct mb_text need = mb_bytes_text(n_bytes);
    if (n_bytes > heap_bytes) {
        return MB_FAIL(err, MB_ERRC_RUNTIME,
                       "%s: needs %s of memory; heap %u of the device has only %s", what,
                       need.s, heap, mb_bytes_text(heap_bytes).s);
    }
    if (n_bytes > gpu->info.max_allocation_bytes) {
        return MB_FAIL(err, MB_ERRC_RUNTIME,
                       "%s: needs %s of memory, the device allocates at most %s at once "
                       "(maxMemoryAllocationSize)",
                       what, need.s, mb_bytes_text(gpu->info.max_allocation_bytes).s);
    }
    return MB_OK;
}

enum mb_status mb_memory_check(const struct mb_gpu *gpu, VkDeviceSize n_bytes, const char *what,
                               struct mb_err *err)
{
    const VkPhysicalDeviceMemoryProperties *memory = &gpu->info.memory;
    uint32_t largest = 0;
    for (uint32_t i = 1; i < memory->memoryHeapCount; i++) {
        largest = memory->memoryHeaps[i].size > memory->memoryHeaps[largest].size ? i : largest;
    }
    return check_size(gpu, n_bytes, largest, what, err);
}

enum mb_status mb_memory_allocate(const struct mb_gpu *gpu,
                                  const VkMemoryRequirements *requirements,
                                  const struct mb_memory_options *options,
                                  VkDeviceMemory *memory, struct mb_err *err)
{
    const uint32_t bits = requirements->memoryTypeBits;
    const char *what = options->what;
    uint32_t type = find_type(gpu, bits, options->required | options->preferred);
    if (type == UINT32_MAX) {
        type = find_type(gpu, bits, options->required);
    }
    MB_FAIL_IF(type == UINT32_MAX, err, MB_ERRC_RUNTIME,
               "%s: the device has no fitting memory type", what);
    MB_DO(check_size(gpu, requirements->size, gpu->info.memory.memoryTypes[type].heapIndex,
                     what, err));
    const VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    const VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = options->has_address ? &flags : NULL,
        .allocationSize = requirements->size,
        .memoryTypeIndex = type,
    };
    MB_DO(MB_VK_MAKE(vkAllocateMemory, gpu->device, &info, memory));
    mb_gpu_name(gpu, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)*memory, what);
    return MB_OK;
}
