/* The terminal's table. Every column is one function from a result to its text; widths come
 * from a first pass over all of them, so that columns line up by code points. */
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "bench/describe.h"

#define TEXT_BYTES 600
#define GAP        2 /* spaces between columns */

#define PAINT_BEST "\033[1;32m"
#define PAINT_BAD  "\033[1;31m"
#define PAINT_WARN "\033[1;33m"
#define PAINT_DIM  "\033[2m"
#define PAINT_OFF  "\033[0m"

/* What all rows of a table share. */
struct view {
    const struct mb_run *run;
    const struct mb_cell *cell;
    const struct mb_table_style *style;
    double unit_ns; /* of the columns of times */
    const char *unit;
    int time_decimals, rate_decimals;
    bool is_ranked;
};

struct column {
    const char *title;
    bool is_right; /* aligned */
    bool is_time;  /* left out where nothing was timed */
    bool is_limit; /* left out where the limit is not known */
    bool is_quality;
    void (*text)(const struct view *view, const struct mb_result *result, char *out);
};

static bool is_timed(const struct mb_result *result)
{
    return result->stats.n > 0 && isfinite(result->stats.median_ns);
}

/* A row of figures; else it is a sentence. */
static bool has_figures(const struct mb_result *result)
{
    return result->status == MB_RESULT_OK ||
           (result->status == MB_RESULT_FAILED && result->verify == MB_VERIFY_FAIL);
}

/* Whether two variants of a strategy were skipped for the same reason. */
static bool is_skipped_alike(const struct mb_result *a, const struct mb_result *b)
{
    return a->status == MB_RESULT_SKIPPED && b->status == MB_RESULT_SKIPPED &&
           a->strategy == b->strategy && strcmp(a->reason, b->reason) == 0;
}

/* A row skipped for the reason of one above it, which stands for both. */
static bool is_folded(const struct view *view, const struct mb_result *result)
{
    for (const struct mb_result *above = view->cell->results; above < result; above++) {
        if (is_skipped_alike(above, result)) {
            return true;
        }
    }
    return false;
}

