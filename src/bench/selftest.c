/* The instrument tests itself. */
#include "bench/selftest.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/stats.h"
#include "result/relate.h"

#define MIN_BLOCKS     40u
#define MAX_BLOCKS     640u
#define MAX_NOISE      0.002
#define LAUNCHES       20.0    /* a chain takes this many launches: those are not planted */
#define MAX_STEPS      60000.0 /* llvmpipe leaves loops after 65535 turns */
#define SLACK          0.015   /* of the planted ratio, to both sides */
#define HOLD_LEVEL     0.999   /* one of 95 % leaves 1 out in every twentieth honest run */
#define GPU_EMPTY_NS   20e3    /* an empty pair above this is too coarse for microseconds */
#define CPU_EMPTY_NS   5e6
#define MAX_GRANULE_NS 1e6

/* `hold` is the interval of the ratio at HOLD_LEVEL. */
static enum mb_status relate(const struct mb_samples *samples, enum mb_plant plant,
                             struct mb_relation *relation, double hold[2], struct mb_err *err)
{
    enum mb_status status = MB_OK;
    const struct mb_bootstrap by_default = {.seed = 1};
    const struct mb_bootstrap wide = {.seed = 1, .level = HOLD_LEVEL};
    struct mb_estimate held;
    const uint32_t n = samples->n_kept;
    double *ratios = mb_alloc(2 * (size_t)n + 1, sizeof *ratios);
    if (!ratios) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "self-test: out of memory");
    }
    mb_samples_column(samples, MB_PLANT_BASE, ratios + n);
    mb_samples_column(samples, plant, ratios);
    for (uint32_t i = 0; i < n; i++) {
        ratios[i] = log(ratios[i] / ratios[n + i]);
    }
    const struct mb_series series = {.values = ratios, .n = n};
    MB_TRY(mb_bootstrap_runs(&(struct mb_runs){&series, 1}, &wide, &held, err));
    hold[0] = exp(held.ci[0]);
    hold[1] = exp(held.ci[1]);
    MB_TRY(mb_relate_logs(ratios, n, &by_default, relation, err));
    relation->outcome = mb_outcome(relation->ci, relation->p, MB_MARGIN, MB_MARGIN);
fail:
    mb_free(ratios);
    return status;
}

static void check_ratio(struct mb_check *check, const char *name,
                        const struct mb_relation *relation, bool passed, const char *wanted)
{
    *check = (struct mb_check){.name = name, .passed = passed};
    snprintf(check->text, sizeof check->text, "ratio %.4f, %.4f to %.4f, %s; wanted: %s",
             relation->ratio, relation->ci[0], relation->ci[1],
             mb_outcome_name(relation->outcome), wanted);
}

static void check_marks(struct mb_check *checks, const struct mb_timer_marks *marks,
                        bool has_clock)
{
    const double empty_limit_ns = has_clock ? GPU_EMPTY_NS : CPU_EMPTY_NS;
    checks[MB_CHECK_GRANULARITY] = (struct mb_check){
        .name = "granularity",
        .passed = marks->granularity_gcd_ns > 0.0 && marks->granularity_ns < MAX_GRANULE_NS,
    };
    snprintf(checks[MB_CHECK_GRANULARITY].text, sizeof checks[MB_CHECK_GRANULARITY].text,
             "%.4g ns; neighbouring stamps %.4g ns apart", marks->granularity_gcd_ns,
             marks->granularity_ns);
    checks[MB_CHECK_EMPTY_PAIR] = (struct mb_check){
        .name = "empty pair",
        .passed = marks->empty_pair_ns >= 0.0 && marks->empty_pair_ns < empty_limit_ns,
    };
    snprintf(checks[MB_CHECK_EMPTY_PAIR].text, sizeof checks[MB_CHECK_EMPTY_PAIR].text,
             "%.4g ns; wanted: below %.4g", marks->empty_pair_ns, empty_limit_ns);
}

