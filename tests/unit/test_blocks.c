/* The sampling loop on a sampler without a GPU: its own clock, its own failures. */
#include "bench/timing/blocks.h"

#include "check.h"

#define N_CANDIDATES 5
#define MAX_STARTS   4096

/* Remembers the order of starts, and fails where it is told to. */
struct fake {
    uint32_t started[MAX_STARTS];
    size_t n_started, n_collected, n_in_flight, most_in_flight;
    bool slot_is_used[MB_N_SLOTS];
    size_t slot_candidate[MB_N_SLOTS];
    bool was_wrong; /* a slot reused before it was collected, or collected for another */
    size_t fail_start_at, fail_collect_at; /* 1-based; 0: never */
    uint64_t now_ns, ns_per_sample;
    uint32_t stop_after_blocks; /* 0: never */
    uint32_t n_warmup_blocks;   /* after_block calls with 0 */
};

static struct mb_samples samples; /* of the last measure() */

static enum mb_status start(void *user, size_t candidate, uint32_t slot, struct mb_err *err)
{
    struct fake *fake = user;
    if (fake->n_started + 1 == fake->fail_start_at) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "start failed");
    }
    fake->was_wrong |= slot >= MB_N_SLOTS || fake->slot_is_used[slot];
    fake->slot_is_used[slot] = true;
    fake->slot_candidate[slot] = candidate;
    fake->started[fake->n_started++ % MAX_STARTS] = (uint32_t)candidate;
    fake->n_in_flight++;
    if (fake->n_in_flight > fake->most_in_flight) {
        fake->most_in_flight = fake->n_in_flight;
    }
    return MB_OK;
}

static enum mb_status collect(void *user, size_t candidate, uint32_t slot, double *duration_ns,
                              double *part_ns, struct mb_err *err)
{
    struct fake *fake = user;
    fake->was_wrong |= !fake->slot_is_used[slot] || fake->slot_candidate[slot] != candidate;
    fake->slot_is_used[slot] = false;
    fake->n_in_flight--;
    fake->n_collected++;
    fake->now_ns += fake->ns_per_sample;
    *duration_ns = (double)(1000 * (candidate + 1) + fake->n_collected);
    if (fake->n_collected == fake->fail_collect_at) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "collect failed");
    }
    return MB_OK;
}

static uint64_t now_ns(void *user)
{
    return ((struct fake *)user)->now_ns;
}

static bool after_block(void *user, uint32_t n_blocks)
{
    struct fake *fake = user;
    fake->n_warmup_blocks += n_blocks == 0;
    return fake->stop_after_blocks > 0 && n_blocks >= fake->stop_after_blocks;
}

static struct mb_sampler sampler_of(struct fake *fake)
{
    return (struct mb_sampler){
        .user = fake,
        .start = start,
        .collect = collect,
        .now_ns = now_ns,
        .after_block = after_block,
    };
}

static struct mb_measure_options plain_options(void)
{
    return (struct mb_measure_options){
        .n_candidates = N_CANDIDATES,
        .seed = 7,
        .min_blocks = 20,
        .max_blocks = 20,
        .budget_ns = UINT64_MAX,
    };
}

/* Sample, and hold what came of it in place of what was before. */
static void measure(struct fake *fake, const struct mb_measure_options *options)
{
    const struct mb_sampler sampler = sampler_of(fake);
    mb_samples_finish(&samples);
    CHECK_EQ_INT(mb_measure(&sampler, options, &samples, NULL), MB_OK);
}

/* Each block holds each candidate once, in an order of its own, and the samples lie where their
 * candidate is. */
static void test_blocks(void)
{
    struct fake fake = {.ns_per_sample = 1};
    struct mb_measure_options options = plain_options();
    measure(&fake, &options);
    CHECK_EQ_INT(samples.n_blocks, 20);
    CHECK_EQ_INT(samples.n_candidates, N_CANDIDATES);
    CHECK_EQ_INT(fake.n_started, 20 * N_CANDIDATES);
    CHECK_EQ_INT(fake.n_collected, 20 * N_CANDIDATES);
    CHECK_EQ_INT(fake.most_in_flight, MB_N_SLOTS);
    CHECK(!fake.was_wrong);
    unsigned n_same_order = 0;
    for (size_t block = 0; block < 20; block++) {
        unsigned seen = 0;
        for (size_t i = 0; i < N_CANDIDATES; i++) {
            seen |= 1u << fake.started[block * N_CANDIDATES + i];
            const double duration_ns = samples.duration_ns[block * N_CANDIDATES + i];
            CHECK_EQ_INT((int)(duration_ns / 1000), (int)i + 1);
        }
        CHECK_EQ_INT(seen, (1u << N_CANDIDATES) - 1);
        n_same_order += block > 0 && memcmp(&fake.started[block * N_CANDIDATES], fake.started,
                                            N_CANDIDATES * sizeof fake.started[0]) == 0;
    }
    CHECK(n_same_order < 5);
}

