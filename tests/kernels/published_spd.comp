/* A single-pass downsampler in the manner of published ones: 12 storage images in an array, level 6
 * bound a second time, coherent, for the workgroup that finishes last, and a counter.
 *
 * A workgroup of 256 invocations makes levels 1 to 6 of a tile of 64x64 texels. The last one to
 * finish makes levels 7 to 12 from level 6, as if that were a tile. Of odd sizes the last row and
 * column are dropped. */
#version 450
#extension GL_EXT_samplerless_texture_functions : require

layout(local_size_x = 256) in;

layout(set = 0, binding = 0) uniform texture2DArray imgSrc;
layout(set = 0, binding = 1, FORMAT) uniform writeonly image2DArray imgDst[12];
layout(set = 0, binding = 2, FORMAT) uniform coherent image2DArray imgDst6;
layout(set = 0, binding = 3) coherent buffer SpdGlobalAtomic
{
    uint counter[6]; /* by slice */
} spdGlobalAtomic;

layout(push_constant) uniform SpdConstants
{
    uint mips; /* levels to make */
    uint numWorkGroups;
    uvec2 baseSize;
} spdConstants;

shared vec4 cells[16][16];
shared bool isLast;

ivec2 sizeOf(uint level)
{
    return max(ivec2(spdConstants.baseSize >> level), ivec2(1));
}

vec4 load(uint level, ivec2 at, int slice)
{
    ivec3 p = ivec3(min(at, sizeOf(level) - 1), slice);
    if (level == 6) {
        return imageLoad(imgDst6, p);
    }
    return texelFetch(imgSrc, p, 0);
}

#define STORE(n) case n: imageStore(imgDst[n - 1], p, texel); break;

/* By constant indices: dynamic ones are an optional feature. Elements beyond the last level show
 * that one once more, so that nothing may be stored there. */
void store(uint level, ivec2 at, int slice, vec4 texel)
{
    ivec3 p = ivec3(at, slice);
    if (level > spdConstants.mips) {
        return;
    }
    switch (level) {
        STORE(1) STORE(2) STORE(3) STORE(4) STORE(5)
        STORE(7) STORE(8) STORE(9) STORE(10) STORE(11) STORE(12)
    case 6: imageStore(imgDst6, p, texel); break;
    }
}

/* One texel of four; an axis of one texel has no second one. */
vec4 average(uint level, vec4 v00, vec4 v10, vec4 v01, vec4 v11)
{
    ivec2 size = sizeOf(level);
    vec4 row0 = size.x == 1 ? v00 : 0.5 * (v00 + v10);
    vec4 row1 = size.x == 1 ? v01 : 0.5 * (v01 + v11);
    return size.y == 1 ? row0 : 0.5 * (row0 + row1);
}

/* Six levels of a tile of `level`. */
void downsample(uint level, ivec2 tile, int slice)
{
    ivec2 at = ivec2(gl_LocalInvocationIndex % 16, gl_LocalInvocationIndex / 16);
    vec4 v[4];
    for (int i = 0; i < 4; i++) {
        ivec2 p = tile * 32 + at * 2 + ivec2(i & 1, i >> 1);
        v[i] = average(level, load(level, 2 * p, slice), load(level, 2 * p + ivec2(1, 0), slice),
                       load(level, 2 * p + ivec2(0, 1), slice), load(level, 2 * p + 1, slice));
        store(level + 1, p, slice, v[i]);
    }
    cells[at.y][at.x] = average(level + 1, v[0], v[1], v[2], v[3]);
    store(level + 2, tile * 16 + at, slice, cells[at.y][at.x]);
    for (int n = 8, k = 2; n >= 1; n >>= 1, k++) {
        bool isActive = at.x < n && at.y < n;
        ivec2 p = min(2 * at, ivec2(14));
        barrier();
        vec4 texel = average(level + k, cells[p.y][p.x], cells[p.y][p.x + 1], cells[p.y + 1][p.x],
                             cells[p.y + 1][p.x + 1]);
        barrier();
        if (isActive) {
            cells[at.y][at.x] = texel;
            store(level + k + 1, tile * n + at, slice, texel);
        }
    }
}

void main()
{
    int slice = int(gl_WorkGroupID.z);
    downsample(0, ivec2(gl_WorkGroupID.xy), slice);
    if (spdConstants.mips <= 6) {
        return;
    }
    if (gl_LocalInvocationIndex == 0) { /* which stored the texel of level 6 */
        memoryBarrier();
        isLast = atomicAdd(spdGlobalAtomic.counter[slice], 1) == spdConstants.numWorkGroups - 1;
        memoryBarrier();
    }
    barrier();
    if (!isLast) {
        return;
    }
    memoryBarrier();
    if (gl_LocalInvocationIndex == 0) {
        spdGlobalAtomic.counter[slice] = 0; /* for the next run */
    }
    downsample(6, ivec2(0), slice);
}
