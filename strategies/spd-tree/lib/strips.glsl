/* Levels 1 to 3 of a tile of any size. Each subgroup works on its own, without shared memory: it makes a strip, four
 * columns per lane, row by row from top to bottom.
 *
 * The left end of a strip where all sizes are odd (| separates lanes):
 *
 *     level 0    0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 14 15 | 16
 *     level 1     0   1  |  2   3  |  4   5    |   6   7     |     from 0 1 2, 2 3 4 and so on: the last is
 *     level 2     0      |  1      |  2        |   3         |     the next lane's first
 *     level 3     0      |         |  1        |             |     from lanes i, i + 1 and i + 2
 *
 * A texel of level 3 covers up to 15 columns of level 0, and the next texel starts 8 columns further on. Of the 128
 * columns of 32 lanes, the last seven are therefore a halo: the lanes make 15 texels of level 3, and the next strip
 * starts at column 120. Texels of levels 1 and 2 that two strips make are stored by the strip that owns them.
 *
 * There are two pipelines. With GENERAL, push constants tell which sizes are odd, and an even level costs only a branch
 * that is not taken. Without GENERAL there is no halo. Down the strip, the last even row of an odd level stays in
 * registers as the first of the three rows that the next row below covers:
 *
 *     level 0    0  1  2  3  4  5  6  7  8 | 9 10 ..
 *     level 1       0     1     2     3     4 | ..            row r covers rows 2r to 2r + 2
 *     level 2             0           1     2 ..
 *     level 3                         0
 *
 * A tile is a block of strips, two high. It leaves its texels of level 3 in partials[], where partials.glsl continues.
 *
 * For example, follow texel (500, 301) of a 1023x1023 image, with 32 lanes and strips of two rows of level 3. A tile is
 * 60x4 texels of level 3, which are 480x32 of level 0. The texel lies in the first strip of tile (1, 9), in the first
 * column of lane 5.
 *
 *     level 1    column 250 (columns 500 to 502) is lane 5's; column 249 (498 to 500) is lane 4's, which gets
 *                column 500 from lane 5 by a shuffle; row 150 (rows 300 to 302)
 *     level 2    columns 124 and 125, of lanes 4 and 5; rows 74 and 75: row 150 is the last row of 74 and
 *                the first row of 75
 *     level 3    columns 61 and 62, of lanes 2 and 4; rows 36 and 37, both of this strip
 *     level 4    columns 30 and 31, rows 17 and 18: row 18 (rows 36 to 38) is this tile's alone, and stored;
 *                row 17 (34 to 36) is shared with tile (1, 8): the later of the two tiles stores it
 *     level 9    the one texel, to which all 3x32 tiles contribute */

#define LANE_COLUMNS 4 /* of level 0 */

/* Whether all strips must run the same number of iterations. They must if lanes exchange through shared memory, and on
 * llvmpipe, where an invocation that never enters a loop would pass the barriers after the loop. */
#ifdef SUBGROUPS
#define ARE_ROWS_TOLD (!IS_GPU)
#else
#define ARE_ROWS_TOLD true
#endif

/* Whether there are too few registers for both two rows of prefetched texels and the weights of level 3: gfx1100 would
 * spill them. Where they fit, rgba16f at 3001x2001 takes 39 us instead of 42 on an H200. */
#if CHANNELS == 4 && (!defined(RAW) || RAW == 2)
const bool IS_WIDE = SUBGROUP_SIZE == 64;
#else
const bool IS_WIDE = false;
#endif

/* Whether lanes exchange texels before they store them. */
#if defined(SUBGROUPS) && (defined(RAW) || CHANNELS == 1)
#define IS_TRANSPOSED true
#else
#define IS_TRANSPOSED false
#endif

/* Whether adjacent lanes fetch adjacent texels (two columns here and two half a strip further on) and then exchange
 * half of them, so that 8-byte texels touch fewer cache lines at once: 77.5 us instead of 84.6 at 4095x4095 on an H200,
 * unless strips are short. For 16-byte texels, spreading is slower (184 us instead of 166). */
#if defined(SUBGROUPS) && RAW == 2
const bool IS_SPREAD = true;
#else
const bool IS_SPREAD = false;
#endif

