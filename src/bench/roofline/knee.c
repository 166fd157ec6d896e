/* The knee of bandwidth against footprint. */
#include "bench/roofline/knee.h"

#include <math.h>
#include <stdbool.h>

#define MAX_POINTS 64u
#define MIN_POINTS 6u
#define N_MEMORY   3u /* points that must show memory's bandwidth */

/* An H200 reads its cache about 1.3 times as fast as its memory; timings repeat to 2 %. */
#define STEP_RATIO    1.12
#define FLAT_RATIO    1.04
#define MEMORY_SPREAD 1.1

static double median_of_3(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* A running median of three takes out lone outliers and keeps steps where they are. */
static void smooth(const double *gbps, size_t n, double *smoothed)
{
    for (size_t i = 0; i < n; i++) {
        const size_t before = i > 0 ? i - 1 : 0;
        const size_t after = i + 1 < n ? i + 1 : n - 1;
        smoothed[i] = median_of_3(gbps[before], gbps[i], gbps[after]);
    }
}

/* Bandwidth of memory, or 0 if the last points differ: the sweep did not get there. */
static double memory_gbps(const double *gbps, size_t n)
{
    const double *last = gbps + n - N_MEMORY;
    const double most = fmax(last[0], fmax(last[1], last[2]));
    const double least = fmin(last[0], fmin(last[1], last[2]));
    return most <= MEMORY_SPREAD * least ? median_of_3(last[0], last[1], last[2]) : 0.0;
}

static bool are_positive(const double *gbps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(gbps[i] > 0.0 && isfinite(gbps[i]))) {
            return false;
        }
    }
    return true;
}

uint64_t mb_cache_knee(const uint64_t *footprint_bytes, const double *gbps, size_t n)
{
    double g[MAX_POINTS];
    if (n < MIN_POINTS || n > MAX_POINTS || !are_positive(gbps, n)) {
        return 0;
    }
    smooth(gbps, n, g);
    const double memory = memory_gbps(g, n);
    size_t end = n; /* points from here on come from memory */
    while (end > 0 && g[end - 1] <= STEP_RATIO * memory) {
        end--;
    }
    if (memory <= 0.0 || end == 0) {
        return 0;
    }
    /* Up the slope, to the plateau of the cache; an inner cache may be faster still. */
    size_t plateau = end - 1;
    while (plateau > 0 && g[plateau - 1] > FLAT_RATIO * g[plateau]) {
        plateau--;
    }
    const double halfway = 0.5 * (memory + g[plateau]);
    size_t knee = plateau;
    while (knee + 1 < end && g[knee + 1] >= halfway) {
        knee++;
    }
    return footprint_bytes[knee];
}
