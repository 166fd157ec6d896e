/* Tuning: who goes on, who is chosen, how far that reaches, on figures whose truth is known. */
#include "bench/settings.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <strings.h>

#include "base/alloc.h"
#include "check.h"
#include "result/ranking.h"
#include "result/relate.h"
#include "samples_fixture.h"
#include "tune/tune.h"
#include "vk/shader.h"

#define N_BLOCKS   60
#define N_RESULTS  4
#define BOX        (1u << MB_QUESTION_EXACT | 1u << MB_QUESTION_ANY)
#define ANY        (1u << MB_QUESTION_ANY)
#define GAUSSIAN16 (1u << MB_QUESTION_GAUSSIAN16)

const struct mb_shader *const mb_shaders[] = {NULL};

static const struct mb_strategy small = {.name = "small"}, large = {.name = "large"};
static const struct mb_strategy *const strategies[N_RESULTS] = {&small, &large, &small, &large};

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
    CHECK(mb_tune_is_power(even) && !mb_tune_is_power(odd));
    for (size_t i = 0; i < MB_COUNTOF(kinds); i++) {
        CHECK_EQ_INT(
            mb_answer_of(&kinds[i].tolerance, kinds[i].reduce, mb_tune_is_power(*kinds[i].size))
                .questions,
            kinds[i].questions);
    }
}

static void make_trials(struct mb_tune_trial *trials, size_t n, const double *ratios,
                        const unsigned *questions)
{
    for (size_t i = 0; i < n; i++) {
        trials[i] = (struct mb_tune_trial){.ratio = ratios[i], .questions = questions[i]};
    }
}

/* The bar of each question is its own: the best exact one goes on, though others are far ahead.
 */
static void test_select(void)
{
    static const double ratios[] = {1.0, 1.09, 1.11, 2.0, 2.19, 2.6, 9.0, NAN};
    static const unsigned questions[] = {ANY, ANY, ANY, BOX, BOX, BOX, 1u << MB_QUESTION_KAISER,
                                         0};
    static const bool is_kept[] = {true, true, false, true, true, false, true, true};
    struct mb_tune_trial trials[MB_COUNTOF(ratios)];
    const char *left_out[MB_COUNTOF(ratios)];
    make_trials(trials, MB_COUNTOF(ratios), ratios, questions);
    CHECK_EQ_INT(mb_tune_select(trials, MB_COUNTOF(ratios), left_out), 6);
    for (size_t i = 0; i < MB_COUNTOF(ratios); i++) {
        CHECK_EQ_INT(left_out[i] == NULL, is_kept[i]);
    }
    CHECK(strstr(left_out[2], " 1.11x slower") != NULL);
    CHECK(strstr(left_out[5], " 1.30x slower") != NULL); /* to the best exact one */
    /* A wrong one that was fast had raised the bar: what it kept out is let in again. */
    trials[0].questions = 0;
    CHECK_EQ_INT(mb_tune_select(trials, MB_COUNTOF(ratios), left_out), 7);
    CHECK(left_out[0] == NULL && left_out[2] == NULL && left_out[5] != NULL);
}

/* Within the margin, but too many: the slowest go, and of equals the last. */
static void test_cap(void)
{
    double ratios[MB_TUNE_FINALISTS + 3];
    unsigned questions[MB_COUNTOF(ratios)];
    const char *left_out[MB_COUNTOF(ratios)];
    struct mb_tune_trial trials[MB_COUNTOF(ratios)];
    for (size_t i = 0; i < MB_COUNTOF(ratios); i++) {
        ratios[i] = i == 0 ? 1.02 : i == 1 ? 1.01 : 1.0;
        questions[i] = ANY;
    }
    make_trials(trials, MB_COUNTOF(ratios), ratios, questions);
    CHECK_EQ_INT(mb_tune_select(trials, MB_COUNTOF(ratios), left_out), MB_TUNE_FINALISTS);
    for (size_t i = 0; i < MB_COUNTOF(ratios); i++) {
        CHECK_EQ_INT(left_out[i] != NULL, i < 2 || i + 1 == MB_COUNTOF(ratios));
    }
    CHECK(strstr(left_out[0], " 1.02x slower") != NULL);
}

