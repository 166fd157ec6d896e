/* What a SPIR-V module says of itself: what src/vk needs to make a pipeline of it, and what a
 * manifest is held against. SPIRV-Tools judges it, SPIRV-Cross reads it; neither changes it. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "vk/shader.h"

/* With the number of an execution mode: one that needs a feature and has no capability. */
#define MB_SPIRV_MODE 0x80000000u

#define MB_SPIRV_NAME_BYTES       64u
#define MB_SPIRV_MAX_CAPABILITIES 64u
#define MB_SPIRV_MAX_MEMBERS      256u /* of all blocks of a module together */
#define MB_SPIRV_MAX_CONSTANTS    64u

enum mb_scalar {
    MB_SCALAR_U32,
    MB_SCALAR_I32,
    MB_SCALAR_F32,
    MB_SCALAR_BOOL,  /* a specialisation constant: 0 or 1 */
    MB_SCALAR_U64,   /* also of an address: a pointer to PhysicalStorageBuffer */
    MB_SCALAR_OTHER, /* of other widths, arrays of arrays, nested structures */
    MB_N_SCALARS
};
extern const char *const mb_scalar_names[MB_N_SCALARS]; /* "uint", "int", "float", ... */
uint32_t mb_scalar_bytes(enum mb_scalar scalar);        /* read.c */

/* A member of a block. */
struct mb_spirv_member {
    char name[MB_SPIRV_NAME_BYTES]; /* "" in a module that was stripped of names */
    enum mb_scalar scalar;
    uint32_t n_components,
        n_rows;          /* of a vector or matrix, column by column; and of a column */
    uint32_t n_elements; /* of an array; 1; 0: as many as the buffer has room for */
    /* Of an element 0 without an array, of a column 0 without a matrix. */
    uint32_t offset_bytes, stride_bytes, column_bytes, row_bytes;
};

/* Push constants, or what a uniform or storage buffer is bound to; without members: nothing. */
struct mb_spirv_block {
    uint32_t first_member, n_members;
    uint32_t n_bytes; /* to the end of the last member; an array without a length has none */
};

/* Of each entry of shader.bindings. An array without a length has MB_SPIRV_UNBOUNDED elements,
 * one for each level that there can be. */
#define MB_SPIRV_UNBOUNDED 16u

struct mb_spirv_use {
    char name[MB_SPIRV_NAME_BYTES]; /* of the variable, or of its block; "" */
    bool is_2d;                     /* of an image: 2D, which is all that has views here */
    bool is_arrayed;                /* of an image: layers are its third coordinate */
    bool only_reads;                /* decorated NonWritable */
    uint32_t image_format;          /* SPIR-V's ImageFormat of a storage image; 0: Unknown */
    enum mb_scalar texel;           /* of an image: what its channels are read as */
    struct mb_spirv_block block;    /* of a buffer */
};

/* A specialisation constant of 32 bits. */
struct mb_spirv_constant {
    char name[MB_SPIRV_NAME_BYTES];
    uint32_t id, value; /* its SpecId and its default */
    enum mb_scalar scalar;
};

struct mb_spirv {
    /* Name and flags are the caller's; it points into what follows, so that nobody may copy
     * this struct. Constants are in the order of their SpecIds; the digest is the module's. */
    struct mb_shader shader;
    struct mb_spirv_constant constants[MB_SPIRV_MAX_CONSTANTS]; /* of shader.constants */
    struct mb_constant named[MB_SPIRV_MAX_CONSTANTS];
    VkSpecializationMapEntry entries[MB_SPIRV_MAX_CONSTANTS];
    struct mb_binding bindings[MB_MAX_BINDINGS];
    char sha256[65];
    struct mb_spirv_use use[MB_MAX_BINDINGS];
    struct mb_spirv_block push;
    struct mb_spirv_member members[MB_SPIRV_MAX_MEMBERS];
    uint32_t n_members;
    /* LocalSize, or its defaults where it is specialised: then size_constants are indices into
     * shader.constants; UINT32_MAX where an axis is not. */
    uint32_t workgroup_size[3], size_constants[3];
    uint32_t capabilities[MB_SPIRV_MAX_CAPABILITIES], n_capabilities;
};

/* Read a module of `n_bytes`, a multiple of 4. `entry` names the compute entry point that
 * `shader` is used with. Both have to outlive the result. Only variables that it lists count;
 * below SPIR-V 1.4, which does not list them, all do. MB_ERRC_INPUT: spvValidate refuses the
 * module, with `path` and its message; src/vk cannot bind a descriptor, which is named; or this
 * build is without the libraries. */
MB_MUST_CHECK enum mb_status mb_spirv_init(struct mb_spirv *spirv, const char *path,
                                           const void *code, size_t n_bytes, const char *entry,
                                           struct mb_err *err);

/* A binding, or NULL: `use` has its place in shader.bindings. */
const struct mb_binding *mb_spirv_find(const struct mb_spirv *spirv, uint32_t set,
                                       uint32_t binding);

/* What a capability asks of a device. */
struct mb_spirv_capability {
    uint32_t number;
    VkSubgroupFeatureFlags operation; /* of subgroups, that it is */
    const char *features[4];          /* any of these; none: every device has it */
};

/* One that this program may enable, or NULL. */
const struct mb_spirv_capability *mb_spirv_capability_find(uint32_t number);
