/* Plans the commands of a manifest. */
#include "kernel/plan.h"

#include <string.h>

#include "base/alloc.h"
#include "kernel/fill.h"
#include "kernel/module.h"

/* Of what changes by step: no device asks for more of the offset of a uniform buffer. */
#define CONTENT_ALIGNMENT 256u

/* A plan that is being made. */
struct planner {
    struct mb_kernel_plan *plan;
    struct mb_reader read; /* whose scope is that of the step in hand */
    const cJSON *root;
    const struct mb_layout *layout;
    struct mb_kernel_step step;
    struct mb_err *err;
};

/* Refuse what a node of the manifest says. */
#define BLAME_IF(is_wrong, node, ...) MB_REFUSE_IF(is_wrong, &p->read, node, __VA_ARGS__)

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

/* ---- Buffers */

static enum mb_status plan_buffers(struct planner *p)
{
    static const char *const keys[] = {"bytes", "zero", "fields", "addressed", NULL};
    static const char *const times[] = {"once", "each-run", NULL};
    struct mb_reader *r = &p->read;
    const cJSON *all = mb_read_map(r, p->root, "buffers");
    for (const cJSON *own = all ? all->child : NULL; own; own = own->next) {
        BLAME_IF(p->plan->n_buffers == MB_MAX_KERNEL_BUFFERS, own,
                 "there are at most %u buffers", MB_MAX_KERNEL_BUFFERS);
        struct mb_kernel_buffer *buffer = &p->plan->buffers[p->plan->n_buffers++];
        const cJSON *node = mb_open(r, own, keys, 0);
        buffer->name = own->string;
        buffer->n_bytes = mb_read_integer(r, node, "bytes", 1, UINT32_MAX, 0);
        buffer->is_each_run = mb_read_word(r, node, "zero", times, 0) == 1;
        p->plan->has_fills |= buffer->is_each_run;
        buffer->is_addressed = mb_read_flag(r, node, "addressed");
        buffer->fields = mb_read_map(r, node, "fields");
        MB_DO(r->status);
        BLAME_IF((buffer->n_bytes > 0) == (buffer->fields != NULL), node,
                 "a buffer needs one of the keys \"bytes\" and \"fields\"");
        BLAME_IF(buffer->fields && (buffer->is_each_run || buffer->is_addressed), node,
                 "\"zero\" and \"addressed\" are not of a buffer with \"fields\"");
    }
    return r->status;
}

/* What a uniform buffer holds for one binding follows what it holds for those before. */
static enum mb_status add_content(struct planner *p, const cJSON *node,
                                  const struct mb_spirv *spirv, struct mb_kernel_buffer *buffer,
                                  struct mb_kernel_binding *binding)
{
    struct mb_err *err = p->err;
    const struct mb_spirv_block *block = &binding->use->block;
    const uint64_t at =
        (buffer->n_bytes + CONTENT_ALIGNMENT - 1) / CONTENT_ALIGNMENT * CONTENT_ALIGNMENT;
    BLAME_IF(binding->place->type != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || block->n_bytes == 0,
             node, "\"fields\" are of a uniform buffer with members of known size");
    BLAME_IF(at + block->n_bytes > MB_MAX_MANIFEST_BYTES, node,
             "what a buffer with \"fields\" holds for all dispatches is above 1 MiB");
    unsigned char *grown = mb_alloc(1, (size_t)at + block->n_bytes);
    MB_DO(MB_NEED(grown, buffer->name));
    if (buffer->content) {
        memcpy(grown, buffer->content, (size_t)buffer->n_bytes);
    }
    mb_free(buffer->content);
    buffer->content = grown;
    buffer->n_bytes = at + block->n_bytes;
    binding->offset_bytes = at;
    binding->n_bytes = block->n_bytes;
    return mb_fill_block(&p->read, buffer->fields, spirv, block, grown + at);
}

static enum mb_status plan_buffer(struct planner *p, const cJSON *node,
                                  const struct mb_spirv *spirv,
                                  struct mb_kernel_binding *binding)
{
    struct mb_kernel_buffer *buffer = &p->plan->buffers[binding->buffer];
    binding->is_read = binding->use->only_reads;
    binding->n_bytes = buffer->n_bytes;
    if (buffer->fields) {
        return add_content(p, node, spirv, buffer, binding);
    }
    BLAME_IF(binding->use->block.n_bytes > buffer->n_bytes, node,
             "the shader's block has %u bytes, and the buffer %llu",
             binding->use->block.n_bytes, (unsigned long long)buffer->n_bytes);
    return MB_OK;
}

