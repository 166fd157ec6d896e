/* Levels 1 to FIRST_LEVELS, up to six, of a tile of 64x64 texels, none of whose levels has an odd size: what lies
 * beyond the image is made, too, of whatever is there, and not stored.
 *
 *     level 1      an invocation has a texel in each quadrant of the tile's 32x32, so that lanes next to each other
 *                  store blocks that lie together
 *     level 2      reduced and scattered within quads of lanes: one texel an invocation
 *     level 3      by lanes again, or where they are fewer than 16 in shared memory; 8x8 texels
 *     level 4..6   by the first 16 lanes, or in shared memory
 *
 * Texels are in Morton order, bit by bit of the index x and y in turn, so that four in a row make one of
 * the next level:
 *
 *     00 01 04 05 10 11 14 15
 *     02 03 06 07 12 13 16 17
 *     08 09 0c 0d 18 19 1c 1d
 *     0a 0b 0e 0f 1a 1b 1e 1f
 *     20 21 ...
 */
#ifndef EVEN_GLSL
#define EVEN_GLSL

/* Whether a subgroup has 16 texels of level 4. */
#ifdef SUBGROUPS
const bool HAS_WIDE_LANES = SUBGROUP_SIZE >= 16;
#else
const bool HAS_WIDE_LANES = false;
#endif

shared TEXEL cells[IS_EVEN ? (HAS_WIDE_LANES ? 64 : 256) : 1]; /* of level 3 in Morton order; first of level 2 by rows */

ivec2 place(uint index)
{
    uint x = index & 1u | index >> 1 & 2u | index >> 2 & 4u | index >> 3 & 8u;
    uint y = index >> 1 & 1u | index >> 2 & 2u | index >> 3 & 4u | index >> 4 & 8u;
    return ivec2(x, y);
}

/* Where the texel of level 2 that quads of lanes scatter to one of them lies among a tile's 16x16. */
ivec2 place_in_level2(uint index)
{
    return (place(index) >> 1) + ivec2(index & 1u, index >> 1 & 1u) * 8;
}

/* Of a level `n`, that sums of texels of level 0 make averages. Floats are averaged level by level, as their sums
 * may be infinite. */
float scale_of_sums(int n)
{
    return REDUCE != REDUCE_AVG || IS_FLOAT ? 1.0 : 1.0 / float(1 << 2 * n);
}

TEXEL summed(TEXEL sums)
{
    return REDUCE == REDUCE_AVG && IS_FLOAT ? 0.25 * sums : sums;
}

/* Tiles end with a level that there is, what they hand on may not. */
void store_sums(int level, ivec2 at, int layer, TEXEL sums)
{
    if (level > 6 && level >= n_levels) {
        return;
    }
    store_encoded(level, at, layer, encode_sums(scale_of_sums(level), sums));
}

/* Along an axis of level `n`; where that is one texel wide it is its own neighbour. */
bool is_single_x(int n)
{
    return IS_NARROW && extent_of(n).x == 1;
}

bool is_single_y(int n)
{
    return IS_NARROW && extent_of(n).y == 1;
}

TEXEL join_four(int n, TEXEL v00, TEXEL v10, TEXEL v01, TEXEL v11)
{
    if (is_single_x(n)) {
        v10 = v00;
        v11 = v01;
    }
    if (is_single_y(n)) {
        v01 = v00;
        v11 = v10;
    }
    return summed(join_two(join_two(v00, v10), join_two(v01, v11)));
}

TEXEL level1_of(Block block)
{
    return summed(join_two(join_two(decode(block.v00), decode(block.v10)),
                           join_two(decode(block.v01), decode(block.v11))));
}

/* From lanes that differ in two bits of their index, the texel of the level after `n` that four make. */
TEXEL join_lanes(int n, TEXEL own, uint mask)
{
    TEXEL other = from_lane_xor(own, mask);
    own = join_two(own, is_single_x(n) ? own : other);
    other = from_lane_xor(own, 2u * mask);
    return summed(join_two(own, is_single_y(n) ? own : other));
}

/* Of 2x2 texels of level 1 in the quad, one such block in each quadrant: what the block makes whose
 * quadrant lies as the lane in the quad (a reduce-scatter; each swap halves what is left). */
TEXEL scatter_quad(TEXEL texel[4])
{
    bool is_right = (LANE & 1u) != 0u, is_below = (LANE & 2u) != 0u;
    TEXEL upper = is_right ? texel[1] : texel[0], lower = is_right ? texel[3] : texel[2];
    TEXEL swapped_upper = from_lane_xor(is_right ? texel[0] : texel[1], 1u);
    TEXEL swapped_lower = from_lane_xor(is_right ? texel[2] : texel[3], 1u);
    upper = join_two(upper, is_single_x(1) ? upper : swapped_upper);
    lower = join_two(lower, is_single_x(1) ? lower : swapped_lower);
    TEXEL keep = is_below ? lower : upper, swapped = from_lane_xor(is_below ? upper : lower, 2u);
    return summed(join_two(keep, is_single_y(1) ? keep : swapped));
}

/* What an invocation may store late: of level 1 a texel in each quadrant. */
struct Upper {
    TEXEL level1[4], level2;
};

void store_upper(ivec2 tile, int layer, uint index, Upper made)
{
    ivec2 first = tile * 32 + place(index);
    store_sums(1, first, layer, made.level1[0]);
    store_sums(1, first + ivec2(16, 0), layer, made.level1[1]);
    store_sums(1, first + ivec2(0, 16), layer, made.level1[2]);
    store_sums(1, first + 16, layer, made.level1[3]);
    if (FIRST_LEVELS >= 2) {
        store_sums(2, tile * 16 + place_in_level2(index), layer, made.level2);
    }
}

