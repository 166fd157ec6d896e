/* Expressions of manifests: what C makes of them, and what is refused, where. */
#include <inttypes.h>

#include "check.h"
#include "kernel/expression.h"

static const struct mb_named_value names[] = {
    {"width", {.integer = 333}, NULL},
    {"levels", {.integer = 9}, NULL},
    {"half", {.is_float = true, .real = 0.5}, NULL},
    {"most", {.integer = INT64_MAX}, NULL},
    {"least", {.integer = INT64_MIN}, NULL},
    {"address(counter)", {.integer = 4096}, NULL},
    {"tiles", {0}, "ceil_div(width, 64)"},
    {"both", {0}, "tiles + tiles"},
    {"own", {0}, "1 + own"},
    {"cut", {0}, "1 +"},
    {"bomb0", {0}, "bomb1 + bomb1"},
    {"bomb1", {0}, "bomb2 + bomb2 + bomb2 + bomb2"},
    {"bomb2", {0}, "bomb3 + bomb3 + bomb3 + bomb3 + bomb3 + bomb3"},
    {"bomb3", {0}, "both + both + both + both + both + both + both + both"},
};

static struct mb_layout layout; /* 333x256, nine levels */

static const struct mb_scope scope = {
    .names = names, .n_names = MB_COUNTOF(names), .layout = &layout};

static void check_integer(const char *text, int64_t want)
{
    struct mb_value value = {.is_float = true};
    struct mb_err err = {0};
    must(mb_evaluate(text, &scope, &value, &err), &err);
    if (!check_record(!value.is_float && value.integer == want, __FILE__, __LINE__)) {
        fprintf(stderr, "%s is %" PRId64 ", not %" PRId64 "\n", text, value.integer, want);
    }
}

/* What a C compiler makes of them. */
static void test_operators(void)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"20 - 8 - 4", 8},
        {"100 / 7 / 2", 7},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"7 - -7", 14},
        {"1 << 2 + 1", 8},
        {"256 >> 4 >> 1", 8},
        {"1 + 1 << 3 < 17", 1},
        {"3 < 5 == 1", 1},
        {"2 != 3 && 4 <= 4 || 0", 1},
        {"1 || 0 && 0", 1},
        {"0 ? 1 : 2 ? 3 : 4", 3},
        {"1 ? 2 ? 5 : 6 : 7", 5},
        {"!0 + !5 + !!9", 2},
        {"0x10 + 0xfF", 271},
        {"5 >= 6", 0},
        {"5 > 4", 1},
        {"1 == 1 == 1", 1},
        {"2 * 3 % 4", 2},
        {"-(3 - 5)", 2},
        {"1 - 2 < 3 - 4", 0},
        {"010", 10}, /* but for octal numbers, which nobody means */
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        check_integer(cases[i].text, cases[i].value);
    }
}

static void test_names(void)
{
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"width", 333},
        {"width(0)", 333},
        {"height ( 1 )", 128},
        {"width(levels - 1)", 1},
        {"even_levels(0)", 0}, /* 333 is odd */
        {"even_levels(1)", 1}, /* 166, and 83 again is not */
        {"even_levels(7)", 1}, /* 2x2 */
        {"even_levels(8)", 0}, /* none is left */
        {"min(4, 3)", 3},
        {"max(min(9, 5), 2) + 1", 6},
        {"ceil_div(0, 64)", 0},
        {"ceil_div(64, 64) + ceil_div(65, 64)", 3},
        {"ceil_div(most, 2)", INT64_C(1) << 62},
        {"address(counter) + 4", 4100},
        {"most", INT64_MAX},
        {"9223372036854775807", INT64_MAX},
        {"least / 1", INT64_MIN},
        {"0 && 1 / 0", 0},
        {"1 || 1 / 0", 1},
        {"levels > 6 ? width : 1 / 0", 333},
        {"levels < 6 ? width(99) : 2", 2},
        {"1 ? 3 : most + 1", 3},
        {"half < 1", 1},
        {"half == 0.5", 1},
        {"!half", 0},
        {"tiles * 2 + both", 24},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        check_integer(cases[i].text, cases[i].value);
    }
}

static void test_floats(void)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1.0 / width", 1.0 / 333}, {"1 / 2.0 + half", 1.0},
        {"2 * 1.5e1", 30.0},        {"-half", -0.5},
        {"min(half, 2)", 0.5},      {"max(1.25, 1)", 1.25},
        {"1 ? half : 2", 0.5},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_value value;
        struct mb_err err = {0};
        must(mb_evaluate(cases[i].text, &scope, &value, &err), &err);
        CHECK(value.is_float);
        CHECK_EQ_DBL(value.real, cases[i].value, 0.0);
    }
}

/* Where a float is wanted, a quotient of integers is one that has no remainder. */
static void test_float_wanted(void)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"330 / 3", 110},
        {"1.0 / 8", 0.125},
        {"1 / 8.0", 0.125},
        {"1 ? 2 : 1 / 3", 2},
        {"(width - width % 2) / 2", 166},
    };
    struct mb_scope own = scope;
    struct mb_value value;
    struct mb_err err = {0};
    own.wants_float = true;
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        must(mb_evaluate(cases[i].text, &own, &value, &err), &err);
        CHECK_EQ_DBL(value.is_float ? value.real : (double)value.integer, cases[i].value, 0.0);
    }
    CHECK_EQ_INT(mb_evaluate("1 / width", &own, &value, &err), MB_FAILED);
    CHECK_EQ_STR(err.text, "'1 / width': character 3: integers lose the remainder here, and a "
                           "float is wanted: write 1.0 for 1");
}

