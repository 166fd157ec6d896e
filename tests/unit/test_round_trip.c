/* usage: test_round_trip PATTERN
 *
 * Each results.json, read and written again: what it says is still there, but for what is of
 * the program that wrote it, or is made anew of rounded figures; and the second time, byte by
 * byte. */
#include <glob.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "result/result_json.h"
#include "check.h"

/* Of the program that writes, which also words sentences anew; a margin, which is wider by what
 * a ratio lost; and what only earlier programs wrote. */
static const char *const skipped[] = {"kernels",  "layers", "shaders",   "margin",
                                      "sentence", "large",  "read_sweep"};

static bool is_skipped(const char *key)
{
    bool is_found = false;
    for (size_t i = 0; key && i < MB_COUNTOF(skipped); i++) {
        is_found = is_found || strcmp(key, skipped[i]) == 0;
    }
    return is_found;
}

static bool is_same_value(const cJSON *a, const cJSON *b)
{
    return b != NULL && a->type == b->type &&
           (!cJSON_IsNumber(a) ||
            fabs(a->valuedouble - b->valuedouble) <= 1e-15 * fabs(a->valuedouble)) &&
           (!cJSON_IsString(a) || strcmp(a->valuestring, b->valuestring) == 0);
}

/* The path of the first member of `a` that `b` has not, or has otherwise, in `path`. */
static bool find_difference(const cJSON *a, const cJSON *b, char path[400])
{
    const size_t n = strlen(path);
    size_t i = 0;
    if (!is_same_value(a, b)) {
        return true;
    }
    const cJSON *other = cJSON_IsArray(b) ? b->child : NULL;
    for (const cJSON *child = a->child; child; child = child->next, i++) {
        if (cJSON_IsObject(a)) {
            other = cJSON_GetObjectItemCaseSensitive(b, child->string);
            snprintf(path + n, 400 - n, ".%s", child->string);
        } else {
            snprintf(path + n, 400 - n, "[%zu]", i);
        }
        if (!is_skipped(child->string) && find_difference(child, other, path)) {
            return true;
        }
        other = cJSON_IsArray(b) && other ? other->next : other;
    }
    path[n] = '\0';
    return other != NULL && cJSON_IsArray(b);
}

static char *read_and_write(const char *path, const char *text)
{
    MB_SCOPED(mb_run) run = {0};
    struct mb_err err = {0};
    struct mb_strbuf written = {0};
    CHECK_EQ_INT(mb_run_parse(path, text, &run, &err), MB_OK);
    CHECK_EQ_STR(err.text, "");
    mb_run_json(&run, &written);
    return written.text;
}

static void check_file(const char *path)
{
    struct mb_bytes bytes = {0};
    struct mb_json before = {0}, after = {0};
    char where[400] = "";
    CHECK_EQ_INT(mb_file_read(path, MB_RESULT_FILE_MAX_BYTES, &bytes, NULL), MB_OK);
    char *once = read_and_write(path, (const char *)bytes.data);
    char *twice = read_and_write(path, once);
    CHECK(strcmp(once, twice) == 0);
    CHECK_EQ_INT(mb_json_parse(&before, (const char *)bytes.data, NULL), MB_OK);
    CHECK_EQ_INT(mb_json_parse(&after, once, NULL), MB_OK);
    if (find_difference(before.root, after.root, where)) {
        fprintf(stderr, "%s%s\n", path, where);
        CHECK(false);
    }
    mb_json_finish(&before);
    mb_json_finish(&after);
    mb_bytes_finish(&bytes);
    mb_free(once);
    mb_free(twice);
}

int main(int argc, char **argv)
{
    glob_t found = {0};
    CHECK(argc == 2 && glob(argv[1], 0, NULL, &found) == 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        check_file(found.gl_pathv[i]);
    }
    globfree(&found);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return check_summary(__FILE__);
}
