/* Stamps around what makes a level. One waits for all commands before it and holds up none
 * after it, but the strategy's own barriers stand between its levels: what a pair encloses is
 * the work on that level alone. */
#include "strategy/marks.h"

void mb_mark_begin(const struct mb_marks *marks, VkCommandBuffer cmd)
{
    if (marks && marks->n < MB_MAX_MARKS) {
        mb_timer_stamp(marks->timer, cmd, 1 + 2 * marks->n);
    }
}

void mb_mark_end(struct mb_marks *marks, VkCommandBuffer cmd, uint32_t first_level,
                 uint32_t n_levels)
{
    if (marks && marks->n < MB_MAX_MARKS) {
        mb_timer_stamp(marks->timer, cmd, 2 + 2 * marks->n);
        marks->step[marks->n].first_level = first_level;
        marks->step[marks->n++].n_levels = n_levels;
    }
}
