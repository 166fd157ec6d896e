/* A whole run: inputs x sizes x conditions, each a cell. */
#ifndef MB_BENCH_BENCH_H
#define MB_BENCH_BENCH_H

#include "bench/cell.h"
#include "image/image.h"

/* The inputs of a run, all checked before anything is run. */
struct mb_inputs {
    struct mb_image *images; /* n_inputs; texels NULL where it is loaded again in its turn */
    size_t n_inputs;
};

/* Open every input once, so that a bad one, or a rectangle that does not lie within it, is told
 * before a minute has passed. Up to 1 GiB of texels are kept. */
MB_MUST_CHECK enum mb_status mb_inputs_open(const struct mb_settings *settings,
                                            struct mb_inputs *inputs, struct mb_err *err);
void mb_inputs_finish(struct mb_inputs *inputs);

/* Images that the settings ask for: inputs x sizes. */
size_t mb_bench_n_images(const struct mb_settings *settings);

struct mb_bench_options {
    const struct mb_gpu *gpu;
    const struct mb_settings *settings;
    const struct mb_row *rows;
    size_t n_rows;
    const struct mb_hooks *hooks;
    /* Before each image (`index` counts from 0), and after each of its cells, which is in
     * run->cells then. */
    void (*on_cell_begin)(void *user, size_t index);
    enum mb_status (*on_cell_done)(void *user, const struct mb_run *run,
                                   const struct mb_cell *cell, struct mb_err *err);
};

/* Fill run->id, utc, host, device, settings; cells are empty. */
void mb_run_init(struct mb_run *run, const struct mb_gpu *gpu,
                 const struct mb_settings *settings, int argc, const char *const *argv);

/* Keep what the ruler's own measure was. */
void mb_run_note_ruler(struct mb_run *run, const struct mb_ruler *ruler);

/* Run every cell and append it to `run`. An interrupted run returns MB_OK with run->complete
 * false and exit_reason "interrupted"; a cell that was cut short is kept if its strategies have
 * samples. After a failure what was complete before is in `run`. */
MB_MUST_CHECK enum mb_status mb_bench_run(const struct mb_bench_options *options,
                                          struct mb_inputs *inputs, struct mb_run *run,
                                          struct mb_err *err);

/* The exit code that the results ask for: MB_ERRC_VERIFY, MB_ERRC_RUNTIME (a strategy that
 * could not be set up), MB_ERRC_UNSUPPORTED (a strategy asked for by name, or every strategy of
 * a cell) or MB_ERRC_NONE. */
enum mb_errc mb_run_verdict(const struct mb_run *run, const struct mb_row *rows);

/* The result that a verdict of RUNTIME or UNSUPPORTED is about, first of those asked for by
 * name; NULL for other verdicts. */
const struct mb_result *mb_run_culprit(const struct mb_run *run, const struct mb_row *rows,
                                       enum mb_errc verdict);

#endif
