/* spd: AMD's single-pass downsampler; every level in one dispatch. */
#include "strategy/single_pass.h"

enum {
    PARAM_LOAD,
    PARAM_WAVE,
    PARAM_ORDER,
    PARAM_LDS,
    PARAM_FP16,
    PARAM_COUNTER,
    PARAM_SLICES,
    PARAM_SOURCE,
    PARAM_SRGB,
    PARAM_LANES,
    PARAM_PARTS,
};
enum { WAVE_ON, WAVE_QUAD, WAVE_OFF };
enum { ORDER_MORTON, ORDER_LINEAR };
enum { LDS_VEC4, LDS_SPLIT, LDS_PACKED }; /* as in cells.glsl */
enum { FP16_OFF, FP16_ON };
enum { COUNTER_SELF, COUNTER_HOST };
enum { SLICES_ONE, SLICES_EACH };
enum { SOURCE_SAME, SOURCE_SEPARATE };
enum { SRGB_EXACT, SRGB_SQRT };
enum { PARTS_ALL, PARTS_NO_TAIL, PARTS_TILES };

#define N_INVOCATIONS 256u /* as in spd.comp */

extern const struct mb_shader mb_spv_spd_shared, mb_spv_spd_wave, mb_spv_spd_shared_half,
    mb_spv_spd_wave_half, mb_spv_spd_wide, mb_spv_spd_wide_half;

struct state {
    struct mb_single_pass pass;
    struct mb_params params;
};

struct push {
    int32_t tiles[4];    /* x and y of the first and last tile */
    int32_t affected[4]; /* of the first and last affected texel of level 1 */
    int32_t base_extent[2];
    float inv_base_extent[2];
    int32_t n_levels;
    uint32_t n_tiles;
    int32_t first_slice;
};

static const struct mb_param params[] = {
    {
        .name = "load",
        .values = mb_load_values,
        .help = "how 2x2 texels of level 0 are read: sampler: by one filtered fetch (SPD 1.0); "
                "texel: by four; auto: sampler where it is exact",
    },
    {
        .name = "wave",
        .values = (const char *const[]){"on", "quad", "off", NULL},
        .help =
            "how invocations exchange texels: on: by subgroup shuffles (by quads where a "
            "subgroup has fewer than 16 invocations); quad: by subgroup quad operations, as "
            "published (SPD 1.0); off: through shared memory, for devices without subgroup "
            "operations (SPD 1.0)",
    },
    {
        .name = "order",
        .values = (const char *const[]){"morton", "linear", NULL},
        .help = "which texels invocations get: morton: each four neighbours a 2x2 block (SPD "
                "1.0); linear: row by row, with wave=off only",
    },
    {
        .name = "lds",
        .values = (const char *const[]){"vec4", "split", "packed", NULL},
        .help = "how shared memory holds a texel: vec4: its channels side by side; split: an "
                "array for each channel (SPD 1.0, and the DirectX compute course); packed: as "
                "16-bit floats, for formats of 8 bits (SPD 1.0)",
    },
    {
        .name = "fp16",
        .values = (const char *const[]){"off", "on", NULL},
        .help =
            "off: average in 32-bit floats; on: in 16-bit floats, two channels at once, for "
            "formats of 8 bits (SPD 1.0)",
    },
    {
        .name = "counter",
        .values = (const char *const[]){"self", "host", NULL},
        .help = "who zeroes the counter: the last workgroup (SPD 2.0), or the host before each "
                "run (SPD 1.0)",
    },
    {
        .name = "slices",
        .values = (const char *const[]){"one", "each", NULL},
        .help = "all slices in one dispatch (SPD 2.0), or one dispatch for each",
    },
    {
        .name = "source",
        .values = (const char *const[]){"same", "separate", NULL},
        .help = "where level 0 is read: in the image whose levels are written, or in another "
                "one; SPD leaves it to its caller",
    },
    {
        .name = "srgb",
        .values = (const char *const[]){"exact", "sqrt", NULL},
        .help =
            "the sRGB curve, or square and square root in its place (the slides of SPD 1.0), "
            "up to 10 codes off",
    },
    {.name = "lanes", .values = mb_lanes_values, .help = mb_lanes_help, .is_alone = true},
    {
        .name = "parts",
        .values = (const char *const[]){"all", "no-tail", "tiles", NULL},
        .help = "leave out the levels that the last workgroup makes, or the hand-off, too, to "
                "find what they cost",
        .is_diagnostic = true,
    },
    {0},
};

