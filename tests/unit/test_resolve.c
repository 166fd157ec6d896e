/* What "auto" stands for: each strategy's resolve() names values that it also accepts, that
 * stand for themselves; and that descriptors are complete. On devices with and without what the
 * choices hang on. That spd-tree plans the same for both is test_spd_tree.c's matter. */
#include "../stand_in.h"
#include "base/alloc.h"
#include "bench/plan.h"
#include "check.h"
#include "strategy/needs.h"
#include "vk/instance.h"
#include "vk/pipeline.h"
#include "vk/timer.h"

/* Formats can do everything, or are not filtered. */
static VKAPI_ATTR void VKAPI_CALL all_features(VkPhysicalDevice device, VkFormat format,
                                               VkFormatProperties *properties)
{
    *properties = (VkFormatProperties){.optimalTilingFeatures = UINT32_MAX};
}

static VKAPI_ATTR void VKAPI_CALL no_filter(VkPhysicalDevice device, VkFormat format,
                                            VkFormatProperties *properties)
{
    *properties = (VkFormatProperties){
        .optimalTilingFeatures =
            UINT32_MAX &
            ~(VkFormatFeatureFlags)VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT};
}

static struct mb_gpu make_gpu(uint32_t subgroup_size, bool has_atomics, bool is_cpu)
{
    return (struct mb_gpu){
        .info = {.type = is_cpu ? VK_PHYSICAL_DEVICE_TYPE_CPU
                                : VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                 .subgroup_size = subgroup_size,
                 .subgroup_operations = UINT32_MAX,
                 .has_full_subgroups = true,
                 .features =
                     {
                         .core.features.shaderStorageImageWriteWithoutFormat = true,
                         .core.features.shaderInt64 = has_atomics,
                         .v12.shaderBufferInt64Atomics = has_atomics,
                         .v12.shaderFloat16 = true,
                         .v12.vulkanMemoryModel = true,
                         .v12.vulkanMemoryModelDeviceScope = true,
                         .rendering.dynamicRendering = true,
                     },
                 .queue_flags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT,
                 .limits.maxFramebufferWidth = 32768,
                 .limits.maxFramebufferHeight = 32768,
                 .limits.maxViewportDimensions = {32768, 32768},
                 .limits.maxComputeWorkGroupInvocations = 1024,
                 .limits.maxComputeWorkGroupSize[0] = 1024,
                 .limits.maxPerStageDescriptorStorageImages = 64,
                 .limits.maxComputeSharedMemorySize = 49152,
                 .limits.maxStorageBufferRange = UINT32_MAX,
                 .limits.maxComputeWorkGroupCount = {65535, 65535, 65535}},
    };
}

/* Of contradictory values, which are most, one in so many is asked for: a prime that no
 * parameter has as many values as. */
#define STRIDE 23

/* Step to the next combination of all values; false when all have been seen. */
static bool next_choice(const struct mb_strategy *strategy, struct mb_params *params)
{
    for (size_t i = 0; strategy->params[i].name != NULL; i++) {
        if (strategy->params[i].values[++params->choice[i]] != NULL) {
            return true;
        }
        params->choice[i] = 0;
    }
    return false;
}

/* Returns how many variants are accepted; `*n_moved`: of these, that stand for another. */
static size_t check_all(const struct mb_strategy *strategy, const struct mb_gpu *gpu,
                        const struct mb_layout *layout, const struct mb_task *task,
                        size_t *n_moved)
{
    struct mb_params params = {0};
    struct mb_err why = {0};
    size_t n = 0;
    size_t n_contradictory = 0;
    do {
        const bool is_contradictory =
            strategy->contradiction && strategy->contradiction(&params);
        if (is_contradictory && n_contradictory++ % STRIDE != 0) {
            continue;
        }
        const struct mb_variant variant = {.strategy = strategy, .params = params};
        if (mb_variant_supports(&variant, gpu, layout, task, &why) != MB_OK) {
            continue;
        }
        CHECK(!is_contradictory);
        struct mb_variant resolved = variant, again;
        strategy->resolve(gpu, layout, task, &resolved.params);
        again = resolved;
        strategy->resolve(gpu, layout, task, &again.params);
        CHECK(memcmp(&again.params, &resolved.params, sizeof again.params) == 0);
        CHECK_EQ_INT(mb_variant_supports(&resolved, gpu, layout, task, &why), MB_OK);
        *n_moved += memcmp(&params, &resolved.params, sizeof params) != 0;
        n++;
    } while (next_choice(strategy, &params));
    return n;
}

