/* The terminal's table. Every column is one function from a result to its text; widths come
 * from a first pass over all of them, so that columns line up by code points. */
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "result/describe.h"
#include "result/ranking.h"

#define TEXT_BYTES      600
#define GAP             2 /* spaces between columns */
#define LEAST_COLUMNS   80
#define COLUMNS_IN_FILE 100 /* where stdout is no terminal */
#define LEAST_LABEL     16  /* columns that are left of a long label */

#define PAINT_BEST "\033[1;32m"
#define PAINT_BAD  "\033[1;31m"
#define PAINT_WARN "\033[1;33m"
#define PAINT_DIM  "\033[2m"
#define PAINT_OFF  "\033[0m"

/* What all rows of a table share. */
struct view {
    const struct mb_run *run;
    const struct mb_timing *timing;
    const struct mb_table_style *style;
    double unit_ns; /* of the columns of times */
    const char *unit;
    int time_decimals, rate_decimals;
    bool is_ranked;
    size_t winner; /* the row that is marked, or SIZE_MAX */
};

struct column {
    const char *title;
    bool is_right;        /* aligned */
    bool is_time;         /* left out where nothing was timed */
    bool is_limit;        /* left out where the limit is not known */
    size_t least_columns; /* left out on a narrower terminal */
    void (*text)(const struct view *view, const struct mb_row *row, char *out);
};

static bool is_timed(const struct mb_row *row)
{
    return row->stats.n > 0 && isfinite(row->stats.median_ns);
}

/* A row of figures; else it is a sentence. */
static bool has_figures(const struct mb_row *row)
{
    return mb_row_status(row) == MB_RESULT_OK ||
           (mb_row_status(row) == MB_RESULT_FAILED && row->result->verify == MB_VERIFY_FAIL);
}

/* Whether two variants of a strategy were skipped for the same reason. */
static bool is_skipped_alike(const struct mb_row *a, const struct mb_row *b)
{
    return mb_row_status(a) == MB_RESULT_SKIPPED && mb_row_status(b) == MB_RESULT_SKIPPED &&
           a->result->strategy == b->result->strategy &&
           strcmp(mb_row_reason(a), mb_row_reason(b)) == 0;
}

/* A row skipped for the reason of one above it, which stands for both. */
static bool is_folded(const struct view *view, const struct mb_row *row)
{
    for (const struct mb_row *above = view->timing->rows; above < row; above++) {
        if (is_skipped_alike(above, row)) {
            return true;
        }
    }
    return false;
}

static void text_strategy(const struct view *view, const struct mb_row *row, char *out)
{
    size_t n_alike = 0;
    for (size_t i = 0; i < view->timing->of->n_results; i++) {
        n_alike += is_skipped_alike(row, &view->timing->rows[i]);
    }
    if (n_alike > 1) {
        snprintf(out, TEXT_BYTES, "%s (%zu variants)", row->result->strategy->name, n_alike);
    } else {
        snprintf(out, TEXT_BYTES, "%s", row->result->label);
    }
}

static void text_time(const struct view *view, double time_ns, char *out)
{
    if (!isfinite(time_ns)) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    snprintf(out, TEXT_BYTES, "%.*f %s", view->time_decimals, time_ns / view->unit_ns,
             view->unit);
}

static void text_median(const struct view *view, const struct mb_row *row, char *out)
{
    text_time(view, is_timed(row) ? row->stats.median_ns : NAN, out);
}

static void text_p95(const struct view *view, const struct mb_row *row, char *out)
{
    text_time(view, is_timed(row) ? row->stats.p95_ns : NAN, out);
}

static void text_interval(const struct view *view, const struct mb_row *row, char *out)
{
    const double *ci_ns = row->stats.median_ci_ns;
    if (!is_timed(row) || !isfinite(ci_ns[0]) || !isfinite(ci_ns[1]) ||
        row->stats.median_ci_level < 0.95) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    snprintf(out, TEXT_BYTES, "%.*f - %.*f", view->time_decimals, ci_ns[0] / view->unit_ns,
             view->time_decimals, ci_ns[1] / view->unit_ns);
}

/* Compulsory bytes per nanosecond are GB/s. NaN without a time. */
static double rate_gbps(const struct mb_timing *timing, const struct mb_row *row)
{
    if (!is_timed(row) || !(row->stats.median_ns > 0)) {
        return NAN;
    }
    return (double)timing->of->compulsory_bytes / row->stats.median_ns;
}

