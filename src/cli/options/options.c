/* The tables of options and verbs, and a parser for the value of each kind of option. */
#include "cli/options/options.h"

#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "image/image.h"

#define MAX_LAYERS        2048 /* most of any known device; the device is checked later */
#define MAX_LLC_BYTES     (UINT64_C(1) << 40)
#define MAX_WARMUP_ROUNDS 1000000
#define MAX_SAMPLES       1000000
#define MAX_RUNS          1000
#define MAX_SECONDS       86400
#define MAX_CHOICES       32
#define ANY_NUMBER        SIZE_MAX

#define BIT(name) (1u << MB_VERB_##name)
#define TIMED     (BIT(RUN) | BIT(TUNE))
#define COMPARED  (BIT(COMPARE) | BIT(POOL))
#define MADE      (TIMED | BIT(INSPECT))
#define SHOWN     (MADE | BIT(LIST) | COMPARED) /* verbs that print results */
#define ALL       (SHOWN | BIT(EXPORT) | BIT(SELF_TEST))
#define HELPED    (ALL | BIT(HELP) | BIT(KERNEL) | BIT(REPORT))
#define FIELD(x)  offsetof(struct mb_options, x)

#define CHOICES(...) ((const struct mb_choice[]){__VA_ARGS__, {0}})

