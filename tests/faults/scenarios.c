#include "scenarios.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"

#define TEST_SKIP 77 /* meson's exit code for a test that cannot run here */

/* Small, and with everything that writes or allocates. No roofline: it takes most of a second.
 */
#define QUICK "-d", "cpu", "-n", "3", "-w", "0", "--no-roofline", "-q"

const struct mb_scenario mb_scenarios[] = {
    {.name = "run",
     .n_faults = {25, 25, 45},
     .args = {"in.ppm", "-s", "blit,raster,compute", QUICK, "-o", "out", "--csv", "out.csv",
              "--markdown", "out.md", "--json", "copy.json", "--images", "all", "--chain",
              "ktx2,dds", "--per-level"}},
    {.name = "fresh",
     .n_faults = {3, 12, 5},
     .is_fresh = true,
     .args = {"in.ppm", "pattern:noise:5x3", "-s", "blit", QUICK, "-o", "out/below", "--json",
              "out/below/copy.json"}},
    {.name = "runs",
     .n_faults = {3, 12, 5},
     .is_fresh = true,
     .n_more_runs = 1,
     .args = {"pattern:noise:5x3", "-s", "blit", QUICK, "-o", "out/below", "--images", "none",
              "--runs", "2"}},
    {.name = "modes",
     .n_faults = {8, 0, 25},
     .args = {"pattern:noise:8x8", "-s", "subgroup,blit", QUICK, "-o", "out", "--images",
              "none", "--mode", "all", "--cache", "both", "--rect", "1,1,2,2"}},
    {.name = "roofline",
     .n_faults = {3, 0, 8},
     .args = {"pattern:noise:4x4", "-s", "compute", "-d", "cpu", "-n", "3", "-w", "0", "-q",
              "-o", "out", "--images", "sheet"}},
    {.name = "tune",
     .n_faults = {10, 5, 8},
     .args = {"tune", "pattern:noise:8x8", "-s", "compute", QUICK, "-o", "out", "--json",
              "copy.json"}},
    {.name = "compare",
     .n_faults = {20, 10, 0},
     .args = {"compare", "run/results.json", "run/results.json", "--json", "copy.json", "-q"}},
    {.name = "replay",
     .n_faults = {5, 5, 0},
     .args = {"--replay", "run/results.json", "-n", "3", "-q", "-o", "out"}},
    {.name = "export",
     .n_faults = {10, 15, 0},
     .args = {"export", "spd-tree", "-o", "out", "--force"}},
    {.name = "export-fresh",
     .n_faults = {0, 10, 0},
     .is_fresh = true,
     .args = {"export", "spd-tree", "-f", "rgba8", "-o", "out/below"}},
    {.name = "inspect",
     .n_faults = {10, 2, 10},
     .args = {"inspect", "-d", "cpu", "-s", "blit,raster,compute", "--size", "9x7", "--json"}},
    {.name = "report",
     .n_faults = {0, 10, 0},
     .args = {"pattern:noise:2x2", "-s", "blit", QUICK, "-o", "out", "--report"}},
    {.name = "list",
     .n_faults = {10, 2, 10},
     .tells_on_stdout = true,
     .args = {"list", "--json"}},
};

const size_t mb_n_scenarios = sizeof mb_scenarios / sizeof mb_scenarios[0];

static bool write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    const bool is_written = file != NULL && fputs(text, file) >= 0;
    return file != NULL && fclose(file) == 0 && is_written;
}

/* The exit code of the plain run that makes the results. */
static int prepare(void)
{
    const char *const make_run[] = {"in.ppm", "-s", "blit", QUICK, "-o", "run", NULL};
    static struct mb_outcome outcome;
    const struct mb_fault none = {.nth = 0};
    /* 3x2 texels, and a script that makes no page: --report only has to start it. */
    const bool is_there = write_text("in.ppm", "P6\n3 2\n255\nred, green, blue..") &&
                          mkdir("data", 0777) == 0 && write_text("data/report.py", "pass\n") &&
                          setenv("MIPBENCH_DATA", "data", 1) == 0 &&
                          setenv("PATH", "/usr/bin:/bin", 1) == 0;
    if (!is_there) {
        printf("the folder cannot be prepared\n");
        return 1;
    }
    mb_sandbox_run(make_run, &none, MB_N_FAULT_KINDS, &outcome);
    if (outcome.signal != 0 || outcome.exit_code != 0) {
        printf("a plain run: exit code %d, signal %d: %s\n", outcome.exit_code, outcome.signal,
               outcome.err);
    }
    return outcome.signal == 0 ? outcome.exit_code : 1;
}

bool mb_is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && strcmp(value, "1") == 0;
}

int mb_scenarios_main(int (*test)(int argc, char **argv), int argc, char **argv)
{
    /* Software Vulkan without threads of its own: cheaper, and the same each time. */
    setenv("LP_NUM_THREADS", "0", 1);
    setenv("LC_ALL", "C", 1);
    /* Its code is relocated once, for all children: a fifth of a short run. */
    (void)dlopen("libvulkan_lvp.so", RTLD_NOW);
    if (mb_fault_init() == NULL || !mb_sandbox_enter()) {
        perror("the test itself");
        return 1;
    }
    const int prepared = prepare();
    const int code = prepared == MB_ERRC_NONE     ? test(argc, argv)
                     : prepared == MB_ERRC_DEVICE ? TEST_SKIP
                                                  : 1;
    mb_sandbox_leave();
    return code;
}