static void text_rate(const struct view *view, const struct mb_row *row, char *out)
{
    const double gbps = rate_gbps(view->timing, row);
    if (!isfinite(gbps)) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    snprintf(out, TEXT_BYTES, "%.*f", view->rate_decimals, gbps);
}

static void text_relative(const struct view *view, const struct mb_row *row, char *out)
{
    if (!view->is_ranked || row->result->verify == MB_VERIFY_FAIL || !is_timed(row)) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    mb_relation_describe(&row->relation, view->style->unicode ? "\xc2\xb1" : "+-", out,
                         TEXT_BYTES);
}

static void text_of_limit(const struct view *view, const struct mb_row *row, char *out)
{
    mb_of_limit_describe(view->timing, row, out, TEXT_BYTES);
}

static void text_answer(const struct view *view, const struct mb_row *row, char *out)
{
    mb_answer_describe(view->timing, row, out, TEXT_BYTES);
}

static void text_verified(const struct view *view, const struct mb_row *row, char *out)
{
    if (row->result->is_diagnostic) {
        snprintf(out, TEXT_BYTES, "leaves work out");
    } else if (row->result->work.tolerance.has_no_policy) {
        snprintf(out, TEXT_BYTES, "has no policy");
    } else if (row->result->verify == MB_VERIFY_SKIPPED) {
        snprintf(out, TEXT_BYTES, "not checked");
    } else if (row->result->verify == MB_VERIFY_FAIL) {
        snprintf(out, TEXT_BYTES, "FAIL"); /* where and how stands below the row */
    } else {
        mb_verdict_describe(&row->result->verdict, view->timing->of->layout.format, out,
                            TEXT_BYTES);
    }
}

static const struct column columns[] = {
    {.title = "Strategy", .text = text_strategy},
    {.title = "Median", .is_right = true, .is_time = true, .text = text_median},
    {.title = "95% interval",
     .is_right = true,
     .is_time = true,
     .least_columns = 100,
     .text = text_interval},
    {.title = "p95", .is_right = true, .is_time = true, .least_columns = 120, .text = text_p95},
    {.title = "GB/s",
     .is_right = true,
     .is_time = true,
     .least_columns = 120,
     .text = text_rate},
    {.title = "of limit",
     .is_right = true,
     .is_time = true,
     .is_limit = true,
     .least_columns = 100,
     .text = text_of_limit},
    {.title = "Relative", .is_right = true, .is_time = true, .text = text_relative},
    {.title = "Answer", .text = text_answer},
    {.title = "Verified", .text = text_verified},
};

#define N_COLUMNS MB_COUNTOF(columns)

/* Decimals that show about three digits of the smallest figure of a column. */
static int decimals_for(double smallest)
{
    if (smallest >= 100) {
        return 0;
    }
    return smallest >= 10 ? 1 : 2;
}

/* One unit for all times of a table: that of the fastest median, or the next one up where the
 * slowest would take six digits. */
static void choose_time_unit(struct view *view, double least_ns, double most_ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
    size_t i = 0;
    while (i + 1 < MB_COUNTOF(units) &&
           (least_ns >= units[i + 1].ns || most_ns >= 1e5 * units[i].ns)) {
        i++;
    }
    const double least = least_ns / units[i].ns;
    view->unit_ns = units[i].ns;
    view->unit = units[i].name;
    view->time_decimals = least < 0.1 ? 4 : least < 1 ? 3 : least < 10 ? 2 : 1;
    if (i == 0) {
        view->time_decimals = 0; /* the timer has no finer marks */
    }
}

/* Fill what depends on all rows, and say which columns are shown. */
static void survey(struct view *view, bool shown[N_COLUMNS])
{
    const struct mb_timing *timing = view->timing;
    double least_ns = INFINITY;
    double most_ns = 0;
    double least_gbps = INFINITY;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_row *row = &timing->rows[i];
        if (!has_figures(row)) {
            continue;
        }
        if (is_timed(row)) {
            least_ns = fmin(least_ns, row->stats.median_ns);
            most_ns = fmax(most_ns, row->stats.median_ns);
            least_gbps = fmin(least_gbps, rate_gbps(timing, row));
        }
    }
    choose_time_unit(view, least_ns, most_ns);
    view->rate_decimals = decimals_for(least_gbps);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        shown[c] = !(columns[c].is_time && !isfinite(least_ns)) &&
                   !(columns[c].is_limit && !isfinite(timing->floor_ns)) &&
                   columns[c].least_columns <= mb_table_columns(view->style);
    }
}

