/* Every strategy in every format with every reduction, at all small sizes and at a long list of
 * larger ones, in images of one, three and six layers, judged by the golden model.
 *
 * A chain is one submission: poison, the strategy's commands, read-back. Pipelines are shared
 * over all sizes; what is left of the time goes into compiling them. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../unit/check.h"
#include "base/alloc.h"
#include "bench/trial.h"
#include "bench/verify.h"
#include "harness.h"

#define MAX_ROWS     24
#define MAX_SKIPS    64
#define SPD_MAX_SIZE 4096u

/* Rows that go everywhere: what each strategy does by default, and the other policy. */
static const char *const main_specs[] = {"all", "compute:npot=floor", "subgroup:npot=box"};
/* All others go where there is less to do. */
static const char *const all_specs[] = {"blit", "compute:*", "subgroup:*", "spd:*"};

/* What is asked of a strategy. */
static const struct mode {
    const char *name;
    enum mb_reduce reduce;
    enum mb_alpha alpha;
} modes[] = {
    {"avg", MB_REDUCE_AVG, MB_ALPHA_STRAIGHT},
    {"min", MB_REDUCE_MIN, MB_ALPHA_STRAIGHT},
    {"max", MB_REDUCE_MAX, MB_ALPHA_STRAIGHT},
    {"premultiplied", MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED},
};

#define N_MODES MB_COUNTOF(modes)

static const uint32_t layer_counts[] = {1, 3, 6};

struct skip {
    const char *strategy;
    char reason[512];
    unsigned n_times;
};

struct tally {
    unsigned n_judged[N_MODES], n_failed, n_skipped;
    double max_error_lsb;
};

struct sweep {
    struct mb_gpu gpu;
    struct mb_row *rows;
    size_t n_rows;
    struct mb_rig rig;
    struct mb_submission submission;
    struct mb_verifier verifier;
    struct mb_layout layout;
    uint32_t poison;                 /* of the next chain */
    uint32_t n_images;               /* counts on, and so varies the layers */
    struct tally tally[MAX_ROWS][2]; /* [row][0: codes, 1: floats] */
    struct skip skip[MAX_SKIPS];
    size_t n_skips;
};

static void note_skip(struct sweep *s, const char *strategy, const char *reason)
{
    for (size_t i = 0; i < s->n_skips; i++) {
        if (s->skip[i].strategy == strategy && strcmp(s->skip[i].reason, reason) == 0) {
            s->skip[i].n_times++;
            return;
        }
    }
    CHECK(s->n_skips < MAX_SKIPS);
    if (s->n_skips < MAX_SKIPS) {
        struct skip *skip = &s->skip[s->n_skips++];
        skip->strategy = strategy;
        skip->n_times = 1;
        snprintf(skip->reason, sizeof skip->reason, "%s", reason);
    }
}

/* What a strategy may refuse; everything else it must do. */
static bool may_refuse(const struct sweep *s, const struct mb_row *row, const struct mode *mode,
                       bool by_default)
{
    const struct mb_format *format = s->layout.format;
    const char *name = row->strategy->name;
    if (strcmp(name, "blit") == 0) {
        const bool is_llvmpipe_512 = strstr(s->gpu.info.name, "512 bits") != NULL;
        return mode->reduce != MB_REDUCE_AVG || is_llvmpipe_512 ||
               mb_weighs_alpha(mode->reduce, mode->alpha, format);
    }
    const bool is_above_spd =
        s->layout.base.width > SPD_MAX_SIZE || s->layout.base.height > SPD_MAX_SIZE;
    return (strcmp(name, "spd") == 0 && is_above_spd) || !by_default; /* load=sampler */
}

static bool is_default_load(const struct mb_row *row)
{
    char label[96];
    mb_row_label(row, label, sizeof label);
    return strstr(label, "load=sampler") == NULL;
}

