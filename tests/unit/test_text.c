/* Text: what is made safe, what is parsed and what is refused. */
#include "base/err.h"
#include "base/os.h"
#include "base/text.h"
#include "check.h"

static void test_sanitize(void)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"plain", "plain"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
         "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
        {"a\nb\tc\033[0m\x7f", "a?b?c?[0m?"},
        {"\xc2\x85", "??"},           /* C1: next line */
        {"\xc2\xa0", "\xc2\xa0"},     /* no-break space: kept */
        {"\xff\xfe", "??"},           /* never valid */
        {"\xc0\xaf", "??"},           /* overlong */
        {"\xe0\x80\x80", "???"},      /* overlong */
        {"\xed\xa0\x80", "???"},      /* surrogate */
        {"\xf4\x90\x80\x80", "????"}, /* above U+10FFFF */
        {"\xe2\x82", "??"},           /* cut short */
        {"\xe2\x82"
         "a",
         "??a"},
        {"\xf0\x9f\x98", "???"},
        {"\x80", "?"},
        {"a\xe2\x80\xae"
         "b\xe2\x81\xa6\xe2\x80\x8f", /* turned around */
         "a???b??????"},
        {"\xe2\x80\xa6", "\xe2\x80\xa6"}, /* an ellipsis: kept */
    };
    for (size_t i = 0; i < MB_COUNTOF(cases); i++) {
        char out[64];
        const size_t n = mb_utf8_sanitize(cases[i].text, out, sizeof out);
        CHECK_EQ_STR(out, cases[i].want);
        CHECK_EQ_INT(n, strlen(cases[i].want));
    }
    char small[4];
    CHECK_EQ_INT(mb_utf8_sanitize("ab\xc3\xa9", small, sizeof small), 2); /* not split */
    CHECK_EQ_STR(small, "ab");
    CHECK_EQ_INT(mb_utf8_sanitize("abcd", small, sizeof small), 3);
    CHECK_EQ_INT(mb_utf8_columns("caf\xc3\xa9 \xe2\x82\xac"), 6);
}

static void test_integers(void)
{
    int64_t i = -7;
    uint64_t u = 7;
    CHECK(mb_parse_int("-12", -100, 100, &i) && i == -12);
    CHECK(mb_parse_int("0", 0, 0, &i) && i == 0);
    CHECK(mb_parse_int("9223372036854775807", INT64_MIN, INT64_MAX, &i) && i == INT64_MAX);
    CHECK(mb_parse_int("-9223372036854775808", INT64_MIN, INT64_MAX, &i) && i == INT64_MIN);
    CHECK(mb_parse_u64("18446744073709551615", &u) && u == UINT64_MAX);
    static const char *const bad[] = {"",
                                      "-",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1e9",
                                      "0x10",
                                      "abc",
                                      "1.0",
                                      "--1",
                                      "1\n",
                                      "12345678901234567890123",
                                      "101",
                                      "-101",
                                      "9223372036854775808",
                                      "-9223372036854775809"};
    for (size_t k = 0; k < MB_COUNTOF(bad); k++) {
        i = 55;
        CHECK(!mb_parse_int(bad[k], -100, 100, &i));
        CHECK_EQ_INT(i, 55);
    }
    CHECK(!mb_parse_int("9223372036854775808", INT64_MIN, INT64_MAX, &i));
    CHECK(!mb_parse_u64("18446744073709551616", &u));
    CHECK(!mb_parse_u64("-1", &u));
    CHECK(!mb_parse_u64("", &u));
}

static void test_decimals(void)
{
    double d = 0;
    CHECK(mb_parse_double("0.5", 0, 1, &d) && d == 0.5);
    CHECK(mb_parse_double(".5", 0, 1, &d) && d == 0.5);
    CHECK(mb_parse_double("-2e-1", -1, 1, &d) && d == -0.2);
    CHECK(mb_parse_double("3.", 0, 9, &d) && d == 3);
    static const char *const bad[] = {"",    ".",  "-",  "e5",  "1e",    "1e+", "inf", "nan",
                                      "0x1", " 1", "1 ", "1,5", "1e999", "+1",  "2"};
    for (size_t k = 0; k < MB_COUNTOF(bad); k++) {
        CHECK(!mb_parse_double(bad[k], 0, 1.5, &d));
    }
}

