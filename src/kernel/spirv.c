/* Reads SPIR-V: SPIRV-Tools validates a module, then SPIRV-Cross reflects it. SPIRV-Cross
 * expects a valid module, and crashes on many invalid ones. */
#include "kernel/spirv.h"

#include <stdio.h>
#include <string.h>

#include <spirv-tools/libspirv.h>
#include <spirv_cross_c.h>

#include "base/os.h"
#include "base/text.h"

#define MAX_ARRAY   65536u /* descriptors of one binding */
#define MAX_BINDING 65535u /* drivers make tables up to the largest binding */

struct reader {
    spvc_context context;
    spvc_compiler compiler;
    struct mb_spirv *spirv;
    struct mb_err *err;
};

#define REFUSE_IF(is_wrong, r, ...) MB_FAIL_IF(is_wrong, (r)->err, MB_ERRC_INPUT, __VA_ARGS__)

#define CROSS(r, call)                                                                         \
    REFUSE_IF((call) != SPVC_SUCCESS, r, "SPIRV-Cross: %s",                                    \
              spvc_context_get_last_error_string((r)->context))

/* Validate a module. Allow the layouts of all features of Vulkan 1.3; if a device lacks a
 * feature, its driver reports it. */
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
        status = MB_FAIL(r->err, MB_ERRC_INPUT, "invalid SPIR-V: %.*s",
                         (int)strcspn(text, "\n"), text);
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
    if (spvc_type_get_num_array_dimensions(type) > 1) {
        return MB_SCALAR_OTHER;
    }
    switch (spvc_type_get_basetype(type)) {
    case SPVC_BASETYPE_BOOLEAN:
        return MB_SCALAR_BOOL;
    case SPVC_BASETYPE_INT32:
        return MB_SCALAR_I32;
    case SPVC_BASETYPE_UINT32:
        return MB_SCALAR_U32;
    case SPVC_BASETYPE_UINT64:
        return MB_SCALAR_U64;
    case SPVC_BASETYPE_FP32:
        return MB_SCALAR_F32;
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
    const unsigned n_columns = spvc_type_get_columns(type);
    const unsigned n_scalar = mb_scalar_bytes(member->scalar);
    member->n_rows = spvc_type_get_vector_size(type);
    member->n_components = member->n_rows * n_columns;
    member->row_bytes = n_scalar;
    if (n_columns > 1) {
        unsigned stride;
        CROSS(r,
              spvc_compiler_type_struct_member_matrix_stride(r->compiler, block, i, &stride));
        const bool is_by_row = spvc_compiler_has_member_decoration(
            r->compiler, spvc_type_get_base_type_id(block), i, SpvDecorationRowMajor);
        member->row_bytes = is_by_row ? stride : n_scalar;
        member->column_bytes = is_by_row ? n_scalar : stride;
    }
    member->n_elements = 1;
    if (spvc_type_get_num_array_dimensions(type) > 0) {
        CROSS(r, spvc_compiler_type_struct_member_array_stride(r->compiler, block, i,
                                                               &member->stride_bytes));
        REFUSE_IF(member->stride_bytes == 0, r, "%s: an array without a stride", member->name);
        member->n_elements = (uint32_t)(*n_bytes / member->stride_bytes);
    }
    return MB_OK;
}

static enum mb_status read_block(struct reader *r, spvc_type_id id,
                                 struct mb_spirv_block *block)
{
    struct mb_spirv *spirv = r->spirv;
    const spvc_type type = spvc_compiler_get_type_handle(r->compiler, id);
    const uint32_t n_members = spvc_type_get_num_member_types(type);
    REFUSE_IF(n_members > MB_SPIRV_MAX_MEMBERS - spirv->n_members, r,
              "the blocks of a module have at most %u members", MB_SPIRV_MAX_MEMBERS);
    *block = (struct mb_spirv_block){spirv->n_members, n_members, 0};
    for (uint32_t i = 0; i < n_members; i++) {
        struct mb_spirv_member *member = &spirv->members[spirv->n_members++];
        size_t n_bytes = 0;
        MB_DO(read_member(r, type, i, member, &n_bytes));
        n_bytes += member->offset_bytes;
        REFUSE_IF(n_bytes > UINT32_MAX, r, "a block of 4 GiB or more");
        block->n_bytes = n_bytes > block->n_bytes ? (uint32_t)n_bytes : block->n_bytes;
    }
    return MB_OK;
}

