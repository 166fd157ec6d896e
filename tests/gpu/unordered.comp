/* Copies one level into the top left of the next, by storage images in GENERAL: a chain of these
 * needs a barrier between two, which test_validation.c leaves out. */
#version 460

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, rgba8) uniform readonly image2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    imageStore(target, at, imageLoad(source, at * ivec3(2, 2, 1)));
}
