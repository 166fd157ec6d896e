/* The planner of spd-tree: which module makes an image's mip levels, the values of the module's
 * specialisation constants and push constants, and how many workgroups to dispatch. C11 and
 * C++11. The planner allocates nothing and calls no Vulkan function, for engines that wrap
 * Vulkan themselves; for all others, spd_tree.c does the rest.
 *
 *     struct spd_tree_plan plan;
 *     const char *why = spd_tree_make_plan(&device, &image, NULL, &plan);
 *
 * Descriptor set 0:
 *
 *     binding 0  combined image sampler: level 0, which may belong to another image;
 *                nearest filter, clamped to the edge
 *     binding 1  storage images[15]: levels 1, 2, ..; unused elements repeat the last level
 *     binding 2  storage buffer of hand_off_bytes
 *     binding 3  storage buffer of counter_bytes
 *     binding 4  updates only: combined image samplers[14], levels 1, 2, .. in layout GENERAL
 *
 * Infinity and NaN follow IEEE 754: an average is infinite only if a texel is; minima and
 * maxima ignore NaN. Averages weighted by alpha overflow if colour times alpha does. */
#ifndef SPD_TREE_PLAN_H
#define SPD_TREE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPD_TREE_MAX_LEVELS    16u
#define SPD_TREE_N_INVOCATIONS 256u /* of a workgroup */

enum spd_tree_reduction { SPD_TREE_AVERAGE, SPD_TREE_MINIMUM, SPD_TREE_MAXIMUM };

/* How numbers are stored. */
enum spd_tree_codec {
    SPD_TREE_UNORM8,
    SPD_TREE_SRGB8, /* four channels; alpha is linear */
    SPD_TREE_UNORM10_2,
    SPD_TREE_FLOAT16,
    SPD_TREE_FLOAT32,
    SPD_TREE_FLOAT11_10 /* unsigned, three channels */
};

struct spd_tree_format {
    enum spd_tree_codec codec;
    uint32_t n_channels; /* 1, 2 or 4; FLOAT11_10 has 3 */
};

/* What the planner has to know of a device; spd_tree_get_features() fills it in. */
struct spd_tree_device {
    bool is_cpu; /* llvmpipe */
    bool is_intel;
    bool has_shuffles;       /* subgroup shuffles in compute shaders */
    bool has_full_subgroups; /* computeFullSubgroups */
    bool has_int64_atomics;  /* shaderInt64 and shaderBufferInt64Atomics */
    uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
    uint32_t max_workgroup_subgroups; /* 0 unless compute shaders can require a subgroup size */
    uint32_t n_cores;                 /* multiprocessors, or compute units; 0: unknown */
    uint32_t max_shared_bytes;
    uint64_t max_buffer_bytes;
};

struct spd_tree_rect {
    uint32_t x, y, width, height;
};

struct spd_tree_image {
    uint32_t width, height, n_layers;
    uint32_t n_levels; /* includes level 0; 2 to SPD_TREE_MAX_LEVELS */
    struct spd_tree_format format;
    enum spd_tree_reduction reduction;
    bool weighs_alpha; /* colour is weighted by alpha; averages of four channels only */
    bool is_depth;     /* level 0 is a depth image, without an integer view; codec FLOAT32 */
    struct spd_tree_rect
        changed; /* only update texels that depend on this part of level 0; zero: all */
};

enum spd_tree_shape { SPD_TREE_ANY_SHAPE, SPD_TREE_EVEN, SPD_TREE_STRIPS };

/* A member of zero leaves the choice to the planner. */
struct spd_tree_options {
    enum spd_tree_shape shape;
    uint32_t rows;          /* of strips, one of spd_tree_rows */
    uint32_t lanes;         /* per subgroup */
    bool without_subgroups; /* exchange texels through shared memory */
    bool is_tile_only;      /* leave out the levels below the tiles, to measure their cost */
};

/* What a module is compiled with (spd_tree.comp). At most one of has_slots and is_extreme is
 * set. */
struct spd_tree_module {
    uint8_t n_channels, raw_words; /* raw_words: 0 if RAW is undefined */
    bool weighs_alpha, has_subgroups, has_slots, is_update, has_sums, is_even, is_extreme;
};

/* A module's SPIR-V. */
struct spd_tree_code {
    const uint32_t *words;
    size_t n_bytes;
};

enum spd_tree_view { SPD_TREE_VIEW_OF_FORMAT, SPD_TREE_VIEW_R32, SPD_TREE_VIEW_R32G32 };

struct spd_tree_constant {
    const char *name;
    uint32_t id, value;
};

#define SPD_TREE_N_CONSTANTS 15u

/* The push constants of common.glsl. */
struct spd_tree_push {
    int32_t base_extent[2];
    float inv_base_extent[2];
    uint32_t zero, n_nodes, n_tiles, n_levels;
    float scales[3];
    uint32_t n_first, strip_rows, levels_per_round, is_many;
    uint32_t
        nodes[12]; /* for updates: the scales of levels from n_first on, as bits of floats */
    /* For updates: first and last changed texel of level 0; the first tile as x and y << 16. */
    int32_t changed[4];
    uint32_t first_tile;
};

