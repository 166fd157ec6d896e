/* What stands below a table: warnings, and the quality of each level. */
#include "cli/notes.h"

#include <string.h>

#include "base/text.h"
#include "result/label.h"

/* "  spd: ", and what is said of it. */
static void add_line(struct mb_strbuf *out, const char *label, struct mb_strbuf *text)
{
    mb_strbuf_printf(out, "  %s: %s\n", label, mb_strbuf_text(text));
    out->failed = out->failed || text->failed;
    mb_strbuf_finish(text);
}

/* "; vs box by level: 0, 0.5, 2745 LSB" */
static void describe_levels(struct mb_strbuf *out, const struct mb_timing *timing,
                            const struct mb_verdict *verdict)
{
    for (uint32_t level = 0; level < verdict->n_levels; level++) {
        mb_strbuf_printf(out, "%s %s", level > 0 ? "," : "; vs box by level:",
                         mb_digits_text(verdict->level[level].box_lsb).s);
    }
    if (verdict->n_levels > 0) {
        mb_strbuf_append(out, mb_format_is_unorm(timing->of->layout.format) ? " LSB" : " ulp");
    }
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

/* "by level, hot (gap before): 1: 30.7 us (1.90 us), 2-3: 10.3 us (640 ns)": of dispatches. */
static void describe_split(struct mb_strbuf *out, const struct mb_split *split)
{
    mb_strbuf_append(out, "by level, hot (gap before):");
    for (uint32_t i = 0; i < split->n_steps; i++) {
        const uint32_t first = split->step[i].first_level, n = split->step[i].n_levels;
        mb_strbuf_printf(out, "%s %u", i > 0 ? "," : "", first);
        if (n > 1) {
            mb_strbuf_printf(out, "-%u", first + n - 1);
        }
        mb_strbuf_printf(out, ": %s (%s)", mb_time_text(split->step[i].median_ns).s,
                         mb_time_text(split->step[i].gap_ns).s);
    }
}

void mb_notes_split(struct mb_strbuf *out, const struct mb_timing *timing)
{
    for (size_t i = 0; shows_split(timing) && i < timing->of->n_results; i++) {
        const struct mb_result *result = &timing->of->results[i];
        struct mb_strbuf text = {0};
        if (!result->has_work) {
            continue;
        }
        if (result->split.n_steps > 0) {
            describe_split(&text, &result->split);
        } else {
            mb_strbuf_append(&text, result->work.n_dispatches == 0
                                        ? "no dispatch: nothing to time by level"
                                        : "one dispatch: not separable by level");
        }
        add_line(out, result->label, &text);
    }
}

/* "; spd/spd_wave.comp: Register Count 40, ...; ..." */
static void describe_facts(struct mb_strbuf *out, const struct mb_pipeline_facts *facts)
{
    char label[128];
    for (size_t i = 0, k = 0; i < facts->n_executables; i++) {
        const char *separator = ":";
        mb_executable_label(facts, i, label, sizeof label);
        mb_strbuf_printf(out, "; %s", label);
        for (; k < facts->n_facts && facts->facts[k].executable == i; k++) {
            mb_strbuf_printf(out, "%s %s %.0f", separator, facts->facts[k].name,
                             facts->facts[k].value);
            separator = ",";
        }
    }
}

void mb_notes_facts(struct mb_strbuf *out, const struct mb_timing *timing)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_row *row = &timing->rows[i];
        struct mb_strbuf text = {0};
        if (!row->result->has_work) {
            continue;
        }
        mb_strbuf_printf(&text, "set-up %s", mb_time_text(1e6 * row->result->setup_ms).s);
        if (row->result->facts) {
            describe_facts(&text, row->result->facts);
        }
        describe_levels(&text, timing, &row->result->verdict);
        add_line(out, row->result->label, &text);
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

/* "  note: blit and spd: MESSAGE"; without names where it holds for every row. Nothing where a
 * row before `first` has said it. */
static void add_note(struct mb_strbuf *out, const struct mb_timing *timing, size_t first,
                     const char *message)
{
    const size_t n_rows = timing->of->n_results;
    size_t n = 0, n_named = 0, n_before = 0;
    for (size_t i = 0; i < n_rows; i++) {
        n += has_warning(&timing->rows[i], message);
        n_before += i < first && has_warning(&timing->rows[i], message);
    }
    const bool is_for_all = n == n_rows && n > 1;
    MB_SCOPED(mb_strbuf) text = {0};
    for (size_t i = 0; i < n_rows && !is_for_all; i++) {
        if (has_warning(&timing->rows[i], message)) {
            mb_strbuf_list(&text, timing->of->results[i].label, n_named++, n);
        }
    }
    mb_strbuf_printf(&text, "%s%s", is_for_all ? "" : ": ", message);
    if (n_before == 0) {
        add_line(out, "note", &text);
    }
}

void mb_notes_warnings(struct mb_strbuf *out, const struct mb_timing *timing, bool all)
{
    for (size_t i = 0; i < timing->of->n_results; i++) {
        const struct mb_warning *warning;
        for (size_t w = 0; (warning = mb_row_warning(&timing->rows[i], w)) != NULL; w++) {
            if (all || mb_warning_is_loud(warning)) {
                add_note(out, timing, i, warning->message);
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
