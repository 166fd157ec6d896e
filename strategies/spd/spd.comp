/* Single-pass downsampler: every level in one dispatch. After AMD FidelityFX SPD 1.0 and 2.0
 * (Lottes, Kapoulkine and Rehm, GPUOpen, 2020).
 *
 * A workgroup of 256 invocations reduces one 64x64 tile of level 0 to one texel of level 6,
 * writes that texel to a buffer and increments a counter. The last workgroup to count reads the
 * texels of all tiles (at most 64x64) and reduces them like another tile, down to level 12.
 *
 *     level 0   64x64 a tile        each invocation reads four 2x2 blocks, one in each quadrant
 *     level 1   32x32               four texels per invocation
 *     level 2   16x16               one texel per invocation
 *     level 3..6                    in shared memory, a quarter of the cells each time
 *     - hand-off: texel, release, count; the last workgroup acquires -
 *     level 6   64x64 at most       reduced like level 0, to levels 7 .. 12
 *
 * Index to place within 8x8 (order=morton), so that four neighbouring indices are a 2x2 quad:
 *
 *     00 01 08 09 10 11 18 19
 *     02 03 0a 0b 12 13 1a 1b
 *     04 05 0c 0d 14 15 1c 1d
 *     06 07 0e 0f 16 17 1e 1f
 *     20 21 ...
 *
 * Level 2 with subgroup operations: each lane of a quad holds one texel of level 1 in each of
 * the four quadrants a to d of the tile. By swapping the texels that the other lane sums, every
 * lane ends with one texel of level 2 (a reduce-scatter; three swaps per channel instead of
 * eight):
 *
 *     lanes 0 1    hold a b c d each;   0 and 1 swap b, d of 0 for a, c of 1, and likewise 2 and 3;
 *           2 3    then 0 and 2, 1 and 3:   0 sums a, 1 sums b, 2 sums c, 3 sums d.
 *
 * Memory model: the invocation that writes the texel of level 6 then adds to the counter with
 * release semantics at device scope. No barrier is needed between the two, and adds by others
 * continue its release sequence. The workgroup's last invocation does this: its own stores to
 * the image are long done when the release waits for them. If the count shows that the
 * workgroup is the last one, this invocation acquires. A control barrier then covers buffer
 * memory at device scope, so what was acquired is visible to the whole workgroup. With
 * counter=self the invocation also resets the counter to zero for the next run; with
 * counter=host the host zeroes it before each run.
 *
 * Levels of odd size follow the floor policy, as published: texels 2x and 2x+1.
 *
 * An update dispatches the tiles that the changed rectangle touches and writes only the
 * affected region. The tail then also needs level 6 of the other tiles, which exists only as
 * stored. So that an update of any rectangle gives the same bits, its tiles round their texel
 * as a store would, and stored texels go through the same arithmetic (as_stored). A run that is
 * no update does not round: levels from 7 on may differ from it. No invocation reads a texel
 * that another one writes.
 *
 * Modules differ by these defines:
 *
 *     WAVE    invocations exchange texels by subgroup operations (wave=on, wave=quad);
 *             otherwise through shared memory only
 *     WIDE    by shuffles across the subgroup (wave=on); otherwise by quad operations
 *     HALF    averages in 16-bit floats (fp16=on) */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef WAVE
#extension GL_KHR_shader_subgroup_basic : require
#ifdef WIDE
#extension GL_KHR_shader_subgroup_shuffle : require
#else
#extension GL_KHR_shader_subgroup_quad : require
#endif
#endif
#ifdef HALF
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#pragma use_vulkan_memory_model

/* Approximates the sRGB curve by a square and a square root, as AMD's slides suggest. */
layout(constant_id = 6) const bool SRGB_BY_SQRT = false;
#define SRGB_BY_ROOT SRGB_BY_SQRT

#include "levels.glsl"
#include "texels.glsl"
#include "cells.glsl"

#define N_INVOCATIONS 256
#define TAIL_PITCH 64     /* texels of level 6 per row in the hand-off buffer */
#define TAIL_TEXELS 4096  /* per slice */

layout(local_size_x = N_INVOCATIONS) in;

