/* spd-tree's state, shared by its files. */
#ifndef SPD_TREE_H
#define SPD_TREE_H

#include "tree.h"
#include "strategy.h"
#include "vk/pipeline.h"

#define SPD_TREE_N_CONSTANTS 15

/* As in tree.glsl. */
#define SPD_TREE_MAX_TARGETS   15u
#define SPD_TREE_N_INVOCATIONS 256u

/* Places of parameters and of their values. */
enum {
    SPD_TREE_PARAM_LOAD,
    SPD_TREE_PARAM_WAVE,
    SPD_TREE_PARAM_EXACT,
    SPD_TREE_PARAM_CARRY,
    SPD_TREE_PARAM_SPAN,
    SPD_TREE_PARAM_POWERS,
    SPD_TREE_PARAM_TILE,
    SPD_TREE_PARAM_FIRST,
    SPD_TREE_PARAM_ROWS,
    SPD_TREE_PARAM_PARTS,
};
enum { WAVE_AUTO, WAVE_ON, WAVE_OFF };
enum { EXACT_AUTO, EXACT_SUMS, EXACT_FLOAT };
enum { CARRY_AUTO, CARRY_ATOMICS, CARRY_BUFFER, CARRY_SLOTS };
enum { SPAN_AUTO, SPAN_3 = 3, SPAN_6 = 6 };
enum { POWERS_AUTO, POWERS_ON, POWERS_OFF };
enum { TILE_64, TILE_32 };
enum { FIRST_AUTO, FIRST_4, FIRST_6 };
enum {
    ROWS_AUTO,
    ROWS_OFF,
    ROWS_2,
    ROWS_3,
    ROWS_4,
    ROWS_5,
    ROWS_6,
    ROWS_7,
    ROWS_8,
    ROWS_9,
    ROWS_10,
    ROWS_12,
    ROWS_14,
    ROWS_16,
    ROWS_18,
    ROWS_20,
    ROWS_21,
};
enum { LATE_OFF, LATE_SOME, LATE_MOST, LATE_TOUCH };
enum { PARTS_ALL, PARTS_TILES };

/* From the one that can do everything to those that can do the least. */
enum spd_tree_kernel {
    SPD_TREE_ANY,   /* spd_tree.comp */
    SPD_TREE_WAVE,  /* spd_tree_wave.comp: subgroup operations, where no size is odd */
    SPD_TREE_SUMS,  /* spd_tree_sums.comp: the same in whole numbers */
    SPD_TREE_SHARE, /* spd_tree_share.comp: averages of any size, by 64-bit atomics */
    SPD_TREE_SHARE_ODD_CODES, /* spd_tree_share_odd_codes.comp: the same of raw texels */
    SPD_TREE_SHARE_EVEN, /* spd_tree_share_even.comp: the same, three levels or more are even */
    SPD_TREE_STRIPS,     /* spd_tree_strips.comp: averages of rgba8, in large tiles */
    SPD_TREE_SLOTS,    /* spd_tree_raw*.comp, spd_tree_view*.comp: the same of all, by slots */
    SPD_TREE_EXTREMES, /* spd_tree_extremes.comp: minima and maxima, even for three levels */
    SPD_TREE_CARRY,    /* spd_tree_carry.comp: averages, where no size is odd */
    SPD_TREE_CURVE,    /* spd_tree_curve.comp: the same of sRGB codes */
};

struct spd_tree {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    struct mb_params params;
    bool by_sampler; /* how level 0 is loaded where it is even */
    enum spd_tree_kernel kernel;
    uint32_t tile_width;
    struct mb_tree tree;
    uint32_t n_tiles; /* of an update: that are made */
    VkSampler sampler;
    /* float[layer][step][row][column][4]: what cells begin with; or words, or slots. */
    struct mb_buffer hand_off;
    /* uint[layer][step][row][column]: sources done; or nodes, as in carry.glsl, or what words
     * or slots hold; zero between. */
    struct mb_buffer counters;
    /* Of updates, as in spd_tree.comp. */
    struct mb_buffer n_made;
    struct mb_buffer affected;
    struct mb_buffer tiles;
    struct mb_pipeline compute;
};

/* Push constants, as in tree.glsl. */
struct spd_tree_push {
    int32_t base_extent[2];
    float inv_base_extent[2];
    int32_t n_levels, n_steps, final_step;
    uint32_t n_texels, n_counters, n_rects, n_nodes, nodes_per_level;
    union {
        struct {
            uint32_t first_texel[MB_MAX_TREE_STEPS];
            uint32_t first_counter[MB_MAX_TREE_STEPS];
        };
        uint32_t first_node[2 * MB_MAX_TREE_STEPS]; /* of the levels below those of tiles */
    };
    float scales[4]; /* of strips alone, as is all from here on */
};

/* Texels of all steps' sources in one layer, and where each step's begin. */
uint32_t mb_spd_tree_place_texels(const struct spd_tree *s, uint32_t first[MB_MAX_TREE_STEPS]);

/* Counters of one layer, and where each step's begin; tiles have none, but what is said of each
 * cell in an update is said of them, too. */
uint32_t mb_spd_tree_place_counters(const struct spd_tree *s,
                                    uint32_t first[MB_MAX_TREE_STEPS]);