/* Each says where, in characters from 1, and what. */
static void test_refused(void)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "character 1: it ends too early"},
        {"1 +", "character 4: it ends too early"},
        {"1 + * 2", "character 5: no value begins here"},
        {"1 2", "character 3: an operator is missing"},
        {"width)", "character 6: an operator is missing"},
        {"(1 + 2", "character 7: ')' is missing"},
        {"min(1)", "character 6: ',' is missing"},
        {"min(1, 2, 3)", "character 9: ')' is missing"},
        {"1 ? 2", "character 6: ':' is missing"},
        {"1 / 0", "character 3: division by zero"},
        {"width % (levels - 9)", "character 7: division by zero"},
        {"1.0 / 0", "character 5: division by zero"},
        {"least / -1", "character 7: the result is too large"},
        {"-least", "character 1: the result is too large"},
        {"most + 1", "character 6: the result is too large"},
        {"most * 2", "character 6: the result is too large"},
        {"least - 1", "character 7: the result is too large"},
        {"1 << 63", "character 3: shifts are"},
        {"1 << -1", "character 3: shifts are"},
        {"-1 >> 1", "character 4: shifts are"},
        {"4 << 61", "character 3: shifts are"},
        {"half % 2", "character 6: % and shifts are of integers"},
        {"9223372036854775808", "character 1: the number is too large"},
        {"1e999", "character 1: the number is too large"},
        {"12px", "character 1: no number"},
        {"1.2.3", "character 1: no number"},
        {"widht", "character 1: nothing here is called 'widht'"},
        {"1 + step", "character 5: nothing here is called 'step'"},
        {"widt(1)", "character 1: there is no such function"},
        {"width(9)", "character 1: there is no such level"},
        {"height(-1)", "character 1: there is no such level"},
        {"width(half)", "character 1: there is no such level"},
        {"ceil_div(1, 0)", "character 1: ceil_div is of"},
        {"ceil_div(-1, 2)", "character 1: ceil_div is of"},
        {"address(count)", "character 1: nothing here is called 'address(count)'"},
        {"address(counter", "character 16: ')' is missing"},
        {"1 + own", "nested too deep"},
        {"2 * cut", "'1 +': character 4: it ends too early"},
        {"bomb0", "too many names within names"},
        {"width # 2", "character 7: an operator is missing"},
        {"1 = 1", "character 3: an operator is missing"},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        struct mb_value value;
        struct mb_err err = {0};
        CHECK(mb_evaluate(cases[i].text, &scope, &value, &err) != MB_OK);
        CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
        if (!check_record(strstr(err.text, cases[i].why) != NULL, __FILE__, __LINE__)) {
            fprintf(stderr, "%s: %s\n", cases[i].text, err.text);
        }
    }
}

/* Deep and long ones end, either way. */
static void test_depth(void)
{
    char text[MB_MAX_EXPRESSION_BYTES + 2];
    struct mb_value value;
    for (unsigned n = 1; n < 200; n++) {
        struct mb_err err = {0};
        memset(text, '(', n);
        text[n] = '1';
        memset(text + n + 1, ')', n);
        text[2 * n + 1] = '\0';
        const bool is_fine = mb_evaluate(text, &scope, &value, &err) == MB_OK;
        CHECK(is_fine == (n < 40));
        CHECK(is_fine || strstr(err.text, "nested too deep"));
        memset(text, '-', n);
        strcpy(text + n, "1");
        CHECK((mb_evaluate(text, &scope, &value, &err) == MB_OK) == (n < 40));
    }
    struct mb_err err = {0};
    memset(text, '1', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK(mb_evaluate(text, &scope, &value, &err) != MB_OK);
    CHECK(strstr(err.text, "at most 1024 characters"));
    for (size_t i = 0; i + 1 < 1024; i += 2) {
        memcpy(text + i, "1+", 2);
    }
    strcpy(text + 1022, "1");
    must(mb_evaluate(text, &scope, &value, &err), &err);
    CHECK_EQ_INT(value.integer, 512);
}

static void test_hints(void)
{
    struct mb_value value;
    struct mb_err err = {0};
    CHECK(mb_evaluate("1 + levls", &scope, &value, &err) != MB_OK);
    CHECK(strstr(err.hint, "did you mean 'levels'?"));
    CHECK(mb_evaluate("heigt(0)", &scope, &value, &err) != MB_OK);
    CHECK(strstr(err.hint, "did you mean 'height'?"));
}

/* A check knows names, but no values. */
static void test_check(void)
{
    struct mb_err err = {0};
    must(mb_expression_check("1 / (levels - 9) + width(99)", &scope, &err), &err);
    CHECK(mb_expression_check("1 / levls", &scope, &err) != MB_OK);
    CHECK(mb_expression_check("1 ? 2 :", &scope, &err) != MB_OK);
}

int main(void)
{
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){333, 256}, 1, 9);
    return CHECK_TESTS(test_operators, test_names, test_floats, test_float_wanted, test_refused,
                       test_depth, test_hints, test_check);
}
