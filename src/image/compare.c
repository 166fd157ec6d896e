/* Judging an output chain against the reference, texel by texel.
 *
 * Rows are split over threads; within a row, texels go in chunks that stay in the first-level
 * cache. Each chunk is first reduced to its largest error; only a chunk that breaks the bound
 * is looked at texel by texel. */
#include "image/compare.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "base/parallel.h"

#define CHUNK_TEXELS 256u

/* Rounding of the reference's doubles, in LSB: a tie may come out as 0.5 + 1e-14. */
#define MODEL_ROUNDING_LSB 1e-9

/* |got - want| in LSB at `want`; infinite if only one of them is NaN. */
static double distance_lsb(const struct mb_format *format, uint32_t channel, double got,
                           double want)
{
    if (got == want || (isnan(got) && isnan(want))) {
        return 0.0;
    }
    const double distance = fabs(got - want) / mb_format_lsb(format, channel, want);
    return isnan(distance) ? INFINITY : distance;
}

/* The first channel in which two texels of different bytes differ; channels lie in order from
 * the lowest bit on. Compares bits, as all NaNs decode alike. */
static uint32_t first_channel(const struct mb_format *format, const uint8_t *got,
                              const uint8_t *want)
{
    uint32_t bit = 0, channel = 0;
    while (((got[bit / 8] ^ want[bit / 8]) >> bit % 8 & 1) == 0) {
        bit++;
    }
    while (bit >= mb_format_channel(format, channel)->n_bits) {
        bit -= mb_format_channel(format, channel++)->n_bits;
    }
    return channel;
}

/* The largest distance over `n` texels, in LSB. Each channel has its own maximum, so that the
 * four comparisons of a texel do not wait for each other. */
static double max_distance_lsb(const struct mb_format *format, const double *got,
                               const double *want, size_t n)
{
    double largest[4] = {0.0, 0.0, 0.0, 0.0};
    const bool is_unorm = mb_format_is_unorm(format);
    for (size_t i = 0; is_unorm && i < n * 4; i += 4) {
        for (size_t c = 0; c < 4; c++) {
            const double distance = fabs(got[i + c] - want[i + c]);
            largest[c] = distance > largest[c] ? distance : largest[c];
        }
    }
    for (size_t i = 0; !is_unorm && i < n * 4; i += 4) {
        for (uint32_t c = 0; c < format->n_channels; c++) {
            const double distance = distance_lsb(format, c, got[i + c], want[i + c]);
            largest[c] = distance > largest[c] ? distance : largest[c];
        }
    }
    double all = 0.0;
    for (uint32_t c = 0; c < 4; c++) {
        all = fmax(all, largest[c] * mb_format_max_code(format, c));
    }
    return all;
}

/* How far the output's texels are from an unrounded chain's, by channel. */
struct distance {
    double sum_squares;
    double largest[4]; /* infinite if only one of two values is NaN */
    double peak[4];    /* the largest finite magnitude of the chain */
};

static void add_distance(struct distance *distance, const double *got, const double *want,
                         size_t n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    double *const largest = distance->largest, *const peak = distance->peak;
    for (size_t i = 0; i < n * 4; i += 4) {
        for (size_t c = 0; c < 4; c++) {
            const double d = got[i + c] == want[i + c] ? 0.0 : got[i + c] - want[i + c];
            const double off = fabs(d), magnitude = fabs(want[i + c]);
            sum[c] += d * d;
            largest[c] = off > largest[c] ? off : largest[c];
            peak[c] = magnitude > peak[c] && magnitude <= DBL_MAX ? magnitude : peak[c];
        }
    }
    const double all = sum[0] + sum[1] + sum[2] + sum[3];
    for (size_t i = 0; isnan(all) && i < n * 4; i++) {
        largest[i % 4] = isnan(got[i]) != isnan(want[i]) ? INFINITY : largest[i % 4];
    }
    distance->sum_squares += all;
}

/* Add another worker's distances. */
static void join_distance(struct distance *distance, const struct distance *other)
{
    distance->sum_squares += other->sum_squares;
    for (size_t c = 0; c < 4; c++) {
        distance->largest[c] = fmax(distance->largest[c], other->largest[c]);
        distance->peak[c] = fmax(distance->peak[c], other->peak[c]);
    }
}

