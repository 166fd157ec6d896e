/* The allocator: zeroing, overflow, planted failures, and the count of live blocks. */
#include <stdint.h>

#include "base/alloc.h"
#include "check.h"

static void test_basics(void)
{
    const uint64_t n_before = mb_alloc_live_count();
    unsigned char *zeroed = mb_alloc(16, 3);
    CHECK(zeroed != NULL);
    for (size_t i = 0; zeroed != NULL && i < 48; i++) {
        CHECK_EQ_INT(zeroed[i], 0);
    }
    void *none[3] = {mb_alloc(0, 8), mb_malloc(0), mb_realloc(NULL, 0)};
    CHECK(none[0] != NULL && none[1] != NULL && none[2] != NULL);
    CHECK(none[0] != none[1] && none[1] != none[2]);
    CHECK_EQ_INT(mb_alloc_live_count() - n_before, 4);

    char *text = mb_strdup("mip");
    CHECK_EQ_STR(text, "mip");
    text = mb_realloc(text, 1000);
    CHECK_EQ_STR(text, "mip");
    CHECK_EQ_INT(mb_alloc_live_count() - n_before, 5);
    mb_free(text);
    mb_free(NULL);
    for (size_t i = 0; i < 3; i++) {
        mb_free(none[i]);
    }
    mb_free(zeroed);
    CHECK_EQ_INT(mb_alloc_live_count(), n_before);
}

static void test_overflow(void)
{
    volatile size_t huge = SIZE_MAX / 2;
    CHECK(mb_alloc(huge, 4) == NULL);
    CHECK(mb_malloc(huge + 2) == NULL);
}

static void test_planted_failure(void)
{
    mb_alloc_fail_nth(2, false);
    void *first = mb_malloc(8), *second = mb_malloc(8), *third = mb_malloc(8);
    CHECK(first != NULL && second == NULL && third != NULL);

    mb_alloc_fail_nth(1, true);
    CHECK(mb_strdup("x") == NULL);
    CHECK(mb_alloc(1, 1) == NULL);
    CHECK(mb_realloc(first, 64) == NULL); /* `first` stays valid */
    mb_alloc_fail_nth(0, true);
    void *fourth = mb_malloc(8);
    CHECK(fourth != NULL);
    mb_free(first);
    mb_free(third);
    mb_free(fourth);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

int main(void)
{
    return CHECK_TESTS(test_basics, test_overflow, test_planted_failure);
}
