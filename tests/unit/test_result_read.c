/* Reading results.json: what is in it, what it may lack, and everything that is wrong. */
#include "result/result_json.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "compare/match.h"
#include "result/label.h"
#include "check.h"

#define HEAD                                                                                   \
    "{\"schema\":{\"name\":\"mipbench\",\"version\":\"2.1.0\"},"                               \
    "\"run\":{\"id\":\"r1\",\"seed\":\"18446744073709551615\",\"complete\":true,"              \
    "\"argv\":[\"mipbench\",\"a.png\"],\"tool\":{\"git_sha\":\"abc\"}},"                       \
    "\"device\":{\"name\":\"GPU\\u0007\",\"driver\":{\"version\":\"7\",\"info\":null}},"
#define VARIANT                                                                                \
    "{\"id\":\"spd_load-texel\",\"label\":\"spd:load=texel\",\"strategy\":\"spd\","            \
    "\"params\":{\"load\":\"texel\",\"fp16\":\"off\"},\"status\":\"ok\",\"verify\":{"          \
    "\"status\":\"pass\"}}"
#define CASE                                                                                   \
    "{\"id\":\"a_8x8_rgba8_avg\",\"input\":\"a.png\",\"input_sha256\":\"ff\",\"width\":8,"     \
    "\"height\":8,\"layers\":1,\"levels\":4,\"format\":\"rgba8\",\"reduce\":\"avg\","          \
    "\"rect\":null,\"variants\":[" VARIANT "],\"timings\":["
#define SIZE "{\"width\":1,\"height\":1,\"format\":\"r8\""
#define ROW  "{\"variant\":\"spd_load-texel\",\"status\":\"ok\"}"
#define COLUMN(durations)                                                                      \
    "{\"variant\":\"spd_load-texel\",\"kind\":\"sample\",\"durations_ns\":" durations "}"
#define TIMING(cache, mode, more, durations)                                                   \
    "{\"cache\":\"" cache "\",\"mode\":\"" mode "\"," more                                     \
    "\"blocks\":{\"repeated\":[1],\"columns\":[" COLUMN(durations) "]},\"rows\":[" ROW "]}"
#define FILE_OF(cases) HEAD "\"cases\":[" cases "]}"
#define ONE(durations) FILE_OF(CASE TIMING("cold", "latency", "", durations) "]}")

#define RECT "{\"x\":0,\"y\":0,\"width\":1,\"height\":1}"

static struct mb_run read_good(const char *text)
{
    struct mb_run file;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_run_parse("f.json", text, &file, &err), MB_OK);
    CHECK_EQ_STR(err.text, "");
    return file;
}

static void expect_refusal(const char *text, const char *want)
{
    struct mb_run file;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_run_parse("f.json", text, &file, &err), MB_FAILED);
    CHECK_EQ_STR(err.text, want);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK(file.cases == NULL && file.path == NULL);
    mb_run_finish(&file);
}

