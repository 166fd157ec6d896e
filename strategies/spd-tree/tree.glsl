/* The tree of tiles and cells: where everything is, what needs what, and counting it; spd_tree.comp
 * draws it. The kernel that includes this enables GL_KHR_memory_scope_semantics and the Vulkan memory
 * model. */
#ifndef TREE_GLSL
#define TREE_GLSL
#include "levels.glsl"

#define N_INVOCATIONS 256
#define MAX_STEPS 6 /* of the tree, tiles included */
#define CELL_LEVELS 3
#define MAX_LEVELS 16

layout(local_size_x = N_INVOCATIONS) in;

layout(constant_id = 0) const bool LOAD_SAMPLER = false; /* level 0: one fetch for 2x2 */
layout(constant_id = 1) const int TILE_LEVEL3 = 8;   /* a tile's texels of level 3, per axis */
layout(constant_id = 2) const int FIRST_LEVELS = 3;  /* that tiles make */
layout(constant_id = 3) const bool IS_EVEN = false;  /* no axis of levels 0 to FIRST_LEVELS - 1 is odd */

layout(constant_id = 4) const bool ARE_CELLS_EVEN = false; /* nor of any level below */
layout(constant_id = 7) const bool HAS_EVEN_PAIR = false;  /* at least of levels 0 and 1 */

#ifdef UPDATES /* rectangles of one, where loops are not safe */
layout(constant_id = 9) const int MOST_RECTS = 16;
#else
#define MOST_RECTS 1
#endif

/* False if lanes that count in a loop are lost there, as by llvmpipe 22.3. */
layout(constant_id = 8) const bool IS_LOOP_SAFE = true;

/* Parts left out to find what they cost: all cells. */
layout(constant_id = 5) const bool HAS_CELLS = true;

/* Texels of the last of their levels that tiles make. */
#ifdef STRIPS
layout(constant_id = 6) const int SUBGROUP_SIZE = 32;
layout(constant_id = 9) const int STRIP_ROWS = 4; /* of level FIRST_LEVELS */
/* Of the width and the height, whether level 0 is odd, level 1 and so on, bit by bit. */
layout(constant_id = 21) const int ODD_X = 7;
layout(constant_id = 22) const int ODD_Y = 7;
/* Whether one of these levels may be one texel wide or high. */
layout(constant_id = 23) const bool IS_NARROW = true;
layout(constant_id = 24) const bool HAS_PAIRS = false; /* two channels are shared by one word (words.glsl) */
/* Columns of level 0 that a strip takes beyond its own; a single one is fetched besides. */
const int HALO = ODD_X == 1 ? 0 : ODD_X;
const int STRIP_COLUMNS = 4 * SUBGROUP_SIZE - HALO >> FIRST_LEVELS;
const int STRIPS_X = N_INVOCATIONS / SUBGROUP_SIZE / 2;
const int TILE_X = STRIPS_X * STRIP_COLUMNS, TILE_Y = 2 * STRIP_ROWS;
#else
const int TILE_WIDTH = 8 * TILE_LEVEL3 >> FIRST_LEVELS;
const int TILE_X = TILE_WIDTH, TILE_Y = TILE_WIDTH;
#endif
/* No constant: spirv-opt, as validation layers use it, misplaces a vector of specialisation constants. */
#define TILE_SIZE ivec2(TILE_X, TILE_Y)

#ifdef RAW /* texels of four bytes as they are */
layout(set = 0, binding = 0) uniform usampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly uimage2DArray levels[15]; /* level 1 is [0] */
#else
layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[15];
#endif
layout(set = 0, binding = 2) nonprivate buffer HandOff
{
    vec4 hand_off[]; /* layer, step, row, column */
};
layout(set = 0, binding = 3) nonprivate buffer Counter
{
    uint counter[]; /* layer, step, row, column of the cell; zero between runs */
};

/* Of updates: what was stored of each step's sources, [0] of step 1; how many sources of a cell are
 * made anew, first of all for tiles, then as the counters; corners (x, y) and (z, w), included, of
 * what each rectangle reaches, level by level; and the tiles that are made, x and y << 16. */
layout(set = 0, binding = 4) uniform sampler2DArray stored[5];
layout(set = 0, binding = 5) readonly buffer Made
{
    uint n_made[];
};
layout(set = 0, binding = 6) readonly buffer Cones
{
    ivec4 cones[]; /* [rectangle][MAX_LEVELS] */
};
layout(set = 0, binding = 7) readonly buffer Tiles
{
    uint tiles[];
};

