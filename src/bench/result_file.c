/* Reading results.json. The file is untrusted: every text is cleaned, every number checked, and
 * what an older version did not write yet is "not known". */
#include "bench/result_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "base/text.h"

#define KNOWN_MAJOR    1
#define MAX_AA_RATIO   100.0
#define MAX_GRANULE_NS 1e9
#define MAX_PARAMS     64 /* they are put in order by comparing each with each */
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
    if (major > KNOWN_MAJOR) {
        return MB_FAIL(err, MB_ERRC_INPUT,
                       "%s: schema version %s is of a later mipbench; this one reads %d.x",
                       file->path, file->schema_version, KNOWN_MAJOR);
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

/* Files before 1.4.0 have no such member, and images made for all uses. */
static bool is_needed_usage(const struct cJSON *node)
{
    const char *usage = mb_json_read_string(node, "image_usage");
    return usage != NULL && strcmp(usage, "needed") == 0;
}

static void add_rect(struct mb_strbuf *key, const struct cJSON *rect)
{
    static const char *const sides[] = {"x", "y", "width", "height"};
    for (size_t i = 0; i < MB_COUNTOF(sides); i++) {
        add_value(key, rect, sides[i]);
    }
}

/* A single one is "rect", too, which is all that files before schema 1.5 have. */
static void add_several_rects(struct mb_strbuf *key, const struct cJSON *rects)
{
    const struct cJSON *first = mb_json_first(rects);
    const bool are_several = first != NULL && mb_json_next(first) != NULL;
    for (const struct cJSON *rect = first; are_several && rect; rect = mb_json_next(rect)) {
        add_rect(key, rect);
    }
}

/* Everything that tells what was measured, but for the format, which is given. The filter is
 * the strategy's; older files say "box" of every one. */
static char *make_key(const struct cJSON *node, const char *format)
{
    static const char *const names[] = {"width", "height", "layers", "levels", "reduce",
                                        "alpha", "shape",  "cache",  "mode"};
    struct mb_strbuf key = {0};
    const struct cJSON *params = params_of(node);
    add_value(&key, node, "strategy");
    for (const struct cJSON *param = next_by_name(params, NULL); param;
         param = next_by_name(params, mb_json_key(param))) {
        mb_strbuf_printf(&key, "%s=", mb_json_key(param));
        add_value(&key, param, NULL);
    }
    add_value(&key, node, input_member(node));
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        add_value(&key, node, names[i]);
    }
    add_rect(&key, mb_json_get(node, "rect"));
    add_several_rects(&key, mb_json_get(node, "rects"));
    mb_strbuf_append(&key, is_needed_usage(node) ? "needed" KEY_SEPARATOR : "");
    mb_strbuf_append(&key, format);
    if (key.failed) {
        mb_strbuf_finish(&key);
    }
    return key.text;
}

/* What was measured, but not how: of the parameters those that the label names, since later
 * versions have more of them. */
static char *make_key_sans_condition(const struct mb_file_result *result,
                                     const struct cJSON *node)
{
    static const char *const names[] = {"width",  "height", "layers",
                                        "levels", "reduce", "format"};
    struct mb_strbuf key = {0};
    mb_strbuf_printf(&key, "%s" KEY_SEPARATOR, result->label);
    add_value(&key, node, input_member(node));
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        add_value(&key, node, names[i]);
    }
    if (key.failed) {
        mb_strbuf_finish(&key);
    }
    return key.text;
}

/* "compute:npot=floor" from the id's "compute_npot-floor": parameters that are not there have
 * their defaults of that time. False without memory. */
