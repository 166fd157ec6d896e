/* Command lines for tests: argv from words, and the error that each is answered with; a table
 * of two strategies. */
#pragma once

#include "base/alloc.h"
#include "check.h"
#include "cli/options/options.h"
#include "strategy.h"

#define MAX_WORDS 100

static const char *const loads[] = {"texel", "sampler", NULL};
static const struct mb_param spd_params[] = {
    {.name = "load", .values = loads, .help = "how texels are read"},
    {0},
};
static const struct mb_strategy blit = {.name = "blit"};
static inline enum mb_status export_nothing(const struct mb_export *export, struct mb_err *err)
{
    return MB_OK;
}
static const struct mb_strategy spd = {
    .name = "spd", .params = spd_params, .export = export_nothing};
const struct mb_strategy *const mb_strategies[] = {&blit, &spd, NULL};
const struct mb_shader *const mb_shaders[] = {NULL};

/* argv from words and a NULL; "mipbench" comes first. Returns argc. */
static inline int make_argv(char *argv[MAX_WORDS + 2], const char *const *words)
{
    static char name[] = "mipbench";
    int argc = 0;
    argv[argc++] = name;
    for (; *words != NULL && argc < MAX_WORDS; words++) {
        argv[argc++] = (char *)(uintptr_t)*words;
    }
    argv[argc] = NULL;
    return argc;
}

/* "" if the command line is fine, else "error" or "error; hint". */
static inline const char *error_of(const char *const *words)
{
    static char text[800];
    char *argv[MAX_WORDS + 2];
    struct mb_options options;
    struct mb_err err = {0};
    const int argc = make_argv(argv, words);
    const enum mb_status status = mb_options_parse(&options, argc, argv, &err);
    text[0] = '\0';
    if (status != MB_OK) {
        CHECK_EQ_INT(err.code, MB_ERRC_USAGE);
        snprintf(text, sizeof text, "%s%s%s", err.text, err.hint[0] != '\0' ? "; " : "",
                 err.hint);
    }
    mb_options_finish(&options);
    return text;
}

#define WORDS(...)    ((const char *const[]){__VA_ARGS__, NULL})
#define ERROR_OF(...) error_of(WORDS(__VA_ARGS__))

/* Parse what must be right. The argv lives as long as the program. */
static inline struct mb_options parse(const char *const *words)
{
    static char *argv[MAX_WORDS + 2];
    struct mb_options options;
    struct mb_err err = {0};
    const int argc = make_argv(argv, words);
    const enum mb_status status = mb_options_parse(&options, argc, argv, &err);
    CHECK_EQ_STR(err.text, "");
    CHECK_EQ_INT(status, MB_OK);
    return options;
}

#define PARSE(...) parse(WORDS(__VA_ARGS__))
