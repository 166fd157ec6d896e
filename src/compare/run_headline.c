/* Counts the verdicts on pooled timings, and puts them into words. */
#include "compare/run_headline.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "result/label.h"
#include "result/ranking.h"

/* How often a label wins, and by which ratios. */
struct wins {
    const struct mb_row *row; /* of the first win */
    size_t n;
    double least, most; /* most is 0 if no ratio is known */
};

/* Counts of the timings of one condition that have a verdict. */
struct tally {
    const struct mb_run *run;
    size_t n_timings, n_few;    /* n_few: timings with too few samples, not in n_timings */
    struct wins *exact, *cheap; /* by label; with room for all timings; owned */
    size_t n_exact, n_cheap;
};

/* Whether two timings have the same condition (mb_timing_condition). */
static bool is_alike(const struct mb_timing *a, const struct mb_timing *b)
{
    return a->cache == b->cache && a->mode == b->mode &&
           a->of->image_usage == b->of->image_usage;
}

size_t mb_headline_count(const struct mb_run *run, const struct mb_timing *of)
{
    const struct mb_timing *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < run->n_cases; i++) {
        for (size_t k = 0; k < run->cases[i]->n_timings; k++) {
            const struct mb_timing *timing = &run->cases[i]->timings[k];
            first = first == NULL && is_alike(timing, of) ? timing : first;
            n += is_alike(timing, of);
        }
    }
    return first == of ? n : 0;
}

/* Add a name at the end, or move it there. */
static void add_name(struct mb_strbuf *out, struct mb_strlist *names, const char *name)
{
    mb_strlist_remove(names, name);
    out->failed = out->failed || mb_strlist_add(names, NULL, "%s", name) != MB_OK;
}

/* "Mip-chain generation on NVIDIA H200: " */
static void add_device(struct mb_strbuf *out, const struct mb_run *run)
{
    mb_strbuf_printf(out, "Mip-chain generation on %s%s: ", run->device.name,
                     mb_gpu_is_cpu(&run->device) ? " (software)" : "");
}

static void add_share(struct mb_strbuf *out, size_t n, const char *what, size_t n_rows)
{
    if (n > 0) {
        mb_strbuf_printf(out, ", %zu of %zu results %s", n, n_rows, what);
    }
}

void mb_headline_title(struct mb_strbuf *out, const struct mb_pool *pool)
{
    MB_SCOPED(mb_strlist) strategies = {0};
    size_t n_rows = 0, n_wrong = 0, n_failed = 0, n_unchecked = 0;
    for (size_t run = 0; run < pool->n_runs; run++) {
        struct mb_rows rows = {.run = pool->runs[run]};
        for (const struct mb_row *row; (row = mb_rows_next(&rows)) != NULL;) {
            const enum mb_verify_status verify = row->result->verify;
            const enum mb_result_status status = mb_row_status(row);
            if (!row->result->is_diagnostic && status != MB_RESULT_SKIPPED) {
                add_name(out, &strategies, row->result->strategy->name);
                n_rows++;
                n_wrong += verify == MB_VERIFY_FAIL;
                n_failed += status == MB_RESULT_FAILED && verify != MB_VERIFY_FAIL;
                n_unchecked += status == MB_RESULT_OK && verify == MB_VERIFY_SKIPPED;
            }
        }
    }
    add_device(out, pool->runs[0]);
    if (n_rows == 0) {
        mb_strbuf_append(out, "no results");
        return;
    }
    mb_strbuf_printf(out, "%zu strateg%s", strategies.n, strategies.n == 1 ? "y" : "ies");
    add_share(out, n_wrong, "wrong", n_rows);
    add_share(out, n_failed, "failed", n_rows);
    if (n_wrong + n_failed == 0) {
        mb_strbuf_append(out, n_unchecked == 0        ? ", every texel verified"
                              : n_unchecked == n_rows ? ", nothing verified"
                                                      : ", not all verified");
    }
}

void mb_headline_of_all(struct mb_strbuf *out, const struct mb_pools *pools)
{
    MB_SCOPED(mb_strlist) devices = {0};
    for (size_t i = pools->n_pools; i-- > 0;) { /* the first is added last */
        add_name(out, &devices, pools->pools[i].runs[0]->device.name);
    }
    if (pools->n_pools == 1) {
        mb_headline_title(out, &pools->pools[0]);
    } else if (devices.n == 1) {
        add_device(out, pools->pools[0].runs[0]);
        mb_strbuf_printf(out, "%zu builds", pools->n_pools);
    } else {
        mb_strbuf_printf(out, "Mip-chain generation on %zu devices: ", devices.n);
        for (size_t i = devices.n; i-- > 0;) {
            mb_strbuf_list(out, devices.items[i], devices.n - 1 - i, devices.n);
        }
    }
}

