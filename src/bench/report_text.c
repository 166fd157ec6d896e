/* The results as CSV, for spreadsheets, and as Markdown, for people. */
#include "bench/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/version.h"
#include "bench/describe.h"
#include "bench/markdown.h"
#include "bench/ranking.h"

/* Hand the text over, or say that memory ran out. */
static enum mb_status take_text(struct mb_strbuf *buf, char **text, struct mb_err *err)
{
    const enum mb_status status = mb_strbuf_check(buf, err);
    *text = NULL;
    if (status == MB_OK) {
        *text = buf->text;
        buf->text = NULL;
    }
    mb_strbuf_finish(buf);
    return status;
}

/* Longer than any text of a result. Texts are cleaned once more on their way out: one that was
 * cut to its array may end within a character. */
#define MAX_TEXT_BYTES 512

/* RFC 4180: quotes around a field with a comma or a quote; quotes doubled. Line ends
 * do not get here. */
static void csv_text(struct mb_strbuf *buf, const char *text)
{
    char clean[MAX_TEXT_BYTES];
    mb_utf8_sanitize(text, clean, sizeof clean);
    const bool needs_quotes = strpbrk(clean, ",\"") != NULL;
    mb_strbuf_append(buf, needs_quotes ? "\"" : "");
    for (const char *s = clean; *s != '\0'; s++) {
        mb_strbuf_append_n(buf, s, 1);
        if (*s == '"') {
            mb_strbuf_append(buf, "\"");
        }
    }
    mb_strbuf_append(buf, needs_quotes ? "\"," : ",");
}

/* An empty field where there is no figure. */
static void csv_number(struct mb_strbuf *buf, double value)
{
    char text[32] = "";
    if (isfinite(value)) {
        mb_number_text(value, text, sizeof text);
    }
    mb_strbuf_printf(buf, "%s,", text);
}

/* A count; empty where the strategy never said. */
static void csv_count(struct mb_strbuf *buf, bool is_known, uint64_t value)
{
    if (is_known) {
        mb_strbuf_printf(buf, "%llu", (unsigned long long)value);
    }
    mb_strbuf_append(buf, ",");
}

static void csv_stats(struct mb_strbuf *buf, const struct mb_stats *stats)
{
    const double figures[] = {
        stats->min_ns, stats->p05_ns,          stats->p25_ns,          stats->median_ns,
        stats->p75_ns, stats->p95_ns,          stats->max_ns,          stats->mean_ns,
        stats->mad_ns, stats->median_ci_ns[0], stats->median_ci_ns[1],
    };
    mb_strbuf_printf(buf, "%zu,", stats->n);
    for (size_t i = 0; i < MB_COUNTOF(figures); i++) {
        csv_number(buf, stats->n > 0 ? figures[i] : NAN);
    }
}

/* "X,Y,W,H X,Y,W,H" of all, and four fields of the least that holds them; all empty where the
 * whole chain is made. */
static void csv_rects(struct mb_strbuf *buf, const struct mb_task *task)
{
    const struct mb_rect all = mb_rects_enclosing(task->rects, task->n_rects);
    for (uint32_t i = 0; task->is_update && i < task->n_rects; i++) {
        const struct mb_rect rect = task->rects[i];
        mb_strbuf_printf(buf, "%s%u,%u,%u,%u", i > 0 ? " " : "\"", rect.x, rect.y, rect.width,
                         rect.height);
    }
    mb_strbuf_append(buf, task->is_update ? "\"," : ",");
    csv_count(buf, task->is_update, all.x);
    csv_count(buf, task->is_update, all.y);
    csv_count(buf, task->is_update, all.width);
    csv_count(buf, task->is_update, all.height);
}

static void csv_row(struct mb_strbuf *buf, const struct mb_run *run, const struct mb_cell *cell,
                    const struct mb_result *result)
{
    const struct mb_layout *layout = &cell->layout;
    const bool is_judged = result->verify != MB_VERIFY_SKIPPED && result->verdict.n_levels > 0;
    csv_text(buf, run->id);
    csv_text(buf, run->device.name);
    csv_text(buf, cell->input);
    mb_strbuf_printf(buf, "%s,%u,%u,%u,%u,%s,%s,%s,%s,%s,", cell->input_sha256,
                     layout->base.width, layout->base.height, layout->n_layers,
                     layout->n_levels, layout->format->name, mb_reduce_name(cell->task.reduce),
                     mb_result_filter_name(result), mb_alpha_name(cell->task.alpha),
                     mb_cell_shape(cell));
    csv_rects(buf, &cell->task);
    mb_strbuf_printf(buf, "%s,%s,", mb_cache_name(cell->cache), mb_mode_name(cell->mode));
    csv_text(buf, result->label);
    csv_text(buf, mb_result_status_name(result->status));
    csv_text(buf, result->reason);
    csv_stats(buf, &result->stats);
    csv_number(buf, result->relation.ratio);
    csv_number(buf, result->relation.ci[0]);
    csv_number(buf, result->relation.ci[1]);
    csv_number(buf, mb_result_of_limit(cell, result));
    csv_number(buf, result->null_twin.median_ns);
    csv_number(buf, result->setup_ms);
    csv_count(buf, true, cell->compulsory_bytes);
    csv_count(buf, result->has_work, result->work.algorithmic_bytes);
    csv_count(buf, result->has_work, result->work.n_dispatches);
    csv_count(buf, result->has_work, result->work.n_barriers);
    csv_number(buf, is_judged ? result->verdict.max_error_lsb : NAN);
    csv_number(buf, is_judged ? result->verdict.drift_lsb : NAN);
    csv_number(buf, is_judged ? result->verdict.box_lsb : NAN);
    mb_strbuf_printf(buf, "%s\n", mb_verify_status_name(result->verify));
}

