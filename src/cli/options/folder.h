/* Folders given as inputs. */
#ifndef MB_CLI_OPTIONS_FOLDER_H
#define MB_CLI_OPTIONS_FOLDER_H

#include "base/strlist.h"

/* Replace each folder by the images directly in it, in natural order: regular files with a
 * suffix that the loader knows; hidden files are skipped. A folder that cannot be read or
 * has no images is MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_folders_expand(struct mb_strlist *inputs, struct mb_err *err);

#endif