/* Whether each four lanes fetch four adjacent texels, four times, and then exchange them, so that 16-byte texels touch
 * fewer cache lines at once: 147 us instead of 177 for maxima at 4095x4095 on an H200. Averages have no registers left
 * for this: they would be faster at that size and slower at others. */
#if defined(SUBGROUPS) && defined(EXTREME) && !defined(RAW) && CHANNELS == 4
#define HAS_QUADS
#endif

/* Whether rows of level 0 are always fetched in pairs whose first row is even, because such rows share cache lines. If
 * the level is odd, rows 2y and 2y + 1 are then reduced one iteration before row 2y + 2 completes row y of level 1.
 * Averages of 32-bit floats need all three at once to keep what rounding loses. */
#ifdef RAW
#define ARE_PAIRED (IS_EXTREME || DROPPED_BITS > 0)
#else
#define ARE_PAIRED (IS_EXTREME || !IS_FLOAT32)
#endif

/* The place of a lane's four columns in the strip, and the lane of a place. */
uint place_of_lane(const uint lane)
{
    return IS_SPREAD ? (lane & 1u) * uint(SUBGROUP_SIZE / 2) + (lane >> 1) : lane;
}

uint lane_at(uint place)
{
    place = min(place, uint(SUBGROUP_SIZE - 1));
    return IS_SPREAD ? place * 2u % uint(SUBGROUP_SIZE) + place / uint(SUBGROUP_SIZE / 2) : place;
}

/* The XOR of two lane indices whose places differ in the bit `mask`. */
uint lane_mask(const uint mask)
{
    return IS_SPREAD ? lane_at(mask) : mask;
}

/* A lane's two columns of level 1, or of a row of level 0 after weighting along x. */
struct Two {
    TEXEL left, right;
};

/* A lane's two columns of level 1, encoded; or two rows of one column. */
struct EncodedTwo {
    ENCODED left, right;
};

/* A lane's four texels of a row of level 0. */
struct Row {
    ENCODED a, b, c, d;
};

struct Rows {
    Row upper, lower;
};

/* The strip that the subgroup makes. */
struct Strip {
    ivec2 first, last, first_of_tile; /* texels of level 3 */
    int layer;
    uint lane, next; /* next: the lane of the next place; the last lane has itself */
    uint place; /* of the lane's columns, in fours */
    int fetched_x; /* first column of level 0 that the lane fetches */
    float left; /* texture coordinate of the edge between that column and the next */
    Axis axis_x1, axis_x2, axis_x3, axis_y1, axis_y2, axis_y3;
    vec3 along_x1, along_x1_right, along_x2, along_x3; /* weights along x */
    int last_row; /* the last row of level 0 that the strip needs */
    ivec2 owned1, owned2; /* the last texels that this strip stores */
    /* If a level is odd: its last even row so far. The row of level 0 is already reduced to columns of level 1 (except
     * with quads) and, if rows are paired, joined with the row below it. */
#ifdef HAS_QUADS
    Row row0;
#else
    Two row0;
#endif
    Two row1;
    TEXEL row2;
} s;

/* The last texel that the strip owns of the level that is `n` above level 3. */
ivec2 last_owned_by(const ivec2 base, const int n)
{
    ivec2 edge = level_extent(base, 3 - n) - 1;
    bvec2 is_edge = equal(s.last, level_extent(base, 3) - 1);
    return mix((s.last + 1 << n) - 1, edge, is_edge);
}

