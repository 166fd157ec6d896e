/* Reading results.json. The file is untrusted: every text is cleaned, every number checked, and
 * what is absent is "not known". */
#include "result/result_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "result/relate.h"

#define KNOWN_MAJOR    2
#define MAX_AA_RATIO   100.0
#define MAX_GRANULE_NS 1e9
#define MAX_EXTENT     1e9
#define MIN_RATIO      1e-9
#define MAX_PARAMS     64   /* sorted by comparing all pairs */
#define MAX_VARIANTS   4096 /* of a case: searched one by one */
#define MAX_ROWS       MAX_VARIANTS
#define MAX_COLUMNS    (2 * MAX_VARIANTS + 1) /* null twins, too, and the A/A twin */
/* Room for cache, mode or usage at the end of a place, with a space. */
#define PLACE_WORD_BYTES 16

/* Between parts of a key: a control character, which no value of ours has. */
#define KEY_SEPARATOR "\x1f"

static void read_text(const struct cJSON *parent, const char *key, char *out, size_t out_bytes)
{
    const char *text = mb_json_read_string(parent, key);
    mb_utf8_sanitize(text != NULL ? text : "", out, out_bytes);
}

/* A number that may be believed, or NaN. */
static double read_within(const struct cJSON *parent, const char *key, double low, double high)
{
    const double number = mb_json_read_number(parent, key);
    return number >= low && number <= high ? number : (double)NAN;
}

static enum mb_status check_schema(struct mb_result_file *file, const struct cJSON *root,
                                   struct mb_err *err)
{
    const struct cJSON *schema = mb_json_get(root, "schema");
    const char *name = mb_json_read_string(schema, "name");
    unsigned major = 0;
    MB_FAIL_IF(name == NULL || strcmp(name, "mipbench") != 0, err, MB_ERRC_INPUT,
               "%s: not a mipbench result", file->path);
    read_text(schema, "version", file->schema_version, sizeof file->schema_version);
    MB_FAIL_IF(sscanf(file->schema_version, "%3u.", &major) != 1 || major < 1, err,
               MB_ERRC_INPUT, "%s: schema version '%s' is not understood", file->path,
               file->schema_version);
    MB_FAIL_IF(major != KNOWN_MAJOR, err, MB_ERRC_INPUT,
               "%s: schema version %s is of %s mipbench; this one reads %d.x", file->path,
               file->schema_version, major > KNOWN_MAJOR ? "a later" : "an earlier",
               KNOWN_MAJOR);
    return MB_OK;
}

static enum mb_status read_argv(struct mb_result_file *file, const struct cJSON *run,
                                struct mb_err *err)
{
    for (const struct cJSON *arg = mb_json_elements(run, "argv"); arg;
         arg = mb_json_next(arg)) {
        const char *text = mb_json_read_string(arg, NULL);
        MB_FAIL_IF(text == NULL, err, MB_ERRC_INPUT, "%s: run.argv[%zu] is no text", file->path,
                   file->argv.n);
        MB_DO(mb_strlist_add(&file->argv, err, "%s", text));
    }
    return MB_OK;
}

static enum mb_status read_kernels(struct mb_result_file *file, const struct cJSON *run,
                                   struct mb_err *err)
{
    for (const struct cJSON *kernel = mb_json_elements(run, "kernels"); kernel;
         kernel = mb_json_next(kernel)) {
        const char *name = mb_json_read_string(kernel, "strategy");
        const char *sha256 = mb_json_read_string(kernel, "sha256");
        if (name && sha256) {
            MB_DO(mb_strlist_add(&file->kernels, err, "%.40s %.64s", name, sha256));
        }
        for (const struct cJSON *module = mb_json_members(kernel, "modules"); module;
             module = mb_json_next(module)) {
            const char *digest = mb_json_read_string(module, NULL);
            if (digest) {
                MB_DO(mb_strlist_add(&file->kernels, err, "%.*s %.64s", MB_MODULE_NAME_BYTES,
                                     mb_json_key(module), digest));
            }
        }
    }
    return MB_OK;
}

