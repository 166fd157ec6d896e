/* spd-tree: all mip levels of an image by one compute dispatch. C11, or C++11 and later.
 *
 *     spd_tree_get_features(physical, &features);     what to enable at vkCreateDevice
 *     spd_tree_create(&info, &tree);                  once per device
 *     spd_tree_image_info(&job, &image_info);         usage and flags for vkCreateImage
 *     spd_tree_view_info(&job, image, level, 0, &view_info);     one view per level
 *     spd_tree_prepare(tree, &job);                   its pipeline, or prepare_all(): those of
 *                                                     all sizes; ahead of time, on any thread
 *     spd_tree_scratch_bytes(tree, &job);             of a buffer, zeroed once
 *     spd_tree_write_set(tree, &job, &resources);     unless push descriptors are used
 *     spd_tree_record(tree, cmd, &job, &resources);   one dispatch
 *
 * Vulkan functions are called by their names, as the loader or volk declares them; a program
 * that keeps a table of them compiles spd_tree.c with -DSPD_TREE_VK(name)=table->name. */
#ifndef SPD_TREE_H
#define SPD_TREE_H

#ifndef VULKAN_CORE_H_
#include <vulkan/vulkan.h>
#endif

#include "spd_tree_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a device offers of what spd-tree uses. The instance's apiVersion must be 1.2 at least,
 * or the device hides it. */
struct spd_tree_features {
    const char *why_not;           /* NULL, or why spd-tree cannot run on the device */
    struct spd_tree_device device; /* for spd_tree_create() */
    /* To enable when creating the device, besides what the program itself needs: set what is
     * set here in the program's own structures (VkPhysicalDeviceVulkan13Features has the
     * members of size_control), or, where it has none, chain these. Pointers are NULL. */
    VkPhysicalDeviceFeatures core;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT size_control; /* if has_size_control */
    bool has_size_control;
    const char *extension; /* VK_EXT_subgroup_size_control, or NULL: not needed */
};

void spd_tree_get_features(VkPhysicalDevice physical, struct spd_tree_features *features);

struct spd_tree_create_info {
    VkDevice device;
    struct spd_tree_device limits;          /* spd_tree_features.device */
    const VkAllocationCallbacks *allocator; /* of all Vulkan objects; may be NULL */
    VkPipelineCache cache;                  /* may be null */
    VkPipelineCreateFlags pipeline_flags;
    /* vkCmdPushDescriptorSetKHR (the device enables VK_KHR_push_descriptor): descriptors are
     * pushed when recording. NULL: they are written to sets that the program allocates. */
    PFN_vkCmdPushDescriptorSetKHR push_descriptor_set;
};

/* Owns a descriptor set layout, a sampler and pipelines: at most five for a format and
 * reduction. */
struct spd_tree;

VkResult spd_tree_create(const struct spd_tree_create_info *info, struct spd_tree **tree);
/* Nothing of it may be in use. Accepts NULL. */
void spd_tree_destroy(struct spd_tree *tree);

/* An image whose mip levels are to be made. What follows `format` may be zero. */
struct spd_tree_job {
    uint32_t width, height, n_levels, n_layers;
    /* R8, R8G8, R8G8B8A8 and B8G8R8A8 UNORM, both of these SRGB, A2B10G10R10 and A2R10G10B10
     * UNORM_PACK32, R16, R16G16, R16G16B16A16, R32, R32G32 and R32G32B32A32 SFLOAT,
     * B10G11R11_UFLOAT_PACK32. */
    VkFormat format;
    enum spd_tree_reduction reduction;
    bool weighs_alpha; /* averages: colour is straight, and weighted by alpha */
    bool is_depth;     /* level 0 is a depth image of any format; `format` is R32_SFLOAT */
    VkRect2D changed;  /* update what depends on this part of level 0; zero: make everything */
    const struct spd_tree_options *options; /* NULL; for measurements */
};

