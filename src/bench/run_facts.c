/* What is noted of a run before its cases: the command, the host, the device, its limits. */
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

/* The rest of the first line of `path` that begins with `key`, without quotes. */
static void read_value(const char *path, const char *key, char *out, size_t out_bytes)
{
    char line[256];
    snprintf(out, out_bytes, "unknown");
    FILE *file = fopen(path, "re");
    if (!file) {
        return;
    }
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0) {
            char *value = line + strlen(key);
            value += strspn(value, " \t:=\"");
            value[strcspn(value, "\"\n")] = '\0';
            mb_utf8_sanitize(value, out, out_bytes);
            break;
        }
    }
    fclose(file);
}

/* From os-release, uname, /proc/cpuinfo and sysconf. */
static void read_host(struct mb_host_info *host)
{
    struct utsname name;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    *host = (struct mb_host_info){.n_cores = n_cores > 0 ? (uint32_t)n_cores : 0};
    read_value("/etc/os-release", "PRETTY_NAME", host->os, sizeof host->os);
    read_value("/proc/cpuinfo", "model name", host->cpu, sizeof host->cpu);
    if (uname(&name) == 0) {
        snprintf(host->kernel, sizeof host->kernel, "%.60s %.60s", name.sysname, name.release);
    } else {
        snprintf(host->kernel, sizeof host->kernel, "unknown");
    }
}

void mb_run_init(struct mb_run *run, const struct mb_gpu *gpu,
                 const struct mb_settings *settings, int argc, const char *const *argv)
{
    const time_t now = time(NULL);
    struct tm utc;
    char device[40];
    *run = (struct mb_run){
        .argc = argc,
        .argv = argv,
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
        .roofline.ceiling_gbps = (double)NAN,
    };
    if (!getcwd(run->folder, sizeof run->folder)) {
        run->folder[0] = '\0';
    }
    read_host(&run->host);
    gmtime_r(&now, &utc);
    strftime(run->utc, sizeof run->utc, "%Y%m%dT%H%M%SZ", &utc);
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
    if (calibration->marks.granularity_ns > 0.0) {
        run->timer.granularity_ns = calibration->marks.granularity_ns;
        run->timer.granularity_gcd_ns = calibration->marks.granularity_gcd_ns;
    }
    run->timer.probe_ns = calibration->probe_ns;
    run->roofline = calibration->roofline;
    return MB_OK;
}
