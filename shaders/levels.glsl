/* Sizes of mip levels and the 2x2 average, shared by the kernels.
 *
 * Level n+1 has max(1, size / 2) texels per axis. A level that is one texel wide has no right
 * neighbour: the average then counts its one column twice, which leaves it as it is. */
#ifndef LEVELS_GLSL
#define LEVELS_GLSL

ivec2 level_extent(ivec2 base, int level)
{
    return max(base >> level, ivec2(1));
}

/* Average of the 2x2 texels of a level of size `extent` that make one texel of the next:
 *     v00 v10
 *     v01 v11 */
vec4 average_2x2(vec4 v00, vec4 v10, vec4 v01, vec4 v11, ivec2 extent)
{
    if (extent.x == 1) {
        v10 = v00;
        v11 = v01;
    }
    if (extent.y == 1) {
        v01 = v00;
        v11 = v10;
    }
    return ((v00 + v10) + (v01 + v11)) * 0.25;
}

#endif
