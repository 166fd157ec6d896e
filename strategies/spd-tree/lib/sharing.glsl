/* How tiles contribute to the levels below theirs.
 *
 * The box filter is linear: a texel is the sum of what each tile would make of it if all other tiles were black. A tile
 * contributes only to the few texels whose footprint overlaps it. */

/* Weights of texels 2 * at, 2 * at + 1 and 2 * at + 2 along an axis of n texels; see reduce.glsl. */
vec3 box_weights(const int at, const int n)
{
    int half_n = n >> 1;
    vec3 odd = vec3(half_n - at, half_n, at + 1) * (1.0 / float(n));
    return n == 1 ? vec3(1.0, 0.0, 0.0) : (n & 1) == 0 ? vec3(0.5, 0.5, 0.0) : odd;
}

/* Texels of a level that a tile makes or contributes to; corners are inclusive. */
struct Range {
    ivec2 first, last;
};

/* Let F be the last level that tiles make. Texel x, `n` levels below F, covers the texels of level F from 2^n x to
 *
 *     2^n x + 2^n - 1 + c
 *
 * where odd sizes add c: level F + i adds 2^i if its size is odd, which is bit i of level F's size. So c is the lowest
 * n bits of that size. */
ivec2 added_by_odd_sizes(const int n)
{
    return extent_of(FIRST_LEVELS) & (1 << n) - 1;
}

/* The texels that a tile contributes to, `n` levels below the tiles' levels. */
Range range_of_tile(const ivec2 tile, const int n)
{
    ivec2 first = tile * TILE_SIZE;
    return Range(max(first - added_by_odd_sizes(n) >> n, ivec2(0)),
                 min(first + TILE_SIZE - 1 >> n,
                     extent_of(FIRST_LEVELS + n) - 1));
}

/* The tile that made a texel of level F. */
ivec2 tile_of_texel(const ivec2 at)
{
    return ivec2(uint(at.x) / uint(TILE_X), uint(at.y) / uint(TILE_Y));
}

/* The tiles that contribute to a texel `n` levels below the tiles' levels. */
Range tiles_sharing(const ivec2 at, const int n)
{
    ivec2 first = at << n;
    ivec2 last = min(first + (1 << n) - 1 + added_by_odd_sizes(n),
                     extent_of(FIRST_LEVELS) - 1);
    return Range(tile_of_texel(first), tile_of_texel(last));
}

/* The largest number of tiles that contribute to a texel `n` levels below the tiles' levels. */
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

/* The first hand-off node of a texel `n` levels below the tiles' levels; each texel has `n_each` nodes. */
uint node_of_texel(const int n, const ivec2 at, const int layer, const uint n_each)
{
    return uint(layer) * n_nodes + nodes[n - 1] + uint(at.y * extent_of(FIRST_LEVELS + n).x + at.x) * n_each;
}

/* The taps along one axis that are texels of the tile: their indices, counted from `first`, and their weights. */
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
