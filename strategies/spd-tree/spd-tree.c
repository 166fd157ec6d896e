/* spd-tree: every level of an image of any size in one dispatch, each the exact area average.
 */
#include "spd_tree.h"

#include <string.h>

#include "strategy/levels.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"

#define MAX_STORED     5u         /* as in tree.glsl */
#define MAX_PAIR_TILES (1u << 10) /* as words.glsl counts */

extern const struct mb_shader mb_spv_spd_tree, mb_spv_spd_tree_wave, mb_spv_spd_tree_sums,
    mb_spv_spd_tree_carry, mb_spv_spd_tree_curve, mb_spv_spd_tree_share,
    mb_spv_spd_tree_share_odd_codes, mb_spv_spd_tree_share_even, mb_spv_spd_tree_strips,
    mb_spv_spd_tree_extremes, mb_spv_spd_tree_raw1, mb_spv_spd_tree_raw2, mb_spv_spd_tree_raw3,
    mb_spv_spd_tree_raw4, mb_spv_spd_tree_view1, mb_spv_spd_tree_view2, mb_spv_spd_tree_view4;
extern const struct mb_strategy mb_strategy_spd_tree;

static const struct mb_param params[] = {
    {
        .name = "load",
        .values = (const char *const[]){"auto", "sampler", "texel", NULL},
        .help = "level 0 of even size: 2x2 texels by one fetch of the filter, or as they are; "
                "auto: the filter where it is exact and four fetches are the other way",
    },
    {
        .name = "wave",
        .values = (const char *const[]){"auto", "on", "off", NULL},
        .help =
            "subgroup operations; off: shared memory alone; auto: on where the device has them "
            "and no size is odd, or carry=atomics or carry=slots can be",
    },
    {
        .name = "exact",
        .values = (const char *const[]){"auto", "sums", "float", NULL},
        .help =
            "averages of rgba8 where wave is on: sums in whole numbers, of texels fetched and "
            "stored as they are, or 32-bit floats; auto: sums, but for carry=slots",
    },
    {
        .name = "carry",
        .values = (const char *const[]){"auto", "atomics", "buffer", "slots", NULL},
        .help =
            "how tiles hand on what they make: by atomics on words, which add it up; by a "
            "buffer, from which cells of tiles go on; or by slots, in which each tile leaves "
            "its part of a texel and the last one joins them (strips, see rows); auto: what "
            "costs the least, slots for most images of odd sizes but averages of rgba8",
    },
    {
        .name = "span",
        .values = (const char *const[]){"auto", "1", "2", "3", "4", "5", "6", "8", NULL},
        .help = "levels that carry=atomics brings a sum to at once; auto: 6, or 3 "
                "of more than 1024 tiles of 64x64",
    },
    {
        .name = "powers",
        .values = (const char *const[]){"auto", "on", "off", NULL},
        .help = "a quarter of the colours of rgba8-srgb with carry=atomics decoded by powers, "
                "the others by a table, or all by the table, which is faster where neighbours "
                "have the same codes; auto: on if a layer has more than 1024 tiles of 64x64",
    },
    {
        .name = "tile",
        .values = (const char *const[]){"64", "32", NULL},
        .help = "texels of level 0 per axis that a workgroup begins with",
    },
    {
        .name = "first",
        .values = (const char *const[]){"auto", "4", "6", NULL},
        .help =
            "levels that tiles make where some are odd: 6 take a wider halo and one hand-off "
            "less, 4 are for strips (rows); auto: as many as are even, or 3, or 4 where long "
            "strips are best or asked for",
    },
    {
        .name = "rows",
        .values = (const char *const[]){"auto", "off", "2", "3", "4", "5", "6", "7", "8", "9",
                                        "10", "12", "14", "16", "18", "20", "21", NULL},
        .help =
            "of the last of the tiles' levels in a strip, as which subgroups make images of "
            "odd "
            "sizes; off: tiles of 64x64; auto: off where these cost less (averages of rgba8 on "
            "GPUs below 524,288 texels, most images of which three levels are even), else the "
            "fewest that make the image in one wave of workgroups on an H200, or in several; "
            "on CPUs 8",
    },
    {
        .name = "parts",
        .values = (const char *const[]){"all", "tiles", NULL},
        .help =
            "leave out what follows the tiles' levels, but for the hand-off to a buffer, to "
            "find what it costs",
        .is_diagnostic = true,
    },
    {0},
};