static void expect_error(const char *text, const char *want)
{
    expect_refusal(text, want);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

static void test_all(void)
{
    struct mb_run file = read_good(
        FILE_OF(CASE TIMING("cold", "latency", "\"aa_control\":{\"ratio\":1.02},",
                            "[3,7,1e3,2.5]") "]}")); /* the second block was repeated */
    const struct mb_timing *timing = &file.cases[0]->timings[0];
    const struct mb_row *row = &timing->rows[0];
    double samples_ns[3];
    CHECK_EQ_STR(file.id, "r1");
    CHECK_EQ_STR(file.device.name, "GPU?");
    CHECK_EQ_STR(mb_run_driver(&file), "7");
    CHECK_EQ_STR(file.tool.git_sha, "abc");
    CHECK(file.seed == UINT64_MAX);
    CHECK(file.complete && !file.validate);
    CHECK_EQ_INT(file.argc, 2);
    CHECK_EQ_STR(file.argv[1], "a.png");
    CHECK_EQ_INT(file.n_cases, 1);
    CHECK_EQ_STR(row->result->label, "spd:load=texel");
    CHECK_EQ_STR(mb_timing_place(timing).s, "a_8x8_rgba8_avg cold");
    CHECK_EQ_STR(mb_timing_condition(timing).s, "cold latency");
    CHECK_EQ_INT(mb_row_status(row), MB_RESULT_OK);
    CHECK_EQ_INT(row->result->verify, MB_VERIFY_PASS);
    CHECK_EQ_INT(mb_row_n_samples(row), 3);
    mb_samples_column(&timing->samples, row->column, samples_ns);
    CHECK_EQ_DBL(samples_ns[1], 1000, 0);
    CHECK_EQ_DBL(timing->twin.ratio, 1.02, 0);
    mb_run_finish(&file);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

static void test_sparse(void)
{
    struct mb_run file = read_good(
        "\xef\xbb\xbf{\"schema\":{\"name\":\"mipbench\",\"version\":\"2.0.0\"},\"run\":null,"
        "\"cases\":[{\"width\":1,\"height\":1,\"format\":\"r8\",\"reduce\":\"avg\","
        "\"variants\":[{\"id\":\"x\",\"label\":\"x\",\"strategy\":\"x\",\"params\":[1]},"
        "{\"id\":\"y\",\"label\":\"y\",\"strategy\":\"y\",\"status\":\"ok\","
        "\"verify\":{\"status\":\"new\"}},{\"id\":\"z\",\"status\":\"ok\"}],"
        "\"timings\":[{\"cache\":\"hot\",\"mode\":\"latency\","
        "\"rows\":[{\"variant\":\"x\"},{\"variant\":\"y\",\"status\":\"new\"}],"
        "\"blocks\":{\"columns\":[{\"variant\":\"x\",\"kind\":\"sample\",\"durations_ns\":"
        "[1,null,-1,1e999,\"4\",0,1e308,1e-300,2.5]}]}}]}]}");
    const struct mb_case *c = file.cases[0];
    const struct mb_row *rows = c->timings[0].rows;
    CHECK_EQ_INT(c->n_results, 3);
    CHECK_EQ_INT(file.argc, 0);
    CHECK(!file.complete);
    CHECK_EQ_INT(mb_row_n_samples(&rows[0]), 9);
    CHECK_EQ_INT(mb_row_n_bad_samples(&rows[0]), 7);
    CHECK(isnan(c->timings[0].twin.ratio));
    CHECK_EQ_INT(mb_row_status(&rows[0]), MB_RESULT_FAILED); /* it does not say that it is ok */
    CHECK_EQ_INT(rows[0].result->verify, MB_VERIFY_SKIPPED);
    CHECK_EQ_INT(mb_row_status(&rows[1]), MB_RESULT_FAILED);
    CHECK_EQ_INT(rows[1].result->verify, MB_VERIFY_FAIL);
    CHECK_EQ_INT(mb_row_status(&rows[2]), MB_RESULT_SKIPPED); /* the timing has no row of it */
    mb_run_finish(&file);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

/* The key of the only row, as compare/match.h makes it; the caller's. */
static char *key_in(const struct mb_run *run)
{
    const struct mb_side_runs side = {&run, 1};
    struct mb_tests found;
    CHECK_EQ_INT(mb_match_runs(&side, 1, &found, NULL), MB_OK);
    char *key = mb_strdup(found.tests[0].key);
    mb_tests_finish(&found);
    return key;
}

/* The key of the one row with `from` replaced. */
static char *key_of(const char *from, const char *to)
{
    const char *text = ONE("[]");
    struct mb_strbuf changed = {0};
    const char *at = strstr(text, from);
    CHECK(at != NULL);
    mb_strbuf_append_n(&changed, text, (size_t)(at - text));
    mb_strbuf_append(&changed, to);
    mb_strbuf_append(&changed, at + strlen(from));
    struct mb_run file = read_good(mb_strbuf_text(&changed));
    char *key = key_in(&file);
    mb_run_finish(&file);
    mb_strbuf_finish(&changed);
    return key;
}

static void test_keys(void)
{
    static const struct {
        const char *from, *to;
        bool is_same;
    } cases[] = {
        {"\"load\":\"texel\",\"fp16\":\"off\"", "\"fp16\":\"off\",\"load\":\"texel\"", true},
        {"a.png\",\"input", "b.png\",\"input", true}, /* the contents count */
        {"r1", "r2", true},
        {"pass", "skipped", true},
        {"\"ff\"", "\"fe\"", false},
        {"\"fp16\":\"off\"", "\"new\":\"1\"", true}, /* the label names what matters */
        {"\"label\":\"spd:load=texel\"", "\"label\":\"spd\"", false},
        {"\"width\":8", "\"width\":9", false},
        {"\"levels\":4", "\"levels\":3", false},
        {"rgba8\",\"reduce", "r8\",\"reduce", false},
        {"\"avg\",\"rect\"", "\"max\",\"rect\"", false},
        {"\"rect\":null", "\"rect\":" RECT, false},
        {"\"rect\":null", "\"rect\":null,\"new\":1", true},
        {"\"cold\"", "\"hot\"", false},
        {"\"latency\"", "\"throughput\"", false},
    };
    char *own = key_of("spd", "spd");
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        char *key = key_of(cases[i].from, cases[i].to);
        CHECK_EQ_INT(strcmp(own, key) == 0, cases[i].is_same);
        mb_free(key);
    }
    mb_free(own);
    char *seed_1 = key_of("a.png\",\"input_sha256\":\"ff", "pattern:x\",\"input_sha256\":\"1");
    char *seed_2 = key_of("a.png\",\"input_sha256\":\"ff", "pattern:x\",\"input_sha256\":\"2");
    CHECK_EQ_STR(seed_1, seed_2);
    mb_free(seed_1);
    mb_free(seed_2);
}

/* What only damage can write would make margins of any width. */
static void test_implausible(void)
{
    struct mb_run file =
        read_good(HEAD "\"timer\":{\"granularity_gcd_ns\":1e300},\"cases\":[" CASE TIMING(
            "hot", "latency", "\"aa_control\":{\"ratio\":1e300},", "[3]") "]}]}");
    CHECK(isnan(file.timer.granularity_gcd_ns));
    CHECK(isnan(file.cases[0]->timings[0].twin.ratio));
    mb_run_finish(&file);
}

static void test_bad(void)
{
    expect_error("", "f.json: line 1, column 1: not JSON near ''");
    expect_error("{\"schema\":\n {\"name\":\"mip",
                 "f.json: line 2, column 11: not JSON near ' {\"name\":\"mip'");
    expect_error("[NaN]", "f.json: line 1, column 2: not JSON near '[NaN]'");
    expect_error("[]", "f.json: not a mipbench result");
    expect_error("null", "f.json: not a mipbench result");
    expect_error("{\"schema\":{\"name\":\"other\",\"version\":\"1.0.0\"}}",
                 "f.json: not a mipbench result");
    expect_error("{\"schema\":{\"name\":\"mipbench\",\"version\":\"3.0.0\"},\"cases\":[]}",
                 "f.json: schema version '3.0.0': this mipbench reads 2.x");
    expect_error("{\"schema\":{\"name\":\"mipbench\",\"version\":\"1.5.0\"},\"results\":[]}",
                 "f.json: schema version '1.5.0': this mipbench reads 2.x");
    expect_error("{\"schema\":{\"name\":\"mipbench\",\"version\":\"x\"}}",
                 "f.json: schema version 'x': this mipbench reads 2.x");
    expect_error("{\"schema\":{\"name\":\"mipbench\"}}",
                 "f.json: schema version '': this mipbench reads 2.x");
    expect_error(HEAD "\"cases\":{}}", "f.json: it has no cases");
    expect_error(HEAD "\"cases\":[" SIZE ",\"timings\":[{\"rows\":[7]}]}]}",
                 "f.json: a row names no strategy");
    expect_error(HEAD "\"cases\":[" SIZE ",\"variants\":[{\"id\":\"spd_load-texel\"}],"
                      "\"timings\":[{\"rows\":[" ROW "]}]}]}",
                 "f.json: a row names no strategy");
    expect_error(HEAD "\"cases\":[{\"width\":1e300,\"height\":1}]}",
                 "f.json: a case has no size");
    expect_error(HEAD "\"cases\":[" SIZE ",\"timings\":[{},{},{},{},{},{},{}]}]}",
                 "f.json: a case has more than 6 timings");
    expect_error(FILE_OF(CASE TIMING("cold", "of the\\nfuture", "", "[]") "]}"),
                 "f.json: this mipbench has no mode 'of the?future'");
    expect_error(HEAD "\"cases\":[" SIZE ",\"reduce\":\"sum\"}]}",
                 "f.json: this mipbench has no reduce 'sum'");
    expect_error(HEAD "\"cases\":[{\"width\":1,\"height\":1,\"format\":\"bc7\"}]}",
                 "f.json: this mipbench has no format 'bc7'");
    char many[4096] = HEAD "\"cases\":[" SIZE ",\"variants\":[{\"id\":\"x\","
                           "\"label\":\"x\",\"strategy\":\"x\",\"params\":{";
    for (int i = 0; i <= MB_MAX_PARAMS; i++) {
        snprintf(many + strlen(many), sizeof many - strlen(many), "%s\"p%d\":\"v\"",
                 i > 0 ? "," : "", i);
    }
    strcat(many, "}}],\"timings\":[{\"rows\":[{\"variant\":\"x\"}]}]}]}");
    expect_error(many, "f.json: a variant has more than 64 parameters");
    expect_error("{\"schema\":{\"name\":\"mipbench\",\"version\":\"2.0.0\"},"
                 "\"run\":{\"argv\":[\"a\",3]},\"cases\":[]}",
                 "f.json: run.argv[1] is not a string");
}

/* Each row looks through the variants and the columns. */
static void test_too_many(void)
{
    static const struct {
        const char *before, *after, *reason;
        size_t n;
    } cases[] = {
        {SIZE ",\"variants\":[{}", "]}", "a case has more than 4096 variants", 4097},
        {SIZE ",\"timings\":[{\"rows\":[{}", "]}]}", "a timing has more than 4096 rows", 4097},
        {SIZE ",\"timings\":[{\"blocks\":{\"columns\":[{}", "]}}]}",
         "a timing has more than 8193 columns or 67108864 samples", 8194},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_strbuf text = {0}, want = {0};
        mb_strbuf_printf(&text, HEAD "\"cases\":[%s", cases[i].before);
        for (size_t k = 1; k < cases[i].n; k++) {
            mb_strbuf_append(&text, ",{}");
        }
        mb_strbuf_printf(&text, "%s]}", cases[i].after);
        mb_strbuf_printf(&want, "f.json: %s", cases[i].reason);
        expect_refusal(mb_strbuf_text(&text), mb_strbuf_text(&want));
        mb_strbuf_finish(&text);
        mb_strbuf_finish(&want);
    }
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

/* Deep nesting must not end in a stack overflow. */
static void test_deep(void)
{
    static char text[200001];
    memset(text, '[', sizeof text - 1);
    struct mb_run file;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_run_parse("f.json", text, &file, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    mb_run_finish(&file);
}

static void test_files(void)
{
    char path[] = "/tmp/mipbench-result-XXXXXX";
    const char zero[] = "{\"a\0\":1}";
    struct mb_run file;
    struct mb_err err = {0};
    const int fd = mkstemp(path);
    FILE *stream = fdopen(fd, "wb");
    CHECK(stream != NULL && fwrite(zero, 1, sizeof zero - 1, stream) == sizeof zero - 1);
    CHECK(stream != NULL && fclose(stream) == 0);
    CHECK_EQ_INT(mb_run_read(path, &file, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK(strstr(err.text, "a zero byte") != NULL);
    remove(path);
    CHECK_EQ_INT(mb_run_read("/nonexistent/x.json", &file, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

static enum mb_status parse_one(void *user, struct mb_err *err)
{
    struct mb_run file;
    const enum mb_status status = mb_run_parse("f.json", ONE("[1,2]"), &file, err);
    mb_run_finish(&file);
    return status;
}

static void test_no_memory(void)
{
    CHECK(check_each_allocation(parse_one, NULL) > 50);
}

int main(void)
{
    return CHECK_TESTS(test_all, test_sparse, test_keys, test_implausible, test_bad,
                       test_too_many, test_deep, test_files, test_no_memory);
}
