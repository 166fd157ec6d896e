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
 * their last in different workgroups. Those that are not together in one quad of lanes leave their
 * sums in the words and count themselves in one word more; whoever is the last there (with
 * acquire-release) takes all four. Who takes a word sets it back to zero. */
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
shared float parts[2 * 64 * N_CHANNELS];

void leave_part(uint at, vec4 texel)
{
    [[unroll]] for (int i = 0; i < N_CHANNELS; i++) {
        parts[N_CHANNELS * at + i] = texel[i];
    }
}

/* Texels per axis that a tile has a part in, at most. */
int share_width(int level)
{
    return level == 4 ? 5 : level == 5 ? 3 : 2;
}

/* Invocations are spread over the levels, one for each channel of each texel: level 4 begins at 0. */
uint first_of_level(int level)
{
    return N_CHANNELS * uint(level == 4 ? 0 : level == 5 ? 25 : 34 + 4 * (level - 6));
}

int level_of(uint index)
{
    uint texel = index / N_CHANNELS;
    return texel < 25u ? 4 : texel < 34u ? 5 : 6 + int(texel - 34u >> 2);
}

/* Weights of the texels 2 * at, 2 * at + 1 and 2 * at + 2 of an axis of n; see box.glsl. */
vec3 box_weights(int at, int n)
{
    int half_n = n >> 1;
    vec3 odd = vec3(half_n - at, half_n, at + 1) / float(n);
    return n == 1 ? vec3(1.0, 0.0, 0.0) : (n & 1) == 0 ? vec3(0.5, 0.5, 0.0) : odd;
}

/* Texels of a level that a tile makes or has a part in, corners included. */
struct Range {
    ivec2 first, last;
};

Range range_below(Range range, int level)
{
    ivec2 above = level_extent(base_extent, level - 1);
    return Range(max(range.first - (above & 1) >> 1, ivec2(0)),
                 min(range.last >> 1, level_extent(base_extent, level) - 1));
}

Range range_of_tile(ivec2 tile)
{
    ivec2 first = tile * TILE_WIDTH;
    return Range(first, min(first + TILE_WIDTH - 1,
                            level_extent(base_extent, FIRST_LEVELS) - 1));
}

/* One channel of a texel, of what the tile has of the level above. */
float part_of(ivec2 at, int level, Range above, int pitch, uint offset)
{
    ivec2 n = level_extent(base_extent, level - 1);
    vec3 along_x = box_weights(at.x, n.x), along_y = box_weights(at.y, n.y);
    float sum = 0.0;
    [[unroll]] for (int y = 0; y < 3; y++) {
        [[unroll]] for (int x = 0; x < 3; x++) {
            ivec2 from = 2 * at + ivec2(x, y);
            if (all(greaterThanEqual(from, above.first)) && all(lessThanEqual(from, above.last))) {
                ivec2 p = from - above.first;
                float part = parts[offset + N_CHANNELS * uint(p.y * pitch + p.x)];
                sum = fma(along_x[x] * along_y[y], part, sum);
            }
        }
    }
    return sum;
}

/* How many tiles have a part in a texel. */
uint n_sharing(ivec2 at, int level)
{
    int shift = findLSB(TILE_WIDTH);
    ivec2 first = at << level - FIRST_LEVELS, last = at;
    for (int above = level - 1; above >= FIRST_LEVELS; above--) {
        ivec2 extent = level_extent(base_extent, above);
        last = min(2 * last + 1 + (extent & 1), extent - 1);
    }
    ivec2 n = (last >> shift) - (first >> shift) + 1;
    return uint(n.x * n.y);
}

/* What one invocation has to add. */
struct Share {
    bool is_there;
    int level;
    ivec2 at;
    float part;
};

/* The shares of `index` of those of a level, once the level above is there; left to the next level. */
void make_share(inout Share share, int level, Range above, Range own, int pitch, uint from, uint to,
                uint index)
{
    int width = share_width(level);
    uint i = index - first_of_level(level);
    int texel = int(i / N_CHANNELS);
    share.at = own.first + ivec2(texel % width, texel / width);
    share.is_there = texel < width * width && all(lessThanEqual(share.at, own.last));
    if (share.is_there) {
        share.part = part_of(share.at, level, above, pitch, from + i % N_CHANNELS);
        parts[to + i] = share.part;
    }
}

