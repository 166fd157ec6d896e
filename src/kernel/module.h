/* The modules of a manifest: as they are, compiled, or compiled before. */
#pragma once

#include "kernel/read.h"

/* The module of a member of "shaders", after every choice; it is compiled at the first time,
 * and kept. Failures are MB_ERRC_INPUT. */
MB_MUST_CHECK enum mb_status mb_manifest_module(struct mb_reader *reader,
                                                const struct cJSON *shader,
                                                const struct mb_spirv **spirv);
