/* `mipbench export spd-tree` writes lib/ as it is, and the modules that the planner chooses for
 * the requested formats. */
#include "modules.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "base/text.h"

extern const struct mb_embedded mb_export_spd_tree[];

/* The capabilities that are assumed if no device is named. */
static const struct spd_tree_device usual_device = {
    .has_shuffles = true,
    .has_full_subgroups = true,
    .has_int64_atomics = true,
    .subgroup_size = 32,
    .min_subgroup_size = 32,
    .max_subgroup_size = 32,
    .max_shared_bytes = 48u << 10,
    .max_buffer_bytes = UINT64_MAX,
};

/* Each bit of `which` is one property in which devices or images differ. */
#define N_CASES 128u

static bool takes_for(unsigned which, const struct mb_format *format, enum mb_reduce reduce,
                      const struct spd_tree_module *module)
{
    struct spd_tree_plan plan;
    struct mb_layout layout;
    struct spd_tree_device device = usual_device;
    device.has_shuffles = which & 1;
    device.has_int64_atomics = which >> 1 & 1;
    device.subgroup_size = device.min_subgroup_size = device.max_subgroup_size =
        which >> 2 & 1 ? 8 : 32;
    const struct mb_task task = {
        .reduce = reduce,
        .alpha = which >> 3 & 1 ? MB_ALPHA_PREMULTIPLIED : MB_ALPHA_STRAIGHT,
        .is_update = which >> 4 & 1,
        .rect = {0, 0, 1, 1},
    };
    mb_layout_init(&layout, format, (struct mb_extent){which >> 5 & 1 ? 67 : 64, 64}, 1, 7);
    struct spd_tree_job job = mb_spd_tree_job_of(&layout, &task);
    job.is_depth = which >> 6 & 1;
    return !spd_tree_plan_job(&device, &job, &plan) &&
           memcmp(&plan.module, module, sizeof *module) == 0;
}

bool mb_spd_tree_takes(const struct mb_shader *shader, const struct mb_format *format,
                       enum mb_reduce reduce)
{
    struct spd_tree_module module;
    const bool is_own = mb_spd_tree_module_of(shader, &module);
    unsigned i = 0;
    while (i < N_CASES && is_own && !takes_for(i, format, reduce, &module)) {
        i++;
    }
    return is_own && i < N_CASES;
}

/* The parts of enum mb_export_part that the module belongs to; 0: none. */
static unsigned parts_of(const struct mb_shader *shader)
{
    struct spd_tree_module m;
    mb_spd_tree_module_of(shader, &m);
    return (m.is_update       ? (unsigned)MB_EXPORT_UPDATES
            : m.has_subgroups ? 0
                              : (unsigned)MB_EXPORT_PLAIN) |
           (m.weighs_alpha ? (unsigned)MB_EXPORT_ALPHA : 0);
}

/* Writes the code in decimal and without spaces, because the file is long. */
static void add_code(struct mb_strbuf *out, const struct mb_shader *shader, size_t i)
{
    mb_strbuf_printf(out, "\n/* %s */\nstatic const uint32_t code_%zu[] = {", shader->flags, i);
    for (size_t k = 0; k < shader->code_bytes / sizeof *shader->code; k++) {
        mb_strbuf_printf(out, "%s%u,", k % 16 == 0 ? "\n" : "", (unsigned)shader->code[k]);
    }
    mb_strbuf_append(out, "\n};\n");
}

static void add_row(struct mb_strbuf *out, const struct mb_shader *shader, size_t i)
{
    struct spd_tree_module module;
    const uint8_t *members = (const uint8_t *)&module; /* one byte each */
    mb_spd_tree_module_of(shader, &module);
    for (size_t k = 0; k < sizeof module; k++) {
        mb_strbuf_printf(out, "%s%u", k == 0 ? "    {{" : ", ", members[k]);
    }
    mb_strbuf_printf(out, "}, {code_%zu, sizeof code_%zu}},\n", i, i);
}

