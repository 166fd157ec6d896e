/* The verbs of the command line, what each takes, and the help. */
#include "cli/options/options.h"
#include "options_fixture.h"

static void test_verbs(void)
{
    const char *no_input =
        "run: expected an image file, a folder of images, pattern:noise:1024x1024, or --help";
    CHECK_EQ_STR(ERROR_OF("run"), no_input);
    CHECK_EQ_STR(ERROR_OF("-q"), no_input);
    struct mb_options options = PARSE("--", "list", "-n", "run");
    CHECK_EQ_INT(options.verb, MB_VERB_RUN);
    CHECK_EQ_INT(options.settings.n_inputs, 3);
    CHECK_EQ_STR(options.settings.inputs[1], "-n");
    mb_options_finish(&options);
    options = PARSE("run", "list"); /* only the first word can be a verb */
    CHECK_EQ_STR(options.settings.inputs[0], "list");
    mb_options_finish(&options);
    options = PARSE("a.png", "list");
    CHECK_EQ_INT(options.settings.n_inputs, 2);
    mb_options_finish(&options);
    options = PARSE("-n", "3", "--help", "--bogus");
    CHECK_EQ_INT(options.verb, MB_VERB_HELP);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("-q", "list"), "'list' must come before options");
    options = PARSE("--version");
    CHECK_EQ_INT(options.verb, MB_VERB_VERSION);
    mb_options_finish(&options);
    CHECK_EQ_STR(error_of((const char *const[]){NULL}), no_input);
}

static void test_self_test(void)
{
    CHECK_EQ_STR(ERROR_OF("--self-test", "-d", "0", "-qv", "--seed=4", "--l2-bytes", "8M",
                          "--validate", "--color=never"),
                 "");
    CHECK_EQ_STR(ERROR_OF("--self-test", "photo.png"),
                 "--self-test: unexpected word 'photo.png'; expected no image");
    CHECK_EQ_STR(ERROR_OF("--self-test", "--=3"),
                 "unknown option '--'; 'mipbench run --help' lists them");
    CHECK_EQ_STR(ERROR_OF("--self-test", "-s", "blit"),
                 "--strategy does not go with '--self-test'");
    CHECK_EQ_STR(ERROR_OF("--json", "-", "--self-test"),
                 "--json does not go with '--self-test'");
    CHECK_EQ_STR(ERROR_OF("--self-test", "--csv=x"), "--csv does not go with '--self-test'");
    CHECK_EQ_STR(ERROR_OF("run", "--self-test", "--markdown=x"),
                 "--markdown does not go with '--self-test'");
    CHECK_EQ_STR(ERROR_OF("--self-test", "-o", "x"), "--out does not go with '--self-test'");
    CHECK_EQ_STR(ERROR_OF("--self-test", "--replay", "none.json"),
                 "--replay does not go with '--self-test'");
}

static void test_report(void)
{
    struct mb_options options = PARSE("report", "a.json", "b.json", "-o", "page.html");
    CHECK_EQ_INT(options.verb, MB_VERB_REPORT);
    CHECK_EQ_INT(options.settings.n_inputs, 2);
    CHECK_EQ_STR(options.out_dir, "page.html");
    CHECK_EQ_INT(options.max_pictures_mb, 4);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("report"), "report: expected results.json files, or the folders of "
                                     "runs: mipbench report results/*");
    CHECK_EQ_STR(ERROR_OF("report", "a.json", "-n", "5"),
                 "--samples does not go with 'report'");
}

