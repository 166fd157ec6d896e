/* What spd_tree.h plans, against the filter: tiles and strips make each texel once and fetch
 * what they weigh, what is shared is counted by as many tiles as have a part in it, and all of
 * it finds room. The formulas of the kernels stand here once more, beside a walk over the
 * texels. */
#include "../../strategies/spd-tree/traffic.h"

#include "check.h"
#include "image/filter.h"
#include "image/pyramid.h"

#define MAX_BELOW 12u
#define MAX_TILES 4096u /* along an axis */

/* One axis of an image: which texels of `n` levels below those of tiles a tile has a part in,
 * [first, end), and how many of them are its own. */
struct range {
    uint32_t first, end, n_alone;
};
struct axis {
    uint32_t base, n_first, tile, n_tiles, most[MAX_BELOW + 1];
    struct range range[MAX_BELOW + 1][MAX_TILES];
};

static uint32_t size_of(const struct axis *a, uint32_t level)
{
    return spd_tree_size_of_level(a->base, level);
}

/* Texels of level `from` that texel `x` of level `to` has taps in: [*first, *end). */
static void taps_of(uint32_t base, uint32_t from, uint32_t to, uint32_t x, uint32_t *first,
                    uint32_t *end)
{
    uint32_t low = x, high = x;
    for (uint32_t level = to; level > from; level--) {
        const uint32_t size = spd_tree_size_of_level(base, level - 1);
        const struct mb_taps last = mb_filter_taps(MB_POLICY_BOX, size, high);
        low = mb_filter_taps(MB_POLICY_BOX, size, low).first;
        high = last.first + last.n_taps - 1;
    }
    *first = low;
    *end = high + 1;
}

/* sharing.glsl: the tiles that have a part in texel `x`, and at most in any; by the walk too.
 */
static void check_sharing(struct axis *a, uint32_t n, uint32_t x)
{
    const uint32_t size = size_of(a, a->n_first), mask = (1u << n) - 1, added = size & mask;
    const uint32_t first = x << n,
                   last = first + mask + added < size ? first + mask + added : size - 1;
    const uint32_t tile = first / a->tile, end = last / a->tile + 1;
    uint32_t from, to;
    taps_of(a->base, a->n_first, a->n_first + n, x, &from, &to);
    CHECK(tile == from / a->tile && end == (to - 1) / a->tile + 1 && end <= a->n_tiles);
    const uint32_t most = (added + mask - 1) / a->tile + 2;
    a->most[n] = most < a->n_tiles ? most : a->n_tiles;
    CHECK(end - tile <= a->most[n]);
    for (uint32_t t = tile; t < end; t++) {
        struct range *range = &a->range[n][t];
        CHECK(range->end == 0 || range->end == x);
        range->first = range->end == 0 ? x : range->first;
        range->end = x + 1;
        range->n_alone += end - tile == 1;
    }
}

/* Along one axis tiles cover their last level, and have parts of the levels below as
 * sharing.glsl says. */
static void walk_axis(struct axis *a, uint32_t n_levels)
{
    const uint32_t size = size_of(a, a->n_first);
    CHECK(a->n_tiles <= MAX_TILES && (a->n_tiles - 1) * a->tile < size &&
          a->n_tiles * a->tile >= size);
    for (uint32_t n = 1; a->n_first + n < n_levels; n++) {
        memset(a->range[n], 0, a->n_tiles * sizeof a->range[n][0]);
        for (uint32_t x = 0; x < size_of(a, a->n_first + n); x++) {
            check_sharing(a, n, x);
        }
        for (uint32_t t = 0; t < a->n_tiles; t++) {
            const struct range *range = &a->range[n][t];
            const uint32_t added = size & ((1u << n) - 1), begin = t * a->tile;
            const uint32_t first = begin > added ? (begin - added) >> n : 0;
            const uint32_t last = (begin + a->tile - 1) >> n,
                           edge = size_of(a, a->n_first + n) - 1;
            /* A tile past the last texel that has taps has none: then the first lies behind the
             * last. */
            CHECK(range->end == 0
                      ? first > edge || first > last
                      : range->first == first && range->end - 1 == (last < edge ? last : edge));
            CHECK(range->end - range->first <= spd_tree_most_of_axis(a->tile, n));
        }
    }
}

/* The texels of level `level` that the strip of texels [first, last] of the last level stores:
 * strips.glsl. */
