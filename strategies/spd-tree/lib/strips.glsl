/* Levels 1 to FIRST_LEVELS, 3 or 4, of a tile of any size, each subgroup for itself
 * and without shared memory: in strips as wide as the subgroup has lanes, four columns each, row by row on
 * the way down.
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
 * at column 120. What both make of levels 1 and 2, the one stores that owns it. With level 4 the halo has 15
 * columns, and strips make 7 of it. Where fewer sizes are odd, fewer columns are taken beyond; if
 * level 0 is the only one, it is a single one, that the last lane fetches besides. Down the strip the last
 * even row of an odd level stays where it is, in registers, as the first of the three that the next
 * row below takes:
 *
 *     level 0    0  1  2  3  4  5  6  7  8 | 9 10 ..
 *     level 1       0     1     2     3     4 | ..            row r takes rows 2r to 2r + 2
 *     level 2             0           1     2 ..
 *     level 3                         0
 *
 * A tile is a block of strips, two high. What it makes of level FIRST_LEVELS is left in parts[], where
 * share_parts.glsl goes on.
 *
 * Follow texel (500, 301) of a 1023x1023 image, by 32 lanes and strips of two rows of level 3. A tile is 60x4 texels
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

#define LANE_COLUMNS 4 /* of level 0 */

/* Whether all strips take the same number of turns, as lanes that meet in shared memory have to. */
#ifdef SUBGROUPS
#define ARE_ROWS_TOLD false
#else
#define ARE_ROWS_TOLD true
#endif

/* Whether two rows fetched in advance, or the weights of level 3, are more than registers hold. */
#if CHANNELS == 4 && (!defined(RAW) || RAW == 2)
const bool IS_WIDE = true;
#else
const bool IS_WIDE = false;
#endif

/* Whether lanes exchange texels before they store them. */
#if defined(SUBGROUPS) && (defined(RAW) || CHANNELS == 1)
#define IS_TRANSPOSED true
#else
#define IS_TRANSPOSED false
#endif

/* Whether lanes fetch what lies next to what the next lane fetches, two columns here and two half a strip further on,
 * and exchange half of it, so that texels of eight bytes come from fewer lines of the cache at once: on an H200 84.6
 * to 77.5 us at 4095x4095, where strips are not short. Of 16 bytes it is a loss (166 to 184). */
#if defined(SUBGROUPS) && RAW == 2
const bool IS_SPREAD = STRIP_ROWS > 1;
#else
const bool IS_SPREAD = false;
#endif

/* Where a lane's four columns lie in the strip, and the other way round. */
uint place_of_lane(uint lane)
{
    return IS_SPREAD ? (lane & 1u) * uint(SUBGROUP_SIZE / 2) + (lane >> 1) : lane;
}

uint lane_at(uint place)
{
    place = min(place, uint(SUBGROUP_SIZE - 1));
    return IS_SPREAD ? place * 2u % uint(SUBGROUP_SIZE) + place / uint(SUBGROUP_SIZE / 2) : place;
}

/* What lanes differ by, whose places differ by a power of two. */
uint lane_mask(uint mask)
{
    return IS_SPREAD ? lane_at(mask) : mask;
}

/* Whether an axis of level `n` is odd, so that texels of the next weigh three. */
#define IS_ODD_X(n) ((ODD_X >> (n) & 1) != 0)
#define IS_ODD_Y(n) ((ODD_Y >> (n) & 1) != 0)

/* A lane's two columns of level 1, or of a row of level 0 weighed to such. */
struct Two {
    TEXEL left, right;
};

/* A lane's two columns of level 1 as they are stored, or two rows of one column. */
struct EncodedTwo {
    ENCODED left, right;
};

/* Of a row of level 0 the four texels of a lane; and of the last lane, if asked for, the one beyond. */
struct Row {
    FETCHED a, b, c, d, beyond;
};

struct Rows {
    Row upper, lower;
};

struct Strip {
    ivec2 first, last, first_of_tile; /* texels of level FIRST_LEVELS */
    int layer;
    uint lane, next, next2, next4; /* further lanes; the last for those beyond */
    uint place; /* of the lane's columns, in fours */
    int fetched_x; /* first column of level 0 that the lane fetches */
    float left; /* and the texture coordinate between it and the next */
    vec3 along_x1, along_x1_right, along_x2, along_x3, along_x4; /* weights of columns */
    Axis axis_y1, axis_y2, axis_y3, axis_y4;
    int last_row; /* of level 0, of which there is need */
    ivec2 owned1, owned2, owned3; /* last texels that are this strip's to store */
    /* Where a level is odd, its last even row so far; of level 0 as columns of level 1. */
    Two row0, row1;
    TEXEL row2, row3;
    TEXEL above3; /* the last row of level 3 */
};

