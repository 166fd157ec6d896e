/* How strips (strips.glsl) divide an image. */
#include "spd_tree.h"

/* From how many texels on strips cost less than tiles of 64x64: on GPUs; on CPUs if three
 * levels are even, where llvmpipe takes 0.1 ms for 96x96 and 0.3 with strips, but 15 and 5 for
 * 1920x1080. */
#define MIN_TEXELS          (1u << 20)
#define MIN_EVEN_CPU_TEXELS (1u << 15)

/* As many workgroups as an H200 has at a time: two on each of its multiprocessors, whose shared
 * memory is enough for these if each takes no more than half of 48 KB. */
#define WAVE             264u
#define MAX_SHARED_BYTES (24u << 10)

#define MAX_WAVES 1024u

static const uint32_t n_rows_of[] = {
    [ROWS_1] = 1, [ROWS_2] = 2, [ROWS_3] = 3,   [ROWS_4] = 4,   [ROWS_6] = 6,
    [ROWS_8] = 8, [ROWS_9] = 9, [ROWS_12] = 12, [ROWS_16] = 16, [ROWS_20] = 20,
};

/* Of level `n_first`, that a workgroup makes: as in tree.glsl. */
static uint32_t tile_columns(const struct mb_gpu *gpu, const struct mb_layout *layout,
                             uint32_t n_first)
{
    const uint32_t odd_x = layout->base.width & ((UINT32_C(1) << n_first) - 1);
    const uint32_t halo = odd_x == 1 ? 0 : odd_x, n_lanes = gpu->info.subgroup_size;
    return SPD_TREE_N_INVOCATIONS / n_lanes / 2 * ((4 * n_lanes - halo) >> n_first);
}

/* What share_parts.glsl has of shared memory, its parts[] and common_texel[]; 0 if a tile has
 * more texels of the levels below than its invocations can make there. */
static uint32_t shared_bytes(struct mb_extent tile)
{
    const uint32_t n_of_tile = tile.width * tile.height;
    uint32_t n_further = 7 * 9, n_within = 0;
    for (uint32_t n = 1; n <= 5; n++) {
        const uint32_t width = tile.width >> n, height = tile.height >> n;
        const uint32_t most = (width + 3) * (height + 3);
        if (most > SPD_TREE_N_INVOCATIONS * (n == 1 ? 2 : 1)) {
            return 0;
        }
        n_further += most;
        n_within += n <= 4 && width > 0 && height > 0 ? (width - 1) * (height - 1) : 0;
    }
    const uint32_t n_parts = n_of_tile > n_further ? n_of_tile : n_further;
    return (4 * n_parts + 2 * (n_further - n_within)) * (uint32_t)sizeof(float) + 256;
}

static struct spd_tree_strips strips_of(const struct mb_gpu *gpu,
                                        const struct mb_layout *layout, uint32_t n_first,
                                        uint8_t rows)
{
    struct spd_tree_strips strips = {.rows = rows, .n_first = n_first};
    strips.tile.width = tile_columns(gpu, layout, n_first);
    strips.tile.height = 2 * n_rows_of[rows];
    strips.shared_bytes = shared_bytes(strips.tile);
    strips.can_be = layout->n_levels >= n_first + 2 && strips.tile.width > 0 &&
                    strips.shared_bytes > 0 &&
                    strips.shared_bytes <= gpu->info.max_shared_memory_bytes;
    return strips;
}

/* The fewest rows with which so many waves of workgroups make the image; rows == ROWS_AUTO:
 * none that fit. */
static struct spd_tree_strips strips_of_waves(const struct mb_gpu *gpu,
                                              const struct mb_layout *layout, uint32_t n_first,
                                              uint32_t n_waves)
{
    const struct mb_extent extent = mb_level_extent(layout->base, n_first);
    for (uint8_t rows = ROWS_2; rows <= ROWS_20; rows++) {
        const struct spd_tree_strips strips = strips_of(gpu, layout, n_first, rows);
        if (!strips.can_be || strips.shared_bytes > MAX_SHARED_BYTES) {
            break;
        }
        const uint64_t n_x = (extent.width - 1) / strips.tile.width + 1;
        const uint64_t n_y = (extent.height - 1) / strips.tile.height + 1;
        if (n_x * n_y <= (uint64_t)n_waves * WAVE) {
            return strips;
        }
    }
    return (struct spd_tree_strips){.rows = ROWS_AUTO};
}

/* What is left over at the end of a wave, where multiprocessors wait, and the shares of each
 * tile cost most. An H200 takes 46 us for 4095x4095 in one wave and 61 to 64 in one and a half.
 * Four levels, which take a wider halo and some more instructions, let strips be longer. */
static struct spd_tree_strips choose_strips(const struct mb_gpu *gpu,
                                            const struct mb_layout *layout)
{
    const bool is_wide = gpu->info.subgroup_size >= 32;
    for (uint32_t n_waves = 1; n_waves <= MAX_WAVES; n_waves++) {
        for (uint32_t n_first = 3; n_first <= (is_wide ? 4u : 3u); n_first++) {
            const struct spd_tree_strips strips =
                strips_of_waves(gpu, layout, n_first, n_waves);
            if (strips.rows != ROWS_AUTO) {
                return strips;
            }
        }
    }
    return strips_of(gpu, layout, 3, ROWS_2);
}

struct spd_tree_strips mb_spd_tree_strips(const struct mb_gpu *gpu,
                                          const struct mb_layout *layout,
                                          const struct mb_params *choice)
{
    const uint8_t rows = choice->choice[SPD_TREE_PARAM_ROWS];
    const uint8_t first = choice->choice[SPD_TREE_PARAM_FIRST];
    const bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    if (rows > ROWS_OFF) {
        return strips_of(gpu, layout, first == FIRST_4 ? 4 : 3, rows);
    }
    if (first == FIRST_4) {
        const struct spd_tree_strips strips = strips_of_waves(gpu, layout, 4, 1);
        return strips.rows != ROWS_AUTO ? strips : strips_of(gpu, layout, 4, ROWS_20);
    }
    return is_cpu ? strips_of(gpu, layout, 3, ROWS_8) : choose_strips(gpu, layout);
}

static bool is_no_loss(const struct mb_gpu *gpu, const struct mb_layout *layout, bool is_even)
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
           mb_spd_tree_strips(gpu, layout, choice).can_be &&
           (is_only_way || is_no_loss(gpu, layout, is_even));
}
