/* spd-tree where no size is odd, by subgroup operations. Levels are as in spd_tree.comp; no barrier but
 * one holds a workgroup up, and cells take one subgroup:
 *
 *     level 1      an invocation has a texel in each quadrant of the tile's 32x32, so that a subgroup
 *                  stores blocks that lie together
 *     level 2      reduced and scattered within quads of lanes: one texel an invocation
 *     level 3      by shuffles, or where subgroups are smaller than 16 in shared memory; 8x8 texels
 *     - barrier; all but the first subgroup store what is left of level 3 and leave -
 *     level 4..6   of 64 texels in the lanes of one subgroup
 *     - hand-off: one lane leaves the texel and counts; the others leave unless it is the last -
 *     level 7..9   of 64 texels, as before, and so on
 *
 * 64 texels are in Morton order, bit by bit of the index x and y in turn, so that four in a row make
 * one of the next level: a lane joins four (of subgroups smaller than 16: four times), and shuffles
 * join lanes from there.
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
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define UPDATES
#include "tree.glsl"
#include "wave.glsl"
#include "tile.glsl"
#include "climb.glsl"

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    vec4 texel;
    if (make_tile(tile, layer, lane, texel)) {
        make_cells(tile, texel, layer, lane);
    }
}
