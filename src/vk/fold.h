/* Kernels with their specialisation constants filled in, as drivers get them: some take seconds
 * over what the constants leave out. */
#pragma once

#include "base/err.h"
#include "vk/shader.h"

/* Code that does what a shader's does with `values` of its constants: branches on what the
 * constants settle are gone, and what only such a branch led to. Blocks, loops and what is left
 * of selections stay structured, as Vulkan asks for. `*code`, of `*code_bytes`, is the caller's
 * to free (mb_free); NULL where a module is not of a kind that this reads, and is to be used as
 * it is: it may be anybody's. Fails without memory. */
MB_MUST_CHECK enum mb_status mb_fold(const struct mb_shader *shader, const uint32_t *values,
                                     uint32_t **code, size_t *code_bytes, struct mb_err *err);
