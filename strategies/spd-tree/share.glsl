/* The levels below those that tiles make, of any size, in one round trip to memory: each tile adds its
 * share to every texel that it has a part in. Along one axis, of eight texels of level 3 in tile t,
 * where all sizes are odd:
 *
 *     level 3   8t . . . . . . 8t+7
 *     level 4   4t-1 4t . . 4t+3       5, the outer of which neighbours have a part in, too
 *     level 5   2t-1 2t 2t+1           3
 *     level 6   t-1  t                 2, and no more in any level below
 *
 * A texel that no other tile has a part in is stored. How shares of the others become a texel is said in
 * share_sums.glsl and extremes.glsl. Lanes 4i to 4i + 3 bring the channels of one texel by one
 * instruction. */
#ifndef SHARE_GLSL
#define SHARE_GLSL
#include "sharing.glsl"

/* What the tile makes of a level and of the next, by turns: texel, channel. */
#define PARTS 256
shared float parts[2 * PARTS];

void leave_part(uint at, vec4 texel)
{
    parts[4u * at] = texel.r;
    parts[4u * at + 1u] = texel.g;
    parts[4u * at + 2u] = texel.b;
    parts[4u * at + 3u] = texel.a;
}

/* Texels per axis that a tile has a part in, at most. */
int share_width(int level)
{
    return level == 4 ? 5 : level == 5 ? 3 : 2;
}

/* Invocations are spread over the levels, four for each texel; `in_level`: the how manieth of its level.
 * They are enough for levels 4 to 12. */
int level_of(uint index, out int in_level)
{
    int i = int(index);
    in_level = i < 100 ? i : i < 136 ? i - 100 : i - 136 & 15;
    return i < 100 ? 4 : i < 136 ? 5 : 6 + (i - 136 >> 4);
}

ivec2 place_in_level(int level, int texel)
{
    return level == 4   ? ivec2(texel % 5, texel / 5)
           : level == 5 ? ivec2(texel % 3, texel / 3)
                        : ivec2(texel & 1, texel >> 1);
}

/* What one invocation has to add, and how it comes by it. */
struct Share {
    bool is_there;
    int level;
    ivec2 at;
    uint node;
    uint n; /* tiles that share it */
    Taps x, y; /* in parts[] */
    int to;
};

/* One channel of a texel, of what the tile has of the level above. */
float part_of(Taps x, Taps y);

/* By quads of lanes, the channels of one texel: store it if it is complete now. */
void add_share(Share share, float part, int layer, uint channel);

/* All that does not depend on texels, so that little is left to do from one level to the next. */
Share share_of(ivec2 tile, int layer, uint index)
{
    Share share;
    int i;
    share.level = level_of(index, i);
    int n = share.level - FIRST_LEVELS;
    share.is_there = n > 0 && share.level < n_levels;
    if (!share.is_there) {
        return share;
    }
    Range own = range_of_tile(tile, n), above = range_of_tile(tile, n - 1);
    ivec2 place = place_in_level(share.level, i >> 2);
    int width = share_width(share.level);
    share.at = own.first + place;
    share.is_there = place.y < width && all(lessThanEqual(share.at, own.last));
    share.node = uint(layer) * n_nodes + first_node(n - 1) +
                 uint(share.at.y * level_extent(base_extent, share.level).x + share.at.x);
    share.n = n_sharing(share.at, n);

    ivec2 extent = level_extent(base_extent, share.level - 1);
    share.x = taps_within(share.at.x, extent.x, above.first.x, above.last.x);
    share.y = taps_within(share.at.y, extent.y, above.first.y, above.last.y);
    int from = (n & 1) == 0 ? PARTS : 0;
    int pitch = n == 1 ? TILE_WIDTH : share_width(share.level - 1);
    share.x.at *= N_CHANNELS;
    share.y.at = share.y.at * N_CHANNELS * pitch + from + (i & 3);
    share.to = (from ^ PARTS) + i;
    return share;
}

/* From a tile's texels, which lie in the first half of parts[], by the whole workgroup. */
void share_tile(ivec2 tile, int layer, uint index)
{
    Share share = share_of(tile, layer, index);
    float part = 0.0;
    for (int level = FIRST_LEVELS + 1; level < n_levels; level++) {
        barrier();
        if (share.level == level && share.is_there) {
            part = part_of(share.x, share.y);
            parts[share.to] = part;
        }
    }
    add_share(share, part, layer, index & 3u);
}

#endif
