/* The growing string: growth, wrapping, and a failure that sticks. */
#include "base/strbuf.h"

#include <stdint.h>

#include "base/alloc.h"
#include "check.h"

static void test_append(void)
{
    struct mb_strbuf buf = {0};
    CHECK_EQ_STR(mb_strbuf_text(&buf), "");
    mb_strbuf_printf(&buf, "%d-%s", 7, "seven");
    mb_strbuf_append(&buf, "!");
    mb_strbuf_append_n(&buf, "abcdef", 2);
    mb_strbuf_append(&buf, "   ");
    mb_strbuf_append(&buf, "");
    CHECK_EQ_STR(mb_strbuf_text(&buf), "7-seven!ab   ");
    CHECK_EQ_INT(buf.n_bytes, 13);
    CHECK_EQ_INT(mb_strbuf_check(&buf, NULL), MB_OK);
    mb_strbuf_finish(&buf);
    CHECK(buf.text == NULL && buf.n_bytes == 0);
}

static void test_growth(void)
{
    struct mb_strbuf buf = {0};
    for (int i = 0; i < 1000; i++) {
        mb_strbuf_printf(&buf, "%03d,", i);
    }
    CHECK_EQ_INT(buf.n_bytes, 4000);
    CHECK(strncmp(mb_strbuf_text(&buf), "000,001,002,", 12) == 0);
    CHECK_EQ_STR(mb_strbuf_text(&buf) + 3992, "998,999,");
    mb_strbuf_printf(&buf, "%*s", 100000, ""); /* more than twice what there is */
    CHECK_EQ_INT(strlen(mb_strbuf_text(&buf)), 104000);
    mb_strbuf_finish(&buf);
}

static void check_list(size_t n, const char *want)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct mb_strbuf buf = {0};
    for (size_t i = 0; i < n; i++) {
        mb_strbuf_list(&buf, names[i], i, n);
    }
    CHECK_EQ_STR(mb_strbuf_text(&buf), want);
    mb_strbuf_finish(&buf);
}

static void test_list(void)
{
    check_list(1, "a");
    check_list(2, "a and b");
    check_list(3, "a, b and c");
    check_list(4, "a, b, c and 1 more");
    check_list(5, "a, b, c and 2 more");
}

static void check_wrap(const char *text, size_t indent, size_t n_columns, const char *want)
{
    struct mb_strbuf buf = {0};
    mb_strbuf_wrap(&buf, text, indent, n_columns);
    CHECK_EQ_STR(mb_strbuf_text(&buf), want);
    mb_strbuf_finish(&buf);
}

static void test_wrap(void)
{
    check_wrap("", 2, 10, "");
    check_wrap("one two", 0, 7, "one two");
    check_wrap("one two", 0, 6, "one\ntwo");
    check_wrap("one two three", 2, 9, "one two\n  three");
    check_wrap("a verylongword b", 1, 5, "a\n verylongword\n b");
    check_wrap("a  b ", 0, 80, "a b");
    check_wrap("\u00e4\u00f6 \u00fc\u00df", 0, 5, "\u00e4\u00f6 \u00fc\u00df");
}

static void test_wrap_lines(void)
{
    struct mb_strbuf buf = {0}, lines = {0};
    mb_strbuf_append(&lines, "it  fits\n\n  two words\nthree more words");
    mb_strbuf_wrap_lines(&buf, &lines, 10);
    CHECK_EQ_STR(mb_strbuf_text(&buf), "it  fits\n\n  two\n      words\nthree more\nwords");
    mb_strbuf_finish(&buf);
}

static void test_no_memory(void)
{
    const uint64_t live = mb_alloc_live_count();
    struct mb_strbuf buf = {0};
    struct mb_err err = {0};
    mb_strbuf_append(&buf, "kept");
    mb_alloc_fail_nth(1, false);
    mb_strbuf_printf(&buf, "%*s", 1000, "");
    mb_alloc_fail_nth(0, false);
    CHECK(buf.failed);
    mb_strbuf_append(&buf, "ignored"); /* memory is back, but a gap would be a lie */
    CHECK_EQ_STR(mb_strbuf_text(&buf), "");
    CHECK_EQ_INT(mb_strbuf_check(&buf, &err), MB_FAILED);
    CHECK_EQ_INT(err.code, MB_ERRC_RUNTIME);
    mb_strbuf_finish(&buf);
    mb_strbuf_append_n(&buf, "", SIZE_MAX - 5);
    CHECK(buf.failed);
    mb_strbuf_finish(&buf);
    CHECK_EQ_INT(mb_alloc_live_count(), live);
}

int main(void)
{
    return CHECK_TESTS(test_append, test_growth, test_list, test_wrap, test_wrap_lines,
                       test_no_memory);
}
