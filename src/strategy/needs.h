/* What a variant can do and what it needs of the device: the opening of supports(). */
#ifndef MB_STRATEGY_NEEDS_H
#define MB_STRATEGY_NEEDS_H

#include "strategy.h"
#include "vk/sampler.h"

/* How a kernel loads 2x2 texels that are joined. */
enum mb_load {
    MB_LOAD_AUTO,    /* SAMPLER where it is supported, else TEXEL */
    MB_LOAD_SAMPLER, /* one fetch of the filter at their common corner */
    MB_LOAD_TEXEL,   /* four fetches */
};

/* Zero is what every device has, and any image and task. */
struct mb_needs {
    /* Images and tasks. */
    bool averages_only; /* no minima and maxima */
    bool straight_only; /* colour is not weighed by alpha */
    bool whole_only;    /* no updates */
    enum mb_policy policy;
    uint32_t max_width; /* of level 0, and its height; 0: any */

    /* The device. */
    const char *const *features;                /* besides the strategy's; NULL-terminated */
    VkSubgroupFeatureFlags subgroup_operations; /* in compute shaders */
    uint32_t min_subgroup_size;                 /* of full subgroups; 0: none are needed */
    uint32_t max_subgroup_size;
    const char *without_subgroups; /* what to try instead, "spd:wave=off"; NULL: nothing */
    uint32_t n_storage_images;     /* of a shader */
    uint32_t n_invocations;        /* of a workgroup, along x */
    uint32_t shared_bytes;         /* of a workgroup */
    bool draws;                    /* to all levels but the first */
    bool blits;                    /* with a linear filter */

    enum mb_load load;
    bool is_carried; /* the kernel goes on to further levels from the sums */
};

/* MB_OK, or MB_UNSUPPORTED with a sentence about the first that is not met. Pure. */
MB_MUST_CHECK enum mb_status mb_needs_met(const struct mb_needs *needs,
                                          const struct mb_gpu *gpu,
                                          const struct mb_layout *layout,
                                          const struct mb_task *task, struct mb_err *why);

/* What a load comes to: SAMPLER where the filter joins 2x2 texels of such an image in the way
 * asked for with the precision that image/tolerance.h demands, else TEXEL. */
enum mb_load mb_load_resolve(enum mb_load load, const struct mb_gpu *gpu,
                             const struct mb_layout *layout, const struct mb_task *task,
                             bool is_carried);

/* The sampler for it, or one that takes the nearest texel; the caller destroys it. */
MB_MUST_CHECK enum mb_status mb_load_make_sampler(const struct mb_gpu *gpu, bool by_sampler,
                                                  enum mb_reduce reduce, VkSampler *sampler,
                                                  struct mb_err *err);

/* True of a driver that is known to crash on draws and on blits, which it makes of draws: the
 * llvmpipe of Mesa 22, while it compiles their shaders for 512-bit vectors. */
bool mb_gpu_crashes_on_draws(const struct mb_gpu_info *info);

#endif
