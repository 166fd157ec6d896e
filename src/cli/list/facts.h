/* What `mipbench list` knows: the devices, and which strategy can do what on each: every format
 * with every reduction and shape. */
#pragma once

#include "cli/options/options.h"
#include "result/result.h"
#include "strategy.h"

/* What a strategy may be able to do with a format. Those that are no reduction use averages. */
struct mb_operation {
    const char *name;
    const char *title; /* of a column */
    enum mb_reduce reduce;
    enum mb_alpha alpha;
    uint32_t n_layers;
    bool is_cube, is_update;
};

#define MB_N_OPERATIONS 7
extern const struct mb_operation mb_operations[MB_N_OPERATIONS]; /* averages first */

enum mb_capability_kind {
    MB_CAPABILITY_NONE,
    MB_CAPABILITY_DEFAULT,     /* with default parameters */
    MB_CAPABILITY_VARIANT,     /* only with others, which the note names */
    MB_CAPABILITY_MEANINGLESS, /* the format has no alpha */
};

struct mb_capability {
    enum mb_capability_kind kind;
    size_t note; /* index; for NONE and VARIANT */
};

/* Why the default parameters cannot do it, and which ones can. No device has two equal notes.
 */
struct mb_capability_note {
    char variant[MB_LABEL_BYTES]; /* "compute:load=texel", or "" where none can */
    char reason[512];             /* why the default parameters cannot */
};

/* What the strategies can do on one device. */
struct mb_capabilities {
    struct mb_capability *of; /* [n_strategies][mb_format_count][MB_N_OPERATIONS]; owned */
    struct mb_capability_note *notes;
    size_t n_notes;
};

/* Ask every strategy about 256x256 images, by the rule of a run (mb_instance_supports). With
 * `gpu` NULL the device could not be opened, for the reason `why`, and every answer is no.
 * Fails only when out of memory. */
MB_MUST_CHECK enum mb_status mb_capabilities_ask(struct mb_capabilities *capabilities,
                                                 const struct mb_strategy *const *table,
                                                 const struct mb_gpu *gpu,
                                                 const struct mb_err *why, struct mb_err *err);
void mb_capabilities_finish(struct mb_capabilities *capabilities);

/* What one strategy can do with one format; averages of the first are what all should. */
const struct mb_capability *mb_capabilities_get(const struct mb_capabilities *capabilities,
                                                size_t strategy, size_t format,
                                                size_t operation);

struct mb_list_facts {
    const struct mb_strategy *const *table; /* all strategies, ended by NULL; borrowed */
    struct mb_gpu_info *devices;            /* owned */
    size_t n_devices;
    struct mb_err no_device;              /* why there is none */
    struct mb_capabilities *capabilities; /* [n_devices]; owned; NULL: not asked */
};

/* Gather what `what` needs, of all devices or of the one that the settings name. No
 * device is a failure (MB_ERRC_DEVICE) only where devices are all that was asked for, or one by
 * name; else facts->no_device says why there is none. */
MB_MUST_CHECK enum mb_status mb_list_facts_gather(struct mb_list_facts *facts,
                                                  enum mb_list_what what,
                                                  const struct mb_settings *settings,
                                                  struct mb_err *err);
void mb_list_facts_finish(struct mb_list_facts *facts);
