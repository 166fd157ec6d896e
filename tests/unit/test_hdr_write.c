/* Radiance output: what is written is read back, texel by texel within half a step of its
 * shared exponent, from every format and at every width that changes the encoding. */
#include "check.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "image/image.h"
#include "image/io/hdr.h"

static void must(enum mb_status status, const struct mb_err *err)
{
    if (status != MB_OK) {
        fprintf(stderr, "failed: %s\n", err->text);
        exit(1);
    }
}

/* Bright and dark texels, runs of equal ones, and now and then a black one. */
static void fill(double *rgba, size_t n)
{
    uint32_t state = 12345;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        const size_t run = i > 0 && (state >> 28) < 9 ? i - 1 : i;
        for (size_t c = 0; c < 4; c++) {
            state = state * 1664525u + 1013904223u;
            const double value = ldexp((state >> 8) / 16777216.0, (int)(state >> 28) - 8);
            rgba[i * 4 + c] = run != i ? rgba[run * 4 + c] : value;
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

static void check_round_trip(const struct mb_format *format, uint32_t width, uint32_t height)
{
    struct mb_layout layout;
    struct mb_image back;
    struct mb_bytes hdr;
    struct mb_err err = {0};
    mb_layout_init(&layout, format, (struct mb_extent){width, height}, 1, 1);
    const size_t n = (size_t)width * height;
    double *rgba = mb_malloc(n * 4 * sizeof *rgba);
    uint8_t *block = mb_alloc(layout.total_bytes, 1);
    fill(rgba, n);
    mb_format_encode(format, rgba, n, block);
    mb_format_decode(format, block, n, rgba);

    must(mb_hdr_encode(format, layout.base, block, &hdr, &err), &err);
    must(mb_image_decode(&back, "x.hdr", &hdr, &err), &err);
    mb_bytes_finish(&hdr);
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
    mb_free(rgba);
    mb_free(block);
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
    struct mb_layout layout;
    struct mb_bytes out;
    struct mb_err err = {0};
    static const char header[] = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 4 +X 1\n";
    mb_layout_init(&layout, mb_format_find("rgba32f"), (struct mb_extent){1, 4}, 1, 1);
    must(mb_hdr_encode(layout.format, layout.base, block, &out, &err), &err);
    CHECK_EQ_INT(out.n_bytes, sizeof header - 1 + sizeof want);
    CHECK(memcmp(out.data, header, sizeof header - 1) == 0);
    CHECK(memcmp(out.data + sizeof header - 1, want, sizeof want) == 0);
    mb_bytes_finish(&out);
}

/* One colour is two bytes a channel and 127 texels. */
static void check_runs(void)
{
    struct mb_layout layout;
    struct mb_bytes out;
    struct mb_err err = {0};
    float *block = mb_malloc(200 * 4 * sizeof *block);
    for (size_t i = 0; i < 200 * 4; i++) {
        block[i] = 0.5f;
    }
    mb_layout_init(&layout, mb_format_find("rgba32f"), (struct mb_extent){200, 1}, 1, 1);
    must(mb_hdr_encode(layout.format, layout.base, block, &out, &err), &err);
    static const uint8_t row[] = {2,   2,   0,   200, 255, 128, 201, 128, 255, 128,
                                  201, 128, 255, 128, 201, 128, 255, 128, 201, 128};
    CHECK(out.n_bytes > sizeof row);
    CHECK(memcmp(out.data + out.n_bytes - sizeof row, row, sizeof row) == 0);
    mb_bytes_finish(&out);
    mb_free(block);
}

/* Runs of four, the shortest there are, each behind a literal of one byte. */
static void check_short_runs(void)
{
    const uint32_t widths[] = {8, 9, 10, 13, 128, 129, 133, 1024, 32767, 32768};
    for (size_t i = 0; i < MB_COUNTOF(widths); i++) {
        struct mb_layout layout;
        struct mb_bytes out;
        struct mb_err err = {0};
        struct mb_image back = {0};
        const struct mb_format *format = mb_format_find("r32f");
        float *block = mb_malloc(widths[i] * sizeof *block);
        for (size_t x = 0; x < widths[i]; x++) {
            block[x] = x % 5 == 0 ? 0.75f : 1.5f + (float)(x / 5 % 2);
        }
        mb_layout_init(&layout, format, (struct mb_extent){widths[i], 1}, 1, 1);
        must(mb_hdr_encode(layout.format, layout.base, block, &out, &err), &err);
        if (widths[i] <= 16384) {
            must(mb_image_decode(&back, "memory", &out, &err), &err);
            CHECK_EQ_DBL((double)((const float *)back.texels)[4], (double)block[1], 0.0);
        }
        mb_image_finish(&back);
        mb_bytes_finish(&out);
        mb_free(block);
    }
}

static void check_no_memory(void)
{
    const float block[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find("rgba32f"), (struct mb_extent){1, 1}, 1, 1);
    for (uint64_t nth = 1; nth <= 3; nth++) {
        struct mb_bytes out;
        struct mb_err err = {0};
        mb_alloc_fail_nth(nth, false);
        CHECK_EQ_INT(mb_hdr_encode(layout.format, layout.base, block, &out, &err), MB_FAILED);
        mb_alloc_fail_nth(0, false);
        CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
        CHECK(out.data == NULL);
        CHECK_EQ_INT(mb_alloc_live_count(), 0);
    }
}

int main(void)
{
    static const uint32_t widths[] = {1, 7, 8, 127, 128, 129, 300, 16384};
    for (size_t i = 0; i < mb_format_count; i++) {
        check_round_trip(&mb_formats[i], 61, 5);
    }
    for (size_t i = 0; i < MB_COUNTOF(widths); i++) {
        check_round_trip(mb_format_find("rgba16f"), widths[i], 3);
    }
    check_texels();
    check_runs();
    check_short_runs();
    check_no_memory();
    return check_summary("hdr_write");
}
