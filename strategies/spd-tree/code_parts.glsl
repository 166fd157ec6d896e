/* Parts and shares of 8-bit codes' averages. */
#ifndef CODE_PARTS_GLSL
#define CODE_PARTS_GLSL
#include "codes.glsl"
#include "share_parts.glsl"
#include "words.glsl"

vec4 weigh_parts(int row, Taps x)
{
    return weigh(x.weight, parts[row + x.at.x], parts[row + x.at.y], parts[row + x.at.z]);
}

vec4 part_of(Taps x, Taps y, int from, int pitch)
{
    ivec3 rows = from + y.at * pitch;
    return weigh(y.weight, weigh_parts(rows.x, x), weigh_parts(rows.y, x), weigh_parts(rows.z, x));
}

/* In words are numbers from 0 to 1. Channels whose last is another tile wait for each other. */
bool add_texel(uint node, uint n, inout vec4 texel)
{
    uint word = N_CHANNELS * node;
    texel *= 1.0 / WHITE;
    bvec4 is_last = bvec4(add_is_last(texel.r, word, n), add_is_last(texel.g, word + 1u, n),
                          add_is_last(texel.b, word + 2u, n), add_is_last(texel.a, word + 3u, n));
    uvec4 last = uvec4(is_last);
    uint n_last = last.r + last.g + last.b + last.a;
    bool is_whole = n_last == N_CHANNELS;
    if (is_whole) {
        clear_word(word);
        clear_word(word + 1u);
        clear_word(word + 2u);
        clear_word(word + 3u);
    } else if (n_last > 0u) {
        is_whole = meet(node, n_last, texel);
    }
    texel *= WHITE;
    return is_whole;
}

void store_part(int level, ivec2 at, int layer, vec4 texel)
{
    store_bytes(level, at, layer, bytes_of(texel));
}

#endif
