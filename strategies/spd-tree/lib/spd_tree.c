/* The Vulkan calls of spd-tree; see spd_tree.h. */
#include "spd_tree.h"

#include <stdlib.h>

#ifdef __cplusplus
#include <atomic>
typedef std::atomic<struct pipeline *> pipeline_list;
#else
#include <stdatomic.h>
typedef _Atomic(struct pipeline *) pipeline_list;
#endif

#ifndef SPD_TREE_VK
#define SPD_TREE_VK(name) name
#endif

#define N_SAMPLED   (SPD_TREE_MAX_LEVELS - 2u) /* levels that an update reads */
#define N_STORED    (SPD_TREE_MAX_LEVELS - 1u)
#define N_BINDINGS  5u
#define ALIGNMENT   256u /* the largest possible minStorageBufferOffsetAlignment */
#define VERSION_1_3 VK_MAKE_VERSION(1, 3, 0)

/* A pipeline in a list that only grows and so needs no lock. If two threads make the same
 * pipeline, the first one in the list is used. */
struct pipeline {
    struct pipeline *next;
    struct spd_tree_module module;
    uint32_t constants[SPD_TREE_N_CONSTANTS];
    VkPipeline handle;
};

struct spd_tree {
    struct spd_tree_create_info info;
    VkAllocationCallbacks allocator; /* a copy; info.allocator points to it */
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkSampler sampler;
    pipeline_list pipelines;
};

/* The descriptor bindings, as spd_tree_plan.h lists them. */
static const struct {
    VkDescriptorType type;
    uint32_t n;
} bindings[N_BINDINGS] = {
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
    {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, N_STORED},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
    {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
    {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, N_SAMPLED},
};

/* ---- Formats and jobs */

struct format {
    VkFormat format;
    struct spd_tree_format numbers;
};

static const struct format formats[] = {
    {VK_FORMAT_R8_UNORM, {SPD_TREE_UNORM8, 1}},
    {VK_FORMAT_R8G8_UNORM, {SPD_TREE_UNORM8, 2}},
    {VK_FORMAT_R8G8B8A8_UNORM, {SPD_TREE_UNORM8, 4}},
    {VK_FORMAT_B8G8R8A8_UNORM, {SPD_TREE_UNORM8, 4}},
    {VK_FORMAT_R8G8B8A8_SRGB, {SPD_TREE_SRGB8, 4}},
    {VK_FORMAT_B8G8R8A8_SRGB, {SPD_TREE_SRGB8, 4}},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, {SPD_TREE_UNORM10_2, 4}},
    {VK_FORMAT_A2R10G10B10_UNORM_PACK32, {SPD_TREE_UNORM10_2, 4}},
    {VK_FORMAT_R16_SFLOAT, {SPD_TREE_FLOAT16, 1}},
    {VK_FORMAT_R16G16_SFLOAT, {SPD_TREE_FLOAT16, 2}},
    {VK_FORMAT_R16G16B16A16_SFLOAT, {SPD_TREE_FLOAT16, 4}},
    {VK_FORMAT_R32_SFLOAT, {SPD_TREE_FLOAT32, 1}},
    {VK_FORMAT_R32G32_SFLOAT, {SPD_TREE_FLOAT32, 2}},
    {VK_FORMAT_R32G32B32A32_SFLOAT, {SPD_TREE_FLOAT32, 4}},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, {SPD_TREE_FLOAT11_10, 3}},
};

static const struct format *format_of(VkFormat format)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (formats[i].format == format) {
            return &formats[i];
        }
    }
    return NULL;
}

/* The format of the levels' views: for sRGB images, words. */
static VkFormat view_format(const struct spd_tree_job *job)
{
    const struct format *format = format_of(job->format);
    const enum spd_tree_view view =
        format ? spd_tree_view_of(format->numbers, job->is_depth) : SPD_TREE_VIEW_OF_FORMAT;
    return view == SPD_TREE_VIEW_R32      ? VK_FORMAT_R32_UINT
           : view == SPD_TREE_VIEW_R32G32 ? VK_FORMAT_R32G32_UINT
           : format                       ? job->format
                                          : VK_FORMAT_UNDEFINED;
}

