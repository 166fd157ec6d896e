/* The table of options and what most do with their values; what is made of which image is
 * option_image.c. Getting values out of argv, and what holds between options, is options.c. */
#include "cli/option_table.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "cli/option_parse.h"

#define MAX_THRESHOLD_PERCENT 1000

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

static enum mb_status apply_threshold(struct mb_option_parse *parse,
                                      const struct mb_option_row *row, const char *value,
                                      struct mb_err *err)
{
    double percent = 0;
    if (!mb_parse_double(value, 0, MAX_THRESHOLD_PERCENT, &percent)) {
        return MB_FAIL(err, MB_ERRC_USAGE, "--%s: '%s' is not a number from 0 to %d", row->name,
                       value, MAX_THRESHOLD_PERCENT);
    }
    parse->options->threshold = percent / 100;
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
        [MB_IMAGES_ATLAS] = "atlas",   [MB_IMAGES_NONE] = "none", [MB_IMAGES_SHEET] = "sheet",
        [MB_IMAGES_LEVELS] = "levels", [MB_IMAGES_ALL] = "all",
    };
    size_t choice = 0;
    enum mb_status status;
    MB_TRY(mb_option_parse_choice(row, value, names, MB_COUNTOF(names), &choice, err));
    parse->options->settings.images = (enum mb_images)choice;
    return MB_OK;
fail:
    return status;
}

static enum mb_status add_chain(struct mb_option_parse *parse, const struct mb_option_row *row,
                                const char *item, struct mb_err *err)
{
    static const char *const names[] = {
        [MB_CHAIN_KTX2] = "ktx2",
        [MB_CHAIN_DDS] = "dds",
    };
    size_t choice = 0;
    enum mb_status status;
    MB_TRY(mb_option_parse_choice(row, item, names, MB_COUNTOF(names), &choice, err));
    parse->options->settings.chains |= 1u << choice;
    return MB_OK;
fail:
    return status;
}

