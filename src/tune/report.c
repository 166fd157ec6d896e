/* The results of a tuning: its decisions as tune.json, and as a C header. */
#include "tune/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "base/version.h"
#include "bench/settings.h"
#include "result/label.h"
#include "result/case_json.h"
#include "result/result_json.h"
#include "strategy.h"
#include "tune/choose.h"

#define TUNE_SCHEMA_VERSION "3.0.0"
#define COMMENT_COLUMNS     96

/* The rules in words, for readers of the files. */
static const char choice_rule[] =
    "Finalists are measured together and verified before and after. For each question the "
    "variant with the least median is the fastest; variants that are not SLOWER are tied with "
    "it. Of those tied with a ratio of at most 1.01 the one with the fewest parameters off "
    "their defaults is chosen.";
static const char reach_rule[] =
    "Sizes with two edges that are powers of two are decided apart from all others. A class "
    "begins where the next smaller one ends (the smallest at 1x1). It ends where the times of "
    "its winner and the next one's cross, or at the geometric mean of both sizes if the winner "
    "stays or the times do not cross, or at its own size if its winner cannot run above. "
    "Nothing is decided beyond the largest size.";

static void add_extent(struct mb_json *json, struct cJSON *node, struct mb_extent extent)
{
    mb_json_u64(json, node, "width", extent.width);
    mb_json_u64(json, node, "height", extent.height);
}

/* The task, which is the same in every case. */
static void add_task(struct mb_json *json, const struct mb_run *run)
{
    struct cJSON *node = mb_json_object_if(json, json->root, "task", run->n_cases > 0);
    if (run->n_cases == 0) {
        return;
    }
    struct mb_case *c = run->cases[0];
    mb_json_string(json, node, "input", c->input);
    mb_json_string(json, node, "reduce", mb_reduce_names[c->task.reduce]);
    mb_json_string(json, node, "alpha", mb_alpha_name(c->task.alpha));
    mb_json_u64(json, node, "layers", c->layout.n_layers);
    mb_json_string(json, node, "shape", mb_shape_names[mb_case_shape(c)]);
    mb_rect_field(mb_node_write(json, node), &c->task);
    mb_json_string(json, node, "cache", mb_cache_names[c->timings[0].cache]);
    mb_json_string(json, node, "mode", mb_mode_names[c->timings[0].mode]);
    mb_json_string(json, node, "image_usage", mb_image_usage_names[c->image_usage]);
}

static void add_method(struct mb_json *json)
{
    struct cJSON *node = mb_json_object(json, json->root, "method");
    mb_json_u64(json, node, "max_finalists", MB_TUNE_FINALISTS);
    mb_json_number(json, node, "pass_margin", MB_TUNE_MARGIN);
    mb_json_string(json, node, "choice_rule", choice_rule);
    mb_json_string(json, node, "reach_rule", reach_rule);
}

static void add_selftest(struct mb_json *json, const struct mb_tune *tune)
{
    struct cJSON *node = mb_json_object_if(json, json->root, "self_test", tune->has_selftest);
    mb_json_bool(json, node, "passed", tune->selftest.passed);
    struct cJSON *checks = mb_json_array(json, node, "checks");
    for (int i = 0; i < MB_N_CHECKS; i++) {
        struct cJSON *check = mb_json_object(json, checks, NULL);
        mb_json_string(json, check, "name", tune->selftest.check[i].name);
        mb_json_bool(json, check, "passed", tune->selftest.check[i].passed);
        mb_json_string(json, check, "text", tune->selftest.check[i].text);
    }
}

static void add_kind(struct mb_json *json, struct cJSON *node,
                     const struct mb_tune_class *class)
{
    mb_json_string(json, node, "format", class->timing->of->layout.format->name);
    mb_json_string(json, node, "question", mb_question_names[class->question]);
    mb_json_bool(json, node, "power_of_two", class->is_power);
}

