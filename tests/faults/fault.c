#include "fault.h"

#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_FRAMES  7
#define OWN_FRAMES  3 /* digest, due, the stand-in */
#define MAX_RESULTS MB_FAULT_MAX_RESULTS

static struct mb_fault_log *the_log;
static struct mb_fault the_fault;
static enum mb_fault_kind recorded_kind;
static _Atomic bool is_armed;
static _Atomic uint32_t n_made[MB_N_FAULT_KINDS];
static _Atomic uint32_t n_hit;

struct mb_fault_log *mb_fault_init(void)
{
    void *frames[MAX_FRAMES];
    void *memory =
        mmap(NULL, sizeof *the_log, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    the_log = memory == MAP_FAILED ? NULL : memory;
    (void)backtrace(frames, MAX_FRAMES); /* it loads a library the first time */
    return the_log;
}

struct mb_fault_log *mb_fault_get_log(void)
{
    return the_log;
}

void mb_fault_arm(const struct mb_fault *fault, enum mb_fault_kind recorded)
{
    memset(the_log, 0, sizeof *the_log);
    the_fault = *fault;
    recorded_kind = recorded;
    for (int i = 0; i < MB_N_FAULT_KINDS; i++) {
        atomic_store(&n_made[i], 0);
    }
    atomic_store(&n_hit, 0);
    atomic_store(&is_armed, true);
}

void mb_fault_disarm(void)
{
    atomic_store(&is_armed, false);
}

bool mb_fault_is_armed(void)
{
    return atomic_load(&is_armed);
}

size_t mb_fault_max_file_bytes(void)
{
    return mb_fault_is_armed() ? the_fault.max_file_bytes : 0;
}

/* Of the return addresses: equal for calls from the same place by the same way. Children are
 * forks, so that addresses stay. */
__attribute__((noinline)) static uint64_t digest_path(void)
{
    void *frames[MAX_FRAMES];
    uint64_t digest = UINT64_C(0xcbf29ce484222325);
    const int n_frames = backtrace(frames, MAX_FRAMES);
    for (int i = OWN_FRAMES; i < n_frames; i++) {
        digest = (digest ^ (uint64_t)(uintptr_t)frames[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

/* The result that the fault asks for; of later functions the same one if they have it. What is
 * no excuse does not last: a call that is always interrupted never ends. */
static const struct mb_fault_result *choose_result(const struct mb_fault_function *function)
{
    const bool is_first = the_log->n_hits == 0;
    const struct mb_fault_result *chosen = &function->results[0];
    for (uint32_t i = 0; i < MAX_RESULTS && function->results[i].code != 0; i++) {
        const struct mb_fault_result *result = &function->results[i];
        const bool is_meant =
            is_first ? i == the_fault.result : result->code == the_log->hits[0].result->code;
        if (is_meant && !(the_fault.is_lasting && result->is_no_excuse)) {
            chosen = result;
        }
    }
    return chosen;
}

const struct mb_fault_result *mb_fault_due(enum mb_fault_kind kind,
                                           const struct mb_fault_function *function)
{
    if (!atomic_load(&is_armed)) {
        return NULL;
    }
    const uint32_t number = atomic_fetch_add(&n_made[kind], 1) + 1;
    the_log->n_calls[kind] = number;
    if (kind == recorded_kind && number <= MB_FAULT_MAX_CALLS) {
        the_log->calls[number - 1] =
            (struct mb_fault_call){.function = function, .path = digest_path()};
    }
    const bool is_due =
        the_fault.is_lasting ? number >= the_fault.nth : number == the_fault.nth;
    if (kind != the_fault.kind || the_fault.nth == 0 || !is_due) {
        return NULL;
    }
    if (the_fault.signal != 0) {
        the_log->n_hits = 1;
        raise(the_fault.signal);
        return NULL;
    }
    const struct mb_fault_result *result = choose_result(function);
    const uint32_t hit = atomic_fetch_add(&n_hit, 1);
    if (hit == 0) {
        the_log->n_frames = backtrace(the_log->frames, MB_FAULT_MAX_FRAMES);
    }
    if (hit < MB_FAULT_MAX_HITS) {
        the_log->hits[hit].function = function;
        the_log->hits[hit].result = result;
    }
    the_log->n_hits = hit + 1;
    return result;
}
