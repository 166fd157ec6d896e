/* Distances between texels. Each loop keeps four results, one a channel, so that no comparison
 * waits for another. */
#include "image/distance.h"

#include <math.h>
#include <string.h>

double mb_distance_lsb(const struct mb_format *format, uint32_t channel, double got,
                       double want)
{
    if (got == want || (isnan(got) && isnan(want))) {
        return 0.0;
    }
    const double distance = fabs(got - want) / mb_format_lsb(format, channel, want);
    return isnan(distance) ? INFINITY : distance;
}

uint32_t mb_first_difference(const double *got, const double *want)
{
    uint32_t channel = 0;
    while (channel < 3 && memcmp(&got[channel], &want[channel], sizeof *got) == 0) {
        channel++;
    }
    return channel;
}

double mb_max_distance_lsb(const struct mb_format *format, const double *got,
                           const double *want, size_t n)
{
    double largest[4] = {0.0, 0.0, 0.0, 0.0};
    const bool is_unorm = mb_format_is_unorm(format);
    for (size_t i = 0; is_unorm && i < n * 4; i += 4) {
        for (size_t c = 0; c < 4; c++) {
            const double distance = fabs(got[i + c] - want[i + c]);
            largest[c] = distance > largest[c] ? distance : largest[c];
        }
    }
    for (size_t i = 0; !is_unorm && i < n * 4; i += 4) {
        for (uint32_t c = 0; c < format->n_channels; c++) {
            const double distance = mb_distance_lsb(format, c, got[i + c], want[i + c]);
            largest[c] = distance > largest[c] ? distance : largest[c];
        }
    }
    double all = 0.0;
    for (uint32_t c = 0; c < 4; c++) {
        all = fmax(all, largest[c] * mb_format_max_code(format, c));
    }
    return all;
}

void mb_noise_add(struct mb_noise *noise, const double *got, const double *want, size_t n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    double *const peak = noise->peak;
    for (size_t i = 0; i < n * 4; i += 4) {
        for (size_t c = 0; c < 4; c++) {
            const double d = got[i + c] == want[i + c] ? 0.0 : got[i + c] - want[i + c];
            const double magnitude = fabs(want[i + c]);
            sum[c] += d * d;
            peak[c] = magnitude > peak[c] ? magnitude : peak[c];
        }
    }
    noise->sum_squares += sum[0] + sum[1] + sum[2] + sum[3];
}

void mb_noise_join(struct mb_noise *noise, const struct mb_noise *other)
{
    noise->sum_squares += other->sum_squares;
    for (size_t c = 0; c < 4; c++) {
        noise->peak[c] = fmax(noise->peak[c], other->peak[c]);
    }
}

double mb_noise_psnr_db(const struct mb_noise *noise, const struct mb_format *format,
                        uint64_t n_texels)
{
    if (noise->sum_squares == 0.0) {
        return INFINITY;
    }
    double peak = mb_format_is_unorm(format) ? 1.0 : 0.0;
    for (uint32_t c = 0; c < format->n_channels && !mb_format_is_unorm(format); c++) {
        peak = fmax(peak, noise->peak[c]);
    }
    const double n_values = (double)n_texels * format->n_channels;
    return 10.0 * log10(peak * peak * n_values / noise->sum_squares);
}

/* 32 for each LSB of 8 bits; what is no number is as far off as can be. */
static uint8_t shade_of_error(double got, double wanted)
{
    const double scaled = got == wanted ? 0.0 : fabs(got - wanted) * 255.0 * 32.0;
    return scaled < 255.0 ? (uint8_t)(scaled + 0.5) : 255;
}

void mb_error_picture(const struct mb_format *format, const void *output, const double *want,
                      struct mb_extent extent, uint8_t *rgba)
{
    const size_t n_texels = (size_t)extent.width * extent.height;
    const uint8_t *texels = output;
    for (size_t i = 0; i < n_texels; i++) {
        double got[4], held[4], wanted[4];
        mb_format_decode_coded(format, texels + i * format->texel_bytes, 1, got);
        mb_format_hold(format, got, 1, got);
        mb_format_hold(format, want + i * 4, 1, held);
        mb_format_to_coded(format, held, 1, wanted);
        uint8_t *shown = rgba + i * 4;
        for (size_t c = 0; c < 4; c++) {
            shown[c] = shade_of_error(got[c], wanted[c]);
        }
        for (size_t c = 0; c < 3; c++) {
            shown[c] = shown[c] > shown[3] ? shown[c] : shown[3];
        }
        shown[3] = 255;
    }
}
