/* Levels 1 to 3 of a tile of any size: 8x8 texels of level 3, which on odd sizes take up to 17x17 of level 2,
 * 35x35 of level 1 and 71x71 of level 0. Weights are those of box.glsl.
 *
 * Texels are between 0 and 1; where they are fetched and stored as they are (RAW), between 0 and 255. */
#ifndef ODD_GLSL
#define ODD_GLSL

/* Which axes of level 0 are odd: 1, x; 2, y. */
layout(constant_id = 9) const int ODD_AXES = 3;

#define WIDTH_1 35
#define WIDTH_2 17

#define BLOCKS_X 18u /* of 2x2 texels of level 1 that an invocation makes at a time, in a row */

/* And of level 2: two texels that lie this far apart, so that lanes read side by side. */
#define APART_2 9

/* Levels 1 and 2; of a row first the even columns, then the odd ones, for the same reason. */
#define FIRST_OF_2 (WIDTH_1 * WIDTH_1)
shared vec4 texels[FIRST_OF_2 + WIDTH_2 * WIDTH_2];

/* Texels of a level that the tile needs, and the last that is its to store: beyond lies the next tile's. */
struct Region {
    ivec2 first, last, owned;
};

/* Of levels 1 to 3; last texels as in share.glsl, "Of level F". */
Region region_of(ivec2 tile, int level)
{
    int n = 3 - level;
    ivec2 extent = level_extent(base_extent, level);
    ivec2 last = min(8 * tile + 7, level_extent(base_extent, 3) - 1);
    bvec2 is_edge = equal(last, level_extent(base_extent, 3) - 1);
    ivec2 first = 8 * tile << n;
    ivec2 needed = min((last << n) + (1 << n) - 1 + (extent & (1 << n) - 1), extent - 1);
    return Region(first, needed, mix(first + (8 << n) - 1, needed, is_edge));
}

/* Where a texel lies that is `p` from the first. */
int place_1(ivec2 p)
{
    return p.y * WIDTH_1 + (p.x >> 1) + ((p.x & 1) != 0 ? WIDTH_1 + 1 >> 1 : 0);
}

int place_2(ivec2 p)
{
    return FIRST_OF_2 + p.y * WIDTH_2 + (p.x >> 1) + ((p.x & 1) != 0 ? WIDTH_2 + 1 >> 1 : 0);
}

/* Two neighbours of level 1 as one row of level 0 makes them. */
struct Pair {
    vec4 left, right;
};

Pair reduce_row(vec4 t0, vec4 t1, vec4 t2, vec4 t3, vec4 t4, vec3 left, vec3 right)
{
    Pair pair = Pair(left.x * t0 + left.y * t1, right.x * t2 + right.y * t3);
    if ((ODD_AXES & 1) != 0) {
        pair.left += left.z * t2;
        pair.right += right.z * t4;
    }
    return pair;
}

#ifdef RAW
/* Bytes as floats at full rate: beneath 2^23 integers are the low bits of the sum with it. */
vec4 codes_of(uint texel)
{
    uvec4 bytes = uvec4(texel, texel >> 8, texel >> 16, texel >> 24) & 0xffu;
    return uintBitsToFloat(bytes | 0x4b000000u) - 8388608.0;
}

void store_texel(int level, ivec2 at, int layer, vec4 texel)
{
    store_bytes(level, at, layer, bytes_of(texel));
}

/* Two rows of level 0, from `first` on, by gathers of 2x2 texels: (0, 1), (1, 1), (1, 0), (0, 0). */
void reduce_two_rows(ivec2 first, vec3 left, vec3 right, int layer, out Pair top, out Pair bottom)
{
    vec3 corner = vec3(vec2(first + 1) * inv_base_extent, layer);
    uvec4 a = textureGather(source, corner);
    uvec4 b = textureGatherOffset(source, corner, ivec2(2, 0));
    uvec4 c = b;
    if ((ODD_AXES & 1) != 0) {
        c = textureGatherOffset(source, corner, ivec2(4, 0));
    }
    top = reduce_row(codes_of(a.w), codes_of(a.z), codes_of(b.w), codes_of(b.z), codes_of(c.w),
                     left, right);
    bottom = reduce_row(codes_of(a.x), codes_of(a.y), codes_of(b.x), codes_of(b.y),
                        codes_of(c.x), left, right);
}
#else
#define WHITE 1.0

void store_texel(int level, ivec2 at, int layer, vec4 texel)
{
    store(level, at, layer, texel);
}

Pair reduce_fetched_row(ivec2 first, vec3 left, vec3 right, int layer)
{
    vec4 t4 = vec4(0.0);
    if ((ODD_AXES & 1) != 0) {
        t4 = fetch_clamped(first + ivec2(4, 0), layer);
    }
    return reduce_row(fetch_clamped(first, layer), fetch_clamped(first + ivec2(1, 0), layer),
                      fetch_clamped(first + ivec2(2, 0), layer),
                      fetch_clamped(first + ivec2(3, 0), layer), t4, left, right);
}

/* Two rows of level 0, from `first` on. */
void reduce_two_rows(ivec2 first, vec3 left, vec3 right, int layer, out Pair top, out Pair bottom)
{
    top = reduce_fetched_row(first, left, right, layer);
    bottom = reduce_fetched_row(first + ivec2(0, 1), left, right, layer);
}
#endif

