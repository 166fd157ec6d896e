/* What spd_tree_plan.c chooses: options, subgroups, tiles of updates, strips, and how few
 * pipelines all sizes take. */
#include "base/rng.h"
#include "check.h"
#include "spd_tree_cases.h"

/* Options that cannot be are refused in a sentence, those that can are kept. */
static void test_options(void)
{
    const struct spd_tree_image odd = {
        .width = 1023, .height = 77, .n_layers = 1, .n_levels = 10, .format = formats[0]};
    const struct {
        struct spd_tree_options options;
        bool is_refused;
    } cases[] = {
        {{.shape = SPD_TREE_EVEN}, true},
        {{.shape = SPD_TREE_STRIPS, .rows = 200}, true},
        {{.shape = SPD_TREE_STRIPS, .rows = 7}, true},
        {{.shape = (enum spd_tree_shape)3}, true},
        {{.shape = SPD_TREE_STRIPS, .rows = 3}, false},
        {{.shape = SPD_TREE_STRIPS, .rows = 10}, false},
        {{.is_tile_only = true}, false},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct spd_tree_plan plan;
        const struct spd_tree_options *options = &cases[i].options;
        const char *why = spd_tree_make_plan(&devices[0], &odd, options, &plan);
        CHECK((why != NULL) == cases[i].is_refused && (!why || strlen(why) > 20));
        CHECK(why || (options->rows == 0 || plan.rows == options->rows));
        CHECK(why || plan.push.n_levels == (options->is_tile_only ? 4 : odd.n_levels));
    }
}

/* What is no image, as one with a field that was forgotten, has no plan. */
static void test_no_image(void)
{
    static const struct spd_tree_image image = {.width = 1921,
                                                .height = 1081,
                                                .n_layers = 1,
                                                .n_levels = 11,
                                                .format = {SPD_TREE_UNORM8, 4}};
    struct spd_tree_image bad[20];
    struct spd_tree_plan plan;
    CHECK(!spd_tree_make_plan(&devices[0], &image, NULL, &plan));
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        bad[i] = image;
    }
    bad[0].width = 0;
    bad[1].height = 65536;
    bad[2].n_layers = 0;
    bad[3].n_levels = 1;
    bad[4].n_levels = 12;
    bad[5].format.n_channels = 0;
    bad[6].format.n_channels = 3;
    bad[7].format.codec = SPD_TREE_FLOAT11_10;
    bad[8].format.codec = (enum spd_tree_codec)6;
    bad[9].format = (struct spd_tree_format){SPD_TREE_SRGB8, 2};
    bad[10].format = (struct spd_tree_format){SPD_TREE_UNORM10_2, 1};
    bad[11].reduction = (enum spd_tree_reduction)3;
    bad[12].weighs_alpha = bad[13].weighs_alpha = true;
    bad[12].format.n_channels = 2;
    bad[13].reduction = SPD_TREE_MINIMUM;
    bad[14].is_depth = bad[15].is_depth = true;
    bad[15].format = (struct spd_tree_format){SPD_TREE_FLOAT32, 2};
    bad[16].changed = (struct spd_tree_rect){0, 0, 5, 0};
    bad[17].changed = (struct spd_tree_rect){0, 0, 0, 5};
    bad[18].changed = (struct spd_tree_rect){1921, 0, 1, 1};
    bad[19].changed = (struct spd_tree_rect){1900, 1080, UINT32_MAX, 1};
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        const char *why = spd_tree_make_plan(&devices[0], &bad[i], NULL, &plan);
        CHECK(why && strlen(why) > 20);
    }
}

