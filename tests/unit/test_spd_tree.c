/* What spd_tree_plan.c plans, against the filter: tiles and strips make each texel once and
 * fetch what they weigh, what is shared is counted by as many tiles as have a part in it, and
 * all of it finds room. The formulas of the kernels stand here once more, beside a walk over
 * the texels. */
#include "../../strategies/spd-tree/traffic.h"

#include "base/rng.h"
#include "check.h"
#include "spd_tree_cases.h"

#define MAX_BELOW     12u
#define MAX_TILES     4096u /* along an axis */
#define N_INVOCATIONS SPD_TREE_N_INVOCATIONS

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
            CHECK(range->end - range->first <= most_of_axis(a->tile, n));
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

/* Whether tail.glsl goes on from the one texel of a tile, in place of parts that are shared.
 */
static bool has_tail(const struct spd_tree_plan *plan)
{
    return plan->module.is_even && constant_of(plan, "HAS_TAIL");
}

/* What a module declares, as the constants are (common.glsl, partials.glsl). */
struct declared {
    uint32_t tile_x, tile_y; /* texels of the largest tile */
    uint32_t n_further, n_common, n_parts, n_cells;
};

static struct declared declared_by(const struct spd_tree_plan *plan)
{
    const uint32_t n_lanes = constant_of(plan, "SUBGROUP_SIZE"),
                   halo = constant_of(plan, "GENERAL") ? 7 : 0;
    const bool is_even = plan->module.is_even;
    struct declared d = {8, 8, 7 * 9, 0, 0, 0};
    if (!is_even) {
        d.tile_x = N_INVOCATIONS / n_lanes / 2 * ((4 * n_lanes - halo) >> 3);
        d.tile_y = 2 * constant_of(plan, "MAX_ROWS");
    }
    for (uint32_t n = 1; n <= 5; n++) {
        d.n_further += most_of_axis(d.tile_x, n) * most_of_axis(d.tile_y, n);
    }
    d.n_further = plan->module.is_update ? 0 : d.n_further;
    d.n_common = d.n_further < N_INVOCATIONS ? d.n_further : N_INVOCATIONS;
    const uint32_t n_of_tile = d.tile_x * d.tile_y;
    d.n_parts = has_tail(plan)            ? 1
                : is_even                 ? n_of_tile + d.n_further
                : n_of_tile > d.n_further ? n_of_tile
                                          : d.n_further;
    d.n_cells = !is_even ? 0 : n_lanes >= 16 ? 64 : 256;
    return d;
}

/* partials.glsl: of each tile, no more texels that others share than there is room for. */
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
                         const struct declared *d)
{
    const uint32_t n_texels = image->format.n_channels == 3 ? 4 : image->format.n_channels;
    const uint32_t texel = 4 * n_texels * (image->weighs_alpha ? 2 : 1),
                   early = plan->module.has_sums ? 8 : texel;
    const uint32_t fetched =
        plan->module.raw_words > 0 ? 4u * plan->module.raw_words : 4 * n_texels;
    uint32_t n_bytes = d->n_parts * texel + d->n_cells * early;
    n_bytes += d->n_common * 8 + 4; /* common_texel, and how many */
    n_bytes += plan->module.has_slots ? d->n_common * 4 + 4 + 4 : 0; /* complete; a flag */
    n_bytes += plan->module.has_subgroups ? 0 : 256 * (texel + 2 * fetched); /* of lanes */
    n_bytes += image->format.codec == SPD_TREE_SRGB8 ? 256 * 4 : 0;
    CHECK(shared_bytes(image, &plan->module, d->tile_x, d->tile_y) >= n_bytes &&
          n_bytes <= device->max_shared_bytes);
}

/* Parts: room in shared memory, in what is packed into words, and among invocations, of which
 * those of strips make up to two texels of the first level and one of all further ones, and
 * those of even tiles one of all. */
