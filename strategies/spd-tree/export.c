/* What `mipbench export spd-tree` writes: lib/ as it is, and those of the strategy's own
 * modules that the planner takes for the formats that were asked for. */
#include "modules.h"

#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "strategy/needs.h"

extern const struct mb_export mb_spd_tree_export;
extern const struct mb_embedded mb_export_spd_tree[];

/* What devices and images may differ in, a bit each. */
enum {
    HAS_SUBGROUPS = 1 << 0,
    HAS_INT64_ATOMICS = 1 << 1,
    WEIGHS_ALPHA = 1 << 2,
    IS_DEPTH = 1 << 3,
    IS_ODD = 1 << 4,
    HAS_FEW_LANES = 1 << 5,
    IS_UPDATE = 1 << 6,
    N_CASES = 1 << 7,
};

/* The module of a case; false if there is none. */
static bool plan_case(unsigned which, const struct mb_format *format, enum mb_reduce reduce,
                      struct spd_tree_module *module)
{
    struct spd_tree_plan plan;
    const uint32_t lanes = which & HAS_FEW_LANES ? 8 : 32;
    const struct spd_tree_device device = {
        .has_shuffles = (which & HAS_SUBGROUPS) != 0,
        .has_full_subgroups = true,
        .has_int64_atomics = (which & HAS_INT64_ATOMICS) != 0,
        .subgroup_size = lanes,
        .min_subgroup_size = lanes,
        .max_subgroup_size = lanes,
        .max_shared_bytes = 48u << 10,
        .max_buffer_bytes = UINT64_MAX,
    };
    const struct spd_tree_image image = {
        .width = which & IS_ODD ? 67 : 64,
        .height = 64,
        .n_layers = 1,
        .n_levels = 7,
        .format = mb_spd_tree_format_of(format),
        .reduction = mb_spd_tree_reduction_of(reduce),
        .weighs_alpha = (which & WEIGHS_ALPHA) != 0,
        .is_depth = (which & IS_DEPTH) != 0,
        .changed = {0, 0, which & IS_UPDATE ? 1 : 0, which & IS_UPDATE ? 1 : 0},
    };
    const bool is_case =
        (!image.weighs_alpha || mb_weighs_alpha(reduce, MB_ALPHA_PREMULTIPLIED, format)) &&
        (!image.is_depth || format->vk_format == VK_FORMAT_R32_SFLOAT);
    const bool is_planned = is_case && !spd_tree_make_plan(&device, &image, NULL, &plan);
    *module = is_planned ? plan.module : (struct spd_tree_module){0};
    return is_planned;
}

static bool takes(const struct mb_shader *shader, const struct mb_format *format,
                  enum mb_reduce reduce)
{
    struct spd_tree_module module, taken;
    for (unsigned i = 0; mb_spd_tree_module_of(shader, &module) && i < N_CASES; i++) {
        if (plan_case(i, format, reduce, &taken) &&
            memcmp(&module, &taken, sizeof module) == 0) {
            return true;
        }
    }
    return false;
}

static unsigned parts_of(const struct mb_shader *shader)
{
    struct spd_tree_module m;
    mb_spd_tree_module_of(shader, &m);
    return (m.is_update       ? (unsigned)MB_EXPORT_UPDATES
            : m.has_subgroups ? 0
                              : (unsigned)MB_EXPORT_PLAIN) |
           (m.weighs_alpha ? (unsigned)MB_EXPORT_ALPHA : 0);
}

/* Decimal and without spaces: short, for there is much of it. */
static void add_code(struct mb_strbuf *out, const struct mb_shader *shader, size_t i)
{
    mb_strbuf_printf(out, "\n/* %s */\nstatic const uint32_t code_%zu[] = {", shader->flags, i);
    for (size_t k = 0; k < shader->code_bytes / sizeof *shader->code; k++) {
        mb_strbuf_printf(out, "%s%u,", k % 16 == 0 ? "\n" : "", (unsigned)shader->code[k]);
    }
    mb_strbuf_append(out, "\n};\n");
}

static const char *bool_of(bool value)
{
    return value ? "true" : "false";
}

