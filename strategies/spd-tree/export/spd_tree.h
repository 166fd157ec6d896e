/* Every mip level of an image by one compute dispatch: what the host needs to run spd_tree.spv.
 * C11 and C++11; of Vulkan only the types. README.md beside it says what the device must have.
 *
 * The kernel is spd_tree.comp, one for all sizes that have a second level, even or odd, and for
 * all formats that mipbench exports. Each level is the exact area average of the one above as
 * it was before rounding, in linear light for sRGB, and rounded once. What differs is set by
 * specialisation constants: those of the size and those of the format. To choose the pipeline
 * of an image is to fill struct spd_tree_constants; pipelines with the same constants are the
 * same pipeline.
 *
 *     once         VkPipelineLayout   spd_tree_bindings(), 96 bytes of push constants
 *     a plan       spd_tree_plan_init(): push constants, dispatch size, scratch sizes
 *     a pipeline   spd_tree_constants_of(), spd_tree_map_entries()
 *     an image     two scratch buffers, one descriptor set by spd_tree_fill_writes()
 *     each time    bind, push plan.push, vkCmdDispatch(plan.n_groups)
 *
 * Before the dispatch level 0 must be readable by compute shaders, and the other levels must be
 * in VK_IMAGE_LAYOUT_GENERAL; what they held is lost. The counters must be zero before the
 * first dispatch (vkCmdFillBuffer, and a barrier to compute shaders); each dispatch leaves them
 * zero, so that nothing is to be cleared between. After a lost device clear them again. Two
 * dispatches that share the scratch buffers need a barrier between them, from
 * VK_ACCESS_SHADER_WRITE_BIT to VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT. */
#ifndef SPD_TREE_H
#define SPD_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#define SPD_TREE_MAX_LEVELS   16u /* level 0 included: up to 65535 texels wide */
#define SPD_TREE_MAX_STEPS    6u
#define SPD_TREE_N_TARGETS    15u
#define SPD_TREE_N_STORED     5u
#define SPD_TREE_N_BINDINGS   8u
#define SPD_TREE_N_CONSTANTS  10u
#define SPD_TREE_TILE         64u /* texels of level 0 per axis that a workgroup begins with */
#define SPD_TREE_INVOCATIONS  256u
#define SPD_TREE_SHARED_BYTES 24480u /* at most, of a workgroup */

/* A texel format; spd_tree_formats.h has those that were asked for. */
struct spd_tree_format {
    const char *name;          /* as mipbench calls it */
    VkFormat format;           /* of the image */
    VkFormat view_format;      /* of all views given to the kernel: it makes sRGB itself */
    uint32_t texel_bytes;      /* in a buffer */
    float max_code, max_alpha; /* codes less one of colour and of alpha; 0: floats */
    uint32_t is_srgb;          /* colour is averaged as light */
    uint32_t dropped_bits;     /* of a 32-bit mantissa that a channel does not hold */
    uint32_t dropped_bits_blue;
};

/* Push constants, as in tree.glsl. */
struct spd_tree_push {
    int32_t width, height;
    float inv_width, inv_height;
    int32_t n_levels;
    int32_t n_steps, final_step;
    uint32_t n_texels, n_counters; /* of a layer, in the scratch buffers */
    uint32_t n_rects;              /* 1 */
    uint32_t unused[2];
    uint32_t first_texel[SPD_TREE_MAX_STEPS];
    uint32_t first_counter[SPD_TREE_MAX_STEPS];
};

/* What one size asks for. */
struct spd_tree_plan {
    struct spd_tree_push push;
    uint32_t n_groups[3];    /* of vkCmdDispatch */
    uint64_t hand_off_bytes; /* scratch, binding 2; what it holds before does not matter */
    uint64_t counter_bytes;  /* scratch, binding 3; zero before the first dispatch */
    uint32_t first_levels;   /* that a workgroup makes of its tile */
    bool is_even;            /* no axis that tiles halve is odd, but for those of one texel */
    bool are_cells_even;     /* nor any further down */
    bool has_even_pair;      /* not is_even, but levels 0 and 1 are */
    bool has_narrow_levels;  /* some level but the last is one texel wide or high */
};

/* Specialisation constants, in the order of spd_tree_map_entries(). Those that tree.glsl and
 * levels.glsl declare besides stay as they are. */
struct spd_tree_constants {
    uint32_t first_levels, is_even, are_cells_even, has_even_pair, has_narrow_levels;
    float max_code, max_alpha;
    uint32_t is_srgb, dropped_bits, dropped_bits_blue;
};

static inline uint32_t spd_tree_level_size(uint32_t size, uint32_t level)
{
    return size >> level > 0 ? size >> level : 1;
}

