/* spd-tree: every level of an image of any size in one dispatch; each texel is the exact area
 * average. Engines take lib/, the kernel and its host code, as it is; this file
 * measures lib/. */
#include "modules.h"
#include "traffic.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "image/filter.h"
#include "lib/spd_tree.h"
#include "strategy/needs.h"
#include "vk/barrier.h"
#include "vk/buffer.h"
#include "vk/pipeline_facts.h"

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

/* A job and its plan. */
struct planned {
    struct spd_tree_options options;
    struct spd_tree_job job; /* points to options */
    struct spd_tree_plan plan;
};

struct state {
    const struct mb_gpu *gpu;
    const struct mb_vk_image *image;
    struct mb_task task;
    struct planned planned;
    struct spd_tree *tree;
    void *own;                        /* owned; NULL if the device keeps it */
    VkImageView views[MB_MAX_LEVELS]; /* of levels, owned */
    struct mb_buffer scratch;
    VkDescriptorPool pool;
    struct spd_tree_resources resources;
};

static enum mb_source source_of(const struct mb_params *choice)
{
    return (enum mb_source)choice->choice[PARAM_SOURCE];
}

/* Makes a plan. Returns NULL or, if there is no plan, the reason. */
static const char *make_plan(const struct mb_gpu *gpu, const struct mb_layout *layout,
                             const struct mb_task *task, const struct mb_params *choice,
                             struct planned *planned)
{
    const struct spd_tree_device device = mb_spd_tree_device_of(&gpu->info);
    const uint8_t *value = choice->choice;
    planned->options = (struct spd_tree_options){
        .shape = (enum spd_tree_shape)value[PARAM_SHAPE],
        .rows = value[PARAM_ROWS] > 0 ? spd_tree_rows[value[PARAM_ROWS] - 1] : 0,
        .lanes = mb_lanes_named(value[PARAM_LANES]),
        .without_subgroups = value[PARAM_WAVE] == WAVE_OFF,
        .is_tile_only = value[PARAM_PARTS] == PARTS_TILES,
    };
    planned->job = mb_spd_tree_job_of(layout, task);
    planned->job.is_depth = source_of(choice) == MB_SOURCE_DEPTH;
    planned->job.options = &planned->options;
    return spd_tree_plan_job(&device, &planned->job, &planned->plan);
}

