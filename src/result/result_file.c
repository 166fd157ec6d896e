/* Reading results.json. The file is untrusted: every text is cleaned, every number checked, and
 * what is absent is "not known". */
#include "result/result_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "base/text.h"

#define KNOWN_MAJOR    2
#define MAX_AA_RATIO   100.0
#define MAX_GRANULE_NS 1e9
#define MAX_PARAMS     64   /* they are put in order by comparing each with each */
#define MAX_VARIANTS   4096 /* of a case: looked for one by one */
#define PLACE_WORD_BYTES                                                                       \
    16 /* room for cache, mode or usage at the end of a place, with a space */

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

static enum mb_status no_memory(const char *path, struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", path);
}

static enum mb_status check_schema(struct mb_result_file *file, const struct cJSON *root,
                                   struct mb_err *err)
{
    const struct cJSON *schema = mb_json_get(root, "schema");
    const char *name = mb_json_read_string(schema, "name");
    unsigned major = 0;
    if (name == NULL || strcmp(name, "mipbench") != 0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: not a mipbench result", file->path);
    }
    read_text(schema, "version", file->schema_version, sizeof file->schema_version);
    if (sscanf(file->schema_version, "%3u.", &major) != 1 || major < 1) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: schema version '%s' is not understood",
                       file->path, file->schema_version);
    }
    if (major != KNOWN_MAJOR) {
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: schema version %s is of %s mipbench; this one reads %d.x",
                       file->path, file->schema_version,
                       major > KNOWN_MAJOR ? "a later" : "an earlier", KNOWN_MAJOR);
    }
    return MB_OK;
}