/* Relative to what the base takes, a granule: times are no better known. */
static enum mb_status find_granule(const struct mb_samples *samples,
                                   const struct mb_timer_marks *marks, double *granule,
                                   struct mb_err *err)
{
    double *base_ns = mb_alloc((size_t)samples->n_kept + 1, sizeof *base_ns);
    if (!base_ns) {
        return MB_FAIL(err, MB_ERRC_RUNTIME, "self-test: out of memory");
    }
    mb_samples_column(samples, MB_PLANT_BASE, base_ns);
    *granule = marks->granularity_gcd_ns / mb_median(base_ns, samples->n_kept);
    mb_free(base_ns);
    return MB_OK;
}

/* The same work under two names: no difference, and no doubt about it. */
static void check_twin(struct mb_check *check, const struct mb_relation *twin,
                       const double hold[2], double granule)
{
    const bool holds = hold[0] - granule <= 1.0 && 1.0 <= hold[1] + granule;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "SAME, and 1 within %.4f to %.4f (%g %%)", hold[0], hold[1],
             100.0 * HOLD_LEVEL);
    check_ratio(check, "A/A twin", twin, twin->outcome == MB_OUTCOME_SAME && holds, wanted);
}

static void check_planted(struct mb_check *check, const struct mb_relation *five)
{
    const double low = 1.0 + MB_PLANTED - SLACK, high = 1.0 + MB_PLANTED + SLACK;
    char wanted[64];
    snprintf(wanted, sizeof wanted, "SLOWER, %.3f to %.3f", low, high);
    check_ratio(check, "planted 5 %", five,
                five->outcome == MB_OUTCOME_SLOWER && low <= five->ratio && five->ratio <= high,
                wanted);
}

enum mb_status mb_selftest_judge(const struct mb_samples *samples,
                                 const struct mb_timer_marks *marks, bool has_clock,
                                 struct mb_selftest *selftest, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_relation twin, zero, five;
    double twin_hold[2], hold[2];
    double granule = 0.0;
    MB_TRY(relate(samples, MB_PLANT_TWIN, &twin, twin_hold, err));
    MB_TRY(relate(samples, MB_PLANT_ZERO, &zero, hold, err));
    MB_TRY(relate(samples, MB_PLANT_FIVE, &five, hold, err));
    MB_TRY(find_granule(samples, marks, &granule, err));
    check_marks(selftest->check, marks, has_clock);
    check_twin(&selftest->check[MB_CHECK_TWIN], &twin, twin_hold, granule);
    check_ratio(&selftest->check[MB_CHECK_ZERO], "planted 0 %", &zero,
                zero.outcome == MB_OUTCOME_SAME, "SAME");
    check_planted(&selftest->check[MB_CHECK_FIVE], &five);
    selftest->passed = true;
    for (int i = 0; i < MB_N_CHECKS; i++) {
        selftest->passed = selftest->passed && selftest->check[i].passed;
    }
fail:
    return status;
}

const char *mb_selftest_advice(const struct mb_selftest *selftest, bool is_cpu)
{
    if (!selftest->check[MB_CHECK_GRANULARITY].passed) {
        return "its timestamps are too coarse for a calibration; choose another device "
               "(--device)";
    }
    return is_cpu
               ? "other programs may have kept the CPU busy, on which this device runs: stop "
                 "them and try again; trust no time from here until it passes"
               : "other programs may have used the GPU, or its clock moved: stop them and try "
                 "again; trust no time from here until it passes";
}

/* One chain per plant and slot; the twin is the base. */
struct plants {
    struct mb_probe probe[MB_N_PLANTS][MB_N_SLOTS];
    struct mb_probe *clock; /* or NULL */
};

static struct mb_probe *probe_of(struct plants *plants, size_t plant, uint32_t slot)
{
    return &plants->probe[plant == MB_PLANT_TWIN ? MB_PLANT_BASE : plant][slot];
}

