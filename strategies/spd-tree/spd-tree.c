/* spd-tree: every level of an image of any size in one dispatch, each the exact area average.
 * What it is made of is in lib/, for engines to have as it is; here it is measured. */
#include "modules.h"
#include "traffic.h"
#include "update.h"

#include <string.h>

#include "base/alloc.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/pipeline.h"
#include "image/filter.h"

extern const struct mb_export mb_spd_tree_export;

enum {
    PARAM_SHAPE,
    PARAM_WAVE,
    PARAM_ROWS,
    PARAM_SOURCE,
    PARAM_LANES,
    PARAM_PARTS,
};
enum { WAVE_AUTO, WAVE_OFF };
enum { PARTS_ALL, PARTS_TILES };

static const struct mb_param params[] = {
    {
        .name = "shape",
        .values = (const char *const[]){"auto", "even", "strips", NULL},
        .help = "what a workgroup makes: tiles of 64x64 texels, where three sizes in a row are "
                "even, or strips; auto: tiles where all sizes are even or tiles are few",
    },
    {
        .name = "wave",
        .values = (const char *const[]){"auto", "off", NULL},
        .help = "lanes exchange texels by subgroup operations where the device has them; off: "
                "through shared memory",
    },
    {
        .name = "rows",
        .values =
            (const char *const[]){"auto", "1", "2", "3", "4", "5", "6", "8", "10", "12", NULL},
        .help = "of level 3 in a strip; auto: the fewest that make the image in one wave of "
                "workgroups, and 1 for updates",
    },
    {
        .name = "source",
        .values = (const char *const[]){"same", "separate", "depth", NULL}, /* mb_source */
        .help = "level 0 in the same image, or in one of its own; depth: of D32_SFLOAT, as a "
                "depth attachment is, whose values are from 0 to 1. Both with the shape "
                "and rows that are planned",
    },
    {.name = "lanes", .values = mb_lanes_values, .help = mb_lanes_help, .is_alone = true},
    {
        .name = "parts",
        .values = (const char *const[]){"all", "tiles", NULL},
        .help = "leave out what follows the tiles' levels, to find what it costs",
        .is_diagnostic = true,
    },
    {0},
};

struct spd_tree {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image, *source;
    struct mb_task task;
    bool is_tile_only;
    struct spd_tree_plan plan;
    VkSampler sampler;
    struct mb_buffer hand_off, counters;
    struct mb_buffer cones, tiles; /* of updates: see update.glsl */
    struct mb_pipeline compute;
};

static enum mb_source source_of(const struct mb_params *choice)
{
    return (enum mb_source)choice->choice[PARAM_SOURCE];
}

/* Whether what is planned is to be planned otherwise. */
static bool is_told(const struct mb_params *choice)
{
    return choice->choice[PARAM_SHAPE] != SPD_TREE_ANY_SHAPE || choice->choice[PARAM_ROWS] != 0;
}

static struct spd_tree_image image_of(const struct mb_layout *layout,
                                      const struct mb_task *task, bool is_depth)
{
    return (struct spd_tree_image){
        .width = layout->base.width,
        .height = layout->base.height,
        .n_layers = layout->n_layers,
        .n_levels = layout->n_levels,
        .format = mb_spd_tree_format_of(layout->format),
        .reduction = mb_spd_tree_reduction_of(task->reduce),
        .weighs_alpha = mb_weighs_alpha(task->reduce, task->alpha, layout->format),
        .is_update = task->is_update,
        .is_depth = is_depth,
    };
}

