/* spd-tree: how to make every level of an image in one dispatch. C11 or C++11, without
 * allocation or calls of Vulkan.
 *
 *     struct spd_tree_plan plan;
 *     const char *why = spd_tree_make_plan(&device, &image, NULL, &plan);
 *
 * names a module, the values of its specialisation constants and push constants, the workgroups
 * to dispatch, and the bytes of two buffers. Set 0 of the module has
 *
 *     binding 0  combined image sampler: level 0, which may be of another image;
 *                nearest filter, clamped to the edge
 *     binding 1  storage images[15]: levels 1, 2, ..; the last again for the rest of the array
 *     binding 2  storage buffer of hand_off_bytes
 *     binding 3  storage buffer of counter_bytes
 *
 * Views are 2D arrays, in plan.view: the image's format without _SRGB, or words of 32 bits, for
 * which the image is made with MUTABLE_FORMAT (and EXTENDED_USAGE for sRGB). Both buffers are
 * zero before the first dispatch (vkCmdFillBuffer) and left so that the next one of the same
 * module can use them: for another module they are filled again. Two dispatches that may
 * overlap need buffers of their own.
 *
 * Barriers: before, level 0 readable by compute shaders, levels 1.. to GENERAL from UNDEFINED;
 * after, what was written to them made visible to whoever reads.
 *
 * The device needs vulkanMemoryModel, vulkanMemoryModelDeviceScope and
 * shaderStorageImageWriteWithoutFormat; for `has_subgroups` subgroup_size of full subgroups
 * with shuffles (VkPipelineShaderStageRequiredSubgroupSizeCreateInfo, REQUIRE_FULL_SUBGROUPS),
 * for `has_int64_atomics` shaderInt64 and shaderBufferInt64Atomics.
 *
 * Infinity and NaN are as IEEE 754 has them: an average is infinite only if a texel is, minima
 * and maxima leave NaN out. Colour weighed by alpha overflows where its products with alpha do.
 */
#ifndef SPD_TREE_H
#define SPD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SPD_TREE_MAX_LEVELS    16u
#define SPD_TREE_N_INVOCATIONS 256u /* of a workgroup */

enum spd_tree_reduction { SPD_TREE_AVERAGE, SPD_TREE_MINIMUM, SPD_TREE_MAXIMUM };

/* Numbers, and how they are kept. */
enum spd_tree_codec {
    SPD_TREE_UNORM8,
    SPD_TREE_SRGB8, /* four channels, alpha linear */
    SPD_TREE_UNORM10_2,
    SPD_TREE_FLOAT16,
    SPD_TREE_FLOAT32,
    SPD_TREE_FLOAT11_10 /* unsigned, three channels */
};

struct spd_tree_format {
    enum spd_tree_codec codec;
    uint32_t n_channels; /* 1, 2 or 4; 3 of FLOAT11_10 */
};

struct spd_tree_device {
    bool has_subgroups, has_int64_atomics;
    uint32_t subgroup_size;      /* a power of two, 4 to 128; of others no subgroup is used */
    uint32_t lean_subgroup_size; /* 8 on Intel, for what would spill registers; else 0 */
    uint32_t n_cores;            /* multiprocessors, or compute units; 0: unknown */
    uint32_t max_shared_bytes;
    uint64_t max_buffer_bytes;
    bool is_cpu; /* llvmpipe */
};

struct spd_tree_image {
    uint32_t width, height, n_layers;
    uint32_t n_levels; /* level 0 included, 2 to SPD_TREE_MAX_LEVELS */
    struct spd_tree_format format;
    enum spd_tree_reduction reduction;
    bool weighs_alpha; /* averages of four channels: colour by alpha */
    bool is_update;    /* for modules with UPDATES: see update.glsl */
    bool is_depth;     /* FLOAT32, level 0 of a D32_SFLOAT image, which has no view as words */
};

enum spd_tree_shape { SPD_TREE_ANY_SHAPE, SPD_TREE_EVEN, SPD_TREE_STRIPS };

/* What is chosen where it is left open: zero. */
struct spd_tree_options {
    enum spd_tree_shape shape;
    uint32_t rows;     /* of strips, one of spd_tree_rows */
    bool is_tile_only; /* leave out what follows the tiles' levels, to find what that costs */
};

/* What a module is compiled with (spd_tree.comp). */
struct spd_tree_module {
    uint8_t n_channels, raw_words; /* 0: not RAW */
    bool weighs_alpha, has_subgroups, has_slots, is_update, has_sums, is_even, is_extreme;
};

/* One that was exported, as SPIR-V: spd_tree_modules.h has them, and spd_tree_code_of(). */
struct spd_tree_code {
    struct spd_tree_module module;
    const uint32_t *words;
    size_t n_bytes;
};

