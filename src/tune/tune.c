/* Tuning: the cases one by one, and what became of them. */
#include "tune/tune.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "bench/bench.h"
#include "bench/image_case.h"
#include "result/relate.h"
#include "tune/choose.h"
#include "tune/class.h"
#include "tune/contest.h"
#include "bench/warn.h"

static enum mb_status choose_all(const struct mb_timing *timing, uint64_t seed,
                                 struct mb_tune_case *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        MB_TRY(mb_tune_choose(timing, (enum mb_question)question, seed, &c->choice[question],
                              err));
    }
fail:
    return status;
}

/* The final is the last case of the run, unless nothing ran; and what was chosen in it becomes
 * a case of the tuning. */
static enum mb_status keep_case(const struct mb_tune_options *options, struct mb_run *run,
                                struct mb_tune *tune, struct mb_tune_case *c,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_case *final = run->cases[run->n_cases - 1];
    const struct mb_timing nothing = {.of = final};
    const bool has_run = final->n_timings > 0;
    c->final = has_run ? run->n_cases - 1 : SIZE_MAX;
    MB_TRY(
        choose_all(has_run ? &final->timings[0] : &nothing, options->settings->seed, c, err));
    if (has_run) {
        mb_warn_case(run, final);
        MB_TRY(mb_relate_judge(&final->timings[0], err));
    } else {
        mb_run_drop_case(run);
    }
    tune->cases[tune->n_cases++] = *c;
    *c = (struct mb_tune_case){.variants = NULL};
    MB_TRY(mb_tune_classify(tune, run, err));
    MB_TRY(options->on_case_done(options->hooks->user, run, tune, err));
fail:
    return status;
}

static bool is_known_case(const struct mb_tune *tune, const struct mb_layout *layout)
{
    for (size_t i = 0; i < tune->n_cases; i++) {
        const struct mb_layout *other = &tune->cases[i].layout;
        if (other->format == layout->format && other->base.width == layout->base.width &&
            other->base.height == layout->base.height) {
            return true; /* "auto" may be one of those that are named */
        }
    }
    return false;
}

/* A tuning while its cases are run. */
struct progress {
    const struct mb_tune_options *options;
    struct mb_settings settings; /* with the format of the case */
    const struct mb_image *image;
    struct mb_calibration calibration;
    struct mb_run *run;
    struct mb_tune *tune;
    bool is_complete; /* no case was interrupted */
};

static enum mb_status run_case(struct progress *p, size_t size, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_case blank = {.results = NULL};
    struct mb_tune_case c = {.variants = NULL};
    struct mb_condition conditions[MB_MAX_CONDITIONS];
    bool is_kept = false;
    void *source = NULL;
    mb_conditions(p->options->gpu, &p->settings, conditions);
    struct mb_tune_contest contest = {
        .options = p->options,
        .settings = &p->settings,
        .condition = conditions[0],
        .calibration = &p->calibration,
        .blank = &blank,
        .c = &c,
    };
    struct mb_case *final = mb_run_add_case(p->run);
    if (!final) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    MB_TRY(mb_image_make_case(p->image, &p->settings, size, &blank, &source, err));
    contest.source = source;
    c.layout = blank.layout;
    if (is_known_case(p->tune, &c.layout)) {
        goto fail;
    }
    MB_TRY(mb_image_match_roofline(&p->calibration, &blank, err));
    MB_TRY(mb_tune_contest_run(&contest, final, err));
    is_kept = p->is_complete = contest.is_complete;
    if (is_kept) {
        MB_TRY(keep_case(p->options, p->run, p->tune, &c, err));
    }
fail:
    mb_free(source);
    if (!is_kept) {
        mb_run_drop_case(p->run);
    }
    mb_tune_case_finish(&c);
    return status;
}

static enum mb_status run_cases(struct progress *p, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_tune_options *options = p->options;
    const size_t n_sizes = mb_settings_n_sizes(&p->settings);
    for (size_t i = 0; i < options->n_formats * n_sizes && p->is_complete; i++) {
        p->settings.format = options->formats[i / n_sizes];
        options->on_case_begin(options->hooks->user, i);
        MB_TRY(run_case(p, i % n_sizes, err));
    }
fail:
    return status;
}

/* Before anything is decided by the instrument it is checked; on a software device, whose times
 * predict nothing, it is not. */
