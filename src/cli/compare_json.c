/* A comparison as JSON: what was compared, by which rule, and what came of it. */
#include <math.h>

#include "base/json.h"
#include "cli/compare_view.h"

static void add_group(struct mb_json *json, const char *key, const struct mb_run_group *group)
{
    struct cJSON *list = mb_json_array(json, json->root, key);
    for (size_t i = 0; i < group->n_files; i++) {
        const struct mb_result_file *file = &group->files[i];
        struct cJSON *node = mb_json_object(json, list, NULL);
        mb_json_string(json, node, "path", file->path);
        mb_json_string(json, node, "run_id", file->run_id);
        mb_json_string(json, node, "device", file->device);
        mb_json_string(json, node, "driver", file->driver);
        mb_json_string(json, node, "git_sha", file->git_sha);
        mb_json_bool(json, node, "complete", file->complete);
    }
}

static void add_case(struct mb_json *json, struct cJSON *node,
                     const struct mb_file_result *result)
{
    mb_json_string(json, node, "strategy", result->label);
    mb_json_string(json, node, "case", result->place);
}

static void add_row(struct mb_json *json, struct cJSON *list, const struct mb_compare_row *row)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    add_case(json, node, row->base);
    mb_json_number(json, node, "base_ns", row->base_ns);
    mb_json_number(json, node, "new_ns", row->new_ns);
    mb_json_number(json, node, "ratio", row->ratio);
    mb_json_numbers(json, node, "ci", row->ratio_ci, 2);
    mb_json_number(json, node, "p", row->p);
    mb_json_number(json, node, "p_adjusted", row->p_adjusted);
    mb_json_number(json, node, "threshold", row->threshold);
    mb_json_number(json, node, "margin", row->margin);
    mb_json_number(json, node, "spread", row->spread);
    mb_json_number(json, node, "runs_needed",
                   row->n_runs_needed > 0 ? (double)row->n_runs_needed : (double)NAN);
    mb_json_u64(json, node, "base_runs", row->n_base);
    mb_json_u64(json, node, "new_runs", row->n_new);
    mb_json_bool(json, node, "single_run", row->is_single_run);
    mb_json_bool(json, node, "verified", row->is_checked);
    mb_json_bool(json, node, "identical_samples", row->is_identical);
    mb_json_string(json, node, "verdict", mb_outcome_name(row->outcome));
    mb_json_string(json, node, "reason", row->reason[0] != '\0' ? row->reason : NULL);
    mb_json_bool(json, node, "regression", row->is_regression);
}

static void add_gap(struct mb_json *json, struct cJSON *list, const struct mb_compare_gap *gap)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    add_case(json, node, gap->result);
    mb_json_string(json, node, "reason", gap->reason);
    mb_json_bool(json, node, "regression", gap->is_regression);
}

static void add_summary(struct mb_json *json, const struct mb_comparison *comparison)
{
    static const char *const keys[] = {
        [MB_OUTCOME_SAME] = "same",
        [MB_OUTCOME_FASTER] = "faster",
        [MB_OUTCOME_SLOWER] = "slower",
        [MB_OUTCOME_INCONCLUSIVE] = "inconclusive",
    };
    struct cJSON *node = mb_json_object(json, json->root, "summary");
    mb_json_u64(json, node, "compared", comparison->n_rows);
    for (size_t i = 0; i < MB_COUNTOF(keys); i++) {
        mb_json_u64(json, node, keys[i], comparison->n_outcomes[i]);
    }
    mb_json_u64(json, node, "not_compared", comparison->n_gaps);
    mb_json_u64(json, node, "single_run", comparison->n_single_runs);
    mb_json_u64(json, node, "no_longer_verified", comparison->n_checks_lost);
    mb_json_u64(json, node, "regressions", comparison->n_regressions);
}

enum mb_status mb_compare_json(const struct mb_compare_view *view, char **text,
                               struct mb_err *err)
{
    const struct mb_comparison *comparison = view->comparison;
    struct mb_json json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-comparison", "1.2.0");
    mb_json_number(&json, json.root, "threshold", view->options->threshold);
    mb_json_u64(&json, json.root, "seed", view->options->seed);
    mb_json_bool(&json, json.root, "single_run", comparison->n_single_runs > 0);
    add_group(&json, "base", &view->base);
    add_group(&json, "new", &view->new_runs);
    struct cJSON *rows = mb_json_array(&json, json.root, "comparisons");
    for (size_t i = 0; i < comparison->n_rows; i++) {
        add_row(&json, rows, &comparison->rows[i]);
    }
    struct cJSON *gaps = mb_json_array(&json, json.root, "not_compared");
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        add_gap(&json, gaps, &comparison->gaps[i]);
    }
    struct cJSON *warnings = mb_json_array(&json, json.root, "warnings");
    for (size_t i = 0; i < comparison->n_warnings; i++) {
        mb_json_string(&json, warnings, NULL, comparison->warnings[i]);
    }
    add_summary(&json, comparison);
    const enum mb_status status = mb_json_print(&json, text, err);
    mb_json_finish(&json);
    return status;
}
