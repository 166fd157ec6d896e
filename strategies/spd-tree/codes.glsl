/* Texels of 8-bit codes in whole numbers. They are fetched and stored as they are, four bytes in a word: a
 * gather brings 2x2 of them, two channels are summed by one addition, and shuffles carry two at once,
 * as far as sixteen bits hold their sums, to level 4:
 *
 *     texel     a b g r      bytes, the last lowest
 *     sums.x    .b .r        sixteen bits each: at most 4^4 * 255
 *     sums.y    .a .g
 *
 * Averages are rounded once per stored texel, from exact sums. */
#ifndef CODES_GLSL
#define CODES_GLSL

uvec2 sums_of(uint texel)
{
    return uvec2(texel, texel >> 8) & 0x00ff00ffu;
}

/* The texel that 4^n_halved texels average to. */
uint average(uvec2 sums, int n_halved)
{
    uint half_of_both = 0x00010001u << 2 * n_halved - 1;
    uvec2 codes = (sums + half_of_both >> 2 * n_halved) & 0x00ff00ffu;
    return codes.x | codes.y << 8;
}

/* The same of a sum per channel. */
uint average_of_words(uvec4 sums, int n_halved)
{
    uvec4 codes = sums + (1u << 2 * n_halved - 1) >> 2 * n_halved;
    return codes.x | codes.y << 8 | codes.z << 16 | codes.w << 24;
}

void store_code(int level, ivec2 at, int layer, uint code)
{
    if (n_levels > level) {
        store_as(level, at, layer, uvec4(code, 0u, 0u, 0u));
    }
}

/* Of 2x2 texels of level 0 from `at` on; what lies beyond an axis of one texel is that texel again. */
uvec2 load_sums(ivec2 at, int layer)
{
    uvec4 texels = textureGather(source, vec3(vec2(at + 1) * inv_base_extent, layer));
    return sums_of(texels.x) + sums_of(texels.y) + sums_of(texels.z) + sums_of(texels.w);
}

/* As scatter_quad() of spd_tree_wave.comp. */
uvec2 scatter_sums(uvec2 sums[4], uint lane)
{
    ivec2 extent = level_extent(base_extent, 1);
    bool is_right = (lane & 1u) != 0u, is_below = (lane & 2u) != 0u;
    uvec2 upper = is_right ? sums[1] : sums[0], lower = is_right ? sums[3] : sums[2];
    uvec2 give_upper = is_right ? sums[0] : sums[1], give_lower = is_right ? sums[2] : sums[3];
    upper += is_narrow(extent.x) ? upper : subgroupQuadSwapHorizontal(give_upper);
    lower += is_narrow(extent.x) ? lower : subgroupQuadSwapHorizontal(give_lower);
    uvec2 keep = is_below ? lower : upper, give = is_below ? upper : lower;
    return keep + (is_narrow(extent.y) ? keep : subgroupQuadSwapVertical(give));
}

uvec4 words_of(uvec2 sums)
{
    return uvec4(sums.x & 0xffffu, sums.y & 0xffffu, sums.x >> 16, sums.y >> 16);
}

#endif
