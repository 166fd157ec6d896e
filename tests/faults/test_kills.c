/* Runs that are killed, and runs whose disk is full.
 *
 * Signals come before a call that is drawn by a seeded generator, so that the moment does not
 * depend on how fast the machine is. SIGINT, SIGTERM and SIGHUP end the run with 128 + signal,
 * SIGPIPE does nothing, SIGKILL ends everything at once. Whatever comes: each older output is
 * as it was, or whole and new; temporary files are there after SIGKILL only, and the next run
 * does not mind them. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/rng.h"
#include "fault.h"
#include "sandbox.h"
#include "scenarios.h"

#define N_KILLS      24u
#define N_FULL_KILLS 2000u
#define N_SIZES      18u

static struct mb_snapshot usual, earlier, now;
static struct mb_outcome outcome;
static const struct mb_fault no_fault;
static unsigned n_wrong;

static void complain(const char *scenario, const char *moment, const char *what)
{
    n_wrong++;
    printf("%s, %s: %s\n    exit %d, signal %d: %s\n", scenario, moment, what,
           outcome.exit_code, outcome.signal, outcome.err);
}

static bool has_passed(void)
{
    return outcome.signal == 0 && outcome.exit_code == MB_ERRC_NONE;
}

/* NULL: it ended as that signal says. */
static const char *judge_end(int signal)
{
    const struct mb_fault_log *log = mb_fault_get_log();
    if (mb_count_lines(outcome.err, "mipbench: error: ") > 0) {
        return "an error line";
    }
    if (signal == SIGKILL) {
        return outcome.signal == SIGKILL ? NULL : "not killed";
    }
    const int code = signal == SIGPIPE || log->n_hits == 0 ? MB_ERRC_NONE : 128 + signal;
    if (outcome.signal != 0 || outcome.exit_code != code) {
        return "not the exit code of the signal";
    }
    for (size_t i = 0; i < MB_FAULT_MAX_OBJECTS; i++) {
        if (log->objects[i].n_created != log->objects[i].n_destroyed) {
            return "Vulkan objects were leaked";
        }
    }
    return log->n_live_blocks > 0 ? "memory was leaked" : NULL;
}

static void run_next(const struct mb_scenario *scenario, const char *moment, bool may_litter)
{
    char why[400];
    mb_sandbox_run(scenario->args, &no_fault, MB_N_FAULT_KINDS, &outcome);
    mb_snapshot_judge(&usual, NULL, may_litter, &now, why, sizeof why);
    if (!has_passed() || why[0] != '\0') {
        complain(scenario->name, moment, why[0] != '\0' ? why : "the next run does not pass");
    }
}

/* One signal at one moment; the run after it, where that may matter. */
static void kill_once(const struct mb_scenario *scenario, const struct mb_fault *fault)
{
    char moment[100], why[400];
    snprintf(moment, sizeof moment, "%s before call %u of kind %d", strsignal(fault->signal),
             fault->nth, fault->kind);
    mb_sandbox_run(scenario->args, fault, MB_N_FAULT_KINDS, &outcome);
    const char *wrong = judge_end(fault->signal);
    mb_snapshot_judge(&earlier, scenario->is_fresh ? &usual : NULL, fault->signal == SIGKILL,
                      &now, why, sizeof why);
    if (wrong != NULL || why[0] != '\0') {
        complain(scenario->name, moment, wrong ? wrong : why);
    }
    if (fault->signal == SIGKILL || fault->nth % 4 == 0) {
        run_next(scenario, moment, fault->signal == SIGKILL);
    }
    mb_snapshot_sweep(&now);
    if (scenario->is_fresh) {
        mb_sandbox_remove("out");
    }
    mb_snapshot_take(&earlier);
}

/* Calls of a run. */
struct calls {
    uint32_t n[MB_N_FAULT_KINDS];
    uint32_t n_tearing;
    uint32_t tearing[MB_FAULT_MAX_CALLS]; /* those that touch files between old and new */
};