/* The modules that are exported. */
struct modules {
    const struct mb_shader **shaders; /* owned */
    size_t n;
};

/* Whether a requested format and reduction uses the shader, and its part is not left out. */
static bool is_asked(const struct mb_export *export, const struct mb_shader *shader)
{
    for (size_t i = 0; i < mb_format_count * MB_N_REDUCES; i++) {
        const enum mb_reduce reduce = (enum mb_reduce)(i % MB_N_REDUCES);
        if ((export->reduces[i / MB_N_REDUCES] >> reduce & 1) != 0 &&
            mb_spd_tree_takes(shader, &mb_formats[i / MB_N_REDUCES], reduce)) {
            return (parts_of(shader) & export->left_out) == 0;
        }
    }
    return false;
}

static enum mb_status choose(const struct mb_export *export, struct modules *modules,
                             struct mb_err *err)
{
    size_t n = 0;
    while (mb_shaders[n]) {
        n++;
    }
    modules->shaders = mb_alloc(n + 1, sizeof *modules->shaders);
    MB_DO(MB_NEED(modules->shaders, "modules"));
    for (size_t i = 0; i < n; i++) {
        if (is_asked(export, mb_shaders[i])) {
            modules->shaders[modules->n++] = mb_shaders[i];
        }
    }
    return MB_OK;
}

/* "spd_tree_view2_plain.spv" */
static struct mb_text file_of(const struct mb_shader *shader)
{
    const char *name = strrchr(shader->name, '/') + 1;
    return mb_text("%.*s.spv", (int)strcspn(name, "."), name);
}

static void add_code_file(struct mb_strbuf *out, const struct modules *modules)
{
    mb_strbuf_append(out, "/* The modules that were exported, as SPIR-V, and what each is "
                          "compiled with; written by mipbench. */\n"
                          "#include \"spd_tree_plan.h\"\n");
    for (size_t i = 0; i < modules->n; i++) {
        add_code(out, modules->shaders[i], i);
    }
    mb_strbuf_append(out, "\nstatic const struct {\n    struct spd_tree_module module;\n"
                          "    struct spd_tree_code code;\n} modules[] = {\n");
    for (size_t i = 0; i < modules->n; i++) {
        add_row(out, modules->shaders[i], i);
    }
    mb_strbuf_append(
        out, "};\n\nbool spd_tree_code_of(const struct spd_tree_module *module, struct "
             "spd_tree_code *code)\n{\n"
             "    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {\n"
             "        if (memcmp(&modules[i].module, module, sizeof *module) == 0) {\n"
             "            *code = modules[i].code;\n            return true;\n        }\n"
             "    }\n    return false;\n}\n");
}

static enum mb_status write_modules(const struct mb_export *export,
                                    const struct modules *modules, struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) text = {0};
    for (size_t i = 0; i < modules->n; i++) {
        const struct mb_shader *shader = modules->shaders[i];
        MB_DO(mb_file_write_in(export->dir, file_of(shader).s, shader->code, shader->code_bytes,
                               err));
    }
    add_code_file(&text, modules);
    MB_DO(mb_strbuf_check(&text, err));
    return mb_file_write_in(export->dir, "spd_tree_modules.c", text.text, text.n_bytes, err);
}

/* Whether a file is a module from an earlier export that this export does not include. */
static bool is_left_over(const struct modules *modules, const char *name)
{
    const char *ending = strrchr(name, '.');
    bool is_module = ending && strcmp(ending, ".spv") == 0 &&
                     strncmp(name, "spd_tree_", strlen("spd_tree_")) == 0;
    for (size_t i = 0; i < modules->n; i++) {
        is_module = is_module && strcmp(name, file_of(modules->shaders[i]).s) != 0;
    }
    return is_module;
}

