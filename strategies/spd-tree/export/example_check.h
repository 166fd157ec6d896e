/* Checks every texel of the examples against a CPU, which computes in double precision. */
#ifndef EXAMPLE_CHECK_H
#define EXAMPLE_CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "spd_tree.h"

/* Places levels of 4-byte texels one after the other in a buffer; returns the buffer's size. */
static VkDeviceSize place_levels(const struct spd_tree_job *job, VkBufferImageCopy *copies)
{
    VkDeviceSize n_bytes = 0;
    for (uint32_t i = 0; i < job->n_levels; i++) {
        const VkBufferImageCopy copy = {
            .bufferOffset = n_bytes,
            .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, i, 0, 1},
            .imageExtent = {spd_tree_size_of_level(job->width, i),
                            spd_tree_size_of_level(job->height, i), 1}};
        copies[i] = copy;
        n_bytes += (VkDeviceSize)4 * copy.imageExtent.width * copy.imageExtent.height;
    }
    return n_bytes;
}

/* Fills a level with random bits. */
static void fill(void *texels, VkExtent3D extent)
{
    uint32_t random = 1, *words = (uint32_t *)texels;
    for (uint32_t i = 0; i < extent.width * extent.height; i++) {
        random = random * 1664525u + 1013904223u;
        words[i] = random >> 16 | random << 16;
    }
}

/* The weight of tap `i` in texel `x` below a level of `n` texels (3 taps if odd, else 2). */
static double weight_of(uint32_t i, uint32_t x, uint32_t n)
{
    const uint32_t half = n / 2, odd = i == 0 ? half - x : i == 1 ? half : x + 1;
    return n == 1 ? i == 0 : n % 2 == 0 ? (i < 2) * 0.5 : (double)odd / n;
}

/* Texel `x`, `y` of the level below level[height][width]: the average or the maximum. */
static double reduce(const double *level, VkExtent3D size, uint32_t x, uint32_t y, bool is_max)
{
    double sum = 0, largest = 0;
    for (uint32_t i = 0; i < 9; i++) {
        const double weight =
            weight_of(i % 3, x, size.width) * weight_of(i / 3, y, size.height);
        if (weight > 0) {
            const double tap = level[(2 * y + i / 3) * size.width + 2 * x + i % 3];
            sum += weight * tap;
            largest = fmax(largest, tap);
        }
    }
    return is_max ? largest : sum;
}

/* A channel of a texel as a linear number. The texel is sRGB or a 32-bit float. */
static double decode(const unsigned char *texel, int channel, bool is_float)
{
    float value;
    memcpy(&value, texel, sizeof value);
    const double code = texel[channel] / 255.0;
    return is_float          ? (double)value
           : channel == 3    ? code
           : code <= 0.04045 ? code / 12.92
                             : pow((code + 0.055) / 1.055, 2.4);
}

static double encode(double x, int channel, bool is_float)
{
    return is_float         ? x
           : channel == 3   ? x * 255
           : x <= 0.0031308 ? x * 12.92 * 255
                            : (1.055 * pow(x, 1 / 2.4) - 0.055) * 255;
}

/* Checks a channel of level `n` and prints the first wrong texel. Replaces the level above in
 * `level` by level `n`, in place: texels are read ahead of where they are written. */
static bool check_level(const void *texels, const VkBufferImageCopy *copies, uint32_t n,
                        int channel, bool is_max, double *level)
{
    const VkExtent3D size = copies[n].imageExtent,
                     above = copies[n > 0 ? n - 1 : 0].imageExtent;
    const unsigned char *texel = (const unsigned char *)texels + copies[n].bufferOffset;
    for (uint32_t i = 0; i < size.width * size.height; i++) {
        const double got = decode(texel + 4 * (size_t)i, channel, is_max);
        level[i] = n == 0 ? got : reduce(level, above, i % size.width, i / size.width, is_max);
        if (!(fabs(encode(got, channel, is_max) - encode(level[i], channel, is_max)) <=
              (is_max ? 0 : 0.51))) {
            fprintf(stderr, "error: level %u, texel %u, channel %d: %g, not %g\n", n, i,
                    channel, got, level[i]);
            return false;
        }
    }
    return true;
}

/* Checks every level against level 0 in the buffer: averages of sRGB codes up to rounding,
 * maxima exactly. Prints `ok`, or what is wrong. */
static bool check_levels(const void *texels, const VkBufferImageCopy *copies, uint32_t n_levels,
                         bool is_max)
{
    const VkExtent3D base = copies[0].imageExtent;
    double *level = (double *)malloc((size_t)base.width * base.height * sizeof *level);
    bool is_right = level != NULL;
    if (!level) {
        fprintf(stderr, "error: out of memory\n");
    }
    for (uint32_t i = 0; is_right && i < n_levels * (is_max ? 1 : 4); i++) {
        is_right =
            check_level(texels, copies, i % n_levels, (int)(i / n_levels), is_max, level);
    }
    free(level);
    return is_right && puts("ok") >= 0;
}

#endif
