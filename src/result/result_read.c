/* Reading results.json. The file is untrusted: what must be there is checked first, and then
 * result/result_json.h reads it. */
#include "result/result_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "result/result_json.h"

#define KNOWN_MAJOR    2
#define MAX_AA_RATIO   100.0
#define MAX_GRANULE_NS 1e9
#define MAX_EXTENT     1e9
#define MIN_RATIO      1e-9
#define MAX_VARIANTS   4096 /* of a case: searched one by one */
#define MAX_ROWS       MAX_VARIANTS
#define MAX_COLUMNS    (2 * MAX_VARIANTS + 1) /* earlier files have one more for each */
#define MAX_CELLS      ((size_t)1 << 26)      /* blocks by columns: short ones are filled up */

/* What is read, and how many rows came before. */
struct check {
    const char *path;
    const struct cJSON *c;
    size_t n_rows;
};

static enum mb_status check_schema(struct mb_run *run, const struct cJSON *root,
                                   struct mb_err *err)
{
    const struct cJSON *schema = mb_json_get(root, "schema");
    const char *name = mb_json_read_string(schema, "name");
    const char *version = mb_json_read_string(schema, "version");
    unsigned major = 0;
    MB_FAIL_IF(name == NULL || strcmp(name, "mipbench") != 0, err, MB_ERRC_INPUT,
               "%s: not a mipbench result", run->path);
    mb_utf8_sanitize(version ? version : "", run->schema_version, sizeof run->schema_version);
    MB_FAIL_IF(sscanf(run->schema_version, "%3u.", &major) != 1 || major < 1, err,
               MB_ERRC_INPUT, "%s: schema version '%s' is not understood", run->path,
               run->schema_version);
    MB_FAIL_IF(major != KNOWN_MAJOR, err, MB_ERRC_INPUT,
               "%s: schema version %s is of %s mipbench; this one reads %d.x", run->path,
               run->schema_version, major > KNOWN_MAJOR ? "a later" : "an earlier",
               KNOWN_MAJOR);
    return MB_OK;
}

static enum mb_status read_argv(struct mb_run *run, const struct cJSON *node,
                                struct mb_err *err)
{
    for (const struct cJSON *arg = mb_json_elements(node, "argv"); arg;
         arg = mb_json_next(arg)) {
        const char *text = mb_json_read_string(arg, NULL);
        MB_FAIL_IF(text == NULL, err, MB_ERRC_INPUT, "%s: run.argv[%zu] is no text", run->path,
                   run->command.n);
        MB_DO(mb_strlist_add(&run->command, err, "%s", text));
    }
    run->argc = (int)run->command.n;
    run->argv = (const char *const *)run->command.items;
    return MB_OK;
}

static enum mb_status read_kernels(struct mb_run *run, const struct cJSON *node,
                                   struct mb_err *err)
{
    for (const struct cJSON *kernel = mb_json_elements(node, "kernels"); kernel;
         kernel = mb_json_next(kernel)) {
        const char *name = mb_json_read_string(kernel, "strategy");
        const char *sha256 = mb_json_read_string(kernel, "sha256");
        if (name && sha256) {
            MB_DO(mb_strlist_add(&run->kernels, err, "%.40s %.64s", name, sha256));
        }
        for (const struct cJSON *module = mb_json_members(kernel, "modules"); module;
             module = mb_json_next(module)) {
            const char *digest = mb_json_read_string(module, NULL);
            if (digest) {
                MB_DO(mb_strlist_add(&run->kernels, err, "%.*s %.64s", MB_MODULE_NAME_BYTES,
                                     mb_json_key(module), digest));
            }
        }
    }
    return MB_OK;
}

static bool is_within(const struct cJSON *node, const char *key, double low, double high)
{
    const double number = mb_json_read_number(node, key);
    return number >= low && number <= high;
}

/* The variant that a row is of, or NULL. */
static const struct cJSON *find_variant(const struct cJSON *c, const struct cJSON *row)
{
    const char *id = mb_json_read_string(row, "variant");
    for (const struct cJSON *variant = mb_json_elements(c, "variants"); id && variant;
         variant = mb_json_next(variant)) {
        const char *own = mb_json_read_string(variant, "id");
        if (own && strcmp(own, id) == 0) {
            return variant;
        }
    }
    return NULL;
}

static enum mb_status check_row(struct check *check, const struct cJSON *row,
                                struct mb_err *err)
{
    const size_t index = check->n_rows++;
    const struct cJSON *variant = find_variant(check->c, row);
    MB_FAIL_IF(mb_json_read_string(variant, "strategy") == NULL ||
                   mb_json_read_string(variant, "label") == NULL ||
                   strlen(mb_json_read_string(variant, "id")) - 1 >= MB_LABEL_BYTES - 1,
               err, MB_ERRC_INPUT, "%s: row %zu names no strategy", check->path, index);
    MB_FAIL_IF(!is_within(check->c, "width", 1, MAX_EXTENT) ||
                   !is_within(check->c, "height", 1, MAX_EXTENT),
               err, MB_ERRC_INPUT, "%s: row %zu has no size", check->path, index);
    MB_FAIL_IF(mb_json_count(variant, "params") > MB_MAX_PARAMS, err, MB_ERRC_INPUT,
               "%s: row %zu has more than %d parameters", check->path, index, MB_MAX_PARAMS);
    return MB_OK;
}

