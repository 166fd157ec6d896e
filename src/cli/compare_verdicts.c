/* `mipbench compare`: reads and compares runs, shows and writes the verdicts, applies gates. */
#include "cli/compare_verdicts.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "compare/runs.h"
#include "result/label.h"
#include "result/result_json.h"
#include "cli/options/options.h"
#include "cli/output.h"
#include "cli/pool.h"
#include "cli/session.h"

#define MAX_NAMED 3u /* regressions in the first line */

static const struct mb_grid_column columns[] = {
    {.title = "Strategy"},
    {.title = "Test"},
    {.title = "Base", .is_right = true, .drop = 1},
    {.title = "New", .is_right = true, .drop = 1},
    {.title = "Ratio", .is_right = true},
    {.title = "95% interval", .is_right = true, .drop = 2},
    {.title = "Margin", .is_right = true, .drop = 4},
    {.title = "p", .is_right = true, .drop = 3},
    {.title = "Runs", .is_right = true, .drop = 3},
    {.title = "Verdict"},
};

static const char *const side_names[MB_N_SIDES] = {[MB_BASE] = "base", [MB_NEW] = "new"};

/* A comparison as it is shown. */
struct view {
    const struct mb_comparison *comparison;
    struct mb_text name[MB_N_SIDES];
    struct mb_strlist differs[MB_N_SIDES]; /* facts and options of one side only; owned */
    struct mb_strlist both;                /* device, driver and build of both; owned */
};

static void view_finish(struct view *view)
{
    mb_strlist_finish(&view->differs[MB_BASE]);
    mb_strlist_finish(&view->differs[MB_NEW]);
    mb_strlist_finish(&view->both);
}

/* Name a side: "before" for a single run, "before (5 runs)" for a set (before/run-1 to run-5),
 * "a.json and 1 other run" for other runs. */
static struct mb_text name_side(const struct mb_side_runs *side)
{
    char path[300];
    mb_utf8_sanitize(side->runs[0]->path, path, sizeof path);
    char *end = strrchr(path, '/');
    if (end != NULL && strcmp(end, "/results.json") == 0) {
        *end = '\0';
        end = strrchr(path, '/');
    }
    if (side->n_runs == 1) {
        return mb_text("%s", path);
    }
    bool is_set = end != NULL && strncmp(end, "/run-", 5) == 0;
    for (size_t i = 0; is_set && i < side->n_runs; i++) {
        is_set = strncmp(side->runs[i]->path, path, (size_t)(end - path) + 5) == 0;
    }
    return is_set ? mb_text("%.*s (%zu runs)", (int)(end - path), path, side->n_runs)
                  : mb_text("%s and %zu other run%s", path, side->n_runs - 1,
                            side->n_runs == 2 ? "" : "s");
}

/* Add NAME and TEXT as one word, once; an empty text adds nothing. */
static enum mb_status add_word(struct mb_strlist *list, const char *name, const char *text,
                               struct mb_err *err)
{
    const struct mb_text word = mb_text("%s%s", name, text);
    mb_strlist_remove(list, word.s);
    return text[0] != '\0' ? mb_strlist_add(list, err, "%s", word.s) : MB_OK;
}

/* Add the facts that tell runs apart: those shown even if both sides agree to `facts`, all
 * others to `details`. */
static enum mb_status describe_run(const struct mb_run *run, struct mb_strlist *facts,
                                   struct mb_strlist *details, struct mb_err *err)
{
    const struct {
        struct mb_strlist *list;
        const char *name, *text;
    } words[] = {
        {facts, "", run->device.name},
        {facts, "driver ", mb_run_driver(run)},
        {facts, "mipbench ", run->tool.git_sha},
        {details, "driver version ", run->device.driver_version},
        {details, "version ", run->tool.version},
        {details, "build type ", run->tool.build_type},
        {details, "", run->tool.compiler},
    };
    for (size_t i = 0; i < MB_COUNTOF(words); i++) {
        MB_DO(add_word(words[i].list, words[i].name, words[i].text, err));
    }
    for (size_t i = 0; i < run->kernels.n; i++) { /* "NAME SHA256": show seven digits */
        const char *kernel = run->kernels.items[i];
        const int n_name = (int)(strrchr(kernel, ' ') - kernel);
        MB_DO(add_word(details, "kernel ", mb_text("%.*s", n_name + 8, kernel).s, err));
    }
    MB_SCOPED(mb_strlist) options = {0};
    MB_DO(mb_replay_options(run, &options, err));
    for (size_t i = 0; i < options.n; i++) {
        MB_DO(add_word(details, "", options.items[i], err));
    }
    return MB_OK;
}

