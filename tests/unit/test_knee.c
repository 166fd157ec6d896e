/* The knee of synthetic curves. */
#include <math.h>
#include <stdbool.h>

#include "base/rng.h"
#include "bench/roofline/roofline.h"
#include "check.h"

#define MIB UINT64_C(0x100000)
#define N   21

/* Time per byte is that of the cache for what it holds and that of the memory for the rest, as
 * with random replacement; a steep one holds nothing once it is too small. */
static double cached_gbps(uint64_t footprint_bytes, uint64_t cache_bytes, double cache_gbps,
                          double memory_gbps, bool is_steep)
{
    const double held =
        is_steep ? 0.0 : pow((double)cache_bytes / (double)footprint_bytes, 2.0);
    if (footprint_bytes <= cache_bytes) {
        return cache_gbps;
    }
    return 1.0 / (held / cache_gbps + (1.0 - held) / memory_gbps);
}

static void test_footprints(void)
{
    CHECK_EQ_INT(mb_sweep_bytes(0), MIB);
    CHECK_EQ_INT(mb_sweep_bytes(3), 3 * MIB);
    CHECK_EQ_INT(mb_sweep_bytes(N - 1), 1024 * MIB);
}

static void test_flat(void)
{
    double gbps[N];
    for (size_t i = 0; i < N; i++) {
        gbps[i] = 900.0;
    }
    CHECK_EQ_INT(mb_cache_knee(gbps, N), 0);
    CHECK_EQ_INT(mb_cache_knee(gbps, 0), 0);
    CHECK_EQ_INT(mb_cache_knee(gbps, 5), 0);
}

static void test_one_knee(bool is_steep)
{
    static const struct {
        uint64_t cache_bytes;
        double cache_gbps, memory_gbps;
    } devices[] = {
        {4 * MIB, 200.0, 50.0},
        {32 * MIB, 5800.0, 4400.0},
        {48 * MIB, 5800.0, 4400.0},
        {96 * MIB, 2000.0, 800.0},
    };
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        const uint64_t cache_bytes = devices[d].cache_bytes;
        double gbps[N];
        for (size_t i = 0; i < N; i++) {
            gbps[i] = cached_gbps(mb_sweep_bytes(i), cache_bytes, devices[d].cache_gbps,
                                  devices[d].memory_gbps, is_steep);
        }
        const uint64_t knee = mb_cache_knee(gbps, N);
        CHECK(knee >= cache_bytes);
        CHECK(knee <= cache_bytes + (is_steep ? 0 : cache_bytes / 2));
    }
}

/* The inner cache is three times as fast; the outer one is looked for. */
static void test_two_knees(void)
{
    double gbps[N];
    for (size_t i = 0; i < N; i++) {
        const double outer = cached_gbps(mb_sweep_bytes(i), 96 * MIB, 1900.0, 900.0, true);
        gbps[i] = mb_sweep_bytes(i) <= 6 * MIB ? 3.0 * outer : outer;
    }
    CHECK_EQ_INT(mb_cache_knee(gbps, N), 96 * MIB);
}

static void test_noise(void)
{
    struct mb_rng rng;
    mb_rng_init(&rng, 7);
    for (int round = 0; round < 500; round++) {
        double flat[N], stepped[N];
        for (size_t i = 0; i < N; i++) {
            const double factor = 1.0 + 0.03 * (2.0 * check_random_unit(&rng) - 1.0);
            flat[i] = 500.0 * factor;
            stepped[i] = factor * cached_gbps(mb_sweep_bytes(i), 32 * MIB, 1000.0, 500.0, true);
        }
        CHECK_EQ_INT(mb_cache_knee(flat, N), 0);
        CHECK_EQ_INT(mb_cache_knee(stepped, N), 32 * MIB);
    }
}

/* One timing that was disturbed, high or low, makes no knee and moves one by a step at most. */
static void test_outliers(void)
{
    for (size_t outlier = 1; outlier < N - 1; outlier++) {
        double low[N], high[N];
        for (size_t i = 0; i < N; i++) {
            low[i] = cached_gbps(mb_sweep_bytes(i), 32 * MIB, 1000.0, 500.0, true);
            high[i] = i == outlier ? 500.0 * 1.7 : 500.0;
        }
        low[outlier] *= 0.4;
        const bool is_at_the_edge =
            mb_sweep_bytes(outlier) == 24 * MIB || mb_sweep_bytes(outlier) == 32 * MIB;
        CHECK_EQ_INT(mb_cache_knee(low, N), (is_at_the_edge ? 24 : 32) * MIB);
        CHECK_EQ_INT(mb_cache_knee(high, N), 0);
    }
}

static void test_monotone(void)
{
    double rising[N], falling[N];
    for (size_t i = 0; i < N; i++) {
        /* Launch-bound where small, then memory. */
        rising[i] = 1000.0 * (double)(i + 1) / (double)(i + 3);
        falling[i] = 1000.0 * pow(0.8, (double)i); /* never gets to memory */
    }
    CHECK_EQ_INT(mb_cache_knee(rising, N), 0);
    CHECK_EQ_INT(mb_cache_knee(falling, N), 0);
}

static void test_bad_figures(void)
{
    static const double bad[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        double gbps[N];
        for (size_t i = 0; i < N; i++) {
            gbps[i] = cached_gbps(mb_sweep_bytes(i), 32 * MIB, 1000.0, 500.0, true);
        }
        gbps[3] = bad[b];
        CHECK_EQ_INT(mb_cache_knee(gbps, N), 0);
    }
}

int main(void)
{
    test_footprints();
    test_flat();
    test_one_knee(true);
    test_one_knee(false);
    test_two_knees();
    test_noise();
    test_outliers();
    test_monotone();
    test_bad_figures();
    return check_summary("knee");
}