/* The texels that a strip owns of a level `n` above FIRST_LEVELS, up to this one. */
ivec2 last_owned_by(Strip s, ivec2 base, int n)
{
    ivec2 edge = level_extent(base, FIRST_LEVELS - n) - 1;
    bvec2 is_edge = equal(s.last, level_extent(base, FIRST_LEVELS) - 1);
    return mix((s.last + 1 << n) - 1, edge, is_edge);
}

/* `base`: what base_extent is. */
Strip strip_of(ivec2 tile, int layer, uint subgroup, uint lane, ivec2 base)
{
    Strip s;
    ivec2 place = ivec2(subgroup % STRIPS_X, subgroup / STRIPS_X);
    ivec2 size = ivec2(STRIP_COLUMNS, STRIP_ROWS);
    s.first_of_tile = tile * TILE_SIZE;
    s.first = s.first_of_tile + place * size;
    s.last = min(s.first + size, level_extent(base, FIRST_LEVELS)) - 1;
    s.layer = layer;
    s.lane = lane;
    s.place = place_of_lane(lane);
    s.next = lane_at(s.place + 1u);
    s.next2 = lane_at(s.place + 2u);
    s.next4 = lane_at(s.place + 4u);
    int x0 = (s.first.x << FIRST_LEVELS) + LANE_COLUMNS * int(s.place);
    s.fetched_x = (s.first.x << FIRST_LEVELS) + (IS_SPREAD ? LANE_COLUMNS / 2 : LANE_COLUMNS) * int(lane);
    s.left = float(s.fetched_x + 1) * inv_base_extent.x;
    ivec2 extent1 = level_extent(base, 1), extent2 = level_extent(base, 2),
          extent3 = level_extent(base, 3);
    Axis x1 = axis_of(base.x), x2 = axis_of(extent1.x), x3 = axis_of(extent2.x),
         x4 = axis_of(extent3.x);
    s.axis_y1 = axis_of(base.y);
    s.axis_y2 = axis_of(extent1.y);
    s.axis_y3 = axis_of(extent2.y);
    s.axis_y4 = axis_of(extent3.y);
    s.along_x1 = weights_of(x1, float(x0 >> 1));
    s.along_x1_right = weights_of(x1, float((x0 >> 1) + 1));
    s.along_x2 = weights_of(x2, float(x0 >> 2));
    s.along_x3 = weights_of(x3, float(x0 >> 3));
    s.along_x4 = weights_of(x4, float(x0 >> 4));
    s.last_row = (s.last.y + 1 << FIRST_LEVELS) - 1 + ODD_Y;
    s.owned1 = last_owned_by(s, base, FIRST_LEVELS - 1);
    s.owned2 = last_owned_by(s, base, FIRST_LEVELS - 2);
    s.owned3 = last_owned_by(s, base, FIRST_LEVELS - 3);
    if (any(greaterThan(s.first, s.last))) { /* beyond the image */
        s.owned1 = s.owned2 = s.owned3 = ivec2(-1);
    }
    return s;
}

/* Rows `y` and y + 1 of level 0. What a strip fetches in advance at its end is a row that it has, which is in
 * the cache. */
Rows fetch(Strip s, int y)
{
    y = min(y, s.last_row);
    ivec2 at = ivec2(s.fetched_x, y);
    vec3 corner = vec3(s.left, float(y + 1) * inv_base_extent.y, s.layer);
    Block left = FETCH_BLOCK(corner, at, 0), right;
    if (IS_SPREAD) {
        at.x += 2 * SUBGROUP_SIZE - 2;
        corner.x += float(2 * SUBGROUP_SIZE - 2) * inv_base_extent.x;
    }
    right = FETCH_BLOCK(corner, at, 2);
    Rows rows = Rows(Row(left.v00, left.v10, right.v00, right.v10, FETCHED(0)),
                     Row(left.v01, left.v11, right.v01, right.v11, FETCHED(0)));
    if (ODD_X == 1 && s.lane == uint(SUBGROUP_SIZE - 1)) {
        Block beyond = FETCH_BLOCK(corner, at, 4);
        rows.upper.beyond = beyond.v00;
        rows.lower.beyond = beyond.v01;
    }
    return rows;
}