const struct mb_verb_row mb_verb_rows[MB_N_VERB_ROWS] = {
    [MB_VERB_RUN] =
        {.name = "run",
         .usage = "[run] INPUT... [options]",
         .summary = "time and verify strategies on images; the default",
         .about = "INPUT is an image, a folder of images, or pattern:NAME:WxH (made up). "
                  "Reads " MB_IMAGE_KINDS ".",
         .examples = "  mipbench photo.png\n"
                     "  mipbench photos/ -s spd,compute:npot=floor -n 200 -o out\n"
                     "  mipbench pattern:noise:64x64 --sweep 256:4096 --csv sizes.csv\n"
                     "  mipbench depth.hdr -f r32f -r max --rect 16,16,64,64\n",
         .words = {1, ANY_NUMBER,
                   "an image file, a folder of images, pattern:noise:1024x1024, or --help"}},
    [MB_VERB_LIST] =
        {.name = "list",
         .usage = "list [devices|strategies|formats|patterns] [--json]",
         .summary = "show devices, strategies, formats and patterns",
         .about = "Shows devices with their limits; strategies with their parameters, and "
                  "what keeps one from running here; what each strategy can do with each "
                  "format; and synthetic images.",
         .examples = "  mipbench list strategies\n"
                     "  mipbench list formats -d cpu\n",
         .words = {0, 1, "one of devices, strategies, formats and patterns"}},
    [MB_VERB_COMPARE] =
        {.name = "compare",
         .usage = "compare BASE[,...] NEW[,...] | --pool FILE... [options]",
         .summary = "say what became faster or slower between runs",
         .about =
             "Matches the results of two runs, or of two sets of runs joined by commas, by "
             "what was measured, and calls each slower, faster, tied or undecided. A folder "
             "stands for the results.json in it, that of a set of runs for all of them.\n\n"
             "With --pool there are no sides: runs of the same device, driver and build are "
             "taken together, with medians over runs, ratios to the fastest and the verdict "
             "on each case.",
         .examples = "  mipbench compare before/results.json after/results.json\n"
                     "  mipbench compare a1.json,a2.json b1.json,b2.json --fail-on-regression\n"
                     "  mipbench compare --pool a1.json a2.json a3.json --json pooled.json\n",
         .words =
             {2, 2,
              "BASE and NEW, each a results.json or its folder, or several joined by commas"}},
    [MB_VERB_REPORT] =
        {.name = "report",
         .usage = "report DIR|FILE... [-o FILE]",
         .summary = "make one page of HTML from the results of runs",
         .about =
             "Draws what was measured as a page that needs no network: time against size, who "
             "is fastest at which size and in which format, every figure, and the pictures of "
             "the chains. Runs of the same device, driver and build are taken together; two "
             "builds of one device are compared; several devices share the charts. A folder "
             "stands for the results in it. Needs python3.",
         .examples = "  mipbench report before/ after/ -o change.html\n"
                     "  mipbench report here/results.json there/results.json -o devices.html\n",
         .words = {1, ANY_NUMBER,
                   "results.json files, or the folders of runs: mipbench report results/*"}},
    [MB_VERB_TUNE] =
        {.name = "tune",
         .usage = "tune [INPUT] [--size WxH...] [--sweep A:B] [options]",
         .summary = "find the fastest variant for each size and format",
         .about =
             "Measures every variant of every strategy, or of those that --strategy names, "
             "at each size and in each format, and writes the fastest verified ones as "
             "tune.json and as a C header. Needs an input or a size; without an input the "
             "image is pattern:noise.\n\n"
             "Variants are dropped after a pass of few samples; what is left is measured as "
             "in a run. Variants that answer different questions do not compete: there is "
             "a winner for the exact area average (exact), one for any policy and "
             "precision (any), and one for each wide kernel.",
         .examples = "  mipbench tune --sweep 256:4096 -f rgba8,r32f -o tuned\n"
                     "  mipbench tune photo.png -s spd,spd-tree:wave=off\n",
         .words = {0, 1, "one image, or sizes without one"}},
    [MB_VERB_EXPORT] =
        {.name = "export",
         .usage = "export STRATEGY -o DIR [options]",
         .summary = "write a strategy's kernel for use in an engine",
         .about =
             "Writes all that an engine needs to use the strategy without mipbench: its "
             "modules as SPIR-V and as C arrays, their GLSL, the planner that mipbench itself "
             "has, and examples. Needs no device.",
         .examples = "  mipbench export spd-tree -f rgba8,rgba8-srgb -o engine/mips\n"
                     "  mipbench export spd-tree -f rgba8:avg,r32f:max -o engine/depth\n",
         .words = {1, 1, "one strategy, such as spd-tree"}},
    [MB_VERB_INSPECT] =
        {.name = "inspect",
         .usage = "inspect [--size WxH...] [-f NAME...] [--json] [options]",
         .summary = "show what kernels are compiled to on a device",
         .about =
             "Compiles the kernels of every strategy, or of those that --strategy names, and "
             "shows what the driver tells of them: registers, spills, scratch and shared "
             "memory, occupancy, instructions and code size. Nothing is executed, so it works "
             "for a chip that is not there: --null.",
         .examples =
             "  mipbench inspect --null amd:navi31\n"
             "  mipbench inspect -s spd-tree --size 4095x4095 -f rgba8,rgba16f --json\n",
         .words = {0, 0, "no image: --size and --format are all that matters"}},
    [MB_VERB_KERNEL] =
        {.name = "kernel",
         .usage = "kernel check|compile FILE.json | new NAME [options]",
         .summary = "check, compile or begin the manifest of a kernel of your own",
         .about =
             "check says what a manifest means for an image, step by step, without running it: "
             "dispatches, what each binding shows, push constants and barriers; and what is "
             "wrong with it.\n\n"
             "compile writes the SPIR-V of its GLSL or HLSL beside the manifest, for a "
             "mipbench that was built without glslang.\n\n"
             "new writes NAME.json and NAME.comp, which run as they are, beside all other "
             "strategies.",
         .examples = "  mipbench kernel new my-spd --like single\n"
                     "  mipbench kernel check my-spd.json --size 4095x4095 -f rgba16f\n",
         .words = {2, 2, "check FILE.json, compile FILE.json or new NAME"}},
    [MB_VERB_HELP] = {.name = "help",
                      .usage = "help [COMMAND]",
                      .summary = "show this overview, or all options of one command",
                      .about = "Shows the overview, or all options of one command.",
                      .examples = "  mipbench help tune\n",
                      .words = {0, 1, "one command"}},
    [MB_VERB_SELF_TEST] = {.name = "--self-test", .words = {0, 0, "no image"}},
    [MB_VERB_POOL] = {.name = "--pool",
                      .words = {1, ANY_NUMBER, "results.json files, or the folders of runs"}},
};

const struct mb_choice mb_list_choices[] = {
    {"devices", MB_LIST_DEVICES},
    {"strategies", MB_LIST_STRATEGIES},
    {"formats", MB_LIST_FORMATS},
    {"patterns", MB_LIST_PATTERNS},
    {0},
};

const struct mb_choice mb_kernel_choices[] = {
    {"check", MB_KERNEL_CHECK},
    {"compile", MB_KERNEL_COMPILE},
    {"new", MB_KERNEL_NEW},
    {0},
};

static const struct mb_choice reduces[] = {
    {"avg", MB_REDUCE_AVG},
    {"min", MB_REDUCE_MIN},
    {"max", MB_REDUCE_MAX},
    {0},
};

enum mb_status mb_choice_find(const struct mb_choice *choices, const char *label,
                              const char *word, unsigned *value, struct mb_err *err)
{
    const char *names[MAX_CHOICES];
    size_t n_names = 0;
    for (; choices[n_names].name != NULL; n_names++) {
        names[n_names] = choices[n_names].name;
        if (strcmp(word, names[n_names]) == 0) {
            *value = choices[n_names].value;
            return MB_OK;
        }
    }
    MB_FAIL(err, MB_ERRC_USAGE, "%s: unknown value '%s'", label, word);
    return mb_err_hint_nearest(err, word, names, n_names, NULL);
}

