/* shaders.txt is the one list of modules: what they are is read from the flags it has for each.
 */
#include "modules.h"

#include <stdlib.h>
#include <string.h>

struct spd_tree_format mb_spd_tree_format_of(const struct mb_format *format)
{
    static const enum spd_tree_codec codecs[] = {
        [MB_CODEC_UNORM8] = SPD_TREE_UNORM8,       [MB_CODEC_SRGB8] = SPD_TREE_SRGB8,
        [MB_CODEC_UNORM10_2] = SPD_TREE_UNORM10_2, [MB_CODEC_SFLOAT16] = SPD_TREE_FLOAT16,
        [MB_CODEC_SFLOAT32] = SPD_TREE_FLOAT32,    [MB_CODEC_UFLOAT11_10] = SPD_TREE_FLOAT11_10,
    };
    return (struct spd_tree_format){codecs[format->codec], format->n_channels};
}

enum spd_tree_reduction mb_spd_tree_reduction_of(enum mb_reduce reduce)
{
    static const enum spd_tree_reduction reductions[] = {
        [MB_REDUCE_AVG] = SPD_TREE_AVERAGE,
        [MB_REDUCE_MIN] = SPD_TREE_MINIMUM,
        [MB_REDUCE_MAX] = SPD_TREE_MAXIMUM,
    };
    return reductions[reduce];
}

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
        .max_shared_bytes = info->max_shared_memory_bytes,
        .max_buffer_bytes = info->max_storage_buffer_bytes,
    };
}

/* The value of -DNAME=VALUE, 1 of -DNAME, 0 without. */
static uint8_t value_of(const char *flags, const char *name)
{
    const size_t n_bytes = strlen(name);
    for (const char *at = flags; (at = strstr(at, "-D")) != NULL;) {
        at += 2;
        if (strncmp(at, name, n_bytes) == 0 && strchr("= ", at[n_bytes])) {
            return at[n_bytes] == '=' ? (uint8_t)strtoul(at + n_bytes + 1, NULL, 10) : 1;
        }
    }
    return 0;
}

bool mb_spd_tree_module_of(const struct mb_shader *shader, struct spd_tree_module *module)
{
    *module = (struct spd_tree_module){
        .n_channels = value_of(shader->flags, "CHANNELS"),
        .raw_words = value_of(shader->flags, "RAW"),
        .weighs_alpha = value_of(shader->flags, "ALPHA"),
        .has_subgroups = value_of(shader->flags, "SUBGROUPS"),
        .has_slots = value_of(shader->flags, "SLOTS"),
        .is_update = value_of(shader->flags, "UPDATES"),
        .has_sums = value_of(shader->flags, "SUMS"),
        .is_even = value_of(shader->flags, "EVEN"),
        .is_extreme = value_of(shader->flags, "EXTREME"),
    };
    return strncmp(shader->name, "spd-tree/", strlen("spd-tree/")) == 0;
}

const struct mb_shader *mb_spd_tree_shader_of(const struct spd_tree_module *module)
{
    struct spd_tree_module other;
    for (const struct mb_shader *const *shader = mb_shaders; *shader; shader++) {
        if (mb_spd_tree_module_of(*shader, &other) &&
            memcmp(module, &other, sizeof other) == 0) {
            return *shader;
        }
    }
    return NULL;
}

bool spd_tree_code_of(const struct spd_tree_module *module, struct spd_tree_code *code)
{
    const struct mb_shader *shader = mb_spd_tree_shader_of(module);
    if (shader) {
        *code = (struct spd_tree_code){shader->code, shader->code_bytes};
    }
    return shader != NULL;
}
