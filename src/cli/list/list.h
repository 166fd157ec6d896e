/* `mipbench list`: what there is to choose from. */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "cli/list/facts.h"

/* The two ways to write what is known; the text has parameters of strategies only if it is
 * verbose. */
void mb_list_text(struct mb_strbuf *out, const struct mb_list_facts *facts,
                  enum mb_list_what what, bool is_verbose);
void mb_list_json(struct mb_json *json, const struct mb_list_facts *facts,
                  enum mb_list_what what);

/* Write what options->list_what asks for to stdout. Only `list devices` and an
 * options->settings.device fail without a device (MB_ERRC_DEVICE); else it is said that there
 * is none. */
MB_MUST_CHECK enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err);