/* Sort the words of both sides into `differs` and `both`, which may be NULL. */
static enum mb_status part(struct mb_strlist words[MB_N_SIDES],
                           struct mb_strlist differs[MB_N_SIDES], struct mb_strlist *both,
                           struct mb_err *err)
{
    for (size_t i = 0; i < words[MB_BASE].n; i++) {
        const char *word = words[MB_BASE].items[i];
        const bool is_shared = mb_strlist_remove(&words[MB_NEW], word);
        struct mb_strlist *list = is_shared ? both : &differs[MB_BASE];
        MB_DO(list != NULL ? mb_strlist_add(list, err, "%s", word) : MB_OK);
    }
    for (size_t i = 0; i < words[MB_NEW].n; i++) {
        MB_DO(mb_strlist_add(&differs[MB_NEW], err, "%s", words[MB_NEW].items[i]));
    }
    return MB_OK;
}

static enum mb_status view_init(struct view *view, const struct mb_comparison *comparison,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_strlist facts[MB_N_SIDES] = {{0}}, details[MB_N_SIDES] = {{0}};
    *view = (struct view){.comparison = comparison};
    for (int side = 0; side < MB_N_SIDES; side++) {
        const struct mb_side_runs *own = &comparison->side[side];
        view->name[side] = name_side(own);
        for (size_t i = 0; i < own->n_runs; i++) {
            MB_TRY(describe_run(own->runs[i], &facts[side], &details[side], err));
        }
    }
    MB_TRY(part(facts, view->differs, &view->both, err));
    MB_TRY(part(details, view->differs, NULL, err));
fail:
    for (int side = 0; side < MB_N_SIDES; side++) {
        mb_strlist_finish(&facts[side]);
        mb_strlist_finish(&details[side]);
    }
    return status;
}

static void add_verdict(struct mb_grid *grid, const struct mb_compared *test)
{
    static const char *const words[] = {
        [MB_OUTCOME_SAME] = "tie",
        [MB_OUTCOME_FASTER] = "faster",
        [MB_OUTCOME_SLOWER] = "slower",
        [MB_OUTCOME_INCONCLUSIVE] = "undecided",
    };
    const bool is_checked =
        !test->side[MB_BASE].is_unchecked && !test->side[MB_NEW].is_unchecked;
    mb_grid_cell(grid, "%s%s%s%s", words[test->outcome],
                 test->change == MB_CHANGE_UNVERIFIED ? ", no longer verified"
                 : test->change == MB_CHANGE_INEXACT  ? ", no longer exact"
                 : is_checked                         ? ""
                                                      : ", not verified",
                 test->reason[0] != '\0' ? ": " : "", test->reason);
}

/* Add a test's row; the interval and p are dashes if the test has too few samples for them. */
static void add_test(struct mb_grid *grid, const struct mb_compared *test)
{
    const bool has_p = isfinite(test->p_adjusted), is_bad = mb_is_regression(test);
    const char *paint = is_bad                                ? MB_PAINT_BAD
                        : test->change == MB_CHANGE_FASTER    ? MB_PAINT_GOOD
                        : test->change == MB_CHANGE_UNDECIDED ? MB_PAINT_DIM
                                                              : "";
    mb_grid_row(grid, is_bad, paint);
    mb_grid_cell(grid, "%s", test->row->result->label);
    mb_grid_cell(grid, "%s", mb_timing_title(test->row->timing).s);
    if (!mb_has_ratio(test)) {
        mb_grid_cell(grid, "REGRESSION: %s", test->reason);
        return;
    }
    mb_grid_cell(grid, "%s", mb_time_text(test->median_ns[MB_BASE]).s);
    mb_grid_cell(grid, "%s", mb_time_text(test->median_ns[MB_NEW]).s);
    mb_grid_cell(grid, "%s", mb_ratio_text(test->ratio.figure).s);
    mb_grid_cell(grid, "%s", has_p ? mb_ratio_range_text(test->ratio.ci).s : "-");
    mb_grid_cell(grid, "%s", mb_percent_text(test->margin).s);
    mb_grid_cell(grid, "%s", has_p ? mb_text("%.3g", test->p_adjusted).s : "-");
    mb_grid_cell(grid, "%zu, %zu", test->side[MB_BASE].runs.n, test->side[MB_NEW].runs.n);
    add_verdict(grid, test);
}

