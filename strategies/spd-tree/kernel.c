/* Which of spd-tree's kernels does what, and what none of them can do. */
#include "spd_tree.h"

#include <string.h>

#include "strategy/needs.h"

#define EVEN_FINAL 8u /* texels per axis that a cell without a halo finishes */
#define MIN_FIRST  3u /* levels that tiles make where others follow by atomics */

/* Levels, the base included, that share.glsl has invocations for. */
#define MAX_SHARED_LEVELS 13u

/* Above this many tiles without an odd size, steps cost less than shares: on an H200 54 against
 * 64 us for 4096x4096 sRGB texels, but 13.9 against 10.1 for 1024x1024. */
#define MAX_EVEN_SHARE_TILES 1024u

/* From how many texels on slots cost less than shares where some of three sizes is odd: 28 for
 * 171 us for 4095x4095 of r8 on an H200, 64 for 336 of rgba8-srgb. */
#define MIN_SLOT_TEXELS (1u << 20)

/* On CPUs: strips fill a table of sRGB codes for each tile. llvmpipe takes 14 ms with slots and
 * 28 without for 501x333, but 1.3 and 0.4 for 100x70. */
#define MIN_SRGB_CPU_TEXELS (1u << 16)

uint32_t mb_spd_tree_tile_width(const struct mb_params *choice)
{
    return choice->choice[SPD_TREE_PARAM_TILE] == TILE_32 ? 32 : 64;
}

/* First level of a tile with its halo, and the second. */
uint32_t mb_spd_tree_shared_bytes(uint32_t tile_width)
{
    const uint32_t first = tile_width / 2 + 3, second = tile_width / 4 + 1;
    return (first * first + second * second) * 4 * (uint32_t)sizeof(float) + 256;
}

/* With what share.glsl has besides. */
#define SHARE_BYTES (mb_spd_tree_shared_bytes(64) + (512 + 4 * 256) * (uint32_t)sizeof(float))

static bool has_wave(const struct mb_gpu *gpu)
{
    const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                          VK_SUBGROUP_FEATURE_QUAD_BIT |
                                          VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    return (gpu->info.subgroup_operations & needed) == needed && gpu->info.has_full_subgroups &&
           gpu->info.subgroup_size >= 4 &&
           gpu->info.subgroup_size <= SPD_TREE_N_INVOCATIONS / 2;
}

static bool has_int64_atomics(const struct mb_gpu *gpu)
{
    const struct mb_features *features = &gpu->info.features;
    return features->core.features.shaderInt64 && features->v12.shaderBufferInt64Atomics;
}

static bool is_plain_average(const struct mb_layout *layout, const struct mb_task *task)
{
    return task->reduce == MB_REDUCE_AVG &&
           !mb_weighs_alpha(task->reduce, task->alpha, layout->format);
}

/* Whether texels are codes that whole numbers sum. */
static bool fits_sums(const struct mb_layout *layout, const struct mb_task *task)
{
    return strcmp(layout->format->name, "rgba8") == 0 && is_plain_average(layout, task);
}

/* Whether words may hand on what tiles make: of a whole image, as what an update leaves as it
 * was is in no word. */
static bool may_use_words(const struct mb_task *task, const struct mb_params *choice)
{
    const uint8_t *value = choice->choice;
    return !task->is_update && value[SPD_TREE_PARAM_CARRY] != CARRY_BUFFER &&
           value[SPD_TREE_PARAM_CARRY] != CARRY_SLOTS && value[SPD_TREE_PARAM_FIRST] != FIRST_6;
}

/* Whether strips can hand on by slots. Texels of four bytes are fetched as they are. */
static bool may_use_slots(const struct mb_gpu *gpu, const struct mb_layout *layout,
                          const struct mb_task *task, const struct mb_params *choice,
                          bool has_raw)
{
    const uint8_t *value = choice->choice;
    return !task->is_update && !mb_weighs_alpha(task->reduce, task->alpha, layout->format) &&
           (has_raw || layout->format->texel_bytes != 4) &&
           (value[SPD_TREE_PARAM_CARRY] == CARRY_AUTO ||
            value[SPD_TREE_PARAM_CARRY] == CARRY_SLOTS) &&
           value[SPD_TREE_PARAM_EXACT] != EXACT_SUMS &&
           value[SPD_TREE_PARAM_SPAN] == SPAN_AUTO &&
           value[SPD_TREE_PARAM_POWERS] == POWERS_AUTO &&
           value[SPD_TREE_PARAM_FIRST] != FIRST_6 && value[SPD_TREE_PARAM_ROWS] != ROWS_OFF &&
           mb_spd_tree_strips(gpu, layout, choice).can_be;
}

