/* A strategy that asks for everything the helpers offer, held to the golden model; refused by
 * the name of a feature that is hidden; and its plain claim, or none at all. And what reaches
 * the driver: modules as they are. */
#include <stdio.h>
#include <string.h>

#include "../unit/temp_folder.h"
#include "base/alloc.h"
#include "base/file.h"
#include "harness.h"
#include "kernel/manifest.h"
#include "result/question.h"
#include "vk/pipeline.h"

extern const struct mb_strategy mb_strategy_every_need;
extern const struct mb_shader mb_spv_every_need, mb_spv_compute;

static const struct mb_strategy *const table[] = {&mb_strategy_every_need, NULL};

static void run_case(const struct mb_gpu *gpu, const struct mb_test_case *test_case)
{
    static const char *const specs[] = {"every-need", "every-need:claim=number",
                                        "every-need:claim=none", NULL};
    static const unsigned questions[] = {1u << MB_QUESTION_EXACT | 1u << MB_QUESTION_ANY,
                                         1u << MB_QUESTION_ANY, 0};
    size_t n_rows = 0;
    struct mb_variant *rows = mb_test_plan_of(table, specs, &n_rows);
    struct mb_case c = {.n_results = 0};
    const double claim =
        test_case->format && strcmp(test_case->format, "rgba32f") == 0 ? 4.0 : 0.75;
    CHECK(mb_test_run_case(gpu, rows, n_rows, test_case, &c));
    CHECK_EQ_INT(c.n_results, 3);
    for (size_t i = 0; i < c.n_results; i++) {
        const struct mb_result *result = &c.results[i];
        printf("  %s: %s\n", result->label, result->reason);
        CHECK_EQ_INT(result->status, MB_RESULT_OK);
        CHECK_EQ_INT(result->verify, i == 2 ? MB_VERIFY_SKIPPED : MB_VERIFY_PASS);
        CHECK_EQ_INT(mb_answer_of(&result->work.tolerance, MB_REDUCE_AVG, true).questions,
                     questions[i]);
        CHECK(c.timings[0].rows[i].stats.n > 0 && c.timings[0].fastest != 2);
        CHECK_EQ_DBL(result->verdict.claimed_lsb, i == 1 ? claim : 0.0, 0.0);
    }
    mb_case_finish(&c);
    mb_free(rows);
}

