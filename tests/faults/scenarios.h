/* The command lines whose faults are looked at. */
#pragma once

#include "fault.h"
#include "sandbox.h"

struct mb_scenario {
    const char *name;
    /* Of each kind of fault, by default; all there are with MB_TEST_FULL=1. */
    uint32_t n_faults[MB_N_FAULT_KINDS];
    bool is_fresh;        /* the folder `out` is not there before */
    bool tells_on_stdout; /* that there is no device, and passes */
    uint32_t n_more_runs; /* of a set: a lasting fault may fail each, with a line of its own */
    const char *args[MB_SANDBOX_MAX_ARGS];
};

extern const struct mb_scenario mb_scenarios[];
extern const size_t mb_n_scenarios;

/* True if the variable is 1 in the environment. */
bool mb_is_set(const char *name);

/* main of a test: in a folder of its own, with the image and the results that the scenarios
 * read. Returns what `test` does, whose arguments are main's; 77, which meson takes for a skip,
 * if there is no device; 1 if the folder cannot be prepared. */
int mb_scenarios_main(int (*test)(int argc, char **argv), int argc, char **argv);