static enum mb_status read_run(struct mb_result_file *file, const struct cJSON *root,
                               struct mb_err *err)
{
    const struct cJSON *run = mb_json_get(root, "run");
    const struct cJSON *device = mb_json_get(root, "device");
    char version[64], info[64];
    read_text(run, "id", file->run_id, sizeof file->run_id);
    read_text(mb_json_get(run, "tool"), "git_sha", file->git_sha, sizeof file->git_sha);
    read_text(device, "name", file->device, sizeof file->device);
    const char *type = mb_json_read_string(device, "type");
    file->is_software = type != NULL && strcmp(type, "cpu") == 0;
    file->granule_ns =
        read_within(mb_json_get(root, "timer"), "granularity_gcd_ns", 0, MAX_GRANULE_NS);
    /* Mesa's software drivers are all of version 0.0.1; the info tells them apart. */
    const struct cJSON *driver = mb_json_get(device, "driver");
    read_text(driver, "version", version, sizeof version);
    read_text(driver, "info", info, sizeof info);
    snprintf(file->driver, sizeof file->driver, "%s%s%s", version,
             version[0] != '\0' && info[0] != '\0' ? ", " : "", info);
    snprintf(file->driver_shown, sizeof file->driver_shown, "%s",
             info[0] != '\0' ? info : version);
    file->seed = mb_json_read_u64(run, "seed", 1);
    file->complete = mb_json_read_bool(run, "complete", false);
    file->validate = mb_json_read_bool(run, "validate", false);
    MB_DO(read_kernels(file, run, err));
    return read_argv(file, run, err);
}

/* The parameter after `last` by name, or NULL: in an order that files cannot change. */
static const struct cJSON *next_param(const struct cJSON *variant, const char *last)
{
    const struct cJSON *found = NULL;
    for (const struct cJSON *member = mb_json_members(variant, "params"); member;
         member = mb_json_next(member)) {
        const char *name = mb_json_key(member);
        if ((last == NULL || strcmp(name, last) > 0) &&
            (found == NULL || strcmp(name, mb_json_key(found)) < 0)) {
            found = member;
        }
    }
    return found;
}

static void add_value(struct mb_strbuf *key, const struct cJSON *parent, const char *name)
{
    const char *text = mb_json_read_string(parent, name);
    const double number = mb_json_read_number(parent, name);
    if (text != NULL) {
        mb_strbuf_append(key, text);
    } else if (isfinite(number)) {
        mb_strbuf_printf(key, "%.17g", number);
    }
    mb_strbuf_append(key, KEY_SEPARATOR);
}

static void add_values(struct mb_strbuf *key, const struct cJSON *parent,
                       const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        add_value(key, parent, names[i]);
    }
}

/* The texels of a pattern follow from its name and the seed, so that two seeds still measure
 * the same thing; a file is known by its contents. */
static const char *input_member(const struct cJSON *node)
{
    const char *input = mb_json_read_string(node, "input");
    const bool is_pattern = input != NULL && strncmp(input, "pattern:", 8) == 0;
    const bool has_digest = mb_json_read_string(node, "input_sha256") != NULL;
    return is_pattern || !has_digest ? "input" : "input_sha256";
}

static bool is_needed_usage(const struct cJSON *c)
{
    const char *usage = mb_json_read_string(c, "image_usage");
    return usage != NULL && strcmp(usage, "needed") == 0;
}

/* Where a row stands in the file. */
struct place {
    const struct cJSON *c, *timing, *row, *variant;
    size_t index; /* of the timing in the file */
};

/* The strategy with all its parameters. */
static void add_variant(struct mb_strbuf *key, const struct cJSON *variant)
{
    add_value(key, variant, "strategy");
    for (const struct cJSON *param = next_param(variant, NULL); param;
         param = next_param(variant, mb_json_key(param))) {
        mb_strbuf_printf(key, "%s=", mb_json_key(param));
        add_value(key, param, NULL);
    }
}

