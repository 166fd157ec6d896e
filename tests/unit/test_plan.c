/* Strategy specs into rows, labels and slugs. */
#include "bench/plan.h"

#include "base/alloc.h"
#include "check.h"

static const char *const loads[] = {"texel", "sampler", NULL};
static const char *const waves[] = {"on", "off", NULL};
static const char *const tiles[] = {"64", "32", "16", NULL};

static const struct mb_param spd_params[] = {
    {.name = "load", .values = loads, .help = "how texels are read"},
    {.name = "wave", .values = waves, .help = "subgroup operations"},
    {.name = "tile", .values = tiles, .help = "tile width"},
    {0},
};
static const struct mb_strategy blit = {.name = "blit"};
static const struct mb_strategy spd = {.name = "spd", .params = spd_params};

/* Tiles of 16 texels are for wave=on. */
static const char *small_tiles_without_wave(const struct mb_params *params)
{
    return params->choice[2] == 2 && params->choice[1] == 1 ? "small tiles need waves" : NULL;
}

static const struct mb_strategy tree = {
    .name = "tree", .params = spd_params, .contradiction = small_tiles_without_wave};
static const struct mb_strategy *const table[] = {&blit, &spd, NULL};
static const struct mb_strategy *const tree_table[] = {&tree, NULL};

/* The labels of all rows, joined by a space; or the error, with its hint after " / ". */
static const char *plan(const char *const *specs, size_t n_specs)
{
    static char out[2048];
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    struct mb_err err = {0};
    size_t used = 0;
    out[0] = '\0';
    if (mb_plan_variants(table, specs, n_specs, &rows, &n_rows, &err) != MB_OK) {
        mb_free(rows);
        snprintf(out, sizeof out, "%d: %s / %s", (int)err.code, err.text, err.hint);
        return out;
    }
    for (size_t i = 0; i < n_rows; i++) {
        char label[MB_LABEL_BYTES];
        mb_variant_label(&rows[i], label, sizeof label);
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%s%s", i > 0 ? " " : "",
                                 label, rows[i].by_name ? "!" : "");
    }
    mb_free(rows);
    return out;
}

static const char *plan_one(const char *spec)
{
    return plan(&spec, 1);
}

static void test_names(void)
{
    CHECK_EQ_STR(plan(NULL, 0), "blit spd");
    CHECK_EQ_STR(plan_one("all"), "blit spd");
    CHECK_EQ_STR(plan_one("spd"), "spd!");
    CHECK_EQ_STR(plan_one("spd:load=sampler"), "spd:load=sampler!");
    CHECK_EQ_STR(plan_one("spd:wave=off:load=sampler"), "spd:load=sampler:wave=off!");
    CHECK_EQ_STR(plan_one("spd:load=texel"), "spd!");
    const char *const order[] = {"spd", "blit"};
    CHECK_EQ_STR(plan(order, 2), "spd! blit!");
}

static void test_duplicates(void)
{
    const char *const same[] = {"spd", "spd:load=texel", "spd:wave=on"};
    CHECK_EQ_STR(plan(same, 3), "spd!");
    const char *const all_then_name[] = {"all", "blit"};
    CHECK_EQ_STR(plan(all_then_name, 2), "blit! spd");
    const char *const name_then_all[] = {"spd", "all"};
    CHECK_EQ_STR(plan(name_then_all, 2), "spd! blit");
}

static void test_sweeps(void)
{
    CHECK_EQ_STR(plan_one("spd:load=sampler:wave=off:*"),
                 "spd:load=sampler:wave=off spd:load=sampler:wave=off:tile=32 "
                 "spd:load=sampler:wave=off:tile=16");
    CHECK_EQ_STR(plan_one("spd:tile=16:*"),
                 "spd:tile=16 spd:wave=off:tile=16 spd:load=sampler:tile=16 "
                 "spd:load=sampler:wave=off:tile=16");
    CHECK_EQ_STR(plan_one("blit:*"), "blit");
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    const char *const specs[] = {"spd:*"};
    CHECK(mb_plan_variants(table, specs, 1, &rows, &n_rows, NULL) == MB_OK);
    CHECK_EQ_INT(n_rows, 2 * 2 * 3);
    mb_free(rows);
    const char *const everything[] = {"all:*"};
    CHECK(mb_plan_variants(table, everything, 1, &rows, &n_rows, NULL) == MB_OK);
    CHECK_EQ_INT(n_rows, 1 + 2 * 2 * 3);
    CHECK(!rows[0].by_name);
    mb_free(rows);
}

static const struct mb_param alone_params[] = {
    {.name = "load", .values = loads, .help = "how texels are read"},
    {.name = "tile", .values = tiles, .help = "tile width", .is_alone = true},
    {.name = "wave", .values = waves, .help = "subgroup operations"},
    {0},
};
static const struct mb_strategy alone = {.name = "alone", .params = alone_params};

