/* spd-tree's state, shared by its files. */
#ifndef SPD_TREE_H
#define SPD_TREE_H

#include "image/tree.h"
#include "strategy.h"
#include "vk/pipeline.h"

struct spd_tree {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    struct mb_params params;
    bool by_sampler; /* how level 0 is loaded where it is even */
    bool by_wave;    /* subgroup operations, where no size is odd */
    bool by_sums;    /* and whole numbers */
    bool by_carry;   /* which counters carry up the tree */
    uint32_t tile_width;
    struct mb_tree tree;
    uint32_t n_tiles; /* of an update: that are made */
    VkSampler sampler;
    struct mb_buffer hand_off; /* float[layer][step][row][column][4]: what cells begin with */
    struct mb_buffer counters; /* uint[layer][step][row][column]: sources done; zero between */
    /* Of updates, as in spd_tree.comp. */
    struct mb_buffer n_made;
    struct mb_buffer cones;
    struct mb_buffer tiles;
    struct mb_compute compute;
};

/* Push constants, as in tree.glsl. */
struct spd_tree_push {
    int32_t base_extent[2];
    float inv_base_extent[2];
    int32_t n_levels, n_steps, final_step;
    uint32_t n_texels, n_counters, n_rects, n_nodes, nodes_per_level;
    uint32_t first_texel[MB_MAX_TREE_STEPS];
    uint32_t first_counter[MB_MAX_TREE_STEPS];
};

/* Texels of all steps' sources in one layer, and where each step's begin. */
uint32_t mb_spd_tree_place_texels(const struct spd_tree *s, uint32_t first[MB_MAX_TREE_STEPS]);

/* Counters of one layer, and where each step's begin; tiles have none, but what is said of each
 * cell in an update is said of them, too. */
uint32_t mb_spd_tree_place_counters(const struct spd_tree *s,
                                    uint32_t first[MB_MAX_TREE_STEPS]);

/* Nodes of carry.glsl in one layer, and in one level of it: as many for each as the first has.
 */
uint32_t mb_spd_tree_n_nodes(const struct spd_tree *s);
uint32_t mb_spd_tree_nodes_per_level(const struct spd_tree *s);

/* What is handed on, counters, and for updates the lists; zeroed where that matters. What was
 * made before an error is freed with the state. */
MB_MUST_CHECK enum mb_status mb_spd_tree_make_buffers(struct spd_tree *s, struct mb_err *err);

#endif
