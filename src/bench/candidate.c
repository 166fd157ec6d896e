/* A variant on the image of a case. */
#include "bench/candidate.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"

enum mb_status mb_candidate_init(struct mb_candidate *candidate,
                                 const struct mb_vk_image *image, const struct mb_task *task,
                                 struct mb_err *err)
{
    const struct mb_variant *row = candidate->row;
    MB_DO(mb_instance_supports(image, row, task, err));
    candidate->instances = mb_alloc(1, sizeof *candidate->instances);
    MB_DO(MB_NEED(candidate->instances, "strategy"));
    candidate->n_instances = 1;
    MB_DO(mb_instance_init(candidate->instances, image, row, task, NULL, err));
    MB_DO(mb_instance_record(candidate->instances, err));
    if (task->is_update) {
        struct mb_task whole = *task;
        whole.rect = mb_rect_whole(image->layout.base);
        MB_DO(mb_instance_init(&candidate->whole, image, row, &whole, NULL, err));
        MB_DO(mb_instance_record(&candidate->whole, err));
    }
    return MB_OK;
}

enum mb_status mb_candidate_rotate(struct mb_candidate *candidate,
                                   const struct mb_vk_image *copies, uint32_t n,
                                   const struct mb_task *task, struct mb_err *err)
{
    struct mb_instance *instances =
        mb_realloc(candidate->instances, (1 + n) * sizeof *instances);
    MB_DO(MB_NEED(instances, "timing"));
    candidate->instances = instances;
    for (uint32_t i = 0; i < n; i++) {
        MB_DO(mb_instance_init(&instances[1 + i], &copies[i], candidate->row, task, NULL, err));
        candidate->n_instances++;
    }
    return MB_OK;
}

void mb_candidate_end_timing(struct mb_candidate *candidate)
{
    for (uint32_t i = 0; i < candidate->n_recorded; i++) {
        mb_recorded_sample_finish(&candidate->recorded[i]);
    }
    mb_free(candidate->recorded);
    candidate->recorded = NULL;
    candidate->n_recorded = candidate->n_taken = candidate->n_dropped = 0;
    candidate->is_given_up = false;
    while (candidate->n_instances > 1) {
        mb_instance_finish(&candidate->instances[--candidate->n_instances]);
    }
}

void mb_candidate_finish(struct mb_candidate *candidate)
{
    mb_candidate_end_timing(candidate);
    if (candidate->n_instances > 0) {
        mb_instance_finish(candidate->instances);
    }
    mb_instance_finish(&candidate->whole);
    mb_free(candidate->instances);
    *candidate = (struct mb_candidate){0};
}

void mb_candidate_fail(struct mb_candidate *candidate, bool is_wrong, const char *format, ...)
{
    struct mb_result *result = candidate->result;
    const bool is_told =
        is_wrong ? result->verify == MB_VERIFY_FAIL : result->status == MB_RESULT_FAILED;
    va_list args;
    va_start(args, format);
    if (!is_told) {
        vsnprintf(result->reason, sizeof result->reason, format, args);
    }
    va_end(args);
    result->status = MB_RESULT_FAILED;
    if (is_wrong) {
        result->verify = MB_VERIFY_FAIL;
        result->verdict.pass = false;
    }
}
