/* Checks the needs of a variant against a device, an image and a task. */
#include "strategy/needs.h"

#include <string.h>

/* Samplers hit the middle of two texels on axes up to this size; an H200 misses it at 8191. */
#define MAX_FINE_SIZE 4096u

#define INTEL_LANES 16u /* with 32, each lane has too few registers */

bool mb_gpu_crashes_on_draws(const struct mb_gpu_info *info)
{
    return strcmp(info->driver_name, "llvmpipe") == 0 && strstr(info->name, "512 bits") != NULL;
}

static enum mb_status task_fits(const struct mb_needs *needs, const struct mb_layout *layout,
                                const struct mb_task *task, struct mb_err *why)
{
    const struct mb_extent base = layout->base;
    MB_FAIL_IF(needs->averages_only && task->reduce != MB_REDUCE_AVG, why, MB_ERRC_UNSUPPORTED,
               "supports averages only, not %s", mb_reduce_names[task->reduce]);
    MB_FAIL_IF(needs->straight_only &&
                   mb_weighs_alpha(task->reduce, task->alpha, layout->format),
               why, MB_ERRC_UNSUPPORTED, "cannot weight colour by alpha");
    MB_FAIL_IF(needs->whole_only && task->is_update, why, MB_ERRC_UNSUPPORTED,
               "supports whole chains only, not updates");
    MB_FAIL_IF(needs->max_width > 0 &&
                   (base.width > needs->max_width || base.height > needs->max_width),
               why, MB_ERRC_UNSUPPORTED, "%ux%u exceeds %ux%u, the largest supported size",
               base.width, base.height, needs->max_width, needs->max_width);
    return MB_OK;
}

const char *const mb_lanes_values[] = {"auto", "8", "16", "32", "64", NULL};
const char mb_lanes_help[] = "of a subgroup, where the device has several sizes; auto: the "
                             "driver's usual one, but 16 on "
                             "Intel, where 32 leave too few registers";

bool mb_has_lanes(const struct mb_gpu_info *info, uint32_t lanes)
{
    return lanes == info->subgroup_size ||
           (info->max_workgroup_subgroups > 0 && lanes >= info->min_subgroup_size &&
            lanes <= info->max_subgroup_size);
}

uint32_t mb_lanes_named(uint8_t choice)
{
    return choice == 0 ? 0 : 4u << choice;
}

uint32_t mb_lanes(const struct mb_gpu_info *info, uint32_t lanes)
{
    const bool is_intel = info->driver_id == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA ||
                          info->driver_id == VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS;
    const bool has_few_registers = is_intel && info->max_subgroup_size == 32;
    if (lanes > 0) {
        return lanes;
    }
    return has_few_registers && mb_has_lanes(info, INTEL_LANES) ? INTEL_LANES
                                                                : info->subgroup_size;
}

uint8_t mb_lanes_resolve(uint32_t lanes, uint8_t choice)
{
    for (uint8_t i = 1; mb_lanes_values[i] != NULL; i++) {
        choice = mb_lanes_named(i) == lanes ? i : choice;
    }
    return choice;
}

/* Check needs->lanes. A workgroup with too many subgroups cannot request their size. */
static enum mb_status can_have_lanes(const struct mb_needs *needs,
                                     const struct mb_gpu_info *info, struct mb_err *why)
{
    const uint32_t lanes = needs->lanes;
    MB_FAIL_IF(lanes > 0 && !mb_has_lanes(info, lanes), why, MB_ERRC_UNSUPPORTED,
               "lanes=%u: the device has subgroups of %u to %u%s", lanes,
               info->min_subgroup_size, info->max_subgroup_size,
               info->max_workgroup_subgroups > 0 ? "" : ", whose size cannot be chosen");
    MB_FAIL_IF(lanes > 0 && lanes != info->subgroup_size &&
                   needs->n_invocations > lanes * info->max_workgroup_subgroups,
               why, MB_ERRC_UNSUPPORTED,
               "lanes=%u: the device has at most %u such subgroups in a workgroup", lanes,
               info->max_workgroup_subgroups);
    return MB_OK;
}

