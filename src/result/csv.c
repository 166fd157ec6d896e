/* The results as CSV, for spreadsheets. */
#include "result/result_json.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "result/label.h"

/* Longer than any text of a result. Texts are sanitised again here: if a text was cut to fit
 * its array, it may end in the middle of a character. */
#define MAX_TEXT_BYTES 512

/* Append a text by RFC 4180: if it has a comma or a quote, put it in quotes and double its
 * quotes. Texts have no line ends. */
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

/* Append figures. An unknown figure is an empty field; unless `known`, all of them are. */
static void csv_numbers(struct mb_strbuf *buf, bool known, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mb_strbuf_printf(buf, "%s,",
                         known && isfinite(values[i]) ? mb_number_text(values[i]).s : "");
    }
}

static void csv_figures(struct mb_strbuf *buf, const struct mb_row *row)
{
    const struct mb_stats *stats = &row->stats;
    const struct mb_relation *relation = &row->relation;
    const double figures[] = {
        stats->min_ns,   stats->p05_ns,          stats->p25_ns,          stats->median_ns,
        stats->p75_ns,   stats->p95_ns,          stats->max_ns,          stats->mean_ns,
        stats->mad_ns,   stats->median_ci_ns[0], stats->median_ci_ns[1], relation->ratio,
        relation->ci[0], relation->ci[1],        mb_row_of_floor(row),   row->result->setup_ms,
    };
    mb_strbuf_printf(buf, "%zu,", stats->n);
    csv_numbers(buf, true, figures, MB_COUNTOF(figures));
}

static void csv_verified(struct mb_strbuf *buf, const struct mb_case *c,
                         const struct mb_result *result)
{
    const struct mb_answer answer = mb_result_answer(c, result);
    const struct mb_verdict *verdict = &result->verdict;
    const bool is_measured = verdict->n_levels > 0;
    const double errors[] = {verdict->max_error_lsb, verdict->drift_lsb};
    csv_numbers(buf, is_measured && result->verify != MB_VERIFY_SKIPPED, errors, 2);
    csv_numbers(buf, is_measured, &verdict->box_lsb, 1);
    mb_strbuf_printf(buf, "%s,%s,%s\n", mb_verify_status_names[result->verify],
                     result->has_work ? mb_policy_names[result->work.tolerance.filter.policy]
                                      : "",
                     answer.questions != 0 ? answer.word : "");
}

static void csv_row(struct mb_strbuf *buf, const struct mb_run *run, const struct mb_row *row)
{
    const struct mb_timing *timing = row->timing;
    const struct mb_case *c = timing->of;
    const struct mb_layout *layout = &c->layout;
    const struct mb_result *result = row->result;
    const enum mb_policy policy = result->work.tolerance.filter.policy;
    const bool is_wide = result->has_work && mb_policy_is_wide(policy);
    csv_text(buf, run->id);
    csv_text(buf, run->device.name);
    csv_text(buf, c->input);
    mb_strbuf_printf(buf, "%s,%u,%u,%u,%u,%s,%s,%s,%s,%s,", c->input_sha256, layout->base.width,
                     layout->base.height, layout->n_layers, layout->n_levels,
                     layout->format->name, mb_reduce_names[c->task.reduce],
                     mb_policy_names[is_wide ? policy : MB_POLICY_BOX],
                     mb_alpha_names[c->task.alpha], mb_shape_names[mb_case_shape(c)]);
    const struct mb_rect *rect = &c->task.rect;
    const double corners[] = {rect->x, rect->y, rect->width, rect->height};
    csv_numbers(buf, c->task.is_update, corners, MB_COUNTOF(corners));
    mb_strbuf_printf(buf, "%s,%s,", mb_cache_names[timing->cache], mb_mode_names[timing->mode]);
    csv_text(buf, result->label);
    csv_text(buf, mb_result_status_names[mb_row_status(row)]);
    csv_text(buf, mb_row_reason(row));
    csv_figures(buf, row);
    const double compulsory_bytes = (double)c->compulsory_bytes;
    const struct mb_work *stated = &result->work;
    const double work[] = {(double)stated->algorithmic_bytes, stated->n_dispatches,
                           stated->n_barriers};
    csv_numbers(buf, true, &compulsory_bytes, 1);
    csv_numbers(buf, result->has_work, work, MB_COUNTOF(work));
    csv_verified(buf, c, result);
}

void mb_report_csv(const struct mb_run *run, struct mb_strbuf *out)
{
    mb_strbuf_append(out, "run_id,device,input,input_sha256,width,height,layers,levels,format,"
                          "reduce,filter,alpha,shape,rect_x,rect_y,rect_width,rect_height,"
                          "cache,mode,strategy,status,reason,n,min_ns,p05_ns,"
                          "p25_ns,median_ns,p75_ns,p95_ns,max_ns,mean_ns,mad_ns,"
                          "median_ci_low_ns,median_ci_high_ns,relative_ratio,relative_low,"
                          "relative_high,of_limit,setup_ms,compulsory_bytes,"
                          "algorithmic_bytes,dispatches,barriers,max_error_lsb,drift_lsb,"
                          "box_lsb,verify,policy,answer\n");
    struct mb_rows rows = {.run = run};
    for (const struct mb_row *row; (row = mb_rows_next(&rows)) != NULL;) {
        csv_row(out, run, row);
    }
}
