/* Words that add up what tiles have of a texel.
 *
 * Each channel of a texel that several tiles share has a 64-bit word, to which every one of them adds its
 * share once:
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
 * acquire-release) takes all four. Who takes a word sets it back to zero. */
#ifndef WORDS_GLSL
#define WORDS_GLSL

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

/* Count a channel that is complete, while others are not: true if that makes four; then all of them. */
bool meet(uint node, inout vec4 texel)
{
    uint n_before = atomicAdd(n_met[node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                                  gl_SemanticsMakeVisible);
    if (n_before != N_CHANNELS - 1u) {
        return false;
    }
    atomicStore(n_met[node], 0u, gl_ScopeDevice, 0, 0);
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

#endif
