/* The reference: separable filtering of one level into the next, in double precision.
 *
 * A source row is decoded and reduced along x once, and kept as long as rows of the result need
 * it; a row of the result then joins reduced rows. All loops run over contiguous doubles, so
 * that the compiler vectorises them. */
#include "image/reference.h"

#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

#define N_NARROW_TAPS 3u /* at most, for policies that are not wide */
#define NO_ROW        UINT32_MAX
#define CHUNK_DOUBLES 512u /* of a row, which stay in the first-level cache */

/* What is filtered of each row. */
enum part {
    PART_VALUE,    /* all channels, as the filter says */
    PART_LEAST,    /* of the taps and their neighbours (taps_of) */
    PART_GREATEST, /* of the same texels */
    PART_WEIGHED,  /* mean of colour times alpha; last: multiplies `decoded` in place */
    N_PARTS
};

/* Taps of one texel; does not own the weights. */
struct placed_taps {
    uint32_t first, n_taps;
    const double *weight;
};

/* One worker's state. */
struct reducer {
    const struct mb_plane *source;
    struct mb_extent extent; /* of the result */
    enum mb_policy policy;
    bool is_needed[N_PARTS];
    enum mb_reduce reduce[N_PARTS];
    bool is_halving;          /* every texel along x is the mean of 2x and 2x + 1 */
    uint32_t n_max_taps;      /* also the rows cached: consecutive ones share no slot */
    struct placed_taps *taps; /* [extent.width], along x; owned */
    double *weights;          /* [extent.width][n_max_taps]; owned, with the rows below */
    double *decoded;          /* rgba[source width][4] */
    double *joined[N_PARTS];  /* rgba[extent.width][4], as all rows below */
    double *reduced[N_PARTS][MB_MAX_TAPS]; /* source rows reduced along x */
    uint32_t row[MB_MAX_TAPS];             /* the source row in each slot */
};

static void reducer_finish(struct reducer *reducer)
{
    mb_free(reducer->weights);
    mb_free(reducer->taps);
}

/* The taps that an inexact filter may read: `taps`, and the texels on both sides of a single
 * tap, whose weights are 0 only if the position is exact. */
static struct placed_taps taps_of(const struct reducer *reducer, enum part part,
                                  uint32_t n_source, struct placed_taps taps)
{
    const bool is_widened = part == PART_LEAST || part == PART_GREATEST;
    if (is_widened && reducer->policy == MB_POLICY_BLIT && taps.n_taps == 1) {
        const uint32_t last = taps.first + 1 < n_source ? taps.first + 1 : taps.first;
        taps.first -= taps.first > 0;
        taps.n_taps = last - taps.first + 1;
    }
    return taps;
}

static void place_taps(struct reducer *reducer)
{
    const uint32_t n_source = reducer->source->extent.width;
    reducer->is_halving = true;
    for (uint32_t x = 0; x < reducer->extent.width; x++) {
        const struct mb_taps taps = mb_filter_taps(reducer->policy, n_source, x);
        double *const weight = reducer->weights + (size_t)x * reducer->n_max_taps;
        memcpy(weight, taps.weight, reducer->n_max_taps * sizeof *weight);
        reducer->taps[x] = (struct placed_taps){taps.first, taps.n_taps, weight};
        reducer->is_halving &= taps.first == 2 * x && taps.n_taps == 2 && weight[0] == 0.5;
    }
}

/* Place the rows in the block, behind the weights. */
static void place_rows(struct reducer *reducer)
{
    const size_t row_doubles = (size_t)reducer->extent.width * 4;
    double *next = reducer->weights + (size_t)reducer->extent.width * reducer->n_max_taps;
    for (uint32_t part = 0; part < N_PARTS; part++) {
        if (reducer->is_needed[part]) {
            reducer->joined[part] = next;
            for (uint32_t i = 0; i < reducer->n_max_taps; i++) {
                reducer->reduced[part][i] = next += row_doubles;
            }
            next += row_doubles;
        }
    }
    for (uint32_t i = 0; i < reducer->n_max_taps; i++) {
        reducer->row[i] = NO_ROW;
    }
    reducer->decoded = next;
}

