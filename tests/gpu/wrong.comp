/* A correct floor chain, one level per dispatch, with one defect on request. */
#version 460

layout(local_size_x = 8, local_size_y = 8) in;

layout(constant_id = 0) const int DEFECT = 0; /* enum defect of wrong_strategy.c */

const int SWAP = 2, UNWRITTEN = 3, BIAS = 4, HALF_BIAS = 5, TRUNCATE = 8;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

layout(push_constant) uniform Push
{
    ivec2 source_extent;
    int target_level;
};

vec4 fetch(ivec2 at, int layer)
{
    return texelFetch(source, ivec3(min(at, source_extent - 1), layer), 0);
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    int layer = int(gl_GlobalInvocationID.z);
    ivec2 p = 2 * at;
    vec4 texel = (fetch(p, layer) + fetch(p + ivec2(1, 0), layer) +
                  fetch(p + ivec2(0, 1), layer) + fetch(p + 1, layer)) / 4.0;
    if (DEFECT == SWAP && target_level == 2) {
        texel = texel.bgra;
    }
    if (DEFECT == UNWRITTEN && target_level == 1 && at == ivec2(3, 2)) {
        return;
    }
    if (DEFECT == BIAS) {
        texel += 1.0 / 255.0;
    }
    if (DEFECT == HALF_BIAS) {
        texel += 0.5 / 255.0;
    }
    if (DEFECT == TRUNCATE) {
        texel = floor(texel * 255.0 + 1e-3) / 255.0;
    }
    imageStore(target, ivec3(at, layer), texel);
}
