/* Every other texel, as if that were a mip chain: no policy describes it. */
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 64) in;

layout(set = 0, binding = 0) uniform texture2DArray chain; /* the levels made so far */
layout(set = 0, binding = 1) uniform writeonly image2DArray target;

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    imageStore(target, at, texelFetch(chain, ivec3(2 * at.xy, at.z), textureQueryLevels(chain) - 1));
}
