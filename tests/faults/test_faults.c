/* Every call of the program that can fail fails: once, and from then on. After each the program
 * has ended with a documented exit code and one line that names the call and its result, or one
 * for each run of a set that it failed; the older outputs are as they were or whole and new, no
 * other file is there; what was created is destroyed, what was allocated is freed; and the next
 * run passes.
 *
 *     test_faults allocation|file|vulkan [SCENARIO [N_FAULTS]]
 *
 * By default each place in the code that makes such calls has one fault at least, as far as the
 * scenario's number goes; MB_TEST_FULL=1 tries every call, with every result. */
#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "fault.h"
#include "sandbox.h"
#include "scenarios.h"

#define ERROR_PREFIX   "mipbench: error: "
#define NEXT_RUN_EVERY 40u

static const char *const kind_names[] = {"allocation", "file", "vulkan"};

struct sweep {
    const struct mb_scenario *scenario;
    enum mb_fault_kind kind;
    bool is_full;
    uint32_t n_wanted;
    uint32_t n_done, n_absorbed, n_late, n_next, n_wrong;
    struct mb_snapshot earlier, usual, now;
    struct mb_outcome outcome;
};

static void complain(struct sweep *sweep, const struct mb_fault *fault, const char *what)
{
    const struct mb_fault_log *log = mb_fault_get_log();
    sweep->n_wrong++;
    printf("%s, %s %u of %u%s", sweep->scenario->name, kind_names[fault->kind], fault->nth,
           log->n_calls[fault->kind], fault->is_lasting ? " and all after it" : "");
    if (log->n_hits > 0) {
        printf(", %s: %s (%d)", log->hits[0].function->name,
               log->hits[0].result->text ? log->hits[0].result->text : "-",
               log->hits[0].result->code);
    }
    printf(": %s\n    exit %d, signal %d: %s\n", what, sweep->outcome.exit_code,
           sweep->outcome.signal, sweep->outcome.err);
    fflush(stdout);
    backtrace_symbols_fd(log->frames, log->n_frames, STDOUT_FILENO);
}

/* One of the faults that were made is what the line tells of. */
static bool names_a_fault(const struct mb_fault_log *log, const char *line)
{
    const uint32_t n = log->n_hits < MB_FAULT_MAX_HITS ? log->n_hits : MB_FAULT_MAX_HITS;
    for (uint32_t i = 0; i < n; i++) {
        const char *text = log->hits[i].result->text;
        const bool needs_name = text != NULL && strncmp(text, "VK_", 3) == 0;
        const bool has_name = !needs_name || strstr(line, log->hits[i].function->name) != NULL;
        if (has_name && (text == NULL || strstr(line, text) != NULL)) {
            return true;
        }
    }
    return false;
}

/* Each error line, with what follows it, tells of one. */
static bool all_name_a_fault(const struct mb_fault_log *log, const char *text)
{
    bool all = true;
    for (const char *line = strstr(text, ERROR_PREFIX); line;) {
        char own[sizeof((struct mb_outcome *)NULL)->err];
        const char *next = strstr(line + 1, ERROR_PREFIX);
        snprintf(own, sizeof own, "%.*s", next ? (int)(next - line) : (int)strlen(line), line);
        all = all && names_a_fault(log, own);
        line = next;
    }
    return all;
}

static bool is_documented(const struct mb_fault_log *log, enum mb_fault_kind kind, int code)
{
    bool is_fine = code == MB_ERRC_RUNTIME || (kind == MB_FAULT_FILE && code == MB_ERRC_OUTPUT);
    for (uint32_t i = 0; i < log->n_hits && i < MB_FAULT_MAX_HITS; i++) {
        const int other = log->hits[i].function->exit_code;
        is_fine = is_fine || (other != 0 && other == code);
    }
    return is_fine;
}

/* Every fault that was made is of a kind that a run may do without. */
static bool may_pass(const struct mb_fault_log *log)
{
    bool may = true;
    for (uint32_t i = 0; i < log->n_hits && i < MB_FAULT_MAX_HITS; i++) {
        const struct mb_fault_result *result = log->hits[i].result;
        may = may && (log->hits[i].function->may_be_ignored || result->is_no_excuse ||
                      result->may_pass);
    }
    return may;
}

static bool must_pass(const struct mb_fault_log *log)
{
    bool must = true;
    for (uint32_t i = 0; i < log->n_hits && i < MB_FAULT_MAX_HITS; i++) {
        must = must && log->hits[i].result->is_no_excuse;
    }
    return must;
}

/* What is wrong with how it ended and what it said; NULL: nothing. */
static const char *judge_end(const struct sweep *sweep, const struct mb_fault *fault)
{
    const struct mb_fault_log *log = mb_fault_get_log();
    const struct mb_outcome *outcome = &sweep->outcome;
    const unsigned n_lines = mb_count_lines(outcome->err, ERROR_PREFIX);
    if (outcome->signal != 0) {
        return "killed";
    }
    const bool is_told = sweep->scenario->tells_on_stdout && names_a_fault(log, outcome->out);
    if (outcome->exit_code == 0) {
        return n_lines > 0                ? "exit code 0, with an error line"
               : may_pass(log) || is_told ? NULL
                                          : "the fault was not noticed";
    }
    if (must_pass(log)) {
        return "it did not pass";
    }
    if (!is_documented(log, fault->kind, outcome->exit_code)) {
        return "not the documented exit code";
    }
    if (n_lines < 1 || n_lines > 1 + (fault->is_lasting ? sweep->scenario->n_more_runs : 0)) {
        return n_lines == 0 ? "no error line" : "too many error lines";
    }
    return all_name_a_fault(log, outcome->err) ? NULL : "a line does not name the fault";
}

