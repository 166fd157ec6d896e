/* Texture files of a result's chain, for use elsewhere. */
#pragma once

#include "cli/artifact.h"
#include "result/result.h"

/* Write the whole chain as chain.ktx2 and chain.dds, those of them that the settings ask for,
 * into the folder of the result's pictures, and note them in result->chains. Nothing is written
 * of a chain that did not verify. `block` is packed by the case's layout. A file that cannot be
 * written, or is an input, is MB_ERRC_OUTPUT. */
MB_MUST_CHECK enum mb_status mb_chains_write(const struct mb_artifacts *artifacts,
                                             const struct mb_case *c, struct mb_result *result,
                                             const void *block, struct mb_err *err);
