/* Which strategy can do what on a device: every format with every reduction and shape. */
#ifndef MB_CLI_ABILITIES_H
#define MB_CLI_ABILITIES_H

#include "bench/result.h"
#include "strategy.h"

/* What is asked for, of every format. All but the reductions are asked with averages. */
enum mb_deed {
    MB_DEED_AVG,
    MB_DEED_MIN,
    MB_DEED_MAX,
    MB_DEED_PREMULTIPLIED,
    MB_DEED_ARRAY,
    MB_DEED_CUBE,
    MB_DEED_UPDATE,
    MB_N_DEEDS,
};

enum mb_ability_kind {
    MB_ABILITY_NONE,
    MB_ABILITY_DEFAULT,     /* with default parameters */
    MB_ABILITY_VARIANT,     /* with others only: the note says which */
    MB_ABILITY_MEANINGLESS, /* alpha of a format without */
};

struct mb_ability {
    enum mb_ability_kind kind;
    size_t note; /* of NONE and VARIANT */
};

/* Why not, and how else. Notes of one device are all different. */
struct mb_ability_note {
    char variant[MB_LABEL_BYTES]; /* "compute:load=texel", or "" where none can */
    char reason[512];             /* of the default parameters */
};

/* Of one device. */
struct mb_abilities {
    struct mb_ability *of; /* [n_strategies][mb_format_count][MB_N_DEEDS]; owned */
    struct mb_ability_note *notes;
    size_t n_notes, capacity;
};

/* "avg", "min", "max", "premultiplied", "array", "cube", "update". */
const char *mb_deed_name(enum mb_deed deed);

/* Ask every strategy of a NULL-terminated table, by the same rule as a run does
 * (mb_trial_supports), about images of 256x256. `gpu` NULL: the device could not be opened for
 * the reason `why`, and nothing can be done. Fails only without memory. */
MB_MUST_CHECK enum mb_status mb_abilities_ask(struct mb_abilities *abilities,
                                              const struct mb_strategy *const *table,
                                              const struct mb_gpu *gpu,
                                              const struct mb_err *why, struct mb_err *err);
void mb_abilities_finish(struct mb_abilities *abilities);

/* One answer. */
const struct mb_ability *mb_abilities_get(const struct mb_abilities *abilities,
                                          size_t strategy_index, size_t format_index,
                                          enum mb_deed deed);

#endif