static enum mb_status read_argv(struct mb_result_file *file, const struct cJSON *run,
                                struct mb_err *err)
{
    const struct cJSON *argv = mb_json_get(run, "argv");
    if (!mb_json_is_array(argv)) {
        return MB_OK;
    }
    file->argv = mb_alloc(mb_json_count(argv) + 1, sizeof *file->argv);
    if (file->argv == NULL) {
        return no_memory(file->path, err);
    }
    for (const struct cJSON *arg = mb_json_first(argv); arg; arg = mb_json_next(arg)) {
        const char *text = mb_json_read_string(arg, NULL);
        if (text == NULL) {
            return MB_FAIL(err, MB_ERRC_INPUT, "%s: run.argv[%zu] is no text", file->path,
                           file->n_args);
        }
        file->argv[file->n_args] = mb_strdup(text);
        if (file->argv[file->n_args] == NULL) {
            return no_memory(file->path, err);
        }
        file->n_args++;
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
    file->granule_ns =
        read_within(mb_json_get(root, "timer"), "granularity_gcd_ns", 0, MAX_GRANULE_NS);
    /* Mesa's software drivers are all of version 0.0.1; the info tells them apart. */
    const struct cJSON *driver = mb_json_get(device, "driver");
    read_text(driver, "version", version, sizeof version);
    read_text(driver, "info", info, sizeof info);
    snprintf(file->driver, sizeof file->driver, "%s%s%s", version,
             version[0] != '\0' && info[0] != '\0' ? ", " : "", info);
    file->seed = mb_json_read_u64(run, "seed", 1);
    read_text(run, "folder", file->folder, sizeof file->folder);
    file->complete = mb_json_read_bool(run, "complete", false);
    file->validate = mb_json_read_bool(run, "validate", false);
    return read_argv(file, run, err);
}

/* Its members are read by name, so nothing but an object will do. */
static const struct cJSON *params_of(const struct cJSON *node)
{
    const struct cJSON *params = mb_json_get(node, "params");
    return mb_json_is_object(params) ? params : NULL;
}

/* The member after `last` by name, or NULL: parameters in an order that files cannot change. */
static const struct cJSON *next_by_name(const struct cJSON *object, const char *last)
{
    const struct cJSON *found = NULL;
    for (const struct cJSON *member = mb_json_first(object); member;
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

static void add_rects(struct mb_strbuf *key, const struct cJSON *rects)
{
    static const char *const sides[] = {"x", "y", "width", "height"};
    for (const struct cJSON *rect = mb_json_first(rects); rect; rect = mb_json_next(rect)) {
        for (size_t i = 0; i < MB_COUNTOF(sides); i++) {
            add_value(key, rect, sides[i]);
        }
    }
}

/* Where a row stands in the file. */
struct place {
    const struct cJSON *c, *timing, *row, *variant;
    size_t index; /* of the timing in the file */
};

static char *take_key(struct mb_strbuf *key)
{
    if (key->failed) {
        mb_strbuf_finish(key);
    }
    return key->text;
}

/* The image, what is made of it, and the condition; the format is given. */
static void add_timing(struct mb_strbuf *key, const struct place *place, const char *format)
{
    static const char *const names[] = {"width",  "height", "layers", "levels",
                                        "reduce", "alpha",  "shape"};
    add_value(key, place->c, input_member(place->c));
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        add_value(key, place->c, names[i]);
    }
    add_value(key, place->timing, "cache");
    add_value(key, place->timing, "mode");
    add_rects(key, mb_json_get(place->c, "rects"));
    mb_strbuf_append(key, is_needed_usage(place->c) ? "needed" KEY_SEPARATOR : "");
    mb_strbuf_append(key, format);
}

static char *make_timing_key(const struct place *place, const char *format)
{
    struct mb_strbuf key = {0};
    add_timing(&key, place, format);
    return take_key(&key);
}

/* Everything that tells what was measured, but for the format, which is given. */
static char *make_key(const struct place *place, const char *format)
{
    struct mb_strbuf key = {0};
    const struct cJSON *params = params_of(place->variant);
    add_value(&key, place->variant, "strategy");
    for (const struct cJSON *param = next_by_name(params, NULL); param;
         param = next_by_name(params, mb_json_key(param))) {
        mb_strbuf_printf(&key, "%s=", mb_json_key(param));
        add_value(&key, param, NULL);
    }
    add_timing(&key, place, format);
    return take_key(&key);
}

/* What was measured, but not how: of the parameters those that the label names, since later
 * versions have more of them. */
static char *make_key_sans_condition(const struct mb_file_result *result,
                                     const struct place *place)
{
    static const char *const names[] = {"width",  "height", "layers",
                                        "levels", "reduce", "format"};
    struct mb_strbuf key = {0};
    mb_strbuf_printf(&key, "%s" KEY_SEPARATOR, result->label);
    add_value(&key, place->c, input_member(place->c));
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        add_value(&key, place->c, names[i]);
    }
    return take_key(&key);
}

/* Append a word to the place. */
static void add_to_place(struct mb_file_result *result, const char *word)
{
    const size_t used = strlen(result->place);
    snprintf(result->place + used, sizeof result->place - used, " %s", word);
}

static void name_result(struct mb_file_result *result, const struct place *place)
{
    const bool is_lean = is_needed_usage(place->c);
    read_text(place->variant, "id", result->variant, sizeof result->variant);
    read_text(place->variant, "label", result->label, sizeof result->label);
    read_text(place->c, "id", result->case_id, sizeof result->case_id);
    mb_utf8_sanitize(result->case_id, result->place,
                     sizeof result->place - 3 * PLACE_WORD_BYTES);
    read_text(place->timing, "cache", result->cache, sizeof result->cache);
    read_text(place->timing, "mode", result->mode, sizeof result->mode);
    snprintf(result->condition, sizeof result->condition, "%s %s%s", result->cache,
             result->mode, is_lean ? ", needed usage" : "");
    if (strcmp(result->cache, "hot") != 0) {
        add_to_place(result, result->cache);
    }
    if (strcmp(result->mode, "latency") != 0) {
        add_to_place(result, result->mode);
    }
    if (is_lean) {
        add_to_place(result, "needed-usage");
    }
}

static bool has_text(const struct cJSON *node, const char *key, const char *want)
{
    const char *text = mb_json_read_string(node, key);
    return text != NULL && want != NULL && strcmp(text, want) == 0;
}

/* The column of the variant's own samples, or NULL. */
static const struct cJSON *find_column(const struct place *place)
{
    const struct cJSON *columns = mb_json_get(mb_json_get(place->timing, "blocks"), "columns");
    const char *id = mb_json_read_string(place->variant, "id");
    for (const struct cJSON *column = mb_json_is_array(columns) ? mb_json_first(columns) : NULL;
         column; column = mb_json_next(column)) {
        if (has_text(column, "kind", "sample") && has_text(column, "variant", id)) {
            return column;
        }
    }
    return NULL;
}

/* Infinity in place of the samples of blocks that others took the place of. */
static void drop_repeated(const struct cJSON *repeated, double *samples_ns, size_t n)
{
    for (const struct cJSON *item = mb_json_is_array(repeated) ? mb_json_first(repeated) : NULL;
         item; item = mb_json_next(item)) {
        const uint64_t index = mb_json_read_u64(item, NULL, UINT64_MAX);
        if (index < n) {
            samples_ns[index] = (double)INFINITY;
        }
    }
}

/* Infinite ones do not count, and those that are no time are counted. */
static void keep_samples(struct mb_file_result *result, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double sample_ns = result->samples_ns[i];
        if (isnan(sample_ns)) {
            result->n_bad_samples++;
        } else if (isfinite(sample_ns)) {
            result->samples_ns[result->n_samples++] = sample_ns;
        }
    }
}

