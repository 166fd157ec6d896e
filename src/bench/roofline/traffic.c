/* Plain traffic on a buffer or an image: kernels of shaders/roofline_*.comp and their timing.
 */
#include "bench/roofline/traffic.h"

#include <math.h>

#include "base/figure.h"
#include "stats/stats.h"
#include "vk/barrier.h"

#define VECTOR_BYTES 16u
#define N_TIMES      3u /* timings in a median */
#define MAX_HOST_NS  2e7

#define EVICTOR_GROUP 256u /* invocations of a workgroup */

extern const struct mb_shader mb_spv_roofline_buffer, mb_spv_roofline_image;

struct buffer_push {
    uint32_t n_vectors, n_groups_per_pass, n_groups, key, mask;
};

struct image_push {
    int32_t n_texels[2], tile[2], n_layers;
};

/* How many equal streams of bytes a pass reads or writes. */
static const uint32_t n_streams[] = {
    [MB_TRAFFIC_READ] = 1,
    [MB_TRAFFIC_FILL] = 1,
    [MB_TRAFFIC_MIX] = 4,
};

/* The extent that a pass writes in each layer of an image: with mixed traffic a third of the
 * rows. */
static struct mb_extent work_extent(const struct mb_field *field)
{
    struct mb_extent extent = field->image[MB_SOURCE].layout.base;
    extent.height /= field->traffic == MB_TRAFFIC_MIX ? 3 : 1;
    return extent;
}

static uint64_t count_bytes(const struct mb_field *field)
{
    const struct mb_layout *layout = &field->image[MB_SOURCE].layout;
    const struct mb_extent extent = work_extent(field);
    return field->is_image ? (uint64_t)extent.width * extent.height * layout->n_layers *
                                 layout->format->texel_bytes * n_streams[field->traffic]
                           : field->buffer[MB_SOURCE].size_bytes;
}

/* Bind the side that is read to binding 0 and the side that is written to binding 1. */
static void bind_sides(const struct mb_field *field)
{
    const bool is_fill = field->traffic == MB_TRAFFIC_FILL;
    const enum mb_field_side from = is_fill ? MB_TARGET : MB_SOURCE;
    const enum mb_field_side to = is_fill ? MB_SOURCE : MB_TARGET;
    const struct mb_descriptor buffers[] = {
        {.binding = 0, .buffer = &field->buffer[from]},
        {.binding = 1, .buffer = &field->buffer[to]},
    };
    const struct mb_descriptor images[] = {
        {.binding = 0,
         .sampler = field->sampler,
         .views = &field->image[from].stored[0],
         .layout =
             is_fill ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL},
        {.binding = 1, .views = &field->image[to].storage[0]},
    };
    mb_pipeline_bind(&field->compute, 0, field->is_image ? images : buffers, 2);
}

enum mb_status mb_field_choose(struct mb_field *field, enum mb_traffic traffic,
                               uint32_t workgroup_size, uint32_t n_items, struct mb_err *err)
{
    const bool is_image = field->is_image;
    const struct mb_constant constants[] = {
        {"gl_WorkGroupSize.x", workgroup_size},
        {"TRAFFIC", (uint32_t)traffic},
        {"N_ITEMS", n_items},
    };
    const struct mb_pipeline_options options = {
        .shader = is_image ? &mb_spv_roofline_image : &mb_spv_roofline_buffer,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes =
            is_image ? sizeof(struct image_push) : sizeof(struct buffer_push),
        .n_copies = 1,
        .name = is_image ? "roofline image" : "roofline buffer",
    };
    field->traffic = traffic;
    field->workgroup_size = workgroup_size;
    field->n_items = n_items;
    field->pass_bytes = count_bytes(field);
    mb_pipeline_finish(&field->compute);
    MB_DO(mb_pipeline_init(&field->compute, field->gpu, &options, err));
    bind_sides(field);
    return MB_OK;
}

/* Workgroups of one pass over a buffer, whose streams have `n_vectors` each. */
static uint32_t buffer_groups(const struct mb_field *field, uint32_t *n_vectors)
{
    *n_vectors = (uint32_t)(field->pass_bytes / (VECTOR_BYTES * n_streams[field->traffic]));
    return *n_vectors / (field->workgroup_size * field->n_items);
}

/* Every device can have INT32_MAX workgroups in rows (mb_pipeline_dispatch_rows). */
static uint32_t max_passes(const struct mb_field *field)
{
    uint32_t n_vectors;
    return field->is_image ? field->gpu->info.limits.maxComputeWorkGroupCount[2] /
                                 field->image[MB_SOURCE].layout.n_layers
                           : INT32_MAX / buffer_groups(field, &n_vectors);
}