/* Sets up the subgroup's strip. `base` equals base_extent. */
void set_strip(const ivec2 tile, const int layer, const uint subgroup, const uint lane, const ivec2 base)
{
    ivec2 place = ivec2(subgroup % STRIPS_X, subgroup / STRIPS_X);
    ivec2 size = ivec2(STRIP_COLUMNS, strip_rows);
    s.first_of_tile = tile * TILE_SIZE;
    s.first = s.first_of_tile + place * size;
    s.last = min(s.first + size, level_extent(base, 3)) - 1;
    s.layer = layer;
    s.lane = lane;
    s.place = place_of_lane(lane);
    s.next = lane_at(s.place + 1u);
    int x0 = (s.first.x << 3) + LANE_COLUMNS * int(s.place);
#ifdef HAS_QUADS
    s.fetched_x = (s.first.x << 3) + 16 * int(lane >> 2) + int(lane & 3u);
#else
    s.fetched_x = (s.first.x << 3) + (IS_SPREAD ? LANE_COLUMNS / 2 : LANE_COLUMNS) * int(lane);
#endif
    s.left = float(s.fetched_x + 1) * inv_base_extent.x;
    ivec2 extent1 = level_extent(base, 1), extent2 = level_extent(base, 2);
    s.axis_x1 = axis_of(max(base.x, 2)); /* one texel is its own neighbour, as the sampler clamps */
    s.axis_x2 = axis_of(extent1.x);
    s.axis_x3 = axis_of(extent2.x);
    s.axis_y1 = row_axis_of(base.y);
    s.axis_y2 = row_axis_of(extent1.y);
    s.axis_y3 = row_axis_of(extent2.y);
    s.along_x1 = weights_of(s.axis_x1, float(x0 >> 1));
    s.along_x1_right = weights_of(s.axis_x1, float((x0 >> 1) + 1));
    s.along_x2 = weights_of(s.axis_x2, float(x0 >> 2));
    s.along_x3 = weights_of(s.axis_x3, float(x0 >> 3));
    s.last_row = (s.last.y + 1 << 3) - 1 + (base.y & 7);
    s.owned1 = last_owned_by(base, 2);
    s.owned2 = last_owned_by(base, 1);
    if (any(greaterThan(s.first, s.last))) { /* beyond the image */
        s.owned1 = s.owned2 = ivec2(-1);
    }
}

#ifdef HAS_QUADS
/* Fetches every fourth column. */
Row fetch_by_quads(const ivec2 at)
{
    return Row(fetch_texel(at, s.layer), fetch_texel(at + ivec2(4, 0), s.layer),
               fetch_texel(at + ivec2(8, 0), s.layer), fetch_texel(at + ivec2(12, 0), s.layer));
}

Row extreme_of(const Row a, const Row b)
{
    return Row(extreme(a.a, b.a), extreme(a.b, b.b), extreme(a.c, b.c), extreme(a.d, b.d));
}
#endif

/* Fetches rows `y` and y + 1 of level 0. A strip's last prefetch repeats one of its own rows, from the cache. */
Rows fetch(int y)
{
    y = min(y, s.last_row);
    ivec2 at = ivec2(s.fetched_x, y);
#ifdef HAS_QUADS
    return Rows(fetch_by_quads(at), fetch_by_quads(at + ivec2(0, 1)));
#else
    vec3 corner = vec3(s.left, float(y + 1) * inv_base_extent.y, s.layer);
    Block left = FETCH_BLOCK(corner, at, 0), right;
    if (IS_SPREAD) {
        at.x += 2 * SUBGROUP_SIZE - 2;
        corner.x += float(2 * SUBGROUP_SIZE - 2) * inv_base_extent.x;
    }
    right = FETCH_BLOCK(corner, at, 2);
    return Rows(Row(left.v00, left.v10, right.v00, right.v10), Row(left.v01, left.v11, right.v01, right.v11));
#endif
}

#ifdef SUBGROUPS
/* Exchanges two columns between the lanes of a pair: the even lane gives its last two columns, the odd lane its first
 * two. */
void exchange(inout Row row, const bool is_odd)
{
    ENCODED a = from_lane_xor(is_odd ? row.a : row.c, 1u), b = from_lane_xor(is_odd ? row.b : row.d, 1u);
    if (is_odd) {
        row.a = a;
        row.b = b;
    } else {
        row.c = a;
        row.d = b;
    }
}
#endif

Two reduce_row(const Row row, const ENCODED next)
{
    TEXEL a = decode(row.a), shared_by_both = decode(row.c), last = shared_by_both;
    if (GENERAL) {
        last = decode(next);
    }
    return Two(reduce_columns(s.axis_x1, true, s.along_x1, a, decode(row.b), shared_by_both, 1.0),
               reduce_columns(s.axis_x1, true, s.along_x1_right, shared_by_both, decode(row.d), last, 1.0));
}

