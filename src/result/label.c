/* A case in words. */
#include "result/label.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_SHAPE_BYTES 32
#define LOPSIDED        0.2 /* sides of an interval differ by more than this of the larger */

/* "3<joint>layers", "cube" or "2<joint>cubes"; "" of a plain image. */
static void describe_layers(const struct mb_case *c, char joint, char *out)
{
    const uint32_t n = c->is_cube ? c->layout.n_layers / 6 : c->layout.n_layers;
    out[0] = '\0';
    if (n > 1) {
        snprintf(out, MAX_SHAPE_BYTES, "%u%c%s", n, joint, c->is_cube ? "cubes" : "layers");
    } else if (c->is_cube) {
        snprintf(out, MAX_SHAPE_BYTES, "cube");
    }
}

/* "_rect-X-Y-W-H"; of several their number and bounding box: a name with all 16 would be longer
 * than file systems take. */
static void name_rects(const struct mb_task *task, char *out, size_t out_bytes)
{
    const struct mb_rect all = mb_rects_enclosing(task->rects, task->n_rects);
    char count[24] = "rect";
    if (task->n_rects > 1) {
        snprintf(count, sizeof count, "%u-rects", task->n_rects);
    }
    snprintf(out, out_bytes, "_%s-%u-%u-%u-%u", count, all.x, all.y, all.width, all.height);
}

/* ", update of WxH at X,Y"; of several their number and bounding box. */
static void describe_rects(const struct mb_task *task, char *out, size_t out_bytes)
{
    const struct mb_rect all = mb_rects_enclosing(task->rects, task->n_rects);
    char count[32] = "";
    if (task->n_rects > 1) {
        snprintf(count, sizeof count, "%u rectangles within ", task->n_rects);
    }
    snprintf(out, out_bytes, ", update of %s%ux%u at %u,%u", count, all.width, all.height,
             all.x, all.y);
}

void mb_case_folder(const struct mb_case *c, char *out, size_t out_bytes)
{
    const struct mb_task *task = &c->task;
    const struct mb_extent base = c->layout.base;
    char layers[MAX_SHAPE_BYTES];
    char rects[80] = "";
    describe_layers(c, '-', layers);
    if (task->is_update) {
        name_rects(task, rects, sizeof rects);
    }
    snprintf(out, out_bytes, "%s_%ux%u_%s_%s%s%s%s%s%s", c->input_name, base.width, base.height,
             c->layout.format->name, mb_reduce_names[task->reduce],
             task->alpha != MB_ALPHA_STRAIGHT ? "_" : "",
             task->alpha != MB_ALPHA_STRAIGHT ? mb_alpha_name(task->alpha) : "",
             layers[0] != '\0' ? "_" : "", layers, rects);
}

void mb_timing_describe_task(const struct mb_timing *timing, char *out, size_t out_bytes)
{
    const struct mb_task *task = &timing->of->task;
    char layers[MAX_SHAPE_BYTES];
    char rects[128] = "";
    describe_layers(timing->of, ' ', layers);
    if (task->is_update) {
        describe_rects(task, rects, sizeof rects);
    }
    snprintf(out, out_bytes, "%s%s%s%s%s%s, %s, %s%s", mb_reduce_names[task->reduce],
             task->alpha != MB_ALPHA_STRAIGHT ? ", alpha " : "",
             task->alpha != MB_ALPHA_STRAIGHT ? mb_alpha_name(task->alpha) : "",
             layers[0] != '\0' ? ", " : "", layers, rects, mb_cache_name(timing->cache),
             mb_mode_names[timing->mode],
             timing->of->image_usage != MB_IMAGE_USAGE_ALL ? ", needed usage only" : "");
}

void mb_timing_describe(const struct mb_timing *timing, char *out, size_t out_bytes)
{
    const struct mb_layout *layout = &timing->of->layout;
    char task[256];
    mb_timing_describe_task(timing, task, sizeof task);
    snprintf(out, out_bytes, "%ux%u %s, %u level%s, %s", layout->base.width,
             layout->base.height, layout->format->name, layout->n_levels,
             layout->n_levels == 1 ? "" : "s", task);
}

