/* The findings of a tuning: names, and who frees what. */
#include "tune/model.h"

#include "base/alloc.h"

const struct mb_timing *mb_tune_final(const struct mb_run *run, const struct mb_tune_case *c)
{
    return c->final != SIZE_MAX ? &run->cases[c->final]->timings[0] : NULL;
}

const char *mb_tune_how_name(enum mb_tune_how how)
{
    static const char *const names[] = {
        [MB_TUNE_INTERPOLATED] = "interpolated",
        [MB_TUNE_ESTIMATED] = "estimated",
        [MB_TUNE_MIDPOINT] = "midpoint",
        [MB_TUNE_LIMIT] = "limit",
    };
    return names[how];
}

const char *mb_tune_pass_name(uint32_t pass)
{
    static const char *const names[MB_TUNE_MAX_PASSES] = {"coarse", "middle"};
    return names[pass];
}

void mb_tune_case_finish(struct mb_tune_case *c)
{
    for (size_t i = 0; c->variants && i < c->n_variants; i++) {
        mb_free(c->variants[i].reason);
    }
    mb_free(c->variants);
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        mb_free(c->choice[question].relation);
    }
    *c = (struct mb_tune_case){.variants = NULL};
}

void mb_tune_finish(struct mb_tune *tune)
{
    for (size_t i = 0; i < tune->n_cases; i++) {
        mb_tune_case_finish(&tune->cases[i]);
    }
    mb_free(tune->cases);
    mb_free(tune->classes);
    mb_free(tune->crossovers);
    *tune = (struct mb_tune){.rows = NULL};
}