/* False if out of memory. */
static bool reducer_init(struct reducer *reducer, const struct mb_filter *filter,
                         const struct mb_plane *source, bool has_range)
{
    const struct mb_extent extent = mb_level_extent(source->extent, 1);
    const uint32_t n_max_taps = mb_policy_is_wide(filter->policy) ? MB_MAX_TAPS : N_NARROW_TAPS;
    const bool is_weighted = mb_weighs_alpha(filter->reduce, filter->alpha, source->format);
    const size_t n_rows = (1u + 2u * has_range + is_weighted) * (1 + n_max_taps);
    const size_t n_doubles =
        (size_t)source->extent.width * 4 + (size_t)extent.width * (n_max_taps + 4 * n_rows);
    *reducer = (struct reducer){
        .source = source,
        .extent = extent,
        .policy = filter->policy,
        .is_needed = {true, has_range, has_range, is_weighted},
        .reduce = {filter->reduce, MB_REDUCE_MIN, MB_REDUCE_MAX, MB_REDUCE_AVG},
        .n_max_taps = n_max_taps,
        .taps = mb_malloc(extent.width * sizeof *reducer->taps),
        .weights = mb_malloc(n_doubles * sizeof *reducer->weights),
    };
    if (reducer->taps == NULL || reducer->weights == NULL) {
        return false;
    }
    place_rows(reducer);
    place_taps(reducer);
    return true;
}

/* Source row `row` as doubles. */
static void decode_row(const struct reducer *reducer, uint32_t row)
{
    const struct mb_plane *plane = reducer->source;
    const size_t width = plane->extent.width, first = (size_t)row * width;
    if (plane->format == NULL) {
        memcpy(reducer->decoded, (const double *)plane->texels + first * 4,
               width * 4 * sizeof *reducer->decoded);
    } else {
        mb_format_decode(plane->format,
                         (const uint8_t *)plane->texels + first * plane->format->texel_bytes,
                         width, reducer->decoded);
    }
}

static void multiply_by_alpha(double *rgba, size_t n)
{
    for (size_t i = 0; i < n * 4; i += 4) {
        for (size_t c = 0; c < 3; c++) {
            rgba[i + c] *= rgba[i + 3];
        }
    }
}

/* out[i] = the extreme of out[i] and more[i], for `n` values. NaN is left out. */
static void take_extremes(enum mb_reduce reduce, const double *restrict more, size_t n,
                          double *restrict out)
{
    for (size_t i = 0; reduce == MB_REDUCE_MIN && i < n; i++) {
        out[i] = more[i] < out[i] || out[i] != out[i] ? more[i] : out[i];
    }
    for (size_t i = 0; reduce == MB_REDUCE_MAX && i < n; i++) {
        out[i] = more[i] > out[i] || out[i] != out[i] ? more[i] : out[i];
    }
}

static void reduce_halves(const double *restrict source, uint32_t width, double *restrict out)
{
    for (size_t x = 0; x < width; x++) {
        for (size_t c = 0; c < 4; c++) {
            out[x * 4 + c] = 0.5 * (source[x * 8 + c] + source[x * 8 + 4 + c]);
        }
    }
}

/* Weighted means along x. A weight of 0 lets no infinity through. */
static void reduce_means(const double *restrict source, const struct placed_taps *taps,
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

static void reduce_extremes(const struct reducer *reducer, enum part part, double *out)
{
    const uint32_t n_source = reducer->source->extent.width;
    for (size_t x = 0; x < reducer->extent.width; x++, out += 4) {
        const struct placed_taps taps = taps_of(reducer, part, n_source, reducer->taps[x]);
        const double *s = reducer->decoded + (size_t)taps.first * 4;
        memcpy(out, s, 4 * sizeof *s);
        for (size_t i = 1; i < taps.n_taps; i++) {
            take_extremes(reducer->reduce[part], s + i * 4, 4, out);
        }
    }
}

/* Reduce source row `row` along x, unless it is in the cache. */
static void reduce_row(struct reducer *reducer, uint32_t row)
{
    const uint32_t slot = row % reducer->n_max_taps;
    if (reducer->row[slot] == row) {
        return;
    }
    reducer->row[slot] = row;
    decode_row(reducer, row);
    for (enum part part = 0; part < N_PARTS; part++) {
        double *const out = reducer->reduced[part][slot];
        if (!reducer->is_needed[part]) {
            continue;
        }
        if (part == PART_WEIGHED) {
            multiply_by_alpha(reducer->decoded, reducer->source->extent.width);
        }
        if (reducer->reduce[part] != MB_REDUCE_AVG) {
            reduce_extremes(reducer, part, out);
        } else if (reducer->is_halving) {
            reduce_halves(reducer->decoded, reducer->extent.width, out);
        } else {
            reduce_means(reducer->decoded, reducer->taps, reducer->extent.width, out);
        }
    }
}

/* out = weight * row if `is_first`, else out += weight * row. */
static void add_row(double weight, const double *restrict row, size_t n, bool is_first,
                    double *restrict out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (is_first ? 0.0 : out[i]) + weight * row[i];
    }
}