static void check_parts(const struct spd_tree_device *device,
                        const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                        const struct axis *x, const struct axis *y)
{
    const struct declared d = declared_by(plan);
    const bool is_even = plan->module.is_even,
               has_parts = !has_tail(plan) && plan->n_first + 1 < image->n_levels;
    uint32_t n_below = 0, n_last = 0;
    CHECK(!has_parts || (plan->tile_x <= d.tile_x && plan->tile_y <= d.tile_y));
    CHECK(is_even || plan->tile_x == d.tile_x);
    for (uint32_t n = 1; plan->n_first + n < image->n_levels; n++) {
        const uint32_t tile_x = is_even ? d.tile_x : plan->tile_x,
                       tile_y = is_even ? d.tile_y : plan->tile_y;
        const uint32_t most = most_of_axis(tile_x, n) * most_of_axis(tile_y, n);
        n_below += most;
        n_last += is_even || n >= 2 ? most : 0;
        CHECK(n != 1 || most <= 2 * N_INVOCATIONS);
    }
    check_shared(device, image, plan, &d);
    CHECK(d.n_parts <= 4096);
    if (has_parts) {
        const uint32_t n_of_tile = is_even ? 64 : plan->tile_x * plan->tile_y;
        CHECK(n_last <= N_INVOCATIONS);
        CHECK(n_of_tile <= d.n_parts && (is_even ? n_of_tile : 0) + n_below <= d.n_parts);
        check_common(plan, x, y, image->n_levels, d.n_common);
    }
}

/* Nodes of the i-th level below those of tiles, in each shape and hand-off. */
static uint64_t nodes_wanted(const struct spd_tree_image *image,
                             const struct spd_tree_plan *plan, const struct axis *x,
                             const struct axis *y, uint32_t i)
{
    const uint32_t n = i + 1, level = plan->n_first + n;
    if (plan->has_tail && plan->module.has_slots) {
        const uint32_t from = plan->n_first + plan->levels_per_round * i;
        if (from + 1 >= image->n_levels) {
            return 0;
        }
        const uint64_t cells_x = size_of(x, from) >> plan->levels_per_round,
                       cells_y = size_of(y, from) >> plan->levels_per_round;
        return (cells_x > 1 ? cells_x : 1) * (cells_y > 1 ? cells_y : 1)
               << 2 * plan->levels_per_round;
    }
    if (level >= image->n_levels) {
        return 0;
    }
    const uint64_t n_texels = (uint64_t)size_of(x, level) * size_of(y, level);
    return plan->module.has_slots ? n_texels * x->most[n] * y->most[n] : n_texels;
}

/* Bytes of a texel that is handed on: a slot; a word of 64 bits for two channels, or where
 * there are many tiles for each; or an ordered word for each. */
static uint32_t handed_bytes(const struct spd_tree_image *image,
                             const struct spd_tree_plan *plan)
{
    const uint32_t n = image->format.n_channels;
    return plan->module.has_slots    ? spd_tree_slot_bytes(image)
           : plan->module.is_extreme ? 4 * n
           : plan->push.is_many      ? 8 * n
                                     : 8 * ((n + 1) / 2);
}

/* words.glsl: sums of parts, each rounded by half of one at most, stay below what is above
 * them, and as many tiles as share a texel can be counted there. */
static void check_words(const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                        const struct axis *x, const struct axis *y)
{
    const uint64_t one = (UINT64_C(1) << 27) - (plan->push.is_many ? 1u << 14 : 1u << 10);
    const uint64_t n_tiles = (uint64_t)x->n_tiles * y->n_tiles;
    uint64_t most = 0;
    CHECK_EQ_INT(plan->push.is_many,
                 !plan->has_tail && plan->n_first + 1 < image->n_levels && n_tiles >= 1024);
    for (uint32_t n = 1; plan->n_first + n < image->n_levels; n++) {
        const uint64_t sharing = (uint64_t)x->most[n] * y->most[n];
        most = sharing > most ? sharing : most;
    }
    most = plan->has_tail ? UINT64_C(1) << 2 * plan->levels_per_round : most;
    CHECK(one + most / 2 + 100 < UINT64_C(1) << 27);
    CHECK(most <= (plan->push.is_many ? UINT16_MAX : plan->has_tail ? 1024 : 1023));
}

