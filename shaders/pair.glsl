/* Loading texels of one level, and one texel of the next from 2x2 of them.
 *
 * The kernel that includes this has declared
 *     const bool LOAD_SAMPLER          one fetch of the filter for 2x2 texels
 *     sampler2DArray source            the level, in the storage format
 *     ivec2 source_extent
 *     vec2 inv_source_extent           1 / source_extent, rounded once by the host */
#ifndef PAIR_GLSL
#define PAIR_GLSL

vec4 fetch(ivec2 at, int layer)
{
    return loaded(texelFetch(source, ivec3(min(at, source_extent - 1), layer), 0));
}

/* Where 2x2 texels meet; on an axis of one texel its middle, which no edge has a part in. */
vec2 corner_of(ivec2 at, vec2 inv_extent)
{
    return min(vec2(2 * at + 1) * inv_extent, 1.0 - 0.5 * inv_extent);
}

vec4 reduce_pair(ivec2 at, int layer)
{
    if (LOAD_SAMPLER) {
        vec2 corner = corner_of(at, inv_source_extent);
        return loaded(textureLod(source, vec3(corner, layer), 0.0));
    }
    ivec2 p = 2 * at;
    return reduce_2x2(fetch(p, layer), fetch(p + ivec2(1, 0), layer),
                      fetch(p + ivec2(0, 1), layer), fetch(p + ivec2(1, 1), layer),
                      source_extent);
}

#endif
