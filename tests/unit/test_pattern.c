/* Patterns: what each promises, and specs that are wrong. */
#include "check.h"

#include <math.h>

#include "base/alloc.h"
#include "image/reference.h"
#include "image/pattern.h"

static void check_specs(void)
{
    static const struct {
        const char *spec, *needle, *hint;
    } bad[] = {
        {"pattern:", "unknown pattern ''", "list patterns"},
        {"pattern:nois:4x4", "unknown pattern 'nois'", "did you mean 'noise'?"},
        {"pattern:noise", "no size", "pattern:noise:512x512"},
        {"pattern:noise:", "bad size", "WIDTHxHEIGHT"},
        {"pattern:noise:0x4", "bad size '0x4'", "WIDTHxHEIGHT"},
        {"pattern:noise:4x", "bad size '4x'", "WIDTHxHEIGHT"},
        {"pattern:noise:4x-4", "bad size '4x-4'", "WIDTHxHEIGHT"},
        {"pattern:noise:32769x1", "bad size", "32768"},
        {"pattern:noise:99999999999999999999x1", "bad size", "32768"},
        {"pattern:noise:4x4x4", "bad size", "WIDTHxHEIGHT"},
    };
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        struct mb_image image;
        struct mb_err err = {0};
        CHECK_EQ_INT(mb_pattern_make(&image, bad[i].spec, 0, &err), MB_FAILED);
        CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
        CHECK(strstr(err.text, bad[i].needle) != NULL);
        CHECK(strstr(err.hint, bad[i].hint) != NULL);
        CHECK(image.texels == NULL);
    }
    CHECK(mb_pattern_is_spec("pattern:x"));
    CHECK(!mb_pattern_is_spec("pattern.png"));
}

/* Make a pattern; the texel at (x, y) is checked by the caller. */
static struct mb_image make(const char *spec, uint64_t seed)
{
    struct mb_image image;
    struct mb_err err = {0};
    must(mb_image_open(&image, spec, seed, &err), &err);
    return image;
}

static const uint8_t *texel(const struct mb_image *image, uint32_t x, uint32_t y)
{
    return (const uint8_t *)image->texels + ((size_t)y * image->width + x) * 4;
}

static void check_contents(void)
{
    struct mb_image image = make("pattern:checker:3x2", 0);
    CHECK_EQ_STR(image.name, "checker");
    CHECK_EQ_INT(image.width, 3);
    CHECK_EQ_INT(image.height, 2);
    CHECK_EQ_INT(texel(&image, 0, 0)[0], 0);
    CHECK_EQ_INT(texel(&image, 1, 0)[0], 255);
    CHECK_EQ_INT(texel(&image, 1, 1)[2], 0);
    CHECK_EQ_INT(texel(&image, 2, 1)[3], 255);
    mb_image_finish(&image);

    image = make("pattern:gradient:256x256", 0);
    for (uint32_t i = 0; i < 256; i++) {
        CHECK_EQ_INT(texel(&image, i, 7)[0], i);
        CHECK_EQ_INT(texel(&image, 7, i)[1], i);
    }
    mb_image_finish(&image);

    image = make("pattern:impulse:5x4", 0);
    unsigned sum[3] = {0};
    for (uint32_t i = 0; i < 20; i++) {
        for (int c = 0; c < 3; c++) {
            sum[c] += texel(&image, i % 5, i / 5)[c];
        }
    }
    CHECK_EQ_INT(texel(&image, 2, 2)[0], 255);
    CHECK_EQ_INT(texel(&image, 4, 0)[0], 255);
    CHECK_EQ_INT(texel(&image, 0, 3)[1], 255);
    CHECK_EQ_INT(texel(&image, 4, 3)[2], 255);
    CHECK_EQ_INT(sum[0] + sum[1] + sum[2], 6 * 255);
    mb_image_finish(&image);

    image = make("pattern:flat:7x7", 0);
    for (uint32_t i = 1; i < 49; i++) {
        CHECK(memcmp(texel(&image, i % 7, i / 7), texel(&image, 0, 0), 4) == 0);
    }
    mb_image_finish(&image);
}

/* Noise: the seed decides, all 256 values come about equally often, and the picture does not
 * depend on how rows were split (a one-row image is the first row of a taller one). */
