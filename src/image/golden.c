/* The golden model: separable weighting of one level into the next, in double precision.
 *
 * A source row is decoded and reduced along x once and kept while rows below still need it (at
 * most three do); a row of the result is then a weighted sum of reduced rows. All loops run
 * over contiguous doubles, so the compiler vectorises them. */
#include "image/golden.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

#define N_CACHED_ROWS 3u /* the most taps there are: consecutive rows never share a slot */
#define NO_ROW        UINT32_MAX

const char *mb_policy_name(enum mb_policy policy)
{
    switch (policy) {
    case MB_POLICY_BOX:
        return "box";
    case MB_POLICY_FLOOR:
        return "floor";
    case MB_POLICY_BLIT:
        break;
    }
    return "blit";
}

static uint32_t next_size(uint32_t n_source)
{
    return n_source > 1 ? n_source / 2 : 1;
}

static struct mb_taps box_taps(uint32_t n_source, uint32_t x)
{
    if (n_source % 2 == 0) {
        return (struct mb_taps){.first = 2 * x, .n_taps = 2, .weight = {0.5, 0.5}};
    }
    const uint32_t n_next = n_source / 2;
    const double n = (double)n_source;
    return (struct mb_taps){
        .first = 2 * x,
        .n_taps = 3,
        .weight = {(double)(n_next - x) / n, (double)n_next / n, (double)(x + 1) / n},
    };
}

/* The sample position (x + 1/2) * n / n' - 1/2 as the exact fraction over 2n'. A tap of weight
 * 0 is left out: the filter may not let an infinity in it through. */
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

struct mb_taps mb_golden_taps(enum mb_policy policy, uint32_t n_source, uint32_t x)
{
    assert(x < next_size(n_source));
    if (n_source == 1) {
        return (struct mb_taps){.first = 0, .n_taps = 1, .weight = {1.0}};
    }
    switch (policy) {
    case MB_POLICY_BOX:
        return box_taps(n_source, x);
    case MB_POLICY_BLIT:
        return blit_taps(n_source, x);
    case MB_POLICY_FLOOR:
        break;
    }
    return (struct mb_taps){.first = 2 * x, .n_taps = 2, .weight = {0.5, 0.5}};
}

static bool is_odd_above_one(uint32_t size)
{
    return size % 2 != 0 && size > 1;
}

bool mb_policies_agree(struct mb_extent base, uint32_t n_levels)
{
    for (uint32_t level = 0; level + 1 < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(base, level);
        if (is_odd_above_one(extent.width) || is_odd_above_one(extent.height)) {
            return false;
        }
    }
    return true;
}

/* A source row reduced along x: rgba[width'][4] each; low and high only if a range is wanted.
 */
struct reduced_row {
    uint32_t row;
    double *mean, *low, *high;
};

/* One worker's state. */
struct reducer {
    const struct mb_plane *source;
    struct mb_extent extent; /* of the result */
    enum mb_policy policy;
    bool is_halving;      /* every texel along x is the mean of 2x and 2x + 1 */
    struct mb_taps *taps; /* [extent.width], along x */
    double *block;        /* all the rows below, in one allocation */
    double *decoded;      /* rgba[source width][4] */
    struct reduced_row cache[N_CACHED_ROWS];
};

static void reducer_finish(struct reducer *reducer)
{
    mb_free(reducer->block);
    mb_free(reducer->taps);
}

MB_MUST_CHECK static enum mb_status reducer_init(struct reducer *reducer, enum mb_policy policy,
                                                 const struct mb_plane *source, bool has_range,
                                                 struct mb_err *err)
{
    const struct mb_extent extent = mb_level_extent(source->extent, 1);
    const size_t row_doubles = (size_t)extent.width * 4;
    const size_t n_doubles =
        (size_t)source->extent.width * 4 + N_CACHED_ROWS * row_doubles * (has_range ? 3 : 1);

