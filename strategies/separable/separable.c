/* separable: wide kernels, with a horizontal and a vertical pass per level, through shared
 * memory.
 *
 * An image of 32-bit floats, which every level reuses, holds the result of the first pass. The
 * host computes weights in double precision and splits each into two floats. An axis of even
 * size has one set of weights; an odd one has a set per target texel (the phase varies). */
#include "base/alloc.h"
#include "image/filter.h"
#include "strategy/levels.h"

enum { PARAM_FILTER, PARAM_WORKGROUP };
enum { PASS_HORIZONTAL, PASS_VERTICAL, N_PASSES };

#define TEXEL_BYTES 16u /* per texel of the intermediate image and of shared memory */

extern const struct mb_shader mb_spv_separable;

struct push {
    int32_t n_source, n_target, n_taps, first_weight, weight_stride, begin, end, first_across;
};

/* One dispatch: texels [begin, end) of n_across rows or columns from first_across on. */
struct pass {
    struct push push;
    int32_t n_across;
};

struct state {
    struct mb_levels levels; /* a pipeline for each pass; set n reads level n */
    uint32_t n_invocations;
    struct pass pass[MB_MAX_LEVELS][N_PASSES]; /* n: from level n to level n + 1 */
    struct mb_vk_image between; /* fits the largest result of a horizontal pass */
    struct mb_buffer weights;
};

static const enum mb_policy filters[] = {
    MB_POLICY_KAISER,
    MB_POLICY_LANCZOS,
    MB_POLICY_GAUSSIAN,
    MB_POLICY_GAUSSIAN16,
};

static const uint32_t workgroups[] = {256, 64, 128, 512, 1024};

static const struct mb_param params[] = {
    {
        .name = "filter",
        .values = (const char *const[]){"kaiser", "lanczos", "gaussian", "gaussian16", NULL},
        .help = "radius in source texels: kaiser 6 (NVIDIA Texture Tools: width 3, alpha 4), "
                "lanczos 6 (three lobes), gaussian 4 (sigma 1), gaussian16 16 (sigma 4)",
    },
    {
        .name = "workgroup",
        .values = (const char *const[]){"256", "64", "128", "512", "1024", NULL},
        .help =
            "invocations of a workgroup: a larger one fetches fewer texels twice, and needs "
            "more shared memory",
    },
    {0},
};

static uint32_t shared_bytes(enum mb_policy policy, uint32_t n_invocations)
{
    return (n_invocations + 6 * mb_filter_kernel_radius(policy)) * TEXEL_BYTES;
}

static struct mb_needs needs_of(const struct mb_params *choice)
{
    const enum mb_policy policy = filters[choice->choice[PARAM_FILTER]];
    const uint32_t n_invocations = workgroups[choice->choice[PARAM_WORKGROUP]];
    return (struct mb_needs){
        .averages_only = true,
        /* Negative weights can bring the average alpha close to 0, and colour cannot be
         * divided by that. */
        .straight_only = true,
        .policy = policy,
        .n_storage_images = 1,
        .n_invocations = n_invocations,
        .shared_bytes = shared_bytes(policy, n_invocations),
        .load = MB_LOAD_TEXEL,
    };
}

/* Computes the weights along an axis, row by row, or only their layout if `out` is NULL.
 * Returns their number. */
static uint32_t fill_axis(enum mb_policy policy, struct push *push, float (*out)[2])
{
    double weight[MB_MAX_FILTER_KERNEL_TAPS];
    const uint32_t n_source = (uint32_t)push->n_source;
    const bool has_phases = n_source > 1 && n_source % 2 == 1;
    const uint32_t n_rows = has_phases ? n_source / 2 : 1;
    uint32_t n_taps = 0;
    for (uint32_t x = 0; x < n_rows; x++) {
        const struct mb_span span = mb_filter_kernel_span(policy, n_source, x);
        const uint32_t n = (uint32_t)(span.end - span.first);
        n_taps = n > n_taps ? n : n_taps;
    }
    push->n_taps = (int32_t)n_taps;
    push->weight_stride = n_rows > 1 ? push->n_taps : 0;
    for (uint32_t x = 0; out && x < n_rows; x++) {
        const uint32_t n = mb_filter_kernel_weights(policy, n_source, x, weight);
        float(*row)[2] = out + push->first_weight + (size_t)x * n_taps;
        for (uint32_t i = 0; i < n_taps; i++) {
            row[i][0] = i < n ? (float)weight[i] : 0.0f;
            row[i][1] = i < n ? (float)(weight[i] - (double)row[i][0]) : 0.0f;
        }
    }
    return n_rows * n_taps;
}

/* Lays out the weights of all levels, and writes them unless `out` is NULL. Returns their
 * number. */
