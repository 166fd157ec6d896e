/* The planner; see spd_tree_plan.h. */
#include "spd_tree_plan.h"

/* The number of levels, from level 0 on, whose sizes are even along both axes. */
static uint32_t count_even_levels(const struct spd_tree_image *image)
{
    uint32_t n = 0;
    while (n + 1 < image->n_levels) {
        const uint32_t x = spd_tree_size_of_level(image->width, n);
        const uint32_t y = spd_tree_size_of_level(image->height, n);
        if (x % 2 != 0 || y % 2 != 0) {
            break;
        }
        n++;
    }
    return n;
}

/* As in partials.glsl: the most texels along an axis that a tile may contribute to, `n` levels
 * below its own. */
static uint32_t most_of_axis(uint32_t tile, uint32_t n)
{
    return (uint32_t)((((int32_t)tile - 3) >> n) + 3);
}

/* The most texels of levels `first` to `end` - 1 below a tile's that it may contribute to. */
static uint32_t most_parts(uint32_t tile_x, uint32_t tile_y, uint32_t first, uint32_t end)
{
    uint32_t n_parts = 0;
    for (uint32_t n = first; n < end; n++) {
        n_parts += most_of_axis(tile_x, n) * most_of_axis(tile_y, n);
    }
    return n_parts;
}

/* Shared memory of a workgroup, as declared by partials.glsl, even.glsl, lanes.glsl and
 * texel.glsl, for tiles of at most this size. */
static uint32_t shared_bytes(const struct spd_tree_image *image,
                             const struct spd_tree_module *module, uint32_t tile_x,
                             uint32_t tile_y)
{
    const uint32_t slot = spd_tree_slot_bytes(image), n_of_tile = tile_x * tile_y;
    const uint32_t n_further =
        spd_tree_is_update(image) ? 0 : most_parts(tile_x, tile_y, 1, 6) + 7 * 9;
    const uint32_t n_common = n_further < 256 ? n_further : 256;
    const uint32_t n_parts = module->is_even         ? n_of_tile + n_further + 256
                             : n_of_tile > n_further ? n_of_tile
                                                     : n_further;
    const uint32_t n_lanes = module->has_subgroups ? 0 : SPD_TREE_N_INVOCATIONS;
    return n_parts * slot + n_lanes * (slot + 2 * spd_tree_fetched_bytes(image)) +
           ((module->has_slots ? 3 : 2) * n_common + 4 +
            (image->format.codec == SPD_TREE_SRGB8 ? 256 : 0)) *
               4;
}

static void set_tiles(const struct spd_tree_image *image, struct spd_tree_plan *plan)
{
    const uint32_t x = spd_tree_size_of_level(image->width, plan->n_first);
    const uint32_t y = spd_tree_size_of_level(image->height, plan->n_first);
    plan->n_groups[0] = (x - 1) / plan->tile_x + 1;
    plan->n_groups[1] = (y - 1) / plan->tile_y + 1;
    plan->n_groups[2] = image->n_layers;
}

/* The number of lanes that exchange texels. */
static uint32_t lanes_of(const struct spd_tree_plan *plan)
{
    return plan->module.has_subgroups ? plan->subgroup_size : 32;
}

/* Whether a level that strips read has an odd size, or a single texel along an axis. */
static bool is_general(const struct spd_tree_image *image)
{
    return (image->width | image->height) % 8 != 0;
}

static uint32_t strip_tile_x(const struct spd_tree_plan *plan, bool is_general)
{
    const uint32_t n_lanes = lanes_of(plan);
    return SPD_TREE_N_INVOCATIONS / n_lanes / 2 * ((4 * n_lanes - (is_general ? 7 : 0)) >> 3);
}

/* Whether partials.glsl makes levels: some lie below the tiles' levels and there is no tail. */
static bool has_parts(const struct spd_tree_image *image, const struct spd_tree_plan *plan)
{
    return !plan->has_tail && plan->n_first + 1 < image->n_levels;
}

/* Plans strips with this many rows; false if that is impossible. An invocation makes at most
 * two texels of the first level below a tile and one of all further levels together, which is
 * enough for tiles of 64x24. */