static bool uses_sampler(const struct mb_gpu *gpu, const struct mb_layout *layout,
                         const struct mb_task *task, const struct mb_params *choice,
                         enum spd_tree_kernel kernel, const struct mb_tree *tree)
{
    const bool gathers =
        kernel == SPD_TREE_EXTREMES && layout->format->n_channels == 1 &&
        choice->choice[SPD_TREE_PARAM_LOAD] != MB_LOAD_SAMPLER; /* all four texels at once */
    return !mb_spd_tree_is_raw(kernel, layout->format) && !mb_spd_tree_has_strips(kernel) &&
           !gathers && (tree->is_even || (tree->has_even_pair && kernel == SPD_TREE_ANY)) &&
           mb_load_resolve((enum mb_load)choice->choice[SPD_TREE_PARAM_LOAD], gpu, layout, task,
                           true) == MB_LOAD_SAMPLER;
}

static uint8_t carry_of(enum spd_tree_kernel kernel)
{
    if (kernel == SPD_TREE_SLOTS) {
        return CARRY_SLOTS;
    }
    return mb_spd_tree_has_nodes(kernel) ? CARRY_ATOMICS : CARRY_BUFFER;
}

/* What is left of the parameters are the kernel, its tree and its constants. Images of texels
 * that have raw views at all are taken to have them, as in supports(). */
void mb_spd_tree_resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                         const struct mb_task *task, struct mb_params *choice)
{
    uint8_t *value = choice->choice;
    if (layout->n_levels == 1) {
        return;
    }
    const enum spd_tree_kernel kernel = mb_spd_tree_choose(gpu, layout, task, choice, true);
    struct mb_params shallow = *choice;
    struct mb_tree tree, shallow_tree;
    shallow.choice[SPD_TREE_PARAM_FIRST] = FIRST_AUTO;
    mb_spd_tree_plan(kernel, gpu, layout, choice, &tree);
    mb_spd_tree_plan(kernel, gpu, layout, &shallow, &shallow_tree);
    value[SPD_TREE_PARAM_LOAD] = uses_sampler(gpu, layout, task, choice, kernel, &tree)
                                     ? MB_LOAD_SAMPLER
                                     : MB_LOAD_TEXEL;
    value[SPD_TREE_PARAM_WAVE] = kernel == SPD_TREE_ANY ? WAVE_OFF : WAVE_ON;
    value[SPD_TREE_PARAM_EXACT] = mb_spd_tree_has_sums(kernel) ? EXACT_SUMS : EXACT_FLOAT;
    value[SPD_TREE_PARAM_CARRY] = carry_of(kernel);
    value[SPD_TREE_PARAM_SPAN] = mb_spd_tree_span(kernel, &tree, choice);
    value[SPD_TREE_PARAM_POWERS] = mb_spd_tree_powers(kernel, &tree, choice);
    if (mb_spd_tree_has_strips(kernel)) {
        const struct spd_tree_strips strips = mb_spd_tree_strips(gpu, layout, choice);
        value[SPD_TREE_PARAM_ROWS] = strips.rows;
        value[SPD_TREE_PARAM_FIRST] = strips.n_first == 4 ? FIRST_4 : FIRST_AUTO;
        return;
    }
    value[SPD_TREE_PARAM_ROWS] = ROWS_OFF;
    if (tree.is_even == shallow_tree.is_even &&
        tree.step[0].last_level == shallow_tree.step[0].last_level) {
        value[SPD_TREE_PARAM_FIRST] = FIRST_AUTO;
    }
}

/* Bit 0: x; bit 1: y. */
static uint32_t odd_axes(struct mb_extent extent)
{
    return (extent.width > 1 && extent.width % 2 != 0) |
           (uint32_t)(extent.height > 1 && extent.height % 2 != 0) << 1;
}

bool mb_spd_tree_has_pairs(const struct spd_tree *s)
{
    const struct mb_extent grid = s->tree.step[0].grid;
    return s->kernel == SPD_TREE_STRIPS && (uint64_t)grid.width * grid.height <= MAX_PAIR_TILES;
}