enum spd_tree_view { SPD_TREE_VIEW_OF_FORMAT, SPD_TREE_VIEW_R32, SPD_TREE_VIEW_R32G32 };

struct spd_tree_constant {
    const char *name;
    uint32_t id, value;
};

#define SPD_TREE_N_CONSTANTS 17u

/* As in common.glsl. */
struct spd_tree_push {
    int32_t base_extent[2];
    float inv_base_extent[2];
    uint32_t zero, n_nodes, n_tiles, n_levels;
    float scales[3];
    uint32_t n_first, strip_rows, span, is_many;
    uint32_t nodes[12];
};

struct spd_tree_plan {
    struct spd_tree_module module;
    enum spd_tree_view view;
    struct spd_tree_constant constants[SPD_TREE_N_CONSTANTS];
    struct spd_tree_push push;
    uint32_t subgroup_size; /* that the module relies on; 0: none */
    uint32_t n_groups[3];
    uint64_t hand_off_bytes, counter_bytes;
    /* How it was divided: what was asked for, or chosen. */
    enum spd_tree_shape shape;
    uint32_t rows, max_rows;          /* of strips; else 0 */
    uint32_t n_first, tile_x, tile_y; /* levels that tiles make, and texels of the last */
    bool is_climbing;  /* a tile makes one texel of level 6, from which climb.glsl goes on: */
    uint32_t span;     /* of them handed on at once */
    bool is_lean;      /* fewer registers */
    uint32_t max_held; /* texels in shared memory that an update makes further levels of */
};