/* Weights both rows along x. */
void reduce_both(Rows rows, out Two upper, out Two lower)
{
#ifdef SUBGROUPS
    if (IS_SPREAD) {
        exchange(rows.upper, (s.lane & 1u) != 0u);
        exchange(rows.lower, (s.lane & 1u) != 0u);
    }
#endif
    ENCODED next[2] = ENCODED[2](rows.upper.c, rows.lower.c);
    if (GENERAL) {
        next = two_from_lane(rows.upper.a, rows.lower.a, s.next);
    }
    upper = reduce_row(rows.upper, next[0]);
    lower = reduce_row(rows.lower, next[1]);
}

/* Whether the strip stores a column, given the `last` one it owns. Without a halo it owns all columns: stores beyond a
 * level's size have no effect. */
bool is_own_column(const int x, const int last)
{
    return HALO == 0 || x <= last;
}

/* Transposes a pair of texels with the lane whose place differs in the bit `mask`: the lane whose bit is 0 gets both
 * first texels and the other lane both second texels, in the order of places. */
EncodedTwo transposed(const EncodedTwo pair, const uint place, const uint mask)
{
#ifdef SUBGROUPS
    bool is_upper = (place & mask) != 0u;
    ENCODED got = from_lane_xor(is_upper ? pair.left : pair.right, lane_mask(mask));
    return EncodedTwo(is_upper ? got : pair.left, is_upper ? pair.right : got);
#else
    return pair;
#endif
}

#ifdef HAS_QUADS
/* Gives each of four lanes four adjacent columns. */
Row transposed_row(const Row row)
{
    EncodedTwo ab = transposed(EncodedTwo(row.a, row.b), s.place, 1u);
    EncodedTwo cd = transposed(EncodedTwo(row.c, row.d), s.place, 1u);
    EncodedTwo ac = transposed(EncodedTwo(ab.left, cd.left), s.place, 2u);
    EncodedTwo bd = transposed(EncodedTwo(ab.right, cd.right), s.place, 2u);
    return Row(ac.left, bd.left, ac.right, bd.right);
}
#endif

#define STORE_OWNED(level, at, owned, texel)                                                          \
    if (at.y <= owned.y && is_own_column(at.x, owned.x)) {                                           \
        STORE_LEVEL(level, at, s.layer, stored_of(texel))                                            \
    }

/* Stores rows `y`, which is even, and y + 1 of level 1, two columns per lane. Memory is written in sectors, which for
 * 4-byte texels are four texels wide and two high, and each store of a subgroup should fill whole sectors; a sector
 * filled by two stores is written twice. Lanes i and i ^ 1 hold a sector of both rows; each of the four stores writes
 * one contiguous quarter of the strip. A lane that holds a whole sector needs no exchange. */
void store_rows1(const int y, EncodedTwo upper, EncodedTwo lower)
{
    if (!IS_TRANSPOSED) {
        ivec2 at = ivec2((s.first.x << 2) + 2 * int(s.place), y), right = at + ivec2(1, 0);
        STORE_OWNED(1, at, s.owned1, upper.left)
        STORE_OWNED(1, right, s.owned1, upper.right)
        at.y++;
        right.y++;
        STORE_OWNED(1, at, s.owned1, lower.left)
        STORE_OWNED(1, right, s.owned1, lower.right)
        return;
    }
    uint mask = uint(SUBGROUP_SIZE) / 4u;
    upper = transposed(upper, s.place, mask);
    lower = transposed(lower, s.place, mask);
    EncodedTwo first = transposed(EncodedTwo(upper.left, lower.left), s.place, 2u * mask);
    EncodedTwo second = transposed(EncodedTwo(upper.right, lower.right), s.place, 2u * mask);
    int from = int(s.place & ~(3u * mask)), step = int(mask);
    ivec2 at = ivec2((s.first.x << 2) + 2 * from + ((s.place & mask) != 0u ? 1 : 0),
                     y + ((s.place & 2u * mask) != 0u ? 1 : 0));
    STORE_OWNED(1, at, s.owned1, first.left)
    at.x += 2 * step;
    STORE_OWNED(1, at, s.owned1, second.left)
    at.x += 2 * step;
    STORE_OWNED(1, at, s.owned1, first.right)
    at.x += 2 * step;
    STORE_OWNED(1, at, s.owned1, second.right)
}

