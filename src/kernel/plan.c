/* Plans the commands of a manifest. */
#include "kernel/plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <cJSON.h>

#include "base/alloc.h"
#include "kernel/barriers.h"
#include "kernel/fill.h"

#define MAX_BUFFER_BYTES (INT64_C(1) << 40)
#define MAX_GROUPS       INT32_MAX

/* A step: levels [first, first + n_levels) from level first - 1. */
struct step {
    uint32_t index, source_level, n_levels, layer;
};

/* A plan that is being made. */
struct planner {
    struct mb_kernel_plan *plan;
    struct mb_pick pick; /* whose scope is that of `chain` */
    const struct mb_layout *layout;
    const uint64_t *addresses;   /* of buffers, or NULL */
    struct mb_chain_scope chain; /* and, behind the names of the chain, those of a step */
    size_t n_chain_names;
    struct step step; /* in hand */
};

/* Refuse what a node of the manifest says. */
#define BLAME_IF(is_wrong, node, ...)                                                          \
    MB_BLAME_IF(is_wrong, planner->pick.manifest, node, err, __VA_ARGS__)

/* ---- Names */

static void add_name(struct mb_chain_scope *chain, const char *name, struct mb_value value)
{
    assert(chain->scope.n_names < MB_MAX_NAMED);
    chain->names[chain->scope.n_names++] = (struct mb_named_value){name, value};
}

void mb_chain_scope_init(struct mb_chain_scope *chain, const struct mb_pick *pick,
                         const struct mb_layout *layout)
{
    const int64_t values[] = {
        layout->base.width, layout->base.height,         layout->n_layers,
        layout->n_levels,   layout->format->texel_bytes, layout->format->n_channels,
        pick->subgroup_size};
    assert(MB_COUNTOF(values) == mb_n_chain_names);
    chain->scope = (struct mb_scope){.names = chain->names, .layout = layout};
    for (size_t i = 0; i < MB_COUNTOF(values); i++) {
        add_name(chain, mb_expression_names[i], mb_integer(values[i]));
    }
    chain->scope.n_names = mb_manifest_add_numbers(pick, chain->names, chain->scope.n_names);
}

/* In the order of mb_expression_names, in place of those of another step. */
static void set_step(struct planner *planner, const struct step *step)
{
    const int64_t values[] = {step->index,
                              step->source_level,
                              step->source_level + 1,
                              step->n_levels,
                              step->source_level + step->n_levels,
                              planner->layout->n_levels - 1 - step->source_level,
                              step->layer};
    planner->step = *step;
    planner->chain.scope.n_names = planner->n_chain_names;
    for (size_t i = 0; i < MB_COUNTOF(values); i++) {
        add_name(&planner->chain, mb_expression_names[mb_n_chain_names + i],
                 mb_integer(values[i]));
    }
}

/* Names for a part of a manifest: those of the chain, with a step's or not, and with addresses
 * or not, which only what is pushed or filled in may depend on: a plan is checked without them.
 */
struct scoped_pick {
    struct mb_pick pick;
    struct mb_chain_scope chain;
};

static void scoped_pick_init(struct scoped_pick *scoped, const struct planner *planner,
                             bool has_step, bool has_addresses)
{
    const uint32_t n_addresses = has_addresses ? planner->plan->n_buffers : 0;
    scoped->pick = planner->pick;
    scoped->chain = planner->chain;
    scoped->chain.scope.names = scoped->chain.names;
    scoped->pick.scope = &scoped->chain.scope;
    if (!has_step) {
        scoped->chain.scope.n_names = planner->n_chain_names;
    }
    for (uint32_t i = 0; i < n_addresses; i++) {
        add_name(&scoped->chain, planner->pick.manifest->buffers.items[i],
                 mb_integer(planner->addresses ? (int64_t)planner->addresses[i] : 0));
    }
}

/* ---- Buffers */