/* The largest distance over the channels, in LSB at the peak of the level or of the level
 * above, whichever is larger. The ulp of the value itself measures nothing if the value is near
 * 0 because terms cancel or a minimum is 0. */
static double scaled_lsb(const struct distance *distance, const struct distance *above,
                         const struct mb_format *format)
{
    double largest_lsb = 0.0;
    for (uint32_t c = 0; c < format->n_channels; c++) {
        const double peak = fmax(distance->peak[c], above->peak[c]);
        largest_lsb = fmax(largest_lsb, distance->largest[c] / mb_format_lsb(format, c, peak));
    }
    return largest_lsb;
}

/* Counts only the channels that the format has. */
static double psnr_db(const struct distance *noise, const struct mb_format *format,
                      uint64_t n_texels)
{
    if (noise->sum_squares == 0.0) {
        return INFINITY;
    }
    double peak = mb_format_is_unorm(format) ? 1.0 : 0.0;
    for (uint32_t c = 0; c < format->n_channels && !mb_format_is_unorm(format); c++) {
        peak = fmax(peak, noise->peak[c]);
    }
    const double n_values = (double)n_texels * format->n_channels;
    return 10.0 * log10(peak * peak * n_values / noise->sum_squares);
}

/* How far a level is from two unrounded chains: its own policy's and box's. */
struct distances {
    struct distance drift, box;
};

/* One worker's findings. */
struct tally {
    struct mb_level_verdict level; /* its step error and number of bad texels */
    struct distances from;
    struct mb_bad_texel first_bad;
    bool is_doubted; /* level 0 has values that are not ordinary */
};

/* A chain whose levels are judged one after another, each by several workers, while the
 * reference of the step error is computed level by level. Of each pair of buffers, index
 * level & 1 holds the level, the other index the level above it. */
struct level_job {
    const struct mb_judged_chain *chain;
    struct mb_step step; /* to this level */
    struct mb_extent extent;
    uint32_t level;
    const uint8_t *output;            /* stored texels */
    const double *want, *ideal, *box; /* linear; NULL for level 0 */
    double *range;                    /* or NULL */
    const double *doubt;              /* or NULL: all values are ordinary */
    double least_bound_lsb;           /* no texel's bound is lower */
    struct distances from;            /* until this level is judged: of the level above */
    bool is_doubted;                  /* level 0 has values that are not ordinary */
    bool was_reread;               /* a stored level was re-read: `want` is no longer `ideal` */
    double *wanted[2], *doubts[2]; /* owned; NULL if not needed */
    double *ranges;                /* owned; NULL if not needed */
    struct tally tally[MB_PARALLEL_MAX_WORKERS];
};

/* `want` and `got` are coded. The caller sets level, layer, x and y. */
static struct mb_bad_texel bad_texel(const struct mb_format *format, uint32_t channel,
                                     double want, double got)
{
    const double max_code = mb_format_max_code(format, channel);
    return (struct mb_bad_texel){
        .found = true,
        .channel = channel,
        .want = want * max_code,
        .got = got * max_code,
        .error_lsb = distance_lsb(format, channel, got, want),
    };
}

/* Count texel `texel` of the level as bad; keep `bad` if it is the first. */
static void tally_bad(struct tally *tally, const struct level_job *job, size_t texel,
                      struct mb_bad_texel bad)
{
    if (tally->level.n_bad_texels++ == 0) {
        bad.level = job->level;
        bad.layer = job->chain->layer;
        bad.x = (uint32_t)(texel % job->extent.width);
        bad.y = (uint32_t)(texel / job->extent.width);
        tally->first_bad = bad;
    }
}

/* The error of value `i` of the level, less the error that its doubt allows. */
static double step_error_lsb(const struct level_job *job, size_t i, double got, double want)
{
    const double error_lsb = distance_lsb(job->step.format, i % 4, got, want);
    if (job->doubt == NULL) {
        return error_lsb;
    }
    const double allowed_lsb =
        mb_doubt_lsb(&job->step, i % 4, job->want[i], got, job->doubt[i]);
    return error_lsb <= allowed_lsb ? 0.0 : error_lsb - allowed_lsb;
}

