/* Words that keep the minimum or maximum of a texel's partials: a word per channel, in which floats are ordered like
 * integers, and a count of the tiles that have contributed. An atomic maximum needs no order among tiles, so a texel
 * needs one word per channel however many tiles contribute. */

#define WORDS 1 /* per texel, as tail.glsl counts them: one lane has all channels */

layout(set = 0, binding = 2) nonprivate buffer Words
{
    uint extreme_word[]; /* by layer, level, row, column, channel; zero between runs */
};

/* A word that grows with the number (for minima: that grows as the number falls). NaN gives 0, which loses against any
 * number. */
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

/* Takes the texel; called by the last to arrive. Resets the words to zero for the next run. */
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
