/* What spd-tree's library promises besides texels: the features that it names, threads,
 * failures that record and leave nothing, allocators and pipeline caches. */
#include <pthread.h>
#include <stdio.h>

#include "../../strategies/spd-tree/modules.h"
#include "base/alloc.h"
#include "library_chain.h"

static struct library_info rgba8_info(struct spd_tree *tree, const char *name)
{
    return (struct library_info){
        .name = name,
        .tree = tree,
        .format = "rgba8",
        .job = {.width = 131,
                .height = 70,
                .n_levels = 8,
                .n_layers = 1,
                .format = VK_FORMAT_R8G8B8A8_UNORM},
    };
}

/* ---- Features */

static void check_device(const struct mb_gpu *gpu, const struct spd_tree_features *features)
{
    const struct spd_tree_device *got = &features->device;
    const struct spd_tree_device want = mb_spd_tree_device_of(&gpu->info);
    CHECK_EQ_INT(got->is_cpu, want.is_cpu);
    CHECK_EQ_INT(got->is_intel, want.is_intel);
    CHECK_EQ_INT(got->has_shuffles, want.has_shuffles);
    CHECK_EQ_INT(got->has_full_subgroups, want.has_full_subgroups);
    CHECK_EQ_INT(got->has_int64_atomics, want.has_int64_atomics);
    CHECK_EQ_INT(got->subgroup_size, want.subgroup_size);
    CHECK_EQ_INT(got->min_subgroup_size, want.min_subgroup_size);
    CHECK_EQ_INT(got->max_subgroup_size, want.max_subgroup_size);
    CHECK_EQ_INT(got->max_workgroup_subgroups, want.max_workgroup_subgroups);
    CHECK_EQ_INT(got->n_cores, want.n_cores);
    CHECK_EQ_INT(got->max_shared_bytes, want.max_shared_bytes);
    CHECK_EQ_INT(got->max_buffer_bytes, want.max_buffer_bytes);
}

/* Whether each of the flags in [first, end) is set in `offered` where it is in `named`. */
static bool are_among(const void *named, const void *offered, size_t first, size_t end)
{
    bool are_offered = true;
    for (size_t at = first; at < end; at += sizeof(VkBool32)) {
        VkBool32 flags[2];
        memcpy(&flags[0], (const char *)named + at, sizeof flags[0]);
        memcpy(&flags[1], (const char *)offered + at, sizeof flags[1]);
        are_offered = are_offered && flags[0] <= flags[1] && flags[0] <= VK_TRUE;
    }
    return are_offered;
}

static bool has_extension(const struct mb_gpu *gpu, const char *name)
{
    uint32_t n = 0;
    bool has = false;
    CHECK_EQ_INT(vkEnumerateDeviceExtensionProperties(gpu->physical_device, NULL, &n, NULL),
                 VK_SUCCESS);
    MB_FREED VkExtensionProperties *all = mb_alloc(n + 1, sizeof *all);
    CHECK_EQ_INT(all ? vkEnumerateDeviceExtensionProperties(gpu->physical_device, NULL, &n, all)
                     : VK_NOT_READY,
                 VK_SUCCESS);
    for (uint32_t i = 0; all && i < n; i++) {
        has = has || strcmp(all[i].extensionName, name) == 0;
    }
    return has;
}

#define FLAGS_OF(type, first, last) offsetof(type, first), offsetof(type, last) + 4

