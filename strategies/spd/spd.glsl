/* Single-pass downsampler: every level in one dispatch.
 * After AMD FidelityFX SPD 1.0 and 2.0 (Lottes, Kapoulkine and Rehm, GPUOpen, 2020).
 *
 * A workgroup of 256 invocations takes one 64x64 tile of level 0 down to one texel of level 6,
 * leaves that texel in a buffer, and counts itself. The workgroup that counts last finds the
 * texels of all others (at most 64x64 of them) and makes levels 7 to 12 as a whole group.
 *
 *     level 0   64x64 a tile        each invocation: four 2x2 blocks, one in each quadrant
 *     level 1   32x32               four texels an invocation
 *     level 2   16x16               one texel per 2x2 invocations and quadrant
 *     level 3..6                    in shared memory, a quarter of the cells each time
 *     - hand-off: texel, release, count; the last workgroup acquires -
 *     level 6   64x64 at most       each invocation: 4x4 texels
 *     level 7, 8                    in registers
 *     level 9..12                   in shared memory, as levels 3..6
 *
 * Index to place within 8x8, so that four neighbouring indices are a 2x2 quad:
 *     00 01 08 09 10 11 18 19
 *     02 03 0a 0b 12 13 1a 1b
 *     04 05 0c 0d 14 15 1c 1d
 *     06 07 0e 0f 16 17 1e 1f
 *     20 21 ...
 *
 * How level 6 gets to the last workgroup is in hand_off.glsl.
 *
 * Levels of odd size follow the floor policy, as published: texels 2x and 2x+1.
 *
 * An update writes the cone of its rectangle only. No invocation reads a texel that another writes.
 */
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model

#include "hand_off.glsl"

#define N_INVOCATIONS 256

layout(local_size_x = N_INVOCATIONS) in;

layout(constant_id = 0) const bool LOAD_SAMPLER = false; /* level 0: one fetch for 2x2 */
/* Parts left out to find what they cost: the tail, or the hand-off with it. */
layout(constant_id = 1) const bool HAS_HAND_OFF = true;
layout(constant_id = 2) const bool HAS_TAIL = true;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[12]; /* level 1 is [0] */

layout(push_constant) uniform Push
{
    ivec4 tiles;         /* of an update: the first (x, y) and the last (z, w) dispatched */
    ivec4 cone;          /* of an update, in level 1: corners (x, y) and (z, w) included */
    ivec2 base_extent;
    vec2 inv_base_extent;
    int n_levels;        /* base included */
    uint n_tiles;        /* workgroups per slice */
};

/* Rows are padded by one, which spreads a column over the banks. */
shared vec4 cells[16][17];
shared bool is_last;

uint invocation_index()
{
#ifdef WAVE
    /* Lanes to places by the subgroup's own numbering; gl_LocalInvocationIndex promises nothing
     * about lanes. */
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
    return gl_LocalInvocationIndex;
#endif
}

/* Place of an index in the 8x8 map above, and of four such blocks in 16x16. */
ivec2 place(uint index)
{
    uint x = bitfieldExtract(index, 0, 1) | bitfieldExtract(index, 3, 2) << 1 |
             bitfieldExtract(index, 6, 1) << 3;
    uint y = bitfieldExtract(index, 1, 2) | bitfieldExtract(index, 5, 1) << 2 |
             bitfieldExtract(index, 7, 1) << 3;
    return ivec2(x, y);
}

/* Constant indices only: dynamic indexing of storage images is an optional feature. Stores beyond
 * a level's size have no effect (Vulkan, "Texel Output Validation Operations"). */