/* Each hidden feature is named; a name that nobody knows is one that every device lacks. */
static void test_hidden(struct mb_gpu *gpu)
{
    const struct mb_variant row = {.strategy = &mb_strategy_every_need};
    const struct mb_task task = {.rect = {0, 0, 8, 8}};
    static const char *const unknown[] = {"shaderInt65", NULL};
    struct mb_layout layout;
    struct mb_err why = {0};
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){8, 8}, 1, 4);
    CHECK_EQ_INT(mb_variant_supports(&row, gpu, &layout, &task, &why), MB_OK);
    struct mb_gpu other = *gpu;
    other.info.features.v12.bufferDeviceAddress = VK_FALSE;
    CHECK_EQ_INT(mb_variant_supports(&row, &other, &layout, &task, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(why.text, "the device lacks bufferDeviceAddress");
    other = *gpu;
    other.info.features.size_control.computeFullSubgroups = VK_FALSE;
    CHECK_EQ_INT(mb_variant_supports(&row, &other, &layout, &task, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(why.text, "the device lacks computeFullSubgroups");
    CHECK(!mb_features_is_known(unknown[0]) && mb_features_is_known("VK_KHR_push_descriptor"));
    CHECK_EQ_INT(mb_features_require(&gpu->info.features, unknown, &why), MB_UNSUPPORTED);
    CHECK_EQ_STR(why.text, "the device lacks shaderInt65");
}

/* A misspelt constant is no default. */
static void test_unknown_constant(struct mb_gpu *gpu)
{
    struct mb_pipeline pipeline = {0};
    struct mb_err err = {0};
    const struct mb_constant misspelt = {"Y12", 1};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_every_need, .constants = &misspelt, .n_constants = 1, .name = "x"};
    CHECK_EQ_INT(mb_pipeline_init(&pipeline, gpu, &options, &err), MB_FAILED);
    CHECK_EQ_STR(err.text, "every-need/every_need.comp has no specialisation constant Y12");
    mb_pipeline_finish(&pipeline);
}

static VKAPI_ATTR VkResult VKAPI_CALL check_module(VkDevice device,
                                                   const VkShaderModuleCreateInfo *info,
                                                   const VkAllocationCallbacks *callbacks,
                                                   VkShaderModule *module)
{
    CHECK(info->codeSize == mb_spv_compute.code_bytes &&
          memcmp(info->pCode, mb_spv_compute.code, info->codeSize) == 0);
    return REAL(vkCreateShaderModule)(device, info, callbacks, module);
}

/* All constants are given; npot=floor is the first of them, and the next keeps its default. */
static VKAPI_ATTR VkResult VKAPI_CALL check_pipeline(VkDevice device, VkPipelineCache cache,
                                                     uint32_t n,
                                                     const VkComputePipelineCreateInfo *infos,
                                                     const VkAllocationCallbacks *callbacks,
                                                     VkPipeline *pipelines)
{
    static const uint32_t told[] = {0, 0};
    const VkSpecializationInfo *given = infos->stage.pSpecializationInfo;
    CHECK(given->mapEntryCount == mb_spv_compute.n_constants &&
          memcmp(given->pMapEntries, mb_spv_compute.entries,
                 given->mapEntryCount * sizeof *given->pMapEntries) == 0);
    CHECK(given->dataSize == 4 * mb_spv_compute.n_constants &&
          memcmp(given->pData, told, sizeof told) == 0);
    return REAL(vkCreateComputePipelines)(device, cache, n, infos, callbacks, pipelines);
}

static const char manifest[] =
    "{\"mipbench_kernel\": 1, \"name\": \"mine\", \"levels_per_step\": 1, \"shaders\": {\n"
    "\"level\": {\"file\": \"compute.spv\", \"constants\": {\"NPOT_BOX\": 0}}},\n"
    "\"dispatches\": [{\"shader\": \"level\", \"groups\": [1], \"push\": {\n"
    "\"source_extent\": [9, 9], \"inv_source_extent\": [0, 0], \"first\": [0, 0],\n"
    "\"n_texels\": [4, 4]}, \"bindings\": [\n"
    "{\"binding\": 0, \"level\": \"source_level\"},\n"
    "{\"binding\": 1, \"level\": \"first_level\"}]}]}\n";

static enum mb_status open_table(struct mb_kernel_table *kernels, const char *folder,
                                 struct mb_err *err)
{
    char path[MB_PATH_BYTES];
    char *paths[] = {path};
    const struct mb_strlist list = {paths, MB_COUNTOF(paths)};
    snprintf(path, sizeof path, "%.4000s/mine.json", folder);
    MB_DO(mb_file_write_in(folder, "compute.spv", mb_spv_compute.code,
                           mb_spv_compute.code_bytes, err));
    MB_DO(mb_file_write_in(folder, "mine.json", manifest, strlen(manifest), err));
    return mb_kernel_table_init(kernels, mb_strategies, &list, NULL, err);
}

/* One made afresh. */
static void make_row(const struct mb_gpu *gpu, const struct mb_variant *row)
{
    const struct mb_layout layout = mb_test_layout("rgba8", (struct mb_extent){9, 9}, 1);
    const struct mb_task task = mb_test_whole(layout.base);
    struct mb_test_image test_image;
    struct mb_instance instance = {0};
    struct mb_err err = {0};
    void *texels = mb_test_texels(&layout, "noise");
    if (mb_test_open_image(&test_image, gpu, &layout, texels)) {
        STAND_IN(vkCreateShaderModule, check_module);
        STAND_IN(vkCreateComputePipelines, check_pipeline);
        CHECK_EQ_INT(mb_test_instance(&instance, &test_image, row, &task, &err), MB_OK);
        CHECK_EQ_INT(N_REAL_CALLS(vkCreateShaderModule), 1);
        CHECK_EQ_INT(N_REAL_CALLS(vkCreateComputePipelines), 1);
        stand_ins_end();
        CHECK_EQ_STR(err.text, "");
    }
    mb_instance_finish(&instance);
    mb_test_image_finish(&test_image);
    mb_free(texels);
}

/* Built in and by a manifest: the driver gets the module byte for byte. */
static void test_modules(struct mb_gpu *gpu)
{
    static const char *const specs[] = {"compute:npot=floor", "mine", NULL};
    char folder[MB_PATH_BYTES];
    struct mb_kernel_table kernels = {0};
    struct mb_err err = {0};
    struct mb_gpu fresh = *gpu;
    struct mb_gpu_state state = *gpu->state;
    state.keeps_pipelines = false;
    fresh.state = &state;
    check_make_folder(folder);
    const bool is_open = open_table(&kernels, folder, &err) == MB_OK;
    CHECK(is_open);
    CHECK_EQ_STR(err.text, "");
    if (is_open) {
        size_t n_rows = 0;
        struct mb_variant *rows = mb_test_plan_of(kernels.strategies, specs, &n_rows);
        CHECK_EQ_INT(n_rows, MB_COUNTOF(specs) - 1);
        for (size_t i = 0; i < n_rows; i++) {
            make_row(&fresh, &rows[i]);
        }
        mb_free(rows);
    }
    mb_kernel_table_finish(&kernels);
    check_remove_folder(folder);
}

static void test_cases(struct mb_gpu *gpu)
{
    static const struct mb_test_case cases[] = {
        {.extent = {77, 131}},
        {.format = "rgba8-srgb", .extent = {32, 64}},
        {.format = "rgba32f", .extent = {33, 9}, .n_layers = 3},
        {.extent = {1, 1}, .reduce = MB_REDUCE_MIN},
    };
    if (!gpu->info.features.v12.bufferDeviceAddress || !gpu->info.has_full_subgroups) {
        mb_test_skip("the device lacks buffer addresses or full subgroups");
        return;
    }
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        run_case(gpu, &cases[i]);
    }
}

int main(void)
{
    return MB_TEST_ON_DEVICE(test_modules, test_cases, test_hidden, test_unknown_constant);
}
