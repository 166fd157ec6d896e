/* The JSON writer: numbers that read back, text that is valid, every allocation failing. */
#include <stdlib.h>

#include <cJSON.h>

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
    struct mb_err err;
    char *text = NULL;
    build(&json);
    CHECK_EQ_INT(mb_json_print(&json, &text, &err), MB_OK);
    CHECK_EQ_STR(
        text, "{\n"
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
    mb_free(text);
    mb_json_finish(&json);
    CHECK_EQ_INT(mb_alloc_live_count(), 0);
}

/* Neighbouring doubles stay apart. */
static void test_round_trip(void)
{
    double value = 0.1;
    for (int i = 0; i < 200; i++, value = nextafter(value * 1.37, INFINITY)) {
        struct mb_json json;
        struct mb_err err;
        char *text = NULL;
        mb_json_init(&json);
        mb_json_number(&json, json.root, "v", value);
        CHECK_EQ_INT(mb_json_print(&json, &text, &err), MB_OK);
        CHECK(text != NULL && strtod(strchr(text, ':') + 1, NULL) == value);
        mb_free(text);
        mb_json_finish(&json);
    }
}

static void test_allocation_failures(void)
{
    unsigned n_failures = 0;
    for (uint64_t nth = 1; nth < 1000; nth++) {
        struct mb_json json;
        struct mb_err err = {.code = MB_ERRC_NONE};
        char *text = NULL;
        mb_alloc_fail_nth(nth, false);
        build(&json);
        const enum mb_status status = mb_json_print(&json, &text, &err);
        mb_alloc_fail_nth(0, false);
        mb_free(text);
        mb_json_finish(&json);
        CHECK_EQ_INT(mb_alloc_live_count(), 0);
        if (status == MB_OK) {
            break;
        }
        n_failures++;
        CHECK(text == NULL);
        CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    }
    CHECK(n_failures > 30 && n_failures < 500);
}

int main(void)
{
    test_text();
    test_round_trip();
    test_allocation_failures();
    return check_summary("json");
}
