/* Figures: units, digits, and what is not finite. */
#include "base/figure.h"

#include "snapshot.h"

/* tests/cli/test_report.py holds the page to the same snapshot. */
static void test_as_on_the_page(void)
{
    static const double times_ns[] = {0,     85,     999,    1000,    9990,
                                      41600, 123456, 462400, 1234567, 2.5e9};
    static const double ratios[] = {0.004, 0.93, 0.996, 1, 1.004, 1.086, 1.23, 11.118, 123.4};
    struct mb_strbuf out = {0};
    for (size_t i = 0; i < MB_COUNTOF(times_ns); i++) {
        mb_strbuf_printf(&out, "time %.0f %s\n", times_ns[i], mb_time_text(times_ns[i]).s);
    }
    for (size_t i = 0; i < MB_COUNTOF(ratios); i++) {
        mb_strbuf_printf(&out, "ratio %g %s\n", ratios[i], mb_ratio_text(ratios[i]).s);
    }
    snapshot_add("figures", &out);
    snapshot_check("figure");
    CHECK_EQ_STR(mb_time_text((double)NAN).s, "-");
}

/* One unit a column, but no more than five digits before the point. */
static void test_columns(void)
{
    CHECK_EQ_STR(mb_time_text_like(1.234e6, 1500).s, "1234.00 us");
    CHECK_EQ_STR(mb_time_text_like(99999e3, 41600).s, "99999.0 us");
    CHECK_EQ_STR(mb_time_text_like(1e8, 41600).s, "100.0 ms");
    CHECK_EQ_STR(mb_time_text_like(1500, 640).s, "1500 ns");
    CHECK_EQ_STR(mb_time_range_text((const double[]){41500, 41700}, 41600, 41600).s,
                 "41.5 - 41.7");
    CHECK_EQ_STR(mb_time_range_text((const double[]){990, 1010}, 1000, 1000).s, "0.99 - 1.01");
    CHECK_EQ_STR(mb_time_range_text((const double[]){9.9e7, 1.2e8}, 1e8, 1500).s,
                 "99.0 - 120.0");
    CHECK_EQ_STR(mb_time_range_text((const double[]){1, (double)NAN}, 1, 1).s, "-");
    CHECK_EQ_STR(mb_time_range_text((const double[]){41600, 41601}, 41600, 41600).s,
                 "41.6 - 41.6");
    CHECK_EQ_STR(mb_time_range_text((const double[]){41600, 41600}, 41600, 41600).s,
                 "< timer step");
}

static void test_ratios(void)
{
    CHECK_EQ_STR(mb_ratio_text((double)INFINITY).s, "-");
    CHECK_EQ_STR(mb_ratio_range_text((const double[]){1.4, 4.43}).s, "1.40 - 4.43");
    CHECK_EQ_STR(mb_ratio_range_text((const double[]){1.4383, 1.4431}).s, "1.43 - 1.45");
    CHECK_EQ_STR(mb_ratio_range_text((const double[]){0.9843, 1.0157}).s, "0.98 - 1.02");
    CHECK_EQ_STR(mb_ratio_range_text((const double[]){0.5, 1.5}).s, "0.50 - 1.50");
    CHECK_EQ_STR(mb_ratio_range_text((const double[]){15.477, 15.563}).s, "15.47 - 15.57");
    CHECK_EQ_STR(mb_ratio_range_text((const double[]){(double)NAN, 1}).s, "-");
    CHECK_EQ_STR(mb_percent_text(0.718).s, "72 %");
    CHECK_EQ_STR(mb_percent_text(0.0994).s, "9.9 %");
    CHECK_EQ_STR(mb_percent_text(0.0996).s, "10 %");
    CHECK_EQ_STR(mb_percent_text(0.0025).s, "0.25 %");
    CHECK_EQ_STR(mb_percent_text(1e-6).s, "0 %");
    CHECK_EQ_STR(mb_percent_text((double)NAN).s, "-");
}

static void test_sizes(void)
{
    CHECK_EQ_STR(mb_bytes_text(0).s, "0 B");
    CHECK_EQ_STR(mb_bytes_text(1023).s, "1023 B");
    CHECK_EQ_STR(mb_bytes_text(1024).s, "1 KiB");
    CHECK_EQ_STR(mb_bytes_text(3 << 19).s, "1.5 MiB");
    CHECK_EQ_STR(mb_bytes_text(UINT64_C(1398) << 30 >> 3).s, "175 GiB");
    CHECK_EQ_STR(mb_bytes_text(UINT64_C(2048) << 40).s, "2048 TiB");
    CHECK_EQ_STR(mb_rate_text(4301).s, "4.30 TB/s");
    CHECK_EQ_STR(mb_rate_text(194.2).s, "194 GB/s");
    CHECK_EQ_STR(mb_rate_text(19.42).s, "19.4 GB/s");
}

static void test_digits(void)
{
    CHECK_EQ_STR(mb_digits_text(4e-4).s, "0");
    CHECK_EQ_STR(mb_digits_text(0.5).s, "0.5");
    CHECK_EQ_STR(mb_digits_text(37.24).s, "37.2");
    CHECK_EQ_STR(mb_digits_text(2745.2).s, "2745");
    CHECK_EQ_STR(mb_digits_text(999499).s, "999499");
    CHECK_EQ_STR(mb_digits_text(4.46e6).s, "4.46 million");
    CHECK_EQ_STR(mb_digits_text(2.1e9).s, "2.1 billion");
    CHECK_EQ_STR(mb_digits_text((double)INFINITY).s, "-");
    CHECK_EQ_STR(mb_count_text(999).s, "999");
    CHECK_EQ_STR(mb_count_text(25316).s, "25,316");
    CHECK_EQ_STR(mb_count_text(1000007).s, "1,000,007");
}

int main(void)
{
    return CHECK_TESTS(test_as_on_the_page, test_columns, test_ratios, test_sizes, test_digits);
}
