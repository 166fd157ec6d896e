/* What may be said of who is fastest in a cell: the verdicts on its ratios, in words. */
#include "bench/ranking.h"

#include <math.h>

#include "bench/relate.h"

#define LEVEL 0.95 /* that the interval of a median must have */

enum ranking {
    RANKING_NONE,  /* nothing to rank, or not to be ranked */
    RANKING_ALONE, /* one row, and nothing to hold it against */
    RANKING_SHORT, /* too few samples for an interval */
    RANKING_FEW,   /* or for any test to tell the rows apart */
    RANKING_SPLIT, /* medians and ratios within blocks disagree */
    RANKING_TIED,  /* some rows cannot be told from the fastest */
    RANKING_CLEAR,
};

static bool is_timed(const struct mb_result *result)
{
    return result->stats.n > 0 && isfinite(result->stats.median_ns);
}

/* Fit to be ranked: timed, and not found wrong. */
static bool is_rankable(const struct mb_result *result)
{
    return result->status == MB_RESULT_OK && result->verify != MB_VERIFY_FAIL &&
           is_timed(result) && !result->is_diagnostic;
}

/* One that the fastest is held against: it makes the same image. */
static bool is_rival(const struct mb_cell *cell, size_t index)
{
    return index != cell->fastest && is_rankable(&cell->results[index]) &&
           mb_results_are_alike(&cell->results[cell->fastest], &cell->results[index]);
}

/* The best median after the fastest, or SIZE_MAX. */
static size_t find_second(const struct mb_cell *cell)
{
    size_t second = SIZE_MAX;
    for (size_t i = 0; i < cell->n_results; i++) {
        if (is_rival(cell, i) &&
            (second == SIZE_MAX ||
             cell->results[i].stats.median_ns < cell->results[second].stats.median_ns)) {
            second = i;
        }
    }
    return second;
}

/* What the fastest cannot be told from. */
static bool is_tied(const struct mb_cell *cell, size_t index)
{
    return is_rival(cell, index) && cell->results[index].relation.outcome != MB_OUTCOME_SLOWER;
}

static size_t count_tied(const struct mb_cell *cell)
{
    size_t n = 0;
    for (size_t i = 0; i < cell->n_results; i++) {
        n += is_tied(cell, i);
    }
    return n;
}

/* What took less time within blocks though its median is not the least, or NULL. */
static const char *find_faster(const struct mb_cell *cell)
{
    const char *label = NULL;
    for (size_t i = 0; i < cell->n_results; i++) {
        const bool is_faster = cell->results[i].relation.outcome == MB_OUTCOME_FASTER;
        label = is_tied(cell, i) && is_faster ? cell->results[i].label : label;
    }
    return label;
}

/* Some row is neither within 1 % of the fastest nor could any samples like these have told them
 * apart. */
static bool is_beyond_tests(const struct mb_cell *cell)
{
    bool is_beyond = false;
    for (size_t i = 0; i < cell->n_results; i++) {
        is_beyond =
            is_beyond ||
            (is_tied(cell, i) && cell->results[i].relation.outcome == MB_OUTCOME_INCONCLUSIVE &&
             !mb_relate_can_tell(cell, i));
    }
    return is_beyond;
}

static enum ranking rank(const struct mb_run *run, const struct mb_cell *cell)
{
    if (run->settings->validate || cell->fastest >= cell->n_results ||
        !is_timed(&cell->results[cell->fastest])) {
        return RANKING_NONE;
    }
    const size_t second = find_second(cell);
    if (cell->results[cell->fastest].stats.median_ci_level < LEVEL) {
        return RANKING_SHORT;
    }
    if (second == SIZE_MAX) {
        return RANKING_ALONE;
    }
    if (cell->results[second].stats.median_ci_level < LEVEL) {
        return RANKING_SHORT;
    }
    if (is_beyond_tests(cell)) {
        return RANKING_FEW;
    }
    if (find_faster(cell)) {
        return RANKING_SPLIT;
    }
    return count_tied(cell) > 0 ? RANKING_TIED : RANKING_CLEAR;
}

size_t mb_ranking_winner(const struct mb_run *run, const struct mb_cell *cell)
{
    const enum ranking ranking = rank(run, cell);
    return ranking == RANKING_CLEAR || ranking == RANKING_ALONE ? cell->fastest : SIZE_MAX;
}