static const char *judge_leaks(char *text, size_t text_bytes)
{
    const struct mb_fault_log *log = mb_fault_get_log();
    if (log->n_foreign_destroyed > 0) {
        return "a handle was destroyed that a failed call left undefined";
    }
    if (!log->main_returned) {
        return NULL; /* a lost device: nothing may be destroyed */
    }
    if (log->n_live_blocks > 0) {
        snprintf(text, text_bytes, "%llu blocks leaked",
                 (unsigned long long)log->n_live_blocks);
        return text;
    }
    for (size_t i = 0; i < MB_FAULT_MAX_OBJECTS; i++) {
        if (log->objects[i].n_created != log->objects[i].n_destroyed) {
            snprintf(text, text_bytes, "%s: %u created, %u destroyed",
                     log->objects[i].name ? log->objects[i].name : "?",
                     log->objects[i].n_created, log->objects[i].n_destroyed);
            return text;
        }
    }
    return NULL;
}

static void clear_if_fresh(const struct mb_scenario *scenario)
{
    if (scenario->is_fresh) {
        mb_sandbox_remove("out");
    }
}

/* A run without faults passes, and leaves what it usually leaves. */
static void run_next(struct sweep *sweep)
{
    const struct mb_fault none = {.kind = sweep->kind};
    char why[400];
    sweep->n_next++;
    mb_sandbox_run(sweep->scenario->args, &none, MB_N_FAULT_KINDS, &sweep->outcome);
    mb_snapshot_judge(&sweep->usual, NULL, false, &sweep->now, why, sizeof why);
    if (sweep->outcome.signal != 0 || sweep->outcome.exit_code != 0) {
        complain(sweep, &none, "the next run does not pass");
    } else if (why[0] != '\0') {
        complain(sweep, &none, why);
    } else {
        char text[200];
        const char *leak = judge_leaks(text, sizeof text);
        if (leak != NULL) {
            complain(sweep, &none, leak);
        }
    }
    clear_if_fresh(sweep->scenario);
    mb_snapshot_take(&sweep->earlier);
}

static void run_fault(struct sweep *sweep, const struct mb_fault *fault)
{
    const struct mb_fault_log *log = mb_fault_get_log();
    char why[400], text[200];
    mb_sandbox_run(sweep->scenario->args, fault, MB_N_FAULT_KINDS, &sweep->outcome);
    sweep->n_done++;
    sweep->n_late += log->n_hits == 0;
    sweep->n_absorbed += log->n_hits > 0 && sweep->outcome.exit_code == 0;
    const char *wrong = judge_end(sweep, fault);
    if (wrong == NULL) {
        wrong = judge_leaks(text, sizeof text);
    }
    if (sweep->outcome.exit_code == MB_ERRC_OUTPUT) {
        mb_snapshot_forget_removed(&sweep->earlier);
    }
    mb_snapshot_judge(&sweep->earlier, sweep->scenario->is_fresh ? &sweep->usual : NULL,
                      log->unlink_failed, &sweep->now, why, sizeof why);
    mb_snapshot_sweep(&sweep->now);
    if (wrong == NULL && why[0] != '\0') {
        wrong = why;
    }
    if (wrong != NULL) {
        complain(sweep, fault, wrong);
    }
    clear_if_fresh(sweep->scenario);
    mb_snapshot_take(&sweep->earlier);
    if (wrong != NULL || sweep->is_full || sweep->n_done % NEXT_RUN_EVERY == 0) {
        run_next(sweep);
    }
}

static uint32_t count_results(const struct mb_fault_function *function)
{
    uint32_t n = 0;
    while (n < MB_FAULT_MAX_RESULTS && function->results[n].code != 0) {
        n++;
    }
    return n;
}

/* Calls that are the first to come from where they do; in full, all. Returns how many. */
static uint32_t choose_calls(const struct mb_fault_log *log, enum mb_fault_kind kind,
                             bool is_full, uint32_t *chosen)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < log->n_calls[kind] && i < MB_FAULT_MAX_CALLS; i++) {
        bool is_new = true;
        for (uint32_t j = 0; j < n && is_new && !is_full; j++) {
            const struct mb_fault_call *other = &log->calls[chosen[j]];
            is_new =
                other->path != log->calls[i].path || other->function != log->calls[i].function;
        }
        if (is_new) {
            chosen[n++] = i;
        }
    }
    return n;
}