static void test_features(struct mb_gpu *gpu)
{
    VkPhysicalDeviceSubgroupSizeControlFeatures size_control = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES};
    VkPhysicalDeviceVulkan12Features v12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceFeatures2 offered = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
                                         .pNext = &v12};
    struct spd_tree_features named;
    spd_tree_get_features(gpu->physical_device, &named);
    v12.pNext = named.has_size_control ? &size_control : NULL;
    vkGetPhysicalDeviceFeatures2(gpu->physical_device, &offered);
    mb_library_check(!named.why_not, "features", named.why_not ? named.why_not : "");
    check_device(gpu, &named);
    CHECK(are_among(&named.core, &offered.features, 0, sizeof named.core));
    CHECK(are_among(&named.v12, &v12,
                    FLAGS_OF(VkPhysicalDeviceVulkan12Features, samplerMirrorClampToEdge,
                             subgroupBroadcastDynamicId)));
    CHECK(are_among(&named.size_control, &size_control,
                    FLAGS_OF(VkPhysicalDeviceSubgroupSizeControlFeatures, subgroupSizeControl,
                             computeFullSubgroups)));
    CHECK(named.v12.vulkanMemoryModel && named.v12.vulkanMemoryModelDeviceScope &&
          named.core.shaderStorageImageWriteWithoutFormat);
    CHECK(!named.v12.pNext && !named.size_control.pNext);
    CHECK(!named.extension || has_extension(gpu, named.extension));
}

static const char *core_extension; /* the only one that the device then has */

static VkResult VKAPI_PTR name_extension(VkPhysicalDevice physical, const char *layer,
                                         uint32_t *n, VkExtensionProperties *all)
{
    *n = 1;
    if (all) {
        all[0] = (VkExtensionProperties){0};
        snprintf(all[0].extensionName, sizeof all[0].extensionName, "%s", core_extension);
    }
    return VK_SUCCESS;
}

static void VKAPI_PTR count_cores(VkPhysicalDevice physical,
                                  VkPhysicalDeviceProperties2 *properties)
{
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV *nv = properties->pNext;
    VkPhysicalDeviceShaderCorePropertiesAMD *amd = properties->pNext;
    VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM *arm = properties->pNext;
    switch (nv ? nv->sType : VK_STRUCTURE_TYPE_MAX_ENUM) {
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV:
        nv->shaderSMCount = 84;
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD:
        amd->shaderEngineCount = 4;
        amd->shaderArraysPerEngineCount = 2;
        amd->computeUnitsPerShaderArray = 5;
        break;
    case VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_BUILTINS_PROPERTIES_ARM:
        arm->shaderCoreCount = 10;
        break;
    default:
        REAL(vkGetPhysicalDeviceProperties2)(physical, properties);
    }
}

/* As the device says it by whichever extension it has, to the library and to mipbench. */
static void test_cores(struct mb_gpu *gpu)
{
    static const char *const names[] = {
        VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME,
        VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME, VK_KHR_SWAPCHAIN_EXTENSION_NAME};
    static const uint32_t n_cores[] = {84, 40, 10, 0};
    STAND_IN(vkEnumerateDeviceExtensionProperties, name_extension);
    STAND_IN(vkGetPhysicalDeviceProperties2, count_cores);
    for (unsigned i = 0; i < MB_COUNTOF(names); i++) {
        struct spd_tree_features features;
        struct mb_gpu_info info;
        core_extension = names[i];
        spd_tree_get_features(gpu->physical_device, &features);
        CHECK_EQ_INT(features.device.n_cores, n_cores[i]);
        mb_gpu_read_info(gpu->physical_device, 0, &info);
        CHECK_EQ_INT(info.n_cores, n_cores[i]);
    }
    stand_ins_end();
}

/* A device with these features and no others. */
static enum mb_status open_least(const struct mb_gpu *gpu, struct mb_gpu *least,
                                 struct mb_err *err)
{
    static const float priority = 1.0f;
    struct spd_tree_features features;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = gpu->info.queue_family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    spd_tree_get_features(gpu->physical_device, &features);
    features.v12.pNext = features.has_size_control ? &features.size_control : NULL;
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features.v12,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = features.extension ? 1 : 0,
        .ppEnabledExtensionNames = &features.extension,
        .pEnabledFeatures = &features.core,
    };
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
        .queueFamilyIndex = gpu->info.queue_family,
    };
    *least = *gpu;
    least->device = VK_NULL_HANDLE;
    least->command_pool = VK_NULL_HANDLE;
    MB_DO(MB_VK_MAKE(vkCreateDevice, gpu->physical_device, &info, &least->device));
    volkLoadDevice(least->device);
    vkGetDeviceQueue(least->device, gpu->info.queue_family, 0, &least->queue);
    return MB_VK_MAKE(vkCreateCommandPool, least->device, &pool, &least->command_pool);
}

