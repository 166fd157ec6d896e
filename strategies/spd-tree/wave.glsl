/* Where lanes have their texels: in Morton order, bit by bit of the index x and y in turn. */
#ifndef WAVE_GLSL
#define WAVE_GLSL

#ifndef TURNS_GLSL
#define N_LEVELS n_levels
#endif
#ifndef STORES_LATE /* levels 1 and 2 */
#define STORES_LATE false
#endif

layout(constant_id = 6) const int SUBGROUP_SIZE = 32;
const bool IS_WIDE = SUBGROUP_SIZE >= 16; /* a texel of 4x4 a lane; else four */

ivec2 place(uint index)
{
    uint x = index & 1u | index >> 1 & 2u | index >> 2 & 4u | index >> 3 & 8u;
    uint y = index >> 1 & 1u | index >> 2 & 2u | index >> 3 & 4u | index >> 4 & 8u;
    return ivec2(x, y);
}

ivec2 quadrant(int i)
{
    return ivec2(i & 1, i >> 1);
}

/* Where the texel of level 2 that quads of lanes scatter to one of them lies among a tile's 16x16. */
ivec2 place_in_level2(uint index)
{
    return (place(index) >> 1) + quadrant(int(index & 3u)) * 8;
}

#endif
