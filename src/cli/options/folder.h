/* Folders given as inputs. */
#pragma once

#include <stdint.h>

#include "base/strlist.h"

/* Replace each folder by the images directly in it, in natural order: regular files with a
 * suffix that the loader knows; hidden files are skipped. MB_ERRC_INPUT if a folder cannot be
 * read or has no images. */
MB_MUST_CHECK enum mb_status mb_images_expand(struct mb_strlist *inputs, struct mb_err *err);

/* The files that a run or a tuning may leave in its output folder, besides pictures. */
#define MB_N_FOLDER_FILES 4
extern const char *const mb_folder_files[MB_N_FOLDER_FILES];

/* The name of a run's folder in a set, without the number: "run-1". */
#define MB_SET_RUN "run-"

/* The folder of one run of a set in `dir`, such as DIR/run-3; owned by the caller (mb_free).
 * NULL without memory. */
char *mb_set_run_folder(const char *dir, uint32_t run);

/* Append the results.json of each run in the folder of a set, in the order of the runs; there
 * may be none. If the folder cannot be read, fails with `code`. */
MB_MUST_CHECK enum mb_status mb_set_results(const char *folder, enum mb_errc code,
                                            struct mb_strlist *results, struct mb_err *err);

/* Replace each folder: the folder of a run by its results.json, that of a set by the
 * results.json of each of its runs, any other folder by every .json in it. MB_ERRC_INPUT if a
 * folder has none of these, or both a results.json and runs. */
MB_MUST_CHECK enum mb_status mb_folders_to_results(struct mb_strlist *inputs,
                                                   struct mb_err *err);

/* Do the same to two sides, each a list of paths joined by commas. `*n_base` is set to the
 * number of results of the first side. */
MB_MUST_CHECK enum mb_status mb_sides_to_results(struct mb_strlist *sides, size_t *n_base,
                                                 struct mb_err *err);
