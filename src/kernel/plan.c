/* Plans the commands of a manifest. */
#include "kernel/plan.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* Alignment of the parts of a uniform buffer: no device needs more. */
#define CONTENT_ALIGNMENT 256u

#define MAX_EXACT 9007199254740992.0 /* 2^53: doubles hold all integers up to it */

const char *const mb_kernel_view_formats[] = {"image", "linear", "words", "uint8x4", NULL};
const char *const mb_kernel_addresses[] = {
    [VK_SAMPLER_ADDRESS_MODE_REPEAT] = "repeat",
    [VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT] = "mirror",
    [VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE] = "clamp",
    [VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER] = "border",
    [MB_N_ADDRESSES] = NULL,
};

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

/* ---- Bytes and constants of a module */

const char *const mb_scalar_names[MB_N_SCALARS] = {
    [MB_SCALAR_U32] = "uint",  [MB_SCALAR_I32] = "int",    [MB_SCALAR_F32] = "float",
    [MB_SCALAR_BOOL] = "bool", [MB_SCALAR_U64] = "uint64", [MB_SCALAR_OTHER] = "other",
};

uint32_t mb_scalar_bytes(enum mb_scalar scalar)
{
    return scalar == MB_SCALAR_U64 ? 8 : 4;
}

uint32_t mb_component_at(const struct mb_spirv_member *member, uint32_t i)
{
    const uint32_t k = i % member->n_components;
    return member->offset_bytes + i / member->n_components * member->stride_bytes +
           k / member->n_rows * member->column_bytes + k % member->n_rows * member->row_bytes;
}

static bool is_within(double value, enum mb_scalar scalar)
{
    const double least = scalar == MB_SCALAR_I32 ? INT32_MIN : 0;
    const double most = scalar == MB_SCALAR_U32   ? UINT32_MAX
                        : scalar == MB_SCALAR_I32 ? INT32_MAX
                        : scalar == MB_SCALAR_U64 ? MAX_EXACT
                                                  : 1;
    return value == floor(value) && value >= least && value <= most;
}

/* Read a node "address(NAME)" without a double, which may round it; false if it is none. A
 * buffer without an address is refused. */
static bool read_address(struct mb_reader *r, const cJSON *node, uint64_t *address)
{
    const cJSON *text = mb_choose(r, node);
    const cJSON *buffer = mb_json_members(r->root, "buffers");
    for (size_t i = 0; cJSON_IsString(text) && buffer; buffer = buffer->next, i++) {
        if (strcmp(text->valuestring, mb_text("address(%s)", buffer->string).s) == 0) {
            if (!mb_read_flag(r, mb_choose(r, buffer), "addressed")) {
                MB_REFUSE(r, node, "the buffer '%s' has no address: it is not \"addressed\"",
                          buffer->string);
            }
            *address = r->addresses[i];
            return true;
        }
    }
    return false;
}

/* Evaluate a node as a scalar; `out` gets its bytes. */
static enum mb_status fill_scalar(struct mb_reader *r, const cJSON *node, enum mb_scalar scalar,
                                  unsigned char *out)
{
    uint64_t word = 0;
    if (scalar != MB_SCALAR_U64 || !read_address(r, node, &word)) {
        const double value = mb_read_value(r, node);
        const float single = (float)value;
        MB_DO(r->status);
        MB_REFUSE_IF(scalar != MB_SCALAR_F32 && !is_within(value, scalar), r, node,
                     "%s is not of type %s", mb_number_text(value).s, mb_scalar_names[scalar]);
        if (scalar == MB_SCALAR_F32) {
            memcpy(&word, &single, sizeof single);
        } else {
            word = (uint64_t)(int64_t)value;
        }
    }
    memcpy(out, &word, mb_scalar_bytes(scalar)); /* the low half comes first */
    return r->status;
}

/* Fill a member from a scalar, or from a list of all its components, element by element. */
static enum mb_status fill_member(struct mb_reader *r, const cJSON *node,
                                  const struct mb_spirv_member *member, uint32_t n_bytes,
                                  unsigned char *out)
{
    const cJSON *list = mb_choose(r, node);
    MB_DO(r->status);
    const uint32_t n = member->n_components * member->n_elements;
    const uint32_t n_given = cJSON_IsArray(list) ? (uint32_t)cJSON_GetArraySize(list) : 1;
    const cJSON *value = cJSON_IsArray(list) ? list->child : list;
    MB_REFUSE_IF(
        member->scalar == MB_SCALAR_OTHER, r, node,
        "the shader's member is a structure, or of a width that a manifest cannot fill");
    MB_REFUSE_IF(n_given != n, r, node, "the shader's member has %u values, not %u", n,
                 n_given);
    for (uint32_t i = 0; i < n; i++, value = value->next) {
        const uint32_t at = mb_component_at(member, i);
        MB_REFUSE_IF(at > n_bytes || n_bytes - at < mb_scalar_bytes(member->scalar), r, node,
                     "the module places the member beyond its block");
        MB_DO(fill_scalar(r, value, member->scalar, out + at));
    }
    return MB_OK;
}