layout(push_constant) uniform Push
{
    ivec2 base_extent;
    vec2 inv_base_extent;
    int n_levels;    /* base included */
    int n_steps;     /* of the tree, tiles included; at least 1 */
    int final_step;  /* which makes all that is left in one cell; n_steps: none does */
    uint n_texels;   /* of a layer in the hand-off buffer */
    uint n_counters; /* of a layer */
    uint n_rects;    /* of an update */
    uint n_nodes;    /* of a layer, where the levels below 6 are carried by counters */
    uint nodes_per_level;
    uint first_texel[MAX_STEPS];   /* of a step's sources in the hand-off buffer; [0] is unused */
    uint first_counter[MAX_STEPS]; /* of its cells */
#ifdef STRIPS
    vec4 scales; /* of what strips.glsl sums up for levels 1 to 4 (reduce.glsl) */
#endif
};

/* Of nodes: where those of a level begin, the first below tiles being 0; in place of the two arrays. */
uint first_node(int i)
{
    return i < MAX_STEPS ? first_texel[i] : first_counter[i - MAX_STEPS];
}

/* From the last row to the first. An H200 fetches the number of workgroups with the addresses of buffers, which
 * are so there when they are needed: 0.2 us of 6 for 256x256, of 12 for 2048x2048. The dispatch has to be
 * whole, without a base. */
ivec2 tile_of_workgroup()
{
    uint listed = IS_UPDATE ? tiles[gl_WorkGroupID.x] : 0u;
    ivec2 in_turn = ivec2(gl_WorkGroupID.x, gl_NumWorkGroups.y - 1u - gl_WorkGroupID.y);
    return IS_UPDATE ? ivec2(listed & 0xffffu, listed >> 16) : in_turn;
}

/* Which source of a step's cells made a texel that they begin with. */
ivec2 source_of(int step, ivec2 at)
{
    return step == 1 ? ivec2(uint(at.x) / uint(TILE_X), uint(at.y) / uint(TILE_Y)) : at;
}

/* What the cells of a step begin with. */
int source_level(int step)
{
    return FIRST_LEVELS + CELL_LEVELS * (step - 1);
}

/* What they, or (step 0) tiles, make last. */
int last_level(int step)
{
    return step == final_step ? n_levels - 1
                              : min(FIRST_LEVELS + CELL_LEVELS * step, n_levels - 1);
}

/* Width of a cell in texels of the last level that it makes, as a power of two: more than one texel
 * where the chain ends before three levels are made. */
int cell_shift(int step)
{
    return CELL_LEVELS + source_level(step) - last_level(step);
}

/* Cells of a step, or tiles. */
ivec2 grid_of(int step)
{
    if (step == final_step) {
        return ivec2(1);
    }
    ivec2 last = level_extent(base_extent, last_level(step)) - 1;
    return (step == 0 ? source_of(1, last) : last >> cell_shift(step)) + 1;
}

uint cell_index(int step, ivec2 cell)
{
    return first_counter[step] + uint(cell.y * grid_of(step).x + cell.x);
}

bool is_made(int step, ivec2 at)
{
    return n_made[cell_index(step - 1, source_of(step, at))] != 0u;
}

/* Where a texel lies that a step begins with. */
uint texel_index(int step, ivec2 at, int layer)
{
    return uint(layer) * n_texels + first_texel[step] +
           uint(at.y * level_extent(base_extent, source_level(step)).x + at.x);
}

vec4 fetch_stored(int step, ivec3 at)
{
    switch (step) {
    case 1: return texelFetch(stored[0], at, 0);
    case 2: return texelFetch(stored[1], at, 0);
    case 3: return texelFetch(stored[2], at, 0);
    case 4: return texelFetch(stored[3], at, 0);
    default: return texelFetch(stored[4], at, 0);
    }
}

/* A texel that a step begins with: as it was handed on, or, in an update, as it is stored. */
vec4 load_source(int step, ivec2 at, int layer)
{
    if (IS_UPDATE && !is_made(step, at)) {
        return as_stored(loaded(fetch_stored(step, ivec3(at, layer))));
    }
    return hand_off[texel_index(step, at, layer)];
}

/* Leave a texel to the step. */
void leave_source(int step, ivec2 at, int layer, vec4 texel)
{
    hand_off[texel_index(step, at, layer)] = IS_UPDATE ? as_stored(texel) : texel;
}

