/* Chooses the fastest row of a timing, and puts the verdicts on its rivals into words. */
#include "result/ranking.h"

#include <math.h>

#include "base/alloc.h"
#include "result/label.h"
#include "result/relate.h"

const char *const mb_lead_names[] = {
    [MB_LEAD_NONE] = "none",
    [MB_LEAD_TOO_FEW] = "too few",
    [MB_LEAD_TIED] = "tied",
    [MB_LEAD_CLEAR] = "clear",
};

/* Whether a row can be ranked: timed, not diagnostic, with a policy, and not found wrong. */
static bool is_rankable(const struct mb_row *row)
{
    return mb_row_status(row) == MB_RESULT_OK && row->result->verify != MB_VERIFY_FAIL &&
           isfinite(mb_row_time_ns(row)) && !row->result->is_diagnostic &&
           !row->result->work.tolerance.has_no_policy;
}

static bool is_rival(const struct mb_timing *timing, size_t index)
{
    const struct mb_row *row = &timing->rows[index];
    return index != timing->fastest && is_rankable(row) &&
           mb_row_answers(row, timing->question);
}

bool mb_ranking_is_tied(const struct mb_timing *timing, size_t index)
{
    return is_rival(timing, index) && timing->rows[index].relation.outcome != MB_OUTCOME_SLOWER;
}

