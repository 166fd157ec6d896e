/* Reading results.json: what kind of file it is, and what mb_run_fields() only writes. */
#include "result/result_read.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"
#include "result/result_json.h"

#define KNOWN_MAJOR 2

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
    for (const struct cJSON *arg = mb_json_elements(node, "argv"); arg; arg = arg->next) {
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
         kernel = kernel->next) {
        const char *name = mb_json_read_string(kernel, "strategy");
        const char *sha256 = mb_json_read_string(kernel, "sha256");
        if (name && sha256) {
            MB_DO(mb_strlist_add(&run->kernels, err, "%.40s %.64s", name, sha256));
        }
        for (const struct cJSON *module = mb_json_members(kernel, "modules"); module;
             module = module->next) {
            const char *digest = mb_json_read_string(module, NULL);
            if (digest) {
                MB_DO(mb_strlist_add(&run->kernels, err, "%.*s %.64s", MB_MODULE_NAME_BYTES,
                                     module->string, digest));
            }
        }
    }
    return MB_OK;
}

static enum mb_status read_root(struct mb_run *run, const struct cJSON *root,
                                struct mb_err *err)
{
    struct mb_field_reader reader = {.texts = &run->texts};
    MB_DO(check_schema(run, root, err));
    MB_DO(read_kernels(run, mb_json_get(root, "run"), err));
    MB_DO(read_argv(run, mb_json_get(root, "run"), err));
    MB_FAIL_IF(!cJSON_IsArray(mb_json_get(root, "cases")), err, MB_ERRC_INPUT,
               "%s: it has no cases", run->path);
    mb_run_fields((struct mb_node){.reader = &reader, .in = root}, run);
    MB_FAIL_IF(reader.why[0] != '\0', err, MB_ERRC_INPUT, "%s: %s", run->path, reader.why);
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
