/* Words that take the largest part of a texel that several tiles share, for minima and maxima: a word a channel, in
 * which floats are ordered as integers are, and a count of the tiles that have brought theirs. An atomic maximum
 * needs no order among tiles, so that there are as many words as texels, however many tiles share one. */

#define WORDS 1 /* of a texel, for who brings it (climb.glsl): all channels */

layout(set = 0, binding = 2) nonprivate buffer Words
{
    uint extreme_word[]; /* layer, level, row, column, channel; zero between runs */
};

/* Larger ones of larger numbers, or for minima of smaller ones; of NaN, which counts for nothing, 0. */
uint ordered_word(const float value)
{
    uint bits = floatBitsToUint(value);
    uint ordered = (bits & 0x80000000u) != 0u ? ~bits : bits | 0x80000000u;
    return isnan(value) ? 0u : REDUCE == REDUCE_MIN ? ~ordered : ordered;
}

float number_of_word(const uint word)
{
    uint ordered = REDUCE == REDUCE_MIN ? ~word : word;
    uint bits = (ordered & 0x80000000u) != 0u ? ordered & 0x7fffffffu : ~ordered;
    return uintBitsToFloat(word == 0u ? 0x7fc00000u : bits);
}

void bring_extreme(const uint node, const TEXEL texel)
{
    [[unroll]] for (int i = 0; i < CHANNELS; i++) {
        atomicMax(extreme_word[CHANNELS * node + i], ordered_word(CHANNEL(texel, i)), gl_ScopeDevice, 0, 0);
    }
}

/* By who is the last to arrive; for the next run the words are zero. */
TEXEL take_extreme(const uint node)
{
    TEXEL texel = TEXEL(0.0);
    [[unroll]] for (int i = 0; i < CHANNELS; i++) {
        uint word = CHANNELS * node + i;
        CHANNEL(texel, i) = number_of_word(atomicLoad(extreme_word[word], gl_ScopeDevice, 0, 0));
        atomicStore(extreme_word[word], 0u, gl_ScopeDevice, 0, 0);
    }
    return texel;
}
