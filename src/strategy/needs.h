/* Whether a variant can do a task on a device, and how it loads texels there. */
#pragma once

#include "strategy.h"
#include "vk/sampler.h"

/* MB_OK, or MB_UNSUPPORTED with a sentence about the first that is not met. Pure. */
MB_MUST_CHECK enum mb_status mb_needs_met(const struct mb_needs *needs,
                                          const struct mb_gpu *gpu,
                                          const struct mb_layout *layout,
                                          const struct mb_task *task, struct mb_err *why);

/* What a load resolves to: SAMPLER where the filter joins 2x2 texels of such an image in the
 * way asked for with the precision that image/tolerance.h demands, else TEXEL. */
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