/* Fill `out`, the bytes of a block. The object `map` must have exactly the block's members. */
static enum mb_status fill_block(struct mb_reader *r, const cJSON *map,
                                 const struct mb_spirv *spirv,
                                 const struct mb_spirv_block *block, unsigned char *out)
{
    const struct mb_spirv_member *members = &spirv->members[block->first_member];
    struct mb_words names = {.n = 0};
    for (uint32_t i = 0; i < block->n_members; i++) {
        mb_words_add(&names, members[i].name);
    }
    for (const cJSON *node = map->child; node; node = node->next) {
        mb_words_find(r, node, "the shader's block has no member", node->string, &names);
    }
    for (uint32_t i = 0; i < block->n_members; i++) {
        const cJSON *node = mb_json_get(map, members[i].name);
        MB_REFUSE_IF(!node, r, map,
                     "member %u of the shader's block is missing: %s '%s' at byte %u of %u", i,
                     mb_scalar_names[members[i].scalar], members[i].name,
                     members[i].offset_bytes, block->n_bytes);
        MB_DO(fill_member(r, node, &members[i], block->n_bytes, out));
    }
    return r->status;
}

/* Read specialisation constants from an object (NULL: none), by name, in the object's order. */
static enum mb_status fill_constants(struct mb_reader *r, const cJSON *map,
                                     struct mb_kernel_pipeline *pipeline)
{
    const struct mb_spirv *spirv = pipeline->spirv;
    uint32_t *n_constants = &pipeline->options.n_constants;
    struct mb_words names = {.n = 0};
    for (uint32_t i = 0; i < spirv->shader.n_constants; i++) {
        mb_words_add(&names, spirv->constants[i].name);
    }
    for (const cJSON *node = map ? map->child : NULL; node; node = node->next) {
        const size_t i = mb_words_find(r, node, "the module has no specialisation constant",
                                       node->string, &names);
        MB_DO(r->status);
        MB_REFUSE_IF(*n_constants == MB_SPIRV_MAX_CONSTANTS, r, node,
                     "there are at most %u constants", MB_SPIRV_MAX_CONSTANTS);
        struct mb_constant *constant = &pipeline->constants[(*n_constants)++];
        *constant = (struct mb_constant){.name = names.of[i]};
        MB_DO(fill_scalar(r, node, spirv->constants[i].scalar,
                          (unsigned char *)&constant->value));
        for (uint32_t axis = 0; axis < 3; axis++) {
            pipeline->workgroup_size[axis] = spirv->size_constants[axis] == i
                                                 ? constant->value
                                                 : pipeline->workgroup_size[axis];
        }
    }
    return MB_OK;
}

/* ---- Buffers */

static uint64_t whole_words(uint64_t n_bytes)
{
    return (n_bytes + 3) / 4 * 4;
}

static enum mb_status plan_buffers(struct mb_reader *r, struct mb_kernel_plan *plan)
{
    static const char *const keys[] = {"bytes", "zero", "fields", "addressed", NULL};
    static const char *const times[] = {"once", "each-run", NULL};
    const cJSON *all = mb_read_map(r, r->root, "buffers");
    for (const cJSON *own = all ? all->child : NULL; own; own = own->next) {
        MB_REFUSE_IF(plan->n_buffers == MB_MAX_KERNEL_BUFFERS, r, own,
                     "there are at most %u buffers", MB_MAX_KERNEL_BUFFERS);
        struct mb_kernel_buffer *buffer = &plan->buffers[plan->n_buffers++];
        const cJSON *node = mb_open(r, own, keys, 0);
        buffer->name = own->string;
        buffer->n_bytes = whole_words(mb_read_integer(r, node, "bytes", 1, UINT32_MAX, 0));
        buffer->is_each_run = mb_read_word(r, node, "zero", times, 0) == 1;
        plan->has_fills |= buffer->is_each_run;
        buffer->is_addressed = mb_read_flag(r, node, "addressed");
        buffer->fields = mb_read_map(r, node, "fields");
        MB_DO(r->status);
        MB_REFUSE_IF((buffer->n_bytes > 0) == (buffer->fields != NULL), r, node,
                     "a buffer needs one of the keys \"bytes\" and \"fields\"");
        MB_REFUSE_IF(buffer->fields && (buffer->is_each_run || buffer->is_addressed), r, node,
                     "\"zero\" and \"addressed\" are not of a buffer with \"fields\"");
    }
    return r->status;
}

