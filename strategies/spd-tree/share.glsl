/* The levels below those that tiles make, of any size, in one round trip to memory: each tile adds its share
 * to every texel that it has a part in.
 *
 * The box filter is linear, so that a texel is the sum of what each tile would make of it were all
 * other tiles black. What a tile makes so of a level are few texels: those that weigh any of its own.
 * Along one axis, of eight texels of level 3 in tile t, where all sizes are odd:
 *
 *     level 3   8t . . . . . . 8t+7
 *     level 4   4t-1 4t . . 4t+3       5, the outer of which neighbours have a part in, too
 *     level 5   2t-1 2t 2t+1           3
 *     level 6   t-1  t                 2, and no more in any level below
 *
 * A texel that no other tile has a part in is stored. Of the others each channel has a 64-bit word,
 * to which every tile adds its share once:
 *
 *     bits    63..40   39..0
 *     word    count    sum, with 30 bits below the binary point
 *
 * Who adds the last has the sum as the atomic's result: no other data is handed on, so that nothing
 * has to be released or acquired. Sums of integers are the same in whatever order, and a share is
 * rounded by less than 2^-30.
 *
 * Relaxed atomics on different words have no common order, so that the channels of a texel may find
 * their last in different workgroups. That is rare: lanes 4i to 4i + 3 bring those of one texel by one
 * instruction. Those that are not together in such a quad leave their sums in the words and count
 * themselves in one word more; whoever is the last there (with acquire-release) takes all four.
 * Who takes a word sets it back to zero. */
#ifndef SHARE_GLSL
#define SHARE_GLSL

#define N_CHANNELS 4
#define COUNT_SHIFT 40
#define ONE 1073741824.0 /* 2^30 */

layout(set = 0, binding = 2) nonprivate buffer Shares /* in place of the hand-off */
{
    uint64_t share_word[]; /* layer, level, row, column, channel; zero between runs */
};
layout(set = 0, binding = 3) nonprivate buffer Meetings /* in place of counters */
{
    uint n_met[]; /* layer, level, row, column: channels; zero between runs */
};

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

/* Weights of the texels 2 * at, 2 * at + 1 and 2 * at + 2 of an axis of n; see box.glsl. */
vec3 box_weights(int at, int n)
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
ivec2 added_by_odd_sizes(int n)
{
    return level_extent(base_extent, FIRST_LEVELS) & (1 << n) - 1;
}

/* Of `n` levels below those of tiles. */
Range range_of_tile(ivec2 tile, int n)
{
    ivec2 first = tile * TILE_WIDTH;
    return Range(max(first - added_by_odd_sizes(n) >> n, ivec2(0)),
                 min(first + TILE_WIDTH - 1 >> n,
                     level_extent(base_extent, FIRST_LEVELS + n) - 1));
}

/* The taps of one axis that lie within what the tile has: where, from its first, and their weights. */
struct Taps {
    ivec3 at;
    vec3 weight;
};

Taps taps_within(int at, int n, int first, int last)
{
    ivec3 from = 2 * at + ivec3(0, 1, 2);
    bvec3 is_own = bvec3(from.x >= first && from.x <= last, from.y >= first && from.y <= last,
                         from.z >= first && from.z <= last);
    return Taps(clamp(from, first, last) - first, mix(vec3(0.0), box_weights(at, n), is_own));
}

float part_of_row(int row, Taps x)
{
    return x.weight.x * parts[row + x.at.x] + x.weight.y * parts[row + x.at.y] +
           x.weight.z * parts[row + x.at.z];
}

/* One channel of a texel, of what the tile has of the level above. */
float part_of(Taps x, Taps y)
{
    return y.weight.x * part_of_row(y.at.x, x) + y.weight.y * part_of_row(y.at.y, x) +
           y.weight.z * part_of_row(y.at.z, x);
}

/* How many tiles have a part in a texel of `n` levels below those of tiles. */
uint n_sharing(ivec2 at, int n)
{
    int shift = findLSB(TILE_WIDTH);
    ivec2 first = at << n;
    ivec2 last = min(first + (1 << n) - 1 + added_by_odd_sizes(n),
                     level_extent(base_extent, FIRST_LEVELS) - 1);
    ivec2 n_tiles = (last >> shift) - (first >> shift) + 1;
    return uint(n_tiles.x * n_tiles.y);
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

uint64_t word_of(float part)
{
    return uint64_t(uint(part * ONE + 0.5)) | uint64_t(1) << COUNT_SHIFT;
}

float part_of_word(uint64_t word)
{
    return float(uint(word)) * (1.0 / ONE);
}

/* Add to a word: true if that was the last of n; then the part is the whole. */
bool add_is_last(inout float part, uint word, uint n)
{
    uint64_t sum = word_of(part);
    sum += atomicAdd(share_word[word], sum, gl_ScopeDevice, 0, 0);
    part = part_of_word(sum);
    return uint(sum >> COUNT_SHIFT) == n;
}

void clear_word(uint word)
{
    atomicStore(share_word[word], uint64_t(0), gl_ScopeDevice, 0, 0);
}

float take(uint word)
{
    uint64_t sum = atomicLoad(share_word[word], gl_ScopeDevice, 0, 0);
    clear_word(word);
    return part_of_word(sum);
}

/* Count a channel that is complete without all others: true if it is the fourth; then all of them. */
bool meet(uint node, inout vec4 texel)
{
    uint n = atomicAdd(n_met[node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                           gl_SemanticsMakeVisible);
    if (n != N_CHANNELS - 1) {
        return false;
    }
    atomicStore(n_met[node], 0u, gl_ScopeDevice, 0, 0);
    uint word = N_CHANNELS * node;
    texel = vec4(take(word), take(word + 1u), take(word + 2u), take(word + 3u));
    return true;
}

/* By quads of lanes, the channels of one texel: store it if all are together by now. */
void add_share(Share share, float part, int layer, uint channel)
{
    uint word = N_CHANNELS * share.node + channel;
    bool is_complete = share.is_there;
    if (share.is_there && share.n > 1u) {
        is_complete = add_is_last(part, word, share.n);
    }
    uint n_together = is_complete ? 1u : 0u;
    n_together += subgroupQuadSwapHorizontal(n_together);
    n_together += subgroupQuadSwapVertical(n_together);
    vec4 texel = vec4(subgroupQuadBroadcast(part, 0u), subgroupQuadBroadcast(part, 1u),
                      subgroupQuadBroadcast(part, 2u), subgroupQuadBroadcast(part, 3u));
    bool is_whole = is_complete && channel == 0u;
    if (n_together == N_CHANNELS) {
        if (share.n > 1u) {
            clear_word(word);
        }
    } else if (is_complete) {
        is_whole = meet(share.node, texel);
    }
    if (is_whole) {
        store(share.level, share.at, layer, texel);
    }
}

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
