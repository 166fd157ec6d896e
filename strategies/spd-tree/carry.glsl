/* The levels below 6 of an image where no size is odd, carried by the counters themselves.
 *
 * A node is a texel of level 7 or further down. Of each channel it has a 64-bit word, which adds up
 * the sums that are brought and counts how many were: no other data is handed on, so that nothing
 * has to be released or acquired, and whoever brings the last has the node's sum as the atomic's
 * result.
 *
 *     bits    63..40   39..0
 *     word    count    sum, of up to 4^16 codes; code_of_sum() says what is stored of it
 *
 * A subgroup that has a sum brings it to several levels at once, so that all of them take one round
 * trip to memory. Lane 4k + c brings channel c to the k-th level:
 *
 *     level 6      x  x  x  x                16 tiles bring theirs
 *     level 7       \/    \/    ...          each to one of 4 nodes, which wait for 4
 *     level 8         \  /                   and to 1 node, which waits for 16
 *
 * Where there are more levels than that, the lanes that complete the last of them go on from there.
 * Relaxed atomics on different words have no common order, so that the channels of a node may find
 * their last in different subgroups. Each goes on alone, and what it is to store of a texel, a byte,
 * meets the other three in a word more:
 *
 *     bits    34..32   31..0
 *     word    count    a b g r
 *
 * Who completes a word sets it back to zero. */
#ifndef CARRY_GLSL
#define CARRY_GLSL

#define FIRST_CARRIED 7
#define N_CHANNELS 4
#define COUNT_SHIFT 40

/* Levels that are brought to at once; and, << 4, how much of the tile is stored after that: nothing, levels
 * 4 to 6, or all but level 3. Sums go first where nothing else is left to wait for: stores before
 * them are 0.6 us of 6.5 on an H200 for 256x256, and those of levels 4 to 6 0.4 of 13 for 2048x2048.
 * Where further tiles wait for their turn, it is the other way round. */
layout(constant_id = 9) const int SPAN_AND_LATE = 4;
const int MAX_SPAN = SPAN_AND_LATE & 15, LATE = SPAN_AND_LATE >> 4;
const int SPAN = MAX_SPAN * N_CHANNELS <= SUBGROUP_SIZE ? MAX_SPAN : SUBGROUP_SIZE / N_CHANNELS;

layout(set = 0, binding = 2) buffer Nodes /* in place of the hand-off */
{
    uint64_t node_word[]; /* layer, level, row, column, channel; zero between runs */
};
layout(set = 0, binding = 3) buffer Meetings /* in place of counters */
{
    uint64_t meeting[]; /* layer, level, row, column */
};

/* By a quad of lanes, one of each channel: the texel in one of those that have completed theirs, if all
 * of it is together by now. */
bool meet(bool is_complete, uint code, uint node, inout uint texel)
{
    uint count = is_complete ? 1u : 0u;
    texel = is_complete ? code : 0u;
    texel |= subgroupQuadSwapHorizontal(texel);
    texel |= subgroupQuadSwapVertical(texel);
    count += subgroupQuadSwapHorizontal(count);
    count += subgroupQuadSwapVertical(count);
    if (!is_complete) {
        return false;
    }
    if (count == N_CHANNELS) {
        return (gl_SubgroupInvocationID & 3u) == 0u;
    }
    uint64_t brought = uint64_t(code) | uint64_t(1) << 32;
    uint64_t all = atomicAdd(meeting[node], brought, gl_ScopeDevice, 0, 0) + brought;
    if (uint(all >> 32) != N_CHANNELS) {
        return false;
    }
    atomicStore(meeting[node], uint64_t(0), gl_ScopeDevice, 0, 0);
    texel = uint(all);
    return true;
}

/* What a lane brings: the sum of one channel of the texel of level `from` that the tile lies in. */
struct Carried {
    bool is_there;
    int from;
    uint64_t sum;
};

/* Bring it to a level, of which `n` texels per axis of level `from` make one: true if it was the last;
 * then the sum is that of all. What an axis has no further texels for counts as often as it takes. */
bool bring(inout uint64_t sum, ivec2 n, int n_halved, uint word)
{
    uint n_children = uint(n.x * n.y);
    uint64_t brought = (sum << 2 * n_halved - findMSB(n_children)) | uint64_t(1) << COUNT_SHIFT;
    brought += atomicAdd(node_word[word], brought, gl_ScopeDevice, 0, 0);
    if (uint(brought >> COUNT_SHIFT) != n_children) {
        return false;
    }
    atomicStore(node_word[word], uint64_t(0), gl_ScopeDevice, 0, 0);
    sum = brought & (uint64_t(1) << COUNT_SHIFT) - 1;
    return true;
}

/* As many levels up the tree as are brought to at once, by all lanes of a subgroup. */
void carry_span(inout Carried own, ivec2 tile, int layer, uint lane)
{
    int channel = int(lane) % N_CHANNELS, span = int(lane) / N_CHANNELS;
    int level = own.from + 1 + span;
    ivec2 at = tile >> level - 6;
    uint node = uint(layer) * n_nodes + uint(level - FIRST_CARRIED) * nodes_per_level +
                uint(at.y * level_extent(base_extent, level).x + at.x);
    ivec2 n = min(level_extent(base_extent, own.from), ivec2(2 << span));
    bool is_complete = own.is_there && span < SPAN && level < n_levels &&
                       bring(own.sum, n, span + 1, N_CHANNELS * node + uint(channel));
    uint code = code_of_sum(own.sum, level, channel) << 8 * channel;
    uint texel;
    if (meet(is_complete, code, node, texel)) {
        store_carried(level, ivec3(at, layer), uvec4(texel, 0u, 0u, 0u));
    }
    uint last = uint(N_CHANNELS * (SPAN - 1) + channel);
    own.is_there = subgroupShuffle(is_complete, last);
    own.sum = packUint2x32(subgroupShuffle(unpackUint2x32(own.sum), last));
    own.from += SPAN;
}

/* From a tile's sum of level 6 up the tree, by a subgroup. */
void carry(ivec2 tile, uvec4 words, int layer, uint lane)
{
    uvec2 pair = (lane & 2u) == 0u ? words.xy : words.zw;
    Carried own = Carried(true, FIRST_CARRIED - 1,
                          uint64_t((lane & 1u) == 0u ? pair.x : pair.y));
    if (IS_LOOP_SAFE) {
        do {
            carry_span(own, tile, layer, lane);
        } while (own.from < n_levels - 1 && subgroupBallot(own.is_there) != uvec4(0u));
        return;
    }
    [[unroll]] for (int from = FIRST_CARRIED - 1; from < 15; from += SPAN) {
        if (from < n_levels - 1) {
            carry_span(own, tile, layer, lane);
        }
    }
}

#endif
