/* How strips (strips.glsl) divide an image. */
#include "spd_tree.h"

/* From how many texels on strips cost less than tiles of 64x64: on GPUs; on CPUs if three
 * levels are even, where llvmpipe takes 0.1 ms for 96x96 and 0.3 with strips, but 15 and 5 for
 * 1920x1080. */
#define MIN_TEXELS          (1u << 19)
#define MIN_EVEN_CPU_TEXELS (1u << 15)

/* Levels that strips make at most. */
#define MAX_STRIP_LEVELS 4u

/* As many workgroups as an H200 has at a time: two on each of its multiprocessors, whose shared
 * memory is enough for these if each takes no more than this. */
#define WAVE             264u
#define MAX_SHARED_BYTES (25u << 10)

static const uint32_t n_rows_of[] = {
    [ROWS_2] = 2,   [ROWS_3] = 3,   [ROWS_4] = 4,   [ROWS_5] = 5,   [ROWS_6] = 6,
    [ROWS_7] = 7,   [ROWS_8] = 8,   [ROWS_9] = 9,   [ROWS_10] = 10, [ROWS_12] = 12,
    [ROWS_14] = 14, [ROWS_16] = 16, [ROWS_18] = 18, [ROWS_20] = 20, [ROWS_21] = 21,
};

/* Of level `n_first`, that a workgroup makes: as in tree.glsl. */
static uint32_t tile_columns(const struct mb_gpu *gpu, const struct mb_layout *layout,
                             uint32_t n_first)
{
    const uint32_t odd_x = layout->base.width & ((UINT32_C(1) << n_first) - 1);
    const uint32_t halo = odd_x == 1 ? 0 : odd_x, n_lanes = gpu->info.subgroup_size;
    return SPD_TREE_N_INVOCATIONS / n_lanes / 2 * ((4 * n_lanes - halo) >> n_first);
}

/* As MOST_OF_AXIS() of share_parts.glsl: texels of the level `n` below those of tiles that a
 * tile may have a part in, along an axis. */
static uint32_t most_of_axis(uint32_t tile, uint32_t n)
{
    return ((tile - 3) >> n) + 3;
}

static uint32_t most_of(struct mb_extent tile, uint32_t n)
{
    return most_of_axis(tile.width, n) * most_of_axis(tile.height, n);
}

/* Whether there are invocations for all texels below a tile: two each for the first level, and
 * one for all further ones together. */
static bool has_invocations(const struct mb_layout *layout, struct mb_extent tile,
                            uint32_t n_first)
{
    uint32_t n_further = 0;
    for (uint32_t n = 2; n_first + n < layout->n_levels; n++) {
        n_further += most_of(tile, n);
    }
    return most_of(tile, 1) <= 2 * SPD_TREE_N_INVOCATIONS &&
           n_further <= SPD_TREE_N_INVOCATIONS;
}

uint32_t mb_spd_tree_slot_bytes(const struct mb_format *format)
{
    const uint32_t n = format->n_channels;
    return (n == 3 ? 4 : n) * (uint32_t)sizeof(float);
}

/* What share_parts.glsl has of shared memory: parts[], common_texel[], n_common, complete[] and
 * n_complete, as there; and texel.glsl a table. */
static uint32_t shared_bytes(const struct mb_format *format, struct mb_extent tile)
{
    const int32_t n_table = format->codec == MB_CODEC_SRGB8 ? 256 : 0;
    const int32_t n_of_tile = (int32_t)(tile.width * tile.height);
    int32_t n_further = 7 * 9, n_within = 0;
    for (uint32_t n = 1; n <= 5; n++) {
        const int32_t width = (int32_t)(tile.width >> n), height = (int32_t)(tile.height >> n);
        n_further += (int32_t)most_of(tile, n);
        n_within += n <= 4 ? (width - 1) * (height - 1) : 0;
    }
    const int32_t n_parts = n_of_tile > n_further ? n_of_tile : n_further;
    return (uint32_t)n_parts * mb_spd_tree_slot_bytes(format) +
           (uint32_t)(3 * (n_further - n_within) + n_table + 2) * (uint32_t)sizeof(float);
}

static struct spd_tree_strips strips_of(const struct mb_gpu *gpu,
                                        const struct mb_layout *layout, uint32_t n_first,
                                        uint8_t rows)
{
    struct spd_tree_strips strips = {.rows = rows, .n_first = n_first};
    strips.tile.width = tile_columns(gpu, layout, n_first);
    strips.tile.height = 2 * n_rows_of[rows];
    if (strips.tile.width == 0) {
        return strips;
    }
    strips.shared_bytes = shared_bytes(layout->format, strips.tile);
    strips.can_be = layout->n_levels >= n_first + 2 &&
                    has_invocations(layout, strips.tile, n_first) &&
                    strips.shared_bytes <= gpu->info.max_shared_memory_bytes;
    return strips;
}

