/* Values of a manifest into the bytes and constants that a module reads. */
#pragma once

#include "kernel/read.h"

/* Fill in the members of a block, `out[n_bytes]`, from those of the object `map`, which have
 * the same names; each has to be there. */
MB_MUST_CHECK enum mb_status mb_fill_block(struct mb_reader *reader, const struct cJSON *map,
                                           const struct mb_spirv *spirv,
                                           const struct mb_spirv_block *block,
                                           unsigned char *out);

/* The specialisation constants that an object (NULL: none) gives by name, in its order. */
MB_MUST_CHECK enum mb_status
mb_fill_constants(struct mb_reader *reader, const struct cJSON *map,
                  const struct mb_spirv *spirv,
                  struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS], uint32_t *n_constants);

/* Where component `i` of a member is in its block, counted element by element and column by
 * column. */
uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i);
