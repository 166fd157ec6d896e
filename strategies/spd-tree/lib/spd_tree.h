/* spd-tree: all mip levels of an image in one compute dispatch. C11, or C++11 and later.
 *
 *     spd_tree_get_features(physical, &features);     what to enable at vkCreateDevice
 *     spd_tree_create(&info, &tree);                  once per device
 *     spd_tree_image_info(&job, &image_info);         usage and flags for vkCreateImage
 *     spd_tree_view_info(&job, image, level, 0, &view_info);     one view per level
 *     spd_tree_prepare(tree, &job);                   creates its pipeline, on any thread
 *     spd_tree_scratch_bytes(tree, &job);             size of a buffer, zeroed once
 *     spd_tree_write_set(tree, &job, &resources);     unless push descriptors are used
 *     spd_tree_record(tree, cmd, &job, &resources);   one dispatch
 *
 * Vulkan functions are called by name, as the loader or volk declares them; a program that
 * keeps a table of them compiles spd_tree.c with -DSPD_TREE_VK(name)=table->name. */
#ifndef SPD_TREE_H
#define SPD_TREE_H

#ifndef VULKAN_CORE_H_
#include <vulkan/vulkan.h>
#endif

#include "spd_tree_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The features of a device that spd-tree can use. If the instance's apiVersion is below 1.2,
 * the device hides them. */
struct spd_tree_features {
    const char *why_not;           /* NULL, or why spd-tree cannot run on the device */
    struct spd_tree_device device; /* for spd_tree_create() */
    /* The features to enable when creating the device, besides the program's own. If the
     * program chains such a structure itself, set the same members there
     * (VkPhysicalDeviceVulkan13Features has those of size_control); otherwise chain these.
     * Their pNext is NULL. */
    VkPhysicalDeviceFeatures core;
    VkPhysicalDeviceVulkan12Features v12;
    VkPhysicalDeviceSubgroupSizeControlFeaturesEXT size_control; /* valid if has_size_control */
    bool has_size_control;
    const char *extension; /* VK_EXT_subgroup_size_control; NULL if not needed */
};

void spd_tree_get_features(VkPhysicalDevice physical, struct spd_tree_features *features);

struct spd_tree_create_info {
    VkDevice device;
    struct spd_tree_device limits;          /* from spd_tree_features.device */
    const VkAllocationCallbacks *allocator; /* for all Vulkan objects; may be NULL */
    VkPipelineCache cache;                  /* may be VK_NULL_HANDLE */
    VkPipelineCreateFlags pipeline_flags;
    /* vkCmdPushDescriptorSetKHR, if the device enables VK_KHR_push_descriptor: recording pushes
     * descriptors. If NULL: spd_tree_write_set() writes them to the program's sets. */
    PFN_vkCmdPushDescriptorSetKHR push_descriptor_set;
};

/* Owns a descriptor set layout, a sampler and pipelines: at most five per format and
 * reduction. */
struct spd_tree;

VkResult spd_tree_create(const struct spd_tree_create_info *info, struct spd_tree **tree);
/* Destroys `tree` and all it owns; none of it may be in use. Accepts NULL. */
void spd_tree_destroy(struct spd_tree *tree);

/* The image whose mip levels are to be made. All members after `format` may be zero. */
struct spd_tree_job {
    uint32_t width, height, n_levels, n_layers;
    /* R8, R8G8, R8G8B8A8 and B8G8R8A8 UNORM, the last two also SRGB; A2B10G10R10 and
     * A2R10G10B10 UNORM_PACK32; R16, R16G16, R16G16B16A16, R32, R32G32 and R32G32B32A32 SFLOAT;
     * B10G11R11_UFLOAT_PACK32. */
    VkFormat format;
    enum spd_tree_reduction reduction;
    bool weighs_alpha; /* averages of straight colour, weighted by alpha */
    bool is_depth;     /* level 0 is a depth image of any format; `format` must be R32_SFLOAT */
    VkRect2D changed;  /* only update texels that depend on this part of level 0; zero: all */
    const struct spd_tree_options *options; /* for measurements; otherwise NULL */
};

/* Plans a job. Returns NULL or, if the job is impossible, the reason as a sentence. A job of
 * one level makes nothing. Only spd_tree_prepare() checks that the module was exported. */