static void add_row(struct mb_strbuf *out, const struct mb_shader *shader, size_t i)
{
    struct spd_tree_module m;
    mb_spd_tree_module_of(shader, &m);
    mb_strbuf_printf(
        out, "    {{%u, %u, %s, %s, %s, %s, %s, %s, %s}, {code_%zu, sizeof code_%zu}},\n",
        m.n_channels, m.raw_words, bool_of(m.weighs_alpha), bool_of(m.has_subgroups),
        bool_of(m.has_slots), bool_of(m.is_update), bool_of(m.has_sums), bool_of(m.is_even),
        bool_of(m.is_extreme), i, i);
}

static void add_code_file(struct mb_strbuf *out, const struct mb_shader *const *shaders,
                          size_t n_shaders)
{
    mb_strbuf_append(out, "/* The modules that were exported, as SPIR-V, and what each is "
                          "compiled with; written by mipbench. */\n"
                          "#include \"spd_tree_plan.h\"\n");
    for (size_t i = 0; i < n_shaders; i++) {
        add_code(out, shaders[i], i);
    }
    mb_strbuf_append(out, "\nstatic const struct {\n    struct spd_tree_module module;\n"
                          "    struct spd_tree_code code;\n} modules[] = {\n");
    for (size_t i = 0; i < n_shaders; i++) {
        add_row(out, shaders[i], i);
    }
    mb_strbuf_append(
        out, "};\n\nbool spd_tree_code_of(const struct spd_tree_module *module, struct "
             "spd_tree_code *code)\n{\n"
             "    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {\n"
             "        if (memcmp(&modules[i].module, module, sizeof *module) == 0) {\n"
             "            *code = modules[i].code;\n            return true;\n        }\n"
             "    }\n    return false;\n}\n");
}

/* ---- A manifest */

static void add_ints(struct mb_strbuf *out, const char *name, const uint32_t *values, size_t n)
{
    mb_strbuf_printf(out, "        \"%s\": [", name);
    for (size_t i = 0; i < n; i++) {
        mb_strbuf_printf(out, "%s%u", i > 0 ? ", " : "", values[i]);
    }
    mb_strbuf_append(out, "]");
}

static void add_floats(struct mb_strbuf *out, const char *name, const float *values, size_t n)
{
    mb_strbuf_printf(out, "        \"%s\": [", name);
    for (size_t i = 0; i < n; i++) {
        mb_strbuf_printf(out, "%s%.9g", i > 0 ? ", " : "", (double)values[i]);
    }
    mb_strbuf_append(out, "]");
}