/* An option as it was given. */
struct mb_taken {
    struct mb_options *options;
    const struct mb_option_row *row;
    const char *value; /* the value, or one item of a list; NULL: the option takes no value */
    bool is_first;     /* the first item of a list */
};

/* Where an option is stored. */
static void *field_of(const struct mb_taken *t)
{
    return (char *)t->options + t->row->field;
}

static enum mb_status refuse(const struct mb_taken *t, struct mb_text expected,
                             struct mb_err *err)
{
    return MB_FAIL(err, MB_ERRC_USAGE, "--%s: expected %s, got '%s'", t->row->name, expected.s,
                   t->value);
}

/* Store a bool: false for "no-...". */
static enum mb_status take_switch(const struct mb_taken *t, struct mb_err *err)
{
    *(bool *)field_of(t) = strncmp(t->row->name, "no-", 3) != 0;
    return MB_OK;
}

static enum mb_status take_verbose(const struct mb_taken *t, struct mb_err *err)
{
    t->options->verbosity++;
    return MB_OK;
}

/* Store a const char *: "-" if the option has no argument. */
static enum mb_status take_text(const struct mb_taken *t, struct mb_err *err)
{
    *(const char **)field_of(t) = t->value != NULL ? t->value : "-";
    return MB_OK;
}

/* Append an item to a mb_strlist. */
static enum mb_status take_texts(const struct mb_taken *t, struct mb_err *err)
{
    return mb_strlist_add(field_of(t), err, "%s", t->value);
}

/* Store a uint32_t from min to max. */
static enum mb_status take_count(const struct mb_taken *t, struct mb_err *err)
{
    int64_t number = 0;
    if (!mb_parse_int(t->value, (int64_t)t->row->min, (int64_t)t->row->max, &number)) {
        return refuse(t, mb_text("a whole number from %.0f to %.0f", t->row->min, t->row->max),
                      err);
    }
    *(uint32_t *)field_of(t) = (uint32_t)number;
    return MB_OK;
}

static enum mb_status take_seed(const struct mb_taken *t, struct mb_err *err)
{
    return mb_parse_u64(t->value, &t->options->settings.seed)
               ? MB_OK
               : refuse(t, mb_text("a whole number from 0 to %" PRIu64, UINT64_MAX), err);
}

/* Store a double from min to max. */
static enum mb_status take_number(const struct mb_taken *t, struct mb_err *err)
{
    return mb_parse_double(t->value, t->row->min, t->row->max, field_of(t))
               ? MB_OK
               : refuse(t, mb_text("a number from %g to %g", t->row->min, t->row->max), err);
}

/* Store a double: percent from min to max, divided by 100. */
static enum mb_status take_percent(const struct mb_taken *t, struct mb_err *err)
{
    MB_DO(take_number(t, err));
    *(double *)field_of(t) /= 100.0;
    return MB_OK;
}

/* Store a uint64_t, such as "50M": digits, then K, M or G (powers of 1024). */
static enum mb_status take_bytes(const struct mb_taken *t, struct mb_err *err)
{
    static const char suffixes[] = "KMG";
    const size_t n = strlen(t->value);
    const char *suffix = strchr(suffixes, t->value[n - 1]);
    const unsigned shift = suffix ? 10u * (unsigned)(suffix - suffixes + 1) : 0;
    const struct mb_text digits = mb_text("%.*s", (int)n - (suffix != NULL), t->value);
    uint64_t number = 0;
    if (!mb_parse_u64(digits.s, &number) || number == 0 || number > MAX_LLC_BYTES >> shift) {
        return refuse(t, mb_text("a number of bytes, such as 52428800 or 50M"), err);
    }
    *(uint64_t *)field_of(t) = number << shift;
    return MB_OK;
}

/* Store the value of a choice: an enum, or a mask of 1 << value. The values of a list are
 * or-ed. */
static enum mb_status take_choice(const struct mb_taken *t, struct mb_err *err)
{
    unsigned *field = field_of(t), value = 0;
    MB_DO(mb_choice_find(t->row->choices, mb_text("--%s", t->row->name).s, t->value, &value,
                         err));
    *field = (t->is_first ? 0 : *field) | value;
    return MB_OK;
}

