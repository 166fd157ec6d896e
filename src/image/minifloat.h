/* Small floats of five exponent bits: half (sign, 10 bits of mantissa) and the unsigned ones of
 * 11 and 10 bits (6 and 5 of mantissa) that B10G11R11 packs. */
#pragma once

#include <stdint.h>

#define MB_HALF_MANTISSA_BITS     10u
#define MB_UFLOAT11_MANTISSA_BITS 6u
#define MB_UFLOAT10_MANTISSA_BITS 5u

/* Round to nearest even, straight from double; too large for the format becomes infinity. NaN
 * keeps its sign, and no more. */
uint16_t mb_half_from_double(double value);
double mb_half_to_double(uint16_t half);

/* The same without a sign: all negative values, negative infinity included, become 0. */
uint16_t mb_ufloat_from_double(double value, unsigned mantissa_bits);
double mb_ufloat_to_double(uint16_t bits, unsigned mantissa_bits);
