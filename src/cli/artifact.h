/* What a run leaves in its output folder beside its results: pictures and texture files. */
#pragma once

#include "base/file.h"
#include "base/strlist.h"
#include "bench/settings.h"

struct mb_artifacts {
    const char *dir;                    /* the output folder */
    const struct mb_settings *settings; /* its inputs are never replaced */
};

/* Write `bytes` to DIR/PATH with PATH as formatted; its folder is made. `written` notes PATH,
 * unless it is NULL. What cannot be written, or is an input, is MB_ERRC_OUTPUT. */
MB_PRINTF(5, 6)
MB_MUST_CHECK enum mb_status mb_artifact_write(const struct mb_artifacts *artifacts,
                                               const struct mb_bytes *bytes,
                                               struct mb_strlist *written, struct mb_err *err,
                                               const char *fmt, ...);