/* ---- Bindings */

static enum mb_status read_use(struct reader *r, const spvc_reflected_resource *found,
                               spvc_type type, VkDescriptorType kind, struct mb_spirv_use *use)
{
    const SpvId id = found->id;
    const SpvDecoration *flags = NULL;
    size_t n_flags = 0;
    use->only_reads = kind == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
                      spvc_compiler_has_decoration(r->compiler, id, SpvDecorationNonWritable);
    if (kind == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
        kind == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
        MB_DO(read_block(r, found->base_type_id, &use->block));
        CROSS(r, spvc_compiler_get_buffer_block_decorations(r->compiler, id, &flags, &n_flags));
        for (size_t i = 0; i < n_flags; i++) {
            use->only_reads |= flags[i] == SpvDecorationNonWritable;
        }
    } else if (kind != VK_DESCRIPTOR_TYPE_SAMPLER) {
        use->is_2d = spvc_type_get_image_dimension(type) == SpvDim2D &&
                     !spvc_type_get_image_multisampled(type);
        use->is_arrayed = spvc_type_get_image_arrayed(type);
        use->texel = scalar_of(
            spvc_compiler_get_type_handle(r->compiler, spvc_type_get_image_sampled_type(type)));
        use->image_format = kind == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                ? (uint32_t)spvc_type_get_image_storage_format(type)
                                : 0;
    }
    return MB_OK;
}

/* Insert a binding in order of set and binding. */
static enum mb_status add_resource(struct reader *r, const struct mb_binding *own,
                                   const struct mb_spirv_use *use)
{
    struct mb_spirv *spirv = r->spirv;
    struct mb_binding *bindings = spirv->bindings;
    uint32_t n = spirv->shader.n_bindings, i = 0;
    const uint64_t key = (uint64_t)own->set << 32 | own->binding;
    while (i < n && ((uint64_t)bindings[i].set << 32 | bindings[i].binding) < key) {
        i++;
    }
    REFUSE_IF(i < n && bindings[i].set == own->set && bindings[i].binding == own->binding, r,
              "%s and %s are both at binding %u of set %u (of HLSL: \"register_shift\")",
              spirv->use[i].name, use->name, own->binding, own->set);
    REFUSE_IF(n == MB_MAX_BINDINGS, r, "%s: more than %u bindings", use->name, MB_MAX_BINDINGS);
    memmove(&bindings[i + 1], &bindings[i], (n - i) * sizeof *bindings);
    memmove(&spirv->use[i + 1], &spirv->use[i], (n - i) * sizeof *spirv->use);
    bindings[i] = *own;
    spirv->use[i] = *use;
    spirv->shader.n_bindings++;
    spirv->shader.n_sets =
        own->set >= spirv->shader.n_sets ? own->set + 1 : spirv->shader.n_sets;
    return MB_OK;
}