#ifdef SUBGROUPS
/* Two columns of this lane and two of the other one of a pair: what the even one fetched first, or the odd one last. */
void exchange(inout Row row, bool is_odd)
{
    FETCHED a = from_lane_xor(is_odd ? row.a : row.c, 1u), b = from_lane_xor(is_odd ? row.b : row.d, 1u);
    if (is_odd) {
        row.a = a;
        row.b = b;
    } else {
        row.c = a;
        row.d = b;
    }
}
#endif

Two reduce_row(Strip s, Row row, FETCHED next)
{
    TEXEL a = decode(row.a), shared_by_both = decode(row.c), last = shared_by_both;
    if (IS_ODD_X(0)) {
        last = decode(ODD_X == 1 && s.lane == uint(SUBGROUP_SIZE - 1) ? row.beyond : next);
    }
    return Two(reduce_taps(IS_ODD_X(0), s.along_x1, a, decode(row.b), shared_by_both),
               reduce_taps(IS_ODD_X(0), s.along_x1_right, shared_by_both, decode(row.d), last));
}

/* Both rows weighed along x. */
void reduce_both(Strip s, Rows rows, out Two upper, out Two lower)
{
#ifdef SUBGROUPS
    if (IS_SPREAD) {
        exchange(rows.upper, (s.lane & 1u) != 0u);
        exchange(rows.lower, (s.lane & 1u) != 0u);
    }
#endif
    FETCHED next[2] = FETCHED[2](rows.upper.c, rows.lower.c);
    if (IS_ODD_X(0)) {
        next = two_from_lane(rows.upper.a, rows.lower.a, s.next);
    }
    upper = reduce_row(s, rows.upper, next[0]);
    lower = reduce_row(s, rows.lower, next[1]);
}

Two reduce_rows(bool is_odd, vec3 weights, Two a, Two b, Two c)
{
    return Two(reduce_taps(is_odd, weights, a.left, b.left, c.left),
               reduce_taps(is_odd, weights, a.right, b.right, c.right));
}

/* Whether a column is the strip's to store, `last` being its last one. Without a halo they all are: stores
 * beyond a level's size have no effect. */
bool is_own_column(int x, int last)
{
    return HALO == 0 || x <= last;
}

/* The pair of lanes whose places differ in a bit, `mask`, of a pair of texels each: first ones
 * to the one where it is 0, second ones to the other, in the order of places. */
EncodedTwo transposed(EncodedTwo pair, uint place, uint mask)
{
#ifdef SUBGROUPS
    bool is_upper = (place & mask) != 0u;
    ENCODED got = from_lane_xor(is_upper ? pair.left : pair.right, lane_mask(mask));
    return EncodedTwo(is_upper ? got : pair.left, is_upper ? pair.right : got);
#else
    return pair;
#endif
}

void store_owned(int level, ivec2 at, Strip s, ivec2 owned, ENCODED texel)
{
    if (at.y <= owned.y && is_own_column(at.x, owned.x)) {
        store_encoded(level, at, s.layer, texel);
    }
}

/* Rows `y`, even, and y + 1 of level 1, two columns a lane. Memory is written in sectors, which in images
 * of texels of four bytes are four texels wide and two high: each store of a subgroup is to fill such, or they are
 * written twice. A sector is what two lanes, i and i ^ 1, have of both rows; each store takes what a quarter
 * of the lanes have, in one piece. Where a lane has a sector of its own, it needs no others. */
void store_rows1(Strip s, int y, EncodedTwo upper, EncodedTwo lower)
{
    if (!IS_TRANSPOSED) {
        ivec2 at = ivec2((s.first.x << FIRST_LEVELS - 1) + 2 * int(s.place), y);
        store_owned(1, at, s, s.owned1, upper.left);
        store_owned(1, at + ivec2(1, 0), s, s.owned1, upper.right);
        store_owned(1, at + ivec2(0, 1), s, s.owned1, lower.left);
        store_owned(1, at + ivec2(1, 1), s, s.owned1, lower.right);
        return;
    }
    uint mask = uint(SUBGROUP_SIZE) / 4u;
    upper = transposed(upper, s.place, mask);
    lower = transposed(lower, s.place, mask);
    EncodedTwo first = transposed(EncodedTwo(upper.left, lower.left), s.place, 2u * mask);
    EncodedTwo second = transposed(EncodedTwo(upper.right, lower.right), s.place, 2u * mask);
    int from = int(s.place & ~(3u * mask)), step = int(mask);
    ivec2 at = ivec2((s.first.x << FIRST_LEVELS - 1) + 2 * from + ((s.place & mask) != 0u ? 1 : 0),
                     y + ((s.place & 2u * mask) != 0u ? 1 : 0));
    store_owned(1, at, s, s.owned1, first.left);
    at.x += 2 * step;
    store_owned(1, at, s, s.owned1, second.left);
    at.x += 2 * step;
    store_owned(1, at, s, s.owned1, first.right);
    at.x += 2 * step;
    store_owned(1, at, s, s.owned1, second.right);
}