static uint32_t fill_weights(struct state *s, float (*out)[2])
{
    const struct mb_layout *layout = &s->levels.image->layout;
    uint32_t n = 0;
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        const struct mb_extent source = mb_level_extent(layout->base, level);
        for (uint32_t i = 0; i < N_PASSES; i++) {
            struct push *push = &s->pass[level][i].push;
            push->n_source = (int32_t)(i == PASS_VERTICAL ? source.height : source.width);
            push->first_weight = (int32_t)n;
            n += fill_axis(s->levels.policy, push, out);
        }
    }
    return n;
}

static enum mb_status make_weights(struct state *s, struct mb_err *err)
{
    const uint32_t n = fill_weights(s, NULL);
    MB_FREED float(*weights)[2] = mb_alloc((size_t)n + 1, sizeof *weights);
    MB_DO(MB_NEED(weights, "separable"));
    fill_weights(s, weights);
    MB_DO(mb_buffer_init(&s->weights, s->levels.gpu, MB_BUFFER_DEVICE,
                         ((size_t)n + 1) * sizeof *weights, "separable weights", err));
    return mb_buffer_upload(&s->weights, weights, ((size_t)n + 1) * sizeof *weights, err);
}

/* The horizontal pass makes the source rows that contribute to the vertical pass's texels. */
static void place_passes(struct state *s, uint32_t level)
{
    const enum mb_policy policy = s->levels.policy;
    const struct mb_extent target = mb_level_extent(s->levels.image->layout.base, level + 1);
    const struct mb_rect affected = s->levels.affected[level + 1];
    struct pass *across = &s->pass[level][PASS_HORIZONTAL];
    struct pass *down = &s->pass[level][PASS_VERTICAL];
    const uint32_t n_rows = (uint32_t)down->push.n_source;
    across->push.n_target = (int32_t)target.width;
    down->push.n_target = (int32_t)target.height;
    if (mb_rect_is_empty(affected)) {
        return;
    }
    const uint32_t last = affected.y + affected.height - 1;
    const int32_t low = mb_filter_kernel_span(policy, n_rows, affected.y).first;
    const int32_t high = mb_filter_kernel_span(policy, n_rows, last).end;
    down->push.begin = (int32_t)affected.y;
    down->push.end = (int32_t)(affected.y + affected.height);
    down->push.first_across = across->push.begin = (int32_t)affected.x;
    down->n_across = (int32_t)affected.width;
    across->push.end = (int32_t)(affected.x + affected.width);
    across->push.first_across = low > 0 ? low : 0;
    across->n_across =
        (high < down->push.n_source ? high : down->push.n_source) - across->push.first_across;
}

static enum mb_status make_between(struct state *s, struct mb_err *err)
{
    const struct mb_layout *layout = &s->levels.image->layout;
    struct mb_layout between;
    const struct mb_extent extent = {mb_level_extent(layout->base, 1).width,
                                     layout->base.height};
    mb_layout_init(&between, mb_format_find("rgba32f"), extent, layout->n_layers, 1);
    const struct mb_vk_image_options options = {
        .layout = &between,
        .n_levels = 1,
        .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
        .name = "separable between",
    };
    return mb_vk_image_init(&s->between, s->levels.gpu, &options, err);
}

static enum mb_status make_pipeline(struct state *s, uint32_t pass, struct mb_err *err)
{
    const struct mb_constant constants[] = {
        {"gl_WorkGroupSize.x", s->n_invocations},
        {"N_INVOCATIONS", s->n_invocations},
        {"RADIUS", mb_filter_kernel_radius(s->levels.policy)},
        {"IS_VERTICAL", pass == PASS_VERTICAL},
    };
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_separable,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof(struct push),
        .n_copies = s->levels.image->layout.n_levels - 1,
        .name = pass == PASS_VERTICAL ? "separable vertical" : "separable horizontal",
    };
    return mb_levels_make_pipeline(&s->levels, &options, &s->levels.pipelines[pass], err);
}

static void bind_level(const struct state *s, uint32_t level)
{
    const struct mb_descriptor horizontal[] = {
        {.binding = 0, .sampler = s->levels.sampler, .views = &s->levels.image->stored[level]},
        {.binding = 1, .views = &s->between.storage[0]},
        {.binding = 2, .buffer = &s->weights},
    };
    const struct mb_descriptor vertical[] = {
        {.binding = 0,
         .sampler = s->levels.sampler,
         .views = &s->between.stored[0],
         .layout = VK_IMAGE_LAYOUT_GENERAL},
        {.binding = 1, .views = &s->levels.image->storage[level + 1]},
        {.binding = 2, .buffer = &s->weights},
    };
    const struct mb_pipeline *pipelines = s->levels.pipelines;
    mb_pipeline_bind(&pipelines[PASS_HORIZONTAL], level, horizontal, MB_COUNTOF(horizontal));
    mb_pipeline_bind(&pipelines[PASS_VERTICAL], level, vertical, MB_COUNTOF(vertical));
}

