/* spd-tree of 8-bit sRGB codes where no size is odd: tiles by tile.glsl, from texels that curve.glsl decodes,
 * and from there by carry.glsl. */
#version 460
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#pragma use_vulkan_memory_model
#define RAW
#include "tree.glsl"
#include "codes.glsl"
#include "turns.glsl"
#include "wave.glsl"
#include "curve.glsl"
#include "tile.glsl"
#include "carry.glsl"

vec4 block_texel(int step, ivec2 block, int layer, uint i)
{
    return cells[i]; /* there are tiles only */
}

/* Lanes 16 to 31 make the same texels as 0 to 15: while these store level 4, four of those store level 5 and one
 * level 6, so that all three are encoded at once, after their sum was brought. What an axis of one texel
 * has no others for is that texel again (fetch_level1()), so that any lane of 16 has level 6. */
const bool HAS_TWICE = SUBGROUP_SIZE >= 32;

struct LowerTexels {
    vec4 level4, level5, level6;
};

LowerTexels make_levels_4_6(ivec2 tile, int layer, uint lane)
{
    LowerTexels made;
    made.level4 = make_first_level(0, 3, tile, layer, lane & 15u, false);
    made.level5 = join_lanes(made.level4, level_extent(base_extent, 4), 1u, 2u);
    made.level6 = join_lanes(made.level5, level_extent(base_extent, 5), 4u, 8u);
    return made;
}

void store_levels_4_6(ivec2 tile, int layer, uint lane, LowerTexels made)
{
    bool is_level5 = lane >= 16u && lane < 32u && (lane & 3u) == 0u, is_level6 = lane == 17u;
    uvec4 code = to_store(is_level6 ? made.level6 : is_level5 ? made.level5 : made.level4);
    if (lane < 16u) {
        store_as(4, tile * 4 + place(lane), layer, code);
    }
    if (is_level5 && n_levels > 5) {
        store_as(5, tile * 2 + place(lane - 16u >> 2), layer, code);
    }
    if (is_level6 && n_levels > 6) {
        store_as(6, tile, layer, code);
    }
}

void main()
{
    int layer = int(gl_WorkGroupID.z);
    uint lane = gl_SubgroupInvocationID;
    ivec2 tile = tile_of_workgroup();
    TileTexels upper;
    make_levels_1_3(tile, layer, gl_SubgroupID * SUBGROUP_SIZE + lane, upper);
    if (gl_SubgroupID != 0u || n_levels <= 4) {
        return;
    }
    LowerTexels lower;
    if (HAS_TWICE) {
        lower = make_levels_4_6(tile, layer, lane);
    } else {
        lower.level6 = make_levels(0, tile, layer, lane);
    }
    if (n_levels > 7 && HAS_CELLS) {
        carry(Node(0u, 0u), tile, fixed_point(lower.level6), layer, lane);
    }
    if (HAS_TWICE) {
        store_levels_4_6(tile, layer, lane, lower);
    }
}
