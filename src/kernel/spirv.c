/* SPIRV-Tools validates, then SPIRV-Cross reflects: it takes for granted that a module is
 * valid, and dies of many that are not. */
#include "kernel/spirv.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <spirv-tools/libspirv.h>
#include <spirv_cross_c.h>

#include "base/alloc.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "kernel/capability.h"

#define MAX_WORDS      (1u << 26)
#define N_HEADER_WORDS 5u
#define BOUND          3u          /* the word of the header that all ids are below */
#define NAME_OF_ENTRY  3u          /* the word of OpEntryPoint where its name begins */
#define VERSION_1_4    0x00010400u /* since which entry points list all their variables */
#define MAX_ARRAY      65536u      /* descriptors of one binding */
#define MAX_BINDING    65535u      /* drivers have tables up to the largest */
#define MAX_PARTS      65536u /* of types of shared memory, counted as often as they are there */

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
    const char *path;
    spvc_context context;
    spvc_compiler compiler;
    struct mb_spirv *spirv;
    uint32_t n_parts;
    struct mb_err *err;
};

MB_PRINTF(2, 3)
static enum mb_status refuse(const struct reader *r, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    mb_utf8_sanitize_format(text, sizeof text, fmt, args);
    va_end(args);
    return MB_FAIL(r->err, MB_ERRC_INPUT, "%s: %s", r->path, text);
}

#define REFUSE_IF(is_wrong, r, ...)                                                            \
    do {                                                                                       \
        if (is_wrong) {                                                                        \
            return refuse(r, __VA_ARGS__);                                                     \
        }                                                                                      \
    } while (0)

#define CROSS(r, call)                                                                         \
    REFUSE_IF((call) != SPVC_SUCCESS, r, "SPIRV-Cross: %s",                                    \
              spvc_context_get_last_error_string((r)->context))

/* Layouts as all features of Vulkan 1.3 together allow them: a device that lacks one is named
 * by its driver. */
static enum mb_status validate(const struct reader *r, const uint32_t *words, size_t n_words)
{
    spv_context context = spvContextCreate(SPV_ENV_VULKAN_1_3);
    spv_validator_options options = spvValidatorOptionsCreate();
    spv_diagnostic diagnostic = NULL;
    spv_const_binary_t binary = {.code = words, .wordCount = n_words};
    spvValidatorOptionsSetScalarBlockLayout(options, true);
    spvValidatorOptionsSetWorkgroupScalarBlockLayout(options, true);
    spvValidatorOptionsSetAllowLocalSizeId(options, true);
    const spv_result_t result = spvValidateWithOptions(context, options, &binary, &diagnostic);
    enum mb_status status = MB_OK;
    if (result != SPV_SUCCESS) {
        const char *text = diagnostic != NULL ? diagnostic->error : "no reason was given";
        status = refuse(r, "invalid SPIR-V: %.*s", (int)strcspn(text, "\n"), text);
    }
    spvDiagnosticDestroy(diagnostic);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return status;
}

static void name_of(const struct reader *r, SpvId id, char out[MB_SPIRV_NAME_BYTES])
{
    mb_utf8_sanitize(spvc_compiler_get_name(r->compiler, id), out, MB_SPIRV_NAME_BYTES);
}

/* ---- Blocks */

static enum mb_scalar scalar_of(spvc_type type)
{
    if (spvc_type_get_storage_class(type) == SpvStorageClassPhysicalStorageBuffer) {
        return MB_SCALAR_U64;
    }
    if (spvc_type_get_columns(type) > 1 || spvc_type_get_num_array_dimensions(type) > 1) {
        return MB_SCALAR_OTHER;
    }
    switch (spvc_type_get_basetype(type)) {
    case SPVC_BASETYPE_BOOLEAN:
        return MB_SCALAR_BOOL;
    case SPVC_BASETYPE_INT32:
        return MB_SCALAR_I32;
    case SPVC_BASETYPE_UINT32:
        return MB_SCALAR_U32;
    case SPVC_BASETYPE_INT64:
        return MB_SCALAR_I64;
    case SPVC_BASETYPE_UINT64:
        return MB_SCALAR_U64;
    case SPVC_BASETYPE_FP32:
        return MB_SCALAR_F32;
    case SPVC_BASETYPE_FP64:
        return MB_SCALAR_F64;
    default:
        return MB_SCALAR_OTHER;
    }
}