/* Whether two rows have the same label and drop and lose the same. */
static bool is_alike_win(const struct mb_row *a, const struct mb_row *b)
{
    const struct mb_answer of_a = mb_row_answer(a), of_b = mb_row_answer(b);
    return strcmp(a->result->label, b->result->label) == 0 &&
           strcmp(mb_answer_losses(&of_a).s, mb_answer_losses(&of_b).s) == 0;
}

static void count_win(struct wins *wins, size_t *n, const struct mb_row *row, double ratio)
{
    size_t at = 0;
    while (at < *n && !is_alike_win(wins[at].row, row)) {
        at++;
    }
    if (at == *n) {
        wins[(*n)++] = (struct wins){.row = row};
    }
    struct wins *won = &wins[at];
    if (isfinite(ratio)) {
        won->least = won->most == 0.0 ? ratio : fmin(won->least, ratio);
        won->most = fmax(won->most, ratio);
    }
    won->n++;
}

/* Count a timing if its condition is that of `of`. */
static void count_timing(struct tally *tally, const struct mb_timing *timing,
                         const struct mb_timing *of)
{
    if (!is_alike(timing, of)) {
        return;
    }
    const struct mb_ranking ranking = mb_ranking_of(tally->run, timing);
    tally->n_few += ranking.lead == MB_LEAD_TOO_FEW;
    if (timing->question > MB_QUESTION_ANY || ranking.lead < MB_LEAD_TIED) {
        return;
    }
    tally->n_timings++;
    if (ranking.lead == MB_LEAD_CLEAR) {
        count_win(tally->exact, &tally->n_exact, &timing->rows[timing->fastest],
                  ranking.next_ratio);
    }
    if (ranking.cheaper != SIZE_MAX) {
        const struct mb_row *cheaper = &timing->rows[ranking.cheaper];
        count_win(tally->cheap, &tally->n_cheap, cheaper, cheaper->relation.ratio);
    }
}

static const struct wins *most(const struct wins *wins, size_t n)
{
    const struct wins *best = NULL;
    for (size_t i = 0; i < n; i++) {
        best = best == NULL || wins[i].n > best->n ? &wins[i] : best;
    }
    return best;
}

/* "1.17x to 3.30x" */
static void add_range(struct mb_strbuf *out, double least, double most)
{
    mb_strbuf_printf(out, "%sx", mb_ratio_text(least).s);
    if (most - least >= 0.005) {
        mb_strbuf_printf(out, " to %sx", mb_ratio_text(most).s);
    }
}

/* "spd-tree is the fastest exact strategy in 60 of 66 tests, 1.17x to 3.30x faster than the
 * runner-up." */
static void add_winner(struct mb_strbuf *out, const struct tally *tally,
                       const struct wins *best)
{
    const struct mb_timing *timing = best->row->timing;
    const bool is_exact = timing->question == MB_QUESTION_EXACT;
    mb_strbuf_printf(out, "%s is the fastest%s%s strategy in ", best->row->result->label,
                     is_exact ? " " : "",
                     is_exact ? mb_exact_word(timing->of->task.reduce) : "");
    if (best->n == tally->n_timings) {
        mb_strbuf_printf(out, best->n == 2 ? "both tests" : "all %zu tests", best->n);
    } else {
        mb_strbuf_printf(out, "%zu of %zu tests", best->n, tally->n_timings);
    }
    if (best->most > 0.0) {
        mb_strbuf_append(out, ", ");
        add_range(out, best->least, best->most);
        mb_strbuf_append(out, " faster than the runner-up");
    }
    mb_strbuf_append(out, ".\n");
}

/* "Of the other tests compute wins 5, spd wins 1, and 3 are ties." */
static void add_others(struct mb_strbuf *out, const struct tally *tally,
                       const struct wins *best)
{
    size_t n_tied = tally->n_timings, n = 0;
    mb_strbuf_append(out, "Of the other tests");
    for (size_t i = 0; i < tally->n_exact; i++) {
        const struct wins *wins = &tally->exact[i];
        n_tied -= wins->n;
        if (wins != best) {
            mb_strbuf_printf(out, "%s %s wins %zu", n++ > 0 ? "," : "",
                             wins->row->result->label, wins->n);
        }
    }
    if (n_tied > 0) {
        mb_strbuf_printf(out, "%s %zu %s", n > 0 ? ", and" : "", n_tied,
                         n_tied == 1 ? "is a tie" : "are ties");
    }
    mb_strbuf_append(out, ".\n");
}

