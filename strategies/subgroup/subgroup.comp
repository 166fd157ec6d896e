/* Up to five levels per dispatch by subgroup shuffles; after stripe2933/mipmap.
 *
 * A workgroup of 256 invocations reduces a 32x32 tile of the source level. Each invocation
 * joins 2x2 texels of it. The results are in Z-order, so that four, sixteen and sixty-four
 * consecutive indices are square blocks:
 *
 *     00 01 04 05 10 ..       index ^ 1: the texel beside     (mask 1)
 *     02 03 06 07 12 ..       index ^ 2: the texel below
 *     08 09 0c 0d 18 ..       index ^ 3: the texel across
 *     0a 0b 0e 0f 1a ..       the same with 4, 8, 12 one level further down, and so on
 *
 * This way a subgroup of 4 or 8 lanes makes one further level; 16 or 32 lanes make two levels,
 * 64 or 128 lanes three. The first lane of each block then puts its texel into shared memory,
 * and as many invocations as there are texels continue. Floor policy: texels 2x and 2x+1.
 *
 * BOX_LEVEL makes a single level by the box policy: where an axis is odd, texels two levels
 * down cover parts of three texels, which no square block of lanes holds. */
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "levels.glsl"

layout(local_size_x = 256) in;

layout(constant_id = 0) const uint SUBGROUP_SIZE = 32;
layout(constant_id = 1) const bool LOAD_SAMPLER = false; /* one fetch per 2x2 texels */
layout(constant_id = 2) const bool BOX_LEVEL = false;    /* one level, of odd sizes */

layout(set = 0, binding = 0) uniform sampler2DArray source;
layout(set = 0, binding = 1) uniform writeonly image2DArray targets[5];

layout(push_constant) uniform Push
{
    ivec4 affected; /* of an update, in the first target: first (x, y) and last (z, w) texel */
    ivec2 source_extent;
    vec2 inv_source_extent;
    ivec2 first_tile;
    int n_targets; /* levels to make, 1 to 5 */
};

/* The number of levels that one subgroup can make by shuffles. */
const int LEVELS_PER_SUBGROUP = SUBGROUP_SIZE >= 64 ? 3 : SUBGROUP_SIZE >= 16 ? 2 : 1;

/* Holds the texels of all exchanges, at most 64, 16 and 4, each in cells of its own, so that no
 * cell is overwritten while it may still be read. */
shared vec4 cells[64 + 16 + 4];

/* Z-order: even bits are x, odd bits are y. */
ivec2 place(uint index)
{
    uint x = index & 1u | index >> 1 & 2u | index >> 2 & 4u | index >> 3 & 8u;
    uint y = index >> 1 & 1u | index >> 2 & 2u | index >> 3 & 4u | index >> 4 & 8u;
    return ivec2(x, y);
}

/* Texel `at` of the level that is `step` below the source. */
void store(int step, ivec2 at, int layer, vec4 texel)
{
    ivec3 p = ivec3(at, layer);
    if (IS_UPDATE && !depends_on(affected, step - 1, at)) {
        return;
    }
    texel = rounded(texel);
    switch (step) {
    case 1: imageStore(targets[0], p, texel); break;
    case 2: imageStore(targets[1], p, texel); break;
    case 3: imageStore(targets[2], p, texel); break;
    case 4: imageStore(targets[3], p, texel); break;
    case 5: imageStore(targets[4], p, texel); break;
    }
}

vec4 fetch(ivec2 at, int layer)
{
    return loaded(texelFetch(source, ivec3(min(at, source_extent - 1), layer), 0));
}

#include "box.glsl"

vec4 reduce_source(ivec2 at, int layer)
{
    if (BOX_LEVEL) {
        return reduce_box(at, source_extent, inv_source_extent, layer);
    }
    if (LOAD_SAMPLER) {
        vec2 corner = pair_corner(at, inv_source_extent);
        return loaded(textureLod(source, vec3(corner, layer), 0.0));
    }
    ivec2 p = 2 * at;
    return reduce_2x2(fetch(p, layer), fetch(p + ivec2(1, 0), layer),
                      fetch(p + ivec2(0, 1), layer), fetch(p + ivec2(1, 1), layer),
                      source_extent);
}

Joined shuffled(Joined own, uint mask)
{
    return Joined(subgroupShuffleXor(own.straight, mask),
                  WEIGH_ALPHA ? subgroupShuffleXor(own.weighted, mask) : vec3(0.0));
}

/* Reduces the block of lanes whose indices differ in two bits; valid in the block's first lane.
 * Reducing rows first takes two shuffles instead of three. */
vec4 reduce_lanes(vec4 texel, uint mask, ivec2 extent)
{
    Joined own = joined_of(texel);
    Joined row = join(own, is_narrow(extent.x) ? own : shuffled(own, mask));
    Joined block = join(row, is_narrow(extent.y) ? row : shuffled(row, mask << 1));
    return texel_of(block, 0.25);
}

void main()
{
    ivec2 tile = ivec2(gl_WorkGroupID.xy) + first_tile;
    int layer = int(gl_WorkGroupID.z);
    uint index = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;

    ivec2 at = tile * 16 + place(index);
    vec4 texel = reduce_source(at, layer);
    store(1, at, layer, texel);

    uint n_texels = 256u; /* texels of level `step` in this workgroup, one per index */
    uint first_cell = 0u;
    for (int step = 1; step < n_targets; step += LEVELS_PER_SUBGROUP) {
        if (index < n_texels) {
            for (int k = 0; k < LEVELS_PER_SUBGROUP && step + k < n_targets; k++) {
                texel = reduce_lanes(texel, 1u << 2 * k,
                                     level_extent(source_extent, step + k));
                if ((index & (4u << 2 * k) - 1u) == 0u) {
                    ivec2 block = place(index >> 2 * (k + 1));
                    store(step + k + 1, tile * (16 >> step + k) + block, layer, texel);
                }
            }
        }
        if (step + LEVELS_PER_SUBGROUP >= n_targets) {
            break;
        }
        uint shift = uint(2 * LEVELS_PER_SUBGROUP);
        if (index < n_texels && (index & (1u << shift) - 1u) == 0u) {
            cells[first_cell + (index >> shift)] = texel;
        }
        barrier();
        n_texels >>= shift;
        if (index < n_texels) {
            texel = cells[first_cell + index];
        }
        first_cell += n_texels;
    }
}
