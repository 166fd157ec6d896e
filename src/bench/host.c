/* Facts of the host. */
#include "bench/host.h"

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

void mb_host_read(struct mb_host_info *host)
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

void mb_utc_now(char out[24])
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(out, 24, "%Y%m%dT%H%M%SZ", &parts);
}
