/* Prints what a manifest means, step by step, without a device; compiles its shaders; and
 * writes a new manifest from a template. */
#include "cli/manifest/kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/plan.h"
#include "cli/session.h"
#include "kernel/plan.h"
#include "strategy/marks.h"

#define PLACEHOLDER "@NAME@" /* in templates */

static const char *state_name(const struct mb_access *state)
{
    return state == &mb_access_undefined  ? "undefined"
           : state == &mb_access_readable ? "read-only"
                                          : "general";
}

static void add_barriers(struct mb_strbuf *out, const char *when,
                         const struct mb_kernel_barriers *barriers)
{
    if (barriers->n_levels == 0 && !barriers->has_memory) {
        return;
    }
    mb_strbuf_printf(out, "  %s: barrier", when);
    for (uint32_t i = 0; i < barriers->n_levels; i++) {
        const struct mb_level_barrier *barrier = &barriers->levels[i];
        mb_strbuf_printf(out, ", %s from %s to %s",
                         mb_levels_text(barrier->first_level, barrier->n_levels).s,
                         state_name(barrier->from), state_name(barrier->to));
    }
    mb_strbuf_printf(out, "%s\n", barriers->has_memory ? ", of all that was written" : "");
}

/* Add "push byte 8   uint 'n_levels' = 5" for each member. */
static void add_push(struct mb_strbuf *out, const struct mb_spirv *spirv,
                     const struct mb_kernel_dispatch *dispatch)
{
    const struct mb_spirv_block *block = &spirv->push;
    for (uint32_t i = 0; i < block->n_members; i++) {
        const struct mb_spirv_member *member = &spirv->members[block->first_member + i];
        mb_strbuf_printf(out, "    push byte %-3u %s '%s' =", member->offset_bytes,
                         mb_scalar_names[member->scalar], member->name);
        for (uint32_t k = 0; k < member->n_components * member->n_elements; k++) {
            const unsigned char *from = dispatch->push + mb_component_at(member, k);
            uint64_t wide = 0;
            float single;
            memcpy(&wide, from, mb_scalar_bytes(member->scalar));
            memcpy(&single, &wide, sizeof single);
            if (member->scalar == MB_SCALAR_F32) {
                mb_strbuf_printf(out, " %g", (double)single);
            } else {
                mb_strbuf_printf(out, " %" PRId64,
                                 member->scalar == MB_SCALAR_I32 ? (int32_t)wide
                                                                 : (int64_t)wide);
            }
        }
        mb_strbuf_append(out, "\n");
    }
}

static void add_views(struct mb_strbuf *out, const struct mb_kernel_binding *binding)
{
    static const char *const kinds[] = {"", ", without the sRGB curve", ", as words",
                                        ", as uint8x4"};
    const bool is_storage = binding->place->type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    if (binding->n_views > 1) {
        mb_strbuf_append(out, "levels");
        for (uint32_t i = 0; i < binding->n_views; i++) {
            mb_strbuf_printf(out, " %u", binding->first_level[i]);
        }
    } else {
        mb_strbuf_append(out, mb_levels_text(binding->first_level[0], binding->n_levels).s);
    }
    if (binding->place->n_descriptors > binding->n_views) {
        mb_strbuf_printf(out, ", the last %u times",
                         binding->place->n_descriptors - binding->n_views + 1);
    }
    mb_strbuf_append(out,
                     is_storage && binding->kind == MB_VIEW_LINEAR ? "" : kinds[binding->kind]);
    mb_strbuf_append(out, binding->is_general ? ", general" : ", read-only");
}

