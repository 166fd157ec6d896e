/* Tuning: for each case a first pass over all variants, and a final of the best. */
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/case.h"
#include "bench/timing/sizing.h"

#define HEAT   48u   /* variants in a heat, at most, besides the one in all heats */
#define TRIALS 1536u /* instances in a heat, at most; a variant has one per rotated image */
#define BLOCKS 20u   /* samples of each variant in the first pass */

/* A case in progress. */
struct contest {
    const struct mb_case_options *options; /* with all variants */
    const void *source;
    struct mb_case blank; /* the case before anything ran */
    bool is_complete;     /* false: the user interrupted it */
    /* The variants that can run; these three are owned and have room for all variants. */
    struct mb_variant *rows;
    struct mb_tune_trial *trials;
    const char **left_out; /* why a variant is not in the next heat or final, or NULL */
    size_t n_rows;
};

static enum mb_status can_run(const struct contest *contest, const struct mb_variant *row,
                              struct mb_err *why)
{
    const struct mb_case *blank = &contest->blank;
    MB_FAIL_IF(mb_variant_is_diagnostic(row), why, MB_ERRC_UNSUPPORTED, "leaves work out");
    MB_FAIL_IF(row->strategy->source_of &&
                   row->strategy->source_of(&row->params) != MB_SOURCE_SAME,
               why, MB_ERRC_UNSUPPORTED,
               "reads level 0 from another image; tune is for chains made in place");
    return mb_variant_supports(row, contest->options->calibration->gpu, &blank->layout,
                               &blank->task, why);
}

/* Whether an earlier variant records the same commands here, like "auto" and what it stands
 * for. The earlier one, with fewer parameters off their defaults, is kept. */
static bool is_same(const struct contest *contest, const struct mb_strategy *strategy,
                    const struct mb_params *resolved)
{
    bool is_found = false;
    for (size_t i = 0; strategy->resolve && i < contest->n_rows && !is_found; i++) {
        is_found = contest->rows[i].strategy == strategy &&
                   memcmp(&contest->trials[i].resolved, resolved, sizeof *resolved) == 0;
    }
    return is_found;
}

/* Collect the variants that can run, each once. A variant that fails here, such as a manifest
 * that is wrong for this image, is collected as well, so that its row reports the failure.
 * `*first` says why options->rows[0] cannot run. */
static void take_variants(struct contest *contest, struct mb_err *first)
{
    const struct mb_gpu *gpu = contest->options->calibration->gpu;
    for (size_t i = 0; i < contest->options->n_rows; i++) {
        const struct mb_variant *row = &contest->options->rows[i];
        struct mb_params resolved = row->params;
        struct mb_err why = {0};
        const enum mb_status status = can_run(contest, row, &why);
        *first = i == 0 ? why : *first;
        if (status == MB_OK && row->strategy->resolve) {
            row->strategy->resolve(gpu, &contest->blank.layout, &contest->blank.task,
                                   &resolved);
        }
        if (status != MB_UNSUPPORTED && !is_same(contest, row->strategy, &resolved)) {
            contest->trials[contest->n_rows] = (struct mb_tune_trial){.resolved = resolved};
            contest->rows[contest->n_rows++] = *row;
        }
    }
}

/* Run the variants that are not left out, into `c`. Finishes what `c` held before; the caller
 * finishes `c` in the end, also after a failure. */
static enum mb_status run_together(struct contest *contest, const struct mb_settings *settings,
                                   struct mb_case *c, struct mb_err *err)
{
    struct mb_case_options options = *contest->options;
    options.settings = settings;
    options.rows = contest->rows;
    options.n_rows = contest->n_rows;
    options.left_out = contest->left_out;
    options.shares_pipelines = !settings->verify;
    mb_case_finish(c);
    *c = contest->blank;
    return mb_case_run(&options, contest->source, c, &contest->is_complete, err);
}

/* Note the times of a heat as ratios to the anchor's: the first variant that could be timed,
 * which runs in all heats. */
static void note_heat(struct contest *contest, const struct mb_timing *timing, size_t *anchor)
{
    for (size_t i = 0; i < contest->n_rows; i++) {
        const struct mb_row *row = &timing->rows[i];
        if (row->stats.n == 0) {
            continue;
        }
        *anchor = *anchor == SIZE_MAX ? i : *anchor;
        const double ratio = row->stats.median_ns / timing->rows[*anchor].stats.median_ns;
        if (isfinite(ratio)) {
            contest->trials[i].ratio = ratio;
            contest->trials[i].questions = mb_row_answer(row).questions;
        }
    }
}

