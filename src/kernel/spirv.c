/* The second pass over a SPIR-V module: what can be bound or specialised. */
#include "kernel/spirv.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/text.h"
#include "kernel/module.h"

#define MAX_WORDS          (1u << 26)
#define MAX_NESTED         8u     /* arrays of arrays of descriptors */
#define MAX_ARRAY          65536u /* descriptors of one binding */
#define MAX_BINDING        65535u /* drivers have tables up to the largest */
#define MODE_LOCAL_SIZE    17u
#define MODE_LOCAL_SIZE_ID 38u
#define DIM_2D             1u
#define DIM_BUFFER         5u
#define DIM_SUBPASS        6u

const char *const mb_scalar_names[MB_N_SCALARS] = {
    [MB_SCALAR_U32] = "uint",   [MB_SCALAR_I32] = "int",     [MB_SCALAR_F32] = "float",
    [MB_SCALAR_BOOL] = "bool",  [MB_SCALAR_U64] = "uint64",  [MB_SCALAR_I64] = "int64",
    [MB_SCALAR_F64] = "double", [MB_SCALAR_OTHER] = "other",
};

/* What mb_spirv.shader points to. */
struct mb_spirv_tables {
    struct mb_constant constants[MB_SPIRV_MAX_CONSTANTS];
    VkSpecializationMapEntry entries[MB_SPIRV_MAX_CONSTANTS];
    char names[MB_SPIRV_MAX_CONSTANTS][MB_SPIRV_NAME_BYTES];
    struct mb_binding bindings[MB_MAX_BINDINGS];
    char sha256[65];
    uint32_t *code; /* owned */
    char *entry;    /* owned */
};

struct reader {
    const struct mb_module *m;
    uint32_t push_id;          /* the variable; 0: none yet */
    uint32_t size_spec_ids[3]; /* MB_NONE: not one */
    uint64_t n_shared_bytes;
    struct mb_spirv *spirv;
};

/* ---- Blocks */

static enum mb_scalar scalar_of(const struct mb_module *m, uint32_t type)
{
    switch (mb_op_of(m, type)) {
    case MB_OP_TYPE_BOOL:
        return MB_SCALAR_BOOL;
    case MB_OP_TYPE_INT: {
        const uint32_t n_bits = mb_word_of(m, type, 2);
        const bool is_signed = mb_word_of(m, type, 3) != 0;
        return n_bits == 32   ? (is_signed ? MB_SCALAR_I32 : MB_SCALAR_U32)
               : n_bits == 64 ? (is_signed ? MB_SCALAR_I64 : MB_SCALAR_U64)
                              : MB_SCALAR_OTHER;
    }
    case MB_OP_TYPE_FLOAT: {
        const uint32_t n_bits = mb_word_of(m, type, 2);
        return n_bits == 32 ? MB_SCALAR_F32 : n_bits == 64 ? MB_SCALAR_F64 : MB_SCALAR_OTHER;
    }
    case MB_OP_TYPE_FORWARD_POINTER:
    case MB_OP_TYPE_POINTER:
        return mb_word_of(m, type, 2) == MB_STORAGE_PHYSICAL_STORAGE_BUFFER ? MB_SCALAR_U64
                                                                            : MB_SCALAR_OTHER;
    default:
        return MB_SCALAR_OTHER;
    }
}

/* How far the members of a block reach; a matrix is as wide as its decorations say. */
struct matrix {
    uint32_t stride;
    bool is_row_major;
};

static uint32_t member_bytes(const struct mb_module *m, uint32_t type,
                             const struct matrix *matrix)
{
    if (mb_op_of(m, type) != MB_OP_TYPE_MATRIX || matrix->stride == 0) {
        return mb_id_of(m, type)->value;
    }
    const uint32_t column = mb_word_of(m, type, 2), n_columns = mb_word_of(m, type, 3);
    if (!matrix->is_row_major || mb_op_of(m, column) != MB_OP_TYPE_VECTOR) {
        return mb_bytes_of_elements(n_columns, matrix->stride, mb_id_of(m, column)->value);
    }
    const uint32_t scalar_bytes = mb_id_of(m, mb_word_of(m, column, 2))->value;
    return mb_bytes_of_elements(mb_word_of(m, column, 3), matrix->stride,
                                mb_bytes_of_elements(n_columns, 0, scalar_bytes));
}

