/* Manifests: where what is wrong is said to be, what {"by": ...} chooses, how the chain is cut,
 * and which barriers are placed. Modules are those of this program, as files. */
#include "base/file.h"
#include "base/os.h"
#include "base/strbuf.h"
#include "check.h"
#include "kernel/plan.h"
#include "temp_folder.h"

static char folder[MB_PATH_BYTES];

#define CELLS                                                                                  \
    "\"groups\": [\"ceil_div(width(first_level), 16)\", "                                      \
    "\"ceil_div(height(first_level), 16)\", \"layers\"]"
#define EXTENTS                                                                                \
    "\"source_extent\": [\"width(source_level)\", \"height(source_level)\"], "                 \
    "\"inv_source_extent\": [\"1.0 / width(source_level)\", 0.5]"

/* Level by level. */
static const char per_level[] =
    "{\n"
    "  \"mipbench_kernel\": 1,\n"
    "  \"name\": \"mine\",\n"
    "  \"parameters\": {\"fast\": [\"off\", \"on\"]},\n"
    "  \"domain\": {\"formats\": [\"rgba8\", \"r32f\"]},\n"
    "  \"shaders\": {\"level\": {\"file\": \"compute.spv\"}},\n"
    "  \"levels_per_step\": 1,\n"
    "  \"dispatches\": [{\n"
    "    \"shader\": \"level\",\n"
    "    " CELLS ",\n"
    "    \"push\": {" EXTENTS ", \"first\": [0, 0],\n"
    "      \"n_texels\": [\"width(first_level)\", \"height(first_level)\"]},\n"
    "    \"bindings\": [{\"binding\": 0, \"level\": \"source_level\"},\n"
    "      {\"binding\": 1, \"level\": \"first_level\"}]\n"
    "  }],\n"
    "  \"tolerance\": {\"policy\": {\"by\": \"fast\", \"on\": \"floor\", \"off\": \"box\"}}\n"
    "}\n";

/* Up to five levels at once. */
static const char chunks[] =
    "{\"mipbench_kernel\": 1, \"name\": \"mine\",\n"
    "\"shaders\": {\"pairs\": {\"file\": \"subgroup.spv\"}},\n"
    "\"levels_per_step\": \"max(1, min(5, even_levels(source_level)))\",\n"
    "\"dispatches\": [{\"shader\": \"pairs\", " CELLS ",\n"
    "\"push\": {\"affected\": [0, 0, 0, 0], " EXTENTS ", \"first_tile\": [0, 0],\n"
    "  \"n_targets\": \"n_levels\"},\n"
    "\"bindings\": [{\"binding\": 0, \"level\": \"source_level\"},\n"
    "  {\"binding\": 1, \"levels\": {\"first\": \"first_level\", \"last\": "
    "\"last_level\"}}]}]}\n";

/* All at once, twice: the second dispatch has the buffers of the first. */
#define ALL                                                                                    \
    "{\"shader\": \"all\", \"groups\": [\"ceil_div(width, 64)\", 1], \"push\": {\n"            \
    "  \"tiles\": [0, 0, 0, 0], \"affected\": [0, 0, 0, 0], \"base_extent\": [1, 2],\n"        \
    "  \"inv_base_extent\": [1, 0.5], \"n_levels\": \"levels\", \"n_tiles\": 3, "              \
    "\"first_slice\": 0},\n"                                                                   \
    "\"bindings\": [{\"binding\": 0, \"level\": 0}, {\"binding\": 4, \"level\": 0},\n"         \
    "  {\"binding\": 1, \"levels\": {\"first\": 1, \"last\": \"last_level\"}},\n"              \
    "  {\"binding\": 2, \"buffer\": \"texels\"}, {\"binding\": 3, \"buffer\": \"counter\"}]}"
static const char single[] =
    "{\"mipbench_kernel\": 1, \"name\": \"mine\",\n"
    "\"shaders\": {\"all\": {\"file\": \"spd_shared.spv\"}},\n"
    "\"buffers\": {\"texels\": {\"bytes\": \"levels * 1000\"}, \"counter\": {\"bytes\": 4, "
    "\"zero\": \"each-run\"}},\n"
    "\"dispatches\": [" ALL ",\n" ALL "]}\n";