static bool set_strips(const struct spd_tree_image *image, uint32_t rows,
                       struct spd_tree_plan *plan)
{
    plan->shape = SPD_TREE_STRIPS;
    plan->n_first = 3;
    plan->rows = rows;
    plan->tile_x = strip_tile_x(plan, is_general(image));
    plan->tile_y = 2 * rows;
    set_tiles(image, plan);
    return rows <= plan->max_rows &&
           (!has_parts(image, plan) ||
            most_parts(plan->tile_x, plan->tile_y, 2, image->n_levels - plan->n_first) <=
                SPD_TREE_N_INVOCATIONS);
}

/* the most tiles that a word can count, if it has two channels (words.glsl) */
#define MAX_SHARING  1024u
#define MOST_SHARING 32767u /* the same if the word has one channel */

/* The number of cores that is assumed if the device reports none. The planner lets each core
 * run two workgroups, each with half of the core's shared memory; all workgroups that run at
 * the same time are a wave. */
#define USUAL_CORES 64u

static uint32_t shared_budget(const struct spd_tree_device *device)
{
    return device->is_cpu ? device->max_shared_bytes : device->max_shared_bytes / 2;
}

static uint32_t wave_of(const struct spd_tree_device *device)
{
    return 2 * (device->n_cores > 0 ? device->n_cores : USUAL_CORES);
}

static uint32_t max_rows(const struct spd_tree_device *device,
                         const struct spd_tree_image *image, const struct spd_tree_plan *plan)
{
    const uint32_t tile_x = strip_tile_x(plan, false);
    for (uint32_t i = SPD_TREE_N_ROWS; i-- > 0;) {
        const uint32_t most = i > 0 ? shared_budget(device) : device->max_shared_bytes;
        const uint32_t rows = spd_tree_rows[i];
        if (shared_bytes(image, &plan->module, tile_x, 2 * rows) <= most) {
            return rows;
        }
    }
    return 0;
}

/* Chooses the strips that take the fewest waves of workgroups and, among equals, the shortest:
 * most time is lost to cores that wait at the end of an incomplete wave, and to the partials
 * that each tile hands on. Updates have few tiles, so their strips are as short as possible. */
static bool choose_strips(const struct spd_tree_device *device,
                          const struct spd_tree_image *image, uint32_t rows,
                          struct spd_tree_plan *plan)
{
    struct spd_tree_plan best = *plan;
    uint64_t fewest = UINT64_MAX;
    /* a workgroup with 16-byte texels takes so many registers that a core has room for one */
    const uint32_t wave = wave_of(device) / (spd_tree_texel_bytes(image->format) == 16 ? 2 : 1);
    plan->module.is_even = plan->has_tail = false;
    plan->max_rows = max_rows(device, image, plan);
    for (uint32_t i = 0; i < SPD_TREE_N_ROWS; i++) {
        struct spd_tree_plan with = *plan;
        const uint32_t r = spd_tree_rows[i];
        if ((rows > 0 && r != rows) || (rows == 0 && spd_tree_is_update(image) && r > 1) ||
            (rows == 0 && device->is_cpu && !spd_tree_is_update(image) && r < 8 &&
             r < plan->max_rows) ||
            !set_strips(image, r, &with)) {
            continue;
        }
        const uint64_t n_tiles =
            (uint64_t)with.n_groups[0] * with.n_groups[1] * with.n_groups[2];
        const uint64_t n_waves = (n_tiles - 1) / wave + 1;
        if (n_waves < fewest) {
            best = with;
            fewest = n_waves;
        }
    }
    *plan = best;
    return fewest != UINT64_MAX;
}

/* The number of texels that an update keeps in shared memory while it makes the levels below
 * the tiles' levels: as many as fit. On a CPU, shared memory is no faster than other memory, so
 * 256 suffice. */
static uint32_t n_held_texels(const struct spd_tree_device *device,
                              const struct spd_tree_image *image,
                              const struct spd_tree_plan *plan)
{
    const uint32_t most = shared_budget(device);
    const uint32_t used = shared_bytes(image, &plan->module, plan->tile_x, 2 * plan->max_rows) +
                          1024; /* room for boxes, and a margin */
    return !spd_tree_is_update(image) || used >= most ? 1
           : device->is_cpu                           ? 256
                            : (most - used) / spd_tree_fetched_bytes(image);
}

