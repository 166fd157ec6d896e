/* The results as CSV, for spreadsheets. */
#include "result/csv.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "result/describe.h"

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

static void csv_row(struct mb_strbuf *buf, const struct mb_run *run,
                    const struct mb_timing *timing, const struct mb_row *row)
{
    const struct mb_layout *layout = &timing->of->layout;
    const struct mb_answer answer = mb_result_answer(timing->of, row->result);
    const bool is_judged =
        row->result->verify != MB_VERIFY_SKIPPED && row->result->verdict.n_levels > 0;
    csv_text(buf, run->id);
    csv_text(buf, run->device.name);
    csv_text(buf, timing->of->input);
    mb_strbuf_printf(
        buf, "%s,%u,%u,%u,%u,%s,%s,%s,%s,%s,", timing->of->input_sha256, layout->base.width,
        layout->base.height, layout->n_layers, layout->n_levels, layout->format->name,
        mb_reduce_name(timing->of->task.reduce), mb_result_filter_name(row->result),
        mb_alpha_name(timing->of->task.alpha), mb_case_shape(timing->of));
    csv_rects(buf, &timing->of->task);
    mb_strbuf_printf(buf, "%s,%s,", mb_cache_name(timing->cache), mb_mode_name(timing->mode));
    csv_text(buf, row->result->label);
    csv_text(buf, mb_result_status_name(mb_row_status(row)));
    csv_text(buf, mb_row_reason(row));
    csv_stats(buf, &row->stats);
    csv_number(buf, row->relation.ratio);
    csv_number(buf, row->relation.ci[0]);
    csv_number(buf, row->relation.ci[1]);
    csv_number(buf, mb_row_of_limit(timing, row));
    csv_number(buf, row->null_twin.median_ns);
    csv_number(buf, row->result->setup_ms);
    csv_count(buf, true, timing->of->compulsory_bytes);
    csv_count(buf, row->result->has_work, row->result->work.algorithmic_bytes);
    csv_count(buf, row->result->has_work, row->result->work.n_dispatches);
    csv_count(buf, row->result->has_work, row->result->work.n_barriers);
    csv_number(buf, is_judged ? row->result->verdict.max_error_lsb : NAN);
    csv_number(buf, is_judged ? row->result->verdict.drift_lsb : NAN);
    csv_number(buf, is_judged ? row->result->verdict.box_lsb : NAN);
    csv_text(buf, mb_verify_status_name(row->result->verify));
    csv_text(buf, row->result->has_work
                      ? mb_policy_name(row->result->work.tolerance.filter.policy)
                      : "");
    mb_strbuf_printf(buf, "%s\n", answer.word ? answer.word : "");
}

static void csv_case(struct mb_strbuf *buf, const struct mb_run *run, const struct mb_case *c)
{
    for (size_t i = 0; i < c->n_timings; i++) {
        for (size_t k = 0; k < c->n_results; k++) {
            csv_row(buf, run, &c->timings[i], &c->timings[i].rows[k]);
        }
    }
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
                     "box_lsb,verify,policy,answer\n");
    for (size_t i = 0; i < run->n_cases; i++) {
        csv_case(&buf, run, run->cases[i]);
    }
    return mb_strbuf_take(&buf, text, err);
}