enum mb_status mb_report_csv(const struct mb_run *run, char **text, struct mb_err *err)
{
    struct mb_strbuf buf = {.text = NULL};
    mb_strbuf_append(&buf,
                     "run_id,device,input,input_sha256,width,height,layers,levels,format,"
                     "reduce,filter,alpha,shape,rects,rect_x,rect_y,rect_width,rect_height,"
                     "cache,mode,strategy,status,reason,n,min_ns,p05_ns,"
                     "p25_ns,median_ns,p75_ns,p95_ns,max_ns,mean_ns,mad_ns,"
                     "median_ci_low_ns,median_ci_high_ns,relative_ratio,relative_low,"
                     "relative_high,of_limit,null_twin_ns,setup_ms,compulsory_bytes,"
                     "algorithmic_bytes,dispatches,barriers,max_error_lsb,drift_lsb,"
                     "box_lsb,verify\n");
    for (size_t i = 0; i < run->n_cells; i++) {
        for (size_t k = 0; k < run->cells[i].n_results; k++) {
            csv_row(&buf, run, &run->cells[i], &run->cells[i].results[k]);
        }
    }
    return take_text(&buf, text, err);
}

struct unit {
    const char *name;
    double ns;
};

/* The unit in which a duration has one to three digits before the point. */
static struct unit unit_of(double duration_ns)
{
    static const struct unit units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
    for (size_t i = 0; i < MB_COUNTOF(units); i++) {
        if (duration_ns >= units[i].ns) {
            return units[i];
        }
    }
    return (struct unit){"ns", 1};
}

/* Decimals that show a value with four digits, zeros at the end included. */
static int decimals_of(double value)
{
    return value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0;
}

/* All durations of a row in one unit, so that they compare at a glance. */
static void md_times(struct mb_strbuf *buf, const struct mb_stats *stats,
                     uint64_t compulsory_bytes)
{
    const struct unit unit = unit_of(stats->median_ns);
    const int n_decimals = decimals_of(stats->median_ns / unit.ns);
    const double bandwidth = (double)compulsory_bytes / stats->median_ns; /* bytes/ns: GB/s */
    mb_strbuf_printf(
        buf, " %.*f %s | %.*f - %.*f | %.*f %s | ", n_decimals, stats->median_ns / unit.ns,
        unit.name, n_decimals, stats->median_ci_ns[0] / unit.ns, n_decimals,
        stats->median_ci_ns[1] / unit.ns, n_decimals, stats->p95_ns / unit.ns, unit.name);
    if (isfinite(bandwidth)) {
        mb_strbuf_printf(buf, "%.*f ", decimals_of(bandwidth), bandwidth);
    }
    mb_strbuf_append(buf, "|");
}

static void md_verified(struct mb_strbuf *buf, const struct mb_cell *cell,
                        const struct mb_result *result)
{
    if (result->is_diagnostic) {
        mb_strbuf_append(buf, " diagnostic: leaves work out |\n");
    } else if (result->verify == MB_VERIFY_SKIPPED) {
        mb_strbuf_append(buf, " not checked |\n");
    } else if (result->verify == MB_VERIFY_FAIL) {
        mb_strbuf_append(buf, " FAILED: ");
        mb_markdown_text(buf, result->reason);
        mb_strbuf_append(buf, " |\n");
    } else {
        char text[64];
        mb_verdict_describe(&result->verdict, cell->layout.format, text, sizeof text);
        mb_strbuf_printf(buf, " %s |\n", text);
    }
}