static bool set_even(const struct spd_tree_device *device, const struct spd_tree_image *image,
                     struct spd_tree_plan *plan)
{
    const uint32_t n_even = count_even_levels(image);
    plan->shape = SPD_TREE_EVEN;
    plan->rows = 0;
    plan->n_first = n_even < 6 ? n_even : 6;
    plan->tile_x = plan->tile_y = 64u >> plan->n_first;
    plan->module.is_even = true;
    /* If tiles make six levels and the sizes below are powers of two, tail.glsl continues from
     * one texel per tile. */
    plan->has_tail = plan->n_first == 6 &&
                     (image->n_levels == 7 || ((image->width & (image->width - 1)) == 0 &&
                                               (image->height & (image->height - 1)) == 0));
    set_tiles(image, plan);
    return !spd_tree_is_update(image) && plan->module.has_subgroups &&
           (n_even >= 3 || n_even + 1 == image->n_levels) &&
           shared_bytes(image, &plan->module, 8, 8) <= device->max_shared_bytes;
}

/* Up to this number of tiles, a round through words makes as many levels as possible, since few
 * tiles wait for their turn. */
#define MAX_WIDE 1024u

/* Levels of the tail per round. With words: as many as the count in a word and the number of
 * lanes allow. With slots: the number that needs the fewest rounds, as each cell is a round
 * trip to memory. */
static uint32_t levels_per_round_of(const struct spd_tree_image *image,
                                    const struct spd_tree_plan *plan)
{
    const uint32_t n_words = (image->format.n_channels + 1) / 2,
                   n_lanes = lanes_of(plan) / n_words;
    const uint32_t n_below = image->n_levels - 1 - plan->n_first,
                   n_steps = n_below > 0 ? (n_below - 1) / 4 + 1 : 1;
    const uint32_t even = (n_below + n_steps - 1) / n_steps;
    if (plan->module.has_slots) {
        return even < 3 ? 3 : even;
    }
    if ((uint64_t)plan->n_groups[0] * plan->n_groups[1] > MAX_WIDE) {
        return n_lanes < 3 ? n_lanes : 3;
    }
    return n_lanes < 5 ? n_lanes : 5;
}

/* As in sharing.glsl: the most tiles that contribute to a texel `n` levels below the tiles'. */
static uint64_t most_sharing(const struct spd_tree_image *image,
                             const struct spd_tree_plan *plan, uint32_t n)
{
    const uint32_t mask = (UINT32_C(1) << n) - 1;
    const uint32_t added_x = spd_tree_size_of_level(image->width, plan->n_first) & mask;
    const uint32_t added_y = spd_tree_size_of_level(image->height, plan->n_first) & mask;
    const uint32_t x = (added_x + mask - 1) / plan->tile_x + 2,
                   y = (added_y + mask - 1) / plan->tile_y + 2;
    return (uint64_t)(x < plan->n_groups[0] ? x : plan->n_groups[0]) *
           (y < plan->n_groups[1] ? y : plan->n_groups[1]);
}

/* The number of nodes per layer of the `i`-th level below the tiles' levels; for nodes see
 * words.glsl, slots.glsl, tail.glsl and update.glsl. */
static uint64_t nodes_of(const struct spd_tree_image *image, const struct spd_tree_plan *plan,
                         uint32_t i)
{
    const bool by_cells = plan->has_tail && plan->module.has_slots;
    const uint32_t n = plan->levels_per_round;
    const uint32_t level = plan->n_first + (spd_tree_is_update(image) ? i
                                            : by_cells                ? n * i
                                                                      : i + 1);
    if (level >= image->n_levels || (by_cells && level + 1 >= image->n_levels)) {
        return 0;
    }
    const uint64_t x = spd_tree_size_of_level(image->width, level);
    const uint64_t y = spd_tree_size_of_level(image->height, level);
    if (by_cells) {
        return (x >> n > 0 ? x >> n : 1) * (y >> n > 0 ? y >> n : 1) << 2 * n;
    }
    return x * y *
           (plan->module.has_slots && !spd_tree_is_update(image)
                ? most_sharing(image, plan, i + 1)
                : 1);
}

