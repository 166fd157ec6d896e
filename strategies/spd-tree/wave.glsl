/* Where lanes have their texels: in Morton order, bit by bit of the index x and y in turn. */
#ifndef WAVE_GLSL
#define WAVE_GLSL

layout(constant_id = 6) const int SUBGROUP_SIZE = 32;

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

#endif
