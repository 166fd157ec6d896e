/* The plug-in contract: what a way of making mipmaps is.
 *
 * A strategy is one const descriptor in a table generated from strategies/meson.build. It keeps
 * no state of its own outside `state`, and knows nothing of the harness.
 *
 * Entry state of record(): level 0 holds the image, is readable by every stage, and is in
 * VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL. Levels 1..n hold nothing and may be in any layout
 * (transition them from UNDEFINED); for an update they hold a chain instead, in the same state
 * as level 0. Exit state: every level is written, visible to shader reads of every stage, and
 * in SHADER_READ_ONLY_OPTIMAL. All commands between the two states are in record() and are
 * timed. The exit state satisfies the entry state, so that record() may be repeated after a
 * full barrier (a strategy must reset its counters itself). A strategy that makes levels one
 * after another marks each level (strategy/marks.h). */
#pragma once

#include "image/tolerance.h"
#include "vk/image.h"
#include "vk/shader.h"

#define MB_MAX_PARAMS 64

/* One parameter of a strategy. Values are named; the first is the default. */
struct mb_param {
    const char *name;
    const char *const *values; /* NULL-terminated */
    const char *help;          /* one line */
    /* Values other than the first skip work, to find what that work costs: such a variant is
     * timed, but neither verified nor ranked, and wildcards skip it. */
    bool is_diagnostic;
    /* Wildcards try values other than the first only while all other wildcards are at their
     * first value. */
    bool is_alone;
};

/* The chosen value of each parameter, as an index into its `values`; and the `self` of the
 * strategy that has these parameters. */
struct mb_params {
    const void *self;
    uint8_t choice[MB_MAX_PARAMS];
};

/* What is to be done. */
struct mb_task {
    enum mb_reduce reduce;
    enum mb_alpha alpha;
    /* Update after a change: level 0 is new within `rect`, in every layer; the other levels
     * hold what the same strategy, with is_update set, made of the old level 0. The update must
     * leave in them, bit for bit, what the strategy makes with the whole image as the
     * rectangle, and must not write texels outside the affected region (mb_filter_affected,
     * level by level). Without is_update the rectangle is the whole image. */
    bool is_update;
    struct mb_rect rect;
};

/* Where a variant reads level 0. */
enum mb_source {
    MB_SOURCE_SAME,     /* in the image that it makes levels of */
    MB_SOURCE_SEPARATE, /* in an image of its own, of the same format */
    MB_SOURCE_DEPTH,    /* in a D32_SFLOAT image, for r32f: `stored` is its only view */
};

struct mb_marks; /* strategy/marks.h */

/* The images to work on. All strategies of one run are given the same image. */
struct mb_target {
    const struct mb_vk_image *image;
    /* Another image, of one level, which holds level 0 in the same state: for variants whose
     * source_of() is not MB_SOURCE_SAME, which do not touch level 0 of `image`. Else NULL. */
    const struct mb_vk_image *source;
    struct mb_task task;
    struct mb_marks *marks; /* where record() says which levels it makes; NULL: nobody asks */
};

/* What a strategy says of its own work. */
struct mb_work {
    uint32_t n_dispatches; /* dispatches, draws or blits per chain */
    uint32_t n_barriers;   /* vkCmdPipelineBarrier calls per chain */
    uint32_t workgroup_size[3];
    uint32_t subgroup_size;     /* that the kernel relies on; 0: none */
    uint64_t algorithmic_bytes; /* all reads and writes of texels and of the hand-off */
    /* Of the result: policy, arithmetic and re-read levels. The harness adds the task's
     * reduction and alpha. */
    struct mb_tolerance tolerance;
};

/* How a kernel loads the 2x2 texels that it reduces to one. */
enum mb_load {
    MB_LOAD_AUTO,    /* SAMPLER if it is precise enough, else TEXEL: mb_load_resolve() */
    MB_LOAD_SAMPLER, /* one filtered fetch at their common corner */
    MB_LOAD_TEXEL,   /* four fetches */
};

/* What a variant can do and what it needs of the device. All zero: it takes any image and task,
 * on any device. */
struct mb_needs {
    /* Images and tasks. */
    bool averages_only; /* no minima and maxima */
    bool straight_only; /* colour is not weighted by alpha */
    bool whole_only;    /* no updates */
    enum mb_policy policy;
    uint32_t max_width; /* largest width and height of level 0; 0: any */

    /* The device. */
    const char *const *features;                /* besides the strategy's; NULL-terminated */
    VkSubgroupFeatureFlags subgroup_operations; /* in compute shaders */
    uint32_t lanes;             /* of a subgroup; 0: mb_lanes() chooses (strategy/needs.h) */
    uint32_t min_subgroup_size; /* of full subgroups; 0: none are needed */
    uint32_t max_subgroup_size;
    const char *without_subgroups; /* what to try instead, "spd:wave=off"; NULL: nothing */
    uint32_t n_storage_images;     /* of a shader */
    uint32_t n_invocations;        /* of a workgroup, along x */
    uint32_t shared_bytes;         /* of a workgroup */
    bool draws;                    /* to all levels but level 0 */
    bool blits;                    /* with a linear filter */