const char *spd_tree_plan_job(const struct spd_tree_device *device,
                              const struct spd_tree_job *job, struct spd_tree_plan *plan)
{
    const struct format *format = format_of(job->format);
    struct spd_tree_image image;
    memset(plan, 0, sizeof *plan);
    if (!format) {
        return "the format is none that spd-tree makes levels of";
    }
    if (device->max_shared_bytes == 0) {
        return "the limits are zero; spd_tree_get_features() reads them";
    }
    if (job->n_levels == 1) {
        return NULL;
    }
    if (job->changed.offset.x < 0 || job->changed.offset.y < 0) {
        return "the changed rectangle is not within the image";
    }
    memset(&image, 0, sizeof image);
    image.width = job->width;
    image.height = job->height;
    image.n_layers = job->n_layers;
    image.n_levels = job->n_levels;
    image.format = format->numbers;
    image.reduction = job->reduction;
    image.weighs_alpha = job->weighs_alpha;
    image.is_depth = job->is_depth;
    image.changed.x = (uint32_t)job->changed.offset.x;
    image.changed.y = (uint32_t)job->changed.offset.y;
    image.changed.width = job->changed.extent.width;
    image.changed.height = job->changed.extent.height;
    return spd_tree_make_plan(device, &image, job->options, plan);
}

bool spd_tree_image_info(const struct spd_tree_job *job, VkImageCreateInfo *info)
{
    const VkFormat view = view_format(job);
    const uint32_t first = job->is_depth ? 1 : 0; /* level 0 belongs to another image */
    if (view == VK_FORMAT_UNDEFINED) {
        return false;
    }
    info->sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
    info->flags |= view != job->format
                       ? (VkImageCreateFlags)VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                             VK_IMAGE_CREATE_EXTENDED_USAGE_BIT
                       : 0;
    info->imageType = VK_IMAGE_TYPE_2D;
    info->format = job->format;
    info->extent.width = spd_tree_size_of_level(job->width, first);
    info->extent.height = spd_tree_size_of_level(job->height, first);
    info->extent.depth = 1;
    info->mipLevels = job->n_levels > first ? job->n_levels - first : 1;
    info->arrayLayers = job->n_layers;
    info->samples = VK_SAMPLE_COUNT_1_BIT;
    info->usage |= VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
    return true;
}

void spd_tree_view_info(const struct spd_tree_job *job, VkImage image, uint32_t level,
                        uint32_t first_layer, VkImageViewCreateInfo *info)
{
    memset(info, 0, sizeof *info);
    info->sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    info->image = image;
    info->viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    info->format = view_format(job);
    info->subresourceRange.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    info->subresourceRange.baseMipLevel = level;
    info->subresourceRange.levelCount = 1;
    info->subresourceRange.baseArrayLayer = first_layer;
    info->subresourceRange.layerCount = job->n_layers;
}

/* ---- What a device offers */

/* VkPhysicalDeviceShaderCoreBuiltinsPropertiesARM, which headers before 1.3.228 lack. */
struct arm_cores {
    VkStructureType sType;
    void *pNext;
    uint64_t mask;
    uint32_t n_cores, n_warps;
};
#define STRUCTURE_TYPE_ARM_CORES ((VkStructureType)1000497001)

/* The properties and features that spd_tree_get_features() queries. */
struct facts {
    VkPhysicalDeviceProperties2 core;
    VkPhysicalDeviceVulkan11Properties v11;
    VkPhysicalDeviceDriverProperties driver;
    VkPhysicalDeviceSubgroupSizeControlPropertiesEXT size;
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nv_cores;
    VkPhysicalDeviceShaderCorePropertiesAMD amd_cores;
    struct arm_cores arm_cores;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT size_control;
    bool has_size_control; /* of the extension */
};

/* Chains the structures of extension `name`, which the device has. */
static void chain_extension(const char *name, struct facts *f)
{
    if (strcmp(name, VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME) == 0) {
        f->has_size_control = true;
    } else if (strcmp(name, VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME) == 0) {
        f->nv_cores.pNext = f->core.pNext;
        f->core.pNext = &f->nv_cores;
    } else if (strcmp(name, VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME) == 0) {
        f->amd_cores.pNext = f->core.pNext;
        f->core.pNext = &f->amd_cores;
    } else if (strcmp(name, "VK_ARM_shader_core_builtins") == 0) {
        f->arm_cores.pNext = f->core.pNext;
        f->core.pNext = &f->arm_cores;
    }
}

static void chain_extensions(VkPhysicalDevice physical, struct facts *f)
{
    uint32_t n = 0;
    VkExtensionProperties *all = NULL;
    if (SPD_TREE_VK(vkEnumerateDeviceExtensionProperties)(physical, NULL, &n, NULL) >= 0) {
        all = (VkExtensionProperties *)calloc(n + 1, sizeof *all);
    }
    if (!all ||
        SPD_TREE_VK(vkEnumerateDeviceExtensionProperties)(physical, NULL, &n, all) < 0) {
        n = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        chain_extension(all[i].extensionName, f);
    }
    free(all);
}

