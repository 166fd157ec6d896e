/* A compiled shader, embedded by scripts/embed_spirv.py at build time. */
#ifndef MB_VK_SHADER_H
#define MB_VK_SHADER_H

#include <stddef.h>
#include <stdint.h>

struct mb_shader {
    const char *name; /* "compute/compute.comp" */
    const uint32_t *code;
    size_t code_bytes;
    const char *sha256; /* of the SPIR-V, lower-case hex */
};

/* Every shader of every strategy and of the harness; NULL-terminated; generated with the table
 * of strategies. */
extern const struct mb_shader *const mb_shaders[];

#endif
