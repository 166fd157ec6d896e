/* The golden model: separable filtering of one level into the next, in double precision.
 *
 * A source row is decoded and reduced along x once and kept while rows below still need it; a
 * row of the result then joins reduced rows. All loops run over contiguous
 * doubles, so the compiler vectorises them. */
#include "image/golden.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

#define N_NARROW_TAPS 3u /* the most there are but of wide kernels */
#define NO_ROW        UINT32_MAX

/* Taps of one texel; the weights are the reducer's. */
struct placed_taps {
    uint32_t first, n_taps;
    const double *weight;
};

/* A source row reduced along x: rgba[width'][4] each. What is not needed is NULL. */
struct reduced_row {
    uint32_t row;
    double *value;    /* the average of straight colours, or the extreme */
    double *weighted; /* the average of colours times alpha */
    double *low, *high;
};

/* One worker's state. */
struct reducer {
    const struct mb_plane *source;
    struct mb_extent extent; /* of the result */
    struct mb_filter filter;
    bool is_halving;          /* every texel along x is the mean of 2x and 2x + 1 */
    bool is_premultiplied;    /* colour is averaged by alpha */
    uint32_t n_max_taps;      /* as many rows are cached: consecutive ones never share a slot */
    struct placed_taps *taps; /* [extent.width], along x */
    struct placed_taps *widened; /* the same with the texels beside, for the range; or NULL */
    double *block;               /* the weights, and all the rows below, in one allocation */
    double *weights;             /* [extent.width][n_max_taps] */
    double *decoded;             /* rgba[source width][4] */
    double *weighted;            /* the same, colour times alpha, if premultiplied */
    double *joined;              /* rgba[extent.width][4]: rows of those joined along y */
    struct reduced_row cache[MB_MAX_TAPS];
};

static void reducer_finish(struct reducer *reducer)
{
    mb_free(reducer->block);
    mb_free(reducer->widened);
    mb_free(reducer->taps);
}

/* Cut the next `n` doubles off the block. */
static double *take(double **next, size_t n)
{
    double *const row = *next;
    *next += n;
    return row;
}

/* The taps that an inexact filter may take in: those, and both texels beside a single tap,
 * whose weight is 0 only if the position is exact. */
static struct placed_taps widened(const struct mb_filter *filter, uint32_t n_source,
                                  struct placed_taps taps)
{
    if (filter->policy == MB_POLICY_BLIT && taps.n_taps == 1) {
        const uint32_t last = taps.first + 1 < n_source ? taps.first + 1 : taps.first;
        taps.first -= taps.first > 0;
        taps.n_taps = last - taps.first + 1;
    }
    return taps;
}

/* Lay the rows out in the block. */
static void place_rows(struct reducer *reducer, bool has_range)
{
    const size_t source_doubles = (size_t)reducer->source->extent.width * 4;
    const size_t row_doubles = (size_t)reducer->extent.width * 4;
    double *next = reducer->block;
    reducer->weights = take(&next, (size_t)reducer->extent.width * reducer->n_max_taps);
    reducer->decoded = take(&next, source_doubles);
    if (reducer->is_premultiplied) {
        reducer->weighted = take(&next, source_doubles);
        reducer->joined = take(&next, row_doubles);
    }
    for (uint32_t i = 0; i < reducer->n_max_taps; i++) {
        struct reduced_row *slot = &reducer->cache[i];
        *slot = (struct reduced_row){.row = NO_ROW, .value = take(&next, row_doubles)};
        if (reducer->is_premultiplied) {
            slot->weighted = take(&next, row_doubles);
        }
        if (has_range) {
            slot->low = take(&next, row_doubles);
            slot->high = take(&next, row_doubles);
        }
    }
}

static void place_taps(struct reducer *reducer)
{
    const uint32_t n_source = reducer->source->extent.width;
    for (uint32_t x = 0; x < reducer->extent.width; x++) {
        const struct mb_taps taps = mb_filter_taps(reducer->filter.policy, n_source, x);
        double *const weight = reducer->weights + (size_t)x * reducer->n_max_taps;
        memcpy(weight, taps.weight, reducer->n_max_taps * sizeof *weight);
        reducer->taps[x] = (struct placed_taps){taps.first, taps.n_taps, weight};
        if (reducer->widened != NULL) {
            reducer->widened[x] = widened(&reducer->filter, n_source, reducer->taps[x]);
        }
    }
}

