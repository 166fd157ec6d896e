/* A folder for the files of a test. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "check.h"

/* Make one, by its real path, in $TMPDIR. */
static inline void check_make_folder(char out[MB_PATH_BYTES])
{
    char made[MB_PATH_BYTES];
    const char *parent = getenv("TMPDIR");
    snprintf(made, sizeof made, "%.4000s/mipbench-XXXXXX",
             parent && parent[0] ? parent : "/tmp");
    CHECK(mkdtemp(made) != NULL);
    CHECK_EQ_INT(mb_os_resolve(made, out), 0);
}

/* Remove it with its files. */
static inline void check_remove_folder(const char *path)
{
    struct mb_err err = {0};
    MB_SCOPED(mb_strlist) names = {0};
    CHECK_EQ_INT(mb_os_list(path, MB_ERRC_OUTPUT, &names, &err), MB_OK);
    for (size_t i = 0; i < names.n; i++) {
        char file[MB_PATH_BYTES];
        snprintf(file, sizeof file, "%.3000s/%.1000s", path, names.items[i]);
        remove(file);
    }
    CHECK_EQ_INT(rmdir(path), 0);
}
