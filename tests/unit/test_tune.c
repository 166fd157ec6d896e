/* Tuning: who goes on, who is chosen, how far that reaches, on figures whose truth is known. */
#include "bench/settings.h"
#include "tune/tune.h"

#include <math.h>
#include <stdint.h>

#include "base/alloc.h"
#include "check.h"
#include "samples_fixture.h"
#include "tune/choose.h"
#include "tune/report.h"
#include "vk/shader.h"

#define N_BLOCKS   60
#define N_RESULTS  4
#define BOX        (1u << MB_QUESTION_EXACT | 1u << MB_QUESTION_ANY)
#define ANY        (1u << MB_QUESTION_ANY)
#define GAUSSIAN16 (1u << MB_QUESTION_GAUSSIAN16)

const struct mb_shader *const mb_shaders[] = {NULL};

static const struct mb_strategy small = {.name = "small"}, large = {.name = "large"};
static const struct mb_variant rows[N_RESULTS] = {
    {.strategy = &small}, {.strategy = &large}, {.strategy = &small}, {.strategy = &large}};

static void test_kinds(void)
{
    static const struct mb_extent even = {64, 16}, odd = {63, 16};
    static const struct {
        struct mb_tolerance tolerance;
        enum mb_reduce reduce;
        const struct mb_extent *size;
        unsigned questions;
    } kinds[] = {
        {{.filter.policy = MB_POLICY_FLOOR}, MB_REDUCE_AVG, &even, BOX},
        {{.filter.policy = MB_POLICY_FLOOR}, MB_REDUCE_AVG, &odd, ANY},
        {{.filter.policy = MB_POLICY_BOX}, MB_REDUCE_AVG, &odd, BOX},
        {{.arithmetic = MB_ARITHMETIC_CORNER}, MB_REDUCE_AVG, &odd, BOX},
        /* Loses precision, but not of a maximum. */
        {{.arithmetic = MB_ARITHMETIC_FP16}, MB_REDUCE_AVG, &even, ANY},
        {{.arithmetic = MB_ARITHMETIC_FP16}, MB_REDUCE_MAX, &even, BOX},
        {{.filter.policy = MB_POLICY_GAUSSIAN16}, MB_REDUCE_AVG, &even, GAUSSIAN16},
    };
    for (size_t i = 0; i < MB_COUNTOF(kinds); i++) {
        CHECK_EQ_INT(mb_answer_of(&kinds[i].tolerance, kinds[i].reduce,
                                  mb_policies_agree(*kinds[i].size, 7))
                         .questions,
                     kinds[i].questions);
    }
}

static void make_variants(struct mb_tune_variant *variants, size_t n, const double *ratios,
                          const unsigned *questions)
{
    for (size_t i = 0; i < n; i++) {
        variants[i] = (struct mb_tune_variant){.ratio = ratios[i], .questions = questions[i]};
    }
}

/* The bar of each question is its own: the best exact one goes on, though others are far ahead.
 */
static void test_select(void)
{
    static const double ratios[] = {1.0, 1.24, 1.26, 2.0, 2.4, 2.6, 9.0};
    static const unsigned questions[] = {
        ANY, ANY, ANY, BOX, BOX, BOX, 1u << MB_QUESTION_KAISER};
    static const bool is_kept[] = {true, true, false, true, true, false, true};
    struct mb_tune_variant variants[MB_COUNTOF(ratios)];
    make_variants(variants, MB_COUNTOF(ratios), ratios, questions);
    CHECK_EQ_INT(mb_tune_select(variants, MB_COUNTOF(ratios), 1.25, 0, 0), 5);
    for (size_t i = 0; i < MB_COUNTOF(ratios); i++) {
        CHECK_EQ_INT(variants[i].state, is_kept[i] ? MB_TUNE_ACTIVE : MB_TUNE_DROPPED);
    }
    CHECK_EQ_DBL(variants[2].behind, 1.26, 1e-12);
    CHECK_EQ_DBL(variants[5].behind, 1.3, 1e-12); /* to the best box, not to the best of any */
    CHECK(!variants[5].is_over_cap);
    /* What was left out before stays so, and is no bar; one that cannot run is no bar either.
     */
    variants[0].state = MB_TUNE_SKIPPED;
    CHECK_EQ_INT(mb_tune_select(variants, MB_COUNTOF(ratios), 1.10, 0, 1), 3);
    CHECK_EQ_INT(variants[1].state, MB_TUNE_ACTIVE);
    CHECK_EQ_INT(variants[4].state, MB_TUNE_DROPPED);
    CHECK_EQ_INT(variants[2].pass, 0);
    CHECK_EQ_INT(variants[4].pass, 1);
}