/* What the library plans for a variant; NULL, or why it cannot be. */
static const char *make_plan(const struct mb_gpu *gpu, const struct mb_layout *layout,
                             const struct mb_task *task, const struct mb_params *choice,
                             struct spd_tree_plan *plan)
{
    struct spd_tree_device device =
        mb_spd_tree_device_of(&gpu->info, mb_lanes_named(choice->choice[PARAM_LANES]));
    device.has_subgroups = device.has_subgroups && choice->choice[PARAM_WAVE] != WAVE_OFF;
    const struct spd_tree_image image =
        image_of(layout, task, source_of(choice) == MB_SOURCE_DEPTH);
    const struct spd_tree_options options = {
        .shape = (enum spd_tree_shape)choice->choice[PARAM_SHAPE],
        .rows =
            choice->choice[PARAM_ROWS] > 0 ? spd_tree_rows[choice->choice[PARAM_ROWS] - 1] : 0,
        .is_tile_only = choice->choice[PARAM_PARTS] == PARTS_TILES,
    };
    return spd_tree_make_plan(&device, &image, &options, plan);
}

static bool is_contradictory(const struct mb_params *choice)
{
    const uint8_t *value = choice->choice;
    return (value[PARAM_ROWS] != 0 && value[PARAM_SHAPE] != SPD_TREE_STRIPS) ||
           (value[PARAM_WAVE] == WAVE_OFF && value[PARAM_LANES] != 0) ||
           (source_of(choice) != MB_SOURCE_SAME && is_told(choice));
}

static struct mb_needs needs(const struct mb_params *choice)
{
    const bool has_lanes = choice->choice[PARAM_LANES] != 0;
    return (struct mb_needs){
        .subgroup_operations = has_lanes ? VK_SUBGROUP_FEATURE_SHUFFLE_BIT : 0,
        .lanes = mb_lanes_named(choice->choice[PARAM_LANES]),
        .min_subgroup_size = has_lanes ? 4 : 0,
        .max_subgroup_size = SPD_TREE_N_INVOCATIONS / 2,
        .n_storage_images = 15,
        .n_invocations = SPD_TREE_N_INVOCATIONS,
        .load = MB_LOAD_TEXEL,
        .is_carried = true,
    };
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    struct spd_tree_plan plan;
    const char *reason =
        layout->n_levels > 1 ? make_plan(gpu, layout, task, choice, &plan) : NULL;
    if (choice->choice[PARAM_ROWS] != 0 && choice->choice[PARAM_SHAPE] != SPD_TREE_STRIPS) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "rows are of strips; try spd-tree:shape=strips:rows=..");
    }
    MB_FAIL_IF(choice->choice[PARAM_LANES] != 0 && choice->choice[PARAM_WAVE] == WAVE_OFF, why,
               MB_ERRC_UNSUPPORTED, "lanes are of subgroups, which wave=off does without");
    MB_FAIL_IF(source_of(choice) != MB_SOURCE_SAME && is_told(choice), why, MB_ERRC_UNSUPPORTED,
               "an image of its own goes with what is planned: without shape and rows");
    if (source_of(choice) == MB_SOURCE_DEPTH) {
        MB_FAIL_IF(strcmp(layout->format->name, "r32f") != 0, why, MB_ERRC_UNSUPPORTED,
                   "depth is one 32-bit float; try -f r32f");
        MB_DO(mb_gpu_require_format(gpu, VK_FORMAT_D32_SFLOAT,
                                    VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, "sampling", why));
    }
    MB_FAIL_IF(reason, why, MB_ERRC_UNSUPPORTED, "%s", reason);
    MB_FAIL_IF(layout->n_levels > 1 && plan.view != SPD_TREE_VIEW_OF_FORMAT &&
                   !mb_vk_image_can_be_raw(gpu, layout->format),
               why, MB_ERRC_UNSUPPORTED,
               "the device makes no views of %s texels as words "
               "(imageViewFormatReinterpretation)",
               layout->format->name);
    return MB_OK;
}