static void add_short(struct mb_strbuf *out, const struct mb_cell *cell)
{
    const size_t second = find_second(cell);
    if (second == SIZE_MAX) {
        return;
    }
    const size_t n = cell->results[cell->fastest].stats.n;
    const size_t n_second = cell->results[second].stats.n;
    mb_strbuf_printf(
        out, "No ranking: too few samples (%zu) for a 95 %% interval; try --samples %u.",
        n < n_second ? n : n_second, MB_ENOUGH_SAMPLES);
}

static void add_few(struct mb_strbuf *out, const struct mb_cell *cell)
{
    mb_strbuf_printf(
        out, "No ranking: too few samples (%zu) to tell %zu rows apart; try --samples %zu.",
        cell->results[cell->fastest].stats.n, mb_relate_n_tests(cell) + 1,
        mb_relate_samples_needed(cell));
}

/* What is tied and slower than row `after`, or as fast and later in the table: the least such.
 */
static size_t next_tied(const struct mb_cell *cell, size_t after)
{
    size_t next = SIZE_MAX;
    const double from_ns = cell->results[after].stats.median_ns;
    for (size_t i = 0; i < cell->n_results; i++) {
        const double median_ns = cell->results[i].stats.median_ns;
        if (is_tied(cell, i) &&
            (median_ns > from_ns || (!(median_ns < from_ns) && i > after)) &&
            (next == SIZE_MAX || median_ns < cell->results[next].stats.median_ns)) {
            next = i;
        }
    }
    return next;
}

/* "a, b and c are ...": what the fastest cannot be told from, in the order of their medians. */
static void add_tie(struct mb_strbuf *out, const struct mb_cell *cell)
{
    const size_t n = count_tied(cell) + 1;
    size_t n_named = 0;
    for (size_t i = cell->fastest; i != SIZE_MAX; i = next_tied(cell, i)) {
        mb_strbuf_list(out, cell->results[i].label, n_named++, n);
    }
    mb_strbuf_append(out, " are within the noise of this run.");
}

/* Who takes how long: "1.44 x spd" was read as either. A lead of a few per cent has a digit
 * more, so that it is not rounded away. */
static void add_winner(struct mb_strbuf *out, const struct mb_cell *cell)
{
    const struct mb_result *second = &cell->results[find_second(cell)];
    const double ratio = second->relation.ratio;
    mb_strbuf_printf(out, "%s is fastest: %s takes %.*f times as long.",
                     cell->results[cell->fastest].label, second->label, ratio < 1.1 ? 3 : 2,
                     ratio);
}

/* " Limit: 20.8 us (memory, 3:1 mix, measured 4.30 TB/s)." */
static void add_limit(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_cell *cell)
{
    if (!isfinite(cell->floor_ns)) {
        return;
    }
    if (cell->is_dispatch_bound) {
        mb_strbuf_printf(out, " Limit: %.2f us (an empty dispatch).", cell->floor_ns / 1e3);
        return;
    }
    double gbps = run->roofline.ceiling_gbps;
    mb_strbuf_printf(out, " Limit: %.1f us (memory, 3:1 mix, measured %.*f %s).",
                     cell->floor_ns / 1e3, gbps >= 1000 ? 2 : 1,
                     gbps >= 1000 ? gbps / 1000 : gbps, gbps >= 1000 ? "TB/s" : "GB/s");
}

void mb_ranking_describe(struct mb_strbuf *out, const struct mb_run *run,
                         const struct mb_cell *cell)
{
    const enum ranking ranking = rank(run, cell);
    if (ranking == RANKING_SHORT) {
        add_short(out, cell);
    } else if (ranking == RANKING_FEW) {
        add_few(out, cell);
    } else if (ranking == RANKING_SPLIT) {
        mb_strbuf_printf(out, "No ranking: %s leads by its median, but %s within blocks.",
                         cell->results[cell->fastest].label, find_faster(cell));
        add_limit(out, run, cell);
    } else if (ranking == RANKING_TIED) {
        add_tie(out, cell);
        add_limit(out, run, cell);
    } else if (ranking == RANKING_CLEAR) {
        add_winner(out, cell);
        add_limit(out, run, cell);
    }
}
