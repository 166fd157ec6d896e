/* The table of options and what most do with their values; what is made of which image is
 * option_image.c. Getting values out of argv, and what holds between options, is options.c. */
#include "cli/option_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "cli/option_parse.h"

#define MAX_WARMUP_ROUNDS 1000000
#define MAX_SAMPLES       1000000

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

static enum mb_status apply_warmup(struct mb_option_parse *parse,
                                   const struct mb_option_row *row, const char *value,
                                   struct mb_err *err)
{
    return mb_option_parse_count(row, value, 0, MAX_WARMUP_ROUNDS,
                                 &parse->options->settings.n_warmup, err);
}

static enum mb_status apply_samples(struct mb_option_parse *parse,
                                    const struct mb_option_row *row, const char *value,
                                    struct mb_err *err)
{
    return mb_option_parse_count(row, value, 1, MAX_SAMPLES,
                                 &parse->options->settings.n_samples, err);
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
    MB_TRY(mb_option_parse_choice(row, value, names, MB_COUNTOF(names), &choice, err));
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
    MB_TRY(mb_option_parse_choice(row, value, names, MB_COUNTOF(names), &choice, err));
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
     .verbs = BOTH,
     .group = MB_GROUP_WHAT,
     .help = "index, part of the name, UUID or cpu (discrete, then integrated, then CPU)",
     .field = FIELD(settings.device),
     .apply = apply_text},
    {.name = "format",
     .short_name = 'f',
     .argument = "NAME",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "texel format; 'list formats' names them (auto)",
     .apply = mb_option_apply_format},
    {.name = "srgb",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "8-bit colour is sRGB: averaged as light, as a renderer does",
     .apply = mb_option_apply_srgb},
    {.name = "linear",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "8-bit codes are averaged as they are, as benchmarks do (the default)",
     .apply = mb_option_apply_srgb},
    {.name = "reduce",
     .short_name = 'r',
     .argument = "avg|min|max",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "how texels are joined (avg)",
     .apply = mb_option_apply_reduce},
    {.name = "alpha",
     .argument = "straight|premultiplied",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "alpha is a channel like others, or weighs colour in averages (straight)",
     .apply = mb_option_apply_alpha},
    {.name = "levels",
     .short_name = 'l',
     .argument = "N",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "mip levels in all, base included (full chain)",
     .apply = mb_option_apply_levels},
    {.name = "size",
     .argument = "WxH[,WxH...]",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "crop or mirror-tile the input to these (its own)",
     .apply = mb_option_apply_size},
    {.name = "sweep",
     .argument = "A:B",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "square sizes, powers of two from A to B (none)",
     .apply = mb_option_apply_sweep},
    {.name = "layers",
     .argument = "N",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "array layers, each of its own content; with --cube: cubes (1)",
     .apply = mb_option_apply_layers},
    {.name = "cube",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "a cube map: six square faces",
     .field = FIELD(settings.is_cube),
     .apply = apply_switch},
    {.name = "rect",
     .argument = "X,Y,W,H",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_IMAGE,
     .help = "time an update of the chain after a change within these texels (none)",
     .apply = mb_option_apply_rect},
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
