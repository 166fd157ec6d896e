/* mipbench_tuned.h: the decisions of a tuning, for a program that makes mipmaps. */
#include "tune/lookup.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/settings.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/version.h"
#include "result/describe.h"
#include "tune/report.h"

#define COMMENT_COLUMNS 96

static const char types[] =
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "#include <string.h>\n"
    "\n"
    "/* What a chain must be. EXACT: every level the area average at any size, or of minima "
    "and\n"
    " * maxima conservative. ANY: also what drops or reweighs texels of odd sizes or has less\n"
    " * precision, each within its own bound. The others are wide kernels. */\n"
    "enum mipbench_tuned_question {\n";

static const char table_type[] =
    "};\n"
    "\n"
    "struct mipbench_tuned {\n"
    "    const char *format;                /* \"rgba8\"; NULL after the last */\n"
    "    const char *reduction;             /* \"avg\", \"min\" or \"max\" */\n"
    "    enum mipbench_tuned_question question;\n"
    "    int is_power_of_two;               /* of images whose edges both are, or of others "
    "*/\n"
    "    uint32_t width, height;            /* measured at */\n"
    "    uint64_t max_texels;               /* holds for images of up to this many texels, */\n"
    "    uint32_t max_edge;                 /* and no edge longer than this */\n"
    "    const char *strategy;              /* the winner, */\n"
    "    const char *params;                /* \"key=value:...\", those off their defaults */\n"
    "    double median_ns, low_ns, high_ns; /* its median with its interval (0: none) */\n"
    "    int is_distinct;                   /* faster than the runner-up, beyond the noise */\n"
    "    const char *runner_up;             /* \"strategy:key=value:...\"; NULL: none */\n"
    "    double ratio, ratio_low, ratio_high; /* of its time to the winner's (0: none) */\n"
    "};\n"
    "\n"
    "static const struct mipbench_tuned mipbench_tuned_table[] = {\n";

static const char lookup[] =
    "};\n"
    "\n"
    "/* What to use for an image, or NULL where nothing was measured that says so. */\n"
    "static inline const struct mipbench_tuned *\n"
    "mipbench_tuned_find(const char *format, const char *reduction,\n"
    "                    enum mipbench_tuned_question question, uint32_t width, uint32_t "
    "height)\n"
    "{\n"
    "    const struct mipbench_tuned *row = mipbench_tuned_table;\n"
    "    const uint64_t n_texels = (uint64_t)width * height;\n"
    "    const uint32_t edge = width > height ? width : height;\n"
    "    const int is_power = (width & (width - 1u)) == 0 && (height & (height - 1u)) == 0;\n"
    "    for (; n_texels > 0 && row->format != NULL; row++) {\n"
    "        if (row->question == question && row->is_power_of_two == is_power &&\n"
    "            n_texels <= row->max_texels && edge <= row->max_edge &&\n"
    "            strcmp(row->format, format) == 0 && strcmp(row->reduction, reduction) == 0) "
    "{\n"
    "            return row;\n"
    "        }\n"
    "    }\n"
    "    return NULL;\n"
    "}\n"
    "\n"
    "#endif\n";

/* A string literal of ASCII: whatever else is in it is written in octal. '?' could begin a
 * trigraph. */
static void add_literal(struct mb_strbuf *out, const char *text)
{
    mb_strbuf_append(out, "\"");
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        const bool is_plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '?';
        mb_strbuf_printf(out, is_plain ? "%c" : "\\%03o", c);
    }
    mb_strbuf_append(out, "\"");
}

/* Text for a comment: nothing in it ends or begins one, and every line of it is the comment's.
 */
