/* Wide kernels: what they are, and their weights along an axis. */
#include "image/filter_kernel.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* NVIDIA Texture Tools, the defaults of its Kaiser filter (kaiserWidth, kaiserAlpha). */
#define KAISER_RADIUS 3u
#define KAISER_ALPHA  4.0

static double sinc(double x)
{
    const double nearest = nearbyint(x), rest = x - nearest;
    if (x == 0.0) {
        return 1.0;
    }
    /* An integer is a zero, exactly. */
    const double sine = sin(PI * rest);
    return (fmod(nearest, 2.0) == 0.0 ? sine : -sine) / (PI * x);
}

/* The modified Bessel function of the first kind and order 0, by its power series. */
static double bessel_i0(double x)
{
    double sum = 1.0, term = 1.0;
    for (double k = 1.0; term > sum * 1e-18; k += 1.0) {
        term *= (x / (2.0 * k)) * (x / (2.0 * k));
        sum += term;
    }
    return sum;
}

/* Kaiser's window, as NVIDIA Texture Tools has it (nvimage/Filter.cpp, KaiserFilter). */
static double kaiser_at(double x)
{
    const double t = x / KAISER_RADIUS;
    return sinc(x) * bessel_i0(KAISER_ALPHA * sqrt(1.0 - t * t)) / bessel_i0(KAISER_ALPHA);
}

/* Duchon 1979; Turkowski, "Filters for Common Resampling Tasks", Graphics Gems, 1990. */
static double lanczos_at(double x)
{
    return sinc(x) * sinc(x / 3.0);
}

/* A standard deviation of one source texel where two make one. */
static double gaussian_at(double x)
{
    return exp(-2.0 * x * x);
}

/* Of four source texels. */
static double gaussian16_at(double x)
{
    return exp(-x * x / 8.0);
}

static const struct kernel {
    uint32_t radius;
    double (*at)(double x); /* x >= 0, below the radius */
} kernels[MB_N_POLICIES] = {
    [MB_POLICY_KAISER] = {KAISER_RADIUS, kaiser_at},
    [MB_POLICY_LANCZOS] = {3, lanczos_at},
    [MB_POLICY_GAUSSIAN] = {2, gaussian_at}, /* four standard deviations, both */
    [MB_POLICY_GAUSSIAN16] = {8, gaussian16_at},
};

static int64_t next_size(uint32_t n_source)
{
    return n_source > 1 ? n_source / 2 : 1;
}

static int64_t floor_quotient(int64_t numerator, int64_t denominator)
{
    return numerator / denominator - (numerator % denominator < 0);
}

uint32_t mb_filter_kernel_radius(enum mb_policy policy)
{
    return kernels[policy].radius;
}

uint32_t mb_filter_kernel_span(enum mb_policy policy, uint32_t n_source, uint32_t x,
                               int32_t *first)
{
    if (n_source == 1) {
        *first = 0;
        return 1;
    }
    const int64_t n = n_source, n_next = next_size(n_source);
    const int64_t centre = (2 * (int64_t)x + 1) * n, reach = 2 * n * kernels[policy].radius;
    /* |(2 i + 1) n' - centre| < reach */
    const int64_t begin = floor_quotient(centre - reach - n_next, 2 * n_next) + 1;
    const int64_t last = floor_quotient(centre + reach - n_next - 1, 2 * n_next);
    *first = (int32_t)begin;
    assert(last - begin < MB_MAX_FILTER_KERNEL_TAPS);
    return (uint32_t)(last - begin + 1);
}

uint32_t mb_filter_kernel_weights(enum mb_policy policy, uint32_t n_source, uint32_t x,
                                  double weight[MB_MAX_FILTER_KERNEL_TAPS])
{
    int32_t first;
    const uint32_t n_taps = mb_filter_kernel_span(policy, n_source, x, &first);
    if (n_source == 1) {
        weight[0] = 1.0;
        return 1;
    }
    const int64_t n_next = next_size(n_source);
    double sum = 0.0;
    for (uint32_t i = 0; i < n_taps; i++) {
        const int64_t from_centre =
            (2 * ((int64_t)first + i) + 1) * n_next - (2 * (int64_t)x + 1) * n_source;
        weight[i] =
            kernels[policy].at((double)llabs(from_centre) / (double)(2 * (int64_t)n_source));
        sum += weight[i];
    }
    for (uint32_t i = 0; i < n_taps; i++) {
        weight[i] /= sum;
    }
    return n_taps;
}