static void check_noise(void)
{
    struct mb_image a = make("pattern:noise:1024x256", 1);
    struct mb_image b = make("pattern:noise:1024x256", 1);
    struct mb_image c = make("pattern:noise:1024x256", 2);
    struct mb_image row = make("pattern:noise:1024x1", 1);
    CHECK_EQ_STR(a.sha256, b.sha256);
    CHECK(strcmp(a.sha256, c.sha256) != 0);
    CHECK(memcmp(a.texels, row.texels, 4096) == 0);

    unsigned count[256] = {0};
    for (size_t i = 0; i < 1024 * 256 * 4; i++) {
        count[((const uint8_t *)a.texels)[i]]++;
    }
    for (int v = 0; v < 256; v++) {
        CHECK(count[v] > 3700 && count[v] < 4500); /* 4096 expected, 6 sigma is 384 */
    }
    mb_image_finish(&a);
    mb_image_finish(&b);
    mb_image_finish(&c);
    mb_image_finish(&row);
}

/* Signed: floats of every kind, infinities and NaN in a corner only, alpha an opacity. */
static void check_signed(void)
{
    struct mb_image a = make("pattern:signed:128x96", 1);
    struct mb_image b = make("pattern:signed:128x96", 2);
    unsigned n_negative = 0, n_minus_zero = 0, n_zero = 0, n_denormal = 0, n_nan = 0;
    unsigned n_infinite[2] = {0}, n_large[2] = {0}, n_small[2] = {0};
    CHECK_EQ_INT(a.depth, MB_DEPTH_F32);
    CHECK(strcmp(a.sha256, b.sha256) != 0);
    for (size_t i = 0; i < 128 * 96 * 4; i++) {
        const float value = ((const float *)a.texels)[i];
        const size_t x = i / 4 % 128, y = i / 4 / 128;
        const bool is_negative = signbit(value) != 0;
        CHECK(i % 4 != 3 || (value >= 0.0f && value <= 1.0f));
        CHECK(isfinite(value) || (x < 32 && y < 24));
        n_negative += is_negative;
        n_nan += isnan(value) != 0;
        n_zero += value == 0.0f && !is_negative;
        n_minus_zero += value == 0.0f && is_negative;
        n_denormal += fpclassify(value) == FP_SUBNORMAL;
        n_infinite[is_negative] += isinf(value) != 0;
        n_large[is_negative] += fabsf(value) > 1e37f && isfinite(value);
        n_small[is_negative] += isnormal(value) && fabsf(value) < 1e-36f;
    }
    CHECK(n_negative > 128 * 96 && n_zero > 100 && n_minus_zero > 100 && n_denormal > 100);
    CHECK(n_nan > 0 && n_infinite[0] > 0 && n_infinite[1] > 0);
    CHECK(n_large[0] > 10 && n_large[1] > 10 && n_small[0] > 10 && n_small[1] > 10);
    mb_image_finish(&a);
    mb_image_finish(&b);
}

/* How many of a level's neighbours, along x and y, differ by less than half a code of 255 in
 * every channel. */
static uint32_t count_alike(const double *level, struct mb_extent extent)
{
    uint32_t n_alike = 0;
    for (uint32_t i = 0; i < extent.width * extent.height; i++) {
        const uint32_t x = i % extent.width, y = i / extent.width;
        const uint32_t next[2] = {x + 1 < extent.width ? i + 1 : i,
                                  y + 1 < extent.height ? i + extent.width : i};
        for (uint32_t k = 0; k < 2; k++) {
            double most = next[k] == i ? 1.0 : 0.0;
            for (uint32_t c = 0; c < 4; c++) {
                most = fmax(most, fabs(level[4 * i + c] - level[4 * next[k] + c]));
            }
            n_alike += most < 0.5 / 255;
        }
    }
    return n_alike;
}

/* The last texel differs by more than a code from each texel of the level above, and from the
 * mean of its first row and of its first column. */
static void check_last(const double *above, struct mb_extent extent, const double *last)
{
    double row = 0.0, column = 0.0;
    for (uint32_t i = 0; i < extent.width * extent.height; i++) {
        double most = 0.0;
        for (uint32_t c = 0; c < 4; c++) {
            most = fmax(most, fabs(above[4 * i + c] - last[c]));
        }
        CHECK(most > 1.0 / 255);
        row += i < extent.width ? above[4 * i] / extent.width : 0.0;
        column += i % extent.width == 0 ? above[4 * i] / extent.height : 0.0;
    }
    CHECK(extent.height == 1 || fabs(row - *last) > 1.0 / 255);
    CHECK(extent.width == 1 || fabs(column - *last) > 1.0 / 255);
}

