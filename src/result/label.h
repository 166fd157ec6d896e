/* Names of cases and timings: folders, ids, headings. */
#pragma once

#include "base/figure.h"
#include "result/result.h"

/* "photo_64x64_rgba8_avg": unique in a run, and the folder of the case's pictures. Settings
 * that are not at their default are appended: "_premultiplied", "_3-layers", "_cube" or
 * "_2-cubes", "_rect-0-8-16-16". */
struct mb_text mb_case_folder(const struct mb_case *c);

/* "64x64 rgba8, 7 levels, avg, hot, latency". Settings that are not at their default follow the
 * reduction: "alpha premultiplied", "3 layers", "cube", "2 cubes", "update of 16x16 at 0,8". */
struct mb_text mb_timing_describe(const struct mb_timing *timing);

/* mb_timing_describe() without size, format and levels: "avg, hot, latency". */
struct mb_text mb_timing_describe_task(const struct mb_timing *timing);

/* The condition: "cold latency", "cold latency, needed usage". The place: the id of the case,
 * then whatever differs from hot latency, "noise_64x64_rgba8_avg cold". */
struct mb_text mb_timing_condition(const struct mb_timing *timing);
struct mb_text mb_timing_place(const struct mb_timing *timing);

/* A heading: "noise 64x64 rgba8 avg, 3 layers, cold latency". */
struct mb_text mb_timing_title(const struct mb_timing *timing);

/* The driver's info text, or else its version. */
const char *mb_run_driver(const struct mb_run *run);

enum mb_shape { MB_SHAPE_2D, MB_SHAPE_ARRAY, MB_SHAPE_CUBE, MB_N_SHAPES };
extern const char *const mb_shape_names[MB_N_SHAPES]; /* "2d", "array", "cube" */
enum mb_shape mb_case_shape(const struct mb_case *c);

/* A result's answer in a word: "exact", "conservative", or why it is neither, such as "floor".
 * "claims exact" if the result is wrong; "-" if the strategy leaves work out or never stated
 * its work. */
struct mb_text mb_answer_describe(const struct mb_row *row);

/* Distance from the exact average, "37.2 LSB"; "" if it is exact, wrong or unchecked. */
struct mb_text mb_from_exact_describe(const struct mb_row *row);

/* True for warnings that are shown with -v only. */
bool mb_warning_is_quiet(const struct mb_warning *warning);
