/* Checks for unit tests: each failure prints its place and values, and the summary decides the
 * exit code. One header, no framework. */
#ifndef MB_TESTS_CHECK_H
#define MB_TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static unsigned check_n_done;
static unsigned check_n_failed;

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

static inline int check_summary(const char *name)
{
    printf("%s: %u checks, %u failed\n", name, check_n_done, check_n_failed);
    return check_n_failed == 0 && check_n_done > 0 ? 0 : 1;
}

#endif
