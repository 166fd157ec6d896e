/* Replaces a folder among the inputs by its images or results. */
#include "cli/options/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/text.h"
#include "image/image.h"
#include "image/pattern.h"

const char *const mb_folder_files[MB_N_FOLDER_FILES] = {"results.json", "report.html",
                                                        "tune.json", "mipbench_tuned.h"};

static int compare_paths(const void *a, const void *b)
{
    return mb_natural_compare(*(char *const *)a, *(char *const *)b);
}

static bool is_image(const char *name)
{
    return name[0] != '.' && mb_image_has_suffix(name);
}

static bool is_json(const char *name)
{
    const char *suffix = strrchr(name, '.');
    return name[0] != '.' && suffix && strcmp(suffix, ".json") == 0;
}

/* For each NAME in a folder that `is_of_kind`, in natural order, append FOLDER/NAME followed by
 * `within` ("/FILE" or ""), if that file exists. If the folder cannot be read, fails with
 * `code`. */
static enum mb_status add_files(struct mb_strlist *paths, const char *folder,
                                bool (*is_of_kind)(const char *name), const char *within,
                                enum mb_errc code, struct mb_err *err)
{
    const size_t n_before = paths->n;
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(folder, code, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        const struct mb_text name = mb_text("%s%s", names.items[i], within);
        MB_FREED char *path = mb_path_join(folder, name.s);
        MB_DO(MB_NEED(path, folder));
        if (is_of_kind(names.items[i]) && mb_os_kind(path) == MB_KIND_FILE) {
            MB_DO(mb_strlist_add(paths, err, "%s", path));
        }
    }
    if (paths->n > n_before) {
        qsort(paths->items + n_before, paths->n - n_before, sizeof *paths->items,
              compare_paths);
    }
    return MB_OK;
}

static enum mb_status add_images(struct mb_strlist *images, const char *folder,
                                 struct mb_err *err)
{
    const size_t n_before = images->n;
    MB_DO(add_files(images, folder, is_image, "", MB_ERRC_INPUT, err));
    if (images->n == n_before) {
        MB_FREED char *results = mb_path_join(folder, "results.json");
        MB_DO(MB_NEED(results, folder));
        MB_FAIL(err, MB_ERRC_INPUT, "%s: no images in this folder", folder);
        return mb_os_kind(results) == MB_KIND_FILE
                   ? mb_err_hint(err, "it has results: mipbench report %.80s", folder)
                   : mb_err_hint(err, "looked for " MB_IMAGE_SUFFIXES
                                      ", and not in folders within it");
    }
    return MB_OK;
}

/* Append an input; a folder stands for its images. */
static enum mb_status add_input(struct mb_strlist *all, const char *input, struct mb_err *err)
{
    return !mb_pattern_is_spec(input) && mb_os_kind(input) == MB_KIND_FOLDER
               ? add_images(all, input, err)
               : mb_strlist_add(all, err, "%s", input);
}

typedef enum mb_status add_fn(struct mb_strlist *all, const char *input, struct mb_err *err);

/* Replace each input by what `add` appends for it. Sets `*n_first` (unless NULL) to the number
 * of items that replace the first input. */
static enum mb_status replace_each(struct mb_strlist *inputs, size_t *n_first, add_fn *add,
                                   struct mb_err *err)
{
    MB_SCOPED(mb_strlist) all = {0};
    for (size_t i = 0; i < inputs->n; i++) {
        MB_DO(add(&all, inputs->items[i], err));
        if (i == 0 && n_first) {
            *n_first = all.n;
        }
    }
    mb_strlist_finish(inputs);
    *inputs = all;
    all = (struct mb_strlist){0};
    return MB_OK;
}

enum mb_status mb_images_expand(struct mb_strlist *inputs, struct mb_err *err)
{
    return replace_each(inputs, NULL, add_input, err);
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
    return add_files(results, folder, is_set_run, "/results.json", code, err);
}

/* Append what a folder of results stands for. */
static enum mb_status add_results(struct mb_strlist *results, const char *folder,
                                  struct mb_err *err)
{
    const size_t n_before = results->n;
    if (mb_os_kind(folder) != MB_KIND_FOLDER) {
        return mb_strlist_add(results, err, "%s", folder);
    }
    MB_FREED char *own = mb_path_join(folder, "results.json");
    MB_DO(MB_NEED(own, folder));
    const bool has_own = mb_os_kind(own) != MB_KIND_NONE;
    MB_DO(mb_set_results(folder, MB_ERRC_INPUT, results, err));
    MB_FAIL_IF(has_own && results->n > n_before, err, MB_ERRC_INPUT,
               "%s: has a set of runs, and a results.json beside it; name one of them", folder);
    if (has_own) {
        return mb_strlist_add(results, err, "%s", own);
    }
    if (results->n == n_before) { /* a set may have been kept as one .json file per run */
        MB_DO(add_files(results, folder, is_json, "", MB_ERRC_INPUT, err));
    }
    if (results->n == n_before) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: no results in this folder", folder);
        return mb_err_hint(err, "measure first: mipbench IMAGE -o %.80s", folder);
    }
    return MB_OK;
}

enum mb_status mb_folders_to_results(struct mb_strlist *inputs, struct mb_err *err)
{
    return replace_each(inputs, NULL, add_results, err);
}

/* Append the results of one side of a comparison: "A.json,B.json". */
static enum mb_status add_side(struct mb_strlist *results, const char *side, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) paths = {0};
    MB_DO(mb_strlist_split(&paths, "compare", side, err));
    for (size_t i = 0; i < paths.n; i++) {
        MB_DO(add_results(results, paths.items[i], err));
    }
    return MB_OK;
}

enum mb_status mb_sides_to_results(struct mb_strlist *sides, size_t *n_base, struct mb_err *err)
{
    return replace_each(sides, n_base, add_side, err);
}
