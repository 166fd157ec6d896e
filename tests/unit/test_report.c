/* A made-up run with everything that is awkward to report. Without arguments: checks of the
 * texts themselves and of every allocation failing. With "json", "csv" or "markdown": prints
 * that report for check_schema.py; with "-update" behind it that of a run whose task has
 * nothing at its default. */
#include "bench/settings.h"
#include "base/alloc.h"
#include "result/label.h"
#include "result/result_json.h"
#include "cli/run_table.h"
#include "check.h"
#include "vk/shader.h"

static const uint32_t code[] = {0x07230203};
static const struct mb_shader shader = {
    .name = "spd/spd.comp",
    .code = code,
    .code_bytes = sizeof code,
    .sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
};
const struct mb_shader *const mb_shaders[] = {&shader, NULL};

static const struct mb_param spd_params[] = {
    {.name = "load",
     .values = (const char *const[]){"texel", "sampler", NULL},
     .help = "loads"},
    {.name = "wave", .values = (const char *const[]){"on", "off", NULL}, .help = "subgroups"},
    {.name = NULL},
};
static const struct mb_strategy spd = {.name = "spd", .params = spd_params};
static const struct mb_strategy blit = {.name = "blit"};

static const char *const argv[] = {"mipbench", "a\nb\033[2J\xff.png", "caf\xc3\xa9",
                                   "\"q\",\\"};
static const struct mb_settings settings;

enum { SPD, SPD_SAMPLER, BLIT_FAILED, BLIT_SKIPPED, BLIT_LOST, N_RESULTS };

static void set_verdict(struct mb_result *result, const struct mb_layout *layout)
{
    result->verdict = (struct mb_verdict){
        .pass = true, .n_levels = layout->n_levels, .max_error_lsb = 0.5, .drift_lsb = 1.25};
    for (uint32_t i = 0; i < layout->n_levels; i++) {
        result->verdict.level[i] = (struct mb_level_verdict){
            .extent = mb_level_extent(layout->base, i),
            .max_error_lsb = i == 0 ? 0 : 0.5,
            .psnr_db = i == 0 ? (double)INFINITY : 51.7,
        };
    }
}

static void set_measured(struct mb_row *row, const struct mb_layout *layout, double scale)
{
    struct mb_err err;
    double samples_ns[7];
    for (size_t i = 0; i < MB_COUNTOF(samples_ns); i++) {
        samples_ns[i] = scale * (1000.1 + (double)i / 3);
    }
    CHECK_EQ_INT(mb_stats_compute(samples_ns, MB_COUNTOF(samples_ns), &row->stats, &err),
                 MB_OK);
    row->result->has_work = true;
    row->result->work = (struct mb_work){
        .n_dispatches = 1,
        .n_barriers = 2,
        .workgroup_size = {256, 1, 1},
        .subgroup_size = 32,
        .algorithmic_bytes = UINT64_C(1) << 60,
        .tolerance = {.filter.policy = MB_POLICY_FLOOR},
    };
    set_verdict(row->result, layout);
}

static void set_failed(struct mb_row *row, const struct mb_layout *layout)
{
    struct mb_result *result = row->result;
    set_measured(row, layout, 3e6);
    result->status = MB_RESULT_FAILED;
    result->verify = MB_VERIFY_FAIL;
    snprintf(result->reason, sizeof result->reason, "level 3 texel (5, 7): wanted 1, got NaN");
    result->verdict.pass = false;
    result->verdict.max_error_lsb = INFINITY;
    result->verdict.first_bad = (struct mb_bad_texel){
        .found = true, .level = 3, .x = 5, .y = 7, .channel = 1, .want = 1, .got = NAN};
}

static void set_label(struct mb_row *row, const struct mb_strategy *strategy, const char *label,
                      const char *slug)
{
    struct mb_result *result = row->result;
    result->strategy = strategy;
    snprintf(result->label, sizeof result->label, "%s", label);
    snprintf(result->slug, sizeof result->slug, "%s", slug);
    result->setup_ms = NAN;
    row->relation = (struct mb_relation){.ratio = NAN, .ci = {NAN, NAN}, .p = NAN};
}

static void make_spd(struct mb_case *c, struct mb_row *row)
{
    struct mb_result *result = row->result;
    set_label(row, &spd, "spd", "spd");
    set_measured(row, &c->layout, 1);
    row->relation.ratio = row->relation.ci[0] = row->relation.ci[1] = 1;
    result->setup_ms = 1.5;
    CHECK_EQ_INT(mb_strlist_add(&result->images, NULL, "photo/spd/atlas.png"), MB_OK);
    CHECK_EQ_INT(mb_strlist_add(&result->chains, NULL, "photo/spd/chain.ktx2"), MB_OK);
    for (unsigned i = 0; i < MB_MAX_WARNINGS + 3; i++) {
        mb_warn(&result->warnings, "few_samples", "only %u\n", i);
    }
}

