/* Replaces each folder among the inputs by its images. */
#include "cli/options/folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os.h"
#include "base/text.h"
#include "image/image.h"
#include "image/pattern.h"

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
        MB_FAIL(err, MB_ERRC_INPUT, "%s: no images in this folder", folder);
        return mb_err_hint(err,
                           "looked for " MB_IMAGE_SUFFIXES ", and not in folders within it");
    }
    qsort(images->items + n_before, images->n - n_before, sizeof *images->items, compare_paths);
    return MB_OK;
}

enum mb_status mb_folders_to_results(struct mb_strlist *inputs, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) all = {0};
    for (size_t i = 0; i < inputs->n; i++) {
        const char *input = inputs->items[i];
        const bool is_folder = mb_os_kind(input) == MB_KIND_FOLDER;
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
        MB_DO(!mb_pattern_is_spec(input) && mb_os_kind(input) == MB_KIND_FOLDER
                  ? add_folder(&all, input, err)
                  : mb_strlist_add(&all, err, "%s", input));
    }
    mb_strlist_finish(inputs);
    *inputs = all;
    all = (struct mb_strlist){0};
    return MB_OK;
}