/* Results 0 to 3, verified, in full precision, of the box policy. */
static struct mb_timing *make_case(struct mb_case *c, const double ratio[N_RESULTS],
                                   double noise, const struct mb_format *format, uint32_t edge)
{
    double column[N_BLOCKS];
    *c = (struct mb_case){.results = mb_alloc(N_RESULTS, sizeof *c->results),
                          .n_results = N_RESULTS};
    mb_layout_init(&c->layout, format, (struct mb_extent){edge, edge}, 1, 1);
    struct mb_timing *timing = mb_case_add_timing(c, MB_CACHE_HOT, MB_MODE_LATENCY);
    timing->samples = make_samples(N_BLOCKS, N_RESULTS, 1e4, ratio, noise, 0.0);
    for (size_t i = 0; i < N_RESULTS; i++) {
        struct mb_result *result = &c->results[i];
        mb_samples_column(&timing->samples, i, column);
        result->strategy = strategies[i];
        snprintf(result->label, sizeof result->label, "%s:v=%zu", strategies[i]->name, i);
        snprintf(result->slug, sizeof result->slug, "%s_v-%zu", strategies[i]->name, i);
        result->has_work = true;
        result->verify = MB_VERIFY_PASS;
        result->work.n_dispatches = 1;
        timing->rows[i].column = i;
        CHECK_EQ_INT(mb_stats_compute(column, N_BLOCKS, &timing->rows[i].stats, NULL), MB_OK);
    }
    mb_ranking_choose(timing);
    return timing;
}

/* Choose anew; `*tune` is freed, or zero. Returns what is chosen as the fastest exact one. */
static const struct mb_tune_class *choose(struct mb_tune *tune, struct mb_timing *timing)
{
    mb_tune_finish(tune);
    CHECK_EQ_INT(mb_tune_add(tune, timing, 1, NULL), MB_OK);
    return mb_tune_find(tune, timing->of, MB_QUESTION_EXACT);
}

static void finish_case(struct mb_case *c, struct mb_tune *tune)
{
    mb_tune_finish(tune);
    mb_case_finish(c);
}

#define CHECK_ROW(row, index) CHECK((row)->result == &c.results[index])

static void test_distinct(void)
{
    static const double ratios[] = {1.5, 1.0, 1.2, 3.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 0.01, mb_format_find("rgba8"), 64);
    struct mb_tune tune = {0};
    const struct mb_tune_class *class = choose(&tune, timing);
    CHECK_ROW(class->fastest, 1);
    CHECK_ROW(class->chosen, 1);
    CHECK_ROW(class->runner_up, 2);
    CHECK_EQ_INT(class->next.outcome, MB_OUTCOME_SLOWER);
    CHECK_EQ_DBL(class->next.ratio, 1.2, 0.01);
    CHECK_EQ_INT(timing->fastest, 1);
    CHECK_EQ_DBL(timing->rows[3].relation.ratio, 3.0, 0.03);
    /* What is wrong is not chosen, however fast; nor what is of another question. */
    c.results[1].verify = MB_VERIFY_FAIL;
    c.results[2].work.tolerance.arithmetic = MB_ARITHMETIC_FP16;
    mb_ranking_choose(timing);
    class = choose(&tune, timing);
    CHECK_ROW(class->chosen, 0);
    CHECK_ROW(class->runner_up, 3);
    const struct mb_tune_class *any = mb_tune_find(&tune, &c, MB_QUESTION_ANY);
    CHECK_ROW(any->chosen, 2);
    CHECK_ROW(any->runner_up, 0);
    CHECK_EQ_DBL(any->next.ratio, 1.5 / 1.2, 0.02);
    /* Related as before: what was asked last does not show in the results. */
    CHECK_EQ_INT(timing->fastest, 0);
    CHECK_EQ_DBL(timing->rows[2].relation.ratio, 1.2 / 1.5, 0.02);
    for (size_t i = 0; i < N_RESULTS; i++) {
        c.results[i].verify = MB_VERIFY_FAIL;
    }
    CHECK(choose(&tune, timing) == NULL && tune.n_classes == 0);
    finish_case(&c, &tune);
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
    c.results[1].params.choice[1] = 0; /* simpler still, but slower */
    struct mb_tune tune = {0};
    const struct mb_tune_class *class = choose(&tune, timing);
    CHECK_ROW(class->fastest, 2);
    CHECK_ROW(class->chosen, 0); /* fewer parameters than 2, and faster than 3 */
    CHECK_ROW(class->runner_up, 2);
    CHECK(class->next.outcome != MB_OUTCOME_SLOWER);
    CHECK_EQ_DBL(class->next.ratio, 1.0 / 1.002, 1e-3); /* to the chosen, not to the fastest */
    CHECK(class->next.ci[0] <= class->next.ratio && class->next.ratio <= class->next.ci[1]);
    c.results[3].params.choice[1] = 0;
    CHECK_ROW(choose(&tune, timing)->chosen, 3);
    finish_case(&c, &tune);
}