/* Whether half floats can hold the texels. Of their 11 bits of mantissa, a sum of four texels
 * uses two and its rounding one, so 8 bits remain (10-bit codes were off by 1.06). */
static bool is_held_by_halves(const struct mb_format *format)
{
    return mb_format_is_unorm(format) && mb_format_max_code(format, 0) <= 255.0;
}

static const char *contradiction(const struct mb_params *choice)
{
    const uint8_t *value = choice->choice;
    return value[PARAM_WAVE] != WAVE_OFF && value[PARAM_ORDER] == ORDER_LINEAR
               ? "order=linear needs wave=off: the lanes of a quad hold a 2x2 block"
           : value[PARAM_WAVE] == WAVE_OFF && value[PARAM_LANES] != 0
               ? "lanes are of subgroups, which wave=off does without"
               : NULL;
}

static uint32_t lanes_of(const struct mb_gpu *gpu, const struct mb_params *choice)
{
    return mb_lanes(&gpu->info, mb_lanes_named(choice->choice[PARAM_LANES]));
}

/* Whether subgroups are wide enough for the shuffles of step_wide() in spd.comp. */
static bool shuffles(const struct mb_gpu *gpu, const struct mb_params *choice)
{
    return lanes_of(gpu, choice) >= 16 &&
           (gpu->info.subgroup_operations & VK_SUBGROUP_FEATURE_SHUFFLE_BIT) != 0;
}

static enum mb_status supports(const struct mb_gpu *gpu, const struct mb_layout *layout,
                               const struct mb_task *task, const struct mb_params *choice,
                               struct mb_err *why)
{
    const uint8_t *value = choice->choice;
    const bool has_halves = value[PARAM_FP16] == FP16_ON || value[PARAM_LDS] == LDS_PACKED;
    if (value[PARAM_WAVE] == WAVE_ON && !shuffles(gpu, choice) &&
        (gpu->info.subgroup_operations & VK_SUBGROUP_FEATURE_QUAD_BIT) == 0) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "the device has no subgroup quad in compute shaders, and no shuffle "
                       "of 16 lanes; try spd:wave=off");
    }
    if (has_halves && !is_held_by_halves(layout->format)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "16-bit floats (fp16=on, lds=packed) hold UNORM texels of at most 8 "
                       "bits, not %s",
                       layout->format->name);
    }
    if (value[PARAM_FP16] == FP16_ON &&
        mb_weighs_alpha(task->reduce, task->alpha, layout->format)) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED,
                       "fp16=on does not weight colour by alpha: the quotient needs 32 bits");
    }
    if (value[PARAM_SLICES] == SLICES_EACH && layout->n_layers == 1) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "slices=each: the image has one layer");
    }
    if (value[PARAM_SRGB] == SRGB_SQRT && layout->format->codec != MB_CODEC_SRGB8) {
        return MB_FAIL(why, MB_ERRC_UNSUPPORTED, "srgb=sqrt: %s is not an sRGB format",
                       layout->format->name);
    }
    return MB_OK;
}

