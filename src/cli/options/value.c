/* Parses the values of options: one function for each kind. */
#include "cli/options/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "image/filter.h"
#include "image/image.h"

#define MAX_CHOICES   16
#define MAX_LLC_BYTES (UINT64_C(1) << 40)

/* An option as it was given; `value` may be one item of a list. */
struct taken {
    struct mb_options *options;
    const struct mb_option_row *row;
    const char *value; /* NULL: a switch */
};

typedef enum mb_status take_fn(const struct taken *t, struct mb_err *err);

static void *field_of(const struct taken *t)
{
    return (char *)t->options + t->row->field;
}

static enum mb_status take_switch(const struct taken *t, struct mb_err *err)
{
    *(bool *)field_of(t) = strncmp(t->row->name, "no-", 3) != 0;
    return MB_OK;
}

static enum mb_status take_text(const struct taken *t, struct mb_err *err)
{
    *(const char **)field_of(t) = t->value != NULL ? t->value : "-";
    return MB_OK;
}

static enum mb_status take_count(const struct taken *t, struct mb_err *err)
{
    int64_t number = 0;
    MB_FAIL_IF(!mb_parse_int(t->value, (int64_t)t->row->min, (int64_t)t->row->max, &number),
               err, MB_ERRC_USAGE, "--%s: '%s' is not a whole number from %.0f to %.0f",
               t->row->name, t->value, t->row->min, t->row->max);
    *(uint32_t *)field_of(t) = (uint32_t)number;
    return MB_OK;
}

static enum mb_status take_number(const struct taken *t, struct mb_err *err)
{
    const double scale = t->row->kind == MB_OPTION_PERCENT ? 0.01 : 1.0;
    double number = 0.0;
    MB_FAIL_IF(!mb_parse_double(t->value, t->row->min, t->row->max, &number), err,
               MB_ERRC_USAGE, "--%s: '%s' is not a number from %g to %g", t->row->name,
               t->value, t->row->min, t->row->max);
    *(double *)field_of(t) = number * scale;
    return MB_OK;
}

/* Call `add` for each item of a comma-separated value. */
static enum mb_status take_each(const struct taken *t, take_fn *add, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) items = {0};
    MB_DO(mb_strlist_split(&items, t->value, err));
    for (size_t i = 0; i < items.n; i++) {
        MB_DO(items.items[i][0] != '\0'
                  ? add(&(struct taken){t->options, t->row, items.items[i]}, err)
                  : MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' has an empty item", t->row->name,
                            t->value));
    }
    return MB_OK;
}

static enum mb_status add_choice(const struct taken *t, struct mb_err *err)
{
    const char *names[MAX_CHOICES];
    size_t n_names = 0;
    MB_SCOPED(mb_strbuf) argument = {0};
    for (const struct mb_choice *choice = t->row->choices; choice->name != NULL; choice++) {
        if (strcmp(t->value, choice->name) == 0) {
            *(unsigned *)field_of(t) |= choice->value;
            return MB_OK;
        }
        names[n_names++] = choice->name;
    }
    mb_option_add_argument(&argument, t->row);
    MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' is not one of %s", t->row->name, t->value,
            mb_strbuf_text(&argument));
    return mb_err_hint_nearest(err, t->value, names, n_names, "");
}

static enum mb_status take_choice(const struct taken *t, struct mb_err *err)
{
    *(unsigned *)field_of(t) = 0;
    return t->row->kind == MB_OPTION_SET ? take_each(t, add_choice, err) : add_choice(t, err);
}

/* "50M": digits, and K, M or G of 1024. */
static enum mb_status take_bytes(const struct taken *t, struct mb_err *err)
{
    static const char suffixes[] = "KMG";
    char digits[24];
    size_t n = strlen(t->value);
    const char *suffix = strchr(suffixes, t->value[n - 1]);
    unsigned shift = suffix ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
    uint64_t number = 0;
    n -= suffix != NULL;
    if (n < sizeof digits) {
        memcpy(digits, t->value, n);
        digits[n] = '\0';
    }
    MB_FAIL_IF(n >= sizeof digits || !mb_parse_u64(digits, &number) || number == 0 ||
                   number > MAX_LLC_BYTES >> shift,
               err, MB_ERRC_USAGE,
               "--%s: '%s' is not a number of bytes, such as 52428800 or 50M", t->row->name,
               t->value);
    *(uint64_t *)field_of(t) = number << shift;
    return MB_OK;
}

static enum mb_status take_seed(const struct taken *t, struct mb_err *err)
{
    MB_FAIL_IF(!mb_parse_u64(t->value, &t->options->settings.seed), err, MB_ERRC_USAGE,
               "--%s: '%s' is not a whole number from 0 to %" PRIu64, t->row->name, t->value,
               UINT64_MAX);
    return MB_OK;
}

