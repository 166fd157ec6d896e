/* Folders and lists given as inputs. */
#pragma once

#include "base/strlist.h"

/* Replace each folder by the images directly in it, in natural order: regular files with a
 * suffix that the loader knows; hidden files are skipped. A folder that cannot be read or
 * has no images is MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_folders_expand(struct mb_strlist *inputs, struct mb_err *err);

/* Replace "@-" by the paths on standard input, one a line: blank lines are skipped, and a
 * carriage return before a line's end. No path, or more than 16 MiB of them, is MB_ERRC_INPUT;
 * a second "@-" is MB_ERRC_USAGE. */
MB_MUST_CHECK enum mb_status mb_lists_expand(struct mb_strlist *inputs, struct mb_err *err);

/* Replace each folder by the results.json in it. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_folders_to_results(struct mb_strlist *inputs,
                                                   struct mb_err *err);