static void add_remark(struct mb_strbuf *out, const char *text)
{
    struct mb_strbuf safe = {0};
    for (; *text != '\0'; text++) {
        const bool is_edge = (text[0] == '*' && text[1] == '/') ||
                             (text[0] == '/' && text[1] == '*') || text[0] == '\\';
        const unsigned char c = (unsigned char)*text;
        mb_strbuf_printf(&safe, "%c%s", c < ' ' || c >= 0x7f ? '?' : c, is_edge ? " " : "");
    }
    struct mb_strbuf wrapped = {0};
    mb_strbuf_wrap(&wrapped, mb_strbuf_text(&safe), 3, COMMENT_COLUMNS);
    const char *line = mb_strbuf_text(&wrapped);
    for (const char *end = line; *line != '\0'; line = end) {
        line += strspn(line, " ");
        end = line + strcspn(line, "\n");
        mb_strbuf_append(out, " * ");
        mb_strbuf_append_n(out, line, (size_t)(end - line));
        mb_strbuf_append(out, "\n");
        end += *end == '\n';
    }
    out->failed = out->failed || safe.failed || wrapped.failed;
    mb_strbuf_finish(&safe);
    mb_strbuf_finish(&wrapped);
}

/* What was tuned, and what the reader must know of it. */
static void add_intro(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_tune *tune)
{
    struct mb_strbuf text = {0};
    mb_strbuf_append(out,
                     "/* The fastest verified ways of making mipmaps on one device.\n *\n");
    mb_strbuf_printf(&text,
                     "Made by mipbench %s (%s) at %s: do not edit. Device: %s, driver %s %s.",
                     MB_VERSION, MB_GIT_SHA, run->utc, run->device.name,
                     run->device.driver_name, run->device.driver_info);
    if (run->n_cases > 0) {
        char task[256];
        mb_timing_describe_task(&run->cases[0]->timings[0], task, sizeof task);
        mb_strbuf_printf(&text, " Task: %s.", task);
    }
    if (run->settings->n_levels > 0) {
        mb_strbuf_printf(&text, " Up to %u levels.", run->settings->n_levels);
    }
    if (run->device.type == VK_PHYSICAL_DEVICE_TYPE_CPU) {
        mb_strbuf_append(&text, " SOFTWARE DEVICE: this says nothing about a GPU.");
    }
    if (tune->has_selftest && !tune->selftest.passed) {
        mb_strbuf_append(&text, " THE SELF-TEST OF THE INSTRUMENT FAILED: trust none of this.");
    }
    if (!run->complete) {
        mb_strbuf_append(&text, " INCOMPLETE: it was cut short.");
    }
    add_remark(out, mb_strbuf_text(&text));
    mb_strbuf_append(out, " *\n");
    add_remark(out, mb_tune_choice_rule);
    mb_strbuf_append(out, " *\n");
    add_remark(out, mb_tune_reach_rule);
    mb_strbuf_append(out, " */\n");
    out->failed = out->failed || text.failed;
    mb_strbuf_finish(&text);
}

static void add_macro(struct mb_strbuf *out, const char *name, const char *value)
{
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_%s ", name);
    add_literal(out, value);
    mb_strbuf_append(out, "\n");
}

static void add_macros(struct mb_strbuf *out, const struct mb_run *run)
{
    const struct mb_gpu_info *device = &run->device;
    mb_strbuf_append(out, "#ifndef MIPBENCH_TUNED_H\n#define MIPBENCH_TUNED_H\n\n");
    add_macro(out, "DEVICE", device->name);
    add_macro(out, "DRIVER", device->driver_info);
    add_macro(out, "DRIVER_VERSION", device->driver_version);
    add_macro(out, "TOOL", MB_VERSION " " MB_GIT_SHA);
    add_macro(out, "UTC", run->utc);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_VENDOR_ID 0x%" PRIx32 "u\n",
                     device->vendor_id);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_DEVICE_ID 0x%" PRIx32 "u\n",
                     device->device_id);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_COMPLETE %d\n\n", run->complete);
}