static void test_extents(void)
{
    uint32_t n[3];
    CHECK(mb_parse_numbers("1920x1080", "xX", 2, 1, 4096, n) && n[0] == 1920 && n[1] == 1080);
    CHECK(mb_parse_numbers("1X4096", "xX", 2, 1, 4096, n) && n[0] == 1 && n[1] == 4096);
    CHECK(mb_parse_numbers("0,1,2", ",", 3, 0, 2, n) && n[0] == 0 && n[2] == 2);
    static const char *const bad[] = {
        "",     "x",      "12",     "12x",   "x12",  "0x5",  "5x0",
        "-1x5", "4097x1", "1x4097", "1x2x3", "1 x2", "1x2 ", "99999999999999999999x1"};
    for (size_t k = 0; k < MB_COUNTOF(bad); k++) {
        CHECK(!mb_parse_numbers(bad[k], "xX", 2, 1, 4096, n));
    }
}

static void test_nearest(void)
{
    static const char *const names[] = {"blit", "compute", "subgroup", "spd"};
    static const char *const numbers[] = {"2", "16"};
    CHECK_EQ_STR(mb_nearest_name("sdp", names, 4), "spd");
    CHECK_EQ_STR(mb_nearest_name("SPD", names, 4), "spd");
    CHECK_EQ_STR(mb_nearest_name("bilt", names, 4), "blit");
    CHECK_EQ_STR(mb_nearest_name("compute2", names, 4), "compute");
    CHECK_EQ_STR(mb_nearest_name("sugbrop", names, 4), "subgroup");
    CHECK(mb_nearest_name("xyz", names, 4) == NULL);
    CHECK(mb_nearest_name("b", names, 4) == NULL);
    CHECK(mb_nearest_name("7", numbers, 2) == NULL);
    CHECK_EQ_STR(mb_nearest_name("10", numbers, 2), "16");
    CHECK(mb_nearest_name("", names, 4) == NULL);
    CHECK(mb_nearest_name("spd", names, 0) == NULL);
    char longer[200];
    memset(longer, 's', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    CHECK(mb_nearest_name(longer, names, 4) == NULL);
}

static void test_sha256(void)
{
    char hex[65];
    mb_sha256_hex("abc", 3, hex); /* FIPS 180-4's example */
    CHECK_EQ_STR(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    mb_sha256_hex("", 0, hex);
    CHECK_EQ_STR(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* Each before all that follow it. */
static void test_natural_order(void)
{
    static const char *const ordered[] = {"",
                                          "0",
                                          "2",
                                          "10",
                                          "99999999999999999999",
                                          "100000000000000000000",
                                          "A10",
                                          "a",
                                          "a0",
                                          "a00",
                                          "a1b2",
                                          "a1b10",
                                          "a01b11",
                                          "a2",
                                          "img2",
                                          "img02.png",
                                          "img2.png",
                                          "img10.png",
                                          "img10a.png",
                                          "x\xff"};
    for (size_t i = 0; i < MB_COUNTOF(ordered); i++) {
        CHECK_EQ_INT(mb_natural_compare(ordered[i], ordered[i]), 0);
        for (size_t k = i + 1; k < MB_COUNTOF(ordered); k++) {
            CHECK(mb_natural_compare(ordered[i], ordered[k]) < 0);
            CHECK(mb_natural_compare(ordered[k], ordered[i]) > 0);
        }
    }
}

static void test_lines(void)
{
    char text[] = "a\n\nlast", ended[] = "one\n", *rest = text;
    CHECK_EQ_STR(mb_next_line(&rest), "a");
    CHECK_EQ_STR(mb_next_line(&rest), "");
    CHECK_EQ_STR(mb_next_line(&rest), "last");
    CHECK(mb_next_line(&rest) == NULL);
    rest = ended;
    CHECK_EQ_STR(mb_next_line(&rest), "one");
    CHECK(mb_next_line(&rest) == NULL);
    rest = NULL;
    CHECK(mb_next_line(&rest) == NULL);
}

int main(void)
{
    return CHECK_TESTS(test_sanitize, test_integers, test_decimals, test_extents, test_nearest,
                       test_sha256, test_natural_order, test_lines);
}