const char *spd_tree_plan_job(const struct spd_tree_device *device,
                              const struct spd_tree_job *job, struct spd_tree_plan *plan);

/* Fills in `info` for an image that includes level 0 and is stored to and sampled. Adds to the
 * usage and flags already set. The image of a depth job begins with level 1, at half the size.
 * Returns false if the format is not listed above. An _SRGB image has STORAGE usage, which
 * _SRGB views do not support: create those with VkImageViewUsageCreateInfo and SAMPLED
 * usage. */
bool spd_tree_image_info(const struct spd_tree_job *job, VkImageCreateInfo *info);

/* Fills in the view of one level of an image, with `n_layers` layers from `first_layer` on, for
 * spd_tree_resources. The program creates the view of level 0 of a depth job itself: a 2D array
 * view of the depth aspect. */
void spd_tree_view_info(const struct spd_tree_job *job, VkImage image, uint32_t level,
                        uint32_t first_layer, VkImageViewCreateInfo *info);

/* Creates the job's pipeline unless it exists. Several threads may call it at once, also while
 * others record. Returns VK_ERROR_FORMAT_NOT_SUPPORTED if spd_tree_plan_job() fails or the
 * module was not exported. */
VkResult spd_tree_prepare(struct spd_tree *tree, const struct spd_tree_job *job);

/* Creates the pipelines for every size, level count and layer count: at most five, or two for
 * updates. Of the job it reads only format, reduction, weighs_alpha, is_depth, and whether
 * `changed` is set. */
VkResult spd_tree_prepare_all(struct spd_tree *tree, const struct spd_tree_job *job);

/* The job's pipeline; VK_NULL_HANDLE if the job was not prepared. */
VkPipeline spd_tree_pipeline(struct spd_tree *tree, const struct spd_tree_job *job);

/* The size of the scratch memory, a multiple of 256: part of a buffer with STORAGE_BUFFER
 * usage, at an offset aligned to 256 bytes. Fill it with zeros before its first use. A dispatch
 * leaves it ready for the next dispatch of the same job, in which only `changed` may differ,
 * with a barrier between the two (SHADER_WRITE to SHADER_READ and SHADER_WRITE). Fill it with
 * zeros again before another job uses it. Dispatches that may overlap need scratch memory of
 * their own. */
uint64_t spd_tree_scratch_bytes(const struct spd_tree *tree, const struct spd_tree_job *job);

struct spd_tree_resources {
    VkImageView source; /* level 0; may belong to another image */
    VkImageLayout source_layout;
    const VkImageView *levels; /* [n_levels - 1]: levels 1, 2, ..; in VK_IMAGE_LAYOUT_GENERAL */
    VkBuffer scratch;
    VkDeviceSize scratch_offset;
    VkDescriptorSet set; /* with spd_tree_set_layout(); unused with push descriptors */
};

/* The layout of a set: 15 combined image samplers, 15 storage images and 2 storage buffers. */
VkDescriptorSetLayout spd_tree_set_layout(const struct spd_tree *tree);

/* Writes resources->set, which must not be in use, for one job. Recorded jobs may differ from
 * it only in `changed`. Does nothing with push descriptors. Returns
 * VK_ERROR_FORMAT_NOT_SUPPORTED if spd_tree_plan_job() fails. */
VkResult spd_tree_write_set(struct spd_tree *tree, const struct spd_tree_job *job,
                            const struct spd_tree_resources *resources);

/* Binds the pipeline and dispatches. Before the call, the program records a barrier that
 * makes level 0 readable by compute shaders in source_layout and transitions levels 1.. to
 * GENERAL (from UNDEFINED, except for an update, which also reads them). After the call, it
 * records a barrier from compute shader writes to whatever reads the levels. Records nothing
 * and returns VK_NOT_READY if the job was not prepared, or VK_ERROR_FORMAT_NOT_SUPPORTED if
 * spd_tree_plan_job() fails. */
VkResult spd_tree_record(struct spd_tree *tree, VkCommandBuffer cmd,
                         const struct spd_tree_job *job,
                         const struct spd_tree_resources *resources);

#ifdef __cplusplus
}
#endif

#endif