static enum mb_status check_ruler(const struct mb_tune_options *options, struct mb_tune *tune,
                                  struct mb_err *err)
{
    if (options->gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        return MB_OK;
    }
    options->hooks->on_step(options->hooks->user, "self-test", "checking the instrument");
    const enum mb_status status =
        mb_selftest_run(options->gpu, options->settings, &tune->selftest, err);
    tune->has_selftest = status == MB_OK;
    return status;
}

static enum mb_status allocate(const struct mb_tune_options *options, const struct mb_run *run,
                               struct mb_tune *tune, struct mb_err *err)
{
    const size_t n_cases = options->n_formats * mb_settings_n_sizes(options->settings);
    *tune = (struct mb_tune){.rows = options->rows, .n_rows = options->n_rows};
    tune->cases = mb_alloc(n_cases, sizeof *tune->cases);
    if (!tune->cases) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    return mb_tune_classify(tune, run, err); /* an empty table is one, too */
}

enum mb_status mb_tune_run(const struct mb_tune_options *options, const struct mb_image *image,
                           struct mb_run *run, struct mb_tune *tune, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct progress p = {
        .options = options,
        .settings = *options->settings,
        .image = image,
        .run = run,
        .tune = tune,
    };
    const struct mb_hooks *hooks = options->hooks;
    const struct mb_calibration_stop stop = {hooks->is_interrupted, hooks->user};
    MB_TRY(allocate(options, run, tune, err));
    MB_TRY(mb_timer_check(options->gpu->info.timestamp_valid_bits,
                          options->gpu->info.timestamp_period_ns, options->gpu->info.name,
                          err));
    MB_TRY(check_ruler(options, tune, err));
    hooks->on_step(hooks->user, "device", "measuring its limits");
    MB_TRY(mb_calibration_init(&p.calibration, options->gpu, options->settings, &stop, err));
    mb_run_note_calibration(run, &p.calibration);
    p.is_complete = !hooks->is_interrupted(hooks->user);
    MB_TRY(run_cases(&p, err));
    run->complete = p.is_complete;
    run->exit_reason = p.is_complete ? "done" : "interrupted";
fail:
    mb_calibration_finish(&p.calibration);
    return status;
}

static bool has_choice(const struct mb_tune_case *c)
{
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        if (c->choice[question].chosen != SIZE_MAX) {
            return true;
        }
    }
    return false;
}

bool mb_tune_has_decisions(const struct mb_tune *tune)
{
    for (size_t i = 0; i < tune->n_cases; i++) {
        if (has_choice(&tune->cases[i])) {
            return true;
        }
    }
    return false;
}

/* The worst that became of the variants of one case, and whose it was. */
static enum mb_errc judge_case(const struct mb_tune_case *c, size_t *worst)
{
    enum mb_errc code = MB_ERRC_NONE;
    for (size_t i = 0; i < c->n_variants; i++) {
        if (c->variants[i].state != MB_TUNE_FAILED) {
            continue;
        }
        if (c->variants[i].is_wrong || code == MB_ERRC_NONE) {
            code = c->variants[i].is_wrong ? MB_ERRC_VERIFY : MB_ERRC_RUNTIME;
            *worst = i;
        }
        if (code == MB_ERRC_VERIFY) {
            return code;
        }
    }
    return code;
}

/* All that was asked for is left out of this case: the first variant stands for the others. */
static enum mb_status note_undecided(const struct mb_tune *tune, const struct mb_tune_case *c,
                                     struct mb_err *why)
{
    char label[MB_LABEL_BYTES];
    const char *reason = c->variants[0].reason ? c->variants[0].reason : "no reason given";
    mb_variant_label(&tune->rows[0], label, sizeof label);
    const enum mb_status status =
        MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                "%ux%u %s: no decision, since none of %zu variant%s can take part: %s: %s",
                c->layout.base.width, c->layout.base.height, c->layout.format->name,
                c->n_variants, c->n_variants == 1 ? "" : "s", label, reason);
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
        size_t worst = 0;
        const enum mb_errc code = judge_case(c, &worst);
        if (code != MB_ERRC_NONE) {
            char label[MB_LABEL_BYTES];
            mb_variant_label(&tune->rows[worst], label, sizeof label);
            status = MB_FAIL(why, code, "%s: %s", label, c->variants[worst].reason);
        }
    }
    for (size_t i = 0; i < tune->n_cases && status == MB_OK; i++) {
        if (!has_choice(&tune->cases[i])) {
            status = note_undecided(tune, &tune->cases[i], why);
        }
    }
    return status == MB_OK ? MB_ERRC_NONE : why->code;
}