Upper make_levels_1_2(ivec2 tile, int layer, uint index)
{
    ivec2 first = 2 * (tile * 32 + place(index));
    Block block[4];
    block[0] = FETCH_BLOCK(corner_of(first, layer), first, 0);
    block[1] = FETCH_BLOCK(corner_of(first + ivec2(32, 0), layer), (first + ivec2(32, 0)), 0);
    block[2] = FETCH_BLOCK(corner_of(first + ivec2(0, 32), layer), (first + ivec2(0, 32)), 0);
    block[3] = FETCH_BLOCK(corner_of(first + 32, layer), (first + 32), 0);
    prepare_codec(index);
    Upper made;
    [[unroll]] for (int i = 0; i < 4; i++) {
        made.level1[i] = level1_of(block[i]);
    }
    made.level2 = scatter_quad(made.level1);
    if (!STORES_LATE) {
        store_upper(tile, layer, index, made);
    }
    return made;
}

/* What the levels below go on from. */
void leave_sums(int level, ivec2 at, TEXEL sums)
{
    if (level == FIRST_LEVELS && HAS_BELOW && !IS_ALL_EVEN) {
        leave_part(at, unbiased(scale_of_sums(level) * sums));
    }
}

/* Level 3, of lanes that differ in bits 2 (x) and 3 (y) of their index, to the cells; or through these. */
void make_level3(TEXEL texel, uint index)
{
    if (HAS_WIDE_LANES) {
        TEXEL made = join_lanes(2, texel, 4u);
        if ((index & 12u) == 0u) {
            cells[(index & 3u) << 4 | index >> 4] = made;
        }
        return;
    }
    ivec2 at = place_in_level2(index);
    cells[at.y * 16 + at.x] = texel;
    barrier();
    ivec2 p = place(index & 63u);
    int corner = p.y * 32 + p.x * 2;
    TEXEL made = join_four(2, cells[corner], cells[corner + 1], cells[corner + 16], cells[corner + 17]);
    barrier();
    if (index < 64u) {
        cells[index] = made;
    }
}

/* By subgroups that have nothing else to do then, if there are any. */
void store_level3(ivec2 tile, int layer, uint index)
{
    uint i = HAS_WIDE_LANES ? index - uint(SUBGROUP_SIZE) : index;
    if (i < 64u) {
        store_sums(3, tile * 8 + place(i), layer, cells[i]);
        leave_sums(3, place(i), cells[i]);
    }
}

/* The 64 texels of a level `n` as sums in the cells, or four of them that lane `i` begins with: three
 * levels further on; the last, the sums of which are left over, in the first lane at least. */
TEXEL make_three_levels_by_lanes(int n, ivec2 block, int layer, TEXEL texel, uint lane)
{
    if (lane < 16u) {
        store_sums(n + 1, block * 4 + place(lane), layer, texel);
        leave_sums(n + 1, place(lane), texel);
    }
    if (FIRST_LEVELS < 5) {
        return texel;
    }
    texel = join_lanes(n + 1, texel, 1u);
    if (lane < 16u && (lane & 3u) == 0u) {
        store_sums(n + 2, block * 2 + place(lane >> 2), layer, texel);
        leave_sums(n + 2, place(lane >> 2), texel);
    }
    if (FIRST_LEVELS < 6) {
        return texel;
    }
    texel = join_lanes(n + 2, texel, 4u);
    if (lane == 0u) {
        store_sums(n + 3, block, layer, texel);
        leave_sums(n + 3, ivec2(0), texel);
    }
    return texel;
}

TEXEL four_cells(int n, uint i)
{
    return join_four(n, cells[4u * i], cells[4u * i + 1u], cells[4u * i + 2u], cells[4u * i + 3u]);
}

/* The same by all of the workgroup in shared memory. */
TEXEL make_three_levels_by_cells(int n, ivec2 block, int layer, uint index)
{
    for (int k = 1; k <= 3 && k <= FIRST_LEVELS - 3; k++) {
        uint n_made = 64u >> 2 * k;
        TEXEL made = four_cells(n + k - 1, index % n_made);
        barrier();
        if (index < n_made) {
            cells[index] = made;
            store_sums(n + k, (block << 3 - k) + place(index), layer, made);
            leave_sums(n + k, place(index), made);
        }
        barrier();
    }
    return cells[0];
}

/* Levels 1 to FIRST_LEVELS, of which `upper` is stored or not; true where the last is at hand, as sums: in the first
 * subgroup, or in all of the workgroup. */
bool make_even_tile(ivec2 tile, int layer, uint index, out Upper upper, out TEXEL texel)
{
    upper = make_levels_1_2(tile, layer, index);
    texel = upper.level2;
    if (FIRST_LEVELS < 3) {
        return true;
    }
    make_level3(texel, index);
    barrier();
    store_level3(tile, layer, index);
    if (HAS_WIDE_LANES) {
        if (LANES_ID != 0u) {
            return false;
        }
        if (FIRST_LEVELS > 3) {
            texel = four_cells(3, LANE & 15u);
            texel = make_three_levels_by_lanes(3, tile, layer, texel, LANE);
        }
        return true;
    }
    if (FIRST_LEVELS > 3) {
        texel = make_three_levels_by_cells(3, tile, layer, index);
    }
    return true;
}

#endif
