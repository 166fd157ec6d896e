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
#include "strategy.h"
#include "tune/report.h"

#define COMMENT_COLUMNS 96

/* mipbench_tuned.h.in, with a line @NAME@ for each of the parts below. */
extern const struct mb_embedded mb_tuned_template[];

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

static void add_macros(struct mb_strbuf *out, const struct mb_run *run,
                       const struct mb_tune *tune)
{
    const struct mb_gpu_info *device = &run->device;
    add_macro(out, "DEVICE", device->name);
    add_macro(out, "DRIVER", device->driver_info);
    add_macro(out, "DRIVER_VERSION", device->driver_version);
    add_macro(out, "TOOL", MB_VERSION " " MB_GIT_SHA);
    add_macro(out, "UTC", run->utc);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_VENDOR_ID 0x%" PRIx32 "u\n",
                     device->vendor_id);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_DEVICE_ID 0x%" PRIx32 "u\n",
                     device->device_id);
    mb_strbuf_printf(out, "#define MIPBENCH_TUNED_COMPLETE %d\n", run->complete);
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

/* Three figures: a median or ratio and its interval, if it has one. */
static void add_figures(struct mb_strbuf *out, double figure, const double ci[2], bool has_ci)
{
    add_number(out, figure);
    for (int i = 0; i < 2; i++) {
        mb_strbuf_append(out, ", ");
        add_number(out, has_ci ? ci[i] : (double)NAN);
    }
}

static void add_row(struct mb_strbuf *out, const struct mb_tune_choice *choice)
{
    const struct mb_layout *layout = &choice->of->layout;
    const struct mb_stats *stats = &choice->chosen->stats;
    const char *params = strchr(choice->chosen->result->label, ':');
    mb_strbuf_append(out, "    {");
    add_literal(out, layout->format->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, mb_reduce_name(choice->of->final->of->task.reduce));
    mb_strbuf_append(out, ", ");
    add_question(out, choice->question);
    mb_strbuf_printf(out, ", %d, %u, %u, UINT64_C(%" PRIu64 "), %u,\n     ", choice->is_power,
                     layout->base.width, layout->base.height, choice->max_texels,
                     choice->max_edge);
    add_literal(out, choice->chosen->result->strategy->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, params ? params + 1 : "");
    mb_strbuf_append(out, ", ");
    add_figures(out, stats->median_ns, stats->median_ci_ns, stats->median_ci_level >= 0.95);
    mb_strbuf_printf(out, ", %d,\n     ", choice->is_distinct);
    if (choice->runner_up == NULL) {
        mb_strbuf_append(out, "NULL, 0.0, 0.0, 0.0},\n");
        return;
    }
    add_literal(out, choice->runner_up->result->label);
    mb_strbuf_append(out, ", ");
    add_figures(out, choice->next.ratio, choice->next.ci, true);
    mb_strbuf_append(out, "},\n");
}

static void add_questions(struct mb_strbuf *out, const struct mb_run *run,
                          const struct mb_tune *tune)
{
    for (int question = 0; question < MB_N_QUESTIONS; question++) {
        mb_strbuf_append(out, "    ");
        add_question(out, (enum mb_question)question);
        mb_strbuf_append(out, question + 1 < MB_N_QUESTIONS ? ",\n" : "\n");
    }
}

static void add_rows(struct mb_strbuf *out, const struct mb_run *run,
                     const struct mb_tune *tune)
{
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_row(out, tune->classes[i]);
    }
}

static const struct {
    const char *line;
    void (*add)(struct mb_strbuf *out, const struct mb_run *run, const struct mb_tune *tune);
} parts[] = {
    {"@INTRO@\n", add_intro},
    {"@MACROS@\n", add_macros},
    {"@QUESTIONS@\n", add_questions},
    {"@ROWS@\n", add_rows},
};

/* The template up to a part, and the part; they are in its order. */
enum mb_status mb_tune_header(const struct mb_run *run, const struct mb_tune *tune, char **text,
                              struct mb_err *err)
{
    struct mb_strbuf template = {0}, out = {0};
    mb_strbuf_append_n(&template, (const char *)mb_tuned_template->data,
                       mb_tuned_template->n_bytes);
    const char *rest = mb_strbuf_text(&template);
    for (size_t i = 0; !template.failed && i < MB_COUNTOF(parts); i++) {
        const char *line = strstr(rest, parts[i].line);
        mb_strbuf_append_n(&out, rest, (size_t)(line - rest));
        parts[i].add(&out, run, tune);
        rest = line + strlen(parts[i].line);
    }
    mb_strbuf_append(&out, rest);
    out.failed = out.failed || template.failed;
    mb_strbuf_finish(&template);
    return mb_strbuf_take(&out, text, err);
}
