/* Loads texels of one level, and makes one texel of the next from 2x2 of them.
 *
 * The kernel that includes this declares
 *
 *     const bool LOAD_SAMPLER          one filtered fetch per 2x2 texels
 *     sampler2DArray source            the level, in the storage format
 *     ivec2 source_extent
 *     vec2 inv_source_extent           1 / source_extent, rounded once by the host */
#ifndef PAIR_GLSL
#define PAIR_GLSL

vec4 fetch(ivec2 at, int layer)
{
    return loaded(texelFetch(source, ivec3(min(at, source_extent - 1), layer), 0));
}

vec4 reduce_pair(ivec2 at, int layer)
{
    if (LOAD_SAMPLER) {
        vec2 corner = pair_corner(at, inv_source_extent);
        return loaded(textureLod(source, vec3(corner, layer), 0.0));
    }
    ivec2 p = 2 * at;
    return reduce_2x2(fetch(p, layer), fetch(p + ivec2(1, 0), layer),
                      fetch(p + ivec2(0, 1), layer), fetch(p + ivec2(1, 1), layer),
                      source_extent);
}

#endif