static void text_strategy(const struct view *view, const struct mb_result *result, char *out)
{
    size_t n_alike = 0;
    for (size_t i = 0; i < view->cell->n_results; i++) {
        n_alike += is_skipped_alike(result, &view->cell->results[i]);
    }
    if (n_alike > 1) {
        snprintf(out, TEXT_BYTES, "%s (%zu variants)", result->strategy->name, n_alike);
    } else {
        snprintf(out, TEXT_BYTES, "%s", result->label);
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

static void text_median(const struct view *view, const struct mb_result *result, char *out)
{
    text_time(view, is_timed(result) ? result->stats.median_ns : NAN, out);
}

static void text_p95(const struct view *view, const struct mb_result *result, char *out)
{
    text_time(view, is_timed(result) ? result->stats.p95_ns : NAN, out);
}

static void text_interval(const struct view *view, const struct mb_result *result, char *out)
{
    const double *ci_ns = result->stats.median_ci_ns;
    if (!is_timed(result) || !isfinite(ci_ns[0]) || !isfinite(ci_ns[1]) ||
        result->stats.median_ci_level < 0.95) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    snprintf(out, TEXT_BYTES, "%.*f - %.*f", view->time_decimals, ci_ns[0] / view->unit_ns,
             view->time_decimals, ci_ns[1] / view->unit_ns);
}

/* Compulsory bytes per nanosecond are GB/s. NaN without a time. */
static double rate_gbps(const struct mb_cell *cell, const struct mb_result *result)
{
    if (!is_timed(result) || !(result->stats.median_ns > 0)) {
        return NAN;
    }
    return (double)cell->compulsory_bytes / result->stats.median_ns;
}

static void text_rate(const struct view *view, const struct mb_result *result, char *out)
{
    const double gbps = rate_gbps(view->cell, result);
    if (!isfinite(gbps)) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    snprintf(out, TEXT_BYTES, "%.*f", view->rate_decimals, gbps);
}

static void text_relative(const struct view *view, const struct mb_result *result, char *out)
{
    if (!view->is_ranked || result->verify == MB_VERIFY_FAIL || !is_timed(result)) {
        snprintf(out, TEXT_BYTES, "-");
        return;
    }
    mb_relation_describe(&result->relation, view->style->unicode ? "\xc2\xb1" : "+-", out,
                         TEXT_BYTES);
}

static void text_of_limit(const struct view *view, const struct mb_result *result, char *out)
{
    mb_of_limit_describe(view->cell, result, out, TEXT_BYTES);
}

static void text_quality(const struct view *view, const struct mb_result *result, char *out)
{
    mb_quality_describe(view->cell, result, out, TEXT_BYTES);
}

static void text_verified(const struct view *view, const struct mb_result *result, char *out)
{
    const struct mb_verdict *verdict = &result->verdict;
    char place[200];
    if (result->is_diagnostic) {
        snprintf(out, TEXT_BYTES, "diagnostic: leaves work out");
    } else if (result->verify == MB_VERIFY_SKIPPED) {
        snprintf(out, TEXT_BYTES, "not checked");
    } else if (result->verify == MB_VERIFY_FAIL && verdict->first_bad.found) {
        mb_bad_texel_describe(&verdict->first_bad, place, sizeof place);
        snprintf(out, TEXT_BYTES, "FAIL: %s", place);
    } else if (result->verify == MB_VERIFY_FAIL) {
        snprintf(out, TEXT_BYTES, "FAIL: %s", result->reason);
    } else {
        mb_verdict_describe(verdict, view->cell->layout.format, out, TEXT_BYTES);
    }
}

static const struct column columns[] = {
    {.title = "Strategy", .text = text_strategy},
    {.title = "Median", .is_right = true, .is_time = true, .text = text_median},
    {.title = "95% interval", .is_right = true, .is_time = true, .text = text_interval},
    {.title = "p95", .is_right = true, .is_time = true, .text = text_p95},
    {.title = "GB/s", .is_right = true, .is_time = true, .text = text_rate},
    {.title = "of limit",
     .is_right = true,
     .is_time = true,
     .is_limit = true,
     .text = text_of_limit},
    {.title = "Relative", .is_right = true, .is_time = true, .text = text_relative},
    {.title = "vs box", .is_right = true, .is_quality = true, .text = text_quality},
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
        view->time_decimals = 0; /* the ruler has no finer marks */
    }
}

/* Fill what depends on all rows, and say which columns are shown. */
static void survey(struct view *view, bool shown[N_COLUMNS])
{
    const struct mb_cell *cell = view->cell;
    double least_ns = INFINITY;
    double most_ns = 0;
    double least_gbps = INFINITY;
    const bool has_quality = mb_cell_leaves_box(cell);
    for (size_t i = 0; i < cell->n_results; i++) {
        const struct mb_result *result = &cell->results[i];
        if (!has_figures(result)) {
            continue;
        }
        if (is_timed(result)) {
            least_ns = fmin(least_ns, result->stats.median_ns);
            most_ns = fmax(most_ns, result->stats.median_ns);
            least_gbps = fmin(least_gbps, rate_gbps(cell, result));
        }
    }
    choose_time_unit(view, least_ns, most_ns);
    view->rate_decimals = decimals_for(least_gbps);
    for (size_t c = 0; c < N_COLUMNS; c++) {
        shown[c] = !(columns[c].is_time && !isfinite(least_ns)) &&
                   !(columns[c].is_limit && !isfinite(cell->floor_ns)) &&
                   !(columns[c].is_quality && !has_quality);
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
        for (size_t i = 0; shown[c] && i < view->cell->n_results; i++) {
            const struct mb_result *result = &view->cell->results[i];
            if (c > 0 && !has_figures(result)) {
                continue;
            }
            columns[c].text(view, result, text);
            const size_t n = mb_utf8_columns(text);
            width[c] = n > width[c] ? n : width[c];
        }
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

static const char *paint_of(const struct view *view, const struct mb_result *result,
                            bool is_best)
{
    if (!view->style->color) {
        return "";
    }
    if (result->status == MB_RESULT_FAILED || result->verify == MB_VERIFY_FAIL) {
        return PAINT_BAD;
    }
    if (result->status == MB_RESULT_SKIPPED) {
        return PAINT_DIM;
    }
    return is_best ? PAINT_BEST : "";
}

static void add_row(struct mb_strbuf *out, const struct view *view, size_t index,
                    const size_t width[N_COLUMNS])
{
    const struct mb_result *result = &view->cell->results[index];
    const bool is_best = view->is_ranked && index == view->cell->fastest && is_timed(result) &&
                         result->stats.median_ci_level >= 0.95;
    const char *paint = paint_of(view, result, is_best);
    char text[TEXT_BYTES];
    mb_strbuf_append(out, paint);
    mb_strbuf_append(out, is_best ? "> " : "  ");
    text_strategy(view, result, text);
    add_padded(out, 0, text, width[0]);
    if (!has_figures(result)) {
        mb_strbuf_printf(out, "  %s: %s", mb_result_status_name(result->status),
                         result->reason);
    }
    for (size_t c = 1; c < N_COLUMNS && has_figures(result); c++) {
        if (width[c] > 0) {
            columns[c].text(view, result, text);
            add_padded(out, c, text, width[c]);
        }
    }
    mb_strbuf_append(out, paint[0] != '\0' ? PAINT_OFF : "");
    mb_strbuf_append(out, "\n");
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
    if (run->settings->validate) {
        add_loud(out, style, "Validation is on: its times say nothing, and nothing is ranked.");
    }
    if (run->timer.valid_bits == 0) {
        add_loud(out, style, "This device has no timestamps: no times are reported.");
    }
}

void mb_table_cell(struct mb_strbuf *out, const struct mb_run *run, const struct mb_cell *cell,
                   const struct mb_table_style *style)
{
    struct view view = {
        .run = run,
        .cell = cell,
        .style = style,
        .is_ranked = !run->settings->validate,
    };
    size_t width[N_COLUMNS];
    char text[TEXT_BYTES];
    mb_cell_describe(cell, text, sizeof text);
    mb_strbuf_printf(out, "%s  %s\n\n", cell->input, text);
    measure_columns(&view, width);
    add_titles(out, width);
    for (size_t i = 0; i < cell->n_results; i++) {
        if (!is_folded(&view, &cell->results[i])) {
            add_row(out, &view, i, width);
        }
    }
    struct mb_strbuf sentence = {0};
    mb_table_ranking(&sentence, run, cell);
    if (sentence.n_bytes > 0) {
        mb_strbuf_printf(out, "\n%s\n", mb_strbuf_text(&sentence));
    }
    out->failed = out->failed || sentence.failed;
    mb_strbuf_finish(&sentence);
}

/* Fit to be ranked: timed, and not found wrong. */
static bool is_rankable(const struct mb_result *result)
{
    return result->status == MB_RESULT_OK && result->verify != MB_VERIFY_FAIL &&
           is_timed(result) && !result->is_diagnostic;
}

/* The best median after `best` of those that make the same image, or SIZE_MAX. */
static size_t find_second(const struct mb_cell *cell, size_t best)
{
    size_t second = SIZE_MAX;
    for (size_t i = 0; i < cell->n_results; i++) {
        if (i != best && is_rankable(&cell->results[i]) &&
            mb_results_are_alike(&cell->results[best], &cell->results[i]) &&
            (second == SIZE_MAX ||
             cell->results[i].stats.median_ns < cell->results[second].stats.median_ns)) {
            second = i;
        }
    }
    return second;
}

/* What the fastest cannot be told from. */
static bool is_tied(const struct mb_cell *cell, size_t index)
{
    return index != cell->fastest && is_rankable(&cell->results[index]) &&
           mb_results_are_alike(&cell->results[cell->fastest], &cell->results[index]) &&
           cell->results[index].relation.outcome != MB_OUTCOME_SLOWER;
}

static size_t count_tied(const struct mb_cell *cell)
{
    size_t n = 0;
    for (size_t i = 0; i < cell->n_results; i++) {
        n += is_tied(cell, i);
    }
    return n;
}

/* What took less time within blocks though its median is not the least, or NULL. */
static const char *find_faster(const struct mb_cell *cell)
{
    const char *label = NULL;
    for (size_t i = 0; i < cell->n_results; i++) {
        bool is_faster = cell->results[i].relation.outcome == MB_OUTCOME_FASTER;
        label = is_tied(cell, i) && is_faster ? cell->results[i].label : label;
    }
    return label;
}

/* "a and b are ...", "a, b and c are ...": all that the best cannot be told from. */
static void add_tie(struct mb_strbuf *out, const struct mb_cell *cell)
{
    size_t n_left = count_tied(cell);
    mb_strbuf_append(out, cell->results[cell->fastest].label);
    for (size_t i = 0; i < cell->n_results; i++) {
        if (is_tied(cell, i)) {
            n_left--;
            mb_strbuf_printf(out, "%s%s", n_left == 0 ? " and " : ", ", cell->results[i].label);
        }
    }
    mb_strbuf_append(out, " are within the noise of this run.");
}

/* " Limit: 20.8 us (memory, 3:1 mix, measured 4.30 TB/s)." */
static void add_limit(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_cell *cell)
{
    if (!isfinite(cell->floor_ns)) {
        return;
    }
    if (cell->is_dispatch_bound) {
        mb_strbuf_printf(out, " Limit: %.2f us (an empty dispatch).", cell->floor_ns / 1e3);
        return;
    }
    double gbps = run->roofline.ceiling_gbps;
    mb_strbuf_printf(out, " Limit: %.1f us (memory, 3:1 mix, measured %.*f %s).",
                     cell->floor_ns / 1e3, gbps >= 1000 ? 2 : 1,
                     gbps >= 1000 ? gbps / 1000 : gbps, gbps >= 1000 ? "TB/s" : "GB/s");
}

void mb_table_ranking(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_cell *cell)
{
    if (run->settings->validate || cell->fastest >= cell->n_results ||
        !is_timed(&cell->results[cell->fastest])) {
        return;
    }
    const struct mb_result *best = &cell->results[cell->fastest];
    const size_t second_index = find_second(cell, cell->fastest);
    if (second_index == SIZE_MAX) {
        return;
    }
    const struct mb_result *second = &cell->results[second_index];
    if (best->stats.median_ci_level < 0.95 || second->stats.median_ci_level < 0.95) {
        mb_strbuf_printf(out, "No ranking: too few samples (%zu) for a 95 %% interval.",
                         best->stats.n < second->stats.n ? best->stats.n : second->stats.n);
        return;
    }
    const char *faster = find_faster(cell);
    if (faster) {
        mb_strbuf_printf(out, "No ranking: %s leads by its median, but %s within blocks.",
                         best->label, faster);
    } else if (count_tied(cell) > 0) {
        add_tie(out, cell);
    } else {
        mb_strbuf_printf(out, "%s is fastest: %.2f x %s.", best->label, second->relation.ratio,
                         second->label);
    }
    add_limit(out, run, cell);
}
