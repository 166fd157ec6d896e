/* Counts the texels of two images, over all their levels and layers, that differ in a bit, and
 * keeps what is wrong with the one that is counted first. The decoded values of a texel are
 * compared as words: decoding maps different codes to different values. */
#version 460

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) uniform sampler2DArray got_image;
layout(set = 0, binding = 1) uniform sampler2DArray wanted_image;

/* As struct image_diff_report of image_diff.h. */
layout(set = 0, binding = 2, std430) buffer Report
{
    uint n_texels;
    uint tag;
    uint level, layer, x, y;
    uint got[4], wanted[4];
} report;

layout(push_constant) uniform Push
{
    uint tag;
};

/* x, y and level of the i-th texel of a layer, counted through its levels; level -1 past the
 * last. The sizes are computed: llvmpipe answers textureSize of all lanes for the level of the
 * first one. */
ivec3 find_texel(int i)
{
    ivec2 base = textureSize(got_image, 0).xy;
    int n_levels = textureQueryLevels(got_image);
    for (int level = 0; level < n_levels; level++) {
        ivec2 extent = max(base >> level, ivec2(1));
        if (i < extent.x * extent.y) {
            return ivec3(i % extent.x, i / extent.x, level);
        }
        i -= extent.x * extent.y;
    }
    return ivec3(0, 0, -1);
}

void main()
{
    ivec3 at = find_texel(int(gl_GlobalInvocationID.x));
    if (at.z < 0) {
        return;
    }
    ivec3 texel = ivec3(at.xy, gl_WorkGroupID.z);
    uvec4 got = floatBitsToUint(texelFetch(got_image, texel, at.z));
    uvec4 wanted = floatBitsToUint(texelFetch(wanted_image, texel, at.z));
    if (got != wanted && atomicAdd(report.n_texels, 1u) == 0u) {
        report.tag = tag;
        report.level = uint(at.z);
        report.layer = uint(texel.z);
        report.x = uint(at.x);
        report.y = uint(at.y);
        for (int i = 0; i < 4; i++) {
            report.got[i] = got[i];
            report.wanted[i] = wanted[i];
        }
    }
}