/* Whether a parameter that strips alone have has a value. */
static bool asks_for_strips(const struct mb_params *choice)
{
    return choice->choice[SPD_TREE_PARAM_ROWS] > ROWS_OFF ||
           choice->choice[SPD_TREE_PARAM_FIRST] == FIRST_4;
}

/* The same of minima and maxima, in words of 32 bits. */
static bool fits_extremes(const struct mb_task *task, const struct mb_params *choice)
{
    return task->reduce != MB_REDUCE_AVG && may_use_words(task, choice);
}

/* And of sums of numbers between 0 and 1, in words of 64 bits. */
static bool fits_atomics(const struct mb_gpu *gpu, const struct mb_layout *layout,
                         const struct mb_task *task, const struct mb_params *choice)
{
    return has_int64_atomics(gpu) && may_use_words(task, choice) &&
           is_plain_average(layout, task) && mb_format_is_unorm(layout->format);
}

void mb_spd_tree_plan(enum spd_tree_kernel kernel, const struct mb_gpu *gpu,
                      const struct mb_layout *layout, const struct mb_params *choice,
                      struct mb_tree *tree)
{
    if (mb_spd_tree_has_strips(kernel)) {
        const struct spd_tree_strips strips = mb_spd_tree_strips(gpu, layout, choice);
        mb_tree_init_shared(tree, layout, strips.n_first, strips.tile);
        return;
    }
    const uint32_t tile_width = mb_spd_tree_tile_width(choice);
    const bool is_even = tile_width == 64 && mb_policies_agree(layout->base, layout->n_levels);
    const struct mb_tree_options options = {
        .tile_width = tile_width,
        .final_width = is_even ? EVEN_FINAL : tile_width / 2,
        .is_deep = choice->choice[SPD_TREE_PARAM_FIRST] == FIRST_6,
    };
    mb_tree_init(tree, layout, &options);
}

/* Whether share.glsl can make what is left below the levels of tiles. */
static bool has_shared_levels(const struct mb_layout *layout, uint32_t n_first)
{
    return n_first >= MIN_FIRST && n_first < layout->n_levels - 1 &&
           layout->n_levels <= MAX_SHARED_LEVELS;
}

/* That of minima and maxima which hands on by atomics, or SPD_TREE_ANY. */
static enum spd_tree_kernel choose_by_extremes(const struct mb_gpu *gpu,
                                               const struct mb_layout *layout,
                                               const struct mb_params *choice)
{
    struct mb_tree tree;
    mb_spd_tree_plan(SPD_TREE_ANY, gpu, layout, choice, &tree);
    const struct mb_extent grid = tree.step[0].grid;
    const uint32_t n_first = tree.step[0].last_level;
    const bool is_large = grid.width * grid.height > MAX_EVEN_SHARE_TILES;
    const bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const bool is_asked_for = choice->choice[SPD_TREE_PARAM_CARRY] == CARRY_ATOMICS ||
                              choice->choice[SPD_TREE_PARAM_WAVE] == WAVE_ON;
    const bool can_be = tree.is_even && has_shared_levels(layout, n_first);
    const bool is_no_loss =
        is_asked_for ||
        (!is_cpu && (!is_large || !mb_policies_agree(layout->base, layout->n_levels)));
    return can_be && is_no_loss ? SPD_TREE_EXTREMES : SPD_TREE_ANY;
}

/* The kernel of averages that hands on by atomics, where that can be and is no loss; else
 * SPD_TREE_ANY. */