/* Record and run one chain; its texels are in the rig's read-back buffer then. */
static enum mb_status run_chain(struct sweep *s, const struct mb_trial *trial,
                                struct mb_err *err)
{
    enum mb_status status = MB_OK;
    MB_TRY(
        mb_submission_begin(&s->submission, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, err));
    mb_rig_record_poison(&s->rig, s->poison++ % MB_N_POISONS, s->submission.cmd);
    trial->strategy->record(trial->state, s->submission.cmd);
    mb_rig_record_read(&s->rig, s->submission.cmd);
    MB_TRY(mb_submission_end(&s->submission, err));
    MB_TRY(mb_submission_run(&s->submission, err));
fail:
    return status;
}

static void describe_case(const struct sweep *s, const char *label, const struct mode *mode)
{
    fprintf(stderr, "%s on %ux%u %s, %u layers, %s: ", label, s->layout.base.width,
            s->layout.base.height, s->layout.format->name, s->layout.n_layers, mode->name);
}

static void judge(struct sweep *s, size_t row, size_t mode,
                  const struct mb_trial_options *options)
{
    struct mb_err err = {0};
    struct mb_trial trial = {0};
    struct mb_verdict verdict = {0};
    struct tally *tally = &s->tally[row][!mb_format_is_unorm(s->layout.format)];
    bool is_run =
        mb_trial_init(&trial, options, &err) == MB_OK && run_chain(s, &trial, &err) == MB_OK &&
        mb_verify(&s->verifier, s->rig.readback.mapped, &trial.work.claim, &verdict, &err) ==
            MB_OK;
    CHECK(is_run);
    CHECK(verdict.pass);
    if (!verdict.pass) {
        char where[256] = "";
        if (is_run) {
            mb_bad_texel_describe(&verdict.first_bad, where, sizeof where);
        }
        describe_case(s, options->name, &modes[mode]);
        fprintf(stderr, "%s%s\n", err.text, where);
        tally->n_failed++;
    }
    tally->n_judged[mode]++;
    if (verdict.max_error_lsb > tally->max_error_lsb) {
        tally->max_error_lsb = verdict.max_error_lsb;
    }
    mb_trial_finish(&trial);
}

static void run_row(struct sweep *s, size_t row, size_t mode)
{
    char label[96];
    struct mb_err why = {0};
    const struct mb_row *r = &s->rows[row];
    const struct mb_task task = {
        .reduce = modes[mode].reduce,
        .alpha = modes[mode].alpha,
        .rect = mb_rect_whole(s->layout.base),
    };
    mb_row_label(r, label, sizeof label);
    const struct mb_trial_options options = {
        .rig = &s->rig, .row = r, .task = &task, .name = label};
    enum mb_status status = mb_trial_supports(&options, &why);
    CHECK(status != MB_FAILED);
    if (status == MB_OK) {
        judge(s, row, mode, &options);
        return;
    }
    s->tally[row][!mb_format_is_unorm(s->layout.format)].n_skipped++;
    const bool is_allowed = may_refuse(s, r, &modes[mode], is_default_load(r));
    CHECK(is_allowed && strlen(why.text) > 10);
    if (!is_allowed) {
        describe_case(s, label, &modes[mode]);
        fprintf(stderr, "%s\n", why.text);
    }
    note_skip(s, r->strategy->name, why.text);
}

/* One image: rows [first, first + n) in the modes of the mask. */
static void run_image(struct sweep *s, const struct mb_format *format, struct mb_extent extent,
                      const char *pattern, uint32_t mode_mask, size_t n_rows)
{
    struct mb_err err = {0};
    const uint32_t n_layers = layer_counts[s->n_images++ % MB_COUNTOF(layer_counts)];
    mb_layout_init(&s->layout, format, extent, n_layers, mb_full_level_count(extent));
    void *texels = mb_test_texels(&s->layout, pattern);
    const struct mb_rig_options options = {
        .layout = &s->layout,
        .n_image_levels = s->layout.n_levels,
        .is_cube = n_layers == 6 && extent.width == extent.height,
        .source = texels,
    };
    bool is_ready = texels && mb_rig_init(&s->rig, &s->gpu, &options, &err) == MB_OK;
    if (!is_ready) {
        fprintf(stderr, "%ux%u %s: %s\n", extent.width, extent.height, format->name, err.text);
    }
    CHECK(is_ready);
    mb_verifier_init(&s->verifier, &s->layout, texels);
    for (size_t mode = 0; mode < N_MODES && is_ready; mode++) {
        /* Without alpha there is nothing to weigh by: the same as avg. */
        const bool is_same =
            modes[mode].alpha == MB_ALPHA_PREMULTIPLIED && format->n_channels < 4;
        for (size_t row = 0; row < n_rows && (mode_mask >> mode & 1u) && !is_same; row++) {
            run_row(s, row, mode);
        }
    }
    mb_verifier_finish(&s->verifier);
    mb_rig_finish(&s->rig);
    mb_free(texels);
}

