/* spd-tree: every level of an image of any size in one dispatch, each the exact area average.
 */
#include "spd_tree.h"

#include <string.h>

#include "vk/barrier.h"
#include "vk/pipeline.h"

enum {
    PARAM_LOAD,
    PARAM_WAVE,
    PARAM_EXACT,
    PARAM_CARRY,
    PARAM_SPAN,
    PARAM_TILE,
    PARAM_FIRST,
    PARAM_PARTS,
};
enum { WAVE_AUTO, WAVE_ON, WAVE_OFF };
enum { EXACT_AUTO, EXACT_SUMS, EXACT_FLOAT };
enum { CARRY_AUTO, CARRY_ATOMICS, CARRY_BUFFER };
enum { TILE_64, TILE_32 };
enum { FIRST_AUTO, FIRST_6 };
enum { PARTS_ALL, PARTS_TILES };

/* As in spd_tree.comp. */
#define MAX_TARGETS   15u
#define MAX_STORED    5u
#define N_INVOCATIONS 256u

#define MAX_WIDE_SPAN_TILES 1024u
#define EVEN_FINAL          8u /* texels per axis that a cell without a halo finishes */

extern const struct mb_shader mb_spv_spd_tree, mb_spv_spd_tree_wave, mb_spv_spd_tree_sums,
    mb_spv_spd_tree_carry;
extern const struct mb_strategy mb_strategy_spd_tree;

static const struct mb_param params[] = {
    {
        .name = "load",
        .values = (const char *const[]){"auto", "sampler", "texel", NULL},
        .help =
            "level 0 of even size: 2x2 texels by one fetch of the filter, or by four; auto: "
            "the filter where it is exact",
    },
    {
        .name = "wave",
        .values = (const char *const[]){"auto", "on", "off", NULL},
        .help = "subgroup operations, cells by one subgroup each; off: shared memory; auto: on "
                "where no size is odd and the device has them",
    },
    {
        .name = "exact",
        .values = (const char *const[]){"auto", "sums", "float", NULL},
        .help =
            "averages of rgba8 where wave is on: sums in whole numbers, of texels fetched and "
            "stored as they are, or 32-bit floats; auto: sums",
    },
    {
        .name = "carry",
        .values = (const char *const[]){"auto", "atomics", "buffer", NULL},
        .help = "how sums of exact=sums go up the tree: in 64-bit counters, or by a buffer and "
                "counters; auto: in counters where the device has such",
    },
    {
        .name = "span",
        .values = (const char *const[]){"auto", "1", "2", "3", "4", "5", "6", "8", NULL},
        .help = "levels that carry=atomics brings a sum to at once; auto: 6, or 3 "
                "of more than 1024 tiles of 64x64",
    },
    {
        .name = "tile",
        .values = (const char *const[]){"64", "32", NULL},
        .help = "texels of level 0 per axis that a workgroup begins with",
    },
    {
        .name = "first",
        .values = (const char *const[]){"auto", "6", NULL},
        .help =
            "levels that tiles make where some are odd: 6 take a wider halo and one hand-off "
            "less; auto: as many as are even, or 3",
    },
    {
        .name = "parts",
        .values = (const char *const[]){"all", "tiles", NULL},
        .help = "leave out all but the tiles' levels and the hand-off, to find what they cost",
        .is_diagnostic = true,
    },
    {0},
};

static uint32_t tile_width_of(const struct mb_params *choice)
{
    return choice->choice[PARAM_TILE] == TILE_32 ? 32 : 64;
}

/* First level of a tile with its halo, and the second. */
static uint32_t shared_bytes(uint32_t tile_width)
{
    const uint32_t first = tile_width / 2 + 3, second = tile_width / 4 + 1;
    return (first * first + second * second) * 4 * (uint32_t)sizeof(float) + 256;
}

static bool has_wave(const struct mb_gpu *gpu)
{
    const VkSubgroupFeatureFlags needed = VK_SUBGROUP_FEATURE_BALLOT_BIT |
                                          VK_SUBGROUP_FEATURE_QUAD_BIT |
                                          VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
    return (gpu->info.subgroup_operations & needed) == needed && gpu->info.has_full_subgroups &&
           gpu->info.subgroup_size >= 4;
}

