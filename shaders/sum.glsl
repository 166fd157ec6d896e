/* Weighted sums of texels, compensated for formats that would show their rounding. Include it
 * after levels.glsl. */
#ifndef SUM_GLSL
#define SUM_GLSL

/* A sum of weighted texels, and what rounding lost of the sum. Formats with all the bits of a
 * 32-bit float need `lost`: the last bits of six rounded sums may weigh twice those of their
 * quotient, more than 4 ulp in all. */
struct Sum {
    vec4 sum, lost;
};

bool is_compensated()
{
    return UNORM_MAX == 0.0 && DROPPED_BITS == 0;
}

/* Starts a sum with one product. fma() finds what rounding the product loses. */
Sum first_tap(float weight, vec4 texel)
{
    precise vec4 product = weight * texel;
    return Sum(product, is_compensated() ? fma(vec4(weight), texel, -product) : vec4(0.0));
}

/* Adds a product. Knuth's two-sum finds what rounding the sum loses (The Art of Computer
 * Programming 2, 4.2.2, theorem B). */
Sum add_tap(Sum sum, float weight, vec4 texel)
{
    if (!is_compensated()) {
        return Sum(fma(vec4(weight), texel, sum.sum), sum.lost);
    }
    Sum one = first_tap(weight, texel);
    precise vec4 total = sum.sum + one.sum;
    precise vec4 added = total - sum.sum;
    precise vec4 lost = (sum.sum - (total - added)) + (one.sum - added);
    return Sum(total, sum.lost + (lost + one.lost));
}

#endif
