/* Counts the verdicts on the timings of a run. Its cases have the same variants in the same
 * order, and the same conditions, if none was interrupted: they differ in image, size and
 * format. */
#include "cli/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "result/label.h"
#include "result/ranking.h"
#include "cli/grid.h"

#define LABEL_COLUMNS 16 /* of one that shares a cell */

/* Of a variant: the images in which it is the fastest, and the ratios of the next one there. */
struct wins {
    const struct mb_timing *timing; /* the last of them */
    size_t n;
    double least, most; /* most is 0 where nobody is next */
};

/* Of the images of one size and format under one condition. */
struct tally {
    size_t n_images, n_of[MB_LEAD_CLEAR + 1];
    struct wins *wins; /* of each variant; owned */
};

static const struct mb_grid_column winner_columns[] = {
    {.title = "Size"},
    {.title = "Fastest"},
    {.title = "Result", .drop = 1},
    {.title = "Images", .is_right = true},
    {.title = "Lead", .is_right = true},
    {.title = "Others"},
};

static const struct mb_grid_column failure_columns[] = {
    {.title = "FAILED"},
    {.title = "Size"},
    {.title = "Format"},
    {.title = "Image"},
};

static bool has_one_image(const struct mb_run *run)
{
    size_t i = 0;
    while (i < run->n_cases && strcmp(run->cases[i]->input, run->cases[0]->input) == 0) {
        i++;
    }
    return i == run->n_cases;
}

static bool is_alike(const struct mb_case *a, const struct mb_case *b)
{
    return a->layout.base.width == b->layout.base.width &&
           a->layout.base.height == b->layout.base.height &&
           a->layout.format == b->layout.format;
}

static void count(struct tally *tally, const struct mb_run *run, const struct mb_timing *timing)
{
    const struct mb_ranking ranking = mb_ranking_of(run, timing);
    tally->n_images++;
    tally->n_of[ranking.lead]++;
    if (ranking.lead == MB_LEAD_CLEAR) {
        const double ratio = ranking.next_ratio;
        struct wins *wins = &tally->wins[timing->fastest];
        wins->least = wins->n == 0 ? ratio : fmin(wins->least, ratio); /* a number before NaN */
        wins->most = fmax(wins->most, ratio);
        wins->timing = timing;
        wins->n++;
    }
}

/* "1.12 - 1.44x" */
static struct mb_text text_ratios(const struct wins *wins)
{
    const double range[2] = {wins->least, wins->most};
    if (wins->most == 0.0) {
        return mb_text("-");
    }
    return mb_text("%sx", range[1] - range[0] < 0.005 ? mb_ratio_text(range[1]).s
                                                      : mb_ratio_range_text(range).s);
}

static void add_other(struct mb_strbuf *text, const char *what, size_t n)
{
    if (n > 0) {
        mb_strbuf_printf(text, "%s%zu ", text->n_bytes > 0 ? ", " : "", n);
        mb_strbuf_shorten(text, what, LABEL_COLUMNS);
    }
}

/* "2 raster, 1 tied, 3 too few samples": of the images that `best` did not win. */
static void add_others(struct mb_grid *grid, const struct mb_case *c, const struct tally *tally,
                       const struct wins *best)
{
    MB_SCOPED(mb_strbuf) text = {0};
    for (size_t i = 0; i < c->n_results; i++) {
        add_other(&text, c->results[i].label, &tally->wins[i] != best ? tally->wins[i].n : 0);
    }
    add_other(&text, "tied", tally->n_of[MB_LEAD_TIED]);
    add_other(&text, "too few samples", tally->n_of[MB_LEAD_TOO_FEW]);
    add_other(&text, "nothing to rank", tally->n_of[MB_LEAD_NONE]);
    mb_grid_cell(grid, "%s", mb_strbuf_text(&text));
    grid->text.failed = grid->text.failed || text.failed;
}

static void add_row(struct mb_grid *grid, const struct mb_case *c, const struct tally *tally)
{
    const struct wins *best = &tally->wins[0];
    for (size_t i = 1; i < c->n_results; i++) {
        best = tally->wins[i].n > best->n ? &tally->wins[i] : best;
    }
    const struct mb_result *winner = &c->results[best - tally->wins];
    mb_grid_row(grid, false, "");
    mb_grid_cell(grid, "%ux%u", c->layout.base.width, c->layout.base.height);
    mb_grid_cell(grid, "%s", best->n > 0 ? winner->label : "-");
    if (best->n > 0) {
        const struct mb_case *won = best->timing->of;
        mb_grid_cell(grid, "%s", mb_result_answer(won, &won->results[best - tally->wins]).word);
    } else {
        mb_grid_cell(grid, "-");
    }
    mb_grid_cell(grid, "%zu of %zu", best->n, tally->n_images);
    mb_grid_cell(grid, "%s", text_ratios(best).s);
    add_others(grid, c, tally, best);
}

