/* Shares of averages: words.glsl adds them up. Who is the last of one channel mostly is the last of all
 * four. */
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
    uint n_together = is_complete ? 1u : 0u;
    n_together += subgroupQuadSwapHorizontal(n_together);
    n_together += subgroupQuadSwapVertical(n_together);
    vec4 texel = vec4(subgroupQuadBroadcast(part, 0u), subgroupQuadBroadcast(part, 1u),
                      subgroupQuadBroadcast(part, 2u), subgroupQuadBroadcast(part, 3u));
    bool is_whole = is_complete && channel == 0u;
    if (n_together == N_CHANNELS) {
        if (share.n > 1u) {
            clear_word(word);
        }
    } else if (is_complete) {
        is_whole = meet(share.node, 1u, texel);
    }
    if (is_whole) {
        store(share.level, share.at, layer, texel);
    }
}

#endif
