/* Checks for unit tests: each failure prints its place and values, and the summary decides the
 * exit code. One header, no framework. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/rng.h"

/* Uniform in [0, 1), 53 bits. */
static inline double check_random_unit(struct mb_rng *rng)
{
    return (double)(mb_rng_next(rng) >> 11) * 0x1.0p-53;
}

/* Of all files that a test is made of. */
__attribute__((weak)) unsigned check_n_done;
__attribute__((weak)) unsigned check_n_failed;

static inline int check_record(int ok, const char *file, int line)
{
    check_n_done++;
    if (!ok) {
        check_n_failed++;
        fprintf(stderr, "%s:%d: ", file, line);
    }
    return ok;
}

#define CHECK(cond)                                                                            \
    do {                                                                                       \
        if (!check_record(!!(cond), __FILE__, __LINE__)) {                                     \
            fprintf(stderr, "not true: %s\n", #cond);                                          \
        }                                                                                      \
    } while (0)

#define CHECK_EQ_INT(a, b)                                                                     \
    do {                                                                                       \
        long long check_a_ = (long long)(a), check_b_ = (long long)(b);                        \
        if (!check_record(check_a_ == check_b_, __FILE__, __LINE__)) {                         \
            fprintf(stderr, "%s is %lld, not %lld\n", #a, check_a_, check_b_);                 \
        }                                                                                      \
    } while (0)

#define CHECK_EQ_DBL(a, b, tolerance)                                                          \
    do {                                                                                       \
        double check_a_ = (a), check_b_ = (b);                                                 \
        if (!check_record(fabs(check_a_ - check_b_) <= (tolerance), __FILE__, __LINE__)) {     \
            fprintf(stderr, "%s is %.17g, not %.17g\n", #a, check_a_, check_b_);               \
        }                                                                                      \
    } while (0)

#define CHECK_EQ_STR(a, b)                                                                     \
    do {                                                                                       \
        const char *check_a_ = (a), *check_b_ = (b);                                           \
        if (!check_record(strcmp(check_a_, check_b_) == 0, __FILE__, __LINE__)) {              \
            fprintf(stderr, "%s is \"%s\", not \"%s\"\n", #a, check_a_, check_b_);             \
        }                                                                                      \
    } while (0)

/* Without this the test makes no sense. */
static inline void must(enum mb_status status, const struct mb_err *err)
{
    if (status != MB_OK) {
        fprintf(stderr, "failed: %s\n", err->text);
        exit(1);
    }
}

static inline int check_summary(const char *name)
{
    printf("%s: %u checks, %u failed\n", name, check_n_done, check_n_failed);
    return check_n_failed == 0 && check_n_done > 0 ? 0 : 1;
}

static inline int check_tests(const char *file, void (*const *tests)(void))
{
    for (; *tests != NULL; tests++) {
        (*tests)();
    }
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return check_summary(file);
}

/* Run the named tests, each a void f(void), and check that nothing is left allocated; what main
 * returns. */
#define CHECK_TESTS(...) check_tests(__FILE__, (void (*const[])(void)){__VA_ARGS__, NULL})

/* Something that allocates, with what it needs in `user`. It frees all that it made. */
typedef enum mb_status check_attempt(void *user, struct mb_err *err);

/* Fail the first allocation of `attempt`, the second, ... until it succeeds. Each failure must
 * be reported as one and leave nothing behind. Returns how many there were, 0 if none or no
 * end. */
static inline unsigned check_each_allocation(check_attempt *attempt, void *user)
{
    const uint64_t n_live = mb_alloc_live_count();
    for (unsigned nth = 1; nth < 10000; nth++) {
        struct mb_err err = {0};
        mb_alloc_fail_nth(nth, false);
        const enum mb_status status = attempt(user, &err);
        mb_alloc_fail_nth(0, false);
        CHECK_EQ_INT(mb_alloc_live_count(), n_live);
        if (status == MB_OK) {
            return nth - 1;
        }
        CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    }
    return 0;
}
