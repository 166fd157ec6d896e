/* A tuning as a C header that engines include. Pure. */
#ifndef MB_TUNE_LOOKUP_H
#define MB_TUNE_LOOKUP_H

#include "tune/model.h"

/* Newly allocated text (mb_free) for C11 and C++11, on its own: a table of the classes, and a
 * function that looks an image up by format, policy and size. */
MB_MUST_CHECK enum mb_status mb_tune_header(const struct mb_run *run,
                                            const struct mb_tune *tune, char **text,
                                            struct mb_err *err);

#endif
