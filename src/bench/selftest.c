/* The instrument tests itself. */
#include "bench/selftest.h"

#include <math.h>

#include "base/alloc.h"
#include "base/figure.h"
#include "base/text.h"
#include "result/relate.h"
#include "stats/stats.h"

#define MIN_BLOCKS     40u
#define MAX_BLOCKS     640u
#define MAX_NOISE      0.002
#define LAUNCHES       20.0    /* length of a chain in launches; plants change only the chain */
#define MAX_STEPS      60000.0 /* llvmpipe leaves loops after 65535 turns */
#define SLACK          0.015   /* on both sides of the planted ratio */
#define HOLD_LEVEL     0.999   /* at 95 % one honest run in twenty would fail */
#define GPU_EMPTY_NS   20e3    /* an empty pair above this is too coarse for microseconds */
#define CPU_EMPTY_NS   5e6
#define MAX_GRANULE_NS 1e6

static struct mb_text describe_ns(double ns)
{
    return isfinite(ns) ? mb_time_text(ns) : mb_text("not known");
}

/* How the samples of a plant compare with those of the base, with an interval of this level;
 * `scratch` has room for n_kept. */
static enum mb_status relate(const struct mb_samples *samples, enum mb_plant plant,
                             double level, double *scratch, struct mb_relation *relation,
                             struct mb_err *err)
{
    const struct mb_bootstrap how = {.seed = 1, .level = level};
    *relation = mb_no_relation;
    if (mb_relate_blocks(samples, MB_PLANT_BASE, plant, scratch)) {
        const struct mb_series logs = {scratch, samples->n_kept};
        MB_DO(mb_relate_logs(&(const struct mb_runs){&logs, 1}, &how, relation, err));
        relation->outcome = mb_outcome(relation->ci, relation->p, MB_MARGIN, MB_MARGIN);
    }
    return MB_OK;
}

/* Check that a plant of the same length is SAME, and the longer one SLOWER by about MB_PLANTED.
 * For the twin the interval of the ratio must also contain 1, give or take a granule. */
static enum mb_status check_plant(const struct mb_samples *samples, enum mb_plant plant,
                                  double granule_ns, struct mb_check *check, struct mb_err *err)
{
    struct mb_relation relation, held;
    struct mb_text wanted = {"SAME"};
    MB_FREED double *scratch = mb_alloc(samples->n_kept, sizeof *scratch);
    MB_DO(MB_NEED(scratch, "self-test"));
    MB_DO(relate(samples, plant, 0.95, scratch, &relation, err));
    if (!isfinite(relation.ratio) || !isfinite(relation.ci[0]) || !isfinite(relation.ci[1])) {
        check->text = mb_text("no ratio: the times are missing, or 0");
        return MB_OK;
    }
    check->passed =
        relation.outcome == (plant == MB_PLANT_FIVE ? MB_OUTCOME_SLOWER : MB_OUTCOME_SAME);
    if (plant == MB_PLANT_TWIN) {
        MB_DO(relate(samples, plant, HOLD_LEVEL, scratch, &held, err));
        mb_samples_column(samples, MB_PLANT_BASE, scratch);
        const double granule = granule_ns / mb_median(scratch, samples->n_kept);
        check->passed &= held.ci[0] - granule <= 1.0 && 1.0 <= held.ci[1] + granule;
        wanted = mb_text("SAME, and 1 within %.4f to %.4f (%g %%)", held.ci[0], held.ci[1],
                         100.0 * HOLD_LEVEL);
    } else if (plant == MB_PLANT_FIVE) {
        check->passed &= fabs(relation.ratio - 1.0 - MB_PLANTED) <= SLACK;
        wanted =
            mb_text("SLOWER, %.3f to %.3f", 1.0 + MB_PLANTED - SLACK, 1.0 + MB_PLANTED + SLACK);
    }
    check->text =
        mb_text("ratio %.4f, %.4f to %.4f, %s; expected %s", relation.ratio, relation.ci[0],
                relation.ci[1], mb_outcome_names[relation.outcome], wanted.s);
    return MB_OK;
}

enum mb_status mb_selftest_judge(const struct mb_samples *samples,
                                 const struct mb_timer_marks *marks, bool has_clock,
                                 struct mb_selftest *selftest, struct mb_err *err)
{
    const double empty_limit_ns = has_clock ? GPU_EMPTY_NS : CPU_EMPTY_NS;
    const double granule_ns = marks->granularity_gcd_ns;
    *selftest = (struct mb_selftest){
        .check =
            {
                {"granularity", granule_ns > 0.0 && marks->granularity_ns < MAX_GRANULE_NS,
                 mb_text("%s; neighbouring stamps %s apart", describe_ns(granule_ns).s,
                         describe_ns(marks->granularity_ns).s)},
                {"empty pair",
                 marks->empty_pair_ns >= 0.0 && marks->empty_pair_ns < empty_limit_ns,
                 mb_text("%s; expected below %s", describe_ns(marks->empty_pair_ns).s,
                         mb_time_text(empty_limit_ns).s)},
                {.name = "A/A twin"},
                {.name = "planted 0 %"},
                {.name = "planted 5 %"},
            },
        .passed = true,
    };
    for (int i = 0; i < MB_N_CHECKS; i++) {
        struct mb_check *check = &selftest->check[i];
        if (i >= MB_CHECK_TWIN) {
            MB_DO(check_plant(samples, (enum mb_plant)(MB_PLANT_TWIN + (i - MB_CHECK_TWIN)),
                              granule_ns, check, err));
        }
        selftest->passed = selftest->passed && check->passed;
    }
    return MB_OK;
}

