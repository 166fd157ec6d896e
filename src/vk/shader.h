/* A compiled shader, embedded by scripts/embed_spirv.py at build time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#define MB_MAX_SETS     4u /* every device can bind this many */
#define MB_MAX_BINDINGS 16u

/* A specialisation constant of 32 bits, by its name in GLSL; local_size_x_id is called
 * "gl_WorkGroupSize.x". */
struct mb_constant {
    const char *name;
    uint32_t value; /* of a float: mb_float_bits() */
};

/* A descriptor, or an array of n_descriptors. */
struct mb_binding {
    uint32_t set, binding;
    VkDescriptorType type;
    uint32_t n_descriptors;
};

struct mb_shader {
    const char *name;  /* "compute/compute.comp" */
    const char *flags; /* flags of the compiler: "-DX=1 -DY" */
    const uint32_t *code;
    size_t code_bytes;
    const char *entry;                       /* the entry point; NULL: main */
    const struct mb_constant *constants;     /* all, with their defaults */
    const VkSpecializationMapEntry *entries; /* map the constants to an array of their values */
    uint32_t n_constants;
    const struct mb_binding *bindings;
    uint32_t n_bindings, n_sets;
    const char *sha256; /* of the SPIR-V, lower-case hex */
};

/* Every shader of every strategy and of the harness; NULL-terminated; generated with the table
 * of strategies. */
extern const struct mb_shader *const mb_shaders[];
