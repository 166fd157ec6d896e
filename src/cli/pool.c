/* `mipbench compare --pool`: pooled runs as tables and as JSON. */
#include "cli/pool.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/grid.h"
#include "base/json.h"
#include "base/text.h"
#include "compare/pool.h"
#include "result/ranking.h"
#include "cli/output.h"

#define N_COLUMNS   80 /* of the widest line */
#define LABEL_WIDTH 24 /* longer labels stand on a line of their own */
#define TEXT_BYTES  64

/* Four digits, and all of those before the point. */
static int decimals(double value)
{
    return value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
}

/* No figure is a dash. */
static void figure_text(double value, char *out)
{
    if (isfinite(value)) {
        snprintf(out, TEXT_BYTES, "%.*f", decimals(value), value);
    } else {
        snprintf(out, TEXT_BYTES, "-");
    }
}

static void interval_text(const double ci[2], double unit, char *out)
{
    const double low = ci[0] / unit, high = ci[1] / unit;
    if (isfinite(low) && isfinite(high)) {
        snprintf(out, TEXT_BYTES, "%.*f - %.*f", decimals(low), low, decimals(high), high);
    } else {
        snprintf(out, TEXT_BYTES, "-");
    }
}

/* What keeps a row out of the ranking, or "". */
static const char *remark_on(const struct mb_result *result)
{
    if (result->status == MB_RESULT_FAILED) {
        return "WRONG";
    }
    return result->verify == MB_VERIFY_PASS ? "" : "unchecked";
}

/* In us: "> spd-tree  42.40  42.38 - 42.41  1.000  1.000 - 1.000  2". A remark takes the place
 * of the ratio's interval. */
static void add_row(struct mb_strbuf *out, const struct mb_row *row, size_t n_runs,
                    bool is_winner, const struct mb_table_style *style)
{
    char median[TEXT_BYTES], interval[TEXT_BYTES], ratio[TEXT_BYTES], ratio_ci[TEXT_BYTES];
    const char *label = row->result->label;
    const char *remark = remark_on(row->result);
    const bool is_painted = style->color && is_winner;
    figure_text(row->stats.median_ns / 1e3, median);
    interval_text(row->stats.median_ci_ns, 1e3, interval);
    figure_text(row->relation.ratio, ratio);
    interval_text(row->relation.ci, 1, ratio_ci);
    mb_strbuf_printf(out, "%s%s", is_painted ? MB_PAINT_GOOD : "", is_winner ? "> " : "  ");
    const size_t width = mb_utf8_columns(label);
    mb_strbuf_wrap(out, label, 2, N_COLUMNS);
    if (width > LABEL_WIDTH) {
        mb_strbuf_append(out, "\n");
        mb_strbuf_spaces(out, 2);
    }
    mb_strbuf_spaces(out, width > LABEL_WIDTH ? LABEL_WIDTH : LABEL_WIDTH - width);
    mb_strbuf_printf(out, " %8s %16s %6s %14s %4zu%s\n", median, interval, ratio,
                     remark[0] != '\0' ? remark : ratio_ci, n_runs,
                     is_painted ? MB_PAINT_OFF : "");
}

static void add_timing(struct mb_strbuf *out, const struct mb_pool *pool,
                       const struct mb_pool_timing *pooled, const struct mb_table_style *style)
{
    const struct mb_timing *timing = &pooled->c.timings[0];
    const struct mb_file_result *of = pooled->match[0]->usable;
    const size_t winner = mb_ranking_winner(&pool->run, timing);
    struct mb_strbuf text = {0};
    mb_strbuf_printf(&text, "%s, %s", of->case_id, of->condition);
    mb_strbuf_append(out, "\n");
    mb_strbuf_wrap(out, mb_strbuf_text(&text), 0, N_COLUMNS);
    mb_strbuf_printf(out, "\n  %-*s %8s %16s %6s %14s %4s\n", LABEL_WIDTH, "Strategy", "us",
                     "95% interval", "Ratio", "95% interval", "Runs");
    for (size_t i = 0; i < pooled->c.n_results; i++) {
        add_row(out, &timing->rows[i], pooled->match[i]->n_usable, i == winner, style);
    }
    out->failed = out->failed || text.failed;
    mb_strbuf_finish(&text);
    mb_ranking_describe(&text, &pool->run, timing);
    mb_strbuf_wrap(out, mb_strbuf_text(&text), 0, N_COLUMNS);
    mb_strbuf_append(out, text.n_bytes > 0 ? "\n" : "");
    out->failed = out->failed || text.failed;
    mb_strbuf_finish(&text);
}