/* Which subgroups are used, and whether their size is required. */
static void test_lanes(void)
{
    static const struct spd_tree_image image = {.width = 1921,
                                                .height = 1081,
                                                .n_layers = 1,
                                                .n_levels = 11,
                                                .format = {SPD_TREE_UNORM8, 4}};
    const struct spd_tree_device intel = devices[6];
    struct spd_tree_device odd = devices[0], ranged = intel, few = intel, unknown = intel;
    odd.subgroup_size = odd.min_subgroup_size = odd.max_subgroup_size = 24;
    ranged.is_intel = false;
    few.max_workgroup_subgroups = 16; /* 16 of 16 lanes make 256, 8 lanes would take 32 */
    unknown.max_workgroup_subgroups = 0;
    const struct {
        const struct spd_tree_device *device;
        struct spd_tree_options options;
        uint32_t size;
        bool is_required, is_lean;
    } cases[] = {
        {&devices[0], {.shape = SPD_TREE_ANY_SHAPE}, 32, false, false},
        {&devices[0], {.without_subgroups = true}, 0, false, false},
        {&odd, {.shape = SPD_TREE_ANY_SHAPE}, 0, false, false},
        {&intel, {.shape = SPD_TREE_ANY_SHAPE}, 8, true, true},
        {&intel, {.lanes = 16}, 16, true, true},
        {&ranged, {.shape = SPD_TREE_ANY_SHAPE}, 32, true, false},
        {&ranged, {.lanes = 16}, 16, true, false},
        {&few, {.shape = SPD_TREE_ANY_SHAPE}, 16, true, true},
        {&unknown, {.shape = SPD_TREE_ANY_SHAPE}, 0, false, true},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct spd_tree_plan plan;
        CHECK(!spd_tree_make_plan(cases[i].device, &image, &cases[i].options, &plan));
        CHECK_EQ_INT(plan.subgroup_size, cases[i].size);
        CHECK_EQ_INT(plan.module.has_subgroups, cases[i].size > 0);
        CHECK_EQ_INT(plan.requires_size, cases[i].is_required);
        CHECK_EQ_INT(plan.is_lean, cases[i].is_lean);
    }
}

/* An update makes each tile that has a texel to store, and no others. */
static void check_tiles(const struct spd_tree_plan *plan)
{
    const struct spd_tree_image *image = &plan->image;
    const struct spd_tree_rect r = image->changed;
    const uint32_t size[2] = {image->width, image->height}, at[2] = {r.x, r.y},
                   n[2] = {r.width, r.height}, tile[2] = {plan->tile_x, plan->tile_y};
    for (uint32_t axis = 0; axis < 2; axis++) {
        const uint32_t edge = spd_tree_size_of_level(size[axis], plan->n_first) - 1;
        uint32_t first = UINT32_MAX, last = 0;
        for (uint32_t level = 1; level <= plan->n_first; level++) {
            for (uint32_t x = 0; x < spd_tree_size_of_level(size[axis], level); x++) {
                uint32_t from, end;
                taps_of(size[axis], 0, level, x, &from, &end);
                const uint32_t of_last = x >> (plan->n_first - level);
                const uint32_t t = (of_last < edge ? of_last : edge) / tile[axis];
                if (from < at[axis] + n[axis] && end > at[axis]) {
                    first = t < first ? t : first;
                    last = t > last ? t : last;
                }
            }
        }
        CHECK_EQ_INT(plan->push.first_tile >> 16 * axis & 0xffff, first);
        CHECK_EQ_INT(plan->n_groups[axis], last - first + 1);
    }
    CHECK_EQ_INT(plan->push.n_tiles, plan->n_groups[0] * plan->n_groups[1]);
}

