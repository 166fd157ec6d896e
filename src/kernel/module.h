/* A SPIR-V module in words: where each id is defined, what it is called and how it is
 * decorated. One pass up to the first function; types are defined before they are used (SPIR-V
 * specification, 2.4 "Logical Layout of a Module"), which it holds them to: nothing recurses,
 * and no chain of types has a circle. What is made of it is spirv.h's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include "base/err.h"

#define MB_NONE                   UINT32_MAX
#define MB_N_HEADER_WORDS         5u
#define MB_FIRST_OF_STRUCT        2u /* the word of OpTypeStruct that is its first member */
#define MB_NAME_OF_ENTRY          3u /* that of OpEntryPoint where its name begins */
#define MB_SPIRV_NAME_BYTES       64u
#define MB_SPIRV_MAX_CAPABILITIES 64u

/* SPIR-V specification, 3.49 "Instructions". */
enum mb_op {
    MB_OP_NAME = 5,
    MB_OP_MEMBER_NAME = 6,
    MB_OP_ENTRY_POINT = 15,
    MB_OP_EXECUTION_MODE = 16,
    MB_OP_CAPABILITY = 17,
    MB_OP_TYPE_BOOL = 20,
    MB_OP_TYPE_INT = 21,
    MB_OP_TYPE_FLOAT = 22,
    MB_OP_TYPE_VECTOR = 23,
    MB_OP_TYPE_MATRIX = 24,
    MB_OP_TYPE_IMAGE = 25,
    MB_OP_TYPE_SAMPLER = 26,
    MB_OP_TYPE_SAMPLED_IMAGE = 27,
    MB_OP_TYPE_ARRAY = 28,
    MB_OP_TYPE_RUNTIME_ARRAY = 29,
    MB_OP_TYPE_STRUCT = 30,
    MB_OP_TYPE_POINTER = 32,
    MB_OP_TYPE_FORWARD_POINTER = 39,
    MB_OP_CONSTANT_TRUE = 41,
    MB_OP_CONSTANT_FALSE = 42,
    MB_OP_CONSTANT = 43,
    MB_OP_CONSTANT_COMPOSITE = 44,
    MB_OP_SPEC_CONSTANT_TRUE = 48,
    MB_OP_SPEC_CONSTANT_FALSE = 49,
    MB_OP_SPEC_CONSTANT = 50,
    MB_OP_SPEC_CONSTANT_COMPOSITE = 51,
    MB_OP_SPEC_CONSTANT_OP = 52,
    MB_OP_FUNCTION = 54,
    MB_OP_VARIABLE = 59,
    MB_OP_DECORATE = 71,
    MB_OP_MEMBER_DECORATE = 72,
    MB_OP_DECORATION_GROUP = 73,
    MB_OP_LABEL = 248,
    MB_OP_EXECUTION_MODE_ID = 331,
    MB_OP_TYPE_ACCELERATION_STRUCTURE = 5341,
    /* Of OpSpecConstantOp. */
    MB_OP_COMPOSITE_EXTRACT = 81,
    MB_OP_I_ADD = 128,
    MB_OP_I_SUB = 130,
    MB_OP_I_MUL = 132,
    MB_OP_U_DIV = 134,
    MB_OP_S_DIV = 135,
    MB_OP_U_MOD = 137,
    MB_OP_SHIFT_RIGHT_LOGICAL = 194,
    MB_OP_SHIFT_LEFT_LOGICAL = 196,
};

/* The same, 3.20 "Decoration". */
enum mb_decoration {
    MB_DECORATION_SPEC_ID = 1,
    MB_DECORATION_BUFFER_BLOCK = 3,
    MB_DECORATION_ROW_MAJOR = 4,
    MB_DECORATION_ARRAY_STRIDE = 6,
    MB_DECORATION_MATRIX_STRIDE = 7,
    MB_DECORATION_BUILT_IN = 11,
    MB_DECORATION_NON_WRITABLE = 24,
    MB_DECORATION_NON_READABLE = 25,
    MB_DECORATION_BINDING = 33,
    MB_DECORATION_DESCRIPTOR_SET = 34,
    MB_DECORATION_OFFSET = 35,
};