/* Sets the sizes of the buffers and the first node of each level; false if a buffer would be
 * too large. */
static bool set_nodes(const struct spd_tree_device *device, const struct spd_tree_image *image,
                      struct spd_tree_plan *plan)
{
    const uint64_t n_words = plan->push.is_many ? image->format.n_channels
                                                : ((uint64_t)image->format.n_channels + 1) / 2;
    uint64_t n = 0;
    for (uint32_t i = 0; i < 12; i++) {
        plan->push.nodes[i] = (uint32_t)n;
        n += nodes_of(image, plan, i);
    }
    plan->push.n_nodes = (uint32_t)n;
    plan->hand_off_bytes =
        (n * image->n_layers + 1) * (spd_tree_is_update(image) ? spd_tree_fetched_bytes(image)
                                     : plan->module.has_slots  ? spd_tree_slot_bytes(image)
                                     : plan->module.is_extreme
                                         ? image->format.n_channels * sizeof(uint32_t)
                                         : n_words * sizeof(uint64_t));
    plan->counter_bytes = (n * image->n_layers + image->n_layers + 1) * sizeof(uint32_t);
    return plan->hand_off_bytes <= device->max_buffer_bytes &&
           plan->counter_bytes <= device->max_buffer_bytes;
}

/* The factor that turns the sums of levels 1 to 3 into averages, as in reduce.glsl: along an
 * axis, odd sizes are weighted by whole numbers over the next power of two or, for codes, over
 * the middle weight. */
static double scale_of_size(uint32_t size, const struct spd_tree_image *image)
{
    uint32_t unit = 2;
    while (unit < size) {
        unit *= 2;
    }
    return size == 1 ? 1.0
           : size % 2 == 0
               ? (image->format.codec == SPD_TREE_FLOAT32 && !image->weighs_alpha ? 1.0 : 0.5)
               : (double)(spd_tree_is_normalised(image->format) ? size / 2 : unit) /
                     (double)size;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Rounds only once, since averages of 32-bit floats have little to spare, and down, so that no
 * mean is larger than the largest texel. Extremes are not scaled. */
static float rounded_scale(const struct spd_tree_image *image, double scale)
{
    float rounded = (float)scale;
    if (!spd_tree_is_normalised(image->format) && (double)rounded > scale) {
        const uint32_t bits = float_bits(rounded) - 1;
        memcpy(&rounded, &bits, sizeof rounded);
    }
    return image->reduction == SPD_TREE_AVERAGE ? rounded : 1.0f;
}

static void set_scales(const struct spd_tree_image *image, struct spd_tree_plan *plan)
{
    double scale = 1.0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t width = spd_tree_size_of_level(image->width, i);
        /* For a width of one texel, level 0 weights the texel and its repetition
         * (strips.glsl). */
        const double own = scale_of_size(i == 0 && width == 1 ? 2 : width, image) *
                           scale_of_size(spd_tree_size_of_level(image->height, i), image);
        scale = spd_tree_is_normalised(image->format) ? scale * own : own;
        plan->push.scales[i] = rounded_scale(image, scale);
    }
}

/* Whether the changed rectangle is valid: it is empty or lies in level 0. */
static bool has_rect(const struct spd_tree_image *image)
{
    const struct spd_tree_rect r = image->changed;
    return (r.width == 0 && r.height == 0) ||
           (r.width > 0 && r.height > 0 && r.x < image->width && r.y < image->height &&
            r.width <= image->width - r.x && r.height <= image->height - r.y);
}

struct tiles {
    uint32_t first, n;
};

/* The tiles along an axis that make the texels of levels 1 to n_first that the rectangle
 * affects. Texels past the last one of level n_first belong to the last tile. */
