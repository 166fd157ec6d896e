/* The levels below 6 of an image where no size is odd, carried by the counters themselves.
 *
 * A node is a texel of level 7 or further down. Its two 64-bit words add up what its up to four children
 * bring, two channels each, and count them: no other data is handed on, so that nothing has to be
 * released or acquired, and whoever brings the last child has the sum as the atomic's result.
 *
 *     bits    63   62..60   59..30     29..0
 *     word 0   .   count    sum of g   sum of r
 *     word 1   .   count    sum of a   sum of b
 *
 * Two lanes of a subgroup bring one word each. Either may find itself the last, or neither: relaxed
 * atomics on different words have no common order. Each goes on with its own channels where it is,
 * and what it is to store of a texel, two bytes, meets the other two in a third word:
 *
 *     bits    63..34   33..32   31..0
 *     word 2     .     count    a b g r
 *
 * The sums of level L hold 2 L bits below the binary point, from level 11 on 22: what is brought is
 * shortened by two bits, rounded. The error of all that is below 2^-20 of a code.
 *
 * Who completes a word sets it back to zero. */
#ifndef CARRY_GLSL
#define CARRY_GLSL

#define FIRST_CARRIED 7
#define EXACT_LEVELS 11
#define WORDS_PER_NODE 4 /* 32 bytes, a sector of the cache; the fourth is unused */

layout(set = 0, binding = 2) buffer Nodes /* in place of the hand-off */
{
    uint64_t node_word[]; /* layer, level, row, column, word; zero between runs */
};

uint64_t add_to_word(uint at, uint64_t value)
{
    return atomicAdd(node_word[at], value, gl_ScopeDevice, 0, 0) + value;
}

void clear_word(uint at)
{
    atomicStore(node_word[at], uint64_t(0), gl_ScopeDevice, 0, 0);
}

uint64_t word_of(uvec2 sums)
{
    return uint64_t(sums.x) | uint64_t(sums.y) << 30 | uint64_t(1) << 60;
}

/* The two bytes that a lane's channels average to, where they lie in a texel. */
uint bytes_of(uvec2 sums, int level, uint lane)
{
    int shift = 2 * min(level, EXACT_LEVELS);
    uvec2 codes = sums + (1u << shift - 1) >> shift;
    return (codes.x | codes.y << 8) << 16u * lane;
}

/* By both lanes: the texel's four bytes in one of those that have completed their word, if they are
 * together by now. */
bool meet(bool is_complete, uint bytes, uint at, uint lane, out uint code)
{
    bool is_other_complete = subgroupQuadSwapHorizontal(is_complete);
    code = bytes | subgroupQuadSwapHorizontal(bytes);
    if (!is_complete || is_other_complete) {
        return is_complete && lane == 0u;
    }
    uint64_t both = add_to_word(at + 2u, uint64_t(bytes) | uint64_t(1) << 32);
    if (both >> 33 == uint64_t(0)) {
        return false;
    }
    clear_word(at + 2u);
    code = uint(both);
    return true;
}

/* One level up the tree. True while this lane has something to bring. */
bool carry_level(int level, inout ivec2 at, inout uvec2 sums, inout uint first_node, int layer,
                 bool is_there, uint lane)
{
    ivec2 children = level_extent(base_extent, level - 1);
    ivec2 extent = level_extent(base_extent, level);
    ivec2 n = min(children, ivec2(2));
    sums <<= 4 - n.x - n.y; /* an axis of one texel counts twice */
    sums = level > EXACT_LEVELS ? sums + 2u >> 2 : sums;
    at >>= 1;
    uint word = WORDS_PER_NODE * (first_node + uint(at.y * extent.x + at.x));
    first_node += uint(extent.x * extent.y);
    bool is_complete = false;
    if (is_there) {
        uint64_t total = add_to_word(word + lane, word_of(sums));
        is_complete = uint(total >> 60) == uint(n.x * n.y);
        if (is_complete) {
            clear_word(word + lane);
            sums = uvec2(uint(total), uint(total >> 30)) & 0x3fffffffu;
        }
    }
    uint code;
    if (meet(is_complete, bytes_of(sums, level, lane), word, lane, code)) {
        store_carried(level, ivec3(at, layer), uvec4(code, 0u, 0u, 0u));
    }
    return is_complete;
}

/* From a tile's sum of level 6 up the tree, by the first lanes of a subgroup. */
void carry(ivec2 at, uvec4 words, int layer, uint lane)
{
    uvec2 sums = lane == 0u ? words.xy : words.zw;
    uint first_node = uint(layer) * n_nodes;
    bool is_there = lane < 2u;
    if (IS_LOOP_SAFE) {
        for (int level = FIRST_CARRIED; level < n_levels && subgroupBallot(is_there) != uvec4(0u); level++) {
            is_there = carry_level(level, at, sums, first_node, layer, is_there, lane);
        }
        return;
    }
    [[unroll]] for (int level = FIRST_CARRIED; level <= 15; level++) {
        if (level < n_levels) {
            is_there = carry_level(level, at, sums, first_node, layer, is_there, lane);
        }
    }
}

#endif
