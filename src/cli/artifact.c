/* One way for all files of the output folder. */
#include "cli/artifact.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

static enum mb_status check_inputs(const char *path, const struct mb_settings *settings,
                                   struct mb_err *err)
{
    if (mb_os_kind(path) == MB_KIND_NONE) {
        return MB_OK; /* not there yet, as the inputs are */
    }
    for (size_t i = 0; i < settings->n_inputs; i++) {
        MB_FAIL_IF(mb_os_is_same_file(path, settings->inputs[i]), err, MB_ERRC_OUTPUT,
                   "%s: is an input, and is not replaced", path);
    }
    return MB_OK;
}

enum mb_status mb_artifact_write(const struct mb_artifacts *artifacts,
                                 const struct mb_bytes *bytes, struct mb_strlist *written,
                                 struct mb_err *err, const char *fmt, ...)
{
    char relative[MB_PATH_BYTES], folder[MB_PATH_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(relative, sizeof relative, fmt, args);
    va_end(args);
    MB_FREED char *path = mb_path_join(artifacts->dir, relative);
    MB_DO(MB_NEED(path, relative));
    mb_path_parent(path, folder);
    MB_DO(check_inputs(path, artifacts->settings, err));
    MB_DO(mb_make_dirs(folder, err));
    MB_DO(mb_file_write_atomic(path, bytes->data, bytes->n_bytes, err));
    return written ? mb_strlist_add(written, err, "%s", relative) : MB_OK;
}
