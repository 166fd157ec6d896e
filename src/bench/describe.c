/* A cell in words. */
#include "bench/describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_SHAPE_BYTES 32
#define LOPSIDED        0.2 /* sides of an interval differ by more than this of the larger */

/* "", "3<joint>layers", "cube" or "2<joint>cubes". */
static void describe_layers(const struct mb_cell *cell, char joint, char *out)
{
    const uint32_t n_layers = cell->layout.n_layers;
    out[0] = '\0';
    if (!cell->is_cube && n_layers > 1) {
        snprintf(out, MAX_SHAPE_BYTES, "%u%clayers", n_layers, joint);
    } else if (cell->is_cube && n_layers > 6) {
        snprintf(out, MAX_SHAPE_BYTES, "%u%ccubes", n_layers / 6, joint);
    } else if (cell->is_cube) {
        snprintf(out, MAX_SHAPE_BYTES, "cube");
    }
}

/* "_rect-X-Y-W-H"; of several how many, and the least that holds them all: with 16 of them the
 * name would be longer than file systems take. */
static void name_rects(const struct mb_task *task, char *out, size_t out_bytes)
{
    const struct mb_rect all = mb_rects_enclosing(task->rects, task->n_rects);
    char count[24] = "rect";
    if (task->n_rects > 1) {
        snprintf(count, sizeof count, "%u-rects", task->n_rects);
    }
    snprintf(out, out_bytes, "_%s-%u-%u-%u-%u", count, all.x, all.y, all.width, all.height);
}

/* ", update of WxH at X,Y"; of several how many, and where. */
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

void mb_cell_folder(const struct mb_cell *cell, char *out, size_t out_bytes)
{
    const struct mb_task *task = &cell->task;
    const struct mb_extent base = cell->layout.base;
    char layers[MAX_SHAPE_BYTES];
    char rects[80] = "";
    describe_layers(cell, '-', layers);
    if (task->is_update) {
        name_rects(task, rects, sizeof rects);
    }
    snprintf(out, out_bytes, "%s_%ux%u_%s_%s%s%s%s%s%s", cell->input_name, base.width,
             base.height, cell->layout.format->name, mb_reduce_name(task->reduce),
             task->alpha != MB_ALPHA_STRAIGHT ? "_" : "",
             task->alpha != MB_ALPHA_STRAIGHT ? mb_alpha_name(task->alpha) : "",
             layers[0] != '\0' ? "_" : "", layers, rects);
}

void mb_cell_describe_task(const struct mb_cell *cell, char *out, size_t out_bytes)
{
    const struct mb_task *task = &cell->task;
    char layers[MAX_SHAPE_BYTES];
    char rects[128] = "";
    describe_layers(cell, ' ', layers);
    if (task->is_update) {
        describe_rects(task, rects, sizeof rects);
    }
    snprintf(out, out_bytes, "%s%s%s%s%s%s, %s, %s%s", mb_reduce_name(task->reduce),
             task->alpha != MB_ALPHA_STRAIGHT ? ", alpha " : "",
             task->alpha != MB_ALPHA_STRAIGHT ? mb_alpha_name(task->alpha) : "",
             layers[0] != '\0' ? ", " : "", layers, rects, mb_cache_name(cell->cache),
             mb_mode_name(cell->mode),
             cell->image_usage != MB_IMAGE_USAGE_ALL ? ", needed usage only" : "");
}

void mb_cell_describe(const struct mb_cell *cell, char *out, size_t out_bytes)
{
    const struct mb_layout *layout = &cell->layout;
    char task[256];
    mb_cell_describe_task(cell, task, sizeof task);
    snprintf(out, out_bytes, "%ux%u %s, %u level%s, box %s", layout->base.width,
             layout->base.height, layout->format->name, layout->n_levels,
             layout->n_levels == 1 ? "" : "s", task);
}

const char *mb_cell_shape(const struct mb_cell *cell)
{
    if (cell->is_cube) {
        return "cube";
    }
    return cell->layout.n_layers > 1 ? "array" : "2d";
}

bool mb_cell_leaves_box(const struct mb_cell *cell)
{
    for (size_t i = 0; i < cell->n_results; i++) {
        const struct mb_result *result = &cell->results[i];
        const enum mb_policy policy = result->work.claim.filter.policy;
        if (result->verify != MB_VERIFY_SKIPPED && policy != MB_POLICY_BOX &&
            (mb_policy_is_wide(policy) ||
             !mb_policies_agree(cell->layout.base, cell->layout.n_levels))) {
            return true;
        }
    }
    return false;
}

void mb_lsb_text(double lsb, char *out, size_t out_bytes)
{
    if (lsb < 5e-4) {
        lsb = 0.0; /* the rounding of doubles */
    }
    /* %g goes to exponents where its digits end. */
    snprintf(out, out_bytes, lsb >= 999.5 && lsb < 1e6 ? "%.0f" : "%.3g", lsb);
}

void mb_quality_describe(const struct mb_cell *cell, const struct mb_result *result, char *out,
                         size_t out_bytes)
{
    if (result->verify == MB_VERIFY_SKIPPED) {
        snprintf(out, out_bytes, "-");
        return;
    }
    char lsb[32];
    mb_lsb_text(result->verdict.box_lsb, lsb, sizeof lsb);
    snprintf(out, out_bytes, "%s %s (%s)", lsb,
             mb_format_is_unorm(cell->layout.format) ? "LSB" : "ulp",
             mb_policy_name(result->work.claim.filter.policy));
}

void mb_of_limit_describe(const struct mb_cell *cell, const struct mb_result *result, char *out,
                          size_t out_bytes)
{
    double percent = 100.0 * mb_result_of_limit(cell, result);
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
        "overhead_bound",   "levels_capped", "layers_left_out",  "clock_unstable",
        "bimodal",          "above_limit",   "input_clamped",    "srgb_ignored",
        "not_conservative", "clock_shifted", "cold_unavailable", "cut_short",
        "no_split",         "not_a_line",    "chain_not_written"};
    for (size_t i = 0; i < MB_COUNTOF(codes); i++) {
        if (strcmp(warning->code, codes[i]) == 0) {
            return true;
        }
    }
    return false;
}