struct spd_tree_plan {
    struct spd_tree_image image; /* the planned image */
    struct spd_tree_module module;
    enum spd_tree_view view;
    struct spd_tree_constant constants[SPD_TREE_N_CONSTANTS];
    struct spd_tree_push push;
    uint32_t subgroup_size; /* full subgroups that the module relies on; 0: none */
    bool requires_size;     /* with VkPipelineShaderStageRequiredSubgroupSizeCreateInfo */
    uint32_t n_groups[3];
    uint64_t hand_off_bytes, counter_bytes;
    /* How the image is divided into tiles: by the options or by the planner. */
    enum spd_tree_shape shape;
    uint32_t rows, max_rows; /* of strips; otherwise 0 */
    uint32_t n_first, tile_x,
        tile_y;    /* n_first: levels that tiles make; tile_x, tile_y: size in the last */
    bool has_tail; /* tiles make six levels; tail.glsl continues from one texel per tile */
    uint32_t levels_per_round; /* levels that tail.glsl makes per round */
    bool is_lean;              /* saves registers */
};

static inline uint32_t spd_tree_size_of_level(uint32_t size, uint32_t level)
{
    return size >> level > 1 ? size >> level : 1;
}

static inline bool spd_tree_is_update(const struct spd_tree_image *image)
{
    return image->changed.width > 0;
}

static inline bool spd_tree_is_normalised(struct spd_tree_format format)
{
    return format.codec == SPD_TREE_UNORM8 || format.codec == SPD_TREE_SRGB8 ||
           format.codec == SPD_TREE_UNORM10_2;
}

static inline uint32_t spd_tree_texel_bytes(struct spd_tree_format format)
{
    switch (format.codec) {
    case SPD_TREE_UNORM8:
        return format.n_channels;
    case SPD_TREE_FLOAT16:
        return 2 * format.n_channels;
    case SPD_TREE_FLOAT32:
        return 4 * format.n_channels;
    default:
        return 4;
    }
}

/* The view through which modules access levels: words, except for depth and pairs of 32-bit
 * floats. */
static inline enum spd_tree_view spd_tree_view_of(struct spd_tree_format format, bool is_depth)
{
    const uint32_t n_bytes = spd_tree_texel_bytes(format);
    const bool is_pair = format.codec == SPD_TREE_FLOAT32 && format.n_channels == 2;
    return is_depth || is_pair ? SPD_TREE_VIEW_OF_FORMAT
           : n_bytes == 4      ? SPD_TREE_VIEW_R32
           : n_bytes == 8      ? SPD_TREE_VIEW_R32G32
                               : SPD_TREE_VIEW_OF_FORMAT;
}

/* Bytes of a texel in a slot and in shared memory: a float per channel, with three padded to
 * four; twice that with alpha weighting. */
static inline uint32_t spd_tree_slot_bytes(const struct spd_tree_image *image)
{
    const uint32_t n = image->format.n_channels == 3 ? 4 : image->format.n_channels;
    return (image->weighs_alpha ? 2 : 1) * n * (uint32_t)sizeof(float);
}

/* Bytes of a fetched texel: of its words or, if it has none, its floats. */
static inline uint32_t spd_tree_fetched_bytes(const struct spd_tree_image *image)
{
    const uint32_t n = spd_tree_texel_bytes(image->format);
    return n == 4 || n == 8 ? n : image->format.n_channels * (uint32_t)sizeof(float);
}

/* The possible heights of a strip, in rows of level 3. */
static const uint8_t spd_tree_rows[] = {1, 2, 3, 4, 5, 6, 8, 10, 12};
#define SPD_TREE_N_ROWS (uint32_t)(sizeof spd_tree_rows)

/* Sizes of square images that together need every pipeline of a format and reduction: powers of
 * two, multiples of 8 and odd numbers, from one tile to more than any device runs at once. */
#define SPD_TREE_N_SIZES 27u
static inline uint32_t spd_tree_typical_size(uint32_t i)
{
    const uint32_t power = 64u << i / 3;
    return i % 3 == 0 ? power : i % 3 == 1 ? power - 8 : power - 1;
}

/* The number of levels of a full chain, down to 1x1. */
static inline uint32_t spd_tree_level_count(uint32_t width, uint32_t height)
{
    uint32_t n = 1;
    while ((width | height) >> n) {
        n++;
    }
    return n;
}

/* Fills in `*plan`. Returns NULL or, if the image cannot be made, the reason as a sentence.
 * `options` may be NULL. */
const char *spd_tree_make_plan(const struct spd_tree_device *device,
                               const struct spd_tree_image *image,
                               const struct spd_tree_options *options,
                               struct spd_tree_plan *plan);

/* Finds the SPIR-V of a module in spd_tree_modules.c. False if the module was not exported. */
bool spd_tree_code_of(const struct spd_tree_module *module, struct spd_tree_code *code);

#ifdef __cplusplus
}
#endif

#endif
