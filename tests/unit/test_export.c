/* `mipbench export spd-tree` against what spd-tree itself does: both have one planner and one
 * list of modules. Every plan's module is there and among those that are exported for its
 * format and reduction, its constants are the module's, and the files that are written are,
 * byte for byte, what the program runs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "cli/export.h"
#include "strategy.h"

#include "../../strategies/spd-tree/modules.h"

#define MAX_SHADERS 256
#define MAX_FORMATS 16

/* As mb_spd_tree_takes(), asked once. */
static bool is_exported(const struct mb_shader *shader, const struct mb_format *format,
                        enum mb_reduce reduce)
{
    static int8_t known[MAX_SHADERS][MAX_FORMATS][MB_N_REDUCES]; /* 0: not yet */
    size_t i = 0;
    while (mb_shaders[i] != shader) {
        i++;
    }
    CHECK(i < MAX_SHADERS && mb_format_count <= MAX_FORMATS);
    int8_t *it = &known[i][format - mb_formats][reduce];
    *it = *it ? *it : mb_spd_tree_takes(shader, format, reduce) ? 1 : -1;
    return *it == 1;
}

/* By name where the module has them: its ids are the plan's. */
static void check_constants(const struct spd_tree_plan *plan, const struct mb_shader *shader)
{
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        for (uint32_t k = 0; k < SPD_TREE_N_CONSTANTS; k++) {
            if (strcmp(shader->constants[i].name, plan->constants[k].name) == 0) {
                CHECK_EQ_INT(shader->entries[i].constantID, plan->constants[k].id);
                n_found++;
            }
        }
    }
    CHECK_EQ_INT(n_found, shader->n_constants);
}

static bool has_constant(const struct mb_shader *shader, const char *name)
{
    bool has = false;
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        has = has || strcmp(shader->constants[i].name, name) == 0;
    }
    return has;
}

/* Of the other shape it has none. */
static void check_no_other_shape(const struct spd_tree_module *module,
                                 const struct mb_shader *shader)
{
    CHECK(!module->is_even ||
          (!has_constant(shader, "MAX_ROWS") && !has_constant(shader, "GENERAL")));
    CHECK_EQ_INT(has_constant(shader, "HAS_TAIL"), module->is_even);
    CHECK_EQ_INT(has_constant(shader, "IS_LATE"), module->is_even);
}

struct case_of_plan {
    const struct mb_format *format;
    enum mb_reduce reduce;
    struct mb_extent size;
    unsigned bits;
};

/* bits: subgroups, 64-bit atomics, alpha, six layers, depth, strips. */
static bool check_plan(const struct case_of_plan *c, uint32_t subgroup_size)
{
    struct spd_tree_plan plan;
    const struct spd_tree_device device = {
        .has_shuffles = c->bits & 1,
        .has_full_subgroups = true,
        .has_int64_atomics = c->bits >> 1 & 1,
        .subgroup_size = subgroup_size,
        .min_subgroup_size = subgroup_size,
        .max_subgroup_size = subgroup_size,
        .max_shared_bytes = 48u << 10,
        .max_buffer_bytes = UINT32_MAX,
    };
    const struct mb_task task = {
        .reduce = c->reduce,
        .alpha = c->bits >> 2 & 1 ? MB_ALPHA_PREMULTIPLIED : MB_ALPHA_STRAIGHT,
    };
    struct mb_layout layout;
    mb_layout_init(&layout, c->format, c->size, c->bits >> 3 & 1 ? 6 : 1,
                   mb_full_level_count(c->size));
    struct spd_tree_job job = mb_spd_tree_job_of(&layout, &task);
    const struct spd_tree_options options = {
        .shape = c->bits >> 5 & 1 ? SPD_TREE_STRIPS : SPD_TREE_ANY_SHAPE,
    };
    const unsigned n_failed = check_n_failed;
    job.is_depth = c->bits >> 4 & (c->format->vk_format == VK_FORMAT_R32_SFLOAT);
    job.options = &options;
    if (spd_tree_plan_job(&device, &job, &plan)) {
        return false;
    }
    const struct mb_shader *shader = mb_spd_tree_shader_of(&plan.module);
    CHECK(shader != NULL);
    if (shader) {
        CHECK(is_exported(shader, c->format, c->reduce));
        check_constants(&plan, shader);
        check_no_other_shape(&plan.module, shader);
    }
    if (check_n_failed > n_failed) {
        fprintf(stderr, "  of %s %s %ux%u, bits %x\n", c->format->name,
                mb_reduce_names[c->reduce], c->size.width, c->size.height, c->bits);
    }
    return true;
}

