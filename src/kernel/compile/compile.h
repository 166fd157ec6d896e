/* SPIR-V of a manifest's shaders: read as it is, compiled by glslang, or compiled before. */
#pragma once

#include "base/file.h"
#include "base/strlist.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mb_compile_options {
    const char *path;      /* .spv: SPIR-V; .hlsl: HLSL; else GLSL of a compute shader */
    const char *module;    /* compiled before, for lack of glslang or source; or NULL */
    const char *entry;     /* of HLSL; GLSL's is main */
    const char *preamble;  /* lines before the source: defines, extensions */
    unsigned vulkan_minor; /* the target is Vulkan 1.0 to 1.3 */
    /* HLSL: bindings of registers b, t, s and u begin at 0, 1, 2 and 3 times this. */
    unsigned register_shift;
    const struct mb_strlist *includes; /* folders to search for included files, in order */
    /* Real paths of folders; `path` and all that it includes must lie in one of them. */
    const struct mb_strlist *roots;
};

/* Read or compile a shader; the caller owns `*code`. MB_ERRC_INPUT if the compiler refuses the
 * shader (with its first error: file, line, message); if an included file lies outside the
 * roots, is not a regular file or is nested more than 32 deep; if all files together exceed 16
 * MiB; or, with a hint, if this build has no glslang and there is no `module`. */
MB_MUST_CHECK enum mb_status mb_compile(const struct mb_compile_options *options,
                                        struct mb_bytes *code, struct mb_err *err);

/* ---- The interface of glsl.cpp, which exists because glslang's own C interface takes no
 * callback for includes before 12.2. `user` is compile.c's struct compilation. */

struct mb_glsl_text {
    const char *path, *text;
    size_t n_bytes;
};

/* Compile `source`; not thread-safe. */
void mb_glsl_compile(const struct mb_compile_options *options,
                     const struct mb_glsl_text *source, bool is_hlsl, void *user);

/* mb_glsl_compile() calls this to open an included file; `depth` is 1 if the shader includes
 * it. The text stays until mb_glsl_compile() returns. If false, `file->text` is the reason. */
bool mb_glsl_include(void *user, const char *name, size_t depth, struct mb_glsl_text *file);

/* mb_glsl_compile() calls this once, with SPIR-V (NULL if the source was refused) and the
 * compiler's messages, of which errors are lines "ERROR: FILE:LINE: TEXT". Both are freed after
 * the call. */
void mb_glsl_take(void *user, const void *code, size_t n_bytes, const char *messages);

#ifdef __cplusplus
}
#endif
