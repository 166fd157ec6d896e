/* Weighted sums of texels, compensated where the format would show their rounding. To be included
 * after levels.glsl. */
#ifndef SUM_GLSL
#define SUM_GLSL

/* A sum of weighted texels, and what rounding has taken from it. Formats that hold all the bits of a
 * 32-bit float need the latter: six roundings of sums, whose last bits may weigh twice those of
 * their quotient, would come to more than 4 ulp. */
struct Sum {
    vec4 sum, lost;
};

bool is_compensated()
{
    return UNORM_MAX == 0.0 && DROPPED_BITS == 0;
}

/* What a product loses is what fma() finds of it. */
Sum first_tap(float weight, vec4 texel)
{
    precise vec4 product = weight * texel;
    return Sum(product, is_compensated() ? fma(vec4(weight), texel, -product) : vec4(0.0));
}

/* What a sum loses is Knuth's two-sum (The Art of Computer Programming 2, 4.2.2, theorem B). */
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
