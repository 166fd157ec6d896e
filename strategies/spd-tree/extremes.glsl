/* Parts and shares of minima and maxima.
 *
 * A part is what of the texels that a texel takes lies within the tile. Each channel of a texel that several
 * tiles share has a 32-bit word, which becomes the largest of what tiles bring: floats as numbers of the
 * same order, of which 0 is below all, or for minima the other way round. Having brought all channels, each
 * tile counts itself in one word more, with release; who finds itself the last there acquires what
 * the others brought, takes the words, and sets all of them back to zero. */
#ifndef EXTREMES_GLSL
#define EXTREMES_GLSL
#include "share_parts.glsl"

/* Channels of the format. */
layout(constant_id = 9) const int N_CHANNELS = 4;

layout(set = 0, binding = 2) nonprivate buffer Shares /* in place of the hand-off */
{
    uint share_word[]; /* layer, level, row, column, channel of four; zero between runs */
};
layout(set = 0, binding = 3) nonprivate buffer Meetings /* in place of counters */
{
    uint n_met[]; /* layer, level, row, column: tiles; zero between runs */
};

void leave_part(uint at, vec4 texel)
{
    parts[at] = texel;
}

vec4 joined(vec4 a, vec4 b, float weight)
{
    vec4 extreme = REDUCE == REDUCE_MIN ? min(a, b) : max(a, b);
    return weight > 0.0 ? extreme : a;
}

/* One of the taps, at least, lies within the tile. */
vec4 extreme_of_row(int row, Taps x)
{
    vec4 extreme = parts[row + (x.weight.x > 0.0 ? x.at.x : x.weight.y > 0.0 ? x.at.y : x.at.z)];
    extreme = joined(extreme, parts[row + x.at.y], x.weight.y);
    return joined(extreme, parts[row + x.at.z], x.weight.z);
}

vec4 part_of(Taps x, Taps y, int from, int pitch)
{
    ivec3 rows = from + y.at * pitch;
    int first = y.weight.x > 0.0 ? rows.x : y.weight.y > 0.0 ? rows.y : rows.z;
    vec4 extreme = extreme_of_row(first, x);
    extreme = joined(extreme, extreme_of_row(rows.y, x), y.weight.y);
    return joined(extreme, extreme_of_row(rows.z, x), y.weight.z);
}

/* Numbers in the order of floats, the extreme one being the largest. */
uint number_of(float value)
{
    uint bits = floatBitsToUint(value);
    uint ordered = bits >> 31 != 0u ? ~bits : bits | 0x80000000u;
    return REDUCE == REDUCE_MIN ? ~ordered : ordered;
}

float value_of(uint number)
{
    uint ordered = REDUCE == REDUCE_MIN ? ~number : number;
    return uintBitsToFloat(ordered >> 31 != 0u ? ordered & 0x7fffffffu : ~ordered);
}

void bring(uint word, float value)
{
    atomicMax(share_word[word], number_of(value), gl_ScopeDevice, 0, 0);
}

float take(uint word)
{
    uint number = atomicLoad(share_word[word], gl_ScopeDevice, 0, 0);
    atomicStore(share_word[word], 0u, gl_ScopeDevice, 0, 0);
    return value_of(number);
}

bool add_texel(uint node, uint n, inout vec4 texel)
{
    uint word = 4u * node;
    bring(word, texel.r);
    if (N_CHANNELS > 1) {
        bring(word + 1u, texel.g);
    }
    if (N_CHANNELS > 2) {
        bring(word + 2u, texel.b);
    }
    if (N_CHANNELS > 3) {
        bring(word + 3u, texel.a);
    }
    uint met = atomicAdd(n_met[node], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                         gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable |
                             gl_SemanticsMakeVisible);
    if (met != n - 1u) {
        return false;
    }
    atomicStore(n_met[node], 0u, gl_ScopeDevice, 0, 0);
    texel.r = take(word);
    if (N_CHANNELS > 1) {
        texel.g = take(word + 1u);
    }
    if (N_CHANNELS > 2) {
        texel.b = take(word + 2u);
    }
    if (N_CHANNELS > 3) {
        texel.a = take(word + 3u);
    }
    return true;
}

void store_part(int level, ivec2 at, int layer, vec4 texel)
{
    store(level, at, layer, texel);
}

#endif
