/* What a device with less than usual is told of: by name, in units that say something. */
#include <stdlib.h>
#include <string.h>

#include "bench/roofline/roofline.h"
#include "bench/roofline/traffic.h"
#include "harness.h"
#include "kernel/plan.h"
#include "vk/buffer.h"
#include "vk/gpu_info.h"

static void check_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        CHECK_EQ_STR(text, part);
    }
}

static void test_workgroups(struct mb_gpu *gpu)
{
    struct mb_err why = {0};
    struct mb_gpu narrow = *gpu;
    static struct mb_field evictor;
    narrow.info.limits.maxComputeWorkGroupInvocations = 1024;
    narrow.info.limits.maxComputeWorkGroupSize[0] = 128;
    CHECK_EQ_INT(mb_gpu_require_workgroup(&narrow, 128, &why), MB_OK);
    CHECK_EQ_INT(mb_gpu_require_workgroup(&narrow, 256, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(
        why.text,
        "the device's workgroups have at most 128 invocations along x; 256 are needed");
    CHECK_EQ_INT(mb_field_init_evictor(&evictor, &narrow, 1 << 20, &why), MB_UNSUPPORTED);
    check_has(why.text, "at most 128 invocations along x");
    narrow.info.limits.maxComputeWorkGroupInvocations = 128;
    narrow.info.limits.maxComputeWorkGroupSize[0] = 1024;
    CHECK_EQ_INT(mb_gpu_require_workgroup(&narrow, 256, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(
        why.text,
        "the device's workgroups have at most 128 invocations along x; 256 are needed");
    CHECK_EQ_INT(mb_field_init_evictor(&evictor, &narrow, 1 << 20, &why), MB_UNSUPPORTED);
    check_has(why.text, "have at most 128 invocations along x");
}

static void test_small_heap(struct mb_gpu *gpu)
{
    struct mb_err err = {0};
    struct mb_buffer buffer = {0};
    struct mb_gpu small = *gpu;
    for (uint32_t i = 0; i < small.info.memory.memoryHeapCount; i++) {
        small.info.memory.memoryHeaps[i].size = 5000;
    }
    CHECK_EQ_INT(mb_buffer_init(&buffer, &small, MB_BUFFER_UPLOAD, 3 << 20, "big", &err),
                 MB_FAILED);
    check_has(err.text, "big: needs 3 MiB of memory; heap ");
    check_has(err.text, " of the device has only 4.88 KiB");
    mb_buffer_finish(&buffer);
}

/* A driver that does not fill in how large an allocation may be. */
static VKAPI_ATTR void VKAPI_CALL
get_without_allocation(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *properties)
{
    REAL(vkGetPhysicalDeviceProperties2)(device, properties);
    for (VkBaseOutStructure *s = properties->pNext; s != NULL; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
            ((VkPhysicalDeviceVulkan11Properties *)(void *)s)->maxMemoryAllocationSize = 0;
        }
    }
}

/* Everything that is sized by it still works. */
static void test_no_allocation_limit(struct mb_gpu *gpu)
{
    struct mb_err err = {0};
    struct mb_gpu odd = *gpu;
    static struct mb_field evictor;
    static struct mb_roofline roofline;
    STAND_IN(vkGetPhysicalDeviceProperties2, get_without_allocation);
    mb_gpu_read_info(gpu->physical_device, gpu->info.index, &odd.info);
    stand_ins_end();
    CHECK_EQ_INT(odd.info.max_allocation_bytes, 1 << 30);
    const struct mb_settings settings = {.roofline = true};
    CHECK_EQ_INT(mb_field_init_evictor(&evictor, &odd, 1 << 20, &err), MB_OK);
    mb_field_finish(&evictor);
    CHECK_EQ_INT(mb_roofline_measure(&odd, &settings, &roofline, &err), MB_OK);
    CHECK(roofline.ceiling_gbps > 0.0);
}

static enum mb_status ask(const struct mb_manifest *manifest, const struct mb_gpu *gpu,
                          struct mb_err *why)
{
    const struct mb_layout layout = mb_test_layout("r32f", (struct mb_extent){64, 64}, 1);
    const struct mb_task task = {.reduce = MB_REDUCE_MIN, .rect = mb_rect_whole(layout.base)};
    const struct mb_params params = {.self = manifest};
    return manifest->strategy.supports(gpu, &layout, &task, &params, why);
}

/* A kernel of a manifest is held against each limit before a device sees it. */
static void test_kernel(struct mb_gpu *gpu)
{
    static struct mb_gpu small;
    struct mb_manifest manifest = {0};
    struct mb_err err = {0};
    const char *path = getenv("MB_TEST_KERNEL");
    if (!path) {
        mb_test_skip("MB_TEST_KERNEL names no manifest");
        return;
    }
    small = *gpu;
    small.info.limits.maxPushConstantsSize = 256;
    small.info.features.v12.runtimeDescriptorArray = VK_TRUE; /* not llvmpipe's */
    CHECK_EQ_INT(mb_manifest_init(&manifest, path, NULL, &err), MB_OK);
    CHECK_EQ_INT(ask(&manifest, &small, &err), MB_OK);
    CHECK_EQ_STR(err.text, "");
    struct mb_gpu less = small;
    less.info.limits.maxPushConstantsSize = 128;
    CHECK_EQ_INT(ask(&manifest, &less, &err), MB_UNSUPPORTED);
    CHECK_EQ_STR(err.text, "shader 'all' has 132 bytes of push constants; the device has 128");
    less = small;
    less.info.limits.maxPerStageDescriptorStorageImages = 15;
    CHECK_EQ_INT(ask(&manifest, &less, &err), MB_UNSUPPORTED);
    CHECK_EQ_STR(err.text, "needs 16 storage images in a shader, the device has 15");
    less = small;
    less.info.limits.maxComputeWorkGroupInvocations = 31;
    CHECK_EQ_INT(ask(&manifest, &less, &err), MB_UNSUPPORTED);
    CHECK_EQ_STR(err.text,
                 "the device's workgroups have at most 31 invocations along x; 32 are needed");
    less = small;
    less.info.limits.maxComputeWorkGroupCount[0] = 0;
    CHECK_EQ_INT(ask(&manifest, &less, &err), MB_UNSUPPORTED);
    CHECK_EQ_STR(err.text, "it dispatches 1 workgroups along x; the device takes 0");
    less = small;
    less.info.features.core.features.shaderInt64 = VK_FALSE;
    CHECK_EQ_INT(ask(&manifest, &less, &err), MB_UNSUPPORTED);
    CHECK_EQ_STR(err.text, "the device has no shaderInt64, which shader 'all' needs");
    mb_manifest_finish(&manifest);
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_workgroups, test_small_heap, test_no_allocation_limit,
                             test_kernel);
}