/* The largest step error of `n` texels from `texel`. */
static double max_step_error_lsb(const struct level_job *job, size_t texel, const double *got,
                                 const double *want, size_t n)
{
    double largest_lsb = 0.0;
    if (job->doubt == NULL) {
        return max_distance_lsb(job->step.format, got, want, n);
    }
    for (size_t i = 0; i < n * 4; i++) {
        largest_lsb = fmax(largest_lsb, step_error_lsb(job, texel * 4 + i, got[i], want[i]));
    }
    return largest_lsb;
}

/* Find the bad texels among `n` from `texel`: `got` and `want` start there and are coded. */
static void find_bad(struct tally *tally, const struct level_job *job, size_t texel,
                     const double *got, const double *want, size_t n)
{
    for (size_t i = 0; i < n * 4; i++) {
        const size_t at = texel * 4 + i;
        const double range = job->range != NULL ? job->range[at] : 0.0;
        const double bound_lsb =
            mb_tolerance_bound_lsb(&job->step, i % 4, job->want[at], range);
        if (step_error_lsb(job, at, got[i], want[i]) > bound_lsb + MODEL_ROUNDING_LSB) {
            struct mb_bad_texel bad = bad_texel(job->step.format, i % 4, want[i], got[i]);
            bad.bound_lsb = bound_lsb;
            tally_bad(tally, job, at / 4, bad);
            i |= 3; /* a texel counts once */
        }
    }
}

/* `n` texels of a linear level from `texel`, on the scale of codes: `level` itself, or a copy
 * in `buffer` if they must be converted. Wide kernels overshoot: values beyond the format's
 * range are clamped to it. */
static const double *coded(const struct level_job *job, const double *level, size_t texel,
                           size_t n, double *buffer)
{
    const struct mb_format *format = job->step.format;
    level += texel * 4;
    if (mb_policy_is_wide(job->step.tolerance->filter.policy)) {
        mb_format_hold(format, level, n, buffer);
        level = buffer;
    }
    if (format->codec == MB_CODEC_SRGB8) {
        mb_format_to_coded(format, level, n, buffer);
        level = buffer;
    }
    return level;
}

/* Judge `n` texels from `texel` of a level below the base. If two chains are the same array,
 * it is converted and compared once. */
static void judge_chunk(struct tally *tally, const struct level_job *job, size_t texel,
                        size_t n)
{
    double got[CHUNK_TEXELS * 4], buffer[3][CHUNK_TEXELS * 4];
    const struct mb_format *format = job->step.format;
    mb_format_decode_coded(format, job->output + texel * format->texel_bytes, n, got);
    if (mb_policy_is_wide(job->step.tolerance->filter.policy)) {
        mb_format_hold(format, got, n, got);
    }

    const double *want = coded(job, job->want, texel, n, buffer[0]);
    const double step_lsb = max_step_error_lsb(job, texel, got, want, n);
    const double *ideal = want;
    if (job->ideal != job->want) {
        ideal = coded(job, job->ideal, texel, n, buffer[1]);
    }
    add_distance(&tally->from.drift, got, ideal, n);
    if (job->box != job->ideal) {
        add_distance(&tally->from.box, got, coded(job, job->box, texel, n, buffer[2]), n);
    }
    tally->level.max_error_lsb = fmax(tally->level.max_error_lsb, step_lsb);
    if (step_lsb > job->least_bound_lsb + MODEL_ROUNDING_LSB) {
        find_bad(tally, job, texel, got, want, n);
    }
}

static void judge_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    struct level_job *job = ctx;
    const size_t end = (size_t)row_end * job->extent.width;
    for (size_t texel = (size_t)row_begin * job->extent.width; texel < end;
         texel += CHUNK_TEXELS) {
        const size_t n = end - texel < CHUNK_TEXELS ? end - texel : CHUNK_TEXELS;
        judge_chunk(&job->tally[worker], job, texel, n);
    }
}