static void read_facts(VkPhysicalDevice physical, bool is_1_3, struct facts *f)
{
    memset(f, 0, sizeof *f);
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    f->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    f->driver.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES;
    f->size.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES_EXT;
    f->nv_cores.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV;
    f->amd_cores.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD;
    f->arm_cores.sType = STRUCTURE_TYPE_ARM_CORES;
    f->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    f->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    f->size_control.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES_EXT;
    f->core.pNext = &f->v11;
    f->v11.pNext = &f->driver;
    f->features.pNext = &f->v12;
    chain_extensions(physical, f);
    if (f->has_size_control || is_1_3) {
        f->driver.pNext = &f->size;
        f->v12.pNext = &f->size_control;
    }
    SPD_TREE_VK(vkGetPhysicalDeviceProperties2)(physical, &f->core);
    SPD_TREE_VK(vkGetPhysicalDeviceFeatures2)(physical, &f->features);
}

static void set_device(const struct facts *f, struct spd_tree_device *device)
{
    const VkPhysicalDeviceLimits *limits = &f->core.properties.limits;
    device->is_cpu = f->core.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
    device->is_intel = f->driver.driverID == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA ||
                       f->driver.driverID == VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS;
    device->has_shuffles =
        (f->v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
        (f->v11.subgroupSupportedOperations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT);
    device->has_full_subgroups = f->size_control.computeFullSubgroups;
    device->has_int64_atomics =
        f->features.features.shaderInt64 && f->v12.shaderBufferInt64Atomics;
    device->subgroup_size = f->v11.subgroupSize;
    device->min_subgroup_size = f->size.minSubgroupSize;
    device->max_subgroup_size = f->size.maxSubgroupSize;
    device->max_workgroup_subgroups =
        f->size_control.subgroupSizeControl &&
                (f->size.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT)
            ? f->size.maxComputeWorkgroupSubgroups
            : 0;
    device->n_cores = f->nv_cores.shaderSMCount +
                      f->amd_cores.shaderEngineCount * f->amd_cores.shaderArraysPerEngineCount *
                          f->amd_cores.computeUnitsPerShaderArray +
                      f->arm_cores.n_cores;
    device->max_shared_bytes = limits->maxComputeSharedMemorySize;
    device->max_buffer_bytes = limits->maxStorageBufferRange;
}

static const char *why_no_device(const struct facts *f)
{
    const VkPhysicalDeviceLimits *limits = &f->core.properties.limits;
    return !f->v12.vulkanMemoryModel || !f->v12.vulkanMemoryModelDeviceScope
               ? "the device lacks vulkanMemoryModel or vulkanMemoryModelDeviceScope"
           : !f->features.features.shaderStorageImageWriteWithoutFormat
               ? "the device lacks shaderStorageImageWriteWithoutFormat"
           : limits->maxPerStageDescriptorStorageImages < N_STORED
               ? "the device has fewer than 15 storage images a stage"
           : limits->maxComputeWorkGroupInvocations < SPD_TREE_N_INVOCATIONS ||
                   limits->maxComputeWorkGroupSize[0] < SPD_TREE_N_INVOCATIONS
               ? "the device has workgroups of fewer than 256 invocations"
               : NULL;
}

void spd_tree_get_features(VkPhysicalDevice physical, struct spd_tree_features *features)
{
    VkPhysicalDeviceProperties properties;
    struct facts f;
    memset(features, 0, sizeof *features);
    SPD_TREE_VK(vkGetPhysicalDeviceProperties)(physical, &properties);
    if (properties.apiVersion < VK_MAKE_VERSION(1, 2, 0)) {
        features->why_not = "the device is older than Vulkan 1.2";
        return;
    }
    read_facts(physical, properties.apiVersion >= VERSION_1_3, &f);
    features->why_not = why_no_device(&f);
    set_device(&f, &features->device);
    features->core.shaderStorageImageWriteWithoutFormat =
        f.features.features.shaderStorageImageWriteWithoutFormat;
    features->core.shaderInt64 = features->device.has_int64_atomics;
    features->v12.sType = f.v12.sType;
    features->v12.vulkanMemoryModel = f.v12.vulkanMemoryModel;
    features->v12.vulkanMemoryModelDeviceScope = f.v12.vulkanMemoryModelDeviceScope;
    features->v12.shaderBufferInt64Atomics = features->device.has_int64_atomics;
    features->has_size_control = features->device.has_full_subgroups;
    features->size_control.sType = f.size_control.sType;
    features->size_control.subgroupSizeControl = f.size_control.subgroupSizeControl;
    features->size_control.computeFullSubgroups = f.size_control.computeFullSubgroups;
    features->extension = features->has_size_control && f.has_size_control
                              ? VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME
                              : NULL;
}

/* ---- Objects: if a call fails, its handle is undefined, so the handle is cleared */

static VkResult create_set_layout(struct spd_tree *tree)
{
    const VkShaderStageFlags stage = VK_SHADER_STAGE_COMPUTE_BIT;
    VkDescriptorSetLayoutBinding layouts[N_BINDINGS];
    for (uint32_t i = 0; i < N_BINDINGS; i++) {
        const VkDescriptorSetLayoutBinding layout = {i, bindings[i].type, bindings[i].n, stage,
                                                     NULL};
        layouts[i] = layout;
    }
    const VkDescriptorSetLayoutCreateInfo info = {
        VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, NULL,
        tree->info.push_descriptor_set
            ? (VkDescriptorSetLayoutCreateFlags)
                  VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR
            : 0,
        N_BINDINGS, layouts};
    const VkResult result = SPD_TREE_VK(vkCreateDescriptorSetLayout)(
        tree->info.device, &info, tree->info.allocator, &tree->set_layout);
    tree->set_layout = result == VK_SUCCESS ? tree->set_layout : VK_NULL_HANDLE;
    return result;
}

static VkResult create_layout(struct spd_tree *tree)
{
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                      sizeof(struct spd_tree_push)};
    const VkPipelineLayoutCreateInfo info = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, NULL, 0, 1, &tree->set_layout, 1, &push};
    const VkResult result = SPD_TREE_VK(vkCreatePipelineLayout)(
        tree->info.device, &info, tree->info.allocator, &tree->layout);
    tree->layout = result == VK_SUCCESS ? tree->layout : VK_NULL_HANDLE;
    return result;
}