static enum mb_status read_member(const struct reader *r, spvc_type block, uint32_t i,
                                  struct mb_spirv_member *member, size_t *n_bytes)
{
    const spvc_type type =
        spvc_compiler_get_type_handle(r->compiler, spvc_type_get_member_type(block, i));
    CROSS(r, spvc_compiler_type_struct_member_offset(r->compiler, block, i,
                                                     &member->offset_bytes));
    CROSS(r, spvc_compiler_get_declared_struct_member_size(r->compiler, block, i, n_bytes));
    mb_utf8_sanitize(
        spvc_compiler_get_member_name(r->compiler, spvc_type_get_base_type_id(block), i),
        member->name, sizeof member->name);
    member->scalar = scalar_of(type);
    member->n_components =
        spvc_type_get_columns(type) > 1 ? 1 : spvc_type_get_vector_size(type);
    member->n_elements = 1;
    if (spvc_type_get_num_array_dimensions(type) > 0) {
        CROSS(r, spvc_compiler_type_struct_member_array_stride(r->compiler, block, i,
                                                               &member->stride_bytes));
        REFUSE_IF(member->stride_bytes == 0, r, "%s: an array without a stride", member->name);
        member->n_elements = (uint32_t)(*n_bytes / member->stride_bytes);
    }
    return MB_OK;
}

static enum mb_status add_block(struct reader *r, const struct mb_spirv_block *place,
                                spvc_type_id id, const char *name)
{
    struct mb_spirv *spirv = r->spirv;
    const spvc_type type = spvc_compiler_get_type_handle(r->compiler, id);
    const uint32_t n_members = spvc_type_get_num_member_types(type);
    REFUSE_IF(spirv->n_blocks == MB_SPIRV_MAX_BLOCKS ||
                  n_members > MB_SPIRV_MAX_MEMBERS - spirv->n_members,
              r, "%s: the blocks of a module have at most %u members", name,
              MB_SPIRV_MAX_MEMBERS);
    struct mb_spirv_block *block = &spirv->blocks[spirv->n_blocks++];
    *block = *place;
    block->first_member = spirv->n_members;
    block->n_members = n_members;
    for (uint32_t i = 0; i < n_members; i++) {
        struct mb_spirv_member *member = &spirv->members[spirv->n_members++];
        size_t n_bytes = 0;
        MB_DO(read_member(r, type, i, member, &n_bytes));
        n_bytes += member->offset_bytes;
        REFUSE_IF(n_bytes > UINT32_MAX, r, "%s: a block of 4 GiB or more", name);
        block->n_bytes = n_bytes > block->n_bytes ? (uint32_t)n_bytes : block->n_bytes;
    }
    return MB_OK;
}

/* ---- Bindings */

struct resource {
    spvc_type_id block;
    struct mb_binding binding;
    struct mb_spirv_use use;
};

static enum mb_status read_length(const struct reader *r, spvc_type type,
                                  struct resource *resource)
{
    const spvc_compiler c = r->compiler;
    struct mb_spirv_use *use = &resource->use;
    const unsigned n_dimensions = spvc_type_get_num_array_dimensions(type);
    uint32_t n = n_dimensions > 0 ? spvc_type_get_array_dimension(type, 0) : 1;
    REFUSE_IF(n_dimensions > 1, r, "%s: an array of arrays", use->name);
    if (n_dimensions > 0 && !spvc_type_array_dimension_is_literal(type, 0)) {
        const SpvId id = n;
        const spvc_constant constant = spvc_compiler_get_constant_handle(c, id);
        REFUSE_IF(!constant || !spvc_compiler_has_decoration(c, id, SpvDecorationSpecId), r,
                  "%s: its length is computed from specialisation constants", use->name);
        n = spvc_constant_get_scalar_u32(constant, 0, 0);
        use->has_special_length = true;
        use->length_spec_id = spvc_compiler_get_decoration(c, id, SpvDecorationSpecId);
    } else if (n == 0) {
        n = MB_SPIRV_UNBOUNDED;
    }
    REFUSE_IF(n == 0 || n > MAX_ARRAY, r, "%s: an array of %u descriptors, not of 1 to %u",
              use->name, n, MAX_ARRAY);
    resource->binding.n_descriptors = n;
    return MB_OK;
}