static enum mb_status check_timing(struct check *check, const struct cJSON *timing,
                                   struct mb_err *err)
{
    const struct cJSON *columns = mb_json_elements(mb_json_get(timing, "blocks"), "columns");
    const size_t n_columns = mb_json_count(mb_json_get(timing, "blocks"), "columns");
    if (mb_json_count(timing, "rows") > MAX_ROWS || n_columns > MAX_COLUMNS) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: a timing has more than %d rows or %d columns",
                       check->path, MAX_ROWS, MAX_COLUMNS);
    }
    for (const struct cJSON *row = mb_json_elements(timing, "rows"); row;
         row = mb_json_next(row)) {
        MB_DO(check_row(check, row, err));
    }
    for (const struct cJSON *column = columns; column; column = mb_json_next(column)) {
        MB_FAIL_IF(mb_json_count(column, "durations_ns") > MAX_CELLS / n_columns, err,
                   MB_ERRC_INPUT, "%s: a timing has more than %zu samples", check->path,
                   MAX_CELLS);
    }
    return MB_OK;
}

static enum mb_status check_case(struct check *check, struct mb_err *err)
{
    const struct cJSON *c = check->c;
    MB_FAIL_IF(mb_json_count(c, "variants") > MAX_VARIANTS, err, MB_ERRC_INPUT,
               "%s: a case has more than %d variants", check->path, MAX_VARIANTS);
    for (const struct cJSON *timing = mb_json_elements(c, "timings"); timing;
         timing = mb_json_next(timing)) {
        MB_DO(check_timing(check, timing, err));
    }
    MB_FAIL_IF(mb_json_count(c, "timings") > MB_MAX_CONDITIONS, err, MB_ERRC_INPUT,
               "%s: a case has more than %d timings", check->path, MB_MAX_CONDITIONS);
    return MB_OK;
}

static void keep_within(double *value, double low, double high)
{
    *value = *value >= low && *value <= high ? *value : (double)NAN;
}

/* What only damage can write would make margins of any width. */
static void drop_implausible(struct mb_run *run)
{
    keep_within(&run->timer.granularity_gcd_ns, 0, MAX_GRANULE_NS);
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *c = run->cases[i];
        for (size_t k = 0; k < c->n_timings * c->n_results; k++) {
            const struct mb_timing *timing = &c->timings[k / c->n_results];
            struct mb_relation *relation = &timing->rows[k % c->n_results].relation;
            keep_within(&relation->ratio, MIN_RATIO, 1 / MIN_RATIO);
            keep_within(&relation->ci[0], MIN_RATIO, 1 / MIN_RATIO);
            keep_within(&relation->ci[1], MIN_RATIO, 1 / MIN_RATIO);
            keep_within(&relation->p_adjusted, 0, 1);
        }
        for (size_t k = 0; k < c->n_timings; k++) {
            keep_within(&run->cases[i]->timings[k].twin.ratio, 1 / MAX_AA_RATIO, MAX_AA_RATIO);
        }
    }
}

static enum mb_status read_root(struct mb_run *run, const struct cJSON *root,
                                struct mb_err *err)
{
    struct check check = {.path = run->path};
    struct mb_field_reader reader = {.texts = &run->texts};
    MB_DO(check_schema(run, root, err));
    MB_DO(read_kernels(run, mb_json_get(root, "run"), err));
    MB_DO(read_argv(run, mb_json_get(root, "run"), err));
    MB_FAIL_IF(!mb_json_is_array(mb_json_get(root, "cases")), err, MB_ERRC_INPUT,
               "%s: it has no cases", run->path);
    for (check.c = mb_json_elements(root, "cases"); check.c; check.c = mb_json_next(check.c)) {
        MB_DO(check_case(&check, err));
    }
    mb_run_fields((struct mb_node){.reader = &reader, .in = root}, run);
    drop_implausible(run);
    return MB_NEED(!reader.failed, run->path);
}

enum mb_status mb_run_parse(const char *path, const char *text, struct mb_run *run,
                            struct mb_err *err)
{
    enum mb_status status;
    MB_SCOPED(mb_json) json = {0};
    struct mb_err why = {0};
    *run = (struct mb_run){.path = mb_strdup(path)};
    MB_TRY(MB_NEED(run->path, path));
    if (mb_json_parse(&json, text, &why) != MB_OK) {
        status = MB_FAIL(err, why.code, "%s: %s", path, why.text);
        goto fail;
    }
    MB_TRY(read_root(run, json.root, err));
    return MB_OK;
fail:
    mb_run_finish(run);
    return status;
}

enum mb_status mb_run_read(const char *path, struct mb_run *run, struct mb_err *err)
{
    MB_SCOPED(mb_bytes) bytes = {0};
    *run = (struct mb_run){0};
    MB_DO(mb_file_read(path, MB_RESULT_FILE_MAX_BYTES, &bytes, err));
    MB_FAIL_IF(memchr(bytes.data, '\0', bytes.n_bytes) != NULL, err, MB_ERRC_INPUT,
               "%s: not JSON: it has a byte of zero", path);
    return mb_run_parse(path, (const char *)bytes.data, run, err);
}

enum mb_status mb_runs_read(const char *const *paths, size_t n, struct mb_run **runs,
                            struct mb_err *err)
{
    enum mb_status status = MB_OK;
    size_t n_read = 0;
    *runs = mb_alloc(n, sizeof **runs);
    MB_TRY(MB_NEED(*runs, "result files"));
    for (; n_read < n; n_read++) {
        MB_TRY(mb_run_read(paths[n_read], &(*runs)[n_read], err));
    }
    return MB_OK;
fail:
    mb_runs_finish(*runs, n_read);
    *runs = NULL;
    return status;
}

void mb_runs_finish(struct mb_run *runs, size_t n)
{
    for (size_t i = 0; runs && i < n; i++) {
        mb_run_finish(&runs[i]);
    }
    mb_free(runs);
}
