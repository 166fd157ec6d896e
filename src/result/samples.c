/* Raw samples. */
#include "result/samples.h"

#include "base/alloc.h"

void mb_samples_column(const struct mb_samples *samples, size_t candidate, double *out)
{
    for (uint32_t block = 0; block < samples->n_blocks; block++) {
        if (samples->block[block].is_kept) {
            *out++ = samples->duration_ns[block * samples->n_candidates + candidate];
        }
    }
}

void mb_samples_finish(struct mb_samples *samples)
{
    mb_free(samples->block);
    mb_free(samples->duration_ns);
    mb_free(samples->part_ns);
    mb_free(samples->position);
    mb_free(samples->n_verified);
    *samples = (struct mb_samples){0};
}

const char *const mb_stop_names[] = {
    [MB_STOP_NOISE] = "noise",
    [MB_STOP_BLOCKS] = "blocks",
    [MB_STOP_BUDGET] = "budget",
    [MB_STOP_INTERRUPTED] = "interrupted",
};
