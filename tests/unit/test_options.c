/* The options of a run: what is understood, and what is said about everything that is not. */
#include "options_fixture.h"

static void test_defaults(void)
{
    struct mb_options options = PARSE("a.png");
    CHECK_EQ_INT(options.verb, MB_VERB_RUN);
    CHECK_EQ_INT(options.settings.n_inputs, 1);
    CHECK_EQ_STR(options.settings.inputs[0], "a.png");
    CHECK_EQ_INT(options.settings.n_specs, 0);
    CHECK_EQ_INT(options.settings.n_sizes, 0);
    CHECK_EQ_INT(options.settings.n_levels, 0);
    CHECK_EQ_INT(options.settings.n_samples, 0);
    CHECK_EQ_INT(options.settings.n_warmup, UINT32_MAX);
    CHECK_EQ_INT(options.settings.seed, 1);
    CHECK(options.settings.verify && !options.settings.validate);
    CHECK_EQ_INT(options.settings.images, MB_IMAGES_ATLAS);
    CHECK(options.settings.device == NULL && options.settings.formats[0] == NULL);
    CHECK(options.out_dir == NULL && options.json == NULL && options.csv == NULL);
    CHECK(!options.quiet && options.verbosity == 0 && options.color == MB_COLOR_AUTO);
    mb_options_finish(&options);
}

static void test_every_option(void)
{
    struct mb_options options = PARSE(
        "run", "-s", "spd,blit", "-dcpu", "--format=rgba8", "-l", "3", "-w", "0", "-n", "25",
        "--seed", "18446744073709551615", "-o", "out", "--json", "-", "--csv", "a.csv",
        "--markdown", "b.md", "--images", "levels", "--no-verify", "--validate", "-qvv",
        "--color", "never", "--size", "7x9,16x16", "a.png", "--strategy", "spd:*", "b.png");
    const struct mb_settings *settings = &options.settings;
    CHECK_EQ_INT(settings->n_specs, 3);
    CHECK_EQ_STR(settings->specs[0], "spd");
    CHECK_EQ_STR(settings->specs[1], "blit");
    CHECK_EQ_STR(settings->specs[2], "spd:*");
    CHECK_EQ_STR(settings->device, "cpu");
    CHECK_EQ_STR(settings->formats[0], "rgba8");
    CHECK_EQ_INT(settings->n_levels, 3);
    CHECK_EQ_INT(settings->n_warmup, 0);
    CHECK_EQ_INT(settings->n_samples, 25);
    CHECK(settings->seed == UINT64_MAX);
    CHECK(!settings->verify && settings->validate);
    CHECK_EQ_INT(settings->images, MB_IMAGES_LEVELS);
    CHECK_EQ_INT(settings->n_sizes, 2);
    CHECK_EQ_INT(settings->size[0].width, 7);
    CHECK_EQ_INT(settings->size[0].height, 9);
    CHECK_EQ_INT(settings->n_inputs, 2);
    CHECK_EQ_STR(settings->inputs[1], "b.png");
    CHECK_EQ_STR(options.out_dir, "out");
    CHECK_EQ_STR(options.json, "-");
    CHECK_EQ_STR(options.csv, "a.csv");
    CHECK_EQ_STR(options.markdown, "b.md");
    CHECK(options.quiet && options.verbosity == 2 && options.color == MB_COLOR_NEVER);
    mb_options_finish(&options);
}

static void test_sweep(void)
{
    struct mb_options options = PARSE("a", "--size", "64x64,5x3", "--sweep", "32:128");
    const struct mb_settings *settings = &options.settings;
    CHECK_EQ_INT(settings->n_sizes, 4); /* 64x64 is there already */
    CHECK_EQ_INT(settings->size[2].width, 32);
    CHECK_EQ_INT(settings->size[3].height, 128);
    mb_options_finish(&options);
    options = PARSE("a", "--sweep", "1:32768");
    CHECK_EQ_INT(options.settings.n_sizes, 16);
    mb_options_finish(&options);
    options = PARSE("a", "--sweep", "8:8");
    CHECK_EQ_INT(options.settings.n_sizes, 1);
    mb_options_finish(&options);

    static const char *const bad[] = {"3:8", "8:4",   "8",    "8:",   ":8",     "0:8",
                                      "8:9", "8:16:", "-8:8", "8:8x", "1:65536"};
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        char want[160];
        snprintf(want, sizeof want,
                 "--sweep: expected A:B, powers of two with 1 <= A <= B <= 32768, got '%s'",
                 bad[i]);
        CHECK_EQ_STR(ERROR_OF("a", "--sweep", bad[i]), want);
    }
}