/* The text with one part of it replaced, as a file; its path. */
static const char *put(const char *text, const char *old, const char *new)
{
    static char path[MB_PATH_BYTES];
    struct mb_err err = {0};
    struct mb_strbuf edited = {0};
    const char *at = old ? strstr(text, old) : text;
    CHECK(at != NULL);
    mb_strbuf_append_n(&edited, text, (size_t)(at - text));
    mb_strbuf_append(&edited, old ? new : "");
    mb_strbuf_append(&edited, at + (old ? strlen(old) : 0));
    snprintf(path, sizeof path, "%.3000s/mine.json", folder);
    must(mb_file_write_atomic(path, edited.text, edited.n_bytes, &err), &err);
    mb_strbuf_finish(&edited);
    return path;
}

struct image {
    struct mb_extent extent;
    uint32_t n_layers;
};

static enum mb_status plan_one(struct mb_kernel_plan *plan, const struct mb_manifest *manifest,
                               const struct image *image, struct mb_err *err)
{
    struct mb_layout layout;
    const struct mb_task task = {.rect = mb_rect_whole(image->extent)};
    const struct mb_params params = {.self = manifest};
    mb_layout_init(&layout, mb_format_find("rgba8"), image->extent, image->n_layers,
                   mb_full_level_count(image->extent));
    return mb_kernel_plan_init(plan, NULL, &layout, &task, &params, err);
}

static const struct image even = {{64, 64}, 1}, odd = {{333, 257}, 2};

/* Read and plan the manifest of that path. */
static enum mb_status attempt(void *user, struct mb_err *err)
{
    struct mb_manifest manifest;
    struct mb_kernel_plan plan = {0};
    enum mb_status status = mb_manifest_init(&manifest, user, NULL, err);
    if (status == MB_OK) {
        status = plan_one(&plan, &manifest, &even, err);
    }
    mb_kernel_plan_finish(&plan);
    mb_manifest_finish(&manifest);
    return status;
}