/* Noise ties what is 4 % apart; being simpler is not worth 4 %. */
static void test_noise(void)
{
    static const double ratios[] = {1.0, 1.04, 2.0, 2.0};
    struct mb_case c;
    struct mb_timing *timing = make_case(&c, ratios, 1.0, mb_format_find("rgba8"), 64);
    const size_t fastest = timing->fastest;
    c.results[fastest].params.choice[0] = 1;
    struct mb_tune tune = {0};
    const struct mb_tune_class *class = choose(&tune, timing);
    const bool is_near = timing->rows[1 - fastest].relation.ratio <= 1.01;
    CHECK(class->next.outcome != MB_OUTCOME_SLOWER);
    CHECK_ROW(class->chosen, is_near ? 1 - fastest : fastest);
    finish_case(&c, &tune);
}

/* "small:v=0" is the fastest on the first size, "large:v=1" on others. */
static const double first[] = {0.25, 1.0, 3.0, 3.0}, then[] = {2.0, 1.0, 3.0, 3.0};

struct fixture {
    struct mb_run run;
    struct mb_tune tune;
    struct mb_settings settings;
};

static void add_case(struct fixture *f, const char *format, uint32_t edge,
                     const double ratio[N_RESULTS])
{
    struct mb_case *c = mb_run_add_case(&f->run);
    struct mb_timing *timing = make_case(c, ratio, 0.001, mb_format_find(format), edge);
    CHECK_EQ_INT(mb_tune_add(&f->tune, timing, 1, NULL), MB_OK);
}

static void init(struct fixture *f)
{
    *f = (struct fixture){.run = {.settings = &f->settings}};
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
    CHECK_EQ_INT(f.tune.n_classes, 2 * 5);
    const struct mb_tune_class *classes = f.tune.classes + 2; /* r32f is before them */
    struct mb_case *const *cases = f.run.cases;
    CHECK(classes[0].timing->of == cases[1] && classes[1].timing->of == cases[0] &&
          classes[2].timing->of == cases[2]);
    CHECK(classes[0].is_power && !classes[3].is_power && classes[3].timing->of == cases[3]);
    CHECK_EQ_INT(classes[4].question, MB_QUESTION_ANY);
    /* 64 to 256: the ratio goes from 1/4 to 2, and so is 1 at two thirds of the way. */
    const double edge = 64.0 * pow(256.0 / 64.0, 2.0 / 3.0);
    CHECK_EQ_DBL((double)classes[0].max_texels, edge * edge, 200.0);
    CHECK_EQ_DBL(classes[0].max_edge, edge, 1.0);
    CHECK_EQ_INT(classes[1].max_edge, 512); /* halfway: nothing changes */
    CHECK_EQ_INT(classes[2].max_edge, 1024);
    CHECK_EQ_INT(classes[2].max_texels, 1024 * 1024);
    CHECK_EQ_INT(classes[3].max_edge, 100);
    finish(&f);
}

/* The other ways to find a border: halfway, as the winner below was not in the final above, and
 * where it cannot run. */
