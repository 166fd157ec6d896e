/* Options on how times are taken. */
#include "cli/option_parse.h"

#include <string.h>

#include "base/text.h"

#define MAX_WARMUP_ROUNDS 1000000
#define MAX_SAMPLES       1000000
#define MAX_SECONDS       86400.0
#define MAX_LLC_BYTES     (UINT64_C(1) << 40)

enum mb_status mb_option_apply_warmup(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err)
{
    return mb_option_parse_count(row, value, 0, MAX_WARMUP_ROUNDS,
                                 &parse->options->settings.n_warmup, err);
}

enum mb_status mb_option_apply_samples(struct mb_option_parse *parse,
                                       const struct mb_option_row *row, const char *value,
                                       struct mb_err *err)
{
    return mb_option_parse_count(row, value, 1, MAX_SAMPLES,
                                 &parse->options->settings.n_samples, err);
}

enum mb_status mb_option_apply_cache(struct mb_option_parse *parse,
                                     const struct mb_option_row *row, const char *value,
                                     struct mb_err *err)
{
    static const char *const names[] = {"hot", "cold", "both"};
    static const unsigned masks[] = {1u << MB_CACHE_HOT, 1u << MB_CACHE_COLD,
                                     1u << MB_CACHE_HOT | 1u << MB_CACHE_COLD};
    size_t choice = 0;
    enum mb_status status;
    MB_TRY(mb_option_parse_choice(row, value, names, MB_COUNTOF(names), &choice, err));
    parse->options->settings.caches = masks[choice];
fail:
    return status;
}

static enum mb_status add_mode(struct mb_option_parse *parse, const struct mb_option_row *row,
                               const char *item, struct mb_err *err)
{
    static const char *const names[] = {"latency", "throughput", "overlap",
                                        "beside",  "both",       "all"};
    static const unsigned masks[] = {
        1u << MB_MODE_LATENCY,
        1u << MB_MODE_THROUGHPUT,
        1u << MB_MODE_OVERLAP,
        1u << MB_MODE_BESIDE,
        1u << MB_MODE_LATENCY | 1u << MB_MODE_THROUGHPUT,
        1u << MB_MODE_LATENCY | 1u << MB_MODE_THROUGHPUT | 1u << MB_MODE_OVERLAP,
    };
    size_t choice = 0;
    enum mb_status status;
    MB_TRY(mb_option_parse_choice(row, item, names, MB_COUNTOF(names), &choice, err));
    parse->options->settings.modes |= masks[choice];
fail:
    return status;
}

enum mb_status mb_option_apply_mode(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    parse->options->settings.modes = 0;
    return mb_option_parse_each(row, value, parse, add_mode, err);
}

static enum mb_status parse_number(const struct mb_option_row *row, const char *value,
                                   double min, double max, const char *unit, double *out,
                                   struct mb_err *err)
{
    if (!mb_parse_double(value, min, max, out)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' is not a number of %s from %g to %g",
                       row->name, value, unit, min, max);
    }
    return MB_OK;
}

enum mb_status mb_option_apply_max_noise(struct mb_option_parse *parse,
                                         const struct mb_option_row *row, const char *value,
                                         struct mb_err *err)
{
    double percent = 0.0;
    enum mb_status status = parse_number(row, value, 0.0, 100.0, "per cent", &percent, err);
    parse->options->settings.max_noise = percent / 100.0;
    return status;
}

enum mb_status mb_option_apply_min_time(struct mb_option_parse *parse,
                                        const struct mb_option_row *row, const char *value,
                                        struct mb_err *err)
{
    return parse_number(row, value, 0.0, MAX_SECONDS, "seconds",
                        &parse->options->settings.min_time_s, err);
}

enum mb_status mb_option_apply_timeout(struct mb_option_parse *parse,
                                       const struct mb_option_row *row, const char *value,
                                       struct mb_err *err)
{
    return parse_number(row, value, 0.001, MAX_SECONDS, "seconds",
                        &parse->options->settings.timeout_s, err);
}

/* "50M": digits, and K, M or G of 1024. */
enum mb_status mb_option_apply_l2_bytes(struct mb_option_parse *parse,
                                        const struct mb_option_row *row, const char *value,
                                        struct mb_err *err)
{
    static const char suffixes[] = "KMG";
    char digits[24];
    size_t n = strlen(value);
    const char *suffix = n > 0 ? strchr(suffixes, value[n - 1]) : NULL;
    unsigned shift = suffix ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
    uint64_t number = 0;
    n -= suffix != NULL;
    if (n < sizeof digits) {
        memcpy(digits, value, n);
        digits[n] = '\0';
    }
    if (n >= sizeof digits || !mb_parse_u64(digits, &number) || number == 0 ||
        number > MAX_LLC_BYTES >> shift) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--%s: '%s' is not a number of bytes, such as 52428800 or 50M",
                       row->name, value);
    }
    parse->options->settings.l2_bytes = number << shift;
    return MB_OK;
}
