/* Shows progress on stderr. */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/os.h"
#include "base/text.h"

#define NS_PER_S         UINT64_C(1000000000)
#define MIN_REDRAW_NS    (NS_PER_S / 10)
#define MIN_LINE_NS      (30 * NS_PER_S) /* where lines stay */
#define MIN_NAME         8               /* columns that a shortened name has at least */
#define FALLBACK_COLUMNS 80

/* Asked every time: a window can be resized. */
static size_t stderr_columns(void)
{
    const size_t n_columns = mb_os_columns(MB_STDERR);
    return n_columns > 0 ? n_columns : FALLBACK_COLUMNS;
}

void mb_progress_init(struct mb_progress *progress, bool unicode, bool quiet, size_t n_images,
                      size_t n_strategies)
{
    *progress = (struct mb_progress){
        .is_quiet = quiet,
        .is_terminal = mb_os_is_terminal(MB_STDERR),
        .unicode = unicode,
        .n_images = n_images,
        .n_strategies = n_strategies,
    };
    progress->drawn_ns = progress->is_terminal ? 0 : mb_now_ns();
}

void mb_progress_image(struct mb_progress *progress, size_t index)
{
    if (progress->first_ns != 0 && index == progress->image_index) {
        return;
    }
    progress->image_index = index;
    progress->image[0] = '\0';
    progress->begin_ns = mb_now_ns();
    if (progress->first_ns == 0) {
        progress->first_ns = progress->begin_ns;
    }
}

void mb_progress_name(struct mb_progress *progress, const char *name)
{
    snprintf(progress->image, sizeof progress->image, "%s", name);
}

/* What is left of the first image if each step takes as long as the finished ones did on
 * average, and each block of the current table. NaN before any is finished. */
static double first_image_left_ns(const struct mb_progress *progress, uint64_t now_ns)
{
    const size_t n_all = 4 * progress->n_strategies, n = progress->n_steps;
    const size_t n_left = n_all > n ? n_all - n : 0;
    const bool has_blocks = progress->n_blocks > 1;
    double left_ns = n > 0 ? (double)progress->steps_ns / (double)n * (double)n_left : 0.0;
    if (has_blocks) {
        left_ns += (double)(now_ns - progress->table_ns) / (progress->n_blocks - 1) *
                   (progress->n_all_blocks - progress->n_blocks);
    }
    return n > 0 || has_blocks ? left_ns : (double)NAN;
}

/* Seconds until the end of the run if each image takes as long as the finished ones did on
 * average, or as the first one is going to. NaN where nothing is known, and when the last one
 * has already taken longer. */
static double seconds_left(const struct mb_progress *progress, uint64_t now_ns)
{
    const size_t n_done = progress->image_index;
    const size_t n_after = progress->n_images - n_done - 1;
    const double spent_ns = (double)(now_ns - progress->begin_ns);
    double each_ns = (double)(progress->begin_ns - progress->first_ns) / (double)n_done;
    if (n_done == 0) {
        each_ns = spent_ns + first_image_left_ns(progress, now_ns);
    }
    const double rest_ns = each_ns - spent_ns;
    const double left_ns = each_ns * (double)n_after + (rest_ns > 0.0 ? rest_ns : 0.0);
    return left_ns > 0.0 ? left_ns / (double)NS_PER_S : (double)NAN;
}

/* "about 40 s left", "about 4 min left" or "about 3 h left"; "" while that is unknown. */
static void left_text(double left_s, char *out, size_t out_bytes)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{3600.0, "h"}, {60.0, "min"}, {1.0, "s"}};
    size_t i = 0;
    while (i + 1 < MB_COUNTOF(units) && left_s < 1.5 * units[i].seconds) {
        i++;
    }
    out[0] = '\0';
    if (isfinite(left_s)) {
        snprintf(out, out_bytes, "about %.0f %s left", ceil(left_s / units[i].seconds),
                 units[i].name);
    }
}

void mb_progress_text(struct mb_strbuf *out, const struct mb_progress *progress,
                      const char *label, const char *step, uint64_t now_ns, size_t n_columns)
{
    const char *separator = progress->unicode ? " \xc2\xb7 " : " - ";
    MB_SCOPED(mb_strbuf) rest = {0};
    char left[40];
    left_text(seconds_left(progress, now_ns), left, sizeof left);
    mb_strbuf_printf(&rest, "%s%s%s%s%s", label, separator, step, left[0] ? separator : "",
                     left);
    mb_strbuf_printf(out, "[%zu/%zu] ", progress->image_index + 1, progress->n_images);
    if (progress->image[0] != '\0') {
        const size_t n_others =
            out->n_bytes + strlen(" - ") + mb_utf8_columns(mb_strbuf_text(&rest));
        mb_strbuf_shorten(out, progress->image,
                          n_columns > n_others + MIN_NAME ? n_columns - n_others : MIN_NAME);
        mb_strbuf_append(out, separator);
    }
    mb_strbuf_append(out, mb_strbuf_text(&rest));
    out->failed = out->failed || rest.failed;
}