/* Append the content for one binding to a uniform buffer's content for earlier bindings. */
static enum mb_status add_content(struct mb_reader *r, const cJSON *node,
                                  const struct mb_spirv *spirv, struct mb_kernel_buffer *buffer,
                                  struct mb_kernel_binding *binding)
{
    struct mb_err *err = r->err;
    const struct mb_spirv_block *block = &binding->use->block;
    const uint64_t at =
        (buffer->n_bytes + CONTENT_ALIGNMENT - 1) / CONTENT_ALIGNMENT * CONTENT_ALIGNMENT;
    const uint64_t n_bytes = whole_words(block->n_bytes);
    MB_REFUSE_IF(binding->place->type != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
                     block->n_bytes == 0,
                 r, node, "\"fields\" are of a uniform buffer with members of known size");
    MB_REFUSE_IF(at + n_bytes > MB_MAX_MANIFEST_BYTES, r, node,
                 "what a buffer with \"fields\" holds for all dispatches is above 1 MiB");
    unsigned char *grown = mb_alloc(1, (size_t)(at + n_bytes));
    MB_DO(MB_NEED(grown, buffer->name));
    if (buffer->content) {
        memcpy(grown, buffer->content, (size_t)buffer->n_bytes);
    }
    mb_free(buffer->content);
    buffer->content = grown;
    buffer->n_bytes = at + n_bytes;
    binding->offset_bytes = at;
    binding->n_bytes = n_bytes;
    return fill_block(r, buffer->fields, spirv, block, grown + at);
}

static enum mb_status plan_buffer(struct mb_reader *r, struct mb_kernel_plan *plan,
                                  const cJSON *node, const struct mb_spirv *spirv,
                                  struct mb_kernel_binding *binding)
{
    struct mb_kernel_buffer *buffer = &plan->buffers[binding->buffer];
    binding->n_bytes = buffer->n_bytes;
    if (buffer->fields) {
        return add_content(r, node, spirv, buffer, binding);
    }
    MB_REFUSE_IF(binding->use->block.n_bytes > buffer->n_bytes, r, node,
                 "the shader's block has %u bytes, and the buffer %llu",
                 binding->use->block.n_bytes, (unsigned long long)buffer->n_bytes);
    return MB_OK;
}

/* ---- Pipelines */

static enum mb_status check_workgroup(struct mb_reader *r, const cJSON *node,
                                      struct mb_kernel_pipeline *pipeline)
{
    const uint32_t *size = pipeline->workgroup_size, n_lanes = r->pick->subgroup_size;
    const double n_invocations = (double)size[0] * size[1] * size[2];
    MB_REFUSE_IF(n_invocations == 0, r, node, "its workgroup is empty");
    pipeline->options.n_invocations = (uint32_t)fmin(n_invocations, UINT32_MAX);
    /* Full subgroups cannot be required if the width is not a multiple of the subgroup size
     * (VUID-VkPipelineShaderStageCreateInfo-flags-02758). */
    const bool requires_size = n_lanes > 0 && size[0] % n_lanes == 0;
    pipeline->options.subgroup_size = requires_size ? n_lanes : 0;
    return r->status;
}

/* Find a shader's pipeline, or plan it at the first use; its expressions know no step. */
static enum mb_status plan_pipeline(struct mb_reader *r, struct mb_kernel_plan *plan,
                                    const cJSON *shader, uint32_t *index)
{
    const cJSON *node = mb_choose(r, shader);
    for (*index = 0; *index < plan->n_pipelines; (*index)++) {
        if (strcmp(plan->pipelines[*index].shader, shader->string) == 0) {
            return MB_OK;
        }
    }
    MB_REFUSE_IF(plan->n_pipelines == MB_MAX_KERNEL_PIPELINES, r, shader,
                 "more than %u shaders are dispatched", MB_MAX_KERNEL_PIPELINES);
    struct mb_kernel_pipeline *pipeline = &plan->pipelines[plan->n_pipelines++];
    pipeline->shader = shader->string;
    mb_reader_set_step(r, NULL);
    MB_DO(mb_manifest_module(r, node, &pipeline->spirv));
    pipeline->options = (struct mb_pipeline_options){
        .shader = &pipeline->spirv->shader,
        .constants = pipeline->constants,
        .push_constant_bytes = (uint32_t)whole_words(pipeline->spirv->push.n_bytes),
        .name = r->manifest->strategy.name,
    };
    memcpy(pipeline->workgroup_size, pipeline->spirv->workgroup_size,
           sizeof pipeline->workgroup_size);
    MB_DO(fill_constants(r, mb_read_map(r, node, "constants"), pipeline));
    mb_reader_set_step(r, &r->step);
    return check_workgroup(r, node, pipeline);
}