static void note_calls(struct calls *calls)
{
    static const char *const tearing[] = {"write", "fsync", "close (of what was written)",
                                          "rename"};
    const struct mb_fault_log *log = mb_fault_get_log();
    memcpy(calls->n, log->n_calls, sizeof calls->n);
    calls->n_tearing = 0;
    for (uint32_t i = 0; i < log->n_calls[MB_FAULT_FILE]; i++) {
        for (size_t j = 0; j < sizeof tearing / sizeof tearing[0]; j++) {
            if (strcmp(log->calls[i].function->name, tearing[j]) == 0) {
                calls->tearing[calls->n_tearing++] = i + 1;
            }
        }
    }
}

/* Half of the signals come where files can be torn, the others anywhere. */
static struct mb_fault draw(const struct calls *calls, uint32_t k, struct mb_rng *rng)
{
    static const int signals[] = {SIGINT, SIGKILL, SIGTERM, SIGPIPE, SIGHUP};
    struct mb_fault fault = {.signal = signals[k % 5], .kind = MB_FAULT_FILE};
    if (k / 5 % 2 == 0) {
        fault.nth = calls->tearing[mb_rng_below(rng, calls->n_tearing)];
        return fault;
    }
    const bool has_vulkan = calls->n[MB_FAULT_VULKAN] > 0;
    fault.kind = has_vulkan && k % 2 == 0 ? MB_FAULT_VULKAN : MB_FAULT_ALLOCATION;
    fault.nth = 1 + mb_rng_below(rng, calls->n[fault.kind]);
    return fault;
}

static void kill_scenario(const struct mb_scenario *scenario, uint32_t n_kills,
                          struct mb_rng *rng)
{
    static struct calls calls;
    for (int i = 0; i < 2; i++) { /* the second is the usual one: its folders are there */
        if (scenario->is_fresh) {
            mb_sandbox_remove("out"); /* or not */
        }
        mb_sandbox_run(scenario->args, &no_fault, MB_FAULT_FILE, &outcome);
        note_calls(&calls);
    }
    if (!has_passed()) {
        complain(scenario->name, "no signal", "it does not pass");
        return;
    }
    mb_snapshot_take(&usual);
    if (scenario->is_fresh) {
        mb_sandbox_remove("out");
    }
    mb_snapshot_take(&earlier);
    for (uint32_t k = 0; k < n_kills; k++) {
        const struct mb_fault fault = draw(&calls, k, rng);
        kill_once(scenario, &fault);
    }
    mb_sandbox_remove("out");
}

static unsigned kill_all(void)
{
    struct mb_rng rng;
    uint32_t n_kills = mb_is_set("MB_TEST_FULL") ? N_FULL_KILLS : N_KILLS;
    mb_rng_init(&rng, 21);
    unsigned n = 0;
    for (size_t i = 0; i < mb_n_scenarios; i++) {
        const char *name = mb_scenarios[i].name;
        const uint32_t share = strcmp(name, "run") == 0 ? n_kills / 2 : n_kills / 6;
        if (strcmp(name, "run") == 0 || strcmp(name, "fresh") == 0 ||
            strcmp(name, "tune") == 0 || strcmp(name, "export") == 0) {
            kill_scenario(&mb_scenarios[i], share, &rng);
            n += share;
        }
    }
    return n;
}

/* The scenario "run", all of whose outputs go to the folder `disk`. */
static const struct mb_scenario on_disk = {
    .args =
        {"in.ppm",       "-s",     "blit",           "-d",       "cpu", "-n",       "3",
         "-w",           "0",      "--no-roofline",  "-q",       "-o",  "disk/out", "--csv",
         "disk/out.csv", "--json", "disk/copy.json", "--images", "all", "--chain",  "ktx2,dds"},
};

/* A run that ran out of room, or had enough: whole files, and one line that says so. Returns
 * whether it passed. */