/* Whether subgroup operations are used: on a CPU only if asked for, where they are slower. */
static bool uses_wave(const struct mb_gpu *gpu, const struct mb_layout *layout,
                      const struct mb_params *choice)
{
    const bool is_wanted = choice->choice[PARAM_WAVE] == WAVE_ON ||
                           (choice->choice[PARAM_WAVE] == WAVE_AUTO &&
                            gpu->info.type != VK_PHYSICAL_DEVICE_TYPE_CPU);
    return is_wanted && has_wave(gpu) && tile_width_of(choice) == 64 &&
           mb_policies_agree(layout->base, layout->n_levels);
}

/* Whether the format and the task are those of spd_tree_sums.comp. */
static bool fits_sums(const struct mb_layout *layout, const struct mb_task *task)
{
    return strcmp(layout->format->name, "rgba8") == 0 && task->reduce == MB_REDUCE_AVG &&
           !mb_weighs_alpha(task->reduce, task->alpha, layout->format);
}

static bool uses_sums(const struct mb_gpu *gpu, const struct mb_layout *layout,
                      const struct mb_task *task, const struct mb_params *choice)
{
    return uses_wave(gpu, layout, choice) && choice->choice[PARAM_EXACT] != EXACT_FLOAT &&
           fits_sums(layout, task);
}

/* Whether counters carry the sums: what an update leaves as it was is in no counter. */
static bool uses_carry(const struct mb_gpu *gpu, const struct mb_layout *layout,
                       const struct mb_task *task, const struct mb_params *choice)
{
    return uses_sums(gpu, layout, task, choice) && gpu->info.has_int64_atomics &&
           choice->choice[PARAM_CARRY] != CARRY_BUFFER && !task->is_update;
}

static enum mb_status wave_supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                                    const struct mb_task *task, const struct mb_params *choice,
                                    struct mb_err *why)
{
    const uint8_t *value = choice->choice;
    if (value[PARAM_WAVE] == WAVE_ON && !has_wave(gpu)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device lacks full subgroups with ballots, quads and shuffles; try "
                       "spd-tree:wave=off");
    }
    if (value[PARAM_WAVE] == WAVE_ON && !uses_wave(gpu, layout, choice)) {
        return MB_FAIL(
            why, MB_ERRC_UNSUPPORTED,
            "wave=on is for 64x64 tiles of images none of whose levels has an odd size");
    }
    if (value[PARAM_EXACT] == EXACT_SUMS && !uses_wave(gpu, layout, choice)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "exact=sums needs wave=on");
    }
    if (value[PARAM_EXACT] == EXACT_SUMS && !fits_sums(layout, task)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "exact=sums is for averages of rgba8 with straight alpha");
    }
    if (value[PARAM_CARRY] == CARRY_ATOMICS && !gpu->info.has_int64_atomics) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device lacks 64-bit atomics; try spd-tree:carry=buffer");
    }
    if (value[PARAM_CARRY] == CARRY_ATOMICS && !uses_carry(gpu, layout, task, choice)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "carry=atomics is for what exact=sums can do, and for whole images");
    }
    return MB_OK;
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    enum mb_status status = MB_OK;
    const uint32_t needed_bytes = shared_bytes(tile_width_of(choice));
    if (!gpu->info.has_memory_model_device_scope) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device lacks the Vulkan memory model with device scope");
    }
    if (gpu->info.max_shared_memory_bytes < needed_bytes) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "a workgroup needs %u bytes of shared memory, the device has %u; try "
                       "spd-tree:tile=32",
                       needed_bytes, gpu->info.max_shared_memory_bytes);
    }
    MB_TRY(wave_supports(gpu, layout, task, choice, why));
    MB_TRY(mb_gpu_require_storage(gpu, MAX_TARGETS, N_INVOCATIONS, why));
    MB_TRY(mb_load_supports((enum mb_load)choice->choice[PARAM_LOAD], gpu, layout->format,
                            task->reduce, task->alpha, true, why));
fail:
    return status;
}

/* Levels that counters carry sums to at once: the more, the fewer round trips, but the more
 * wait for their turn at the same few counters. */
static uint32_t span_of(const struct spd_tree *s)
{
    static const uint8_t spans[] = {0, 1, 2, 3, 4, 5, 6, 8};
    const uint32_t span = spans[s->params.choice[PARAM_SPAN]];
    const struct mb_extent grid = s->tree.step[0].grid;
    return span > 0 ? span : grid.width * grid.height > MAX_WIDE_SPAN_TILES ? 3 : 6;
}

