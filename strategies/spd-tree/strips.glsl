/* Levels 1 to 3 of a tile of any size, of averages of 8-bit codes, each subgroup for itself and without
 * shared memory: in strips as wide as the subgroup has lanes, four columns each, row by row on the way
 * down.
 *
 * Of the left of a strip, where all sizes are odd (| between lanes):
 *
 *     level 0    0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 14 15 | 16
 *     level 1     0   1  |  2   3  |  4   5    |   6   7     |     of 0 1 2, 2 3 4 and so on: the last is
 *     level 2     0      |  1      |  2        |   3         |     the next lane's first
 *     level 3     0      |         |  1        |             |     of lanes i, i + 1 and i + 2
 *
 * A texel of level 3 takes up to 15 columns of level 0, and the next one begins 8 further on. Of 128 columns,
 * 32 lanes, the last seven are therefore a halo: they make 15 of level 3, and the next strip begins
 * at column 120. What both make of levels 1 and 2, the one stores that owns it. Down the strip the last
 * row of each level stays where it is, in registers, as the first of the three that the next row
 * below takes:
 *
 *     level 0    0  1  2  3  4  5  6  7  8 | 9 10 ..
 *     level 1       0     1     2     3     4 | ..            row r takes rows 2r to 2r + 2
 *     level 2             0           1     2 ..
 *     level 3                         0
 *
 * A tile is a block of strips, two high. What it makes of level 3 is left in parts[], where
 * share_parts.glsl goes on.
 *
 * Follow texel (500, 301) of a 1023x1023 image, by 32 lanes and strips of two rows. A tile is 60x4 texels
 * of level 3, which are 480x32 of level 0: the texel lies in tile (1, 9), in its first strip, and is the
 * first column of lane 5.
 *
 *     level 1    column 250, of 500 to 502, is lane 5's; 249, of 498 to 500, is lane 4's, which has the
 *                last from lane 5 by a shuffle; row 150, of 300 to 302
 *     level 2    columns 124 and 125 of lanes 4 and 5; rows 74 and 75, as 150 is the last of one and the
 *                first of the other
 *     level 3    columns 61 and 62 of lanes 2 and 4; rows 36 and 37, both of this strip
 *     level 4    columns 30 and 31, rows 17 and 18: row 18, of 36 to 38, is this tile's alone, and stored;
 *                row 17, of 34 to 36, is of tile (1, 8) as well, and who of both is the last stores it
 *     level 9    the one texel, in which all 3x32 tiles have a part */
#ifndef STRIPS_GLSL
#define STRIPS_GLSL
#include "codes.glsl"
#include "sharing.glsl"

#define LANE_COLUMNS 4 /* of level 0 */

/* A lane's two columns of level 1, or of a row of level 0 weighed to such. */
struct Two {
    vec4 left, right;
};

struct Strip {
    ivec2 first, last, first_of_tile; /* texels of level 3 */
    int layer;
    uint lane, next, next2; /* further lanes; the last for those beyond */
    float left; /* of the lane's first four texels of a row: texture coordinate between columns 0 and 1 */
    vec3 along_x1, along_x1_right, along_x2, along_x3; /* weights of columns */
    Axis y1, y2, y3;
    ivec2 owned1, owned2; /* last texels that are this strip's to store */
    Two row0, row1; /* the last row so far: of level 0, weighed; of level 1 */
    vec4 row2;
};

/* Of a row of level 0 and the next four texels to a lane: two above, two below, and again. */
struct Gathered {
    uvec4 left, right;
};

/* The texels that a strip owns of a level `n` above level 3, up to this one. */
ivec2 last_owned_by(Strip s, int n)
{
    ivec2 edge = level_extent(base_extent, 3 - n) - 1;
    bvec2 is_edge = equal(s.last, level_extent(base_extent, 3) - 1);
    return mix((s.last + 1 << n) - 1, edge, is_edge);
}