static inline uint32_t spd_tree_size_of_level(uint32_t size, uint32_t level)
{
    return size >> level > 1 ? size >> level : 1;
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

/* What a texel takes in a slot and in shared memory: a float for each channel, three as four;
 * weighed by alpha twice as much. */
static inline uint32_t spd_tree_slot_bytes(const struct spd_tree_image *image)
{
    const uint32_t n = image->format.n_channels == 3 ? 4 : image->format.n_channels;
    return (image->weighs_alpha ? 2 : 1) * n * (uint32_t)sizeof(float);
}

/* Levels from 0 on whose axes are even. */
static inline uint32_t spd_tree_even_levels(const struct spd_tree_image *image)
{
    uint32_t n = 0;
    while (n + 1 < image->n_levels) {
        const uint32_t x = spd_tree_size_of_level(image->width, n);
        const uint32_t y = spd_tree_size_of_level(image->height, n);
        if (x % 2 != 0 || y % 2 != 0) {
            break;
        }
        n++;
    }
    return n;
}

/* As in share_parts.glsl: texels of the level `n` below those of tiles that a tile may have a
 * part in, along an axis. */
static inline uint32_t spd_tree_most_of_axis(uint32_t tile, uint32_t n)
{
    return (uint32_t)((((int32_t)tile - 3) >> n) + 3);
}

static inline uint32_t spd_tree_most(const struct spd_tree_plan *plan, uint32_t n)
{
    return spd_tree_most_of_axis(plan->tile_x, n) * spd_tree_most_of_axis(plan->tile_y, n);
}

/* Of a texel as it is fetched: in words, or as floats. */
static inline uint32_t spd_tree_fetched_bytes(const struct spd_tree_image *image)
{
    const uint32_t n = spd_tree_texel_bytes(image->format);
    return n == 4 || n == 8 ? n : image->format.n_channels * (uint32_t)sizeof(float);
}

/* Texels of all levels below those of a tile, at most. */
static inline uint32_t spd_tree_n_further(uint32_t tile_x, uint32_t tile_y)
{
    uint32_t n_further = 7 * 9;
    for (uint32_t n = 1; n <= 5; n++) {
        n_further += spd_tree_most_of_axis(tile_x, n) * spd_tree_most_of_axis(tile_y, n);
    }
    return n_further;
}

/* Shared memory of a workgroup: what share_parts.glsl, even.glsl, lanes.glsl and texel.glsl
 * declare, where tiles have so many texels at most. */
static inline uint32_t spd_tree_shared_bytes(const struct spd_tree_image *image,
                                             const struct spd_tree_module *module,
                                             uint32_t tile_x, uint32_t tile_y)
{
    const uint32_t slot = spd_tree_slot_bytes(image), n_of_tile = tile_x * tile_y;
    const uint32_t n_further = image->is_update ? 0 : spd_tree_n_further(tile_x, tile_y);
    const uint32_t n_common = n_further < 256 ? n_further : 256;
    const uint32_t n_parts = module->is_even         ? n_of_tile + n_further + 256
                             : n_of_tile > n_further ? n_of_tile
                                                     : n_further;
    const uint32_t n_lanes = module->has_subgroups ? 0 : SPD_TREE_N_INVOCATIONS;
    return n_parts * slot + n_lanes * (slot + 2 * spd_tree_fetched_bytes(image)) +
           ((module->has_slots ? 3 : 2) * n_common + 4 +
            (image->format.codec == SPD_TREE_SRGB8 ? 256 : 0)) *
               4;
}

/* Whether there are invocations for all texels below a tile: two each for the first level, and
 * one for all further ones together. */
static inline bool spd_tree_has_invocations(const struct spd_tree_image *image,
                                            const struct spd_tree_plan *plan)
{
    uint32_t n_further = 0;
    for (uint32_t n = 2; plan->n_first + n < image->n_levels; n++) {
        n_further += spd_tree_most(plan, n);
    }
    return spd_tree_most(plan, 1) <= 2 * SPD_TREE_N_INVOCATIONS &&
           n_further <= SPD_TREE_N_INVOCATIONS;
}

static inline void spd_tree_set_tiles(const struct spd_tree_image *image,
                                      struct spd_tree_plan *plan)
{
    const uint32_t x = spd_tree_size_of_level(image->width, plan->n_first);
    const uint32_t y = spd_tree_size_of_level(image->height, plan->n_first);
    plan->n_groups[0] = (x - 1) / plan->tile_x + 1;
    plan->n_groups[1] = (y - 1) / plan->tile_y + 1;
    plan->n_groups[2] = image->n_layers;
}

/* Lanes that exchange texels. */
static inline uint32_t spd_tree_lanes(const struct spd_tree_plan *plan)
{
    return plan->module.has_subgroups ? plan->subgroup_size : 32;
}

/* Whether one of the levels that strips read is odd, or a single texel. */
static inline bool spd_tree_is_general(const struct spd_tree_image *image)
{
    return (image->width | image->height) % 8 != 0;
}

static inline uint32_t spd_tree_strip_tile_x(const struct spd_tree_plan *plan, bool is_general)
{
    const uint32_t n_lanes = spd_tree_lanes(plan);
    return SPD_TREE_N_INVOCATIONS / n_lanes / 2 * ((4 * n_lanes - (is_general ? 7 : 0)) >> 3);
}

/* Strips of so many rows; false if they cannot be. */
static inline bool spd_tree_set_strips(const struct spd_tree_image *image, uint32_t rows,
                                       struct spd_tree_plan *plan)
{
    plan->shape = SPD_TREE_STRIPS;
    plan->n_first = 3;
    plan->rows = rows;
    plan->tile_x = spd_tree_strip_tile_x(plan, spd_tree_is_general(image));
    plan->tile_y = 2 * rows;
    spd_tree_set_tiles(image, plan);
    return rows <= plan->max_rows && spd_tree_has_invocations(image, plan);
}

/* Tiles that bring a part of one word, at most, where it has two channels (words.glsl). */
#define SPD_TREE_MAX_SHARING  1024u
#define SPD_TREE_MOST_SHARING 32767u /* and where it has one */

/* Whether there are levels below those of tiles, made by share_parts.glsl. */
static inline bool spd_tree_has_parts(const struct spd_tree_image *image,
                                      const struct spd_tree_plan *plan)
{
    return !plan->is_climbing && plan->n_first + 1 < image->n_levels;
}

/* Cores of a device that does not say. Each is to run two workgroups, which take half of its
 * shared memory each; all that run at a time are a wave. */
#define SPD_TREE_USUAL_CORES 64u

static inline uint32_t spd_tree_shared_budget(const struct spd_tree_device *device)
{
    return device->is_cpu ? device->max_shared_bytes : device->max_shared_bytes / 2;
}

static inline uint32_t spd_tree_wave(const struct spd_tree_device *device)
{
    return 2 * (device->n_cores > 0 ? device->n_cores : SPD_TREE_USUAL_CORES);
}

/* Those strips that take the fewest waves of workgroups, and of these the shortest: what is
 * left over at the end of a wave, where cores wait, and the parts that each tile hands on cost
 * most. Those of updates, whose tiles are few, are as short as can be. */
static const uint8_t spd_tree_rows[] = {1, 2, 3, 4, 5, 6, 8, 10, 12};
#define SPD_TREE_N_ROWS (uint32_t)(sizeof spd_tree_rows)

static inline uint32_t spd_tree_max_rows(const struct spd_tree_device *device,
                                         const struct spd_tree_image *image,
                                         const struct spd_tree_plan *plan)
{
    const uint32_t tile_x = spd_tree_strip_tile_x(plan, false);
    for (uint32_t i = SPD_TREE_N_ROWS; i-- > 0;) {
        const uint32_t most = i > 0 ? spd_tree_shared_budget(device) : device->max_shared_bytes;
        const uint32_t rows = spd_tree_rows[i];
        if (spd_tree_shared_bytes(image, &plan->module, tile_x, 2 * rows) <= most) {
            return rows;
        }
    }
    return 0;
}

static inline bool spd_tree_choose_strips(const struct spd_tree_device *device,
                                          const struct spd_tree_image *image, uint32_t rows,
                                          struct spd_tree_plan *plan)
{
    struct spd_tree_plan best = *plan;
    uint64_t fewest = UINT64_MAX;
    /* A workgroup takes so many registers for texels of 16 bytes that a core has room for one.
     */
    const uint32_t wave =
        spd_tree_wave(device) / (spd_tree_texel_bytes(image->format) == 16 ? 2 : 1);
    plan->module.is_even = plan->is_climbing = false;
    plan->max_rows = spd_tree_max_rows(device, image, plan);
    for (uint32_t i = 0; i < SPD_TREE_N_ROWS; i++) {
        struct spd_tree_plan with = *plan;
        const uint32_t r = spd_tree_rows[i];
        if ((rows > 0 && r != rows) || (rows == 0 && image->is_update && r > 1) ||
            (rows == 0 && device->is_cpu && !image->is_update && r < 8 && r < plan->max_rows) ||
            !spd_tree_set_strips(image, r, &with)) {
            continue;
        }
        const uint64_t n_tiles =
            (uint64_t)with.n_groups[0] * with.n_groups[1] * with.n_groups[2];
        const uint64_t n_waves = (n_tiles - 1) / wave + 1;
        if (n_waves < fewest) {
            best = with;
            fewest = n_waves;
        }
    }
    *plan = best;
    return fewest != UINT64_MAX;
}

/* Texels that an update makes levels below those of its tiles of, as many as there is room for
 * besides, as they are stored; to a CPU all memory is the same. */
static inline uint32_t spd_tree_max_held(const struct spd_tree_device *device,
                                         const struct spd_tree_image *image,
                                         const struct spd_tree_plan *plan)
{
    const uint32_t most = spd_tree_shared_budget(device);
    const uint32_t used =
        spd_tree_shared_bytes(image, &plan->module, plan->tile_x, 2 * plan->max_rows) +
        1024; /* boxes, and a margin */
    return used >= most     ? 0
           : device->is_cpu ? 256
                            : (most - used) / spd_tree_fetched_bytes(image);
}

static inline bool spd_tree_set_even(const struct spd_tree_device *device,
                                     const struct spd_tree_image *image,
                                     struct spd_tree_plan *plan)
{
    const uint32_t n_even = spd_tree_even_levels(image);
    plan->shape = SPD_TREE_EVEN;
    plan->rows = 0;
    plan->n_first = n_even < 6 ? n_even : 6;
    plan->tile_x = plan->tile_y = 64u >> plan->n_first;
    plan->module.is_even = true;
    /* Tiles that make six levels, of powers of two if there are others: climb.glsl goes on from
     * one texel of each. */
    plan->is_climbing = plan->n_first == 6 &&
                        (image->n_levels == 7 || ((image->width & (image->width - 1)) == 0 &&
                                                  (image->height & (image->height - 1)) == 0));
    spd_tree_set_tiles(image, plan);
    return plan->module.has_subgroups && (n_even >= 3 || n_even + 1 == image->n_levels) &&
           spd_tree_shared_bytes(image, &plan->module, 8, 8) <= device->max_shared_bytes;
}

/* Tiles, up to which words bring as many levels as there may be at once, since few wait for
 * their turn. */
#define SPD_TREE_MAX_WIDE 1024u

/* By words as many levels as a word counts tiles of, and as lanes are there for; by slots so
 * that the fewest cells follow one another: each is a round trip to memory. */
static inline uint32_t spd_tree_span_of(const struct spd_tree_image *image,
                                        const struct spd_tree_plan *plan)
{
    const uint32_t n_words = (image->format.n_channels + 1) / 2,
                   n_lanes = spd_tree_lanes(plan) / n_words;
    const uint32_t n_below = image->n_levels - 1 - plan->n_first,
                   n_steps = n_below > 0 ? (n_below - 1) / 4 + 1 : 1;
    const uint32_t even = (n_below + n_steps - 1) / n_steps;
    if (plan->module.has_slots) {
        return even < 3 ? 3 : even;
    }
    if ((uint64_t)plan->n_groups[0] * plan->n_groups[1] > SPD_TREE_MAX_WIDE) {
        return n_lanes < 3 ? n_lanes : 3;
    }
    return n_lanes < 5 ? n_lanes : 5;
}

/* As in sharing.glsl: tiles that share a texel `n` levels below theirs, at most. */
static inline uint64_t spd_tree_most_sharing(const struct spd_tree_image *image,
                                             const struct spd_tree_plan *plan, uint32_t n)
{
    const uint32_t mask = (UINT32_C(1) << n) - 1;
    const uint32_t added_x = spd_tree_size_of_level(image->width, plan->n_first) & mask;
    const uint32_t added_y = spd_tree_size_of_level(image->height, plan->n_first) & mask;
    const uint32_t x = (added_x + mask - 1) / plan->tile_x + 2,
                   y = (added_y + mask - 1) / plan->tile_y + 2;
    return (uint64_t)(x < plan->n_groups[0] ? x : plan->n_groups[0]) *
           (y < plan->n_groups[1] ? y : plan->n_groups[1]);
}

/* Nodes that the `i`-th level below those of tiles has in a layer; what those are see
 * words.glsl, slots.glsl, climb.glsl and update.glsl. */
static inline uint64_t spd_tree_nodes_of(const struct spd_tree_image *image,
                                         const struct spd_tree_plan *plan, uint32_t i)
{
    const bool climbs = plan->is_climbing && plan->module.has_slots;
    const uint32_t span = plan->span, level = plan->n_first + (image->is_update ? i
                                                               : climbs         ? span * i
                                                                                : i + 1);
    if (level >= image->n_levels || (climbs && level + 1 >= image->n_levels)) {
        return 0;
    }
    const uint64_t x = spd_tree_size_of_level(image->width, level);
    const uint64_t y = spd_tree_size_of_level(image->height, level);
    if (climbs) {
        return (x >> span > 0 ? x >> span : 1) * (y >> span > 0 ? y >> span : 1) << 2 * span;
    }
    return x * y *
           (plan->module.has_slots && !image->is_update
                ? spd_tree_most_sharing(image, plan, i + 1)
                : 1);
}

/* Bytes of the buffers, and where nodes begin; false if there are too many. */
static inline bool spd_tree_set_nodes(const struct spd_tree_device *device,
                                      const struct spd_tree_image *image,
                                      struct spd_tree_plan *plan)
{
    const uint64_t n_words = plan->push.is_many ? image->format.n_channels
                                                : ((uint64_t)image->format.n_channels + 1) / 2;
    uint64_t n = 0;
    for (uint32_t i = 0; i < 12; i++) {
        plan->push.nodes[i] = (uint32_t)n;
        n += spd_tree_nodes_of(image, plan, i);
    }
    plan->push.n_nodes = (uint32_t)n;
    plan->hand_off_bytes =
        (n * image->n_layers + 1) * (image->is_update         ? spd_tree_fetched_bytes(image)
                                     : plan->module.has_slots ? spd_tree_slot_bytes(image)
                                     : plan->module.is_extreme
                                         ? image->format.n_channels * sizeof(uint32_t)
                                         : n_words * sizeof(uint64_t));
    plan->counter_bytes = (n * image->n_layers + image->n_layers + 1) * sizeof(uint32_t);
    return plan->hand_off_bytes <= device->max_buffer_bytes &&
           plan->counter_bytes <= device->max_buffer_bytes;
}

/* What makes averages of the sums of levels 1 to 3, as in reduce.glsl: along an axis, odd sizes
 * are weighed by whole numbers over the next power of two or, of codes, over the middle one. */
static inline double spd_tree_scale(uint32_t size, const struct spd_tree_image *image)
{
    uint32_t unit = 2;
    while (unit < size) {
        unit *= 2;
    }
    return size == 1 ? 1.0
           : size % 2 == 0
               ? (image->format.codec == SPD_TREE_FLOAT32 && !image->weighs_alpha ? 1.0 : 0.5)
               : (double)(spd_tree_is_normalised(image->format) ? size / 2 : unit) /
                     (double)size;
}

static inline uint32_t spd_tree_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Rounded once, since averages of 32-bit floats have little to spare, and down, so that no mean
 * is larger than what it is of. Extremes are not scaled. */
static inline float spd_tree_rounded_scale(const struct spd_tree_image *image, double scale)
{
    float rounded = (float)scale;
    if (!spd_tree_is_normalised(image->format) && (double)rounded > scale) {
        const uint32_t bits = spd_tree_float_bits(rounded) - 1;
        memcpy(&rounded, &bits, sizeof rounded);
    }
    return image->reduction == SPD_TREE_AVERAGE ? rounded : 1.0f;
}

static inline void spd_tree_set_scales(const struct spd_tree_image *image,
                                       struct spd_tree_plan *plan)
{
    double scale = 1.0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t width = spd_tree_size_of_level(image->width, i);
        /* Of a width of one texel, level 0 weighs it and its repetition (strips.glsl). */
        const double own = spd_tree_scale(i == 0 && width == 1 ? 2 : width, image) *
                           spd_tree_scale(spd_tree_size_of_level(image->height, i), image);
        scale = spd_tree_is_normalised(image->format) ? scale * own : own;
        plan->push.scales[i] = spd_tree_rounded_scale(image, scale);
    }
}