/* Rows of level 2, a column a lane, which four lanes exchange with the next four. Every other strip begins in
 * the middle of a sector, which is then filled by halves. */
void store_rows2(Strip s, int y, EncodedTwo rows)
{
    int x = s.first.x << FIRST_LEVELS - 2;
    if (!IS_TRANSPOSED) {
        ivec2 at = ivec2(x + int(s.place), y);
        store_owned(2, at, s, s.owned2, rows.left);
        store_owned(2, at + ivec2(0, 1), s, s.owned2, rows.right);
        return;
    }
    uint mask = SUBGROUP_SIZE >= 8 ? 4u : 2u;
    rows = transposed(rows, s.place, mask);
    ivec2 at = ivec2(x + int(s.place & ~mask), y + ((s.place & mask) != 0u ? 1 : 0));
    store_owned(2, at, s, s.owned2, rows.left);
    at.x += int(mask);
    store_owned(2, at, s, s.owned2, rows.right);
}

EncodedTwo encoded_row1(Strip s, Two sums)
{
    float scale = scale_of_carried(scales.x);
    return EncodedTwo(encode_sums(scale, sums.left), encode_sums(scale, sums.right));
}

/* First of the two rows that are new to row `y` of the level below level `n`, the last two of three. */
int new_rows(int n, int y)
{
    return 2 * y + (IS_ODD_Y(n) ? 1 : 0);
}

/* Row `y` of level 1. */
Two make_row1(inout Strip s, int y, Rows rows)
{
    Two upper, lower;
    reduce_both(s, rows, upper, lower);
    vec3 weights = weights_of(s.axis_y1, float(y));
    if (!IS_ODD_Y(0)) {
        return Two(reduce_last(false, weights, upper.left, lower.left, lower.left, scales.x),
                   reduce_last(false, weights, upper.right, lower.right, lower.right, scales.x));
    }
    Two even = s.row0;
    s.row0 = lower;
    return Two(reduce_last(true, weights, even.left, upper.left, lower.left, scales.x),
               reduce_last(true, weights, even.right, upper.right, lower.right, scales.x));
}

/* Row `y` of level 2 from the next two of level 1. */
TEXEL make_row2(inout Strip s, int y, Two upper, Two lower)
{
    vec3 weights = weights_of(s.axis_y2, float(y));
    Two columns = IS_ODD_Y(1) ? reduce_rows(true, weights, s.row1, upper, lower)
                              : reduce_rows(false, weights, upper, lower, lower);
    s.row1 = lower;
    TEXEL last = columns.left;
    if (IS_ODD_X(1)) {
        last = from_lane(columns.left, s.next);
    }
    return reduce_last(IS_ODD_X(1), s.along_x2, columns.left, columns.right, last, scales.y);
}

/* A row of level 3 or 4 likewise, of which every second lane or every fourth has a texel: along x from lanes
 * `next` and `last`. */
TEXEL make_row(int n, vec3 along_y, vec3 along_x, TEXEL even, TEXEL upper, TEXEL lower, uint next, uint last,
               float scale)
{
    TEXEL column = IS_ODD_Y(n) ? reduce_taps(true, along_y, even, upper, lower)
                              : reduce_taps(false, along_y, upper, lower, lower);
    TEXEL further[2] = from_two_lanes(column, next, last);
    return reduce_last(IS_ODD_X(n), along_x, column, further[0], further[1], scale);
}

/* Leave a texel of level FIRST_LEVELS to share_parts.glsl. */
void leave_texel(Strip s, ivec2 at, float scale, TEXEL sums)
{
    if (HAS_PARTS) {
        leave_part(at - s.first_of_tile, unbiased(scale * sums));
    }
}