static void read_member_type(const struct mb_module *m, uint32_t type,
                             struct mb_spirv_member *member)
{
    member->n_elements = 1;
    member->n_components = 1;
    const uint32_t op = mb_op_of(m, type);
    if (op == MB_OP_TYPE_ARRAY || op == MB_OP_TYPE_RUNTIME_ARRAY) {
        const struct mb_id *length =
            mb_id_of(m, op == MB_OP_TYPE_ARRAY ? mb_word_of(m, type, 3) : 0);
        member->n_elements = length->is_known ? length->value : 0;
        member->stride_bytes = mb_decorations_of(m, type)->stride;
        type = mb_word_of(m, type, 2);
    }
    if (mb_op_of(m, type) == MB_OP_TYPE_VECTOR) {
        member->n_components = mb_word_of(m, type, 3);
        type = mb_word_of(m, type, 2);
    }
    member->scalar = scalar_of(m, type);
}

/* Names, offsets and matrices of a structure's members, from all over the annotations. */
static enum mb_status read_annotations(const struct mb_module *m, uint32_t type,
                                       struct mb_spirv_member *members,
                                       struct matrix matrices[MB_SPIRV_MAX_MEMBERS])
{
    const uint32_t n_members = mb_words_at(m, m->ids[type].at) - MB_FIRST_OF_STRUCT;
    for (uint32_t at = MB_N_HEADER_WORDS; at < m->first_function; at += mb_words_at(m, at)) {
        const uint32_t *words = &m->words[at], op = mb_op_at(m, at);
        if ((op != MB_OP_MEMBER_NAME && op != MB_OP_MEMBER_DECORATE) || words[1] != type) {
            continue;
        }
        MB_REFUSE_IF(words[2] >= n_members, m,
                     "damaged SPIR-V: word %u names a member that is not there", at);
        struct mb_spirv_member *member = &members[words[2]];
        struct matrix *matrix = &matrices[words[2]];
        if (op == MB_OP_MEMBER_NAME) {
            const char *name = mb_literal(m, at, 3);
            MB_REFUSE_IF(name == NULL, m, "damaged SPIR-V: a name at word %u has no end", at);
            mb_utf8_sanitize(name, member->name, sizeof member->name);
        } else if (words[3] == MB_DECORATION_OFFSET) {
            member->offset_bytes = words[4];
        } else if (words[3] == MB_DECORATION_MATRIX_STRIDE) {
            matrix->stride = words[4];
        } else {
            matrix->is_row_major |= words[3] == MB_DECORATION_ROW_MAJOR;
        }
    }
    return MB_OK;
}

static enum mb_status add_block(struct reader *r, const struct mb_spirv_block *place,
                                uint32_t type, const char *name)
{
    const struct mb_module *m = r->m;
    struct matrix matrices[MB_SPIRV_MAX_MEMBERS] = {0};
    struct mb_spirv *spirv = r->spirv;
    const uint32_t n_members = mb_words_at(m, m->ids[type].at) - MB_FIRST_OF_STRUCT;
    MB_REFUSE_IF(spirv->n_blocks == MB_SPIRV_MAX_BLOCKS ||
                     n_members > MB_SPIRV_MAX_MEMBERS - spirv->n_members,
                 m, "%s: the blocks of a module have at most %u members", name,
                 MB_SPIRV_MAX_MEMBERS);
    struct mb_spirv_block *block = &spirv->blocks[spirv->n_blocks++];
    struct mb_spirv_member *members = &spirv->members[spirv->n_members];
    *block = *place;
    block->first_member = spirv->n_members;
    block->n_members = n_members;
    spirv->n_members += n_members;
    MB_DO(read_annotations(m, type, members, matrices));
    for (uint32_t i = 0; i < n_members; i++) {
        const uint32_t member_type = mb_word_of(m, type, MB_FIRST_OF_STRUCT + i);
        const uint64_t end =
            (uint64_t)members[i].offset_bytes + member_bytes(m, member_type, &matrices[i]);
        read_member_type(m, member_type, &members[i]);
        block->n_bytes = end > block->n_bytes ? mb_at_most_32_bits(end) : block->n_bytes;
    }
    return MB_OK;
}

/* ---- Variables */

/* A variable that is bound, less its arrays. */
struct resource {
    uint32_t type, set, binding, n_descriptors;
    VkDescriptorType kind;
    struct mb_spirv_use use;
};