    *reducer = (struct reducer){
        .source = source,
        .extent = extent,
        .policy = policy,
        .is_halving = source->extent.width > 1 &&
                      (policy == MB_POLICY_FLOOR || source->extent.width % 2 == 0),
        .taps = mb_malloc(extent.width * sizeof *reducer->taps),
        .block = mb_malloc(n_doubles * sizeof *reducer->block),
    };
    if (reducer->taps == NULL || reducer->block == NULL) {
        reducer_finish(reducer);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "golden model: out of memory");
    }
    for (uint32_t x = 0; x < extent.width; x++) {
        reducer->taps[x] = mb_golden_taps(policy, source->extent.width, x);
    }
    double *next = reducer->block;
    reducer->decoded = next;
    next += (size_t)source->extent.width * 4;
    for (uint32_t i = 0; i < N_CACHED_ROWS; i++) {
        struct reduced_row *slot = &reducer->cache[i];
        *slot = (struct reduced_row){.row = NO_ROW, .mean = next};
        next += row_doubles;
        if (has_range) {
            slot->low = next;
            slot->high = next + row_doubles;
            next += 2 * row_doubles;
        }
    }
    return MB_OK;
}

static void reduce_halves(const double *restrict source, uint32_t width, double *restrict out)
{
    for (size_t x = 0; x < width; x++) {
        for (size_t c = 0; c < 4; c++) {
            out[x * 4 + c] = 0.5 * (source[x * 8 + c] + source[x * 8 + 4 + c]);
        }
    }
}

static void reduce_taps(const double *restrict source, const struct mb_taps *taps,
                        uint32_t width, double *restrict out)
{
    for (size_t x = 0; x < width; x++) {
        const struct mb_taps *t = &taps[x];
        const double *s = source + (size_t)t->first * 4;
        const double w0 = t->weight[0], w1 = t->weight[1], w2 = t->weight[2];
        double *o = out + x * 4;
        if (t->n_taps == 3) {
            for (size_t c = 0; c < 4; c++) {
                o[c] = w0 * s[c] + w1 * s[4 + c] + w2 * s[8 + c];
            }
        } else if (t->n_taps == 2) {
            for (size_t c = 0; c < 4; c++) {
                o[c] = w0 * s[c] + w1 * s[4 + c];
            }
        } else {
            memcpy(o, s, 4 * sizeof *o);
        }
    }
}

/* Grow [low, high] to hold `n` more values. */
static void widen(double *restrict low, double *restrict high, const double *add_low,
                  const double *add_high, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        low[i] = add_low[i] < low[i] ? add_low[i] : low[i];
        high[i] = add_high[i] > high[i] ? add_high[i] : high[i];
    }
}

static void reduce_spread(const double *source, const struct mb_taps *taps, uint32_t width,
                          double *low, double *high)
{
    for (size_t x = 0; x < width; x++) {
        const double *s = source + (size_t)taps[x].first * 4;
        memcpy(low + x * 4, s, 4 * sizeof *s);
        memcpy(high + x * 4, s, 4 * sizeof *s);
        for (size_t i = 1; i < taps[x].n_taps; i++) {
            widen(low + x * 4, high + x * 4, s + i * 4, s + i * 4, 4);
        }
    }
}

/* Source row `row` reduced along x, from the cache or made now. */
static const struct reduced_row *reducer_row(struct reducer *reducer, uint32_t row)
{
    struct reduced_row *slot = &reducer->cache[row % N_CACHED_ROWS];
    if (slot->row == row) {
        return slot;
    }
    const struct mb_plane *plane = reducer->source;
    const size_t width = plane->extent.width;
    const double *decoded = reducer->decoded;
    if (plane->format == NULL) {
        decoded = (const double *)plane->texels + (size_t)row * width * 4;
    } else {
        const uint8_t *texels = plane->texels;
        mb_format_decode(plane->format, texels + row * width * plane->format->texel_bytes,
                         width, reducer->decoded);
    }
    if (reducer->is_halving) {
        reduce_halves(decoded, reducer->extent.width, slot->mean);
    } else {
        reduce_taps(decoded, reducer->taps, reducer->extent.width, slot->mean);
    }
    if (slot->low != NULL) {
        reduce_spread(decoded, reducer->taps, reducer->extent.width, slot->low, slot->high);
    }
    slot->row = row;
    return slot;
}

/* The weighted sum of one to three rows of `n` doubles. */
static void sum_rows(const struct mb_taps *taps, const struct reduced_row *const *rows,
                     size_t n, double *restrict out)
{
    const double w0 = taps->weight[0], w1 = taps->weight[1], w2 = taps->weight[2];
    const double *restrict r0 = rows[0]->mean;
    if (taps->n_taps == 1) {
        memcpy(out, r0, n * sizeof *out);
        return;
    }
    const double *restrict r1 = rows[1]->mean;
    if (taps->n_taps == 2) {
        for (size_t i = 0; i < n; i++) {
            out[i] = w0 * r0[i] + w1 * r1[i];
        }
        return;
    }
    const double *restrict r2 = rows[2]->mean;
    for (size_t i = 0; i < n; i++) {
        out[i] = w0 * r0[i] + w1 * r1[i] + w2 * r2[i];
    }
}

