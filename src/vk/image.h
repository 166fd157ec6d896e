/* A mip-mapped image on the device, with the views that strategies need; and samplers. */
#pragma once

#include "image/filter.h"
#include "vk/gpu.h"

struct mb_vk_image_options {
    const struct mb_layout *layout; /* format, extent, layers, and the levels to be made */
    uint32_t n_levels;              /* of the image; at least layout->n_levels */
    bool is_cube;                   /* layers are faces of cubes */
    VkImageUsageFlags usage;
    bool is_raw;   /* add views as words, if mb_vk_image_can_be_raw() */
    bool is_depth; /* D32_SFLOAT instead of the layout's format, r32f; only sampled */
    const char *name;
};

/* The most layers to blit or copy in one command. In commands with 22 layers or more, an H200's
 * driver (580.159.04) reads some layers from the layer before. */
#define MB_MAX_COPIED_LAYERS 16u

/* If storage needs another format than sampling (no device stores to sRGB), the image is
 * mutable, and each view has only the usages of its format (Vulkan, "Image Views"). */
struct mb_vk_image {
    const struct mb_gpu *gpu;
    struct mb_layout layout; /* of the levels to be made, the only ones with views */
    uint32_t n_levels;       /* of the image */
    VkImageUsageFlags usage;
    bool is_cube, is_raw;
    VkImageAspectFlags aspect;
    VkImage image;
    VkDeviceMemory memory;
    /* 2D array views of one level each; null if the image lacks the usage. */
    VkImageView stored[MB_MAX_LEVELS]; /* sampled, in the storage format: sRGB codes are fetched
                                          as they are, for shaders/levels.glsl to decode */
    VkImageView storage[MB_MAX_LEVELS]; /* storage, in the storage format */
    VkImageView raw[MB_MAX_LEVELS];     /* both usages, R32_UINT or R32G32_UINT; needs is_raw */
};

/* Whether an image of the format can have views as words: its texels have four bytes or eight,
 * and unless each component is a word, the device can make views with another number of
 * components (VK_KHR_portability_subset, imageViewFormatReinterpretation). */
bool mb_vk_image_can_be_raw(const struct mb_gpu *gpu, const struct mb_format *format);

/* UNSUPPORTED with a sentence in err if the device cannot make this image: a dimension over the
 * limit, a usage the format lacks, a cube that is not square. If no heap is large enough, fails
 * with MB_ERRC_RUNTIME before it allocates memory, and says how much memory is needed and how
 * much there is. */
MB_MUST_CHECK enum mb_status mb_vk_image_init(struct mb_vk_image *image,
                                              const struct mb_gpu *gpu,
                                              const struct mb_vk_image_options *options,
                                              struct mb_err *err);
void mb_vk_image_finish(struct mb_vk_image *image);

/* A view of a part of an image. */
struct mb_view {
    VkFormat format; /* the image's, its storage format, or that of its raw views */
    VkImageUsageFlags usage;
    uint32_t first_level, n_levels;
    uint32_t first_layer, n_layers;
    bool is_2d; /* one layer, and no array */
};

/* `*view` is owned by the caller (vkDestroyImageView). */
MB_MUST_CHECK enum mb_status mb_vk_image_create_view(const struct mb_vk_image *image,
                                                     const struct mb_view *part,
                                                     VkImageView *view, struct mb_err *err);

/* All zero: nearest filtering, and the image repeats beyond its edges. */
struct mb_sampler_options {
    bool is_linear;
    enum mb_reduce reduction;     /* of a linear filter; MIN and MAX need samplerFilterMinmax */
    VkSamplerAddressMode address; /* along all axes; borders are transparent black */
};

/* The address mode of our own strategies. They sample no nearer to an edge than the middle of
 * the last texel, so that every mode reads the same texels (tests/gpu/test_chains.c). But with
 * CLAMP_TO_EDGE llvmpipe filters 8-bit formats in 8-bit steps (its "AoS" path), which costs a
 * whole LSB. */
#define MB_SAMPLER_ADDRESS VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT

MB_MUST_CHECK enum mb_status mb_sampler_create(const struct mb_gpu *gpu,
                                               const struct mb_sampler_options *options,
                                               VkSampler *sampler, struct mb_err *err);

/* Does nothing to a null sampler, whose `gpu` may be NULL. */
void mb_sampler_destroy(const struct mb_gpu *gpu, VkSampler sampler);