static void test_list(void)
{
    static const struct {
        const char *word;
        enum mb_list_what what;
    } subjects[] = {{"devices", MB_LIST_DEVICES},
                    {"strategies", MB_LIST_STRATEGIES},
                    {"formats", MB_LIST_FORMATS},
                    {"patterns", MB_LIST_PATTERNS}};
    for (size_t i = 0; i < MB_COUNTOF(subjects); i++) {
        struct mb_options options = PARSE("list", "-v", "--json", subjects[i].word);
        CHECK_EQ_INT(options.verb, MB_VERB_LIST);
        CHECK_EQ_INT(options.list_what, subjects[i].what);
        CHECK_EQ_STR(options.json, "-");
        mb_options_finish(&options);
    }
    struct mb_options options = PARSE("list");
    CHECK_EQ_INT(options.list_what, MB_LIST_ALL);
    CHECK(options.json == NULL);
    mb_options_finish(&options);
    options = PARSE("list", "formats", "-d", "cpu");
    CHECK_EQ_STR(options.settings.device, "cpu");
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("list", "--cube"), "--cube does not go with 'list'");
    CHECK_EQ_STR(ERROR_OF("list", "--json=f"), "--json takes no value");
    CHECK_EQ_STR(ERROR_OF("list", "devces"),
                 "list: unknown value 'devces'; did you mean 'devices'?");
    CHECK_EQ_STR(ERROR_OF("list", "x"),
                 "list: unknown value 'x'; there is: devices, strategies, formats, patterns");
    CHECK_EQ_STR(ERROR_OF("list", "formats", "patterns"),
                 "list: unexpected word 'patterns'; expected one of devices, strategies, "
                 "formats and patterns");
    CHECK_EQ_STR(ERROR_OF("list", "-n", "3"), "--samples does not go with 'list'");
}

static void test_compare(void)
{
    struct mb_options options = PARSE("compare", "a,b", "c", "--threshold", "2.5", "-v",
                                      "--fail-on-regression", "--seed=9");
    CHECK_EQ_INT(options.verb, MB_VERB_COMPARE);
    CHECK_EQ_INT(options.settings.n_inputs, 3);
    CHECK_EQ_INT(options.n_base_files, 2);
    CHECK_EQ_STR(options.settings.inputs[1], "b");
    CHECK_EQ_STR(options.settings.inputs[2], "c");
    CHECK_EQ_DBL(options.threshold, 0.025, 1e-12);
    CHECK(options.fail_on_regression && options.settings.seed == 9);
    mb_options_finish(&options);
    options = PARSE("compare", "--json", "x", "--", "a", "b");
    CHECK_EQ_DBL(options.threshold, 0.01, 1e-12);
    CHECK_EQ_INT(options.n_base_files, 1);
    CHECK_EQ_STR(options.json, "x");
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("compare"), "compare: expected BASE and NEW, each a results.json or "
                                      "its folder, or several joined by commas");
    CHECK_EQ_STR(ERROR_OF("compare", "a"),
                 "compare: expected BASE and NEW, each a results.json or its folder, or "
                 "several joined by commas");
    CHECK_EQ_STR(ERROR_OF("compare", "a", "b", "c"),
                 "compare: unexpected word 'c'; expected BASE and NEW, each a results.json or "
                 "its folder, or several joined by commas");
    CHECK_EQ_STR(ERROR_OF("compare", "--pool"),
                 "--pool: expected results.json files, or the folders of runs");
    CHECK_EQ_STR(ERROR_OF("compare", "a", "--threshold", "2", "--pool"),
                 "--threshold does not go with '--pool'");
    options = PARSE("compare", "a", "b", "c", "--pool");
    CHECK_EQ_INT(options.verb, MB_VERB_POOL);
    CHECK_EQ_INT(options.settings.n_inputs, 3);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("compare", "a,", "b"), "compare: 'a,' has an empty item");
    CHECK_EQ_STR(ERROR_OF("compare", "a", "b", "-n", "3"),
                 "--samples does not go with 'compare'");
    CHECK_EQ_STR(ERROR_OF("a", "--threshold", "3"), "--threshold does not go with 'run'");
    CHECK_EQ_STR(ERROR_OF("compare", "a", "b", "--threshold", "inf"),
                 "--threshold: expected a number from 0 to 1000, got 'inf'");
    CHECK_EQ_STR(ERROR_OF("compare", "a", "b", "--json", "x", "--markdown", "x"),
                 "two outputs go to the same file, 'x'");
}

