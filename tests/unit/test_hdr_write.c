/* Radiance output: what is written is read back, texel by texel within half a step of its
 * shared exponent, from every format. */
#include "check.h"

#include "base/alloc.h"
#include "image/image.h"
#include "image/io/write.h"

/* Bright and dark texels, and now and then a black one. */
static void fill(double *rgba, size_t n)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < 4; c++) {
            state = state * 1664525u + 1013904223u;
            rgba[i * 4 + c] = ldexp((state >> 8) / 16777216.0, (int)(state >> 28) - 8);
        }
        rgba[i * 4] = (state >> 20) % 37 == 0 ? 0.0 : rgba[i * 4];
    }
}

/* Half a step of eight bits under the exponent that the largest channel rounds to. */
static double half_step(const double *rgb)
{
    int exponent;
    const double largest = fmax(rgb[0], fmax(rgb[1], rgb[2]));
    (void)frexp(largest, &exponent);
    exponent += ldexp(largest, 8 - exponent) >= 255.5;
    return largest > 0.0 ? ldexp(0.5, exponent - 8) : 0.0;
}

/* One level of texels as a file, which the caller finishes. */
static struct mb_bytes encode(const char *format, uint32_t width, uint32_t height,
                              const void *texels)
{
    struct mb_bytes hdr;
    struct mb_err err = {0};
    must(mb_hdr_encode(mb_format_find(format), (struct mb_extent){width, height}, texels, &hdr,
                       &err),
         &err);
    return hdr;
}

static void check_round_trip(const struct mb_format *format, uint32_t width, uint32_t height)
{
    struct mb_image back;
    struct mb_err err = {0};
    const size_t n = (size_t)width * height;
    double *rgba = mb_malloc(n * 4 * sizeof *rgba);
    uint8_t *block = mb_malloc(n * format->texel_bytes);
    fill(rgba, n);
    mb_format_encode(format, rgba, n, block);
    mb_format_decode(format, block, n, rgba);
    struct mb_bytes hdr = encode(format->name, width, height, block);
    must(mb_image_decode(&back, "x.hdr", &hdr, &err), &err);
    CHECK_EQ_INT(back.width, width);
    CHECK_EQ_INT(back.height, height);
    CHECK_EQ_INT(back.depth, MB_DEPTH_F32);
    const float *texels = back.texels;
    size_t n_wrong = 0;
    for (size_t i = 0; i < n; i++) {
        double *want = rgba + i * 4;
        if (format->n_channels == 1) {
            want[1] = want[2] = want[0];
        }
        for (size_t c = 0; c < 3; c++) {
            n_wrong += !(fabs((double)texels[i * 4 + c] - want[c]) <= half_step(want));
        }
    }
    CHECK_EQ_INT(n_wrong, 0);
    mb_image_finish(&back);
    mb_bytes_finish(&hdr);
    mb_free(rgba);
    mb_free(block);
}

static void check_round_trips(void)
{
    static const uint32_t widths[] = {1, 7, 8, 127, 128, 129, 300, 16384};
    for (size_t i = 0; i < mb_format_count; i++) {
        check_round_trip(&mb_formats[i], 61, 5);
    }
    for (size_t i = 0; i < MB_COUNTOF(widths); i++) {
        check_round_trip(mb_format_find("rgba16f"), widths[i], 3);
    }
}

/* By hand: 1x4 texels, flat rows behind the header. */
static void check_texels(void)
{
    const float block[4 * 4] = {1.0f,     0.5f, 0.25f, 0.0f, /* 1 = 0.5 * 2^1 */
                                -1.0f,    NAN,  0.0f,  1.0f, /* black */
                                255.9f,   0.0f, 1.0f,  1.0f, /* rounds up to a ninth bit */
                                INFINITY, 0.0f, 0.0f,  1.0f};
    static const uint8_t want[16] = {128, 64, 32, 129, 0,   0, 0, 0,
                                     128, 0,  1,  137, 255, 0, 0, 255};
    static const char header[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 1\n";
    struct mb_bytes out = encode("rgba32f", 1, 4, block);
    CHECK_EQ_INT(out.n_bytes, sizeof header - 1 + sizeof want);
    CHECK(memcmp(out.data, header, sizeof header - 1) == 0);
    CHECK(memcmp(out.data + sizeof header - 1, want, sizeof want) == 0);
    mb_bytes_finish(&out);
}

/* Rows that begin as a run does (2, 2), or have texels that begin as a repeat does (1, 1, 1).
 */
static void check_marks(void)
{
    float block[8 * 4];
    struct mb_err err = {0};
    struct mb_image back = {0};
    for (size_t i = 0; i < MB_COUNTOF(block); i += 4) {
        block[i] = block[i + 1] = (i == 0 ? 2.0f : 1.0f) / 256.0f;
        block[i + 2] = i == 0 ? 200.0f / 256.0f : 0.5f;
    }
    struct mb_bytes out = encode("rgba32f", 8, 1, block);
    must(mb_image_decode(&back, "memory", &out, &err), &err);
    const float *texels = back.texels;
    for (size_t i = 0; i < MB_COUNTOF(block); i += 4) {
        CHECK(memcmp(texels + i, block + i, 3 * sizeof *block) == 0);
    }
    mb_image_finish(&back);
    mb_bytes_finish(&out);
}

static enum mb_status try_encode(void *block, struct mb_err *err)
{
    struct mb_bytes out;
    const enum mb_status status =
        mb_hdr_encode(mb_format_find("rgba32f"), (struct mb_extent){1, 1}, block, &out, err);
    CHECK_EQ_INT(out.data == NULL, status != MB_OK);
    mb_bytes_finish(&out);
    return status;
}

static void check_no_memory(void)
{
    float block[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    CHECK_EQ_INT(check_each_allocation(try_encode, block), 1);
}

int main(void)
{
    return CHECK_TESTS(check_round_trips, check_texels, check_marks, check_no_memory);
}
