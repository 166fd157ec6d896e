/* Parses the values of options: one function for each kind. */
#include "cli/options/value.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "image/image.h"

#define MAX_CHOICES   16
#define MAX_LLC_BYTES (UINT64_C(1) << 40)

typedef enum mb_status take_fn(struct mb_options *options, const struct mb_option_row *row,
                               const char *value, struct mb_err *err);

static void *field_of(struct mb_options *options, const struct mb_option_row *row)
{
    return (char *)options + row->field;
}

static enum mb_status take_switch(struct mb_options *options, const struct mb_option_row *row,
                                  const char *value, struct mb_err *err)
{
    *(bool *)field_of(options, row) = strncmp(row->name, "no-", 3) != 0;
    return MB_OK;
}

static enum mb_status take_text(struct mb_options *options, const struct mb_option_row *row,
                                const char *value, struct mb_err *err)
{
    *(const char **)field_of(options, row) = value != NULL ? value : "-";
    return MB_OK;
}

static enum mb_status take_count(struct mb_options *options, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    int64_t number = 0;
    MB_FAIL_IF(!mb_parse_int(value, (int64_t)row->min, (int64_t)row->max, &number), err,
               MB_ERRC_USAGE, "--%s: '%s' is not a whole number from %.0f to %.0f", row->name,
               value, row->min, row->max);
    *(uint32_t *)field_of(options, row) = (uint32_t)number;
    return MB_OK;
}

static enum mb_status take_number(struct mb_options *options, const struct mb_option_row *row,
                                  const char *value, struct mb_err *err)
{
    const double scale = row->kind == MB_OPTION_PERCENT ? 0.01 : 1.0;
    double number = 0.0;
    MB_FAIL_IF(!mb_parse_double(value, row->min, row->max, &number), err, MB_ERRC_USAGE,
               "--%s: '%s' is not a number from %g to %g", row->name, value, row->min,
               row->max);
    *(double *)field_of(options, row) = number * scale;
    return MB_OK;
}

/* Call `add` for each item of a comma-separated value. */
static enum mb_status take_each(struct mb_options *options, const struct mb_option_row *row,
                                const char *value, take_fn *add, struct mb_err *err)
{
    MB_SCOPED(mb_strlist) items = {0};
    MB_DO(mb_strlist_split(&items, value, err));
    for (size_t i = 0; i < items.n; i++) {
        MB_DO(items.items[i][0] != '\0'
                  ? add(options, row, items.items[i], err)
                  : MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' has an empty item", row->name,
                            value));
    }
    return MB_OK;
}

static enum mb_status add_choice(struct mb_options *options, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    const char *names[MAX_CHOICES];
    size_t n_names = 0;
    MB_SCOPED(mb_strbuf) argument = {0};
    for (const struct mb_choice *choice = row->choices; choice->name != NULL; choice++) {
        if (strcmp(value, choice->name) == 0) {
            *(unsigned *)field_of(options, row) |= choice->value;
            return MB_OK;
        }
        names[n_names++] = choice->name;
    }
    mb_option_add_argument(&argument, row);
    MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' is not one of %s", row->name, value,
            mb_strbuf_text(&argument));
    return mb_err_hint_nearest(err, value, names, n_names, "");
}

static enum mb_status take_choice(struct mb_options *options, const struct mb_option_row *row,
                                  const char *value, struct mb_err *err)
{
    *(unsigned *)field_of(options, row) = 0;
    return row->kind == MB_OPTION_SET ? take_each(options, row, value, add_choice, err)
                                      : add_choice(options, row, value, err);
}

/* "50M": digits, and K, M or G of 1024. */
static enum mb_status take_bytes(struct mb_options *options, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    static const char suffixes[] = "KMG";
    char digits[24];
    size_t n = strlen(value);
    const char *suffix = strchr(suffixes, value[n - 1]);
    unsigned shift = suffix ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
    uint64_t number = 0;
    n -= suffix != NULL;
    if (n < sizeof digits) {
        memcpy(digits, value, n);
        digits[n] = '\0';
    }
    MB_FAIL_IF(n >= sizeof digits || !mb_parse_u64(digits, &number) || number == 0 ||
                   number > MAX_LLC_BYTES >> shift,
               err, MB_ERRC_USAGE,
               "--%s: '%s' is not a number of bytes, such as 52428800 or 50M", row->name,
               value);
    *(uint64_t *)field_of(options, row) = number << shift;
    return MB_OK;
}

