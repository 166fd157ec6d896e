/* First runs of kernels of manifests, in a process of their own: one that hangs, crashes, or
 * writes where it must not takes nothing else with it.
 *
 * The child has the same command line, and serves requests: it runs one variant on one image,
 * verified and not timed, and says how that ended. One that ends with it is started again for
 * the next request. */
#pragma once

#include "base/os.h"
#include "cli/options/options.h"
#include "result/result.h"

struct mb_trial_outcome {
    char *request; /* owned */
    struct mb_err why;
    bool has_passed;
};

/* Zero, but for the first two, is one that has no child yet. */
struct mb_trial {
    const struct mb_options *options;
    bool (*is_interrupted)(void *user); /* with NULL; what runs then is ended at once */
    struct mb_os_child child;
    bool is_running;
    struct mb_trial_outcome *outcomes; /* of all requests so far, owned */
    size_t n_outcomes;
};

/* MB_OK if the variant runs on such an image of `input`; also where it is wrong, which
 * verification tells. MB_ERRC_RUNTIME with what became of it if not. Asked again, it answers
 * the same. */
MB_MUST_CHECK enum mb_status mb_trial_run(struct mb_trial *trial, const char *input,
                                          const struct mb_case *c, const struct mb_variant *row,
                                          struct mb_err *err);
void mb_trial_finish(struct mb_trial *trial);

/* Whether this process is such a child, and what it does. */
bool mb_trial_is_child(void);
MB_MUST_CHECK enum mb_status mb_trial_serve(const struct mb_options *options,
                                            struct mb_err *err);