static enum mb_status read_use(const struct reader *r, SpvId id, spvc_type type,
                               struct resource *resource)
{
    struct mb_spirv_use *use = &resource->use;
    const SpvDecoration *flags = NULL;
    size_t n_flags = 0;
    use->only_reads = spvc_compiler_has_decoration(r->compiler, id, SpvDecorationNonWritable);
    use->only_writes = spvc_compiler_has_decoration(r->compiler, id, SpvDecorationNonReadable);
    switch (resource->binding.type) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        CROSS(r, spvc_compiler_get_buffer_block_decorations(r->compiler, id, &flags, &n_flags));
        for (size_t i = 0; i < n_flags; i++) {
            use->only_reads |= flags[i] == SpvDecorationNonWritable;
            use->only_writes |= flags[i] == SpvDecorationNonReadable;
        }
        use->only_reads |= resource->binding.type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        return MB_OK;
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        return MB_OK;
    default:
        break;
    }
    const SpvDim dim = spvc_type_get_image_dimension(type);
    REFUSE_IF(dim == SpvDimBuffer, r, "%s: a texel buffer, which cannot be bound here",
              use->name);
    use->is_2d = dim == SpvDim2D && !spvc_type_get_image_multisampled(type);
    use->is_arrayed = spvc_type_get_image_arrayed(type);
    use->texel = scalar_of(
        spvc_compiler_get_type_handle(r->compiler, spvc_type_get_image_sampled_type(type)));
    if (resource->binding.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE) {
        use->image_format = spvc_type_get_image_storage_format(type);
    }
    return MB_OK;
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
static enum mb_status join(const struct reader *r, struct mb_binding *binding,
                           struct mb_spirv_use *use, const struct resource *resource)
{
    const bool was_sampler = binding->type == VK_DESCRIPTOR_TYPE_SAMPLER;
    const bool is_sampler = resource->binding.type == VK_DESCRIPTOR_TYPE_SAMPLER;
    REFUSE_IF(!join_kinds(&binding->type, resource->binding.type), r,
              "%s and %s, of different kinds, are both at binding %u of set %u", use->name,
              resource->use.name, binding->binding, binding->set);
    REFUSE_IF(binding->n_descriptors != resource->binding.n_descriptors, r,
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
    struct mb_spirv *spirv = r->spirv;
    struct mb_binding *bindings = spirv->tables->bindings;
    const struct mb_binding *own = &resource->binding;
    uint32_t n = spirv->shader.n_bindings, i = 0;
    const uint64_t key = (uint64_t)own->set << 32 | own->binding;
    while (i < n && ((uint64_t)bindings[i].set << 32 | bindings[i].binding) < key) {
        i++;
    }
    if (i < n && bindings[i].set == own->set && bindings[i].binding == own->binding) {
        return join(r, &bindings[i], &spirv->use[i], resource);
    }
    REFUSE_IF(n == MB_MAX_BINDINGS, r, "%s: more than %u bindings", resource->use.name,
              MB_MAX_BINDINGS);
    memmove(&bindings[i + 1], &bindings[i], (n - i) * sizeof *bindings);
    memmove(&spirv->use[i + 1], &spirv->use[i], (n - i) * sizeof *spirv->use);
    bindings[i] = *own;
    spirv->use[i] = resource->use;
    spirv->shader.n_bindings++;
    spirv->shader.n_sets =
        own->set >= spirv->shader.n_sets ? own->set + 1 : spirv->shader.n_sets;
    const struct mb_spirv_block place = {.set = own->set, .binding = own->binding};
    return resource->block != 0 ? add_block(r, &place, resource->block, resource->use.name)
                                : MB_OK;
}

static enum mb_status take_resource(struct reader *r, const spvc_reflected_resource *found,
                                    VkDescriptorType kind)
{
    const spvc_compiler c = r->compiler;
    const spvc_type type = spvc_compiler_get_type_handle(c, found->type_id);
    const bool is_buffer =
        kind == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || kind == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    struct resource resource = {.block = is_buffer ? found->base_type_id : 0,
                                .binding.type = kind};
    struct mb_binding *binding = &resource.binding;
    struct mb_spirv_use *use = &resource.use;
    name_of(r, found->id, use->name);
    if (use->name[0] == '\0') {
        name_of(r, found->base_type_id, use->name);
    }
    binding->set = spvc_compiler_get_decoration(c, found->id, SpvDecorationDescriptorSet);
    binding->binding = spvc_compiler_get_decoration(c, found->id, SpvDecorationBinding);
    REFUSE_IF(!spvc_compiler_has_decoration(c, found->id, SpvDecorationDescriptorSet) ||
                  !spvc_compiler_has_decoration(c, found->id, SpvDecorationBinding),
              r, "%s: a descriptor without a set or a binding", use->name);
    REFUSE_IF(binding->set >= MB_MAX_SETS, r, "%s: descriptor set %u, of which there are %u",
              use->name, binding->set, MB_MAX_SETS);
    REFUSE_IF(binding->binding > MAX_BINDING, r, "%s: binding %u, of which %u is the largest",
              use->name, binding->binding, MAX_BINDING);
    MB_DO(read_length(r, type, &resource));
    MB_DO(read_use(r, found->id, type, &resource));
    return add_resource(r, &resource);
}

static enum mb_status take_push(struct reader *r, const spvc_reflected_resource *found)
{
    const struct mb_spirv_block place = {.is_push = true, .binding = UINT32_MAX};
    REFUSE_IF(
        mb_spirv_block(r->spirv, 0, UINT32_MAX) != NULL, r,
        "two blocks of push constants, in SPIR-V below 1.4, where an entry point does not "
        "say which is its own");
    return add_block(r, &place, found->base_type_id, "push constants");
}

static enum mb_status refuse_resource(struct reader *r, const spvc_reflected_resource *found,
                                      const char *what)
{
    char name[MB_SPIRV_NAME_BYTES];
    name_of(r, found->id, name);
    return refuse(r, "%s: %s, which cannot be bound here", name, what);
}

/* What SPIRV-Cross lists for a compute shader, but its builtins. */
static enum mb_status read_resources(struct reader *r)
{
    static const struct {
        spvc_resource_type kind;
        VkDescriptorType type;
        const char *unbound;
    } kinds[] = {
        {SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, NULL},
        {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, NULL},
        {SPVC_RESOURCE_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, NULL},
        {SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, NULL},
        {SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, NULL},
        {SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, VK_DESCRIPTOR_TYPE_SAMPLER, NULL},
        {SPVC_RESOURCE_TYPE_PUSH_CONSTANT, 0, NULL},
        {SPVC_RESOURCE_TYPE_SUBPASS_INPUT, 0, "an input attachment"},
        {SPVC_RESOURCE_TYPE_ACCELERATION_STRUCTURE, 0, "an acceleration structure"},
    };
    spvc_resources resources = NULL;
    CROSS(r, spvc_compiler_create_shader_resources(r->compiler, &resources));
    for (size_t i = 0; i < MB_COUNTOF(kinds); i++) {
        const spvc_reflected_resource *list = NULL;
        size_t n = 0;
        CROSS(r,
              spvc_resources_get_resource_list_for_type(resources, kinds[i].kind, &list, &n));
        for (size_t k = 0; k < n; k++) {
            MB_DO(kinds[i].unbound != NULL ? refuse_resource(r, &list[k], kinds[i].unbound)
                  : kinds[i].kind == SPVC_RESOURCE_TYPE_PUSH_CONSTANT
                      ? take_push(r, &list[k])
                      : take_resource(r, &list[k], kinds[i].type));
        }
    }
    return MB_OK;
}

/* ---- Specialisation constants and the size of a workgroup */

static int compare_constants(const void *a, const void *b)
{
    const spvc_specialization_constant *x = a, *y = b;
    return x->constant_id != y->constant_id ? (x->constant_id < y->constant_id ? -1 : 1)
                                            : (x->id > y->id) - (x->id < y->id);
}

/* Constants of other widths than 32 bits keep their defaults. Several constants may have one
 * SpecId, as the size of a workgroup and a name for it. */
static enum mb_status add_constant(struct reader *r, const spvc_specialization_constant *found)
{
    struct mb_spirv *spirv = r->spirv;
    struct mb_spirv_tables *tables = spirv->tables;
    const spvc_constant constant = spvc_compiler_get_constant_handle(r->compiler, found->id);
    const enum mb_scalar scalar =
        scalar_of(spvc_compiler_get_type_handle(r->compiler, spvc_constant_get_type(constant)));
    uint32_t n = spirv->shader.n_constants;
    if (scalar > MB_SCALAR_BOOL) {
        return MB_OK;
    }
    if (n == 0 || spirv->constant_ids[n - 1] != found->constant_id) {
        REFUSE_IF(n == MB_SPIRV_MAX_CONSTANTS, r, "more than %u specialisation constants",
                  MB_SPIRV_MAX_CONSTANTS);
        tables->constants[n].value = spvc_constant_get_scalar_u32(constant, 0, 0);
        spirv->constant_ids[n] = found->constant_id;
        spirv->constant_scalars[n] = scalar;
        spirv->shader.n_constants = ++n;
    }
    if (tables->names[n - 1][0] == '\0') {
        name_of(r, found->id, tables->names[n - 1]);
    }
    return MB_OK;
}

static enum mb_status read_constants(struct reader *r)
{
    const spvc_specialization_constant *found = NULL;
    size_t n = 0;
    struct mb_err *err = r->err;
    CROSS(r, spvc_compiler_get_specialization_constants(r->compiler, &found, &n));
    MB_FREED spvc_specialization_constant *sorted = mb_alloc(n, sizeof *sorted);
    MB_DO(MB_NEED(sorted, r->path));
    if (n != 0) {
        memcpy(sorted, found, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, compare_constants);
    }
    for (size_t i = 0; i < n; i++) {
        MB_DO(add_constant(r, &sorted[i]));
    }
    return MB_OK;
}

/* gl_WorkGroupSize, where there is one, comes before LocalSize. A size that is computed from
 * constants has no handle, and the calls after it would not survive that. */
static enum mb_status read_size(struct reader *r)
{
    const spvc_compiler c = r->compiler;
    struct mb_spirv *spirv = r->spirv;
    for (unsigned i = 0; i < 3; i++) {
        const SpvId id = spvc_compiler_get_execution_mode_argument_by_index(
            c, SpvExecutionModeLocalSizeId, i);
        REFUSE_IF(id != 0 && spvc_compiler_get_constant_handle(c, id) == NULL, r,
                  "the size of a workgroup is computed from specialisation constants");
    }
    spvc_specialization_constant special[3];
    const spvc_constant_id whole = spvc_compiler_get_work_group_size_specialization_constants(
        c, &special[0], &special[1], &special[2]);
    const spvc_constant sizes = whole != 0 ? spvc_compiler_get_constant_handle(c, whole) : NULL;
    for (unsigned i = 0; i < 3; i++) {
        spirv->workgroup_size[i] = sizes != NULL
                                       ? spvc_constant_get_scalar_u32(sizes, 0, i)
                                       : spvc_compiler_get_execution_mode_argument_by_index(
                                             c, SpvExecutionModeLocalSize, i);
        REFUSE_IF(spirv->workgroup_size[i] == 0, r,
                  "a workgroup without a size along %c, or with one that is computed from "
                  "specialisation constants",
                  "xyz"[i]);
        for (uint32_t k = 0; k < spirv->shader.n_constants; k++) {
            if (special[i].id == 0 || spirv->constant_ids[k] != special[i].constant_id ||
                !spvc_compiler_has_decoration(c, special[i].id, SpvDecorationSpecId)) {
                continue;
            }
            spirv->size_constants[i] = k;
            if (spirv->tables->names[k][0] == '\0') {
                snprintf(spirv->tables->names[k], MB_SPIRV_NAME_BYTES, "gl_WorkGroupSize.%c",
                         "xyz"[i]);
            }
        }
    }
    return MB_OK;
}

/* Values are passed by name: each constant has one of its own. */
static void name_constants(struct mb_spirv *spirv)
{
    struct mb_spirv_tables *tables = spirv->tables;
    for (uint32_t i = 0; i < spirv->shader.n_constants; i++) {
        bool is_taken = tables->names[i][0] == '\0';
        for (uint32_t k = 0; k < i; k++) {
            is_taken = is_taken || strcmp(tables->names[i], tables->names[k]) == 0;
        }
        if (is_taken) {
            snprintf(tables->names[i], sizeof tables->names[i], "SpecId %u",
                     spirv->constant_ids[i]);
        }
        tables->constants[i].name = tables->names[i];
        tables->entries[i] = (VkSpecializationMapEntry){
            .constantID = spirv->constant_ids[i], .offset = 4 * i, .size = 4};
    }
}

/* ---- Shared memory, which SPIRV-Cross lists nothing of */

/* Of a type without padding; 0 where a length is specialised. An address may lead to its own
 * type, and is not followed. */
static enum mb_status count_bytes(struct reader *r, spvc_type_id id, uint64_t *n_bytes)
{
    const spvc_type type = spvc_compiler_get_type_handle(r->compiler, id);
    REFUSE_IF(type == NULL || ++r->n_parts > MAX_PARTS, r,
              "shared memory of more than %u parts", MAX_PARTS);
    const unsigned n_bits = spvc_type_get_bit_width(type);
    uint64_t n = (uint64_t)(n_bits < 8 ? 32 : n_bits) / 8 * spvc_type_get_vector_size(type) *
                 spvc_type_get_columns(type);
    if (spvc_type_get_storage_class(type) == SpvStorageClassPhysicalStorageBuffer) {
        n = sizeof(uint64_t);
    } else if (spvc_type_get_basetype(type) == SPVC_BASETYPE_STRUCT) {
        n = 0;
        for (unsigned i = 0; i < spvc_type_get_num_member_types(type); i++) {
            uint64_t n_member = 0;
            MB_DO(count_bytes(r, spvc_type_get_member_type(type, i), &n_member));
            n += n_member;
        }
    }
    for (unsigned i = 0; i < spvc_type_get_num_array_dimensions(type); i++) {
        n = n > UINT32_MAX ? UINT32_MAX : n;
        n *= spvc_type_array_dimension_is_literal(type, i)
                 ? spvc_type_get_array_dimension(type, i)
                 : 0;
    }
    *n_bytes = n > UINT32_MAX ? UINT32_MAX : n;
    return MB_OK;
}

/* Whether an OpEntryPoint names `id` in its interface. */
static bool lists(const uint32_t *entry, uint32_t id)
{
    const char *name = (const char *)&entry[NAME_OF_ENTRY];
    for (size_t i = NAME_OF_ENTRY + strlen(name) / 4 + 1; i < entry[0] >> 16; i++) {
        if (entry[i] == id) {
            return true;
        }
    }
    return false;
}

/* By what pointers to shared memory point to: SPIRV-Cross tells one to an address from the
 * address in nothing. */
static enum mb_status read_shared(struct reader *r, const uint32_t *words, size_t n_words)
{
    struct mb_err *err = r->err;
    const uint32_t *entry = NULL;
    uint64_t n_bytes = 0;
    MB_FREED uint32_t *pointees = mb_alloc(words[BOUND], sizeof *pointees);
    MB_DO(MB_NEED(pointees, r->path));
    for (size_t at = N_HEADER_WORDS; at < n_words; at += words[at] >> 16) {
        const uint32_t *word = &words[at], op = word[0] & 0xffffu;
        if (op == SpvOpEntryPoint && word[1] == SpvExecutionModelGLCompute &&
            strcmp((const char *)&word[NAME_OF_ENTRY], r->spirv->shader.entry) == 0) {
            entry = word;
        }
        if (op == SpvOpTypePointer) {
            pointees[word[1]] = word[3];
        }
        if (op == SpvOpVariable && word[3] == SpvStorageClassWorkgroup &&
            (words[1] < VERSION_1_4 || lists(entry, word[2]))) {
            uint64_t n = 0;
            MB_DO(count_bytes(r, pointees[word[1]], &n));
            n_bytes += n;
        }
    }
    r->spirv->shared_bytes = n_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)n_bytes;
    return MB_OK;
}

