/* A comparison as a table, for a terminal and as Markdown: one list of columns for both. */
#include <math.h>
#include <stdio.h>

#include "base/grid.h"
#include "base/text.h"
#include "cli/compare_view.h"
#include "cli/progress.h"

#define TEXT_BYTES 200
#define GAP        2 /* spaces between columns */

#define PAINT_SLOWER "\033[1;31m"
#define PAINT_FASTER "\033[1;32m"
#define PAINT_WARN   "\033[1;33m"
#define PAINT_DIM    "\033[2m"
#define PAINT_OFF    "\033[0m"

struct column {
    const char *title;
    bool is_right; /* aligned */
    bool is_extra; /* with --verbose only */
    void (*text)(const struct mb_compare_row *row, char *out);
};

static void text_strategy(const struct mb_compare_row *row, char *out)
{
    mb_utf8_sanitize(row->base->label, out, TEXT_BYTES);
}

static void text_case(const struct mb_compare_row *row, char *out)
{
    mb_utf8_sanitize(row->base->place, out, TEXT_BYTES);
}

static void text_base(const struct mb_compare_row *row, char *out)
{
    mb_time_text(row->base_ns, out, TEXT_BYTES);
}

static void text_new(const struct mb_compare_row *row, char *out)
{
    mb_time_text(row->new_ns, out, TEXT_BYTES);
}

static void text_ratio(const struct mb_compare_row *row, char *out)
{
    snprintf(out, TEXT_BYTES, "%.3f", row->ratio);
}

/* No figure is a dash: too few samples have no interval. */
static void text_interval(const struct mb_compare_row *row, char *out)
{
    if (isfinite(row->ratio_ci[0]) && isfinite(row->ratio_ci[1])) {
        snprintf(out, TEXT_BYTES, "%.3f - %.3f", row->ratio_ci[0], row->ratio_ci[1]);
    } else {
        snprintf(out, TEXT_BYTES, "-");
    }
}

static void text_margin(const struct mb_compare_row *row, char *out)
{
    snprintf(out, TEXT_BYTES, "%.2f %%", 100 * row->margin);
}

static void text_p(const struct mb_compare_row *row, char *out)
{
    if (isfinite(row->p_adjusted)) {
        snprintf(out, TEXT_BYTES, "%.3g", row->p_adjusted);
    } else {
        snprintf(out, TEXT_BYTES, "-");
    }
}

static void text_runs(const struct mb_compare_row *row, char *out)
{
    snprintf(out, TEXT_BYTES, "%zu, %zu", row->n_base, row->n_new);
}

/* What more runs would settle is told below the table, for all rows. */
static void text_verdict(const struct mb_compare_row *row, char *out)
{
    const bool tells_runs = row->is_single_run && row->n_runs_needed == 0;
    const char *check = row->is_check_lost ? ", no longer verified" : ", not checked";
    snprintf(out, TEXT_BYTES, "%s%s%s%s%s", mb_outcome_name(row->outcome),
             tells_runs ? ", single run" : "", row->is_checked ? "" : check,
             row->reason[0] != '\0' ? ": " : "", row->reason);
}

static const struct column columns[] = {
    {.title = "Strategy", .text = text_strategy},
    {.title = "Case", .text = text_case},
    {.title = "Base", .is_right = true, .text = text_base},
    {.title = "New", .is_right = true, .text = text_new},
    {.title = "Ratio", .is_right = true, .text = text_ratio},
    {.title = "95% interval", .is_right = true, .text = text_interval},
    {.title = "Margin", .is_right = true, .is_extra = true, .text = text_margin},
    {.title = "p", .is_right = true, .is_extra = true, .text = text_p},
    {.title = "Runs", .is_right = true, .is_extra = true, .text = text_runs},
    {.title = "Verdict", .text = text_verdict},
};

#define N_COLUMNS MB_COUNTOF(columns)

