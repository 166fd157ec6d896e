/* A case, and a timing of it, in words: for folders and result ids, and for the line above its
 * table. */
#pragma once

#include "base/text.h"
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

/* "cold", "latency", "avg": names, or the words of a file that are not known here. */
const char *mb_timing_cache(const struct mb_timing *timing);
const char *mb_timing_mode(const struct mb_timing *timing);
const char *mb_case_reduce(const struct mb_case *c);

/* "cold latency", "cold latency, needed usage"; and "noise_64x64_rgba8_avg cold": the id of its
 * case, and what is not hot latency. */
struct mb_text mb_timing_condition(const struct mb_timing *timing);
struct mb_text mb_timing_place(const struct mb_timing *timing);

/* Of the program that the run was made with; "": not known. */
const char *mb_run_git_sha(const struct mb_run *run);

/* The driver, by version and info; and what people know it by: its info, else its version. */
struct mb_text mb_run_driver(const struct mb_run *run);
struct mb_text mb_run_driver_shown(const struct mb_run *run);

/* "2d", "array" or "cube", as in the JSON. */
const char *mb_case_shape(const struct mb_case *c);

/* A distance in LSB with three digits: "0.984", "37.2", "2750", "-" where it is not
 * finite. */
struct mb_text mb_lsb_text(double lsb);

/* What a result answers: "exact", "conservative", or what keeps it from that and, where it was
 * checked, how far it is from the exact average: "floor, 37.2 LSB". "-" for what leaves work
 * out or never stated its work. */
struct mb_text mb_answer_describe(const struct mb_timing *timing, const struct mb_row *row);

/* "72 %" of the limit; "-" where it is not known. */
struct mb_text mb_of_limit_describe(const struct mb_timing *timing, const struct mb_row *row);

/* "1.44 ± 0.01", with `plus_minus` between: the ratio and the larger side of its interval, with
 * a digit more where that is less than 0.005; "1.63 (1.40 - 4.43)" where its sides differ by
 * more than 20 %; "1.00" of the fastest itself, "-" where there is none. */
struct mb_text mb_relation_describe(const struct mb_relation *relation, const char *plus_minus);

/* True for warnings that are shown without -v: whoever reads the figures must know them. */
bool mb_warning_is_loud(const struct mb_warning *warning);
