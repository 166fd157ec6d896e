/* glslang's C++ interface behind a C one: its own takes no callback for includes before 12.2.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mb_glsl_text {
    const char *path, *text;
    size_t n_bytes;
};

struct mb_glsl {
    struct mb_glsl_text source; /* of a compute shader */
    const char *preamble;       /* compiled before it, and counted as no line */
    const char *entry;          /* of HLSL; NULL for GLSL, which has main */
    unsigned vulkan_minor;      /* the target is Vulkan 1.0 to 1.3 */
    unsigned register_shift;    /* of HLSL: of registers t; twice that of s, and so on of u */
    void *user;
    /* Open an included file, nested `depth` deep, from 1. The text stays until
     * mb_glsl_compile() returns. False: `file->text` says why not. */
    bool (*include)(void *user, const char *name, size_t depth, struct mb_glsl_text *file);
    /* Called once: SPIR-V, NULL where the source was refused, and the compiler's messages, in
     * lines "ERROR: FILE:LINE: TEXT" among others. Both are gone afterwards. */
    void (*take)(void *user, const void *code, size_t n_bytes, const char *messages);
};

/* Not for several threads at once. */
void mb_glsl_compile(const struct mb_glsl *glsl);

#ifdef __cplusplus
}
#endif
