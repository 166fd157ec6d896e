/* 8-bit codes as floats between 0 and 255. */
#ifndef CODES_GLSL
#define CODES_GLSL

#define WHITE 255.0
#define TWO_23 8388608.0

/* Rounded to bytes: beneath 2^23 integers are the low bits of the sum with it, whose own are shifted out. */
uint bytes_of_sums(vec4 codes_and_two_23)
{
    uvec4 bits = floatBitsToUint(codes_and_two_23);
    return (bits.x & 0xffu) + (bits.y << 8) + (bits.z << 16) + (bits.w << 24);
}

uint bytes_of(vec4 codes)
{
    return bytes_of_sums(codes + TWO_23);
}

/* As srgb_from_linear() of levels.glsl, of what is not below zero. */
vec3 srgb_codes(vec3 linear)
{
    vec3 curve = fma(pow(linear, vec3(1.0 / 2.4)), vec3(1.055 * WHITE), vec3(-0.055 * WHITE));
    return mix(curve, 12.92 * WHITE * linear, lessThanEqual(linear, vec3(0.0031308)));
}

uvec4 to_store(vec4 texel)
{
    vec3 colour = IS_SRGB ? srgb_codes(texel.rgb) : texel.rgb * WHITE;
    return uvec4(bytes_of(vec4(colour, texel.a * WHITE)), 0u, 0u, 0u);
}

#endif