static const char *contradiction(const struct mb_params *choice)
{
    const uint8_t *value = choice->choice;
    return value[PARAM_ROWS] != 0 && value[PARAM_SHAPE] != SPD_TREE_STRIPS
               ? "rows are of strips; try spd-tree:shape=strips:rows=.."
           : value[PARAM_LANES] != 0 && value[PARAM_WAVE] == WAVE_OFF
               ? "lanes are of subgroups, which wave=off does without"
           : source_of(choice) != MB_SOURCE_SAME && value[PARAM_SHAPE] != SPD_TREE_ANY_SHAPE
               ? "an image of its own goes with what is planned: without shape and rows"
               : NULL;
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
    struct planned planned;
    const char *reason = make_plan(gpu, layout, task, choice, &planned);
    if (source_of(choice) == MB_SOURCE_DEPTH) {
        MB_FAIL_IF(strcmp(layout->format->name, "r32f") != 0, why, MB_ERRC_UNSUPPORTED,
                   "depth is one 32-bit float; try -f r32f");
        MB_DO(mb_gpu_require_format(gpu, VK_FORMAT_D32_SFLOAT,
                                    VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, "sampling", why));
    }
    MB_FAIL_IF(reason, why, MB_ERRC_UNSUPPORTED, "%s", reason);
    MB_FAIL_IF(planned.plan.view != SPD_TREE_VIEW_OF_FORMAT &&
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
    struct planned planned;
    const struct spd_tree_plan *plan = &planned.plan;
    uint8_t *value = choice->choice;
    if (layout->n_levels == 1 || make_plan(gpu, layout, task, choice, &planned)) {
        return;
    }
    value[PARAM_WAVE] = plan->module.has_subgroups ? WAVE_AUTO : WAVE_OFF;
    value[PARAM_LANES] = plan->module.has_subgroups
                             ? mb_lanes_resolve(plan->subgroup_size, value[PARAM_LANES])
                             : 0;
    if (source_of(choice) != MB_SOURCE_SAME) {
        return;
    }
    value[PARAM_SHAPE] = (uint8_t)plan->shape;
    value[PARAM_ROWS] = SPD_TREE_N_ROWS;
    while (value[PARAM_ROWS] > 0 && spd_tree_rows[value[PARAM_ROWS] - 1] != plan->rows) {
        value[PARAM_ROWS]--;
    }
}

static void destroy_tree(void *tree)
{
    spd_tree_destroy(tree);
}

/* Makes a tree. `captures`: its pipelines capture statistics, for instances that are described
 * and not timed. */
static enum mb_status create_tree(const struct mb_gpu *gpu, bool captures, void **kept,
                                  struct mb_err *err)
{
    struct spd_tree *tree = NULL;
    const struct spd_tree_create_info info = {
        .device = gpu->device,
        .limits = mb_spd_tree_device_of(&gpu->info),
        .pipeline_flags = captures ? VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR : 0,
    };
    MB_DO(MB_VK(spd_tree_create(&info, &tree)));
    *kept = tree;
    return MB_OK;
}

/* Uses the device's tree, which keeps pipelines for later states, or makes a tree for this
 * state alone. */
static enum mb_status make_pipeline(struct state *s, struct mb_err *err)
{
    const struct mb_gpu *gpu = s->gpu;
    const struct spd_tree_job *job = &s->planned.job;
    const char *name = mb_spd_tree_shader_of(&s->planned.plan.module)->name;
    struct mb_pipeline_facts *facts = gpu->state->facts;
    const bool captures = facts && gpu->info.features.executables.pipelineExecutableInfo;
    void **kept =
        gpu->state->keeps_pipelines && !facts ? mb_gpu_kept(gpu, destroy_tree) : &s->own;
    MB_DO(MB_NEED(kept, "spd-tree"));
    if (!*kept) {
        MB_DO(create_tree(gpu, captures, kept, err));
    }
    s->tree = *kept;
    MB_DO(MB_VK(spd_tree_prepare(s->tree, job)));
    const VkPipeline captured = captures ? spd_tree_pipeline(s->tree, job) : VK_NULL_HANDLE;
    return facts ? mb_pipeline_facts_add(gpu, captured, name, facts, err) : MB_OK;
}

/* A depth source has a single view, which the image owns. */
static enum mb_status make_views(struct state *s, const struct mb_vk_image *source,
                                 struct mb_err *err)
{
    const struct spd_tree_job *job = &s->planned.job;
    VkImageViewCreateInfo info;
    for (uint32_t i = job->is_depth ? 1 : 0; i < job->n_levels; i++) {
        const struct mb_vk_image *image = i == 0 ? source : s->image;
        spd_tree_view_info(job, image->image, i, 0, &info);
        MB_DO(MB_VK_MAKE(vkCreateImageView, s->gpu->device, &info, &s->views[i]));
    }
    s->resources.source = job->is_depth ? source->stored[0] : s->views[0];
    s->resources.levels = &s->views[1];
    return MB_OK;
}

static enum mb_status make_set(struct state *s, struct mb_err *err)
{
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 15},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 15},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2}};
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = MB_COUNTOF(sizes),
        .pPoolSizes = sizes,
    };
    const VkDescriptorSetLayout layout = spd_tree_set_layout(s->tree);
    MB_DO(MB_VK_MAKE(vkCreateDescriptorPool, s->gpu->device, &pool, &s->pool));
    const VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = s->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    MB_DO(MB_VK(vkAllocateDescriptorSets(s->gpu->device, &allocate, &s->resources.set)));
    return MB_VK(spd_tree_write_set(s->tree, &s->planned.job, &s->resources));
}

