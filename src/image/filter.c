/* Filters: their names, their taps along one axis, and how far a change reaches. */
#include "image/filter.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* NVIDIA Texture Tools, the defaults of its Kaiser filter (kaiserWidth, kaiserAlpha). */
#define KAISER_RADIUS 3u
#define KAISER_ALPHA  4.0

const char *const mb_policy_names[MB_N_POLICIES] = {
    [MB_POLICY_BOX] = "box",
    [MB_POLICY_FLOOR] = "floor",
    [MB_POLICY_BLIT] = "blit",
    [MB_POLICY_KAISER] = "kaiser",
    [MB_POLICY_LANCZOS] = "lanczos",
    [MB_POLICY_GAUSSIAN] = "gaussian",
    [MB_POLICY_GAUSSIAN16] = "gaussian16",
};

bool mb_policy_is_wide(enum mb_policy policy)
{
    return policy >= MB_POLICY_KAISER;
}

const char *const mb_reduce_names[] = {
    [MB_REDUCE_AVG] = "avg", [MB_REDUCE_MIN] = "min", [MB_REDUCE_MAX] = "max"};

const char *const mb_alpha_names[] = {
    [MB_ALPHA_STRAIGHT] = "straight", [MB_ALPHA_PREMULTIPLIED] = "premultiplied"};

bool mb_weighs_alpha(enum mb_reduce reduce, enum mb_alpha alpha, const struct mb_format *format)
{
    return reduce == MB_REDUCE_AVG && alpha == MB_ALPHA_PREMULTIPLIED &&
           (format == NULL || format->n_channels == 4);
}

static uint32_t next_size(uint32_t n_source)
{
    return n_source > 1 ? n_source / 2 : 1;
}

static double sinc(double x)
{
    const double nearest = nearbyint(x), rest = x - nearest;
    if (x == 0.0) {
        return 1.0;
    }
    /* Exactly 0 at integers. */
    const double sine = sin(PI * rest);
    return (fmod(nearest, 2.0) == 0.0 ? sine : -sine) / (PI * x);
}

/* The modified Bessel function of the first kind and order 0, by its power series. */
static double bessel_i0(double x)
{
    double sum = 1.0, term = 1.0;
    for (double k = 1.0; term > sum * 1e-18; k += 1.0) {
        term *= (x / (2.0 * k)) * (x / (2.0 * k));
        sum += term;
    }
    return sum;
}

/* Sinc times Kaiser's window, as in NVIDIA Texture Tools (nvimage/Filter.cpp, KaiserFilter). */
static double kaiser_at(double x)
{
    const double t = x / KAISER_RADIUS;
    return sinc(x) * bessel_i0(KAISER_ALPHA * sqrt(1.0 - t * t)) / bessel_i0(KAISER_ALPHA);
}

/* Duchon 1979; Turkowski, "Filters for Common Resampling Tasks", Graphics Gems, 1990. */
static double lanczos_at(double x)
{
    return sinc(x) * sinc(x / 3.0);
}

/* Standard deviation: 1/2, one source texel if the size is even. */
static double gaussian_at(double x)
{
    return exp(-2.0 * x * x);
}

/* Standard deviation: 2, four source texels if the size is even. */
static double gaussian16_at(double x)
{
    return exp(-x * x / 8.0);
}

static const struct kernel {
    uint32_t radius;
    double (*at)(double x); /* x >= 0, below the radius */
} kernels[MB_N_POLICIES] = {
    [MB_POLICY_KAISER] = {KAISER_RADIUS, kaiser_at},
    [MB_POLICY_LANCZOS] = {3, lanczos_at},
    [MB_POLICY_GAUSSIAN] = {2, gaussian_at}, /* both radii: four standard deviations */
    [MB_POLICY_GAUSSIAN16] = {8, gaussian16_at},
};

static int64_t floor_quotient(int64_t numerator, int64_t denominator)
{
    return numerator / denominator - (numerator % denominator < 0);
}

uint32_t mb_filter_kernel_radius(enum mb_policy policy)
{
    return kernels[policy].radius;
}