static void resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *choice)
{
    struct spd_tree_plan plan;
    if (layout->n_levels == 1 || make_plan(gpu, layout, task, choice, &plan)) {
        return;
    }
    choice->choice[PARAM_WAVE] = plan.module.has_subgroups ? WAVE_AUTO : WAVE_OFF;
    choice->choice[PARAM_LANES] =
        plan.module.has_subgroups
            ? mb_lanes_resolve(plan.subgroup_size, choice->choice[PARAM_LANES])
            : 0;
    if (source_of(choice) != MB_SOURCE_SAME) {
        return;
    }
    choice->choice[PARAM_SHAPE] = (uint8_t)plan.shape;
    choice->choice[PARAM_ROWS] = 0;
    for (uint8_t i = 0; i < SPD_TREE_N_ROWS; i++) {
        if (spd_tree_rows[i] == plan.rows) {
            choice->choice[PARAM_ROWS] = i + 1;
        }
    }
}

static enum mb_status make_pipeline(struct spd_tree *s, struct mb_err *err)
{
    struct mb_constant constants[SPD_TREE_N_CONSTANTS];
    for (uint32_t i = 0; i < SPD_TREE_N_CONSTANTS; i++) {
        constants[i] =
            (struct mb_constant){s->plan.constants[i].name, s->plan.constants[i].value};
    }
    const struct mb_pipeline_options options = {
        .shader = mb_spd_tree_shader_of(&s->plan.module),
        .shared = constants,
        .n_shared = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct spd_tree_push),
        .subgroup_size = s->plan.subgroup_size,
        .n_invocations = SPD_TREE_N_INVOCATIONS,
        .n_copies = 1,
        .name = "spd-tree",
    };
    return mb_pipeline_init(&s->compute, s->gpu, &options, err);
}

/* What the changed rectangles reach, and the tiles that make it. */
static enum mb_status make_lists(struct spd_tree *s, struct mb_err *err)
{
    const struct spd_tree_image image = image_of(&s->image->layout, &s->task, false);
    mb_cones cones = {0};
    const uint32_t n_tiles = s->plan.n_groups[0] * s->plan.n_groups[1];
    enum mb_status status = MB_OK;
    uint32_t *tiles = mb_alloc(n_tiles, sizeof *tiles);
    if (!tiles) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "spd-tree: out of memory");
    }
    mb_plan_update(&s->image->layout, &s->task, &image, &s->plan, cones, tiles);
    MB_TRY(mb_buffer_init(&s->cones, s->gpu, MB_BUFFER_DEVICE, sizeof cones, "spd-tree cones",
                          err));
    MB_TRY(mb_buffer_upload(&s->cones, cones, sizeof cones, err));
    MB_TRY(mb_buffer_init(&s->tiles, s->gpu, MB_BUFFER_DEVICE, n_tiles * sizeof *tiles,
                          "spd-tree tiles", err));
    MB_TRY(mb_buffer_upload(&s->tiles, tiles, n_tiles * sizeof *tiles, err));
fail:
    mb_free(tiles);
    return status;
}

static void bind(const struct spd_tree *s)
{
    const struct mb_vk_image *image = s->image;
    const bool is_raw = s->plan.view != SPD_TREE_VIEW_OF_FORMAT;
    const struct mb_descriptor descriptors[] = {
        {.binding = 0,
         .sampler = s->sampler,
         .views = is_raw ? &s->source->raw[0] : &s->source->stored[0]},
        {.binding = 1,
         .views = is_raw ? &image->raw[1] : &image->storage[1],
         .n_views = image->layout.n_levels - 1},
        {.binding = 2, .buffer = &s->hand_off},
        {.binding = 3, .buffer = &s->counters},
        {.binding = 4,
         .sampler = s->sampler,
         .views = is_raw ? &image->raw[1] : &image->stored[1],
         .n_views = image->layout.n_levels - 1,
         .layout = VK_IMAGE_LAYOUT_GENERAL},
        {.binding = 5, .buffer = &s->cones},
        {.binding = 6, .buffer = &s->tiles},
    };
    /* Modules have the first three at least, and the others in this order. */
    mb_pipeline_bind(&s->compute, 0, descriptors,
                     mb_spd_tree_shader_of(&s->plan.module)->n_bindings);
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct spd_tree *s = state;
    s->gpu = gpu;
    s->image = target->image;
    s->source = target->source ? target->source : target->image;
    s->task = target->task;
    s->is_tile_only = choice->choice[PARAM_PARTS] == PARTS_TILES;
    if (s->image->layout.n_levels == 1) {
        return MB_OK;
    }
    const char *reason = make_plan(gpu, &s->image->layout, &s->task, choice, &s->plan);
    if (reason) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "%s", reason);
    }
    MB_TRY(mb_load_make_sampler(gpu, false, s->task.reduce, &s->sampler, err));
    MB_TRY(mb_buffer_init(&s->hand_off, gpu, MB_BUFFER_DEVICE, s->plan.hand_off_bytes,
                          "spd-tree hand-off", err));
    MB_TRY(mb_buffer_init(&s->counters, gpu, MB_BUFFER_DEVICE, s->plan.counter_bytes,
                          "spd-tree counters", err));
    if (s->task.is_update) {
        MB_TRY(make_lists(s, err));
    }
    MB_TRY(make_pipeline(s, err));
    bind(s);