static void check_device(const struct mb_gpu *gpu)
{
    static const struct mb_extent sizes[] = {{64, 64}, {65, 63}, {4096, 4096}, {1920, 1080},
                                             {48, 20}, {2, 1},   {4095, 4095}};
    static const char *const formats[] = {"rgba8", "rgba8-srgb", "r32f", "r16f"};
    static const struct mb_task tasks[] = {
        {.reduce = MB_REDUCE_AVG}, {.reduce = MB_REDUCE_AVG, .alpha = MB_ALPHA_PREMULTIPLIED}};
    const size_t step = getenv("MB_TEST_QUICK") ? 11 : 1;
    for (size_t s = 0; mb_strategies[s] != NULL; s++) {
        size_t n = 0, n_moved = 0;
        for (size_t i = 0; mb_strategies[s]->resolve &&
                           i < MB_COUNTOF(sizes) * MB_COUNTOF(formats) * MB_COUNTOF(tasks);
             i += step) {
            struct mb_layout layout;
            const struct mb_extent base = sizes[i % MB_COUNTOF(sizes)];
            const size_t rest = i / MB_COUNTOF(sizes);
            mb_layout_init(&layout, mb_format_find(formats[rest % MB_COUNTOF(formats)]), base,
                           1, mb_full_level_count(base));
            n += check_all(mb_strategies[s], gpu, &layout, &tasks[rest / MB_COUNTOF(formats)],
                           &n_moved);
        }
        CHECK_EQ_INT(n > 0 && n_moved > 0, mb_strategies[s]->resolve != NULL);
    }
}

/* 3 x 3 x 2 x 3 x 2^5 combinations of spd's values, less those of order=linear with any but one
 * of three values of wave, and four of lanes alone. */
static void check_sweep(void)
{
    static const char *const specs[] = {"spd:*"};
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_plan_variants(mb_strategies, specs, 1, &rows, &n_rows, &err), MB_OK);
    CHECK_EQ_INT(n_rows, 1728 - 576 + 4);
    for (size_t i = 0; i < n_rows; i++) {
        CHECK(!rows[i].strategy->contradiction(&rows[i].params));
    }
    mb_free(rows);
}

/* What is made of lanes=auto and of each number, by what a device has of subgroups. */
struct lanes_row {
    VkDriverId driver;
    uint32_t min, usual, max, max_workgroup_subgroups;
    uint32_t automatic;
    bool has[5];        /* auto, 8, 16, 32, 64 */
    const char *reason; /* of what is refused */
};

static const struct lanes_row lanes_rows[] = {
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, 8, 32, 32, 64, 16, {1, 1, 1, 1, 0}, "8 to 32"},
    {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, 8, 32, 32, 16, 16, {1, 0, 1, 1, 0}, "lanes="},
    {VK_DRIVER_ID_MESA_RADV, 32, 64, 64, 32, 64, {1, 0, 0, 1, 1}, "32 to 64"},
    {VK_DRIVER_ID_MESA_RADV, 64, 64, 64, 0, 64, {1, 0, 0, 0, 1}, "cannot be chosen"},
    {VK_DRIVER_ID_NVIDIA_PROPRIETARY, 32, 32, 32, 32, 32, {1, 0, 0, 1, 0}, "32 to 32"},
    {VK_DRIVER_ID_GOOGLE_SWIFTSHADER, 4, 4, 4, 0, 4, {1, 0, 0, 0, 0}, "4 to 4"},
};