/* "In 33 of 66 tests spd is 1.03x to 1.39x faster but not exact: it drops the last row or
 * column of every odd level." */
static void add_cheaper(struct mb_strbuf *out, const struct tally *tally,
                        const struct wins *wins)
{
    const struct mb_case *c = wins->row->timing->of;
    const struct mb_answer answer = mb_row_answer(wins->row);
    mb_strbuf_printf(out, "In %zu of %zu tests %s is ", wins->n, tally->n_timings,
                     wins->row->result->label);
    add_range(out, 1.0 / wins->most, 1.0 / wins->least);
    mb_strbuf_printf(out, " faster but not %s: it %s.\n", mb_exact_word(c->task.reduce),
                     mb_answer_losses(&answer).s);
}

static void say(struct mb_strbuf *out, const struct tally *tally)
{
    const struct wins *best = most(tally->exact, tally->n_exact);
    const struct wins *cheap = most(tally->cheap, tally->n_cheap);
    if (best != NULL) {
        add_winner(out, tally, best);
    } else if (tally->n_timings > 0) {
        mb_strbuf_printf(out, "All %zu tests are ties.\n", tally->n_timings);
    }
    if (best != NULL && best->n < tally->n_timings) {
        add_others(out, tally, best);
    }
    if (tally->n_few > 0) {
        mb_strbuf_printf(out, "%zu test%s not ranked: too few samples; try --samples %u.\n",
                         tally->n_few, tally->n_few == 1 ? " is" : "s are", MB_ENOUGH_SAMPLES);
    }
    if (cheap != NULL) {
        add_cheaper(out, tally, cheap);
    }
}

void mb_headline_describe(struct mb_strbuf *out, const struct mb_run *run,
                          const struct mb_timing *of)
{
    const size_t n_most = run->n_cases * MB_MAX_CONDITIONS;
    struct tally tally = {
        .run = run,
        .exact = mb_alloc(n_most, sizeof *tally.exact),
        .cheap = mb_alloc(n_most, sizeof *tally.cheap),
    };
    out->failed = out->failed || tally.exact == NULL || tally.cheap == NULL;
    for (size_t i = 0; i < run->n_cases && !out->failed; i++) {
        for (size_t k = 0; k < run->cases[i]->n_timings; k++) {
            count_timing(&tally, &run->cases[i]->timings[k], of);
        }
    }
    if (mb_headline_count(run, of) == 1) {
        const struct mb_ranking ranking = mb_ranking_of(run, of);
        mb_ranking_lines(out, &ranking);
    } else if (!out->failed) {
        say(out, &tally);
    }
    mb_free(tally.exact);
    mb_free(tally.cheap);
}

static void add_condition(struct mb_strbuf *out, const struct mb_run *run,
                          const struct mb_timing *timing)
{
    const size_t n = mb_headline_count(run, timing);
    MB_SCOPED(mb_strbuf) lines = {0};
    if (n < 2) {
        return;
    }
    mb_headline_describe(&lines, run, timing);
    if (lines.n_bytes > 0) {
        mb_strbuf_printf(out, "\n%zu tests, %s:\n%s", n, mb_timing_condition(timing).s,
                         mb_strbuf_text(&lines));
    }
    out->failed = out->failed || lines.failed;
}

void mb_headline_failures(struct mb_strbuf *out, const struct mb_run *run)
{
    const char *lead = "\n";
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *c = run->cases[i];
        for (size_t k = 0; k < c->n_results; k++) {
            if (c->results[k].status == MB_RESULT_FAILED) {
                mb_strbuf_printf(out, "%sFAILED: %s on %s, %ux%u %s: %s\n", lead,
                                 c->results[k].label, c->input, c->layout.base.width,
                                 c->layout.base.height, c->layout.format->name,
                                 c->results[k].reason);
                lead = "";
            }
        }
    }
}

void mb_headline_summary(struct mb_strbuf *out, const struct mb_run *run)
{
    for (size_t i = 0; i < run->n_cases; i++) {
        for (size_t k = 0; k < run->cases[i]->n_timings; k++) {
            add_condition(out, run, &run->cases[i]->timings[k]);
        }
    }
    if (run->n_pooled == 0 && run->n_cases > 1) {
        mb_headline_failures(out, run);
    }
}
