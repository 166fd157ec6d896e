/* What all parts of spd-tree share: bindings, constants, sizes of levels and stores to them.
 *
 * A workgroup makes the first levels of a tile, and with all others what lies below: which levels tiles make and
 * how large they are is planned on the host (spd_tree.h, which names each constant). */
#ifndef COMMON_GLSL
#define COMMON_GLSL
#include "levels.glsl"

#define N_INVOCATIONS 256

layout(local_size_x = N_INVOCATIONS) in;

/* Tiles of 64x64 texels whose levels have no odd size, by even.glsl; otherwise blocks of strips, by strips.glsl. */
layout(constant_id = 0) const bool IS_EVEN = false;
layout(constant_id = 1) const int FIRST_LEVELS = 3;   /* that tiles make */
layout(constant_id = 22) const int N_LEVELS = 16;     /* level 0 included */
layout(constant_id = 2) const int SUBGROUP_SIZE = 32; /* lanes that exchange texels (lanes.glsl) */
layout(constant_id = 3) const int STRIP_ROWS = 4;     /* of level FIRST_LEVELS */
/* Of the width and the height, whether level 0 is odd, level 1 and so on, bit by bit. */
layout(constant_id = 4) const int ODD_X = 7;
layout(constant_id = 5) const int ODD_Y = 7;
/* Whether one of the levels that tiles make, but the last, may be one texel wide or high. */
layout(constant_id = 6) const bool IS_NARROW = true;
/* Whether there are levels below those of tiles; and whether no size of any level is odd. */
layout(constant_id = 7) const bool HAS_BELOW = true;
layout(constant_id = 8) const bool IS_ALL_EVEN = false;
/* False on llvmpipe: 22.3 loses lanes that count in a loop, and cannot compile halves for ARM. */
layout(constant_id = 9) const bool IS_GPU = true;
/* Levels that are handed on at once by climb.glsl. */
layout(constant_id = 19) const int SPAN = 3;
/* What even tiles store after they have handed on what they made: nothing, levels 4 to 6, or all but level 3. Where few
 * of them are at work the others wait for that; where further ones wait for their turn, it is the other way round. */
layout(constant_id = 21) const int LATE = 0;
/* Fewer registers, where a compiler spills them: strips fetch nothing in advance. */
layout(constant_id = 24) const bool IS_LEAN = false;

/* Columns of level 0 that a strip takes beyond its own; a single one is fetched besides. */
const int HALO = ODD_X == 1 ? 0 : ODD_X;
const int STRIP_COLUMNS = 4 * SUBGROUP_SIZE - HALO >> FIRST_LEVELS;
const int STRIPS_X = N_INVOCATIONS / SUBGROUP_SIZE / 2;

/* Texels of level FIRST_LEVELS that a tile makes. No vector: spirv-opt, as validation layers use it, misplaces
 * vectors of specialisation constants. */
const int TILE_X = IS_EVEN ? 64 >> FIRST_LEVELS : STRIPS_X * STRIP_COLUMNS;
const int TILE_Y = IS_EVEN ? 64 >> FIRST_LEVELS : 2 * STRIP_ROWS;
#define TILE_SIZE ivec2(TILE_X, TILE_Y)

#ifdef RAW /* texels as words, whatever is in them */
layout(set = 0, binding = 0) uniform usampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly uimage2DArray levels[15]; /* level 1 is [0] */
#define STORED uvec4
#else
layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[15];
#define STORED vec4
#endif

/* In rows of 16 bytes, as HLSL packs them, too. */
layout(push_constant) uniform Push
{
    ivec2 base_extent;
    vec2 inv_base_extent;
    uint zero; /* which no compiler knows (texel.glsl) */
    uint n_nodes; /* of a layer, in what is handed on */
    uint n_tiles; /* of an update, in a layer */
    uint padding;
    vec4 scales;  /* of what strips.glsl sums up for levels 1 to 4 (reduce.glsl) */
    uvec4 nodes[3];
};

/* Where nodes of the i-th level below those of tiles begin, the first being 0. */
uint first_node(int i)
{
    return nodes[i >> 2][i & 3];
}

ivec2 extent_of(int level)
{
    return level_extent(base_extent, level);
}

#ifdef UPDATES
bool is_to_be_written(int level, ivec2 at);
#else
#define is_to_be_written(level, at) true
#endif

/* Constant indices only: dynamic indexing of storage images is an optional feature. Stores beyond a
 * level's size have no effect (Vulkan, "Texel Output Validation Operations"). */
#define STORE_CASE(n, lowest)                                                                       \
    case n:                                                                                         \
        if (n >= lowest && n < N_LEVELS) {                                                          \
            imageStore(levels[n - 1], p, value);                                                    \
        }                                                                                           \
        break;
#define DEFINE_STORE(name, lowest)                                                                  \
    void name(int level, ivec2 at, int layer, STORED value)                                         \
    {                                                                                               \
        ivec3 p = ivec3(at, layer);                                                                 \
        switch (level) {                                                                            \
            STORE_CASE(1, lowest)                                                                   \
            STORE_CASE(2, lowest)                                                                   \
            STORE_CASE(3, lowest)                                                                   \
            STORE_CASE(4, lowest)                                                                   \
            STORE_CASE(5, lowest)                                                                   \
            STORE_CASE(6, lowest)                                                                   \
            STORE_CASE(7, lowest)                                                                   \
            STORE_CASE(8, lowest)                                                                   \
            STORE_CASE(9, lowest)                                                                   \
            STORE_CASE(10, lowest)                                                                  \
            STORE_CASE(11, lowest)                                                                  \
            STORE_CASE(12, lowest)                                                                  \
            STORE_CASE(13, lowest)                                                                  \
            STORE_CASE(14, lowest)                                                                  \
            STORE_CASE(15, lowest)                                                                  \
        }                                                                                           \
    }

DEFINE_STORE(store_as, 1)
DEFINE_STORE(store_as_below, FIRST_LEVELS + 1) /* where the level is known at run time only */

#endif