static void test_cap(void)
{
    static const double ratios[] = {1.03, 1.01, 1.02, 1.0, 1.0};
    static const unsigned questions[] = {ANY, ANY, ANY, ANY, ANY};
    struct mb_tune_variant variants[MB_COUNTOF(ratios)];
    make_variants(variants, MB_COUNTOF(ratios), ratios, questions);
    CHECK_EQ_INT(mb_tune_select(variants, MB_COUNTOF(ratios), 1.25, 3, 1), 3);
    CHECK_EQ_INT(variants[0].state, MB_TUNE_DROPPED);
    CHECK_EQ_INT(variants[2].state, MB_TUNE_DROPPED);
    CHECK(variants[0].is_over_cap && variants[2].is_over_cap && !variants[1].is_over_cap);
    CHECK_EQ_DBL(variants[0].behind, 1.03, 1e-12);
}

/* A wrong one that was fast had raised the bar: what it kept out is let in again. */
static void test_reopen(void)
{
    static const double ratios[] = {1.0, 2.0, 2.1, 5.0};
    static const unsigned questions[] = {BOX, BOX, BOX, BOX};
    struct mb_tune_variant variants[N_RESULTS];
    struct mb_tune_case c = {.variants = variants, .n_variants = N_RESULTS, .n_passes = 1};
    const struct mb_row row = {.column = 0};
    make_variants(variants, N_RESULTS, ratios, questions);
    CHECK_EQ_INT(mb_tune_select(variants, N_RESULTS, 1.25, 0, 0), 1);
    variants[0].state = MB_TUNE_FINAL;
    variants[0].row = &row;
    CHECK(!mb_tune_reopen(&c));
    CHECK_EQ_INT(variants[0].state, MB_TUNE_FINAL);
    variants[0].state = MB_TUNE_FAILED;
    variants[0].is_wrong = true;
    CHECK(mb_tune_reopen(&c));
    CHECK_EQ_INT(variants[0].state, MB_TUNE_FAILED);
    CHECK_EQ_INT(variants[1].state, MB_TUNE_ACTIVE);
    CHECK_EQ_INT(variants[2].state, MB_TUNE_ACTIVE);
    CHECK_EQ_INT(variants[3].state, MB_TUNE_DROPPED);
    CHECK_EQ_DBL(variants[3].behind, 2.5, 1e-12); /* to the best that is not wrong */
    CHECK_EQ_INT(c.pass[0].n_out, 2);
}

/* Results 0 to 3, verified, in full precision, of the box policy. */
static struct mb_timing *make_case(struct mb_case *c, const double ratio[N_RESULTS],
                                   double noise, const struct mb_format *format, uint32_t edge)
{
    double column[N_BLOCKS];
    *c = (struct mb_case){.results = mb_alloc(N_RESULTS, sizeof *c->results),
                          .n_results = N_RESULTS};
    mb_layout_init(&c->layout, format, (struct mb_extent){edge, edge}, 1, 7);
    struct mb_timing *timing = mb_case_add_timing(c, MB_CACHE_HOT, MB_MODE_LATENCY);
    timing->twin.ratio = 1.0;
    timing->samples = make_samples(N_BLOCKS, N_RESULTS, 1e4, ratio, noise, 0.0);
    for (size_t i = 0; i < N_RESULTS; i++) {
        struct mb_result *result = &c->results[i];
        mb_samples_column(&timing->samples, i, column);
        result->strategy = rows[i].strategy;
        snprintf(result->label, sizeof result->label, "%s:v=%zu", rows[i].strategy->name, i);
        result->verify = MB_VERIFY_PASS;
        result->has_work = true;
        result->work.n_dispatches = 1;
        timing->rows[i].column = i;
        CHECK_EQ_INT(mb_stats_compute(column, N_BLOCKS, &timing->rows[i].stats, NULL), MB_OK);
    }
    return timing;
}

