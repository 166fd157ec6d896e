/* Single-pass downsampler as ported to Metal for depth pyramids (K. Gavras, 2026, after AMD's
 * SPD): every level in one dispatch, without subgroup operations.
 *
 * A workgroup of 16x16 invocations reduces one 64x64 tile of level 0 to one texel of level 6
 * and increments a counter. The last workgroup to count makes the levels below: with a single
 * invocation, as published, or with all of its invocations.
 *
 *     level 0      64x64 a tile    each invocation reads a block of 4x4 texels ...
 *     level 1      32x32           ... and makes 2x2 of them, which fill the shared tile
 *     level 2..6   16x16 .. 1x1    in the shared tile, each into its top left quarter
 *     - level 6 handed over: hand_off.glsl -
 *     level 7..12                  by one invocation, texel after texel, or as a tile is made
 *
 * It differs from the published kernel in two ways:
 *
 * The shared tile. Texel (x, y) of a step is made from cells (2x..2x+1, 2y..2y+1) and stored in
 * cell (x, y), which is also a source of texel (x/2, y/2) of the same step. The published
 * kernel has one barrier per step, after the write, so writing one texel races with reading for
 * the other. A barrier between reading and writing prevents the race:
 *
 *     read 2x2 cells | barrier | write one cell | barrier | read 2x2 cells of the next level
 *
 * Level 0. The published kernel reads a depth buffer and also writes level 0 of the pyramid.
 * Here level 0 is already in the image; with COPY every texel of it is copied to another image
 * in the same pass, which gives the traffic of the published kernel.
 *
 * The tile is one plane per channel: a single float per cell for depth, as published.
 *
 * Levels of odd size follow the floor policy, as published: texels 2x and 2x+1. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model

#include "hand_off.glsl"

#define TILE_WIDTH 32 /* cells: one per texel of level 1 */

layout(local_size_x = 16, local_size_y = 16) in;

layout(constant_id = 0) const bool COPY = false;
layout(constant_id = 1) const bool TAIL_BY_GROUP = false;
layout(constant_id = 2) const int N_CHANNELS = 4;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[12]; /* level 1 is [0] */
layout(set = 0, binding = 5) uniform writeonly image2DArray copied;

layout(push_constant) uniform Push
{
    ivec4 tiles;       /* of an update: first (x, y) and last (z, w) tile dispatched */
    ivec4 rect;        /* of an update, in level 0: first (x, y) and last (z, w) texel */
    ivec4 affected;        /* of an update, in level 1: first (x, y) and last (z, w) texel */
    ivec2 base_extent;
    int n_levels;      /* includes level 0 */
    uint n_tiles;      /* workgroups per slice */
};

/* 16 KiB with four channels: the most that Vulkan guarantees. */
shared float tile_cells[N_CHANNELS][TILE_WIDTH][TILE_WIDTH];

vec4 cell(ivec2 at)
{
    vec4 texel = vec4(0.0, 0.0, 0.0, 1.0);
    for (int channel = 0; channel < N_CHANNELS; channel++) {
        texel[channel] = tile_cells[channel][at.y][at.x];
    }
    return texel;
}

void set_cell(ivec2 at, vec4 texel)
{
    for (int channel = 0; channel < N_CHANNELS; channel++) {
        tile_cells[channel][at.y][at.x] = texel[channel];
    }
}

/* Uses constant indices only, because dynamic indexing of storage images is an optional
 * feature. Stores beyond a level's size have no effect (Vulkan, "Texel Output Validation
 * Operations"). */
void store(int level, ivec2 at, int slice, vec4 texel)
{
    ivec3 p = ivec3(at, slice);
    if (IS_UPDATE && !depends_on(affected, level - 1, at)) {
        return;
    }
    texel = rounded(texel);
    switch (level) {
    case 1: imageStore(levels[0], p, texel); break;
    case 2: imageStore(levels[1], p, texel); break;
    case 3: imageStore(levels[2], p, texel); break;
    case 4: imageStore(levels[3], p, texel); break;
    case 5: imageStore(levels[4], p, texel); break;
    case 6: imageStore(levels[5], p, texel); break;
    case 7: imageStore(levels[6], p, texel); break;
    case 8: imageStore(levels[7], p, texel); break;
    case 9: imageStore(levels[8], p, texel); break;
    case 10: imageStore(levels[9], p, texel); break;
    case 11: imageStore(levels[10], p, texel); break;
    case 12: imageStore(levels[11], p, texel); break;
    }
}

/* Fetches texel `at` of level 0 and, with COPY, copies it. The copy is exact: both views have
 * the storage format, and a code rounds to itself. */
