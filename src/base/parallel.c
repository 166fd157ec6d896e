/* Fork and join over row ranges with POSIX threads. No pool: a call lasts milliseconds, a
 * thread starts in microseconds, and nothing is left behind between calls. */
#include "base/parallel.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/os.h"

#define THREAD_TEXELS (1u << 15) /* per thread: several times its start-up time */

struct worker {
    pthread_t thread;
    bool is_started;
    uint32_t index, row_begin, row_end;
    void (*fn)(void *ctx, uint32_t worker, uint32_t row_begin, uint32_t row_end);
    void *ctx;
};

static uint32_t worker_count(uint32_t n_rows, uint32_t width)
{
    const uint32_t n_useful = n_rows / (1 + THREAD_TEXELS / width);
    uint32_t n = mb_os_processors();
    n = n < MB_PARALLEL_MAX_WORKERS ? n : MB_PARALLEL_MAX_WORKERS;
    n = n < n_useful ? n : n_useful;
    return n == 0 ? 1 : n;
}

static void *worker_main(void *arg)
{
    const struct worker *worker = arg;
    worker->fn(worker->ctx, worker->index, worker->row_begin, worker->row_end);
    return NULL;
}

uint32_t mb_parallel_rows(uint32_t n_rows, uint32_t width,
                          void (*fn)(void *ctx, uint32_t worker, uint32_t row_begin,
                                     uint32_t row_end),
                          void *ctx)
{
    struct worker workers[MB_PARALLEL_MAX_WORKERS];
    const uint32_t n_workers = worker_count(n_rows, width);

    for (uint32_t i = 0; i < n_workers; i++) {
        workers[i] = (struct worker){
            .index = i,
            .row_begin = (uint32_t)((uint64_t)n_rows * i / n_workers),
            .row_end = (uint32_t)((uint64_t)n_rows * (i + 1) / n_workers),
            .fn = fn,
            .ctx = ctx,
        };
    }
    for (uint32_t i = 1; i < n_workers; i++) {
        workers[i].is_started =
            pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]) == 0;
    }
    for (uint32_t i = 0; i < n_workers; i++) {
        if (!workers[i].is_started) {
            worker_main(&workers[i]);
        }
    }
    for (uint32_t i = 1; i < n_workers; i++) {
        if (workers[i].is_started) {
            pthread_join(workers[i].thread, NULL);
        }
    }
    return n_workers;
}