static void check_lanes_of(const struct lanes_row *row, const char *strategy, size_t choice)
{
    static const struct mb_task task = {.reduce = MB_REDUCE_AVG};
    struct mb_gpu gpu = make_gpu(row->usual, true, false);
    struct mb_variant *variant = NULL;
    struct mb_layout layout;
    struct mb_err why = {0};
    char spec[32], label[MB_LABEL_BYTES];
    const char *pointer = spec;
    size_t n = 0;
    snprintf(spec, sizeof spec, "%s:lanes=%s", strategy, mb_lanes_values[choice]);
    CHECK_EQ_INT(mb_plan_variants(mb_strategies, &pointer, 1, &variant, &n, &why), MB_OK);
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){2048, 2048}, 1, 12);
    gpu.info.driver_id = row->driver;
    gpu.info.min_subgroup_size = row->min;
    gpu.info.max_subgroup_size = row->max;
    gpu.info.max_workgroup_subgroups = row->max_workgroup_subgroups;
    CHECK_EQ_INT(mb_lanes(&gpu.info, 0), row->automatic);
    CHECK_EQ_INT(mb_variant_supports(variant, &gpu, &layout, &task, &why) == MB_OK,
                 row->has[choice]);
    CHECK(row->has[choice] || strstr(why.text, row->reason) != NULL);
    if (choice == 0) {
        variant->strategy->resolve(&gpu, &layout, &task, &variant->params);
        mb_variant_label(variant, label, sizeof label);
        snprintf(spec, sizeof spec, ":lanes=%u", row->automatic);
        CHECK_EQ_INT(strstr(label, spec) != NULL, row->automatic >= 8); /* 4 has no name */
    }
    mb_free(variant);
}

/* spd-tree takes fewer on Intel where it needs most registers, if it may choose. */
static void check_lean_lanes(void)
{
    static const struct {
        const char *format, *spec;
        uint32_t size, lanes;
    } rows[] = {{"rgba8", "spd-tree", 2048, 16},
                {"rgba8", "spd-tree", 64, 8}, /* few tiles, which store late */
                {"rgba8", "spd-tree", 65, 8},
                {"rgba32f", "spd-tree", 2048, 8},
                {"rgba32f", "spd-tree:lanes=16", 65, 16}};
    static const struct mb_task task = {.reduce = MB_REDUCE_AVG};
    struct mb_gpu gpu = make_gpu(32, true, false);
    struct mb_err err = {0};
    gpu.info.driver_id = VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA;
    gpu.info.min_subgroup_size = 8;
    gpu.info.max_subgroup_size = 32;
    gpu.info.max_workgroup_subgroups = 64;
    for (size_t i = 0; i < MB_COUNTOF(rows); i++) {
        struct mb_variant *variant = NULL;
        struct mb_layout layout;
        char label[MB_LABEL_BYTES], lanes[16];
        size_t n = 0;
        CHECK_EQ_INT(mb_plan_variants(mb_strategies, &rows[i].spec, 1, &variant, &n, &err),
                     MB_OK);
        const struct mb_extent base = {rows[i].size, rows[i].size};
        mb_layout_init(&layout, mb_format_find(rows[i].format), base, 1,
                       mb_full_level_count(base));
        variant->strategy->resolve(&gpu, &layout, &task, &variant->params);
        mb_variant_label(variant, label, sizeof label);
        snprintf(lanes, sizeof lanes, ":lanes=%u", rows[i].lanes);
        CHECK(strstr(label, lanes) != NULL);
        mb_free(variant);
    }
}

static void check_lanes(void)
{
    static const char *const strategies[] = {"subgroup", "spd", "spd-tree"};
    for (size_t i = 0; i < MB_COUNTOF(lanes_rows); i++) {
        for (size_t k = 0; k < 5 * MB_COUNTOF(strategies); k++) {
            check_lanes_of(&lanes_rows[i], strategies[k / 5], k % 5);
        }
    }
}

/* A device of the portability subset makes views of the same components only, unless it says
 * more. */