static void test_borders(void)
{
    struct fixture f;
    init(&f);
    add_case(&f, "rgba8", 64, first);
    struct mb_case *c = mb_run_add_case(&f.run);
    struct mb_timing *timing = make_case(c, then, 0.001, mb_format_find("rgba8"), 256);
    snprintf(timing->rows[0].skipped, sizeof timing->rows[0].skipped, "not in the final");
    timing->rows[0].stats = mb_no_stats;
    CHECK_EQ_INT(mb_tune_add(&f.tune, timing, 1, NULL), MB_OK);
    CHECK_EQ_INT(f.tune.classes[0].max_texels, 128 * 128);
    c->results[0].status = MB_RESULT_SKIPPED;
    f.tune.n_classes = 2; /* without those of this case */
    f.tune.classes[1] = f.tune.classes[2];
    CHECK_EQ_INT(mb_tune_add(&f.tune, timing, 1, NULL), MB_OK);
    CHECK_EQ_INT(f.tune.classes[0].max_texels, 64 * 64);
    CHECK_EQ_INT(f.tune.classes[0].max_edge, 64);
    finish(&f);
}

/* A device may be called anything: nothing of it gets out of its literal. */
static void test_header(void)
{
    struct fixture f;
    MB_SCOPED(mb_strbuf) header = {0};
    init(&f);
    snprintf(f.run.device.name, sizeof f.run.device.name, "a*/b\"c\\d?\?/e\xc3\xa9");
    add_case(&f, "rgba8", 64, first);
    mb_tune_header(&f.run, &f.tune, &header);
    const char *text = mb_strbuf_text(&header);
    CHECK(strstr(text, "#define MIPBENCH_TUNED_DEVICE "
                       "\"a*/b\\042c\\134d\\077\\077/e\\303\\251\"\n") != NULL);
    CHECK(
        strstr(text,
               "{\"rgba8\", \"avg\", MIPBENCH_TUNED_EXACT, 1, 64, 64, UINT64_C(4096), 64, \\\n"
               "     \"small\", \"v=0\", ") != NULL);
    CHECK(strstr(text, "\"large:v=1\", ") != NULL);
    CHECK(strstr(text, "#define MIPBENCH_TUNED_COMPLETE 0\n") != NULL);
    CHECK(strstr(text, "INCOMPLETE") != NULL && strstr(text, "SELF-TEST") == NULL);
    const char *enumerator = strstr(text, "enum mipbench_tuned_question {");
    for (int i = 0; i < MB_N_QUESTIONS; i++) {
        enumerator = strchr(enumerator, '\n') + strlen("\n    MIPBENCH_TUNED_");
        const size_t n = strlen(mb_question_names[i]);
        CHECK(strncasecmp(enumerator, mb_question_names[i], n) == 0 && !isalnum(enumerator[n]));
    }
    mb_strbuf_finish(&header);
    f.run.complete = true;
    f.tune.has_selftest = true;
    mb_tune_header(&f.run, &f.tune, &header);
    text = mb_strbuf_text(&header);
    CHECK(strstr(text, "INCOMPLETE") == NULL && strstr(text, "SELF-TEST") != NULL);
    finish(&f);
}

static enum mb_status try_add(void *user, struct mb_err *err)
{
    struct fixture *f = user;
    const size_t n_before = f->tune.n_classes;
    const enum mb_status status = mb_tune_add(&f->tune, &f->run.cases[0]->timings[0], 1, err);
    CHECK_EQ_INT(f->tune.n_classes, n_before + (status == MB_OK ? 2 : 0));
    return status;
}

static enum mb_status try_write(void *user, struct mb_err *err)
{
    struct fixture *f = user;
    MB_SCOPED(mb_strbuf) out = {0};
    mb_tune_header(&f->run, &f->tune, &out);
    mb_tune_json(&f->run, &f->tune, &out);
    return mb_strbuf_check(&out, err);
}

static void test_no_memory(void)
{
    struct fixture f;
    init(&f);
    add_case(&f, "rgba8", 64, first);
    add_case(&f, "rgba8", 256, then);
    const unsigned n_add = check_each_allocation(try_add, &f);
    const unsigned n_write = check_each_allocation(try_write, &f);
    CHECK(3 <= n_add && n_add < 1000);
    CHECK(100 < n_write && n_write < 9000);
    finish(&f);
}

int main(void)
{
    return CHECK_TESTS(test_kinds, test_select, test_cap, test_distinct, test_ties, test_noise,
                       test_crossovers, test_borders, test_header, test_no_memory);
}