static bool has_constant(const struct mb_shader *shader, const char *name)
{
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        if (strcmp(shader->constants[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Those that the module has: integers, but for two that are floats in levels.glsl. */
static void add_constants(struct mb_strbuf *out, const struct spd_tree_plan *plan,
                          const struct mb_shader *shader)
{
    const char *separator = "";
    for (size_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        const struct spd_tree_constant *constant = &plan->constants[i];
        const bool is_float = strncmp(constant->name, "UNORM_MAX", strlen("UNORM_MAX")) == 0;
        float real;
        memcpy(&real, &constant->value, sizeof real);
        if (has_constant(shader, constant->name)) {
            const struct mb_text value =
                is_float ? mb_text("%.9g", (double)real) : mb_text("%u", constant->value);
            mb_strbuf_printf(out, "%s\"%s\": %s", separator, constant->name, value.s);
            separator = ", ";
        }
    }
}

static void add_push(struct mb_strbuf *out, const struct spd_tree_push *push)
{
    const uint32_t base[] = {(uint32_t)push->base_extent[0], (uint32_t)push->base_extent[1]};
    add_ints(out, "base_extent", base, 2);
    mb_strbuf_append(out, ",\n");
    add_floats(out, "inv_base_extent", push->inv_base_extent, 2);
    mb_strbuf_printf(out,
                     ",\n        \"zero\": %u, \"n_nodes\": %u, \"n_tiles\": %u, "
                     "\"n_levels\": %u,\n",
                     push->zero, push->n_nodes, push->n_tiles, push->n_levels);
    add_floats(out, "scales", push->scales, 3);
    mb_strbuf_printf(out,
                     ",\n        \"n_first\": %u, \"strip_rows\": %u, \"span\": %u, "
                     "\"is_many\": %u,\n",
                     push->n_first, push->strip_rows, push->span, push->is_many);
    add_ints(out, "nodes", push->nodes, 12);
}

static void add_plan(struct mb_strbuf *out, const struct spd_tree_plan *plan,
                     const struct mb_shader *shader)
{
    const char *name = strrchr(shader->name, '/') + 1;
    const char *format = plan->view == SPD_TREE_VIEW_OF_FORMAT ? "linear" : "words";
    mb_strbuf_printf(out,
                     "  \"shaders\": {\n    \"tree\": {\n      \"file\": \"%.*s.spv\",\n"
                     "      \"constants\": {",
                     (int)strcspn(name, "."), name);
    add_constants(out, plan, shader);
    mb_strbuf_printf(
        out,
        "}\n    }\n  },\n"
        "  \"buffers\": {\"hand-off\": {\"bytes\": %llu}, \"counters\": {\"bytes\": %llu}},\n"
        "  \"dispatches\": [\n    {\n      \"shader\": \"tree\",\n"
        "      \"groups\": [%u, %u, %u],\n      \"push\": {\n",
        (unsigned long long)(plan->hand_off_bytes + 3) / 4 * 4,
        (unsigned long long)(plan->counter_bytes + 3) / 4 * 4, plan->n_groups[0],
        plan->n_groups[1], plan->n_groups[2]);
    add_push(out, &plan->push);
    mb_strbuf_printf(
        out,
        "\n      },\n      \"bindings\": [\n"
        "        {\"binding\": 0, \"level\": 0, \"format\": \"%s\"},\n"
        "        {\"binding\": 1, \"levels\": {\"first\": 1, \"last\": \"levels - 1\"}, "
        "\"format\": \"%s\"},\n"
        "        {\"binding\": 2, \"buffer\": \"hand-off\"}%s\n      ]\n    }\n  ]\n}\n",
        format, format,
        shader->n_bindings > 3 ? ",\n        {\"binding\": 3, \"buffer\": \"counters\"}" : "");
}

/* What a device without a name is taken to have. */
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

static const char *add_manifest(struct mb_strbuf *out, const struct mb_gpu_info *info,
                                const struct mb_layout *layout, enum mb_reduce reduce,
                                const struct mb_shader **shader)
{
    struct spd_tree_plan plan;
    const struct spd_tree_device device = info ? mb_spd_tree_device_of(info) : usual_device;
    const struct spd_tree_image image = {
        .width = layout->base.width,
        .height = layout->base.height,
        .n_layers = 1,
        .n_levels = layout->n_levels,
        .format = mb_spd_tree_format_of(layout->format),
        .reduction = mb_spd_tree_reduction_of(reduce),
    };
    const char *why = spd_tree_make_plan(&device, &image, NULL, &plan);
    if (why) {
        return why;
    }
    const bool has_words = !plan.module.has_slots && !plan.module.is_extreme;
    mb_strbuf_printf(out,
                     "{\n  \"mipbench_kernel\": 1,\n  \"name\": \"spd-tree-%s-%s-%ux%u\",\n"
                     "  \"title\": \"spd-tree as it is exported, planned for one image\",\n"
                     "  \"requires\": {\n    \"features\": [\"vulkanMemoryModel\", "
                     "\"vulkanMemoryModelDeviceScope\", "
                     "\"shaderStorageImageWriteWithoutFormat\"%s]",
                     layout->format->name, mb_reduce_names[reduce], layout->base.width,
                     layout->base.height,
                     has_words ? ", \"shaderInt64\", \"shaderBufferInt64Atomics\"" : "");
    if (plan.module.has_subgroups) {
        mb_strbuf_printf(out, ",\n    \"subgroup\": {\"size\": [%u]}", plan.subgroup_size);
    }
    mb_strbuf_printf(out,
                     "\n  },\n  \"domain\": {\"formats\": [\"%s\"], \"reduce\": [\"%s\"], "
                     "\"size\": [%u, %u], \"max_layers\": 1, \"full_chain\": true},\n"
                     "  \"tolerance\": {\"rounding\": \"kernel\"},\n",
                     layout->format->name, mb_reduce_names[reduce], layout->base.width,
                     layout->base.height);
    *shader = mb_spd_tree_shader_of(&plan.module);
    add_plan(out, &plan, *shader);
    return NULL;
}

const struct mb_export mb_spd_tree_export = {
    .files = mb_export_spd_tree,
    .takes = takes,
    .parts_of = parts_of,
    .code_name = "spd_tree_modules.c",
    .prefix = "spd_tree_",
    .add_code = add_code_file,
    .add_manifest = add_manifest,
};
