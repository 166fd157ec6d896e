/* Levels 1 to 3 of a tile of any size: of each what the tile's own 64x64 texels of level 0 make, and those
 * beyond its edge that its 32x32 texels of level 1 take. Of levels 2 and 3 neighbours share the outer
 * texels, as share.glsl has it. Weights are those of box.glsl.
 *
 * Texels are between 0 and 1; where they are fetched and stored as they are (RAW), between 0 and 255. */
#ifndef ODD_GLSL
#define ODD_GLSL

/* Which axes of level 0 are odd: 1, x; 2, y. */
layout(constant_id = 9) const int ODD_AXES = 3;

#define WIDTH_1 32
#define WIDTH_2 17
#define WIDTH_3 9

/* Levels 1 and 2. Of a row first the even columns, then the odd ones, so that lanes that join two and two
 * texels read side by side. */
#define FIRST_OF_2 (WIDTH_1 * WIDTH_1)
shared vec4 texels[FIRST_OF_2 + WIDTH_2 * WIDTH_2];

int place_1(ivec2 p)
{
    return p.y * WIDTH_1 + (p.x >> 1) + ((p.x & 1) != 0 ? WIDTH_1 / 2 : 0);
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

/* The two texels of a row, if they are there. */
void finish_pair(ivec2 at, ivec2 p, ivec2 extent, int layer, Pair made)
{
    texels[place_1(p)] = made.left;
    texels[place_1(p + ivec2(1, 0))] = made.right;
    if (all(lessThan(at, extent))) {
        store_texel(1, at, layer, made.left);
        store_texel(1, at + ivec2(1, 0), layer, made.right);
    }
}

/* 2x2 texels of level 1 an invocation, from up to 5x5 of level 0, two rows at a time: a texel of level 1 takes
 * both, and, if the size is odd, the next. */
void make_level1(ivec2 tile, int layer, uint index)
{
    ivec2 p = 2 * ivec2(index & 15u, index >> 4), at = tile * WIDTH_1 + p;
    vec3 left = box_weights(at.x, base_extent.x), right = box_weights(at.x + 1, base_extent.x);
    vec3 above = box_weights(at.y, base_extent.y), below = box_weights(at.y + 1, base_extent.y);
    Pair row[5], upper, lower;
    reduce_two_rows(2 * at, left, right, layer, row[0], row[1]);
    reduce_two_rows(2 * at + ivec2(0, 2), left, right, layer, row[2], row[3]);
    upper.left = above.x * row[0].left + above.y * row[1].left;
    upper.right = above.x * row[0].right + above.y * row[1].right;
    lower.left = below.x * row[2].left + below.y * row[3].left;
    lower.right = below.x * row[2].right + below.y * row[3].right;
    if ((ODD_AXES & 2) != 0) {
        Pair unused;
        reduce_two_rows(2 * at + ivec2(0, 4), left, right, layer, row[4], unused);
        upper.left += above.z * row[2].left;
        upper.right += above.z * row[2].right;
        lower.left += below.z * row[4].left;
        lower.right += below.z * row[4].right;
    }
    ivec2 extent = level_extent(base_extent, 1);
    finish_pair(at, p, extent, layer, upper);
    finish_pair(at + ivec2(0, 1), p + ivec2(0, 1), extent, layer, lower);
}

/* Add the tile's part of a texel of level 2 or 3, all its channels; store it if it is whole by now. */
void add_texel(int level, ivec2 at, int layer, vec4 part)
{
    int n = level - FIRST_LEVELS;
    uint n_tiles = n_sharing(at, n), node = node_of(level, at, layer);
    if (n_tiles > 1u) {
        part *= 1.0 / WHITE;
        uint word = N_CHANNELS * node, n_complete = 0u;
        n_complete += add_is_last(part.r, word, n_tiles) ? 1u : 0u;
        n_complete += add_is_last(part.g, word + 1u, n_tiles) ? 1u : 0u;
        n_complete += add_is_last(part.b, word + 2u, n_tiles) ? 1u : 0u;
        n_complete += add_is_last(part.a, word + 3u, n_tiles) ? 1u : 0u;
        if (n_complete == 0u) {
            return;
        }
        if (n_complete < N_CHANNELS) {
            if (!meet(n_complete, node, part)) {
                return;
            }
        } else {
            clear_words(word);
        }
        part *= WHITE;
    }
    store_texel(level, at, layer, part);
}

vec4 weigh(vec3 weights, vec4 a, vec4 b, vec4 c)
{
    return weights.x * a + weights.y * b + weights.z * c;
}

vec4 weigh_row_1(ivec3 x, int y, vec3 weights)
{
    return weigh(weights, texels[place_1(ivec2(x.x, y))], texels[place_1(ivec2(x.y, y))],
                 texels[place_1(ivec2(x.z, y))]);
}

void make_level2(ivec2 tile, int layer, int index)
{
    Range above = range_of_tile(tile, 0), own = range_of_tile(tile, 1);
    ivec2 p = ivec2(index % WIDTH_2, index / WIDTH_2), at = own.first + p;
    if (all(lessThanEqual(at, own.last))) {
        ivec2 extent = level_extent(base_extent, 1);
        Taps x = taps_within(at.x, extent.x, above.first.x, above.last.x);
        Taps y = taps_within(at.y, extent.y, above.first.y, above.last.y);
        vec4 part = weigh(y.weight, weigh_row_1(x.at, y.at.x, x.weight),
                          weigh_row_1(x.at, y.at.y, x.weight), weigh_row_1(x.at, y.at.z, x.weight));
        texels[place_2(p)] = part;
        add_texel(2, at, layer, part);
    }
}

vec4 weigh_row_2(ivec3 x, int y, vec3 weights)
{
    return weigh(weights, texels[place_2(ivec2(x.x, y))], texels[place_2(ivec2(x.y, y))],
                 texels[place_2(ivec2(x.z, y))]);
}

void make_level3(ivec2 tile, int layer, int index)
{
    Range above = range_of_tile(tile, 1), own = range_of_tile(tile, 2);
    ivec2 p = ivec2(index % WIDTH_3, index / WIDTH_3), at = own.first + p;
    if (all(lessThanEqual(at, own.last))) {
        ivec2 extent = level_extent(base_extent, 2);
        Taps x = taps_within(at.x, extent.x, above.first.x, above.last.x);
        Taps y = taps_within(at.y, extent.y, above.first.y, above.last.y);
        vec4 part = weigh(y.weight, weigh_row_2(x.at, y.at.x, x.weight),
                          weigh_row_2(x.at, y.at.y, x.weight), weigh_row_2(x.at, y.at.z, x.weight));
        leave_part(uint(index), part * (1.0 / WHITE));
        add_texel(3, at, layer, part);
    }
}

/* Levels 1 to 3; the last to parts[] as well. */
void make_odd_tile(ivec2 tile, int layer, uint index)
{
    make_level1(tile, layer, index);
    barrier();
    for (int i = int(index); i < 2 * N_INVOCATIONS; i += N_INVOCATIONS) {
        make_level2(tile, layer, i);
    }
    barrier();
    make_level3(tile, layer, int(index));
}

#endif