/* The choice of what is exact. */
static struct mb_tune_choice choose(struct mb_timing *timing)
{
    struct mb_tune_choice choice[MB_N_QUESTIONS];
    CHECK_EQ_INT(mb_tune_choose(timing, 1, choice, NULL), MB_OK);
    return choice[MB_QUESTION_EXACT];
}

#define CHECK_ROW(row, index) CHECK((row)->result == &c.results[index])

static void test_distinct(void)
{
    static const double ratios[] = {1.5, 1.0, 1.2, 3.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01, mb_format_find("rgba8"), 64);
    struct mb_tune_choice choice = choose(timing);
    CHECK_ROW(choice.fastest, 1);
    CHECK_ROW(choice.chosen, 1);
    CHECK_ROW(choice.runner_up, 2);
    CHECK_EQ_INT(choice.n_tied, 0);
    CHECK(choice.is_distinct);
    CHECK_EQ_DBL(choice.next.ratio, 1.2, 0.01);
    CHECK_EQ_DBL(timing->rows[3].relation.ratio, 3.0, 0.03);
    CHECK_EQ_INT(timing->question, MB_QUESTION_EXACT); /* the one asked last, as in a run */
    CHECK_EQ_INT(timing->fastest, 1);
    /* What is wrong is not chosen, however fast; nor what is of another question. */
    c.results[1].verify = MB_VERIFY_FAIL;
    c.results[2].work.tolerance.arithmetic = MB_ARITHMETIC_FP16;
    choice = choose(timing);
    CHECK_ROW(choice.chosen, 0);
    CHECK_ROW(choice.runner_up, 3);
    for (size_t i = 0; i < N_RESULTS; i++) {
        c.results[i].verify = MB_VERIFY_SKIPPED;
    }
    choice = choose(timing);
    CHECK(choice.chosen == NULL && choice.runner_up == NULL);
    CHECK(choice.n_tied == 0 && !choice.is_distinct);
    mb_case_finish(&c);
}

/* Result 2 is the fastest by a hair; what cannot be told from it may be simpler. */
static void test_ties(void)
{
    static const double ratios[] = {1.002, 1.5, 1.0, 1.003};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.001, mb_format_find("rgba8"), 64);
    for (size_t i = 0; i < N_RESULTS; i++) {
        c.results[i].params.choice[1] = 1;
    }
    c.results[2].params.choice[0] = 3;
    c.results[3].work.n_dispatches = 9;
    struct mb_tune_choice choice = choose(timing);
    CHECK_ROW(choice.fastest, 2);
    CHECK_ROW(choice.chosen, 0); /* fewer parameters than 2, fewer dispatches than 3 */
    CHECK_ROW(choice.runner_up, 2);
    CHECK_EQ_INT(choice.n_tied, 2);
    CHECK(!choice.is_distinct);
    CHECK_EQ_DBL(choice.next.ratio, 1.0 / 1.002, 1e-3); /* to the chosen, not to the fastest */
    CHECK(choice.next.ci[0] <= choice.next.ratio && choice.next.ratio <= choice.next.ci[1]);
    c.results[3].params.choice[1] = 0; /* parameters come before dispatches */
    choice = choose(timing);
    CHECK_ROW(choice.chosen, 3);
    c.results[3].params.choice[1] = 1;
    c.results[3].work.n_dispatches = 1; /* alike but for their spread */
    timing->rows[0].stats.p75_ns *= 1.1;
    choice = choose(timing);
    CHECK_ROW(choice.chosen, 3);
    mb_case_finish(&c);
}