/* Less its arrays, whose lengths multiply. */
static enum mb_status read_lengths(const struct mb_module *m, struct resource *resource)
{
    uint64_t n_descriptors = 1;
    for (uint32_t depth = 0;; depth++) {
        const uint32_t op = mb_op_of(m, resource->type);
        if (op != MB_OP_TYPE_ARRAY && op != MB_OP_TYPE_RUNTIME_ARRAY) {
            break;
        }
        MB_REFUSE_IF(depth == MAX_NESTED, m, "%s: arrays of arrays, more than %u deep",
                     resource->use.name, MAX_NESTED);
        if (op == MB_OP_TYPE_ARRAY) {
            const struct mb_id *length = mb_id_of(m, mb_word_of(m, resource->type, 3));
            const uint32_t spec_id =
                mb_decorations_of(m, mb_word_of(m, resource->type, 3))->spec_id;
            MB_REFUSE_IF(!length->is_known, m,
                         "%s: the number of descriptors cannot be worked out",
                         resource->use.name);
            if (length->is_specialised) {
                resource->use.has_special_length = true;
                resource->use.length_spec_id = spec_id;
            }
            n_descriptors *= length->value;
        } else {
            n_descriptors *= MB_SPIRV_UNBOUNDED;
        }
        MB_REFUSE_IF(n_descriptors == 0 || n_descriptors > MAX_ARRAY, m,
                     "%s: an array of %llu descriptors, not of 1 to %u", resource->use.name,
                     (unsigned long long)n_descriptors, MAX_ARRAY);
        resource->type = mb_word_of(m, resource->type, 2);
    }
    resource->n_descriptors = (uint32_t)n_descriptors;
    return MB_OK;
}

static enum mb_status read_image(const struct mb_module *m, uint32_t type,
                                 struct resource *resource)
{
    const char *name = resource->use.name;
    const uint32_t dim = mb_word_of(m, type, 3), sampled = mb_word_of(m, type, 7);
    MB_REFUSE_IF(dim == DIM_BUFFER, m, "%s: a texel buffer, which cannot be bound here", name);
    MB_REFUSE_IF(dim == DIM_SUBPASS, m, "%s: an input attachment, which cannot be bound here",
                 name);
    MB_REFUSE_IF(sampled != 1 && sampled != 2, m,
                 "%s: an image for neither sampling nor storing", name);
    resource->kind =
        sampled == 1 ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    resource->use.is_2d = dim == DIM_2D && mb_word_of(m, type, 6) == 0;
    resource->use.is_arrayed = mb_word_of(m, type, 5) != 0;
    resource->use.image_format = sampled == 2 ? mb_word_of(m, type, 8) : 0;
    resource->use.texel = scalar_of(m, mb_word_of(m, type, 2));
    return MB_OK;
}

/* What kind of descriptor a variable of this type in this storage class is. */
static enum mb_status read_kind(const struct mb_module *m, uint32_t storage,
                                struct resource *resource)
{
    const uint32_t type = resource->type, op = mb_op_of(m, type);
    const char *name = resource->use.name;
    if (storage != MB_STORAGE_UNIFORM_CONSTANT) {
        MB_REFUSE_IF(op != MB_OP_TYPE_STRUCT, m, "%s: a buffer without a block", name);
        const struct mb_decorations *d = mb_decorations_of(m, type);
        const uint32_t n_members = mb_words_at(m, m->ids[type].at) - MB_FIRST_OF_STRUCT;
        const bool is_storage = storage == MB_STORAGE_STORAGE_BUFFER || d->is_buffer_block;
        resource->kind =
            is_storage ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        resource->use.only_reads |=
            !is_storage || (n_members > 0 && d->n_not_written >= n_members);
        resource->use.only_writes |= n_members > 0 && d->n_not_read >= n_members;
        return MB_OK;
    }
    switch (op) {
    case MB_OP_TYPE_IMAGE:
        return read_image(m, type, resource);
    case MB_OP_TYPE_SAMPLER:
        resource->kind = VK_DESCRIPTOR_TYPE_SAMPLER;
        return MB_OK;
    case MB_OP_TYPE_SAMPLED_IMAGE:
        MB_REFUSE_IF(mb_op_of(m, mb_word_of(m, type, 2)) != MB_OP_TYPE_IMAGE, m,
                     "%s: a sampled image without an image", name);
        MB_DO(read_image(m, mb_word_of(m, type, 2), resource));
        resource->kind = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        return MB_OK;
    case MB_OP_TYPE_ACCELERATION_STRUCTURE:
        return mb_module_refuse(m, "%s: an acceleration structure, which cannot be bound here",
                                name);
    default:
        return mb_module_refuse(m, "%s: a kind of descriptor that is not known here", name);
    }
}