/* How the job is done: NULL, or why it cannot be, in a sentence. Of one level it is nothing.
 * Whether the module was exported only spd_tree_prepare() knows. */
const char *spd_tree_plan_job(const struct spd_tree_device *device,
                              const struct spd_tree_job *job, struct spd_tree_plan *plan);

/* Fills in an image with level 0 that is stored to and sampled; what usage and flags hold
 * before is kept. Of a depth job it begins with level 1, half as large. False: the format is
 * none of those above. An _SRGB image has STORAGE usage, which _SRGB views lack: create those
 * with VkImageViewUsageCreateInfo, of SAMPLED usage. */
bool spd_tree_image_info(const struct spd_tree_job *job, VkImageCreateInfo *info);

/* Fills in the view of a level of an image, of `n_layers` layers from `first_layer` on, for
 * spd_tree_resources. Level 0 of a depth job is the program's own: a 2D array view of the depth
 * aspect. */
void spd_tree_view_info(const struct spd_tree_job *job, VkImage image, uint32_t level,
                        uint32_t first_layer, VkImageViewCreateInfo *info);

/* Create the job's pipeline unless it exists. Threads may call it at once, and while others
 * record. VK_ERROR_FORMAT_NOT_SUPPORTED: see spd_tree_plan_job(), or its module was not
 * exported.
 */
VkResult spd_tree_prepare(struct spd_tree *tree, const struct spd_tree_job *job);

/* The same for every size, number of levels and of layers: at most five pipelines, or two of
 * updates. Of the job only format, reduction, weighs_alpha, is_depth and whether something
 * changed count. */
VkResult spd_tree_prepare_all(struct spd_tree *tree, const struct spd_tree_job *job);

/* Null: not prepared. */
VkPipeline spd_tree_pipeline(struct spd_tree *tree, const struct spd_tree_job *job);

/* A multiple of 256, of a buffer with STORAGE_BUFFER usage, from an offset aligned to 256
 * bytes. Zeros before its first use. A dispatch leaves it ready for the next one of the same
 * job, in which only `changed` may differ, a barrier (SHADER_WRITE to SHADER_READ and
 * SHADER_WRITE) between them; before it serves another job fill it with zeros again. Dispatches
 * that may overlap need one each. */
uint64_t spd_tree_scratch_bytes(const struct spd_tree *tree, const struct spd_tree_job *job);

struct spd_tree_resources {
    VkImageView source; /* level 0, which may belong to an image of its own */
    VkImageLayout source_layout;
    const VkImageView *levels; /* [n_levels - 1]: levels 1, 2, ..; in VK_IMAGE_LAYOUT_GENERAL */
    VkBuffer scratch;
    VkDeviceSize scratch_offset;
    VkDescriptorSet set; /* of spd_tree_set_layout(); unused with push descriptors */
};

/* A set has 15 combined image samplers, 15 storage images and 2 storage buffers. */
VkDescriptorSetLayout spd_tree_set_layout(const struct spd_tree *tree);

/* Write resources->set, which must not be in use: for one job, in which only `changed` may
 * differ later. Nothing to do with push descriptors. VK_ERROR_FORMAT_NOT_SUPPORTED: there is no
 * such job. */
VkResult spd_tree_write_set(struct spd_tree *tree, const struct spd_tree_job *job,
                            const struct spd_tree_resources *resources);

/* Bind and dispatch. Before: a barrier that makes level 0 readable by compute shaders in
 * source_layout, and transitions levels 1.. to GENERAL (from UNDEFINED unless it is an update,
 * which also reads them). After: a barrier from compute shader writes to whoever reads.
 * Nothing was recorded where it returns VK_NOT_READY, as the job was not prepared, or
 * VK_ERROR_FORMAT_NOT_SUPPORTED, as there is no such job. */
VkResult spd_tree_record(struct spd_tree *tree, VkCommandBuffer cmd,
                         const struct spd_tree_job *job,
                         const struct spd_tree_resources *resources);

#ifdef __cplusplus
}
#endif

#endif