/* Whether all tiles run at a time: then what each hands on is waited for. */
static inline bool spd_tree_is_late(const struct spd_tree_device *device,
                                    const struct spd_tree_image *image,
                                    const struct spd_tree_plan *plan)
{
    return !device->is_cpu && /* llvmpipe loses what is kept for that */
           plan->is_climbing &&
           (uint64_t)plan->n_groups[0] * plan->n_groups[1] * image->n_layers <=
               spd_tree_wave(device);
}

static inline void spd_tree_set_constants(const struct spd_tree_device *device,
                                          const struct spd_tree_image *image,
                                          struct spd_tree_plan *plan)
{
    const struct spd_tree_format format = image->format;
    const bool is_unorm = spd_tree_is_normalised(format),
               is_10 = format.codec == SPD_TREE_UNORM10_2;
    const bool is_even = plan->shape == SPD_TREE_EVEN;
    const uint32_t dropped = format.codec == SPD_TREE_FLOAT16      ? 13
                             : format.codec == SPD_TREE_FLOAT11_10 ? 17
                                                                   : 0;
    const struct spd_tree_constant constants[SPD_TREE_N_CONSTANTS] = {
        {"SUBGROUP_SIZE", 2, spd_tree_lanes(plan)},
        {"MAX_ROWS", 3, plan->max_rows},
        {"GENERAL", 4, !is_even && spd_tree_is_general(image)},
        {"IS_CLIMBING", 5, is_even && plan->is_climbing},
        {"IS_LATE", 6, is_even && spd_tree_is_late(device, image, plan)},
        {"IS_GPU", 9, !device->is_cpu},
        {"UNORM_MAX", 11,
         spd_tree_float_bits(is_10      ? 1023.0f
                             : is_unorm ? 255.0f
                                        : 0.0f)},
        {"UNORM_MAX_ALPHA", 12,
         spd_tree_float_bits(is_10      ? 3.0f
                             : is_unorm ? 255.0f
                                        : 0.0f)},
        {"IS_SRGB", 13, format.codec == SPD_TREE_SRGB8},
        {"DROPPED_BITS", 14, dropped},
        {"DROPPED_BITS_BLUE", 15, dropped == 17 ? 18 : dropped},
        {"REDUCE", 16, (uint32_t)image->reduction},
        {"WEIGH_ALPHA", 17, image->weighs_alpha},
        {"CODEC", 20,
         is_10                            ? 2u
         : format.codec == SPD_TREE_SRGB8 ? 1u
                                          : 0u},
        {"IS_LEAN", 24, plan->is_lean},
        {"N_HELD", 25, 1}, /* whoever plans an update knows how many, and how many rectangles */
        {"N_RECTS", 23, 1},
    };
    memcpy(plan->constants, constants, sizeof constants);
}