static enum mb_status plan_buffer(const struct mb_pick *pick, const cJSON *node,
                                  struct mb_kernel_buffer *buffer, struct mb_err *err)
{
    const struct mb_bounds bounds = {1, MAX_BUFFER_BYTES, 0};
    const cJSON *object = mb_pick(pick, node, NULL);
    int64_t n_bytes;
    buffer->name = node->string;
    buffer->each_run = mb_pick_choice(pick, object, "zero", mb_kernel_zeroings) == 1;
    buffer->is_addressed = mb_pick_bool(pick, object, "addressed");
    MB_DO(mb_pick_integer(pick, object, "bytes", bounds, &n_bytes, err));
    buffer->n_bytes = (uint64_t)n_bytes;
    MB_BLAME_IF(n_bytes == 0 && !mb_pick(pick, object, "fields"), pick->manifest, node, err,
                "the key \"bytes\" is missing, or \"fields\"");
    MB_BLAME_IF(buffer->each_run && mb_pick(pick, object, "fields"), pick->manifest, node, err,
                "\"zero\": \"each-run\" would wipe what \"fields\" say");
    return MB_OK;
}

static enum mb_status plan_buffers(const struct planner *planner, struct mb_err *err)
{
    struct mb_kernel_plan *plan = planner->plan;
    const struct mb_pick *pick = &planner->pick;
    const cJSON *map = mb_pick(pick, pick->manifest->json.root, "buffers");
    for (const cJSON *node = map ? map->child : NULL; node; node = node->next) {
        assert(plan->n_buffers < MB_MAX_KERNEL_BUFFERS); /* manifest.c sees to it */
        MB_DO(plan_buffer(pick, node, &plan->buffers[plan->n_buffers], err));
        plan->n_buffers++;
    }
    return MB_OK;
}

