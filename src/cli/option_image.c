/* Options on the image and what is made of it, and the parsers that all options share. */
#include "cli/option_parse.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "image/image.h"

#define MAX_LAYERS                                                                             \
    2048 /* the most that a device is known to take; its own limit comes later                 \
          */

enum mb_status mb_option_parse_count(const struct mb_option_row *row, const char *value,
                                     uint32_t min, uint32_t max, uint32_t *out,
                                     struct mb_err *err)
{
    int64_t number = 0;
    if (!mb_parse_int(value, min, max, &number)) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--%s: '%s' is not a whole number from %" PRIu32 " to %" PRIu32,
                       row->name, value, min, max);
    }
    *out = (uint32_t)number;
    return MB_OK;
}

enum mb_status mb_option_parse_choice(const struct mb_option_row *row, const char *value,
                                      const char *const *names, size_t n, size_t *out,
                                      struct mb_err *err)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = i;
            return MB_OK;
        }
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' is not one of %s",
                                          row->name, value, row->argument);
    const char *near = mb_nearest_name(value, names, n);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '%s'?", near);
    }
    return status;
}

static enum mb_status fail_unknown_format(const char *value, struct mb_err *err)
{
    const char *names[64] = {"auto"};
    size_t n_names = 1;
    for (size_t i = 0; i < mb_format_count && n_names < MB_COUNTOF(names); i++) {
        names[n_names++] = mb_formats[i].name;
    }
    const enum mb_status status = MB_FAIL(err, MB_ERRC_USAGE, "unknown format '%s'", value);
    const char *near = mb_nearest_name(value, names, n_names);
    if (near != NULL) {
        mb_err_hint(err, "did you mean '%s'?", near);
    } else {
        mb_err_hint(err, "'mipbench list formats' names them");
    }
    return status;
}

static enum mb_status add_format(struct mb_option_parse *parse, const struct mb_option_row *row,
                                 const char *item, struct mb_err *err)
{
    struct mb_options *options = parse->options;
    const char *name = strcmp(item, "auto") == 0 ? NULL : item;
    if (name != NULL && mb_format_find(name) == NULL) {
        return fail_unknown_format(item, err);
    }
    for (size_t i = 0; i < options->n_formats; i++) {
        const char *old = options->formats[i];
        if (old == name || (old != NULL && name != NULL && strcmp(old, name) == 0)) {
            return MB_OK;
        }
    }
    if (options->n_formats == MB_MAX_FORMATS) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s: more than %d formats", row->name,
                       MB_MAX_FORMATS);
    }
    options->formats[options->n_formats++] = name;
    options->settings.format = options->formats[0];
    return MB_OK;
}

enum mb_status mb_option_apply_format(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err)
{
    parse->options->n_formats = 0;
    return mb_option_parse_each(row, value, parse, add_format, err);
}

enum mb_status mb_option_apply_levels(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err)
{
    return mb_option_parse_count(row, value, 1, MB_MAX_LEVELS,
                                 &parse->options->settings.n_levels, err);
}

enum mb_status mb_option_apply_image_usage(struct mb_option_parse *parse,
                                           const struct mb_option_row *row, const char *value,
                                           struct mb_err *err)
{
    static const char *const names[MB_N_IMAGE_USAGES] = {
        [MB_IMAGE_USAGE_ALL] = "all",
        [MB_IMAGE_USAGE_NEEDED] = "needed",
    };
    size_t choice = 0;
    enum mb_status status;
    MB_TRY(mb_option_parse_choice(row, value, names, MB_COUNTOF(names), &choice, err));
    parse->options->settings.image_usage = (enum mb_image_usage)choice;
    return MB_OK;
fail:
    return status;
}