static bool judge_room(const char *reason, const char *moment)
{
    char why[400];
    const bool passed = has_passed();
    const char *wrong = NULL;
    if (!passed && (outcome.signal != 0 || outcome.exit_code != MB_ERRC_OUTPUT)) {
        wrong = "not the documented exit code";
    } else if (mb_count_lines(outcome.err, "mipbench: error: ") != !passed ||
               (!passed && !strstr(outcome.err, reason))) {
        wrong = "not one line that says why";
    }
    if (!passed) {
        mb_snapshot_forget_removed(&earlier);
    }
    mb_snapshot_judge(&earlier, &usual, false, &now, why, sizeof why);
    if (wrong != NULL || why[0] != '\0') {
        complain("full disk", moment, wrong ? wrong : why);
    }
    mb_snapshot_take(&earlier);
    return passed;
}

/* Leave `n_free` blocks of the disk. */
static bool fill(unsigned long n_free)
{
    struct statvfs room;
    const int fd = open("disk/filler.csv", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool is_filled = fd >= 0 && statvfs("disk", &room) == 0 && room.f_bfree > n_free;
    is_filled = is_filled &&
                posix_fallocate(fd, 0, (off_t)((room.f_bfree - n_free) * room.f_bsize)) == 0;
    return fd >= 0 && close(fd) == 0 && is_filled;
}

/* In a mount namespace of its own, so that nothing stays mounted. */
static bool mount_disk(void)
{
    return unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", "disk", "tmpfs", 0, "size=4m") == 0;
}

static unsigned fill_disk(void)
{
    char moment[40];
    unsigned n_passed = 0;
    if (!mount_disk()) {
        printf("a tmpfs cannot be mounted here\n");
        return 0;
    }
    mb_sandbox_run(on_disk.args, &no_fault, MB_N_FAULT_KINDS, &outcome);
    mb_snapshot_take(&usual);
    for (unsigned i = 0; i < N_SIZES; i++) {
        if (!fill(i)) {
            complain("full disk", "filling it", "it cannot be filled");
            break;
        }
        mb_snapshot_take(&earlier);
        snprintf(moment, sizeof moment, "%u blocks free", i);
        mb_sandbox_run(on_disk.args, &no_fault, MB_N_FAULT_KINDS, &outcome);
        n_passed += judge_room("No space left on device", moment);
        unlink("disk/filler.csv");
    }
    if (n_passed == 0 || n_passed == N_SIZES) {
        complain("full disk", "all sizes", "none was too small, or none large enough");
    }
    return N_SIZES;
}

static unsigned limit_files(void)
{
    char moment[40];
    unsigned n_passed = 0;
    mb_sandbox_run(on_disk.args, &no_fault, MB_N_FAULT_KINDS, &outcome);
    mb_snapshot_take(&earlier);
    usual = earlier;
    for (unsigned i = 0; i < N_SIZES; i++) {
        const struct mb_fault limit = {.max_file_bytes = (size_t)320 << i * 2 / 3};
        snprintf(moment, sizeof moment, "files of %zu bytes at most", limit.max_file_bytes);
        mb_sandbox_run(on_disk.args, &limit, MB_N_FAULT_KINDS, &outcome);
        n_passed += judge_room("File too large", moment);
    }
    if (n_passed == 0 || n_passed == N_SIZES) {
        complain("file limit", "all sizes", "none was too small, or none large enough");
    }
    return N_SIZES;
}

static int test(int argc, char **argv)
{
    if (mkdir("disk", 0777) != 0) {
        perror("the test itself");
        return 1;
    }
    const unsigned n_kills = kill_all();
    const unsigned n_limits = limit_files();
    const unsigned n_disks = fill_disk();
    printf("%u kills, %u limits of files, %u full disks, %u wrong\n", n_kills, n_limits,
           n_disks, n_wrong);
    umount("disk");
    return n_wrong > 0;
}

int main(int argc, char **argv)
{
    return mb_scenarios_main(test, argc, argv);
}
