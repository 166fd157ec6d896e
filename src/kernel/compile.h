/* Shaders of a manifest as SPIR-V: as they are, or compiled by glslangValidator. */
#pragma once

#include "base/strlist.h"

struct mb_compile_options {
    const char *path;   /* .spv: SPIR-V; .hlsl: HLSL; else GLSL of a compute shader */
    const char *entry;  /* of HLSL; GLSL has main */
    const char *target; /* "vulkan1.2", for --target-env */
    const struct mb_strlist *defines;  /* "NAME" or "NAME=VALUE" */
    const struct mb_strlist *includes; /* folders to look for included files in, in order */
    /* Folders, as real paths, that `path` and all that it includes must lie in. */
    const struct mb_strlist *roots;
};

/* Read or compile. `*code` is owned by the caller (mb_free). MB_ERRC_INPUT, with the compiler's
 * own lines (file, line, message), where it refuses the shader; where a file that it read, by
 * its list of dependencies, lies outside the roots; where it takes longer than a minute; or,
 * with how to install it, where glslangValidator is not on PATH. The compiler writes to a
 * temporary folder that is gone afterwards. Lines of messages about files outside the roots are
 * left out. */
MB_MUST_CHECK enum mb_status mb_compile(const struct mb_compile_options *options, void **code,
                                        size_t *n_bytes, struct mb_err *err);
