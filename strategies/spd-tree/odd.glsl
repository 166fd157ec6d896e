/* Levels 1 to 3 of a tile of any size: 8x8 texels of level 3, which on odd sizes take up to 17x17 of level 2,
 * 35x35 of level 1 and 71x71 of level 0. Weights are those of box.glsl. */
#ifndef ODD_GLSL
#define ODD_GLSL

/* Which axes of level 0 are odd: 1, x; 2, y. */
layout(constant_id = 9) const int ODD_AXES = 3;

#define WIDTH_1 35
#define WIDTH_2 17
#define BLOCKS_2 9u /* of two texels in a row of level 2 */

/* What an invocation makes of level 1: fewer blocks than invocations cover it. */
#define BLOCKS_X 18 /* of two texels */
#define BLOCKS_Y 12 /* of three */

#define FIRST_OF_2 (WIDTH_1 * WIDTH_1)
shared vec4 texels[FIRST_OF_2 + WIDTH_2 * WIDTH_2]; /* levels 1 and 2 */

/* Texels of a level that the tile needs, and the last that is its to store: beyond lies the next tile's. */
struct Region {
    ivec2 first, last, owned;
};

/* Of levels 3, 2 and 1, one after the other. */
Region region_of(ivec2 tile, int level)
{
    ivec2 edge = level_extent(base_extent, 3) - 1;
    ivec2 last = min(8 * tile + 7, edge);
    bvec2 is_edge = equal(last, edge);
    for (int l = 2; l >= level; l--) {
        ivec2 extent = level_extent(base_extent, l);
        last = min(2 * last + 1 + (extent & 1), extent - 1);
    }
    ivec2 first = 8 * tile << 3 - level;
    return Region(first, last, mix(first + (8 << 3 - level) - 1, last, is_edge));
}

vec4 fetch_level0(ivec2 at, int layer)
{
    return loaded(texelFetch(source, ivec3(min(at, base_extent - 1), layer), 0));
}

/* Two neighbours of level 1 as one row of level 0 makes them. */
struct Pair {
    vec4 left, right;
};

Pair reduce_row(ivec2 first, vec3 left, vec3 right, int layer)
{
    vec4 texel2 = fetch_level0(first + ivec2(2, 0), layer);
    Pair pair = Pair(left.x * fetch_level0(first, layer) +
                         left.y * fetch_level0(first + ivec2(1, 0), layer),
                     right.x * texel2 + right.y * fetch_level0(first + ivec2(3, 0), layer));
    if ((ODD_AXES & 1) != 0) {
        pair.left += left.z * texel2;
        pair.right += right.z * fetch_level0(first + ivec2(4, 0), layer);
    }
    return pair;
}

void add_row(inout Pair sum, float weight, Pair row)
{
    sum.left += weight * row.left;
    sum.right += weight * row.right;
}

void finish_level1(Region region, ivec2 at, int layer, vec4 texel)
{
    if (any(greaterThan(at, region.last))) {
        return;
    }
    ivec2 p = at - region.first;
    texels[p.y * WIDTH_1 + p.x] = texel;
    if (all(lessThanEqual(at, region.owned))) {
        store(1, at, layer, texel);
    }
}

/* 2x3 texels of level 1 from up to 5x7 of level 0, row by row. */
void make_level1(ivec2 tile, int layer, uint index)
{
    Region region = region_of(tile, 1);
    ivec2 at = region.first + ivec2(2, 3) * ivec2(index % BLOCKS_X, index / BLOCKS_X);
    vec3 left = box_weights(at.x, base_extent.x), right = box_weights(at.x + 1, base_extent.x);
    Pair row = reduce_row(2 * at, left, right, layer);
    /* Not to be unrolled: all texels at once take more registers than there are to spare. And as often
     * for every invocation, or llvmpipe lets some pass the barrier behind it. */
    int n_rows = min(3, region.last.y - region.first.y + 1);
    for (int y = 0; y < n_rows; y++, at.y++) {
        if (index < BLOCKS_X * BLOCKS_Y && all(lessThanEqual(at, region.last))) {
            vec3 along_y = box_weights(at.y, base_extent.y);
            Pair made = Pair(along_y.x * row.left, along_y.x * row.right);
            add_row(made, along_y.y, reduce_row(2 * at + ivec2(0, 1), left, right, layer));
            row = reduce_row(2 * at + ivec2(0, 2), left, right, layer);
            if ((ODD_AXES & 2) != 0) {
                add_row(made, along_y.z, row);
            }
            finish_level1(region, at, layer, made.left);
            finish_level1(region, at + ivec2(1, 0), layer, made.right);
        }
    }
}

vec4 sum_row(int first, ivec3 columns, vec3 weights)
{
    return weights.x * texels[first + columns.x] + weights.y * texels[first + columns.y] +
           weights.z * texels[first + columns.z];
}

/* A texel from those of `level`, 1 or 2; what weights leave out is still within what is there. */
vec4 reduce_region(ivec2 at, int level, Region above)
{
    int offset = level == 1 ? 0 : FIRST_OF_2, pitch = level == 1 ? WIDTH_1 : WIDTH_2;
    ivec2 extent = level_extent(base_extent, level), size = above.last - above.first;
    ivec2 p = 2 * at - above.first;
    ivec3 x = min(p.x + ivec3(0, 1, 2), size.x);
    ivec3 y = offset + pitch * min(p.y + ivec3(0, 1, 2), size.y);
    vec3 along_x = box_weights(at.x, extent.x), along_y = box_weights(at.y, extent.y);
    return along_y.x * sum_row(y.x, x, along_x) + along_y.y * sum_row(y.y, x, along_x) +
           along_y.z * sum_row(y.z, x, along_x);
}

/* Two neighbours of level 2 an invocation: as many as there are, at once. */
void make_level2(ivec2 tile, int layer, uint index)
{
    Region above = region_of(tile, 1), region = region_of(tile, 2);
    ivec2 p = ivec2(2 * (index % BLOCKS_2), index / BLOCKS_2);
    for (int i = 0; i < 2; i++, p.x++) {
        ivec2 at = region.first + p;
        if (all(lessThanEqual(at, region.last))) {
            vec4 texel = reduce_region(at, 1, above);
            texels[FIRST_OF_2 + p.y * WIDTH_2 + p.x] = texel;
            if (all(lessThanEqual(at, region.owned))) {
                store(2, at, layer, texel);
            }
        }
    }
}

/* Levels 1 to 3; the last to parts[] as well. */
void make_odd_tile(ivec2 tile, int layer, uint index)
{
    make_level1(tile, layer, index);
    barrier();
    make_level2(tile, layer, index);
    barrier();
    Region region = region_of(tile, 3);
    ivec2 at = region.first + ivec2(index & 7u, index >> 3);
    if (index < 64u && all(lessThanEqual(at, region.last))) {
        vec4 texel = reduce_region(at, 2, region_of(tile, 2));
        store(3, at, layer, texel);
        leave_part(index, texel);
    }
}

#endif
