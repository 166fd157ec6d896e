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

#ifndef ENCODES /* whether codes of sums cost much: then none are made where no lane completes its node */
#define ENCODES false
#endif

/* Levels that are brought to at once. */
const int SPAN = MAX_SPAN * N_CHANNELS <= SUBGROUP_SIZE ? MAX_SPAN : SUBGROUP_SIZE / N_CHANNELS;

/* True if that takes all sums to the last level, as far as is known in advance. */
const bool HAS_ONE_SPAN = KNOWN_LEVELS > FIRST_CARRIED ? KNOWN_LEVELS - FIRST_CARRIED <= SPAN : false;

layout(set = 0, binding = 2) buffer Nodes /* in place of the hand-off */
{
    uint64_t node_word[]; /* layer, level, row, column, channel; zero between runs */
};
layout(set = 0, binding = 3) buffer Meetings /* in place of counters */
{
    uint64_t meeting[]; /* layer, level, row, column */
};

/* What becomes of a node. Constant indices only, as in store_as(). */
#define CARRIED(n)                                                                                  \
    case n:                                                                                         \
        if (KNOWN_LEVELS == 0 || KNOWN_LEVELS > n) {                                                \
            imageStore(levels[n - 1], at, value);                                                   \
        }                                                                                           \
        break;
void store_carried(int level, ivec3 at, STORED value)
{
    switch (level) {
        CARRIED(7)
        CARRIED(8)
        CARRIED(9)
        CARRIED(10)
        CARRIED(11)
        CARRIED(12)
        CARRIED(13)
        CARRIED(14)
        CARRIED(15)
    }
}

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

/* A node that it is brought to: how many texels of level `from` make it is a power of two. */
struct Node {
    uint index, n_children;
};

/* That of a lane, while its subgroup has what level `from` is brought on to the levels below. */
Node node_of(int from, ivec2 tile, int layer, uint lane)
{
    int span = int(lane) / N_CHANNELS, level = from + 1 + span;
    ivec2 at = tile >> level - 6;
    ivec2 n = min(level_extent(base_extent, from), ivec2(2 << span));
    return Node(uint(layer) * n_nodes + uint(level - FIRST_CARRIED) * nodes_per_level +
                    uint(at.y * level_extent(base_extent, level).x + at.x),
                uint(n.x * n.y));
}

/* The same of level 6, to be had while texels are on their way. Through a subgroup operation, as compilers
 * move what depends on nothing to where it is used. */
Node node_of_tile(ivec2 tile, int layer, uint lane)
{
    Node node = node_of(FIRST_CARRIED - 1, tile, layer, lane);
    return Node(subgroupShuffleXor(node.index, 0u), subgroupShuffleXor(node.n_children, 0u));
}

/* Bring it to a level: true if it was the last; then the sum is that of all. What an axis has no further
 * texels for counts as often as it takes. */
bool bring(inout uint64_t sum, uint n_children, int n_halved, uint word)
{
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
void carry_span(inout Carried own, Node node, ivec2 tile, int layer, uint lane)
{
    int channel = int(lane) % N_CHANNELS, span = int(lane) / N_CHANNELS;
    int level = own.from + 1 + span;
    bool is_complete = own.is_there && span < SPAN && level < N_LEVELS &&
                       bring(own.sum, node.n_children, span + 1,
                             N_CHANNELS * node.index + uint(channel));
    if (ENCODES && subgroupBallot(is_complete) == uvec4(0u)) {
        own.is_there = false;
        own.from += SPAN;
        return;
    }
    uint code = code_of_sum(own.sum, level, channel) << 8 * channel;
    uint texel;
    if (meet(is_complete, code, node.index, texel)) {
        store_carried(level, ivec3(tile >> level - 6, layer), uvec4(texel, 0u, 0u, 0u));
    }
    uint last = uint(N_CHANNELS * (SPAN - 1) + channel);
    own.is_there = subgroupShuffle(is_complete, last);
    own.sum = packUint2x32(subgroupShuffle(unpackUint2x32(own.sum), last));
    own.from += SPAN;
}

/* From a tile's sum of level 6 up the tree, by a subgroup. If HAS_ONE_SPAN, `first` is its node_of_tile(). */
void carry(Node first, ivec2 tile, uvec4 words, int layer, uint lane)
{
    uvec2 pair = (lane & 2u) == 0u ? words.xy : words.zw;
    Carried own = Carried(true, FIRST_CARRIED - 1,
                          uint64_t((lane & 1u) == 0u ? pair.x : pair.y));
    if (HAS_ONE_SPAN) {
        carry_span(own, first, tile, layer, lane);
        return;
    }
    if (IS_LOOP_SAFE) {
        do {
            Node node = node_of(own.from, tile, layer, lane);
            carry_span(own, node, tile, layer, lane);
        } while (own.from < N_LEVELS - 1 && subgroupBallot(own.is_there) != uvec4(0u));
        return;
    }
    [[unroll]] for (int from = FIRST_CARRIED - 1; from < 15; from += SPAN) {
        if (from < N_LEVELS - 1) {
            Node node = node_of(from, tile, layer, lane);
            carry_span(own, node, tile, layer, lane);
        }
    }
}

#endif
