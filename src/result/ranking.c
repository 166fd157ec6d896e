/* What may be said of who is fastest in a cell: the verdicts on its ratios, in words. */
#include "result/ranking.h"

#include <math.h>

#include "base/alloc.h"
#include "result/describe.h"
#include "result/relate.h"

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

static bool is_timed(const struct mb_row *row)
{
    return row->stats.n > 0 && isfinite(row->stats.median_ns);
}

/* Fit to be ranked: timed, and not found wrong. */
static bool is_rankable(const struct mb_row *row)
{
    return mb_row_status(row) == MB_RESULT_OK && row->result->verify != MB_VERIFY_FAIL &&
           is_timed(row) && !row->result->is_diagnostic &&
           !row->result->work.tolerance.has_no_policy;
}

static bool answers(const struct mb_timing *timing, size_t index)
{
    return (mb_row_answers(timing, &timing->rows[index]) & 1u << timing->question) != 0;
}

/* One that the fastest is held against: it answers the same question. */
static bool is_rival(const struct mb_timing *timing, size_t index)
{
    return index != timing->fastest && is_rankable(&timing->rows[index]) &&
           answers(timing, index);
}

/* Rows that were ranked if they lost nothing. */
static bool has_others(const struct mb_timing *timing)
{
    bool has_any = false;
    for (size_t i = 0; timing->question == MB_QUESTION_EXACT && i < timing->of->n_results;
         i++) {
        has_any =
            has_any || (is_rankable(&timing->rows[i]) && !answers(timing, i) &&
                        mb_rows_are_alike(&timing->rows[timing->fastest], &timing->rows[i]));
    }
    return has_any;
}

/* The best median of those that make nearly the same image, and lose something, or SIZE_MAX. */
static size_t find_cheaper(const struct mb_timing *timing)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_row *row = &timing->rows[i];
        if (is_rankable(row) && !answers(timing, i) &&
            mb_rows_are_alike(&timing->rows[timing->fastest], row) &&
            row->relation.outcome == MB_OUTCOME_FASTER &&
            (found == SIZE_MAX || row->stats.median_ns < timing->rows[found].stats.median_ns)) {
            found = i;
        }
    }
    return found;
}

/* The best median after the fastest, or SIZE_MAX. */
static size_t find_second(const struct mb_timing *timing)
{
    size_t second = SIZE_MAX;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        if (is_rival(timing, i) &&
            (second == SIZE_MAX ||
             timing->rows[i].stats.median_ns < timing->rows[second].stats.median_ns)) {
            second = i;
        }
    }
    return second;
}

/* What the fastest cannot be told from. */
static bool is_tied(const struct mb_timing *timing, size_t index)
{
    return is_rival(timing, index) && timing->rows[index].relation.outcome != MB_OUTCOME_SLOWER;
}

static size_t count_tied(const struct mb_timing *timing)
{
    size_t n = 0;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        n += is_tied(timing, i);
    }
    return n;
}

/* What took less time within blocks though its median is not the least, or NULL. */
static const char *find_faster(const struct mb_timing *timing)
{
    const char *label = NULL;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const bool is_faster = timing->rows[i].relation.outcome == MB_OUTCOME_FASTER;
        label = is_tied(timing, i) && is_faster ? timing->of->results[i].label : label;
    }
    return label;
}

/* Some row is neither within 1 % of the fastest nor could any samples like these have told them
 * apart. */
static bool is_beyond_tests(const struct mb_timing *timing)
{
    bool is_beyond = false;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        is_beyond = is_beyond || (is_tied(timing, i) &&
                                  timing->rows[i].relation.outcome == MB_OUTCOME_INCONCLUSIVE &&
                                  !mb_relate_can_tell(timing, i));
    }
    return is_beyond;
}

static enum ranking rank(const struct mb_run *run, const struct mb_timing *timing)
{
    if (run->validate || timing->fastest >= timing->of->n_results ||
        !is_timed(&timing->rows[timing->fastest])) {
        return RANKING_NONE;
    }
    const size_t second = find_second(timing);
    if (timing->rows[timing->fastest].stats.median_ci_level < LEVEL) {
        return RANKING_SHORT;
    }
    if (second == SIZE_MAX) {
        return RANKING_ALONE;
    }
    if (timing->rows[second].stats.median_ci_level < LEVEL) {
        return RANKING_SHORT;
    }
    if (is_beyond_tests(timing)) {
        return RANKING_FEW;
    }
    if (find_faster(timing)) {
        return RANKING_SPLIT;
    }
    return count_tied(timing) > 0 ? RANKING_TIED : RANKING_CLEAR;
}