/* "MIPBENCH_TUNED_EXACT". */
static void add_question(struct mb_strbuf *out, enum mb_question question)
{
    mb_strbuf_append(out, "MIPBENCH_TUNED_");
    for (const char *name = mb_question_name(question); *name != '\0'; name++) {
        mb_strbuf_printf(out, "%c", toupper((unsigned char)*name));
    }
}

static void add_number(struct mb_strbuf *out, double value)
{
    char text[32];
    mb_number_text(isfinite(value) ? value : 0.0, text, sizeof text);
    mb_strbuf_printf(out, strpbrk(text, ".e") ? "%s" : "%s.0", text);
}

static void add_times(struct mb_strbuf *out, const struct mb_stats *stats)
{
    const bool has_interval = stats->median_ci_level >= 0.95;
    add_number(out, stats->median_ns);
    mb_strbuf_append(out, ", ");
    add_number(out, has_interval ? stats->median_ci_ns[0] : (double)NAN);
    mb_strbuf_append(out, ", ");
    add_number(out, has_interval ? stats->median_ci_ns[1] : (double)NAN);
}

static void add_row(struct mb_strbuf *out, const struct mb_run *run, const struct mb_tune *tune,
                    const struct mb_tune_class *class)
{
    const struct mb_tune_case *c = &tune->cases[class->index];
    const struct mb_tune_choice *choice = &c->choice[class->question];
    const struct mb_timing *timing = mb_tune_final(run, c);
    const struct mb_row *winner = &timing->rows[choice->chosen];
    const char *params = strchr(winner->result->label, ':');
    mb_strbuf_append(out, "    {");
    add_literal(out, c->layout.format->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, mb_reduce_name(timing->of->task.reduce));
    mb_strbuf_append(out, ", ");
    add_question(out, class->question);
    mb_strbuf_printf(out, ", %d, %u, %u, UINT64_C(%" PRIu64 "), %u,\n     ", class->is_power,
                     c->layout.base.width, c->layout.base.height, class->max_texels,
                     class->max_edge);
    add_literal(out, winner->result->strategy->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, params ? params + 1 : "");
    mb_strbuf_append(out, ", ");
    add_times(out, &winner->stats);
    mb_strbuf_printf(out, ", %d,\n     ", choice->is_distinct);
    if (choice->runner_up == SIZE_MAX) {
        mb_strbuf_append(out, "NULL, 0.0, 0.0, 0.0},\n");
        return;
    }
    const double ratios[] = {choice->next.ratio, choice->next.ci[0], choice->next.ci[1]};
    add_literal(out, timing->of->results[choice->runner_up].label);
    for (size_t i = 0; i < MB_COUNTOF(ratios); i++) {
        mb_strbuf_append(out, ", ");
        add_number(out, ratios[i]);
    }
    mb_strbuf_append(out, "},\n");
}

enum mb_status mb_tune_header(const struct mb_run *run, const struct mb_tune *tune, char **text,
                              struct mb_err *err)
{
    enum mb_status status = MB_OK;
    struct mb_strbuf out = {0};
    add_intro(&out, run, tune);
    add_macros(&out, run);
    mb_strbuf_append(&out, types);
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        mb_strbuf_append(&out, "    ");
        add_question(&out, (enum mb_question)question);
        mb_strbuf_append(&out, question + 1 < MB_N_QUESTIONS ? ",\n" : "\n");
    }
    mb_strbuf_append(&out, table_type);
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_row(&out, run, tune, &tune->classes[i]);
    }
    /* One that ends it, so that an empty table is one, too. */
    mb_strbuf_append(
        &out,
        "    {NULL, NULL, MIPBENCH_TUNED_EXACT, 0, 0, 0, 0, 0, NULL, NULL, 0.0, 0.0, 0.0, 0,\n"
        "     NULL, 0.0, 0.0, 0.0},\n");
    mb_strbuf_append(&out, lookup);
    MB_TRY(mb_strbuf_check(&out, err));
    *text = out.text;
    return MB_OK;
fail:
    mb_strbuf_finish(&out);
    return status;
}