static const struct {
    const char *text, *old, *new, *why, *hint;
} wrong[] = {
    {per_level, "\"domain\"", "\"domian\"", "mine.json: domian: unknown key 'domian'",
     "did you mean 'domain'?"},
    {per_level, "\"r32f\"", "\"r32\"", "mine.json: domain.formats[1]: unknown name 'r32'",
     "did you mean 'r32f'?"},
    {per_level, ": 1,\n  \"name\"", ": 2,\n  \"name\"",
     "mine.json: mipbench_kernel: this program reads version 1", ""},
    {per_level, "\"mipbench_kernel\": 1,", "",
     "mine.json: the key \"mipbench_kernel\" is missing", ""},
    {per_level, "  \"name\": \"mine\",\n", "", "mine.json: the key \"name\" is missing", ""},
    {per_level, "\"mine\"", "\"My kernel\"", "mine.json: name: a name has at most 40", ""},
    {per_level, "\"shader\": \"level\"", "\"shader\": \"levle\"",
     "mine.json: dispatches[0].shader: unknown name 'levle'", ""},
    {per_level, "first_level), 16)\", \"", "first_level, 16)\", \"",
     "mine.json: dispatches[0].groups[0]: expected ')' at ', 16)'", ""},
    {per_level, "\"binding\": 1, ", "",
     "mine.json: dispatches[0].bindings[1]: the key "
     "\"binding\" is missing",
     ""},
    {per_level, "\"level\": \"first_level\"", "\"level\": true",
     "mine.json: dispatches[0].bindings[1].level: expected a number or an expression", ""},
    {per_level, "\"on\": \"floor\"", "\"onn\": \"floor\"",
     "mine.json: tolerance.policy.onn: unknown value 'onn'", "did you mean 'on'?"},
    {per_level, "\"by\": \"fast\"", "\"by\": \"fats\"",
     "mine.json: tolerance.policy.by: expected a parameter, \"format\"", ""},
    {per_level, "\"name\": \"mine\"", "\"name\": \"mine\", \"name\": \"mine\"",
     "mine.json: name: duplicate key", ""},
    {per_level, "\"levels_per_step\": 1", "\"levels_per_step\": \"address(texels)\"",
     "levels_per_step: unknown name 'address'", ""},
    {single, "\"levels * 1000\"", "\"n_levels\"",
     "mine.json: buffers.texels.bytes: the expression has no value here", ""},
    {single, "\"each-run\"", "\"each_run\"", "unknown name 'each_run'",
     "did you mean 'each-run'?"},
    {single, "\"buffer\": \"texels\"", "\"buffer\": \"texel\"", "unknown name 'texel'",
     "did you mean 'texels'?"},
    {per_level, "\"parameters\"", "\"\\u001b[2J\"", "mine.json: ", ""},
    {single, "}", "", "not JSON near '", ""},
    {per_level, "  }],\n", "  }]\n", "line 16, column 3: not JSON near '  \"", ""},
    {per_level, "[\"rgba8\", \"r32f\"]", "\"rgba8\"",
     "domain.formats: expected a list or a member of \"names\", not 'rgba8'", ""},
    {per_level, "\"compute.spv\"", "\"compute.spv\", \"defines\": \"A\"",
     "shaders.level.defines: expected an object or a member of \"names\", not 'A'", ""},
    {per_level, "\"compute.spv\"", "\"compute.spv\", \"include\": 1",
     "shaders.level.include: expected a list, such as [...]", ""},
    {per_level, "[\"rgba8\", \"r32f\"]", "[]", "domain.formats: the list is empty", ""},
    {per_level, "\"domain\"", "\"requires\": {\"features\": [\"shaderInt46\"]}, \"domain\"",
     "requires.features[0]: 'shaderInt46' is not a feature", ""},
    {per_level, "\"domain\"", "\"names\": {\"width\": 1}, \"domain\"",
     "names.width: the name is taken", ""},
};

/* What is wrong, and the way to it. */
static void test_places(void)
{
    for (size_t i = 0; i < MB_COUNTOF(wrong); i++) {
        struct mb_err err = {0};
        const char *path = put(wrong[i].text, wrong[i].old, wrong[i].new);
        CHECK(attempt((void *)path, &err) != MB_OK);
        CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
        CHECK(strstr(err.text, "mine.json: ") != NULL);
        CHECK(strpbrk(err.text, "\n\r\033") == NULL); /* whatever a key is made of */
        if (!check_record(strstr(err.text, wrong[i].why) && strstr(err.hint, wrong[i].hint),
                          __FILE__, __LINE__)) {
            fprintf(stderr, "%s; %s, not %s\n", err.text, err.hint, wrong[i].why);
        }
    }
}

