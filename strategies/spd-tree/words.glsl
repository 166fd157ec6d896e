/* Words that add up what tiles have of a texel.
 *
 * Each channel of a texel that several tiles share has a 64-bit word, or two channels have one (below), to
 * which every tile adds its share once:
 *
 *     bits    63..40   39..0
 *     word    count    sum, with 30 bits below the binary point
 *
 * Who adds the last has the sum as the atomic's result: no other data is handed on, so that nothing
 * has to be released or acquired. Sums of integers are the same in whatever order, and a share is
 * rounded by less than 2^-30.
 *
 * Relaxed atomics on different words have no common order, so that the channels of a texel may find
 * their last in different workgroups. That is rare. Who completes some, but not all, leaves their
 * sums in the words and counts them in one word more; whoever is the last there (with
 * acquire-release) takes them all. Who takes a word sets it back to zero. */
#ifndef WORDS_GLSL
#define WORDS_GLSL

#define COUNT_SHIFT 40
#define ONE 1073741824.0 /* 2^30 */

layout(set = 0, binding = 2) nonprivate buffer Shares /* in place of the hand-off */
{
    uint64_t share_word[]; /* layer, level, row, column, channel or two; zero between runs */
};
layout(set = 0, binding = 3) nonprivate buffer Meetings /* in place of counters */
{
    uint n_met[]; /* layer, level, row, column: complete words; zero between runs */
};

/* A part of zero may have come out a little below it. */
uint64_t word_of(float part)
{
    return uint64_t(uint(max(part, 0.0) * ONE + 0.5)) | uint64_t(1) << COUNT_SHIFT;
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

/* Count what is complete of a texel while the rest is not: true if that makes `n`. */
bool count_met(uint node, uint n)
{
    uint n_before = atomicAdd(n_met[node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                                  gl_SemanticsMakeVisible);
    if (n_before != n - 1u) {
        return false;
    }
    atomicStore(n_met[node], 0u, gl_ScopeDevice, 0, 0);
    return true;
}

/* Of a channel: true if that makes four; then all of them. */
bool meet(uint node, inout vec4 texel)
{
    if (!count_met(node, N_CHANNELS)) {
        return false;
    }
    uint word = N_CHANNELS * node;
    texel = vec4(take(word), take(word + 1u), take(word + 2u), take(word + 3u));
    return true;
}

/* By quads of lanes, one for each channel of a texel, which is complete or not: true in the one that finds
 * all of them complete, with the texel. Who is the last of one channel mostly is the last of all four; if
 * not, others find the rest. Of a texel that is one tile's alone there are no words. */
bool meet_in_quad(bool is_complete, bool has_words, uint node, uint channel, float part,
                  out vec4 texel)
{
    uint n_complete = is_complete ? 1u : 0u;
    n_complete += subgroupQuadSwapHorizontal(n_complete);
    n_complete += subgroupQuadSwapVertical(n_complete);
    texel = vec4(subgroupQuadBroadcast(part, 0u), subgroupQuadBroadcast(part, 1u),
                 subgroupQuadBroadcast(part, 2u), subgroupQuadBroadcast(part, 3u));
    if (n_complete == N_CHANNELS) {
        if (has_words) {
            clear_word(N_CHANNELS * node + channel);
        }
        return channel == 0u;
    }
    return is_complete && meet(node, texel);
}

/* Words that add up two channels at once, for half as many atomics, where there are no more than 1024 tiles. Ten
 * bits count them; of 1024 they hold 0, which no fewer leave there:
 *
 *     bits    63..54   53..27                26..0
 *     word    count    sum of the second     of the first
 *
 * Each share is rounded by half of 2^-27 at most, and 1024 of them all to the same side by 0.001 of a code.
 * What sums may become larger than 1 by that, half of 2^10, and by the rounding of floats, some hundred,
 * is less than PAIR_ONE leaves of 27 bits. */
#define PAIR_COUNT_SHIFT 54
#define PAIR_SUM_SHIFT 27
#define PAIR_ONE 134216704.0 /* 2^27 - 2^10 */
#define N_PAIRS (N_CHANNELS / 2)

uint64_t word_of_pair(vec2 part)
{
    uvec2 sums = uvec2(max(part, vec2(0.0)) * PAIR_ONE + 0.5);
    return uint64_t(sums.x) | uint64_t(sums.y) << PAIR_SUM_SHIFT | uint64_t(1) << PAIR_COUNT_SHIFT;
}

vec2 pair_of_word(uint64_t word)
{
    const uint mask = (1u << PAIR_SUM_SHIFT) - 1u;
    return vec2(uint(word) & mask, uint(word >> PAIR_SUM_SHIFT) & mask) * (1.0 / PAIR_ONE);
}

/* As add_is_last(). */
bool add_pair_is_last(inout vec2 part, uint word, uint n)
{
    uint64_t sum = word_of_pair(part);
    sum += atomicAdd(share_word[word], sum, gl_ScopeDevice, 0, 0);
    part = pair_of_word(sum);
    return uint(sum >> PAIR_COUNT_SHIFT) == (n & (1u << 64 - PAIR_COUNT_SHIFT) - 1u);
}

vec2 take_pair(uint word)
{
    uint64_t sum = atomicLoad(share_word[word], gl_ScopeDevice, 0, 0);
    clear_word(word);
    return pair_of_word(sum);
}

/* As meet(), of two pairs. */
bool meet_pair(uint node, inout vec4 texel)
{
    if (!count_met(node, N_PAIRS)) {
        return false;
    }
    texel = vec4(take_pair(N_PAIRS * node), take_pair(N_PAIRS * node + 1u));
    return true;
}

/* As meet_in_quad(), by two lanes next to each other: one for each pair of a texel's channels. */
bool meet_in_pair(bool is_complete, uint node, uint pair, vec2 part, out vec4 texel)
{
    bool is_other = subgroupQuadSwapHorizontal(is_complete ? 1u : 0u) != 0u;
    vec2 other = subgroupQuadSwapHorizontal(part);
    texel = pair == 0u ? vec4(part, other) : vec4(other, part);
    if (is_complete && is_other) {
        clear_word(N_PAIRS * node + pair);
        return pair == 0u;
    }
    return is_complete && meet_pair(node, texel);
}

#endif