/* Noise ties what is 4 % apart; being simpler is not worth 4 %. */
static void test_noise(void)
{
    static const double ratios[] = {1.0, 1.04, 2.0, 2.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 1.0, mb_format_find("rgba8"), 64);
    const size_t fastest =
        timing->rows[0].stats.median_ns < timing->rows[1].stats.median_ns ? 0 : 1;
    c.results[fastest].params.choice[0] = 1;
    struct mb_tune_choice choice = choose(timing);
    const bool is_near = timing->rows[1 - fastest].relation.ratio <= 1.01;
    CHECK_EQ_INT(choice.n_tied, 1);
    CHECK(!choice.is_distinct);
    CHECK_ROW(choice.chosen, is_near ? 1 - fastest : fastest);
    mb_case_finish(&c);
}

/* Each question has its own ranking; that of a wide kernel is alone here, and the timing's. */
static void test_questions(void)
{
    static const double ratios[] = {1.0, 2.0, 3.0, 3.2};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01, mb_format_find("rgba8"), 64);
    struct mb_tune_choice choice[MB_N_QUESTIONS];
    c.results[0].work.tolerance.arithmetic = MB_ARITHMETIC_FP16;
    c.results[2].work.tolerance.filter.policy = MB_POLICY_KAISER;
    c.results[3].work.tolerance.filter.policy = MB_POLICY_KAISER;
    CHECK_EQ_INT(mb_tune_choose(timing, 1, choice, NULL), MB_OK);
    CHECK_ROW(choice[MB_QUESTION_EXACT].chosen, 1);
    CHECK(choice[MB_QUESTION_EXACT].runner_up == NULL);
    CHECK_ROW(choice[MB_QUESTION_ANY].chosen, 0);
    CHECK_ROW(choice[MB_QUESTION_ANY].runner_up, 1);
    CHECK_EQ_DBL(choice[MB_QUESTION_ANY].next.ratio, 2.0, 0.02);
    CHECK_ROW(choice[MB_QUESTION_KAISER].chosen, 2);
    CHECK_EQ_DBL(choice[MB_QUESTION_KAISER].next.ratio, 3.2 / 3.0, 0.01);
    CHECK(choice[MB_QUESTION_LANCZOS].chosen == NULL);
    c.results[0].verify = c.results[1].verify = MB_VERIFY_FAIL;
    CHECK_EQ_INT(mb_tune_choose(timing, 1, choice, NULL), MB_OK);
    CHECK(choice[MB_QUESTION_ANY].chosen == NULL);
    CHECK_EQ_INT(timing->question, MB_QUESTION_KAISER);
    CHECK_EQ_INT(timing->fastest, 2);
    mb_case_finish(&c);
}

static void test_cross(void)
{
    CHECK_EQ_DBL(mb_tune_cross(100.0, 0.5, 10000.0, 2.0), 1000.0, 1e-6);
    CHECK_EQ_DBL(mb_tune_cross(100.0, 0.25, 10000.0, 2.0), exp(log(100.0) * (1.0 + 2.0 / 3.0)),
                 1e-6);
    CHECK(isnan(mb_tune_cross(100.0, 1.1, 10000.0, 2.0)));
    CHECK(isnan(mb_tune_cross(100.0, 0.5, 10000.0, 0.9)));
    CHECK(isnan(mb_tune_cross(100.0, (double)NAN, 10000.0, 2.0)));
}

/* "small:v=0" is the fastest on the first size, "large:v=1" on others. */
static const double first[] = {0.5, 1.0, 3.0, 3.0}, then[] = {2.0, 1.0, 3.0, 3.0};

struct fixture {
    struct mb_run run;
    struct mb_tune tune;
    struct mb_settings settings;
};

