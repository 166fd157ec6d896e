/* Words that add up what tiles have of a texel, for averages of numbers from 0 to 1.
 *
 * Two channels of a texel that several tiles share have a 64-bit word, to which every tile adds its part once. Ten
 * bits count them; of 1024 they hold 0, which no fewer leave there:
 *
 *     bits    63..54   53..27                26..0
 *     word    count    sum of the second     of the first
 *
 * Where more tiles may share a texel (is_many), each channel has a word of its own, and the count all bits from 27 on.
 *
 * Who adds the last has the sum as the atomic's result: no other data is handed on, so that nothing
 * has to be released or acquired. Sums of integers are the same in whatever order.
 *
 * Each part is rounded by half of 2^-27 at most, and 1024 of them all to the same side by 0.001 of a code of 8 bits.
 * What sums may become larger than 1 by that, half of 2^10, and by the rounding of floats, some hundred,
 * is less than PAIR_ONE leaves of 27 bits.
 *
 * Relaxed atomics on different words have no common order, so that the two words of four channels may find
 * their last in different workgroups. That is rare. Who completes one, but not both, leaves its
 * sums in the word and counts it in one word more; whoever is the last there (with
 * acquire-release) takes both. Who takes a word sets it back to zero. */

#define PAIR_SUM_SHIFT 27
#define PAIR_ONE (is_many != 0 ? 134201344.0 : 134216704.0) /* 2^27 less 2^14, or less 2^10 */
#define PAIR_COUNT_SHIFT (is_many != 0 ? 27 : 54)
#define WORDS ((CHANNELS + 1) / 2) /* of a texel, unless is_many */

uint words_of_texel()
{
    return is_many != 0 ? CHANNELS : WORDS;
}

layout(set = 0, binding = 2) nonprivate buffer Shares
{
    uint64_t share_word[]; /* layer, level, row, column, two channels; zero between runs */
};
layout(set = 0, binding = 3) nonprivate buffer Meetings
{
    uint n_met[]; /* layer, level, row, column: complete words; zero between runs */
};

/* A part of zero may have come out a little below it. */
uint64_t word_of_pair(const vec2 part)
{
    uvec2 sums = uvec2(max(part, vec2(0.0)) * PAIR_ONE + 0.5);
    return uint64_t(sums.x) | uint64_t(sums.y) << PAIR_SUM_SHIFT | uint64_t(1) << PAIR_COUNT_SHIFT;
}

vec2 pair_of_word(const uint64_t word)
{
    const uint mask = (1u << PAIR_SUM_SHIFT) - 1u;
    uint second = is_many != 0 ? 0u : uint(word >> PAIR_SUM_SHIFT) & mask;
    return vec2(uint(word) & mask, second) * (1.0 / PAIR_ONE);
}

/* Add to a word: true if that was the last of n; then the part is the whole. */
bool add_pair_is_last(inout vec2 part, const uint word, const uint n)
{
    uint64_t sum = word_of_pair(part);
    sum += atomicAdd(share_word[word], sum, gl_ScopeDevice, 0, 0);
    part = pair_of_word(sum);
    return uint(sum >> PAIR_COUNT_SHIFT) == (is_many != 0 ? n : n & 1023u);
}

void clear_word(const uint word)
{
    atomicStore(share_word[word], uint64_t(0), gl_ScopeDevice, 0, 0);
}

/* What word `word` of a texel takes of it. */
vec2 pair_of_texel(const TEXEL texel, const uint word)
{
#if CHANNELS == 1
    return vec2(texel, 0.0);
#elif CHANNELS == 2
    return is_many == 0 ? texel : vec2(word == 0u ? texel.x : texel.y, 0.0);
#else
    uint pair = is_many != 0 ? word >> 1 : word;
    vec2 both = pair == 0u ? texel.xy : texel.zw;
    return is_many == 0 ? both : vec2((word & 1u) == 0u ? both.x : both.y, 0.0);
#endif
}

#if CHANNELS > 1
vec2 take_pair(const uint word)
{
    uint64_t sum = atomicLoad(share_word[word], gl_ScopeDevice, 0, 0);
    clear_word(word);
    return pair_of_word(sum);
}

/* Of one of a texel's words, complete while others may not be: true if that makes all; then all of the texel. */
bool meet_late(const uint node, out TEXEL texel)
{
    uint n_words = words_of_texel();
    texel = TEXEL(0.0);
    uint n_before = atomicAdd(n_met[node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                              gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                                  gl_SemanticsMakeVisible);
    if (n_before != n_words - 1u) {
        return false;
    }
    atomicStore(n_met[node], 0u, gl_ScopeDevice, 0, 0);
    if (is_many != 0) {
        [[unroll]] for (uint i = 0u; i < CHANNELS; i++) {
            texel[i] = take_pair(CHANNELS * node + i).x;
        }
        return true;
    }
#if CHANNELS == 4
    texel = vec4(take_pair(2u * node), take_pair(2u * node + 1u));
#endif
    return true;
}
#endif

/* By lanes next to each other, one for each word of a texel, which is complete or not: true in one that
 * finds all complete, with the texel. */
bool meet(const bool is_complete, const uint node, const uint word, const vec2 part, out TEXEL texel)
{
#if CHANNELS == 4
    bool is_other = subgroupShuffleXor(is_complete ? 1u : 0u, 1u) != 0u;
    vec2 other = subgroupShuffleXor(part, 1u);
    texel = word == 0u ? vec4(part, other) : vec4(other, part);
    if (is_complete && is_other && is_many == 0) {
        clear_word(2u * node + word);
        return word == 0u;
    }
    return is_complete && meet_late(node, texel);
#else
#if CHANNELS == 2
    if (is_many != 0) {
        texel = vec2(0.0);
        return is_complete && meet_late(node, texel);
    }
    texel = part;
#else
    texel = part.x;
#endif
    if (is_complete) {
        clear_word(node);
    }
    return is_complete;
#endif
}
