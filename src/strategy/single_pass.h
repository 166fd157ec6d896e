/* Shared by single-pass downsamplers: every workgroup makes levels 1 to 6 of a tile of 64x64
 * texels and hands off its texel of level 6; the last workgroup to finish makes the other
 * levels from these texels. The shaders bind level 0 at 0, levels 1.. at 1, the hand-off at 2,
 * the counter at 3, and level 6 as it is stored, for updates, at 4. */
#pragma once

#include "strategy/levels.h"
#include "vk/buffer.h"

/* As in the shaders. */
#define MB_SINGLE_PASS_TARGETS     12u
#define MB_SINGLE_PASS_MAX_WIDTH   4096u /* 64 tiles: what one workgroup can finish */
#define MB_SINGLE_PASS_TAIL_TEXELS 4096u

struct mb_single_pass {
    struct mb_levels levels;          /* with one pipeline; steps are not used */
    const struct mb_vk_image *source; /* holds level 0: the same image, or another one */
    struct mb_rect tiles;             /* the tiles to dispatch */
    uint64_t texel_bytes;             /* of the hand-off */
    struct mb_buffer hand_off; /* [layer][64][64] texels of level 6, rounded by updates only */
    struct mb_buffer counter;  /* uint[layer]: workgroups done; zero before a run */
};

/* Fill in all but the pipeline; texels of the hand-off have `texel_bytes`. */
MB_MUST_CHECK enum mb_status mb_single_pass_init(struct mb_single_pass *pass,
                                                 const struct mb_gpu *gpu,
                                                 const struct mb_target *target,
                                                 const struct mb_needs *needs,
                                                 uint64_t texel_bytes, struct mb_err *err);

/* Write the descriptors of the pipeline, which must be made before. */
void mb_single_pass_bind(const struct mb_single_pass *pass);

/* As mb_levels_opening(). */
struct mb_level_barrier mb_single_pass_opening(const struct mb_single_pass *pass);

/* For mb_strategy.describe: one dispatch between two barriers; its last workgroup reads
 * `n_read` texels of each layer's hand-off. */
void mb_single_pass_describe(const struct mb_single_pass *pass, uint32_t n_read,
                             struct mb_work *work);

/* For mb_strategy.finish. */
void mb_single_pass_finish(void *state);
