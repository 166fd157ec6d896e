/* Replaces each folder among the inputs by its images, and a list by what it names. */
#include "cli/options/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/path.h"
#include "base/text.h"
#include "image/image.h"
#include "image/pattern.h"

#define MAX_LIST_BYTES (16u * 1024u * 1024u)
#define STDIN_FD       0

static int compare_paths(const void *a, const void *b)
{
    return mb_natural_compare(*(char *const *)a, *(char *const *)b);
}

static const char *slash_after(const char *folder)
{
    const size_t n_bytes = strlen(folder);
    return n_bytes > 0 && folder[n_bytes - 1] == '/' ? "" : "/";
}

/* Sort what a folder added, from `first` on. */
static void sort_from(struct mb_strlist *paths, size_t first)
{
    if (paths->n > first) {
        qsort(paths->items + first, paths->n - first, sizeof *paths->items, compare_paths);
    }
}

static enum mb_status add_image(struct mb_strlist *images, const char *folder, const char *name,
                                struct mb_err *err)
{
    char path[MB_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s%s", folder, slash_after(folder), name);
    const bool is_image =
        name[0] != '.' && mb_image_has_suffix(name) && mb_os_kind(path) == MB_KIND_FILE;
    return is_image ? mb_strlist_add(images, err, "%s", path) : MB_OK;
}

/* Append the images of one folder. */
static enum mb_status add_folder(struct mb_strlist *images, const char *folder,
                                 struct mb_err *err)
{
    const size_t n_before = images->n;
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(folder, MB_ERRC_INPUT, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        MB_DO(add_image(images, folder, names.items[i], err));
    }
    if (images->n == n_before) {
        char results[MB_PATH_BYTES];
        snprintf(results, sizeof results, "%s%sresults.json", folder, slash_after(folder));
        MB_FAIL(err, MB_ERRC_INPUT, "%s: no images in this folder", folder);
        return mb_os_kind(results) == MB_KIND_FILE
                   ? mb_err_hint(err, "it has results: mipbench report %.80s", folder)
                   : mb_err_hint(err, "looked for " MB_IMAGE_SUFFIXES
                                      ", and not in folders within it");
    }
    sort_from(images, n_before);
    return MB_OK;
}

/* Standard input to its end; a zero follows. Owned by the caller: mb_free. */
MB_MUST_CHECK static enum mb_status read_stdin(char **text, size_t *n_bytes, struct mb_err *err)
{
    *n_bytes = 0;
    for (size_t room = 4096; room <= MAX_LIST_BYTES; room *= 2) {
        size_t n_read = 0;
        char *const larger = mb_realloc(*text, room + 1);
        MB_DO(MB_NEED(larger, "list of inputs"));
        *text = larger;
        const int error = mb_os_read(STDIN_FD, larger + *n_bytes, room - *n_bytes, &n_read);
        MB_FAIL_IF(error != 0, err, MB_ERRC_INPUT, "standard input: %s",
                   mb_os_error_text(error));
        *n_bytes += n_read;
        if (*n_bytes < room) {
            larger[*n_bytes] = '\0';
            return MB_OK;
        }
    }
    return MB_FAIL(err, MB_ERRC_INPUT, "standard input: more than 16 MiB of paths");
}

static enum mb_status add_lines(struct mb_strlist *inputs, char *text, struct mb_err *err)
{
    for (char *line = text, *next; line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL) {
            *next++ = '\0';
        }
        const size_t n_bytes = strlen(line);
        if (n_bytes > 0 && line[n_bytes - 1] == '\r') {
            line[n_bytes - 1] = '\0';
        }
        if (line[strspn(line, " \t")] != '\0') {
            MB_DO(mb_strlist_add(inputs, err, "%s", line));
        }
    }
    return MB_OK;
}

static enum mb_status add_stdin(struct mb_strlist *inputs, struct mb_err *err)
{
    MB_FREED char *text = NULL;
    size_t n_bytes = 0;
    const size_t n_before = inputs->n;
    MB_DO(read_stdin(&text, &n_bytes, err));
    MB_FAIL_IF(strlen(text) != n_bytes, err, MB_ERRC_INPUT,
               "standard input: no list of paths: a zero byte is in it");
    MB_DO(add_lines(inputs, text, err));
    MB_FAIL_IF(inputs->n == n_before, err, MB_ERRC_INPUT, "standard input: no paths on it");
    return MB_OK;
}