static struct tiles changed_tiles(uint32_t size, uint32_t x, uint32_t n, uint32_t tile,
                                  uint32_t n_first, uint32_t n_tiles)
{
    uint32_t from = x, to = x + n - 1, last = 0;
    struct tiles tiles = {n_tiles - 1, 0};
    for (uint32_t level = 0; level < n_first; level++) {
        const uint32_t below = spd_tree_size_of_level(size, level + 1);
        const uint32_t odd = spd_tree_size_of_level(size, level) % 2;
        const uint32_t shift = n_first - level - 1;
        from = (from > odd ? from - odd : 0) / 2;
        to = to / 2 < below ? to / 2 : below - 1;
        tiles.first =
            (from >> shift) / tile < tiles.first ? (from >> shift) / tile : tiles.first;
        last = (to >> shift) / tile > last ? (to >> shift) / tile : last;
    }
    tiles.n = (last < n_tiles ? last : n_tiles - 1) - tiles.first + 1;
    return tiles;
}

/* Sets, for an update, the changed corners, the tiles to make, and the scales of the levels
 * below the tiles' levels, where an axis of one texel counts as two. */
static void set_update(const struct spd_tree_image *image, struct spd_tree_plan *plan)
{
    const struct spd_tree_rect r = image->changed;
    const int32_t corners[4] = {(int32_t)r.x, (int32_t)r.y, (int32_t)(r.x + r.width - 1),
                                (int32_t)(r.y + r.height - 1)};
    const struct tiles along_x = changed_tiles(image->width, r.x, r.width, plan->tile_x,
                                               plan->n_first, plan->n_groups[0]);
    const struct tiles along_y = changed_tiles(image->height, r.y, r.height, plan->tile_y,
                                               plan->n_first, plan->n_groups[1]);
    plan->n_groups[0] = along_x.n;
    plan->n_groups[1] = along_y.n;
    memcpy(plan->push.changed, corners, sizeof corners);
    plan->push.first_tile = along_x.first | along_y.first << 16;
    plan->push.n_tiles = plan->n_groups[0] * plan->n_groups[1];
    for (uint32_t i = 0; i < 12; i++) {
        const uint32_t x = spd_tree_size_of_level(image->width, plan->n_first + i),
                       y = spd_tree_size_of_level(image->height, plan->n_first + i);
        const double scale =
            scale_of_size(x > 1 ? x : 2, image) * scale_of_size(y > 1 ? y : 2, image);
        plan->push.nodes[i] = float_bits(rounded_scale(image, scale));
    }
}

/* Whether all tiles run at the same time, which makes the hand-off the critical path. */
static bool is_late(const struct spd_tree_device *device, const struct spd_tree_image *image,
                    const struct spd_tree_plan *plan)
{
    return !device->is_cpu && /* llvmpipe loses the texels to be stored late */
           plan->has_tail &&
           (uint64_t)plan->n_groups[0] * plan->n_groups[1] * image->n_layers <= wave_of(device);
}

/* By enum spd_tree_codec: the constants of levels.glsl and texel.glsl. */
static const struct {
    float unorm_max, unorm_max_alpha;
    uint32_t dropped_bits, dropped_bits_blue, codec;
} numbers_of[] = {
    {255.0f, 255.0f, 0, 0, 0}, {255.0f, 255.0f, 0, 0, 1}, {1023.0f, 3.0f, 0, 0, 2},
    {0.0f, 0.0f, 13, 13, 0},   {0.0f, 0.0f, 0, 0, 0},     {0.0f, 0.0f, 17, 18, 0},
};