/* ---- Bindings */

const char *mb_descriptor_type_name(VkDescriptorType type)
{
    static const char *const names[] = {
        [VK_DESCRIPTOR_TYPE_SAMPLER] = "sampler",
        [VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER] = "combined image sampler",
        [VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE] = "sampled image",
        [VK_DESCRIPTOR_TYPE_STORAGE_IMAGE] = "storage image",
        [VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER] = "uniform buffer",
        [VK_DESCRIPTOR_TYPE_STORAGE_BUFFER] = "storage buffer",
    };
    return (size_t)type < MB_COUNTOF(names) && names[type] ? names[type] : "descriptor";
}

/* Plan the views of an image binding: which levels each has. */
static enum mb_status plan_views(struct mb_reader *r, const cJSON *node,
                                 struct mb_kernel_binding *binding)
{
    const uint32_t last = r->scope.layout->n_levels - 1;
    const bool has_level = mb_json_get(node, "level"), has_mips = mb_json_get(node, "mips");
    const char *key = has_level ? "level" : has_mips ? "mips" : "levels";
    struct mb_numbers levels = {.n = 1};
    MB_REFUSE_IF(has_level + has_mips + (mb_json_get(node, "levels") != NULL) != 1, r, node,
                 "an image needs one of the keys \"level\", \"levels\" and \"mips\"");
    if (has_level) {
        levels.of[0] = mb_read_integer(r, node, key, 0, last, 0);
    } else {
        mb_read_integers(r, node, key, 0, last, &levels);
    }
    MB_DO(r->status);
    MB_REFUSE_IF(levels.n == 0, r, mb_json_get(node, key), "the list of levels is empty");
    binding->n_views = has_mips ? 1 : levels.n;
    binding->n_levels = (uint8_t)(has_mips ? levels.n : 1);
    MB_REFUSE_IF(binding->n_views > binding->place->n_descriptors, r, node,
                 "the shader's array has %u elements, for %u levels",
                 binding->place->n_descriptors, binding->n_views);
    for (uint32_t i = 0; i < levels.n && i < MB_MAX_LEVELS; i++) { /* gcc sees no limit of n */
        MB_REFUSE_IF(has_mips && levels.of[i] != levels.of[0] + i, r, node,
                     "the levels of \"mips\" must be consecutive");
        binding->first_level[i] = (uint8_t)levels.of[i];
    }
    return MB_OK;
}

/* SPIR-V's ImageFormat of a Vulkan format (SPIR-V specification, "Image Format"; Vulkan,
 * "Compatibility Between SPIR-V Image Formats and Vulkan Formats"). */
static uint32_t image_format_of(VkFormat format)
{
    static const struct {
        VkFormat vk;
        uint32_t spirv;
    } formats[] = {
        {VK_FORMAT_R32G32B32A32_SFLOAT, 1},
        {VK_FORMAT_R16G16B16A16_SFLOAT, 2},
        {VK_FORMAT_R32_SFLOAT, 3},
        {VK_FORMAT_R8G8B8A8_UNORM, 4},
        {VK_FORMAT_R32G32_SFLOAT, 6},
        {VK_FORMAT_R16G16_SFLOAT, 7},
        {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 8},
        {VK_FORMAT_R16_SFLOAT, 9},
        {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 11},
        {VK_FORMAT_R8G8_UNORM, 13},
        {VK_FORMAT_R8_UNORM, 15},
        {VK_FORMAT_R8G8B8A8_UINT, 32},
        {VK_FORMAT_R32_UINT, 33},
        {VK_FORMAT_R32G32_UINT, 35},
    };
    for (size_t i = 0; i < MB_COUNTOF(formats); i++) {
        if (formats[i].vk == format) {
            return formats[i].spirv;
        }
    }
    return 0;
}