/* What is named is enough: the validation layer would tell. */
static void test_least_device(struct mb_gpu *gpu)
{
    struct mb_gpu least;
    struct mb_err err = {0};
    const uint32_t n_messages = gpu->instance.n_messages;
    const enum mb_status status = open_least(gpu, &least, &err);
    struct spd_tree *tree = status == MB_OK ? mb_library_tree(&least, NULL) : NULL;
    struct library_info info = rgba8_info(tree, "a device with what is named");
    mb_library_check(status == MB_OK, info.name, err.text);
    for (unsigned i = 0; tree && i < 4; i++) {
        info.job.width = i % 2 ? 128 : 131;
        info.job.reduction = i / 2 ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE;
        mb_library_try(&least, &info);
    }
    spd_tree_destroy(tree);
    if (least.device) {
        vkDestroyCommandPool(least.device, least.command_pool, NULL);
        vkDestroyDevice(least.device, NULL);
    }
    volkLoadDevice(gpu->device);
    mb_library_check(gpu->instance.n_messages == n_messages, info.name,
                     "the validation layer said something");
}

/* ---- Commands that are recorded */

static unsigned n_commands;

static VKAPI_ATTR void VKAPI_CALL count_bind(VkCommandBuffer cmd, VkPipelineBindPoint point,
                                             VkPipeline pipeline)
{
    n_commands++;
}

static VKAPI_ATTR void VKAPI_CALL count_sets(VkCommandBuffer cmd, VkPipelineBindPoint point,
                                             VkPipelineLayout layout, uint32_t first,
                                             uint32_t n, const VkDescriptorSet *sets,
                                             uint32_t n_offsets, const uint32_t *offsets)
{
    n_commands++;
}

static VKAPI_ATTR void VKAPI_CALL count_push(VkCommandBuffer cmd, VkPipelineLayout layout,
                                             VkShaderStageFlags stages, uint32_t offset,
                                             uint32_t n_bytes, const void *values)
{
    n_commands++;
}

static VKAPI_ATTR void VKAPI_CALL count_dispatch(VkCommandBuffer cmd, uint32_t x, uint32_t y,
                                                 uint32_t z)
{
    n_commands += x > 0 && y > 0 && z > 0;
}

/* Record where commands are counted and nothing else. */
static VkResult record_counted(struct spd_tree *tree, const struct spd_tree_job *job)
{
    const struct spd_tree_resources resources = {.source = VK_NULL_HANDLE};
    n_commands = 0;
    STAND_IN(vkCmdBindPipeline, count_bind);
    STAND_IN(vkCmdBindDescriptorSets, count_sets);
    STAND_IN(vkCmdPushConstants, count_push);
    STAND_IN(vkCmdDispatch, count_dispatch);
    const VkResult result = spd_tree_record(tree, VK_NULL_HANDLE, job, &resources);
    stand_ins_end();
    return result;
}