/* Find a format by its name; `*format` is NULL for "auto". */
static enum mb_status find_format(const char *name, const char **format, struct mb_err *err)
{
    struct mb_choice choices[MAX_CHOICES + 1] = {{.name = "auto"}};
    unsigned value = 0;
    for (unsigned i = 1; i < MAX_CHOICES && i <= mb_format_count; i++) {
        choices[i] = (struct mb_choice){mb_formats[i - 1].name, i};
    }
    MB_DO(mb_choice_find(choices, "--format", name, &value, err));
    *format = value > 0 ? choices[value].name : NULL;
    return MB_OK;
}

/* Store a format: NAME, or for an export NAME:REDUCTION. If a format is named again, its
 * reductions add up. */
static enum mb_status take_format(const struct mb_taken *t, struct mb_err *err)
{
    struct mb_options *options = t->options;
    const char *colon = options->verb == MB_VERB_EXPORT ? strchr(t->value, ':') : NULL;
    const char *format;
    unsigned reduce = 0;
    size_t i = 0;
    options->settings.n_formats = t->is_first ? 0 : options->settings.n_formats;
    MB_DO(find_format(mb_text("%.*s", colon ? (int)(colon - t->value) : INT_MAX, t->value).s,
                      &format, err));
    MB_DO(colon ? mb_choice_find(reduces, "--format", colon + 1, &reduce, err) : MB_OK);
    while (i < options->settings.n_formats && options->settings.formats[i] != format) {
        i++;
    }
    MB_FAIL_IF(i == MB_MAX_FORMATS, err, MB_ERRC_USAGE, "--%s: more than %d formats",
               t->row->name, MB_MAX_FORMATS);
    const bool is_new = i == options->settings.n_formats;
    const unsigned before = is_new ? 0 : options->format_reduces[i];
    options->format_reduces[i] = before | (colon ? 1u << reduce : MB_ALL_REDUCES);
    options->settings.formats[i] = format;
    options->settings.n_formats += is_new;
    return MB_OK;
}

static enum mb_status add_size(const struct mb_taken *t, struct mb_extent size,
                               struct mb_err *err)
{
    struct mb_settings *settings = &t->options->settings;
    for (size_t i = 0; i < settings->n_sizes; i++) {
        const struct mb_extent old = settings->size[i];
        if (old.width == size.width && old.height == size.height) {
            return MB_OK;
        }
    }
    MB_FAIL_IF(settings->n_sizes == MB_MAX_SIZES, err, MB_ERRC_USAGE,
               "--%s: more than %d sizes", t->row->name, MB_MAX_SIZES);
    settings->size[settings->n_sizes++] = size;
    return MB_OK;
}

static enum mb_status take_size(const struct mb_taken *t, struct mb_err *err)
{
    uint32_t n[2];
    return mb_parse_numbers(t->value, "xX", 2, 1, MB_IMAGE_MAX_DIMENSION, n)
               ? add_size(t, (struct mb_extent){n[0], n[1]}, err)
               : refuse(t, mb_text("WxH with each from 1 to %u", MB_IMAGE_MAX_DIMENSION), err);
}

static enum mb_status take_sweep(const struct mb_taken *t, struct mb_err *err)
{
    uint32_t edge[2];
    if (!mb_parse_numbers(t->value, ":", 2, 1, MB_IMAGE_MAX_DIMENSION, edge) ||
        !mb_is_power_of_two(edge[0]) || !mb_is_power_of_two(edge[1]) || edge[0] > edge[1]) {
        return refuse(
            t, mb_text("A:B, powers of two with 1 <= A <= B <= %u", MB_IMAGE_MAX_DIMENSION),
            err);
    }
    for (uint32_t width = edge[0]; width <= edge[1]; width *= 2) {
        MB_DO(add_size(t, (struct mb_extent){width, width}, err));
    }
    return MB_OK;
}

static enum mb_status take_rect(const struct mb_taken *t, struct mb_err *err)
{
    uint32_t n[4];
    if (!mb_parse_numbers(t->value, ",", 4, 0, MB_IMAGE_MAX_DIMENSION, n) ||
        n[0] == MB_IMAGE_MAX_DIMENSION || n[1] == MB_IMAGE_MAX_DIMENSION || n[2] == 0 ||
        n[3] == 0) {
        return refuse(t,
                      mb_text("X,Y,W,H with X and Y from 0 to %u, W and H from 1 to %u",
                              MB_IMAGE_MAX_DIMENSION - 1, MB_IMAGE_MAX_DIMENSION),
                      err);
    }
    t->options->settings.rect = (struct mb_rect){n[0], n[1], n[2], n[3]};
    return MB_OK;
}

