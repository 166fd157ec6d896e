/* Shows progress on stderr. */
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "base/os.h"
#include "base/text.h"

#define NS_PER_S      UINT64_C(1000000000)
#define MIN_REDRAW_NS (NS_PER_S / 10)
#define MIN_LINE_NS   (30 * NS_PER_S) /* without a terminal: a line is due after this time */

void mb_progress_init(struct mb_progress *progress, bool quiet, size_t n_images)
{
    *progress = (struct mb_progress){
        .is_quiet = quiet,
        .is_terminal = mb_os_columns(MB_STDERR) > 0,
        .n_images = n_images,
    };
    progress->drawn_ns = progress->is_terminal ? 0 : mb_now_ns();
}

void mb_progress_image(struct mb_progress *progress, size_t index, const struct mb_case *c)
{
    progress->image_index = index;
    progress->image = mb_text("%.300s %ux%u %s", c->input_name, c->layout.base.width,
                              c->layout.base.height, c->layout.format->name);
    progress->begin_ns = mb_now_ns();
    progress->first_ns = index == 0 ? progress->begin_ns : progress->first_ns;
}

/* Seconds until the end of the run if each image takes as long as the finished images did on
 * average, or during the first image, as long as that is expected to take. NaN before the first
 * image's blocks are sampled, and once the last image has taken longer than expected. */
static double seconds_left(const struct mb_progress *progress, uint64_t now_ns)
{
    const size_t n_done = progress->image_index;
    const size_t n_after = progress->n_images - n_done - 1;
    const double spent_ns = (double)(now_ns - progress->begin_ns);
    const double first_ns =
        progress->table_left_ns > 0.0 ? spent_ns + progress->table_left_ns : (double)NAN;
    const double each_ns =
        n_done > 0 ? (double)(progress->begin_ns - progress->first_ns) / (double)n_done
                   : first_ns;
    const double rest_ns = each_ns - spent_ns;
    const double left_ns = each_ns * (double)n_after + (rest_ns > 0.0 ? rest_ns : 0.0);
    return left_ns > 0.0 ? left_ns / (double)NS_PER_S : (double)NAN;
}

/* " - about 40 s left", or in minutes or hours; "" if the time is unknown. */
static struct mb_text left_text(double left_s)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{3600.0, "h"}, {60.0, "min"}, {1.0, "s"}};
    size_t i = 0;
    while (i + 1 < MB_COUNTOF(units) && left_s < 1.5 * units[i].seconds) {
        i++;
    }
    return isfinite(left_s) ? mb_text(" - about %.0f %s left", ceil(left_s / units[i].seconds),
                                      units[i].name)
                            : (struct mb_text){""};
}

struct mb_text mb_progress_text(const struct mb_progress *progress, const char *label,
                                const char *step, uint64_t now_ns)
{
    const char *image = progress->image.s;
    return mb_text("[%zu/%zu] %s - %s%s%s%s", progress->image_index + 1, progress->n_images,
                   label, step, left_text(seconds_left(progress, now_ns)).s,
                   image[0] != '\0' ? " - " : "", image);
}

static void draw(struct mb_progress *progress, const char *label, const char *step,
                 uint64_t now_ns)
{
    const struct mb_text text = mb_progress_text(progress, label, step, now_ns);
    if (progress->is_terminal) {
        /* Ask for the width every time, as a window can be resized. Leave the last column free:
         * some terminals wrap a line that fills it. */
        mb_log_set_transient(text.s, mb_os_columns(MB_STDERR) - 1);
    } else {
        mb_log(MB_LOG_INFO, "%s", text.s);
    }
    progress->drawn_ns = now_ns;
}

bool mb_progress_is_due(const struct mb_progress *progress, uint64_t now_ns)
{
    const uint64_t least_ns = progress->is_terminal ? MIN_REDRAW_NS : MIN_LINE_NS;
    return !progress->is_quiet &&
           (progress->drawn_ns == 0 || now_ns - progress->drawn_ns >= least_ns);
}

void mb_progress_step(struct mb_progress *progress, const char *label, const char *step)
{
    const uint64_t now_ns = mb_now_ns();
    progress->table_left_ns = 0.0;
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
    progress->table_ns = n_done <= 1 ? now_ns : progress->table_ns;
    progress->table_left_ns =
        n_done > 1 ? (double)(now_ns - progress->table_ns) / (n_done - 1) * (n_total - n_done)
                   : 0.0;
    if (n_done > 0) {
        snprintf(step, sizeof step, "%" PRIu32 " of %" PRIu32 " blocks", n_done, n_total);
    }
    if (mb_progress_is_due(progress, now_ns)) {
        draw(progress, label, step, now_ns);
    }
}

/* ", 2 FAILED"; "" for none. */
static struct mb_text count_text(size_t n, const char *word)
{
    return n > 0 ? mb_text(", %zu %s", n, word) : (struct mb_text){""};
}

struct mb_text mb_progress_case_text(const struct mb_progress *progress,
                                     const struct mb_case *c)
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
    const size_t n = n_unchecked > 0 ? n_unchecked : n_verified;
    return mb_text("%zu/%zu %s: %zu strateg%s %s%s%s", progress->image_index + 1,
                   progress->n_images, progress->image.s, n, n == 1 ? "y" : "ies",
                   n_unchecked > 0 ? "not checked" : "verified",
                   count_text(n_failed, "FAILED").s, count_text(n_skipped, "skipped").s);
}

void mb_progress_case_done(struct mb_progress *progress, const struct mb_case *c)
{
    mb_progress_finish(progress); /* clear the line for the table */
    if (!progress->is_terminal && !progress->is_quiet) {
        mb_log(MB_LOG_INFO, "%s", mb_progress_case_text(progress, c).s);
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
