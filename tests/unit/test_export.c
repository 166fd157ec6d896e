/* The header that `mipbench export spd-tree` writes against what spd-tree itself does: steps,
 * scratch buffers, constants and push constants, for every size up to 300x300 and some large
 * ones. */
#include "base/strbuf.h"
#include "check.h"
#include "spd_tree_reference.h"

#include "../../strategies/spd-tree/export/spd_tree.h"

#define MAX_EDGE 300u

/* Constants that the export leaves as spd_tree.comp declares them: it has one tile, no filter,
 * all cells. Id 8 is not of this kernel. */
static void check_defaults(const struct spd_tree_reference *reference)
{
    CHECK_EQ_INT(reference->constants[0], 0);
    CHECK_EQ_INT(reference->constants[1], SPD_TREE_TILE / 8);
    CHECK_EQ_INT(reference->constants[5], 1);
}

static struct spd_tree_format exported_format(const struct mb_format *format)
{
    const bool is_unorm = mb_format_is_unorm(format);
    return (struct spd_tree_format){
        .max_code = is_unorm ? (float)mb_format_max_code(format, 0) : 0.0f,
        .max_alpha = is_unorm ? (float)mb_format_max_code(format, 3) : 0.0f,
        .is_srgb = format->codec == MB_CODEC_SRGB8,
        .dropped_bits = format->codec == MB_CODEC_SFLOAT16 ? 13 : 0,
        .dropped_bits_blue = format->codec == MB_CODEC_SFLOAT16 ? 13 : 0,
    };
}

/* By constant_id, as a driver reads them. */
static void check_constants(const struct spd_tree_plan *plan, const struct mb_format *format,
                            const struct spd_tree_reference *reference)
{
    const struct spd_tree_format exported = exported_format(format);
    const struct spd_tree_constants constants = spd_tree_constants_of(plan, &exported);
    VkSpecializationMapEntry entries[SPD_TREE_N_CONSTANTS];
    spd_tree_map_entries(entries);
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        uint32_t value = 0;
        CHECK(entries[i].offset + sizeof value <= sizeof constants);
        memcpy(&value, (const char *)&constants + entries[i].offset, sizeof value);
        CHECK_EQ_INT(value, reference->constants[entries[i].constantID]);
    }
}

static void check_size(const struct mb_format *format, struct mb_extent base, uint32_t n_levels,
                       uint32_t n_layers)
{
    struct mb_layout layout;
    struct spd_tree_plan plan;
    struct spd_tree_reference reference;
    mb_layout_init(&layout, format, base, n_layers, n_levels);
    spd_tree_refer(&layout, &reference);
    const unsigned n_failed = check_n_failed;
    CHECK(spd_tree_plan_init(&plan, base.width, base.height, n_levels, n_layers));
    CHECK(memcmp(plan.n_groups, reference.n_groups, sizeof plan.n_groups) == 0);
    CHECK_EQ_INT(plan.hand_off_bytes, reference.hand_off_bytes);
    CHECK_EQ_INT(plan.counter_bytes, reference.counter_bytes);
    CHECK_EQ_INT(sizeof plan.push, reference.push_bytes);
    CHECK(memcmp(&plan.push, reference.push, sizeof plan.push) == 0);
    CHECK_EQ_INT(SPD_TREE_SHARED_BYTES, reference.shared_bytes);
    check_defaults(&reference);
    check_constants(&plan, format, &reference);
    if (check_n_failed > n_failed) {
        fprintf(stderr, "  of %ux%u, %u levels, %u layers\n", base.width, base.height, n_levels,
                n_layers);
    }
}

static void test_all_sizes(void)
{
    const struct mb_format *format = mb_format_find("rgba8");
    for (uint32_t height = 1; height <= MAX_EDGE; height++) {
        for (uint32_t width = 1; width <= MAX_EDGE; width++) {
            const struct mb_extent base = {width, height};
            CHECK_EQ_INT(spd_tree_full_chain(width, height), mb_full_level_count(base));
            if (width > 1 || height > 1) {
                check_size(format, base, mb_full_level_count(base), 1);
            }
        }
    }
}