static inline bool spd_tree_has_subgroups(const struct spd_tree_device *device)
{
    return device->has_subgroups && device->subgroup_size >= 4 &&
           device->subgroup_size <= SPD_TREE_N_INVOCATIONS / 2 &&
           (device->subgroup_size & (device->subgroup_size - 1)) == 0;
}

/* Whether words can hand on what tiles make. */
static inline bool spd_tree_may_have_words(const struct spd_tree_image *image)
{
    return image->reduction == SPD_TREE_AVERAGE && !image->weighs_alpha && !image->is_update &&
           spd_tree_is_normalised(image->format);
}

/* Tiles of 64x64 cost less than strips where all sizes are even or texels have 16 bytes, and
 * otherwise up to somewhat more than two waves of them: each has parts to share, for which it
 * waits. */
static inline bool spd_tree_even_is_best(const struct spd_tree_device *device,
                                         const struct spd_tree_image *image,
                                         const struct spd_tree_plan *plan)
{
    const uint64_t n_tiles = (uint64_t)plan->n_groups[0] * plan->n_groups[1];
    /* Of sRGB three workgroups and not four fit on a core. */
    const uint32_t quarters = image->format.codec == SPD_TREE_SRGB8 ? 6 : 9;
    return !spd_tree_has_parts(image, plan) ||
           n_tiles * image->n_layers <= (uint64_t)spd_tree_wave(device) * quarters / 4 ||
           ((device->is_cpu || spd_tree_texel_bytes(image->format) == 16) &&
            n_tiles <= SPD_TREE_MOST_SHARING);
}