/* Make the table, with the worst changes first. */
static struct mb_grid make_grid(const struct mb_comparison *comparison)
{
    struct mb_grid grid = {.columns = columns, .n_columns = MB_COUNTOF(columns)};
    for (enum mb_change change = MB_CHANGE_WRONG; change < MB_CHANGE_NONE; change++) {
        for (size_t i = 0; i < comparison->n_tests; i++) {
            if (comparison->tests[i].change == change) {
                add_test(&grid, &comparison->tests[i]);
            }
        }
    }
    return grid;
}

/* Tests of one strategy that changed alike. */
struct group {
    size_t n;         /* 0: counted with an earlier test */
    double most_slow; /* the largest ratio of the tests */
};

static struct group find_group(const struct mb_comparison *comparison, size_t index)
{
    const struct mb_compared *test = &comparison->tests[index];
    struct group group = {0};
    for (size_t i = 0; i < comparison->n_tests; i++) {
        const struct mb_compared *other = &comparison->tests[i];
        if (other->change == test->change &&
            strcmp(other->row->result->label, test->row->result->label) == 0) {
            if (i < index) {
                return (struct group){0};
            }
            group.n++;
            group.most_slow = fmax(group.most_slow, other->ratio.figure);
        }
    }
    return group;
}

/* Add "my-spd now produces wrong texels" or "spd is up to 1.10x slower in 3 tests". */
static void add_regression(struct mb_strbuf *out, const struct mb_compared *test,
                           const struct group *group)
{
    const struct mb_repeats *side = &test->side[MB_NEW];
    mb_strbuf_append(out, test->row->result->label);
    switch (test->change) {
    case MB_CHANGE_WRONG:
        mb_strbuf_append(out, side->failed->result->verify == MB_VERIFY_FAIL
                                  ? " now produces wrong texels"
                                  : " now fails");
        break;
    case MB_CHANGE_GONE:
        mb_strbuf_append(out, side->first ? " no longer has times" : " is no longer there");
        break;
    case MB_CHANGE_UNVERIFIED:
        mb_strbuf_append(out, " is no longer verified");
        break;
    case MB_CHANGE_INEXACT:
        mb_strbuf_append(out, " is no longer exact");
        break;
    default:
        mb_strbuf_printf(out, " is %s%sx slower", group->n > 1 ? "up to " : "",
                         mb_ratio_text(group->most_slow).s);
    }
    if (group->n > 1) {
        mb_strbuf_printf(out, " in %zu tests", group->n);
    }
}

/* Add "2 regressions: blit now fails, spd is 1.05x slower" in the order of the table, and a
 * line of counts. */
static void add_headline(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    const size_t n = comparison->n_regressions, *n_outcomes = comparison->n_outcomes;
    const size_t n_open = n_outcomes[MB_OUTCOME_INCONCLUSIVE];
    size_t n_named = 0, n_told = 0;
    if (n == 0) {
        mb_strbuf_append(out, comparison->n_compared == 0        ? "Nothing could be compared"
                              : comparison->n_compared == n_open ? "Nothing could be decided"
                                                                 : "No regressions");
    } else {
        mb_strbuf_printf(out, "%zu regression%s: ", n, n == 1 ? "" : "s");
    }
    for (enum mb_change change = MB_CHANGE_WRONG; change <= MB_CHANGE_SLOWER; change++) {
        for (size_t i = 0; i < comparison->n_tests && n_named < MAX_NAMED; i++) {
            const struct group group = find_group(comparison, i);
            if (comparison->tests[i].change == change && group.n > 0) {
                mb_strbuf_append(out, n_named++ > 0 ? ", " : "");
                add_regression(out, &comparison->tests[i], &group);
                n_told += group.n;
            }
        }
    }
    if (n > n_told) {
        mb_strbuf_printf(out, " and %zu more", n - n_told);
    }
    mb_strbuf_printf(out, "\n%zu slower, %zu faster, %zu tied, %zu undecided",
                     n_outcomes[MB_OUTCOME_SLOWER], n_outcomes[MB_OUTCOME_FASTER],
                     n_outcomes[MB_OUTCOME_SAME], n_open);
    if (comparison->n_tests > comparison->n_compared) {
        mb_strbuf_printf(out, ", %zu not compared",
                         comparison->n_tests - comparison->n_compared);
    }
    mb_strbuf_append(out, "\n");
}