MB_MUST_CHECK static enum mb_status reducer_init(struct reducer *reducer,
                                                 const struct mb_filter *filter,
                                                 const struct mb_plane *source, bool has_range,
                                                 struct mb_err *err)
{
    const struct mb_extent extent = mb_level_extent(source->extent, 1);
    const bool is_average = filter->reduce == MB_REDUCE_AVG;
    const bool has_alpha = source->format == NULL || source->format->n_channels == 4;
    const bool is_premultiplied =
        is_average && has_alpha && filter->alpha == MB_ALPHA_PREMULTIPLIED;
    const size_t n_kinds = is_premultiplied ? 2 : 1;
    const uint32_t n_max_taps = mb_policy_is_wide(filter->policy) ? MB_MAX_TAPS : N_NARROW_TAPS;
    const size_t n_rows =
        n_max_taps * (n_kinds + (has_range ? 2 : 0)) + (is_premultiplied ? 1 : 0);
    const size_t n_doubles = (size_t)source->extent.width * 4 * n_kinds +
                             (size_t)extent.width * (4 * n_rows + n_max_taps);

    *reducer = (struct reducer){
        .source = source,
        .extent = extent,
        .filter = *filter,
        .is_halving = is_average && source->extent.width > 1 &&
                      !mb_policy_is_wide(filter->policy) &&
                      (filter->policy == MB_POLICY_FLOOR || source->extent.width % 2 == 0),
        .is_premultiplied = is_premultiplied,
        .n_max_taps = n_max_taps,
        .taps = mb_malloc(extent.width * sizeof *reducer->taps),
        .widened = has_range ? mb_malloc(extent.width * sizeof *reducer->widened) : NULL,
        .block = mb_malloc(n_doubles * sizeof *reducer->block),
    };
    if (reducer->taps == NULL || reducer->block == NULL ||
        (has_range && reducer->widened == NULL)) {
        reducer_finish(reducer);
        return MB_FAIL(err, MB_ERRC_RUNTIME, "golden model: out of memory");
    }
    place_rows(reducer, has_range);
    place_taps(reducer);
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

static void reduce_many(const double *restrict source, const struct placed_taps *taps,
                        uint32_t width, double *restrict out)
{
    for (size_t x = 0; x < width; x++) {
        const double *s = source + (size_t)taps[x].first * 4;
        double sum[4] = {0.0, 0.0, 0.0, 0.0};
        for (size_t i = 0; i < taps[x].n_taps; i++) {
            const double weight = taps[x].weight[i];
            for (size_t c = 0; c < 4 && weight != 0.0; c++) {
                sum[c] += weight * s[i * 4 + c];
            }
        }
        memcpy(out + x * 4, sum, sizeof sum);
    }
}

static void reduce_taps(const double *restrict source, const struct placed_taps *taps,
                        uint32_t width, double *restrict out)
{
    for (size_t x = 0; x < width; x++) {
        const struct placed_taps *t = &taps[x];
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

/* Lower `low` and raise `high`, either may be NULL, to hold `n` more values. NaN is left out.
 */
static void widen(double *restrict low, double *restrict high, const double *add_low,
                  const double *add_high, size_t n)
{
    for (size_t i = 0; low != NULL && i < n; i++) {
        low[i] = add_low[i] < low[i] || low[i] != low[i] ? add_low[i] : low[i];
    }
    for (size_t i = 0; high != NULL && i < n; i++) {
        high[i] = add_high[i] > high[i] || high[i] != high[i] ? add_high[i] : high[i];
    }
}

/* The least and the largest value under each texel; either may be NULL. */
static void reduce_extremes(const double *source, const struct placed_taps *taps,
                            uint32_t width, double *low, double *high)
{
    for (size_t x = 0; x < width; x++) {
        const double *s = source + (size_t)taps[x].first * 4;
        double *const l = low != NULL ? low + x * 4 : NULL;
        double *const h = high != NULL ? high + x * 4 : NULL;
        if (l != NULL) {
            memcpy(l, s, 4 * sizeof *s);
        }
        if (h != NULL) {
            memcpy(h, s, 4 * sizeof *s);
        }
        for (size_t i = 1; i < taps[x].n_taps; i++) {
            widen(l, h, s + i * 4, s + i * 4, 4);
        }
    }
}

static void reduce_average(const struct reducer *reducer, const double *source, double *out)
{
    if (reducer->is_halving) {
        reduce_halves(source, reducer->extent.width, out);
    } else if (reducer->n_max_taps > N_NARROW_TAPS) {
        reduce_many(source, reducer->taps, reducer->extent.width, out);
    } else {
        reduce_taps(source, reducer->taps, reducer->extent.width, out);
    }
}

static void multiply_by_alpha(const double *restrict rgba, size_t n, double *restrict out)
{
    for (size_t i = 0; i < n * 4; i += 4) {
        const double alpha = rgba[i + 3];
        out[i] = rgba[i] * alpha;
        out[i + 1] = rgba[i + 1] * alpha;
        out[i + 2] = rgba[i + 2] * alpha;
        out[i + 3] = alpha;
    }
}

/* Source row `row` as doubles. */
static const double *decode_row(struct reducer *reducer, uint32_t row)
{
    const struct mb_plane *plane = reducer->source;
    const size_t first = (size_t)row * plane->extent.width;
    if (plane->format == NULL) {
        return (const double *)plane->texels + first * 4;
    }
    mb_format_decode(plane->format,
                     (const uint8_t *)plane->texels + first * plane->format->texel_bytes,
                     plane->extent.width, reducer->decoded);
    return reducer->decoded;
}

/* Source row `row` reduced along x, from the cache or made now. */
static const struct reduced_row *reducer_row(struct reducer *reducer, uint32_t row)
{
    struct reduced_row *slot = &reducer->cache[row % reducer->n_max_taps];
    if (slot->row == row) {
        return slot;
    }
    const uint32_t width = reducer->extent.width;
    const double *decoded = decode_row(reducer, row);
    switch (reducer->filter.reduce) {
    case MB_REDUCE_AVG:
        reduce_average(reducer, decoded, slot->value);
        break;
    case MB_REDUCE_MIN:
        reduce_extremes(decoded, reducer->taps, width, slot->value, NULL);
        break;
    case MB_REDUCE_MAX:
        reduce_extremes(decoded, reducer->taps, width, NULL, slot->value);
        break;
    }
    if (slot->weighted != NULL) {
        multiply_by_alpha(decoded, reducer->source->extent.width, reducer->weighted);
        reduce_average(reducer, reducer->weighted, slot->weighted);
    }
    if (slot->low != NULL) {
        reduce_extremes(decoded, reducer->widened, width, slot->low, slot->high);
    }
    slot->row = row;
    return slot;
}

static void add_row(double weight, const double *restrict row, size_t n, double *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] += weight * row[i];
    }
}

/* The weighted sum of the rows under a texel, `n` doubles each. */
static void sum_rows(const struct placed_taps *taps, const double *const *rows, size_t n,
                     double *restrict out)
{
    if (taps->n_taps > N_NARROW_TAPS) {
        memset(out, 0, n * sizeof *out);
        for (uint32_t i = 0; i < taps->n_taps; i++) {
            if (taps->weight[i] != 0.0) {
                add_row(taps->weight[i], rows[i], n, out);
            }
        }
        return;
    }
    const double w0 = taps->weight[0], w1 = taps->weight[1], w2 = taps->weight[2];
    const double *restrict r0 = rows[0], *restrict r1 = rows[1], *restrict r2 = rows[2];
    if (taps->n_taps == 1) {
        memcpy(out, r0, n * sizeof *out);
    } else if (taps->n_taps == 2) {
        for (size_t i = 0; i < n; i++) {
            out[i] = w0 * r0[i] + w1 * r1[i];
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            out[i] = w0 * r0[i] + w1 * r1[i] + w2 * r2[i];
        }
    }
}

/* Join the rows under one row of the result: `value` of each into `out`, `n` doubles. */
static void join_rows(const struct reducer *reducer, const struct placed_taps *taps,
                      const struct reduced_row *const *rows, size_t n, double *out)
{
    const double *values[MB_MAX_TAPS] = {0};
    for (uint32_t i = 0; i < taps->n_taps; i++) {
        values[i] = rows[i]->value;
    }
    if (reducer->filter.reduce == MB_REDUCE_AVG) {
        sum_rows(taps, values, n, out);
        return;
    }
    const bool is_min = reducer->filter.reduce == MB_REDUCE_MIN;
    memcpy(out, values[0], n * sizeof *out);
    for (uint32_t i = 1; i < taps->n_taps; i++) {
        widen(is_min ? out : NULL, is_min ? NULL : out, values[i], values[i], n);
    }
}

/* Replace the straight averages of colour in `out` by those weighed by alpha, but where the
 * averaged alpha is 0. */
static void weigh_by_alpha(const struct reducer *reducer, const struct placed_taps *taps,
                           const struct reduced_row *const *rows, size_t n, double *out)
{
    const double *values[MB_MAX_TAPS] = {0};
    for (uint32_t i = 0; i < taps->n_taps; i++) {
        values[i] = rows[i]->weighted;
    }
    double *const joined = reducer->joined;
    sum_rows(taps, values, n, joined);
    for (size_t i = 0; i < n; i += 4) {
        const double alpha = out[i + 3];
        for (size_t c = 0; c < 3 && alpha != 0.0; c++) {
            out[i + c] = joined[i + c] / alpha;
        }
    }
}

static void gather_rows(struct reducer *reducer, const struct placed_taps *taps,
                        const struct reduced_row **rows)
{
    for (uint32_t i = 0; i < taps->n_taps; i++) {
        rows[i] = reducer_row(reducer, taps->first + i);
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

enum mb_status mb_golden_rows(const struct mb_next_level *next, uint32_t row_begin,
                              uint32_t row_end, struct mb_err *err)
{
    enum mb_status status;
    struct reducer reducer;
    const uint32_t height = next->source->extent.height;
    MB_TRY(reducer_init(&reducer, next->filter, next->source, next->range != NULL, err));

    const size_t row_doubles = (size_t)reducer.extent.width * 4;
    for (uint32_t y = row_begin; y < row_end; y++) {
        const struct mb_taps below = mb_filter_taps(next->filter->policy, height, y);
        const struct placed_taps taps = {below.first, below.n_taps, below.weight};
        const struct reduced_row *rows[MB_MAX_TAPS] = {0};
        gather_rows(&reducer, &taps, rows);
        double *dst = next->dst + y * row_doubles;
        join_rows(&reducer, &taps, rows, row_doubles, dst);
        if (reducer.is_premultiplied) {
            weigh_by_alpha(&reducer, &taps, rows, row_doubles, dst);
        }
        if (next->range != NULL) {
            const struct placed_taps wide = widened(next->filter, height, taps);
            gather_rows(&reducer, &wide, rows);
            spread_rows(wide.n_taps, rows, row_doubles, next->range + y * row_doubles);
        }
    }
    reducer_finish(&reducer);
    return MB_OK;
fail:
    return status;
}

/* A level being made by several workers. */
struct level_job {
    struct mb_next_level next;
    enum mb_status status[MB_PARALLEL_MAX_WORKERS];
    struct mb_err err[MB_PARALLEL_MAX_WORKERS];
};

static void level_job_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    struct level_job *job = ctx;
    job->status[worker] = mb_golden_rows(&job->next, row_begin, row_end, &job->err[worker]);
}

enum mb_status mb_golden_level(const struct mb_filter *filter, const struct mb_plane *source,
                               double *dst, double *range, struct mb_err *err)
{
    struct level_job job = {.next = {filter, source, dst, range}};
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

enum mb_status mb_ideal_init(struct mb_ideal *ideal, const struct mb_filter *filter,
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
        MB_TRY(mb_golden_level(filter, &source, ideal->level[level], NULL, err));
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
