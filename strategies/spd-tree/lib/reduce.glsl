/* How texels along one axis are reduced to one: three where the axis is odd, else two.
 *
 * On an odd size n = 2m + 1 the box weighs three texels (Guthe and Heckbert, "Non-Power-of-Two Mipmap Creation",
 * NVIDIA 2005); texel x of the m below covers n / m of them:
 *
 *     texel    | 2x  | 2x+1 | 2x+2 |
 *     weight    m-x     m     x+1      each over n */

/* Along an axis, what weighs the texels 2x, 2x + 1 and 2x + 2. If the size is odd the first and the last change
 * from one x to the next. Even rows are weighed as the last two of three, since strips bring the first along
 * (strips.glsl); even columns as the first two.
 *
 * Of codes each is over that of the middle one, so that it needs no multiplication. Floats may differ by any
 * factor: theirs are whole numbers, which are exact, over the next power of two, so that sums do not overflow. `scales`
 * make averages of such sums: of codes of all levels above at once, of floats level by level. */
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

/* An axis whose even sizes are weighed as the last two of three, and a single texel as the middle one. */
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

/* What makes averages of a level's texels as the next level weighs them. */
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
/* A sum, and what rounding has taken from it: Knuth's two-sum (The Art of Computer Programming 2, 4.2.2,
 * theorem B), and of the second term, a product, what fma() finds. */
void add_product(inout TEXEL sum, inout TEXEL lost, const float weight, const TEXEL texel)
{
    precise TEXEL product = weight * texel;
    precise TEXEL total = sum + product;
    precise TEXEL added = total - sum;
    precise TEXEL rest = (sum - (total - added)) + (product - added);
    lost += rest + fma(TEXEL(weight), texel, -product);
    sum = total;
}

/* Whether the texels have one sign, so that no sum of them is small against its terms. */
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

/* Of three taps: which are there besides the middle one. */
struct Has {
    bool first, last;
};

/* The sum of weighed floats times `scale`; a tap that is not there may be infinite. Averages have four ulp for all
 * that rounds them. Where 32 bits are stored that is the scale and the last product, and, of the first axis where
 * terms have one sign, three roundings more: on an H200 166 us in place of 202 for rgba32f of 4095x4095. */
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
        outer = add_weighed(weights.z, c, outer);
    }
    return scale * add_weighed(weights.y, b, outer);
}

TEXEL join_two(const TEXEL a, const TEXEL b)
{
    return IS_EXTREME ? extreme(a, b) : a + b;
}

/* Of an even axis. The sum, or where that could overflow the mean: precise, as compilers halve the sum. */
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

/* Three taps of which `has` says which are there. Of texels beyond the edge, which are again those at the edge,
 * extremes take no notice. */
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
    /* A weight of zero leaves out what is not there: codes are finite. */
    return add_weighed(weights.z, c, add_weighed(weights.x, a, b));
}

#ifndef EVEN
/* Columns: the first two of three, or all; one by itself is left as it is. `scale` is of the second axis of two. */
TEXEL reduce_columns(const Axis axis, const bool is_first_axis, const vec3 weights, const TEXEL a, const TEXEL b,
                     const TEXEL c, const float scale)
{
    if (!GENERAL && is_first_axis) {
        return join_taps(a, b);
    }
    if (!GENERAL) {
        return reduce_taps(Has(true, false), false, weights, a, b, b, scale);
    }
    /* Of level 0, the first axis, the sampler repeats it. */
    [[dont_flatten]] if (!is_first_axis && axis.is_single) {
        return IS_FLOAT && !IS_EXTREME ? scale * a : a;
    }
    return reduce_taps(Has(true, axis.is_odd), is_first_axis, weights, a, b, c, scale);
}

/* Rows: the last two of three, or all. */
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

/* What part of a texel a tile has, of taps that may be another's: those have no weight. */
TEXEL reduce_part(const vec3 weights, const TEXEL a, const TEXEL b, const TEXEL c)
{
    if (IS_EXTREME) {
        TEXEL part = weights.x > 0.0 ? a : weights.y > 0.0 ? b : c;
        part = weights.y > 0.0 ? extreme(part, b) : part;
        return weights.z > 0.0 ? extreme(part, c) : part;
    }
    if (!IS_FLOAT) {
        return add_weighed(weights.x, a, add_weighed(weights.y, b, weights.z * c));
    }
    TEXEL part = TEXEL(0.0);
    if (weights.x > 0.0) {
        part = weights.x * a;
    }
    if (weights.y > 0.0) {
        part = add_weighed(weights.y, b, part);
    }
    if (weights.z > 0.0) {
        part = add_weighed(weights.z, c, part);
    }
    return part;
}