/* Add a line: "Base  before: mipbench abcdef0, --samples=20". */
static void add_side(struct mb_strbuf *out, const char *title, const char *name,
                     const struct mb_strlist *words)
{
    const char *separator = name[0] != '\0' ? ": " : "";
    mb_strbuf_printf(out, "%s  %s", title, name);
    for (size_t i = 0; i < words->n; i++) {
        mb_strbuf_printf(out, "%s%s", separator, words->items[i]);
        separator = ", ";
    }
    mb_strbuf_append(out, "\n");
}

static void add_sides(struct mb_strbuf *out, const struct view *view,
                      const struct mb_table_style *style)
{
    const struct mb_strlist *warnings = &view->comparison->warnings;
    add_side(out, "Base", view->name[MB_BASE].s, &view->differs[MB_BASE]);
    add_side(out, "New ", view->name[MB_NEW].s, &view->differs[MB_NEW]);
    if (view->both.n > 0) {
        add_side(out, "Both", "", &view->both);
    }
    if (view->differs[MB_BASE].n + view->differs[MB_NEW].n == 0) {
        mb_strbuf_append(out, "The sides do not differ in device, driver, build, kernels or "
                              "options.\n");
    }
    for (size_t i = 0; i < warnings->n; i++) {
        mb_table_loud(out, style, "warning: %s", warnings->items[i]);
    }
}

static void add_gaps(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    for (size_t i = 0; i < comparison->n_tests; i++) {
        const struct mb_compared *test = &comparison->tests[i];
        if (test->change == MB_CHANGE_NONE) {
            mb_strbuf_printf(out, "Not compared: %s, %s: %s\n", test->row->result->label,
                             mb_timing_title(test->row->timing).s, test->reason);
        }
    }
}

/* Say that with few runs only larger differences are detected, and how many runs would
 * decide. */
static void add_notes(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    uint32_t most = 0;
    if (comparison->n_single_runs > 0) {
        mb_strbuf_printf(
            out,
            "Single run: %zu of %zu results have fewer than %d runs a side; as runs "
            "differ, a difference must clear at least %s.\n",
            comparison->n_single_runs, comparison->n_compared, MB_FEW_RUNS,
            mb_percent_text(comparison->options.threshold + MB_RUN_TO_RUN).s);
    }
    for (size_t i = 0; i < comparison->n_tests; i++) {
        const uint32_t n = comparison->tests[i].n_runs_needed;
        most = n > most ? n : most;
    }
    if (most > 0) {
        mb_strbuf_printf(out, "The undecided need %s %u runs a side.\n",
                         most == MB_MANY_RUNS ? "at least" : "up to", most);
    }
}

/* Add the whole text; with --quiet only the headline, the table and the notes. */
static void add_page(struct mb_strbuf *out, const struct view *view,
                     const struct mb_table_style *style)
{
    MB_SCOPED(mb_grid) grid = make_grid(view->comparison);
    struct mb_strbuf above = {0}, below = {0};
    add_headline(&above, view->comparison);
    if (!style->is_brief) {
        mb_strbuf_append(&above, "\n");
        add_sides(&above, view, style);
        add_gaps(&below, view->comparison);
    }
    add_notes(&below, view->comparison);
    mb_table_lines(out, &above, style);
    mb_strbuf_append(out, "\n");
    mb_grid_show(out, &grid, style);
    mb_strbuf_append(out, grid.n_rows > 0 && below.n_bytes > 0 ? "\n" : "");
    mb_table_lines(out, &below, style);
}

static void json_words(struct mb_json *json, struct cJSON *parent, const char *key,
                       const struct mb_strlist *words)
{
    struct cJSON *list = mb_json_array(json, parent, key);
    for (size_t i = 0; i < words->n; i++) {
        mb_json_string(json, list, NULL, words->items[i]);
    }
}