/* The row with the better median, or `a` if both are equal; `a` may be SIZE_MAX. */
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
        if (row->result->verify == MB_VERIFY_PASS && isfinite(mb_row_time_ns(row)) &&
            mb_row_answers(row, question)) {
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

static void note_row(struct mb_ranking *ranking, size_t index)
{
    const struct mb_timing *timing = ranking->timing;
    const struct mb_row *row = &timing->rows[index];
    const enum mb_outcome outcome = row->relation.outcome;
    if (index == timing->fastest || !is_rankable(row)) {
        return;
    }
    if (mb_row_answers(row, timing->question)) {
        ranking->second = better(timing, ranking->second, index);
        ranking->faster = outcome == MB_OUTCOME_FASTER ? index : ranking->faster;
        ranking->n_tied += outcome != MB_OUTCOME_SLOWER;
        ranking->is_beyond_tests |=
            outcome == MB_OUTCOME_INCONCLUSIVE && !mb_relate_can_tell(timing);
    } else if (mb_rows_are_alike(&timing->rows[timing->fastest], row)) {
        ranking->has_others |= timing->question == MB_QUESTION_EXACT;
        ranking->cheaper = outcome == MB_OUTCOME_FASTER
                               ? better(timing, ranking->cheaper, index)
                               : ranking->cheaper;
    } else {
        ranking->has_unlike = true;
    }
}

static enum mb_lead find_lead(const struct mb_ranking *ranking)
{
    const struct mb_row *rows = ranking->timing->rows;
    const bool is_known = mb_has_median_ci(&rows[ranking->timing->fastest].stats);
    if (ranking->second == SIZE_MAX) {
        return !ranking->has_others ? MB_LEAD_NONE : is_known ? MB_LEAD_CLEAR : MB_LEAD_TOO_FEW;
    }
    if (!is_known || !mb_has_median_ci(&rows[ranking->second].stats) ||
        ranking->is_beyond_tests) {
        return MB_LEAD_TOO_FEW;
    }
    return ranking->n_tied > 0 ? MB_LEAD_TIED : MB_LEAD_CLEAR;
}

static bool is_only(const struct mb_ranking *ranking)
{
    return ranking->second == SIZE_MAX && !ranking->has_unlike &&
           mb_has_median_ci(&ranking->timing->rows[ranking->timing->fastest].stats);
}

struct mb_ranking mb_ranking_of(const struct mb_run *run, const struct mb_timing *timing)
{
    struct mb_ranking ranking = {
        .run = run,
        .timing = timing,
        .winner = SIZE_MAX,
        .second = SIZE_MAX,
        .next_ratio = (double)NAN,
        .faster = SIZE_MAX,
        .cheaper = SIZE_MAX,
    };
    if (run->validate || timing->fastest == SIZE_MAX) {
        return ranking;
    }
    for (size_t i = 0; i < timing->of->n_results; i++) {
        note_row(&ranking, i);
    }
    ranking.lead = find_lead(&ranking);
    if (ranking.lead == MB_LEAD_CLEAR || is_only(&ranking)) {
        ranking.winner = timing->fastest;
    }
    if (ranking.second != SIZE_MAX) {
        ranking.next_ratio = timing->rows[ranking.second].relation.ratio;
    }
    if (ranking.lead < MB_LEAD_TIED || ranking.faster != SIZE_MAX) {
        ranking.cheaper = SIZE_MAX;
    }
    return ranking;
}

size_t *mb_rows_by_time(const struct mb_timing *timing)
{
    const struct mb_row *rows = timing->rows;
    size_t *order = mb_alloc(timing->of->n_results, sizeof *order);
    for (size_t i = 0; order && i < timing->of->n_results; i++) {
        size_t at = i;
        for (; at > 0 && mb_row_time_ns(&rows[order[at - 1]]) > mb_row_time_ns(&rows[i]);
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    return order;
}

size_t *mb_ranking_order(const struct mb_timing *timing, enum mb_question question, size_t *n)
{
    size_t *order = mb_rows_by_time(timing);
    *n = 0;
    for (size_t i = 0; order && i < timing->of->n_results; i++) {
        const struct mb_row *row = &timing->rows[order[i]];
        if (is_rankable(row) && mb_row_answers(row, question)) {
            order[(*n)++] = order[i];
        }
    }
    return order;
}

/* Say that samples are too few for an interval, or for any test to tell the rows apart. */
static void add_few(struct mb_strbuf *out, const struct mb_ranking *ranking)
{
    const struct mb_row *rows = ranking->timing->rows;
    const size_t n = rows[ranking->timing->fastest].stats.n;
    const size_t m = ranking->second != SIZE_MAX ? rows[ranking->second].stats.n : n;
    mb_strbuf_printf(out, "No ranking: too few samples (%zu); try --samples %u.", n < m ? n : m,
                     MB_ENOUGH_SAMPLES);
}

/* "Tie: a, b and c differ by ...", in the order of their medians. */
static void add_tie(struct mb_strbuf *out, const struct mb_ranking *ranking)
{
    const struct mb_timing *timing = ranking->timing;
    size_t n, n_named = 0;
    MB_FREED size_t *order = mb_ranking_order(timing, timing->question, &n);
    out->failed = out->failed || order == NULL;
    mb_strbuf_append(out, "Tie: ");
    for (size_t i = 0; i < n; i++) {
        if (order[i] == timing->fastest || mb_ranking_is_tied(timing, order[i])) {
            mb_strbuf_list(out, timing->of->results[order[i]].label, n_named++,
                           ranking->n_tied + 1);
        }
    }
    mb_strbuf_printf(out, " differ by less than the noise%s.",
                     ranking->run->n_pooled > 1 ? " of these runs" : "");
}

/* "spd is the fastest exact strategy, 1.32x faster than compute."; if the question is not
 * `exact`, "spd is fastest, ..."; if there is no rival, "spd is the only exact strategy." */
static void add_winner(struct mb_strbuf *out, const struct mb_ranking *ranking)
{
    const struct mb_timing *timing = ranking->timing;
    const struct mb_result *results = timing->of->results;
    const bool has_rival = ranking->second != SIZE_MAX;
    mb_strbuf_printf(out, "%s is ", results[timing->fastest].label);
    if (timing->question == MB_QUESTION_EXACT) {
        mb_strbuf_printf(out, "the %s %s strategy", has_rival ? "fastest" : "only",
                         mb_exact_word(timing->of->task.reduce));
    } else {
        mb_strbuf_append(out, "fastest");
    }
    if (has_rival) {
        mb_strbuf_printf(out, ", %sx faster than %s", mb_ratio_text(ranking->next_ratio).s,
                         results[ranking->second].label);
    }
    mb_strbuf_append(out, ".");
}

/* " Memory floor: 20.8 us (3:1 mix, measured 4.30 TB/s)."; adds nothing on a software
 * device. */
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

void mb_ranking_describe(struct mb_strbuf *out, const struct mb_ranking *ranking)
{
    const struct mb_timing *timing = ranking->timing;
    const struct mb_result *results = timing->of->results;
    if (ranking->lead == MB_LEAD_NONE) {
        return;
    }
    if (ranking->lead == MB_LEAD_TOO_FEW) {
        add_few(out, ranking);
        return;
    }
    if (ranking->faster != SIZE_MAX) {
        mb_strbuf_printf(out, "No ranking: %s has the lower median, but %s wins within blocks.",
                         results[timing->fastest].label, results[ranking->faster].label);
    } else if (ranking->lead == MB_LEAD_TIED) {
        add_tie(out, ranking);
    } else {
        add_winner(out, ranking);
    }
    if (timing->question == MB_QUESTION_ANY && ranking->faster == SIZE_MAX) {
        mb_strbuf_printf(out, " None of them is %s.", mb_exact_word(timing->of->task.reduce));
    }
    add_floor(out, ranking->run, timing);
}

void mb_ranking_describe_cheaper(struct mb_strbuf *out, const struct mb_ranking *ranking)
{
    const struct mb_timing *timing = ranking->timing;
    if (ranking->cheaper == SIZE_MAX) {
        return;
    }
    const struct mb_row *row = &timing->rows[ranking->cheaper];
    const struct mb_answer answer = mb_row_answer(row);
    const struct mb_format *format = timing->of->layout.format;
    const bool is_average = timing->of->task.reduce == MB_REDUCE_AVG;
    mb_strbuf_printf(out, "%s is %sx faster but %s", row->result->label,
                     mb_ratio_text(1.0 / row->relation.ratio).s,
                     is_average ? "inexact" : "not conservative");
    if (answer.drops || answer.loses) {
        mb_strbuf_printf(out, ": it %s", mb_answer_losses(&answer).s);
    }
    if (is_average && isfinite(row->result->verdict.box_lsb)) {
        mb_strbuf_printf(out, " (%s from exact)",
                         mb_error_text(row->result->verdict.box_lsb, format).s);
    }
    mb_strbuf_append(out, ".");
}

/* Say why there is no ranking: validation, or no two strategies to compare. */
static void add_nothing(struct mb_strbuf *out, const struct mb_ranking *ranking)
{
    const struct mb_timing *timing = ranking->timing;
    if (ranking->run->validate) {
        mb_strbuf_append(out, "No ranking: validation is on.");
    } else if (timing->fastest == SIZE_MAX) {
        mb_strbuf_append(out, "No ranking: no strategy was checked and timed.");
    } else if (ranking->has_unlike) {
        mb_strbuf_printf(out, "No ranking: no other strategy computes what %s computes.",
                         timing->of->results[timing->fastest].label);
    } else {
        mb_strbuf_printf(out, "No ranking: only %s was checked and timed.",
                         timing->of->results[timing->fastest].label);
    }
}

void mb_ranking_lines(struct mb_strbuf *out, const struct mb_ranking *ranking)
{
    const size_t n_bytes = out->n_bytes;
    mb_ranking_describe(out, ranking);
    if (out->n_bytes == n_bytes) {
        add_nothing(out, ranking);
    }
    mb_strbuf_append(out, "\n");
    const size_t n_before = out->n_bytes;
    mb_ranking_describe_cheaper(out, ranking);
    mb_strbuf_append(out, out->n_bytes > n_before ? "\n" : "");
}
