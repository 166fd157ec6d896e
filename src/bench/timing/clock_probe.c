/* A probe of the clock; shaders/probe.comp. */
#include "bench/timing/clock_probe.h"

#include <math.h>

#define WORKGROUP_SIZE 32u
#define FIRST_STEPS    1024u
#define MIN_STEPS      64.0
#define MAX_STEPS      1e9
#define N_ATTEMPTS     6
#define N_RUNS         5
#define LOAD_LENGTH    200.0 /* times a run of MB_PROBE_NS */
#define LOAD_GROUPS    256u
#define TOLERANCE      0.1
#define MAX_HOST_NS    1e7

extern const struct mb_shader mb_spv_probe;

/* As in shaders/probe.comp. Each step halves and adds one, which converges to 2: no value
 * becomes denormal or infinite. */
struct push {
    uint32_t n_steps;
    float factor, summand;
};

static enum mb_status record(struct mb_probe *probe, uint32_t n_steps, uint32_t n_groups,
                             struct mb_err *err)
{
    struct mb_submission *submission = &probe->submission;
    const struct push push = {n_steps, 0.5f, 1.0f};
    const struct mb_dispatch dispatch = {
        .push = &push,
        .n_groups = {n_groups, 1, 1},
    };
    MB_DO(mb_submission_begin(submission, err));
    mb_timer_begin(&probe->timer, submission->cmd, 0);
    mb_pipeline_dispatch(&probe->compute, submission->cmd, &dispatch);
    mb_timer_end(&probe->timer, submission->cmd, 0);
    return MB_OK;
}

enum mb_status mb_probe_set_steps(struct mb_probe *probe, uint32_t n_steps, struct mb_err *err)
{
    probe->n_steps = n_steps;
    return record(probe, n_steps, 1, err);
}

enum mb_status mb_probe_load(struct mb_probe *probe, struct mb_err *err)
{
    const double n_steps = fmin(MAX_STEPS, LOAD_LENGTH * probe->n_steps);
    MB_DO(record(probe, (uint32_t)n_steps, LOAD_GROUPS, err));
    MB_DO(mb_submission_run(&probe->submission, err));
    return record(probe, probe->n_steps, 1, err);
}

enum mb_status mb_probe_run(struct mb_probe *probe, double *duration_ns, struct mb_err *err)
{
    return mb_timer_run(&probe->timer, &probe->submission, 1, duration_ns, err);
}

/* The shortest of a few runs: it is the least disturbed. */
static enum mb_status run_least(struct mb_probe *probe, double *least_ns, struct mb_err *err)
{
    *least_ns = (double)INFINITY;
    for (int i = 0; i < N_RUNS; i++) {
        double duration_ns;
        MB_DO(mb_probe_run(probe, &duration_ns, err));
        *least_ns = fmin(*least_ns, duration_ns);
    }
    return MB_OK;
}

static enum mb_status calibrate(struct mb_probe *probe, struct mb_err *err)
{
    double least_ns;
    MB_DO(mb_probe_set_steps(probe, 1, err));
    MB_DO(run_least(probe, &probe->launch_ns, err));
    const double launch_ns = probe->launch_ns;
    /* On CPUs the launch alone may take longer; the chain must not vanish. */
    const double chain_ns = fmax(MB_PROBE_NS - launch_ns, 0.5 * MB_PROBE_NS);
    MB_DO(mb_probe_set_steps(probe, FIRST_STEPS, err));
    for (int attempt = 0; attempt < N_ATTEMPTS; attempt++) {
        MB_DO(run_least(probe, &least_ns, err));
        if (fabs(least_ns - launch_ns - chain_ns) <= TOLERANCE * MB_PROBE_NS ||
            (double)probe->submission.waited_ns >= MAX_HOST_NS) {
            break; /* if the host waited long: the device's clock stands still */
        }
        const double per_step_ns = (least_ns - launch_ns) / probe->n_steps;
        /* Noise can make a short run faster than the launch. */
        const double wanted = per_step_ns > 0.0 ? chain_ns / per_step_ns : MAX_STEPS;
        const double most = fmin(MAX_STEPS, 100.0 * probe->n_steps);
        MB_DO(mb_probe_set_steps(probe, (uint32_t)fmin(fmax(wanted, MIN_STEPS), most), err));
    }
    return MB_OK;
}

enum mb_status mb_probe_init(struct mb_probe *probe, const struct mb_gpu *gpu,
                             struct mb_err *err)
{
    static const struct mb_constant workgroup_size = {"gl_WorkGroupSize.x", WORKGROUP_SIZE};
    const struct mb_pipeline_options options = {
        .shader = &mb_spv_probe,
        .constants = &workgroup_size,
        .n_constants = 1,
        .push_constant_bytes = sizeof(struct push),
        .n_copies = 1,
        .name = "probe",
    };
    *probe = (struct mb_probe){.n_steps = 0};
    MB_DO(mb_timer_init(&probe->timer, gpu, 1, err));
    MB_DO(mb_buffer_init(&probe->result, gpu, MB_BUFFER_DEVICE, WORKGROUP_SIZE * sizeof(float),
                         "probe", err));
    MB_DO(mb_pipeline_init(&probe->compute, gpu, &options, err));
    mb_pipeline_bind(&probe->compute, 0, &(struct mb_descriptor){.buffer = &probe->result}, 1);
    MB_DO(mb_submission_init(&probe->submission, gpu, "probe", err));
    MB_DO(calibrate(probe, err));
    return MB_OK;
}

void mb_probe_finish(struct mb_probe *probe)
{
    mb_submission_finish(&probe->submission);
    mb_pipeline_finish(&probe->compute);
    mb_buffer_finish(&probe->result);
    mb_timer_finish(&probe->timer);
    *probe = (struct mb_probe){0};
}
