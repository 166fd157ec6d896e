/* Names and headings of cases and timings. */
#include "result/label.h"

#include <math.h>
#include <string.h>

/* "3<joint>layers", "cube" or "2<joint>cubes" after `lead`; "" for a plain image. */
static struct mb_text describe_layers(const struct mb_case *c, const char *lead, char joint)
{
    const uint32_t n = c->is_cube ? c->layout.n_layers / 6 : c->layout.n_layers;
    if (n > 1) {
        return mb_text("%s%u%c%s", lead, n, joint, c->is_cube ? "cubes" : "layers");
    }
    return mb_text("%s%s", c->is_cube ? lead : "", c->is_cube ? "cube" : "");
}

static struct mb_text name_rect(const struct mb_task *task)
{
    const struct mb_rect rect = task->rect;
    return mb_text("_rect-%u-%u-%u-%u", rect.x, rect.y, rect.width, rect.height);
}

static struct mb_text describe_rect(const struct mb_task *task)
{
    const struct mb_rect rect = task->rect;
    return mb_text(", update of %ux%u at %u,%u", rect.width, rect.height, rect.x, rect.y);
}

struct mb_text mb_case_folder(const struct mb_case *c)
{
    const struct mb_task *task = &c->task;
    const struct mb_extent base = c->layout.base;
    const bool has_alpha = task->alpha != MB_ALPHA_STRAIGHT;
    return mb_text("%s_%ux%u_%s_%s%s%s%s%s", c->input_name, base.width, base.height,
                   c->layout.format->name, mb_reduce_names[task->reduce], has_alpha ? "_" : "",
                   has_alpha ? mb_alpha_names[task->alpha] : "", describe_layers(c, "_", '-').s,
                   task->is_update ? name_rect(task).s : "");
}

/* "avg, alpha premultiplied, 3 layers, update of 16x16 at 0,8" */
static struct mb_text describe_case(const struct mb_case *c)
{
    const struct mb_task *task = &c->task;
    const bool has_alpha = task->alpha != MB_ALPHA_STRAIGHT;
    return mb_text("%s%s%s%s%s", mb_reduce_names[task->reduce], has_alpha ? ", alpha " : "",
                   has_alpha ? mb_alpha_names[task->alpha] : "",
                   describe_layers(c, ", ", ' ').s,
                   task->is_update ? describe_rect(task).s : "");
}

struct mb_text mb_timing_describe_task(const struct mb_timing *timing)
{
    return mb_text("%s, %s, %s%s", describe_case(timing->of).s, mb_cache_names[timing->cache],
                   mb_mode_names[timing->mode],
                   timing->of->image_usage != MB_IMAGE_USAGE_ALL ? ", needed usage only" : "");
}

struct mb_text mb_timing_describe(const struct mb_timing *timing)
{
    const struct mb_layout *layout = &timing->of->layout;
    return mb_text("%ux%u %s, %u level%s, %s", layout->base.width, layout->base.height,
                   layout->format->name, layout->n_levels, layout->n_levels == 1 ? "" : "s",
                   mb_timing_describe_task(timing).s);
}

struct mb_text mb_timing_condition(const struct mb_timing *timing)
{
    const bool is_lean = timing->of->image_usage == MB_IMAGE_USAGE_NEEDED;
    return mb_text("%s %s%s", mb_cache_names[timing->cache], mb_mode_names[timing->mode],
                   is_lean ? ", needed usage" : "");
}

struct mb_text mb_timing_place(const struct mb_timing *timing)
{
    const bool is_hot = timing->cache == MB_CACHE_HOT;
    const bool is_latency = timing->mode == MB_MODE_LATENCY;
    const bool is_lean = timing->of->image_usage == MB_IMAGE_USAGE_NEEDED;
    return mb_text("%s%s%s%s%s%s", mb_case_folder(timing->of).s, is_hot ? "" : " ",
                   is_hot ? "" : mb_cache_names[timing->cache], is_latency ? "" : " ",
                   is_latency ? "" : mb_mode_names[timing->mode],
                   is_lean ? " needed-usage" : "");
}

struct mb_text mb_timing_title(const struct mb_timing *timing)
{
    const struct mb_case *c = timing->of;
    return mb_text("%s %ux%u %s %s, %s", c->input_name, c->layout.base.width,
                   c->layout.base.height, c->layout.format->name, describe_case(c).s,
                   mb_timing_condition(timing).s);
}

/* Prefers the info text: all of Mesa's software drivers have version 0.0.1. */
const char *mb_run_driver(const struct mb_run *run)
{
    const char *info = run->device.driver_info;
    return info[0] != '\0' ? info : run->device.driver_version;
}

const char *const mb_shape_names[MB_N_SHAPES] = {
    [MB_SHAPE_2D] = "2d",
    [MB_SHAPE_ARRAY] = "array",
    [MB_SHAPE_CUBE] = "cube",
};

enum mb_shape mb_case_shape(const struct mb_case *c)
{
    return c->is_cube ? MB_SHAPE_CUBE : c->layout.n_layers > 1 ? MB_SHAPE_ARRAY : MB_SHAPE_2D;
}

struct mb_text mb_answer_describe(const struct mb_row *row)
{
    const struct mb_answer answer = mb_row_answer(row);
    const bool is_wrong = answer.word != NULL && answer.questions == 0;
    return mb_text("%s%s", is_wrong ? "claims " : "", answer.word ? answer.word : "-");
}

struct mb_text mb_from_exact_describe(const struct mb_row *row)
{
    const struct mb_answer answer = mb_row_answer(row);
    const bool is_exact = (answer.questions & 1u << MB_QUESTION_EXACT) != 0;
    const bool is_checked = answer.word != NULL && row->result->verify == MB_VERIFY_PASS;
    const bool is_measured =
        row->result->work.tolerance.has_no_policy && row->result->verdict.n_levels > 0;
    const double box_lsb = row->result->verdict.box_lsb;
    if (is_exact || !(is_checked || is_measured) || !isfinite(box_lsb)) {
        return mb_text("%s", "");
    }
    return mb_error_text(box_lsb, row->timing->of->layout.format);
}

bool mb_warning_is_quiet(const struct mb_warning *warning)
{
    static const char *const codes[] = {"cold_unavailable", "few_samples", "interrupted",
                                        "no_timestamps"};
    bool is_found = false;
    for (size_t i = 0; i < MB_COUNTOF(codes) && !is_found; i++) {
        is_found = strcmp(warning->code, codes[i]) == 0;
    }
    return is_found;
}
