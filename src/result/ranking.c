/* What may be said of who is fastest in a timing: the verdicts on its ratios, in words. */
#include "result/ranking.h"

#include <math.h>

#include "base/alloc.h"
#include "result/label.h"
#include "result/relate.h"

#define LEVEL 0.95 /* that the interval of a median must have */

const char *const mb_lead_names[] = {
    [MB_LEAD_NONE] = "none",
    [MB_LEAD_TOO_FEW] = "too few",
    [MB_LEAD_TIED] = "tied",
    [MB_LEAD_CLEAR] = "clear",
};

enum ranking {
    RANKING_NONE,  /* nothing to rank, or not to be ranked */
    RANKING_ALONE, /* one row, and nothing to hold it against */
    RANKING_SHORT, /* too few samples for an interval */
    RANKING_FEW,   /* or for any test to tell the rows apart */
    RANKING_SPLIT, /* medians and ratios within blocks disagree */
    RANKING_TIED,  /* some rows cannot be told from the fastest */
    RANKING_CLEAR,
};

/* The other rows as seen from the fastest: its rivals, which answer the same question, and
 * those that make nearly the same image but lose something. Indices: SIZE_MAX is none. */
struct standing {
    enum ranking ranking;
    size_t second;        /* the best median of a rival */
    size_t faster;        /* a rival that took less time within blocks all the same */
    size_t n_tied;        /* rivals that cannot be told from the fastest */
    bool is_beyond_tests; /* one of them not by any test of this many samples */
    bool has_others;      /* rows that would be ranked if they lost nothing */
    bool has_unlike;      /* rows with figures that answer something else */
    size_t cheaper;       /* the best median of those that take less time for it */
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

static bool is_rival(const struct mb_timing *timing, size_t index)
{
    const struct mb_row *row = &timing->rows[index];
    return index != timing->fastest && is_rankable(row) &&
           mb_row_answers(timing, row, timing->question);
}

bool mb_ranking_is_tied(const struct mb_timing *timing, size_t index)
{
    return is_rival(timing, index) && timing->rows[index].relation.outcome != MB_OUTCOME_SLOWER;
}

/* The one with the better median; `a` may be SIZE_MAX, and stays where both are the same. */
static size_t better(const struct mb_timing *timing, size_t a, size_t b)
{
    const struct mb_row *rows = timing->rows;
    return a == SIZE_MAX || rows[b].stats.median_ns < rows[a].stats.median_ns ? b : a;
}

static bool ask(struct mb_timing *timing, enum mb_question question)
{
    timing->question = question;
    timing->fastest = SIZE_MAX;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_row *row = &timing->rows[i];
        if (row->result->verify == MB_VERIFY_PASS && row->stats.n > 0 &&
            mb_row_answers(timing, row, question)) {
            timing->fastest = better(timing, timing->fastest, i);
        }
    }
    return timing->fastest != SIZE_MAX;
}

void mb_ranking_choose(struct mb_timing *timing)
{
    bool is_found = false;
    for (int q = 0; q < MB_N_QUESTIONS && !is_found; q++) {
        is_found = ask(timing, (enum mb_question)q);
    }
}

static void note_row(const struct mb_timing *timing, size_t index, struct standing *standing)
{
    const struct mb_row *row = &timing->rows[index];
    const enum mb_outcome outcome = row->relation.outcome;
    if (is_rival(timing, index)) {
        standing->second = better(timing, standing->second, index);
        standing->faster = outcome == MB_OUTCOME_FASTER ? index : standing->faster;
        standing->n_tied += outcome != MB_OUTCOME_SLOWER;
        standing->is_beyond_tests |=
            outcome == MB_OUTCOME_INCONCLUSIVE && !mb_relate_can_tell(timing, index);
    } else if (index != timing->fastest && is_rankable(row) &&
               mb_rows_are_alike(&timing->rows[timing->fastest], row)) {
        standing->has_others |= timing->question == MB_QUESTION_EXACT;
        standing->cheaper = outcome == MB_OUTCOME_FASTER
                                ? better(timing, standing->cheaper, index)
                                : standing->cheaper;
    } else if (index != timing->fastest && is_rankable(row)) {
        standing->has_unlike = true;
    }
}

static bool has_interval(const struct mb_row *row)
{
    return row->stats.median_ci_level >= LEVEL;
}

static struct standing find_standing(const struct mb_run *run, const struct mb_timing *timing)
{
    struct standing s = {.second = SIZE_MAX, .faster = SIZE_MAX, .cheaper = SIZE_MAX};
    const struct mb_row *rows = timing->rows;
    if (run->validate || timing->fastest >= timing->of->n_results ||
        !is_timed(&rows[timing->fastest])) {
        return s;
    }
    for (size_t i = 0; i < timing->of->n_results; i++) {
        note_row(timing, i, &s);
    }
    if (!has_interval(&rows[timing->fastest])) {
        s.ranking = RANKING_SHORT;
    } else if (s.second == SIZE_MAX) {
        s.ranking = RANKING_ALONE;
    } else if (!has_interval(&rows[s.second])) {
        s.ranking = RANKING_SHORT;
    } else if (s.is_beyond_tests) {
        s.ranking = RANKING_FEW;
    } else if (s.faster != SIZE_MAX) {
        s.ranking = RANKING_SPLIT;
    } else {
        s.ranking = s.n_tied > 0 ? RANKING_TIED : RANKING_CLEAR;
    }
    return s;
}