static enum mb_status plan_format(struct mb_reader *r, const cJSON *node,
                                  struct mb_kernel_binding *binding)
{
    const struct mb_format *format = r->scope.layout->format;
    const struct mb_spirv_use *use = binding->use;
    const bool is_storage = binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    binding->kind = (enum mb_view_format)mb_read_word(
        r, node, "format", mb_kernel_view_formats, is_storage ? MB_VIEW_LINEAR : MB_VIEW_IMAGE);
    const bool is_uint = binding->kind >= MB_VIEW_WORDS;
    binding->format = binding->kind == MB_VIEW_IMAGE     ? format->vk_format
                      : binding->kind == MB_VIEW_LINEAR  ? format->vk_storage_format
                      : binding->kind == MB_VIEW_UINT8X4 ? VK_FORMAT_R8G8B8A8_UINT
                      : format->texel_bytes == 4         ? VK_FORMAT_R32_UINT
                                                         : VK_FORMAT_R32G32_UINT;
    MB_REFUSE_IF(!use->is_2d, r, node, "the shader's image is not 2D, as levels are");
    MB_REFUSE_IF(is_storage && binding->kind == MB_VIEW_IMAGE &&
                     format->codec == MB_CODEC_SRGB8,
                 r, node, "no device stores to sRGB: use \"linear\"");
    MB_REFUSE_IF(binding->kind == MB_VIEW_WORDS && format->texel_bytes != 4 &&
                     format->texel_bytes != 8,
                 r, node, "\"words\" needs texels of 4 or 8 bytes");
    MB_REFUSE_IF(binding->kind == MB_VIEW_UINT8X4 &&
                     format->vk_storage_format != VK_FORMAT_R8G8B8A8_UNORM,
                 r, node, "\"uint8x4\" needs rgba8 or rgba8-srgb");
    MB_REFUSE_IF(use->texel != (is_uint ? MB_SCALAR_U32 : MB_SCALAR_F32), r, node,
                 "the shader's image is of %s, and the view of %s%s",
                 mb_scalar_names[use->texel], is_uint ? "uint" : "float",
                 use->texel == MB_SCALAR_U32 ? ": use \"format\": \"words\" or \"uint8x4\""
                                             : "");
    MB_FAIL_IF(!use->is_arrayed && r->scope.layout->n_layers > 1, r->err, MB_ERRC_UNSUPPORTED,
               "the shader's '%s' has no layers", use->name);
    MB_FAIL_IF(use->image_format != 0 && use->image_format != image_format_of(binding->format),
               r->err, MB_ERRC_UNSUPPORTED,
               "the shader declares '%s' with another format than that of %s%s", use->name,
               format->name,
               binding->kind == MB_VIEW_WORDS     ? " as words"
               : binding->kind == MB_VIEW_UINT8X4 ? " as uint8x4"
                                                  : "");
    return MB_OK;
}