Strip strip_of(ivec2 tile, int layer, uint subgroup, uint lane)
{
    Strip s;
    ivec2 place = ivec2(subgroup % STRIPS_X, subgroup / STRIPS_X);
    ivec2 size = ivec2(STRIP_COLUMNS, STRIP_ROWS);
    s.first_of_tile = tile * TILE_SIZE;
    s.first = s.first_of_tile + place * size;
    s.last = min(s.first + size, level_extent(base_extent, 3)) - 1;
    s.layer = layer;
    s.lane = lane;
    s.next = min(lane + 1u, uint(SUBGROUP_SIZE - 1));
    s.next2 = min(lane + 2u, uint(SUBGROUP_SIZE - 1));
    int i = int(lane);
    s.left = float((s.first.x << 3) + LANE_COLUMNS * i + 1) * inv_base_extent.x;
    ivec2 extent1 = level_extent(base_extent, 1), extent2 = level_extent(base_extent, 2);
    Axis x1 = axis_of(base_extent.x);
    s.along_x1 = weights_of(x1, (s.first.x << 2) + 2 * i);
    s.along_x1_right = weights_of(x1, (s.first.x << 2) + 2 * i + 1);
    s.along_x2 = weights_of(axis_of(extent1.x), (s.first.x << 1) + i);
    s.along_x3 = weights_of(axis_of(extent2.x), s.first.x + (i >> 1));
    s.y1 = axis_of(base_extent.y);
    s.y2 = axis_of(extent1.y);
    s.y3 = axis_of(extent2.y);
    s.owned1 = last_owned_by(s, 2);
    s.owned2 = last_owned_by(s, 1);
    if (any(greaterThan(s.first, s.last))) { /* beyond the image */
        s.owned1 = s.owned2 = ivec2(-1);
    }
    return s;
}

/* Rows `y` and y + 1 of level 0. */
Gathered gather(Strip s, int y)
{
    vec3 at = vec3(s.left, float(y + 1) * inv_base_extent.y, s.layer);
    return Gathered(textureGather(source, at), textureGatherOffset(source, at, ivec2(2, 0)));
}

Two weigh_row(Strip s, uint a, uint b, uint c, uint d)
{
    vec4 shared_by_both = biased_codes(c);
    return Two(weigh_biased(s.along_x1, biased_codes(a), biased_codes(b), shared_by_both),
               weigh_biased(s.along_x1_right, shared_by_both, biased_codes(d),
                            biased_codes(subgroupShuffle(a, s.next))));
}

Two upper_row(Strip s, Gathered g)
{
    return weigh_row(s, g.left.w, g.left.z, g.right.w, g.right.z);
}

Two lower_row(Strip s, Gathered g)
{
    return weigh_row(s, g.left.x, g.left.y, g.right.x, g.right.y);
}

Two weigh_rows(vec3 weights, Two a, Two b, Two c)
{
    return Two(weigh(weights, a.left, b.left, c.left), weigh(weights, a.right, b.right, c.right));
}

/* The pair of lanes that differ in a bit of their index, `mask`, of a pair of words each: first words
 * to the one where it is 0, second words to the other, in the order of lanes. */
uvec2 transposed(uvec2 pair, uint lane, uint mask)
{
    bool is_upper = (lane & mask) != 0u;
    uint got = subgroupShuffleXor(is_upper ? pair.x : pair.y, mask);
    return is_upper ? uvec2(got, pair.y) : uvec2(pair.x, got);
}

/* Rows `y`, even, and y + 1 of level 1, two columns a lane. Memory is written in sectors, which in images
 * are four texels wide and two high: each store of a subgroup is to fill such, or they are
 * written twice. A sector is what two lanes, i and i ^ 1, have of both rows. */
void store_rows1(Strip s, int y, uvec2 upper, uvec2 lower)
{
    uint mask = SUBGROUP_SIZE >= 8 ? 2u : 1u;
    upper = transposed(upper, s.lane, mask);
    lower = transposed(lower, s.lane, mask);
    uvec2 first = transposed(uvec2(upper.x, lower.x), s.lane, 2u * mask);
    uvec2 second = transposed(uvec2(upper.y, lower.y), s.lane, 2u * mask);
    int from = int(s.lane & ~(3u * mask)), step = int(mask);
    ivec2 at = ivec2((s.first.x << 2) + 2 * from + ((s.lane & mask) != 0u ? 1 : 0),
                     y + ((s.lane & 2u * mask) != 0u ? 1 : 0));
    bool is_owned = at.y >= s.first.y << 2 && at.y <= s.owned1.y;
    if (is_owned && at.x <= s.owned1.x) {
        store_bytes(1, at, s.layer, first.x);
    }
    at.x += 2 * step;
    if (is_owned && at.x <= s.owned1.x) {
        store_bytes(1, at, s.layer, second.x);
    }
    at.x += 2 * step;
    if (is_owned && at.x <= s.owned1.x) {
        store_bytes(1, at, s.layer, first.y);
    }
    at.x += 2 * step;
    if (is_owned && at.x <= s.owned1.x) {
        store_bytes(1, at, s.layer, second.y);
    }
}

/* The same of level 2, a column a lane. Every other strip begins in the middle of a sector, which is then
 * filled by halves. */