const struct mb_option_row mb_option_rows[] = {
    {"strategy", 's', "SPEC[,...]", take_texts, MB_GROUP_WHAT, MADE | BIT(KERNEL),
     .field = FIELD(specs), .is_list = true, .is_common = true,
     .help = "NAME, NAME:KEY=VALUE... or NAME:* for every variant, which may be thousands; "
             "repeatable (all)",
     .help_for = {[MB_VERB_TUNE] = "what to tune, NAME or NAME:KEY=VALUE..., which keeps VALUE "
                                   "fixed; repeatable (all)"}},
    {"kernel", 0, "FILE.json", take_texts, MB_GROUP_WHAT, MADE | BIT(LIST),
     .field = FIELD(kernels), .is_common = true,
     .help = "a kernel of your own, by its manifest; repeatable"},
    {"kernel-include", 0, "DIR", take_texts, MB_GROUP_WHAT, MADE | BIT(LIST) | BIT(KERNEL),
     .field = FIELD(kernel_includes),
     .help = "another folder for its shaders to include from; repeatable"},
    {"kernel-timeout", 0, "SEC", take_number, MB_GROUP_WHAT, TIMED,
     .field = FIELD(kernel_timeout_s), .min = 0.1, .max = MAX_SECONDS,
     .help = "longest wait for the device to run it; then the program ends (30)"},
    {"like", 0, NULL, take_choice, MB_GROUP_WHAT, BIT(KERNEL), .field = FIELD(like),
     .choices = CHOICES({"per-level", MB_LIKE_PER_LEVEL}, {"single", MB_LIKE_SINGLE}),
     .help = "a new one's dispatches: one for each level, or a single one (per-level)"},
    {"device", 'd', "SEL", take_text, MB_GROUP_WHAT,
     MADE | BIT(LIST) | BIT(SELF_TEST) | BIT(EXPORT), .field = FIELD(settings.device),
     .is_common = true,
     .help = "index, UUID, part of the name, or cpu (discrete, else integrated, else CPU)",
     .help_for = {[MB_VERB_EXPORT] = "that a manifest is planned for (subgroups of 32)"}},
    {"null", 0, "amd:CHIP", take_text, MB_GROUP_WHAT, BIT(INSPECT), .field = FIELD(null_device),
     .is_common = true,
     .help = "a chip that need not be there, by RADV of mesa-vulkan-drivers: vega10, navi31"},
    {"replay", 0, "FILE", take_text, MB_GROUP_WHAT, BIT(RUN), .field = FIELD(replay_path),
     .help = "repeat the run of a results.json; options given here replace its own"},
    {"format", 'f', "NAME[,...]", take_format, MB_GROUP_IMAGE, MADE | BIT(EXPORT) | BIT(KERNEL),
     .is_list = true, .is_common = true,
     .help = "texel formats; see 'mipbench list formats' (auto)",
     .help_for = {[MB_VERB_INSPECT] = "texel formats (rgba8)",
                  [MB_VERB_KERNEL] = "texel format (rgba8, or what the manifest takes)",
                  [MB_VERB_EXPORT] = "formats, each NAME or NAME:max (all)"}},
    {"srgb", 0, NULL, take_switch, MB_GROUP_IMAGE, TIMED, .field = FIELD(settings.is_srgb),
     .help = "decode 8-bit colour and average linear light, not codes as they are"},
    {"reduce", 'r', NULL, take_choice, MB_GROUP_IMAGE, MADE | BIT(KERNEL),
     .field = FIELD(settings.reduce), .choices = reduces, .is_common = true,
     .help = "how texels are combined (avg)"},
    {"alpha", 0, NULL, take_choice, MB_GROUP_IMAGE, TIMED | BIT(KERNEL),
     .field = FIELD(settings.alpha),
     .choices =
         CHOICES({"straight", MB_ALPHA_STRAIGHT}, {"premultiplied", MB_ALPHA_PREMULTIPLIED}),
     .help = "average alpha like any channel, or weight colour by it (straight)"},
    {"levels", 'l', "N", take_count, MB_GROUP_IMAGE, TIMED, .field = FIELD(settings.n_levels),
     .min = 1, .max = MB_MAX_LEVELS, .help = "mip levels, base included (full chain)"},
    {"size", 0, "WxH[,...]", take_size, MB_GROUP_IMAGE, MADE | BIT(KERNEL) | BIT(EXPORT),
     .is_list = true, .is_common = true, .help = "crop or mirror-tile the input to these sizes",
     .help_for = {[MB_VERB_INSPECT] = "sizes of images (4096x4096)",
                  [MB_VERB_KERNEL] =
                      "size of the image (1921x1081, or what the manifest takes)",
                  [MB_VERB_EXPORT] = "of the image that a manifest is written for (none)"}},
    {"sweep", 0, "A:B", take_sweep, MB_GROUP_IMAGE, TIMED, .is_common = true,
     .help = "square sizes, powers of two from A to B"},
    {"layers", 0, "N", take_count, MB_GROUP_IMAGE, TIMED | BIT(KERNEL),
     .field = FIELD(settings.n_layers), .min = 1, .max = MAX_LAYERS,
     .help = "array layers, or cubes with --cube (1)",
     .help_for = {[MB_VERB_KERNEL] = "array layers (1)"}},
    {"cube", 0, NULL, take_switch, MB_GROUP_IMAGE, TIMED, .field = FIELD(settings.is_cube),
     .help = "a cube map: six square faces"},
    {"rect", 0, "X,Y,W,H", take_rect, MB_GROUP_IMAGE, TIMED,
     .help = "time an update after these texels change"},
    {"image-usage", 0, NULL, take_choice, MB_GROUP_IMAGE, TIMED,
     .field = FIELD(settings.image_usage),
     .choices = CHOICES({"all", MB_IMAGE_USAGE_ALL}, {"needed", MB_IMAGE_USAGE_NEEDED}),
     .help = "usage flags: all supported, or those needed (all)"},
    {"samples", 'n', "N", take_count, MB_GROUP_MEASURE, TIMED,
     .field = FIELD(settings.n_samples), .min = 1, .max = MAX_SAMPLES, .is_common = true,
     .help = "timed samples of each strategy (automatic)"},
    {"runs", 0, "N", take_count, MB_GROUP_MEASURE, BIT(RUN), .field = FIELD(n_runs), .min = 1,
     .max = MAX_RUNS, .is_common = true,
     .help = "measure N times anew, as one set for 'compare' (1)"},
    {"warmup", 'w', "N", take_count, MB_GROUP_MEASURE, TIMED, .field = FIELD(settings.n_warmup),
     .max = MAX_WARMUP_ROUNDS, .help = "warm-up rounds (automatic)"},
    {"cache", 0, NULL, take_choice, MB_GROUP_MEASURE, TIMED, .field = FIELD(settings.caches),
     .choices = CHOICES({"hot", 1u << MB_CACHE_HOT}, {"cold", 1u << MB_CACHE_COLD},
                        {"both", 1u << MB_CACHE_HOT | 1u << MB_CACHE_COLD}),
     .is_common = true, .help = "cache state before each sample (cold; hot on a CPU)"},
    {"mode", 0, NULL, take_choice, MB_GROUP_MEASURE, TIMED, .field = FIELD(settings.modes),
     .is_list = true,
     .choices = CHOICES(
         {"latency", 1u << MB_MODE_LATENCY}, {"throughput", 1u << MB_MODE_THROUGHPUT},
         {"overlap", 1u << MB_MODE_OVERLAP},
         {"both", 1u << MB_MODE_LATENCY | 1u << MB_MODE_THROUGHPUT},
         {"all", 1u << MB_MODE_LATENCY | 1u << MB_MODE_THROUGHPUT | 1u << MB_MODE_OVERLAP}),
     .help = "one chain alone; batches, by their slope; chains with no barriers between them; "
             "both: the first two; all: all three (latency)"},
    {"max-noise", 0, "PCT", take_percent, MB_GROUP_MEASURE, TIMED,
     .field = FIELD(settings.max_noise), .max = 100,
     .help = "stop once all medians are known to this (0.3)"},
    {"timeout", 0, "SEC", take_number, MB_GROUP_MEASURE, TIMED,
     .field = FIELD(settings.timeout_s), .min = 0.001, .max = MAX_SECONDS,
     .help = "stop after this long (2, once there are 20 blocks)"},
    {"l2-bytes", 0, "N", take_bytes, MB_GROUP_MEASURE, TIMED | BIT(SELF_TEST),
     .field = FIELD(settings.l2_bytes),
     .help = "last-level cache size, such as 50M (measured)"},
    {"no-roofline", 0, NULL, take_switch, MB_GROUP_MEASURE, TIMED,
     .field = FIELD(settings.roofline), .help = "do not measure memory bandwidth"},
    {"self-test", 0, NULL, NULL, MB_GROUP_MEASURE, BIT(RUN) | BIT(SELF_TEST),
     .turns = MB_VERB_SELF_TEST, .help = "check the instrument itself, then exit"},
    {"per-level", 0, NULL, take_switch, MB_GROUP_MEASURE, BIT(RUN),
     .field = FIELD(settings.per_level),
     .help = "time each level of multi-dispatch strategies"},
    {"seed", 0, "N", take_seed, MB_GROUP_MEASURE, TIMED | COMPARED | BIT(SELF_TEST),
     .help = "seed for the order of strategies and for noise (1)",
     .help_for = {[MB_VERB_COMPARE] = "seed for resampling (1)"}},
    {"no-verify", 0, NULL, take_switch, MB_GROUP_MEASURE, BIT(RUN),
     .field = FIELD(settings.verify), .help = "skip the comparison with the reference"},
    {"validate", 0, NULL, take_switch, MB_GROUP_MEASURE, BIT(RUN) | BIT(SELF_TEST),
     .field = FIELD(settings.validate),
     .help = "enable the validation layer; nothing is ranked then"},
    {"threshold", 0, "PCT", take_percent, MB_GROUP_MEASURE, BIT(COMPARE),
     .field = FIELD(threshold), .max = 1000, .help = "smaller differences are ties (1)"},
    {"pool", 0, NULL, NULL, MB_GROUP_MEASURE, BIT(COMPARE) | BIT(POOL), .turns = MB_VERB_POOL,
     .help = "no sides: runs of a device and build together, with verdicts"},
    {"fail-on-regression", 0, NULL, take_switch, MB_GROUP_MEASURE, BIT(COMPARE),
     .field = FIELD(fail_on_regression),
     .help = "exit 1 on a regression, or if nothing can be decided"},
    {"fail-on-inconclusive", 0, NULL, take_switch, MB_GROUP_MEASURE, BIT(COMPARE),
     .field = FIELD(fail_on_inconclusive), .help = "exit 1 if anything is undecided"},
    {"out", 'o', "DIR", take_text, MB_GROUP_OUTPUT, TIMED | BIT(EXPORT) | BIT(REPORT),
     .field = FIELD(out_dir), .is_common = true,
     .help = "output folder (results/<utc>-<device>/)",
     .help_for = {[MB_VERB_EXPORT] = "output folder; required",
                  [MB_VERB_REPORT] =
                      "the page, or a folder for it (report.html beside the first results)"}},
    {"max-pictures", 0, "MB", take_count, MB_GROUP_OUTPUT, BIT(REPORT),
     .field = FIELD(max_pictures_mb), .min = 0, .max = 2048,
     .help = "embed pictures up to this size in all; 0 leaves them out (4)"},
    {"force", 0, NULL, take_switch, MB_GROUP_OUTPUT, BIT(EXPORT), .field = FIELD(force),
     .help = "write into a folder that is not empty, over an earlier export"},
    {"no-plain", 0, NULL, take_switch, MB_GROUP_OUTPUT, BIT(EXPORT), .field = FIELD(plain),
     .help = "leave out the modules of devices without subgroup operations"},
    {"no-alpha", 0, NULL, take_switch, MB_GROUP_OUTPUT, BIT(EXPORT), .field = FIELD(alpha),
     .help = "leave out the modules of averages weighted by alpha"},
    {"no-updates", 0, NULL, take_switch, MB_GROUP_OUTPUT, BIT(EXPORT), .field = FIELD(updates),
     .help = "leave out the modules of updates"},
    {"json", 0, "FILE|-", take_text, MB_GROUP_OUTPUT, TIMED | COMPARED, .field = FIELD(json),
     .is_common = true,
     .help = "copy of results.json; - is stdout, which then holds nothing else",
     .help_for = {[MB_VERB_TUNE] =
                      "copy of tune.json; - is stdout, which then holds nothing else",
                  [MB_VERB_COMPARE] =
                      "the comparison; - is stdout, which then holds nothing else"}},
    {"json", 0, NULL, take_text, MB_GROUP_OUTPUT, BIT(LIST) | BIT(INSPECT),
     .field = FIELD(json), .help = "print JSON"},
    {"csv", 0, "FILE|-", take_text, MB_GROUP_OUTPUT, BIT(RUN), .field = FIELD(csv),
     .help = "results as CSV"},
    {"markdown", 0, "FILE|-", take_text, MB_GROUP_OUTPUT, BIT(RUN) | BIT(COMPARE),
     .field = FIELD(markdown), .help = "tables as Markdown"},
    {"images", 0, NULL, take_choice, MB_GROUP_OUTPUT, BIT(RUN), .field = FIELD(settings.images),
     .choices = CHOICES({"none", 0}, {"atlas", MB_IMAGES_ATLAS}, {"sheet", MB_IMAGES_SHEET},
                        {"levels", MB_IMAGES_LEVELS}, {"all", MB_IMAGES_ALL}),
     .help = "PNGs of the mip chains (atlas)"},
    {"chain", 0, NULL, take_choice, MB_GROUP_OUTPUT, BIT(RUN), .field = FIELD(settings.chains),
     .is_list = true,
     .choices = CHOICES({"ktx2", 1u << MB_CHAIN_KTX2}, {"dds", 1u << MB_CHAIN_DDS}),
     .help = "write verified mip chains as texture files"},
    {"report", 0, NULL, take_switch, MB_GROUP_OUTPUT, BIT(RUN), .field = FIELD(wants_report),
     .is_common = true, .help = "make report.html, a page of the results"},
    {"quiet", 'q', NULL, take_switch, MB_GROUP_GENERAL, ALL, .field = FIELD(quiet),
     .is_common = true, .help = "print results and errors only"},
    {"verbose", 'v', NULL, take_verbose, MB_GROUP_GENERAL, ALL, .is_common = true,
     .help = "print more; repeatable"},
    {"color", 0, NULL, take_choice, MB_GROUP_GENERAL, ALL, .field = FIELD(color),
     .choices = CHOICES({"auto", MB_COLOR_AUTO}, {"always", MB_COLOR_ALWAYS},
                        {"never", MB_COLOR_NEVER}),
     .help = "colours (auto: on a terminal)"},
    {"help", 'h', NULL, NULL, MB_GROUP_GENERAL, HELPED, .turns = MB_VERB_HELP,
     .is_common = true, .help = "print help and exit"},
    {"version", 'V', NULL, NULL, MB_GROUP_GENERAL, HELPED, .turns = MB_VERB_VERSION,
     .is_common = true, .help = "print the version and exit"},
};

