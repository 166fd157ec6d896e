/* How texels along one axis are reduced to one: three where the axis is odd, otherwise two.
 *
 * On an odd size n = 2m + 1 the box weights three texels (Guthe and Heckbert, "Non-Power-of-Two Mipmap Creation",
 * NVIDIA 2005); texel x of the m in the next level covers n / m texels:
 *
 *     texel    | 2x  | 2x+1 | 2x+2 |
 *     weight    m-x     m     x+1      each over n */

/* The weights of texels 2x, 2x + 1 and 2x + 2 along an axis. On an odd size the first and last change with x. Even
 * sizes use two of the three: the last two for rows, since strips keep the first (strips.glsl), or the first two for
 * columns.
 *
 * Weights of codes are relative to the middle one, which then needs no multiplication. Floats may differ by any factor,
 * so their weights are exact: integers over the next power of two, so that sums do not overflow. `scales` turn sums
 * into averages: for codes once for all levels above, for floats at every level. */
struct Axis {
    float first, change, middle, last;
    bool is_odd, is_single;
};

Axis axis_of(const int n)
{
    float half_n = float(n >> 1), pair = IS_FLOAT32 ? 0.5 : 1.0;
    float unit = uintBitsToFloat(126 - findMSB(n) << 23); /* 2^-k, where 2^k is above n */
    if (n == 1) {
        return Axis(1.0, 0.0, 0.0, 0.0, false, true);
    }
    if ((n & 1) == 0) {
        return Axis(pair, 0.0, pair, 0.0, false, false);
    }
    return IS_FLOAT ? Axis(half_n * unit, unit, half_n * unit, unit, true, false)
                    : Axis(1.0, 1.0 / half_n, 1.0, 1.0 / half_n, true, false);
}

/* The axis of rows: even sizes use the last two of three weights, a single texel the middle one. */
Axis row_axis_of(const int n)
{
    Axis axis = axis_of(n);
    if (!axis.is_odd) {
        axis.last = axis.is_single ? 0.0 : axis.middle;
        axis.middle = axis.is_single ? 1.0 : axis.middle;
        axis.first = 0.0;
    }
    return axis;
}

vec3 weights_of(const Axis axis, const float at)
{
    return vec3(fma(-axis.change, at, axis.first), axis.middle, fma(axis.change, at, axis.last));
}

/* The factor that turns a level's texels, as the next level reads them, into averages. */
float scale_of_carried(const float scale)
{
    return IS_FLOAT ? 1.0 : scale;
}

#if CHANNELS == 1
#define CHANNEL(texel, i) (texel)
#else
#define CHANNEL(texel, i) (texel)[i]
#endif

#ifndef ALPHA
/* Adds a product and keeps what rounding loses. Knuth's two-sum (The Art of Computer Programming 2, 4.2.2, theorem B)
 * finds the loss of the sum, fma() that of the product. */
void add_product(inout TEXEL sum, inout TEXEL lost, const float weight, const TEXEL texel)
{
    precise TEXEL product = weight * texel;
    precise TEXEL total = sum + product;
    precise TEXEL added = total - sum;
    precise TEXEL rest = (sum - (total - added)) + (product - added);
    lost += rest + fma(TEXEL(weight), texel, -product);
    sum = total;
}

/* Whether the texels have the same sign, so that their sum is not small compared to its terms. */
bool have_one_sign(const TEXEL a, const TEXEL b, const TEXEL c)
{
    uint differ = 0u;
    [[unroll]] for (int i = 0; i < CHANNELS; i++) {
        uvec3 bits = floatBitsToUint(vec3(CHANNEL(a, i), CHANNEL(b, i), CHANNEL(c, i)));
        differ |= (bits.x ^ bits.y) | (bits.x ^ bits.z);
    }
    return int(differ) >= 0;
}
#endif

/* Which of the two outer taps exist; the middle tap always does. */
struct Has {
    bool first, last;
};

/* The sum of weighted floats times `scale`; an absent tap may be infinite. Averages may be off by four ulp in all. With
 * 32-bit floats, rounding the scale and the last product uses up some of that; on the first axis, where terms have the
 * same sign, three more roundings are allowed: 166 us instead of 202 for rgba32f at 4095x4095 on an H200. */
