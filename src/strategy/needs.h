/* Whether a variant can do a task on a device, and how it loads texels there. */
#pragma once

#include "strategy.h"
#include "vk/sampler.h"

/* MB_OK, or MB_UNSUPPORTED with a sentence about the first that is not met. Pure. */
MB_MUST_CHECK enum mb_status mb_needs_met(const struct mb_needs *needs,
                                          const struct mb_gpu *gpu,
                                          const struct mb_layout *layout,
                                          const struct mb_task *task, struct mb_err *why);

/* For struct mb_param: "lanes", of strategies whose kernels rely on the size of subgroups. */
extern const char *const mb_lanes_values[];
extern const char mb_lanes_help[];

/* The number that a choice of it names; 0: "auto". */
uint32_t mb_lanes_named(uint8_t choice);

/* Whether subgroups can have so many lanes: the device's own number, or one that can be asked
 * for. */
bool mb_has_lanes(const struct mb_gpu_info *info, uint32_t lanes);

/* Lanes of a subgroup where `lanes` are asked for; 0: what suits the driver. */
uint32_t mb_lanes(const struct mb_gpu_info *info, uint32_t lanes);

/* What a choice of `lanes` resolves to: the number, if it has a name. */
uint8_t mb_lanes_resolve(uint32_t lanes, uint8_t choice);

/* What a load resolves to: SAMPLER where the filter joins 2x2 texels of such an image in the
 * way asked for with the precision that image/tolerance.h demands, else TEXEL. */
enum mb_load mb_load_resolve(enum mb_load load, const struct mb_gpu *gpu,
                             const struct mb_layout *layout, const struct mb_task *task,
                             bool is_carried);

/* The sampler for it, or one that takes the nearest texel; the caller destroys it. Our own take
 * MB_SAMPLER_ADDRESS. */
MB_MUST_CHECK enum mb_status mb_load_make_sampler(const struct mb_gpu *gpu, bool by_sampler,
                                                  enum mb_reduce reduce,
                                                  VkSamplerAddressMode address,
                                                  VkSampler *sampler, struct mb_err *err);

/* True of a driver that is known to crash on draws and on blits, which it makes of draws:
 * llvmpipe (Mesa 22.3 and 25.0), while it compiles their shaders for 512-bit vectors. */
bool mb_gpu_crashes_on_draws(const struct mb_gpu_info *info);
