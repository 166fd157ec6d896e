/* `mipbench list`: the devices, and which strategy can do what on each: every format with every
 * reduction and shape. */
#pragma once

#include "base/json.h"
#include "base/strbuf.h"
#include "cli/options/options.h"
#include "result/result.h"
#include "strategy.h"

#define MB_N_OPERATIONS 7 /* averages first */

/* Why the default parameters cannot do it, and which ones can. No device has two equal notes.
 */
struct mb_capability_note {
    char variant[MB_LABEL_BYTES]; /* "compute:load=texel", or "" where none can */
    char reason[512];             /* why the default parameters cannot */
};

#define MB_CAPABLE     ((size_t)0) /* with default parameters */
#define MB_MEANINGLESS SIZE_MAX    /* the format has no alpha */

/* What the strategies can do on one device. */
struct mb_capabilities {
    /* [n_strategies][mb_format_count][MB_N_OPERATIONS]: one of the above, or the number of a
     * note, from 1; owned */
    size_t *of;
    struct mb_capability_note *notes;
    size_t n_notes;
};

/* Ask every strategy about 256x256 images, by the rule of a run (mb_variant_supports). With
 * `gpu` NULL the device could not be opened, for the reason `why`, and every answer is no.
 * Fails only when out of memory. */
MB_MUST_CHECK enum mb_status mb_capabilities_ask(struct mb_capabilities *capabilities,
                                                 const struct mb_strategy *const *table,
                                                 const struct mb_gpu *gpu,
                                                 const struct mb_err *why, struct mb_err *err);
void mb_capabilities_finish(struct mb_capabilities *capabilities);

struct mb_list_facts {
    const struct mb_strategy *const *table; /* all strategies, ended by NULL; borrowed */
    struct mb_gpu_info *devices;            /* owned */
    size_t n_devices;
    struct mb_err no_device;              /* why there is none */
    struct mb_capabilities *capabilities; /* [n_devices]; owned; NULL: not asked */
};

/* The two ways to write what is known; the text has parameters of strategies only if it is
 * verbose. */
void mb_list_text(struct mb_strbuf *out, const struct mb_list_facts *facts,
                  enum mb_list_what what, bool is_verbose);
void mb_list_json(struct mb_json *json, const struct mb_list_facts *facts,
                  enum mb_list_what what);

/* Write what options->list_what asks for to stdout. Only `list devices` and an
 * options->settings.device fail without a device (MB_ERRC_DEVICE); else the text says that
 * there is none. */
MB_MUST_CHECK enum mb_status mb_list_run(const struct mb_options *options, struct mb_err *err);
