/* How texels along one axis are reduced to one: three where the axis is odd (box.glsl), else two. */
#ifndef REDUCE_GLSL
#define REDUCE_GLSL
#include "texel.glsl"

/* Along an axis, the weights of the texels 2x, 2x + 1 and 2x + 2; those of the first and the last change
 * from one x to the next, if the size is odd. An axis of one texel, of a narrow image, weighs nothing else.
 *
 * Of codes each is over that of the middle one, so that it needs no multiplication, and `scale` makes of
 * such a sum the average. Of floats, which may differ by any factor, they are exact but for their
 * last bit, and make averages by themselves. */
struct Axis {
    float first, change, middle, inv;
    vec2 scale; /* numerator, denominator */
};

Axis axis_of(int n)
{
    float half_n = float(n >> 1);
    if (n == 1) {
        return Axis(1.0, 0.0, 0.0, 1.0, vec2(1.0));
    }
    if (IS_FLOAT) {
        return (n & 1) == 0 ? Axis(0.5, 0.0, 0.5, 1.0, vec2(1.0))
                            : Axis(half_n, 1.0, half_n, 1.0 / float(n), vec2(1.0));
    }
    return (n & 1) == 0 ? Axis(1.0, 0.0, 1.0, 1.0, vec2(1.0, 2.0))
                        : Axis(1.0, 1.0 / half_n, 1.0, 1.0, vec2(half_n, n));
}

vec3 weights_of(Axis axis, float at)
{
    vec3 weights = vec3(fma(-axis.change, at, axis.first), axis.middle,
                        fma(axis.change, at, axis.change));
    return IS_FLOAT ? weights * axis.inv : weights;
}

/* What makes averages of sums: of minima and maxima nothing does. */
float scale_of(vec2 scale)
{
    return REDUCE == REDUCE_AVG ? scale.x / scale.y : 1.0;
}

TEXEL extreme(TEXEL a, TEXEL b)
{
    return REDUCE == REDUCE_MIN ? min(a, b) : max(a, b);
}

/* Of the texels that a kernel has of what is beyond the edge, extremes take no notice: they are again
 * those at the edge. */
TEXEL reduce_taps(bool is_odd, vec3 weights, TEXEL a, TEXEL b, TEXEL c)
{
    if (REDUCE != REDUCE_AVG) {
        return is_odd ? extreme(extreme(a, b), c) : extreme(a, b);
    }
    if (!is_odd && !IS_NARROW) {
        return IS_FLOAT ? fma(TEXEL(0.5), a, 0.5 * b) : a + b;
    }
    TEXEL sum;
    if (IS_FLOAT) {
        sum = fma(TEXEL(weights.x), a, weights.y * b);
        if (IS_NARROW && weights.y == 0.0) {
            sum = a;
        }
    } else {
        sum = fma(TEXEL(weights.x), a, IS_NARROW ? weights.y * b : b);
    }
    if (!is_odd) {
        return sum;
    }
    return IS_FLOAT && IS_NARROW && weights.z == 0.0 ? sum : fma(TEXEL(weights.z), c, sum);
}

/* What part of a texel a tile has, of taps that may be another's: those have no weight. */
TEXEL reduce_part(vec3 weights, TEXEL a, TEXEL b, TEXEL c)
{
    if (REDUCE != REDUCE_AVG) {
        TEXEL part = weights.x > 0.0 ? a : weights.y > 0.0 ? b : c;
        part = weights.y > 0.0 ? extreme(part, b) : part;
        return weights.z > 0.0 ? extreme(part, c) : part;
    }
    if (!IS_FLOAT) {
        return fma(TEXEL(weights.x), a, fma(TEXEL(weights.y), b, weights.z * c));
    }
    TEXEL part = weights.x > 0.0 ? weights.x * a : TEXEL(0.0);
    part = weights.y > 0.0 ? fma(TEXEL(weights.y), b, part) : part;
    return weights.z > 0.0 ? fma(TEXEL(weights.z), c, part) : part;
}

TEXEL join_parts(TEXEL a, TEXEL b)
{
    return REDUCE == REDUCE_AVG ? a + b : extreme(a, b);
}

#endif