static void test_not_ready(struct mb_gpu *gpu)
{
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    struct spd_tree_job job = rgba8_info(tree, "").job;
    if (!tree) {
        return;
    }
    CHECK_EQ_INT(record_counted(tree, &job), VK_NOT_READY);
    CHECK_EQ_INT(n_commands, 0);
    CHECK(!spd_tree_pipeline(tree, &job));
    CHECK_EQ_INT(spd_tree_prepare(tree, &job), VK_SUCCESS);
    CHECK(spd_tree_pipeline(tree, &job) != VK_NULL_HANDLE);
    CHECK_EQ_INT(record_counted(tree, &job), VK_SUCCESS);
    CHECK_EQ_INT(n_commands, 4);
    job.reduction = SPD_TREE_MAXIMUM;
    CHECK_EQ_INT(record_counted(tree, &job), VK_NOT_READY);
    CHECK_EQ_INT(n_commands, 0);
    job.width = job.height = job.n_levels = 1;
    CHECK_EQ_INT(spd_tree_prepare(tree, &job), VK_SUCCESS);
    CHECK_EQ_INT(spd_tree_scratch_bytes(tree, &job), 0);
    CHECK_EQ_INT(record_counted(tree, &job), VK_SUCCESS);
    CHECK_EQ_INT(n_commands, 0);
    spd_tree_destroy(tree);
}

/* After spd_tree_prepare_all() no size has to be prepared. */
static void test_prepare_all(struct mb_gpu *gpu)
{
    static const uint32_t sizes[][2] = {{1, 77},    {2, 1},       {101, 67},    {256, 256},
                                        {640, 360}, {1920, 1080}, {1921, 1081}, {2048, 64},
                                        {300, 200}, {4096, 4096}, {1366, 768},  {8192, 8184}};
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    struct spd_tree_job job = rgba8_info(tree, "").job;
    for (uint32_t k = 0; tree && k < 3; k++) {
        job.reduction = k == 1 ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE;
        job.changed.extent.width = job.changed.extent.height = k == 2 ? 1 : 0;
        CHECK_EQ_INT(spd_tree_prepare_all(tree, &job), VK_SUCCESS);
        for (size_t i = 0; i < MB_COUNTOF(sizes); i++) {
            struct spd_tree_job sized = job;
            sized.width = sizes[i][0];
            sized.height = sizes[i][1];
            sized.n_levels = spd_tree_level_count(sized.width, sized.height);
            sized.n_layers = 1 + (uint32_t)i % 3;
            CHECK(spd_tree_pipeline(tree, &sized) != VK_NULL_HANDLE);
        }
    }
    spd_tree_destroy(tree);
}

static void check_refused(struct spd_tree *tree, const struct spd_tree_device *device,
                          const struct spd_tree_job *job, const char *name)
{
    struct spd_tree_plan plan;
    const char *why = spd_tree_plan_job(device, job, &plan);
    mb_library_check(why && strlen(why) > 10, name, "there is no reason");
    mb_library_check(spd_tree_prepare(tree, job) == VK_ERROR_FORMAT_NOT_SUPPORTED, name,
                     "spd_tree_prepare does not refuse it");
    mb_library_check(!spd_tree_pipeline(tree, job) && spd_tree_scratch_bytes(tree, job) == 0,
                     name, "there is a pipeline or scratch of it");
    mb_library_check(record_counted(tree, job) == VK_ERROR_FORMAT_NOT_SUPPORTED &&
                         n_commands == 0,
                     name, "it was recorded");
    const struct spd_tree_resources none = {.source = VK_NULL_HANDLE};
    mb_library_check(spd_tree_write_set(tree, job, &none) == VK_ERROR_FORMAT_NOT_SUPPORTED,
                     name, "a set was written");
}