static uint32_t last_owned(const struct axis *a, uint32_t level, uint32_t last)
{
    return last + 1 == size_of(a, a->n_first) ? size_of(a, level) - 1
                                              : ((last + 1) << (a->n_first - level)) - 1;
}

/* Strips of `n` texels store each texel once; of those of `n_columns` > 0, all that they weigh
 * is among the columns that lanes have, the one beyond included. */
static void walk_strips(const struct axis *a, uint32_t n, uint32_t n_columns)
{
    for (uint32_t level = 1; level <= a->n_first; level++) {
        uint32_t next = 0;
        for (uint32_t first = 0; first < size_of(a, a->n_first); first += n) {
            const uint32_t end =
                first + n < size_of(a, a->n_first) ? first + n : size_of(a, a->n_first);
            const uint32_t last = last_owned(a, level, end - 1), begin = first << a->n_first;
            CHECK_EQ_INT(next, first << (a->n_first - level));
            next = last + 1;
            uint32_t from, to;
            taps_of(a->base, 0, level, last, &from, &to);
            CHECK(n_columns == 0 || to <= begin + n_columns);
        }
        CHECK_EQ_INT(next, size_of(a, level));
    }
}

static uint32_t constant_of(const struct spd_tree_plan *plan, const char *name)
{
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        if (strcmp(plan->constants[i].name, name) == 0) {
            return plan->constants[i].value;
        }
    }
    CHECK(false);
    return 0;
}

/* share_parts.glsl: of each tile, no more texels that others share than there is room for. */
static void check_common(const struct spd_tree_plan *plan, const struct axis *x,
                         const struct axis *y, uint32_t n_levels, uint32_t n_common)
{
    for (uint32_t i = 0; i < x->n_tiles * y->n_tiles; i++) {
        uint32_t n = 0;
        for (uint32_t k = 1; plan->n_first + k < n_levels; k++) {
            const struct range *a = &x->range[k][i % x->n_tiles],
                               *b = &y->range[k][i / x->n_tiles];
            n += (a->end - a->first) * (b->end - b->first) - a->n_alone * b->n_alone;
        }
        CHECK(n <= n_common);
    }
}

/* What a workgroup has in shared memory, as the shaders declare it. */
static void check_shared(const struct spd_tree_device *device,
                         const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                         uint32_t n_further, uint32_t n_common)
{
    const uint32_t n_texels = image->format.n_channels == 3 ? 4 : image->format.n_channels;
    const uint32_t texel = 4 * n_texels * (image->weighs_alpha ? 2 : 1),
                   n_tile = plan->tile_x * plan->tile_y;
    const uint32_t fetched =
        plan->module.raw_words > 0 ? 4u * plan->module.raw_words : 4 * n_texels;
    const bool is_wide = plan->subgroup_size >= 16;
    uint32_t n_bytes = (n_tile > n_further ? n_tile : n_further) * texel;           /* parts */
    n_bytes += plan->shape == SPD_TREE_EVEN ? (is_wide ? 64 : 256) * texel : texel; /* cells */
    n_bytes += n_common * (8 + 4) + 4 * 4; /* common_texel, complete, how many, and flags */
    n_bytes += plan->module.has_subgroups ? 0 : 256 * (texel + 2 * fetched); /* of lanes */
    n_bytes += image->format.codec == SPD_TREE_SRGB8 ? 256 * 4 : 0;
    CHECK(spd_tree_shared_bytes(image, plan) >= n_bytes && n_bytes <= device->max_shared_bytes);
}

/* Parts: room in shared memory, in what is packed into words, and among invocations. */
static void check_parts(const struct spd_tree_device *device,
                        const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                        const struct axis *x, const struct axis *y)
{
    uint32_t n_further = 7 * 9, n_within = 0, n_last = 0;
    for (uint32_t n = 1; n <= MAX_BELOW; n++) {
        const uint32_t most =
            spd_tree_most_of_axis(plan->tile_x, n) * spd_tree_most_of_axis(plan->tile_y, n);
        const uint32_t within =
            spd_tree_within_axis(plan->tile_x, n) * spd_tree_within_axis(plan->tile_y, n);
        n_further += n <= 5 ? most : 0;
        n_within += n <= 4 ? within : 0;
        n_last += n >= 2 && plan->n_first + n < image->n_levels ? most : 0;
        CHECK(n != 1 || most <= 2 * SPD_TREE_N_INVOCATIONS);
    }
    CHECK(n_last <= SPD_TREE_N_INVOCATIONS && n_further <= 4096);
    check_shared(device, image, plan, n_further, n_further - n_within);
    if (!plan->is_all_even) {
        check_common(plan, x, y, image->n_levels, n_further - n_within);
    }
}

