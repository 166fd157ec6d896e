/* The table of options and what each does with its value. Getting values out of argv, and what
 * holds between options, is options.c. */
#include "cli/option_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "cli/option_parse.h"
#include "image/image.h"

#define MAX_WARMUP_ROUNDS 1000000
#define MAX_SAMPLES       1000000

/* A whole number from `min` to `max`, or one line that says so. */
static enum mb_status parse_count(const struct mb_option_row *row, const char *value,
                                  uint32_t min, uint32_t max, uint32_t *out, struct mb_err *err)
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

/* The index of `value` among `n` names. */
static enum mb_status parse_choice(const struct mb_option_row *row, const char *value,
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

/* Keep the text itself. */
static enum mb_status apply_text(struct mb_option_parse *parse, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    memcpy((char *)parse->options + row->field, &value, sizeof value);
    return MB_OK;
}

/* Turn a bool over: on, or off for "no-...". */
static enum mb_status apply_switch(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    const bool on = strncmp(row->name, "no-", 3) != 0;
    memcpy((char *)parse->options + row->field, &on, sizeof on);
    return MB_OK;
}

static enum mb_status apply_strategy(struct mb_option_parse *parse,
                                     const struct mb_option_row *row, const char *value,
                                     struct mb_err *err)
{
    return mb_option_parse_each(row, value, parse, mb_option_add_spec, err);
}

static enum mb_status apply_format(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    if (strcmp(value, "auto") == 0) {
        parse->options->settings.format = NULL;
        return MB_OK;
    }
    if (mb_format_find(value) != NULL) {
        parse->options->settings.format = value;
        return MB_OK;
    }
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

static enum mb_status apply_levels(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    return parse_count(row, value, 1, MB_MAX_LEVELS, &parse->options->settings.n_levels, err);
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

static enum mb_status apply_size(struct mb_option_parse *parse, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
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

static enum mb_status apply_sweep(struct mb_option_parse *parse,
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

static enum mb_status apply_warmup(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    return parse_count(row, value, 0, MAX_WARMUP_ROUNDS, &parse->options->settings.n_warmup,
                       err);
}

static enum mb_status apply_samples(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    return parse_count(row, value, 1, MAX_SAMPLES, &parse->options->settings.n_samples, err);
}

static enum mb_status apply_seed(struct mb_option_parse *parse, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    if (!mb_parse_u64(value, &parse->options->settings.seed)) {
        return MB_FAIL(err, MB_ERRC_USAGE,
                       "--%s: '%s' is not a whole number from 0 to %" PRIu64, row->name, value,
                       UINT64_MAX);
    }
    return MB_OK;
}

static enum mb_status apply_json(struct mb_option_parse *parse, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    if (parse->options->verb != MB_VERB_LIST) {
        parse->options->json = value;
        return MB_OK;
    }
    if (value != NULL && strcmp(value, "-") != 0) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--json: 'list' writes to stdout only, not to '%s'",
                       value);
    }
    parse->options->list_json = true;
    return MB_OK;
}

static enum mb_status apply_images(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    static const char *const names[] = {
        [MB_IMAGES_ATLAS] = "atlas",
        [MB_IMAGES_NONE] = "none",
        [MB_IMAGES_LEVELS] = "levels",
        [MB_IMAGES_ALL] = "all",
    };
    size_t choice = 0;
    enum mb_status status;
    MB_TRY(parse_choice(row, value, names, MB_COUNTOF(names), &choice, err));
    parse->options->settings.images = (enum mb_images)choice;
    return MB_OK;
fail:
    return status;
}

static enum mb_status apply_color(struct mb_option_parse *parse,
                                  const struct mb_option_row *row, const char *value,
                                  struct mb_err *err)
{
    static const char *const names[] = {
        [MB_COLOR_AUTO] = "auto",
        [MB_COLOR_ALWAYS] = "always",
        [MB_COLOR_NEVER] = "never",
    };
    size_t choice = 0;
    enum mb_status status;
    MB_TRY(parse_choice(row, value, names, MB_COUNTOF(names), &choice, err));
    parse->options->color = (enum mb_color)choice;
    return MB_OK;
fail:
    return status;
}

static enum mb_status apply_verbose(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    parse->options->verbosity++;
    return MB_OK;
}

static enum mb_status apply_help(struct mb_option_parse *parse, const struct mb_option_row *row,
                                 const char *value, struct mb_err *err)
{
    parse->options->verb = MB_VERB_HELP;
    return MB_OK;
}

static enum mb_status apply_version(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    parse->options->verb = MB_VERB_VERSION;
    return MB_OK;
}

#define BOTH     (MB_FOR_RUN | MB_FOR_LIST)
#define FIELD(x) offsetof(struct mb_options, x)

const struct mb_option_row mb_option_rows[] = {
    {.name = "strategy",
     .short_name = 's',
     .argument = "SPEC[,SPEC...]",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_WHAT,
     .help =
         "NAME, NAME:KEY=VALUE..., NAME:* for every variant of one, or all; repeatable (all)",
     .apply = apply_strategy},
    {.name = "device",
     .short_name = 'd',
     .argument = "SEL",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_WHAT,
     .help = "index, part of the name, UUID or cpu (discrete, then integrated, then CPU)",
     .field = FIELD(settings.device),
     .apply = apply_text},
    {.name = "format",
     .short_name = 'f',
     .argument = "NAME",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_WHAT,
     .help = "texel format; 'list formats' names them (auto)",
     .apply = apply_format},
    {.name = "levels",
     .short_name = 'l',
     .argument = "N",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_WHAT,
     .help = "mip levels in all, base included (full chain)",
     .apply = apply_levels},
    {.name = "size",
     .argument = "WxH[,WxH...]",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_WHAT,
     .help = "crop or mirror-tile the input to these (its own)",
     .apply = apply_size},
    {.name = "sweep",
     .argument = "A:B",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_WHAT,
     .help = "square sizes, powers of two from A to B (none)",
     .apply = apply_sweep},
    {.name = "samples",
     .short_name = 'n',
     .argument = "N",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_MEASURE,
     .help = "timed samples of each strategy (automatic)",
     .apply = apply_samples},
    {.name = "warmup",
     .short_name = 'w',
     .argument = "N",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_MEASURE,
     .help = "warm-up rounds before them (automatic)",
     .apply = apply_warmup},
    {.name = "seed",
     .argument = "N",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_MEASURE,
     .help = "for the order of strategies and the noise (1)",
     .apply = apply_seed},
    {.name = "no-verify",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_MEASURE,
     .help = "skip the comparison with the golden model",
     .field = FIELD(settings.verify),
     .apply = apply_switch},
    {.name = "validate",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_MEASURE,
     .help = "turn the validation layer on; no ranking then",
     .field = FIELD(settings.validate),
     .apply = apply_switch},
    {.name = "out",
     .short_name = 'o',
     .argument = "DIR",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_OUTPUT,
     .help = "output folder (results/<utc>-<device>/)",
     .field = FIELD(out_dir),
     .apply = apply_text},
    {.name = "json",
     .argument = "FILE|-",
     .verbs = BOTH,
     .group = MB_GROUP_OUTPUT,
     .help = "copy of results.json; - is stdout, which then holds nothing else; with list a "
             "switch (none)",
     .apply = apply_json},
    {.name = "csv",
     .argument = "FILE|-",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_OUTPUT,
     .help = "the results as CSV (none)",
     .field = FIELD(csv),
     .apply = apply_text},
    {.name = "markdown",
     .argument = "FILE|-",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_OUTPUT,
     .help = "the tables as Markdown (none)",
     .field = FIELD(markdown),
     .apply = apply_text},
    {.name = "images",
     .argument = "none|atlas|levels|all",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_OUTPUT,
     .help = "PNGs of the mip chains to write (atlas)",
     .apply = apply_images},
    {.name = "quiet",
     .short_name = 'q',
     .verbs = BOTH,
     .group = MB_GROUP_GENERAL,
     .help = "only results and errors, no progress or notes",
     .field = FIELD(quiet),
     .apply = apply_switch},
    {.name = "verbose",
     .short_name = 'v',
     .verbs = BOTH,
     .group = MB_GROUP_GENERAL,
     .help = "say more; repeatable",
     .apply = apply_verbose},
    {.name = "color",
     .argument = "auto|always|never",
     .verbs = BOTH,
     .group = MB_GROUP_GENERAL,
     .help = "colours (auto: on a terminal)",
     .apply = apply_color},
    {.name = "help",
     .short_name = 'h',
     .verbs = BOTH,
     .group = MB_GROUP_GENERAL,
     .help = "print this and exit",
     .apply = apply_help},
    {.name = "version",
     .verbs = BOTH,
     .group = MB_GROUP_GENERAL,
     .help = "print the version and exit",
     .apply = apply_version},
};

const size_t mb_option_count = MB_COUNTOF(mb_option_rows);