static void add_case(struct fixture *f, const char *format, uint32_t edge,
                     const double ratio[N_RESULTS])
{
    struct mb_tune_case *c = &f->tune.cases[f->tune.n_cases];
    struct mb_case *final = mb_run_add_case(&f->run);
    struct mb_timing *timing = make_case(final, ratio, 0.001, mb_format_find(format), edge);
    *c = (struct mb_tune_case){
        .layout = final->layout,
        .final = timing,
        .variants = mb_alloc(N_RESULTS, sizeof *c->variants),
        .n_variants = N_RESULTS,
        .anchor = SIZE_MAX,
    };
    for (size_t i = 0; i < N_RESULTS; i++) {
        c->variants[i] = (struct mb_tune_variant){.state = MB_TUNE_FINAL,
                                                  .row = &timing->rows[i],
                                                  .questions = BOX,
                                                  .ratio = ratio[i]};
    }
    CHECK_EQ_INT(mb_tune_choose(timing, 1, c->choice, NULL), MB_OK);
    f->tune.n_cases++;
}

static void init(struct fixture *f)
{
    *f = (struct fixture){
        .run = {.settings = &f->settings},
        .tune = {.rows = rows,
                 .n_rows = N_RESULTS,
                 .cases = mb_alloc(8, sizeof *f->tune.cases)},
    };
}

/* Two sizes, or one. */
static void init_with(struct fixture *f, size_t n_sizes)
{
    init(f);
    add_case(f, "rgba8", 64, first);
    if (n_sizes > 1) {
        add_case(f, "rgba8", 256, then);
    }
}

/* Classify anew; returns the first class. */
static const struct mb_tune_choice *classify(struct fixture *f)
{
    CHECK_EQ_INT(mb_tune_classify(&f->tune, NULL), MB_OK);
    return f->tune.classes[0];
}

static void finish(struct fixture *f)
{
    mb_tune_finish(&f->tune);
    mb_run_finish(&f->run);
}

static void test_crossovers(void)
{
    struct fixture f;
    init(&f);
    add_case(&f, "rgba8", 256, then); /* out of order, as sizes may be given */
    add_case(&f, "rgba8", 64, first);
    add_case(&f, "rgba8", 1024, then);
    add_case(&f, "rgba8", 100, then);
    add_case(&f, "r32f", 64, then);
    classify(&f);
    CHECK_EQ_INT(f.tune.n_classes, 2 * 5);
    struct mb_tune_choice *const *classes = f.tune.classes;
    const struct mb_tune_case *cases = f.tune.cases;
    CHECK(classes[0]->of == &cases[1] && classes[1]->of == &cases[0] &&
          classes[2]->of == &cases[2]);
    CHECK(classes[0]->is_even && !classes[3]->is_even && classes[3]->of == &cases[3]);
    CHECK_EQ_INT(classes[4]->question, MB_QUESTION_ANY);
    /* 64 to 256: the ratio goes from 1/2 to 2, and so is 1 at 128x128. */
    CHECK(classes[0]->above == classes[1] && classes[1]->above == NULL);
    CHECK(classes[4]->above == classes[5] && classes[5]->above == NULL);
    CHECK_EQ_DBL(f.tune.classes[0]->border_texels, 128.0 * 128.0, 100.0);
    CHECK_EQ_INT(f.tune.classes[0]->how, MB_TUNE_INTERPOLATED);
    CHECK_EQ_DBL((double)classes[0]->max_texels, 128.0 * 128.0, 100.0);
    CHECK(127 <= classes[0]->max_edge && classes[0]->max_edge <= 128);
    CHECK_EQ_INT(classes[1]->max_edge, 512); /* halfway: nothing changes */
    CHECK_EQ_INT(classes[2]->max_edge, 1024);
    CHECK_EQ_INT(classes[2]->max_texels, 1024 * 1024);
    CHECK_EQ_INT(classes[3]->max_edge, 100);
    finish(&f);
}

/* The winner below, "auto", is there under another name above: timed, and the same winner. */
static void test_same(void)
{
    struct fixture f;
    init_with(&f, 2);
    f.tune.cases[1].variants[0] = (struct mb_tune_variant){.state = MB_TUNE_SAME, .same_as = 2};
    f.tune.cases[1].variants[2].row =
        &f.run.cases[1]->timings[0].rows[0]; /* the one that is 2.0 times the winner's time */
    CHECK_EQ_INT(classify(&f)->how, MB_TUNE_INTERPOLATED);
    CHECK_EQ_DBL(f.tune.classes[0]->border_texels, 128.0 * 128.0, 100.0);
    f.tune.cases[1].variants[0].same_as = 1;
    classify(&f);
    CHECK(f.tune.classes[0]->above == NULL);
    CHECK_EQ_INT(f.tune.classes[0]->max_edge, 128); /* halfway */
    finish(&f);
}