/* An image and a sampler may share a binding: together they are a combined one (Vulkan, 15.5.3
 * "DescriptorSet and Binding Assignment"). */
static bool join_kinds(VkDescriptorType *kind, VkDescriptorType other)
{
    const VkDescriptorType kinds[] = {*kind, other};
    if (*kind == other) {
        return true;
    }
    for (size_t i = 0; i < MB_COUNTOF(kinds); i++) {
        if (kinds[i] != VK_DESCRIPTOR_TYPE_SAMPLER &&
            kinds[i] != VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE &&
            kinds[i] != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
            return false;
        }
    }
    *kind = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    return true;
}

/* A second variable of one binding: the use that is not a sampler's is the image's. */
static enum mb_status join(const struct mb_module *m, struct mb_binding *binding,
                           struct mb_spirv_use *use, const struct resource *resource)
{
    const bool was_sampler = binding->type == VK_DESCRIPTOR_TYPE_SAMPLER;
    const bool is_sampler = resource->kind == VK_DESCRIPTOR_TYPE_SAMPLER;
    MB_REFUSE_IF(!join_kinds(&binding->type, resource->kind), m,
                 "%s and %s, of different kinds, are both at binding %u of set %u", use->name,
                 resource->use.name, binding->binding, binding->set);
    MB_REFUSE_IF(binding->n_descriptors != resource->n_descriptors, m,
                 "%s and %s, of different lengths, are both at binding %u of set %u", use->name,
                 resource->use.name, binding->binding, binding->set);
    if (was_sampler && !is_sampler) {
        *use = resource->use;
    } else if (was_sampler == is_sampler) {
        use->is_2d &= resource->use.is_2d;
        use->only_reads &= resource->use.only_reads;
        use->only_writes &= resource->use.only_writes;
    }
    return MB_OK;
}

/* Keep them in order of set and binding. */
static enum mb_status add_resource(struct reader *r, const struct resource *resource)
{
    const struct mb_module *m = r->m;
    struct mb_spirv *spirv = r->spirv;
    struct mb_binding *bindings = spirv->tables->bindings;
    uint32_t n = spirv->shader.n_bindings, i = 0;
    const uint64_t key = (uint64_t)resource->set << 32 | resource->binding;
    while (i < n && ((uint64_t)bindings[i].set << 32 | bindings[i].binding) < key) {
        i++;
    }
    if (i < n && bindings[i].set == resource->set && bindings[i].binding == resource->binding) {
        return join(m, &bindings[i], &spirv->use[i], resource);
    }
    MB_REFUSE_IF(n == MB_MAX_BINDINGS, m, "%s: more than %u bindings", resource->use.name,
                 MB_MAX_BINDINGS);
    memmove(&bindings[i + 1], &bindings[i], (n - i) * sizeof *bindings);
    memmove(&spirv->use[i + 1], &spirv->use[i], (n - i) * sizeof *spirv->use);
    bindings[i] = (struct mb_binding){.set = resource->set,
                                      .binding = resource->binding,
                                      .type = resource->kind,
                                      .n_descriptors = resource->n_descriptors};
    spirv->use[i] = resource->use;
    spirv->shader.n_bindings++;
    spirv->shader.n_sets =
        resource->set >= spirv->shader.n_sets ? resource->set + 1 : spirv->shader.n_sets;
    if (resource->kind != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER &&
        resource->kind != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
        return MB_OK;
    }
    const struct mb_spirv_block place = {.set = resource->set, .binding = resource->binding};
    return add_block(r, &place, resource->type, resource->use.name);
}

