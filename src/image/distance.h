/* Distances between texels, in least significant bits and as noise. All values are
 * coded[n][4] doubles on the scale of the format's codes (mb_format_to_coded). */
#ifndef MB_IMAGE_DISTANCE_H
#define MB_IMAGE_DISTANCE_H

#include "image/format.h"
#include "image/pyramid.h"

/* Of two values, in LSB at `want`; infinite where one is NaN and the other is not. */
double mb_distance_lsb(const struct mb_format *format, uint32_t channel, double got,
                       double want);

/* The first channel of two texels that differ whose bits are not the same. */
uint32_t mb_first_difference(const double *got, const double *want);

/* The largest distance over `n` texels, in LSB. */
double mb_max_distance_lsb(const struct mb_format *format, const double *got,
                           const double *want, size_t n);

/* Squared distance over all channels, and the largest wanted magnitude of each. */
struct mb_noise {
    double sum_squares, peak[4];
};

/* Add `n` texels. */
void mb_noise_add(struct mb_noise *noise, const double *got, const double *want, size_t n);

/* Add what others have found elsewhere. */
void mb_noise_join(struct mb_noise *noise, const struct mb_noise *other);

/* Infinite without noise. The peak is 1 for UNORM and sRGB, else the largest magnitude; only
 * channels that the format has count. */
double mb_noise_psnr_db(const struct mb_noise *noise, const struct mb_format *format,
                        uint64_t n_texels);

/* |output - wanted| of one level as an 8-bit RGBA picture [h][w][4], scaled so that one LSB of
 * 8 bits is 32. The picture is opaque, or what is off could not be seen: an error of alpha is
 * grey, red, green and blue at least as bright as it. `want` is linear rgba[h][w][4] doubles.
 */
void mb_error_picture(const struct mb_format *format, const void *output, const double *want,
                      struct mb_extent extent, uint8_t *rgba);

#endif