const char *mb_selftest_advice(const struct mb_selftest *selftest, bool is_cpu)
{
    if (!selftest->check[MB_CHECK_GRANULARITY].passed) {
        return "its timestamps are too coarse for a calibration; choose another device "
               "(--device)";
    }
    return is_cpu
               ? "other programs may have kept the CPU busy: stop them and try again; do not "
                 "trust times of this device until the self-test passes"
               : "other programs may have used the GPU, or its clock moved: stop them and try "
                 "again; do not trust times of this device until the self-test passes";
}

/* A chain for each plant and slot; the twin uses the chains of the base. */
struct plants {
    struct mb_probe probe[MB_N_PLANTS][MB_N_SLOTS];
};

static void plants_finish(struct plants *plants)
{
    for (int i = 0; i < MB_N_PLANTS * (int)MB_N_SLOTS; i++) {
        mb_probe_finish(&plants->probe[i / (int)MB_N_SLOTS][i % (int)MB_N_SLOTS]);
    }
}

static struct mb_probe *probe_of(struct plants *plants, size_t plant, uint32_t slot)
{
    return &plants->probe[plant == MB_PLANT_TWIN ? MB_PLANT_BASE : plant][slot];
}

static enum mb_status start(void *user, size_t plant, uint32_t slot, struct mb_err *err)
{
    return mb_submission_submit(&probe_of(user, plant, slot)->submission, err);
}

static enum mb_status collect(void *user, size_t plant, uint32_t slot, struct mb_sample *sample,
                              struct mb_err *err)
{
    struct mb_probe *probe = probe_of(user, plant, slot);
    double *duration_ns = &sample->duration_ns;
    MB_DO(mb_submission_wait(&probe->submission, err));
    const enum mb_status status = mb_timer_read(
        &probe->timer, &probe->submission, (struct mb_intervals){0, 2, 1}, duration_ns, err);
    return status == MB_UNSUPPORTED ? mb_probe_run(probe, duration_ns, err) : status;
}

static enum mb_status init_plants(struct plants *plants, const struct mb_gpu *gpu,
                                  struct mb_err *err)
{
    struct mb_probe *base = &plants->probe[MB_PLANT_BASE][0];
    MB_DO(mb_probe_init(base, gpu, err));
    const double per_step_ns = MB_PROBE_NS / (double)base->n_steps;
    const double chain_ns = fmax(MB_PROBE_NS, LAUNCHES * base->launch_ns);
    const uint32_t n_steps = (uint32_t)fmin(chain_ns / per_step_ns, MAX_STEPS);
    for (int plant = 0; plant < MB_N_PLANTS; plant++) {
        const double length = plant == MB_PLANT_FIVE ? 1.0 + MB_PLANTED : 1.0;
        for (uint32_t slot = 0; slot < MB_N_SLOTS && plant != MB_PLANT_TWIN; slot++) {
            struct mb_probe *probe = &plants->probe[plant][slot];
            if (probe != base) {
                MB_DO(mb_probe_init(probe, gpu, err));
            }
            MB_DO(mb_probe_set_steps(probe, (uint32_t)(n_steps * length), err));
        }
    }
    return MB_OK;
}

enum mb_status mb_selftest_run(const struct mb_gpu *gpu, const struct mb_settings *settings,
                               struct mb_selftest *selftest, struct mb_err *err)
{
    MB_SCOPED(plants) plants = {0};
    MB_SCOPED(mb_calibration) calibration = {0};
    MB_SCOPED(mb_samples) samples = {0};
    struct mb_settings brief = *settings;
    brief.roofline = false;
    MB_DO(mb_timer_check(&gpu->info, err));
    MB_DO(mb_calibration_init(&calibration, gpu, &brief, err));
    MB_DO(init_plants(&plants, gpu, err));
    const struct mb_sampler sampler = {
        .user = &plants,
        .start = start,
        .collect = collect,
        .clock = calibration.has_probe ? &calibration.probe : NULL,
        .probe = mb_probe_run,
        .load = mb_probe_load,
    };
    const struct mb_measure_options options = {
        .n_candidates = MB_N_PLANTS,
        .seed = settings->seed,
        .min_warmup_blocks = 3,
        .max_warmup_ns = UINT64_C(5000000000),
        .min_blocks = MIN_BLOCKS,
        .max_blocks = MAX_BLOCKS,
        .budget_ns = UINT64_C(8000000000),
        .max_noise = MAX_NOISE,
        .fastest_probe_ns = &calibration.probe_ns,
        .granularity_ns = calibration.marks.granularity_gcd_ns,
    };
    MB_DO(mb_measure(&sampler, &options, &samples, err));
    return mb_selftest_judge(&samples, &calibration.marks, calibration.has_probe, selftest,
                             err);
}
