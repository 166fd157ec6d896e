/* A cell in words: for folders and result ids, and for the line above its table. */
#ifndef MB_BENCH_DESCRIBE_H
#define MB_BENCH_DESCRIBE_H

#include "bench/result.h"

/* "photo_64x64_rgba8_avg": unlike those of all other cells of a run, and the folder of its
 * pictures. What is not at its default is appended: "_premultiplied", "_3-layers", "_cube" or
 * "_2-cubes", "_rect-0-8-16-16". */
void mb_cell_folder(const struct mb_cell *cell, char *out, size_t out_bytes);

/* "64x64 rgba8, 7 levels, box avg, hot, latency", with what is not at its default after the
 * reduction: "alpha premultiplied", "3 layers", "cube" or "2 cubes", "update of 16x16 at 0,8".
 */
void mb_cell_describe(const struct mb_cell *cell, char *out, size_t out_bytes);

/* What of that holds at any size and in any format: "avg, hot, latency". */
void mb_cell_describe_task(const struct mb_cell *cell, char *out, size_t out_bytes);

/* "2d", "array" or "cube", as in the JSON. */
const char *mb_cell_shape(const struct mb_cell *cell);

/* True if a judged result follows another policy than box, at a size where that matters: the
 * distance to box is then quality, to be shown beside the time. */
bool mb_cell_leaves_box(const struct mb_cell *cell);

/* A distance in LSB with three digits: "0.984", "37.2", "2750"; 32 bytes are enough. */
void mb_lsb_text(double lsb, char *out, size_t out_bytes);

/* "37.2 LSB (floor)": the distance of a judged result to box, and its own policy. */
void mb_quality_describe(const struct mb_cell *cell, const struct mb_result *result, char *out,
                         size_t out_bytes);

/* "72 %" of the cell's limit; "-" where it is not known. */
void mb_of_limit_describe(const struct mb_cell *cell, const struct mb_result *result, char *out,
                          size_t out_bytes);

/* "1.44 ± 0.01", with `plus_minus` between: the ratio and the larger side of its interval, with
 * a digit more where that is less than 0.005; "1.63 (1.40 - 4.43)" where its sides differ by
 * more than 20 %; "1.00" of the fastest itself, "-" where there is none. */
void mb_relation_describe(const struct mb_relation *relation, const char *plus_minus, char *out,
                          size_t out_bytes);

/* True for the warnings that a reader of the figures must know, asked for or not. */
bool mb_warning_is_loud(const struct mb_warning *warning);

#endif