/* At every level of a probe nearly all neighbours differ, down to the last texel. */
static void check_probe(const char *name, const char *format)
{
    static const struct mb_extent sizes[] = {{256, 256}, {1920, 1080}, {101, 67}, {255, 255},
                                             {1023, 7},  {64, 1},      {2, 1},    {3, 2},
                                             {5, 7},     {1, 300},     {4, 4},    {1000, 1001}};
    for (size_t i = 0; i < MB_COUNTOF(sizes); i++) {
        char spec[64];
        struct mb_err err = {0};
        struct mb_ideal ideal;
        snprintf(spec, sizeof spec, "pattern:%s:%ux%u", name, sizes[i].width, sizes[i].height);
        struct mb_image image = make(spec, 0);
        const struct mb_plane plane = {sizes[i], mb_format_find(format), image.texels};
        const uint32_t n_levels = mb_full_level_count(sizes[i]);
        must(mb_ideal_init(&ideal, &(struct mb_filter){.policy = MB_POLICY_BOX}, &plane,
                           n_levels, &err),
             &err);
        for (uint32_t level = 1; level + 1 < n_levels; level++) {
            const struct mb_extent extent = mb_level_extent(sizes[i], level);
            CHECK(count_alike(ideal.level[level], extent) * 50 <= extent.width * extent.height);
        }
        if (n_levels > 2) {
            check_last(ideal.level[n_levels - 2], mb_level_extent(sizes[i], n_levels - 2),
                       ideal.level[n_levels - 1]);
        }
        mb_ideal_finish(&ideal);
        mb_image_finish(&image);
    }
}

static void check_probes(void)
{
    check_probe("probe", "rgba8");
    check_probe("probe-float", "rgba32f");
}

/* The first texel of the field of a probe of 33x47 is (8, 8). */
static void check_field(void)
{
    struct mb_image codes = make("pattern:probe:33x47", 0);
    struct mb_image floats = make("pattern:probe-float:33x47", 0);
    unsigned n_ways[16] = {0}, n_negative = 0, n_large[2] = {0};
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t x = 16 + 2 * (i % 4), y = 8 + 2 * (i / 4);
        unsigned way = 0;
        for (uint32_t k = 0; k < 4; k++) {
            const uint8_t *white = texel(&codes, x + k % 2, y + k / 2);
            CHECK(white[0] == white[1] && white[0] == white[2] && white[0] % 255 == 0);
            way |= (unsigned)(white[0] / 255) << k;
        }
        n_ways[way]++;
        const uint8_t *grey = texel(&codes, 8 + i % 8, 12 + i / 8);
        CHECK(grey[0] == grey[1] && grey[0] == grey[2] && grey[0] % 255 != 0);
    }
    for (uint32_t i = 0; i < 16; i++) {
        CHECK_EQ_INT(n_ways[i], 1);
    }
    double sum = 0.0;
    for (size_t i = 0; i < 33 * 47 * 4; i++) {
        const float value = ((const float *)floats.texels)[i];
        CHECK(fabsf(value) <= 4.0f || fabsf(value) > 1000.0f);
        CHECK(i % 4 < 3 || (value >= 0.0f && value <= 4.0f));
        n_negative += value < 0.0f;
        n_large[value < 0.0f] += fabsf(value) > 4.0f;
        sum += fabsf(value) > 4.0f ? (double)value : 0.0;
    }
    CHECK_EQ_INT(n_large[0], 24);
    CHECK_EQ_INT(n_large[1], 24);
    CHECK_EQ_INT(n_negative, 24 + 48);
    CHECK_EQ_DBL(sum, 0.0, 0.0);
    mb_image_finish(&codes);
    mb_image_finish(&floats);
}

static void check_smallest(void)
{
    for (const struct mb_pattern *p = mb_patterns; p->name != NULL; p++) {
        char spec[64];
        snprintf(spec, sizeof spec, "pattern:%s:1x1", p->name);
        struct mb_image image = make(spec, 0);
        CHECK_EQ_INT(image.width * image.height, 1);
        mb_image_finish(&image);
    }
}

static void check_no_memory(void)
{
    struct mb_image image;
    struct mb_err err = {0};
    mb_alloc_fail_nth(1, false);
    CHECK_EQ_INT(mb_pattern_make(&image, "pattern:flat:4x4", 0, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    mb_alloc_fail_nth(0, false);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

int main(void)
{
    return CHECK_TESTS(check_specs, check_contents, check_noise, check_signed, check_probes,
                       check_field, check_smallest, check_no_memory);
}
