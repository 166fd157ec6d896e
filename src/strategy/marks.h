/* Marks that a strategy sets while it records, around the commands that make a level. With them
 * the harness times each part of a chain without knowing its commands, and tools such as
 * RenderDoc show the parts by name. */
#pragma once

#include "base/text.h"
#include "image/pyramid.h"
#include "vk/image.h"
#include "vk/timer.h"

#define MB_MAX_MARKS (2 * MB_MAX_LEVELS) /* two passes for each level; more are not timed */

struct mb_marks {
    const struct mb_timer *timer; /* mark i has queries 1 + 2i and 2 + 2i */
    uint32_t n;
    struct {
        uint32_t first_level, n_levels;
    } step[MB_MAX_MARKS];
};

/* "level 1", "levels 2 to 5" */
struct mb_text mb_levels_text(uint32_t first_level, uint32_t n_levels);

/* Put these around the commands that make levels [first_level, first_level + n_levels) of
 * `image`, or a part of them, without the barriers before and after. `marks` is from mb_target;
 * if it is NULL, only labels are set. A chain that is not made level by level has no marks. */
void mb_mark_begin(struct mb_marks *marks, const struct mb_vk_image *image, VkCommandBuffer cmd,
                   uint32_t first_level, uint32_t n_levels);
void mb_mark_end(struct mb_marks *marks, const struct mb_vk_image *image, VkCommandBuffer cmd);