layout(constant_id = 0) const bool LOAD_SAMPLER = false; /* one fetch per 2x2 texels of level 0 */
/* Leaves out the tail, or the tail and the hand-off, to measure what they cost. */
layout(constant_id = 1) const bool HAS_HAND_OFF = true;
layout(constant_id = 2) const bool HAS_TAIL = true;
layout(constant_id = 3) const bool ORDER_LINEAR = false; /* row by row */
layout(constant_id = 5) const bool COUNTER_SELF = true; /* the kernel zeroes the counter */

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray levels[12]; /* level 1 is [0] */
layout(set = 0, binding = 2) nonprivate buffer HandOff
{
    HandedOff hand_off[]; /* slice, row, column of level 6 */
};
layout(set = 0, binding = 3) nonprivate buffer Counter
{
    uint counter[]; /* per slice: workgroups done */
};

layout(set = 0, binding = 4) uniform sampler2DArray stored_level6; /* of updates */

layout(push_constant) uniform Push
{
    ivec4 tiles;         /* of an update: first (x, y) and last (z, w) tile dispatched */
    ivec4 affected;          /* of an update, in level 1: first (x, y) and last (z, w) texel */
    ivec2 base_extent;
    vec2 inv_base_extent;
    int n_levels;        /* includes level 0 */
    uint n_tiles;        /* workgroups per slice */
    int first_slice;     /* of this dispatch */
};

shared bool is_last;

uint invocation_index()
{
#ifdef WAVE
    /* Numbers invocations by subgroup and lane, because gl_LocalInvocationIndex promises
     * nothing about lanes. */
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
    return gl_LocalInvocationIndex;
#endif
}

/* The place of an index among n x n, where n is a power of two up to 16: by the 8x8 map above,
 * in up to four such blocks, or row by row. */
ivec2 place(uint index, uint n)
{
    if (ORDER_LINEAR) {
        return ivec2(index % n, index / n);
    }
    uint x = bitfieldExtract(index, 0, 1) | bitfieldExtract(index, 3, 2) << 1 |
             bitfieldExtract(index, 6, 1) << 3;
    uint y = bitfieldExtract(index, 1, 2) | bitfieldExtract(index, 5, 1) << 2 |
             bitfieldExtract(index, 7, 1) << 3;
    return ivec2(x, y);
}

bool is_to_be_written(int level, ivec2 at)
{
    return !IS_UPDATE || depends_on(affected, level - 1, at);
}

/* Uses constant indices only, because dynamic indexing of storage images is an optional
 * feature. Stores beyond a level's size have no effect (Vulkan, "Texel Output Validation
 * Operations"). */
void store(int level, ivec2 at, int slice, Texel texel)
{
    ivec3 p = ivec3(at, slice);
    if (!is_to_be_written(level, at)) {
        return;
    }
    vec4 value = to_store(texel);
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
    }
}

ivec2 quadrant(int i)
{
    return ivec2(i & 1, i >> 1);
}

Texel fetch(ivec2 at, int slice)
{
    return Texel(loaded(texelFetch(source, ivec3(min(at, base_extent - 1), slice), 0)));
}

/* Texel `at` of level 1. */
Texel load_level1(ivec2 at, int slice)
{
    if (LOAD_SAMPLER) {
        vec2 corner = pair_corner(at, inv_base_extent);
        return Texel(loaded(textureLod(source, vec3(corner, slice), 0.0)));
    }
    ivec2 p = 2 * at;
    return reduce_2x2(fetch(p, slice), fetch(p + ivec2(1, 0), slice),
                      fetch(p + ivec2(0, 1), slice), fetch(p + ivec2(1, 1), slice),
                      base_extent);
}

Texel load_level6(ivec2 at, int slice)
{
    if (IS_UPDATE && any(bvec4(lessThan(at, tiles.xy), greaterThan(at, tiles.zw)))) {
        ivec2 p = min(at, level_extent(base_extent, 6) - 1);
        return Texel(as_stored(loaded(texelFetch(stored_level6, ivec3(p, slice), 0))));
    }
    return taken_over(hand_off[slice * TAIL_TEXELS + at.y * TAIL_PITCH + at.x]);
}