static void make_results(struct mb_case *c, struct mb_timing *timing)
{
    struct mb_row *rows = timing->rows;
    struct mb_result *r = c->results;
    make_spd(c, &rows[SPD]);
    set_label(&rows[SPD_SAMPLER], &spd, "spd:load=sampler:wave=off",
              "spd_load-sampler_wave-off");
    r[SPD_SAMPLER].params = (struct mb_params){.choice = {1, 1}};
    set_measured(&rows[SPD_SAMPLER], &c->layout, 1.5);
    r[SPD_SAMPLER].verify = MB_VERIFY_SKIPPED;
    r[SPD_SAMPLER].verdict = (struct mb_verdict){.n_levels = 0};
    set_label(&rows[BLIT_FAILED], &blit, "blit", "blit");
    set_failed(&rows[BLIT_FAILED], &c->layout);
    set_label(&rows[BLIT_SKIPPED], &blit, "bl|it", "blit-2");
    r[BLIT_SKIPPED].status = MB_RESULT_SKIPPED;
    r[BLIT_SKIPPED].verify = MB_VERIFY_SKIPPED;
    snprintf(r[BLIT_SKIPPED].reason, sizeof r->reason,
             "no \"linear\" blit, <b>not</b> | here\xc3");
    set_label(&rows[BLIT_LOST], &blit, "blit", "blit-3");
    r[BLIT_LOST].status = MB_RESULT_FAILED;
    r[BLIT_LOST].verify = MB_VERIFY_SKIPPED;
    snprintf(r[BLIT_LOST].reason, sizeof r->reason, "vkQueueSubmit: VK_ERROR_DEVICE_LOST");
}

/* Eight blocks, the third of which was repeated; columns of three results, and the twin
 * of spd. */
static void make_samples(struct mb_timing *timing)
{
    enum { N_BLOCKS = 8, N_COLUMNS = 4, N_PARTS = 3 };
    struct mb_samples *samples = &timing->samples;
    *samples = (struct mb_samples){
        .n_candidates = N_COLUMNS,
        .n_parts = N_PARTS,
        .n_blocks = N_BLOCKS,
        .n_kept = N_BLOCKS - 1,
        .block = mb_alloc(N_BLOCKS, sizeof *samples->block),
        .sample = mb_alloc((size_t)N_BLOCKS * N_COLUMNS, sizeof *samples->sample),
        .warm_probe_ns = 100e3,
        .is_steady = true,
        .stop = MB_STOP_NOISE,
    };
    for (uint32_t i = 0; i < N_BLOCKS; i++) {
        samples->block[i] = (struct mb_block){
            .start_ns = 1000 * i,
            .probe_ns = {100e3, i == 2 ? 110e3 : 100e3},
            .is_flagged = i == 2,
            .is_kept = i != 2,
        };
        for (uint32_t k = 0; k < N_COLUMNS; k++) {
            struct mb_sample *sample = &samples->sample[i * N_COLUMNS + k];
            sample->duration_ns = 1000.0 * i + k + 1.0 / 3;
            sample->position = (i + k) % N_COLUMNS;
            for (uint32_t part = 0; part < N_PARTS; part++) {
                sample->part_ns[part] = 10.0 * (part + 1);
            }
        }
    }
}

/* Everything that is measured beside the samples. */
static void make_measured(struct mb_run *run, struct mb_timing *timing)
{
    struct mb_row *row = &timing->rows[SPD];
    struct mb_split *split = &row->result->split;
    make_samples(timing);
    run->roofline = (struct mb_roofline){
        .llc_bytes = 50 << 20,
        .llc_source = "measured",
        .ceiling_gbps = 4300,
        .null_dispatch_ns = 2000,
        .null_barrier_ns = 1500,
    };
    timing->n_rotated = 3;
    timing->floor_ns = 500.05;
    timing->twin_of = SPD;
    timing->twin_column = 3;
    timing->twin = (struct mb_relation){.ratio = 1.02, .ci = {0.99, 1.05}};
    row->column = 0;
    for (uint32_t i = 0; i < 3; i++) {
        row->n_chains[i] = 4u << i;
    }
    row->fixed_ns = 7;
    split->n_steps = 1;
    split->step[0].first_level = 1;
    split->step[0].n_levels = 2;
    split->step[0].median_ns = 11;
    timing->rows[SPD_SAMPLER].relation = (struct mb_relation){
        .ratio = 1.5,
        .ci = {1.4, 1.6},
        .p = 0.002,
        .outcome = MB_OUTCOME_SLOWER,
    };
}