void finish_level1(Region region, ivec2 at, int layer, vec4 texel)
{
    if (any(greaterThan(at, region.last))) {
        return;
    }
    texels[place_1(at - region.first)] = texel;
    if (all(lessThanEqual(at, region.owned))) {
        store_texel(1, at, layer, texel);
    }
}

Pair weigh_rows(vec2 weights, Pair first, Pair second)
{
    return Pair(weights.x * first.left + weights.y * second.left,
                weights.x * first.right + weights.y * second.right);
}

void add_row(inout Pair sum, float weight, Pair row)
{
    sum.left += weight * row.left;
    sum.right += weight * row.right;
}

/* 2x2 texels of level 1 from up to 5x5 of level 0, two rows at a time: a texel of level 1 takes both, and, if
 * the size is odd, the next. */
void make_block_of_level1(Region region, ivec2 at, int layer)
{
    vec3 left = box_weights(at.x, base_extent.x), right = box_weights(at.x + 1, base_extent.x);
    vec3 above = box_weights(at.y, base_extent.y), below = box_weights(at.y + 1, base_extent.y);
    Pair row0, row1, row2, row3, row4, row5;
    reduce_two_rows(2 * at, left, right, layer, row0, row1);
    reduce_two_rows(2 * at + ivec2(0, 2), left, right, layer, row2, row3);
    Pair upper = weigh_rows(above.xy, row0, row1), lower = weigh_rows(below.xy, row2, row3);
    if ((ODD_AXES & 2) != 0) {
        reduce_two_rows(2 * at + ivec2(0, 4), left, right, layer, row4, row5);
        add_row(upper, above.z, row2);
        add_row(lower, below.z, row4);
    }
    finish_level1(region, at, layer, upper.left);
    finish_level1(region, at + ivec2(1, 0), layer, upper.right);
    finish_level1(region, at + ivec2(0, 1), layer, lower.left);
    finish_level1(region, at + ivec2(1, 1), layer, lower.right);
}

/* As often for every invocation, or llvmpipe lets some pass the barrier behind it. */
void make_level1(ivec2 tile, int layer, uint index)
{
    Region region = region_of(tile, 1);
    ivec2 n_blocks = (region.last - region.first >> 1) + 1;
    uint n = uint(BLOCKS_X * n_blocks.y);
    for (uint i = index; i - index < n; i += N_INVOCATIONS) {
        ivec2 block = ivec2(i % BLOCKS_X, i / BLOCKS_X);
        if (all(lessThan(block, n_blocks))) {
            make_block_of_level1(region, region.first + 2 * block, layer);
        }
    }
}

/* What of a texel's three taps per axis lies within what is there, from its first texel on: weights leave out
 * the others. */
void taps_of(ivec2 at, Region above, out ivec3 x, out ivec3 y)
{
    ivec2 p = 2 * at - above.first, size = above.last - above.first;
    x = min(p.x + ivec3(0, 1, 2), size.x);
    y = min(p.y + ivec3(0, 1, 2), size.y);
}

vec4 weigh_row_1(ivec3 x, int y, vec3 weights)
{
    return weigh(weights, texels[place_1(ivec2(x.x, y))], texels[place_1(ivec2(x.y, y))],
                 texels[place_1(ivec2(x.z, y))]);
}

void make_level2(ivec2 tile, int layer, uint index)
{
    Region above = region_of(tile, 1), region = region_of(tile, 2);
    ivec2 extent = level_extent(base_extent, 1), p = ivec2(index % APART_2, index / APART_2);
    for (int i = 0; i < 2; i++, p.x += APART_2) {
        ivec2 at = region.first + p;
        if (all(lessThanEqual(at, region.last))) {
            ivec3 x, y;
            taps_of(at, above, x, y);
            vec3 along_x = box_weights(at.x, extent.x);
            vec4 texel = weigh(box_weights(at.y, extent.y), weigh_row_1(x, y.x, along_x),
                               weigh_row_1(x, y.y, along_x), weigh_row_1(x, y.z, along_x));
            texels[place_2(p)] = texel;
            if (all(lessThanEqual(at, region.owned))) {
                store_texel(2, at, layer, texel);
            }
        }
    }
}

vec4 weigh_row_2(ivec3 x, int y, vec3 weights)
{
    return weigh(weights, texels[place_2(ivec2(x.x, y))], texels[place_2(ivec2(x.y, y))],
                 texels[place_2(ivec2(x.z, y))]);
}

void make_level3(ivec2 tile, int layer, uint index)
{
    Region above = region_of(tile, 2), region = region_of(tile, 3);
    ivec2 extent = level_extent(base_extent, 2);
    ivec2 at = region.first + ivec2(index & 7u, index >> 3);
    if (index < 64u && all(lessThanEqual(at, region.last))) {
        ivec3 x, y;
        taps_of(at, above, x, y);
        vec3 along_x = box_weights(at.x, extent.x);
        vec4 texel = weigh(box_weights(at.y, extent.y), weigh_row_2(x, y.x, along_x),
                           weigh_row_2(x, y.y, along_x), weigh_row_2(x, y.z, along_x));
        store_texel(3, at, layer, texel);
        leave_part(index, texel * (1.0 / WHITE));
    }
}

/* Levels 1 to 3; the last to parts[] as well. */
void make_odd_tile(ivec2 tile, int layer, uint index)
{
    make_level1(tile, layer, index);
    barrier();
    make_level2(tile, layer, index);
    barrier();
    make_level3(tile, layer, index);
}

#endif
