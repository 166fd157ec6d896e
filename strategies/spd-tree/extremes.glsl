/* Shares of minima and maxima.
 *
 * A part is what of the texels that a texel takes lies within the tile. Each channel of a texel that several
 * tiles share has a 32-bit word, which becomes the largest of what tiles bring: floats as numbers of the
 * same order, of which 0 is below all, or for minima the other way round. Having brought a channel, each
 * lane counts itself in one word more, with release; who finds itself the last there acquires what
 * the others brought, takes the words, and sets all of them back to zero. */
#ifndef EXTREMES_GLSL
#define EXTREMES_GLSL
#include "share.glsl"

/* Channels of the format; and, << 4, whether levels 1 and 2 are stored last: who counts waits for what it has
 * stored before. */
layout(constant_id = 9) const int CHANNELS_AND_LATE = 4;
const int N_STORED = CHANNELS_AND_LATE & 15;
const bool IS_LATE = CHANNELS_AND_LATE >> 4 != 0;

/* Of one channel a gather brings all four texels. */
vec4 load_level1(ivec2 at, int layer)
{
    if (LOAD_SAMPLER || N_STORED > 1) {
        return sample_level1(at, layer);
    }
    vec4 texels = textureGather(source, corner_of(at, layer));
    const vec3 others = vec3(0.0, 0.0, 1.0);
    return reduce_2x2(vec4(texels.w, others), vec4(texels.z, others), vec4(texels.x, others),
                      vec4(texels.y, others), base_extent);
}

layout(set = 0, binding = 2) nonprivate buffer Shares /* in place of the hand-off */
{
    uint share_word[]; /* layer, level, row, column, channel of four; zero between runs */
};
layout(set = 0, binding = 3) nonprivate buffer Meetings /* in place of counters */
{
    uint n_met[]; /* layer, level, row, column: channels of tiles; zero between runs */
};

float joined(float a, float b, float weight)
{
    float extreme = REDUCE == REDUCE_MIN ? min(a, b) : max(a, b);
    return weight > 0.0 ? extreme : a;
}

/* Of the taps with a weight, of which there is one at least, the first. */
int first_of(Taps taps)
{
    return taps.weight.x > 0.0 ? taps.at.x : taps.weight.y > 0.0 ? taps.at.y : taps.at.z;
}

float extreme_of_row(int row, Taps x)
{
    float extreme = joined(parts[row + first_of(x)], parts[row + x.at.y], x.weight.y);
    return joined(extreme, parts[row + x.at.z], x.weight.z);
}

float part_of(Taps x, Taps y)
{
    float extreme = joined(extreme_of_row(first_of(y), x), extreme_of_row(y.at.y, x), y.weight.y);
    return joined(extreme, extreme_of_row(y.at.z, x), y.weight.z);
}

/* Numbers in the order of floats, the extreme one being the largest; below all of them, NaN, which only
 * stays where there is nothing else. */
#define NO_NUMBER 1u
uint number_of(float value)
{
    if (isnan(value)) {
        return NO_NUMBER;
    }
    uint bits = floatBitsToUint(value);
    uint ordered = bits >> 31 != 0u ? ~bits : bits | 0x80000000u;
    return REDUCE == REDUCE_MIN ? ~ordered : ordered;
}

float value_of(uint number)
{
    uint ordered = REDUCE == REDUCE_MIN ? ~number : number;
    return uintBitsToFloat(ordered >> 31 != 0u ? ordered & 0x7fffffffu : ~ordered);
}

float take(uint word)
{
    uint number = atomicLoad(share_word[word], gl_ScopeDevice, 0, 0);
    atomicStore(share_word[word], 0u, gl_ScopeDevice, 0, 0);
    return value_of(number);
}

vec4 take_texel(uint word)
{
    return vec4(take(word), N_STORED > 1 ? take(word + 1u) : 0.0,
                N_STORED > 2 ? take(word + 2u) : 0.0, N_STORED > 3 ? take(word + 3u) : 1.0);
}

/* Bring a channel: true if all that share the texel have brought all of theirs. */
bool bring_is_last(Share share, float part, uint channel)
{
    atomicMax(share_word[N_CHANNELS * share.node + channel], number_of(part), gl_ScopeDevice, 0, 0);
    uint met = atomicAdd(n_met[share.node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                         gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                             gl_SemanticsMakeVisible);
    return met == share.n * N_STORED - 1u;
}

void add_share(Share share, float part, int layer, uint channel)
{
    vec4 texel = vec4(subgroupQuadBroadcast(part, 0u), subgroupQuadBroadcast(part, 1u),
                      subgroupQuadBroadcast(part, 2u), subgroupQuadBroadcast(part, 3u));
    bool is_whole = share.is_there && share.n == 1u && channel == 0u;
    if (share.is_there && share.n > 1u && channel < N_STORED) {
        is_whole = bring_is_last(share, part, channel);
        if (is_whole) {
            atomicStore(n_met[share.node], 0u, gl_ScopeDevice, 0, 0);
            texel = take_texel(N_CHANNELS * share.node);
        }
    }
    if (is_whole) {
        store(share.level, share.at, layer, texel);
    }
}

#endif