/* The image but for its format, what is made of it, and the condition. */
static void add_timing(struct mb_strbuf *key, const struct place *place)
{
    static const char *const names[] = {"width",  "height", "layers", "levels",
                                        "reduce", "alpha",  "shape"};
    static const char *const condition[] = {"cache", "mode"};
    static const char *const sides[] = {"x", "y", "width", "height"};
    add_value(key, place->c, input_member(place->c));
    add_values(key, place->c, names, MB_COUNTOF(names));
    add_values(key, place->timing, condition, MB_COUNTOF(condition));
    if (mb_json_members(place->c, "rect")) {
        add_values(key, mb_json_get(place->c, "rect"), sides, MB_COUNTOF(sides));
    }
    mb_strbuf_append(key, is_needed_usage(place->c) ? "needed" KEY_SEPARATOR : "");
}

/* What was measured, but not how: of the parameters those that the label names, since later
 * versions have more of them. */
static void add_task(struct mb_strbuf *key, const char *label, const struct cJSON *c)
{
    static const char *const names[] = {"width",  "height", "layers",
                                        "levels", "reduce", "format"};
    mb_strbuf_printf(key, "%s" KEY_SEPARATOR, label);
    add_value(key, c, input_member(c));
    add_values(key, c, names, MB_COUNTOF(names));
}

static enum mb_status make_keys(struct mb_file_result *result, const struct place *place,
                                struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) key = {0}, sans_fmt = {0}, task = {0}, timing = {0};
    add_variant(&sans_fmt, place->variant);
    add_timing(&sans_fmt, place);
    mb_strbuf_printf(&key, "%s%s", mb_strbuf_text(&sans_fmt), result->format);
    add_timing(&timing, place);
    mb_strbuf_append(&timing, result->format);
    add_task(&task, result->label, place->c);
    MB_DO(mb_strbuf_take(&sans_fmt, &result->key_sans_fmt, err));
    MB_DO(mb_strbuf_take(&key, &result->key, err));
    MB_DO(mb_strbuf_take(&timing, &result->timing_key, err));
    return mb_strbuf_take(&task, &result->key_sans_condition, err);
}

static void name_result(struct mb_file_result *result, const struct place *place)
{
    const bool is_lean = is_needed_usage(place->c);
    read_text(place->variant, "id", result->variant, sizeof result->variant);
    read_text(place->variant, "label", result->label, sizeof result->label);
    read_text(place->c, "id", result->case_id, sizeof result->case_id);
    read_text(place->timing, "cache", result->cache, sizeof result->cache);
    read_text(place->timing, "mode", result->mode, sizeof result->mode);
    snprintf(result->condition, sizeof result->condition, "%s %s%s", result->cache,
             result->mode, is_lean ? ", needed usage" : "");
    const bool is_hot = strcmp(result->cache, "hot") == 0;
    const bool is_latency = strcmp(result->mode, "latency") == 0;
    const size_t n_id = mb_utf8_sanitize(result->case_id, result->place,
                                         sizeof result->place - 3 * PLACE_WORD_BYTES);
    snprintf(result->place + n_id, sizeof result->place - n_id, "%s%s%s%s%s", is_hot ? "" : " ",
             is_hot ? "" : result->cache, is_latency ? "" : " ", is_latency ? "" : result->mode,
             is_lean ? " needed-usage" : "");
}

static bool has_text(const struct cJSON *node, const char *key, const char *want)
{
    const char *text = mb_json_read_string(node, key);
    return text != NULL && want != NULL && strcmp(text, want) == 0;
}

/* The durations of the variant's own samples. */
static const struct cJSON *find_durations(const struct place *place, size_t *n)
{
    const char *id = mb_json_read_string(place->variant, "id");
    *n = 0;
    for (const struct cJSON *column =
             mb_json_elements(mb_json_get(place->timing, "blocks"), "columns");
         column; column = mb_json_next(column)) {
        if (has_text(column, "kind", "sample") && has_text(column, "variant", id)) {
            *n = mb_json_count(column, "durations_ns");
            return mb_json_elements(column, "durations_ns");
        }
    }
    return NULL;
}