/* What is handed on finds its place in the buffers. */
static void check_nodes(const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                        const struct axis *x, const struct axis *y)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < 12; i++) {
        CHECK_EQ_INT(plan->push.nodes[i], n);
        n += nodes_wanted(image, plan, x, y, i);
    }
    CHECK_EQ_INT(plan->push.n_nodes, n);
    CHECK(plan->hand_off_bytes >= n * image->n_layers * handed_bytes(image, plan));
    CHECK(plan->counter_bytes >= n * image->n_layers * 4);
    CHECK_EQ_INT(plan->push.levels_per_round, plan->levels_per_round);
    if (!plan->module.has_slots && !plan->module.is_extreme) {
        check_words(image, plan, x, y);
    }
    if (plan->has_tail) { /* a lane brings a word to a level; cells are of 8x8 or 16x16 */
        const uint32_t n_words =
            plan->module.is_extreme ? 1 : (image->format.n_channels + 1) / 2;
        CHECK(plan->module.has_slots
                  ? plan->levels_per_round == 3 || plan->levels_per_round == 4
                  : plan->levels_per_round >= 1 &&
                        plan->levels_per_round * n_words <= plan->subgroup_size);
    }
}

/* Bytes that are handed on, counted tile by tile: a part of each texel that is not its alone,
 * to a slot and from it, or brought to a word; an arrival for each, but of words that add up,
 * which count themselves. What was counted or brought is set back once for each texel, and
 * largest parts are read before. */
static uint64_t shared_wanted(const struct spd_tree_image *image,
                              const struct spd_tree_plan *plan, const struct axis *x,
                              const struct axis *y)
{
    const uint64_t n_word = handed_bytes(image, plan);
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
    return plan->module.has_slots    ? n_parts * (2 * n_word + 8) + n_shared * 4
           : plan->module.is_extreme ? n_parts * (2 * n_word + 8) + n_shared * (2 * n_word + 4)
                                     : n_parts * 2 * n_word + n_shared * n_word;
}

static void check_traffic(const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                          const struct axis *x, const struct axis *y)
{
    const uint64_t n_bytes = mb_spd_tree_traffic_bytes(plan);
    if (!plan->has_tail) {
        CHECK_EQ_INT(n_bytes, shared_wanted(image, plan, x, y) * image->n_layers);
    } else if (plan->module.has_slots) { /* each slot is used, those of narrow levels aside */
        CHECK(n_bytes <= 2 * plan->hand_off_bytes + 3 * plan->counter_bytes);
    }
}

/* 256x256 and 1024x512 of one float: 16 texels of level 6 go to slots, 4 cells; 128 of level 6,
 * and where 8 levels are more than a levels_per_round 2 of the last of it. And by words of four
 * channels.
 */
static void test_tail_traffic(void)
{
    struct spd_tree_plan plan = {
        .n_first = 6, .tile_x = 1, .tile_y = 1, .levels_per_round = 3, .has_tail = true};
    struct spd_tree_image *image = &plan.image;
    image->n_layers = 1;
    image->format = (struct spd_tree_format){SPD_TREE_FLOAT32, 1};
    plan.module.has_slots = true;
    image->width = image->height = 256;
    image->n_levels = 9;
    CHECK_EQ_INT(mb_spd_tree_traffic_bytes(&plan), 16 * (2 * 4 + 8) + 4);
    image->width = 1024;
    image->height = 512;
    image->n_levels = 11;
    CHECK_EQ_INT(mb_spd_tree_traffic_bytes(&plan),
                 128 * (2 * 4 + 8) + 4 * 2 + 2 * (2 * 4 + 8) + 4);
    plan.module.has_slots = false;
    image->format = (struct spd_tree_format){SPD_TREE_UNORM8, 4};
    image->n_layers = 2;
    CHECK_EQ_INT(mb_spd_tree_traffic_bytes(&plan),
                 2 * (128 * 3 * 32 + (32 + 8 + 2) * 16 + 2 * 32 + 16));
    plan.module.is_extreme = true;
    CHECK_EQ_INT(mb_spd_tree_traffic_bytes(&plan),
                 2 * (128 * 3 * (32 + 8) + (32 + 8 + 2) * (32 + 4) + 2 * (32 + 8) + (32 + 4)));
}

/* Asked for what was chosen, the same comes of it. */
static void check_again(const struct spd_tree_device *device,
                        const struct spd_tree_image *image, const struct spd_tree_plan *plan)
{
    const struct spd_tree_options options = {.shape = plan->shape, .rows = plan->rows};
    struct spd_tree_plan again;
    CHECK(!spd_tree_make_plan(device, image, &options, &again) &&
          memcmp(plan, &again, sizeof again) == 0);
}

