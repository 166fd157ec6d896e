/* Every kernel with constants filled in: folded again it stays as it is, and of what constants
 * leave out little is left. check_fold.py has spirv-val judge what `test_fold FOLDER` writes
 * there; that folded kernels do the same, tests/gpu shows. */
#include "vk/fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "check.h"
#include "vk/pipeline.h"

/* What each constant is in turn, beside the others' defaults. */
static struct {
    const char *name;
    uint32_t value;
} changes[] = {
    {"", 0},          {"IS_EVEN", 1},       {"IS_ALL_EVEN", 1}, {"HAS_BELOW", 0},
    {"IS_NARROW", 0}, {"UNORM_MAX", 0},     {"REDUCE", 1},      {"CODEC", 1},
    {"ODD_X", 0},     {"IS_LEAN", 1},       {"WEIGH_ALPHA", 1}, {"IS_UPDATE", 1},
    {"N_LEVELS", 3},  {"SUBGROUP_SIZE", 8},
};

static void write_module(const char *folder, const struct mb_shader *shader, size_t change,
                         const uint32_t *code, size_t code_bytes)
{
    char path[512], name[128];
    snprintf(name, sizeof name, "%s", shader->name);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '/' ? '_' : *c;
    }
    snprintf(path, sizeof path, "%s/%s_%zu.spv", folder, name, change);
    FILE *file = fopen(path, "wb");
    CHECK(file && fwrite(code, 1, code_bytes, file) == code_bytes);
    if (file) {
        fclose(file);
    }
}

/* Returns the bytes that a module has left. */
static size_t fold(const struct mb_shader *shader, size_t change, const char *folder)
{
    uint32_t values[64], *code = NULL, *again = NULL;
    size_t code_bytes = 0, again_bytes = 0;
    struct mb_err err = {0};
    CHECK(shader->n_constants <= MB_COUNTOF(values));
    for (uint32_t i = 0; i < shader->n_constants; i++) {
        const bool is_changed = strcmp(shader->constants[i].name, changes[change].name) == 0;
        values[i] = is_changed ? changes[change].value : shader->constants[i].value;
    }
    CHECK_EQ_INT(mb_fold(shader, values, &code, &code_bytes, &err), MB_OK);
    CHECK(code && code_bytes <= shader->code_bytes);
    if (code) {
        struct mb_shader folded = *shader;
        folded.code = code;
        folded.code_bytes = code_bytes;
        CHECK_EQ_INT(mb_fold(&folded, values, &again, &again_bytes, &err), MB_OK);
        CHECK(again && again_bytes == code_bytes && memcmp(again, code, code_bytes) == 0);
        if (folder) {
            write_module(folder, shader, change, code, code_bytes);
        }
    }
    mb_free(code);
    mb_free(again);
    return code_bytes;
}

static void test_all(const char *folder)
{
    const bool is_full = getenv("MB_TEST_FULL") != NULL;
    const bool is_quick = getenv("MB_TEST_QUICK") != NULL; /* one change of each */
    size_t k = 0;
    for (const struct mb_shader *const *shader = mb_shaders; *shader; shader++, k++) {
        for (size_t i = 0; i < MB_COUNTOF(changes); i++) {
            const bool is_written = is_full || i == k % MB_COUNTOF(changes);
            if (is_written || !is_quick) {
                fold(*shader, i, is_written ? folder : NULL);
            }
        }
    }
    CHECK(k > 50);
}

/* Strips or tiles of 64x64, codes or floats: most of a module is of the others. */
static void test_what_is_left(void)
{
    for (const struct mb_shader *const *shader = mb_shaders; *shader; shader++) {
        if (strcmp((*shader)->name, "spd-tree/spd_tree_view4.comp") == 0) {
            CHECK(fold(*shader, 1, NULL) < (*shader)->code_bytes / 2);
        }
    }
}