/* The other ways to find a border: by a pass, halfway, and where the winner below cannot run.
 */
static void test_borders(void)
{
    struct fixture f;
    init_with(&f, 2);
    struct mb_tune_variant *below = &f.tune.cases[1].variants[0];
    below->state = MB_TUNE_DROPPED;
    CHECK_EQ_INT(classify(&f)->how, MB_TUNE_ESTIMATED);
    CHECK_EQ_DBL(f.tune.classes[0]->border_texels, 128.0 * 128.0, 100.0);
    below->ratio = 0.9; /* the pass says otherwise than the final */
    CHECK_EQ_INT(classify(&f)->how, MB_TUNE_MIDPOINT);
    CHECK_EQ_DBL(f.tune.classes[0]->border_texels, 128.0 * 128.0, 1e-6);
    below->state = MB_TUNE_SKIPPED;
    CHECK_EQ_INT(classify(&f)->how, MB_TUNE_LIMIT);
    CHECK_EQ_INT(f.tune.classes[0]->max_texels, 64 * 64);
    CHECK_EQ_INT(f.tune.classes[0]->max_edge, 64);
    finish(&f);
}

/* A device may be called anything: nothing of it gets out of its comment or literal. */
static void test_header(void)
{
    struct fixture f;
    char *text = NULL;
    init(&f);
    snprintf(f.run.device.name, sizeof f.run.device.name, "a*/b\"c\\d?\?/e\xc3\xa9");
    add_case(&f, "rgba8", 64, first);
    classify(&f);
    CHECK_EQ_INT(mb_tune_header(&f.run, &f.tune, &text, NULL), MB_OK);
    CHECK(strstr(text, "#define MIPBENCH_TUNED_DEVICE "
                       "\"a*/b\\042c\\134d\\077\\077/e\\303\\251\"\n") != NULL);
    CHECK(strstr(text, "a* /b\"c\\ d") != NULL && strstr(text, "a*/b\"") == NULL);
    CHECK(strstr(text,
                 "{\"rgba8\", \"avg\", MIPBENCH_TUNED_EXACT, 1, 64, 64, UINT64_C(4096), 64,\n"
                 "     \"small\", \"v=0\", ") != NULL);
    CHECK(strstr(text, "\"large:v=1\", ") != NULL);
    CHECK(strstr(text, "#define MIPBENCH_TUNED_COMPLETE 0\n") != NULL);
    CHECK(strstr(text, "INCOMPLETE") != NULL && strstr(text, "SELF-TEST") == NULL);
    mb_free(text);
    f.run.complete = true;
    f.tune.has_selftest = true;
    CHECK_EQ_INT(mb_tune_header(&f.run, &f.tune, &text, NULL), MB_OK);
    CHECK(strstr(text, "INCOMPLETE") == NULL && strstr(text, "SELF-TEST") != NULL);
    mb_free(text);
    finish(&f);
}

static void test_verdict(void)
{
    struct fixture f;
    struct mb_err why = {0};
    init_with(&f, 1);
    struct mb_tune_case *c = &f.tune.cases[0];
    CHECK_EQ_INT(mb_tune_verdict(&f.tune, &why), MB_ERRC_NONE);
    c->variants[1] = (struct mb_tune_variant){.state = MB_TUNE_FAILED, .reason = "slow"};
    CHECK_EQ_INT(mb_tune_verdict(&f.tune, &why), MB_ERRC_RUNTIME);
    c->variants[2] =
        (struct mb_tune_variant){.state = MB_TUNE_FAILED, .is_wrong = true, .reason = "wrong"};
    CHECK_EQ_INT(mb_tune_verdict(&f.tune, &why), MB_ERRC_VERIFY);
    CHECK_EQ_STR(why.text, "small: wrong");
    c->variants[1].state = c->variants[2].state = MB_TUNE_SKIPPED;
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        c->choice[question].chosen = NULL;
    }
    CHECK_EQ_INT(mb_tune_verdict(&f.tune, &why), MB_ERRC_UNSUPPORTED);
    CHECK(strstr(why.text, "64x64 rgba8: no decision, since none of 4 variants can take part: "
                           "small: ") == why.text);
    CHECK(strstr(why.hint, "--strategy") != NULL);
    finish(&f);
}