static void test_numbers(void)
{
    static const char *const bad[] = {"0",    "-1", "1e9", "abc", "12345678901234567890",
                                      "1.5",  " 1", "+1",  "0x1", "1000001",
                                      "1 000"};
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        char want[160];
        snprintf(want, sizeof want,
                 "--samples: expected a whole number from 1 to 1000000, got '%s'", bad[i]);
        CHECK_EQ_STR(ERROR_OF("a", "-n", bad[i]), want);
    }
    CHECK_EQ_STR(ERROR_OF("a", "-n1000000", "-w", "1000000", "-l", "16"), "");
    CHECK_EQ_STR(ERROR_OF("a", "-l", "17"),
                 "--levels: expected a whole number from 1 to 16, got '17'");
    CHECK_EQ_STR(ERROR_OF("a", "--warmup=-1"),
                 "--warmup: expected a whole number from 0 to 1000000, got '-1'");
    CHECK_EQ_STR(ERROR_OF("a", "--seed", "18446744073709551616"),
                 "--seed: expected a whole number from 0 to 18446744073709551615, got "
                 "'18446744073709551616'");
    CHECK_EQ_STR(ERROR_OF("a", "--size", "0x4"),
                 "--size: expected WxH with each from 1 to 32768, got '0x4'");
    CHECK_EQ_STR(ERROR_OF("a", "--size", "4x4,32769x1"),
                 "--size: expected WxH with each from 1 to 32768, got '32769x1'");
}

static void test_too_many_sizes(void)
{
    char sizes[1024] = "1x1";
    for (int i = 2; i <= MB_MAX_SIZES; i++) {
        const size_t used = strlen(sizes);
        snprintf(sizes + used, sizeof sizes - used, ",%dx1", i);
    }
    CHECK_EQ_STR(ERROR_OF("a", "--size", sizes), "");
    CHECK_EQ_STR(ERROR_OF("a", "--size", sizes, "--size", "64x1"), ""); /* seen before */
    CHECK_EQ_STR(ERROR_OF("a", "--size", sizes, "--size", "65x1"),
                 "--size: more than 64 sizes");
    CHECK_EQ_STR(ERROR_OF("a", "--size", sizes, "--sweep", "2:2"),
                 "--sweep: more than 64 sizes");
}

static void test_image(void)
{
    struct mb_options options = PARSE("a", "--srgb", "-r", "max", "--layers", "2048", "--cube",
                                      "--rect", "0,7,1,32768");
    const struct mb_settings *settings = &options.settings;
    CHECK(settings->is_srgb && settings->is_cube && settings->rect.width == 1);
    CHECK_EQ_INT(settings->reduce, MB_REDUCE_MAX);
    CHECK_EQ_INT(settings->alpha, MB_ALPHA_STRAIGHT);
    CHECK_EQ_INT(settings->n_layers, 2048);
    CHECK_EQ_INT(settings->rect.x, 0);
    CHECK_EQ_INT(settings->rect.y, 7);
    CHECK_EQ_INT(settings->rect.width, 1);
    CHECK_EQ_INT(settings->rect.height, 32768);
    mb_options_finish(&options);
    options = PARSE("a", "--alpha=premultiplied", "--reduce=avg");
    CHECK(!options.settings.is_srgb && !options.settings.is_cube);
    CHECK(mb_rect_is_empty(options.settings.rect) && options.settings.n_layers == 0);
    CHECK_EQ_INT(options.settings.alpha, MB_ALPHA_PREMULTIPLIED);
    mb_options_finish(&options);
    options = PARSE("a", "--srgb", "-f", "rgba8-srgb");
    CHECK(options.settings.is_srgb);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("a", "-r", "mix"),
                 "--reduce: unknown value 'mix'; did you mean 'min'?");
    CHECK_EQ_STR(ERROR_OF("a", "--alpha", "premultipled"),
                 "--alpha: unknown value 'premultipled'; did you mean 'premultiplied'?");
    CHECK_EQ_STR(ERROR_OF("a", "--srgb", "-f", "r8"), "--srgb does not go with format 'r8'");
    CHECK_EQ_STR(ERROR_OF("a", "--srgb", "-f", "auto"), "");
    CHECK_EQ_STR(ERROR_OF("a", "-f", "rgba8-srgb"), "");
    CHECK_EQ_STR(ERROR_OF("a", "--alpha", "premultiplied", "-r", "max"),
                 "--alpha premultiplied: expected averages of a format with alpha, got "
                 "'--reduce max' of 'rgba8'");
}

static void test_rect(void)
{
    static const char *const bad[] = {"1,2,3",
                                      "1,2,3,4,5",
                                      "1,2,3,4,",
                                      "1,2,0,4",
                                      "1,2,3,0",
                                      "-1,2,3,4",
                                      "1, 2,3,4",
                                      "1,2,3,x",
                                      "32768,0,1,1",
                                      "0,0,32769,1",
                                      "1x2,3,4",
                                      ",1,2,3",
                                      "1,2,3,99999999999999999999"};
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        char want[160];
        snprintf(want, sizeof want,
                 "--rect: expected X,Y,W,H with X and Y from 0 to 32767, W and H from 1 to "
                 "32768, got '%s'",
                 bad[i]);
        CHECK_EQ_STR(ERROR_OF("a", "--rect", bad[i]), want);
    }
    CHECK_EQ_STR(ERROR_OF("a", "--rect", "32767,32767,32768,32768"), "");
    CHECK_EQ_STR(ERROR_OF("a", "--layers", "0"),
                 "--layers: expected a whole number from 1 to 2048, got '0'");
    CHECK_EQ_STR(ERROR_OF("a", "--layers", "2049"),
                 "--layers: expected a whole number from 1 to 2048, got '2049'");
}