static enum mb_status has_subgroups(const struct mb_needs *needs,
                                    const struct mb_gpu_info *info, struct mb_err *why)
{
    const VkSubgroupFeatureFlags lacking =
        needs->subgroup_operations & ~info->subgroup_operations;
    const char *other = needs->without_subgroups ? needs->without_subgroups : "";
    const char *hint = other[0] ? "; try " : "";
    for (unsigned i = 0; i < MB_N_SUBGROUP_OPERATIONS; i++) {
        MB_FAIL_IF(lacking & 1u << i, why, MB_ERRC_UNSUPPORTED,
                   "the device lacks subgroup %s in compute shaders%s%s",
                   mb_subgroup_operation_names[i], hint, other);
    }
    MB_FAIL_IF(needs->min_subgroup_size > 0 && !info->has_full_subgroups, why,
               MB_ERRC_UNSUPPORTED, "the device does not guarantee full subgroups%s%s", hint,
               other);
    const uint32_t lanes = mb_lanes(info, needs->lanes);
    MB_FAIL_IF(needs->min_subgroup_size > 0 &&
                   (lanes < needs->min_subgroup_size || lanes > needs->max_subgroup_size),
               why, MB_ERRC_UNSUPPORTED, "the device's subgroup size is %u; needs %u to %u%s%s",
               lanes, needs->min_subgroup_size, needs->max_subgroup_size, hint, other);
    return can_have_lanes(needs, info, why);
}

static enum mb_status can_draw(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               struct mb_err *why)
{
    const VkPhysicalDeviceLimits *limits = &gpu->info.limits;
    const struct mb_extent extent = mb_level_extent(layout->base, 1);
    MB_FAIL_IF(
        extent.width > limits->maxFramebufferWidth ||
            extent.height > limits->maxFramebufferHeight,
        why, MB_ERRC_UNSUPPORTED, "the device draws to at most %ux%u texels; level 1 has %ux%u",
        limits->maxFramebufferWidth, limits->maxFramebufferHeight, extent.width, extent.height);
    return mb_gpu_require_format(gpu, layout->format->vk_storage_format,
                                 VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, "drawing", why);
}

enum mb_status mb_sampler_supports(const struct mb_gpu *gpu, VkFormat format,
                                   enum mb_reduce reduce, struct mb_err *why)
{
    const bool is_extreme = reduce != MB_REDUCE_AVG;
    MB_FAIL_IF(is_extreme && !gpu->info.features.v12.samplerFilterMinmax, why,
               MB_ERRC_UNSUPPORTED, "the device's samplers lack %s (samplerFilterMinmax)",
               mb_reduce_names[reduce]);
    return mb_gpu_require_format(
        gpu, format,
        VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT |
            (is_extreme ? VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_MINMAX_BIT : 0),
        is_extreme ? "minimum and maximum filtering" : "linear filtering", why);
}

const char *const mb_load_values[] = {"auto", "sampler", "texel", NULL};
const char mb_load_help[] =
    "how 2x2 texels are read: sampler: by one filtered fetch; texel: by "
    "four; auto: sampler where it is exact";

static bool has_coarse_coordinates(uint32_t size)
{
    return size > MAX_FINE_SIZE && !mb_is_power_of_two(size);
}

