/* The command lines whose faults are looked at. */
#ifndef MB_TESTS_SCENARIOS_H
#define MB_TESTS_SCENARIOS_H

#include "fault.h"
#include "sandbox.h"

struct mb_scenario {
    const char *name;
    /* Of each kind of fault, by default; all there are with MB_TEST_FULL=1. */
    uint32_t n_faults[MB_N_FAULT_KINDS];
    bool is_fresh;        /* the folder `out` is not there before */
    bool tells_on_stdout; /* that there is no device, and passes */
    const char *args[MB_SANDBOX_MAX_ARGS];
};

extern const struct mb_scenario mb_scenarios[];
extern const size_t mb_n_scenarios;

/* Make what the scenarios read: an image and results, in the working folder. Returns the exit
 * code of the plain run that does. */
int mb_scenarios_prepare(void);

#endif
