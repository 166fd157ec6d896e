/* spd-tree where no size is odd, by subgroup operations. Levels are as in spd_tree.comp; no barrier but
 * one holds a workgroup up, and cells take one subgroup:
 *
 *     level 1      an invocation has a texel in each quadrant of the tile's 32x32, so that a subgroup
 *                  stores blocks that lie together
 *     level 2      reduced and scattered within quads of lanes: one texel an invocation
 *     level 3      by shuffles, or where subgroups are smaller than 16 in shared memory; 8x8 texels
 *     - barrier; all but the first subgroup leave -
 *     level 4..6   of 64 texels in the lanes of one subgroup
 *     - hand-off: one lane leaves the texel and counts; the others leave unless it is the last -
 *     level 7..9   of 64 texels, as before, and so on
 *
 * 64 texels are in Morton order, bit by bit of the index x and y in turn: the low bits count the
 * texels that a lane has, the others lanes, so that halving an axis is a sum in the lane or one
 * shuffle.
 *
 *     00 01 04 05 10 11 14 15
 *     02 03 06 07 12 13 16 17
 *     08 09 0c 0d 18 19 1c 1d
 *     0a 0b 0e 0f 1a 1b 1e 1f
 *     20 21 ...
 *
 * Memory model: as in spd_tree.comp, but that the one invocation that leaves a texel counts itself: no
 * barrier is needed between the two. What the last one acquires its subgroup sees after a control
 * barrier of the subgroup whose memory scope is the device's. */
#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#include "tree.glsl"
#include "wave.glsl"

shared vec4 cells[256];

Joined swapped_x(Joined own)
{
    return Joined(subgroupQuadSwapHorizontal(own.straight),
                  WEIGH_ALPHA ? subgroupQuadSwapHorizontal(own.weighted) : vec3(0.0));
}

Joined swapped_y(Joined own)
{
    return Joined(subgroupQuadSwapVertical(own.straight),
                  WEIGH_ALPHA ? subgroupQuadSwapVertical(own.weighted) : vec3(0.0));
}

/* Of 2x2 texels of level 1 in the quad, one such block in each quadrant: what the block makes whose
 * quadrant lies as the lane in the quad (a reduce-scatter; each swap halves what is left). */
vec4 scatter_quad(vec4 texel[4], uint lane)
{
    ivec2 extent = level_extent(base_extent, 1);
    bool is_right = (lane & 1u) != 0u, is_below = (lane & 2u) != 0u;
    Joined row[2];
    [[unroll]] for (int y = 0; y < 2; y++) {
        Joined keep = joined_of(is_right ? texel[2 * y + 1] : texel[2 * y]);
        Joined give = joined_of(is_right ? texel[2 * y] : texel[2 * y + 1]);
        row[y] = join(keep, is_narrow(extent.x) ? keep : swapped_x(give));
    }
    Joined keep = row[0], give = row[1];
    if (is_below) {
        keep = row[1];
        give = row[0];
    }
    return texel_of(join(keep, is_narrow(extent.y) ? keep : swapped_y(give)), 0.25);
}

/* Levels 1 and 2 of a tile; the texel of level 2 and its place among 16x16. */
vec4 make_levels_1_2(ivec2 tile, int layer, uint index, out ivec2 at)
{
    ivec2 p = place(index);
    vec4 texel[4];
    [[unroll]] for (int i = 0; i < 4; i++) {
        texel[i] = load_level1(tile * 32 + quadrant(i) * 16 + p, layer);
    }
    [[unroll]] for (int i = 0; i < 4; i++) {
        store(1, tile * 32 + quadrant(i) * 16 + p, layer, texel[i]);
    }
    at = (p >> 1) + quadrant(int(index & 3u)) * 8;
    vec4 made = scatter_quad(texel, index);
    if (n_levels > 2) {
        store(2, tile * 16 + at, layer, made);
    }
    return made;
}

/* Level 3, by lanes that differ in bits 2 (x) and 3 (y) of their index; to the cells. */
void make_level3_by_lanes(ivec2 tile, ivec2 at, vec4 texel, int layer, uint index)
{
    ivec2 extent = level_extent(base_extent, 2);
    Joined own = joined_of(texel);
    Joined row = join(own, is_narrow(extent.x) ? own : shuffled(own, 4u));
    Joined all = join(row, is_narrow(extent.y) ? row : shuffled(row, 8u));
    if ((index & 12u) == 0u) {
        ivec2 p = at >> 1;
        vec4 made = texel_of(all, 0.25);
        cells[p.y * 8 + p.x] = made;
        if (n_levels > 3) {
            store(3, tile * 8 + p, layer, made);
        }
    }
    barrier();
}

/* The same through the cells, where subgroups are too small. */
void make_level3_by_cells(ivec2 tile, ivec2 at, vec4 texel, int layer, uint index)
{
    cells[at.y * 16 + at.x] = texel;
    barrier();
    ivec2 p = ivec2(index & 7u, index >> 3 & 7u);
    int corner = p.y * 32 + p.x * 2;
    vec4 made = reduce_2x2(cells[corner], cells[corner + 1], cells[corner + 16],
                           cells[corner + 17], level_extent(base_extent, 2));
    barrier();
    if (index < 64u) {
        cells[index] = made;
        if (n_levels > 3) {
            store(3, tile * 8 + p, layer, made);
        }
    }
    barrier();
}

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    /* gl_LocalInvocationIndex promises nothing about lanes. */
    uint index = gl_SubgroupID * SUBGROUP_SIZE + lane;
    ivec2 tile = tile_of_workgroup(), at;
    vec4 texel = make_levels_1_2(tile, layer, index, at);
    if (SUBGROUP_SIZE >= 16) {
        make_level3_by_lanes(tile, at, texel, layer, index);
    } else {
        make_level3_by_cells(tile, at, texel, layer, index);
    }
    if (gl_SubgroupID != 0u || n_levels <= 4) {
        return;
    }
    vec4 v[PER_LANE];
    [[unroll]] for (int i = 0; i < PER_LANE; i++) {
        ivec2 p = place((lane & 63u) * PER_LANE + uint(i));
        v[i] = cells[p.y * 8 + p.x];
    }
    make_levels(v, 3, tile, layer, lane);
    make_cells(tile, v[0], layer, lane);
}
