/* The transfer curve of sRGB: by its definition, and fast by tables. */
#include "image/srgb.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#define LINEAR_LIMIT  0.0031308
#define ENCODED_LIMIT 0.04045
#define EXPONENT      (1.0 / 2.4)

/* A power is computed from an anchor, the middle of a segment. Each binade of [2^-9, 1) has 32
 * segments, numbered by the exponent and the upper 5 bits of the mantissa. */
#define SEGMENT_SHIFT       47u /* 52 bits of mantissa less 5 */
#define SEGMENTS_PER_BINADE 32u
#define N_BINADES           9u
#define N_SEGMENTS          (N_BINADES * SEGMENTS_PER_BINADE)
#define FIRST_SEGMENT       ((1023u - N_BINADES) * SEGMENTS_PER_BINADE)

struct anchor {
    double inverse, power; /* 1 / anchor, 1.055 anchor^(1/2.4) */
};

/* Made once, constant afterwards. */
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;
static double code_to_linear[256];
static struct anchor anchors[N_SEGMENTS];

double mb_srgb_to_linear(double encoded)
{
    return encoded <= ENCODED_LIMIT ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

double mb_srgb_from_linear(double linear)
{
    return linear <= LINEAR_LIMIT ? linear * 12.92 : 1.055 * pow(linear, EXPONENT) - 0.055;
}

static void make_tables(void)
{
    for (unsigned code = 0; code < 256; code++) {
        code_to_linear[code] = mb_srgb_to_linear(code / 255.0);
    }
    for (uint64_t i = 0; i < N_SEGMENTS; i++) {
        const uint64_t bits = (i + FIRST_SEGMENT) << SEGMENT_SHIFT | 1ull
                                                                         << (SEGMENT_SHIFT - 1);
        double anchor;
        memcpy(&anchor, &bits, sizeof anchor);
        anchors[i] = (struct anchor){1.0 / anchor, 1.055 * pow(anchor, EXPONENT)};
    }
}

void mb_srgb_decode(const uint8_t *codes, size_t n, double *rgba)
{
    pthread_once(&tables_once, make_tables);
    for (size_t i = 0; i < n * 4; i += 4) {
        rgba[i] = code_to_linear[codes[i]];
        rgba[i + 1] = code_to_linear[codes[i + 1]];
        rgba[i + 2] = code_to_linear[codes[i + 2]];
        rgba[i + 3] = (double)codes[i + 3] / 255.0;
    }
}

/* Encode by the binomial series of (1 + t)^(5/12), |t| at most 1/64: the terms after t^6 add
 * less than 1e-14. */
static double encode_one(double linear)
{
    if (!(linear > LINEAR_LIMIT && linear < 1.0)) {
        return mb_srgb_from_linear(linear);
    }
    const double p = EXPONENT;
    const double c2 = p * (p - 1) / 2, c3 = c2 * (p - 2) / 3, c4 = c3 * (p - 3) / 4;
    const double c5 = c4 * (p - 4) / 5, c6 = c5 * (p - 5) / 6;
    uint64_t bits;
    memcpy(&bits, &linear, sizeof bits);
    const struct anchor *anchor = &anchors[(bits >> SEGMENT_SHIFT) - FIRST_SEGMENT];
    const double t = linear * anchor->inverse - 1.0;
    const double series = 1.0 + t * (p + t * (c2 + t * (c3 + t * (c4 + t * (c5 + t * c6)))));
    return anchor->power * series - 0.055;
}

void mb_srgb_encode(const double *rgba, size_t n, double *out)
{
    pthread_once(&tables_once, make_tables);
    for (size_t i = 0; i < n * 4; i += 4) {
        out[i] = encode_one(rgba[i]);
        out[i + 1] = encode_one(rgba[i + 1]);
        out[i + 2] = encode_one(rgba[i + 2]);
        out[i + 3] = rgba[i + 3];
    }
}
