/* Writes pooled runs as tables and as JSON. */
#include "cli/pool.h"

#include <math.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/text.h"
#include "compare/run_headline.h"
#include "result/case_json.h"
#include "result/label.h"
#include "result/ranking.h"
#include "result/result_json.h"
#include "cli/output.h"
#include "cli/session.h"

static void add_unfinished(struct mb_strbuf *out, const struct mb_pool *pool,
                           const struct mb_table_style *style)
{
    for (size_t i = 0; i < pool->n_runs; i++) {
        if (!pool->runs[i]->complete) {
            mb_table_loud(out, style, "warning: %.640s: the run was interrupted",
                          pool->runs[i]->path);
        }
    }
}

/* Add a table for each case, like that of a run. */
static void add_text(struct mb_strbuf *out, const struct mb_pools *pools,
                     const struct mb_table_style *style)
{
    for (size_t i = 0; i < pools->n_pools; i++) {
        const struct mb_pool *pool = &pools->pools[i];
        const struct mb_run *file = pool->runs[0];
        struct mb_strbuf lines = {0};
        mb_strbuf_append(out, i > 0 ? "\n" : "");
        mb_strbuf_printf(&lines, "%s, driver %s, mipbench %s: %zu run%s\n", file->device.name,
                         mb_run_driver(file), file->tool.git_sha, pool->n_runs,
                         pool->n_runs == 1 ? "" : "s");
        add_unfinished(&lines, pool, style);
        mb_table_lines(out, &lines, style);
        for (size_t k = 0; k < pool->run.n_cases; k++) {
            mb_strbuf_append(out, "\n");
            mb_table_timing(out, &pool->run, &pool->run.cases[k]->timings[0], style);
        }
        mb_headline_summary(&lines, &pool->run);
        mb_table_lines(out, &lines, style);
        if (pool->run.n_cases == 0) {
            mb_strbuf_append(out, "No times.\n");
        }
    }
    if (pools->n_repeated > 0) {
        mb_strbuf_printf(out,
                         "\n%zu file%s a run that was named before; each run counts once.\n",
                         pools->n_repeated, pools->n_repeated == 1 ? " repeats" : "s repeat");
    }
}

void mb_pool_json_run(struct mb_json *json, struct cJSON *list, const struct mb_run *run)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "path", run->path);
    mb_json_string(json, node, "run_id", run->id);
    mb_json_string(json, node, "device", run->device.name);
    mb_json_string(json, node, "driver", mb_run_driver(run));
    mb_json_string(json, node, "git_sha", run->tool.git_sha);
    mb_json_bool(json, node, "complete", run->complete);
}

static void json_runs(struct mb_json *json, struct cJSON *node, const struct mb_pool *pool)
{
    const struct mb_run *first = pool->runs[0];
    mb_json_string(json, node, "device", first->device.name);
    mb_json_string(json, node, "driver", mb_run_driver(first));
    mb_json_string(json, node, "git_sha", first->tool.git_sha);
    struct cJSON *runs = mb_json_array(json, node, "runs");
    for (size_t i = 0; i < pool->n_runs; i++) {
        mb_pool_json_run(json, runs, pool->runs[i]);
    }
}

static void json_row(struct mb_json *json, struct cJSON *list, const struct mb_row *row)
{
    const char *answer = mb_row_answer(row).word;
    struct mb_relation relation = row->relation;
    const struct mb_result *result = row->result;
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "variant", result->slug);
    mb_json_string(json, node, "label", result->label);
    mb_json_string(json, node, "answer", answer);
    mb_json_string(json, node, "status", mb_result_status_names[result->status]);
    mb_json_string(json, node, "verify", mb_verify_status_names[result->verify]);
    mb_json_u64(json, node, "runs", row->n_runs);
    mb_json_u64(json, node, "samples", row->stats.n);
    mb_json_number(json, node, "median_ns", row->stats.median_ns);
    mb_json_numbers(json, node, "median_ci_ns", row->stats.median_ci_ns, 2);
    mb_json_number(json, node, "p05_ns", row->stats.p05_ns);
    mb_json_number(json, node, "p95_ns", row->stats.p95_ns);
    mb_relation_field(mb_node_write(json, node), &relation);
}

/* The index of a timing among all timings of its file. */
static double place_of(const struct mb_run *run, const struct mb_timing *timing)
{
    size_t n_before = 0;
    for (size_t i = 0; run->cases[i] != timing->of; i++) {
        n_before += run->cases[i]->n_timings;
    }
    return (double)(n_before + (size_t)(timing - timing->of->timings));
}

