/* The cells of one image: verify, time under each condition, and verify again every strategy.
 */
#ifndef MB_BENCH_CELL_H
#define MB_BENCH_CELL_H

#include "bench/plan.h"
#include "bench/result.h"
#include "bench/verify.h"
#include "bench/ruler.h"

/* What the caller hears and decides while a cell runs; all required. */
struct mb_hooks {
    void *user;
    /* True once the user wants to stop: the sample in flight is finished, whole blocks are
     * kept. */
    bool (*is_interrupted)(void *user);
    /* A step without a count begins: "verifying". `label` is the strategy's. */
    void (*on_step)(void *user, const char *label, const char *step);
    /* `n_done` of `n_total` blocks of `n_candidates` strategies are sampled. */
    void (*on_block)(void *user, size_t n_candidates, uint32_t n_done, uint32_t n_total);
    /* The chain of `result` as read back, a packed block of cell->layout, after its last
     * verification; the hook may write files of it and note them in the result. `verifier` is
     * NULL with settings->verify off. */
    enum mb_status (*on_chain)(void *user, const struct mb_cell *cell, struct mb_result *result,
                               const void *block, struct mb_verifier *verifier,
                               struct mb_err *err);
};

struct mb_cell_options {
    const struct mb_gpu *gpu;
    const struct mb_settings *settings;
    const struct mb_hooks *hooks;
    const struct mb_row *rows;
    size_t n_rows;
    struct mb_ruler *ruler;
    bool
        shares_pipelines; /* with what the device keeps: for who does not look at setup times */
    bool times_only;      /* no chain is read back: with settings->verify off */
};

/* Run every row on `source` (level 0 of every layer, of the cells' layout) and fill the results
 * of `cells[n_cells]`, which differ in cache and mode only; layout, n_image_levels, is_cube,
 * the task, its compulsory bytes and the input's names are the caller's. A strategy that cannot
 * run is a skipped result; one that is wrong is a failed result; neither fails the function.
 * `*is_complete` is false if the user interrupted it: then only results with samples of whole
 * blocks are there, or none. Failures (Vulkan, memory) are MB_ERRC_RUNTIME; the cells are to be
 * finished by the caller. */
MB_MUST_CHECK enum mb_status mb_cell_run(const struct mb_cell_options *options,
                                         const void *source, struct mb_cell *cells,
                                         size_t n_cells, bool *is_complete, struct mb_err *err);

#endif
