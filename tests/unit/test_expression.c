/* Expressions of manifests: what C makes of them, what has no value, and what is refused. */
#include <math.h>

#include "check.h"
#include "kernel/read.h"

static struct mb_layout layout; /* 333x256, nine levels */

static const struct mb_scope scope = {
    .layout = &layout,
    .n_names = 4,
    .names = {{"width", 333}, {"levels", 9}, {"half", 0.5}, {"none", (double)NAN}},
};

struct value {
    const char *text;
    double value;
};

static void check_values(const struct value *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double value = 0.0;
        struct mb_err err = {0};
        must(mb_evaluate(cases[i].text, &scope, &value, &err), &err);
        const bool is_same = isnan(cases[i].value) ? isnan(value) : value == cases[i].value;
        if (!check_record(is_same, __FILE__, __LINE__)) {
            fprintf(stderr, "%s is %g, not %g\n", cases[i].text, value, cases[i].value);
        }
    }
}

/* What a C compiler makes of them, but for "/". */
static void test_operators(void)
{
    static const struct value cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"20 - 8 - 4", 8},
        {"100 / 5 / 2", 10},
        {"7 / 2", 3.5},
        {"-7 % 3", -1},
        {"7 - -7", 14},
        {"1 << 2 + 1", 8},
        {"256 >> 4 >> 1", 8},
        {"333 >> 3", 41},
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
        {"1.5e1", 15},
        {"9007199254740991 - 1", 9007199254740990.0},
    };
    check_values(cases, MB_COUNTOF(cases));
}

static void test_names(void)
{
    static const struct value cases[] = {
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
        {"1.0 / width", 1.0 / 333},
        {"min(half, 2)", 0.5},
        {"half == 0.5", 1},
    };
    check_values(cases, MB_COUNTOF(cases));
}

/* An operand that decides nothing may lack a value. */
static void test_no_value(void)
{
    static const struct value cases[] = {
        {"0 && 1 / 0", 0},
        {"1 || none", 1},
        {"none && 0", 0},
        {"levels > 6 ? width : 1 / 0", 333},
        {"levels < 6 ? width(99) : 2", 2},
        {"1 / 0", (double)NAN},
        {"1 % (levels - 9)", (double)NAN},
        {"none == none", (double)NAN},
        {"!none", (double)NAN},
        {"-none < 1", (double)NAN},
        {"none ? 1 : 1", (double)NAN},
        {"1 && none", (double)NAN},
        {"0 || none", (double)NAN},
        {"min(none, 1)", (double)NAN},
        {"max(1, none)", (double)NAN},
        {"ceil_div(1, 0)", (double)NAN},
        {"width(9)", (double)NAN},
        {"height(-1)", (double)NAN},
        {"width(half)", (double)NAN},
        {"even_levels(none)", (double)NAN},
    };
    check_values(cases, MB_COUNTOF(cases));
}

/* Each says what, and where: the rest of the text. */
static void test_refused(void)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "expected a number or a name at the end of ''"},
        {"1 +", "expected a number or a name at the end of '1 +'"},
        {"1 + * 2", "expected a number or a name at '* 2'"},
        {"1 2", "expected an operator at '2'"},
        {"width)", "expected an operator at ')'"},
        {"(1 + 2", "expected ')' at the end of '(1 + 2'"},
        {"min(1)", "expected ',' at ')'"},
        {"min(1, 2, 3)", "expected ')' at ', 3)'"},
        {"1 ? 2", "expected ':' at the end of '1 ? 2'"},
        {"12px", "expected an operator at 'px'"},
        {"1.2.3", "expected an operator at '.3'"},
        {"widht + 1", "unknown name 'widht'"},
        {"1 + step", "unknown name 'step'"},
        {"widt(1)", "unknown name 'widt'"},
        {"address(counter)", "unknown name 'address'"},
        {"width # 2", "expected an operator at '# 2'"},
        {"1 = 1", "expected an operator at '= 1'"},
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        double value;
        struct mb_err err = {0};
        CHECK(mb_evaluate(cases[i].text, &scope, &value, &err) != MB_OK);
        CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
        if (!check_record(strstr(err.text, cases[i].why) != NULL, __FILE__, __LINE__)) {
            fprintf(stderr, "%s: %s\n", cases[i].text, err.text);
        }
    }
}

/* The deepest ones that the length allows end, either way. */
static void test_depth(void)
{
    static const char *const openings[] = {"(", "-", "1?", "width(", "0?0:"};
    char text[MB_MAX_EXPRESSION_BYTES + 2];
    double value;
    for (size_t i = 0; i < MB_COUNTOF(openings); i++) {
        struct mb_err err = {0};
        const size_t n = strlen(openings[i]);
        size_t at = 0;
        for (; at + n < MB_MAX_EXPRESSION_BYTES; at += n) {
            memcpy(text + at, openings[i], n);
        }
        strcpy(text + at, "1");
        CHECK_EQ_INT(mb_evaluate(text, &scope, &value, &err),
                     i == 1 || i == 4 ? MB_OK : MB_FAILED);
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
    CHECK_EQ_DBL(value, 512, 0.0);
}

static void test_hints(void)
{
    double value;
    struct mb_err err = {0};
    CHECK(mb_evaluate("1 + levls", &scope, &value, &err) != MB_OK);
    CHECK(strstr(err.hint, "did you mean 'levels'?"));
    CHECK(mb_evaluate("heigt(0)", &scope, &value, &err) != MB_OK);
    CHECK(strstr(err.hint, "did you mean 'height'?"));
}

int main(void)
{
    mb_layout_init(&layout, mb_format_find("rgba8"), (struct mb_extent){333, 256}, 1, 9);
    return CHECK_TESTS(test_operators, test_names, test_no_value, test_refused, test_depth,
                       test_hints);
}