/* The width of each column; 0: not shown. */
static void measure(const struct mb_comparison *comparison, bool is_verbose,
                    size_t width[N_COLUMNS])
{
    char text[TEXT_BYTES];
    for (size_t c = 0; c < N_COLUMNS; c++) {
        width[c] = 0;
        if (columns[c].is_extra && !is_verbose) {
            continue;
        }
        width[c] = mb_utf8_columns(columns[c].title);
        for (size_t i = 0; i < comparison->n_rows; i++) {
            columns[c].text(&comparison->rows[i], text);
            const size_t n_columns = mb_utf8_columns(text);
            width[c] = n_columns > width[c] ? n_columns : width[c];
        }
    }
}

/* The last column is not padded, so that no line ends in spaces. */
static void add_padded(struct mb_strbuf *out, size_t c, const char *text, size_t width)
{
    const size_t pad = width - mb_utf8_columns(text);
    mb_strbuf_spaces(out, GAP + (columns[c].is_right ? pad : 0));
    mb_strbuf_append(out, text);
    mb_strbuf_spaces(out, columns[c].is_right || c == N_COLUMNS - 1 ? 0 : pad);
}

static const char *paint_of(const struct mb_compare_row *row)
{
    static const char *const paints[] = {
        [MB_OUTCOME_SAME] = "",
        [MB_OUTCOME_FASTER] = PAINT_FASTER,
        [MB_OUTCOME_SLOWER] = PAINT_SLOWER,
        [MB_OUTCOME_INCONCLUSIVE] = PAINT_DIM,
    };
    return row->is_regression ? PAINT_SLOWER : paints[row->outcome];
}

static void add_row(struct mb_strbuf *out, const struct mb_compare_row *row,
                    const size_t width[N_COLUMNS], const struct mb_table_style *style)
{
    const char *paint = style->color ? paint_of(row) : "";
    char text[TEXT_BYTES];
    mb_strbuf_append(out, paint);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        if (width[c] > 0) {
            columns[c].text(row, text);
            add_padded(out, c, text, width[c]);
        }
    }
    mb_strbuf_printf(out, "%s\n", paint[0] != '\0' ? PAINT_OFF : "");
}

static void add_rows(struct mb_strbuf *out, const struct mb_comparison *comparison,
                     bool is_verbose, const struct mb_table_style *style)
{
    size_t width[N_COLUMNS];
    if (comparison->n_rows == 0) {
        return;
    }
    measure(comparison, is_verbose, width);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        if (width[c] > 0) {
            add_padded(out, c, columns[c].title, width[c]);
        }
    }
    mb_strbuf_append(out, "\n");
    for (size_t i = 0; i < comparison->n_rows; i++) {
        add_row(out, &comparison->rows[i], width, style);
    }
    mb_strbuf_append(out, "\n");
}

static void add_clean(struct mb_strbuf *out, const char *text)
{
    char clean[sizeof(((struct mb_comparison *)0)->warnings[0])];
    mb_utf8_sanitize(text, clean, sizeof clean);
    mb_strbuf_append(out, clean);
}

/* "base  run 20261121T023000Z-h200 - NVIDIA H200 - driver X - a.json", and how many more. */
static void add_side(struct mb_strbuf *out, const char *name, const struct mb_run_group *group)
{
    const struct mb_result_file *file = &group->files[0];
    mb_strbuf_printf(out, "%s  ", name);
    add_clean(out, file->path);
    mb_strbuf_printf(out, " (%s, driver %s, mipbench %s)", file->device, file->driver,
                     file->git_sha);
    if (group->n_files > 1) {
        mb_strbuf_printf(out, " and %zu more", group->n_files - 1);
    }
    mb_strbuf_append(out, "\n");
}

static void add_warnings(struct mb_strbuf *out, const struct mb_comparison *comparison,
                         const struct mb_table_style *style)
{
    for (size_t i = 0; i < comparison->n_warnings; i++) {
        mb_strbuf_append(out, style->color ? PAINT_WARN : "");
        mb_strbuf_append(out, "warning: ");
        add_clean(out, comparison->warnings[i]);
        mb_strbuf_append(out, style->color ? PAINT_OFF "\n" : "\n");
    }
}

