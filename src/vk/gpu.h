/* The device: choosing it, opening it, and the facts about it that others need. */
#ifndef MB_VK_GPU_H
#define MB_VK_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <volk.h>

#include "base/err.h"

#define MB_GPU_MAX_HEAPS VK_MAX_MEMORY_HEAPS

struct mb_gpu_heap {
    uint64_t size_bytes;
    bool device_local;
};

/* Plain facts; text is valid UTF-8. */
struct mb_gpu_info {
    uint32_t index; /* in the loader's order: what --device takes */
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    VkPhysicalDeviceType type;
    uint32_t vendor_id, device_id;
    char uuid[37]; /* 8-4-4-4-12 hex */
    char driver_name[VK_MAX_DRIVER_NAME_SIZE];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
    char driver_version[32]; /* decoded the vendor's way where known */
    uint32_t api_version;    /* VK_MAKE_API_VERSION */
    uint32_t n_heaps;
    struct mb_gpu_heap heap[MB_GPU_MAX_HEAPS];

    uint32_t queue_family; /* the one mipbench uses: graphics and compute if there is one */
    VkQueueFlags queue_flags;
    /* Where a second queue that computes is: best in a family without graphics, else the second
     * of the same family; UINT32_MAX: nowhere. */
    uint32_t second_queue_family, second_queue_index;
    uint32_t timestamp_valid_bits;
    double timestamp_period_ns;

    uint32_t subgroup_size, min_subgroup_size, max_subgroup_size;
    VkSubgroupFeatureFlags
        subgroup_operations;          /* of the compute stage; 0 if not offered there */
    bool has_full_subgroups;          /* REQUIRE_FULL_SUBGROUPS and a required size */
    uint32_t max_workgroup_subgroups; /* of a required size; 0 where none can be required */
    bool has_memory_model_device_scope;
    bool has_storage_write_without_format;
    bool has_float16;       /* 16-bit floats in shader arithmetic */
    bool has_int64_atomics; /* of 64-bit integers in buffers, with 64-bit arithmetic */
    bool has_sampler_filter_minmax;
    bool has_dynamic_rendering; /* core 1.3 or VK_KHR_dynamic_rendering */
    bool has_pipeline_facts;    /* VK_KHR_pipeline_executable_properties */
    uint32_t sub_texel_precision_bits;
    uint32_t max_image_dimension_2d;
    uint32_t max_image_array_layers;
    uint32_t max_attachment_dimension; /* of what is drawn to, by one viewport */
    uint32_t max_workgroup_invocations, max_workgroup_width;
    uint32_t max_workgroup_count[3];
    uint32_t max_storage_images; /* per stage */
    uint32_t max_shared_memory_bytes;
    uint64_t max_storage_buffer_bytes; /* of one binding */
    uint64_t max_allocation_bytes;
};

/* "discrete", "integrated", "virtual", "cpu" or "other". */
const char *mb_gpu_type_name(VkPhysicalDeviceType type);

struct mb_gpu_options {
    const char *selector; /* index, name substring (case-insensitive), uuid, "cpu", or NULL:
                             discrete, then integrated, then virtual, then CPU */
    bool validate;        /* turn on the Khronos validation layer: core and synchronisation */
    bool keep_pipelines;  /* share those that are alike until mb_gpu_finish */
    bool second_queue;    /* open one, too, if the device has one */
};

struct mb_pipeline_facts;
struct mb_pipeline_pool;

/* What changes after the device is open; written through const devices, too. */
struct mb_gpu_state {
    uint32_t n_validation_messages; /* warnings and errors of the layers; they go to the log */
    struct mb_pipeline_pool *pipelines; /* or NULL: none are kept; owned */
    struct mb_pipeline_facts *facts; /* where new pipelines are described, or NULL; borrowed */
    bool is_lost; /* a submission timed out or the device was lost: destroy nothing any more */
};

struct mb_gpu {
    struct mb_gpu_info info;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    VkQueue queue;
    VkCommandPool command_pool;
    VkQueue second_queue; /* null unless asked for and there */
    VkCommandPool second_pool;
    VkDebugUtilsMessengerEXT messenger;
    bool has_debug_names;
    bool validate;
    struct mb_gpu_state *state; /* owned */
};

/* Facts of every Vulkan 1.2 device, in the loader's order. `*infos` is owned by the caller
 * (mb_free). No loader and no driver are MB_ERRC_DEVICE, with a hint. */
MB_MUST_CHECK enum mb_status mb_gpu_enumerate(struct mb_gpu_info **infos, size_t *n_infos,
                                              struct mb_err *err);

/* Open a device. MB_ERRC_DEVICE where there is none or the selector fits none (the message
 * lists what there is); --validate without the layer installed is MB_ERRC_DEVICE too. */
MB_MUST_CHECK enum mb_status
mb_gpu_init(struct mb_gpu *gpu, const struct mb_gpu_options *options, struct mb_err *err);
/* Close the device. Returns the number of messages of the validation layer over its whole life,
 * those on what was never destroyed included; 0 for a device that was not open. */
uint32_t mb_gpu_finish(struct mb_gpu *gpu);

/* Give an object a name for validation messages and debuggers; nothing without the extension.
 */
void mb_gpu_name(const struct mb_gpu *gpu, VkObjectType type, uint64_t handle,
                 const char *name);

/* MB_OK if optimally tiled images of `format` have all of `features`, else MB_UNSUPPORTED with
 * a sentence that says which use ("linear filtering") the device's format lacks. */
MB_MUST_CHECK enum mb_status mb_gpu_require_format(const struct mb_gpu *gpu, VkFormat format,
                                                   VkFormatFeatureFlags features,
                                                   const char *use, struct mb_err *why);

/* MB_OK if a workgroup can have `n_invocations` along x, else MB_UNSUPPORTED with a sentence
 * that names the limit. */
MB_MUST_CHECK enum mb_status
mb_gpu_require_workgroup(const struct mb_gpu *gpu, uint32_t n_invocations, struct mb_err *why);

/* MB_OK if a compute shader of `n_invocations` can store to `n_images` images without a format
 * in the shader, else MB_UNSUPPORTED with a sentence. */
MB_MUST_CHECK enum mb_status mb_gpu_require_storage(const struct mb_gpu *gpu, uint32_t n_images,
                                                    uint32_t n_invocations, struct mb_err *why);

/* Index of a memory type within `type_bits` with all of `flags`, or UINT32_MAX. */
uint32_t mb_gpu_memory_type(const struct mb_gpu *gpu, uint32_t type_bits,
                            VkMemoryPropertyFlags flags);

#endif