static inline bool spd_tree_set_shape(const struct spd_tree_device *device,
                                      const struct spd_tree_image *image,
                                      const struct spd_tree_options *options,
                                      struct spd_tree_plan *plan)
{
    if (options->shape != SPD_TREE_STRIPS && options->rows == 0 &&
        spd_tree_set_even(device, image, plan) &&
        (options->shape == SPD_TREE_EVEN || spd_tree_even_is_best(device, image, plan))) {
        return true;
    }
    return options->shape != SPD_TREE_EVEN &&
           spd_tree_choose_strips(device, image, options->rows, plan);
}

/* The module, as far as it does not depend on how tiles are made. */
static inline void spd_tree_set_module(const struct spd_tree_device *device,
                                       const struct spd_tree_image *image,
                                       struct spd_tree_plan *plan)
{
    const uint32_t texel_bytes = spd_tree_texel_bytes(image->format);
    plan->view = image->is_depth    ? SPD_TREE_VIEW_OF_FORMAT
                 : texel_bytes == 4 ? SPD_TREE_VIEW_R32
                 : texel_bytes == 8 ? SPD_TREE_VIEW_R32G32
                                    : SPD_TREE_VIEW_OF_FORMAT;
    plan->module.n_channels = (uint8_t)image->format.n_channels;
    plan->module.raw_words =
        (uint8_t)(plan->view == SPD_TREE_VIEW_OF_FORMAT ? 0 : texel_bytes / 4);
    plan->module.weighs_alpha = image->weighs_alpha;
    plan->module.is_update = image->is_update;
    plan->module.is_extreme = image->reduction != SPD_TREE_AVERAGE;
    const bool may_have_words = spd_tree_may_have_words(image);
    plan->module.has_subgroups = spd_tree_has_subgroups(device) && !image->is_update &&
                                 (!may_have_words || device->has_int64_atomics);
    plan->module.has_slots =
        image->is_update ||
        (!plan->module.is_extreme && !(may_have_words && plan->module.has_subgroups));
    plan->subgroup_size = plan->module.has_subgroups ? device->subgroup_size : 0;
}

