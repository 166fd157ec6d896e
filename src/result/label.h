/* A case, and a timing of it, in words: for folders and result ids, and for the line above its
 * table. */
#pragma once

#include "base/figure.h"
#include "result/result.h"

/* "photo_64x64_rgba8_avg": unique among the cases of a run, and the folder of its pictures.
 * What is not at its default is appended: "_premultiplied", "_3-layers", "_cube" or
 * "_2-cubes", "_rect-0-8-16-16". */
struct mb_text mb_case_folder(const struct mb_case *c);

/* "64x64 rgba8, 7 levels, avg, hot, latency", and after the reduction what is not at its
 * default: "alpha premultiplied", "3 layers", "cube", "2 cubes", "update of 16x16 at 0,8". */
struct mb_text mb_timing_describe(const struct mb_timing *timing);

/* The part of it that holds for any size and format: "avg, hot, latency". */
struct mb_text mb_timing_describe_task(const struct mb_timing *timing);

/* "cold", "latency", "avg"; of a file of a later version maybe a word that only it knows. */
const char *mb_timing_cache(const struct mb_timing *timing);
const char *mb_timing_mode(const struct mb_timing *timing);
const char *mb_case_reduce(const struct mb_case *c);

/* "cold latency", "cold latency, needed usage"; and "noise_64x64_rgba8_avg cold": the id of its
 * case, and what is not hot latency. */
struct mb_text mb_timing_condition(const struct mb_timing *timing);
struct mb_text mb_timing_place(const struct mb_timing *timing);

/* For people, of one among several: "noise 64x64 rgba8 avg, 3 layers, cold latency". */
struct mb_text mb_timing_title(const struct mb_timing *timing);

/* Of the program that the run was made with; "": not known. */
const char *mb_run_git_sha(const struct mb_run *run);

/* What people know the driver by: its info, else its version. */
const char *mb_run_driver(const struct mb_run *run);

enum mb_shape { MB_SHAPE_2D, MB_SHAPE_ARRAY, MB_SHAPE_CUBE, MB_N_SHAPES };
extern const char *const mb_shape_names[MB_N_SHAPES]; /* "2d", "array", "cube" */
enum mb_shape mb_case_shape(const struct mb_case *c);

/* What a result answers, a word: "exact", "conservative", or what keeps it from that, "floor";
 * "claims exact" of what is wrong. "-" for what leaves work out or never stated its work. */
struct mb_text mb_answer_describe(const struct mb_timing *timing, const struct mb_row *row);

/* How far it is from the exact average, "37.2 LSB"; "" of what is exact, wrong or was not
 * looked at. */
struct mb_text mb_from_exact_describe(const struct mb_timing *timing, const struct mb_row *row);

/* True for warnings that are shown without -v: whoever reads the figures must know them. */
bool mb_warning_is_loud(const struct mb_warning *warning);