/* How what is handed on is so: by the format, the reduction and the shape alone, but that words
 * of 64 bits take a device that has them. Of even tiles extremes of three channels or more go
 * by slots: fewer atomics. */
static void check_hand_off(const struct spd_tree_device *device,
                           const struct spd_tree_image *image, const struct spd_tree_plan *plan)
{
    const enum spd_tree_codec codec = image->format.codec;
    const bool is_extreme = image->reduction != SPD_TREE_AVERAGE;
    const bool is_added =
        !is_extreme && !image->weighs_alpha &&
        (codec == SPD_TREE_UNORM8 || codec == SPD_TREE_SRGB8 || codec == SPD_TREE_UNORM10_2);
    const struct spd_tree_module *module = &plan->module;
    CHECK_EQ_INT(module->has_subgroups,
                 device->has_shuffles && (!is_added || device->has_int64_atomics));
    CHECK_EQ_INT(module->is_extreme, is_extreme && module->has_subgroups &&
                                         !(module->is_even && image->format.n_channels >= 2));
    CHECK_EQ_INT(module->has_slots,
                 !module->is_extreme && !(is_added && module->has_subgroups));
    CHECK_EQ_INT(module->is_even, plan->shape == SPD_TREE_EVEN);
    CHECK(!module->is_even || module->has_subgroups);
    CHECK(!module->has_sums || (module->is_even && !module->has_slots && !is_extreme));
    CHECK_EQ_INT(plan->subgroup_size > 0, module->has_subgroups);
}

/* tail.glsl: the levels that each of its stores may be to (DEFINE_STORE), of cells of three
 * levels or four. */
static void check_cells(const struct spd_tree_image *image, const struct spd_tree_plan *plan)
{
    const uint32_t first = 1u << 7 | 1u << 8 | 1u << 10 | 1u << 12 | 1u << 13;
    if (!plan->has_tail || !plan->module.has_slots) {
        return;
    }
    CHECK(plan->levels_per_round == 3 || plan->levels_per_round == 4);
    for (uint32_t step = 0, from = 6; from + 1 < image->n_levels;
         step++, from += plan->levels_per_round) {
        const uint32_t n = from + plan->levels_per_round - 2;
        CHECK(step < 3 && (plan->levels_per_round == 3 || from == 6 || from == 10));
        for (uint32_t k = 0; k < 3 && n + k < image->n_levels; k++) {
            CHECK((first << k >> (n + k) & 1) != 0);
        }
    }
}

/* Levels that tiles make: three of strips, whose axes are general where one of these is odd or
 * a single texel; of even tiles those until the first that is so, and of all others where
 * tail.glsl goes on. */
static void check_levels(const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                         const struct axis *x, const struct axis *y)
{
    const bool is_even = plan->shape == SPD_TREE_EVEN;
    bool is_odd_x = false, is_odd_y = false;
    for (uint32_t n = 0; n < plan->n_first; n++) {
        is_odd_x = is_odd_x || size_of(x, n) % 2 != 0;
        is_odd_y = is_odd_y || size_of(y, n) % 2 != 0;
    }
    CHECK(is_even ? !is_odd_x && !is_odd_y : plan->n_first == 3);
    CHECK_EQ_INT(constant_of(plan, "GENERAL"), !is_even && (is_odd_x || is_odd_y));
    CHECK_EQ_INT(has_tail(plan), plan->has_tail);
    CHECK(is_even || (constant_of(plan, "IS_LATE") == 0 && constant_of(plan, "HAS_TAIL") == 0));
    for (uint32_t n = plan->n_first; plan->has_tail && n + 1 < image->n_levels; n++) {
        CHECK((size_of(x, n) % 2 == 0 || size_of(x, n) == 1) &&
              (size_of(y, n) % 2 == 0 || size_of(y, n) == 1));
    }
    CHECK(!plan->has_tail || (is_even && plan->n_first == 6 && plan->tile_x == 1));
    check_cells(image, plan);
    CHECK(is_even || (plan->tile_y == 2 * plan->rows && plan->rows <= plan->max_rows));
    CHECK(plan->push.n_first == plan->n_first && plan->push.strip_rows == plan->rows &&
          plan->push.n_levels == image->n_levels && plan->push.zero == 0);
    CHECK(plan->push.base_extent[0] == (int32_t)image->width &&
          plan->push.base_extent[1] == (int32_t)image->height &&
          plan->n_groups[2] == image->n_layers);
}

