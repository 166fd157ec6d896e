/* An image of a run as cells: what is made of which input, before any of it is timed. */
#ifndef MB_BENCH_IMAGE_CELLS_H
#define MB_BENCH_IMAGE_CELLS_H

#include "bench/result.h"
#include "bench/ruler.h"
#include "image/image.h"

/* The rectangle of an update lies within the image, and a cube is square, at all the sizes that
 * it will have; else MB_ERRC_USAGE, with `input` as its name. */
MB_MUST_CHECK enum mb_status mb_image_check_shapes(const struct mb_settings *settings,
                                                   const struct mb_image *image,
                                                   const char *input, struct mb_err *err);

/* Fill what is known of a zeroed cell before it is run: names, layout, task, compulsory bytes.
 * `input` and `size` are indices into the settings. `*source` is level 0 of every layer as it
 * is uploaded, owned by the caller (mb_free). */
MB_MUST_CHECK enum mb_status mb_image_make_cell(const struct mb_image *image,
                                                const struct mb_settings *settings,
                                                size_t input, size_t size, struct mb_cell *cell,
                                                void **source, struct mb_err *err);

/* The conditions of `settings`, as cells that are otherwise like the first; there is room for
 * MB_N_CACHES * MB_N_MODES. Returns their number. */
size_t mb_image_spread_cell(const struct mb_gpu *gpu, const struct mb_settings *settings,
                            struct mb_cell *cells);

/* Measure what the memory can do at the cells' footprint; NaN where nothing is measured. */
MB_MUST_CHECK enum mb_status mb_image_match_roofline(const struct mb_ruler *ruler,
                                                     struct mb_cell *cells, size_t n_cells,
                                                     struct mb_err *err);

#endif
