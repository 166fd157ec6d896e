/* Replaces each folder among the inputs by its images. */
#include "cli/options/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "image/image.h"
#include "image/pattern.h"

static bool is_of_kind(const char *path, mode_t kind)
{
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

static int compare_paths(const void *a, const void *b)
{
    return mb_natural_compare(*(char *const *)a, *(char *const *)b);
}

static const char *slash_after(const char *folder)
{
    const size_t n_bytes = strlen(folder);
    return n_bytes > 0 && folder[n_bytes - 1] == '/' ? "" : "/";
}

static enum mb_status add_image(struct mb_strlist *images, const char *folder, const char *name,
                                struct mb_err *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s%s", folder, slash_after(folder), name);
    const bool is_image =
        name[0] != '.' && mb_image_has_suffix(name) && is_of_kind(path, S_IFREG);
    return is_image ? mb_strlist_add(images, err, "%s", path) : MB_OK;
}

/* Append the images of one folder. */
static enum mb_status add_folder(struct mb_strlist *images, const char *folder,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const size_t n_before = images->n;
    DIR *entries = opendir(folder);
    MB_FAIL_IF(entries == NULL, err, MB_ERRC_INPUT, "%s: cannot read this folder: %s", folder,
               strerror(errno));
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        MB_TRY(add_image(images, folder, entry->d_name, err));
    }
    if (images->n == n_before) {
        MB_FAIL(err, MB_ERRC_INPUT, "%s: no images in this folder", folder);
        MB_TRY(
            mb_err_hint(err, "looked for " MB_IMAGE_SUFFIXES ", and not in folders within it"));
    }
    qsort(images->items + n_before, images->n - n_before, sizeof *images->items, compare_paths);
fail:
    closedir(entries);
    return status;
}

enum mb_status mb_folders_to_results(struct mb_strlist *inputs, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) all = {0};
    for (size_t i = 0; i < inputs->n; i++) {
        const char *input = inputs->items[i];
        const bool is_folder = is_of_kind(input, S_IFDIR);
        MB_DO(mb_strlist_add(&all, err, "%s%s%s", input, is_folder ? slash_after(input) : "",
                             is_folder ? "results.json" : ""));
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
        MB_DO(!mb_pattern_is_spec(input) && is_of_kind(input, S_IFDIR)
                  ? add_folder(&all, input, err)
                  : mb_strlist_add(&all, err, "%s", input));
    }
    mb_strlist_finish(inputs);
    *inputs = all;
    all = (struct mb_strlist){0};
    return MB_OK;
}