static enum mb_status take_one_more(const struct taken *t, struct mb_err *err)
{
    return mb_strlist_add(field_of(t), err, "%s", t->value);
}

static enum mb_status add_spec(const struct taken *t, struct mb_err *err)
{
    return mb_strlist_add(&t->options->specs, err, "%s", t->value);
}

static enum mb_status take_specs(const struct taken *t, struct mb_err *err)
{
    return take_each(t, add_spec, err);
}

static enum mb_status fail_unknown_format(const char *value, struct mb_err *err)
{
    const char *names[64] = {"auto"};
    size_t n_names = 1;
    for (size_t i = 0; i < mb_format_count && n_names < MB_COUNTOF(names); i++) {
        names[n_names++] = mb_formats[i].name;
    }
    MB_FAIL(err, MB_ERRC_USAGE, "unknown format '%s'", value);
    return mb_err_hint_nearest(err, value, names, n_names,
                               "'mipbench list formats' names them");
}

/* The bit of the reduction called `name`, or 0. */
static unsigned reduce_bit(const char *name)
{
    unsigned bit = 0;
    for (unsigned i = 0; i < MB_N_REDUCES; i++) {
        bit |= strcmp(name, mb_reduce_names[i]) == 0 ? 1u << i : 0;
    }
    return bit;
}

/* NAME or NAME:REDUCTION. A format that is named again takes that reduction, too. */
static enum mb_status add_format(const struct taken *t, struct mb_err *err)
{
    struct mb_options *options = t->options;
    char name[32];
    const char *colon = strchr(t->value, ':');
    const unsigned bit = colon ? reduce_bit(colon + 1) : 0;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(t->value, ":"), t->value);
    const struct mb_format *found = mb_format_find(name);
    const char *format = found ? found->name : NULL;
    if (found == NULL && strcmp(name, "auto") != 0) {
        return fail_unknown_format(name, err);
    }
    MB_FAIL_IF(colon && bit == 0, err, MB_ERRC_USAGE,
               "--%s: '%s': a reduction is avg, min or max", t->row->name, t->value);
    size_t i = 0;
    while (i < options->n_formats && options->formats[i] != format) {
        i++;
    }
    MB_FAIL_IF(i == MB_MAX_FORMATS, err, MB_ERRC_USAGE, "--%s: more than %d formats",
               t->row->name, MB_MAX_FORMATS);
    const bool is_new = i == options->n_formats;
    const bool is_all = bit == 0 || (!is_new && options->format_reduces[i] == 0);
    const unsigned before = is_new ? 0 : options->format_reduces[i];
    options->format_reduces[i] = is_all ? 0 : before | bit;
    options->formats[i] = format;
    options->n_formats += is_new;
    options->settings.format = options->formats[0];
    return MB_OK;
}

static enum mb_status take_formats(const struct taken *t, struct mb_err *err)
{
    t->options->n_formats = 0;
    return take_each(t, add_format, err);
}

static enum mb_status take_colour(const struct taken *t, struct mb_err *err)
{
    t->options->settings.is_srgb = strcmp(t->row->name, "srgb") == 0;
    t->options->is_linear = !t->options->settings.is_srgb;
    return MB_OK;
}

static enum mb_status add_size(struct mb_settings *settings, const struct mb_option_row *row,
                               struct mb_extent size, struct mb_err *err)
{
    for (size_t i = 0; i < settings->n_sizes; i++) {
        const struct mb_extent old = settings->size[i];
        if (old.width == size.width && old.height == size.height) {
            return MB_OK;
        }
    }
    MB_FAIL_IF(settings->n_sizes == MB_MAX_SIZES, err, MB_ERRC_USAGE,
               "--%s: more than %d sizes", row->name, MB_MAX_SIZES);
    settings->size[settings->n_sizes++] = size;
    return MB_OK;
}

static enum mb_status add_size_text(const struct taken *t, struct mb_err *err)
{
    struct mb_extent size = {0};
    MB_FAIL_IF(!mb_parse_extent(t->value, MB_IMAGE_MAX_DIMENSION, &size.width, &size.height),
               err, MB_ERRC_USAGE, "--%s: '%s' is not WxH with each from 1 to %u", t->row->name,
               t->value, MB_IMAGE_MAX_DIMENSION);
    return add_size(&t->options->settings, t->row, size, err);
}

static enum mb_status take_sizes(const struct taken *t, struct mb_err *err)
{
    return take_each(t, add_size_text, err);
}