/* What OpSpecConstantOp makes of two constants; `unknown` where it stays as it is. */
static uint32_t computed(uint32_t op, uint32_t a, uint32_t b, bool is_bool, uint32_t unknown)
{
    const uint32_t words[] = {
        0x07230203,
        0x10500,
        0,
        6,
        0, /* five ids */
        4u << 16 | 21,
        1,
        32,
        0, /* uint */
        2u << 16 | 20,
        2, /* bool */
        4u << 16 | 43,
        1,
        3,
        a, /* */
        4u << 16 | 43,
        1,
        4,
        b, /* */
        6u << 16 | 52,
        is_bool ? 2u : 1u,
        5,
        op,
        3,
        4,
    };
    static const VkSpecializationMapEntry no_entry = {0};
    const struct mb_shader shader = {
        .name = "op", .code = words, .code_bytes = sizeof words, .entries = &no_entry};
    uint32_t *code = NULL;
    size_t code_bytes = 0;
    struct mb_err err = {0};
    CHECK_EQ_INT(mb_fold(&shader, NULL, &code, &code_bytes, &err), MB_OK);
    const size_t n = code_bytes / sizeof *code;
    const uint32_t begin = MB_COUNTOF(words) - 6;
    const uint32_t made = n > begin ? code[begin] & 0xffffu : 0;
    const uint32_t value = made == 43 ? code[n - 1] : made == 41 ? 1 : made == 42 ? 0 : unknown;
    mb_free(code);
    return value;
}

static void test_operations(void)
{
    static const uint32_t minus_8 = (uint32_t)-8, unknown = 12345;
    static const struct {
        uint32_t op, a, b, want;
        bool is_bool;
    } rows[] = {
        {128, 3, minus_8, (uint32_t)-5, false},
        {130, 3, 8, (uint32_t)-5, false},
        {132, 3, minus_8, (uint32_t)-24, false},
        {170, 3, 8, 0, true},
        {171, 3, 8, 1, true},
        {172, minus_8, 3, 1, true},
        {173, minus_8, 3, 0, true},
        {174, 3, 3, 1, true},
        {175, minus_8, 3, 0, true},
        {176, minus_8, 3, 0, true},
        {177, minus_8, 3, 1, true},
        {178, 3, 3, 1, true},
        {179, minus_8, 3, 1, true},
        {194, minus_8, 1, 0x7ffffffc, false},
        {195, minus_8, 1, (uint32_t)-4, false},
        {196, 3, 2, 12, false},
        {197, 5, 3, 7, false},
        {198, 5, 3, 6, false},
        {199, 5, 3, 1, false},
        {194, 3, 32, unknown, false},
        {134, 8, 2, unknown, false}, /* a division: no kernel has one */
    };
    for (size_t i = 0; i < MB_COUNTOF(rows); i++) {
        const uint32_t got =
            computed(rows[i].op, rows[i].a, rows[i].b, rows[i].is_bool, unknown);
        CHECK_EQ_INT(got, rows[i].want);
        if (got != rows[i].want) {
            fprintf(stderr, "operation %u\n", rows[i].op);
        }
    }
}

/* What is no whole module, or has what this does not read, is used as it is. */
static void test_foreign(void)
{
    static const uint32_t cut[] = {0x07230203, 0x10500, 0, 8, 0, 3u << 16 | 17, 1};
    static const uint32_t group[] = {0x07230203, 0x10500, 0, 8, 0, 2u << 16 | 73, 1};
    static const VkSpecializationMapEntry no_entry = {0};
    const struct mb_shader shaders[] = {
        {.name = "cut", .code = cut, .code_bytes = sizeof cut, .entries = &no_entry},
        {.name = "group", .code = group, .code_bytes = sizeof group, .entries = &no_entry},
        {.name = "none", .code = cut, .code_bytes = 0, .entries = &no_entry},
    };
    for (size_t i = 0; i < MB_COUNTOF(shaders); i++) {
        uint32_t *code = NULL;
        size_t code_bytes = 0;
        struct mb_err err = {0};
        CHECK_EQ_INT(mb_fold(&shaders[i], NULL, &code, &code_bytes, &err), MB_OK);
        CHECK(!code && code_bytes == 0);
    }
}

int main(int argc, char **argv)
{
    test_all(argc > 1 ? argv[1] : NULL);
    test_what_is_left();
    test_operations();
    test_foreign();
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
    return check_summary(__FILE__);
}