static void test_seed(void)
{
    struct fake a = {.ns_per_sample = 1}, b = a, c = a;
    struct mb_measure_options options = plain_options();
    measure(&a, &options);
    measure(&b, &options);
    options.seed = 8;
    measure(&c, &options);
    CHECK(memcmp(a.started, b.started, sizeof a.started) == 0);
    CHECK(memcmp(a.started, c.started, sizeof a.started) != 0);
}

/* After min_blocks the budget ends it; before, it does not. */
static void test_budget(void)
{
    struct fake fake = {.ns_per_sample = 1000};
    struct mb_measure_options options = plain_options();
    options.min_blocks = 3;
    options.max_blocks = 100;
    options.budget_ns = UINT64_C(10) * N_CANDIDATES * 1000;
    measure(&fake, &options);
    CHECK(samples.n_blocks >= 10 && samples.n_blocks <= 11);

    fake = (struct fake){.ns_per_sample = 1000};
    options.budget_ns = 0;
    measure(&fake, &options);
    CHECK_EQ_INT(samples.n_blocks, 3);
}

/* Warm-up runs at least so many blocks and so long, and is not kept. */
static void test_warm_up(void)
{
    struct fake fake = {.ns_per_sample = 1000};
    struct mb_measure_options options = plain_options();
    options.min_warmup_blocks = 4;
    measure(&fake, &options);
    CHECK_EQ_INT(fake.n_started, (20 + 4) * N_CANDIDATES);
    CHECK_EQ_INT(samples.n_blocks, 20);
    for (size_t i = 0; i < N_CANDIDATES; i++) {
        /* The first kept samples come after those of the warm-up. */
        CHECK(samples.duration_ns[i] > (double)(1000 * (i + 1) + 4 * N_CANDIDATES));
    }

    fake = (struct fake){.ns_per_sample = 1000};
    options.min_warmup_blocks = 0;
    options.min_warmup_ns = UINT64_C(7) * N_CANDIDATES * 1000;
    measure(&fake, &options);
    CHECK(fake.n_started >= (20 + 7) * N_CANDIDATES &&
          fake.n_started <= (20 + 8) * N_CANDIDATES);
}

/* The user's stop keeps whole blocks, with every sample in flight brought in. */
static void test_stop(void)
{
    struct fake fake = {.ns_per_sample = 1, .stop_after_blocks = 6};
    struct mb_measure_options options = plain_options();
    measure(&fake, &options);
    CHECK_EQ_INT(samples.n_blocks, 6);
    CHECK_EQ_INT(fake.n_in_flight, 0);
    for (size_t i = 0; i < 6 * N_CANDIDATES; i++) {
        CHECK(samples.duration_ns[i] > 0.0);
    }
}

/* A failure of either call comes back with its text; nothing stays in flight, nothing is kept.
 */
static void test_failures(void)
{
    struct mb_measure_options options = plain_options();
    for (size_t nth = 1; nth <= 12; nth++) {
        struct fake fake = {.ns_per_sample = 1, .fail_start_at = nth};
        struct mb_samples none;
        struct mb_err err = {0};
        struct mb_sampler sampler = sampler_of(&fake);
        CHECK_EQ_INT(mb_measure(&sampler, &options, &none, &err), MB_FAILED);
        CHECK_EQ_STR(err.text, "start failed");
        CHECK_EQ_INT(fake.n_in_flight, 0);
        CHECK(none.duration_ns == NULL);

        fake = (struct fake){.ns_per_sample = 1, .fail_collect_at = nth};
        err = (struct mb_err){0};
        CHECK_EQ_INT(mb_measure(&sampler, &options, &none, &err), MB_FAILED);
        CHECK_EQ_STR(err.text, "collect failed");
        CHECK_EQ_INT(fake.n_in_flight, 0);
        CHECK(none.duration_ns == NULL);
    }
}

/* One candidate alone still has two samples in flight. */
static void test_single(void)
{
    struct fake fake = {.ns_per_sample = 1};
    struct mb_measure_options options = plain_options();
    options.n_candidates = 1;
    measure(&fake, &options);
    CHECK_EQ_INT(samples.n_blocks, 20);
    CHECK_EQ_INT(fake.most_in_flight, MB_N_SLOTS);
    CHECK(!fake.was_wrong);
}

static void forget_samples(void)
{
    mb_samples_finish(&samples);
}

int main(void)
{
    return CHECK_TESTS(test_blocks, test_seed, test_budget, test_warm_up, test_stop,
                       test_failures, test_single, forget_samples);
}
