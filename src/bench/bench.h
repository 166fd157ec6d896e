/* A whole run: inputs x sizes, each a case. */
#pragma once

#include "bench/case.h"
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

/* Fill run->id, utc, host, device, settings; there are no cases. What cannot be read of the
 * host is "unknown" (the number of cores: 0). */
void mb_run_init(struct mb_run *run, const struct mb_gpu *gpu,
                 const struct mb_settings *settings, int argc, const char *const *argv);

/* Measure the instrument by the settings of the run, and note what was found. */
MB_MUST_CHECK enum mb_status mb_run_calibrate(struct mb_run *run, const struct mb_gpu *gpu,
                                              const struct mb_hooks *hooks,
                                              struct mb_calibration *calibration,
                                              struct mb_err *err);

/* Run every case, by the settings, hooks and rows of the options, and append it to `run`. An
 * interrupted run returns MB_OK with run->complete false and exit_reason "interrupted"; a case
 * that was cut short is kept if its strategies have samples. After a failure what was complete
 * before is in `run`. */
MB_MUST_CHECK enum mb_status mb_bench_run(const struct mb_case_options *options,
                                          const struct mb_gpu *gpu, struct mb_inputs *inputs,
                                          struct mb_run *run, struct mb_err *err);

/* The exit code that the results ask for: MB_ERRC_VERIFY, MB_ERRC_RUNTIME (a strategy that
 * could not be set up), MB_ERRC_UNSUPPORTED (a strategy asked for by name, or every strategy of
 * a case) or MB_ERRC_NONE. RUNTIME and UNSUPPORTED are a failure, too, with the reason of the
 * first row that they are about, of those asked for by name if there are any; where that
 * `is_told` beside it, only with the row. */
MB_MUST_CHECK enum mb_status mb_run_exit_code(const struct mb_run *run,
                                              const struct mb_variant *rows, bool is_told,
                                              enum mb_errc *verdict, struct mb_err *err);
