/* Eviction by streaming; shaders/evict.comp. */
#include "bench/timing/evict.h"

#include "base/figure.h"
#include "vk/barrier.h"
#include "vk/submit.h"

#define WORKGROUP_SIZE 256u

extern const struct mb_shader mb_spv_evict;

static enum mb_status init_kernel(const struct mb_evictor *evictor, bool is_fill,
                                  struct mb_pipeline *compute, struct mb_err *err)
{
    const struct mb_constant constants[] = {{"gl_WorkGroupSize.x", WORKGROUP_SIZE},
                                            {"IS_FILL", is_fill}};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_evict,
        .constants = constants,
        .n_constants = MB_COUNTOF(constants),
        .push_constant_bytes = sizeof evictor->n_groups,
        .n_copies = 1,
        .name = is_fill ? "evict: fill" : "evict",
    };
    const struct mb_descriptor descriptors[] = {
        {.binding = 0, .buffer = &evictor->stream},
        {.binding = 1, .buffer = &evictor->sums},
    };
    MB_DO(mb_pipeline_init(compute, evictor->gpu, &options, err));
    mb_pipeline_bind(compute, 0, descriptors, MB_COUNTOF(descriptors));
    return MB_OK;
}

static void dispatch(const struct mb_evictor *evictor, const struct mb_pipeline *compute,
                     VkCommandBuffer cmd)
{
    mb_pipeline_dispatch_rows(compute, cmd, 0, &evictor->n_groups, evictor->n_groups);
}

/* Fill the stream with noise, by the same grid. */
static enum mb_status fill(const struct mb_evictor *evictor, struct mb_err *err)
{
    MB_SCOPED(mb_pipeline) compute = {0};
    MB_SCOPED(mb_submission) submission = {0};
    MB_DO(init_kernel(evictor, true, &compute, err));
    MB_DO(mb_submission_init(&submission, evictor->gpu, "evict: fill", err));
    dispatch(evictor, &compute, submission.cmd);
    mb_barrier_full(submission.cmd);
    return mb_submission_run(&submission, err);
}

/* Too little memory for the stream means UNSUPPORTED; any later failure is an error. */
static enum mb_status init_buffers(struct mb_evictor *evictor, uint64_t n_bytes,
                                   struct mb_err *err)
{
    enum mb_status status;
    MB_TRY(mb_buffer_init(&evictor->stream, evictor->gpu, MB_BUFFER_DEVICE, n_bytes, "evict",
                          err));
    MB_TRY(mb_buffer_init(&evictor->sums, evictor->gpu, MB_BUFFER_DEVICE,
                          evictor->n_groups * sizeof(uint32_t), "evict: sums", err));
    return MB_OK;
fail:
    return err->vk_result == VK_ERROR_OUT_OF_DEVICE_MEMORY
               ? MB_FAIL(err, MB_ERRC_UNSUPPORTED, "cannot sweep the cache: no memory for %s",
                         mb_bytes_text(n_bytes).s)
               : status;
}

enum mb_status mb_evictor_init(struct mb_evictor *evictor, const struct mb_gpu *gpu,
                               uint64_t n_bytes, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_gpu_info *info = &gpu->info;
    const uint64_t max_bytes = info->limits.maxStorageBufferRange < info->max_allocation_bytes
                                   ? info->limits.maxStorageBufferRange
                                   : info->max_allocation_bytes;
    *evictor = (struct mb_evictor){.gpu = gpu};
    n_bytes = n_bytes > 0 ? n_bytes : 1;
    const uint64_t n_groups = n_bytes / MB_EVICTOR_GROUP_BYTES +
                              (n_bytes % MB_EVICTOR_GROUP_BYTES > 0); /* counted in 32 bits */
    if (n_groups > max_bytes / MB_EVICTOR_GROUP_BYTES || n_groups > UINT32_MAX) {
        status =
            MB_FAIL(err, MB_ERRC_UNSUPPORTED,
                    "cannot sweep the cache: needs a buffer of %s, the device's limit is %s",
                    mb_bytes_text(n_bytes).s, mb_bytes_text(max_bytes).s);
        goto fail;
    }
    evictor->n_groups = (uint32_t)n_groups;
    MB_TRY(mb_gpu_require_workgroup(gpu, WORKGROUP_SIZE, err));
    MB_TRY(init_buffers(evictor, n_groups * MB_EVICTOR_GROUP_BYTES, err));
    MB_TRY(fill(evictor, err));
    MB_TRY(init_kernel(evictor, false, &evictor->compute, err));
    return MB_OK;
fail:
    mb_evictor_finish(evictor);
    return status;
}

void mb_evictor_finish(struct mb_evictor *evictor)
{
    mb_pipeline_finish(&evictor->compute);
    mb_buffer_finish(&evictor->sums);
    mb_buffer_finish(&evictor->stream);
    *evictor = (struct mb_evictor){0};
}

void mb_evictor_record(const struct mb_evictor *evictor, VkCommandBuffer cmd)
{
    dispatch(evictor, &evictor->compute, cmd);
}
