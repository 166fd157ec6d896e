/* What is recorded of a run before its cases: the command, the host, the device, its limits. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/os.h"
#include "base/text.h"

/* Record the working folder; "" if it is too long. */
static void note_folder(struct mb_run *run)
{
    char folder[MB_PATH_BYTES];
    mb_os_working_folder(folder);
    const bool fits = strlen(folder) < sizeof run->folder;
    strcpy(run->folder, fits ? folder : "");
}

void mb_run_init(struct mb_run *run, const struct mb_gpu *gpu,
                 const struct mb_settings *settings, int argc, const char *const *argv)
{
    const time_t now = time(NULL);
    char device[40];
    *run = (struct mb_run){
        .argc = argc,
        .argv = argv,
        .table = settings->table,
        .settings = settings,
        .seed = settings->seed,
        .verify = settings->verify,
        .validate = settings->validate,
        .device = gpu->info,
        .exit_reason = "error",
        .timer =
            {
                .source = "timestamp_query",
                .period_ns = gpu->info.timestamp_period_ns,
                .valid_bits = gpu->info.timestamp_valid_bits,
                .granularity_ns = (double)NAN,
                .granularity_gcd_ns = (double)NAN,
                .empty_pair_ns = (double)NAN,
                .probe_ns = (double)NAN,
            },
        .roofline = mb_no_roofline,
    };
    note_folder(run);
    mb_os_describe_host(&run->host);
    strftime(run->utc, sizeof run->utc, "%Y%m%dT%H%M%SZ", gmtime(&now));
    mb_slug(gpu->info.name, device, sizeof device);
    snprintf(run->id, sizeof run->id, "%s-%s", run->utc, device);
}

enum mb_status mb_run_calibrate(struct mb_run *run, const struct mb_gpu *gpu,
                                const struct mb_hooks *hooks,
                                struct mb_calibration *calibration, struct mb_err *err)
{
    hooks->on_step(hooks->user, "device", "measuring its limits");
    MB_DO(mb_calibration_init(calibration, gpu, run->settings, hooks, err));
    run->timer.empty_pair_ns = calibration->marks.empty_pair_ns;
    run->timer.granularity_ns = calibration->marks.granularity_ns;
    run->timer.granularity_gcd_ns = calibration->marks.granularity_gcd_ns;
    run->timer.probe_ns = calibration->probe_ns;
    run->roofline = calibration->roofline;
    return MB_OK;
}