static void test_refusals(struct mb_gpu *gpu)
{
    struct spd_tree *tree = mb_library_tree(gpu, NULL);
    const struct spd_tree_device device = mb_spd_tree_device_of(&gpu->info);
    const struct spd_tree_job good = rgba8_info(tree, "").job;
    struct spd_tree_job bad[] = {good, good, good, good, good, good, good, good, good};
    static const char *const names[] = {
        "no such format",    "too many levels", "no layers",      "no levels", "depth of rgba8",
        "weighted extremes", "beyond an edge",  "before an edge", "no height",
    };
    VkImageCreateInfo info = {0};
    bad[0].format = VK_FORMAT_R8G8B8A8_SNORM;
    bad[1].n_levels = 9;
    bad[2].n_layers = 0;
    bad[3].n_levels = 0;
    bad[4].is_depth = true;
    bad[5].weighs_alpha = true;
    bad[5].reduction = SPD_TREE_MINIMUM;
    bad[6].changed = (VkRect2D){{131, 0}, {1, 1}};
    bad[7].changed = (VkRect2D){{-1, 0}, {2, 1}};
    bad[8].changed = (VkRect2D){{0, 0}, {1, 0}};
    for (unsigned i = 0; tree && i < MB_COUNTOF(bad); i++) {
        check_refused(tree, &device, &bad[i], names[i]);
    }
    CHECK(!spd_tree_image_info(&bad[0], &info));
    CHECK(spd_tree_image_info(&good, &info));
    spd_tree_destroy(tree);
}

/* ---- Threads */

#define N_THREADS 4u

struct request {
    struct spd_tree *tree;
    struct spd_tree_job job;
    VkResult result;
};

static void *prepare_main(void *arg)
{
    struct request *request = arg;
    request->result = spd_tree_prepare(request->tree, &request->job);
    return NULL;
}

/* Two threads for one job each, of two jobs. */
static void prepare_at_once(struct spd_tree *tree, const struct library_info *infos)
{
    struct request requests[N_THREADS];
    pthread_t threads[N_THREADS];
    bool are_started[N_THREADS];
    for (unsigned i = 0; i < N_THREADS; i++) {
        requests[i] = (struct request){tree, infos[i % 2].job, VK_NOT_READY};
        are_started[i] = pthread_create(&threads[i], NULL, prepare_main, &requests[i]) == 0;
        CHECK(are_started[i]);
    }
    for (unsigned i = 0; i < N_THREADS; i++) {
        if (are_started[i]) {
            pthread_join(threads[i], NULL);
            mb_library_check(requests[i].result == VK_SUCCESS, infos[i % 2].name,
                             "a thread's spd_tree_prepare failed");
        }
    }
}

static void test_threads(struct mb_gpu *gpu)
{
    for (unsigned round = 0; round < 3; round++) {
        struct spd_tree *tree = mb_library_tree(gpu, NULL);
        struct library_info infos[2] = {rgba8_info(tree, "threads"),
                                        rgba8_info(tree, "threads, another job")};
        infos[1].job.reduction = SPD_TREE_MAXIMUM;
        for (unsigned i = 0; tree && i < 2; i++) {
            if (i == 0) {
                prepare_at_once(tree, infos);
            }
            CHECK(spd_tree_pipeline(tree, &infos[i].job) != VK_NULL_HANDLE);
            mb_library_try(gpu, &infos[i]);
        }
        spd_tree_destroy(tree);
    }
}

/* ---- Allocators and caches */

/* What callbacks count; every block lies behind a header, aligned to its size. */
struct counts {
    pthread_mutex_t lock;
    unsigned n_made, n_freed;
    unsigned fail_nth; /* 0: none */
};

#define HEADER_BYTES 64u

struct header {
    void *block;
    size_t n_bytes;
};

static struct header *header_of(void *memory)
{
    return (struct header *)(void *)((char *)memory - HEADER_BYTES);
}

static VKAPI_ATTR void *VKAPI_CALL allocate(void *user, size_t n_bytes, size_t alignment,
                                            VkSystemAllocationScope scope)
{
    struct counts *counts = user;
    pthread_mutex_lock(&counts->lock);
    const bool is_failing = counts->fail_nth > 0 && --counts->fail_nth == 0;
    counts->n_made += !is_failing;
    pthread_mutex_unlock(&counts->lock);
    char *block = is_failing || alignment > HEADER_BYTES
                      ? NULL
                      : mb_malloc(n_bytes + (size_t)2 * HEADER_BYTES);
    if (!block) {
        return NULL;
    }
    char *memory = block + 2 * HEADER_BYTES - (uintptr_t)block % HEADER_BYTES;
    *header_of(memory) = (struct header){block, n_bytes};
    return memory;
}