/* Levels of a full chain, level 0 and 1x1 included. */
static inline uint32_t spd_tree_full_chain(uint32_t width, uint32_t height)
{
    uint32_t n_levels = 1;
    for (uint32_t size = width | height; size > 1; size >>= 1) {
        n_levels++;
    }
    return n_levels;
}

static inline uint32_t spd_tree_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* An axis of this size takes three taps, not two. */
static inline bool spd_tree_is_odd(uint32_t size)
{
    return size % 2 != 0 && size > 1;
}

/* Levels from level 0 on that are halved without an odd axis. */
static inline uint32_t spd_tree_even_levels(uint32_t width, uint32_t height, uint32_t n_levels)
{
    uint32_t n = 0;
    while (n + 1 < n_levels && !spd_tree_is_odd(spd_tree_level_size(width, n)) &&
           !spd_tree_is_odd(spd_tree_level_size(height, n))) {
        n++;
    }
    return n;
}

/* Blocks of `block` texels per axis that cover a level. */
static inline uint32_t spd_tree_blocks(uint32_t size, uint32_t level, uint32_t block)
{
    return (spd_tree_level_size(size, level) - 1) / block + 1;
}

/* How many levels tiles make, and of which kind they are. */
static inline void spd_tree_plan_tiles(struct spd_tree_plan *plan, uint32_t width,
                                       uint32_t height, uint32_t n_levels)
{
    const uint32_t last = n_levels - 1;
    const uint32_t n_even = spd_tree_even_levels(width, height, n_levels);
    plan->is_even = n_even >= spd_tree_min(last, 3);
    plan->are_cells_even = n_even == last;
    plan->has_even_pair = !plan->is_even && n_even >= 2;
    plan->has_narrow_levels =
        spd_tree_level_size(width, last - 1) == 1 || spd_tree_level_size(height, last - 1) == 1;
    plan->first_levels = spd_tree_min(plan->is_even ? n_even : last, plan->is_even ? 6 : 3);
}

/* The steps after the tiles: cells of three levels each, until one cell finishes the rest. */
static inline void spd_tree_plan_cells(struct spd_tree_plan *plan, uint32_t width,
                                       uint32_t height, uint32_t n_levels)
{
    struct spd_tree_push *push = &plan->push;
    const uint32_t last = n_levels - 1, final_width = plan->are_cells_even ? 8 : 32;
    uint32_t step = 1;
    bool is_final = false;
    for (uint32_t level = plan->first_levels; level < last && !is_final; level += 3) {
        const uint32_t n_made = spd_tree_min(3, last - level), block = 8u >> n_made;
        const uint32_t source_width = spd_tree_level_size(width, level);
        const uint32_t source_height = spd_tree_level_size(height, level);
        is_final = source_width <= final_width && source_height <= final_width;
        push->first_texel[step] = push->n_texels;
        push->first_counter[step] = push->n_counters;
        push->n_texels += source_width * source_height;
        push->n_counters += is_final ? 1
                                     : spd_tree_blocks(width, level + n_made, block) *
                                           spd_tree_blocks(height, level + n_made, block);
        step++;
    }
    push->n_steps = (int32_t)step;
    push->final_step = (int32_t)step - (is_final ? 1 : 0);
}

/* False if there is nothing to make (one level), if there are more levels than the size has, or
 * more than SPD_TREE_MAX_LEVELS. `n_levels` has level 0 in it. */
static inline bool spd_tree_plan_init(struct spd_tree_plan *plan, uint32_t width,
                                      uint32_t height, uint32_t n_levels, uint32_t n_layers)
{
    memset(plan, 0, sizeof *plan);
    if (width == 0 || height == 0 || n_layers == 0 || n_levels < 2 ||
        n_levels > spd_tree_full_chain(width, height) || n_levels > SPD_TREE_MAX_LEVELS ||
        width > UINT16_MAX || height > UINT16_MAX) {
        return false;
    }
    struct spd_tree_push *push = &plan->push;
    push->width = (int32_t)width;
    push->height = (int32_t)height;
    push->inv_width = 1.0f / (float)width;
    push->inv_height = 1.0f / (float)height;
    push->n_levels = (int32_t)n_levels;
    push->n_rects = 1;
    spd_tree_plan_tiles(plan, width, height, n_levels);
    spd_tree_plan_cells(plan, width, height, n_levels);
    const uint32_t tile = SPD_TREE_TILE >> plan->first_levels;
    plan->n_groups[0] = spd_tree_blocks(width, plan->first_levels, tile);
    plan->n_groups[1] = spd_tree_blocks(height, plan->first_levels, tile);
    plan->n_groups[2] = n_layers;
    /* A buffer is bound even where nothing is handed on. */
    plan->hand_off_bytes = push->n_texels > 0 ? (uint64_t)16 * n_layers * push->n_texels : 8;
    plan->counter_bytes = push->n_counters > 0 ? (uint64_t)4 * n_layers * push->n_counters : 8;
    return true;
}