static enum mb_status add_size(struct mb_option_parse *parse, const struct mb_option_row *row,
                               struct mb_extent size, struct mb_err *err)
{
    struct mb_settings *settings = &parse->options->settings;
    for (size_t i = 0; i < settings->n_sizes; i++) {
        const struct mb_extent old = settings->size[i];
        if (old.width == size.width && old.height == size.height) {
            return MB_OK;
        }
    }
    if (settings->n_sizes == MB_MAX_SIZES) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s: more than %d sizes", row->name, MB_MAX_SIZES);
    }
    settings->size[settings->n_sizes++] = size;
    return MB_OK;
}

static enum mb_status add_size_text(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *item,
                                    struct mb_err *err)
{
    struct mb_extent size = {0};
    if (!mb_parse_extent(item, MB_IMAGE_MAX_DIMENSION, &size.width, &size.height)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' is not WxH with each from 1 to %u",
                       row->name, item, MB_IMAGE_MAX_DIMENSION);
    }
    return add_size(parse, row, size, err);
}

enum mb_status mb_option_apply_size(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    return mb_option_parse_each(row, value, parse, add_size_text, err);
}

/* One end of a sweep: a power of two. */
static bool parse_power(const char *text, size_t n_bytes, uint32_t *out)
{
    char word[16];
    int64_t number = 0;
    if (n_bytes >= sizeof word) {
        return false;
    }
    memcpy(word, text, n_bytes);
    word[n_bytes] = '\0';
    if (!mb_parse_int(word, 1, MB_IMAGE_MAX_DIMENSION, &number)) {
        return false;
    }
    *out = (uint32_t)number;
    return (*out & (*out - 1)) == 0;
}

enum mb_status mb_option_apply_sweep(struct mb_option_parse *parse,
                                     const struct mb_option_row *row, const char *value,
                                     struct mb_err *err)
{
    const char *colon = strchr(value, ':');
    uint32_t first = 0;
    uint32_t last = 0;
    if (colon == NULL || !parse_power(value, (size_t)(colon - value), &first) ||
        !parse_power(colon + 1, strlen(colon + 1), &last) || first > last) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--%s: '%s' is not A:B with powers of two 1 <= A <= B <= %u", row->name,
                       value, MB_IMAGE_MAX_DIMENSION);
    }
    enum mb_status status;
    for (uint32_t width = first; width <= last; width *= 2) {
        const struct mb_extent size = {width, width};
        MB_TRY(add_size(parse, row, size, err));
    }
    return MB_OK;
fail:
    return status;
}

enum mb_status mb_option_apply_srgb(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    const bool is_srgb = strcmp(row->name, "srgb") == 0;
    parse->options->settings.is_srgb = is_srgb;
    parse->options->is_linear = !is_srgb;
    return MB_OK;
}

enum mb_status mb_option_apply_reduce(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err)
{
    const char *names[MB_N_REDUCES];
    size_t choice = 0;
    enum mb_status status;
    for (size_t i = 0; i < MB_N_REDUCES; i++) {
        names[i] = mb_reduce_name((enum mb_reduce)i);
    }
    MB_TRY(mb_option_parse_choice(row, value, names, MB_N_REDUCES, &choice, err));
    parse->options->settings.reduce = (enum mb_reduce)choice;
    return MB_OK;
fail:
    return status;
}

enum mb_status mb_option_apply_alpha(struct mb_option_parse *parse,
                                     const struct mb_option_row *row, const char *value,
                                     struct mb_err *err)
{
    const char *names[MB_N_ALPHAS];
    size_t choice = 0;
    enum mb_status status;
    for (size_t i = 0; i < MB_N_ALPHAS; i++) {
        names[i] = mb_alpha_name((enum mb_alpha)i);
    }
    MB_TRY(mb_option_parse_choice(row, value, names, MB_N_ALPHAS, &choice, err));
    parse->options->settings.alpha = (enum mb_alpha)choice;
    return MB_OK;
fail:
    return status;
}

enum mb_status mb_option_apply_layers(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err)
{
    return mb_option_parse_count(row, value, 1, MAX_LAYERS, &parse->options->settings.n_layers,
                                 err);
}