static enum mb_status read_samples(const char *path, struct mb_file_result *result,
                                   const struct place *place, struct mb_err *err)
{
    const struct cJSON *durations = mb_json_get(find_column(place), "durations_ns");
    size_t n = 0;
    if (!mb_json_is_array(durations)) {
        return MB_OK;
    }
    result->samples_ns = mb_alloc(mb_json_count(durations), sizeof *result->samples_ns);
    if (result->samples_ns == NULL) {
        return no_memory(path, err);
    }
    for (const struct cJSON *s = mb_json_first(durations); s; s = mb_json_next(s)) {
        result->samples_ns[n++] = read_within(s, NULL, MB_SAMPLE_MIN_NS, MB_SAMPLE_MAX_NS);
    }
    drop_repeated(mb_json_get(mb_json_get(place->timing, "blocks"), "repeated"),
                  result->samples_ns, n);
    keep_samples(result, n);
    return MB_OK;
}

/* The status by its name; an unknown one is of a version to come, and no success. What is
 * skipped has no samples, whatever was measured before it was. */
static void read_status(struct mb_file_result *result, const struct place *place)
{
    static const enum mb_result_status statuses[] = {MB_RESULT_OK, MB_RESULT_SKIPPED};
    static const enum mb_verify_status verdicts[] = {MB_VERIFY_PASS, MB_VERIFY_SKIPPED};
    const struct cJSON *verify = mb_json_get(place->variant, "verify");
    result->status = MB_RESULT_FAILED;
    result->verify =
        mb_json_read_string(verify, "status") != NULL ? MB_VERIFY_FAIL : MB_VERIFY_SKIPPED;
    for (size_t i = 0; i < MB_COUNTOF(statuses); i++) {
        if (has_text(place->row, "status", mb_result_status_name(statuses[i]))) {
            result->status = statuses[i];
        }
        if (has_text(verify, "status", mb_verify_status_name(verdicts[i]))) {
            result->verify = verdicts[i];
        }
    }
    read_text(place->row, "reason", result->reason, sizeof result->reason);
}

/* What may be asked of the row; words of a version to come are passed over. */
static void read_questions(struct mb_file_result *result, const struct place *place)
{
    const struct cJSON *answers = mb_json_get(place->variant, "answers");
    result->is_diagnostic = mb_json_read_bool(place->variant, "diagnostic", false);
    for (unsigned reduce = MB_REDUCE_AVG; reduce <= MB_REDUCE_MAX; reduce++) {
        if (has_text(place->c, "reduce", mb_reduce_name((enum mb_reduce)reduce))) {
            result->reduce = (enum mb_reduce)reduce;
        }
    }
    for (const struct cJSON *answer = mb_json_is_array(answers) ? mb_json_first(answers) : NULL;
         answer; answer = mb_json_next(answer)) {
        for (unsigned question = 0; question < MB_N_QUESTIONS; question++) {
            const char *name = mb_question_name((enum mb_question)question);
            result->answers |= has_text(answer, NULL, name) ? 1u << question : 0u;
        }
    }
}

/* The variant that a row is of, or NULL. */
static const struct cJSON *find_variant(const struct cJSON *c, const struct cJSON *row)
{
    const struct cJSON *variants = mb_json_get(c, "variants");
    const char *id = mb_json_read_string(row, "variant");
    for (const struct cJSON *variant = mb_json_is_array(variants) ? mb_json_first(variants)
                                                                  : NULL;
         variant; variant = mb_json_next(variant)) {
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
    if (mb_json_read_string(place->variant, "strategy") == NULL ||
        mb_json_read_string(place->variant, "label") == NULL) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: row %zu names no strategy", file->path, index);
    }
    if (mb_json_read_u64(place->c, "width", 0) == 0 ||
        mb_json_read_u64(place->c, "height", 0) == 0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: row %zu has no size", file->path, index);
    }
    if (mb_json_count(params_of(place->variant)) > MAX_PARAMS) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: row %zu has more than %d parameters",
                       file->path, index, MAX_PARAMS);
    }
    return MB_OK;
}

static enum mb_status read_row(struct mb_result_file *file, const struct place *place,
                               struct mb_err *err)
{
    enum mb_status status;
    struct mb_file_result *result = &file->results[file->n_results];
    MB_TRY(check_row(file, place, err));
    file->n_results++;
    result->timing = place->index;
    name_result(result, place);
    read_status(result, place);
    read_questions(result, place);
    read_text(place->c, "input", result->input, sizeof result->input);
    read_text(place->c, "input_sha256", result->input_sha256, sizeof result->input_sha256);
    read_text(place->c, "format", result->format, sizeof result->format);
    result->aa_ratio = read_within(mb_json_get(place->timing, "aa_control"), "ratio",
                                   1 / MAX_AA_RATIO, MAX_AA_RATIO);
    result->key = make_key(place, result->format);
    result->key_sans_fmt = make_key(place, "");
    result->key_sans_condition = make_key_sans_condition(result, place);
    result->timing_key = make_timing_key(place, result->format);
    if (result->timing_key == NULL || result->key == NULL || result->key_sans_fmt == NULL ||
        result->key_sans_condition == NULL) {
        return no_memory(file->path, err);
    }
    return result->status == MB_RESULT_SKIPPED ? MB_OK
                                               : read_samples(file->path, result, place, err);
fail:
    return status;
}