static void md_row(struct mb_strbuf *buf, const struct mb_cell *cell, size_t index,
                   bool is_best, bool has_quality)
{
    const struct mb_result *result = &cell->results[index];
    const char *emphasis = is_best ? "**" : "";
    char text[64];
    mb_strbuf_printf(buf, "| %s", emphasis);
    mb_markdown_text(buf, result->label);
    mb_strbuf_printf(buf, "%s |", emphasis);
    if (result->stats.n == 0) {
        mb_strbuf_printf(buf, " %s: ", mb_result_status_name(result->status));
        mb_markdown_text(buf, result->reason);
        mb_strbuf_append(buf, has_quality ? " | | | | | | | |\n" : " | | | | | | |\n");
        return;
    }
    md_times(buf, &result->stats, cell->compulsory_bytes);
    mb_of_limit_describe(cell, result, text, sizeof text);
    mb_strbuf_printf(buf, " %s |", text);
    mb_relation_describe(&result->relation, "\xc2\xb1", text, sizeof text);
    mb_strbuf_printf(buf, " %s |", text);
    if (has_quality) {
        mb_quality_describe(cell, result, text, sizeof text);
        mb_strbuf_printf(buf, " %s |", text);
    }
    md_verified(buf, cell, result);
}

static void md_cell(struct mb_strbuf *buf, const struct mb_run *run, const struct mb_cell *cell)
{
    const size_t winner = mb_ranking_winner(run, cell);
    const bool has_quality = mb_cell_leaves_box(cell);
    char text[256];
    mb_cell_describe(cell, text, sizeof text);
    mb_strbuf_append(buf, "\n### ");
    mb_markdown_text(buf, cell->input);
    mb_strbuf_printf(buf, " %s\n\n", text);
    mb_strbuf_printf(
        buf,
        "| Strategy | Median | 95 %% interval | p95 | GB/s | of limit | Relative | %s"
        "Verified |\n"
        "|:--|--:|--:|--:|--:|--:|--:|%s:--|\n",
        has_quality ? "vs box | " : "", has_quality ? "--:|" : "");
    for (size_t i = 0; i < cell->n_results; i++) {
        md_row(buf, cell, i, i == winner, has_quality);
    }
}

/* One line, as it goes on from the one before, or begins a paragraph or an item. */
static void md_line(struct mb_strbuf *buf, const char *line, size_t n_bytes)
{
    const size_t indent = strspn(line, " ");
    size_t at = indent;
    if (indent < n_bytes) {
        mb_strbuf_append(buf, indent == 0 ? "\n" : indent == 2 ? "- " : "  ");
    }
    while (at < n_bytes) {
        /* Word by word: each is short enough to be escaped as a whole. */
        char word[256];
        const size_t n_word = strcspn(line + at, " \n");
        snprintf(word, sizeof word, "%.*s", (int)n_word, line + at);
        mb_markdown_text(buf, word);
        at += n_word + strspn(line + at + n_word, " ");
        mb_strbuf_append(buf, at < n_bytes ? " " : "\n");
    }
}

/* What stands below a table, with a line between. */
static void md_below(struct mb_strbuf *buf, const char *text)
{
    mb_strbuf_append(buf, text[0] == ' ' ? "\n" : "");
    while (*text != '\0') {
        const size_t n_bytes = strcspn(text, "\n");
        const bool begins_list =
            text[n_bytes] == '\n' && text[0] != ' ' && text[n_bytes + 1] == ' ';
        md_line(buf, text, n_bytes);
        mb_strbuf_append(buf, begins_list ? "\n" : "");
        text += n_bytes + (text[n_bytes] == '\n');
    }
}

enum mb_status mb_report_markdown(const struct mb_run *run, mb_report_below *below, char **text,
                                  struct mb_err *err)
{
    const struct mb_gpu_info *device = &run->device;
    struct mb_strbuf buf = {.text = NULL};
    mb_strbuf_append(&buf, "mipbench " MB_VERSION " \xc2\xb7 ");
    mb_markdown_text(&buf, device->name);
    mb_strbuf_append(&buf, " \xc2\xb7 driver ");
    mb_markdown_text(&buf, device->driver_info[0] != '\0' ? device->driver_info
                                                          : device->driver_version);
    mb_strbuf_printf(&buf, " \xc2\xb7 Vulkan %u.%u\n",
                     VK_API_VERSION_MAJOR(device->api_version),
                     VK_API_VERSION_MINOR(device->api_version));
    if (device->type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        mb_strbuf_append(&buf, "\nSoftware device: its times do not predict those of a GPU.\n");
    }
    if (!run->complete) {
        mb_strbuf_append(&buf, "\nIncomplete: ");
        mb_markdown_text(&buf, run->exit_reason);
        mb_strbuf_append(&buf, ".\n");
    }
    for (size_t i = 0; i < run->n_cells; i++) {
        struct mb_strbuf lines = {0};
        md_cell(&buf, run, &run->cells[i]);
        below(&lines, run, &run->cells[i]);
        md_below(&buf, mb_strbuf_text(&lines));
        buf.failed = buf.failed || lines.failed;
        mb_strbuf_finish(&lines);
    }
    return take_text(&buf, text, err);
}