static void add_gaps(struct mb_strbuf *out, const struct mb_comparison *comparison,
                     bool is_brief, const struct mb_table_style *style)
{
    size_t n_shown = 0;
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        const struct mb_compare_gap *gap = &comparison->gaps[i];
        if (is_brief && !gap->is_regression) {
            continue;
        }
        const char *paint = gap->is_regression ? PAINT_SLOWER : PAINT_DIM;
        mb_strbuf_append(out, n_shown++ == 0 ? "Not compared:\n" : "");
        mb_strbuf_append(out, style->color ? paint : "");
        mb_strbuf_append(out, gap->is_regression ? "  REGRESSION  " : "  ");
        add_clean(out, gap->result->label);
        mb_strbuf_append(out, "  ");
        add_clean(out, gap->result->place);
        mb_strbuf_append(out, ": ");
        add_clean(out, gap->reason);
        mb_strbuf_append(out, style->color ? PAINT_OFF "\n" : "\n");
    }
    mb_strbuf_append(out, n_shown > 0 ? "\n" : "");
}

/* "INCONCLUSIVE, single run: about 19 to more than 50 runs a side would settle these." */
static void add_runs_needed(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < comparison->n_rows; i++) {
        const uint32_t n = comparison->rows[i].n_runs_needed;
        least = n > 0 && n < least ? n : least;
        most = n > most ? n : most;
    }
    if (most == 0) {
        return;
    }
    mb_strbuf_append(out, "\nINCONCLUSIVE, single run: ");
    if (least < most) {
        mb_strbuf_printf(out, "about %u to ", least);
    }
    mb_strbuf_append(out, most == MB_MANY_RUNS ? "more than " : least == most ? "about " : "");
    mb_strbuf_printf(out, "%u runs a side would settle these.", most);
}

/* "12 compared: 1 SLOWER, 11 SAME; 2 not compared; single run: ...", without a newline at the
 * end. */
static void add_summary(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    static const enum mb_outcome order[] = {MB_OUTCOME_SLOWER, MB_OUTCOME_FASTER,
                                            MB_OUTCOME_SAME, MB_OUTCOME_INCONCLUSIVE};
    const char *separator = ": ";
    size_t n_lost = 0;
    mb_strbuf_printf(out, "%zu compared", comparison->n_rows);
    for (size_t i = 0; i < MB_COUNTOF(order); i++) {
        const size_t n = comparison->n_outcomes[order[i]];
        if (n > 0) {
            mb_strbuf_printf(out, "%s%zu %s", separator, n, mb_outcome_name(order[i]));
            separator = ", ";
        }
    }
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        n_lost += comparison->gaps[i].is_regression;
    }
    if (comparison->n_gaps > 0) {
        mb_strbuf_printf(out, "; %zu not compared", comparison->n_gaps);
    }
    if (n_lost > 0) {
        mb_strbuf_printf(out, ", %zu of them verified before", n_lost);
    }
    if (comparison->n_checks_lost > 0) {
        mb_strbuf_printf(out, "; %zu no longer verified", comparison->n_checks_lost);
    }
    if (comparison->n_single_runs > 0) {
        mb_strbuf_append(out, "; single run");
        if (comparison->n_single_runs < comparison->n_rows) {
            mb_strbuf_printf(out, " in %zu of them", comparison->n_single_runs);
        }
        mb_strbuf_printf(out,
                         ": with fewer than %d a side, what differs from run to run is not in "
                         "the intervals",
                         MB_FEW_RUNS);
    }
    mb_strbuf_append(out, ".");
    add_runs_needed(out, comparison);
}