static enum mb_status apply_chain(struct mb_option_parse *parse,
                                  const struct mb_option_row *row, const char *value,
                                  struct mb_err *err)
{
    parse->options->settings.chains = 0;
    return mb_option_parse_each(row, value, parse, add_chain, err);
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

#define TIMED    (MB_FOR_RUN | MB_FOR_TUNE)
#define SHOWN    (TIMED | MB_FOR_LIST | MB_FOR_COMPARE) /* what shows results */
#define ALL      (SHOWN | MB_FOR_EXPORT)
#define FIELD(x) offsetof(struct mb_options, x)

const struct mb_option_row mb_option_rows[] = {
    {.name = "strategy",
     .short_name = 's',
     .argument = "SPEC[,SPEC...]",
     .offer = MB_OFFER_STRATEGIES,
     .verbs = TIMED,
     .group = MB_GROUP_WHAT,
     .help = "NAME, NAME:KEY=VALUE..., NAME:* for every variant of one but diagnostic ones, or "
             "all; repeatable; tune: every variant of NAME, with KEY=VALUE fixed (all)",
     .apply = apply_strategy},
    {.name = "device",
     .short_name = 'd',
     .argument = "SEL",
     .offer = MB_OFFER_DEVICES,
     .verbs = TIMED | MB_FOR_LIST,
     .group = MB_GROUP_WHAT,
     .help = "index, part of the name, UUID or cpu (discrete, then integrated, then CPU)",
     .field = FIELD(settings.device),
     .apply = apply_text},
    {.name = "replay",
     .argument = "FILE",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_WHAT,
     .help = "a results.json whose run is repeated; options given here replace its own (none)",
     .field = FIELD(replay_path),
     .apply = apply_text},
    {.name = "format",
     .short_name = 'f',
     .argument = "NAME",
     .offer = MB_OFFER_FORMATS,
     .verbs = TIMED | MB_FOR_EXPORT,
     .group = MB_GROUP_IMAGE,
     .help =
         "texel format; 'list formats' names them; tune, export: or several, by commas (auto; "
         "export: all)",
     .apply = mb_option_apply_format},
    {.name = "srgb",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "8-bit colour is sRGB: averaged as light, as a renderer does",
     .apply = mb_option_apply_srgb},
    {.name = "linear",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "8-bit codes are averaged as they are, as benchmarks do (the default)",
     .apply = mb_option_apply_srgb},
    {.name = "reduce",
     .short_name = 'r',
     .argument = "avg|min|max",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "how texels are joined (avg)",
     .apply = mb_option_apply_reduce},
    {.name = "alpha",
     .argument = "straight|premultiplied",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "alpha is a channel like others, or weighs colour in averages (straight)",
     .apply = mb_option_apply_alpha},
    {.name = "levels",
     .short_name = 'l',
     .argument = "N",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "mip levels in all, base included (full chain)",
     .apply = mb_option_apply_levels},
    {.name = "size",
     .argument = "WxH[,WxH...]",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "crop or mirror-tile the input to these (its own)",
     .apply = mb_option_apply_size},
    {.name = "sweep",
     .argument = "A:B",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "square sizes, powers of two from A to B (none)",
     .apply = mb_option_apply_sweep},
    {.name = "layers",
     .argument = "N",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "array layers, each of its own content; with --cube: cubes (1)",
     .apply = mb_option_apply_layers},
    {.name = "cube",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "a cube map: six square faces",
     .field = FIELD(settings.is_cube),
     .apply = apply_switch},
    {.name = "rect",
     .argument = "X,Y,W,H",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help =
         "time an update of the chain after a change within these texels; repeatable, up to 16 "
         "times, for strategies that can (none)",
     .apply = mb_option_apply_rect},
    {.name = "image-usage",
     .argument = "all|needed",
     .verbs = TIMED,
     .group = MB_GROUP_IMAGE,
     .help = "usage flags of the image: all the device has, or what is needed here (all)",
     .apply = mb_option_apply_image_usage},
    {.name = "samples",
     .short_name = 'n',
     .argument = "N",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "timed samples of each strategy (automatic)",
     .apply = mb_option_apply_samples},
    {.name = "warmup",
     .short_name = 'w',
     .argument = "N",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "warm-up rounds before them (automatic)",
     .apply = mb_option_apply_warmup},
    {.name = "cache",
     .argument = "hot|cold|both",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "whether the image is in the caches before (cold; hot on a CPU)",
     .apply = mb_option_apply_cache},
    {.name = "mode",
     .argument = "latency|throughput|overlap|beside|both|all[,...]",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "one chain alone, the slope of batches, chains without barriers between, one "
             "beside a load on a second queue; both: the first two, all: three (latency)",
     .apply = mb_option_apply_mode},
    {.name = "max-noise",
     .argument = "PCT",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "stop when each median is known to this, to both sides (0.3)",
     .apply = mb_option_apply_max_noise},
    {.name = "min-time",
     .argument = "SEC",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "sample each table for at least this long (0)",
     .apply = mb_option_apply_min_time},
    {.name = "timeout",
     .argument = "SEC",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "and for at most this long (2, if 20 blocks are there by then)",
     .apply = mb_option_apply_timeout},
    {.name = "l2-bytes",
     .argument = "N",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "size of the last-level cache, such as 50M (measured)",
     .apply = mb_option_apply_l2_bytes},
    {.name = "no-roofline",
     .verbs = TIMED,
     .group = MB_GROUP_MEASURE,
     .help = "do not measure what the memory can do",
     .field = FIELD(settings.roofline),
     .apply = apply_switch},
    {.name = "self-test",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_MEASURE,
     .help = "check the ruler itself, on planted differences, and do nothing else",
     .field = FIELD(self_test),
     .apply = apply_switch},
    {.name = "per-level",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_MEASURE,
     .help = "split the time of strategies with several dispatches by level",
     .field = FIELD(settings.per_level),
     .apply = apply_switch},
    {.name = "seed",
     .argument = "N",
     .verbs = TIMED | MB_FOR_COMPARE,
     .group = MB_GROUP_MEASURE,
     .help = "for the order of strategies and the noise; compare: for resampling (1)",
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
    {.name = "threshold",
     .argument = "PCT",
     .verbs = MB_FOR_COMPARE,
     .group = MB_GROUP_MEASURE,
     .help = "compare: smaller differences, in percent, are none (1)",
     .apply = apply_threshold},
    {.name = "fail-on-regression",
     .verbs = MB_FOR_COMPARE,
     .group = MB_GROUP_MEASURE,
     .help = "compare: exit 1 if anything is SLOWER, or was verified before and fails now",
     .field = FIELD(fail_on_regression),
     .apply = apply_switch},
    {.name = "out",
     .short_name = 'o',
     .argument = "DIR",
     .verbs = TIMED | MB_FOR_EXPORT,
     .group = MB_GROUP_OUTPUT,
     .help = "output folder (results/<utc>-<device>/; export: none)",
     .field = FIELD(out_dir),
     .apply = apply_text},
    {.name = "force",
     .verbs = MB_FOR_EXPORT,
     .group = MB_GROUP_OUTPUT,
     .help = "export: into a folder that is not empty, replacing files of the same names",
     .field = FIELD(force),
     .apply = apply_switch},
    {.name = "json",
     .argument = "FILE|-",
     .verbs = SHOWN,
     .group = MB_GROUP_OUTPUT,
     .help = "copy of results.json, of tune.json, or the comparison; - is stdout, which then "
             "holds nothing else; with list a switch (none)",
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
     .verbs = MB_FOR_RUN | MB_FOR_COMPARE,
     .group = MB_GROUP_OUTPUT,
     .help = "the tables as Markdown (none)",
     .field = FIELD(markdown),
     .apply = apply_text},
    {.name = "images",
     .argument = "none|atlas|sheet|levels|all",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_OUTPUT,
     .help = "PNGs of the mip chains to write (atlas)",
     .apply = apply_images},
    {.name = "chain",
     .argument = "ktx2|dds[,...]",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_OUTPUT,
     .help = "files of the verified mip chains to write, for use elsewhere (none)",
     .apply = apply_chain},
    {.name = "report",
     .verbs = MB_FOR_RUN,
     .group = MB_GROUP_OUTPUT,
     .help = "make a page of HTML, report.html, of the results afterwards",
     .field = FIELD(wants_report),
     .apply = apply_switch},
    {.name = "quiet",
     .short_name = 'q',
     .verbs = ALL,
     .group = MB_GROUP_GENERAL,
     .help = "only results and errors, no progress or notes",
     .field = FIELD(quiet),
     .apply = apply_switch},
    {.name = "verbose",
     .short_name = 'v',
     .verbs = ALL,
     .group = MB_GROUP_GENERAL,
     .help = "say more; repeatable",
     .apply = apply_verbose},
    {.name = "color",
     .argument = "auto|always|never",
     .verbs = ALL,
     .group = MB_GROUP_GENERAL,
     .help = "colours (auto: on a terminal)",
     .apply = apply_color},
    {.name = "help",
     .short_name = 'h',
     .verbs = ALL,
     .group = MB_GROUP_GENERAL,
     .help = "print this and exit",
     .apply = apply_help},
    {.name = "version",
     .verbs = ALL,
     .group = MB_GROUP_GENERAL,
     .help = "print the version and exit",
     .apply = apply_version},
};

const size_t mb_option_count = MB_COUNTOF(mb_option_rows);