/* Width of each column; 0 where it is not shown. */
static void measure_columns(struct view *view, size_t width[N_COLUMNS])
{
    bool shown[N_COLUMNS];
    char text[TEXT_BYTES];
    survey(view, shown);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        width[c] = shown[c] ? mb_utf8_columns(columns[c].title) : 0;
        for (size_t i = 0; shown[c] && i < view->timing->of->n_results; i++) {
            const struct mb_row *row = &view->timing->rows[i];
            if (c > 0 && !has_figures(row)) {
                continue;
            }
            columns[c].text(view, row, text);
            const size_t n = mb_utf8_columns(text);
            width[c] = n > width[c] ? n : width[c];
        }
    }
}

static size_t total_columns(const size_t width[N_COLUMNS])
{
    size_t n = 2; /* the mark */
    for (size_t c = 0; c < N_COLUMNS; c++) {
        n += width[c] > 0 ? width[c] + (c > 0 ? GAP : 0) : 0;
    }
    return n;
}

/* Leave out what is still too much, p95 first and the share of the limit last; then, on a
 * terminal, labels lose their middle. */
static void fit_columns(const struct view *view, size_t width[N_COLUMNS])
{
    const size_t n_columns = mb_table_columns(view->style);
    for (size_t least = 120; least >= 100; least -= 20) {
        for (size_t c = 0; c < N_COLUMNS && total_columns(width) > n_columns; c++) {
            width[c] = columns[c].least_columns == least ? 0 : width[c];
        }
    }
    const size_t n_total = total_columns(width);
    if (n_total > n_columns && view->style->columns > 0) {
        const size_t n_over = n_total - n_columns;
        width[0] = width[0] > n_over + LEAST_LABEL ? width[0] - n_over : LEAST_LABEL;
    }
}

/* Text that fits, without its middle: "spd:load=..:wave=off". Labels are ASCII. */
static void shorten(char *text, size_t width)
{
    const size_t n = strlen(text), n_tail = (width - 2) / 2;
    if (mb_utf8_columns(text) > width) {
        const size_t n_head = width - 2 - n_tail;
        memmove(text + n_head + 2, text + n - n_tail, n_tail + 1);
        memcpy(text + n_head, "..", 2);
    }
}

/* Text in a column; the last one is not padded, so that no line ends in spaces. */
static void add_padded(struct mb_strbuf *out, size_t c, const char *text, size_t width)
{
    const size_t pad = width - mb_utf8_columns(text);
    const bool is_last = c == N_COLUMNS - 1;
    mb_strbuf_spaces(out, (c > 0 ? GAP : 0) + (columns[c].is_right ? pad : 0));
    mb_strbuf_append(out, text);
    mb_strbuf_spaces(out, columns[c].is_right || is_last ? 0 : pad);
}

static void add_titles(struct mb_strbuf *out, const size_t width[N_COLUMNS])
{
    mb_strbuf_spaces(out, 2);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        if (width[c] > 0) {
            add_padded(out, c, columns[c].title, width[c]);
        }
    }
    mb_strbuf_append(out, "\n");
}

static const char *paint_of(const struct view *view, const struct mb_row *row, bool is_best)
{
    if (!view->style->color) {
        return "";
    }
    if (mb_row_status(row) == MB_RESULT_FAILED || row->result->verify == MB_VERIFY_FAIL) {
        return PAINT_BAD;
    }
    if (mb_row_status(row) == MB_RESULT_SKIPPED) {
        return PAINT_DIM;
    }
    return is_best ? PAINT_BEST : "";
}

/* Where a row is wrong, on a line of its own. */
static void add_failure(struct mb_strbuf *out, const struct view *view,
                        const struct mb_row *row)
{
    const struct mb_bad_texel *bad = &row->result->verdict.first_bad;
    char place[200];
    if (!has_figures(row) || row->result->verify != MB_VERIFY_FAIL) {
        return;
    }
    mb_bad_texel_describe(bad, place, sizeof place);
    mb_strbuf_append(out, "      FAIL: ");
    mb_strbuf_wrap(out, bad->found ? place : mb_row_reason(row), 12,
                   mb_table_columns(view->style));
    mb_strbuf_append(out, "\n");
}