/* Nodes of the i-th level below those of tiles, in each shape and hand-off. */
static uint64_t nodes_wanted(const struct spd_tree_image *image,
                             const struct spd_tree_plan *plan, const struct axis *x,
                             const struct axis *y, uint32_t i)
{
    const uint32_t n = i + 1, level = plan->n_first + n;
    if (plan->is_all_even && plan->module.has_slots) {
        const uint32_t from = plan->n_first + plan->span * i;
        if (from + 1 >= image->n_levels) {
            return 0;
        }
        const uint64_t cells_x = size_of(x, from) >> plan->span,
                       cells_y = size_of(y, from) >> plan->span;
        return (cells_x > 1 ? cells_x : 1) * (cells_y > 1 ? cells_y : 1) << 2 * plan->span;
    }
    if (level >= image->n_levels) {
        return 0;
    }
    const uint64_t n_texels = (uint64_t)size_of(x, level) * size_of(y, level);
    return plan->module.has_slots ? n_texels * x->most[n] * y->most[n] : n_texels;
}

/* What is handed on finds its place in the buffers, and words count no more tiles than they
 * can. */
static void check_nodes(const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                        const struct axis *x, const struct axis *y)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < 12; i++) {
        CHECK_EQ_INT(plan->push.nodes[i], n);
        n += nodes_wanted(image, plan, x, y, i);
        const uint32_t level = plan->n_first + i + 1;
        if (!plan->module.has_slots && !plan->is_all_even && level < image->n_levels) {
            CHECK(x->most[i + 1] * y->most[i + 1] <= 1024);
        }
    }
    const uint32_t n_words = (image->format.n_channels + 1) / 2,
                   n_bytes = spd_tree_slot_bytes(image);
    CHECK_EQ_INT(plan->push.n_nodes, n);
    CHECK(plan->hand_off_bytes >=
          n * image->n_layers * (plan->module.has_slots ? n_bytes : 8 * n_words));
    CHECK(plan->counter_bytes >= n * image->n_layers * 4);
    CHECK(!plan->is_all_even || plan->module.has_slots || (plan->span >= 1 && plan->span <= 5));
    CHECK_EQ_INT(constant_of(plan, "SPAN"), plan->span);
}

/* Bytes that are handed on, counted tile by tile: a part of each texel that is not its alone,
 * to a slot and from it, or added to a word; an arrival for each slot. What was counted or
 * added up is set back once for each texel. */
static uint64_t shared_wanted(const struct spd_tree_image *image,
                              const struct spd_tree_plan *plan, const struct axis *x,
                              const struct axis *y)
{
    const uint64_t n_word = plan->module.has_slots ? spd_tree_slot_bytes(image)
                                                   : 8 * ((image->format.n_channels + 1) / 2);
    uint64_t n_parts = 0, n_shared = 0;
    for (uint32_t n = 1; plan->n_first + n < image->n_levels; n++) {
        n_shared += (uint64_t)size_of(x, plan->n_first + n) * size_of(y, plan->n_first + n);
        for (uint32_t i = 0; i < x->n_tiles * y->n_tiles; i++) {
            const struct range *along_x = &x->range[n][i % x->n_tiles],
                               *along_y = &y->range[n][i / x->n_tiles];
            const uint64_t n_alone = (uint64_t)along_x->n_alone * along_y->n_alone;
            n_shared -= n_alone;
            n_parts +=
                (uint64_t)(along_x->end - along_x->first) * (along_y->end - along_y->first) -
                n_alone;
        }
    }
    return plan->module.has_slots ? n_parts * (2 * n_word + 8) + n_shared * 4
                                  : n_parts * 2 * n_word + n_shared * n_word;
}

static void check_traffic(const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                          const struct axis *x, const struct axis *y)
{
    const uint64_t n_bytes = mb_spd_tree_traffic_bytes(plan, image);
    if (!plan->is_all_even) {
        CHECK_EQ_INT(n_bytes, shared_wanted(image, plan, x, y) * image->n_layers);
    } else if (plan->module.has_slots) { /* each slot is used, those of narrow levels aside */
        CHECK(n_bytes <= 2 * plan->hand_off_bytes + 3 * plan->counter_bytes);
    }
}