/* A table for each case, at most 80 columns wide. */
static void add_text(struct mb_strbuf *out, const struct mb_pools *pools,
                     const struct mb_table_style *style)
{
    for (size_t i = 0; i < pools->n_pools; i++) {
        const struct mb_pool *pool = &pools->pools[i];
        const struct mb_result_file *file = pool->runs[0];
        char title[sizeof file->device + sizeof file->driver + sizeof file->git_sha + 64];
        snprintf(title, sizeof title, "%s, driver %s, mipbench %s: %zu run%s", file->device,
                 file->driver, file->git_sha, pool->n_runs, pool->n_runs == 1 ? "" : "s");
        mb_strbuf_append(out, i > 0 ? "\n" : "");
        mb_strbuf_wrap(out, title, 0, N_COLUMNS);
        mb_strbuf_append(out, "\n");
        for (size_t k = 0; k < pool->n_timings; k++) {
            add_timing(out, pool, &pool->timings[k], style);
        }
        if (pool->n_timings == 0) {
            mb_strbuf_append(out, "No figures.\n");
        }
    }
    if (pools->n_repeated > 0) {
        mb_strbuf_printf(out, "\n%zu file%s of a run that is there already: it counts once.\n",
                         pools->n_repeated, pools->n_repeated == 1 ? " is" : "s are");
    }
}

static void json_runs(struct mb_json *json, struct cJSON *node, const struct mb_pool *pool)
{
    const struct mb_result_file *first = pool->runs[0];
    mb_json_string(json, node, "device", first->device);
    mb_json_string(json, node, "driver", first->driver);
    mb_json_string(json, node, "git_sha", first->git_sha);
    struct cJSON *runs = mb_json_array(json, node, "runs");
    for (size_t i = 0; i < pool->n_runs; i++) {
        const struct mb_result_file *file = pool->runs[i];
        struct cJSON *run = mb_json_object(json, runs, NULL);
        mb_json_string(json, run, "path", file->path);
        mb_json_string(json, run, "run_id", file->run_id);
        mb_json_bool(json, run, "complete", file->complete);
    }
}

static void json_row(struct mb_json *json, struct cJSON *list, const struct mb_timing *timing,
                     const struct mb_row *row, const struct mb_match *match)
{
    const char *answer = match->usable->answer;
    const struct mb_relation *relation = &row->relation;
    const struct mb_result *result = row->result;
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "variant", result->slug);
    mb_json_string(json, node, "label", result->label);
    mb_json_string(json, node, "answer", answer[0] != '\0' ? answer : NULL);
    mb_json_string(json, node, "status", mb_result_status_names[result->status]);
    mb_json_string(json, node, "verify", mb_verify_status_names[result->verify]);
    mb_json_u64(json, node, "runs", match->n_usable);
    mb_json_u64(json, node, "samples", row->stats.n);
    mb_json_number(json, node, "median_ns", row->stats.median_ns);
    mb_json_numbers(json, node, "median_ci_ns", row->stats.median_ci_ns, 2);
    mb_json_number(json, node, "p05_ns", row->stats.p05_ns);
    mb_json_number(json, node, "p95_ns", row->stats.p95_ns);
    if (!isfinite(relation->ratio)) {
        mb_json_null(json, node, "relative");
        return;
    }
    struct cJSON *relative = mb_json_object(json, node, "relative");
    mb_json_number(json, relative, "ratio", relation->ratio);
    mb_json_numbers(json, relative, "ci", relation->ci, 2);
    mb_json_number(json, relative, "p_adjusted", relation->p_adjusted);
    mb_json_string(json, relative, "verdict",
                   mb_row_answers(timing, row, timing->question)
                       ? mb_outcome_names[relation->outcome]
                       : NULL);
}