size_t *mb_ranking_order(const struct mb_timing *timing, enum mb_question question, size_t *n)
{
    const struct mb_row *rows = timing->rows;
    size_t *order = mb_alloc(timing->of->n_results, sizeof *order);
    *n = 0;
    for (size_t i = 0; order && i < timing->of->n_results; i++) {
        if (!is_rankable(&rows[i]) || !mb_row_answers(timing, &rows[i], question)) {
            continue;
        }
        /* Of equal medians, in the order of the table. */
        size_t at = (*n)++;
        for (; at > 0 && rows[order[at - 1]].stats.median_ns > rows[i].stats.median_ns; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    return order;
}

enum mb_lead mb_ranking_lead(const struct mb_run *run, const struct mb_timing *timing,
                             double *next_ratio)
{
    const struct standing s = find_standing(run, timing);
    const bool has_next = s.second != SIZE_MAX;
    *next_ratio = has_next ? timing->rows[s.second].relation.ratio : (double)NAN;
    if (!has_next) {
        return s.ranking == RANKING_ALONE && s.has_others ? MB_LEAD_CLEAR : MB_LEAD_NONE;
    }
    return s.ranking >= RANKING_CLEAR   ? MB_LEAD_CLEAR
           : s.ranking >= RANKING_SPLIT ? MB_LEAD_TIED
                                        : MB_LEAD_TOO_FEW;
}

size_t mb_ranking_winner(const struct mb_run *run, const struct mb_timing *timing)
{
    const struct standing s = find_standing(run, timing);
    const bool is_only = s.ranking == RANKING_ALONE && (s.has_others || !s.has_unlike);
    return s.ranking == RANKING_CLEAR || is_only ? timing->fastest : SIZE_MAX;
}

static void add_short(struct mb_strbuf *out, const struct mb_timing *timing, size_t second)
{
    if (second == SIZE_MAX) {
        return;
    }
    const size_t n = timing->rows[timing->fastest].stats.n;
    const size_t n_second = timing->rows[second].stats.n;
    mb_strbuf_printf(
        out, "No ranking: too few samples (%zu) for a 95 %% interval; try --samples %u.",
        n < n_second ? n : n_second, MB_ENOUGH_SAMPLES);
}

/* "Tie: a, b and c differ by ...", in the order of their medians. */
static void add_tie(struct mb_strbuf *out, const struct mb_run *run,
                    const struct mb_timing *timing, size_t n_tied)
{
    size_t n, n_named = 0;
    MB_FREED size_t *order = mb_ranking_order(timing, timing->question, &n);
    out->failed = out->failed || order == NULL;
    mb_strbuf_append(out, "Tie: ");
    for (size_t i = 0; i < n; i++) {
        if (order[i] == timing->fastest || mb_ranking_is_tied(timing, order[i])) {
            mb_strbuf_list(out, timing->of->results[order[i]].label, n_named++, n_tied + 1);
        }
    }
    mb_strbuf_printf(out, " differ by less than the noise%s.",
                     run->n_pooled > 1 ? " of these runs" : "");
}

/* "spd is the fastest exact strategy, 1.32x faster than compute."; where no row is exact, or of
 * a wide kernel, "spd is fastest, ...". */
static void add_winner(struct mb_strbuf *out, const struct mb_timing *timing, size_t second)
{
    const double ratio = timing->rows[second].relation.ratio;
    mb_strbuf_printf(out, "%s is ", timing->of->results[timing->fastest].label);
    if (timing->question == MB_QUESTION_EXACT) {
        mb_strbuf_printf(out, "the fastest %s strategy",
                         mb_exact_word(timing->of->task.reduce));
    } else {
        mb_strbuf_append(out, "fastest");
    }
    mb_strbuf_printf(out, ", %sx faster than %s.", mb_ratio_text(ratio).s,
                     timing->of->results[second].label);
}

/* " Memory floor: 20.8 us (3:1 mix, measured 4.30 TB/s)."; a software device has none. */
static void add_floor(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_timing *timing)
{
    if (!isfinite(timing->floor_ns) || mb_gpu_is_cpu(&run->device)) {
        return;
    }
    if (timing->is_dispatch_bound) {
        mb_strbuf_printf(out, " Dispatch floor: %s (an empty dispatch).",
                         mb_time_text(timing->floor_ns).s);
        return;
    }
    mb_strbuf_printf(out, " Memory floor: %s (3:1 mix, measured %s).",
                     mb_time_text(timing->floor_ns).s,
                     mb_rate_text(run->roofline.ceiling_gbps).s);
}

void mb_ranking_describe(struct mb_strbuf *out, const struct mb_run *run,
                         const struct mb_timing *timing)
{
    const struct standing standing = find_standing(run, timing);
    const struct mb_result *results = timing->of->results;
    const char *exact = mb_exact_word(timing->of->task.reduce);
    switch (standing.ranking) {
    case RANKING_NONE:
        return;
    case RANKING_SHORT:
        add_short(out, timing, standing.second);
        return;
    case RANKING_FEW:
        mb_strbuf_printf(out,
                         "No ranking: too few samples (%zu) to tell %zu strategies apart; try "
                         "--samples %zu.",
                         timing->rows[timing->fastest].stats.n, mb_relate_n_tests(timing) + 1,
                         mb_relate_samples_needed(timing));
        return;
    case RANKING_ALONE:
        if (!standing.has_others) {
            return;
        }
        mb_strbuf_printf(out, "%s is the only %s strategy.", results[timing->fastest].label,
                         exact);
        break;
    case RANKING_SPLIT:
        mb_strbuf_printf(out, "No ranking: %s has the lower median, but %s wins within blocks.",
                         results[timing->fastest].label, results[standing.faster].label);
        break;
    case RANKING_TIED:
        add_tie(out, run, timing, standing.n_tied);
        break;
    case RANKING_CLEAR:
        add_winner(out, timing, standing.second);
        break;
    }
    if (timing->question == MB_QUESTION_ANY && standing.ranking >= RANKING_TIED) {
        mb_strbuf_printf(out, " None of them is %s.", exact);
    }
    add_floor(out, run, timing);
}

size_t mb_ranking_cheaper(const struct mb_run *run, const struct mb_timing *timing)
{
    const struct standing standing = find_standing(run, timing);
    const bool has_leader = standing.ranking == RANKING_ALONE ||
                            standing.ranking == RANKING_TIED ||
                            standing.ranking == RANKING_CLEAR;
    return has_leader ? standing.cheaper : SIZE_MAX;
}

void mb_ranking_describe_cheaper(struct mb_strbuf *out, const struct mb_run *run,
                                 const struct mb_timing *timing)
{
    const size_t cheaper = mb_ranking_cheaper(run, timing);
    if (cheaper == SIZE_MAX) {
        return;
    }
    const struct mb_row *row = &timing->rows[cheaper];
    const struct mb_answer answer = mb_result_answer(timing->of, row->result);
    const struct mb_format *format = timing->of->layout.format;
    const bool is_average = timing->of->task.reduce == MB_REDUCE_AVG;
    mb_strbuf_printf(out, "%s is %sx faster but %s", row->result->label,
                     mb_ratio_text(1.0 / row->relation.ratio).s,
                     is_average ? "inexact" : "not conservative");
    if (answer.drops || answer.loses) {
        mb_strbuf_printf(out, ": it %s%s%s", answer.drops ? answer.drops : "",
                         answer.drops && answer.loses ? " and " : "",
                         answer.loses ? answer.loses : "");
    }
    if (is_average && isfinite(row->result->verdict.box_lsb)) {
        mb_strbuf_printf(out, " (%s from exact)",
                         mb_error_text(row->result->verdict.box_lsb, format).s);
    }
    mb_strbuf_append(out, ".");
}

/* Why nobody is named: there are no two strategies to compare. */
static void add_nothing(struct mb_strbuf *out, const struct mb_run *run,
                        const struct mb_timing *timing)
{
    const struct standing standing = find_standing(run, timing);
    if (run->validate) {
        mb_strbuf_append(out, "No ranking: validation is on.");
    } else if (timing->fastest >= timing->of->n_results) {
        mb_strbuf_append(out, "No ranking: no strategy was checked and timed.");
    } else if (standing.ranking == RANKING_NONE) {
        mb_strbuf_append(out, "No ranking: nothing was timed.");
    } else if (standing.has_unlike) {
        mb_strbuf_printf(out, "No ranking: no other strategy computes what %s computes.",
                         timing->of->results[timing->fastest].label);
    } else {
        mb_strbuf_printf(out, "No ranking: only %s was checked and timed.",
                         timing->of->results[timing->fastest].label);
    }
}

void mb_ranking_lines(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_timing *timing)
{
    const size_t n_bytes = out->n_bytes;
    mb_ranking_describe(out, run, timing);
    if (out->n_bytes == n_bytes) {
        add_nothing(out, run, timing);
    }
    mb_strbuf_append(out, "\n");
    const size_t n_before = out->n_bytes;
    mb_ranking_describe_cheaper(out, run, timing);
    mb_strbuf_append(out, out->n_bytes > n_before ? "\n" : "");
}