static void test_updates(void)
{
    struct mb_rng rng;
    mb_rng_init(&rng, 7);
    for (uint32_t i = 0; i < 300; i++) {
        struct spd_tree_plan plan;
        struct spd_tree_image image = {.n_layers = 1, .format = formats[i % 9]};
        image.width = 1 + mb_rng_below(&rng, i % 2 ? 40 : 1400);
        image.height = 2 + mb_rng_below(&rng, i % 3 ? 40 : 1400);
        image.n_levels = mb_full_level_count((struct mb_extent){image.width, image.height});
        image.changed.x = mb_rng_below(&rng, image.width);
        image.changed.y = mb_rng_below(&rng, image.height);
        image.changed.width = 1 + mb_rng_below(&rng, image.width - image.changed.x);
        image.changed.height = 1 + mb_rng_below(&rng, image.height - image.changed.y);
        const struct spd_tree_device *device = &devices[i % MB_COUNTOF(devices)];
        const char *why = spd_tree_make_plan(device, &image, NULL, &plan);
        CHECK((why != NULL) == !device->has_shuffles);
        if (!why) {
            CHECK(plan.module.is_update && plan.shape == SPD_TREE_STRIPS);
            check_tiles(&plan);
        }
    }
}

/* The number of waves of workgroups: two on each core at a time. */
static uint64_t waves_of(const struct spd_tree_device *device, const struct spd_tree_plan *plan)
{
    const uint64_t n_tiles =
        (uint64_t)plan->n_groups[0] * plan->n_groups[1] * plan->n_groups[2];
    const uint32_t wave = 2 * (device->n_cores > 0 ? device->n_cores : USUAL_CORES);
    return (n_tiles + wave - 1) / wave;
}

/* Strips are the shortest of those that take the fewest waves. */
static void check_waves(const struct spd_tree_device *device,
                        const struct spd_tree_image *image)
{
    struct spd_tree_options options = {.shape = SPD_TREE_STRIPS};
    struct spd_tree_plan best, other;
    CHECK(!spd_tree_make_plan(device, image, &options, &best));
    for (uint32_t i = 0; i < SPD_TREE_N_ROWS; i++) {
        options.rows = spd_tree_rows[i];
        if (!spd_tree_make_plan(device, image, &options, &other)) {
            CHECK(options.rows < best.rows
                      ? waves_of(device, &other) > waves_of(device, &best)
                      : waves_of(device, &other) >= waves_of(device, &best));
        }
    }
}

static void test_waves(void)
{
    static const uint32_t sizes[][2] = {{1023, 77},   {1920, 1080}, {2047, 2047},
                                        {4095, 4095}, {640, 360},   {8193, 3}};
    static const uint32_t n_cores[] = {0, 1, 10, 64, 132};
    for (size_t i = 0; i < MB_COUNTOF(sizes) * MB_COUNTOF(n_cores); i++) {
        struct spd_tree_device device = devices[0];
        struct spd_tree_image image = {.n_layers = 1 + (uint32_t)i % 4, .format = formats[0]};
        device.n_cores = n_cores[i % MB_COUNTOF(n_cores)];
        image.width = sizes[i / MB_COUNTOF(n_cores)][0];
        image.height = sizes[i / MB_COUNTOF(n_cores)][1];
        image.n_levels = mb_full_level_count((struct mb_extent){image.width, image.height});
        check_waves(&device, &image);
    }
}

/* A pipeline: a module, and all constants of the plan, as who keeps pipelines would compare
 * them. */
struct pipeline {
    struct spd_tree_module module;
    uint32_t values[SPD_TREE_N_CONSTANTS];
};

#define MAX_PIPELINES  5u
#define N_RANDOM_SIZES 10000u

static struct pipeline pipeline_of(const struct spd_tree_plan *plan)
{
    struct pipeline pipeline;
    memset(&pipeline, 0, sizeof pipeline);
    pipeline.module = plan->module;
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        pipeline.values[i] = plan->constants[i].value;
    }
    return pipeline;
}

