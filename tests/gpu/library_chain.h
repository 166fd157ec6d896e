/* An image whose levels are made by spd-tree's library, by what spd_tree.h alone says of it:
 * creation, views, scratch, descriptors, upload, dispatch, read-back, and every texel judged.
 */
#pragma once

#include "harness.h"
#include "../../strategies/spd-tree/lib/spd_tree.h"

struct library_info {
    const char *name; /* of the case, for what fails */
    struct spd_tree *tree;
    struct spd_tree_job job;
    const char *format; /* of texels, as mb_formats has them: channels by position */
    uint32_t n_layers, first_layer;  /* of the image; 0: those of the job */
    VkFormat depth;                  /* of level 0, where the job is of depth */
    bool is_pushed;                  /* descriptors are: there is no set */
    const struct mb_buffer *scratch; /* NULL: its own; else at scratch_offset */
    VkDeviceSize scratch_offset;
};

struct library_chain {
    const struct mb_gpu *gpu;
    struct library_info info;
    struct mb_layout layout; /* of all layers of the image, level 0 of depth included */
    uint8_t *block;          /* level 0 and poison, as uploaded; owned */
    VkImage image, depth;
    VkDeviceMemory memory, depth_memory;
    VkImageView views[MB_MAX_LEVELS]; /* of the job's layers */
    VkImageView curved;               /* of all levels, sampled, of _SRGB images */
    struct mb_buffer upload, codes, readback, scratch; /* codes: of depth */
    VkDescriptorPool pool;
    struct spd_tree_resources resources;
    struct mb_submission submission;
};

/* A check that names its case where it fails. */
void mb_library_check(bool is_right, const char *name, const char *what);

/* The tree of a device, by its own features; checked. `push` may be NULL. */
struct spd_tree *mb_library_tree(const struct mb_gpu *gpu, PFN_vkCmdPushDescriptorSetKHR push);

/* Everything that a job needs. UNSUPPORTED if the device has no such image. */
MB_MUST_CHECK enum mb_status mb_library_init(struct library_chain *c, const struct mb_gpu *gpu,
                                             const struct library_info *info,
                                             struct mb_err *err);
void mb_library_finish(struct library_chain *c);

/* Fill the rectangle of level 0 with other texels, in all layers. */
void mb_library_change(struct library_chain *c, VkRect2D rect);

/* Upload level 0, and all levels where `is_poisoned`; they are left as the library wants them.
 */
void mb_library_record_upload(struct library_chain *c, VkCommandBuffer cmd, bool is_poisoned);
/* Dispatch; checked. */
void mb_library_record_make(struct library_chain *c, VkCommandBuffer cmd);
/* Read all levels back, which are left in that layout. */
void mb_library_record_read(struct library_chain *c, VkCommandBuffer cmd);

/* The three of them over poison, submitted and waited for. */
MB_MUST_CHECK enum mb_status mb_library_run(struct library_chain *c, struct mb_err *err);

/* Judge what was read back: every texel of the job's layers, and that the others are poison. */
void mb_library_judge(struct library_chain *c);

/* Whether two images of one layout were read back with the same texels. */
bool mb_library_is_same(const struct library_chain *a, const struct library_chain *b);

/* All of it for one job; returns false where the device has no such image, which is said. */
bool mb_library_try(const struct mb_gpu *gpu, const struct library_info *info);
