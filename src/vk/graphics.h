/* Drawing over part of one level by a fragment shader: dynamic rendering, one triangle. The
 * pipeline and its descriptor sets are made by mb_compute_init (vk/pipeline.h) with a vertex
 * shader among the options. */
#ifndef MB_VK_GRAPHICS_H
#define MB_VK_GRAPHICS_H

#include "image/pyramid.h"
#include "vk/pipeline.h"

/* True of a driver that is known to crash on draws and on blits, which it makes of draws: the
 * llvmpipe of Mesa 22, while it compiles their shaders for 512-bit vectors. */
bool mb_gpu_crashes_on_draws(const struct mb_gpu_info *info);

/* MB_OK if the device can draw to levels of up to `extent` by views of `format`, else
 * MB_UNSUPPORTED with a sentence. */
MB_MUST_CHECK enum mb_status mb_gpu_require_drawing(const struct mb_gpu *gpu, VkFormat format,
                                                    struct mb_extent extent,
                                                    struct mb_err *why);

/* The pipeline alone, for mb_compute_init: triangles without vertex buffers to one attachment
 * of options->target_format, nothing blended. `fragment` is the module of options->shader and
 * has the specialisation. */
MB_MUST_CHECK enum mb_status mb_graphics_create(struct mb_compute *graphics,
                                                VkShaderModule fragment,
                                                const struct mb_compute_options *options,
                                                const VkSpecializationInfo *specialization,
                                                struct mb_err *err);

struct mb_draw {
    uint32_t set;
    const void *push; /* of the fragment shader */
    uint32_t push_bytes;
    VkImageView target; /* one layer, in COLOR_ATTACHMENT_OPTIMAL */
    /* What the vertex shader's clip space [-1, 1] is mapped to; texels outside keep what they
     * hold. The shader has to draw every texel of it: what they held is not loaded. */
    struct mb_rect area;
};

/* A rendering of its own: bind pipeline, set and push constants, and draw three vertices. */
void mb_graphics_draw(const struct mb_compute *graphics, VkCommandBuffer cmd,
                      const struct mb_draw *draw);

#endif