static inline bool spd_tree_is_format(struct spd_tree_format format)
{
    switch (format.codec) {
    case SPD_TREE_SRGB8:
    case SPD_TREE_UNORM10_2:
        return format.n_channels == 4;
    case SPD_TREE_FLOAT11_10:
        return format.n_channels == 3;
    case SPD_TREE_UNORM8:
    case SPD_TREE_FLOAT16:
    case SPD_TREE_FLOAT32:
        return format.n_channels == 1 || format.n_channels == 2 || format.n_channels == 4;
    }
    return false;
}

/* Whether there are such images: what a field that was forgotten has is none. */
static inline bool spd_tree_is_image(const struct spd_tree_image *image)
{
    const uint32_t size = image->width | image->height;
    return image->width - 1 < 65535 && image->height - 1 < 65535 && image->n_layers > 0 &&
           image->n_levels >= 2 && image->n_levels <= SPD_TREE_MAX_LEVELS &&
           size >> (image->n_levels - 1) > 0;
}

/* Whether the image is of a kind that there is, whatever its size. */
static inline const char *spd_tree_why_no_kind(const struct spd_tree_image *image,
                                               const struct spd_tree_options *options)
{
    const bool is_float = image->format.codec == SPD_TREE_FLOAT32;
    if (!spd_tree_is_format(image->format)) {
        return "a format has 1, 2 or 4 channels, of SRGB8 and UNORM10_2 4, and of FLOAT11_10 3";
    }
    if ((uint32_t)image->reduction > SPD_TREE_MAXIMUM ||
        (uint32_t)options->shape > SPD_TREE_STRIPS) {
        return "a reduction or shape is none of those that there are";
    }
    if (image->weighs_alpha &&
        (image->format.n_channels != 4 || image->reduction != SPD_TREE_AVERAGE)) {
        return "only averages of four channels weigh colour by alpha";
    }
    return image->is_depth && (!is_float || image->format.n_channels != 1)
               ? "levels of a depth image are FLOAT32 of one channel"
               : NULL;
}

