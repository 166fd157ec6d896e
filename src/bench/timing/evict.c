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
        .push_constant_bytes = sizeof evictor->reach[0].n_groups,
        .n_copies = evictor->n_reaches,
        .name = is_fill ? "evict: fill" : "evict",
    };
    MB_DO(mb_pipeline_init(compute, evictor->gpu, &options, err));
    for (uint32_t i = 0; i < evictor->n_reaches; i++) {
        const struct mb_descriptor descriptors[] = {
            {.binding = 0, .buffer = &evictor->reach[i].stream},
            {.binding = 1, .buffer = &evictor->reach[i].sums},
        };
        mb_pipeline_bind(compute, i, descriptors, MB_COUNTOF(descriptors));
    }
    return MB_OK;
}

/* Dispatches of one pass touch nothing in common: no barriers between them. */
static void dispatch(const struct mb_evictor *evictor, const struct mb_pipeline *compute,
                     VkCommandBuffer cmd)
{
    for (uint32_t i = 0; i < evictor->n_reaches; i++) {
        const uint32_t n_groups = evictor->reach[i].n_groups;
        mb_pipeline_dispatch_rows(compute, cmd, i, &n_groups, n_groups);
    }
}

/* Noise, by the same grid. */
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

static enum mb_status init_reach(struct mb_evictor *evictor, uint64_t n_groups,
                                 struct mb_err *err)
{
    enum mb_status status;
    struct mb_evictor_reach *reach = &evictor->reach[evictor->n_reaches++];
    reach->n_groups = (uint32_t)n_groups;
    MB_TRY(mb_buffer_init(&reach->stream, evictor->gpu, MB_BUFFER_DEVICE,
                          n_groups * MB_EVICTOR_GROUP_BYTES, "evict", err));
    MB_TRY(mb_buffer_init(&reach->sums, evictor->gpu, MB_BUFFER_DEVICE,
                          n_groups * sizeof(uint32_t), "evict: sums", err));
    return MB_OK;
fail:
    /* Without room for what streams there is no eviction; what fails later is an error. */
    return err->vk_result == VK_ERROR_OUT_OF_DEVICE_MEMORY
               ? MB_FAIL(err, MB_ERRC_UNSUPPORTED, "eviction: no memory for %s",
                         mb_bytes_text(n_groups * MB_EVICTOR_GROUP_BYTES).s)
               : status;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

enum mb_status mb_evictor_init(struct mb_evictor *evictor, const struct mb_gpu *gpu,
                               uint64_t n_bytes, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const uint64_t max_bytes =
        least_of(gpu->info.max_storage_buffer_bytes, gpu->info.max_allocation_bytes);
    /* The kernel counts groups in 32 bits. */
    const uint64_t max_groups = least_of(max_bytes / MB_EVICTOR_GROUP_BYTES, UINT32_MAX);
    uint64_t n_left = n_bytes / MB_EVICTOR_GROUP_BYTES +
                      (n_bytes % MB_EVICTOR_GROUP_BYTES > 0 || n_bytes == 0);
    *evictor = (struct mb_evictor){.gpu = gpu};
    if (n_left > max_groups * MB_EVICTOR_MAX_REACHES) {
        status = MB_FAIL(err, MB_ERRC_UNSUPPORTED,
                         "eviction: %s in %u buffers, the device's limit of each is %s",
                         mb_bytes_text(n_left * MB_EVICTOR_GROUP_BYTES).s,
                         MB_EVICTOR_MAX_REACHES, mb_bytes_text(max_bytes).s);
        goto fail;
    }
    MB_TRY(mb_gpu_require_workgroup(gpu, WORKGROUP_SIZE, err));
    while (n_left > 0) {
        const uint64_t n_groups = least_of(n_left, max_groups);
        MB_TRY(init_reach(evictor, n_groups, err));
        n_left -= n_groups;
    }
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
    for (uint32_t i = 0; i < evictor->n_reaches; i++) {
        mb_buffer_finish(&evictor->reach[i].sums);
        mb_buffer_finish(&evictor->reach[i].stream);
    }
    *evictor = (struct mb_evictor){0};
}

void mb_evictor_record(const struct mb_evictor *evictor, VkCommandBuffer cmd)
{
    dispatch(evictor, &evictor->compute, cmd);
}