void mb_compare_text(struct mb_strbuf *out, const struct mb_compare_view *view,
                     enum mb_compare_detail detail, const struct mb_table_style *style)
{
    const bool is_brief = detail == MB_COMPARE_BRIEF;
    if (!is_brief) {
        add_side(out, "Base", &view->base);
        add_side(out, "New ", &view->new_runs);
        add_warnings(out, view->comparison, style);
        mb_strbuf_append(out, "\n");
    }
    add_rows(out, view->comparison, detail == MB_COMPARE_VERBOSE, style);
    add_gaps(out, view->comparison, is_brief, style);
    add_summary(out, view->comparison);
    mb_strbuf_append(out, "\n");
}

static void md_side(struct mb_strbuf *out, const char *name, const struct mb_run_group *group)
{
    for (size_t i = 0; i < group->n_files; i++) {
        const struct mb_result_file *file = &group->files[i];
        mb_strbuf_printf(out, "* %s: ", name);
        mb_markdown_text(out, file->run_id);
        mb_strbuf_append(out, ", ");
        mb_markdown_text(out, file->device);
        mb_strbuf_append(out, ", driver ");
        mb_markdown_text(out, file->driver);
        mb_strbuf_append(out, ", mipbench ");
        mb_markdown_text(out, file->git_sha);
        mb_strbuf_append(out, "\n");
    }
}

static void md_rows(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    char text[TEXT_BYTES];
    mb_strbuf_append(out, "\n|");
    for (size_t c = 0; c < N_COLUMNS; c++) {
        mb_strbuf_printf(out, " %s |", columns[c].title);
    }
    mb_strbuf_append(out, "\n|");
    for (size_t c = 0; c < N_COLUMNS; c++) {
        mb_strbuf_append(out, columns[c].is_right ? "--:|" : ":--|");
    }
    mb_strbuf_append(out, "\n");
    for (size_t i = 0; i < comparison->n_rows; i++) {
        const enum mb_outcome outcome = comparison->rows[i].outcome;
        const bool is_news = outcome == MB_OUTCOME_SLOWER || outcome == MB_OUTCOME_FASTER ||
                             comparison->rows[i].is_regression;
        mb_strbuf_append(out, "|");
        for (size_t c = 0; c < N_COLUMNS; c++) {
            const char *emphasis = is_news && c == N_COLUMNS - 1 ? "**" : "";
            columns[c].text(&comparison->rows[i], text);
            mb_strbuf_printf(out, " %s", emphasis);
            mb_markdown_text(out, text);
            mb_strbuf_printf(out, "%s |", emphasis);
        }
        mb_strbuf_append(out, "\n");
    }
}

static void md_gaps(struct mb_strbuf *out, const struct mb_comparison *comparison)
{
    if (comparison->n_gaps > 0) {
        mb_strbuf_append(out, "\nNot compared:\n\n");
    }
    for (size_t i = 0; i < comparison->n_gaps; i++) {
        const struct mb_compare_gap *gap = &comparison->gaps[i];
        mb_strbuf_append(out, gap->is_regression ? "* **REGRESSION** " : "* ");
        mb_markdown_text(out, gap->result->label);
        mb_strbuf_append(out, " ");
        mb_markdown_text(out, gap->result->place);
        mb_strbuf_append(out, ": ");
        mb_markdown_text(out, gap->reason);
        mb_strbuf_append(out, "\n");
    }
}

void mb_compare_markdown(struct mb_strbuf *out, const struct mb_compare_view *view)
{
    const struct mb_comparison *comparison = view->comparison;
    struct mb_strbuf summary = {0};
    add_summary(&summary, comparison);
    mb_strbuf_printf(out, "%s\n\n", mb_strbuf_text(&summary));
    md_side(out, "base", &view->base);
    md_side(out, "new", &view->new_runs);
    for (size_t i = 0; i < comparison->n_warnings; i++) {
        mb_strbuf_append(out, "* warning: ");
        mb_markdown_text(out, comparison->warnings[i]);
        mb_strbuf_append(out, "\n");
    }
    if (comparison->n_rows > 0) {
        md_rows(out, comparison);
    }
    md_gaps(out, comparison);
    out->failed = out->failed || summary.failed;
    mb_strbuf_finish(&summary);
}
