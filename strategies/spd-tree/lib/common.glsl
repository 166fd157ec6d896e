/* What all parts of spd-tree share: bindings, constants, level sizes, and stores to levels.
 *
 * A workgroup makes the first levels of its tile, and all workgroups together make the levels below. The host plans
 * which levels tiles make and how large tiles are (spd_tree_plan.h). Specialisation constants depend on the format and
 * the device; everything that depends on the image's size is a push constant. */
#include "levels.glsl"

#define N_INVOCATIONS 256

layout(local_size_x = N_INVOCATIONS) in;

layout(constant_id = 2) const int SUBGROUP_SIZE = 32; /* lanes that exchange texels (lanes.glsl) */
/* False on llvmpipe: Mesa 22.3 loses lanes that count in a loop and cannot compile half floats for ARM. */
layout(constant_id = 9) const bool IS_GPU = true;
/* True for compilers that would spill registers: strips then prefetch nothing. */
layout(constant_id = 24) const bool IS_LEAN = false;
/* The largest number of rows in a strip, limited by shared memory. */
layout(constant_id = 3) const int MAX_ROWS = 12;

#ifdef EXTREME
#define IS_EXTREME true
#elif defined(SLOTS) && !defined(ALPHA)
#define IS_EXTREME (REDUCE != REDUCE_AVG)
#else
#define IS_EXTREME false
#endif

#ifdef RAW /* texels are uninterpreted words */
layout(set = 0, binding = 0) uniform usampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly uimage2DArray levels[15]; /* levels[0] is level 1 */
#define STORED uvec4
#else
layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[15];
#define STORED vec4
#endif

/* Everything that depends on the image's size. */
layout(push_constant, std430) uniform Push
{
    ivec2 base_extent;
    vec2 inv_base_extent;
    uint zero; /* always 0, but unknown to the compiler (texel.glsl) */
    uint n_nodes; /* nodes of a layer, in the hand-off buffers */
    uint n_tiles; /* of an update, in a layer */
    int n_levels; /* includes level 0 */
    vec3 scales;  /* turn the sums of strips.glsl into averages, for levels 1 to 3 (reduce.glsl) */
    int n_first;  /* levels that tiles make; strips make 3 */
    int strip_rows; /* rows of level 3 */
    int levels_per_round;     /* levels that tail.glsl makes per round */
    int is_many;  /* more than 1023 tiles contribute to a texel (words.glsl) */
    uint nodes[12]; /* first node of each level below the tiles' levels; nodes[0] is 0 */
#ifdef UPDATES /* nodes holds floats, as bits: the scales of levels from FIRST_LEVELS on */
    int changed[4];  /* first and last corner in level 0, inclusive */
    uint first_tile; /* x and y << 16 */
#endif
};

#ifdef EVEN /* tiles of 64x64 texels (even.glsl) */
/* Whether tiles make six levels and tail.glsl continues from each tile's single texel of level 6. Otherwise tiles
 * contribute partials to all levels below theirs. */
layout(constant_id = 5) const bool HAS_TAIL = true;
/* Whether there are so few tiles that the hand-off is the critical path: tiles then store all levels but the third
 * after the hand-off. */
layout(constant_id = 6) const bool IS_LATE = true;
#define TILE_LEVELS_END (FIRST_LEVELS + 1)
#define FIRST_LEVELS (HAS_TAIL ? 6 : n_first)
#define TILE_X (64 >> FIRST_LEVELS)
#define TILE_Y TILE_X
const int MAX_TILE_X = 8, MAX_TILE_Y = 8;
#else /* blocks of strips (strips.glsl) */
#define FIRST_LEVELS 3
#define TILE_LEVELS_END n_levels
/* Whether one of the first three levels may have an odd size or be one texel wide along an axis. */
layout(constant_id = 4) const bool GENERAL = true;
/* Columns of level 0 that a strip reads beyond its own. */
const int HALO = GENERAL ? 7 : 0;
const int STRIP_COLUMNS = 4 * SUBGROUP_SIZE - HALO >> 3;
const int STRIPS_X = N_INVOCATIONS / SUBGROUP_SIZE / 2;
const int MAX_TILE_X = STRIPS_X * STRIP_COLUMNS, MAX_TILE_Y = 2 * MAX_ROWS;
#define TILE_X MAX_TILE_X
#define TILE_Y (2 * strip_rows)
#endif
#define TILE_SIZE ivec2(TILE_X, TILE_Y) /* texels of the last level that a tile makes */

ivec2 extent_of(const int level)
{
    return level_extent(base_extent, level);
}

#ifdef UPDATES
bool is_to_be_written(const int level, const ivec2 at);
#else
#define is_to_be_written(level, at) true
#endif

/* Stores to a level named by a constant. Stores beyond a level's size have no effect (Vulkan, "Texel Output Validation
 * Operations"). */
#define STORE_LEVEL(level, at, layer, value)                                                        \
    if (level < TILE_LEVELS_END && is_to_be_written(level, at)) {                                   \
        imageStore(levels[level - 1], ivec3(at, layer), value);                                     \
    }

/* Stores to a level known only at run time, because dynamic indexing of storage images is an optional feature. */
void store_any(const int level, const ivec2 at, const int layer, const STORED value)
{
    ivec3 p = ivec3(at, layer);
    switch (level < n_levels ? level : 0) {
    case 1: imageStore(levels[0], p, value); break;
    case 2: imageStore(levels[1], p, value); break;
    case 3: imageStore(levels[2], p, value); break;
    case 4: imageStore(levels[3], p, value); break;
    case 5: imageStore(levels[4], p, value); break;
    case 6: imageStore(levels[5], p, value); break;
    case 7: imageStore(levels[6], p, value); break;
    case 8: imageStore(levels[7], p, value); break;
    case 9: imageStore(levels[8], p, value); break;
    case 10: imageStore(levels[9], p, value); break;
    case 11: imageStore(levels[10], p, value); break;
    case 12: imageStore(levels[11], p, value); break;
    case 13: imageStore(levels[12], p, value); break;
    case 14: imageStore(levels[13], p, value); break;
    case 15: imageStore(levels[14], p, value); break;
    }
}
