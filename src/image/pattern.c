/* Synthetic images. Each texel is a pure function of its place, so that rows can be made in any
 * order by any number of threads. */
#include "image/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/parallel.h"
#include "base/text.h"

#define SPEC_PREFIX "pattern:"
#define PI          3.14159265358979323846

static void set_grey(double rgba[4], double value)
{
    rgba[0] = rgba[1] = rgba[2] = value;
    rgba[3] = 1.0;
}

/* position / (n - 1), rounded to 8-bit codes. */
static double ramp(uint64_t position, uint64_t n)
{
    return n < 2 ? 0.0 : (double)((position * 510 + (n - 1)) / (2 * (n - 1))) / 255.0;
}

static void gradient_texel(const struct mb_place *at, double rgba[4])
{
    rgba[0] = ramp(at->x, at->width);
    rgba[1] = ramp(at->y, at->height);
    rgba[2] = 1.0 - ramp((uint64_t)at->x + at->y, (uint64_t)at->width + at->height - 1);
    rgba[3] = 1.0;
}

/* The finaliser of splitmix64 (Steele, Lea and Flood, 2014) over place and seed. */
static uint64_t hash_of(uint32_t x, uint32_t y, uint64_t seed)
{
    uint64_t z = ((uint64_t)y << 32 | x) + (seed + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void noise_texel(const struct mb_place *at, double rgba[4])
{
    const uint64_t bits = hash_of(at->x, at->y, at->seed);
    for (unsigned c = 0; c < 4; c++) {
        rgba[c] = (double)(bits >> (8 * c) & 0xff) / 255.0;
    }
}

static void checker_texel(const struct mb_place *at, double rgba[4])
{
    set_grey(rgba, ((at->x ^ at->y) & 1u) != 0 ? 1.0 : 0.0);
}

/* One white texel in the middle; a red one in the last column, a green one in the last row, a
 * blue one in the corner of both: a kernel that drops an edge loses a colour. */
static void impulse_texel(const struct mb_place *at, double rgba[4])
{
    const bool is_last_x = at->x == at->width - 1;
    const bool is_last_y = at->y == at->height - 1;
    set_grey(rgba, at->x == at->width / 2 && at->y == at->height / 2 ? 1.0 : 0.0);
    if (is_last_x && at->y == 0) {
        rgba[0] = 1.0;
    }
    if (at->x == 0 && is_last_y) {
        rgba[1] = 1.0;
    }
    if (is_last_x && is_last_y) {
        rgba[2] = 1.0;
    }
}

/* Rings whose frequency rises to Nyquist at the edge: aliasing shows as rings elsewhere. */
static void zoneplate_texel(const struct mb_place *at, double rgba[4])
{
    const double longest = at->width > at->height ? at->width : at->height;
    const double dx = at->x + 0.5 - 0.5 * at->width;
    const double dy = at->y + 0.5 - 0.5 * at->height;
    set_grey(rgba, 0.5 + 0.5 * cos(PI * (dx * dx + dy * dy) / longest));
}

/* A colour that any wrong rounding or wrong channel order changes. */
static void flat_texel(const struct mb_place *at, double rgba[4])
{
    (void)at;
    static const uint8_t colour[4] = {187, 99, 31, 203};
    for (size_t c = 0; c < 4; c++) {
        rgba[c] = colour[c] / 255.0;
    }
}

/* The kind of numbers that a square of signed_texel() holds. */
enum signed_kind {
    SIGNED_UNIT,    /* -1 to 1 */
    SIGNED_HALF,    /* all magnitudes of a half, its denormals included */
    SIGNED_FLOAT,   /* 1e-38 to 1e38 */
    SIGNED_TINY,    /* about 1e-38: denormals, and values whose half is denormal */
    SIGNED_ZERO,    /* 0 and -0, and now and then 1 or -1 */
    SIGNED_SPECIAL, /* as SIGNED_UNIT, but a quarter are infinities, NaN or -0 */
    N_SIGNED_KINDS
};

static float signed_value(enum signed_kind kind, uint64_t bits)
{
    /* Magnitudes from 10^low to 10^high, all decades equally likely. */
    static const struct {
        double low, high;
    } decades[N_SIGNED_KINDS] = {[SIGNED_HALF] = {-7.5, 4.8},
                                 [SIGNED_FLOAT] = {-38.0, 38.0},
                                 [SIGNED_TINY] = {-42.0, -37.0}};
    static const float specials[4] = {INFINITY, -INFINITY, NAN, -0.0f};
    const double unit = (double)(bits >> 40) / 0x1p24;
    const double low = decades[kind].low, high = decades[kind].high;
    const double sign = (bits & 1) != 0 ? -1.0 : 1.0;
    if (low < 0.0) {
        return (float)(sign * pow(10.0, low + unit * (high - low)));
    }
    if (kind == SIGNED_ZERO) {
        return (float)(sign * ((bits & 14) == 0));
    }
    if (kind == SIGNED_SPECIAL && (bits >> 1 & 3) == 0) {
        return specials[bits >> 3 & 3];
    }
    return (float)(2.0 * unit - 1.0);
}

/* Each square of 4x4 texels holds one kind of number, since an error in 1e-38 does not show
 * beside 1e38. Infinities and NaN spread over everything averaged with them, so they stay in
 * one corner, and most of the lower levels is finite. Alpha is an opacity, from 0 to 1; it is 0
 * in squares of SIGNED_ZERO. */
static void signed_texel(const struct mb_place *at, double rgba[4])
{
    const bool is_corner = at->x < (at->width + 3) / 4 && at->y < (at->height + 3) / 4;
    const uint32_t n_kinds = N_SIGNED_KINDS - (is_corner ? 0 : 1);
    const uint64_t square = hash_of(at->x / 4, at->y / 4, ~at->seed);
    const enum signed_kind kind = (enum signed_kind)((square >> 32) % n_kinds);
    for (uint32_t c = 0; c < 3; c++) {
        rgba[c] = (double)signed_value(kind, hash_of(3 * at->x + c, at->y, at->seed));
    }
    rgba[3] =
        kind == SIGNED_ZERO ? 0.0 : (double)(hash_of(at->x, at->y, at->seed + 1) >> 56) / 255.0;
}

/* A slope plus, for each level, a checkerboard whose squares are as large as the level's
 * texels. So at every level neighbours differ by codes, and the last texel differs from each
 * texel that it is made of and from the mean of any half of them. Values from 0 to 1, or a bit
 * beyond. */
static void probe_squares(const struct mb_place *at, double value[4])
{
    const uint32_t longest = at->width > at->height ? at->width : at->height;
    const double slope =
        0.20 * ((at->x + 0.5) / at->width - 0.5) + 0.12 * ((at->y + 0.5) / at->height - 0.5);
    for (uint32_t c = 0; c < 4; c++) {
        value[c] = c % 2 == 0 ? 0.5 + slope : 0.5 - slope;
    }
    for (uint32_t level = 0; longest >> level > 0; level++) {
        const uint64_t n_wide = at->width >> level > 1 ? at->width >> level : 1;
        const uint64_t n_high = at->height >> level > 1 ? at->height >> level : 1;
        const uint32_t x = (uint32_t)(at->x * n_wide / at->width);
        const uint32_t y = (uint32_t)(at->y * n_high / at->height);
        const uint64_t bits = hash_of(x, y, at->seed + level);
        for (uint32_t c = 0; c < 4; c++) {
            const double unit = (double)(bits >> 16 * c & 0xffff) / 0xffff;
            const double step = (longest >> level <= 4 ? 2 : 1) * (0.03 + 0.02 * unit);
            value[c] += ((x ^ y) & 1u) != 0 ? step : -step;
        }
    }
}

/* Find a texel's place in a field of 16x12 texels, in images of at least 32x32. The field has
 * values that probe_squares() does not reach, for kernels that are wrong only on such values:
 *
 *     y    x 0..3     4..7       8..15
 *      0   white      black      2x2 texels in each of the 16 ways of being white or black
 *      4   grey       grey       the same
 *      8   large      negative                               (of floats)
 */
static bool place_in_field(const struct mb_place *at, uint32_t *x, uint32_t *y)
{
    *x = at->x - (at->width / 4 & ~3u);
    *y = at->y - (at->height / 4 & ~3u);
    return at->width >= 32 && at->height >= 32 && *x < 16 && *y < 12;
}

static void probe_texel(const struct mb_place *at, double value[4])
{
    uint32_t x, y;
    const bool is_in_field = place_in_field(at, &x, &y) && y < 8;
    probe_squares(at, value);
    for (uint32_t c = 0; c < 4; c++) {
        value[c] = value[c] < 0.0 ? 0.0 : value[c] > 1.0 ? 1.0 : value[c];
        if (is_in_field && x >= 8) {
            value[c] = (x / 2 % 4 + y / 2 * 4) >> (x % 2 + y % 2 * 2) & 1u;
        } else if (is_in_field && y < 4) {
            value[c] = x < 4;
        } else if (is_in_field && c < 3) {
            value[c] = value[0];
        }
    }
}

/* Values up to 4, and some from 1024 to 2944 of both signs, which cancel within two levels and
 * hide no error below. No infinities or NaN, which would spread to the last texel. */
static void probe_float_texel(const struct mb_place *at, double rgba[4])
{
    uint32_t x, y;
    probe_texel(at, rgba);
    const bool is_odd = place_in_field(at, &x, &y) && y >= 8 && x < 8;
    for (uint32_t c = 0; c < 4; c++) {
        rgba[c] *= 4.0;
        if (is_odd && c < 3) { /* alpha is an opacity */
            const double large = 1024.0 + 128.0 * (4 * (y % 4) + 2 * (x % 2) + c % 2);
            rgba[c] = x >= 4 ? -rgba[c] : x < 2 ? large : -large;
        }
    }
}

const struct mb_pattern mb_patterns[] = {
    {"gradient", "smooth ramps along x, y and the diagonal", gradient_texel, false},
    {"noise", "white noise in all four channels, from --seed", noise_texel, false},
    {"checker", "single texels of 0 and 255: every average is known", checker_texel, false},
    {"impulse", "single bright texels, in the middle and at the far edges", impulse_texel,
     false},
    {"zoneplate", "rings up to the Nyquist frequency: aliasing shows", zoneplate_texel, false},
    {"flat", "one colour: every level must stay exactly that", flat_texel, false},
    {"signed", "floats of both signs and all magnitudes, infinities and NaN, from --seed",
     signed_texel, true},
    {"probe", "neighbours differ at every level: what every strategy is judged on besides",
     probe_texel, false},
    {"probe-float", "the same for float formats: up to 4, some negative, some beyond 1000",
     probe_float_texel, true},
    {NULL, NULL, NULL, false},
};

struct fill_job {
    const struct mb_pattern *pattern;
    const struct mb_image *image;
    uint64_t seed;
};

static void fill_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    (void)worker;
    const struct fill_job *job = ctx;
    const uint32_t width = job->image->width, height = job->image->height;
    const struct mb_format *format =
        mb_format_find(job->pattern->is_float ? "rgba32f" : "rgba8");
    uint8_t *texel =
        (uint8_t *)job->image->texels + (size_t)row_begin * width * format->texel_bytes;
    for (uint32_t y = row_begin; y < row_end; y++) {
        for (uint32_t x = 0; x < width; x++, texel += format->texel_bytes) {
            const struct mb_place at = {x, y, width, height, job->seed};
            double rgba[4];
            job->pattern->texel(&at, rgba);
            mb_format_encode(format, rgba, 1, texel);
        }
    }
}

bool mb_pattern_is_spec(const char *spec)
{
    return strncmp(spec, SPEC_PREFIX, strlen(SPEC_PREFIX)) == 0;
}

MB_MUST_CHECK static enum mb_status find(const char *spec, const char *name,
                                         const struct mb_pattern **pattern, struct mb_err *err)
{
    const char *candidates[MB_COUNTOF(mb_patterns) - 1];
    for (size_t i = 0; i < MB_COUNTOF(candidates); i++) {
        *pattern = &mb_patterns[i];
        candidates[i] = (*pattern)->name;
        if (strcmp(candidates[i], name) == 0) {
            return MB_OK;
        }
    }
    MB_FAIL(err, MB_ERRC_INPUT, "%.80s: unknown pattern '%s'", spec, name);
    return mb_err_hint_nearest(err, name, candidates, MB_COUNTOF(candidates),
                               "see 'mipbench list patterns'");
}

/* Split "pattern:NAME:WxH". */
MB_MUST_CHECK static enum mb_status parse_spec(const char *spec,
                                               const struct mb_pattern **pattern,
                                               uint32_t size[2], struct mb_err *err)
{
    const char *name = spec + strlen(SPEC_PREFIX);
    const char *colon = strchr(name, ':');
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(name, ":"), name);

    MB_DO(find(spec, text, pattern, err));
    if (colon == NULL) {
        MB_FAIL(err, MB_ERRC_INPUT, "%.80s: no size", spec);
        return mb_err_hint(err, "write " SPEC_PREFIX "%s:512x512", text);
    }
    if (!mb_parse_numbers(colon + 1, "xX", 2, 1, MB_IMAGE_MAX_DIMENSION, size)) {
        MB_FAIL(err, MB_ERRC_INPUT, "%.80s: bad size '%.80s'", spec, colon + 1);
        return mb_err_hint(err, "write WIDTHxHEIGHT, each from 1 to %u",
                           MB_IMAGE_MAX_DIMENSION);
    }
    return MB_OK;
}

enum mb_status mb_pattern_make(struct mb_image *image, const char *spec, uint64_t seed,
                               struct mb_err *err)
{
    const struct mb_pattern *pattern = NULL;
    uint32_t size[2];
    *image = (struct mb_image){0};
    MB_DO(parse_spec(spec, &pattern, size, err));

    const uint32_t width = size[0], height = size[1];
    const enum mb_depth depth = pattern->is_float ? MB_DEPTH_F32 : MB_DEPTH_U8;
    const size_t n_bytes = (size_t)width * height * mb_depth_texel_bytes(depth);
    *image = (struct mb_image){
        .width = width,
        .height = height,
        .depth = depth,
        .texels = mb_malloc(n_bytes),
    };
    MB_DO(MB_NEED(image->texels, spec));
    mb_parallel_rows(height, width, fill_rows, &(struct fill_job){pattern, image, seed});
    mb_slug(pattern->name, image->name, sizeof image->name);
    mb_sha256_hex(image->texels, n_bytes, image->sha256);
    return MB_OK;
}