/* Codec of texel.glsl, of texels of four channels in four bytes. */
static uint32_t codec_of(const struct mb_format *format)
{
    return format->codec == MB_CODEC_SRGB8 ? 1 : format->codec == MB_CODEC_UNORM10_2 ? 2 : 0;
}

/* An axis of level i is odd if bit i of level 0's is set. */
static uint32_t odd_levels(const struct spd_tree *s, uint32_t size)
{
    return size & ((UINT32_C(1) << s->tree.step[0].last_level) - 1);
}

static bool is_narrow(const struct spd_tree *s)
{
    const struct mb_extent base = s->image->layout.base;
    const uint32_t n = UINT32_C(1) << s->tree.step[0].last_level;
    return base.width < n || base.height < n;
}

/* What a kernel has to know besides. */
static uint32_t kernel_constant(const struct spd_tree *s)
{
    const struct mb_layout *layout = &s->image->layout;
    switch (s->kernel) {
    case SPD_TREE_CARRY:
    case SPD_TREE_CURVE:
        return mb_spd_tree_turns(s);
    case SPD_TREE_STRIPS:
    case SPD_TREE_SLOTS:
        return s->tree.step[0].size.height / 2;
    case SPD_TREE_EXTREMES:
        return layout->format->n_channels | (uint32_t)(mb_spd_tree_late(s) != LATE_OFF) << 4;
    default:
        return s->task.is_update ? s->task.n_rects : odd_axes(layout->base);
    }
}

/* And what its shader calls it. */
static const char *kernel_constant_name(const struct spd_tree *s)
{
    switch (s->kernel) {
    case SPD_TREE_CARRY:
    case SPD_TREE_CURVE:
        return "TURNS";
    case SPD_TREE_STRIPS:
    case SPD_TREE_SLOTS:
        return "STRIP_ROWS";
    case SPD_TREE_EXTREMES:
        return "CHANNELS_AND_LATE";
    default:
        return s->task.is_update ? "MOST_RECTS" : "ODD_AXES";
    }
}

void mb_spd_tree_constants(const struct spd_tree *s, uint32_t constants[SPD_TREE_N_CONSTANTS])
{
    const uint32_t values[SPD_TREE_N_CONSTANTS] = {
        s->by_sampler,
        s->tile_width / 8,
        s->tree.step[0].last_level,
        s->tree.is_even,
        s->tree.are_cells_even,
        s->params.choice[SPD_TREE_PARAM_PARTS] == PARTS_ALL,
        s->gpu->info.subgroup_size,
        s->tree.has_even_pair,
        s->gpu->info.type != VK_PHYSICAL_DEVICE_TYPE_CPU,
        odd_levels(s, s->image->layout.base.width),
        odd_levels(s, s->image->layout.base.height),
        is_narrow(s),
        mb_spd_tree_has_pairs(s),
        codec_of(s->image->layout.format),
        kernel_constant(s),
    };
    memcpy(constants, values, sizeof values);
}

/* The module of texels of a format (texel.glsl). */
static const struct mb_shader *slots_module(const struct mb_format *format)
{
    static const struct mb_shader *const raw[] = {&mb_spv_spd_tree_raw1, &mb_spv_spd_tree_raw2,
                                                  &mb_spv_spd_tree_raw3, &mb_spv_spd_tree_raw4};
    static const struct mb_shader *const view[] = {
        &mb_spv_spd_tree_view1, &mb_spv_spd_tree_view2, NULL, &mb_spv_spd_tree_view4};
    return (format->texel_bytes == 4 ? raw : view)[format->n_channels - 1];
}

