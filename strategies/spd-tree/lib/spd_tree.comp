/* Every level of an image of any size in one dispatch, each texel the exact area average, minimum or maximum of
 * level 0. Tiles make their first levels, by even.glsl or strips.glsl, and share all further ones, by
 * climb.glsl or share_parts.glsl: through words (words.glsl, extremes.glsl) or slots (slots.glsl). What texels are
 * says texel.glsl. Modules differ by what is defined:
 *
 *     CHANNELS, RAW, ALPHA, SUMS    see texel.glsl
 *     EVEN                    tiles of 64x64 texels, else strips
 *     SUBGROUPS               lanes exchange texels by subgroup operations, else through shared memory
 *     SLOTS                   tiles share by slots: averages, minima and maxima (REDUCE)
 *     EXTREME                 by words of 32 bits, minima and maxima; neither: by words of 64 bits, averages
 *     UPDATES                 only what a changed rectangle reaches is made; with SLOTS
 *
 * Parameters are const where nothing assigns to them: glslang passes such by value, and all others through a variable
 * of the caller's, by which modules are a quarter larger. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_spirv_intrinsics : require
#ifdef SUBGROUPS
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#endif
#if !defined(SLOTS) && !defined(EXTREME)
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
#pragma use_vulkan_memory_model
#include "common.glsl"
#include "texel.glsl"
#include "lanes.glsl"
#include "reduce.glsl"
#include "sharing.glsl"
#if defined(SLOTS) || defined(EXTREME)
#include "slots.glsl"
#endif
#ifdef EXTREME
#include "extremes.glsl"
#elif !defined(SLOTS)
#include "words.glsl"
#endif
#include "share_parts.glsl"
#ifdef EVEN
#include "even.glsl"
#include "climb.glsl"
#else
#include "strips.glsl"
#endif
#ifdef UPDATES
#include "update.glsl"
#endif

/* From the last row to the first. An H200 fetches the number of workgroups with the addresses of buffers, which
 * are so there when they are needed: 0.2 us of 6 for 256x256, of 12 for 2048x2048. The dispatch has to be
 * whole, without a base. */
ivec2 tile_of_workgroup()
{
#ifdef UPDATES
    return tile_of_update();
#else
    return ivec2(gl_WorkGroupID.x, gl_NumWorkGroups.y - 1u - gl_WorkGroupID.y);
#endif
}

#ifdef EVEN
void make_tile(const ivec2 tile, const int layer, const uint index)
{
    EvenTile made;
    if (IS_CLIMBING) {
        Node start = start_of_climb(tile, layer);
        if (make_even_tile(tile, layer, index, made)) {
            climb(start, tile, layer, made.lower.sums);
        }
        store_late(tile, layer, index, made);
        return;
    }
    make_even_tile(tile, layer, index, made);
    if (HAS_PARTS) {
        share_tile(tile, layer, index);
    }
}
#else
void make_tile(const ivec2 tile, const int layer, const uint index)
{
    prepare_codec(index);
    make_tile_of_strips(tile, layer, LANES_ID, LANE);
    if (HAS_PARTS) {
#ifdef UPDATES
        finish_update(tile, layer, index);
#else
        share_tile(tile, layer, index);
#endif
    }
}
#endif

void main()
{
    make_tile(tile_of_workgroup(), int(gl_WorkGroupID.z), INDEX);
}