/* Wrong only for an image, or by what the module says of itself. */
static void test_unplannable(void)
{
    static const struct {
        const char *text, *old, *new, *why;
    } cases[] = {
        {per_level, "\"levels_per_step\": 1", "\"levels_per_step\": \"levels\"",
         "levels_per_step: 7 is not an integer from 1 to 6"},
        {per_level, "\"compute.spv\"", "\"nothing.spv\"", "shaders.level.file: "},
        {per_level, ", \"off\": \"box\"", "",
         "tolerance.policy: no branch for off, and none for \"*\""},
        {per_level, "\"binding\": 1,", "\"binding\": 7,",
         "the shader has no binding 7 in set 0"},
        {per_level, "\"binding\": 1,", "\"binding\": 0,", "duplicate binding 0 in set 0"},
        {per_level, "{\"binding\": 0, \"level\": \"source_level\"},", "",
         "the shader's combined image sampler 'source', is missing"},
        {per_level, "\"first\": [0, 0],", "",
         "member 2 of the shader's block is missing: int 'first'"},
        {per_level, "\"first\": [0, 0]", "\"first\": [0, 0.5]", "0.5 is not of type int"},
        {per_level, "\"first\": [0, 0]", "\"first\": 0",
         "the shader's member has 2 values, not 1"},
        {per_level, "\"level\": \"first_level\"", "\"level\": \"source_level\"",
         "dispatches: no dispatch has level 6 bound to store to"},
        {per_level, "\"levels_per_step\": 1", "\"levels_per_step\": \"min(4, remaining)\"",
         "dispatches: no dispatch has level 2 bound to store to"},
        {per_level, "\"levels_per_step\": 1", "\"levels_per_step\": \"3 / 2\"",
         "levels_per_step: 1.5 is not an integer from 1 to 6"},
        {per_level, "\"levels_per_step\": 1", "\"levels_per_step\": \"n_levels\"",
         "levels_per_step: the expression has no value here"},
        {per_level, "\"level\": \"first_level\"", "\"levels\": [1, 2]",
         "the shader's array has 1 elements, for 2 levels"},
        {per_level, "\"level\": \"first_level\"", "\"buffer\": \"none\"",
         "unknown name 'none'"},
        {per_level, "\"layers\"]", "\"layers\", 1]", "expected one to three counts"},
        {single, "\"binding\": 2, \"buffer\": \"texels\"", "\"binding\": 2, \"level\": 1",
         "the shader has a storage buffer there"},
        {single, "\"bytes\": 4, ", "",
         "a buffer needs one of the keys \"bytes\" and \"fields\""},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_err err = {0};
        const char *path = put(cases[i].text, cases[i].old, cases[i].new);
        CHECK(attempt((void *)path, &err) != MB_OK);
        CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
        if (!check_record(strstr(err.text, cases[i].why) != NULL, __FILE__, __LINE__)) {
            fprintf(stderr, "%s, not %s\n", err.text, cases[i].why);
        }
    }
}

static void test_subgroup_sizes(void)
{
    struct mb_gpu_info info = {
        .min_subgroup_size = 8, .max_subgroup_size = 8, .has_full_subgroups = true};
    struct mb_manifest manifest;
    struct mb_layout layout;
    struct mb_kernel_plan plan;
    struct mb_err err = {0};
    const struct mb_task task = {.rect = mb_rect_whole(even.extent)};
    const struct mb_params params = {.self = &manifest};
    must(mb_manifest_init(&manifest,
                          put(per_level, "\"domain\"",
                              "\"requires\": {\"subgroup\": {\"size\": [32, 64]}}, \"domain\""),
                          NULL, &err),
         &err);
    mb_layout_init(&layout, mb_format_find("rgba8"), even.extent, 1, 7);
    CHECK(mb_kernel_plan_init(&plan, &info, &layout, &task, &params, &err) != MB_OK);
    CHECK_EQ_STR(err.text, "the device has subgroups of 8 to 8 lanes, which nobody can choose; "
                           "its manifest takes others");
    info.max_subgroup_size = 16;
    info.max_workgroup_subgroups = 1;
    CHECK(mb_kernel_plan_init(&plan, &info, &layout, &task, &params, &err) != MB_OK);
    CHECK_EQ_STR(err.text,
                 "the device has subgroups of 8 to 16 lanes; its manifest takes others");
    mb_manifest_finish(&manifest);
}

static void make_plan(const char *text, const char *old, const char *new,
                      const struct image *image, struct mb_manifest *manifest,
                      struct mb_kernel_plan *plan)
{
    struct mb_err err = {0};
    must(mb_manifest_init(manifest, put(text, old, new), NULL, &err), &err);
    must(plan_one(plan, manifest, image, &err), &err);
}

static void check_change(const struct mb_level_barrier *barrier, uint32_t first, uint32_t n,
                         const struct mb_access *from, const struct mb_access *to)
{
    CHECK_EQ_INT(barrier->first_level, first);
    CHECK_EQ_INT(barrier->n_levels, n);
    CHECK(barrier->from == from);
    CHECK(barrier->to == to);
}