static void spread_rows(uint32_t n_taps, const struct reduced_row *const *rows, size_t n,
                        double *restrict range)
{
    for (size_t i = 0; i < n; i++) {
        double low = rows[0]->low[i], high = rows[0]->high[i];
        for (uint32_t k = 1; k < n_taps; k++) {
            low = rows[k]->low[i] < low ? rows[k]->low[i] : low;
            high = rows[k]->high[i] > high ? rows[k]->high[i] : high;
        }
        range[i] = high - low;
    }
}

enum mb_status mb_golden_downsample(enum mb_policy policy, const struct mb_plane *source,
                                    uint32_t row_begin, uint32_t row_end, double *dst,
                                    double *range, struct mb_err *err)
{
    enum mb_status status;
    struct reducer reducer;
    MB_TRY(reducer_init(&reducer, policy, source, range != NULL, err));

    const size_t row_doubles = (size_t)reducer.extent.width * 4;
    for (uint32_t y = row_begin; y < row_end; y++) {
        const struct mb_taps taps = mb_golden_taps(policy, source->extent.height, y);
        const struct reduced_row *rows[3] = {0};
        for (uint32_t i = 0; i < taps.n_taps; i++) {
            rows[i] = reducer_row(&reducer, taps.first + i);
        }
        sum_rows(&taps, rows, row_doubles, dst + y * row_doubles);
        if (range != NULL) {
            spread_rows(taps.n_taps, rows, row_doubles, range + y * row_doubles);
        }
    }
    reducer_finish(&reducer);
    return MB_OK;
fail:
    return status;
}

/* A level being made by several workers. */
struct level_job {
    enum mb_policy policy;
    const struct mb_plane *source;
    double *dst, *range;
    enum mb_status status[MB_PARALLEL_MAX_WORKERS];
    struct mb_err err[MB_PARALLEL_MAX_WORKERS];
};

static void level_job_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    struct level_job *job = ctx;
    job->status[worker] = mb_golden_downsample(job->policy, job->source, row_begin, row_end,
                                               job->dst, job->range, &job->err[worker]);
}

enum mb_status mb_golden_level(enum mb_policy policy, const struct mb_plane *source,
                               double *dst, double *range, struct mb_err *err)
{
    struct level_job job = {.policy = policy, .source = source, .dst = dst, .range = range};
    const struct mb_extent extent = mb_level_extent(source->extent, 1);
    const uint32_t n_workers =
        mb_parallel_rows(extent.height, mb_rows_per_thread(extent.width), level_job_rows, &job);
    for (uint32_t i = 0; i < n_workers; i++) {
        if (job.status[i] != MB_OK) {
            if (err != NULL) {
                *err = job.err[i];
            }
            return job.status[i];
        }
    }
    return MB_OK;
}

enum mb_status mb_ideal_init(struct mb_ideal *ideal, enum mb_policy policy,
                             const struct mb_plane *level0, uint32_t n_levels,
                             struct mb_err *err)
{
    enum mb_status status;
    struct mb_plane source = *level0;
    *ideal = (struct mb_ideal){.base = level0->extent, .n_levels = n_levels};

    for (uint32_t level = 1; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(ideal->base, level);
        const size_t n_bytes = (size_t)extent.width * extent.height * 4 * sizeof(double);
        ideal->level[level] = mb_malloc(n_bytes);
        if (ideal->level[level] == NULL) {
            status = MB_FAIL(err, MB_ERRC_RUNTIME,
                             "golden model: out of memory for %zu bytes of level %u", n_bytes,
                             level);
            goto fail;
        }
        MB_TRY(mb_golden_level(policy, &source, ideal->level[level], NULL, err));
        source = (struct mb_plane){.extent = extent, .texels = ideal->level[level]};
    }
    return MB_OK;
fail:
    mb_ideal_finish(ideal);
    return status;
}

void mb_ideal_finish(struct mb_ideal *ideal)
{
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        mb_free(ideal->level[level]);
    }
    *ideal = (struct mb_ideal){0};
}