static void record_buffer(const struct mb_field *field, VkCommandBuffer cmd, uint32_t n_passes)
{
    /* With this key and mask nothing is stored: no sum of noise has this word in all four
     * components. */
    struct buffer_push push = {.key = 0x5eed5eed, .mask = UINT32_MAX};
    if (field->stores_sums) {
        push.key = push.mask = 0;
    }
    push.n_groups_per_pass = buffer_groups(field, &push.n_vectors);
    push.n_groups = push.n_groups_per_pass * n_passes;
    mb_pipeline_dispatch_rows(&field->compute, cmd, 0, &push, push.n_groups);
}

static void record_image(const struct mb_field *field, VkCommandBuffer cmd, uint32_t n_passes)
{
    const struct mb_extent extent = work_extent(field);
    const uint32_t n_layers = field->image[MB_SOURCE].layout.n_layers;
    /* Blocks of 8x4 texels, four side by side. */
    const uint32_t n_blocks = field->workgroup_size / 32;
    const uint32_t tile_width = 8 * (n_blocks < 4 ? n_blocks : 4);
    const uint32_t tile_height = 4 * ((n_blocks + 3) / 4);
    const uint32_t group_height = tile_height * field->n_items;
    const struct image_push push = {
        .n_texels = {(int32_t)extent.width, (int32_t)extent.height},
        .tile = {(int32_t)tile_width, (int32_t)tile_height},
        .n_layers = (int32_t)n_layers,
    };
    const struct mb_dispatch dispatch = {
        .push = &push,
        .n_groups = {(extent.width + tile_width - 1) / tile_width,
                     (extent.height + group_height - 1) / group_height, n_layers * n_passes},
    };
    mb_pipeline_dispatch(&field->compute, cmd, &dispatch);
}

void mb_field_record(const struct mb_field *field, VkCommandBuffer cmd, uint32_t n_passes)
{
    if (field->is_image) {
        record_image(field, cmd, n_passes);
    } else {
        record_buffer(field, cmd, n_passes);
    }
}

/* Make the parts that buffers and images have in common, and fill the source with noise. */
static enum mb_status fill_source(struct mb_field *field, struct mb_err *err)
{
    MB_DO(mb_timer_init(&field->timer, field->gpu, N_TIMES, err));
    MB_DO(mb_submission_init(&field->submission, field->gpu, "roofline", err));
    MB_DO(mb_field_choose(field, MB_TRAFFIC_FILL, 128, 4, err));
    VkCommandBuffer cmd = field->submission.cmd;
    for (int side = MB_SOURCE; field->is_image && side <= MB_TARGET; side++) {
        mb_barrier_levels(cmd, &field->image[side], 0, 1, &mb_access_undefined,
                          &mb_access_compute_read_write);
    }
    mb_field_record(field, cmd, 1);
    if (field->is_image) {
        mb_barrier_levels(cmd, &field->image[MB_SOURCE], 0, 1, &mb_access_compute_write,
                          &mb_access_readable);
    }
    mb_barrier_full(cmd);
    return mb_submission_run(&field->submission, err);
}

enum mb_status mb_field_init_buffers(struct mb_field *field, const struct mb_gpu *gpu,
                                     uint64_t source_bytes, uint64_t target_bytes,
                                     struct mb_err *err)
{
    *field = (struct mb_field){.gpu = gpu};
    MB_DO(mb_buffer_init(&field->buffer[MB_SOURCE], gpu, MB_BUFFER_DEVICE, source_bytes,
                         "roofline source", err));
    MB_DO(mb_buffer_init(&field->buffer[MB_TARGET], gpu, MB_BUFFER_DEVICE, target_bytes,
                         "roofline target", err));
    return fill_source(field, err);
}

enum mb_status mb_field_init_images(struct mb_field *field, const struct mb_gpu *gpu,
                                    const struct mb_layout *layout, struct mb_err *err)
{
    const struct mb_vk_image_options options = {
        .layout = layout,
        .n_levels = 1,
        /* As for the test image. */
        .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                 VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT,
        .name = "roofline image",
    };
    *field = (struct mb_field){.gpu = gpu, .is_image = true};
    for (int side = MB_SOURCE; side <= MB_TARGET; side++) {
        MB_DO(mb_vk_image_init(&field->image[side], gpu, &options, err));
    }
    const struct mb_sampler_options nearest = {.address = MB_SAMPLER_ADDRESS};
    MB_DO(mb_sampler_create(gpu, &nearest, &field->sampler, err));
    return fill_source(field, err);
}