/* Stores two rows of level 2, one column per lane; four lanes first exchange texels with the next four. Every other
 * strip starts in the middle of a sector, so that sector is filled by two strips, half by each. */
void store_rows2(const int y, EncodedTwo rows)
{
    int x = s.first.x << 1;
    if (!IS_TRANSPOSED) {
        ivec2 at = ivec2(x + int(s.place), y);
        STORE_OWNED(2, at, s.owned2, rows.left)
        at.y++;
        STORE_OWNED(2, at, s.owned2, rows.right)
        return;
    }
    uint mask = SUBGROUP_SIZE >= 8 ? 4u : 2u;
    rows = transposed(rows, s.place, mask);
    ivec2 at = ivec2(x + int(s.place & ~mask), y + ((s.place & mask) != 0u ? 1 : 0));
    STORE_OWNED(2, at, s.owned2, rows.left)
    at.x += int(mask);
    STORE_OWNED(2, at, s.owned2, rows.right)
}

EncodedTwo encoded_row1(const Two sums)
{
    float scale = scale_of_carried(scales.x);
    return EncodedTwo(encode_sums(scale, sums.left), encode_sums(scale, sums.right));
}

/* Whether level 0 has an odd height and its rows are paired. Two conditions, because glslang 12 would compile a single
 * expression to invalid SPIR-V. */
bool is_odd_and_paired()
{
    if (GENERAL && s.axis_y1.is_odd) {
        return ARE_PAIRED;
    }
    return false;
}

/* The first of the two rows of level 0 that are fetched for row `y` of level 1. If the height is odd, row `y` covers
 * three rows, and the two are the last of these; if rows are paired, the two are the last of the three and the row
 * below. */
int new_rows(const int y)
{
    if (is_odd_and_paired()) {
        return 2 * y + 2;
    }
    return 2 * y + (GENERAL && s.axis_y1.is_odd ? 1 : 0);
}

#ifdef HAS_QUADS
/* Makes row `y` of level 1. */
Two make_row1(const int y, const Rows rows)
{
    Row pair = extreme_of(rows.upper, rows.lower), row = pair;
    if (GENERAL && s.axis_y1.is_odd) {
        row = extreme_of(s.row0, rows.upper);
    }
    s.row0 = pair;
    row = transposed_row(row);
    TEXEL last = row.c;
    if (GENERAL) {
        last = from_lane(row.a, s.next);
    }
    return Two(reduce_columns(s.axis_x1, true, s.along_x1, row.a, row.b, row.c, 1.0),
               reduce_columns(s.axis_x1, true, s.along_x1_right, row.c, row.d, last, 1.0));
}
#else
/* begin_row() joins the first two of three rows; end_row() adds the third. */
TEXEL begin_row(const vec3 weights, const TEXEL a, const TEXEL b)
{
    if (IS_EXTREME) {
        return extreme(a, b);
    }
    return IS_FLOAT ? add_weighted(weights.y, b, weights.x * a) : add_weighted(weights.x, a, b);
}

TEXEL end_row(const vec3 weights, const TEXEL begun, const TEXEL c)
{
    if (IS_EXTREME) {
        return extreme(begun, c);
    }
    TEXEL sum = add_weighted(weights.z, c, begun);
    return IS_FLOAT ? scales.x * sum : sum;
}

/* Makes row `y` of level 1. */
Two make_row1(const int y, const Rows rows)
{
    Two upper, lower;
    reduce_both(rows, upper, lower);
    vec3 weights = weights_of(s.axis_y1, float(y));
    Two row;
    if (is_odd_and_paired()) {
        row = Two(end_row(weights, s.row0.left, upper.left), end_row(weights, s.row0.right, upper.right));
        weights = weights_of(s.axis_y1, float(y + 1));
        s.row0 = Two(begin_row(weights, upper.left, lower.left), begin_row(weights, upper.right, lower.right));
    } else {
        row = Two(reduce_rows(s.axis_y1, false, weights, s.row0.left, upper.left, lower.left, scales.x),
                  reduce_rows(s.axis_y1, false, weights, s.row0.right, upper.right, lower.right, scales.x));
        s.row0 = lower;
    }
    return row;
}
#endif