/* Texel `at` of level 7. Also reads texels of the hand-off buffer beyond the edge of level 6,
 * but these contribute to no texel inside a level. */
Texel load_level7(ivec2 at, int slice)
{
    ivec2 p = 2 * at;
    return reduce_2x2(load_level6(p, slice), load_level6(p + ivec2(1, 0), slice),
                      load_level6(p + ivec2(0, 1), slice), load_level6(p + 1, slice),
                      level_extent(base_extent, 6));
}

/* The weight of texel (x, y) of the 2x2 that make one texel below a level of size `extent`. */
float quarter(ivec2 at, ivec2 extent)
{
    vec2 weight = mix(vec2(0.5), vec2(1 - at), equal(extent, ivec2(1)));
    return weight.x * weight.y;
}

/* Makes and stores an invocation's 2x2 texels of level 7, and returns the texel of level 8 that
 * they make. The trip count must be unknown to the compiler: unrolled, the sixteen loads in
 * flight cost registers, and therefore occupancy, in every workgroup, although only the last
 * one gets here. */
Texel make_levels_7_8(ivec2 at, int slice)
{
    ivec2 extent = level_extent(base_extent, 7);
    const float infinity = uintBitsToFloat(0x7f800000u);
    Joining all = joined_of(Texel(REDUCE == REDUCE_MIN   ? infinity
                                  : REDUCE == REDUCE_MAX ? -infinity
                                                         : 0.0));
    int n_texels = min(n_levels, 4);
    for (int i = 0; i < n_texels; i++) {
        ivec2 corner = quadrant(i);
        ivec2 p = 2 * at + corner;
        Texel texel = load_level7(p, slice);
        store(7, p, slice, texel);
        float weight = quarter(corner, extent);
        if (weight > 0.0) { /* an infinity beyond the level would make 0 * Inf */
            all = join(all, weighted(joined_of(texel), weight));
        }
    }
    return texel_of(all, 1.0);
}

/* Reduces the 2x2 cells of `level` at 2 * at, which are `stride` apart. Any invocation may call
 * this. */
Texel reduce_cells(int level, ivec2 at, int stride)
{
    ivec2 p = 2 * at * stride;
    return reduce_2x2(get_cell(p), get_cell(p + ivec2(stride, 0)), get_cell(p + ivec2(0, stride)),
                      get_cell(p + stride), level_extent(base_extent, level));
}

#ifdef WAVE
/* The texel of the lane whose index differs in the bits of the mask. WIDE uses shuffles,
 * because not every device with shuffles has quad operations. */
#ifdef WIDE
#ifdef HALF
f16vec4 shuffled(f16vec4 own, uint mask)
{
    return unpacked(subgroupShuffleXor(packed(own), mask));
}
#else
Joined shuffled(Joined own, uint mask)
{
    return Joined(subgroupShuffleXor(own.straight, mask),
                  WEIGH_ALPHA ? subgroupShuffleXor(own.weighted, mask) : vec3(0.0));
}
#endif
#define swapped_x(own) shuffled(own, 1u)
#define swapped_y(own) shuffled(own, 2u)
#elif defined(HALF)
f16vec4 swapped_x(f16vec4 own)
{
    return unpacked(subgroupQuadSwapHorizontal(packed(own)));
}

f16vec4 swapped_y(f16vec4 own)
{
    return unpacked(subgroupQuadSwapVertical(packed(own)));
}
#else
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
#endif

/* Reduces the 2x2 texels of `level` in a quad of lanes; valid in its first lane. Reducing rows
 * first takes two swaps instead of three. */
Texel reduce_quad(int level, Texel texel)
{
    ivec2 extent = level_extent(base_extent, level);
    Joining own = joined_of(texel);
    Joining row = join(own, is_narrow(extent.x) ? own : swapped_x(own));
    Joining quad = join(row, is_narrow(extent.y) ? row : swapped_y(row));
    return texel_of(quad, 0.25);
}

/* Each lane of a quad has one texel of a 2x2 block of level 1 in each quadrant. Returns the
 * reduced block of the quadrant that matches the lane's position in the quad. */
