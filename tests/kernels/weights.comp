/* Four weights, and what is to be made of them, from a uniform buffer that changes by step. */
#version 450

layout(local_size_x = 16, local_size_y = 4) in;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;
layout(set = 0, binding = 2, std140) uniform Filter
{
    vec4 tint;
    float weight[4];
    mat3x2 by_column;
    layout(row_major) mat3x2 by_row;
    ivec2 last; /* texel of the source */
    bool is_straight;
};

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    vec4 sum = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        vec3 corner = vec3(i & 1, i >> 1, 1);
        ivec2 p = min(2 * at.xy + ivec2(0.5 * (by_column * corner + by_row * corner)), last);
        sum += weight[i] * texelFetch(source, ivec3(p, at.z), 0);
    }
    imageStore(target, at, is_straight ? sum : sum * tint);
}