static void set_constants(const struct spd_tree_device *device,
                          const struct spd_tree_image *image, struct spd_tree_plan *plan)
{
    const enum spd_tree_codec codec = image->format.codec;
    const bool is_even = plan->shape == SPD_TREE_EVEN;
    const struct spd_tree_constant constants[SPD_TREE_N_CONSTANTS] = {
        {"SUBGROUP_SIZE", 2, lanes_of(plan)},
        {"MAX_ROWS", 3, plan->max_rows},
        {"GENERAL", 4, !is_even && is_general(image)},
        {"HAS_TAIL", 5, is_even && plan->has_tail},
        {"IS_LATE", 6, is_even && is_late(device, image, plan)},
        {"IS_GPU", 9, !device->is_cpu},
        {"UNORM_MAX", 11, float_bits(numbers_of[codec].unorm_max)},
        {"UNORM_MAX_ALPHA", 12, float_bits(numbers_of[codec].unorm_max_alpha)},
        {"IS_SRGB", 13, codec == SPD_TREE_SRGB8},
        {"DROPPED_BITS", 14, numbers_of[codec].dropped_bits},
        {"DROPPED_BITS_BLUE", 15, numbers_of[codec].dropped_bits_blue},
        {"REDUCE", 16, (uint32_t)image->reduction},
        {"CODEC", 20, numbers_of[codec].codec},
        {"IS_LEAN", 24, plan->is_lean},
        {"N_HELD", 25, n_held_texels(device, image, plan)},
    };
    memcpy(plan->constants, constants, sizeof constants);
}

/* Whether workgroups can require this subgroup size. */
static bool can_require(const struct spd_tree_device *device, uint32_t size)
{
    return size >= device->min_subgroup_size && size <= device->max_subgroup_size &&
           size * device->max_workgroup_subgroups >= SPD_TREE_N_INVOCATIONS;
}

static bool has_subgroups(const struct spd_tree_device *device)
{
    const uint32_t size = device->subgroup_size;
    return device->has_shuffles && device->has_full_subgroups && size >= 4 &&
           size <= SPD_TREE_N_INVOCATIONS / 2 && (size & (size - 1)) == 0 &&
           (device->min_subgroup_size == device->max_subgroup_size ||
            can_require(device, size));
}

/* Whether words can hold the partials. */
static bool may_have_words(const struct spd_tree_image *image)
{
    return image->reduction == SPD_TREE_AVERAGE && !image->weighs_alpha &&
           !spd_tree_is_update(image) && spd_tree_is_normalised(image->format);
}

/* Whether tiles of 64x64 cost less than strips. If partials.glsl makes no levels, they do. If
 * it makes levels, they do up to a little more than two waves, since each tile waits for the
 * texels it shares; with 16-byte texels or on a CPU, up to MOST_SHARING tiles. */
static bool even_is_best(const struct spd_tree_device *device,
                         const struct spd_tree_image *image, const struct spd_tree_plan *plan)
{
    const uint64_t n_tiles = (uint64_t)plan->n_groups[0] * plan->n_groups[1];
    /* with sRGB, three workgroups fit on a core instead of four */
    const uint32_t quarters = image->format.codec == SPD_TREE_SRGB8 ? 6 : 9;
    return !has_parts(image, plan) ||
           n_tiles * image->n_layers <= (uint64_t)wave_of(device) * quarters / 4 ||
           ((device->is_cpu || spd_tree_texel_bytes(image->format) == 16) &&
            n_tiles <= MOST_SHARING);
}

static bool set_shape(const struct spd_tree_device *device, const struct spd_tree_image *image,
                      const struct spd_tree_options *options, struct spd_tree_plan *plan)
{
    if (options->shape != SPD_TREE_STRIPS && options->rows == 0 &&
        set_even(device, image, plan) &&
        (options->shape == SPD_TREE_EVEN || even_is_best(device, image, plan))) {
        return true;
    }
    return options->shape != SPD_TREE_EVEN && choose_strips(device, image, options->rows, plan);
}

/* Sets the members of the module that do not depend on the shape of tiles. */
static void set_module(const struct spd_tree_device *device, const struct spd_tree_image *image,
                       struct spd_tree_plan *plan)
{
    const uint32_t texel_bytes = spd_tree_texel_bytes(image->format);
    plan->view = spd_tree_view_of(image->format, image->is_depth);
    plan->module.n_channels = (uint8_t)image->format.n_channels;
    plan->module.raw_words =
        (uint8_t)(plan->view == SPD_TREE_VIEW_OF_FORMAT ? 0 : texel_bytes / 4);
    plan->module.weighs_alpha = image->weighs_alpha;
    plan->module.is_update = spd_tree_is_update(image);
    const bool has_words = may_have_words(image);
    plan->module.has_subgroups =
        has_subgroups(device) && (!has_words || device->has_int64_atomics);
    plan->module.is_extreme = image->reduction != SPD_TREE_AVERAGE &&
                              plan->module.has_subgroups && !spd_tree_is_update(image);
    plan->module.has_slots =
        !plan->module.is_extreme && !(has_words && plan->module.has_subgroups);
    plan->subgroup_size = plan->module.has_subgroups ? device->subgroup_size : 0;
    plan->requires_size =
        plan->module.has_subgroups && can_require(device, device->subgroup_size);
}

