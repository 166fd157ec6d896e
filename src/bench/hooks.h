/* What the caller of a run asks for, and the hooks by which it follows and stops the run. */
#pragma once

#include "bench/settings.h"
#include "result/result.h"

struct mb_calibration;
struct mb_reference;

/* Calls from a run to its caller; all but on_chain are required. */
struct mb_hooks {
    void *user;
    /* Returns true once the user wants to stop: the run then finishes samples in flight and
     * keeps whole blocks. */
    bool (*is_interrupted)(void *user);
    /* Called when a step without a count begins, such as "verifying". `label` names the
     * strategy. */
    void (*on_step)(void *user, const char *label, const char *step);
    /* Called when `n_done` of `n_total` blocks are sampled, each of `n_candidates` strategies.
     * */
    void (*on_block)(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total);
    /* The chain of `result`, read back after its last verification as a packed block of
     * c->layout; the hook may write it to files and note the files in the result. `reference`
     * is NULL with settings->verify off. */
    enum mb_status (*on_chain)(void *user, const struct mb_case *c, struct mb_result *result,
                               const void *block, struct mb_reference *reference,
                               struct mb_err *err);
    /* Called before each case, `index` counting from 0, and after it: `c` is then the last of
     * `run`. */
    void (*on_case_begin)(void *user, size_t index);
    enum mb_status (*on_case_done)(void *user, const struct mb_run *run,
                                   const struct mb_case *c, struct mb_err *err);
};

struct mb_case_options {
    /* Runs a case: mb_case_run(), or a function that calls it once or more. */
    enum mb_status (*run)(const struct mb_case_options *options, const void *source,
                          struct mb_case *c, bool *is_complete, struct mb_err *err);
    const struct mb_settings *settings;
    const struct mb_hooks *hooks;
    const struct mb_variant *rows;
    size_t n_rows;
    const char *const *left_out; /* [n_rows] why not to run the row, or NULL; NULL: run all */
    const struct mb_condition *conditions;
    size_t n_conditions; /* at least 1 */
    struct mb_calibration *calibration;
    bool shares_pipelines; /* reuse kept pipelines, as setup times do not matter */
};
