/* Traffic on images, for the roofline: texel fetches and image stores. An invocation's items lie
 * one tile below the other. 32 invocations cover a block of 8x4 texels, since images are tiled:
 *
 *   workgroup of 128    0  1  ..  7 | 32 .. 39 | 64 .. 71 | 96 .. 103
 *                       8  9  .. 15 | 40 .. 47 | 72 ..    |
 *                      16     .. 23 |          |          |
 *                      24     .. 31 |          |          | .. 127
 *                      the next four blocks of 32 lie below
 *
 * A dispatch may make several passes: after the last layer, workgroups begin again at the first. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "noise.glsl"
#include "traffic.glsl"

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2DArray target;

layout(push_constant) uniform Push
{
    ivec2 n_texels;     /* of the smaller side: a third of the rows in mixed traffic */
    ivec2 tile;         /* per workgroup */
    int n_layers;
};

bool is_inside(ivec2 at)
{
    return all(lessThan(at, n_texels));
}

/* Rows below the image repeat the last row, so that fetches need no branch and overlap. */
vec4 fetch(ivec2 at, int n_rows, int layer)
{
    return texelFetch(source, ivec3(min(at, ivec2(n_texels.x, n_rows) - 1), layer), 0);
}

void write_texels(ivec2 first, int layer)
{
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        ivec2 at = first + ivec2(0, int(k) * tile.y);
        if (is_inside(at)) {
            uint index = uint((layer * n_texels.y + at.y) * n_texels.x + at.x);
            imageStore(target, ivec3(at, layer), noise_color(index));
        }
    }
}

/* Makes one row from three. Minimum and maximum depend on all three texels without rounding. */
void mix_texels(ivec2 first, int layer)
{
    vec4 a[MAX_ITEMS], b[MAX_ITEMS], c[MAX_ITEMS];
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        ivec2 at = (first + ivec2(0, int(k) * tile.y)) * ivec2(1, 3);
        a[k] = fetch(at, 3 * n_texels.y, layer);
        b[k] = fetch(at + ivec2(0, 1), 3 * n_texels.y, layer);
        c[k] = fetch(at + ivec2(0, 2), 3 * n_texels.y, layer);
    }
    [[unroll]] for (uint k = 0u; k < N_ITEMS; k++) {
        ivec2 at = first + ivec2(0, int(k) * tile.y);
        if (is_inside(at)) {
            imageStore(target, ivec3(at, layer), max(a[k], min(b[k], c[k])));
        }
    }
}

void main()
{
    int lane = int(gl_LocalInvocationID.x);
    int block = lane >> 5;
    ivec2 in_block = ivec2(lane & 7, (lane >> 3) & 3);
    ivec2 in_tile = in_block + ivec2(8 * (block & 3), 4 * (block >> 2));
    ivec2 first = ivec2(gl_WorkGroupID.xy) * tile * ivec2(1, int(N_ITEMS)) + in_tile;
    int layer = int(gl_WorkGroupID.z) % n_layers;
    if (TRAFFIC == TRAFFIC_FILL) {
        write_texels(first, layer);
    } else {
        mix_texels(first, layer);
    }
}