/* Which timing of each run it is, by its place in the file. */
static void json_places(struct mb_json *json, struct cJSON *node, const struct mb_pool *pool,
                        const struct mb_pool_timing *pooled)
{
    struct cJSON *places = mb_json_array(json, node, "timings");
    for (size_t run = 0; run < pool->n_runs; run++) {
        const struct mb_file_result *of = NULL;
        for (size_t i = 0; of == NULL && i < pooled->c.n_results; i++) {
            of = pooled->match[i]->of[run];
        }
        mb_json_number(json, places, NULL, of != NULL ? (double)of->timing : (double)NAN);
    }
}

static void json_timing(struct mb_json *json, struct cJSON *list, const struct mb_pool *pool,
                        const struct mb_pool_timing *pooled)
{
    const struct mb_file_result *of = pooled->match[0]->usable;
    const struct mb_timing *timing = &pooled->c.timings[0];
    const bool is_ranked = timing->fastest != SIZE_MAX;
    struct mb_strbuf sentence = {0};
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "case", of->case_id);
    mb_json_string(json, node, "cache", of->cache);
    mb_json_string(json, node, "mode", of->mode);
    mb_json_string(json, node, "condition", of->condition);
    json_places(json, node, pool, pooled);
    mb_json_string(json, node, "question",
                   is_ranked ? mb_question_names[timing->question] : NULL);
    mb_json_string(json, node, "fastest",
                   is_ranked ? pooled->c.results[timing->fastest].slug : NULL);
    struct cJSON *tied = mb_json_array(json, node, "tied");
    for (size_t i = 0; is_ranked && i < pooled->c.n_results; i++) {
        if (mb_ranking_is_tied(timing, i)) {
            mb_json_string(json, tied, NULL, pooled->c.results[i].slug);
        }
    }
    mb_ranking_describe(&sentence, &pool->run, timing);
    mb_json_string(json, node, "sentence", mb_strbuf_text(&sentence));
    json->failed = json->failed || sentence.failed;
    mb_strbuf_finish(&sentence);
    struct cJSON *rows = mb_json_array(json, node, "rows");
    for (size_t i = 0; i < pooled->c.n_results; i++) {
        json_row(json, rows, timing, &timing->rows[i], pooled->match[i]);
    }
}

/* As results/pool.schema.json has it. */
static enum mb_status make_json(const struct mb_pools *pools, uint64_t seed, char **text,
                                struct mb_err *err)
{
    struct mb_json json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-pool", "1.0.0");
    mb_json_u64(&json, json.root, "seed", seed);
    mb_json_u64(&json, json.root, "repeated_files", pools->n_repeated);
    struct cJSON *list = mb_json_array(&json, json.root, "pools");
    for (size_t i = 0; i < pools->n_pools; i++) {
        struct cJSON *node = mb_json_object(&json, list, NULL);
        json_runs(&json, node, &pools->pools[i]);
        struct cJSON *timings = mb_json_array(&json, node, "timings");
        for (size_t k = 0; k < pools->pools[i].n_timings; k++) {
            json_timing(&json, timings, &pools->pools[i], &pools->pools[i].timings[k]);
        }
    }
    const enum mb_status status = mb_json_print(&json, text, err);
    mb_json_finish(&json);
    return status;
}

enum mb_status mb_pool_show(const struct mb_options *options, const struct mb_run_group *files,
                            struct mb_err *err)
{
    enum mb_status status;
    const struct mb_bootstrap how = {.seed = options->settings.seed};
    const struct mb_table_style style = mb_output_style(options);
    struct mb_pools pools = {0};
    struct mb_strbuf text = {0};
    char *json = NULL;
    MB_TRY(mb_pool_runs(files, &how, &pools, err));
    add_text(&text, &pools, &style);
    MB_TRY(mb_output_show(&text, mb_output_takes_stdout(options), err));
    if (options->json != NULL) {
        MB_TRY(make_json(&pools, how.seed, &json, err));
        MB_TRY(mb_output_write(options->json, json, err));
    }
fail:
    mb_free(json);
    mb_pools_finish(&pools);
    return status;
}