static enum mb_status take_resource(struct reader *r, const spvc_reflected_resource *found,
                                    VkDescriptorType kind)
{
    const spvc_compiler c = r->compiler;
    const spvc_type type = spvc_compiler_get_type_handle(c, found->type_id);
    struct mb_spirv_use use = {0};
    struct mb_binding binding = {
        .set = spvc_compiler_get_decoration(c, found->id, SpvDecorationDescriptorSet),
        .binding = spvc_compiler_get_decoration(c, found->id, SpvDecorationBinding),
        .type = kind,
    };
    name_of(r, found->id, use.name);
    if (use.name[0] == '\0') {
        name_of(r, found->base_type_id, use.name);
    }
    REFUSE_IF(!spvc_compiler_has_decoration(c, found->id, SpvDecorationDescriptorSet) ||
                  !spvc_compiler_has_decoration(c, found->id, SpvDecorationBinding) ||
                  binding.set >= MB_MAX_SETS || binding.binding > MAX_BINDING,
              r, "%s: set %u and binding %u, not up to %u and %u", use.name, binding.set,
              binding.binding, MB_MAX_SETS - 1, MAX_BINDING);
    const unsigned n_dimensions = spvc_type_get_num_array_dimensions(type);
    const uint32_t n = n_dimensions > 0 ? spvc_type_get_array_dimension(type, 0) : 1;
    REFUSE_IF(n_dimensions > 1 || n > MAX_ARRAY ||
                  (n_dimensions > 0 && !spvc_type_array_dimension_is_literal(type, 0)),
              r,
              "%s: more than %u descriptors, an array of arrays, or a length that a "
              "constant specialises",
              use.name, MAX_ARRAY);
    binding.n_descriptors = n == 0 ? MB_SPIRV_UNBOUNDED : n;
    MB_DO(read_use(r, found, type, kind, &use));
    return add_resource(r, &binding, &use);
}

