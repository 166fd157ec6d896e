/* How texels along one axis are reduced to one: three where the axis is odd, else two.
 *
 * On an odd size n = 2m + 1 the box weighs three texels (Guthe and Heckbert, "Non-Power-of-Two Mipmap Creation",
 * NVIDIA 2005); texel x of the m below covers n / m of them:
 *
 *     texel    | 2x  | 2x+1 | 2x+2 |
 *     weight    m-x     m     x+1      each over n */
#ifndef REDUCE_GLSL
#define REDUCE_GLSL

/* Along an axis, what weighs the texels 2x, 2x + 1 and 2x + 2; of the first and the last it changes
 * from one x to the next, if the size is odd. An axis of one texel, of a narrow image, weighs nothing else.
 *
 * Of codes each is over that of the middle one, so that it needs no multiplication. Floats may differ by any
 * factor: theirs are whole numbers, which are exact, over the next power of two, so that sums do not overflow. `scales`
 * make averages of such sums: of codes of all levels above at once, of floats level by level. */
struct Axis {
    float first, change, middle;
};

Axis axis_of(int n)
{
    float half_n = float(n >> 1);
    if (n == 1) {
        return Axis(1.0, 0.0, 0.0);
    }
    if ((n & 1) == 0) {
        return IS_FLOAT32 ? Axis(0.5, 0.0, 0.5) : Axis(1.0, 0.0, 1.0);
    }
    float unit = uintBitsToFloat(126 - findMSB(n) << 23); /* 2^-k, where 2^k is above n */
    return IS_FLOAT ? Axis(half_n * unit, unit, half_n * unit) : Axis(1.0, 1.0 / half_n, 1.0);
}

vec3 weights_of(Axis axis, float at)
{
    return vec3(fma(-axis.change, at, axis.first), axis.middle, fma(axis.change, at, axis.change));
}

/* What makes averages of a level's texels as the next level weighs them. */
float scale_of_carried(float scale)
{
    return IS_FLOAT ? 1.0 : scale;
}

#ifdef ALPHA
TEXEL average_of_floats(bool is_odd, bool is_first, vec3 weights, TEXEL a, TEXEL b, TEXEL c, float scale)
{
    TEXEL outer = weights.x * a;
    outer = is_odd ? add_weighed(weights.z, c, outer) : outer;
    return scale * add_weighed(weights.y, b, outer);
}
#else
/* A sum, and what rounding has taken from it: Knuth's two-sum (The Art of Computer Programming 2, 4.2.2,
 * theorem B), and of the second term, a product, what fma() finds. */
void add_product(inout TEXEL sum, inout TEXEL lost, float weight, TEXEL texel)
{
    precise TEXEL product = weight * texel;
    precise TEXEL total = sum + product;
    precise TEXEL added = total - sum;
    precise TEXEL rest = (sum - (total - added)) + (product - added);
    lost += rest + fma(TEXEL(weight), texel, -product);
    sum = total;
}

#if CHANNELS == 1
#define CHANNEL(texel, i) (texel)
#else
#define CHANNEL(texel, i) (texel)[i]
#endif

/* Whether the texels have one sign, so that no sum of them is small against its terms. */
bool have_one_sign(TEXEL a, TEXEL b, TEXEL c)
{
    uint differ = 0u;
    [[unroll]] for (int i = 0; i < CHANNELS; i++) {
        uvec3 bits = floatBitsToUint(vec3(CHANNEL(a, i), CHANNEL(b, i), CHANNEL(c, i)));
        differ |= (bits.x ^ bits.y) | (bits.x ^ bits.z);
    }
    return int(differ) >= 0;
}

/* The sum of weighed floats times `scale`. Averages have four ulp for all that rounds them. Where 32 bits are stored
 * that is the scale and the last product, and, of the first axis where terms have one sign, three roundings more: on
 * an H200 166 us in place of 202 for rgba32f of 4095x4095. */
TEXEL average_of_floats(bool is_odd, bool is_first, vec3 weights, TEXEL a, TEXEL b, TEXEL c, float scale)
{
    if (DROPPED_BITS > 0 || !IS_LEAN && is_first && have_one_sign(a, b, is_odd ? c : b)) {
        TEXEL outer = weights.x * a;
        outer = is_odd ? fma(TEXEL(weights.z), c, outer) : outer;
        return scale * fma(TEXEL(weights.y), b, outer);
    }
    precise TEXEL sum = weights.x * a;
    TEXEL lost = fma(TEXEL(weights.x), a, -sum);
    add_product(sum, lost, weights.y, b);
    if (is_odd) {
        add_product(sum, lost, weights.z, c);
    }
    return mix(fma(TEXEL(scale), sum, scale * lost), sum, isinf(sum));
}
#endif

TEXEL join_two(TEXEL a, TEXEL b)
{
    return REDUCE == REDUCE_AVG ? a + b : extreme(a, b);
}

/* Of an even axis. The sum, or where that could overflow the mean: precise, as compilers halve the sum. */
TEXEL join_taps(TEXEL a, TEXEL b)
{
#ifndef ALPHA
    if (REDUCE == REDUCE_AVG && IS_FLOAT32) {
        precise TEXEL half_of_b = 0.5 * b;
        precise TEXEL mean = fma(TEXEL(0.5), a, half_of_b);
        return mean;
    }
#endif
    return join_two(a, b);
}

/* Of the texels that a kernel has of what is beyond the edge, extremes take no notice: they are again
 * those at the edge. */
TEXEL reduce_taps(bool is_odd, vec3 weights, TEXEL a, TEXEL b, TEXEL c)
{
    if (REDUCE != REDUCE_AVG) {
        return is_odd ? extreme(extreme(a, b), c) : extreme(a, b);
    }
    if (!is_odd && !IS_NARROW) {
        return join_taps(a, b);
    }
    if (IS_FLOAT && IS_NARROW && weights.y == 0.0) {
        return a; /* no product of infinity and zero */
    }
    if (IS_FLOAT) {
        return average_of_floats(is_odd, true, weights, a, b, c, 1.0);
    }
    TEXEL sum = add_weighed(weights.x, a, IS_NARROW ? weights.y * b : b);
    return is_odd ? add_weighed(weights.z, c, sum) : sum;
}

/* The second axis of two: a level's texels as the next level weighs them. */
TEXEL reduce_last(bool is_odd, vec3 weights, TEXEL a, TEXEL b, TEXEL c, float scale)
{
    if (!IS_FLOAT || REDUCE != REDUCE_AVG) {
        return reduce_taps(is_odd, weights, a, b, c);
    }
    if (IS_NARROW && weights.y == 0.0) {
        return scale * a; /* no product of infinity and zero */
    }
    return average_of_floats(is_odd, false, weights, a, b, c, scale);
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

#endif