/* The sampler returns the nearest texel and clamps to the edge. */
static VkResult create_sampler(struct spd_tree *tree)
{
    VkSamplerCreateInfo info;
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
    info.addressModeU = info.addressModeV = info.addressModeW =
        VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    const VkResult result = SPD_TREE_VK(vkCreateSampler)(tree->info.device, &info,
                                                         tree->info.allocator, &tree->sampler);
    tree->sampler = result == VK_SUCCESS ? tree->sampler : VK_NULL_HANDLE;
    return result;
}

VkResult spd_tree_create(const struct spd_tree_create_info *info, struct spd_tree **tree)
{
    *tree = (struct spd_tree *)calloc(1, sizeof **tree);
    if (!*tree) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    (*tree)->info = *info;
    if (info->allocator) {
        (*tree)->allocator = *info->allocator;
        (*tree)->info.allocator = &(*tree)->allocator;
    }
    VkResult result = create_set_layout(*tree);
    result = result == VK_SUCCESS ? create_layout(*tree) : result;
    result = result == VK_SUCCESS ? create_sampler(*tree) : result;
    if (result != VK_SUCCESS) {
        spd_tree_destroy(*tree);
        *tree = NULL;
    }
    return result;
}

void spd_tree_destroy(struct spd_tree *tree)
{
    struct pipeline *next = NULL;
    if (!tree) {
        return;
    }
    for (struct pipeline *p = atomic_load(&tree->pipelines); p; p = next) {
        next = p->next;
        SPD_TREE_VK(vkDestroyPipeline)(tree->info.device, p->handle, tree->info.allocator);
        free(p);
    }
    SPD_TREE_VK(vkDestroySampler)(tree->info.device, tree->sampler, tree->info.allocator);
    SPD_TREE_VK(vkDestroyPipelineLayout)(tree->info.device, tree->layout, tree->info.allocator);
    SPD_TREE_VK(vkDestroyDescriptorSetLayout)
    (tree->info.device, tree->set_layout, tree->info.allocator);
    free(tree);
}

VkDescriptorSetLayout spd_tree_set_layout(const struct spd_tree *tree)
{
    return tree->set_layout;
}

/* ---- Pipelines */