static VKAPI_ATTR void VKAPI_CALL release(void *user, void *memory)
{
    struct counts *counts = user;
    if (memory) {
        pthread_mutex_lock(&counts->lock);
        counts->n_freed++;
        pthread_mutex_unlock(&counts->lock);
        mb_free(header_of(memory)->block);
    }
}

static VKAPI_ATTR void *VKAPI_CALL reallocate(void *user, void *memory, size_t n_bytes,
                                              size_t alignment, VkSystemAllocationScope scope)
{
    void *larger = n_bytes > 0 ? allocate(user, n_bytes, alignment, scope) : NULL;
    if (memory && larger) {
        const size_t n_old = header_of(memory)->n_bytes;
        memcpy(larger, memory, n_old < n_bytes ? n_old : n_bytes);
    }
    if (memory && (larger || n_bytes == 0)) {
        release(user, memory);
    }
    return larger;
}

static VkAllocationCallbacks callbacks_of(struct counts *counts)
{
    return (VkAllocationCallbacks){
        .pUserData = counts,
        .pfnAllocation = allocate,
        .pfnReallocation = reallocate,
        .pfnFree = release,
    };
}

static VkPipelineCache make_cache(const struct mb_gpu *gpu)
{
    const VkPipelineCacheCreateInfo info = {.sType =
                                                VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    CHECK_EQ_INT(vkCreatePipelineCache(gpu->device, &info, NULL, &cache), VK_SUCCESS);
    return cache;
}

/* What the stand-in for vkCreateComputePipelines was given. */
static struct {
    VkPipelineCache cache;
    unsigned n_made, n_elsewhere;
} spy;

static VKAPI_ATTR VkResult VKAPI_CALL create_spied(VkDevice device, VkPipelineCache cache,
                                                   uint32_t n,
                                                   const VkComputePipelineCreateInfo *infos,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkPipeline *pipelines)
{
    spy.n_made += n;
    spy.n_elsewhere += cache != spy.cache || !allocator || !allocator->pUserData;
    return REAL(vkCreateComputePipelines)(device, cache, n, infos, allocator, pipelines);
}

static void test_allocator(struct mb_gpu *gpu)
{
    struct counts counts = {.lock = PTHREAD_MUTEX_INITIALIZER};
    VkAllocationCallbacks callbacks = callbacks_of(&counts);
    const VkPipelineCache cache = make_cache(gpu);
    const struct spd_tree_create_info info = {
        .device = gpu->device,
        .limits = mb_spd_tree_device_of(&gpu->info),
        .allocator = &callbacks,
        .cache = cache,
    };
    struct spd_tree *tree = NULL;
    spy.cache = cache;
    STAND_IN(vkCreateComputePipelines, create_spied);
    CHECK_EQ_INT(spd_tree_create(&info, &tree), VK_SUCCESS);
    callbacks = (VkAllocationCallbacks){0}; /* the library has a copy */
    struct library_info chain = rgba8_info(tree, "allocator and cache");
    for (unsigned i = 0; tree && i < 2; i++) {
        chain.job.reduction = i ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE;
        mb_library_try(gpu, &chain);
        CHECK_EQ_INT(spd_tree_prepare(tree, &chain.job), VK_SUCCESS);
    }
    stand_ins_end();
    CHECK_EQ_INT(spy.n_made, 2);
    CHECK_EQ_INT(spy.n_elsewhere, 0);
    mb_library_check(counts.n_made > 0, chain.name, "nothing was allocated by the callbacks");
    spd_tree_destroy(tree);
    mb_library_check(counts.n_made == counts.n_freed, chain.name, "something was not freed");
    vkDestroyPipelineCache(gpu->device, cache, NULL);
    spd_tree_destroy(NULL);
}

/* Each allocation of creating a tree fails once. */
static void test_no_memory(struct mb_gpu *gpu)
{
    struct counts counts = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const VkAllocationCallbacks callbacks = callbacks_of(&counts);
    const struct spd_tree_create_info info = {
        .device = gpu->device,
        .limits = mb_spd_tree_device_of(&gpu->info),
        .allocator = &callbacks,
    };
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    unsigned nth = 1;
    for (; nth < 100 && result != VK_SUCCESS; nth++) {
        struct spd_tree *tree = NULL;
        counts.fail_nth = nth;
        result = spd_tree_create(&info, &tree);
        mb_library_check(result == VK_SUCCESS ||
                             (result == VK_ERROR_OUT_OF_HOST_MEMORY && !tree),
                         "no memory", "not reported");
        spd_tree_destroy(tree);
        mb_library_check(counts.n_made == counts.n_freed, "no memory", "something is left");
    }
    CHECK_EQ_INT(result, VK_SUCCESS);
    CHECK(nth > 2);
}

/* ---- Calls that fail and leave something undefined in the handle, as they may */

#define UNDEFINED UINT64_C(0xbadbadbadbadbad0)

static unsigned n_failing; /* 0: the next call fails */

#define FAILING(name, info_type, handle_type)                                                  \
    static VKAPI_ATTR VkResult VKAPI_CALL fail_##name(VkDevice device, const info_type *info,  \
                                                      const VkAllocationCallbacks *allocator,  \
                                                      handle_type *handle)                     \
    {                                                                                          \
        const VkResult result = n_failing-- == 0                                               \
                                    ? VK_ERROR_OUT_OF_DEVICE_MEMORY                            \
                                    : REAL(vkCreate##name)(device, info, allocator, handle);   \
        if (result != VK_SUCCESS) {                                                            \
            *handle = (handle_type)UNDEFINED;                                                  \
        }                                                                                      \
        return result;                                                                         \
    }

FAILING(DescriptorSetLayout, VkDescriptorSetLayoutCreateInfo, VkDescriptorSetLayout)
FAILING(PipelineLayout, VkPipelineLayoutCreateInfo, VkPipelineLayout)
FAILING(Sampler, VkSamplerCreateInfo, VkSampler)
FAILING(ShaderModule, VkShaderModuleCreateInfo, VkShaderModule)

static void test_failures(struct mb_gpu *gpu)
{
    const struct spd_tree_create_info info = {
        .device = gpu->device,
        .limits = mb_spd_tree_device_of(&gpu->info),
    };
    const struct spd_tree_job job = rgba8_info(NULL, "").job;
    STAND_IN(vkCreateDescriptorSetLayout, fail_DescriptorSetLayout);
    STAND_IN(vkCreatePipelineLayout, fail_PipelineLayout);
    STAND_IN(vkCreateSampler, fail_Sampler);
    STAND_IN(vkCreateShaderModule, fail_ShaderModule);
    for (unsigned i = 0; i < 4; i++) {
        struct spd_tree *tree = NULL;
        n_failing = i;
        VkResult result = spd_tree_create(&info, &tree);
        CHECK_EQ_INT(result, i < 3 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS);
        CHECK_EQ_INT(tree != NULL, i == 3);
        if (tree) {
            CHECK_EQ_INT(spd_tree_prepare(tree, &job), VK_ERROR_OUT_OF_DEVICE_MEMORY);
            CHECK(!spd_tree_pipeline(tree, &job));
            n_failing = 100;
            CHECK_EQ_INT(spd_tree_prepare(tree, &job), VK_SUCCESS);
        }
        spd_tree_destroy(tree);
    }
    stand_ins_end();
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_features, test_cores, test_least_device, test_not_ready,
                             test_prepare_all, test_refusals, test_threads, test_allocator,
                             test_no_memory, test_failures);
}