/* With any number of levels and several layers. */
static void test_large_sizes(void)
{
    static const struct mb_extent sizes[] = {
        {1024, 1024},   {1920, 1080}, {3840, 2160},   {4095, 4095}, {4096, 4096}, {4097, 4097},
        {12289, 7001},  {16384, 3},   {16384, 16384}, {1, 32768},   {32768, 1},   {2048, 96},
        {32767, 32767}, {8192, 8193}, {32768, 32768}, {7168, 5120},
    };
    const struct mb_format *format = mb_format_find("r8");
    for (size_t i = 0; i < MB_COUNTOF(sizes); i++) {
        for (uint32_t n = 2; n <= mb_full_level_count(sizes[i]); n++) {
            check_size(format, sizes[i], n, 1);
            check_size(format, sizes[i], n, 6);
        }
    }
}

static void test_formats(void)
{
    const struct mb_extent base = {101, 67};
    static const char *const names[] = {"rgba8", "rgba8-srgb", "rgb10a2",
                                        "r8",    "rgba16f",    "rgba32f"};
    for (size_t i = 0; i < MB_COUNTOF(names); i++) {
        check_size(mb_format_find(names[i]), base, mb_full_level_count(base), 1);
    }
}

static void test_refusals(void)
{
    struct spd_tree_plan plan;
    CHECK(!spd_tree_plan_init(&plan, 1, 1, 1, 1));
    CHECK(!spd_tree_plan_init(&plan, 0, 5, 2, 1));
    CHECK(!spd_tree_plan_init(&plan, 5, 0, 2, 1));
    CHECK(!spd_tree_plan_init(&plan, 5, 5, 2, 0));
    CHECK(!spd_tree_plan_init(&plan, 8, 8, 1, 1));
    CHECK(!spd_tree_plan_init(&plan, 8, 8, 5, 1));
    CHECK(!spd_tree_plan_init(&plan, 65536, 8, 16, 1));
    CHECK(!spd_tree_plan_init(&plan, 1u << 31, 1, 2, 1));
    CHECK_EQ_INT(plan.n_groups[0], 0);
    CHECK_EQ_INT(spd_tree_full_chain(1u << 31, 1), 32);
    CHECK(spd_tree_plan_init(&plan, 8, 8, 4, 1));
}

/* Every binding is written, with as many descriptors as the layout has, and of its type. */
static void test_writes(void)
{
    VkDescriptorSetLayoutBinding bindings[SPD_TREE_N_BINDINGS];
    struct spd_tree_writes writes;
    struct spd_tree_resources resources = {.n_levels = 3};
    for (uint32_t i = 0; i < resources.n_levels; i++) {
        resources.level[i] = (VkImageView)(uintptr_t)(i + 1);
    }
    spd_tree_bindings(bindings);
    spd_tree_fill_writes(&writes, VK_NULL_HANDLE, &resources);
    for (uint32_t i = 0; i < SPD_TREE_N_BINDINGS; i++) {
        CHECK_EQ_INT(writes.write[i].dstBinding, bindings[i].binding);
        CHECK_EQ_INT(writes.write[i].descriptorType, bindings[i].descriptorType);
        CHECK_EQ_INT(writes.write[i].descriptorCount, bindings[i].descriptorCount);
    }
    CHECK(writes.write[0].pImageInfo[0].imageView == resources.level[0]);
    for (uint32_t i = 0; i < SPD_TREE_N_TARGETS; i++) {
        CHECK(writes.write[1].pImageInfo[i].imageView == resources.level[i == 0 ? 1 : 2]);
    }
}

int main(void)
{
    return CHECK_TESTS(test_all_sizes, test_large_sizes, test_formats, test_refusals,
                       test_writes);
}
