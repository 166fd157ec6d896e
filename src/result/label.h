/* A case, and a timing of it, in words: for folders and result ids, and for the line above its
 * table. */
#pragma once

#include "result/result.h"

/* "photo_64x64_rgba8_avg": unique among the cases of a run, and the folder of its pictures.
 * What is not at its default is appended: "_premultiplied", "_3-layers", "_cube" or
 * "_2-cubes", "_rect-0-8-16-16". */
void mb_case_folder(const struct mb_case *c, char *out, size_t out_bytes);

/* "64x64 rgba8, 7 levels, avg, hot, latency", and after the reduction what is not at its
 * default: "alpha premultiplied", "3 layers", "cube", "2 cubes", "update of 16x16 at 0,8". */
void mb_timing_describe(const struct mb_timing *timing, char *out, size_t out_bytes);

/* The part of it that holds for any size and format: "avg, hot, latency". */
void mb_timing_describe_task(const struct mb_timing *timing, char *out, size_t out_bytes);

/* "2d", "array" or "cube", as in the JSON. */
const char *mb_case_shape(const struct mb_case *c);

/* A distance in LSB with three digits: "0.984", "37.2", "2750", "-" where it is not
 * finite; 32 bytes are enough. */
void mb_lsb_text(double lsb, char *out, size_t out_bytes);

/* What a result answers: "exact", "conservative", or what keeps it from that and, where it was
 * checked, how far it is from the exact average: "floor, 37.2 LSB". "-" for what leaves work
 * out or never stated its work. */
void mb_answer_describe(const struct mb_timing *timing, const struct mb_row *row, char *out,
                        size_t out_bytes);

/* "72 %" of the limit; "-" where it is not known. */
void mb_of_limit_describe(const struct mb_timing *timing, const struct mb_row *row, char *out,
                          size_t out_bytes);

/* "1.44 ± 0.01", with `plus_minus` between: the ratio and the larger side of its interval, with
 * a digit more where that is less than 0.005; "1.63 (1.40 - 4.43)" where its sides differ by
 * more than 20 %; "1.00" of the fastest itself, "-" where there is none. */
void mb_relation_describe(const struct mb_relation *relation, const char *plus_minus, char *out,
                          size_t out_bytes);

/* True for warnings that are shown without -v: whoever reads the figures must know them. */
bool mb_warning_is_loud(const struct mb_warning *warning);
