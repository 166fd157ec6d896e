/* The device: choose and open it, and query what it can do. */
#pragma once

#include "vk/instance.h"

struct mb_gpu_options {
    const char *selector;    /* index, name substring (case-insensitive), uuid, "cpu", or NULL:
                                discrete, then integrated, then virtual, then CPU */
    bool validate;           /* enable the Khronos validation layer: core and synchronisation */
    double kernel_timeout_s; /* of a submission with a manifest's kernel; 0: as any other */
    /* Make pipelines only: images, buffers and descriptors stay null and take no memory. The
     * only way to open a device that executes nothing. */
    bool only_compiles;
};

struct mb_pipeline_facts;
struct mb_kept_object;

/* The part of an mb_gpu that changes while the device is open, even if the mb_gpu is const. */
struct mb_gpu_state {
    bool keeps_pipelines; /* share identical pipelines until mb_gpu_finish; at first true */
    bool only_compiles;
    struct mb_kept_object *objects;  /* pipelines, and objects of strategies; owned */
    struct mb_pipeline_facts *facts; /* receives facts of new pipelines, or NULL; borrowed */
    uint64_t kernel_timeout_ns;
    uint32_t n_in_flight, n_kernels_in_flight; /* submissions; those with a kernel */
    const char *suspect;                       /* the kernel submitted last; borrowed */
    bool is_lost; /* a submission timed out or the device was lost: destroy nothing any more */
};

struct mb_gpu {
    struct mb_gpu_info info;
    struct mb_vk_instance instance;
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    VkCommandPool command_pool;
    bool validate;
    bool has_tool;              /* a tool that shows labels is attached, such as RenderDoc */
    struct mb_gpu_state *state; /* owned */
};

/* Read the facts of every device, usable or not, in the loader's order. A missing loader or
 * driver is MB_ERRC_DEVICE, with a hint. */
MB_MUST_CHECK enum mb_status mb_gpu_enumerate(struct mb_gpu_info infos[MB_MAX_DEVICES],
                                              size_t *n_infos, struct mb_err *err);

/* Open a device. MB_ERRC_DEVICE if there is none, if the selector matches none (the hint lists
 * all), if the device is unusable or executes nothing, or if `validate` is set and the layer is
 * not installed. */
MB_MUST_CHECK enum mb_status
mb_gpu_init(struct mb_gpu *gpu, const struct mb_gpu_options *options, struct mb_err *err);
/* Close the device. Returns the number of validation messages over its whole life, including
 * those about objects that were never destroyed; 0 for a device that was not open. */
uint32_t mb_gpu_finish(struct mb_gpu *gpu);

/* A place for a pointer, at first NULL, to an object that pipelines, or instances of a
 * strategy, share. `destroy` identifies the place, and destroys the object before the device is
 * destroyed. Returns NULL without memory. */
void **mb_gpu_kept(const struct mb_gpu *gpu, void (*destroy)(void *object));

/* Name an object for validation messages and debuggers. */
void mb_gpu_name(const struct mb_gpu *gpu, VkObjectType type, uint64_t handle,
                 const char *name);

/* Label commands for tools such as RenderDoc. Records nothing without a tool (has_tool), so
 * that only a strategy's own commands are timed. */
void mb_gpu_label_begin(const struct mb_gpu *gpu, VkCommandBuffer cmd, const char *name);
void mb_gpu_label_end(const struct mb_gpu *gpu, VkCommandBuffer cmd);

/* MB_OK if optimally tiled images of `format` have all of `features`, else MB_UNSUPPORTED: the
 * device has no `use` ("linear filtering") of this format. */
MB_MUST_CHECK enum mb_status mb_gpu_require_format(const struct mb_gpu *gpu, VkFormat format,
                                                   VkFormatFeatureFlags features,
                                                   const char *use, struct mb_err *why);

/* MB_OK if a workgroup can have `n_invocations` along x, else MB_UNSUPPORTED. */
MB_MUST_CHECK enum mb_status
mb_gpu_require_workgroup(const struct mb_gpu *gpu, uint32_t n_invocations, struct mb_err *why);