static void read_sampler(struct mb_reader *r, const cJSON *binding,
                         struct mb_sampler_options *sampler)
{
    static const char *const keys[] = {"filter", "reduction", "address", NULL};
    static const char *const filters[] = {"nearest", "linear", NULL};
    const cJSON *node = mb_open(r, mb_json_get(binding, "sampler"), keys, 0);
    sampler->is_linear = mb_read_word(r, node, "filter", filters, 0) == 1;
    sampler->reduction =
        (enum mb_reduce)mb_read_word(r, node, "reduction", mb_kernel_reduces, 0);
    sampler->address = (VkSamplerAddressMode)mb_read_word(
        r, node, "address", mb_kernel_addresses, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
}

/* Plan one of the dispatch's bindings, which are in the shader's order. */
static enum mb_status plan_binding(struct mb_reader *r, struct mb_kernel_plan *plan,
                                   const cJSON *element, const struct mb_spirv *spirv,
                                   struct mb_kernel_binding *bindings)
{
    static const char *const keys[] = {"binding", "set",    "level",   "levels", "mips",
                                       "format",  "layout", "sampler", "buffer", NULL};
    static const char *const layouts[] = {"read-only", "general", NULL};
    const cJSON *node = mb_open(r, element, keys, 1);
    const uint32_t set = mb_read_integer(r, node, "set", 0, MB_MAX_SETS - 1, 0);
    const uint32_t number = mb_read_integer(r, node, "binding", 0, UINT16_MAX, 0);
    MB_DO(r->status);
    const struct mb_binding *place = mb_spirv_find(spirv, set, number);
    MB_REFUSE_IF(!place, r, node, "the shader has no binding %u in set %u", number, set);
    const size_t index = (size_t)(place - spirv->shader.bindings);
    struct mb_kernel_binding *binding = &bindings[index];
    MB_REFUSE_IF(binding->place, r, node, "duplicate binding %u in set %u", number, set);
    *binding = (struct mb_kernel_binding){
        .place = place,
        .use = &spirv->use[index],
        .buffer = mb_read_member(r, node, "buffer", "buffers"),
        .is_general = mb_read_word(r, node, "layout", layouts, 0) == 1,
    };
    read_sampler(r, node, &binding->sampler);
    MB_DO(r->status);
    const bool is_buffer = place->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
                           place->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    MB_REFUSE_IF(is_buffer != (binding->buffer != UINT32_MAX), r, node,
                 "the shader has a %s there", mb_descriptor_type_name(place->type));
    if (is_buffer) {
        return plan_buffer(r, plan, node, spirv, binding);
    }
    if (place->type == VK_DESCRIPTOR_TYPE_SAMPLER) {
        return MB_OK;
    }
    MB_DO(plan_format(r, node, binding));
    return plan_views(r, node, binding);
}

/* Plan the bindings: each of the shader's descriptors must be bound exactly once. */
static enum mb_status plan_bindings(struct mb_reader *r, struct mb_kernel_plan *plan,
                                    const cJSON *node, const struct mb_spirv *spirv,
                                    struct mb_kernel_dispatch *dispatch)
{
    const struct mb_shader *shader = &spirv->shader;
    const cJSON *list = mb_json_get(node, "bindings");
    dispatch->n_bindings = shader->n_bindings;
    for (const cJSON *element = mb_read_list(r, node, "bindings"); element;
         element = element->next) {
        MB_DO(plan_binding(r, plan, element, spirv, dispatch->bindings));
    }
    MB_DO(r->status);
    for (uint32_t i = 0; i < shader->n_bindings; i++) {
        const struct mb_binding *place = &shader->bindings[i];
        MB_REFUSE_IF(!dispatch->bindings[i].place, r, list ? list : node,
                     "set %u, binding %u, the shader's %s '%s', is missing", place->set,
                     place->binding, mb_descriptor_type_name(place->type), spirv->use[i].name);
    }
    return MB_OK;
}

/* ---- Dispatches */

static enum mb_status plan_push(struct mb_reader *r, const cJSON *node,
                                const struct mb_spirv *spirv,
                                struct mb_kernel_dispatch *dispatch)
{
    const struct mb_spirv_block *block = &spirv->push;
    const cJSON *map = mb_read_map(r, node, "push");
    MB_DO(r->status);
    MB_REFUSE_IF(block->n_bytes > MB_MAX_KERNEL_PUSH, r, map ? map : node,
                 "the shader has more than 256 bytes of push constants");
    MB_REFUSE_IF(!map && block->n_members > 0, r, node,
                 "the key \"push\" is missing: the shader has push constants");
    return map ? fill_block(r, map, spirv, block, dispatch->push) : MB_OK;
}

static enum mb_status add_dispatch(const struct mb_reader *r, struct mb_kernel_plan *plan,
                                   const struct mb_numbers *groups,
                                   struct mb_kernel_dispatch **dispatch)
{
    struct mb_err *err = r->err;
    MB_FAIL_IF(plan->n_dispatches == MB_MAX_DISPATCHES, err, MB_ERRC_UNSUPPORTED,
               "more than %u dispatches for one image", MB_MAX_DISPATCHES);
    struct mb_kernel_dispatch *grown =
        mb_grow(plan->dispatches, plan->n_dispatches, sizeof *grown);
    MB_DO(MB_NEED(grown, "dispatches"));
    plan->dispatches = grown;
    *dispatch = &grown[plan->n_dispatches++];
    **dispatch = (struct mb_kernel_dispatch){.step = r->step};
    for (uint32_t axis = 0; axis < 3; axis++) {
        (*dispatch)->n_groups[axis] = axis < groups->n ? groups->of[axis] : 1;
    }
    return MB_OK;
}

static enum mb_status plan_dispatch(struct mb_reader *r, struct mb_kernel_plan *plan,
                                    const cJSON *element)
{
    static const char *const keys[] = {"shader", "groups", "when", "bindings", "push", NULL};
    struct mb_kernel_dispatch *dispatch = NULL;
    struct mb_numbers groups;
    uint32_t pipeline;
    const cJSON *node = mb_open(r, element, keys, 2);
    const cJSON *when = mb_json_get(node, "when");
    if (when && mb_read_value(r, when) == 0.0) {
        return r->status;
    }
    const uint32_t shader = mb_read_member(r, node, "shader", "shaders");
    mb_read_integers(r, node, "groups", 1, INT32_MAX, &groups);
    MB_DO(r->status);
    MB_REFUSE_IF(groups.n == 0 || groups.n > 3, r, mb_json_get(node, "groups"),
                 "expected one to three counts");
    MB_DO(plan_pipeline(
        r, plan, cJSON_GetArrayItem(mb_json_get(r->root, "shaders"), (int)shader), &pipeline));
    MB_DO(add_dispatch(r, plan, &groups, &dispatch));
    struct mb_kernel_pipeline *own = &plan->pipelines[pipeline];
    dispatch->pipeline = pipeline;
    dispatch->copy = own->options.n_copies++;
    MB_DO(plan_push(r, node, own->spirv, dispatch));
    return plan_bindings(r, plan, node, own->spirv, dispatch);
}

static enum mb_status plan_step(struct mb_reader *r, struct mb_kernel_plan *plan)
{
    const uint32_t remaining = r->scope.layout->n_levels - 1 - r->step.source_level;
    r->step.n_levels = 0;
    mb_reader_set_step(r, &r->step);
    r->step.n_levels = mb_read_integer(r, r->root, "levels_per_step", 1, remaining, remaining);
    mb_reader_set_step(r, &r->step);
    plan->source_levels |= UINT32_C(1) << r->step.source_level;
    for (const cJSON *node = mb_read_list(r, r->root, "dispatches"); node; node = node->next) {
        MB_DO(plan_dispatch(r, plan, node));
    }
    return r->status;
}

/* ---- Barriers */

/* The levels and buffers, one bit each, that a dispatch uses, or that all dispatches have used
 * since the last barrier. */
struct uses {
    uint32_t read, written; /* levels */
    uint32_t general;       /* levels in GENERAL */
    uint32_t buffers, written_buffers;
};

/* Collect the uses of a dispatch. A storage image counts as written unless it is only read; a
 * written one need not count as read, too. A level that is both stored to and sampled is in
 * GENERAL for both, and so are all levels of the same binding. True if a binding became
 * GENERAL: call again, as this may make further bindings GENERAL. */
static bool find_uses(struct mb_kernel_dispatch *dispatch, struct uses *uses)
{
    bool has_changed = false;
    for (uint32_t i = 0; i < dispatch->n_bindings; i++) {
        struct mb_kernel_binding *binding = &dispatch->bindings[i];
        const bool is_storage = binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
        const bool was_general = binding->is_general;
        for (uint32_t k = 0; k < binding->n_views * binding->n_levels; k++) {
            const uint32_t level =
                binding->first_level[k / binding->n_levels] + k % binding->n_levels;
            binding->is_general |= is_storage || (uses->general >> level & 1u);
            uses->general |= binding->is_general ? 1u << level : 0;
            const bool is_first = k % binding->n_levels == 0; /* the only level stored to */
            *(is_storage && is_first && !binding->use->only_reads ? &uses->written
                                                                  : &uses->read) |= 1u << level;
        }
        has_changed = has_changed || (binding->is_general && !was_general);
        if (binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER) {
            uses->buffers |= 1u << binding->buffer;
            uses->written_buffers |= binding->use->only_reads ? 0 : 1u << binding->buffer;
        }
    }
    return has_changed;
}

/* Append a barrier of one level, or extend the last one if it is alike and adjacent. */
static void add_change(struct mb_kernel_barriers *barriers, uint32_t level,
                       const struct mb_access *from, const struct mb_access *to)
{
    struct mb_level_barrier *last =
        barriers->n_levels > 0 ? &barriers->levels[barriers->n_levels - 1] : NULL;
    if (last && last->from == from && last->to == to &&
        last->first_level + last->n_levels == level) {
        last->n_levels++;
        return;
    }
    barriers->levels[barriers->n_levels++] =
        (struct mb_level_barrier){NULL, level, 1, from, to};
}

/* Place the barriers before a dispatch. Returns the levels that it writes, a bit each. */
static uint32_t place_barriers(struct uses *before,
                               const struct mb_access *states[MB_MAX_LEVELS],
                               uint32_t addressed, struct mb_kernel_dispatch *dispatch)
{
    struct mb_kernel_barriers *barriers = &dispatch->before;
    struct uses uses = {.read = 0};
    while (find_uses(dispatch, &uses)) {
    }
    uses.buffers |= addressed; /* any dispatch may use an addressed buffer */
    uses.written_buffers |= addressed;
    for (uint32_t level = 0; level < MB_MAX_LEVELS; level++) {
        const uint32_t bit = 1u << level;
        const struct mb_access *state =
            uses.general & bit ? &mb_access_compute_read_write : &mb_access_readable;
        if ((uses.read | uses.written) & bit && states[level] != state) {
            add_change(barriers, level, states[level], state);
            states[level] = state;
            before->read &= ~bit;
            before->written &= ~bit;
        }
    }
    barriers->has_memory = (uses.buffers & before->written_buffers) != 0 ||
                           (before->written & (uses.read | uses.written)) != 0 ||
                           (before->read & uses.written) != 0;
    if (barriers->has_memory) {
        *before = (struct uses){.read = 0};
    }
    before->read |= uses.read;
    before->written |= uses.written;
    before->written_buffers |= uses.written_buffers;
    return uses.written;
}

/* Place all barriers, which also sets the layouts of sampled levels. Level 0 starts
 * readable, other levels undefined; all end readable. Returns the written levels as bits. */
static uint32_t place_all_barriers(struct mb_kernel_plan *plan, uint32_t n_levels)
{
    const struct mb_access *states[MB_MAX_LEVELS] = {[0] = &mb_access_readable};
    struct uses before = {.read = 0};
    uint32_t addressed = 0, written = 0;
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        addressed |= plan->buffers[i].is_addressed ? 1u << i : 0;
    }
    for (uint32_t level = 1; level < n_levels; level++) {
        add_change(&plan->opening, level, &mb_access_undefined, &mb_access_compute_read_write);
        states[level] = &mb_access_compute_read_write;
    }
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        written |= place_barriers(&before, states, addressed, &plan->dispatches[i]);
    }
    for (uint32_t level = 0; level < n_levels; level++) {
        if (states[level] == &mb_access_compute_read_write) {
            add_change(&plan->closing, level, &mb_access_compute_read_write,
                       &mb_access_readable);
        }
    }
    return written;
}