void mb_ranking_choose(struct mb_timing *timing)
{
    timing->fastest = SIZE_MAX;
    for (unsigned question = 0; question < MB_N_QUESTIONS && timing->fastest == SIZE_MAX;
         question++) {
        timing->question = (enum mb_question)question;
        for (size_t i = 0; i < timing->of->n_results; i++) {
            const struct mb_row *row = &timing->rows[i];
            if (row->result->verify == MB_VERIFY_PASS && row->stats.n > 0 &&
                answers(timing, i) &&
                (timing->fastest == SIZE_MAX ||
                 row->stats.median_ns < timing->rows[timing->fastest].stats.median_ns)) {
                timing->fastest = i;
            }
        }
    }
}

static bool is_ranked_for(const struct mb_timing *timing, size_t index,
                          enum mb_question question)
{
    return is_rankable(&timing->rows[index]) &&
           (mb_row_answers(timing, &timing->rows[index]) & 1u << question) != 0;
}

/* Keep the order of medians; of equal ones that of the table. */
static void insert(const struct mb_timing *timing, struct mb_ranked *order, size_t index)
{
    size_t at = order->n++;
    for (; at > 0 && timing->rows[order->row[at - 1]].stats.median_ns >
                         timing->rows[index].stats.median_ns;
         at--) {
        order->row[at] = order->row[at - 1];
    }
    order->row[at] = index;
}

enum mb_status mb_ranking_order(const struct mb_timing *timing, enum mb_question question,
                                struct mb_ranked *order, struct mb_ranked *tied)
{
    const size_t n = timing->of->n_results;
    *order = (struct mb_ranked){.row = mb_alloc(n + 1, sizeof *order->row)};
    *tied = (struct mb_ranked){.row = mb_alloc(n + 1, sizeof *tied->row)};
    if (!order->row || !tied->row) {
        mb_ranked_finish(order);
        mb_ranked_finish(tied);
        return MB_FAILED;
    }
    for (size_t i = 0; i < n; i++) {
        if (is_ranked_for(timing, i, question)) {
            insert(timing, order, i);
        }
    }
    for (size_t i = 0; question == timing->question && i < order->n; i++) {
        if (is_tied(timing, order->row[i])) {
            insert(timing, tied, order->row[i]);
        }
    }
    return MB_OK;
}

void mb_ranked_finish(struct mb_ranked *ranked)
{
    mb_free(ranked->row);
    *ranked = (struct mb_ranked){.row = NULL};
}

size_t mb_ranking_winner(const struct mb_run *run, const struct mb_timing *timing)
{
    const enum ranking ranking = rank(run, timing);
    return ranking == RANKING_CLEAR || ranking == RANKING_ALONE ? timing->fastest : SIZE_MAX;
}

static void add_short(struct mb_strbuf *out, const struct mb_timing *timing)
{
    const size_t second = find_second(timing);
    if (second == SIZE_MAX) {
        return;
    }
    const size_t n = timing->rows[timing->fastest].stats.n;
    const size_t n_second = timing->rows[second].stats.n;
    mb_strbuf_printf(
        out, "No ranking: too few samples (%zu) for a 95 %% interval; try --samples %u.",
        n < n_second ? n : n_second, MB_ENOUGH_SAMPLES);
}

static void add_few(struct mb_strbuf *out, const struct mb_timing *timing)
{
    mb_strbuf_printf(
        out, "No ranking: too few samples (%zu) to tell %zu rows apart; try --samples %zu.",
        timing->rows[timing->fastest].stats.n, mb_relate_n_tests(timing) + 1,
        mb_relate_samples_needed(timing));
}

/* What is tied and slower than row `after`, or as fast and later in the table: the least such.
 */
static size_t next_tied(const struct mb_timing *timing, size_t after)
{
    size_t next = SIZE_MAX;
    const double from_ns = timing->rows[after].stats.median_ns;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const double median_ns = timing->rows[i].stats.median_ns;
        if (is_tied(timing, i) &&
            (median_ns > from_ns || (!(median_ns < from_ns) && i > after)) &&
            (next == SIZE_MAX || median_ns < timing->rows[next].stats.median_ns)) {
            next = i;
        }
    }
    return next;
}

/* "a, b and c are ...": what the fastest cannot be told from, in the order of their medians. */
static void add_tie(struct mb_strbuf *out, const struct mb_run *run,
                    const struct mb_timing *timing)
{
    const size_t n = count_tied(timing) + 1;
    size_t n_named = 0;
    for (size_t i = timing->fastest; i != SIZE_MAX; i = next_tied(timing, i)) {
        mb_strbuf_list(out, timing->of->results[i].label, n_named++, n);
    }
    mb_strbuf_printf(out, " are within the noise of %s.",
                     run->n_pooled > 1 ? "these runs" : "this run");
}

/* "spd is the fastest exact one"; where no row is exact, or of a wide kernel, "spd is fastest".
 */
static void add_leader(struct mb_strbuf *out, const struct mb_timing *timing)
{
    const bool is_exact = timing->question == MB_QUESTION_EXACT;
    mb_strbuf_printf(out, "%s is %s%s%s", timing->of->results[timing->fastest].label,
                     is_exact ? "the fastest " : "fastest",
                     is_exact ? mb_exact_word(timing->of->task.reduce) : "",
                     is_exact ? " one" : "");
}