static void test_tune(void)
{
    struct mb_options options = PARSE("tune", "--size", "640x7,9x5000", "-f", "r8,auto,r8,r32f",
                                      "-s", "spd:load=texel,all", "--cache", "hot");
    const struct mb_settings *settings = &options.settings;
    CHECK_EQ_INT(options.verb, MB_VERB_TUNE);
    CHECK_EQ_INT(settings->n_inputs, 1);
    CHECK_EQ_STR(settings->inputs[0], "pattern:noise:640x4096");
    CHECK_EQ_INT(options.settings.n_formats, 3);
    CHECK_EQ_STR(options.settings.formats[0], "r8");
    CHECK(options.settings.formats[1] == NULL);
    CHECK_EQ_STR(options.settings.formats[2], "r32f");
    CHECK_EQ_INT(settings->n_specs, 2); /* every variant, but for what is fixed */
    CHECK_EQ_STR(settings->specs[0], "spd:load=texel:*");
    CHECK_EQ_STR(settings->specs[1], "all:*");
    mb_options_finish(&options);
    options = PARSE("tune", "a.png");
    CHECK_EQ_INT(options.settings.n_specs, 1);
    CHECK_EQ_STR(options.settings.specs[0], "all:*");
    CHECK_EQ_STR(options.settings.inputs[0], "a.png");
    CHECK(options.settings.n_formats == 1 && options.settings.formats[0] == NULL);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("tune"), "tune: expected one image, or sizes without one");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "b"),
                 "tune: unexpected word 'b'; expected one image, or sizes without one");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "--cache", "both"),
                 "--cache: 'tune' decides under one condition; run it once for each");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "--mode", "latency,overlap"),
                 "--mode: 'tune' decides under one condition; run it once for each");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "--no-verify"), "--no-verify does not go with 'tune'");
    CHECK_EQ_STR(ERROR_OF("tune", "--validate", "a"), "--validate does not go with 'tune'");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "-f", "rgba8,r9"),
                 "--format: unknown value 'r9'; did you mean 'r8'?");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "-f", "rgba8,"), "--format: 'rgba8,' has an empty item");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "--srgb", "-f", "rgba8-srgb,r8"),
                 "--srgb does not go with format 'r8'");
    options = PARSE("a", "-f", "r8,rgba8,r8", "-f", "r32f,r8"); /* the last list holds */
    CHECK_EQ_INT(options.settings.n_formats, 2);
    CHECK_EQ_STR(options.settings.formats[0], "r32f");
    mb_options_finish(&options);
}

static void test_export(void)
{
    struct mb_options options =
        PARSE("export", "spd", "-o", "x", "-f", "r8:min,r32f,r8:max,rg8:avg,rg8", "--force");
    CHECK_EQ_INT(options.verb, MB_VERB_EXPORT);
    CHECK_EQ_INT(options.format_reduces[0], 1 << MB_REDUCE_MIN | 1 << MB_REDUCE_MAX);
    CHECK_EQ_INT(options.format_reduces[1], MB_ALL_REDUCES);
    CHECK_EQ_INT(options.format_reduces[2], MB_ALL_REDUCES);
    CHECK_EQ_STR(options.settings.inputs[0], "spd");
    CHECK_EQ_STR(options.out_dir, "x");
    CHECK_EQ_INT(options.settings.n_formats, 3);
    CHECK(options.force);
    CHECK(options.plain && options.alpha && options.updates);
    mb_options_finish(&options);
    options = PARSE("export", "spd", "-o", "x", "--no-plain", "--no-updates");
    CHECK(!options.plain && options.alpha && !options.updates);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("export", "-o", "x"),
                 "export: expected one strategy, such as spd-tree");
    CHECK_EQ_STR(ERROR_OF("export", "spd"), "export: expected a folder to write into: -o DIR");
    CHECK_EQ_STR(ERROR_OF("export", "spd", "blit", "-o", "x"),
                 "export: unexpected word 'blit'; expected one strategy, such as spd-tree");
    CHECK_EQ_STR(ERROR_OF("export", "blit", "-o", "x"),
                 "export: 'blit' cannot be exported; there is: spd");
    CHECK_EQ_STR(ERROR_OF("export", "sdp", "-o", "x"),
                 "export: 'sdp' cannot be exported; did you mean 'spd'?");
    CHECK_EQ_STR(ERROR_OF("export", "other", "-o", "x"),
                 "export: 'other' cannot be exported; there is: spd");
    CHECK_EQ_STR(ERROR_OF("export", "spd", "-o", "x", "--json", "y"),
                 "--json does not go with 'export'");
    CHECK_EQ_STR(ERROR_OF("export", "spd", "-o", "x", "-f", "r8:sum"),
                 "--format: unknown value 'sum'; there is: avg, min, max");
    CHECK(strstr(ERROR_OF("a", "-f", "r8:max"),
                 "--format: unknown value 'r8:max'; there is: auto, "));
    CHECK_EQ_STR(ERROR_OF("a", "--force"), "--force does not go with 'run'");
    CHECK_EQ_STR(ERROR_OF("tune", "a", "--no-alpha"), "--no-alpha does not go with 'tune'");
}