static void add_pass(struct state *s, uint32_t level, uint32_t index,
                     struct mb_level_barrier after)
{
    const struct pass *pass = &s->pass[level][index];
    const uint32_t n_made = (uint32_t)(pass->push.end - pass->push.begin);
    const struct mb_levels_step step = {
        .pipeline = &s->levels.pipelines[index],
        .dispatch = {.copy = level,
                     .push = &pass->push,
                     .n_groups = {mb_group_count(n_made, s->n_invocations / 2),
                                  (uint32_t)pass->n_across, s->levels.image->layout.n_layers}},
        .after = after,
        .first_level = level + 1,
        .n_levels = 1,
    };
    mb_levels_add(&s->levels, &step);
}

/* The barrier after a level also keeps the next horizontal pass from overwriting what the
 * vertical pass still reads. */
static void add_level(struct state *s, uint32_t level)
{
    const struct mb_level_barrier filled = {&s->between, 0, 1, &mb_access_compute_write,
                                            &mb_access_compute_read_write};
    place_passes(s, level);
    bind_level(s, level);
    add_pass(s, level, PASS_HORIZONTAL, filled);
    add_pass(s, level, PASS_VERTICAL,
             (struct mb_level_barrier){.first_level = level + 1, .n_levels = 1});
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct state *s = state;
    const uint32_t n_made = target->image->layout.n_levels - 1;
    const struct mb_needs needs = needs_of(choice);
    const struct mb_levels_step open_between = {
        .after = {&s->between, 0, n_made > 0, &mb_access_undefined, &mb_access_compute_write}};
    s->n_invocations = needs.n_invocations;
    MB_DO(mb_levels_init(&s->levels, gpu, target, &needs, err));
    MB_DO(make_weights(s, err));
    MB_DO(make_between(s, err));
    MB_DO(make_pipeline(s, PASS_HORIZONTAL, err));
    MB_DO(make_pipeline(s, PASS_VERTICAL, err));
    mb_levels_add(&s->levels, &open_between);
    for (uint32_t level = 0; level < n_made; level++) {
        add_level(s, level);
    }
    return MB_OK;
}

/* The number of texels that a pass fetches into shared memory; it is the same for each row. */
static uint64_t count_fetched(const struct state *s, const struct pass *pass)
{
    const uint32_t n_made = s->n_invocations / 2, n_source = (uint32_t)pass->push.n_source;
    const uint32_t begin = (uint32_t)pass->push.begin, end = (uint32_t)pass->push.end;
    int64_t n = 0;
    for (uint32_t at = begin; at < end; at += n_made) {
        const uint32_t last = (end - at < n_made ? end : at + n_made) - 1;
        n += mb_filter_kernel_span(s->levels.policy, n_source, last).first -
             mb_filter_kernel_span(s->levels.policy, n_source, at).first + pass->push.n_taps;
    }
    return (uint64_t)(n * pass->n_across);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->levels.image->layout;
    uint64_t n_bytes = 0;
    for (uint32_t level = 0; level + 1 < layout->n_levels; level++) {
        for (uint32_t i = 0; i < N_PASSES; i++) {
            const struct pass *pass = &s->pass[level][i];
            const int64_t n_made =
                (int64_t)(pass->push.end - pass->push.begin) * pass->n_across;
            const uint64_t texel_bytes = layout->format->texel_bytes;
            n_bytes +=
                count_fetched(s, pass) * (i == PASS_VERTICAL ? TEXEL_BYTES : texel_bytes);
            n_bytes += (uint64_t)n_made * (i == PASS_VERTICAL ? texel_bytes : TEXEL_BYTES);
        }
    }
    mb_levels_describe(&s->levels, work);
    work->workgroup_size[0] = s->n_invocations;
    work->workgroup_size[1] = work->workgroup_size[2] = 1;
    work->algorithmic_bytes = n_bytes * layout->n_layers;
}

static void finish(void *state)
{
    struct state *s = state;
    mb_levels_finish(&s->levels);
    mb_buffer_finish(&s->weights);
    mb_vk_image_finish(&s->between);
}

const struct mb_strategy mb_strategy_separable = {
    .name = "separable",
    .title = "wide kernels through shared memory: a horizontal and a vertical pass per level",
    .source = "Direct3D Rendering Cookbook, Packt, ISBN 9781849697101, chapter 7: separable "
              "convolution filters",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .features = (const char *const[]){"shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .needs = needs_of,
    .init = init,
    .record = mb_levels_record,
    .describe = describe,
    .finish = finish,
};
