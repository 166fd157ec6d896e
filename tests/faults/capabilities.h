/* What a device may lack, and what the program has to make of it. */
#pragma once

#include "disguise.h"

/* A device that lacks something. */
struct mb_lack {
    const char *name;
    struct mb_edit edits[MB_MAX_EDITS];
    const char *args[4];    /* besides those of each run */
    const char *strategies; /* NULL: all */
    /* Strategies, by spaces, that must be skipped, and those that the golden model must find
     * wrong, for the device says what is not so; all others must work. NULL: none. */
    const char *skipped, *failed;
    /* Those that are right, but whose times cannot be; and whether samples of the others are
     * taken again. */
    const char *untimed;
    bool drops;
    const char *reason; /* of one skipped or untimed, or of the exit code, in part; NULL: any */
    int exit_code;      /* 0: 5 with any that are skipped, for they were asked for by name */
};

extern const struct mb_lack mb_lacks[];
extern const size_t mb_n_lacks;