/* Row `y` of level 4. */
void make_row4(Strip s, int y, TEXEL upper, TEXEL lower)
{
    TEXEL sums = make_row(3, weights_of(s.axis_y4, float(y)), s.along_x4, s.row3, upper, lower,
                          s.next2, s.next4, scales.w);
    ivec2 at = ivec2(s.first.x + int(s.place >> 2), y);
    if (all(lessThanEqual(at, s.last)) && (s.place & 3u) == 0u) {
        store_encoded(4, at, s.layer, encode_sums(scale_of_carried(scales.w), sums));
        leave_texel(s, at, scale_of_carried(scales.w), sums);
    }
}

/* Row `y` of level 3, `start` being the strip's first. */
void make_row3(inout Strip s, int y, int start, TEXEL upper, TEXEL lower)
{
    vec3 along_x = s.along_x3;
    Axis axis_y = s.axis_y3;
    if (IS_LEAN || IS_WIDE) { /* computed again: where `y` is in it, no compiler does so before the loop */
        ivec2 extent2 = level_extent(IS_LEAN ? base_extent ^ int(zero & uint(y)) : base_extent, 2);
        along_x = weights_of(axis_of(extent2.x),
                             float((s.first.x << FIRST_LEVELS) + LANE_COLUMNS * int(s.place) >> 3));
        axis_y = axis_of(extent2.y);
    }
    TEXEL sums = make_row(2, weights_of(axis_y, float(y)), along_x, s.row2, upper, lower, s.next, s.next2,
                          scales.z);
    ivec2 at = ivec2((s.first.x << FIRST_LEVELS - 3) + int(s.place >> 1), y);
    if (all(lessThanEqual(at, s.owned3)) && (s.place & 1u) == 0u) {
        store_encoded(3, at, s.layer, encode_sums(scale_of_carried(scales.z), sums));
        if (FIRST_LEVELS == 3) {
            leave_texel(s, at, scale_of_carried(scales.z), sums);
        }
    }
    if (FIRST_LEVELS == 3) {
        return;
    }
    if ((y & 1) != 0) {
        if (!IS_ODD_Y(3)) {
            make_row4(s, y >> 1, s.above3, sums);
        }
    } else if (IS_ODD_Y(3)) {
        if (y > start) {
            make_row4(s, (y >> 1) - 1, s.above3, sums);
        }
        s.row3 = sums;
    }
    s.above3 = sums;
}

/* What is left over of rows until the next ones are made. */
struct LeftOver {
    EncodedTwo stored1; /* of the last row of level 1: to be stored with the next one, if level 1 is odd */
    ENCODED stored2;  /* of the last row of level 2 */
    TEXEL sums2;
};

/* Row `y2` of level 2, and rows `y1` and y1 + 1 of level 1, from what was fetched for each, and if
 * `fetches_next` fetch for the next two; `is_second` if it is an odd row, `start` being the strip's first of
 * level 3. */
void make_turn(inout Strip s, inout LeftOver above, int y1, int y2, bool is_second, int start,
               bool fetches_next, inout Rows g0, inout Rows g1)
{
    if (IS_LEAN) {
        g0 = fetch(s, new_rows(0, y1));
    }
    Two upper = make_row1(s, y1, g0);
    if (fetches_next && !IS_LEAN) {
        g0 = fetch(s, new_rows(0, IS_WIDE ? y1 + 1 : y1 + 2));
    }
    EncodedTwo stored1 = encoded_row1(s, upper);
    if (IS_ODD_Y(1)) {
        store_rows1(s, y1 - 1, above.stored1, stored1);
    }
    Two lower;
    if (IS_LEAN) {
        lower = make_row1(s, y1 + 1, fetch(s, new_rows(0, y1 + 1)));
    } else if (IS_WIDE) {
        lower = make_row1(s, y1 + 1, g0);
        g0 = fetch(s, new_rows(0, y1 + 2));
    } else {
        lower = make_row1(s, y1 + 1, g1);
        if (fetches_next) {
            g1 = fetch(s, new_rows(0, y1 + 3));
        }
    }
    above.stored1 = encoded_row1(s, lower);
    if (!IS_ODD_Y(1)) {
        store_rows1(s, y1, stored1, above.stored1);
    }
    TEXEL sums = make_row2(s, y2, upper, lower);
    ENCODED stored2 = encode_sums(scale_of_carried(scales.y), sums);
    if (is_second) {
        store_rows2(s, y2 - 1, EncodedTwo(above.stored2, stored2));
        if (!IS_ODD_Y(2)) {
            make_row3(s, y2 >> 1, start, above.sums2, sums);
        }
    } else if (IS_ODD_Y(2)) {
        if (y2 > 2 * start) {
            make_row3(s, (y2 >> 1) - 1, start, above.sums2, sums);
        }
        s.row2 = sums;
    }
    above.stored2 = stored2;
    above.sums2 = sums;
}

