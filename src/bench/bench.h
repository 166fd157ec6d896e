/* A whole run: every input in every format at every size is a case. */
#pragma once

#include "bench/case.h"
#include "bench/inputs.h"

/* How many images the settings ask for: inputs x formats x sizes. */
static inline size_t mb_bench_n_images(const struct mb_settings *settings)
{
    return settings->n_inputs * mb_settings_n_images(settings);
}

/* Fill in what is known of a run before its first case: the command, the host, the device. If a
 * property of the host cannot be read, it is "unknown" (the number of cores: 0). */
void mb_run_init(struct mb_run *run, const struct mb_gpu *gpu,
                 const struct mb_settings *settings, int argc, const char *const *argv);

/* Run every case by the settings, hooks and rows of the options, and append it to `run`. An
 * interrupted run returns MB_OK with run->complete false and exit_reason "interrupted"; a case
 * that was cut short is kept if it has samples. After a failure `run` holds the cases that were
 * complete. */
MB_MUST_CHECK enum mb_status mb_bench_run(const struct mb_case_options *options,
                                          const struct mb_gpu *gpu, struct mb_inputs *inputs,
                                          struct mb_run *run, struct mb_err *err);

/* Fail with the exit code that the results call for: MB_ERRC_VERIFY if a chain is wrong;
 * MB_ERRC_RUNTIME if a strategy failed otherwise; MB_ERRC_UNSUPPORTED if a strategy asked for
 * by name, or every strategy of a case, cannot run, or if nothing was timed. The error has the
 * reason of the first row that calls for this code. */
MB_MUST_CHECK enum mb_status mb_run_exit_code(const struct mb_run *run, struct mb_err *err);
