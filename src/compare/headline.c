/* Counts the verdicts on pooled timings, and says what comes of it. */
#include "compare/headline.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "result/label.h"
#include "result/ranking.h"

#define MAX_PLACES 5 /* where the winner does not win, each named */

/* How often a label comes first, and the ratios that go with it. */
struct wins {
    const char *label;
    const struct mb_timing *timing; /* the first of them */
    size_t n;
    double least, most; /* most is 0 where no ratio is known */
};

/* Of the timings of a condition that have a verdict. */
struct tally {
    const struct mb_pool *pool;
    const char *condition;
    size_t n_timings, n_few;    /* ranked, or tied; of too few samples */
    struct wins *exact, *cheap; /* by label; of all timings there can be; owned */
    size_t n_exact, n_cheap;
};

static const struct mb_timing *timing_of(const struct mb_pool *pool, size_t i)
{
    return &pool->run.cases[i]->timings[0];
}

static bool is_of(const struct mb_pool *pool, size_t timing, const char *condition)
{
    return strcmp(mb_timing_condition(timing_of(pool, timing)).s, condition) == 0;
}

bool mb_headline_begins(const struct mb_pool *pool, size_t timing)
{
    const struct mb_text condition = mb_timing_condition(timing_of(pool, timing));
    size_t first = 0;
    while (!is_of(pool, first, condition.s)) {
        first++;
    }
    return first == timing;
}

static const char *article(const char *name)
{
    const char first = (char)toupper((unsigned char)name[0]);
    const bool is_spelt = isupper((unsigned char)name[0]) && isupper((unsigned char)name[1]);
    return first != '\0' && strchr(is_spelt ? "AEFHILMNORSX" : "AEIOU", first) ? "an" : "a";
}

/* The strategy of a label is what stands before its first parameter. */
static bool is_same_strategy(const char *a, const char *b)
{
    const size_t n = strcspn(a, ":");
    return n == strcspn(b, ":") && memcmp(a, b, n) == 0;
}

static bool is_counted(const struct mb_row *row)
{
    return !row->result->is_diagnostic && mb_row_status(row) != MB_RESULT_SKIPPED;
}

/* Whether no counted row before this one, of `pool` in order, is of its label; or with
 * `by_strategy`, of its strategy. */
static bool is_new(const struct mb_pool *pool, const struct mb_row *row, bool by_strategy)
{
    const char *label = row->result->label;
    for (size_t run = 0; run < pool->n_runs; run++) {
        struct mb_rows rows = {.run = pool->runs[run]};
        for (const struct mb_row *other; (other = mb_rows_next(&rows)) != NULL;) {
            if (other == row) {
                return true;
            }
            if (is_counted(other) &&
                (by_strategy ? is_same_strategy(other->result->label, label)
                             : strcmp(other->result->label, label) == 0)) {
                return false;
            }
        }
    }
    return true;
}

struct census {
    size_t n_strategies, n_labels, n_rows, n_failed, n_unchecked;
};

static struct census count_rows(const struct mb_pool *pool)
{
    struct census found = {0};
    for (size_t run = 0; run < pool->n_runs; run++) {
        struct mb_rows rows = {.run = pool->runs[run]};
        for (const struct mb_row *row; (row = mb_rows_next(&rows)) != NULL;) {
            const enum mb_verify_status verify = row->result->verify;
            const enum mb_result_status status = mb_row_status(row);
            if (is_counted(row)) {
                found.n_strategies += is_new(pool, row, true);
                found.n_labels += is_new(pool, row, false);
                found.n_rows++;
                found.n_failed += status == MB_RESULT_FAILED || verify == MB_VERIFY_FAIL;
                found.n_unchecked += status == MB_RESULT_OK && verify == MB_VERIFY_SKIPPED;
            }
        }
    }
    return found;
}