static void test_inspect(void)
{
    struct mb_options options = PARSE("inspect", "-s", "spd,blit", "-f", "r8,r32f", "-r", "max",
                                      "--size", "5x3", "--json");
    CHECK_EQ_INT(options.verb, MB_VERB_INSPECT);
    CHECK_EQ_INT(options.settings.n_formats, 2);
    CHECK_EQ_INT(options.settings.n_specs, 2);
    CHECK_EQ_INT(options.settings.n_sizes, 1);
    CHECK_EQ_STR(options.json, "-");
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("inspect"), "");
    CHECK_EQ_STR(ERROR_OF("inspect", "a.png"),
                 "inspect: unexpected word 'a.png'; expected no image: --size and --format are "
                 "all that matters");
    CHECK_EQ_STR(ERROR_OF("inspect", "--json=x"), "--json takes no value");
    CHECK_EQ_STR(ERROR_OF("inspect", "-n", "3"), "--samples does not go with 'inspect'");
}

/* What is said of an input of a command line that cannot be read. */
static const char *hint_on(const char *input, const char *const *words)
{
    static struct mb_err err;
    struct mb_options options = parse(words);
    MB_FAIL(&err, MB_ERRC_INPUT, "%s: No such file or directory", input);
    mb_options_hint_input(&options, &err);
    mb_options_finish(&options);
    return err.hint;
}

static void test_hint_input(void)
{
    CHECK_EQ_STR(hint_on("lst", WORDS("lst", "devices")), "did you mean 'list'?");
    CHECK_EQ_STR(hint_on("devices", WORDS("lst", "devices")), "");
    CHECK_EQ_STR(hint_on("lst", WORDS("run", "lst")), "");
    CHECK_EQ_STR(hint_on("photo.png", WORDS("photo.png")), "");
    CHECK_EQ_STR(hint_on("r/a.json", WORDS("x.png", "r/a.json")),
                 "if these are results: mipbench report r/a.json");
    CHECK_EQ_STR(hint_on("blit", WORDS("x.png", "-s", "spd", "blit")), "");
}

/* What is printed for a verb; the caller finishes it. */
static const char *help_on(struct mb_strbuf *out, enum mb_verb verb)
{
    mb_strbuf_finish(out);
    mb_help_add(out, verb);
    return mb_strbuf_text(out);
}

/* No line wider than 80 columns or with blanks at its end. Returns the number of lines. */
static int check_lines(const char *text)
{
    int n_lines = 0;
    for (const char *line = text; *line != '\0'; n_lines++) {
        const size_t n_bytes = strcspn(line, "\n");
        CHECK(n_bytes <= 80);
        CHECK(n_bytes == 0 || line[n_bytes - 1] != ' ');
        CHECK(line[n_bytes] == '\n');
        line += n_bytes + 1;
    }
    return n_lines;
}