/* All levels but the first are undefined before, and readable afterwards. */
static void check_ends(const struct mb_kernel_plan *plan, uint32_t n_levels)
{
    CHECK_EQ_INT(plan->opening.n_levels, 1);
    check_change(&plan->opening.levels[0], 1, n_levels - 1, &mb_access_undefined,
                 &mb_access_compute_read_write);
    CHECK(!plan->dispatches[0].before.has_memory && plan->dispatches[0].before.n_levels == 0);
    const struct mb_kernel_barriers *closing = &plan->closing;
    const struct mb_level_barrier *last = &closing->levels[closing->n_levels - 1];
    CHECK_EQ_INT(last->first_level + last->n_levels, n_levels);
    CHECK(last->to == &mb_access_readable);
}

/* Each level is made readable before the next dispatch reads it: that is the only barrier. */
static void test_per_level(void)
{
    struct mb_manifest manifest;
    struct mb_kernel_plan plan;
    int32_t push[8];
    make_plan(per_level, NULL, NULL, &odd, &manifest, &plan);
    CHECK_EQ_INT(plan.n_steps, 8);
    CHECK_EQ_INT(plan.n_dispatches, 8);
    CHECK_EQ_INT(plan.source_levels, 0xff);
    check_ends(&plan, 9);
    for (uint32_t i = 1; i < plan.n_dispatches; i++) {
        const struct mb_kernel_barriers *before = &plan.dispatches[i].before;
        CHECK_EQ_INT(before->n_levels, 1);
        check_change(&before->levels[0], i, 1, &mb_access_compute_read_write,
                     &mb_access_readable);
        CHECK(!before->has_memory);
    }
    const struct mb_kernel_dispatch *second = &plan.dispatches[1]; /* 166x128 to 83x64 */
    CHECK_EQ_INT(second->n_groups[0], 6);
    CHECK_EQ_INT(second->n_groups[1], 4);
    CHECK_EQ_INT(second->n_groups[2], 2);
    memcpy(push, second->push, sizeof push);
    CHECK_EQ_INT(push[0], 166);
    CHECK_EQ_INT(push[1], 128);
    CHECK_EQ_INT(push[6], 83);
    mb_kernel_plan_finish(&plan);
    mb_manifest_finish(&manifest);
}

/* What is sampled in GENERAL stays there, so that a barrier of memory has to do. */
static void test_memory(void)
{
    static const char *const news[] = {"\"level\": \"source_level\", \"layout\": \"general\"",
                                       "\"level\": 0, \"layout\": \"general\""};
    for (int i = 0; i < 2; i++) {
        struct mb_manifest manifest;
        struct mb_kernel_plan plan;
        make_plan(per_level, "\"level\": \"source_level\"", news[i], &even, &manifest, &plan);
        const struct mb_kernel_barriers *before = &plan.dispatches[1].before;
        CHECK_EQ_INT(before->n_levels, 0);
        CHECK_EQ_INT(before->has_memory, i == 0);
        /* Level 0 is readable when a kernel begins. */
        check_change(&plan.dispatches[0].before.levels[0], 0, 1, &mb_access_readable,
                     &mb_access_compute_read_write);
        check_change(&plan.closing.levels[0], 0, 7, &mb_access_compute_read_write,
                     &mb_access_readable);
        mb_kernel_plan_finish(&plan);
        mb_manifest_finish(&manifest);
    }
}