static bool is_format(struct spd_tree_format format)
{
    switch (format.codec) {
    case SPD_TREE_SRGB8:
    case SPD_TREE_UNORM10_2:
        return format.n_channels == 4;
    case SPD_TREE_FLOAT11_10:
        return format.n_channels == 3;
    case SPD_TREE_UNORM8:
    case SPD_TREE_FLOAT16:
    case SPD_TREE_FLOAT32:
        return format.n_channels == 1 || format.n_channels == 2 || format.n_channels == 4;
    }
    return false;
}

/* Whether the image is valid; an image initialised to zero is not. */
static bool is_image(const struct spd_tree_image *image)
{
    const uint32_t size = image->width | image->height;
    return image->width - 1 < 65535 && image->height - 1 < 65535 && image->n_layers > 0 &&
           image->n_levels >= 2 && image->n_levels <= SPD_TREE_MAX_LEVELS &&
           size >> (image->n_levels - 1) > 0;
}

/* Returns why images of this kind cannot be made at any size, or NULL if they can. */
static const char *why_no_kind(const struct spd_tree_image *image,
                               const struct spd_tree_options *options)
{
    const bool is_float = image->format.codec == SPD_TREE_FLOAT32;
    if (!is_format(image->format)) {
        return "a format has 1, 2 or 4 channels, of SRGB8 and UNORM10_2 4, and of FLOAT11_10 3";
    }
    if ((uint32_t)image->reduction > SPD_TREE_MAXIMUM ||
        (uint32_t)options->shape > SPD_TREE_STRIPS) {
        return "a reduction or shape is none of those that there are";
    }
    if (image->weighs_alpha &&
        (image->format.n_channels != 4 || image->reduction != SPD_TREE_AVERAGE)) {
        return "only averages of four channels weight colour by alpha";
    }
    if (image->is_depth && (!is_float || image->format.n_channels != 1)) {
        return "levels of a depth image are FLOAT32 of one channel";
    }
    return has_rect(image) ? NULL : "the changed rectangle is not within the image";
}

/* Sets the push constants except nodes and scales. */
static void set_push(const struct spd_tree_image *image, const struct spd_tree_options *options,
                     struct spd_tree_plan *plan)
{
    plan->push.base_extent[0] = (int32_t)image->width;
    plan->push.base_extent[1] = (int32_t)image->height;
    plan->push.inv_base_extent[0] = 1.0f / (float)image->width;
    plan->push.inv_base_extent[1] = 1.0f / (float)image->height;
    /* is_tile_only leaves out the levels below the tiles */
    plan->push.n_levels = options->is_tile_only && plan->n_first + 1 < image->n_levels
                              ? plan->n_first + 1
                              : image->n_levels;
    plan->push.n_first = plan->n_first;
    plan->push.strip_rows = plan->rows;
    plan->push.levels_per_round = plan->levels_per_round;
}

