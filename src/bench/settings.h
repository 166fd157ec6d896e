/* What the user asked for; the command line fills it in. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/filter.h"
#include "result/condition.h"

#define MB_MAX_SIZES   64
#define MB_MAX_FORMATS 16

/* Pictures of the chains: bits of a mask. */
#define MB_IMAGES_ATLAS  1u
#define MB_IMAGES_LEVELS 2u
#define MB_IMAGES_SHEET  4u
#define MB_IMAGES_ALL    7u

/* Texture files that hold whole chains; a set of them is a mask of 1 << value. */
enum mb_chain {
    MB_CHAIN_KTX2,
    MB_CHAIN_DDS,
    MB_N_CHAINS,
};

struct mb_strategy;

struct mb_settings {
    const char *const *inputs; /* files or "pattern:NAME:WxH"; borrowed from argv */
    size_t n_inputs;
    /* All strategies to choose from, ended by NULL; borrowed. */
    const struct mb_strategy *const *table;
    const char *const *specs; /* strategy specs, one each; borrowed; none: all */
    size_t n_specs;
    const char *device;                  /* selector or NULL */
    const char *formats[MB_MAX_FORMATS]; /* names; NULL: auto */
    size_t n_formats;                    /* 0: 1, auto */
    bool is_srgb;                        /* auto: 8-bit colour is sRGB */
    enum mb_reduce reduce;
    enum mb_alpha alpha;
    uint32_t n_levels;   /* base included; 0: full chain */
    uint32_t n_layers;   /* 0: 1; counts cubes with is_cube */
    bool is_cube;        /* six layers each */
    struct mb_rect rect; /* time an update after a change of this part of level 0;
                            empty: time the whole chain */
    struct mb_extent size[MB_MAX_SIZES]; /* --size and --sweep; none: the input's own */
    size_t n_sizes;
    uint32_t n_warmup;  /* rounds; UINT32_MAX: automatic */
    uint32_t n_samples; /* per strategy; 0: automatic */
    unsigned caches;    /* mask; 0: cold on a GPU, hot on a CPU */
    unsigned modes;     /* mask; 0: latency */
    enum mb_image_usage image_usage;
    double max_noise;    /* stop at this relative half width of each median's interval */
    double timeout_s;    /* of sampling one condition; 0: automatic */
    uint64_t l2_bytes;   /* size of the last-level cache; 0: measure it */
    bool roofline;       /* measure memory bandwidth */
    bool pipeline_facts; /* ask the driver about compiled pipelines */
    bool per_level;      /* stamp each level of strategies that have several dispatches */
    uint64_t seed;
    bool verify;
    bool validate;
    unsigned images, chains; /* masks; 0: none */
};

/* How many images are made from each input: one for each size and format. */
static inline size_t mb_settings_n_images(const struct mb_settings *settings)
{
    return (settings->n_sizes > 0 ? settings->n_sizes : 1) *
           (settings->n_formats > 0 ? settings->n_formats : 1);
}
