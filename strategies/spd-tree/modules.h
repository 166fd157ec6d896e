/* What the strategy and its export share: devices and tasks as spd-tree's library has them, and
 * its modules as shaders.txt lists them. */
#pragma once

#include "lib/spd_tree.h"
#include "strategy.h"

/* The same as spd_tree_get_features() reads, of what is known of a device already. */
struct spd_tree_device mb_spd_tree_device_of(const struct mb_gpu_info *info);

struct spd_tree_job mb_spd_tree_job_of(const struct mb_layout *layout,
                                       const struct mb_task *task);

/* What a shader was compiled with; false: it is none of spd-tree. */
bool mb_spd_tree_module_of(const struct mb_shader *shader, struct spd_tree_module *module);

/* The shader that was compiled so; NULL: there is none. */
const struct mb_shader *mb_spd_tree_shader_of(const struct spd_tree_module *module);
