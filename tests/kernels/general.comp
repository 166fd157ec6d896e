/* Level by level from storage images, level 0 included, which is in GENERAL then. */
#version 450

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, FORMAT) uniform readonly image2D source;
layout(set = 0, binding = 1, FORMAT) uniform writeonly image2D target;

void main()
{
    ivec2 at = 2 * ivec2(gl_GlobalInvocationID), last = imageSize(source) - 1;
    vec4 row0 = imageLoad(source, at) + imageLoad(source, ivec2(min(at.x + 1, last.x), at.y));
    vec4 row1 = imageLoad(source, ivec2(at.x, min(at.y + 1, last.y))) + imageLoad(source, min(at + 1, last));
    imageStore(target, at / 2, 0.25 * (row0 + row1));
}