static struct mb_needs needs_of(const struct mb_params *choice)
{
    static const char *const half_features[] = {"shaderFloat16", NULL};
    const uint8_t *value = choice->choice;
    const bool has_wave = value[PARAM_WAVE] != WAVE_OFF;
    return (struct mb_needs){
        .max_width = MB_SINGLE_PASS_MAX_WIDTH,
        .policy = MB_POLICY_FLOOR,
        .features = value[PARAM_FP16] == FP16_ON ? half_features : NULL,
        .subgroup_operations =
            value[PARAM_WAVE] == WAVE_QUAD ? VK_SUBGROUP_FEATURE_QUAD_BIT : 0,
        .lanes = mb_lanes_named(value[PARAM_LANES]),
        .min_subgroup_size = has_wave ? 4 : 0,
        .max_subgroup_size = UINT32_MAX,
        .without_subgroups = "spd:wave=off",
        .n_storage_images = MB_SINGLE_PASS_TARGETS,
        .n_invocations = N_INVOCATIONS,
        .load = (enum mb_load)value[PARAM_LOAD],
        .is_carried = true,
    };
}

static uint8_t wave_of(const struct mb_gpu *gpu, const struct mb_params *choice)
{
    const uint8_t wave = choice->choice[PARAM_WAVE];
    return wave == WAVE_ON && !shuffles(gpu, choice) ? WAVE_QUAD : wave;
}

static void resolve(const struct mb_gpu *gpu, const struct mb_layout *layout,
                    const struct mb_task *task, struct mb_params *choice)
{
    choice->choice[PARAM_LOAD] = (uint8_t)mb_load_resolve(
        (enum mb_load)choice->choice[PARAM_LOAD], gpu, layout, task, true);
    choice->choice[PARAM_WAVE] = wave_of(gpu, choice);
    choice->choice[PARAM_LANES] =
        choice->choice[PARAM_WAVE] == WAVE_OFF
            ? 0
            : mb_lanes_resolve(lanes_of(gpu, choice), choice->choice[PARAM_LANES]);
}

static enum mb_status make_pipeline(struct mb_levels *levels, const struct mb_params *choice,
                                    struct mb_err *err)
{
    static const struct mb_shader *const shaders[3][2] = {
        [WAVE_ON] = {[FP16_OFF] = &mb_spv_spd_wide, [FP16_ON] = &mb_spv_spd_wide_half},
        [WAVE_QUAD] = {[FP16_OFF] = &mb_spv_spd_wave, [FP16_ON] = &mb_spv_spd_wave_half},
        [WAVE_OFF] = {[FP16_OFF] = &mb_spv_spd_shared, [FP16_ON] = &mb_spv_spd_shared_half},
    };
    const uint8_t *value = choice->choice;
    const struct mb_constant constants[] = {
        {"LOAD_SAMPLER", levels->by_sampler},
        {"HAS_HAND_OFF", value[PARAM_PARTS] != PARTS_TILES},
        {"HAS_TAIL", value[PARAM_PARTS] == PARTS_ALL},
        {"ORDER_LINEAR", value[PARAM_ORDER] == ORDER_LINEAR},
        {"LDS", value[PARAM_LDS]},
        {"COUNTER_SELF", value[PARAM_COUNTER] == COUNTER_SELF},
        {"SRGB_BY_SQRT", value[PARAM_SRGB] == SRGB_SQRT},
    };
    const struct mb_pipeline_options options = {
        .shader = shaders[wave_of(levels->gpu, choice)][value[PARAM_FP16]],
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .subgroup_size = value[PARAM_WAVE] != WAVE_OFF ? lanes_of(levels->gpu, choice) : 0,
        .n_invocations = N_INVOCATIONS,
        .n_copies = 1,
        .name = "spd",
    };
    return mb_levels_make_pipeline(levels, &options, &levels->pipelines[0], err);
}

