/* What a manifest comes to for one image, as plain data: pipelines, buffers, dispatches with
 * all that they bind, and the barriers between them. */
#pragma once

#include "kernel/manifest.h"

#define MB_MAX_KERNEL_PIPELINES 16u
#define MB_MAX_KERNEL_PUSH      256u
#define MB_MAX_DISPATCHES       4096u

/* Which format a view has (schema.c, "format"). */
enum mb_view_format { MB_VIEW_IMAGE, MB_VIEW_LINEAR, MB_VIEW_WORDS };

struct mb_kernel_view {
    uint8_t first_level, n_levels;
    bool is_2d; /* of `layer`; else of all layers */
    uint32_t layer;
    enum mb_view_format format;
    bool is_storage;
};

struct mb_kernel_binding {
    struct mb_binding place;
    uint32_t n_views; /* of an image; those of an array that are left are filled up */
    struct mb_kernel_view views[MB_MAX_LEVELS];
    bool is_general;          /* layout, of what is sampled */
    bool is_read;             /* NonWritable: of storage, nothing is written */
    bool is_linear;           /* the sampler's filter */
    uint32_t address;         /* and address mode: an index of mb_kernel_addresses */
    enum mb_reduce reduction; /* and what it makes of four texels */
    uint32_t buffer;          /* index; UINT32_MAX: none */
};

struct mb_kernel_pipeline {
    const char *shader; /* its name */
    const struct mb_spirv *spirv;
    struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS]; /* those that are given */
    uint32_t n_constants;
    uint32_t workgroup_size[3];
    uint32_t push_bytes; /* of its push constants, a multiple of 4 */
    uint32_t n_copies;   /* dispatches that it is bound for */
};

struct mb_kernel_buffer {
    const char *name;
    uint64_t n_bytes;
    bool each_run, is_addressed;
    void *content; /* n_bytes that it holds from the beginning, or NULL: zeros; owned */
};

/* What a level is before or after a barrier. */
enum mb_level_state { MB_LEVEL_UNDEFINED, MB_LEVEL_READABLE, MB_LEVEL_GENERAL };

struct mb_kernel_barrier {
    uint8_t first_level, n_levels;
    enum mb_level_state from, to;
};

struct mb_kernel_barriers {
    struct mb_kernel_barrier levels[MB_MAX_LEVELS];
    uint32_t n_levels;
    bool has_memory; /* of what shaders wrote to buffers, or to levels that stay as they are */
};

struct mb_kernel_dispatch {
    uint32_t pipeline, copy, n_groups[3];
    uint32_t step, source_level, first_level, n_levels, layer;
    bool needs_no_barrier;              /* as the manifest says */
    struct mb_kernel_binding *bindings; /* [n_bindings], owned */
    uint32_t n_bindings;
    unsigned char push[MB_MAX_KERNEL_PUSH];
    struct mb_kernel_barriers before;
};

struct mb_kernel_plan {
    struct mb_kernel_buffer buffers[MB_MAX_KERNEL_BUFFERS];
    uint32_t n_buffers;
    struct mb_kernel_pipeline pipelines[MB_MAX_KERNEL_PIPELINES];
    uint32_t n_pipelines;
    struct mb_kernel_barriers opening, closing;
    struct mb_kernel_dispatch *dispatches; /* owned */
    uint32_t n_dispatches;
    uint32_t n_steps, source_levels; /* bit n: a step begins with level n */
    struct mb_tolerance tolerance;
};