/* ---- The module as a whole */

static enum mb_status choose_entry(const struct reader *r)
{
    MB_SCOPED(mb_strbuf) names = {0};
    const char *wanted = r->spirv->shader.entry;
    const spvc_entry_point *entries = NULL;
    size_t n = 0, n_compute = 0, n_named = 0;
    CROSS(r, spvc_compiler_get_entry_points(r->compiler, &entries, &n));
    for (size_t i = 0; i < n; i++) {
        n_compute += entries[i].execution_model == SpvExecutionModelGLCompute;
    }
    REFUSE_IF(n_compute == 0, r, "no compute shader: it has no entry point of one");
    for (size_t i = 0; i < n; i++) {
        if (entries[i].execution_model != SpvExecutionModelGLCompute) {
            continue;
        }
        if (strcmp(entries[i].name, wanted) == 0) {
            CROSS(r, spvc_compiler_set_entry_point(r->compiler, wanted,
                                                   SpvExecutionModelGLCompute));
            return MB_OK;
        }
        mb_strbuf_list(&names, entries[i].name, n_named++, n_compute);
    }
    MB_DO(mb_strbuf_check(&names, r->err));
    return refuse(r, "no entry point '%s': there is %s", wanted, mb_strbuf_text(&names));
}

static enum mb_status add_capability(const struct reader *r, uint32_t number)
{
    REFUSE_IF(r->spirv->n_capabilities == MB_SPIRV_MAX_CAPABILITIES, r,
              "more than %u capabilities", MB_SPIRV_MAX_CAPABILITIES);
    r->spirv->capabilities[r->spirv->n_capabilities++] = number;
    return MB_OK;
}