/* The first texel in [begin, end) of two levels whose bytes differ, or `end`. */
static size_t first_difference(const uint8_t *want, const uint8_t *got, size_t texel_bytes,
                               size_t begin, size_t end)
{
    for (size_t at = begin; at < end; at += CHUNK_TEXELS) {
        const size_t n = end - at < CHUNK_TEXELS ? end - at : CHUNK_TEXELS;
        if (memcmp(want + at * texel_bytes, got + at * texel_bytes, n * texel_bytes) != 0) {
            while (memcmp(want + at * texel_bytes, got + at * texel_bytes, texel_bytes) == 0) {
                at++;
            }
            return at;
        }
    }
    return end;
}

/* Level 0 must equal the source bit for bit: -0 is not 0 here. */
static void judge_base_rows(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end)
{
    struct level_job *job = ctx;
    struct tally *tally = &job->tally[worker];
    const struct mb_format *format = job->step.format;
    const size_t texel_bytes = format->texel_bytes;
    const size_t end = (size_t)row_end * job->extent.width;
    const uint8_t *source = job->chain->source;
    size_t at = (size_t)row_begin * job->extent.width;
    while ((at = first_difference(source, job->output, texel_bytes, at, end)) < end) {
        double got[4], want[4];
        const uint8_t *const stored = job->output + at * texel_bytes;
        mb_format_decode_coded(format, stored, 1, got);
        mb_format_decode_coded(format, source + at * texel_bytes, 1, want);
        const uint32_t c = first_channel(format, stored, source + at * texel_bytes);
        tally_bad(tally, job, at, bad_texel(format, c, want[c], got[c]));
        tally->level.max_error_lsb =
            fmax(tally->level.max_error_lsb, max_distance_lsb(format, got, want, 1));
        add_distance(&tally->from.drift, got, want, 1);
        at++;
    }
    /* The scale of level 1, and whether its values are in doubt. */
    double texels[CHUNK_TEXELS * 4];
    at = mb_format_is_unorm(format) ? end : (size_t)row_begin * job->extent.width;
    for (; at < end; at += CHUNK_TEXELS) {
        const size_t n = end - at < CHUNK_TEXELS ? end - at : CHUNK_TEXELS;
        mb_format_decode_coded(format, source + at * texel_bytes, n, texels);
        add_distance(&tally->from.drift, texels, texels, n);
        tally->is_doubted |= mb_doubt_is_due(format, texels, n * 4);
    }
}

/* True if two texels of different bytes differ by more than `allowed_lsb`; always true if it is
 * 0, as NaNs decode alike. If true, sets `*bad` for the first channel that differs. */
static bool differ(const struct mb_format *format, const uint8_t *want, const uint8_t *got,
                   double allowed_lsb, struct mb_bad_texel *bad)
{
    double wanted[4], gotten[4];
    mb_format_decode_coded(format, want, 1, wanted);
    mb_format_decode_coded(format, got, 1, gotten);
    if (allowed_lsb > 0.0 &&
        max_distance_lsb(format, gotten, wanted, 1) <= allowed_lsb + MODEL_ROUNDING_LSB) {
        return false;
    }
    const uint32_t c = first_channel(format, got, want);
    *bad = bad_texel(format, c, wanted[c], gotten[c]);
    return true;
}

void mb_find_difference(const struct mb_plane *want, const void *got, struct mb_rect ignored,
                        double allowed_lsb, struct mb_bad_texel *bad)
{
    const struct mb_extent extent = want->extent;
    const size_t texel_bytes = want->format->texel_bytes;
    const size_t end = (size_t)extent.width * extent.height;
    const uint8_t *w = want->texels, *g = got;
    size_t at = 0;
    while ((at = first_difference(w, g, texel_bytes, at, end)) < end) {
        const uint32_t x = (uint32_t)(at % extent.width), y = (uint32_t)(at / extent.width);
        if (!mb_rect_contains(ignored, x, y) &&
            differ(want->format, w + at * texel_bytes, g + at * texel_bytes, allowed_lsb,
                   bad)) {
            bad->x = x;
            bad->y = y;
            return;
        }
        at++;
    }
}

