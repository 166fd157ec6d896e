/* What the strategy and its export share: formats as the planner has them, and modules as
 * shaders.txt lists them. */
#pragma once

#include "image/filter.h"
#include "vk/gpu_info.h"
#include "vk/shader.h"
#include "lib/spd_tree_plan.h"

struct spd_tree_format mb_spd_tree_format_of(const struct mb_format *format);
enum spd_tree_reduction mb_spd_tree_reduction_of(enum mb_reduce reduce);

/* The same as spd_tree_get_features() reads, of what is known of a device already. */
struct spd_tree_device mb_spd_tree_device_of(const struct mb_gpu_info *info);

/* What a shader was compiled with; false: it is none of spd-tree. */
bool mb_spd_tree_module_of(const struct mb_shader *shader, struct spd_tree_module *module);

/* The shader that was compiled so; NULL: there is none. */
const struct mb_shader *mb_spd_tree_shader_of(const struct spd_tree_module *module);