static enum mb_status read_capabilities(const struct reader *r)
{
    const SpvCapability *list = NULL;
    const SpvExecutionMode *modes = NULL;
    size_t n = 0;
    CROSS(r, spvc_compiler_get_declared_capabilities(r->compiler, &list, &n));
    for (size_t i = 0; i < n; i++) {
        MB_DO(add_capability(r, list[i]));
    }
    CROSS(r, spvc_compiler_get_execution_modes(r->compiler, &modes, &n));
    for (size_t i = 0; i < n; i++) {
        const uint32_t number = MB_SPIRV_MODE | (uint32_t)modes[i];
        MB_DO(mb_spirv_capability_find(number) != NULL ? add_capability(r, number) : MB_OK);
    }
    return MB_OK;
}

static enum mb_status read_all(struct reader *r, const uint32_t *words, size_t n_words)
{
    spvc_parsed_ir ir = NULL;
    CROSS(r, spvc_context_parse_spirv(r->context, words, n_words, &ir));
    CROSS(r, spvc_context_create_compiler(r->context, SPVC_BACKEND_NONE, ir,
                                          SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &r->compiler));
    MB_DO(choose_entry(r));
    MB_DO(read_capabilities(r));
    MB_DO(read_resources(r));
    MB_DO(read_constants(r));
    MB_DO(read_size(r));
    name_constants(r->spirv);
    return read_shared(r, words, n_words);
}