static enum mb_status make_pipeline(struct spd_tree *s, struct mb_err *err)
{
    static const char *const names[SPD_TREE_N_CONSTANTS] = {
        "LOAD_SAMPLER", "TILE_LEVEL3",   "FIRST_LEVELS",  "IS_EVEN",      "ARE_CELLS_EVEN",
        "HAS_CELLS",    "SUBGROUP_SIZE", "HAS_EVEN_PAIR", "IS_LOOP_SAFE", "ODD_X",
        "ODD_Y",        "IS_NARROW",     "HAS_PAIRS",     "CODEC",        NULL,
    };
    static const struct mb_shader *const shaders[] = {
        [SPD_TREE_ANY] = &mb_spv_spd_tree,
        [SPD_TREE_WAVE] = &mb_spv_spd_tree_wave,
        [SPD_TREE_SUMS] = &mb_spv_spd_tree_sums,
        [SPD_TREE_SHARE] = &mb_spv_spd_tree_share,
        [SPD_TREE_SHARE_ODD_CODES] = &mb_spv_spd_tree_share_odd_codes,
        [SPD_TREE_SHARE_EVEN] = &mb_spv_spd_tree_share_even,
        [SPD_TREE_STRIPS] = &mb_spv_spd_tree_strips,
        [SPD_TREE_EXTREMES] = &mb_spv_spd_tree_extremes,
        [SPD_TREE_CARRY] = &mb_spv_spd_tree_carry,
        [SPD_TREE_CURVE] = &mb_spv_spd_tree_curve,
    };
    struct mb_constant constants[SPD_TREE_N_CONSTANTS + MB_N_LEVELS_CONSTANTS];
    uint32_t values[SPD_TREE_N_CONSTANTS];
    mb_spd_tree_constants(s, values);
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        constants[i] = (struct mb_constant){names[i], values[i]};
    }
    constants[SPD_TREE_N_CONSTANTS - 1].name = kernel_constant_name(s);
    mb_levels_constants(&s->image->layout, &s->task, constants + SPD_TREE_N_CONSTANTS);
    const struct mb_pipeline_options options = {
        .shader = s->kernel == SPD_TREE_SLOTS ? slots_module(s->image->layout.format)
                                              : shaders[s->kernel],
        .shared = constants,
        .n_shared = MB_COUNTOF(constants),
        .push_constant_bytes = mb_spd_tree_has_strips(s->kernel)
                                   ? sizeof(struct spd_tree_push)
                                   : offsetof(struct spd_tree_push, scales),
        .subgroup_size = s->kernel != SPD_TREE_ANY ? s->gpu->info.subgroup_size : 0,
        .n_invocations = SPD_TREE_N_INVOCATIONS,
        .n_copies = 1,
        .name = "spd-tree",
    };
    return mb_pipeline_init(&s->compute, s->gpu, &options, err);
}

/* Whether an update reads what is stored of some level, which it also writes. */
static bool rereads(const struct spd_tree *s)
{
    return s->task.is_update && s->tree.n_steps > 1;
}

