/* Replaces each folder among the inputs by its images. */
#include "cli/options/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/path.h"
#include "base/text.h"
#include "image/image.h"
#include "image/pattern.h"

static bool is_folder(const char *path)
{
    struct stat info;
    return !mb_pattern_is_spec(path) && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static int compare_paths(const void *a, const void *b)
{
    return mb_natural_compare(*(char *const *)a, *(char *const *)b);
}

static enum mb_status add_image(struct mb_strlist *images, const char *folder, const char *name,
                                struct mb_err *err)
{
    if (name[0] == '.' || !mb_image_has_suffix(name)) {
        return MB_OK;
    }
    char *path = mb_path_join(folder, name);
    if (path == NULL) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s: out of memory", folder);
    }
    const enum mb_status status =
        is_file(path) ? mb_strlist_add(images, path, strlen(path), err) : MB_OK;
    mb_free(path);
    return status;
}

/* Append the images of one folder. */
static enum mb_status add_folder(struct mb_strlist *images, const char *folder,
                                 struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const size_t n_before = images->n;
    DIR *entries = opendir(folder);
    if (entries == NULL) {
        return MB_FAIL(err, MB_ERRC_INPUT, "%s: cannot read this folder: %s", folder,
                       strerror(errno));
    }
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        MB_TRY(add_image(images, folder, entry->d_name, err));
    }
    if (images->n == n_before) {
        status = MB_FAIL(err, MB_ERRC_INPUT, "%s: no images in this folder", folder);
        mb_err_hint(err, "looked for " MB_IMAGE_SUFFIXES ", and not in folders within it");
        goto fail;
    }
    qsort(images->items + n_before, images->n - n_before, sizeof *images->items, compare_paths);
fail:
    closedir(entries);
    return status;
}

enum mb_status mb_folders_expand(struct mb_strlist *inputs, struct mb_err *err)
{
    struct mb_strlist all = {0};
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < inputs->n; i++) {
        const char *input = inputs->items[i];
        MB_TRY(is_folder(input) ? add_folder(&all, input, err)
                                : mb_strlist_add(&all, input, strlen(input), err));
    }
    mb_strlist_finish(inputs);
    *inputs = all;
    return MB_OK;
fail:
    mb_strlist_finish(&all);
    return status;
}