/* "Mip-chain generation on an NVIDIA H200: " */
static void add_device(struct mb_strbuf *out, const struct mb_run *run)
{
    const char *name = run->device.name;
    mb_strbuf_append(out, "Mip-chain generation on ");
    if (mb_gpu_is_cpu(&run->device)) {
        mb_strbuf_printf(out, "%s (software): ", name);
    } else {
        mb_strbuf_printf(out, "%s %s: ", article(name), name);
    }
}

void mb_headline_title(struct mb_strbuf *out, const struct mb_pool *pool)
{
    const struct census found = count_rows(pool);
    add_device(out, pool->runs[0]);
    if (found.n_rows == 0) {
        mb_strbuf_append(out, "no results");
        return;
    }
    mb_strbuf_printf(out, "%zu strateg%s", found.n_strategies,
                     found.n_strategies == 1 ? "y" : "ies");
    if (found.n_labels > found.n_strategies) {
        mb_strbuf_printf(out, " in %zu variants", found.n_labels);
    }
    if (found.n_failed > 0) {
        mb_strbuf_printf(out, ", %zu of %zu results failed", found.n_failed, found.n_rows);
    } else if (found.n_unchecked > 0) {
        mb_strbuf_append(out, found.n_unchecked == found.n_rows ? ", nothing verified"
                                                                : ", not all verified");
    } else {
        mb_strbuf_append(out, ", every texel verified");
    }
}

static const char *device_of(const struct mb_pool *pool)
{
    return pool->runs[0]->device.name;
}

static bool is_first_of_device(const struct mb_pools *pools, size_t pool)
{
    size_t first = 0;
    while (strcmp(device_of(&pools->pools[first]), device_of(&pools->pools[pool])) != 0) {
        first++;
    }
    return first == pool;
}

void mb_headline_of_all(struct mb_strbuf *out, const struct mb_pools *pools)
{
    size_t n_devices = 0, n = 0;
    for (size_t i = 0; i < pools->n_pools; i++) {
        n_devices += is_first_of_device(pools, i);
    }
    if (pools->n_pools == 1) {
        mb_headline_title(out, &pools->pools[0]);
        return;
    }
    if (n_devices == 1) {
        add_device(out, pools->pools[0].runs[0]);
        mb_strbuf_printf(out, "%zu builds", pools->n_pools);
        return;
    }
    mb_strbuf_printf(out, "Mip-chain generation on %zu devices: ", n_devices);
    for (size_t i = 0; i < pools->n_pools; i++) {
        if (is_first_of_device(pools, i)) {
            mb_strbuf_list(out, device_of(&pools->pools[i]), n++, n_devices);
        }
    }
}

static void count_win(struct wins *wins, size_t *n, const struct mb_timing *timing, size_t row,
                      double ratio)
{
    const char *label = timing->rows[row].result->label;
    size_t at = 0;
    while (at < *n && strcmp(wins[at].label, label) != 0) {
        at++;
    }
    if (at == *n) {
        wins[(*n)++] = (struct wins){.label = label, .timing = timing};
    }
    struct wins *won = &wins[at];
    if (isfinite(ratio)) {
        won->least = won->most == 0.0 ? ratio : fmin(won->least, ratio);
        won->most = fmax(won->most, ratio);
    }
    won->n++;
}