static struct pipeline *find_pipeline(struct spd_tree *tree, const struct spd_tree_plan *plan)
{
    struct pipeline *p = atomic_load(&tree->pipelines);
    for (; p; p = p->next) {
        bool is_same = memcmp(&p->module, &plan->module, sizeof p->module) == 0;
        for (uint32_t i = 0; is_same && i < SPD_TREE_N_CONSTANTS; i++) {
            is_same = p->constants[i] == plan->constants[i].value;
        }
        if (is_same) {
            break;
        }
    }
    return p;
}

static VkResult create_pipeline(const struct spd_tree *tree, const struct spd_tree_plan *plan,
                                VkShaderModule module, struct pipeline *p)
{
    VkSpecializationMapEntry entries[SPD_TREE_N_CONSTANTS];
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        p->constants[i] = plan->constants[i].value;
        entries[i].constantID = plan->constants[i].id;
        entries[i].offset = i * (uint32_t)sizeof p->constants[0];
        entries[i].size = sizeof p->constants[0];
    }
    const VkSpecializationInfo constants = {SPD_TREE_N_CONSTANTS, entries, sizeof p->constants,
                                            p->constants};
    const VkPipelineShaderStageRequiredSubgroupSizeCreateInfoEXT lanes = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT, NULL,
        plan->subgroup_size};
    VkComputePipelineCreateInfo info;
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.flags = tree->info.pipeline_flags;
    info.layout = tree->layout;
    info.basePipelineIndex = -1;
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &constants;
    if (plan->module.has_subgroups) {
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT_EXT;
        info.stage.pNext = plan->requires_size ? &lanes : NULL;
    }
    return SPD_TREE_VK(vkCreateComputePipelines)(tree->info.device, tree->info.cache, 1, &info,
                                                 tree->info.allocator, &p->handle);
}

static VkResult add_pipeline(struct spd_tree *tree, const struct spd_tree_plan *plan,
                             const struct spd_tree_code *code)
{
    const VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, NULL, 0,
                                           code->n_bytes, code->words};
    VkShaderModule module = VK_NULL_HANDLE;
    struct pipeline *p = (struct pipeline *)calloc(1, sizeof *p);
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (p) {
        p->module = plan->module;
        result = SPD_TREE_VK(vkCreateShaderModule)(tree->info.device, &info,
                                                   tree->info.allocator, &module);
    }
    if (result == VK_SUCCESS) {
        result = create_pipeline(tree, plan, module, p);
        SPD_TREE_VK(vkDestroyShaderModule)(tree->info.device, module, tree->info.allocator);
    }
    if (result != VK_SUCCESS) {
        free(p);
        return result;
    }
    p->next = atomic_load(&tree->pipelines);
    while (!atomic_compare_exchange_weak(&tree->pipelines, &p->next, p)) {
    }
    return VK_SUCCESS;
}

