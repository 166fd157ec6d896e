/* 8-bit codes as floats between 0 and 255. */
#ifndef CODES_GLSL
#define CODES_GLSL

#define WHITE 255.0
#define TWO_23 8388608.0

/* What is added to codes that become bytes: beneath 2^23 integers are the low bits of the sum with it. What is
 * above them, 0x4b in the uppermost byte, is shifted out but for the first channel; there the last
 * one's byte makes up for it. */
#define TO_BYTES vec4(vec3(TWO_23), TWO_23 + float(0x100 - 0x4b))

uint bytes_of_sums(vec4 codes_to_bytes)
{
    uvec4 bits = floatBitsToUint(codes_to_bytes);
    return bits.x + (bits.y << 8) + (bits.z << 16) + (bits.w << 24);
}

uint bytes_of(vec4 codes)
{
    return bytes_of_sums(codes + TO_BYTES);
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
