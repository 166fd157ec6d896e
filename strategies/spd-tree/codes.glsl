/* 8-bit codes as floats between 0 and 255. */
#ifndef CODES_GLSL
#define CODES_GLSL

#define WHITE 255.0
#define TWO_23 8388608.0

/* What is added to codes to round them: beneath 2^23 integers are the low bits of the sum with it. All of its own,
 * 0x4b000000, are shifted out but those of the first; the third has 0xb5 above its byte, which makes them 2^32. */
#define TO_BYTES vec4(TWO_23, TWO_23, TWO_23 + 46336.0, TWO_23)

/* Bytes of codes that TO_BYTES was added to. */
uint bytes_of_sums(vec4 codes)
{
    uvec4 bits = floatBitsToUint(codes);
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