static enum mb_status remove_left_over(const struct mb_export *export,
                                       const struct modules *modules, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) names = {0};
    MB_DO(mb_os_list(export->dir, MB_ERRC_OUTPUT, &names, err));
    for (size_t i = 0; i < names.n; i++) {
        char path[MB_PATH_BYTES];
        snprintf(path, sizeof path, "%s/%s", export->dir, names.items[i]);
        if (is_left_over(modules, names.items[i])) {
            unlink(path);
        }
    }
    return MB_OK;
}

/* ---- A manifest */

/* Adds the constants that the module declares. The plan lists the constants of all modules; two
 * of them are floats. */
static void add_constants(struct mb_strbuf *out, const struct spd_tree_plan *plan,
                          const struct mb_shader *shader)
{
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        const struct spd_tree_constant *constant = plan->constants;
        float real;
        while (constant->id != shader->entries[i].constantID) {
            constant++;
        }
        memcpy(&real, &constant->value, sizeof real);
        const bool is_float = strncmp(constant->name, "UNORM_MAX", strlen("UNORM_MAX")) == 0;
        mb_strbuf_printf(out, "%s\"%s\": %.10g", i > 0 ? ", " : "", constant->name,
                         is_float ? (double)real : (double)constant->value);
    }
}

static void add_push(struct mb_strbuf *out, const struct spd_tree_push *push)
{
    const float *inverse = push->inv_base_extent, *scales = push->scales;
    mb_strbuf_printf(
        out,
        "        \"base_extent\": [%d, %d],\n        \"inv_base_extent\": [%.9g, %.9g],\n"
        "        \"zero\": %u, \"n_nodes\": %u, \"n_tiles\": %u, \"n_levels\": %u,\n"
        "        \"scales\": [%.9g, %.9g, %.9g],\n"
        "        \"n_first\": %u, \"strip_rows\": %u, \"levels_per_round\": %u, \"is_many\": "
        "%u,\n"
        "        \"nodes\": [",
        push->base_extent[0], push->base_extent[1], (double)inverse[0], (double)inverse[1],
        push->zero, push->n_nodes, push->n_tiles, push->n_levels, (double)scales[0],
        (double)scales[1], (double)scales[2], push->n_first, push->strip_rows,
        push->levels_per_round, push->is_many);
    for (size_t i = 0; i < MB_COUNTOF(push->nodes); i++) {
        mb_strbuf_printf(out, "%s%u", i > 0 ? ", " : "", push->nodes[i]);
    }
    mb_strbuf_append(out, "]");
}

static void add_manifest(struct mb_strbuf *out, const struct spd_tree_job *job,
                         const struct spd_tree_plan *plan, const char *format,
                         const char *reduction)
{
    const struct mb_shader *shader = mb_spd_tree_shader_of(&plan->module);
    const char *view = plan->view == SPD_TREE_VIEW_OF_FORMAT ? "linear" : "words";
    mb_strbuf_printf(out,
                     "{\n  \"mipbench_kernel\": 1,\n  \"name\": \"spd-tree-%s-%s-%ux%u\",\n"
                     "  \"title\": \"spd-tree as it is exported, planned for one image\",\n",
                     format, reduction, job->width, job->height);
    if (plan->module.has_subgroups) {
        mb_strbuf_printf(out, "  \"requires\": {\"subgroup\": {\"size\": [%u]}},\n",
                         plan->subgroup_size);
    }
    mb_strbuf_printf(out,
                     "  \"domain\": {\"formats\": [\"%s\"], \"reduce\": [\"%s\"], "
                     "\"size\": [%u, %u], \"max_layers\": 1, \"full_chain\": true},\n"
                     "  \"tolerance\": {\"rounding\": \"kernel\"},\n"
                     "  \"shaders\": {\n    \"tree\": {\n      \"file\": \"%s\",\n"
                     "      \"constants\": {",
                     format, reduction, job->width, job->height, file_of(shader).s);
    add_constants(out, plan, shader);
    mb_strbuf_printf(out,
                     "}\n    }\n  },\n  \"buffers\": {\"hand-off\": {\"bytes\": %llu}, "
                     "\"counters\": {\"bytes\": %llu}},\n"
                     "  \"dispatches\": [\n    {\n      \"shader\": \"tree\",\n"
                     "      \"groups\": [%u, %u, %u],\n      \"push\": {\n",
                     (unsigned long long)plan->hand_off_bytes,
                     (unsigned long long)plan->counter_bytes, plan->n_groups[0],
                     plan->n_groups[1], plan->n_groups[2]);
    add_push(out, &plan->push);
    mb_strbuf_printf(
        out,
        "\n      },\n      \"bindings\": [\n"
        "        {\"binding\": 0, \"level\": 0, \"format\": \"%s\"},\n"
        "        {\"binding\": 1, \"levels\": {\"first\": 1, \"last\": \"levels - 1\"}, "
        "\"format\": \"%s\"},\n        {\"binding\": 2, \"buffer\": \"hand-off\"}%s\n"
        "      ]\n    }\n  ]\n}\n",
        view, view,
        (shader)->n_bindings > 3 ? ",\n        {\"binding\": 3, \"buffer\": \"counters\"}"
                                 : "");
}