const size_t mb_option_count = MB_COUNTOF(mb_option_rows);
_Static_assert(MB_COUNTOF(mb_option_rows) <= 64, "options.given has a bit for each row");

/* The bit of an option in mb_options.given. */
static uint64_t bit_of(const struct mb_option_row *row)
{
    return UINT64_C(1) << (row - mb_option_rows);
}

enum mb_status mb_option_take(struct mb_options *options, const struct mb_option_row *row,
                              const char *value, struct mb_err *err)
{
    struct mb_taken t = {options, row, value, true};
    MB_SCOPED(mb_strlist) items = {0};
    MB_FAIL_IF(value != NULL && value[0] == '\0', err, MB_ERRC_USAGE,
               "--%s: the value is empty", row->name);
    options->given |= bit_of(row);
    if (!row->is_list) {
        return row->take(&t, err);
    }
    MB_DO(mb_strlist_split(&items, mb_text("--%s", row->name).s, value, err));
    for (size_t i = 0; i < items.n; i++) {
        t = (struct mb_taken){options, row, items.items[i], i == 0};
        MB_DO(row->take(&t, err));
    }
    return MB_OK;
}

bool mb_option_goes_with(const struct mb_option_row *row, enum mb_verb verb)
{
    return (row->verbs & 1u << verb) != 0;
}

