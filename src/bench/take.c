/* What one sample submits. */
#include "bench/take.h"

#include "bench/evict.h"
#include "bench/hook.h"
#include "vk/barrier.h"

static void record_chain(const struct mb_take_options *options, uint32_t index,
                         VkCommandBuffer cmd)
{
    const struct mb_trial *trial = &options->trials[index % options->n_trials];
    if (options->null_pipeline) {
        mb_hook_record_null(trial->strategy, trial->state, options->null_pipeline, cmd);
    } else {
        trial->strategy->record(trial->state, cmd);
    }
}

static void record_chains(const struct mb_take_options *options, uint32_t first_trial,
                          uint32_t n_chains, bool is_overlapped, VkCommandBuffer cmd)
{
    for (uint32_t i = 0; i < n_chains; i++) {
        if (i > 0 && !is_overlapped) {
            mb_barrier_full(cmd);
        }
        record_chain(options, first_trial + i, cmd);
    }
}

static void record_part(const struct mb_take_options *options, uint32_t part,
                        uint32_t first_trial, VkCommandBuffer cmd)
{
    uint32_t pair = options->first_pair + part;
    if (options->evictor) {
        mb_evictor_record(options->evictor, cmd);
        mb_barrier_full(cmd);
    }
    if (options->warms_code) {
        record_chain(options, first_trial + options->n_trials / 2, cmd);
        mb_barrier_full(cmd);
    }
    record_chains(options, first_trial, options->n_lead, false, cmd);
    mb_timer_begin(options->timer, cmd, pair);
    record_chains(options, first_trial + options->n_lead, options->n_chains[part],
                  options->is_overlapped, cmd);
    mb_timer_end(options->timer, cmd, pair);
}

enum mb_status mb_take_init(struct mb_take *take, const struct mb_take_options *options,
                            struct mb_err *err)
{
    enum mb_status status = MB_OK;
    uint32_t trial = options->first_trial; /* the images of further parts go on from there */
    *take = (struct mb_take){.first_pair = options->first_pair, .n_parts = options->n_parts};
    MB_TRY(mb_submission_init(&take->submission, options->gpu, options->name, err));
    MB_TRY(mb_submission_begin(&take->submission, 0, err));
    for (uint32_t part = 0; part < options->n_parts; part++) {
        take->n_chains[part] = options->n_chains[part];
        record_part(options, part, trial, take->submission.cmd);
        trial = (trial + options->n_lead + options->n_chains[part]) % options->n_trials;
    }
    MB_TRY(mb_submission_end(&take->submission, err));
    return MB_OK;
fail:
    mb_take_finish(take);
    return status;
}

void mb_take_finish(struct mb_take *take)
{
    mb_submission_finish(&take->submission);
    *take = (struct mb_take){0};
}

enum mb_status mb_take_collect(struct mb_take *take, const struct mb_timer *timer,
                               double *part_ns, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(mb_submission_wait(&take->submission, err));
    for (uint32_t part = 0; part < take->n_parts; part++) {
        MB_TRY(mb_timer_read_ns(timer, take->first_pair + part, &part_ns[part], err));
    }
fail:
    return status;
}