static enum mb_status take_resource(struct reader *r, uint32_t id, uint32_t type,
                                    uint32_t storage)
{
    const struct mb_module *m = r->m;
    const struct mb_decorations *d = mb_decorations_of(m, id);
    struct resource resource = {.type = type, .set = d->set, .binding = d->binding};
    struct mb_spirv_use *use = &resource.use;
    mb_name_of(m, id, use->name);
    use->only_reads = d->is_not_written;
    use->only_writes = d->is_not_read;
    MB_DO(read_lengths(m, &resource));
    if (use->name[0] == '\0') {
        mb_name_of(m, resource.type, use->name);
    }
    MB_REFUSE_IF(d->set == MB_NONE || d->binding == MB_NONE, m, "%s: a descriptor without a %s",
                 use->name, d->set == MB_NONE ? "set" : "binding");
    MB_REFUSE_IF(d->set >= MB_MAX_SETS, m, "%s: descriptor set %u, of which there are %u",
                 use->name, d->set, MB_MAX_SETS);
    MB_REFUSE_IF(d->binding > MAX_BINDING, m, "%s: binding %u, of which %u is the largest",
                 use->name, d->binding, MAX_BINDING);
    MB_DO(read_kind(m, storage, &resource));
    return add_resource(r, &resource);
}

static enum mb_status take_push(struct reader *r, uint32_t id, uint32_t type)
{
    const struct mb_module *m = r->m;
    const struct mb_spirv_block place = {.is_push = true, .binding = UINT32_MAX};
    MB_REFUSE_IF(mb_op_of(m, type) != MB_OP_TYPE_STRUCT, m, "push constants without a block");
    MB_REFUSE_IF(r->push_id != 0, m,
                 "two blocks of push constants, in SPIR-V below 1.4, where an "
                 "entry point does not say which is its own");
    r->push_id = id;
    return add_block(r, &place, type, "push constants");
}

static enum mb_status take_variable(struct reader *r, uint32_t at)
{
    const struct mb_module *m = r->m;
    const uint32_t *words = &m->words[at], id = words[2], storage = words[3];
    MB_REFUSE_IF(mb_op_of(m, words[1]) != MB_OP_TYPE_POINTER, m,
                 "damaged SPIR-V: a variable at word %u is of no pointer's type", at);
    const uint32_t type = mb_word_of(m, words[1], 3);
    if (!m->is_all_used && !m->ids[id].is_used) {
        return MB_OK;
    }
    switch (storage) {
    case MB_STORAGE_UNIFORM_CONSTANT:
    case MB_STORAGE_UNIFORM:
    case MB_STORAGE_STORAGE_BUFFER:
        MB_DO(mb_need_type(m, type, at));
        return take_resource(r, id, type, storage);
    case MB_STORAGE_PUSH_CONSTANT:
        MB_DO(mb_need_type(m, type, at));
        return take_push(r, id, type);
    case MB_STORAGE_WORKGROUP:
        r->n_shared_bytes += mb_id_of(m, type)->is_specialised ? 0 : mb_id_of(m, type)->value;
        return MB_OK;
    default:
        return MB_OK;
    }
}

/* ---- Specialisation constants and the size of a workgroup */

/* Constants of other widths than 32 bits keep their defaults. Several constants may have one
 * SpecId, as the size of a workgroup and a name for it. */
static enum mb_status take_special(struct reader *r, uint32_t at)
{
    const struct mb_module *m = r->m;
    const uint32_t id = m->words[at + 2], type = m->words[at + 1];
    const uint32_t spec_id = mb_decorations_of(m, id)->spec_id;
    const enum mb_scalar scalar = scalar_of(m, type);
    struct mb_spirv *spirv = r->spirv;
    struct mb_spirv_tables *tables = spirv->tables;
    uint32_t n = spirv->shader.n_constants, i = 0;
    if (spec_id == MB_NONE || scalar > MB_SCALAR_BOOL) {
        return MB_OK;
    }
    while (i < n && spirv->constant_ids[i] < spec_id) {
        i++;
    }
    if (i == n || spirv->constant_ids[i] != spec_id) {
        MB_REFUSE_IF(n == MB_SPIRV_MAX_CONSTANTS, m, "more than %u specialisation constants",
                     MB_SPIRV_MAX_CONSTANTS);
        memmove(&tables->constants[i + 1], &tables->constants[i],
                (n - i) * sizeof *tables->constants);
        memmove(&tables->names[i + 1], &tables->names[i], (n - i) * sizeof *tables->names);
        memmove(&spirv->constant_ids[i + 1], &spirv->constant_ids[i],
                (n - i) * sizeof *spirv->constant_ids);
        memmove(&spirv->constant_scalars[i + 1], &spirv->constant_scalars[i],
                (n - i) * sizeof *spirv->constant_scalars);
        spirv->shader.n_constants++;
        tables->names[i][0] = '\0';
        tables->constants[i].value = m->ids[id].value;
        spirv->constant_ids[i] = spec_id;
        spirv->constant_scalars[i] = scalar;
    }
    if (tables->names[i][0] == '\0') {
        mb_name_of(m, id, tables->names[i]);
    }
    return MB_OK;
}

