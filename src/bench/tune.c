/* Tuning: the cases one by one, and what became of them. */
#include "bench/tune.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "bench/bench.h"
#include "bench/image_cells.h"
#include "bench/relate.h"
#include "bench/tune_choose.h"
#include "bench/tune_contest.h"
#include "bench/warn.h"

const char *mb_tune_kind_name(enum mb_tune_kind kind)
{
    static const char *const names[MB_N_TUNE_KINDS] = {
        [MB_TUNE_BOX] = "box",           [MB_TUNE_ANY] = "any",
        [MB_TUNE_KAISER] = "kaiser",     [MB_TUNE_LANCZOS] = "lanczos",
        [MB_TUNE_GAUSSIAN] = "gaussian", [MB_TUNE_GAUSSIAN16] = "gaussian16",
    };
    return names[kind];
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

static enum mb_status choose_all(const struct mb_cell *cell, uint64_t seed,
                                 struct mb_tune_case *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    for (int kind = 0; kind < MB_N_TUNE_KINDS; kind++) {
        MB_TRY(mb_tune_choose(cell, (enum mb_tune_kind)kind, seed, &c->choice[kind], err));
    }
fail:
    return status;
}

static void finish_case(struct mb_tune_case *c)
{
    for (size_t i = 0; c->variants && i < c->n_variants; i++) {
        mb_free(c->variants[i].reason);
    }
    mb_free(c->variants);
    for (int kind = 0; kind < MB_N_TUNE_KINDS; kind++) {
        mb_free(c->choice[kind].relation);
    }
    *c = (struct mb_tune_case){.variants = NULL};
}

void mb_tune_finish(struct mb_tune *tune)
{
    for (size_t i = 0; i < tune->n_cases; i++) {
        finish_case(&tune->cases[i]);
    }
    mb_free(tune->cases);
    mb_free(tune->classes);
    mb_free(tune->crossovers);
    *tune = (struct mb_tune){.rows = NULL};
}

/* The final becomes a cell of the run, and the case one of the tuning. */
static enum mb_status keep_case(const struct mb_tune_options *options, struct mb_run *run,
                                struct mb_cell *cell, struct mb_tune *tune,
                                struct mb_tune_case *c, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    c->cell = SIZE_MAX;
    MB_TRY(choose_all(cell, options->settings->seed, c, err));
    if (cell->n_results > 0) {
        mb_warn_cell(run, cell);
        MB_TRY(mb_relate_judge(cell, err));
        c->cell = run->n_cells;
        run->cells[run->n_cells++] = *cell;
        *cell = (struct mb_cell){.results = NULL};
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

static enum mb_status run_case(const struct mb_tune_options *options,
                               const struct mb_settings *settings, size_t size,
                               const struct mb_image *image, struct mb_ruler *ruler,
                               struct mb_run *run, struct mb_tune *tune, bool *is_complete,
                               struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_cell blank[MB_N_CACHES * MB_N_MODES] = {{.results = NULL}};
    struct mb_cell cell = {.results = NULL};
    struct mb_tune_case c = {.variants = NULL};
    void *source = NULL;
    struct mb_tune_contest contest = {
        .options = options,
        .settings = settings,
        .ruler = ruler,
        .blank = &blank[0],
        .c = &c,
    };
    MB_TRY(mb_image_make_cell(image, settings, 0, size, &blank[0], &source, err));
    contest.source = source;
    c.layout = blank[0].layout;
    if (is_known_case(tune, &c.layout)) {
        goto fail;
    }
    mb_image_spread_cell(options->gpu, settings, blank);
    MB_TRY(mb_image_match_roofline(ruler, blank, 1, err));
    MB_TRY(mb_tune_contest_run(&contest, &cell, err));
    *is_complete = contest.is_complete;
    if (*is_complete) {
        MB_TRY(keep_case(options, run, &cell, tune, &c, err));
    }
fail:
    mb_free(source);
    mb_cell_finish(&cell);
    finish_case(&c);
    return status;
}

static size_t count_sizes(const struct mb_settings *settings)
{
    return settings->n_sizes > 0 ? settings->n_sizes : 1;
}

static enum mb_status run_cases(const struct mb_tune_options *options,
                                const struct mb_image *image, struct mb_ruler *ruler,
                                struct mb_run *run, struct mb_tune *tune, bool *is_complete,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_settings settings = *options->settings;
    const size_t n_sizes = count_sizes(&settings);
    for (size_t i = 0; i < options->n_formats * n_sizes && *is_complete; i++) {
        settings.format = options->formats[i / n_sizes];
        options->on_case_begin(options->hooks->user, i);
        MB_TRY(run_case(options, &settings, i % n_sizes, image, ruler, run, tune, is_complete,
                        err));
    }
fail:
    return status;
}

/* Before anything is decided by the ruler it is checked; on a software device, whose times
 * predict nothing, it is not. */
static enum mb_status check_ruler(const struct mb_tune_options *options, struct mb_tune *tune,
                                  struct mb_err *err)
{
    if (options->gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        return MB_OK;
    }
    options->hooks->on_step(options->hooks->user, "self-test", "checking the ruler");
    const enum mb_status status =
        mb_selftest_run(options->gpu, options->settings, &tune->selftest, err);
    tune->has_selftest = status == MB_OK;
    return status;
}

static enum mb_status allocate(const struct mb_tune_options *options, struct mb_run *run,
                               struct mb_tune *tune, struct mb_err *err)
{
    const size_t n_cases = options->n_formats * count_sizes(options->settings);
    *tune = (struct mb_tune){.rows = options->rows, .n_rows = options->n_rows};
    run->cells = mb_alloc(n_cases, sizeof *run->cells);
    tune->cases = mb_alloc(n_cases, sizeof *tune->cases);
    if (!run->cells || !tune->cases) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "tune: out of memory");
    }
    return mb_tune_classify(tune, run, err); /* an empty table is one, too */
}

enum mb_status mb_tune_run(const struct mb_tune_options *options, const struct mb_image *image,
                           struct mb_run *run, struct mb_tune *tune, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_ruler ruler = {0};
    const struct mb_hooks *hooks = options->hooks;
    const struct mb_ruler_stop stop = {hooks->is_interrupted, hooks->user};
    bool is_complete = true;
    MB_TRY(allocate(options, run, tune, err));
    MB_TRY(mb_timer_check(options->gpu->info.timestamp_valid_bits,
                          options->gpu->info.timestamp_period_ns, options->gpu->info.name,
                          err));
    MB_TRY(check_ruler(options, tune, err));
    hooks->on_step(hooks->user, "device", "measuring its limits");
    MB_TRY(mb_ruler_init(&ruler, options->gpu, options->settings, &stop, err));
    mb_run_note_ruler(run, &ruler);
    is_complete = !hooks->is_interrupted(hooks->user);
    MB_TRY(run_cases(options, image, &ruler, run, tune, &is_complete, err));
    run->complete = is_complete;
    run->exit_reason = is_complete ? "done" : "interrupted";
fail:
    mb_ruler_finish(&ruler);
    return status;
}

static bool has_choice(const struct mb_tune_case *c)
{
    for (int kind = 0; kind < MB_N_TUNE_KINDS; kind++) {
        if (c->choice[kind].chosen != SIZE_MAX) {
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
    mb_row_label(&tune->rows[0], label, sizeof label);
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
            mb_row_label(&tune->rows[worst], label, sizeof label);
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