/* The timing of a case under the condition of `like`, or NULL: a case that was interrupted has
 * only those that were sampled. */
static const struct mb_timing *find_timing(const struct mb_case *c,
                                           const struct mb_timing *like)
{
    for (size_t i = 0; i < c->n_timings; i++) {
        if (c->timings[i].cache == like->cache && c->timings[i].mode == like->mode) {
            return &c->timings[i];
        }
    }
    return NULL;
}

/* A row for the size and format of a case, unless there was nothing to rank. */
static void add_tally(struct mb_grid *grid, const struct mb_run *run, const struct mb_case *c,
                      const struct mb_timing *like)
{
    struct tally tally = {.wins = mb_alloc(c->n_results, sizeof *tally.wins)};
    grid->text.failed = grid->text.failed || tally.wins == NULL;
    for (size_t i = 0; tally.wins != NULL && i < run->n_cases; i++) {
        const struct mb_timing *timing = find_timing(run->cases[i], like);
        if (timing != NULL && is_alike(run->cases[i], c)) {
            count(&tally, run, timing);
        }
    }
    if (tally.n_images > tally.n_of[MB_LEAD_NONE]) {
        add_row(grid, c, &tally);
    }
    mb_free(tally.wins);
}

/* A row for each size that there is in the format of `like`, under its condition. */
static void add_winners(struct mb_grid *grid, const struct mb_run *run,
                        const struct mb_timing *like)
{
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *c = run->cases[i];
        size_t first = 0;
        while (!is_alike(run->cases[first], c)) {
            first++;
        }
        if (first == i && c->layout.format == like->of->layout.format) {
            add_tally(grid, run, c, like);
        }
    }
}

static void add_failures(struct mb_grid *grid, const struct mb_run *run, const char *paint)
{
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *c = run->cases[i];
        for (size_t k = 0; k < c->n_results; k++) {
            if (c->results[k].status == MB_RESULT_FAILED) {
                mb_grid_row(grid, false, paint);
                mb_grid_cell(grid, "%s", c->results[k].label);
                mb_grid_cell(grid, "%ux%u", c->layout.base.width, c->layout.base.height);
                mb_grid_cell(grid, "%s", c->layout.format->name);
                mb_grid_cell(grid, "%s", c->input);
            }
        }
    }
}

/* Append a grid below its title, unless it is empty, and finish it. */
static void add_grid(struct mb_strbuf *out, struct mb_grid *grid, const char *title,
                     enum mb_summary_form form, size_t n_columns)
{
    const bool is_markdown = form == MB_SUMMARY_MARKDOWN;
    if (grid->n_rows > 0) {
        mb_strbuf_append(out, is_markdown ? "\n### " : "\n");
        mb_strbuf_wrap(out, title, 0,
                       is_markdown ? MB_ANY_COLUMNS : mb_terminal_columns(n_columns));
        mb_strbuf_append(out, "\n\n");
    }
    if (grid->n_rows > 0 && is_markdown) {
        mb_grid_markdown(out, grid);
    } else {
        mb_grid_text(out, grid, n_columns);
    }
    mb_grid_finish(grid);
}

/* The tables of the format of the case `of`, one for each condition. */
static void add_format(struct mb_strbuf *out, const struct mb_run *run,
                       const struct mb_case *of, enum mb_summary_form form, size_t n_columns)
{
    for (size_t k = 0; k < of->n_timings; k++) {
        struct mb_grid grid = {.columns = winner_columns,
                               .n_columns = MB_COUNTOF(winner_columns)};
        const struct mb_text title = mb_text("Summary: %s, %s", of->layout.format->name,
                                             mb_timing_describe_task(&of->timings[k]).s);
        add_winners(&grid, run, &of->timings[k]);
        add_grid(out, &grid, title.s, form, n_columns);
    }
}

void mb_summary_add(struct mb_strbuf *out, const struct mb_run *run, enum mb_summary_form form,
                    size_t n_columns)
{
    struct mb_grid failures = {.columns = failure_columns,
                               .n_columns = MB_COUNTOF(failure_columns)};
    if (has_one_image(run)) {
        return;
    }
    for (size_t i = 0; i < run->n_cases; i++) {
        size_t first = 0;
        while (run->cases[first]->layout.format != run->cases[i]->layout.format) {
            first++;
        }
        if (first == i) {
            add_format(out, run, run->cases[i], form, n_columns);
        }
    }
    add_failures(&failures, run, form == MB_SUMMARY_COLORED ? MB_PAINT_BAD : "");
    add_grid(out, &failures, "Failures", form, n_columns);
}
