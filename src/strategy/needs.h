/* Whether a variant can do a task on a device, and how it loads texels there. */
#pragma once

#include "strategy.h"

/* MB_OK, or MB_UNSUPPORTED with a sentence about the first need that is not met. Pure. */
MB_MUST_CHECK enum mb_status mb_needs_met(const struct mb_needs *needs,
                                          const struct mb_gpu *gpu,
                                          const struct mb_layout *layout,
                                          const struct mb_task *task, struct mb_err *why);

/* For struct mb_param: "load", whose values are those of enum mb_load. */
extern const char *const mb_load_values[];
extern const char mb_load_help[];

/* For struct mb_param: "lanes", if kernels depend on the size of subgroups. */
extern const char *const mb_lanes_values[];
extern const char mb_lanes_help[];

/* The number of lanes that a choice names; 0: "auto". */
uint32_t mb_lanes_named(uint8_t choice);

/* Whether a subgroup can have `lanes` lanes, by default or on request. */
bool mb_has_lanes(const struct mb_gpu_info *info, uint32_t lanes);

/* The size of a subgroup: `lanes`, or if that is 0, what suits the device. */
uint32_t mb_lanes(const struct mb_gpu_info *info, uint32_t lanes);

/* The choice that names `lanes`, or `choice` if none does. */
uint8_t mb_lanes_resolve(uint32_t lanes, uint8_t choice);

/* Resolve a load: SAMPLER if the filter reduces 2x2 texels of an image of this layout as
 * precisely as image/tolerance.h demands, else TEXEL. `is_carried`: as in mb_needs. */
enum mb_load mb_load_resolve(enum mb_load load, const struct mb_gpu *gpu,
                             const struct mb_layout *layout, const struct mb_task *task,
                             bool is_carried);

/* MB_OK if the device's linear filters can do this reduction in this format, else
 * MB_UNSUPPORTED with a sentence. */
MB_MUST_CHECK enum mb_status mb_sampler_supports(const struct mb_gpu *gpu, VkFormat format,
                                                 enum mb_reduce reduce, struct mb_err *why);

/* True for a driver that is known to crash on draws, and on blits, which it turns into draws:
 * llvmpipe (Mesa 22.3 and 25.0), while it compiles their shaders for 512-bit vectors. */
bool mb_gpu_crashes_on_draws(const struct mb_gpu_info *info);