/* Faults at `n` calls, evenly thinned to what the scenario asks for. Each third lasts. */
static void sweep_sample(struct sweep *sweep, const struct mb_fault_call *calls,
                         const uint32_t *chosen, uint32_t n)
{
    const uint32_t n_wanted = sweep->n_wanted;
    for (uint32_t k = 0; k < n_wanted && n > 0; k++) {
        const uint32_t place = n_wanted < n ? (uint32_t)((uint64_t)k * n / n_wanted) : k % n;
        const struct mb_fault fault = {
            .kind = sweep->kind,
            .nth = chosen[place] + 1,
            .result = (k + k / n) % count_results(calls[chosen[place]].function),
            .is_lasting = (k + k / n) % 3 == 2,
        };
        run_fault(sweep, &fault);
    }
}

static void sweep_all(struct sweep *sweep, const struct mb_fault_call *calls,
                      const uint32_t *chosen, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t n_results = count_results(calls[chosen[k]].function);
        for (uint32_t i = 0; i < 2 * n_results; i++) {
            const struct mb_fault fault = {
                .kind = sweep->kind,
                .nth = chosen[k] + 1,
                .result = i / 2,
                .is_lasting = i % 2 == 1,
            };
            run_fault(sweep, &fault);
        }
    }
}

/* The calls of a run without faults, and the files that it leaves. False if it fails. */
static bool look(struct sweep *sweep, struct mb_fault_call *calls, uint32_t *chosen,
                 uint32_t *n_chosen)
{
    const struct mb_fault none = {.kind = sweep->kind};
    const struct mb_fault_log *log = mb_fault_get_log();
    if (!sweep->scenario->is_fresh) {
        mb_sandbox_run(sweep->scenario->args, &none, MB_N_FAULT_KINDS, &sweep->outcome);
    }
    mb_sandbox_run(sweep->scenario->args, &none, sweep->kind, &sweep->outcome);
    if (sweep->outcome.signal != 0 || sweep->outcome.exit_code != 0) {
        complain(sweep, &none, "the run without faults does not pass");
        return false;
    }
    memcpy(calls, log->calls, sizeof log->calls);
    *n_chosen = choose_calls(log, sweep->kind, sweep->is_full, chosen);
    mb_snapshot_take(&sweep->usual);
    clear_if_fresh(sweep->scenario);
    mb_snapshot_take(&sweep->earlier);
    return true;
}

static void sweep_scenario(struct sweep *sweep)
{
    static struct mb_fault_call calls[MB_FAULT_MAX_CALLS];
    static uint32_t chosen[MB_FAULT_MAX_CALLS];
    uint32_t n_chosen = 0;
    if (!look(sweep, calls, chosen, &n_chosen)) {
        return;
    }
    const uint32_t n_calls = mb_fault_get_log()->n_calls[sweep->kind];
    if (sweep->is_full) {
        sweep_all(sweep, calls, chosen, n_chosen);
    } else {
        sweep_sample(sweep, calls, chosen, n_chosen);
    }
    run_next(sweep);
    printf("%-12s %5u calls, %4u chosen: %4u faults, %u absorbed, %u not reached, %u wrong\n",
           sweep->scenario->name, n_calls, n_chosen, sweep->n_done, sweep->n_absorbed,
           sweep->n_late, sweep->n_wrong);
    mb_sandbox_remove("out");
}

static int sweep_kind(enum mb_fault_kind kind, const char *only, const char *n_faults)
{
    static struct sweep sweep;
    uint32_t n_done = 0, n_wrong = 0;
    for (size_t i = 0; i < mb_n_scenarios; i++) {
        if (mb_scenarios[i].n_faults[kind] == 0 ||
            (only != NULL && strcmp(only, mb_scenarios[i].name) != 0)) {
            continue;
        }
        memset(&sweep, 0, sizeof sweep);
        sweep.scenario = &mb_scenarios[i];
        sweep.kind = kind;
        sweep.is_full = mb_is_set("MB_TEST_FULL");
        sweep.n_wanted =
            n_faults != NULL ? (uint32_t)atoi(n_faults) : mb_scenarios[i].n_faults[kind];
        sweep.n_wanted = mb_is_set("MB_TEST_QUICK") ? (sweep.n_wanted + 3) / 4 : sweep.n_wanted;
        sweep_scenario(&sweep);
        n_done += sweep.n_done;
        n_wrong += sweep.n_wrong;
    }
    printf("%s: %u faults, %u wrong\n", kind_names[kind], n_done, n_wrong);
    return n_wrong == 0 && n_done > 0 ? 0 : 1;
}

static int test(int argc, char **argv)
{
    int kind = 0;
    while (kind < MB_N_FAULT_KINDS && (argc < 2 || strcmp(argv[1], kind_names[kind]) != 0)) {
        kind++;
    }
    if (kind == MB_N_FAULT_KINDS) {
        fprintf(stderr, "usage: test_faults allocation|file|vulkan [SCENARIO [N_FAULTS]]\n");
        return 2;
    }
    return sweep_kind((enum mb_fault_kind)kind, argc > 2 ? argv[2] : NULL,
                      argc > 3 ? argv[3] : NULL);
}

int main(int argc, char **argv)
{
    return mb_scenarios_main(test, argc, argv);
}