static void add_class(struct mb_json *json, struct cJSON *list,
                      const struct mb_tune_class *class)
{
    const struct mb_row *winner = class->chosen, *next = class->runner_up;
    struct cJSON *node = mb_json_object(json, list, NULL);
    add_kind(json, node, class);
    mb_json_string(json, node, "case", mb_case_folder(class->timing->of).s);
    add_extent(json, node, class->timing->of->layout.base);
    mb_json_u64(json, node, "max_texels", class->max_texels);
    mb_json_u64(json, node, "max_edge", class->max_edge);
    mb_json_string(json, node, "variant", winner->result->slug);
    mb_json_string(json, node, "label", winner->result->label);
    mb_json_string(json, node, "strategy", winner->result->strategy->name);
    mb_report_params(json, node, winner->result->strategy, &winner->result->params);
    struct mb_stats stats = winner->stats;
    mb_stats_fields(mb_node_write(json, node), "stats", &stats);
    mb_json_string(json, node, "fastest", class->fastest->result->slug);
    struct cJSON *runner_up = mb_json_object_if(json, node, "runner_up", next != NULL);
    mb_json_string(json, runner_up, "variant", next ? next->result->slug : NULL);
    mb_report_relation(json, runner_up, &class->next);
}

static void add_side(struct mb_json *json, struct cJSON *parent, const char *key,
                     const struct mb_tune_class *class)
{
    struct cJSON *node = mb_json_object(json, parent, key);
    add_extent(json, node, class->timing->of->layout.base);
    mb_json_string(json, node, "label", class->chosen->result->label);
}

static void add_crossover(struct mb_json *json, struct cJSON *list,
                          const struct mb_tune_class *below)
{
    struct cJSON *node = mb_json_object(json, list, NULL);
    add_kind(json, node, below);
    add_side(json, node, "below", below);
    add_side(json, node, "above", below->above);
    mb_json_number(json, node, "texels", below->border_texels);
    mb_json_number(json, node, "square_edge", sqrt(below->border_texels));
    mb_json_string(json, node, "how", mb_tune_how_names[below->how]);
}

enum mb_status mb_tune_json(const struct mb_run *run, const struct mb_tune *tune, char **text,
                            struct mb_err *err)
{
    MB_SCOPED(mb_json) json;
    mb_json_init(&json);
    mb_json_schema(&json, "mipbench-tune", TUNE_SCHEMA_VERSION);
    mb_report_head(&json, run);
    add_task(&json, run);
    add_method(&json);
    add_selftest(&json, tune);
    struct cJSON *classes = mb_json_array(&json, json.root, "classes");
    struct cJSON *crossovers = mb_json_array(&json, json.root, "crossovers");
    for (size_t i = 0; i < tune->n_classes; i++) {
        add_class(&json, classes, &tune->classes[i]);
        if (tune->classes[i].above) {
            add_crossover(&json, crossovers, &tune->classes[i]);
        }
    }
    return mb_json_print(&json, text, err);
}

/* mipbench_tuned.h.in, which has a line @NAME@ for each of the parts below. */
extern const struct mb_embedded mb_tuned_template[];

/* Add a string literal in ASCII: other bytes, and '?', which begins trigraphs, are octal. */
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

/* Add text to a comment: no part of it may end or begin one, and every line is marked. */
static void add_remark(struct mb_strbuf *out, const char *text)
{
    MB_SCOPED(mb_strbuf) safe = {0};
    for (; *text != '\0'; text++) {
        const bool is_edge = (text[0] == '*' && text[1] == '/') ||
                             (text[0] == '/' && text[1] == '*') || text[0] == '\\';
        const unsigned char c = (unsigned char)*text;
        mb_strbuf_printf(&safe, "%c%s", c < ' ' || c >= 0x7f ? '?' : c, is_edge ? " " : "");
    }
    MB_SCOPED(mb_strbuf) wrapped = {0};
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
}

