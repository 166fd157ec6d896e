/* `mipbench list`: the devices, and which strategy can do what on each: every format with every
 * reduction and shape. */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "cli/options/options.h"
#include "result/result.h"
#include "strategy.h"

/* A device that strategies are asked about. */
struct mb_list_device {
    struct mb_gpu gpu;
    struct mb_err why_closed; /* no text: it is open */
};

struct mb_list_facts {
    const struct mb_strategy *const *table; /* all strategies, ended by NULL; borrowed */
    struct mb_gpu_info devices[MB_MAX_DEVICES];
    size_t n_devices;
    struct mb_err no_device;     /* why there is none */
    struct mb_list_device *open; /* [n_devices]; owned; NULL: no strategy is asked */
};

/* Write what is known, asking each strategy about 256x256 images by the rule of a run
 * (mb_variant_supports). A device that is closed can do nothing. Fails only when out of
 * memory. */
MB_MUST_CHECK enum mb_status mb_list_json(struct mb_json *json,
                                          const struct mb_list_facts *facts,
                                          enum mb_list_what what, struct mb_err *err);

/* The same as text. The parameters of strategies are only in `list strategies`, what strategies
 * can do with each format only in `list formats`. */
void mb_list_text(struct mb_strbuf *out, const struct mb_json *json, enum mb_list_what what);

/* Write what options->list_what asks for to stdout. Without a device, `list devices` and
 * --device fail (MB_ERRC_DEVICE); other lists that need a device say that there is none. */
MB_MUST_CHECK enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err);