static enum mb_status take_size(const struct mb_module *m, uint32_t id, uint32_t *size,
                                uint32_t *spec_id)
{
    const struct mb_id *part = mb_id_of(m, id);
    MB_REFUSE_IF(!part->is_known, m, "the size of a workgroup cannot be worked out");
    *size = part->value;
    *spec_id =
        mb_op_of(m, id) == MB_OP_SPEC_CONSTANT ? mb_decorations_of(m, id)->spec_id : MB_NONE;
    return MB_OK;
}

static enum mb_status take_mode(struct reader *r, uint32_t at)
{
    const struct mb_module *m = r->m;
    const uint32_t *words = &m->words[at];
    const bool is_id = mb_op_at(m, at) == MB_OP_EXECUTION_MODE_ID;
    if (words[1] != m->words[m->entry_at + 2] ||
        words[2] != (is_id ? MODE_LOCAL_SIZE_ID : MODE_LOCAL_SIZE)) {
        return MB_OK;
    }
    MB_REFUSE_IF(mb_words_at(m, at) != 6, m,
                 "damaged SPIR-V: a size of a workgroup has not three parts");
    for (uint32_t i = 0; i < 3; i++) {
        if (is_id) {
            MB_DO(
                take_size(m, words[3 + i], &r->spirv->workgroup_size[i], &r->size_spec_ids[i]));
        } else {
            r->spirv->workgroup_size[i] = words[3 + i];
        }
    }
    return MB_OK;
}

/* gl_WorkGroupSize, where there is one, comes before LocalSize. */
static enum mb_status finish_size(struct reader *r)
{
    const struct mb_module *m = r->m;
    static const char axes[] = "xyz";
    struct mb_spirv *spirv = r->spirv;
    for (uint32_t i = 0; i < 3; i++) {
        if (m->sizes_at != 0) {
            MB_DO(take_size(m, m->words[m->sizes_at + i], &spirv->workgroup_size[i],
                            &r->size_spec_ids[i]));
        }
        MB_REFUSE_IF(spirv->workgroup_size[i] == 0, m, "a workgroup without a size along %c",
                     axes[i]);
        for (uint32_t k = 0; k < spirv->shader.n_constants; k++) {
            if (r->size_spec_ids[i] == MB_NONE ||
                spirv->constant_ids[k] != r->size_spec_ids[i]) {
                continue;
            }
            spirv->size_constants[i] = k;
            if (spirv->tables->names[k][0] == '\0') {
                snprintf(spirv->tables->names[k], MB_SPIRV_NAME_BYTES, "gl_WorkGroupSize.%c",
                         axes[i]);
            }
        }
    }
    return MB_OK;
}

/* The second pass. */
static enum mb_status take_all(struct reader *r)
{
    const struct mb_module *m = r->m;
    for (uint32_t at = MB_N_HEADER_WORDS; at < m->first_function; at += mb_words_at(m, at)) {
        switch (mb_op_at(m, at)) {
        case MB_OP_VARIABLE:
            MB_DO(take_variable(r, at));
            break;
        case MB_OP_SPEC_CONSTANT:
        case MB_OP_SPEC_CONSTANT_TRUE:
        case MB_OP_SPEC_CONSTANT_FALSE:
            MB_DO(take_special(r, at));
            break;
        case MB_OP_EXECUTION_MODE:
        case MB_OP_EXECUTION_MODE_ID:
            MB_DO(take_mode(r, at));
            break;
        default:
            break;
        }
    }
    return finish_size(r);
}

/* ---- The copy */