static bool make_label(struct mb_file_result *result, const struct cJSON *node,
                       const char *slug)
{
    struct mb_strbuf label = {0};
    char strategy[sizeof result->label];
    read_text(node, "strategy", strategy, sizeof strategy);
    mb_strbuf_append(&label, strategy);
    const struct cJSON *param = mb_json_first(params_of(node));
    for (; param; param = mb_json_next(param)) {
        const char *value = mb_json_read_string(param, NULL);
        char piece[96];
        snprintf(piece, sizeof piece, "_%s-%s", mb_json_key(param), value ? value : "");
        if (value != NULL && strstr(slug, piece) != NULL) {
            mb_strbuf_printf(&label, ":%s=%s", mb_json_key(param), value);
        }
    }
    mb_utf8_sanitize(mb_strbuf_text(&label), result->label, sizeof result->label);
    const bool is_made = !label.failed;
    mb_strbuf_finish(&label);
    return is_made;
}

/* Append a word to the place unless it has it. */
static void add_to_place(struct mb_file_result *result, const char *word)
{
    const size_t used = strlen(result->place);
    if (word != NULL && strstr(result->place, word) == NULL) {
        char clean[PLACE_WORD_BYTES - 1];
        mb_utf8_sanitize(word, clean, sizeof clean);
        snprintf(result->place + used, sizeof result->place - used, " %s", clean);
    }
}

/* False without memory. */
static bool name_result(struct mb_file_result *result, const struct cJSON *node)
{
    char id[sizeof result->place + sizeof result->label];
    read_text(node, "id", id, sizeof id);
    char *slash = strrchr(id, '/');
    const bool has_label = make_label(result, node, slash != NULL ? slash + 1 : id);
    if (slash != NULL) {
        *slash = '\0';
    }
    mb_utf8_sanitize(slash != NULL ? id : "", result->place,
                     sizeof result->place - 3 * PLACE_WORD_BYTES);
    const char *cache = mb_json_read_string(node, "cache");
    const char *mode = mb_json_read_string(node, "mode");
    char words[2][PLACE_WORD_BYTES];
    mb_utf8_sanitize(cache != NULL ? cache : "hot", words[0], sizeof words[0]);
    mb_utf8_sanitize(mode != NULL ? mode : "latency", words[1], sizeof words[1]);
    const bool is_lean = is_needed_usage(node);
    snprintf(result->condition, sizeof result->condition, "%s %s%s", words[0], words[1],
             is_lean ? ", needed usage" : "");
    add_to_place(result, cache != NULL && strcmp(cache, "hot") != 0 ? cache : NULL);
    add_to_place(result, mode != NULL && strcmp(mode, "latency") != 0 ? mode : NULL);
    add_to_place(result, is_lean ? "needed-usage" : NULL);
    return has_label;
}

/* Absent in either counts as equal: older files have no such member. */
static bool agree(const struct cJSON *a, const struct cJSON *b, const char *key)
{
    const char *text_a = mb_json_read_string(a, key);
    const char *text_b = mb_json_read_string(b, key);
    return text_a == NULL || text_b == NULL || strcmp(text_a, text_b) == 0;
}

static double find_aa_ratio(const struct cJSON *root, const struct cJSON *node)
{
    const char *id = mb_json_read_string(node, "cell");
    const struct cJSON *cells = mb_json_get(root, "cells");
    if (id == NULL || !mb_json_is_array(cells)) {
        return NAN;
    }
    for (const struct cJSON *cell = mb_json_first(cells); cell; cell = mb_json_next(cell)) {
        const char *cell_id = mb_json_read_string(cell, "id");
        if (cell_id != NULL && strcmp(cell_id, id) == 0 && agree(cell, node, "cache") &&
            agree(cell, node, "mode")) {
            return read_within(mb_json_get(cell, "aa_control"), "ratio", 1 / MAX_AA_RATIO,
                               MAX_AA_RATIO);
        }
    }
    return NAN;
}

