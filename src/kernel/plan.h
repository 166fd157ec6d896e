/* What a manifest comes to for one image, as plain data: pipelines, buffers, dispatches with
 * all that they bind, and the barriers between them. Pure: nothing here needs a device. */
#pragma once

#include "kernel/read.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

#define MB_MAX_KERNEL_PIPELINES 16u
#define MB_MAX_KERNEL_PUSH      256u
#define MB_MAX_DISPATCHES       4096u

/* The format of a view, and how sampling addresses texels; with their names. */
enum mb_view_format { MB_VIEW_IMAGE, MB_VIEW_LINEAR, MB_VIEW_WORDS, MB_VIEW_UINT8X4 };
#define MB_N_ADDRESSES 4
extern const char *const mb_kernel_view_formats[], *const mb_kernel_addresses[];

struct mb_kernel_binding {
    const struct mb_binding *place; /* `place` and `use` are of the module */
    const struct mb_spirv_use *use;
    /* Images: views of `n_levels` levels each; the last view fills up an array. */
    uint32_t n_views;
    uint8_t first_level[MB_MAX_LEVELS], n_levels;
    enum mb_view_format kind;
    VkFormat format;
    bool is_general; /* sampled images: the layout is GENERAL */
    struct mb_sampler_options sampler;
    uint32_t buffer;                /* index; UINT32_MAX: none */
    uint64_t offset_bytes, n_bytes; /* the part of the buffer that is bound */
};

struct mb_kernel_pipeline {
    const char *shader; /* its name */
    const struct mb_spirv *spirv;
    struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS]; /* those that the manifest gives */
    uint32_t workgroup_size[3];
    struct mb_pipeline_options options; /* with a copy for each of its dispatches */
};

struct mb_kernel_buffer {
    const char *name;
    uint64_t n_bytes; /* a multiple of 4, as is each part that is bound */
    bool is_each_run, is_addressed;
    const struct cJSON *fields; /* the map of a uniform buffer's members, or NULL */
    unsigned char *content;     /* [n_bytes], one part for each binding; NULL: zeros; owned */
};

struct mb_kernel_barriers {
    struct mb_level_barrier levels[MB_MAX_LEVELS]; /* without their image */
    uint32_t n_levels;
    bool has_memory; /* for writes to buffers, or to levels that keep their layout */
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
    bool has_fills; /* some buffer is zeroed before each run */
    struct mb_kernel_pipeline pipelines[MB_MAX_KERNEL_PIPELINES];
    uint32_t n_pipelines;
    struct mb_kernel_barriers opening, closing;
    struct mb_kernel_dispatch *dispatches; /* owned */
    uint32_t n_dispatches;
    uint32_t n_steps, source_levels; /* bit n: a step begins with level n */
    struct mb_tolerance tolerance;
};

/* Plan one image on a device or, if `info` is NULL, on one that has everything the manifest
 * needs; buffers have the address 0. MB_ERRC_INPUT if the manifest is wrong, or wrong for this
 * image; MB_UNSUPPORTED, with a sentence, if its domain, its requirements, the device's
 * subgroups or the formats that its modules declare exclude the task. Finish in any case. */
MB_MUST_CHECK enum mb_status
mb_kernel_plan_init(struct mb_kernel_plan *plan, const struct mb_gpu_info *info,
                    const struct mb_layout *layout, const struct mb_task *task,
                    const struct mb_params *params, struct mb_err *err);

/* Plan the same again, with the addresses of the buffers that the first plan has sized. */
MB_MUST_CHECK enum mb_status mb_kernel_plan_again(struct mb_kernel_plan *plan,
                                                  const struct mb_layout *layout,
                                                  const uint64_t *addresses,
                                                  struct mb_err *err);
void mb_kernel_plan_finish(struct mb_kernel_plan *plan);

/* The offset of component `i` of a member in its block, counting element by element and column
 * by column. */
uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i);

/* "combined image sampler" */
const char *mb_descriptor_type_name(VkDescriptorType type);

/* What the strategies of all manifests have in common. */
extern const struct mb_strategy mb_kernel_strategy;

/* Change these to a format, a size and a reduction that a manifest takes; the size stays if the
 * manifest takes it. All stay if it takes none of the usual sizes. */
void mb_kernel_suggest(const struct mb_params *params, const struct mb_format **format,
                       struct mb_extent *size, enum mb_reduce *reduce);

/* Load all modules of a variant: each shader, for every format, reduction and subgroup size
 * that the manifest takes. */
MB_MUST_CHECK enum mb_status mb_kernel_load(const struct mb_params *params, struct mb_err *err);