static enum mb_status start(void *user, size_t plant, uint32_t slot, struct mb_err *err)
{
    return mb_submission_submit(&probe_of(user, plant, slot)->submission, err);
}

static enum mb_status collect(void *user, size_t plant, uint32_t slot, double *duration_ns,
                              double *part_ns, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_probe *probe = probe_of(user, plant, slot);
    (void)part_ns;
    MB_TRY(mb_submission_wait(&probe->submission, err));
    MB_TRY(mb_timer_read_ns(&probe->timer, 0, duration_ns, err));
fail:
    return status;
}

static enum mb_status run_clock(void *user, double *duration_ns, struct mb_err *err)
{
    return mb_probe_run(((struct plants *)user)->clock, duration_ns, err);
}

static enum mb_status init_plants(struct plants *plants, const struct mb_gpu *gpu,
                                  struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_probe *base = &plants->probe[MB_PLANT_BASE][0];
    MB_TRY(mb_probe_init(base, gpu, err));
    const double per_step_ns = MB_PROBE_NS / (double)base->n_steps;
    const double chain_ns = fmax(MB_PROBE_NS, LAUNCHES * base->launch_ns);
    const uint32_t n_steps = (uint32_t)fmin(chain_ns / per_step_ns, MAX_STEPS);
    for (int plant = 0; plant < MB_N_PLANTS; plant++) {
        const double length = plant == MB_PLANT_FIVE ? 1.0 + MB_PLANTED : 1.0;
        for (uint32_t slot = 0; slot < MB_N_SLOTS && plant != MB_PLANT_TWIN; slot++) {
            struct mb_probe *probe = &plants->probe[plant][slot];
            if (probe != base) {
                MB_TRY(mb_probe_init(probe, gpu, err));
            }
            MB_TRY(mb_probe_set_steps(probe, (uint32_t)(n_steps * length), err));
        }
    }
fail:
    return status;
}

enum mb_status mb_selftest_run(const struct mb_gpu *gpu, const struct mb_settings *settings,
                               struct mb_selftest *selftest, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct plants plants = {.clock = NULL};
    struct mb_calibration calibration = {0};
    struct mb_samples samples = {0};
    struct mb_settings brief = *settings;
    brief.roofline = false;
    *selftest = (struct mb_selftest){.passed = false};
    MB_TRY(mb_timer_check(gpu->info.timestamp_valid_bits, gpu->info.timestamp_period_ns,
                          gpu->info.name, err));
    MB_TRY(mb_calibration_init(&calibration, gpu, &brief, NULL, err));
    MB_TRY(init_plants(&plants, gpu, err));
    plants.clock = calibration.has_probe ? &calibration.probe : NULL;
    const struct mb_sampler sampler = {
        .user = &plants,
        .start = start,
        .collect = collect,
        .probe = plants.clock ? run_clock : NULL,
    };
    const struct mb_measure_options options = {
        .n_candidates = MB_N_PLANTS,
        .n_judged = MB_N_PLANTS,
        .seed = settings->seed,
        .min_warmup_blocks = 3,
        .max_warmup_ns = UINT64_C(5000000000),
        .min_blocks = MIN_BLOCKS,
        .max_blocks = MAX_BLOCKS,
        .budget_ns = UINT64_C(8000000000),
        .max_noise = MAX_NOISE,
        .granularity_ns = calibration.marks.granularity_gcd_ns,
    };
    MB_TRY(mb_measure(&sampler, &options, &samples, err));
    MB_TRY(
        mb_selftest_judge(&samples, &calibration.marks, calibration.has_probe, selftest, err));
fail:
    mb_samples_finish(&samples);
    for (int i = 0; i < MB_N_PLANTS * (int)MB_N_SLOTS; i++) {
        mb_probe_finish(&plants.probe[i / (int)MB_N_SLOTS][i % (int)MB_N_SLOTS]);
    }
    mb_calibration_finish(&calibration);
    return status;
}