static enum mb_status read_samples(const char *path, struct mb_file_result *result,
                                   const struct cJSON *node, struct mb_err *err)
{
    const struct cJSON *samples = mb_json_get(node, "samples_ns");
    if (!mb_json_is_array(samples)) {
        return MB_OK;
    }
    result->samples_ns = mb_alloc(mb_json_count(samples), sizeof *result->samples_ns);
    if (result->samples_ns == NULL) {
        return no_memory(path, err);
    }
    for (const struct cJSON *s = mb_json_first(samples); s; s = mb_json_next(s)) {
        const double sample_ns = read_within(s, NULL, MB_SAMPLE_MIN_NS, MB_SAMPLE_MAX_NS);
        if (!isnan(sample_ns)) {
            result->samples_ns[result->n_samples++] = sample_ns;
        } else {
            result->n_bad_samples++;
        }
    }
    return MB_OK;
}

/* The status by its name; an unknown one is of a version to come, and no success. */
static void read_status(struct mb_file_result *result, const struct cJSON *node)
{
    static const enum mb_result_status statuses[] = {MB_RESULT_OK, MB_RESULT_SKIPPED};
    static const enum mb_verify_status verdicts[] = {MB_VERIFY_PASS, MB_VERIFY_SKIPPED};
    const char *status = mb_json_read_string(node, "status");
    const char *verify = mb_json_read_string(mb_json_get(node, "verify"), "status");
    result->status = MB_RESULT_FAILED;
    result->verify = verify != NULL ? MB_VERIFY_FAIL : MB_VERIFY_SKIPPED;
    for (size_t i = 0; i < MB_COUNTOF(statuses); i++) {
        if (status != NULL && strcmp(status, mb_result_status_name(statuses[i])) == 0) {
            result->status = statuses[i];
        }
        if (verify != NULL && strcmp(verify, mb_verify_status_name(verdicts[i])) == 0) {
            result->verify = verdicts[i];
        }
    }
    read_text(node, "reason", result->reason, sizeof result->reason);
}

static enum mb_status read_result(struct mb_result_file *file, const struct cJSON *root,
                                  const struct cJSON *node, struct mb_err *err)
{
    struct mb_file_result *result = &file->results[file->n_results];
    const size_t index = file->n_results++;
    if (!mb_json_is_object(node) || mb_json_read_string(node, "strategy") == NULL) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: results[%zu] names no strategy", file->path,
                       index);
    }
    if (mb_json_read_u64(node, "width", 0) == 0 || mb_json_read_u64(node, "height", 0) == 0) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: results[%zu] has no size", file->path, index);
    }
    if (mb_json_count(params_of(node)) > MAX_PARAMS) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: results[%zu] has more than %d parameters",
                       file->path, index, MAX_PARAMS);
    }
    const bool has_label = name_result(result, node);
    read_status(result, node);
    read_text(node, "input", result->input, sizeof result->input);
    read_text(node, "input_sha256", result->input_sha256, sizeof result->input_sha256);
    read_text(node, "format", result->format, sizeof result->format);
    result->aa_ratio = find_aa_ratio(root, node);
    result->key = make_key(node, result->format);
    result->key_sans_fmt = make_key(node, "");
    result->key_sans_condition = make_key_sans_condition(result, node);
    if (!has_label || result->key == NULL || result->key_sans_fmt == NULL ||
        result->key_sans_condition == NULL) {
        return no_memory(file->path, err);
    }
    return read_samples(file->path, result, node, err);
}

static enum mb_status read_root(struct mb_result_file *file, const struct cJSON *root,
                                struct mb_err *err)
{
    enum mb_status status;
    const struct cJSON *results = mb_json_get(root, "results");
    MB_TRY(check_schema(file, root, err));
    MB_TRY(read_run(file, root, err));
    if (!mb_json_is_array(results)) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: it has no results", file->path);
    }
    file->results = mb_alloc(mb_json_count(results), sizeof *file->results);
    if (file->results == NULL) {
        return no_memory(file->path, err);
    }
    for (const struct cJSON *node = mb_json_first(results); node; node = mb_json_next(node)) {
        MB_TRY(read_result(file, root, node, err));
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