static enum mb_source source_of(const struct mb_params *choice)
{
    return choice->choice[PARAM_SOURCE] == SOURCE_SEPARATE ? MB_SOURCE_SEPARATE
                                                           : MB_SOURCE_SAME;
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct state *s = state;
    const struct mb_needs needs = needs_of(choice);
    const bool has_halves = choice->choice[PARAM_FP16] == FP16_ON;
    s->params = *choice;
    MB_DO(mb_single_pass_init(&s->pass, gpu, target, &needs,
                              4 * (has_halves ? sizeof(uint16_t) : sizeof(float)), err));
    MB_DO(make_pipeline(&s->pass.levels, choice, err));
    mb_single_pass_bind(&s->pass);
    return MB_OK;
}

static uint32_t slices_at_once(const struct state *s)
{
    return s->params.choice[PARAM_SLICES] == SLICES_EACH
               ? 1
               : s->pass.levels.image->layout.n_layers;
}

static void dispatch_all(const struct state *s, VkCommandBuffer cmd)
{
    const struct mb_levels *levels = &s->pass.levels;
    const struct mb_layout *layout = &levels->image->layout;
    const struct mb_extent base = layout->base;
    const struct mb_rect tiles = s->pass.tiles;
    struct push push = {
        .base_extent = {(int32_t)base.width, (int32_t)base.height},
        .inv_base_extent = {1.0f / (float)base.width, 1.0f / (float)base.height},
        .n_levels = (int32_t)mb_filter_n_reached(layout, levels->affected),
        .n_tiles = tiles.width * tiles.height,
    };
    const struct mb_dispatch dispatch = {
        .push = &push,
        .n_groups = {tiles.width, tiles.height, slices_at_once(s)},
    };
    mb_rect_corners(tiles, push.tiles);
    mb_rect_corners(levels->affected[1], push.affected);
    for (uint32_t slice = 0; slice < layout->n_layers; slice += slices_at_once(s)) {
        push.first_slice = (int32_t)slice;
        mb_pipeline_dispatch(&levels->pipelines[0], cmd, &dispatch);
    }
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const struct mb_level_barrier opening = mb_single_pass_opening(&s->pass);
    if (opening.n_levels == 0) {
        return;
    }
    if (s->params.choice[PARAM_COUNTER] == COUNTER_HOST) {
        vkCmdFillBuffer(cmd, s->pass.counter.buffer, 0, VK_WHOLE_SIZE, 0);
        mb_barrier_memory(cmd, &mb_access_transfer_write, &mb_access_compute_read_write);
    }
    mb_barrier_images(cmd, &opening, 1);
    dispatch_all(s, cmd);
    mb_barrier_levels(cmd, opening.image, 1, opening.n_levels, &mb_access_compute_write,
                      &mb_access_readable);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const uint8_t *value = s->params.choice;
    const struct mb_levels *levels = &s->pass.levels;
    mb_single_pass_describe(&s->pass, MB_SINGLE_PASS_TAIL_TEXELS, work);
    if (levels->image->layout.n_levels > 1) {
        work->n_dispatches = levels->image->layout.n_layers / slices_at_once(s);
        work->n_barriers += value[PARAM_COUNTER] == COUNTER_HOST;
    }
    work->workgroup_size[0] = N_INVOCATIONS;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->subgroup_size = value[PARAM_WAVE] != WAVE_OFF ? lanes_of(levels->gpu, &s->params) : 0;
    if (value[PARAM_SRGB] == SRGB_SQRT) {
        work->tolerance.arithmetic = MB_ARITHMETIC_ROOT;
    } else if (value[PARAM_FP16] == FP16_ON || value[PARAM_LDS] == LDS_PACKED) {
        work->tolerance.arithmetic = MB_ARITHMETIC_FP16;
    }
}

const struct mb_strategy mb_strategy_spd = {
    .name = "spd",
    .title = "AMD's single-pass downsampler: 64x64 tiles, the last workgroup makes the tail",
    .source = "https://gpuopen.com/fidelityfx-spd/",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
                                      "shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .source_of = source_of,
    .contradiction = contradiction,
    .needs = needs_of,
    .supports = supports,
    .resolve = resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = mb_single_pass_finish,
};