static void test_overview(void)
{
    static const char *const wanted[] = {
        "Usage:",      "Examples:",     "Exit codes:",     "NO_COLOR",
        "TERM",        "MIPBENCH_DATA", "VK_DRIVER_FILES", "LP_NATIVE_VECTOR_WIDTH",
        "--sweep A:B", "mipbench tune", "mipbench help",   "  -s, --strategy SPEC"};
    struct mb_strbuf out = {0};
    const char *help = help_on(&out, MB_VERB_HELP);
    for (size_t i = 0; i < MB_COUNTOF(wanted); i++) {
        CHECK(strstr(help, wanted[i]) != NULL);
    }
    CHECK(strstr(help, "--no-verify") == NULL); /* only what is common */
    CHECK(check_lines(help) <= 72);
    mb_strbuf_finish(&out);
}

/* The help on a verb has the options that the verb takes and no others, and fits two screens.
 */
static void test_help_of_verbs(void)
{
    struct mb_strbuf out = {0};
    for (int verb = 0; verb < MB_VERB_HELP; verb++) {
        const char *help = help_on(&out, (enum mb_verb)verb);
        for (size_t i = 0; i < mb_option_count; i++) {
            char name[40];
            snprintf(name, sizeof name, ", --%s", mb_option_rows[i].name);
            const char *word = mb_option_rows[i].short_name != 0 ? name : name + 2;
            const char *found = strstr(help, word);
            while (found && found[strlen(word)] == '-') { /* of a longer name */
                found = strstr(found + 1, word);
            }
            bool goes = false; /* by this row, or another one of that name */
            for (size_t k = 0; k < mb_option_count; k++) {
                goes |= strcmp(mb_option_rows[k].name, mb_option_rows[i].name) == 0 &&
                        mb_option_goes_with(&mb_option_rows[k], (enum mb_verb)verb);
            }
            CHECK((found != NULL) == goes);
        }
        CHECK(strstr(help, "Usage:\n  mipbench ") != NULL && strstr(help, "Examples:") != NULL);
        CHECK(check_lines(help) <= 86);
    }
    CHECK(strstr(help_on(&out, MB_VERB_EXPORT), "NAME:max (all)") != NULL);
    CHECK(strstr(help_on(&out, MB_VERB_LIST), "      --json                 print JSON\n"));
    mb_strbuf_finish(&out);
}

static void test_help(void)
{
    static const struct {
        const char *words[4];
        enum mb_verb about;
    } lines[] = {
        {{"--help"}, MB_VERB_HELP},         {{"help"}, MB_VERB_HELP},
        {{"help", "help"}, MB_VERB_HELP},   {{"a.png", "-h"}, MB_VERB_HELP},
        {{"help", "tune"}, MB_VERB_TUNE},   {{"run", "--help", "--bogus"}, MB_VERB_RUN},
        {{"export", "-h"}, MB_VERB_EXPORT}, {{"list", "-q", "--help"}, MB_VERB_LIST},
    };
    for (size_t i = 0; i < MB_COUNTOF(lines); i++) {
        struct mb_options options = parse(lines[i].words);
        CHECK_EQ_INT(options.verb, MB_VERB_HELP);
        CHECK_EQ_INT(options.help_verb, lines[i].about);
        mb_options_finish(&options);
    }
    struct mb_options options = PARSE("-V");
    CHECK_EQ_INT(options.verb, MB_VERB_VERSION);
    mb_options_finish(&options);
    options = PARSE("--", "help");
    CHECK_EQ_INT(options.verb, MB_VERB_RUN);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("help", "tunne"),
                 "help: unknown command 'tunne'; did you mean 'tune'?");
    CHECK_EQ_STR(ERROR_OF("help", "photo.png"),
                 "help: unknown command 'photo.png'; there is: run, list, compare, report, "
                 "tune, export, inspect, kernel, help");
    CHECK_EQ_STR(ERROR_OF("help", "tune", "run"),
                 "help: unexpected word 'run'; expected one command");
    CHECK_EQ_STR(ERROR_OF("help", "-n", "3"), "--samples does not go with 'help'");
}

int main(void)
{
    return CHECK_TESTS(test_verbs, test_self_test, test_report, test_list, test_compare,
                       test_tune, test_export, test_inspect, test_hint_input, test_overview,
                       test_help_of_verbs, test_help);
}