/* Makes row `y` of level 2 from two more rows of level 1. */
TEXEL make_row2(const int y, const Two upper, const Two lower)
{
    vec3 weights = weights_of(s.axis_y2, float(y));
    TEXEL left = reduce_rows(s.axis_y2, true, weights, s.row1.left, upper.left, lower.left, 1.0);
    TEXEL right = reduce_rows(s.axis_y2, true, weights, s.row1.right, upper.right, lower.right, 1.0);
    TEXEL last = left;
    if (GENERAL) {
        last = from_lane(left, s.next);
    }
    return reduce_columns(s.axis_x2, false, s.along_x2, left, right, last, scales.y);
}

/* Makes row `y` of level 3; every second lane has a texel. */
void make_row3(const int y, const TEXEL upper, const TEXEL lower)
{
    Axis axis_x = s.axis_x3, axis_y = s.axis_y3;
    vec3 along_x = s.along_x3;
    if (IS_LEAN || IS_WIDE) { /* recomputed here: since `y` is in it, no compiler hoists it out of the loop */
        ivec2 extent2 = level_extent(IS_LEAN ? base_extent ^ int(zero & uint(y)) : base_extent, 2);
        axis_x = axis_of(extent2.x);
        axis_y = row_axis_of(extent2.y);
        along_x = weights_of(axis_x, float((s.first.x << 3) + LANE_COLUMNS * int(s.place) >> 3));
    }
    TEXEL column = reduce_rows(axis_y, true, weights_of(axis_y, float(y)), s.row2, upper, lower, 1.0);
    TEXEL further[2] = from_two_lanes(column, s.next, lane_at(s.place + 2u));
    TEXEL sums = reduce_columns(axis_x, false, along_x, column, further[0], further[1], scales.z);
    ivec2 at = ivec2(s.first.x + int(s.place >> 1), y);
    if (all(lessThanEqual(at, s.last)) && (s.place & 1u) == 0u) {
        STORE_LEVEL(3, at, s.layer, stored_of(encode_sums(scale_of_carried(scales.z), sums)))
        if (HAS_PARTIALS) {
            leave_partial(at - s.first_of_tile, unbiased(scale_of_carried(scales.z) * sums));
        }
    }
}

/* Texels that are kept for the next iteration. */
struct LeftOver {
    EncodedTwo stored1; /* the last row of level 1 */
    ENCODED stored2;    /* the last row of level 2 */
    TEXEL sums2;
};

/* Stores two rows of level 1, the first of them even. If the height of level 1 is odd, the first one is the last row of
 * the previous iteration. */
void store_turn(const LeftOver above, const int y1, const EncodedTwo upper, const EncodedTwo lower)
{
    bool is_odd = GENERAL && s.axis_y2.is_odd;
    EncodedTwo first = upper, second = lower;
    if (is_odd) {
        first = above.stored1;
        second = upper;
    }
    int y = is_odd ? y1 - 1 : y1;
    if (y >= 4 * s.first.y) {
        store_rows1(y, first, second);
    }
}

/* Makes row `y2` of level 2, and the row of level 3 that row `y2` completes, if any. */
void make_rows2(const int y2, const Two upper, const Two lower, inout LeftOver above)
{
    TEXEL sums = make_row2(y2, upper, lower);
    ENCODED stored = encode_sums(scale_of_carried(scales.y), sums);
    bool is_even = (y2 & 1) == 0, is_odd_axis = GENERAL && s.axis_y3.is_odd;
    if (!is_even) {
        store_rows2(y2 - 1, EncodedTwo(above.stored2, stored));
    }
    if (is_even == is_odd_axis && y2 > 2 * s.first.y) {
        make_row3(is_odd_axis ? (y2 >> 1) - 1 : y2 >> 1, above.sums2, sums);
    }
    if (is_even) {
        s.row2 = sums;
    }
    above.stored2 = stored;
    above.sums2 = sums;
}