static void test_unknown(void)
{
    CHECK_EQ_STR(ERROR_OF("a", "--smaples=3"),
                 "unknown option '--smaples'; did you mean '--samples'?");
    CHECK_EQ_STR(ERROR_OF("a", "--frobnicate"),
                 "unknown option '--frobnicate'; 'mipbench run --help' lists them");
    CHECK_EQ_STR(ERROR_OF("a", "--see", "3"), "unknown option '--see'; did you mean '--seed'?");
    CHECK_EQ_STR(ERROR_OF("a", "-Z"), "unknown option '-Z'; 'mipbench run --help' lists them");
    CHECK_EQ_STR(ERROR_OF("a", "-qZ"), "unknown option '-Z'; 'mipbench run --help' lists them");
    CHECK_EQ_STR(ERROR_OF("a", "-f", "rgba9"),
                 "--format: unknown value 'rgba9'; did you mean 'rgba8'?");
    CHECK_EQ_STR(
        ERROR_OF("a", "-f", "etc2-compressed"),
        "--format: unknown value 'etc2-compressed'; there is: auto, rgba8, rgba8-srgb, r8, "
        "rg8, rgb10a2, r16f, rg16f, rgba16f, r32f, rg32f, rgba32f, rg11b10f");
    CHECK_EQ_STR(ERROR_OF("a", "--images", "atls"),
                 "--images: unknown value 'atls'; did you mean 'atlas'?");
    CHECK_EQ_STR(ERROR_OF("a", "--color", "x"),
                 "--color: unknown value 'x'; there is: auto, always, never");
}

static void test_chain(void)
{
    struct mb_options options = PARSE("a", "--chain", "dds,ktx2");
    CHECK_EQ_INT(options.settings.chains, 1u << MB_CHAIN_KTX2 | 1u << MB_CHAIN_DDS);
    mb_options_finish(&options);
    options = PARSE("a", "--chain", "dds", "--chain=ktx2"); /* the last one counts */
    CHECK_EQ_INT(options.settings.chains, 1u << MB_CHAIN_KTX2);
    mb_options_finish(&options);
    options = PARSE("a");
    CHECK_EQ_INT(options.settings.chains, 0);
    mb_options_finish(&options);
    CHECK_EQ_STR(ERROR_OF("a", "--chain", "ktx"),
                 "--chain: unknown value 'ktx'; did you mean 'ktx2'?");
    CHECK_EQ_STR(ERROR_OF("a", "--chain", "ktx2,"), "--chain: 'ktx2,' has an empty item");
    CHECK_EQ_STR(ERROR_OF("a", "--chain", "dds", "--no-verify"),
                 "--chain does not go with '--no-verify': only what was verified is written");
}

static void test_values(void)
{
    CHECK_EQ_STR(ERROR_OF("a", "-s"), "--strategy needs a value: SPEC[,...]");
    CHECK_EQ_STR(ERROR_OF("a", "--out"), "--out needs a value: DIR");
    CHECK_EQ_STR(ERROR_OF("a", "--quiet=3"), "--quiet takes no value");
    CHECK_EQ_STR(ERROR_OF("a", "--out="), "--out: the value is empty");
    CHECK_EQ_STR(ERROR_OF("a", "-d", ""), "--device: the value is empty");
    CHECK_EQ_STR(ERROR_OF(""), "run: a name is empty");
    CHECK_EQ_STR(ERROR_OF("a", "-s", "spd,,blit"), "--strategy: 'spd,,blit' has an empty item");
    CHECK_EQ_STR(ERROR_OF("a", "-s", "spd,"), "--strategy: 'spd,' has an empty item");
    CHECK_EQ_STR(ERROR_OF("a", "--size", ","), "--size: ',' has an empty item");
    CHECK_EQ_STR(ERROR_OF("a", "--json", "-", "--csv", "-"),
                 "two outputs go to the same file, '-'");
    CHECK_EQ_STR(ERROR_OF("a", "--csv", "x", "--markdown", "x"),
                 "two outputs go to the same file, 'x'");
}

static enum mb_status parse_words(void *user, struct mb_err *err)
{
    char *argv[MAX_WORDS + 2];
    struct mb_options options;
    const int argc = make_argv(argv, user);
    const enum mb_status status = mb_options_parse(&options, argc, argv, err);
    mb_options_finish(&options);
    return status;
}

static void test_no_memory(void)
{
    const char *run[] = {"a.png", "-s", "spd", NULL};
    const char *tune[] = {"tune", "--size", "8x8", "-s", "blit", NULL};
    const unsigned n_run = check_each_allocation(parse_words, run);
    const unsigned n_tune = check_each_allocation(parse_words, tune);
    CHECK(n_run >= 4 && n_run < 19);
    CHECK(n_tune >= 4 && n_tune < 19);
}

int main(void)
{
    return CHECK_TESTS(test_defaults, test_every_option, test_sweep, test_numbers,
                       test_too_many_sizes, test_image, test_rect, test_unknown, test_chain,
                       test_values, test_no_memory);
}