static enum mb_status read_samples(const char *path, struct mb_file_result *result,
                                   const struct place *place, struct mb_err *err)
{
    size_t n_durations, n = 0;
    const struct cJSON *durations = find_durations(place, &n_durations);
    double *samples_ns = result->samples_ns = mb_alloc(n_durations, sizeof *samples_ns);
    MB_DO(MB_NEED(samples_ns, path));
    for (const struct cJSON *s = durations; s; s = mb_json_next(s)) {
        samples_ns[n++] = read_within(s, NULL, MB_SAMPLE_MIN_NS, MB_SAMPLE_MAX_NS);
    }
    /* Infinite: blocks that were repeated. */
    const struct cJSON *item =
        mb_json_elements(mb_json_get(place->timing, "blocks"), "repeated");
    for (size_t i = 0; item != NULL && i < n; i++, item = mb_json_next(item)) {
        const uint64_t index = mb_json_read_u64(item, NULL, UINT64_MAX);
        if (index < n) {
            samples_ns[index] = (double)INFINITY;
        }
    }
    for (size_t i = 0; i < n; i++) {
        result->n_bad_samples += isnan(samples_ns[i]) ? 1 : 0;
        if (isfinite(samples_ns[i])) {
            samples_ns[result->n_samples++] = samples_ns[i];
        }
    }
    return MB_OK;
}

/* An unknown status is from a later version, and no success. */
static void read_status(struct mb_file_result *result, const struct place *place)
{
    const struct cJSON *verify = mb_json_get(place->variant, "verify");
    const bool is_judged = mb_json_read_string(verify, "status") != NULL;
    result->status = has_text(place->row, "status", "ok")        ? MB_RESULT_OK
                     : has_text(place->row, "status", "skipped") ? MB_RESULT_SKIPPED
                                                                 : MB_RESULT_FAILED;
    result->verify = has_text(verify, "status", "pass")                    ? MB_VERIFY_PASS
                     : !is_judged || has_text(verify, "status", "skipped") ? MB_VERIFY_SKIPPED
                                                                           : MB_VERIFY_FAIL;
    read_text(place->row, "reason", result->reason, sizeof result->reason);
}

/* What may be asked of the row; words of later versions are skipped. */
static void read_questions(struct mb_file_result *result, const struct place *place)
{
    result->is_diagnostic = mb_json_read_bool(place->variant, "diagnostic", false);
    read_text(place->variant, "answer", result->answer, sizeof result->answer);
    for (unsigned reduce = MB_REDUCE_AVG; reduce <= MB_REDUCE_MAX; reduce++) {
        if (has_text(place->c, "reduce", mb_reduce_names[reduce])) {
            result->reduce = (enum mb_reduce)reduce;
        }
    }
    for (const struct cJSON *answer = mb_json_elements(place->variant, "answers"); answer;
         answer = mb_json_next(answer)) {
        for (unsigned question = 0; question < MB_N_QUESTIONS; question++) {
            const char *name = mb_question_names[question];
            result->answers |= has_text(answer, NULL, name) ? 1u << question : 0u;
        }
    }
}

/* The variant that a row is of, or NULL. */
static const struct cJSON *find_variant(const struct cJSON *c, const struct cJSON *row)
{
    const char *id = mb_json_read_string(row, "variant");
    for (const struct cJSON *variant = mb_json_elements(c, "variants"); variant;
         variant = mb_json_next(variant)) {
        if (has_text(variant, "id", id)) {
            return variant;
        }
    }
    return NULL;
}

