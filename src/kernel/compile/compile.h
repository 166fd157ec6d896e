/* Shaders of a manifest as SPIR-V: as they are, compiled by glslang, or compiled before. */
#pragma once

#include "base/file.h"
#include "base/strlist.h"

struct mb_compile_options {
    const char *path;      /* .spv: SPIR-V; .hlsl: HLSL; else GLSL of a compute shader */
    const char *module;    /* what was made of it before, without glslang or source, or NULL */
    const char *entry;     /* of HLSL; GLSL has main */
    const char *preamble;  /* lines before those of GLSL and HLSL: defines, extensions */
    unsigned vulkan_minor; /* the target is Vulkan 1.0 to 1.3 */
    /* HLSL: bindings of registers b, t, s and u begin at 0, 1, 2 and 3 times this. */
    unsigned register_shift;
    const struct mb_strlist *includes; /* folders to look for included files in, in order */
    /* Folders, as real paths, that `path` and all that it includes must lie in. */
    const struct mb_strlist *roots;
};

/* Read or compile. `*code` is owned by the caller. MB_ERRC_INPUT, with the compiler's
 * first error (file, line, message), where it refuses the shader; where an included file lies
 * outside the roots, is no regular one, is nested more than 32 deep, or all of them come to
 * more than 16 MiB; or, with what to do about it, where this build has no glslang and there is
 * no `module`. */
MB_MUST_CHECK enum mb_status mb_compile(const struct mb_compile_options *options,
                                        struct mb_bytes *code, struct mb_err *err);