/* 256x256 and 1024x512 of one float: 16 texels of level 6 go to slots, 4 cells; 128 of level 6,
 * and where 8 levels are more than a span 2 of the last of it. And by words of four channels.
 */
static void test_climb_traffic(void)
{
    struct spd_tree_image image = {.n_layers = 1, .format = {SPD_TREE_FLOAT32, 1}};
    struct spd_tree_plan plan = {.n_first = 6, .span = 3, .is_all_even = true};
    plan.module.has_slots = true;
    image.width = image.height = 256;
    image.n_levels = 9;
    CHECK_EQ_INT(mb_spd_tree_traffic_bytes(&plan, &image), 16 * (2 * 4 + 8) + 4);
    image.width = 1024;
    image.height = 512;
    image.n_levels = 11;
    CHECK_EQ_INT(mb_spd_tree_traffic_bytes(&plan, &image),
                 128 * (2 * 4 + 8) + 4 * 2 + 2 * (2 * 4 + 8) + 4);
    plan.module.has_slots = false;
    image.format = (struct spd_tree_format){SPD_TREE_UNORM8, 4};
    image.n_layers = 2;
    CHECK_EQ_INT(mb_spd_tree_traffic_bytes(&plan, &image),
                 2 * (128 * 3 * 32 + (32 + 8 + 2) * 16 + 2 * 32 + 16));
}

/* Asked for what was chosen, the same comes of it. */
static void check_again(const struct spd_tree_device *device,
                        const struct spd_tree_image *image, const struct spd_tree_plan *plan)
{
    const struct spd_tree_options options = {plan->shape, plan->hand_off, plan->rows, false};
    struct spd_tree_plan again;
    CHECK(!spd_tree_make_plan(device, image, &options, &again) &&
          memcmp(plan, &again, sizeof again) == 0);
}

static void check_plan(const struct spd_tree_device *device, const struct spd_tree_image *image)
{
    static struct axis x, y;
    struct spd_tree_plan plan;
    const unsigned n_failed = check_n_failed;
    const char *why = spd_tree_make_plan(device, image, NULL, &plan);
    CHECK(why == NULL);
    if (!why) {
        x = (struct axis){image->width,     plan.n_first, plan.tile_x,
                          plan.n_groups[0], {0},          {{{0}}}};
        y = (struct axis){image->height,    plan.n_first, plan.tile_y,
                          plan.n_groups[1], {0},          {{{0}}}};
        const uint32_t n_lanes = constant_of(&plan, "SUBGROUP_SIZE"),
                       is_one = constant_of(&plan, "ODD_X") == 1;
        const bool is_even = plan.shape == SPD_TREE_EVEN;
        CHECK(is_even || plan.tile_y == 2 * plan.rows);
        for (uint32_t n = 0;
             is_even && n < (plan.is_all_even ? image->n_levels - 1 : plan.n_first); n++) {
            CHECK((size_of(&x, n) % 2 == 0 || size_of(&x, n) == 1) &&
                  (size_of(&y, n) % 2 == 0 || size_of(&y, n) == 1));
        }
        walk_axis(&x, image->n_levels);
        walk_axis(&y, image->n_levels);
        walk_strips(&x, is_even ? plan.tile_x : plan.tile_x / (128 / n_lanes),
                    is_even ? 0 : 4 * n_lanes + is_one);
        walk_strips(&y, is_even ? plan.tile_y : plan.rows, 0);
        check_parts(device, image, &plan, &x, &y);
        check_nodes(image, &plan, &x, &y);
        check_traffic(image, &plan, &x, &y);
        check_again(device, image, &plan);
        CHECK(constant_of(&plan, "N_LEVELS") == image->n_levels && plan.push.zero == 0 &&
              plan.n_groups[2] == image->n_layers);
    }
    if (check_n_failed > n_failed) {
        fprintf(stderr, "%ux%u, %u levels, codec %d of %u channels, subgroups of %u\n",
                image->width, image->height, image->n_levels, (int)image->format.codec,
                image->format.n_channels, device->has_subgroups ? device->subgroup_size : 0);
    }
}

static const struct spd_tree_device devices[] = {
    {true, true, 32, 0, 49152, UINT64_C(1) << 32, false},
    {true, true, 64, 0, 65536, UINT64_C(1) << 32, false},
    {true, false, 16, 0, 32768, UINT64_C(1) << 30, false},
    {true, true, 8, 0, 32768, UINT64_C(1) << 27, true},
    {true, true, 4, 0, 32768, UINT64_C(1) << 27, true},
    {false, true, 32, 0, 32768, UINT64_C(1) << 32, false},
    {true, true, 16, 8, 65536, UINT64_C(1) << 32, false},
};