/* ---- All of it */

/* Plan the tolerance; each step re-reads its source level as stored. */
static enum mb_status plan_tolerance(struct mb_reader *r, struct mb_kernel_plan *plan)
{
    static const char *const keys[] = {"policy",        "arithmetic", "rounding",
                                       "max_error_lsb", "reread",     NULL};
    static const char *const policies[] = {"box", "floor", "blit", "none", NULL};
    static const char *const arithmetics[] = {"fp32",   "fp16",        "filter",
                                              "corner", "filter-fp16", NULL};
    static const char *const rounders[] = {"device", "kernel", NULL};
    const cJSON *node = mb_open(r, mb_json_get(r->root, "tolerance"), keys, 0);
    const cJSON *bound = mb_json_get(node, "max_error_lsb");
    const uint32_t policy = mb_read_word(r, node, "policy", policies, 0);
    const bool has_no_policy = policies[policy][0] == 'n';
    struct mb_numbers reread;
    struct mb_tolerance *tolerance = &plan->tolerance;
    *tolerance = (struct mb_tolerance){
        .filter.policy = has_no_policy ? MB_POLICY_BOX : (enum mb_policy)policy,
        .has_no_policy = has_no_policy,
        .arithmetic = (enum mb_arithmetic)mb_read_word(r, node, "arithmetic", arithmetics, 0),
        .is_rounded_by_device = mb_read_word(r, node, "rounding", rounders, 0) == 0,
        .reread_levels = plan->source_levels,
        .max_error_lsb = bound ? mb_read_value(r, bound) : 0.0,
    };
    MB_REFUSE_IF(bound && !(tolerance->max_error_lsb > 0.0), r, bound,
                 "expected a bound above 0");
    mb_read_integers(r, node, "reread", 0, MB_MAX_LEVELS - 1, &reread);
    for (uint32_t i = 0; i < reread.n; i++) {
        tolerance->reread_levels |= UINT32_C(1) << reread.of[i];
    }
    return r->status;
}

