/* What stands below a table: warnings, and the quality of each level. */
#include "cli/notes.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "result/describe.h"

/* "  spd: vs box by level: 0, 0.5, 1.25 LSB", broken at 80 columns. */
static void add_levels(struct mb_strbuf *out, const struct mb_timing *timing,
                       const struct mb_row *row)
{
    const struct mb_verdict *verdict = &row->result->verdict;
    char text[MB_MAX_LEVELS * 24 + 64] = "vs box by level:";
    size_t used = strlen(text);
    for (uint32_t i = 0; i < verdict->n_levels && used < sizeof text; i++) {
        char lsb[32];
        mb_lsb_text(verdict->level[i].box_lsb, lsb, sizeof lsb);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s %s", i > 0 ? "," : "", lsb);
    }
    if (used < sizeof text) {
        snprintf(text + used, sizeof text - used, " %s",
                 mb_format_is_unorm(timing->of->layout.format) ? "LSB" : "ulp");
    }
    mb_strbuf_printf(out, "  %s: ", row->result->label);
    mb_strbuf_wrap(out, text, 2 + mb_utf8_columns(row->result->label) + 2, 80);
    mb_strbuf_append(out, "\n");
}

/* "  compute: by level, hot, us (gap before): 1: 30.7 (1.9), 2: 10.3 (0.6)": of dispatches.
 */
static void add_split(struct mb_strbuf *out, const struct mb_result *result)
{
    const struct mb_split *split = &result->split;
    char text[MB_MAX_LEVELS * 40 + 64] = "by level, hot, us (gap before):";
    size_t used = strlen(text);
    for (uint32_t i = 0; i < split->n_steps && used < sizeof text; i++) {
        char range[16] = "";
        if (split->step[i].n_levels > 1) {
            snprintf(range, sizeof range, "-%u",
                     split->step[i].first_level + split->step[i].n_levels - 1);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %u%s: %.2f (%.2f)",
                                 i > 0 ? "," : "", split->step[i].first_level, range,
                                 split->step[i].median_ns / 1e3, split->step[i].gap_ns / 1e3);
    }
    mb_strbuf_printf(out, "  %s: ", result->label);
    const char *none = result->work.n_dispatches == 0 ? "no dispatch: nothing to time by level"
                                                      : "one dispatch: not separable by level";
    mb_strbuf_wrap(out, split->n_steps > 0 ? text : none,
                   2 + mb_utf8_columns(result->label) + 2, 80);
    mb_strbuf_append(out, "\n");
}

/* The split is of a hot cache: it stands with hot latency, or with cold latency if that is all
 * there is. */
static bool shows_split(const struct mb_timing *timing)
{
    const struct mb_case *c = timing->of;
    bool has_hot = false;
    for (size_t i = 0; i < c->n_timings; i++) {
        has_hot = has_hot || (c->timings[i].mode == MB_MODE_LATENCY &&
                              c->timings[i].cache == MB_CACHE_HOT);
    }
    return timing->mode == MB_MODE_LATENCY && (timing->cache == MB_CACHE_HOT || !has_hot);
}

void mb_notes_split(struct mb_strbuf *out, const struct mb_timing *timing)
{
    for (size_t i = 0; shows_split(timing) && i < timing->of->n_results; i++) {
        if (timing->of->results[i].has_work) {
            add_split(out, &timing->of->results[i]);
        }
    }
}

/* "  spd: without work 4.5 us; set-up 95.9 ms; spd/spd_wave.comp: Register Count 40, ..." */
static void add_facts(struct mb_strbuf *out, const struct mb_row *row)
{
    char text[2000] = "";
    size_t used = 0;
    if (row->null_twin.n > 0) {
        used += (size_t)snprintf(text, sizeof text, "without work %.2f us; ",
                                 row->null_twin.median_ns / 1e3);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "set-up %.3g ms",
                             row->result->setup_ms);
    const struct mb_pipeline_facts *facts = row->result->facts;
    for (uint32_t i = 0; facts && i < facts->n && used < sizeof text; i++) {
        const struct mb_pipeline_fact *fact = &facts->fact[i];
        bool is_first = i == 0 || fact->pipeline != facts->fact[i - 1].pipeline;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s %s %.0f",
                                 is_first ? "; " : ",", is_first ? fact->shader : "",
                                 is_first ? ":" : "", fact->name, fact->value);
    }
    mb_strbuf_printf(out, "  %s: ", row->result->label);
    mb_strbuf_wrap(out, text, 2 + mb_utf8_columns(row->result->label) + 2, 80);
    mb_strbuf_append(out, "\n");
}

void mb_notes_facts(struct mb_strbuf *out, const struct mb_timing *timing)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        if (timing->of->results[i].has_work) {
            add_facts(out, &timing->rows[i]);
        }
    }
}

void mb_notes_levels(struct mb_strbuf *out, const struct mb_timing *timing)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_row *row = &timing->rows[i];
        if (row->result->verify != MB_VERIFY_SKIPPED && row->result->verdict.n_levels > 0) {
            add_levels(out, timing, row);
        }
    }
}

static bool has_warning(const struct mb_row *row, const char *message)
{
    const struct mb_warning *warning;
    for (size_t w = 0; (warning = mb_row_warning(row, w)) != NULL; w++) {
        if (strcmp(warning->message, message) == 0) {
            return true;
        }
    }
    return false;
}

/* True if an earlier row has a warning of the same words. */
static bool is_repeated(const struct mb_timing *timing, size_t index, const char *message)
{
    for (size_t i = 0; i < index; i++) {
        if (has_warning(&timing->rows[i], message)) {
            return true;
        }
    }
    return false;
}

/* "  note: blit and spd: MESSAGE"; without names where it holds for every row. */
static void add_note(struct mb_strbuf *out, const struct mb_timing *timing, const char *message)
{
    size_t n = 0, n_named = 0;
    for (size_t i = 0; i < timing->of->n_results; i++) {
        n += has_warning(&timing->rows[i], message);
    }
    const bool is_for_all = n == timing->of->n_results && n > 1;
    struct mb_strbuf text = {0};
    for (size_t i = 0; i < timing->of->n_results && !is_for_all; i++) {
        if (has_warning(&timing->rows[i], message)) {
            mb_strbuf_list(&text, timing->of->results[i].label, n_named++, n);
        }
    }
    mb_strbuf_printf(&text, "%s%s", is_for_all ? "" : ": ", message);
    mb_strbuf_append(out, "  note: ");
    mb_strbuf_wrap(out, mb_strbuf_text(&text), 8, 80);
    mb_strbuf_append(out, "\n");
    out->failed = out->failed || text.failed;
    mb_strbuf_finish(&text);
}

void mb_notes_warnings(struct mb_strbuf *out, const struct mb_timing *timing, bool all)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_warning *warning;
        for (size_t w = 0; (warning = mb_row_warning(&timing->rows[i], w)) != NULL; w++) {
            if ((all || mb_warning_is_loud(warning)) &&
                !is_repeated(timing, i, warning->message)) {
                add_note(out, timing, warning->message);
            }
        }
    }
}

const char *mb_notes_find(const struct mb_timing *timing, const char *code)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_warning *warning;
        for (size_t w = 0; (warning = mb_row_warning(&timing->rows[i], w)) != NULL; w++) {
            if (strcmp(warning->code, code) == 0) {
                return warning->message;
            }
        }
    }
    return NULL;
}
