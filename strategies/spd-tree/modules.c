#include "modules.h"

#include <stdlib.h>
#include <string.h>

struct spd_tree_device mb_spd_tree_device_of(const struct mb_gpu_info *info)
{
    const struct mb_features *features = &info->features;
    return (struct spd_tree_device){
        .is_cpu = mb_gpu_is_cpu(info),
        .is_intel = info->driver_id == VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA ||
                    info->driver_id == VK_DRIVER_ID_INTEL_PROPRIETARY_WINDOWS,
        .has_shuffles = (info->subgroup_operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0,
        .has_full_subgroups = info->has_full_subgroups,
        .has_int64_atomics =
            features->core.features.shaderInt64 && features->v12.shaderBufferInt64Atomics,
        .subgroup_size = info->subgroup_size,
        .min_subgroup_size = info->min_subgroup_size,
        .max_subgroup_size = info->max_subgroup_size,
        .max_workgroup_subgroups = info->max_workgroup_subgroups,
        .n_cores = info->n_cores,
        .max_shared_bytes = info->limits.maxComputeSharedMemorySize,
        .max_buffer_bytes = info->limits.maxStorageBufferRange,
    };
}

struct spd_tree_job mb_spd_tree_job_of(const struct mb_layout *layout,
                                       const struct mb_task *task)
{
    struct spd_tree_job job = {
        .width = layout->base.width,
        .height = layout->base.height,
        .n_levels = layout->n_levels,
        .n_layers = layout->n_layers,
        .format = layout->format->vk_format,
        .reduction = (enum spd_tree_reduction)task->reduce, /* in the same order */
        .weighs_alpha = mb_weighs_alpha(task->reduce, task->alpha, layout->format),
    };
    if (task->is_update) {
        job.changed = (VkRect2D){{(int32_t)task->rect.x, (int32_t)task->rect.y},
                                 {task->rect.width, task->rect.height}};
    }
    return job;
}

/* The number that follows `name` in the flags; 0 if they do not contain `name`. */
static uint8_t number_of(const char *flags, const char *name)
{
    const char *at = strstr(flags, name);
    return at ? (uint8_t)strtoul(at + strlen(name), NULL, 10) : 0;
}

bool mb_spd_tree_module_of(const struct mb_shader *shader, struct spd_tree_module *module)
{
    const char *flags = shader->flags;
    *module = (struct spd_tree_module){
        .n_channels = number_of(flags, "-DCHANNELS="),
        .raw_words = number_of(flags, "-DRAW="),
        .weighs_alpha = strstr(flags, "-DALPHA") != NULL,
        .has_subgroups = strstr(flags, "-DSUBGROUPS") != NULL,
        .has_slots = strstr(flags, "-DSLOTS") != NULL,
        .is_update = strstr(flags, "-DUPDATES") != NULL,
        .has_sums = strstr(flags, "-DSUMS") != NULL,
        .is_even = strstr(flags, "-DEVEN") != NULL,
        .is_extreme = strstr(flags, "-DEXTREME") != NULL,
    };
    return strncmp(shader->name, "spd-tree/", strlen("spd-tree/")) == 0;
}

const struct mb_shader *mb_spd_tree_shader_of(const struct spd_tree_module *module)
{
    struct spd_tree_module other;
    const struct mb_shader *const *shader = mb_shaders;
    while (*shader && (!mb_spd_tree_module_of(*shader, &other) ||
                       memcmp(module, &other, sizeof other) != 0)) {
        shader++;
    }
    return *shader;
}

bool spd_tree_code_of(const struct spd_tree_module *module, struct spd_tree_code *code)
{
    const struct mb_shader *shader = mb_spd_tree_shader_of(module);
    if (shader) {
        *code = (struct spd_tree_code){shader->code, shader->code_bytes};
    }
    return shader != NULL;
}