static enum spd_tree_kernel choose_by_atomics(const struct mb_gpu *gpu,
                                              const struct mb_layout *layout,
                                              const struct mb_params *choice, bool has_raw,
                                              bool has_sums)
{
    struct mb_tree tree;
    mb_spd_tree_plan(SPD_TREE_ANY, gpu, layout, choice, &tree);
    const uint32_t n_first = tree.step[0].last_level;
    const struct mb_extent grid = tree.step[0].grid;
    const bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const bool is_asked_for = choice->choice[SPD_TREE_PARAM_CARRY] == CARRY_ATOMICS;
    const bool has_levels = has_shared_levels(layout, n_first);
    if (mb_policies_agree(layout->base, layout->n_levels)) {
        if (has_sums) {
            return SPD_TREE_CARRY;
        }
        if (has_raw && layout->format->codec == MB_CODEC_SRGB8 &&
            (!is_cpu || choice->choice[SPD_TREE_PARAM_SPAN] != SPAN_AUTO ||
             choice->choice[SPD_TREE_PARAM_POWERS] != POWERS_AUTO)) {
            return SPD_TREE_CURVE;
        }
        if (!is_asked_for && grid.width * grid.height > MAX_EVEN_SHARE_TILES) {
            return SPD_TREE_ANY;
        }
    }
    const bool has_tiles = has_levels && gpu->info.max_shared_memory_bytes >= SHARE_BYTES;
    const bool is_only_way =
        !has_tiles || choice->choice[SPD_TREE_PARAM_ROWS] != ROWS_AUTO ||
        choice->choice[SPD_TREE_PARAM_FIRST] == FIRST_4 ||
        (tree.is_even && choice->choice[SPD_TREE_PARAM_EXACT] == EXACT_SUMS);
    if (has_sums && mb_spd_tree_takes_strips(gpu, layout, choice, is_only_way, tree.is_even)) {
        return SPD_TREE_STRIPS;
    }
    if (!has_tiles) {
        return SPD_TREE_ANY;
    }
    return tree.is_even ? SPD_TREE_SHARE_EVEN
           : has_sums   ? SPD_TREE_SHARE_ODD_CODES
                        : SPD_TREE_SHARE;
}

/* Whether what is handed on by slots fits into a buffer: of the largest images it may not. */
static bool has_room_for_slots(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_params *choice)
{
    const struct mb_vk_image image = {.layout = *layout};
    struct spd_tree s = {.gpu = gpu, .image = &image, .kernel = SPD_TREE_SLOTS};
    mb_spd_tree_plan(SPD_TREE_SLOTS, gpu, layout, choice, &s.tree);
    return mb_spd_tree_hand_off_bytes(&s) <= gpu->info.max_storage_buffer_bytes;
}

/* Whether strips with slots cost less than `other`, the best of what hands on by words, or
 * SPD_TREE_ANY; on CPUs, which have no use for subgroup operations, they mostly do. */
static bool are_slots_no_loss(const struct mb_gpu *gpu, const struct mb_layout *layout,
                              const struct mb_task *task, const struct mb_params *choice,
                              enum spd_tree_kernel other)
{
    const uint64_t n_texels = (uint64_t)layout->base.width * layout->base.height;
    const bool is_rgba8_average = fits_sums(layout, task);
    struct mb_tree tree;
    mb_spd_tree_plan(SPD_TREE_ANY, gpu, layout, choice, &tree);
    if (gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        const bool is_srgb = layout->format->codec == MB_CODEC_SRGB8;
        return (!is_rgba8_average || other == SPD_TREE_ANY) &&
               (!is_srgb || n_texels >= MIN_SRGB_CPU_TEXELS) &&
               mb_spd_tree_strips_are_no_loss(gpu, layout, tree.is_even);
    }
    if (task->reduce != MB_REDUCE_AVG) {
        return !tree.is_even;
    }
    return !mb_policies_agree(layout->base, layout->n_levels) &&
           (other == SPD_TREE_ANY ||
            (other == SPD_TREE_SHARE && !is_rgba8_average && n_texels >= MIN_SLOT_TEXELS));
}