static uint32_t find_buffer(const struct mb_kernel_plan *plan, const char *name)
{
    for (uint32_t i = 0; name && i < plan->n_buffers; i++) {
        if (strcmp(plan->buffers[i].name, name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* What "fields" say of a buffer, once the block that it is bound to is known. */
static enum mb_status fill_buffer(const struct planner *planner, uint32_t index,
                                  const struct mb_spirv *spirv, const struct mb_binding *place,
                                  struct mb_err *err)
{
    const struct mb_pick *pick = &planner->pick;
    struct mb_kernel_buffer *buffer = &planner->plan->buffers[index];
    const cJSON *map = mb_pick(pick, pick->manifest->json.root, "buffers");
    const cJSON *node = mb_json_get(map, buffer->name);
    const cJSON *fields = mb_pick(pick, mb_pick(pick, node, NULL), "fields");
    const struct mb_spirv_block *block = mb_spirv_block(spirv, place->set, place->binding);
    BLAME_IF(!fields && block && block->n_bytes > buffer->n_bytes, node,
             "the shader's block has %u bytes, and the buffer %llu", block->n_bytes,
             (unsigned long long)buffer->n_bytes);
    if (!fields || buffer->content) {
        return MB_OK;
    }
    BLAME_IF(!block || block->n_bytes == 0, node,
             "the shader's block has no members of known size");
    buffer->n_bytes = buffer->n_bytes > block->n_bytes ? buffer->n_bytes : block->n_bytes;
    BLAME_IF(buffer->n_bytes > MB_MAX_MANIFEST_BYTES, node,
             "a buffer with \"fields\" has at most 1 MiB");
    buffer->content = mb_alloc(1, (size_t)buffer->n_bytes);
    MB_DO(MB_NEED(buffer->content, buffer->name));
    struct scoped_pick of_chain;
    scoped_pick_init(&of_chain, planner, false, true);
    return mb_fill_block(&of_chain.pick, fields, spirv, block, buffer->content, err);
}

/* ---- Pipelines */

static enum mb_status plan_pipeline(const struct planner *planner, const char *shader,
                                    uint32_t *index, struct mb_err *err)
{
    struct mb_kernel_plan *plan = planner->plan;
    struct scoped_pick of_chain;
    const struct mb_pick *pick = &of_chain.pick;
    scoped_pick_init(&of_chain, planner, false, false);
    for (*index = 0; *index < plan->n_pipelines; (*index)++) {
        if (strcmp(plan->pipelines[*index].shader, shader) == 0) {
            return MB_OK;
        }
    }
    MB_FAIL_IF(plan->n_pipelines == MB_MAX_KERNEL_PIPELINES, err, MB_ERRC_INPUT,
               "%s: more than %u shaders are dispatched", pick->manifest->path,
               MB_MAX_KERNEL_PIPELINES);
    struct mb_kernel_pipeline *pipeline = &plan->pipelines[plan->n_pipelines++];
    const cJSON *node =
        mb_pick(pick, mb_pick(pick, pick->manifest->json.root, "shaders"), shader);
    pipeline->shader = shader;
    MB_DO(mb_manifest_module(pick, shader, &pipeline->spirv, err));
    const struct mb_spirv_block *push = mb_spirv_block(pipeline->spirv, UINT32_MAX, UINT32_MAX);
    pipeline->push_bytes = push ? (push->n_bytes + 3) / 4 * 4 : 0;
    MB_DO(mb_fill_constants(pick, mb_pick(pick, node, "constants"), pipeline->spirv,
                            pipeline->constants, &pipeline->n_constants, err));
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint32_t size = pipeline->spirv->size_constants[axis];
        pipeline->workgroup_size[axis] = pipeline->spirv->workgroup_size[axis];
        for (uint32_t i = 0; size != UINT32_MAX && i < pipeline->n_constants; i++) {
            if (pipeline->constants[i].name == pipeline->spirv->shader.constants[size].name) {
                pipeline->workgroup_size[axis] = pipeline->constants[i].value;
            }
        }
    }
    return MB_OK;
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

static bool is_image(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER ||
           type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE || type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

static bool is_buffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

/* {"first": a, "last": b}, or a list: the levels it stands for. */
static enum mb_status read_range(const struct planner *planner, const cJSON *node,
                                 uint8_t levels[MB_MAX_LEVELS], uint32_t *n, struct mb_err *err)
{
    const struct mb_bounds bounds = {0, planner->layout->n_levels - 1, 0};
    const cJSON *list = mb_pick(&planner->pick, node, NULL);
    int64_t first, last;
    *n = 0;
    if (cJSON_IsObject(list)) {
        MB_DO(mb_pick_integer(&planner->pick, list, "first", bounds, &first, err));
        MB_DO(mb_pick_integer(&planner->pick, list, "last", bounds, &last, err));
        for (int64_t level = first; level <= last; level++) {
            levels[(*n)++] = (uint8_t)level;
        }
    }
    for (const cJSON *element = cJSON_IsArray(list) ? list->child : NULL; element;
         element = element->next) {
        BLAME_IF(*n == MB_MAX_LEVELS, element, "an array shows at most 16 levels");
        MB_DO(mb_pick_integer(&planner->pick, element, NULL, bounds, &first, err));
        levels[(*n)++] = (uint8_t)first;
    }
    BLAME_IF(*n == 0, node, "there are no levels in it");
    return MB_OK;
}

/* The levels of each view of a binding. */
static enum mb_status read_views(const struct planner *planner, const cJSON *node,
                                 struct mb_kernel_binding *binding, struct mb_err *err)
{
    static const char *const keys[] = {"level", "levels", "mips"};
    const struct mb_bounds bounds = {0, planner->layout->n_levels - 1, 0};
    uint8_t levels[MB_MAX_LEVELS] = {0};
    uint32_t n = 1, n_keys = 0;
    bool has_gap = false;
    const cJSON *given[MB_COUNTOF(keys)];
    for (size_t i = 0; i < MB_COUNTOF(keys); i++) {
        given[i] = mb_json_get(node, keys[i]);
        n_keys += given[i] != NULL;
    }
    BLAME_IF(n_keys != 1, node,
             "an image needs one of the keys \"level\", \"levels\" and \"mips\"");
    if (given[0]) {
        int64_t level;
        MB_DO(mb_pick_integer(&planner->pick, node, "level", bounds, &level, err));
        levels[0] = (uint8_t)level;
    } else {
        MB_DO(read_range(planner, given[1] ? given[1] : given[2], levels, &n, err));
    }
    BLAME_IF(given[2] && n > 1 && binding->place.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
             given[2],
             "a shader stores to the first level of a view only: use \"level\", or "
             "\"levels\" of an array");
    binding->n_views = given[2] ? 1 : n;
    for (uint32_t i = 0; i < binding->n_views; i++) {
        binding->views[i].first_level = levels[i];
        binding->views[i].n_levels = given[2] ? (uint8_t)n : 1;
        for (uint32_t k = 1; given[2] && k < n; k++) {
            has_gap = has_gap || levels[k] != levels[0] + k;
        }
        BLAME_IF(has_gap, given[2], "the levels of one view follow each other");
    }
    BLAME_IF(binding->n_views > binding->place.n_descriptors, node,
             "the shader's array has %u elements, for %u levels", binding->place.n_descriptors,
             binding->n_views);
    return MB_OK;
}

static enum mb_status plan_image(const struct planner *planner, const cJSON *node,
                                 const struct mb_spirv_use *use,
                                 struct mb_kernel_binding *binding, struct mb_err *err)
{
    const bool is_storage = binding->place.type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    const struct mb_pick *pick = &planner->pick;
    const struct mb_layout *layout = planner->layout;
    int64_t layer;
    const enum mb_view_format format =
        mb_json_get(node, "format")
            ? (enum mb_view_format)mb_pick_choice(pick, node, "format", mb_kernel_view_formats)
        : is_storage ? MB_VIEW_LINEAR
                     : MB_VIEW_IMAGE;
    BLAME_IF(!use->is_2d, node, "the shader's image is not 2D, as levels are");
    BLAME_IF(is_storage && format == MB_VIEW_IMAGE && layout->format->codec == MB_CODEC_SRGB8,
             node, "no device stores to sRGB: use \"linear\"");
    BLAME_IF(format == MB_VIEW_WORDS && layout->format->texel_bytes != 4 &&
                 layout->format->texel_bytes != 8,
             node, "words are of texels of four bytes or eight");
    BLAME_IF(use->texel != (format == MB_VIEW_WORDS ? MB_SCALAR_U32 : MB_SCALAR_F32), node,
             "the shader's image is of %s, and the view of %s%s", mb_scalar_names[use->texel],
             format == MB_VIEW_WORDS ? "uint" : "float",
             use->texel == MB_SCALAR_U32 ? ": use \"format\": \"words\"" : "");
    MB_DO(read_views(planner, node, binding, err));
    MB_DO(mb_pick_integer(&planner->pick, node, "layer",
                          (struct mb_bounds){0, layout->n_layers - 1, -1}, &layer, err));
    binding->is_general = mb_pick_choice(pick, node, "layout", mb_kernel_view_layouts) == 1;
    binding->is_read = is_storage && use->only_reads;
    for (uint32_t i = 0; i < binding->n_views; i++) {
        struct mb_kernel_view *view = &binding->views[i];
        view->format = format;
        view->is_storage = is_storage;
        view->is_2d = !use->is_arrayed;
        view->layer = layer >= 0 ? (uint32_t)layer : planner->step.layer;
    }
    return MB_OK;
}

static enum mb_status plan_binding(const struct planner *planner, const cJSON *node,
                                   const struct mb_kernel_pipeline *pipeline,
                                   struct mb_kernel_binding *binding, struct mb_err *err)
{
    const struct mb_pick *pick = &planner->pick;
    const struct mb_spirv *spirv = pipeline->spirv;
    const cJSON *sampler = mb_pick(pick, node, "sampler");
    int64_t set, number;
    MB_DO(mb_pick_integer(&planner->pick, node, "set", (struct mb_bounds){0, 3, 0}, &set, err));
    MB_DO(mb_pick_integer(&planner->pick, node, "binding", (struct mb_bounds){0, UINT16_MAX, 0},
                          &number, err));
    const struct mb_binding *place = mb_spirv_find(spirv, (uint32_t)set, (uint32_t)number);
    BLAME_IF(!place, node, "the shader has no binding %d in set %d", (int)number, (int)set);
    binding->place = *place;
    binding->buffer = find_buffer(planner->plan, mb_pick_text(pick, node, "buffer", NULL));
    binding->is_linear =
        sampler && mb_pick_choice(pick, sampler, "filter", mb_kernel_filters) == 1;
    binding->reduction = (enum mb_reduce)(
        sampler ? mb_pick_choice(pick, sampler, "reduction",
                                 (const char *const[]){"avg", "min", "max", NULL})
                : 0);
    binding->address =
        sampler ? (uint32_t)mb_pick_choice(pick, sampler, "address", mb_kernel_addresses) : 0;
    BLAME_IF(is_buffer(place->type) != (binding->buffer != UINT32_MAX), node,
             "the shader has a %s there", mb_descriptor_type_name(place->type));
    if (is_buffer(place->type)) {
        binding->is_read = spirv->use[place - spirv->shader.bindings].only_reads;
        return fill_buffer(planner, binding->buffer, spirv, place, err);
    }
    return is_image(place->type)
               ? plan_image(planner, node, &spirv->use[place - spirv->shader.bindings], binding,
                            err)
               : MB_OK;
}

/* Layouts of sets have as many descriptors as the defaults of constants say. */
static enum mb_status check_lengths(const struct planner *planner, const cJSON *node,
                                    const struct mb_kernel_pipeline *pipeline,
                                    struct mb_err *err)
{
    const struct mb_spirv *spirv = pipeline->spirv;
    for (uint32_t i = 0; i < spirv->shader.n_bindings * spirv->shader.n_constants; i++) {
        const struct mb_spirv_use *use = &spirv->use[i / spirv->shader.n_constants];
        const uint32_t k = i % spirv->shader.n_constants;
        const struct mb_constant *constant = &spirv->shader.constants[k];
        const bool is_length =
            use->has_special_length && (use->length_spec_id == spirv->constant_ids[k] ||
                                        use->length_spec_id == UINT32_MAX);
        for (uint32_t n = 0; is_length && n < pipeline->n_constants; n++) {
            BLAME_IF(pipeline->constants[n].name == constant->name &&
                         pipeline->constants[n].value != constant->value,
                     node,
                     "the length of the shader's array '%s' is a specialisation constant: '%s' "
                     "has to keep its value, %u",
                     use->name, constant->name, constant->value);
        }
    }
    return MB_OK;
}

/* Each of the shader's descriptors is bound, and once. */
static enum mb_status check_complete(const struct planner *planner, const cJSON *node,
                                     const struct mb_kernel_pipeline *pipeline,
                                     const struct mb_kernel_dispatch *dispatch,
                                     struct mb_err *err)
{
    const struct mb_shader *shader = &pipeline->spirv->shader;
    for (uint32_t i = 0; i < shader->n_bindings; i++) {
        const struct mb_binding *place = &shader->bindings[i];
        uint32_t n = 0;
        for (uint32_t k = 0; k < dispatch->n_bindings; k++) {
            const struct mb_binding *own = &dispatch->bindings[k].place;
            n += own->set == place->set && own->binding == place->binding;
        }
        BLAME_IF(n != 1, node, "set %u, binding %u, the shader's %s '%s', is %s", place->set,
                 place->binding, mb_descriptor_type_name(place->type),
                 pipeline->spirv->use[i].name, n == 0 ? "missing" : "there twice");
    }
    return MB_OK;
}

static enum mb_status plan_bindings(const struct planner *planner, const cJSON *node,
                                    const struct mb_kernel_pipeline *pipeline,
                                    struct mb_kernel_dispatch *dispatch, struct mb_err *err)
{
    const struct mb_pick *pick = &planner->pick;
    const cJSON *list = mb_pick(pick, node, "bindings");
    const size_t n = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    dispatch->bindings = mb_alloc(n, sizeof *dispatch->bindings);
    MB_DO(MB_NEED(dispatch->bindings, pipeline->shader));
    for (const cJSON *element = n > 0 ? list->child : NULL; element; element = element->next) {
        MB_DO(plan_binding(planner, mb_pick(pick, element, NULL), pipeline,
                           &dispatch->bindings[dispatch->n_bindings], err));
        dispatch->n_bindings++;
    }
    MB_DO(check_lengths(planner, list ? list : node, pipeline, err));
    return check_complete(planner, list ? list : node, pipeline, dispatch, err);
}

/* ---- Dispatches */

static enum mb_status plan_push(const struct planner *planner, const cJSON *node,
                                const struct mb_kernel_pipeline *pipeline,
                                struct mb_kernel_dispatch *dispatch, struct mb_err *err)
{
    const struct mb_spirv_block *block =
        mb_spirv_block(pipeline->spirv, UINT32_MAX, UINT32_MAX);
    const cJSON *map = mb_pick(&planner->pick, node, "push");
    BLAME_IF(!block && map && map->child, map, "the shader has no push constants");
    if (!block) {
        return MB_OK;
    }
    BLAME_IF(block->n_bytes > MB_MAX_KERNEL_PUSH, map ? map : node,
             "the shader has more than 256 bytes of push constants");
    BLAME_IF(!map, node, "the key \"push\" is missing: the shader has push constants");
    struct scoped_pick with_addresses;
    scoped_pick_init(&with_addresses, planner, true, true);
    return mb_fill_block(&with_addresses.pick, map, pipeline->spirv, block, dispatch->push,
                         err);
}

static enum mb_status plan_groups(const struct planner *planner, const cJSON *node,
                                  struct mb_kernel_dispatch *dispatch, struct mb_err *err)
{
    const cJSON *list = mb_pick(&planner->pick, node, "groups");
    const cJSON *element = cJSON_IsArray(list) ? list->child : NULL;
    BLAME_IF(!element || cJSON_GetArraySize(list) > 3, mb_json_get(node, "groups"),
             "one to three counts are wanted");
    for (uint32_t axis = 0; axis < 3; axis++) {
        int64_t n = 1;
        if (element) {
            MB_DO(mb_pick_integer(&planner->pick, element, NULL,
                                  (struct mb_bounds){0, MAX_GROUPS, 0}, &n, err));
            element = element->next;
        }
        dispatch->n_groups[axis] = (uint32_t)n;
    }
    return MB_OK;
}

static enum mb_status add_dispatch(struct planner *planner, const struct step *step,
                                   struct mb_kernel_dispatch **dispatch, struct mb_err *err)
{
    struct mb_kernel_plan *plan = planner->plan;
    MB_FAIL_IF(plan->n_dispatches == MB_MAX_DISPATCHES, err, MB_ERRC_UNSUPPORTED,
               "more than %u dispatches for one image", MB_MAX_DISPATCHES);
    struct mb_kernel_dispatch *grown =
        mb_grow(plan->dispatches, plan->n_dispatches, sizeof *grown);
    MB_DO(MB_NEED(grown, "dispatches"));
    plan->dispatches = grown;
    *dispatch = &grown[plan->n_dispatches++];
    **dispatch = (struct mb_kernel_dispatch){
        .step = step->index,
        .source_level = step->source_level,
        .first_level = step->source_level + 1,
        .n_levels = step->n_levels,
        .layer = step->layer,
    };
    return MB_OK;
}

static enum mb_status plan_dispatch(struct planner *planner, const cJSON *node,
                                    const struct step *step, struct mb_err *err)
{
    const struct mb_pick *pick = &planner->pick;
    struct mb_kernel_dispatch *dispatch = NULL;
    struct mb_value when = mb_integer(1);
    set_step(planner, step);
    if (mb_json_get(node, "when")) {
        MB_DO(mb_pick_value(pick, node, "when", &when, err));
    }
    if (when.is_float ? when.real == 0.0 : when.integer == 0) {
        return MB_OK;
    }
    const char *shader = mb_pick_text(pick, node, "shader", NULL);
    BLAME_IF(!shader, node, "no branch of \"shader\" fits");
    MB_DO(add_dispatch(planner, step, &dispatch, err));
    MB_DO(plan_pipeline(planner, shader, &dispatch->pipeline, err));
    struct mb_kernel_pipeline *pipeline = &planner->plan->pipelines[dispatch->pipeline];
    dispatch->copy = pipeline->n_copies++;
    dispatch->needs_no_barrier = mb_pick_choice(pick, node, "barrier", mb_kernel_barriers) == 1;
    MB_DO(plan_groups(planner, node, dispatch, err));
    MB_DO(plan_push(planner, node, pipeline, dispatch, err));
    return plan_bindings(planner, node, pipeline, dispatch, err);
}

/* All that a step dispatches; once for each layer if that is asked for. */
static enum mb_status plan_step(struct planner *planner, struct step step, struct mb_err *err)
{
    const struct mb_pick *pick = &planner->pick;
    const cJSON *root = pick->manifest->json.root;
    const cJSON *list = mb_pick(pick, root, "dispatches");
    const uint32_t n_layers =
        mb_pick_bool(pick, root, "each_layer") ? planner->layout->n_layers : 1;
    for (const cJSON *node = list ? list->child : NULL; node; node = node->next) {
        for (step.layer = 0; step.layer < n_layers; step.layer++) {
            MB_DO(plan_dispatch(planner, mb_pick(pick, node, NULL), &step, err));
        }
    }
    return MB_OK;
}

static enum mb_status plan_steps(struct planner *planner, struct mb_err *err)
{
    const cJSON *root = planner->pick.manifest->json.root;
    struct step step = {0};
    while (step.source_level + 1 < planner->layout->n_levels) {
        const int64_t remaining = planner->layout->n_levels - 1 - step.source_level;
        int64_t n;
        set_step(planner, &step);
        MB_DO(mb_pick_integer(&planner->pick, root, "levels_per_step",
                              (struct mb_bounds){1, remaining, remaining}, &n, err));
        step.n_levels = (uint32_t)n;
        planner->plan->source_levels |= UINT32_C(1) << step.source_level;
        MB_DO(plan_step(planner, step, err));
        step.source_level += step.n_levels;
        step.index++;
    }
    planner->plan->n_steps = step.index;
    return MB_OK;
}

/* ---- All of it */

/* What the output is held to; a step reads what it begins with as it was stored. */
static enum mb_status plan_tolerance(const struct planner *planner, struct mb_err *err)
{
    const struct mb_bounds bounds = {0, MB_MAX_LEVELS - 1, 0};
    struct scoped_pick of_chain;
    const struct mb_pick *pick = &of_chain.pick;
    scoped_pick_init(&of_chain, planner, false, false);
    const cJSON *node = mb_pick(pick, pick->manifest->json.root, "tolerance");
    const uint32_t policy = mb_pick_choice(pick, node, "policy", mb_kernel_policies);
    const bool has_no_policy = mb_kernel_policies[policy][0] == 'n';
    struct mb_tolerance *tolerance = &planner->plan->tolerance;
    *tolerance = (struct mb_tolerance){
        .filter.policy = has_no_policy ? MB_POLICY_BOX : (enum mb_policy)policy,
        .has_no_policy = has_no_policy,
        .arithmetic =
            (enum mb_arithmetic)mb_pick_choice(pick, node, "arithmetic", mb_kernel_arithmetics),
        .is_rounded_by_device =
            mb_pick_choice(pick, node, "rounding", mb_kernel_roundings) == 0,
        .reread_levels = planner->plan->source_levels,
    };
    const cJSON *reread = mb_pick(pick, node, "reread");
    for (const cJSON *level = reread ? reread->child : NULL; level; level = level->next) {
        int64_t value;
        MB_DO(mb_pick_integer(pick, level, NULL, bounds, &value, err));
        tolerance->reread_levels |= UINT32_C(1) << value;
    }
    if (mb_json_get(node, "max_error_lsb")) {
        struct mb_value bound;
        of_chain.chain.scope.wants_float = true;
        MB_DO(mb_pick_value(pick, node, "max_error_lsb", &bound, err));
        tolerance->max_error_lsb = bound.is_float ? bound.real : (double)bound.integer;
        BLAME_IF(!(tolerance->max_error_lsb > 0.0), mb_json_get(node, "max_error_lsb"),
                 "a bound is above 0");
    }
    return MB_OK;
}

/* The levels that no dispatch writes would be read as they were. */
static enum mb_status check_written(const struct planner *planner, struct mb_err *err)
{
    for (uint32_t level = 1; level < planner->layout->n_levels; level++) {
        BLAME_IF(!mb_kernel_writes(planner->plan, level),
                 mb_json_get(planner->pick.manifest->json.root, "dispatches"),
                 "no dispatch has level %u bound to store to", level);
    }
    return MB_OK;
}

enum mb_status mb_kernel_plan_init(struct mb_kernel_plan *plan, const struct mb_pick *pick,
                                   const struct mb_layout *layout, const uint64_t *addresses,
                                   struct mb_err *err)
{
    struct planner planner = {
        .plan = plan, .pick = *pick, .layout = layout, .addresses = addresses};
    *plan = (struct mb_kernel_plan){0};
    mb_chain_scope_init(&planner.chain, pick, layout);
    planner.pick.scope = &planner.chain.scope;
    MB_DO(plan_buffers(&planner, err));
    planner.n_chain_names = planner.chain.scope.n_names;
    MB_DO(plan_steps(&planner, err));
    MB_DO(check_written(&planner, err));
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        MB_FAIL_IF(
            plan->buffers[i].n_bytes == 0, err, MB_ERRC_INPUT,
            "%s: no dispatch has buffer '%s' bound, whose \"fields\" are those of a block",
            pick->manifest->path, plan->buffers[i].name);
    }
    mb_kernel_place_barriers(plan, layout->n_levels);
    return plan_tolerance(&planner, err);
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