    enum mb_load load;
    bool is_carried; /* the kernel makes further levels from unrounded sums */
};

/* A file that is part of the program, embedded by scripts/embed_files.py. */
struct mb_embedded {
    const char *name;    /* without folders */
    const uint8_t *data; /* a zero byte follows */
    size_t n_bytes;
};

/* Modules that an export may leave out; each is a bit. */
enum mb_export_part {
    MB_EXPORT_PLAIN = 1 << 0,   /* for devices without subgroup operations */
    MB_EXPORT_ALPHA = 1 << 1,   /* for averages weighted by alpha */
    MB_EXPORT_UPDATES = 1 << 2, /* for updates */
};

/* What `mipbench export` is asked for. */
struct mb_export {
    const char *dir;         /* an existing folder */
    const unsigned *reduces; /* [mb_format_count]: a bit for each reduction (enum mb_reduce) */
    unsigned left_out;       /* mask of enum mb_export_part */
    /* If not zero: also write a manifest (--kernel) for one image of this size in each format
     * of `reduces`. It states the plan for the device of `info`; if that is NULL, for one with
     * subgroups of 32 and 64-bit atomics. */
    struct mb_extent size;
    const struct mb_gpu_info *info;
};

/* A file that a strategy was read from (--kernel), and its modules that are loaded so far. */
struct mb_kernel_file {
    const char *path, *text;
    char sha256[65];                  /* lower-case hex */
    const struct mb_shader **shaders; /* [n_shaders] */
    size_t n_shaders;
};

struct mb_strategy {
    const char *name;              /* as on the command line: [a-z0-9-] */
    const char *title;             /* one line */
    const char *source;            /* paper, repository or URL */
    VkQueueFlags queue_flags;      /* that its commands need */
    VkImageUsageFlags image_usage; /* that it needs of the image */
    bool wants_raw;                /* uses image->raw, where there is one */
    /* Features and extensions that every variant needs, by name as in vk/features.h; the
     * harness refuses what the device lacks. NULL-terminated; NULL: none. */
    const char *const *features;
    size_t state_bytes;            /* of `state`, allocated zeroed by the harness */
    const struct mb_param *params; /* terminated by a NULL name; NULL: none */
    /* Write the files that an engine needs to use the strategy without mipbench, each whole or
     * not at all; then remove modules that an earlier export left there. NULL: it cannot be
     * exported. */
    enum mb_status (*export)(const struct mb_export *export, struct mb_err *err);
    /* The file of a strategy that is not compiled into the program; NULL for all others. */
    const struct mb_kernel_file *file;
    const void *self; /* in params.self of all its variants */

    /* Pure. NULL: MB_SOURCE_SAME for all variants. */
    enum mb_source (*source_of)(const struct mb_params *params);
    /* Pure. Why values contradict each other, in one sentence a user understands, or NULL if
     * they do not. The harness refuses contradictory values on every device, for every image
     * and task, before it calls the functions below, and sweeps leave them out. NULL: no values
     * contradict each other. */
    const char *(*contradiction)(const struct mb_params *params);
    /* Pure. The harness refuses a variant whose needs are not met. NULL: it needs nothing. */
    struct mb_needs (*needs)(const struct mb_params *params);
    /* Pure. Whether the strategy refuses for other reasons: MB_OK, or MB_UNSUPPORTED with one
     * sentence a user understands in `why`. NULL: it refuses nothing. */
    enum mb_status (*supports)(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *params,
                               struct mb_err *why);
    /* Pure. For a variant that is not refused: replace each value that leaves the choice to the
     * strategy, or makes no difference for this image on this device, by the value that it
     * stands for. Variants that resolve to the same values record the same commands. NULL: all
     * differ. */
    void (*resolve)(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *params);
    /* Make pipelines, descriptors and small buffers; `state` arrives zeroed. After a failure
     * the harness calls finish(). */
    enum mb_status (*init)(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *params,
                           struct mb_err *err);
    /* Record the whole chain. Must not fail, allocate, submit, wait or map. */
    void (*record)(const void *state, VkCommandBuffer cmd);
    /* State the work of one record(). `*work` arrives zeroed. */
    void (*describe)(const void *state, struct mb_work *work);
    /* Once runs are complete: MB_OK if they wrote only where they may, else MB_ERRC_RUNTIME
     * with a sentence. NULL: nothing to check. May submit and wait. */
    enum mb_status (*check)(const void *state, struct mb_err *err);
    /* Once runs are complete: overwrite those contents of the strategy's own buffers on which
     * the next run must not rely. NULL: nothing to overwrite. May submit and wait. */
    enum mb_status (*spoil)(const void *state, struct mb_err *err);
    /* Accepts zero or partial state. The harness has drained the queue. */
    void (*finish)(void *state);
};

/* All strategies, in the order of strategies/meson.build; NULL-terminated; generated. */
extern const struct mb_strategy *const mb_strategies[];
