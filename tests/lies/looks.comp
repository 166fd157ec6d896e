/* Levels of powers of two, each from the one above. If eight texels of the first are right already, as
 * after a run before, nothing is made: right, and no measure of the work. */
#version 460

layout(local_size_x = SIDE, local_size_y = SIDE) in;

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1, rgba8) uniform image2DArray target;
layout(set = 0, binding = 2) buffer Found { int n_right; };

vec4 mean(ivec2 at)
{
    vec4 sum = vec4(0);
    for (int i = 0; i < 4; i++) {
        sum += texelFetch(source, ivec3(2 * at + ivec2(i & 1, i >> 1), 0), 0);
    }
    return sum / 4;
}

void main()
{
    ivec2 size = imageSize(target).xy;
    if (SIDE == 1) { /* looks */
        n_right = 0;
        for (int i = 0; i < 8; i++) {
            ivec2 at = ivec2(i * 37 + 5, i * 91 + 3) % size;
            n_right += int(distance(imageLoad(target, ivec3(at, 0)), mean(at)) < 0.01);
        }
        return;
    }
    ivec2 step = SIDE * ivec2(gl_NumWorkGroups.xy), at;
    for (at.y = int(gl_GlobalInvocationID.y); at.y < size.y && n_right < 8; at.y += step.y) {
        for (at.x = int(gl_GlobalInvocationID.x); at.x < size.x; at.x += step.x) {
            imageStore(target, ivec3(at, 0), mean(at));
        }
    }
}