static enum mb_status make_pipeline(struct spd_tree *s, struct mb_err *err)
{
    static const struct mb_binding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, MAX_TARGETS},
        {2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {4, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, MAX_STORED},
        {5, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {6, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {7, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
    };
    const uint32_t constants[] = {
        s->by_sampler,
        s->tile_width / 8,
        s->tree.step[0].last_level,
        s->tree.is_even,
        s->tree.are_cells_even,
        s->params.choice[PARAM_PARTS] == PARTS_ALL,
        s->gpu->info.subgroup_size,
        s->tree.has_even_pair,
        s->gpu->info.type != VK_PHYSICAL_DEVICE_TYPE_CPU,
        span_of(s),
    };
    const struct mb_compute_options options = {
        .shader = s->by_carry  ? &mb_spv_spd_tree_carry
                  : s->by_sums ? &mb_spv_spd_tree_sums
                  : s->by_wave ? &mb_spv_spd_tree_wave
                               : &mb_spv_spd_tree,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .layout = &s->image->layout,
        .reduce = s->task.reduce,
        .alpha = s->task.alpha,
        .is_update = s->task.is_update,
        .push_constant_bytes = sizeof(struct spd_tree_push),
        .subgroup_size = s->by_wave ? s->gpu->info.subgroup_size : 0,
        .n_invocations = N_INVOCATIONS,
        .n_sets = 1,
        .name = "spd-tree",
    };
    return mb_compute_init(&s->compute, s->gpu, &options, err);
}

/* Whether an update reads what is stored of some level, which it also writes. */
static bool rereads(const struct spd_tree *s)
{
    return s->task.is_update && s->tree.n_steps > 1;
}

/* The levels that later steps begin with, as stored, if they are read at all. */
static void bind_stored(const struct spd_tree *s)
{
    const struct mb_vk_image *image = s->image;
    VkImageView views[MAX_STORED];
    for (uint32_t i = 0; i < MAX_STORED; i++) {
        const uint32_t last = s->tree.n_steps - 1, step = i + 1 < last ? i + 1 : last;
        views[i] = image->stored[rereads(s) ? s->tree.step[step].source_level : 0];
    }
    mb_compute_bind_sampled_array(&s->compute, 0, 4, s->sampler, views, MAX_STORED,
                                  rereads(s) ? VK_IMAGE_LAYOUT_GENERAL
                                             : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
}

static void bind(const struct spd_tree *s)
{
    const struct mb_vk_image *image = s->image;
    const struct mb_buffer *unused = &s->counters;
    const bool is_update = s->task.is_update;
    mb_compute_bind_sampled(&s->compute, 0, 0, s->sampler,
                            s->by_sums ? image->raw[0] : image->stored[0],
                            VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    mb_compute_bind_storage(&s->compute, 0, 1, s->by_sums ? &image->raw[1] : &image->storage[1],
                            image->layout.n_levels - 1, MAX_TARGETS);
    mb_compute_bind_buffer(&s->compute, 0, 2, &s->hand_off);
    mb_compute_bind_buffer(&s->compute, 0, 3, &s->counters);
    bind_stored(s);
    mb_compute_bind_buffer(&s->compute, 0, 5, is_update ? &s->n_made : unused);
    mb_compute_bind_buffer(&s->compute, 0, 6, is_update ? &s->cones : unused);
    mb_compute_bind_buffer(&s->compute, 0, 7, is_update ? &s->tiles : unused);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct spd_tree *s = state;
    const struct mb_layout *layout = &target->image->layout;
    s->gpu = gpu;
    s->image = target->image;
    s->task = target->task;
    s->params = *choice;
    s->tile_width = tile_width_of(choice);
    if (layout->n_levels == 1) {
        return MB_OK;
    }
    s->by_wave = uses_wave(gpu, layout, choice);
    s->by_sums = uses_sums(gpu, layout, &s->task, choice) && s->image->is_raw;
    s->by_carry = s->by_sums && uses_carry(gpu, layout, &s->task, choice);
    const bool is_odd_somewhere =
        s->tile_width != 64 || !mb_policies_agree(layout->base, layout->n_levels);
    const struct mb_tree_options options = {
        .tile_width = s->tile_width,
        .final_width = !is_odd_somewhere ? EVEN_FINAL : s->tile_width / 2,
        .is_deep = choice->choice[PARAM_FIRST] == FIRST_6,
    };
    mb_tree_init(&s->tree, layout, &options);
    s->by_sampler = !s->by_sums && (s->tree.is_even || s->tree.has_even_pair) &&
                    mb_load_uses_sampler((enum mb_load)choice->choice[PARAM_LOAD], gpu,
                                         layout->format, s->task.reduce, s->task.alpha, true);
    MB_TRY(mb_sampler_create(gpu, s->by_sampler ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                             s->task.reduce, &s->sampler, err));
    MB_TRY(mb_spd_tree_make_buffers(s, err));
    MB_TRY(make_pipeline(s, err));
    bind(s);
fail:
    return status;
}

static struct spd_tree_push make_push(const struct spd_tree *s)
{
    const struct mb_layout *layout = &s->image->layout;
    const struct mb_extent base = layout->base;
    struct spd_tree_push push = {
        .base_extent = {(int32_t)base.width, (int32_t)base.height},
        .inv_base_extent = {1.0f / (float)base.width, 1.0f / (float)base.height},
        .n_levels = (int32_t)layout->n_levels,
        .n_steps = (int32_t)s->tree.n_steps,
        .final_step = (int32_t)s->tree.n_steps - s->tree.has_final_step,
        .n_rects = 1,
    };
    push.nodes_per_level = s->by_carry ? mb_spd_tree_nodes_per_level(s) : 0;
    push.n_nodes = s->by_carry ? mb_spd_tree_n_nodes(s) : 0;
    push.n_texels = mb_spd_tree_place_texels(s, push.first_texel);
    push.n_counters = mb_spd_tree_place_counters(s, push.first_counter);
    return push;
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct spd_tree *s = state;
    const uint32_t n_made = s->image->layout.n_levels - 1;
    if (n_made == 0) {
        return;
    }
    const struct spd_tree_push push = make_push(s);
    const struct mb_extent grid = s->tree.step[0].grid;
    const uint32_t n_layers = s->image->layout.n_layers;
    const struct mb_dispatch dispatch = {
        .push = &push,
        .push_bytes = sizeof push,
        .n_groups = {s->task.is_update ? s->n_tiles : grid.width,
                     s->task.is_update ? 1 : grid.height, n_layers},
    };
    mb_barrier_levels(cmd, s->image, 1, n_made,
                      s->task.is_update ? &mb_access_readable : &mb_access_undefined,
                      rereads(s) ? &mb_access_compute_read_write : &mb_access_compute_write);
    mb_compute_dispatch(&s->compute, cmd, &dispatch);
    mb_barrier_levels(cmd, s->image, 1, n_made, &mb_access_compute_write, &mb_access_readable);
}

/* Bytes that steps hand on: written once, read as often as cells overlap, about once. */
static uint64_t hand_off_bytes(const struct spd_tree *s)
{
    uint32_t first[MB_MAX_TREE_STEPS];
    return 2 * (uint64_t)mb_spd_tree_place_texels(s, first) * s->image->layout.n_layers * 4 *
           sizeof(float);
}

static uint32_t reread_levels(const struct spd_tree *s)
{
    uint32_t mask = 0;
    for (uint32_t i = 1; rereads(s) && i < s->tree.n_steps; i++) {
        mask |= UINT32_C(1) << s->tree.step[i].source_level;
    }
    return mask;
}

static void describe(const void *state, struct mb_work *work)
{
    const struct spd_tree *s = state;
    const struct mb_layout *layout = &s->image->layout;
    const bool is_made = layout->n_levels > 1;
    work->n_dispatches = is_made;
    work->n_barriers = is_made ? 2 : 0;
    work->workgroup_size[0] = N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size = s->by_wave ? s->gpu->info.subgroup_size : 0;
    work->algorithmic_bytes = mb_filter_cone_bytes(MB_POLICY_BOX, layout, s->task.rect) +
                              (is_made ? hand_off_bytes(s) : 0);
    work->claim = (struct mb_claim){
        .filter.policy = MB_POLICY_BOX,
        .arithmetic = s->by_sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
        .reread_levels = reread_levels(s),
    };
}

static void finish(void *state)
{
    struct spd_tree *s = state;
    mb_compute_finish(&s->compute);
    mb_buffer_finish(&s->tiles);
    mb_buffer_finish(&s->cones);
    mb_buffer_finish(&s->n_made);
    mb_buffer_finish(&s->counters);
    mb_buffer_finish(&s->hand_off);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_spd_tree = {
    .name = "spd-tree",
    .title = "our single dispatch for any size: a tree of tiles and cells, exact on odd sizes",
    .source = "https://developer.download.nvidia.com/devzone/devcenter/gamegraphics/files/"
              "NP2_Mipmapping.pdf (the filter); the tree is mipbench's own",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .wants_raw = true,
    .state_bytes = sizeof(struct spd_tree),
    .params = params,
    .supports = supports,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