/* How many variants a heat may have: drivers limit the number of instances. */
static size_t heat_size(const struct contest *contest)
{
    struct mb_timing timing = {.of = &contest->blank,
                               .cache = contest->options->conditions[0].cache,
                               .mode = contest->options->conditions[0].mode};
    struct mb_err why = {0};
    if (mb_schedule_images(&timing, contest->options->calibration->roofline.llc_bytes, &why) !=
        MB_OK) {
        return HEAT; /* the rows will say why */
    }
    const size_t n_most = TRIALS / timing.n_rotated;
    return n_most < 1 ? 1 : n_most < HEAT ? n_most : HEAT;
}

/* Time all variants with few samples, to choose those for the final. */
static enum mb_status run_pass(struct contest *contest, struct mb_err *err)
{
    const struct mb_hooks *hooks = contest->options->hooks;
    const size_t n_most = heat_size(contest);
    const size_t n_heats = (contest->n_rows + n_most - 1) / n_most;
    size_t anchor = SIZE_MAX;
    struct mb_settings brief = *contest->options->settings;
    brief.n_samples = BLOCKS;
    brief.verify = false;
    brief.pipeline_facts = false;
    for (size_t heat = 0; heat < n_heats && contest->is_complete; heat++) {
        MB_SCOPED(mb_case) c = {.results = NULL};
        char label[64];
        for (size_t i = 0; i < contest->n_rows; i++) {
            contest->left_out[i] = i % n_heats == heat || i == anchor ? NULL : "another heat";
        }
        snprintf(label, sizeof label, "first pass, %zu of %zu", heat + 1, n_heats);
        hooks->on_step(hooks->user, label, "setting up");
        MB_DO(run_together(contest, &brief, &c, err));
        if (contest->is_complete) {
            note_heat(contest, &c.timings[0], &anchor);
        }
    }
    return MB_OK;
}

/* Run the first pass, if there are many variants, and then the final. If variants fail
 * verification in the final and had kept others out, run the final again with these. */
static enum mb_status run_contest(struct contest *contest, struct mb_case *final,
                                  struct mb_err *err)
{
    size_t n_known = 0;
    if (contest->n_rows > MB_TUNE_FINALISTS) {
        MB_DO(run_pass(contest, err));
    }
    while (contest->is_complete) {
        const size_t n_kept =
            mb_tune_select(contest->trials, contest->n_rows, contest->left_out);
        if (n_kept == n_known) {
            return MB_OK;
        }
        n_known = n_kept;
        MB_DO(run_together(contest, contest->options->settings, final, err));
        for (size_t i = 0; i < contest->n_rows; i++) {
            if (final->results[i].verify == MB_VERIFY_FAIL) {
                contest->trials[i].questions = 0;
            }
        }
    }
    return MB_OK;
}

/* If no variant can run: give the case the first variant alone, whose row says why. */
static enum mb_status report_none(struct contest *contest, const struct mb_err *why,
                                  struct mb_case *c, struct mb_err *err)
{
    contest->rows[contest->n_rows] = contest->options->rows[0];
    contest->left_out[contest->n_rows++] = why->text;
    MB_DO(run_together(contest, contest->options->settings, c, err));
    c->results[0].status = MB_RESULT_SKIPPED;
    snprintf(c->results[0].reason, sizeof c->results[0].reason, "%s", why->text);
    return MB_OK;
}

static void contest_finish(struct contest *contest)
{
    mb_free(contest->rows);
    mb_free(contest->trials);
    mb_free(contest->left_out);
}

enum mb_status mb_tune_case(const struct mb_case_options *options, const void *source,
                            struct mb_case *c, bool *is_complete, struct mb_err *err)
{
    const size_t n = options->n_rows;
    struct mb_err first = {0};
    MB_SCOPED(contest)
    contest = {
        .options = options,
        .source = source,
        .blank = *c,
        .is_complete = true,
        .rows = mb_alloc(n, sizeof *contest.rows),
        .trials = mb_alloc(n, sizeof *contest.trials),
        .left_out = mb_alloc(n, sizeof *contest.left_out),
    };
    MB_DO(MB_NEED(contest.rows && contest.trials && contest.left_out, "tune"));
    take_variants(&contest, &first);
    MB_DO(contest.n_rows > 0 ? run_contest(&contest, c, err)
                             : report_none(&contest, &first, c, err));
    *is_complete = contest.is_complete;
    if (!contest.is_complete) {
        mb_case_finish(c);
    }
    return MB_OK;
}