Texel scatter_quad(Texel texel[4], bvec2 lane)
{
    ivec2 extent = level_extent(base_extent, 1);
    Joining row[2];
    for (int y = 0; y < 2; y++) {
        Joining keep = joined_of(lane.x ? texel[2 * y + 1] : texel[2 * y]);
        Joining give = joined_of(lane.x ? texel[2 * y] : texel[2 * y + 1]);
        row[y] = join(keep, is_narrow(extent.x) ? keep : swapped_x(give));
    }
    Joining keep = row[0], give = row[1];
    if (lane.y) {
        keep = row[1];
        give = row[0];
    }
    return texel_of(join(keep, is_narrow(extent.y) ? keep : swapped_y(give)), 0.25);
}

#ifdef WIDE
/* Reduces the 2x2 lanes whose indices differ in bits 3 (x) and 2 (y); valid in the first. */
Texel reduce_lanes(int level, Texel texel)
{
    ivec2 extent = level_extent(base_extent, level);
    Joining own = joined_of(texel);
    Joining row = join(own, is_narrow(extent.x) ? own : shuffled(own, 8u));
    Joining all = join(row, is_narrow(extent.y) ? row : shuffled(row, 4u));
    return texel_of(all, 0.25);
}
#endif

/* Makes one texel of level 2, at `cell` among 16x16, from four of level 1, one in each
 * quadrant. */
Texel make_level2(uint index, Texel texel[4], out ivec2 cell)
{
    ivec2 at = place(index, 16u);
    cell = (at >> 1) + (at & 1) * 8;
    return scatter_quad(texel, equal(at & 1, ivec2(1)));
}
#else
/* Without WAVE: the same through shared memory, quadrant by quadrant. */
Texel make_level2(uint index, Texel texel[4], out ivec2 cell)
{
    ivec2 at = place(index, 16u);
    ivec2 half_at = place(index & 63u, 8u);
    Texel made = texel[0];
    for (int i = 0; i < 4; i++) {
        put_cell(at, texel[i]);
        barrier();
        if (index >> 6 == uint(i)) {
            made = reduce_cells(1, half_at, 1);
        }
        barrier();
    }
    cell = half_at + quadrant(int(index >> 6)) * 8;
    return made;
}
#endif

/* Makes the next level from n x n cells of `level`, which are `stride` apart: stores each texel
 * and leaves it in the cell of one of its own four sources, which no other invocation reads. */
void step_cells(int level, uint n, int stride, ivec2 origin, uint index, int slice)
{
    barrier();
#ifdef WAVE
    if (index < n * n) {
        ivec2 at = place(index, n);
        Texel texel = reduce_quad(level, get_cell(at * stride));
        if ((index & 3u) == 0u) {
            store(level + 1, origin + (at >> 1), slice, texel);
            put_cell(at * stride, texel);
        }
    }
#else
    if (index < n * n / 4) {
        ivec2 at = place(index, n >> 1);
        Texel texel = reduce_cells(level, at, stride);
        store(level + 1, origin + at, slice, texel);
        put_cell(2 * at * stride, texel);
    }
#endif
}

/* Makes four levels from 16x16 cells of `level`; `tile` is the index of this block. Leaves the
 * texel of level + 4 in cell (0, 0). */
void step_four(int level, ivec2 tile, uint index, int slice)
{
    int stride = 1;
    for (uint n = 16u; n > 1u && n_levels > level + 1; n >>= 1) {
        step_cells(level, n, stride, tile * int(n >> 1), index, slice);
        stride <<= 1;
        level++;
    }
}

#ifdef WIDE
/* Makes four levels from the texel of `level` that each invocation has: the first within its
 * subgroup, the others in sixteen lanes of the first subgroup, which join 2x2 cells, 2x2 lanes
 * of quads, and 2x2 quads. Leaves the texel of level + 4 in cell (0, 0). */