const char *mb_case_shape(const struct mb_case *c)
{
    if (c->is_cube) {
        return "cube";
    }
    return c->layout.n_layers > 1 ? "array" : "2d";
}

void mb_lsb_text(double lsb, char *out, size_t out_bytes)
{
    if (!isfinite(lsb)) {
        snprintf(out, out_bytes, "-");
        return;
    }
    if (lsb < 5e-4) {
        lsb = 0.0; /* the rounding of doubles */
    }
    /* %g goes to exponents where its digits end. */
    snprintf(out, out_bytes, lsb >= 999.5 && lsb < 1e6 ? "%.0f" : "%.3g", lsb);
}

void mb_answer_describe(const struct mb_timing *timing, const struct mb_row *row, char *out,
                        size_t out_bytes)
{
    const struct mb_answer answer = mb_result_answer(timing->of, row->result);
    const bool is_exact = (answer.questions & 1u << MB_QUESTION_EXACT) != 0;
    const double box_lsb = row->result->verdict.box_lsb;
    if (answer.word == NULL || is_exact || row->result->verify == MB_VERIFY_SKIPPED ||
        !isfinite(box_lsb)) {
        snprintf(out, out_bytes, "%s", answer.word ? answer.word : "-");
        return;
    }
    char lsb[32];
    mb_lsb_text(box_lsb, lsb, sizeof lsb);
    snprintf(out, out_bytes, "%s, %s %s", answer.word, lsb,
             mb_format_is_unorm(timing->of->layout.format) ? "LSB" : "ulp");
}

void mb_of_limit_describe(const struct mb_timing *timing, const struct mb_row *row, char *out,
                          size_t out_bytes)
{
    double percent = 100.0 * mb_row_of_limit(timing, row);
    if (!isfinite(percent)) {
        snprintf(out, out_bytes, "-");
        return;
    }
    snprintf(out, out_bytes, percent < 9.95 ? "%.1f %%" : "%.0f %%", percent);
}

/* With its interval, rounded outwards. */
static void describe_ratio(double ratio, const double ci[2], const char *plus_minus, char *out,
                           size_t out_bytes)
{
    const double up = ci[1] - ratio, down = ratio - ci[0], half = fmax(up, down);
    const int decimals = half < 0.005 ? 3 : 2;
    const double scale = decimals == 3 ? 1000.0 : 100.0;
    if (fabs(up - down) > fmax(LOPSIDED * half, 1.0 / scale)) {
        snprintf(out, out_bytes, "%.*f (%.*f - %.*f)", decimals, ratio, decimals,
                 floor(ci[0] * scale) / scale, decimals, ceil(ci[1] * scale) / scale);
        return;
    }
    snprintf(out, out_bytes, "%.*f %s %.*f", decimals, ratio, plus_minus, decimals,
             ceil(half * scale) / scale);
}

void mb_relation_describe(const struct mb_relation *relation, const char *plus_minus, char *out,
                          size_t out_bytes)
{
    if (!isfinite(relation->ratio)) {
        snprintf(out, out_bytes, "-");
    } else if (relation->p_adjusted >= 0.0) {
        describe_ratio(relation->ratio, relation->ci, plus_minus, out, out_bytes);
    } else {
        snprintf(out, out_bytes, "%.2f", relation->ratio);
    }
}

bool mb_warning_is_loud(const struct mb_warning *warning)
{
    static const char *const codes[] = {
        "overhead_bound", "levels_capped", "layers_left_out",  "clock_unstable", "bimodal",
        "above_limit",    "input_clamped", "srgb_ignored",     "clock_shifted",  "cut_short",
        "no_split",       "not_a_line",    "chain_not_written"};
    for (size_t i = 0; i < MB_COUNTOF(codes); i++) {
        if (strcmp(warning->code, codes[i]) == 0) {
            return true;
        }
    }
    return false;
}