/* A lead of a few per cent has a digit more, so that it is not rounded away. */
static void add_winner(struct mb_strbuf *out, const struct mb_timing *timing)
{
    const struct mb_row *second = &timing->rows[find_second(timing)];
    const double ratio = second->relation.ratio;
    add_leader(out, timing);
    mb_strbuf_printf(out, ": %s takes %.*f times as long.", second->result->label,
                     ratio < 1.1 ? 3 : 2, ratio);
}

/* Nothing here answers what most people ask. */
static void add_none_exact(struct mb_strbuf *out, const struct mb_timing *timing)
{
    if (timing->question == MB_QUESTION_ANY) {
        mb_strbuf_printf(out, " None of them is %s.", mb_exact_word(timing->of->task.reduce));
    }
}

/* " Limit: 20.8 us (memory, 3:1 mix, measured 4.30 TB/s)." */
static void add_limit(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_timing *timing)
{
    if (!isfinite(timing->floor_ns)) {
        return;
    }
    if (timing->is_dispatch_bound) {
        mb_strbuf_printf(out, " Limit: %.2f us (an empty dispatch).", timing->floor_ns / 1e3);
        return;
    }
    double gbps = run->roofline.ceiling_gbps;
    mb_strbuf_printf(out, " Limit: %.1f us (memory, 3:1 mix, measured %.*f %s).",
                     timing->floor_ns / 1e3, gbps >= 1000 ? 2 : 1,
                     gbps >= 1000 ? gbps / 1000 : gbps, gbps >= 1000 ? "TB/s" : "GB/s");
}

void mb_ranking_describe(struct mb_strbuf *out, const struct mb_run *run,
                         const struct mb_timing *timing)
{
    const enum ranking ranking = rank(run, timing);
    if (ranking == RANKING_SHORT) {
        add_short(out, timing);
        return;
    }
    if (ranking == RANKING_FEW) {
        add_few(out, timing);
        return;
    }
    if (ranking == RANKING_SPLIT) {
        mb_strbuf_printf(out, "No ranking: %s leads by its median, but %s within blocks.",
                         timing->of->results[timing->fastest].label, find_faster(timing));
    } else if (ranking == RANKING_TIED) {
        add_tie(out, run, timing);
        add_none_exact(out, timing);
    } else if (ranking == RANKING_CLEAR) {
        add_winner(out, timing);
        add_none_exact(out, timing);
    } else if (ranking == RANKING_ALONE && has_others(timing)) {
        mb_strbuf_printf(out, "%s is the only %s one.",
                         timing->of->results[timing->fastest].label,
                         mb_exact_word(timing->of->task.reduce));
    }
    if (ranking != RANKING_NONE && (ranking != RANKING_ALONE || has_others(timing))) {
        add_limit(out, run, timing);
    }
}

void mb_ranking_describe_cheaper(struct mb_strbuf *out, const struct mb_run *run,
                                 const struct mb_timing *timing)
{
    const enum ranking ranking = rank(run, timing);
    const bool has_leader =
        ranking == RANKING_ALONE || ranking == RANKING_TIED || ranking == RANKING_CLEAR;
    const size_t cheaper = has_leader ? find_cheaper(timing) : SIZE_MAX;
    char price[200];
    if (cheaper == SIZE_MAX) {
        return;
    }
    const struct mb_row *row = &timing->rows[cheaper];
    mb_price_describe(&row->result->work.tolerance, timing->of->task.reduce,
                      mb_policies_agree(timing->of->layout.base, timing->of->layout.n_levels),
                      price, sizeof price);
    mb_strbuf_printf(out, "%s takes %.2f times as long%s", row->result->label,
                     row->relation.ratio, price);
    if (timing->of->task.reduce != MB_REDUCE_AVG) {
        mb_strbuf_append(out, ": it is not conservative");
    } else if (isfinite(row->result->verdict.box_lsb)) {
        char lsb[32];
        mb_lsb_text(row->result->verdict.box_lsb, lsb, sizeof lsb);
        mb_strbuf_printf(out, " (%s %s from exact)", lsb,
                         mb_format_is_unorm(timing->of->layout.format) ? "LSB" : "ulp");
    }
    mb_strbuf_append(out, ".");
}

void mb_ranking_lines(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_timing *timing)
{
    static void (*const sentences[])(struct mb_strbuf *, const struct mb_run *,
                                     const struct mb_timing *) = {mb_ranking_describe,
                                                                  mb_ranking_describe_cheaper};
    for (size_t i = 0; i < MB_COUNTOF(sentences); i++) {
        const size_t n_bytes = out->n_bytes;
        sentences[i](out, run, timing);
        mb_strbuf_append(out, out->n_bytes > n_bytes ? "\n" : "");
    }
}
