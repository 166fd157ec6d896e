/* How spd-tree's strips divide images: so that an H200 makes them in whole waves, within what a
 * workgroup has. */
#include "check.h"
#include "strategy.h"

#include "../../strategies/spd-tree/spd_tree.h"

#define WAVE 264u

static struct mb_gpu make_gpu(uint32_t subgroup_size, VkPhysicalDeviceType type)
{
    return (struct mb_gpu){.info = {.type = type,
                                    .subgroup_size = subgroup_size,
                                    .max_shared_memory_bytes = 49152}};
}

static struct spd_tree_strips strips_of(const struct mb_gpu *gpu, struct mb_extent base,
                                        const struct mb_params *choice)
{
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find("rgba8"), base, 1, mb_full_level_count(base));
    return mb_spd_tree_strips(gpu, &layout, choice);
}

static uint64_t n_workgroups(struct mb_extent base, const struct spd_tree_strips *strips)
{
    const struct mb_extent extent = mb_level_extent(base, strips->n_first);
    return ((extent.width - 1) / strips->tile.width + 1) *
           (uint64_t)((extent.height - 1) / strips->tile.height + 1);
}

/* What was best of what was tried on an H200. */
static void check_choices(void)
{
    static const struct {
        struct mb_extent base;
        uint32_t n_first;
        uint8_t rows;
        uint32_t width; /* of a tile */
    } cases[] = {
        {{1920, 1081}, 3, ROWS_2, 64},   {{2047, 2047}, 3, ROWS_3, 60},
        {{3071, 3071}, 3, ROWS_6, 60},   {{4095, 4095}, 3, ROWS_9, 60},
        {{4097, 4096}, 3, ROWS_8, 64},   {{8191, 8191}, 4, ROWS_20, 28},
        {{12289, 7001}, 4, ROWS_20, 32},
    };
    const struct mb_gpu gpu = make_gpu(32, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    const struct mb_params automatic = {{0}};
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        const struct spd_tree_strips strips = strips_of(&gpu, cases[i].base, &automatic);
        CHECK(strips.can_be);
        CHECK_EQ_INT(strips.n_first, cases[i].n_first);
        CHECK_EQ_INT(strips.rows, cases[i].rows);
        CHECK_EQ_INT(strips.tile.width, cases[i].width);
        CHECK(n_workgroups(cases[i].base, &strips) <= WAVE);
    }
}

/* A GPU and a size. */
struct pairing {
    struct mb_gpu gpu;
    struct mb_extent base;
};

/* The `i`-th of all pairings of subgroup sizes, widths and heights. */
static struct pairing pairing_of(size_t i, const uint32_t *n_lanes, size_t n_gpus,
                                 const uint32_t *sizes, size_t n_sizes)
{
    const size_t rest = i / n_gpus;
    return (struct pairing){
        .gpu = make_gpu(n_lanes[i % n_gpus], VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU),
        .base = {sizes[rest % n_sizes], sizes[rest / n_sizes]},
    };
}

/* Of any size: two workgroups fit into 50 KB. */
static void check_sizes(void)
{
    static const uint32_t n_lanes[] = {16, 32, 64, 128};
    static const uint32_t sizes[] = {1025, 2049, 5119, 16383, 32767};
    const struct mb_params automatic = {{0}};
    for (size_t i = 0; i < MB_COUNTOF(n_lanes) * MB_COUNTOF(sizes) * MB_COUNTOF(sizes); i++) {
        const struct pairing p =
            pairing_of(i, n_lanes, MB_COUNTOF(n_lanes), sizes, MB_COUNTOF(sizes));
        const struct spd_tree_strips strips = strips_of(&p.gpu, p.base, &automatic);
        CHECK(strips.can_be);
        CHECK(strips.rows >= ROWS_2);
        CHECK(strips.shared_bytes <= 25600);
        CHECK(strips.n_first == 3 || p.gpu.info.subgroup_size >= 32);
    }
}

/* Layers count as tiles do. */
static void check_layers(void)
{
    const struct mb_gpu gpu = make_gpu(32, VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU);
    const struct mb_params automatic = {{0}};
    const struct mb_extent base = {2047, 2047};
    struct mb_layout layout;
    mb_layout_init(&layout, mb_format_find("rgba8"), base, 6, mb_full_level_count(base));
    const struct spd_tree_strips strips = mb_spd_tree_strips(&gpu, &layout, &automatic);
    CHECK(strips.can_be);
    CHECK(6 * n_workgroups(base, &strips) <= 2 * WAVE);
}