static void json_sides(struct mb_json *json, const struct view *view)
{
    struct cJSON *sides = mb_json_object(json, json->root, "sides");
    for (int side = 0; side < MB_N_SIDES; side++) {
        struct cJSON *named = mb_json_object(json, sides, side_names[side]);
        struct cJSON *list = mb_json_array(json, json->root, side_names[side]);
        mb_json_string(json, named, "name", view->name[side].s);
        json_words(json, named, "differs", &view->differs[side]);
        for (size_t i = 0; i < view->comparison->side[side].n_runs; i++) {
            mb_pool_json_run(json, list, view->comparison->side[side].runs[i]);
        }
    }
    json_words(json, sides, "both", &view->both);
}

static void json_ratio(struct mb_json *json, struct cJSON *node, const struct mb_compared *test)
{
    const struct mb_repeats *side = test->side;
    mb_json_number(json, node, "base_ns", test->median_ns[MB_BASE]);
    mb_json_number(json, node, "new_ns", test->median_ns[MB_NEW]);
    mb_json_number(json, node, "ratio", test->ratio.figure);
    mb_json_numbers(json, node, "ci", test->ratio.ci, 2);
    mb_json_number(json, node, "p", test->ratio.p);
    mb_json_number(json, node, "p_adjusted", test->p_adjusted);
    mb_json_number(json, node, "threshold", test->threshold);
    mb_json_number(json, node, "margin", test->margin);
    mb_json_number(json, node, "spread", test->spread);
    mb_json_number(json, node, "runs_needed",
                   test->n_runs_needed > 0 ? (double)test->n_runs_needed : (double)NAN);
    mb_json_u64(json, node, "base_runs", side[MB_BASE].runs.n);
    mb_json_u64(json, node, "new_runs", side[MB_NEW].runs.n);
    mb_json_bool(json, node, "single_run", test->is_single_run);
    mb_json_bool(json, node, "verified",
                 !side[MB_BASE].is_unchecked && !side[MB_NEW].is_unchecked);
    mb_json_bool(json, node, "identical_samples", test->is_identical);
    mb_json_string(json, node, "verdict", mb_outcome_names[test->outcome]);
}

/* Write tests with a ratio to one list, all others to another. */
static void json_tests(struct mb_json *json, const struct mb_comparison *comparison)
{
    struct cJSON *rows = mb_json_array(json, json->root, "comparisons");
    struct cJSON *gaps = mb_json_array(json, json->root, "not_compared");
    for (size_t i = 0; i < comparison->n_tests; i++) {
        const struct mb_compared *test = &comparison->tests[i];
        struct cJSON *node = mb_json_object(json, mb_has_ratio(test) ? rows : gaps, NULL);
        mb_json_string(json, node, "strategy", test->row->result->label);
        mb_json_string(json, node, "case", mb_timing_place(test->row->timing).s);
        if (mb_has_ratio(test)) {
            json_ratio(json, node, test);
        }
        mb_json_string(json, node, "reason", test->reason[0] != '\0' ? test->reason : NULL);
        mb_json_bool(json, node, "regression", mb_is_regression(test));
    }
}

static void json_summary(struct mb_json *json, const struct mb_comparison *comparison)
{
    const size_t *n_outcomes = comparison->n_outcomes, *n_changes = comparison->n_changes;
    struct cJSON *node = mb_json_object(json, json->root, "summary");
    mb_json_u64(json, node, "compared", comparison->n_compared);
    mb_json_u64(json, node, "same", n_outcomes[MB_OUTCOME_SAME]);
    mb_json_u64(json, node, "faster", n_outcomes[MB_OUTCOME_FASTER]);
    mb_json_u64(json, node, "slower", n_outcomes[MB_OUTCOME_SLOWER]);
    mb_json_u64(json, node, "inconclusive", n_outcomes[MB_OUTCOME_INCONCLUSIVE]);
    mb_json_u64(json, node, "not_compared", comparison->n_tests - comparison->n_compared);
    mb_json_u64(json, node, "single_run", comparison->n_single_runs);
    mb_json_u64(json, node, "no_longer_verified", n_changes[MB_CHANGE_UNVERIFIED]);
    mb_json_u64(json, node, "no_longer_exact", n_changes[MB_CHANGE_INEXACT]);
    mb_json_u64(json, node, "regressions", comparison->n_regressions);
}