static void join_rows(const struct reducer *reducer, enum part part,
                      const struct placed_taps *taps)
{
    const enum mb_reduce reduce = reducer->reduce[part];
    const size_t n_doubles = (size_t)reducer->extent.width * 4;
    for (size_t at = 0; at < n_doubles; at += CHUNK_DOUBLES) {
        const size_t n = n_doubles - at < CHUNK_DOUBLES ? n_doubles - at : CHUNK_DOUBLES;
        double *const out = reducer->joined[part] + at;
        bool is_first = true;
        for (uint32_t i = 0; i < taps->n_taps; i++) {
            const uint32_t slot = (taps->first + i) % reducer->n_max_taps;
            const double *row = reducer->reduced[part][slot] + at;
            if (reduce == MB_REDUCE_AVG && taps->weight[i] == 0.0) {
                continue;
            }
            if (reduce == MB_REDUCE_AVG) {
                add_row(taps->weight[i], row, n, is_first, out);
            } else if (is_first) {
                memcpy(out, row, n * sizeof *row);
            } else {
                take_extremes(reduce, row, n, out);
            }
            is_first = false;
        }
    }
}

/* Row `y` of the result at `dst`, and of the range if that is not NULL. */
static void make_row(struct reducer *reducer, uint32_t y, double *dst, double *range)
{
    const uint32_t height = reducer->source->extent.height;
    const struct mb_taps below = mb_filter_taps(reducer->policy, height, y);
    const struct placed_taps narrow = {below.first, below.n_taps, below.weight};
    double *const *const joined = reducer->joined;
    const size_t n = (size_t)reducer->extent.width * 4;
    for (enum part part = 0; part < N_PARTS; part++) {
        const struct placed_taps taps = taps_of(reducer, part, height, narrow);
        for (uint32_t i = 0; reducer->is_needed[part] && i < taps.n_taps; i++) {
            reduce_row(reducer, taps.first + i);
        }
        if (reducer->is_needed[part]) {
            join_rows(reducer, part, &taps);
        }
    }
    memcpy(dst, joined[PART_VALUE], n * sizeof *dst);
    for (size_t i = 0; reducer->is_needed[PART_WEIGHED] && i < n; i += 4) {
        for (size_t c = 0; c < 3 && dst[i + 3] != 0.0; c++) {
            dst[i + c] = joined[PART_WEIGHED][i + c] / dst[i + 3];
        }
    }
    for (size_t i = 0; range != NULL && i < n; i++) {
        range[i] = joined[PART_GREATEST][i] - joined[PART_LEAST][i];
    }
}

/* A level being made by several workers. */
struct level_job {
    const struct mb_filter *filter;
    const struct mb_plane *source;
    double *dst, *range;
    bool has_memory[MB_PARALLEL_MAX_WORKERS];
};

static void level_job_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    struct level_job *job = ctx;
    struct reducer reducer;
    job->has_memory[worker] =
        reducer_init(&reducer, job->filter, job->source, job->range != NULL);
    for (uint32_t y = row_begin; job->has_memory[worker] && y < row_end; y++) {
        const size_t at = (size_t)y * reducer.extent.width * 4;
        make_row(&reducer, y, job->dst + at, job->range != NULL ? job->range + at : NULL);
    }
    reducer_finish(&reducer);
}

enum mb_status mb_golden_level(const struct mb_filter *filter, const struct mb_plane *source,
                               double *dst, double *range, struct mb_err *err)
{
    struct level_job job = {filter, source, dst, range, {false}};
    const struct mb_extent extent = mb_level_extent(source->extent, 1);
    const uint32_t n_workers =
        mb_parallel_rows(extent.height, extent.width, level_job_rows, &job);
    for (uint32_t i = 0; i < n_workers; i++) {
        MB_DO(MB_NEED(job.has_memory[i], "golden model"));
    }
    return MB_OK;
}

enum mb_status mb_ideal_init(struct mb_ideal *ideal, const struct mb_filter *filter,
                             const struct mb_plane *level0, uint32_t n_levels,
                             struct mb_err *err)
{
    enum mb_status status;
    struct mb_plane source = *level0;
    *ideal = (struct mb_ideal){.n_levels = n_levels};

    for (uint32_t level = 1; level < n_levels; level++) {
        const struct mb_extent extent = mb_level_extent(level0->extent, level);
        ideal->level[level] =
            mb_malloc((size_t)extent.width * extent.height * 4 * sizeof(double));
        MB_TRY(MB_NEED(ideal->level[level], "golden model"));
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