TEXEL average_of_floats(const Has has, const bool is_first_axis, const vec3 weights, const TEXEL a, const TEXEL b,
                        const TEXEL c, const float scale)
{
#ifndef ALPHA
    bool is_short = DROPPED_BITS > 0 ||
                    !IS_LEAN && is_first_axis && have_one_sign(has.first ? a : b, b, has.last ? c : b);
    if (!is_short) {
        precise TEXEL sum = TEXEL(0.0);
        TEXEL lost = TEXEL(0.0);
        if (has.first) {
            sum = weights.x * a;
            lost = fma(TEXEL(weights.x), a, -sum);
        }
        add_product(sum, lost, weights.y, b);
        if (has.last) {
            add_product(sum, lost, weights.z, c);
        }
        return mix(fma(TEXEL(scale), sum, scale * lost), sum, isinf(sum));
    }
#endif
    TEXEL outer = TEXEL(0.0);
    if (has.first) {
        outer = weights.x * a;
    }
    if (has.last) {
        outer = add_weighted(weights.z, c, outer);
    }
    return scale * add_weighted(weights.y, b, outer);
}

TEXEL join_two(const TEXEL a, const TEXEL b)
{
    return IS_EXTREME ? extreme(a, b) : a + b;
}

/* Joins two taps of an even axis: returns their sum or, if that could overflow, their mean. The mean is precise,
 * because compilers would otherwise halve the sum. */
TEXEL join_taps(const TEXEL a, const TEXEL b)
{
#ifndef ALPHA
    if (!IS_EXTREME && IS_FLOAT32) {
        precise TEXEL half_of_b = 0.5 * b;
        precise TEXEL mean = fma(TEXEL(0.5), a, half_of_b);
        return mean;
    }
#endif
    return join_two(a, b);
}

/* Reduces the taps that `has` lists. Extremes ignore texels beyond the edge, which repeat those at the edge. */
TEXEL reduce_taps(const Has has, const bool is_first_axis, const vec3 weights, const TEXEL a, const TEXEL b,
                  const TEXEL c, const float scale)
{
    if (IS_EXTREME) {
        TEXEL most = b;
        if (has.first) {
            most = extreme(most, a);
        }
        if (has.last) {
            most = extreme(most, c);
        }
        return most;
    }
    if (IS_FLOAT) {
        return average_of_floats(has, is_first_axis, weights, a, b, c, scale);
    }
    /* A weight of zero drops an absent tap: codes are finite. */
    return add_weighted(weights.z, c, add_weighted(weights.x, a, b));
}

#ifndef EVEN
/* Reduces columns: the first two of three, or all; a single column is unchanged. `scale` applies to the second axis. */
TEXEL reduce_columns(const Axis axis, const bool is_first_axis, const vec3 weights, const TEXEL a, const TEXEL b,
                     const TEXEL c, const float scale)
{
    if (!GENERAL && is_first_axis) {
        return join_taps(a, b);
    }
    if (!GENERAL) {
        return reduce_taps(Has(true, false), false, weights, a, b, b, scale);
    }
    /* On level 0, which is the first axis, the sampler repeats a single column. */
    [[dont_flatten]] if (!is_first_axis && axis.is_single) {
        return IS_FLOAT && !IS_EXTREME ? scale * a : a;
    }
    return reduce_taps(Has(true, axis.is_odd), is_first_axis, weights, a, b, c, scale);
}

/* Reduces rows: the last two of three, or all. */
TEXEL reduce_rows(const Axis axis, const bool is_first_axis, const vec3 weights, const TEXEL a, const TEXEL b,
                  const TEXEL c, const float scale)
{
    if (!GENERAL && is_first_axis) {
        return join_taps(b, c);
    }
    Has has = Has(GENERAL && axis.is_odd, !GENERAL || !axis.is_single);
    return reduce_taps(has, is_first_axis, weights, a, b, c, scale);
}
#endif

/* A tile's partial of a texel. Taps that belong to other tiles have weight 0. */
TEXEL reduce_partial(const vec3 weights, const TEXEL a, const TEXEL b, const TEXEL c)
{
    if (IS_EXTREME) {
        TEXEL part = weights.x > 0.0 ? a : weights.y > 0.0 ? b : c;
        part = weights.y > 0.0 ? extreme(part, b) : part;
        return weights.z > 0.0 ? extreme(part, c) : part;
    }
    if (!IS_FLOAT) {
        return add_weighted(weights.x, a, add_weighted(weights.y, b, weights.z * c));
    }
    TEXEL part = TEXEL(0.0);
    if (weights.x > 0.0) {
        part = weights.x * a;
    }
    if (weights.y > 0.0) {
        part = add_weighted(weights.y, b, part);
    }
    if (weights.z > 0.0) {
        part = add_weighted(weights.z, c, part);
    }
    return part;
}