static const struct spd_tree_format formats[] = {
    {SPD_TREE_UNORM8, 4}, {SPD_TREE_FLOAT32, 4},    {SPD_TREE_SRGB8, 4},
    {SPD_TREE_UNORM8, 1}, {SPD_TREE_FLOAT11_10, 3},
};

/* One of the devices and formats at each size, in turn; all of them where `is_all`. */
static void check_size(uint32_t width, uint32_t height, bool is_all)
{
    static uint32_t turn;
    const uint32_t n_devices = (uint32_t)MB_COUNTOF(devices),
                   n_formats = (uint32_t)MB_COUNTOF(formats);
    const uint32_t n_full = mb_full_level_count((struct mb_extent){width, height});
    for (uint32_t i = 0; i < (is_all ? n_devices * n_formats : 1) && n_full > 1; i++) {
        const uint32_t pick = is_all ? i : turn++;
        struct spd_tree_image image = {
            .width = width,
            .height = height,
            .n_layers = 1 + pick % 3,
            .n_levels = is_all || pick % 4 > 0 ? n_full : 2 + pick % (n_full - 1),
            .format = formats[pick / n_devices % n_formats],
            .reduction = pick % 7 == 0 ? SPD_TREE_MAXIMUM : SPD_TREE_AVERAGE,
        };
        image.weighs_alpha = image.format.n_channels == 4 &&
                             image.reduction == SPD_TREE_AVERAGE && pick % 5 == 0;
        check_plan(&devices[pick % n_devices], &image);
    }
}

/* Options that cannot be are refused in a sentence, those that can are kept. */
static void test_options(void)
{
    const struct spd_tree_image odd = {
        .width = 1023, .height = 77, .n_layers = 1, .n_levels = 10, .format = formats[0]};
    const struct {
        struct spd_tree_options options;
        bool is_refused;
    } cases[] = {
        {{SPD_TREE_EVEN, SPD_TREE_ANY_HAND_OFF, 0, false}, true},
        {{SPD_TREE_STRIPS, SPD_TREE_ANY_HAND_OFF, 200, false}, true},
        {{(enum spd_tree_shape)3, SPD_TREE_ANY_HAND_OFF, 0, false}, true},
        {{SPD_TREE_ANY_SHAPE, (enum spd_tree_hand_off)3, 0, false}, true},
        {{SPD_TREE_STRIPS, SPD_TREE_SLOTS, 3, false}, false},
        {{SPD_TREE_ANY_SHAPE, SPD_TREE_WORDS, 0, true}, false},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct spd_tree_plan plan;
        const struct spd_tree_options *options = &cases[i].options;
        const char *why = spd_tree_make_plan(&devices[0], &odd, options, &plan);
        CHECK((why != NULL) == cases[i].is_refused && (!why || strlen(why) > 20));
        CHECK(why || (options->rows == 0 || plan.rows == options->rows));
        CHECK(why || (options->hand_off == SPD_TREE_ANY_HAND_OFF ||
                      plan.hand_off == options->hand_off));
        CHECK(why || constant_of(&plan, "HAS_BELOW") == !options->is_tile_only);
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
    struct spd_tree_image bad[16];
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
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        const char *why = spd_tree_make_plan(&devices[0], &bad[i], NULL, &plan);
        CHECK(why && strlen(why) > 20);
    }
    /* A subgroup of no power of two is not used. */
    struct spd_tree_device device = devices[0];
    device.subgroup_size = 24;
    CHECK(!spd_tree_make_plan(&device, &image, NULL, &plan) && !plan.module.has_subgroups);
}

int main(void)
{
    static const uint32_t large[][2] = {
        {1920, 1080}, {4095, 4095}, {4096, 4096}, {12289, 7001}, {16383, 1057}, {8193, 3},
        {1023, 519},  {16384, 48},  {1000, 1},    {1, 5001},     {3071, 3071},  {640, 360}};
    for (uint32_t i = 0; i < 70 * 70; i++) {
        check_size(i % 70 + 1, i / 70 + 1, false);
    }
    for (size_t i = 0; i < MB_COUNTOF(large); i++) {
        check_size(large[i][0], large[i][1], true);
    }
    test_options();
    test_no_image();
    test_climb_traffic();
    return check_summary("spd_tree");
}