VkResult spd_tree_prepare(struct spd_tree *tree, const struct spd_tree_job *job)
{
    struct spd_tree_plan plan;
    struct spd_tree_code code;
    const char *why = spd_tree_plan_job(&tree->info.limits, job, &plan);
    if (!why && job->n_levels == 1) {
        return VK_SUCCESS;
    }
    if (why || !spd_tree_code_of(&plan.module, &code)) {
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    return find_pipeline(tree, &plan) ? VK_SUCCESS : add_pipeline(tree, &plan, &code);
}

VkResult spd_tree_prepare_all(struct spd_tree *tree, const struct spd_tree_job *job)
{
    struct spd_tree_job sized = *job;
    const uint32_t n_changed = job->changed.extent.width > 0 ? 1 : 0;
    VkResult result = VK_SUCCESS;
    memset(&sized.changed, 0, sizeof sized.changed);
    sized.changed.extent.width = sized.changed.extent.height = n_changed;
    sized.options = NULL;
    sized.n_layers = 1;
    for (uint32_t i = 0; i < SPD_TREE_N_SIZES && result == VK_SUCCESS; i++) {
        sized.width = sized.height = spd_tree_typical_size(i);
        sized.n_levels = spd_tree_level_count(sized.width, sized.height);
        result = spd_tree_prepare(tree, &sized);
    }
    return result;
}

VkPipeline spd_tree_pipeline(struct spd_tree *tree, const struct spd_tree_job *job)
{
    struct spd_tree_plan plan;
    const struct pipeline *p =
        spd_tree_plan_job(&tree->info.limits, job, &plan) ? NULL : find_pipeline(tree, &plan);
    return p ? p->handle : VK_NULL_HANDLE;
}

/* ---- A dispatch */

/* The offset of the counters in the scratch buffer. */
static uint64_t counter_offset(const struct spd_tree_plan *plan)
{
    return (plan->hand_off_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

uint64_t spd_tree_scratch_bytes(const struct spd_tree *tree, const struct spd_tree_job *job)
{
    struct spd_tree_plan plan;
    return job->n_levels == 1 || spd_tree_plan_job(&tree->info.limits, job, &plan)
               ? 0
               : counter_offset(&plan) +
                     (plan.counter_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Descriptor writes, and the structures that they point to. */
struct written {
    VkDescriptorImageInfo source, stored[N_STORED], sampled[N_SAMPLED];
    VkDescriptorBufferInfo hand_off, counters;
    VkWriteDescriptorSet writes[N_BINDINGS];
};

static void fill_writes(const struct spd_tree *tree, const struct spd_tree_job *job,
                        const struct spd_tree_plan *plan, const struct spd_tree_resources *r,
                        struct written *w)
{
    const VkDescriptorImageInfo *images[] = {&w->source, w->stored, NULL, NULL, w->sampled};
    const VkDescriptorBufferInfo *buffers[] = {NULL, NULL, &w->hand_off, &w->counters, NULL};
    memset(w, 0, sizeof *w);
    w->source.sampler = tree->sampler;
    w->source.imageView = r->source;
    w->source.imageLayout = r->source_layout;
    for (uint32_t i = 0; i < N_STORED; i++) {
        w->stored[i].imageView = r->levels[i + 1 < job->n_levels ? i : job->n_levels - 2];
        w->stored[i].imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    for (uint32_t i = 0; i < N_SAMPLED; i++) {
        w->sampled[i] = w->stored[i];
        w->sampled[i].sampler = tree->sampler;
    }
    w->hand_off.buffer = w->counters.buffer = r->scratch;
    w->hand_off.offset = r->scratch_offset;
    w->hand_off.range = plan->hand_off_bytes;
    w->counters.offset = r->scratch_offset + counter_offset(plan);
    w->counters.range = plan->counter_bytes;
    for (uint32_t i = 0; i < N_BINDINGS; i++) {
        w->writes[i].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        w->writes[i].dstSet = r->set;
        w->writes[i].dstBinding = i;
        w->writes[i].descriptorCount = bindings[i].n;
        w->writes[i].descriptorType = bindings[i].type;
        w->writes[i].pImageInfo = images[i];
        w->writes[i].pBufferInfo = buffers[i];
    }
}

VkResult spd_tree_write_set(struct spd_tree *tree, const struct spd_tree_job *job,
                            const struct spd_tree_resources *resources)
{
    struct spd_tree_plan plan;
    struct written w;
    if (spd_tree_plan_job(&tree->info.limits, job, &plan)) {
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    if (job->n_levels > 1) {
        fill_writes(tree, job, &plan, resources, &w);
        SPD_TREE_VK(vkUpdateDescriptorSets)
        (tree->info.device, N_BINDINGS, w.writes, 0, NULL);
    }
    return VK_SUCCESS;
}

VkResult spd_tree_record(struct spd_tree *tree, VkCommandBuffer cmd,
                         const struct spd_tree_job *job,
                         const struct spd_tree_resources *resources)
{
    const VkPipelineBindPoint compute = VK_PIPELINE_BIND_POINT_COMPUTE;
    struct spd_tree_plan plan;
    struct written w;
    if (spd_tree_plan_job(&tree->info.limits, job, &plan)) {
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    }
    if (job->n_levels == 1) {
        return VK_SUCCESS;
    }
    const struct pipeline *p = find_pipeline(tree, &plan);
    if (!p) {
        return VK_NOT_READY;
    }
    SPD_TREE_VK(vkCmdBindPipeline)(cmd, compute, p->handle);
    if (tree->info.push_descriptor_set) {
        fill_writes(tree, job, &plan, resources, &w);
        tree->info.push_descriptor_set(cmd, compute, tree->layout, 0, N_BINDINGS, w.writes);
    } else {
        SPD_TREE_VK(vkCmdBindDescriptorSets)
        (cmd, compute, tree->layout, 0, 1, &resources->set, 0, NULL);
    }
    SPD_TREE_VK(vkCmdPushConstants)
    (cmd, tree->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof plan.push, &plan.push);
    SPD_TREE_VK(vkCmdDispatch)(cmd, plan.n_groups[0], plan.n_groups[1], plan.n_groups[2]);
    return VK_SUCCESS;
}
