/* Values of a manifest into the bytes and constants that a module reads. */
#pragma once

#include "kernel/read.h"

/* Fill in the members of a block, `out[n_bytes]`, from the object `map`, whose members are
 * called as those of the block, or by their position: "0". Each member has to be there once. */
MB_MUST_CHECK enum mb_status mb_fill_block(const struct mb_pick *pick, const struct cJSON *map,
                                           const struct mb_spirv *spirv,
                                           const struct mb_spirv_block *block,
                                           unsigned char *out, struct mb_err *err);

/* The specialisation constants that the object `map` gives, by name or number, in the order of
 * the map. */
MB_MUST_CHECK enum mb_status
mb_fill_constants(const struct mb_pick *pick, const struct cJSON *map,
                  const struct mb_spirv *spirv,
                  struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS], uint32_t *n_constants,
                  struct mb_err *err);

/* Where component `i` of a member is in its block, counted element by element and column by
 * column. */
uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i);