static void check_made(const struct spd_tree_device *device, const struct spd_tree_image *image,
                       const struct spd_tree_plan *plan)
{
    static struct axis x, y;
    x = (struct axis){image->width,      plan->n_first, plan->tile_x,
                      plan->n_groups[0], {0},           {{{0}}}};
    y = (struct axis){image->height,     plan->n_first, plan->tile_y,
                      plan->n_groups[1], {0},           {{{0}}}};
    const uint32_t n_lanes = constant_of(plan, "SUBGROUP_SIZE");
    const bool is_even = plan->shape == SPD_TREE_EVEN;
    check_hand_off(device, image, plan);
    check_levels(image, plan, &x, &y);
    walk_axis(&x, image->n_levels);
    walk_axis(&y, image->n_levels);
    walk_strips(&x, is_even ? plan->tile_x : plan->tile_x / (128 / n_lanes),
                is_even ? 0 : 4 * n_lanes);
    walk_strips(&y, is_even ? plan->tile_y : plan->rows, 0);
    check_parts(device, image, plan, &x, &y);
    check_nodes(image, plan, &x, &y);
    check_traffic(image, plan, &x, &y);
    check_again(device, image, plan);
}

static void check_plan(const struct spd_tree_device *device, const struct spd_tree_image *image)
{
    struct spd_tree_plan plan;
    const unsigned n_failed = check_n_failed;
    const char *why = spd_tree_make_plan(device, image, NULL, &plan);
    /* By 4 lanes tiles are so small that slots of two texels each outgrow llvmpipe's buffers.
     */
    const bool may_outgrow = device->subgroup_size == 4 && image->weighs_alpha &&
                             image->n_layers == 3 && image->width == 12289;
    CHECK_EQ_STR(why && !may_outgrow ? why : "", "");
    if (!why) {
        check_made(device, image, &plan);
    }
    if (check_n_failed > n_failed) {
        fprintf(stderr, "%ux%u, %u levels, codec %d of %u channels, subgroups of %u\n",
                image->width, image->height, image->n_levels, (int)image->format.codec,
                image->format.n_channels, device->has_shuffles ? device->subgroup_size : 0);
    }
}

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

/* Of a tile along one axis, what walk_axis() finds: its texels of each level below, and how
 * many of them are its own. */
struct profile {
    uint8_t n[MAX_BELOW], n_alone[MAX_BELOW];
};

#define MAX_PROFILES  16384u
#define N_LAST_LEVELS 2048u /* texels of the last level that tiles make, of 16384 */

struct profiles {
    struct profile of[MAX_PROFILES];
    uint32_t n;
};

static struct profile profile_of(uint32_t size, uint32_t tile, uint32_t begin)
{
    struct profile profile = {{0}, {0}};
    const uint32_t end = begin + tile - 1 < size ? begin + tile - 1 : size - 1;
    for (uint32_t n = 1; n <= MAX_BELOW; n++) {
        const uint32_t mask = (1u << n) - 1, added = size & mask,
                       edge = size >> n > 1 ? (size >> n) - 1 : 0;
        const uint32_t from = begin > added ? (begin - added) >> n : 0;
        const uint32_t to = end >> n < edge ? end >> n : edge;
        for (uint32_t x = from; x <= to; x++) {
            const uint32_t first = x << n, far = first + mask + added,
                           last = far < size ? far : size - 1;
            profile.n[n - 1] = (uint8_t)(profile.n[n - 1] + (first <= end && last >= begin));
            profile.n_alone[n - 1] =
                (uint8_t)(profile.n_alone[n - 1] + (first >= begin && last <= end));
        }
    }
    return profile;
}