/* As spd_tree_make_plan(), but with subgroups of device->subgroup_size. */
static const char *plan_with_lanes(const struct spd_tree_device *device,
                                   const struct spd_tree_image *image,
                                   const struct spd_tree_options *options, bool is_lean,
                                   struct spd_tree_plan *plan)
{
    const struct spd_tree_format format = image->format;
    if (!is_image(image)) {
        return "an image has 1 to 65535 texels along each axis, 1 layer or more, and 2 to 16 "
               "levels, level 0 included and no more than it can have";
    }
    if (why_no_kind(image, options)) {
        return why_no_kind(image, options);
    }
    memset(plan, 0, sizeof *plan);
    plan->image = *image;
    plan->is_lean = is_lean;
    set_module(device, image, plan);
    if (spd_tree_is_update(image) && !plan->module.has_subgroups) {
        return "updates need subgroup operations; make all levels anew";
    }
    if (!set_shape(device, image, options, plan)) {
        return options->shape == SPD_TREE_EVEN
                   ? "tiles of 64x64 are for images of which three levels are even, on devices "
                     "with subgroup operations"
               : options->rows > 0
                   ? "so many rows take more shared memory or invocations than a workgroup has"
                   : "a workgroup has too little shared memory for this image";
    }
    /* A slot takes all channels at once; ordered words take them one by one. */
    if (plan->module.is_extreme && plan->module.is_even && format.n_channels > 1) {
        plan->module.is_extreme = false;
        plan->module.has_slots = true;
    }
    plan->module.has_sums = plan->module.is_even && !plan->module.has_slots &&
                            !plan->module.is_extreme && format.codec == SPD_TREE_UNORM8 &&
                            format.n_channels == 4 && plan->subgroup_size >= 16;
    const uint64_t n_tiles = (uint64_t)plan->n_groups[0] * plan->n_groups[1];
    plan->push.is_many = has_parts(image, plan) && n_tiles >= MAX_SHARING;
    if (plan->push.is_many && !plan->module.has_slots && !plan->module.is_extreme &&
        n_tiles > MOST_SHARING) {
        return "so few rows make more tiles than words can count";
    }
    plan->levels_per_round = levels_per_round_of(image, plan);
    if (!set_nodes(device, image, plan)) {
        return "what tiles hand on takes more than a buffer of the device holds";
    }
    set_push(image, options, plan);
    set_scales(image, plan);
    if (spd_tree_is_update(image)) {
        set_update(image, plan);
    }
    set_constants(device, image, plan);
    return NULL;
}

/* Whether the module takes few registers in any case: many even tiles with 4-byte texels. */
static bool is_small(const struct spd_tree_device *device, const struct spd_tree_image *image,
                     const struct spd_tree_plan *plan)
{
    return plan->shape == SPD_TREE_EVEN && !is_late(device, image, plan) &&
           spd_tree_texel_bytes(image->format) <= 4;
}

/* The device with options->lanes per subgroup or, if that is 0, with `lanes` if it can require
 * them: on Intel, each of 32 lanes has too few registers. */
static struct spd_tree_device with_lanes(const struct spd_tree_device *device,
                                         const struct spd_tree_options *options, uint32_t lanes)
{
    struct spd_tree_device with = *device;
    with.has_shuffles = device->has_shuffles && !options->without_subgroups;
    with.subgroup_size = options->lanes > 0           ? options->lanes
                         : can_require(device, lanes) ? lanes
                                                      : device->subgroup_size;
    return with;
}

const char *spd_tree_make_plan(const struct spd_tree_device *device,
                               const struct spd_tree_image *image,
                               const struct spd_tree_options *options,
                               struct spd_tree_plan *plan)
{
    static const struct spd_tree_options none = {SPD_TREE_ANY_SHAPE, 0, 0, false, false};
    options = options ? options : &none;
    struct spd_tree_image coded = *image;
    const bool is_srgb = image->format.codec == SPD_TREE_SRGB8 && image->format.n_channels == 4;
    if (is_srgb &&
        image->reduction != SPD_TREE_AVERAGE) { /* the curve is monotonic: compare codes */
        coded.format.codec = SPD_TREE_UNORM8;
    }
    const bool has_few_registers = device->is_intel && device->max_subgroup_size == 32;
    const struct spd_tree_device usual =
        with_lanes(device, options, has_few_registers ? 16 : device->subgroup_size);
    const char *why = plan_with_lanes(&usual, &coded, options, false, plan);
    if (!has_few_registers || (!why && is_small(&usual, &coded, plan))) {
        return why;
    }
    struct spd_tree_device lean = with_lanes(device, options, 8);
    lean.subgroup_size = can_require(device, 8) ? lean.subgroup_size : usual.subgroup_size;
    return plan_with_lanes(&lean, &coded, options, true, plan);
}