fail:
    return status;
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct spd_tree *s = state;
    const uint32_t n_made = s->image->layout.n_levels - 1;
    const bool is_update = s->task.is_update;
    if (n_made == 0) {
        return;
    }
    const struct mb_dispatch dispatch = {
        .push = &s->plan.push,
        .n_groups = {s->plan.n_groups[0], s->plan.n_groups[1], s->plan.n_groups[2]},
    };
    mb_barrier_levels(cmd, s->image, 1, n_made,
                      is_update ? &mb_access_readable : &mb_access_undefined,
                      is_update ? &mb_access_compute_read_write : &mb_access_compute_write);
    mb_pipeline_dispatch(&s->compute, cmd, &dispatch);
    mb_barrier_levels(cmd, s->image, 1, n_made, &mb_access_compute_write, &mb_access_readable);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct spd_tree *s = state;
    const struct mb_layout *layout = &s->image->layout;
    const struct spd_tree_image image = image_of(layout, &s->task, false);
    const bool is_made = layout->n_levels > 1;
    work->n_dispatches = is_made;
    work->n_barriers = is_made ? 2 : 0;
    work->workgroup_size[0] = SPD_TREE_N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size = s->plan.subgroup_size;
    work->algorithmic_bytes =
        mb_filter_affected_bytes(MB_POLICY_BOX, layout, s->task.rects, s->task.n_rects) +
        (is_made && !s->is_tile_only ? mb_spd_tree_traffic_bytes(&s->plan, &image) : 0);
    work->tolerance = (struct mb_tolerance){
        .filter.policy = MB_POLICY_BOX,
        .arithmetic = MB_ARITHMETIC_FP32,
        .is_strict = !mb_weighs_alpha(s->task.reduce, s->task.alpha, layout->format),
    };
    for (uint32_t i = s->plan.n_first; s->task.is_update && i + 1 < layout->n_levels; i++) {
        work->tolerance.reread_levels |= UINT32_C(1) << i;
    }
}

static void finish(void *state)
{
    struct spd_tree *s = state;
    mb_pipeline_finish(&s->compute);
    mb_buffer_finish(&s->tiles);
    mb_buffer_finish(&s->cones);
    mb_buffer_finish(&s->counters);
    mb_buffer_finish(&s->hand_off);
    mb_sampler_destroy(s->gpu, s->sampler);
}

const struct mb_strategy mb_strategy_spd_tree = {
    .name = "spd-tree",
    .title = "our single dispatch for any size, exact on odd sizes",
    .source = "https://developer.download.nvidia.com/devzone/devcenter/gamegraphics/files/"
              "NP2_Mipmapping.pdf (the filter); how it is done is mipbench's own",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .wants_raw = true,
    .takes_rects = true,
    .features = (const char *const[]){"vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
                                      "shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct spd_tree),
    .params = params,
    .export = &mb_spd_tree_export,
    .source_of = source_of,
    .is_contradictory = is_contradictory,
    .needs = needs,
    .supports = supports,
    .resolve = resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
