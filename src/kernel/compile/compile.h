/* Shaders of a manifest as SPIR-V: as they are, compiled by glslang, or compiled before. */
#pragma once

#include "base/file.h"
#include "base/strlist.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* ---- What glsl.cpp does, as glslang's own C interface takes no callback for includes before
 * 12.2; `user` is the compilation. */

struct mb_glsl_text {
    const char *path, *text;
    size_t n_bytes;
};

/* Compile one text; not for several threads at once. */
void mb_glsl_compile(const struct mb_compile_options *options,
                     const struct mb_glsl_text *source, bool is_hlsl, void *user);

/* Called by it, for an included file, nested `depth` deep, from 1: open it. The text stays
 * until mb_glsl_compile() returns. False: `file->text` says why not. */
bool mb_glsl_include(void *user, const char *name, size_t depth, struct mb_glsl_text *file);

/* Called by it once: SPIR-V, NULL where the source was refused, and the compiler's messages, in
 * lines "ERROR: FILE:LINE: TEXT" among others. Both are gone afterwards. */
void mb_glsl_take(void *user, const void *code, size_t n_bytes, const char *messages);

#ifdef __cplusplus
}
#endif