/* How many there are with the one of a size; more than there is room for are not kept. */
static uint32_t add_pipeline(struct pipeline *known, uint32_t n,
                             const struct spd_tree_device *device,
                             const struct spd_tree_image *image)
{
    struct spd_tree_plan plan;
    const char *why = spd_tree_make_plan(device, image, NULL, &plan);
    CHECK_EQ_STR(why ? why : "", "");
    if (why) {
        fprintf(stderr, "%ux%u, %u levels\n", image->width, image->height, image->n_levels);
        return n;
    }
    const struct pipeline it = pipeline_of(&plan);
    for (uint32_t i = 0; i < n; i++) {
        if (memcmp(&known[i], &it, sizeof it) == 0) {
            return n;
        }
    }
    if (n < MAX_PIPELINES) {
        known[n] = it;
    }
    return n + 1;
}

/* Half of all sizes as they come, the others multiples of a power of two. */
static uint32_t random_size(struct mb_rng *rng)
{
    const uint32_t size = mb_rng_below(rng, 16384) + 1, zeros = mb_rng_below(rng, 28);
    const uint32_t even = zeros < 14 ? size & ~0u << zeros : size;
    return even > 0 ? even : 1u << zeros;
}

static void set_random_size(struct mb_rng *rng, struct spd_tree_image *image)
{
    do {
        image->width = random_size(rng);
        image->height = random_size(rng);
    } while (image->width * image->height == 1);
    const uint32_t n_full =
        mb_full_level_count((struct mb_extent){image->width, image->height});
    image->n_layers = 1 + mb_rng_below(rng, 16);
    image->n_levels = mb_rng_below(rng, 4) > 0 ? n_full : 2 + mb_rng_below(rng, n_full - 1);
}

/* For a format and reduction at most five, of updates two, which those of a list of sizes are;
 * none but these for other sizes. */
static void check_pipelines(struct spd_tree_device device, const struct spd_tree_image *kind)
{
    struct mb_rng rng;
    struct pipeline known[MAX_PIPELINES];
    struct spd_tree_image image = *kind;
    const bool is_update = spd_tree_is_update(kind);
    const unsigned n_failed = check_n_failed;
    uint32_t n = 0;
    device.max_buffer_bytes = UINT64_MAX;
    mb_rng_init(&rng, 1);
    for (uint32_t i = 0; i < N_RANDOM_SIZES && n <= MAX_PIPELINES; i++) {
        const uint32_t n_before = n;
        set_random_size(&rng, &image);
        if (i < SPD_TREE_N_SIZES) {
            image.n_layers = 1;
            image.width = image.height = spd_tree_typical_size(i);
            image.n_levels = spd_tree_level_count(image.width, image.height);
        }
        image.changed.width = is_update ? image.width : 0;
        image.changed.height = is_update ? image.height : 0;
        n = add_pipeline(known, n, &device, &image);
        CHECK(i < SPD_TREE_N_SIZES || n == n_before);
    }
    CHECK(n >= 1 && n <= (is_update ? 2 : MAX_PIPELINES));
    if (check_n_failed > n_failed) {
        fprintf(stderr, "codec %d of %u channels, reduction %d, subgroups of %u%s\n",
                (int)image.format.codec, image.format.n_channels, (int)image.reduction,
                device.has_shuffles ? device.subgroup_size : 0, is_update ? ", updates" : "");
    }
}

static void test_pipelines(void)
{
    for (size_t i = 0; i < MB_COUNTOF(formats) * 4; i++) {
        const struct spd_tree_format format = formats[i / 4];
        const struct spd_tree_image kind = {
            .format = format,
            .reduction = (enum spd_tree_reduction)(i % 4 % 3),
            .weighs_alpha = i % 4 == 3,
        };
        if (!kind.weighs_alpha || format.n_channels == 4) {
            struct spd_tree_image update = kind;
            update.changed.width = update.changed.height = 1;
            check_pipelines(devices[i % 4 == 0 ? 0 : i % MB_COUNTOF(devices)], &kind);
            check_pipelines(devices[i % 5], &update); /* one that has subgroups */
        }
    }
}

int main(void)
{
    return CHECK_TESTS(test_options, test_no_image, test_lanes, test_updates, test_waves,
                       test_pipelines);
}
