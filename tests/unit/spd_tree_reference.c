/* By spd-tree's own functions, as spd-tree:wave=off uses them. */
#include "spd_tree_reference.h"

#include <stddef.h>
#include <string.h>

#include "../../strategies/spd-tree/spd_tree.h"
#include "strategy/levels.h"

static uint32_t bits_of(double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

static void add_format(const struct mb_layout *layout, uint32_t constants[19])
{
    const struct mb_format_constants format = mb_format_constants(layout->format);
    constants[10] = mb_layout_has_narrow_levels(layout);
    constants[11] = bits_of(format.unorm_max);
    constants[12] = bits_of(format.unorm_max_alpha);
    constants[13] = format.is_srgb;
    constants[14] = format.dropped_bits;
    constants[15] = format.dropped_bits_blue;
}

void spd_tree_refer(const struct mb_layout *layout, struct spd_tree_reference *reference)
{
    static const struct mb_gpu gpu;
    const struct mb_vk_image image = {.layout = *layout};
    struct spd_tree s = {
        .gpu = &gpu,
        .image = &image,
        .task.n_rects = 1,
        .params.choice[SPD_TREE_PARAM_WAVE] = WAVE_OFF,
    };
    memset(reference, 0, sizeof *reference);
    s.tile_width = mb_spd_tree_tile_width(&s.params);
    s.kernel = mb_spd_tree_choose(&gpu, layout, &s.task, &s.params, false);
    mb_spd_tree_plan(SPD_TREE_ANY, s.gpu, layout, &s.params, &s.tree);
    const struct spd_tree_push push = mb_spd_tree_push(&s);
    const struct mb_extent grid = s.tree.step[0].grid;
    reference->n_groups[0] = grid.width;
    reference->n_groups[1] = grid.height;
    reference->n_groups[2] = layout->n_layers;
    reference->hand_off_bytes = mb_spd_tree_hand_off_bytes(&s);
    reference->counter_bytes = mb_spd_tree_counter_bytes(&s);
    reference->shared_bytes = mb_spd_tree_shared_bytes(s.tile_width);
    reference->push_bytes = offsetof(struct spd_tree_push, scales);
    memcpy(reference->push, &push, reference->push_bytes);
    mb_spd_tree_constants(&s, reference->constants);
    add_format(layout, reference->constants);
}
