/* Hashes all levels of a chain but the first, in all layers. The bits of each texel are mixed with its
 * place, so that swapped texels change the hash. The mixed texels are summed, so their order does not
 * matter. A workgroup reads a tile of 32x32 texels; each invocation reads eight texels of a column:
 *
 *   128 invocations     0  1  ..  7 | 32 .. 39 | 64 .. 71 | 96 .. 103
 *                       8  9  .. 15 |          |          |
 *                      16     .. 23 |          |          |
 *                      24     .. 31 |          |          | .. 127
 *                      the other seven texels of each invocation lie below, four rows apart
 */
#version 460

layout(local_size_x = 128) in;

#define TILE    32
#define N_ITEMS 8

layout(set = 0, binding = 0) uniform sampler2DArray chain; /* without the first level */
layout(set = 0, binding = 1) restrict buffer Sums
{
    uint sums[]; /* two per slot */
};

layout(push_constant) uniform Push
{
    uint slot, n_levels, n_layers; /* levels without the first */
};

shared uint group_sum[2];

/* A bijection of 128 bits: Jarzynski and Olano, "Hash Functions for GPU Rendering", JCGT 2020, pcg4d. */
uvec4 mixed(uvec4 v)
{
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> 16;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

uvec2 hash_of(vec4 texel, uint place)
{
    uvec4 v = mixed(floatBitsToUint(texel) + place * uvec4(0x9e3779b1u, 0x85ebca77u, 0xc2b2ae3du, 0x27d4eb2fu));
    return v.xy ^ v.zw;
}

void main()
{
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint rest = group; /* index among the level's tiles, layer by layer */
    int level = 0;
    ivec2 size, n_tiles;
    for (; uint(level) < n_levels; level++) {
        size = textureSize(chain, level).xy;
        n_tiles = (size + TILE - 1) / TILE;
        uint n = uint(n_tiles.x * n_tiles.y) * n_layers;
        if (rest < n) {
            break;
        }
        rest -= n;
    }
    if (uint(level) == n_levels) {
        return; /* the grid may have more workgroups than tiles */
    }
    int lane = int(gl_LocalInvocationID.x);
    int tile = int(rest) % (n_tiles.x * n_tiles.y);
    int layer = int(rest) / (n_tiles.x * n_tiles.y);
    ivec2 at = TILE * ivec2(tile % n_tiles.x, tile / n_tiles.x) + ivec2((lane & 7) + 8 * (lane >> 5), (lane >> 3) & 3);
    uvec2 sum = uvec2(0u);
    for (int i = 0; i < N_ITEMS; i++) {
        if (all(lessThan(at, size))) {
            sum += hash_of(texelFetch(chain, ivec3(at, layer), level), (group * N_ITEMS + i) * 128u + lane);
        }
        at.y += 4;
    }
    if (lane == 0) {
        group_sum[0] = group_sum[1] = 0u;
    }
    barrier();
    atomicAdd(group_sum[0], sum.x);
    atomicAdd(group_sum[1], sum.y);
    barrier();
    if (lane == 0) {
        atomicAdd(sums[2u * slot], group_sum[0]);
        atomicAdd(sums[2u * slot + 1u], group_sum[1]);
    }
}
