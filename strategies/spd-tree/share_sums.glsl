/* Shares of averages: words.glsl adds them up. */
#ifndef SHARE_SUMS_GLSL
#define SHARE_SUMS_GLSL
#include "share.glsl"
#include "words.glsl"

float part_of_row(int row, Taps x)
{
    return x.weight.x * parts[row + x.at.x] + x.weight.y * parts[row + x.at.y] +
           x.weight.z * parts[row + x.at.z];
}

float part_of(Taps x, Taps y)
{
    return y.weight.x * part_of_row(y.at.x, x) + y.weight.y * part_of_row(y.at.y, x) +
           y.weight.z * part_of_row(y.at.z, x);
}

void add_share(Share share, float part, int layer, uint channel)
{
    uint word = N_CHANNELS * share.node + channel;
    bool is_complete = share.is_there;
    if (share.is_there && share.n > 1u) {
        is_complete = add_is_last(part, word, share.n);
    }
    vec4 texel;
    if (meet_in_quad(is_complete, share.n > 1u, share.node, channel, part, texel)) {
        store(share.level, share.at, layer, texel);
    }
}

#endif
