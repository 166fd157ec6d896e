/* The declarations of a SPIR-V module, for pipelines of src/vk and for checks of manifests.
 * SPIRV-Tools validates the module, SPIRV-Cross reads it; neither changes the module. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "vk/shader.h"

#define MB_SPIRV_NAME_BYTES    64u
#define MB_SPIRV_MAX_NEEDS     64u
#define MB_SPIRV_MAX_MEMBERS   256u /* in all blocks of a module */
#define MB_SPIRV_MAX_CONSTANTS 64u

enum mb_scalar {
    MB_SCALAR_U32,
    MB_SCALAR_I32,
    MB_SCALAR_F32,
    MB_SCALAR_BOOL,  /* a specialisation constant: 0 or 1 */
    MB_SCALAR_U64,   /* also an address: a pointer to PhysicalStorageBuffer */
    MB_SCALAR_OTHER, /* other widths, arrays of arrays, nested structures */
    MB_N_SCALARS
};
extern const char *const mb_scalar_names[MB_N_SCALARS]; /* "uint", "int", "float", ... */
uint32_t mb_scalar_bytes(enum mb_scalar scalar);        /* plan.c */

/* A member of a block. */
struct mb_spirv_member {
    char name[MB_SPIRV_NAME_BYTES]; /* "" in a module that was stripped of names */
    enum mb_scalar scalar;
    uint32_t n_components,
        n_rows;          /* n_rows: components of a column; n_components: of all columns */
    uint32_t n_elements; /* of an array, else 1; 0: as many as fit into the buffer */
    /* stride_bytes is an element's, 0 if not an array; column_bytes is 0 if not a matrix. */
    uint32_t offset_bytes, stride_bytes, column_bytes, row_bytes;
};

/* The block of push constants, or of a uniform or storage buffer; empty if n_members is 0. */
struct mb_spirv_block {
    uint32_t first_member, n_members;
    uint32_t n_bytes; /* to the end of the last member; arrays without a length count as 0 */
};

/* How a module uses each entry of shader.bindings. An array without a length has
 * MB_SPIRV_UNBOUNDED elements, one for each possible level. */
#define MB_SPIRV_UNBOUNDED 16u

struct mb_spirv_use {
    char name[MB_SPIRV_NAME_BYTES]; /* of the variable or, if that is "", of its block */
    bool is_2d;                     /* of an image: 2D; no other can be bound */
    bool is_arrayed;                /* of an image: layers are its third coordinate */
    bool only_reads;                /* decorated NonWritable */
    uint32_t image_format;          /* SPIR-V's ImageFormat of a storage image; 0: Unknown */
    enum mb_scalar texel;           /* of an image: the type of its channels in the shader */
    struct mb_spirv_block block;    /* of a buffer */
};

/* A specialisation constant of 32 bits. */
struct mb_spirv_constant {
    char name[MB_SPIRV_NAME_BYTES];
    uint32_t id, value; /* its SpecId and its default */
    enum mb_scalar scalar;
};

struct mb_spirv {
    /* The caller sets name and flags. The shader points into the members below, so this struct
     * must not be copied. Constants are in the order of their SpecIds; the digest is the
     * module's. */
    struct mb_shader shader;
    struct mb_spirv_constant constants[MB_SPIRV_MAX_CONSTANTS]; /* as shader.constants */
    struct mb_constant named[MB_SPIRV_MAX_CONSTANTS];
    VkSpecializationMapEntry entries[MB_SPIRV_MAX_CONSTANTS];
    struct mb_binding bindings[MB_MAX_BINDINGS];
    char sha256[65];
    struct mb_spirv_use use[MB_MAX_BINDINGS];
    struct mb_spirv_block push;
    struct mb_spirv_member members[MB_SPIRV_MAX_MEMBERS];
    uint32_t n_members;
    /* The workgroup size; of an axis that a constant specialises, the default. size_constants
     * has the constants' indices in shader.constants, UINT32_MAX for other axes. */
    uint32_t workgroup_size[3], size_constants[3];
    /* Lists of features that end with NULL. The module's capabilities and execution modes need
     * one feature of each list. */
    const char *const *needs[MB_SPIRV_MAX_NEEDS];
    uint32_t n_needs;
    VkSubgroupFeatureFlags operations; /* of subgroups */
    uint32_t unknown_capability;       /* one that this program does not enable; 0: none */
};

/* Read a module of `n_bytes`, a multiple of 4. `entry` names the compute entry point of
 * `shader`. Code and name must outlive the result. Only variables that the entry point lists
 * count; before SPIR-V 1.4, whose entry points do not list all, every variable counts.
 * MB_ERRC_INPUT if spvValidate refuses the module (the error has `path` and its message), if
 * src/vk cannot bind one of its descriptors (which is named), or if this build lacks the
 * libraries. */
MB_MUST_CHECK enum mb_status mb_spirv_init(struct mb_spirv *spirv, const char *path,
                                           const void *code, size_t n_bytes, const char *entry,
                                           struct mb_err *err);

/* Find a binding, or NULL. Its index in shader.bindings is also its index in `use`. */
const struct mb_binding *mb_spirv_find(const struct mb_spirv *spirv, uint32_t set,
                                       uint32_t binding);