/* Add what was tuned, and what a reader must know about it. */
static void add_intro(struct mb_strbuf *out, const struct mb_run *run,
                      const struct mb_tune *tune)
{
    MB_SCOPED(mb_strbuf) text = {0};
    mb_strbuf_append(out,
                     "/* The fastest verified ways of making mipmaps on one device.\n *\n");
    mb_strbuf_printf(&text,
                     "Made by mipbench %s (%s) at %s: do not edit. Device: %s, driver %s %s.",
                     MB_VERSION, MB_GIT_SHA, run->utc, run->device.name,
                     run->device.driver_name, run->device.driver_info);
    if (run->n_cases > 0) {
        mb_strbuf_printf(&text, " Task: %s.",
                         mb_timing_describe_task(&run->cases[0]->timings[0]).s);
    }
    if (run->settings->n_levels > 0) {
        mb_strbuf_printf(&text, " Up to %u levels.", run->settings->n_levels);
    }
    if (mb_gpu_is_cpu(&run->device)) {
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
    add_remark(out, choice_rule);
    mb_strbuf_append(out, " *\n");
    add_remark(out, reach_rule);
    mb_strbuf_append(out, " */\n");
    out->failed = out->failed || text.failed;
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
    for (const char *name = mb_question_names[question]; *name != '\0'; name++) {
        mb_strbuf_printf(out, "%c", toupper((unsigned char)*name));
    }
}

static void add_number(struct mb_strbuf *out, double value)
{
    const struct mb_text text = mb_number_text(isfinite(value) ? value : 0.0);
    mb_strbuf_printf(out, strpbrk(text.s, ".e") ? "%s" : "%s.0", text.s);
}

/* Add a median or ratio and its interval, or zeros if it has none. */
static void add_figures(struct mb_strbuf *out, double figure, const double ci[2], bool has_ci)
{
    add_number(out, figure);
    for (int i = 0; i < 2; i++) {
        mb_strbuf_append(out, ", ");
        add_number(out, has_ci ? ci[i] : (double)NAN);
    }
}

static void add_row(struct mb_strbuf *out, const struct mb_tune_class *class)
{
    const struct mb_case *c = class->timing->of;
    const struct mb_result *result = class->chosen->result;
    const struct mb_stats *stats = &class->chosen->stats;
    const char *params = strchr(result->label, ':');
    mb_strbuf_append(out, "    {");
    add_literal(out, c->layout.format->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, mb_reduce_names[c->task.reduce]);
    mb_strbuf_append(out, ", ");
    add_question(out, class->question);
    mb_strbuf_printf(out, ", %d, %u, %u, UINT64_C(%" PRIu64 "), %u,\n     ", class->is_power,
                     c->layout.base.width, c->layout.base.height, class->max_texels,
                     class->max_edge);
    add_literal(out, result->strategy->name);
    mb_strbuf_append(out, ", ");
    add_literal(out, params ? params + 1 : "");
    mb_strbuf_append(out, ", ");
    add_figures(out, stats->median_ns, stats->median_ci_ns, stats->median_ci_level >= 0.95);
    mb_strbuf_printf(out, ", %d,\n     ", class->next.outcome == MB_OUTCOME_SLOWER);
    if (class->runner_up == NULL) {
        mb_strbuf_append(out, "NULL, 0.0, 0.0, 0.0},\n");
        return;
    }
    add_literal(out, class->runner_up->result->label);
    mb_strbuf_append(out, ", ");
    add_figures(out, class->next.ratio, class->next.ci, true);
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
        add_row(out, &tune->classes[i]);
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

/* Replace the lines @NAME@ of the template, which come in the order of the parts. */
enum mb_status mb_tune_header(const struct mb_run *run, const struct mb_tune *tune, char **text,
                              struct mb_err *err)
{
    MB_SCOPED(mb_strbuf) template = {0};
    struct mb_strbuf out = {0};
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
    return mb_strbuf_take(&out, text, err);
}
