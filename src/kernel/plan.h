/* The plan of a manifest for one image, as plain data: pipelines, buffers, dispatches with
 * their bindings, and the barriers between them. Nothing here needs a device. */
#pragma once

#include "kernel/read.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

#define MB_MAX_KERNEL_PIPELINES 16u
#define MB_MAX_KERNEL_PUSH      256u
#define MB_MAX_DISPATCHES       4096u

/* The formats of a view and the address modes of a sampler, with their names. */
enum mb_view_format { MB_VIEW_IMAGE, MB_VIEW_LINEAR, MB_VIEW_WORDS, MB_VIEW_UINT8X4 };
#define MB_N_ADDRESSES 4
extern const char *const mb_kernel_view_formats[], *const mb_kernel_addresses[];

struct mb_kernel_binding {
    const struct mb_binding *place; /* `place` and `use` are of the module */
    const struct mb_spirv_use *use;
    /* Images: views of `n_levels` levels each. The last one fills the rest of the binding. */
    uint32_t n_views;
    uint8_t first_level[MB_MAX_LEVELS], n_levels;
    enum mb_view_format kind;
    VkFormat format;
    bool is_general; /* the image's layout is GENERAL, even if it is sampled */
    struct mb_sampler_options sampler;
    uint32_t buffer;                /* its index; UINT32_MAX: no buffer */
    uint64_t offset_bytes, n_bytes; /* the part of the buffer that is bound */
};

struct mb_kernel_pipeline {
    const char *shader; /* its name */
    const struct mb_spirv *spirv;
    struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS]; /* set by the manifest */
    uint32_t workgroup_size[3];
    struct mb_pipeline_options options; /* n_copies: one for each dispatch */
};

struct mb_kernel_buffer {
    const char *name;
    uint64_t n_bytes; /* a multiple of 4; so is the size of each bound part */
    bool is_each_run, is_addressed;
    const struct cJSON *fields; /* the map of a uniform buffer's members, or NULL */
    unsigned char *content;     /* [n_bytes]: a part for each binding; NULL: zeros; owned */
};

struct mb_kernel_barriers {
    struct mb_level_barrier levels[MB_MAX_LEVELS]; /* the image is not set */
    uint32_t n_levels;
    bool has_memory; /* for accesses to buffers, or to levels that keep their layout */
};

struct mb_kernel_dispatch {
    struct mb_kernel_step step;
    uint32_t pipeline, copy, n_groups[3];
    struct mb_kernel_binding bindings[MB_MAX_BINDINGS]; /* in the shader's order */
    uint32_t n_bindings;
    unsigned char push[MB_MAX_KERNEL_PUSH];
    struct mb_kernel_barriers before;
};

struct mb_kernel_plan {
    struct mb_pick pick;
    struct mb_kernel_buffer buffers[MB_MAX_KERNEL_BUFFERS];
    uint32_t n_buffers;
    bool has_fills; /* a buffer is zeroed before each run */
    struct mb_kernel_pipeline pipelines[MB_MAX_KERNEL_PIPELINES];
    uint32_t n_pipelines;
    struct mb_kernel_barriers opening, closing;
    struct mb_kernel_dispatch *dispatches; /* owned */
    uint32_t n_dispatches;
    uint32_t n_steps, source_levels; /* bit n: a step begins with level n */
    struct mb_tolerance tolerance;
};

/* Plan one image for a device or, if `info` is NULL, for one that has everything the manifest
 * needs. Addresses of buffers are planned as 0. MB_ERRC_INPUT if the manifest is wrong, in
 * general or for this image; MB_UNSUPPORTED, with a sentence, if its domain, its requirements,
 * the device's subgroups or its modules' formats exclude the task. Finish in any case. */
MB_MUST_CHECK enum mb_status
mb_kernel_plan_init(struct mb_kernel_plan *plan, const struct mb_gpu_info *info,
                    const struct mb_layout *layout, const struct mb_task *task,
                    const struct mb_params *params, struct mb_err *err);

/* Make the plan again, with the addresses of buffers made by the sizes in the first plan. */
MB_MUST_CHECK enum mb_status mb_kernel_plan_again(struct mb_kernel_plan *plan,
                                                  const struct mb_layout *layout,
                                                  const uint64_t *addresses,
                                                  struct mb_err *err);
void mb_kernel_plan_finish(struct mb_kernel_plan *plan);

/* The offset in its block of a member's component `i`, counted element by element and column by
 * column. */
uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i);

/* "combined image sampler" */
const char *mb_descriptor_type_name(VkDescriptorType type);

/* The callbacks and flags that the strategies of all manifests share. */
extern const struct mb_strategy mb_kernel_strategy;

/* Change format, size and reduction to ones that a manifest takes, without a change of size if
 * possible. If the manifest takes none of the usual sizes, nothing is changed. */
void mb_kernel_suggest(const struct mb_params *params, const struct mb_format **format,
                       struct mb_extent *size, enum mb_reduce *reduce);

/* Load all modules of a variant: each shader, for every format, reduction and subgroup size
 * that the manifest takes. */
MB_MUST_CHECK enum mb_status mb_kernel_load(const struct mb_params *params, struct mb_err *err);
