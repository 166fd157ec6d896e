/* What strategies may refuse. */
#include "refusals.h"

#include <string.h>

#include "strategy/needs.h"

#define SPD_MAX_SIZE 4096u

/* What a variant of spd may refuse: halves for what they do not hold, what an image has not. */
static bool may_refuse_variant(const char *label, const struct mb_layout *layout,
                               const struct mb_task *task)
{
    const struct mb_format *format = layout->format;
    const bool is_half = strstr(label, "fp16=on") != NULL || strstr(label, "packed") != NULL;
    const bool is_held = mb_format_is_unorm(format) && mb_format_max_code(format, 0) <= 255.0;
    return (is_half && !is_held) ||
           (strstr(label, "fp16=on") != NULL &&
            mb_weighs_alpha(task->reduce, task->alpha, format)) ||
           (strstr(label, "slices=each") != NULL && layout->n_layers == 1) ||
           (strstr(label, "srgb=sqrt") != NULL && format->codec != MB_CODEC_SRGB8);
}

bool mb_test_may_refuse(const struct mb_gpu *gpu, const struct mb_variant *row,
                        const struct mb_layout *layout, const struct mb_task *task)
{
    char label[MB_LABEL_BYTES];
    const char *name = row->strategy->name;
    mb_variant_label(row, label, sizeof label);
    if (strcmp(name, "blit") == 0) {
        struct mb_err why;
        const bool has_blit =
            mb_gpu_require_format(gpu, layout->format->vk_format,
                                  VK_FORMAT_FEATURE_BLIT_SRC_BIT |
                                      VK_FORMAT_FEATURE_BLIT_DST_BIT |
                                      VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT,
                                  "linear blit", &why) == MB_OK;
        return task->reduce != MB_REDUCE_AVG || mb_gpu_crashes_on_draws(&gpu->info) ||
               !has_blit || mb_weighs_alpha(task->reduce, task->alpha, layout->format);
    }
    if (strcmp(name, "separable") == 0) {
        return task->reduce != MB_REDUCE_AVG ||
               mb_weighs_alpha(task->reduce, task->alpha, layout->format);
    }
    if (strcmp(name, "raster") == 0 && mb_gpu_crashes_on_draws(&gpu->info)) {
        return true;
    }
    if (strcmp(name, "spd-tree") == 0 && strstr(label, "powers=") != NULL &&
        strcmp(layout->format->name, "rgba8-srgb") != 0) {
        return true;
    }
    if (strcmp(name, "spd-tree") == 0 &&
        (strstr(label, "span=") != NULL || strstr(label, "powers=") != NULL)) {
        return !mb_policies_agree(layout->base, layout->n_levels) || layout->n_levels == 1 ||
               (strcmp(layout->format->name, "rgba8") != 0 &&
                strcmp(layout->format->name, "rgba8-srgb") != 0) ||
               task->is_update || task->reduce != MB_REDUCE_AVG ||
               mb_weighs_alpha(task->reduce, task->alpha, layout->format);
    }
    if (strcmp(name, "spd-tree") == 0 &&
        (strstr(label, "rows=20") != NULL || strstr(label, "first=4") != NULL) &&
        (layout->n_levels < 6 || gpu->info.subgroup_size < 8)) {
        return true;
    }
    if (strcmp(name, "spd-tree") == 0 &&
        (strstr(label, "rows=2") != NULL || strstr(label, "rows=6") != NULL)) {
        return mb_policies_agree(layout->base, layout->n_levels) || layout->n_levels < 5 ||
               strcmp(layout->format->name, "rgba8") != 0 || task->is_update ||
               task->reduce != MB_REDUCE_AVG ||
               mb_weighs_alpha(task->reduce, task->alpha, layout->format);
    }
    if (strcmp(name, "spd-tree") == 0 && strstr(label, "wave=on") != NULL) {
        return !mb_policies_agree(layout->base, layout->n_levels);
    }
    const bool is_spd = strcmp(name, "spd") == 0 || strcmp(name, "spd-metal") == 0;
    const bool is_above_spd =
        layout->base.width > SPD_MAX_SIZE || layout->base.height > SPD_MAX_SIZE;
    return (is_spd && (is_above_spd || may_refuse_variant(label, layout, task))) ||
           strstr(label, "load=sampler") != NULL;
}