void store(int level, ivec2 at, int slice, vec4 texel)
{
    ivec3 p = ivec3(at, slice);
    if (IS_UPDATE && !is_in_cone(cone, level - 1, at)) {
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

vec4 fetch(ivec2 at, int slice)
{
    return loaded(texelFetch(source, ivec3(min(at, base_extent - 1), slice), 0));
}

/* Texel `at` of level 1. */
vec4 load_level1(ivec2 at, int slice)
{
    if (LOAD_SAMPLER) {
        vec2 corner = vec2(2 * at + 1) * inv_base_extent;
        return loaded(textureLod(source, vec3(corner, slice), 0.0));
    }
    ivec2 p = 2 * at;
    return reduce_2x2(fetch(p, slice), fetch(p + ivec2(1, 0), slice),
                      fetch(p + ivec2(0, 1), slice), fetch(p + ivec2(1, 1), slice),
                      base_extent);
}

/* What becomes of the 2x2 cells of `level` at 2 * at, `stride` apart, for any invocation. */
vec4 reduce_cells(int level, ivec2 at, int stride)
{
    ivec2 p = 2 * at * stride;
    return reduce_2x2(cells[p.y][p.x], cells[p.y][p.x + stride], cells[p.y + stride][p.x],
                      cells[p.y + stride][p.x + stride], level_extent(base_extent, level));
}

#ifdef WAVE
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

/* What the quad of lanes makes that holds 2x2 texels of `level`; right in its first lane. Rows
 * first, then the two of them: two swaps instead of three. */
vec4 reduce_quad(int level, vec4 texel)
{
    ivec2 extent = level_extent(base_extent, level);
    Joined own = joined_of(texel);
    Joined row = join(own, is_narrow(extent.x) ? own : swapped_x(own));
    Joined quad = join(row, is_narrow(extent.y) ? row : swapped_y(row));
    return texel_of(quad, 0.25);
}
#endif

/* From level + 0 in `cells` (n x n of them, `stride` apart) to level + 1: stored, and left in the
 * cells that its own four sources occupied, which no other invocation reads. */
void step_cells(int level, int n, int stride, ivec2 origin, uint index, int slice)
{
    barrier();
#ifdef WAVE
    if (index < n * n) {
        ivec2 at = place(index);
        vec4 texel = reduce_quad(level, cells[at.y * stride][at.x * stride]);
        if ((index & 3u) == 0u) {
            store(level + 1, origin + at / 2, slice, texel);
            cells[at.y * stride][at.x * stride] = texel;
        }
    }
#else
    if (index < n * n / 4) {
        ivec2 at = place(index);
        vec4 texel = reduce_cells(level, at, stride);
        store(level + 1, origin + at, slice, texel);
        cells[2 * at.y * stride][2 * at.x * stride] = texel;
    }
#endif
}

/* Four levels from 16x16 cells of `level`; `tile` counts those blocks. Afterwards the texel of
 * level + 4 is in cells[0][0], written by index 0. */
void step_four(int level, ivec2 tile, uint index, int slice)
{
    if (n_levels > level + 1) {
        step_cells(level, 16, 1, tile * 8, index, slice);
    }
    if (n_levels > level + 2) {
        step_cells(level + 1, 8, 2, tile * 4, index, slice);
    }
    if (n_levels > level + 3) {
        step_cells(level + 2, 4, 4, tile * 2, index, slice);
    }
    if (n_levels > level + 4) {
        step_cells(level + 3, 2, 8, tile, index, slice);
    }
}

/* Levels 1 and 2 of a tile, quadrant by quadrant; level 2 goes to `cells`. */
#ifdef WAVE
void make_levels_1_2(ivec2 tile, uint index, int slice)
{
    ivec2 at = place(index);
    for (int i = 0; i < 4; i++) {
        ivec2 quadrant = ivec2(i & 1, i >> 1);
        ivec2 p = tile * 32 + at + quadrant * 16;
        vec4 texel = load_level1(p, slice);
        store(1, p, slice, texel);
        vec4 joined = reduce_quad(1, texel);
        if (n_levels > 2 && (index & 3u) == 0u) {
            ivec2 cell = at / 2 + quadrant * 8;
            store(2, tile * 16 + cell, slice, joined);
            cells[cell.y][cell.x] = joined;
        }
    }
}
#else
void make_levels_1_2(ivec2 tile, uint index, int slice)
{
    ivec2 at = place(index);
    vec4 texel[4];
    for (int i = 0; i < 4; i++) {
        ivec2 p = tile * 32 + at + ivec2(i & 1, i >> 1) * 16;
        texel[i] = load_level1(p, slice);
        store(1, p, slice, texel[i]);
    }
    if (n_levels <= 2) {
        return;
    }
    for (int i = 0; i < 4; i++) {
        cells[at.y][at.x] = texel[i];
        barrier();
        if (index < 64) {
            texel[i] = reduce_cells(1, at, 1);
            store(2, tile * 16 + at + ivec2(i & 1, i >> 1) * 8, slice, texel[i]);
        }
        barrier();
    }
    if (index < 64) {
        for (int i = 0; i < 4; i++) {
            ivec2 cell = at + ivec2(i & 1, i >> 1) * 8;
            cells[cell.y][cell.x] = texel[i];
        }
    }
}
#endif

/* Hand level 6 of this tile over, and tell the whole workgroup whether it was the last. */
bool hand_off_is_last(ivec2 tile, uint index, int slice)
{
    if (index == 0u) {
        is_last = count_is_last(cells[0][0], tile, slice, n_tiles);
    }
    barrier();
    return is_last;
}

/* Weight of texel (x, y) of the 2x2 that make one texel below a level of size `extent`. */
float quarter(ivec2 at, ivec2 extent)
{
    vec2 weight = mix(vec2(0.5), vec2(1 - at), equal(extent, ivec2(1)));
    return weight.x * weight.y;
}

/* Levels 7 and 8 of the whole slice; level 8 goes to `cells`. Texels of the hand-off buffer beyond
 * level 6 are read, but reach none within levels 7 and 8. The compiler must not know that the loop
 * goes round four times: unrolled, its sixteen loads in flight cost registers, and with them
 * occupancy, in every workgroup, though only the last one comes here (H200, 4096x4096: 47
 * registers instead of 40, 48.3 us instead of 46.4). */
void make_levels_7_8(uint index, int slice)
{
    ivec2 at = place(index);
    ivec2 extent6 = level_extent(base_extent, 6);
    ivec2 extent7 = level_extent(base_extent, 7);
    const float infinity = uintBitsToFloat(0x7f800000u);
    Joined all = Joined(vec4(REDUCE == REDUCE_MIN   ? infinity
                             : REDUCE == REDUCE_MAX ? -infinity
                                                    : 0.0),
                        vec3(0.0));
    int n_texels = min(n_levels, 4);
    for (int i = 0; i < n_texels; i++) {
        ivec2 corner = ivec2(i & 1, i >> 1);
        ivec2 p = 2 * at + corner;
        vec4 texel = reduce_2x2(
            load_level6(2 * p, extent6, tiles, slice),
            load_level6(2 * p + ivec2(1, 0), extent6, tiles, slice),
            load_level6(2 * p + ivec2(0, 1), extent6, tiles, slice),
            load_level6(2 * p + 1, extent6, tiles, slice), extent6);
        store(7, p, slice, texel);
        float weight = quarter(corner, extent7);
        if (weight > 0.0) { /* an infinity beyond the level must not get in as 0 * Inf */
            Joined one = joined_of(texel);
            one.straight *= REDUCE == REDUCE_AVG ? weight : 1.0;
            one.weighted *= weight;
            all = join(all, one);
        }
    }
    if (n_levels > 8) {
        vec4 texel = texel_of(all, 1.0);
        store(8, at, slice, texel);
        cells[at.y][at.x] = texel;
    }
}

void main()
{
    ivec2 tile = ivec2(gl_WorkGroupID.xy) + (IS_UPDATE ? tiles.xy : ivec2(0));
    int slice = int(gl_WorkGroupID.z);
    uint index = invocation_index();
    make_levels_1_2(tile, index, slice);
    step_four(2, tile, index, slice);
    if (n_levels <= 7 || !HAS_HAND_OFF || !hand_off_is_last(tile, index, slice) || !HAS_TAIL) {
        return;
    }
    acquire_hand_off();
    make_levels_7_8(index, slice);
    step_four(8, ivec2(0), index, slice);
}