bool mb_option_takes_value(const struct mb_option_row *row)
{
    return row->argument != NULL || row->choices != NULL;
}

bool mb_option_is_given(const struct mb_options *options, const char *name)
{
    bool is_given = false;
    for (size_t i = 0; i < mb_option_count; i++) {
        is_given |= (options->given & bit_of(&mb_option_rows[i])) != 0 &&
                    strcmp(mb_option_rows[i].name, name) == 0;
    }
    return is_given;
}

void mb_option_add_argument(struct mb_strbuf *out, const struct mb_option_row *row)
{
    mb_strbuf_append(out, row->argument != NULL ? row->argument : "");
    for (const struct mb_choice *choice = row->choices; choice && choice->name; choice++) {
        mb_strbuf_printf(out, "%s%s", choice == row->choices ? "" : "|", choice->name);
    }
    mb_strbuf_append(out, row->choices && row->is_list ? "[,...]" : "");
}

enum mb_verb mb_verb_find(const char *name)
{
    size_t i = 0;
    while (i < MB_N_VERBS && strcmp(name, mb_verb_rows[i].name) != 0) {
        i++;
    }
    return (enum mb_verb)i;
}

void mb_options_finish(struct mb_options *options)
{
    mb_strlist_finish(&options->inputs);
    mb_strlist_finish(&options->specs);
    mb_strlist_finish(&options->kernels);
    mb_strlist_finish(&options->kernel_includes);
    mb_kernel_table_finish(&options->table);
    mb_strlist_finish(&options->replay_args);
    *options = (struct mb_options){0};
}
