/* Stamps around the commands that make a level. A stamp waits for all commands before it and
 * delays none after it. As the strategy's own barriers separate its levels, a pair of stamps
 * encloses the work on one level alone. */
#include "strategy/marks.h"

struct mb_text mb_levels_text(uint32_t first_level, uint32_t n_levels)
{
    return n_levels == 1 ? mb_text("level %u", first_level)
                         : mb_text("levels %u to %u", first_level, first_level + n_levels - 1);
}

void mb_mark_begin(struct mb_marks *marks, const struct mb_vk_image *image, VkCommandBuffer cmd,
                   uint32_t first_level, uint32_t n_levels)
{
    if (image->gpu->has_tool) {
        mb_gpu_label_begin(image->gpu, cmd, mb_levels_text(first_level, n_levels).s);
    }
    if (marks && marks->n < MB_MAX_MARKS) {
        mb_timer_stamp(marks->timer, cmd, 1 + 2 * marks->n);
        marks->step[marks->n].first_level = first_level;
        marks->step[marks->n].n_levels = n_levels;
    }
}

void mb_mark_end(struct mb_marks *marks, const struct mb_vk_image *image, VkCommandBuffer cmd)
{
    if (marks && marks->n < MB_MAX_MARKS) {
        mb_timer_stamp(marks->timer, cmd, 2 + 2 * marks->n++);
    }
    mb_gpu_label_end(image->gpu, cmd);
}
