// The macros that nvpro_pyramid.glsl asks for, for formats that are stored as they are, and for
// averages, minima and maxima. What is summed is as in NVIDIA's own preamble for sRGB.
layout(set = 0, binding = 0) uniform sampler2D chain;
layout(set = 1, binding = 0, FORMAT) uniform writeonly image2D levels[16];

#define NVPRO_PYRAMID_TYPE vec4
#define NVPRO_PYRAMID_LOAD(coord, level, out_) out_ = texelFetch(chain, coord, level)
#define NVPRO_PYRAMID_STORE(coord, level, in_) imageStore(levels[level], coord, in_)
#define NVPRO_PYRAMID_LEVEL_SIZE(level) imageSize(levels[level])

#if REDUCE == 0
#define NVPRO_PYRAMID_REDUCE(a0, v0, a1, v1, a2, v2, out_) out_ = a0 * v0 + a1 * v1 + a2 * v2
#define NVPRO_PYRAMID_REDUCE2(v0, v1, out_) out_ = 0.5 * (v0 + v1)
#define NVPRO_PYRAMID_REDUCE4(v00, v01, v10, v11, out_) out_ = 0.25 * ((v00 + v01) + (v10 + v11))
#else
#if REDUCE == 1
#define PICK min
#else
#define PICK max
#endif
// What weighs nothing is not part of the texel.
#define NVPRO_PYRAMID_REDUCE(a0, v0, a1, v1, a2, v2, out_) \
    out_ = PICK(v1, PICK((a0) > 0.0 ? v0 : v1, (a2) > 0.0 ? v2 : v1))
#define NVPRO_PYRAMID_REDUCE2(v0, v1, out_) out_ = PICK(v0, v1)
#define NVPRO_PYRAMID_REDUCE4(v00, v01, v10, v11, out_) out_ = PICK(PICK(v00, v01), PICK(v10, v11))
#endif

#if USE_BILINEAR_SAMPLING
void loadReduce4(in ivec2 coord, in int level, out vec4 sum)
{
    sum = textureLod(chain, (vec2(coord) + 1.0) / vec2(imageSize(levels[level])), level);
}
#define NVPRO_PYRAMID_LOAD_REDUCE4 loadReduce4
#endif