enum mb_status mb_lists_expand(struct mb_strlist *inputs, struct mb_err *err)
{
    bool is_read = false, has_list = false;
    MB_SCOPED(mb_strlist) all = {0};
    for (size_t i = 0; i < inputs->n; i++) {
        has_list |= strcmp(inputs->items[i], "@-") == 0;
    }
    if (!has_list) {
        return MB_OK;
    }
    for (size_t i = 0; i < inputs->n; i++) {
        const bool is_list = strcmp(inputs->items[i], "@-") == 0;
        MB_FAIL_IF(is_list && is_read, err, MB_ERRC_USAGE, "@-: given twice");
        MB_DO(is_list ? add_stdin(&all, err)
                      : mb_strlist_add(&all, err, "%s", inputs->items[i]));
        is_read |= is_list;
    }
    mb_strlist_finish(inputs);
    *inputs = all;
    all = (struct mb_strlist){0};
    return MB_OK;
}

static bool is_set_run(const char *name)
{
    const size_t n = strlen(MB_SET_RUN);
    return strncmp(name, MB_SET_RUN, n) == 0 && name[n] != '\0' &&
           name[n + strspn(name + n, "0123456789")] == '\0';
}

char *mb_set_run_folder(const char *dir, uint32_t run)
{
    char name[24];
    snprintf(name, sizeof name, MB_SET_RUN "%u", run);
    return mb_path_join(dir, name);
}

enum mb_status mb_set_results(const char *folder, enum mb_errc code, struct mb_strlist *results,
                              struct mb_err *err)
{
    const size_t n_before = results->n;
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(folder, code, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        char path[MB_PATH_BYTES];
        snprintf(path, sizeof path, "%s%s%s/results.json", folder, slash_after(folder),
                 names.items[i]);
        if (is_set_run(names.items[i]) && mb_os_kind(path) == MB_KIND_FILE) {
            MB_DO(mb_strlist_add(results, err, "%s", path));
        }
    }
    sort_from(results, n_before);
    return MB_OK;
}

/* Append every .json that is directly in a folder, in natural order: a kept set has its runs
 * so. */
static enum mb_status add_json(struct mb_strlist *results, const char *folder,
                               struct mb_err *err)
{
    const size_t n_before = results->n;
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(folder, MB_ERRC_INPUT, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        const char *suffix = strrchr(names.items[i], '.');
        if (names.items[i][0] != '.' && suffix && strcmp(suffix, ".json") == 0) {
            MB_DO(mb_strlist_add(results, err, "%s%s%s", folder, slash_after(folder),
                                 names.items[i]));
        }
    }
    if (results->n == n_before) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: no results in this folder", folder);
        return mb_err_hint(err, "measure first: mipbench IMAGE -o %.80s", folder);
    }
    sort_from(results, n_before);
    return MB_OK;
}

/* Append what a folder of results stands for. */
static enum mb_status add_results(struct mb_strlist *results, const char *folder,
                                  struct mb_err *err)
{
    const size_t n_before = results->n;
    char own[MB_PATH_BYTES];
    snprintf(own, sizeof own, "%s%sresults.json", folder, slash_after(folder));
    MB_DO(mb_set_results(folder, MB_ERRC_INPUT, results, err));
    if (results->n == n_before) {
        return mb_os_kind(own) == MB_KIND_NONE ? add_json(results, folder, err)
                                               : mb_strlist_add(results, err, "%s", own);
    }
    MB_FAIL_IF(mb_os_kind(own) != MB_KIND_NONE, err, MB_ERRC_INPUT,
               "%s: has a set of runs, and a results.json beside it; name one of them", folder);
    return MB_OK;
}

enum mb_status mb_folders_to_results(struct mb_strlist *inputs, size_t *n_first,
                                     struct mb_err *err)
{
    const size_t n_first_inputs = *n_first;
    MB_SCOPED(mb_strlist) all = {0};
    for (size_t i = 0; i < inputs->n; i++) {
        const char *input = inputs->items[i];
        MB_DO(mb_os_kind(input) == MB_KIND_FOLDER ? add_results(&all, input, err)
                                                  : mb_strlist_add(&all, err, "%s", input));
        *n_first = i + 1 == n_first_inputs ? all.n : *n_first;
    }
    mb_strlist_finish(inputs);
    *inputs = all;
    all = (struct mb_strlist){0};
    return MB_OK;
}

enum mb_status mb_folders_expand(struct mb_strlist *inputs, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) all = {0};
    for (size_t i = 0; i < inputs->n; i++) {
        const char *input = inputs->items[i];
        MB_DO(!mb_pattern_is_spec(input) && mb_os_kind(input) == MB_KIND_FOLDER
                  ? add_folder(&all, input, err)
                  : mb_strlist_add(&all, err, "%s", input));
    }
    mb_strlist_finish(inputs);
    *inputs = all;
    all = (struct mb_strlist){0};
    return MB_OK;
}
