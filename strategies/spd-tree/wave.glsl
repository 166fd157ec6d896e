/* Blocks of 8x8 texels in the lanes of one subgroup, and the way up the tree with them, where no size is
 * odd; spd_tree_wave.comp draws it. */
#ifndef WAVE_GLSL
#define WAVE_GLSL

layout(constant_id = 6) const int SUBGROUP_SIZE = 32;

/* Texels of 64 that a lane has: 1 of larger subgroups. */
const int PER_LANE = SUBGROUP_SIZE > 64 ? 1 : 64 / SUBGROUP_SIZE;
const int LANE_BITS = SUBGROUP_SIZE == 4 ? 4 : SUBGROUP_SIZE == 8 ? 3 : SUBGROUP_SIZE == 16 ? 2
                    : SUBGROUP_SIZE == 32 ? 1 : 0; /* of the index, that count these */

ivec2 place(uint index)
{
    uint x = index & 1u | index >> 1 & 2u | index >> 2 & 4u | index >> 3 & 8u;
    uint y = index >> 1 & 1u | index >> 2 & 2u | index >> 3 & 4u | index >> 4 & 8u;
    return ivec2(x, y);
}

ivec2 quadrant(int i)
{
    return ivec2(i & 1, i >> 1);
}

Joined shuffled(Joined own, uint mask)
{
    return Joined(subgroupShuffleXor(own.straight, mask),
                  WEIGH_ALPHA ? subgroupShuffleXor(own.weighted, mask) : vec3(0.0));
}

/* Halve the axis that a bit of the index counts: of the lanes' texels, or of lanes, which then all
 * have the same. */
void halve(inout Joined v[PER_LANE], int bit, bool is_narrow_axis)
{
    if (bit < LANE_BITS) {
        [[unroll]] for (int i = 0; i < PER_LANE >> bit + 1; i++) {
            v[i] = join(v[2 * i], is_narrow_axis ? v[2 * i] : v[2 * i + 1]);
        }
    } else {
        v[0] = join(v[0], is_narrow_axis ? v[0] : shuffled(v[0], 1u << bit - LANE_BITS));
    }
}

/* Texels of 64 that a lane has after some bits are gone; at least one. */
int n_left(int n_bits)
{
    return max(PER_LANE >> n_bits, 1);
}

/* True in the first of the lanes that have the same once some bits are gone. */
bool is_first_lane(uint lane, int n_bits)
{
    return (lane & (1u << max(n_bits - LANE_BITS, 0)) - 1u) == 0u && lane < 64u;
}

/* The levels below `level` that its 8x8 texels make which are block `block`, up to three, as far as
 * there are any; then v[0] is the last of three. */
void make_levels(inout vec4 v[PER_LANE], int level, ivec2 block, int layer, uint lane)
{
    [[unroll]] for (int k = 0; k < 3; k++) {
        ivec2 extent = level_extent(base_extent, level + k);
        Joined joined[PER_LANE];
        [[unroll]] for (int i = 0; i < n_left(2 * k); i++) {
            joined[i] = joined_of(v[i]);
        }
        halve(joined, 2 * k, is_narrow(extent.x));
        halve(joined, 2 * k + 1, is_narrow(extent.y));
        uint index = lane * PER_LANE >> 2 * k + 2; /* of the lane's first */
        [[unroll]] for (int i = 0; i < n_left(2 * k + 2); i++) {
            v[i] = texel_of(joined[i], 0.25);
            if (is_first_lane(lane, 2 * k + 2) && level + k + 1 < n_levels) {
                ivec2 at = (block << 2 - k) + place(index + uint(i));
                store(level + k + 1, at, layer, v[i]);
            }
        }
    }
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
    ivec2 last = level_extent(base_extent, source_level(step)) - 1;
    vec4 v[PER_LANE];
    [[unroll]] for (int i = 0; i < PER_LANE; i++) {
        ivec2 p = cell * 8 + place((lane & 63u) * PER_LANE + uint(i));
        v[i] = load_source(step, min(p, last), layer);
    }
    make_levels(v, source_level(step), cell, layer, lane);
    at = cell;
    texel = v[0];
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