static void make_json(const struct view *view, struct mb_strbuf *out)
{
    const struct mb_comparison *comparison = view->comparison;
    MB_SCOPED(mb_json) json;
    struct mb_strbuf headline = {0};
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-comparison", "1.3.0");
    add_headline(&headline, comparison);
    mb_pool_json_lines(&json, json.root, "headline", &headline);
    mb_json_number(&json, json.root, "threshold", comparison->options.threshold);
    mb_json_u64(&json, json.root, "seed", comparison->options.seed);
    mb_json_bool(&json, json.root, "single_run", comparison->n_single_runs > 0);
    json_sides(&json, view);
    json_tests(&json, comparison);
    json_words(&json, json.root, "warnings", &comparison->warnings);
    json_summary(&json, comparison);
    mb_json_print(&json, out);
}

/* Apply the gates of the command line. A gate also fails if no test could be decided: then
 * nothing shows that all is well. */
static enum mb_status judge(const struct mb_comparison *comparison,
                            const struct mb_options *options, struct mb_err *err)
{
    const size_t n_open = comparison->n_outcomes[MB_OUTCOME_INCONCLUSIVE];
    const size_t n = comparison->n_compared, n_bad = comparison->n_regressions;
    const char *gate =
        options->fail_on_regression ? "--fail-on-regression" : "--fail-on-inconclusive";
    if (!options->fail_on_regression && !options->fail_on_inconclusive) {
        return MB_OK;
    }
    MB_FAIL_IF(options->fail_on_regression && n_bad > 0, err, MB_ERRC_VERIFY,
               "%zu regression%s in %zu results", n_bad, n_bad == 1 ? "" : "s",
               comparison->n_tests);
    MB_FAIL_IF(n == 0, err, MB_ERRC_VERIFY, "no result could be compared, so %s fails", gate);
    MB_FAIL_IF(n_open == n || (options->fail_on_inconclusive && n_open > 0), err,
               MB_ERRC_VERIFY, "%zu of %zu results could not be decided, so %s fails", n_open,
               n, gate);
    if (n_open > 0) {
        mb_log(MB_LOG_CAUTION, "%zu of %zu results could not be decided", n_open, n);
    }
    return MB_OK;
}

static enum mb_status compare_files(const struct mb_options *options,
                                    const struct mb_run_group *files, struct mb_err *err)
{
    const size_t n_base = options->n_base_files;
    const struct mb_compare_options how = {.threshold = options->threshold,
                                           .seed = options->settings.seed};
    const struct mb_run_group sides[MB_N_SIDES] = {
        [MB_BASE] = {.files = files->files, .n_files = n_base},
        [MB_NEW] = {.files = files->files + n_base, .n_files = files->n_files - n_base},
    };
    const struct mb_table_style style = mb_output_style(options);
    MB_SCOPED(mb_comparison) comparison = {.n_tests = 0};
    MB_SCOPED(view) view = {.comparison = NULL};
    MB_SCOPED(mb_strbuf) text = {0}, markdown = {0}, json = {0};
    MB_DO(mb_compare_runs(sides, &how, &comparison, err));
    MB_DO(view_init(&view, &comparison, err));
    mb_session_end_at_once(false);
    add_page(&text, &view, &style);
    MB_DO(mb_output_show(&text, options, err));
    if (options->markdown != NULL) {
        add_page(&markdown, &view, &(const struct mb_table_style){.is_markdown = true});
        MB_DO(mb_output_write(options->markdown, &markdown, err));
    }
    if (options->json != NULL) {
        make_json(&view, &json);
        MB_DO(mb_output_write(options->json, &json, err));
    }
    return judge(&comparison, options, err);
}

enum mb_status mb_compare_run(const struct mb_options *options, struct mb_err *err)
{
    enum mb_status status;
    const struct mb_settings *settings = &options->settings;
    struct mb_run *read = NULL;
    MB_DO(mb_output_check(options, err));
    mb_session_end_at_once(true); /* until there is something to write */
    MB_DO(mb_runs_read(settings->inputs, settings->n_inputs, &read, err));
    const struct mb_run_group files = {.files = read, .n_files = settings->n_inputs};
    status = options->verb == MB_VERB_POOL ? mb_pool_show(options, &files, err)
                                           : compare_files(options, &files, err);
    mb_runs_finish(read, settings->n_inputs);
    return status;
}