/* Push constants, but for nodes and scales. */
static inline void spd_tree_set_push(const struct spd_tree_image *image,
                                     const struct spd_tree_options *options,
                                     struct spd_tree_plan *plan)
{
    plan->push.base_extent[0] = (int32_t)image->width;
    plan->push.base_extent[1] = (int32_t)image->height;
    plan->push.inv_base_extent[0] = 1.0f / (float)image->width;
    plan->push.inv_base_extent[1] = 1.0f / (float)image->height;
    /* Where only tiles are wanted, the levels below them are none. */
    plan->push.n_levels = options->is_tile_only && plan->n_first + 1 < image->n_levels
                              ? plan->n_first + 1
                              : image->n_levels;
    plan->push.n_first = plan->n_first;
    plan->push.strip_rows = plan->rows;
    plan->push.span = plan->span;
}

/* As spd_tree_make_plan(), by subgroups of device->subgroup_size. */
static inline const char *spd_tree_plan_as(const struct spd_tree_device *device,
                                           const struct spd_tree_image *image,
                                           const struct spd_tree_options *options, bool is_lean,
                                           struct spd_tree_plan *plan)
{
    const struct spd_tree_format format = image->format;
    if (!spd_tree_is_image(image)) {
        return "an image has 1 to 65535 texels along each axis, 1 layer or more, and 2 to 16 "
               "levels, level 0 included and no more than it can have";
    }
    if (spd_tree_why_no_kind(image, options)) {
        return spd_tree_why_no_kind(image, options);
    }
    memset(plan, 0, sizeof *plan);
    plan->is_lean = is_lean;
    spd_tree_set_module(device, image, plan);
    if (!spd_tree_set_shape(device, image, options, plan)) {
        return options->shape == SPD_TREE_EVEN
                   ? "tiles of 64x64 are for images of which three levels are even, on devices "
                     "with subgroup operations"
               : options->rows > 0
                   ? "so many rows take more shared memory or invocations than a workgroup has"
                   : "a workgroup has too little shared memory for this image";
    }
    /* A slot takes all channels at once, ordered words one by one. */
    plan->module.has_slots |=
        plan->module.is_extreme && plan->module.is_even && format.n_channels > 1;
    plan->module.has_sums = plan->module.is_even && !plan->module.has_slots &&
                            !plan->module.is_extreme && format.codec == SPD_TREE_UNORM8 &&
                            format.n_channels == 4 && plan->subgroup_size >= 16;
    const uint64_t n_tiles = (uint64_t)plan->n_groups[0] * plan->n_groups[1];
    plan->push.is_many = spd_tree_has_parts(image, plan) && n_tiles >= SPD_TREE_MAX_SHARING;
    if (plan->push.is_many && !plan->module.has_slots && !plan->module.is_extreme &&
        n_tiles > SPD_TREE_MOST_SHARING) {
        return "so few rows make more tiles than words can count";
    }
    plan->span = spd_tree_span_of(image, plan);
    plan->max_held = spd_tree_max_held(device, image, plan);
    if (!spd_tree_set_nodes(device, image, plan)) {
        return "what tiles hand on takes more than a buffer of the device holds";
    }
    spd_tree_set_push(image, options, plan);
    spd_tree_set_scales(image, plan);
    spd_tree_set_constants(device, image, plan);
    return NULL;
}

/* What takes few registers in any case: many even tiles, of four bytes a texel. */
static inline bool spd_tree_is_small(const struct spd_tree_device *device,
                                     const struct spd_tree_image *image,
                                     const struct spd_tree_plan *plan)
{
    return plan->shape == SPD_TREE_EVEN && !spd_tree_is_late(device, image, plan) &&
           spd_tree_texel_bytes(image->format) <= 4;
}

/* Fill in `*plan`. NULL, or what cannot be, in a sentence. `options` may be NULL. */
static inline const char *spd_tree_make_plan(const struct spd_tree_device *device,
                                             const struct spd_tree_image *image,
                                             const struct spd_tree_options *options,
                                             struct spd_tree_plan *plan)
{
    static const struct spd_tree_options none = {SPD_TREE_ANY_SHAPE, 0, false};
    options = options ? options : &none;
    struct spd_tree_image coded = *image;
    const bool is_srgb = image->format.codec == SPD_TREE_SRGB8 && image->format.n_channels == 4;
    if (is_srgb && image->reduction != SPD_TREE_AVERAGE) { /* the curve rises: compare codes */
        coded.format.codec = SPD_TREE_UNORM8;
    }
    const char *why = spd_tree_plan_as(device, &coded, options, false, plan);
    if (device->lean_subgroup_size == 0 || (!why && spd_tree_is_small(device, &coded, plan))) {
        return why;
    }
    struct spd_tree_device lean = *device;
    lean.subgroup_size = device->lean_subgroup_size;
    return spd_tree_plan_as(&lean, &coded, options, true, plan);
}

#endif
