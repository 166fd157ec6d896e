/* A floor chain, one level and layer per dispatch, whose workgroups take tickets for their tiles. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_KHR_shader_subgroup_basic : require
#include "levels.glsl"
#include "ticket.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint SUBGROUP_SIZE = 1;

/* Where the four texels of one are; with no defaults that would do. */
layout(constant_id = 3) const int X00 = 0;
layout(constant_id = 4) const int Y00 = 0;
layout(constant_id = 5) const int X10 = 0;
layout(constant_id = 6) const int Y10 = 0;
layout(constant_id = 7) const int X01 = 0;
layout(constant_id = 8) const int Y01 = 0;
layout(constant_id = 9) const int X11 = 0;
layout(constant_id = 20) const int Y11 = 0;

layout(set = 0, binding = 0) uniform sampler nearest;
layout(set = 0, binding = 1) uniform texture2D source;
layout(set = 1, binding = 0) uniform writeonly image2DArray targets[N_TARGETS]; /* [0]: level 1 */

layout(buffer_reference, std430) readonly buffer Extents
{
    ivec2 of_level[];
};

layout(push_constant) uniform Push
{
    Extents extents;
    int level, layer, counter;
    uint n_groups_x, n_groups;
};

vec4 fetch(ivec2 at, ivec2 extent)
{
    vec2 place = (vec2(min(at, extent - 1)) + 0.5) / vec2(extent);
    return loaded(textureLod(sampler2D(source, nearest), place, 0.0));
}

/* By constants: not every device has shaderStorageImageArrayDynamicIndexing. */
#define STORE(n)                                                                                   \
    case n:                                                                                        \
        imageStore(targets[n], at, texel);                                                         \
        break;
void store(ivec3 at, vec4 texel)
{
    switch (level) {
        STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7)
        STORE(8) STORE(9) STORE(10) STORE(11) STORE(12) STORE(13) STORE(14)
    }
}

void main()
{
    const uint group = take_ticket(counter, n_groups);
    const ivec2 tile = ivec2(group % n_groups_x, group / n_groups_x);
    const ivec2 at = tile * ivec2(gl_WorkGroupSize.xy) + ivec2(gl_LocalInvocationID.xy);
    const ivec2 extent = extents.of_level[level];
    if (gl_SubgroupSize != SUBGROUP_SIZE || any(greaterThanEqual(at, extents.of_level[level + 1]))) {
        return;
    }
    vec4 texel = reduce_2x2(fetch(2 * at + ivec2(X00, Y00), extent), fetch(2 * at + ivec2(X10, Y10), extent),
                            fetch(2 * at + ivec2(X01, Y01), extent), fetch(2 * at + ivec2(X11, Y11), extent),
                            extent);
    store(ivec3(at, layer), rounded(texel));
}