/* The items of a member that is an array of objects, or NULL. */
static const struct cJSON *items(const struct cJSON *parent, const char *key)
{
    const struct cJSON *list = mb_json_get(parent, key);
    return mb_json_is_array(list) ? mb_json_first(list) : NULL;
}

static size_t count_rows(const struct cJSON *root)
{
    size_t n = 0;
    for (const struct cJSON *c = items(root, "cases"); c; c = mb_json_next(c)) {
        for (const struct cJSON *t = items(c, "timings"); t; t = mb_json_next(t)) {
            n += mb_json_count(mb_json_get(t, "rows"));
        }
    }
    return n;
}

/* `*n_timings` counts those of all cases. */
static enum mb_status read_case(struct mb_result_file *file, const struct cJSON *c,
                                size_t *n_timings, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct place place = {.c = c};
    if (mb_json_count(mb_json_get(c, "variants")) > MAX_VARIANTS) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: a case has more than %d variants", file->path,
                       MAX_VARIANTS);
    }
    for (place.timing = items(c, "timings"); place.timing;
         place.timing = mb_json_next(place.timing)) {
        place.index = (*n_timings)++;
        for (place.row = items(place.timing, "rows"); place.row;
             place.row = mb_json_next(place.row)) {
            place.variant = find_variant(c, place.row);
            MB_TRY(read_row(file, &place, err));
        }
    }
fail:
    return status;
}

static enum mb_status read_root(struct mb_result_file *file, const struct cJSON *root,
                                struct mb_err *err)
{
    enum mb_status status;
    size_t n_timings = 0;
    MB_TRY(check_schema(file, root, err));
    MB_TRY(read_run(file, root, err));
    if (!mb_json_is_array(mb_json_get(root, "cases"))) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: it has no cases", file->path);
    }
    file->results = mb_alloc(count_rows(root), sizeof *file->results);
    if (file->results == NULL) {
        return no_memory(file->path, err);
    }
    for (const struct cJSON *c = items(root, "cases"); c; c = mb_json_next(c)) {
        MB_TRY(read_case(file, c, &n_timings, err));
    }
    return MB_OK;
fail:
    return status;
}

/* An error of the parser with the path in front. */
static enum mb_status fail_parse(const char *path, const struct mb_err *why, struct mb_err *err)
{
    return MB_FAIL(err, why->code, "%s: %s", path, why->text);
}

enum mb_status mb_result_file_parse(const char *path, const char *text,
                                    struct mb_result_file *file, struct mb_err *err)
{
    enum mb_status status;
    struct mb_json json = {0};
    struct mb_err why = {0};
    *file = (struct mb_result_file){.path = mb_strdup(path)};
    if (file->path == NULL) {
        return no_memory(path, err);
    }
    if (mb_json_parse(&json, text, &why) != MB_OK) {
        status = fail_parse(path, &why, err);
        goto fail;
    }
    MB_TRY(read_root(file, json.root, err));
    mb_json_finish(&json);
    return MB_OK;
fail:
    mb_json_finish(&json);
    mb_result_file_finish(file);
    return status;
}

enum mb_status mb_result_file_read(const char *path, struct mb_result_file *file,
                                   struct mb_err *err)
{
    enum mb_status status;
    struct mb_bytes bytes = {0};
    char *text = NULL;
    *file = (struct mb_result_file){0};
    MB_TRY(mb_file_read(path, MB_RESULT_FILE_MAX_BYTES, &bytes, err));
    if (memchr(bytes.data, '\0', bytes.n_bytes) != NULL) {
        status = MB_FAIL(err, MB_ERRC_INPUT, "%s: not JSON: it has a byte of zero", path);
        goto fail;
    }
    text = mb_realloc(bytes.data, bytes.n_bytes + 1);
    if (text == NULL) {
        status = no_memory(path, err);
        goto fail;
    }
    text[bytes.n_bytes] = '\0';
    bytes = (struct mb_bytes){0};
    MB_TRY(mb_result_file_parse(path, text, file, err));
fail:
    mb_bytes_finish(&bytes);
    mb_free(text);
    return status;
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
    for (size_t i = 0; i < file->n_args; i++) {
        mb_free(file->argv[i]);
    }
    mb_free(file->results);
    mb_free(file->argv);
    mb_free(file->path);
    *file = (struct mb_result_file){0};
}