/* "X,Y,W,H"; false on anything else, a size of 0 included. */
static bool parse_rect(const char *text, struct mb_rect *rect)
{
    int64_t number[4] = {0};
    for (size_t i = 0; i < MB_COUNTOF(number); i++) {
        char word[16];
        const size_t n_bytes = strcspn(text, ",");
        const bool is_size = i >= 2;
        const bool is_last = i + 1 == MB_COUNTOF(number);
        if (n_bytes >= sizeof word || text[n_bytes] != (is_last ? '\0' : ',')) {
            return false;
        }
        memcpy(word, text, n_bytes);
        word[n_bytes] = '\0';
        if (!mb_parse_int(word, is_size, MB_IMAGE_MAX_DIMENSION - !is_size, &number[i])) {
            return false;
        }
        text += n_bytes + 1;
    }
    *rect = (struct mb_rect){(uint32_t)number[0], (uint32_t)number[1], (uint32_t)number[2],
                             (uint32_t)number[3]};
    return true;
}

/* By row, column and size: runs of the same rectangles are alike in whichever order they were
 * given. */
static bool comes_before(struct mb_rect a, struct mb_rect b)
{
    const uint32_t one[] = {a.y, a.x, a.height, a.width};
    const uint32_t other[] = {b.y, b.x, b.height, b.width};
    size_t i = 0;
    while (i < MB_COUNTOF(one) && one[i] == other[i]) {
        i++;
    }
    return i < MB_COUNTOF(one) && one[i] < other[i];
}

enum mb_status mb_option_apply_rect(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    struct mb_settings *settings = &parse->options->settings;
    struct mb_rect rect;
    if (!parse_rect(value, &rect)) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--%s: '%s' is not X,Y,W,H with X and Y from 0 to %u, W and H from 1 "
                       "to %u",
                       row->name, value, MB_IMAGE_MAX_DIMENSION - 1, MB_IMAGE_MAX_DIMENSION);
    }
    uint32_t at = 0;
    while (at < settings->n_rects && comes_before(settings->rects[at], rect)) {
        at++;
    }
    struct mb_rect *next = &settings->rects[at];
    if (at < settings->n_rects && !comes_before(rect, *next)) {
        return MB_OK; /* seen before */
    }
    if (settings->n_rects == MB_MAX_RECTS) {
        const enum mb_status status = MB_FAIL(
            err, MB_ERRC_USAGE, "--%s: more than %d rectangles", row->name, MB_MAX_RECTS);
        mb_err_hint(err, "join some that lie close together");
        return status;
    }
    memmove(next + 1, next, (settings->n_rects - at) * sizeof *next);
    *next = rect;
    settings->n_rects++;
    return MB_OK;
}

enum mb_status mb_option_check_colour(const struct mb_options *options, const char *name,
                                      struct mb_err *err)
{
    const struct mb_settings *settings = &options->settings;
    const struct mb_format *format = name ? mb_format_find(name) : NULL;
    const bool stores_srgb = format != NULL && format->codec == MB_CODEC_SRGB8;
    if (settings->is_srgb && format != NULL && !stores_srgb) {
        enum mb_status status = MB_FAIL(
            err, MB_ERRC_USAGE, "--srgb does not go with format '%s', which is linear", name);
        mb_err_hint(err, "use --format rgba8-srgb, or leave one of the two out");
        return status;
    }
    if (options->is_linear && stores_srgb) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--linear does not go with format '%s'", name);
    }
    if (settings->alpha == MB_ALPHA_PREMULTIPLIED && settings->reduce != MB_REDUCE_AVG) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--alpha premultiplied does not go with --reduce %s: only averages "
                       "have weights",
                       mb_reduce_name(settings->reduce));
    }
    if (settings->alpha == MB_ALPHA_PREMULTIPLIED && format != NULL &&
        !mb_weighs_alpha(MB_REDUCE_AVG, MB_ALPHA_PREMULTIPLIED, format)) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--alpha premultiplied does not go with format '%s', which has no alpha",
                       name);
    }
    return MB_OK;
}