static void add_binding(struct mb_strbuf *out, const struct mb_kernel_plan *plan,
                        const struct mb_kernel_binding *binding)
{
    const struct mb_binding *place = binding->place;
    const struct mb_sampler_options *sampler = &binding->sampler;
    mb_strbuf_printf(out, "    set %u binding %-2u %s", place->set, place->binding,
                     mb_descriptor_type_name(place->type));
    if (place->n_descriptors > 1) {
        mb_strbuf_printf(out, "[%u]", place->n_descriptors);
    }
    mb_strbuf_printf(out, " '%s': ", binding->use->name);
    if (binding->n_views > 0) {
        add_views(out, binding);
    } else if (binding->buffer != UINT32_MAX) {
        mb_strbuf_printf(out, "buffer '%s'", plan->buffers[binding->buffer].name);
        if (binding->offset_bytes > 0) {
            mb_strbuf_printf(out, " from byte %" PRIu64, binding->offset_bytes);
        }
    }
    if (place->type == VK_DESCRIPTOR_TYPE_SAMPLER ||
        place->type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
        mb_strbuf_printf(out, "%s%s", binding->n_views > 0 ? ", " : "",
                         sampler->is_linear ? "linear" : "nearest");
        if (sampler->reduction != MB_REDUCE_AVG) {
            mb_strbuf_printf(out, " %s", mb_reduce_names[sampler->reduction]);
        }
        mb_strbuf_printf(out, ", %s", mb_kernel_addresses[sampler->address]);
    }
    mb_strbuf_append(out, "\n");
}

static void add_dispatch(struct mb_strbuf *out, const struct mb_kernel_plan *plan,
                         const struct mb_kernel_dispatch *dispatch)
{
    const struct mb_kernel_step *step = &dispatch->step;
    add_barriers(out, "before", &dispatch->before);
    mb_strbuf_printf(out, "  step %u: %s from level %u by %s, %u x %u x %u workgroups\n",
                     step->index, mb_levels_text(step->source_level + 1, step->n_levels).s,
                     step->source_level, plan->pipelines[dispatch->pipeline].shader,
                     dispatch->n_groups[0], dispatch->n_groups[1], dispatch->n_groups[2]);
    for (uint32_t i = 0; i < dispatch->n_bindings; i++) {
        add_binding(out, plan, &dispatch->bindings[i]);
    }
    add_push(out, plan->pipelines[dispatch->pipeline].spirv, dispatch);
}

static void add_plan(struct mb_strbuf *out, const struct mb_kernel_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_pipelines; i++) {
        const struct mb_kernel_pipeline *pipeline = &plan->pipelines[i];
        const uint32_t *size = pipeline->workgroup_size;
        mb_strbuf_printf(out, "  shader %s: workgroups of %ux%ux%u, %u bytes of SPIR-V\n",
                         pipeline->shader, size[0], size[1], size[2],
                         (unsigned)pipeline->spirv->shader.code_bytes);
        for (uint32_t k = 0; k < pipeline->options.n_constants; k++) {
            mb_strbuf_printf(out, "    constant %s = 0x%x\n", pipeline->constants[k].name,
                             pipeline->constants[k].value);
        }
        for (uint32_t k = 0; k < pipeline->spirv->n_needs; k++) {
            mb_strbuf_printf(out, "    needs %s\n", pipeline->spirv->needs[k][0]);
        }
        if (pipeline->spirv->unknown_capability != 0) {
            mb_strbuf_printf(out, "    SPIR-V's capability %u: enabled on no device\n",
                             pipeline->spirv->unknown_capability);
        }
    }
    for (uint32_t i = 0; i < plan->n_buffers; i++) {
        const struct mb_kernel_buffer *buffer = &plan->buffers[i];
        mb_strbuf_printf(
            out, "  buffer %s: %" PRIu64 " bytes, %s\n", buffer->name, buffer->n_bytes,
            buffer->is_each_run ? "zeroed before each run, within the timed commands"
            : buffer->content   ? "filled once"
                                : "zeroed once");
    }
    add_barriers(out, "first", &plan->opening);
    for (uint32_t i = 0; i < plan->n_dispatches; i++) {
        add_dispatch(out, plan, &plan->dispatches[i]);
    }
    add_barriers(out, "last", &plan->closing);
}

/* Plan one variant. If its manifest refuses the image, add a line that says so, and do not
 * fail. */
