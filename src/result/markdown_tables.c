/* The terminal's tables as GitHub Markdown. */
#include "result/markdown_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/version.h"
#include "result/describe.h"
#include "result/markdown.h"
#include "result/ranking.h"

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

static void md_verified(struct mb_strbuf *buf, const struct mb_timing *timing,
                        const struct mb_row *row)
{
    if (row->result->is_diagnostic) {
        mb_strbuf_append(buf, " diagnostic: leaves work out |\n");
    } else if (row->result->work.tolerance.has_no_policy) {
        mb_strbuf_append(buf, " unverified: no policy describes it |\n");
    } else if (row->result->verify == MB_VERIFY_SKIPPED) {
        mb_strbuf_append(buf, " not checked |\n");
    } else if (row->result->verify == MB_VERIFY_FAIL) {
        mb_strbuf_append(buf, " FAILED: ");
        mb_markdown_text(buf, mb_row_reason(row));
        mb_strbuf_append(buf, " |\n");
    } else {
        char text[64];
        mb_verdict_describe(&row->result->verdict, timing->of->layout.format, text,
                            sizeof text);
        mb_strbuf_printf(buf, " %s |\n", text);
    }
}

static void md_row(struct mb_strbuf *buf, const struct mb_timing *timing, size_t index,
                   bool is_best)
{
    const struct mb_row *row = &timing->rows[index];
    const char *emphasis = is_best ? "**" : "";
    char text[64];
    mb_strbuf_printf(buf, "| %s", emphasis);
    mb_markdown_text(buf, row->result->label);
    mb_strbuf_printf(buf, "%s |", emphasis);
    if (row->stats.n == 0) {
        mb_strbuf_printf(buf, " %s: ", mb_result_status_name(mb_row_status(row)));
        mb_markdown_text(buf, mb_row_reason(row));
        mb_strbuf_append(buf, " | | | | | | | |\n");
        return;
    }
    md_times(buf, &row->stats, timing->of->compulsory_bytes);
    mb_of_limit_describe(timing, row, text, sizeof text);
    mb_strbuf_printf(buf, " %s |", text);
    mb_relation_describe(&row->relation, "\xc2\xb1", text, sizeof text);
    mb_strbuf_printf(buf, " %s |", text);
    mb_answer_describe(timing, row, text, sizeof text);
    mb_strbuf_printf(buf, " %s |", text);
    md_verified(buf, timing, row);
}

static void md_timing(struct mb_strbuf *buf, const struct mb_run *run,
                      const struct mb_timing *timing)
{
    const size_t winner = mb_ranking_winner(run, timing);
    char text[256];
    mb_timing_describe(timing, text, sizeof text);
    mb_strbuf_append(buf, "\n### ");
    mb_markdown_text(buf, timing->of->input);
    mb_strbuf_printf(buf, " %s\n\n", text);
    mb_strbuf_append(
        buf,
        "| Strategy | Median | 95 % interval | p95 | GB/s | of limit | Relative | Answer | "
        "Verified |\n"
        "|:--|--:|--:|--:|--:|--:|--:|:--|:--|\n");
    for (size_t i = 0; i < timing->of->n_results; i++) {
        md_row(buf, timing, i, i == winner);
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

static void md_section(struct mb_strbuf *buf, const struct mb_run *run,
                       const struct mb_timing *timing, mb_report_below *below)
{
    struct mb_strbuf lines = {0};
    md_timing(buf, run, timing);
    below(&lines, run, timing);
    md_below(buf, mb_strbuf_text(&lines));
    buf->failed = buf->failed || lines.failed;
    mb_strbuf_finish(&lines);
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
    for (size_t i = 0; i < run->n_cases; i++) {
        for (size_t k = 0; k < run->cases[i]->n_timings; k++) {
            md_section(&buf, run, &run->cases[i]->timings[k], below);
        }
    }
    return mb_strbuf_take(&buf, text, err);
}