/* Set a level's drift, distance to box and PSNR from the distances of its texels. */
static void measure_level(struct level_job *job, const struct distances *from,
                          struct mb_level_verdict *level)
{
    const struct mb_format *format = job->step.format;
    if (job->level > 0) {
        level->drift_lsb =
            fmax(level->drift_lsb, scaled_lsb(&from->drift, &job->from.drift, format));
        level->box_lsb = fmax(level->box_lsb, scaled_lsb(&from->box, &job->from.box, format));
    }
    job->from = *from;
    const double layer_psnr_db =
        psnr_db(&from->drift, format, (uint64_t)job->extent.width * job->extent.height);
    level->psnr_db =
        job->chain->layer == 0 ? layer_psnr_db : fmin(level->psnr_db, layer_psnr_db);
}

static void judge_level(struct level_job *job, struct mb_verdict *verdict)
{
    memset(job->tally, 0, sizeof job->tally);
    const uint32_t n_workers =
        mb_parallel_rows(job->extent.height, job->extent.width,
                         job->level == 0 ? judge_base_rows : judge_rows, job);
    struct mb_level_verdict *level = &verdict->level[job->level];
    struct mb_bad_texel *first = &verdict->first_bad;
    struct distances from = {0};
    for (uint32_t i = 0; i < n_workers; i++) {
        const struct tally *tally = &job->tally[i];
        level->max_error_lsb = fmax(level->max_error_lsb, tally->level.max_error_lsb);
        level->n_bad_texels += tally->level.n_bad_texels;
        join_distance(&from.drift, &tally->from.drift);
        join_distance(&from.box, &tally->from.box);
        job->is_doubted |= tally->is_doubted;
        if (tally->first_bad.found && (!first->found || job->level < first->level)) {
            *first = tally->first_bad;
        }
    }
    level->extent = job->extent;
    from.box = job->box != job->ideal ? from.box : from.drift;
    measure_level(job, &from, level);
    verdict->max_error_lsb = fmax(verdict->max_error_lsb, level->max_error_lsb);
    verdict->drift_lsb = fmax(verdict->drift_lsb, level->drift_lsb);
    verdict->box_lsb = fmax(verdict->box_lsb, level->box_lsb);
}

static void level_job_finish(struct level_job *job)
{
    for (uint32_t i = 0; i < 2; i++) {
        mb_free(job->wanted[i]);
        mb_free(job->doubts[i]);
    }
    mb_free(job->ranges);
}

/* Allocate `*level`, unless it is allocated: then it is large enough, as levels shrink. */
MB_MUST_CHECK static enum mb_status need_level(double **level, struct mb_extent extent,
                                               struct mb_err *err)
{
    if (*level == NULL) {
        *level = mb_malloc((size_t)extent.width * extent.height * 4 * sizeof **level);
    }
    return MB_NEED(*level, "verification");
}

/* The level above, from which this level's reference is made: stored texels or `want`. */
static struct mb_plane source_of(const struct level_job *job, bool is_reread)
{
    const struct mb_judged_chain *chain = job->chain;
    const struct mb_layout *layout = chain->layout;
    struct mb_plane plane = {.extent = mb_level_extent(layout->base, job->level - 1)};
    if (job->level == 1 || is_reread) {
        plane.format = layout->format;
        plane.texels = job->level == 1 ? chain->source
                                       : mb_layout_level(layout, chain->output, job->level - 1,
                                                         chain->layer);
    } else {
        plane.texels = job->want;
    }
    return plane;
}

/* The least bound of any texel: only a chunk with a larger error is checked texel by texel. */
static double least_bound_lsb(struct mb_step step)
{
    double least_lsb = INFINITY;
    step.weight_error = 0.0;
    for (uint32_t channel = 0; channel < step.format->n_channels; channel++) {
        least_lsb = fmin(least_lsb, mb_tolerance_bound_lsb(&step, channel, 0.0, 0.0));
    }
    return least_lsb;
}

/* Make the reference of the level. Until the first re-read level, the ideal chain serves as
 * reference, which costs nothing. */