/* Values that sweeps try with nothing else changed, unless one is given. */
static void test_alone(void)
{
    static const struct mb_strategy *const alone_table[] = {&alone, NULL};
    static const struct {
        const char *spec;
        size_t n_rows;
    } cases[] = {
        {"alone:*", 2 * 2 + 2}, {"alone:tile=16:*", 2 * 2}, {"alone:load=sampler:*", 2 + 2}};
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_variant *rows = NULL;
        size_t n_rows = 0;
        CHECK(mb_plan_variants(alone_table, &cases[i].spec, 1, &rows, &n_rows, NULL) == MB_OK);
        CHECK_EQ_INT(n_rows, cases[i].n_rows);
        mb_free(rows);
    }
}

/* Sweeps leave out what contradicts itself, unless nothing else is left to say so. */
static void test_contradictions(void)
{
    static const struct {
        const char *spec;
        size_t n_rows;
    } cases[] = {
        {"tree:*", 2 * 2 * 3 - 2},
        {"tree:tile=16:*", 2},
        {"tree:wave=off:tile=16:*", 1},
        {"tree:wave=off:tile=16", 1},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_variant *rows = NULL;
        size_t n_rows = 0;
        CHECK(mb_plan_variants(tree_table, &cases[i].spec, 1, &rows, &n_rows, NULL) == MB_OK);
        CHECK_EQ_INT(n_rows, cases[i].n_rows);
        for (size_t k = 0; i < 2 && k < n_rows; k++) {
            CHECK(!small_tiles_without_wave(&rows[k].params));
        }
        mb_free(rows);
    }
}

static void test_mistakes(void)
{
    CHECK_EQ_STR(plan_one("sdp"), "2: unknown strategy 'sdp' / did you mean 'spd'?");
    CHECK_EQ_STR(plan_one("alll"), "2: unknown strategy 'alll' / did you mean 'all'?");
    CHECK_EQ_STR(plan_one("wavelet"),
                 "2: unknown strategy 'wavelet' / there is: blit, spd, all");
    CHECK_EQ_STR(plan_one("spd:lod=texel"),
                 "2: strategy 'spd': unknown parameter 'lod' / did you mean 'load'?");
    CHECK_EQ_STR(plan_one("blit:load=texel"),
                 "2: strategy 'blit': unknown parameter 'load' / there is: none");
    CHECK_EQ_STR(
        plan_one("spd:load=txel"),
        "2: strategy 'spd': parameter 'load' has no value 'txel' / did you mean 'texel'?");
    CHECK_EQ_STR(
        plan_one("spd:tile=128"),
        "2: strategy 'spd': parameter 'tile' has no value '128' / there is: 64, 32, 16");
    CHECK_EQ_STR(plan_one("spd:load=texel:load=texel"),
                 "2: strategy 'spd:load=texel:load=texel': 'load' is given twice / ");
    CHECK_EQ_STR(plan_one("all:x"), "2: strategy 'all:x': 'all' takes no parameters / ");
    CHECK_EQ_STR(plan_one(":load=texel"), "2: strategy ':load=texel': the name is missing / ");
    CHECK_EQ_STR(plan_one(""), "2: strategy '': the name is missing / ");
    const char *const no_settings[] = {"spd:", "spd:load", "spd:load=", "spd:=texel", "spd:**"};
    for (size_t i = 0; i < MB_COUNTOF(no_settings); i++) {
        CHECK(strstr(plan_one(no_settings[i]), "expected a setting") != NULL);
    }
}

static void test_names_of_rows(void)
{
    const struct mb_variant row = {.strategy = &spd, .params = {.choice = {1, 0, 2}}};
    char text[96];
    mb_variant_label(&row, text, sizeof text);
    CHECK_EQ_STR(text, "spd:load=sampler:tile=16");
    mb_variant_slug(&row, text, sizeof text);
    CHECK_EQ_STR(text, "spd_load-sampler_tile-16");
    mb_variant_label(&row, text, 9);
    CHECK_EQ_STR(text, "spd:load");
    CHECK_EQ_INT(mb_strategy_n_params(&spd), 3);
    CHECK_EQ_INT(mb_strategy_n_params(&blit), 0);
    CHECK_EQ_STR(mb_variant_value(&spd, &row.params, 0), "sampler");
    CHECK_EQ_STR(mb_variant_value(&spd, &row.params, 1), "on");
}

static enum mb_status plan_all(void *user, struct mb_err *err)
{
    const char *const specs[] = {"spd:*", "all", "spd:*"};
    struct mb_variant *rows = NULL;
    size_t n_rows = 0;
    const enum mb_status status = mb_plan_variants(table, specs, 3, &rows, &n_rows, err);
    CHECK(status != MB_OK || n_rows == 13);
    mb_free(rows);
    return status;
}

static void test_no_memory(void)
{
    const unsigned n_failures = check_each_allocation(plan_all, NULL);
    CHECK(n_failures >= 1 && n_failures < 9);
}

int main(void)
{
    return CHECK_TESTS(test_names, test_duplicates, test_sweeps, test_alone,
                       test_contradictions, test_mistakes, test_names_of_rows, test_no_memory);
}
