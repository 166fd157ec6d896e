/* Noise that memory cannot compress, computed from an index, so that the host can reproduce it.
 *
 * The word is PCG's output function over one step of its generator (O'Neill 2014; as a hash:
 * Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020). */
#ifndef NOISE_GLSL
#define NOISE_GLSL

uint noise_word(uint i)
{
    uint state = i * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28) + 4u)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

uvec4 noise_vector(uint i)
{
    return noise_word(i) * uvec4(1u, 0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du);
}

/* In [0, 1), 24 bits a channel. */
vec4 noise_color(uint i)
{
    return vec4(noise_vector(i) >> 8) * (1.0 / 16777216.0);
}

#endif