static enum mb_status can_filter(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                 const struct mb_task *task, bool is_carried,
                                 struct mb_err *why)
{
    const struct mb_format *format = layout->format;
    const enum mb_reduce reduce = task->reduce;
    MB_FAIL_IF(mb_weighs_alpha(reduce, task->alpha, format), why, MB_ERRC_UNSUPPORTED,
               "samplers cannot weight colour by alpha; try load=texel");
    /* An H200 is off by up to 1.4 codes in dark colours, where codes are closest. */
    MB_FAIL_IF(format->codec == MB_CODEC_SRGB8 && reduce == MB_REDUCE_AVG, why,
               MB_ERRC_UNSUPPORTED,
               "samplers decode sRGB too coarsely to be exact; try load=texel");
    /* An H200's sums are off by half an ulp, which the next level adds to its own rounding. */
    MB_FAIL_IF(format->codec == MB_CODEC_SFLOAT16 && reduce == MB_REDUCE_AVG && is_carried, why,
               MB_ERRC_UNSUPPORTED,
               "samplers sum half floats too coarsely for the next level; try load=texel");
    /* On such axes an H200's weights are not 1/2: at 12289x7001 it is off by 0.75 codes. */
    MB_FAIL_IF(reduce == MB_REDUCE_AVG && (has_coarse_coordinates(layout->base.width) ||
                                           has_coarse_coordinates(layout->base.height)),
               why, MB_ERRC_UNSUPPORTED,
               "samplers place coordinates too coarsely on an axis above %u that is not a "
               "power of two; try load=texel",
               MAX_FINE_SIZE);
    return mb_sampler_supports(gpu, format->vk_storage_format, reduce, why) == MB_OK
               ? MB_OK
               : MB_FAIL(why, MB_ERRC_UNSUPPORTED, "%s; try load=texel", why->text);
}

enum mb_load mb_load_resolve(enum mb_load load, const struct mb_gpu *gpu,
                             const struct mb_layout *layout, const struct mb_task *task,
                             bool is_carried)
{
    struct mb_err ignored = {0};
    if (load == MB_LOAD_AUTO && layout->format->codec == MB_CODEC_SFLOAT32 &&
        task->reduce == MB_REDUCE_AVG) {
        return MB_LOAD_TEXEL; /* fixed-point weights cost tens of ulp */
    }
    return load != MB_LOAD_TEXEL && can_filter(gpu, layout, task, is_carried, &ignored) == MB_OK
               ? MB_LOAD_SAMPLER
               : MB_LOAD_TEXEL;
}

static enum mb_status device_fits(const struct mb_needs *needs, const struct mb_gpu *gpu,
                                  struct mb_err *why)
{
    const VkPhysicalDeviceLimits *limits = &gpu->info.limits;
    MB_DO(mb_features_require(&gpu->info.features, needs->features, why));
    MB_DO(has_subgroups(needs, &gpu->info, why));
    MB_DO(mb_gpu_require_workgroup(gpu, needs->n_invocations, why));
    MB_FAIL_IF(limits->maxPerStageDescriptorStorageImages < needs->n_storage_images, why,
               MB_ERRC_UNSUPPORTED, "needs %u storage images in a shader, the device has %u",
               needs->n_storage_images, limits->maxPerStageDescriptorStorageImages);
    MB_FAIL_IF(limits->maxComputeSharedMemorySize < needs->shared_bytes, why,
               MB_ERRC_UNSUPPORTED,
               "needs %u bytes of shared memory in a workgroup, the device has %u",
               needs->shared_bytes, limits->maxComputeSharedMemorySize);
    MB_FAIL_IF((needs->draws || needs->blits) && mb_gpu_crashes_on_draws(&gpu->info), why,
               MB_ERRC_UNSUPPORTED, "llvmpipe crashes on draws and blits with 512-bit vectors");
    return MB_OK;
}

enum mb_status mb_needs_met(const struct mb_needs *needs, const struct mb_gpu *gpu,
                            const struct mb_layout *layout, const struct mb_task *task,
                            struct mb_err *why)
{
    MB_DO(task_fits(needs, layout, task, why));
    MB_DO(device_fits(needs, gpu, why));
    if (needs->draws) {
        MB_DO(can_draw(gpu, layout, why));
    }
    if (needs->blits) {
        MB_DO(mb_gpu_require_format(gpu, layout->format->vk_format,
                                    VK_FORMAT_FEATURE_BLIT_SRC_BIT |
                                        VK_FORMAT_FEATURE_BLIT_DST_BIT |
                                        VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
                                    "linear blit", why));
    }
    if (needs->load == MB_LOAD_SAMPLER) {
        MB_DO(can_filter(gpu, layout, task, needs->is_carried, why));
    }
    return MB_OK;
}
