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

/* What an invocation makes of level 1: fewer blocks than invocations cover it. */
#define BLOCKS_X 18u /* of two texels */
#define BLOCKS_Y 12u /* of three */

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
#define WHITE 255.0

/* Bytes as floats at full rate: beneath 2^23 integers are the low bits of the sum with it. */
vec4 bytes_of(uint texel)
{
    uvec4 bytes = uvec4(texel, texel >> 8, texel >> 16, texel >> 24) & 0xffu;
    return uintBitsToFloat(bytes | 0x4b000000u) - 8388608.0;
}

void store_texel(int level, ivec2 at, int layer, vec4 texel)
{
    uvec4 bytes = floatBitsToUint(texel + 8388608.0) & 0xffu;
    store_as(level, at, layer, uvec4(bytes.x | bytes.y << 8 | bytes.z << 16 | bytes.w << 24, 0u, 0u, 0u));
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
    top = reduce_row(bytes_of(a.w), bytes_of(a.z), bytes_of(b.w), bytes_of(b.z), bytes_of(c.w),
                     left, right);
    bottom = reduce_row(bytes_of(a.x), bytes_of(a.y), bytes_of(b.x), bytes_of(b.y),
                        bytes_of(c.x), left, right);
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
    if (at.x > region.last.x) {
        return;
    }
    texels[place_1(at - region.first)] = texel;
    if (all(lessThanEqual(at, region.owned))) {
        store_texel(1, at, layer, texel);
    }
}

/* 2x3 texels of level 1 from up to 5x7 of level 0, two rows at a time: a texel of level 1 takes both, and, if
 * the size is odd, the next. */
void make_level1(ivec2 tile, int layer, uint index)
{
    Region region = region_of(tile, 1);
    ivec2 at = region.first + ivec2(2, 3) * ivec2(index % BLOCKS_X, index / BLOCKS_X);
    vec3 left = box_weights(at.x, base_extent.x), right = box_weights(at.x + 1, base_extent.x);
    const int n_more = (ODD_AXES & 2) != 0 ? 1 : 0;
    bool is_mine = index < BLOCKS_X * BLOCKS_Y && at.x <= region.last.x;
    /* Not to be unrolled: all texels at once take more registers than there are to spare. And as often
     * for every invocation, or llvmpipe lets some pass the barrier behind it. */
    int n_rows = min(3, region.last.y - region.first.y + 1) + n_more;
    Pair made = Pair(vec4(0.0), vec4(0.0)), top, bottom;
    float below = 0.0;
    for (int y = 0; y < n_rows; y++, at.y++) {
        if (is_mine && at.y <= region.last.y + n_more) {
            reduce_two_rows(2 * at, left, right, layer, top, bottom);
            if (n_more == 0 || y > 0) {
                made.left += below * top.left;
                made.right += below * top.right;
            }
            if (n_more != 0 && y > 0) {
                finish_level1(region, at - ivec2(0, 1), layer, made.left);
                finish_level1(region, at + ivec2(1, -1), layer, made.right);
            }
            vec3 along_y = box_weights(at.y, base_extent.y);
            made.left = along_y.x * top.left + along_y.y * bottom.left;
            made.right = along_y.x * top.right + along_y.y * bottom.right;
            below = along_y.z;
            if (n_more == 0) {
                finish_level1(region, at, layer, made.left);
                finish_level1(region, at + ivec2(1, 0), layer, made.right);
            }
        }
    }
}

vec4 weigh(vec3 weights, vec4 a, vec4 b, vec4 c)
{
    return weights.x * a + weights.y * b + weights.z * c;
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
