/* What the strategy and its export share: devices and tasks as spd-tree's library describes
 * them, and its modules as shaders.txt lists them. */
#pragma once

#include "lib/spd_tree.h"
#include "strategy.h"

/* As spd_tree_get_features() fills it in, but from what is already known of the device. */
struct spd_tree_device mb_spd_tree_device_of(const struct mb_gpu_info *info);

struct spd_tree_job mb_spd_tree_job_of(const struct mb_layout *layout,
                                       const struct mb_task *task);

/* Tells what a shader was compiled with. False if the shader is not one of spd-tree's. */
bool mb_spd_tree_module_of(const struct mb_shader *shader, struct spd_tree_module *module);

/* The shader compiled with these flags, or NULL. */
const struct mb_shader *mb_spd_tree_shader_of(const struct spd_tree_module *module);

/* Whether some device takes the shader for some image of this format. */
bool mb_spd_tree_takes(const struct mb_shader *shader, const struct mb_format *format,
                       enum mb_reduce reduce);

/* Implements mb_strategy.export. */
MB_MUST_CHECK enum mb_status mb_spd_tree_export(const struct mb_export *export,
                                                struct mb_err *err);