/* `n` whole numbers up to MB_IMAGE_MAX_DIMENSION, with `separator` between them. */
static bool parse_numbers(const char *text, char separator, size_t n, uint32_t *out)
{
    for (size_t i = 0; i < n; i++) {
        char word[16];
        const char end[] = {separator, '\0'};
        const size_t n_bytes = strcspn(text, end);
        int64_t number = 0;
        if (n_bytes >= sizeof word || text[n_bytes] != (i + 1 < n ? separator : '\0')) {
            return false;
        }
        memcpy(word, text, n_bytes);
        word[n_bytes] = '\0';
        if (!mb_parse_int(word, 0, MB_IMAGE_MAX_DIMENSION, &number)) {
            return false;
        }
        out[i] = (uint32_t)number;
        text += n_bytes + 1;
    }
    return true;
}

static bool is_power_of_two(uint32_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

static enum mb_status take_sweep(const struct taken *t, struct mb_err *err)
{
    uint32_t edge[2];
    MB_FAIL_IF(!parse_numbers(t->value, ':', 2, edge) || !is_power_of_two(edge[0]) ||
                   !is_power_of_two(edge[1]) || edge[0] > edge[1],
               err, MB_ERRC_USAGE, "--%s: '%s' is not A:B with powers of two 1 <= A <= B <= %u",
               t->row->name, t->value, MB_IMAGE_MAX_DIMENSION);
    for (uint32_t width = edge[0]; width <= edge[1]; width *= 2) {
        MB_DO(add_size(&t->options->settings, t->row, (struct mb_extent){width, width}, err));
    }
    return MB_OK;
}

static enum mb_status take_rect(const struct taken *t, struct mb_err *err)
{
    struct mb_settings *settings = &t->options->settings;
    uint32_t n[4];
    MB_FAIL_IF(!parse_numbers(t->value, ',', 4, n) || n[0] == MB_IMAGE_MAX_DIMENSION ||
                   n[1] == MB_IMAGE_MAX_DIMENSION || n[2] == 0 || n[3] == 0,
               err, MB_ERRC_USAGE,
               "--%s: '%s' is not X,Y,W,H with X and Y from 0 to %u, W and H from 1 "
               "to %u",
               t->row->name, t->value, MB_IMAGE_MAX_DIMENSION - 1, MB_IMAGE_MAX_DIMENSION);
    MB_FAIL_IF(!mb_rect_is_empty(settings->rect), err, MB_ERRC_USAGE,
               "--%s: given twice, but an update takes one rectangle", t->row->name);
    settings->rect = (struct mb_rect){n[0], n[1], n[2], n[3]};
    return MB_OK;
}

static enum mb_status take_verbose(const struct taken *t, struct mb_err *err)
{
    t->options->verbosity++;
    return MB_OK;
}

static enum mb_status take_help(const struct taken *t, struct mb_err *err)
{
    t->options->help_verb = t->options->verb_is_given ? t->options->verb : MB_VERB_HELP;
    t->options->verb = MB_VERB_HELP;
    return MB_OK;
}

static enum mb_status take_version(const struct taken *t, struct mb_err *err)
{
    t->options->verb = MB_VERB_VERSION;
    return MB_OK;
}

enum mb_status mb_option_take(struct mb_options *options, const struct mb_option_row *row,
                              const char *value, struct mb_err *err)
{
    static take_fn *const takers[MB_N_OPTION_KINDS] = {
        [MB_OPTION_SWITCH] = take_switch,   [MB_OPTION_TEXT] = take_text,
        [MB_OPTION_TEXTS] = take_one_more,  [MB_OPTION_COUNT] = take_count,
        [MB_OPTION_NUMBER] = take_number,   [MB_OPTION_PERCENT] = take_number,
        [MB_OPTION_CHOICE] = take_choice,   [MB_OPTION_SET] = take_choice,
        [MB_OPTION_BYTES] = take_bytes,     [MB_OPTION_SEED] = take_seed,
        [MB_OPTION_SPECS] = take_specs,     [MB_OPTION_FORMATS] = take_formats,
        [MB_OPTION_COLOUR] = take_colour,   [MB_OPTION_SIZES] = take_sizes,
        [MB_OPTION_SWEEP] = take_sweep,     [MB_OPTION_RECT] = take_rect,
        [MB_OPTION_HELP] = take_help,       [MB_OPTION_VERSION] = take_version,
        [MB_OPTION_VERBOSE] = take_verbose,
    };
    MB_FAIL_IF(value != NULL && value[0] == '\0', err, MB_ERRC_USAGE,
               "--%s: the value is empty", row->name);
    return takers[row->kind](&(struct taken){options, row, value}, err);
}
