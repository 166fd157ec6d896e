/* Comparisons within a run, on samples whose truth is known. */
#include "result/relate.h"

#include <math.h>

#include "check.h"
#include "samples_fixture.h"

#define N_BLOCKS  100
#define N_RESULTS 4
#define TWIN      N_RESULTS /* the column of the second name */

/* Results 0 to 3 and the twin of the first; the clock wanders by 20 % over the blocks, which
 * pairing takes out. */
static struct mb_timing *make_case(struct mb_case *c, const double ratio[N_RESULTS + 1],
                                   double noise)
{
    *c = (struct mb_case){.results = mb_alloc(N_RESULTS, sizeof *c->results),
                          .n_results = N_RESULTS};
    struct mb_timing *timing = mb_case_add_timing(c, MB_CACHE_HOT, MB_MODE_LATENCY);
    timing->fastest = timing->twin_of = 0;
    timing->twin_column = TWIN;
    timing->samples = make_samples(N_BLOCKS, N_RESULTS + 1, 1e4, ratio, noise, 0.2);
    for (size_t i = 0; i < N_RESULTS; i++) {
        timing->rows[i].column = i;
        timing->rows[i].stats.n = N_BLOCKS;
        c->results[i].verify = MB_VERIFY_PASS;
    }
    return timing;
}

static void relate(struct mb_timing *timing)
{
    CHECK_EQ_INT(mb_relate_timing(timing, 1, NULL), MB_OK);
}

static void test_verdicts(void)
{
    static const double ratios[] = {1.0, 1.004, 1.10, 2.0, 1.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01);
    relate(timing);
    CHECK_EQ_DBL(timing->rows[0].relation.ratio, 1.0, 0.0);
    CHECK(isnan(timing->rows[0].relation.p)); /* nothing to test */
    CHECK_EQ_INT(timing->rows[1].relation.outcome, MB_OUTCOME_SAME);
    CHECK_EQ_INT(timing->rows[2].relation.outcome, MB_OUTCOME_SLOWER);
    CHECK_EQ_INT(timing->rows[3].relation.outcome, MB_OUTCOME_SLOWER);
    CHECK_EQ_DBL(timing->rows[2].relation.ratio, 1.10, 0.003);
    CHECK(timing->rows[2].relation.ci[0] < 1.10 && timing->rows[2].relation.ci[1] > 1.09);
    CHECK_EQ_DBL(timing->twin.ratio, 1.0, 0.002);
    CHECK_EQ_DBL(mb_relate_margin(timing), MB_MARGIN, 0.0);
    mb_case_finish(&c);
}

/* An instrument that is 5 % off against itself finds no difference of 3 %, and does not call it
 * none.
 */
static void test_margin(void)
{
    static const double ratios[] = {1.0, 1.03, 1.10, 2.0, 1.05};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01);
    relate(timing);
    CHECK_EQ_DBL(mb_relate_margin(timing), 0.05, 0.002);
    CHECK_EQ_INT(timing->rows[1].relation.outcome, MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(timing->rows[2].relation.outcome, MB_OUTCOME_SLOWER);
    mb_case_finish(&c);
}

/* Bounds are 1.25 and 0.8 then, so that the twin lies on one of them. */
static void test_margin_below_one(void)
{
    static const double ratios[] = {1.0, 1.03, 1.10, 2.0, 0.8};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01);
    relate(timing);
    CHECK_EQ_DBL(mb_relate_margin(timing), 0.25, 0.003);
    CHECK_EQ_DBL(1.0 / (1.0 + mb_relate_margin(timing)), timing->twin.ratio, 1e-12);
    mb_case_finish(&c);
}

static void test_noise(void)
{
    static const double ratios[] = {1.0, 1.02, 1.02, 1.02, 1.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 1.5);
    relate(timing);
    for (size_t i = 1; i < N_RESULTS; i++) {
        CHECK_EQ_INT(timing->rows[i].relation.outcome, MB_OUTCOME_INCONCLUSIVE);
    }
    mb_case_finish(&c);
}

/* What was not timed, and what has no logarithm, is not compared; no fastest, no relation. */
static void test_gaps(void)
{
    static const double ratios[] = {1.0, 1.5, 2.0, 3.0, 1.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01);
    timing->rows[1].column = SIZE_MAX;
    timing->samples.sample[2].duration_ns = -1.0; /* a slope may be: result 2 */
    relate(timing);
    CHECK(isnan(timing->rows[1].relation.ratio));
    CHECK(isnan(timing->rows[2].relation.ratio));
    CHECK_EQ_INT(timing->rows[2].relation.outcome, MB_OUTCOME_INCONCLUSIVE);
    CHECK_EQ_INT(timing->rows[3].relation.outcome, MB_OUTCOME_SLOWER);
    timing->fastest = SIZE_MAX;
    relate(timing);
    for (size_t i = 0; i < N_RESULTS; i++) {
        CHECK(isnan(timing->rows[i].relation.ratio));
    }
    CHECK_EQ_DBL(timing->twin.ratio, 1.0, 0.002); /* all the same */
    mb_case_finish(&c);
}

/* p is adjusted over the comparisons of a timing: with more of them one alone weighs less. */
static void test_adjustment(void)
{
    static const double ratios[] = {1.0, 1.10, 1.10, 1.10, 1.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01);
    relate(timing);
    const double p = timing->rows[1].relation.p;
    timing->rows[2].column = timing->rows[3].column = SIZE_MAX;
    relate(timing);
    CHECK(p > 1.5 * timing->rows[1].relation.p);
    mb_case_finish(&c);
}

/* Six samples, all in favour, are enough for one rival and not for two. */
static void test_too_few(void)
{
    static const struct {
        uint32_t n_blocks;
        size_t n_results;
        bool can_tell;
    } cases[] = {{5, 4, true}, {6, 2, true},  {6, 3, false}, {7, 3, true},
                 {7, 4, true}, {6, 4, false}, {100, 4, true}}; /* of 5 no p is taken */
    static const double ratios[] = {1.0, 1.5, 2.0, 3.0, 1.0};
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_case c;
        struct mb_timing *timing = make_case(&c, ratios, 0.01);
        timing->samples.n_blocks = timing->samples.n_kept = cases[i].n_blocks;
        c.n_results = cases[i].n_results;
        relate(timing);
        const bool is_found = timing->rows[1].relation.outcome == MB_OUTCOME_SLOWER;
        CHECK_EQ_INT(mb_relate_can_tell(timing), cases[i].can_tell);
        CHECK_EQ_INT(is_found, cases[i].can_tell && cases[i].n_blocks > 5);
        c.n_results = N_RESULTS;
        mb_case_finish(&c);
    }
}

static enum mb_status relate_all(void *timing, struct mb_err *err)
{
    return mb_relate_timing(timing, 1, err);
}

static void test_no_memory(void)
{
    static const double ratios[] = {1.0, 1.1, 1.2, 1.3, 1.0};
    struct mb_case c;
    CHECK(check_each_allocation(relate_all, make_case(&c, ratios, 0.01)) > 10);
    mb_case_finish(&c);
}

int main(void)
{
    return CHECK_TESTS(test_verdicts, test_margin, test_margin_below_one, test_noise, test_gaps,
                       test_adjustment, test_too_few, test_no_memory);
}
