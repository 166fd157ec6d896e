/* `mipbench list`: shows the devices, and which formats, reductions and shapes each strategy
 * supports on each device. */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "cli/options/options.h"
#include "result/result.h"
#include "strategy.h"

/* A device, opened to ask strategies what they support on it. */
struct mb_list_device {
    struct mb_gpu gpu;
    struct mb_err why_closed; /* no text: the device is open */
};

struct mb_list_facts {
    const struct mb_strategy *const *table; /* all strategies, ended by NULL; borrowed */
    struct mb_gpu_info devices[MB_MAX_DEVICES];
    size_t n_devices;
    struct mb_err no_device;     /* why no device was found */
    struct mb_list_device *open; /* [n_devices]; owned; NULL: no strategy is asked */
};

/* Write the facts, and ask each strategy about 256x256 images as a run does
 * (mb_variant_supports). On a device that is not open, no strategy can do anything. Fails only
 * when out of memory. */
MB_MUST_CHECK enum mb_status mb_list_json(struct mb_json *json,
                                          const struct mb_list_facts *facts,
                                          enum mb_list_what what, struct mb_err *err);

/* The same as text. Only `list strategies` has parameters, and only `list formats` has what
 * strategies can do with each format. */
void mb_list_text(struct mb_strbuf *out, const struct mb_json *json, enum mb_list_what what);

/* Write what options->list_what asks for to stdout. If there is no device, `list devices` and
 * --device fail (MB_ERRC_DEVICE), and other lists that need a device say so. */
MB_MUST_CHECK enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err);