static bool takes_slots(const struct mb_gpu *gpu, const struct mb_layout *layout,
                        const struct mb_task *task, const struct mb_params *choice,
                        enum spd_tree_kernel other)
{
    const uint8_t *value = choice->choice;
    const bool is_asked_for = value[SPD_TREE_PARAM_CARRY] == CARRY_SLOTS ||
                              (asks_for_strips(choice) && other != SPD_TREE_STRIPS) ||
                              (value[SPD_TREE_PARAM_WAVE] == WAVE_ON && other == SPD_TREE_ANY &&
                               !mb_policies_agree(layout->base, layout->n_levels));
    return is_asked_for || (has_room_for_slots(gpu, layout, choice) &&
                            are_slots_no_loss(gpu, layout, task, choice, other));
}

/* The best kernel that hands on by words, or SPD_TREE_ANY. */
static enum spd_tree_kernel choose_by_words(const struct mb_gpu *gpu,
                                            const struct mb_layout *layout,
                                            const struct mb_task *task,
                                            const struct mb_params *choice, bool has_raw,
                                            bool has_sums)
{
    if (layout->n_levels == 1) {
        return SPD_TREE_ANY;
    }
    if (fits_atomics(gpu, layout, task, choice)) {
        return choose_by_atomics(gpu, layout, choice, has_raw, has_sums);
    }
    return fits_extremes(task, choice) ? choose_by_extremes(gpu, layout, choice) : SPD_TREE_ANY;
}

enum spd_tree_kernel mb_spd_tree_choose(const struct mb_gpu *gpu,
                                        const struct mb_layout *layout,
                                        const struct mb_task *task,
                                        const struct mb_params *choice, bool has_raw)
{
    const uint8_t *value = choice->choice;
    const bool is_cpu = gpu->info.type == VK_PHYSICAL_DEVICE_TYPE_CPU;
    const bool has_sums =
        has_raw && value[SPD_TREE_PARAM_EXACT] != EXACT_FLOAT && fits_sums(layout, task);
    if (!has_wave(gpu) || value[SPD_TREE_PARAM_WAVE] == WAVE_OFF ||
        mb_spd_tree_tile_width(choice) != 64) {
        return SPD_TREE_ANY;
    }
    const enum spd_tree_kernel by_words =
        choose_by_words(gpu, layout, task, choice, has_raw, has_sums);
    if (may_use_slots(gpu, layout, task, choice, has_raw) &&
        takes_slots(gpu, layout, task, choice, by_words)) {
        return SPD_TREE_SLOTS;
    }
    if (by_words != SPD_TREE_ANY) {
        return by_words;
    }
    if (!mb_policies_agree(layout->base, layout->n_levels) ||
        (is_cpu && value[SPD_TREE_PARAM_WAVE] != WAVE_ON)) {
        return SPD_TREE_ANY;
    }
    return has_sums ? SPD_TREE_SUMS : SPD_TREE_WAVE;
}

bool mb_spd_tree_has_sums(enum spd_tree_kernel kernel)
{
    return kernel == SPD_TREE_SUMS || kernel == SPD_TREE_STRIPS ||
           kernel == SPD_TREE_SHARE_ODD_CODES || kernel == SPD_TREE_CARRY;
}

bool mb_spd_tree_is_raw(enum spd_tree_kernel kernel, const struct mb_format *format)
{
    return mb_spd_tree_has_sums(kernel) || kernel == SPD_TREE_CURVE ||
           (kernel == SPD_TREE_SLOTS && format->texel_bytes == 4);
}

bool mb_spd_tree_has_strips(enum spd_tree_kernel kernel)
{
    return kernel == SPD_TREE_STRIPS || kernel == SPD_TREE_SLOTS;
}

bool mb_spd_tree_is_carried(enum spd_tree_kernel kernel)
{
    return kernel == SPD_TREE_CARRY || kernel == SPD_TREE_CURVE;
}

bool mb_spd_tree_has_nodes(enum spd_tree_kernel kernel)
{
    return kernel >= SPD_TREE_SHARE;
}