/* Writes the plan of one image to FORMAT-REDUCTION-SIZE.json. */
static enum mb_status write_manifest(const struct mb_export *export,
                                     const struct mb_format *format, enum mb_reduce reduce,
                                     struct mb_err *err)
{
    struct spd_tree_plan plan;
    struct mb_layout layout;
    MB_SCOPED(mb_strbuf) text = {0};
    const uint32_t width = export->size.width, height = export->size.height;
    const struct spd_tree_device device =
        export->info ? mb_spd_tree_device_of(export->info) : usual_device;
    mb_layout_init(&layout, format, export->size, 1, mb_full_level_count(export->size));
    const struct mb_task task = {.reduce = reduce};
    const struct spd_tree_job job = mb_spd_tree_job_of(&layout, &task);
    const char *why = spd_tree_plan_job(&device, &job, &plan);
    if (!why && job.n_levels == 1) {
        why = "an image of one texel has one level, and nothing is dispatched";
    } else if (!why && (parts_of(mb_spd_tree_shader_of(&plan.module)) & export->left_out)) {
        why = "its module is left out, by --no-plain, --no-alpha or --no-updates";
    }
    MB_FAIL_IF(why, err, MB_ERRC_UNSUPPORTED, "export: no plan of %s at %ux%u: %s",
               format->name, width, height, why);
    add_manifest(&text, &job, &plan, format->name, mb_reduce_names[reduce]);
    MB_DO(mb_strbuf_check(&text, err));
    const struct mb_text name =
        mb_text("%s-%s-%ux%u.json", format->name, mb_reduce_names[reduce], width, height);
    return mb_file_write_in(export->dir, name.s, text.text, text.n_bytes, err);
}

static enum mb_status write_manifests(const struct mb_export *export, struct mb_err *err)
{
    for (size_t i = 0; export->size.width > 0 && i < mb_format_count * MB_N_REDUCES; i++) {
        const enum mb_reduce reduce = (enum mb_reduce)(i % MB_N_REDUCES);
        if ((export->reduces[i / MB_N_REDUCES] >> reduce & 1) != 0) {
            MB_DO(write_manifest(export, &mb_formats[i / MB_N_REDUCES], reduce, err));
        }
    }
    return MB_OK;
}

enum mb_status mb_spd_tree_export(const struct mb_export *export, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct modules modules = {0};
    MB_TRY(choose(export, &modules, err));
    for (const struct mb_embedded *file = mb_export_spd_tree; file->name != NULL; file++) {
        MB_TRY(mb_file_write_in(export->dir, file->name, file->data, file->n_bytes, err));
    }
    MB_TRY(write_modules(export, &modules, err));
    MB_TRY(write_manifests(export, err));
    MB_TRY(remove_left_over(export, &modules, err));
fail:
    mb_free(modules.shaders);
    return status;
}