static void add_row(struct mb_strbuf *out, const struct view *view, size_t index,
                    const size_t width[N_COLUMNS])
{
    const struct mb_row *row = &view->timing->rows[index];
    const bool is_best = index == view->winner;
    const char *paint = paint_of(view, row, is_best);
    char text[TEXT_BYTES];
    mb_strbuf_append(out, paint);
    mb_strbuf_append(out, is_best ? "> " : "  ");
    text_strategy(view, row, text);
    shorten(text, width[0]);
    add_padded(out, 0, text, width[0]);
    if (!has_figures(row)) {
        snprintf(text, sizeof text, "%s: %s", mb_result_status_name(mb_row_status(row)),
                 mb_row_reason(row));
        mb_strbuf_spaces(out, GAP);
        mb_strbuf_wrap(out, text, 2 + width[0] + GAP, mb_table_columns(view->style));
    }
    for (size_t c = 1; c < N_COLUMNS && has_figures(row); c++) {
        if (width[c] > 0) {
            columns[c].text(view, row, text);
            add_padded(out, c, text, width[c]);
        }
    }
    mb_strbuf_append(out, paint[0] != '\0' ? PAINT_OFF : "");
    mb_strbuf_append(out, "\n");
    add_failure(out, view, row);
}

size_t mb_table_columns(const struct mb_table_style *style)
{
    return style->columns == 0              ? COLUMNS_IN_FILE
           : style->columns < LEAST_COLUMNS ? LEAST_COLUMNS
                                            : style->columns;
}

static void add_loud(struct mb_strbuf *out, const struct mb_table_style *style,
                     const char *text)
{
    mb_strbuf_printf(out, "%s%s%s\n", style->color ? PAINT_WARN : "", text,
                     style->color ? PAINT_OFF : "");
}

void mb_table_header(struct mb_strbuf *out, const struct mb_run *run, const char *version,
                     const struct mb_table_style *style)
{
    const struct mb_gpu_info *device = &run->device;
    const char *dot = style->unicode ? "\xc2\xb7" : "-";
    /* Mesa's software drivers are all of version 0.0.1; the info is what people know. */
    const char *driver =
        device->driver_info[0] != '\0' ? device->driver_info : device->driver_version;
    mb_strbuf_printf(out, "mipbench %s %s %s %s driver %s %s Vulkan %u.%u\n", version, dot,
                     device->name, dot, driver, dot, VK_API_VERSION_MAJOR(device->api_version),
                     VK_API_VERSION_MINOR(device->api_version));
    if (device->type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        add_loud(out, style, "SOFTWARE DEVICE: its times do not predict those of a GPU.");
    }
    if (run->validate) {
        add_loud(out, style, "Validation is on: its times say nothing, and nothing is ranked.");
    }
    if (run->timer.valid_bits == 0) {
        add_loud(out, style, "This device has no timestamps: no times are reported.");
    }
}

/* Lines, each broken where it is too wide, with an empty one before them. */
static void add_wrapped(struct mb_strbuf *out, const char *lines, size_t n_columns)
{
    char line[TEXT_BYTES];
    mb_strbuf_append(out, *lines != '\0' ? "\n" : "");
    while (*lines != '\0') {
        const size_t n = strcspn(lines, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, lines);
        mb_strbuf_wrap(out, line, 0, n_columns);
        mb_strbuf_append(out, "\n");
        lines += n + (lines[n] == '\n');
    }
}

void mb_table_timing(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_timing *timing, const struct mb_table_style *style)
{
    struct view view = {
        .run = run,
        .timing = timing,
        .style = style,
        .is_ranked = !run->validate,
        .winner = mb_ranking_winner(run, timing),
    };
    size_t width[N_COLUMNS];
    char text[TEXT_BYTES];
    mb_timing_describe(timing, text, sizeof text);
    mb_strbuf_append(out, timing->of->input);
    mb_strbuf_spaces(out, GAP);
    mb_strbuf_wrap(out, text, mb_utf8_columns(timing->of->input) + GAP,
                   mb_table_columns(style));
    mb_strbuf_append(out, "\n\n");
    measure_columns(&view, width);
    fit_columns(&view, width);
    add_titles(out, width);
    for (size_t i = 0; i < timing->of->n_results; i++) {
        if (!is_folded(&view, &timing->rows[i])) {
            add_row(out, &view, i, width);
        }
    }
    struct mb_strbuf lines = {0};
    mb_ranking_lines(&lines, run, timing);
    add_wrapped(out, mb_strbuf_text(&lines), mb_table_columns(style));
    out->failed = out->failed || lines.failed;
    mb_strbuf_finish(&lines);
}
