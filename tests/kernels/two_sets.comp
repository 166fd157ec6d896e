/* Rows first, then columns, by way of a buffer that is known by its address; two descriptor sets. */
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 16, local_size_y = 16) in;

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Rows
{
    vec4 texel[];
};

layout(set = 0, binding = 0) uniform texture2DArray source;
layout(set = 1, binding = 0) uniform writeonly image2DArray target;

layout(push_constant) uniform Push
{
    Rows rows;
    ivec2 source_size;
    ivec2 size; /* of what is made: as wide as the target, and as high as the source or the target */
};

layout(constant_id = 0) const bool ALONG_X = true;

void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(at.xy, size))) {
        return;
    }
    int slice = at.z * source_size.y * size.x;
    if (ALONG_X) {
        int right = min(2 * at.x + 1, source_size.x - 1);
        rows.texel[slice + at.y * size.x + at.x] =
            0.5 * (texelFetch(source, ivec3(2 * at.x, at.yz), 0) +
                   texelFetch(source, ivec3(right, at.yz), 0));
    } else {
        int below = min(2 * at.y + 1, source_size.y - 1);
        imageStore(target, at, 0.5 * (rows.texel[slice + 2 * at.y * size.x + at.x] +
                                      rows.texel[slice + below * size.x + at.x]));
    }
}
