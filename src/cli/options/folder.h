/* Folders and lists given as inputs. */
#pragma once

#include <stdint.h>

#include "base/strlist.h"

/* Replace "@-" by the paths on standard input, one a line (blank lines are skipped, and a
 * carriage return before a line's end), and then each folder by the images directly in it, in
 * natural order: regular files with a suffix that the loader knows; hidden files are skipped. A
 * folder that cannot be read or has no images, no path on standard input, and more than 16 MiB
 * of them are MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_images_expand(struct mb_strlist *inputs, struct mb_err *err);

/* Before the number of a run, in the folder of a set: "run-1". */
#define MB_SET_RUN "run-"

/* DIR/run-3, of run 3 of a set in `dir`; owned by the caller (mb_free). NULL without memory. */
char *mb_set_run_folder(const char *dir, uint32_t run);

/* Append the results.json of each run in the folder of a set, in their order; there may be
 * none. `code` is that of a folder that cannot be read. */
MB_MUST_CHECK enum mb_status mb_set_results(const char *folder, enum mb_errc code,
                                            struct mb_strlist *results, struct mb_err *err);

/* Replace each folder by the results.json in it, that of a set by those of its runs, and one
 * that has neither by every .json in it; a folder without any, or with both, is MB_ERRC_INPUT.
 */
MB_MUST_CHECK enum mb_status mb_folders_to_results(struct mb_strlist *inputs,
                                                   struct mb_err *err);

/* The same of two sides, each of paths that are joined by commas; `*n_base` are of the first.
 */
MB_MUST_CHECK enum mb_status mb_sides_to_results(struct mb_strlist *sides, size_t *n_base,
                                                 struct mb_err *err);