bool mb_spd_tree_is_contradictory(const struct mb_params *choice)
{
    const uint8_t *value = choice->choice;
    const bool has_strips = asks_for_strips(choice);
    const bool has_slots = value[SPD_TREE_PARAM_CARRY] == CARRY_SLOTS;
    const bool has_powers = value[SPD_TREE_PARAM_POWERS] != POWERS_AUTO;
    const bool is_carried = value[SPD_TREE_PARAM_SPAN] != SPAN_AUTO || has_powers;
    const bool has_words =
        has_strips || has_slots || is_carried || value[SPD_TREE_PARAM_CARRY] == CARRY_ATOMICS;
    const bool has_subgroups = has_words || value[SPD_TREE_PARAM_WAVE] == WAVE_ON ||
                               value[SPD_TREE_PARAM_EXACT] == EXACT_SUMS;
    return (has_subgroups && (value[SPD_TREE_PARAM_WAVE] == WAVE_OFF ||
                              value[SPD_TREE_PARAM_TILE] != TILE_64)) ||
           (has_words && (value[SPD_TREE_PARAM_CARRY] == CARRY_BUFFER ||
                          value[SPD_TREE_PARAM_FIRST] == FIRST_6)) ||
           ((has_strips || has_slots) &&
            (is_carried || value[SPD_TREE_PARAM_ROWS] == ROWS_OFF)) ||
           (has_strips && value[SPD_TREE_PARAM_CARRY] == CARRY_ATOMICS &&
            value[SPD_TREE_PARAM_EXACT] == EXACT_FLOAT) ||
           (has_slots && value[SPD_TREE_PARAM_EXACT] == EXACT_SUMS) ||
           (has_powers && value[SPD_TREE_PARAM_EXACT] == EXACT_SUMS);
}

/* Whether the kernel is strips, if parameters of these have values. */
static enum mb_status strips_support(enum spd_tree_kernel kernel,
                                     const struct mb_params *choice, struct mb_err *why)
{
    const uint8_t *value = choice->choice;
    if (value[SPD_TREE_PARAM_FIRST] == FIRST_4 && !mb_spd_tree_has_strips(kernel)) {
        return MB_FAIL(
            why, MB_ERRC_UNSUPPORTED,
            "first=4 is for whole images with straight alpha, of six levels or more, by "
            "carry=slots, or by carry=atomics for averages of rgba8 where some size is odd; "
            "subgroups of 4 are too narrow for most sizes");
    }
    if (value[SPD_TREE_PARAM_ROWS] > ROWS_OFF && !mb_spd_tree_has_strips(kernel)) {
        return MB_FAIL(
            why, MB_ERRC_UNSUPPORTED,
            "rows is for whole images with straight alpha, of five levels or more, by "
            "carry=slots, or by carry=atomics for averages of rgba8 where some size is odd; "
            "where levels are few, more than 9 rows may be too many");
    }
    return MB_OK;
}

