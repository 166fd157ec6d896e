/* Levels 1 to FIRST_LEVELS, six at most, of a tile of 64x64 texels in which no level has an odd size. Texels beyond the
 * image's edge are computed from whatever is fetched there, and not stored.
 *
 *     level 1      each invocation makes one texel per quadrant of the tile's 32x32, so that adjacent lanes store
 *                  adjacent blocks
 *     level 2      a reduce-scatter within quads of lanes: one texel per invocation
 *     level 3      by lanes again, or in shared memory if a subgroup has fewer than 16 lanes; 8x8 texels
 *     level 4..6   by the first 16 lanes, or in shared memory
 *
 * Texels are in Morton order (the bits of x and y alternate in the index), so that four consecutive ones make one texel
 * of the next level:
 *
 *     00 01 04 05 10 11 14 15
 *     02 03 06 07 12 13 16 17
 *     08 09 0c 0d 18 19 1c 1d
 *     0a 0b 0e 0f 1a 1b 1e 1f
 *     20 21 ... */

const bool HAS_WIDE_LANES = SUBGROUP_SIZE >= 16; /* a subgroup holds the 16 texels of level 4 */

/* The type of sums of levels 1 to 3: TEXEL or, with SUMS, pairs of integers that one addition adds at once:
 *
 *     texel     a b g r      bytes, r the lowest
 *     EARLY.x   .b .r        sixteen bits each: at most 4^4 * 255
 *     EARLY.y   .a .g */
#ifdef SUMS
#define EARLY uvec2
#else
#define EARLY TEXEL
#endif

shared EARLY cells[HAS_WIDE_LANES ? 64 : 256]; /* level 3, or before it level 2, in Morton order */

ivec2 place(const uint index)
{
    uint x = index & 1u | index >> 1 & 2u | index >> 2 & 4u | index >> 3 & 8u;
    uint y = index >> 1 & 1u | index >> 2 & 2u | index >> 3 & 4u | index >> 4 & 8u;
    return ivec2(x, y);
}

ivec2 quadrant(const int i)
{
    return ivec2(i & 1, i >> 1);
}

/* The position of an invocation's i-th texel of level 1 among the tile's 32x32: one in each quadrant. */
ivec2 place_in_level1(const uint index, const int i)
{
    return place(index) + 16 * quadrant(i);
}

/* The position of an invocation's texel of level 2 among the tile's 16x16. */
ivec2 place_in_level2(const uint index)
{
    return (place(index) >> 1) + 8 * quadrant(int(index & 3u));
}

/* The factor that turns sums of texels of level 0 into averages of level `n`. Floats are already averaged at every
 * level, and 32-bit floats at every pair, because sums may overflow. */
float scale_of_sums(const int n)
{
    return IS_EXTREME || IS_FLOAT ? 1.0 : 1.0 / float(1 << 2 * n);
}

TEXEL summed(const TEXEL sums)
{
    return !IS_EXTREME && IS_FLOAT && !IS_FLOAT32 ? 0.25 * sums : sums;
}

ENCODED encode_level(const int level, const TEXEL sums)
{
    return encode_sums(scale_of_sums(level), sums);
}

/* Reduce four texels of a level to one of the next: either the arguments, or the texels of four lanes whose indices
 * differ in two bits. The neighbour along an axis of one texel is the texel itself; no level of a tile has such an
 * axis. */
#define NO_SINGLE bvec2(false)
#define DEFINE_JOINS(SUM)                                                                           \
    SUM join_four(bvec2 is_single, SUM v00, SUM v10, SUM v01, SUM v11)                              \
    {                                                                                               \
        SUM upper = join_taps(v00, is_single.x ? v00 : v10);                                        \
        SUM lower = join_taps(v01, is_single.x ? v01 : v11);                                        \
        return summed(join_taps(upper, is_single.y ? upper : lower));                               \
    }                                                                                               \
                                                                                                    \
    SUM join_lanes(bvec2 is_single, SUM own, uint mask)                                             \
    {                                                                                               \
        SUM other = from_lane_xor(own, mask);                                                       \
        own = join_taps(own, is_single.x ? own : other);                                            \
        other = from_lane_xor(own, 2u * mask);                                                      \
        return summed(join_taps(own, is_single.y ? own : other));                                   \
    }

DEFINE_JOINS(TEXEL)
#ifdef SUMS
uvec2 join_taps(const uvec2 a, const uvec2 b)
{
    return a + b;
}

uvec2 summed(const uvec2 sums)
{
    return sums;
}

uvec2 early_of(const uint texel)
{
    return uvec2(texel, texel >> 8) & 0x00ff00ffu;
}

vec4 sums_of(const uvec2 early)
{
    return vec4(early & 0xffffu, early >> 16);
}

uint encode_level(const int level, const uvec2 sums)
{
    uvec2 codes = (sums + (0x00010001u << 2 * level - 1) >> 2 * level) & 0x00ff00ffu;
    return codes.x | codes.y << 8;
}