static enum mb_status plan_image(struct mb_kernel_plan *plan, const struct mb_layout *layout,
                                 const uint64_t *addresses, struct mb_err *err)
{
    struct mb_reader r;
    mb_reader_init(&r, &plan->pick, layout, err);
    mb_reader_set_step(&r, NULL);
    r.addresses = addresses;
    MB_DO(plan_buffers(&r, plan));
    for (; r.step.source_level + 1 < layout->n_levels; r.step.index++) {
        MB_DO(plan_step(&r, plan));
        r.step.source_level += r.step.n_levels;
    }
    plan->n_steps = r.step.index;
    const uint32_t written = place_all_barriers(plan, layout->n_levels);
    for (uint32_t level = 1; level < layout->n_levels; level++) {
        MB_REFUSE_IF(!(written >> level & 1u), &r, mb_json_get(r.root, "dispatches"),
                     "no dispatch has level %u bound to store to", level);
    }
    mb_reader_set_step(&r, NULL);
    return plan_tolerance(&r, plan);
}

enum mb_status mb_kernel_plan_init(struct mb_kernel_plan *plan, const struct mb_gpu_info *info,
                                   const struct mb_layout *layout, const struct mb_task *task,
                                   const struct mb_params *params, struct mb_err *err)
{
    static const uint64_t unknown[MB_MAX_KERNEL_BUFFERS];
    *plan = (struct mb_kernel_plan){.pick.params = *params};
    MB_DO(mb_pick_init(&plan->pick, info, layout, task, err));
    return plan_image(plan, layout, unknown, err);
}

enum mb_status mb_kernel_plan_again(struct mb_kernel_plan *plan, const struct mb_layout *layout,
                                    const uint64_t *addresses, struct mb_err *err)
{
    const struct mb_pick pick = plan->pick;
    mb_kernel_plan_finish(plan);
    plan->pick = pick;
    return plan_image(plan, layout, addresses, err);
}

void mb_kernel_plan_finish(struct mb_kernel_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        mb_free(plan->buffers[i].content);
    }
    mb_free(plan->dispatches);
    *plan = (struct mb_kernel_plan){0};
}
