/* Running the program's main in a child of this process, and what it left in its folder. */
#pragma once

#include "fault.h"

#define MB_SANDBOX_MAX_ARGS  48u
#define MB_SANDBOX_MAX_FILES 160u

/* How a run ended. */
struct mb_outcome {
    int signal;                  /* that killed it; SIGALRM: it hung; 0: none */
    int exit_code;               /* without a signal */
    char out[16384], err[16384]; /* what it printed, as far as it fits */
};

struct mb_snapshot_file {
    char path[200];
    uint64_t digest;
    size_t n_bytes;
};

/* The files below a folder. */
struct mb_snapshot {
    size_t n_files;
    struct mb_snapshot_file files[MB_SANDBOX_MAX_FILES];
};

/* Make a folder of its own and go there; false if that cannot be. */
bool mb_sandbox_enter(void);

/* Leave the folder and remove it with all that is in it. */
void mb_sandbox_leave(void);

/* Remove everything below `path`, and `path`. */
void mb_sandbox_remove(const char *path);

/* Run `mipbench args...` (NULL-terminated) with a fault. The log tells of it afterwards. */
void mb_sandbox_run(const char *const *args, const struct mb_fault *fault,
                    enum mb_fault_kind recorded, struct mb_outcome *outcome);

/* The files in the working folder and below, sorted by path. */
void mb_snapshot_take(struct mb_snapshot *snapshot);

/* Forget pictures and texture files that are gone: they may have made room for results.json. */
void mb_snapshot_forget_removed(struct mb_snapshot *snapshot);

/* What is wrong with the working folder after a run, in words; "" if nothing is. Each file of
 * `before` is there as it was, or whole and new; none is there besides, but those of `allowed`
 * (may be NULL), whole. Temporary files are allowed with `may_litter`. `now` is the new state.
 */
void mb_snapshot_judge(const struct mb_snapshot *before, const struct mb_snapshot *allowed,
                       bool may_litter, struct mb_snapshot *now, char *why, size_t why_bytes);

/* Remove the temporary files that the judgement allowed. */
void mb_snapshot_sweep(const struct mb_snapshot *snapshot);

/* Lines of `text` that begin with `prefix`. */
unsigned mb_count_lines(const char *text, const char *prefix);