enum mb_storage {
    MB_STORAGE_UNIFORM_CONSTANT = 0,
    MB_STORAGE_UNIFORM = 2,
    MB_STORAGE_WORKGROUP = 4,
    MB_STORAGE_PUSH_CONSTANT = 9,
    MB_STORAGE_STORAGE_BUFFER = 12,
    MB_STORAGE_PHYSICAL_STORAGE_BUFFER = 5349,
};

/* What an id is decorated with. */
struct mb_decorations {
    uint32_t set, binding, spec_id;        /* MB_NONE: not */
    uint32_t stride;                       /* of an array; 0: not */
    uint32_t last_offset, last_member;     /* of a structure: the member farthest on */
    uint32_t matrix_stride, matrix_member; /* the matrix decorated last */
    uint32_t n_not_written, n_not_read;    /* members that are decorated so */
    bool is_buffer_block, is_not_written, is_not_read, is_workgroup_size;
};

struct mb_id {
    uint32_t at;          /* the instruction that defines it; 0: none does */
    uint32_t name_at;     /* its OpName; 0: none */
    uint32_t decorations; /* index; 0: none */
    uint32_t value;       /* of a 32-bit constant; the bytes of a type, at least */
    bool is_known;        /* the constant's value is */
    bool is_specialised;  /* it depends on a specialisation constant */
    bool is_used;         /* the entry point lists it */
};

struct mb_module {
    const char *path;
    const uint32_t *words;
    uint32_t n_words, version, bound;
    struct mb_id *ids;                  /* owned */
    struct mb_decorations *decorations; /* owned; the first is of ids without any */
    uint32_t n_decorations;
    const char *entry;
    uint32_t entry_at; /* its OpEntryPoint */
    uint32_t n_entries;
    bool is_all_used;        /* whether or not it is listed */
    uint32_t sizes_at;       /* the three ids of a composite BuiltIn WorkgroupSize; 0: none */
    uint32_t first_function; /* where it begins */
    uint32_t capabilities[MB_SPIRV_MAX_CAPABILITIES], n_capabilities;
    struct mb_err *err;
};

/* Read it; `words` is not copied. MB_ERRC_INPUT where it is no whole module or has no compute
 * entry point called `entry`. To be finished in any case. */
MB_MUST_CHECK enum mb_status mb_module_init(struct mb_module *module, const char *path,
                                            const uint32_t *words, uint32_t n_words,
                                            const char *entry, struct mb_err *err);
void mb_module_finish(struct mb_module *module);

/* Fail with MB_ERRC_INPUT and the path. */
MB_PRINTF(2, 3)
MB_MUST_CHECK enum mb_status mb_module_refuse(const struct mb_module *m, const char *fmt, ...);

#define MB_REFUSE_IF(is_wrong, m, ...)                                                         \
    do {                                                                                       \
        if (is_wrong) {                                                                        \
            return mb_module_refuse(m, __VA_ARGS__);                                           \
        }                                                                                      \
    } while (0)

/* The instruction at a word, and how many words it has. */
uint32_t mb_op_at(const struct mb_module *m, uint32_t at);
uint32_t mb_words_at(const struct mb_module *m, uint32_t at);

/* The text that begins at word `first` of an instruction; NULL where no zero ends it there. */
const char *mb_literal(const struct mb_module *m, uint32_t at, uint32_t first);

/* What is known of an id; of any that is not there, that it is not defined. */
const struct mb_id *mb_id_of(const struct mb_module *m, uint32_t id);
const struct mb_decorations *mb_decorations_of(const struct mb_module *m, uint32_t id);
void mb_name_of(const struct mb_module *m, uint32_t id, char out[MB_SPIRV_NAME_BYTES]);

/* The instruction that defines an id, by which its kind is known (0: none), and a word of it
 * where there is one. */
uint32_t mb_op_of(const struct mb_module *m, uint32_t id);
uint32_t mb_word_of(const struct mb_module *m, uint32_t id, uint32_t word);

/* Refuse what is not a type that is defined, which word `at` names. */
MB_MUST_CHECK enum mb_status mb_need_type(const struct mb_module *m, uint32_t id, uint32_t at);

/* Bytes of an array or matrix: to the end of the last element; a stride of 0 is an element. */
uint32_t mb_bytes_of_elements(uint64_t n, uint64_t stride, uint32_t element_bytes);
uint32_t mb_at_most_32_bits(uint64_t value);