/* ---- Pipelines */

static void find_workgroup_size(struct mb_kernel_pipeline *pipeline)
{
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint32_t size = pipeline->spirv->size_constants[axis];
        pipeline->workgroup_size[axis] = pipeline->spirv->workgroup_size[axis];
        for (uint32_t i = 0; size != UINT32_MAX && i < pipeline->n_constants; i++) {
            if (pipeline->constants[i].name == pipeline->spirv->shader.constants[size].name) {
                pipeline->workgroup_size[axis] = pipeline->constants[i].value;
            }
        }
    }
}

/* The pipeline of a shader, planned where it is first used; its expressions know no step. */
static enum mb_status plan_pipeline(struct planner *p, const cJSON *shader, uint32_t *index)
{
    struct mb_kernel_plan *plan = p->plan;
    const cJSON *node = mb_choose(&p->read, shader);
    for (*index = 0; *index < plan->n_pipelines; (*index)++) {
        if (strcmp(plan->pipelines[*index].shader, shader->string) == 0) {
            return MB_OK;
        }
    }
    BLAME_IF(plan->n_pipelines == MB_MAX_KERNEL_PIPELINES, shader,
             "more than %u shaders are dispatched", MB_MAX_KERNEL_PIPELINES);
    struct mb_kernel_pipeline *pipeline = &plan->pipelines[plan->n_pipelines++];
    pipeline->shader = shader->string;
    mb_reader_set_step(&p->read, NULL);
    MB_DO(mb_manifest_module(&p->read, node, &pipeline->spirv));
    pipeline->push_bytes = (pipeline->spirv->push.n_bytes + 3) / 4 * 4;
    MB_DO(mb_fill_constants(&p->read, mb_read_map(&p->read, node, "constants"), pipeline->spirv,
                            pipeline->constants, &pipeline->n_constants));
    mb_reader_set_step(&p->read, &p->step);
    find_workgroup_size(pipeline);
    return p->read.status;
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

/* The levels of each view of a binding. */
static enum mb_status plan_views(struct planner *p, const cJSON *node,
                                 struct mb_kernel_binding *binding)
{
    const uint32_t last = p->layout->n_levels - 1;
    const bool has_level = mb_json_get(node, "level"), has_mips = mb_json_get(node, "mips");
    const char *key = has_level ? "level" : has_mips ? "mips" : "levels";
    struct mb_numbers levels = {.n = 1};
    BLAME_IF(has_level + has_mips + (mb_json_get(node, "levels") != NULL) != 1, node,
             "an image needs one of the keys \"level\", \"levels\" and \"mips\"");
    if (has_level) {
        levels.of[0] = mb_read_integer(&p->read, node, key, 0, last, 0);
    } else {
        mb_read_integers(&p->read, node, key, 0, last, &levels);
    }
    MB_DO(p->read.status);
    BLAME_IF(levels.n == 0, mb_json_get(node, key), "there are no levels in it");
    binding->n_views = has_mips ? 1 : levels.n;
    binding->n_levels = (uint8_t)(has_mips ? levels.n : 1);
    BLAME_IF(binding->n_views > binding->place->n_descriptors, node,
             "the shader's array has %u elements, for %u levels", binding->place->n_descriptors,
             binding->n_views);
    for (uint32_t i = 0; i < levels.n && i < MB_MAX_LEVELS; i++) { /* gcc sees no limit of n */
        BLAME_IF(has_mips && levels.of[i] != levels.of[0] + i, node,
                 "the levels of one view follow each other");
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
    size_t i = 0;
    while (i < MB_COUNTOF(formats) && formats[i].vk != format) {
        i++;
    }
    return i < MB_COUNTOF(formats) ? formats[i].spirv : 0;
}

static enum mb_status plan_format(struct planner *p, const cJSON *node,
                                  struct mb_kernel_binding *binding)
{
    const struct mb_format *format = p->layout->format;
    const struct mb_spirv_use *use = binding->use;
    const bool is_storage = binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    binding->kind =
        (enum mb_view_format)mb_read_word(&p->read, node, "format", mb_kernel_view_formats,
                                          is_storage ? MB_VIEW_LINEAR : MB_VIEW_IMAGE);
    const bool is_uint = binding->kind >= MB_VIEW_WORDS;
    binding->format = binding->kind == MB_VIEW_IMAGE     ? format->vk_format
                      : binding->kind == MB_VIEW_LINEAR  ? format->vk_storage_format
                      : binding->kind == MB_VIEW_UINT8X4 ? VK_FORMAT_R8G8B8A8_UINT
                      : format->texel_bytes == 4         ? VK_FORMAT_R32_UINT
                                                         : VK_FORMAT_R32G32_UINT;
    BLAME_IF(!use->is_2d, node, "the shader's image is not 2D, as levels are");
    BLAME_IF(is_storage && binding->kind == MB_VIEW_IMAGE && format->codec == MB_CODEC_SRGB8,
             node, "no device stores to sRGB: use \"linear\"");
    BLAME_IF(binding->kind == MB_VIEW_WORDS && format->texel_bytes != 4 &&
                 format->texel_bytes != 8,
             node, "words are of texels of four bytes or eight");
    BLAME_IF(binding->kind == MB_VIEW_UINT8X4 &&
                 format->vk_storage_format != VK_FORMAT_R8G8B8A8_UNORM,
             node, "\"uint8x4\" is of rgba8 and rgba8-srgb");
    BLAME_IF(use->texel != (is_uint ? MB_SCALAR_U32 : MB_SCALAR_F32), node,
             "the shader's image is of %s, and the view of %s%s", mb_scalar_names[use->texel],
             is_uint ? "uint" : "float",
             use->texel == MB_SCALAR_U32 ? ": use \"format\": \"words\" or \"uint8x4\"" : "");
    MB_FAIL_IF(!use->is_arrayed && p->layout->n_layers > 1, p->err, MB_ERRC_UNSUPPORTED,
               "the shader's '%s' has no layers", use->name);
    MB_FAIL_IF(use->image_format != 0 && use->image_format != image_format_of(binding->format),
               p->err, MB_ERRC_UNSUPPORTED,
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

static enum mb_status plan_binding(struct planner *p, const cJSON *element,
                                   const struct mb_spirv *spirv,
                                   struct mb_kernel_binding *binding)
{
    static const char *const keys[] = {"binding", "set",    "level",   "levels", "mips",
                                       "format",  "layout", "sampler", "buffer", NULL};
    static const char *const layouts[] = {"read-only", "general", NULL};
    struct mb_reader *r = &p->read;
    const cJSON *node = mb_open(r, element, keys, 1);
    const uint32_t set = mb_read_integer(r, node, "set", 0, MB_MAX_SETS - 1, 0);
    const uint32_t number = mb_read_integer(r, node, "binding", 0, UINT16_MAX, 0);
    read_sampler(r, node, &binding->sampler);
    binding->buffer = mb_read_member(r, node, "buffer", "buffers");
    binding->is_general = mb_read_word(r, node, "layout", layouts, 0) == 1;
    MB_DO(r->status);
    binding->place = mb_spirv_find(spirv, set, number);
    BLAME_IF(!binding->place, node, "the shader has no binding %u in set %u", number, set);
    binding->use = &spirv->use[binding->place - spirv->shader.bindings];
    const VkDescriptorType type = binding->place->type;
    const bool is_buffer =
        type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    BLAME_IF(is_buffer != (binding->buffer != UINT32_MAX), node, "the shader has a %s there",
             mb_descriptor_type_name(type));
    if (is_buffer) {
        return plan_buffer(p, node, spirv, binding);
    }
    if (type == VK_DESCRIPTOR_TYPE_SAMPLER) {
        return MB_OK;
    }
    binding->is_read = type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE && binding->use->only_reads;
    MB_DO(plan_format(p, node, binding));
    return plan_views(p, node, binding);
}

/* Each of the shader's descriptors is bound, and once. */
static enum mb_status check_complete(struct planner *p, const cJSON *node,
                                     const struct mb_spirv *spirv,
                                     const struct mb_kernel_dispatch *dispatch)
{
    for (uint32_t i = 0; i < spirv->shader.n_bindings; i++) {
        const struct mb_binding *place = &spirv->shader.bindings[i];
        uint32_t n = 0;
        for (uint32_t k = 0; k < dispatch->n_bindings; k++) {
            n += dispatch->bindings[k].place == place;
        }
        BLAME_IF(n != 1, node, "set %u, binding %u, the shader's %s '%s', is %s", place->set,
                 place->binding, mb_descriptor_type_name(place->type), spirv->use[i].name,
                 n == 0 ? "missing" : "there twice");
    }
    return MB_OK;
}

static enum mb_status plan_bindings(struct planner *p, const cJSON *node,
                                    const struct mb_spirv *spirv,
                                    struct mb_kernel_dispatch *dispatch)
{
    struct mb_err *err = p->err;
    const cJSON *list = mb_json_get(node, "bindings");
    for (const cJSON *element = mb_read_list(&p->read, node, "bindings"); element;
         element = element->next) {
        struct mb_kernel_binding *grown =
            mb_grow(dispatch->bindings, dispatch->n_bindings, sizeof *grown);
        MB_DO(MB_NEED(grown, "bindings"));
        dispatch->bindings = grown;
        grown += dispatch->n_bindings++;
        *grown = (struct mb_kernel_binding){.n_views = 0};
        MB_DO(plan_binding(p, element, spirv, grown));
    }
    return p->read.status == MB_OK ? check_complete(p, list ? list : node, spirv, dispatch)
                                   : p->read.status;
}

/* ---- Dispatches */

static enum mb_status plan_push(struct planner *p, const cJSON *node,
                                const struct mb_spirv *spirv,
                                struct mb_kernel_dispatch *dispatch)
{
    const struct mb_spirv_block *block = &spirv->push;
    const cJSON *map = mb_read_map(&p->read, node, "push");
    MB_DO(p->read.status);
    BLAME_IF(block->n_members == 0 && map && map->child, map,
             "the shader has no push constants");
    if (block->n_members == 0) {
        return MB_OK;
    }
    BLAME_IF(block->n_bytes > MB_MAX_KERNEL_PUSH, map ? map : node,
             "the shader has more than 256 bytes of push constants");
    BLAME_IF(!map, node, "the key \"push\" is missing: the shader has push constants");
    return mb_fill_block(&p->read, map, spirv, block, dispatch->push);
}

static enum mb_status add_dispatch(const struct planner *p, const struct mb_numbers *groups,
                                   struct mb_kernel_dispatch **dispatch)
{
    struct mb_kernel_plan *plan = p->plan;
    struct mb_err *err = p->err;
    MB_FAIL_IF(plan->n_dispatches == MB_MAX_DISPATCHES, err, MB_ERRC_UNSUPPORTED,
               "more than %u dispatches for one image", MB_MAX_DISPATCHES);
    struct mb_kernel_dispatch *grown =
        mb_grow(plan->dispatches, plan->n_dispatches, sizeof *grown);
    MB_DO(MB_NEED(grown, "dispatches"));
    plan->dispatches = grown;
    *dispatch = &grown[plan->n_dispatches++];
    **dispatch = (struct mb_kernel_dispatch){.step = p->step};
    for (uint32_t axis = 0; axis < 3; axis++) {
        (*dispatch)->n_groups[axis] = axis < groups->n ? groups->of[axis] : 1;
    }
    return MB_OK;
}

static enum mb_status plan_dispatch(struct planner *p, const cJSON *element)
{
    static const char *const keys[] = {"shader", "groups", "when", "bindings", "push", NULL};
    struct mb_reader *r = &p->read;
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
    BLAME_IF(groups.n == 0 || groups.n > 3, mb_json_get(node, "groups"),
             "expected one to three counts");
    MB_DO(plan_pipeline(p, cJSON_GetArrayItem(mb_json_get(p->root, "shaders"), (int)shader),
                        &pipeline));
    MB_DO(add_dispatch(p, &groups, &dispatch));
    struct mb_kernel_pipeline *own = &p->plan->pipelines[pipeline];
    dispatch->pipeline = pipeline;
    dispatch->copy = own->n_copies++;
    MB_DO(plan_push(p, node, own->spirv, dispatch));
    return plan_bindings(p, node, own->spirv, dispatch);
}

static enum mb_status plan_step(struct planner *p)
{
    struct mb_reader *r = &p->read;
    const uint32_t remaining = p->layout->n_levels - 1 - p->step.source_level;
    p->step.n_levels = 0;
    mb_reader_set_step(r, &p->step);
    p->step.n_levels = mb_read_integer(r, p->root, "levels_per_step", 1, remaining, remaining);
    mb_reader_set_step(r, &p->step);
    p->plan->source_levels |= UINT32_C(1) << p->step.source_level;
    for (const cJSON *node = mb_read_list(r, p->root, "dispatches"); node; node = node->next) {
        MB_DO(plan_dispatch(p, node));
    }
    return r->status;
}

/* ---- All of it */

/* What the output is held to; a step reads what it begins with as it was stored. */
static enum mb_status plan_tolerance(struct planner *p)
{
    static const char *const keys[] = {"policy",        "arithmetic", "rounding",
                                       "max_error_lsb", "reread",     NULL};
    static const char *const policies[] = {"box", "floor", "blit", "none", NULL};
    static const char *const arithmetics[] = {"fp32",   "fp16",        "filter",
                                              "corner", "filter-fp16", NULL};
    static const char *const rounders[] = {"device", "kernel", NULL};
    struct mb_reader *r = &p->read;
    const cJSON *node = mb_open(r, mb_json_get(p->root, "tolerance"), keys, 0);
    const cJSON *bound = mb_json_get(node, "max_error_lsb");
    const uint32_t policy = mb_read_word(r, node, "policy", policies, 0);
    const bool has_no_policy = policies[policy][0] == 'n';
    struct mb_numbers reread;
    struct mb_tolerance *tolerance = &p->plan->tolerance;
    *tolerance = (struct mb_tolerance){
        .filter.policy = has_no_policy ? MB_POLICY_BOX : (enum mb_policy)policy,
        .has_no_policy = has_no_policy,
        .arithmetic = (enum mb_arithmetic)mb_read_word(r, node, "arithmetic", arithmetics, 0),
        .is_rounded_by_device = mb_read_word(r, node, "rounding", rounders, 0) == 0,
        .reread_levels = p->plan->source_levels,
        .max_error_lsb = bound ? mb_read_value(r, bound) : 0.0,
    };
    BLAME_IF(bound && !(tolerance->max_error_lsb > 0.0), bound, "expected a bound above 0");
    mb_read_integers(r, node, "reread", 0, MB_MAX_LEVELS - 1, &reread);
    for (uint32_t i = 0; i < reread.n; i++) {
        tolerance->reread_levels |= UINT32_C(1) << reread.of[i];
    }
    return r->status;
}

/* Levels that no dispatch writes would be read as they were. */
static enum mb_status check_written(struct planner *p)
{
    uint32_t written = 1; /* bits */
    for (uint32_t i = 0; i < p->plan->n_dispatches; i++) {
        const struct mb_kernel_dispatch *dispatch = &p->plan->dispatches[i];
        for (uint32_t k = 0; k < dispatch->n_bindings; k++) {
            const struct mb_kernel_binding *binding = &dispatch->bindings[k];
            const bool is_written =
                binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE && !binding->is_read;
            for (uint32_t v = 0; is_written && v < binding->n_views; v++) {
                written |= UINT32_C(1) << binding->first_level[v];
            }
        }
    }
    for (uint32_t level = 1; level < p->layout->n_levels; level++) {
        BLAME_IF(!(written >> level & 1u), mb_json_get(p->root, "dispatches"),
                 "no dispatch has level %u bound to store to", level);
    }
    return MB_OK;
}

enum mb_status mb_kernel_plan_init(struct mb_kernel_plan *plan, const struct mb_pick *pick,
                                   const struct mb_layout *layout, const uint64_t *addresses,
                                   struct mb_err *err)
{
    static const uint64_t unknown[MB_MAX_KERNEL_BUFFERS];
    struct planner p = {
        .plan = plan, .root = pick->manifest->json.root, .layout = layout, .err = err};
    *plan = (struct mb_kernel_plan){0};
    mb_reader_init(&p.read, pick, layout, err);
    mb_reader_set_step(&p.read, NULL);
    p.read.addresses = addresses ? addresses : unknown;
    MB_DO(plan_buffers(&p));
    for (; p.step.source_level + 1 < layout->n_levels; p.step.index++) {
        MB_DO(plan_step(&p));
        p.step.source_level += p.step.n_levels;
    }
    plan->n_steps = p.step.index;
    MB_DO(check_written(&p));
    mb_kernel_place_barriers(plan, layout->n_levels);
    mb_reader_set_step(&p.read, NULL);
    return plan_tolerance(&p);
}

void mb_kernel_plan_finish(struct mb_kernel_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        mb_free(plan->dispatches[i].bindings);
    }
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        mb_free(plan->buffers[i].content);
    }
    mb_free(plan->dispatches);
    *plan = (struct mb_kernel_plan){0};
}
