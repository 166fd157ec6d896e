/* The shares that tiles have in the texels of the levels below theirs.
 *
 * The box filter is linear, so that a texel is the sum of what each tile would make of it were all
 * other tiles black. What a tile makes so of a level are few texels: those that weigh any of its own. */

/* Weights of the texels 2 * at, 2 * at + 1 and 2 * at + 2 of an axis of n; see reduce.glsl. */
vec3 box_weights(const int at, const int n)
{
    int half_n = n >> 1;
    vec3 odd = vec3(half_n - at, half_n, at + 1) * (1.0 / float(n));
    return n == 1 ? vec3(1.0, 0.0, 0.0) : (n & 1) == 0 ? vec3(0.5, 0.5, 0.0) : odd;
}

/* Texels of a level that a tile makes or has a part in, corners included. */
struct Range {
    ivec2 first, last;
};

/* Of level F, that tiles make last, texel x of `n` levels further down weighs those from 2^n x to
 *
 *     2^n x + 2^n - 1 + c
 *
 * where c, what odd sizes add, is made of their lowest bits: level F + i adds 2^i if its size is odd,
 * which is bit i of the size of level F. */
ivec2 added_by_odd_sizes(const int n)
{
    return extent_of(FIRST_LEVELS) & (1 << n) - 1;
}

/* Of `n` levels below those of tiles. */
Range range_of_tile(const ivec2 tile, const int n)
{
    ivec2 first = tile * TILE_SIZE;
    return Range(max(first - added_by_odd_sizes(n) >> n, ivec2(0)),
                 min(first + TILE_SIZE - 1 >> n,
                     extent_of(FIRST_LEVELS + n) - 1));
}

/* Which tile made a texel of level F. */
ivec2 tile_of_texel(const ivec2 at)
{
    return ivec2(uint(at.x) / uint(TILE_X), uint(at.y) / uint(TILE_Y));
}

/* How many tiles have a part in a texel of `n` levels below those of tiles. */
Range tiles_sharing(const ivec2 at, const int n)
{
    ivec2 first = at << n;
    ivec2 last = min(first + (1 << n) - 1 + added_by_odd_sizes(n),
                     extent_of(FIRST_LEVELS) - 1);
    return Range(tile_of_texel(first), tile_of_texel(last));
}

/* And how many have at most. */
uint most_sharing(const int n)
{
    ivec2 most = min(tile_of_texel((1 << n) + added_by_odd_sizes(n) - 2) + 2, ivec2(gl_NumWorkGroups.xy));
    return uint(most.x * most.y);
}

uint n_sharing(const ivec2 at, const int n)
{
    Range tiles = tiles_sharing(at, n);
    ivec2 n_tiles = tiles.last - tiles.first + 1;
    return uint(n_tiles.x * n_tiles.y);
}

/* Where what is handed on for a texel `n` levels below those of tiles begins, `n_each` nodes for each texel. */
uint node_of_texel(const int n, const ivec2 at, const int layer, const uint n_each)
{
    return uint(layer) * n_nodes + nodes[n - 1] + uint(at.y * extent_of(FIRST_LEVELS + n).x + at.x) * n_each;
}

/* The taps of one axis that lie within what the tile has: where, from its first, and their weights. */
struct Taps {
    ivec3 at;
    vec3 weight;
};

Taps taps_within(const int at, const int n, const int first, const int last)
{
    ivec3 from = 2 * at + ivec3(0, 1, 2);
    bvec3 is_own = bvec3(from.x >= first && from.x <= last, from.y >= first && from.y <= last,
                         from.z >= first && from.z <= last);
    return Taps(clamp(from, first, last) - first, mix(vec3(0.0), box_weights(at, n), is_own));
}