/* Whether the kernel is one of those that a parameter asks for. */
static enum mb_status choice_supports(enum spd_tree_kernel kernel, const struct mb_gpu *gpu,
                                      const struct mb_params *choice, struct mb_err *why)
{
    const uint8_t *value = choice->choice;
    if (value[SPD_TREE_PARAM_WAVE] == WAVE_ON && !has_wave(gpu)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device lacks full subgroups with ballots, quads and shuffles; try "
                       "spd-tree:wave=off");
    }
    if (value[SPD_TREE_PARAM_CARRY] == CARRY_ATOMICS && !has_int64_atomics(gpu) &&
        !mb_spd_tree_has_nodes(kernel)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device lacks 64-bit atomics; try spd-tree:carry=buffer");
    }
    if (value[SPD_TREE_PARAM_WAVE] == WAVE_ON && kernel == SPD_TREE_ANY) {
        return MB_FAIL(
            why, MB_ERRC_UNSUPPORTED,
            "wave=on is for tile=64, where no level has an odd size or carry=atomics or "
            "carry=slots can be");
    }
    if (value[SPD_TREE_PARAM_EXACT] == EXACT_SUMS && !mb_spd_tree_has_sums(kernel)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "exact=sums is for averages of rgba8 with straight alpha, where wave=on "
                       "can be, and, if sizes are odd, for whole images of five levels or more "
                       "on devices with 64-bit atomics");
    }
    if (value[SPD_TREE_PARAM_CARRY] == CARRY_SLOTS && kernel != SPD_TREE_SLOTS) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "carry=slots is for whole images with straight alpha, of five levels or "
                       "more, where wave=on can be");
    }
    if (value[SPD_TREE_PARAM_CARRY] == CARRY_ATOMICS && !mb_spd_tree_has_nodes(kernel)) {
        return MB_FAIL(
            why, MB_ERRC_UNSUPPORTED,
            "carry=atomics is for averages of whole images of normalised formats with "
            "straight alpha, in 64x64 tiles that do not make all levels, where wave=on "
            "can be, and for their minima and maxima if three levels are even");
    }
    if (value[SPD_TREE_PARAM_SPAN] != 0 && !mb_spd_tree_is_carried(kernel)) {
        return MB_FAIL(
            why, MB_ERRC_UNSUPPORTED,
            "span is for averages of whole images of rgba8 and rgba8-srgb with straight alpha "
            "and carry=atomics, of two levels or more, where no size is odd");
    }
    if (value[SPD_TREE_PARAM_POWERS] != POWERS_AUTO && kernel != SPD_TREE_CURVE) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "powers is for averages of whole images of rgba8-srgb with straight "
                       "alpha and carry=atomics, of two levels or more, where no size is odd");
    }
    return MB_OK;
}

/* Whether buffers and dispatches are within the device's limits. */
static enum mb_status size_supports(enum spd_tree_kernel kernel, const struct mb_gpu *gpu,
                                    const struct mb_layout *layout, const struct mb_task *task,
                                    const struct mb_params *choice, struct mb_err *why)
{
    const struct mb_vk_image image = {.layout = *layout};
    struct spd_tree s = {.gpu = gpu, .image = &image, .task = *task, .kernel = kernel};
    if (layout->n_levels == 1) {
        return MB_OK;
    }
    mb_spd_tree_plan(kernel, gpu, layout, choice, &s.tree);
    const uint64_t n_bytes = mb_spd_tree_hand_off_bytes(&s);
    if (n_bytes > gpu->info.max_storage_buffer_bytes) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "what is handed on takes %llu bytes, a buffer of the device holds %llu",
                       (unsigned long long)n_bytes,
                       (unsigned long long)gpu->info.max_storage_buffer_bytes);
    }
    const struct mb_extent grid = s.tree.step[0].grid;
    if (task->is_update && grid.width * grid.height > gpu->info.max_workgroup_count[0]) {
        return MB_FAIL(
            why, MB_ERRC_UNSUPPORTED,
            "an update may be of %u tiles, more than the %u workgroups in a row that "
            "the device can do",
            grid.width * grid.height, gpu->info.max_workgroup_count[0]);
    }
    return MB_OK;
}

enum mb_status mb_spd_tree_supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                    const struct mb_task *task, const struct mb_params *choice,
                                    struct mb_err *why)
{
    enum mb_status status = MB_OK;
    const uint32_t needed_bytes = mb_spd_tree_shared_bytes(mb_spd_tree_tile_width(choice));
    const struct mb_needs needs = {
        .n_storage_images = SPD_TREE_MAX_TARGETS,
        .n_invocations = SPD_TREE_N_INVOCATIONS,
        .load = (enum mb_load)choice->choice[SPD_TREE_PARAM_LOAD],
        .is_carried = true,
    };
    if (gpu->info.max_shared_memory_bytes < needed_bytes) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "a workgroup needs %u bytes of shared memory, the device has %u; try "
                       "spd-tree:tile=32",
                       needed_bytes, gpu->info.max_shared_memory_bytes);
    }
    const enum spd_tree_kernel kernel = mb_spd_tree_choose(gpu, layout, task, choice, true);
    MB_TRY(choice_supports(kernel, gpu, choice, why));
    MB_TRY(strips_support(kernel, choice, why));
    MB_TRY(size_supports(kernel, gpu, layout, task, choice, why));
    MB_TRY(mb_needs_met(&needs, gpu, layout, task, why));
fail:
    return status;
}
