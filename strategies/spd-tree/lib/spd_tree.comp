/* Makes every level of an image of any size in one dispatch. Each texel is the exact area average, the minimum or the
 * maximum of its texels of level 0. Tiles make their first levels (even.glsl or strips.glsl) and cooperate on the rest
 * (tail.glsl or partials.glsl) through words (words.glsl, extremes.glsl) or slots (slots.glsl). texel.glsl defines what
 * a texel is. Modules differ by these defines:
 *
 *     CHANNELS, RAW, ALPHA, SUMS    see texel.glsl
 *     EVEN                    tiles of 64x64 texels; otherwise strips
 *     SUBGROUPS               lanes exchange texels by subgroup operations; otherwise through shared memory
 *     SLOTS                   tiles cooperate through slots: averages, minima and maxima (REDUCE)
 *     EXTREME                 through 32-bit words: minima and maxima
 *     neither of the two      through 64-bit words: averages
 *     UPDATES                 makes only what a changed rectangle affects; requires SLOTS
 *
 * Parameters that nothing assigns to are const: glslang passes those by value and all others through a variable of the
 * caller, which makes modules a quarter larger. */
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
#include "partials.glsl"
#ifdef EVEN
#include "even.glsl"
#include "tail.glsl"
#else
#include "strips.glsl"
#endif
#ifdef UPDATES
#include "update.glsl"
#endif

/* Tiles run from the last row to the first. Reading the number of workgroups makes an H200 fetch the addresses of
 * buffers along with it, before they are needed: this saves 0.2 us of 6 at 256x256 and of 12 at 2048x2048. The dispatch
 * must be whole, without a base. */
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
    if (HAS_TAIL) {
        Node start = start_of_tail(tile, layer);
        if (make_even_tile(tile, layer, index, made)) {
            make_tail(start, tile, layer, made.lower.sums);
        }
        store_late(tile, layer, index, made);
        return;
    }
    make_even_tile(tile, layer, index, made);
    if (HAS_PARTIALS) {
        share_tile(tile, layer, index);
    }
}
#else
void make_tile(const ivec2 tile, const int layer, const uint index)
{
    prepare_codec(index);
    make_tile_of_strips(tile, layer, LANES_ID, LANE);
    if (HAS_PARTIALS) {
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