static void make_run(struct mb_run *run)
{
    *run = (struct mb_run){
        .id = "20261121T023000Z-gpu",
        .utc = "20261121T023000Z",
        .argc = (int)MB_COUNTOF(argv),
        .argv = argv,
        .folder = "/a/b",
        .settings = &settings,
        .seed = UINT64_MAX,
        .verify = true,
        .host = {.os = "O\xff", .kernel = "K", .cpu = "C", .n_cores = 2},
        .device = {.name = "G\xe2\x82\xac*PU",
                   .type = VK_PHYSICAL_DEVICE_TYPE_CPU,
                   .uuid = "00112233-4455-6677-8899-aabbccddeeff",
                   .driver_version = "1.2.3",
                   .api_version = VK_MAKE_API_VERSION(0, 1, 3, 239),
                   .timestamp_valid_bits = 64,
                   .timestamp_period_ns = 1,
                   .memory = {.memoryHeapCount = 1,
                              .memoryHeaps = {{.size = UINT64_MAX,
                                               .flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}}}},
        .timer = {.granularity_ns = NAN, .granularity_gcd_ns = 32, .empty_pair_ns = 670.5},
        .exit_reason = "interrupted",
    };
    struct mb_case *c = mb_run_add_case(run);
    snprintf(c->input, sizeof c->input, "my, \"photo\" [1].png");
    snprintf(c->input_name, sizeof c->input_name, "my-photo-1");
    memset(c->input_sha256, 'a', 64);
    mb_layout_init(&c->layout, mb_format_find("rgba8"), (struct mb_extent){300, 200}, 1, 9);
    c->compulsory_bytes = mb_layout_compulsory_bytes(&c->layout);
    c->results = mb_alloc(N_RESULTS, sizeof *c->results);
    c->n_results = N_RESULTS;
    struct mb_timing *timing = mb_case_add_timing(c, MB_CACHE_HOT, MB_MODE_THROUGHPUT);
    timing->fastest = SPD;
    timing->question = MB_QUESTION_ANY;
    make_results(c, timing);
    make_measured(run, timing);
}

typedef void report_fn(const struct mb_run *run, struct mb_strbuf *out);

static const struct {
    const char *name;
    report_fn *report;
} reports[] = {
    {"json", mb_run_json},
    {"csv", mb_report_csv},
    {"markdown", mb_table_markdown},
};

static void test_warnings(const struct mb_run *run)
{
    const struct mb_warnings *warnings = &run->cases[0]->results[SPD].warnings;
    CHECK_EQ_INT(warnings->n, MB_MAX_WARNINGS);
    CHECK_EQ_STR(warnings->warning[7].message, "only 7?");
}

struct attempt {
    const struct mb_run *run;
    report_fn *report;
};

static enum mb_status try_report(void *user, struct mb_err *err)
{
    const struct attempt *attempt = user;
    MB_SCOPED(mb_strbuf) text = {0};
    attempt->report(attempt->run, &text);
    return mb_strbuf_check(&text, err);
}

/* Nothing of the task at its default. */
static void make_update(struct mb_case *c)
{
    mb_layout_init(&c->layout, mb_format_find("r16f"), c->layout.base, 12, c->layout.n_levels);
    c->is_cube = true;
    c->task = (struct mb_task){
        .reduce = MB_REDUCE_MAX,
        .alpha = MB_ALPHA_PREMULTIPLIED,
        .is_update = true,
        .rect = {1, 2, 30, 4},
    };
}

static int print_report(const struct mb_run *run, const char *name)
{
    const size_t n_bytes = strcspn(name, "-");
    if (name[n_bytes] != '\0') {
        make_update(run->cases[0]);
    }
    for (size_t i = 0; i < MB_COUNTOF(reports); i++) {
        if (strncmp(reports[i].name, name, n_bytes) == 0) {
            MB_SCOPED(mb_strbuf) text = {0};
            reports[i].report(run, &text);
            fputs(mb_strbuf_text(&text), stdout);
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **args)
{
    struct mb_run run;
    int exit_code = 0;
    make_run(&run);
    if (argc == 2) {
        exit_code = print_report(&run, args[1]);
    } else {
        test_warnings(&run);
        for (size_t i = 0; i < MB_COUNTOF(reports); i++) {
            CHECK(check_each_allocation(try_report,
                                        &(struct attempt){&run, reports[i].report}) > 1);
        }
    }
    mb_run_finish(&run);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return argc == 2 ? exit_code : check_summary("report");
}