void step_wide(int level, ivec2 tile, ivec2 cell, Texel texel, uint index, int slice)
{
    if (n_levels <= level + 1) {
        return;
    }
    texel = reduce_lanes(level, texel);
    if ((index & 12u) == 0u) {
        store(level + 1, tile * 8 + (cell >> 1), slice, texel);
        put_cell(cell >> 1, texel);
    }
    barrier();
    if (index >= 16u || n_levels <= level + 2) {
        return;
    }
    ivec2 at = place(index, 4u);
    texel = reduce_cells(level + 1, at, 1);
    store(level + 2, tile * 4 + at, slice, texel);
    texel = reduce_quad(level + 2, texel);
    if (n_levels > level + 3 && (index & 3u) == 0u) {
        store(level + 3, tile * 2 + (at >> 1), slice, texel);
    }
    texel = reduce_lanes(level + 3, texel);
    if (n_levels > level + 4 && index == 0u) {
        store(level + 4, tile, slice, texel);
        put_cell(ivec2(0), texel);
    }
}
#endif

/* Writes level 6 of this tile, counts it, and tells the workgroup whether it was the last. Does
 * not use shaders/hand_off.glsl: with it an H200 (580.159.04) takes 63 us instead of 39 at
 * 4096x4096. */
bool hand_off_is_last(ivec2 tile, uint index, int slice)
{
    barrier();
    if (index == N_INVOCATIONS - 1u) {
        Texel texel = get_cell(ivec2(0));
        hand_off[slice * TAIL_TEXELS + tile.y * TAIL_PITCH + tile.x] =
            handed_off(IS_UPDATE ? Texel(as_stored(vec4(texel))) : texel);
        uint done = atomicAdd(counter[slice], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsRelease | gl_SemanticsMakeAvailable);
        is_last = done == n_tiles - 1u;
        if (is_last) {
            memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer,
                          gl_SemanticsAcquire | gl_SemanticsMakeVisible);
            if (COUNTER_SELF) {
                atomicStore(counter[slice], 0u, gl_ScopeDevice, 0, 0);
            }
        }
    }
    barrier();
    return is_last;
}

/* Makes what one invocation acquired visible to its whole workgroup. Only the last workgroup
 * calls this: at device scope the barrier waits for every store of the workgroup. */
void acquire_hand_off()
{
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                   gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                       gl_SemanticsMakeVisible);
}

/* Makes levels 1 and 2 of a tile. */
Texel make_levels_1_2(ivec2 tile, uint index, int slice, out ivec2 cell)
{
    ivec2 at = tile * 32 + place(index, 16u);
    Texel texel[4];
    for (int i = 0; i < 4; i++) {
        texel[i] = load_level1(at + quadrant(i) * 16, slice);
    }
    for (int i = 0; i < 4; i++) {
        store(1, at + quadrant(i) * 16, slice, texel[i]);
    }
    return make_level2(index, texel, cell);
}

/* Makes the levels below `level` (0 or 6) of one of its tiles. Both levels use the same code,
 * to keep it small: small images spend much of their time fetching instructions. If level 7
 * fits in 16x16 cells (images up to 2048x2048), each invocation makes one texel of it, with one
 * wait for memory instead of four. */
void make_six(int level, ivec2 tile, uint index, int slice)
{
    ivec2 at = place(index, 16u);
    ivec2 cell = (at >> 1) + (at & 1) * 8; /* the cell that make_level2() gives a texel of a tile */
    ivec2 extent7 = level_extent(base_extent, 7);
    Texel made;
    if (level == 0) {
        made = make_levels_1_2(tile, index, slice, cell);
        level = 2;
    } else if (max(extent7.x, extent7.y) <= 16) {
        made = load_level7(cell, slice);
        level = 7;
    } else {
        made = make_levels_7_8(cell, slice);
        level = 8;
    }
    if (n_levels > level) {
        store(level, tile * 16 + cell, slice, made);
#ifdef WIDE
        step_wide(level, tile, cell, made, index, slice);
#else
        put_cell(cell, made);
        step_four(level, tile, index, slice);
#endif
    }
}

void main()
{
    ivec2 tile = ivec2(gl_WorkGroupID.xy) + (IS_UPDATE ? tiles.xy : ivec2(0));
    int slice = int(gl_WorkGroupID.z) + first_slice;
    uint index = invocation_index();
    for (int level = 0;; level = 6) {
        make_six(level, tile, index, slice);
        if (level > 0 || n_levels <= 7 || !HAS_HAND_OFF ||
            !hand_off_is_last(tile, index, slice) || !HAS_TAIL) {
            return;
        }
        acquire_hand_off();
        tile = ivec2(0);
    }
}