static enum mb_status check_variant(struct mb_strbuf *out, const struct mb_variant *row,
                                    const struct mb_layout *layout, const struct mb_task *task,
                                    bool is_told, struct mb_err *err)
{
    MB_SCOPED(mb_kernel_plan) plan = {0};
    struct mb_err why = {0};
    char label[MB_LABEL_BYTES];
    mb_variant_label(row, label, sizeof label);
    const enum mb_status status =
        mb_kernel_plan_init(&plan, NULL, layout, task, &row->params, &why);
    if (status == MB_UNSUPPORTED) {
        mb_strbuf_printf(out, "%s: not for this image: %s\n", label, why.text);
        return MB_OK;
    }
    if (status != MB_OK) {
        *err = why;
        if (row->strategy->params->name) {
            snprintf(err->text, sizeof err->text, "%.400s (%.100s)", why.text, label);
        }
        return status;
    }
    mb_strbuf_printf(out, "%s: %u dispatch%s in %u step%s\n", label, plan.n_dispatches,
                     plan.n_dispatches == 1 ? "" : "es", plan.n_steps,
                     plan.n_steps == 1 ? "" : "s");
    if (is_told) {
        add_plan(out, &plan);
    }
    return MB_OK;
}

/* Find the manifest's variants, or the variants that --strategy names; at least one. */
static enum mb_status find_variants(const struct mb_options *options, struct mb_variant **rows,
                                    size_t *n_rows, struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_strategy *strategy = &options->table.manifests[0].strategy;
    const struct mb_text all = mb_text("%s:*", strategy->name);
    const char *every = all.s;
    const bool has_specs = options->specs.n > 0;
    MB_DO(mb_plan_variants(settings->table, has_specs ? settings->specs : &every,
                           has_specs ? settings->n_specs : 1, rows, n_rows, err));
    for (size_t i = 0; i < *n_rows; i++) {
        MB_FAIL_IF((*rows)[i].strategy != strategy, err, MB_ERRC_USAGE,
                   "kernel: '%s' is not of this manifest", (*rows)[i].strategy->name);
    }
    return MB_OK;
}

/* Check all variants; only the first is shown step by step. */
static enum mb_status check_all(const struct mb_options *options, struct mb_strbuf *out,
                                struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_strategy *strategy = &options->table.manifests[0].strategy;
    const struct mb_format *format = mb_format_find("rgba8");
    struct mb_extent size = {1921, 1081}; /* odd: odd sizes break most wrong kernels */
    struct mb_layout layout;
    struct mb_task task = {.alpha = settings->alpha};
    MB_FREED struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    MB_DO(find_variants(options, &rows, &n_rows, err));
    mb_kernel_suggest(&rows[0].params, &format, &size, &task.reduce);
    format =
        options->settings.formats[0] ? mb_format_find(options->settings.formats[0]) : format;
    size = settings->n_sizes > 0 ? settings->size[0] : size;
    task.reduce = mb_option_is_given(options, "reduce") ? settings->reduce : task.reduce;
    task.rect = mb_rect_whole(size);
    mb_layout_init(&layout, format, size, settings->n_layers > 0 ? settings->n_layers : 1,
                   mb_full_level_count(size));
    mb_strbuf_printf(out, "%s: %ux%u %s, %u levels, %u layer%s, %s\n", strategy->title,
                     size.width, size.height, format->name, layout.n_levels, layout.n_layers,
                     layout.n_layers == 1 ? "" : "s", mb_reduce_names[task.reduce]);
    for (size_t i = 0; i < n_rows; i++) {
        MB_DO(check_variant(out, &rows[i], &layout, &task, i == 0, err));
    }
    return MB_OK;
}

