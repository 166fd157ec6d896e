/* What the caller of a run wants, and how it is told where the run is and asked whether to go
 * on. */
#pragma once

#include "bench/settings.h"
#include "result/result.h"

struct mb_calibration;
struct mb_reference;

/* What the caller hears and decides while a case runs; all but on_chain required. */
struct mb_hooks {
    void *user;
    /* True once the user wants to stop: the sample in flight is finished, whole blocks are
     * kept. */
    bool (*is_interrupted)(void *user);
    /* A step without a count begins: "verifying". `label` is the strategy's. */
    void (*on_step)(void *user, const char *label, const char *step);
    /* `n_done` of `n_total` blocks of `n_candidates` strategies are sampled. */
    void (*on_block)(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total);
    /* The chain of `result` as read back, a packed block of c->layout, after its last
     * verification; the hook may write files of it and note them in the result. `reference` is
     * NULL with settings->verify off. NULL: nobody wants it. */
    enum mb_status (*on_chain)(void *user, const struct mb_case *c, struct mb_result *result,
                               const void *block, struct mb_reference *reference,
                               struct mb_err *err);
    /* Of a run: before each case (`index` counts from 0), and after it: it is the last of the
     * run then. */
    void (*on_case_begin)(void *user, size_t index);
    enum mb_status (*on_case_done)(void *user, const struct mb_run *run,
                                   const struct mb_case *c, struct mb_err *err);
};

struct mb_case_options {
    const struct mb_settings *settings;
    const struct mb_hooks *hooks;
    const struct mb_variant *rows;
    size_t n_rows;
    const char *const *left_out; /* of each row: why it is not run, or NULL; NULL: all are */
    const struct mb_condition *conditions;
    size_t n_conditions; /* at least 1 */
    struct mb_calibration *calibration;
    bool shares_pipelines; /* with what the device keeps: where setup times do not matter */
};