struct mb_span mb_filter_kernel_span(enum mb_policy policy, uint32_t n_source, uint32_t x)
{
    if (n_source == 1) {
        return (struct mb_span){0, 1};
    }
    const int64_t n = n_source, n_next = next_size(n_source);
    const int64_t centre = (2 * (int64_t)x + 1) * n, reach = 2 * n * kernels[policy].radius;
    /* |(2 i + 1) n' - centre| < reach */
    const int64_t begin = floor_quotient(centre - reach - n_next, 2 * n_next) + 1;
    const int64_t last = floor_quotient(centre + reach - n_next - 1, 2 * n_next);
    assert(last - begin < MB_MAX_FILTER_KERNEL_TAPS);
    return (struct mb_span){(int32_t)begin, (int32_t)last + 1};
}

uint32_t mb_filter_kernel_weights(enum mb_policy policy, uint32_t n_source, uint32_t x,
                                  double weight[MB_MAX_FILTER_KERNEL_TAPS])
{
    const struct mb_span span = mb_filter_kernel_span(policy, n_source, x);
    const uint32_t n_taps = (uint32_t)(span.end - span.first);
    const int64_t n_next = next_size(n_source);
    double sum = 0.0;
    for (uint32_t i = 0; i < n_taps; i++) {
        const int64_t from_centre =
            (2 * ((int64_t)span.first + i) + 1) * n_next - (2 * (int64_t)x + 1) * n_source;
        weight[i] =
            kernels[policy].at((double)llabs(from_centre) / (double)(2 * (int64_t)n_source));
        sum += weight[i];
    }
    for (uint32_t i = 0; i < n_taps; i++) {
        weight[i] /= sum;
    }
    return n_taps;
}

/* The box taps of an odd size. */
static struct mb_taps box_taps(uint32_t n_source, uint32_t x)
{
    const uint32_t n_next = n_source / 2;
    const double n = (double)n_source;
    return (struct mb_taps){
        .first = 2 * x,
        .n_taps = 3,
        .weight = {(double)(n_next - x) / n, (double)n_next / n, (double)(x + 1) / n},
    };
}

/* The taps of the sample position (x + 1/2) * n / n' - 1/2, an exact fraction over 2n'. A tap
 * of weight 0 is left out: 0 times infinity would be NaN. */
static struct mb_taps blit_taps(uint32_t n_source, uint32_t x)
{
    const uint64_t denominator = 2 * (uint64_t)next_size(n_source);
    const uint64_t numerator = (2 * (uint64_t)x + 1) * n_source - denominator / 2;
    const uint32_t first = (uint32_t)(numerator / denominator);
    const uint64_t rest = numerator % denominator;
    if (rest == 0 || first + 1 >= n_source) {
        return (struct mb_taps){.first = first, .n_taps = 1, .weight = {1.0}};
    }
    const double fraction = (double)rest / (double)denominator;
    return (struct mb_taps){.first = first, .n_taps = 2, .weight = {1.0 - fraction, fraction}};
}

static uint32_t clamped(int64_t at, uint32_t n_source)
{
    return at < 0 ? 0 : at >= n_source ? n_source - 1 : (uint32_t)at;
}

static struct mb_taps kernel_taps(enum mb_policy policy, uint32_t n_source, uint32_t x)
{
    double weight[MB_MAX_FILTER_KERNEL_TAPS];
    const struct mb_span span = mb_filter_kernel_span(policy, n_source, x);
    mb_filter_kernel_weights(policy, n_source, x, weight);
    struct mb_taps taps = {.first = clamped(span.first, n_source)};
    for (int32_t i = span.first; i < span.end; i++) {
        const uint32_t tap = clamped(i, n_source) - taps.first;
        assert(tap < MB_MAX_TAPS);
        taps.weight[tap] += weight[i - span.first];
        taps.n_taps = tap + 1;
    }
    return taps;
}

struct mb_taps mb_filter_taps(enum mb_policy policy, uint32_t n_source, uint32_t x)
{
    assert(x < next_size(n_source));
    if (n_source == 1) {
        return (struct mb_taps){.first = 0, .n_taps = 1, .weight = {1.0}};
    }
    if (mb_policy_is_wide(policy)) {
        return kernel_taps(policy, n_source, x);
    }
    if (policy == MB_POLICY_BLIT) {
        return blit_taps(n_source, x);
    }
    if (policy == MB_POLICY_BOX && n_source % 2 != 0) {
        return box_taps(n_source, x);
    }
    return (struct mb_taps){.first = 2 * x, .n_taps = 2, .weight = {0.5, 0.5}};
}