/* The kernel for this, and the tree that goes with it. `has_raw`: the image has raw views. */
enum spd_tree_kernel mb_spd_tree_choose(const struct mb_gpu *gpu,
                                        const struct mb_layout *layout,
                                        const struct mb_task *task,
                                        const struct mb_params *choice, bool has_raw);
void mb_spd_tree_plan(enum spd_tree_kernel kernel, const struct mb_gpu *gpu,
                      const struct mb_layout *layout, const struct mb_params *choice,
                      struct mb_tree *tree);

/* Whether tiles bring two channels of a texel by one atomic: where there are no more of them
 * than words.glsl counts. */
bool mb_spd_tree_has_pairs(const struct spd_tree *s);

/* How strips divide an image. */
struct spd_tree_strips {
    bool can_be;
    uint8_t rows;          /* value of the parameter */
    uint32_t n_first;      /* levels that they make */
    struct mb_extent tile; /* texels of the last of these that a workgroup makes */
    uint32_t shared_bytes; /* of a workgroup */
};
struct spd_tree_strips mb_spd_tree_strips(const struct mb_gpu *gpu,
                                          const struct mb_layout *layout,
                                          const struct mb_params *choice);

/* Bytes that a texel takes in a slot, and in shared memory. */
uint32_t mb_spd_tree_slot_bytes(const struct mb_format *format);

/* What makes averages of the sums of levels 1 to 4, as in reduce.glsl. */
void mb_spd_tree_scales(const struct mb_layout *layout, enum mb_reduce reduce, float scales[4]);

/* Whether strips cost no more than tiles of 64x64. `is_even`: those have three even levels. */
bool mb_spd_tree_strips_are_no_loss(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                    bool is_even);

/* Whether strips can be and, if they are not the only way, cost no more than tiles. */
bool mb_spd_tree_takes_strips(const struct mb_gpu *gpu, const struct mb_layout *layout,
                              const struct mb_params *choice, bool is_only_way, bool is_even);

/* Shared memory of a workgroup of spd_tree.comp. */
uint32_t mb_spd_tree_shared_bytes(uint32_t tile_width);

/* Texels of level 0 per axis that a tile begins with. */
uint32_t mb_spd_tree_tile_width(const struct mb_params *choice);

enum mb_status mb_spd_tree_supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                    const struct mb_task *task, const struct mb_params *choice,
                                    struct mb_err *why);

/* As is_contradictory() of the contract. */
bool mb_spd_tree_is_contradictory(const struct mb_params *choice);

/* As resolve() of the contract. */
void mb_spd_tree_resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                         const struct mb_task *task, struct mb_params *choice);

/* True if texels are fetched and stored as they are. */
bool mb_spd_tree_is_raw(enum spd_tree_kernel kernel, const struct mb_format *format);

/* True if tiles are made by strips.glsl. */
bool mb_spd_tree_has_strips(enum spd_tree_kernel kernel);

/* True if codes are averaged without being decoded. */
bool mb_spd_tree_has_sums(enum spd_tree_kernel kernel);

/* True if counters carry sums from one level to the next (carry.glsl). */
bool mb_spd_tree_is_carried(enum spd_tree_kernel kernel);

/* The value of `span` that a kernel has; SPAN_AUTO if it has none. */
uint8_t mb_spd_tree_span(enum spd_tree_kernel kernel, const struct mb_tree *tree,
                         const struct mb_params *choice);

/* The same of `powers`. */
uint8_t mb_spd_tree_powers(enum spd_tree_kernel kernel, const struct mb_tree *tree,
                           const struct mb_params *choice);

/* What tiles store late, as in turns.glsl; of extremes, levels 1 and 2 if anything. */
uint32_t mb_spd_tree_late(const struct spd_tree *s);

/* TURNS of turns.glsl, of kernels that have a span. */
uint32_t mb_spd_tree_turns(const struct spd_tree *s);

/* True if what is handed on are nodes: words of texels below the tiles' levels. */
bool mb_spd_tree_has_nodes(enum spd_tree_kernel kernel);

/* Nodes of one layer, and where each level's begin, from that below the tiles' on; in
 * carry.glsl as many for each level as for the first. */
uint32_t mb_spd_tree_place_nodes(const struct spd_tree *s, uint32_t *first);

/* Bytes of the two buffers that every run needs. */
VkDeviceSize mb_spd_tree_hand_off_bytes(const struct spd_tree *s);
VkDeviceSize mb_spd_tree_counter_bytes(const struct spd_tree *s);

/* The strategy's own specialisation constants, and its push constants. */
void mb_spd_tree_constants(const struct spd_tree *s, uint32_t constants[SPD_TREE_N_CONSTANTS]);
struct spd_tree_push mb_spd_tree_push(const struct spd_tree *s);

/* What `mipbench export spd-tree` writes. */
extern const struct mb_export mb_spd_tree_export;

/* What is handed on, counters, and for updates the lists; zeroed where that matters. What was
 * made before an error is freed with the state. */
MB_MUST_CHECK enum mb_status mb_spd_tree_make_buffers(struct spd_tree *s, struct mb_err *err);

#endif
