/* The JSON writer: numbers that read back, text that is valid, every allocation failing. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "check.h"

static void build(struct mb_json *json)
{
    const double numbers[] = {0.1, 1.0 / 3, 1e300, 5e-324, 28800, 1e15, -0.25, 1e22};
    mb_json_init(json);
    struct cJSON *list = mb_json_array(json, json->root, "list");
    struct cJSON *inner = mb_json_object(json, list, NULL);
    mb_json_string(json, inner, "text", "a\"b\\c\n\xff\xc3\xa9");
    mb_json_string(json, inner, "none", NULL);
    mb_json_number(json, inner, "nan", NAN);
    mb_json_number(json, inner, "inf", -INFINITY);
    mb_json_u64(json, inner, "exact", UINT64_C(9007199254740992));
    mb_json_u64(json, inner, "big", UINT64_MAX);
    mb_json_bool(json, inner, "yes", true);
    mb_json_null(json, inner, "null");
    mb_json_numbers(json, json->root, "numbers", numbers, sizeof numbers / sizeof numbers[0]);
    mb_json_string(json, list, NULL, "");
}

static void test_text(void)
{
    struct mb_json json;
    struct mb_strbuf text = {0};
    build(&json);
    mb_json_print(&json, &text);
    CHECK_EQ_STR(
        mb_strbuf_text(&text),
        "{\n"
        "\t\"list\":\t[{\n"
        "\t\t\t\"text\":\t\"a\\\"b\\\\c??\xc3\xa9\",\n"
        "\t\t\t\"none\":\tnull,\n"
        "\t\t\t\"nan\":\tnull,\n"
        "\t\t\t\"inf\":\tnull,\n"
        "\t\t\t\"exact\":\t9007199254740992,\n"
        "\t\t\t\"big\":\t\"18446744073709551615\",\n"
        "\t\t\t\"yes\":\ttrue,\n"
        "\t\t\t\"null\":\tnull\n"
        "\t\t}, \"\"],\n"
        "\t\"numbers\":\t[0.1, 0.3333333333333333, 1e+300, 4.94065645841247e-324, 28800, "
        "1000000000000000, -0.25, 1e+22]\n"
        "}\n");
    mb_strbuf_finish(&text);
    mb_json_finish(&json);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

/* Neighbouring doubles stay apart. */
static void test_round_trip(void)
{
    double value = 0.1;
    for (int i = 0; i < 200; i++, value = nextafter(value * 1.37, INFINITY)) {
        struct mb_json json;
        struct mb_strbuf text = {0};
        mb_json_init(&json);
        mb_json_number(&json, json.root, "v", value);
        mb_json_print(&json, &text);
        CHECK(text.n_bytes > 0 && strtod(strchr(text.text, ':') + 1, NULL) == value);
        mb_strbuf_finish(&text);
        mb_json_finish(&json);
    }
}

static enum mb_status print_built(void *user, struct mb_err *err)
{
    struct mb_json json;
    MB_SCOPED(mb_strbuf) text = {0};
    build(&json);
    mb_json_print(&json, &text);
    mb_json_finish(&json);
    return mb_strbuf_check(&text, err);
}

static void test_allocation_failures(void)
{
    const unsigned n_failures = check_each_allocation(print_built, NULL);
    CHECK(n_failures > 30 && n_failures < 500);
}

