/* The findings of a tuning: names, verdicts, and who frees what. */
#include "tune/model.h"

#include "base/alloc.h"

const struct mb_tune_rule mb_tune_rules[MB_TUNE_MAX_PASSES] = {
    {"coarse", 5, 1.25},
    {"middle", 20, 1.10},
};

const char *const mb_tune_how_names[] = {
    [MB_TUNE_INTERPOLATED] = "interpolated",
    [MB_TUNE_ESTIMATED] = "estimated",
    [MB_TUNE_MIDPOINT] = "midpoint",
    [MB_TUNE_LIMIT] = "limit",
};

static bool has_choice(const struct mb_tune_case *c)
{
    bool has_any = false;
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        has_any = has_any || c->choice[question].chosen != NULL;
    }
    return has_any;
}

/* The first variant that is wrong, or else the first that failed, or NULL. */
static const struct mb_tune_variant *find_worst(const struct mb_tune_case *c)
{
    const struct mb_tune_variant *worst = NULL;
    for (const struct mb_tune_variant *v = c->variants; v < c->variants + c->n_variants; v++) {
        if (v->state == MB_TUNE_FAILED &&
            (worst == NULL || (v->is_wrong && !worst->is_wrong))) {
            worst = v;
        }
    }
    return worst;
}

/* All that was asked for is left out of this case: the first variant stands for the others. */
static enum mb_status note_undecided(const struct mb_tune *tune, const struct mb_tune_case *c,
                                     struct mb_err *why)
{
    char label[MB_LABEL_BYTES];
    const char *reason = c->variants[0].reason;
    mb_variant_label(&tune->rows[0], label, sizeof label);
    const enum mb_status status = MB_FAIL(
        why, MB_ERRC_UNSUPPORTED,
        "%ux%u %s: no decision, since none of %zu variant%s can take part: %s: %s",
        c->layout.base.width, c->layout.base.height, c->layout.format->name, c->n_variants,
        c->n_variants == 1 ? "" : "s", label, reason[0] != '\0' ? reason : "no reason given");
    mb_err_hint(why,
                "without --strategy everything is tried; without 'tune' mipbench times what "
                "tune leaves out");
    return status;
}

enum mb_errc mb_tune_verdict(const struct mb_tune *tune, struct mb_err *why)
{
    enum mb_status status = MB_OK;
    for (size_t i = 0; i < tune->n_cases && status == MB_OK; i++) {
        const struct mb_tune_case *c = &tune->cases[i];
        const struct mb_tune_variant *worst = find_worst(c);
        if (worst != NULL) {
            char label[MB_LABEL_BYTES];
            mb_variant_label(&tune->rows[worst - c->variants], label, sizeof label);
            status = MB_FAIL(why, worst->is_wrong ? MB_ERRC_VERIFY : MB_ERRC_RUNTIME, "%s: %s",
                             label, worst->reason);
        }
    }
    for (size_t i = 0; i < tune->n_cases && status == MB_OK; i++) {
        if (!has_choice(&tune->cases[i])) {
            status = note_undecided(tune, &tune->cases[i], why);
        }
    }
    return status == MB_OK ? MB_ERRC_NONE : why->code;
}

void mb_tune_case_finish(struct mb_tune_case *c)
{
    mb_free(c->variants);
    *c = (struct mb_tune_case){.variants = NULL};
}

void mb_tune_finish(struct mb_tune *tune)
{
    for (size_t i = 0; i < tune->n_cases; i++) {
        mb_tune_case_finish(&tune->cases[i]);
    }
    mb_free(tune->cases);
    mb_free(tune->classes);
    *tune = (struct mb_tune){.rows = NULL};
}