/* In an update, whether any rectangle reaches the texel. Where loops are not safe its end is a
 * constant, so that there is none: drivers unroll it. */
bool is_to_be_written(int level, ivec2 at)
{
    if (!IS_UPDATE) {
        return true;
    }
    bool is_reached = false;
    uint n = IS_LOOP_SAFE ? n_rects : uint(MOST_RECTS);
    for (uint i = 0u; i < n; i++) {
        if (i < n_rects) {
            ivec4 cone = cones[i * MAX_LEVELS + level];
            bool is_inside = all(lessThanEqual(ivec4(cone.xy, at), ivec4(at, cone.zw)));
            is_reached = is_reached || is_inside;
        }
    }
    return is_reached;
}

#ifdef RAW
uvec4 to_store(vec4 texel); /* of codes.glsl */
#define STORED uvec4
#else
vec4 to_store(vec4 texel)
{
    return rounded(texel);
}
#define STORED vec4
#endif

/* Constant indices only: dynamic indexing of storage images is an optional feature. Stores beyond a
 * level's size have no effect (Vulkan, "Texel Output Validation Operations"). */
void store_as(int level, ivec2 at, int layer, STORED value)
{
    ivec3 p = ivec3(at, layer);
    if (!is_to_be_written(level, at)) {
        return;
    }
    switch (level) {
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

#ifdef RAW
void store_bytes(int level, ivec2 at, int layer, uint bytes)
{
    store_as(level, at, layer, uvec4(bytes, 0u, 0u, 0u));
}
#endif

void store(int level, ivec2 at, int layer, vec4 texel)
{
    store_as(level, at, layer, to_store(texel));
}

/* Where the four texels meet that a texel of level 1 is made of. */
vec3 corner_of(ivec2 at, int layer)
{
    return vec3(vec2(2 * at + 1) * inv_base_extent, layer);
}

#ifndef RAW
vec4 fetch_clamped(ivec2 at, int layer)
{
    return loaded(texelFetch(source, ivec3(min(at, base_extent - 1), layer), 0));
}

/* Texel `at` of level 1 where level 0 has even sizes, or is one texel wide. */
vec4 sample_level1(ivec2 at, int layer)
{
    ivec2 p = 2 * at;
    if (LOAD_SAMPLER) {
        return loaded(textureLod(source, corner_of(at, layer), 0.0));
    }
    return reduce_2x2(fetch_clamped(p, layer), fetch_clamped(p + ivec2(1, 0), layer),
                      fetch_clamped(p + ivec2(0, 1), layer), fetch_clamped(p + 1, layer),
                      base_extent);
}

#ifdef EXTREMES
vec4 load_level1(ivec2 at, int layer);
#else
vec4 load_level1(ivec2 at, int layer)
{
    return sample_level1(at, layer);
}
#endif
#endif

/* How far what a cell needs reaches from its first source texel: for three levels 7, if they are
 * even, to 14. */
ivec2 cell_reach(int step)
{
    ivec2 reach = ivec2((1 << cell_shift(step)) - 1);
    for (int level = last_level(step) - 1; level >= source_level(step); level--) {
        reach = 2 * reach + 1 + (level_extent(base_extent, level) & 1);
    }
    return reach;
}

/* How many tiles or cells make what a cell needs. */
uint n_sources(int step, ivec2 cell)
{
    if (IS_UPDATE) {
        return n_made[cell_index(step, cell)];
    }
    ivec2 first = cell << CELL_LEVELS, last = level_extent(base_extent, source_level(step)) - 1;
    if (step != final_step) {
        last = min(first + cell_reach(step), last);
    }
    ivec2 n = source_of(step, last) - source_of(step, first) + 1;
    return uint(n.x * n.y);
}

/* Add to a cell's counter, by one invocation: true if all its `n` sources are there now. What others
 * left for it is visible to this invocation then. */
bool count_is_last(int step, ivec2 cell, uint n, int layer)
{
    uint at = uint(layer) * n_counters + cell_index(step, cell);
    uint done = atomicAdd(counter[at], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                          gl_SemanticsRelease | gl_SemanticsMakeAvailable);
    bool is_last = done == n - 1u;
    if (is_last) {
        memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,
                      gl_SemanticsAcquire | gl_SemanticsMakeVisible);
        atomicStore(counter[at], 0u, gl_ScopeDevice, 0, 0);
    }
    return is_last;
}

#endif
