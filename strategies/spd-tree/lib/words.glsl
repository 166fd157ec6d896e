/* Words that add up the partials of a texel: averages of numbers from 0 to 1.
 *
 * Two channels of a texel that several tiles contribute to have a 64-bit word, to which each tile adds its part once.
 * Ten bits count the tiles; a count of 1024 wraps to 0, which is unambiguous since no smaller count is 0:
 *
 *     bits    63..54   53..27                26..0
 *     word    count    sum of the second     sum of the first channel
 *
 * If more than 1023 tiles may contribute (is_many), each channel has its own word, and all bits from 27 on count.
 *
 * The atomic returns the sum to whoever adds the last part. No other data is handed on, so nothing needs to be released
 * or acquired, and integer sums do not depend on the order.
 *
 * Each part is rounded by at most half of 2^-27, so 1024 parts are off by at most 0.001 of an 8-bit code. Rounding may
 * raise a sum above PAIR_ONE by half of 2^10, and float rounding by some hundred more; PAIR_ONE leaves more headroom
 * than that in 27 bits.
 *
 * Relaxed atomics on different words have no common order, so the two words of a four-channel texel may be completed in
 * different workgroups. This is rare. An invocation that completes only one word leaves the sums in it and increments a
 * third word (n_met, with acquire-release); the last to do so takes both words. Taking a word resets it to zero. */

#define PAIR_SUM_SHIFT 27
#define PAIR_ONE (is_many != 0 ? 134201344.0 : 134216704.0) /* 2^27 minus 2^14, or minus 2^10 */
#define PAIR_COUNT_SHIFT (is_many != 0 ? 27 : 54)
#define WORDS ((CHANNELS + 1) / 2) /* per texel, unless is_many */

uint words_of_texel()
{
    return is_many != 0 ? CHANNELS : WORDS;
}

layout(set = 0, binding = 2) nonprivate buffer Shares
{
    uint64_t share_word[]; /* by layer, level, row, column, pair of channels; zero between runs */
};
layout(set = 0, binding = 3) nonprivate buffer Meetings
{
    uint n_met[]; /* complete words by layer, level, row, column; zero between runs */
};

/* The word for a pair of channels. Rounding may turn a part of zero slightly negative, so parts are clamped. */
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

/* Adds a part to a word. Returns true if it was the last of n parts; `part` is then the whole sum. */
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

/* The channels of a texel that its word number `word` holds. */
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

/* Counts one complete word of a texel whose other words may be incomplete. Returns true, with the texel, if all are
 * complete now. */
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

/* Called by adjacent lanes, one for each word of a texel, complete or not. Returns true, with the texel, in one lane if
 * all are complete. */
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