DEFINE_JOINS(uvec2)
#else
TEXEL early_of(const ENCODED texel)
{
    return decode(texel);
}

TEXEL sums_of(const TEXEL early)
{
    return early;
}
#endif

#define STORE_EARLY(level, at, layer, sums) STORE_LEVEL(level, at, layer, stored_of(encode_level(level, sums)))

/* An invocation's texels: four of level 1 and one of level 2. */
struct Upper {
    EARLY v00, v10, v01, v11, level2;
};

EARLY level1_of(const Block block)
{
    return join_four(NO_SINGLE, early_of(block.v00), early_of(block.v10), early_of(block.v01), early_of(block.v11));
}

/* Each lane of a quad has one texel of a 2x2 block in each of four quadrants. Returns the reduced block of the quadrant
 * that matches the lane's position in the quad (a reduce-scatter: each swap halves the texels per lane). */
EARLY scatter_quad(const Upper made)
{
    bool is_right = (LANE & 1u) != 0u, is_below = (LANE & 2u) != 0u;
    EARLY upper = is_right ? made.v10 : made.v00, lower = is_right ? made.v11 : made.v01;
    EARLY swapped_upper = from_lane_xor(is_right ? made.v00 : made.v10, 1u);
    EARLY swapped_lower = from_lane_xor(is_right ? made.v01 : made.v11, 1u);
    upper = join_taps(upper, swapped_upper);
    lower = join_taps(lower, swapped_lower);
    EARLY keep = is_below ? lower : upper, swapped = from_lane_xor(is_below ? upper : lower, 2u);
    return summed(join_taps(keep, swapped));
}

void store_level1(const ivec2 tile, const int layer, const uint index, const Upper made)
{
    ivec2 p00 = tile * 32 + place_in_level1(index, 0), p10 = tile * 32 + place_in_level1(index, 1);
    ivec2 p01 = tile * 32 + place_in_level1(index, 2), p11 = tile * 32 + place_in_level1(index, 3);
    STORE_EARLY(1, p00, layer, made.v00)
    STORE_EARLY(1, p10, layer, made.v10)
    STORE_EARLY(1, p01, layer, made.v01)
    STORE_EARLY(1, p11, layer, made.v11)
}

void store_level2(const ivec2 tile, const int layer, const uint index, const Upper made)
{
    ivec2 at = tile * 16 + place_in_level2(index);
    STORE_EARLY(2, at, layer, made.level2)
}

#define TOUCH(n)                                                                                    \
    if (n < n_levels) {                                                                             \
        imageStore(levels[n - 1], ivec3(-1, -1, layer), stored_of(ENCODED(0)));                     \
    }

/* Makes the device fetch the descriptors of all levels early, when few workgroups run (rgba8 at 256x256 takes 6.0 us
 * instead of 6.4 on an H100). Stores beyond a level's size have no other effect. */
void touch_levels(const int layer)
{
    if (gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z > 64u ||
        LANES_ID != N_INVOCATIONS / SUBGROUP_SIZE - 1) {
        return;
    }
    TOUCH(1) TOUCH(2) TOUCH(3) TOUCH(4) TOUCH(5) TOUCH(6) TOUCH(7) TOUCH(8)
    TOUCH(9) TOUCH(10) TOUCH(11) TOUCH(12) TOUCH(13) TOUCH(14) TOUCH(15)
}

/* The texels of level 0 that make the i-th texel of level 1. */
Block fetch_block(const ivec2 tile, const int layer, const uint index, const int i)
{
    ivec2 at = 2 * (tile * 32 + place_in_level1(index, i));
    vec3 corner = vec3(vec2(at + 1) * inv_base_extent, layer);
    return FETCH_BLOCK(corner, at, 0);
}

Upper make_levels_1_2(const ivec2 tile, const int layer, const uint index)
{
    Block b00 = fetch_block(tile, layer, index, 0), b10 = fetch_block(tile, layer, index, 1);
    Block b01 = fetch_block(tile, layer, index, 2), b11 = fetch_block(tile, layer, index, 3);
    if (IS_LATE) {
        touch_levels(layer);
    }
    prepare_codec(index);
    Upper made;
    made.v00 = level1_of(b00);
    made.v10 = level1_of(b10);
    made.v01 = level1_of(b01);
    made.v11 = level1_of(b11);
    if (!IS_LATE) {
        store_level1(tile, layer, index, made);
    }
    made.level2 = scatter_quad(made);
    if (!IS_LATE) {
        store_level2(tile, layer, index, made);
    }
    return made;
}

/* Keeps the texel in shared memory if the levels below continue from it. */
void leave_sums(const int level, const ivec2 at, const TEXEL sums)
{
    if (level == FIRST_LEVELS && HAS_PARTIALS) {
        leave_partial(at, unbiased(scale_of_sums(level) * sums));
    }
}