void store_rows2(Strip s, int y, uvec2 rows)
{
    uint mask = SUBGROUP_SIZE >= 8 ? 4u : 2u;
    rows = transposed(rows, s.lane, mask);
    ivec2 at = ivec2((s.first.x << 1) + int(s.lane & ~mask),
                     y + ((s.lane & mask) != 0u ? 1 : 0));
    bool is_owned = at.y >= s.first.y << 1 && at.y <= s.owned2.y;
    if (is_owned && at.x <= s.owned2.x) {
        store_bytes(2, at, s.layer, rows.x);
    }
    at.x += int(mask);
    if (is_owned && at.x <= s.owned2.x) {
        store_bytes(2, at, s.layer, rows.y);
    }
}

uvec2 bytes_of_two(Two texels)
{
    return uvec2(bytes_of(texels.left), bytes_of(texels.right));
}

/* Row `y` of level 1, from rows 2y + 1 and 2y + 2 of level 0 and the one before. */
Two make_row1(inout Strip s, int y, Gathered g)
{
    Two middle = upper_row(s, g), below = lower_row(s, g);
    Two texels = weigh_rows(weights_of(s.y1, y), s.row0, middle, below);
    s.row0 = below;
    return texels;
}

vec4 from_lane(vec4 texel, uint lane)
{
    return vec4(subgroupShuffle(texel.x, lane), subgroupShuffle(texel.y, lane),
                subgroupShuffle(texel.z, lane), subgroupShuffle(texel.w, lane));
}

vec4 make_row2(inout Strip s, int y, Two middle, Two below)
{
    Two columns = weigh_rows(weights_of(s.y2, y), s.row1, middle, below);
    s.row1 = below;
    return weigh(s.along_x2, columns.left, columns.right, from_lane(columns.left, s.next));
}

/* By every other lane. */
void make_row3(inout Strip s, int y, vec4 middle, vec4 below)
{
    vec4 column = weigh(weights_of(s.y3, y), s.row2, middle, below);
    s.row2 = below;
    vec4 texel = weigh(s.along_x3, column, from_lane(column, s.next), from_lane(column, s.next2));
    ivec2 at = ivec2(s.first.x + int(s.lane >> 1), y);
    bool is_row = y >= s.first.y && y <= s.last.y;
    if (is_row && (s.lane & 1u) == 0u && at.x <= s.last.x) {
        store_bytes(3, at, s.layer, bytes_of(texel));
        leave_part(at - s.first_of_tile, texel);
    }
}

/* Row by row of level 2, each of two of level 1, which are fetched one turn ahead. The first turn is for the
 * last rows that the first turns that count begin with: what it makes of levels 2 and 3 is not
 * stored. */
void make_strip(inout Strip s)
{
    int y1 = (s.first.y << 2) - 1, y2 = (s.first.y << 1) - 1; /* rows of levels 1 and 2 */
    s.row0 = lower_row(s, gather(s, 2 * y1 - 1));
    Gathered g0 = gather(s, 2 * y1 + 1), g1 = gather(s, 2 * y1 + 3);
    vec4 middle2 = vec4(0.0);
    uvec2 upper1 = uvec2(0u); /* the last row of level 1, to be stored with the next one */
    uint upper2 = 0u;         /* and of level 2 */
    s.row1 = s.row0;
    s.row2 = middle2;
    /* Where loops are not safe, as often for every invocation: those that never enter one pass the
     * barrier behind it there. */
    int n_rows = IS_LOOP_SAFE ? s.last.y - s.first.y + 1 : STRIP_ROWS;
    for (int i = 0; i < 2 * n_rows + 2; i++, y2++, y1 += 2) {
        Two middle = make_row1(s, y1, g0);
        g0 = gather(s, 2 * y1 + 5);
        store_rows1(s, y1 - 1, upper1, bytes_of_two(middle));
        Two below = make_row1(s, y1 + 1, g1);
        g1 = gather(s, 2 * y1 + 7);
        upper1 = bytes_of_two(below);
        vec4 texel = make_row2(s, y2, middle, below);
        uint bytes2 = bytes_of(texel);
        if ((y2 & 1) == 0) {
            make_row3(s, (y2 >> 1) - 1, middle2, texel);
        } else {
            store_rows2(s, y2 - 1, uvec2(upper2, bytes2));
        }
        upper2 = bytes2;
        middle2 = texel;
    }
    /* At the lower edge. */
    if (y1 - 1 <= s.owned1.y) {
        store_rows1(s, y1 - 1, upper1, uvec2(0u));
    }
    if (y2 - 1 <= s.owned2.y) {
        store_rows2(s, y2 - 1, uvec2(upper2, 0u));
    }
}

void make_tile(ivec2 tile, int layer, uint subgroup, uint lane)
{
    Strip strip = strip_of(tile, layer, subgroup, lane);
    if (!IS_LOOP_SAFE || all(lessThanEqual(strip.first, strip.last))) {
        make_strip(strip);
    }
}

#endif