static enum mb_status init(void *state, const struct mb_gpu *gpu,
                           const struct mb_target *target, const struct mb_params *choice,
                           struct mb_err *err)
{
    struct state *s = state;
    s->gpu = gpu;
    s->image = target->image;
    s->task = target->task;
    const struct spd_tree_job *job = &s->planned.job;
    const char *reason = make_plan(gpu, &s->image->layout, &s->task, choice, &s->planned);
    MB_FAIL_IF(reason, err, MB_ERRC_RUNTIME, "%s", reason);
    if (job->n_levels == 1) {
        return MB_OK;
    }
    MB_DO(make_pipeline(s, err));
    MB_DO(mb_buffer_init(&s->scratch, gpu, MB_BUFFER_DEVICE,
                         spd_tree_scratch_bytes(s->tree, job), "spd-tree scratch", err));
    if (gpu->state->only_compiles) {
        return MB_OK;
    }
    s->resources.scratch = s->scratch.buffer;
    s->resources.source_layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    MB_DO(make_views(s, target->source ? target->source : target->image, err));
    return make_set(s, err);
}

static void record(const void *state, VkCommandBuffer cmd)
{
    const struct state *s = state;
    const uint32_t n_made = s->planned.job.n_levels - 1;
    const bool is_update = s->task.is_update;
    if (n_made == 0) {
        return;
    }
    mb_barrier_levels(cmd, s->image, 1, n_made,
                      is_update ? &mb_access_readable : &mb_access_undefined,
                      is_update ? &mb_access_compute_read_write : &mb_access_compute_write);
    const VkResult result = spd_tree_record(s->tree, cmd, &s->planned.job, &s->resources);
    assert(result == VK_SUCCESS); /* it was prepared */
    (void)result;
    mb_barrier_levels(cmd, s->image, 1, n_made, &mb_access_compute_write, &mb_access_readable);
}

static void describe(const void *state, struct mb_work *work)
{
    const struct state *s = state;
    const struct mb_layout *layout = &s->image->layout;
    const struct spd_tree_plan *plan = &s->planned.plan;
    const bool is_made = layout->n_levels > 1;
    *work = (struct mb_work){
        .n_dispatches = is_made,
        .n_barriers = is_made ? 2 : 0,
        .workgroup_size = {SPD_TREE_N_INVOCATIONS, 1, 1},
        .subgroup_size = plan->subgroup_size,
        .algorithmic_bytes = mb_filter_affected_bytes(MB_POLICY_BOX, layout, s->task.rect),
        .tolerance = {.filter.policy = MB_POLICY_BOX,
                      .arithmetic = MB_ARITHMETIC_FP32,
                      .is_strict = !s->planned.job.weighs_alpha},
    };
    if (is_made && !s->planned.options.is_tile_only) {
        work->algorithmic_bytes += mb_spd_tree_traffic_bytes(plan);
    }
    for (uint32_t i = plan->n_first; s->task.is_update && i + 1 < layout->n_levels; i++) {
        work->tolerance.reread_levels |= UINT32_C(1) << i;
    }
}

static void finish(void *state)
{
    struct state *s = state;
    if (!s->gpu || s->gpu->state->is_lost) {
        return;
    }
    vkDestroyDescriptorPool(s->gpu->device, s->pool, NULL);
    for (uint32_t i = 0; i < MB_MAX_LEVELS; i++) {
        vkDestroyImageView(s->gpu->device, s->views[i], NULL);
    }
    mb_buffer_finish(&s->scratch);
    spd_tree_destroy(s->own);
}

const struct mb_strategy mb_strategy_spd_tree = {
    .name = "spd-tree",
    .title = "our single dispatch for any size, exact on odd sizes",
    .source = "https://developer.download.nvidia.com/devzone/devcenter/gamegraphics/files/"
              "NP2_Mipmapping.pdf (the filter); how it is done is mipbench's own",
    .queue_flags = VK_QUEUE_COMPUTE_BIT,
    .image_usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
    .wants_raw = true,
    .features = (const char *const[]){"vulkanMemoryModel", "vulkanMemoryModelDeviceScope",
                                      "shaderStorageImageWriteWithoutFormat", NULL},
    .state_bytes = sizeof(struct state),
    .params = params,
    .export = mb_spd_tree_export,
    .source_of = source_of,
    .contradiction = contradiction,
    .needs = needs,
    .supports = supports,
    .resolve = resolve,
    .init = init,
    .record = record,
    .describe = describe,
    .finish = finish,
};