/* Read resources that manifests can bind. Others need capabilities that are not `known`. */
static enum mb_status read_resources(struct reader *r)
{
    static const struct {
        spvc_resource_type kind;
        VkDescriptorType type;
    } kinds[] = {
        {SPVC_RESOURCE_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER},
        {SPVC_RESOURCE_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
        {SPVC_RESOURCE_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
        {SPVC_RESOURCE_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
        {SPVC_RESOURCE_TYPE_SEPARATE_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
        {SPVC_RESOURCE_TYPE_SEPARATE_SAMPLERS, VK_DESCRIPTOR_TYPE_SAMPLER},
        {SPVC_RESOURCE_TYPE_PUSH_CONSTANT, 0},
    };
    spvc_resources resources = NULL;
    CROSS(r, spvc_compiler_create_shader_resources(r->compiler, &resources));
    for (size_t i = 0; i < MB_COUNTOF(kinds); i++) {
        const spvc_reflected_resource *list = NULL;
        size_t n = 0;
        CROSS(r,
              spvc_resources_get_resource_list_for_type(resources, kinds[i].kind, &list, &n));
        for (size_t k = 0; k < n; k++) {
            MB_DO(kinds[i].kind == SPVC_RESOURCE_TYPE_PUSH_CONSTANT
                      ? read_block(r, list[k].base_type_id, &r->spirv->push)
                      : take_resource(r, &list[k], kinds[i].type));
        }
    }
    return MB_OK;
}

/* ---- Specialisation constants and the size of a workgroup */

/* Add a constant. A constant of another width than 32 bits is skipped and keeps its default.
 * Several may have the same SpecId, such as a workgroup's size and a named constant. */
static enum mb_status add_constant(struct reader *r, const spvc_specialization_constant *found)
{
    struct mb_spirv *spirv = r->spirv;
    struct mb_spirv_constant *constants = spirv->constants;
    const spvc_constant constant = spvc_compiler_get_constant_handle(r->compiler, found->id);
    const enum mb_scalar scalar =
        scalar_of(spvc_compiler_get_type_handle(r->compiler, spvc_constant_get_type(constant)));
    uint32_t n = spirv->shader.n_constants, i = 0;
    if (scalar > MB_SCALAR_BOOL) {
        return MB_OK;
    }
    while (i < n && constants[i].id < found->constant_id) {
        i++;
    }
    if (i == n || constants[i].id != found->constant_id) {
        REFUSE_IF(n == MB_SPIRV_MAX_CONSTANTS, r, "more than %u specialisation constants",
                  MB_SPIRV_MAX_CONSTANTS);
        memmove(&constants[i + 1], &constants[i], (n - i) * sizeof *constants);
        constants[i] = (struct mb_spirv_constant){
            .id = found->constant_id,
            .value = spvc_constant_get_scalar_u32(constant, 0, 0),
            .scalar = scalar,
        };
        spirv->shader.n_constants++;
    }
    if (constants[i].name[0] == '\0') {
        name_of(r, found->id, constants[i].name);
    }
    return MB_OK;
}

static enum mb_status read_constants(struct reader *r)
{
    const spvc_specialization_constant *found = NULL;
    size_t n = 0;
    CROSS(r, spvc_compiler_get_specialization_constants(r->compiler, &found, &n));
    for (size_t i = 0; i < n; i++) {
        MB_DO(add_constant(r, &found[i]));
    }
    return MB_OK;
}

/* Read the workgroup's size: gl_WorkGroupSize if the module has it, else LocalSize. Refuse a
 * size computed from constants: it has no handle, and the later calls would crash. */
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
            struct mb_spirv_constant *constant = &spirv->constants[k];
            if (special[i].id == 0 || constant->id != special[i].constant_id ||
                !spvc_compiler_has_decoration(c, special[i].id, SpvDecorationSpecId)) {
                continue;
            }
            spirv->size_constants[i] = k;
            if (constant->name[0] == '\0') {
                snprintf(constant->name, sizeof constant->name, "gl_WorkGroupSize.%c",
                         "xyz"[i]);
            }
        }
    }
    return MB_OK;
}

/* ---- Features that capabilities need (Vulkan specification, "SPIR-V Capabilities") */

/* Marks the number of an execution mode that needs a feature but has no capability. */
#define MODE 0x80000000u

#define SUBGROUP(operation) VK_SUBGROUP_FEATURE_##operation##_BIT

/* clang-format off */
static const struct {
    uint32_t number;
    VkSubgroupFeatureFlags operation; /* the subgroup operation that the capability declares */
    const char *features[4];          /* one of these is needed; none: every device has it */
} known[] = {
    {SpvCapabilityMatrix, 0, {0}}, {SpvCapabilityShader, 0, {0}},
    {SpvCapabilityFloat16, 0, {"shaderFloat16"}},
    {SpvCapabilityInt64, 0, {"shaderInt64"}},
    {SpvCapabilityInt64Atomics, 0, {"shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderImageInt64Atomics"}},
    {SpvCapabilityInt16, 0, {"shaderInt16"}},
    {SpvCapabilityImageGatherExtended, 0, {"shaderImageGatherExtended"}},
    {SpvCapabilityUniformBufferArrayDynamicIndexing, 0, {"shaderUniformBufferArrayDynamicIndexing"}},
    {SpvCapabilitySampledImageArrayDynamicIndexing, 0, {"shaderSampledImageArrayDynamicIndexing"}},
    {SpvCapabilityStorageBufferArrayDynamicIndexing, 0, {"shaderStorageBufferArrayDynamicIndexing"}},
    {SpvCapabilityStorageImageArrayDynamicIndexing, 0, {"shaderStorageImageArrayDynamicIndexing"}},
    {SpvCapabilityInt8, 0, {"shaderInt8"}},
    {SpvCapabilityStorageImageExtendedFormats, 0, {"shaderStorageImageExtendedFormats"}},
    {SpvCapabilityImageQuery, 0, {0}},
    {SpvCapabilityStorageImageReadWithoutFormat, 0, {"shaderStorageImageReadWithoutFormat"}},
    {SpvCapabilityStorageImageWriteWithoutFormat, 0, {"shaderStorageImageWriteWithoutFormat"}},
    {SpvCapabilityGroupNonUniform, SUBGROUP(BASIC), {0}},
    {SpvCapabilityGroupNonUniformVote, SUBGROUP(VOTE), {0}},
    {SpvCapabilityGroupNonUniformArithmetic, SUBGROUP(ARITHMETIC), {0}},
    {SpvCapabilityGroupNonUniformBallot, SUBGROUP(BALLOT), {0}},
    {SpvCapabilityGroupNonUniformShuffle, SUBGROUP(SHUFFLE), {0}},
    {SpvCapabilityGroupNonUniformShuffleRelative, SUBGROUP(SHUFFLE_RELATIVE), {0}},
    {SpvCapabilityGroupNonUniformClustered, SUBGROUP(CLUSTERED), {0}},
    {SpvCapabilityGroupNonUniformQuad, SUBGROUP(QUAD), {0}},
    {SpvCapabilitySubgroupBallotKHR, SUBGROUP(BALLOT), {0}},
    {SpvCapabilityWorkgroupMemoryExplicitLayoutKHR, 0, {"workgroupMemoryExplicitLayout"}},
    {SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR, 0, {"workgroupMemoryExplicitLayout16BitAccess"}},
    {SpvCapabilitySubgroupVoteKHR, SUBGROUP(VOTE), {0}},
    {SpvCapabilityStorageBuffer16BitAccess, 0, {"storageBuffer16BitAccess"}},
    {SpvCapabilityStorageUniform16, 0, {"uniformAndStorageBuffer16BitAccess"}},
    {SpvCapabilityStoragePushConstant16, 0, {"storagePushConstant16"}},
    {SpvCapabilityStorageBuffer8BitAccess, 0, {"storageBuffer8BitAccess"}},
    {SpvCapabilityUniformAndStorageBuffer8BitAccess, 0, {"uniformAndStorageBuffer8BitAccess"}},
    {SpvCapabilityStoragePushConstant8, 0, {"storagePushConstant8"}},
    {SpvCapabilityDenormPreserve, 0, {0}},
    {SpvCapabilityDenormFlushToZero, 0, {0}},
    {SpvCapabilitySignedZeroInfNanPreserve, 0, {0}},
    {SpvCapabilityRoundingModeRTE, 0, {0}},
    {SpvCapabilityRoundingModeRTZ, 0, {0}},
    {SpvCapabilityShaderNonUniform, 0, {"descriptorIndexing"}},
    {SpvCapabilityRuntimeDescriptorArray, 0, {"runtimeDescriptorArray"}},
    {SpvCapabilityUniformBufferArrayNonUniformIndexing, 0, {"shaderUniformBufferArrayNonUniformIndexing"}},
    {SpvCapabilitySampledImageArrayNonUniformIndexing, 0, {"shaderSampledImageArrayNonUniformIndexing"}},
    {SpvCapabilityStorageBufferArrayNonUniformIndexing, 0, {"shaderStorageBufferArrayNonUniformIndexing"}},
    {SpvCapabilityStorageImageArrayNonUniformIndexing, 0, {"shaderStorageImageArrayNonUniformIndexing"}},
    {SpvCapabilityVulkanMemoryModel, 0, {"vulkanMemoryModel"}},
    {SpvCapabilityVulkanMemoryModelDeviceScope, 0, {"vulkanMemoryModelDeviceScope"}},
    {SpvCapabilityPhysicalStorageBufferAddresses, 0, {"bufferDeviceAddress"}},
    {SpvCapabilityAtomicFloat32MinMaxEXT, 0, {"shaderBufferFloat32AtomicMinMax", "shaderSharedFloat32AtomicMinMax"}},
    {SpvCapabilityAtomicFloat16MinMaxEXT, 0, {"shaderBufferFloat16AtomicMinMax"}},
    {SpvCapabilityDotProductInputAll, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityDotProductInput4x8Bit, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityDotProductInput4x8BitPacked, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityDotProduct, 0, {"shaderIntegerDotProduct"}},
    {SpvCapabilityAtomicFloat32AddEXT, 0, {"shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd", "shaderImageFloat32AtomicAdd"}},
    {SpvCapabilityAtomicFloat16AddEXT, 0, {"shaderBufferFloat16AtomicAdd", "shaderSharedFloat16AtomicAdd"}},
    {MODE | SpvExecutionModeSubgroupUniformControlFlowKHR, 0, {"shaderSubgroupUniformControlFlow"}},
};
/* clang-format on */

/* Read the needs of the declared capabilities, and of execution modes that need a feature. */
static enum mb_status read_needs(const struct reader *r)
{
    struct mb_spirv *spirv = r->spirv;
    const SpvCapability *list = NULL;
    const SpvExecutionMode *modes = NULL;
    size_t n = 0, n_modes = 0;
    CROSS(r, spvc_compiler_get_declared_capabilities(r->compiler, &list, &n));
    CROSS(r, spvc_compiler_get_execution_modes(r->compiler, &modes, &n_modes));
    for (size_t i = 0; i < n + n_modes; i++) {
        const uint32_t number = i < n ? (uint32_t)list[i] : MODE | (uint32_t)modes[i - n];
        size_t k = 0;
        while (k < MB_COUNTOF(known) && known[k].number != number) {
            k++;
        }
        if (k == MB_COUNTOF(known)) {
            spirv->unknown_capability = i < n ? number : spirv->unknown_capability;
            continue;
        }
        spirv->operations |= known[k].operation;
        if (known[k].features[0]) {
            REFUSE_IF(spirv->n_needs == MB_SPIRV_MAX_NEEDS, r, "more than %u capabilities",
                      MB_SPIRV_MAX_NEEDS);
            spirv->needs[spirv->n_needs++] = known[k].features;
        }
    }
    return MB_OK;
}

/* ---- The module as a whole */

static enum mb_status choose_entry(const struct reader *r)
{
    const char *wanted = r->spirv->shader.entry;
    const spvc_entry_point *entries = NULL;
    size_t n = 0, i = 0;
    CROSS(r, spvc_compiler_get_entry_points(r->compiler, &entries, &n));
    while (i < n && (entries[i].execution_model != SpvExecutionModelGLCompute ||
                     strcmp(entries[i].name, wanted) != 0)) {
        i++;
    }
    REFUSE_IF(i == n, r, "no entry point '%s' of a compute shader", wanted);
    CROSS(r, spvc_compiler_set_entry_point(r->compiler, wanted, SpvExecutionModelGLCompute));
    return MB_OK;
}

static enum mb_status read_all(struct reader *r, const uint32_t *words, size_t n_words)
{
    spvc_parsed_ir ir = NULL;
    CROSS(r, spvc_context_parse_spirv(r->context, words, n_words, &ir));
    CROSS(r, spvc_context_create_compiler(r->context, SPVC_BACKEND_NONE, ir,
                                          SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &r->compiler));
    MB_DO(choose_entry(r));
    MB_DO(read_needs(r));
    MB_DO(read_resources(r));
    MB_DO(read_constants(r));
    return read_size(r);
}

static enum mb_status read_module(struct mb_spirv *spirv, struct mb_err *err)
{
    struct reader r = {.spirv = spirv, .err = err};
    const uint32_t *words = spirv->shader.code;
    const size_t n_bytes = spirv->shader.code_bytes;
    /* The validator also accepts the other byte order, which no driver accepts. */
    REFUSE_IF(n_bytes == 0 || n_bytes % 4 != 0 || words[0] != SpvMagicNumber, &r,
              "not a SPIR-V module: it does not begin as one, or is not of whole words");
    MB_DO(validate(&r, words, n_bytes / 4));
    MB_DO(MB_NEED(spvc_context_create(&r.context) == SPVC_SUCCESS, "SPIRV-Cross"));
    const enum mb_status status = read_all(&r, words, n_bytes / 4);
    spvc_context_destroy(r.context);
    return status;
}

enum mb_status mb_spirv_init(struct mb_spirv *spirv, const char *path, const void *code,
                             size_t n_bytes, const char *entry, struct mb_err *err)
{
    struct mb_err why = {0};
    *spirv = (struct mb_spirv){
        .shader = {.code = code,
                   .code_bytes = n_bytes,
                   .entry = entry,
                   .constants = spirv->named,
                   .entries = spirv->entries,
                   .bindings = spirv->bindings,
                   .sha256 = spirv->sha256},
        .size_constants = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
    };
    mb_sha256_hex(code, n_bytes, spirv->sha256);
    MB_FAIL_IF(read_module(spirv, &why) != MB_OK, err, why.code, "%s: %s", path, why.text);
    for (uint32_t i = 0; i < spirv->shader.n_constants; i++) {
        const struct mb_spirv_constant *constant = &spirv->constants[i];
        spirv->named[i] = (struct mb_constant){constant->name, constant->value};
        spirv->entries[i] =
            (VkSpecializationMapEntry){.constantID = constant->id, .offset = 4 * i, .size = 4};
    }
    return MB_OK;
}
