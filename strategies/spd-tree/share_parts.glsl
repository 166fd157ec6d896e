/* The levels below those that a tile makes: its parts of them, one level after the other, and then, by
 * all invocations at once, its share of every texel. Of averages of 8-bit codes. */
#ifndef SHARE_PARTS_GLSL
#define SHARE_PARTS_GLSL
#include "codes.glsl"
#include "sharing.glsl"
#include "words.glsl"

/* So many texels, at most, n levels below those of a tile. */
#define MOST(n) (((TILE_X >> n) + 3) * ((TILE_Y >> n) + 3))

/* Of all levels down to the last of 32768 texels; of the lowest ones 3x3 each. */
const int N_PARTS = TILE_X * TILE_Y + MOST(1) + MOST(2) + MOST(3) + MOST(4) + MOST(5) + 7 * 9;
shared vec4 parts[N_PARTS];

/* What the tile has of a level: the texels, and where they lie in parts[]. */
struct Held {
    Range range;
    int first_part, end;
};
#define MAX_HELD 13
shared Held held[MAX_HELD]; /* levels below those of tiles; [0] is unused */

void leave_part(ivec2 at, vec4 texel)
{
    parts[at.y * TILE_X + at.x] = texel;
}

vec4 weigh_parts(int row, Taps x)
{
    return weigh(x.weight, parts[row + x.at.x], parts[row + x.at.y], parts[row + x.at.z]);
}

/* One texel, from the tile's parts of the level above, which lie in parts[], from `from` on in rows of
 * `pitch`. */
vec4 part_of(Taps x, Taps y, int from, int pitch)
{
    ivec3 rows = from + y.at * pitch;
    return weigh(y.weight, weigh_parts(rows.x, x), weigh_parts(rows.y, x), weigh_parts(rows.z, x));
}

/* One of the tile's parts of `range`, of a level whose next larger one, of size `extent`, has its parts
 * where `above` says, in rows of `pitch`. */
void make_part(int i, Range range, Held above, ivec2 extent, int pitch)
{
    int width = range.last.x - range.first.x + 1, height = range.last.y - range.first.y + 1;
    if (i >= width * height) {
        return;
    }
    int y = i / width;
    ivec2 at = range.first + ivec2(i - y * width, y);
    Taps along_x = taps_within(at.x, extent.x, above.range.first.x, above.range.last.x);
    Taps along_y = taps_within(at.y, extent.y, above.range.first.y, above.range.last.y);
    parts[above.end + i] = part_of(along_x, along_y, above.first_part, pitch);
}

/* All the tile's parts `n` levels further down. */
Held make_parts(ivec2 tile, int n, Held above, int pitch, int index)
{
    Range range = range_of_tile(tile, n);
    ivec2 size = range.last - range.first + 1;
    ivec2 extent = level_extent(base_extent, FIRST_LEVELS + n - 1);
    int n_texels = size.x * size.y;
    if (IS_LOOP_SAFE) {
        for (int i = index; i < n_texels; i += N_INVOCATIONS) {
            make_part(i, range, above, extent, pitch);
        }
    } else {
        make_part(index, range, above, extent, pitch);
        make_part(index + N_INVOCATIONS, range, above, extent, pitch);
    }
    return Held(range, above.end, above.end + n_texels);
}

/* Add to a texel that `n` tiles share: true, and all of it, if this is the last of them. In words are
 * numbers from 0 to 1. Channels whose last is another tile wait for each other. */
bool add_texel(uint node, uint n, inout vec4 texel)
{
    uint word = N_CHANNELS * node;
    texel *= 1.0 / WHITE;
    bvec4 is_last = bvec4(add_is_last(texel.r, word, n), add_is_last(texel.g, word + 1u, n),
                          add_is_last(texel.b, word + 2u, n), add_is_last(texel.a, word + 3u, n));
    uvec4 last = uvec4(is_last);
    uint n_last = last.r + last.g + last.b + last.a;
    bool is_whole = n_last == N_CHANNELS;
    if (is_whole) {
        clear_word(word);
        clear_word(word + 1u);
        clear_word(word + 2u);
        clear_word(word + 3u);
    } else if (n_last > 0u) {
        is_whole = meet(node, n_last, texel);
    }
    texel *= WHITE;
    return is_whole;
}

/* One of the parts behind those of the last level that tiles make. */
void share_part(int i, int layer)
{
    int n = 1;
    for (int further = 2; FIRST_LEVELS + further < n_levels; further++) {
        n = i >= held[further].first_part ? further : n;
    }
    if (FIRST_LEVELS + n >= n_levels || i >= held[n].end) {
        return;
    }
    Range range = held[n].range;
    int width = range.last.x - range.first.x + 1, k = i - held[n].first_part, y = k / width;
    ivec2 at = range.first + ivec2(k - y * width, y);
    uint n_tiles = n_sharing(at, n);
    vec4 texel = parts[i];
    bool is_whole = true;
    if (n_tiles > 1u) {
        uint node = uint(layer) * n_nodes + first_node(n - 1) +
                    uint(at.y * level_extent(base_extent, FIRST_LEVELS + n).x + at.x);
        is_whole = add_texel(node, n_tiles, texel);
    }
    if (is_whole) {
        store_bytes(FIRST_LEVELS + n, at, layer, bytes_of(texel));
    }
}

void share_tile(ivec2 tile, int layer, uint index)
{
    Held above = Held(range_of_tile(tile, 0), 0, TILE_X * TILE_Y);
    int pitch = TILE_X;
    for (int n = 1; FIRST_LEVELS + n < n_levels; n++) {
        barrier();
        above = make_parts(tile, n, above, pitch, int(index));
        pitch = above.range.last.x - above.range.first.x + 1;
        if (index == 0u) {
            held[n] = above;
        }
    }
    barrier();
    int first = TILE_X * TILE_Y + int(index);
    if (IS_LOOP_SAFE) {
        for (int i = first; i < above.end; i += N_INVOCATIONS) {
            share_part(i, layer);
        }
        return;
    }
    /* So many are there at most: 649 for 16 rows of 63 texels. */
    share_part(first, layer);
    share_part(first + N_INVOCATIONS, layer);
    share_part(first + 2 * N_INVOCATIONS, layer);
}

#endif