/* Clears the kept rows, since no row precedes the strip's first. */
void keep_no_rows()
{
#ifdef HAS_QUADS
    s.row0 = Row(TEXEL(0.0), TEXEL(0.0), TEXEL(0.0), TEXEL(0.0));
#else
    s.row0 = Two(TEXEL(0.0), TEXEL(0.0));
#endif
    s.row1 = Two(TEXEL(0.0), TEXEL(0.0));
    s.row2 = TEXEL(0.0);
}

/* An iteration makes a row of level 2 and rows `y1` and y1 + 1 of level 1. Texels of level 0 are prefetched one
 * iteration ahead, into registers of their own, because moving a value that is still being fetched would wait for it.
 * If level 0 or 1 is odd, the first iteration only fills in the first of three rows. */
void make_strip()
{
    bool is_odd2 = GENERAL && s.axis_y2.is_odd, is_odd3 = GENERAL && s.axis_y3.is_odd;
    int start = 2 * s.first.y, y2 = GENERAL && (s.axis_y1.is_odd || is_odd2) ? start - 1 : start;
    int y1 = 2 * y2 + (is_odd2 ? 1 : 0);
    LeftOver above = LeftOver(EncodedTwo(ENCODED(0), ENCODED(0)), ENCODED(0), TEXEL(0.0));
    keep_no_rows();
    int n_rows = ARE_ROWS_TOLD ? strip_rows : s.last.y - s.first.y + 1;
    int end = start + 2 * n_rows + (is_odd3 ? 1 : 0);
    Rows g0, g1;
    if (!IS_LEAN) {
        g0 = fetch(new_rows(is_odd2 || y2 == start ? y1 : y1 + 1));
    }
    if (!IS_LEAN && !IS_WIDE) {
        g1 = fetch(new_rows(y1 + 1));
    }
    for (; y2 < end; y2++) {
        if (IS_LEAN) {
            g0 = fetch(new_rows(y1));
        }
        Two upper = Two(TEXEL(0.0), TEXEL(0.0));
        if (!GENERAL || is_odd2 || y2 >= start) {
            upper = make_row1(y1, g0);
        }
        if (!IS_LEAN) {
            g0 = fetch(new_rows(IS_WIDE ? y1 + 1 : y1 + 2));
        }
        EncodedTwo stored_upper = encoded_row1(upper);
        if (IS_LEAN) {
            g1 = fetch(new_rows(y1 + 1));
        } else if (IS_WIDE) {
            g1 = g0;
        }
        Two lower = make_row1(y1 + 1, g1);
        if (!IS_LEAN && IS_WIDE) {
            g0 = fetch(new_rows(y1 + 2));
        } else if (!IS_LEAN) {
            g1 = fetch(new_rows(y1 + 3));
        }
        EncodedTwo stored_lower = encoded_row1(lower);
        store_turn(above, y1, stored_upper, stored_lower);
        above.stored1 = stored_lower;
        if (!GENERAL || y2 >= start) {
            make_rows2(y2, upper, lower, above);
        }
        s.row1 = lower;
        y1 += 2;
    }
    /* Stores what remains at the lower edge. */
    if (is_odd2 && y1 - 1 <= s.owned1.y) {
        store_rows1(y1 - 1, above.stored1, EncodedTwo(ENCODED(0), ENCODED(0)));
    }
    if (is_odd3 && y2 - 1 <= s.owned2.y) {
        store_rows2(y2 - 1, EncodedTwo(above.stored2, ENCODED(0)));
    }
}

void make_tile_of_strips(ivec2 tile, const int layer, const uint subgroup, const uint lane)
{
    ivec2 base = base_extent;
    if (IS_LEAN) { /* so that no compiler keeps values live for partials.glsl that it can recompute */
        tile ^= int(zero);
        base ^= int(zero);
    }
    set_strip(tile, layer, subgroup, lane, base);
    if (ARE_ROWS_TOLD || all(lessThanEqual(s.first, s.last))) {
        make_strip();
    }
}