static enum mb_status check_row(const struct mb_result_file *file, const struct place *place,
                                struct mb_err *err)
{
    const size_t index = file->n_results;
    MB_FAIL_IF(mb_json_read_string(place->variant, "strategy") == NULL ||
                   mb_json_read_string(place->variant, "label") == NULL,
               err, MB_ERRC_INPUT, "%s: row %zu names no strategy", file->path, index);
    MB_FAIL_IF(isnan(read_within(place->c, "width", 1, MAX_EXTENT)) ||
                   isnan(read_within(place->c, "height", 1, MAX_EXTENT)),
               err, MB_ERRC_INPUT, "%s: row %zu has no size", file->path, index);
    MB_FAIL_IF(mb_json_count(place->variant, "params") > MAX_PARAMS, err, MB_ERRC_INPUT,
               "%s: row %zu has more than %d parameters", file->path, index, MAX_PARAMS);
    return MB_OK;
}

/* What the run itself said of the row. */
static void read_relation(struct mb_file_result *result, const struct place *place)
{
    const struct cJSON *node = mb_json_get(place->row, "relative");
    const struct cJSON *ends = mb_json_elements(node, "ci");
    result->relation = mb_no_relation;
    result->relation.ratio = read_within(node, "ratio", MIN_RATIO, 1 / MIN_RATIO);
    result->relation.p_adjusted = read_within(node, "p_adjusted", 0, 1);
    for (size_t i = 0; i < 2 && ends != NULL; i++, ends = mb_json_next(ends)) {
        result->relation.ci[i] = read_within(ends, NULL, MIN_RATIO, 1 / MIN_RATIO);
    }
    for (int outcome = 0; outcome <= MB_OUTCOME_INCONCLUSIVE; outcome++) {
        if (has_text(node, "verdict", mb_outcome_names[outcome])) {
            result->relation.outcome = (enum mb_outcome)outcome;
        }
    }
}

static enum mb_status read_row(struct mb_result_file *file, const struct place *place,
                               struct mb_err *err)
{
    struct mb_file_result *result = &file->results[file->n_results];
    MB_DO(check_row(file, place, err));
    file->n_results++;
    result->timing = place->index;
    name_result(result, place);
    read_status(result, place);
    read_questions(result, place);
    read_relation(result, place);
    result->width = (uint32_t)read_within(place->c, "width", 1, MAX_EXTENT);
    result->height = (uint32_t)read_within(place->c, "height", 1, MAX_EXTENT);
    const double n_levels = read_within(place->c, "levels", 1, MB_MAX_LEVELS);
    result->n_levels = isnan(n_levels) ? 0 : (uint32_t)n_levels;
    result->box_lsb =
        read_within(mb_json_get(place->variant, "verify"), "box_lsb", 0, HUGE_VAL);
    read_text(place->c, "input", result->input, sizeof result->input);
    read_text(place->c, "input_sha256", result->input_sha256, sizeof result->input_sha256);
    read_text(place->c, "format", result->format, sizeof result->format);
    result->aa_ratio = read_within(mb_json_get(place->timing, "aa_control"), "ratio",
                                   1 / MAX_AA_RATIO, MAX_AA_RATIO);
    MB_DO(make_keys(result, place, err));
    /* What is skipped has no samples, whatever was measured before it was. */
    if (result->status != MB_RESULT_SKIPPED) {
        MB_DO(read_samples(file->path, result, place, err));
    }
    return MB_OK;
}

static size_t count_rows(const struct cJSON *root)
{
    size_t n = 0;
    for (const struct cJSON *c = mb_json_elements(root, "cases"); c; c = mb_json_next(c)) {
        for (const struct cJSON *t = mb_json_elements(c, "timings"); t; t = mb_json_next(t)) {
            n += mb_json_count(t, "rows");
        }
    }
    return n;
}

