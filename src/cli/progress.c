/* Progress on stderr. */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"

#define NS_PER_S         UINT64_C(1000000000)
#define MIN_REDRAW_NS    (NS_PER_S / 10)
#define MIN_ESTIMATE_NS  (NS_PER_S / 2) /* before this an estimate is a guess */
#define FALLBACK_COLUMNS 80

static uint64_t monotonic_ns(void *user)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Asked every time: a window can be resized. */
static int stderr_columns(void *user)
{
    struct winsize size = {0};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return FALLBACK_COLUMNS;
}

static void stderr_draw(void *user, const char *text, int columns)
{
    mb_log_set_transient(text, columns);
}

static void stderr_line(void *user, const char *text)
{
    mb_log(MB_LOG_INFO, "%s", text);
}

struct mb_progress_io mb_progress_stderr(bool unicode)
{
    return (struct mb_progress_io){
        .is_terminal = isatty(STDERR_FILENO) == 1,
        .unicode = unicode,
        .now_ns = monotonic_ns,
        .columns = stderr_columns,
        .draw = stderr_draw,
        .line = stderr_line,
    };
}

void mb_progress_init(struct mb_progress *progress, const struct mb_progress_io *io, bool quiet,
                      size_t n_cells)
{
    *progress = (struct mb_progress){.io = *io, .is_quiet = quiet, .n_cells = n_cells};
}

void mb_progress_cell(struct mb_progress *progress, size_t index)
{
    progress->cell_index = index;
    progress->is_sampling = false;
}

static bool is_drawing(const struct mb_progress *progress)
{
    return !progress->is_quiet && progress->io.is_terminal;
}

static void draw(struct mb_progress *progress, const struct mb_strbuf *text, uint64_t now_ns)
{
    /* A line that fills the last column wraps on some terminals. */
    const int columns = progress->io.columns(progress->io.user) - 1;
    if (!text->failed) {
        progress->io.draw(progress->io.user, mb_strbuf_text(text), columns);
        progress->has_drawn = true;
        progress->last_draw_ns = now_ns;
    }
}

static const char *separator(const struct mb_progress *progress)
{
    return progress->io.unicode ? " \xc2\xb7 " : " - ";
}

static void begin_line(const struct mb_progress *progress, struct mb_strbuf *text,
                       const char *label)
{
    mb_strbuf_printf(text, "[%zu/%zu] %s%s", progress->cell_index + 1, progress->n_cells, label,
                     separator(progress));
}

void mb_progress_step(struct mb_progress *progress, const char *label, const char *step)
{
    if (!is_drawing(progress)) {
        return;
    }
    struct mb_strbuf text = {0};
    begin_line(progress, &text, label);
    mb_strbuf_append(&text, step);
    draw(progress, &text, progress->io.now_ns(progress->io.user));
    mb_strbuf_finish(&text);
}

void mb_time_text(double time_ns, char *out, size_t out_bytes)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    for (size_t i = 0; i < MB_COUNTOF(units); i++) {
        const double value = time_ns / units[i].ns;
        if (value >= 1) {
            snprintf(out, out_bytes, "%.*f %s", value < 10 ? 2 : 1, value, units[i].name);
            return;
        }
    }
    snprintf(out, out_bytes, "%.0f ns", time_ns);
}

/* Seconds until the cell is sampled, from its rate so far; NaN while that is unknown. */
static double seconds_left(const struct mb_progress *progress, uint32_t n_done,
                           uint32_t n_total, uint64_t now_ns)
{
    const uint64_t elapsed_ns = now_ns - progress->sampling_since_ns;
    if (elapsed_ns < MIN_ESTIMATE_NS || n_done <= progress->first_done || n_total < n_done) {
        return NAN;
    }
    const double per_sample_s =
        (double)elapsed_ns / (double)NS_PER_S / (n_done - progress->first_done);
    return per_sample_s * (n_total - n_done);
}

void mb_progress_samples(struct mb_progress *progress, const char *label, uint32_t n_done,
                         uint32_t n_total, double median_ns)
{
    if (!is_drawing(progress)) {
        return;
    }
    const uint64_t now_ns = progress->io.now_ns(progress->io.user);
    if (!progress->is_sampling) {
        progress->is_sampling = true;
        progress->sampling_since_ns = now_ns;
        progress->first_done = n_done;
    }
    if (progress->has_drawn && now_ns - progress->last_draw_ns < MIN_REDRAW_NS) {
        return;
    }
    struct mb_strbuf text = {0};
    begin_line(progress, &text, label);
    mb_strbuf_printf(&text, "%" PRIu32 " of %" PRIu32 " samples", n_done, n_total);
    if (isfinite(median_ns)) {
        char median[32];
        mb_time_text(median_ns, median, sizeof median);
        mb_strbuf_printf(&text, "%s%s", separator(progress), median);
    }
    const double left_s = seconds_left(progress, n_done, n_total, now_ns);
    if (isfinite(left_s)) {
        mb_strbuf_printf(&text, "%s%.0f s left", separator(progress), ceil(left_s));
    }
    draw(progress, &text, now_ns);
    mb_strbuf_finish(&text);
}

void mb_progress_rounds(struct mb_progress *progress, const char *label, uint32_t n_done,
                        uint32_t n_total)
{
    if (n_done == 0) {
        mb_progress_step(progress, label, "warming up");
    } else {
        mb_progress_samples(progress, label, n_done, n_total, (double)NAN);
    }
}

/* "3 strategies verified, 1 skipped". */
static void add_counts(struct mb_strbuf *text, const struct mb_cell *cell)
{
    size_t n_verified = 0, n_unchecked = 0, n_failed = 0, n_skipped = 0;
    for (size_t i = 0; i < cell->n_results; i++) {
        const struct mb_result *result = &cell->results[i];
        n_skipped += result->status == MB_RESULT_SKIPPED;
        n_failed += result->status == MB_RESULT_FAILED;
        n_verified += result->status == MB_RESULT_OK && result->verify == MB_VERIFY_PASS;
        n_unchecked += result->status == MB_RESULT_OK && result->verify != MB_VERIFY_PASS;
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

void mb_progress_cell_done(struct mb_progress *progress, const struct mb_cell *cell)
{
    if (progress->is_quiet) {
        return;
    }
    if (progress->io.is_terminal) {
        mb_progress_finish(progress); /* the table is printed now */
        return;
    }
    struct mb_strbuf text = {0};
    mb_strbuf_printf(&text, "%zu/%zu %s %" PRIu32 "x%" PRIu32 " %s: ", progress->cell_index + 1,
                     progress->n_cells, cell->input_name, cell->layout.base.width,
                     cell->layout.base.height, cell->layout.format->name);
    add_counts(&text, cell);
    if (!text.failed) {
        progress->io.line(progress->io.user, mb_strbuf_text(&text));
    }
    mb_strbuf_finish(&text);
}

void mb_progress_finish(struct mb_progress *progress)
{
    if (progress->has_drawn) {
        progress->io.draw(progress->io.user, NULL, 0);
        progress->has_drawn = false;
    }
}
