/* Every level of an image of any size in one dispatch, each texel the exact area average, minimum or maximum of
 * level 0. Tiles make their first levels, by even.glsl or strips.glsl, and share all further ones, by
 * climb.glsl or share_parts.glsl: through words (words.glsl) or slots (slots.glsl). What texels are says
 * texel.glsl. Modules differ by what is defined:
 *
 *     CHANNELS, RAW, ALPHA, SUMS    see texel.glsl
 *     SUBGROUPS               lanes exchange texels by subgroup operations, else through shared memory
 *     SLOTS                   tiles share by slots, else by words of 64 bits
 *     UPDATES                 only what changed rectangles reach is made; with SLOTS */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_spirv_intrinsics : require
#ifdef SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#ifndef SLOTS
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
#pragma use_vulkan_memory_model
#include "common.glsl"
#include "texel.glsl"
#include "lanes.glsl"
#include "reduce.glsl"
#include "sharing.glsl"
#ifdef SLOTS
#include "slots.glsl"
#else
#include "words.glsl"
#endif
#include "share_parts.glsl"
#include "even.glsl"
#ifndef SUMS
#include "strips.glsl"
#endif
#ifdef UPDATES
#include "update.glsl"
#else
#include "climb.glsl"
#endif

/* From the last row to the first. An H200 fetches the number of workgroups with the addresses of buffers, which
 * are so there when they are needed: 0.2 us of 6 for 256x256, of 12 for 2048x2048. The dispatch has to be
 * whole, without a base. */
ivec2 tile_of_workgroup()
{
#ifdef UPDATES
    return listed_tile();
#else
    return ivec2(gl_WorkGroupID.x, gl_NumWorkGroups.y - 1u - gl_WorkGroupID.y);
#endif
}

/* The levels below those of a tile, all of whose last one lies in parts[]. */
void make_below(ivec2 tile, int layer, uint index)
{
#ifdef UPDATES
    finish_update(tile, layer, index);
#else
    share_tile(tile, layer, index);
#endif
}

void main()
{
#ifdef UPDATES
    if (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x >= n_tiles) {
        return;
    }
#endif
    int layer = int(gl_WorkGroupID.z);
    uint index = INDEX;
    ivec2 tile = tile_of_workgroup();
#ifndef SUMS
    if (!IS_EVEN) {
        prepare_codec(index);
        make_tile_of_strips(tile, layer, LANES_ID, LANE);
        if (HAS_BELOW) {
            make_below(tile, layer, index);
        }
        return;
    }
#endif
#ifndef SLOTS
    Node start;
    if (HAS_BELOW && IS_ALL_EVEN) {
        start = start_of_climb(tile, layer);
    }
#endif
    EvenTile made;
    bool is_there = make_even_tile(tile, layer, index, made);
#ifndef UPDATES
    if (HAS_BELOW && IS_ALL_EVEN && is_there) {
#ifdef SLOTS
        climb(tile, layer, made.lower.sums);
#else
        climb(start, tile, layer, made.lower.sums);
#endif
    }
#endif
    if (HAS_BELOW && !IS_ALL_EVEN) {
        make_below(tile, layer, index);
    }
    store_late(tile, layer, index, made);
}