/* 1..17 x 1..17: every case of odd, even and narrow on both axes, level after level. */
static void run_small(struct sweep *s, size_t n_main)
{
    const uint32_t step = mb_test_is_quick() ? 5 : 1;
    for (size_t i = 0; i < mb_format_count; i++) {
        for (uint32_t height = 1; height <= 17; height += step) {
            for (uint32_t width = 1; width <= 17; width += step) {
                run_image(s, &mb_formats[i], (struct mb_extent){width, height}, "noise", ~0u,
                          n_main);
            }
        }
    }
}

/* The long list: squares in every mode, the others in one after the other. */
static void run_edges(struct sweep *s, size_t n_main)
{
    static const uint32_t edges[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    static const struct mb_extent others[] = {{128, 32}, {1023, 1}, {4097, 3}, {5, 4100}};
    const size_t step = mb_test_is_quick() ? 5 : 1;
    for (size_t i = 0; i < mb_format_count; i++) {
        const struct mb_format *format = &mb_formats[i];
        for (size_t j = 0; j < MB_COUNTOF(edges); j += step) {
            const uint32_t n = edges[j], other = edges[(j + 5) % MB_COUNTOF(edges)];
            const uint32_t one_mode = 1u << (i + j) % N_MODES;
            run_image(s, format, (struct mb_extent){n, n}, "noise",
                      n < 200 ? ~0u : one_mode | 1u, n_main);
            run_image(s, format, (struct mb_extent){n, 1}, "noise", one_mode, n_main);
            run_image(s, format, (struct mb_extent){1, n}, "noise", one_mode, n_main);
            run_image(s, format, (struct mb_extent){n, other}, "noise", one_mode, n_main);
        }
        for (size_t j = 0; j < MB_COUNTOF(others); j += step) {
            run_image(s, format, others[j], "noise", 1u << (i + j) % N_MODES, n_main);
        }
    }
}

/* The rows that are left, a few sizes each. */
static void run_variants(struct sweep *s)
{
    static const struct mb_extent sizes[] = {{3, 5}, {16, 16}, {1, 33}, {65, 130}};
    for (size_t i = 0; i < mb_format_count; i++) {
        for (size_t j = 0; j < (mb_test_is_quick() ? 1 : MB_COUNTOF(sizes)); j++) {
            run_image(s, &mb_formats[i], sizes[j], "noise", ~0u, s->n_rows);
        }
    }
}

/* Averaged light, not averaged codes: black and white squares are 188, not 128. */
static void check_srgb_checker(struct sweep *s)
{
    const struct mb_format *format = mb_format_find("rgba8-srgb");
    const struct mb_extent extent = {16, 16};
    const struct mb_task task = {.rect = mb_rect_whole(extent)};
    struct mb_err err = {0};
    mb_layout_init(&s->layout, format, extent, 1, 5);
    uint8_t texels[16 * 16 * 4];
    for (size_t i = 0; i < MB_COUNTOF(texels); i++) {
        const size_t texel = i / 4;
        texels[i] = i % 4 == 3 || (texel % 16 + texel / 16) % 2 == 1 ? 255 : 0;
    }
    const struct mb_rig_options rig_options = {
        .layout = &s->layout, .n_image_levels = 5, .source = texels};
    CHECK(mb_rig_init(&s->rig, &s->gpu, &rig_options, &err) == MB_OK);
    for (size_t row = 0; row < s->n_rows; row++) {
        struct mb_trial trial = {0};
        const struct mb_trial_options options = {
            .rig = &s->rig, .row = &s->rows[row], .task = &task, .name = "checker"};
        if (mb_trial_supports(&options, &err) != MB_OK) {
            continue;
        }
        CHECK(mb_trial_init(&trial, &options, &err) == MB_OK);
        CHECK(run_chain(s, &trial, &err) == MB_OK);
        for (uint32_t level = 1; level < 5; level++) {
            const uint8_t *got = mb_layout_level(&s->layout, s->rig.readback.mapped, level, 0);
            CHECK_EQ_INT(got[0], 188);
            CHECK_EQ_INT(got[3], 255);
        }
        mb_trial_finish(&trial);
    }
    mb_rig_finish(&s->rig);
}

static void report_phase(const struct sweep *s, const char *name)
{
    printf("%-9s %6u images, %.1f s of processor time\n", name, s->n_images,
           (double)clock() / (double)CLOCKS_PER_SEC);
    fflush(stdout);
}

static void report(const struct sweep *s)
{
    for (size_t row = 0; row < s->n_rows; row++) {
        char label[96];
        mb_row_label(&s->rows[row], label, sizeof label);
        for (int is_float = 0; is_float < 2; is_float++) {
            const struct tally *t = &s->tally[row][is_float];
            printf("%-32s %s: avg %5u, min %5u, max %5u, premultiplied %5u chains, %u wrong, "
                   "%5u unsupported, max %.3f %s\n",
                   label, is_float ? "floats" : "codes ", t->n_judged[0], t->n_judged[1],
                   t->n_judged[2], t->n_judged[3], t->n_failed, t->n_skipped, t->max_error_lsb,
                   is_float ? "ulp" : "LSB");
            CHECK(t->n_judged[0] > 0 || t->n_skipped > 0);
        }
    }
    for (size_t i = 0; i < s->n_skips; i++) {
        printf("skipped %s (%u times): %s\n", s->skip[i].strategy, s->skip[i].n_times,
               s->skip[i].reason);
    }
}

/* The main rows first, then every other one. */
static bool make_rows(struct sweep *s, size_t *n_main)
{
    struct mb_err err = {0};
    struct mb_row *all = NULL;
    size_t n_all = 0;
    bool is_made = mb_plan_rows(mb_strategies, main_specs, MB_COUNTOF(main_specs), &s->rows,
                                n_main, &err) == MB_OK &&
                   mb_plan_rows(mb_strategies, all_specs, MB_COUNTOF(all_specs), &all, &n_all,
                                &err) == MB_OK;
    struct mb_row *rows =
        is_made ? mb_realloc(s->rows, (*n_main + n_all) * sizeof *rows) : NULL;
    s->n_rows = *n_main;
    s->rows = rows ? rows : s->rows;
    for (size_t i = 0; rows && i < n_all; i++) {
        bool is_there = false;
        for (size_t j = 0; j < *n_main; j++) {
            is_there = is_there ||
                       (rows[j].strategy == all[i].strategy &&
                        memcmp(&rows[j].params, &all[i].params, sizeof all[i].params) == 0);
        }
        if (!is_there) {
            rows[s->n_rows++] = all[i];
        }
    }
    mb_free(all);
    CHECK(s->n_rows <= MAX_ROWS);
    return rows && s->n_rows <= MAX_ROWS;
}

int main(void)
{
    static struct sweep s;
    struct mb_err err = {0};
    size_t n_main = 0;
    const struct mb_gpu_options options = {.keep_pipelines = true};
    int exit_code = mb_test_open_with(&s.gpu, &options);
    if (exit_code != 0) {
        return exit_code;
    }
    printf("%s, subgroups of %u\n", s.gpu.info.name, s.gpu.info.subgroup_size);
    bool is_ready = make_rows(&s, &n_main) &&
                    mb_submission_init(&s.submission, &s.gpu, "sweep", &err) == MB_OK;
    CHECK(is_ready);
    if (is_ready) {
        check_srgb_checker(&s);
        run_variants(&s);
        report_phase(&s, "variants");
        run_small(&s, n_main);
        report_phase(&s, "small");
        run_edges(&s, n_main);
        report_phase(&s, "edges");
        report(&s);
    }
    mb_submission_finish(&s.submission);
    mb_free(s.rows);
    mb_gpu_finish(&s.gpu);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return check_summary("sweep");
}