/* `*n_timings` counts those of all cases. */
static enum mb_status read_case(struct mb_result_file *file, const struct cJSON *c,
                                size_t *n_timings, struct mb_err *err)
{
    struct place place = {.c = c};
    MB_FAIL_IF(mb_json_count(c, "variants") > MAX_VARIANTS, err, MB_ERRC_INPUT,
               "%s: a case has more than %d variants", file->path, MAX_VARIANTS);
    for (place.timing = mb_json_elements(c, "timings"); place.timing;
         place.timing = mb_json_next(place.timing)) {
        const struct cJSON *blocks = mb_json_get(place.timing, "blocks");
        if (mb_json_count(place.timing, "rows") > MAX_ROWS ||
            mb_json_count(blocks, "columns") > MAX_COLUMNS) {
            return MB_FAIL(err, MB_ERRC_INPUT,
                           "%s: a timing has more than %d rows or %d columns", file->path,
                           MAX_ROWS, MAX_COLUMNS);
        }
        place.index = (*n_timings)++;
        for (place.row = mb_json_elements(place.timing, "rows"); place.row;
             place.row = mb_json_next(place.row)) {
            place.variant = find_variant(c, place.row);
            MB_DO(read_row(file, &place, err));
        }
    }
    return MB_OK;
}

static enum mb_status read_root(struct mb_result_file *file, const struct cJSON *root,
                                struct mb_err *err)
{
    size_t n_timings = 0;
    MB_DO(check_schema(file, root, err));
    MB_DO(read_run(file, root, err));
    MB_FAIL_IF(!mb_json_is_array(mb_json_get(root, "cases")), err, MB_ERRC_INPUT,
               "%s: it has no cases", file->path);
    file->results = mb_alloc(count_rows(root), sizeof *file->results);
    MB_DO(MB_NEED(file->results, file->path));
    for (const struct cJSON *c = mb_json_elements(root, "cases"); c; c = mb_json_next(c)) {
        MB_DO(read_case(file, c, &n_timings, err));
    }
    return MB_OK;
}

enum mb_status mb_result_file_parse(const char *path, const char *text,
                                    struct mb_result_file *file, struct mb_err *err)
{
    enum mb_status status;
    MB_SCOPED(mb_json) json = {0};
    struct mb_err why = {0};
    *file = (struct mb_result_file){.path = mb_strdup(path)};
    MB_TRY(MB_NEED(file->path, path));
    if (mb_json_parse(&json, text, &why) != MB_OK) {
        status = MB_FAIL(err, why.code, "%s: %s", path, why.text);
        goto fail;
    }
    MB_TRY(read_root(file, json.root, err));
    return MB_OK;
fail:
    mb_result_file_finish(file);
    return status;
}

enum mb_status mb_result_file_read(const char *path, struct mb_result_file *file,
                                   struct mb_err *err)
{
    MB_SCOPED(mb_bytes) bytes = {0};
    *file = (struct mb_result_file){0};
    MB_DO(mb_file_read(path, MB_RESULT_FILE_MAX_BYTES, &bytes, err));
    MB_FAIL_IF(memchr(bytes.data, '\0', bytes.n_bytes) != NULL, err, MB_ERRC_INPUT,
               "%s: not JSON: it has a byte of zero", path);
    return mb_result_file_parse(path, (const char *)bytes.data, file, err);
}

void mb_result_file_finish(struct mb_result_file *file)
{
    for (size_t i = 0; i < file->n_results; i++) {
        mb_free(file->results[i].key);
        mb_free(file->results[i].key_sans_fmt);
        mb_free(file->results[i].key_sans_condition);
        mb_free(file->results[i].timing_key);
        mb_free(file->results[i].samples_ns);
    }
    mb_strlist_finish(&file->argv);
    mb_strlist_finish(&file->kernels);
    mb_free(file->results);
    mb_free(file->path);
    *file = (struct mb_result_file){0};
}

enum mb_status mb_result_files_read(const char *const *paths, size_t n,
                                    struct mb_result_file **files, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    size_t n_read = 0;
    *files = mb_alloc(n, sizeof **files);
    MB_TRY(MB_NEED(*files, "result files"));
    for (; n_read < n; n_read++) {
        MB_TRY(mb_result_file_read(paths[n_read], &(*files)[n_read], err));
    }
    return MB_OK;
fail:
    mb_result_files_finish(*files, n_read);
    *files = NULL;
    return status;
}

void mb_result_files_finish(struct mb_result_file *files, size_t n)
{
    for (size_t i = 0; files && i < n; i++) {
        mb_result_file_finish(&files[i]);
    }
    mb_free(files);
}
