/* Making one call of the program fail, inside the program's own process: an allocation, a call
 * that touches a file, a Vulkan call. The linker's --wrap stands in for the first two, volk's
 * function pointers for the third. Calls are numbered from 1 as they are made, each kind on its
 * own; what is found out is kept in memory that the child shares with its parent. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mb_fault_kind { MB_FAULT_ALLOCATION, MB_FAULT_FILE, MB_FAULT_VULKAN, MB_N_FAULT_KINDS };

/* What a call of read and write may do instead of failing, in the place of an errno. */
enum { MB_FAULT_SHORT = -1, MB_FAULT_END = -2 };

/* One way for a call to end: an errno, one of the above, or a VkResult. */
struct mb_fault_result {
    int code;
    const char *text;  /* what the program's one line must hold; NULL: any */
    bool is_no_excuse; /* it must be dealt with: the run passes all the same */
    bool may_pass;     /* or the run ends: what fails so is done again, but not without end */
};

#define MB_FAULT_MAX_RESULTS 8

/* A fallible function, and how it may end; `results` stops at the first without a code. */
struct mb_fault_function {
    const char *name;
    struct mb_fault_result results[MB_FAULT_MAX_RESULTS];
    bool may_be_ignored; /* a run that goes on without it is right, too */
    int exit_code;       /* besides 6 and, for files, 7; 0: no other */
};

/* A call as it was made in a run without faults. */
struct mb_fault_call {
    const struct mb_fault_function *function;
    uint64_t path; /* of the calls that led there, as a digest */
};

/* Which call fails, and how. */
struct mb_fault {
    enum mb_fault_kind kind;
    uint32_t nth;          /* 1: the first of its kind; 0: none */
    uint32_t result;       /* index into its results */
    bool is_lasting;       /* all later ones fail, too, with the same result if they can */
    int signal;            /* not 0: raised before the call, which is made */
    size_t max_file_bytes; /* not 0: what no file may outgrow by write() (RLIMIT_FSIZE) */
};

#define MB_FAULT_MAX_CALLS   60000u
#define MB_FAULT_MAX_HITS    256u
#define MB_FAULT_MAX_OBJECTS 32u
#define MB_FAULT_MAX_FRAMES  12

/* What a run did; shared between the child that runs and the parent that judges. */
struct mb_fault_log {
    uint32_t n_calls[MB_N_FAULT_KINDS];
    struct mb_fault_call calls[MB_FAULT_MAX_CALLS]; /* of `recorded`, in order */
    uint32_t n_hits;
    struct {
        const struct mb_fault_function *function;
        const struct mb_fault_result *result;
    } hits[MB_FAULT_MAX_HITS];         /* the first faults that were made */
    void *frames[MB_FAULT_MAX_FRAMES]; /* where the first was made */
    int n_frames;
    bool unlink_failed;
    bool main_returned;
    uint64_t n_live_blocks; /* of the program's allocator, after main */
    struct {
        const char *name;
        uint32_t n_created, n_destroyed;
    } objects[MB_FAULT_MAX_OBJECTS];
    uint32_t n_foreign_destroyed; /* handles that a failed call left undefined */
};

/* The log of this process and its children; NULL if there is no memory for it. Once, before
 * anything else. */
struct mb_fault_log *mb_fault_init(void);

/* From here on calls are counted, those of kind `recorded` written down (MB_N_FAULT_KINDS:
 * none), and `fault` happens. The log is emptied. */
void mb_fault_arm(const struct mb_fault *fault, enum mb_fault_kind recorded);
void mb_fault_disarm(void);
bool mb_fault_is_armed(void);
size_t mb_fault_max_file_bytes(void); /* of the fault that is armed; 0: no limit */

/* What the call that is being made has to end with instead of being made; NULL: nothing. */
const struct mb_fault_result *mb_fault_due(enum mb_fault_kind kind,
                                           const struct mb_fault_function *function);

struct mb_fault_log *mb_fault_get_log(void);