vec4 fetch(ivec2 at, int slice)
{
    vec4 texel = texelFetch(source, ivec3(min(at, base_extent - 1), slice), 0);
    if (COPY && (!IS_UPDATE || depends_on(rect, 0, at))) {
        imageStore(copied, ivec3(at, slice), texel);
    }
    return loaded(texel);
}

vec4 load(int level, ivec2 at, int slice)
{
    return level == 0 ? fetch(at, slice)
                      : load_level6(at, level_extent(base_extent, 6), tiles, slice);
}

/* The texel made from the 2x2 texels of level 0 or 6 at 2 * at. */
vec4 reduce_loaded(int level, ivec2 at, int slice)
{
    ivec2 p = 2 * at;
    return reduce_2x2(load(level, p, slice), load(level, p + ivec2(1, 0), slice),
                      load(level, p + ivec2(0, 1), slice), load(level, p + 1, slice),
                      level_extent(base_extent, level));
}

/* The texel made from the 2x2 cells of `level` at 2 * at. */
vec4 reduce_cells(int level, ivec2 at)
{
    ivec2 p = 2 * at;
    return reduce_2x2(cell(p), cell(p + ivec2(1, 0)), cell(p + ivec2(0, 1)), cell(p + 1),
                      level_extent(base_extent, level));
}

/* Reduces n x n cells of `level` to level + 1, which fills their top left quarter. */
void step_tile(int level, int n, ivec2 origin, int slice)
{
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    bool has_texel = all(lessThan(at, ivec2(n / 2)));
    vec4 texel = vec4(0.0);
    barrier();
    if (has_texel) {
        texel = reduce_cells(level, at);
    }
    barrier();
    if (has_texel) {
        store(level + 1, origin + at, slice, texel);
        set_cell(at, texel);
    }
}

/* Makes up to six levels from a tile of 64x64 texels of level 0 or 6. Invocation (0, 0) then
 * has the last texel in cell (0, 0). */
void make_tile(int level, ivec2 tile, int slice)
{
    ivec2 block = 2 * ivec2(gl_LocalInvocationID.xy);
    for (int i = 0; i < 4; i++) {
        ivec2 at = block + ivec2(i & 1, i >> 1);
        ivec2 p = tile * TILE_WIDTH + at;
        vec4 texel = reduce_loaded(level, p, slice);
        store(level + 1, p, slice, texel);
        set_cell(at, texel);
    }
    for (int i = 1; i < 6; i++) {
        int n = 2 * TILE_WIDTH >> i;
        if (n_levels > level + i + 1) {
            step_tile(level + i, n, tile * (n / 2), slice);
        }
    }
}

/* Texel `at` of level 7 or below. */
void make_tail_texel(int level, ivec2 at, int slice)
{
    vec4 texel = level == 7 ? reduce_loaded(6, at, slice) : reduce_cells(level - 1, at);
    store(level, at, slice, texel);
    set_cell(at, texel);
}

/* Makes levels 7 and below with one invocation: row by row from the top, and each row from the
 * left, so that every cell is read before it is overwritten. All other invocations run the
 * loops too: if only some invocations enter a loop that reads memory, llvmpipe (Mesa 22.3)
 * leaves the loop after one iteration. */
void make_tail_alone(bool is_first, int slice)
{
    for (int level = 7; level < n_levels; level++) {
        ivec2 extent = level_extent(base_extent, level);
        for (int i = 0; i < extent.x * extent.y; i++) {
            if (is_first) {
                make_tail_texel(level, ivec2(i % extent.x, i / extent.x), slice);
            }
        }
    }
}

/* Broadcasts `fact` from the first invocation to the workgroup through a cell of the tile. */
bool told_by_first(bool is_first, bool fact)
{
    if (is_first) {
        tile_cells[0][0][0] = fact ? 1.0 : 0.0;
    }
    barrier();
    return tile_cells[0][0][0] != 0.0;
}

void main()
{
    ivec2 tile = ivec2(gl_WorkGroupID.xy) + (IS_UPDATE ? tiles.xy : ivec2(0));
    int slice = int(gl_WorkGroupID.z);
    bool is_first = gl_LocalInvocationID.xy == uvec2(0);
    make_tile(0, tile, slice);
    if (n_levels <= 7) {
        return;
    }
    bool is_last = is_first && count_is_last(cell(ivec2(0)), tile, slice, n_tiles);
    if (!told_by_first(is_first, is_last)) {
        return;
    }
    barrier(); /* the cell is free again */
    if (TAIL_BY_GROUP) {
        acquire_hand_off();
        make_tile(6, ivec2(0), slice);
    } else {
        make_tail_alone(is_first, slice);
    }
}
