/* Eviction by streaming; shaders/evict.comp. */
#include "bench/evict.h"

#include "vk/barrier.h"
#include "vk/submit.h"

#define WORKGROUP_SIZE 256u

extern const struct mb_shader mb_spv_evict;

static enum mb_status init_kernel(const struct mb_evictor *evictor, bool is_fill,
                                  struct mb_compute *compute, struct mb_err *err)
{
    static const struct mb_binding bindings[] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
    };
    enum mb_status status = MB_OK;
    const uint32_t constants[] = {WORKGROUP_SIZE, is_fill};
    const struct mb_compute_options options = {
        .shader = &mb_spv_evict,
        .bindings = bindings,
        .n_bindings = MB_COUNTOF(bindings),
        .spec_constants = constants,
        .n_spec_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof evictor->n_groups,
        .n_sets = 1,
        .name = is_fill ? "evict: fill" : "evict",
    };
    MB_TRY(mb_compute_init(compute, evictor->gpu, &options, err));
    mb_compute_bind_buffer(compute, 0, 0, &evictor->stream);
    mb_compute_bind_buffer(compute, 0, 1, &evictor->sums);
fail:
    return status;
}

static void dispatch(const struct mb_evictor *evictor, const struct mb_compute *compute,
                     VkCommandBuffer cmd)
{
    const uint32_t max_width = evictor->gpu->info.max_workgroup_count[0];
    const uint32_t n_groups = evictor->n_groups;
    const uint32_t width = n_groups < max_width ? n_groups : max_width;
    const struct mb_dispatch pass = {
        .push = &evictor->n_groups,
        .push_bytes = sizeof evictor->n_groups,
        .n_groups = {width, (n_groups + width - 1) / width, 1},
    };
    mb_compute_dispatch(compute, cmd, &pass);
}

/* Noise, by the same grid. */
static enum mb_status fill(const struct mb_evictor *evictor, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_compute compute = {0};
    struct mb_submission submission = {0};
    MB_TRY(init_kernel(evictor, true, &compute, err));
    MB_TRY(mb_submission_init(&submission, evictor->gpu, "evict: fill", err));
    MB_TRY(mb_submission_begin(&submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    dispatch(evictor, &compute, submission.cmd);
    mb_barrier_full(submission.cmd);
    MB_TRY(mb_submission_end(&submission, err));
    MB_TRY(mb_submission_run(&submission, err));
fail:
    mb_submission_finish(&submission);
    mb_compute_finish(&compute);
    return status;
}

static enum mb_status check_limits(const struct mb_gpu *gpu, uint64_t n_groups,
                                   struct mb_err *err)
{
    const struct mb_gpu_info *info = &gpu->info;
    const uint64_t max_bytes = info->max_storage_buffer_bytes < info->max_allocation_bytes
                                   ? info->max_storage_buffer_bytes
                                   : info->max_allocation_bytes;
    if (n_groups > max_bytes / MB_EVICTOR_GROUP_BYTES) {
        return MB_FAIL(err, MB_ERRC_UNSUPPORTED,
                       "eviction: %.1f MiB of buffer, the device's limit is %.1f MiB",
                       (double)n_groups * MB_EVICTOR_GROUP_BYTES / 0x1p20,
                       (double)max_bytes / 0x1p20);
    }
    if (info->max_workgroup_invocations < WORKGROUP_SIZE ||
        info->max_workgroup_width < WORKGROUP_SIZE) {
        return MB_FAIL(err, MB_ERRC_UNSUPPORTED,
                       "eviction: the device has no workgroups of %u invocations",
                       WORKGROUP_SIZE);
    }
    return MB_OK;
}

enum mb_status mb_evictor_init(struct mb_evictor *evictor, const struct mb_gpu *gpu,
                               uint64_t n_bytes, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const uint64_t whole_groups = n_bytes / MB_EVICTOR_GROUP_BYTES +
                                  (n_bytes % MB_EVICTOR_GROUP_BYTES > 0 || n_bytes == 0);
    *evictor = (struct mb_evictor){.gpu = gpu};
    MB_TRY(check_limits(gpu, whole_groups, err));
    evictor->n_groups = (uint32_t)whole_groups;
    MB_TRY(mb_buffer_init(&evictor->stream, gpu, MB_BUFFER_DEVICE,
                          whole_groups * MB_EVICTOR_GROUP_BYTES,
                          VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, "evict", err));
    MB_TRY(mb_buffer_init(&evictor->sums, gpu, MB_BUFFER_DEVICE,
                          whole_groups * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                          "evict: sums", err));
    MB_TRY(fill(evictor, err));
    MB_TRY(init_kernel(evictor, false, &evictor->compute, err));
    return MB_OK;
fail:
    mb_evictor_finish(evictor);
    return status;
}

void mb_evictor_finish(struct mb_evictor *evictor)
{
    mb_compute_finish(&evictor->compute);
    mb_buffer_finish(&evictor->sums);
    mb_buffer_finish(&evictor->stream);
    *evictor = (struct mb_evictor){0};
}

void mb_evictor_record(const struct mb_evictor *evictor, VkCommandBuffer cmd)
{
    dispatch(evictor, &evictor->compute, cmd);
}
