/* `mipbench list`: what there is to choose from, for a person or as JSON. */
#ifndef MB_CLI_LIST_H
#define MB_CLI_LIST_H

#include "cli/options.h"

/* Write what options->list_what asks for to stdout. Only `list devices` and an
 * options->settings.device fail without a device (MB_ERRC_DEVICE); else it is said that there
 * is none. */
MB_MUST_CHECK enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err);

#endif