/* Write which timing of each run was pooled, by its index in the file. */
static void json_places(struct mb_json *json, struct cJSON *node, const struct mb_pool *pool,
                        size_t at)
{
    struct cJSON *places = mb_json_array(json, node, "timings");
    for (size_t run = 0; run < pool->n_runs; run++) {
        const struct mb_timing *of = pool->timings[at * pool->n_runs + run];
        mb_json_number(json, places, NULL,
                       of != NULL ? place_of(pool->runs[run], of) : (double)NAN);
    }
}

static void json_timing(struct mb_json *json, struct cJSON *list, const struct mb_pool *pool,
                        size_t at)
{
    const struct mb_timing *timing = &pool->run.cases[at]->timings[0];
    struct cJSON *node = mb_json_object(json, list, NULL);
    mb_json_string(json, node, "case", mb_case_folder(timing->of).s);
    mb_json_string(json, node, "cache", mb_cache_names[timing->cache]);
    mb_json_string(json, node, "mode", mb_mode_names[timing->mode]);
    mb_json_string(json, node, "condition", mb_timing_condition(timing).s);
    json_places(json, node, pool, at);
    const struct mb_ranking ranking = mb_ranking_of(&pool->run, timing);
    mb_json_string(json, node, "lead", mb_lead_names[ranking.lead]);
    mb_json_number(json, node, "next_ratio", ranking.next_ratio);
    mb_report_rankings(json, node, &ranking);
    struct cJSON *rows = mb_json_array(json, node, "rows");
    for (size_t i = 0; i < timing->of->n_results; i++) {
        json_row(json, rows, &timing->rows[i]);
    }
}

void mb_pool_json_lines(struct mb_json *json, struct cJSON *node, const char *key,
                        struct mb_strbuf *lines)
{
    struct cJSON *list = mb_json_array(json, node, key);
    char *rest = lines->text, *line;
    while ((line = mb_next_line(&rest)) != NULL) {
        mb_json_string(json, list, NULL, line);
    }
    json->failed = json->failed || lines->failed;
    mb_strbuf_finish(lines);
}

/* Add the headline of the whole pool, and a headline for each condition. */
static void json_headline(struct mb_json *json, struct cJSON *node, const struct mb_pool *pool)
{
    MB_SCOPED(mb_strbuf) title = {0};
    mb_headline_title(&title, pool);
    json->failed = json->failed || title.failed;
    mb_json_string(json, node, "title", mb_strbuf_text(&title));
    struct cJSON *list = mb_json_array(json, node, "conditions");
    for (size_t i = 0; i < pool->run.n_cases; i++) {
        const struct mb_timing *timing = &pool->run.cases[i]->timings[0];
        if (mb_headline_count(&pool->run, timing) > 0) {
            struct mb_strbuf lines = {0};
            struct cJSON *condition = mb_json_object(json, list, NULL);
            mb_headline_describe(&lines, &pool->run, timing);
            mb_json_string(json, condition, "condition", mb_timing_condition(timing).s);
            mb_pool_json_lines(json, condition, "sentences", &lines);
        }
    }
}

/* Write JSON by results/pool.schema.json. */
static void make_json(const struct mb_pools *pools, uint64_t seed, struct mb_strbuf *out)
{
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-pool", "2.0.0");
    mb_json_u64(&json, json.root, "seed", seed);
    mb_json_u64(&json, json.root, "repeated_files", pools->n_repeated);
    MB_SCOPED(mb_strbuf) title = {0};
    mb_headline_of_all(&title, pools);
    json.failed = json.failed || title.failed;
    mb_json_string(&json, json.root, "title", mb_strbuf_text(&title));
    struct cJSON *list = mb_json_array(&json, json.root, "pools");
    for (size_t i = 0; i < pools->n_pools; i++) {
        struct cJSON *node = mb_json_object(&json, list, NULL);
        json_runs(&json, node, &pools->pools[i]);
        json_headline(&json, node, &pools->pools[i]);
        struct cJSON *timings = mb_json_array(&json, node, "timings");
        for (size_t k = 0; k < pools->pools[i].run.n_cases; k++) {
            json_timing(&json, timings, &pools->pools[i], k);
        }
    }
    mb_json_print(&json, out);
}

enum mb_status mb_pool_show(const struct mb_options *options, const struct mb_run_group *files,
                            struct mb_err *err)
{
    const struct mb_bootstrap how = {.seed = options->settings.seed};
    const struct mb_table_style style = mb_output_style(options);
    MB_SCOPED(mb_pools) pools = {0};
    MB_SCOPED(mb_strbuf) text = {0}, json = {0};
    MB_DO(mb_pool_runs(files, &how, &pools, err));
    mb_session_end_at_once(false);
    add_text(&text, &pools, &style);
    MB_DO(mb_output_show(&text, options, err));
    if (options->json != NULL) {
        make_json(&pools, how.seed, &json);
        MB_DO(mb_output_write(options->json, &json, err));
    }
    return MB_OK;
}