static void check_portability(void)
{
    static const struct {
        const char *format;
        bool needs_more;
    } rows[] = {{"rgba8", true}, {"rgba16f", true}, {"r32f", false}, {"rgba32f", false}};
    static const struct mb_task task = {.reduce = MB_REDUCE_AVG};
    static const char *const specs[] = {"spd-tree"};
    struct mb_variant *variant = NULL;
    size_t n = 0;
    struct mb_err why = {0};
    CHECK_EQ_INT(mb_plan_variants(mb_strategies, specs, 1, &variant, &n, &why), MB_OK);
    for (size_t i = 0; i < 2 * MB_COUNTOF(rows); i++) {
        struct mb_gpu gpu = make_gpu(32, true, false);
        struct mb_layout layout;
        const bool has_more = i % 2 != 0;
        const bool fits = has_more || !rows[i / 2].needs_more;
        mb_layout_init(&layout, mb_format_find(rows[i / 2].format), (struct mb_extent){65, 63},
                       1, 7);
        CHECK(mb_vk_image_can_be_raw(&gpu, layout.format) == (layout.format->texel_bytes < 16));
        memset(gpu.info.features.groups, 1, sizeof gpu.info.features.groups);
        gpu.info.features.portability.imageViewFormatReinterpretation = has_more;
        CHECK_EQ_INT(mb_variant_supports(variant, &gpu, &layout, &task, &why) == MB_OK, fits);
        CHECK(fits || strstr(why.text, "imageViewFormatReinterpretation") != NULL);
    }
    mb_free(variant);
}

static bool is_plain_name(const char *name)
{
    return name != NULL && name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

/* The longest label of all choices, which must fit: labels that were cut could be equal. */
static size_t longest_label(const struct mb_strategy *strategy)
{
    size_t n_bytes = strlen(strategy->name);
    for (size_t i = 0; i < mb_strategy_n_params(strategy); i++) {
        const struct mb_param *param = &strategy->params[i];
        size_t longest = 0;
        for (size_t k = 1; param->values[k] != NULL; k++) {
            const size_t value_bytes = strlen(param->values[k]);
            longest = value_bytes > longest ? value_bytes : longest;
        }
        n_bytes += 2 + strlen(param->name) + longest;
    }
    return n_bytes;
}

static void check_params(const struct mb_param *params)
{
    size_t n_params = 0;
    for (; params != NULL && params[n_params].name != NULL; n_params++) {
        const struct mb_param *param = &params[n_params];
        CHECK(is_plain_name(param->name) && param->help != NULL);
        CHECK(param->values != NULL && param->values[0] != NULL);
        for (size_t i = 0; param->values[i] != NULL; i++) {
            CHECK(i < UINT8_MAX && is_plain_name(param->values[i]));
        }
    }
    CHECK(n_params <= MB_MAX_PARAMS);
}

/* Every descriptor is complete, and its names can be written in a spec and in a folder. */
static void check_descriptors(const struct mb_strategy *const *table)
{
    for (size_t i = 0; table[i] != NULL; i++) {
        const struct mb_strategy *strategy = table[i];
        CHECK(is_plain_name(strategy->name) && strcmp(strategy->name, "all") != 0);
        CHECK(strategy->title != NULL && strategy->source != NULL);
        CHECK(strategy->queue_flags != 0 && strategy->image_usage != 0);
        CHECK(strategy->state_bytes > 0);
        CHECK(strategy->init != NULL && strategy->record != NULL);
        CHECK(strategy->describe != NULL && strategy->finish != NULL);
        for (size_t j = 0; strategy->features && strategy->features[j] != NULL; j++) {
            CHECK(mb_features_is_known(strategy->features[j]));
        }
        check_params(strategy->params);
        CHECK(longest_label(strategy) < MB_LABEL_BYTES);
        for (size_t j = 0; j < i; j++) {
            CHECK(strcmp(strategy->name, table[j]->name) != 0);
        }
    }
}

int main(void)
{
    const PFN_vkGetPhysicalDeviceFormatProperties features[] = {all_features, no_filter};
    for (size_t i = 0; i < MB_COUNTOF(features); i++) {
        STAND_IN(vkGetPhysicalDeviceFormatProperties, features[i]);
        const struct mb_gpu devices[] = {make_gpu(32, true, false), make_gpu(8, false, false),
                                         make_gpu(4, true, true)};
        for (size_t k = 0; k < MB_COUNTOF(devices); k++) {
            check_device(&devices[k]);
        }
    }
    STAND_IN(vkGetPhysicalDeviceFormatProperties, all_features);
    check_sweep();
    check_lanes();
    check_lean_lanes();
    check_portability();
    check_descriptors(mb_strategies);
    return check_summary("resolve");
}