static void count_timing(struct tally *tally, const struct mb_timing *timing)
{
    double next;
    const enum mb_lead lead = mb_ranking_lead(&tally->pool->run, timing, &next);
    const size_t cheaper = mb_ranking_cheaper(&tally->pool->run, timing);
    tally->n_few += lead == MB_LEAD_TOO_FEW;
    if (timing->question > MB_QUESTION_ANY || lead < MB_LEAD_TIED) {
        return;
    }
    tally->n_timings++;
    if (lead == MB_LEAD_CLEAR) {
        count_win(tally->exact, &tally->n_exact, timing, timing->fastest, next);
    }
    if (cheaper != SIZE_MAX) {
        count_win(tally->cheap, &tally->n_cheap, timing, cheaper,
                  timing->rows[cheaper].relation.ratio);
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

static void add_range(struct mb_strbuf *out, double least, double most)
{
    mb_strbuf_append(out, mb_ratio_text(least).s);
    if (most - least >= 0.005) {
        mb_strbuf_printf(out, " to %s", mb_ratio_text(most).s);
    }
    mb_strbuf_append(out, " times as long");
}

/* "spd-tree is the fastest exact one in 60 of 66 cases: the next takes 1.17 to 3.3 times as
 * long." */
static void add_winner(struct mb_strbuf *out, const struct tally *tally,
                       const struct wins *best)
{
    const struct mb_timing *timing = best->timing;
    mb_strbuf_printf(out, "%s is ", best->label);
    if (timing->question == MB_QUESTION_EXACT) {
        mb_strbuf_printf(out, "the fastest %s one", mb_exact_word(timing->of->task.reduce));
    } else {
        mb_strbuf_append(out, "fastest");
    }
    if (best->n == tally->n_timings) {
        mb_strbuf_printf(out, best->n == 2 ? " in both cases" : " in all %zu cases", best->n);
    } else {
        mb_strbuf_printf(out, " in %zu of %zu cases", best->n, tally->n_timings);
    }
    if (best->most > 0.0) {
        mb_strbuf_append(out, ": the next takes ");
        add_range(out, best->least, best->most);
    }
    mb_strbuf_append(out, ".\n");
}

static bool has_inputs(const struct mb_run *run)
{
    size_t n_same = 0;
    while (n_same < run->n_cases &&
           strcmp(run->cases[n_same]->input, run->cases[0]->input) == 0) {
        n_same++;
    }
    return n_same < run->n_cases;
}

/* "500x333 r8 (spd-tree takes 1.05 times as long as spd)": where, and to whom it loses. */
static void add_place(struct mb_strbuf *out, const struct tally *tally,
                      const struct mb_timing *timing, const char *label)
{
    const struct mb_case *c = timing->of;
    const char *slash = strrchr(c->input, '/');
    double next;
    if (has_inputs(&tally->pool->run)) {
        mb_strbuf_printf(out, "%s ", slash ? slash + 1 : c->input);
    }
    mb_strbuf_printf(out, "%ux%u %s", c->layout.base.width, c->layout.base.height,
                     c->layout.format->name);
    if (c->task.reduce != MB_REDUCE_AVG) {
        mb_strbuf_printf(out, " %s", mb_reduce_names[c->task.reduce]);
    }
    if (mb_ranking_lead(&tally->pool->run, timing, &next) == MB_LEAD_TIED) {
        mb_strbuf_append(out, " (within the noise)");
        return;
    }
    const char *fastest = timing->of->results[timing->fastest].label;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const double ratio = timing->rows[i].relation.ratio;
        if (strcmp(timing->of->results[i].label, label) == 0 && isfinite(ratio)) {
            mb_strbuf_printf(out, " (%s takes ", label);
            add_range(out, ratio, ratio);
            mb_strbuf_printf(out, " as %s)", fastest);
            return;
        }
    }
    mb_strbuf_printf(out, " (%s)", fastest);
}

/* "Not at 64x64 rgba8 (within the noise) and 128x64 rgba8 (spd)." */
static void add_places(struct mb_strbuf *out, const struct tally *tally,
                       const struct wins *best)
{
    const size_t n_places = tally->n_timings - best->n;
    size_t n = 0;
    for (size_t i = 0; i < tally->pool->run.n_cases; i++) {
        const struct mb_timing *timing = timing_of(tally->pool, i);
        double next;
        const enum mb_lead lead = mb_ranking_lead(&tally->pool->run, timing, &next);
        const bool is_won =
            lead == MB_LEAD_CLEAR &&
            strcmp(timing->of->results[timing->fastest].label, best->label) == 0;
        if (is_of(tally->pool, i, tally->condition) && lead >= MB_LEAD_TIED && !is_won &&
            timing->question <= MB_QUESTION_ANY) {
            const bool is_last = n + 1 == n_places;
            mb_strbuf_append(out, n == 0 ? "Not at " : is_last ? " and " : ", ");
            add_place(out, tally, timing, best->label);
            n++;
        }
    }
    mb_strbuf_append(out, n > 0 ? ".\n" : "");
}

/* "Of the others compute is fastest in 45, spd in 1, and 3 are within the noise." */
static void add_counts(struct mb_strbuf *out, const struct tally *tally,
                       const struct wins *best)
{
    size_t n_tied = tally->n_timings, n = 0;
    mb_strbuf_append(out, "Of the others");
    for (size_t i = 0; i < tally->n_exact; i++) {
        const struct wins *wins = &tally->exact[i];
        n_tied -= wins->n;
        if (wins != best) {
            mb_strbuf_printf(out, "%s %s%s in %zu", n > 0 ? "," : "", wins->label,
                             n == 0 ? " is fastest" : "", wins->n);
            n++;
        }
    }
    if (n_tied > 0) {
        mb_strbuf_printf(out, "%s %zu %s within the noise", n > 0 ? ", and" : "", n_tied,
                         n_tied == 1 ? "is" : "are");
    }
    mb_strbuf_append(out, ".\n");
}

/* "In 33 of 66 cases spd takes 0.72 to 0.97 times as long, but it is not exact: it drops the
 * last row or column of every odd level." */
static void add_cheaper(struct mb_strbuf *out, const struct tally *tally,
                        const struct wins *wins)
{
    const struct mb_case *c = wins->timing->of;
    const size_t cheaper = mb_ranking_cheaper(&tally->pool->run, wins->timing);
    const struct mb_answer answer = mb_result_answer(c, &c->results[cheaper]);
    mb_strbuf_printf(out, "In %zu of %zu cases %s takes ", wins->n, tally->n_timings,
                     wins->label);
    add_range(out, wins->least, wins->most);
    mb_strbuf_printf(out, ", but it is not %s: it ", mb_exact_word(c->task.reduce));
    mb_strbuf_printf(out, "%s%s%s.\n", answer.drops ? answer.drops : "",
                     answer.drops && answer.loses ? " and " : "",
                     answer.loses ? answer.loses : "");
}

static void say(struct mb_strbuf *out, const struct tally *tally)
{
    const struct wins *best = most(tally->exact, tally->n_exact);
    if (best != NULL) {
        add_winner(out, tally, best);
        if (tally->n_timings - best->n > MAX_PLACES) {
            add_counts(out, tally, best);
        } else {
            add_places(out, tally, best);
        }
    } else if (tally->n_timings > 0) {
        mb_strbuf_printf(out, "In none of %zu cases is one the fastest beyond the noise.\n",
                         tally->n_timings);
    }
    if (tally->n_few > 0) {
        mb_strbuf_printf(out, "No ranking of %zu cases: too few samples; try --samples %u.\n",
                         tally->n_few, MB_ENOUGH_SAMPLES);
    }
    const struct wins *cheap = most(tally->cheap, tally->n_cheap);
    if (cheap != NULL) {
        add_cheaper(out, tally, cheap);
    }
}

void mb_headline_describe(struct mb_strbuf *out, const struct mb_pool *pool, size_t timing)
{
    const struct mb_text condition = mb_timing_condition(timing_of(pool, timing));
    struct tally tally = {
        .pool = pool,
        .condition = condition.s,
        .exact = mb_alloc(pool->run.n_cases, sizeof *tally.exact),
        .cheap = mb_alloc(pool->run.n_cases, sizeof *tally.cheap),
    };
    size_t n = 0;
    out->failed = out->failed || tally.exact == NULL || tally.cheap == NULL;
    for (size_t i = 0; !out->failed && i < pool->run.n_cases; i++) {
        if (is_of(pool, i, tally.condition)) {
            count_timing(&tally, timing_of(pool, i));
            n++;
        }
    }
    if (n == 1) {
        mb_ranking_lines(out, &pool->run, timing_of(pool, timing));
    } else if (!out->failed) {
        say(out, &tally);
    }
    mb_free(tally.exact);
    mb_free(tally.cheap);
}