void mb_field_finish(struct mb_field *field)
{
    mb_pipeline_finish(&field->compute);
    mb_submission_finish(&field->submission);
    mb_timer_finish(&field->timer);
    mb_sampler_destroy(field->gpu, field->sampler);
    for (int side = MB_SOURCE; side <= MB_TARGET; side++) {
        mb_vk_image_finish(&field->image[side]);
        mb_buffer_finish(&field->buffer[side]);
    }
    *field = (struct mb_field){0};
}

/* Time `n_times` dispatches in one submission and return their median. */
static enum mb_status time_dispatches(struct mb_field *field, uint32_t n_passes,
                                      uint32_t n_times, double *median_ns, struct mb_err *err)
{
    struct mb_submission *submission = &field->submission;
    const struct mb_timer *timer = &field->timer;
    double times_ns[N_TIMES];
    MB_DO(mb_submission_begin(submission, err));
    for (uint32_t i = 0; i < n_times; i++) {
        mb_timer_begin(timer, submission->cmd, i);
        mb_field_record(field, submission->cmd, n_passes);
        mb_timer_end(timer, submission->cmd, i);
    }
    MB_DO(mb_timer_run(timer, submission, n_times, times_ns, err));
    *median_ns = mb_median(times_ns, n_times);
    return MB_OK;
}

/* Find by trial how many passes take `min_ns`: short runs are mostly launch. */
static enum mb_status find_passes(struct mb_field *field, double min_ns, uint32_t *n_passes,
                                  struct mb_err *err)
{
    const uint32_t most = max_passes(field);
    double duration_ns = 0.0;
    *n_passes = 1;
    for (;;) {
        MB_DO(time_dispatches(field, *n_passes, 1, &duration_ns, err));
        /* The host's clock ends this if the device's clock stands still. */
        if (duration_ns >= min_ns || *n_passes == most ||
            (double)field->submission.waited_ns >= MAX_HOST_NS) {
            return MB_OK;
        }
        const double wanted = 1.25 * min_ns / fmax(duration_ns, 1.0);
        const double next = ceil(*n_passes * fmin(fmax(wanted, 1.5), 64.0));
        *n_passes = next < most ? (uint32_t)next : most;
    }
}

enum mb_status mb_field_time(struct mb_field *field, double min_ns, double *gbps,
                             struct mb_err *err)
{
    uint32_t n_passes;
    double median_ns;
    *gbps = (double)NAN;
    if (field->pass_bytes == 0) {
        return MB_OK; /* too few rows for mixed traffic */
    }
    MB_DO(find_passes(field, min_ns, &n_passes, err));
    MB_DO(time_dispatches(field, n_passes, N_TIMES, &median_ns, err));
    if (median_ns > 0.0) {
        *gbps = (double)field->pass_bytes * n_passes / median_ns;
    }
    return MB_OK;
}

enum mb_status mb_field_init_evictor(struct mb_field *field, const struct mb_gpu *gpu,
                                     uint64_t n_bytes, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu_info *info = &gpu->info;
    const uint64_t max_bytes = info->limits.maxStorageBufferRange < info->max_allocation_bytes
                                   ? info->limits.maxStorageBufferRange
                                   : info->max_allocation_bytes;
    const uint64_t n_units =
        n_bytes / MB_TRAFFIC_UNIT_BYTES + (n_bytes % MB_TRAFFIC_UNIT_BYTES > 0);
    MB_FAIL_IF(n_units > max_bytes / MB_TRAFFIC_UNIT_BYTES, err, MB_ERRC_UNSUPPORTED,
               "cannot sweep the cache: needs a buffer of %s, the device's limit is %s",
               mb_bytes_text(n_bytes).s, mb_bytes_text(max_bytes).s);
    MB_DO(mb_gpu_require_workgroup(gpu, EVICTOR_GROUP, err));
    MB_TRY(mb_field_init_buffers(field, gpu, n_units * MB_TRAFFIC_UNIT_BYTES,
                                 MB_TRAFFIC_UNIT_BYTES, err));
    MB_TRY(mb_field_choose(field, MB_TRAFFIC_READ, EVICTOR_GROUP, 4, err));
    return MB_OK;
fail:
    mb_field_finish(field);
    return err->vk_result == VK_ERROR_OUT_OF_DEVICE_MEMORY
               ? MB_FAIL(err, MB_ERRC_UNSUPPORTED, "cannot sweep the cache: no memory for %s",
                         mb_bytes_text(n_bytes).s)
               : status;
}
