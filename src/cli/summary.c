/* The end of a run of several tests. */
#include "cli/summary.h"

#include "cli/grid.h"
#include "compare/headline.h"
#include "result/label.h"

static void add_condition(struct mb_strbuf *out, const struct mb_run *run,
                          const struct mb_timing *timing)
{
    const size_t n = mb_headline_count(run, timing);
    MB_SCOPED(mb_strbuf) lines = {0};
    if (n < 2) {
        return;
    }
    mb_headline_describe(&lines, run, timing);
    if (lines.n_bytes > 0) {
        mb_strbuf_printf(out, "\n%zu tests, %s:\n%s", n, mb_timing_condition(timing).s,
                         mb_strbuf_text(&lines));
    }
    out->failed = out->failed || lines.failed;
}

/* "FAILED: spd on photo.png, 64x64 rgba8" */
static void add_failures(struct mb_strbuf *out, const struct mb_run *run, bool has_color)
{
    const char *lead = "\n";
    for (size_t i = 0; i < run->n_cases; i++) {
        const struct mb_case *c = run->cases[i];
        for (size_t k = 0; k < c->n_results; k++) {
            if (c->results[k].status == MB_RESULT_FAILED) {
                mb_strbuf_printf(out, "%s%sFAILED: %s on %s, %ux%u %s%s\n", lead,
                                 has_color ? MB_PAINT_BAD : "", c->results[k].label, c->input,
                                 c->layout.base.width, c->layout.base.height,
                                 c->layout.format->name, has_color ? MB_PAINT_OFF : "");
                lead = "";
            }
        }
    }
}

void mb_summary_lines(struct mb_strbuf *out, const struct mb_run *run, bool has_color)
{
    for (size_t i = 0; i < run->n_cases; i++) {
        for (size_t k = 0; k < run->cases[i]->n_timings; k++) {
            add_condition(out, run, &run->cases[i]->timings[k]);
        }
    }
    if (run->n_pooled == 0 && run->n_cases > 1) {
        add_failures(out, run, has_color);
    }
}