static void test_chunks(void)
{
    static const uint32_t sizes[] = {5, 1};
    struct mb_manifest manifest;
    struct mb_kernel_plan plan;
    make_plan(chunks, NULL, NULL, &even, &manifest, &plan);
    CHECK_EQ_INT(plan.n_dispatches, 2);
    CHECK_EQ_INT(plan.source_levels, 1 | 1 << 5);
    check_ends(&plan, 7);
    for (uint32_t i = 0; i < 2; i++) {
        const struct mb_kernel_dispatch *dispatch = &plan.dispatches[i];
        CHECK_EQ_INT(dispatch->step.n_levels, sizes[i]);
        CHECK_EQ_INT(dispatch->bindings[1].n_views, sizes[i]);
        CHECK_EQ_INT(dispatch->bindings[1].first_level[0], dispatch->step.source_level + 1);
    }
    CHECK_EQ_INT(plan.dispatches[1].before.n_levels, 1);
    check_change(&plan.dispatches[1].before.levels[0], 5, 1, &mb_access_compute_read_write,
                 &mb_access_readable);
    check_change(&plan.closing.levels[0], 1, 4, &mb_access_compute_read_write,
                 &mb_access_readable);
    mb_kernel_plan_finish(&plan);
    mb_manifest_finish(&manifest);
}

static void test_single(void)
{
    struct mb_manifest manifest;
    struct mb_kernel_plan plan;
    make_plan(single, NULL, NULL, &odd, &manifest, &plan);
    CHECK_EQ_INT(plan.n_steps, 1);
    CHECK_EQ_INT(plan.n_dispatches, 2);
    CHECK_EQ_INT(plan.n_buffers, 2);
    CHECK_EQ_INT(plan.buffers[0].n_bytes, 9000);
    CHECK(!plan.buffers[0].is_each_run && plan.buffers[1].is_each_run);
    check_ends(&plan, 9);
    CHECK_EQ_INT(plan.dispatches[1].before.n_levels, 0);
    CHECK(plan.dispatches[1].before.has_memory); /* the same buffers, and levels */
    mb_kernel_plan_finish(&plan);
    mb_manifest_finish(&manifest);
}

/* Names of arithmetics are in the order of the enum. */
static void test_arithmetic(void)
{
    static const struct {
        const char *name;
        enum mb_arithmetic arithmetic;
    } cases[] = {{"fp32", MB_ARITHMETIC_FP32},
                 {"fp16", MB_ARITHMETIC_FP16},
                 {"filter", MB_ARITHMETIC_FILTER},
                 {"corner", MB_ARITHMETIC_CORNER},
                 {"filter-fp16", MB_ARITHMETIC_FILTER_FP16}};
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_manifest manifest;
        struct mb_kernel_plan plan;
        char text[64];
        snprintf(text, sizeof text, "\"arithmetic\": \"%s\", \"policy\"", cases[i].name);
        make_plan(per_level, "\"policy\"", text, &even, &manifest, &plan);
        CHECK_EQ_INT(plan.tolerance.arithmetic, cases[i].arithmetic);
        mb_kernel_plan_finish(&plan);
        mb_manifest_finish(&manifest);
    }
}

static void test_memory_runs_out(void)
{
    CHECK(check_each_allocation(attempt, (void *)put(single, NULL, NULL)) > 20);
}

static void put_module(const char *name, const char *file)
{
    struct mb_err err = {0};
    size_t i = 0;
    while (mb_shaders[i] && strcmp(mb_shaders[i]->name, name) != 0) {
        i++;
    }
    CHECK(mb_shaders[i] != NULL);
    must(mb_file_write_in(folder, file, mb_shaders[i]->code, mb_shaders[i]->code_bytes, &err),
         &err);
}

static void remove_all(void)
{
    static const char *const files[] = {"compute.spv", "subgroup.spv", "spd_shared.spv",
                                        "mine.json", ""};
    for (size_t i = 0; i < MB_COUNTOF(files); i++) {
        char path[MB_PATH_BYTES];
        snprintf(path, sizeof path, "%.3000s/%s", folder, files[i]);
        CHECK_EQ_INT(remove(path), 0);
    }
}

int main(void)
{
    check_make_folder(folder);
    put_module("compute/compute.comp", "compute.spv");
    put_module("subgroup/subgroup.comp", "subgroup.spv");
    put_module("spd/spd_shared.comp", "spd_shared.spv");
    const int result = CHECK_TESTS(test_places, test_unplannable, test_subgroup_sizes,
                                   test_per_level, test_memory, test_chunks, test_single,
                                   test_arithmetic, test_memory_runs_out);
    remove_all();
    return result;
}
