/* The way up the tree where no size is odd, by one subgroup: cells of 8x8 texels, handed on by a buffer. */
#ifndef CLIMB_GLSL
#define CLIMB_GLSL
#include "blocks.glsl"

vec4 block_texel(int step, ivec2 block, int layer, uint i)
{
    if (step == 0) {
        return cells[i];
    }
    ivec2 last = level_extent(base_extent, source_level(step)) - 1;
    return load_source(step, min(block * 8 + place(i), last), layer);
}

/* Leave a texel that a step begins with, and count it, by one lane: true in all of them if it is the
 * last that its cell waits for. */
bool hand_off_is_last(int step, ivec2 at, ivec2 cell, vec4 texel, int layer, uint lane)
{
    bool is_last = false;
    uint n = n_sources(step, cell);
    if (lane == 0u) {
        leave_source(step, at, layer, texel);
        is_last = count_is_last(step, cell, n, layer);
    }
    return subgroupBroadcastFirst(is_last);
}

/* What one lane acquired becomes visible to its subgroup. */
void acquire_hand_off()
{
    controlBarrier(gl_ScopeSubgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

/* Leave the texel `at` that a step begins with; if it is the last that its cell waits for, make the
 * cell, whose last texel takes its place. */
bool make_cell(int step, inout ivec2 at, inout vec4 texel, int layer, uint lane)
{
    ivec2 cell = step == final_step ? ivec2(0) : at >> 3;
    if (!hand_off_is_last(step, at, cell, texel, layer, lane) || !HAS_CELLS) {
        return false;
    }
    acquire_hand_off();
    texel = make_levels(step, cell, layer, lane);
    at = cell;
    return true;
}

/* From the texel of level 6 that the tile made, up the tree as far as this subgroup is the last; three
 * steps are enough for 32768 texels. */
void make_cells(ivec2 at, vec4 texel, int layer, uint lane)
{
    if (IS_LOOP_SAFE) {
        for (int step = 1; step < n_steps && make_cell(step, at, texel, layer, lane); step++) {
        }
        return;
    }
    if (n_steps > 1 && make_cell(1, at, texel, layer, lane) &&
        n_steps > 2 && make_cell(2, at, texel, layer, lane) && n_steps > 3) {
        make_cell(3, at, texel, layer, lane);
    }
}

#endif