static void add_profile(struct profiles *profiles, const struct profile *profile)
{
    static uint32_t table[4 * MAX_PROFILES]; /* of profiles of which there are `owner`'s */
    static const struct profiles *owner;
    if (owner != profiles || profiles->n == 0) {
        memset(table, 0, sizeof table);
        owner = profiles;
    }
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *profile; i++) {
        hash = (hash ^ ((const uint8_t *)profile)[i]) * 16777619u;
    }
    uint32_t at = hash % MB_COUNTOF(table);
    while (table[at] > 0) {
        if (memcmp(&profiles->of[table[at] - 1], profile, sizeof *profile) == 0) {
            return;
        }
        at = (at + 1) % MB_COUNTOF(table);
    }
    CHECK(profiles->n < MAX_PROFILES);
    if (profiles->n < MAX_PROFILES) {
        profiles->of[profiles->n++] = *profile;
        table[at] = profiles->n;
    }
}

static void find_profiles(struct profiles *profiles, uint32_t tile)
{
    profiles->n = 0;
    for (uint32_t size = 1; size <= N_LAST_LEVELS; size++) {
        for (uint32_t begin = 0; begin < size; begin += tile) {
            const struct profile profile = profile_of(size, tile, begin);
            add_profile(profiles, &profile);
        }
    }
}
/* Whether another has as many texels of each level, and not more of its own. */
static bool is_below(const struct profile *a, const struct profile *b)
{
    bool is = true;
    for (uint32_t k = 0; k < MAX_BELOW; k++) {
        is = is && a->n[k] <= b->n[k] && a->n_alone[k] >= b->n_alone[k];
    }
    return is;
}

/* Leaves those that may share the most. */
static void keep_largest(struct profiles *profiles)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < profiles->n; i++) {
        bool is_kept = true;
        for (uint32_t j = 0; j < profiles->n && is_kept; j++) {
            is_kept = j == i || !is_below(&profiles->of[i], &profiles->of[j]);
        }
        if (is_kept) { /* none is twice there, so that not both of two go */
            profiles->of[n++] = profiles->of[i];
        }
    }
    profiles->n = n;
}

static uint32_t most_common(const struct profiles *x, const struct profiles *y)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < x->n * y->n; i++) {
        const struct profile *a = &x->of[i % x->n], *b = &y->of[i / x->n];
        uint32_t n = 0;
        for (uint32_t k = 0; k < MAX_BELOW; k++) {
            n += (uint32_t)a->n[k] * b->n[k] - (uint32_t)a->n_alone[k] * b->n_alone[k];
        }
        most = n > most ? n : most;
    }
    return most;
}

/* Texels of tiles of this size that others share find room. */
static void check_every_tile(const struct profiles *x, const struct profiles *y,
                             uint32_t tile_x, uint32_t tile_y)
{
    uint32_t n_further = 7 * 9;
    for (uint32_t n = 1; n <= 5; n++) {
        n_further += most_of_axis(tile_x, n) * most_of_axis(tile_y, n);
    }
    const uint32_t n_common = n_further < N_INVOCATIONS ? n_further : N_INVOCATIONS,
                   most = most_common(x, y);
    CHECK(most <= n_common);
    if (most > n_common) {
        fprintf(stderr, "tiles of %ux%u share %u texels, with room for %u\n", tile_x, tile_y,
                most, n_common);
    }
}

/* Every tile of every image of up to 16384 texels along its axes: strips of 4 to 128 lanes,
 * with a halo and without, and of all rows; and even tiles, which have room for those of 8x8.
 */
static void test_every_tile(void)
{
    static struct profiles x, y[SPD_TREE_N_ROWS];
    static const uint32_t of_strips[] = {32, 48, 56, 60, 62, 63, 64};
    for (uint32_t k = 0; k < SPD_TREE_N_ROWS; k++) {
        find_profiles(&y[k], 2u * spd_tree_rows[k]);
        keep_largest(&y[k]);
    }
    for (size_t i = 0; i < MB_COUNTOF(of_strips); i++) {
        find_profiles(&x, of_strips[i]);
        keep_largest(&x);
        for (uint32_t k = 0; k < SPD_TREE_N_ROWS; k++) {
            check_every_tile(&x, &y[k], of_strips[i], 2u * spd_tree_rows[k]);
        }
    }
    for (uint32_t tile = 1; tile <= 8; tile *= 2) {
        find_profiles(&x, tile);
        keep_largest(&x);
        check_every_tile(&x, &x, 8, 8);
    }
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
    test_tail_traffic();
    test_every_tile();
    return check_summary("spd_tree");
}
