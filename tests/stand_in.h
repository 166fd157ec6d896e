/* The one imitation of Vulkan: functions of a test stand in at volk's pointers, and all of them
 * leave together. A stand-in has the type of what it stands in for, and calls that by REAL().
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include <volk.h>

struct stand_in {
    void *pointer;               /* volk's, a PFN_... */
    PFN_vkVoidFunction function; /* the test's */
    PFN_vkVoidFunction real;     /* what the pointer held */
    PFN_vkVoidFunction settled;  /* what it held at stand_ins_settle() */
    unsigned n_calls;            /* of REAL() */
};

#define MAX_STAND_INS 80

/* Of all files that a test is made of. */
__attribute__((weak)) struct stand_in stand_ins[MAX_STAND_INS];
__attribute__((weak)) size_t n_stand_ins;

/* The one at a pointer; aborts if there is none. */
static inline struct stand_in *stand_in_at(const void *pointer)
{
    for (size_t i = 0; i < n_stand_ins; i++) {
        if (stand_ins[i].pointer == pointer) {
            return &stand_ins[i];
        }
    }
    abort();
}

/* To be placed later, when volk has loaded the pointer. */
static inline struct stand_in *stand_in_add(void *pointer, PFN_vkVoidFunction function)
{
    if (n_stand_ins == MAX_STAND_INS) {
        abort();
    }
    stand_ins[n_stand_ins] = (struct stand_in){.pointer = pointer, .function = function};
    return &stand_ins[n_stand_ins++];
}

/* Where volk has loaded something since stand_ins_settle(). */
static inline void stand_ins_place(void)
{
    for (size_t i = 0; i < n_stand_ins; i++) {
        struct stand_in *s = &stand_ins[i];
        PFN_vkVoidFunction now;
        memcpy(&now, s->pointer, sizeof now);
        if (now != NULL && now != s->settled) {
            s->real = now;
            memcpy(s->pointer, &s->function, sizeof s->function);
        }
    }
}

/* Other functions may stand before these from here on. */
static inline void stand_ins_settle(void)
{
    for (size_t i = 0; i < n_stand_ins; i++) {
        memcpy(&stand_ins[i].settled, stand_ins[i].pointer, sizeof stand_ins[i].settled);
    }
}

/* Every pointer holds what it held, and nothing stands in. */
static inline void stand_ins_end(void)
{
    while (n_stand_ins > 0) {
        const struct stand_in *s = &stand_ins[--n_stand_ins];
        memcpy(s->pointer, &s->real, sizeof s->real);
    }
}

static inline PFN_vkVoidFunction stand_in_real(const void *pointer)
{
    struct stand_in *s = stand_in_at(pointer);
    s->n_calls++;
    return s->real;
}

/* From now on. */
static inline void stand_in_begin(void *pointer, PFN_vkVoidFunction function)
{
    struct stand_in *s = stand_in_add(pointer, function);
    memcpy(&s->real, pointer, sizeof s->real);
    memcpy(pointer, &function, sizeof function);
}

/* `function` stands in for a call until stand_ins_end(). */
#define STAND_IN(call, function)                                                               \
    stand_in_begin(&(call), (PFN_vkVoidFunction)((const PFN_##call){(function)}))

/* For the stand-in itself: the call that it stands in for, which is counted. */
#define REAL(call) ((PFN_##call)stand_in_real(&(call)))

/* How often its stand-in used REAL() so far. */
#define N_REAL_CALLS(call) (stand_in_at(&(call))->n_calls)
