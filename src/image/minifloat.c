/* Small floats, converted by their bits. */
#include "image/minifloat.h"

#include <stdbool.h>
#include <string.h>

#define DOUBLE_MANTISSA_BITS 52u
#define MIN_EXPONENT         (-14) /* of a normal number of five exponent bits */
#define MAX_EXPONENT         15

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Exponent and mantissa of |value|. Straight from double: by way of float it would be rounded
 * twice. */
static uint16_t magnitude_from_double(double value, unsigned mantissa_bits)
{
    const uint64_t bits = bits_of_double(value);
    const int exponent = (int)(bits >> DOUBLE_MANTISSA_BITS & 0x7ff) - 1023;
    const uint64_t mantissa = bits & ((1ull << DOUBLE_MANTISSA_BITS) - 1);
    const unsigned normal_shift = DOUBLE_MANTISSA_BITS - mantissa_bits;
    const unsigned infinity = 0x1fu << mantissa_bits;

    if (exponent == 1024) {
        const unsigned quiet =
            mantissa != 0 ? 1u << (mantissa_bits - 1) | (unsigned)(mantissa >> normal_shift)
                          : 0;
        return (uint16_t)(infinity | quiet);
    }
    if (exponent > MAX_EXPONENT) {
        return (uint16_t)infinity;
    }
    if (exponent < MIN_EXPONENT - 1 - (int)mantissa_bits) {
        return 0; /* below half of the smallest subnormal */
    }
    /* Below 2^-14 the exponent stays and more bits fall off. */
    const bool is_subnormal = exponent < MIN_EXPONENT;
    const unsigned shift =
        is_subnormal ? normal_shift + (unsigned)(MIN_EXPONENT - exponent) : normal_shift;
    const uint64_t full = mantissa | 1ull << DOUBLE_MANTISSA_BITS;
    const uint64_t kept = full >> shift;
    const uint64_t rest = full & ((1ull << shift) - 1);
    const uint64_t tie = 1ull << (shift - 1);
    const uint64_t rounded = kept + (rest > tie || (rest == tie && (kept & 1) != 0));

    /* `rounded` holds the hidden bit, so adding (exponent - 1) lets a carry move up by itself:
     * into the exponent, and from the largest finite value into infinity. */
    const uint64_t biased =
        is_subnormal ? 0 : (uint64_t)(exponent - MIN_EXPONENT) << mantissa_bits;
    return (uint16_t)(biased + rounded);
}

static double magnitude_to_double(uint16_t bits, unsigned mantissa_bits)
{
    const uint64_t exponent = (uint64_t)bits >> mantissa_bits;
    const uint64_t mantissa = bits & ((1u << mantissa_bits) - 1);
    const uint64_t aligned = mantissa << (DOUBLE_MANTISSA_BITS - mantissa_bits);

    if (exponent == 31) {
        return double_of_bits(0x7ffull << DOUBLE_MANTISSA_BITS | aligned);
    }
    if (exponent == 0) {
        const uint64_t unit = (uint64_t)(MIN_EXPONENT - (int)mantissa_bits + 1023);
        return (double)mantissa * double_of_bits(unit << DOUBLE_MANTISSA_BITS);
    }
    return double_of_bits((exponent + 1008) << DOUBLE_MANTISSA_BITS | aligned);
}

uint16_t mb_half_from_double(double value)
{
    const uint16_t sign = (uint16_t)(bits_of_double(value) >> 48 & 0x8000u);
    return (uint16_t)(sign | magnitude_from_double(value, MB_HALF_MANTISSA_BITS));
}

double mb_half_to_double(uint16_t half)
{
    const double magnitude = magnitude_to_double(half & 0x7fffu, MB_HALF_MANTISSA_BITS);
    return (half & 0x8000u) != 0 ? -magnitude : magnitude;
}

uint16_t mb_ufloat_from_double(double value, unsigned mantissa_bits)
{
    if (value <= 0.0) {
        return 0;
    }
    return magnitude_from_double(value, mantissa_bits);
}

double mb_ufloat_to_double(uint16_t bits, unsigned mantissa_bits)
{
    return magnitude_to_double(bits, mantissa_bits);
}
