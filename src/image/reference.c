/* The reference: separable filtering of one level into the next, in double precision.
 *
 * Each enum pass goes over the level once. A pass decodes a source row and reduces it along x
 * once, and keeps it as long as rows of the result need it; it then reduces these rows along y
 * to a row of the result. All loops run over contiguous doubles, so that the compiler
 * vectorises them. */
#include "image/reference.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"

#define N_NARROW_TAPS 3u /* the most taps of policies that are not wide */
#define NO_ROW        UINT32_MAX

/* The passes over a level, in this order, by what they compute from the taps. */
enum pass {
    PASS_VALUE,    /* the filter's result */
    PASS_WEIGHED,  /* mean of colour times alpha */
    PASS_GREATEST, /* of the taps that taps_at() gives */
    PASS_LEAST,    /* of the same taps */
};

/* One worker's state in a pass. */
struct reducer {
    const struct mb_plane *source;
    struct mb_extent extent; /* of the result */
    enum mb_policy policy;
    enum pass pass;
    enum mb_reduce reduce;
    uint32_t n_max_taps;       /* also the number of slots; consecutive rows share none */
    struct mb_taps *taps;      /* [extent.width], along x; owned */
    double *decoded;           /* rgba[source width][4]; owned, with the rows below */
    double *joined;            /* the result row, rgba[extent.width][4] */
    double *reduced;           /* [n_max_taps] cached rows: source rows reduced along x */
    uint32_t row[MB_MAX_TAPS]; /* the source row in each slot */
};

static void reducer_finish(struct reducer *reducer)
{
    mb_free(reducer->decoded);
    mb_free(reducer->taps);
}

/* The taps of texel `x` along an axis. For the range under MB_POLICY_BLIT, the texels on both
 * sides of a single tap are added: their weights are 0 only if the position is exact. */
static struct mb_taps taps_at(const struct reducer *reducer, uint32_t n_source, uint32_t x)
{
    const bool is_widened = reducer->pass == PASS_LEAST || reducer->pass == PASS_GREATEST;
    struct mb_taps taps = mb_filter_taps(reducer->policy, n_source, x);
    if (is_widened && reducer->policy == MB_POLICY_BLIT && taps.n_taps == 1) {
        const uint32_t last = taps.first + 1 < n_source ? taps.first + 1 : taps.first;
        taps.first -= taps.first > 0;
        taps.n_taps = last - taps.first + 1;
    }
    return taps;
}

/* False if out of memory. */
static bool reducer_init(struct reducer *reducer, const struct mb_filter *filter,
                         const struct mb_plane *source, enum pass pass)
{
    static const enum mb_reduce reduces[] = {[PASS_WEIGHED] = MB_REDUCE_AVG,
                                             [PASS_GREATEST] = MB_REDUCE_MAX,
                                             [PASS_LEAST] = MB_REDUCE_MIN};
    const struct mb_extent extent = mb_level_extent(source->extent, 1);
    const uint32_t n_max_taps = mb_policy_is_wide(filter->policy) ? MB_MAX_TAPS : N_NARROW_TAPS;
    const size_t source_doubles = (size_t)source->extent.width * 4;
    const size_t row_doubles = (size_t)extent.width * 4;
    const size_t n_doubles = source_doubles + row_doubles * (1 + n_max_taps);
    *reducer = (struct reducer){
        .source = source,
        .extent = extent,
        .policy = filter->policy,
        .pass = pass,
        .reduce = pass == PASS_VALUE ? filter->reduce : reduces[pass],
        .n_max_taps = n_max_taps,
        .taps = mb_malloc(extent.width * sizeof *reducer->taps),
        .decoded = mb_malloc(n_doubles * sizeof *reducer->decoded),
    };
    if (reducer->taps == NULL || reducer->decoded == NULL) {
        return false;
    }
    reducer->joined = reducer->decoded + source_doubles;
    reducer->reduced = reducer->joined + row_doubles;
    for (uint32_t i = 0; i < n_max_taps; i++) {
        reducer->row[i] = NO_ROW;
    }
    for (uint32_t x = 0; x < extent.width; x++) {
        reducer->taps[x] = taps_at(reducer, source->extent.width, x);
    }
    return true;
}

/* Source row `row` as doubles. */
static void decode_row(const struct reducer *reducer, uint32_t row)
{
    const struct mb_plane *plane = reducer->source;
    const size_t width = plane->extent.width, first = (size_t)row * width;
    double *const rgba = reducer->decoded;
    if (plane->format == NULL) {
        memcpy(rgba, (const double *)plane->texels + first * 4, width * 4 * sizeof *rgba);
    } else {
        mb_format_decode(plane->format,
                         (const uint8_t *)plane->texels + first * plane->format->texel_bytes,
                         width, rgba);
    }
    for (size_t i = 0; reducer->pass == PASS_WEIGHED && i < width * 4; i += 4) {
        for (size_t c = 0; c < 3; c++) {
            rgba[i + c] *= rgba[i + 3];
        }
    }
}

