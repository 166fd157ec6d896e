/* Small floats, converted by their bits. */
#include "image/minifloat.h"

#include <math.h>
#include <string.h>

#define MIN_EXPONENT (-14) /* of a normal number of five exponent bits */
#define MAX_EXPONENT 15

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The distance of neighbours under an exponent: 2^(exponent - mantissa_bits). */
static double ulp(int exponent, unsigned mantissa_bits)
{
    const uint64_t bits = (uint64_t)(exponent - (int)mantissa_bits + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Of value >= 0 or NaN. Straight from double: by way of float it would be rounded twice. */
static uint16_t from_double(double value, unsigned mantissa_bits)
{
    const uint32_t infinity = 0x1fu << mantissa_bits;
    int exponent = (int)(bits_of(value) >> 52 & 0x7ff) - 1023;
    if (isnan(value)) {
        return (uint16_t)(infinity | 1u << (mantissa_bits - 1));
    }
    if (exponent > MAX_EXPONENT) {
        return (uint16_t)infinity;
    }
    exponent = exponent < MIN_EXPONENT ? MIN_EXPONENT : exponent;
    /* What is below 1 of a large number is rounded off, to nearest even. */
    const double rounded = value / ulp(exponent, mantissa_bits) + 0x1p52 - 0x1p52;
    /* It holds the hidden bit, so that a carry moves up by itself: into the exponent, and from
     * the largest finite value into infinity. */
    return (uint16_t)(((uint32_t)(exponent - MIN_EXPONENT) << mantissa_bits) +
                      (uint32_t)rounded);
}

static double to_double(uint32_t bits, unsigned mantissa_bits)
{
    const uint32_t hidden = 1u << mantissa_bits;
    const uint32_t exponent = bits >> mantissa_bits, mantissa = bits & (hidden - 1);
    if (exponent == 31) {
        return mantissa != 0 ? (double)NAN : (double)INFINITY;
    }
    if (exponent == 0) {
        return mantissa * ulp(MIN_EXPONENT, mantissa_bits);
    }
    return (mantissa | hidden) * ulp((int)exponent - 1 + MIN_EXPONENT, mantissa_bits);
}

uint16_t mb_half_from_double(double value)
{
    const uint16_t sign = (uint16_t)(bits_of(value) >> 48 & 0x8000u);
    return (uint16_t)(sign | from_double(fabs(value), MB_HALF_MANTISSA_BITS));
}

double mb_half_to_double(uint16_t half)
{
    const double magnitude = to_double(half & 0x7fffu, MB_HALF_MANTISSA_BITS);
    return (half & 0x8000u) != 0 ? -magnitude : magnitude;
}

uint16_t mb_ufloat_from_double(double value, unsigned mantissa_bits)
{
    return value <= 0.0 ? 0 : from_double(value, mantissa_bits);
}

double mb_ufloat_to_double(uint16_t bits, unsigned mantissa_bits)
{
    return to_double(bits, mantissa_bits);
}