static void test_modules(void)
{
    static const struct mb_extent sizes[] = {
        {2, 1},        {1, 300},     {101, 67},    {256, 256},   {640, 480},
        {1920, 1080},  {1921, 1081}, {2048, 2048}, {4095, 4095}, {8192, 8192},
        {12289, 7001}, {16384, 3},   {7, 16383},   {7168, 5120},
    };
    static const uint32_t subgroup_sizes[] = {4, 8, 16, 32, 64, 128};
    size_t n_planned = 0, n = 0;
    for (size_t i = 0; i < mb_format_count * MB_N_REDUCES * MB_COUNTOF(sizes); i++) {
        for (unsigned bits = 0; bits < 64; bits++, n++) {
            const struct case_of_plan c = {
                .format = &mb_formats[i / MB_N_REDUCES / MB_COUNTOF(sizes)],
                .reduce = (enum mb_reduce)(i / MB_COUNTOF(sizes) % MB_N_REDUCES),
                .size = sizes[i % MB_COUNTOF(sizes)],
                .bits = bits,
            };
            n_planned += check_plan(&c, subgroup_sizes[n % MB_COUNTOF(subgroup_sizes)]);
        }
    }
    CHECK_EQ_INT(n_planned, n);
}

/* A module is exported for some format and reduction. */
static void test_no_module_is_idle(void)
{
    for (const struct mb_shader *const *shader = mb_shaders; *shader; shader++) {
        struct spd_tree_module module;
        bool is_taken = false;
        for (size_t i = 0; i < mb_format_count * MB_N_REDUCES; i++) {
            is_taken = is_taken || mb_spd_tree_takes(*shader, &mb_formats[i / MB_N_REDUCES],
                                                     (enum mb_reduce)(i % MB_N_REDUCES));
        }
        const bool is_own = mb_spd_tree_module_of(*shader, &module);
        CHECK_EQ_INT(is_taken, is_own);
        if (is_own) {
            CHECK(mb_spd_tree_shader_of(&module) == *shader);
        }
    }
}

/* Whether a written file holds these bytes. */
static bool is_same(const char *dir, const char *name, const void *data, size_t n_bytes)
{
    char path[256];
    struct mb_err err = {0};
    MB_SCOPED(mb_bytes) bytes = {0};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return mb_file_read(path, SIZE_MAX, &bytes, &err) == MB_OK && bytes.n_bytes == n_bytes &&
           memcmp(bytes.data, data, n_bytes) == 0;
}

static void check_written(const char *dir)
{
    char name[512];
    struct mb_err err = {0};
    static const char *const files[] = {"spd_tree.h", "spd_tree.c", "spd_tree_plan.h",
                                        "spd_tree_plan.c"};
    for (size_t i = 0; i < MB_COUNTOF(files); i++) {
        MB_SCOPED(mb_bytes) file = {0};
        snprintf(name, sizeof name, "%s/%s", LIB, files[i]);
        CHECK(mb_file_read(name, SIZE_MAX, &file, &err) == MB_OK);
        CHECK(is_same(dir, files[i], file.data, file.n_bytes));
    }
    for (const struct mb_shader *const *shader = mb_shaders; *shader; shader++) {
        struct spd_tree_module module;
        if (mb_spd_tree_module_of(*shader, &module)) {
            const char *stem = strchr((*shader)->name, '/') + 1;
            snprintf(name, sizeof name, "%.*s.spv", (int)strcspn(stem, "."), stem);
            CHECK(is_same(dir, name, (*shader)->code, (*shader)->code_bytes));
        }
    }
}

static void test_files(void)
{
    char dir[] = "export-XXXXXX";
    char command[64];
    struct mb_err err = {0};
    static const struct mb_strategy exported = {.export = mb_spd_tree_export};
    CHECK(mkdtemp(dir) != NULL);
    struct mb_options options = {.verb = MB_VERB_EXPORT,
                                 .out_dir = dir,
                                 .exported = &exported,
                                 .plain = true,
                                 .alpha = true,
                                 .updates = true,
                                 .quiet = true};
    options.settings.n_formats = 1;
    options.format_reduces[0] = MB_ALL_REDUCES;
    CHECK(mb_export_run(&options, &err) == MB_OK);
    check_written(dir);
    snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK_EQ_INT(system(command), 0);
}

int main(void)
{
    return CHECK_TESTS(test_modules, test_no_module_is_idle, test_files);
}