uint node_of(Share share, int layer)
{
    return uint(layer) * n_nodes + first_node(share.level - FIRST_LEVELS - 1) +
           uint(share.at.y * level_extent(base_extent, share.level).x + share.at.x);
}

/* Add a share: true if it was the last; then it is the whole. */
bool add_is_last(inout Share share, uint node, uint n, uint channel)
{
    if (n == 1u) {
        return true;
    }
    uint64_t brought = uint64_t(uint(share.part * ONE + 0.5)) | uint64_t(1) << COUNT_SHIFT;
    brought += atomicAdd(share_word[N_CHANNELS * node + channel], brought, gl_ScopeDevice, 0, 0);
    share.part = float(uint(brought)) / ONE;
    return uint(brought >> COUNT_SHIFT) == n;
}

float take(uint word)
{
    uint64_t sum = atomicLoad(share_word[word], gl_ScopeDevice, 0, 0);
    atomicStore(share_word[word], uint64_t(0), gl_ScopeDevice, 0, 0);
    return float(uint(sum)) / ONE;
}

/* By the quad of lanes of a texel: true in one of those that have completed their channel, if all of it
 * is together by now. */
bool meet(bool is_complete, bool is_alone, float part, uint node, uint channel, out vec4 texel)
{
    uint count = is_complete ? 1u : 0u;
    count += subgroupQuadSwapHorizontal(count);
    count += subgroupQuadSwapVertical(count);
    texel = vec4(subgroupQuadBroadcast(part, 0u), subgroupQuadBroadcast(part, 1u),
                 subgroupQuadBroadcast(part, 2u), subgroupQuadBroadcast(part, 3u));
    if (!is_complete) {
        return false;
    }
    if (count == N_CHANNELS) {
        if (!is_alone) {
            atomicStore(share_word[N_CHANNELS * node + channel], uint64_t(0), gl_ScopeDevice, 0, 0);
        }
        return channel == 0u;
    }
    uint n = atomicAdd(n_met[node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                           gl_SemanticsMakeVisible);
    if (n != N_CHANNELS - 1) {
        return false;
    }
    atomicStore(n_met[node], 0u, gl_ScopeDevice, 0, 0);
    texel = vec4(take(N_CHANNELS * node), take(N_CHANNELS * node + 1u),
                 take(N_CHANNELS * node + 2u), take(N_CHANNELS * node + 3u));
    return true;
}

/* By whole quads of lanes. */
void add_share(Share share, int layer, uint channel)
{
    bool is_alone = false, is_complete = false;
    uint node = 0u;
    if (share.is_there) {
        uint n = n_sharing(share.at, share.level);
        node = node_of(share, layer);
        is_alone = n == 1u;
        is_complete = add_is_last(share, node, n, channel);
    }
    vec4 texel;
    if (meet(is_complete, is_alone, share.part, node, channel, texel)) {
        store(share.level, share.at, layer, texel);
    }
}

/* From a tile's texels, which lie in the first half of parts[], by the whole workgroup. Levels 13 and
 * further down find no invocation of their own: those of the first levels have a second share. */
void share_tile(ivec2 tile, int layer, uint index)
{
    Share share = Share(false, level_of(index), ivec2(0), 0.0);
    Share second = Share(false, level_of(index + N_INVOCATIONS), ivec2(0), 0.0);
    Range above = range_of_tile(tile);
    int pitch = TILE_WIDTH;
    uint from = 0u, to = 64u * N_CHANNELS;
    for (int level = FIRST_LEVELS + 1; level < n_levels; level++) {
        barrier();
        Range own = range_below(above, level);
        if (share.level == level) {
            make_share(share, level, above, own, pitch, from, to, index);
        } else if (second.level == level) {
            make_share(second, level, above, own, pitch, from, to, index + N_INVOCATIONS);
        }
        above = own;
        pitch = share_width(level);
        uint swap = from;
        from = to;
        to = swap;
    }
    add_share(share, layer, index % N_CHANNELS);
    if (n_levels > level_of(N_INVOCATIONS)) {
        add_share(second, layer, index % N_CHANNELS);
    }
}

#endif