static void bind(const struct spd_tree *s)
{
    const struct mb_vk_image *image = s->image;
    const bool is_update = s->task.is_update,
               is_raw = mb_spd_tree_is_raw(s->kernel, image->layout.format);
    /* The levels that later steps begin with, as stored, if they are read at all. */
    VkImageView stored[MAX_STORED];
    for (uint32_t i = 0; i < MAX_STORED; i++) {
        const uint32_t last = s->tree.n_steps - 1, step = i + 1 < last ? i + 1 : last;
        stored[i] = image->stored[rereads(s) ? s->tree.step[step].source_level : 0];
    }
    const struct mb_descriptor descriptors[] = {
        {.binding = 0,
         .sampler = s->sampler,
         .views = is_raw ? &image->raw[0] : &image->stored[0]},
        {.binding = 1,
         .views = is_raw ? &image->raw[1] : &image->storage[1],
         .n_views = image->layout.n_levels - 1},
        {.binding = 2, .buffer = &s->hand_off},
        {.binding = 3, .buffer = &s->counters},
        {.binding = 4,
         .sampler = s->sampler,
         .views = stored,
         .n_views = MAX_STORED,
         .layout =
             rereads(s) ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
        /* The counters where there is nothing to bind. */
        {.binding = 5, .buffer = is_update ? &s->n_made : &s->counters},
        {.binding = 6, .buffer = is_update ? &s->affected : &s->counters},
        {.binding = 7, .buffer = is_update ? &s->tiles : &s->counters},
    };
    mb_pipeline_bind(&s->compute, 0, descriptors, MB_COUNTOF(descriptors));
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
    s->tile_width = mb_spd_tree_tile_width(choice);
    if (layout->n_levels == 1) {
        return MB_OK;
    }
    s->kernel = mb_spd_tree_choose(gpu, layout, &s->task, choice, s->image->is_raw);
    mb_spd_tree_plan(s->kernel, gpu, layout, choice, &s->tree);
    s->by_sampler = uses_sampler(gpu, layout, &s->task, choice, s->kernel, &s->tree);
    MB_TRY(mb_load_make_sampler(gpu, s->by_sampler, s->task.reduce, &s->sampler, err));
    MB_TRY(mb_spd_tree_make_buffers(s, err));
    MB_TRY(make_pipeline(s, err));
    bind(s);
fail:
    return status;
}

struct spd_tree_push mb_spd_tree_push(const struct spd_tree *s)
{
    const struct mb_layout *layout = &s->image->layout;
    const struct mb_extent base = layout->base;
    struct spd_tree_push push = {
        .base_extent = {(int32_t)base.width, (int32_t)base.height},
        .inv_base_extent = {1.0f / (float)base.width, 1.0f / (float)base.height},
        .n_levels = (int32_t)layout->n_levels,
        .n_steps = (int32_t)s->tree.n_steps,
        .final_step = (int32_t)s->tree.n_steps - s->tree.has_final_step,
        .n_rects = s->task.n_rects,
    };
    if (mb_spd_tree_has_nodes(s->kernel)) {
        push.n_nodes = mb_spd_tree_place_nodes(s, push.first_node);
        push.nodes_per_level = push.first_node[1];
        mb_spd_tree_scales(layout, s->task.reduce, push.scales);
    } else {
        push.n_texels = mb_spd_tree_place_texels(s, push.first_texel);
        push.n_counters = mb_spd_tree_place_counters(s, push.first_counter);
    }
    return push;
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct spd_tree *s = state;
    const uint32_t n_made = s->image->layout.n_levels - 1;
    if (n_made == 0) {
        return;
    }
    const struct spd_tree_push push = mb_spd_tree_push(s);
    const struct mb_extent grid = s->tree.step[0].grid;
    const uint32_t n_layers = s->image->layout.n_layers;
    const struct mb_dispatch dispatch = {
        .push = &push,
        .n_groups = {s->task.is_update ? s->n_tiles : grid.width,
                     s->task.is_update ? 1 : grid.height, n_layers},
    };
    mb_barrier_levels(cmd, s->image, 1, n_made,
                      s->task.is_update ? &mb_access_readable : &mb_access_undefined,
                      rereads(s) ? &mb_access_compute_read_write : &mb_access_compute_write);
    mb_pipeline_dispatch(&s->compute, cmd, &dispatch);
    mb_barrier_levels(cmd, s->image, 1, n_made, &mb_access_compute_write, &mb_access_readable);
}

/* Bytes that are handed on: written once, read as often as cells overlap, about once; of slots,
 * each at most once. Of nodes, a word is at most fetched, written, and fetched and written
 * again when it goes back to zero. */
static uint64_t hand_off_bytes(const struct spd_tree *s)
{
    uint32_t first[2 * MB_MAX_TREE_STEPS];
    if (s->kernel == SPD_TREE_SLOTS) {
        return 2 * mb_spd_tree_hand_off_bytes(s);
    }
    if (mb_spd_tree_has_nodes(s->kernel)) {
        return 4 * (uint64_t)mb_spd_tree_place_nodes(s, first) * s->image->layout.n_layers *
               sizeof(uint64_t);
    }
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
    work->workgroup_size[0] = SPD_TREE_N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size = s->kernel != SPD_TREE_ANY ? s->gpu->info.subgroup_size : 0;
    work->algorithmic_bytes =
        mb_filter_affected_bytes(MB_POLICY_BOX, layout, s->task.rects, s->task.n_rects) +
        (is_made ? hand_off_bytes(s) : 0);
    work->tolerance = (struct mb_tolerance){
        .filter.policy = MB_POLICY_BOX,
        .arithmetic = s->by_sampler ? MB_ARITHMETIC_CORNER : MB_ARITHMETIC_FP32,
        .reread_levels = reread_levels(s),
    };
}

static void finish(void *state)
{
    struct spd_tree *s = state;
    mb_pipeline_finish(&s->compute);
    mb_buffer_finish(&s->tiles);
    mb_buffer_finish(&s->affected);
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
    .takes_rects = true,
    .features = (const char *const[]){"vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
                                      "shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct spd_tree),
    .params = params,
    .export = &mb_spd_tree_export,
    .is_contradictory = mb_spd_tree_is_contradictory,
    .supports = mb_spd_tree_supports,
    .resolve = mb_spd_tree_resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