/* Initialize `out`: to 0 for a mean; for an extreme, to NaN, which any value replaces. */
static void clear(enum mb_reduce reduce, size_t n, double *out)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = reduce == MB_REDUCE_AVG ? 0.0 : (double)NAN;
    }
}

/* Add one more tap of `n` values to the means or extremes in `out`. A mean skips a weight of 0,
 * which would turn infinity into NaN. */
static inline void take(enum mb_reduce reduce, double weight, const double *restrict more,
                        size_t n, double *restrict out)
{
    for (size_t i = 0; reduce == MB_REDUCE_AVG && weight != 0.0 && i < n; i++) {
        out[i] += weight * more[i];
    }
    for (size_t i = 0; reduce == MB_REDUCE_MIN && i < n; i++) {
        out[i] = more[i] < out[i] || out[i] != out[i] ? more[i] : out[i];
    }
    for (size_t i = 0; reduce == MB_REDUCE_MAX && i < n; i++) {
        out[i] = more[i] > out[i] || out[i] != out[i] ? more[i] : out[i];
    }
}

/* Source row `row` reduced along x, from the cache if it is there. */
static const double *reduced_row(struct reducer *reducer, uint32_t row)
{
    const uint32_t slot = row % reducer->n_max_taps, width = reducer->extent.width;
    double *const out = reducer->reduced + (size_t)slot * width * 4;
    if (reducer->row[slot] == row) {
        return out;
    }
    reducer->row[slot] = row;
    decode_row(reducer, row);
    clear(reducer->reduce, (size_t)width * 4, out);
    for (size_t x = 0; x < width; x++) {
        const struct mb_taps *taps = &reducer->taps[x];
        const double *s = reducer->decoded + (size_t)taps->first * 4;
        for (size_t i = 0; i < taps->n_taps; i++) {
            take(reducer->reduce, taps->weight[i], s + i * 4, 4, out + x * 4);
        }
    }
    return out;
}

/* Make row `y` of the result, in `joined`. */
static void join_rows(struct reducer *reducer, uint32_t y)
{
    const struct mb_taps taps = taps_at(reducer, reducer->source->extent.height, y);
    const size_t n = (size_t)reducer->extent.width * 4;
    clear(reducer->reduce, n, reducer->joined);
    for (uint32_t i = 0; i < taps.n_taps; i++) {
        take(reducer->reduce, taps.weight[i], reduced_row(reducer, taps.first + i), n,
             reducer->joined);
    }
}

/* Merge a pass's row of `n` doubles into the row of the result, or of the range, at `out`. */
static void put_row(enum pass pass, const double *row, size_t n, double *out)
{
    if (pass == PASS_VALUE || pass == PASS_GREATEST) {
        memcpy(out, row, n * sizeof *row);
    }
    for (size_t i = 0; pass == PASS_WEIGHED && i < n; i += 4) {
        for (size_t c = 0; c < 3 && out[i + 3] != 0.0; c++) {
            out[i + c] = row[i + c] / out[i + 3];
        }
    }
    for (size_t i = 0; pass == PASS_LEAST && i < n; i++) {
        out[i] -= row[i];
    }
}

/* A level being made by several workers. */
struct level_job {
    const struct mb_filter *filter;
    const struct mb_plane *source;
    double *dst, *range;
    atomic_bool is_out_of_memory;
};

/* False if out of memory. */
static bool run_pass(const struct level_job *job, enum pass pass, uint32_t row_begin,
                     uint32_t row_end)
{
    double *const out = pass == PASS_VALUE || pass == PASS_WEIGHED ? job->dst : job->range;
    struct reducer reducer;
    const bool has_memory = reducer_init(&reducer, job->filter, job->source, pass);
    const size_t n = (size_t)reducer.extent.width * 4;
    for (uint32_t y = row_begin; has_memory && y < row_end; y++) {
        join_rows(&reducer, y);
        put_row(pass, reducer.joined, n, out + y * n);
    }
    reducer_finish(&reducer);
    return has_memory;
}

static void level_job_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    (void)worker;
    struct level_job *job = ctx;
    bool has_memory = run_pass(job, PASS_VALUE, row_begin, row_end);
    if (mb_weighs_alpha(job->filter->reduce, job->filter->alpha, job->source->format)) {
        has_memory = has_memory && run_pass(job, PASS_WEIGHED, row_begin, row_end);
    }
    if (job->range != NULL) {
        has_memory = has_memory && run_pass(job, PASS_GREATEST, row_begin, row_end) &&
                     run_pass(job, PASS_LEAST, row_begin, row_end);
    }
    if (!has_memory) {
        job->is_out_of_memory = true;
    }
}

enum mb_status mb_golden_level(const struct mb_filter *filter, const struct mb_plane *source,
                               double *dst, double *range, struct mb_err *err)
{
    struct level_job job = {filter, source, dst, range, false};
    const struct mb_extent extent = mb_level_extent(source->extent, 1);
    mb_parallel_rows(extent.height, extent.width, level_job_rows, &job);
    return MB_NEED(!job.is_out_of_memory, "golden model");
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