static enum mb_status read_module(struct mb_spirv *spirv, const char *path, struct mb_err *err)
{
    struct reader r = {.path = path, .spirv = spirv, .err = err};
    const uint32_t *words = spirv->shader.code;
    const size_t n_words = spirv->shader.code_bytes / 4;
    /* The validator also takes modules of the other order of bytes, which no driver does. */
    REFUSE_IF(words[0] != SpvMagicNumber, &r, "not a SPIR-V module: it does not begin as one");
    MB_DO(validate(&r, words, n_words));
    MB_DO(MB_NEED(spvc_context_create(&r.context) == SPVC_SUCCESS, path));
    const enum mb_status status = read_all(&r, words, n_words);
    spvc_context_destroy(r.context);
    return status;
}

static enum mb_status copy_code(struct mb_spirv *spirv, const char *path, const void *code,
                                size_t n_bytes, const char *entry, struct mb_err *err)
{
    MB_FAIL_IF(n_bytes == 0 || n_bytes % 4 != 0 || n_bytes / 4 > MAX_WORDS, err, MB_ERRC_INPUT,
               "%s: not a SPIR-V module: %zu bytes", path, n_bytes);
    spirv->tables = mb_alloc(1, sizeof *spirv->tables);
    MB_DO(MB_NEED(spirv->tables, path));
    spirv->tables->code = mb_malloc(n_bytes);
    MB_DO(MB_NEED(spirv->tables->code, path));
    memcpy(spirv->tables->code, code, n_bytes);
    spirv->tables->entry = mb_strdup(entry);
    MB_DO(MB_NEED(spirv->tables->entry, path));
    mb_sha256_hex(code, n_bytes, spirv->tables->sha256);
    spirv->shader = (struct mb_shader){.code = spirv->tables->code,
                                       .code_bytes = n_bytes,
                                       .entry = spirv->tables->entry,
                                       .constants = spirv->tables->constants,
                                       .entries = spirv->tables->entries,
                                       .bindings = spirv->tables->bindings,
                                       .sha256 = spirv->tables->sha256};
    return MB_OK;
}

enum mb_status mb_spirv_init(struct mb_spirv *spirv, const char *path, const void *code,
                             size_t n_bytes, const char *entry, struct mb_err *err)
{
    enum mb_status status;
    *spirv = (struct mb_spirv){.size_constants = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
    MB_TRY(copy_code(spirv, path, code, n_bytes, entry, err));
    MB_TRY(read_module(spirv, path, err));
    return MB_OK;
fail:
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
