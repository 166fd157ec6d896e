/* What a command line has written, and that none of it replaces another part of it or an input:
 * told by what the files are, not by how they are spelt. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "cli/option_parse.h"

#define MAX_FILES 6

/* A file to be written, and what asks for it. */
struct file {
    const char *name; /* "--csv", or of the output folder "results.json of --out" */
    const char *path; /* NULL: not asked for */
};

struct files {
    struct file file[MAX_FILES];
    size_t n;
    char *owned[MAX_FILES]; /* paths that were put together */
    size_t n_owned;
};

static void add(struct files *files, const char *name, const char *path)
{
    if (path != NULL) {
        files->file[files->n++] = (struct file){.name = name, .path = path};
    }
}

/* A file of the output folder, if that is chosen: one that is made for the run is new. */
static enum mb_status add_in_folder(struct files *files, const char *dir, const char *label,
                                    const char *name, struct mb_err *err)
{
    if (dir == NULL) {
        return MB_OK;
    }
    char *path = mb_path_join(dir, name);
    if (path == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", label);
    }
    files->owned[files->n_owned++] = path;
    add(files, label, path);
    return MB_OK;
}

static enum mb_status gather(const struct mb_options *options, struct files *files,
                             struct mb_err *err)
{
    enum mb_status status;
    const char *dir = options->out_dir;
    if (options->verb == MB_VERB_LIST || options->verb == MB_VERB_EXPORT) {
        return MB_OK; /* no input, and no two files of one name */
    }
    add(files, "--json", options->json);
    add(files, "--csv", options->csv);
    add(files, "--markdown", options->markdown);
    MB_TRY(add_in_folder(files, dir, "results.json of --out", "results.json", err));
    if (options->wants_report) {
        MB_TRY(add_in_folder(files, dir, "report.html of --out", "report.html", err));
    }
    if (options->verb == MB_VERB_TUNE) {
        MB_TRY(add_in_folder(files, dir, "tune.json of --out", "tune.json", err));
        MB_TRY(add_in_folder(files, dir, "mipbench_tuned.h of --out", "mipbench_tuned.h", err));
    }
    return MB_OK;
fail:
    return status;
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static enum mb_status check_pair(const struct file *a, const struct file *b, struct mb_err *err)
{
    if (is_stdout(a->path) && is_stdout(b->path)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "%s and %s both go to '-'", a->name, b->name);
    }
    if (!is_stdout(a->path) && !is_stdout(b->path) && mb_file_is_same(a->path, b->path)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "%s and %s name the same file, '%s'", a->name,
                       b->name, b->path);
    }
    return MB_OK;
}

/* What is read would be lost. */
static enum mb_status check_input(const struct files *files, const char *name, const char *path,
                                  struct mb_err *err)
{
    const struct file input = {.name = name, .path = path};
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < files->n && !is_stdout(path) && status == MB_OK; i++) {
        status = check_pair(&files->file[i], &input, err);
    }
    return status;
}

static enum mb_status check_all(const struct mb_options *options, struct files *files,
                                struct mb_err *err)
{
    enum mb_status status;
    const char *replayed = options->replay.recorded.path;
    MB_TRY(gather(options, files, err));
    for (size_t i = 0; i < files->n; i++) {
        for (size_t k = 0; k < i; k++) {
            MB_TRY(check_pair(&files->file[k], &files->file[i], err));
        }
    }
    if (replayed != NULL) {
        MB_TRY(check_input(files, "--replay", replayed, err));
    }
    for (size_t i = 0; i < options->settings.n_inputs; i++) {
        MB_TRY(check_input(files, "an input", options->settings.inputs[i], err));
    }
    return MB_OK;
fail:
    return status;
}

enum mb_status mb_option_check_outputs(const struct mb_options *options, struct mb_err *err)
{
    struct files files = {.n = 0};
    const enum mb_status status = check_all(options, &files, err);
    for (size_t i = 0; i < files.n_owned; i++) {
        mb_free(files.owned[i]);
    }
    return status;
}