EARLY four_cells(const bvec2 is_single, const uint i)
{
    return join_four(is_single, cells[4u * i], cells[4u * i + 1u], cells[4u * i + 2u], cells[4u * i + 3u]);
}

/* Makes levels from + 1 to `end` in place from the cells, which are texels of level `from` in Morton order. Together
 * the cells make texel `block` of level `last`. Run by the whole workgroup; returns the first texel of level `end`. */
TEXEL make_levels_by_cells(const int from, const int last, const int end, const ivec2 block, const int layer)
{
    for (int level = from + 1; level <= end; level++) {
        uint n = 1u << 2 * (last - level);
        EARLY made = EARLY(0);
        barrier();
        if (INDEX < n) {
            made = four_cells(equal(extent_of(level - 1), ivec2(1)), INDEX);
        }
        barrier();
        if (INDEX < n) {
            cells[INDEX] = made;
            store_any(level, (block << last - level) + place(INDEX), layer, stored_of(encode_level(level, made)));
            leave_sums(level, place(INDEX), sums_of(made));
        }
    }
    barrier();
    return sums_of(cells[0]);
}

/* Three levels, encoded, that lanes make if each of 16 lanes has a texel of the first; and the sums of the third level,
 * in all lanes. */
struct Lower {
    ENCODED first, second, third;
    TEXEL sums;
};

Lower make_lower(const int n, const bvec2 is_first_single, const bvec2 is_second_single, const TEXEL first)
{
    Lower made;
    TEXEL second = join_lanes(is_first_single, first, 1u);
    made.sums = join_lanes(is_second_single, second, 4u);
    made.first = encode_level(n, first);
    made.second = encode_level(n + 1, second);
    made.third = encode_level(n + 2, made.sums);
    uint lane = LANE;
    if (lane < 16u) {
        leave_sums(n, place(lane), first);
    }
    if (lane < 16u && (lane & 3u) == 0u) {
        leave_sums(n + 1, place(lane >> 2), second);
    }
    if (lane == 0u) {
        leave_sums(n + 2, ivec2(0), made.sums);
    }
    return made;
}

/* Stores levels 4 to 6 of a tile. */
void store_lower(const ivec2 tile, const int layer, const Lower made)
{
    uint lane = LANE;
    ivec2 at4 = tile * 4 + place(lane), at5 = tile * 2 + place(lane >> 2);
    if (lane < 16u) {
        STORE_LEVEL(4, at4, layer, stored_of(made.first))
    }
    if (lane < 16u && (lane & 3u) == 0u) {
        STORE_LEVEL(5, at5, layer, stored_of(made.second))
    }
    if (lane == 0u) {
        STORE_LEVEL(6, tile, layer, stored_of(made.third))
    }
}

/* Makes level 3 with lanes whose indices differ in bits 2 (x) and 3 (y). */
void make_level3_by_lanes(const ivec2 tile, const int layer, const uint index, const EARLY texel)
{
    EARLY made = join_lanes(NO_SINGLE, texel, 4u);
    if ((index & 12u) == 0u) {
        cells[(index & 3u) << 4 | index >> 4] = made;
    }
    barrier();
    uint i = index - uint(SUBGROUP_SIZE); /* stored by subgroups that would be idle now */
    if (i < 64u) {
        ivec2 at = tile * 8 + place(i);
        STORE_EARLY(3, at, layer, cells[i])
        leave_sums(3, place(i), sums_of(cells[i]));
    }
}

/* What store_late() stores. */
struct EvenTile {
    Upper upper;
    Lower lower;
};

/* Makes levels 1 to FIRST_LEVELS. Returns true in the invocations whose `lower.sums` holds the last level: the first
 * subgroup, or the whole workgroup. */
bool make_even_tile(const ivec2 tile, const int layer, const uint index, out EvenTile made)
{
    made.upper = make_levels_1_2(tile, layer, index);
    if (FIRST_LEVELS < 3) {
        return false;
    }
    if (!HAS_WIDE_LANES) {
        cells[index >> 2 | (index & 3u) << 6] = made.upper.level2;
        made.lower.sums = make_levels_by_cells(2, 6, FIRST_LEVELS, tile, layer);
        return true;
    }
    make_level3_by_lanes(tile, layer, index, made.upper.level2);
    if (LANES_ID != 0u || FIRST_LEVELS == 3) {
        return false;
    }
    made.lower = make_lower(4, NO_SINGLE, NO_SINGLE, sums_of(four_cells(NO_SINGLE, LANE & 15u)));
    if (!IS_LATE) {
        store_lower(tile, layer, made.lower);
    }
    return true;
}

/* Stores the levels that make_even_tile() did not store. */
void store_late(const ivec2 tile, const int layer, const uint index, const EvenTile made)
{
    if (!IS_LATE) {
        return;
    }
    if (HAS_WIDE_LANES && LANES_ID == 0u) {
        store_lower(tile, layer, made.lower);
    }
    store_level1(tile, layer, index, made.upper);
    store_level2(tile, layer, index, made.upper);
}