/* Two turns a loop, which make a row of level 3: nothing is then moved from one register to another, and what is
 * fetched for the next turn is asked for first. A gain in strips as long as those of four levels are on
 * large images (143 us for 148 at 12289x7001 on an H200), a loss in shorter ones (42 for 39 at
 * 4097x4096). */
const bool IS_IN_PAIRS = FIRST_LEVELS == 4 && !IS_WIDE && !IS_LEAN ? !IS_ODD_Y(2) : false;

/* Row by row of level 2, each of two further ones of level 1, which are fetched one turn ahead. */
void make_strip(inout Strip s)
{
    int start = s.first.y << FIRST_LEVELS - 3; /* row of level 3 */
    int y1 = 4 * start, y2 = 2 * start;
    LeftOver above = LeftOver(EncodedTwo(ENCODED(0), ENCODED(0)), ENCODED(0), TEXEL(0.0));
    if (IS_ODD_Y(0)) {
        Two upper;
        reduce_both(s, fetch(s, 2 * y1 - 1), upper, s.row0);
    }
    if (IS_ODD_Y(1)) {
        s.row1 = make_row1(s, y1, fetch(s, new_rows(0, y1)));
        above.stored1 = encoded_row1(s, s.row1);
        y1++;
    }
    Rows g0, g1;
    if (!IS_LEAN) {
        g0 = fetch(s, new_rows(0, y1));
    }
    if (!IS_WIDE && !IS_LEAN) {
        g1 = fetch(s, new_rows(0, y1 + 1));
    }
    s.row2 = s.row3 = s.above3 = TEXEL(0.0);
    /* On llvmpipe as often for every invocation: those that never enter a loop pass the barrier
     * behind it there. */
    int n_rows = IS_GPU && !ARE_ROWS_TOLD ? s.last.y - s.first.y + 1 : STRIP_ROWS;
    int n_rows3 = (n_rows << FIRST_LEVELS - 3) + (FIRST_LEVELS > 3 ? ODD_Y >> 3 : 0);
    int end = y2 + 2 * n_rows3 + (IS_ODD_Y(2) ? 1 : 0);
    while (y2 < end) {
        if (IS_IN_PAIRS) {
            Rows h0 = fetch(s, new_rows(0, y1 + 2)), h1 = fetch(s, new_rows(0, y1 + 3));
            make_turn(s, above, y1, y2, false, start, false, g0, g1);
            g0 = fetch(s, new_rows(0, y1 + 4));
            g1 = fetch(s, new_rows(0, y1 + 5));
            make_turn(s, above, y1 + 2, y2 + 1, true, start, false, h0, h1);
        } else {
            make_turn(s, above, y1, y2, (y2 & 1) != 0, start, true, g0, g1);
        }
        y1 += IS_IN_PAIRS ? 4 : 2;
        y2 += IS_IN_PAIRS ? 2 : 1;
    }
    /* At the lower edge. */
    if (IS_ODD_Y(1) && y1 - 1 <= s.owned1.y) {
        store_rows1(s, y1 - 1, above.stored1, EncodedTwo(ENCODED(0), ENCODED(0)));
    }
    if (IS_ODD_Y(2) && y2 - 1 <= s.owned2.y) {
        store_rows2(s, y2 - 1, EncodedTwo(above.stored2, ENCODED(0)));
    }
}

void make_tile_of_strips(ivec2 tile, int layer, uint subgroup, uint lane)
{
    ivec2 base = base_extent;
    if (IS_LEAN) { /* so that no compiler keeps for share_parts.glsl what can be computed again */
        tile ^= int(zero);
        base ^= int(zero);
    }
    Strip strip = strip_of(tile, layer, subgroup, lane, base);
    if (!IS_GPU || ARE_ROWS_TOLD || all(lessThanEqual(strip.first, strip.last))) {
        make_strip(strip);
    }
}

#endif