/* Waves of workgroups that make an image. */
static uint64_t n_waves(const struct mb_layout *layout, const struct spd_tree_strips *strips)
{
    const struct mb_extent extent = mb_level_extent(layout->base, strips->n_first);
    const uint64_t n_x = (extent.width - 1) / strips->tile.width + 1;
    const uint64_t n_y = (extent.height - 1) / strips->tile.height + 1;
    return (n_x * n_y * layout->n_layers - 1) / WAVE + 1;
}

/* Of `n_min` to `n_max` levels those strips that take the fewest waves, and of these the
 * shortest: what is left over at the end of a wave, where multiprocessors wait, and the shares
 * of each tile cost most. An H200 takes 46 us for 4095x4095 in one wave and 61 to 64 in one and
 * a half. Four levels, which take a wider halo and some more instructions, let strips be
 * longer. */
static struct spd_tree_strips choose_strips(const struct mb_gpu *gpu,
                                            const struct mb_layout *layout, uint32_t n_min,
                                            uint32_t n_max)
{
    struct spd_tree_strips best = strips_of(gpu, layout, n_min, ROWS_2);
    for (uint32_t n_first = n_min; n_first <= n_max; n_first++) {
        for (uint8_t rows = ROWS_2; rows <= ROWS_21; rows++) {
            const struct spd_tree_strips strips = strips_of(gpu, layout, n_first, rows);
            if (strips.can_be && strips.shared_bytes <= MAX_SHARED_BYTES &&
                (!best.can_be || n_waves(layout, &strips) < n_waves(layout, &best))) {
                best = strips;
            }
        }
    }
    return best;
}

struct spd_tree_strips mb_spd_tree_strips(const struct mb_gpu *gpu,
                                          const struct mb_layout *layout,
                                          const struct mb_params *choice)
{
    const uint8_t rows = choice->choice[SPD_TREE_PARAM_ROWS];
    const uint32_t n_min = choice->choice[SPD_TREE_PARAM_FIRST] == FIRST_4 ? 4 : 3;
    const bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (rows > ROWS_OFF) {
        const struct spd_tree_strips strips = strips_of(gpu, layout, n_min, rows);
        return strips.can_be ? strips : strips_of(gpu, layout, 4, rows);
    }
    if (is_cpu) {
        return strips_of(gpu, layout, n_min, ROWS_8);
    }
    return choose_strips(gpu, layout, n_min, gpu->info.subgroup_size >= 32 ? 4 : n_min);
}

bool mb_spd_tree_strips_are_no_loss(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                    bool is_even)
{
    const uint64_t n_texels = (uint64_t)layout->base.width * layout->base.height;
    if (gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        return !is_even || n_texels >= MIN_EVEN_CPU_TEXELS;
    }
    return !is_even && n_texels >= MIN_TEXELS;
}

bool mb_spd_tree_takes_strips(const struct mb_gpu *gpu, const struct mb_layout *layout,
                              const struct mb_params *choice, bool is_only_way, bool is_even)
{
    return choice->choice[SPD_TREE_PARAM_ROWS] != ROWS_OFF &&
           (is_only_way || mb_spd_tree_strips_are_no_loss(gpu, layout, is_even)) &&
           mb_spd_tree_strips(gpu, layout, choice).can_be;
}

/* Of an axis of `n` texels: what makes averages of texels that are weighed by whole numbers, or
 * by these over that of the middle one. */
static double scale_of_axis(uint32_t n, bool is_whole)
{
    if (n == 1) {
        return 1.0;
    }
    return n % 2 == 0 ? 0.5 : (is_whole ? 1.0 : n / 2) / n;
}

void mb_spd_tree_scales(const struct mb_layout *layout, enum mb_reduce reduce, float scales[4])
{
    const bool is_float = !mb_format_is_unorm(layout->format);
    double scale = 1.0;
    for (uint32_t i = 0; i < MAX_STRIP_LEVELS; i++) {
        const struct mb_extent extent = mb_level_extent(layout->base, i);
        const double above = is_float ? 1.0 : scale;
        scale = above * scale_of_axis(extent.width, is_float) *
                scale_of_axis(extent.height, is_float);
        scales[i] = reduce == MB_REDUCE_AVG ? (float)scale : 1.0f;
    }
}