/* Most texels of the level `n` below `size`, that of tiles, that one of them has a part in
 * along an axis: texel x weighs those from 2^n x to 2^n x + 2^n - 1 and, where sizes are odd,
 * as many further ones as the lowest n bits of `size` say. */
static uint32_t most_shared(uint32_t size, uint32_t tile, uint32_t n)
{
    const uint32_t reach = 1u << n, odd = size & (reach - 1),
                   n_texels = size >> n ? size >> n : 1;
    uint32_t most = 0;
    for (uint32_t first = 0; first < size; first += tile) {
        const uint32_t last = first + tile - 1;
        uint32_t count = 0;
        for (uint32_t x = first > 2 * reach ? (first - 2 * reach) / reach : 0;
             x < n_texels && x * reach <= last; x++) {
            count += x * reach + reach - 1 + odd >= first;
        }
        most = count > most ? count : most;
    }
    return most;
}

/* There are invocations for all texels below a tile, however many rows are asked for. */
static void check_invocations(void)
{
    static const uint32_t n_lanes[] = {8, 16, 32, 64, 128};
    static const uint32_t sizes[] = {1023, 1025, 4096, 4097, 5119, 12289, 32767, 32768};
    for (size_t i = 0; i < MB_COUNTOF(n_lanes) * MB_COUNTOF(sizes) * MB_COUNTOF(sizes); i++) {
        const struct pairing p =
            pairing_of(i, n_lanes, MB_COUNTOF(n_lanes), sizes, MB_COUNTOF(sizes));
        for (uint8_t rows = ROWS_2; rows <= ROWS_21; rows++) {
            struct mb_params choice = {{0}};
            choice.choice[SPD_TREE_PARAM_ROWS] = rows;
            const struct spd_tree_strips strips = strips_of(&p.gpu, p.base, &choice);
            const struct mb_extent size = mb_level_extent(p.base, strips.n_first);
            uint32_t n_further = 0;
            CHECK(strips.can_be);
            CHECK(most_shared(size.width, strips.tile.width, 1) *
                      most_shared(size.height, strips.tile.height, 1) <=
                  2 * SPD_TREE_N_INVOCATIONS);
            for (uint32_t n = 2; n < mb_full_level_count(p.base) - strips.n_first; n++) {
                n_further += most_shared(size.width, strips.tile.width, n) *
                             most_shared(size.height, strips.tile.height, n);
            }
            CHECK(n_further <= SPD_TREE_N_INVOCATIONS);
        }
    }
}

static void check_asked_for(void)
{
    const struct mb_extent base = {1023, 1023};
    const struct mb_gpu cpu = make_gpu(8, VK_PHYSICAL_DEVICE_TYPE_CPU);
    const struct mb_gpu narrow = make_gpu(4, VK_PHYSICAL_DEVICE_TYPE_CPU);
    struct mb_params choice = {{0}};
    CHECK_EQ_INT(strips_of(&cpu, base, &choice).rows, ROWS_8);
    CHECK_EQ_INT(strips_of(&cpu, base, &choice).n_first, 3);
    /* Three levels would leave more texels below than there are invocations. */
    choice.choice[SPD_TREE_PARAM_ROWS] = ROWS_20;
    CHECK_EQ_INT(strips_of(&cpu, base, &choice).n_first, 4);
    CHECK(!strips_of(&cpu, (struct mb_extent){31, 31}, &choice).can_be);
    choice.choice[SPD_TREE_PARAM_FIRST] = FIRST_4;
    CHECK(strips_of(&cpu, base, &choice).can_be);
    CHECK_EQ_INT(strips_of(&cpu, base, &choice).tile.width, 16);
    choice.choice[SPD_TREE_PARAM_ROWS] = ROWS_2;
    CHECK_EQ_INT(strips_of(&cpu, base, &choice).tile.height, 4);
    CHECK(!strips_of(&narrow, base, &choice).can_be); /* all columns would be halo */
    CHECK(strips_of(&narrow, (struct mb_extent){1025, 1023}, &choice).can_be);
    CHECK(!strips_of(&cpu, (struct mb_extent){31, 31}, &choice).can_be);
}

int main(void)
{
    return CHECK_TESTS(check_choices, check_sizes, check_layers, check_invocations,
                       check_asked_for);
}