static size_t count_text(const char *text, const char *part)
{
    size_t n = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

/* The longest names are written out wherever a variant is named: cut, two would be alike. */
static void test_long_labels(void)
{
    static const char *const values[] = {
        "short", "a-value-that-leaves-few-of-the-columns-that-a-label-may-have-to-the-others",
        NULL};
    static const struct mb_param params[] = {
        {.name = "a-parameter-of-a-strategy-that-has-a-long-name-itself", .values = values},
        {0}};
    static const struct mb_strategy strategy = {.name = "small", .params = params};
    static const struct mb_variant row = {.strategy = &strategy, .params.choice = {1}};
    char label[MB_LABEL_BYTES], quoted[MB_LABEL_BYTES + 8];
    struct mb_variant long_rows[N_RESULTS] = {row, row, row, row};
    struct fixture f;
    struct mb_err why = {0};
    char *json = NULL;
    mb_variant_label(&row, label, sizeof label);
    CHECK(strlen(label) > 130 && strlen(label) < MB_LABEL_BYTES - 1);
    init_with(&f, 1);
    const struct mb_variant *short_rows = f.tune.rows;
    struct mb_tune_case *c = &f.tune.cases[0];
    f.tune.rows = long_rows;
    c->variants[1] = (struct mb_tune_variant){.state = MB_TUNE_FAILED, .reason = "slow"};
    c->variants[2] = (struct mb_tune_variant){.state = MB_TUNE_DROPPED};
    c->n_passes = 1;
    c->anchor = 0;
    CHECK_EQ_INT(mb_tune_verdict(&f.tune, &why), MB_ERRC_RUNTIME);
    CHECK(strncmp(why.text, label, strlen(label)) == 0);
    CHECK_EQ_INT(mb_tune_json(&f.run, &f.tune, &json, &why), MB_OK);
    snprintf(quoted, sizeof quoted, "\"%s\"", label);
    CHECK(json && count_text(json, quoted) >= 3); /* failed, dropped, the anchor of the pass */
    mb_free(json);
    f.tune.rows = short_rows;
    finish(&f);
}

static enum mb_status try_choose(void *user, struct mb_err *err)
{
    struct fixture *f = user;
    struct mb_tune_choice choice[MB_N_QUESTIONS];
    return mb_tune_choose(&f->run.cases[0]->timings[0], 1, choice, err);
}

static enum mb_status try_write(void *user, struct mb_err *err)
{
    struct fixture *f = user;
    enum mb_status status = MB_OK;
    char *header = NULL, *json = NULL;
    MB_TRY(mb_tune_classify(&f->tune, err));
    MB_TRY(mb_tune_header(&f->run, &f->tune, &header, err));
    MB_TRY(mb_tune_json(&f->run, &f->tune, &json, err));
fail:
    mb_free(header);
    mb_free(json);
    mb_alloc_fail_nth(0, false);
    classify(f); /* as it was before */
    return status;
}

static void test_no_memory(void)
{
    struct fixture f;
    init_with(&f, 2);
    classify(&f);
    const unsigned n_choose = check_each_allocation(try_choose, &f);
    const unsigned n_write = check_each_allocation(try_write, &f);
    CHECK(3 <= n_choose && n_choose < 100);
    CHECK(100 < n_write && n_write < 9000);
    finish(&f);
}

int main(void)
{
    return CHECK_TESTS(test_kinds, test_select, test_cap, test_reopen, test_distinct, test_ties,
                       test_noise, test_questions, test_cross, test_crossovers, test_same,
                       test_borders, test_header, test_verdict, test_long_labels,
                       test_no_memory);
}