static void point_to_tables(struct mb_spirv *spirv)
{
    struct mb_spirv_tables *tables = spirv->tables;
    for (uint32_t i = 0; i < spirv->shader.n_constants; i++) {
        bool is_taken = tables->names[i][0] == '\0';
        for (uint32_t k = 0; k < i; k++) {
            is_taken = is_taken || strcmp(tables->names[i], tables->names[k]) == 0;
        }
        if (is_taken) { /* values are passed by name: each has one of its own */
            snprintf(tables->names[i], sizeof tables->names[i], "SpecId %u",
                     spirv->constant_ids[i]);
        }
        tables->constants[i].name = tables->names[i];
        tables->entries[i] = (VkSpecializationMapEntry){
            .constantID = spirv->constant_ids[i], .offset = 4 * i, .size = 4};
    }
    spirv->shader.code = tables->code;
    spirv->shader.entry = tables->entry;
    spirv->shader.constants = tables->constants;
    spirv->shader.entries = tables->entries;
    spirv->shader.bindings = tables->bindings;
    spirv->shader.sha256 = tables->sha256;
}

/* ---- All of it */

static enum mb_status copy_code(struct mb_spirv *spirv, const char *path, const void *code,
                                size_t n_bytes, struct mb_err *err)
{
    MB_FAIL_IF(n_bytes == 0 || n_bytes % 4 != 0 || n_bytes / 4 > MAX_WORDS, err, MB_ERRC_INPUT,
               "%s: not a SPIR-V module: %zu bytes", path, n_bytes);
    spirv->tables = mb_alloc(1, sizeof *spirv->tables);
    MB_DO(MB_NEED(spirv->tables, path));
    spirv->tables->code = mb_malloc(n_bytes);
    MB_DO(MB_NEED(spirv->tables->code, path));
    memcpy(spirv->tables->code, code, n_bytes);
    mb_sha256_hex(code, n_bytes, spirv->tables->sha256);
    spirv->shader.code_bytes = n_bytes;
    return MB_OK;
}

static enum mb_status read_module(struct mb_spirv *spirv, const struct mb_module *m)
{
    struct reader r = {.m = m, .size_spec_ids = {MB_NONE, MB_NONE, MB_NONE}, .spirv = spirv};
    MB_DO(take_all(&r));
    spirv->shared_bytes = mb_at_most_32_bits(r.n_shared_bytes);
    spirv->n_capabilities = m->n_capabilities;
    memcpy(spirv->capabilities, m->capabilities, sizeof spirv->capabilities);
    struct mb_err *err = m->err;
    spirv->tables->entry = mb_strdup(m->entry);
    MB_DO(MB_NEED(spirv->tables->entry, m->path));
    point_to_tables(spirv);
    return MB_OK;
}

enum mb_status mb_spirv_init(struct mb_spirv *spirv, const char *path, const void *code,
                             size_t n_bytes, const char *entry, struct mb_err *err)
{
    enum mb_status status;
    struct mb_module module = {0};
    *spirv = (struct mb_spirv){.size_constants = {MB_NONE, MB_NONE, MB_NONE}};
    MB_TRY(copy_code(spirv, path, code, n_bytes, err));
    MB_TRY(mb_module_init(&module, path, spirv->tables->code, (uint32_t)(n_bytes / 4), entry,
                          err));
    MB_TRY(read_module(spirv, &module));
    mb_module_finish(&module);
    return MB_OK;
fail:
    mb_module_finish(&module);
    mb_spirv_finish(spirv);
    return status;
}

void mb_spirv_finish(struct mb_spirv *spirv)
{
    if (spirv->tables != NULL) {
        mb_free(spirv->tables->entry);
        mb_free(spirv->tables->code);
    }
    mb_free(spirv->tables);
    *spirv = (struct mb_spirv){0};
}

const struct mb_binding *mb_spirv_find(const struct mb_spirv *spirv, uint32_t set,
                                       uint32_t binding)
{
    for (uint32_t i = 0; i < spirv->shader.n_bindings; i++) {
        const struct mb_binding *found = &spirv->shader.bindings[i];
        if (found->set == set && found->binding == binding) {
            return found;
        }
    }
    return NULL;
}

const struct mb_spirv_block *mb_spirv_block(const struct mb_spirv *spirv, uint32_t set,
                                            uint32_t binding)
{
    for (uint32_t i = 0; i < spirv->n_blocks; i++) {
        const struct mb_spirv_block *block = &spirv->blocks[i];
        if (block->binding == binding && (block->is_push || block->set == set)) {
            return block;
        }
    }
    return NULL;
}