/* Where the taps lie, taps beyond an edge included; cheaper than mb_filter_taps. */
static struct mb_span tap_span(enum mb_policy policy, uint32_t n_source, uint32_t x)
{
    if (mb_policy_is_wide(policy)) {
        return mb_filter_kernel_span(policy, n_source, x);
    }
    const struct mb_taps taps = mb_filter_taps(policy, n_source, x);
    return (struct mb_span){(int32_t)taps.first, (int32_t)(taps.first + taps.n_taps)};
}

static bool is_odd_above_one(uint32_t size)
{
    return size % 2 != 0 && size > 1;
}

uint32_t mb_even_levels(struct mb_extent base, uint32_t level, uint32_t n_levels)
{
    uint32_t n = 0;
    for (; level + n + 1 < n_levels; n++) {
        const struct mb_extent extent = mb_level_extent(base, level + n);
        if (is_odd_above_one(extent.width) || is_odd_above_one(extent.height)) {
            break;
        }
    }
    return n;
}

bool mb_policies_agree(struct mb_extent base, uint32_t n_levels)
{
    return mb_even_levels(base, 0, n_levels) == n_levels - 1;
}

/* Find the texels of the next level, along one axis, that have a tap in [first, first + n) of
 * the source. They are a range, as taps advance with x. The search starts `slack` texels before
 * first / 2, which is early enough for the radius of any policy. */
static void axis_cone(enum mb_policy policy, uint32_t n_source, uint32_t first, uint32_t n,
                      uint32_t *cone_first, uint32_t *n_cone)
{
    const uint32_t n_next = next_size(n_source), slack = 2 + kernels[policy].radius;
    uint32_t x = first / 2 > slack ? first / 2 - slack : 0;
    while (x < n_next && tap_span(policy, n_source, x).end <= (int32_t)first) {
        x++;
    }
    *cone_first = x;
    while (n > 0 && x < n_next && tap_span(policy, n_source, x).first < (int32_t)(first + n)) {
        x++;
    }
    *n_cone = x - *cone_first;
}

struct mb_rect mb_filter_affected(enum mb_policy policy, struct mb_extent source,
                                  struct mb_rect rect)
{
    struct mb_rect affected;
    axis_cone(policy, source.width, rect.x, rect.width, &affected.x, &affected.width);
    axis_cone(policy, source.height, rect.y, rect.height, &affected.y, &affected.height);
    return mb_rect_is_empty(affected) ? (struct mb_rect){0} : affected;
}

void mb_filter_affected_levels(enum mb_policy policy, const struct mb_layout *layout,
                               struct mb_rect rect, struct mb_rect affected[MB_MAX_LEVELS])
{
    affected[0] = rect;
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        affected[level] = mb_filter_affected(policy, mb_level_extent(layout->base, level - 1),
                                             affected[level - 1]);
    }
}

uint32_t mb_filter_n_reached(const struct mb_layout *layout,
                             const struct mb_rect affected[MB_MAX_LEVELS])
{
    uint32_t n = 0;
    while (n < layout->n_levels && !mb_rect_is_empty(affected[n])) {
        n++;
    }
    return n;
}

uint64_t mb_filter_affected_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                  struct mb_rect rect)
{
    struct mb_rect affected[MB_MAX_LEVELS];
    uint64_t n_texels = 0;
    mb_filter_affected_levels(policy, layout, rect, affected);
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        n_texels += (uint64_t)affected[level].width * affected[level].height;
    }
    return n_texels * layout->n_layers * layout->format->texel_bytes;
}

uint64_t mb_filter_per_level_bytes(enum mb_policy policy, const struct mb_layout *layout,
                                   struct mb_rect rect)
{
    struct mb_rect affected[MB_MAX_LEVELS];
    uint64_t n_texels = 0;
    mb_filter_affected_levels(policy, layout, rect, affected);
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        const struct mb_extent source = mb_level_extent(layout->base, level);
        const struct mb_extent target = mb_level_extent(layout->base, level + 1);
        const struct mb_rect part = affected[level + 1];
        const bool is_whole = part.width == target.width && part.height == target.height;
        const uint64_t n_written = (uint64_t)part.width * part.height;
        n_texels += n_written + (is_whole ? (uint64_t)source.width * source.height
                                          : n_written * (source.width > 1 ? 2 : 1) *
                                                (source.height > 1 ? 2 : 1));
    }
    return n_texels * layout->n_layers * layout->format->texel_bytes;
}