static void test_read(void)
{
    struct mb_json json;
    struct mb_err err;
    CHECK_EQ_INT(mb_json_parse(&json,
                               "{\"n\":1.5,\"i\":7,\"big\":\"18446744073709551615\",\"s\":"
                               "\"t\",\"no\":null,\"yes\":true,\"inf\":1e999,\"neg\":-1,"
                               "\"list\":[1,null,3]}\n",
                               &err),
                 MB_OK);
    CHECK_EQ_DBL(mb_json_read_number(json.root, "n"), 1.5, 0);
    CHECK(isnan(mb_json_read_number(json.root, "no")));
    CHECK(isnan(mb_json_read_number(json.root, "inf")));
    CHECK(isnan(mb_json_read_number(json.root, "s")));
    CHECK(isnan(mb_json_read_number(NULL, "n")));
    CHECK_EQ_INT(mb_json_read_u64(json.root, "i", 0), 7);
    CHECK(mb_json_read_u64(json.root, "big", 0) == UINT64_MAX);
    CHECK_EQ_INT(mb_json_read_u64(json.root, "n", 3), 3);
    CHECK_EQ_INT(mb_json_read_u64(json.root, "neg", 3), 3);
    CHECK_EQ_INT(mb_json_read_u64(json.root, "s", 3), 3);
    CHECK_EQ_STR(mb_json_read_string(json.root, "s"), "t");
    CHECK(mb_json_read_string(json.root, "S") == NULL);
    CHECK(mb_json_read_string(json.root, "i") == NULL);
    CHECK(mb_json_read_bool(json.root, "yes", false));
    CHECK(mb_json_read_bool(json.root, "no", true));
    CHECK(!mb_json_read_bool(json.root, "i", false));
    CHECK(mb_json_get(json.root, "no") == NULL && mb_json_get(json.root, "x") == NULL);
    const struct cJSON *list = mb_json_get(json.root, "list");
    CHECK(mb_json_elements(NULL, NULL) == NULL && mb_json_count(NULL, NULL) == 0);
    CHECK(mb_json_elements(json.root, NULL) == NULL && mb_json_members(list, NULL) == NULL);
    CHECK(mb_json_get(list, "n") == NULL);
    CHECK_EQ_INT(mb_json_count(json.root, "list"), 3);
    const struct cJSON *second = mb_json_elements(json.root, "list")->next;
    CHECK(mb_json_get(second, NULL) == NULL && second->string == NULL);
    CHECK_EQ_DBL(mb_json_read_number(second->next, NULL), 3, 0);
    CHECK(second->next->next == NULL);
    CHECK_EQ_STR(mb_json_members(json.root, NULL)->string, "n");
    mb_json_finish(&json);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

static enum mb_status parse_object(void *user, struct mb_err *err)
{
    struct mb_json json;
    const enum mb_status status = mb_json_parse(&json, "{\"a\":[\"text\"]}", err);
    mb_json_finish(&json);
    return status;
}

static void test_read_errors(void)
{
    static const char *const bad[][2] = {
        {"", "line 1, column 1: not JSON near ''"},
        {"{\"a\":1,\n \"b\" 2}", "line 2, column 6: not JSON near ' \"b\" 2}'"},
        {"[1]\n\n]", "line 3, column 1: not JSON near ']'"},
        {"{\"a\": {},\n}\n", "line 2, column 1: not JSON near '}'"},
        {"{\"a\": 1\n\"b\": 2}", "line 2, column 1: not JSON near '\"b\": 2}'"},
        {"{\"a\": [1 2]}", "line 1, column 10: not JSON near '{\"a\": [1 2]}'"},
        {"{\"a\": 1 /* one */}\r\n", "line 1, column 9: not JSON near '{\"a\": 1 /* one */}'"},
        {"\xef\xbb\xbf// one\n{}", "line 1, column 4: not JSON near '\xef\xbb\xbf// one'"},
        {"{}x", "line 1, column 3: not JSON near '{}x'"},
        {"{\"a\": {\"b\": 1}\n", "line 1, column 14: not JSON near '{\"a\": {\"b\": 1}'"},
        {"[\"a, 1]", "line 1, column 3: not JSON near '[\"a, 1]'"},
        {"[1111111111, 2222222222, yes, 3333333333, 4444444444]",
         "line 1, column 26: not JSON near '111111, 2222222222, yes, 3333333333, 444'"},
    };
    for (size_t i = 0; i < MB_COUNTOF(bad); i++) {
        struct mb_json json;
        struct mb_err err;
        CHECK_EQ_INT(mb_json_parse(&json, bad[i][0], &err), MB_FAILED);
        CHECK_EQ_INT(err.code, MB_ERRC_INPUT);
        CHECK_EQ_STR(err.text, bad[i][1]);
        mb_json_finish(&json);
    }
    CHECK(check_each_allocation(parse_object, NULL) >= 4);
}

int main(void)
{
    return CHECK_TESTS(test_read, test_read_errors, test_text, test_round_trip,
                       test_allocation_failures);
}