static enum mb_status take_seed(struct mb_options *options, const struct mb_option_row *row,
                                const char *value, struct mb_err *err)
{
    MB_FAIL_IF(!mb_parse_u64(value, &options->settings.seed), err, MB_ERRC_USAGE,
               "--%s: '%s' is not a whole number from 0 to %" PRIu64, row->name, value,
               UINT64_MAX);
    return MB_OK;
}

static enum mb_status add_spec(struct mb_options *options, const struct mb_option_row *row,
                               const char *item, struct mb_err *err)
{
    return mb_strlist_add(&options->specs, err, "%s", item);
}

static enum mb_status take_specs(struct mb_options *options, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    return take_each(options, row, value, add_spec, err);
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

static enum mb_status add_format(struct mb_options *options, const struct mb_option_row *row,
                                 const char *item, struct mb_err *err)
{
    const struct mb_format *format = mb_format_find(item);
    if (format == NULL && strcmp(item, "auto") != 0) {
        return fail_unknown_format(item, err);
    }
    const char *name = format != NULL ? format->name : NULL;
    for (size_t i = 0; i < options->n_formats; i++) {
        if (options->formats[i] == name) {
            return MB_OK; /* seen before */
        }
    }
    MB_FAIL_IF(options->n_formats == MB_MAX_FORMATS, err, MB_ERRC_USAGE,
               "--%s: more than %d formats", row->name, MB_MAX_FORMATS);
    options->formats[options->n_formats++] = name;
    options->settings.format = options->formats[0];
    return MB_OK;
}

static enum mb_status take_formats(struct mb_options *options, const struct mb_option_row *row,
                                   const char *value, struct mb_err *err)
{
    options->n_formats = 0;
    return take_each(options, row, value, add_format, err);
}

static enum mb_status take_colour(struct mb_options *options, const struct mb_option_row *row,
                                  const char *value, struct mb_err *err)
{
    options->settings.is_srgb = strcmp(row->name, "srgb") == 0;
    options->is_linear = !options->settings.is_srgb;
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

static enum mb_status add_size_text(struct mb_options *options, const struct mb_option_row *row,
                                    const char *item, struct mb_err *err)
{
    struct mb_extent size = {0};
    MB_FAIL_IF(!mb_parse_extent(item, MB_IMAGE_MAX_DIMENSION, &size.width, &size.height), err,
               MB_ERRC_USAGE, "--%s: '%s' is not WxH with each from 1 to %u", row->name, item,
               MB_IMAGE_MAX_DIMENSION);
    return add_size(&options->settings, row, size, err);
}

static enum mb_status take_sizes(struct mb_options *options, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    return take_each(options, row, value, add_size_text, err);
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

static enum mb_status take_sweep(struct mb_options *options, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    enum mb_status status = MB_OK;
    uint32_t edge[2];
    MB_FAIL_IF(!parse_numbers(value, ':', 2, edge) || !is_power_of_two(edge[0]) ||
                   !is_power_of_two(edge[1]) || edge[0] > edge[1],
               err, MB_ERRC_USAGE, "--%s: '%s' is not A:B with powers of two 1 <= A <= B <= %u",
               row->name, value, MB_IMAGE_MAX_DIMENSION);
    for (uint32_t width = edge[0]; width <= edge[1] && status == MB_OK; width *= 2) {
        status = add_size(&options->settings, row, (struct mb_extent){width, width}, err);
    }
    return status;
}

/* Below 0, 0 or above: by row, column and size, so that the order in which rectangles are given
 * makes no difference. */
static int compare_rects(const struct mb_rect *a, const struct mb_rect *b)
{
    const uint32_t one[] = {a->y, a->x, a->height, a->width};
    const uint32_t other[] = {b->y, b->x, b->height, b->width};
    for (size_t i = 0; i < MB_COUNTOF(one); i++) {
        if (one[i] != other[i]) {
            return one[i] < other[i] ? -1 : 1;
        }
    }
    return 0;
}

static enum mb_status take_rect(struct mb_options *options, const struct mb_option_row *row,
                                const char *value, struct mb_err *err)
{
    struct mb_settings *settings = &options->settings;
    uint32_t n[4];
    MB_FAIL_IF(!parse_numbers(value, ',', 4, n) || n[0] == MB_IMAGE_MAX_DIMENSION ||
                   n[1] == MB_IMAGE_MAX_DIMENSION || n[2] == 0 || n[3] == 0,
               err, MB_ERRC_USAGE,
               "--%s: '%s' is not X,Y,W,H with X and Y from 0 to %u, W and H from 1 "
               "to %u",
               row->name, value, MB_IMAGE_MAX_DIMENSION - 1, MB_IMAGE_MAX_DIMENSION);
    const struct mb_rect rect = {n[0], n[1], n[2], n[3]};
    struct mb_rect *at = settings->rects;
    const struct mb_rect *end = at + settings->n_rects;
    while (at < end && compare_rects(at, &rect) < 0) {
        at++;
    }
    if (at < end && compare_rects(at, &rect) == 0) {
        return MB_OK; /* seen before */
    }
    if (settings->n_rects == MB_MAX_RECTS) {
        MB_FAIL(err, MB_ERRC_USAGE, "--%s: more than %d rectangles", row->name, MB_MAX_RECTS);
        return mb_err_hint(err, "join some that lie close together");
    }
    memmove(at + 1, at, (size_t)(end - at) * sizeof *at);
    *at = rect;
    settings->n_rects++;
    return MB_OK;
}

static enum mb_status take_verbose(struct mb_options *options, const struct mb_option_row *row,
                                   const char *value, struct mb_err *err)
{
    options->verbosity++;
    return MB_OK;
}

static enum mb_status take_help(struct mb_options *options, const struct mb_option_row *row,
                                const char *value, struct mb_err *err)
{
    options->help_verb = options->verb_is_given ? options->verb : MB_VERB_HELP;
    options->verb = MB_VERB_HELP;
    return MB_OK;
}

static enum mb_status take_version(struct mb_options *options, const struct mb_option_row *row,
                                   const char *value, struct mb_err *err)
{
    options->verb = MB_VERB_VERSION;
    return MB_OK;
}

enum mb_status mb_option_take(struct mb_options *options, const struct mb_option_row *row,
                              const char *value, struct mb_err *err)
{
    static take_fn *const takers[MB_N_OPTION_KINDS] = {
        [MB_OPTION_SWITCH] = take_switch, [MB_OPTION_FILE] = take_text,
        [MB_OPTION_FOLDER] = take_text,   [MB_OPTION_COUNT] = take_count,
        [MB_OPTION_NUMBER] = take_number, [MB_OPTION_PERCENT] = take_number,
        [MB_OPTION_CHOICE] = take_choice, [MB_OPTION_SET] = take_choice,
        [MB_OPTION_BYTES] = take_bytes,   [MB_OPTION_SEED] = take_seed,
        [MB_OPTION_SPECS] = take_specs,   [MB_OPTION_FORMATS] = take_formats,
        [MB_OPTION_COLOUR] = take_colour, [MB_OPTION_SIZES] = take_sizes,
        [MB_OPTION_SWEEP] = take_sweep,   [MB_OPTION_RECT] = take_rect,
        [MB_OPTION_DEVICE] = take_text,   [MB_OPTION_VERBOSE] = take_verbose,
        [MB_OPTION_HELP] = take_help,     [MB_OPTION_VERSION] = take_version,
    };
    MB_FAIL_IF(value != NULL && value[0] == '\0', err, MB_ERRC_USAGE,
               "--%s: the value is empty", row->name);
    return takers[row->kind](options, row, value, err);
}