static void draw(struct mb_progress *progress, const char *label, const char *step,
                 uint64_t now_ns)
{
    /* A line that fills the last column wraps on some terminals. */
    const size_t columns = stderr_columns() - 1;
    MB_SCOPED(mb_strbuf) text = {0};
    mb_progress_text(&text, progress, label, step, now_ns, columns);
    if (text.failed) {
        return;
    }
    if (progress->is_terminal) {
        mb_log_set_transient(mb_strbuf_text(&text), columns);
    } else {
        mb_log(MB_LOG_INFO, "%s", mb_strbuf_text(&text));
    }
    progress->drawn_ns = now_ns;
}

bool mb_progress_is_due(const struct mb_progress *progress, uint64_t now_ns)
{
    const uint64_t least_ns = progress->is_terminal ? MIN_REDRAW_NS : MIN_LINE_NS;
    return !progress->is_quiet &&
           (progress->drawn_ns == 0 || now_ns - progress->drawn_ns >= least_ns);
}

static void end_step(struct mb_progress *progress, uint64_t now_ns)
{
    if (progress->step_ns != 0 && progress->image_index == 0) {
        progress->steps_ns += now_ns - progress->step_ns;
        progress->n_steps++;
    }
    progress->step_ns = 0;
}

void mb_progress_step(struct mb_progress *progress, const char *label, const char *step)
{
    const uint64_t now_ns = mb_now_ns();
    end_step(progress, now_ns);
    progress->step_ns = progress->first_ns != 0 ? now_ns : 0; /* of an image */
    progress->n_blocks = 0;
    if ((progress->is_terminal && !progress->is_quiet) ||
        mb_progress_is_due(progress, now_ns)) {
        draw(progress, label, step, now_ns);
    }
}

void mb_progress_rounds(struct mb_progress *progress, const char *label, uint32_t n_done,
                        uint32_t n_total)
{
    const uint64_t now_ns = mb_now_ns();
    char step[48] = "warming up";
    end_step(progress, now_ns);
    progress->table_ns = n_done <= 1 ? now_ns : progress->table_ns;
    progress->n_blocks = n_done;
    progress->n_all_blocks = n_total;
    if (n_done > 0) {
        snprintf(step, sizeof step, "%" PRIu32 " of %" PRIu32 " blocks", n_done, n_total);
    }
    if (mb_progress_is_due(progress, now_ns)) {
        draw(progress, label, step, now_ns);
    }
}

/* "3 strategies verified, 1 skipped". */
static void add_counts(struct mb_strbuf *text, const struct mb_case *c)
{
    size_t n_verified = 0, n_unchecked = 0, n_failed = 0, n_skipped = 0;
    for (size_t i = 0; i < c->n_results; i++) {
        const struct mb_result *result = &c->results[i];
        n_skipped += result->status == MB_RESULT_SKIPPED;
        n_failed += result->status == MB_RESULT_FAILED;
        n_verified += result->status == MB_RESULT_OK && result->verify == MB_VERIFY_PASS;
        n_unchecked += result->status == MB_RESULT_OK && result->has_work &&
                       result->verify != MB_VERIFY_PASS;
    }
    if (n_unchecked > 0) {
        mb_strbuf_printf(text, "%zu strateg%s not checked", n_unchecked,
                         n_unchecked == 1 ? "y" : "ies");
    } else {
        mb_strbuf_printf(text, "%zu strateg%s verified", n_verified,
                         n_verified == 1 ? "y" : "ies");
    }
    if (n_failed > 0) {
        mb_strbuf_printf(text, ", %zu FAILED", n_failed);
    }
    if (n_skipped > 0) {
        mb_strbuf_printf(text, ", %zu skipped", n_skipped);
    }
}

void mb_progress_case_text(struct mb_strbuf *out, const struct mb_progress *progress,
                           const struct mb_case *c)
{
    mb_strbuf_printf(out, "%zu/%zu %s %" PRIu32 "x%" PRIu32 " %s: ", progress->image_index + 1,
                     progress->n_images, c->input_name, c->layout.base.width,
                     c->layout.base.height, c->layout.format->name);
    add_counts(out, c);
}

void mb_progress_case_done(struct mb_progress *progress, const struct mb_case *c)
{
    MB_SCOPED(mb_strbuf) text = {0};
    mb_progress_finish(progress); /* the table comes next */
    if (!progress->is_terminal && !progress->is_quiet) {
        mb_progress_case_text(&text, progress, c);
        mb_log(MB_LOG_INFO, "%s", text.failed ? "" : mb_strbuf_text(&text));
        progress->drawn_ns = mb_now_ns();
    }
}

void mb_progress_finish(struct mb_progress *progress)
{
    if (progress->is_terminal && progress->drawn_ns != 0) {
        mb_log_set_transient(NULL, 0);
        progress->drawn_ns = 0;
    }
}