/* Compile and write every module of the variants. */
static enum mb_status compile_all(const struct mb_options *options, struct mb_strbuf *out,
                                  struct mb_err *err)
{
    const struct mb_manifest *manifest = &options->table.manifests[0];
    MB_FREED struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    /* Modules from an earlier compilation are not enough: their sources may have changed. */
    MB_FAIL_IF(!MB_HAS_GLSLANG, err, MB_ERRC_INPUT,
               "kernel compile: this build compiles no GLSL or HLSL");
    MB_DO(find_variants(options, &rows, &n_rows, err));
    for (size_t i = 0; i < n_rows; i++) {
        MB_DO(mb_kernel_load(&rows[i].params, err));
    }
    mb_session_end_at_once(false);
    for (const struct mb_loaded_module *module = manifest->modules; module;
         module = module->next) {
        const struct mb_shader *shader = &module->spirv.shader;
        if (!module->is_given) {
            const char *path = module->compiled.text;
            MB_DO(mb_file_write_atomic(path, shader->code, shader->code_bytes, err));
            mb_strbuf_printf(out, "%s: %s %s\n", path, shader->name, shader->flags);
        }
    }
    return MB_OK;
}

extern const struct mb_embedded mb_kernel_templates[]; /* LIKE.json, LIKE.comp */

static enum mb_status write_file(const char *template_name, const char *name, const char *path,
                                 struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) text = {0};
    const struct mb_embedded *file = mb_kernel_templates;
    while (strcmp(file->name, template_name) != 0) {
        file++;
    }
    const char *at = (const char *)file->data;
    for (const char *next; (next = strstr(at, PLACEHOLDER)) != NULL;
         at = next + strlen(PLACEHOLDER)) {
        mb_strbuf_append_n(&text, at, (size_t)(next - at));
        mb_strbuf_append(&text, name);
    }
    mb_strbuf_append(&text, at);
    MB_DO(mb_strbuf_check(&text, err));
    return mb_file_write_atomic(path, text.text, text.n_bytes, err);
}

/* Write NAME.json and NAME.comp into the working folder, from the templates called `like`, and
 * say what to run next. */
static enum mb_status write_new(const char *name, const char *like, struct mb_err *err)
{
    static const char *const suffixes[] = {".json", ".comp"};
    MB_SCOPED(mb_strbuf) next = {0};
    MB_FAIL_IF(!mb_is_kernel_name(name, true) || strcmp(name, "all") == 0, err, MB_ERRC_USAGE,
               "kernel new: '%s': a name has at most 40 small letters, digits and '-', and is "
               "not 'all'",
               name);
    for (size_t i = 0; i < MB_COUNTOF(suffixes); i++) {
        const struct mb_text path = mb_text("%s%s", name, suffixes[i]);
        MB_FAIL_IF(mb_os_kind(path.s) != MB_KIND_NONE, err, MB_ERRC_OUTPUT,
                   "%s: already exists, and is not replaced", path.s);
    }
    for (size_t i = 0; i < MB_COUNTOF(suffixes); i++) {
        MB_DO(write_file(mb_text("%s%s", like, suffixes[i]).s, name,
                         mb_text("%s%s", name, suffixes[i]).s, err));
    }
    mb_strbuf_printf(&next, "Wrote %s.json and %s.comp. Next%s:\n", name, name,
                     MB_HAS_SPIRV ? ""
                                  : ", with a mipbench that has SPIRV-Tools and SPIRV-Cross");
    mb_strbuf_printf(&next,
                     "  mipbench kernel check %s.json\n"
                     "  mipbench pattern:noise:1921x1081 --kernel %s.json -s %s,compute,spd\n",
                     name, name, name);
    return mb_strbuf_print(&next, err);
}

enum mb_status mb_kernel_run(const struct mb_options *options, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) out = {0};
    if (options->kernel_what == MB_KERNEL_NEW) {
        static const char *const names[] = {"per-level", "single"};
        return write_new(options->inputs.items[1], names[options->like], err);
    }
    mb_session_end_at_once(true); /* glslang has no timeout, and nothing is written yet */
    MB_DO(options->kernel_what == MB_KERNEL_COMPILE ? compile_all(options, &out, err)
                                                    : check_all(options, &out, err));
    return mb_strbuf_print(&out, err);
}