static inline struct spd_tree_constants
spd_tree_constants_of(const struct spd_tree_plan *plan, const struct spd_tree_format *format)
{
    struct spd_tree_constants constants;
    constants.first_levels = plan->first_levels;
    constants.is_even = plan->is_even;
    constants.are_cells_even = plan->are_cells_even;
    constants.has_even_pair = plan->has_even_pair;
    constants.has_narrow_levels = plan->has_narrow_levels;
    constants.max_code = format->max_code;
    constants.max_alpha = format->max_alpha;
    constants.is_srgb = format->is_srgb;
    constants.dropped_bits = format->dropped_bits;
    constants.dropped_bits_blue = format->dropped_bits_blue;
    return constants;
}

/* Of VkSpecializationInfo, whose data is a struct spd_tree_constants. */
static inline void spd_tree_map_entries(VkSpecializationMapEntry entries[SPD_TREE_N_CONSTANTS])
{
    static const uint32_t ids[SPD_TREE_N_CONSTANTS] = {2, 3, 4, 7, 10, 11, 12, 13, 14, 15};
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        entries[i].constantID = ids[i];
        entries[i].offset = i * 4;
        entries[i].size = 4;
    }
}

/* The layout of descriptor set 0. */
static inline void spd_tree_bindings(VkDescriptorSetLayoutBinding bindings[SPD_TREE_N_BINDINGS])
{
    static const uint32_t counts[SPD_TREE_N_BINDINGS] = {
        1, SPD_TREE_N_TARGETS, 1, 1, SPD_TREE_N_STORED, 1, 1, 1};
    memset(bindings, 0, SPD_TREE_N_BINDINGS * sizeof *bindings);
    for (uint32_t i = 0; i < SPD_TREE_N_BINDINGS; i++) {
        bindings[i].binding = i;
        bindings[i].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        bindings[i].descriptorCount = counts[i];
        bindings[i].stageFlags = VK_SHADER_STAGE_COMPUTE_BIT;
    }
    bindings[0].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    bindings[1].descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    bindings[4].descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
}

/* What is bound. Views are of type VK_IMAGE_VIEW_TYPE_2D_ARRAY, of all layers, of one level
 * each, in view_format. */
struct spd_tree_resources {
    VkImageView level[SPD_TREE_MAX_LEVELS]; /* n_levels of them; [0] is read */
    uint32_t n_levels;
    VkImageLayout base_layout; /* of level 0 at the dispatch */
    VkSampler sampler;         /* any: texels are fetched, not filtered */
    VkBuffer hand_off, counters;
};

/* Of vkUpdateDescriptorSets: what `write` points to lies beside it, so do not copy it. */
struct spd_tree_writes {
    VkWriteDescriptorSet write[SPD_TREE_N_BINDINGS];
    VkDescriptorImageInfo sampled[SPD_TREE_N_STORED], target[SPD_TREE_N_TARGETS];
    VkDescriptorBufferInfo hand_off, counters;
};

/* Bindings 4 to 7 are of partial updates, which this export leaves out; the kernel never reads
 * them, but they must be valid. So must targets beyond the last level. */
static inline void spd_tree_fill_writes(struct spd_tree_writes *writes, VkDescriptorSet set,
                                        const struct spd_tree_resources *resources)
{
    VkDescriptorSetLayoutBinding bindings[SPD_TREE_N_BINDINGS];
    spd_tree_bindings(bindings);
    memset(writes, 0, sizeof *writes);
    for (uint32_t i = 0; i < SPD_TREE_N_STORED; i++) {
        writes->sampled[i].sampler = resources->sampler;
        writes->sampled[i].imageView = resources->level[0];
        writes->sampled[i].imageLayout = resources->base_layout;
    }
    for (uint32_t i = 0; i < SPD_TREE_N_TARGETS; i++) {
        writes->target[i].imageView =
            resources->level[spd_tree_min(i + 1, resources->n_levels - 1)];
        writes->target[i].imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    writes->hand_off.buffer = resources->hand_off;
    writes->counters.buffer = resources->counters;
    writes->hand_off.range = writes->counters.range = VK_WHOLE_SIZE;
    for (uint32_t i = 0; i < SPD_TREE_N_BINDINGS; i++) {
        VkWriteDescriptorSet *write = &writes->write[i];
        write->sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        write->dstSet = set;
        write->dstBinding = i;
        write->descriptorCount = bindings[i].descriptorCount;
        write->descriptorType = bindings[i].descriptorType;
        write->pImageInfo = i == 1 ? writes->target : writes->sampled;
        write->pBufferInfo = i == 2 ? &writes->hand_off : &writes->counters;
    }
}

#endif
