/* The sampling loop. */
#include "bench/measure.h"

#include "base/alloc.h"
#include "base/rng.h"

/* A sample that was started and not yet collected. */
struct in_flight {
    bool is_used;
    size_t candidate;
    double *destination; /* NULL: warm-up, thrown away */
};

struct loop {
    const struct mb_sampler *sampler;
    struct mb_rng rng;
    uint32_t *order; /* of the candidates in this block */
    size_t n_candidates;
    struct in_flight slot[MB_N_SLOTS];
    uint32_t next_slot;
};

static enum mb_status collect_slot(struct loop *loop, uint32_t slot, struct mb_err *err)
{
    struct in_flight *sample = &loop->slot[slot];
    if (!sample->is_used) {
        return MB_OK;
    }
    double duration_ns = 0.0;
    sample->is_used = false;
    enum mb_status status =
        loop->sampler->collect(loop->sampler->user, sample->candidate, slot, &duration_ns, err);
    if (status == MB_OK && sample->destination) {
        *sample->destination = duration_ns;
    }
    return status;
}

/* Collect everything in flight, oldest first, and return the first failure. */
static enum mb_status drain(struct loop *loop, struct mb_err *err)
{
    enum mb_status first = MB_OK;
    for (uint32_t i = 0; i < MB_N_SLOTS; i++) {
        struct mb_err later;
        enum mb_status status = collect_slot(loop, (loop->next_slot + i) % MB_N_SLOTS,
                                             first == MB_OK ? err : &later);
        first = first == MB_OK ? status : first;
    }
    return first;
}

static enum mb_status run_block(struct loop *loop, double *destination, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    mb_rng_shuffle(&loop->rng, loop->order, loop->n_candidates);
    for (size_t i = 0; i < loop->n_candidates; i++) {
        size_t candidate = loop->order[i];
        uint32_t slot = loop->next_slot;
        MB_TRY(collect_slot(loop, slot, err));
        MB_TRY(loop->sampler->start(loop->sampler->user, candidate, slot, err));
        loop->slot[slot] = (struct in_flight){
            .is_used = true,
            .candidate = candidate,
            .destination = destination ? &destination[candidate] : NULL,
        };
        loop->next_slot = (slot + 1) % MB_N_SLOTS;
    }
fail:
    return status;
}

static enum mb_status warm_up(struct loop *loop, const struct mb_measure_options *options,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_sampler *sampler = loop->sampler;
    uint64_t start_ns = sampler->now_ns(sampler->user);
    for (uint32_t block = 0; block < options->min_warmup_blocks ||
                             sampler->now_ns(sampler->user) - start_ns < options->min_warmup_ns;
         block++) {
        MB_TRY(run_block(loop, NULL, err));
        if (sampler->after_block(sampler->user, 0)) {
            break;
        }
    }
fail:
    return status;
}

/* A block whose last samples are still in flight counts as whole: drain() brings them in. */
static enum mb_status sample_blocks(struct loop *loop, const struct mb_measure_options *options,
                                    struct mb_samples *samples, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_sampler *sampler = loop->sampler;
    uint64_t start_ns = sampler->now_ns(sampler->user);
    while (samples->n_blocks < options->max_blocks) {
        double *row = samples->duration_ns + samples->n_blocks * options->n_candidates;
        MB_TRY(run_block(loop, row, err));
        samples->n_blocks++;
        bool over = sampler->now_ns(sampler->user) - start_ns >= options->budget_ns;
        if (sampler->after_block(sampler->user, samples->n_blocks) ||
            (over && samples->n_blocks >= options->min_blocks)) {
            break;
        }
    }
fail:
    return status;
}

enum mb_status mb_measure(const struct mb_sampler *sampler,
                          const struct mb_measure_options *options, struct mb_samples *samples,
                          struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct loop loop = {.sampler = sampler, .n_candidates = options->n_candidates};
    *samples = (struct mb_samples){.n_candidates = options->n_candidates};
    mb_rng_init(&loop.rng, options->seed);
    loop.order = mb_alloc(options->n_candidates, sizeof *loop.order);
    samples->duration_ns = mb_alloc((size_t)options->max_blocks * options->n_candidates,
                                    sizeof *samples->duration_ns);
    if (!loop.order || !samples->duration_ns) {
        status = MB_FAIL(err, MB_ERRC_RUNTIME, "samples: out of memory");
        goto fail;
    }
    for (uint32_t i = 0; i < options->n_candidates; i++) {
        loop.order[i] = i;
    }
    status = warm_up(&loop, options, err);
    if (status == MB_OK && !sampler->after_block(sampler->user, 0)) {
        status = sample_blocks(&loop, options, samples, err);
    }
    struct mb_err later;
    enum mb_status drained = drain(&loop, status == MB_OK ? err : &later);
    status = status == MB_OK ? drained : status;
fail:
    mb_free(loop.order);
    if (status != MB_OK) {
        mb_samples_finish(samples);
    }
    return status;
}

void mb_samples_finish(struct mb_samples *samples)
{
    mb_free(samples->duration_ns);
    *samples = (struct mb_samples){0};
}
