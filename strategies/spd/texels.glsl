/* Texels in the kernel's arithmetic, 32-bit or (HALF) 16-bit floats: how they are joined, as in
 * levels.glsl, and how they are packed, handed to the last workgroup, and stored. */
#ifndef TEXELS_GLSL
#define TEXELS_GLSL

#ifdef HALF
#define HandedOff uvec2
#else
#define HandedOff vec4
#endif

#ifdef HALF
#define Texel f16vec4
#define Joining f16vec4

f16vec4 joined_of(f16vec4 texel)
{
    return texel;
}

f16vec4 join(f16vec4 a, f16vec4 b)
{
    return REDUCE == REDUCE_MIN ? min(a, b) : REDUCE == REDUCE_MAX ? max(a, b) : a + b;
}

f16vec4 texel_of(f16vec4 all, float scale)
{
    return REDUCE == REDUCE_AVG ? all * float16_t(scale) : all;
}

f16vec4 weighted(f16vec4 one, float weight)
{
    return REDUCE == REDUCE_AVG ? one * float16_t(weight) : one;
}

f16vec4 reduce_2x2(f16vec4 v00, f16vec4 v10, f16vec4 v01, f16vec4 v11, ivec2 extent)
{
    if (is_narrow(extent.x)) {
        v10 = v00;
        v11 = v01;
    }
    if (is_narrow(extent.y)) {
        v01 = v00;
        v11 = v10;
    }
    return texel_of(join(join(v00, v10), join(v01, v11)), 0.25);
}

uvec2 packed(f16vec4 texel)
{
    return uvec2(packFloat2x16(texel.rg), packFloat2x16(texel.ba));
}

f16vec4 unpacked(uvec2 bits)
{
    return f16vec4(unpackFloat2x16(bits.x), unpackFloat2x16(bits.y));
}

HandedOff handed_off(f16vec4 texel)
{
    return packed(texel);
}

Texel taken_over(HandedOff bits)
{
    return unpacked(bits);
}

/* Rounds extremes and sRGB. Other averages in half floats stay as they are: their error exceeds
 * that of the hardware's rounding. */
vec4 to_store(f16vec4 texel)
{
    return REDUCE == REDUCE_AVG && !IS_SRGB ? vec4(texel) : rounded(vec4(texel));
}
#else
#define Texel vec4
#define Joining Joined

Joined weighted(Joined one, float weight)
{
    one.straight *= REDUCE == REDUCE_AVG ? weight : 1.0;
    one.weighted *= weight;
    return one;
}

uvec2 packed(vec4 texel)
{
    return uvec2(packHalf2x16(texel.rg), packHalf2x16(texel.ba));
}

vec4 unpacked(uvec2 bits)
{
    return vec4(unpackHalf2x16(bits.x), unpackHalf2x16(bits.y));
}

HandedOff handed_off(vec4 texel)
{
    return texel;
}

Texel taken_over(HandedOff texel)
{
    return texel;
}

vec4 to_store(vec4 texel)
{
    return rounded(texel);
}
#endif

#endif