MB_MUST_CHECK static enum mb_status make_golden(struct level_job *job, struct mb_err *err)
{
    struct mb_step *step = &job->step;
    const uint32_t turn = job->level & 1u;
    const bool is_reread =
        job->level > 1 && (step->tolerance->reread_levels >> (job->level - 1) & 1u) != 0;
    const struct mb_plane plane = source_of(job, is_reread);
    if (plane.format != NULL) {
        step->weight_error =
            mb_tolerance_weight_error(step->tolerance, step->format, plane.extent);
    }
    step->n_carried = is_reread ? 1 : step->n_carried + 1;
    job->was_reread |= is_reread;
    if (job->is_doubted) {
        MB_DO(need_level(&job->doubts[turn], job->extent, err));
        MB_DO(mb_doubt_level(step, &plane, job->doubts[turn ^ 1u], job->doubts[turn], err));
        job->doubt = job->doubts[turn];
    }
    const bool has_range = mb_tolerance_needs_range(step);
    MB_DO(has_range ? need_level(&job->ranges, job->extent, err) : MB_OK);
    job->range = has_range ? job->ranges : NULL;
    job->want = job->ideal;
    if (job->was_reread || job->range != NULL) {
        MB_DO(need_level(&job->wanted[turn], job->extent, err));
        MB_DO(mb_golden_level(&step->tolerance->filter, &plane, job->wanted[turn], job->range,
                              err));
        job->want = job->wanted[turn];
    }
    job->least_bound_lsb = least_bound_lsb(*step);
    return MB_OK;
}

enum mb_status mb_compare_chain(const struct mb_judged_chain *chain, struct mb_verdict *verdict,
                                struct mb_err *err)
{
    const struct mb_layout *layout = chain->layout;
    MB_SCOPED(level_job)
    job = {
        .chain = chain,
        .step = {.tolerance = chain->tolerance, .format = layout->format},
    };
    verdict->n_levels = layout->n_levels;
    for (uint32_t level = 0; level < layout->n_levels; level++) {
        job.level = level;
        job.extent = mb_level_extent(layout->base, level);
        job.output = mb_layout_level(layout, chain->output, level, chain->layer);
        job.ideal = chain->ideal->level[level];
        job.box = chain->box->level[level];
        MB_DO(level > 0 ? make_golden(&job, err) : MB_OK);
        judge_level(&job, verdict);
    }
    verdict->pass = !verdict->first_bad.found;
    verdict->claimed_lsb = chain->tolerance->max_error_lsb;
    return MB_OK;
}

struct mb_text mb_error_text(double error_lsb, const struct mb_format *format)
{
    return mb_text("%s %s", mb_digits_text(error_lsb).s,
                   format != NULL && !mb_format_is_unorm(format) ? "ulp" : "LSB");
}

struct mb_text mb_verdict_describe(const struct mb_verdict *verdict,
                                   const struct mb_format *format)
{
    const struct mb_text error = mb_error_text(verdict->max_error_lsb, format);
    return verdict->claimed_lsb > 0.0 ? mb_text("max %s of %s claimed", error.s,
                                                mb_digits_text(verdict->claimed_lsb).s)
                                      : mb_text("max %s", error.s);
}

struct mb_text mb_bad_texel_describe(const struct mb_bad_texel *bad,
                                     const struct mb_format *format)
{
    const int n_digits = mb_format_is_unorm(format) ? 5 : 9; /* codes; an ulp of a float */
    const struct mb_text layer =
        bad->layer > 0 ? mb_text(" layer %u", bad->layer) : mb_text("%s", "");
    return mb_text("level %u%s (%u, %u) %c: %.*g, not %.*g", bad->level, layer.s, bad->x,
                   bad->y, "rgba"[bad->channel & 3u], n_digits, bad -> got, n_digits,
                   bad -> want);
}

struct mb_text mb_failure_describe(const struct mb_verdict *verdict,
                                   const struct mb_format *format)
{
    const struct mb_bad_texel *bad = &verdict->first_bad;
    const struct mb_text first = mb_bad_texel_describe(bad, format);
    uint64_t n_bad = 0;
    for (uint32_t level = 0; level < verdict->n_levels; level++) {
        n_bad += verdict->level[level].n_bad_texels;
    }
    return mb_text("%s; %s texel%s wrong, worst %s, allowed %s", first.s,
                   mb_count_text(n_bad).s, n_bad == 1 ? "" : "s",
                   mb_error_text(verdict->max_error_lsb, format).s,
                   mb_digits_text(bad->bound_lsb).s);
}
